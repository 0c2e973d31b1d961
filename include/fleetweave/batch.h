// Batches: Real-Time Adaptive A* (RTAA*; Koenig and Likhachev 2006) for up to a million independent robots, on CPU
// threads or on a GPU (after Erra and Caggianese 2011).
//
//   fw_batch_options_t options = fw_batch_options_default();
//   fw_batch_t batch = {0};
//   fw_batch_init(&batch, &grid, starts, goals, count, &options, &error);
//   while (fw_batch_running(&batch) > 0 && fw_batch_run(&batch, 1, &error) == FW_RET_OK) {
//     // fw_batch_robot(&batch, 7).cell: one episode further
//   }
//   fw_batch_fini(&batch);
//
// In an episode each robot runs A* from its cell until `lookahead` states are expanded, raises its heuristic values
// (estimates) by what the search has shown, and moves up to `moves` cells along the path found. Learned values are kept
// in the robot's movements array, a square with sides of 4 * lookahead + 1 cells that moves with the robot; values
// outside of it are forgotten. Robots ignore each other: for plans without collisions use the planner `rtaa`, which is
// built on this.
//
// Results are the same, byte for byte, for every backend, for any number of threads, staged or fused, and whether
// episodes are run one by one or many in a call. A batch belongs to one thread at a time.

#ifndef FLEETWEAVE__BATCH_H_
#define FLEETWEAVE__BATCH_H_

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FW_LOOKAHEAD_MAX 31
#define FW_SIGHT_MAX 15

typedef enum fw_backend_t {
  FW_BACKEND_AUTO = 0,  // a GPU if there is one that works, else the CPU
  FW_BACKEND_CPU,
  FW_BACKEND_CUDA,  // as auto; if the CPU is used after all, fw_batch_stats_t.note says why
} fw_backend_t;

typedef struct fw_batch_options_t {
  int32_t lookahead;     // states that an episode expands: 1 to FW_LOOKAHEAD_MAX
  int32_t moves;         // cells that a robot moves in an episode, at most: 0 (search and learn only) to lookahead
  int32_t connectivity;  // 4 or 8
  // Sensor range: how far a robot sees in every direction, in cells, 0 to FW_SIGHT_MAX. 0: robots always know the true
  // map. Otherwise they share a known map, at first the one given to fw_batch_init; where a robot sees that a cell
  // differs, the known map is corrected for all robots before the next episode.
  int32_t sight;
  bool is_fused;  // the four stages of an episode run in one pass over the robots; false: one pass for each stage
  fw_backend_t backend;
  int32_t threads;                 // of the CPU, 1 or more
  size_t device_memory_max_bytes;  // of a GPU; 0: all that is free. Larger batches are run in parts.
  fw_allocator_t allocator;
} fw_batch_options_t;

// Lookahead 3, 3 moves, connectivity 8, sight 0 (the map is known), fused, auto, 1 thread, malloc.
FW_API fw_batch_options_t fw_batch_options_default(void);

struct fw__batch_t;
typedef struct fw_batch_t {
  struct fw__batch_t * impl;
} fw_batch_t;

// Robots may share starts and goals. Grid, starts, goals and options are copied. FW_RET_INVALID_ARGUMENT: a start or
// goal is outside the grid or blocked, or an option is out of range; the error names the robot or the option.
FW_API FW_MUST_USE fw_ret_t fw_batch_init(
  fw_batch_t * batch, const fw_grid_t * grid, const fw_cell_t * starts, const fw_cell_t * goals, int32_t robot_count,
  const fw_batch_options_t * options, fw_error_t * error);
FW_API void fw_batch_fini(fw_batch_t * batch);

// Runs up to `episodes` episodes for every robot that has not arrived. If a GPU fails, the CPU continues with the same
// result, and the note in the statistics says so.
FW_API FW_MUST_USE fw_ret_t fw_batch_run(fw_batch_t * batch, int32_t episodes, fw_error_t * error);

// The number of robots that are neither arrived nor stuck.
FW_API int32_t fw_batch_running(const fw_batch_t * batch);

typedef enum fw_batch_state_t {
  FW_BATCH_RUNNING = 0,
  FW_BATCH_ARRIVED,
  FW_BATCH_STUCK,  // by the known map, it cannot reach any cell outside of those that it has searched
} fw_batch_state_t;

typedef struct fw_batch_robot_t {
  fw_cell_t cell;
  fw_cell_t goal;
  fw_batch_state_t state;
  uint32_t length;    // cells moved so far
  uint32_t episodes;  // run so far
} fw_batch_robot_t;

FW_API fw_batch_robot_t fw_batch_robot(const fw_batch_t * batch, int32_t robot);

// Writes the path that the last episode found, as headings (fw_heading_t) from the first step on, and returns their
// number, at most `lookahead`, for which `headings` must have room. The robot has made the first `moves` of these
// steps, or fewer if it met an unknown obstacle.
FW_API int32_t fw_batch_way(const fw_batch_t * batch, int32_t robot, uint8_t * headings);

// The robot's heuristic value h of a cell, a lower bound on the cost of its path to the goal: the learned value if the
// movements array contains the cell, else the distance without obstacles.
FW_API uint32_t fw_batch_estimate(const fw_batch_t * batch, int32_t robot, fw_cell_t cell);

// Moves a robot to another cell, or gives it another goal. Learned values are kept if the robot moves by one step (0 or
// 1 cells along each axis), and are forgotten with a longer move or a new goal. The cells must be free.
FW_API void fw_batch_set_cell(fw_batch_t * batch, int32_t robot, fw_cell_t cell);
FW_API void fw_batch_set_goal(fw_batch_t * batch, int32_t robot, fw_cell_t goal);

// Copies the values that a robot of another batch has learned, as far as they lie in this robot's movements array. Both
// batches must have the same lookahead and map size. Nothing is copied if the robots have different goals.
FW_API void fw_batch_recall(fw_batch_t * batch, int32_t robot, const fw_batch_t * from, int32_t from_robot);

// Changes the cost of a cell of the true map; 0 is an obstacle. With sight, robots learn of it when one of them sees
// the cell. Robots that were stuck try again. A robot on the cell stays there until it moves. FW_RET_BAD_ALLOC: nothing
// has changed.
FW_API FW_MUST_USE fw_ret_t fw_batch_set_cost(fw_batch_t * batch, fw_cell_t cell, uint8_t cost, fw_error_t * error);
// The map as robots know it. A view: `cost` is valid until the next run or change of a cost.
FW_API fw_grid_t fw_batch_known(const fw_batch_t * batch);

typedef struct fw_batch_stats_t {
  const char * backend;  // that ran last: "cpu", "cuda", or the name of a test's device
  const char * note;     // one line that says why the backend is not the requested one; "" if it is
  int64_t episodes;      // passes over the robots so far
  size_t memory_bytes;   // of the robots and the map, as allocated
  size_t robot_bytes;    // of one robot
} fw_batch_stats_t;
FW_API fw_batch_stats_t fw_batch_stats(const fw_batch_t * batch);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__BATCH_H_
