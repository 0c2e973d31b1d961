// Each allocation fails in turn: the call reports an error or gives a correct result, and nothing leaks.

#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "fleetweave/search.h"
#include "support/planner_features.h"
#include "support/draw.h"
#include "support/temp_file.h"
#include "support/tally.h"
#include "support/test.h"
#include "support/world.h"

// A piece of work that allocates: returns the code of the call, after releasing everything.
typedef struct work_t {
  fw_ret_t (*run)(const struct work_t * work, const fw_allocator_t * allocator);
  const char * path;  // of a file
  const char * line;  // of a map
  const fw_planner_def_t * def;
  const fw_problem_t * problem;
} work_t;

// Fails only call 1, 2, …; then all calls from 1, 2, … on; until a run makes fewer calls.
static void fail_each(work_t work)
{
  for (int32_t fails_on = 0; fails_on < 2; ++fails_on) {
    int32_t errors = 0;
    for (int64_t n = 1;; ++n) {
      tally_t tally = {0};
      const fw_allocator_t allocator = tally_allocator(&tally);
      tally_fail(&tally, n, fails_on != 0);
      const fw_ret_t ret = work.run(&work, &allocator);
      assert_int_equal(tally.live, 0);
      assert_true(ret == FW_RET_OK || ret == FW_RET_BAD_ALLOC);
      errors += ret == FW_RET_BAD_ALLOC ? 1 : 0;
      if (tally.calls < n) {
        assert_int_equal(ret, FW_RET_OK);
        break;
      }
      assert_in_range(n, 1, 100000);
    }
    assert_true(errors > 0);
  }
}

