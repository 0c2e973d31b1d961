// Batches: Real-Time Adaptive A* (RTAA*) for up to a million independent robots at once, on CPU threads or on a GPU.
// U. Erra and G. Caggianese, Real-time Adaptive GPU multi-agent path planning, 2011.
//
//   fw_batch_options_t options = fw_batch_options_default();
//   fw_batch_t batch = {0};
//   fw_batch_init(&batch, &grid, starts, goals, count, &options, &error);
//   while (fw_batch_running(&batch) > 0 && fw_batch_run(&batch, 1, &error) == FW_RET_OK) {
//     // fw_batch_robot(&batch, 7).cell: one episode further
//   }
//   fw_batch_fini(&batch);
//
// An episode of a robot: A* from its cell with `lookahead` expansions; the heuristic values of the expanded cells are
// raised by what the search has shown; the robot moves `moves` cells along the path. Learned values are kept in the
// robot's movements array, a square of 4 * lookahead + 1 cells that moves with it; values outside it are forgotten.
// Robots ignore each other: for plans without collisions use the planner `rtaa`, which is built on this.
//
// Results are the same, byte for byte, for every backend, for any number of threads or GPUs, staged or fused, and
// whether episodes are run one by one or many in a call. A batch must not be used by two threads at the same time.

#ifndef FLEETWEAVE__BATCH_H_
#define FLEETWEAVE__BATCH_H_

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FW_LOOKAHEAD_MAX 31
#define FW_SIGHT_MAX 15

typedef enum fw_backend_t {
  // The faster one of GPU and CPU, if there is a GPU and the batch has FW_BATCH_DEVICE_ROBOTS_MIN robots: its first
  // episodes, at most 56, are run on both in turns and timed, and the note says what was measured. Else the CPU.
  FW_BACKEND_AUTO = 0,
  FW_BACKEND_CPU,
  FW_BACKEND_CUDA,  // a GPU is required: fw_batch_init fails with FW_RET_NO_DEVICE if it cannot be used
} fw_backend_t;

// `auto` does not open a GPU for smaller batches: an episode of this many takes a core 0.1 to 0.4 ms (docs/gpu.md), so
// that a GPU could save no more than that, while opening it takes a large part of a second. Above, it is measured.
#define FW_BATCH_DEVICE_ROBOTS_MIN 8192

// The most GPUs that share a batch.
#define FW_BATCH_DEVICES_MAX 16

// What the heuristic values of a robot begin with, and what it remembers.
typedef enum fw_memory_kind_t {
  // As in the paper: the distance without obstacles, raised in the movements array, which forgets. A robot may circle
  // for ever in a bay that is larger than the array.
  FW_MEMORY_WINDOW = 0,
  // The length of a way that leads round the obstacles of the known map, from distances between regions of the map that
  // robots share (docs/gpu.md), raised in the movements array by what the robot meets. Robots arrive wherever there is
  // a way over known cells of cost 1.
  FW_MEMORY_REGIONS,
} fw_memory_kind_t;

typedef struct fw_batch_options_t {
  int32_t lookahead;     // expansions per episode: 1 to FW_LOOKAHEAD_MAX
  int32_t moves;         // most moves of a robot per episode: 0 (search and learn only) to lookahead
  int32_t connectivity;  // 4 or 8
  // Range of a robot's sensor, in cells in every direction, up to FW_SIGHT_MAX. 0: all robots know the map as it is.
  // Else they know the map that fw_batch_init was given, and a change that one robot sees is known to all in the next
  // episode. Robots that have arrived or are stuck see as well.
  int32_t sight;
  fw_memory_kind_t memory;
  bool is_fused;  // the four stages of an episode in one pass over the robots, else one pass for each
  fw_backend_t backend;
  int32_t device;  // number of the GPU, from 0
  // How many GPUs share the robots: `device` and those that follow it, up to FW_BATCH_DEVICES_MAX; 0: one. Each gets
  // whole blocks of 128 robots, so that few robots use fewer. `cuda` requires that all are there; `auto` uses those
  // that are, as long as each has FW_BATCH_DEVICE_ROBOTS_MIN robots.
  int32_t devices;
  int32_t threads;  // of the CPU, 1 or more
  // That fw_batch_init takes of each GPU; 0: what is free. Larger batches are run in slices. With regions more may be
  // taken later, when changes of the map or of goals add to their tables.
  size_t device_memory_max_bytes;
  fw_allocator_t allocator;
} fw_batch_options_t;

// Lookahead 3, moves 3, connectivity 8, sight 0, memory window, fused, auto, 1 GPU, 1 thread, malloc.
FW_API fw_batch_options_t fw_batch_options_default(void);

struct fw_batch_impl_t;
typedef struct fw_batch_t {
  struct fw_batch_impl_t * impl;
} fw_batch_t;

// Robots may share starts and goals. Everything is copied. FW_RET_INVALID_ARGUMENT names the robot whose start or goal
// is outside the grid or blocked, or the option that is out of range. FW_RET_NO_DEVICE says why the GPU that the
// backend `cuda` requires cannot be used, with CUDA's number of the error: 35 there is no driver or an old one, 100 no
// device.
FW_API FW_MUST_USE fw_ret_t fw_batch_init(
  fw_batch_t * batch, const fw_grid_t * grid, const fw_cell_t * starts, const fw_cell_t * goals, int32_t robot_count,
  const fw_batch_options_t * options, fw_error_t * error);
