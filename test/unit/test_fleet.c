// Distances of a fleet: robots with one goal share a field, goals change, fields are restarted, and clusters replace
// exact distances that would need too much memory. Also the order of robots, and the validation of both.

#include "planner/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "fleetweave/files.h"
#include "planner/order.h"
#include "support/digest.h"
#include "support/draw.h"
#include "support/test.h"
#include "world/problem.h"

enum { ROBOTS = 4 };

typedef struct fixture_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_meter_t meter;
  fw_planner_context_t context;
  fw_robot_t robots[ROBOTS];
  fw_problem_t problem;
  fw_fleet_t fleet;
} fixture_t;

static void begin_with(fixture_t * f, const fw_grid_t * grid, const fw_robot_t * robots, fw_fleet_options_t options)
{
  *f = (fixture_t){.memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX}};
  f->fleet.options = options;
  fw__arena_init(&f->arena, &f->memory);
  fw__meter_start(&f->meter, NULL);
  f->context = (fw_planner_context_t){.scratch = &f->arena, .meter = &f->meter, .threads = 1};
  const fw_problem_t problem = {.grid = grid, .robots = robots, .robot_count = ROBOTS, .horizon = 8};
  f->problem = fw__problem_normalise(&problem, &f->arena);
  for (int32_t r = 0; r < ROBOTS; ++r) {
    f->robots[r] = f->problem.robots[r];
  }
  f->problem.robots = f->robots;
  assert_int_equal(fw__fleet_init(&f->fleet, &f->context, &f->problem, NULL), FW_FLEET_READY);
}

static void begin(fixture_t * f, const fw_grid_t * grid, const fw_robot_t * robots)
{
  begin_with(f, grid, robots, (fw_fleet_options_t){0});
}

static int32_t distance(fixture_t * f, int32_t robot, fw_cell_t from)
{
  return fw__distance_get(fw__fleet_distance(&f->fleet, robot), f->fleet.moves[robot]->node_of[from], &f->meter);
}

static void robots_of_one_goal_and_shape_share_distances(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......", "......");
  static const fw_offset_t wide[] = {{0, 0}, {1, 0}};
  const fw_robot_t robots[ROBOTS] = {
    {.start = 0, .goal = 9},
    {.start = 12, .goal = 9},
    {.start = 5, .goal = 8},
    {.start = 14, .goal = 9, .footprint = wide, .footprint_count = 2},
  };
  fixture_t f;
  begin(&f, &grid, robots);
  assert_ptr_equal(fw__fleet_distance(&f.fleet, 0), fw__fleet_distance(&f.fleet, 1));
  assert_ptr_not_equal(fw__fleet_distance(&f.fleet, 0), fw__fleet_distance(&f.fleet, 2));
  assert_ptr_not_equal(fw__fleet_distance(&f.fleet, 0), fw__fleet_distance(&f.fleet, 3));  // another shape

  // One robot gets another goal: the other one keeps the field. The third robot joins the first.
  f.robots[1].goal = 0;
  assert_true(fw__fleet_set_goal(&f.fleet, 1, (fw_grid_pose_t){12, 0}, &f.meter));
  assert_int_equal(distance(&f, 1, 5), 5);
  assert_int_equal(distance(&f, 0, 5), 3);
  f.robots[2].goal = 0;
  assert_true(fw__fleet_set_goal(&f.fleet, 2, (fw_grid_pose_t){5, 0}, &f.meter));
  assert_ptr_equal(fw__fleet_distance(&f.fleet, 1), fw__fleet_distance(&f.fleet, 2));
  fw__fleet_remove(&f.fleet, 1);
  assert_int_equal(distance(&f, 2, 17), 7);
  fw__arena_fini(&f.arena);
}

static void distances_that_have_grown_are_restarted(void ** state)
{
  (void)state;
  DRAW(grid, "........", "........", "........", "........");
  const fw_robot_t robots[ROBOTS] = {
    {.start = 0, .goal = 7}, {.start = 8, .goal = 15}, {.start = 16, .goal = 23}, {.start = 24, .goal = 31}};
  fixture_t f;
  begin(&f, &grid, robots);
  for (fw_cell_t cell = 0; cell < 32; ++cell) {
    (void)distance(&f, 0, cell);
  }
  assert_int_equal(fw__fleet_distance(&f.fleet, 0)->places, 32);
  assert_true(fw__fleet_restart_distance(&f.fleet, 0, (fw_grid_pose_t){6, 0}, 32));
  assert_int_equal(fw__fleet_distance(&f.fleet, 0)->places, 32);
  assert_true(fw__fleet_restart_distance(&f.fleet, 0, (fw_grid_pose_t){6, 0}, 31));
  assert_int_equal(fw__fleet_distance(&f.fleet, 0)->places, 0);
  assert_int_equal(distance(&f, 0, 6), 1);
  assert_in_range(fw__fleet_distance(&f.fleet, 0)->places, 1, 4);
  assert_int_equal(distance(&f, 0, 24), 10);
  fw__arena_fini(&f.arena);
}

