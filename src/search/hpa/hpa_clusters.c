// HPA*: clusters of cells, and the ways between their nodes.

#include "search/flood.h"
#include "search/hpa/hpa.h"

bool hpa_reserve_way(hpa_t * hpa, hpa_cluster_t * cluster, int32_t level, int32_t count)
{
  while (count > cluster->way_capacity) {
    const size_t used = (size_t)cluster->way_capacity;
    const size_t size = level == 0 ? sizeof(*cluster->moves) : sizeof(*cluster->hops);
    void * old = level == 0 ? (void *)cluster->moves : (void *)cluster->hops;
    void * way = fw__arena_grow(hpa->arena, old, used, size, &cluster->way_capacity);
    if (way == NULL) {
      return false;
    }
    fw__arena_recycle(hpa->arena, old, used, size);
    if (level == 0) {
      cluster->moves = way;
    } else {
      cluster->hops = way;
    }
  }
  return true;
}

// Moves that stay in the box, for a cell at its edge.
static int32_t moves_inside(const hpa_box_t * box, int32_t moves, int32_t x, int32_t y)
{
  enum { EAST = 0x91, SOUTH = 0x32, WEST = 0x64, NORTH = 0xc8 };  // each with the diagonals beside it
  moves &= x == box->left ? ~WEST : ~0;
  moves &= x == box->right ? ~EAST : ~0;
  moves &= y == box->top ? ~NORTH : ~0;
  moves &= y == box->bottom ? ~SOUTH : ~0;
  return moves;
}

bool hpa_flood_within(hpa_t * hpa, hpa_flood_t * flood, int32_t place, bool is_backward, int32_t limit)
{
  const fw_floor_t * floor = hpa->floor;
  const int32_t shift = fw__floor_key_shift(floor);
  const int32_t cluster = hpa_cluster_at(&hpa->levels[0], fw__floor_x(floor, place), fw__floor_y(floor, place));
  flood->box = hpa_box(hpa, 0, cluster);
  flood->place = place;
  flood->side = hpa->levels[0].side;
  const hpa_box_t * box = &flood->box;
  for (int32_t y = 0; y <= box->bottom - box->top; ++y) {
    for (int32_t x = 0; x <= box->right - box->left; ++x) {
      flood->cells[y * flood->side + x].g = HPA_NONE;
    }
  }
  const int32_t corner = fw__floor_place_at(floor, box->left, box->top);
  fw__bucket_queue_clear(&hpa->queue);
  *(hpa_local_t *)hpa_flood_at(hpa, flood, place) = (hpa_local_t){0};
  bool is_fine = fw__bucket_queue_push(&hpa->queue, 0, place, 0);
  int32_t at, g;
  int64_t key;
  while (is_fine && fw__bucket_queue_pop(&hpa->queue, &at, &g, &key)) {
    const int32_t y = (at - corner) / floor->stride;
    const int32_t x = at - corner - y * floor->stride;
    if (flood->cells[y * flood->side + x].g != g) {
      continue;  // pushed again at a lower cost
    }
    int32_t moves = moves_inside(box, floor->moves[at], box->left + x, box->top + y);
    for (; moves != 0; moves &= moves - 1) {
      const int32_t d = __builtin_ctz((unsigned)moves);
      const int32_t to = at + floor->steps[0][d];
      const int32_t next = g + floor->lengths[d] * floor->cost[is_backward ? at : to];
      const int32_t to_y = y + (d == 1 || d == 4 || d == 5) - (d == 3 || d >= 6);
      hpa_local_t * cell = &flood->cells[to_y * flood->side + to - corner - to_y * floor->stride];
      if (next < cell->g && next <= limit) {
        *cell = (hpa_local_t){.g = next, .direction = is_backward ? floor->opposite[d] : d};
        is_fine = fw__bucket_queue_push(&hpa->queue, next >> shift, to, next);
      }
    }
  }
  return is_fine;
}

