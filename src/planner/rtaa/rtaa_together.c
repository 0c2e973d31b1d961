// `rtaa` with cooperation: an episode of everybody, then a step in which each commits itself to one cell, tick by tick.

#include "planner/rtaa/rtaa_story.h"

static bool have_arrived(const fw_rtaa_run_t * run)
{
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (!fw__rtaa_is_on_goal(run, r)) {
      return false;
    }
  }
  return true;
}

fw_ret_t fw__rtaa_solve_together(fw_rtaa_run_t * run, fw_plan_t * plan, fw_error_t * error)
{
  if (!fw__rtaa_order_init(run) || !fw__rtaa_commit_init(run)) {
    return fw__plan_wait_all(FW_FLEET_STOPPED, run->context, run->problem, plan, error);
  }
  fw_rtaa_story_t * story = run->context->state;
  const bool is_window = run->problem->horizon > 0;
  if (is_window) {
    fw__rtaa_story_recall(story, run);
  }
  fw__rtaa_order_begin(run);
  while (!have_arrived(run) && run->now < run->ticks_max && fw__rtaa_run_episode(run)) {
    fw__rtaa_order_update(run);
    bool is_fine = fw__rtaa_commit(run);
    for (int32_t r = 0; r < run->problem->robot_count && is_fine; ++r) {
      is_fine = fw__rtaa_track_add(run, r, run->cells[r]);
    }
    if (!is_fine) {
      break;  // somebody's track is shorter: the tick before is the last
    }
    ++run->now;
  }
  if (is_window) {
    fw__rtaa_story_keep(story, run);
  }
  const bool is_solved = !fw__meter_has_stopped(run->context->meter) && have_arrived(run);
  return fw__rtaa_answer(run, is_solved, run->now, plan, error);
}
