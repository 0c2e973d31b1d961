// The abstract graph of HPA*: entrances and transitions, nodes, intra-cluster paths, and the levels above.

#include "search/hpa/abstract_graph.h"

#include "search/grid/flood.h"

// An entrance of WIDE cells or more has a transition at each end, a narrower one in its middle; the widest have further
// ones, at most APART cells from each other.
enum { WIDE = 6, APART = 24 };

fw_hpa_box_t fw__hpa_box(const fw_hpa_t * hpa, int32_t level, int32_t cluster)
{
  const fw_hpa_level_t * l = &hpa->levels[level];
  const int32_t left = cluster % l->columns * l->side;
  const int32_t top = cluster / l->columns * l->side;
  const int32_t right = left + l->side - 1;
  const int32_t bottom = top + l->side - 1;
  return (fw_hpa_box_t){
    .left = left,
    .top = top,
    .right = right < hpa->floor->width ? right : hpa->floor->width - 1,
    .bottom = bottom < hpa->floor->height ? bottom : hpa->floor->height - 1,
  };
}

// ---- floods ---------------------------------------------------------------------------------------------------------

// Moves that stay in the box, for a cell at its edge.
static int32_t moves_inside(const fw_hpa_box_t * box, int32_t moves, int32_t x, int32_t y)
{
  enum { EAST = 0x91, SOUTH = 0x32, WEST = 0x64, NORTH = 0xc8 };  // each with the diagonals beside it
  moves &= x == box->left ? ~WEST : ~0;
  moves &= x == box->right ? ~EAST : ~0;
  moves &= y == box->top ? ~NORTH : ~0;
  moves &= y == box->bottom ? ~SOUTH : ~0;
  return moves;
}

// From or to a place, up to cost `limit`; cells beyond may be FW_HPA_NONE.
typedef struct flood_request_t {
  int32_t place;
  int32_t limit;
  bool is_backward;
} flood_request_t;

static void run_flood(fw_hpa_t * hpa, fw_hpa_flood_t * flood, flood_request_t request)
{
  const int32_t place = request.place;
  FW_ASSERT(hpa->floor->cost[place] != 0);
  const fw_floor_t * floor = hpa->floor;
  const int32_t shift = fw__floor_key_shift(floor);
  const int32_t cluster = fw__hpa_cluster_at(&hpa->levels[0], fw__floor_x(floor, place), fw__floor_y(floor, place));
  flood->box = fw__hpa_box(hpa, 0, cluster);
  flood->place = place;
  flood->side = hpa->levels[0].side;
  const fw_hpa_box_t * box = &flood->box;
  for (int32_t y = 0; y <= box->bottom - box->top; ++y) {
    for (int32_t x = 0; x <= box->right - box->left; ++x) {
      flood->cells[y * flood->side + x].g = FW_HPA_NONE;
    }
  }
  const int32_t corner = fw__floor_place_at(floor, box->left, box->top);
  fw__bucket_queue_clear(&hpa->queue);
  *(fw_hpa_local_t *)fw__hpa_flood_at(hpa, flood, place) = (fw_hpa_local_t){0};
  (void)fw__bucket_queue_push(&hpa->queue, 0, place, 0);
  int32_t at, g;
  int64_t key;
  while (fw__bucket_queue_pop(&hpa->queue, &at, &g, &key)) {
    const int32_t y = (at - corner) / floor->stride;
    const int32_t x = at - corner - y * floor->stride;
    if (flood->cells[y * flood->side + x].g != g) {
      continue;  // pushed again at a lower cost
    }
    int32_t moves = moves_inside(box, floor->moves[at], box->left + x, box->top + y);
    for (; moves != 0; moves &= moves - 1) {
      const int32_t d = __builtin_ctz((unsigned)moves);
      const int32_t to = at + floor->steps[0][d];
      const int32_t next = g + floor->lengths[d] * floor->cost[request.is_backward ? at : to];
      const int32_t to_y = y + (d == 1 || d == 4 || d == 5) - (d == 3 || d >= 6);
      fw_hpa_local_t * cell = &flood->cells[to_y * flood->side + to - corner - to_y * floor->stride];
      if (next < cell->g && next <= request.limit) {
        *cell = (fw_hpa_local_t){.g = next, .direction = request.is_backward ? floor->opposite[d] : d};
        (void)fw__bucket_queue_push(&hpa->queue, next >> shift, to, next);
      }
    }
  }
}

void fw__hpa_flood(fw_hpa_t * hpa, fw_hpa_flood_t * flood, int32_t place, bool is_backward)
{
  run_flood(hpa, flood, (flood_request_t){.place = place, .limit = FW_HPA_NONE, .is_backward = is_backward});
}

// ---- entrances and transitions --------------------------------------------------------------------------------------

// A side of a cluster: places along it from `first`, `step` apart.
typedef struct side_t {
  int32_t first;
  int32_t step;
  int32_t length;
  int32_t direction;  // out of the cluster
} side_t;

