// The launch code of cuda/ on a double of the CUDA runtime: the same robots as on the CPU, whatever fails and when.

#include <stdio.h>

#include "double.h"
#include "fleetweave/batch.h"
#include "fleetweave_cuda.h"
#include "kernel/batch.h"
#include "rtaa_fused.h"
#include "support/test.h"
#include "support/world.h"

enum { ROBOTS = 700, EPISODES = 70 };
enum { REGIONS = 1200 };  // scenes from this number on have the memory `regions`

typedef struct scene_t {
  fw_grid_t grid;
  fw_cell_t starts[ROBOTS];
  fw_cell_t goals[ROBOTS];
  fw_batch_options_t options;
  fw_cell_t hidden;  // an obstacle that nobody knows of, with sight
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
  fw_rng_t rng = fw__rng(number);
  scene->grid = world_grid(&rng, 8 + fw__rng_below(&rng, 40), 8 + fw__rng_below(&rng, 40), 20, number % 3 == 0);
  scene->grid.cost[0] = 1;
  for (int32_t r = 0; r < ROBOTS; ++r) {
    scene->starts[r] = draw_free(&rng, &scene->grid);
    scene->goals[r] = draw_free(&rng, &scene->grid);
  }
  scene->hidden = draw_free(&rng, &scene->grid);
  scene->options = fw_batch_options_default();
  scene->options.lookahead = number % 2 == 0 ? 3 : 1 + fw__rng_below(&rng, 9);
  scene->options.moves = 1 + fw__rng_below(&rng, scene->options.lookahead);
  scene->options.connectivity = number % 4 < 2 ? 8 : 4;
  scene->options.is_fused = number % 2 == 0;
  scene->options.memory = number >= REGIONS ? FW_MEMORY_REGIONS : FW_MEMORY_WINDOW;
  scene->options.backend = FW_BACKEND_CUDA;
}

typedef struct outcome_t {
  fw_ret_t ret;
  uint64_t digest;
  char backend[16];
  char device[FW_DEVICE_NAME_SIZE];
  char note[FW_DEVICE_NOTE_SIZE];  // or the error
} outcome_t;

static uint64_t mix(uint64_t digest, uint64_t value) { return (digest ^ value) * UINT64_C(1099511628211); }

static uint64_t digest_batch(const fw_batch_t * batch, const scene_t * scene)
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
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&scene->grid); cell += 7) {
      digest = mix(digest, fw_batch_estimate(batch, r, cell));
    }
  }
  return digest;
}

// Some episodes on a device, NULL for the CPU, in calls of `stride`.
static outcome_t run(const scene_t * scene, const fw_device_t * device, int32_t stride)
{
  fw_batch_t batch;
  outcome_t outcome = {0};
  fw_error_t error = {0};
  const fw_batch_world_t world = {&scene->grid, scene->starts, scene->goals, ROBOTS};
  fw_batch_options_t options = scene->options;
  options.backend = device == NULL ? FW_BACKEND_CPU : options.backend;
  outcome.ret = fw__batch_init_on(&batch, &world, &options, device, &error);
  if (outcome.ret != FW_RET_OK) {
    (void)snprintf(outcome.note, sizeof(outcome.note), "%.191s", error.text);
    return outcome;
  }
  if (scene->options.sight > 0) {
    assert_int_equal(fw_batch_set_cost(&batch, scene->hidden, 0, NULL), FW_RET_OK);
  }
  for (int32_t done = 0; done < EPISODES; done += stride) {
    assert_int_equal(fw_batch_run(&batch, stride, NULL), FW_RET_OK);
  }
  outcome.digest = digest_batch(&batch, scene);
  (void)snprintf(outcome.backend, sizeof(outcome.backend), "%s", fw_batch_stats(&batch).backend);
  (void)snprintf(outcome.device, sizeof(outcome.device), "%s", fw_batch_stats(&batch).device);
  (void)snprintf(outcome.note, sizeof(outcome.note), "%s", fw_batch_stats(&batch).note);
  fw_batch_fini(&batch);
  return outcome;
}

static void assert_one_line(const outcome_t * outcome, const char * word)
{
  assert_null(strchr(outcome->note, '\n'));
  if (strstr(outcome->note, word) == NULL || strstr(outcome->note, "going on with the CPU") == NULL) {
    fail_msg("\"%s\" does not speak of %s", outcome->note, word);
  }
}

// ---- the same answer ------------------------------------------------------------------------------------------------

