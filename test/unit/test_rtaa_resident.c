// Batches that live on a device: what a run costs, and that robots, maps and learned values are those of the CPU
// whatever the caller changes between runs, and whatever call of the device fails.

#include <stdio.h>
#include <stdlib.h>

#include "double.h"
#include "fleetweave/batch.h"
#include "kernel/batch.h"
#include "support/test.h"
#include "support/world.h"

enum { ROBOTS = 500, STEPS = 40 };  // four blocks
enum { REGIONS = 1020 };            // scenes from this number on have the memory `regions`

typedef struct scene_t {
  fw_grid_t grid;
  fw_cell_t starts[ROBOTS];
  fw_cell_t goals[ROBOTS];
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

static void make(scene_t * scene, uint64_t number)
{
  fw_rng_t rng = fw__rng(900 + number);
  scene->grid = world_grid(&rng, 40 + fw__rng_below(&rng, 60), 40 + fw__rng_below(&rng, 60), 15, number % 3 == 1);
  scene->grid.cost[0] = 1;
  for (int32_t r = 0; r < ROBOTS; ++r) {
    scene->starts[r] = draw_free(&rng, &scene->grid);
    scene->goals[r] = draw_free(&rng, &scene->grid);
  }
  scene->options = fw_batch_options_default();
  scene->options.lookahead = number % 2 == 0 ? 3 : 1 + fw__rng_below(&rng, 9);
  scene->options.moves = 1 + fw__rng_below(&rng, scene->options.lookahead);
  scene->options.connectivity = number % 4 < 2 ? 8 : 4;
  scene->options.is_fused = number % 3 != 2;
  scene->options.sight = number % 5 == 4 ? 3 : 0;
  scene->options.memory = number >= REGIONS ? FW_MEMORY_REGIONS : FW_MEMORY_WINDOW;
  scene->options.backend = FW_BACKEND_CUDA;
}

static fw_ret_t begin(fw_batch_t * batch, const scene_t * scene, const fw_device_t * device, fw_error_t * error)
{
  const fw_batch_world_t world = {&scene->grid, scene->starts, scene->goals, ROBOTS};
  fw_batch_options_t options = scene->options;
  options.backend = device == NULL ? FW_BACKEND_CPU : FW_BACKEND_CUDA;
  return fw__batch_init_on(batch, &world, &options, device, error);
}

static uint64_t mix(uint64_t digest, uint64_t value) { return (digest ^ value) * UINT64_C(1099511628211); }

// Of what a run brings back.
static uint64_t digest_robots(const fw_batch_t * batch)
{
  uint64_t digest = UINT64_C(14695981039346656037);
  for (int32_t r = 0; r < ROBOTS; ++r) {
    const fw_batch_robot_t robot = fw_batch_robot(batch, r);
    uint8_t way[FW_LOOKAHEAD_MAX];
    const int32_t steps = fw_batch_way(batch, r, way);
    digest = mix(mix(mix(mix(digest, (uint64_t)robot.cell), robot.state), robot.length), robot.episodes);
    for (int32_t i = 0; i < steps; ++i) {
      digest = mix(digest, way[i]);
    }
  }
  return digest;
}

// Of the learned values and the known map.
static uint64_t digest_learned(const fw_batch_t * batch, const scene_t * scene)
{
  uint64_t digest = UINT64_C(14695981039346656037);
  for (int32_t r = 0; r < ROBOTS; r += 3) {
    const fw_cell_t at = fw_batch_robot(batch, r).cell;
    for (int32_t near = 0; near < 49; ++near) {
      const int32_t x = at % scene->grid.width + near % 7 - 3, y = at / scene->grid.width + near / 7 - 3;
      if (x >= 0 && y >= 0 && x < scene->grid.width && y < scene->grid.height) {
        digest = mix(digest, fw_batch_estimate(batch, r, y * scene->grid.width + x));
      }
    }
  }
  const fw_grid_t known = fw_batch_known(batch);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&known); ++cell) {
    digest = mix(digest, known.cost[cell]);
  }
  return digest;
}

