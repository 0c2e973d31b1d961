// Rules of the grid, one-way cells and cells without waiting: the graph of moves, the checker, and every planner,
// compared with brute force on tiny worlds.

#include "base/arena.h"
#include "fleetweave/planner_def.h"
#include "support/draw.h"
#include "support/planner_features.h"
#include "support/test.h"
#include "support/world.h"
#include "world/moves.h"

// Headings in the order of fw_heading_t.
static const fw_offset_t steps[FW_HEADING_COUNT] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                                    {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

// Rules as a drawing: '>' and the like one way in that direction, 'w' no waiting, anything else no rule.
static fw_grid_t with_rules(fw_grid_t grid, uint16_t * rules, const char * drawing)
{
  for (int32_t i = 0; i < fw_grid_cell_count(&grid); ++i) {
    const char * at = strchr(">v<^", drawing[i]);
    rules[i] = drawing[i] == 'w' ? FW_RULE_NO_WAITING : 0;
    for (int32_t heading = 0; at != NULL && drawing[i] != '\0' && heading < FW_HEADING_COUNT; ++heading) {
      const fw_offset_t way = steps[2 * (int32_t)(strchr(">v<^", drawing[i]) - &">v<^"[0])];
      const bool is_against = way.dx * steps[heading].dx + way.dy * steps[heading].dy < 0;
      rules[i] = (uint16_t)(rules[i] | (is_against ? FW_RULE_ONE_WAY(heading) : 0U));
    }
  }
  grid.rules = rules;
  return grid;
}

// ---- brute force ----------------------------------------------------------------------------------------------------
//
// Dijkstra over the cells of all robots and whether each has left its start; it reads the rules by itself.

enum { ROBOTS = 2, CELLS = 12, STATES = (2 * CELLS) * (2 * CELLS), COST_MAX = 2 * STATES };

typedef struct joint_t {
  int32_t cell[ROBOTS];
  bool has_left[ROBOTS];
} joint_t;

static int32_t pack(const joint_t * joint)
{
  int32_t state = 0;
  for (int32_t r = 0; r < ROBOTS; ++r) {
    state = state * 2 * CELLS + joint->cell[r] * 2 + (joint->has_left[r] ? 1 : 0);
  }
  return state;
}

static joint_t unpack(int32_t state)
{
  joint_t joint;
  for (int32_t r = ROBOTS - 1; r >= 0; --r) {
    joint.has_left[r] = state % 2 == 1;
    joint.cell[r] = state / 2 % CELLS;
    state /= 2 * CELLS;
  }
  return joint;
}

// Whether robot `r` may go from cell to cell in one tick, or stay.
static bool may_go(const fw_problem_t * problem, const joint_t * from, int32_t r, int32_t heading, int32_t * to)
{
  const fw_grid_t * grid = problem->grid;
  *to = from->cell[r];
  if (heading < 0) {
    return (grid->rules[*to] & FW_RULE_NO_WAITING) == 0 || !from->has_left[r] || *to == problem->robots[r].goal;
  }
  const fw_offset_t by = steps[heading];
  const int32_t x = fw_grid_x(grid, *to);
  const int32_t y = fw_grid_y(grid, *to);
  if (
    !fw_grid_is_free(grid, x + by.dx, y + by.dy) || !fw_grid_is_free(grid, x + by.dx, y) ||
    !fw_grid_is_free(grid, x, y + by.dy) || (heading % 2 == 1 && problem->connectivity != 8)) {
    return false;
  }
  const int32_t before = *to;
  *to = fw_grid_cell(grid, x + by.dx, y + by.dy);
  return ((grid->rules[before] | grid->rules[*to]) >> heading & 1) == 0;
}

static bool do_collide(const fw_grid_t * grid, const int32_t * from, const int32_t * to)
{
  const bool has_same_middle =
    fw_grid_x(grid, from[0]) + fw_grid_x(grid, to[0]) == fw_grid_x(grid, from[1]) + fw_grid_x(grid, to[1]) &&
    fw_grid_y(grid, from[0]) + fw_grid_y(grid, to[0]) == fw_grid_y(grid, from[1]) + fw_grid_y(grid, to[1]);
  return to[0] == to[1] || (has_same_middle && from[0] != to[0] && from[1] != to[1]);
}

// The least sum of costs of two robots; -1 if there is no plan.
static fw_cost_t brute_force(const fw_problem_t * problem)
{
  static int32_t best[STATES];
  static bool is_done[STATES];
  memset(best, 0x7f, sizeof(best));
  memset(is_done, 0, sizeof(is_done));
  const joint_t start = {{problem->robots[0].start, problem->robots[1].start}, {false, false}};
  best[pack(&start)] = 0;
  for (;;) {
    int32_t state = -1;
    for (int32_t i = 0; i < STATES; ++i) {
      state = !is_done[i] && best[i] < COST_MAX && (state < 0 || best[i] < best[state]) ? i : state;
    }
    if (state < 0) {
      return -1;
    }
    is_done[state] = true;
    const joint_t from = unpack(state);
    if (from.cell[0] == problem->robots[0].goal && from.cell[1] == problem->robots[1].goal) {
      return best[state];
    }
    for (int32_t choice = 0; choice < 81; ++choice) {
      const int32_t heading[ROBOTS] = {choice % 9 - 1, choice / 9 - 1};
      joint_t to = from;
      int32_t cost = best[state];
      bool is_free = true;
      for (int32_t r = 0; r < ROBOTS; ++r) {
        is_free = is_free && may_go(problem, &from, r, heading[r], &to.cell[r]);
        to.has_left[r] = from.has_left[r] || to.cell[r] != problem->robots[r].start;
        cost += heading[r] < 0 && to.cell[r] == problem->robots[r].goal ? 0 : 1;
      }
      if (is_free && !do_collide(problem->grid, from.cell, to.cell) && cost < best[pack(&to)]) {
        best[pack(&to)] = cost;
      }
    }
  }
}

// Random rules: rectangles with one of both kinds, or single cells.
static void draw_rules(fw_rng_t * rng, const fw_grid_t * grid, uint16_t * rules)
{
  memset(rules, 0, (size_t)fw_grid_cell_count(grid) * sizeof(*rules));
  for (int32_t i = 0; i < 1 + fw__rng_below(rng, 3); ++i) {
    const int32_t left = fw__rng_below(rng, grid->width);
    const int32_t top = fw__rng_below(rng, grid->height);
    const int32_t right = left + fw__rng_below(rng, grid->width - left);
    const int32_t bottom = top + fw__rng_below(rng, 2);
    const int32_t kind = fw__rng_below(rng, 12);
    for (int32_t y = top; y <= bottom && y < grid->height; ++y) {
      for (int32_t x = left; x <= right; ++x) {
        uint16_t * rule = &rules[fw_grid_cell(grid, x, y)];
        *rule |= kind < 4 ? FW_RULE_NO_WAITING : 0;
        for (int32_t heading = 0; heading < FW_HEADING_COUNT && kind >= 4; ++heading) {
          const fw_offset_t way = steps[kind - 4];
          const bool is_against = way.dx * steps[heading].dx + way.dy * steps[heading].dy < 0;
          *rule = (uint16_t)(*rule | (is_against ? FW_RULE_ONE_WAY(heading) : 0U));
        }
      }
    }
  }
}

static bool has_goals_without_waiting(const fw_problem_t * problem)
{
  bool has_any = false;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    has_any = has_any || (robot->goal != robot->start && !fw_grid_allows_waiting(problem->grid, robot->goal));
  }
  return has_any;
}

