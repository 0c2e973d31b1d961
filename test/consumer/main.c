// Two robots change places on a floor of three by two cells.
#include <fleetweave/fleetweave.h>
#include <stdio.h>

int main(void)
{
  uint8_t floor[] = {1, 1, 1, 1, 1, 1};
  const fw_grid_t grid = {.width = 3, .height = 2, .cost = floor};
  const fw_robot_t robots[] = {{.start = 0, .goal = 2}, {.start = 2, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};

  fw_error_t error = {0};
  fw_planner_t planner = {0};
  fw_plan_t plan = {0};
  if (
    fw_planner_init(&planner, "hca", NULL, &error) != FW_RET_OK ||
    fw_planner_solve(&planner, &problem, NULL, &plan, &error) != FW_RET_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  printf("%s\n", fw_outcome_name(plan.outcome));
  const int exit_code = plan.outcome == FW_OUTCOME_SOLVED ? 0 : 1;
  fw_planner_fini(&planner);
  return exit_code;
}
