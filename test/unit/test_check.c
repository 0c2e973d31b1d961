// The independent checker with spoiled plans: one for each kind of conflict, and similar plans that are correct.

#include "fleetweave/fleetweave.h"

#include "support/draw.h"
#include "support/test.h"

enum { ROBOTS_MAX = 4, LENGTH_MAX = 10 };

static const fw_offset_t two_wide[] = {{0, 0}, {1, 0}};
static const fw_offset_t square[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};

// Paths as strings of letters: 'a' is cell 0, 'b' cell 1, and so on; '~' is cell -1, '}' a cell after the last. Start
// and goal are those of the path unless they are given.
typedef struct plan_t {
  const char * paths[ROBOTS_MAX];
  int32_t speed[ROBOTS_MAX];
  const fw_offset_t * shape[ROBOTS_MAX];
  int32_t shape_count[ROBOTS_MAX];
  const char * starts;
  const char * goals;
  int32_t connectivity;
  int32_t robust_ticks;
  fw_tick_t until;  // 0 is for ever
  fw_closure_t closures[3];
  int32_t closure_count;
} plan_t;

static fw_cell_t cell_of(char letter) { return letter == '~' ? -1 : letter == '}' ? 1000000 : letter - 'a'; }

static fw_conflict_t check(const fw_grid_t * grid, plan_t plan)
{
  fw_robot_t robots[ROBOTS_MAX] = {{0}};
  fw_path_t paths[ROBOTS_MAX];
  fw_cell_t cells[ROBOTS_MAX][LENGTH_MAX];
  int32_t count = 0;
  for (; count < ROBOTS_MAX && plan.paths[count] != NULL; ++count) {
    const char * path = plan.paths[count];
    const int32_t length = (int32_t)strlen(path);
    for (int32_t i = 0; i < length; ++i) {
      cells[count][i] = cell_of(path[i]);
    }
    paths[count] = (fw_path_t){.cells = cells[count], .length = length};
    robots[count] = (fw_robot_t){
      .start = cell_of(plan.starts != NULL ? plan.starts[count] : path[0]),
      .goal = cell_of(plan.goals != NULL ? plan.goals[count] : path[length - 1]),
      .ticks_per_move = plan.speed[count],
      .footprint = plan.shape[count],
      .footprint_count = plan.shape_count[count],
    };
  }
  const fw_problem_t problem = {
    .grid = grid,
    .robots = robots,
    .robot_count = count,
    .connectivity = plan.connectivity,
    .robust_ticks = plan.robust_ticks,
    .closures = plan.closures,
    .closure_count = plan.closure_count,
  };
  fw_conflict_t conflict;
  fw_error_t error = {0};
  if (
    fw_check_paths(&problem, paths, count, plan.until == 0 ? FW_TICK_MAX : plan.until, NULL, &conflict, &error) !=
    FW_RET_OK) {
    fail_msg("%s", error.text);
  }
  char text[200];
  fw_conflict_describe(&problem, &conflict, text, sizeof(text));
  assert_true(strlen(text) > 0 && strchr(text, '\n') == NULL);
  assert_true(strlen(fw_conflict_kind_name(conflict.kind)) > 0);
  return conflict;
}

// What is found, as the text "kind robot other tick cell".
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

// abc
// def
// ghi
static void one_robot_alone(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"abbc"}}));
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {""}, .starts = "a", .goals = "a"}), FW_CONFLICT_SHAPE, 0, -1, 0, -1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"bc"}, .starts = "a"}), FW_CONFLICT_START, 0, -1, 0, 1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"abe"}, .goals = "b"}), FW_CONFLICT_OBSTACLE, 0, -1, 2, 4);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"ab~"}, .goals = "b"}), FW_CONFLICT_OBSTACLE, 0, -1, 2, -1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"a}"}, .goals = "b"}), FW_CONFLICT_OBSTACLE, 0, -1, 1, 1000000);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"abg"}}), FW_CONFLICT_MOVE, 0, -1, 2, 6);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"abcd"}}), FW_CONFLICT_MOVE, 0, -1, 3, 3);  // not round the edge
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"ab"}, .goals = "c"}), FW_CONFLICT_GOAL, 0, -1, 1, 1);
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"ab"}, .goals = "c", .until = 5}));
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"abe"}, .goals = "b", .until = 1}));
}

