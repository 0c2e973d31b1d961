// HPA*: the map as clusters, with what it costs to cross them known beforehand (Botea, Müller and Schaeffer 2004).
//
// Level 0 cuts the floor into squares of `side` cells. Where the border between two of them is open, one or two pairs of
// places are transitions; a place with a transition is a node of its cluster. For each two nodes of a cluster the cost
// and the way between them are kept. A cluster of the next level is `factor` x `factor` of those below; its nodes are
// those whose transition leaves it, and its ways are lists of nodes of the level below:
//
//   +-------+-------+-------+-------+      . level 0 only      o also level 1
//   |       .       |       .       |
//   |       .       o       .       |      The search from s goes node by node in the clusters around s and around the
//   +---.---+---.---+---.---+---.---+      goal, and by the largest clusters that hold neither in between.
//   |       .       o       .       |
//   +-------+-------+-------+-------+

#ifndef SEARCH__HPA__HPA_H_
#define SEARCH__HPA__HPA_H_

#include <string.h>

#include "search/astar.h"
#include "search/hpa/hpa_landmarks.h"

enum { HPA_LEVELS_MAX = 3, HPA_SIDE_MIN = 4, HPA_SIDE_MAX = 128 };
#define HPA_NONE INT32_MAX  // no way inside the cluster

typedef struct hpa_box_t {
  int32_t left;  // cells, all included
  int32_t top;
  int32_t right;
  int32_t bottom;
} hpa_box_t;

// A place with a transition.
typedef struct hpa_node_t {
  int32_t place;
  int32_t x;
  int32_t y;
  int32_t twins[4];  // nodes on the other side of its transitions, by straight direction; -1 for none
  int32_t clusters[HPA_LEVELS_MAX];
  uint16_t slots[HPA_LEVELS_MAX];  // its number among the nodes of its cluster, up to level `top`
  int32_t top;                     // the highest level of whose clusters it is a node
  bool is_new;                     // landmarks do not know it yet
} hpa_node_t;

// Nodes that are always there: the ends of a question.
enum { HPA_START, HPA_GOAL, HPA_ENDS };

typedef struct hpa_cluster_t {
  int32_t * nodes;
  int32_t count;
  int32_t capacity;
  int32_t * cost;  // cost[i * count + j] from node i to node j, HPA_NONE
  // Ways from i to j for i < j: `length` entries from start[i * count + j] on. Level 0: directions of moves; above: nodes
  // on the way, both ends included.
  int32_t * start;
  int32_t * length;
  uint8_t * moves;
  int32_t * hops;
  int32_t matrix_capacity;
  int32_t way_capacity;
  // Level 0, on floor of one cost: for each cell and each node what it costs from one to the other, times 16, and the
  // direction of the last move from the node; HPA_NONE. The numbers of a cell are together, as they are read together.
  int32_t * table;
  int32_t table_capacity;
} hpa_cluster_t;

typedef struct hpa_level_t {
  int32_t side;  // in cells
  int32_t columns;
  int32_t rows;
  hpa_cluster_t * clusters;
} hpa_level_t;

// What is known of a cell inside one cluster of level 0, while it is flooded.
typedef struct hpa_local_t {
  int32_t g;
  int32_t direction;  // of the last move; for a flood towards a place, of the next move
} hpa_local_t;

// The cells of one cluster, from or to one place in it.
typedef struct hpa_flood_t {
  hpa_box_t box;
  int32_t place;
  int32_t side;  // cells of a row
  hpa_local_t cells[HPA_SIDE_MAX * HPA_SIDE_MAX];
} hpa_flood_t;

// What the search over nodes knows of one.
typedef struct hpa_mark_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;
  int32_t edge;      // the level of the edge by which it was reached, or one of HPA_EDGE_*
  int32_t estimate;  // of what is left to the goal
} hpa_mark_t;
enum { HPA_EDGE_CROSSING = -1, HPA_EDGE_START = -2, HPA_EDGE_GOAL = -3 };

typedef struct hpa_t {
  fw_arena_t * arena;
  const fw_floor_t * floor;
  hpa_level_t levels[HPA_LEVELS_MAX];
  int32_t level_count;
  uint8_t * crossings;  // by place: bit d, a transition in straight direction d
  int32_t * node_of;    // by place, 0 for none
  hpa_node_t * nodes;
  hpa_mark_t * marks;  // by node
  int32_t node_count;
  int32_t node_capacity;
  int32_t mark_capacity;
  int32_t unused;  // list of nodes to use again by twins[0], -1 for none
  int32_t spread;  // see hpa_options_t
  bool has_tables;
  hpa_landmarks_t landmarks;
  uint32_t epoch;
  fw_bucket_queue_t queue;  // of floods
  hpa_flood_t * from;  // the start's cluster; also used while building
  hpa_flood_t * to;    // the goal's
  fw_heap_t open;
  fw_trail_t chain;   // nodes of the way, from its end
  fw_trail_t joints;  // where on the trail clusters are left
  astar_t * smoother;
  uint8_t * is_dirty;  // by cluster of level 0, while cells change
  int32_t rebuilt;     // clusters made by the last build or change
} hpa_t;

hpa_box_t hpa_box(const hpa_t * hpa, int32_t level, int32_t cluster);
static inline int32_t hpa_cluster_at(const hpa_level_t * level, int32_t x, int32_t y)
{
  return y / level->side * level->columns + x / level->side;
}

