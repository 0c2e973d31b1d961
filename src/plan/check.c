// The independent checker: is a plan free of conflicts?
//
// It shares no code with the planners, so that a mistake of theirs cannot hide in it. It checks each robot alone
// (start, obstacles, motions, closures, rules of the grid), then all robots together, tick by tick on a map of which
// robot covers which cell (vertex, edge and crossing conflicts, robust_ticks). It reports the earliest conflict. At the
// same tick, a fault of one robot alone comes before a conflict of two.
//
// test_check_naive.c compares it with a naive checker that looks at every tick, pair of robots and cell.

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "plan/check_geometry.h"
#include "world/problem.h"

// Which robot covers a cell; valid for one tick only.
typedef struct mark_t {
  fw_tick_t tick;  // when this mark was made, -1: never
  int32_t robot;
} mark_t;

// A diagonal move through a corner of cells.
typedef struct corner_t {
  fw_tick_t tick;
  int32_t robot;
  int32_t slope;  // dx * dy of the move
} corner_t;

typedef struct checker_t {
  const fw_problem_t * problem;
  const fw_path_t * paths;
  fw_check_geometry_t geometry;
  mark_t * now[2];         // by parity of the tick, then by cell: the robot that covers it
  mark_t * last;           // by cell: the robot that covered it last
  corner_t * corners;      // of the grid's (width + 1) x (height + 1) corners
  fw_tick_t * change;      // by robot: the next tick at which its pose changes, FW_TICK_MAX for none
  fw_tick_t * depart;      // by robot: when it departs for that, as late as its speed allows; FW_TICK_MAX for never
  int32_t * closure_of;    // by cell: one closure there, -1 for none; NULL without closures
  int32_t * closure_next;  // by closure: another one of the same cell, -1 for none
  fw_conflict_t found;
} checker_t;

static const fw_conflict_t no_conflict = {.robot = -1, .other = -1, .cell = FW_CELL_NONE};

// Keeps a conflict if it is the first, with the smaller robot number first. Always false: "this is not right".
static bool report(checker_t * checker, fw_conflict_t conflict)
{
  FW_ASSERT(conflict.kind != FW_CONFLICT_NONE && conflict.robot != conflict.other);
  if (checker->found.kind == FW_CONFLICT_NONE) {
    checker->found = conflict;
    if (conflict.other >= 0 && conflict.other < conflict.robot) {
      checker->found.robot = conflict.other;
      checker->found.other = conflict.robot;
    }
  }
  return false;
}

// ---- paths ----------------------------------------------------------------------------------------------------------

static bool robot_has_heading(const checker_t * checker, int32_t robot)
{
  return checker->problem->robots[robot].turn_ticks > 0;
}

// A robot stays where its path ends.
static fw_checked_pose_t pose_at(const checker_t * checker, int32_t robot, fw_tick_t tick)
{
  const fw_path_t * path = &checker->paths[robot];
  FW_ASSERT(path->length > 0 && tick >= 0);
  const int32_t at = tick < path->length ? tick : path->length - 1;
  return (fw_checked_pose_t){path->cells[at], robot_has_heading(checker, robot) ? path->headings[at] : 0};
}

// The next tick after `tick` at which the pose differs from the tick before, FW_TICK_MAX for none.
static fw_tick_t next_change(const checker_t * checker, int32_t robot, fw_tick_t tick)
{
  const fw_path_t * path = &checker->paths[robot];
  const bool has_heading = robot_has_heading(checker, robot);
  for (fw_tick_t next = tick + 1; next < path->length; ++next) {
    if (
      path->cells[next] != path->cells[next - 1] || (has_heading && path->headings[next] != path->headings[next - 1])) {
      return next;
    }
  }
  return FW_TICK_MAX;
}

// How long the motion takes that ends at tick `change`.
static int32_t motion_ticks(const checker_t * checker, int32_t robot, fw_tick_t change)
{
  const fw_robot_t * shape = &checker->problem->robots[robot];
  const bool is_move = pose_at(checker, robot, change).cell != pose_at(checker, robot, change - 1).cell;
  FW_ASSERT(change > 0);
  const int32_t ticks = is_move ? shape->ticks_per_move : shape->turn_ticks;
  return ticks == 0 ? 1 : ticks;
}

