// The CPU backend: blocks of FW_BLOCK_ROBOTS robots, distributed over threads.
//
// Robots are independent within a run, so a block runs all its episodes before the next block begins: its rows stay in
// the cache. Staged, a block goes stage by stage as the grid of a GPU does; fused, robot by robot.

#define FW_RTAA_LANES_IN_ONE_PIECE

#include "kernel/batch_cpu.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "kernel/rtaa_step.h"

typedef struct work_t {
  const fw_rtaa_view_t * view;
  int32_t first_block;
  int32_t episodes;
  uint8_t * scratch;
  size_t worker_bytes;  // of scratch
} work_t;

typedef struct block_t {
  int32_t first;
  int32_t end;
  fw_rtaa_lane_t lanes[FW_BLOCK_ROBOTS];
} block_t;

static int32_t lanes_of(const fw_batch_options_t * options) { return options->is_fused ? 1 : FW_BLOCK_ROBOTS; }

size_t fw__batch_cpu_scratch_bytes(const fw_batch_options_t * options)
{
  return (size_t)lanes_of(options) * (size_t)fw__rtaa_lane_bytes(options->lookahead) * (size_t)options->threads;
}

static int32_t end_of(const fw_rtaa_view_t * view, int32_t block)
{
  const int32_t end = (block + 1) * FW_BLOCK_ROBOTS;
  return end < view->robot_count ? end : view->robot_count;
}

FW_STEP void run_robots(const fw_rtaa_view_t * view, const work_t * work, int32_t block, int32_t worker)
{
  const fw_rtaa_lane_t lane =
    fw__rtaa_lane(work->scratch + (size_t)worker * work->worker_bytes, view->lookahead, 0, 1, false);
  const int32_t end = end_of(view, block);
  for (int32_t robot = block * FW_BLOCK_ROBOTS; robot < end; ++robot) {
    fw__rtaa_fused(view, robot, &lane, work->episodes);
  }
}

// The usual options, for which the compiler gets constants: lookahead 3, 8 directions, a known map where every cell
// costs 1.
static bool is_usual(const fw_rtaa_view_t * view)
{
  return view->lookahead == 3 && view->connectivity == 8 && view->sight == 0 && view->floor == view->moves &&
         view->regions == NULL && view->truth == view->cost && view->window_stride == 1 &&
         view->window_pitch == fw__rtaa_window_size(3);
}

static void run_fused(int32_t item, int32_t worker, void * state)
{
  const work_t * work = state;
  fw_rtaa_view_t view = *work->view;  // a copy that no row can alias
  if (is_usual(&view)) {
    view.lookahead = 3;  // the values that is_usual() has tested, as constants
    view.connectivity = 8;
    view.sight = 0;
    view.floor = view.moves;
    view.moves_max = view.moves_max == 3 ? 3 : view.moves_max;
    view.truth = view.cost;
    view.window_stride = 1;
    view.window_pitch = fw__rtaa_window_size(3);
    view.regions = NULL;
    run_robots(&view, work, work->first_block + item, worker);
  } else if (view.regions == NULL) {
    view.regions = NULL;
    run_robots(&view, work, work->first_block + item, worker);
  } else {
    run_robots(&view, work, work->first_block + item, worker);
  }
}

// Runs one stage for every robot of the block that has not arrived; returns their number.
static int32_t run_stage(const fw_rtaa_view_t * view, const block_t * block, int32_t stage)
{
  int32_t running = 0;
  for (int32_t index = block->first; index < block->end; ++index) {
    if (view->state[index] != FW_RTAA_RUNNING) {
      continue;
    }
    const fw_rtaa_lane_t * lane = &block->lanes[index - block->first];
    fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
    ++running;
    switch (stage) {
      case 0:
        fw__rtaa_initialize_array(view, &robot);
        break;
      case 1:
        fw__rtaa_initialize_search(view, &robot, lane);
        break;
      case 2:
        fw__rtaa_search_episode(view, &robot, lane);
        break;
      default:
        fw__rtaa_update_and_check(view, &robot, lane);
        fw__rtaa_write_path(view, &robot, lane);
        break;
    }
    fw__rtaa_store(view, &robot);
  }
  return running;
}

static void run_staged(int32_t item, int32_t worker, void * state)
{
  const work_t * work = state;
  const int32_t number = work->first_block + item;
  const fw_rtaa_view_t view = *work->view;
  block_t block = {.first = number * FW_BLOCK_ROBOTS, .end = end_of(&view, number)};
  uint8_t * scratch = work->scratch + (size_t)worker * work->worker_bytes;
  for (int32_t lane = 0; lane < FW_BLOCK_ROBOTS; ++lane) {
    block.lanes[lane] = fw__rtaa_lane(scratch, view.lookahead, lane, FW_BLOCK_ROBOTS, false);
  }
  int32_t running = 1;
  for (int32_t episode = 0; episode < work->episodes && running > 0; ++episode) {
    running = run_stage(&view, &block, 0);
    for (int32_t stage = 1; stage < 4 && running > 0; ++stage) {
      (void)run_stage(&view, &block, stage);
    }
  }
}

void fw__batch_cpu_run(const fw_batch_cpu_run_t * run)
{
  FW_ASSERT(run->first_robot >= 0 && run->first_robot % FW_BLOCK_ROBOTS == 0 && run->episodes >= 1);
  const int32_t threads = run->options->threads;
  work_t work = {
    .view = run->view,
    .first_block = run->first_robot / FW_BLOCK_ROBOTS,
    .episodes = run->episodes,
    .scratch = run->scratch,
    .worker_bytes = fw__batch_cpu_scratch_bytes(run->options) / (size_t)threads,
  };
  const int32_t blocks = (run->view->robot_count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS;
  FW_ASSERT(work.first_block <= blocks);
  fw__parallel_for(blocks - work.first_block, threads, run->options->is_fused ? run_fused : run_staged, &work);
}
