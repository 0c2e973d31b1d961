// PIBT, priority inheritance with backtracking, as a generator of configurations: from where all robots are, one tick
// further for all of them, without collisions.
//
// K. Okumura, M. Machida, X. Défago, Y. Tamura, Priority Inheritance with Backtracking for Iterative Multi-agent Path
// Finding, Artificial Intelligence 310, 2022; the swap operation: K. Okumura, Improving LaCAM for Scalable Eventually
// Optimal Multi-Agent Pathfinding, IJCAI 2023.
//
// Robots choose in an order, each the place nearest to its goal that is left. If a robot stands there that has not
// chosen yet, that one chooses first and inherits the priority of the one that wants its place (it is pushed); if it
// cannot leave, the other takes its next best place (backtracking). Some robots may be fixed to places beforehand: the
// constraints of LaCAM.
//
// The planner `pibt` makes one step after another; `lacam` searches over the configurations that come out.

#ifndef PLANNER__LACAM__PIBT_H_
#define PLANNER__LACAM__PIBT_H_

#include "base/rng.h"
#include "planner/fleet.h"
#include "planner/lacam/escape.h"

typedef struct fw_pibt_generator_t {
  const fw_problem_t * problem;
  const fw_moves_t * moves;  // of robots of one cell; a place is a node of it
  fw_meter_t * meter;
  fw_distance_t ** fields;  // by robot: distances to its goal
  int32_t * goals;          // by robot: a place
  fw_escape_t escape;
  fw_rng_t rng;        // breaks ties between places of the same distance
  bool swaps;          // with the swap operation
  bool is_slow;        // a place may be entered some ticks after it was left, for robust ticks
  bool has_rotations;  // robots may rotate in a ring
  int32_t rows;        // how many configurations, the present one first, decide where robots may go
  // By robot: the place that it prefers to all others at the next tick, -1 for none; NULL: distances decide for all.
  const int32_t * wishes;
  bool swaps_wishes;  // robots with a wish take part in swaps, too
  // The order in which robots choose.
  int32_t * ranks;  // by robot: of its priority, 0 the highest
  int32_t rank_count;
  int32_t * class_ends;
  // The step; empty between two calls.
  const int32_t * now;  // by robot: its place
  fw_tick_t tick;       // of `now`
  int32_t * next;       // by robot: its place at the next tick, -1 as long as it has not chosen
  int32_t * holders;    // by place: the robot that holds it (it is there, or was so robust_ticks ago), or -1
  int32_t * claimed;    // by place: the robot that will be there, -1 for none
  struct fw_pibt_frame_t * frames;  // a stack of robots that are choosing
  bool has_failed;                  // a robot can neither stay nor leave
  int32_t failed_robot;             // that robot; -1: fixed robots collide
  int64_t pushes;
  int64_t swap_count;
} fw_pibt_generator_t;

// FW_RET_UNSUPPORTED, with the reason in `error`, if a robot has another body than one cell, one tick per move and no
// heading.
fw_ret_t fw__pibt_check_bodies(const fw_problem_t * problem, fw_error_t * error);

// For the robots of a fleet, which stays borrowed; it may have empty slots, whose place is -1 in every configuration.
// False when there is no memory.
bool fw__pibt_generator_init(fw_pibt_generator_t * pibt, fw_arena_t * arena, fw_fleet_t * fleet, fw_meter_t * meter);
// Takes over goals, distances and priorities of the fleet after robots or goals have changed. `order` has room for all
// robots; what is written there has no meaning.
void fw__pibt_generator_update(fw_pibt_generator_t * pibt, const fw_fleet_t * fleet, int32_t * order);
// Makes every step a tick, also with robust ticks and without closures.
void fw__pibt_step_by_ticks(fw_pibt_generator_t * pibt);

// With robust ticks and without closures, a step is no tick: it is driven in several ticks (step_schedule.h), and must
// not contain a rotation. With closures, where a step must be a tick, nobody may enter a place in the tick in which
// another leaves it, nor for robust_ticks - 1 ticks more.
static inline bool fw__pibt_has_schedule(const fw_problem_t * problem)
{
  return problem->robust_ticks > 0 && problem->closure_count == 0;
}
// How many configurations, the present one first, decide where robots may go.
static inline int32_t fw__pibt_rows(const fw_problem_t * problem)
{
  return problem->robust_ticks > 1 && !fw__pibt_has_schedule(problem) ? problem->robust_ticks : 1;
}

// ---- the order ------------------------------------------------------------------------------------------------------

// Before the first tick: by falling priority, then `keys` (larger first), then index.
void fw__pibt_order_first(const fw_pibt_generator_t * pibt, const int32_t * keys, int32_t * order);
// A configuration and the order in which robots chose before it.
typedef struct fw_pibt_turn_t {
  const int32_t * places;
  fw_tick_t tick;
  const int32_t * before;
} fw_pibt_turn_t;
// The order after a tick: robots that must leave their place come first, then robots under way, then robots on their
// goals; within each class by priority, then in the order before. So a robot that arrives falls behind all others, and
// every robot comes first eventually.
void fw__pibt_order_next(fw_pibt_generator_t * pibt, const fw_pibt_turn_t * turn, int32_t * order);

// ---- the step -------------------------------------------------------------------------------------------------------

typedef struct fw_pibt_request_t {
  const int32_t * places;  // `rows` rows of places by robot: at `tick`, at the tick before, ...
  fw_tick_t tick;
  const int32_t * order;
  const int32_t * fixed_robots;  // robots whose next place is given, and these places
  const int32_t * fixed_places;
  int32_t fixed_count;
} fw_pibt_request_t;

// Writes the place of every robot at the next tick. False if there is none that this order leads to: only with fixed
// robots or closures. If the meter stops on the way, the places are valid but not led by distances.
bool fw__pibt_generate(fw_pibt_generator_t * pibt, const fw_pibt_request_t * request, int32_t * next);

// Whether two robots may move so at the same tick, by their places before and after.
typedef struct fw_pibt_move_t {
  int32_t from;
  int32_t to;
} fw_pibt_move_t;
bool fw__pibt_moves_agree(const fw_pibt_generator_t * pibt, fw_pibt_move_t one, fw_pibt_move_t other);

// The distance of a robot from a place to its goal.
static inline int32_t fw__pibt_distance(const fw_pibt_generator_t * pibt, int32_t robot, int32_t place)
{
  return fw__distance_get(pibt->fields[robot], place, pibt->meter);
}

#endif  // PLANNER__LACAM__PIBT_H_