static side_t side_of(const fw_floor_t * floor, const fw_hpa_box_t * box, int32_t direction)
{
  const bool is_upright = direction == 0 || direction == 2;
  const int32_t x = direction == 0 ? box->right : box->left;
  const int32_t y = direction == 1 ? box->bottom : box->top;
  return (side_t){
    .first = fw__floor_place_at(floor, x, y),
    .step = is_upright ? floor->stride : 1,
    .length = is_upright ? box->bottom - box->top + 1 : box->right - box->left + 1,
    .direction = direction,
  };
}

static void set_transition(fw_hpa_t * hpa, int32_t place, int32_t direction)
{
  const int32_t there = place + hpa->floor->steps[0][direction];
  hpa->transitions[place] |= (uint8_t)(1 << direction);
  hpa->transitions[there] |= (uint8_t)(1 << hpa->floor->opposite[direction]);
}

// The transitions of one entrance. Returns how many.
static int32_t list_entrance(int32_t from, int32_t to, int32_t * numbers)
{
  if (to - from + 1 < WIDE) {
    numbers[0] = (from + to) / 2;
    return 1;
  }
  const int32_t gaps = (to - from + APART - 1) / APART;
  for (int32_t i = 0; i <= gaps; ++i) {
    numbers[i] = from + (to - from) * i / gaps;
  }
  return gaps + 1;
}

// The transitions of all entrances of a side. Returns how many.
static int32_t list_entrances(const fw_floor_t * floor, const side_t * side, int32_t numbers[FW_HPA_SIDE_MAX])
{
  int32_t count = 0;
  int32_t open_from = -1;
  for (int32_t i = 0; i <= side->length; ++i) {
    const bool is_open = i < side->length && (floor->moves[side->first + i * side->step] >> side->direction & 1) != 0;
    if (is_open && open_from < 0) {
      open_from = i;
    } else if (!is_open && open_from >= 0) {
      count += list_entrance(open_from, i - 1, numbers + count);
      open_from = -1;
    }
  }
  FW_ASSERT(count <= FW_HPA_SIDE_MAX);
  return count;
}

// ---- pruning --------------------------------------------------------------------------------------------------------
//
// Among scattered obstacles a border has an entrance every few cells, and a search over all of them is hardly cheaper
// than one over cells. One transition stands for those around it if a short path connects them on either side of the
// border: the ones left out cost a detour, which smoothing mostly removes.

typedef struct pruner_t {
  fw_hpa_t * hpa;
  const side_t * side;
  const int32_t * numbers;
  int32_t count;
  int32_t centre;  // the transition from which both sides have been flooded
} pruner_t;

static int32_t place_at(const pruner_t * pruner, int32_t index)
{
  return pruner->side->first + pruner->numbers[index] * pruner->side->step;
}

// Floods both sides of the border from a transition.
static void look_from(pruner_t * pruner, int32_t index)
{
  fw_hpa_t * hpa = pruner->hpa;
  const int32_t here = place_at(pruner, index);
  const int32_t limit = (2 * hpa->spread + 4) * hpa->floor->straight * hpa->floor->cost_min;
  pruner->centre = index;
  const int32_t across = here + hpa->floor->steps[0][pruner->side->direction];
  run_flood(hpa, hpa->from, (flood_request_t){.place = here, .limit = limit});
  run_flood(hpa, hpa->to, (flood_request_t){.place = across, .limit = limit});
}

// Whether a transition is near the centre on both sides: by a path at most twice as long as along the border, plus four
// steps.
static bool is_near(const pruner_t * pruner, int32_t index)
{
  const fw_hpa_t * hpa = pruner->hpa;
  const fw_floor_t * floor = hpa->floor;
  const int32_t apart = abs(pruner->numbers[index] - pruner->numbers[pruner->centre]);
  const int32_t limit = (2 * apart + 4) * floor->straight * floor->cost_min;
  const int32_t here = place_at(pruner, index);
  return apart <= hpa->spread && fw__hpa_flood_at(hpa, hpa->from, here)->g <= limit &&
         fw__hpa_flood_at(hpa, hpa->to, here + floor->steps[0][pruner->side->direction])->g <= limit;
}

// Transitions are given by their indices along a side, rising. Removes those that are near enough to others on both
// sides of the border; returns how many are left.
static int32_t prune(fw_hpa_t * hpa, const side_t * side, int32_t * numbers, int32_t count)
{
  if (hpa->spread == 0 || count < 2) {
    return count;
  }
  FW_ASSERT(count <= FW_HPA_SIDE_MAX);
  int32_t given[FW_HPA_SIDE_MAX];
  memcpy(given, numbers, (size_t)count * sizeof(*numbers));
  pruner_t pruner = {.hpa = hpa, .side = side, .numbers = given, .count = count};
  int32_t left = 0;
  for (int32_t first = 0; first < count;) {
    // The farthest one that the first one reaches stands for both, and for those on its other side.
    look_from(&pruner, first);
    int32_t middle = first;
    for (int32_t i = first + 1; i < count && given[i] - given[first] <= hpa->spread; ++i) {
      middle = is_near(&pruner, i) ? i : middle;
    }
    if (middle > first) {
      look_from(&pruner, middle);
    }
    for (int32_t i = first; i <= middle; ++i) {
      if (i == middle || !is_near(&pruner, i)) {
        numbers[left++] = given[i];
      }
    }
    for (first = middle + 1; first < count && is_near(&pruner, first); ++first) {}
  }
  return left;
}

