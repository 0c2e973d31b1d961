// Robots that are under way when the plan begins: in the problem's check, in the plan's check, and in every planner.

#include "fleetweave/planner_def.h"
#include "support/planner_features.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

static const fw_offset_t nose[] = {{0, 0}, {1, 0}};

// abcd
// e#gh    cell 5 is blocked
static void the_problem_check_knows_motions(void ** state)
{
  (void)state;
  DRAW(grid, "....", ".#..");
  const fw_robot_t slow = {.start = 1, .goal = 3, .ticks_per_move = 3, .arrives = 2, .from = 0};
  const fw_robot_t turning = {
    .start = 2,
    .goal = 2,
    .turn_ticks = 3,
    .heading = 2,
    .arrives = 2,
    .from = 2,
    .footprint = nose,
    .footprint_count = 2};
  fw_robot_t outside = slow, far_away = slow, late = slow, fast = slow, cutting = slow, blocked = turning;
  fw_robot_t negative = slow, sideways = slow;
  outside.from = 8;
  far_away.from = 3;
  late.arrives = 3;
  fast.ticks_per_move = 0;
  cutting.from = 4;  // from (0,1) past the obstacle at (1,1)
  blocked.start = blocked.from = 1;
  blocked.heading = 0;
  blocked.from_heading = 2;
  negative.arrives = -1;
  sideways.turn_ticks = 1;
  sideways.heading = sideways.from_heading = 2;
  const struct {
    fw_robot_t robot;
    int32_t connectivity;
    fw_fault_t fault;
    const char * words;
  } cases[] = {
    {slow, 4, FW_FAULT_NONE, NULL},
    {turning, 4, FW_FAULT_NONE, NULL},
    {outside, 4, FW_FAULT_START_OUTSIDE, "from cell 8, outside"},
    {far_away, 4, FW_FAULT_INVALID, "under way from (3,0) to (1,0), which is not one of its motions"},
    {cutting, 4, FW_FAULT_INVALID, "not one of its motions"},
    {cutting, 8, FW_FAULT_START_OCCUPIED, "over an obstacle"},
    {late, 4, FW_FAULT_INVALID, "less than the 3 ticks of its motion"},
    {fast, 4, FW_FAULT_INVALID, "less than the 1 ticks of its motion"},
    {blocked, 4, FW_FAULT_START_OCCUPIED, "over an obstacle"},
    {negative, 4, FW_FAULT_INVALID, "arrives on its start at tick -1"},
    {sideways, 4, FW_FAULT_INVALID, "not one of its motions"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    const fw_problem_t problem = {
      .grid = &grid, .robots = &cases[i].robot, .robot_count = 1, .connectivity = cases[i].connectivity};
    fw_error_t error = {0};
    const fw_ret_t ret = fw_problem_check(&problem, &error);
    assert_int_equal(ret, cases[i].words == NULL ? FW_RET_OK : FW_RET_INVALID_ARGUMENT);
    if (cases[i].words != NULL && (error.fault != cases[i].fault || strstr(error.text, cases[i].words) == NULL)) {
      fail_msg("case %d: '%s' is not in '%s'", i, cases[i].words, error.text);
    }
  }
}

// abc
// def
static void the_problem_check_sees_all_that_is_covered(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const fw_robot_t coming = {.start = 4, .goal = 2, .ticks_per_move = 3, .arrives = 1, .from = 0};
  const struct {
    fw_robot_t other;
    bool sweeps_sides;
    fw_closure_t closure;
    const char * words;
  } cases[] = {
    {{.start = 1, .goal = 1}, false, {0}, NULL},
    {{.start = 0, .goal = 1}, false, {0}, "same start cell (0,0)"},
    {{.start = 4, .goal = 1}, false, {0}, "same start cell (1,1)"},
    {{.start = 3, .goal = 1}, true, {0}, "same start cell (0,1)"},
    {{.start = 1, .goal = 1, .ticks_per_move = 2, .arrives = 1, .from = 3}, false, {0}, "cross at tick 0"},
    {{.start = 5, .goal = 1, .ticks_per_move = 2, .arrives = 1, .from = 1}, false, {0}, NULL},
    // It leaves a with its arrival at tick 1, and has e from tick 0 on.
    {{.start = 2, .goal = 1}, false, {0, 1, 9}, NULL},
    {{.start = 2, .goal = 1}, false, {4, 1, 9}, "robot 0 is on (1,1) at the start, which is closed at tick 1"},
    {{.start = 2, .goal = 1}, false, {4, 2, 9}, NULL},
    {{.start = 2, .goal = 1}, true, {3, 1, 9}, "robot 0 is on (0,1)"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_robot_t robots[2] = {coming, cases[i].other};
    robots[0].sweeps_sides = cases[i].sweeps_sides;
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = robots,
      .robot_count = 2,
      .connectivity = 8,
      .closures = &cases[i].closure,
      .closure_count = cases[i].closure.to > 0 ? 1 : 0};
    fw_error_t error = {0};
    const fw_ret_t ret = fw_problem_check(&problem, &error);
    if ((ret == FW_RET_OK) != (cases[i].words == NULL)) {
      fail_msg("case %d: %s", i, ret == FW_RET_OK ? "passes" : error.text);
    }
    assert_true(ret == FW_RET_OK || strstr(error.text, cases[i].words) != NULL);
  }
}

static fw_conflict_t check(const fw_grid_t * grid, const char * first, const char * second, int32_t robust_ticks)
{
  fw_cell_t cells[2][10];
  const char * texts[] = {first, second};
  fw_path_t paths[2];
  for (int32_t r = 0; r < 2; ++r) {
    for (size_t i = 0; i < strlen(texts[r]); ++i) {
      cells[r][i] = texts[r][i] - 'a';
    }
    paths[r] = (fw_path_t){.cells = cells[r], .length = (int32_t)strlen(texts[r])};
  }
  const fw_robot_t robots[] = {
    {.start = 2, .goal = 3, .ticks_per_move = 3, .arrives = 2, .from = 1},
    {.start = cells[1][0], .goal = cells[1][strlen(second) - 1]}};
  const fw_problem_t problem = {.grid = grid, .robots = robots, .robot_count = 2, .robust_ticks = robust_ticks};
  fw_conflict_t conflict;
  fw_error_t error = {0};
  if (fw_check_paths(&problem, paths, 2, FW_TICK_MAX, NULL, &conflict, &error) != FW_RET_OK) {
    fail_msg("%s", error.text);
  }
  return conflict;
}

// abcd: from b it arrives on c at tick 2.
static void the_plan_check_knows_motions(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  const struct {
    const char * paths[2];
    int32_t robust_ticks;
    fw_conflict_kind_t kind;
    fw_tick_t tick;
  } cases[] = {
    {{"bbcccd", "a"}, 0, FW_CONFLICT_NONE, 0},     {{"bccccd", "a"}, 0, FW_CONFLICT_START, 1},  // too early
    {{"bbbcccd", "a"}, 0, FW_CONFLICT_START, 2},                                                // too late
    {{"cccd", "a"}, 0, FW_CONFLICT_START, 0},                                                   // as if it stood
    {{"bbccd", "a"}, 0, FW_CONFLICT_MOVE, 4},  // and from there in its own time
    {{"bbcccd", "ab"}, 0, FW_CONFLICT_CELL, 1},    {{"bbcccd", "aab"}, 0, FW_CONFLICT_NONE, 0},
    {{"bbcccd", "aab"}, 1, FW_CONFLICT_ROBUST, 2}, {{"bbcccd", "gc"}, 0, FW_CONFLICT_CELL, 1},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    const fw_conflict_t found = check(&grid, cases[i].paths[0], cases[i].paths[1], cases[i].robust_ticks);
    if (found.kind != cases[i].kind || (found.kind != FW_CONFLICT_NONE && found.tick != cases[i].tick)) {
      fail_msg("case %d: %s at %d", i, fw_conflict_kind_name(found.kind), found.tick);
    }
  }
}

// A lane with a slow robot that has just begun to leave it: the other follows as soon as it can.
static void every_planner_continues_from_the_motion(void ** state)
{
  (void)state;
  DRAW(grid, "....", "#..#");
  const fw_robot_t robots[] = {
    {.start = 2, .goal = 6, .ticks_per_move = 4, .turn_ticks = 2, .arrives = 3, .from = 1},
    {.start = 0, .goal = 1},
  };
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  const int32_t needed = WORLD_SPEEDS | WORLD_HEADINGS;
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    if (planner_features_within(fw_planner_def_at(i), needed) != needed) {
      continue;
    }
    fw_planner_t planner;
    fw_plan_t plan;
    fw_conflict_t conflict;
    assert_int_equal(fw_planner_init(&planner, fw_planner_def_at(i)->name, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(fw_check_plan(&problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
    assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
    assert_int_equal(fw_paths_makespan(&plan.paths[0], 1), 3 + 2 + 4);  // arrives, turns, moves
    assert_int_equal(fw_paths_makespan(&plan.paths[1], 1), 4);          // left at 3, one robust tick
    assert_int_equal(plan.stats.lower_bound, 9 + 1);
    fw_planner_fini(&planner);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_problem_check_knows_motions),
    cmocka_unit_test(the_problem_check_sees_all_that_is_covered),
    cmocka_unit_test(the_plan_check_knows_motions),
    cmocka_unit_test(every_planner_continues_from_the_motion),
  };
  return TEST_RUN(tests);
}