// One thing that a caller may do between two runs; the same for the same number.
static void change(fw_batch_t * batch, const scene_t * scene, fw_rng_t * rng)
{
  const fw_grid_t known = fw_batch_known(batch);
  switch (fw__rng_below(rng, 8)) {
    case 0:
      for (int32_t r = 0; r < ROBOTS; r += 2) {  // as PIBT does: a step, or none
        uint8_t way[FW_LOOKAHEAD_MAX];
        const fw_cell_t cell = fw_batch_robot(batch, r).cell;
        (void)fw_batch_way(batch, r, way);
        fw_batch_set_cell(
          batch, r, cell % scene->grid.width + 1 < scene->grid.width && known.cost[cell + 1] != 0 ? cell + 1 : cell);
      }
      break;
    case 1:
      fw_batch_set_cell(batch, fw__rng_below(rng, ROBOTS), draw_free(rng, &known));
      break;
    case 2:
      for (int32_t i = 0; i < 20; ++i) {
        fw_batch_set_goal(batch, fw__rng_below(rng, ROBOTS), draw_free(rng, &known));
      }
      break;
    case 3:
      assert_int_equal(fw_batch_set_cost(batch, draw_free(rng, &known), 0, NULL), FW_RET_OK);
      break;
    case 4:
      assert_int_equal(fw_batch_set_cost(batch, fw__rng_below(rng, fw_grid_cell_count(&known)), 1, NULL), FW_RET_OK);
      break;
    case 5:  // weights may be new here
      assert_int_equal(fw_batch_set_cost(batch, draw_free(rng, &known), 4, NULL), FW_RET_OK);
      break;
    case 6:
      for (int32_t i = 0; i < FW_DEVICE_CELLS_MAX / 4 && fw__rng_below(rng, 2) == 0; ++i) {  // more than fits
        const fw_cell_t cell = fw__rng_below(rng, fw_grid_cell_count(&known));
        if (known.cost[cell] == 1) {
          assert_int_equal(fw_batch_set_cost(batch, cell, 1 + (uint8_t)(i % 2), NULL), FW_RET_OK);
        }
      }
      break;
    default:
      break;
  }
}

typedef struct outcome_t {
  fw_ret_t ret;
  uint64_t robots;   // of all steps
  uint64_t learned;  // likewise
  char backend[16];
  char note[FW_DEVICE_NOTE_SIZE];
} outcome_t;

// A life of a batch: runs and changes. Learned values are read now and then, or only at the end.
static outcome_t live(const scene_t * scene, const fw_device_t * device, uint64_t seed)
{
  fw_batch_t batch;
  fw_error_t error = {0};
  fw_rng_t rng = fw__rng(seed);
  outcome_t outcome = {.robots = 1, .learned = 1};
  outcome.ret = begin(&batch, scene, device, &error);
  if (outcome.ret != FW_RET_OK) {
    (void)snprintf(outcome.note, sizeof(outcome.note), "%.191s", error.text);
    return outcome;
  }
  const bool reads_often = seed % 2 == 0;
  for (int32_t step = 0; step < STEPS; ++step) {
    const int32_t episodes = fw__rng_below(&rng, 6) == 0 ? 70 : 1 + fw__rng_below(&rng, 2);
    assert_int_equal(fw_batch_run(&batch, episodes, NULL), FW_RET_OK);
    outcome.robots = mix(outcome.robots, digest_robots(&batch));
    if (reads_often && step % 5 == 0) {
      outcome.learned = mix(outcome.learned, digest_learned(&batch, scene));
    }
    change(&batch, scene, &rng);
  }
  outcome.learned = mix(outcome.learned, digest_learned(&batch, scene));
  assert_true(fw__batch_validate(&batch));
  (void)snprintf(outcome.backend, sizeof(outcome.backend), "%s", fw_batch_stats(&batch).backend);
  (void)snprintf(outcome.note, sizeof(outcome.note), "%s", fw_batch_stats(&batch).note);
  fw_batch_fini(&batch);
  return outcome;
}

