// improve: no plan becomes worse than the first one, slow robots are counted at their speed, threads change nothing,
// priorities stay in force, and what the planner of the first plan does not handle is refused by name.

#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "planner/improve/neighbourhood.h"
#include "support/digest.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"
#include "world/problem.h"

// How to solve; `name` and `value` of a parameter, or NULL.
typedef struct way_t {
  const char * planner;
  const char * name;
  const char * value;
  int64_t expansions_max;
  int32_t threads;  // 0: one
} way_t;

typedef struct answer_t {
  fw_planner_t planner;
  fw_plan_t plan;
  fw_error_t error;
  fw_ret_t ret;
} answer_t;

// Solves and checks; the caller ends it.
static void solve(answer_t * answer, way_t way, const fw_problem_t * problem)
{
  const fw_budget_t budget = {.expansions_max = way.expansions_max};
  fw_planner_options_t options = fw_planner_options_default();
  options.threads = way.threads > 0 ? way.threads : 1;
  *answer = (answer_t){0};
  assert_int_equal(fw_planner_init(&answer->planner, way.planner, &options, NULL), FW_RET_OK);
  if (way.name != NULL) {
    assert_int_equal(fw_planner_set(&answer->planner, way.name, way.value, NULL), FW_RET_OK);
  }
  answer->ret = fw_planner_solve(&answer->planner, problem, &budget, &answer->plan, &answer->error);
  if (answer->ret != FW_RET_OK) {
    return;
  }
  fw_conflict_t conflict;
  assert_int_equal(fw_check_plan(problem, &answer->plan, NULL, &conflict, NULL), FW_RET_OK);
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[160];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    fail_msg("%s: %s", way.planner, text);
  }
}

static int64_t counter(const fw_plan_t * plan, const char * name)
{
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    if (strcmp(plan->stats.counters[i].name, name) == 0) {
      return plan->stats.counters[i].value;
    }
  }
  fail_msg("there is no counter %s", name);
  return 0;
}

// The sum of the ticks at which robots of a priority arrive for good.
static int64_t sum_of_arrivals(const fw_problem_t * problem, const fw_plan_t * plan, int32_t priority)
{
  int64_t sum = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    sum += problem->robots[r].priority == priority ? fw_paths_makespan(&plan->paths[r], 1) : 0;
  }
  return sum;
}

// ---- better and better ----------------------------------------------------------------------------------------------

// With every feature of problems: where `hca` has a plan, `improve` has one that is not later, and often an earlier
// one.
static void no_plan_is_later_than_the_first(void ** state)
{
  (void)state;
  static const int32_t features[] = {
    WORLD_PLAIN,
    WORLD_DIAGONALS | WORLD_ROBUST,
    WORLD_SPEEDS | WORLD_SHAPES | WORLD_DIAGONALS,
    WORLD_HEADINGS | WORLD_SWEEPS | WORLD_UNDER_WAY | WORLD_SPEEDS,
    WORLD_CLOSURES | WORLD_ROBUST,
    WORLD_CORNERS,
  };
  int32_t compared = 0, better = 0;
  for (int32_t number = 0; number < test_rounds(240); ++number) {
    world_t world;
    world_make(&world, (uint64_t)(7000 + number), features[number % TEST_COUNT(features)], 16);
    answer_t first, last;
    solve(&first, (way_t){.planner = "hca", .expansions_max = 20000}, &world.problem);
    solve(&last, (way_t){.planner = "improve", .expansions_max = 40000}, &world.problem);
    if (first.plan.outcome == FW_OUTCOME_SOLVED && first.plan.stats.counters[0].value == 1) {  // one order
      assert_int_equal(last.plan.outcome, FW_OUTCOME_SOLVED);
      const int64_t before = sum_of_arrivals(&world.problem, &first.plan, 0);
      const int64_t after = sum_of_arrivals(&world.problem, &last.plan, 0);
      if (after > before) {
        fail_msg("%s: %d ticks became %d", world.text, (int)before, (int)after);
      }
      ++compared;
      better += after < before ? 1 : 0;
    }
    fw_planner_fini(&first.planner);
    fw_planner_fini(&last.planner);
    world_fini(&world);
  }
  assert_true(compared * 2 > test_rounds(240) && better * 8 > compared);
}

