// The areas of simulated worlds: what the simulation makes of them is what the controller makes of their polygons.

#include "simulation/world_areas.h"
#include "test_controller_scene.h"

enum { SIDE = 12 };

// A controller on free floor of any frame.
static void begin(scene_t * scene, const fw_map_frame_t * frame)
{
  static const int8_t values[SIDE * SIDE];
  *scene = scene_make();
  scene->options.settings.planning_resolution = frame->resolution;
  assert_int_equal(fw_controller_init(&scene->controller, &scene->options, &scene->error), FW_RET_OK);
  const fw_occupancy_map_t map = {
    .width = frame->width,
    .height = frame->height,
    .resolution = frame->resolution,
    .origin = {frame->origin, frame->yaw},
    .values = values,
  };
  assert_int_equal(fw_controller_set_map(&scene->controller, &map, 0, &scene->error), FW_RET_OK);
}

static void the_controller_has_the_same_rules_and_costs(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(11);
  int32_t rules = 0, costs = 0, blocked = 0;
  for (int32_t round = 0; round < test_rounds(200); ++round) {
    const fw_map_frame_t frame = {
      .origin = {0.1 * fw__rng_below(&rng, 100), -0.1 * fw__rng_below(&rng, 100)},
      .yaw = round % 2 == 0 ? 0.0 : 0.01 * fw__rng_below(&rng, 628),
      .resolution = 0.5,
      .width = 3 + fw__rng_below(&rng, SIDE - 2),
      .height = 3 + fw__rng_below(&rng, SIDE - 2),
    };
    fw_world_areas_t areas = {.frame = frame}, copy = {.frame = frame};
    scene_t scene;
    begin(&scene, &frame);
    fw__world_areas_add_random(&areas, &rng, true);
    for (int32_t k = 0; k < areas.count; ++k) {
      areas.items[k].is_there = fw__rng_below(&rng, 3) != 0;
    }
    assert_int_equal(fw__world_areas_send(&areas, &scene.controller, 0, &scene.error), FW_RET_OK);
    const fw_grid_t * grid = &scene.controller.impl->map.grid;
    assert_true(fw__world_areas_add_grid(&copy, grid));
    for (int32_t k = 0; k < fw_grid_cell_count(grid); ++k) {
      const int32_t x = k % frame.width, y = k / frame.width, cost = fw__world_areas_cost(&areas, x, y);
      assert_int_equal(grid->rules == NULL ? 0 : grid->rules[k], fw__world_areas_rules(&areas, x, y));
      assert_int_equal(fw__world_areas_rules(&copy, x, y), fw__world_areas_rules(&areas, x, y));
      assert_int_equal(grid->cost[k] == 0, fw__world_areas_keep_out(&areas, x, y));
      if (grid->cost[k] != 0) {
        assert_int_equal(fw__world_areas_cost(&copy, x, y), grid->cost[k]);
        assert_true(areas.are_masks ? grid->cost[k] == 1 || cost > 1 : grid->cost[k] == cost);
      }
      rules += fw__world_areas_rules(&areas, x, y) != 0;
      costs += grid->cost[k] > 1;
      blocked += grid->cost[k] == 0;
    }
    fw__world_areas_fini(&areas);
    fw__world_areas_fini(&copy);
    scene_end(&scene);
  }
  assert_true(rules > 1000 && costs > 500 && blocked > 500);
}

// A caller's grid may have any bits; areas can make only some of them.
static void rules_that_no_area_makes_are_refused(void ** state)
{
  (void)state;
  uint8_t cost[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  uint16_t bits[9] = {0};
  const fw_grid_t grid = {.width = 3, .height = 3, .cost = cost, .rules = bits};
  fw_world_areas_t areas = {.frame = {.resolution = 1.0, .width = 3, .height = 3}};
  assert_true(fw__world_areas_add_grid(&areas, &grid));
  assert_int_equal(areas.count, 0);
  bits[4] = FW_RULE_ONE_WAY(FW_HEADING_EAST);
  assert_false(fw__world_areas_add_grid(&areas, &grid));
  fw__world_areas_fini(&areas);
  for (int32_t heading = 1; heading <= FW_HEADING_COUNT; ++heading) {  // both ways of a street are closed
    bits[4] = (uint16_t)(bits[4] | FW_RULE_ONE_WAY(heading % FW_HEADING_COUNT));
  }
  areas.frame = (fw_map_frame_t){.resolution = 1.0, .width = 3, .height = 3};
  assert_true(fw__world_areas_add_grid(&areas, &grid));
  assert_true(fw__world_areas_forbid(&areas, (fw_offset_t){1, 1}, (fw_offset_t){2, 1}));
  assert_true(fw__world_areas_forbid(&areas, (fw_offset_t){0, 0}, (fw_offset_t){1, 1}));
  assert_false(fw__world_areas_forbid(&areas, (fw_offset_t){0, 0}, (fw_offset_t){1, 0}));
  fw__world_areas_fini(&areas);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_controller_has_the_same_rules_and_costs),
    cmocka_unit_test(rules_that_no_area_makes_are_refused),
  };
  return TEST_RUN(tests);
}