static void assert_equal(const outcome_t * a, const outcome_t * b)
{
  assert_true(a->robots == b->robots);
  assert_true(a->learned == b->learned);
}

// ---- what a run costs -----------------------------------------------------------------------------------------------

// Robots that are under way after some runs, so that the list of those that run is up to date.
static int32_t settle(fw_batch_t * batch)
{
  for (int32_t i = 0; i < 3; ++i) {
    assert_int_equal(fw_batch_run(batch, 1, NULL), FW_RET_OK);
  }
  return fw_batch_running(batch);
}

static void a_run_of_one_episode_takes_six_calls_at_most(void ** state)
{
  (void)state;
  for (uint64_t number = 0; number < 2; ++number) {  // lookahead 3, others
    static scene_t scene;
    fw_batch_t batch;
    make(&scene, number);
    scene.options.is_fused = true;
    double_reset((size_t)1 << 30);
    assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, NULL), FW_RET_OK);
    const int32_t running = settle(&batch);
    assert_true(running > ROBOTS / 2);
    for (int32_t i = 0; i < 3; ++i) {
      double_fail(0, 0, false);  // counts from here
      assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
      assert_int_equal(double_calls(), 4);  // set the device, launch, copy back, wait
      assert_int_equal(double_up_bytes(), 0);
      assert_true(double_down_bytes() <= (size_t)ROBOTS * (19 + (size_t)scene.options.lookahead));
    }
    const fw_cell_t cell = fw_batch_robot(&batch, 7).cell;
    for (int32_t r = 0; r < ROBOTS; ++r) {
      fw_batch_set_cell(&batch, r, fw_batch_robot(&batch, r).cell);
    }
    assert_int_equal(fw_batch_set_cost(&batch, cell, 1, NULL), FW_RET_OK);
    double_fail(0, 0, false);
    assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
    assert_int_equal(double_calls(), 6);  // and send the changes, and apply them
    assert_true(double_up_bytes() <= ROBOTS * sizeof(fw_rtaa_robot_change_t) + 9 * sizeof(fw_rtaa_cell_change_t));
    fw_batch_fini(&batch);
    fw_grid_fini(&scene.grid);
  }
}

// Bytes come back for robots that run, not for those that have arrived.
static void bytes_follow_the_robots_under_way(void ** state)
{
  (void)state;
  static scene_t scene;
  fw_batch_t batch;
  make(&scene, 0);
  const size_t robot_bytes = 19 + 3;
  for (int32_t r = 10; r < ROBOTS; ++r) {
    scene.goals[r] = scene.starts[r];
  }
  double_reset((size_t)1 << 30);
  assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, NULL), FW_RET_OK);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_true(double_down_bytes() <= 10 * robot_bytes);
  fw_batch_set_goal(&batch, 20, scene.goals[21]);  // one more, which was not on the list
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_int_equal(double_calls(), 6);
  assert_true(double_down_bytes() > 0 && double_down_bytes() <= 11 * robot_bytes);
  assert_int_equal(fw_batch_robot(&batch, 20).episodes, 1);
  while (fw_batch_running(&batch) > 0) {
    assert_int_equal(fw_batch_run(&batch, 64, NULL), FW_RET_OK);
  }
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_true(double_calls() <= 2 && double_down_bytes() == 0);  // nobody runs
  fw_batch_fini(&batch);
  assert_int_equal(double_live(), 0);
  fw_grid_fini(&scene.grid);
}

