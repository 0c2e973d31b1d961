// Layers over the map of the controller: costs, a keepout mask and a cost mask of any frame, updates of a part of the
// map. No robot's disc touches a keepout, robots inside drive out, and an update gives the grid of a whole build.

#include "base/rng.h"
#include "test_controller_scene.h"

enum { MASK_SIDE_MAX = 128 };

typedef struct drawn_mask_t {
  fw_occupancy_map_t map;
  int8_t values[MASK_SIDE_MAX * MASK_SIDE_MAX];
} drawn_mask_t;

static drawn_mask_t drawn, other_drawn;

// '#' is 100, a digit d is 10 d, '.' is 0.
static const fw_occupancy_map_t * draw(double resolution, const char * const * rows, int32_t count)
{
  drawn.map = (fw_occupancy_map_t){
    .width = (int32_t)strlen(rows[0]), .height = count, .resolution = resolution, .values = drawn.values};
  for (int32_t k = 0; k < drawn.map.width * count; ++k) {
    const char sign = rows[k / drawn.map.width][k % drawn.map.width];
    drawn.values[k] = (int8_t)(sign == '#' ? 100 : sign == '.' ? 0 : 10 * (sign - '0'));
  }
  return &drawn.map;
}
#define DRAW(...)                                    \
  draw(                                              \
    SCENE_CELL, (const char * const[]){__VA_ARGS__}, \
    (int32_t)(sizeof((const char * const[]){__VA_ARGS__}) / sizeof(const char *)))

static void set_keepout(scene_t * scene, const fw_occupancy_map_t * mask)
{
  assert_int_equal(fw_controller_set_keepout_mask(&scene->controller, mask, scene->now_ns, &scene->error), FW_RET_OK);
}

static void set_costs(scene_t * scene, const fw_occupancy_map_t * mask)
{
  assert_int_equal(fw_controller_set_cost_mask(&scene->controller, mask, scene->now_ns, &scene->error), FW_RET_OK);
}

static uint8_t cost_at(const scene_t * scene, int32_t x, int32_t y)
{
  const fw_grid_t * grid = &scene->controller.impl->map.grid;
  return grid->cost[fw_grid_cell(grid, x, y)];
}

// ---- costs

static void occupancy_values_become_costs(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  scene.options.settings.map_cost_max = 101;
  scene.options.settings.free_thresh = 0.2;
  scene.options.settings.occupied_thresh = 0.7;
  SCENE(&scene, "a.....");
  const int8_t values[] = {0, 19, 45, 70, 71, -1};
  memcpy(scene.values, values, sizeof values);
  assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  const uint8_t expected[] = {1, 1, 51, 101, 0, 0};
  for (int32_t x = 0; x < 6; ++x) {
    assert_int_equal(cost_at(&scene, x, 0), expected[x]);
  }
  fw_controller_settings_t settings = scene.options.settings;
  settings.map_cost_max = 1;  // trinary: what lies between the thresholds is unknown
  assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_OK);
  const uint8_t trinary[] = {1, 1, 0, 0, 0, 0};
  for (int32_t x = 0; x < 6; ++x) {
    assert_int_equal(cost_at(&scene, x, 0), trinary[x]);
  }
  settings.map_cost_max = 256;
  assert_int_equal(
    fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
  scene_end(&scene);
}

// True if 'a' came through the row `y` on its way to (x, 0).
static bool drives_over_row(scene_t * scene, double x, int32_t y)
{
  const uint64_t id = scene_goal(scene, 'a', x, 0);
  bool was_there = false;
  for (int32_t step = 0; step < 400 && scene_ends(scene, id) == 0; ++step) {
    scene_step(scene);
    was_there = was_there || fabs(scene_robot(scene, 'a')->at.y - scene_place(0, y).y) < 0.1;
  }
  assert_int_equal(scene_count(scene, id, FW_GOAL_REACHED), 1);
  return was_there;
}

static void robots_drive_around_what_a_cost_mask_makes_dear(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "a....", ".###.", ".....");
  assert_false(drives_over_row(&scene, 4, 2));
  set_costs(&scene, DRAW(".#.#."));
  assert_int_equal(cost_at(&scene, 1, 0), 51);
  assert_int_equal(cost_at(&scene, 2, 0), 1);
  assert_int_equal(cost_at(&scene, 1, 1), 0);
  assert_true(drives_over_row(&scene, 0, 2));
  set_costs(&scene, NULL);
  assert_int_equal(cost_at(&scene, 1, 0), 1);
  assert_false(drives_over_row(&scene, 4, 2));
  scene_end(&scene);
}

