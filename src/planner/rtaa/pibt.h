// PIBT: priority inheritance with backtracking. One tick of all robots without collisions, in which no robot is blocked
// by one that could leave.
//
// K. Okumura, M. Machida, X. Défago, Y. Tamura, Priority Inheritance with Backtracking for Iterative Multi-agent Path
// Finding, IJCAI 2019 and Artificial Intelligence 310, 2022.
//
// Robots choose in an order, each the best neighbour cell that is left. If a robot stands there that has not chosen
// yet, that one must choose first and inherits the priority of the one that wants its cell (it is pushed); if it cannot
// leave, the other takes its next best cell (backtracking). Candidates are ranked by the batch of RTAA* searches: the
// first move of the path that the last episode found, then the distances that the robot has learned.
//
// With robust ticks a cell may not be entered while a robot is leaving it, nor for some ticks after. A pushed robot
// then leaves, and the one that pushed it waits where it is.

#ifndef PLANNER__RTAA__PIBT_H_
#define PLANNER__RTAA__PIBT_H_

#include "base/arena.h"
#include "fleetweave/batch.h"

// Ranks cells for a robot, by distances to its goal.
typedef uint32_t (*fw_pibt_estimate_t)(void * context, int32_t robot, fw_cell_t cell);

typedef struct fw_pibt_options_t {
  const fw_problem_t * problem;
  fw_batch_t * batch;
  fw_pibt_estimate_t estimate;  // NULL: what robots have learned in the batch, and the paths that they have found
  void * estimate_context;
  fw_arena_t * arena;
  uint64_t seed;
  int32_t patience;  // after this many blocked ticks in a row a robot lets those of its priority choose first
  int32_t parked;    // extra cost, at most, of the cell of a robot that is on its goal for the first time; 0: none
} fw_pibt_options_t;

typedef struct fw_pibt_t {
  const fw_problem_t * problem;
  fw_batch_t * batch;
  fw_pibt_estimate_t estimate;
  void * estimate_context;
  fw_grid_t known;  // the map of the batch as robots know it; they know the cells around them, which they see
  fw_arena_t * arena;
  uint64_t seed;
  fw_tick_t now;
  bool has_failed;  // no memory, for the arrays or for a price in the batch
  // The order in which robots choose.
  int32_t * order;
  int32_t * sorted;      // room for the next order
  int32_t * seniority;   // by robot: smaller chooses first at the beginning, among equal priorities
  int32_t * rank;        // by robot: of its priority, 0 the highest
  int32_t * class_ends;  // by class of the order: where its next robot goes
  int32_t rank_count;
  int32_t * blocked;         // by robot: ticks in a row that it wanted to move and could not
  fw_tick_t * yields_until;  // by robot: up to that tick it lets all others choose first
  int32_t patience;
  int32_t parked;
  int32_t * arrivals;  // by robot: how often it has come to its goal
  // The step.
  fw_cell_t * cells;                  // by robot: where it is
  fw_cell_t * next;                   // by robot: where it will be, FW_CELL_NONE as long as it has not chosen
  int32_t * standing;                 // by cell: the robot there, -1 for none
  int32_t * claimed;                  // by cell: the robot that will be there, -1 for none
  fw_tick_t * free_from;              // by cell: the first tick at which it may be entered, for robust ticks
  struct fw_pibt_choice_t * choices;  // a stack
  bool is_stuck;                      // a robot has to leave its cell, by a demand, and cannot
  int64_t pushes;
  int64_t swaps;
  int64_t waits;
  int64_t demotions;
} fw_pibt_t;

// All robots are on their starts. Without memory `has_failed` is set, and nothing else may be called.
void fw__pibt_init(fw_pibt_t * pibt, const fw_pibt_options_t * options);
// Makes the first order from `seniority`, which the caller has set.
void fw__pibt_order_begin(fw_pibt_t * pibt);
// All robots choose and go to the cell of the next tick, after an episode of the batch. If `has_failed` is set the
// batch lacks a price, but the step was made.
void fw__pibt_step(fw_pibt_t * pibt);
// The same with a configuration that was found by other means, by robot: all go there. False, and nothing is done, if a
// robot knows of an obstacle by now that keeps it from its move.
bool fw__pibt_follow(fw_pibt_t * pibt, const fw_cell_t * cells);

// ---- for a search over configurations, which makes steps and takes them back ----------------------------------------

// All robots are on `cells`. `order` is the order in which they choose next. Earlier steps are forgotten, except for
// `free_from`, which without robust ticks nobody sets.
void fw__pibt_place(fw_pibt_t * pibt, const fw_cell_t * cells, const int32_t * order);
// Before fw__pibt_propose: the robot must go to `cell`, which is a neighbour or its own. False if it cannot, beside
// robots that must go elsewhere.
bool fw__pibt_demand(fw_pibt_t * pibt, int32_t robot, fw_cell_t cell);
// Whether no robot, of those whose `next` is known, crosses the robot's move to a cell diagonally.
bool fw__pibt_may_move(const fw_pibt_t * pibt, int32_t robot, fw_cell_t to);
// All other robots choose: `next` is the answer, and no robot is moved. False if a robot is left without a cell.
bool fw__pibt_propose(fw_pibt_t * pibt);
bool fw__pibt_have_arrived(const fw_pibt_t * pibt);

// Between steps, before and after a robot of the problem gets another goal: the price of its cell, if it is parked
// there.
void fw__pibt_leave_goal(fw_pibt_t * pibt, int32_t robot);
void fw__pibt_take_goal(fw_pibt_t * pibt, int32_t robot);

// The neighbour of a cell in a heading, FW_CELL_NONE if there is no such move.
fw_cell_t fw__pibt_neighbour(const fw_grid_t * grid, fw_cell_t cell, int32_t heading);

// For assertions and tests, between steps: cells and robots agree, nothing is claimed, and the order is a permutation
// as far as the sum of its entries shows.
bool fw__pibt_validate(const fw_pibt_t * pibt);

#endif  // PLANNER__RTAA__PIBT_H_
