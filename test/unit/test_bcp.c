// bcp: which robots give way, what is left to waits and to safe_until, and the warm start.

#include "fleetweave/planner_def.h"
#include "fleetweave/search.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

typedef struct setting_t {
  const char * name;
  const char * value;
} setting_t;

enum { SETTINGS_MAX = 4 };
typedef struct settings_t {
  setting_t of[SETTINGS_MAX];
} settings_t;

static void begin(fw_planner_t * planner, settings_t settings)
{
  assert_int_equal(fw_planner_init(planner, "bcp", NULL, NULL), FW_RET_OK);
  for (int32_t i = 0; i < SETTINGS_MAX && settings.of[i].name != NULL; ++i) {
    assert_int_equal(fw_planner_set(planner, settings.of[i].name, settings.of[i].value, NULL), FW_RET_OK);
  }
}

static void solve(fw_planner_t * planner, const fw_problem_t * problem, fw_plan_t * plan)
{
  fw_conflict_t conflict;
  fw_error_t error;
  if (fw_planner_solve(planner, problem, NULL, plan, &error) != FW_RET_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(fw_check_plan(problem, plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
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

static const fw_parameter_def_t * find_parameter(const char * name)
{
  const fw_planner_def_t * def = fw_planner_def_find("bcp");
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    if (strcmp(def->parameters[i].name, name) == 0) {
      return &def->parameters[i];
    }
  }
  fail_msg("no parameter %s", name);
  return NULL;
}

// Whoever has the higher priority goes straight on, whichever index it has; the other one around it.
static void the_lower_one_goes_around(void ** state)
{
  (void)state;
  DRAW(grid, ".......", ".......", ".......");
  const fw_parameter_def_t * searches = find_parameter("search");
  for (int32_t first = 0; first < 2; ++first) {
    for (int32_t s = 0; s <= searches->max; ++s) {
      const fw_robot_t robots[] = {
        {.start = 7, .goal = 13, .priority = first == 0}, {.start = 13, .goal = 7, .priority = first == 1}};
      const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
      fw_planner_t planner;
      fw_plan_t plan;
      begin(&planner, (settings_t){{{"search", searches->choices[s]}}});
      solve(&planner, &problem, &plan);
      assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
      assert_int_equal(fw_paths_makespan(&plan.paths[first], 1), 6);
      assert_int_equal(plan.stats.sum_of_costs, 6 + 8);
      assert_true(counter(&plan, "virtual_costs") > 0);
      assert_int_equal(counter(&plan, "collisions_left"), 0);
      fw_planner_fini(&planner);
    }
  }
}

// Searches that take a cost of each cell and are not offered: two ignore it, one is A* then, and two do what ida does.
static bool is_left_out(const fw_router_def_t * def)
{
  static const char * const names[] = {"auto", "breadth", "depth", "deepening", "fringe"};
  bool is_named = false;
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    is_named = is_named || strcmp(def->name, names[i]) == 0;
  }
  return is_named;
}

// Every other search of the toolbox that takes a cost of each cell can be chosen; one that is not offered is refused,
// and those are named.
static void searches_that_take_costs_can_be_chosen(void ** state)
{
  (void)state;
  const fw_parameter_def_t * searches = find_parameter("search");
  fw_planner_t planner;
  begin(&planner, (settings_t){0});
  int32_t taken = 0;
  for (int32_t i = 0; i < fw_router_def_count(); ++i) {
    const fw_router_def_t * def = fw_router_def_at(i);
    fw_error_t error = {0};
    const bool is_offered = def->takes_terrain && !is_left_out(def);
    const fw_ret_t ret = fw_planner_set(&planner, "search", def->name, &error);
    assert_int_equal(ret, is_offered ? FW_RET_OK : FW_RET_INVALID_ARGUMENT);
    for (int32_t k = 0; k <= searches->max && ret != FW_RET_OK; ++k) {
      assert_non_null(strstr(error.text, searches->choices[k]));
    }
    taken += is_offered;
  }
  assert_int_equal(taken + 1, searches->max + 1);  // and spacetime_astar
  fw_planner_fini(&planner);
}

static fw_cost_t steps_by(const char * search, const fw_problem_t * problem)
{
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){{{"search", search}, {"bias", "cost"}}});
  solve(&planner, problem, &plan);
  const fw_cost_t steps = plan.outcome == FW_OUTCOME_SOLVED ? plan.stats.sum_of_costs : -1;
  fw_planner_fini(&planner);
  return steps;
}

