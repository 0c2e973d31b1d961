// A fleet that plans some ticks ahead and rolls on: the machine inside `whca` (Silver 2006).
//
// Each robot has a booking, a path that reaches some ticks ahead. Halfway through it plans again, `window` ticks deep;
// what lies behind the window counts by its true distance. Robots are staggered so that every tick has its share of
// searches, about 2 n / window.
//
// Who may go through whom is the rank: the priority, then the time since the robot was last on its goal, then the index.
// A robot may plan through bookings of lower ranks if that is worth it; they plan again at once, in the same tick, and
// if one of them cannot, nothing of it has happened: nobody ever executes a path that was overridden. A robot without
// any path gets a second chance: for once it may plan through every robot of its priority. If even that fails and its
// booking ends (or is shorter than was promised), everybody stops where they are and plans from there, which always holds, but for places that close:
// if a robot can neither stay nor go, the fleet is stuck.
//
// Two robots whose goals in a narrow lane are in the wrong order see no farther than their windows and would push each
// other to and fro for ever. A robot that comes no nearer for some time therefore looks farther, once: it negotiates a
// way to its goal, `reach` ticks deep, with all who are in it, and they with others, until everybody concerned ends on
// the goal; if they find no such plan everything stays as it was.
//
//   window.c          the life of a fleet: who plans when, what a tick is
//   window_hold.c     how long a robot holds what it is on
//   window_booking.c  what is booked for whom, and transactions: all of it or nothing
//   window_search.c   a path until some tick, through whom it may go, and what they cost
//   window_route.c    one robot's next plan: around others, or through them
//   window_talk.c     a negotiation: with them

#ifndef PLANNER__WINDOW__WINDOW_H_
#define PLANNER__WINDOW__WINDOW_H_

#include "planner/fleet.h"
#include "spacetime/search.h"

typedef struct fw_window_options_t {
  int32_t window;       // ticks
  int32_t price;        // ticks that overriding one stay must win
  int32_t price_rise;   // what is added to a robot's price each time it is overridden
  int32_t changes_max;  // robots that plan again for one
  int32_t patience;     // how often a robot plans without coming nearer before it negotiates; 0: never
  int32_t reach;        // ticks that a negotiation looks ahead
  int32_t effort;       // expansions that a negotiation may take
  int32_t estimate;     // 0: true distances; 4 or 8: Manhattan or octile, in searches and behind the window
  int32_t promise;      // ticks that every booking reaches after a round, at most half a window; 0 is read as 1
  int32_t places_max;   // a robot's distances begin anew when they have taken in more places; 0: never
  fw_fleet_options_t fleet;
} fw_window_options_t;

// What `whca` begins with.
enum {
  FW_WINDOW_TICKS = 32,
  FW_WINDOW_PRICE = 2,
  FW_WINDOW_PRICE_RISE = 20,
  FW_WINDOW_CHANGES = 24,
  FW_WINDOW_PATIENCE = 4,
  FW_WINDOW_REACH = 512,
  FW_WINDOW_EFFORT = 200000,
};
fw_window_options_t fw__window_options_default(void);

typedef struct fw_window_counts_t {
  int64_t searches;
  int64_t overridden;    // robots that had to plan again for another
  int64_t promotions;    // second chances
  int64_t rollbacks;     // overridings that were given up
  int64_t negotiations;  // that ended well
  int64_t stops;         // of the whole fleet
} fw_window_counts_t;

// A robot's plan: cells[i] at tick from + i, the last one until `until`.
typedef struct fw_window_plan_t {
  fw_cell_t * cells;
  uint8_t * headings;  // as the cells; NULL for a robot without
  bool has_heading;
  int32_t length;
  int32_t capacity;
  fw_tick_t from;
  fw_tick_t until;
} fw_window_plan_t;

// For which robot, where, holds have been worked out (window_hold.h).
typedef struct fw_window_held_t {
  const fw_body_t * body;
  fw_pose_t pose;
  fw_cell_t goal;
} fw_window_held_t;

