// lacam and pibt: crowds are solved, what has no plan is refuted, improvement never makes a plan worse, closures are
// seen in time, and what these planners do not handle is refused by name.

#include "base/arena.h"
#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "planner/lacam/escape.h"
#include "planner/lacam/step_schedule.h"
#include "support/digest.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

typedef struct answer_t {
  fw_planner_t planner;
  fw_plan_t plan;
  fw_error_t error;
} answer_t;

// How to solve; `name` and `value` of a parameter, or NULL.
typedef struct way_t {
  const char * planner;
  const char * name;
  const char * value;
  int64_t expansions_max;
} way_t;

// Solves and checks; the caller ends it.
static void solve(answer_t * answer, way_t way, const fw_problem_t * problem)
{
  fw_conflict_t conflict;
  const fw_budget_t budget = {.expansions_max = way.expansions_max};
  *answer = (answer_t){0};
  assert_int_equal(fw_planner_init(&answer->planner, way.planner, NULL, NULL), FW_RET_OK);
  if (way.name != NULL) {
    assert_int_equal(fw_planner_set(&answer->planner, way.name, way.value, NULL), FW_RET_OK);
  }
  const fw_ret_t ret = fw_planner_solve(&answer->planner, problem, &budget, &answer->plan, &answer->error);
  assert_int_equal(ret, FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, &answer->plan, NULL, &conflict, NULL), FW_RET_OK);
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[160];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    fail_msg("%s: %s", way.planner, text);
  }
}

// ---- crowds ---------------------------------------------------------------------------------------------------------

typedef struct crowd_t {
  const char * map;
  int32_t robots;
  int32_t connectivity;
  int32_t robust_ticks;
} crowd_t;

static void crowds_are_solved(void ** state)
{
  (void)state;
  static const crowd_t crowds[] = {
    {"open:8x8", 62, 4, 0},
    {"open:8x8", 63, 8, 0},
    {"open:6x6", 36, 4, 0},  // full: only rotations
    {"random:32x32,obstacles=10,seed=1", 600, 4, 0},
    {"random:32x32,obstacles=10,seed=1", 600, 8, 0},
    {"maze:21x21,corridor=2,seed=3", 60, 4, 0},
    {"rooms:24x24,room=5,seed=2", 200, 4, 0},
    {"warehouse:49x33,shelf=5,seed=1", 300, 4, 0},
    {"warehouse:49x33,shelf=5,seed=1", 60, 4, 1},
    {"maze:25x25,seed=3", 8, 4, 1},
    {"random:24x24,obstacles=20,seed=4", 60, 8, 2},
    {"open:10x10", 50, 4, 3},
  };
  for (int32_t i = 0; i < TEST_COUNT(crowds); ++i) {
    fw_grid_t grid;
    fw_scenario_t scenario;
    answer_t answer;
    assert_int_equal(fw_grid_make(&grid, crowds[i].map, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &grid, crowds[i].robots, 5, NULL, NULL), FW_RET_OK);
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = scenario.robots,
      .robot_count = scenario.robot_count,
      .connectivity = crowds[i].connectivity,
      .robust_ticks = crowds[i].robust_ticks,
    };
    solve(&answer, (way_t){.planner = "lacam", .expansions_max = 3000000}, &problem);
    if (answer.plan.outcome != FW_OUTCOME_SOLVED) {
      fail_msg("%s with %d robots: %s", crowds[i].map, crowds[i].robots, fw_outcome_name(answer.plan.outcome));
    }
    fw_planner_fini(&answer.planner);
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
}

// Three robots in a row: without robust ticks they move up together, with k they follow each other k ticks apart.
static void a_row_of_robots_moves_up(void ** state)
{
  (void)state;
  DRAW(lane, "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 1, .goal = 2}, {.start = 2, .goal = 3}};
  fw_problem_t problem = {.grid = &lane, .robots = robots, .robot_count = 3};
  static const char * const names[] = {"lacam", "pibt"};
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    for (problem.robust_ticks = 0; problem.robust_ticks <= 3; ++problem.robust_ticks) {
      answer_t answer;
      solve(&answer, (way_t){.planner = names[i]}, &problem);
      assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
      for (int32_t r = 0; r < 3; ++r) {
        assert_int_equal(fw_paths_makespan(&answer.plan.paths[r], 1), 1 + (2 - r) * problem.robust_ticks);
      }
      fw_planner_fini(&answer.planner);
    }
  }
}

