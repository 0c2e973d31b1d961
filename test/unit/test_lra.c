// lra: what its repairs do, and that its plan is free of conflicts wherever it is cut off.

#include <stdio.h>

#include "fleetweave/planner_def.h"
#include "support/digest.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

typedef struct settings_t {
  uint64_t seed;
  const char * ticks;      // NULL for the default
  const char * agitation;  // NULL for the default
} settings_t;

// Solves and checks; the caller finishes the planner.
static void solve(fw_planner_t * planner, const fw_problem_t * problem, settings_t settings, fw_plan_t * plan)
{
  fw_planner_options_t options = fw_planner_options_default();
  options.seed = settings.seed;
  assert_int_equal(fw_planner_init(planner, "lra", &options, NULL), FW_RET_OK);
  if (settings.ticks != NULL) {
    assert_int_equal(fw_planner_set(planner, "ticks", settings.ticks, NULL), FW_RET_OK);
  }
  if (settings.agitation != NULL) {
    assert_int_equal(fw_planner_set(planner, "agitation_max", settings.agitation, NULL), FW_RET_OK);
  }
  fw_conflict_t conflict;
  assert_int_equal(fw_planner_solve(planner, problem, NULL, plan, NULL), FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
}

static int64_t counter(const fw_plan_t * plan, const char * name)
{
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    if (strcmp(plan->stats.counters[i].name, name) == 0) {
      return plan->stats.counters[i].value;
    }
  }
  fail_msg("no counter %s", name);
  return -1;
}

static void two_robots_that_meet_go_around_each_other(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}, {.start = 5, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_planner_t planner;
  fw_plan_t plan;
  solve(&planner, &problem, (settings_t){0}, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(counter(&plan, "reroutes"), 1);
  assert_int_equal(counter(&plan, "retreats"), 0);
  assert_int_equal(plan.stats.sum_of_costs, 12);
  fw_planner_fini(&planner);
}

// Going straight back would not help, since the other robot follows. With every seed the bay is found at once.
static void a_robot_without_a_detour_steps_aside(void ** state)
{
  (void)state;
  DRAW(grid, "....", "#.##");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 3, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  for (uint64_t seed = 0; seed < 32; ++seed) {
    fw_planner_t planner;
    fw_plan_t plan;
    solve(&planner, &problem, (settings_t){.seed = seed}, &plan);
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(plan.stats.sum_of_costs, 8);
    assert_int_equal(counter(&plan, "retreats"), 1);
    fw_planner_fini(&planner);
  }
}

// A cell that is only reserved for the robust ticks of a robot that moves on is no reason for another route.
static void a_robot_that_follows_waits(void ** state)
{
  (void)state;
  DRAW(grid, "........", "........");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}, {.start = 1, .goal = 6}, {.start = 2, .goal = 7}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 3};
  fw_planner_t planner;
  fw_plan_t plan;
  solve(&planner, &problem, (settings_t){0}, &plan);
  assert_int_equal(plan.stats.sum_of_costs, plan.stats.lower_bound);  // all in one tick, the last in the order first
  fw_planner_fini(&planner);

  const fw_robot_t pair[] = {{.start = 1, .goal = 6}, {.start = 0, .goal = 5}};
  const fw_problem_t robust = {.grid = &grid, .robots = pair, .robot_count = 2, .robust_ticks = 2};
  solve(&planner, &robust, (settings_t){0}, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(counter(&plan, "reroutes"), 0);
  assert_int_equal(counter(&plan, "waits"), 2);
  fw_planner_fini(&planner);
}

static void a_corridor_without_a_bay_ends_at_the_limit(void ** state)
{
  (void)state;
  DRAW(grid, ".......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 6}, {.start = 6, .goal = 0, .ticks_per_move = 3}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_planner_t planner;
  fw_plan_t plan;
  solve(&planner, &problem, (settings_t){.ticks = "100"}, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
  assert_int_equal(plan.stop, FW_STOP_DONE);
  assert_int_equal(plan.safe_until, 100);
  fw_planner_fini(&planner);
}

// At whatever tick the plan ends, also in the middle of slow moves, it is free of conflicts, and it is the beginning
// of the longer plan.
static void a_plan_can_be_cut_at_any_tick(void ** state)
{
  (void)state;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(60); ++number) {
    world_t world;
    world_make(&world, 7000 + number, WORLD_ALL, 16);
    fw_planner_t whole;
    fw_plan_t plan;
    solve(&whole, &world.problem, (settings_t){.ticks = "40"}, &plan);
    for (int32_t ticks = 1; ticks < 40 && plan.outcome != FW_OUTCOME_UNSOLVABLE; ++ticks) {
      char text[16];
      (void)snprintf(text, sizeof(text), "%d", ticks);
      fw_planner_t planner;
      fw_plan_t cut;
      solve(&planner, &world.problem, (settings_t){.ticks = text}, &cut);
      for (int32_t r = 0; r < cut.robot_count; ++r) {
        for (fw_tick_t t = 0; t <= ticks; ++t) {
          assert_int_equal(fw_path_at(&cut.paths[r], t), fw_path_at(&plan.paths[r], t));
        }
      }
      fw_planner_fini(&planner);
    }
    fw_planner_fini(&whole);
    world_fini(&world);
  }
}

static void only_agitation_is_random(void ** state)
{
  (void)state;
  int32_t differences = 0;
  for (uint64_t number = 0; number < 20; ++number) {
    world_t world;
    world_make(&world, 7500 + number, WORLD_DIAGONALS, 20);
    uint64_t digests[4];
    for (uint64_t i = 0; i < 4; ++i) {
      fw_planner_t planner;
      fw_plan_t plan;
      solve(
        &planner, &world.problem, (settings_t){.seed = i % 2, .ticks = "60", .agitation = i < 2 ? "0" : NULL}, &plan);
      digests[i] = digest_paths(plan.paths, plan.robot_count);
      fw_planner_fini(&planner);
    }
    assert_true(digests[0] == digests[1]);
    differences += digests[2] != digests[3] ? 1 : 0;
    world_fini(&world);
  }
  assert_true(differences > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_robots_that_meet_go_around_each_other),
    cmocka_unit_test(a_robot_without_a_detour_steps_aside),
    cmocka_unit_test(a_robot_that_follows_waits),
    cmocka_unit_test(a_corridor_without_a_bay_ends_at_the_limit),
    cmocka_unit_test(a_plan_can_be_cut_at_any_tick),
    cmocka_unit_test(only_agitation_is_random),
  };
  return TEST_RUN(tests);
}
