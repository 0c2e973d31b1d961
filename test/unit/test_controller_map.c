// The map of the controller: a robot reaches whatever its disc fits through, wherever walls lie on the planning grid,
// and touches none of them. Obstacles that are not on the map are exact, and cost what has changed.

#include "base/rng.h"
#include "execution/execution.h"
#include "test_controller_scene.h"

enum { FLOOR_SIDE_MAX = 320 };

// ---- a floor of fine map cells

typedef struct floor_t {
  fw_occupancy_map_t map;
  int8_t values[FLOOR_SIDE_MAX * FLOOR_SIDE_MAX];
  int32_t warnings;  // of maps
} floor_t;

static floor_t floor_of_test;

static floor_t * make_floor(int32_t width, int32_t height, double resolution)
{
  floor_of_test = (floor_t){.map = {.width = width, .height = height, .resolution = resolution}};
  floor_of_test.map.values = floor_of_test.values;
  assert_in_range(width * height, 1, FLOOR_SIDE_MAX * FLOOR_SIDE_MAX);
  return &floor_of_test;
}

typedef struct box_t {
  int32_t x, y, width, height;  // map cells
} box_t;

static void fill(floor_t * floor, box_t box, int8_t value)
{
  for (int32_t k = 0; k < box.width * box.height; ++k) {
    floor->values[(box.y + k / box.width) * floor->map.width + box.x + k % box.width] = value;
  }
}

// A point of the floor, in metres from its corner, in the map frame.
static fw_point_t floor_point(const floor_t * floor, double x, double y)
{
  const fw_pose_t origin = floor->map.origin;
  return (fw_point_t){
    origin.point.x + cos(origin.yaw) * x - sin(origin.yaw) * y,
    origin.point.y + sin(origin.yaw) * x + cos(origin.yaw) * y};
}

// The distance from a point to the nearest obstacle, by a look at every map cell.
static double clearance(const floor_t * floor, fw_point_t point)
{
  const fw_pose_t origin = floor->map.origin;
  const double dx = point.x - origin.point.x, dy = point.y - origin.point.y, side = floor->map.resolution;
  const double x = cos(origin.yaw) * dx + sin(origin.yaw) * dy, y = cos(origin.yaw) * dy - sin(origin.yaw) * dx;
  double nearest = INFINITY;
  for (int32_t k = 0; k < floor->map.width * floor->map.height; ++k) {
    if (floor->values[k] != 0) {
      const double left = side * (k % floor->map.width), low = side * (k / floor->map.width);
      const double near_x = fmin(fmax(x, left), left + side), near_y = fmin(fmax(y, low), low + side);
      nearest = fmin(nearest, hypot(near_x - x, near_y - y));
    }
  }
  return nearest;
}

static void count_warnings(void * context, fw_log_level_t level, const char * text)
{
  floor_t * floor = context;
  floor->warnings += level == FW_LOG_WARN && strncmp(text, "map: ", 5) == 0 ? 1 : 0;
}

// Robot 'a' at a place of the floor.
static void begin_on(scene_t * scene, floor_t * floor, fw_point_t start)
{
  scene_robot_t * robot = scene_robot(scene, 'a');
  robot->is_there = robot->is_listed = true;
  robot->at = start;
  scene->options.log = count_warnings;
  scene->options.context = floor;
  assert_int_equal(fw_controller_init(&scene->controller, &scene->options, &scene->error), FW_RET_OK);
  assert_int_equal(scene_send_robots(scene), FW_RET_OK);
  assert_int_equal(fw_controller_set_map(&scene->controller, &floor->map, scene->now_ns, &scene->error), FW_RET_OK);
}