// With regions: the tables go to the device once; then what has changed of them, or a table that has changed most.
static void tables_of_regions_are_sent_once_and_then_what_changes(void ** state)
{
  (void)state;
  static scene_t scene;
  fw_batch_t batch;
  make(&scene, REGIONS);
  fw_grid_fini(&scene.grid);
  assert_int_equal(fw_grid_init(&scene.grid, 320, 320, NULL, NULL), FW_RET_OK);
  memset(scene.grid.cost, 1, (size_t)fw_grid_cell_count(&scene.grid));
  for (int32_t r = 0; r < ROBOTS; ++r) {
    scene.starts[r] = r * 7;
    scene.goals[r] = fw_grid_cell_count(&scene.grid) - 1 - r * 11;
  }
  scene.options.lookahead = 3;
  scene.options.is_fused = true;
  double_reset((size_t)1 << 30);
  assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, NULL), FW_RET_OK);
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  const size_t whole = double_up_bytes();
  assert_true(whole > 320 * 320 * 8);  // a byte for itself and each of eight regions around
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_int_equal(double_calls(), 4);  // set the device, launch, copy back, wait
  assert_int_equal(double_up_bytes(), 0);
  assert_int_equal(double_down_bytes(), ROBOTS * (27 + 3));
  // An obstacle in the middle of a region: distances of 25 blocks at most, and no table as a whole.
  assert_int_equal(fw_batch_set_cost(&batch, 165 * 320 + 168, 0, NULL), FW_RET_OK);
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_int_equal(double_calls(), 6);  // and send the changes, and apply them
  assert_true(double_up_bytes() > 100 && double_up_bytes() < 25 * 256 * 9 + 8192);
  assert_true(double_up_bytes() < whole / 20);
  // A goal in a region without one: the distances within it, and those of all regions to it.
  fw_batch_set_goal(&batch, 3, 165 * 320 + 200);
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_int_equal(double_calls(), 7);  // and a row of distances
  assert_true(double_up_bytes() >= 256 + 400 * 4 && double_up_bytes() < 256 + 400 * 4 + 256);
  // Another goal in the same region: only what is the robot's own.
  fw_batch_set_goal(&batch, 4, 165 * 320 + 201);
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_int_equal(double_calls(), 6);
  assert_true(double_up_bytes() < 256 + 64);
  // New goals for all robots: their distances in one piece.
  for (int32_t r = 0; r < ROBOTS; ++r) {
    fw_batch_set_goal(&batch, r, scene.goals[(r + 1) % ROBOTS]);
  }
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_true(double_up_bytes() <= ROBOTS * (256 + sizeof(fw_rtaa_robot_change_t)) + 1024);
  // A wall that divides regions: numbers of regions change, and so do most values; no more than everything is sent.
  for (int32_t y = 0; y < 320; ++y) {
    assert_int_equal(fw_batch_set_cost(&batch, y * 320 + 8, y == 7 ? 1 : 0, NULL), FW_RET_OK);
  }
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_true(double_up_bytes() > whole / 4 && double_up_bytes() < whole + whole / 4);
  assert_string_equal(fw_batch_stats(&batch).note, "");
  fw_batch_fini(&batch);
  assert_int_equal(double_live(), 0);
  fw_grid_fini(&scene.grid);
}

// Learned values come back when somebody reads one, once for all robots.
static void learned_values_come_on_request(void ** state)
{
  (void)state;
  static scene_t scene;
  fw_batch_t batch;
  make(&scene, 0);
  double_reset((size_t)1 << 30);
  assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, NULL), FW_RET_OK);
  (void)settle(&batch);
  double_fail(0, 0, false);
  (void)digest_learned(&batch, &scene);
  assert_int_equal(double_calls(), 3);  // set the device, copy, wait
  assert_int_equal(double_down_bytes(), ROBOTS * 13 * 13 * 2);
  (void)digest_learned(&batch, &scene);
  assert_int_equal(double_calls(), 3);
  fw_batch_fini(&batch);
  fw_grid_fini(&scene.grid);
}

// ---- the same answers -----------------------------------------------------------------------------------------------