// Distances over clusters are a little longer, for robots of any shape and for goals that come later; the lower bound
// stays one.
static void distances_over_clusters(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "random:96x96,obstacles=8,seed=3", NULL, NULL), FW_RET_OK);
  static const fw_offset_t wide[] = {{0, 0}, {1, 0}};
  fw_robot_t robots[ROBOTS];
  fw_cell_t cells[2 * ROBOTS];
  int32_t found = 0;
  for (fw_cell_t cell = 0; found < 2 * ROBOTS; cell += 1103) {  // with room for the wide ones
    const int32_t x = cell % 96, y = cell / 96 % 96;
    if (fw_grid_is_free(&grid, x, y) && fw_grid_is_free(&grid, x + 1, y)) {
      cells[found++] = fw_grid_cell(&grid, x, y);
    }
  }
  for (int32_t r = 0; r < ROBOTS; ++r) {
    const bool is_wide = r == 1;
    robots[r] = (fw_robot_t){
      .start = cells[r],
      .goal = cells[ROBOTS + r],
      .footprint = is_wide ? wide : NULL,
      .footprint_count = is_wide ? 2 : 0,
    };
  }
  fixture_t exact, coarse;
  begin(&exact, &grid, robots);
  begin_with(&coarse, &grid, robots, (fw_fleet_options_t){.distances = FW_DISTANCES_COARSE});
  assert_null(exact.fleet.clusters);
  assert_non_null(coarse.fleet.clusters);
  assert_true(coarse.fleet.lower_bound <= exact.fleet.lower_bound);
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t r = 0; r < ROBOTS; ++r) {
      const int32_t truth = distance(&exact, r, cells[r]);
      assert_non_null(fw__fleet_distance(&coarse.fleet, r)->coarse);
      assert_in_range(distance(&coarse, r, cells[r]), truth, truth + truth / 5 + 2);
      exact.robots[r].goal = coarse.robots[r].goal = cells[ROBOTS + (r + 1) % ROBOTS];
      const fw_grid_pose_t from = {cells[r], 0};
      assert_true(fw__fleet_set_goal(&exact.fleet, r, from, &exact.meter));
      assert_true(fw__fleet_set_goal(&coarse.fleet, r, from, &coarse.meter));
    }
  }
  fw__arena_fini(&exact.arena);
  fw__arena_fini(&coarse.arena);
  fw_grid_fini(&grid);
}

typedef struct report_t {
  int64_t coarse;
  int64_t again;
  int64_t expanded;
  uint64_t digest;
  fw_cost_t cost;
  fw_cost_t lower_bound;
  size_t memory;
} report_t;

