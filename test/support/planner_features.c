// Which features a planner supports: it solves one robot with each feature alone.

#include "support/planner_features.h"

#include "support/test.h"
#include "support/world.h"

int32_t planner_features_within(const fw_planner_def_t * def, int32_t features)
{
  static const fw_offset_t two_cells[] = {{0, 0}, {1, 0}};
  static const fw_closure_t door = {.cell = 3, .from = 50, .to = 60};
  static const int32_t tried[] = {WORLD_SPEEDS,   WORLD_SHAPES, WORLD_CLOSURES,
                                  WORLD_HEADINGS, WORLD_SWEEPS, WORLD_CORNERS};
  uint8_t cost[4] = {1, 1, 1, 1};
  const fw_grid_t grid = {.width = 4, .height = 1, .cost = cost};
  for (int32_t i = 0; i < TEST_COUNT(tried); ++i) {
    fw_robot_t robot = {.start = 0, .goal = 1};
    fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
    robot.ticks_per_move = tried[i] == WORLD_SPEEDS ? 2 : 1;
    robot.footprint = tried[i] == WORLD_SHAPES ? two_cells : NULL;
    robot.footprint_count = tried[i] == WORLD_SHAPES ? 2 : 0;
    robot.turn_ticks = tried[i] == WORLD_HEADINGS ? 1 : 0;
    robot.sweeps_sides = tried[i] == WORLD_SWEEPS;
    problem.connectivity = tried[i] == WORLD_SWEEPS || tried[i] == WORLD_CORNERS ? 8 : 4;
    problem.cuts_corners = tried[i] == WORLD_CORNERS;
    problem.closures = &door;
    problem.closure_count = tried[i] == WORLD_CLOSURES ? 1 : 0;
    fw_planner_t planner;
    fw_plan_t plan;
    fw_error_t error = {0};
    assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
    const fw_ret_t ret = fw_planner_solve(&planner, &problem, NULL, &plan, &error);
    assert_true(ret == FW_RET_OK || (ret == FW_RET_UNSUPPORTED && error.text[0] != '\0'));
    features &= ret == FW_RET_OK ? ~0 : ~tried[i];
    fw_planner_fini(&planner);
  }
  return (features & WORLD_SPEEDS) != 0 ? features : features & ~WORLD_UNDER_WAY;
}