// Crowds of all kinds of robots, also large, slow and turning ones: the searches of src/search do about as well as A*.
static void every_search_plans_crowds(void ** state)
{
  (void)state;
  const char * const searches[] = {"astar", "greedy", "dijkstra", "bank", "bidirectional", "ida", "hpa"};
  const int32_t kinds[] = {WORLD_ALL, WORLD_ALL | WORLD_HEADINGS, WORLD_DIAGONALS};
  int32_t solved[TEST_COUNT(searches)] = {0};
  for (uint64_t number = 0; number < 24; ++number) {
    world_t world;
    world_make(&world, 6100 + number, kinds[number % 3], 6);
    for (int32_t s = 0; s < TEST_COUNT(searches); ++s) {
      solved[s] += steps_by(searches[s], &world.problem) >= 0;
    }
    world_fini(&world);
  }
  for (int32_t s = 1; s < TEST_COUNT(searches); ++s) {
    assert_true(solved[0] > 4);
    assert_in_range(solved[s], solved[0] - 3, solved[0] + 3);
  }
}

// Where the floor is dear a virtual cost counts beside it: one goes around by the cheap side.
static void virtual_costs_add_to_terrain(void ** state)
{
  (void)state;
  DRAW(grid, ".......", ".......", ".......");
  for (fw_cell_t cell = 1; cell < 6; ++cell) {
    grid.cost[cell] = 7;
  }
  const fw_robot_t robots[] = {{.start = 7, .goal = 13, .priority = 1}, {.start = 13, .goal = 7}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  const char * const searches[] = {"astar", "dijkstra", "bank", "bidirectional", "hpa"};
  for (int32_t s = 0; s < TEST_COUNT(searches); ++s) {
    fw_planner_t planner;
    fw_plan_t plan;
    begin(&planner, (settings_t){{{"search", searches[s]}}});
    solve(&planner, &problem, &plan);
    assert_int_equal(plan.stats.sum_of_costs, 6 + 8);
    for (int32_t i = 0; i < plan.paths[1].length; ++i) {
      assert_true(plan.paths[1].cells[i] >= 7);
    }
    fw_planner_fini(&planner);
  }
}

// Two lanes that cross: there is no way around. Plain A* leaves it to the wait at the end; a search through time waits
// by itself; and without waits the plan is safe up to the tick before.
static void who_has_no_way_around_waits(void ** state)
{
  (void)state;
  DRAW(grid, "##.##", "##.##", ".....", "##.##", "##.##");
  const fw_robot_t robots[] = {{.start = 10, .goal = 14}, {.start = 2, .goal = 22}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){0});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(plan.stats.sum_of_costs, 4 + 5);
  assert_int_equal(counter(&plan, "robots_made_to_wait"), 1);
  fw_planner_fini(&planner);

  begin(&planner, (settings_t){{{"search", "spacetime_astar"}}});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(plan.stats.sum_of_costs, 4 + 5);
  assert_int_equal(counter(&plan, "robots_made_to_wait"), 0);
  fw_planner_fini(&planner);

  begin(&planner, (settings_t){{{"waits", "false"}}});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
  assert_int_equal(plan.safe_until, 1);
  fw_planner_fini(&planner);
}

