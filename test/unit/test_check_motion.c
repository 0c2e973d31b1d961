// The independent checker with robots that turn and sweep: one spoiled plan for each rule, and similar plans that are
// correct.

#include "fleetweave/fleetweave.h"

#include "support/draw.h"
#include "support/test.h"

enum { ROBOTS_MAX = 2, LENGTH_MAX = 12 };

static const fw_offset_t two_long[] = {{0, 0}, {1, 0}};
static const fw_offset_t three_long[] = {{-1, 0}, {0, 0}, {1, 0}};

// A path as letters ('a' is cell 0) and, for a robot that turns, a digit of its heading for each tick.
typedef struct walk_t {
  const char * cells;
  const char * headings;
  fw_robot_t robot;  // start, goal and heading are those of the path unless the plan says otherwise
} walk_t;

typedef struct plan_t {
  walk_t walks[ROBOTS_MAX];
  int32_t connectivity;
  int32_t robust_ticks;
  bool is_headings_missing;
  int32_t heading;  // of the first robot's start, if it is not that of the path; from 1
  fw_closure_t closure;
} plan_t;

static fw_conflict_t check(const fw_grid_t * grid, plan_t plan)
{
  fw_robot_t robots[ROBOTS_MAX];
  fw_path_t paths[ROBOTS_MAX];
  fw_cell_t cells[ROBOTS_MAX][LENGTH_MAX];
  uint8_t headings[ROBOTS_MAX][LENGTH_MAX];
  int32_t count = 0;
  for (; count < ROBOTS_MAX && plan.walks[count].cells != NULL; ++count) {
    const walk_t * walk = &plan.walks[count];
    const int32_t length = (int32_t)strlen(walk->cells);
    for (int32_t i = 0; i < length; ++i) {
      cells[count][i] = walk->cells[i] - 'a';
      headings[count][i] = (uint8_t)(walk->headings != NULL ? walk->headings[i] - '0' : 0);
    }
    robots[count] = walk->robot;
    robots[count].start = cells[count][0];
    robots[count].goal = cells[count][length - 1];
    robots[count].heading = count == 0 && plan.heading > 0 ? plan.heading : headings[count][0];
    const bool has_headings = walk->headings != NULL && !plan.is_headings_missing;
    paths[count] =
      (fw_path_t){.cells = cells[count], .length = length, .headings = has_headings ? headings[count] : NULL};
  }
  const fw_problem_t problem = {
    .grid = grid,
    .robots = robots,
    .robot_count = count,
    .connectivity = plan.connectivity,
    .robust_ticks = plan.robust_ticks,
    .closures = &plan.closure,
    .closure_count = plan.closure.to > 0 ? 1 : 0,
  };
  fw_conflict_t conflict;
  fw_error_t error = {0};
  if (fw_check_paths(&problem, paths, count, FW_TICK_MAX, NULL, &conflict, &error) != FW_RET_OK) {
    fail_msg("%s", error.text);
  }
  return conflict;
}

#define ASSERT_CONFLICT(found, k, r, o, t, c) \
  do {                                        \
    const fw_conflict_t conflict_ = (found);  \
    assert_int_equal(conflict_.kind, (k));    \
    assert_int_equal(conflict_.robot, (r));   \
    assert_int_equal(conflict_.other, (o));   \
    assert_int_equal(conflict_.tick, (t));    \
    assert_int_equal(conflict_.cell, (c));    \
  } while (0)
#define ASSERT_FINE(found) assert_int_equal((found).kind, FW_CONFLICT_NONE)
#define TURNS(ticks)      \
  {                       \
    .turn_ticks = (ticks) \
  }