static void diagonals_and_corners(void ** state)
{
  (void)state;
  DRAW(open, "..", "..");
  DRAW(blocked, ".#", "..");
  ASSERT_FINE(check(&open, (plan_t){.paths = {"ad"}, .connectivity = 8}));
  ASSERT_CONFLICT(check(&open, (plan_t){.paths = {"ad"}, .connectivity = 4}), FW_CONFLICT_MOVE, 0, -1, 1, 3);
  ASSERT_CONFLICT(check(&open, (plan_t){.paths = {"ad"}}), FW_CONFLICT_MOVE, 0, -1, 1, 3);
  ASSERT_CONFLICT(check(&blocked, (plan_t){.paths = {"ad"}, .connectivity = 8}), FW_CONFLICT_MOVE, 0, -1, 1, 3);
  ASSERT_CONFLICT(check(&blocked, (plan_t){.paths = {"da"}, .connectivity = 8}), FW_CONFLICT_MOVE, 0, -1, 1, 0);
  // A wide robot cuts a corner with its second cell.
  DRAW(wide, "...", "..#");
  ASSERT_FINE(check(&wide, (plan_t){.paths = {"ba"}, .shape = {two_wide}, .shape_count = {2}, .connectivity = 8}));
  ASSERT_CONFLICT(
    check(&wide, (plan_t){.paths = {"bd"}, .shape = {two_wide}, .shape_count = {2}, .connectivity = 8}),
    FW_CONFLICT_MOVE, 0, -1, 1, 3);
}

static void speed(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"aabbc"}, .speed = {2}}));
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"ab"}, .speed = {2}}), FW_CONFLICT_MOVE, 0, -1, 1, 1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"aaabbc"}, .speed = {3}}), FW_CONFLICT_MOVE, 0, -1, 5, 2);
  // Between b and c during tick 1 it covers both.
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"bbc", "a"}, .speed = {2, 1}}));
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"bbc", "cd"}, .speed = {2, 1}, .until = 1}), FW_CONFLICT_NONE, -1, -1, 0, -1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"bbc", "ccd"}, .speed = {2, 1}}), FW_CONFLICT_CELL, 0, 1, 1, 2);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"bbc", "ab"}, .speed = {2, 1}}), FW_CONFLICT_CELL, 0, 1, 1, 1);
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"bbc", "aab"}, .speed = {2, 1}}));
  // It waits for two ticks and leaves as late as it can.
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"bbbbc", "ccdd"}, .speed = {2, 1}}));
}

static void two_robots(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"ab", "cb"}, .goals = "ac"}), FW_CONFLICT_CELL, 0, 1, 1, 1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"ab", "ba"}}), FW_CONFLICT_SWAP, 0, 1, 1, 1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"aab", "bba"}}), FW_CONFLICT_SWAP, 0, 1, 2, 1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"ae", "db"}, .connectivity = 8}), FW_CONFLICT_CROSSING, 0, 1, 1, 1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"ae", "ea"}, .connectivity = 8}), FW_CONFLICT_SWAP, 0, 1, 1, 4);
  // One after the other through the same corner.
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"ae", "ddb"}, .connectivity = 8}));
  // Beside a diagonal, along it, and through its two side cells.
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"ae", "dg", "bc"}, .connectivity = 8}));
  // It drives into a robot that has arrived long ago.
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"ab", "ccccbe"}}), FW_CONFLICT_CELL, 0, 1, 4, 1);
  // A slow diagonal is crossed in its second half.
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"aae", "ddb"}, .speed = {2, 1}, .connectivity = 8}), FW_CONFLICT_CROSSING, 0, 1, 2,
    1);
}

static void following_and_rings(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  for (int32_t k = 0; k <= 2; ++k) {
    const fw_conflict_t follow = check(&grid, (plan_t){.paths = {"bc", "ab"}, .robust_ticks = k});
    const fw_conflict_t ring = check(&grid, (plan_t){.paths = {"ab", "be", "ed", "da"}, .robust_ticks = k});
    const fw_conflict_t apart = check(&grid, (plan_t){.paths = {"bc", "aab"}, .robust_ticks = k});
    const fw_conflict_t far_apart = check(&grid, (plan_t){.paths = {"bc", "aaab"}, .robust_ticks = k});
    if (k == 0) {
      ASSERT_FINE(follow);
      ASSERT_FINE(ring);
    } else {
      ASSERT_CONFLICT(follow, FW_CONFLICT_ROBUST, 0, 1, 1, 1);
      assert_int_equal(ring.kind, FW_CONFLICT_ROBUST);
      assert_int_equal(ring.tick, 1);
    }
    assert_int_equal(apart.kind, k <= 1 ? FW_CONFLICT_NONE : FW_CONFLICT_ROBUST);
    ASSERT_FINE(far_apart);
  }
}

