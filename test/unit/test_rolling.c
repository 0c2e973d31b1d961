// Rolling horizon: one window at a time, goals that change, robots that come and go, doors. Only through the public
// functions, as a fleet that runs without end uses them. What is executed is checked as a whole.

#include <string.h>

#include "base/rng.h"
#include "fleetweave/planner_def.h"
#include "support/test.h"
#include "fleetweave/files.h"

enum { TICKS = 400, PLACES = 24 };

typedef struct life_t {
  fw_grid_t grid;
  fw_rng_t rng;
  fw_robot_t robots[PLACES];
  int32_t robot_count;
  int32_t next_id;
  bool is_mixed;
  fw_problem_t problem;
  fw_planner_t planner;
  fw_plan_t plan;
  int64_t searches;
  int64_t arrivals;
} life_t;

static fw_cell_t free_cell(life_t * life)
{
  for (;;) {
    const fw_cell_t cell = fw__rng_below(&life->rng, fw_grid_cell_count(&life->grid));
    bool is_free = life->grid.cost[cell] != 0;
    for (int32_t r = 0; r < life->robot_count && is_free; ++r) {
      const fw_robot_t * robot = &life->robots[r];
      is_free = robot->start != cell && (robot->arrives == 0 || robot->from != cell);
    }
    if (is_free) {
      return cell;
    }
  }
}

// Fleets of one kind of robots, or of three: plain, slow, and turning ones.
static void add_robot(life_t * life)
{
  fw_robot_t robot = {.start = free_cell(life), .goal = free_cell(life), .id = life->next_id++};
  if (life->is_mixed && robot.id % 3 == 1) {
    robot.ticks_per_move = 3;
  } else if (life->is_mixed && robot.id % 3 == 2) {
    robot.turn_ticks = 2;
    robot.ticks_per_move = 2;
    robot.heading = FW_HEADING_SOUTH;
  }
  life->robots[life->robot_count++] = robot;
}

static void remove_robot(life_t * life, int32_t robot) { life->robots[robot] = life->robots[--life->robot_count]; }

static void begin(life_t * life, const char * planner, const char * map, int32_t robots)
{
  *life = (life_t){.rng = fw__rng(7), .next_id = 1, .is_mixed = life->is_mixed};
  assert_int_equal(fw_grid_make(&life->grid, map, NULL, NULL), FW_RET_OK);
  for (int32_t r = 0; r < robots; ++r) {
    add_robot(life);
  }
  life->problem = (fw_problem_t){.grid = &life->grid, .robots = life->robots, .robust_ticks = 1, .horizon = 4};
  assert_int_equal(fw_planner_init(&life->planner, planner, NULL, NULL), FW_RET_OK);
  if (strcmp(planner, "whca") == 0) {
    assert_int_equal(fw_planner_set(&life->planner, "window", "12", NULL), FW_RET_OK);
  }
}

static void end(life_t * life)
{
  fw_planner_fini(&life->planner);
  fw_grid_fini(&life->grid);
}

static void solve(life_t * life)
{
  fw_error_t error;
  life->problem.robot_count = life->robot_count;
  if (fw_planner_solve(&life->planner, &life->problem, NULL, &life->plan, &error) != FW_RET_OK) {
    fail_msg("%s", error.text);
  }
  fw_conflict_t conflict;
  assert_int_equal(fw_check_plan(&life->problem, &life->plan, NULL, &conflict, NULL), FW_RET_OK);
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(&life->problem, &conflict, text, sizeof(text));
    fail_msg("%s", text);
  }
  assert_true(life->plan.safe_until >= life->problem.horizon);
  for (int32_t i = 0; i < life->plan.stats.counter_count; ++i) {
    life->searches +=
      strcmp(life->plan.stats.counters[i].name, "searches") == 0 ? life->plan.stats.counters[i].value : 0;
  }
}

// All robots execute `ticks` of the plan. Robots that arrive get another goal, which another robot may have as well.
static void drive(life_t * life, fw_tick_t ticks)
{
  for (int32_t r = 0; r < life->robot_count; ++r) {
    fw_robot_advance(&life->robots[r], &life->plan.paths[r], ticks);
  }
  for (int32_t r = 0; r < life->robot_count; ++r) {
    if (life->robots[r].start == life->robots[r].goal && life->robots[r].arrives == 0) {
      ++life->arrivals;
      life->robots[r].goal = fw__rng_below(&life->rng, 3) == 0 ? life->robots[0].goal : free_cell(life);
    }
  }
  life->problem.since = ticks;
}

// Rounds of one to four ticks. The plan of each round is checked; each round starts where the last one has ended, so
// that no robot jumps.
static void live(uint64_t seed)
{
  life_t life = {.is_mixed = seed % 4 >= 2};
  begin(&life, "whca", "warehouse:33x17,seed=2", 12);
  life.rng = fw__rng(seed);
  life.problem.robust_ticks = (int32_t)(seed % 3);
  life.problem.connectivity = seed % 2 == 0 ? 4 : 8;
  for (int32_t tick = 0; tick < TICKS;) {
    solve(&life);
    const fw_tick_t ticks = 1 + fw__rng_below(&life.rng, 4);
    drive(&life, ticks);
    tick += ticks;
    if (fw__rng_below(&life.rng, 6) == 0 && life.robot_count < PLACES) {
      add_robot(&life);
    }
    if (fw__rng_below(&life.rng, 8) == 0 && life.robot_count > 4) {
      remove_robot(&life, fw__rng_below(&life.rng, life.robot_count));
    }
    if (fw__rng_below(&life.rng, 20) == 0) {  // a robot is carried away by hand
      life.robots[1].start = free_cell(&life);
      life.robots[1].arrives = 0;
    }
  }
  assert_true(life.arrivals > (life.is_mixed ? 15 : 40));
  end(&life);
}

