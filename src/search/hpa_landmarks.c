// HPA*: landmarks, what it costs from them to nodes, and the estimates of a question.

#include "search/hpa.h"

// Nodes with ways to each other.
typedef struct part_t {
  int32_t first;
  int32_t size;
  int32_t landmarks;  // how many it has
} part_t;

static bool is_in_use(const hpa_t * hpa, int32_t node) { return node >= HPA_ENDS && hpa->nodes[node].place >= 0; }

static int32_t * row_of(const hpa_t * hpa, int32_t node)
{
  return hpa->landmarks.rows + (size_t)node * (size_t)hpa->landmarks.count;
}

// ---- costs from a landmark ------------------------------------------------------------------------------------------

static bool lower(hpa_t * hpa, int32_t column, int32_t node, int32_t g)
{
  int32_t * known = row_of(hpa, node) + column;
  if (*known <= g) {
    return true;
  }
  *known = g;
  return fw_heap_push(&hpa->open, g, g, node);
}

// Lowers what is more than an edge allows, from the nodes in the heap on.
static bool spread(hpa_t * hpa, int32_t column)
{
  bool is_fine = true;
  while (is_fine && hpa->open.count > 0) {
    const fw_heap_item_t item = fw_heap_pop(&hpa->open);
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
        twin < 0 || lower(hpa, column, twin, item.g + fw_floor_step_cost(hpa->floor, hpa->nodes[twin].place, d));
    }
  }
  return is_fine;
}

static bool fill(hpa_t * hpa, int32_t column, int32_t landmark)
{
  for (int32_t i = 0; i < hpa->node_count; ++i) {
    row_of(hpa, i)[column] = HPA_NONE;
  }
  fw_heap_clear(&hpa->open);
  return lower(hpa, column, landmark, 0) && spread(hpa, column);
}

// ---- choosing landmarks ---------------------------------------------------------------------------------------------

// Notes the part of each node, by its first node, as the parent of its mark. The largest ones are listed.
static bool find_parts(hpa_t * hpa, part_t parts[HPA_LANDMARKS_MAX])
{
  hpa_begin(hpa);
  for (int32_t first = HPA_ENDS; first < hpa->node_count; ++first) {
    if (!is_in_use(hpa, first) || hpa_is_reached(hpa, first)) {
      continue;
    }
    part_t part = {.first = first};
    fw_trail_t * found = &hpa->chain;
    found->count = 0;
    fw_trail_add(found, first);
    hpa->marks[first] = (hpa_mark_t){.epoch = hpa->epoch, .parent = first};
    for (; part.size < found->count && !found->has_failed; ++part.size) {
      const hpa_node_t * node = &hpa->nodes[found->places[part.size]];
      const hpa_cluster_t * cluster = &hpa->levels[0].clusters[node->clusters[0]];
      for (int32_t j = -4; j < cluster->count; ++j) {
        const int32_t next = j < 0 ? node->twins[j + 4] : cluster->nodes[j];
        const bool has_edge = j < 0 ? next >= 0 : cluster->cost[node->slots[0] * cluster->count + j] != HPA_NONE;
        if (has_edge && !hpa_is_reached(hpa, next)) {
          hpa->marks[next] = (hpa_mark_t){.epoch = hpa->epoch, .parent = first};
          fw_trail_add(found, next);
        }
      }
    }
    for (int32_t i = 0; i < HPA_LANDMARKS_MAX; ++i) {
      if (part.size > parts[i].size) {
        const part_t smaller = parts[i];
        parts[i] = part;
        part = smaller;
      }
    }
  }
  return !hpa->chain.has_failed;
}

// The part that has most nodes for each landmark, with one more.
static part_t * next_part(part_t parts[HPA_LANDMARKS_MAX])
{
  part_t * best = &parts[0];
  for (int32_t i = 1; i < HPA_LANDMARKS_MAX; ++i) {
    if ((int64_t)parts[i].size * (best->landmarks + 1) > (int64_t)best->size * (parts[i].landmarks + 1)) {
      best = &parts[i];
    }
  }
  return best;
}

