// The life of a controller: settings, what it waits for, driving, determinism.

#include <pthread.h>
#include <time.h>

#include "unit/test_controller_scene.h"

// ---- settings -------------------------------------------------------------------------------------------------------

static void expect_refused(void (*spoil)(fw_controller_settings_t * settings), const char * name)
{
  fw_controller_t controller = {0};
  fw_controller_options_t options = fw_controller_options_default();
  options.worker = FW_CONTROLLER_WORKER_INLINE;
  fw_error_t error = {0};
  spoil(&options.settings);
  assert_int_equal(fw_controller_init(&controller, &options, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, name));
  assert_null(controller.impl);
  fw_controller_fini(&controller);
  // The same while a controller lives: the old settings stay.
  options.settings = fw_controller_settings_default();
  assert_int_equal(fw_controller_init(&controller, &options, &error), FW_RET_OK);
  spoil(&options.settings);
  error = (fw_error_t){0};
  assert_int_equal(fw_controller_set_settings(&controller, &options.settings, 1, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, name));
  const fw_controller_settings_t defaults = fw_controller_settings_default();
  assert_memory_equal(&controller.impl->settings, &defaults, sizeof defaults);
  fw_controller_fini(&controller);
  fw_controller_fini(&controller);  // twice does nothing
}

static void spoil_speed(fw_controller_settings_t * settings) { settings->speed = 0.0; }
static void spoil_radius(fw_controller_settings_t * settings) { settings->robot_radius = NAN; }
static void spoil_free(fw_controller_settings_t * settings) { settings->free_thresh = 0.9; }
static void spoil_connectivity(fw_controller_settings_t * settings) { settings->connectivity = 6; }
static void spoil_planner(fw_controller_settings_t * settings) { settings->planner.name[0] = 'x'; }
static void spoil_horizon(fw_controller_settings_t * settings) { settings->horizon = -1; }
static void spoil_timeout(fw_controller_settings_t * settings) { settings->odom_timeout = -1.0; }
static void spoil_limit(fw_controller_settings_t * settings) { settings->time_limit = INFINITY; }
static void spoil_mode(fw_controller_settings_t * settings) { settings->execution_mode = (fw_execution_mode_t)7; }
static void spoil_expansions(fw_controller_settings_t * settings) { settings->expansions_max = -1; }

static void settings_out_of_range_are_refused_by_name(void ** state)
{
  (void)state;
  expect_refused(spoil_speed, "speed");
  expect_refused(spoil_radius, "robot_radius");
  expect_refused(spoil_free, "free_thresh");
  expect_refused(spoil_connectivity, "connectivity");
  expect_refused(spoil_planner, "planner");
  expect_refused(spoil_horizon, "horizon");
  expect_refused(spoil_timeout, "odom_timeout");
  expect_refused(spoil_limit, "time_limit");
  expect_refused(spoil_mode, "execution_mode");
  expect_refused(spoil_expansions, "expansions_max");
}

// ---- what it waits for ----------------------------------------------------------------------------------------------

static const char * not_ready(const scene_t * scene)
{
  const char * reason = fw_controller_status(&scene->controller, scene->now_ns).not_ready;
  return reason == NULL ? "" : reason;
}

static void what_is_missing_is_said(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  assert_int_equal(fw_controller_init(&scene.controller, &scene.options, &scene.error), FW_RET_OK);
  scene_update(&scene);
  assert_non_null(strstr(not_ready(&scene), "map"));
  scene_draw(&scene, (const char * const[]){"a.."}, 1);
  assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  scene_update(&scene);
  assert_non_null(strstr(not_ready(&scene), "robots"));
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  scene_update(&scene);
  assert_non_null(strstr(not_ready(&scene), "pose"));
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_WAITING);
  scene_run(&scene, 1.0);
  assert_string_equal(not_ready(&scene), "");
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_IDLE);
  fw_controller_set_rival(&scene.controller, "another");
  assert_non_null(strstr(not_ready(&scene), "another"));
  fw_controller_set_rival(&scene.controller, NULL);
  scene_update(&scene);
  assert_non_null(strstr(not_ready(&scene), "another"));  // what it released is still driven
  scene_run(&scene, 2.0);
  assert_string_equal(not_ready(&scene), "");
  scene_end(&scene);
}