// Waits do not help where both want through a lane: they come as near as they can.
static void a_lane_without_a_bay_is_safe_until_they_meet(void ** state)
{
  (void)state;
  DRAW(grid, "........");
  const fw_robot_t robots[] = {{.start = 0, .goal = 7}, {.start = 7, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){0});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
  assert_int_equal(plan.stop, FW_STOP_DONE);
  assert_in_range(plan.safe_until, 3, 6);
  fw_planner_fini(&planner);

  // A horizon beyond that is kept by waiting.
  fw_problem_t rolling = problem;
  rolling.horizon = 30;
  begin(&planner, (settings_t){0});
  solve(&planner, &rolling, &plan);
  assert_int_equal(plan.safe_until, 30);
  fw_planner_fini(&planner);
}

// A robot on its goal cannot be driven off by virtual costs: others go around it, also those of higher priority.
static void who_stands_on_its_goal_is_gone_around(void ** state)
{
  (void)state;
  DRAW(grid, ".....", ".....", ".....");
  const fw_robot_t robots[] = {{.start = 5, .goal = 9, .priority = 3}, {.start = 7, .goal = 7}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){0});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(plan.stats.sum_of_costs, 6);
  assert_int_equal(fw_paths_makespan(&plan.paths[1], 1), 0);
  fw_planner_fini(&planner);
}

// By a search through time it can be: it leaves its goal while the other passes, and comes back.
static void who_stands_on_its_goal_makes_way_in_time(void ** state)
{
  (void)state;
  DRAW(grid, "##.##", ".....");
  const fw_robot_t robots[] = {{.start = 5, .goal = 9, .priority = 3}, {.start = 7, .goal = 7}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){{{"search", "spacetime_astar"}}});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(plan.stats.sum_of_costs, 4 + 3);  // away, a tick there, and back
  assert_int_equal(fw_paths_makespan(&plan.paths[0], 1), 4);
  fw_planner_fini(&planner);
}

// Doors: robots wait for them, whatever search is chosen.
static void doors_are_waited_for(void ** state)
{
  (void)state;
  DRAW(grid, "..#..", "..#..", ".....", "..#..");
  const fw_robot_t robots[] = {{.start = 10, .goal = 14}};
  const fw_closure_t door = {.cell = 12, .from = 1, .to = 8};
  const fw_problem_t problem = {
    .grid = &grid, .robots = robots, .robot_count = 1, .closures = &door, .closure_count = 1};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){{{"search", "astar"}}});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(plan.stats.makespan, 11);
  fw_planner_fini(&planner);
}

// Closures need no robust ticks: a robot on a cell that closes leaves at once, and no plan lets it stay.
static void who_stands_where_it_closes_leaves(void ** state)
{
  (void)state;
  DRAW(grid, "...#....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 2}, {.start = 4, .goal = 7}};
  const fw_closure_t door = {.cell = 0, .from = 1, .to = 30};
  const fw_problem_t problem = {
    .grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 2, .closures = &door, .closure_count = 1};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){0});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  fw_planner_fini(&planner);
}

// With a path limit the plan is safe up to it, and the next one continues from there.
static void a_path_limit_plans_piece_by_piece(void ** state)
{
  (void)state;
  DRAW(grid, "..........", "..........", "..........");
  fw_robot_t robots[] = {{.start = 10, .goal = 19}, {.start = 19, .goal = 10}, {.start = 4, .goal = 24}};
  fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){{{"path_limit", "4"}}});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
  assert_in_range(plan.safe_until, 2, 4);
  int32_t rounds = 0;
  for (; rounds < 40 && plan.outcome != FW_OUTCOME_SOLVED; ++rounds) {
    for (int32_t r = 0; r < 3; ++r) {
      robots[r].start = fw_path_at(&plan.paths[r], 1);
    }
    problem.since = 1;
    solve(&planner, &problem, &plan);
  }
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  fw_planner_fini(&planner);
}

