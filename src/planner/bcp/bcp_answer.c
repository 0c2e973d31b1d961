// The answer of `bcp`: what is left is resolved, and a plan that does not end on all goals says how far it holds.

#include "base/error.h"
#include "planner/bcp/bcp.h"
#include "world/closures.h"

// The last tick at which everybody can stand where the paths end.
static fw_tick_t stands_until(const fw_bcp_t * run, const fw_path_t * paths)
{
  fw_tick_t until = FW_TICK_MAX;
  for (int32_t r = 0; r < run->problem->robot_count && run->problem->closure_count > 0; ++r) {
    const fw_tick_t last = paths[r].length - 1;
    const fw_grid_pose_t pose = fw__path_pose(&paths[r], last);
    const fw_footprint_t footprint = fw__fleet_footprint(&run->fleet, r, pose.heading);
    const fw_tick_t open = fw__closures_open_until(run->problem, footprint, pose.cell, last);
    until = open < until ? open : until;
  }
  return until;
}

static bool have_arrived(const fw_bcp_t * run)
{
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (!fw__bcp_ends_on_goal(run, r, &run->best.paths[r])) {
      return false;
    }
  }
  return stands_until(run, run->best.paths) == FW_TICK_MAX;
}

// Beyond that tick they wait, up to the horizon, and no less long than all could have waited at their starts.
static fw_tick_t wait_on(const fw_bcp_t * run, fw_tick_t holds, const fw_path_t * paths)
{
  const fw_tick_t starts = fw__closures_starts_open_until(&run->fleet.bodies);
  const fw_tick_t wanted = starts != FW_TICK_MAX && starts > run->problem->horizon ? starts : run->problem->horizon;
  const fw_tick_t open = stands_until(run, paths);
  const fw_tick_t reached = open < wanted ? open : wanted;
  return reached > holds ? reached : holds;
}

// Everybody stops at a tick up to which nobody collides: that holds on, since motions that would end later are not begun.
static void answer_part(const fw_bcp_t * run, fw_tick_t holds, fw_plan_t * plan, fw_path_t * paths)
{
  const fw_tick_t end = fw_paths_makespan(paths, run->problem->robot_count);
  const fw_tick_t open = stands_until(run, paths);
  holds = holds < run->limit ? holds : fw__bcp_is_limited(run) ? run->limit : end;
  holds = holds < open ? holds : open;
  if (holds < run->problem->horizon || run->options.has_waits != 0) {
    for (int32_t r = 0; r < run->problem->robot_count; ++r) {
      paths[r] = fw__bcp_cut(run, r, paths[r], holds);
    }
    holds = wait_on(run, holds, paths);
  }
  plan->outcome = FW_OUTCOME_PARTIAL;
  plan->stop = run->context->meter->stop;
  plan->safe_until = holds;
}

fw_ret_t fw__bcp_answer(fw_bcp_t * run, fw_plan_t * plan, fw_error_t * error)
{
  const size_t count = (size_t)run->problem->robot_count;
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, count, sizeof(*paths));
  fw_tick_t holds = FW_TICK_MAX;
  if (run->left > 0 && run->options.has_waits != 0) {
    holds = fw__bcp_resolve(run);
  } else if (run->left > 0) {
    holds = run->left_tick - 1;
  }
  if (paths == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    paths[r] = run->best.paths[r];
  }
  plan->paths = paths;
  if (holds == FW_TICK_MAX && have_arrived(run)) {
    plan->outcome = FW_OUTCOME_SOLVED;
    plan->safe_until = FW_TICK_MAX;
    plan->stats.first_plan_ns = fw_clock_now_ns() - run->context->meter->start_ns;
  } else {
    answer_part(run, holds, plan, paths);
  }
  fw__plan_count(plan, "iterations", run->iterations);
  fw__plan_count(plan, "searches", run->searches);
  fw__plan_count(plan, "virtual_costs", run->bump_count);
  fw__plan_count(plan, "virtual_costs_kept", run->kept);
  fw__plan_count(plan, "collisions_at_first", run->first_left);
  fw__plan_count(plan, "collisions_left", run->left);
  fw__plan_count(plan, "robots_made_to_wait", run->waits);
  return FW_RET_OK;
}
