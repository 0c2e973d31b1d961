// Hub labels: of subgoals from the highest rank down, then of places from those of the subgoals linked to them.

#include "search/subgoals/hub_labels.h"

#include <string.h>

enum { ITEMS_AT_FIRST = 1 << 12, SAMPLE = 16 };

// The shortest known way to a hub while a label is made.
typedef struct candidate_t {
  int32_t distance;  // INT32_MAX: not a candidate
  int32_t step;      // what it begins with: an edge of the hierarchy, for places an item of a subgoal's label
} candidate_t;

// An item of a subgoal's label, before the labels are put in the order of subgoals.
typedef struct climb_t {
  int32_t order;
  int32_t distance;
  int32_t step;
} climb_t;

// An array that grows in an arena of its own, up to a limit.
typedef struct items_t {
  fw_arena_t arena;
  void * data;
  int32_t count;
  int32_t capacity;
  size_t max_bytes;
} items_t;

typedef struct labeller_t {
  const fw_hub_labels_def_t * def;
  fw_meter_t * meter;
  fw_arena_t * scratch;
  int32_t * nodes;           // by order
  candidate_t * candidates;  // by order
  fw_trail_t orders;         // of the candidates
  items_t climbs;            // all labels, by falling rank
  int32_t * climb_firsts;    // by node
  int32_t * climb_counts;
} labeller_t;

// ---- arrays ---------------------------------------------------------------------------------------------------------

static void items_init(items_t * items, fw_memory_t * memory, size_t max_bytes)
{
  *items = (items_t){.max_bytes = max_bytes};
  fw__arena_init(&items->arena, memory);
}

// Room for `more` items of a size; false when there is none.
static bool items_reserve(items_t * items, int32_t more, size_t size_bytes)
{
  const int64_t wanted = (int64_t)items->count + more;
  if ((size_t)wanted * size_bytes > items->max_bytes || wanted > INT32_MAX / 2) {
    return false;
  }
  while (items->capacity < wanted) {
    const size_t outgrown = (size_t)items->capacity;
    items->capacity = items->capacity == 0 ? ITEMS_AT_FIRST : items->capacity;
    void * data = fw__arena_grow(&items->arena, items->data, size_bytes, &items->capacity);
    if (data == NULL) {
      return false;
    }
    fw__arena_recycle(&items->arena, items->data, outgrown, size_bytes);
    items->data = data;
  }
  return true;
}

// ---- candidates -----------------------------------------------------------------------------------------------------

static void consider(labeller_t * labeller, int32_t order, candidate_t found)
{
  candidate_t * known = &labeller->candidates[order];
  if (known->distance == INT32_MAX) {
    fw__trail_add(&labeller->orders, order);
  }
  if (found.distance < known->distance) {
    *known = found;
  }
}

static int compare_orders(const void * a, const void * b)
{
  const int32_t left = *(const int32_t *)a;
  const int32_t right = *(const int32_t *)b;
  return (left > right) - (left < right);
}

static void sort_candidates(labeller_t * labeller)
{
  if (labeller->orders.count > 0) {
    qsort(labeller->orders.places, (size_t)labeller->orders.count, sizeof(int32_t), compare_orders);
  }
}

static void forget_candidates(labeller_t * labeller)
{
  for (int32_t i = 0; i < labeller->orders.count; ++i) {
    labeller->candidates[labeller->orders.places[i]].distance = INT32_MAX;
  }
  labeller->orders.count = 0;
}

// Whether a hub of higher rank lies on a path to this one that is no longer: then this one is not needed.
static bool is_covered(const labeller_t * labeller, int32_t order)
{
  const int32_t node = labeller->nodes[order];
  const int32_t distance = labeller->candidates[order].distance;
  const climb_t * hub = (const climb_t *)labeller->climbs.data + labeller->climb_firsts[node];
  const climb_t * end = hub + labeller->climb_counts[node] - 1;  // the last one is the node itself
  for (; hub < end; ++hub) {
    const int32_t first = labeller->candidates[hub->order].distance;
    if (first != INT32_MAX && fw__subgoal_sum(first, hub->distance) <= (uint32_t)distance) {
      return true;
    }
  }
  return false;
}

// ---- labels of subgoals ---------------------------------------------------------------------------------------------