static void costs_of_the_map_and_the_mask_add_up_to_255(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  scene.options.settings.map_cost_max = 200;
  scene.options.settings.mask_cost_max = 100;
  SCENE(&scene, "a..");
  scene.values[1] = 65;
  assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  set_costs(&scene, DRAW("5#."));
  assert_int_equal(cost_at(&scene, 0, 0), 51);
  assert_int_equal(cost_at(&scene, 1, 0), 255);
  assert_int_equal(cost_at(&scene, 2, 0), 1);
  scene_end(&scene);
}

// ---- keepout masks of any frame

// Whether a point is nearer than `distance` to an occupied cell of the mask, by a look at every cell.
static bool is_near_mask(const fw_occupancy_map_t * mask, fw_point_t point, double distance)
{
  const double dx = point.x - mask->origin.point.x, dy = point.y - mask->origin.point.y, yaw = mask->origin.yaw;
  const double x = cos(yaw) * dx + sin(yaw) * dy, y = cos(yaw) * dy - sin(yaw) * dx;
  for (int32_t k = 0; k < mask->width * mask->height; ++k) {
    const double left = mask->resolution * (k % mask->width), low = mask->resolution * (k / mask->width);
    const double near_x = fmin(fmax(x, left), left + mask->resolution);
    const double near_y = fmin(fmax(y, low), low + mask->resolution);
    if (mask->values[k] > 65 && hypot(near_x - x, near_y - y) < distance) {
      return true;
    }
  }
  return false;
}

static void fill_randomly(drawn_mask_t * mask, fw_rng_t * rng, int32_t boxes)
{
  memset(mask->values, 0, sizeof mask->values);
  for (int32_t k = 0; k < boxes; ++k) {
    const int32_t x = fw__rng_below(rng, mask->map.width), y = fw__rng_below(rng, mask->map.height);
    const int32_t width = 1 + fw__rng_below(rng, 6), height = 1 + fw__rng_below(rng, 6);
    const int8_t value = (int8_t)(fw__rng_below(rng, 3) == 0 ? fw__rng_below(rng, 101) : 100);
    for (int32_t row = y; row < y + height && row < mask->map.height; ++row) {
      for (int32_t column = x; column < x + width && column < mask->map.width; ++column) {
        mask->values[row * mask->map.width + column] = value;
      }
    }
  }
}

static double between(fw_rng_t * rng, double from, double to)
{
  return from + (to - from) * (double)fw__rng_below(rng, 100001) / 100000.0;
}

static void no_disc_touches_a_keepout_of_any_frame(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(7);
  int32_t free_count = 0, blocked_count = 0;
  for (int32_t round = 0; round < 60; ++round) {
    fw_controller_settings_t settings = fw_controller_settings_default();
    settings.connectivity = round % 2 == 0 ? 8 : 4;
    drawn.map = (fw_occupancy_map_t){.width = 100, .height = 60, .resolution = 0.1, .values = drawn.values};
    drawn.map.origin = (fw_pose_t){{between(&rng, -9, 9), between(&rng, -9, 9)}, between(&rng, -3, 3)};
    memset(drawn.values, 0, sizeof drawn.values);
    other_drawn.map = (fw_occupancy_map_t){
      .width = 20 + fw__rng_below(&rng, 60), .height = 10 + fw__rng_below(&rng, 60), .values = other_drawn.values};
    other_drawn.map.resolution = between(&rng, 0.03, 0.4);
    other_drawn.map.origin = (fw_pose_t){
      {drawn.map.origin.point.x + between(&rng, -2, 6), drawn.map.origin.point.y + between(&rng, -2, 4)},
      drawn.map.origin.yaw + between(&rng, -1, 1)};
    fill_randomly(&other_drawn, &rng, 12);
    fw_planning_map_t map = {0};
    fw_error_t error = {0};
    const fw_map_source_t source = {.occupancy = &drawn.map, .settings = &settings, .keepout = &other_drawn.map};
    assert_true(fw__planning_map_build(&map, &source, &error));
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&map.grid); ++cell) {
      const fw_point_t centre = fw__map_frame_point(&map.frame, cell);
      // A touch: two hundredths of a map cell, one of the disc and one of the mask.
      if (map.grid.cost[cell] != 0) {
        assert_false(is_near_mask(&other_drawn.map, centre, map.radius - 0.021 * drawn.map.resolution));
        ++free_count;
        const int32_t x = fw_grid_x(&map.grid, cell), y = fw_grid_y(&map.grid, cell);
        for (int32_t part = 1; part < 10 && fw_grid_is_free(&map.grid, x + 1, y); ++part) {
          const fw_point_t next = fw__map_frame_point(&map.frame, cell + 1);
          const double share = 0.1 * part;
          const fw_point_t at = {centre.x + share * (next.x - centre.x), centre.y + share * (next.y - centre.y)};
          assert_false(is_near_mask(&other_drawn.map, at, map.radius - 0.021 * drawn.map.resolution));
        }
      } else if (map.layers.floor.cost[cell] != 0) {
        // Not blocked without need: the mask is near, by a disc, the diagonal of a map cell, and a move.
        assert_true(is_near_mask(&other_drawn.map, centre, map.radius + 0.15 + map.frame.resolution));
        ++blocked_count;
      }
    }
    fw__planning_map_fini(&map);
  }
  assert_true(free_count > 1000 && blocked_count > 200);
}

