// The testbed of `bench bcp`: one tick, and what is planned again after a collision.

#include "bench/bcp_testbed.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "fleetweave/search.h"

typedef struct bcp_testbed_t {
  const fw_problem_t * problem;
  bcp_drive_t * drive;
  fw_planner_t * planner;
  bool may_cross;
  int32_t planned_at;  // tick
  fw_rng_t rng;
  fw_cell_t paths[BCP_UNITS_MAX][BCP_TICKS_MAX + 1];
  int32_t path_lengths[BCP_UNITS_MAX];
  int32_t progress[BCP_UNITS_MAX];  // index of the next cell of the path
} bcp_testbed_t;

static fw_cell_t cell_of(const bcp_testbed_t * testbed, int32_t unit, int32_t tick)
{
  return testbed->drive->cells[unit][tick];
}

static void set_path(bcp_testbed_t * testbed, int32_t unit, const fw_cell_t * cells, int32_t count)
{
  FW_ASSERT(unit >= 0 && unit < BCP_UNITS_MAX && count > 0);
  testbed->path_lengths[unit] = count <= BCP_TICKS_MAX ? count : BCP_TICKS_MAX;
  memcpy(testbed->paths[unit], cells, (size_t)testbed->path_lengths[unit] * sizeof(*cells));
  testbed->progress[unit] = 1;
}

static bool is_at_end(const bcp_testbed_t * testbed, int32_t unit)
{
  return testbed->progress[unit] >= testbed->path_lengths[unit];
}

// ---- planning again -------------------------------------------------------------------------------------------------

fw_ret_t bcp_solve(fw_planner_t * planner, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_conflict_t conflict;
  fw_ret_t ret = fw_planner_solve(planner, problem, NULL, plan, error);
  ret = ret == FW_RET_OK ? fw_check_plan(problem, plan, NULL, &conflict, error) : ret;
  if (ret == FW_RET_OK && conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    const char * name = fw_planner_definition(planner)->name;
    return fw__error(error, FW_RET_ERROR, "%s: the plan fails its check: %s", name, text);
  }
  return ret;
}

// New paths for all units from where they are at a tick; a planner may continue from its last plan (`since`).
static fw_ret_t plan_all(bcp_testbed_t * testbed, int32_t now, fw_error_t * error)
{
  fw_robot_t robots[BCP_UNITS_MAX];
  fw_problem_t problem = *testbed->problem;
  for (int32_t unit = 0; unit < problem.robot_count; ++unit) {
    robots[unit] = problem.robots[unit];
    robots[unit].start = cell_of(testbed, unit, now);
  }
  problem.robots = robots;
  problem.since = now - testbed->planned_at;
  testbed->planned_at = now;
  fw_plan_t plan;
  const fw_ret_t ret = bcp_solve(testbed->planner, &problem, &plan, error);
  if (now == 0 && ret == FW_RET_OK) {
    testbed->drive->first_ns = plan.stats.elapsed_ns;
  }
  for (int32_t unit = 0; unit < problem.robot_count && ret == FW_RET_OK; ++unit) {
    set_path(testbed, unit, plan.paths[unit].cells, plan.paths[unit].length);
  }
  return ret;
}

// A new path by A* around the other units where they are at a tick.
static fw_ret_t plan_one(bcp_testbed_t * testbed, int32_t unit, int32_t now, fw_error_t * error)
{
  const fw_problem_t * problem = testbed->problem;
  uint8_t cost[BCP_CELLS_MAX];
  FW_ASSERT(fw_grid_cell_count(problem->grid) <= BCP_CELLS_MAX);
  memcpy(cost, problem->grid->cost, (size_t)fw_grid_cell_count(problem->grid));
  for (int32_t other = 0; other < problem->robot_count; ++other) {
    cost[cell_of(testbed, other, now)] = other == unit ? 1 : 0;
  }
  const fw_cell_t goal = problem->robots[unit].goal;
  if (cost[goal] == 0) {
    return FW_RET_OK;  // occupied: keep the old path
  }
  fw_grid_t grid = *problem->grid;
  grid.cost = cost;
  fw_route_t route = {0};
  const fw_cell_t at = cell_of(testbed, unit, now);
  const fw_ret_t ret = fw_route_find(&route, &grid, at, goal, problem->connectivity, NULL, error);
  if (ret == FW_RET_OK && route.length > 0) {
    set_path(testbed, unit, route.cells, route.length);
  }
  fw_route_fini(&route);
  return ret;
}

static bool is_occupied(const bcp_testbed_t * testbed, int32_t unit, fw_cell_t cell, int32_t now)
{
  bool is_found = false;
  for (int32_t other = 0; other < testbed->problem->robot_count; ++other) {
    is_found = is_found || (other != unit && cell_of(testbed, other, now) == cell);
  }
  return is_found;
}

// The unit's next move leads to a cell on which another one stands, or its path has ended before its goal.
static bool is_stuck(const bcp_testbed_t * testbed, int32_t unit, int32_t now)
{
  if (is_at_end(testbed, unit)) {
    return cell_of(testbed, unit, now) != testbed->problem->robots[unit].goal;
  }
  return is_occupied(testbed, unit, testbed->paths[unit][testbed->progress[unit]], now);
}