// The caller's reason counts until the caller takes it back.
static void nothing_is_planned_while_the_caller_is_not_ready(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....");
  fw_controller_set_not_ready(&scene.controller, "nobody listens");
  const uint64_t id = scene_goal(&scene, 'a', 4, 0);
  scene_run(&scene, 8.0);
  assert_string_equal(not_ready(&scene), "nobody listens");
  assert_int_equal(scene_released(&scene, 'a').count, 0);
  fw_controller_set_not_ready(&scene.controller, NULL);
  scene_until_ended(&scene, id, 20.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// ---- driving --------------------------------------------------------------------------------------------------------

static void swap(scene_t * scene, uint64_t ids[2])
{
  SCENE(scene, "#####.#####", "a.........b", "###########");
  ids[0] = scene_goal(scene, 'a', 10, 1);
  ids[1] = scene_goal(scene, 'b', 0, 1);
  scene_until_ended(scene, ids[0], 120.0);
  if (scene_ends(scene, ids[1]) == 0) {
    scene_until_ended(scene, ids[1], 120.0);
  }
}

static void two_robots_swap_in_a_corridor_with_a_bay(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  uint64_t ids[2];
  swap(&scene, ids);
  for (int32_t k = 0; k < 2; ++k) {
    assert_int_equal(scene_count(&scene, ids[k], FW_GOAL_ACCEPTED), 1);
    assert_int_equal(scene_count(&scene, ids[k], FW_GOAL_ACTIVE), 1);
    assert_int_equal(scene_count(&scene, ids[k], FW_GOAL_REACHED), 1);
  }
  assert_true(scene_is_at(&scene, 'a', 10, 1) && scene_is_at(&scene, 'b', 0, 1));
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_ARRIVED);
  assert_int_equal(scene_status(&scene, 'a').goal, 0);
  assert_true(scene.nearest >= 0.45);
  // Nothing more happens.
  const int32_t events = scene.event_count;
  const int64_t revision = scene_released(&scene, 'a').revision;
  scene_run(&scene, 30.0);
  assert_int_equal(scene.event_count, events);
  assert_int_equal(scene_released(&scene, 'a').revision, revision);
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_ARRIVED);
  const fw_controller_status_t status = fw_controller_status(&scene.controller, scene.now_ns);
  assert_int_equal(status.outcome, FW_OUTCOME_SOLVED);
  assert_string_equal(status.fault, "");
  assert_true(status.rounds > 0);
  scene_end(&scene);
}

static void every_planner_and_mode_swaps_two_robots(void ** state)
{
  (void)state;
  static scene_t scene;
  for (int32_t p = 0; p < fw_planner_def_count(); ++p) {
    for (int32_t mode = 0; mode < 2; ++mode) {
      scene = scene_make();
      scene.options.settings.execution_mode = (fw_execution_mode_t)mode;
      scene.options.settings.expansions_max = 2000000;
      (void)snprintf(
        scene.options.settings.planner.name, sizeof scene.options.settings.planner.name, "%s",
        fw_planner_def_at(p)->name);
      SCENE(&scene, ".....", ".a.b.", ".....");
      const uint64_t a = scene_goal(&scene, 'a', 4, 1), b = scene_goal(&scene, 'b', 0, 1);
      scene_run(&scene, 60.0);
      if (scene_count(&scene, a, FW_GOAL_REACHED) != 1 || scene_count(&scene, b, FW_GOAL_REACHED) != 1) {
        fail_msg("%s, mode %d: a goal is not reached", fw_planner_def_at(p)->name, mode);
      }
      scene_end(&scene);
    }
  }
}

static void the_same_calls_give_the_same_bytes(void ** state)
{
  (void)state;
  static scene_t one, two;
  uint64_t ids[2];
  one = two = scene_make();
  swap(&one, ids);
  two.options.worker = FW_CONTROLLER_WORKER_INLINE;
  swap(&two, ids);
  assert_true(one.digest == two.digest);
  assert_int_equal(one.now_ns, two.now_ns);
  scene_end(&one);
  // The digest is not blind: one call more changes it.
  scene_end(&two);
  two = scene_make();
  SCENE(&two, "#####.#####", "a.........b", "###########");
  (void)scene_goal(&two, 'a', 9, 1);
  scene_run(&two, 10.0);
  assert_true(one.digest != two.digest);
  scene_end(&two);
}

