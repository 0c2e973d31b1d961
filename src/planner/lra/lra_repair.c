// What a robot of `lra` does whose next step is taken, or whose place closes.

#include "planner/lra/lra.h"
#include "world/closures.h"

static bool overlap(const fw_lra_t * run, int32_t a, fw_pose_t pose_a, int32_t b, fw_pose_t pose_b)
{
  const int32_t width = run->problem->grid->width;
  const fw_footprint_t f = fw__fleet_footprint(run->fleet, a, pose_a.heading);
  const fw_footprint_t g = fw__fleet_footprint(run->fleet, b, pose_b.heading);
  for (int32_t i = 0; i < f.count; ++i) {
    for (int32_t j = 0; j < g.count; ++j) {
      if (pose_a.cell + f.cells[i].dy * width + f.cells[i].dx == pose_b.cell + g.cells[j].dy * width + g.cells[j].dx) {
        return true;
      }
    }
  }
  return false;
}

// Is a cell that the step leads to, or sweeps, closed for ever?
static bool is_closed_for_ever(const fw_lra_t * run, const fw_timed_motion_t * step)
{
  const fw_grid_t * grid = run->problem->grid;
  const fw_motion_t * motion = fw__body_motion(
    run->fleet->bodies.of[step->robot], grid, (fw_pose_t){step->from, step->heading},
    (fw_pose_t){step->to, step->heading_to});
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    const fw_cell_t cell = step->from + motion->sweeps[i].dy * grid->width + motion->sweeps[i].dx;
    const int32_t node = run->fleet->places->node_of[cell];
    const bool is_left = motion->sweeps[i].to < motion->ticks;
    if (!is_left && fw__reservations_owner(&run->table, node, FW_TICK_MAX) == run->table.robot_count) {
      return true;
    }
  }
  return false;
}

// Is everybody in the way about to be gone? Then a wait is better than another way.
static bool clears_by_itself(const fw_lra_t * run, int32_t robot)
{
  const fw_timed_motion_t step = fw__lra_step_to(run, robot, fw__lra_next(run, robot));
  fw_conflict_set_t met = {.limit = FW_CONFLICT_SET_MAX};
  fw__reservations_find_conflicts(&run->table, &step, &met);
  for (int32_t i = 0; i < met.count; ++i) {
    const int32_t other = met.robots[i];
    if (!fw__reservations_is_robot(&run->table, other)) {
      if (is_closed_for_ever(run, &step)) {
        return false;
      }
      continue;  // a door: it opens
    }
    if (overlap(run, robot, (fw_pose_t){step.to, step.heading_to}, other, fw__lra_pose(run, other))) {
      return false;
    }
  }
  return true;
}

// Another way around those in contact. Where there is none: a step aside or else back, and from there as if alone.
static bool reroute(fw_lra_t * run, int32_t robot)
{
  fw_lra_walker_t * walker = &run->walkers[robot];
  walker->agitation += walker->agitation < run->agitation_max ? 1 : 0;
  ++run->reroutes;
  if (fw__lra_find_route(run, robot, FW_LRA_CONTACT)) {
    return true;
  }
  const bool is_retreating = (!fw__lra_has_stopped(run) && fw__lra_find_route(run, robot, FW_LRA_ASIDE)) ||
                             (!fw__lra_has_stopped(run) && fw__lra_find_route(run, robot, FW_LRA_STEP));
  run->retreats += is_retreating ? 1 : 0;
  return is_retreating;
}

// A robot with a heading may have to turn round before it can move.
bool fw__lra_has_to_leave(const fw_lra_t * run, int32_t robot)
{
  const fw_pose_t pose = fw__lra_pose(run, robot);
  const fw_body_t * body = run->fleet->bodies.of[robot];
  const int32_t turns = FW_HEADING_COUNT / 2 / body->turn_step * body->turn_ticks;
  const fw_footprint_t footprint = body->footprints[pose.heading];
  return fw__closures_next(run->problem, footprint, pose.cell, run->now + 1) <= run->now + body->ticks_per_move + turns;
}

// A step to any place next to it that has a way to the goal, and from there as if alone.
static bool flee(fw_lra_t * run, int32_t robot)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  const int32_t * next = fw__moves_of(moves, fw__moves_node(moves, fw__lra_pose(run, robot)));
  fw_distance_t * distance = fw__fleet_distance(run->fleet, robot);
  for (int32_t d = 0; d < moves->degree && !fw__lra_has_stopped(run); ++d) {
    const bool is_way = next[d] >= 0 && fw__distance_get(distance, next[d], run->context->meter) != FW_DISTANCE_NONE;
    if (is_way && fw__lra_try_step(run, robot, next[d])) {
      run->walkers[robot].route.count = 0;
      return fw__lra_is_on_goal(run, robot) || fw__lra_find_route(run, robot, FW_LRA_NOBODY) ||
             fw__lra_has_stopped(run);
    }
  }
  return false;
}

void fw__lra_repair(fw_lra_t * run, int32_t robot)
{
  if (fw__lra_is_on_goal(run, robot)) {
    if (!flee(run, robot) && !fw__lra_has_stopped(run)) {
      fw__lra_wait(run, robot);
    }
    return;
  }
  if (fw__lra_follow(run, robot) || fw__lra_has_stopped(run)) {
    return;  // one who was repaired before has made room
  }
  if (fw__lra_has_to_leave(run, robot) && flee(run, robot)) {
    return;
  }
  if (!clears_by_itself(run, robot) && reroute(run, robot) && fw__lra_follow(run, robot)) {
    return;
  }
  if (!fw__lra_has_stopped(run)) {
    ++run->waits;
    fw__lra_wait(run, robot);
  }
}
