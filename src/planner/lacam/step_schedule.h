// From a sequence of configurations to timed paths with robust ticks.
//
// With robust ticks k a robot may enter a place only k ticks after another has left it. PIBT and LaCAM know nothing of
// that: in one step of theirs a row of robots moves up by one, each to the place of the next. As long as robots do not
// rotate in a ring, such a step can be driven one robot after the other, so that a sequence of steps without rotations
// is also a plan with robust ticks. (And the other way round: a plan with k > 0 is such a sequence.) What matters is
// only who enters a place after whom; every robot then drives as early as that allows (the earliest schedule of a
// temporal plan graph: Hönig et al., Multi-Agent Path Finding with Kinematic Constraints, ICAPS 2016).
//
//   step 1   a b c .   ->   . a b c        k = 1:  c moves at tick 1, b at tick 2, a at tick 3
//
// Times are computed step by step. Closures are not known here.

#ifndef PLANNER__LACAM__STEP_SCHEDULE_H_
#define PLANNER__LACAM__STEP_SCHEDULE_H_

#include "base/list.h"
#include "planner/lacam/pibt.h"

typedef struct fw_step_schedule_t {
  const fw_problem_t * problem;
  const fw_moves_t * moves;
  const int32_t * goals;  // by robot: a place
  fw_arena_t * arena;
  int32_t * now;          // by robot: its place
  fw_list_t * visits;     // by robot: pairs of a place and the tick of its arrival there
  int32_t * standing;     // by place: the robot there, -1 for none
  int32_t * last_robots;  // by place: the last robot that has left it, -1 for none
  fw_tick_t * free_from;  // by place: when others than that robot may enter it
  fw_tick_t *
    crossed[2];     // by place: the last tick of a diagonal move over the square whose first place it is, for each
                    // of the two diagonals; NULL with 4 directions
  int32_t * chain;  // robots of which each enters the place of the next
  fw_tick_t end;    // the last arrival
} fw_step_schedule_t;

// All robots on `places` at tick 0; problem and map are those of the generator. False when there is no memory.
bool fw__step_schedule_init(
  fw_step_schedule_t * schedule, fw_arena_t * arena, const fw_pibt_generator_t * pibt, const int32_t * places);
// The next configuration: robots move to neighbours or stay, without collisions, swaps and rotations. False when there
// is no memory.
bool fw__step_schedule_add(fw_step_schedule_t * schedule, const int32_t * next);
// Paths of cells up to tick `until` at most; NULL when there is no memory. A robot whose path is shorter stays.
fw_path_t * fw__step_schedule_paths(const fw_step_schedule_t * schedule, fw_tick_t until);

#endif  // PLANNER__LACAM__STEP_SCHEDULE_H_