// abcd
// efgh
// ijkl
static void headings_are_kept(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....", "....");
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"abbfj", "00222", TURNS(1)}}}));
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"abf", "000", TURNS(1)}}}), FW_CONFLICT_MOVE, 0, -1, 2, 5);  // sideways
  ASSERT_CONFLICT(check(&grid, (plan_t){.walks = {{"ba", "00", TURNS(1)}}}), FW_CONFLICT_MOVE, 0, -1, 1, 0);  // back
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"abf", "002", TURNS(1)}}}), FW_CONFLICT_MOVE, 0, -1, 2, 5);  // both at once
  ASSERT_CONFLICT(check(&grid, (plan_t){.walks = {{"aa", "04", TURNS(1)}}}), FW_CONFLICT_MOVE, 0, -1, 1, 0);  // half
  ASSERT_CONFLICT(check(&grid, (plan_t){.walks = {{"aa", "01", TURNS(1)}}}), FW_CONFLICT_MOVE, 0, -1, 1, 0);  // eighth
  ASSERT_CONFLICT(check(&grid, (plan_t){.walks = {{"aa", "09", TURNS(1)}}}), FW_CONFLICT_MOVE, 0, -1, 1, 0);  // none
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"aaf", "011", TURNS(1)}}, .connectivity = 8}));
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"aa", "02", TURNS(1)}}, .connectivity = 8}), FW_CONFLICT_MOVE, 0, -1, 1, 0);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"ab", "00", TURNS(1)}}, .heading = 2}), FW_CONFLICT_START, 0, -1, 0, 0);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"ab", "00", TURNS(1)}}, .is_headings_missing = true}), FW_CONFLICT_SHAPE, 0, -1, 0,
    -1);
}

static void turns_take_their_time(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....", "....");
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"abbbbf", "000022", TURNS(3)}}}));
  ASSERT_CONFLICT(check(&grid, (plan_t){.walks = {{"abbbf", "00022", TURNS(3)}}}), FW_CONFLICT_MOVE, 0, -1, 3, 1);
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"aaaaa", "00224", TURNS(2)}}}));
  ASSERT_CONFLICT(check(&grid, (plan_t){.walks = {{"aaaa", "0024", TURNS(2)}}}), FW_CONFLICT_MOVE, 0, -1, 3, 0);
  // The move after the turn has a speed of its own.
  const fw_robot_t slow = {.turn_ticks = 1, .ticks_per_move = 2};
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"aaae", "0222", slow}}}));
  ASSERT_CONFLICT(check(&grid, (plan_t){.walks = {{"aae", "022", slow}}}), FW_CONFLICT_MOVE, 0, -1, 2, 4);
}

static void turned_footprints_hit_obstacles(void ** state)
{
  (void)state;
  DRAW(corner, "...", "..#", "...");
  const fw_robot_t two = {.turn_ticks = 1, .footprint = two_long, .footprint_count = 2};
  // On (1,0), nose east; south is free, but the diagonal between is not.
  ASSERT_CONFLICT(check(&corner, (plan_t){.walks = {{"bb", "02", two}}}), FW_CONFLICT_MOVE, 0, -1, 1, 1);
  ASSERT_FINE(check(&corner, (plan_t){.walks = {{"bb", "42", two}}}));
  ASSERT_FINE(check(&corner, (plan_t){.walks = {{"bbb", "234", two}}, .connectivity = 8}));
  ASSERT_CONFLICT(
    check(&corner, (plan_t){.walks = {{"bb", "21", two}}, .connectivity = 8}), FW_CONFLICT_OBSTACLE, 0, -1, 1, 1);
  // It sticks out of the grid.
  ASSERT_CONFLICT(check(&corner, (plan_t){.walks = {{"bb", "06", two}}}), FW_CONFLICT_OBSTACLE, 0, -1, 1, 1);
}

// abc
// def
// ghi
static void turns_sweep_others(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_robot_t bar = {.turn_ticks = 2, .footprint = three_long, .footprint_count = 3};
  const fw_robot_t one = {0};
  // Around e from d e f to b e h: a and i lie between.
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"eee", "002", bar}, {"c", NULL, one}}}));
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"eee", "002", bar}, {"a", NULL, one}}}), FW_CONFLICT_CELL, 0, 1, 1, 0);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"eee", "002", bar}, {"hhg", NULL, one}}}), FW_CONFLICT_CELL, 0, 1, 1, 7);
  // What lies between is left in the tick after the turn, and by robust ticks later still.
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"eee", "002", bar}, {"cccf", NULL, one}}}));
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"eee", "002", bar}, {"cccf", NULL, one}}, .robust_ticks = 2}), FW_CONFLICT_ROBUST,
    0, 1, 3, 5);
  // Closed while it is swept, and just after.
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"eee", "002", bar}}, .closure = {8, 2, 9}}), FW_CONFLICT_CLOSED, 0, -1, 2, 8);
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"eee", "002", bar}}, .closure = {8, 3, 9}}));
}