static void a_device_gives_the_robots_of_the_cpu(void ** state)
{
  (void)state;
  const uint64_t rounds = (uint64_t)test_many_rounds(12);
  for (uint64_t round = 0; round < 2 * rounds; ++round) {
    static scene_t scene;
    make(&scene, round / 2 + (round % 2 == 0 ? 0 : REGIONS));
    const outcome_t cpu = run(&scene, NULL, EPISODES);
    double_reset((size_t)1 << 30);
    const outcome_t gpu = run(&scene, &fw_double_cuda_device, EPISODES);
    assert_string_equal(gpu.backend, "cuda");
    assert_string_equal(gpu.note, "");
    assert_true(gpu.digest == cpu.digest);
    assert_true(run(&scene, &fw_double_cuda_device, 35).digest == cpu.digest);  // kept from call to call
    assert_int_equal(double_live(), 0);
    fw_grid_fini(&scene.grid);
  }
}

static void a_small_device_takes_the_batch_in_parts(void ** state)
{
  (void)state;
  for (uint64_t round = 0; round < 8; ++round) {
    static scene_t scene;
    make(&scene, 20 + round / 2 + (round % 2 == 0 ? 0 : REGIONS));
    const outcome_t cpu = run(&scene, NULL, EPISODES);
    double_reset((size_t)1 << 30);
    (void)run(&scene, &fw_double_cuda_device, EPISODES);
    const int launches = double_launches();
    const size_t whole = double_peak_bytes();
    double_reset((size_t)1 << 30);
    scene.options.device_memory_max_bytes = whole / 2;
    const outcome_t limited = run(&scene, &fw_double_cuda_device, EPISODES);
    assert_string_equal(limited.backend, "cuda");
    assert_true(limited.digest == cpu.digest);
    assert_true(double_launches() > launches);
    assert_true(double_peak_bytes() <= whole / 2);
    double_reset(whole / 2);  // and the same where there is no more
    scene.options.device_memory_max_bytes = 0;
    assert_true(run(&scene, &fw_double_cuda_device, EPISODES).digest == cpu.digest);
    fw_grid_fini(&scene.grid);
  }
}

static void what_robots_see_is_known_on_the_device_too(void ** state)
{
  (void)state;
  for (uint64_t round = 0; round < 6; ++round) {
    const uint64_t number = 30 + round / 2;
    static scene_t scene;
    make(&scene, number + (round % 2 == 0 ? 0 : REGIONS));
    scene.options.sight = 1 + (int32_t)number % 5;
    const outcome_t cpu = run(&scene, NULL, EPISODES);
    double_reset((size_t)1 << 30);
    const outcome_t gpu = run(&scene, &fw_double_cuda_device, EPISODES);
    assert_string_equal(gpu.backend, "cuda");
    assert_true(gpu.digest == cpu.digest);
    fw_grid_fini(&scene.grid);
  }
}

// Too little shared memory for a block: the stages one by one, four launches for each episode.
static void without_shared_memory_the_stages_are_launched_one_by_one(void ** state)
{
  (void)state;
  static scene_t scene;
  make(&scene, 40);
  const outcome_t cpu = run(&scene, NULL, EPISODES);
  double_reset((size_t)1 << 30);
  const outcome_t fused = run(&scene, &fw_double_cuda_device, EPISODES);
  const int launches = double_launches();
  double_reset((size_t)1 << 30);
  double_set_shared(2 << 10);
  const outcome_t staged = run(&scene, &fw_double_cuda_device, EPISODES);
  assert_true(fused.digest == cpu.digest && staged.digest == cpu.digest);
  assert_string_equal(staged.note, "");
  assert_int_equal(launches, 2);  // two pieces of at most 64 episodes
  assert_int_equal(double_launches(), 4 * EPISODES);
  fw_grid_fini(&scene.grid);
}

// ---- shared memory --------------------------------------------------------------------------------------------------

// On devices with 100 KB for a multiprocessor four blocks of lookahead 3 fit; every lookahead is fused in 48 KB.
static void the_pool_of_lanes_fits_into_shared_memory(void ** state)
{
  (void)state;
  enum { BLOCK = 48 << 10, KB = 1 << 10 };
  static const struct {
    int32_t multiprocessor_kb;
    int32_t lanes;  // of lookahead 3
  } cases[] = {{64, 32}, {100, 64}, {164, 64}, {228, 128}};
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    const int32_t lanes = fw__rtaa_block_lanes(3, BLOCK, cases[i].multiprocessor_kb * KB);
    assert_int_equal(lanes, cases[i].lanes);
    assert_true(4 * (fw__rtaa_block_bytes(3, lanes) + KB) <= cases[i].multiprocessor_kb * KB);
  }
  assert_int_equal(fw__rtaa_block_lanes(8, BLOCK, 100 * KB), 32);  // a warp's
  for (int32_t lookahead = 1; lookahead <= FW_LOOKAHEAD_MAX; ++lookahead) {
    const int32_t lanes = fw__rtaa_block_lanes(lookahead, BLOCK, 100 * KB);
    assert_true(lanes >= 1 && fw__rtaa_block_bytes(lookahead, lanes) <= BLOCK);
  }
  assert_int_equal(fw__rtaa_block_lanes(31, 8 * KB, 100 * KB), 0);
}

