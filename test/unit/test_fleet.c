// What a fleet knows of its ways: distances that robots of one goal share, that change with goals and begin anew.

#include "planner/fleet.h"

#include "support/draw.h"
#include "support/test.h"
#include "world/problem.h"

enum { ROBOTS = 4 };

typedef struct fixture_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_meter_t meter;
  fw_planner_context_t context;
  fw_robot_t robots[ROBOTS];
  fw_problem_t problem;
  fw_fleet_t fleet;
} fixture_t;

static void begin(fixture_t * f, const fw_grid_t * grid, const fw_robot_t * robots)
{
  *f = (fixture_t){.memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX}};
  fw_arena_init(&f->arena, &f->memory);
  fw_meter_start(&f->meter, NULL);
  f->context = (fw_planner_context_t){.scratch = &f->arena, .meter = &f->meter, .threads = 1};
  const fw_problem_t problem = {.grid = grid, .robots = robots, .robot_count = ROBOTS, .horizon = 8};
  f->problem = fw__problem_normalise(&problem, &f->arena);
  for (int32_t r = 0; r < ROBOTS; ++r) {
    f->robots[r] = f->problem.robots[r];
  }
  f->problem.robots = f->robots;
  assert_int_equal(fw_fleet_init(&f->fleet, &f->arena, &f->context, &f->problem, NULL), FW_FLEET_READY);
}

static int32_t distance(fixture_t * f, int32_t robot, fw_cell_t from)
{
  return fw_distance_get(fw_fleet_distance(&f->fleet, robot), f->fleet.moves[robot]->node_of[from], &f->meter);
}

static void robots_of_one_goal_and_shape_share_distances(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......", "......");
  static const fw_offset_t wide[] = {{0, 0}, {1, 0}};
  const fw_robot_t robots[ROBOTS] = {
    {.start = 0, .goal = 9},
    {.start = 12, .goal = 9},
    {.start = 5, .goal = 8},
    {.start = 14, .goal = 9, .footprint = wide, .footprint_count = 2},
  };
  fixture_t f;
  begin(&f, &grid, robots);
  assert_ptr_equal(fw_fleet_distance(&f.fleet, 0), fw_fleet_distance(&f.fleet, 1));
  assert_ptr_not_equal(fw_fleet_distance(&f.fleet, 0), fw_fleet_distance(&f.fleet, 2));
  assert_ptr_not_equal(fw_fleet_distance(&f.fleet, 0), fw_fleet_distance(&f.fleet, 3));  // it fits elsewhere

  // One goes elsewhere: the other keeps what they had. The third joins it.
  f.robots[1].goal = 0;
  assert_true(fw_fleet_set_goal(&f.fleet, &f.arena, 1, (fw_pose_t){12, 0}, &f.meter));
  assert_int_equal(distance(&f, 1, 5), 5);
  assert_int_equal(distance(&f, 0, 5), 3);
  f.robots[2].goal = 0;
  assert_true(fw_fleet_set_goal(&f.fleet, &f.arena, 2, (fw_pose_t){5, 0}, &f.meter));
  assert_ptr_equal(fw_fleet_distance(&f.fleet, 1), fw_fleet_distance(&f.fleet, 2));
  fw_fleet_remove(&f.fleet, 1);
  assert_int_equal(distance(&f, 2, 17), 7);
  fw_arena_fini(&f.arena);
}

static void distances_that_have_grown_begin_anew(void ** state)
{
  (void)state;
  DRAW(grid, "........", "........", "........", "........");
  const fw_robot_t robots[ROBOTS] = {
    {.start = 0, .goal = 7}, {.start = 8, .goal = 15}, {.start = 16, .goal = 23}, {.start = 24, .goal = 31}};
  fixture_t f;
  begin(&f, &grid, robots);
  for (fw_cell_t cell = 0; cell < 32; ++cell) {
    (void)distance(&f, 0, cell);
  }
  assert_int_equal(fw_fleet_distance(&f.fleet, 0)->places, 32);
  assert_true(fw_fleet_trim(&f.fleet, 0, (fw_pose_t){6, 0}, 32));
  assert_int_equal(fw_fleet_distance(&f.fleet, 0)->places, 32);
  assert_true(fw_fleet_trim(&f.fleet, 0, (fw_pose_t){6, 0}, 31));
  assert_int_equal(fw_fleet_distance(&f.fleet, 0)->places, 0);
  assert_int_equal(distance(&f, 0, 6), 1);
  assert_in_range(fw_fleet_distance(&f.fleet, 0)->places, 1, 4);
  assert_int_equal(distance(&f, 0, 24), 10);
  fw_arena_fini(&f.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(robots_of_one_goal_and_shape_share_distances),
    cmocka_unit_test(distances_that_have_grown_begin_anew),
  };
  return TEST_RUN(tests);
}
