// The testbed of `bench bcp`: units that drive by the paper's rules, as games do, and do not look ahead.
//
// A unit may not enter a cell on which somebody stands, or has just left; of those who want one cell only one gets it, by
// lot; diagonals do not cross. Who cannot move stays. Without a planner it tries again, or finds a new way by A* around where
// everybody is at that moment, without regard to where they are going; with one all plan again from there, and go on from
// what the planner has kept.

#include <stdlib.h>
#include <string.h>

#include "bench/bench_bcp.h"
#include "fleetweave/search.h"

typedef struct testbed_t {
  const fw_problem_t * problem;
  cli_bcp_drive_t * drive;
  fw_planner_t * planner;  // NULL for none
  int32_t planned_at;      // tick
  fw_rng_t * rng;
  fw_cell_t ways[CLI_BCP_UNITS_MAX][CLI_BCP_TICKS + 1];
  int32_t way_counts[CLI_BCP_UNITS_MAX];
  int32_t progress[CLI_BCP_UNITS_MAX];  // index of the next cell of the way
} testbed_t;

static fw_cell_t place(const testbed_t * testbed, int32_t unit, int32_t tick)
{
  return testbed->drive->cells[unit][tick];
}

static void set_way(testbed_t * testbed, int32_t unit, const fw_cell_t * cells, int32_t count)
{
  testbed->way_counts[unit] = count <= CLI_BCP_TICKS ? count : CLI_BCP_TICKS;
  memcpy(testbed->ways[unit], cells, (size_t)testbed->way_counts[unit] * sizeof(*cells));
  testbed->progress[unit] = 1;
}

// Do two diagonal steps go through the same corner, each from side to side of the other?
static bool do_cross(const fw_cell_t * a, const fw_cell_t * b)
{
  const int32_t ax = a[1] % CLI_BCP_SIDE - a[0] % CLI_BCP_SIDE;
  const int32_t ay = a[1] / CLI_BCP_SIDE - a[0] / CLI_BCP_SIDE;
  const fw_cell_t beside[2] = {a[0] + ax, a[0] + ay * CLI_BCP_SIDE};
  return ax != 0 && ay != 0 && ((b[0] == beside[0] && b[1] == beside[1]) || (b[0] == beside[1] && b[1] == beside[0]));
}

// Those who have moved in this tick have a place at its end; the others have not yet.
static bool can_step(const testbed_t * testbed, int32_t unit, fw_cell_t to, const bool * has_moved)
{
  const int32_t tick = testbed->drive->ticks;
  const fw_cell_t step[2] = {place(testbed, unit, tick), to};
  for (int32_t other = 0; other < testbed->problem->robot_count; ++other) {
    if (other == unit) {
      continue;
    }
    const fw_cell_t theirs[2] = {place(testbed, other, tick), place(testbed, other, tick + 1)};
    if (theirs[0] == to || (has_moved[other] && (theirs[1] == to || do_cross(step, theirs)))) {
      return false;
    }
  }
  return true;
}

static fw_ret_t repair(testbed_t * testbed, int32_t unit, fw_error_t * error)
{
  const fw_problem_t * problem = testbed->problem;
  const int32_t tick = testbed->drive->ticks + 1;
  uint8_t cost[CLI_BCP_SIDE * CLI_BCP_SIDE];
  memcpy(cost, problem->grid->cost, sizeof(cost));
  for (int32_t other = 0; other < problem->robot_count; ++other) {
    cost[place(testbed, other, tick)] = other == unit ? 1 : 0;
  }
  const fw_cell_t goal = problem->robots[unit].goal;
  if (cost[goal] == 0) {
    return FW_RET_OK;  // somebody is there: the old way is as good as any
  }
  const fw_grid_t grid = {.width = CLI_BCP_SIDE, .height = CLI_BCP_SIDE, .cost = cost};
  fw_route_t route = {0};
  const fw_ret_t ret =
    fw_route_find(&route, &grid, place(testbed, unit, tick), goal, problem->connectivity, NULL, error);
  if (ret == FW_RET_OK && route.length > 0) {
    set_way(testbed, unit, route.cells, route.length);
  }
  fw_route_fini(&route);
  return ret;
}