static void optimal_planners_find_the_least_cost(void ** state)
{
  (void)state;
  static const char * const names[] = {"standard", "od", "sid", "od_id"};
  int32_t solvable = 0, unsolvable = 0, dearer = 0, refused = 0;
  for (int32_t round = 0; round < test_rounds(1500); ++round) {
    world_t world;
    uint16_t rules[CELLS], none[CELLS] = {0};
    fw_rng_t rng = fw__rng((uint64_t)(91000 + round));
    const int32_t width = 2 + fw__rng_below(&rng, 3);
    fw_grid_t grid = world_grid(&rng, width, 2 + fw__rng_below(&rng, width == 4 ? 2 : 3), 20, false);
    world_settle(&world, grid, &rng, WORLD_DIAGONALS, ROBOTS);
    if (world.problem.robot_count == ROBOTS) {
      draw_rules(&rng, &world.grid, rules);
      world.grid.rules = rules;
      const bool is_refused = has_goals_without_waiting(&world.problem);
      refused += is_refused;
      const fw_cost_t truth = is_refused ? -1 : brute_force(&world.problem);
      for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
        fw_planner_t planner;
        fw_plan_t plan;
        fw_conflict_t conflict;
        fw_error_t error;
        assert_int_equal(fw_planner_init(&planner, names[i], NULL, NULL), FW_RET_OK);
        const fw_ret_t ret = fw_planner_solve(&planner, &world.problem, NULL, &plan, &error);
        assert_int_equal(ret, is_refused ? FW_RET_INVALID_ARGUMENT : FW_RET_OK);
        if (is_refused) {
          assert_non_null(strstr(error.text, "no-waiting area"));
          assert_int_equal(error.fault, FW_FAULT_GOAL_OCCUPIED);
        } else {
          const fw_cost_t cost = plan.outcome == FW_OUTCOME_SOLVED ? plan.stats.sum_of_costs : -1;
          if (cost != truth || (truth < 0 && plan.outcome != FW_OUTCOME_UNSOLVABLE)) {
            fail_msg("%s: %s, round %d: cost %d, the truth is %d", names[i], world.text, round, (int)cost, (int)truth);
          }
          assert_int_equal(fw_check_plan(&world.problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
          assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
        }
        fw_planner_fini(&planner);
      }
      if (!is_refused) {
        *(truth >= 0 ? &solvable : &unsolvable) += 1;
        world.grid.rules = none;
        dearer += truth >= 0 && brute_force(&world.problem) < truth;
      }
    }
    world.grid.rules = NULL;
    world_fini(&world);
  }
  assert_true(solvable > 200 && unsolvable > 20 && dearer > 20 && refused > 20);
}

// ---- every planner --------------------------------------------------------------------------------------------------

typedef struct ruled_world_t {
  world_t world;
  uint16_t rules[16 * 16];
} ruled_world_t;

static void make_ruled(ruled_world_t * ruled, uint64_t number, int32_t features)
{
  world_make(&ruled->world, number, features, 10);
  fw_rng_t rng = fw__rng(number * 7 + 1);
  assert_true(fw_grid_cell_count(&ruled->world.grid) <= TEST_COUNT(ruled->rules));
  draw_rules(&rng, &ruled->world.grid, ruled->rules);
  for (int32_t r = 0; r < ruled->world.problem.robot_count; ++r) {
    ruled->rules[ruled->world.robots[r].goal] &= (uint16_t)~FW_RULE_NO_WAITING;
  }
  ruled->world.grid.rules = ruled->rules;
}

static void fini_ruled(ruled_world_t * ruled)
{
  ruled->world.grid.rules = NULL;
  world_fini(&ruled->world);
}

static void assert_keeps_rules(const fw_planner_def_t * def, const world_t * world, const fw_plan_t * plan)
{
  fw_conflict_t conflict;
  char text[200];
  assert_int_equal(fw_check_plan(&world->problem, plan, NULL, &conflict, NULL), FW_RET_OK);
  if (conflict.kind != FW_CONFLICT_NONE) {
    fw_conflict_describe(&world->problem, &conflict, text, sizeof(text));
    fail_msg("%s: %s: %s (%s)", def->name, world->text, text, fw_outcome_name(plan->outcome));
  }
}

static void every_planner_keeps_the_rules_or_refuses(void ** state)
{
  (void)state;
  const int32_t all = WORLD_MOTION | WORLD_CLOSURES | WORLD_UNDER_WAY;
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    const fw_planner_def_t * def = fw_planner_def_at(i);
    int32_t solved = 0, refused = 0, partial = 0;
    for (int32_t round = 0; round < test_rounds(def->is_optimal ? 60 : 150); ++round) {
      ruled_world_t ruled;
      make_ruled(
        &ruled, (uint64_t)(7000 + round), planner_features_within(def, round % 2 == 0 ? WORLD_DIAGONALS : all));
      if (fw_grid_has_rules(&ruled.world.grid)) {
        fw_planner_t planner;
        fw_plan_t plan;
        fw_error_t error;
        const fw_budget_t budget = {.expansions_max = 20000};
        assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
        const fw_ret_t ret = fw_planner_solve(&planner, &ruled.world.problem, &budget, &plan, &error);
        if (def->has_rules) {
          assert_int_equal(ret, FW_RET_OK);
          assert_keeps_rules(def, &ruled.world, &plan);
          solved += plan.outcome == FW_OUTCOME_SOLVED;
          partial += plan.outcome == FW_OUTCOME_PARTIAL;
        } else {
          assert_int_equal(ret, FW_RET_UNSUPPORTED);
          assert_non_null(strstr(error.text, def->name));
          ++refused;
        }
        fw_planner_fini(&planner);
      }
      fini_ruled(&ruled);
    }
    print_message("%s: %d solved, %d partial, %d refused\n", def->name, solved, partial, refused);
    assert_true(def->has_rules ? solved > 20 : refused > 20);
  }
}