typedef struct fw_window_holds_t {
  fw_commitment_t * of;  // by robot; the table looks at them
  int32_t * capacities;
  fw_window_held_t * known;
  bool are_known;  // all of them, at this tick
  fw_buckets_t open;
  fw_tick_t * best;  // by pose around the present one: the soonest that it can be there
  int32_t best_capacity;
} fw_window_holds_t;

typedef struct fw_window_t {
  fw_window_options_t options;
  fw_window_counts_t counts;
  fw_fleet_t * fleet;
  fw_meter_t * meter;
  fw_tick_t now;
  fw_window_plan_t * plans;  // by robot
  bool is_stuck;             // a robot stands where it closes with the next tick, and has no way out
  // Inside:
  fw_arena_t * arena;
  fw_reservations_t table;
  fw_spacetime_search_t search;
  fw_window_holds_t holds;
  fw_window_plan_t * saved;  // by robot: before the present transaction
  fw_window_plan_t kept;     // a path that outlives a search
  bool * is_changed;         // by robot: part of the present transaction
  int32_t * changes;         // those robots
  int32_t change_count;
  int32_t * queue;     // of a negotiation: who has to plan, a ring
  bool * is_queued;    // by robot
  int32_t * ages;      // by robot: ticks since it was last on its goal
  int32_t * nearest;   // by robot: the least distance from which it has planned towards its present goal
  int32_t * troubles;  // by robot: how often it has planned since without coming nearer
  bool * wants_plan;   // by robot: it has a new goal
  int32_t * rises;     // by robot: what is added to its price, since it was overridden before
  int32_t * prices;    // by robot: for the present search
  int32_t * due;
  bool has_priorities;  // robots differ in them
} fw_window_t;

// `fleet` must be ready and stays borrowed. The window is made longer if a robot is so slow that half of it were less
// than a move or a turn. False when there is no memory.
bool fw__window_init(
  fw_window_t * window, fw_arena_t * arena, fw_fleet_t * fleet, fw_meter_t * meter,
  const fw_window_options_t * options);

// Plans for whom it is time. Afterwards every booking reaches as far as was promised, unless a robot stands where it
// closes before. False: the meter has stopped it, or the fleet is stuck; what is booked still holds.
bool fw__window_plan(fw_window_t * window);
// One tick passes. True if every robot is on its goal now, for good: no goal closes any more.
bool fw__window_step(fw_window_t * window);

// The goal of a robot in the fleet's problem has changed: its distances begin anew and it plans at the next call. False
// if there is no way to the goal, or no memory.
bool fw__window_goal_changed(fw_window_t * window, int32_t robot);

// The plan as a path from its tick `from` on; a view.
static inline fw_path_t fw__window_path(const fw_window_plan_t * plan)
{
  return (fw_path_t){
    .cells = plan->cells, .length = plan->length, .headings = plan->has_heading ? plan->headings : NULL};
}

// The robot of the fleet's problem is new: it stands on its start from now on and plans at the next call. False if it is
// under way, if somebody is just coming there, if there is no way to its goal, or no memory: begin a new window then.
bool fw__window_add(fw_window_t * window, int32_t robot);
// Before the robot leaves the fleet's problem. What was booked for it is free.
void fw__window_remove(fw_window_t * window, int32_t robot);
// Priorities in the problem have changed.
void fw__window_read_priorities(fw_window_t * window);

// Where a robot is at a tick from `now` to its plan's `until`.
static inline fw_cell_t fw__window_place(const fw_window_t * window, int32_t robot, fw_tick_t tick)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  const int32_t at = tick - plan->from;
  return plan->cells[at < plan->length ? at : plan->length - 1];
}
static inline fw_pose_t fw__window_pose(const fw_window_t * window, int32_t robot, fw_tick_t tick)
{
  const fw_path_t path = fw__window_path(&window->plans[robot]);
  const int32_t at = tick - window->plans[robot].from;
  return fw__path_pose(&path, at < path.length ? at : path.length - 1);
}

// Is the robot on its goal now, which stays open with the heading that it has?
bool fw__window_is_settled(const fw_window_t * window, int32_t robot);

#endif  // PLANNER__WINDOW__WINDOW_H_
