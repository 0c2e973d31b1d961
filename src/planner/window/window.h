// A fleet that plans a window of some ticks ahead and moves on: the core of `whca` (windowed hierarchical cooperative
// A*, Silver 2006).
//
// Each robot has a plan that is reserved some ticks ahead. When half of it is left, the robot plans again, `window`
// ticks deep; what lies beyond the window counts by its true distance. The robots' plans end at different ticks, so
// that every tick has about the same number of searches, 2 n / window.
//
// How a robot gets its next plan, in this order:
// - around the reservations of all others, or through robots of lower rank that can plan again in the same tick
//   (replan.h);
// - through robots of equal priority, if there is no other path;
// - if it has made no progress for some time, together with all robots in its way (negotiation.h);
// - if it has none of these and its plan ends (or is shorter than was guaranteed), all robots stop where they are and
//   plan from there. That is always possible, except where places close or waiting is forbidden: if a robot can neither
//   stay nor go, the fleet is stuck.
//
//   whca.c         the planner: parameters, one shot or rolling, and the plan
//   rolling.h      the window that is kept from one solve to the next (warm start)
//   window.h       robots, time, and which robot plans when
//   negotiation.h  several robots plan together
//   replan.h       one robot plans; ranks and prices
//   transaction.h  plans as reservations; all robots of a change get a new plan, or none
//   crowd.h        steps for all robots where they find no paths
//   departure.h    how soon large and slow robots can leave their cells
//
// Each file uses those below it. Ranks, prices and negotiation go beyond Silver.

#ifndef PLANNER__WINDOW__WINDOW_H_
#define PLANNER__WINDOW__WINDOW_H_

#include "planner/fleet.h"
#include "spacetime/search.h"

typedef struct fw_window_options_t {
  int32_t window;          // ticks that robots plan ahead, at least 2
  int32_t crowded_window;  // the same where robots are crowded, see depth_of in window.c; 0: `window` everywhere
  int32_t price;           // ticks that planning through a robot of lower rank must save
  int32_t price_rise;      // added to a robot's price each time it has to give way
  int32_t price_age;       // a price rises by at most a tick for so many ticks off the goal; 0: up to the window
  int32_t changes_max;     // robots that may have to plan again for one
  int32_t patience;        // how often a robot plans without coming nearer before it negotiates; 0: never
  int32_t reach;           // ticks that a negotiation looks ahead
  int32_t effort;          // expansions that a negotiation may use
  int32_t estimate;        // 0: true distances; 4: Manhattan, 8: Chebyshev distance, in searches and beyond the window
  int32_t guaranteed_ticks;  // every plan reaches this far after a round, at most half a window; 0 means 1
  int32_t places_max;        // a robot's distances begin anew when they contain more places; 0: never
  int32_t order;             // fw_window_order_t: which robots plan first at the beginning
  int32_t is_plain;          // 1: WHCA* as published: nobody plans through others, except by Silver's second chance
  int32_t is_strict;         // 1: a robot never gives way to one of lower priority, even if these never arrive then
  int32_t round_effort;      // search states per robot in a round (see add_effort), then only steps; 0: no limit
  int32_t seed;              // of the steps
  fw_fleet_options_t fleet;
} fw_window_options_t;

// The order of robots of equal priority at the first tick. The first to plan has its goal for itself, and the others
// plan around it: with the shortest path first, as in `hca`, plans cost less where there is room; where robots fill an
// eighth of the floor or more, those that settle early are in the way. On maps with rules
// of traffic, auto keeps the order by index: robots waited more in no-waiting areas when such plans were driven.
typedef enum fw_window_order_t {
  FW_WINDOW_ORDER_AUTO,
  FW_WINDOW_ORDER_INDEX,
  FW_WINDOW_ORDER_SHORTEST
} fw_window_order_t;

