// `pibt` with guide paths: robots that meet take different lanes.

#include <string.h>

#include "base/rng.h"
#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "planner/lacam/guidance.h"
#include "support/test.h"

// Two lanes between two halls; every robot drives from hall to hall:
//
//   ....@@@@@@@@....
//   ................
//   ....@@@@@@@@....
//   ................
//   ....@@@@@@@@....
enum { WIDTH = 16, HEIGHT = 5, ROBOTS = 16, TICKS = 400 };
static const char hall[HEIGHT][WIDTH + 1] = {
  "....@@@@@@@@....", "................", "....@@@@@@@@....", "................", "....@@@@@@@@....",
};

typedef struct scene_t {
  uint8_t cost[WIDTH * HEIGHT];
  fw_grid_t grid;
  fw_robot_t robots[ROBOTS];
  fw_problem_t problem;
  fw_planner_t planner;
  fw_rng_t rng;
  int64_t goals;
  uint64_t sum;
  int64_t searches;
} scene_t;

// A free cell of the left or right hall.
static fw_cell_t draw(scene_t * scene, bool is_left)
{
  const int32_t x = fw__rng_below(&scene->rng, 3) + (is_left ? 0 : WIDTH - 3), y = fw__rng_below(&scene->rng, HEIGHT);
  return y * WIDTH + x;
}

static void begin(scene_t * scene, const char * guidance)
{
  *scene = (scene_t){.rng = fw__rng(3)};
  for (int32_t i = 0; i < WIDTH * HEIGHT; ++i) {
    scene->cost[i] = hall[i / WIDTH][i % WIDTH] == '.' ? 1 : 0;
  }
  scene->grid = (fw_grid_t){.width = WIDTH, .height = HEIGHT, .cost = scene->cost};
  for (int32_t r = 0; r < ROBOTS; ++r) {
    const bool is_left = r % 2 == 0;
    const fw_cell_t start = r / 2 % HEIGHT * WIDTH + r / 2 / HEIGHT + (is_left ? 0 : WIDTH - 2);
    scene->robots[r] = (fw_robot_t){.start = start, .goal = draw(scene, !is_left), .id = r + 1};
  }
  scene->problem = (fw_problem_t){
    .grid = &scene->grid, .robots = scene->robots, .robot_count = ROBOTS, .connectivity = 4, .horizon = 1};
  assert_int_equal(fw_planner_init(&scene->planner, "pibt", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&scene->planner, "guidance", guidance, NULL), FW_RET_OK);
}

static void drive(scene_t * scene, int32_t ticks)
{
  for (int32_t tick = 0; tick < ticks; ++tick) {
    fw_plan_t plan;
    fw_conflict_t conflict;
    assert_int_equal(fw_planner_solve(&scene->planner, &scene->problem, NULL, &plan, NULL), FW_RET_OK);
    assert_int_equal(fw_check_plan(&scene->problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
    assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
    for (int32_t i = 0; i < plan.stats.counter_count; ++i) {
      scene->searches += strcmp(plan.stats.counters[i].name, "searches") == 0 ? plan.stats.counters[i].value : 0;
    }
    for (int32_t r = 0; r < ROBOTS; ++r) {
      fw_robot_t * robot = &scene->robots[r];
      fw_robot_advance(robot, &plan.paths[r], 1);
      scene->sum = scene->sum * 31 + (uint64_t)robot->start;
      while (robot->start == robot->goal) {
        robot->goal = draw(scene, robot->start % WIDTH > WIDTH / 2);
        ++scene->goals;
      }
    }
    scene->problem.since = 1;
  }
}

static void guided_robots_reach_more_goals(void ** state)
{
  (void)state;
  int64_t goals[2];
  for (int32_t i = 0; i < 2; ++i) {
    scene_t scene;
    begin(&scene, i == 0 ? "0" : "50");
    drive(&scene, TICKS);
    goals[i] = scene.goals;
    assert_true(i == 0 ? scene.searches == 0 : scene.searches > 0);
    fw_planner_fini(&scene.planner);
  }
  assert_true(goals[1] > goals[0] * 6 / 5);
}

static void guide_paths_are_deterministic(void ** state)
{
  (void)state;
  uint64_t sums[2];
  for (int32_t i = 0; i < 2; ++i) {
    scene_t scene;
    begin(&scene, "20");
    drive(&scene, 100);
    sums[i] = scene.sum;
    fw_planner_fini(&scene.planner);
  }
  assert_true(sums[0] == sums[1]);
}

// The caller's budget ends in every round: plans are safe all the same, and warm ones go on.
static void a_budget_that_ends_leaves_a_safe_plan(void ** state)
{
  (void)state;
  scene_t scene;
  begin(&scene, "50");
  const fw_budget_t budget = {.expansions_max = 200};
  for (int32_t tick = 0; tick < 50; ++tick) {
    fw_plan_t plan;
    fw_conflict_t conflict;
    assert_int_equal(fw_planner_solve(&scene.planner, &scene.problem, &budget, &plan, NULL), FW_RET_OK);
    assert_int_equal(fw_check_plan(&scene.problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
    assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
    for (int32_t r = 0; r < ROBOTS; ++r) {
      fw_robot_advance(&scene.robots[r], &plan.paths[r], 1);
    }
    scene.problem.since = 1;
  }
  fw_planner_fini(&scene.planner);
}

// A dead end: the robot inside wants out, the one before it wants in. In time the one falls behind the other.
//
//   . . . .
//   @ @ 0 .     0 wants to 1's place, 1 to the upper left
//   @ @ 1 @
static void nobody_blocks_a_dead_end_for_ever(void ** state)
{
  (void)state;
  uint8_t cost[] = {1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  fw_grid_t grid = {.width = 4, .height = 3, .cost = cost};
  fw_robot_t robots[] = {{.start = 6, .goal = 10, .id = 1}, {.start = 10, .goal = 0, .id = 2}};
  fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4, .horizon = 1};
  fw_planner_t planner;
  int32_t arrivals = 0;
  assert_int_equal(fw_planner_init(&planner, "pibt", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "swap", "false", NULL), FW_RET_OK);
  for (int32_t tick = 0; tick < 2000; ++tick) {
    fw_plan_t plan;
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    for (int32_t r = 0; r < 2; ++r) {
      fw_robot_advance(&robots[r], &plan.paths[r], 1);
      if (robots[r].start == robots[r].goal) {
        robots[r].goal = robots[r].goal == 10 ? 0 : 10;
        ++arrivals;
      }
    }
    problem.since = 1;
  }
  assert_true(arrivals > 20);
  fw_planner_fini(&planner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(guided_robots_reach_more_goals),
    cmocka_unit_test(guide_paths_are_deterministic),
    cmocka_unit_test(a_budget_that_ends_leaves_a_safe_plan),
    cmocka_unit_test(nobody_blocks_a_dead_end_for_ever),
  };
  return TEST_RUN(tests);
}
