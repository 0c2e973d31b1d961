// Obstacles that robots do not know until one of them sees them: plans of `rtaa` and swarms are safe on the true map.

#include "fleetweave/files.h"
#include "fleetweave/swarm.h"
#include "support/digest.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"
#include "world/hidden.h"

typedef struct scene_t {
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_problem_t problem;
} scene_t;

static void scene_make(scene_t * scene, const char * map, int32_t robots, int32_t connectivity)
{
  assert_int_equal(fw_grid_make(&scene->grid, map, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scene->scenario, &scene->grid, robots, 4, NULL, NULL), FW_RET_OK);
  scene->problem = (fw_problem_t){
    .grid = &scene->grid,
    .robots = scene->scenario.robots,
    .robot_count = scene->scenario.robot_count,
    .connectivity = connectivity,
  };
}

static void scene_fini(scene_t * scene)
{
  fw_scenario_fini(&scene->scenario);
  fw_grid_fini(&scene->grid);
}

typedef struct setting_t {
  const char * hidden;
  const char * sight;
  const char * memory;
  const char * cooperate;
  int32_t threads;
} setting_t;

static int64_t counter(const fw_plan_t * plan, const char * name)
{
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    if (strcmp(plan->stats.counters[i].name, name) == 0) {
      return plan->stats.counters[i].value;
    }
  }
  return -1;
}

