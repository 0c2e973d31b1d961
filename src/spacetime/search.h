// A path for one robot through space and time, around the reservations of others.
//
// The entrance is fw__spacetime_search_path, which chooses the fastest search that can answer a query:
//
// - fw__spacetime_descend: no search at all. A robot without conflicts follows its distance field.
// - fw__sipp_search: safe-interval path planning (Phillips and Likhachev, "SIPP: Safe Interval Path Planning for
//   Dynamic Environments", 2011). States are (place, safe interval). A robot can wait anywhere inside a safe interval,
//   so only the earliest arrival in each one matters: the same arrival tick with a fraction of the states. For plain
//   bodies (one cell, one tick per move, no heading, nothing swept) on floor that costs the same everywhere and where
//   robots may wait everywhere; no horizon, no prices.
// - fw__soft_sipp_search: the same with a horizon, and with reservations as soft constraints: the path may go through
//   those of other robots at a price. Plain bodies on uniform floor too.
// - fw__spacetime_astar: states (place, tick), as in Silver's cooperative A*. Any body, any terrain, places without
//   waiting, horizon, prices and free waits on the goal. The reference that tests compare the others with.

#ifndef SPACETIME__SEARCH_H_
#define SPACETIME__SEARCH_H_

#include "base/meter.h"
#include "search/distance/distance.h"
#include "spacetime/reservations.h"

#define FW_PRICE_NEVER INT32_MAX  // a hard constraint

// Extra costs by cell and tick (such as dual prices), and the unit that all costs are in.
typedef struct fw_bias_t {
  int32_t unit;     // cost of a tick on floor of cost 1; more than 1 if extra costs are fractions of it
  fw_tick_t until;  // no extra costs on later ticks
  int32_t (*at)(const void * state, fw_cell_t cell, fw_tick_t tick);  // 0 or more, for being there at that tick
  const void * state;
} fw_bias_t;

typedef struct fw_spacetime_query_t {
  const fw_reservations_t * table;
  const fw_moves_t * moves;  // of the robot's body
  int32_t robot;
  fw_cell_t start;  // where the robot is at tick `now`
  int32_t heading;  // at the start; 0 if the robot has none
  fw_tick_t now;
  // The robot has left the start of its problem: it may not wait at `start` if waiting is forbidden there.
  bool has_left;
  // FW_TICK_MAX: the path ends on the goal for good. Otherwise the path lasts until this tick, on the goal or on the
  // way to it; the rest counts by its distance (Silver's terminal node), and waiting on the goal is free.
  fw_tick_t horizon;
  // Without a horizon: a wait on the goal is free even if the robot has to leave the goal again, so that the path has
  // the fewest ticks off the goal, not the earliest end. Not with prices or a bias.
  bool is_rest_free;
  // NULL: the path has no conflicts. Otherwise, by robot, the price in ticks of overriding one of its reserved
  // intervals; FW_PRICE_NEVER for robots that must be respected. What a robot covers before it is ready is never
  // overridden.
  const int32_t * prices;
  // Space-time A*: the price is paid when the path enters a conflict, not again on each tick that it lasts. Soft SIPP
  // always does so.
  bool is_paid_once;
  // With a horizon: only a path that is on the goal at the horizon is accepted. Without, every path ends on the goal.
  bool must_arrive;
  // 0: none. Otherwise only a path whose cost (ticks, prices and remaining distance) is below the limit is accepted.
  int64_t limit;
  // 0: no limit. Otherwise the search gives up after this number of expansions, as if there were no path.
  int64_t effort;
  // Exactly one of two heuristics:
  fw_distance_t * distance;  // true distances, weighted if the floor is not uniform
  int32_t estimate_degree;   // used when `distance` is NULL; 4: Manhattan distance, 8: Chebyshev distance
  // NULL: none. Only for space-time A* without prices or a limit.
  const fw_bias_t * bias;
} fw_spacetime_query_t;

// Memory of searches, reused by each query: make one and pass it to all. One thread at a time.
typedef struct fw_spacetime_search_t {
  fw_arena_t * arena;
  fw_bucket_queue_t open;
  struct fw_spacetime_state_t * states;
  int32_t state_count;
  int32_t state_capacity;
  int32_t * first_at;  // by place: index of its latest state, valid if stamped with the present query
  uint32_t * stamp_at;
  int32_t place_capacity;
  uint32_t stamp;
  int32_t * slots;  // hash table of (place, tick), space-time A* only
  int32_t slot_capacity;
  fw_cell_t * cells;  // the path found, overwritten by the next query
  int32_t cell_capacity;
  uint8_t * headings;  // of the path found, if the robot has headings
  int32_t heading_capacity;
} fw_spacetime_search_t;

void fw__spacetime_search_init(fw_spacetime_search_t * search, fw_arena_t * arena);

typedef enum fw_found_t {
  FW_FOUND_PATH,
  FW_FOUND_NONE,     // there is no path around these reservations
  FW_FOUND_STOPPED,  // the meter says why; FW_STOP_MEMORY if there was no memory
} fw_found_t;

// The fastest search that can answer the query. On FW_FOUND_PATH `path` is a view into `search`, here and below.
fw_found_t fw__spacetime_search_path(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path);

fw_found_t fw__sipp_search(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path);
fw_found_t fw__soft_sipp_search(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path);
fw_found_t fw__spacetime_astar(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path);

// The path straight down the distance field, for plain bodies on uniform floor that have a distance field. False if it
// has a conflict, or the meter has stopped it: a search is needed then.
bool fw__spacetime_descend(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path);

// Whether SIPP and soft SIPP can answer this query.
bool fw__sipp_supports(const fw_spacetime_query_t * query);

#endif  // SPACETIME__SEARCH_H_
