// Two robots meet in a lane with one bay, where no order of planning helps: one of them has to start later.

#include "fleetweave/fleetweave.h"
#include "support/draw.h"
#include "support/test.h"

static void two_robots_swap_by_way_of_a_bay(void ** state)
{
  (void)state;
  DRAW(grid, ".........", "####.####");
  const fw_robot_t robots[] = {{.start = 0, .goal = 8}, {.start = 8, .goal = 0}};
  const char * const names[] = {"ca", "hca", "whca"};
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    for (int32_t robust = 0; robust < 3; ++robust) {
      const fw_problem_t problem = {
        .grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4, .robust_ticks = robust};
      fw_planner_t planner;
      fw_plan_t plan;
      fw_conflict_t conflict;
      assert_int_equal(fw_planner_init(&planner, names[i], NULL, NULL), FW_RET_OK);
      assert_int_equal(
        fw_planner_solve(&planner, &problem, &(fw_budget_t){.expansions_max = 100000}, &plan, NULL), FW_RET_OK);
      if (plan.outcome != FW_OUTCOME_SOLVED) {
        fail_msg("%s, k = %d: %s", names[i], robust, fw_outcome_name(plan.outcome));
      }
      assert_int_equal(fw_check_plan(&problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
      assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
      fw_planner_fini(&planner);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_robots_swap_by_way_of_a_bay)};
  return TEST_RUN(tests);
}