// Virtual costs stay while their collision is ahead and vanish when it is past; no robot searches again in between.
static void virtual_costs_last_until_the_collision(void ** state)
{
  (void)state;
  DRAW(grid, "..........", "..........", "..........");
  fw_robot_t robots[] = {{.start = 10, .goal = 19}, {.start = 19, .goal = 10}};
  fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){0});
  solve(&planner, &problem, &plan);
  const int64_t given = counter(&plan, "virtual_costs");
  assert_true(given > 0);
  assert_int_equal(counter(&plan, "virtual_costs_kept"), 0);
  int64_t kept = given;
  int32_t without_search = 0;
  for (int32_t tick = 1; tick <= 8; ++tick) {
    for (int32_t r = 0; r < 2; ++r) {
      robots[r].start = fw_path_at(&plan.paths[r], 1);
    }
    problem.since = 1;
    solve(&planner, &problem, &plan);
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(counter(&plan, "virtual_costs"), 0);  // the old ones are enough
    const int64_t now = counter(&plan, "virtual_costs_kept");
    assert_true(now <= kept);
    assert_true(tick > 3 || now == given);  // they meet in the middle, at tick 5
    without_search += counter(&plan, "searches") == 0 ? 1 : 0;
    kept = now;
  }
  assert_int_equal(kept, 0);
  assert_true(without_search >= 4);

  // A new story knows nothing of it.
  robots[0].start = 10;
  robots[1].start = 19;
  problem.since = 0;
  solve(&planner, &problem, &plan);
  assert_int_equal(counter(&plan, "virtual_costs_kept"), 0);
  assert_int_equal(counter(&plan, "virtual_costs"), given);
  // Nor does one on another map.
  DRAW(other, "..........", ".........#", "..........");
  robots[0].goal = 18;
  robots[1].start = 18;
  problem.grid = &other;
  problem.since = 1;
  solve(&planner, &problem, &plan);
  assert_int_equal(counter(&plan, "virtual_costs_kept"), 0);
  fw_planner_fini(&planner);
}

// Rolling on in a crowd whose goals change, tick by tick: every plan holds and goals are reached all the time.
static void a_fleet_that_rolls_on(void ** state)
{
  (void)state;
  const settings_t settings[] = {
    {{{"path_limit", "12"}}}, {{{"search", "spacetime_astar"}, {"path_limit", "10"}}}, {{{"collisions", "first"}}}};
  for (int32_t s = 0; s < TEST_COUNT(settings); ++s) {
    DRAW(
      grid, "............", "............", "............", "............", "............", "............",
      "............", "............", "............", "............");
    fw_rng_t rng = fw__rng(5);
    fw_robot_t robots[12];
    for (int32_t r = 0; r < 12; ++r) {
      robots[r] = (fw_robot_t){.start = r * 10, .goal = 119 - r * 9, .id = 100 + r};
    }
    fw_problem_t problem = {
      .grid = &grid, .robots = robots, .robot_count = 12, .connectivity = 8, .robust_ticks = 1, .horizon = 2};
    fw_planner_t planner;
    fw_plan_t plan;
    begin(&planner, settings[s]);
    int32_t arrivals = 0;
    for (int32_t tick = 0; tick < 200; ++tick) {
      solve(&planner, &problem, &plan);
      assert_true(plan.safe_until >= 2);
      for (int32_t r = 0; r < 12; ++r) {
        robots[r].start = fw_path_at(&plan.paths[r], 1);
        if (robots[r].start == robots[r].goal) {
          ++arrivals;
          robots[r].goal = fw__rng_below(&rng, 120);
        }
      }
      problem.since = 1;
    }
    assert_true(arrivals > 150);  // ways are about five moves long
    fw_planner_fini(&planner);
  }
}

