// Robots in metres and seconds: polygons against sampled points, times, refusals, and grids that change under robots
// that drive; and diagonals beside robots.

#include "base/rng.h"
#include "controller/metres.h"
#include "test_controller_scene.h"
#include "world/footprint.h"

static const double QUARTER = 1.5707963267948966;

// ---- reading --------------------------------------------------------------------------------------------------------

static void a_polygon_is_read_as_its_convex_hull(void ** state)
{
  (void)state;
  fw_hulls_t hulls = {0};
  fw_hull_t *hull = NULL, *same = NULL;
  fw_error_t error = {0};
  // An arrow: the corner in its back is inside the hull, and one corner comes twice.
  const char * text = " [[ 0.3,0.2 ],[+0.3, -2e-1],[-.3,-0.2], [-0.1, 0.0], [-30.0e-2, 0.20], [0.3, 0.2]]\n";
  assert_true(fw__hulls_get(&hulls, text, &hull, &error));
  assert_int_equal(hull->count, 4);
  assert_true(fabs(hull->radius - hypot(0.3, 0.2)) < 1e-12);
  const fw_point_t expected[] = {{-0.3, -0.2}, {0.3, -0.2}, {0.3, 0.2}, {-0.3, 0.2}};
  for (int32_t k = 0; k < 4; ++k) {
    assert_true(hypot(hull->corners[k].x - expected[k].x, hull->corners[k].y - expected[k].y) < 1e-12);
  }
  assert_true(fw__hulls_get(&hulls, text, &same, &error));
  assert_ptr_equal(hull, same);
  fw__hulls_fini(&hulls);
}

static void polygons_that_make_no_sense_are_refused(void ** state)
{
  (void)state;
  const struct {
    const char *text, *words;
  } cases[] = {
    {"[]", "must be [[x, y]"},
    {"[[0.1, 0.1]]", "1 corners"},
    {"[[0.1, 0.1], [-0.1, 0.1]]", "at least 3"},
    {"[[1, 1], [0, 0], [-1, -1]]", "no area"},
    {"[[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]]", "no area"},
    {"[[1, 1], [2, 1], [1, 2]]", "does not contain the robot's base"},
    {"[[1, 1], [-1, 1], [0, nan]]", "must be [[x, y]"},
    {"[[1, 1], [-1, 1], [0, inf]]", "must be [[x, y]"},
    {"[[1, 1], [-1, 1], [0, -1e999]]", "must be [[x, y]"},
    {"[[1, 1], [-1, 1], [0, -1e4]]", "farther than 1000 m"},
    {"[[1, 1], [-1, 1], [0, -1]", "must be [[x, y]"},
    {"[[1, 1], [-1, 1], [0, -1]]x", "must be [[x, y]"},
    {"[[1, 1], [-1, 1], [0, -1],]", "must be [[x, y]"},
    {"[[1, 1], [-1 1], [0, -1]]", "must be [[x, y]"},
    {"[[1, 1], [-1, 1, 1], [0, -1]]", "must be [[x, y]"},
    {"[[1, 1], [-1, 0x1], [0, -1]]", "must be [[x, y]"},
    {"[[1, 1], [-1, .], [0, -1]]", "must be [[x, y]"},
    {"[[1, 1], [-1, 1e], [0, -1]]", "must be [[x, y]"},
    {"2x2", "must be [[x, y]"},
  };
  for (int32_t k = 0; k < TEST_COUNT(cases); ++k) {
    fw_hulls_t hulls = {0};
    fw_hull_t * hull = NULL;
    fw_error_t error = {0};
    if (fw__hulls_get(&hulls, cases[k].text, &hull, &error) || strstr(error.text, cases[k].words) == NULL) {
      fail_msg("'%s': '%s' is expected, not '%s'", cases[k].text, cases[k].words, error.text);
    }
    assert_null(hulls.first);
  }
  char many[2048] = "[[1, 1], [-1, 1]";
  for (int32_t k = 0; k < FW_HULL_CORNERS_MAX - 1; ++k) {
    strcat(many, ", [0, -1]");
  }
  strcat(many, "]");
  fw_hulls_t hulls = {0};
  fw_hull_t * hull = NULL;
  fw_error_t error = {0};
  assert_false(fw__hulls_get(&hulls, many, &hull, &error));
  assert_non_null(strstr(error.text, "more than 64 corners"));
}

