// HPA*: what it costs from the landmarks to nodes, kept a bound when clusters change, and the estimates of a question.

#include "search/hpa/hpa.h"

static int32_t * row_of(const hpa_t * hpa, int32_t node) { return hpa_landmarks_row(&hpa->landmarks, node); }

// ---- rows -----------------------------------------------------------------------------------------------------------

bool hpa_landmarks_reserve(hpa_t * hpa)
{
  hpa_landmarks_t * landmarks = &hpa->landmarks;
  const size_t size = (size_t)landmarks->count * sizeof(*landmarks->rows);
  if (landmarks->capacity < hpa->node_count) {
    const size_t known = (size_t)landmarks->capacity;
    int32_t * rows = fw__arena_allocate(hpa->arena, (size_t)hpa->node_capacity, size);
    if (rows == NULL) {
      return false;
    }
    if (known > 0) {
      memcpy(rows, landmarks->rows, known * size);
    }
    fw__arena_recycle(hpa->arena, landmarks->rows, known, size);
    landmarks->rows = rows;
    landmarks->capacity = hpa->node_capacity;
  }
  for (int32_t i = 0; i < hpa->node_count; ++i) {
    for (int32_t k = 0; k < landmarks->count && hpa->nodes[i].is_new; ++k) {
      row_of(hpa, i)[k] = HPA_NONE;
    }
    hpa->nodes[i].is_new = false;
  }
  return true;
}

// ---- costs from a landmark ------------------------------------------------------------------------------------------

static bool lower(hpa_t * hpa, int32_t column, int32_t node, int32_t g)
{
  int32_t * known = row_of(hpa, node) + column;
  if (*known <= g) {
    return true;
  }
  *known = g;
  return fw__heap_push(&hpa->open, g, g, node);
}

// Lowers what is more than an edge allows, from the nodes in the heap on.
static bool spread(hpa_t * hpa, int32_t column)
{
  bool is_fine = true;
  while (is_fine && hpa->open.count > 0) {
    const fw_heap_item_t item = fw__heap_pop(&hpa->open);
    if (row_of(hpa, item.node)[column] != item.g) {
      continue;  // lowered again
    }
    const hpa_node_t * node = &hpa->nodes[item.node];
    const hpa_cluster_t * cluster = &hpa->levels[0].clusters[node->clusters[0]];
    const int32_t * costs = cluster->cost + node->slots[0] * cluster->count;
    for (int32_t j = 0; j < cluster->count && is_fine; ++j) {
      is_fine = costs[j] == HPA_NONE || lower(hpa, column, cluster->nodes[j], item.g + costs[j]);
    }
    for (int32_t d = 0; d < 4 && is_fine; ++d) {
      const int32_t twin = node->twins[d];
      is_fine =
        twin < 0 || lower(hpa, column, twin, item.g + fw__floor_step_cost(hpa->floor, hpa->nodes[twin].place, d));
    }
  }
  return is_fine;
}

bool hpa_landmarks_fill(hpa_t * hpa, int32_t column, int32_t landmark)
{
  for (int32_t i = 0; i < hpa->node_count; ++i) {
    row_of(hpa, i)[column] = HPA_NONE;
  }
  fw__heap_clear(&hpa->open);
  return lower(hpa, column, landmark, 0) && spread(hpa, column);
}

// ---- changes --------------------------------------------------------------------------------------------------------

// A node whose edges may have changed.
static bool reconsider(hpa_t * hpa, int32_t column, int32_t node)
{
  const int32_t g = node >= 0 ? row_of(hpa, node)[column] : HPA_NONE;
  return g == HPA_NONE || fw__heap_push(&hpa->open, g, g, node);
}

bool hpa_landmarks_mend(hpa_t * hpa)
{
  if (hpa->landmarks.count == 0) {
    return true;
  }
  bool is_fine = hpa_landmarks_reserve(hpa);
  for (int32_t column = 0; column < hpa->landmarks.count && is_fine; ++column) {
    fw__heap_clear(&hpa->open);
    for (int32_t i = 0; i < hpa->levels[0].columns * hpa->levels[0].rows; ++i) {
      const hpa_cluster_t * cluster = &hpa->levels[0].clusters[i];
      for (int32_t k = 0; k < cluster->count && hpa->is_dirty[i] != 0 && is_fine; ++k) {
        is_fine = reconsider(hpa, column, cluster->nodes[k]);
        for (int32_t d = 0; d < 4 && is_fine; ++d) {
          is_fine = reconsider(hpa, column, hpa->nodes[cluster->nodes[k]].twins[d]);
        }
      }
    }
    is_fine = is_fine && spread(hpa, column);
  }
  return is_fine;
}

// ---- a question -----------------------------------------------------------------------------------------------------

// What it costs from each landmark to an end, as by the best of its cluster's nodes.
static void look_at_end(const hpa_t * hpa, int32_t end, int32_t row[HPA_LANDMARKS_MAX])
{
  const hpa_cluster_t * cluster = &hpa->levels[0].clusters[hpa->nodes[end].clusters[0]];
  for (int32_t i = 0; i < hpa->landmarks.count; ++i) {
    row[i] = HPA_NONE;
  }
  for (int32_t k = 0; k < cluster->count; ++k) {
    const hpa_node_t * node = &hpa->nodes[cluster->nodes[k]];
    const int32_t cost = end == HPA_START ? hpa_cost_from_start(hpa, node) : hpa_cost_to_goal(hpa, node);
    const int32_t * known = row_of(hpa, cluster->nodes[k]);
    for (int32_t i = 0; i < hpa->landmarks.count && cost != HPA_NONE; ++i) {
      row[i] = known[i] != HPA_NONE && known[i] + cost < row[i] ? known[i] + cost : row[i];
    }
  }
}

bool hpa_landmarks_aim(hpa_t * hpa)
{
  hpa_landmarks_t * landmarks = &hpa->landmarks;
  int32_t starts[HPA_LANDMARKS_MAX];
  int32_t goals[HPA_LANDMARKS_MAX];
  int32_t bounds[HPA_LANDMARKS_MAX];
  landmarks->used_count = 0;
  if (landmarks->count == 0) {
    return true;
  }
  look_at_end(hpa, HPA_START, starts);
  look_at_end(hpa, HPA_GOAL, goals);
  for (int32_t i = 0; i < landmarks->count; ++i) {
    if ((starts[i] == HPA_NONE) != (goals[i] == HPA_NONE)) {
      return false;  // one is joined to nodes that the other is not joined to
    }
    bounds[i] = abs(starts[i] - goals[i]);
  }
  while (landmarks->used_count < HPA_LANDMARKS_USED) {
    int32_t best = 0;
    for (int32_t i = 1; i < landmarks->count; ++i) {
      best = bounds[i] > bounds[best] ? i : best;
    }
    if (bounds[best] == 0) {
      break;
    }
    bounds[best] = 0;
    landmarks->used[landmarks->used_count] = best;
    landmarks->goal[landmarks->used_count++] = goals[best];
  }
  return true;
}
