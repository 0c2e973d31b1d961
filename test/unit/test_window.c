// The window without a planner around it: every robot keeps arriving, searches are spread over the ticks, and what is
// executed is free of conflicts. Transactions and the validation.

#include "planner/window/window.h"

#include <string.h>

#include "planner/window/transaction.h"
#include "support/draw.h"
#include "support/test.h"
#include "world/problem.h"

enum { TICKS = 1000, ROBOTS = 10 };

typedef struct life_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_meter_t meter;
  fw_planner_context_t context;
  fw_robot_t robots[ROBOTS];
  fw_problem_t problem;
  fw_fleet_t fleet;
  fw_window_t window;
  fw_cell_t trace[ROBOTS][TICKS];
  int32_t arrivals[ROBOTS];
  int32_t most_searches;
} life_t;

static void begin(life_t * life, const fw_problem_t * problem, int32_t window)
{
  memset(life, 0, sizeof(*life));
  life->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&life->arena, &life->memory);
  fw__meter_start(&life->meter, NULL);
  life->context = (fw_planner_context_t){.scratch = &life->arena, .meter = &life->meter, .threads = 1};
  life->problem = fw__problem_normalise(problem, &life->arena);
  memcpy(life->robots, life->problem.robots, (size_t)problem->robot_count * sizeof(*life->robots));
  life->problem.robots = life->robots;
  assert_int_equal(fw__fleet_init(&life->fleet, &life->context, &life->problem, NULL), FW_FLEET_READY);
  fw_window_options_t options = fw__window_options_default();
  options.window = window;
  assert_true(fw__window_init(&life->window, &life->fleet, &life->meter, &options));
}

// Each robot goes to and fro between its start and its goal. At times two robots have the same goal: they take turns.
static void live(life_t * life, const fw_problem_t * problem)
{
  for (int32_t tick = 0; tick < TICKS; ++tick) {
    const int64_t before = life->window.counts.searches;
    for (int32_t r = 0; r < problem->robot_count; ++r) {
      const fw_cell_t place = fw__window_place(&life->window, r, tick);
      life->trace[r][tick] = place;
      if (tick > 0 && place == life->robots[r].goal) {
        ++life->arrivals[r];
        const fw_robot_t * ends = &problem->robots[r];
        life->robots[r].goal = place == ends->goal ? ends->start : ends->goal;
        assert_true(fw__window_goal_changed(&life->window, r));
      }
    }
    assert_true(fw__window_plan(&life->window));
    const int32_t searches = (int32_t)(life->window.counts.searches - before);
    life->most_searches = tick > 0 && searches > life->most_searches ? searches : life->most_searches;
    (void)fw__window_step(&life->window);
  }
}

static void assert_executed_without_conflict(const life_t * life, const fw_problem_t * problem)
{
  fw_path_t paths[ROBOTS];
  for (int32_t r = 0; r < life->problem.robot_count; ++r) {
    paths[r] = (fw_path_t){.cells = life->trace[r], .length = TICKS};
  }
  fw_conflict_t conflict;
  assert_int_equal(fw_check_paths(problem, paths, problem->robot_count, TICKS - 1, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
}

// Ten robots go to and fro through one crossing of narrow corridors: in a thousand ticks each of them keeps arriving.
static void every_robot_keeps_arriving_at_a_crossing(void ** state)
{
  (void)state;
  DRAW(
    grid, "####..####",  //
    "####..####", "####..####", "####..####", "..........", "..........", "####..####", "####..####", "####..####",
    "####..####");
  const fw_robot_t robots[ROBOTS] = {
    {.start = 40, .goal = 49}, {.start = 50, .goal = 59}, {.start = 49, .goal = 50}, {.start = 59, .goal = 40},
    {.start = 4, .goal = 94},  {.start = 5, .goal = 95},  {.start = 94, .goal = 5},  {.start = 95, .goal = 4},
    {.start = 41, .goal = 84}, {.start = 15, .goal = 58},
  };
  for (int32_t robust = 0; robust < 2; ++robust) {
    for (int32_t window = 8; window <= 32; window *= 2) {
      static life_t life;
      const fw_problem_t problem = {
        .grid = &grid, .robots = robots, .robot_count = ROBOTS, .connectivity = 4, .robust_ticks = robust};
      begin(&life, &problem, window);
      live(&life, &problem);
      assert_executed_without_conflict(&life, &problem);
      for (int32_t r = 0; r < ROBOTS; ++r) {
        if (life.arrivals[r] < 8) {
          fail_msg("window %d, k = %d: robot %d arrived %d times", window, robust, r, life.arrivals[r]);
        }
      }
      fw__arena_fini(&life.arena);
    }
  }
}

// Robots that disturb no other plan once in half a window, and not all in one tick.
static void searches_are_spread_over_the_ticks(void ** state)
{
  (void)state;
  DRAW(
    grid, "..............",  //
    "..............", "..............", "..............", "..............", "..............", "..............",
    "..............", "..............", "..............");
  fw_robot_t robots[ROBOTS];
  for (int32_t r = 0; r < ROBOTS; ++r) {
    robots[r] = (fw_robot_t){.start = r * 14, .goal = r * 14 + 13};
  }
  static life_t life;
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = ROBOTS, .connectivity = 4};
  begin(&life, &problem, 20);
  for (int32_t tick = 0; tick < 12; ++tick) {  // before the first arrival
    const int64_t before = life.window.counts.searches;
    assert_true(fw__window_plan(&life.window));
    const int64_t searches = life.window.counts.searches - before;
    assert_true(tick == 0 ? searches == ROBOTS : searches <= 2);  // 2 n / window = 1
    (void)fw__window_step(&life.window);
  }
  fw__arena_fini(&life.arena);
}

// A robot of high priority does not wait for robots that can make way.
static void the_highest_priority_goes_through(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##");
  const fw_robot_t robots[] = {{.start = 2, .goal = 2}, {.start = 0, .goal = 4, .priority = 1}};
  static life_t life;
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};
  begin(&life, &problem, 8);
  for (int32_t tick = 0; tick < 4; ++tick) {
    assert_true(fw__window_plan(&life.window));
    (void)fw__window_step(&life.window);
  }
  assert_int_equal(fw__window_place(&life.window, 1, 4), 4);
  assert_true(life.window.counts.overridden <= 1 && life.window.counts.stops == 0);
  fw__arena_fini(&life.arena);
}

