// The search of a single robot under its virtual costs: which search algorithms `bcp` can use, by name.
//
// This is the one place to add another: a name, a kind, and a function that finds a path. Searches of src/search are
// here if they take a cost for each cell. A* and its nearest relatives are written again here, with true distances, for
// robots with a heading, and for virtual costs that are part of the heuristic as in the paper.

#ifndef PLANNER__BCP__SINGLE_SEARCH_H_
#define PLANNER__BCP__SINGLE_SEARCH_H_

#include "planner/bcp/bcp.h"

typedef enum fw_bcp_search_kind_t {
  FW_BCP_ASTAR,
  FW_BCP_WEIGHTED,
  FW_BCP_GREEDY,
  FW_BCP_DIJKSTRA,
  FW_BCP_BANK,
  FW_BCP_BIDIRECTIONAL,
  FW_BCP_IDA,
  FW_BCP_HPA,
  FW_BCP_SPACETIME_ASTAR,
  FW_BCP_SEARCHES,
} fw_bcp_search_kind_t;

// The values of the parameter `search`.
extern const char * const fw__bcp_search_names[FW_BCP_SEARCHES];

// Memory comes from the context's scratch arena. False when there is none.
bool fw__bcp_search_init(fw_bcp_t * run);
// Searches a path for the robot, from the tick at which it is on its start, and puts it into `paths`. Where closures
// leave no path the robot waits at its start. False: the meter has stopped the search.
bool fw__bcp_search(fw_bcp_t * run, int32_t robot);

// The search is in space alone, so that a robot can neither arrive later nor leave its goal for a while.
bool fw__bcp_ignores_time(const fw_bcp_t * run);
// The robot is on its goal from the beginning and the search ignores time: nothing can move it, so that it comes before
// all others.
bool fw__bcp_is_fixed(const fw_bcp_t * run, int32_t robot);

#endif  // PLANNER__BCP__SINGLE_SEARCH_H_
