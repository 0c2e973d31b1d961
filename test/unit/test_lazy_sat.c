// lazy_sat with each of its switches off: the cost is always that of od_id. Independence detection before clauses.

#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

#include "base/meter.h"
#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "planner/lazy_sat/mdd_encoding.h"

typedef struct setting_t {
  const char * name;
  const char * value;
} setting_t;

static const setting_t settings[] = {
  {"minimise", "true"}, {"minimise", "false"}, {"disjoint", "false"}, {"layers", "false"},
  {"places", "false"},  {"pairs", "false"},    {"detect", "1"},       {"detect", "100"},
};

typedef struct answer_t {
  fw_outcome_t outcome;
  fw_stop_t stop;
  fw_cost_t cost;
} answer_t;

// A setting is tried with clauses at once, unless it is about what comes before them.
static answer_t solve(const fw_problem_t * problem, const char * rule, const char * name, const setting_t * setting)
{
  fw_planner_t planner;
  fw_plan_t plan;
  fw_conflict_t conflict;
  const fw_budget_t budget = {.expansions_max = 400000};
  assert_int_equal(fw_planner_init(&planner, name, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "cost", rule, NULL), FW_RET_OK);
  if (setting != NULL) {
    assert_int_equal(fw_planner_set(&planner, "detect", "0", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, setting->name, setting->value, NULL), FW_RET_OK);
  }
  assert_int_equal(fw_planner_solve(&planner, problem, &budget, &plan, NULL), FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  answer_t answer = {.outcome = plan.outcome, .stop = plan.stop, .cost = plan.stats.sum_of_costs};
  for (int32_t i = 0; i < plan.stats.counter_count; ++i) {
    if (strcmp(plan.stats.counters[i].name, "cost_to_last_arrival") == 0) {
      answer.cost = plan.stats.counters[i].value;
    }
  }
  fw_planner_fini(&planner);
  return answer;
}

static void compare(const world_t * world, const char * rule, int32_t * compared)
{
  const answer_t truth = solve(&world->problem, rule, "od_id", NULL);
  for (int32_t i = 0; i < TEST_COUNT(settings) && truth.stop == FW_STOP_DONE; ++i) {
    const setting_t * setting = &settings[i];
    const answer_t answer = solve(&world->problem, rule, "lazy_sat", setting);
    if (answer.stop != FW_STOP_DONE) {
      continue;
    }
    ++*compared;
    if (answer.outcome != truth.outcome || (truth.outcome == FW_OUTCOME_SOLVED && answer.cost != truth.cost)) {
      fail_msg(
        "%s, %s, %s=%s: %s %d, a joint search says %s %d", world->text, rule, setting->name, setting->value,
        fw_outcome_name(answer.outcome), (int)answer.cost, fw_outcome_name(truth.outcome), (int)truth.cost);
    }
  }
}

static void every_setting_finds_the_least_cost(void ** state)
{
  (void)state;
  static const int32_t features[] = {
    WORLD_DIAGONALS, WORLD_DIAGONALS | WORLD_ROBUST, WORLD_DIAGONALS | WORLD_CLOSURES, WORLD_CORNERS};
  int32_t compared = 0;
  for (int32_t round = 0; round < test_rounds(24); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)(round * 77 + 5));
    const int32_t width = 4 + fw__rng_below(&rng, 6);
    fw_grid_t grid = world_grid(&rng, width, 4 + fw__rng_below(&rng, 6), 20, false);
    world_t world;
    world_settle(&world, grid, &rng, features[round % 4 == 3 ? 1 + round % 2 : round % 4 == 1 ? 3 : 0], 6);
    compare(&world, round % 2 == 0 ? "off_goal" : "last_arrival", &compared);
    world_fini(&world);
  }
  assert_true(compared > 60);
}

