// Costs of plans, and the names of outcomes and stop reasons.

#include "fleetweave/fleetweave.h"
#include "support/draw.h"
#include "support/test.h"

static void waiting_costs_except_on_the_goal(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  const struct {
    fw_cell_t cells[6];
    int32_t length;
    fw_cell_t goal;
    fw_cost_t cost;
    fw_tick_t makespan;
  } cases[] = {
    {{0}, 1, 0, 0, 0},  // there already
    {{0}, 1, 3, 0, 0},  // never moves
    {{0, 1, 2, 3}, 4, 3, 3, 3},
    {{0, 0, 1, 1, 2, 2}, 6, 2, 4, 4},  // two waits on the way, one on the goal
    {{2, 2, 1, 2, 2, 2}, 6, 2, 2, 3},  // makes way and comes back: only the two moves cost
    {{0, 1, 1, 1, 1, 1}, 6, 3, 5, 1},  // waits in the wrong place
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    const fw_robot_t robot = {.start = cases[i].cells[0], .goal = cases[i].goal};
    const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
    const fw_path_t path = {.cells = cases[i].cells, .length = cases[i].length};
    assert_int_equal(fw_paths_sum_of_costs(&problem, &path), cases[i].cost);
    assert_int_equal(fw_paths_makespan(&path, 1), cases[i].makespan);
  }
}

static void robots_add_up_and_the_last_arrival_counts(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  const fw_cell_t a[] = {0, 1};
  const fw_cell_t b[] = {3, 3, 2};
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 3, .goal = 2}};
  const fw_path_t paths[] = {{.cells = a, .length = 2}, {.cells = b, .length = 3}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  assert_int_equal(fw_paths_sum_of_costs(&problem, paths), 3);
  assert_int_equal(fw_paths_makespan(paths, 2), 2);
  assert_int_equal(fw_paths_makespan(NULL, 0), 0);
}

static void a_path_goes_on_at_its_last_cell(void ** state)
{
  (void)state;
  const fw_cell_t cells[] = {4, 5};
  const fw_path_t path = {.cells = cells, .length = 2};
  assert_int_equal(fw_path_at(&path, 0), 4);
  assert_int_equal(fw_path_at(&path, 1), 5);
  assert_int_equal(fw_path_at(&path, FW_TICK_MAX), 5);
}

static void names_are_those_of_the_contract(void ** state)
{
  (void)state;
  assert_string_equal(fw_outcome_name(FW_OUTCOME_SOLVED), "solved");
  assert_string_equal(fw_outcome_name(FW_OUTCOME_PARTIAL), "partial");
  assert_string_equal(fw_outcome_name(FW_OUTCOME_UNSOLVABLE), "unsolvable");
  assert_string_equal(fw_stop_name(FW_STOP_DONE), "done");
  assert_string_equal(fw_stop_name(FW_STOP_DEADLINE), "deadline");
  assert_string_equal(fw_stop_name(FW_STOP_EXPANSIONS), "expansions");
  assert_string_equal(fw_stop_name(FW_STOP_CANCELLED), "cancelled");
  assert_string_equal(fw_stop_name(FW_STOP_MEMORY), "memory");
  assert_string_equal(fw_conflict_kind_name(FW_CONFLICT_SWAP), "swap");
  assert_string_equal(fw_conflict_kind_name((fw_conflict_kind_t)99), "unknown");
}

// Waiting on the goal costs nothing, but a turn there costs the ticks that it takes.
static void turns_count_everywhere(void ** state)
{
  (void)state;
  DRAW(grid, "...");
  const fw_cell_t cells[] = {0, 0, 0, 1, 2, 2, 2, 2, 2};
  const uint8_t headings[] = {6, 6, 0, 0, 0, 0, 0, 2, 2};
  const fw_robot_t robot = {.start = 0, .goal = 2, .turn_ticks = 2, .heading = FW_HEADING_NORTH};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  fw_path_t path = {.cells = cells, .length = 9, .headings = headings};
  assert_int_equal(fw_paths_sum_of_costs(&problem, &path), 4 + 2);
  assert_int_equal(fw_paths_makespan(&path, 1), 7);
  path.length = 7;
  assert_int_equal(fw_paths_sum_of_costs(&problem, &path), 4);
  assert_int_equal(fw_paths_makespan(&path, 1), 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(waiting_costs_except_on_the_goal), cmocka_unit_test(robots_add_up_and_the_last_arrival_counts),
    cmocka_unit_test(a_path_goes_on_at_its_last_cell),  cmocka_unit_test(names_are_those_of_the_contract),
    cmocka_unit_test(turns_count_everywhere),
  };
  return TEST_RUN(tests);
}