// How long a robot that is in motion at tick 0 has been in it; 0 for others.
static int32_t ticks_before_start(const checker_t * checker, int32_t robot)
{
  const fw_robot_t * shape = &checker->problem->robots[robot];
  const int32_t ticks = shape->from != shape->start ? shape->ticks_per_move : shape->turn_ticks;
  return shape->arrives > 0 ? ticks - shape->arrives : 0;
}

// ---- one robot alone ------------------------------------------------------------------------------------------------

// Are all cells of it free floor inside the grid?
static bool is_free(const checker_t * checker, fw_coverage_t coverage)
{
  for (int32_t i = 0; i < fw__coverage_count(&checker->geometry, &coverage); ++i) {
    const fw_cell_t cell = fw__coverage_cell(&checker->geometry, &coverage, i);
    if (cell == FW_CELL_NONE || checker->problem->grid->cost[cell] == 0) {
      return false;
    }
  }
  return true;
}

// A diagonal by `by` needs both cells beside it free, for each cell of the footprint.
static bool cuts_no_corner(const checker_t * checker, int32_t robot, fw_checked_pose_t from, fw_offset_t by)
{
  const fw_grid_t * grid = checker->problem->grid;
  const fw_coverage_t coverage = {robot, from, from};
  for (int32_t i = 0; i < fw__coverage_count(&checker->geometry, &coverage); ++i) {
    const fw_offset_t at = fw__coverage_position(&checker->geometry, &coverage, i);
    if (!fw_grid_is_free(grid, at.dx + by.dx, at.dy) || !fw_grid_is_free(grid, at.dx, at.dy + by.dy)) {
      return false;
    }
  }
  return true;
}

// Is `by` the move straight ahead at this heading?
static bool is_ahead(int32_t heading, fw_offset_t by)
{
  static const fw_offset_t ahead[FW_HEADING_COUNT] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                                      {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
  return ahead[heading].dx == by.dx && ahead[heading].dy == by.dy;
}

static bool can_move(const checker_t * checker, int32_t robot, fw_checked_pose_t from, fw_checked_pose_t to)
{
  const fw_offset_t by = fw__check_geometry_offset(&checker->geometry, from.cell, to.cell);
  if (
    abs(by.dx) > 1 || abs(by.dy) > 1 || from.heading != to.heading ||
    (robot_has_heading(checker, robot) && !is_ahead(from.heading, by))) {
    return false;
  }
  const fw_problem_t * problem = checker->problem;
  const bool is_diagonal = by.dx != 0 && by.dy != 0;
  return !is_diagonal ||
         (problem->connectivity == 8 && (problem->cuts_corners || cuts_no_corner(checker, robot, from, by)));
}

// Do the rules of a cell forbid the move by `by`? Headings are eighths of a turn from east, clockwise with y down.
static bool is_against_rule(const checker_t * checker, fw_cell_t cell, fw_offset_t by)
{
  bool is_against = false;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; ++heading) {
    is_against = is_against || (is_ahead(heading, by) && (checker->problem->grid->rules[cell] >> heading & 1) != 0);
  }
  return is_against;
}

static bool is_allowed(const checker_t * checker, fw_checked_pose_t from, fw_checked_pose_t to)
{
  if (checker->problem->grid->rules == NULL) {
    return true;
  }
  const fw_offset_t by = fw__check_geometry_offset(&checker->geometry, from.cell, to.cell);
  return !is_against_rule(checker, from.cell, by) && !is_against_rule(checker, to.cell, by);
}

static bool can_turn(const checker_t * checker, int32_t robot, fw_checked_pose_t from, fw_checked_pose_t to)
{
  const int32_t step = checker->problem->connectivity == 8 ? 1 : 2;
  const int32_t right = (to.heading - from.heading + FW_HEADING_COUNT) % FW_HEADING_COUNT;
  return (right == step || right == FW_HEADING_COUNT - step) && is_free(checker, (fw_coverage_t){robot, from, to});
}

// The motion that ends at `tick` of a robot that arrived at its pose before at `since`.
static bool check_motion(checker_t * checker, int32_t robot, fw_tick_t tick, fw_tick_t since)
{
  const fw_checked_pose_t from = pose_at(checker, robot, tick - 1);
  const fw_checked_pose_t to = pose_at(checker, robot, tick);
  const bool is_right =
    tick - since >= motion_ticks(checker, robot, tick) &&
    (from.cell == to.cell ? can_turn(checker, robot, from, to) : can_move(checker, robot, from, to));
  if (!is_right) {
    return report(checker, (fw_conflict_t){FW_CONFLICT_MOVE, robot, -1, tick, to.cell});
  }
  const bool was_under_way = tick <= checker->problem->robots[robot].arrives;
  return was_under_way || is_allowed(checker, from, to) ||
         report(checker, (fw_conflict_t){FW_CONFLICT_ONE_WAY, robot, -1, tick, to.cell});
}