// Sets the transitions of a side and of the places across it. False if they are as they were.
static bool find_side_transitions(fw_hpa_t * hpa, const side_t * side)
{
  const fw_floor_t * floor = hpa->floor;
  bool were[FW_HPA_SIDE_MAX];
  for (int32_t i = 0; i < side->length; ++i) {
    const int32_t place = side->first + i * side->step;
    const int32_t there = place + floor->steps[0][side->direction];
    were[i] = (hpa->transitions[place] >> side->direction & 1) != 0;
    hpa->transitions[place] &= (uint8_t) ~(1 << side->direction);
    hpa->transitions[there] &= (uint8_t) ~(1 << floor->opposite[side->direction]);
  }
  int32_t numbers[FW_HPA_SIDE_MAX];
  const int32_t count = prune(hpa, side, numbers, list_entrances(floor, side, numbers));
  for (int32_t i = 0; i < count; ++i) {
    set_transition(hpa, side->first + numbers[i] * side->step, side->direction);
  }
  bool has_changed = false;
  for (int32_t i = 0; i < side->length; ++i) {
    const bool is_transition = (hpa->transitions[side->first + i * side->step] >> side->direction & 1) != 0;
    has_changed = has_changed || is_transition != were[i];
  }
  return has_changed;
}

enum { ALL_SIDES = 15, EAST_AND_SOUTH = 3 };