// Every lookahead runs fused, with pools from one lane to one for each robot, and gives the robots of the CPU.
static void every_lookahead_is_fused(void ** state)
{
  (void)state;
  for (int32_t lookahead = 1; lookahead <= FW_LOOKAHEAD_MAX; lookahead += lookahead < 9 ? 1 : 11) {
    for (uint64_t round = 0; round < 8; ++round) {  // 8 and 4 directions, with and without weights, window and regions
      static scene_t scene;
      make(&scene, 90 + round % 4 + (round < 4 ? 0 : REGIONS));
      scene.options.lookahead = lookahead;
      scene.options.moves = lookahead;
      scene.options.is_fused = true;
      const outcome_t cpu = run(&scene, NULL, EPISODES);
      double_reset((size_t)1 << 30);
      const outcome_t gpu = run(&scene, &fw_double_cuda_device, EPISODES);
      assert_true(double_launches() <= 2);  // of at most 64 episodes; the stages would be 4 for each
      assert_true(gpu.digest == cpu.digest);
      double_reset((size_t)1 << 30);
      double_set_shared(fw__rtaa_block_bytes(lookahead, 1));
      const outcome_t one = run(&scene, &fw_double_cuda_device, EPISODES);
      assert_true(double_launches() <= 2);
      assert_true(one.digest == cpu.digest);
      fw_grid_fini(&scene.grid);
    }
  }
}

// When all have arrived, no more episodes are launched, however many the caller allows.
static void a_run_ends_when_all_have_arrived(void ** state)
{
  (void)state;
  for (int32_t kind = 0; kind < 4; ++kind) {  // fused and staged, resident and in slices
    static scene_t scene;
    make(&scene, 0);
    memset(scene.grid.cost, 1, (size_t)fw_grid_cell_count(&scene.grid));
    scene.options.is_fused = kind % 2 == 0;
    double_reset((size_t)1 << 30);
    (void)run(&scene, &fw_double_cuda_device, EPISODES);
    scene.options.device_memory_max_bytes = kind < 2 ? 0 : double_peak_bytes() - 1;
    fw_batch_t batch;
    const fw_batch_world_t world = {&scene.grid, scene.starts, scene.goals, ROBOTS};
    double_reset((size_t)1 << 30);
    assert_int_equal(fw__batch_init_on(&batch, &world, &scene.options, &fw_double_cuda_device, NULL), FW_RET_OK);
    assert_int_equal(fw_batch_run(&batch, 100000, NULL), FW_RET_OK);
    assert_int_equal(fw_batch_running(&batch), 0);
    assert_true(double_launches() <= (kind % 2 == 0 ? 1 : 4 * 64) * (kind < 2 ? 1 : 4));
    fw_batch_fini(&batch);
    fw_grid_fini(&scene.grid);
  }
}