static void footprints(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....", "....");
  const plan_t overlap = {
    .paths = {"aei", "hggf"}, .shape = {square, NULL}, .shape_count = {4, 0}, .goals = "ad", .until = 9};
  // The square's lower right cell and the single one: obstacle first, as the square leaves the grid at tick 2.
  ASSERT_CONFLICT(check(&grid, overlap), FW_CONFLICT_OBSTACLE, 0, -1, 2, 8);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"ae", "hgf"}, .shape = {square}, .shape_count = {4}, .goals = "ad"}),
    FW_CONFLICT_CELL, 0, 1, 2, 5);
  // Two wide robots change places: each enters a cell that the other leaves.
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"ae", "ea"}, .shape = {two_wide, two_wide}, .shape_count = {2, 2}}),
    FW_CONFLICT_SWAP, 0, 1, 1, 4);
  // Nose to tail in one row: following.
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"ab", "cd"}, .shape = {two_wide}, .shape_count = {2}}));
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"ab", "cd"}, .shape = {two_wide}, .shape_count = {2}, .robust_ticks = 1}),
    FW_CONFLICT_ROBUST, 0, 1, 1, 2);
  // A single cell slips through the second corner of a wide robot's diagonal.
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"af", "gb"}, .shape = {two_wide}, .shape_count = {2}, .connectivity = 8}),
    FW_CONFLICT_SWAP, 0, 1, 1, 5);
  ASSERT_CONFLICT(
    check(
      &grid,
      (plan_t){.paths = {"af", "cf"}, .shape = {two_wide}, .shape_count = {2}, .goals = "ac", .connectivity = 8}),
    FW_CONFLICT_CELL, 0, 1, 1, 5);
}

static void the_earliest_is_reported(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  // A swap at 3, an obstacle at 2, a shared cell at 1.
  const plan_t all = {.paths = {"aaab", "bbba", "fffe", "iff"}, .goals = "abfi"};
  ASSERT_CONFLICT(check(&grid, all), FW_CONFLICT_CELL, 2, 3, 1, 5);
  const plan_t two = {.paths = {"aaab", "bbba", "ffe"}, .goals = "abf"};
  ASSERT_CONFLICT(check(&grid, two), FW_CONFLICT_OBSTACLE, 2, -1, 2, 4);
  const plan_t one = {.paths = {"aaab", "bbba", "ff"}};
  ASSERT_CONFLICT(check(&grid, one), FW_CONFLICT_SWAP, 0, 1, 3, 1);
  const plan_t late = {.paths = {"aaab", "bbba", "ff"}, .until = 2};
  ASSERT_FINE(check(&grid, late));
}

static void a_slow_robot_whose_target_is_outside(void ** state)
{
  (void)state;
  DRAW(grid, "..", "..");
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"aaa}", "d"}, .goals = "ad", .speed = {3}}), FW_CONFLICT_OBSTACLE, 0, -1, 3,
    1000000);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"aaa~", "d"}, .goals = "ad", .speed = {3}}), FW_CONFLICT_OBSTACLE, 0, -1, 3, -1);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"aac", "d"}, .goals = "ad", .speed = {2}, .shape = {two_wide}, .shape_count = {2}}),
    FW_CONFLICT_CELL, 0, 1, 1, 3);
  // What comes after `until` is not part of the plan.
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"aaa}", "d"}, .goals = "ad", .speed = {3}, .until = 2}));
}

