// Landmarks of HPA*: their choice, the costs from them, and the bound of a query.

#include "search/hpa/abstract_graph.h"

static int32_t * row_of(const fw_hpa_t * hpa, int32_t node)
{
  FW_ASSERT(node >= 0 && node < hpa->landmarks.capacity);
  return fw__hpa_landmarks_row(&hpa->landmarks, node);
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// Rows for as many nodes as there are; those of new nodes are empty.
static void reserve(fw_hpa_t * hpa)
{
  fw_hpa_landmarks_t * landmarks = &hpa->landmarks;
  const size_t size = (size_t)landmarks->count * sizeof(*landmarks->rows);
  if (landmarks->capacity < hpa->node_count) {
    const size_t known = (size_t)landmarks->capacity;
    int32_t * rows = fw__arena_allocate(hpa->arena, (size_t)hpa->node_capacity, size);
    if (rows == NULL) {
      return;
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
      row_of(hpa, i)[k] = FW_HPA_NONE;
    }
    hpa->nodes[i].is_new = false;
  }
}

// ---- costs from a landmark ------------------------------------------------------------------------------------------

// Lowers the cost of a node to g, if it is larger.
static void lower(fw_hpa_t * hpa, int32_t column, int32_t node, int32_t g)
{
  int32_t * known = row_of(hpa, node) + column;
  if (*known > g) {
    *known = g;
    (void)fw__heap_push(&hpa->open, g, g, node);
  }
}

// Dijkstra from the nodes in the heap: lowers every cost that is larger than an edge allows.
static void spread(fw_hpa_t * hpa, int32_t column)
{
  while (hpa->open.count > 0 && !fw__arena_has_failed(hpa->arena)) {
    const fw_heap_item_t item = fw__heap_pop(&hpa->open);
    if (row_of(hpa, item.node)[column] != item.g) {
      continue;  // lowered again
    }
    const fw_hpa_node_t * node = &hpa->nodes[item.node];
    const fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[node->clusters[0]];
    const int32_t * costs = cluster->cost + node->slots[0] * cluster->count;
    for (int32_t j = 0; j < cluster->count; ++j) {
      if (costs[j] != FW_HPA_NONE) {
        lower(hpa, column, cluster->nodes[j], item.g + costs[j]);
      }
    }
    for (int32_t d = 0; d < 4; ++d) {
      const int32_t twin = node->twins[d];
      if (twin >= 0) {
        lower(hpa, column, twin, item.g + fw__floor_step_cost(hpa->floor, hpa->nodes[twin].place, d));
      }
    }
  }
}

// Makes a node landmark number `column`.
static void fill_column(fw_hpa_t * hpa, int32_t column, int32_t landmark)
{
  FW_ASSERT(column < hpa->landmarks.count && landmark >= FW_HPA_ENDS);
  for (int32_t i = 0; i < hpa->node_count; ++i) {
    row_of(hpa, i)[column] = FW_HPA_NONE;
  }
  fw__heap_clear(&hpa->open);
  lower(hpa, column, landmark, 0);
  spread(hpa, column);
}

// ---- choice ---------------------------------------------------------------------------------------------------------
//
// Each landmark is as far as possible from those before it in its connected component, and larger components get more.

// A connected component of nodes.
typedef struct part_t {
  int32_t first;
  int32_t size;
  int32_t landmarks;  // how many it has
} part_t;

static bool is_in_use(const fw_hpa_t * hpa, int32_t node) { return node >= FW_HPA_ENDS && hpa->nodes[node].place >= 0; }

// The component of a node, whose number becomes the parent in the marks of all its nodes.
static part_t gather(fw_hpa_t * hpa, int32_t first)
{
  part_t part = {.first = first};
  fw_trail_t * found = &hpa->chain;
  const fw_hpa_mark_t mark = {.epoch = hpa->epoch, .parent = first};
  found->count = 0;
  fw__trail_add(found, first);
  hpa->marks[first] = mark;
  for (; part.size < found->count && !found->has_failed; ++part.size) {
    const fw_hpa_node_t * node = &hpa->nodes[found->places[part.size]];
    const fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[node->clusters[0]];
    const int32_t * costs = cluster->cost + node->slots[0] * cluster->count;
    for (int32_t j = -4; j < cluster->count; ++j) {  // its transitions first
      const int32_t next = j < 0 ? node->twins[j + 4] : cluster->nodes[j];
      if ((j < 0 ? next >= 0 : costs[j] != FW_HPA_NONE) && !fw__hpa_is_reached(hpa, next)) {
        hpa->marks[next] = mark;
        fw__trail_add(found, next);
      }
    }
  }
  return part;
}

// The largest components, by falling size.
static void find_parts(fw_hpa_t * hpa, part_t parts[FW_HPA_LANDMARKS_MAX])
{
  fw__hpa_begin(hpa);
  hpa->chain.has_failed = false;
  for (int32_t first = FW_HPA_ENDS; first < hpa->node_count; ++first) {
    if (!is_in_use(hpa, first) || fw__hpa_is_reached(hpa, first)) {
      continue;
    }
    part_t part = gather(hpa, first);
    for (int32_t i = 0; i < FW_HPA_LANDMARKS_MAX; ++i) {
      if (part.size > parts[i].size) {
        const part_t smaller = parts[i];
        parts[i] = part;
        part = smaller;
      }
    }
  }
}

// The component with the most nodes for each landmark, after it gets one more.
static part_t * next_part(part_t parts[FW_HPA_LANDMARKS_MAX])
{
  part_t * best = &parts[0];
  for (int32_t i = 1; i < FW_HPA_LANDMARKS_MAX; ++i) {
    if ((int64_t)parts[i].size * (best->landmarks + 1) > (int64_t)best->size * (parts[i].landmarks + 1)) {
      best = &parts[i];
    }
  }
  return best;
}

// The node of a component that is farthest from all landmarks in the first `count` columns.
static int32_t farthest(const fw_hpa_t * hpa, const part_t * part, int32_t count)
{
  int32_t best = part->first;
  int32_t far = -1;
  for (int32_t node = FW_HPA_ENDS; node < hpa->node_count; ++node) {
    if (!is_in_use(hpa, node) || hpa->marks[node].parent != part->first) {
      continue;
    }
    int32_t nearest = FW_HPA_NONE;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t cost = fw__hpa_landmarks_row(&hpa->landmarks, node)[i];
      nearest = cost < nearest ? cost : nearest;
    }
    if (nearest > far) {
      far = nearest;
      best = node;
    }
  }
  return best;
}

