// Distances to a goal over clusters (HPA*) in place of over cells: a few per cent too long, in a fraction of the memory.
//
// For each cell it is known how far it is to each transition of its own cluster; for a goal it is enough to know the
// transitions, from which a search over clusters goes as far as it is asked, like reverse resumable A* over cells:
//
//   distance(cell) = least over transitions t of its cluster of (cell to t) + (t to the goal)
//
// That is the length of a way that exists, so it is never too small, and from every cell some move leads to a cell whose
// distance is smaller by at least one: who follows it arrives.

#ifndef SEARCH__COARSE_H_
#define SEARCH__COARSE_H_

#include "search/hpa/hpa.h"
#include "world/moves.h"

// Shared by all goals on one map.
typedef struct fw_coarse_t {
  const fw_moves_t * moves;
  fw_floor_t floor;
  hpa_t hpa;
  uint16_t ** tables;  // by cluster: for each of its nodes, moves to each of its cells; UINT16_MAX for no way inside
} fw_coarse_t;

enum { FW_COARSE_PAGE_BITS = 7, FW_COARSE_PAGE = 1 << FW_COARSE_PAGE_BITS };

// One goal.
typedef struct fw_coarse_goal_t {
  const fw_coarse_t * coarse;
  fw_arena_t * arena;
  int32_t cluster;
  int32_t aim_x;  // where questions are expected
  int32_t aim_y;
  uint16_t * near;    // of the goal's own cluster: moves from each cell to the goal
  uint32_t ** pages;  // by node of the clusters: 0 unseen, else (moves + 1) * 2 + is_closed
  fw_bucket_queue_t open;
  int64_t expanded;
  bool has_failed;  // no memory: answers are not to be trusted
} fw_coarse_goal_t;

// For robots without heading, distances in moves, whatever the floor costs. `moves` and its grid stay borrowed. `cluster`
// is the side of a cluster, 4 to 128; 32 is a good choice. FW_RET_UNSUPPORTED for headings.
FW_MUST_USE fw_ret_t fw__coarse_init(
  fw_coarse_t * coarse, fw_arena_t * arena, const fw_moves_t * moves, int32_t cluster, fw_error_t * error);

// `aim` is a cell, as for fw__distance_init. `goal` is {0} or one of the same arena, whose memory is used again. Not from two
// threads at once, as it uses the map's own memory; get may be, for different goals. False when there is no memory.
bool fw__coarse_aim(
  fw_coarse_goal_t * goal, fw_arena_t * arena, fw_coarse_t * coarse, fw_cell_t goal_cell, fw_cell_t aim);

// The distance of a cell where the robot fits, INT32_MAX if there is no way (or no memory).
int32_t fw__coarse_get(fw_coarse_goal_t * goal, fw_cell_t cell);

#endif  // SEARCH__COARSE_H_
