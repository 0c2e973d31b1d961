// `whca` with a rolling horizon where robots fill most of the floor: every round ends within its effort, every plan is
// safe, and the fleet keeps moving, by steps of PIBT where there is no other plan.

#include <string.h>

#include "base/rng.h"
#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "support/test.h"

enum { ROBOTS_MAX = 64, TICKS_MAX = 300 };

typedef struct crowd_t {
  fw_grid_t grid;
  fw_rng_t rng;
  fw_robot_t first[ROBOTS_MAX];
  fw_robot_t robots[ROBOTS_MAX];
  fw_problem_t problem;
  fw_planner_t planner;
  fw_plan_t plan;
  fw_budget_t budget;
  fw_cell_t driven[ROBOTS_MAX][TICKS_MAX + 1];
  int32_t ticks;
  int64_t goals;
  int64_t states_most;  // in a round, but for the first
  int64_t stepped;      // robots with a plan from steps
  uint64_t sum;         // of all places
} crowd_t;

static bool is_taken(const crowd_t * crowd, fw_cell_t cell, bool is_goal)
{
  bool is_taken = crowd->grid.cost[cell] == 0;
  for (int32_t r = 0; r < crowd->problem.robot_count && !is_taken; ++r) {
    is_taken = (is_goal ? crowd->robots[r].goal : crowd->robots[r].start) == cell;
  }
  return is_taken;
}

static fw_cell_t draw(crowd_t * crowd, bool is_goal)
{
  fw_cell_t cell = fw__rng_below(&crowd->rng, fw_grid_cell_count(&crowd->grid));
  while (is_taken(crowd, cell, is_goal)) {
    cell = (cell + 1) % fw_grid_cell_count(&crowd->grid);
  }
  return cell;
}

static void begin(crowd_t * crowd, const char * map, int32_t robots)
{
  memset(crowd, 0, sizeof(*crowd));
  crowd->rng = fw__rng(5);
  assert_int_equal(fw_grid_make(&crowd->grid, map, NULL, NULL), FW_RET_OK);
  crowd->problem = (fw_problem_t){.grid = &crowd->grid, .robots = crowd->robots, .connectivity = 4, .horizon = 1};
  for (int32_t r = 0; r < robots; ++r) {
    const fw_cell_t start = draw(crowd, false), goal = draw(crowd, true);
    crowd->robots[r] = (fw_robot_t){.start = start, .goal = goal, .id = 100 + r};
    crowd->problem.robot_count = r + 1;
  }
  memcpy(crowd->first, crowd->robots, sizeof(crowd->first));
  assert_int_equal(fw_planner_init(&crowd->planner, "whca", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&crowd->planner, "window", "16", NULL), FW_RET_OK);
}

static void end(crowd_t * crowd)
{
  fw_planner_fini(&crowd->planner);
  fw_grid_fini(&crowd->grid);
}

static int64_t counter(const crowd_t * crowd, const char * name)
{
  for (int32_t i = 0; i < crowd->plan.stats.counter_count; ++i) {
    if (strcmp(crowd->plan.stats.counters[i].name, name) == 0) {
      return crowd->plan.stats.counters[i].value;
    }
  }
  fail_msg("no counter %s", name);
  return 0;
}