// The robot has been on its pose since tick `since`, and leaves it or is still there at `end`: a motion that ends after
// `end`, which the path does not show, may have begun.
static bool check_wait(checker_t * checker, int32_t robot, fw_tick_t since, fw_tick_t end)
{
  const fw_robot_t * shape = &checker->problem->robots[robot];
  const uint16_t * rules = checker->problem->grid->rules;
  const fw_cell_t cell = pose_at(checker, robot, since).cell;
  if (rules == NULL || (rules[cell] & FW_RULE_NO_WAITING) == 0 || cell == shape->goal) {
    return true;
  }
  const fw_tick_t change = next_change(checker, robot, since);
  const int32_t longest = shape->ticks_per_move > shape->turn_ticks ? shape->ticks_per_move : shape->turn_ticks;
  const bool is_waiting = change != FW_TICK_MAX && change <= end ? change - since > motion_ticks(checker, robot, change)
                                                                 : end - since >= (longest > 0 ? longest : 1);
  return !is_waiting || report(checker, (fw_conflict_t){FW_CONFLICT_WAIT, robot, -1, since + 1, cell});
}

// The robot may wait on its start until it leaves it, but then nowhere where waiting is forbidden, except on its goal.
static bool check_waits(checker_t * checker, int32_t robot, fw_tick_t until)
{
  const fw_cell_t start = checker->problem->robots[robot].start;
  const fw_tick_t arrives = checker->problem->robots[robot].arrives;
  bool has_left = false;
  for (fw_tick_t since = arrives; since < checker->paths[robot].length && since < until;) {
    has_left = has_left || pose_at(checker, robot, since).cell != start;
    if (has_left && !check_wait(checker, robot, since, until)) {
      return false;
    }
    since = next_change(checker, robot, since);
  }
  return true;
}

// Path and headings are there, and begin as the problem says.
static bool check_start(checker_t * checker, int32_t robot, fw_tick_t until)
{
  const fw_path_t * path = &checker->paths[robot];
  const fw_robot_t * shape = &checker->problem->robots[robot];
  const bool has_heading = robot_has_heading(checker, robot);
  if (path->length < 1 || path->cells == NULL || (has_heading && path->headings == NULL)) {
    return report(checker, (fw_conflict_t){FW_CONFLICT_SHAPE, robot, -1, 0, FW_CELL_NONE});
  }
  // A robot that is in motion at tick 0 is listed at the pose it comes from until it arrives.
  for (fw_tick_t tick = 0; tick <= shape->arrives && tick <= until; ++tick) {
    const fw_checked_pose_t pose = pose_at(checker, robot, tick);
    const bool is_arriving = tick < shape->arrives;
    const fw_cell_t cell = is_arriving ? shape->from : shape->start;
    if (pose.cell != cell || (has_heading && pose.heading != (is_arriving ? shape->from_heading : shape->heading))) {
      return report(checker, (fw_conflict_t){FW_CONFLICT_START, robot, -1, tick, pose.cell});
    }
  }
  return true;
}

// Every pose on free floor, every motion one that the robot can make in time.
static bool check_path(checker_t * checker, int32_t robot, fw_tick_t until)
{
  fw_tick_t since = -ticks_before_start(checker, robot);
  for (fw_tick_t tick = 0; tick < checker->paths[robot].length && tick <= until; ++tick) {
    const fw_checked_pose_t pose = pose_at(checker, robot, tick);
    if (!fw__check_geometry_has_cell(&checker->geometry, pose.cell)) {
      return report(checker, (fw_conflict_t){FW_CONFLICT_OBSTACLE, robot, -1, tick, pose.cell});
    }
    if (pose.heading >= FW_HEADING_COUNT) {
      return report(checker, (fw_conflict_t){FW_CONFLICT_MOVE, robot, -1, tick, pose.cell});
    }
    if (tick > 0 && fw__checked_pose_is_same(pose, pose_at(checker, robot, tick - 1))) {
      continue;
    }
    const fw_tick_t before = since;
    since = tick > 0 ? tick : since;
    if (!is_free(checker, (fw_coverage_t){robot, pose, pose})) {
      return report(checker, (fw_conflict_t){FW_CONFLICT_OBSTACLE, robot, -1, tick, pose.cell});
    }
    if (tick > 0 && !check_motion(checker, robot, tick, before)) {
      return false;
    }
  }
  return true;
}

