// HPA*: the borders of clusters, transitions on them, and the nodes that they make.

#include "search/hpa/hpa.h"

// An opening of WIDE cells has a transition at each end, a narrower one in its middle; in the widest there is one more at
// least every APART cells.
enum { WIDE = 6, APART = 24 };

hpa_box_t hpa_box(const hpa_t * hpa, int32_t level, int32_t cluster)
{
  const hpa_level_t * l = &hpa->levels[level];
  const int32_t left = cluster % l->columns * l->side;
  const int32_t top = cluster / l->columns * l->side;
  const int32_t right = left + l->side - 1;
  const int32_t bottom = top + l->side - 1;
  return (hpa_box_t){
    .left = left,
    .top = top,
    .right = right < hpa->floor->width ? right : hpa->floor->width - 1,
    .bottom = bottom < hpa->floor->height ? bottom : hpa->floor->height - 1,
  };
}

// ---- transitions ----------------------------------------------------------------------------------------------------

static hpa_side_t side_of(const fw_floor_t * floor, const hpa_box_t * box, int32_t direction)
{
  const bool is_upright = direction == 0 || direction == 2;
  const int32_t x = direction == 0 ? box->right : box->left;
  const int32_t y = direction == 1 ? box->bottom : box->top;
  return (hpa_side_t){
    .first = fw__floor_place_at(floor, x, y),
    .step = is_upright ? floor->stride : 1,
    .length = is_upright ? box->bottom - box->top + 1 : box->right - box->left + 1,
    .direction = direction,
  };
}

static void set_crossing(hpa_t * hpa, int32_t place, int32_t direction)
{
  const int32_t there = place + hpa->floor->steps[0][direction];
  hpa->crossings[place] |= (uint8_t)(1 << direction);
  hpa->crossings[there] |= (uint8_t)(1 << hpa->floor->opposite[direction]);
}

static int32_t list_opening(int32_t from, int32_t to, int32_t * numbers)
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

// The transitions of all openings of a side. Returns how many.
static int32_t list_openings(const fw_floor_t * floor, const hpa_side_t * side, int32_t numbers[HPA_SIDE_MAX])
{
  int32_t count = 0;
  int32_t open_from = -1;
  for (int32_t i = 0; i <= side->length; ++i) {
    const bool is_open = i < side->length && (floor->moves[side->first + i * side->step] >> side->direction & 1) != 0;
    if (is_open && open_from < 0) {
      open_from = i;
    } else if (!is_open && open_from >= 0) {
      count += list_opening(open_from, i - 1, numbers + count);
      open_from = -1;
    }
  }
  return count;
}

// False if the side is now as it was.
static bool cross_side(hpa_t * hpa, const hpa_side_t * side)
{
  const fw_floor_t * floor = hpa->floor;
  bool were[HPA_SIDE_MAX];
  for (int32_t i = 0; i < side->length; ++i) {
    const int32_t place = side->first + i * side->step;
    const int32_t there = place + floor->steps[0][side->direction];
    were[i] = (hpa->crossings[place] >> side->direction & 1) != 0;
    hpa->crossings[place] &= (uint8_t) ~(1 << side->direction);
    hpa->crossings[there] &= (uint8_t) ~(1 << floor->opposite[side->direction]);
  }
  int32_t numbers[HPA_SIDE_MAX];
  const int32_t count = hpa_thin(hpa, side, numbers, list_openings(floor, side, numbers));
  for (int32_t i = 0; i < count; ++i) {
    set_crossing(hpa, side->first + numbers[i] * side->step, side->direction);
  }
  bool has_changed = false;
  for (int32_t i = 0; i < side->length; ++i) {
    const bool is_crossing = (hpa->crossings[side->first + i * side->step] >> side->direction & 1) != 0;
    has_changed = has_changed || is_crossing != were[i];
  }
  return has_changed;
}