// A full ring turns at once, and with robust ticks not at all.
static void a_full_ring_turns(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  const fw_cell_t ring[] = {0, 1, 2, 5, 8, 7, 6, 3};
  fw_robot_t robots[8] = {0};
  for (int32_t r = 0; r < 8; ++r) {
    robots[r] = (fw_robot_t){.start = ring[r], .goal = ring[(r + 1) % 8]};
  }
  fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 8};
  answer_t answer;
  solve(&answer, (way_t){.planner = "lacam"}, &problem);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(answer.plan.stats.makespan, 1);
  fw_planner_fini(&answer.planner);
  problem.robust_ticks = 1;
  solve(&answer, (way_t){.planner = "lacam"}, &problem);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_UNSOLVABLE);
  fw_planner_fini(&answer.planner);
}

// Two robots that meet in a lane with a bay pass each other there, also with robust ticks. Without the bay there is no
// plan.
static void robots_pass_in_a_bay(void ** state)
{
  (void)state;
  DRAW(bay, "........", "#####.##");
  DRAW(lane, "........", "########");
  const fw_robot_t robots[] = {{.start = 0, .goal = 7}, {.start = 7, .goal = 0}};
  for (int32_t k = 0; k <= 2; ++k) {
    const fw_problem_t with = {.grid = &bay, .robots = robots, .robot_count = 2, .robust_ticks = k};
    const fw_problem_t without = {.grid = &lane, .robots = robots, .robot_count = 2, .robust_ticks = k};
    answer_t answer;
    solve(&answer, (way_t){.planner = "pibt"}, &with);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    fw_planner_fini(&answer.planner);
    solve(&answer, (way_t){.planner = "lacam"}, &with);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    fw_planner_fini(&answer.planner);
    solve(&answer, (way_t){.planner = "lacam"}, &without);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_UNSOLVABLE);
    fw_planner_fini(&answer.planner);
  }
}

// ---- anytime --------------------------------------------------------------------------------------------------------

// On small worlds the improvement ends with a plan of least cost, which od_id confirms.
static void improvement_ends_with_the_least_cost(void ** state)
{
  (void)state;
  int32_t proved = 0, better = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(120); ++number) {
    world_t world;
    world_make(&world, 9000 + number, number % 2 == 0 ? WORLD_PLAIN : WORLD_DIAGONALS | WORLD_CLOSURES, 3);
    answer_t first, last, truth;
    solve(&first, (way_t){.planner = "lacam"}, &world.problem);
    solve(&last, (way_t){"lacam", "anytime", "true", 200000}, &world.problem);
    solve(&truth, (way_t){.planner = "od_id", .expansions_max = 200000}, &world.problem);
    const bool is_solved = first.plan.outcome == FW_OUTCOME_SOLVED;
    assert_int_equal(is_solved, last.plan.outcome == FW_OUTCOME_SOLVED);
    if (is_solved) {
      assert_true(last.plan.stats.sum_of_costs <= first.plan.stats.sum_of_costs);
      assert_true(last.plan.stats.lower_bound <= last.plan.stats.sum_of_costs);
      better += last.plan.stats.sum_of_costs < first.plan.stats.sum_of_costs ? 1 : 0;
    }
    if (is_solved && last.plan.stop == FW_STOP_DONE && truth.plan.stop == FW_STOP_DONE) {
      if (last.plan.stats.sum_of_costs != truth.plan.stats.sum_of_costs) {
        fail_msg(
          "%s: %d instead of %d", world.text, (int)last.plan.stats.sum_of_costs, (int)truth.plan.stats.sum_of_costs);
      }
      assert_int_equal(last.plan.stats.lower_bound, last.plan.stats.sum_of_costs);
      ++proved;
    }
    fw_planner_fini(&first.planner);
    fw_planner_fini(&last.planner);
    fw_planner_fini(&truth.planner);
    world_fini(&world);
  }
  print_message("%d proved, %d better than the first plan\n", proved, better);
  assert_true(proved > 30 && better > 10);
}