// A fleet that goes on: each plan is executed for some ticks, then robots get new goals and the next problem begins
// where they are.
static void a_rolling_fleet_keeps_the_rules(void ** state)
{
  (void)state;
  int32_t arrived = 0;
  for (int32_t round = 0; round < test_rounds(60); ++round) {
    ruled_world_t ruled;
    make_ruled(&ruled, (uint64_t)(8000 + round), round % 2 == 0 ? WORLD_DIAGONALS : WORLD_SPEEDS | WORLD_HEADINGS);
    world_t * world = &ruled.world;
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_planner_t planner;
    assert_int_equal(fw_planner_init(&planner, "whca", NULL, NULL), FW_RET_OK);
    world->problem.horizon = 8;
    world->problem.since = 0;
    for (int32_t solve = 0; solve < 12 && world->problem.robot_count > 0; ++solve) {
      fw_plan_t plan;
      fw_error_t error = {.text = ""};
      if (fw_planner_solve(&planner, &world->problem, NULL, &plan, &error) != FW_RET_OK) {
        fail_msg("%s: solve %d: %s", world->text, solve, error.text);
      }
      assert_keeps_rules(fw_planner_definition(&planner), world, &plan);
      const fw_tick_t ticks = plan.safe_until < 5 ? plan.safe_until : 5;
      for (int32_t r = 0; r < world->problem.robot_count; ++r) {
        fw_robot_t * robot = &world->robots[r];
        fw_robot_advance(robot, &plan.paths[r], ticks);
        if (robot->start == robot->goal && robot->footprint_count <= 1) {
          ++arrived;
          const int32_t other = fw__rng_below(&rng, world->problem.robot_count);
          robot->goal =
            fw_grid_allows_waiting(&world->grid, world->robots[other].goal) ? world->robots[other].goal : robot->goal;
        }
      }
      world->problem.since = ticks;
    }
    fw_planner_fini(&planner);
    fini_ruled(&ruled);
  }
  assert_true(arrived > 100);
}

