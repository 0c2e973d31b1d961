// The fused kernel as the work of one block of threads: several episodes of its robots without going back to their
// rows.
//
// Most episodes are a greedy descent and need no memory but the steps of the path. So the lanes of a search, which are
// large, are a pool that the block shares. In each episode every thread first does the descent of its own robot; robots
// for which that is not enough are put into a queue; then the first threads of the block take them from the queue, one
// lane each, so that the threads of a warp do the same work. Who searches for whom depends on the order of threads,
// what is found does not: each search has its lane for itself.
//
//   shared memory   robots (28 bytes each) | path and status of each robot | queue | counters | pool of lanes
//
// Between FW_EACH_THREAD and FW_END_THREADS is what a thread does up to the next barrier: with CUDA the body runs once
// in each thread, for a C compiler (the test double) it is a loop over the threads of a block. The number of the thread
// is read anew in each body, so that the compiler does not keep addresses that depend on it from one to the next: that
// took 16 to 32 registers of sm_75 to sm_90.

#ifndef RTAA_BLOCK_H_
#define RTAA_BLOCK_H_

#include "kernel/rtaa_step.h"
#include "rtaa_fused.h"

#ifdef __CUDACC__
#define FW_EACH_THREAD(thread) \
  {                            \
    int32_t thread;            \
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
#define FW_END_THREADS \
  }                    \
  __syncthreads();
