// Golden results: the plan of every planner when it was last changed on purpose.
//
// Each row of test/golden/results.txt is a case and its result. A difference means that behaviour has changed. If that
// was intended, look at the numbers, then write the rows again and commit them with the reason:
//
//   FLEETWEAVE_GOLDEN_WRITE=test/golden/results.txt <build>/test_golden

#include <inttypes.h>
#include <stdio.h>

#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "support/digest.h"
#include "support/test.h"

enum { ROW_MAX = 256, ROWS_MAX = 512 };

typedef struct case_t {
  const char * line;
  int32_t robots;
  int32_t connectivity;
  int32_t robust_ticks;
  int32_t seed;
} case_t;

static const case_t cases[] = {
  {"open:16x16", 30, 4, 0, 1},
  {"open:16x16", 30, 8, 1, 2},
  {"random:32x32,seed=1", 40, 4, 0, 1},
  {"random:32x32,seed=1", 40, 8, 0, 1},
  {"random:32x32,seed=1", 40, 4, 1, 3},
  {"random:24x24,obstacles=30,seed=4", 20, 8, 2, 5},
  {"warehouse:49x33,shelf=5,seed=1", 60, 4, 0, 1},
  {"warehouse:49x33,shelf=5,seed=1", 60, 4, 1, 2},
  {"rooms:32x32,room=7,seed=2", 24, 4, 0, 7},
  {"rooms:32x32,room=7,seed=2", 24, 8, 1, 7},
  {"maze:25x25,seed=3", 8, 4, 0, 1},
  {"maze:29x29,corridor=2,seed=3", 12, 8, 0, 9},
  {"random:12x12,seed=6", 40, 4, 0, 1},  // from here on: orders that fail, shuffles, parked robots
  {"random:12x12,seed=6", 30, 8, 1, 2},
  {"maze:15x15,seed=5", 18, 4, 0, 3},
};

// One row of text: the case, then "=", then the result. The expansion budget makes it the same on every machine.
static void answer(const fw_planner_def_t * def, const case_t * c, int32_t threads, char * row)
{
  fw_grid_t grid;
  fw_scenario_t scenario;
  assert_int_equal(fw_grid_make(&grid, c->line, NULL, NULL), FW_RET_OK);
  const int32_t robots = def->is_optimal ? 2 + c->robots / 10 : c->robots;  // they solve fewer robots
  assert_int_equal(fw_scenario_make(&scenario, &grid, robots, (uint64_t)c->seed, NULL, NULL), FW_RET_OK);
  fw_planner_options_t options = fw_planner_options_default();
  options.threads = threads;
  options.seed = (uint64_t)c->seed;
  const fw_problem_t problem = {
    .grid = &grid,
    .robots = scenario.robots,
    .robot_count = scenario.robot_count,
    .connectivity = c->connectivity,
    .robust_ticks = c->robust_ticks,
  };
  const fw_budget_t budget = {.expansions_max = 200000};
  fw_planner_t planner;
  fw_plan_t plan;
  assert_int_equal(fw_planner_init(&planner, def->name, &options, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, &problem, &budget, &plan, NULL), FW_RET_OK);
  (void)snprintf(
    row, ROW_MAX, "%s %s %d %d %d %d = %s %lld %d %lld %016" PRIx64, def->name, c->line, robots, c->connectivity,
    c->robust_ticks, c->seed, fw_outcome_name(plan.outcome), (long long)plan.stats.sum_of_costs, plan.stats.makespan,
    (long long)plan.stats.expanded, digest_paths(plan.paths, plan.robot_count));
  fw_planner_fini(&planner);
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

// The rows of the file without comments; returns their number.
static int32_t read_rows(char rows[][ROW_MAX])
{
  const char * folder = getenv("FLEETWEAVE_SOURCE_DIR");
  char path[1024];
  (void)snprintf(path, sizeof(path), "%s/test/golden/results.txt", folder != NULL ? folder : ".");
  FILE * file = fopen(path, "r");
  if (file == NULL) {
    fail_msg("%s cannot be read", path);
    return 0;
  }
  int32_t count = 0;
  while (count < ROWS_MAX && fgets(rows[count], ROW_MAX, file) != NULL) {
    rows[count][strcspn(rows[count], "\r\n")] = '\0';
    count += rows[count][0] == '#' || rows[count][0] == '\0' ? 0 : 1;
  }
  assert_int_equal(fclose(file), 0);
  return count;
}

static void every_row_is_unchanged(void ** state)
{
  (void)state;
  static char rows[ROWS_MAX][ROW_MAX];
  const int32_t count = read_rows(rows);
  int32_t differences = count == fw_planner_def_count() * TEST_COUNT(cases) ? 0 : 1;
  if (differences > 0) {
    print_message("%d rows, expected %d\n", count, fw_planner_def_count() * TEST_COUNT(cases));
  }
  for (int32_t i = 0; i < count && i < fw_planner_def_count() * TEST_COUNT(cases); ++i) {
    for (int32_t threads = 1; threads <= 2; ++threads) {
      char row[ROW_MAX];
      answer(fw_planner_def_at(i / TEST_COUNT(cases)), &cases[i % TEST_COUNT(cases)], threads, row);
      if (strcmp(row, rows[i]) != 0) {
        print_message("was: %s\nnow: %s  (%d threads)\n", rows[i], row, threads);
        ++differences;
      }
    }
  }
  if (differences > 0) {
    fail_msg("%d differences; if they are meant, see the top of test_golden.c", differences);
  }
}

static int write_rows(const char * path)
{
  FILE * file = fopen(path, "w");
  if (file == NULL) {
    return 1;
  }
  (void)fprintf(
    file,
    "# planner, map, robots, connectivity, robust_ticks, seed = outcome, sum of costs, makespan, expanded, paths' "
    "hash\n"
    "# Written by test_golden; see the top of test/unit/test_golden.c before changing anything.\n");
  for (int32_t i = 0; i < fw_planner_def_count() * TEST_COUNT(cases); ++i) {
    char row[ROW_MAX];
    answer(fw_planner_def_at(i / TEST_COUNT(cases)), &cases[i % TEST_COUNT(cases)], 1, row);
    (void)fprintf(file, "%s\n", row);
  }
  return fclose(file) == 0 ? 0 : 1;
}

int main(void)
{
  const char * path = getenv("FLEETWEAVE_GOLDEN_WRITE");
  if (path != NULL) {
    return write_rows(path) != 0 ? 1 : 77;  // written, not tested: never a pass
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_unchanged)};
  return TEST_RUN(tests);
}