// More iterations leave fewer collisions, on average over crowds.
static void iterations_leave_fewer_collisions(void ** state)
{
  (void)state;
  const char * const iterations[] = {"0", "1", "4", "16", "64"};
  int64_t left[TEST_COUNT(iterations)] = {0};
  for (uint64_t number = 0; number < 60; ++number) {
    world_t world;
    world_make(&world, 5100 + number, WORLD_DIAGONALS, 10);
    for (int32_t i = 0; i < TEST_COUNT(iterations); ++i) {
      fw_planner_t planner;
      fw_plan_t plan;
      begin(&planner, (settings_t){{{"iterations", iterations[i]}, {"patience", "0"}}});
      solve(&planner, &world.problem, &plan);
      left[i] += plan.outcome == FW_OUTCOME_UNSOLVABLE ? 0 : counter(&plan, "collisions_left");
      fw_planner_fini(&planner);
    }
    world_fini(&world);
  }
  for (int32_t i = 1; i < TEST_COUNT(iterations); ++i) {
    assert_true(left[i] < left[i - 1]);
  }
}

// ---- the algorithm as published -------------------------------------------------------------------------------------

// Biasing alone, without waits, leads robots past each other: both collide without it, and with it the one of lower
// priority goes around. This fails when virtual costs have no effect.
static void biasing_alone_resolves_collisions(void ** state)
{
  (void)state;
  DRAW(grid, ".......", ".......", ".......");
  for (int32_t first = 0; first < 2; ++first) {
    const fw_robot_t robots[] = {
      {.start = 7, .goal = 13, .priority = first == 0}, {.start = 13, .goal = 7, .priority = first == 1}};
    const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
    const settings_t settings[] = {{{{"plain", "true"}}}, {{{"waits", "false"}}}};
    for (int32_t s = 0; s < TEST_COUNT(settings); ++s) {
      fw_planner_t planner;
      fw_plan_t plan;
      begin(&planner, settings[s]);
      solve(&planner, &problem, &plan);
      assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
      assert_int_equal(fw_paths_makespan(&plan.paths[first], 1), 6);
      assert_true(plan.stats.sum_of_costs > 6 + 6);

      assert_int_equal(fw_planner_set(&planner, "iterations", "0", NULL), FW_RET_OK);
      solve(&planner, &problem, &plan);
      assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
      assert_int_equal(plan.safe_until, 2);  // they meet at tick 3
      fw_planner_fini(&planner);
    }
  }
}

// Units come down on a hero, as in the paper: it keeps its straight path and they leave it, by biasing alone.
static void a_hero_is_made_way_for(void ** state)
{
  (void)state;
  DRAW(
    grid, ".........", ".........", ".........", ".........", ".........", ".........", ".........", ".........",
    ".........", ".........", ".........");
  const fw_robot_t robots[] = {
    {.start = 10 * 9 + 4, .goal = 4, .priority = 1},
    {.start = 9 + 4, .goal = 8 * 9 + 4},
    {.start = 3 * 9 + 4, .goal = 10 * 9 + 4}};
  const fw_problem_t problem = {
    .grid = &grid, .robots = robots, .robot_count = 3, .connectivity = 8, .robust_ticks = 1};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){{{"plain", "true"}}});
  solve(&planner, &problem, &plan);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_true(counter(&plan, "collisions_at_first") > 0);
  assert_int_equal(counter(&plan, "robots_made_to_wait"), 0);
  for (int32_t i = 0; i < plan.paths[0].length; ++i) {
    assert_int_equal(plan.paths[0].cells[i], (10 - i) * 9 + 4);
  }
  fw_planner_fini(&planner);
}

// By the Euclidean heuristic a lone robot keeps to the straight line; by true distances any shortest path will do.
static void the_euclidean_heuristic_is_straight(void ** state)
{
  (void)state;
  DRAW(grid, ".........", ".........", ".........", ".........", ".........");
  const fw_robot_t robots[] = {{.start = 2 * 9, .goal = 2 * 9 + 8}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 1, .connectivity = 8};
  const char * const heuristics[] = {"true_distance", "euclidean"};
  int32_t off_line[2] = {0};
  for (int32_t h = 0; h < 2; ++h) {
    fw_planner_t planner;
    fw_plan_t plan;
    begin(&planner, (settings_t){{{"heuristic", heuristics[h]}}});
    solve(&planner, &problem, &plan);
    assert_int_equal(plan.stats.sum_of_costs, 8);
    for (int32_t i = 0; i < plan.paths[0].length; ++i) {
      off_line[h] += plan.paths[0].cells[i] / 9 == 2 ? 0 : 1;
    }
    fw_planner_fini(&planner);
  }
  assert_true(off_line[0] > 0);
  assert_int_equal(off_line[1], 0);
}