// Two robots in a corridor with goals in the wrong order, and a detour that is longer than the window. On their own
// they can only push each other; a negotiation finds that one of them has to leave the corridor.
static void goals_in_the_wrong_order_are_negotiated(void ** state)
{
  (void)state;
  DRAW(grid, "..............", ".############.", "..............", ".############.", "..............");
  const fw_robot_t robots[] = {{.start = 31, .goal = 36}, {.start = 38, .goal = 33}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};
  for (int32_t patience = 0; patience <= 4; patience += 4) {
    static life_t life;
    begin(&life, &problem, 8);
    life.window.options.patience = patience;
    bool have_arrived = false;
    for (int32_t tick = 0; tick < 300 && !have_arrived; ++tick) {
      assert_true(fw__window_plan(&life.window));
      have_arrived = fw__window_step(&life.window);
    }
    assert_int_equal(have_arrived, patience > 0);
    assert_int_equal(life.window.counts.negotiations > 0, patience > 0);
    fw__arena_fini(&life.arena);
  }
}

// A transaction that is rolled back leaves every plan and every reservation as it was.
static void a_rolled_back_transaction_changes_nothing(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}, {.start = 11, .goal = 6}};
  static life_t life;
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};
  begin(&life, &problem, 8);
  fw_window_t * window = &life.window;
  assert_true(fw__window_plan(window));
  fw_cell_t before[2][8];
  for (int32_t r = 0; r < 2; ++r) {
    for (fw_tick_t tick = 0; tick < 8; ++tick) {
      before[r][tick] = fw__window_place(window, r, tick);
    }
  }
  assert_true(fw__transaction_withdraw(window, 0, 1));
  assert_false(fw__transaction_withdraw(window, 1, 1));  // no more than one
  assert_true(fw__transaction_withdraw(window, 1, 2));
  assert_false(fw__window_validate(window));  // a transaction is open
  assert_int_equal(fw__reservations_owner(&window->table, life.fleet.places->node_of[before[0][3]], 3), -1);
  assert_true(fw__window_reserve_minimum(window, 1));
  fw__transaction_roll_back(window);
  assert_true(fw__window_validate(window));
  for (int32_t r = 0; r < 2; ++r) {
    for (fw_tick_t tick = 0; tick < 8; ++tick) {
      assert_int_equal(fw__window_place(window, r, tick), before[r][tick]);
      assert_int_equal(fw__reservations_owner(&window->table, life.fleet.places->node_of[before[r][tick]], tick), r);
    }
  }
  fw__arena_fini(&life.arena);
}

