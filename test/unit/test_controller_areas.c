// Areas with traffic rules: polygons on grids of any frame, and the controller, whose robots keep to them.

#include "base/rng.h"
#include "controller/map/areas.h"
#include "test_controller_scene.h"

// ---- polygons

static void mark_cells(void * context, fw_cell_t first, int32_t count)
{
  uint8_t * marks = context;
  for (fw_cell_t cell = first; cell < first + count; ++cell) {
    marks[cell] = 1;
  }
}

// By the crossings of a ray, in metres.
static bool is_inside(const fw_area_t * area, fw_point_t at)
{
  bool is_in = false;
  for (int32_t k = 0; k < area->point_count; ++k) {
    const fw_point_t a = area->points[k], b = area->points[(k + 1) % area->point_count];
    if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (b.x - a.x) * (at.y - a.y) / (b.y - a.y)) {
      is_in = !is_in;
    }
  }
  return is_in;
}

static fw_point_t place_in(const fw_map_frame_t * frame, double x, double y)
{
  const double c = cos(frame->yaw), s = sin(frame->yaw), r = frame->resolution;
  return (fw_point_t){frame->origin.x + r * (c * x - s * y), frame->origin.y + r * (s * x + c * y)};
}

static void polygons_take_the_right_cells(void ** state)
{
  (void)state;
  enum { SIDE = 24, SAMPLES = 12 };
  fw_rng_t rng = fw__rng(5);
  int32_t inside = 0, overlapped = 0;
  for (int32_t round = 0; round < test_rounds(400); ++round) {
    const fw_map_frame_t frame = {
      .origin = {0.1 * fw__rng_below(&rng, 100) - 5.0, 0.1 * fw__rng_below(&rng, 100) - 5.0},
      .yaw = 0.01 * fw__rng_below(&rng, 628),
      .resolution = 0.05 + 0.01 * fw__rng_below(&rng, 50),
      .width = 1 + fw__rng_below(&rng, SIDE),
      .height = 1 + fw__rng_below(&rng, SIDE),
    };
    fw_point_t points[7];
    const fw_area_t area = {.name = "any", .points = points, .point_count = 3 + fw__rng_below(&rng, 5)};
    for (int32_t k = 0; k < area.point_count; ++k) {
      points[k] = place_in(&frame, 0.013 * fw__rng_below(&rng, 3000) - 8.0, 0.013 * fw__rng_below(&rng, 3000) - 8.0);
    }
    uint8_t centres[SIDE * SIDE] = {0}, overlaps[SIDE * SIDE] = {0};
    fw__area_visit_centres(&frame, &area, (fw_raster_visitor_t){.context = centres, .visit_run = mark_cells});
    fw__area_visit_overlaps(&frame, &area, (fw_raster_visitor_t){.context = overlaps, .visit_run = mark_cells});
    for (int32_t k = 0; k < frame.width * frame.height; ++k) {
      const double x = (double)(k % frame.width), y = (double)(k / frame.width);
      assert_int_equal(centres[k], is_inside(&area, place_in(&frame, x + 0.5, y + 0.5)));
      bool has_sample = false;
      for (int32_t i = 0; i < SAMPLES * SAMPLES; ++i) {
        const double dx = (0.5 + (double)(i % SAMPLES)) / SAMPLES, dy = (0.5 + (double)(i / SAMPLES)) / SAMPLES;
        has_sample = has_sample || is_inside(&area, place_in(&frame, x + dx, y + dy));
      }
      assert_true(overlaps[k] || (!has_sample && !centres[k]));  // samples may miss a thin corner
      inside += centres[k];
      overlapped += overlaps[k];
    }
  }
  assert_true(inside > 1000 && overlapped > inside);
}

// A rectangle along the cells takes these and no others, although it touches the ones beside.
static void an_aligned_rectangle_is_exact(void ** state)
{
  (void)state;
  const fw_map_frame_t frame = {.resolution = 0.5, .width = 6, .height = 5};
  const fw_point_t points[] = {{0.5, 1.0}, {2.0, 1.0}, {2.0, 2.0}, {0.5, 2.0}};
  const fw_area_t area = {.name = "any", .points = points, .point_count = 4};
  uint8_t centres[30] = {0}, overlaps[30] = {0};
  fw__area_visit_centres(&frame, &area, (fw_raster_visitor_t){.context = centres, .visit_run = mark_cells});
  fw__area_visit_overlaps(&frame, &area, (fw_raster_visitor_t){.context = overlaps, .visit_run = mark_cells});
  for (int32_t k = 0; k < 30; ++k) {
    const bool is_in = k % 6 >= 1 && k % 6 <= 3 && k / 6 >= 2 && k / 6 <= 3;
    assert_int_equal(centres[k], is_in);
    assert_int_equal(overlaps[k], is_in);
  }
}

