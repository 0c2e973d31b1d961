// The independent check: walks through a plan tick by tick, each robot alone and all together, and reports the earliest
// conflict.

#include "plan/check.h"

#include "base/error.h"
#include "base/memory.h"
#include "world/problem.h"

bool fw__check_report(fw__check_t * check, fw_conflict_t conflict)
{
  if (check->found.kind == FW_CONFLICT_NONE) {
    check->found = conflict;
    if (conflict.other >= 0 && conflict.other < conflict.robot) {
      check->found.robot = conflict.other;
      check->found.other = conflict.robot;
    }
  }
  return false;
}

// The earliest fault of any robot alone goes to `found`: conflicts between robots are looked for up to there. Returns the
// last tick at which that makes sense.
static fw_tick_t check_robots(fw__check_t * check, fw_tick_t until)
{
  fw_tick_t last = 0;
  for (int32_t r = 0; r < check->problem->robot_count; ++r) {
    fw__check_t alone = *check;
    alone.found = fw__no_conflict;
    if (!fw__check_alone(&alone, r, until)) {
      if (check->found.kind == FW_CONFLICT_NONE || alone.found.tick < check->found.tick) {
        check->found = alone.found;
      }
      until = alone.found.tick - 1 < until ? alone.found.tick - 1 : until;
    }
    last = check->paths[r].length > last ? check->paths[r].length : last;
  }
  const fw_tick_t end = last + check->problem->robust_ticks;  // nothing changes afterwards
  return until < end ? until : end;
}

static bool allocate(fw__check_t * check, const fw_allocator_t * allocator)
{
  const size_t cells = (size_t)fw_grid_cell_count(check->problem->grid);
  const size_t corners = ((size_t)check->problem->grid->width + 1) * ((size_t)check->problem->grid->height + 1);
  check->now[0] = fw__allocate_array(allocator, cells, sizeof(fw__mark_t));
  check->now[1] = fw__allocate_array(allocator, cells, sizeof(fw__mark_t));
  check->last = fw__allocate_array(allocator, cells, sizeof(fw__mark_t));
  check->corners = fw__allocate_array(allocator, corners, sizeof(fw__corner_t));
  check->change = fw__allocate_array(allocator, (size_t)check->problem->robot_count, sizeof(fw_tick_t));
  check->depart = fw__allocate_array(allocator, (size_t)check->problem->robot_count, sizeof(fw_tick_t));
  if (
    check->now[0] == NULL || check->now[1] == NULL || check->last == NULL || check->corners == NULL ||
    check->change == NULL || check->depart == NULL) {
    return false;
  }
  for (size_t i = 0; i < cells; ++i) {
    check->now[0][i].tick = check->now[1][i].tick = check->last[i].tick = -1;
  }
  for (size_t i = 0; i < corners; ++i) {
    check->corners[i].tick = -1;
  }
  return true;
}

static bool list_closures(fw__check_t * check, const fw_allocator_t * allocator)
{
  const fw_problem_t * problem = check->problem;
  if (problem->closure_count == 0) {
    return true;
  }
  const fw_cell_t cells = fw_grid_cell_count(problem->grid);
  check->closure_of = fw__allocate_array(allocator, (size_t)cells, sizeof(int32_t));
  check->closure_next = fw__allocate_array(allocator, (size_t)problem->closure_count, sizeof(int32_t));
  if (check->closure_of == NULL || check->closure_next == NULL) {
    return false;
  }
  for (fw_cell_t cell = 0; cell < cells; ++cell) {
    check->closure_of[cell] = -1;
  }
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_cell_t cell = problem->closures[i].cell;
    check->closure_next[i] = check->closure_of[cell];
    check->closure_of[cell] = i;
  }
  return true;
}

static void check_all(fw__check_t * check, fw_tick_t until)
{
  const fw_tick_t end = check_robots(check, until);
  const fw_conflict_t alone = check->found;
  check->found = fw__no_conflict;
  for (int32_t r = 0; r < check->problem->robot_count && end >= 0; ++r) {
    fw__check_look_ahead(check, r, 0);
  }
  for (fw_tick_t tick = 0; tick <= end && fw__check_tick(check, tick); ++tick) {}
  if (check->found.kind == FW_CONFLICT_NONE) {
    check->found = alone;
  }
  for (int32_t r = 0; r < check->problem->robot_count && until == FW_TICK_MAX; ++r) {
    const fw_path_t * path = &check->paths[r];
    if (check->found.kind != FW_CONFLICT_NONE) {
      return;
    }
    const fw_cell_t place = path->cells[path->length - 1];
    if (place != check->problem->robots[r].goal) {
      (void)fw__check_report(check, (fw_conflict_t){FW_CONFLICT_GOAL, r, -1, path->length - 1, place});
    }
  }
}

fw_ret_t fw_check_paths(
  const fw_problem_t * problem, const fw_path_t * paths, int32_t path_count, fw_tick_t until,
  const fw_allocator_t * allocator, fw_conflict_t * conflict, fw_error_t * error)
{
  *conflict = fw__no_conflict;
  const fw_allocator_t owner = fw__allocator_or_default(allocator);
  const fw_ret_t ret = fw__problem_check(problem, &owner, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (path_count != problem->robot_count || (path_count > 0 && paths == NULL)) {
    conflict->kind = FW_CONFLICT_SHAPE;
    return FW_RET_OK;
  }
  fw__check_t check = {.problem = problem, .paths = paths, .found = *conflict};
  const bool is_ready = allocate(&check, &owner) && fw__check_slant(&check, &owner) &&
                        fw__check_turns(&check, &owner) && list_closures(&check, &owner);
  if (is_ready) {
    check_all(&check, until);
    *conflict = check.found;
  }
  fw__deallocate(&owner, check.now[0]);
  fw__deallocate(&owner, check.now[1]);
  fw__deallocate(&owner, check.last);
  fw__deallocate(&owner, check.corners);
  fw__deallocate(&owner, check.change);
  fw__deallocate(&owner, check.depart);
  fw__deallocate(&owner, check.slants);
  fw__deallocate(&owner, check.slanted);
  fw__deallocate(&owner, check.turns);
  fw__deallocate(&owner, check.turned);
  fw__deallocate(&owner, check.closure_of);
  fw__deallocate(&owner, check.closure_next);
  return is_ready ? FW_RET_OK : fw__error_memory(error);
}

fw_ret_t fw_check_plan(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_allocator_t * allocator, fw_conflict_t * conflict,
  fw_error_t * error)
{
  // A plan that is not complete may be safe for ever (everybody waits) without reaching the goals.
  const fw_tick_t until = plan->outcome == FW_OUTCOME_SOLVED ? FW_TICK_MAX
                          : plan->safe_until == FW_TICK_MAX  ? FW_TICK_MAX - 1
                                                             : plan->safe_until;
  return fw_check_paths(problem, plan->paths, plan->robot_count, until, allocator, conflict, error);
}