// Robots that have arrived are compacted away within a run: the few that are left share a block.
static void robots_that_have_arrived_take_no_blocks(void ** state)
{
  (void)state;
  enum { CHUNKS = 4, BLOCKS = (ROBOTS + 127) / 128 };
  for (int32_t kind = 0; kind < 4; ++kind) {  // fused and staged, resident and in slices
    static scene_t scene;
    make(&scene, 0);
    fw_grid_fini(&scene.grid);
    assert_int_equal(fw_grid_init(&scene.grid, 600, 4, NULL, NULL), FW_RET_OK);
    memset(scene.grid.cost, 1, (size_t)fw_grid_cell_count(&scene.grid));
    for (int32_t r = 0; r < ROBOTS; ++r) {  // every fifth robot has a long way
      scene.starts[r] = r % 4 * 600;
      scene.goals[r] = scene.starts[r] + (r % 5 == 0 ? 599 : 10 + r % 20);
    }
    scene.options.lookahead = 3;
    scene.options.moves = 3;
    scene.options.is_fused = kind % 2 == 0;
    double_reset((size_t)1 << 30);
    const outcome_t cpu = run(&scene, NULL, EPISODES);
    (void)run(&scene, &fw_double_cuda_device, EPISODES);
    scene.options.device_memory_max_bytes = kind < 2 ? 0 : double_peak_bytes() - 1;
    double_reset((size_t)1 << 30);
    assert_true(run(&scene, &fw_double_cuda_device, EPISODES).digest == cpu.digest);
    fw_batch_t batch;
    const fw_batch_world_t world = {&scene.grid, scene.starts, scene.goals, ROBOTS};
    double_reset((size_t)1 << 30);
    assert_int_equal(fw__batch_init_on(&batch, &world, &scene.options, &fw_double_cuda_device, NULL), FW_RET_OK);
    assert_int_equal(fw_batch_run(&batch, 64 * CHUNKS, NULL), FW_RET_OK);
    assert_int_equal(fw_batch_running(&batch), 0);
    // 140 robots are left after the first 64 episodes, in slices 52, 52 and 38 or less; these run up to episode 200.
    const int episodes = kind % 2 == 0 ? 1 : 4 * 64;  // launches for a piece of 64
    const int left = kind < 2 ? 2 : 3;
    assert_true(double_blocks() <= (BLOCKS + (CHUNKS - 1) * left) * episodes);
    assert_true(double_blocks() > BLOCKS * episodes);
    fw_batch_fini(&batch);
    fw_grid_fini(&scene.grid);
  }
}

// While slices are copied to the device, others run there: only the first finds it idle.
static void slices_are_copied_while_others_run(void ** state)
{
  (void)state;
  for (uint64_t number = 20; number < 24; number += 2) {  // lookahead 3
    static scene_t scene;
    make(&scene, number);
    scene.options.is_fused = number == 20;
    double_reset((size_t)1 << 30);
    const outcome_t cpu = run(&scene, NULL, EPISODES);
    (void)run(&scene, &fw_double_cuda_device, EPISODES);
    for (size_t part = 2; part <= 3; ++part) {
      scene.options.device_memory_max_bytes = double_peak_bytes() / part;
      fw_batch_t batch;
      const fw_batch_world_t world = {&scene.grid, scene.starts, scene.goals, ROBOTS};
      const int before = double_lone_uploads();
      assert_int_equal(fw__batch_init_on(&batch, &world, &scene.options, &fw_double_cuda_device, NULL), FW_RET_OK);
      assert_int_equal(fw_batch_run(&batch, EPISODES, NULL), FW_RET_OK);
      assert_string_equal(fw_batch_stats(&batch).backend, "cuda");
      assert_true(digest_batch(&batch, &scene) == cpu.digest);
      assert_true(double_lone_uploads() - before <= 1);
      fw_batch_fini(&batch);
    }
    fw_grid_fini(&scene.grid);
  }
}

// ---- failures -------------------------------------------------------------------------------------------------------

// Every call fails in turn, once or for good, with the errors of a device that is full, lost or was never there.
static void whatever_call_fails_the_answer_is_the_same(void ** state)
{
  (void)state;
  static const struct {
    int error;
    bool is_lost;
  } kinds[] = {{2, false}, {719, true}, {100, false}};
  const int stride = test_is_set("FLEETWEAVE_SHORT") ? 5 : 1;
  for (uint64_t round = 0; round < 4; ++round) {  // fused, staged; window and regions
    const uint64_t number = 50 + round % 2;
    static scene_t scene;
    make(&scene, number + (round < 2 ? 0 : REGIONS));
    scene.options.lookahead = 3;
    scene.options.moves = 3;
    scene.options.device_memory_max_bytes = 0;
    const outcome_t cpu = run(&scene, NULL, EPISODES);
    double_reset((size_t)1 << 30);
    (void)run(&scene, &fw_double_cuda_device, EPISODES);
    const int calls = double_calls();
    int fallbacks = 0;
    for (int kind = 0; kind < TEST_COUNT(kinds); ++kind) {
      for (int call = 1; call <= calls; call += call < 60 || call > calls - 40 ? stride : 37) {
        double_reset((size_t)1 << 30);
        double_fail(call, kinds[kind].error, kinds[kind].is_lost);
        const outcome_t outcome = run(&scene, &fw_double_cuda_device, EPISODES);
        assert_int_equal(double_live(), 0);
        if (outcome.ret != FW_RET_OK) {  // the device is required, and cannot even be found
          assert_int_equal(outcome.ret, FW_RET_NO_DEVICE);
          assert_non_null(strstr(outcome.note, double_failed()));
          continue;
        }
        if (outcome.digest != cpu.digest) {
          fail_msg("world %d: %s fails as call %d: another answer", (int)number, double_failed(), call);
        }
        if (outcome.note[0] != '\0') {
          assert_one_line(&outcome, double_failed());
          assert_string_equal(outcome.backend, "cpu");
          ++fallbacks;
        } else {
          assert_string_equal(outcome.backend, "cuda");  // it was only the clearing up
        }
      }
    }
    assert_true(stride * fallbacks >= (number == 50 ? 15 : 60));  // fused, staged
    fw_grid_fini(&scene.grid);
  }
}

