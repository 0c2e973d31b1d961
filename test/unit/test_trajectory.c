// A robot in space and time as pictures show it: against a slow version, and against the planners' reservation table.

#include "view/trajectory.h"

#include <string.h>

#include "spacetime/reservations.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/rotated.h"
#include "support/world.h"
#include "view/reservations.h"
#include "world/problem.h"

enum { TICKS_MAX = 40, WALKERS_MAX = 6, CELLS_MAX = 14 * 14 };

// ---- a plan of random walks -----------------------------------------------------------------------------------------

typedef struct walks_t {
  world_t world;
  fw_cell_t cells[WORLD_ROBOTS_MAX][TICKS_MAX];
  uint8_t headings[WORLD_ROBOTS_MAX][TICKS_MAX];
  fw_path_t paths[WORLD_ROBOTS_MAX];
  fw_plan_t plan;
} walks_t;

static void walks_make(walks_t * walks, uint64_t number, int32_t features)
{
  fw_rng_t rng = fw__rng(number);
  world_make(&walks->world, number, features, WALKERS_MAX);
  const fw_problem_t * problem = &walks->world.problem;
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    const world_walk_t room = {walks->cells[robot], walks->headings[robot], TICKS_MAX};
    walks->paths[robot] = world_walk_body(problem, robot, &rng, room);
  }
  walks->plan = (fw_plan_t){
    .outcome = FW_OUTCOME_PARTIAL,
    .safe_until = TICKS_MAX - 1,
    .paths = walks->paths,
    .robot_count = problem->robot_count,
  };
}

// ---- the same again, slowly and apart -------------------------------------------------------------------------------
// Forwards, motion after motion, as fleetweave.h defines it, with the rotated footprints of support/rotated.h.

typedef struct truth_t {
  bool covers[TICKS_MAX][CELLS_MAX];
  bool moves[TICKS_MAX];  // on the step that begins at the tick; turns too
} truth_t;

typedef struct brush_t {
  const walks_t * walks;
  int32_t robot;
  truth_t * truth;
} brush_t;

static int32_t heading_at(const walks_t * walks, int32_t robot, fw_tick_t tick)
{
  return walks->paths[robot].headings == NULL ? 0 : walks->headings[robot][tick];
}

static void paint(const brush_t * brush, fw_cell_t place, fw_offset_t at, fw_tick_t tick)
{
  const fw_grid_t * grid = brush->walks->world.problem.grid;
  const int32_t x = fw_grid_x(grid, place) + at.dx;
  const int32_t y = fw_grid_y(grid, place) + at.dy;
  assert_true(fw_grid_contains(grid, x, y));
  brush->truth->covers[tick][fw_grid_cell(grid, x, y)] = true;
}

static void paint_footprint(const brush_t * brush, fw_tick_t listed, fw_tick_t tick)
{
  fw_offset_t cells[ROTATED_MAX];
  const fw_robot_t * body = &brush->walks->world.problem.robots[brush->robot];
  const int32_t count = rotated_list(body, heading_at(brush->walks, brush->robot, listed), cells);
  for (int32_t i = 0; i < count; i++) {
    paint(brush, brush->walks->cells[brush->robot][listed], cells[i], tick);
  }
}

// The motion that is listed as complete at `arrival`.
static void paint_motion(const brush_t * brush, fw_tick_t arrival)
{
  const fw_grid_t * grid = brush->walks->world.problem.grid;
  const fw_robot_t * body = &brush->walks->world.problem.robots[brush->robot];
  const fw_cell_t from = brush->walks->cells[brush->robot][arrival - 1];
  const fw_cell_t to = brush->walks->cells[brush->robot][arrival];
  const fw_offset_t by = {fw_grid_x(grid, to) - fw_grid_x(grid, from), fw_grid_y(grid, to) - fw_grid_y(grid, from)};
  const int32_t ticks = from == to ? body->turn_ticks : body->ticks_per_move > 0 ? body->ticks_per_move : 1;
  fw_offset_t swept[ROTATED_MAX];
  const int32_t count = rotated_sweeps(
    body, heading_at(brush->walks, brush->robot, arrival - 1), heading_at(brush->walks, brush->robot, arrival), by,
    swept);
  for (fw_tick_t tick = arrival - ticks + 1; tick <= arrival; tick++) {
    brush->truth->moves[tick - 1] = true;
    paint_footprint(brush, arrival, tick);
    for (int32_t i = 0; i < count; i++) {
      paint(brush, from, swept[i], tick);
    }
  }
}