// ---- cells ----------------------------------------------------------------------------------------------------------

// A random polygon around the base, as text.
static void random_polygon(fw_rng_t * rng, char text[1024])
{
  const int32_t count = 3 + fw__rng_below(rng, 6);
  const double length = 0.2 + 0.1 * fw__rng_below(rng, 12), width = 0.2 + 0.1 * fw__rng_below(rng, 8);
  const double shift = 0.3 * length * ((double)fw__rng_below(rng, 201) / 100.0 - 1.0);
  size_t at = (size_t)snprintf(text, 1024, "[");
  for (int32_t k = 0; k < count; ++k) {
    const double angle = 4.0 * QUARTER * (k + 0.4 * (double)fw__rng_below(rng, 100) / 100.0) / count;
    at += (size_t)snprintf(
      text + at, 1024 - at, "%s[%.3f, %.3f]", k == 0 ? "" : ", ", length * cos(angle) + shift, width * sin(angle));
  }
  (void)snprintf(text + at, 1024 - at, "]");
}

static double sampled(fw_rng_t * rng) { return (double)fw__rng_below(rng, 1000001) / 1000000.0; }

// A point of the hull: of a random triangle of its fan, often on the edge.
static fw_point_t point_of(const fw_hull_t * hull, fw_rng_t * rng)
{
  const int32_t k = 1 + fw__rng_below(rng, hull->count - 2);
  const fw_point_t a = hull->corners[0], b = hull->corners[k], c = hull->corners[k + 1];
  double u = sampled(rng), v = sampled(rng);
  if (u + v > 1.0) {
    u = 1.0 - u;
    v = 1.0 - v;
  }
  if (fw__rng_below(rng, 2) == 0) {  // on an edge of the hull
    const int32_t edge = fw__rng_below(rng, hull->count);
    const fw_point_t d = hull->corners[edge], e = hull->corners[(edge + 1) % hull->count];
    return (fw_point_t){d.x + u * (e.x - d.x), d.y + u * (e.y - d.y)};
  }
  return (fw_point_t){a.x + u * (b.x - a.x) + v * (c.x - a.x), a.y + u * (b.y - a.y) + v * (c.y - a.y)};
}

static fw_point_t turned(fw_point_t point, double yaw)
{
  return (fw_point_t){cos(yaw) * point.x - sin(yaw) * point.y, sin(yaw) * point.x + cos(yaw) * point.y};
}

// The distance to a square is that of the nearest of many points, which is never smaller, and hardly larger.
static void distances_are_those_of_sampled_points(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(4);
  for (int32_t round = 0; round < test_rounds(60); ++round) {
    fw_hulls_t hulls = {0};
    fw_hull_t * hull = NULL;
    fw_error_t error = {0};
    char text[1024];
    random_polygon(&rng, text);
    if (!fw__hulls_get(&hulls, text, &hull, &error)) {
      continue;  // the base is outside
    }
    const fw_pose_t pose = {{2.0 * sampled(&rng), 2.0 * sampled(&rng)}, 7.0 * sampled(&rng)};
    const fw_hull_square_t square = {{4.0 * sampled(&rng) - 1.0, 4.0 * sampled(&rng) - 1.0}, 0.5};
    const double distance = fw__hull_distance(hull, pose, square);
    double nearest = INFINITY;
    for (int32_t k = 0; k < 20000; ++k) {
      const fw_point_t at = turned(point_of(hull, &rng), pose.yaw);
      const double dx = fabs(pose.point.x + at.x - square.centre.x), dy = fabs(pose.point.y + at.y - square.centre.y);
      nearest = fmin(nearest, hypot(fmax(dx - 0.25, 0.0), fmax(dy - 0.25, 0.0)));
    }
    if (nearest < distance - 1e-5 || nearest > distance + 0.02) {
      fail_msg("%s: distance %g, of sampled points %g", text, distance, nearest);
    }
    fw__hulls_fini(&hulls);
  }
}

typedef struct cells_t {
  bool marks[201][201];
} cells_t;