// A device that fails between two slices of a batch: the first stays done, the CPU does the rest.
static void parts_that_are_done_stay_done(void ** state)
{
  (void)state;
  static scene_t scene;
  make(&scene, 60);
  const outcome_t cpu = run(&scene, NULL, EPISODES);
  double_reset((size_t)1 << 30);
  (void)run(&scene, &fw_double_cuda_device, EPISODES);
  scene.options.device_memory_max_bytes = double_peak_bytes() / 2;
  double_reset((size_t)1 << 30);
  (void)run(&scene, &fw_double_cuda_device, EPISODES);
  const int calls = double_calls();
  int fallbacks = 0;
  for (int call = 1; call <= calls; ++call) {
    double_reset((size_t)1 << 30);
    double_fail(call, 719, true);
    const outcome_t outcome = run(&scene, &fw_double_cuda_device, EPISODES);
    if (outcome.ret != FW_RET_OK) {
      assert_int_equal(outcome.ret, FW_RET_NO_DEVICE);
      continue;
    }
    assert_true(outcome.digest == cpu.digest);
    fallbacks += outcome.note[0] != '\0' ? 1 : 0;
  }
  assert_true(fallbacks > 20);
  fw_grid_fini(&scene.grid);
}

// With the backend `cuda` a GPU is required: without one there is no batch, and the error says why in words.
static void a_device_that_is_required_and_cannot_be_used_is_an_error(void ** state)
{
  (void)state;
  static scene_t scene;
  make(&scene, 70);
  static const struct {
    int error;
    const char * words;
  } cases[] = {
    {35, "there is no NVIDIA driver, or one too old for this build"},
    {34, "only the toolkit's stub of NVIDIA's driver is there"},
    {100, "the driver finds no device"},
    {46, "another process has the device for itself"},
    {999, "as the test wished"}};
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    char number[16];
    (void)snprintf(number, sizeof(number), "(%d)", cases[i].error);
    double_reset((size_t)1 << 30);
    double_fail(1, cases[i].error, true);
    const outcome_t outcome = run(&scene, &fw_double_cuda_device, EPISODES);
    assert_int_equal(outcome.ret, FW_RET_NO_DEVICE);
    assert_ptr_equal(strstr(outcome.note, "backend cuda: "), outcome.note);
    assert_non_null(strstr(outcome.note, cases[i].words));
    assert_non_null(strstr(outcome.note, number));
    assert_int_equal(double_calls(), 1);
  }
  double_reset(0);
  const outcome_t none = run(&scene, &fw_double_cuda_device, EPISODES);
  assert_string_equal(none.note, "backend cuda: there is no device 0: this machine has 0, numbered from 0");
  fw_batch_t batch;
  fw_error_t error = {0};
  const fw_batch_world_t world = {&scene.grid, scene.starts, scene.goals, ROBOTS};
  assert_int_equal(fw__batch_init_on(&batch, &world, &scene.options, NULL, &error), FW_RET_NO_DEVICE);
  assert_string_equal(error.text, "backend cuda: this library was built without CUDA");
  assert_null(batch.impl);
  fw_grid_fini(&scene.grid);
}

static void the_device_is_the_one_of_the_option(void ** state)
{
  (void)state;
  static scene_t scene;
  make(&scene, 72);
  const outcome_t cpu = run(&scene, NULL, EPISODES);
  assert_string_equal(cpu.device, "");
  for (int32_t number = 0; number < 4; ++number) {
    double_reset((size_t)1 << 30);
    double_set_count(3);
    scene.options.device = number;
    const outcome_t outcome = run(&scene, &fw_double_cuda_device, EPISODES);
    if (number == 3) {
      assert_int_equal(outcome.ret, FW_RET_NO_DEVICE);
      assert_string_equal(outcome.note, "backend cuda: there is no device 3: this machine has 3, numbered from 0");
      continue;
    }
    char name[32];
    (void)snprintf(name, sizeof(name), "Test double %d", (int)number);
    assert_string_equal(outcome.device, name);
    assert_int_equal(double_current(), number);
    assert_true(outcome.digest == cpu.digest);
  }
  scene.options.device = -1;
  assert_int_equal(run(&scene, &fw_double_cuda_device, EPISODES).ret, FW_RET_INVALID_ARGUMENT);
  fw_grid_fini(&scene.grid);
}