// The way to node j of what is flooded from node i, and its costs there and back.
static bool keep_way(hpa_t * hpa, hpa_cluster_t * cluster, int32_t i, int32_t j, int32_t * used)
{
  const fw_floor_t * floor = hpa->floor;
  const int32_t count = cluster->count;
  const int32_t here = hpa->nodes[cluster->nodes[i]].place;
  const int32_t there = hpa->nodes[cluster->nodes[j]].place;
  cluster->cost[i * count + j] = cluster->cost[j * count + i] = hpa_flood_at(hpa, hpa->from, there)->g;
  cluster->start[i * count + j] = *used;
  cluster->length[i * count + j] = 0;
  if (cluster->cost[i * count + j] == HPA_NONE) {
    return true;
  }
  int32_t back = 0;
  for (int32_t at = there; at != here;) {
    const int32_t d = hpa_flood_at(hpa, hpa->from, at)->direction;
    if (!hpa_reserve_way(hpa, cluster, 0, *used + 1)) {
      return false;
    }
    cluster->moves[(*used)++] = (uint8_t)d;
    at -= floor->steps[0][d];
    back += fw__floor_step_cost(floor, at, d);
  }
  cluster->cost[j * count + i] = back;
  uint8_t * way = cluster->moves + cluster->start[i * count + j];
  const int32_t length = *used - cluster->start[i * count + j];
  for (int32_t a = 0, b = length - 1; a < b; ++a, --b) {
    const uint8_t move = way[a];
    way[a] = way[b];
    way[b] = move;
  }
  cluster->length[i * count + j] = length;
  return true;
}

// Nodes on the other side of each transition.
static void link_twins(hpa_t * hpa, hpa_node_t * node)
{
  for (int32_t d = 0; d < 4; ++d) {
    const bool is_crossing = (hpa->crossings[node->place] >> d & 1) != 0;
    node->twins[d] = is_crossing ? hpa->node_of[node->place + hpa->floor->steps[0][d]] : -1;
  }
}

static bool reserve_table(hpa_t * hpa, hpa_cluster_t * cluster)
{
  const int32_t wanted = hpa->has_tables ? cluster->count * hpa->levels[0].side * hpa->levels[0].side : 0;
  if (wanted > cluster->table_capacity) {
    fw__arena_recycle(hpa->arena, cluster->table, (size_t)cluster->table_capacity, sizeof(*cluster->table));
    cluster->table = fw__arena_allocate(hpa->arena, (size_t)wanted, sizeof(*cluster->table));
    cluster->table_capacity = cluster->table != NULL ? wanted : 0;
  }
  return wanted <= cluster->table_capacity;
}

// What was flooded from node i.
static void keep_flood(const hpa_t * hpa, hpa_cluster_t * cluster, int32_t i)
{
  const hpa_flood_t * flood = hpa->from;
  const int32_t count = cluster->count;
  for (int32_t y = 0; y <= flood->box.bottom - flood->box.top; ++y) {
    for (int32_t x = 0; x <= flood->box.right - flood->box.left; ++x) {
      const int32_t cell = y * flood->side + x;
      const hpa_local_t * local = &flood->cells[cell];
      cluster->table[cell * count + i] = local->g == HPA_NONE ? HPA_NONE : local->g * 16 + local->direction;
    }
  }
}

bool hpa_make_cells(hpa_t * hpa, int32_t index)
{
  hpa_cluster_t * cluster = &hpa->levels[0].clusters[index];
  int32_t used = 0;
  ++hpa->rebuilt;
  if (!reserve_table(hpa, cluster)) {
    return false;
  }
  for (int32_t i = 0; i < cluster->count; ++i) {
    cluster->cost[i * cluster->count + i] = 0;
    hpa_node_t * node = &hpa->nodes[cluster->nodes[i]];
    link_twins(hpa, node);
    if ((i + 1 < cluster->count || hpa->has_tables) && !hpa_flood(hpa, hpa->from, node->place, false)) {
      return false;
    }
    if (hpa->has_tables) {
      keep_flood(hpa, cluster, i);
    }
    for (int32_t j = i + 1; j < cluster->count; ++j) {
      if (!keep_way(hpa, cluster, i, j, &used)) {
        return false;
      }
    }
  }
  return true;
}
