// Large neighbourhood search over a plan: anytime improvement.
//
// J. Li, Z. Chen, D. Harabor, P. Stuckey, S. Koenig, Anytime Multi-Agent Path Finding via Large Neighborhood Search,
// IJCAI 2021. A few robots lose their paths (neighbourhood.h) and plan again one after another, around the paths of all
// others and of each other, with the searches of prioritized planning (`hca`). If they arrive earlier than before, or
// as early, the new paths stay; otherwise the old ones come back. So there is a whole plan at any time, and it only
// becomes better. Robots of higher priority plan first, and what they gain outweighs what those of lower priority lose.

#ifndef PLANNER__IMPROVE__LOCAL_SEARCH_H_
#define PLANNER__IMPROVE__LOCAL_SEARCH_H_

#include "planner/fleet.h"

typedef struct fw_local_search_request_t {
  fw_planner_context_t * context;  // its scratch has the paths; its meter counts; its seed and threads
  fw_fleet_t * fleet;              // ready
  const fw_path_t * paths;         // a plan in which every robot arrives
  bool is_rest_free;               // ticks off the goal are minimised, else last arrivals
  int64_t patience;    // it ends after so many neighbourhoods in a row, times the number of robots; 0: no such end
  int64_t least_gain;  // it ends when the second half of its expansions gained less, per mille; 0: no such end
} fw_local_search_request_t;

// What was found. Costs are what is minimised.
typedef struct fw_local_search_t {
  const fw_path_t * paths;
  int64_t first_cost;
  int64_t cost;
  int64_t least;  // no plan costs less
  int64_t tried;  // neighbourhoods
  int64_t accepted;
  int64_t improved;
  int64_t refused;  // better, but in conflict with others of the batch
} fw_local_search_t;

// Searches until the meter stops or nothing is to be gained. False when there is no memory: the meter says so, and the
// paths are those of the request.
bool fw__local_search_run(const fw_local_search_request_t * request, fw_local_search_t * found);

// The cost of paths, as the search counts it: each tick the cost of the cell that the robot waits on or moves to, from
// when it is on its start until it is on its goal for good.
int64_t fw__local_search_cost(const fw_fleet_t * fleet, const fw_path_t * paths, bool is_rest_free);
// No plan costs less: the sum over the robots, each alone on the map.
int64_t fw__local_search_least(fw_fleet_t * fleet, fw_meter_t * meter);

#endif  // PLANNER__IMPROVE__LOCAL_SEARCH_H_
