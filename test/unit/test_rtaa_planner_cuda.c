// The planner `rtaa` on a double of the CUDA runtime: the plans of the CPU, and statistics that say where they were
// computed. The double is the built-in device here: this program has the functions of cuda/built_in.c itself.

#include <stdio.h>

#include "double.h"
#include "fleetweave/planner_def.h"
#include "fleetweave_cuda.h"
#include "support/digest.h"
#include "support/test.h"
#include "support/world.h"

const fw_device_t * fw__device_built_in(void) { return &fw_double_cuda_device; }
const char * fw__cuda_status(void) { return "built with a test double"; }

typedef struct answer_t {
  fw_planner_t planner;
  fw_plan_t plan;
} answer_t;

static const char * const memories[] = {"regions", "window"};  // the default first

static void solve(answer_t * answer, const fw_problem_t * problem, const char * backend, const char * memory)
{
  assert_int_equal(fw_planner_init(&answer->planner, "rtaa", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&answer->planner, "memory", memory, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&answer->planner, "backend", backend, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&answer->planner, problem, NULL, &answer->plan, NULL), FW_RET_OK);
}

static void plans_are_those_of_the_cpu_and_say_where_they_come_from(void ** state)
{
  (void)state;
  for (uint64_t number = 0; number < 12; ++number) {
    world_t world;
    answer_t cpu, gpu;
    const char * memory = memories[number % 2];
    world_make(&world, 8000 + number / 2, WORLD_DIAGONALS | WORLD_ROBUST | WORLD_COSTS | WORLD_PRIORITIES, 20);
    double_reset((size_t)1 << 30);
    solve(&cpu, &world.problem, "cpu", memory);
    assert_int_equal(double_calls(), 0);
    solve(&gpu, &world.problem, "cuda", memory);
    assert_true(digest_plan(&cpu.plan) == digest_plan(&gpu.plan));
    if (world.problem.robot_count > 0 && gpu.plan.outcome != FW_OUTCOME_UNSOLVABLE) {
      assert_string_equal(cpu.plan.stats.backend, "cpu");
      assert_string_equal(cpu.plan.stats.device, "");
      assert_string_equal(gpu.plan.stats.backend, "cuda");
      assert_string_equal(gpu.plan.stats.device, "Test double 0");
      assert_string_equal(gpu.plan.stats.note, "");
    }
    fw_planner_fini(&cpu.planner);
    fw_planner_fini(&gpu.planner);
    assert_int_equal(double_live(), 0);
    world_fini(&world);
  }
}

static void a_required_device_that_is_not_there_is_refused(void ** state)
{
  (void)state;
  fw_planner_t planner;
  fw_error_t error = {0};
  char text[16];
  double_reset((size_t)1 << 30);
  assert_int_equal(fw_planner_init(&planner, "rtaa", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "device", "1", NULL), FW_RET_OK);  // nobody requires it yet
  assert_int_equal(fw_planner_set(&planner, "backend", "cuda", &error), FW_RET_NO_DEVICE);
  assert_string_equal(error.text, "backend cuda: there is no device 1: this machine has 1, numbered from 0");
  assert_int_equal(fw_planner_get(&planner, "backend", text, sizeof(text), NULL), FW_RET_OK);
  assert_string_equal(text, "cpu");  // the old value stays
  assert_int_equal(fw_planner_set(&planner, "device", "0", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "backend", "cuda", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "device", "1", NULL), FW_RET_NO_DEVICE);
  fw_planner_fini(&planner);
}

// With the defaults of all other parameters.
static void a_device_plans_with_the_defaults(void ** state)
{
  (void)state;
  world_t world;
  fw_planner_t planner;
  fw_plan_t plan;
  char memory[16];
  world_make(&world, 8001, WORLD_DIAGONALS, 20);
  double_reset((size_t)1 << 30);
  assert_int_equal(fw_planner_init(&planner, "rtaa", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "backend", "cuda", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, &world.problem, NULL, &plan, NULL), FW_RET_OK);
  assert_string_equal(plan.stats.backend, "cuda");
  assert_string_equal(plan.stats.note, "");
  assert_int_equal(fw_planner_get(&planner, "memory", memory, sizeof(memory), NULL), FW_RET_OK);
  assert_string_equal(memory, "regions");
  fw_planner_fini(&planner);
  world_fini(&world);
}

// The controller sets the parameters of a node in the order of the table, so those that `backend` needs come first.
static void parameters_can_be_set_in_the_order_of_their_table(void ** state)
{
  (void)state;
  fw_planner_t planner;
  double_reset((size_t)1 << 30);
  assert_int_equal(fw_planner_init(&planner, "rtaa", NULL, NULL), FW_RET_OK);
  const fw_planner_def_t * def = fw_planner_definition(&planner);
  for (int32_t k = 0; k < def->parameter_count; ++k) {
    const char * name = def->parameters[k].name;
    const char * value = strcmp(name, "backend") == 0 ? "cuda" : strcmp(name, "device") == 0 ? "0" : NULL;
    assert_true(value == NULL || fw_planner_set(&planner, name, value, NULL) == FW_RET_OK);
  }
  fw_planner_fini(&planner);
}