// The defaults of `whca`.
enum {
  FW_WINDOW_TICKS = 32,
  FW_WINDOW_PRICE = 2,
  FW_WINDOW_PRICE_RISE = 20,
  FW_WINDOW_PRICE_AGE = 4,
  FW_WINDOW_CHANGES = 24,
  FW_WINDOW_PATIENCE = 4,
  FW_WINDOW_REACH = 512,
  FW_WINDOW_EFFORT = 200000,
  FW_WINDOW_ROUND_EFFORT = 24,
};
fw_window_options_t fw__window_options_default(void);

typedef struct fw_window_counts_t {
  int64_t searches;
  int64_t overridden;    // times that a robot had to plan again for another
  int64_t promotions;    // times that a robot without a path tried to plan through robots of equal priority
  int64_t rollbacks;     // transactions that were rolled back
  int64_t negotiations;  // that were successful
  int64_t yields;        // times that a robot gave way to one of lower priority in a negotiation
  int64_t stops;         // of the whole fleet
  int64_t states;        // of all searches
  int64_t crowd_steps;   // times that a robot got a plan from steps (crowd.h)
  int64_t cut_rounds;    // rounds whose effort was used up
} fw_window_counts_t;

// A robot's plan: cells[i] at tick from + i, then the last cell until `until`.
typedef struct fw_window_plan_t {
  fw_cell_t * cells;
  uint8_t * headings;  // like `cells`, if the robot has a heading
  bool has_heading;
  int32_t length;
  int32_t capacity;
  int32_t heading_capacity;
  fw_tick_t from;
  fw_tick_t until;
  fw_tick_t reserved_until;  // of a saved plan: how long its last place was reserved, `until` or longer
} fw_window_plan_t;

// Earliest departures of all robots (departure.h).
typedef struct fw_departures_t {
  fw_commitment_t * of;  // by robot; the reservation table refers to it
  int32_t * capacities;
  struct fw_departure_key_t * known;  // by robot: for what `of` was computed
  bool are_current;                   // all of them, at this tick
  fw_bucket_queue_t open;
  fw_tick_t * best;  // by pose around the present one: the earliest arrival there
  int32_t best_capacity;
} fw_departures_t;

typedef struct fw_window_t {
  fw_window_options_t options;
  fw_window_counts_t counts;
  fw_fleet_t * fleet;
  fw_meter_t * meter;
  fw_tick_t now;
  fw_window_plan_t * plans;  // by robot
  bool is_stuck;  // a robot is on a cell that closes at the next tick or where it may not wait, and cannot go
  // Internal to the files of this folder:
  fw_arena_t * arena;
  fw_reservations_t table;
  fw_spacetime_search_t search;
  fw_departures_t departures;
  fw_window_plan_t * saved;    // by robot: its plan before the present transaction
  fw_window_plan_t path_copy;  // a path that outlives a search
  bool * is_withdrawn;         // by robot: part of the present transaction
  int32_t * withdrawn;         // those robots, in the order in which they joined
  int32_t withdrawn_count;     // 0 between transactions
  int32_t * queue;             // of a negotiation: robots that have to plan, a ring buffer
  bool * is_queued;            // by robot
  int32_t * ages;              // by robot: ticks since it was last on its goal
  int32_t * nearest;           // by robot: the least distance to its present goal from which it has planned
  int32_t * stalls;            // by robot: how often it has planned since then
  bool * has_left;             // by robot: it has left its start
  bool * has_new_goal;         // by robot: it plans at the next call
  int32_t * price_rises;       // by robot: added to its price because it gave way before
  int32_t * prices;            // by robot: for the present search
  int32_t * due;               // robots that plan at this tick
  int32_t * depths;            // by robot: ticks that it planned ahead when it last planned
  bool has_priorities;         // robots differ in priority
  bool is_shortest_first;      // at the first tick
  fw_tick_t * yields_until;    // by robot: until then it has the priority `yields_to`, having agreed to give way
  int32_t * yields_to;
  int64_t states_max;         // `counts.states` at which the effort of this round is used up; INT64_MAX: no limit
  int64_t negotiable;         // states that negotiations may use now; each round adds some; INT64_MAX: no limit
  struct fw_crowd_t * crowd;  // NULL: the fleet stops where robots find no path
  fw_tick_t stopped_at;       // of the last stop of all robots
  int32_t stop_ticks;         // for how long it reserved their places
} fw_window_t;

