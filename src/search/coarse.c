// Distances to a goal over clusters.

#include "search/coarse.h"

#include "base/error.h"

// ---- what all goals share -------------------------------------------------------------------------------------------

static int32_t cell_index(const hpa_t * hpa, const hpa_box_t * box, int32_t x, int32_t y)
{
  return (y - box->top) * hpa->levels[0].side + x - box->left;
}

// The flood of the hpa, cut down to moves.
static void copy_flood(const hpa_t * hpa, const hpa_flood_t * flood, uint16_t * table)
{
  const hpa_box_t * box = &flood->box;
  for (int32_t y = box->top; y <= box->bottom; ++y) {
    for (int32_t x = box->left; x <= box->right; ++x) {
      const int32_t index = cell_index(hpa, box, x, y);
      const int32_t g = flood->cells[index].g;
      table[index] = (uint16_t)(g < UINT16_MAX ? g : UINT16_MAX);
    }
  }
}

static bool make_tables(fw_coarse_t * coarse, fw_arena_t * arena)
{
  hpa_t * hpa = &coarse->hpa;
  const hpa_level_t * level = &hpa->levels[0];
  const int32_t count = level->columns * level->rows;
  const size_t area = (size_t)level->side * (size_t)level->side;
  coarse->tables = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*coarse->tables));
  if (coarse->tables == NULL) {
    return false;
  }
  for (int32_t i = 0; i < count; ++i) {
    const hpa_cluster_t * cluster = &level->clusters[i];
    coarse->tables[i] = fw__arena_allocate(arena, (size_t)cluster->count * area, sizeof(**coarse->tables));
    if (cluster->count > 0 && coarse->tables[i] == NULL) {
      return false;
    }
    for (int32_t k = 0; k < cluster->count; ++k) {
      if (!hpa_flood(hpa, hpa->from, hpa->nodes[cluster->nodes[k]].place, false)) {
        return false;
      }
      copy_flood(hpa, hpa->from, coarse->tables[i] + (size_t)k * area);
    }
  }
  return true;
}

// The floor without its costs: distances are in moves.
static void flatten(fw_floor_t * floor)
{
  for (int32_t i = 0; i < floor->place_count; ++i) {
    floor->cost[i] = floor->cost[i] != 0;
  }
  floor->cost_min = floor->cost_max = 1;
  floor->is_uniform = true;
}