// Drives 'a' to a place and looks at its distance to obstacles all the way. True if the goal was reached.
static bool drives_to(scene_t * scene, const floor_t * floor, fw_point_t goal)
{
  uint64_t id = 0;
  assert_int_equal(scene_send_goal(scene, 'a', (fw_goal_request_t){.pose = {goal, NAN}}, &id), FW_RET_OK);
  for (int32_t step = 0; step < 600 && scene_ends(scene, id) == 0; ++step) {
    scene_step(scene);
    // A touch is allowed: a hundredth of a map cell.
    assert_true(clearance(floor, scene_robot(scene, 'a')->at) >= 0.2 - 0.011 * floor->map.resolution);
  }
  return scene_count(scene, id, FW_GOAL_REACHED) == 1;
}

// ---- aisles and walls

// Two rooms, and an aisle of 0.9 m between them whose lower edge is `offset` map cells above a planning cell's edge.
static floor_t * make_aisle(double resolution, int32_t offset)
{
  floor_t * floor = make_floor(120, 80, resolution);
  fill(floor, (box_t){40, 0, 40, 80}, 100);
  fill(floor, (box_t){40, 30 + offset, 40, 18}, 0);
  return floor;
}

static void an_aisle_of_90_cm_is_driven_at_every_offset(void ** state)
{
  (void)state;
  for (int32_t offset = 0; offset < 10; ++offset) {
    for (int32_t variant = 0; variant < 3; ++variant) {
      scene_t scene = scene_make();
      floor_t * floor = make_aisle(variant == 1 ? (double)0.05f : 0.05, offset);
      floor->map.origin = variant == 2 ? (fw_pose_t){{-12.3, 4.5}, 0.7} : (fw_pose_t){0};
      scene.options.settings.connectivity = variant == 0 ? 8 : 4;
      begin_on(&scene, floor, floor_point(floor, 0.75, 2.25));
      assert_int_equal(scene.controller.impl->map.grid.width, 12);
      assert_int_equal(scene.controller.impl->map.grid.height, 8);
      assert_true(drives_to(&scene, floor, floor_point(floor, 5.25, 1.75)));
      scene_end(&scene);
    }
  }
}

// A diagonal row of pillars of 0.1 m, each in the middle of a cell: between two of them, a robot of 0.2 m has 0.6 m.
static void robots_that_cut_corners_pass_between_pillars(void ** state)
{
  (void)state;
  for (int32_t cuts = 0; cuts < 2; ++cuts) {
    scene_t scene = scene_make();
    floor_t * floor = make_floor(35, 35, 0.1);
    for (int32_t k = 0; k < 7; ++k) {
      fill(floor, (box_t){5 * k + 2, 5 * (6 - k) + 2, 1, 1}, 100);
    }
    scene.options.settings.robot_radius = 0.1;
    scene.options.settings.connectivity = 8;
    scene.options.settings.cuts_corners = cuts == 1;
    begin_on(&scene, floor, floor_point(floor, 0.25, 0.25));
    uint64_t id = 0;
    const fw_goal_request_t goal = {.pose = {floor_point(floor, 3.25, 3.25), NAN}};
    assert_int_equal(scene_send_goal(&scene, 'a', goal, &id), FW_RET_OK);
    for (int32_t step = 0; step < 600 && scene_ends(&scene, id) == 0; ++step) {
      scene_step(&scene);
      assert_true(clearance(floor, scene_robot(&scene, 'a')->at) >= 0.1);
    }
    assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), cuts);
    // Back again with the setting changed while the controller runs.
    fw_controller_settings_t settings = scene.options.settings;
    settings.cuts_corners = cuts == 0;
    assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_OK);
    const fw_point_t corner = cuts == 0 ? floor_point(floor, 3.25, 3.25) : floor_point(floor, 0.25, 0.25);
    assert_int_equal(scene_send_goal(&scene, 'a', (fw_goal_request_t){.pose = {corner, NAN}}, &id), FW_RET_OK);
    scene_run(&scene, 40.0);
    assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1 - cuts);
    scene_end(&scene);
  }
}

