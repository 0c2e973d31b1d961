// A* and its relatives: what they share. astar.c has the search with buckets (A*, Dijkstra's, greedy), weighted.c the one
// with a heap, estimate.c the estimates, astar_flavours.c the names.

#ifndef SEARCH__ASTAR_H_
#define SEARCH__ASTAR_H_

#include "base/bucket_queue.h"
#include "search/heap.h"
#include "search/marks.h"
#include "search/router.h"

typedef enum estimate_t {
  ESTIMATE_METRIC,
  ESTIMATE_ZERO,
  ESTIMATE_MANHATTAN,
  ESTIMATE_EUCLIDEAN,
  ESTIMATE_TRUE,
  ESTIMATE_LANDMARKS,  // of search "landmarks" alone
} estimate_t;

typedef enum flavour_t { FLAVOUR_ASTAR, FLAVOUR_DIJKSTRA, FLAVOUR_GREEDY, FLAVOUR_WEIGHTED } flavour_t;

typedef struct astar_t {
  fw_marks_t marks;
  fw_bucket_queue_t open;
  fw_heap_t heap;  // of weighted search
  int32_t shift;
  // True distances, kept as long as the goal is the same.
  int32_t * truth;
  int32_t truth_goal;
  const int32_t * landmarks;  // by place, `landmark_count` distances each
  int32_t landmark_count;
  // One question.
  flavour_t flavour;
  estimate_t estimate;
  int32_t percent;  // of the estimate
  int32_t goal_x;
  int32_t goal_y;
  int32_t best;         // the goal's cost so far
  fw_trail_t smoothed;  // of fw__smooth
  fw_trail_t way;       // of fw__astar_better
  int64_t reached;
} astar_t;

enum { NOTE_CLOSED = 8 };  // in a mark beside the direction; of weighted search

// Parameters of all of them, in this order.
enum { PARAMETER_HEURISTIC, PARAMETER_PERCENT, ASTAR_PARAMETERS };
extern const fw_parameter_def_t fw__astar_parameters[ASTAR_PARAMETERS];

// A state of its own for A* between places of the floor; NULL when there is no memory.
astar_t * fw__astar_make(fw_arena_t * arena, const fw_floor_t * floor);
// A* from one place to another for a way that costs less than `bound`: true if there is one, then it is in `way`. Counts on
// the context, whose question stays as it is.
bool fw__astar_better(astar_t * astar, fw_router_context_t * context, int32_t from, int32_t to, int32_t bound);

// What the searches of this family have in common: their state, and a question with an estimate of `percent`.
fw_ret_t fw__astar_build(fw_router_context_t * context, fw_error_t * error);
fw_ret_t fw__astar_update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error);
void fw__astar_ask(fw_router_context_t * context, flavour_t flavour, estimate_t estimate, int32_t percent);
// A*'s question with an estimate.
void fw__astar_find(fw_router_context_t * context, estimate_t estimate);

// What is left from there to the goal, by the question's estimate.
int32_t fw__astar_estimate(const astar_t * astar, const fw_router_context_t * context, int32_t place);
// Makes true distances to the goal known, if they are not. False when there is no memory.
bool fw__astar_know_truth(astar_t * astar, fw_router_context_t * context);

// Weighted search from what is in the heap. False when there is no memory.
bool fw__astar_search_weighted(astar_t * astar, fw_router_context_t * context);

#endif  // SEARCH__ASTAR_H_