fw_ret_t fw__coarse_init(
  fw_coarse_t * coarse, fw_arena_t * arena, const fw_moves_t * moves, int32_t cluster, fw_error_t * error)
{
  *coarse = (fw_coarse_t){.moves = moves};
  if (moves->heading_of != NULL) {
    return fw__error(error, FW_RET_UNSUPPORTED, "clusters do not know headings");
  }
  const fw_floor_options_t options = {.connectivity = moves->connectivity, .footprint = moves->body->footprints[0]};
  const fw_ret_t ret = fw__floor_init(&coarse->floor, arena, moves->grid, &options, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  flatten(&coarse->floor);
  const hpa_options_t shape = {.cluster = cluster, .levels = 1, .factor = 2, .spread = 6};
  if (!hpa_make(&coarse->hpa, arena, &coarse->floor, &shape) || !make_tables(coarse, arena)) {
    return fw__error_memory(error);
  }
  return FW_RET_OK;
}

// ---- a goal ---------------------------------------------------------------------------------------------------------

static uint32_t * entry_at(fw_coarse_goal_t * goal, int32_t node)
{
  uint32_t ** page = &goal->pages[node >> FW_COARSE_PAGE_BITS];
  if (*page == NULL) {
    *page = fw__arena_allocate_zeroed(goal->arena, FW_COARSE_PAGE, sizeof(**page));
    goal->has_failed = goal->has_failed || *page == NULL;
  }
  return *page == NULL ? NULL : &(*page)[node & (FW_COARSE_PAGE - 1)];
}

static uint32_t peek(const fw_coarse_goal_t * goal, int32_t node)
{
  const uint32_t * page = goal->pages[node >> FW_COARSE_PAGE_BITS];
  return page == NULL ? 0 : page[node & (FW_COARSE_PAGE - 1)];
}

static void offer(fw_coarse_goal_t * goal, int32_t node, int32_t g)
{
  uint32_t * entry = entry_at(goal, node);
  if (entry == NULL || (*entry & 1) != 0 || (*entry != 0 && (int32_t)(*entry >> 1) - 1 <= g)) {
    return;
  }
  *entry = (uint32_t)(g + 1) << 1;
  const hpa_node_t * at = &goal->coarse->hpa.nodes[node];
  const int32_t rest = fw__floor_estimate(&goal->coarse->floor, at->x - goal->aim_x, at->y - goal->aim_y);
  goal->has_failed = !fw__bucket_queue_push(&goal->open, g + rest, node, g) || goal->has_failed;
}

// All costs are the same there and back.
static void expand(fw_coarse_goal_t * goal, int32_t node, int32_t g)
{
  const hpa_t * hpa = &goal->coarse->hpa;
  const hpa_node_t * at = &hpa->nodes[node];
  const hpa_cluster_t * cluster = &hpa->levels[0].clusters[at->clusters[0]];
  const int32_t * row = cluster->cost + at->slots[0] * cluster->count;
  for (int32_t j = 0; j < cluster->count; ++j) {
    if (row[j] != HPA_NONE && cluster->nodes[j] != node) {
      offer(goal, cluster->nodes[j], g + row[j]);
    }
  }
  for (int32_t d = 0; d < 4; ++d) {
    if (at->twins[d] >= 0) {
      offer(goal, at->twins[d], g + 1);
    }
  }
}

// Memory for a goal; what it had before is used again.
static bool make_room(fw_coarse_goal_t * goal, fw_arena_t * arena, const fw_coarse_t * coarse)
{
  const hpa_level_t * level = &coarse->hpa.levels[0];
  const size_t page_count = (size_t)(coarse->hpa.node_count >> FW_COARSE_PAGE_BITS) + 1;
  if (goal->coarse != coarse) {
    *goal = (fw_coarse_goal_t){.coarse = coarse, .arena = arena};
    goal->near = fw__arena_allocate(arena, (size_t)level->side * (size_t)level->side, sizeof(*goal->near));
    goal->pages = fw__arena_allocate_zeroed(arena, page_count, sizeof(*goal->pages));
    fw__bucket_queue_init(&goal->open, arena);
  }
  for (size_t i = 0; i < page_count && goal->pages != NULL; ++i) {
    if (goal->pages[i] != NULL) {
      memset(goal->pages[i], 0, FW_COARSE_PAGE * sizeof(*goal->pages[i]));
    }
  }
  fw__bucket_queue_clear(&goal->open);
  return goal->near != NULL && goal->pages != NULL;
}

bool fw__coarse_aim(
  fw_coarse_goal_t * goal, fw_arena_t * arena, fw_coarse_t * coarse, fw_cell_t goal_cell, fw_cell_t aim)
{
  hpa_t * hpa = &coarse->hpa;
  const fw_grid_t * grid = coarse->moves->grid;
  const hpa_level_t * level = &hpa->levels[0];
  if (!make_room(goal, arena, coarse) || !hpa_flood(hpa, hpa->from, fw__floor_place(&coarse->floor, goal_cell), true)) {
    return false;
  }
  goal->cluster = hpa_cluster_at(level, fw_grid_x(grid, goal_cell), fw_grid_y(grid, goal_cell));
  goal->aim_x = fw_grid_x(grid, aim);
  goal->aim_y = fw_grid_y(grid, aim);
  copy_flood(hpa, hpa->from, goal->near);
  const hpa_cluster_t * cluster = &level->clusters[goal->cluster];
  for (int32_t i = 0; i < cluster->count; ++i) {
    const int32_t g = hpa_flood_at(hpa, hpa->from, hpa->nodes[cluster->nodes[i]].place)->g;
    if (g != HPA_NONE) {
      offer(goal, cluster->nodes[i], g);
    }
  }
  return !goal->has_failed;
}

// Goes on until the node is closed, or nothing is left.
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
  const hpa_t * hpa = &goal->coarse->hpa;
  const hpa_level_t * level = &hpa->levels[0];
  const int32_t x = fw_grid_x(goal->coarse->moves->grid, cell);
  const int32_t y = fw_grid_y(goal->coarse->moves->grid, cell);
  const int32_t index = hpa_cluster_at(level, x, y);
  const hpa_box_t box = hpa_box(hpa, 0, index);
  const int32_t at = cell_index(hpa, &box, x, y);
  const hpa_cluster_t * cluster = &level->clusters[index];
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