static void corners_are_cut_by_robots_of_one_cell_with_diagonals_only(void ** state)
{
  (void)state;
  const struct {
    int32_t connectivity;
    double radius;
    int32_t turn_ticks;
    const char * footprint;
    const char * words;
  } cases[] = {
    {8, 0.1, 0, "", NULL},
    {4, 0.1, 0, "", "cut_corners needs diagonal moves"},
    {8, 0.2, 0, "", "would touch others beside a diagonal"},
    {8, 0.1, 1, "", "has a heading"},
    {8, 0.1, 0, "2x1", "covers more than one cell"},
  };
  for (int32_t k = 0; k < TEST_COUNT(cases); ++k) {
    scene_t scene = scene_make();
    floor_t * floor = make_floor(40, 40, 0.1);
    scene.options.settings.robot_radius = cases[k].radius;
    scene_robot(&scene, 'a')->turn_ticks = cases[k].turn_ticks;
    scene_robot(&scene, 'a')->footprint = cases[k].footprint;
    begin_on(&scene, floor, floor_point(floor, 0.25, 0.25));
    fw_controller_settings_t settings = scene.options.settings;
    settings.connectivity = cases[k].connectivity;
    settings.cuts_corners = true;
    const fw_ret_t ret = fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error);
    assert_int_equal(ret, cases[k].words == NULL ? FW_RET_OK : FW_RET_INVALID_ARGUMENT);
    if (cases[k].words != NULL && strstr(scene.error.text, cases[k].words) == NULL) {
      fail_msg("case %d: %s", k, scene.error.text);
    }
    scene_end(&scene);
  }
}

// Robots of 0.4 m fit through 0.4 m if a row of cells lies in the middle, and through nothing narrower.
static void an_aisle_that_is_too_narrow_is_not_free(void ** state)
{
  (void)state;
  for (int32_t width = 7; width <= 8; ++width) {
    scene_t scene = scene_make();
    floor_t * floor = make_floor(120, 80, 0.05);
    fill(floor, (box_t){40, 0, 40, 80}, 100);
    fill(floor, (box_t){40, 31, 40, width}, 0);  // around 1.75 m, the middle of a row of cells
    begin_on(&scene, floor, floor_point(floor, 0.75, 2.25));
    assert_int_equal(drives_to(&scene, floor, floor_point(floor, 5.25, 1.75)), width == 8);
    scene_end(&scene);
  }
}

// A wall of 0.05 m lies between two columns of cells whose discs do not touch it. Nobody drives through it.
static void a_wall_thinner_than_a_cell_is_closed_and_its_door_open(void ** state)
{
  (void)state;
  for (int32_t has_door = 0; has_door < 2; ++has_door) {
    for (int32_t connectivity = 4; connectivity <= 8; connectivity += 4) {
      scene_t scene = scene_make();
      scene.options.settings.connectivity = connectivity;
      floor_t * floor = make_floor(120, 80, 0.05);
      fill(floor, (box_t){40, 0, 1, 80}, 100);
      fill(floor, (box_t){40, 50, 1, has_door ? 18 : 0}, 0);
      begin_on(&scene, floor, floor_point(floor, 0.75, 0.75));
      assert_true(scene.controller.impl->map.count.moves > 0);
      assert_int_equal(floor->warnings, 1);
      assert_int_equal(drives_to(&scene, floor, floor_point(floor, 5.25, 0.75)), has_door == 1);
      if (!has_door) {
        assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NO_VALID_PATH);
      }
      scene_end(&scene);
    }
  }
}

// Walls along the edges of planning cells cost no cell and no warning, whatever tolerance is set.
static void aligned_walls_cost_no_cells(void ** state)
{
  (void)state;
  for (int32_t variant = 0; variant < 2; ++variant) {
    scene_t scene = scene_make();
    floor_t * floor = make_floor(120, 80, (double)0.05f);
    scene.options.settings.waypoint_tolerance = variant == 0 ? 0.0 : 0.2;
    fill(floor, (box_t){40, 20, 10, 60}, 100);
    begin_on(&scene, floor, floor_point(floor, 0.75, 0.75));
    assert_int_equal(scene.controller.impl->map.count.free, 12 * 8 - 6);
    assert_int_equal(floor->warnings, 0);
    scene_end(&scene);
  }
}