static report_t plan_in_threads(
  const char * name, const fw_problem_t * problem, const char * distances, const char * exact_mb, int32_t threads)
{
  fw_planner_options_t options = fw_planner_options_default();
  options.threads = threads;
  fw_planner_t planner;
  fw_plan_t plan;
  fw_conflict_t conflict;
  assert_int_equal(fw_planner_init(&planner, name, &options, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "distances", distances, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "exact_mb", exact_mb, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, problem, NULL, &plan, NULL), FW_RET_OK);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(fw_check_plan(problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  report_t report = {
    .coarse = -1,
    .expanded = plan.stats.expanded,
    .digest = digest_paths(plan.paths, plan.robot_count),
    .cost = plan.stats.sum_of_costs,
    .lower_bound = plan.stats.lower_bound,
    .memory = plan.stats.memory_peak_bytes,
  };
  for (int32_t i = 0; i < plan.stats.counter_count; ++i) {
    if (strcmp(plan.stats.counters[i].name, "coarse_distances") == 0) {
      report.coarse = plan.stats.counters[i].value;
    }
    if (strcmp(plan.stats.counters[i].name, "distances_again") == 0) {
      report.again = plan.stats.counters[i].value;
    }
  }
  fw_planner_fini(&planner);
  return report;
}

static report_t plan_with(
  const char * name, const fw_problem_t * problem, const char * distances, const char * exact_mb)
{
  return plan_in_threads(name, problem, distances, exact_mb, 1);
}

// With distances=auto planners switch to clusters when the exact distances of all robots would exceed the limit, and
// report it.
static void planners_switch_to_clusters_at_the_limit(void ** state)
{
  (void)state;
  enum { MANY = 150 };
  fw_grid_t grid;
  fw_scenario_t scenario;
  assert_int_equal(fw_grid_make(&grid, "rooms:160x160,room=19,seed=2", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, MANY, 9, NULL, NULL), FW_RET_OK);
  const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = MANY};
  const char * const names[] = {"whca", "hca"};
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    const bool is_in_turn = i == 1;
    const report_t exact = plan_with(names[i], &problem, "exact", "1");
    const report_t roomy = plan_with(names[i], &problem, "auto", "0");
    const report_t tight = plan_with(names[i], &problem, "auto", "1");
    const report_t coarse = plan_with(names[i], &problem, "coarse", "0");
    assert_true(exact.coarse == 0 && roomy.coarse == 0 && tight.coarse == !is_in_turn && coarse.coarse == 1);
    assert_true(roomy.cost == exact.cost && roomy.lower_bound == exact.lower_bound);
    assert_true(tight.cost == (is_in_turn ? exact.cost : coarse.cost));
    assert_true(coarse.lower_bound <= exact.lower_bound);
    assert_in_range(coarse.cost, exact.lower_bound, exact.cost + exact.cost / 20);
  }
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

// Robots that plan one after another have exact distances at any limit: what is dropped is searched again. The same
// plan, in less memory, and the same work for any number of threads.
static void distances_are_dropped_and_searched_again(void ** state)
{
  (void)state;
  enum { MANY = 300 };
  const char * const lines[] = {"rooms:160x160,room=19,seed=2", "random:128x128,obstacles=20", "open:128x128"};
  for (int32_t i = 0; i < TEST_COUNT(lines); ++i) {
    fw_grid_t grid;
    fw_scenario_t scenario;
    assert_int_equal(fw_grid_make(&grid, lines[i], NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &grid, MANY, 5, NULL, NULL), FW_RET_OK);
    const fw_closure_t closure = {.cell = scenario.robots[0].start, .from = 90, .to = 95};
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = scenario.robots,
      .robot_count = MANY,
      .closures = &closure,
      .closure_count = i == 2 ? 1 : 0,
    };
    const report_t exact = plan_with("hca", &problem, "exact", "0");
    const report_t roomy = plan_with("hca", &problem, "auto", "0");
    const report_t tight = plan_with("hca", &problem, "auto", "1");
    const report_t threads = plan_in_threads("hca", &problem, "auto", "1", 3);
    assert_true(exact.again == 0 && roomy.again == 0 && tight.again > 0);
    assert_true(tight.again == threads.again && tight.expanded == threads.expanded);
    assert_true(roomy.digest == exact.digest && tight.digest == exact.digest && threads.digest == exact.digest);
    assert_true(tight.lower_bound == exact.lower_bound && roomy.expanded == exact.expanded);
    assert_true(tight.memory < exact.memory);
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
}

// Round after round all robots leave, and four of the next shape come, each with a goal of its own. Their distances
// are right, and no more memory is taken once the open lists have been as long as they get.
static void live_with_changing_shapes(const fw_fleet_options_t options)
{
  enum { SHAPES = 3, WARM = 100 * SHAPES };
  static const fw_offset_t wide[] = {{0, 0}, {1, 0}};
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "open:70x70", NULL, NULL), FW_RET_OK);
  const fw_robot_t shapes[ROBOTS] = {
    {.start = 0, .goal = 9},
    {.start = 140, .goal = 149, .turn_ticks = 1},
    {.start = 280, .goal = 289, .footprint = wide, .footprint_count = 2},
    {.start = 420, .goal = 429},
  };
  fixture_t f;
  begin_with(&f, &grid, shapes, options);
  fw_robot_t kinds[SHAPES];
  memcpy(kinds, f.robots, sizeof(kinds));
  fw_rng_t rng = fw__rng(4);
  size_t warm_bytes = 0;
  for (int32_t round = 0; round < 4 * WARM; ++round) {
    warm_bytes = round == WARM ? f.memory.used_bytes : warm_bytes;
    for (int32_t r = 0; r < ROBOTS; ++r) {
      fw__fleet_remove(&f.fleet, r);
    }
    for (int32_t r = 0; r < ROBOTS; ++r) {
      const int32_t from_x = fw__rng_below(&rng, 69), goal_x = fw__rng_below(&rng, 69);
      const int32_t goal_y = r + ROBOTS * fw__rng_below(&rng, 17), from_y = fw__rng_below(&rng, 70);
      const fw_cell_t from = from_y * 70 + from_x;
      f.robots[r] = kinds[round % SHAPES];
      f.robots[r].start = from;
      f.robots[r].goal = goal_y * 70 + goal_x;
      assert_true(fw__fleet_set_robot(&f.fleet, r));
      assert_true(fw__fleet_set_goal(&f.fleet, r, (fw_grid_pose_t){from, 0}, &f.meter));
      const int32_t moves = abs(goal_x - from_x) + abs(goal_y - from_y);
      const bool is_longer = f.robots[r].turn_ticks > 0 || f.fleet.clusters != NULL;  // at most four turns
      assert_in_range(distance(&f, r, from), moves, is_longer ? 2 * moves + 8 : moves);
    }
    assert_true(fw__fleet_validate(&f.fleet));
  }
  assert_int_equal(f.memory.used_bytes, warm_bytes);
  fw__arena_fini(&f.arena);
  fw_grid_fini(&grid);
}