// Paths for the next tick, `now`, where a unit has collided in the last one or its path has ended before its goal.
static fw_ret_t replan(bcp_testbed_t * testbed, const bcp_ride_t * ride, const bool * has_collided, fw_error_t * error)
{
  const int32_t count = testbed->problem->robot_count;
  const int32_t now = testbed->drive->ticks;
  bool is_due[BCP_UNITS_MAX];
  bool is_any_due = false;
  for (int32_t unit = 0; unit < count; ++unit) {
    is_due[unit] = has_collided[unit] || (is_at_end(testbed, unit) && is_stuck(testbed, unit, now));
    is_any_due = is_any_due || is_due[unit];
  }
  fw_ret_t ret = FW_RET_OK;
  if (is_any_due && ride->replanning == BCP_REPLAN_ALL) {
    ++testbed->drive->replans;
    ret = plan_all(testbed, now, error);
    for (int32_t unit = 0; unit < count; ++unit) {
      is_due[unit] = is_due[unit] && is_stuck(testbed, unit, now);
    }
  }
  for (int32_t unit = 0; unit < count && ret == FW_RET_OK; ++unit) {
    if (is_due[unit] && fw__rng_below(&testbed->rng, 2) == 0) {
      ret = plan_one(testbed, unit, now, error);
    }
  }
  return ret;
}

// ---- a tick ---------------------------------------------------------------------------------------------------------

// Whether two diagonal moves on a grid of this width cross.
static bool do_cross(int32_t width, const fw_cell_t * a, const fw_cell_t * b)
{
  const int32_t ax = a[1] % width - a[0] % width;
  const int32_t ay = a[1] / width - a[0] / width;
  const fw_cell_t beside[2] = {a[0] + ax, a[0] + ay * width};
  return ax != 0 && ay != 0 && ((b[0] == beside[0] && b[1] == beside[1]) || (b[0] == beside[1] && b[1] == beside[0]));
}

// Units that have moved in this tick have their next cell; the others are still where they were.
static bool can_step(const bcp_testbed_t * testbed, int32_t unit, fw_cell_t to, const bool * has_moved)
{
  const int32_t tick = testbed->drive->ticks;
  const fw_cell_t step[2] = {cell_of(testbed, unit, tick), to};
  for (int32_t other = 0; other < testbed->problem->robot_count; ++other) {
    if (other == unit) {
      continue;
    }
    const fw_cell_t theirs[2] = {cell_of(testbed, other, tick), cell_of(testbed, other, tick + 1)};
    const bool is_crossed = !testbed->may_cross && do_cross(testbed->problem->grid->width, step, theirs);
    if (theirs[0] == to || (has_moved[other] && (theirs[1] == to || is_crossed))) {
      return false;
    }
  }
  return true;
}

// All units move, in a random order; then paths are planned again if need be.
static fw_ret_t tick(bcp_testbed_t * testbed, const bcp_ride_t * ride, fw_error_t * error)
{
  const int32_t count = testbed->problem->robot_count;
  const int32_t now = testbed->drive->ticks;
  FW_ASSERT(count <= BCP_UNITS_MAX && now < BCP_TICKS_MAX);
  int32_t order[BCP_UNITS_MAX];
  bool has_moved[BCP_UNITS_MAX] = {false};
  bool has_collided[BCP_UNITS_MAX] = {false};
  for (int32_t i = 0; i < count; ++i) {
    order[i] = i;
    testbed->drive->cells[i][now + 1] = cell_of(testbed, i, now);
  }
  fw__rng_shuffle(&testbed->rng, order, count);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t unit = order[i];
    if (is_at_end(testbed, unit)) {
      continue;
    }
    const fw_cell_t to = testbed->paths[unit][testbed->progress[unit]];
    has_collided[unit] = to != cell_of(testbed, unit, now) && !can_step(testbed, unit, to, has_moved);
    if (has_collided[unit]) {
      ++testbed->drive->collisions;
      continue;
    }
    testbed->drive->cells[unit][now + 1] = to;
    has_moved[unit] = true;
    ++testbed->progress[unit];
  }
  ++testbed->drive->ticks;
  return replan(testbed, ride, has_collided, error);
}

// ---- a drive --------------------------------------------------------------------------------------------------------

static bool have_arrived(const bcp_testbed_t * testbed)
{
  for (int32_t unit = 0; unit < testbed->problem->robot_count; ++unit) {
    if (cell_of(testbed, unit, testbed->drive->ticks) != testbed->problem->robots[unit].goal) {
      return false;
    }
  }
  return true;
}

fw_ret_t bcp_drive(bcp_drive_t * drive, const bcp_ride_t * ride, fw_error_t * error)
{
  const fw_problem_t * problem = ride->problem;
  bcp_testbed_t testbed = {
    .problem = problem,
    .drive = drive,
    .planner = ride->planner,
    .may_cross = ride->may_cross,
    .rng = ride->rng,
  };
  drive->ticks = drive->collisions = drive->replans = 0;
  for (int32_t unit = 0; unit < problem->robot_count; ++unit) {
    drive->cells[unit][0] = problem->robots[unit].start;
  }
  fw_ret_t ret = plan_all(&testbed, 0, error);
  while (ret == FW_RET_OK && !have_arrived(&testbed) && drive->ticks < BCP_TICKS_MAX) {
    ret = tick(&testbed, ride, error);
  }
  drive->have_arrived = have_arrived(&testbed);
  return ret;
}

fw_tick_t bcp_drive_arrival(const bcp_drive_t * drive, const fw_problem_t * problem, int32_t unit)
{
  fw_tick_t tick = drive->ticks;
  while (tick > 0 && drive->cells[unit][tick - 1] == problem->robots[unit].goal) {
    --tick;
  }
  return tick;
}
