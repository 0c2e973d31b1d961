// The kernels. They only map threads to robots and lanes; what a robot computes is in src/kernel/rtaa_step.h.
//
// This file is compiled as CUDA C++ by nvcc, and as C for the test double, which runs it thread by thread on the host.

#include "rtaa_kernels.h"

#include "kernel/rtaa_step.h"
#include "rtaa_block.h"

#ifdef __cplusplus
#define FW_KERNEL extern "C" __global__ void __launch_bounds__(128, 4)
#else
#define FW_KERNEL __global__ void
#endif

// The arguments of a kernel in one piece: the compiler reads them where they are, in constant memory.
#define FW_CUDA_GIVEN                                                                                              \
  {                                                                                                                \
    rows, cost, moves, floor, truth, lanes, list, report, robot_changes, cell_changes, running, next,              \
      block_region, cell_region, cell_number, component, around_begin, near_begin, far_row, around, near_anchors,  \
      far_anchors, pieces, goal_robots, goal_distances, width, height, lookahead, moves_max, connectivity, sight,  \
      robot_count, list_count, report_count, robot_change_count, cell_change_count, episodes, is_last, pool_lanes, \
      block_bits, piece_count, goal_count                                                                          \
  }

// The tables of regions.
FW_STEP fw_rtaa_regions_t regions_of(const fw_cuda_arguments_t * given)
{
  fw_rtaa_regions_t regions;
  const int32_t side = 1 << given->block_bits;
  regions.width = given->width;
  regions.block_bits = given->block_bits;
  regions.blocks_across = (given->width + side - 1) >> given->block_bits;
  regions.block_region = given->block_region;
  regions.cell_region = given->cell_region;
  regions.cell_number = given->cell_number;
  regions.component = given->component;
  regions.around_begin = given->around_begin;
  regions.near_begin = given->near_begin;
  regions.far_row = given->far_row;
  regions.around = given->around;
  regions.near = given->near_anchors;
  regions.far = given->far_anchors;
  regions.goal_region = 0;
  regions.near_goal_pitch = side * side;
  return regions;
}

// Of robots with the memory `regions`, or `window` if `regions` is NULL.
FW_STEP fw_rtaa_view_t view_of(const fw_cuda_arguments_t * given, fw_rtaa_regions_t * regions)
{
  fw_rtaa_view_t view;
  view.cost = given->cost;
  view.moves = given->moves;
  view.floor = given->floor;
  view.truth = given->truth;
  view.width = given->width;
  view.height = given->height;
  view.lookahead = given->lookahead;
  view.moves_max = given->moves_max;
  view.connectivity = given->connectivity;
  view.sight = given->sight;
  view.scratch = given->lanes;
  view.lane_count = given->robot_count;  // the same from run to run, however long the list is
  view.is_interleaved = true;
  view.regions = regions;
  if (regions != 0) {
    regions->near_goal = fw__cuda_near_goals(&view, given->robot_count, given->rows);
  }
  return fw__cuda_rows(&view, given->robot_count, given->rows);
}

FW_STEP fw_rtaa_lane_t lane_of(const fw_rtaa_view_t * view, int32_t thread)
{
  return fw__rtaa_lane(view->scratch, view->lookahead, thread, view->lane_count, true);
}

// The robot of this thread; -1 for none: behind the end of the list, or not under way.
FW_STEP int32_t robot_of(const fw_cuda_arguments_t * given, const fw_rtaa_view_t * view, int32_t thread)
{
  if (thread >= given->list_count) {
    return -1;
  }
  const int32_t index = given->list != 0 ? given->list[thread].robot : thread;
  return view->state[index] == FW_RTAA_RUNNING ? index : -1;
}