// `fleet` must be ready; it and `meter` stay borrowed. Memory comes from the fleet's arena, which must not have failed.
// The window is made longer if half of it would be shorter than a move or a turn of the slowest robot. False when there
// is no memory.
bool fw__window_init(fw_window_t * window, fw_fleet_t * fleet, fw_meter_t * meter, const fw_window_options_t * options);

// Plans for all robots that are due. Afterwards every plan lasts for the guaranteed ticks, except those of robots on
// cells that close earlier. False if the meter has stopped or the fleet is stuck; existing plans stay valid.
bool fw__window_plan(fw_window_t * window);
// For the end without a plan to the goals: if a plan does not last for half a window, all robots stop where they are,
// for a window or until their place closes, so that the answer is safe for long. Running out of memory stops the meter.
void fw__window_hold(fw_window_t * window);
// One tick passes. True if all robots are on their goals now, and no goal closes any more.
bool fw__window_step(fw_window_t * window);

// The goal of a robot in the fleet's problem has changed: the robot plans at the next call. False if there is no path
// to the goal, or no memory.
bool fw__window_goal_changed(fw_window_t * window, int32_t robot);
// The fleet's problem has a new robot in a slot that was empty: it stands on its start from now on and plans at the
// next call. False if it is in motion, if another robot is about to enter its place, if it has no path to its goal, or
// without memory: begin a new window then.
bool fw__window_add(fw_window_t * window, int32_t robot);
// Call it before the robot leaves the fleet's problem. Its reservations are removed.
void fw__window_remove(fw_window_t * window, int32_t robot);
// Priorities in the problem have changed.
void fw__window_read_priorities(fw_window_t * window);

// True if no transaction is open, and every plan covers the present and is what is reserved. For assertions and tests.
bool fw__window_validate(const fw_window_t * window);

// The plan as a path from its tick `from` on; a view.
static inline fw_path_t fw__window_path(const fw_window_plan_t * plan)
{
  return (fw_path_t){
    .cells = plan->cells, .length = plan->length, .headings = plan->has_heading ? plan->headings : NULL};
}

// Where the robot is at a tick, from `now` to its plan's `until`.
static inline fw_cell_t fw__window_place(const fw_window_t * window, int32_t robot, fw_tick_t tick)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  const int32_t at = tick - plan->from;
  return plan->cells[at < plan->length ? at : plan->length - 1];
}
static inline fw_grid_pose_t fw__window_pose(const fw_window_t * window, int32_t robot, fw_tick_t tick)
{
  const fw_path_t path = fw__window_path(&window->plans[robot]);
  const int32_t at = tick - window->plans[robot].from;
  return fw__path_pose(&path, at < path.length ? at : path.length - 1);
}

// Whether the robot has left its start when it is at this pose, where it is ready.
static inline bool fw__window_has_left(const fw_window_t * window, int32_t robot, fw_grid_pose_t pose)
{
  return window->has_left[robot] || pose.cell != window->fleet->problem->robots[robot].start;
}
// Whether the robot may stand still at this pose, where it is ready.
static inline bool fw__window_may_wait(const fw_window_t * window, int32_t robot, fw_grid_pose_t pose)
{
  return fw_grid_allows_waiting(window->fleet->problem->grid, pose.cell) ||
         pose.cell == window->fleet->problem->robots[robot].goal || !fw__window_has_left(window, robot, pose);
}

// Whether the effort of this round is used up.
static inline bool fw__window_is_exhausted(const fw_window_t * window)
{
  return window->counts.states >= window->states_max;
}

// Whether the robot is on its goal and no cell that it covers there closes later.
bool fw__window_is_settled(const fw_window_t * window, int32_t robot);

#endif  // PLANNER__WINDOW__WINDOW_H_
