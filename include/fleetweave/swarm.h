// Swarms: thousands of robots that drive tick by tick without a plan, by the algorithm of the planner `rtaa` (an
// episode of Real-Time Adaptive A* for all robots, then a step of PIBT), and get new goals whenever the caller likes.
//
//   fw_swarm_options_t options = fw_swarm_options_default();
//   fw_swarm_t swarm = {0};
//   fw_swarm_init(&swarm, &problem, &options, &error);
//   while (fw_swarm_tick(&swarm, &error) == FW_RET_OK) {
//     // fw_swarm_robot(&swarm, 7).cell: where robot 7 is now; fw_swarm_set_goal(&swarm, 7, goal)
//   }
//   fw_swarm_fini(&swarm);
//
// A tick takes every robot one cell further, or lets it wait: all robots search and learn, then each commits itself to
// a cell, without collisions (the rules of `problem`: connectivity, robust_ticks). A tick costs the same whether goals
// are near or far. Robots have one cell, one tick per move and no turning times, as for `rtaa`.
//
// With sight, robots discover the map: each sees the cells around it before every step, so that no robot drives into an
// obstacle, known or not.
//
// Answers are the same for any number of threads. A swarm must not be used by two threads at the same time.

#ifndef FLEETWEAVE__SWARM_H_
#define FLEETWEAVE__SWARM_H_

#include "fleetweave/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fw_swarm_options_t {
  int32_t lookahead;  // as the parameters of the planner `rtaa`
  int32_t parked;
  int32_t patience;
  fw_memory_kind_t memory;
  // Range in which a robot sees what differs from the known map, and tells all others: 0 to FW_SIGHT_MAX cells in every
  // direction. 0: all robots know the map of the problem.
  int32_t sight;
  // What robots know at first, as large as the map of the problem, which is the true one; NULL: all of it. Only with
  // sight. All starts and goals must be free on both.
  const fw_grid_t * known;
  uint64_t seed;
  int32_t threads;
  fw_allocator_t allocator;
} fw_swarm_options_t;

// Lookahead 8, parked 8, patience 8, memory regions, sight 0, seed 1, 1 thread, malloc.
FW_API fw_swarm_options_t fw_swarm_options_default(void);

struct fw_swarm_impl_t;
typedef struct fw_swarm_t {
  struct fw_swarm_impl_t * impl;
} fw_swarm_t;

// The problem is checked and copied, except for its grid, which must stay; `known` need not. FW_RET_UNSUPPORTED: what
// `rtaa` does not support.
FW_API FW_MUST_USE fw_ret_t
fw_swarm_init(fw_swarm_t * swarm, const fw_problem_t * problem, const fw_swarm_options_t * options, fw_error_t * error);
FW_API void fw_swarm_fini(fw_swarm_t * swarm);

// One tick of all robots. After FW_RET_BAD_ALLOC the swarm can only be released.
FW_API FW_MUST_USE fw_ret_t fw_swarm_tick(fw_swarm_t * swarm, fw_error_t * error);

typedef struct fw_swarm_robot_t {
  fw_cell_t cell;
  fw_cell_t goal;
  bool has_arrived;  // it is on its goal
} fw_swarm_robot_t;
FW_API fw_swarm_robot_t fw_swarm_robot(const fw_swarm_t * swarm, int32_t robot);

// From the next tick on. The goal must be a free cell; several robots may have the same one, which they then share by
// pushing each other away.
FW_API void fw_swarm_set_goal(fw_swarm_t * swarm, int32_t robot, fw_cell_t goal);

// An obstacle comes to a free cell of the map, or leaves it, before the next tick: in that tick no robot drives onto
// the cell or diagonally past it. With sight, robots know of it when one of them sees it, which those beside it do in
// time. A robot whose goal is under an obstacle waits for it to go. FW_RET_INVALID_ARGUMENT: the cell is outside the
// map, blocked on it, or has a robot.
FW_API FW_MUST_USE fw_ret_t
fw_swarm_set_obstacle(fw_swarm_t * swarm, fw_cell_t cell, bool is_there, fw_error_t * error);

// The map as robots know it. A view, valid until the next tick.
FW_API fw_grid_t fw_swarm_known(const fw_swarm_t * swarm);
// Of the batch underneath.
FW_API fw_batch_stats_t fw_swarm_stats(const fw_swarm_t * swarm);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__SWARM_H_
