// Batches: Real-Time Adaptive A* for up to a million robots at once, each for itself, on CPU threads or on a GPU.
//
//   fw_batch_options_t options = fw_batch_options_default();
//   fw_batch_t batch = {0};
//   fw_batch_init(&batch, &grid, starts, goals, count, &options, &error);
//   while (fw_batch_running(&batch) > 0 && fw_batch_run(&batch, 1, &error) == FW_RET_OK) {
//     // fw_batch_robot(&batch, 7).cell: one episode further
//   }
//   fw_batch_fini(&batch);
//
// An episode of a robot: A* from where it is, `lookahead` states deep; what that teaches is put into its estimates; it
// goes `moves` cells along the way that was found. Estimates are kept in the robot's movements array, a square of
// 4 * lookahead + 1 cells that goes with it: what lies outside is forgotten. Robots do not see each other: for plans
// without collisions there is the planner `rtaa`, which is built on this.
//
// The answer is the same, byte for byte, for every backend, for any number of threads, staged or fused, and whether
// episodes are run one by one or many in a call.

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
  FW_BACKEND_CUDA,  // as auto; the note says why if it is the CPU after all
} fw_backend_t;

typedef struct fw_batch_options_t {
  int32_t lookahead;     // states that an episode expands: 1 to FW_LOOKAHEAD_MAX
  int32_t moves;         // cells that a robot goes in an episode, at most: 0 (search and learn only) to lookahead
  int32_t connectivity;  // 4 or 8
  // How far a robot sees, in cells in every direction, up to FW_SIGHT_MAX. 0: everybody knows the map as it is. Else they
  // know the map that fw_batch_init was given, and what one sees differs from it all know in the next episode.
  int32_t sight;
  bool is_fused;  // the four stages of an episode in one pass over the robots, else one pass for each
  fw_backend_t backend;
  int32_t threads;                 // of the CPU, 1 or more
  size_t device_memory_max_bytes;  // of a GPU; 0: what is free. Batches that are larger go in parts.
  fw_allocator_t allocator;
} fw_batch_options_t;

// Lookahead 3, as many moves, connectivity 8, all is known, fused, auto, 1 thread, malloc.
FW_API fw_batch_options_t fw_batch_options_default(void);

struct fw_batch_impl_t;
typedef struct fw_batch_t {
  struct fw_batch_impl_t * impl;
} fw_batch_t;

// Starts and goals need not differ from each other's. All is copied. FW_RET_INVALID_ARGUMENT names the robot that is
// outside the grid or on a blocked cell, or the option that is out of range.
FW_API FW_MUST_USE fw_ret_t fw_batch_init(
  fw_batch_t * batch, const fw_grid_t * grid, const fw_cell_t * starts, const fw_cell_t * goals, int32_t robot_count,
  const fw_batch_options_t * options, fw_error_t * error);
FW_API void fw_batch_fini(fw_batch_t * batch);

// Runs at most so many episodes of every robot that has not arrived. A GPU that fails in between changes nothing but
// the note: the CPU goes on from there.
FW_API FW_MUST_USE fw_ret_t fw_batch_run(fw_batch_t * batch, int32_t episodes, fw_error_t * error);

// How many robots are under way, neither arrived nor stuck.
FW_API int32_t fw_batch_running(const fw_batch_t * batch);

typedef enum fw_batch_state_t {
  FW_BATCH_RUNNING = 0,
  FW_BATCH_ARRIVED,
  FW_BATCH_STUCK,  // shut in, as far as is known: no cell next to those that it can reach
} fw_batch_state_t;

typedef struct fw_batch_robot_t {
  fw_cell_t cell;
  fw_cell_t goal;
  fw_batch_state_t state;
  uint32_t length;    // cells gone so far
  uint32_t episodes;  // searched so far
} fw_batch_robot_t;

FW_API fw_batch_robot_t fw_batch_robot(const fw_batch_t * batch, int32_t robot);

// The way that the last episode found, as headings (fw_heading_t), the robot's first step first; `moves` of them have
// been gone, or fewer where something unknown stood in the way. Room for `lookahead`; returns their number.
FW_API int32_t fw_batch_way(const fw_batch_t * batch, int32_t robot, uint8_t * headings);

// What the robot thinks the way from a cell to its goal costs, at least: learned where its movements array has it.
FW_API uint32_t fw_batch_estimate(const fw_batch_t * batch, int32_t robot, fw_cell_t cell);

// Puts a robot somewhere else, or gives it another goal. Estimates stay where the robot goes a step (0 or 1 cells in
// each direction), and are forgotten with a jump or a new goal. The cells must be free, as in fw_batch_init.
FW_API void fw_batch_set_cell(fw_batch_t * batch, int32_t robot, fw_cell_t cell);
FW_API void fw_batch_set_goal(fw_batch_t * batch, int32_t robot, fw_cell_t goal);

// Takes over what a robot of another batch has learned, where that lies in this one's movements array. The batches have one
// lookahead and one map size; nothing is taken if the robots have different goals.
FW_API void fw_batch_recall(fw_batch_t * batch, int32_t robot, const fw_batch_t * from, int32_t from_robot);

// Changes the world: an obstacle comes (cost 0), goes or moves. With sight, robots know when one of them sees it. Robots
// that were stuck try again. A robot on the cell stays there until it moves off. FW_RET_BAD_ALLOC: nothing has changed.
FW_API FW_MUST_USE fw_ret_t fw_batch_set_cost(fw_batch_t * batch, fw_cell_t cell, uint8_t cost, fw_error_t * error);
// The map as robots know it: `cost` by cell. A view, valid until the next run.
FW_API fw_grid_t fw_batch_known(const fw_batch_t * batch);

typedef struct fw_batch_stats_t {
  const char * backend;  // that ran last: "cpu", "cuda", or the name of a test's device
  const char * note;     // one line for people where the backend is not what was asked for, else ""
  int64_t episodes;      // passes over the robots so far
  size_t memory_bytes;   // of the robots and the map, as allocated
  size_t robot_bytes;    // of one robot
} fw_batch_stats_t;
FW_API fw_batch_stats_t fw_batch_stats(const fw_batch_t * batch);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__BATCH_H_
