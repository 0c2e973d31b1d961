// Cells that are blocked and freed while robots with the memory `regions` drive: regions are those of a map that is cut
// anew, robots keep only what they would have learned on the new map as well, and they arrive.

#include "fleetweave/files.h"
#include "kernel/batch.h"
#include "support/test.h"
#include "support/world.h"
#include "world/hidden.h"

enum { ROBOTS_MAX = 60 };

typedef struct scene_t {
  fw_grid_t grid;
  fw_cell_t starts[ROBOTS_MAX];
  fw_cell_t goals[ROBOTS_MAX];
  int32_t count;
  fw_batch_options_t options;
} scene_t;

static fw_cell_t draw_free(fw_rng_t * rng, const fw_grid_t * grid)
{
  fw_cell_t cell = fw__rng_below(rng, fw_grid_cell_count(grid));
  while (grid->cost[cell] == 0) {
    cell = (cell + 1) % fw_grid_cell_count(grid);
  }
  return cell;
}

// Up to eight blocks of 16 x 16 cells along a side.
static void make(scene_t * scene, fw_rng_t * rng, int32_t count, bool has_costs)
{
  const int32_t width = 20 + fw__rng_below(rng, 110), height = 20 + fw__rng_below(rng, 110);
  scene->grid = world_grid(rng, width, height, fw__rng_below(rng, 45), has_costs);
  scene->grid.cost[0] = 1;
  scene->count = count;
  for (int32_t r = 0; r < count; ++r) {
    scene->starts[r] = draw_free(rng, &scene->grid);
    scene->goals[r] = draw_free(rng, &scene->grid);
  }
  scene->options = fw_batch_options_default();
  scene->options.memory = FW_MEMORY_REGIONS;
  scene->options.backend = FW_BACKEND_CPU;
  scene->options.connectivity = fw__rng_below(rng, 2) == 0 ? 8 : 4;
}

static void begin(fw_batch_t * batch, const scene_t * scene)
{
  assert_int_equal(
    fw_batch_init(batch, &scene->grid, scene->starts, scene->goals, scene->count, &scene->options, NULL), FW_RET_OK);
}

static void run(fw_batch_t * batch, int32_t episodes)
{
  assert_int_equal(fw_batch_run(batch, episodes, NULL), FW_RET_OK);
}

static bool is_used(const fw_batch_t * batch, int32_t count, fw_cell_t cell)
{
  bool found = false;
  for (int32_t r = 0; r < count && !found; ++r) {
    const fw_batch_robot_t robot = fw_batch_robot(batch, r);
    found = robot.cell == cell || robot.goal == cell;
  }
  return found;
}

// Some cells, near each other or not, become the opposite of what they are.
static void change(scene_t * scene, fw_batch_t * batch, fw_rng_t * rng)
{
  const int32_t cells = fw_grid_cell_count(&scene->grid), changes = 1 + fw__rng_below(rng, 5);
  fw_cell_t cell = fw__rng_below(rng, cells);
  for (int32_t i = 0; i < changes; ++i) {
    const int32_t step = fw__rng_below(rng, 2) == 0 ? 1 : scene->grid.width;
    cell = fw__rng_below(rng, 4) == 0 ? fw__rng_below(rng, cells) : (cell + step) % cells;
    if (!is_used(batch, scene->count, cell)) {
      scene->grid.cost[cell] = scene->grid.cost[cell] == 0 ? 1 : 0;
      assert_int_equal(fw_batch_set_cost(batch, cell, scene->grid.cost[cell], NULL), FW_RET_OK);
    }
  }
}

static bool have_equal_estimates(const fw_batch_t * one, const fw_batch_t * other, int32_t robot, int32_t cells)
{
  for (fw_cell_t cell = 0; cell < cells; ++cell) {
    if (fw_batch_estimate(one, robot, cell) != fw_batch_estimate(other, robot, cell)) {
      return false;
    }
  }
  return true;
}