// After the last episode of a launch: counts a robot that is still under way and lists it for the next launch, and
// reports it at the end of the run or when it has stopped. So a robot is reported once in a run. The order of that list
// depends on the order of threads; what a robot does, and its place in the report, do not depend on it.
FW_BLOCK_STEP void finish_robot(
  const fw_cuda_arguments_t * given, const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, int32_t thread)
{
  const bool is_running = robot->state == FW_RTAA_RUNNING;
  const int32_t place = given->list != 0 ? given->list[thread].place : thread;
  if (is_running && given->running != 0) {
    fw_cuda_entry_t * entry = &given->next[fw__rtaa_add(given->running, 1)];
    entry->robot = robot->index;
    entry->place = place;
  }
  if (given->report != 0 && (given->is_last != 0 || !is_running)) {
    const fw_rtaa_view_t report = fw__cuda_report(view, given->report_count, given->report);
    fw__cuda_copy_report(view, robot->index, &report, place);
  }
}

// ---- the stages -----------------------------------------------------------------------------------------------------

FW_BLOCK_STEP int32_t thread_of(void) { return (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); }

FW_BLOCK_STEP void initialize_search(const fw_cuda_arguments_t * given, const fw_rtaa_view_t * view)
{
  const int32_t thread = thread_of();
  const int32_t index = robot_of(given, view, thread);
  if (index >= 0) {
    const fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
    const fw_rtaa_lane_t lane = lane_of(view, thread);
    fw__rtaa_initialize_search(view, &robot, &lane);
  }
}

FW_BLOCK_STEP void search_episode(const fw_cuda_arguments_t * given, const fw_rtaa_view_t * view)
{
  const int32_t thread = thread_of();
  const int32_t index = robot_of(given, view, thread);
  if (index >= 0) {
    const fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
    const fw_rtaa_lane_t lane = lane_of(view, thread);
    fw__rtaa_search_episode(view, &robot, &lane);
  }
}

FW_BLOCK_STEP void update_and_check(const fw_cuda_arguments_t * given, const fw_rtaa_view_t * view)
{
  const int32_t thread = thread_of();
  const int32_t index = robot_of(given, view, thread);
  if (index >= 0) {
    fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
    const fw_rtaa_lane_t lane = lane_of(view, thread);
    fw__rtaa_update_and_check(view, &robot, &lane);
    fw__rtaa_write_path(view, &robot, &lane);
    fw__rtaa_store(view, &robot);
    if (given->episodes == 1 || robot.state != FW_RTAA_RUNNING) {  // 1: no other follows in this launch
      finish_robot(given, view, &robot, thread);
    }
  }
}

FW_KERNEL fw__rtaa_kernel_initialize_array(FW_CUDA_PARAMETERS)
{
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  const fw_rtaa_view_t view = view_of(&given, 0);
  const int32_t index = robot_of(&given, &view, thread_of());
  if (index >= 0) {
    fw_rtaa_robot_t robot = fw__rtaa_load(&view, index);
    fw__rtaa_initialize_array(&view, &robot);
    fw__rtaa_store(&view, &robot);
  }
}

FW_KERNEL fw__rtaa_kernel_initialize_search(FW_CUDA_PARAMETERS)
{
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  const fw_rtaa_view_t view = view_of(&given, 0);
  initialize_search(&given, &view);
}

FW_KERNEL fw__rtaa_kernel_initialize_search_regions(FW_CUDA_PARAMETERS)
{
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  fw_rtaa_regions_t regions = regions_of(&given);
  const fw_rtaa_view_t view = view_of(&given, &regions);
  initialize_search(&given, &view);
}

FW_KERNEL fw__rtaa_kernel_search_episode(FW_CUDA_PARAMETERS)
{
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  const fw_rtaa_view_t view = view_of(&given, 0);
  search_episode(&given, &view);
}

FW_KERNEL fw__rtaa_kernel_search_episode_regions(FW_CUDA_PARAMETERS)
{
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  fw_rtaa_regions_t regions = regions_of(&given);
  const fw_rtaa_view_t view = view_of(&given, &regions);
  search_episode(&given, &view);
}

FW_KERNEL fw__rtaa_kernel_update_and_check(FW_CUDA_PARAMETERS)
{
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  const fw_rtaa_view_t view = view_of(&given, 0);
  update_and_check(&given, &view);
}

FW_KERNEL fw__rtaa_kernel_update_and_check_regions(FW_CUDA_PARAMETERS)
{
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  fw_rtaa_regions_t regions = regions_of(&given);
  const fw_rtaa_view_t view = view_of(&given, &regions);
  update_and_check(&given, &view);
}