// A mask that is aligned to the map is the same as obstacles of the map.
static void an_aligned_keepout_is_exact(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(8);
  for (int32_t round = 0; round < 20; ++round) {
    fw_controller_settings_t settings = fw_controller_settings_default();
    drawn.map = (fw_occupancy_map_t){
      .width = 100, .height = 60, .resolution = (double)0.05f, .origin = {{-3.7, 1.2}, 0.4}, .values = drawn.values};
    memset(drawn.values, 0, sizeof drawn.values);
    other_drawn.map = drawn.map;
    other_drawn.map.values = other_drawn.values;
    fill_randomly(&other_drawn, &rng, 8);
    fw_planning_map_t masked = {0}, walled = {0};
    fw_error_t error = {0};
    const fw_map_source_t with_mask = {.occupancy = &drawn.map, .settings = &settings, .keepout = &other_drawn.map};
    assert_true(fw__planning_map_build(&masked, &with_mask, &error));
    for (int32_t k = 0; k < 100 * 60; ++k) {
      drawn.values[k] = other_drawn.values[k] > 65 ? 100 : 0;
    }
    const fw_map_source_t with_walls = {.occupancy = &drawn.map, .settings = &settings};
    assert_true(fw__planning_map_build(&walled, &with_walls, &error));
    assert_memory_equal(masked.grid.cost, walled.grid.cost, (size_t)fw_grid_cell_count(&masked.grid));
    fw__planning_map_fini(&masked);
    fw__planning_map_fini(&walled);
  }
}

// ---- updates of the map

static void an_update_gives_the_grid_of_a_whole_build(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(9);
  for (int32_t round = 0; round < 30; ++round) {
    fw_controller_settings_t settings = fw_controller_settings_default();
    settings.connectivity = round % 2 == 0 ? 8 : 4;
    settings.map_cost_max = round % 3 == 0 ? 40 : 1;
    settings.robot_radius = between(&rng, 0.1, 0.24);
    drawn.map = (fw_occupancy_map_t){.width = 120, .height = 90, .resolution = 0.07, .values = drawn.values};
    fill_randomly(&drawn, &rng, 20);
    other_drawn.map = (fw_occupancy_map_t){
      .width = 20, .height = 20, .resolution = 0.3, .origin = {{1.0, 1.0}, 0.5}, .values = other_drawn.values};
    fill_randomly(&other_drawn, &rng, 3);
    fw_error_t error = {0};
    const fw_map_source_t source = {
      .occupancy = &drawn.map,
      .settings = &settings,
      .needs_whole_squares = round % 5 == 0,
      .keepout = round % 2 == 0 ? &other_drawn.map : NULL,
      .cost_mask = round % 4 < 2 ? &other_drawn.map : NULL};
    fw_planning_map_t updated = {0};
    assert_true(fw__planning_map_build(&updated, &source, &error));
    for (int32_t change = 0; change < 8; ++change) {
      fw_grid_window_t window = {fw__rng_below(&rng, 110), fw__rng_below(&rng, 80), 0, 0};
      window.width = 1 + fw__rng_below(&rng, 120 - window.x);
      window.height = 1 + fw__rng_below(&rng, 90 - window.y);
      const int8_t value = (int8_t)(fw__rng_below(&rng, 2) == 0 ? 0 : fw__rng_below(&rng, 101));
      for (int32_t k = 0; k < window.width * window.height; ++k) {
        if (fw__rng_below(&rng, 4) == 0) {
          drawn.values[(window.y + k / window.width) * 120 + window.x + k % window.width] = value;
        }
      }
      assert_true(fw__planning_map_update(&updated, &source, window, &error));
      fw_planning_map_t built = {0};
      assert_true(fw__planning_map_build(&built, &source, &error));
      assert_memory_equal(updated.grid.cost, built.grid.cost, (size_t)fw_grid_cell_count(&built.grid));
      assert_int_equal(updated.count.moves, built.count.moves);
      fw__planning_map_fini(&built);
    }
    fw__planning_map_fini(&updated);
  }
}