static void mark(void * context, fw_offset_t cell)
{
  cells_t * cells = context;
  assert_true(abs(cell.dx) <= 100 && abs(cell.dy) <= 100);
  cells->marks[cell.dy + 100][cell.dx + 100] = true;
}

static void mark_heading(cells_t * cells, const fw_rotated_footprint_t * outline, int32_t heading)
{
  for (int32_t k = 0; k < outline->counts[heading]; ++k) {
    mark(cells, outline->cells[heading][k]);
  }
}

typedef struct placed_hull_t {
  const fw_hull_t * hull;
  double resolution;
  double yaw;
  double touch;  // cells; points that are nearer to an edge between cells are in either of them
} placed_hull_t;

// Every point of the polygon is in a marked cell.
static void expect_covered(cells_t * cells, placed_hull_t placed, fw_rng_t * rng)
{
  for (int32_t k = 0; k < 300; ++k) {
    const fw_point_t at = turned(point_of(placed.hull, rng), placed.yaw);
    const double x = at.x / placed.resolution, y = at.y / placed.resolution;
    const double off_x = fabs(x + 0.5 - round(x + 0.5)), off_y = fabs(y + 0.5 - round(y + 0.5));
    if (off_x < placed.touch || off_y < placed.touch) {
      continue;
    }
    const int32_t dx = (int32_t)floor(x + 0.5), dy = (int32_t)floor(y + 0.5);
    if (!cells->marks[dy + 100][dx + 100]) {
      fail_msg(
        "%s at yaw %g, cells of %g m: (%d, %d) is not covered", placed.hull->text, placed.yaw, placed.resolution, dx,
        dy);
    }
  }
}

static void expect_turn_covered(
  const fw_rotated_footprint_t * outline, const fw_hull_t * hull, double resolution, fw_turn_t turn, fw_rng_t * rng)
{
  static cells_t cells;
  cells = (cells_t){0};
  mark_heading(&cells, outline, turn.from);
  mark_heading(&cells, outline, turn.to);
  for (int32_t k = 0; k < outline->counts[0]; ++k) {
    fw__footprint_visit_swept(outline->cells[0][k], turn, mark, &cells);
  }
  for (int32_t k = 0; k <= 40; ++k) {
    const double share = (double)k / 40.0;
    const double yaw = 0.5 * QUARTER * (turn.from + share * (turn.to - turn.from));
    expect_covered(&cells, (placed_hull_t){hull, resolution, yaw, 1e-3}, rng);
  }
}

static fw_body_scale_t scale_for(double resolution, int32_t connectivity)
{
  return (fw_body_scale_t){
    .resolution = resolution,
    .clearance = 0.0,
    .tick_seconds = 1.0,
    .step_metres = resolution,
    .connectivity = connectivity,
  };
}

// What planners make of the footprint contains every point of the polygon, standing at each heading and turning.
static void footprints_contain_the_polygon_at_every_heading_and_in_turns(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(7);
  for (int32_t round = 0; round < test_rounds(40); ++round) {
    fw_robot_shapes_t shapes = {0};
    fw_hull_t * hull = NULL;
    fw_error_t error = {0};
    char text[1024];
    random_polygon(&rng, text);
    const double resolution = 0.15 + 0.05 * fw__rng_below(&rng, 10);
    const int32_t connectivity = fw__rng_below(&rng, 2) == 0 ? 4 : 8;
    const fw_body_scale_t scale = scale_for(resolution, connectivity);
    if (!fw__hulls_get(&shapes.hulls, text, &hull, &error)) {
      continue;
    }
    assert_true(fw__hull_cover(hull, &scale, true, &shapes.outlines, &error));
    assert_true(fw__hull_cover(hull, &scale, false, &shapes.outlines, &error));
    const fw_rotated_footprint_t * outline = hull->outlines[1];
    static cells_t cells;
    for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += connectivity == 8 ? 1 : 2) {
      cells = (cells_t){0};
      mark_heading(&cells, outline, heading);
      expect_covered(&cells, (placed_hull_t){hull, resolution, 0.5 * QUARTER * heading, 2e-6}, &rng);
    }
    if (connectivity == 8) {
      expect_turn_covered(outline, hull, resolution, (fw_turn_t){0, 1}, &rng);
      expect_turn_covered(outline, hull, resolution, (fw_turn_t){1, 2}, &rng);
    } else {
      expect_turn_covered(outline, hull, resolution, (fw_turn_t){0, 2}, &rng);
    }
    cells = (cells_t){0};  // without heading: at any yaw
    mark_heading(&cells, hull->outlines[0], 0);
    for (int32_t k = 0; k < 30; ++k) {
      expect_covered(&cells, (placed_hull_t){hull, resolution, 4.0 * QUARTER * sampled(&rng), 2e-6}, &rng);
    }
    fw__robot_shapes_fini(&shapes);
  }
}