// ---- the controller

// A rectangle from cell (x, y) to the cell before (x_end, y_end).
typedef struct drawn_area_t {
  fw_area_kind_t kind;
  double degrees;
  int32_t cost;
  double x, y, x_end, y_end;
} drawn_area_t;

static fw_ret_t send_areas(scene_t * scene, const drawn_area_t * drawn, int32_t count)
{
  fw_point_t points[8][4];
  fw_area_t areas[8];
  for (int32_t k = 0; k < count; ++k) {
    const double left = drawn[k].x * SCENE_CELL, right = drawn[k].x_end * SCENE_CELL;
    const double low = drawn[k].y * SCENE_CELL, high = drawn[k].y_end * SCENE_CELL;
    const fw_point_t corners[4] = {{left, low}, {right, low}, {right, high}, {left, high}};
    memcpy(points[k], corners, sizeof corners);
    areas[k] = (fw_area_t){
      .kind = drawn[k].kind,
      .name = "drawn",
      .points = points[k],
      .point_count = 4,
      .direction = drawn[k].degrees * 3.14159265358979323846 / 180.0,
      .cost = drawn[k].cost,
    };
  }
  return fw_controller_set_areas(&scene->controller, areas, count, scene->now_ns, &scene->error);
}
#define AREAS(scene, ...)                                                             \
  assert_int_equal(                                                                   \
    send_areas(                                                                       \
      scene, (const drawn_area_t[]){__VA_ARGS__},                                     \
      (int32_t)(sizeof((const drawn_area_t[]){__VA_ARGS__}) / sizeof(drawn_area_t))), \
    FW_RET_OK)

static fw_cell_t cell_of(const scene_t * scene, char name)
{
  const fw_point_t at = scene->robots[name - 'a'].at;
  return (fw_cell_t)(at.y / SCENE_CELL) * scene->width + (fw_cell_t)(at.x / SCENE_CELL);
}

// Runs until the goal has ended, and marks the cells on which the robot was.
static void drive(scene_t * scene, char name, uint64_t id, uint8_t * marks)
{
  memset(marks, 0, SCENE_CELLS_MAX);
  for (int32_t k = 0; k < 600 && scene_ends(scene, id) == 0; ++k) {
    scene_step(scene);
    marks[cell_of(scene, name)] = 1;
  }
  assert_int_equal(scene_count(scene, id, FW_GOAL_REACHED), 1);
}

static void robots_take_the_other_way_around_a_one_way_area(void ** state)
{
  (void)state;
  static uint8_t marks[SCENE_CELLS_MAX];
  scene_t scene = scene_make();
  SCENE(&scene, "a......", ".#####.", ".......");
  AREAS(&scene, {FW_AREA_ONE_WAY, 180.0, 0, 1, 0, 6, 1});  // the upper aisle leads to the left only
  drive(&scene, 'a', scene_goal(&scene, 'a', 6, 0), marks);
  assert_true(!marks[3] && marks[2 * 7 + 3]);
  drive(&scene, 'a', scene_goal(&scene, 'a', 0, 0), marks);
  assert_true(marks[3] && !marks[2 * 7 + 3]);
  AREAS(&scene, {FW_AREA_ONE_WAY, 0.0, 0, 1, 0, 6, 1});
  drive(&scene, 'a', scene_goal(&scene, 'a', 6, 0), marks);
  assert_true(marks[3] && !marks[2 * 7 + 3]);
  assert_int_equal(send_areas(&scene, NULL, 0), FW_RET_OK);
  drive(&scene, 'a', scene_goal(&scene, 'a', 0, 0), marks);
  assert_true(marks[3] && !marks[2 * 7 + 3]);
  scene_end(&scene);
}

