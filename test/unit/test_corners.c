// Corners that may be cut: what a diagonal needs then, and what robots still may not do to each other.

#include "fleetweave/files.h"
#include "fleetweave/search.h"
#include "support/dijkstra.h"
#include "support/draw.h"
#include "support/temp_file.h"
#include "support/test.h"
#include "support/world.h"
#include "world/moves.h"

// ---- the rule -------------------------------------------------------------------------------------------------------

static fw_conflict_t check(const fw_problem_t * problem, const fw_cell_t * const * cells, int32_t length)
{
  fw_path_t paths[2];
  fw_conflict_t conflict;
  fw_error_t error = {0};
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    paths[r] = (fw_path_t){.cells = cells[r], .length = length};
  }
  if (fw_check_paths(problem, paths, problem->robot_count, FW_TICK_MAX, NULL, &conflict, &error) != FW_RET_OK) {
    fail_msg("%s", error.text);
  }
  return conflict;
}

// ab
// cd   with b, or b and c, blocked: from a to d and back
static void a_diagonal_between_obstacles_is_legal_only_with_the_option(void ** state)
{
  (void)state;
  DRAW(one, ".#", "..");
  DRAW(both, ".#", "#.");
  const fw_grid_t * grids[] = {&one, &both};
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 3, .goal = 0}};
  static const fw_cell_t down[] = {0, 3};
  static const fw_cell_t up[] = {3, 0};
  for (int32_t i = 0; i < 8; ++i) {
    const fw_problem_t problem = {
      .grid = grids[i % 2],
      .robots = &robots[i / 2 % 2],
      .robot_count = 1,
      .connectivity = 8,
      .cuts_corners = i >= 4,
    };
    const fw_cell_t * paths[] = {i / 2 % 2 == 0 ? down : up};
    assert_int_equal(check(&problem, paths, 2).kind, i >= 4 ? FW_CONFLICT_NONE : FW_CONFLICT_MOVE);
    fw_route_t route;
    assert_int_equal(
      fw_route_find_for(&route, &problem, robots[i / 2 % 2].start, robots[i / 2 % 2].goal, NULL, NULL), FW_RET_OK);
    assert_int_equal(route.length, i >= 4 ? 2 : i % 2 == 0 ? 3 : 0);
    fw_route_fini(&route);
  }
}

static void robots_still_may_not_cross_swap_or_enter_obstacles(void ** state)
{
  (void)state;
  DRAW(open, "..", "..");
  DRAW(both, ".#", "#.");
  const fw_robot_t crossing[] = {{.start = 0, .goal = 3}, {.start = 1, .goal = 2}};
  const fw_robot_t swapping[] = {{.start = 0, .goal = 3}, {.start = 3, .goal = 0}};
  fw_problem_t problem = {.grid = &open, .robots = crossing, .robot_count = 2, .connectivity = 8, .cuts_corners = true};
  static const fw_cell_t ad[] = {0, 3}, bc[] = {1, 2}, da[] = {3, 0}, ab[] = {0, 1}, jump[] = {0, 2};
  assert_int_equal(check(&problem, (const fw_cell_t *[]){ad, bc}, 2).kind, FW_CONFLICT_CROSSING);
  problem.robots = swapping;
  assert_int_equal(check(&problem, (const fw_cell_t *[]){ad, da}, 2).kind, FW_CONFLICT_SWAP);
  problem.grid = &both;
  assert_int_equal(check(&problem, (const fw_cell_t *[]){ad, da}, 2).kind, FW_CONFLICT_SWAP);
  problem.robot_count = 1;
  assert_int_equal(check(&problem, (const fw_cell_t *[]){ab}, 2).kind, FW_CONFLICT_OBSTACLE);
  DRAW(wide, "...");
  const fw_robot_t far_one = {.start = 0, .goal = 2};
  problem.grid = &wide;
  problem.robots = &far_one;
  assert_int_equal(check(&problem, (const fw_cell_t *[]){jump}, 2).kind, FW_CONFLICT_MOVE);
}

// On the way a slow robot has the cell that it leaves and the one at the end, none beside.
static void a_slow_robot_covers_nothing_beside_its_diagonal(void ** state)
{
  (void)state;
  DRAW(grid, ".#", "..");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3, .ticks_per_move = 3}, {.start = 2, .goal = 2}};
  const fw_problem_t problem = {
    .grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8, .cuts_corners = true};
  static const fw_cell_t slow[] = {0, 0, 0, 3}, still[] = {2, 2, 2, 2}, early[] = {0, 0, 3, 3};
  assert_int_equal(check(&problem, (const fw_cell_t *[]){slow, still}, 4).kind, FW_CONFLICT_NONE);
  assert_int_equal(check(&problem, (const fw_cell_t *[]){early, still}, 4).kind, FW_CONFLICT_MOVE);
  const fw_robot_t coming = {.start = 3, .goal = 3, .ticks_per_move = 3, .arrives = 2, .from = 0};
  fw_problem_t under_way = problem;
  under_way.robots = &coming;
  under_way.robot_count = 1;
  assert_int_equal(fw_problem_check(&under_way, NULL), FW_RET_OK);
  under_way.cuts_corners = false;
  assert_int_equal(fw_problem_check(&under_way, NULL), FW_RET_INVALID_ARGUMENT);
}