static void truth_make(truth_t * truth, const walks_t * walks, int32_t robot)
{
  const fw_path_t * path = &walks->paths[robot];
  const brush_t brush = {walks, robot, truth};
  memset(truth, 0, sizeof(*truth));
  for (fw_tick_t tick = 0; tick < TICKS_MAX; tick++) {
    const fw_tick_t last = tick < path->length ? tick : path->length - 1;
    paint_footprint(&brush, last, tick);
    const bool has_changed = tick > 0 && tick < path->length &&
                             (path->cells[tick] != path->cells[tick - 1] ||
                              heading_at(walks, robot, tick) != heading_at(walks, robot, tick - 1));
    if (has_changed) {
      paint_motion(&brush, tick);
    }
  }
}

static bool keeps(const truth_t * truth, fw_tick_t robust_ticks, fw_tick_t tick, fw_cell_t cell)
{
  bool has = false;
  for (fw_tick_t back = 0; back <= robust_ticks && back <= tick; back++) {
    has = has || truth->covers[tick - back][cell];
  }
  return has;
}

static int32_t count_stays(const fw_view_reservations_t * reservations, int32_t robot, fw_tick_t tick, fw_cell_t cell)
{
  int32_t count = 0;
  for (int32_t i = 0; i < reservations->count; i++) {
    const fw_view_reservation_t * reservation = &reservations->items[i];
    count +=
      reservation->robot == robot && reservation->cell == cell && reservation->from <= tick && tick <= reservation->to;
  }
  return count;
}

// Each cell and tick that a robot keeps is in one reservation, and no other is in any: for all shapes, speeds, turns,
// sweeps and robust ticks.
static void stays_are_what_robots_keep(void ** state)
{
  (void)state;
  static walks_t walks;
  static truth_t truth;
  const fw_allocator_t allocator = fw_allocator_default();
  for (int32_t round = 0; round < test_rounds(60); round++) {
    walks_make(&walks, (uint64_t)round, round % 2 == 0 ? WORLD_MOTION : WORLD_MOTION & ~WORLD_ROBUST);
    const fw_problem_t * problem = &walks.world.problem;
    const fw_tick_span_t span = {round % 7, 12 + round % 20};
    fw_view_reservations_t reservations = {0};
    fw__view_reservations_init(&reservations, problem, &walks.plan, &allocator);
    for (int32_t robot = 0; robot < problem->robot_count; robot++) {
      fw__view_reservations_add_robot(&reservations, robot, span);
    }
    assert_false(reservations.has_failed);
    for (int32_t robot = 0; robot < problem->robot_count; robot++) {
      truth_make(&truth, &walks, robot);
      for (fw_tick_t tick = 0; tick < TICKS_MAX; tick++) {
        const bool is_inside = tick >= span.from && tick <= span.to;
        for (fw_cell_t cell = 0; cell < fw_grid_cell_count(problem->grid); cell++) {
          const bool is_kept = is_inside && keeps(&truth, problem->robust_ticks, tick, cell);
          assert_int_equal(count_stays(&reservations, robot, tick, cell), is_kept ? 1 : 0);
        }
      }
    }
    fw__view_reservations_fini(&reservations);
    world_fini(&walks.world);
  }
}

// The planners' own table, with one robot's path in it, has the robot wherever a picture has it, and nowhere else.
static void cells_are_those_of_the_reservation_table(void ** state)
{
  (void)state;
  static walks_t walks;
  for (int32_t round = 0; round < test_rounds(60); round++) {
    walks_make(&walks, (uint64_t)(1000 + round), WORLD_MOTION);
    fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
    fw_arena_t arena;
    fw__arena_init(&arena, &memory);
    const fw_problem_t problem = fw__problem_normalise(&walks.world.problem, &arena);
    fw_bodies_t bodies;
    fw_moves_t places;
    fw_reservations_t table;
    assert_true(fw__bodies_init(&bodies, &arena, &problem));
    assert_true(fw__moves_init_cells(
      &places, &arena, &(fw_problem_t){.grid = problem.grid, .connectivity = problem.connectivity}));
    assert_true(fw__reservations_init(&table, &arena, &places, &bodies));
    for (int32_t robot = 0; robot < problem.robot_count; robot++) {
      fw__reservations_remove(&table, robot);
    }
    for (int32_t robot = 0; robot < problem.robot_count; robot++) {
      const fw_trajectory_t trajectory = fw__trajectory(&walks.world.problem, &walks.plan, robot);
      fw_cell_t cells[4 * ROTATED_MAX];
      assert_in_range(fw__trajectory_cells_max(&trajectory), 1, TEST_COUNT(cells));
      assert_true(fw__reservations_add_path(&table, robot, walks.paths[robot]));
      for (fw_tick_t tick = 0; tick < TICKS_MAX; tick++) {
        bool is_covered[CELLS_MAX] = {false};
        const int32_t count = fw__trajectory_cells(&trajectory, tick, cells);
        assert_in_range(count, 1, fw__trajectory_cells_max(&trajectory));
        for (int32_t i = 0; i < count; i++) {
          is_covered[cells[i]] = true;
        }
        for (int32_t node = 0; node < places.node_count; node++) {
          const bool is_booked = fw__reservations_owner(&table, node, tick) == robot;
          assert_int_equal(is_booked, is_covered[places.cell_of[node]]);
        }
      }
      fw__reservations_remove(&table, robot);
    }
    fw__arena_fini(&arena);
    world_fini(&walks.world);
  }
}

