// The independent check: walks through a plan tick by tick, lays every robot's cells on a map of owners and looks what
// lies there already. It knows nothing of reservations, graphs or searches, and reads the problem for itself.

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "world/problem.h"

typedef struct mark_t {
  fw_tick_t tick;  // when this mark was made; marks of other ticks are old
  int32_t robot;
} mark_t;

typedef struct corner_t {
  fw_tick_t tick;
  int32_t robot;
  int32_t slope;  // dx * dy of the diagonal that went through
} corner_t;

typedef struct check_t {
  const fw_problem_t * problem;
  const fw_path_t * paths;
  mark_t * now[2];         // by parity of the tick: who covers a cell
  mark_t * last;           // who covered a cell most recently
  corner_t * corners;      // of the grid's (width + 1) x (height + 1) corners
  fw_tick_t * change;      // by robot: the next tick at which its cell changes, FW_TICK_MAX for none
  int32_t * closure_of;    // by cell: one closure there, -1 for none; NULL without closures
  int32_t * closure_next;  // by closure: another one of the same cell, -1 for none
  fw_conflict_t found;
} check_t;

// ---- reading the problem --------------------------------------------------------------------------------------------

static int32_t speed_of(const check_t * check, int32_t robot)
{
  const int32_t ticks = check->problem->robots[robot].ticks_per_move;
  return ticks == 0 ? 1 : ticks;
}

static int32_t cell_count_of(const check_t * check, int32_t robot)
{
  const int32_t count = check->problem->robots[robot].footprint_count;
  return count == 0 ? 1 : count;
}

// Coordinates of footprint cell `index` when the robot stands on `place`.
static fw_offset_t cell_at(const check_t * check, int32_t robot, fw_cell_t place, int32_t index)
{
  const fw_robot_t * shape = &check->problem->robots[robot];
  const fw_grid_t * grid = check->problem->grid;
  const fw_offset_t offset = shape->footprint_count == 0 ? (fw_offset_t){0, 0} : shape->footprint[index];
  return (fw_offset_t){place % grid->width + offset.dx, place / grid->width + offset.dy};
}

static bool is_cell(const check_t * check, fw_cell_t place)
{
  return place >= 0 && place < fw_grid_cell_count(check->problem->grid);
}

// The same as a cell, FW_CELL_NONE where it is outside: a robot may be on its way to a place that it never reaches,
// because the plan is looked at only up to a tick before.
static fw_cell_t covered(const check_t * check, int32_t robot, fw_cell_t place, int32_t index)
{
  const fw_grid_t * grid = check->problem->grid;
  if (!is_cell(check, place)) {
    return FW_CELL_NONE;
  }
  const fw_offset_t at = cell_at(check, robot, place, index);
  return fw_grid_contains(grid, at.dx, at.dy) ? fw_grid_cell(grid, at.dx, at.dy) : FW_CELL_NONE;
}

static fw_cell_t place_at(const check_t * check, int32_t robot, fw_tick_t tick)
{
  return fw_path_at(&check->paths[robot], tick);
}

static bool report(check_t * check, fw_conflict_t conflict)
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

// ---- one robot alone ------------------------------------------------------------------------------------------------

static bool stands_free(check_t * check, int32_t robot, fw_cell_t place, fw_tick_t tick)
{
  for (int32_t i = 0; i < cell_count_of(check, robot); ++i) {
    const fw_offset_t at = cell_at(check, robot, place, i);
    if (!fw_grid_is_free(check->problem->grid, at.dx, at.dy)) {
      return report(check, (fw_conflict_t){FW_CONFLICT_OBSTACLE, robot, -1, tick, place});
    }
  }
  return true;
}

static bool moves_rightly(check_t * check, int32_t robot, fw_tick_t tick, fw_tick_t since)
{
  const fw_cell_t from = place_at(check, robot, tick - 1);
  const fw_cell_t to = place_at(check, robot, tick);
  const fw_conflict_t wrong = {FW_CONFLICT_MOVE, robot, -1, tick, to};
  const fw_grid_t * grid = check->problem->grid;
  const int32_t dx = to % grid->width - from % grid->width;
  const int32_t dy = to / grid->width - from / grid->width;
  if (abs(dx) > 1 || abs(dy) > 1 || tick - since < speed_of(check, robot)) {
    return report(check, wrong);
  }
  if (dx == 0 || dy == 0) {
    return true;
  }
  if (check->problem->connectivity != 8) {
    return report(check, wrong);
  }
  for (int32_t i = 0; i < cell_count_of(check, robot); ++i) {
    const fw_offset_t at = cell_at(check, robot, from, i);
    if (!fw_grid_is_free(grid, at.dx + dx, at.dy) || !fw_grid_is_free(grid, at.dx, at.dy + dy)) {
      return report(check, wrong);
    }
  }
  return true;
}