static void moves_follow_the_rule_on_random_grids(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(40); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_grid_t grid = world_grid(&rng, 1 + fw__rng_below(&rng, 40), 1 + fw__rng_below(&rng, 40), 35, false);
    fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
    fw_arena_t arena;
    fw__arena_init(&arena, &memory);
    fw_moves_t moves;
    const fw_problem_t problem = {.grid = &grid, .connectivity = 8, .cuts_corners = true};
    assert_true(fw__moves_init_cells(&moves, &arena, &problem));
    for (int32_t node = 0; node < moves.node_count; ++node) {
      for (int32_t d = 0; d < 8; ++d) {
        const int32_t x = fw_grid_x(&grid, moves.cell_of[node]) + fw__directions[d].dx;
        const int32_t y = fw_grid_y(&grid, moves.cell_of[node]) + fw__directions[d].dy;
        const int32_t to = fw_grid_is_free(&grid, x, y) ? moves.node_of[fw_grid_cell(&grid, x, y)] : -1;
        assert_int_equal(fw__moves_successors(&moves, node)[d], to);
      }
    }
    fw__arena_fini(&arena);
    fw_grid_fini(&grid);
  }
}

static void what_has_no_meaning_is_refused_with_the_reason(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const fw_offset_t two[] = {{0, 0}, {1, 0}};
  const struct {
    fw_robot_t robot;
    int32_t connectivity;
    const char * words;
  } cases[] = {
    {{.start = 0, .goal = 1}, 8, NULL},
    {{.start = 0, .goal = 1, .ticks_per_move = 4}, 8, NULL},
    {{.start = 0, .goal = 1}, 4, "connectivity 8 only"},
    {{.start = 0, .goal = 1}, 0, "connectivity 8 only"},
    {{.start = 0, .goal = 1, .footprint = two, .footprint_count = 2}, 8, "robot 0 covers more than one cell"},
    {{.start = 0, .goal = 1, .turn_ticks = 1}, 8, "robot 0 has a heading"},
    {{.start = 0, .goal = 1, .sweeps_sides = true}, 8, "robot 0 sweeps its sides"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = &cases[i].robot,
      .robot_count = 1,
      .connectivity = cases[i].connectivity,
      .cuts_corners = true,
    };
    fw_error_t error = {0};
    const fw_ret_t ret = fw_problem_check(&problem, &error);
    assert_int_equal(ret, cases[i].words == NULL ? FW_RET_OK : FW_RET_INVALID_ARGUMENT);
    if (cases[i].words != NULL && strstr(error.text, cases[i].words) == NULL) {
      fail_msg("case %d: '%s' is not in '%s'", i, cases[i].words, error.text);
    }
  }
}

// ---- robots and files -----------------------------------------------------------------------------------------------

// Every goal can be reached in the model, and some by it alone.
static void drawn_goals_can_be_reached_in_the_model(void ** state)
{
  (void)state;
  int32_t by_corners_alone = 0;
  for (int32_t round = 0; round < test_rounds(100); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_grid_t grid = world_grid(&rng, 3 + fw__rng_below(&rng, 14), 3 + fw__rng_below(&rng, 14), 45, false);
    fw_problem_t problem = {.grid = &grid, .robot_count = 2, .connectivity = 8, .cuts_corners = true};
    fw_scenario_t scenario;
    const fw_ret_t ret = fw_scenario_make_for(&scenario, &problem, (uint64_t)round, NULL, NULL);
    for (int32_t way = 0; way < 2 && ret == FW_RET_OK; ++way) {
      for (int32_t r = 0; r < 2; ++r) {
        problem.robots = scenario.robots;
        assert_true(dijkstra_ticks(&problem, r) >= 0);
        problem.cuts_corners = false;
        by_corners_alone += dijkstra_ticks(&problem, r) < 0;
        problem.cuts_corners = true;
      }
      scenario.robots[0].ticks_per_move = 2;
      if (fw_scenario_place(&scenario, &problem, (uint64_t)round, NULL) != FW_RET_OK) {
        break;
      }
    }
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
  assert_true(by_corners_alone > 20);
}

static void a_plan_file_keeps_the_rule(void ** state)
{
  (void)state;
  DRAW(grid, ".#", "#.");
  const fw_robot_t robot = {.start = 0, .goal = 3};
  const fw_cell_t cells[] = {0, 3};
  const fw_path_t path = {.cells = cells, .length = 2};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = &path, .robot_count = 1};
  for (int32_t cuts = 0; cuts < 2; ++cuts) {
    const fw_problem_t problem = {
      .grid = &grid, .robots = &robot, .robot_count = 1, .connectivity = 8, .cuts_corners = cuts == 1};
    temp_file_t scrap;
    FILE * stream = temp_file_open(&scrap);
    assert_int_equal(fw_plan_write(&problem, &plan, "x.map", "hca", stream, NULL), FW_RET_OK);
    assert_int_equal(fclose(stream), 0);
    char text[400];
    temp_file_read(&scrap, text, sizeof(text));
    assert_int_equal(strstr(text, "\ncuts_corners=1\nsolution=\n") != NULL, cuts == 1);
    fw_plan_file_t file;
    assert_int_equal(fw_plan_read(&file, scrap.path, &grid, NULL, NULL), FW_RET_OK);
    assert_int_equal(file.cuts_corners, cuts == 1);
    fw_plan_file_fini(&file);
    temp_file_remove(&scrap);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_diagonal_between_obstacles_is_legal_only_with_the_option),
    cmocka_unit_test(robots_still_may_not_cross_swap_or_enter_obstacles),
    cmocka_unit_test(a_slow_robot_covers_nothing_beside_its_diagonal),
    cmocka_unit_test(moves_follow_the_rule_on_random_grids),
    cmocka_unit_test(what_has_no_meaning_is_refused_with_the_reason),
    cmocka_unit_test(drawn_goals_can_be_reached_in_the_model),
    cmocka_unit_test(a_plan_file_keeps_the_rule),
  };
  return TEST_RUN(tests);
}
