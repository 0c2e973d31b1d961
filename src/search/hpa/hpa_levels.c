// HPA*: clusters of clusters. The nodes are those whose transition leaves the cluster, and the ways between them lead from
// node to node of the level below.

#include "search/hpa/hpa.h"

// Edges of a node of level `level - 1`, within its cluster of `level`.
static bool expand(hpa_t * hpa, int32_t level, int32_t at, int32_t g)
{
  const hpa_node_t * node = &hpa->nodes[at];
  const int32_t below = level - 1;
  const hpa_cluster_t * cluster = &hpa->levels[below].clusters[node->clusters[below]];
  const int32_t * row = cluster->cost + node->slots[below] * cluster->count;
  bool is_fine = true;
  for (int32_t j = 0; j < cluster->count && is_fine; ++j) {
    if (row[j] != HPA_NONE && cluster->nodes[j] != at) {
      is_fine = hpa_offer(hpa, cluster->nodes[j], (hpa_mark_t){.g = g + row[j], .parent = at}, 0);
    }
  }
  for (int32_t d = 0; d < 4 && is_fine; ++d) {
    const hpa_node_t * twin = node->twins[d] >= 0 ? &hpa->nodes[node->twins[d]] : node;
    // Transitions inside a cluster of the level that is searched are not its nodes.
    if (twin->clusters[level] == node->clusters[level] && twin->clusters[below] != node->clusters[below]) {
      const int32_t step = fw__floor_step_cost(hpa->floor, twin->place, d);
      is_fine = hpa_offer(hpa, node->twins[d], (hpa_mark_t){.g = g + step, .parent = at}, 0);
    }
  }
  return is_fine;
}

// Costs from a node to all nodes of the level below within the cluster.
static bool search(hpa_t * hpa, int32_t level, int32_t from)
{
  hpa_begin(hpa);
  bool is_fine = hpa_offer(hpa, from, (hpa_mark_t){.parent = -1}, 0);
  while (is_fine && hpa->open.count > 0) {
    const fw_heap_item_t item = fw__heap_pop(&hpa->open);
    if (hpa->marks[item.node].g == item.g) {
      is_fine = expand(hpa, level, item.node, item.g);
    }
  }
  return is_fine;
}

// What the same way costs backwards: as much for floor of one cost, and for others near enough the difference of the ends.
static int32_t cost_back(const fw_floor_t * floor, int32_t cost, int32_t from, int32_t to)
{
  const int32_t back = cost + (floor->cost[from] - floor->cost[to]) * floor->straight;
  return back > 1 ? back : 1;
}

static bool keep_way(hpa_t * hpa, hpa_cluster_t * cluster, int32_t level, int32_t i, int32_t j, int32_t * used)
{
  const int32_t count = cluster->count;
  const int32_t from = cluster->nodes[i];
  const int32_t to = cluster->nodes[j];
  const bool is_reached = hpa_is_reached(hpa, to);
  const int32_t cost = is_reached ? hpa->marks[to].g : HPA_NONE;
  cluster->cost[i * count + j] = cost;
  cluster->cost[j * count + i] =
    is_reached ? cost_back(hpa->floor, cost, hpa->nodes[from].place, hpa->nodes[to].place) : HPA_NONE;
  cluster->start[i * count + j] = *used;
  cluster->length[i * count + j] = 0;
  for (int32_t at = to; is_reached && at >= 0; at = hpa->marks[at].parent) {
    if (!hpa_reserve_way(hpa, cluster, level, *used + 1)) {
      return false;
    }
    cluster->hops[(*used)++] = at;
  }
  int32_t * way = cluster->hops + cluster->start[i * count + j];
  const int32_t length = *used - cluster->start[i * count + j];
  for (int32_t a = 0, b = length - 1; a < b; ++a, --b) {
    const int32_t hop = way[a];
    way[a] = way[b];
    way[b] = hop;
  }
  cluster->length[i * count + j] = length;
  return true;
}

bool hpa_make_upper(hpa_t * hpa, int32_t level, int32_t index)
{
  hpa_cluster_t * cluster = &hpa->levels[level].clusters[index];
  int32_t used = 0;
  ++hpa->rebuilt;
  for (int32_t i = 0; i < cluster->count; ++i) {
    cluster->cost[i * cluster->count + i] = 0;
    if (i + 1 < cluster->count && !search(hpa, level, cluster->nodes[i])) {
      return false;
    }
    for (int32_t j = i + 1; j < cluster->count; ++j) {
      if (!keep_way(hpa, cluster, level, i, j, &used)) {
        return false;
      }
    }
  }
  return true;
}