// ---- fused ----------------------------------------------------------------------------------------------------------

extern __shared__ uint64_t fw__rtaa_shared[];

// The episodes of one block: its robots from their rows into shared memory, and back at the end.
FW_BLOCK_STEP void run_block(const fw_cuda_arguments_t * given, fw_rtaa_regions_t * regions)
{
  const fw_rtaa_view_t view = view_of(given, regions);
  const fw_rtaa_block_t block = fw__rtaa_block((uint8_t *)fw__rtaa_shared, view.lookahead, given->pool_lanes);
  const int32_t first = (int32_t)(blockIdx.x * FW_BLOCK_ROBOTS);
  FW_EACH_THREAD(thread)
  const int32_t index = robot_of(given, &view, first + thread);
  if (index >= 0) {
    const fw_rtaa_robot_t robot = fw__rtaa_load(&view, index);
    fw__rtaa_block_store(&block, thread, &robot);
  } else {
    block.robots[thread].index = -1;
  }
  if (thread < given->pool_lanes) {
    const fw_rtaa_lane_t lane = fw__rtaa_lane(block.pool, view.lookahead, thread, given->pool_lanes, true);
    lane.status[FW_RTAA_STATUS_SEARCH * lane.stride] = 255;  // the first search clears its lookahead array
  }
  FW_END_THREADS
  fw__rtaa_block_run(&view, &block, given->pool_lanes, given->episodes);
  FW_EACH_THREAD(thread)
  const fw_rtaa_robot_t robot = fw__rtaa_block_load(&block, thread);
  if (robot.index >= 0) {
    const fw_rtaa_lane_t path = fw__rtaa_block_path(&block, thread);
    fw__rtaa_write_path(&view, &robot, &path);
    fw__rtaa_store(&view, &robot);
    finish_robot(given, &view, &robot, first + thread);
  }
  FW_END_THREADS
}

#ifdef __CUDACC__
#define FW_FIRST_THREAD_ONLY
#else
#define FW_FIRST_THREAD_ONLY \
  if (threadIdx.x != 0) {    \
    return; /* it has run the whole block */ \
  }
#endif

FW_KERNEL fw__rtaa_kernel_fused(FW_CUDA_PARAMETERS)
{
  FW_FIRST_THREAD_ONLY
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  run_block(&given, 0);
}

// The usual options, for which the compiler gets constants: those of the planner `rtaa`, with every cell known, and the
// paper's, where also every cell costs 1. The host has tested them (fw__rtaa_fused_kernel).
FW_STEP fw_cuda_arguments_t with_constants(fw_cuda_arguments_t given, int32_t lookahead, int32_t connectivity)
{
  given.lookahead = lookahead;
  given.connectivity = connectivity;
  given.sight = 0;
  given.truth = given.cost;
  return given;
}

FW_KERNEL fw__rtaa_kernel_fused_3_8(FW_CUDA_PARAMETERS)
{
  FW_FIRST_THREAD_ONLY
  const fw_cuda_arguments_t passed = FW_CUDA_GIVEN;
  fw_cuda_arguments_t given = with_constants(passed, 3, 8);
  given.floor = given.moves;
  run_block(&given, 0);
}

FW_KERNEL fw__rtaa_kernel_fused_8_8(FW_CUDA_PARAMETERS)
{
  FW_FIRST_THREAD_ONLY
  const fw_cuda_arguments_t passed = FW_CUDA_GIVEN;
  const fw_cuda_arguments_t given = with_constants(passed, 8, 8);
  run_block(&given, 0);
}

FW_KERNEL fw__rtaa_kernel_fused_8_4(FW_CUDA_PARAMETERS)
{
  FW_FIRST_THREAD_ONLY
  const fw_cuda_arguments_t passed = FW_CUDA_GIVEN;
  const fw_cuda_arguments_t given = with_constants(passed, 8, 4);
  run_block(&given, 0);
}

// The kernels above with regions.
FW_KERNEL fw__rtaa_kernel_fused_regions(FW_CUDA_PARAMETERS)
{
  FW_FIRST_THREAD_ONLY
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  fw_rtaa_regions_t regions = regions_of(&given);
  run_block(&given, &regions);
}