// Every line between two turning points is free for the disc, although lines of sight between cells are not.
static void any_angle_paths_touch_nothing(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(5);
  int32_t routes = 0, corners = 0, replaced = 0;
  for (int32_t round = 0; round < 60; ++round) {
    floor_t * floor = make_floor(120, 80, 0.05);
    for (int32_t k = 0; k < 12; ++k) {
      fill(floor, (box_t){fw__rng_below(&rng, 110), fw__rng_below(&rng, 70), 1 + fw__rng_below(&rng, 10), 8}, 100);
    }
    fw_controller_settings_t settings = fw_controller_settings_default();
    settings.connectivity = 8;
    fw_planning_map_t map = {0};
    fw_error_t error = {0};
    const fw_map_source_t source = {.occupancy = &floor->map, .settings = &settings};
    assert_true(fw__planning_map_build(&map, &source, &error));
    fw_router_t router = {0};
    const fw_router_options_t options = {.connectivity = 8, .diagonal = FW_DIAGONAL_ROOT, .finds_corners = true};
    assert_int_equal(fw_router_init(&router, "astar", &options, &error), FW_RET_OK);
    assert_int_equal(fw_router_build(&router, &map.grid, &error), FW_RET_OK);
    const fw_cell_t from = fw__rng_below(&rng, 96), to = fw__rng_below(&rng, 96);
    fw_route_t route = {0};
    const fw_budget_t budget = {0};
    if (
      map.grid.cost[from] != 0 && map.grid.cost[to] != 0 &&
      fw_router_find(&router, from, to, &budget, &route, &error) == FW_RET_OK && route.length > 0) {
      fw_cell_t turns[96];
      for (int32_t has_one_cell = 0; has_one_cell < 2; ++has_one_cell) {
        const int32_t count = fw__planning_map_find_turns(&map, &route, has_one_cell == 1, turns);
        assert_in_range(count, 1, route.length);
        assert_true(turns[0] == from && turns[count - 1] == to);
        for (int32_t k = 1; k < count; ++k) {
          const fw_point_t a = fw__map_frame_point(&map.frame, turns[k - 1]);
          const fw_point_t b = fw__map_frame_point(&map.frame, turns[k]);
          for (int32_t part = 0; part <= 50; ++part) {
            const double share = part / 50.0;
            const fw_point_t at = {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
            assert_true(clearance(floor, at) >= 0.2 - 0.011 * 0.05);
          }
        }
        replaced += count > route.corner_count ? 1 : 0;
      }
      routes += 1;
      corners += route.corner_count;
    }
    fw_router_fini(&router);
    fw__planning_map_fini(&map);
  }
  assert_true(routes > 20 && corners > 2 * routes && replaced > 5);  // it was worth a test
}

// ---- what the grid depends on

static void larger_footprints_need_whole_squares(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  floor_t * floor = make_aisle(0.05, 1);
  begin_on(&scene, floor, floor_point(floor, 0.75, 2.25));
  const fw_planning_map_t * map = &scene.controller.impl->map;
  const int32_t discs = map->count.free;
  const int64_t revision = map->revision;
  scene_robot(&scene, 'b')->is_listed = true;
  scene_robot(&scene, 'b')->footprint = "2x1";
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  assert_int_equal(map->revision, revision + 1);
  assert_true(map->count.free < discs);
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  assert_int_equal(map->revision, revision + 1);
  scene_robot(&scene, 'b')->is_listed = false;
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  assert_int_equal(map->revision, revision + 2);
  assert_int_equal(map->count.free, discs);
  scene_end(&scene);
}

static void settings_of_the_grid_build_it_again(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  floor_t * floor = make_aisle(0.05, 1);  // both rows of the aisle are 0.2 m from its walls
  begin_on(&scene, floor, floor_point(floor, 0.75, 2.25));
  const fw_planning_map_t * map = &scene.controller.impl->map;
  const int32_t free_count = map->count.free;
  fw_controller_settings_t settings = scene.options.settings;
  settings.connectivity = 8;
  assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, NULL), FW_RET_OK);
  assert_int_equal(map->revision, 2);
  settings.waypoint_tolerance = 0.03;
  assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, NULL), FW_RET_OK);
  assert_int_equal(map->revision, 3);
  assert_true(map->radius == 0.2 + 0.03);
  assert_true(map->count.free < free_count);
  settings.speed = 0.7;
  assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, NULL), FW_RET_OK);
  assert_int_equal(map->revision, 3);
  scene_end(&scene);
}