FW_API void fw_batch_fini(fw_batch_t * batch);

// Runs at most `episodes` episodes of every robot that has not arrived. On a GPU the robots stay there from run to run;
// a run sends what the caller has changed and returns cells, states and ways. If one of its GPUs fails, the CPU
// continues from the last good state with the same result; the note tells.
FW_API FW_MUST_USE fw_ret_t fw_batch_run(fw_batch_t * batch, int32_t episodes, fw_error_t * error);

// Number of robots that have neither arrived nor are stuck.
FW_API int32_t fw_batch_running(const fw_batch_t * batch);

typedef enum fw_batch_state_t {
  FW_BATCH_RUNNING = 0,
  FW_BATCH_ARRIVED,
  FW_BATCH_STUCK,  // enclosed on the known map: the search has run out of open states; with regions: there is no way
} fw_batch_state_t;

typedef struct fw_batch_robot_t {
  fw_cell_t cell;
  fw_cell_t goal;
  fw_batch_state_t state;
  uint32_t length;    // moves so far
  uint32_t episodes;  // so far
} fw_batch_robot_t;

FW_API fw_batch_robot_t fw_batch_robot(const fw_batch_t * batch, int32_t robot);

// The path of the last episode as headings (fw_heading_t), the first step first. The robot has done the first `moves`
// of them, or fewer if it met an unknown obstacle. `headings` has room for `lookahead`; returns their number.
FW_API int32_t fw_batch_way(const fw_batch_t * batch, int32_t robot, uint8_t * headings);

// The robot's heuristic value h of a cell: a lower bound of the cost to its goal, raised by what it has learned. With
// regions it is the length of a way instead, and INT32_MAX for cells from which there is none. The
// first call after a run on a GPU for a cell where the robot may have learned fetches the learned values of all robots.
FW_API uint32_t fw_batch_estimate(const fw_batch_t * batch, int32_t robot, fw_cell_t cell);

// Moves a robot to another cell, or gives it another goal. Learned values are kept for a step of 0 or 1 cells in each
// direction, and forgotten with a longer jump or a new goal. The cells must be free, as in fw_batch_init.
FW_API void fw_batch_set_cell(fw_batch_t * batch, int32_t robot, fw_cell_t cell);
FW_API void fw_batch_set_goal(fw_batch_t * batch, int32_t robot, fw_cell_t goal);

// Copies the values that a robot of another batch has learned, where they lie in this robot's movements array. Both
// batches must have the same lookahead and map size. Nothing is copied if the robots have different goals.
FW_API void fw_batch_recall(fw_batch_t * batch, int32_t robot, const fw_batch_t * from, int32_t from_robot);

// Changes the world: an obstacle appears (cost 0) or disappears. With sight, robots know it when one of them sees it.
// Learned values that the cell can affect become what they may be: with the memory window lower bounds (those that a
// freed cell makes too high fall); with regions a robot keeps them if it would have learned the same on the new map,
// else it forgets. Robots that were stuck try again. A robot on the cell stays there until it moves off. After
// FW_RET_BAD_ALLOC nothing has changed.
FW_API FW_MUST_USE fw_ret_t fw_batch_set_cost(fw_batch_t * batch, fw_cell_t cell, uint8_t cost, fw_error_t * error);
// Changes the world to `grid`, which must have the size of the first one: fw_batch_set_cost for every cell that
// differs. With sight, robots that begin with a map that lacks obstacles discover these so. After FW_RET_BAD_ALLOC a
// part of the cells has changed.
FW_API FW_MUST_USE fw_ret_t fw_batch_set_map(fw_batch_t * batch, const fw_grid_t * grid, fw_error_t * error);
// The map as robots know it. A view, valid until the next run.
FW_API fw_grid_t fw_batch_known(const fw_batch_t * batch);

typedef struct fw_batch_stats_t {
  const char * backend;  // that ran last: "cpu", "cuda", or the name of a test device
  const char * device;   // the GPU's name, "" for the CPU; of several "2 x NAME", or their names
  const char * note;     // one line: why it was not a GPU, what `auto` has measured, where the CPU took over; else ""
  int64_t episodes;      // passes over the robots so far
  size_t memory_bytes;   // allocated for robots and maps
  size_t robot_bytes;    // of these, per robot
  size_t region_bytes;   // of these, for the distances between regions, which all robots share; 0 without
  // With regions: how often a robot has kept what it had learned when cells were blocked or freed, and how often it has
  // forgotten it.
  int64_t memories_kept;
  int64_t memories_lost;
} fw_batch_stats_t;
FW_API fw_batch_stats_t fw_batch_stats(const fw_batch_t * batch);

// Whether the backend `cuda` can use GPU number `device`. FW_RET_NO_DEVICE says why not.
FW_API FW_MUST_USE fw_ret_t fw_batch_find_device(int32_t device, char name[FW_DEVICE_NAME_SIZE], fw_error_t * error);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__BATCH_H_