// Robots that rest on their goals, and so learn nothing: all estimates are those of a batch that begins with the map.
static void regions_are_those_of_a_map_that_is_cut_anew(void ** state)
{
  (void)state;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(25); ++number) {
    fw_rng_t rng = fw__rng(100 + number);
    static scene_t scene;
    fw_batch_t batch, fresh;
    make(&scene, &rng, 12, false);
    memcpy(scene.starts, scene.goals, sizeof(scene.starts));
    begin(&batch, &scene);
    for (int32_t turn = 0; turn < 12; ++turn) {
      change(&scene, &batch, &rng);
      if (turn % 3 == 2) {  // another goal, while the regions are old
        const int32_t robot = fw__rng_below(&rng, scene.count);
        scene.goals[robot] = scene.starts[robot] = draw_free(&rng, &scene.grid);
        fw_batch_set_goal(&batch, robot, scene.goals[robot]);
        fw_batch_set_cell(&batch, robot, scene.goals[robot]);
      }
      run(&batch, 1);
      begin(&fresh, &scene);
      for (int32_t r = 0; r < scene.count; ++r) {
        assert_true(have_equal_estimates(&batch, &fresh, r, fw_grid_cell_count(&scene.grid)));
      }
      assert_int_equal(fw_batch_stats(&batch).region_bytes, fw_batch_stats(&fresh).region_bytes);
      fw_batch_fini(&fresh);
    }
    fw_batch_fini(&batch);
    fw_grid_fini(&scene.grid);
  }
}

// Whether no estimate of the robot is above the true distance, by breadth-first search from its goal.
static bool are_lower_bounds(const fw_batch_t * batch, const scene_t * scene, int32_t robot)
{
  const fw_grid_t * grid = &scene->grid;
  const int32_t cells = fw_grid_cell_count(grid);
  int32_t * distance = malloc((size_t)cells * sizeof(*distance));
  fw_cell_t * queue = malloc((size_t)cells * sizeof(*queue));
  assert_true(distance != NULL && queue != NULL);
  memset(distance, 0xff, (size_t)cells * sizeof(*distance));
  int32_t count = 1;
  queue[0] = scene->goals[robot];
  distance[queue[0]] = 0;
  for (int32_t at = 0; at < count; ++at) {
    const int32_t x = fw_grid_x(grid, queue[at]), y = fw_grid_y(grid, queue[at]);
    for (int32_t k = 0; k < 9; ++k) {
      const int32_t to_x = x + k % 3 - 1, to_y = y + k / 3 - 1;
      const bool is_straight = to_x == x || to_y == y;
      const bool is_move = (is_straight || scene->options.connectivity == 8) && fw_grid_is_free(grid, to_x, to_y) &&
                           fw_grid_is_free(grid, x, to_y) && fw_grid_is_free(grid, to_x, y);
      if (is_move && distance[fw_grid_cell(grid, to_x, to_y)] < 0) {
        distance[fw_grid_cell(grid, to_x, to_y)] = distance[queue[at]] + 1;
        queue[count++] = fw_grid_cell(grid, to_x, to_y);
      }
    }
  }
  bool are_bounds = true;
  for (int32_t i = 0; i < count && are_bounds; ++i) {
    are_bounds = fw_batch_estimate(batch, robot, queue[i]) <= (uint32_t)distance[queue[i]];
  }
  free(distance);
  free(queue);
  return are_bounds;
}

// ---- learned values -------------------------------------------------------------------------------------------------

// A step to a random neighbour that is possible on both maps, or none.
static fw_cell_t draw_step(fw_rng_t * rng, const fw_grid_t * grid, const fw_grid_t * other, fw_cell_t from)
{
  const int32_t x = fw_grid_x(grid, from), y = fw_grid_y(grid, from);
  const int32_t to_x = x + fw__rng_below(rng, 3) - 1, to_y = y + fw__rng_below(rng, 3) - 1;
  const bool is_free = fw_grid_is_free(grid, to_x, to_y) && fw_grid_is_free(other, to_x, to_y);
  return is_free && (to_x == x || to_y == y) ? fw_grid_cell(grid, to_x, to_y) : from;
}

// An episode of all robots of three batches.
static void run_all(fw_batch_t * batches, int32_t count)
{
  for (int32_t i = 0; i < count; ++i) {
    run(&batches[i], 1);
  }
}