// The whole path of one robot: inside, on free floor, with moves that it can make. Reports its first fault.
static bool walks_rightly(check_t * check, int32_t robot, fw_tick_t until)
{
  const fw_path_t * path = &check->paths[robot];
  if (path->length < 1 || path->cells == NULL) {
    return report(check, (fw_conflict_t){FW_CONFLICT_SHAPE, robot, -1, 0, FW_CELL_NONE});
  }
  if (path->cells[0] != check->problem->robots[robot].start) {
    return report(check, (fw_conflict_t){FW_CONFLICT_START, robot, -1, 0, path->cells[0]});
  }
  fw_tick_t since = 0;
  for (fw_tick_t tick = 0; tick < path->length && tick <= until; ++tick) {
    const fw_cell_t place = path->cells[tick];
    if (!is_cell(check, place)) {
      return report(check, (fw_conflict_t){FW_CONFLICT_OBSTACLE, robot, -1, tick, place});
    }
    if (tick > 0 && place == path->cells[tick - 1]) {
      continue;
    }
    if (!stands_free(check, robot, place, tick) || (tick > 0 && !moves_rightly(check, robot, tick, since))) {
      return false;
    }
    since = tick;
  }
  return true;
}

// The next arrival at another cell after `tick`.
static fw_tick_t next_change(const fw_path_t * path, fw_tick_t tick)
{
  for (fw_tick_t next = tick + 1; next < path->length; ++next) {
    if (path->cells[next] != path->cells[next - 1]) {
      return next;
    }
  }
  return FW_TICK_MAX;
}

// ---- closed cells ---------------------------------------------------------------------------------------------------

// The robot covers the cells of `place` from tick to tick. Reports the first that is closed.
static bool stands_open(check_t * check, int32_t robot, fw_cell_t place, fw_tick_t from, fw_tick_t to)
{
  fw_conflict_t first = {FW_CONFLICT_CLOSED, robot, -1, FW_TICK_MAX, FW_CELL_NONE};
  for (int32_t i = 0; i < cell_count_of(check, robot); ++i) {
    const fw_cell_t cell = covered(check, robot, place, i);
    int32_t at = cell == FW_CELL_NONE ? -1 : check->closure_of[cell];
    for (; at >= 0; at = check->closure_next[at]) {
      const fw_closure_t * closure = &check->problem->closures[at];
      const fw_tick_t tick = closure->from > from ? closure->from : from;
      if (tick <= to && tick <= closure->to && (first.cell == FW_CELL_NONE || tick < first.tick)) {
        first.tick = tick;
        first.cell = cell;
      }
    }
  }
  return first.cell == FW_CELL_NONE || report(check, first);
}

// All that the robot covers up to `until`, stay after stay; the last one lasts for ever. While it is on its way it
// covers the place that it leaves and the one where it will arrive, which may be closed earlier.
static bool keeps_out(check_t * check, int32_t robot, fw_tick_t until)
{
  const fw_path_t * path = &check->paths[robot];
  for (fw_tick_t since = 0; since < path->length && since <= until;) {
    const fw_tick_t change = next_change(path, since);
    const fw_tick_t to = change == FW_TICK_MAX ? until : change - 1;
    const bool is_open = stands_open(check, robot, path->cells[since], since, to < until ? to : until);
    if (change == FW_TICK_MAX) {
      return is_open;
    }
    const fw_tick_t departed = change - speed_of(check, robot) + 1;
    check_t ahead = *check;
    ahead.found = (fw_conflict_t){.robot = -1, .other = -1, .cell = FW_CELL_NONE};
    const bool is_way_open =
      stands_open(&ahead, robot, path->cells[change], departed > since ? departed : since + 1, to < until ? to : until);
    if (!is_way_open && (is_open || ahead.found.tick < check->found.tick)) {
      check->found = ahead.found;
    }
    if (!is_open || !is_way_open) {
      return false;
    }
    since = change;
  }
  return true;
}

// ---- robots against each other --------------------------------------------------------------------------------------

