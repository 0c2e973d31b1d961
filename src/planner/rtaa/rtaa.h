// What the files of `rtaa` share: the run, its tracks, and the step in which robots commit themselves.

#ifndef PLANNER__RTAA__RTAA_H_
#define PLANNER__RTAA__RTAA_H_

#include "base/rng.h"
#include "fleetweave/batch.h"
#include "planner/fleet.h"

// A robot's path so far.
typedef struct fw_rtaa_track_t {
  fw_cell_t * cells;
  int32_t count;
  int32_t capacity;
} fw_rtaa_track_t;

// Somebody who is choosing the next cell, and for whom (rtaa_commit.c).
typedef struct fw_rtaa_choice_t {
  int32_t robot;
  int32_t pusher;  // -1: nobody asks it to go
  int32_t count;
  int32_t at;       // the candidate that is tried
  int32_t partner;  // drawn along to where the robot is if it gets its first candidate; -1 for nobody
  fw_cell_t candidates[9];
} fw_rtaa_choice_t;

typedef struct fw_rtaa_run_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_batch_t batch;
  fw_arena_t * batch_arena;
  int32_t lookahead;
  fw_tick_t now;
  fw_tick_t ticks_max;
  fw_rtaa_track_t * tracks;  // by robot
  // The order in which robots choose: rtaa_order.c
  int32_t * order;
  int32_t * sorted;     // room for the next order
  int32_t * seniority;  // by robot: who chooses first at the beginning, among equals
  int32_t * rank;       // by robot: of its priority, 0 the highest
  int32_t * places;     // by rank, twice: where the next robot of that rank goes
  int32_t rank_count;
  int32_t * blocked;         // by robot: ticks that it has wanted to move and could not, one after the other
  fw_tick_t * yields_until;  // by robot: up to that tick it lets all others choose first (rtaa_swap.c)
  int32_t patience;
  int32_t parked;      // what the cell of a robot on its goal costs more, at most, the first time
  int32_t * arrivals;  // by robot: how often it has come to its goal
  // The step: rtaa_commit.c
  fw_cell_t * cells;      // by robot: where it is
  fw_cell_t * next;       // by robot: where it will be, FW_CELL_NONE as long as it has not chosen
  int32_t * standing;     // by cell: the robot there, -1 for none
  int32_t * claimed;      // by cell: the robot that will be there, -1 for none
  fw_tick_t * free_from;  // by cell: the first tick at which it may be entered, for what its last robot left behind
  fw_rtaa_choice_t * choices;  // a stack
  int64_t pushes;
  int64_t swaps;
  int64_t waits;
  int64_t demotions;
} fw_rtaa_run_t;

static inline bool fw__rtaa_is_on_goal(const fw_rtaa_run_t * run, int32_t robot)
{
  return run->cells[robot] == run->problem->robots[robot].goal;
}

// ---- the run: rtaa.c ------------------------------------------------------------------------------------------------

// An arena as an allocator that gives nothing back.
fw_allocator_t fw__rtaa_allocator(fw_arena_t * arena);
// An episode of everybody who is under way. False if the budget is used up.
bool fw__rtaa_run_episode(fw_rtaa_run_t * run);
// The plan from the tracks.
fw_ret_t fw__rtaa_answer(
  fw_rtaa_run_t * run, bool is_solved, fw_tick_t safe_until, fw_plan_t * plan, fw_error_t * error);

// ---- together: rtaa_together.c --------------------------------------------------------------------------------------

fw_ret_t fw__rtaa_solve_together(fw_rtaa_run_t * run, fw_plan_t * plan, fw_error_t * error);

// ---- alone: rtaa_alone.c --------------------------------------------------------------------------------------------

fw_ret_t fw__rtaa_solve_alone(fw_rtaa_run_t * run, fw_plan_t * plan, fw_error_t * error);

// ---- tracks: rtaa_track.c -------------------------------------------------------------------------------------------

// False, with the meter stopped, when there is no memory.
bool fw__rtaa_tracks_init(fw_rtaa_run_t * run);
bool fw__rtaa_track_add(fw_rtaa_run_t * run, int32_t robot, fw_cell_t cell);
// The tracks as paths up to tick `until`, NULL when there is no memory.
fw_path_t * fw__rtaa_tracks_paths(const fw_rtaa_run_t * run, fw_tick_t until);

// ---- order: rtaa_order.c --------------------------------------------------------------------------------------------

bool fw__rtaa_order_init(fw_rtaa_run_t * run);
// The first order, when it is known who is senior.
void fw__rtaa_order_begin(fw_rtaa_run_t * run);
// Before each tick.
void fw__rtaa_order_update(fw_rtaa_run_t * run);

// ---- the step: rtaa_commit.c ----------------------------------------------------------------------------------------

bool fw__rtaa_commit_init(fw_rtaa_run_t * run);
// Everybody chooses the cell of the next tick, by the ways that the last episode found. False, with the meter stopped, when
// there is no memory; the step is made all the same.
bool fw__rtaa_commit(fw_rtaa_run_t * run);

// ---- candidates: rtaa_candidates.c ----------------------------------------------------------------------------------

// The cell with that heading from one, FW_CELL_NONE if there is no such move.
fw_cell_t fw__rtaa_neighbour(const fw_rtaa_run_t * run, fw_cell_t cell, int32_t heading);
// 24 bits that depend on the seed, the tick, the robot and `salt`, below 16.
uint64_t fw__rtaa_chance(const fw_rtaa_run_t * run, int32_t robot, int32_t salt);
// Fills in candidates and partner.
void fw__rtaa_choose_candidates(const fw_rtaa_run_t * run, int32_t robot, fw_rtaa_choice_t * choice);

// ---- lanes: rtaa_swap.c ---------------------------------------------------------------------------------------------

// Somebody on the cell that the robot wants with whom it should go back to a fork, -1 if there is nobody.
int32_t fw__rtaa_find_swap(const fw_rtaa_run_t * run, int32_t robot, fw_cell_t wanted);
// For how many ticks it should let the others go first when nobody can be drawn along.
fw_tick_t fw__rtaa_yield_ticks(const fw_rtaa_run_t * run, int32_t robot, int32_t other);

// ---- reach: rtaa_reach.c --------------------------------------------------------------------------------------------

// The first robot whose goal is not connected with its start, -1 if there is none, -2 when there is no memory.
int32_t fw__rtaa_find_cut_off(fw_arena_t * arena, const fw_problem_t * problem);
// A lower bound on the sum of costs: everybody alone. Exact for as many robots as a fixed amount of work allows.
fw_cost_t fw__rtaa_bound(fw_rtaa_run_t * run);

#endif  // PLANNER__RTAA__RTAA_H_
