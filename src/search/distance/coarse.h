// A coarse distance field: distances to a goal over the clusters of HPA* instead of over cells, a few per cent too
// long, in a fraction of the memory.
//
// For each cell the distances to the transitions of its own cluster are stored; a goal needs only the distances of
// transitions, from an A* over the abstract graph that is resumed as needed, like RRA* over cells:
//
//   distance(cell) = minimum over transitions t of its cluster of (cell to t) + (t to the goal)
//
// That is the length of an existing path, so it is never too small, and from every cell some move leads to a cell whose
// distance is smaller by at least one: a robot that follows it arrives.

#ifndef SEARCH__DISTANCE__COARSE_H_
#define SEARCH__DISTANCE__COARSE_H_

#include "search/hpa/abstract_graph.h"
#include "world/moves.h"

// Shared by all goals on one map. The coarse field of a goal reads it; fw__coarse_aim also uses its floods.
typedef struct fw_coarse_t {
  const fw_moves_t * moves;
  fw_floor_t floor;
  fw_hpa_t hpa;
  uint16_t ** tables;  // by cluster: for each node, moves to each cell; UINT16_MAX if there is no path inside
} fw_coarse_t;

enum { FW_COARSE_PAGE_BITS = 7, FW_COARSE_PAGE = 1 << FW_COARSE_PAGE_BITS };

// The field of one goal.
typedef struct fw_coarse_goal_t {
  const fw_coarse_t * coarse;
  fw_arena_t * arena;
  int32_t cluster;
  int32_t aim_x;  // where requests are expected
  int32_t aim_y;
  uint16_t * near;  // by cell of the goal's own cluster: moves to the goal
  int32_t near_capacity;
  uint32_t ** pages;  // by node of the abstract graph: 0 if unseen, else (moves + 1) * 2 + is_closed
  int32_t page_capacity;
  fw_bucket_queue_t open;
  int64_t expanded;
  bool has_failed;  // out of memory: distances are not valid
} fw_coarse_goal_t;

// For robots without heading; distances are in moves, whatever the cells cost. `moves` and its grid stay borrowed.
// `cluster` is the side of a cluster, 4 to 128 cells; 32 is a good choice. FW_RET_UNSUPPORTED for moves with headings.
FW_MUST_USE fw_ret_t
fw__coarse_init(fw_coarse_t * coarse, fw_arena_t * arena, const fw_moves_t * moves, int32_t cluster);

typedef struct fw_coarse_aim_t {
  fw_cell_t goal;
  fw_cell_t aim;  // as for fw__distance_init
} fw_coarse_aim_t;

// Starts the field of a goal. `goal` is {0}, or one of the same arena, whose memory is then reused. Uses the shared
// object's memory: not thread-safe, unlike fw__coarse_get for different goals. False when there is no memory.
bool fw__coarse_aim(fw_coarse_goal_t * goal, fw_arena_t * arena, fw_coarse_t * coarse, fw_coarse_aim_t aim);

// The distance of a cell where the robot fits; INT32_MAX if there is no path (or no memory).
int32_t fw__coarse_get(fw_coarse_goal_t * goal, fw_cell_t cell);

#endif  // SEARCH__DISTANCE__COARSE_H_