// Nothing is covered without need: known footprints. Cells are 0.5 m.
static void known_polygons_have_known_cells(void ** state)
{
  (void)state;
  const struct {
    const char * text;
    bool has_heading;
    int32_t connectivity;
    double clearance;
    const char * cells;
  } cases[] = {
    // 0.6 m x 0.4 m reaches 0.36 m from its base: at some yaw it does not fit into one cell.
    {"[[0.3, 0.2], [0.3, -0.2], [-0.3, -0.2], [-0.3, 0.2]]", true, 4, 0.1, "-1,0;0,0;1,0"},
    {"[[0.17, 0.17], [0.17, -0.17], [-0.17, -0.17], [-0.17, 0.17]]", true, 4, 0.1, ""},  // 0.24 m: it does
    {"[[0.17, 0.17], [0.17, -0.17], [-0.17, -0.17], [-0.17, 0.17]]", false, 8, 0.1, ""},
    {"[[0.7, 0.2], [0.7, -0.2], [-0.7, -0.2], [-0.7, 0.2]]", true, 4, 0.1, "-1,0;0,0;1,0"},
    // To the edges of cells, within the tolerance: a square whose corners reach into others when it turns.
    {"[[0.25, 0.25], [0.25, -0.25], [-0.25, -0.25], [-0.25, 0.25]]", true, 4, 0.0, "0,-1;-1,0;0,0;1,0;0,1"},
    {"[[0.26, 0.25], [0.26, -0.25], [-0.25, -0.25], [-0.25, 0.25]]", true, 4, 0.0,
     "0,-1;-1,0;0,0;1,0"},  // others are swept
    // Without heading the disc of 0.51 m counts: 3 x 3 cells are those within 0.5 m, or 0.35 m to the corners.
    {"[[0.5, 0.1], [0.5, -0.1], [-0.5, -0.1], [-0.5, 0.1]]", false, 4, 0.0,
     "-1,-1;0,-1;1,-1;-1,0;0,0;1,0;-1,1;0,1;1,1"},
    {"[[0.3, 0.1], [0.3, -0.1], [-0.3, -0.1], [-0.3, 0.1]]", false, 4, 0.0, "0,-1;-1,0;0,0;1,0;0,1"},
  };
  for (int32_t k = 0; k < TEST_COUNT(cases); ++k) {
    fw_robot_shapes_t shapes = {0};
    fw_hull_t * hull = NULL;
    fw_error_t error = {0};
    fw_body_scale_t scale = scale_for(0.5, cases[k].connectivity);
    scale.clearance = cases[k].clearance;
    assert_true(fw__hulls_get(&shapes.hulls, cases[k].text, &hull, &error));
    assert_true(fw__hull_cover(hull, &scale, cases[k].has_heading, &shapes.outlines, &error));
    assert_string_equal(hull->outlines[cases[k].has_heading]->text, cases[k].cells);
    fw__robot_shapes_fini(&shapes);
  }
}

// ---- times ----------------------------------------------------------------------------------------------------------