// On floor of different costs the cost of cells counts; with `off_goal` the ticks off the goal.
static void what_is_minimised_falls(void ** state)
{
  (void)state;
  int32_t better = 0;
  for (int32_t number = 0; number < test_rounds(80); ++number) {
    const bool has_costs = number % 2 == 0;
    world_t world;
    world_make(&world, (uint64_t)(9000 + number), has_costs ? WORLD_COSTS : WORLD_PLAIN, 16);
    answer_t answer;
    const char * cost = has_costs ? "last_arrival" : "off_goal";
    solve(&answer, (way_t){"improve", "cost", cost, .expansions_max = 20000}, &world.problem);
    if (answer.plan.outcome == FW_OUTCOME_SOLVED) {
      assert_true(counter(&answer.plan, "cost") <= counter(&answer.plan, "first_cost"));
      assert_true(has_costs || counter(&answer.plan, "cost") == answer.plan.stats.sum_of_costs);
      better += counter(&answer.plan, "cost") < counter(&answer.plan, "first_cost") ? 1 : 0;
    }
    fw_planner_fini(&answer.planner);
    world_fini(&world);
  }
  assert_true(better * 10 > test_rounds(80));
}

// Sixty robots on a small map: more expansions, a smaller sum, and from lacam's plan as from that of hca.
static void more_budget_is_better(void ** state)
{
  (void)state;
  fw_grid_t grid;
  fw_scenario_t scenario;
  assert_int_equal(fw_grid_make(&grid, "random:16x16,obstacles=20,seed=1", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, 60, 1, NULL, NULL), FW_RET_OK);
  const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = scenario.robot_count};
  static const char * const firsts[] = {"hca", "lacam"};
  for (int32_t f = 0; f < TEST_COUNT(firsts); ++f) {
    int64_t costs[2] = {0};
    for (int32_t i = 0; i < 2; ++i) {
      answer_t answer;
      solve(&answer, (way_t){"improve", "first", firsts[f], .expansions_max = i == 0 ? 100000 : 400000}, &problem);
      assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
      assert_int_equal(answer.plan.stop, FW_STOP_EXPANSIONS);
      assert_int_equal(counter(&answer.plan, "first_plan_lacam"), f);
      assert_int_equal(counter(&answer.plan, "cost"), sum_of_arrivals(&problem, &answer.plan, 0));
      costs[i] = counter(&answer.plan, "cost");
      assert_true(costs[i] < counter(&answer.plan, "first_cost"));
      fw_planner_fini(&answer.planner);
    }
    assert_true(costs[1] < costs[0]);
  }
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

// A few robots: without a budget the search ends by itself, nearly always with the least sum.
static void a_small_instance_becomes_optimal(void ** state)
{
  (void)state;
  int32_t same = 0, solved = 0;
  for (int32_t number = 0; number < test_rounds(60); ++number) {
    world_t world;
    world_make(&world, (uint64_t)(300 + number), WORLD_PLAIN, 6);
    answer_t best, answer;
    solve(&best, (way_t){"lazy_sat", "cost", "last_arrival", .expansions_max = 200000}, &world.problem);
    solve(&answer, (way_t){.planner = "improve"}, &world.problem);
    if (best.plan.outcome == FW_OUTCOME_SOLVED && best.plan.stop == FW_STOP_DONE) {
      assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
      assert_int_equal(answer.plan.stop, FW_STOP_DONE);
      const int64_t least = sum_of_arrivals(&world.problem, &best.plan, 0);
      const int64_t cost = sum_of_arrivals(&world.problem, &answer.plan, 0);
      assert_true(cost >= least);
      same += cost == least ? 1 : 0;
      ++solved;
    }
    fw_planner_fini(&best.planner);
    fw_planner_fini(&answer.planner);
    world_fini(&world);
  }
  assert_true(solved * 2 > test_rounds(60) && same * 10 > solved * 9);
}

// ---- slow robots ----------------------------------------------------------------------------------------------------