// ---- the graph of moves ---------------------------------------------------------------------------------------------

static void one_way_cells_lead_one_way(void ** state)
{
  (void)state;
  DRAW(plain, "...", "...");
  uint16_t rules[6];
  const fw_grid_t grid = with_rules(plain, rules, ".>...w");
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  const fw_problem_t problem = {.grid = &grid, .connectivity = 4};
  fw_moves_t moves;
  assert_true(fw__moves_init_cells(&moves, &arena, &problem));
  assert_true(fw__moves_validate(&moves));
  const int32_t left = moves.node_of[0], middle = moves.node_of[1], right = moves.node_of[2], below = moves.node_of[4];
  assert_int_equal(fw__moves_successors(&moves, left)[0], middle);
  assert_int_equal(fw__moves_successors(&moves, middle)[0], right);
  assert_int_equal(fw__moves_successors(&moves, middle)[1], below);  // sideways is not against the direction
  assert_int_equal(fw__moves_successors(&moves, below)[3], middle);
  assert_int_equal(fw__moves_successors(&moves, middle)[2], -1);
  assert_int_equal(fw__moves_successors(&moves, right)[2], -1);
  assert_int_equal(fw__moves_predecessors(&moves, right)[0], middle);
  assert_int_equal(fw__moves_predecessors(&moves, left)[2], -1);
  assert_int_equal(fw__moves_beside(&moves, right, 2), middle);
  assert_true(moves.has_no_waiting);
  assert_true(fw__moves_allow_waiting(&moves, middle));
  assert_false(fw__moves_allow_waiting(&moves, moves.node_of[5]));
  fw__arena_fini(&arena);
}

// ---- the checker ----------------------------------------------------------------------------------------------------

typedef struct case_t {
  const char * rules;
  const char * path;  // letters of cells from 'a'
  fw_cell_t goal;
  int32_t ticks_per_move;
  fw_tick_t until;  // 0: the whole plan
  fw_conflict_kind_t kind;
  fw_tick_t tick;
} case_t;