#define FW_BLOCK_STEP static __device__ __forceinline__
#else
#define FW_EACH_THREAD(thread)                             \
  for (int32_t turn = 0; turn < FW_BLOCK_ROBOTS; ++turn) { \
    const int32_t thread = FW_DOUBLE_THREAD(turn);
#define FW_END_THREADS }
#define FW_BLOCK_STEP static inline
#endif

typedef struct fw_rtaa_block_t {
  fw_rtaa_block_robot_t * robots;
  uint8_t * steps;   // by step and robot
  uint8_t * status;  // by FW_RTAA_STATUS_… and robot
  uint8_t * queue;
  int32_t * counters;
  uint8_t * pool;
} fw_rtaa_block_t;

FW_BLOCK_STEP fw_rtaa_block_t fw__rtaa_block(uint8_t * shared, int32_t lookahead, int32_t lanes)
{
  fw_rtaa_block_t block;
  block.pool = shared;  // first, since its values are the largest
  shared += lanes * fw__rtaa_lane_bytes(lookahead);
  block.robots = (fw_rtaa_block_robot_t *)shared;
  shared += FW_BLOCK_ROBOTS * sizeof(fw_rtaa_block_robot_t);
  block.counters = (int32_t *)shared;
  shared += FW_RTAA_BLOCK_COUNTERS * sizeof(int32_t);
  block.steps = shared;
  block.status = block.steps + lookahead * FW_BLOCK_ROBOTS;
  block.queue = block.status + FW_RTAA_STATUS_COUNT * FW_BLOCK_ROBOTS;
  return block;
}

// Adds to a counter that other threads add to; returns its value before. Only counters and places in the queue, never
// anything that an answer depends on.
FW_BLOCK_STEP int32_t fw__rtaa_add(int32_t * counter, int32_t value)
{
#ifdef __CUDACC__
  return atomicAdd(counter, value);
#else
  const int32_t before = *counter;
  *counter += value;
  return before;
#endif
}

FW_BLOCK_STEP fw_rtaa_robot_t fw__rtaa_block_load(const fw_rtaa_block_t * block, int32_t thread)
{
  const fw_rtaa_block_robot_t * from = &block->robots[thread];
  fw_rtaa_robot_t robot;
  robot.index = from->index;
  robot.x = from->x;
  robot.y = from->y;
  robot.goal_x = from->goal_x;
  robot.goal_y = from->goal_y;
  robot.drift_x = from->drift_x;
  robot.drift_y = from->drift_y;
  robot.box_x0 = from->box_x0;
  robot.box_y0 = from->box_y0;
  robot.box_x1 = from->box_x1;
  robot.box_y1 = from->box_y1;
  robot.state = from->state;
  robot.length = from->length;
  robot.episodes = from->episodes;
  return robot;
}

FW_BLOCK_STEP void fw__rtaa_block_store(const fw_rtaa_block_t * block, int32_t thread, const fw_rtaa_robot_t * robot)
{
  fw_rtaa_block_robot_t * to = &block->robots[thread];
  to->index = robot->index;
  to->x = (int16_t)robot->x;
  to->y = (int16_t)robot->y;
  to->goal_x = (int16_t)robot->goal_x;
  to->goal_y = (int16_t)robot->goal_y;
  to->drift_x = (int8_t)robot->drift_x;
  to->drift_y = (int8_t)robot->drift_y;
  to->box_x0 = (int8_t)robot->box_x0;
  to->box_y0 = (int8_t)robot->box_y0;
  to->box_x1 = (int8_t)robot->box_x1;
  to->box_y1 = (int8_t)robot->box_y1;
  to->state = (uint8_t)robot->state;
  to->length = robot->length;
  to->episodes = robot->episodes;
}

// The path and status of a robot as the lane of a descent, which needs nothing else.
FW_BLOCK_STEP fw_rtaa_lane_t fw__rtaa_block_path(const fw_rtaa_block_t * block, int32_t thread)
{
  fw_rtaa_lane_t lane;
  lane.keys = 0;
  lane.closed = 0;
  lane.g = 0;
  lane.at = 0;
  lane.fans = 0;
  lane.boards = 0;
  lane.nearer = 0;
  lane.level = 0;
  lane.marks = 0;
  lane.steps = block->steps + thread;
  lane.status = block->status + thread;
  lane.stride = FW_BLOCK_ROBOTS;
  return lane;
}

FW_BLOCK_STEP void fw__rtaa_copy_path(const fw_rtaa_lane_t * from, const fw_rtaa_lane_t * to, int32_t lookahead)
{
  for (int32_t step = 0; step < lookahead; ++step) {
    to->steps[step * to->stride] = from->steps[step * from->stride];
  }
  to->status[FW_RTAA_STATUS_STEPS * to->stride] = from->status[FW_RTAA_STATUS_STEPS * from->stride];
}

// The descent of one robot. If it is enough, the whole episode; else the robot is queued for a search.
FW_BLOCK_STEP void fw__rtaa_block_descend(const fw_rtaa_view_t * view, const fw_rtaa_block_t * block, int32_t thread)
{
  const fw_rtaa_lane_t path = fw__rtaa_block_path(block, thread);
  fw_rtaa_robot_t robot = fw__rtaa_block_load(block, thread);
  fw__rtaa_initialize_array(view, &robot);
  int32_t steps = view->regions == 0 ? fw__descent_run(view, &robot, &path) : fw__regions_descend(view, &robot, &path);
  if (view->regions != 0 && steps == FW_REGIONS_NO_WAY) {
    steps = 0;
    robot.state = FW_RTAA_STUCK;
  }
  path.status[FW_RTAA_STATUS_STEPS * path.stride] = (uint8_t)(steps >= 0 ? steps : -1 - steps);
  if (steps >= 0) {
    ++robot.episodes;
    fw__rtaa_follow_path(view, &robot, &path);
  } else {
    block->queue[fw__rtaa_add(&block->counters[FW_RTAA_BLOCK_QUEUED], 1)] = (uint8_t)thread;
  }
  fw__rtaa_block_store(block, thread, &robot);
}

// The rest of the episode of a queued robot, with a lane of the pool.
FW_BLOCK_STEP void fw__rtaa_block_search(
  const fw_rtaa_view_t * view, const fw_rtaa_block_t * block, int32_t owner, const fw_rtaa_lane_t * lane)
{
  const fw_rtaa_lane_t path = fw__rtaa_block_path(block, owner);
  fw_rtaa_robot_t robot = fw__rtaa_block_load(block, owner);
  fw__rtaa_copy_path(&path, lane, view->lookahead);
  fw__rtaa_begin_search(view, lane);
  lane->status[FW_RTAA_STATUS_DESCENDED * lane->stride] = 0;
  fw__rtaa_search_episode(view, &robot, lane);
  fw__rtaa_update_and_check(view, &robot, lane);
  fw__rtaa_copy_path(lane, &path, view->lookahead);
  fw__rtaa_block_store(block, owner, &robot);
}

// Up to `episodes` episodes of the robots of the block. The robots must be in `block`, with a barrier behind it.
FW_BLOCK_STEP void fw__rtaa_block_run(
  const fw_rtaa_view_t * view, const fw_rtaa_block_t * block, int32_t lanes, int32_t episodes)
{
  for (int32_t episode = 0; episode < episodes; ++episode) {
    FW_EACH_THREAD(thread)
    if (thread < FW_RTAA_BLOCK_COUNTERS) {
      block->counters[thread] = 0;
    }
    FW_END_THREADS
    FW_EACH_THREAD(thread)
    if (block->robots[thread].index >= 0 && block->robots[thread].state == FW_RTAA_RUNNING) {
      block->counters[FW_RTAA_BLOCK_RUNNING] = 1;  // all who write write the same
      fw__rtaa_block_descend(view, block, thread);
    }
    FW_END_THREADS
    if (block->counters[FW_RTAA_BLOCK_RUNNING] == 0) {
      return;
    }
    const int32_t queued = block->counters[FW_RTAA_BLOCK_QUEUED];
    for (int32_t first = 0; first < queued; first += lanes) {
      FW_EACH_THREAD(thread)
      if (thread < lanes && first + thread < queued) {
        const fw_rtaa_lane_t lane = fw__rtaa_lane(block->pool, view->lookahead, thread, lanes, true);
        fw__rtaa_block_search(view, block, block->queue[first + thread], &lane);
      }
      FW_END_THREADS
    }
    FW_EACH_THREAD(thread)
    (void)thread;
    FW_END_THREADS  // everybody has read the counters
  }
}

#endif  // RTAA_BLOCK_H_