// The numbers of a cell in the table of its cluster of level 0.
static inline int32_t * hpa_table_at(const hpa_t * hpa, int32_t cluster, int32_t x, int32_t y)
{
  const hpa_level_t * level = &hpa->levels[0];
  const hpa_cluster_t * c = &level->clusters[cluster];
  const int32_t cell = y % level->side * level->side + x % level->side;
  return c->table + (size_t)cell * (size_t)c->count;
}

// Costs from `place` to all cells of its cluster of level 0, or to it from all of them, up to `limit` (others may be
// HPA_NONE). False when there is no memory.
bool hpa_flood_within(hpa_t * hpa, hpa_flood_t * flood, int32_t place, bool is_backward, int32_t limit);
static inline bool hpa_flood(hpa_t * hpa, hpa_flood_t * flood, int32_t place, bool is_backward)
{
  return hpa_flood_within(hpa, flood, place, is_backward, HPA_NONE);
}
static inline const hpa_local_t * hpa_flood_at(const hpa_t * hpa, const hpa_flood_t * flood, int32_t place)
{
  const int32_t y = fw__floor_y(hpa->floor, place) - flood->box.top;
  const int32_t x = fw__floor_x(hpa->floor, place) - flood->box.left;
  return &flood->cells[y * flood->side + x];
}

// Looks for transitions on the borders of a cluster of level 0, those of `directions` (bits). Returns bits of the straight
// directions in which they are not what they were.
int32_t hpa_cross(hpa_t * hpa, int32_t cluster, int32_t directions);
enum { HPA_ALL_SIDES = 15, HPA_EAST_AND_SOUTH = 3 };

// A side of a cluster: places along it from `first`, `step` apart.
typedef struct hpa_side_t {
  int32_t first;
  int32_t step;
  int32_t length;
  int32_t direction;  // out of the cluster
} hpa_side_t;
// Transitions that could be, by their numbers along a side, rising: leaves out those that are near enough to others, on
// both sides of the border. Returns how many there are left.
int32_t hpa_thin(hpa_t * hpa, const hpa_side_t * side, int32_t * numbers, int32_t count);
// Lists the nodes of a cluster from its transitions; on level 0 new ones get a number and old ones lose theirs.
bool hpa_list_nodes(hpa_t * hpa, int32_t level, int32_t cluster);
// The ways between the nodes of a cluster; those of all clusters must have been listed. False when there is no memory.
bool hpa_make_cells(hpa_t * hpa, int32_t cluster);
bool hpa_make_upper(hpa_t * hpa, int32_t level, int32_t cluster);
bool hpa_reserve_way(hpa_t * hpa, hpa_cluster_t * cluster, int32_t level, int32_t count);

// A node's place, coordinates and clusters, from its place.
void hpa_set_place(const hpa_t * hpa, hpa_node_t * node, int32_t place);

// A search over nodes: forgets the last one; offers a node at cost g with key f. False when there is no memory.
static inline void hpa_begin(hpa_t * hpa)
{
  if (++hpa->epoch == UINT32_MAX) {
    memset(hpa->marks, 0, (size_t)hpa->mark_capacity * sizeof(*hpa->marks));
    hpa->epoch = 1;
  }
  fw__heap_clear(&hpa->open);
}
static inline bool hpa_is_reached(const hpa_t * hpa, int32_t node) { return hpa->marks[node].epoch == hpa->epoch; }
// The mark is to be filled with all but the epoch.
static inline bool hpa_offer(hpa_t * hpa, int32_t node, hpa_mark_t mark, int32_t estimate)
{
  hpa_mark_t * known = &hpa->marks[node];
  if (known->epoch == hpa->epoch && known->g <= mark.g) {
    return true;
  }
  mark.epoch = hpa->epoch;
  *known = mark;
  return fw__heap_push(&hpa->open, mark.g + estimate, mark.g, node);
}

typedef struct hpa_options_t {
  int32_t cluster;    // side of a cluster of level 0, HPA_SIDE_MIN to HPA_SIDE_MAX
  int32_t levels;     // 1 to HPA_LEVELS_MAX
  int32_t factor;     // from level to level
  int32_t spread;     // cells along a border for which one transition is enough; 0: each opening has its own
  bool has_tables;    // keep what it costs from each node to each cell of its cluster
  int32_t landmarks;  // 0 to HPA_LANDMARKS_MAX
} hpa_options_t;

// All of it, without a smoother. False when there is no memory.
bool hpa_make(hpa_t * hpa, fw_arena_t * arena, const fw_floor_t * floor, const hpa_options_t * options);

// Cells have changed, and the floor with them: clusters concerned are made anew. False when there is no memory.
bool hpa_mend(hpa_t * hpa, const fw_cell_t * cells, int32_t count);

// A question's ends and the nodes of their clusters: puts the ends in, false when there is no memory; what it costs from
// one to the other, HPA_NONE.
bool hpa_set_ends(hpa_t * hpa, int32_t start, int32_t goal);
int32_t hpa_cost_from_start(const hpa_t * hpa, const hpa_node_t * to);
int32_t hpa_cost_to_goal(const hpa_t * hpa, const hpa_node_t * from);

void hpa_find(fw_router_context_t * context);
// The way that the search has found, as moves on the context's trail.
void hpa_trace(hpa_t * hpa, fw_router_context_t * context);

#endif  // SEARCH__HPA__HPA_H_