// ---- closed cells ---------------------------------------------------------------------------------------------------

// The robot covers these cells from tick span[0] to span[1]: lowers `first` to the first tick at which one is closed.
static void find_closed(
  const checker_t * checker, fw_coverage_t coverage, const fw_tick_t * span, fw_conflict_t * first)
{
  for (int32_t i = 0; i < fw__coverage_count(&checker->geometry, &coverage); ++i) {
    const fw_cell_t cell = fw__coverage_cell(&checker->geometry, &coverage, i);
    int32_t at = cell == FW_CELL_NONE ? -1 : checker->closure_of[cell];
    for (; at >= 0; at = checker->closure_next[at]) {
      const fw_closure_t * closure = &checker->problem->closures[at];
      const fw_tick_t tick = closure->from > span[0] ? closure->from : span[0];
      if (tick <= span[1] && tick <= closure->to && (first->cell == FW_CELL_NONE || tick < first->tick)) {
        first->tick = tick;
        first->cell = cell;
      }
    }
  }
}

static fw_tick_t earlier(fw_tick_t a, fw_tick_t b) { return a < b ? a : b; }

// All that the robot covers up to `until`, pose after pose; it covers the last one forever. During a motion it covers
// the pose that it leaves, the one where it will arrive and what it sweeps, which may be closed earlier.
static bool check_closures(checker_t * checker, int32_t robot, fw_tick_t until)
{
  for (fw_tick_t since = 0; since < checker->paths[robot].length && since <= until;) {
    fw_conflict_t first = {FW_CONFLICT_CLOSED, robot, -1, FW_TICK_MAX, FW_CELL_NONE};
    const fw_checked_pose_t here = pose_at(checker, robot, since);
    const fw_tick_t change = next_change(checker, robot, since);
    const fw_tick_t to = earlier(change == FW_TICK_MAX ? until : change - 1, until);
    find_closed(checker, (fw_coverage_t){robot, here, here}, (fw_tick_t[2]){since, to}, &first);
    if (change != FW_TICK_MAX) {
      const fw_checked_pose_t there = pose_at(checker, robot, change);
      const fw_tick_t departed = change - motion_ticks(checker, robot, change);
      const fw_tick_t from = departed >= since ? departed + 1 : since;
      find_closed(checker, (fw_coverage_t){robot, there, there}, (fw_tick_t[2]){from, to}, &first);
      find_closed(checker, (fw_coverage_t){robot, here, there}, (fw_tick_t[2]){from, earlier(change, until)}, &first);
    }
    if (first.cell != FW_CELL_NONE) {
      return report(checker, first);
    }
    since = change;
  }
  return true;
}

// The whole path of one robot. Reports its first fault up to `until`.
static bool check_alone(checker_t * checker, int32_t robot, fw_tick_t until)
{
  FW_ASSERT(robot >= 0 && robot < checker->problem->robot_count);
  checker_t walk = *checker;
  walk.found = no_conflict;
  if (!check_start(&walk, robot, until) || !check_path(&walk, robot, until)) {
    // After a fault the path means nothing: waits and closures are checked up to the tick before.
    FW_ASSERT(walk.found.kind != FW_CONFLICT_NONE);
    until = walk.found.tick - 1;
  }
  if (until >= 0 && checker->problem->grid->rules != NULL) {
    const fw_conflict_t fault = walk.found;
    walk.found = no_conflict;
    until = check_waits(&walk, robot, until) ? until : walk.found.tick - 1;
    walk.found = walk.found.kind == FW_CONFLICT_NONE ? fault : walk.found;
  }
  const bool is_open = checker->closure_of == NULL || until < 0 || check_closures(checker, robot, until);
  return is_open && walk.found.kind != FW_CONFLICT_NONE ? report(checker, walk.found) : is_open;
}

// ---- robots against each other --------------------------------------------------------------------------------------

// Finds the robot's next change after `tick`.
static void find_next_change(checker_t * checker, int32_t robot, fw_tick_t tick)
{
  const fw_tick_t change = next_change(checker, robot, tick);
  checker->change[robot] = change;
  FW_ASSERT(change > tick);
  checker->depart[robot] = change == FW_TICK_MAX ? FW_TICK_MAX : change - motion_ticks(checker, robot, change);
}

