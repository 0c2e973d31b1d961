// Swarms: the steps of the planner `rtaa`, tick by tick, without collisions, with goals that change.

#include "fleetweave/swarm.h"
#include "fleetweave/files.h"
#include "support/test.h"
#include "support/world.h"

enum { TICKS_MAX = 400 };

static void begin(fw_swarm_t * swarm, const fw_problem_t * problem, const fw_swarm_options_t * options)
{
  fw_error_t error = {0};
  if (fw_swarm_init(swarm, problem, options, &error) != FW_RET_OK) {
    fail_msg("%s", error.text);
  }
}

static void tick(fw_swarm_t * swarm) { assert_int_equal(fw_swarm_tick(swarm, NULL), FW_RET_OK); }

// As long as nobody gets another goal, a swarm is the plan of `rtaa`.
static void a_swarm_drives_the_plan_of_the_planner(void ** state)
{
  (void)state;
  int32_t compared = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(40); ++number) {
    world_t world;
    fw_planner_t planner;
    fw_plan_t plan;
    fw_planner_options_t planner_options = fw_planner_options_default();
    planner_options.seed = 5;
    world_make(&world, 5000 + number, WORLD_DIAGONALS | WORLD_ROBUST | WORLD_COSTS | WORLD_PRIORITIES, 20);
    assert_int_equal(fw_planner_init(&planner, "rtaa", &planner_options, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "ticks", "200", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "lacam", "0", NULL), FW_RET_OK);  // a swarm does not search
    assert_int_equal(fw_planner_solve(&planner, &world.problem, NULL, &plan, NULL), FW_RET_OK);
    if (world.problem.robot_count > 0 && plan.outcome != FW_OUTCOME_UNSOLVABLE) {
      fw_swarm_options_t options = fw_swarm_options_default();
      options.seed = 5;
      fw_swarm_t swarm;
      begin(&swarm, &world.problem, &options);
      for (int32_t t = 0; t <= plan.stats.makespan && t < 200; ++t) {
        for (int32_t r = 0; r < world.problem.robot_count; ++r) {
          assert_int_equal(fw_swarm_robot(&swarm, r).cell, fw_path_at(&plan.paths[r], t));
          ++compared;
        }
        tick(&swarm);
      }
      fw_swarm_fini(&swarm);
    }
    fw_planner_fini(&planner);
    world_fini(&world);
  }
  assert_true(compared > 1000);
}

// A fleet that gets new goals for ever.
typedef struct life_t {
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_problem_t problem;
  fw_cell_t (*tracks)[TICKS_MAX + 1];
  int64_t goals;
} life_t;

static void live(life_t * life, int32_t threads, int32_t ticks)
{
  fw_rng_t rng = fw__rng(9);
  fw_swarm_options_t options = fw_swarm_options_default();
  options.threads = threads;
  fw_swarm_t swarm;
  begin(&swarm, &life->problem, &options);
  life->goals = 0;
  for (int32_t t = 0; t <= ticks; ++t) {
    for (int32_t r = 0; r < life->problem.robot_count; ++r) {
      const fw_swarm_robot_t robot = fw_swarm_robot(&swarm, r);
      life->tracks[r][t] = robot.cell;
      if (robot.has_arrived) {
        const int32_t other = fw__rng_below(&rng, life->problem.robot_count);
        fw_swarm_set_goal(&swarm, r, life->problem.robots[other].start);
        assert_int_equal(fw_swarm_robot(&swarm, r).goal, life->problem.robots[other].start);
        ++life->goals;
      }
    }
    tick(&swarm);
  }
  fw_swarm_fini(&swarm);
}

static void robots_with_changing_goals_never_collide(void ** state)
{
  (void)state;
  static const struct {
    const char * map;
    int32_t robots;
    int32_t connectivity;
    int32_t robust_ticks;
  } cases[] = {
    {"random:40x40,obstacles=20,seed=1", 200, 4, 0}, {"random:40x40,obstacles=20,seed=2", 200, 8, 0},
    {"rooms:33x33,room=7,seed=3", 60, 8, 1},         {"warehouse:49x33,shelf=5,seed=1", 80, 4, 1},
    {"maze:33x33,corridor=2,seed=1", 30, 4, 0},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    life_t life = {0}, again = {0};
    assert_int_equal(fw_grid_make(&life.grid, cases[i].map, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&life.scenario, &life.grid, cases[i].robots, 4, NULL, NULL), FW_RET_OK);
    life.problem = (fw_problem_t){
      .grid = &life.grid,
      .robots = life.scenario.robots,
      .robot_count = life.scenario.robot_count,
      .connectivity = cases[i].connectivity,
      .robust_ticks = cases[i].robust_ticks,
    };
    const size_t count = (size_t)life.problem.robot_count;
    life.tracks = calloc(count, sizeof(*life.tracks));
    again = life;
    again.tracks = calloc(count, sizeof(*again.tracks));
    fw_path_t * paths = calloc(count, sizeof(*paths));
    assert_true(life.tracks != NULL && again.tracks != NULL && paths != NULL);
    live(&life, 1, TICKS_MAX);
    live(&again, 3, TICKS_MAX);
    assert_true(life.goals > 3 * life.problem.robot_count && again.goals == life.goals);
    assert_memory_equal(life.tracks, again.tracks, count * sizeof(*life.tracks));
    for (size_t r = 0; r < count; ++r) {
      paths[r] = (fw_path_t){.cells = life.tracks[r], .length = TICKS_MAX + 1};
    }
    fw_conflict_t conflict;
    assert_int_equal(
      fw_check_paths(&life.problem, paths, life.problem.robot_count, TICKS_MAX, NULL, &conflict, NULL), FW_RET_OK);
    assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
    free(paths);
    free(life.tracks);
    free(again.tracks);
    fw_scenario_fini(&life.scenario);
    fw_grid_fini(&life.grid);
  }
}

static void what_is_wrong_is_refused(void ** state)
{
  (void)state;
  fw_error_t error = {0};
  fw_swarm_t swarm;
  uint8_t cost[4] = {1, 1, 1, 0};
  const fw_grid_t grid = {.width = 4, .height = 1, .cost = cost};
  fw_robot_t robots[2] = {{.start = 0, .goal = 1}, {.start = 1, .goal = 2}};
  fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_swarm_options_t options = fw_swarm_options_default();
  options.parked = 255;
  assert_int_equal(fw_swarm_init(&swarm, &problem, &options, &error), FW_RET_INVALID_ARGUMENT);
  options = fw_swarm_options_default();
  options.lookahead = 0;
  assert_int_equal(fw_swarm_init(&swarm, &problem, &options, &error), FW_RET_INVALID_ARGUMENT);
  robots[1].turn_ticks = 1;
  assert_int_equal(fw_swarm_init(&swarm, &problem, NULL, &error), FW_RET_UNSUPPORTED);
  robots[1].turn_ticks = 0;
  robots[1].goal = 3;
  assert_int_not_equal(fw_swarm_init(&swarm, &problem, NULL, &error), FW_RET_OK);
  problem.robot_count = 0;
  assert_int_equal(fw_swarm_init(&swarm, &problem, NULL, &error), FW_RET_INVALID_ARGUMENT);
  fw_swarm_fini(&swarm);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_swarm_drives_the_plan_of_the_planner),
    cmocka_unit_test(robots_with_changing_goals_never_collide),
    cmocka_unit_test(what_is_wrong_is_refused),
  };
  return TEST_RUN(tests);
}