// Three robots that have to change sides: every two of their shortest paths conflict.
static void robots_that_cross_in_the_open(void ** state)
{
  (void)state;
  DRAW(hall, "............", "............", "............");
  const fw_robot_t robots[] = {{.start = 0, .goal = 35}, {.start = 24, .goal = 11}, {.start = 12, .goal = 23}};
  for (int32_t connectivity = 4; connectivity <= 8; connectivity += 4) {
    const fw_problem_t problem = {.grid = &hall, .robots = robots, .robot_count = 3, .connectivity = connectivity};
    const answer_t truth = solve(&problem, "off_goal", "od_id", NULL);
    assert_int_equal(truth.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(solve(&problem, "off_goal", "lazy_sat", NULL).cost, truth.cost);
  }
}

// A lane of ten cells between two rooms: one goes, the others wait, and two on the far side step aside.
static void robots_that_meet_in_a_lane(void ** state)
{
  (void)state;
  DRAW(lane, "..##########..", "..............", "..##########..");
  const fw_robot_t robots[] = {
    {.start = 14, .goal = 27}, {.start = 27, .goal = 14}, {.start = 0, .goal = 13}, {.start = 41, .goal = 28}};
  const fw_problem_t problem = {.grid = &lane, .robots = robots, .robot_count = 4, .connectivity = 4};
  static const char * const rules[] = {"off_goal", "last_arrival"};
  for (int32_t i = 0; i < 2; ++i) {
    const answer_t truth = solve(&problem, rules[i], "od_id", NULL);
    const answer_t answer = solve(&problem, rules[i], "lazy_sat", NULL);
    assert_int_equal(answer.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(answer.stop, FW_STOP_DONE);
    if (truth.stop == FW_STOP_DONE) {
      assert_int_equal(answer.cost, truth.cost);
    }
  }
}

// Robots that were in a core together have one group number, and others have another.
static void groups_are_reported(void ** state)
{
  (void)state;
  DRAW(lane, "...#....", "#.##....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 2}, {.start = 2, .goal = 0}, {.start = 4, .goal = 5}};
  const fw_problem_t problem = {.grid = &lane, .robots = robots, .robot_count = 3, .connectivity = 4};
  fw_planner_t planner;
  fw_plan_t plan;
  assert_int_equal(fw_planner_init(&planner, "lazy_sat", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_non_null(plan.groups);
  assert_int_equal(plan.groups[0], plan.groups[1]);
  assert_int_not_equal(plan.groups[0], plan.groups[2]);
  fw_planner_fini(&planner);
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

typedef struct made_t {
  const char * map;
  int32_t robots;
  uint64_t seed;
  int32_t connectivity;
  fw_cost_t cost;        // the least
  bool has_clauses;      // detection reaches its limit
  int64_t expanded_max;  // of the whole solve
} made_t;

// Corridors where a few robots have to give way for long, and robots on a few cells, are searched jointly: clauses need
// a hundred times as long. Where groups are larger, detection ends soon.
static const made_t made[] = {
  {"maze:21x21,seed=3", 6, 1, 4, 380, false, 10000},
  {"maze:21x21,seed=3", 6, 3, 4, 181, false, 60000},
  {"open:3x3", 9, 0, 4, 34, false, 130000},
  {"open:3x3", 9, 2, 4, 31, false, 40000},
  {"open:3x3", 9, 0, 8, 14, false, 2000},
  {"rooms:24x24,room=5", 12, 1, 4, 180, true, 20000},
};

static void small_groups_need_no_clauses(void ** state)
{
  (void)state;
  for (int32_t i = 0; i < TEST_COUNT(made); ++i) {
    fw_grid_t grid;
    fw_scenario_t scenario;
    fw_planner_t planner;
    fw_plan_t plan;
    assert_int_equal(fw_grid_make(&grid, made[i].map, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &grid, made[i].robots, made[i].seed, NULL, NULL), FW_RET_OK);
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = scenario.robots,
      .robot_count = scenario.robot_count,
      .connectivity = made[i].connectivity,
    };
    assert_int_equal(fw_planner_init(&planner, "lazy_sat", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(plan.stats.sum_of_costs, made[i].cost);
    assert_int_equal(plan.stats.lower_bound, made[i].cost);
    assert_int_equal(counter(&plan, "tries") > 0, made[i].has_clauses);
    assert_in_range(counter(&plan, "detection_expanded"), 1, plan.stats.expanded);
    assert_in_range(plan.stats.expanded, 1, made[i].expanded_max);
    assert_non_null(plan.groups);
    fw_planner_fini(&planner);
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
}

// An MDD grows with bounds and with the horizon and stays valid; a state that is in the wrong list, or a successor of
// another tick, is found.
static void a_corrupted_mdd_is_found(void ** state)
{
  (void)state;
  DRAW(hall, "....", "....");
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 3, .ticks_per_move = 1, .footprint_count = 1, .footprint = fw__footprint_single.cells},
    {.start = 7, .goal = 4, .ticks_per_move = 1, .footprint_count = 1, .footprint = fw__footprint_single.cells}};
  const fw_problem_t problem = {.grid = &hall, .robots = robots, .robot_count = 2, .connectivity = 4};
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = (size_t)1 << 26};
  fw_arena_t arena;
  fw_meter_t meter;
  fw_instance_t instance;
  static fw_mdd_encoding_t mdd;
  fw__arena_init(&arena, &memory);
  fw__meter_start(&meter, &(fw_budget_t){0});
  fw_planner_context_t context = {.keep = &arena, .scratch = &arena, .meter = &meter, .threads = 1};
  assert_int_equal(fw__instance_init(&instance, &context, &problem, NULL), FW_FLEET_READY);
  const int32_t excesses[] = {0, 0};
  const fw_mdd_options_t options = {.has_layer_clauses = true, .excludes_whole_vertex = true, .excesses = excesses};
  assert_true(fw__mdd_init(&mdd, &arena, &instance, &options));
  assert_true(fw__mdd_raise_bound(&mdd, 1) && fw__mdd_raise_bound(&mdd, 1) && fw__mdd_extend_horizon(&mdd, 4));
  assert_true(fw__mdd_validate(&mdd));
  fw_mdd_state_t * first = &mdd.states[0];
  assert_true(first->successor_count > 0);
  ++first->tick;
  assert_false(fw__mdd_validate(&mdd));
  --first->tick;
  const int32_t successor = mdd.successors.items[first->successor];
  mdd.successors.items[first->successor] = 0;
  assert_false(fw__mdd_validate(&mdd));
  mdd.successors.items[first->successor] = successor;
  assert_true(fw__mdd_validate(&mdd));
  fw__arena_fini(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_setting_finds_the_least_cost), cmocka_unit_test(robots_that_cross_in_the_open),
    cmocka_unit_test(robots_that_meet_in_a_lane),         cmocka_unit_test(groups_are_reported),
    cmocka_unit_test(small_groups_need_no_clauses),       cmocka_unit_test(a_corrupted_mdd_is_found),
  };
  return TEST_RUN(tests);
}