static void a_plan_of_another_size_is_refused(void ** state)
{
  (void)state;
  DRAW(grid, "..");
  const fw_robot_t robots[] = {{.start = 0, .goal = 0}, {.start = 1, .goal = 1}};
  const fw_cell_t cells[] = {0};
  const fw_path_t path = {.cells = cells, .length = 1};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_conflict_t conflict;
  assert_int_equal(fw_check_paths(&problem, &path, 1, FW_TICK_MAX, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_SHAPE);
  assert_int_equal(fw_check_paths(&problem, NULL, 2, FW_TICK_MAX, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_SHAPE);
  const fw_problem_t nobody = {.grid = &grid};
  assert_int_equal(fw_check_paths(&nobody, NULL, 0, FW_TICK_MAX, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  const fw_problem_t wrong = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 3};
  assert_int_equal(fw_check_paths(&wrong, &path, 2, 0, NULL, &conflict, NULL), FW_RET_INVALID_ARGUMENT);
}

// abcd
static void robots_stay_out_of_closed_cells(void ** state)
{
  (void)state;
  DRAW(grid, "....");
#define CLOSED(...) .closures = {__VA_ARGS__}, .closure_count = TEST_COUNT(((fw_closure_t[]){__VA_ARGS__}))
  // Entered in the tick after the last, left in the tick before the first.
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"abcd"}, CLOSED({1, 0, 0}, {1, 2, FW_TICK_MAX})}));
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"abcd"}, CLOSED({1, 0, 1})}), FW_CONFLICT_CLOSED, 0, -1, 1, 1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"abbc"}, CLOSED({1, 2, 9})}), FW_CONFLICT_CLOSED, 0, -1, 2, 1);
  // A robot that stays for ever is there when the cell closes later, unless the check ends before.
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"ab"}, CLOSED({1, 70, 70})}), FW_CONFLICT_CLOSED, 0, -1, 70, 1);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"ab"}, .until = 70, CLOSED({1, 70, 70})}), FW_CONFLICT_CLOSED, 0, -1, 70, 1);
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"ab"}, .until = 69, CLOSED({1, 70, 70})}));
  // The earliest of several, in whatever order they are given, of a footprint's cells, and before other conflicts.
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"abbbbb"}, CLOSED({1, 5, 5}, {1, 3, 9}, {1, 4, 4})}), FW_CONFLICT_CLOSED, 0, -1, 3,
    1);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"aab"}, .shape = {two_wide}, .shape_count = {2}, CLOSED({2, 1, 3}, {0, 2, 2})}),
    FW_CONFLICT_CLOSED, 0, -1, 2, 2);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"abb", "dcb"}, .goals = "ab", CLOSED({1, 1, 1})}), FW_CONFLICT_CLOSED, 0, -1, 1, 1);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"abb", "dcb"}, .goals = "ab", CLOSED({1, 3, 3})}), FW_CONFLICT_CELL, 0, 1, 2, 1);
  ASSERT_CONFLICT(check(&grid, (plan_t){.paths = {"abd", "dcc"}, CLOSED({2, 1, 3})}), FW_CONFLICT_CLOSED, 1, -1, 1, 2);
  // A slow robot covers both cells during its motion.
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"aaab"}, .speed = {3}, CLOSED({1, 1, 1})}), FW_CONFLICT_CLOSED, 0, -1, 1, 1);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"aaab"}, .speed = {3}, CLOSED({0, 2, 2})}), FW_CONFLICT_CLOSED, 0, -1, 2, 0);
  ASSERT_CONFLICT(
    check(&grid, (plan_t){.paths = {"aaab"}, .speed = {3}, CLOSED({0, 2, 2}, {1, 1, 1})}), FW_CONFLICT_CLOSED, 0, -1, 1,
    1);
  ASSERT_FINE(check(&grid, (plan_t){.paths = {"aaab"}, .speed = {3}, CLOSED({1, 0, 0}, {0, 3, 3})}));
#undef CLOSED
  char text[100];
  const fw_problem_t problem = {.grid = &grid};
  const fw_conflict_t conflict = {FW_CONFLICT_CLOSED, 3, -1, 12, 2};
  fw_conflict_describe(&problem, &conflict, text, sizeof(text));
  assert_string_equal(text, "robot 3 is on (2,0) at tick 12 while it is closed");
  assert_string_equal(fw_conflict_kind_name(FW_CONFLICT_CLOSED), "closed");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(robots_stay_out_of_closed_cells),
    cmocka_unit_test(one_robot_alone),
    cmocka_unit_test(diagonals_and_corners),
    cmocka_unit_test(speed),
    cmocka_unit_test(two_robots),
    cmocka_unit_test(following_and_rings),
    cmocka_unit_test(footprints),
    cmocka_unit_test(the_earliest_is_reported),
    cmocka_unit_test(a_slow_robot_whose_target_is_outside),
    cmocka_unit_test(a_plan_of_another_size_is_refused),
  };
  return TEST_RUN(tests);
}
