// HPA*: choosing landmarks: each as far as possible from those before it, and more of them where there are more nodes.

#include "search/hpa/hpa.h"

// Nodes with ways to each other.
typedef struct part_t {
  int32_t first;
  int32_t size;
  int32_t landmarks;  // how many it has
} part_t;

static bool is_in_use(const hpa_t * hpa, int32_t node) { return node >= HPA_ENDS && hpa->nodes[node].place >= 0; }

// All nodes that can be reached from one. Its number is noted as the parent of their marks.
static part_t gather(hpa_t * hpa, int32_t first)
{
  part_t part = {.first = first};
  fw_trail_t * found = &hpa->chain;
  const hpa_mark_t mark = {.epoch = hpa->epoch, .parent = first};
  found->count = 0;
  fw__trail_add(found, first);
  hpa->marks[first] = mark;
  for (; part.size < found->count && !found->has_failed; ++part.size) {
    const hpa_node_t * node = &hpa->nodes[found->places[part.size]];
    const hpa_cluster_t * cluster = &hpa->levels[0].clusters[node->clusters[0]];
    const int32_t * costs = cluster->cost + node->slots[0] * cluster->count;
    for (int32_t j = -4; j < cluster->count; ++j) {  // its transitions first
      const int32_t next = j < 0 ? node->twins[j + 4] : cluster->nodes[j];
      if ((j < 0 ? next >= 0 : costs[j] != HPA_NONE) && !hpa_is_reached(hpa, next)) {
        hpa->marks[next] = mark;
        fw__trail_add(found, next);
      }
    }
  }
  return part;
}

// The largest parts, by their size.
static bool find_parts(hpa_t * hpa, part_t parts[HPA_LANDMARKS_MAX])
{
  hpa_begin(hpa);
  hpa->chain.has_failed = false;
  for (int32_t first = HPA_ENDS; first < hpa->node_count; ++first) {
    if (!is_in_use(hpa, first) || hpa_is_reached(hpa, first)) {
      continue;
    }
    part_t part = gather(hpa, first);
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
      const int32_t cost = hpa_landmarks_row(&hpa->landmarks, node)[i];
      nearest = cost < nearest ? cost : nearest;
    }
    if (nearest > far) {
      far = nearest;
      best = node;
    }
  }
  return best;
}

bool hpa_landmarks_make(hpa_t * hpa, int32_t count)
{
  part_t parts[HPA_LANDMARKS_MAX] = {0};
  hpa->landmarks = (hpa_landmarks_t){.count = count};
  if (count == 0 || hpa->node_count <= HPA_ENDS) {
    hpa->landmarks.count = 0;
    return true;
  }
  bool is_fine = hpa_landmarks_reserve(hpa) && find_parts(hpa, parts);
  for (int32_t i = 0; i < count && is_fine; ++i) {
    part_t * part = next_part(parts);
    if (part->landmarks == 0) {
      is_fine = hpa_landmarks_fill(hpa, i, part->first);  // the farthest from any node is at an edge
    }
    is_fine = is_fine && hpa_landmarks_fill(hpa, i, farthest(hpa, part, part->landmarks == 0 ? i + 1 : i));
    ++part->landmarks;
  }
  return is_fine;
}