// Each turns its nose to where the other's was: they meet on the way, or swap.
static void turning_robots_meet(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_robot_t two = {.turn_ticks = 1, .footprint = two_long, .footprint_count = 2};
  // a: nose from b to e; h: nose from e to d, beside which the other passes.
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"aa", "01", two}, {"hh", "65", two}}, .connectivity = 8}), FW_CONFLICT_CELL, 0, 1,
    1, 3);
  // a: nose from b to e; f: nose from e to b. They exchange b and e.
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"aa", "01", two}, {"ff", "45", two}}, .connectivity = 8}), FW_CONFLICT_SWAP, 0, 1,
    1, 0);
  // Back to back there is room.
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"aa", "01", two}, {"ii", "01", {0}}}, .connectivity = 8}));
  // With time to turn they are found on one cell as well.
  fw_robot_t slow = two;
  slow.turn_ticks = 2;
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"aaa", "001", slow}, {"fff", "445", slow}}, .connectivity = 8}), FW_CONFLICT_CELL,
    0, 1, 1, 4);
}

// Cells swept beyond footprints are no part of a swap: another robot may follow there.
static void swaps_are_of_footprints(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_robot_t sweeping = {.sweeps_sides = true};
  const fw_robot_t one = {0};
  // It has swept b on its way to e and goes on to f, from where the other comes to b.
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"aef", NULL, sweeping}, {"ffb", NULL, one}}, .connectivity = 8}));
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"aef", NULL, sweeping}, {"ffe", NULL, one}}, .connectivity = 8}), FW_CONFLICT_SWAP,
    0, 1, 2, 5);
  // It sweeps b, which the other leaves for a.
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"ae", NULL, sweeping}, {"ba", NULL, one}}, .connectivity = 8}));
}

static void diagonals_sweep_their_sides(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_robot_t sweeping = {.sweeps_sides = true};
  const fw_robot_t slow = {.sweeps_sides = true, .ticks_per_move = 2};
  const fw_robot_t one = {0};
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"ae", NULL, one}, {"b", NULL, one}}, .connectivity = 8}));
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"ae", NULL, sweeping}, {"b", NULL, one}}, .connectivity = 8}), FW_CONFLICT_CELL, 0,
    1, 1, 1);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"ae", NULL, sweeping}, {"d", NULL, one}}, .connectivity = 8}), FW_CONFLICT_CELL, 0,
    1, 1, 3);
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"ae", NULL, sweeping}, {"bc", NULL, one}}, .connectivity = 8}));
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"aae", NULL, slow}, {"bbc", NULL, one}}, .connectivity = 8}), FW_CONFLICT_CELL, 0,
    1, 1, 1);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.walks = {{"aae", NULL, slow}}, .connectivity = 8, .closure = {3, 2, 2}}), FW_CONFLICT_CLOSED,
    0, -1, 2, 3);
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"ae", NULL, one}}, .connectivity = 8, .closure = {3, 1, 1}}));
  // Along the axes there is nothing to sweep.
  ASSERT_FINE(check(&grid, (plan_t){.walks = {{"abc", NULL, sweeping}, {"d", NULL, one}}, .connectivity = 8}));
  // With a heading as well: the nose sweeps too.
  const fw_robot_t both = {.turn_ticks = 1, .sweeps_sides = true, .footprint = two_long, .footprint_count = 2};
  DRAW(large, "....", "....", "....", "....");
  ASSERT_FINE(check(&large, (plan_t){.walks = {{"af", "11", both}, {"c", NULL, one}}, .connectivity = 8}));
  ASSERT_CONFLICT(
    check(&large, (plan_t){.walks = {{"af", "11", both}, {"g", NULL, one}}, .connectivity = 8}), FW_CONFLICT_CELL, 0, 1,
    1, 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(headings_are_kept),
    cmocka_unit_test(turns_take_their_time),
    cmocka_unit_test(turned_footprints_hit_obstacles),
    cmocka_unit_test(turns_sweep_others),
    cmocka_unit_test(swaps_are_of_footprints),
    cmocka_unit_test(turning_robots_meet),
    cmocka_unit_test(diagonals_sweep_their_sides),
  };
  return TEST_RUN(tests);
}