// The caller ends the planner.
static void solve(fw_planner_t * planner, const fw_problem_t * problem, const setting_t * setting, fw_plan_t * plan)
{
  fw_planner_options_t options = fw_planner_options_default();
  fw_conflict_t conflict;
  options.threads = setting->threads;
  assert_int_equal(fw_planner_init(planner, "rtaa", &options, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "hidden", setting->hidden, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "sight", setting->sight, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "memory", setting->memory, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "cooperate", setting->cooperate, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "ticks", "600", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(planner, problem, NULL, plan, NULL), FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);  // on the grid of the problem, which is the true map
}

static const struct {
  const char * map;
  int32_t robots;
} worlds[] = {
  {"random:32x32,obstacles=20,seed=1", 60},
  {"rooms:33x33,room=7,seed=3", 40},
  {"warehouse:41x25,shelf=5,seed=1", 40},
};

static void plans_are_safe_on_the_true_map(void ** state)
{
  (void)state;
  static const setting_t settings[] = {
    {"40", "1", "regions", "true", 1}, {"100", "2", "regions", "true", 1}, {"40", "3", "window", "true", 1},
    {"100", "1", "window", "true", 1}, {"60", "2", "regions", "false", 1},
  };
  int32_t solved = 0, runs = 0;
  int64_t discovered = 0;
  for (int32_t i = 0; i < TEST_COUNT(worlds) * TEST_COUNT(settings); ++i) {
    const setting_t * setting = &settings[i % TEST_COUNT(settings)];
    setting_t threaded = *setting;
    scene_t scene;
    fw_planner_t one, other;
    fw_plan_t plan, again;
    threaded.threads = 3;
    scene_make(
      &scene, worlds[i / TEST_COUNT(settings)].map, worlds[i / TEST_COUNT(settings)].robots, i % 2 == 0 ? 4 : 8);
    solve(&one, &scene.problem, setting, &plan);
    solve(&other, &scene.problem, &threaded, &again);
    assert_true(digest_plan(&plan) == digest_plan(&again));
    const int64_t found = counter(&plan, "discovered");
    assert_true(found > 0 && found <= counter(&plan, "hidden"));
    discovered += found;
    runs += setting->cooperate[0] == 't' ? 1 : 0;
    solved += setting->cooperate[0] == 't' && plan.outcome == FW_OUTCOME_SOLVED ? 1 : 0;
    fw_planner_fini(&one);
    fw_planner_fini(&other);
    scene_fini(&scene);
  }
  assert_true(discovered > 1000);
  assert_true(4 * solved >= 3 * runs);  // robots may circle for ever, as on a known map
}

// Two robots that have to change places in an aisle push each other to and fro for ever; probably, since whether they
// have to swap is judged by the distances that they have learned. It is one of 72 such plans. A search over
// configurations, by true distances on the known map, finds their way out.
static void robots_that_have_learned_too_much_arrive(void ** state)
{
  (void)state;
  fw_planner_options_t options = fw_planner_options_default();
  fw_planner_t planner;
  fw_plan_t plan;
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_conflict_t conflict;
  options.seed = 1;
  assert_int_equal(fw_grid_make(&grid, "warehouse:41x25,shelf=5,seed=1", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, 40, 1, NULL, NULL), FW_RET_OK);
  const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = scenario.robot_count};
  for (int32_t searches = 0; searches < 2; ++searches) {
    assert_int_equal(fw_planner_init(&planner, "rtaa", &options, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "hidden", "100", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "sight", "1", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "memory", "window", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "ticks", "600", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "lacam", searches == 1 ? "1000" : "0", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    assert_int_equal(fw_check_plan(&problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
    assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
    assert_int_equal(plan.outcome, searches == 1 ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL);
    fw_planner_fini(&planner);
  }
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

// A wall with its gap far below: whoever knows it goes straight to the gap, whoever does not goes along it.
static void robots_do_not_know_what_they_have_not_seen(void ** state)
{
  (void)state;
  DRAW(
    grid,
    ".......#......",  //
    ".......#......",  //
    ".......#......",  //
    ".......#......",  //
    ".......#......",  //
    ".......#......",  //
    "..............");
  const fw_robot_t robot = {.start = 0, .goal = 13};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1, .connectivity = 8};
  int64_t costs[3];
  for (int32_t i = 0; i < 3; ++i) {
    static const setting_t settings[] = {
      {"0", "1", "regions", "true", 1}, {"100", "1", "regions", "true", 1}, {"100", "15", "regions", "true", 1}};
    fw_planner_t planner;
    fw_plan_t plan;
    solve(&planner, &problem, &settings[i], &plan);
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    costs[i] = plan.stats.sum_of_costs;
    assert_int_equal(counter(&plan, "hidden"), i == 0 ? -1 : 6);
    fw_planner_fini(&planner);
  }
  assert_int_equal(costs[0], 14);
  assert_true(costs[1] > costs[0]);
  assert_int_equal(costs[2], costs[0]);  // seen from the start
}

// What one window has discovered the next one knows; a first window (`since` 0) knows nothing.
static void windows_keep_what_was_discovered(void ** state)
{
  (void)state;
  for (int32_t keeps = 0; keeps < 2; ++keeps) {
    static const setting_t setting = {"100", "1", "regions", "true", 1};
    scene_t scene;
    fw_planner_t planner;
    fw_plan_t plan;
    scene_make(&scene, "random:24x24,obstacles=20,seed=2", 12, 4);
    scene.problem.horizon = 8;
    solve(&planner, &scene.problem, &setting, &plan);
    const int64_t all = counter(&plan, "hidden");
    int64_t unknown = all;
    for (int32_t window = 0; window < 12; ++window) {
      fw_conflict_t conflict;
      const int64_t before = counter(&plan, "hidden"), found = counter(&plan, "discovered");
      for (int32_t r = 0; r < scene.problem.robot_count; ++r) {
        scene.scenario.robots[r].start = fw_path_at(&plan.paths[r], 4);
      }
      scene.problem.since = keeps == 1 ? 4 : 0;
      assert_int_equal(fw_planner_solve(&planner, &scene.problem, NULL, &plan, NULL), FW_RET_OK);
      assert_int_equal(fw_check_plan(&scene.problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
      assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
      unknown = counter(&plan, "hidden");
      assert_int_equal(unknown, keeps == 1 ? before - found : all);
    }
    assert_true(keeps == 0 || unknown < all / 2);
    fw_planner_fini(&planner);
    scene_fini(&scene);
  }
}

// ---- swarms ---------------------------------------------------------------------------------------------------------

enum { TICKS = 200 };

// Drives a swarm whose robots get the start of another one as their goal, and checks the tracks on the true map.
static uint64_t drive(const scene_t * scene, const fw_grid_t * known, fw_swarm_options_t options)
{
  const size_t count = (size_t)scene->problem.robot_count;
  fw_rng_t rng = fw__rng(9);
  fw_swarm_t swarm;
  fw_cell_t(*tracks)[TICKS + 1] = calloc(count, sizeof(*tracks));
  fw_path_t * paths = calloc(count, sizeof(*paths));
  uint64_t digest = 0;
  assert_true(tracks != NULL && paths != NULL);
  options.known = known;
  assert_int_equal(fw_swarm_init(&swarm, &scene->problem, &options, NULL), FW_RET_OK);
  for (int32_t t = 0; t <= TICKS; ++t) {
    for (size_t r = 0; r < count; ++r) {
      const fw_swarm_robot_t robot = fw_swarm_robot(&swarm, (int32_t)r);
      tracks[r][t] = robot.cell;
      digest = digest * 31 + (uint64_t)robot.cell;
      if (robot.has_arrived) {
        const int32_t other = fw__rng_below(&rng, scene->problem.robot_count);
        fw_swarm_set_goal(&swarm, (int32_t)r, scene->problem.robots[other].start);
      }
    }
    assert_int_equal(fw_swarm_tick(&swarm, NULL), FW_RET_OK);
  }
  for (size_t r = 0; r < count; ++r) {
    paths[r] = (fw_path_t){.cells = tracks[r], .length = TICKS + 1};
  }
  fw_conflict_t conflict;
  assert_int_equal(
    fw_check_paths(&scene->problem, paths, scene->problem.robot_count, TICKS, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  const fw_grid_t now = fw_swarm_known(&swarm);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&now); ++cell) {  // nobody imagines obstacles
    assert_true(scene->grid.cost[cell] == 0 || now.cost[cell] != 0);
    digest = digest * 31 + now.cost[cell];
  }
  fw_swarm_fini(&swarm);
  free(paths);
  free(tracks);
  return digest;
}

static void swarms_are_safe_on_the_true_map(void ** state)
{
  (void)state;
  for (int32_t i = 0; i < 4 * TEST_COUNT(worlds); ++i) {
    scene_t scene;
    fw_grid_t known;
    fw_swarm_options_t options = fw_swarm_options_default();
    scene_make(&scene, worlds[i / 4].map, worlds[i / 4].robots, i % 2 == 0 ? 4 : 8);
    assert_int_equal(fw_grid_init(&known, scene.grid.width, scene.grid.height, NULL, NULL), FW_RET_OK);
    assert_true(fw__hide_obstacles(&scene.grid, 50, (uint64_t)i, known.cost) > 0);
    options.sight = 1 + i % 3;
    options.memory = i % 4 < 2 ? FW_MEMORY_REGIONS : FW_MEMORY_WINDOW;
    const uint64_t one = drive(&scene, &known, options);
    options.threads = 3;
    assert_true(drive(&scene, &known, options) == one);
    fw_grid_fini(&known);
    scene_fini(&scene);
  }
}

// ---- obstacles that move --------------------------------------------------------------------------------------------

enum { MOVERS = 30 };

static bool has_robot(const fw_swarm_t * swarm, int32_t count, fw_cell_t cell)
{
  bool found = false;
  for (int32_t r = 0; r < count && !found; ++r) {
    found = fw_swarm_robot(swarm, r).cell == cell;
  }
  return found;
}

// An obstacle goes to a random cell that is free and has no robot: `truth` is the map with all obstacles.
static void move_obstacle(const scene_t * scene, fw_swarm_t * swarm, fw_grid_t * truth, fw_cell_t * at, fw_rng_t * rng)
{
  fw_cell_t to;
  do {
    to = fw__rng_below(rng, fw_grid_cell_count(truth));
  } while (truth->cost[to] == 0 || has_robot(swarm, scene->problem.robot_count, to));
  if (*at != FW_CELL_NONE) {
    truth->cost[*at] = scene->grid.cost[*at];
    assert_int_equal(fw_swarm_set_obstacle(swarm, *at, false, NULL), FW_RET_OK);
  }
  truth->cost[to] = 0;
  assert_int_equal(fw_swarm_set_obstacle(swarm, to, true, NULL), FW_RET_OK);
  *at = to;
}

// Every tick is checked as a plan of one tick on the map as it is in it. Returns how many goals were reached.
static int64_t live_with_obstacles(const scene_t * scene, fw_swarm_options_t options, uint64_t seed)
{
  const int32_t count = scene->problem.robot_count;
  fw_rng_t rng = fw__rng(seed);
  fw_grid_t truth;
  fw_swarm_t swarm;
  fw_cell_t movers[MOVERS], (*tracks)[2] = calloc((size_t)count, sizeof(*tracks));
  fw_path_t * paths = calloc((size_t)count, sizeof(*paths));
  fw_problem_t problem = scene->problem;
  int64_t goals = 0;
  assert_int_equal(fw_grid_init(&truth, scene->grid.width, scene->grid.height, NULL, NULL), FW_RET_OK);
  memcpy(truth.cost, scene->grid.cost, (size_t)fw_grid_cell_count(&truth));
  fw_robot_t * robots = calloc((size_t)count, sizeof(*robots));
  assert_true(tracks != NULL && paths != NULL && robots != NULL);
  assert_int_equal(fw_swarm_init(&swarm, &scene->problem, &options, NULL), FW_RET_OK);
  problem.grid = &truth;
  problem.robots = robots;
  for (int32_t i = 0; i < MOVERS; ++i) {
    movers[i] = FW_CELL_NONE;
  }
  for (int32_t tick = 0; tick < TICKS; ++tick) {
    for (int32_t i = 0; i < MOVERS; ++i) {
      if (tick == 0 || fw__rng_below(&rng, 3) == 0) {
        move_obstacle(scene, &swarm, &truth, &movers[i], &rng);
      }
    }
    for (int32_t r = 0; r < count; ++r) {
      const fw_swarm_robot_t robot = fw_swarm_robot(&swarm, r);
      tracks[r][0] = robot.cell;
      if (robot.has_arrived) {
        fw_swarm_set_goal(&swarm, r, scene->problem.robots[fw__rng_below(&rng, count)].start);
        ++goals;
      }
    }
    assert_int_equal(fw_swarm_tick(&swarm, NULL), FW_RET_OK);
    for (int32_t r = 0; r < count; ++r) {
      tracks[r][1] = fw_swarm_robot(&swarm, r).cell;
      paths[r] = (fw_path_t){.cells = tracks[r], .length = 2};
      robots[r] = (fw_robot_t){.start = tracks[r][0], .goal = tracks[r][1]};
    }
    fw_conflict_t conflict;
    assert_int_equal(fw_check_paths(&problem, paths, count, 1, NULL, &conflict, NULL), FW_RET_OK);
    assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  }
  fw_swarm_fini(&swarm);
  fw_grid_fini(&truth);
  free(robots);
  free(paths);
  free(tracks);
  return goals;
}

static void no_robot_drives_into_an_obstacle_that_moves(void ** state)
{
  (void)state;
  for (int32_t i = 0; i < 4 * TEST_COUNT(worlds); ++i) {
    scene_t scene;
    fw_swarm_options_t options = fw_swarm_options_default();
    scene_make(&scene, worlds[i / 4].map, worlds[i / 4].robots, i % 2 == 0 ? 4 : 8);
    options.sight = i % 3;  // 0: everything is known
    options.memory = i % 4 < 2 ? FW_MEMORY_REGIONS : FW_MEMORY_WINDOW;
    const int64_t goals = live_with_obstacles(&scene, options, (uint64_t)i);
    options.threads = 3;
    assert_int_equal(live_with_obstacles(&scene, options, (uint64_t)i), goals);
    assert_true(goals > scene.problem.robot_count);
    scene_fini(&scene);
  }
}

// An obstacle on the goal is waited for; one in the only way as well.
static void a_robot_waits_until_its_way_is_free(void ** state)
{
  (void)state;
  DRAW(grid, "........");
  const fw_robot_t robot = {.start = 0, .goal = 7};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  for (int32_t i = 0; i < 8; ++i) {
    const fw_cell_t obstacle = i % 2 == 0 ? 7 : 4;
    fw_swarm_options_t options = fw_swarm_options_default();
    options.sight = i / 2 % 2 * 2;
    options.memory = i < 4 ? FW_MEMORY_REGIONS : FW_MEMORY_WINDOW;
    fw_swarm_t swarm;
    assert_int_equal(fw_swarm_init(&swarm, &problem, &options, NULL), FW_RET_OK);
    assert_int_equal(fw_swarm_set_obstacle(&swarm, obstacle, true, NULL), FW_RET_OK);
    for (int32_t tick = 0; tick < 40; ++tick) {
      assert_int_equal(fw_swarm_tick(&swarm, NULL), FW_RET_OK);
      assert_true(fw_swarm_robot(&swarm, 0).cell < obstacle);
    }
    assert_int_equal(fw_swarm_set_obstacle(&swarm, obstacle, false, NULL), FW_RET_OK);
    for (int32_t tick = 0; tick < 60 && !fw_swarm_robot(&swarm, 0).has_arrived; ++tick) {
      assert_int_equal(fw_swarm_tick(&swarm, NULL), FW_RET_OK);
    }
    assert_true(fw_swarm_robot(&swarm, 0).has_arrived);
    fw_swarm_fini(&swarm);
  }
}

static void what_is_wrong_is_refused(void ** state)
{
  (void)state;
  fw_error_t error = {0};
  fw_swarm_t swarm;
  fw_batch_t batch;
  DRAW(grid, "....");
  DRAW(larger, ".....");
  const fw_robot_t robot = {.start = 0, .goal = 3};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  fw_swarm_options_t options = fw_swarm_options_default();
  options.known = &grid;
  assert_int_equal(fw_swarm_init(&swarm, &problem, &options, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "sight must be 1 to 15, not 0"));
  options.sight = 2;
  options.known = &larger;
  assert_int_equal(fw_swarm_init(&swarm, &problem, &options, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "must have 5 x 1 cells"));
  assert_int_equal(fw_batch_init(&batch, &grid, &robot.start, &robot.goal, 1, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_batch_set_map(&batch, &larger, &error), FW_RET_INVALID_ARGUMENT);
  fw_batch_fini(&batch);
  options = fw_swarm_options_default();
  assert_int_equal(fw_swarm_init(&swarm, &problem, &options, NULL), FW_RET_OK);
  assert_int_equal(fw_swarm_set_obstacle(&swarm, 4, true, &error), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_swarm_set_obstacle(&swarm, -1, true, &error), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_swarm_set_obstacle(&swarm, 0, true, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "robot 0 is on (0, 0)"));
  fw_swarm_fini(&swarm);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(plans_are_safe_on_the_true_map),
    cmocka_unit_test(robots_that_have_learned_too_much_arrive),
    cmocka_unit_test(robots_do_not_know_what_they_have_not_seen),
    cmocka_unit_test(windows_keep_what_was_discovered),
    cmocka_unit_test(swarms_are_safe_on_the_true_map),
    cmocka_unit_test(no_robot_drives_into_an_obstacle_that_moves),
    cmocka_unit_test(a_robot_waits_until_its_way_is_free),
    cmocka_unit_test(what_is_wrong_is_refused),
  };
  return TEST_RUN(tests);
}