// One round and one tick of driving. Robots that arrive get new goals.
static void tick(crowd_t * crowd)
{
  fw_error_t error;
  fw_conflict_t conflict;
  if (fw_planner_solve(&crowd->planner, &crowd->problem, &crowd->budget, &crowd->plan, &error) != FW_RET_OK) {
    fail_msg("%s", error.text);
  }
  assert_true(crowd->plan.safe_until >= 1);
  assert_int_equal(fw_check_plan(&crowd->problem, &crowd->plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  const int64_t states = counter(crowd, "states");
  crowd->states_most = crowd->ticks > 0 && states > crowd->states_most ? states : crowd->states_most;
  crowd->stepped += counter(crowd, "robots_stepped");
  for (int32_t r = 0; r < crowd->problem.robot_count; ++r) {
    crowd->driven[r][crowd->ticks] = crowd->robots[r].start;
    fw_robot_advance(&crowd->robots[r], &crowd->plan.paths[r], 1);
    crowd->driven[r][crowd->ticks + 1] = crowd->robots[r].start;
    crowd->sum = crowd->sum * 31 + (uint64_t)crowd->robots[r].start;
  }
  for (int32_t r = 0; r < crowd->problem.robot_count; ++r) {
    if (crowd->robots[r].start == crowd->robots[r].goal) {
      crowd->robots[r].goal = draw(crowd, true);
      ++crowd->goals;
    }
  }
  ++crowd->ticks;
  crowd->problem.since = 1;
}

// Drives, and checks all that was driven as one plan: rounds must agree with each other.
static void drive(crowd_t * crowd, int32_t ticks)
{
  while (crowd->ticks < ticks) {
    tick(crowd);
  }
  fw_problem_t whole = crowd->problem;
  fw_path_t paths[ROBOTS_MAX];
  fw_conflict_t conflict;
  whole.robots = crowd->first;
  whole.since = whole.horizon = 0;
  for (int32_t r = 0; r < whole.robot_count; ++r) {
    paths[r] = (fw_path_t){.cells = crowd->driven[r], .length = ticks + 1};
  }
  assert_int_equal(fw_check_paths(&whole, paths, whole.robot_count, ticks, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
}

// The effort of a round at least, and what the last search or negotiation may use beyond it.
enum { ROUND_LEAST = 2048, LAST_SEARCH = 4096 };

static void a_crowd_keeps_moving_within_the_effort_of_its_rounds(void ** state)
{
  (void)state;
  static crowd_t crowd;
  begin(&crowd, "open:8x8", 56);
  assert_int_equal(fw_planner_set(&crowd.planner, "effort", "2048", NULL), FW_RET_OK);
  drive(&crowd, TICKS_MAX);
  assert_true(crowd.states_most <= 2 * ROUND_LEAST + LAST_SEARCH);
  assert_true(crowd.stepped > 1000);
  assert_true(crowd.goals > 300);
  end(&crowd);
}

static void without_an_effort_a_round_has_no_limit_and_no_steps(void ** state)
{
  (void)state;
  static crowd_t crowd;
  begin(&crowd, "open:8x8", 56);
  assert_int_equal(fw_planner_set(&crowd.planner, "round_effort", "0", NULL), FW_RET_OK);
  drive(&crowd, 40);
  assert_true(crowd.states_most > 2 * ROUND_LEAST + LAST_SEARCH);
  assert_int_equal(crowd.stepped, 0);
  end(&crowd);
}

// Where there is room, there are no steps: plans are as before.
static void a_few_robots_never_need_steps(void ** state)
{
  (void)state;
  static crowd_t crowd;
  uint64_t sums[2];
  for (int32_t i = 0; i < 2; ++i) {
    begin(&crowd, "open:16x16", 24);
    assert_int_equal(fw_planner_set(&crowd.planner, "round_effort", i == 0 ? "0" : "24", NULL), FW_RET_OK);
    drive(&crowd, 100);
    assert_int_equal(crowd.stepped, 0);
    sums[i] = crowd.sum;
    end(&crowd);
  }
  assert_true(sums[0] == sums[1]);
}

static void crowds_keep_robust_ticks(void ** state)
{
  (void)state;
  static crowd_t crowd;
  for (int32_t robust_ticks = 1; robust_ticks <= 3; ++robust_ticks) {
    begin(&crowd, "open:8x8", 40);
    crowd.problem.robust_ticks = robust_ticks;
    drive(&crowd, 200);
    assert_true(crowd.stepped > 0 && crowd.goals > 20);
    end(&crowd);
  }
}

static void a_crowd_with_eight_directions(void ** state)
{
  (void)state;
  static crowd_t crowd;
  begin(&crowd, "open:8x8", 61);
  crowd.problem.connectivity = 8;
  drive(&crowd, 200);
  assert_true(crowd.stepped > 0 && crowd.goals > 200);
  end(&crowd);
}

// The caller's budget ends in every round: each plan lasts for the horizon all the same, and robots arrive.
static void rounds_without_a_budget_move_the_fleet(void ** state)
{
  (void)state;
  static crowd_t crowd;
  begin(&crowd, "random:10x10,obstacles=20,seed=1", 40);
  tick(&crowd);
  crowd.budget = (fw_budget_t){.expansions_max = 1};
  drive(&crowd, 200);
  assert_true(crowd.stepped > 0 && crowd.goals > 100);
  end(&crowd);
}

// Robots with headings cannot make steps: their rounds have so much effort that plans are as without a limit.
static void turning_robots_have_effort_enough(void ** state)
{
  (void)state;
  static crowd_t crowd;
  int64_t goals[2];
  for (int32_t i = 0; i < 2; ++i) {
    begin(&crowd, "open:12x12", 40);
    assert_int_equal(fw_planner_set(&crowd.planner, "round_effort", i == 0 ? "0" : "24", NULL), FW_RET_OK);
    for (int32_t r = 0; r < crowd.problem.robot_count; ++r) {
      crowd.robots[r].turn_ticks = 1;
    }
    while (crowd.ticks < 60) {
      tick(&crowd);
    }
    assert_int_equal(crowd.stepped, 0);
    goals[i] = crowd.goals;
    end(&crowd);
  }
  assert_true(goals[0] > 20 && goals[1] == goals[0]);
}

static void the_same_seed_gives_the_same_rounds(void ** state)
{
  (void)state;
  static crowd_t crowd;
  uint64_t sums[2];
  for (int32_t i = 0; i < 2; ++i) {
    begin(&crowd, "open:8x8", 52);
    drive(&crowd, 60);
    sums[i] = crowd.sum;
    end(&crowd);
  }
  assert_true(sums[0] == sums[1]);
}

// Robots come and go: slots of the window are empty, and steps skip them.
static void robots_leave_a_crowd(void ** state)
{
  (void)state;
  static crowd_t crowd;
  begin(&crowd, "open:8x8", 56);
  for (int32_t i = 0; i < 40; ++i) {
    tick(&crowd);
    if (i % 4 == 3) {
      const int32_t gone = i % crowd.problem.robot_count;
      crowd.robots[gone] = crowd.robots[--crowd.problem.robot_count];
    }
  }
  assert_true(crowd.stepped > 0 && crowd.goals > 20);
  end(&crowd);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_crowd_keeps_moving_within_the_effort_of_its_rounds),
    cmocka_unit_test(without_an_effort_a_round_has_no_limit_and_no_steps),
    cmocka_unit_test(a_few_robots_never_need_steps),
    cmocka_unit_test(crowds_keep_robust_ticks),
    cmocka_unit_test(a_crowd_with_eight_directions),
    cmocka_unit_test(rounds_without_a_budget_move_the_fleet),
    cmocka_unit_test(turning_robots_have_effort_enough),
    cmocka_unit_test(the_same_seed_gives_the_same_rounds),
    cmocka_unit_test(robots_leave_a_crowd),
  };
  return TEST_RUN(tests);
}
