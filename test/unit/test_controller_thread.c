// The controller while its worker's thread solves: facts, settings, lists and ends of every kind arrive in between.
// Which update sees which result depends on the machine; what must hold does not. Built with the thread sanitizer, this
// is where a race between both threads shows (`./run test`).

#include <sched.h>
#include <stdatomic.h>

#include "test_controller_scene.h"

static atomic_int log_lines, results;

static void count_line(void * context, fw_log_level_t level, const char * text)
{
  (void)context, (void)level, (void)text;
  atomic_fetch_add(&log_lines, 1);
}

static void count_result(void * context)
{
  (void)context;
  atomic_fetch_add(&results, 1);
}

static scene_t make_scene(const char * planner)
{
  scene_t scene = scene_make();
  scene.options.worker = FW_CONTROLLER_WORKER_THREAD;
  scene.options.settings.time_limit = 10.0;
  scene.options.log = count_line;
  scene.options.on_result = count_result;
  (void)snprintf(scene.options.settings.planner.name, sizeof scene.options.settings.planner.name, "%s", planner);
  atomic_store(&results, 0);
  return scene;
}

// What changes beside the thread, one kind after the other.
static void change_something(scene_t * scene, int32_t k)
{
  const double cells[][2] = {{3 + k % 5, 1}, {5, 2}};
  const char name = (char)('a' + k % 4);
  fw_controller_settings_t settings = scene->options.settings;
  switch (k % 8) {
    case 0:
      scene_block(scene, cells, k % 3);
      break;
    case 1:
      (void)scene_goal(scene, name, 2 * ((k / 8) % 6), 0);
      break;
    case 2:
      (void)scene_queue_goal(scene, name, (k / 8) % 12, 3);
      break;
    case 3:
      scene->values[scene->width * 2 + 9] = (int8_t)(k % 16 < 8 ? 100 : 0);
      assert_int_equal(scene_send_map(scene), FW_RET_OK);
      break;
    case 4:
      settings.plan_tolerance += 0.001 * (k % 7);
      assert_int_equal(
        fw_controller_set_settings(&scene->controller, &settings, scene->now_ns, &scene->error), FW_RET_OK);
      break;
    case 5:
      (void)fw_controller_robot_status(&scene->controller, scene_slot(scene, name), scene->now_ns);
      break;
    case 6:
      assert_int_equal(scene_send_robots(scene), FW_RET_OK);
      break;
    default:
      scene_robot(scene, name)->is_silent = k % 16 < 8;
      break;
  }
}

// The fleet's clock runs ahead of the thread, as on a machine that is too slow; robots that obey stay apart all the
// same, and when the changes end every robot reaches its last goal.
static void changes_while_the_thread_solves(void ** state)
{
  (void)state;
  static const char * const planners[] = {"hca", "whca"};
  for (int32_t p = 0; p < TEST_COUNT(planners); ++p) {
    static scene_t scene;
    scene = make_scene(planners[p]);
    SCENE(&scene, "a..........b", "............", "............", "c..........d");
    for (int32_t k = 0; k < 200; ++k) {
      change_something(&scene, k);
      scene_step(&scene);
    }
    const double none[][2] = {{0, 0}};
    scene_block(&scene, none, 0);
    for (int32_t k = 0; k < 4; ++k) {
      scene.robots[k].is_silent = false;
    }
    uint64_t goals[4];
    for (int32_t k = 0; k < 4; ++k) {
      goals[k] = scene_goal(&scene, (char)('a' + k), 3 * k, 1);
    }
    for (int32_t k = 0; k < 4; ++k) {
      // A step is as long as the thread takes for a result, or the clock would run away from a slow machine.
      for (int32_t step = 0; step < 20000 && scene_ends(&scene, goals[k]) == 0; ++step) {
        while (fw__round_worker_state(&scene.controller.impl->worker) == FW_ROUND_WORKER_BUSY) {
          (void)sched_yield();
        }
        scene_step(&scene);
      }
      assert_int_equal(scene_count(&scene, goals[k], FW_GOAL_REACHED), 1);
    }
    assert_true(atomic_load(&results) > 0);
    scene_end(&scene);
  }
}

// The end comes while the thread solves, has not begun, or is idle.
static void the_end_comes_at_any_moment(void ** state)
{
  (void)state;
  for (int32_t k = 0; k < 20; ++k) {
    static scene_t scene;
    scene = make_scene("hca");
    SCENE(&scene, "a..........b", "............", "############", "c..........d");
    (void)scene_goal(&scene, 'a', 11, 1);
    (void)scene_goal(&scene, 'c', 5, 3);
    for (int32_t step = 0; step < k; ++step) {
      scene_step(&scene);
    }
    scene_end(&scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(changes_while_the_thread_solves),
    cmocka_unit_test(the_end_comes_at_any_moment),
  };
  return TEST_RUN(tests);
}