// Is the robot on its way to another cell during the step that ends at `tick`? It departs as late as its speed lets it.
static bool is_under_way(const check_t * check, int32_t robot, fw_tick_t tick)
{
  return check->change[robot] != FW_TICK_MAX && check->change[robot] - speed_of(check, robot) < tick;
}

static bool lay_cells(check_t * check, int32_t robot, fw_cell_t place, fw_tick_t tick)
{
  mark_t * now = check->now[tick & 1];
  for (int32_t i = 0; i < cell_count_of(check, robot); ++i) {
    const fw_cell_t cell = covered(check, robot, place, i);
    if (cell == FW_CELL_NONE) {
      continue;
    }
    if (now[cell].tick == tick && now[cell].robot != robot) {
      return report(check, (fw_conflict_t){FW_CONFLICT_CELL, robot, now[cell].robot, tick, cell});
    }
    now[cell] = (mark_t){.tick = tick, .robot = robot};
  }
  return true;
}

// Cells left less than robust_ticks ago by another robot.
static bool keeps_distance(check_t * check, int32_t robot, fw_cell_t place, fw_tick_t tick)
{
  for (int32_t i = 0; i < cell_count_of(check, robot); ++i) {
    const fw_cell_t cell = covered(check, robot, place, i);
    if (cell == FW_CELL_NONE) {
      continue;
    }
    mark_t * last = &check->last[cell];
    if (last->tick >= 0 && last->robot != robot && tick - last->tick <= check->problem->robust_ticks) {
      return report(check, (fw_conflict_t){FW_CONFLICT_ROBUST, robot, last->robot, tick, cell});
    }
    *last = (mark_t){.tick = tick, .robot = robot};
  }
  return true;
}

// Each leaves a cell that the other enters, in the step that ends at `tick`. Moves of several ticks cover both cells on
// the way and are found as cell conflicts.
static bool does_not_swap(check_t * check, int32_t robot, fw_tick_t tick)
{
  const fw_cell_t from = place_at(check, robot, tick - 1);
  const fw_cell_t to = place_at(check, robot, tick);
  const mark_t * now = check->now[tick & 1];
  const mark_t * before = check->now[(tick - 1) & 1];
  const int32_t width = check->problem->grid->width;
  if (from == to) {
    return true;
  }
  for (int32_t i = 0; i < cell_count_of(check, robot); ++i) {
    const fw_offset_t left = cell_at(check, robot, from, i);
    const mark_t entering = now[left.dy * width + left.dx];
    if (entering.tick != tick || entering.robot == robot) {
      continue;
    }
    for (int32_t j = 0; j < cell_count_of(check, robot); ++j) {
      const fw_offset_t entered = cell_at(check, robot, to, j);
      const mark_t leaving = before[entered.dy * width + entered.dx];
      if (leaving.tick == tick - 1 && leaving.robot == entering.robot) {
        return report(check, (fw_conflict_t){FW_CONFLICT_SWAP, robot, entering.robot, tick, to});
      }
    }
  }
  return true;
}

// A diagonal goes through the corner that its four cells share; two of different slope there cross.
static bool does_not_cross(check_t * check, int32_t robot, fw_tick_t tick)
{
  const fw_cell_t from = place_at(check, robot, tick - 1);
  const fw_cell_t to = check->paths[robot].cells[check->change[robot]];
  const int32_t width = check->problem->grid->width;
  const int32_t dx = is_cell(check, to) ? to % width - from % width : 0;
  const int32_t dy = is_cell(check, to) ? to / width - from / width : 0;
  if (abs(dx) != 1 || abs(dy) != 1) {
    return true;
  }
  for (int32_t i = 0; i < cell_count_of(check, robot); ++i) {
    const fw_offset_t at = cell_at(check, robot, from, i);
    corner_t * corner = &check->corners[(at.dy + (dy > 0)) * (width + 1) + at.dx + (dx > 0)];
    if (corner->tick == tick && corner->robot != robot && corner->slope != dx * dy) {
      return report(check, (fw_conflict_t){FW_CONFLICT_CROSSING, robot, corner->robot, tick, to});
    }
    *corner = (corner_t){.tick = tick, .robot = robot, .slope = dx * dy};
  }
  return true;
}