static void times_become_the_smallest_number_of_ticks_that_is_enough(void ** state)
{
  (void)state;
  const struct {
    double resolution, fleet_speed, speed, turn_seconds;
    int32_t connectivity, move, turn;
  } cases[] = {
    {0.5, 0.5, 0.5, 1.0, 4, 1, 1},    {0.5, 0.5, 0.25, 2.0, 4, 2, 2}, {0.5, 0.5, 0.24, 2.001, 4, 3, 3},
    {0.5, 0.5, 0.9, 0.01, 4, 1, 1},    // faster than the fleet: it is waited for by nobody
    {0.6, 0.6, 0.2, 3.0, 4, 3, 3},     // 3.0000000000000004
    {0.3, 0.7, 0.1, 3.0, 4, 7, 7},     // 6.999999999999999
    {0.5, 0.5, 0.0625, 8.0, 4, 8, 8},  // the limits
    {0.5, 0.5, 0.25, 2.0, 8, 2, 1},    // an eighth of a turn in a tick of a diagonal, 1.41 s
    {0.5, 0.5, 0.25, 2.829, 8, 2, 2},
  };
  for (int32_t k = 0; k < TEST_COUNT(cases); ++k) {
    const double step = cases[k].resolution * (cases[k].connectivity == 8 ? sqrt(2.0) : 1.0);
    const fw_body_scale_t scale = {
      .resolution = cases[k].resolution,
      .tick_seconds = ceil(step / cases[k].fleet_speed * 1e9) * 1e-9,
      .step_metres = step,
      .connectivity = cases[k].connectivity,
    };
    assert_int_equal(fw__ticks_of_speed(&scale, cases[k].speed), cases[k].move);
    assert_int_equal(fw__ticks_of_turn(&scale, cases[k].turn_seconds), cases[k].turn);
  }
}

// ---- the controller -------------------------------------------------------------------------------------------------

#define ROBOT_60_40 "[[0.3, 0.2], [0.3, -0.2], [-0.3, -0.2], [-0.3, 0.2]]"
#define ROBOT_34_34 "[[0.17, 0.17], [0.17, -0.17], [-0.17, -0.17], [-0.17, 0.17]]"
#define ROBOT_60_60 "[[0.3, 0.3], [0.3, -0.3], [-0.3, -0.3], [-0.3, 0.3]]"

static const fw_robot_body_t * body_of(const scene_t * scene, char name)
{
  return &scene->controller.impl->fleet.robots[scene_slot(scene, name)].body;
}