static void a_goal_in_a_no_waiting_area_is_refused(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  uint64_t id = 0;
  SCENE(&scene, "a.....");
  AREAS(&scene, {FW_AREA_NO_WAITING, 0.0, 0, 2, 0, 4, 1});
  assert_int_equal(scene_send_goal(&scene, 'a', scene_goal_at(3, 0), &id), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(scene.error.fault, FW_FAULT_GOAL_OCCUPIED);
  assert_non_null(strstr(scene.error.text, "is in a no-waiting area"));
  scene_until_ended(&scene, scene_goal(&scene, 'a', 5, 0), 30.0);
  scene_end(&scene);
}

// One that was accepted before the area came waits until it goes.
static void an_old_goal_waits_until_the_area_goes(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "a.......");
  const uint64_t id = scene_goal(&scene, 'a', 6, 0);
  AREAS(&scene, {FW_AREA_NO_WAITING, 0.0, 0, 5, 0, 8, 1});
  scene_run(&scene, 20.0);
  assert_int_equal(scene_ends(&scene, id), 0);
  assert_true(cell_of(&scene, 'a') < 5);
  assert_non_null(strstr(scene_status(&scene, 'a').fault_text, "a no-waiting area"));
  assert_int_equal(send_areas(&scene, NULL, 0), FW_RET_OK);
  scene_until_ended(&scene, id, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// Robots inside when it comes: one without a goal drives out, one with a goal goes there.
static void robots_leave_a_no_waiting_area_that_comes(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "..a.b...", "........");
  scene_run(&scene, 2.0);
  const uint64_t id = scene_goal(&scene, 'b', 7, 1);
  AREAS(&scene, {FW_AREA_NO_WAITING, 0.0, 0, 1, 0, 6, 2});
  scene_until_ended(&scene, id, 30.0);
  scene_run(&scene, 10.0);
  const fw_cell_t cell = cell_of(&scene, 'a');
  assert_true(cell % 8 == 0 || cell % 8 >= 6);
  scene_end(&scene);
}

static void nobody_waits_in_a_no_waiting_area(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "a.......b", "####.####");
  AREAS(&scene, {FW_AREA_NO_WAITING, 0.0, 0, 2, 0, 4, 1}, {FW_AREA_NO_WAITING, 0.0, 0, 5, 0, 7, 1});
  const uint64_t one = scene_goal(&scene, 'a', 8, 0), two = scene_goal(&scene, 'b', 0, 0);
  int32_t longest = 0, standing = 0;
  fw_point_t before = scene.robots[0].at;
  for (int32_t k = 0; k < 900 && (scene_ends(&scene, one) == 0 || scene_ends(&scene, two) == 0); ++k) {
    scene_step(&scene);
    const fw_cell_t cell = cell_of(&scene, 'a');
    const bool is_inside_area = (cell >= 2 && cell < 4) || (cell >= 5 && cell < 7);
    standing = is_inside_area && scene_distance(before, scene.robots[0].at) < 1e-9 ? standing + 1 : 0;
    longest = standing > longest ? standing : longest;
    before = scene.robots[0].at;
  }
  assert_int_equal(scene_count(&scene, one, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, two, FW_GOAL_REACHED), 1);
  assert_true(longest < 10);  // a second: robots that drive on time are not held up
  scene_end(&scene);
}

// Runs, and says whether the robot moved a cell to the left.
static bool goes_left(scene_t * scene, char name, double seconds)
{
  fw_cell_t before = cell_of(scene, name);
  bool goes = false;
  for (double at = 0.0; at < seconds; at += (double)SCENE_STEP_NS * 1e-9) {
    scene_step(scene);
    goes = goes || cell_of(scene, name) == before - 1;
    before = cell_of(scene, name);
  }
  return goes;
}

// The nearest way out of the keepout would be to the left.
static void robots_leave_a_keepout_along_a_one_way_area(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "...a......");
  scene_run(&scene, 1.0);
  AREAS(&scene, {FW_AREA_ONE_WAY, 0.0, 0, 2, 0, 9, 1}, {FW_AREA_KEEPOUT, 0.0, 0, 2, 0, 7, 1});
  assert_false(goes_left(&scene, 'a', 20.0));
  assert_int_equal(cell_of(&scene, 'a'), 7);
  scene_end(&scene);
}