static void the_checker_reports_broken_rules(void ** state)
{
  (void)state;
  static const case_t cases[] = {
    {"..>..", "abcde", 4, 1, 0, FW_CONFLICT_NONE, 0},
    {"..>..", "edc", 2, 1, 0, FW_CONFLICT_ONE_WAY, 2},  // into the area
    {"..<..", "abcde", 4, 1, 0, FW_CONFLICT_ONE_WAY, 2},
    {"..>..", "cb", 1, 1, 0, FW_CONFLICT_ONE_WAY, 1},  // out of it
    {"..w..", "abcde", 4, 1, 0, FW_CONFLICT_NONE, 0},
    {"..w..", "abccde", 4, 1, 0, FW_CONFLICT_WAIT, 3},
    {"..w..", "abbcde", 4, 1, 0, FW_CONFLICT_NONE, 0},
    {"w....", "aaab", 1, 1, 0, FW_CONFLICT_NONE, 0},          // it has not left its start yet
    {"w....", "aabaab", 1, 1, 0, FW_CONFLICT_WAIT, 4},        // it has
    {"w....", "aba", 0, 1, 0, FW_CONFLICT_NONE, 0},           // back on its goal
    {"..w..", "aaabbbcccddd", 3, 3, 0, FW_CONFLICT_NONE, 0},  // three ticks for a move
    {"..w..", "aaabbbccccddd", 3, 3, 0, FW_CONFLICT_WAIT, 7},
    {"..w..", "abc", 4, 1, 2, FW_CONFLICT_NONE, 0},  // the plan ends while it passes
    {"..w..", "abc", 4, 1, 3, FW_CONFLICT_WAIT, 3},
    {"..w..", "aaabbbc", 4, 3, 8, FW_CONFLICT_NONE, 0},  // it may be on its way to the next cell
    {"..w..", "aaabbbc", 4, 3, 9, FW_CONFLICT_WAIT, 7},
    {"..w<.", "abccd", 3, 1, 0, FW_CONFLICT_WAIT, 3},  // the first of two faults
  };
  DRAW(plain, ".....");
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    uint16_t rules[5];
    const fw_grid_t grid = with_rules(plain, rules, cases[i].rules);
    fw_cell_t cells[16];
    const int32_t length = (int32_t)strlen(cases[i].path);
    for (int32_t t = 0; t < length; ++t) {
      cells[t] = cases[i].path[t] - 'a';
    }
    const fw_robot_t robot = {.start = cells[0], .goal = cases[i].goal, .ticks_per_move = cases[i].ticks_per_move};
    const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1, .connectivity = 4};
    const fw_path_t path = {.cells = cells, .length = length};
    fw_conflict_t conflict;
    const fw_tick_t until = cases[i].until == 0 ? FW_TICK_MAX : cases[i].until;
    assert_int_equal(fw_check_paths(&problem, &path, 1, until, NULL, &conflict, NULL), FW_RET_OK);
    if (conflict.kind != cases[i].kind || conflict.tick != cases[i].tick) {
      fail_msg(
        "%s on %s: %s at tick %d", cases[i].path, cases[i].rules, fw_conflict_kind_name(conflict.kind), conflict.tick);
    }
  }
}

// ---- grids and problems ---------------------------------------------------------------------------------------------

static void a_goal_without_waiting_is_refused(void ** state)
{
  (void)state;
  DRAW(plain, "...");
  uint16_t rules[3];
  const fw_grid_t grid = with_rules(plain, rules, "w.w");
  fw_robot_t robot = {.start = 0, .goal = 2};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1, .connectivity = 4};
  fw_error_t error;
  assert_int_equal(fw_problem_check(&problem, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "the goal of robot 0, (2,0), is in a no-waiting area");
  robot.goal = 1;
  assert_int_equal(fw_problem_check(&problem, &error), FW_RET_OK);
  robot.goal = 0;  // where it is already
  assert_int_equal(fw_problem_check(&problem, &error), FW_RET_OK);
}

static void a_grid_of_its_own_memory_gets_rules(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_init(&grid, 3, 2, NULL, NULL), FW_RET_OK);
  assert_false(fw_grid_has_rules(&grid));
  assert_int_equal(fw_grid_init_rules(&grid, NULL), FW_RET_OK);
  assert_int_equal(fw_grid_init_rules(&grid, NULL), FW_RET_OK);
  assert_false(fw_grid_has_rules(&grid));
  grid.rules[5] = FW_RULE_NO_WAITING;
  assert_true(fw_grid_has_rules(&grid));
  assert_false(fw_grid_allows_waiting(&grid, 5));
  assert_true(fw_grid_allows_waiting(&grid, 4));
  fw_grid_fini(&grid);
  DRAW(borrowed, "..");
  grid = borrowed;
  fw_error_t error;
  assert_int_equal(fw_grid_init_rules(&grid, &error), FW_RET_INVALID_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_way_cells_lead_one_way),           cmocka_unit_test(the_checker_reports_broken_rules),
    cmocka_unit_test(a_goal_without_waiting_is_refused),    cmocka_unit_test(a_grid_of_its_own_memory_gets_rules),
    cmocka_unit_test(optimal_planners_find_the_least_cost), cmocka_unit_test(every_planner_keeps_the_rules_or_refuses),
    cmocka_unit_test(a_rolling_fleet_keeps_the_rules),
  };
  return TEST_RUN(tests);
}