void fw__hpa_landmarks_choose(fw_hpa_t * hpa, int32_t count)
{
  FW_ASSERT(count >= 0 && count <= FW_HPA_LANDMARKS_MAX);
  part_t parts[FW_HPA_LANDMARKS_MAX] = {0};
  hpa->landmarks = (fw_hpa_landmarks_t){.count = count};
  if (count == 0 || hpa->node_count <= FW_HPA_ENDS) {
    hpa->landmarks.count = 0;
    return;
  }
  reserve(hpa);
  find_parts(hpa, parts);
  for (int32_t i = 0; i < count && !fw__arena_has_failed(hpa->arena); ++i) {
    part_t * part = next_part(parts);
    if (part->landmarks == 0) {
      fill_column(hpa, i, part->first);  // the node farthest from an arbitrary one lies at an edge
    }
    fill_column(hpa, i, farthest(hpa, part, part->landmarks == 0 ? i + 1 : i));
    ++part->landmarks;
  }
}

// ---- update ---------------------------------------------------------------------------------------------------------

// Puts a node whose edges may have changed into the heap.
static void reconsider(fw_hpa_t * hpa, int32_t column, int32_t node)
{
  const int32_t g = node >= 0 ? row_of(hpa, node)[column] : FW_HPA_NONE;
  if (g != FW_HPA_NONE) {
    (void)fw__heap_push(&hpa->open, g, g, node);
  }
}

void fw__hpa_landmarks_update(fw_hpa_t * hpa)
{
  if (hpa->landmarks.count == 0) {
    return;
  }
  reserve(hpa);
  for (int32_t column = 0; column < hpa->landmarks.count && !fw__arena_has_failed(hpa->arena); ++column) {
    fw__heap_clear(&hpa->open);
    for (int32_t i = 0; i < hpa->levels[0].columns * hpa->levels[0].rows; ++i) {
      const fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[i];
      for (int32_t k = 0; k < cluster->count && hpa->is_dirty[i] != 0; ++k) {
        reconsider(hpa, column, cluster->nodes[k]);
        for (int32_t d = 0; d < 4; ++d) {
          reconsider(hpa, column, hpa->nodes[cluster->nodes[k]].twins[d]);
        }
      }
    }
    spread(hpa, column);
  }
}

// ---- a query --------------------------------------------------------------------------------------------------------

// The costs from each landmark to an end of the query, through the best node of its cluster.
static void look_at_end(
  const fw_hpa_t * hpa, int32_t end, const fw_hpa_ends_t * ends, int32_t row[FW_HPA_LANDMARKS_MAX])
{
  const fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[hpa->nodes[end].clusters[0]];
  for (int32_t i = 0; i < hpa->landmarks.count; ++i) {
    row[i] = FW_HPA_NONE;
  }
  for (int32_t k = 0; k < cluster->count; ++k) {
    const int32_t node = cluster->nodes[k];
    const int32_t cost = end == FW_HPA_START ? ends->cost_from_start(hpa, node) : ends->cost_to_goal(hpa, node);
    const int32_t * known = row_of(hpa, cluster->nodes[k]);
    for (int32_t i = 0; i < hpa->landmarks.count && cost != FW_HPA_NONE; ++i) {
      row[i] = known[i] != FW_HPA_NONE && known[i] + cost < row[i] ? known[i] + cost : row[i];
    }
  }
}

bool fw__hpa_landmarks_begin(fw_hpa_t * hpa, const fw_hpa_ends_t * ends)
{
  fw_hpa_landmarks_t * landmarks = &hpa->landmarks;
  int32_t starts[FW_HPA_LANDMARKS_MAX];
  int32_t goals[FW_HPA_LANDMARKS_MAX];
  int32_t bounds[FW_HPA_LANDMARKS_MAX];
  landmarks->used_count = 0;
  if (landmarks->count == 0) {
    return true;
  }
  look_at_end(hpa, FW_HPA_START, ends, starts);
  look_at_end(hpa, FW_HPA_GOAL, ends, goals);
  for (int32_t i = 0; i < landmarks->count; ++i) {
    if ((starts[i] == FW_HPA_NONE) != (goals[i] == FW_HPA_NONE)) {
      return false;  // only one of them is connected to this landmark
    }
    bounds[i] = abs(starts[i] - goals[i]);
  }
  while (landmarks->used_count < FW_HPA_LANDMARKS_USED) {
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