// Is the robot in motion during the step that ends at `tick`?
static bool is_under_way(const checker_t * checker, int32_t robot, fw_tick_t tick)
{
  return checker->depart[robot] < tick;
}

// Vertex conflicts: marks the cells at this tick.
static bool mark_cells(checker_t * checker, fw_coverage_t coverage, fw_tick_t tick)
{
  mark_t * now = checker->now[tick & 1];
  FW_ASSERT(tick >= 0);
  for (int32_t i = 0; i < fw__coverage_count(&checker->geometry, &coverage); ++i) {
    const fw_cell_t cell = fw__coverage_cell(&checker->geometry, &coverage, i);
    if (cell == FW_CELL_NONE) {
      continue;
    }
    if (now[cell].tick == tick && now[cell].robot != coverage.robot) {
      return report(checker, (fw_conflict_t){FW_CONFLICT_CELL, coverage.robot, now[cell].robot, tick, cell});
    }
    now[cell] = (mark_t){.tick = tick, .robot = coverage.robot};
  }
  return true;
}

// k-robustness: a cell left by another robot at most robust_ticks ago is a conflict.
static bool check_robust_ticks(checker_t * checker, fw_coverage_t coverage, fw_tick_t tick)
{
  for (int32_t i = 0; i < fw__coverage_count(&checker->geometry, &coverage); ++i) {
    const fw_cell_t cell = fw__coverage_cell(&checker->geometry, &coverage, i);
    if (cell == FW_CELL_NONE) {
      continue;
    }
    mark_t * last = &checker->last[cell];
    if (last->tick >= 0 && last->robot != coverage.robot && tick - last->tick <= checker->problem->robust_ticks) {
      return report(checker, (fw_conflict_t){FW_CONFLICT_ROBUST, coverage.robot, last->robot, tick, cell});
    }
    FW_ASSERT(last->tick <= tick);
    *last = (mark_t){.tick = tick, .robot = coverage.robot};
  }
  return true;
}

// Everything that the robot covers at the tick: the pose where it is listed; between departure and arrival the pose
// where it will be; up to the arrival what it sweeps.
static bool mark_robot(checker_t * checker, int32_t robot, fw_tick_t tick)
{
  const fw_tick_t change = checker->change[robot];
  const fw_checked_pose_t here = pose_at(checker, robot, tick);
  const fw_robot_t * shape = &checker->problem->robots[robot];
  const bool may_sweep = shape->sweeps_sides || shape->turn_ticks > 0;
  if (!is_under_way(checker, robot, tick) || (change == tick && !may_sweep)) {
    return mark_cells(checker, (fw_coverage_t){robot, here, here}, tick) &&
           check_robust_ticks(checker, (fw_coverage_t){robot, here, here}, tick);
  }
  const fw_checked_pose_t left = pose_at(checker, robot, change - 1);
  const fw_checked_pose_t next = pose_at(checker, robot, change);
  const fw_coverage_t coverages[3] = {{robot, here, here}, {robot, left, next}, {robot, next, next}};
  const bool is_there[3] = {true, true, change > tick};
  for (int32_t i = 0; i < 3; ++i) {
    if (is_there[i] && !mark_cells(checker, coverages[i], tick)) {
      return false;
    }
  }
  for (int32_t i = 0; i < 3; ++i) {
    if (is_there[i] && !check_robust_ticks(checker, coverages[i], tick)) {
      return false;
    }
  }
  return true;
}

// Is the cell in the footprint at the pose where the robot is listed? What it sweeps beyond is no part of a swap.
static bool is_listed_on(const checker_t * checker, int32_t robot, fw_tick_t tick, fw_cell_t cell)
{
  const fw_checked_pose_t pose = pose_at(checker, robot, tick);
  const fw_coverage_t coverage = {robot, pose, pose};
  for (int32_t i = 0; i < fw__coverage_count(&checker->geometry, &coverage); ++i) {
    if (fw__coverage_cell(&checker->geometry, &coverage, i) == cell) {
      return true;
    }
  }
  return false;
}