static void robots_that_do_not_fit_the_grid_are_refused_with_numbers(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a...b");
  const uint64_t id = scene_goal(&scene, 'a', 2, 0);
  const struct {
    fw_controller_robot_t robot;
    const char * words[3];
  } cases[] = {
    {{.footprint_m = ROBOT_60_40, .footprint = "2x2"}, {"'d'", "footprint_m and footprint", "not both"}},
    {{.footprint_m = ROBOT_60_40, .ticks_per_move = 2}, {"'d'", "footprint_m and ticks_per_move", "not both"}},
    {{.speed = 0.2, .footprint = "2x2"}, {"'d'", "speed and footprint", "not both"}},
    {{.turn_seconds = 0.2, .turn_ticks = 1}, {"'d'", "turn_seconds and turn_ticks", "not both"}},
    {{.speed = 0.06}, {"'d'", "0.06 m/s is 9 ticks of 1 s", "1 to 8"}},
    {{.speed = -1.0}, {"'d'", "speed must be between 0 and 100", "-1"}},
    {{.speed = NAN}, {"'d'", "speed must be between 0 and 100", "nan"}},
    {{.turn_seconds = 8.1}, {"'d'", "turn_seconds 8.1 is 9 ticks of 1 s per quarter turn", "1 to 8"}},
    {{.turn_seconds = INFINITY}, {"'d'", "turn_seconds must be between 0 and 3600", "inf"}},
    {{.footprint_m = "[[24, 1], [24, -1], [-1, -1], [-1, 1]]"}, {"'d'", "48.1 planning cells of 0.5 m", "0 to 47"}},
    {{.footprint_m = "[[1, 1]]"}, {"'d'", "1 corners", "at least 3"}},
  };
  for (int32_t k = 0; k < TEST_COUNT(cases); ++k) {
    fw_controller_robot_t list[2] = {{.name = "c"}, cases[k].robot};
    list[1].name = "d";
    scene.error = (fw_error_t){0};
    assert_int_equal(
      fw_controller_set_robots(&scene.controller, list, 2, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
    for (int32_t w = 0; w < 3; ++w) {
      if (strstr(scene.error.text, cases[k].words[w]) == NULL) {
        fail_msg("case %d: '%s' is not in '%s'", k, cases[k].words[w], scene.error.text);
      }
    }
    assert_int_equal(scene_slot(&scene, 'a'), 0);
    assert_int_equal(scene_slot(&scene, 'c'), -1);
  }
  scene_until_ended(&scene, id, 20.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// A robot of 0.6 m x 0.6 m has 3 x 3 cells of 0.5 m, and one of 1 m. The grid changes while it drives, there and back.
static void a_grid_that_changes_converts_robots_that_drive(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene_robot(&scene, 'a')->footprint_m = ROBOT_60_60;
  scene_robot(&scene, 'a')->speed = 0.25;
  scene_robot(&scene, 'a')->is_ignored = true;
  SCENE(
    &scene, "..............", ".a............", "..............", "..............", "b.............", "..............");
  scene.speed = 0.25;
  assert_int_equal(body_of(&scene, 'a')->outline->counts[0], 9);
  assert_int_equal(body_of(&scene, 'a')->ticks_per_move, 2);
  assert_true(scene.controller.impl->map.needs_whole_squares);
  const uint64_t a = scene_goal(&scene, 'a', 11, 1), b = scene_goal(&scene, 'b', 11, 4);
  scene_run(&scene, 4.0);
  assert_true(scene_released(&scene, 'a').count > 1);
  fw_controller_settings_t settings = scene.options.settings;
  settings.planning_resolution = 1.0;
  assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(body_of(&scene, 'a')->outline->counts[0], 1);
  assert_true(fabs(scene.controller.impl->map.robot_radius - hypot(0.3, 0.3)) < 1e-12);
  assert_false(scene.controller.impl->map.needs_whole_squares);
  scene_run(&scene, 12.0);
  assert_string_equal(fw_controller_status(&scene.controller, scene.now_ns).fault, "");
  settings.planning_resolution = 0.5;
  assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(body_of(&scene, 'a')->outline->counts[0], 9);
  assert_true(scene.controller.impl->map.robot_radius == settings.robot_radius);
  scene_until_ended(&scene, a, 120.0);
  scene_until_ended(&scene, b, 120.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// The fleet's speed decides what a tick is.
static void another_speed_of_the_fleet_converts_times(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene_robot(&scene, 'a')->speed = 0.25;
  scene_robot(&scene, 'a')->turn_seconds = 3.0;
  SCENE(&scene, "a.......");
  const uint64_t id = scene_goal(&scene, 'a', 6, 0);
  assert_int_equal(body_of(&scene, 'a')->ticks_per_move, 2);
  assert_int_equal(body_of(&scene, 'a')->turn_ticks, 3);
  scene_run(&scene, 3.0);
  fw_controller_settings_t settings = scene.options.settings;
  settings.speed = 1.0;
  assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(body_of(&scene, 'a')->ticks_per_move, 4);
  assert_int_equal(body_of(&scene, 'a')->turn_ticks, 6);
  // With ticks of a quarter second it would need 8 ticks to move, and 12 to turn.
  settings.speed = 2.0;
  assert_int_equal(
    fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(scene.error.text, "robot 'a'"));
  assert_non_null(strstr(scene.error.text, "12 ticks"));
  assert_true(scene.controller.impl->settings.speed == 1.0);
  assert_int_equal(body_of(&scene, 'a')->ticks_per_move, 4);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

static fw_ret_t send_map_of(scene_t * scene, double resolution)
{
  const fw_occupancy_map_t map = {
    .width = scene->width, .height = scene->height, .resolution = resolution, .values = scene->values};
  return fw_controller_set_map(&scene->controller, &map, scene->now_ns, &scene->error);
}

static void a_map_on_which_a_robot_cannot_turn_is_refused(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.planning_resolution = 0.0;  // the map's
  scene.options.settings.robot_radius = 0.05;
  scene_robot(&scene, 'b')->turn_seconds = 6.0;
  SCENE(&scene, "a.......", "b.......");
  const uint64_t id = scene_goal(&scene, 'a', 6, 0);
  scene_run(&scene, 2.0);
  const int64_t revision = scene.controller.impl->map.revision;
  // 0.1 m at 0.5 m/s: ticks of 0.2 s, 30 for a quarter turn.
  assert_int_equal(send_map_of(&scene, 0.1), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(scene.error.text, "robot 'b'"));
  assert_non_null(strstr(scene.error.text, "30 ticks"));
  assert_true(scene.controller.impl->map.revision == revision && scene.controller.impl->map.frame.resolution == 0.5);
  assert_int_equal(body_of(&scene, 'b')->turn_ticks, 6);
  assert_string_equal(scene.controller.impl->map_fault.text, scene.error.text);
  scene_until_ended(&scene, id, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  // The first map of all is refused alike: nothing is planned on a grid that a robot does not fit.
  scene_end(&scene);
  scene = scene_make();
  scene.options.settings.planning_resolution = 0.0;
  scene.options.settings.robot_radius = 0.05;
  scene.width = 4;
  scene.height = 1;
  memset(scene.values, 0, sizeof scene.values);
  scene_robot(&scene, 'b')->turn_seconds = 6.0;
  scene_robot(&scene, 'b')->is_listed = true;
  assert_int_equal(fw_controller_init(&scene.controller, &scene.options, &scene.error), FW_RET_OK);
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  assert_int_equal(send_map_of(&scene, 0.1), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(scene.error.text, "robot 'b'"));
  assert_string_equal(fw_controller_status(&scene.controller, scene.now_ns).not_ready, "there is no map yet");
  assert_int_equal(send_map_of(&scene, 0.5), FW_RET_OK);
  scene_end(&scene);
}

// Robots that fit into one cell are as far from each other, and from walls, as the largest of them needs.
static void the_largest_robot_of_one_cell_decides_what_is_free(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.robot_radius = 0.1;
  scene_robot(&scene, 'a')->footprint_m = ROBOT_34_34;
  SCENE(&scene, "a..", "...");
  assert_true(fabs(scene.controller.impl->map.robot_radius - hypot(0.17, 0.17)) < 1e-12);
  assert_int_equal(body_of(&scene, 'a')->outline->counts[0], 1);
  scene_run(&scene, 1.0);
  assert_true(scene.controller.impl->execution.options.tolerance < 0.02);  // 0.1 for discs of 0.1 m
  scene_robot(&scene, 'a')->footprint_m = NULL;
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  assert_true(scene.controller.impl->map.robot_radius == 0.1);
  scene_end(&scene);
}

static void mark_visited(void * context, fw_cell_t cell) { ((bool *)context)[cell] = true; }

// A bar of 1.4 m that is silent and stands aslant blocks what it touches, not what its cells at heading 0 are.
static void a_robot_in_metres_that_stands_aslant_blocks_what_it_touches(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene_robot(&scene, 'a')->footprint_m = "[[0.7, 0.2], [0.7, -0.2], [-0.7, -0.2], [-0.7, 0.2]]";
  scene_robot(&scene, 'a')->turn_seconds = 2.0;
  SCENE(&scene, ".......", ".......", ".......", "...a...", ".......", ".......", ".......");
  const fw_controller_impl_t * impl = scene.controller.impl;
  assert_int_equal(body_of(&scene, 'a')->outline->counts[0], 3);
  fw_rng_t rng = fw__rng(3);
  for (int32_t round = 0; round < 50; ++round) {
    const fw_pose_t pose = {scene_place(3.0 + 0.4 * sampled(&rng), 3.0 + 0.4 * sampled(&rng)), 7.0 * sampled(&rng)};
    bool is_visited[49] = {false};
    const fw_measured_body_t measured = {body_of(&scene, 'a'), pose, 0.2, 0.0};
    fw__robot_body_visit_touched_cells(
      &measured, &impl->map.frame, (fw_raster_visitor_t){.visit = mark_visited, .context = is_visited});
    for (int32_t k = 0; k < 500; ++k) {
      const fw_point_t at = turned(point_of(body_of(&scene, 'a')->hull, &rng), pose.yaw);
      const fw_point_t point = {pose.point.x + at.x, pose.point.y + at.y};
      assert_true(is_visited[fw__map_frame_cell(&impl->map.frame, point)]);
    }
  }
  scene_end(&scene);
}

// ---- diagonals ------------------------------------------------------------------------------------------------------

typedef struct log_count_t {
  int32_t lines;
} log_count_t;

static void count_log(void * context, fw_log_level_t level, const char * text)
{
  log_count_t * count = context;
  (void)level;
  count->lines += strstr(text, "sweeps_sides") != NULL ? 1 : 0;
}

// 2 r <= 0.707 - 2 t, in cells: up to 0.126 m in cells of 0.5 m with the tolerance of 0.1 cells.
static void diagonals_cover_the_cells_beside_them_where_robots_would_touch(void ** state)
{
  (void)state;
  const struct {
    double radius, tolerance;
    int32_t connectivity;
    bool sweeps;
  } cases[] = {{0.2, 0.0, 4, false},  {0.2, 0.0, 8, true},  {0.13, 0.0, 8, true},
               {0.12, 0.0, 8, false}, {0.12, 0.1, 8, true}, {0.15, 0.02, 8, false}};
  for (int32_t k = 0; k < TEST_COUNT(cases); ++k) {
    static scene_t scene;
    log_count_t count = {0};
    scene = scene_make();
    scene.options.log = count_log;
    scene.options.context = &count;
    scene.options.settings.robot_radius = cases[k].radius;
    scene.options.settings.waypoint_tolerance = cases[k].tolerance;
    scene.options.settings.connectivity = cases[k].connectivity;
    SCENE(&scene, "a....", ".....", "....b");
    assert_true(body_of(&scene, 'a')->sweeps_sides == cases[k].sweeps);
    const uint64_t a = scene_goal(&scene, 'a', 4, 2), b = scene_goal(&scene, 'b', 0, 0);
    scene_until_ended(&scene, a, 60.0);
    scene_until_ended(&scene, b, 60.0);
    assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
    assert_int_equal(scene_send_map(&scene), FW_RET_OK);
    assert_int_equal(count.lines, cases[k].sweeps ? 1 : 0);
    assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
    scene_end(&scene);
  }
}

// Small robots pass diagonally between others; not beside one that stands nearer to the diagonal than the centre of its
// cell is. b is on its way to the centre of its cell, and broken; its disc is in its own cell alone.
static void nobody_passes_diagonally_beside_a_robot_that_stands_beside_its_centre(void ** state)
{
  (void)state;
  for (int32_t is_off = 0; is_off < 2; ++is_off) {
    static scene_t scene;
    scene = scene_make();
    scene.options.settings.robot_radius = 0.12;
    scene.options.settings.connectivity = 8;
    SCENE(&scene, ".b..", "a...", "....");
    scene_robot_t * b = scene_robot(&scene, 'b');
    b->at = is_off != 0 ? scene_place(0.76, 0.0) : b->at;
    b->at.y += is_off != 0 ? 0.24 * SCENE_CELL : 0.0;
    b->is_broken = true;
    const uint64_t id = scene_goal(&scene, 'a', 2, 0);
    scene_until_ended(&scene, id, 60.0);
    assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
    // On the diagonal it passes at 0.354 m; beside the other one, it would at 0.18 m.
    assert_true(is_off != 0 ? scene.nearest > 0.36 : fabs(scene.nearest - sqrt(0.125)) < 0.01);
    scene_end(&scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_polygon_is_read_as_its_convex_hull),
    cmocka_unit_test(polygons_that_make_no_sense_are_refused),
    cmocka_unit_test(distances_are_those_of_sampled_points),
    cmocka_unit_test(footprints_contain_the_polygon_at_every_heading_and_in_turns),
    cmocka_unit_test(known_polygons_have_known_cells),
    cmocka_unit_test(times_become_the_smallest_number_of_ticks_that_is_enough),
    cmocka_unit_test(robots_that_do_not_fit_the_grid_are_refused_with_numbers),
    cmocka_unit_test(a_grid_that_changes_converts_robots_that_drive),
    cmocka_unit_test(another_speed_of_the_fleet_converts_times),
    cmocka_unit_test(a_map_on_which_a_robot_cannot_turn_is_refused),
    cmocka_unit_test(the_largest_robot_of_one_cell_decides_what_is_free),
    cmocka_unit_test(a_robot_in_metres_that_stands_aslant_blocks_what_it_touches),
    cmocka_unit_test(diagonals_cover_the_cells_beside_them_where_robots_would_touch),
    cmocka_unit_test(nobody_passes_diagonally_beside_a_robot_that_stands_beside_its_centre),
  };
  return TEST_RUN(tests);
}