// ---- auto -----------------------------------------------------------------------------------------------------------

enum { MANY = FW_BATCH_DEVICE_ROBOTS_MIN };

typedef struct crowd_t {
  scene_t scene;
  fw_cell_t starts[3 * MANY + 1];
  fw_cell_t goals[3 * MANY + 1];
} crowd_t;

static void make_crowd(crowd_t * crowd, uint64_t number)
{
  make(&crowd->scene, number);
  for (int32_t r = 0; r < TEST_COUNT(crowd->starts); ++r) {
    crowd->starts[r] = crowd->scene.starts[r % ROBOTS];
    crowd->goals[r] = crowd->scene.goals[r % ROBOTS];
  }
  crowd->scene.options.backend = FW_BACKEND_AUTO;
}

// A clock for which a piece of work takes 1 ms, and a run on the device so much more or less.
static int64_t clock_ns, device_delay_ns;

static int64_t read_clock(void)
{
  clock_ns += 1000000;
  return clock_ns;
}

static bool run_delayed(
  struct fw_device_session_t * session, const fw_device_run_t * run_of, int32_t * done, char * text, size_t text_size)
{
  clock_ns += device_delay_ns;
  return fw_double_cuda_device.run(session, run_of, done, text, text_size);
}

static fw_device_t delayed_device(int64_t delay_ns)
{
  fw_device_t device = fw_double_cuda_device;
  device.run = run_delayed;
  device.now_ns = read_clock;
  device_delay_ns = delay_ns;
  return device;
}

// Few robots, or no device: the CPU, and a note that says why.
static void auto_says_why_it_is_the_cpu(void ** state)
{
  (void)state;
  static crowd_t crowd;
  make_crowd(&crowd, 74);
  static const struct {
    int32_t robots;
    int error;
    const char * note;
  } cases[] = {
    {MANY - 1, 0, "auto: a GPU is tried from 8192 robots on, these are 8191"},
    {MANY, 100,
     "backend cuda: the driver finds no device: cudaGetDeviceCount: as the test wished (100); using "
     "the CPU"}};
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_batch_t batch;
    const fw_batch_world_t world = {&crowd.scene.grid, crowd.starts, crowd.goals, cases[i].robots};
    double_reset((size_t)1 << 30);
    double_fail(cases[i].error == 0 ? 0 : 1, cases[i].error, false);
    assert_int_equal(fw__batch_init_on(&batch, &world, &crowd.scene.options, &fw_double_cuda_device, NULL), FW_RET_OK);
    assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
    assert_string_equal(fw_batch_stats(&batch).backend, "cpu");
    assert_string_equal(fw_batch_stats(&batch).note, cases[i].note);
    assert_string_equal(fw_batch_stats(&batch).device, "");
    fw_batch_fini(&batch);
  }
  fw_grid_fini(&crowd.scene.grid);
}

typedef struct trial_case_t {
  int64_t delay_ns;
  int32_t stride;  // episodes in a call
  bool is_sliced;
  const char * note;
} trial_case_t;