// The node of a part that is farthest from all its landmarks, those of the first `count` columns.
static int32_t farthest(const hpa_t * hpa, const part_t * part, int32_t count)
{
  int32_t best = part->first;
  int32_t far = -1;
  for (int32_t node = HPA_ENDS; node < hpa->node_count; ++node) {
    if (!is_in_use(hpa, node) || hpa->marks[node].parent != part->first) {
      continue;
    }
    int32_t nearest = HPA_NONE;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t cost = row_of(hpa, node)[i];
      nearest = cost < nearest ? cost : nearest;
    }
    if (nearest > far) {
      far = nearest;
      best = node;
    }
  }
  return best;
}

// Rows for as many nodes as there are; those of new ones are empty.
static bool make_rows(hpa_t * hpa)
{
  hpa_landmarks_t * landmarks = &hpa->landmarks;
  const size_t size = (size_t)landmarks->count * sizeof(*landmarks->rows);
  if (landmarks->capacity < hpa->node_count) {
    const size_t known = (size_t)landmarks->capacity;
    int32_t * rows = fw_arena_allocate(hpa->arena, (size_t)hpa->node_capacity, size);
    if (rows == NULL) {
      return false;
    }
    if (known > 0) {
      memcpy(rows, landmarks->rows, known * size);
    }
    fw_arena_leave(hpa->arena, landmarks->rows, known, size);
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

bool hpa_landmarks_make(hpa_t * hpa, int32_t count)
{
  part_t parts[HPA_LANDMARKS_MAX] = {0};
  hpa->landmarks = (hpa_landmarks_t){.count = count};
  if (count == 0 || hpa->node_count <= HPA_ENDS) {
    hpa->landmarks.count = 0;
    return true;
  }
  bool is_fine = make_rows(hpa) && find_parts(hpa, parts);
  for (int32_t i = 0; i < count && is_fine; ++i) {
    part_t * part = next_part(parts);
    if (part->landmarks == 0) {
      is_fine = fill(hpa, i, part->first);  // the farthest from any node is at an edge
    }
    is_fine = is_fine && fill(hpa, i, farthest(hpa, part, part->landmarks == 0 ? i + 1 : i));
    ++part->landmarks;
  }
  return is_fine;
}

// ---- changes --------------------------------------------------------------------------------------------------------

// A node whose edges may have changed.
static bool reconsider(hpa_t * hpa, int32_t column, int32_t node)
{
  const int32_t g = node >= 0 ? row_of(hpa, node)[column] : HPA_NONE;
  return g == HPA_NONE || fw_heap_push(&hpa->open, g, g, node);
}

bool hpa_landmarks_mend(hpa_t * hpa)
{
  if (hpa->landmarks.count == 0) {
    return true;
  }
  bool is_fine = make_rows(hpa);
  for (int32_t column = 0; column < hpa->landmarks.count && is_fine; ++column) {
    fw_heap_clear(&hpa->open);
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
  int32_t bounds[HPA_LANDMARKS_USED] = {0};
  landmarks->used_count = 0;
  look_at_end(hpa, HPA_START, starts);
  look_at_end(hpa, HPA_GOAL, goals);
  for (int32_t i = 0; i < landmarks->count; ++i) {
    if ((starts[i] == HPA_NONE) != (goals[i] == HPA_NONE)) {
      return false;  // one is joined to nodes that the other is not joined to
    }
    const int32_t bound = starts[i] == HPA_NONE ? 0 : abs(starts[i] - goals[i]);
    // By the bound, best first.
    int32_t at = landmarks->used_count;
    for (; at > 0 && bounds[at - 1] < bound; --at) {
      if (at < HPA_LANDMARKS_USED) {
        bounds[at] = bounds[at - 1];
        landmarks->used[at] = landmarks->used[at - 1];
        landmarks->goal[at] = landmarks->goal[at - 1];
      }
    }
    if (at < HPA_LANDMARKS_USED && starts[i] != HPA_NONE) {
      bounds[at] = bound;
      landmarks->used[at] = i;
      landmarks->goal[at] = goals[i];
      landmarks->used_count += landmarks->used_count < HPA_LANDMARKS_USED;
    }
  }
  return true;
}