FW_KERNEL fw__rtaa_kernel_fused_regions_8_8(FW_CUDA_PARAMETERS)
{
  FW_FIRST_THREAD_ONLY
  const fw_cuda_arguments_t passed = FW_CUDA_GIVEN;
  const fw_cuda_arguments_t given = with_constants(passed, 8, 8);
  fw_rtaa_regions_t regions = regions_of(&given);
  run_block(&given, &regions);
}

FW_KERNEL fw__rtaa_kernel_fused_regions_8_4(FW_CUDA_PARAMETERS)
{
  FW_FIRST_THREAD_ONLY
  const fw_cuda_arguments_t passed = FW_CUDA_GIVEN;
  const fw_cuda_arguments_t given = with_constants(passed, 8, 4);
  fw_rtaa_regions_t regions = regions_of(&given);
  run_block(&given, &regions);
}

// ---- changes --------------------------------------------------------------------------------------------------------

FW_BLOCK_STEP void apply_change(const fw_cuda_arguments_t * given, const fw_rtaa_view_t * view, int32_t at)
{
  if (at < given->robot_change_count) {
    fw__rtaa_apply_robot(view, &given->robot_changes[at]);
  }
  if (at < given->cell_change_count) {
    fw_rtaa_maps_t maps;
    maps.cost = given->cost;
    maps.moves = given->moves;
    maps.floor = given->floor != given->moves ? given->floor : 0;
    maps.truth = given->truth != given->cost ? given->truth : 0;
    fw__rtaa_apply_cell(&maps, given->cell_changes[at].cell, given->cell_changes[at].after);
  }
}

FW_KERNEL fw__rtaa_kernel_apply(FW_CUDA_PARAMETERS)
{
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  const fw_rtaa_view_t view = view_of(&given, 0);
  apply_change(&given, &view, thread_of());
}

// Also copies the pieces of tables that have changed, and distances to goals: four bytes a thread.
FW_KERNEL fw__rtaa_kernel_apply_regions(FW_CUDA_PARAMETERS)
{
  const fw_cuda_arguments_t given = FW_CUDA_GIVEN;
  fw_rtaa_regions_t regions = regions_of(&given);
  const fw_rtaa_view_t view = view_of(&given, &regions);
  const int32_t at = thread_of();
  const int32_t words = FW_REGION_PIECE_BYTES / 4, goal_words = regions.near_goal_pitch / 4;
  apply_change(&given, &view, at);
  if (at / words < given.piece_count) {
    const fw_cuda_piece_t * piece = &given.pieces[at / words];
    uint32_t * to = (uint32_t *)((uint8_t *)given.block_region + piece->offset);
    to[at % words] = ((const uint32_t *)piece->bytes)[at % words];
  }
  if (at / goal_words < given.goal_count) {
    uint32_t * distances = (uint32_t *)fw__cuda_near_goals(&view, given.robot_count, given.rows);
    distances[(int64_t)given.goal_robots[at / goal_words] * goal_words + at % goal_words] = given.goal_distances[at];
  }
}

const void * const fw__rtaa_kernels[FW_RTAA_KERNELS] = {
  (const void *)fw__rtaa_kernel_initialize_array,
  (const void *)fw__rtaa_kernel_initialize_search,
  (const void *)fw__rtaa_kernel_search_episode,
  (const void *)fw__rtaa_kernel_update_and_check,
  (const void *)fw__rtaa_kernel_fused,
  (const void *)fw__rtaa_kernel_fused_3_8,
  (const void *)fw__rtaa_kernel_fused_8_8,
  (const void *)fw__rtaa_kernel_fused_8_4,
  (const void *)fw__rtaa_kernel_apply,
  (const void *)fw__rtaa_kernel_initialize_search_regions,
  (const void *)fw__rtaa_kernel_search_episode_regions,
  (const void *)fw__rtaa_kernel_update_and_check_regions,
  (const void *)fw__rtaa_kernel_fused_regions,
  (const void *)fw__rtaa_kernel_fused_regions_8_8,
  (const void *)fw__rtaa_kernel_fused_regions_8_4,
  (const void *)fw__rtaa_kernel_apply_regions,
};