// The robots of the CPU, whichever is faster, and with whatever number of episodes in a call.
static void auto_measures_which_is_faster(void ** state)
{
  (void)state;
  static crowd_t crowd;
  static const trial_case_t cases[] = {
    {5000000, 1, false, "auto: 122.1 ns for a robot and episode on the CPU (threads: 1), "},
    {5000000, 70, false, "auto: 15.3 ns for a robot and episode on the CPU (threads: 1), "},
    {-900000, 1, false, "12.2 on Test double 0: using the GPU"},
    {-900000, 70, false, "1.5 on Test double 0: using the GPU"},
    {5000000, 1, true, "using the CPU"},
    {-900000, 70, true, "using the GPU"},
  };
  for (uint64_t number = 74; number <= 74 + REGIONS; number += REGIONS) {
    make_crowd(&crowd, number);
    fw_grid_fini(&crowd.scene.grid);
    assert_int_equal(fw_grid_init(&crowd.scene.grid, 200, 5, NULL, NULL), FW_RET_OK);
    memset(crowd.scene.grid.cost, 1, (size_t)fw_grid_cell_count(&crowd.scene.grid));
    for (fw_cell_t cell = 3; cell < fw_grid_cell_count(&crowd.scene.grid); cell += 11) {
      crowd.scene.grid.cost[cell] = 2;  // so that robots learn, and none is stuck
    }
    for (int32_t r = 0; r < TEST_COUNT(crowd.starts); ++r) {  // all are under way as long as it is measured
      crowd.starts[r] = 0;
      crowd.goals[r] = fw_grid_cell_count(&crowd.scene.grid) - 1;
    }
    crowd.scene.options.moves = 1;
    const fw_batch_world_t world = {&crowd.scene.grid, crowd.starts, crowd.goals, MANY};
    fw_batch_t batch;
    fw_batch_options_t options = crowd.scene.options;
    options.backend = FW_BACKEND_CPU;
    assert_int_equal(fw__batch_init_on(&batch, &world, &options, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_batch_run(&batch, EPISODES, NULL), FW_RET_OK);
    const uint64_t digest = digest_batch(&batch, &crowd.scene);
    fw_batch_fini(&batch);
    for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
      const fw_device_t device = delayed_device(cases[i].delay_ns);
      double_reset((size_t)1 << 30);
      options = crowd.scene.options;
      options.device_memory_max_bytes = cases[i].is_sliced ? (size_t)2 << 20 : 0;
      assert_int_equal(fw__batch_init_on(&batch, &world, &options, &device, NULL), FW_RET_OK);
      for (int32_t done = 0; done < EPISODES; done += cases[i].stride) {
        assert_int_equal(fw_batch_run(&batch, cases[i].stride, NULL), FW_RET_OK);
      }
      assert_true(digest_batch(&batch, &crowd.scene) == digest);
      assert_non_null(strstr(fw_batch_stats(&batch).note, cases[i].note));
      const bool is_device = cases[i].delay_ns < 0;
      assert_string_equal(fw_batch_stats(&batch).backend, is_device ? "cuda" : "cpu");
      assert_string_equal(fw_batch_stats(&batch).device, is_device ? "Test double 0" : "");
      assert_true(is_device == (double_live() > 0));  // it is given back at once
      fw_batch_fini(&batch);
      assert_int_equal(double_live(), 0);
    }
    fw_grid_fini(&crowd.scene.grid);
  }
}

// A device that fails while it is compared: the robots of the CPU, and the note says what failed.
static void a_device_may_fail_while_it_is_compared(void ** state)
{
  (void)state;
  static crowd_t crowd;
  const fw_device_t device = delayed_device(5000000);
  make_crowd(&crowd, 74 + REGIONS);
  const fw_batch_world_t world = {&crowd.scene.grid, crowd.starts, crowd.goals, MANY};
  uint64_t digest = 0;
  int calls = 1;
  for (int call = 0; call <= calls; call += 1 + call / 12) {
    fw_batch_t batch;
    double_reset((size_t)1 << 30);
    double_fail(call, 719, true);
    assert_int_equal(fw__batch_init_on(&batch, &world, &crowd.scene.options, &device, NULL), FW_RET_OK);
    for (int32_t done = 0; done < 10; ++done) {
      assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
    }
    if (call == 0) {
      digest = digest_batch(&batch, &crowd.scene);
      calls = double_calls();
      assert_non_null(strstr(fw_batch_stats(&batch).note, "using the CPU"));
    }
    assert_true(digest_batch(&batch, &crowd.scene) == digest);
    assert_string_equal(fw_batch_stats(&batch).backend, "cpu");
    fw_batch_fini(&batch);
    assert_int_equal(double_live(), 0);
  }
  assert_true(calls > 20);
  fw_grid_fini(&crowd.scene.grid);
}

// `auto` uses the devices that are there, as long as each has enough robots.
static void auto_uses_as_many_devices_as_pay(void ** state)
{
  (void)state;
  static crowd_t crowd;
  const fw_device_t device = delayed_device(-900000);
  make_crowd(&crowd, 74);
  static const struct {
    int devices;  // that are there
    const char * name;
    const char * names;
  } cases[] = {
    {1, NULL, "Test double 0"},
    {2, NULL, "Test double 0, Test double 1"},
    {2, "Card", "2 x Card"},
    {3, "Card", "3 x Card"},
    {4, "Card", "3 x Card"}};
  crowd.scene.options.devices = 4;
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_batch_t batch;
    const fw_batch_world_t world = {&crowd.scene.grid, crowd.starts, crowd.goals, TEST_COUNT(crowd.starts)};
    double_reset((size_t)1 << 30);
    double_set_count(cases[i].devices);
    double_set_name(cases[i].name);
    assert_int_equal(fw__batch_init_on(&batch, &world, &crowd.scene.options, &device, NULL), FW_RET_OK);
    for (int32_t run_count = 0; run_count < 8; ++run_count) {
      assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
    }
    assert_string_equal(fw_batch_stats(&batch).backend, "cuda");
    assert_non_null(strstr(fw_batch_stats(&batch).note, "using the GPU"));
    assert_string_equal(fw_batch_stats(&batch).device, cases[i].names);
    fw_batch_fini(&batch);
  }
  fw_grid_fini(&crowd.scene.grid);
}