// From the labels of the nodes that its edges climb to. False when there is no room.
static bool label_node(labeller_t * labeller, int32_t order)
{
  const fw_hierarchy_t * hierarchy = labeller->def->hierarchy;
  const int32_t node = labeller->nodes[order];
  items_t * climbs = &labeller->climbs;
  for (int32_t i = hierarchy->firsts[node]; i < hierarchy->firsts[node + 1]; ++i) {
    const fw_hierarchy_edge_t * edge = &hierarchy->edges[i];
    const climb_t * above = (const climb_t *)climbs->data + labeller->climb_firsts[edge->to];
    for (int32_t k = 0; k < labeller->climb_counts[edge->to]; ++k) {
      consider(labeller, above[k].order, (candidate_t){edge->cost + above[k].distance, i});
    }
  }
  sort_candidates(labeller);
  if (!items_reserve(climbs, labeller->orders.count + 1, sizeof(climb_t))) {
    return false;
  }
  climb_t * data = climbs->data;
  labeller->climb_firsts[node] = climbs->count;
  for (int32_t i = 0; i < labeller->orders.count; ++i) {
    const int32_t hub = labeller->orders.places[i];
    if (!is_covered(labeller, hub)) {
      const candidate_t * found = &labeller->candidates[hub];
      data[climbs->count++] = (climb_t){.order = hub, .distance = found->distance, .step = found->step};
    }
  }
  data[climbs->count++] = (climb_t){.order = order, .distance = 0, .step = -1};
  labeller->climb_counts[node] = climbs->count - labeller->climb_firsts[node];
  const bool is_stopped = fw__meter_add(labeller->meter, labeller->orders.count);
  forget_candidates(labeller);
  return !is_stopped && !fw__arena_has_failed(labeller->scratch);
}

static bool label_nodes(labeller_t * labeller)
{
  for (int32_t order = 0; order < labeller->def->hierarchy->count; ++order) {
    if (!label_node(labeller, order)) {
      return false;
    }
  }
  return true;
}

// The item of a hub in a subgoal's label, which must have it.
static int32_t find_item(const fw_hub_labels_t * labels, int32_t subgoal, int32_t order)
{
  int32_t low = labels->firsts[subgoal];
  int32_t high = labels->firsts[subgoal + 1] - 1;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (labels->hubs[middle].order < order) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  FW_ASSERT(labels->hubs[low].order == order);
  return low;
}

// The first subgoal on the path that an edge stands for.
static int32_t first_of(const fw_hierarchy_t * hierarchy, int32_t from, const fw_hierarchy_edge_t * edge)
{
  int32_t to = edge->to;
  for (int32_t via = edge->via; via >= 0;) {
    to = via;
    via = fw__hierarchy_edge(hierarchy, to, from)->via;
  }
  return to;
}

// Puts the labels in the order of subgoals, so that those of neighbours lie near each other, and links their items.
static bool arrange(const labeller_t * labeller, fw_hub_labels_t * labels, fw_arena_t * arena)
{
  const fw_hierarchy_t * hierarchy = labeller->def->hierarchy;
  const fw_subgoal_graph_t * graph = labeller->def->graph;
  labels->firsts = fw__arena_allocate(arena, (size_t)hierarchy->count + 1, sizeof(*labels->firsts));
  labels->hubs = fw__arena_allocate(arena, (size_t)labeller->climbs.count + 1, sizeof(*labels->hubs));
  labels->paths = fw__arena_allocate(arena, (size_t)labeller->climbs.count + 1, sizeof(*labels->paths));
  if (fw__arena_has_failed(arena)) {
    return false;
  }
  const climb_t * climbs = labeller->climbs.data;
  int32_t at = 0;
  for (int32_t node = 0; node < hierarchy->count; ++node) {
    labels->firsts[node] = at;
    for (int32_t i = 0; i < labeller->climb_counts[node]; ++i, ++at) {
      const climb_t * climb = &climbs[labeller->climb_firsts[node] + i];
      labels->hubs[at] = (fw_hub_t){.order = climb->order, .distance = climb->distance};
      labels->paths[at] = (fw_hub_path_t){.point = graph->points[node], .next = climb->step};
    }
  }
  labels->firsts[hierarchy->count] = at;
  for (int32_t node = 0; node < hierarchy->count; ++node) {
    for (int32_t i = labels->firsts[node]; i < labels->firsts[node + 1]; ++i) {
      fw_hub_path_t * path = &labels->paths[i];
      if (path->next >= 0) {
        const int32_t next = first_of(hierarchy, node, &hierarchy->edges[path->next]);
        path->next = find_item(labels, next, labels->hubs[i].order);
      }
    }
  }
  return true;
}