// ---- waits ----------------------------------------------------------------------------------------------------------

// Every tick of a path is one of a motion, of a stand on the goal, or of exactly one wait.
static void what_is_no_motion_away_from_the_goal_is_a_wait(void ** state)
{
  (void)state;
  static walks_t walks;
  static truth_t truth;
  for (int32_t round = 0; round < test_rounds(60); round++) {
    walks_make(&walks, (uint64_t)round, WORLD_MOTION);
    const fw_problem_t * problem = &walks.world.problem;
    for (int32_t robot = 0; robot < problem->robot_count; robot++) {
      const fw_trajectory_t trajectory = fw__trajectory(problem, &walks.plan, robot);
      const fw_tick_t end = walks.paths[robot].length - 1;
      fw_trajectory_wait_t wait = {0};
      bool has_wait = fw__trajectory_next_wait(&trajectory, 0, end, &wait);
      truth_make(&truth, &walks, robot);
      for (fw_tick_t tick = 0; tick < end; tick++) {
        const fw_cell_t place = walks.cells[robot][tick];
        const bool is_waiting = !truth.moves[tick] && place != problem->robots[robot].goal;
        assert_int_equal(has_wait && wait.from <= tick && tick < wait.to, is_waiting);
        assert_true(!is_waiting || wait.cell == place);
        if (has_wait && tick + 1 == wait.to) {
          has_wait = fw__trajectory_next_wait(&trajectory, wait.to, end, &wait);
        }
      }
      assert_false(has_wait);
    }
    world_fini(&walks.world);
  }
}

// ---- places ---------------------------------------------------------------------------------------------------------

// Three ticks for a quarter turn, two for a move: half way after one tick of the move, a third of the turn after one.
static void places_and_headings_between(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_cell_t cells[] = {4, 4, 4, 4, 4, 1, 1};
  const uint8_t headings[] = {0, 0, 0, 6, 6, 6, 6};
  const fw_path_t path = {.cells = cells, .length = TEST_COUNT(cells), .headings = headings};
  fw_robot_t robot = {.start = 4, .goal = 1, .ticks_per_move = 2, .turn_ticks = 3};
  const fw_trajectory_t trajectory = {.grid = &grid, .robot = &robot, .path = &path};
  const double expected[][3] = {{1.5, 1.5, 0.0}, {1.5, 1.5, -2.0 / 3}, {1.5, 1.5, -4.0 / 3}, {1.5, 1.5, 6.0},
                                {1.5, 1.0, 6.0}, {1.5, 0.5, 6.0},      {1.5, 0.5, 6.0}};
  for (fw_tick_t tick = 0; tick < TEST_COUNT(cells); tick++) {
    const fw_trajectory_point_t place = fw__trajectory_point(&trajectory, tick);
    assert_float_equal(place.x, expected[tick][0], 1e-9);
    assert_float_equal(place.y, expected[tick][1], 1e-9);
    assert_float_equal(place.heading, expected[tick][2], 1e-9);
  }
  fw_trajectory_wait_t wait;
  assert_false(fw__trajectory_next_wait(&trajectory, 0, 6, &wait));  // it turns, moves, and stands on its goal
  robot.turn_ticks = 2;
  assert_true(fw__trajectory_next_wait(&trajectory, 0, 6, &wait));
  assert_int_equal(wait.to - wait.from, 1);
}