// Edge conflicts: in the step that ends at `tick` each robot leaves a cell that the other enters. Motions of several
// ticks cover both poses all the time and are found as vertex conflicts.
static bool check_swap(checker_t * checker, int32_t robot, fw_tick_t tick)
{
  const fw_checked_pose_t from = pose_at(checker, robot, tick - 1);
  const fw_checked_pose_t to = pose_at(checker, robot, tick);
  if (fw__checked_pose_is_same(from, to)) {
    return true;
  }
  const fw_coverage_t before = {robot, from, from};
  const fw_coverage_t after = {robot, to, to};
  for (int32_t i = 0; i < fw__coverage_count(&checker->geometry, &before); ++i) {
    const fw_cell_t left = fw__coverage_cell(&checker->geometry, &before, i);
    const mark_t entering = checker->now[tick & 1][left];
    if (entering.tick != tick || entering.robot == robot || !is_listed_on(checker, entering.robot, tick, left)) {
      continue;
    }
    for (int32_t j = 0; j < fw__coverage_count(&checker->geometry, &after); ++j) {
      const fw_cell_t entered = fw__coverage_cell(&checker->geometry, &after, j);
      const mark_t leaving = checker->now[(tick - 1) & 1][entered];
      if (
        leaving.tick == tick - 1 && leaving.robot == entering.robot &&
        is_listed_on(checker, leaving.robot, tick - 1, entered)) {
        return report(checker, (fw_conflict_t){FW_CONFLICT_SWAP, robot, entering.robot, tick, to.cell});
      }
    }
  }
  return true;
}

// A diagonal passes the corner that its four cells share; two of different slope there cross.
static bool check_crossing(checker_t * checker, int32_t robot, fw_tick_t tick)
{
  if (checker->problem->connectivity != 8) {
    return true;
  }
  const fw_checked_pose_t from = pose_at(checker, robot, tick - 1);
  const fw_checked_pose_t to = pose_at(checker, robot, checker->change[robot]);
  const fw_offset_t by = fw__check_geometry_offset(&checker->geometry, from.cell, to.cell);
  const fw_coverage_t coverage = {robot, from, from};
  if (abs(by.dx) != 1 || abs(by.dy) != 1) {
    return true;
  }
  const int32_t width = checker->problem->grid->width;
  for (int32_t i = 0; i < fw__coverage_count(&checker->geometry, &coverage); ++i) {
    const fw_offset_t at = fw__coverage_position(&checker->geometry, &coverage, i);
    FW_ASSERT(at.dx >= 0 && at.dx < width && at.dy >= 0 && at.dy < checker->problem->grid->height);
    corner_t * corner = &checker->corners[(at.dy + (by.dy > 0)) * (width + 1) + at.dx + (by.dx > 0)];
    if (corner->tick == tick && corner->robot != robot && corner->slope != by.dx * by.dy) {
      return report(checker, (fw_conflict_t){FW_CONFLICT_CROSSING, robot, corner->robot, tick, to.cell});
    }
    *corner = (corner_t){.tick = tick, .robot = robot, .slope = by.dx * by.dy};
  }
  return true;
}

// All robots at one tick; ticks must come in order from 0. All cells are marked before swaps are looked for.
static bool check_tick(checker_t * checker, fw_tick_t tick)
{
  const int32_t count = checker->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    if (!mark_robot(checker, r, tick)) {
      return false;
    }
  }
  for (int32_t r = 0; r < count && tick > 0; ++r) {
    if (!is_under_way(checker, r, tick)) {
      continue;
    }
    if (!check_swap(checker, r, tick) || !check_crossing(checker, r, tick)) {
      return false;
    }
    if (checker->change[r] == tick) {
      find_next_change(checker, r, tick);
    }
  }
  return true;
}

// ---- the whole plan -------------------------------------------------------------------------------------------------

// The earliest fault of any robot alone goes to `found`. Returns the last tick at which conflicts between robots are to
// be looked for: before that fault, and before the tick after which nothing changes.
static fw_tick_t check_each_alone(checker_t * checker, fw_tick_t until)
{
  fw_tick_t last = 0;
  for (int32_t r = 0; r < checker->problem->robot_count; ++r) {
    checker_t alone = *checker;
    alone.found = no_conflict;
    if (!check_alone(&alone, r, until)) {
      if (checker->found.kind == FW_CONFLICT_NONE || alone.found.tick < checker->found.tick) {
        checker->found = alone.found;
      }
      until = alone.found.tick - 1 < until ? alone.found.tick - 1 : until;
    }
    last = checker->paths[r].length > last ? checker->paths[r].length : last;
  }
  const fw_tick_t end = last + checker->problem->robust_ticks;  // nothing changes afterwards
  return until < end ? until : end;
}