// What the plan costs, tick by tick: on the way to a cell the robot pays for that cell, otherwise for the one it is on.
static int64_t cost_by_ticks(const fw_problem_t * problem, const fw_plan_t * plan, bool is_rest_free)
{
  int64_t sum = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const fw_path_t * path = &plan->paths[r];
    const int32_t slow = robot->ticks_per_move > 1 ? robot->ticks_per_move : 1;
    for (int32_t tick = robot->arrives + 1; tick < path->length; ++tick) {
      int32_t at = tick;  // the end of the next motion
      bool moves = false, turns = false;
      for (; at < path->length && !moves && !turns; at += moves || turns ? 0 : 1) {
        moves = path->cells[at] != path->cells[at - 1];
        turns = !moves && path->headings != NULL && path->headings[at] != path->headings[at - 1];
      }
      const bool is_under_way = (moves && at - tick < slow) || (turns && at - tick < robot->turn_ticks);
      const fw_cell_t cell = is_under_way ? path->cells[at] : path->cells[tick - 1];
      sum += is_rest_free && !is_under_way && cell == robot->goal ? 0 : problem->grid->cost[cell];
    }
  }
  return sum;
}

// Robots of one shape share a table of moves, but not their speeds.
static void slow_robots_pay_for_all_ticks_of_a_move(void ** state)
{
  (void)state;
  static const int32_t features[] = {
    WORLD_COSTS | WORLD_SPEEDS, WORLD_COSTS | WORLD_SPEEDS | WORLD_SHAPES | WORLD_DIAGONALS,
    WORLD_COSTS | WORLD_SPEEDS | WORLD_HEADINGS | WORLD_UNDER_WAY};
  int32_t compared = 0;
  for (int32_t number = 0; number < test_rounds(120); ++number) {
    const bool is_rest_free = number % 2 == 1;
    world_t world;
    world_make(&world, (uint64_t)(12000 + number), features[number % TEST_COUNT(features)], 12);
    answer_t answer;
    solve(
      &answer, (way_t){"improve", "cost", is_rest_free ? "off_goal" : "last_arrival", .expansions_max = 20000},
      &world.problem);
    if (answer.plan.outcome == FW_OUTCOME_SOLVED) {
      const int64_t cost = cost_by_ticks(&world.problem, &answer.plan, is_rest_free);
      if (counter(&answer.plan, "cost") != cost) {
        fail_msg("%s: %d instead of %d", world.text, (int)counter(&answer.plan, "cost"), (int)cost);
      }
      ++compared;
    }
    fw_planner_fini(&answer.planner);
    world_fini(&world);
  }
  assert_true(compared * 4 > test_rounds(120));
}

// A robot with 3 ticks per move goes east along the row of nine cells, and waits for 3 ticks first. Another one goes
// south through column 3 at tick 8, when the first one could be there. The third one goes south through column 6 at
// tick 6, when only a robot of one tick per move could be there.
enum { SLOW, MET, NEVER_MET, CROSSING };

static const char * const crossing_rows[] = {
  "###.#####", "###.#####", "###.##.##", "###.##.##", "###.##.##",
  "###.##.##", "###.##.##", "###.##.##", ".........", "###.##.##",
};

typedef struct crossing_t {
  drawing_t drawing;
  fw_grid_t grid;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_meter_t meter;
  fw_planner_context_t context;
  fw_robot_t robots[CROSSING];
  fw_problem_t problem;
  fw_fleet_t fleet;
  fw_cell_t cells[CROSSING][32];
  fw_path_t paths[CROSSING];
  int64_t costs[CROSSING];
  int64_t least[CROSSING];
  fw_reservations_t table;
  fw_neighbourhoods_t neighbourhoods;
} crossing_t;