static fw_ret_t run_planner(const work_t * work, const fw_allocator_t * allocator)
{
  fw_planner_options_t options = fw_planner_options_default();
  options.allocator = *allocator;
  const fw_budget_t budget = {.expansions_max = 3000};
  fw_planner_t planner;
  fw_plan_t plan;
  fw_ret_t ret = fw_planner_init(&planner, work->def->name, &options, NULL);
  for (int32_t i = 0; i < 2 && ret == FW_RET_OK; ++i) {  // the solve after a failure works, too
    fw_error_t error;
    ret = fw_planner_solve(&planner, work->problem, &budget, &plan, &error);
    if (ret == FW_RET_OK) {
      fw_conflict_t conflict;
      assert_int_equal(fw_check_plan(work->problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
      assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
    } else {
      assert_string_equal(error.text, "out of memory");
      assert_null(plan.paths);
    }
  }
  fw_planner_fini(&planner);
  return ret;
}

static void planners(void ** state)
{
  (void)state;
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    for (uint64_t number = 0; number < (uint64_t)test_rounds(6); ++number) {
      world_t world;
      const int32_t features =
        (number % 3 == 0 ? WORLD_MOTION | WORLD_UNDER_WAY : WORLD_ALL) | (number % 2 == 0 ? WORLD_CLOSURES : 0);
      world_make(&world, 900 + number, planner_features_within(fw_planner_def_at(i), features), 10);
      fail_each((work_t){.run = run_planner, .def = fw_planner_def_at(i), .problem = &world.problem});
      world_fini(&world);
    }
  }
}

// Rolling horizon: the solve after a failure starts from a plan that may be incomplete inside the planner, and must
// still be free of conflicts.
static fw_ret_t run_rolling(const work_t * work, const fw_allocator_t * allocator)
{
  enum { ROBOTS_MAX = 30, ROUNDS = 6 };
  fw_robot_t robots[ROBOTS_MAX];
  fw_planner_options_t options = fw_planner_options_default();
  options.allocator = *allocator;
  fw_problem_t problem = *work->problem;
  const int32_t count = problem.robot_count;
  memcpy(robots, problem.robots, (size_t)count * sizeof(*robots));
  problem.robots = robots;
  fw_planner_t planner;
  fw_plan_t plan;
  fw_ret_t worst = fw_planner_init(&planner, work->def->name, &options, NULL);
  for (int32_t round = 0; round < ROUNDS && planner.impl != NULL; ++round) {
    const fw_ret_t ret = fw_planner_solve(&planner, &problem, NULL, &plan, NULL);
    worst = ret == FW_RET_OK ? worst : ret;
    problem.since = 0;
    if (ret != FW_RET_OK) {
      continue;
    }
    fw_conflict_t conflict;
    assert_int_equal(fw_check_plan(&problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
    assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
    problem.since = plan.safe_until < 3 ? plan.safe_until : 3;
    for (int32_t r = 0; r < count && problem.since > 0; ++r) {
      fw_robot_advance(&robots[r], &plan.paths[r], problem.since);
    }
    const fw_cell_t goal = robots[round % count].goal;  // two robots exchange goals
    robots[round % count].goal = robots[(round + 5) % count].goal;
    robots[(round + 5) % count].goal = goal;
  }
  fw_planner_fini(&planner);
  return worst;
}

static void rolling_planners(void ** state)
{
  (void)state;
  fw_grid_t grid;
  fw_scenario_t scenario;
  assert_int_equal(fw_grid_make(&grid, "rooms:24x24,room=7,seed=2", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, 30, 9, NULL, NULL), FW_RET_OK);
  for (int32_t r = 0; r < 30; ++r) {
    scenario.robots[r].id = 1 + r;
  }
  const fw_problem_t problem = {
    .grid = &grid, .robots = scenario.robots, .robot_count = 30, .robust_ticks = 1, .horizon = 6};
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    if (fw_planner_def_at(i)->goes_on) {
      fail_each((work_t){.run = run_rolling, .def = fw_planner_def_at(i), .problem = &problem});
    }
  }
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

static fw_ret_t run_make(const work_t * work, const fw_allocator_t * allocator)
{
  fw_grid_t grid;
  const fw_ret_t ret = fw_grid_make(&grid, work->line, allocator, NULL);
  fw_grid_fini(&grid);
  return ret;
}

static fw_ret_t run_scenario_make(const work_t * work, const fw_allocator_t * allocator)
{
  fw_scenario_t scenario;
  const fw_ret_t ret = fw_scenario_make(&scenario, work->problem->grid, 4, 1, allocator, NULL);
  fw_scenario_fini(&scenario);
  return ret;
}

static fw_ret_t run_check(const work_t * work, const fw_allocator_t * allocator)
{
  const fw_path_t paths[] = {
    {.cells = &work->problem->robots[0].start, .length = 1}, {.cells = &work->problem->robots[1].start, .length = 1}};
  fw_conflict_t conflict;
  return fw_check_paths(work->problem, paths, 2, 5, allocator, &conflict, NULL);
}

static fw_ret_t run_route(const work_t * work, const fw_allocator_t * allocator)
{
  fw_route_t route;
  const fw_ret_t ret = fw_route_find(&route, work->problem->grid, 0, 8, 8, allocator, NULL);
  fw_route_fini(&route);
  return ret;
}

static fw_ret_t run_grid_read(const work_t * work, const fw_allocator_t * allocator)
{
  fw_grid_t grid;
  const fw_ret_t ret = fw_grid_read(&grid, work->path, allocator, NULL);
  fw_grid_fini(&grid);
  return ret;
}

static fw_ret_t run_scenario_read(const work_t * work, const fw_allocator_t * allocator)
{
  fw_scenario_t scenario;
  const fw_ret_t ret = fw_scenario_read(&scenario, work->path, work->problem->grid, -1, allocator, NULL);
  fw_scenario_fini(&scenario);
  return ret;
}

static fw_ret_t run_closures_read(const work_t * work, const fw_allocator_t * allocator)
{
  fw_closures_t closures;
  const fw_ret_t ret = fw_closures_read(&closures, work->path, work->problem->grid, allocator, NULL);
  fw_closures_fini(&closures);
  return ret;
}

static fw_ret_t run_fleet_read(const work_t * work, const fw_allocator_t * allocator)
{
  fw_robot_t robots[3] = {{0}};
  fw_fleet_file_t file;
  const fw_ret_t ret = fw_fleet_file_read(&file, work->path, robots, 3, allocator, NULL);
  fw_fleet_file_fini(&file);
  return ret;
}

static fw_ret_t run_scenario_place(const work_t * work, const fw_allocator_t * allocator)
{
  fw_scenario_t scenario;
  fw_ret_t ret = fw_scenario_make(&scenario, work->problem->grid, 2, 1, allocator, NULL);
  if (ret == FW_RET_OK) {
    scenario.robots[0].turn_ticks = 1;
    ret = fw_scenario_place(&scenario, &(fw_problem_t){.grid = work->problem->grid, .connectivity = 8}, 1, NULL);
  }
  fw_scenario_fini(&scenario);
  return ret;
}

static fw_ret_t run_plan_read(const work_t * work, const fw_allocator_t * allocator)
{
  fw_plan_file_t file;
  const fw_ret_t ret = fw_plan_read(&file, work->path, work->problem->grid, allocator, NULL);
  fw_plan_file_fini(&file);
  return ret;
}

static void makers_check_and_route(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 2, .goal = 2}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fail_each((work_t){.run = run_make, .line = "maze:9x9"});
  fail_each((work_t){.run = run_make, .line = "warehouse:30x20"});
  fail_each((work_t){.run = run_scenario_make, .problem = &problem});
  fail_each((work_t){.run = run_scenario_place, .problem = &problem});
  fail_each((work_t){.run = run_check, .problem = &problem});
  const fw_closure_t closure = {.cell = 8, .to = 4};
  fw_problem_t closed = problem;
  closed.closures = &closure;
  closed.closure_count = 1;
  fail_each((work_t){.run = run_check, .problem = &closed});
  fail_each((work_t){.run = run_route, .problem = &problem});
}

static void readers(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  const fw_problem_t problem = {.grid = &grid};
  temp_file_t map, scenario, closures, fleet, plan;
  temp_file_write_text(&map, "type octile\nheight 1\nwidth 3\nmap\n...\n");
  temp_file_write_text(&scenario, "version 1\n0 m 3 3 0 0 2 2 4\n0 m 3 3 1 0 2 0 1\n");
  temp_file_write_text(&closures, "0 0 0 5\n2 2 7 -\n");
  temp_file_write_text(&fleet, "* footprint=2x2\n1 footprint=0,0;1,0 turn_ticks=2\n");
  FILE * stream = temp_file_open(&plan);  // more ticks than fit into the first room for them
  (void)fprintf(stream, "agents=1\nstarts=(0,0),\ngoals=(0,0),\nsolution=\n");
  for (int32_t tick = 0; tick < 150; ++tick) {
    (void)fprintf(stream, "%d:(0,0),\n", tick);
  }
  assert_int_equal(fclose(stream), 0);
  fail_each((work_t){.run = run_grid_read, .path = map.path});
  fail_each((work_t){.run = run_scenario_read, .path = scenario.path, .problem = &problem});
  fail_each((work_t){.run = run_closures_read, .path = closures.path, .problem = &problem});
  fail_each((work_t){.run = run_fleet_read, .path = fleet.path});
  fail_each((work_t){.run = run_plan_read, .path = plan.path, .problem = &problem});
  temp_file_remove(&map);
  temp_file_remove(&scenario);
  temp_file_remove(&closures);
  temp_file_remove(&fleet);
  temp_file_remove(&plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(planners),
    cmocka_unit_test(rolling_planners),
    cmocka_unit_test(makers_check_and_route),
    cmocka_unit_test(readers),
  };
  return TEST_RUN(tests);
}
