// A coarse distance field over the abstract graph of HPA*.

#include "search/distance/coarse.h"

// ---- what all goals share -------------------------------------------------------------------------------------------

// The index of a cell within its cluster.
static int32_t cell_index(const fw_hpa_t * hpa, const fw_hpa_box_t * box, int32_t x, int32_t y)
{
  return (y - box->top) * hpa->levels[0].side + x - box->left;
}

// Copies the costs of a flood, which on this floor are numbers of moves.
static void copy_flood(const fw_hpa_t * hpa, const fw_hpa_flood_t * flood, uint16_t * table)
{
  const fw_hpa_box_t * box = &flood->box;
  for (int32_t y = box->top; y <= box->bottom; ++y) {
    for (int32_t x = box->left; x <= box->right; ++x) {
      const int32_t index = cell_index(hpa, box, x, y);
      const int32_t g = flood->cells[index].g;
      table[index] = (uint16_t)(g < UINT16_MAX ? g : UINT16_MAX);
    }
  }
}

// Moves between all nodes and cells of each cluster.
static void make_tables(fw_coarse_t * coarse, fw_arena_t * arena)
{
  fw_hpa_t * hpa = &coarse->hpa;
  const fw_hpa_level_t * level = &hpa->levels[0];
  const int32_t count = level->columns * level->rows;
  const size_t area = (size_t)level->side * (size_t)level->side;
  coarse->tables = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*coarse->tables));
  for (int32_t i = 0; i < count && !fw__arena_has_failed(arena); ++i) {
    const fw_hpa_cluster_t * cluster = &level->clusters[i];
    coarse->tables[i] = fw__arena_allocate(arena, (size_t)cluster->count * area, sizeof(**coarse->tables));
    for (int32_t k = 0; k < cluster->count && coarse->tables[i] != NULL; ++k) {
      fw__hpa_flood(hpa, hpa->from, hpa->nodes[cluster->nodes[k]].place, false);
      copy_flood(hpa, hpa->from, coarse->tables[i] + (size_t)k * area);
    }
  }
}

// Makes every free place cost 1: distances are in moves.
static void flatten(fw_floor_t * floor)
{
  for (int32_t i = 0; i < floor->place_count; ++i) {
    floor->cost[i] = floor->cost[i] != 0;
  }
  floor->cost_min = floor->cost_max = 1;
  floor->is_uniform = true;
}

fw_ret_t fw__coarse_init(fw_coarse_t * coarse, fw_arena_t * arena, const fw_moves_t * moves, int32_t cluster)
{
  *coarse = (fw_coarse_t){.moves = moves};
  if (moves->heading_of != NULL) {
    return FW_RET_UNSUPPORTED;
  }
  const fw_floor_options_t options = {
    .grid = moves->grid, .connectivity = moves->connectivity, .footprint = moves->body->footprints[0]};
  const fw_ret_t ret = fw__floor_init(&coarse->floor, arena, &options, NULL);
  if (ret != FW_RET_OK) {
    return ret;
  }
  flatten(&coarse->floor);
  const fw_hpa_options_t shape = {.cluster = cluster, .levels = 1, .factor = 2, .spread = 6};
  fw__hpa_init(&coarse->hpa, arena, &coarse->floor, &shape);
  if (!fw__arena_has_failed(arena)) {
    make_tables(coarse, arena);
  }
  return fw__arena_has_failed(arena) ? FW_RET_BAD_ALLOC : FW_RET_OK;
}

// ---- a goal ---------------------------------------------------------------------------------------------------------

static uint32_t * entry_at(fw_coarse_goal_t * goal, int32_t node)
{
  uint32_t ** page = &goal->pages[node >> FW_COARSE_PAGE_BITS];
  if (*page == NULL) {
    int32_t half = FW_COARSE_PAGE / 2;
    *page = fw__arena_grow(goal->arena, NULL, sizeof(**page), &half);
    if (*page != NULL) {
      memset(*page, 0, FW_COARSE_PAGE * sizeof(**page));
    }
    goal->has_failed = goal->has_failed || *page == NULL;
  }
  return *page == NULL ? NULL : &(*page)[node & (FW_COARSE_PAGE - 1)];
}

// The entry of a node, 0 if it is unseen.
static uint32_t peek(const fw_coarse_goal_t * goal, int32_t node)
{
  const uint32_t * page = goal->pages[node >> FW_COARSE_PAGE_BITS];
  return page == NULL ? 0 : page[node & (FW_COARSE_PAGE - 1)];
}

// Keeps distance g of a node if it is the first or the smallest.
static void offer(fw_coarse_goal_t * goal, int32_t node, int32_t g)
{
  uint32_t * entry = entry_at(goal, node);
  if (entry == NULL || (*entry & 1) != 0 || (*entry != 0 && (int32_t)(*entry >> 1) - 1 <= g)) {
    return;
  }
  FW_ASSERT(g >= 0 && g < INT32_MAX && node >= FW_HPA_ENDS);
  *entry = (uint32_t)(g + 1) << 1;
  const fw_hpa_node_t * at = &goal->coarse->hpa.nodes[node];
  const int32_t rest = fw__floor_estimate(&goal->coarse->floor, at->x - goal->aim_x, at->y - goal->aim_y);
  goal->has_failed = !fw__bucket_queue_push(&goal->open, g + rest, node, g) || goal->has_failed;
}