// More expansions never give a dearer plan, and without a budget the first plan is the answer.
static void more_budget_is_never_worse(void ** state)
{
  (void)state;
  static const crowd_t crowds[] = {
    {"open:8x8", 24, 8, 0}, {"random:16x16,obstacles=20,seed=1", 30, 4, 0}, {"rooms:16x16,room=4,seed=2", 12, 4, 1}};
  int32_t better = 0;
  for (int32_t i = 0; i < TEST_COUNT(crowds); ++i) {
    fw_grid_t grid;
    fw_scenario_t scenario;
    assert_int_equal(fw_grid_make(&grid, crowds[i].map, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &grid, crowds[i].robots, 3, NULL, NULL), FW_RET_OK);
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = scenario.robots,
      .robot_count = scenario.robot_count,
      .connectivity = crowds[i].connectivity,
      .robust_ticks = crowds[i].robust_ticks,
    };
    answer_t first, unlimited;
    solve(&first, (way_t){.planner = "lacam"}, &problem);
    solve(&unlimited, (way_t){.planner = "lacam", .name = "anytime", .value = "true"}, &problem);
    assert_int_equal(first.plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(unlimited.plan.stop, FW_STOP_DONE);
    assert_int_equal(
      digest_paths(first.plan.paths, first.plan.robot_count),
      digest_paths(unlimited.plan.paths, first.plan.robot_count));
    fw_cost_t cost = first.plan.stats.sum_of_costs;
    for (int64_t budget = first.plan.stats.expanded + 1000; budget < 3000000; budget *= 4) {
      answer_t answer;
      solve(&answer, (way_t){"lacam", "anytime", "true", budget}, &problem);
      assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
      assert_true(answer.plan.stop == FW_STOP_EXPANSIONS || answer.plan.stop == FW_STOP_DONE);
      if (crowds[i].robust_ticks == 0) {
        assert_true(answer.plan.stats.sum_of_costs <= cost);
        better += answer.plan.stats.sum_of_costs < cost ? 1 : 0;
        cost = answer.plan.stats.sum_of_costs;
      } else {  // the cost of the steps falls; that of their schedule is never above the first
        assert_true(answer.plan.stats.sum_of_costs <= first.plan.stats.sum_of_costs);
      }
      fw_planner_fini(&answer.planner);
    }
    fw_planner_fini(&first.planner);
    fw_planner_fini(&unlimited.planner);
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
  assert_true(better > 0);
}

// ---- priorities and costs -------------------------------------------------------------------------------------------

// Two robots want the same cell at the same tick: the one of higher priority is not delayed.
static void the_higher_priority_goes_first(void ** state)
{
  (void)state;
  DRAW(cross, "##.##", "##.##", ".....", "##.##", "##.##");
  static const char * const names[] = {"lacam", "pibt"};
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    for (int32_t first = 0; first < 2; ++first) {
      fw_robot_t robots[] = {{.start = 2, .goal = 22}, {.start = 10, .goal = 14}};
      robots[first].priority = 3;
      const fw_problem_t problem = {.grid = &cross, .robots = robots, .robot_count = 2};
      answer_t answer;
      solve(&answer, (way_t){.planner = names[i]}, &problem);
      assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
      assert_int_equal(fw_paths_makespan(&answer.plan.paths[first], 1), 4);
      assert_true(fw_paths_makespan(&answer.plan.paths[1 - first], 1) > 4);
      fw_planner_fini(&answer.planner);
    }
  }
}

// Whatever the priorities are, lacam solves what it solves without.
static void priorities_cost_no_instance(void ** state)
{
  (void)state;
  static const char * const maps[] = {
    "maze:15x15,seed=%d", "rooms:13x13,room=3,seed=%d", "random:10x10,obstacles=35,seed=%d"};
  int32_t solved = 0;
  for (int32_t number = 0; number < test_rounds(15); ++number) {
    char line[64];
    fw_grid_t grid;
    fw_scenario_t scenario;
    (void)snprintf(line, sizeof line, maps[number % TEST_COUNT(maps)], number);
    assert_int_equal(fw_grid_make(&grid, line, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &grid, 6, (uint64_t)number, NULL, NULL), FW_RET_OK);
    const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = scenario.robot_count};
    fw_outcome_t outcome = FW_OUTCOME_NONE;
    for (int32_t assignment = 0; assignment < 4; ++assignment) {
      for (int32_t r = 0; r < scenario.robot_count; ++r) {
        const bool is_high = (assignment == 1 && r == 0) || (assignment == 2 && r == scenario.robot_count - 1);
        scenario.robots[r].priority = assignment == 3 ? r : is_high ? 5 : 0;
      }
      answer_t answer;
      solve(&answer, (way_t){.planner = "lacam", .expansions_max = 3000000}, &problem);
      assert_true(assignment == 0 || answer.plan.outcome == outcome);
      outcome = answer.plan.outcome;
      fw_planner_fini(&answer.planner);
    }
    solved += outcome == FW_OUTCOME_SOLVED ? 1 : 0;
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
  assert_true(solved > 8);
}

