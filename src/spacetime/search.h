// A path for one robot through space and time, around the reservations of others.
//
// Searches with one contract:
// - fw__spacetime_astar: states (place, tick), as Silver describes it. Any body, any terrain. The reference.
// - fw__interval_search: states (place, gap between reservations), after Phillips and Likhachev, "SIPP: Safe Interval
//   Path Planning for Dynamic Environments", 2011. A robot can wait anywhere inside a gap, so only the earliest arrival
//   in each gap matters: the same arrival tick with a fraction of the states. Plain bodies (single cells, one tick per
//   move, no heading, nothing swept) on floor that costs the same everywhere.
//   Neither horizon nor prices.
// - fw__override_search: the same with a horizon, and through reservations of others at a price, as space-time A* may.

#ifndef SPACETIME__SEARCH_H_
#define SPACETIME__SEARCH_H_

#include "base/meter.h"
#include "search/distance/distance.h"
#include "spacetime/reservations.h"

#define FW_PRICE_NEVER INT32_MAX

// What a search pays on top of ticks, by cell and tick, and in which unit.
typedef struct fw_bias_t {
  int32_t unit;     // what a tick on floor of cost 1 counts; more than 1 for costs that are fractions of it
  fw_tick_t until;  // there is none on later ticks
  int32_t (*at)(const void * state, fw_cell_t cell, fw_tick_t tick);  // 0 or more, for being there at that tick
  const void * state;
} fw_bias_t;

typedef struct fw_query_t {
  const fw_reservations_t * table;
  const fw_moves_t * moves;  // of the robot's body
  int32_t robot;
  fw_cell_t start;  // where the robot is at tick `now`
  int32_t heading;  // which way it faces there; 0 if it has none
  fw_tick_t now;
  // FW_TICK_MAX: the path ends on the goal, for good. Less: it lasts until this tick, on the goal or on the way to it;
  // what lies behind counts by its distance (Silver's terminal node), and pauses on the goal are free.
  fw_tick_t horizon;
  // NULL: the path meets nobody. Else, by robot, what overriding one of its stays costs in ticks; FW_PRICE_NEVER for
  // those that must be respected. Nobody is met before being ready.
  const int32_t * prices;
  // Space-time A*: the price is paid when a path comes upon somebody, not again on each tick that it stays upon them. The
  // override search does so in any case.
  bool is_paid_once;
  // With a horizon: only a path that is on the goal at the horizon will do. Without, every path ends there.
  bool must_arrive;
  // 0: any path will do. Else only one whose ticks, prices and distance left (what searches minimise) come to less; by
  // searches with a horizon only.
  int64_t limit;
  int64_t effort;  // 0: as long as it takes. Else gives up after so many expansions, as if there were no path
  // Exactly one of the two estimates of what is left to go:
  fw_distance_t * distance;  // true distance, weighted if the floor is not uniform
  int32_t estimate_degree;   // 4: Manhattan, 8: larger difference; used when `distance` is NULL
  // NULL: none. By space-time A* without prices or a limit only.
  const fw_bias_t * bias;
} fw_query_t;

// Memory of searches, used again by each: make one and pass it to all.
typedef struct fw_search_t {
  fw_arena_t * arena;
  fw_buckets_t open;
  struct fw_search_state_t * states;
  int32_t state_count;
  int32_t state_capacity;
  int32_t * first_at;  // by place: index of its latest state, valid if stamped with the present search
  uint32_t * stamp_at;
  int32_t place_capacity;
  uint32_t stamp;
  int32_t * slots;  // hash of (place, tick), space-time A* only
  int32_t slot_capacity;
  fw_cell_t * cells;  // the path found, overwritten by the next search
  int32_t cell_capacity;
  uint8_t * headings;  // of the path found, where the robot has some
  int32_t heading_capacity;
} fw_search_t;

void fw__search_init(fw_search_t * search, fw_arena_t * arena);

typedef enum fw_found_t {
  FW_FOUND_PATH,
  FW_FOUND_NONE,     // there is no path around these reservations
  FW_FOUND_STOPPED,  // the meter says why; memory included
} fw_found_t;

// On FW_FOUND_PATH `path` is a view into `search`.
fw_found_t fw__interval_search(fw_search_t * search, const fw_query_t * query, fw_meter_t * meter, fw_path_t * path);
fw_found_t fw__spacetime_astar(fw_search_t * search, const fw_query_t * query, fw_meter_t * meter, fw_path_t * path);

// The path of a robot that nobody disturbs, for queries that the interval search fits, with a distance. False if it is
// disturbed somewhere (or the meter stops it): search then.
bool fw__descend(fw_search_t * search, const fw_query_t * query, fw_meter_t * meter, fw_path_t * path);

fw_found_t fw__override_search(fw_search_t * search, const fw_query_t * query, fw_meter_t * meter, fw_path_t * path);

// The fastest that can answer the query: downhill where nobody disturbs, else one of the three.
fw_found_t fw__search_path(fw_search_t * search, const fw_query_t * query, fw_meter_t * meter, fw_path_t * path);

// Can the interval and override searches answer this query?
bool fw__interval_search_fits(const fw_query_t * query);

#endif  // SPACETIME__SEARCH_H_
