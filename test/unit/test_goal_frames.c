// Goal frames: poses in frames of robots, of static things and of others, in the map; what is not known is refused.

#include "motion/goal_frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

static const int64_t S = 1000000000;
static const int64_t NOW = INT64_C(1000) * 1000000000;

typedef struct scene_t {
  fw_transform_buffer_t buffer;
  fw_goal_frames_t frames;
  int32_t map;
  int32_t base;
} scene_t;

static scene_t scene(void)
{
  scene_t scene = {0};
  scene.map = fw__transform_buffer_watch_root(&scene.buffer, "map");
  scene.base = fw__transform_buffer_watch(&scene.buffer, "a/base_link");
  return scene;
}

static void add(scene_t * scene, const char * parent, const char * child, fw_pose2d_t pose, int64_t stamp_ns)
{
  const fw_transform_link_t link = {
    parent, child, fw__transform_from_pose2d(&pose), stamp_ns, stamp_ns == FW_TRANSFORM_IS_STATIC};
  assert_true(fw__transform_buffer_add(&scene->buffer, &link, NOW, NULL));
  assert_true(fw__transform_buffer_validate(&scene->buffer));
}

static bool find(scene_t * scene, const char * frame, fw_transform_t * place, fw_error_t * reason)
{
  const fw_goal_frame_query_t query = {
    .buffer = &scene->buffer, .root = scene->map, .frame = frame, .now_ns = NOW, .age_max_ns = 2 * S};
  const bool is_found = fw__goal_frames_find(&scene->frames, &query, place, reason);
  assert_true(fw__transform_buffer_validate(&scene->buffer));
  return is_found;
}

static void expect_refusal(scene_t * scene, const char * frame, const char * words)
{
  fw_transform_t place;
  fw_error_t reason = {0};
  assert_false(find(scene, frame, &place, &reason));
  assert_int_equal(reason.fault, FW_FAULT_FRAME);
  if (strstr(reason.text, words) == NULL) {
    fail_msg("%s: %s", frame, reason.text);
  }
}

// 2 m ahead of a robot that faces along y, as a goal of its own.
static void test_ahead_of_a_robot(void ** state)
{
  (void)state;
  scene_t s = scene();
  add(&s, "a/odom", "a/base_link", (fw_pose2d_t){3.0, 1.0, 0.0}, NOW);
  add(&s, "map", "a/odom", (fw_pose2d_t){10.0, 0.0, acos(0.0)}, NOW);
  fw_transform_t place = {0};
  assert_true(find(&s, "/a/base_link", &place, NULL));
  const fw_transform_t ahead = fw__transform_from_pose2d(&(fw_pose2d_t){2.0, 0.0, 0.5});
  const fw_pose2d_t goal = fw__goal_frames_pose(&place, &ahead, true);
  assert_true(fabs(goal.x - 9.0) < 1e-9);
  assert_true(fabs(goal.y - 5.0) < 1e-9);
  assert_true(fabs(goal.yaw - (acos(0.0) + 0.5)) < 1e-9);
  assert_true(isnan(fw__goal_frames_pose(&place, &ahead, false).yaw));
  assert_true(find(&s, "a/odom", &place, NULL));  // on the way to the robot
  fw__transform_buffer_fini(&s.buffer);
}

// A camera that looks down: its x is the map's x, its y points back and its z to the floor.
static void test_a_tilted_frame(void ** state)
{
  (void)state;
  scene_t s = scene();
  const fw_transform_link_t link = {"map", "camera", {5.0, 5.0, 3.0, 1.0, 0.0, 0.0, 0.0}, 0, true};
  assert_true(fw__transform_buffer_add(&s.buffer, &link, NOW, NULL));
  fw_transform_t place = {0};
  assert_true(find(&s, "camera", &place, NULL));  // static links are known before anybody asks
  const fw_transform_t pose = {.x = 1.0, .y = 2.0, .z = 3.0, .qw = 1.0};
  const fw_pose2d_t goal = fw__goal_frames_pose(&place, &pose, true);
  assert_true(fabs(goal.x - 6.0) < 1e-9);
  assert_true(fabs(goal.y - 3.0) < 1e-9);
  fw__transform_buffer_fini(&s.buffer);
}

static void test_what_is_not_known_is_refused(void ** state)
{
  (void)state;
  scene_t s = scene();
  expect_refusal(&s, "b/base_link", "no transform from map to b/base_link; it is listened for from now on");
  expect_refusal(&s, "", "no frame can have that name");
  expect_refusal(&s, "a/base_link", "no transform from map to a/base_link");
  add(&s, "a/odom", "a/base_link", (fw_pose2d_t){0}, NOW - 3 * S);
  expect_refusal(&s, "a/base_link", "no transform from map to a/odom");
  add(&s, "map", "a/odom", (fw_pose2d_t){0}, NOW - 4 * S);
  add(&s, "map", "a/odom", (fw_pose2d_t){0}, NOW);
  expect_refusal(&s, "a/base_link", "the last transform from a/odom to a/base_link is 3.0 s old");
  fw__transform_buffer_fini(&s.buffer);
}

// A frame that moves and is nobody's: known once its links have come after the first goal.
static void test_a_frame_is_listened_for_after_its_first_goal(void ** state)
{
  (void)state;
  scene_t s = scene();
  fw_transform_t place;
  add(&s, "map", "lorry", (fw_pose2d_t){1.0, 2.0, 0.0}, NOW);
  assert_int_equal(s.buffer.foreign, 1);
  expect_refusal(&s, "lorry", "send the goal again");
  add(&s, "map", "lorry", (fw_pose2d_t){1.0, 2.0, 0.0}, NOW);
  assert_true(find(&s, "lorry", &place, NULL));
  assert_true(fabs(place.x - 1.0) < 1e-9);
  fw__transform_buffer_fini(&s.buffer);
}

// Goals in ever new frames take no more room; those in use stay.
static void test_frames_of_goals_are_bounded(void ** state)
{
  (void)state;
  scene_t s = scene();
  fw_transform_t place;
  add(&s, "map", "a/base_link", (fw_pose2d_t){0}, NOW);
  expect_refusal(&s, "lorry", "send the goal again");
  for (int32_t k = 0; k < 1000; ++k) {
    char name[32];
    snprintf(name, sizeof name, "frame_%d", k);
    expect_refusal(&s, name, "send the goal again");
    if (k < 500) {
      expect_refusal(&s, "lorry", "no transform from map to lorry");
      assert_true(find(&s, "a/base_link", &place, NULL));
    }
    assert_true(s.frames.count <= FW_GOAL_FRAMES_MAX && s.buffer.used <= FW_GOAL_FRAMES_MAX + 3);
  }
  expect_refusal(&s, "lorry", "send the goal again");  // it was forgotten
  assert_true(find(&s, "a/base_link", &place, NULL));  // this one is the robot's
  fw__transform_buffer_fini(&s.buffer);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ahead_of_a_robot),
    cmocka_unit_test(test_a_tilted_frame),
    cmocka_unit_test(test_what_is_not_known_is_refused),
    cmocka_unit_test(test_a_frame_is_listened_for_after_its_first_goal),
    cmocka_unit_test(test_frames_of_goals_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
