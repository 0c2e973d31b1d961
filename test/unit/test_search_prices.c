// What a search pays for going through others, and what it does not get at any price.

#include "spacetime/search.h"
#include "support/draw.h"
#include "support/test.h"
#include "world/problem.h"

static const fw_offset_t bar2[] = {{0, 0}, {1, 0}};

enum { HORIZON = 20, PRICE = 5 };

// Robot 1, of one or two cells, wants from one end of a lane to the other; robot 0 stands in it.
typedef struct lane_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_meter_t meter;
  fw_robot_t robots[2];
  fw_problem_t problem;
  fw_moves_t places;
  fw_moves_t moves;
  fw_bodies_t bodies;
  fw_reservations_t table;
  fw_spacetime_search_t search;
  int32_t prices[2];
  fw_spacetime_query_t query;
} lane_t;

static void begin(lane_t * lane, const fw_grid_t * grid, int32_t cells)
{
  *lane = (lane_t){
    .memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX},
    .robots = {{.start = 3, .goal = 3}, {.start = 0, .goal = 7, .footprint = bar2, .footprint_count = cells}},
    .prices = {PRICE, FW_PRICE_NEVER},
  };
  fw__arena_init(&lane->arena, &lane->memory);
  fw__meter_start(&lane->meter, NULL);
  const fw_problem_t given = {.grid = grid, .robots = lane->robots, .robot_count = 2, .connectivity = 4};
  lane->problem = fw__problem_normalise(&given, &lane->arena);
  assert_true(fw__bodies_init(&lane->bodies, &lane->arena, &lane->problem));
  assert_true(fw__moves_init_cells(&lane->places, &lane->arena, &(fw_problem_t){.grid = grid, .connectivity = 4}));
  assert_true(fw__moves_init_body(&lane->moves, &lane->arena, grid, lane->bodies.of[1]));
  assert_true(fw__reservations_init(&lane->table, &lane->arena, &lane->places, &lane->bodies));
  assert_true(fw__reservations_book(
    &lane->table, 0, (fw_booking_t){.path = {.cells = &lane->robots[0].start, .length = 1}, .until = HORIZON}));
  fw__spacetime_search_init(&lane->search, &lane->arena);
  lane->query = (fw_spacetime_query_t){
    .table = &lane->table,
    .moves = &lane->moves,
    .robot = 1,
    .start = 0,
    .horizon = HORIZON,
    .prices = lane->prices,
    .is_paid_once = true,
    .estimate_degree = 4,
  };
}

static fw_found_t find(lane_t * lane, fw_path_t * path)
{
  return fw__spacetime_search_path(&lane->search, &lane->query, &lane->meter, path);
}

// A bar is upon a robot for two moves. Seven moves and one price come to 12: a limit of 13 is enough, one of 12 is not.
static void whoever_is_met_is_paid_once(void ** state)
{
  (void)state;
  DRAW(grid, ".........");
  for (int32_t cells = 1; cells <= 2; ++cells) {
    lane_t lane;
    fw_path_t path;
    begin(&lane, &grid, cells);
    lane.query.limit = 7 + PRICE;
    assert_int_equal(find(&lane, &path), FW_FOUND_NONE);
    lane.query.limit = 7 + PRICE + 1;
    assert_int_equal(find(&lane, &path), FW_FOUND_PATH);
    assert_int_equal(path.cells[path.length - 1], 7);
    lane.query.is_paid_once = false;
    assert_int_equal(find(&lane, &path), cells == 1 ? FW_FOUND_PATH : FW_FOUND_NONE);
    fw__arena_fini(&lane.arena);
  }
}

// Without horizon and prices the path waits until the robot has gone: a limit above its ticks changes nothing, a
// smaller one leaves no path.
static void a_limit_without_a_horizon(void ** state)
{
  (void)state;
  DRAW(grid, ".........");
  for (int32_t cells = 1; cells <= 2; ++cells) {
    lane_t lane;
    fw_path_t path;
    begin(&lane, &grid, cells);
    lane.query.horizon = FW_TICK_MAX;
    lane.query.prices = NULL;
    lane.query.now = 2;
    assert_int_equal(find(&lane, &path), FW_FOUND_PATH);
    const int32_t ticks = path.length - 1;
    assert_true(ticks > HORIZON - 2);
    lane.query.limit = ticks;
    assert_int_equal(find(&lane, &path), FW_FOUND_NONE);
    lane.query.limit = ticks + 1;
    assert_int_equal(find(&lane, &path), FW_FOUND_PATH);
    assert_int_equal(path.length - 1, ticks);
    fw__arena_fini(&lane.arena);
  }
}

// To wait before somebody who does not move is a path, unless it has to arrive.
static void a_path_that_must_arrive_does(void ** state)
{
  (void)state;
  DRAW(grid, ".........");
  for (int32_t cells = 1; cells <= 2; ++cells) {
    lane_t lane;
    fw_path_t path;
    begin(&lane, &grid, cells);
    lane.query.must_arrive = true;
    assert_int_equal(find(&lane, &path), FW_FOUND_PATH);
    assert_int_equal(path.cells[path.length - 1], 7);
    lane.prices[0] = FW_PRICE_NEVER;
    assert_int_equal(find(&lane, &path), FW_FOUND_NONE);
    lane.query.must_arrive = false;
    assert_int_equal(find(&lane, &path), FW_FOUND_PATH);
    assert_int_not_equal(path.cells[path.length - 1], 7);
    fw__arena_fini(&lane.arena);
  }
}

// Robot 0 is ready at once and holds its cell for four ticks: nobody is there before the fifth, whatever they pay.
static void what_is_held_cannot_be_had(void ** state)
{
  (void)state;
  DRAW(grid, ".........");
  for (int32_t cells = 1; cells <= 2; ++cells) {
    lane_t lane;
    fw_path_t path;
    begin(&lane, &grid, cells);
    int32_t node = lane.places.node_of[3];
    fw_tick_t ticks = 4;
    const fw_commitment_t holds[2] = {{.nodes = &node, .ticks = &ticks, .count = 1}};
    for (int32_t is_held = 0; is_held < 2; ++is_held) {
      lane.table.commitments = is_held == 1 ? holds : NULL;
      assert_int_equal(find(&lane, &path), FW_FOUND_PATH);
      const fw_cell_t before = 3 - cells;  // from here the next move comes upon robot 0
      const fw_tick_t soonest = is_held == 1 ? 4 : before;
      assert_int_equal(path.cells[soonest], before);
      assert_int_equal(path.cells[soonest + 1], before + 1);
    }
    // Taken off its plan it is still there for as long.
    fw__reservations_remove(&lane.table, 0);
    assert_true(fw__reservations_add_start(&lane.table, 0) && fw__reservations_add_commitment(&lane.table, 0));
    assert_int_equal(fw__reservations_owner(&lane.table, node, 4), 0);
    assert_int_equal(fw__reservations_owner(&lane.table, node, 5), -1);
    fw__reservations_remove(&lane.table, 0);
    assert_int_equal(fw__reservations_owner(&lane.table, node, 4), -1);
    fw__arena_fini(&lane.arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_limit_without_a_horizon),
    cmocka_unit_test(whoever_is_met_is_paid_once),
    cmocka_unit_test(a_path_that_must_arrive_does),
    cmocka_unit_test(what_is_held_cannot_be_had),
  };
  return TEST_RUN(tests);
}