static void costly_floor_is_avoided(void ** state)
{
  (void)state;
  DRAW(grid, ".....", ".999.", ".....");
  const fw_robot_t robot = {.start = 5, .goal = 9};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  static const char * const names[] = {"lacam", "pibt"};
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    answer_t answer;
    solve(&answer, (way_t){.planner = names[i]}, &problem);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(answer.plan.stats.makespan, 6);  // around, and not through in 4 ticks
    assert_int_equal(answer.plan.stats.lower_bound, 4);
    fw_planner_fini(&answer.planner);
  }
}

// ---- fleets that never stop -----------------------------------------------------------------------------------------

// Windows of pibt in a crowd, with goals that change: every plan holds up to its horizon, and every robot reaches
// goals.
static void nobody_starves_in_a_crowd(void ** state)
{
  (void)state;
  enum { ROBOTS = 40, WINDOW = 4, WINDOWS = 150 };
  fw_grid_t grid;
  fw_scenario_t scenario;
  assert_int_equal(fw_grid_make(&grid, "open:8x8", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, ROBOTS, 3, NULL, NULL), FW_RET_OK);
  for (int32_t k = 0; k < 2; ++k) {
    fw_robot_t robots[ROBOTS];
    int32_t reached[ROBOTS] = {0};
    memcpy(robots, scenario.robots, sizeof(robots));
    fw_rng_t rng = fw__rng(7);
    fw_problem_t problem = {
      .grid = &grid, .robots = robots, .robot_count = ROBOTS, .robust_ticks = k, .horizon = WINDOW};
    fw_planner_t planner;
    assert_int_equal(fw_planner_init(&planner, "pibt", NULL, NULL), FW_RET_OK);
    for (int32_t window = 0; window < WINDOWS; ++window) {
      fw_plan_t plan;
      fw_conflict_t conflict;
      assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
      assert_int_equal(fw_check_plan(&problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
      assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
      assert_true(plan.safe_until >= WINDOW);
      for (int32_t r = 0; r < ROBOTS; ++r) {
        fw_robot_advance(&robots[r], &plan.paths[r], WINDOW);
        if (robots[r].start == robots[r].goal) {
          ++reached[r];
          robots[r].goal = fw__rng_below(&rng, 64);  // goals may be shared
        }
      }
      problem.since = WINDOW;
    }
    for (int32_t r = 0; r < ROBOTS; ++r) {
      if (reached[r] == 0) {
        fail_msg("robust_ticks %d: robot %d has reached nothing in %d ticks", k, r, WINDOW * WINDOWS);
      }
    }
    fw_planner_fini(&planner);
  }
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

// ---- closures -------------------------------------------------------------------------------------------------------

// By place and tick: whether a robot can go on for ever from there. The obvious way, backwards from the last change.
enum { TICKS = 40, PLACES = 64 };
static bool truth[TICKS + 1][PLACES];

static bool is_closed(const fw_problem_t * problem, fw_cell_t cell, fw_tick_t tick)
{
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_closure_t * closure = &problem->closures[i];
    if (closure->cell == cell && closure->from <= tick && tick <= closure->to) {
      return true;
    }
  }
  return false;
}

static void find_truth(const fw_problem_t * problem, const fw_moves_t * moves)
{
  for (fw_tick_t tick = TICKS; tick >= 0; --tick) {
    for (int32_t place = 0; place < moves->node_count; ++place) {
      bool can_go_on = tick == TICKS || truth[tick + 1][place];
      const int32_t * next = fw__moves_successors(moves, place);
      for (int32_t d = 0; d < moves->degree && !can_go_on; ++d) {
        can_go_on = next[d] >= 0 && truth[tick + 1][next[d]];
      }
      truth[tick][place] = can_go_on && !is_closed(problem, moves->cell_of[place], tick);
    }
  }
}

static void traps_are_seen(void ** state)
{
  (void)state;
  int32_t traps = 0;
  for (int32_t round = 0; round < test_rounds(300); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    const fw_grid_t grid = world_grid(&rng, 3 + fw__rng_below(&rng, 4), 1 + fw__rng_below(&rng, 4), 20, false);
    fw_closure_t closures[12];
    int32_t count = 0;
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&grid) && count < 11; ++cell) {
      if (grid.cost[cell] > 0 && fw__rng_below(&rng, 2) == 0) {
        const fw_tick_t from = 1 + fw__rng_below(&rng, 8);
        const fw_tick_t to = from + fw__rng_below(&rng, 8);
        closures[count++] = (fw_closure_t){cell, from, fw__rng_below(&rng, 4) == 0 ? FW_TICK_MAX : to};
        if (closures[count - 1].to < FW_TICK_MAX && fw__rng_below(&rng, 2) == 0) {
          closures[count] = (fw_closure_t){cell, to + 2, to + 2 + fw__rng_below(&rng, 6)};
          ++count;
        }
      }
    }
    const fw_problem_t problem = {
      .grid = &grid,
      .connectivity = fw__rng_below(&rng, 2) == 0 ? 4 : 8,
      .closures = closures,
      .closure_count = count,
    };
    fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
    fw_arena_t arena;
    fw__arena_init(&arena, &memory);
    fw_moves_t moves;
    fw_escape_t escape;
    assert_true(fw__moves_init_cells(&moves, &arena, &problem));
    assert_true(fw__escape_init(&escape, &arena, &moves, &problem));
    find_truth(&problem, &moves);
    for (fw_tick_t tick = 0; tick <= TICKS; ++tick) {
      for (int32_t place = 0; place < moves.node_count; ++place) {
        if (fw__escape_allows(&escape, place, tick) != truth[tick][place]) {
          fail_msg("round %d: place %d at tick %d: it should be %d", round, place, tick, truth[tick][place]);
        }
        traps += !truth[tick][place] && !is_closed(&problem, moves.cell_of[place], tick) ? 1 : 0;
      }
    }
    fw__arena_fini(&arena);
    fw_grid_t made = grid;
    fw_grid_fini(&made);
  }
  assert_true(traps > 100);
}