// Every edge costs the same in both directions.
static void expand(fw_coarse_goal_t * goal, int32_t node, int32_t g)
{
  const fw_hpa_t * hpa = &goal->coarse->hpa;
  const fw_hpa_node_t * at = &hpa->nodes[node];
  const fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[at->clusters[0]];
  const int32_t * row = cluster->cost + at->slots[0] * cluster->count;
  for (int32_t j = 0; j < cluster->count; ++j) {
    if (row[j] != FW_HPA_NONE && cluster->nodes[j] != node) {
      offer(goal, cluster->nodes[j], g + row[j]);
    }
  }
  for (int32_t d = 0; d < 4; ++d) {
    if (at->twins[d] >= 0) {
      offer(goal, at->twins[d], g + 1);
    }
  }
}

// Memory for a goal: its own, with pages that are for all goals of the arena, and more if these clusters need more.
static bool make_room(fw_coarse_goal_t * goal, fw_arena_t * arena, const fw_coarse_t * coarse)
{
  const fw_hpa_level_t * level = &coarse->hpa.levels[0];
  const int32_t page_count = (coarse->hpa.node_count >> FW_COARSE_PAGE_BITS) + 1;
  for (int32_t i = 0; i < goal->page_capacity; ++i) {
    fw__arena_recycle(arena, goal->pages[i], FW_COARSE_PAGE, sizeof(**goal->pages));
    goal->pages[i] = NULL;
  }
  if (goal->arena == NULL) {
    fw__bucket_queue_init(&goal->open, arena);
  }
  goal->arena = arena;
  goal->coarse = coarse;
  if (goal->near_capacity < level->side * level->side) {
    goal->near = fw__arena_allocate(arena, (size_t)level->side * (size_t)level->side, sizeof(*goal->near));
    goal->near_capacity = goal->near != NULL ? level->side * level->side : 0;
  }
  if (goal->page_capacity < page_count) {
    goal->pages = fw__arena_allocate_zeroed(arena, (size_t)page_count, sizeof(*goal->pages));
    goal->page_capacity = goal->pages != NULL ? page_count : 0;
  }
  fw__bucket_queue_clear(&goal->open);
  return goal->near != NULL && goal->pages != NULL;
}

bool fw__coarse_aim(fw_coarse_goal_t * goal, fw_arena_t * arena, fw_coarse_t * coarse, fw_coarse_aim_t aim)
{
  fw_hpa_t * hpa = &coarse->hpa;
  const fw_grid_t * grid = coarse->moves->grid;
  const fw_hpa_level_t * level = &hpa->levels[0];
  if (!make_room(goal, arena, coarse)) {
    return false;
  }
  fw__hpa_flood(hpa, hpa->from, fw__floor_place(&coarse->floor, aim.goal), true);
  if (fw__arena_has_failed(hpa->arena)) {
    return false;
  }
  goal->cluster = fw__hpa_cluster_at(level, fw_grid_x(grid, aim.goal), fw_grid_y(grid, aim.goal));
  goal->aim_x = fw_grid_x(grid, aim.aim);
  goal->aim_y = fw_grid_y(grid, aim.aim);
  copy_flood(hpa, hpa->from, goal->near);
  const fw_hpa_cluster_t * cluster = &level->clusters[goal->cluster];
  for (int32_t i = 0; i < cluster->count; ++i) {
    const int32_t g = fw__hpa_flood_at(hpa, hpa->from, hpa->nodes[cluster->nodes[i]].place)->g;
    if (g != FW_HPA_NONE) {
      offer(goal, cluster->nodes[i], g);
    }
  }
  return !goal->has_failed;
}

// Resumes the search until the node is closed or the open list is empty.
static void close_node(fw_coarse_goal_t * goal, int32_t node)
{
  int32_t at, g;
  int64_t key;
  while ((peek(goal, node) & 1) == 0 && !goal->has_failed && fw__bucket_queue_pop(&goal->open, &at, &g, &key)) {
    uint32_t * entry = entry_at(goal, at);
    if (entry == NULL || *entry != (uint32_t)(g + 1) << 1) {
      continue;  // closed already, or pushed again at a shorter distance
    }
    *entry |= 1;
    ++goal->expanded;
    expand(goal, at, g);
  }
}

int32_t fw__coarse_get(fw_coarse_goal_t * goal, fw_cell_t cell)
{
  const fw_hpa_t * hpa = &goal->coarse->hpa;
  const fw_hpa_level_t * level = &hpa->levels[0];
  const int32_t x = fw_grid_x(goal->coarse->moves->grid, cell);
  const int32_t y = fw_grid_y(goal->coarse->moves->grid, cell);
  const int32_t index = fw__hpa_cluster_at(level, x, y);
  const fw_hpa_box_t box = fw__hpa_box(hpa, 0, index);
  const int32_t at = cell_index(hpa, &box, x, y);
  FW_ASSERT(goal->coarse->floor.cost[fw__floor_place(&goal->coarse->floor, cell)] != 0);
  const fw_hpa_cluster_t * cluster = &level->clusters[index];
  const uint16_t * table = goal->coarse->tables[index] + at;
  const size_t area = (size_t)level->side * (size_t)level->side;
  int32_t best = INT32_MAX;
  if (index == goal->cluster && goal->near[at] != UINT16_MAX) {
    best = goal->near[at];
  }
  for (int32_t i = 0; i < cluster->count; ++i, table += area) {
    if (*table == UINT16_MAX) {
      continue;
    }
    close_node(goal, cluster->nodes[i]);
    const uint32_t entry = peek(goal, cluster->nodes[i]);
    if ((entry & 1) != 0) {
      const int32_t length = *table + (int32_t)(entry >> 1) - 1;
      best = length < best ? length : best;
    }
  }
  return goal->has_failed ? INT32_MAX : best;
}