// Headings are of robots that turn alone, as the check has it.
static void a_robot_that_does_not_turn_has_no_heading(void ** state)
{
  (void)state;
  DRAW(grid, "...");
  const fw_cell_t cells[] = {0, 0};
  const uint8_t headings[] = {0, 2};
  const fw_path_t path = {.cells = cells, .length = 2, .headings = headings};
  const fw_robot_t robot = {.start = 0, .goal = 2};
  const fw_trajectory_t trajectory = {.grid = &grid, .robot = &robot, .path = &path};
  fw_trajectory_motion_t motion;
  assert_false(fw__trajectory_has_heading(&trajectory));
  assert_false(fw__trajectory_next_motion(&trajectory, 0, 1, &motion));
  assert_true(fw__trajectory_point(&trajectory, 1).heading == 0.0);
}

// A jump, and a turn by half: drawn all the same, with the cells of both ends.
static void a_wrong_path_is_shown_as_it_is(void ** state)
{
  (void)state;
  DRAW(grid, ".....");
  const fw_cell_t cells[] = {0, 4, 4};
  const uint8_t headings[] = {0, 0, 4};
  const fw_path_t path = {.cells = cells, .length = 3, .headings = headings};
  const fw_offset_t nose[] = {{0, 0}, {1, 0}};
  const fw_robot_t robot = {
    .start = 0, .goal = 4, .ticks_per_move = 3, .turn_ticks = 2, .footprint = nose, .footprint_count = 2};
  const fw_trajectory_t trajectory = {.grid = &grid, .robot = &robot, .path = &path};
  fw_cell_t covered[16];
  assert_int_equal(fw__trajectory_cells(&trajectory, 0, covered), 3);  // (5,0) is outside
  assert_int_equal(covered[2], 4);
  assert_int_equal(fw__trajectory_cells(&trajectory, 1, covered), 1);
  assert_int_equal(fw__trajectory_cells(&trajectory, 2, covered), 2);
  assert_int_equal(covered[1], 3);
}

// A plan file can have any heading at any tick. A quarter turn from a diagonal heading is none that robots make.
static void a_turn_that_no_robot_makes_sweeps_nothing(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_cell_t cells[] = {4, 4, 4};
  const fw_offset_t nose[] = {{0, 0}, {1, 0}};
  const fw_robot_t robot = {
    .start = 4, .goal = 0, .ticks_per_move = 1, .turn_ticks = 2, .footprint = nose, .footprint_count = 2};
  int32_t standing[FW_HEADING_COUNT];
  for (uint8_t from = 0; from < FW_HEADING_COUNT; ++from) {
    const uint8_t headings[] = {from, from, from};
    const fw_path_t path = {.cells = cells, .length = 3, .headings = headings};
    fw_cell_t covered[64];
    standing[from] = fw__trajectory_cells(&(fw_trajectory_t){&grid, &robot, &path}, 1, covered);
  }
  for (uint8_t from = 0; from < FW_HEADING_COUNT; ++from) {
    for (uint8_t to = 0; to < FW_HEADING_COUNT; ++to) {
      const uint8_t headings[] = {from, from, to};
      const fw_path_t path = {.cells = cells, .length = 3, .headings = headings};
      const fw_trajectory_t trajectory = {.grid = &grid, .robot = &robot, .path = &path};
      fw_cell_t covered[64];
      assert_true(fw__trajectory_cells_max(&trajectory) <= TEST_COUNT(covered));
      const int32_t count = fw__trajectory_cells(&trajectory, 1, covered);
      const int32_t right = (to - from + FW_HEADING_COUNT) % FW_HEADING_COUNT;
      const int32_t turn = right <= FW_HEADING_COUNT / 2 ? right : FW_HEADING_COUNT - right;
      const bool is_made = turn == 1 || (turn == 2 && from % 2 == 0);
      assert_true(turn == 0 || is_made || count == standing[from] + standing[to]);
      assert_true(!is_made || count >= standing[from] + standing[to]);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(stays_are_what_robots_keep),
    cmocka_unit_test(cells_are_those_of_the_reservation_table),
    cmocka_unit_test(what_is_no_motion_away_from_the_goal_is_a_wait),
    cmocka_unit_test(places_and_headings_between),
    cmocka_unit_test(a_robot_that_does_not_turn_has_no_heading),
    cmocka_unit_test(a_wrong_path_is_shown_as_it_is),
    cmocka_unit_test(a_turn_that_no_robot_makes_sweeps_nothing),
  };
  return TEST_RUN(tests);
}