// Robots on dear floor, where they learn, are driven on random walks. Then some cells change. Whoever keeps what it has
// learned has exactly what it would have if it had been driven so on the new map from the beginning; whoever does not
// begins anew.
static void what_is_kept_is_what_would_have_been_learned(void ** state)
{
  (void)state;
  int64_t kept = 0, lost = 0, compared = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(60); ++number) {
    fw_rng_t rng = fw__rng(700 + number);
    static scene_t scene, changed;
    fw_batch_t batches[3];  // the map changes; as it will be; and one that begins when it has changed
    make(&scene, &rng, ROBOTS_MAX, true);
    scene.options.lookahead = 2 + fw__rng_below(&rng, 7);
    scene.options.moves = 0;
    begin(&batches[0], &scene);
    changed = scene;
    assert_int_equal(fw_grid_init(&changed.grid, scene.grid.width, scene.grid.height, NULL, NULL), FW_RET_OK);
    memcpy(changed.grid.cost, scene.grid.cost, (size_t)fw_grid_cell_count(&scene.grid));
    const int32_t changes = 1 + fw__rng_below(&rng, 4);
    fw_cell_t cells[4];
    for (int32_t i = 0; i < changes; ++i) {
      do {
        cells[i] = fw__rng_below(&rng, fw_grid_cell_count(&scene.grid));
      } while (is_used(&batches[0], scene.count, cells[i]));
      changed.grid.cost[cells[i]] = changed.grid.cost[cells[i]] == 0 ? 1 : 0;
    }
    begin(&batches[1], &changed);
    for (int32_t tick = 0; tick < 12; ++tick) {
      run_all(batches, 2);
      for (int32_t r = 0; r < scene.count; ++r) {
        const fw_cell_t to = draw_step(&rng, &scene.grid, &changed.grid, fw_batch_robot(&batches[0], r).cell);
        fw_batch_set_cell(&batches[0], r, to);
        fw_batch_set_cell(&batches[1], r, to);
        changed.starts[r] = to;
      }
    }
    for (int32_t i = 0; i < changes; ++i) {
      assert_int_equal(fw_batch_set_cost(&batches[0], cells[i], changed.grid.cost[cells[i]], NULL), FW_RET_OK);
    }
    begin(&batches[2], &changed);
    run_all(batches, 3);
    for (int32_t r = 0; r < scene.count; ++r) {
      const bool has_kept = have_equal_estimates(&batches[0], &batches[1], r, fw_grid_cell_count(&scene.grid));
      const bool is_new = have_equal_estimates(&batches[0], &batches[2], r, fw_grid_cell_count(&scene.grid));
      assert_true(has_kept || is_new);
      compared += has_kept && !is_new ? 1 : 0;
    }
    kept += fw_batch_stats(&batches[0]).memories_kept;
    lost += fw_batch_stats(&batches[0]).memories_lost;
    for (int32_t i = 0; i < 3; ++i) {
      fw_batch_fini(&batches[i]);
    }
    fw_grid_fini(&scene.grid);
    fw_grid_fini(&changed.grid);
  }
  assert_true(kept > lost && lost > 50);  // a few cells change, far from most robots
  assert_true(compared > 200);
}

// From one batch to another whose map is different, as from window to window: with regions a robot has what it would
// have learned on the new map, or nothing; with the memory `window` no value is above the true distance.
static void another_batch_recalls_what_holds_on_its_map(void ** state)
{
  (void)state;
  int32_t recalled = 0, refused = 0, lowered = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(40); ++number) {
    fw_rng_t rng = fw__rng(300 + number);
    static scene_t scene, changed;
    fw_batch_t first, second, fresh, twin;
    fw_cell_t freed[4];
    int32_t freed_count = 0;
    make(&scene, &rng, 20, number % 2 == 0);
    scene.options.memory = number % 2 == 0 ? FW_MEMORY_REGIONS : FW_MEMORY_WINDOW;
    scene.options.lookahead = 3 + fw__rng_below(&rng, 4);
    scene.options.moves = 0;
    begin(&first, &scene);
    changed = scene;
    assert_int_equal(fw_grid_init(&changed.grid, scene.grid.width, scene.grid.height, NULL, NULL), FW_RET_OK);
    memcpy(changed.grid.cost, scene.grid.cost, (size_t)fw_grid_cell_count(&scene.grid));
    for (int32_t i = 0; i < 4; ++i) {
      const fw_cell_t cell = fw__rng_below(&rng, fw_grid_cell_count(&scene.grid));
      if (!is_used(&first, scene.count, cell) && changed.grid.cost[cell] == scene.grid.cost[cell]) {
        changed.grid.cost[cell] = changed.grid.cost[cell] == 0 ? 1 : 0;
        freed[freed_count] = cell;
        freed_count += scene.grid.cost[cell] == 0 ? 1 : 0;
      }
    }
    begin(&twin, &changed);
    for (int32_t tick = 0; tick < 8; ++tick) {
      run(&first, 1);
      run(&twin, 1);
      for (int32_t r = 0; r < scene.count; ++r) {
        changed.starts[r] = draw_step(&rng, &scene.grid, &changed.grid, fw_batch_robot(&first, r).cell);
        fw_batch_set_cell(&first, r, changed.starts[r]);
        fw_batch_set_cell(&twin, r, changed.starts[r]);
      }
    }
    begin(&second, &changed);
    begin(&fresh, &changed);
    for (int32_t r = 0; r < scene.count; ++r) {
      fw__batch_recall_changed(&second, (fw_robot_pair_t){r, r}, &first, freed, freed_count);
    }
    for (int32_t r = 0; r < scene.count; ++r) {
      const int32_t cells = fw_grid_cell_count(&scene.grid);
      const bool is_same = have_equal_estimates(&second, &fresh, r, cells);
      recalled += is_same ? 0 : 1;
      if (scene.options.memory == FW_MEMORY_REGIONS) {
        assert_true(is_same || have_equal_estimates(&second, &twin, r, cells));
        refused += is_same && !have_equal_estimates(&fresh, &twin, r, cells) ? 1 : 0;
      } else {
        lowered += !is_same && !have_equal_estimates(&second, &first, r, cells) ? 1 : 0;
        assert_true(are_lower_bounds(&second, &changed, r));
      }
    }
    fw_batch_fini(&first);
    fw_batch_fini(&second);
    fw_batch_fini(&fresh);
    fw_batch_fini(&twin);
    fw_grid_fini(&scene.grid);
    fw_grid_fini(&changed.grid);
  }
  assert_true(recalled > 100 && refused > 0 && lowered > 0);
}