static void an_update_closes_and_opens_a_door_while_a_robot_drives(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "a..#....", "...#....", "........", "...#....");
  const uint64_t id = scene_goal(&scene, 'a', 7, 2);
  scene_run(&scene, 2.0);
  const int8_t wall = 100, floor = 0;
  const fw_map_update_t close = {3, 2, 1, 1, &wall}, open = {3, 2, 1, 1, &floor};
  assert_int_equal(fw_controller_update_map(&scene.controller, &close, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(cost_at(&scene, 3, 2), 0);
  scene_run(&scene, 20.0);
  assert_int_equal(scene_ends(&scene, id), 0);
  assert_true(scene_robot(&scene, 'a')->at.x < scene_place(2.6, 0).x);
  assert_int_equal(fw_controller_update_map(&scene.controller, &open, scene.now_ns, &scene.error), FW_RET_OK);
  scene_run(&scene, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

static void bad_updates_change_nothing(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  assert_int_equal(fw_controller_init(&scene.controller, &scene.options, &scene.error), FW_RET_OK);
  const int8_t values[4] = {100, 100, 100, 100};
  const fw_map_update_t first = {0, 0, 1, 1, values};
  assert_int_equal(
    fw_controller_update_map(&scene.controller, &first, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(scene.error.text, "there is no map yet"));
  fw_controller_fini(&scene.controller);
  SCENE(&scene, "a..", "...");
  const fw_map_update_t bad[] = {
    {-1, 0, 1, 1, values}, {0, 0, 0, 1, values}, {2, 0, 2, 1, values},         {0, 1, 1, 2, values},
    {0, 0, 1, 1, NULL},    {3, 0, 1, 1, values}, {INT32_MAX, 0, 1, 1, values}, {0, 0, INT32_MAX, 1, values},
  };
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
    assert_int_equal(
      fw_controller_update_map(&scene.controller, &bad[k], scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
    assert_int_equal(scene.controller.impl->map.count.free, 6);
  }
  scene_end(&scene);
}

// ---- keepouts while robots drive

static void a_keepout_that_appears_on_a_path_is_driven_around(void ** state)
{
  (void)state;
  for (int32_t ahead = 0; ahead < 2; ++ahead) {  // far ahead; on the cells that are released already
    scene_t scene = scene_make();
    SCENE(&scene, "a.........", "..........", "..........");
    const uint64_t id = scene_goal(&scene, 'a', 9, 0);
    scene_run(&scene, 2.0);
    const fw_occupancy_map_t * mask = ahead == 0 ? DRAW("......##..", "......##..") : DRAW("...####...", "...####...");
    set_keepout(&scene, mask);
    for (int32_t step = 0; step < 400 && scene_ends(&scene, id) == 0; ++step) {
      scene_step(&scene);
      assert_false(is_near_mask(mask, scene_robot(&scene, 'a')->at, 0.2 - 0.011 * SCENE_CELL));
    }
    assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
    scene_end(&scene);
  }
}

// The first update after a keepout or an obstacle has come knows of it, also a few milliseconds after the last update.
static void nothing_is_released_into_a_keepout_that_has_just_come(void ** state)
{
  (void)state;
  for (int32_t k = 0; k < 160; ++k) {
    scene_t scene = scene_make();
    scene.options.settings.release_ahead = 2.0 * SCENE_CELL;
    SCENE(&scene, "a.........", "..........");
    (void)scene_goal(&scene, 'a', 9, 0);
    for (int32_t steps = 0; steps < k / 2; ++steps) {
      scene_step(&scene);
    }
    const bool was_released = scene_release_has(&scene, 'a', 6, 0);
    if (k % 2 == 0) {
      set_keepout(&scene, DRAW("......##..", ".........."));
    } else {
      scene_block(&scene, (const double[][2]){{6, 0}, {7, 0}}, 2);
    }
    scene.now_ns += 10000000;
    scene_robot_t * robot = scene_robot(&scene, 'a');
    robot->at.x += 0.05;
    const fw_pose_report_t report = {.pose = {robot->at, robot->yaw}, .stamp_ns = scene.now_ns};
    assert_int_equal(scene_report(&scene, 'a', report), FW_RET_OK);
    scene_update(&scene);
    assert_true(was_released || !scene_release_has(&scene, 'a', 6, 0));
    scene_end(&scene);
  }
}

static void a_goal_inside_a_keepout_waits_until_it_goes(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "a.........", "..........");
  const uint64_t id = scene_goal(&scene, 'a', 9, 0);
  scene_run(&scene, 2.0);
  set_keepout(&scene, DRAW(".......###", ".......###"));
  scene_run(&scene, 20.0);
  assert_int_equal(scene_ends(&scene, id), 0);
  assert_true(scene_robot(&scene, 'a')->at.x < scene_place(6.1, 0).x);
  assert_int_not_equal(scene_status(&scene, 'a').fault, FW_FAULT_NONE);
  uint64_t other = 0;
  assert_int_equal(
    scene_send_goal(&scene, 'a', (fw_goal_request_t){.pose = {scene_place(8, 0), NAN}, .is_queued = true}, &other),
    FW_RET_INVALID_ARGUMENT);
  assert_int_equal(scene.error.fault, FW_FAULT_GOAL_OCCUPIED);
  set_keepout(&scene, NULL);
  scene_run(&scene, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// 'a' drives through, 'b' stands without a goal, 'c' is outside and wants to the other side.
static void robots_inside_a_keepout_leave_and_others_do_not_enter(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(
    &scene, "..........",  //
    "a.........",          //
    "...b......",          //
    "..........",          //
    "c.........");
  const uint64_t a = scene_goal(&scene, 'a', 9, 1);
  scene_run(&scene, 4.0);
  const fw_occupancy_map_t * mask = DRAW("..........", ".######...", ".######...", ".######...");
  set_keepout(&scene, mask);
  assert_true(is_near_mask(mask, scene_robot(&scene, 'a')->at, 0.2));
  assert_true(is_near_mask(mask, scene_robot(&scene, 'b')->at, 0.2));
  const uint64_t c = scene_goal(&scene, 'c', 4, 0);
  for (int32_t step = 0; step < 600; ++step) {
    scene_step(&scene);
    assert_false(is_near_mask(mask, scene_robot(&scene, 'c')->at, 0.2 - 0.011 * SCENE_CELL));
  }
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, c, FW_GOAL_REACHED), 1);
  assert_false(is_near_mask(mask, scene_robot(&scene, 'b')->at, 0.2 - 0.011 * SCENE_CELL));
  assert_int_equal(scene.controller.impl->escapes.count, 0);  // nobody needs a way out any more
  for (int32_t x = 1; x < 7; ++x) {
    assert_int_equal(cost_at(&scene, x, 2), 0);
  }
  scene_end(&scene);
}

// The way out of b is on the path of a, which was planned before the mask came: a is not released onto it.
static void an_old_plan_does_not_lead_onto_a_way_out(void ** state)
{
  (void)state;
  for (int32_t steps = 31; steps < 130; ++steps) {  // a is anywhere on its way
    scene_t scene = scene_make();
    scene.options.settings.release_ahead = 2.0 * SCENE_CELL;
    scene.options.settings.expansions_max = 2000;
    scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
    scene.answer_after = 30;  // the planner is slow
    SCENE(&scene, ".........a", "###.######", "###b######");
    scene_robot(&scene, 'b')->is_broken = true;
    (void)scene_goal(&scene, 'a', 0, 0);
    for (int32_t k = 0; k < steps; ++k) {
      scene_step(&scene);
    }
    set_keepout(&scene, DRAW("..###.....", "..###.....", "..###....."));
    const bool was_released = scene_release_has(&scene, 'a', 4, 0);
    for (int32_t k = 0; k < 40 && !was_released; ++k) {
      scene_step(&scene);
      assert_false(scene_release_has(&scene, 'a', 4, 0));
    }
    scene_end(&scene);
  }
}

// A keepout comes behind a robot that has nearly left the place: its cell is another one, its disc is still inside.
static void a_robot_that_leaves_a_place_is_not_led_back_into_a_keepout_there(void ** state)
{
  (void)state;
  for (int32_t step = 0; step < 12; ++step) {
    scene_t scene = scene_make();
    SCENE(&scene, "a.........");
    const uint64_t id = scene_goal(&scene, 'a', 9, 0);
    while (scene_robot(&scene, 'a')->at.x < scene_place(3.0, 0).x + 0.05 * step) {
      scene_step(&scene);
    }
    scene_robot_t * robot = scene_robot(&scene, 'a');
    robot->is_broken = true;  // for a while
    const double x = robot->at.x;
    set_keepout(&scene, DRAW(".###......"));
    for (int32_t k = 0; k < 100; ++k) {
      scene_step(&scene);
      if (x > scene_place(3.5, 0).x && robot->count > 0) {
        assert_true(robot->path[robot->count - 1].x > x - 1e-6);
      }
    }
    robot->is_broken = false;
    scene_run(&scene, 30.0);
    assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
    assert_int_equal(scene.controller.impl->escapes.count, 0);
    scene_end(&scene);
  }
}

// A keepout comes while the robot is on a diagonal motion: the way out from where it was is not one from where it ends.
static void a_robot_on_a_diagonal_leaves_a_keepout(void ** state)
{
  (void)state;
  for (int32_t step = 1; step < 24; ++step) {
    scene_t scene = scene_make();
    scene.options.settings.connectivity = 8;
    SCENE(&scene, "......", "......", "......", "......", "......", ".a....");
    (void)scene_goal(&scene, 'a', 5, 1);
    scene_run(&scene, 0.3 * step);
    const fw_occupancy_map_t * mask = DRAW("......", ".#####", ".#####", ".#####", ".#####", ".#####");
    set_keepout(&scene, mask);
    scene_run(&scene, 1.0);
    fw_controller_cancel_goals(&scene.controller, 0, scene.now_ns);
    scene_run(&scene, 60.0);
    assert_false(is_near_mask(mask, scene_robot(&scene, 'a')->at, 0.2 - 0.011 * SCENE_CELL));
    assert_int_equal(scene.controller.impl->escapes.count, 0);
    scene_end(&scene);
  }
}

// A robot at an exact pose beside the centre of its cell is not part of plans until it is called back.
static void a_robot_at_an_exact_pose_leaves_a_keepout(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "a......", ".......");
  uint64_t id = 0;
  const fw_goal_request_t request = {
    .pose = {{scene_place(3.3, 0).x, scene_place(0.0, 0.3).y}, NAN}, .position_tolerance = 0.02};
  assert_int_equal(scene_send_goal(&scene, 'a', request, &id), FW_RET_OK);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  const fw_occupancy_map_t * mask = DRAW(".#####.", ".#####.");
  set_keepout(&scene, mask);
  scene_run(&scene, 60.0);
  assert_false(is_near_mask(mask, scene_robot(&scene, 'a')->at, 0.2 - 0.011 * SCENE_CELL));
  assert_int_equal(scene.controller.impl->escapes.count, 0);
  scene_end(&scene);
}

// 'b' has to leave and cannot pass 'c'. Nobody else's goal is given up for that.
static void a_robot_that_cannot_leave_a_keepout_does_not_keep_others_from_their_goals(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "a.....", "######", "bc.###");
  scene_run(&scene, 1.0);
  set_keepout(&scene, DRAW("......", "......", "#....."));
  const uint64_t id = scene_goal(&scene, 'a', 5, 0);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// 'a' covers two cells, and only where 'b' stands is room for it outside the keepout.
static void one_without_a_goal_makes_room_for_one_in_a_keepout(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  scene_robot(&scene, 'a')->footprint = "2x1";
  scene_robot(&scene, 'a')->is_ignored = true;
  SCENE(&scene, "a.b.#", "###..");
  scene_run(&scene, 1.0);
  set_keepout(&scene, DRAW("##...", "....."));
  scene_run(&scene, 60.0);
  assert_true(fabs(scene_robot(&scene, 'a')->at.x - scene_place(2.0, 0).x) < 0.3);
  assert_true(scene_robot(&scene, 'b')->at.y > scene_place(0.0, 0.5).y);
  assert_int_equal(scene.controller.impl->escapes.count, 0);
  scene_end(&scene);
}

static void masks_survive_new_maps_and_may_come_first(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  scene_draw(&scene, (const char * const[]){"a....", "....."}, 2);
  assert_int_equal(fw_controller_init(&scene.controller, &scene.options, &scene.error), FW_RET_OK);
  set_keepout(&scene, DRAW("..#"));
  set_costs(&scene, DRAW("...#"));
  assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  for (int32_t round = 0; round < 2; ++round) {
    assert_int_equal(cost_at(&scene, 2, 0), 0);
    assert_int_equal(cost_at(&scene, 3, 0), 51);
    assert_int_equal(cost_at(&scene, 4, 1), round == 0 ? 1 : 0);
    scene.values[9] = 100;
    assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  }
  const int64_t revision = scene.controller.impl->map.revision;
  set_costs(&scene, DRAW("...#"));  // again: no change
  assert_int_equal(scene.controller.impl->map.revision, revision);
  set_keepout(&scene, &(fw_occupancy_map_t){0});
  assert_int_equal(cost_at(&scene, 2, 0), 1);
  scene_end(&scene);
}

static void bad_masks_are_refused_and_the_last_good_one_stays(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "a....");
  set_keepout(&scene, DRAW("..#.."));
  const fw_occupancy_map_t good = *DRAW("....#");
  fw_occupancy_map_t bad[5] = {good, good, good, good, good};
  bad[0].resolution = 0.0;
  bad[1].resolution = NAN;
  bad[2].origin.point.x = INFINITY;
  bad[3].width = -1;
  bad[4].values = NULL;
  for (int32_t k = 0; k < 5; ++k) {
    scene.error = (fw_error_t){0};
    assert_int_equal(
      fw_controller_set_keepout_mask(&scene.controller, &bad[k], scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
    assert_true(scene.error.text[0] != '\0');
    assert_true(scene.controller.impl->keepout.fault.text[0] != '\0');
    assert_int_equal(cost_at(&scene, 2, 0), 0);
    assert_int_equal(cost_at(&scene, 4, 0), 1);
    assert_int_equal(
      fw_controller_set_cost_mask(&scene.controller, &bad[k], scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
  }
  set_keepout(&scene, &good);
  assert_int_equal(scene.controller.impl->keepout.fault.text[0], '\0');
  assert_int_equal(cost_at(&scene, 2, 0), 1);
  assert_int_equal(cost_at(&scene, 4, 0), 0);
  scene_end(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(occupancy_values_become_costs),
    cmocka_unit_test(robots_drive_around_what_a_cost_mask_makes_dear),
    cmocka_unit_test(costs_of_the_map_and_the_mask_add_up_to_255),
    cmocka_unit_test(no_disc_touches_a_keepout_of_any_frame),
    cmocka_unit_test(an_aligned_keepout_is_exact),
    cmocka_unit_test(an_update_gives_the_grid_of_a_whole_build),
    cmocka_unit_test(an_update_closes_and_opens_a_door_while_a_robot_drives),
    cmocka_unit_test(bad_updates_change_nothing),
    cmocka_unit_test(a_keepout_that_appears_on_a_path_is_driven_around),
    cmocka_unit_test(nothing_is_released_into_a_keepout_that_has_just_come),
    cmocka_unit_test(a_goal_inside_a_keepout_waits_until_it_goes),
    cmocka_unit_test(robots_inside_a_keepout_leave_and_others_do_not_enter),
    cmocka_unit_test(an_old_plan_does_not_lead_onto_a_way_out),
    cmocka_unit_test(a_robot_that_leaves_a_place_is_not_led_back_into_a_keepout_there),
    cmocka_unit_test(a_robot_on_a_diagonal_leaves_a_keepout),
    cmocka_unit_test(a_robot_at_an_exact_pose_leaves_a_keepout),
    cmocka_unit_test(a_robot_that_cannot_leave_a_keepout_does_not_keep_others_from_their_goals),
    cmocka_unit_test(one_without_a_goal_makes_room_for_one_in_a_keepout),
    cmocka_unit_test(masks_survive_new_maps_and_may_come_first),
    cmocka_unit_test(bad_masks_are_refused_and_the_last_good_one_stays),
  };
  return TEST_RUN(tests);
}