// ---- the worker's thread --------------------------------------------------------------------------------------------

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int64_t results;
} heard = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void hear_result(void * context)
{
  (void)context;
  pthread_mutex_lock(&heard.mutex);
  heard.results += 1;
  pthread_cond_signal(&heard.changed);
  pthread_mutex_unlock(&heard.mutex);
}

// Waits until the worker has told of its result.
static void wait_for_result(int64_t results)
{
  struct timespec end;
  assert_int_equal(clock_gettime(CLOCK_REALTIME, &end), 0);
  end.tv_sec += 120;
  pthread_mutex_lock(&heard.mutex);
  while (heard.results < results) {
    assert_int_equal(pthread_cond_timedwait(&heard.changed, &heard.mutex, &end), 0);
  }
  pthread_mutex_unlock(&heard.mutex);
}

// The result of each round is told once, and robots drive by it as they do without a thread.
static void a_thread_plans_as_well(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.worker = FW_CONTROLLER_WORKER_THREAD;
  scene.options.settings.time_limit = 60.0;
  scene.options.on_result = hear_result;
  heard.results = 0;
  SCENE(&scene, "#####.#####", "a.........b", "###########");
  const uint64_t a = scene_goal(&scene, 'a', 10, 1), b = scene_goal(&scene, 'b', 0, 1);
  int64_t rounds = 0;
  for (int32_t k = 0; k < 1200 && (scene_ends(&scene, a) == 0 || scene_ends(&scene, b) == 0); ++k) {
    scene_step(&scene);
    assert_false(fw_controller_wants_solve(&scene.controller));
    if (fw__round_worker_state(&scene.controller.impl->worker) != FW_ROUND_WORKER_IDLE) {
      wait_for_result(++rounds);
    }
  }
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
  assert_int_equal(heard.results, rounds);
  // It ends while the thread works.
  (void)scene_goal(&scene, 'a', 0, 1);
  (void)scene_goal(&scene, 'b', 10, 1);
  scene_step(&scene);
  scene_end(&scene);
}

// Where nothing is released nobody drives, and goals stay open.
static void execution_mode_none_releases_nothing(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.execution_mode = FW_EXECUTION_MODE_NONE;
  SCENE(&scene, "a....");
  const uint64_t id = scene_goal(&scene, 'a', 4, 0);
  scene_run(&scene, 30.0);
  assert_int_equal(scene_released(&scene, 'a').count, 0);
  assert_true(fw_controller_timed_path(&scene.controller, 0).count > 0);
  assert_int_equal(scene_ends(&scene, id), 0);
  scene_end(&scene);
}

// By time alone a robot that never drove would have arrived.
static void a_robot_that_does_not_drive_does_not_arrive(void ** state)
{
  (void)state;
  static scene_t scene;
  for (int32_t mode = 0; mode < 2; ++mode) {
    scene = scene_make();
    scene.options.settings.execution_mode = (fw_execution_mode_t)mode;
    scene.options.settings.plan_tolerance = 0.0;
    SCENE(&scene, "a....");
    scene_robot(&scene, 'a')->is_broken = true;
    const uint64_t id = scene_goal(&scene, 'a', 4, 0);
    scene_run(&scene, 30.0);
    assert_int_equal(scene_ends(&scene, id), 0);
    assert_int_not_equal(scene_status(&scene, 'a').state, FW_ROBOT_ARRIVED);
    scene_end(&scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(settings_out_of_range_are_refused_by_name),
    cmocka_unit_test(what_is_missing_is_said),
    cmocka_unit_test(nothing_is_planned_while_the_caller_is_not_ready),
    cmocka_unit_test(two_robots_swap_in_a_corridor_with_a_bay),
    cmocka_unit_test(every_planner_and_mode_swaps_two_robots),
    cmocka_unit_test(the_same_calls_give_the_same_bytes),
    cmocka_unit_test(a_thread_plans_as_well),
    cmocka_unit_test(execution_mode_none_releases_nothing),
    cmocka_unit_test(a_robot_that_does_not_drive_does_not_arrive),
  };
  return TEST_RUN(tests);
}