// ---- arrival --------------------------------------------------------------------------------------------------------

// Obstacles that are discovered, and cells that are blocked for a while and freed again: whoever has a way arrives.
static void robots_arrive_on_a_map_that_changes(void ** state)
{
  (void)state;
  static const char * const maps[] = {
    "rooms:65x65,room=8,seed=2", "maze:65x65,corridor=2,seed=1", "random:64x64,obstacles=30,seed=3"};
  for (int32_t i = 0; i < 2 * TEST_COUNT(maps); ++i) {
    fw_rng_t rng = fw__rng((uint64_t)i);
    static scene_t scene;
    fw_grid_t known;
    fw_batch_t batch;
    fw_scenario_t scenario;
    make(&scene, &rng, 1, false);
    fw_grid_fini(&scene.grid);
    assert_int_equal(fw_grid_make(&scene.grid, maps[i / 2], NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &scene.grid, ROBOTS_MAX, 4, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_grid_init(&known, scene.grid.width, scene.grid.height, NULL, NULL), FW_RET_OK);
    assert_true(fw__hide_obstacles(&scene.grid, 40, 5, known.cost) > 0);
    for (int32_t r = 0; r < scenario.robot_count; ++r) {
      scene.starts[r] = scenario.robots[r].start;
      scene.goals[r] = scenario.robots[r].goal;
    }
    scene.options.sight = 2;
    scene.options.connectivity = i % 2 == 0 ? 4 : 8;
    assert_int_equal(
      fw_batch_init(&batch, &known, scene.starts, scene.goals, scenario.robot_count, &scene.options, NULL), FW_RET_OK);
    assert_int_equal(fw_batch_set_map(&batch, &scene.grid, NULL), FW_RET_OK);
    fw_cell_t blocked = FW_CELL_NONE;
    for (int32_t episode = 0; episode < 3000 && fw_batch_running(&batch) > 0; ++episode) {
      if (episode % 8 == 0) {
        const fw_cell_t cell = draw_free(&rng, &scene.grid);
        if (blocked != FW_CELL_NONE) {
          assert_int_equal(fw_batch_set_cost(&batch, blocked, 1, NULL), FW_RET_OK);
        }
        const bool may_block = episode < 400 && !is_used(&batch, scenario.robot_count, cell);
        blocked = may_block ? cell : FW_CELL_NONE;
        if (may_block) {
          assert_int_equal(fw_batch_set_cost(&batch, cell, 0, NULL), FW_RET_OK);
        }
      }
      run(&batch, 1);
    }
    for (int32_t r = 0; r < scenario.robot_count; ++r) {
      assert_int_equal(fw_batch_robot(&batch, r).state, FW_BATCH_ARRIVED);
    }
    fw_batch_fini(&batch);
    fw_scenario_fini(&scenario);
    fw_grid_fini(&known);
    fw_grid_fini(&scene.grid);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(regions_are_those_of_a_map_that_is_cut_anew),
    cmocka_unit_test(what_is_kept_is_what_would_have_been_learned),
    cmocka_unit_test(another_batch_recalls_what_holds_on_its_map),
    cmocka_unit_test(robots_arrive_on_a_map_that_changes),
  };
  return TEST_RUN(tests);
}