// Where no way out obeys, the shortest one is taken; afterwards the rule is as before, after updates of the map too.
static void robots_leave_a_keepout_against_a_one_way_area_if_they_must(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < 3; ++round) {
    scene_t scene = scene_make();
    uint16_t rules[10];
    SCENE(&scene, ".....a.##.");
    scene_run(&scene, 1.0);
    AREAS(&scene, {FW_AREA_ONE_WAY, 0.0, 0, 2, 0, 7, 1});
    memcpy(rules, scene.controller.impl->map.grid.rules, sizeof rules);
    AREAS(&scene, {FW_AREA_ONE_WAY, 0.0, 0, 2, 0, 7, 1}, {FW_AREA_KEEPOUT, 0.0, 0, 3, 0, 7, 1});
    scene_run(&scene, round == 1 ? 1.0 : 10.0);
    if (round > 0) {  // while a drives out, or after
      scene.values[9] = 100;
      const fw_map_update_t update = {.x = 9, .y = 0, .width = 1, .height = 1, .values = &scene.values[9]};
      assert_int_equal(fw_controller_update_map(&scene.controller, &update, scene.now_ns, &scene.error), FW_RET_OK);
    }
    scene_run(&scene, 20.0);
    assert_int_equal(cell_of(&scene, 'a'), 2);
    assert_int_equal(scene.controller.impl->escapes.count, 0);
    assert_memory_equal(scene.controller.impl->map.grid.rules, rules, sizeof rules);
    const uint64_t id = scene_goal(&scene, 'a', 0, 0);  // against the area again: now it may not
    scene_run(&scene, 10.0);
    assert_int_equal(scene_ends(&scene, id), 0);
    assert_int_equal(cell_of(&scene, 'a'), 2);
    scene_end(&scene);
  }
}

// The nearest place outside the keepout is taken by b, which cannot leave it.
static void robots_leave_a_keepout_where_nobody_stands(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "ba......");
  scene_run(&scene, 1.0);
  AREAS(&scene, {FW_AREA_KEEPOUT, 0.0, 0, 1, 0, 5, 1});
  scene_run(&scene, 20.0);
  assert_int_equal(cell_of(&scene, 'a'), 5);
  assert_int_equal(cell_of(&scene, 'b'), 0);
  scene_end(&scene);
}

// The same for the place outside of a no-waiting area: the nearest one that can be reached.
static void robots_leave_a_no_waiting_area_along_a_one_way_area(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "...a......");
  scene_run(&scene, 1.0);
  AREAS(&scene, {FW_AREA_ONE_WAY, 0.0, 0, 1, 0, 9, 1}, {FW_AREA_NO_WAITING, 0.0, 0, 3, 0, 7, 1});
  assert_false(goes_left(&scene, 'a', 20.0));
  assert_int_equal(cell_of(&scene, 'a'), 7);
  scene_end(&scene);
}

static void keepouts_and_costs_are_like_those_of_masks(void ** state)
{
  (void)state;
  static uint8_t marks[SCENE_CELLS_MAX];
  scene_t scene = scene_make();
  SCENE(&scene, "a......", ".......", ".......");
  AREAS(&scene, {FW_AREA_KEEPOUT, 0.0, 0, 2, 0, 4, 2}, {FW_AREA_COST, 0.0, 9, 5, 0, 7, 1});
  const fw_grid_t * grid = &scene.controller.impl->map.grid;
  assert_null(grid->rules);
  for (int32_t k = 0; k < 21; ++k) {
    const bool is_blocked = k % 7 >= 2 && k % 7 < 4 && k / 7 < 2;
    assert_int_equal(grid->cost[k], is_blocked ? 0 : k == 5 || k == 6 ? 10 : 1);
  }
  drive(&scene, 'a', scene_goal(&scene, 'a', 6, 1), marks);
  assert_true(marks[2 * 7 + 2] && marks[2 * 7 + 3]);
  scene_end(&scene);
}