static void a_robot_on_free_floor_without_a_free_cell_is_told_where_to_drive(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  floor_t * floor = make_floor(80, 80, 0.05);
  fill(floor, (box_t){40, 0, 1, 80}, 100);  // at 2 m
  fill(floor, (box_t){26, 0, 1, 80}, 100);  // at 1.3 m: the disc fits between, but no cell's centre is there
  begin_on(&scene, floor, floor_point(floor, 1.68, 0.75));
  scene_run(&scene, 2.0);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NONE);  // 1.75 m is a free centre
  scene_end(&scene);
  scene = scene_make();
  floor = make_floor(80, 80, 0.05);
  fill(floor, (box_t){0, 0, 1, 80}, 100);   // at 0 m: centres at 0.25 m are free
  fill(floor, (box_t){11, 0, 1, 80}, 100);  // at 0.55 m: those at 0.75 m are not
  begin_on(&scene, floor, floor_point(floor, 0.9, 0.75));
  scene_run(&scene, 2.0);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_START_OCCUPIED);
  assert_non_null(strstr(scene_status(&scene, 'a').fault_text, "on free floor, but its planning cell is not free"));
  assert_non_null(strstr(scene_status(&scene, 'a').fault_text, "it can be driven to (1.25, 0.75)"));
  scene_end(&scene);
}