// The near door is closed for ever: all robots go around through the far one.
static void a_door_that_stays_closed_is_avoided(void ** state)
{
  (void)state;
  DRAW(grid, "..........", "..........", "..........", "####.####.", "..........", "..........", "..........");
  fw_robot_t robots[8];
  for (int32_t r = 0; r < 8; ++r) {
    robots[r] = (fw_robot_t){.start = r, .goal = 60 + r};
  }
  const fw_closure_t door = {34, 0, FW_TICK_MAX};
  const fw_problem_t problem = {
    .grid = &grid, .robots = robots, .robot_count = 8, .closures = &door, .closure_count = 1};
  static const char * const names[] = {"lacam", "pibt"};
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    answer_t answer;
    solve(&answer, (way_t){.planner = names[i], .expansions_max = 20000}, &problem);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    fw_planner_fini(&answer.planner);
  }
}

// ---- what is refused ------------------------------------------------------------------------------------------------

static void other_bodies_are_refused_by_name(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  static const fw_offset_t two_cells[] = {{0, 0}, {1, 0}};
  const fw_robot_t kinds[] = {
    {.start = 0, .goal = 4, .footprint = two_cells, .footprint_count = 2},
    {.start = 0, .goal = 4, .ticks_per_move = 2},
    {.start = 0, .goal = 4, .turn_ticks = 1},
    {.start = 0, .goal = 4, .sweeps_sides = true},
  };
  static const char * const texts[] = {
    "robot 1 covers more than one cell", "robot 1 takes more than one tick per move", "robot 1 has a heading",
    "robot 1 sweeps its sides"};
  static const char * const names[] = {"lacam", "pibt"};
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    for (int32_t k = 0; k < TEST_COUNT(kinds); ++k) {
      const fw_robot_t robots[] = {{.start = 3, .goal = 7}, kinds[k]};
      const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8};
      fw_planner_t planner;
      fw_plan_t plan;
      fw_error_t error = {0};
      assert_int_equal(fw_planner_init(&planner, names[i], NULL, NULL), FW_RET_OK);
      assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, &error), FW_RET_UNSUPPORTED);
      assert_non_null(strstr(error.text, texts[k]));
      fw_planner_fini(&planner);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(crowds_are_solved),
    cmocka_unit_test(a_row_of_robots_moves_up),
    cmocka_unit_test(a_full_ring_turns),
    cmocka_unit_test(robots_pass_in_a_bay),
    cmocka_unit_test(improvement_ends_with_the_least_cost),
    cmocka_unit_test(more_budget_is_never_worse),
    cmocka_unit_test(the_higher_priority_goes_first),
    cmocka_unit_test(priorities_cost_no_instance),
    cmocka_unit_test(costly_floor_is_avoided),
    cmocka_unit_test(nobody_starves_in_a_crowd),
    cmocka_unit_test(traps_are_seen),
    cmocka_unit_test(a_door_that_stays_closed_is_avoided),
    cmocka_unit_test(other_bodies_are_refused_by_name),
  };
  return TEST_RUN(tests);
}