static void too_little_memory_is_told(void ** state)
{
  (void)state;
  static scene_t scene;
  make(&scene, 70);
  double_reset(5000);
  const outcome_t tiny = run(&scene, &fw_double_cuda_device, EPISODES);
  assert_int_equal(tiny.ret, FW_RET_NO_DEVICE);
  assert_non_null(strstr(tiny.note, "bytes of device memory are too few"));
  assert_int_equal(double_live(), 0);
  fw_grid_fini(&scene.grid);
}

static void a_device_that_has_failed_is_not_asked_again(void ** state)
{
  (void)state;
  static scene_t scene;
  make(&scene, 80);
  double_reset((size_t)1 << 30);
  (void)run(&scene, &fw_double_cuda_device, 7);
  const int calls = double_calls();
  double_reset((size_t)1 << 30);
  double_fail(16, 719, false);  // in the first run
  const outcome_t outcome = run(&scene, &fw_double_cuda_device, 7);
  assert_string_equal(outcome.backend, "cpu");
  assert_string_equal(outcome.device, "");
  assert_true(double_calls() < calls);  // no more than it takes to give everything back
  assert_true(double_calls() < 16 + 12);
  fw_grid_fini(&scene.grid);
}

// ---- the real runtime -----------------------------------------------------------------------------------------------

// Where the library has it: a GPU gives the robots of the CPU; without one there is a line, and the CPU's robots.
static void the_built_in_device_answers_or_says_why_not(void ** state)
{
  (void)state;
  const fw_device_t * device = fw__device_built_in();
  if (device == NULL) {
    assert_string_equal(fw__cuda_status(), "built without CUDA");
    skip();
  }
  for (uint64_t number = 0; number < 4; ++number) {
    static scene_t scene;
    make(&scene, number);
    const outcome_t cpu = run(&scene, NULL, EPISODES);
    const outcome_t gpu = run(&scene, device, EPISODES);
    if (strstr(fw__cuda_status(), "no device") != NULL) {
      assert_int_equal(gpu.ret, FW_RET_NO_DEVICE);
      assert_non_null(strstr(gpu.note, "cudaGetDeviceCount"));
    } else {
      assert_true(gpu.digest == cpu.digest);
      assert_string_equal(gpu.backend, "cuda");
    }
    fw_grid_fini(&scene.grid);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_device_gives_the_robots_of_the_cpu),
    cmocka_unit_test(a_small_device_takes_the_batch_in_parts),
    cmocka_unit_test(what_robots_see_is_known_on_the_device_too),
    cmocka_unit_test(without_shared_memory_the_stages_are_launched_one_by_one),
    cmocka_unit_test(the_pool_of_lanes_fits_into_shared_memory),
    cmocka_unit_test(every_lookahead_is_fused),
    cmocka_unit_test(a_run_ends_when_all_have_arrived),
    cmocka_unit_test(robots_that_have_arrived_take_no_blocks),
    cmocka_unit_test(slices_are_copied_while_others_run),
    cmocka_unit_test(whatever_call_fails_the_answer_is_the_same),
    cmocka_unit_test(parts_that_are_done_stay_done),
    cmocka_unit_test(a_device_that_is_required_and_cannot_be_used_is_an_error),
    cmocka_unit_test(the_device_is_the_one_of_the_option),
    cmocka_unit_test(auto_says_why_it_is_the_cpu),
    cmocka_unit_test(auto_measures_which_is_faster),
    cmocka_unit_test(a_device_may_fail_while_it_is_compared),
    cmocka_unit_test(auto_uses_as_many_devices_as_pay),
    cmocka_unit_test(too_little_memory_is_told),
    cmocka_unit_test(a_device_that_has_failed_is_not_asked_again),
    cmocka_unit_test(the_built_in_device_answers_or_says_why_not),
  };
  return TEST_RUN(tests);
}