// Device memory for two slices of one block and hardly more, so that two blocks are not resident.
static size_t slice_bytes(const scene_t * scene)
{
  if (scene->options.memory == FW_MEMORY_REGIONS) {  // as much as an error says
    scene_t limited = *scene;
    fw_batch_t batch;
    fw_error_t error = {0};
    limited.options.device_memory_max_bytes = 1;
    assert_int_equal(begin(&batch, &limited, &fw_double_cuda_device, &error), FW_RET_NO_DEVICE);
    const char * needed = strstr(error.text, "too few, ");
    assert_non_null(needed);
    return (size_t)strtoull(needed + strlen("too few, "), NULL, 10);
  }
  const size_t L = (size_t)scene->options.lookahead, cells = (size_t)fw_grid_cell_count(&scene->grid);
  const size_t row = 2 * (4 * L + 1) * (4 * L + 1) + 23 + L + (scene->options.sight > 0 ? 8 : 0);
  const size_t lane = scene->options.is_fused ? 0 : 2 * (2 * L + 1) * (2 * L + 1) + 45 * L + 72;
  return 4 * cells + 256 + 2 * 128 * (row + lane + 16) + 2 * 3 * 256;
}

static void a_life_on_a_device_is_that_on_the_cpu(void ** state)
{
  (void)state;
  const uint64_t rounds = (uint64_t)test_many_rounds(20);
  for (uint64_t round = 0; round < rounds + (rounds + 1) / 2; ++round) {
    const uint64_t number = round < rounds ? round : REGIONS + round - rounds;
    static scene_t scene;
    make(&scene, number);
    double_reset((size_t)1 << 30);
    const outcome_t cpu = live(&scene, NULL, number);
    const outcome_t gpu = live(&scene, &fw_double_cuda_device, number);
    assert_string_equal(gpu.note, "");
    assert_string_equal(gpu.backend, "cuda");
    assert_equal(&gpu, &cpu);
    scene.options.is_fused = !scene.options.is_fused;
    double_reset((size_t)1 << 30);
    const outcome_t other = live(&scene, &fw_double_cuda_device, number);
    assert_equal(&other, &cpu);
    scene.options.device_memory_max_bytes = double_peak_bytes() - 1;  // in slices
    const outcome_t sliced = live(&scene, &fw_double_cuda_device, number);
    assert_string_equal(sliced.backend, "cuda");
    assert_equal(&sliced, &cpu);
    double_set_count(3);
    for (int32_t devices = 2; devices <= 3; ++devices) {
      size_t up_bytes[2];
      scene.options.devices = devices;
      for (int32_t kind = 0; kind < 2; ++kind) {  // resident, in slices
        const size_t limit = scene.options.device_memory_max_bytes;
        scene.options.device_memory_max_bytes = kind == 0 ? 0 : slice_bytes(&scene);
        double_fail(0, 0, false);
        const outcome_t several = live(&scene, &fw_double_cuda_device, number);
        up_bytes[kind] = double_up_bytes();
        assert_string_equal(several.backend, "cuda");
        assert_string_equal(several.note, "");
        assert_equal(&several, &cpu);
        scene.options.device_memory_max_bytes = limit;
      }
      assert_true(up_bytes[1] > up_bytes[0]);
    }
    static const int32_t threads[] = {2, 8};
    for (int32_t i = 0; i < TEST_COUNT(threads); ++i) {
      scene.options.threads = threads[i];
      const outcome_t threaded = live(&scene, NULL, number);
      assert_equal(&threaded, &cpu);
    }
    assert_int_equal(double_live(), 0);
    fw_grid_fini(&scene.grid);
  }
}