// The goal of robot 0 was reserved up to when robot 1 would have crossed it. Robot 1 has another plan since. A change
// that is rolled back must not reserve the goal for longer than before: somebody may have found a path over it since.
static void a_rolled_back_goal_is_reserved_as_long_as_before(void ** state)
{
  (void)state;
  DRAW(grid, ".....", ".....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 4, .goal = 9}};
  static life_t life;
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};
  begin(&life, &problem, 8);
  fw_window_t * window = &life.window;
  const fw_cell_t to_goal[] = {0, 1};
  const fw_cell_t across[] = {4, 4, 4, 4, 4, 4, 3, 2, 1, 6};
  const fw_cell_t aside[] = {4, 9};
  assert_true(fw__transaction_withdraw(window, 0, 2) && fw__transaction_withdraw(window, 1, 2));
  assert_true(fw__transaction_assign(window, 1, (fw_path_t){.cells = across, .length = 10}, 12));
  assert_true(fw__transaction_assign(window, 0, (fw_path_t){.cells = to_goal, .length = 2}, 4));
  fw__transaction_commit(window);
  assert_int_equal(window->table.bookings[0].until, 7);
  assert_true(fw__transaction_withdraw(window, 1, 2));
  assert_true(fw__transaction_assign(window, 1, (fw_path_t){.cells = aside, .length = 2}, 12));
  fw__transaction_commit(window);
  assert_true(fw__transaction_withdraw(window, 0, 2));
  fw__transaction_roll_back(window);
  assert_int_equal(window->table.bookings[0].until, 7);
  assert_true(fw__window_validate(window));
  fw__arena_fini(&life.arena);
}

static void a_corrupted_window_is_found(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}, {.start = 11, .goal = 6}};
  static life_t life;
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};
  begin(&life, &problem, 8);
  assert_true(fw__window_plan(&life.window));
  assert_true(fw__window_validate(&life.window));
  fw_window_plan_t * plan = &life.window.plans[1];
  const fw_window_plan_t good = *plan;
  plan->length -= 1;  // not what is reserved
  assert_false(fw__window_validate(&life.window));
  *plan = good;
  plan->until = -1;  // ends before the present
  assert_false(fw__window_validate(&life.window));
  *plan = good;
  life.window.is_withdrawn[0] = true;  // without a transaction
  assert_false(fw__window_validate(&life.window));
  life.window.is_withdrawn[0] = false;
  assert_true(fw__window_validate(&life.window));
  fw__arena_fini(&life.arena);
}

// Robots plan as far ahead as it is crowded around them: three others on the nine cells of a room are more than a
// quarter, in the hall is nobody else, and the two in the corridor are in between.
static void depth_grows_with_the_crowd(void ** state)
{
  (void)state;
  DRAW(
    grid,                                         //
    "...######################################",  //
    "...##########..........##########........",  //
    "...######################################");
  const fw_robot_t robots[] = {{.start = 0, .goal = 0},   {.start = 2, .goal = 2},   {.start = 42, .goal = 42},
                               {.start = 84, .goal = 84}, {.start = 54, .goal = 54}, {.start = 62, .goal = 62},
                               {.start = 81, .goal = 81}};
  static life_t life;
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 7, .connectivity = 4};
  const int32_t settings[][3] = {{16, 0, 16}, {16, 64, 37}, {64, 16, 43}};  // window, crowded_window, in the corridor
  for (int32_t i = 0; i < TEST_COUNT(settings); ++i) {
    begin(&life, &problem, settings[i][0]);
    life.window.options.crowded_window = settings[i][1];
    assert_true(fw__window_plan(&life.window));
    const int32_t crowded = settings[i][1] > 0 ? settings[i][1] : settings[i][0];
    for (int32_t r = 0; r < 4; ++r) {
      assert_int_equal(life.window.depths[r], crowded);
      assert_in_range(life.window.plans[r].until, crowded / 2, crowded);
    }
    assert_int_equal(life.window.depths[6], settings[i][0]);
    assert_int_equal(life.window.depths[4], settings[i][2]);  // one of the nine cells within eight is covered
    assert_true(fw__window_validate(&life.window));
    fw__arena_fini(&life.arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_robot_keeps_arriving_at_a_crossing),
    cmocka_unit_test(searches_are_spread_over_the_ticks),
    cmocka_unit_test(the_highest_priority_goes_through),
    cmocka_unit_test(goals_in_the_wrong_order_are_negotiated),
    cmocka_unit_test(a_rolled_back_transaction_changes_nothing),
    cmocka_unit_test(a_rolled_back_goal_is_reserved_as_long_as_before),
    cmocka_unit_test(a_corrupted_window_is_found),
    cmocka_unit_test(depth_grows_with_the_crowd),
  };
  return TEST_RUN(tests);
}
