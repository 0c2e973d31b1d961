// The abstract graph of HPA*: the map as clusters whose crossing costs are known beforehand (Botea, Müller and
// Schaeffer, "Near Optimal Hierarchical Path-Finding", 2004).
//
// Level 0 cuts the floor into square clusters of `side` cells. Where the border between two clusters has an entrance (a
// run of open cells), one or two pairs of places across it are transitions; a place with a transition is a node of its
// cluster (inter-edge to its twin on the other side). For each two nodes of a cluster the cost and the path between
// them are kept (intra-edge). A cluster of the next level is `factor` x `factor` of those below; its nodes are those
// whose transition leaves it, and its paths are lists of nodes of the level below:
//
//   +-------+-------+-------+-------+      . level 0 only      o also level 1
//   |       .       |       .       |
//   |       .       o       .       |      The search goes node by node in the clusters around start and goal,
//   +---.---+---.---+---.---+---.---+      and by the largest clusters that contain neither of them in between.
//   |       .       o       .       |
//   +-------+-------+-------+-------+

#ifndef SEARCH__HPA__ABSTRACT_GRAPH_H_
#define SEARCH__HPA__ABSTRACT_GRAPH_H_

#include <string.h>

#include "base/bucket_queue.h"
#include "search/floor.h"
#include "search/heap.h"
#include "search/hpa/landmarks.h"
#include "search/trail.h"

enum { FW_HPA_LEVELS_MAX = 6, FW_HPA_SIDE_MIN = 4, FW_HPA_SIDE_MAX = 128 };
#define FW_HPA_NONE INT32_MAX  // no path inside the cluster

typedef struct fw_hpa_box_t {
  int32_t left;  // cells, all included
  int32_t top;
  int32_t right;
  int32_t bottom;
} fw_hpa_box_t;

// A place with a transition.
typedef struct fw_hpa_node_t {
  int32_t place;
  int32_t x;
  int32_t y;
  int32_t twins[4];  // the nodes across its transitions, by straight direction; -1 for none
  int32_t clusters[FW_HPA_LEVELS_MAX];
  uint16_t slots[FW_HPA_LEVELS_MAX];  // its number among the nodes of its cluster, up to level `top`
  int32_t top;                        // the highest level on which it is a node
  bool is_new;                        // landmarks have no costs for it yet
} fw_hpa_node_t;

// Nodes that always exist: the start and the goal of a query.
enum { FW_HPA_START, FW_HPA_GOAL, FW_HPA_ENDS };

typedef struct fw_hpa_cluster_t {
  int32_t * nodes;
  int32_t count;
  int32_t capacity;
  int32_t * cost;  // cost[i * count + j] from node i to node j, FW_HPA_NONE
  // Paths from i to j for i < j: `length` entries from start[i * count + j] on. Level 0: directions of moves; above:
  // nodes of the level below, both ends included.
  int32_t * start;
  int32_t * length;
  uint8_t * moves;
  int32_t * hops;
  int32_t matrix_capacity;
  int32_t path_capacity;
  // Level 0, uniform floor only: for each cell and each node the cost between them, times 16, plus the direction of the
  // last move from the node; FW_HPA_NONE. The entries of a cell are adjacent, as they are read together.
  int32_t * table;
  int32_t table_capacity;
} fw_hpa_cluster_t;

typedef struct fw_hpa_level_t {
  int32_t side;  // in cells
  int32_t columns;
  int32_t rows;
  fw_hpa_cluster_t * clusters;
} fw_hpa_level_t;

// A cell of one cluster of level 0 in a flood.
typedef struct fw_hpa_local_t {
  int32_t g;
  int32_t direction;  // of the last move; for a flood towards a place, of the next move
} fw_hpa_local_t;

// A flood: Dijkstra inside one cluster of level 0, from or to one place in it.
typedef struct fw_hpa_flood_t {
  fw_hpa_box_t box;
  int32_t place;
  int32_t side;  // cells of a row
  fw_hpa_local_t cells[FW_HPA_SIDE_MAX * FW_HPA_SIDE_MAX];
} fw_hpa_flood_t;

// How a node was reached by the search over nodes of its epoch.
typedef struct fw_hpa_mark_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;
  int32_t edge;      // the level of the edge by which it was reached, or one of FW_HPA_EDGE_*
  int32_t estimate;  // heuristic to the goal
} fw_hpa_mark_t;
enum { FW_HPA_EDGE_TRANSITION = -1, FW_HPA_EDGE_START = -2, FW_HPA_EDGE_GOAL = -3 };