static void maps_out_of_range_are_refused_with_a_reason(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  floor_t * floor = make_floor(40, 40, 0.05);
  begin_on(&scene, floor, floor_point(floor, 0.75, 0.75));
  const fw_occupancy_map_t good = floor->map;
  fw_occupancy_map_t bad[] = {good, good, good, good, good};
  bad[0].origin.point.x = 1e12;
  bad[1].origin.yaw = 1e9;
  bad[2].resolution = 1e-9;
  bad[3].resolution = 1e-3;
  bad[4].resolution = 1e5;  // a tick of it would be years
  const char * const reasons[] = {
    "out of range", "out of range", "out of range", "smaller than one planning cell",
    "its resolution is 100000 m; it must be positive and at most 100"};
  for (int32_t k = 0; k < TEST_COUNT(bad); ++k) {
    assert_int_equal(
      fw_controller_set_map(&scene.controller, &bad[k], scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
    assert_non_null(strstr(scene.error.text, reasons[k]));
    assert_int_equal(scene.controller.impl->map.revision, 1);
  }
  scene_end(&scene);
}

// ---- obstacles that are not on the map

static fw_ret_t block(scene_t * scene, double side, const fw_point_t * centres, int32_t count)
{
  const fw_obstacle_cells_t obstacles = {.width = side, .height = side, .centres = centres, .count = count};
  return fw_controller_set_obstacles(&scene->controller, &obstacles, scene->now_ns, &scene->error);
}

static void huge_obstacles_block_the_whole_map(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  floor_t * floor = make_floor(200, 200, 0.5);
  floor->map.origin = (fw_pose_t){{3.0, -4.0}, 0.3};
  begin_on(&scene, floor, floor_point(floor, 0.75, 0.75));
  const fw_blocked_cells_t * blocked = &scene.controller.impl->blocked;
  fw_point_t centres[50];
  for (int32_t k = 0; k < 50; ++k) {
    centres[k] = (fw_point_t){1000.0 * k, -1000.0 * k};
  }
  assert_int_equal(block(&scene, 1e6, centres, 50), FW_RET_OK);
  assert_int_equal(blocked->count, 200 * 200);
  assert_int_equal(block(&scene, 1e6, centres, 1), FW_RET_OK);
  assert_int_equal(blocked->count, 200 * 200);
  assert_int_equal(block(&scene, 0.3, (fw_point_t[]){floor_point(floor, 5.25, 5.25)}, 1), FW_RET_OK);
  assert_int_equal(blocked->count, 1);
  assert_true(fw__blocked_cells_has(blocked, 10 * 200 + 10));
  scene_end(&scene);
}

static void maps_that_are_too_large_are_refused(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  floor_t * floor = make_floor(20, 20, 0.5);
  begin_on(&scene, floor, floor_point(floor, 0.75, 0.75));
  static int8_t values[FW_GRID_SIDE_MAX + 1];
  const fw_occupancy_map_t wide = {.width = FW_GRID_SIDE_MAX + 1, .height = 1, .resolution = 0.5, .values = values};
  assert_int_equal(
    fw_controller_set_map(&scene.controller, &wide, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(scene.error.text, "at most 16384 per side are possible; raise planning_resolution"));
  fw_occupancy_map_t coarse = floor->map;
  coarse.resolution = 100.5;
  assert_int_equal(
    fw_controller_set_map(&scene.controller, &coarse, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(scene.error.text, "it must be positive and at most 100"));
  assert_int_equal(fw_grid_cell_count(&scene.controller.impl->map.grid), 20 * 20);
  scene_end(&scene);
}

static void absurd_obstacles_are_refused_and_change_nothing(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  floor_t * floor = make_floor(20, 20, 0.5);
  begin_on(&scene, floor, floor_point(floor, 0.75, 0.75));
  assert_int_equal(block(&scene, 0.4, (fw_point_t[]){{5.25, 5.25}}, 1), FW_RET_OK);
  const double sides[] = {NAN, INFINITY, 0.0, -1.0, 1e301};
  for (int32_t k = 0; k < TEST_COUNT(sides); ++k) {
    assert_int_equal(block(&scene, sides[k], (fw_point_t[]){{1.0, 1.0}}, 1), FW_RET_INVALID_ARGUMENT);
    assert_non_null(strstr(scene.error.text, "both sides must be positive and at most"));
  }
  const fw_point_t points[] = {{NAN, 0.0}, {0.0, -INFINITY}, {1e301, 0.0}};
  for (int32_t k = 0; k < TEST_COUNT(points); ++k) {
    assert_int_equal(block(&scene, 1.0, (fw_point_t[]){{1.0, 1.0}, points[k]}, 2), FW_RET_INVALID_ARGUMENT);
    assert_non_null(strstr(scene.error.text, "its cell 1 is at"));
  }
  assert_int_equal(scene.controller.impl->blocked.count, 1);
  scene_end(&scene);
}

// Half of the map each: overlapping cells without end would keep the controller from its work.
static void obstacles_that_cover_the_map_again_and_again_are_refused(void ** state)
{
  (void)state;
  enum { MANY = 1000 };
  scene_t scene = scene_make();
  floor_t * floor = make_floor(200, 200, 0.5);
  begin_on(&scene, floor, floor_point(floor, 0.75, 0.75));
  assert_int_equal(block(&scene, 0.4, (fw_point_t[]){{5.25, 5.25}}, 1), FW_RET_OK);
  fw_point_t * centres = calloc(MANY, sizeof *centres);
  for (int32_t k = 0; k < MANY; ++k) {
    centres[k] = (fw_point_t){0.0, 50.0};
  }
  const fw_blocked_cells_t * blocked = &scene.controller.impl->blocked;
  const int64_t revision = blocked->revision;
  assert_int_equal(block(&scene, 100.0, centres, MANY), FW_RET_INVALID_ARGUMENT);
  assert_non_null(
    strstr(scene.error.text, "its 1000 cells overlap: one by one they cover more than 16777216 of 40000"));
  assert_int_equal(blocked->count, 1);
  assert_int_equal(blocked->revision, revision);
  assert_int_equal(block(&scene, 100.0, centres, MANY / 2), FW_RET_OK);
  assert_int_equal(blocked->count, 200 * 100);
  assert_int_equal(block(&scene, 1.0, centres, FW_BLOCKED_CELLS_MAX + 1), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(scene.error.text, "it has 4194305 cells, and at most 4194304 are possible"));
  assert_int_equal(blocked->count, 200 * 100);
  free(centres);
  scene_end(&scene);
}

// The same list on a map with smaller planning cells may be too much: then all is blocked, and nothing drives.
static void obstacles_that_are_too_many_on_another_map_block_it(void ** state)
{
  (void)state;
  enum { MANY = 1000 };
  scene_t scene = scene_make();
  scene.options.settings.planning_resolution = 1.0;
  floor_t * floor = make_floor(200, 200, 0.5);
  begin_on(&scene, floor, floor_point(floor, 0.75, 0.75));
  fw_point_t * centres = calloc(MANY, sizeof *centres);
  for (int32_t k = 0; k < MANY; ++k) {
    centres[k] = (fw_point_t){0.0, 50.0};
  }
  const fw_blocked_cells_t * blocked = &scene.controller.impl->blocked;
  assert_int_equal(block(&scene, 100.0, centres, MANY), FW_RET_OK);
  assert_int_equal(blocked->count, 100 * 50);
  fw_controller_settings_t settings = scene.options.settings;
  settings.planning_resolution = 0.5;
  assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(blocked->count, 200 * 200);
  free(centres);
  scene_end(&scene);
}

// ---- obstacles of the dependency graph

static void mark_cell(void * context, fw_cell_t cell) { ((bool *)context)[cell] = true; }

// The graph knows the map, the blocked cells and the robots outside it, and nothing else.
static void check_graph(const scene_t * scene)
{
  static bool expected[FLOOR_SIDE_MAX * FLOOR_SIDE_MAX];
  const fw_controller_impl_t * impl = scene->controller.impl;
  const int32_t count = fw_grid_cell_count(&impl->map.grid);
  for (fw_cell_t cell = 0; cell < count; ++cell) {
    expected[cell] = impl->map.grid.cost[cell] == 0 || fw__blocked_cells_has(&impl->blocked, cell);
  }
  for (int32_t k = 0; k < impl->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &impl->fleet.robots[k];
    if (!fw__fleet_execution_has(&impl->execution, k) && robot->has_pose) {
      const fw_measured_body_t measured = {&robot->body, {robot->point, robot->yaw}, impl->map.robot_radius, 0.0};
      fw__robot_body_visit_touched_cells(
        &measured, &impl->map.frame, (fw_raster_visitor_t){.visit = mark_cell, .context = expected});
    }
  }
  for (fw_cell_t cell = 0; cell < count; ++cell) {
    assert_int_equal(impl->execution.graph.impl->blocked[cell], expected[cell]);
  }
}

// 'a' is in the graph; 'b' is pushed about, so that it is an obstacle; blocked cells and walls come and go.
static void changes_of_obstacles_add_up_to_all_obstacles(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  floor_t * floor = make_floor(30, 21, 0.5);  // not a multiple of 64 cells
  fw_rng_t rng = fw__rng(17);
  scene_robot(&scene, 'b')->is_there = scene_robot(&scene, 'b')->is_listed = true;
  scene_robot(&scene, 'b')->at = floor_point(floor, 7.25, 7.25);
  begin_on(&scene, floor, floor_point(floor, 0.25, 0.25));
  const fw_fleet_execution_t * execution = &scene.controller.impl->execution;
  int32_t steps_of_a = 0;  // in which it is in the graph
  for (int32_t step = 0; step < 400; ++step) {
    scene_robot_t * b = scene_robot(&scene, 'b');
    b->at.x = 4.0 + 6.0 * (double)fw__rng_below(&rng, 1000) / 1000.0;
    b->at.y = 4.0 + 5.0 * (double)fw__rng_below(&rng, 1000) / 1000.0;
    if (fw__rng_below(&rng, 3) == 0) {
      const fw_point_t centres[] = {
        {0.5 * fw__rng_below(&rng, 30), 2.0 + 0.5 * fw__rng_below(&rng, 17)},
        {0.5 * fw__rng_below(&rng, 30), 2.0 + 0.5 * fw__rng_below(&rng, 17)}};
      assert_int_equal(block(&scene, 0.7, centres, (int32_t)fw__rng_below(&rng, 3)), FW_RET_OK);
    }
    if (fw__rng_below(&rng, 10) == 0) {
      floor->values[30 * 4 + fw__rng_below(&rng, 30 * 17)] ^= 100;
      assert_int_equal(fw_controller_set_map(&scene.controller, &floor->map, scene.now_ns, &scene.error), FW_RET_OK);
    }
    scene_step(&scene);
    steps_of_a += fw__fleet_execution_has(execution, 0) ? 1 : 0;
    if (steps_of_a > 0) {
      assert_true(!fw__fleet_execution_has(execution, 1) && execution->obstacles.robot_cell_count > 0);
      check_graph(&scene);
    }
  }
  assert_true(steps_of_a > 300);
  scene_end(&scene);
}

// On 90,000 cells a robot that is pushed about costs some cells per update, and nothing once it stands.
static void a_moving_robot_costs_the_cells_that_it_touches(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  floor_t * floor = make_floor(300, 300, 0.5);
  scene_robot(&scene, 'b')->is_there = scene_robot(&scene, 'b')->is_listed = true;
  scene_robot(&scene, 'b')->at = floor_point(floor, 50.0, 50.0);
  begin_on(&scene, floor, floor_point(floor, 0.25, 0.25));
  const fw_fleet_execution_t * execution = &scene.controller.impl->execution;
  const fw_known_obstacles_t * known = &execution->obstacles;
  int64_t before = 0;
  for (int32_t step = 0; step < 100; ++step) {
    scene_robot(&scene, 'b')->at.x += 0.1;
    scene_step(&scene);
    if (step >= 50) {
      assert_true(fw__fleet_execution_has(execution, 0) && !fw__fleet_execution_has(execution, 1));
      assert_in_range(known->visited, before + 1, before + 32);
    }
    before = known->visited;
  }
  assert_int_equal(block(&scene, 0.4, (fw_point_t[]){{20.25, 20.25}}, 1), FW_RET_OK);
  scene_step(&scene);
  assert_in_range(known->visited, before + 1, before + 90000 + 16);
  scene_end(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_aisle_of_90_cm_is_driven_at_every_offset),
    cmocka_unit_test(robots_that_cut_corners_pass_between_pillars),
    cmocka_unit_test(corners_are_cut_by_robots_of_one_cell_with_diagonals_only),
    cmocka_unit_test(an_aisle_that_is_too_narrow_is_not_free),
    cmocka_unit_test(a_wall_thinner_than_a_cell_is_closed_and_its_door_open),
    cmocka_unit_test(aligned_walls_cost_no_cells),
    cmocka_unit_test(any_angle_paths_touch_nothing),
    cmocka_unit_test(larger_footprints_need_whole_squares),
    cmocka_unit_test(settings_of_the_grid_build_it_again),
    cmocka_unit_test(a_robot_on_free_floor_without_a_free_cell_is_told_where_to_drive),
    cmocka_unit_test(maps_out_of_range_are_refused_with_a_reason),
    cmocka_unit_test(huge_obstacles_block_the_whole_map),
    cmocka_unit_test(maps_that_are_too_large_are_refused),
    cmocka_unit_test(absurd_obstacles_are_refused_and_change_nothing),
    cmocka_unit_test(obstacles_that_cover_the_map_again_and_again_are_refused),
    cmocka_unit_test(obstacles_that_are_too_many_on_another_map_block_it),
    cmocka_unit_test(changes_of_obstacles_add_up_to_all_obstacles),
    cmocka_unit_test(a_moving_robot_costs_the_cells_that_it_touches),
  };
  return TEST_RUN(tests);
}