static void initialise(checker_t * checker, fw_arena_t * arena)
{
  const fw_problem_t * problem = checker->problem;
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  const size_t corners = ((size_t)problem->grid->width + 1) * ((size_t)problem->grid->height + 1);
  const size_t robots = (size_t)problem->robot_count + 1;
  fw__check_geometry_init(&checker->geometry, problem, arena);
  checker->now[0] = fw__arena_allocate(arena, cells, sizeof(mark_t));
  checker->now[1] = fw__arena_allocate(arena, cells, sizeof(mark_t));
  checker->last = fw__arena_allocate(arena, cells, sizeof(mark_t));
  checker->corners = fw__arena_allocate(arena, corners, sizeof(corner_t));
  checker->change = fw__arena_allocate_zeroed(arena, robots, sizeof(fw_tick_t));
  checker->depart = fw__arena_allocate_zeroed(arena, robots, sizeof(fw_tick_t));
  if (problem->closure_count > 0) {
    checker->closure_of = fw__arena_allocate(arena, cells, sizeof(int32_t));
    checker->closure_next = fw__arena_allocate(arena, (size_t)problem->closure_count, sizeof(int32_t));
  }
  if (fw__arena_has_failed(arena)) {
    return;
  }
  for (size_t i = 0; i < cells; ++i) {
    checker->now[0][i].tick = checker->now[1][i].tick = checker->last[i].tick = -1;
  }
  for (size_t i = 0; i < corners; ++i) {
    checker->corners[i].tick = -1;
  }
  for (size_t i = 0; i < cells && problem->closure_count > 0; ++i) {
    checker->closure_of[i] = -1;
  }
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_cell_t cell = problem->closures[i].cell;
    FW_ASSERT(fw_grid_contains(problem->grid, fw_grid_x(problem->grid, cell), fw_grid_y(problem->grid, cell)));
    checker->closure_next[i] = checker->closure_of[cell];
    checker->closure_of[cell] = i;
  }
}

// The earliest conflict goes to `found`. With `until` FW_TICK_MAX the paths must also end at the goals.
static void check_all(checker_t * checker, fw_tick_t until)
{
  const fw_tick_t end = check_each_alone(checker, until);
  const fw_conflict_t alone = checker->found;
  checker->found = no_conflict;
  for (int32_t r = 0; r < checker->problem->robot_count && end >= 0; ++r) {
    find_next_change(checker, r, 0);
  }
  for (fw_tick_t tick = 0; tick <= end && check_tick(checker, tick); ++tick) {}
  if (checker->found.kind == FW_CONFLICT_NONE) {
    checker->found = alone;
  }
  for (int32_t r = 0; r < checker->problem->robot_count && until == FW_TICK_MAX; ++r) {
    const fw_path_t * path = &checker->paths[r];
    if (checker->found.kind != FW_CONFLICT_NONE) {
      return;
    }
    const fw_cell_t place = path->cells[path->length - 1];
    if (place != checker->problem->robots[r].goal) {
      (void)report(checker, (fw_conflict_t){FW_CONFLICT_GOAL, r, -1, path->length - 1, place});
    }
  }
}