// All robots at one tick. Every robot's cells are laid before swaps are looked for.
static bool check_tick(check_t * check, fw_tick_t tick)
{
  const int32_t count = check->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    // On the ticks between departure and arrival it covers both cells.
    const bool is_between = is_under_way(check, r, tick) && check->change[r] > tick;
    const fw_cell_t next = is_between ? check->paths[r].cells[check->change[r]] : FW_CELL_NONE;
    const fw_cell_t place = place_at(check, r, tick);
    if (!lay_cells(check, r, place, tick) || (is_between && !lay_cells(check, r, next, tick))) {
      return false;
    }
    if (!keeps_distance(check, r, place, tick) || (is_between && !keeps_distance(check, r, next, tick))) {
      return false;
    }
  }
  for (int32_t r = 0; r < count && tick > 0; ++r) {
    if (!does_not_swap(check, r, tick) || (is_under_way(check, r, tick) && !does_not_cross(check, r, tick))) {
      return false;
    }
    if (check->change[r] == tick) {
      check->change[r] = next_change(&check->paths[r], tick);
    }
  }
  return true;
}

static fw_tick_t check_robots(check_t * check, fw_tick_t until)
{
  fw_tick_t last = 0;
  for (int32_t r = 0; r < check->problem->robot_count; ++r) {
    // The earliest fault of any robot alone: conflicts between robots are looked for up to there.
    for (int32_t question = 0; question < 2; ++question) {
      check_t alone = *check;
      alone.found = (fw_conflict_t){.robot = -1, .other = -1, .cell = FW_CELL_NONE};
      const bool is_fine = question == 0               ? walks_rightly(&alone, r, until)
                           : check->closure_of == NULL ? true
                                                       : keeps_out(&alone, r, until);
      if (is_fine) {
        continue;
      }
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

static bool allocate(check_t * check, const fw_allocator_t * allocator)
{
  const size_t cells = (size_t)fw_grid_cell_count(check->problem->grid);
  const size_t corners = ((size_t)check->problem->grid->width + 1) * ((size_t)check->problem->grid->height + 1);
  check->now[0] = fw__allocate_array(allocator, cells, sizeof(mark_t));
  check->now[1] = fw__allocate_array(allocator, cells, sizeof(mark_t));
  check->last = fw__allocate_array(allocator, cells, sizeof(mark_t));
  check->corners = fw__allocate_array(allocator, corners, sizeof(corner_t));
  check->change = fw__allocate_array(allocator, (size_t)check->problem->robot_count, sizeof(fw_tick_t));
  if (
    check->now[0] == NULL || check->now[1] == NULL || check->last == NULL || check->corners == NULL ||
    check->change == NULL) {
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

static bool list_closures(check_t * check, const fw_allocator_t * allocator)
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

static void check_all(check_t * check, fw_tick_t until)
{
  const fw_tick_t end = check_robots(check, until);
  const fw_conflict_t alone = check->found;
  check->found = (fw_conflict_t){.robot = -1, .other = -1, .cell = FW_CELL_NONE};
  for (int32_t r = 0; r < check->problem->robot_count && end >= 0; ++r) {
    check->change[r] = next_change(&check->paths[r], 0);
  }
  for (fw_tick_t tick = 0; tick <= end && check_tick(check, tick); ++tick) {}
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
      (void)report(check, (fw_conflict_t){FW_CONFLICT_GOAL, r, -1, path->length - 1, place});
    }
  }
}

fw_ret_t fw_check_paths(
  const fw_problem_t * problem, const fw_path_t * paths, int32_t path_count, fw_tick_t until,
  const fw_allocator_t * allocator, fw_conflict_t * conflict, fw_error_t * error)
{
  *conflict = (fw_conflict_t){.robot = -1, .other = -1, .cell = FW_CELL_NONE};
  const fw_allocator_t owner = fw__allocator_or_default(allocator);
  const fw_ret_t ret = fw__problem_check(problem, &owner, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (path_count != problem->robot_count || (path_count > 0 && paths == NULL)) {
    conflict->kind = FW_CONFLICT_SHAPE;
    return FW_RET_OK;
  }
  check_t check = {.problem = problem, .paths = paths, .found = *conflict};
  const bool is_ready = allocate(&check, &owner) && list_closures(&check, &owner);
  if (is_ready) {
    check_all(&check, until);
    *conflict = check.found;
  }
  fw__deallocate(&owner, check.now[0]);
  fw__deallocate(&owner, check.now[1]);
  fw__deallocate(&owner, check.last);
  fw__deallocate(&owner, check.corners);
  fw__deallocate(&owner, check.change);
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