static fw_ret_t plan_again(testbed_t * testbed, fw_error_t * error)
{
  fw_robot_t robots[CLI_BCP_UNITS_MAX];
  fw_problem_t problem = *testbed->problem;
  const int32_t now = testbed->drive->ticks + 1;
  for (int32_t unit = 0; unit < problem.robot_count; ++unit) {
    robots[unit] = problem.robots[unit];
    robots[unit].start = place(testbed, unit, now);
  }
  problem.robots = robots;
  problem.since = now - testbed->planned_at;
  testbed->planned_at = now;
  fw_plan_t plan;
  const fw_ret_t ret = fw_planner_solve(testbed->planner, &problem, NULL, &plan, error);
  for (int32_t unit = 0; unit < problem.robot_count && ret == FW_RET_OK; ++unit) {
    set_way(testbed, unit, plan.paths[unit].cells, plan.paths[unit].length);
  }
  return ret;
}

// New ways, if somebody was held up.
static fw_ret_t mend(testbed_t * testbed, const bool * is_held, fw_error_t * error)
{
  fw_ret_t ret = FW_RET_OK;
  for (int32_t unit = 0; unit < testbed->problem->robot_count && ret == FW_RET_OK; ++unit) {
    if (is_held[unit] && testbed->planner != NULL) {
      return plan_again(testbed, error);
    }
    // Every second time, by lot: two who meet and always step aside at once would dance for ever.
    ret = is_held[unit] && fw__rng_below(testbed->rng, 2) == 0 ? repair(testbed, unit, error) : FW_RET_OK;
  }
  return ret;
}

// One tick: all in an order by lot, then new ways.
static fw_ret_t tick(testbed_t * testbed, fw_error_t * error)
{
  const int32_t count = testbed->problem->robot_count;
  const int32_t now = testbed->drive->ticks;
  int32_t order[CLI_BCP_UNITS_MAX];
  bool has_moved[CLI_BCP_UNITS_MAX] = {false};
  bool is_held[CLI_BCP_UNITS_MAX] = {false};
  for (int32_t i = 0; i < count; ++i) {
    order[i] = i;
    testbed->drive->cells[i][now + 1] = place(testbed, i, now);
  }
  fw__rng_shuffle(testbed->rng, order, count);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t unit = order[i];
    if (testbed->progress[unit] >= testbed->way_counts[unit]) {
      continue;
    }
    const fw_cell_t to = testbed->ways[unit][testbed->progress[unit]];
    is_held[unit] = to != place(testbed, unit, now) && !can_step(testbed, unit, to, has_moved);
    if (!is_held[unit]) {
      testbed->drive->cells[unit][now + 1] = to;
      has_moved[unit] = true;
      ++testbed->progress[unit];
    }
  }
  const fw_ret_t ret = mend(testbed, is_held, error);
  ++testbed->drive->ticks;
  return ret;
}

static bool have_arrived(const testbed_t * testbed)
{
  for (int32_t unit = 0; unit < testbed->problem->robot_count; ++unit) {
    if (place(testbed, unit, testbed->drive->ticks) != testbed->problem->robots[unit].goal) {
      return false;
    }
  }
  return true;
}

fw_ret_t cli_bcp_drive(cli_bcp_drive_t * drive, const cli_bcp_ride_t * ride, fw_rng_t * rng, fw_error_t * error)
{
  const fw_problem_t * problem = ride->problem;
  testbed_t testbed = {.problem = problem, .drive = drive, .planner = ride->planner, .rng = rng};
  drive->ticks = 0;
  for (int32_t unit = 0; unit < problem->robot_count; ++unit) {
    drive->cells[unit][0] = problem->robots[unit].start;
    set_way(&testbed, unit, ride->paths[unit].cells, ride->paths[unit].length);
  }
  fw_ret_t ret = FW_RET_OK;
  while (ret == FW_RET_OK && !have_arrived(&testbed) && drive->ticks < CLI_BCP_TICKS) {
    ret = tick(&testbed, error);
  }
  drive->have_arrived = have_arrived(&testbed);
  return ret;
}

int32_t cli_bcp_arrival(const cli_bcp_drive_t * drive, const fw_problem_t * problem, int32_t robot)
{
  int32_t tick = drive->ticks;
  while (tick > 0 && drive->cells[robot][tick - 1] == problem->robots[robot].goal) {
    --tick;
  }
  return tick;
}
