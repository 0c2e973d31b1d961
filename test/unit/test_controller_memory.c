// Each allocation of a short run fails in turn: nothing breaks, nobody collides, nothing leaks, and the fleet goes on
// as soon as there is memory again.
//
// The controller has no allocator of its own, so that this program replaces malloc, calloc and realloc. That needs
// glibc, and no address sanitizer, which replaces them itself.

#include "unit/test_controller_scene.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_REPLACE_MALLOC 1
#else
#define CAN_REPLACE_MALLOC 0
#endif

#if CAN_REPLACE_MALLOC

extern void * __libc_malloc(size_t size);
extern void * __libc_calloc(size_t count, size_t size);
extern void * __libc_realloc(void * block, size_t size);
extern void __libc_free(void * block);

static struct {
  bool is_counting;
  int64_t calls;
  int64_t live;
  int64_t fail_at;     // the first call that fails; 0: none
  int64_t fail_count;  // how many fail from there on
} heap;

static bool fails(void)
{
  if (!heap.is_counting) {
    return false;
  }
  heap.calls += 1;
  return heap.fail_at > 0 && heap.calls >= heap.fail_at && heap.calls < heap.fail_at + heap.fail_count;
}

static void * count_block(void * block)
{
  heap.live += heap.is_counting && block != NULL ? 1 : 0;
  return block;
}

void * malloc(size_t size) { return fails() ? NULL : count_block(__libc_malloc(size)); }
void * calloc(size_t count, size_t size) { return fails() ? NULL : count_block(__libc_calloc(count, size)); }
void * realloc(void * block, size_t size)
{
  if (fails()) {
    return NULL;
  }
  return block == NULL ? count_block(__libc_realloc(NULL, size)) : __libc_realloc(block, size);
}
void free(void * block)
{
  heap.live -= heap.is_counting && block != NULL ? 1 : 0;
  __libc_free(block);
}

// Calls again until it works; memory comes back after `fail_count` calls at the latest.
#define INSIST(call)                                                                \
  do {                                                                              \
    int32_t tries = 0;                                                              \
    while ((call) != FW_RET_OK) {                                                   \
      assert_in_range(++tries, 1, 1000);                                            \
      assert_true(heap.fail_at > 0 && strstr(scene->error.text, "memory") != NULL); \
      if (scene->controller.impl != NULL) {                                         \
        scene_update(scene); /* with what the failed call left behind */            \
      }                                                                             \
    }                                                                               \
  } while (0)

static void drive(scene_t * scene, fw_execution_mode_t mode)
{
  static const char * const doors[] = {"door"};
  static const char * const rows[] = {"a.......", "........", "b.......", "........"};
  *scene = scene_make();
  scene->options.settings.execution_mode = mode;
  scene->options.closure_names = doors;
  scene->options.closure_count = 1;
  heap.is_counting = true;
  scene_draw(scene, rows, 4);
  INSIST(fw_controller_init(&scene->controller, &scene->options, &scene->error));
  INSIST(scene_send_robots(scene));
  INSIST(scene_send_map(scene));
  const fw_timed_waypoint_t closed[] = {
    {scene->now_ns, scene_place(5, 1), NAN}, {scene->now_ns + INT64_C(30000000000), scene_place(5, 1), NAN}};
  INSIST(fw_controller_set_closures(&scene->controller, 0, closed, 2, scene->now_ns, &scene->error));
  uint64_t a = 0, b = 0, c = 0;
  INSIST(scene_send_goal(scene, 'a', scene_goal_at(7, 2), &a));
  fw_goal_request_t queued = scene_goal_at(0, 0);
  queued.is_queued = true;
  INSIST(scene_send_goal(scene, 'a', queued, &c));
  INSIST(scene_send_goal(scene, 'b', scene_goal_at(7, 0), &b));
  scene_run(scene, 2.5);
  const fw_point_t centre = scene_place(6, 1);
  const fw_obstacle_cells_t obstacles = {.width = 0.4, .height = 0.4, .centres = &centre, .count = 1};
  INSIST(fw_controller_set_obstacles(&scene->controller, &obstacles, scene->now_ns, &scene->error));
  scene->values[3 + 8] = 100;  // a map with the same frame
  INSIST(scene_send_map(scene));
  scene_robot(scene, 'c')->is_listed = scene_robot(scene, 'c')->is_there = true;
  scene_robot(scene, 'c')->at = scene_place(0, 3);
  scene_robot(scene, 'c')->footprint_m = "[[0.2, 0.1], [0.2, -0.1], [-0.2, 0.0]]";
  scene_robot(scene, 'c')->speed = 0.3;
  INSIST(scene_send_robots(scene));
  scene_run(scene, 1.5);
  (void)snprintf(scene->options.settings.planner.name, sizeof scene->options.settings.planner.name, "whca");
  INSIST(fw_controller_set_settings(&scene->controller, &scene->options.settings, scene->now_ns, &scene->error));
  scene_run(scene, 90.0);
  if (
    scene_count(scene, a, FW_GOAL_REACHED) != 1 || scene_count(scene, b, FW_GOAL_REACHED) != 1 ||
    scene_count(scene, c, FW_GOAL_REACHED) != 1) {
    heap.is_counting = false;
    scene_print(scene);
    fail_msg(
      "allocations from %lld on failed: goals are not reached; %s", (long long)heap.fail_at,
      fw_controller_status(&scene->controller, scene->now_ns).fault);
  }
  scene_end(scene);
  heap.is_counting = false;
}

// Runs with a failure at each allocation, or at each `stride`-th.
static void fail_each(fw_execution_mode_t mode, int64_t fail_count)
{
  static scene_t scene;
  memset(&heap, 0, sizeof heap);
  drive(&scene, mode);
  assert_int_equal(heap.live, 0);
  const int64_t calls = heap.calls;
  const int64_t runs = test_rounds(400);
  const int64_t stride = calls / runs + 1;
  assert_true(calls > 50);  // most memory is used again
  for (int64_t at = 1; at <= calls; at += stride) {
    memset(&heap, 0, sizeof heap);
    heap.fail_at = at;
    heap.fail_count = fail_count;
    drive(&scene, mode);
    assert_int_equal(heap.live, 0);
  }
}

static void one_allocation_fails(void ** state)
{
  (void)state;
  fail_each(FW_EXECUTION_MODE_DEPENDENCY, 1);
  fail_each(FW_EXECUTION_MODE_TIMED, 1);
}

static void many_allocations_fail(void ** state)
{
  (void)state;
  fail_each(FW_EXECUTION_MODE_DEPENDENCY, 40);
  fail_each(FW_EXECUTION_MODE_TIMED, 40);
}

#else

static void one_allocation_fails(void ** state)
{
  (void)state;
  skip();
}

static void many_allocations_fail(void ** state)
{
  (void)state;
  skip();
}

#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_allocation_fails),
    cmocka_unit_test(many_allocations_fail),
  };
  return TEST_RUN(tests);
}
