// Robots of `lra` on their way: what they have done, what that books, and the next step.

#include "planner/lra/lra.h"
#include "world/closures.h"

static bool reserve(fw_lra_t * run, int32_t robot)
{
  fw_lra_walker_t * walker = &run->walkers[robot];
  if (walker->count < walker->capacity) {
    return true;
  }
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)walker->count;
  const bool has_heading = run->problem->robots[robot].turn_ticks > 0;
  int32_t capacity = walker->capacity;
  uint8_t * headings =
    has_heading ? fw__arena_grow(arena, walker->headings, count, sizeof(*headings), &capacity) : NULL;
  fw_cell_t * cells = fw__arena_grow(arena, walker->cells, count, sizeof(*cells), &walker->capacity);
  if (cells == NULL || (has_heading && headings == NULL)) {
    walker->capacity = walker->count;
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  walker->cells = cells;
  walker->headings = headings;
  return true;
}

static bool push(fw_lra_t * run, int32_t robot, fw_pose_t pose)
{
  if (!reserve(run, robot)) {
    return false;
  }
  fw_lra_walker_t * walker = &run->walkers[robot];
  walker->cells[walker->count] = pose.cell;
  if (walker->headings != NULL) {
    walker->headings[walker->count] = (uint8_t)pose.heading;
  }
  ++walker->count;
  return true;
}

// The path is borrowed from the walker: when it moves to larger arrays, the old ones stay as they were.
static void book(fw_lra_t * run, int32_t robot)
{
  const fw_lra_walker_t * walker = &run->walkers[robot];
  // Cells stay reserved for the robust ticks, and a slow motion is known by its arrival.
  const fw_tick_t past = run->now - run->problem->robust_ticks - FW_TICKS_PER_MOVE_MAX;
  const fw_tick_t from = past > 0 ? past : 0;
  const fw_pose_t end = fw__lra_pose(run, robot);
  const fw_booking_t booking = {
    .path =
      {.cells = walker->cells + from,
       .length = walker->count - from,
       .headings = walker->headings == NULL ? NULL : walker->headings + from},
    .from = from,
    .until = fw__closures_open_until(
      run->problem, fw__fleet_footprint(run->fleet, robot, end.heading), end.cell, walker->count - 1),
  };
  fw__reservations_remove(&run->table, robot);
  if (!fw__reservations_book(&run->table, robot, booking)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

bool fw__lra_begin(fw_lra_t * run, int32_t robot)
{
  const fw_path_t start = run->fleet->bodies.starts[robot];
  for (int32_t i = 0; i < start.length; ++i) {
    if (!push(run, robot, fw__path_pose(&start, i))) {
      return false;
    }
  }
  book(run, robot);
  return !fw__lra_has_stopped(run);
}

void fw__lra_wait(fw_lra_t * run, int32_t robot) { (void)push(run, robot, fw__lra_pose(run, robot)); }

fw_timed_motion_t fw__lra_step_to(const fw_lra_t * run, int32_t robot, int32_t node)
{
  const fw_pose_t from = fw__lra_pose(run, robot);
  const fw_pose_t to = fw__moves_pose(run->fleet->moves[robot], node);
  return (fw_timed_motion_t){
    .robot = robot,
    .from = from.cell,
    .heading = from.heading,
    .to = to.cell,
    .heading_to = to.heading,
    .depart = run->now,
  };
}

bool fw__lra_try_step(fw_lra_t * run, int32_t robot, int32_t node)
{
  const fw_timed_motion_t step = fw__lra_step_to(run, robot, node);
  if (!fw__reservations_allow(&run->table, &step)) {
    return false;
  }
  const fw_pose_t from = {step.from, step.heading};
  const fw_pose_t to = {step.to, step.heading_to};
  const int32_t ticks = fw__body_motion(run->fleet->bodies.of[robot], run->problem->grid, from, to)->ticks;
  bool is_noted = true;
  for (int32_t i = 1; i <= ticks && is_noted; ++i) {
    is_noted = push(run, robot, i < ticks ? from : to);
  }
  if (is_noted) {
    book(run, robot);
  }
  return true;
}

bool fw__lra_follow(fw_lra_t * run, int32_t robot)
{
  if (fw__meter_add(run->context->meter, 1) || !fw__lra_try_step(run, robot, fw__lra_next(run, robot))) {
    return false;
  }
  run->walkers[robot].route.count -= fw__lra_has_stopped(run) ? 0 : 1;
  return true;
}