static void memory_stays_while_shapes_come_and_go(void ** state)
{
  (void)state;
  live_with_changing_shapes((fw_fleet_options_t){0});
  live_with_changing_shapes((fw_fleet_options_t){.distances = FW_DISTANCES_COARSE});
}

static void a_corrupted_fleet_is_found(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......", "......");
  const fw_robot_t robots[ROBOTS] = {
    {.start = 0, .goal = 9}, {.start = 12, .goal = 9}, {.start = 5, .goal = 8}, {.start = 14, .goal = 10}};
  fixture_t f;
  begin(&f, &grid, robots);
  assert_true(fw__fleet_validate(&f.fleet));
  fw__fleet_remove(&f.fleet, 3);
  assert_true(fw__fleet_validate(&f.fleet));
  f.fleet.fields[3].users = 1;  // nobody refers to it
  assert_false(fw__fleet_validate(&f.fleet));
  f.fleet.fields[3].users = 0;
  f.fleet.field_of[2] = 0;  // a field of another goal
  assert_false(fw__fleet_validate(&f.fleet));
  f.fleet.field_of[2] = ROBOTS;
  assert_false(fw__fleet_validate(&f.fleet));
  f.fleet.field_of[2] = 2;
  assert_true(fw__fleet_validate(&f.fleet));
  fw__arena_fini(&f.arena);
}

static void the_order_goes_by_priority_then_by_the_rule(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......", ".#....");
  const fw_robot_t robots[ROBOTS] = {
    {.start = 0, .goal = 3},
    {.start = 12, .goal = 14},  // around the wall: four moves
    {.start = 6, .goal = 7},
    {.start = 17, .goal = 16, .priority = 3},
  };
  const struct {
    fw_order_rule_t rule;
    int32_t robots[ROBOTS];
  } cases[] = {
    {FW_ORDER_INDEX, {3, 0, 1, 2}},
    {FW_ORDER_LONGEST, {3, 1, 0, 2}},
    {FW_ORDER_SHORTEST, {3, 2, 0, 1}},
    {FW_ORDER_MANHATTAN, {3, 2, 1, 0}},
  };
  fixture_t f;
  begin(&f, &grid, robots);
  fw_order_t order;
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    assert_true(fw__order_init(&order, &f.arena, &f.fleet, cases[i].rule));
    assert_memory_equal(order.robots, cases[i].robots, sizeof(cases[i].robots));
  }
  fw__order_put_first(&order, 0);
  const int32_t expected[] = {3, 0, 2, 1};
  assert_memory_equal(order.robots, expected, sizeof(expected));
  fw_rng_t rng = fw__rng(5);
  for (int32_t i = 0; i < 20; ++i) {
    fw__order_shuffle(&order, &rng);
    assert_true(fw__order_validate(&order));
    assert_int_equal(order.robots[0], 3);
  }
  order.robots[1] = order.robots[2];  // one robot twice
  assert_false(fw__order_validate(&order));
  const int32_t wrong[] = {0, 3, 1, 2};  // a lower priority first
  memcpy(order.robots, wrong, sizeof(wrong));
  assert_false(fw__order_validate(&order));
  fw__arena_fini(&f.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(robots_of_one_goal_and_shape_share_distances),
    cmocka_unit_test(distances_that_have_grown_are_restarted),
    cmocka_unit_test(distances_over_clusters),
    cmocka_unit_test(planners_switch_to_clusters_at_the_limit),
    cmocka_unit_test(distances_are_dropped_and_searched_again),
    cmocka_unit_test(memory_stays_while_shapes_come_and_go),
    cmocka_unit_test(a_corrupted_fleet_is_found),
    cmocka_unit_test(the_order_goes_by_priority_then_by_the_rule),
  };
  return TEST_RUN(tests);
}