// Robots on two devices have the plan of one; a device that is not there is refused.
static void robots_are_divided_among_devices(void ** state)
{
  (void)state;
  static fw_robot_t robots[300];
  const fw_grid_t grid = {.width = 40, .height = 40, .cost = (uint8_t[1600]){0}};
  memset(grid.cost, 1, 1600);
  for (int32_t r = 0; r < 300; ++r) {
    robots[r] = (fw_robot_t){.start = r * 5, .goal = (r * 5 + 800) % 1600};
  }
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 300, .connectivity = 4};
  uint64_t digests[4];
  for (int32_t i = 0; i < 4; ++i) {
    fw_planner_t planner;
    fw_plan_t plan;
    fw_error_t error = {0};
    double_reset((size_t)1 << 30);
    double_set_count(2);
    assert_int_equal(fw_planner_init(&planner, "rtaa", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "memory", memories[i / 2], NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "devices", i % 2 == 0 ? "1" : "2", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "backend", "cuda", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "devices", "3", &error), FW_RET_NO_DEVICE);
    assert_non_null(strstr(error.text, "there is no device 2: this machine has 2"));
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    assert_string_equal(plan.stats.device, i % 2 == 0 ? "Test double 0" : "Test double 0, Test double 1");
    digests[i] = digest_plan(&plan);
    fw_planner_fini(&planner);
    assert_int_equal(double_live(), 0);
  }
  assert_true(digests[0] == digests[1] && digests[2] == digests[3]);
}

// Between the setting and the solve the driver may have gone: an error, not a plan of the CPU.
static void a_device_that_is_gone_when_planning_begins_is_an_error(void ** state)
{
  (void)state;
  world_t world;
  fw_planner_t planner;
  fw_plan_t plan;
  fw_error_t error = {0};
  world_make(&world, 8001, WORLD_DIAGONALS, 20);
  double_reset((size_t)1 << 30);
  assert_int_equal(fw_planner_init(&planner, "rtaa", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "backend", "cuda", NULL), FW_RET_OK);
  double_fail(1, 100, true);
  assert_int_equal(fw_planner_solve(&planner, &world.problem, NULL, &plan, &error), FW_RET_NO_DEVICE);
  assert_non_null(strstr(error.text, "the driver finds no device"));
  double_reset((size_t)1 << 30);
  assert_int_equal(fw_planner_solve(&planner, &world.problem, NULL, &plan, &error), FW_RET_OK);
  fw_planner_fini(&planner);
  world_fini(&world);
}

static void a_device_that_is_lost_is_in_the_note(void ** state)
{
  (void)state;
  world_t world;
  world_make(&world, 8001, WORLD_DIAGONALS, 20);
  for (int32_t i = 0; i < TEST_COUNT(memories); ++i) {
    answer_t cpu, gpu;
    double_reset((size_t)1 << 30);
    solve(&cpu, &world.problem, "cpu", memories[i]);
    assert_int_equal(fw_planner_init(&gpu.planner, "rtaa", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&gpu.planner, "memory", memories[i], NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&gpu.planner, "backend", "cuda", NULL), FW_RET_OK);
    double_fail(40, 719, true);
    assert_int_equal(fw_planner_solve(&gpu.planner, &world.problem, NULL, &gpu.plan, NULL), FW_RET_OK);
    assert_true(digest_plan(&cpu.plan) == digest_plan(&gpu.plan));
    assert_string_equal(gpu.plan.stats.backend, "cpu");
    assert_non_null(strstr(gpu.plan.stats.note, "the device was lost"));
    assert_non_null(strstr(gpu.plan.stats.note, "going on with the CPU"));
    fw_planner_fini(&cpu.planner);
    fw_planner_fini(&gpu.planner);
    assert_int_equal(double_live(), 0);
  }
  world_fini(&world);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(plans_are_those_of_the_cpu_and_say_where_they_come_from),
    cmocka_unit_test(a_required_device_that_is_not_there_is_refused),
    cmocka_unit_test(a_device_plans_with_the_defaults),
    cmocka_unit_test(parameters_can_be_set_in_the_order_of_their_table),
    cmocka_unit_test(robots_are_divided_among_devices),
    cmocka_unit_test(a_device_that_is_gone_when_planning_begins_is_an_error),
    cmocka_unit_test(a_device_that_is_lost_is_in_the_note),
  };
  return TEST_RUN(tests);
}
