#include "view/plan_tracks.h"

#include "base/error.h"
#include "view/shown.h"
#include "view/stays.h"
#include "view/walk.h"

// Thousandths of a radian.
static int64_t yaw_of(int32_t eighths) { return (int64_t)eighths * 785398 / 1000; }

static fw__sample_t sample(const fw__tracks_t * tracks, fw_tick_t tick, fw_cell_t cell, int32_t eighths)
{
  return (fw__sample_t){
    .time = tick,
    .x = fw_grid_x(tracks->grid, cell),
    .y = fw_grid_y(tracks->grid, cell),
    .yaw = yaw_of(eighths),
  };
}

// A robot is listed where it was until it arrives or has turned; it is shown leaving as many ticks before as it takes.
// Headings are added up, so that one who turns on and on to the right does not spin back.
static void add_path(fw__tracks_t * tracks, int32_t robot, const fw__walk_t * walk)
{
  const fw_tick_t end = (fw_tick_t)tracks->end;
  const fw_grid_pose_t start = fw__walk_pose(walk, 0);
  int32_t eighths = start.heading;
  fw_tick_t last = 0;  // tick of the last sample
  fw__motion_t motion;
  fw__tracks_add(tracks, robot, sample(tracks, 0, start.cell, eighths));
  while (fw__walk_next_motion(walk, last, end, &motion)) {
    if (motion.departure > last) {
      fw__tracks_add(tracks, robot, sample(tracks, motion.departure, motion.from.cell, eighths));
    }
    eighths += fw__motion_turn(&motion);
    fw__tracks_add(tracks, robot, sample(tracks, motion.arrival, motion.to.cell, eighths));
    last = motion.arrival;
  }
  if (last < end) {
    fw__tracks_add(tracks, robot, sample(tracks, end, fw_path_at(walk->path, end), eighths));
  }
}

// The page wants arrivals in time order: a list of robots per tick sorts them in one pass.
static fw_ret_t add_arrivals(
  fw__tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  const fw_tick_t end = (fw_tick_t)tracks->end;
  const fw_allocator_t * allocator = &tracks->allocator;
  const size_t count = (size_t)end + 1 + (size_t)problem->robot_count;
  int32_t * first = allocator->allocate(count * sizeof(int32_t), allocator->state);
  if (first == NULL) {
    return fw__error_memory(error);
  }
  int32_t * next = first + (size_t)end + 1;  // first[tick], next[robot]; -1 ends a list
  for (fw_tick_t tick = 0; tick <= end; tick++) {
    first[tick] = -1;
  }
  for (int32_t robot = problem->robot_count - 1; robot >= 0; robot--) {
    const fw_tick_t arrival = fw__shown_arrival(&plan->paths[robot], problem->robots[robot].goal, end);
    if (arrival >= 0) {
      next[robot] = first[arrival];
      first[arrival] = robot;
    }
  }
  for (fw_tick_t tick = 0; tick <= end; tick++) {
    for (int32_t robot = first[tick]; robot >= 0; robot = next[robot]) {
      fw__tracks_add_arrival(tracks, tick, robot);
    }
  }
  allocator->deallocate(first, allocator->state);
  return FW_RET_OK;
}

static void add_waits(fw__tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, int32_t robot)
{
  const fw__walk_t walk = fw__walk(problem, plan, robot);
  fw__wait_t wait = {0};
  while (fw__walk_next_wait(&walk, wait.to, (fw_tick_t)tracks->end, &wait)) {
    fw__tracks_add_wait(tracks, robot, wait.from, wait.to);
  }
}

static fw_ret_t add_stays(
  fw__tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  const fw__span_t whole = {0, (fw_tick_t)tracks->end};
  fw__stays_t stays = {0};
  fw_ret_t ret = fw__stays_init(&stays, problem, plan, &tracks->allocator, error);
  for (int32_t robot = 0; ret == FW_RET_OK && robot < problem->robot_count; robot++) {
    fw__stays_clear(&stays);
    ret = fw__stays_add_robot(&stays, robot, whole, error);
    fw__tracks_put_stays(tracks, robot, stays.items, stays.count);
    add_waits(tracks, problem, plan, robot);
  }
  if (ret == FW_RET_OK) {
    fw__stays_clear(&stays);
    ret = fw__stays_add_closures(&stays, (fw__span_t){0, FW_TICK_MAX}, error);
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < stays.count; i++) {
    fw__tracks_add_closure(tracks, &stays.items[i]);
  }
  fw__stays_fini(&stays);
  return ret;
}

fw_ret_t fw__tracks_take_plan(
  fw__tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  tracks->grid = problem->grid;
  tracks->cell_offset = 0.5;
  tracks->end = fw__shown_end(plan);
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    const fw__walk_t walk = fw__walk(problem, plan, robot);
    tracks->tracks[robot].is_turning = fw__walk_has_heading(&walk);
    tracks->has_yaw = tracks->has_yaw || tracks->tracks[robot].is_turning;
  }
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    const fw__walk_t walk = fw__walk(problem, plan, robot);
    const fw_cell_t goal = problem->robots[robot].goal;
    fw__tracks_add_goal(tracks, 0, robot, fw_grid_x(problem->grid, goal), fw_grid_y(problem->grid, goal));
    add_path(tracks, robot, &walk);
    for (int32_t i = 0; i < problem->robots[robot].footprint_count; i++) {
      fw__tracks_add_offset(tracks, robot, problem->robots[robot].footprint[i]);
    }
  }
  fw_ret_t ret = add_arrivals(tracks, problem, plan, error);
  if (ret == FW_RET_OK) {
    ret = add_stays(tracks, problem, plan, error);
  }
  return ret == FW_RET_OK ? fw__tracks_finish(tracks, error) : ret;
}