// ---- labels of places -----------------------------------------------------------------------------------------------

static bool label_place(labeller_t * labeller, const fw_hub_labels_t * labels, int32_t place, items_t * items)
{
  const fw_subgoal_graph_t * graph = labeller->def->graph;
  const int32_t point = fw__subgoal_point(labeller->def->floor, place);
  for (int32_t i = graph->link_firsts[place]; i < graph->link_firsts[place + 1]; ++i) {
    const int32_t subgoal = graph->links[i];
    const int32_t first = fw__subgoal_distance(labeller->def->floor, point, graph->points[subgoal]);
    for (int32_t k = labels->firsts[subgoal]; k < labels->firsts[subgoal + 1]; ++k) {
      consider(labeller, labels->hubs[k].order, (candidate_t){first + labels->hubs[k].distance, k});
    }
  }
  sort_candidates(labeller);
  bool has_room = items_reserve(items, labeller->orders.count, sizeof(climb_t));
  climb_t * data = items->data;
  for (int32_t i = 0; has_room && i < labeller->orders.count; ++i) {
    const int32_t order = labeller->orders.places[i];
    if (!is_covered(labeller, order)) {
      const candidate_t * found = &labeller->candidates[order];
      data[items->count++] = (climb_t){.order = order, .distance = found->distance, .step = found->step};
    }
  }
  has_room = has_room && !fw__meter_add(labeller->meter, labeller->orders.count);
  forget_candidates(labeller);
  return has_room && !fw__arena_has_failed(labeller->scratch);
}

typedef struct sort_item_t {
  int64_t key;
  climb_t climb;
} sort_item_t;

static int compare_keys(const void * a, const void * b)
{
  const int64_t left = ((const sort_item_t *)a)->key;
  const int64_t right = ((const sort_item_t *)b)->key;
  return (left > right) - (left < right);
}

static void find_reaches(fw_hub_labels_t * labels, const items_t * items)
{
  const climb_t * climbs = items->data;
  for (int32_t i = 0; i < items->count; ++i) {
    int32_t * reach = &labels->reaches[climbs[i].order];
    *reach = climbs[i].distance > *reach ? climbs[i].distance : *reach;
  }
}

// Each label of a place by what its items reach, the farthest first; equal ones by order.
static void sort_by_reach(const labeller_t * labeller, fw_hub_labels_t * labels, const items_t * items)
{
  const climb_t * climbs = items->data;
  const int32_t count = labeller->def->floor->place_count;
  int32_t longest = 0;
  for (int32_t place = 0; place < count; ++place) {
    const int32_t length = labels->place_firsts[place + 1] - labels->place_firsts[place];
    longest = length > longest ? length : longest;
  }
  sort_item_t * sorted = fw__arena_allocate(labeller->scratch, (size_t)longest + 1, sizeof(*sorted));
  for (int32_t place = 0; sorted != NULL && place < count; ++place) {
    const int32_t first = labels->place_firsts[place];
    const int32_t length = labels->place_firsts[place + 1] - first;
    for (int32_t i = 0; i < length; ++i) {
      const climb_t climb = climbs[first + i];
      const int64_t sum = (int64_t)climb.distance + labels->reaches[climb.order];
      sorted[i] = (sort_item_t){.key = -sum * INT32_MAX + i, .climb = climb};
    }
    qsort(sorted, (size_t)length, sizeof(*sorted), compare_keys);
    for (int32_t i = 0; i < length; ++i) {
      const climb_t climb = sorted[i].climb;
      labels->place_hubs[first + i] =
        (fw_place_hub_t){.order = climb.order, .distance = climb.distance, .item = climb.step};
    }
  }
}