typedef struct fw_hpa_t {
  fw_arena_t * arena;
  const fw_floor_t * floor;
  fw_hpa_level_t levels[FW_HPA_LEVELS_MAX];
  int32_t level_count;
  uint8_t * transitions;  // by place: bit d for a transition in straight direction d
  int32_t * node_of;      // by place, 0 for none
  fw_hpa_node_t * nodes;
  fw_hpa_mark_t * marks;  // by node
  int32_t node_count;
  int32_t node_capacity;
  int32_t mark_capacity;
  int32_t unused;  // free list of nodes, linked by twins[0]; -1 for none
  int32_t spread;  // see fw_hpa_options_t
  bool has_tables;
  fw_hpa_landmarks_t landmarks;
  uint32_t epoch;
  fw_bucket_queue_t queue;  // of floods
  fw_hpa_flood_t * from;    // of the start's cluster; also used while building
  fw_hpa_flood_t * to;      // of the goal's cluster
  fw_heap_t open;
  fw_trail_t chain;    // nodes of the path, from its end
  fw_trail_t joints;   // where on the trail the path changes clusters
  uint8_t * is_dirty;  // by cluster of level 0, during an update
  int32_t rebuilt;     // clusters made by the last build or update
} fw_hpa_t;

fw_hpa_box_t fw__hpa_box(const fw_hpa_t * hpa, int32_t level, int32_t cluster);
static inline int32_t fw__hpa_cluster_at(const fw_hpa_level_t * level, int32_t x, int32_t y)
{
  return y / level->side * level->columns + x / level->side;
}

// The entries of a cell in the table of its cluster of level 0.
static inline int32_t * fw__hpa_table_at(const fw_hpa_t * hpa, int32_t cluster, int32_t x, int32_t y)
{
  const fw_hpa_level_t * level = &hpa->levels[0];
  const fw_hpa_cluster_t * c = &level->clusters[cluster];
  FW_ASSERT(c->table != NULL || c->count == 0);
  const int32_t cell = y % level->side * level->side + x % level->side;
  return c->table + (size_t)cell * (size_t)c->count;
}

// Costs from `place` to all cells of its cluster of level 0, or to it from all of them. Without memory the arena has
// failed.
void fw__hpa_flood(fw_hpa_t * hpa, fw_hpa_flood_t * flood, int32_t place, bool is_backward);
static inline const fw_hpa_local_t * fw__hpa_flood_at(const fw_hpa_t * hpa, const fw_hpa_flood_t * flood, int32_t place)
{
  const int32_t y = fw__floor_y(hpa->floor, place) - flood->box.top;
  const int32_t x = fw__floor_x(hpa->floor, place) - flood->box.left;
  FW_ASSERT(x >= 0 && y >= 0 && x < flood->side && y < flood->side);
  return &flood->cells[y * flood->side + x];
}

// Sets the place, coordinates and clusters of a node.
void fw__hpa_set_place(const fw_hpa_t * hpa, fw_hpa_node_t * node, int32_t place);

// Begins a search over nodes: none has been reached.
static inline void fw__hpa_begin(fw_hpa_t * hpa)
{
  if (++hpa->epoch == UINT32_MAX) {
    memset(hpa->marks, 0, (size_t)hpa->mark_capacity * sizeof(*hpa->marks));
    hpa->epoch = 1;
  }
  fw__heap_clear(&hpa->open);
}
static inline bool fw__hpa_is_reached(const fw_hpa_t * hpa, int32_t node)
{
  return hpa->marks[node].epoch == hpa->epoch;
}
typedef struct fw_hpa_options_t {
  int32_t cluster;    // side of a cluster of level 0, FW_HPA_SIDE_MIN to FW_HPA_SIDE_MAX
  int32_t levels;     // 1 to FW_HPA_LEVELS_MAX
  int32_t factor;     // from level to level
  int32_t spread;     // cells along a border that one transition can serve; 0: each entrance has its own
  bool has_tables;    // keep the costs between each cell and the nodes of its cluster
  int32_t landmarks;  // 0 to FW_HPA_LANDMARKS_MAX
} fw_hpa_options_t;

// Builds the whole graph. Without memory `arena` has failed and the graph may not be used.
void fw__hpa_init(fw_hpa_t * hpa, fw_arena_t * arena, const fw_floor_t * floor, const fw_hpa_options_t * options);

// Cells have changed, and the floor has been updated: rebuilds the clusters that they affect. Without memory the arena
// has failed.
void fw__hpa_update(fw_hpa_t * hpa, const fw_cell_t * cells, int32_t count);

// True if the graph is consistent: clusters, slots, twins and the index by place agree, and costs are within their
// ranges. For assertions and tests: linear in the size of the graph.
bool fw__hpa_validate(const fw_hpa_t * hpa);

#endif  // SEARCH__HPA__ABSTRACT_GRAPH_H_