// Every call fails in turn, once or for good: the robots of the CPU, or no batch and an error that names the call.
static void whatever_call_fails_the_life_goes_on(void ** state)
{
  (void)state;
  static const struct {
    int error;
    bool is_lost;
  } kinds[] = {{719, true}, {2, false}};
  int fallbacks = 0;
  for (uint64_t round = 0; round < 12; ++round) {  // fused, staged, sight; 1, 2 and 3 devices; window and regions
    const uint64_t number = round % 6 + (round < 6 ? 0 : REGIONS);
    static scene_t scene;
    make(&scene, number);
    scene.options.devices = (int32_t)(1 + number % 3);
    double_reset((size_t)1 << 30);
    double_set_count(3);
    const outcome_t cpu = live(&scene, NULL, number);
    double_fail(0, 0, false);
    (void)live(&scene, &fw_double_cuda_device, number);
    const int calls = double_calls();
    const int stride = 1 + calls / test_many_rounds(round < 6 ? 40 : 16);
    const int first_stride = test_is_set("FLEETWEAVE_SHORT") ? 3 : 1;
    for (int kind = 0; kind < TEST_COUNT(kinds); ++kind) {
      for (int call = 1; call <= calls; call += call < 50 ? first_stride : stride) {
        double_reset((size_t)1 << 30);
        double_set_count(3);
        double_fail(call, kinds[kind].error, kinds[kind].is_lost);
        const outcome_t outcome = live(&scene, &fw_double_cuda_device, number);
        assert_int_equal(double_live(), 0);
        if (outcome.ret != FW_RET_OK) {
          assert_int_equal(outcome.ret, FW_RET_NO_DEVICE);
          assert_non_null(strstr(outcome.note, double_failed()));
          continue;
        }
        if (outcome.robots != cpu.robots || outcome.learned != cpu.learned) {
          fail_msg("world %d: %s fails as call %d: another answer", (int)number, double_failed(), call);
        }
        if (outcome.note[0] != '\0') {
          assert_non_null(strstr(outcome.note, double_failed()));
          assert_non_null(strstr(outcome.note, "going on with the CPU"));
          assert_string_equal(outcome.backend, "cpu");
          ++fallbacks;
        }
      }
    }
    fw_grid_fini(&scene.grid);
  }
  assert_true(fallbacks > (test_is_set("FLEETWEAVE_SHORT") ? 70 : 300));
}

// A device that is lost after more runs than recovery keeps: they are replayed from a checkpoint.
static void a_device_is_lost_after_many_runs(void ** state)
{
  (void)state;
  static scene_t scene;
  enum { RUNS = 200 };
  for (int32_t lost_after = 60; lost_after < RUNS; lost_after += 23) {
    fw_batch_t cpu, gpu;
    make(&scene, lost_after % 2 == 0 ? 0 : REGIONS);
    double_reset((size_t)1 << 30);
    assert_int_equal(begin(&cpu, &scene, NULL, NULL), FW_RET_OK);
    assert_int_equal(begin(&gpu, &scene, &fw_double_cuda_device, NULL), FW_RET_OK);
    for (int32_t i = 0; i < RUNS; ++i) {
      if (i == lost_after) {
        double_fail(3, 719, true);
      }
      assert_int_equal(fw_batch_run(&cpu, 1, NULL), FW_RET_OK);
      assert_int_equal(fw_batch_run(&gpu, 1, NULL), FW_RET_OK);
      fw_batch_set_goal(&cpu, i, scene.goals[(i + 1) % ROBOTS]);
      fw_batch_set_goal(&gpu, i, scene.goals[(i + 1) % ROBOTS]);
      assert_true(digest_robots(&cpu) == digest_robots(&gpu));
    }
    assert_true(digest_learned(&cpu, &scene) == digest_learned(&gpu, &scene));
    assert_string_equal(fw_batch_stats(&gpu).backend, "cpu");
    fw_batch_fini(&cpu);
    fw_batch_fini(&gpu);
    fw_grid_fini(&scene.grid);
  }
}

// ---- several devices ------------------------------------------------------------------------------------------------