// Whether the labels of the first places, a sixteenth of them, have used far more than their share of the memory.
static bool is_hopeless(const items_t * items, int32_t place, int32_t place_count)
{
  return place == place_count / SAMPLE && (size_t)items->count * sizeof(climb_t) > 2 * items->max_bytes / SAMPLE;
}

// Leaves `place_firsts` NULL if there is no memory for them.
static void label_places(labeller_t * labeller, fw_hub_labels_t * labels, fw_arena_t * arena, size_t max_bytes)
{
  const int32_t count = labeller->def->floor->place_count;
  const fw_hub_labels_t without = *labels;
  const fw_arena_mark_t mark = fw__arena_mark(arena);
  items_t items;
  items_init(&items, arena->memory, max_bytes);
  labels->place_firsts = fw__arena_allocate(arena, (size_t)count + 1, sizeof(*labels->place_firsts));
  bool is_done = labels->place_firsts != NULL;
  for (int32_t place = 0; is_done && place < count; ++place) {
    labels->place_firsts[place] = items.count;
    is_done = label_place(labeller, labels, place, &items) && !is_hopeless(&items, place, count);
  }
  if (is_done) {
    const size_t nodes = (size_t)labeller->def->hierarchy->count + 1;
    labels->place_firsts[count] = items.count;
    labels->reaches = fw__arena_allocate_zeroed(arena, nodes, sizeof(*labels->reaches));
    labels->place_hubs = fw__arena_allocate(arena, (size_t)items.count + 1, sizeof(*labels->place_hubs));
    is_done = !fw__arena_has_failed(arena);
  }
  if (is_done) {
    find_reaches(labels, &items);
    sort_by_reach(labeller, labels, &items);
    is_done = !fw__arena_has_failed(labeller->scratch);
  }
  fw__arena_fini(&items.arena);
  if (!is_done) {
    fw__arena_rewind(arena, mark);
    arena->has_failed = false;
    *labels = without;
  }
}

// ---- build ----------------------------------------------------------------------------------------------------------

static bool prepare(labeller_t * labeller)
{
  const fw_hierarchy_t * hierarchy = labeller->def->hierarchy;
  const size_t count = (size_t)hierarchy->count + 1;
  labeller->nodes = fw__arena_allocate(labeller->scratch, count, sizeof(*labeller->nodes));
  labeller->candidates = fw__arena_allocate(labeller->scratch, count, sizeof(*labeller->candidates));
  labeller->climb_firsts = fw__arena_allocate(labeller->scratch, count, sizeof(*labeller->climb_firsts));
  labeller->climb_counts = fw__arena_allocate(labeller->scratch, count, sizeof(*labeller->climb_counts));
  if (fw__arena_has_failed(labeller->scratch)) {
    return false;
  }
  for (int32_t node = 0; node < hierarchy->count; ++node) {
    labeller->nodes[hierarchy->count - 1 - hierarchy->ranks[node]] = node;
    labeller->candidates[node].distance = INT32_MAX;
  }
  return true;
}

bool fw__hub_labels_init(
  fw_hub_labels_t * labels, fw_arena_t * arena, const fw_hub_labels_def_t * def, fw_meter_t * meter)
{
  FW_ASSERT(def->hierarchy->contracted == def->hierarchy->count && !fw__arena_has_failed(arena));
  const fw_arena_mark_t mark = fw__arena_mark(arena);
  fw_arena_t scratch;
  fw__arena_init(&scratch, arena->memory);
  labeller_t labeller = {.def = def, .meter = meter, .scratch = &scratch, .orders = {.arena = &scratch}};
  items_init(&labeller.climbs, arena->memory, def->max_bytes);
  *labels = (fw_hub_labels_t){0};
  const bool is_done = prepare(&labeller) && label_nodes(&labeller) && arrange(&labeller, labels, arena);
  if (is_done && def->has_places) {
    const size_t used = (size_t)labeller.climbs.count * (sizeof(*labels->hubs) + sizeof(*labels->paths));
    label_places(&labeller, labels, arena, def->max_bytes > used ? def->max_bytes - used : 0);
  }
  if (!is_done) {
    fw__arena_rewind(arena, mark);
    arena->has_failed = false;
    *labels = (fw_hub_labels_t){0};
  }
  fw__arena_fini(&labeller.climbs.arena);
  fw__arena_fini(&scratch);
  return is_done;
}