fw_ret_t fw_check_paths(
  const fw_problem_t * problem, const fw_path_t * paths, int32_t path_count, fw_tick_t until,
  const fw_allocator_t * allocator, fw_conflict_t * conflict, fw_error_t * error)
{
  *conflict = no_conflict;
  const fw_allocator_t owner = fw__allocator_or_default(allocator);
  const fw_ret_t ret = fw__problem_check_with(problem, &owner, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (path_count != problem->robot_count || (path_count > 0 && paths == NULL)) {
    conflict->kind = FW_CONFLICT_SHAPE;
    return FW_RET_OK;
  }
  checker_t checker = {.problem = problem, .paths = paths, .found = no_conflict};
  fw_memory_t memory = {.allocator = owner, .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  initialise(&checker, &arena);
  const bool has_failed = fw__arena_has_failed(&arena);
  if (!has_failed) {
    check_all(&checker, until);
    *conflict = checker.found;
  }
  fw__arena_fini(&arena);
  return has_failed ? fw__error_memory(error) : FW_RET_OK;
}

fw_ret_t fw_check_plan(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_allocator_t * allocator, fw_conflict_t * conflict,
  fw_error_t * error)
{
  // A plan that is not complete may be safe forever (all robots wait) without reaching the goals.
  const fw_tick_t until = plan->outcome == FW_OUTCOME_SOLVED ? FW_TICK_MAX
                          : plan->safe_until == FW_TICK_MAX  ? FW_TICK_MAX - 1
                                                             : plan->safe_until;
  return fw_check_paths(problem, plan->paths, plan->robot_count, until, allocator, conflict, error);
}

// ---- conflicts as text ----------------------------------------------------------------------------------------------

const char * fw_conflict_kind_name(fw_conflict_kind_t kind)
{
  static const char * const names[] = {"none",     "shape",  "start", "obstacle", "move",    "cell", "swap",
                                       "crossing", "robust", "goal",  "closed",   "one-way", "wait"};
  return kind >= FW_CONFLICT_NONE && kind <= FW_CONFLICT_WAIT ? names[kind] : "unknown";
}

void fw_conflict_describe(const fw_problem_t * problem, const fw_conflict_t * conflict, char * text, size_t text_size)
{
  const fw_grid_t * grid = problem->grid;
  const bool is_inside = conflict->cell >= 0 && conflict->cell < fw_grid_cell_count(grid);
  const int32_t x = is_inside ? fw_grid_x(grid, conflict->cell) : -1;
  const int32_t y = is_inside ? fw_grid_y(grid, conflict->cell) : -1;
  const int32_t a = conflict->robot;
  const int32_t b = conflict->other;
  const fw_tick_t t = conflict->tick;
  const bool turns = a >= 0 && a < problem->robot_count && problem->robots[a].turn_ticks > 0;
  switch (conflict->kind) {
    case FW_CONFLICT_SHAPE:
      if (a < 0) {
        (void)snprintf(text, text_size, "the plan must have one path for each of the %d robots", problem->robot_count);
      } else {
        (void)snprintf(text, text_size, "robot %d has an empty path%s", a, turns ? ", or one without headings" : "");
      }
      return;
    case FW_CONFLICT_START:
      (void)snprintf(
        text, text_size, "robot %d begins at (%d,%d), which is not its start%s", a, x, y,
        turns ? ", or begins with another heading" : "");
      return;
    case FW_CONFLICT_OBSTACLE:
      (void)snprintf(text, text_size, "robot %d is on an obstacle or outside the grid at (%d,%d), tick %d", a, x, y, t);
      return;
    case FW_CONFLICT_MOVE:
      (void)snprintf(
        text, text_size, "robot %d makes a move%s to (%d,%d) that it cannot make, tick %d", a, turns ? " or turn" : "",
        x, y, t);
      return;
    case FW_CONFLICT_CELL:
      (void)snprintf(text, text_size, "robots %d and %d are both on (%d,%d) at tick %d", a, b, x, y, t);
      return;
    case FW_CONFLICT_SWAP:
      (void)snprintf(
        text, text_size, "robots %d and %d swap cells at (%d,%d) between ticks %d and %d", a, b, x, y, t - 1, t);
      return;
    case FW_CONFLICT_CROSSING:
      (void)snprintf(
        text, text_size, "robots %d and %d cross diagonally at (%d,%d) between ticks %d and %d", a, b, x, y, t - 1, t);
      return;
    case FW_CONFLICT_ROBUST:
      (void)snprintf(
        text, text_size, "robots %d and %d are on (%d,%d) less than robust_ticks = %d apart, tick %d", a, b, x, y,
        problem->robust_ticks, t);
      return;
    case FW_CONFLICT_GOAL:
      (void)snprintf(text, text_size, "robot %d ends at (%d,%d), which is not its goal", a, x, y);
      return;
    case FW_CONFLICT_CLOSED:
      (void)snprintf(text, text_size, "robot %d is on (%d,%d) at tick %d while it is closed", a, x, y, t);
      return;
    case FW_CONFLICT_ONE_WAY:
      (void)snprintf(
        text, text_size, "robot %d moves to (%d,%d) against the direction of a one-way area, tick %d", a, x, y, t);
      return;
    case FW_CONFLICT_WAIT:
      (void)snprintf(text, text_size, "robot %d waits in the no-waiting area at (%d,%d), tick %d", a, x, y, t);
      return;
    case FW_CONFLICT_NONE:
      break;
  }
  (void)snprintf(text, text_size, "no conflict");
}
