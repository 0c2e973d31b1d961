// HPA*: a question. A* over nodes, from the start's cluster to the goal's.

#include "search/hpa/hpa.h"
#include "search/smooth.h"
#include "search/straight.h"

enum { PARAMETER_SMOOTHING = 3 };  // as in hpa.c

// What is left from a node to the goal, by open floor or by the landmarks, whichever says more.
static inline int32_t estimate(const hpa_t * hpa, int32_t node)
{
  const hpa_node_t * there = &hpa->nodes[node];
  const hpa_node_t * goal = &hpa->nodes[HPA_GOAL];
  const int32_t open = fw__floor_estimate(hpa->floor, there->x - goal->x, there->y - goal->y);
  const int32_t known = hpa_landmarks_estimate(&hpa->landmarks, node);
  return known > open ? known : open;
}

// The mark is to be filled with all but epoch and estimate.
static bool offer(hpa_t * hpa, int32_t node, hpa_mark_t mark)
{
  hpa_mark_t * known = &hpa->marks[node];
  const bool is_known = known->epoch == hpa->epoch;
  if (is_known && known->g <= mark.g) {
    return true;
  }
  mark.epoch = hpa->epoch;
  mark.estimate = is_known ? known->estimate : (node == HPA_GOAL ? 0 : estimate(hpa, node));
  *known = mark;
  return fw__heap_push(&hpa->open, mark.g + mark.estimate, mark.g, node);
}

// ---- the search -----------------------------------------------------------------------------------------------------

static bool expand_start(hpa_t * hpa)
{
  const hpa_cluster_t * cluster = &hpa->levels[0].clusters[hpa->nodes[HPA_START].clusters[0]];
  bool is_fine = true;
  for (int32_t i = 0; i < cluster->count && is_fine; ++i) {
    const int32_t g = hpa_cost_from_start(hpa, &hpa->nodes[cluster->nodes[i]]);
    if (g != HPA_NONE) {
      is_fine = offer(hpa, cluster->nodes[i], (hpa_mark_t){.g = g, .parent = HPA_START, .edge = HPA_EDGE_START});
    }
  }
  return is_fine;
}

// The highest level on which the place is a node of a cluster that holds neither end; 0 if there is none.
static int32_t level_of(const hpa_t * hpa, const hpa_node_t * node)
{
  int32_t level = node->top;
  while (level > 0 && (node->clusters[level] == hpa->nodes[HPA_START].clusters[level] ||
                       node->clusters[level] == hpa->nodes[HPA_GOAL].clusters[level])) {
    --level;
  }
  return level;
}

static bool expand_cluster(hpa_t * hpa, int32_t at, int32_t g, int32_t level)
{
  const hpa_node_t * node = &hpa->nodes[at];
  const hpa_cluster_t * cluster = &hpa->levels[level].clusters[node->clusters[level]];
  const int32_t * row = cluster->cost + node->slots[level] * cluster->count;
  bool is_fine = true;
  for (int32_t j = 0; j < cluster->count && is_fine; ++j) {
    const hpa_mark_t * known = &hpa->marks[cluster->nodes[j]];
    const bool is_better = row[j] != HPA_NONE && (known->epoch != hpa->epoch || known->g > g + row[j]);
    if (is_better) {
      is_fine = offer(hpa, cluster->nodes[j], (hpa_mark_t){.g = g + row[j], .parent = at, .edge = level});
    }
  }
  return is_fine;
}

static bool expand(hpa_t * hpa, int32_t at, int32_t g)
{
  const hpa_node_t * node = &hpa->nodes[at];
  const hpa_node_t * goal = &hpa->nodes[HPA_GOAL];
  bool is_fine = true;
  if (node->clusters[0] == goal->clusters[0]) {
    const int32_t rest = at == HPA_START ? hpa_flood_at(hpa, hpa->to, node->place)->g : hpa_cost_to_goal(hpa, node);
    if (rest != HPA_NONE) {
      is_fine = offer(hpa, HPA_GOAL, (hpa_mark_t){.g = g + rest, .parent = at, .edge = HPA_EDGE_GOAL});
    }
  }
  if (at == HPA_START) {
    return is_fine && expand_start(hpa);
  }
  const int32_t level = level_of(hpa, node);
  if (is_fine && hpa->marks[at].edge == HPA_EDGE_CROSSING) {  // else it has come through this cluster already
    is_fine = expand_cluster(hpa, at, g, level);
  }
  for (int32_t d = 0; d < 4 && is_fine; ++d) {
    const int32_t twin = node->twins[d];
    if (twin >= 0 && hpa->nodes[twin].clusters[level] != node->clusters[level]) {
      const int32_t step = fw__floor_step_cost(hpa->floor, hpa->nodes[twin].place, d);
      is_fine = offer(hpa, twin, (hpa_mark_t){.g = g + step, .parent = at, .edge = HPA_EDGE_CROSSING});
    }
  }
  return is_fine;
}

// A goal that is nearer than a cluster is wide is looked for over cells first: clusters lead to it by detours, if at all.
// What costs more than a quarter more than on open floor is left to them.
static bool find_near(const hpa_t * hpa, fw_router_context_t * context)
{
  const fw_floor_t * floor = hpa->floor;
  const int32_t estimate = fw__floor_estimate_between(floor, context->start, context->goal);
  const int32_t unit = floor->straight * floor->cost_min;
  if (
    estimate > hpa->levels[0].side * unit ||
    !fw__astar_better(hpa->smoother, context, context->start, context->goal, estimate + estimate / 4 + 2 * unit)) {
    return false;
  }
  const fw_trail_t * way = &hpa->smoother->way;
  for (int32_t i = 0; i < way->count; ++i) {
    fw__trail_add(context->trail, way->places[i]);
  }
  return true;
}

void hpa_find(fw_router_context_t * context)
{
  hpa_t * hpa = context->state;
  if (
    fw__straight_find(hpa->floor, context->start, context->goal, context->trail) || find_near(hpa, context) ||
    context->meter->stop != FW_STOP_DONE) {
    return;
  }
  hpa_begin(hpa);
  bool is_found = false;
  bool is_fine = hpa_set_ends(hpa, context->start, context->goal);
  if (is_fine && !hpa_landmarks_aim(hpa)) {
    return;
  }
  is_fine = is_fine && fw__heap_push(&hpa->open, 0, 0, HPA_START);
  hpa->marks[HPA_START] = (hpa_mark_t){.epoch = hpa->epoch, .parent = -1, .edge = HPA_EDGE_START};
  while (is_fine && hpa->open.count > 0 && !is_found) {
    const fw_heap_item_t item = fw__heap_pop(&hpa->open);
    if (hpa->marks[item.node].g != item.g) {
      continue;  // pushed again at a lower cost
    }
    is_found = item.node == HPA_GOAL;
    if (!is_found) {
      if (fw__router_count(context, hpa->nodes[item.node].place)) {
        return;
      }
      is_fine = expand(hpa, item.node, item.g);
    }
  }
  if (!is_fine) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  context->memory_bytes =
    (size_t)hpa->open.peak * sizeof(fw_heap_item_t) + (size_t)context->expanded * sizeof(hpa_mark_t);
  if (is_found) {
    hpa_trace(hpa, context);
    fw__smooth_at(hpa->smoother, context, &hpa->joints, (int32_t)context->parameters[PARAMETER_SMOOTHING]);
  }
}