// A robot that follows too closely collides by the paper's rules and gets a virtual cost; ours leaves that to a wait.
static void plain_makes_no_exceptions(void ** state)
{
  (void)state;
  DRAW(grid, "........", "........", "........");
  const fw_robot_t robots[] = {{.start = 9, .goal = 14, .priority = 1}, {.start = 8, .goal = 13}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, (settings_t){{{"plain", "true"}}});
  solve(&planner, &problem, &plan);
  assert_true(counter(&plan, "virtual_costs") > 0);
  fw_planner_fini(&planner);
  begin(&planner, (settings_t){0});
  solve(&planner, &problem, &plan);
  assert_int_equal(counter(&plan, "virtual_costs"), 0);
  assert_int_equal(counter(&plan, "robots_made_to_wait"), 1);
  fw_planner_fini(&planner);
}

// Whatever else is set, plain is the paper's: the other parameters do not change its paths.
static void plain_overrides_other_settings(void ** state)
{
  (void)state;
  for (uint64_t number = 0; number < 20; ++number) {
    world_t world;
    world_make(&world, 7100 + number, number % 2 == 0 ? WORLD_DIAGONALS : WORLD_ALL | WORLD_HEADINGS, 6);
    fw_planner_t planners[2];
    fw_plan_t plans[2];
    begin(&planners[0], (settings_t){{{"plain", "true"}}});
    begin(&planners[1], (settings_t){{{"plain", "true"}, {"sigma", "30"}, {"collisions", "all"}, {"patience", "1"}}});
    for (int32_t i = 0; i < 2; ++i) {
      solve(&planners[i], &world.problem, &plans[i]);
    }
    assert_int_equal(plans[0].outcome, plans[1].outcome);
    assert_int_equal(plans[0].safe_until, plans[1].safe_until);
    for (int32_t r = 0; r < world.problem.robot_count && plans[0].outcome != FW_OUTCOME_UNSOLVABLE; ++r) {
      assert_int_equal(plans[0].paths[r].length, plans[1].paths[r].length);
      assert_memory_equal(
        plans[0].paths[r].cells, plans[1].paths[r].cells,
        (size_t)plans[0].paths[r].length * sizeof(*plans[0].paths[r].cells));
    }
    for (int32_t i = 0; i < 2; ++i) {
      fw_planner_fini(&planners[i]);
    }
    world_fini(&world);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_lower_one_goes_around),
    cmocka_unit_test(searches_that_take_costs_can_be_chosen),
    cmocka_unit_test(every_search_plans_crowds),
    cmocka_unit_test(virtual_costs_add_to_terrain),
    cmocka_unit_test(who_has_no_way_around_waits),
    cmocka_unit_test(a_lane_without_a_bay_is_safe_until_they_meet),
    cmocka_unit_test(who_stands_on_its_goal_is_gone_around),
    cmocka_unit_test(who_stands_on_its_goal_makes_way_in_time),
    cmocka_unit_test(doors_are_waited_for),
    cmocka_unit_test(who_stands_where_it_closes_leaves),
    cmocka_unit_test(a_path_limit_plans_piece_by_piece),
    cmocka_unit_test(virtual_costs_last_until_the_collision),
    cmocka_unit_test(a_fleet_that_rolls_on),
    cmocka_unit_test(iterations_leave_fewer_collisions),
    cmocka_unit_test(biasing_alone_resolves_collisions),
    cmocka_unit_test(a_hero_is_made_way_for),
    cmocka_unit_test(the_euclidean_heuristic_is_straight),
    cmocka_unit_test(plain_makes_no_exceptions),
    cmocka_unit_test(plain_overrides_other_settings),
  };
  return TEST_RUN(tests);
}