static void goals_change_and_robots_come_and_go(void ** state)
{
  (void)state;
  for (uint64_t seed = 0; seed < (uint64_t)test_many_rounds(20); ++seed) {
    live(seed);
  }
}
// With a warm start a planner searches for the robots that are due, not for all.
static void a_warm_start_is_less_work_than_a_cold_one(void ** state)
{
  (void)state;
  int64_t searches[2];
  for (int32_t goes_on = 0; goes_on < 2; ++goes_on) {
    life_t life = {0};
    begin(&life, "whca", "open:40x40", 20);
    for (int32_t round = 0; round < 60; ++round) {
      solve(&life);
      drive(&life, 1);
      life.problem.since = goes_on;
    }
    searches[goes_on] = life.searches;
    end(&life);
  }
  assert_true(searches[0] >= 60 * 20);
  assert_true(searches[1] * 3 < searches[0]);
}

// Each lane has one robot of some kind, which is replaced by one of another kind before it has arrived. Nobody is in
// the way, so that no search is longer than those at the beginning: no more memory is taken once each kind has been in
// each lane.
static void memory_stays_while_robots_come_and_go(void ** state)
{
  (void)state;
  enum { LANES = 5, WIDTH = 36, LANE_ROWS = 5, KINDS = 4, WARM = 40 * LANES * KINDS };
  static const fw_offset_t wide[] = {{0, 0}, {0, 1}};
  static const fw_robot_t kinds[KINDS] = {
    {.ticks_per_move = 1},
    {.footprint = wide, .footprint_count = 2},
    {.turn_ticks = 1, .heading = FW_HEADING_SOUTH},
    {.turn_ticks = 1, .ticks_per_move = 2, .footprint = wide, .footprint_count = 2},
  };
  life_t life = {0};
  begin(&life, "whca", "open:36x25", 0);
  life.robot_count = LANES;
  size_t warm_bytes = 0;
  for (int32_t round = 0; round < 4 * WARM; ++round) {
    for (int32_t lane = 0; lane < LANES; ++lane) {
      if (round == 0 || (round % 4 == 0 && round / 4 % LANES == lane)) {
        const int32_t middle = (lane * LANE_ROWS + LANE_ROWS / 2) * WIDTH;
        life.robots[lane] = kinds[round / (4 * LANES) % KINDS];
        life.robots[lane].id = ++life.next_id;
        life.robots[lane].start = middle + 2 + round % 3;
        life.robots[lane].goal = middle + WIDTH - 3;
      }
    }
    solve(&life);
    warm_bytes = round == WARM ? (size_t)life.plan.stats.memory_peak_bytes : warm_bytes;
    drive(&life, 1);
  }
  assert_int_equal(life.plan.stats.memory_peak_bytes, warm_bytes);
  end(&life);
}

// A door closes and opens. Each problem lists it again, in its own ticks.
static void doors_are_in_the_ticks_of_each_problem(void ** state)
{
  (void)state;
  life_t life = {0};
  begin(&life, "whca", "open:9x1", 0);
  life.robots[0] = (fw_robot_t){.start = 0, .goal = 8};
  life.robot_count = 1;
  fw_tick_t arrival = -1;
  for (fw_tick_t now = 0; now < 40 && arrival < 0; ++now) {
    const fw_closure_t door = {.cell = 4, .from = now > 2 ? 0 : 2 - now, .to = 20 - now};
    life.problem.closures = &door;
    life.problem.closure_count = now <= 20 ? 1 : 0;
    solve(&life);
    life.robots[0].start = fw_path_at(&life.plan.paths[0], 1);
    life.problem.since = 1;
    arrival = life.robots[0].start == 8 ? now + 1 : -1;
  }
  assert_true(arrival >= 25 && arrival <= 26);  // through the door at 21, or a robust tick later
  end(&life);
}

// Planners without a rolling horizon ignore `horizon` and `since`.
static void every_planner_takes_a_rolling_problem(void ** state)
{
  (void)state;
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    life_t life = {0};
    begin(&life, fw_planner_def_at(i)->name, "open:12x12", 4);
    for (int32_t round = 0; round < 10; ++round) {
      for (int32_t r = 0; r < life.robot_count; ++r) {
        life.robots[r].goal = 13 * r + round;
      }
      solve(&life);
      drive(&life, 1);
    }
    end(&life);
  }
}

static void ids_must_differ(void ** state)
{
  (void)state;
  life_t life = {0};
  begin(&life, "whca", "open:5x5", 3);
  life.problem.robot_count = life.robot_count;
  life.robots[2].id = life.robots[0].id;
  fw_error_t error;
  assert_int_equal(fw_planner_solve(&life.planner, &life.problem, NULL, &life.plan, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "robots 0 and 2 have the same id 1");
  life.robots[2].id = -4;
  assert_int_equal(fw_planner_solve(&life.planner, &life.problem, NULL, &life.plan, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "robot 2 has the id -4: it must not be negative");
  end(&life);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(goals_change_and_robots_come_and_go),
    cmocka_unit_test(a_warm_start_is_less_work_than_a_cold_one),
    cmocka_unit_test(memory_stays_while_robots_come_and_go),
    cmocka_unit_test(doors_are_in_the_ticks_of_each_problem),
    cmocka_unit_test(every_planner_takes_a_rolling_problem),
    cmocka_unit_test(ids_must_differ),
  };
  return TEST_RUN(tests);
}