// A device costs as much as if it were alone, and one call more, since the host goes round; bytes are those of its
// robots, and cells that have changed go to all.
static void each_device_takes_a_fixed_number_of_calls(void ** state)
{
  (void)state;
  static scene_t scene;
  fw_batch_t batch;
  make(&scene, 0);
  scene.options.devices = 3;
  double_reset((size_t)1 << 30);
  double_set_count(3);
  assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, NULL), FW_RET_OK);
  assert_string_equal(fw_batch_stats(&batch).device, "Test double 0, Test double 1, Test double 2");
  (void)settle(&batch);
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  for (int device = 0; device < 3; ++device) {
    const size_t robots = device < 2 ? 128 : ROBOTS - 256;  // the last has two blocks
    assert_int_equal(double_count(device).calls, 5);        // use, launch, copy back; use, wait
    assert_int_equal(double_count(device).up_bytes, 0);
    assert_true(double_count(device).down_bytes > 0 && double_count(device).down_bytes <= robots * (19 + 3));
  }
  fw_batch_set_cell(&batch, 130, fw_batch_robot(&batch, 130).cell);
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  for (int device = 0; device < 3; ++device) {
    assert_int_equal(double_count(device).calls, device == 1 ? 7 : 5);  // and send, and apply, where the robot is
    assert_int_equal(double_count(device).up_bytes, device == 1 ? sizeof(fw_rtaa_robot_change_t) : 0);
  }
  assert_int_equal(fw_batch_set_cost(&batch, fw_batch_robot(&batch, 130).cell, 1, NULL), FW_RET_OK);
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  for (int device = 0; device < 3; ++device) {
    assert_int_equal(double_count(device).calls, 7);
    assert_true(double_count(device).up_bytes > 0);
    assert_true(double_count(device).up_bytes <= 9 * sizeof(fw_rtaa_cell_change_t));
  }
  double_fail(0, 0, false);
  (void)digest_learned(&batch, &scene);
  assert_int_equal(double_calls(), 3 * 4);  // use, copy; use, wait
  assert_int_equal(double_down_bytes(), ROBOTS * 13 * 13 * 2);
  fw_batch_fini(&batch);
  assert_int_equal(double_live(), 0);
  fw_grid_fini(&scene.grid);
}

// A device whose robots have all arrived is only waited for.
static void a_device_whose_robots_have_arrived_rests(void ** state)
{
  (void)state;
  static scene_t scene;
  fw_batch_t batch;
  make(&scene, 0);
  scene.options.devices = 2;
  memcpy(scene.goals, scene.starts, 256 * sizeof(*scene.goals));
  double_reset((size_t)1 << 30);
  double_set_count(2);
  assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, NULL), FW_RET_OK);
  (void)settle(&batch);
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 70, NULL), FW_RET_OK);
  assert_true(double_count(0).calls <= 3 && double_count(0).down_bytes == 0);
  assert_true(double_count(1).calls > 5 && double_count(1).down_bytes > 0);
  fw_batch_fini(&batch);
  fw_grid_fini(&scene.grid);
}

// One of three devices is lost, each in turn: the CPU goes on, and the note names it.
static void one_of_several_devices_is_lost(void ** state)
{
  (void)state;
  static scene_t scene;
  make(&scene, 4);  // with sight
  scene.options.devices = 3;
  for (int32_t lost = 0; lost < 3; ++lost) {
    fw_batch_t cpu, gpu;
    char words[64];
    double_reset((size_t)1 << 30);
    double_set_count(3);
    assert_int_equal(begin(&cpu, &scene, NULL, NULL), FW_RET_OK);
    assert_int_equal(begin(&gpu, &scene, &fw_double_cuda_device, NULL), FW_RET_OK);
    for (int32_t i = 0; i < 30; ++i) {
      double_fail(i == 20 ? 1 + 3 * lost : 0, 719, true);  // the first call of each device in a run
      assert_int_equal(fw_batch_run(&cpu, 1, NULL), FW_RET_OK);
      assert_int_equal(fw_batch_run(&gpu, 1, NULL), FW_RET_OK);
      assert_true(digest_robots(&cpu) == digest_robots(&gpu));
      assert_string_equal(fw_batch_stats(&gpu).backend, i < 20 ? "cuda" : "cpu");
    }
    assert_true(digest_learned(&cpu, &scene) == digest_learned(&gpu, &scene));
    (void)snprintf(words, sizeof(words), "cuda: device %d: the device was lost", (int)lost);
    assert_ptr_equal(strstr(fw_batch_stats(&gpu).note, words), fw_batch_stats(&gpu).note);
    fw_batch_fini(&cpu);
    fw_batch_fini(&gpu);
    assert_int_equal(double_live(), 0);
  }
  fw_grid_fini(&scene.grid);
}