// They may come before the map, and stay on the next one.
static void areas_stay_when_the_map_changes(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  scene_draw(&scene, (const char * const[]){"a....", "....."}, 2);
  assert_int_equal(fw_controller_init(&scene.controller, &scene.options, &scene.error), FW_RET_OK);
  AREAS(&scene, {FW_AREA_NO_WAITING, 0.0, 0, 2, 0, 3, 1}, {FW_AREA_ONE_WAY, 90.0, 0, 0, 0, 1, 2});
  for (int32_t round = 0; round < 3; ++round) {
    assert_int_equal(scene_send_map(&scene), FW_RET_OK);
    const fw_grid_t * grid = &scene.controller.impl->map.grid;
    assert_int_equal(grid->rules[2], FW_RULE_NO_WAITING);
    assert_int_equal(
      grid->rules[5], FW_RULE_ONE_WAY(FW_HEADING_NORTH) | FW_RULE_ONE_WAY(FW_HEADING_NORTH_EAST) |
                        FW_RULE_ONE_WAY(FW_HEADING_NORTH_WEST));  // +y of the map is "south" of the grid
    assert_int_equal(grid->rules[6], 0);
    scene.values[9] = (int8_t)(100 - scene.values[9]);
    if (round == 1) {
      const fw_map_update_t update = {.x = 4, .y = 1, .width = 1, .height = 1, .values = &scene.values[9]};
      assert_int_equal(fw_controller_update_map(&scene.controller, &update, scene.now_ns, &scene.error), FW_RET_OK);
      scene.values[9] = (int8_t)(100 - scene.values[9]);
    }
  }
  const int64_t revision = scene.controller.impl->map.revision;
  AREAS(&scene, {FW_AREA_NO_WAITING, 0.0, 0, 2, 0, 3, 1}, {FW_AREA_ONE_WAY, 90.0, 0, 0, 0, 1, 2});
  assert_int_equal(scene.controller.impl->map.revision, revision);  // no change
  scene_end(&scene);
}

static void bad_areas_and_planners_are_refused(void ** state)
{
  (void)state;
  scene_t scene = scene_make();
  SCENE(&scene, "a....");
  AREAS(&scene, {FW_AREA_NO_WAITING, 0.0, 0, 2, 0, 3, 1});
  const fw_point_t points[] = {{0, 0}, {1, 0}, {1, NAN}};
  const fw_area_t bad[] = {
    {.kind = FW_AREA_KEEPOUT, .name = "two", .points = points, .point_count = 2},
    {.kind = FW_AREA_KEEPOUT, .name = "nan", .points = points, .point_count = 3},
    {.kind = FW_AREA_COST, .name = "free", .points = (const fw_point_t[]){{0, 0}, {1, 0}, {1, 1}}, .point_count = 3},
    {.kind = (fw_area_kind_t)9,
     .name = "odd",
     .points = (const fw_point_t[]){{0, 0}, {1, 0}, {1, 1}},
     .point_count = 3},
  };
  for (int32_t k = 0; k < TEST_COUNT(bad); ++k) {
    assert_int_equal(
      fw_controller_set_areas(&scene.controller, &bad[k], 1, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
    assert_non_null(strstr(scene.error.text, bad[k].name));
    assert_int_equal(scene.controller.impl->map.grid.rules[2], FW_RULE_NO_WAITING);
  }
  fw_controller_settings_t settings = scene.controller.impl->settings;
  (void)snprintf(settings.planner.name, sizeof settings.planner.name, "rtaa");
  assert_int_equal(
    fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(scene.error.text, "rtaa does not support one-way or no-waiting areas"));
  assert_int_equal(send_areas(&scene, NULL, 0), FW_RET_OK);
  assert_int_equal(fw_controller_set_settings(&scene.controller, &settings, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(
    send_areas(&scene, &(drawn_area_t){FW_AREA_NO_WAITING, 0.0, 0, 2, 0, 3, 1}, 1), FW_RET_INVALID_ARGUMENT);
  AREAS(&scene, {FW_AREA_COST, 0.0, 9, 2, 0, 3, 1});  // costs are no rules
  scene_end(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(polygons_take_the_right_cells),
    cmocka_unit_test(an_aligned_rectangle_is_exact),
    cmocka_unit_test(robots_take_the_other_way_around_a_one_way_area),
    cmocka_unit_test(a_goal_in_a_no_waiting_area_is_refused),
    cmocka_unit_test(an_old_goal_waits_until_the_area_goes),
    cmocka_unit_test(robots_leave_a_no_waiting_area_that_comes),
    cmocka_unit_test(nobody_waits_in_a_no_waiting_area),
    cmocka_unit_test(robots_leave_a_keepout_along_a_one_way_area),
    cmocka_unit_test(robots_leave_a_keepout_against_a_one_way_area_if_they_must),
    cmocka_unit_test(robots_leave_a_keepout_where_nobody_stands),
    cmocka_unit_test(robots_leave_a_no_waiting_area_along_a_one_way_area),
    cmocka_unit_test(keepouts_and_costs_are_like_those_of_masks),
    cmocka_unit_test(areas_stay_when_the_map_changes),
    cmocka_unit_test(bad_areas_and_planners_are_refused),
  };
  return TEST_RUN(tests);
}
