#include "view/view.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

static bool is_inside(const fw_grid_t * grid, fw_cell_t cell) { return cell >= 0 && cell < fw_grid_cell_count(grid); }

fw_ret_t fw__view_check_plan(const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  if (problem->grid == NULL || problem->grid->cost == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the problem has no grid");
  }
  if (plan->paths == NULL || plan->robot_count != problem->robot_count || problem->robot_count < 1) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "the plan has %d robots and the problem %d: they must be equal and at least 1",
      plan->robot_count, problem->robot_count);
  }
  for (int32_t robot = 0; robot < plan->robot_count; robot++) {
    const fw_path_t * path = &plan->paths[robot];
    bool is_drawable = path->length >= 1 && is_inside(problem->grid, problem->robots[robot].goal);
    for (int32_t tick = 0; is_drawable && tick < path->length; tick++) {
      is_drawable = is_inside(problem->grid, path->cells[tick]);
    }
    if (!is_drawable) {
      return fw__error(error, FW_RET_INVALID_ARGUMENT, "the path or goal of robot %d leaves the grid", robot);
    }
    for (int32_t tick = 0; path->headings != NULL && tick < path->length; tick++) {
      if (path->headings[tick] >= FW_HEADING_COUNT) {
        return fw__error(
          error, FW_RET_INVALID_ARGUMENT, "robot %d has heading %d at tick %d; headings are 0 to 7", robot,
          path->headings[tick], tick);
      }
    }
  }
  for (int32_t i = 0; i < problem->closure_count; i++) {
    if (!is_inside(problem->grid, problem->closures[i].cell)) {
      return fw__error(error, FW_RET_INVALID_ARGUMENT, "closure %d is outside the grid", i);
    }
  }
  return FW_RET_OK;
}

fw_tick_t fw__view_last_tick(const fw_plan_t * plan)
{
  fw_tick_t end = 0;
  for (int32_t robot = 0; robot < plan->robot_count; robot++) {
    const fw_tick_t last = plan->paths[robot].length - 1;
    end = last > end ? last : end;
  }
  const bool is_cut = plan->outcome != FW_OUTCOME_SOLVED && plan->safe_until >= 0 && plan->safe_until < end;
  return is_cut ? plan->safe_until : end;
}

fw_tick_t fw__view_arrival(const fw_path_t * path, fw_cell_t goal, fw_tick_t end)
{
  fw_tick_t tick = end;
  if (fw_path_at(path, tick) != goal) {
    return -1;
  }
  while (tick > 0 && fw_path_at(path, tick - 1) == goal) {
    tick--;
  }
  return tick;
}

fw_ret_t fw__view_verdict(
  const fw_problem_t * problem, const fw_plan_t * plan, fw_plan_verdict_t * verdict, fw_error_t * error)
{
  *verdict = (fw_plan_verdict_t){0};
  fw_error_t reason = {0};
  const fw_ret_t ret = fw_check_plan(problem, plan, NULL, &verdict->conflict, &reason);
  if (ret == FW_RET_BAD_ALLOC) {
    return fw__error_memory(error);
  }
  if (ret != FW_RET_OK) {
    (void)snprintf(verdict->text, sizeof(verdict->text), "cannot be checked: %s", reason.text);
  } else if (verdict->conflict.kind != FW_CONFLICT_NONE) {
    char description[256];
    fw_conflict_describe(problem, &verdict->conflict, description, sizeof(description));
    (void)snprintf(
      verdict->text, sizeof(verdict->text), "conflict (%s): %s", fw_conflict_kind_name(verdict->conflict.kind),
      description);
  }
  return FW_RET_OK;
}

fw_ret_t fw__view_check_options(const fw_view_options_t * options, fw_tick_t end, fw_error_t * error)
{
  if (options->has_moment && (options->at < 0 || options->at > end)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "tick %d is outside the plan: it has ticks 0 to %d", options->at, end);
  }
  if (options->window < 0) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "the window is %d ticks; it must be 0 (no window) or more", options->window);
  }
  return FW_RET_OK;
}

const char * fw__view_title(const fw_view_options_t * options)
{
  return options != NULL && options->title != NULL ? options->title : "Fleetweave";
}

bool fw__view_one_way(const fw_grid_t * grid, fw_cell_t cell, double * dx, double * dy)
{
  *dx = *dy = 0.0;
  for (int32_t heading = 0; grid->rules != NULL && heading < FW_HEADING_COUNT; heading++) {
    if ((grid->rules[cell] & FW_RULE_ONE_WAY(heading)) != 0) {
      *dx -= cos(heading * 0.78539816339744831);
      *dy -= sin(heading * 0.78539816339744831);
    }
  }
  const double length = hypot(*dx, *dy);
  *dx = length > 0.1 ? *dx / length : 0.0;
  *dy = length > 0.1 ? *dy / length : 0.0;
  return length > 0.1;
}