// `cuda` requires all devices; robots of fewer blocks than devices use fewer.
static void devices_are_required_and_used_as_robots_need_them(void ** state)
{
  (void)state;
  static scene_t scene;
  fw_batch_t batch;
  fw_error_t error = {0};
  make(&scene, 0);
  scene.options.devices = 3;
  double_reset((size_t)1 << 30);
  double_set_count(2);
  assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, &error), FW_RET_NO_DEVICE);
  assert_string_equal(error.text, "backend cuda: there is no device 2: this machine has 2, numbered from 0");
  scene.options.devices = FW_BATCH_DEVICES_MAX + 1;
  assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, &error), FW_RET_INVALID_ARGUMENT);
  scene.options.devices = -1;
  assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, &error), FW_RET_INVALID_ARGUMENT);
  scene.options.devices = 5;
  scene.options.device = 1;
  double_set_count(6);
  assert_int_equal(begin(&batch, &scene, &fw_double_cuda_device, NULL), FW_RET_OK);
  assert_string_equal(fw_batch_stats(&batch).device, "Test double 1, Test double 2, Test double 3, Test double 4");
  double_fail(0, 0, false);
  assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
  assert_true(double_count(0).calls == 0 && double_count(4).calls > 0 && double_count(5).calls == 0);
  fw_batch_fini(&batch);
  fw_grid_fini(&scene.grid);
}

// ---- from batch to batch --------------------------------------------------------------------------------------------

// Learned values go from a batch to the next, as the planner's windows do; one may have left its device.
static void what_was_learned_goes_to_another_batch(void ** state)
{
  (void)state;
  static scene_t scene;
  make(&scene, 2);
  uint64_t digests[3];
  for (int32_t kind = 0; kind < 3; ++kind) {
    fw_batch_t first, second;
    const fw_device_t * device = kind == 0 ? NULL : &fw_double_cuda_device;
    double_reset((size_t)1 << 30);
    assert_int_equal(begin(&first, &scene, device, NULL), FW_RET_OK);
    assert_int_equal(begin(&second, &scene, device, NULL), FW_RET_OK);
    assert_int_equal(fw_batch_run(&first, 12, NULL), FW_RET_OK);
    assert_int_equal(fw_batch_run(&second, 1, NULL), FW_RET_OK);
    if (kind == 2) {
      fw__batch_leave_device(&first);
      assert_string_equal(fw_batch_stats(&first).note, "");
    }
    for (int32_t r = 0; r < ROBOTS; ++r) {
      fw_batch_set_cell(&second, r, fw_batch_robot(&first, r).cell);
      fw_batch_recall(&second, r, &first, r);
    }
    assert_int_equal(fw_batch_run(&second, 9, NULL), FW_RET_OK);
    digests[kind] = mix(digest_robots(&second), digest_learned(&second, &scene));
    fw_batch_fini(&first);
    fw_batch_fini(&second);
    assert_int_equal(double_live(), 0);
  }
  assert_true(digests[0] == digests[1] && digests[0] == digests[2]);
  fw_grid_fini(&scene.grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_run_of_one_episode_takes_six_calls_at_most),
    cmocka_unit_test(bytes_follow_the_robots_under_way),
    cmocka_unit_test(tables_of_regions_are_sent_once_and_then_what_changes),
    cmocka_unit_test(learned_values_come_on_request),
    cmocka_unit_test(a_life_on_a_device_is_that_on_the_cpu),
    cmocka_unit_test(whatever_call_fails_the_life_goes_on),
    cmocka_unit_test(a_device_is_lost_after_many_runs),
    cmocka_unit_test(each_device_takes_a_fixed_number_of_calls),
    cmocka_unit_test(a_device_whose_robots_have_arrived_rests),
    cmocka_unit_test(one_of_several_devices_is_lost),
    cmocka_unit_test(devices_are_required_and_used_as_robots_need_them),
    cmocka_unit_test(what_was_learned_goes_to_another_batch),
  };
  return TEST_RUN(tests);
}