int32_t hpa_cross(hpa_t * hpa, int32_t cluster, int32_t directions)
{
  const hpa_box_t box = hpa_box(hpa, 0, cluster);
  int32_t changed = 0;
  for (int32_t d = 0; d < 4; ++d) {
    const hpa_side_t side = side_of(hpa->floor, &box, d);
    changed |= (directions >> d & 1) != 0 && cross_side(hpa, &side) ? 1 << d : 0;
  }
  return changed;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

void hpa_set_place(const hpa_t * hpa, hpa_node_t * node, int32_t place)
{
  node->place = place;
  node->x = fw__floor_x(hpa->floor, place);
  node->y = fw__floor_y(hpa->floor, place);
  for (int32_t level = 0; level < hpa->level_count; ++level) {
    node->clusters[level] = hpa_cluster_at(&hpa->levels[level], node->x, node->y);
  }
}

// A number for a new node, -1 when there is no memory.
static int32_t new_node(hpa_t * hpa, int32_t place)
{
  int32_t node = hpa->unused;
  if (node >= 0) {
    hpa->unused = hpa->nodes[node].twins[0];
  } else {
    if (hpa->node_count == hpa->node_capacity) {
      const size_t outgrown = (size_t)hpa->node_capacity;
      hpa_node_t * nodes =
        fw__arena_grow(hpa->arena, hpa->nodes, (size_t)hpa->node_count, sizeof(*nodes), &hpa->node_capacity);
      if (nodes == NULL) {
        return -1;
      }
      fw__arena_recycle(hpa->arena, hpa->nodes, outgrown, sizeof(*nodes));
      hpa->nodes = nodes;
    }
    node = hpa->node_count++;
  }
  hpa->nodes[node] = (hpa_node_t){.twins = {-1, -1, -1, -1}, .is_new = true};
  hpa_set_place(hpa, &hpa->nodes[node], place);
  hpa->node_of[place] = node;
  return node;
}

static void drop_node(hpa_t * hpa, int32_t node)
{
  hpa->node_of[hpa->nodes[node].place] = 0;
  hpa->nodes[node] = (hpa_node_t){.place = -1, .twins = {hpa->unused, -1, -1, -1}};
  hpa->unused = node;
}

static bool add_node(hpa_t * hpa, int32_t level, hpa_cluster_t * cluster, int32_t place)
{
  int32_t node = hpa->node_of[place];
  if (node == 0) {
    node = new_node(hpa, place);
  }
  if (node < 0) {
    return false;
  }
  if (cluster->count == cluster->capacity) {
    const size_t outgrown = (size_t)cluster->capacity;
    int32_t * nodes =
      fw__arena_grow(hpa->arena, cluster->nodes, (size_t)cluster->count, sizeof(*nodes), &cluster->capacity);
    if (nodes == NULL) {
      return false;
    }
    fw__arena_recycle(hpa->arena, cluster->nodes, outgrown, sizeof(*nodes));
    cluster->nodes = nodes;
  }
  hpa->nodes[node].slots[level] = (uint16_t)cluster->count;
  hpa->nodes[node].top = level;
  cluster->nodes[cluster->count++] = node;
  return true;
}

static bool reserve_matrix(hpa_t * hpa, hpa_cluster_t * cluster)
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
    return false;
  }
  return true;
}

// Whether a place lies on a side and has a transition out of it: a corner may have them on two sides.
static bool is_on(const hpa_t * hpa, const hpa_side_t * side, int32_t place)
{
  const int32_t offset = place - side->first;
  return (hpa->crossings[place] >> side->direction & 1) != 0 && offset >= 0 && offset % side->step == 0 &&
         offset / side->step < side->length;
}

bool hpa_list_nodes(hpa_t * hpa, int32_t level, int32_t index)
{
  hpa_cluster_t * cluster = &hpa->levels[level].clusters[index];
  const hpa_box_t box = hpa_box(hpa, level, index);
  for (int32_t i = 0; i < cluster->count && level == 0; ++i) {
    if (hpa->crossings[hpa->nodes[cluster->nodes[i]].place] == 0) {
      drop_node(hpa, cluster->nodes[i]);
    }
  }
  cluster->count = 0;
  hpa_side_t sides[4];
  for (int32_t d = 0; d < 4; ++d) {
    sides[d] = side_of(hpa->floor, &box, d);
    for (int32_t i = 0; i < sides[d].length; ++i) {
      const int32_t place = sides[d].first + i * sides[d].step;
      bool is_listed = (hpa->crossings[place] >> d & 1) == 0;
      for (int32_t before = 0; before < d && !is_listed; ++before) {
        is_listed = is_on(hpa, &sides[before], place);
      }
      if (!is_listed && !add_node(hpa, level, cluster, place)) {
        return false;
      }
    }
  }
  return reserve_matrix(hpa, cluster);
}