// Sets the transitions on the borders of a cluster of level 0 in `directions` (bits). Returns the bits of the
// directions in which they have changed.
static int32_t find_transitions(fw_hpa_t * hpa, int32_t cluster, int32_t directions)
{
  const fw_hpa_box_t box = fw__hpa_box(hpa, 0, cluster);
  int32_t changed = 0;
  for (int32_t d = 0; d < 4; ++d) {
    const side_t side = side_of(hpa->floor, &box, d);
    changed |= (directions >> d & 1) != 0 && find_side_transitions(hpa, &side) ? 1 << d : 0;
  }
  return changed;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

void fw__hpa_set_place(const fw_hpa_t * hpa, fw_hpa_node_t * node, int32_t place)
{
  node->place = place;
  node->x = fw__floor_x(hpa->floor, place);
  node->y = fw__floor_y(hpa->floor, place);
  for (int32_t level = 0; level < hpa->level_count; ++level) {
    node->clusters[level] = fw__hpa_cluster_at(&hpa->levels[level], node->x, node->y);
  }
}

// Creates a node, or reuses a dropped one. Its number, -1 when there is no memory.
static int32_t new_node(fw_hpa_t * hpa, int32_t place)
{
  int32_t node = hpa->unused;
  if (node >= 0) {
    hpa->unused = hpa->nodes[node].twins[0];
  } else {
    if (hpa->node_count == hpa->node_capacity) {
      const size_t outgrown = (size_t)hpa->node_capacity;
      fw_hpa_node_t * nodes = fw__arena_grow(hpa->arena, hpa->nodes, sizeof(*nodes), &hpa->node_capacity);
      if (nodes == NULL) {
        return -1;
      }
      fw__arena_recycle(hpa->arena, hpa->nodes, outgrown, sizeof(*nodes));
      hpa->nodes = nodes;
    }
    node = hpa->node_count++;
  }
  hpa->nodes[node] = (fw_hpa_node_t){.twins = {-1, -1, -1, -1}, .is_new = true};
  fw__hpa_set_place(hpa, &hpa->nodes[node], place);
  hpa->node_of[place] = node;
  return node;
}

static void drop_node(fw_hpa_t * hpa, int32_t node)
{
  FW_ASSERT(node >= FW_HPA_ENDS && hpa->node_of[hpa->nodes[node].place] == node);
  hpa->node_of[hpa->nodes[node].place] = 0;
  hpa->nodes[node] = (fw_hpa_node_t){.place = -1, .twins = {hpa->unused, -1, -1, -1}};
  hpa->unused = node;
}

// Appends the node of a place to a cluster; creates it if there is none.
static void add_node(fw_hpa_t * hpa, int32_t level, fw_hpa_cluster_t * cluster, int32_t place)
{
  int32_t node = hpa->node_of[place];
  if (node == 0) {
    node = new_node(hpa, place);
  }
  if (node < 0) {
    return;
  }
  FW_ASSERT(node >= FW_HPA_ENDS && node < hpa->node_count && hpa->nodes[node].place == place);
  if (cluster->count == cluster->capacity) {
    const size_t outgrown = (size_t)cluster->capacity;
    int32_t * nodes = fw__arena_grow(hpa->arena, cluster->nodes, sizeof(*nodes), &cluster->capacity);
    if (nodes == NULL) {
      return;
    }
    fw__arena_recycle(hpa->arena, cluster->nodes, outgrown, sizeof(*nodes));
    cluster->nodes = nodes;
  }
  hpa->nodes[node].slots[level] = (uint16_t)cluster->count;
  hpa->nodes[node].top = level;
  FW_ASSERT(cluster->count <= UINT16_MAX);
  cluster->nodes[cluster->count++] = node;
}

// Room for the costs and paths between all pairs. Without memory the cluster becomes empty.
static void reserve_matrix(fw_hpa_t * hpa, fw_hpa_cluster_t * cluster)
{
  const int32_t wanted = cluster->count * cluster->count;
  if (wanted > cluster->matrix_capacity) {
    fw__arena_recycle(hpa->arena, cluster->cost, (size_t)cluster->matrix_capacity, sizeof(*cluster->cost));
    fw__arena_recycle(hpa->arena, cluster->start, (size_t)cluster->matrix_capacity, sizeof(*cluster->start));
    fw__arena_recycle(hpa->arena, cluster->length, (size_t)cluster->matrix_capacity, sizeof(*cluster->length));
    cluster->cost = fw__arena_allocate(hpa->arena, (size_t)wanted, sizeof(*cluster->cost));
    cluster->start = fw__arena_allocate(hpa->arena, (size_t)wanted, sizeof(*cluster->start));
    cluster->length = fw__arena_allocate(hpa->arena, (size_t)wanted, sizeof(*cluster->length));
    cluster->matrix_capacity = wanted;
  }
  if (wanted > 0 && (cluster->cost == NULL || cluster->start == NULL || cluster->length == NULL)) {
    cluster->matrix_capacity = cluster->count = 0;
  }
}

// Whether a place lies on a side and has a transition out of it: a corner may have them on two sides.
static bool is_on(const fw_hpa_t * hpa, const side_t * side, int32_t place)
{
  const int32_t offset = place - side->first;
  return (hpa->transitions[place] >> side->direction & 1) != 0 && offset >= 0 && offset % side->step == 0 &&
         offset / side->step < side->length;
}

// Lists the nodes of a cluster from its transitions. On level 0 new ones are created and those without a transition
// dropped.
static void list_nodes(fw_hpa_t * hpa, int32_t level, int32_t index)
{
  fw_hpa_cluster_t * cluster = &hpa->levels[level].clusters[index];
  const fw_hpa_box_t box = fw__hpa_box(hpa, level, index);
  for (int32_t i = 0; i < cluster->count && level == 0; ++i) {
    if (hpa->transitions[hpa->nodes[cluster->nodes[i]].place] == 0) {
      drop_node(hpa, cluster->nodes[i]);
    }
  }
  cluster->count = 0;
  side_t sides[4];
  for (int32_t d = 0; d < 4; ++d) {
    sides[d] = side_of(hpa->floor, &box, d);
    for (int32_t i = 0; i < sides[d].length; ++i) {
      const int32_t place = sides[d].first + i * sides[d].step;
      bool is_listed = (hpa->transitions[place] >> d & 1) == 0;
      for (int32_t before = 0; before < d && !is_listed; ++before) {
        is_listed = is_on(hpa, &sides[before], place);
      }
      if (!is_listed) {
        add_node(hpa, level, cluster, place);
      }
    }
  }
  reserve_matrix(hpa, cluster);
}

// ---- paths inside clusters of cells ---------------------------------------------------------------------------------

// Paths that are being written to a cluster.
typedef struct paths_t {
  fw_hpa_cluster_t * cluster;
  int32_t level;
  int32_t used;  // entries of `moves` or `hops`
} paths_t;

// Room for one more entry. False when there is no memory.
static bool reserve_path(fw_hpa_t * hpa, const paths_t * paths)
{
  fw_hpa_cluster_t * cluster = paths->cluster;
  const int32_t level = paths->level;
  while (paths->used >= cluster->path_capacity) {
    const size_t used = (size_t)cluster->path_capacity;
    const size_t size = level == 0 ? sizeof(*cluster->moves) : sizeof(*cluster->hops);
    void * old = level == 0 ? (void *)cluster->moves : (void *)cluster->hops;
    void * grown = fw__arena_grow(hpa->arena, old, size, &cluster->path_capacity);
    if (grown == NULL) {
      return false;
    }
    fw__arena_recycle(hpa->arena, old, used, size);
    if (level == 0) {
      cluster->moves = grown;
    } else {
      cluster->hops = grown;
    }
  }
  return true;
}

// Keeps the path from node i, from which the cluster is flooded, to node j, and its costs in both directions.
static void keep_path(fw_hpa_t * hpa, paths_t * paths, int32_t i, int32_t j)
{
  fw_hpa_cluster_t * cluster = paths->cluster;
  const fw_floor_t * floor = hpa->floor;
  const int32_t count = cluster->count;
  const int32_t here = hpa->nodes[cluster->nodes[i]].place;
  const int32_t there = hpa->nodes[cluster->nodes[j]].place;
  cluster->cost[i * count + j] = cluster->cost[j * count + i] = fw__hpa_flood_at(hpa, hpa->from, there)->g;
  cluster->start[i * count + j] = paths->used;
  cluster->length[i * count + j] = 0;
  if (cluster->cost[i * count + j] == FW_HPA_NONE) {
    return;
  }
  int32_t back = 0;
  for (int32_t at = there; at != here;) {
    const int32_t d = fw__hpa_flood_at(hpa, hpa->from, at)->direction;
    if (!reserve_path(hpa, paths)) {
      return;
    }
    cluster->moves[paths->used++] = (uint8_t)d;
    at -= floor->steps[0][d];
    back += fw__floor_step_cost(floor, at, d);
  }
  cluster->cost[j * count + i] = back;
  uint8_t * path = cluster->moves + cluster->start[i * count + j];
  const int32_t length = paths->used - cluster->start[i * count + j];
  for (int32_t a = 0, b = length - 1; a < b; ++a, --b) {
    const uint8_t move = path[a];
    path[a] = path[b];
    path[b] = move;
  }
  cluster->length[i * count + j] = length;
}

// Sets the nodes across each transition.
static void link_twins(fw_hpa_t * hpa, fw_hpa_node_t * node)
{
  for (int32_t d = 0; d < 4; ++d) {
    const bool is_transition = (hpa->transitions[node->place] >> d & 1) != 0;
    node->twins[d] = is_transition ? hpa->node_of[node->place + hpa->floor->steps[0][d]] : -1;
  }
}

// Room for the table, if there is to be one.
static void reserve_table(fw_hpa_t * hpa, fw_hpa_cluster_t * cluster)
{
  const int32_t wanted = hpa->has_tables ? cluster->count * hpa->levels[0].side * hpa->levels[0].side : 0;
  if (wanted > cluster->table_capacity) {
    fw__arena_recycle(hpa->arena, cluster->table, (size_t)cluster->table_capacity, sizeof(*cluster->table));
    cluster->table = fw__arena_allocate(hpa->arena, (size_t)wanted, sizeof(*cluster->table));
    cluster->table_capacity = cluster->table != NULL ? wanted : 0;
  }
}

// Copies the flood from node i into the table.
static void keep_flood(const fw_hpa_t * hpa, fw_hpa_cluster_t * cluster, int32_t i)
{
  const fw_hpa_flood_t * flood = hpa->from;
  const int32_t count = cluster->count;
  for (int32_t y = 0; y <= flood->box.bottom - flood->box.top; ++y) {
    for (int32_t x = 0; x <= flood->box.right - flood->box.left; ++x) {
      const int32_t cell = y * flood->side + x;
      const fw_hpa_local_t * local = &flood->cells[cell];
      cluster->table[cell * count + i] = local->g == FW_HPA_NONE ? FW_HPA_NONE : local->g * 16 + local->direction;
    }
  }
}

// Paths between the nodes of a cluster of level 0; the nodes of all clusters must have been listed.
static void connect_cells(fw_hpa_t * hpa, int32_t index)
{
  fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[index];
  paths_t paths = {.cluster = cluster};
  ++hpa->rebuilt;
  reserve_table(hpa, cluster);
  if (fw__arena_has_failed(hpa->arena)) {
    return;
  }
  for (int32_t i = 0; i < cluster->count; ++i) {
    cluster->cost[i * cluster->count + i] = 0;
    fw_hpa_node_t * node = &hpa->nodes[cluster->nodes[i]];
    link_twins(hpa, node);
    if (i + 1 < cluster->count || hpa->has_tables) {
      fw__hpa_flood(hpa, hpa->from, node->place, false);
    }
    if (hpa->has_tables) {
      keep_flood(hpa, cluster, i);
    }
    for (int32_t j = i + 1; j < cluster->count; ++j) {
      keep_path(hpa, &paths, i, j);
    }
  }
}

// ---- clusters of clusters -------------------------------------------------------------------------------------------
//
// Their nodes are those whose transition leaves the cluster; the paths between them lead from node to node of the level
// below, found by Dijkstra over those.

// Keeps a mark if it is the first or the cheapest of its node; all but its epoch is set.
static void offer(fw_hpa_t * hpa, int32_t node, fw_hpa_mark_t mark)
{
  fw_hpa_mark_t * known = &hpa->marks[node];
  if (known->epoch != hpa->epoch || known->g > mark.g) {
    mark.epoch = hpa->epoch;
    *known = mark;
    (void)fw__heap_push(&hpa->open, mark.g, mark.g, node);
  }
}

// Follows the edges of a node of level `level - 1` within its cluster of `level`.
static void expand_level(fw_hpa_t * hpa, int32_t level, int32_t at, int32_t g)
{
  const fw_hpa_node_t * node = &hpa->nodes[at];
  const int32_t below = level - 1;
  FW_ASSERT(below >= 0 && below <= node->top);
  const fw_hpa_cluster_t * cluster = &hpa->levels[below].clusters[node->clusters[below]];
  const int32_t * row = cluster->cost + node->slots[below] * cluster->count;
  FW_ASSERT(cluster->nodes[node->slots[below]] == at);
  for (int32_t j = 0; j < cluster->count; ++j) {
    if (row[j] != FW_HPA_NONE && cluster->nodes[j] != at) {
      offer(hpa, cluster->nodes[j], (fw_hpa_mark_t){.g = g + row[j], .parent = at});
    }
  }
  for (int32_t d = 0; d < 4; ++d) {
    const fw_hpa_node_t * twin = node->twins[d] >= 0 ? &hpa->nodes[node->twins[d]] : node;
    // Transitions inside a cluster of the level below are not nodes of that level.
    if (twin->clusters[level] == node->clusters[level] && twin->clusters[below] != node->clusters[below]) {
      const int32_t step = fw__floor_step_cost(hpa->floor, twin->place, d);
      offer(hpa, node->twins[d], (fw_hpa_mark_t){.g = g + step, .parent = at});
    }
  }
}

// Costs from a node to all nodes of the level below within the cluster.
static void search_level(fw_hpa_t * hpa, int32_t level, int32_t from)
{
  fw__hpa_begin(hpa);
  offer(hpa, from, (fw_hpa_mark_t){.parent = -1});
  while (hpa->open.count > 0 && !fw__arena_has_failed(hpa->arena)) {
    const fw_heap_item_t item = fw__heap_pop(&hpa->open);
    if (hpa->marks[item.node].g == item.g) {
      expand_level(hpa, level, item.node, item.g);
    }
  }
}

// The cost of the same path backwards: equal on uniform floor; with terrain it differs by about the difference of the
// ends.
static int32_t cost_back(const fw_floor_t * floor, int32_t cost, int32_t from, int32_t to)
{
  const int32_t back = cost + (floor->cost[from] - floor->cost[to]) * floor->straight;
  return back > 1 ? back : 1;
}

// Keeps the path from node i, from which the level was searched, to node j.
static void keep_level_path(fw_hpa_t * hpa, paths_t * paths, int32_t i, int32_t j)
{
  fw_hpa_cluster_t * cluster = paths->cluster;
  const int32_t count = cluster->count;
  const int32_t from = cluster->nodes[i];
  const int32_t to = cluster->nodes[j];
  const bool is_reached = fw__hpa_is_reached(hpa, to);
  const int32_t cost = is_reached ? hpa->marks[to].g : FW_HPA_NONE;
  cluster->cost[i * count + j] = cost;
  cluster->cost[j * count + i] =
    is_reached ? cost_back(hpa->floor, cost, hpa->nodes[from].place, hpa->nodes[to].place) : FW_HPA_NONE;
  cluster->start[i * count + j] = paths->used;
  cluster->length[i * count + j] = 0;
  for (int32_t at = to; is_reached && at >= 0; at = hpa->marks[at].parent) {
    if (!reserve_path(hpa, paths)) {
      return;
    }
    cluster->hops[paths->used++] = at;
  }
  int32_t * path = cluster->hops + cluster->start[i * count + j];
  const int32_t length = paths->used - cluster->start[i * count + j];
  for (int32_t a = 0, b = length - 1; a < b; ++a, --b) {
    const int32_t hop = path[a];
    path[a] = path[b];
    path[b] = hop;
  }
  cluster->length[i * count + j] = length;
}

// The same for a cluster of a higher level.
static void connect_upper(fw_hpa_t * hpa, int32_t level, int32_t index)
{
  fw_hpa_cluster_t * cluster = &hpa->levels[level].clusters[index];
  paths_t paths = {.cluster = cluster, .level = level};
  ++hpa->rebuilt;
  for (int32_t i = 0; i < cluster->count && !fw__arena_has_failed(hpa->arena); ++i) {
    cluster->cost[i * cluster->count + i] = 0;
    if (i + 1 < cluster->count) {
      search_level(hpa, level, cluster->nodes[i]);
    }
    for (int32_t j = i + 1; j < cluster->count; ++j) {
      keep_level_path(hpa, &paths, i, j);
    }
  }
}

// ---- build ----------------------------------------------------------------------------------------------------------

static void make_level(fw_hpa_t * hpa, int32_t level, int32_t side)
{
  const fw_floor_t * floor = hpa->floor;
  fw_hpa_level_t * l = &hpa->levels[level];
  FW_ASSERT(level < FW_HPA_LEVELS_MAX && side >= FW_HPA_SIDE_MIN);
  *l = (fw_hpa_level_t){
    .side = side, .columns = (floor->width + side - 1) / side, .rows = (floor->height + side - 1) / side};
  const size_t count = (size_t)l->columns * (size_t)l->rows;
  l->clusters = fw__arena_allocate_zeroed(hpa->arena, count, sizeof(*l->clusters));
}

static void make_memory(fw_hpa_t * hpa, const fw_hpa_options_t * options)
{
  const size_t places = (size_t)hpa->floor->place_count;
  fw__bucket_queue_init(&hpa->queue, hpa->arena);
  fw__heap_init(&hpa->open, hpa->arena);
  hpa->chain.arena = hpa->joints.arena = hpa->arena;
  hpa->transitions = fw__arena_allocate_zeroed(hpa->arena, places, sizeof(*hpa->transitions));
  hpa->node_of = fw__arena_allocate_zeroed(hpa->arena, places, sizeof(*hpa->node_of));
  hpa->from = fw__arena_allocate(hpa->arena, 1, sizeof(*hpa->from));
  hpa->to = fw__arena_allocate(hpa->arena, 1, sizeof(*hpa->to));
  hpa->nodes = fw__arena_grow(hpa->arena, NULL, sizeof(*hpa->nodes), &hpa->node_capacity);
  int32_t side = options->cluster < FW_HPA_SIDE_MIN ? FW_HPA_SIDE_MIN : options->cluster;
  FW_ASSERT(side <= FW_HPA_SIDE_MAX && options->levels <= FW_HPA_LEVELS_MAX);
  while (hpa->level_count < options->levels) {
    make_level(hpa, hpa->level_count, side);
    const fw_hpa_level_t * level = &hpa->levels[hpa->level_count++];
    if (level->columns == 1 && level->rows == 1) {
      break;  // a level above would be the same
    }
    side *= options->factor;
  }
  for (; hpa->nodes != NULL && hpa->node_count < FW_HPA_ENDS; ++hpa->node_count) {
    hpa->nodes[hpa->node_count] = (fw_hpa_node_t){.twins = {-1, -1, -1, -1}};
  }
}

// Marks for as many nodes as there are.
static void make_marks(fw_hpa_t * hpa)
{
  if (hpa->mark_capacity < hpa->node_count) {
    fw__arena_recycle(hpa->arena, hpa->marks, (size_t)hpa->mark_capacity, sizeof(*hpa->marks));
    hpa->mark_capacity = hpa->node_capacity;
    hpa->marks = fw__arena_allocate_zeroed(hpa->arena, (size_t)hpa->mark_capacity, sizeof(*hpa->marks));
    hpa->epoch = 0;
  }
}

void fw__hpa_init(fw_hpa_t * hpa, fw_arena_t * arena, const fw_floor_t * floor, const fw_hpa_options_t * options)
{
  *hpa = (fw_hpa_t){.arena = arena, .floor = floor, .unused = -1, .spread = options->spread};
  hpa->has_tables = options->has_tables && floor->is_uniform;
  make_memory(hpa, options);
  if (fw__arena_has_failed(arena)) {
    return;
  }
  const int32_t clusters = hpa->levels[0].columns * hpa->levels[0].rows;
  for (int32_t i = 0; i < clusters; ++i) {
    (void)find_transitions(hpa, i, EAST_AND_SOUTH);
  }
  for (int32_t i = 0; i < clusters; ++i) {
    list_nodes(hpa, 0, i);
  }
  make_marks(hpa);
  for (int32_t i = 0; i < clusters && !fw__arena_has_failed(arena); ++i) {
    connect_cells(hpa, i);
  }
  for (int32_t level = 1; level < hpa->level_count; ++level) {
    const int32_t count = hpa->levels[level].columns * hpa->levels[level].rows;
    for (int32_t i = 0; i < count && !fw__arena_has_failed(arena); ++i) {
      list_nodes(hpa, level, i);
      connect_upper(hpa, level, i);
    }
  }
  if (!fw__arena_has_failed(arena)) {
    fw__hpa_landmarks_choose(hpa, floor->is_uniform ? options->landmarks : 0);
    FW_ASSERT(fw__hpa_validate(hpa));
  }
}

// ---- update ---------------------------------------------------------------------------------------------------------

// Marks the clusters of all places that a changed cell can affect.
static void mark_changed(const fw_hpa_t * hpa, const fw_cell_t * cells, int32_t count, uint8_t * is_dirty)
{
  const fw_floor_t * floor = hpa->floor;
  const fw_hpa_level_t * level = &hpa->levels[0];
  const int32_t reach = floor->reach + 1;  // moves change one place farther than the footprint reaches
  for (int32_t i = 0; i < count; ++i) {
    const int32_t x = fw_grid_x(floor->grid, cells[i]);
    const int32_t y = fw_grid_y(floor->grid, cells[i]);
    const int32_t left = x > reach ? x - reach : 0;
    const int32_t top = y > reach ? y - reach : 0;
    const int32_t right = x + reach < floor->width ? x + reach : floor->width - 1;
    const int32_t bottom = y + reach < floor->height ? y + reach : floor->height - 1;
    for (int32_t row = top / level->side; row <= bottom / level->side; ++row) {
      for (int32_t column = left / level->side; column <= right / level->side; ++column) {
        is_dirty[row * level->columns + column] = 1;
      }
    }
  }
}

// A cluster beside a border whose transitions have changed has other nodes.
static void mark_beside(const fw_hpa_t * hpa, int32_t cluster, int32_t changed, uint8_t * is_dirty)
{
  static const int32_t columns[4] = {1, 0, -1, 0};
  static const int32_t rows[4] = {0, 1, 0, -1};
  for (int32_t d = 0; d < 4; ++d) {
    if ((changed >> d & 1) != 0) {
      is_dirty[cluster + rows[d] * hpa->levels[0].columns + columns[d]] |= 2;
    }
  }
}

// Rebuilds the clusters above those of level 0 that are dirty.
static void update_above(fw_hpa_t * hpa)
{
  for (int32_t level = 1; level < hpa->level_count; ++level) {
    const fw_hpa_level_t * l = &hpa->levels[level];
    const int32_t share = l->side / hpa->levels[0].side;
    for (int32_t i = 0; i < l->columns * l->rows; ++i) {
      bool is_concerned = false;
      for (int32_t k = 0; k < share * share && !is_concerned; ++k) {
        const int32_t column = i % l->columns * share + k % share;
        const int32_t row = i / l->columns * share + k / share;
        is_concerned = column < hpa->levels[0].columns && row < hpa->levels[0].rows &&
                       hpa->is_dirty[row * hpa->levels[0].columns + column] != 0;
      }
      if (is_concerned && !fw__arena_has_failed(hpa->arena)) {
        list_nodes(hpa, level, i);
        connect_upper(hpa, level, i);
      }
    }
  }
}

void fw__hpa_update(fw_hpa_t * hpa, const fw_cell_t * cells, int32_t count)
{
  const int32_t clusters = hpa->levels[0].columns * hpa->levels[0].rows;
  if (hpa->is_dirty == NULL) {
    hpa->is_dirty = fw__arena_allocate(hpa->arena, (size_t)clusters, 1);
  }
  if (fw__arena_has_failed(hpa->arena)) {
    return;
  }
  hpa->rebuilt = 0;
  memset(hpa->is_dirty, 0, (size_t)clusters);
  mark_changed(hpa, cells, count, hpa->is_dirty);
  for (int32_t i = 0; i < clusters; ++i) {
    if ((hpa->is_dirty[i] & 1) != 0) {
      mark_beside(hpa, i, find_transitions(hpa, i, ALL_SIDES), hpa->is_dirty);
    }
  }
  for (int32_t i = 0; i < clusters; ++i) {
    if (hpa->is_dirty[i] != 0) {
      list_nodes(hpa, 0, i);
    }
  }
  make_marks(hpa);
  for (int32_t i = 0; i < clusters && !fw__arena_has_failed(hpa->arena); ++i) {
    if (hpa->is_dirty[i] != 0) {
      connect_cells(hpa, i);
    }
  }
  if (!fw__arena_has_failed(hpa->arena)) {
    fw__hpa_landmarks_update(hpa);
    update_above(hpa);
  }
  FW_ASSERT(fw__arena_has_failed(hpa->arena) || fw__hpa_validate(hpa));
}

// ---- the invariant --------------------------------------------------------------------------------------------------

static bool is_node_valid(const fw_hpa_t * hpa, int32_t level, int32_t index, int32_t slot)
{
  const fw_hpa_cluster_t * cluster = &hpa->levels[level].clusters[index];
  const int32_t number = cluster->nodes[slot];
  if (number < FW_HPA_ENDS || number >= hpa->node_count) {
    return false;
  }
  const fw_hpa_node_t * node = &hpa->nodes[number];
  if (
    node->place < 0 || hpa->node_of[node->place] != number || node->clusters[level] != index ||
    node->slots[level] != slot || node->top < level || hpa->transitions[node->place] == 0) {
    return false;
  }
  for (int32_t d = 0; d < 4; ++d) {
    const bool has_twin = (hpa->transitions[node->place] >> d & 1) != 0;
    const int32_t twin = node->twins[d];
    if (has_twin != (twin >= 0) || (has_twin && hpa->nodes[twin].twins[hpa->floor->opposite[d]] != number)) {
      return false;
    }
  }
  return true;
}

bool fw__hpa_validate(const fw_hpa_t * hpa)
{
  for (int32_t level = 0; level < hpa->level_count; ++level) {
    const fw_hpa_level_t * l = &hpa->levels[level];
    for (int32_t i = 0; i < l->columns * l->rows; ++i) {
      const fw_hpa_cluster_t * cluster = &l->clusters[i];
      for (int32_t a = 0; a < cluster->count; ++a) {
        if (!is_node_valid(hpa, level, i, a) || cluster->cost[a * cluster->count + a] != 0) {
          return false;
        }
        for (int32_t b = a + 1; b < cluster->count; ++b) {
          const int32_t there = cluster->cost[a * cluster->count + b];
          const int32_t back = cluster->cost[b * cluster->count + a];
          const int32_t length = cluster->length[a * cluster->count + b];
          if (there <= 0 || back <= 0 || (there == FW_HPA_NONE) != (back == FW_HPA_NONE) || length < 0) {
            return false;
          }
          if ((there == FW_HPA_NONE) != (length == 0)) {
            return false;
          }
        }
      }
    }
  }
  return true;
}
