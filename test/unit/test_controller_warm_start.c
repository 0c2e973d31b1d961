// Warm starts: the controller gives a robot its slot as id, so that 0 is an id like any other for every planner that
// plans window by window. All ids are 0 only if none are given; then the index counts.

#include "support/digest.h"
#include "support/draw.h"
#include "unit/test_controller_scene.h"

enum { WINDOWS = 40 };

// Two robots, one in a deep bay; their order changes from window to window. Returns the digest of all plans.
static uint64_t drive(const char * name, int32_t first_id, fw_cell_t * end)
{
  DRAW(
    grid,
    "............",  //
    "...#######..",  //
    ".........#..",  //
    ".........#..",  //
    ".........#..",  //
    "...#######..",  //
    "............");
  fw_robot_t in_bay = {.start = 37, .goal = 47, .id = first_id};
  fw_robot_t other = {.start = 0, .goal = 11, .id = first_id + 1};
  fw_planner_t planner;
  uint64_t digest = 0;
  assert_int_equal(fw_planner_init(&planner, name, NULL, NULL), FW_RET_OK);
  for (int32_t window = 0; window < WINDOWS; ++window) {
    const int32_t bay = window % 2;  // its index
    fw_robot_t robots[2];
    robots[bay] = in_bay;
    robots[1 - bay] = other;
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = robots,
      .robot_count = 2,
      .robust_ticks = 1,
      .horizon = 6,
      .since = window == 0 ? 0 : 3,
    };
    fw_plan_t plan;
    fw_error_t error = {0};
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, &error), FW_RET_OK);
    digest = digest * 31 + digest_paths(plan.paths, 2);
    in_bay.start = fw_path_at(&plan.paths[bay], 3);
    other.start = fw_path_at(&plan.paths[1 - bay], 3);
  }
  fw_planner_fini(&planner);
  *end = in_bay.start;
  return digest;
}

static void id_0_is_an_id_like_any_other(void ** state)
{
  (void)state;
  int32_t planners = 0;
  for (int32_t k = 0; k < fw_planner_def_count(); ++k) {
    const fw_planner_def_t * def = fw_planner_def_at(k);
    if (def->goes_on) {
      fw_cell_t with_zero, without;
      const uint64_t one = drive(def->name, 0, &with_zero), two = drive(def->name, 1, &without);
      assert_int_equal(with_zero, 47);
      assert_int_equal(without, 47);
      if (one != two) {
        fail_msg("%s plans otherwise if the ids begin at 0", def->name);
      }
      planners += 1;
    }
  }
  assert_true(planners >= 2);
}

// The same through the controller: rounds go on from each other in execution mode timed, also for the robot in slot 0,
// and also when the first robots of the list take no part any more.
static void rounds_go_on_from_each_other(void ** state)
{
  (void)state;
  static scene_t scene;
  static const char * const planners[] = {"whca", "rtaa", "bcp"};
  for (int32_t p = 0; p < TEST_COUNT(planners); ++p) {
    scene = scene_make();
    scene.options.settings.execution_mode = FW_EXECUTION_MODE_TIMED;
    scene.options.settings.expansions_max = 1000000;
    (void)snprintf(scene.options.settings.planner.name, sizeof scene.options.settings.planner.name, "%s", planners[p]);
    SCENE(
      &scene, "a...............................", "................................",
      "b...............................");
    const uint64_t a = scene_goal(&scene, 'a', 31, 0), b = scene_goal(&scene, 'b', 31, 2);
    scene_run(&scene, 8.0);
    scene_robot(&scene, 'a')->is_listed = scene_robot(&scene, 'a')->is_there = false;
    assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
    scene_until_ended(&scene, b, 120.0);
    assert_int_equal(scene_count(&scene, a, FW_GOAL_CANCELLED), 1);
    assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
    scene_end(&scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(id_0_is_an_id_like_any_other),
    cmocka_unit_test(rounds_go_on_from_each_other),
  };
  return TEST_RUN(tests);
}