static void begin_crossing(crossing_t * f)
{
  *f = (crossing_t){.memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX}};
  f->grid = draw_grid(&f->drawing, crossing_rows, TEST_COUNT(crossing_rows));
  fw__arena_init(&f->arena, &f->memory);
  fw__meter_start(&f->meter, NULL);
  f->context = (fw_planner_context_t){.scratch = &f->arena, .meter = &f->meter, .threads = 1};
  const fw_cell_t row = 9;
  f->robots[SLOW] = (fw_robot_t){.start = 8 * row, .goal = 8 * row + 8, .ticks_per_move = 3};
  f->robots[MET] = (fw_robot_t){.start = 3, .goal = 9 * row + 3};
  f->robots[NEVER_MET] = (fw_robot_t){.start = 2 * row + 6, .goal = 9 * row + 6};
  const fw_problem_t problem = {.grid = &f->grid, .robots = f->robots, .robot_count = CROSSING};
  f->problem = fw__problem_normalise(&problem, &f->arena);
  assert_int_equal(fw__fleet_init(&f->fleet, &f->context, &f->problem, NULL), FW_FLEET_READY);
  assert_true(fw__reservations_init(&f->table, &f->arena, f->fleet.places, &f->fleet.bodies));
  const int32_t waits[CROSSING] = {[SLOW] = 3}, moves[CROSSING] = {8, 9, 7}, ticks[CROSSING] = {3, 1, 1};
  for (int32_t r = 0; r < CROSSING; ++r) {
    f->least[r] = moves[r] * ticks[r];
    f->costs[r] = waits[r] + f->least[r];
    for (int32_t tick = 0; tick <= f->costs[r]; ++tick) {
      const int32_t moved = tick > waits[r] ? (tick - waits[r]) / ticks[r] : 0;
      f->cells[r][tick] = f->robots[r].start + moved * (r == SLOW ? 1 : row);
    }
    f->paths[r] = (fw_path_t){.cells = f->cells[r], .length = (int32_t)f->costs[r] + 1};
    assert_true(fw__reservations_add_path(&f->table, r, f->paths[r]));
  }
  const fw_plan_t plan = {.paths = f->paths, .robot_count = CROSSING, .outcome = FW_OUTCOME_SOLVED};
  fw_conflict_t conflict;
  assert_int_equal(fw_check_plan(&f->problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  const fw_neighbourhood_plan_t present = {&f->fleet, &f->table, f->paths, f->costs, f->least, &f->meter};
  assert_true(fw__neighbourhoods_init(&f->neighbourhoods, &f->arena, &present, 1));
}

static void a_slow_robot_looks_for_others_at_its_own_pace(void ** state)
{
  (void)state;
  crossing_t f;
  begin_crossing(&f);
  int32_t drawn[FW_NEIGHBOURHOOD_RULES][CROSSING] = {0};
  for (int32_t i = 0; i < 2000; ++i) {
    fw_neighbourhood_t neighbourhood;
    fw__neighbourhoods_begin(&f.neighbourhoods);
    assert_true(fw__neighbourhoods_draw(&f.neighbourhoods, &neighbourhood));
    for (int32_t at = 0; at < neighbourhood.count; ++at) {
      ++drawn[neighbourhood.arm / FW_NEIGHBOURHOOD_SIZES][neighbourhood.robots[at]];
    }
  }
  static const fw_neighbourhood_rule_t rules[] = {FW_NEIGHBOURHOOD_WALK, FW_NEIGHBOURHOOD_BLOCKERS};
  for (int32_t i = 0; i < TEST_COUNT(rules); ++i) {
    assert_true(drawn[rules[i]][SLOW] > 100 && drawn[rules[i]][MET] > 30);
    assert_int_equal(drawn[rules[i]][NEVER_MET], 0);
  }
  fw__arena_fini(&f.arena);
}

// ---- threads --------------------------------------------------------------------------------------------------------

// Enough robots for whole batches, in which several neighbourhoods are accepted.
static void threads_change_nothing(void ** state)
{
  (void)state;
  static const int32_t threads[] = {1, 2, 3, 9};
  fw_grid_t grid;
  fw_scenario_t scenario;
  assert_int_equal(fw_grid_make(&grid, "random:32x32,obstacles=20,seed=2", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, 120, 2, NULL, NULL), FW_RET_OK);
  for (int32_t robust = 0; robust < 2; ++robust) {
    const fw_problem_t problem = {
      .grid = &grid, .robots = scenario.robots, .robot_count = scenario.robot_count, .robust_ticks = robust};
    uint64_t digest = 0;
    for (int32_t i = 0; i < TEST_COUNT(threads); ++i) {
      answer_t answer;
      solve(&answer, (way_t){.planner = "improve", .expansions_max = 300000, .threads = threads[i]}, &problem);
      assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
      assert_true(counter(&answer.plan, "improved") > 8);
      digest = i == 0 ? digest_plan(&answer.plan) : digest;
      assert_int_equal(digest_plan(&answer.plan), digest);
      fw_planner_fini(&answer.planner);
    }
  }
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

// ---- priorities -----------------------------------------------------------------------------------------------------

// What a robot of higher priority has, none of lower priority takes away: class by class, as hca compares plans.
static void the_highest_priority_does_not_lose(void ** state)
{
  (void)state;
  int32_t better = 0;
  for (int32_t number = 0; number < test_rounds(80); ++number) {
    world_t world;
    world_make(&world, (uint64_t)(5000 + number), WORLD_PLAIN, 20);
    for (int32_t r = 0; r < world.problem.robot_count; ++r) {
      world.robots[r].priority = r % 3;
    }
    answer_t first, last;
    solve(&first, (way_t){.planner = "hca", .expansions_max = 20000}, &world.problem);
    solve(&last, (way_t){.planner = "improve", .expansions_max = 40000}, &world.problem);
    bool is_decided = first.plan.outcome != FW_OUTCOME_SOLVED || first.plan.stats.counters[0].value != 1;
    for (int32_t priority = 2; priority >= 0 && !is_decided; --priority) {
      const int64_t before = sum_of_arrivals(&world.problem, &first.plan, priority);
      const int64_t after = sum_of_arrivals(&world.problem, &last.plan, priority);
      assert_true(after <= before);
      is_decided = after < before;
      better += is_decided ? 1 : 0;
    }
    fw_planner_fini(&first.planner);
    fw_planner_fini(&last.planner);
    world_fini(&world);
  }
  assert_true(better * 10 > test_rounds(80));
}

// ---- the first plan -------------------------------------------------------------------------------------------------

// A crowd that hca does not solve in its share of the budget; a robot of two cells, which lacam refuses.
static void the_planner_of_the_first_plan(void ** state)
{
  (void)state;
  fw_grid_t grid;
  fw_scenario_t scenario;
  assert_int_equal(fw_grid_make(&grid, "open:6x6", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, 33, 3, NULL, NULL), FW_RET_OK);
  fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = scenario.robot_count};
  answer_t answer;
  solve(&answer, (way_t){.planner = "improve", .expansions_max = 400000}, &problem);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(counter(&answer.plan, "first_plan_lacam"), 1);
  fw_planner_fini(&answer.planner);
  static const fw_offset_t two_cells[] = {{0, 0}, {1, 0}};
  const fw_robot_t robot = {.start = 0, .goal = 7, .footprint = two_cells, .footprint_count = 2};
  problem.robots = &robot;
  problem.robot_count = 1;
  solve(&answer, (way_t){"improve", "first", "lacam", 0, 1}, &problem);
  assert_int_equal(answer.ret, FW_RET_UNSUPPORTED);
  assert_non_null(strstr(answer.error.text, "robot 0"));
  fw_planner_fini(&answer.planner);
  solve(&answer, (way_t){.planner = "improve"}, &problem);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(answer.plan.stop, FW_STOP_DONE);  // nothing can be gained
  fw_planner_fini(&answer.planner);
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_plan_is_later_than_the_first),
    cmocka_unit_test(what_is_minimised_falls),
    cmocka_unit_test(more_budget_is_better),
    cmocka_unit_test(a_small_instance_becomes_optimal),
    cmocka_unit_test(slow_robots_pay_for_all_ticks_of_a_move),
    cmocka_unit_test(a_slow_robot_looks_for_others_at_its_own_pace),
    cmocka_unit_test(threads_change_nothing),
    cmocka_unit_test(the_highest_priority_does_not_lose),
    cmocka_unit_test(the_planner_of_the_first_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
