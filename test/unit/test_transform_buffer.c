// Transform buffer: links compose at the newest common time, as a naive reference with matrices finds it; nothing is
// extrapolated; garbage is refused and memory stays bounded.

#include "motion/transform_buffer.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "support/test.h"

static const int64_t MS = 1000000;
static const int64_t START = INT64_C(1000) * 1000000000;  // seconds: stamps are not near 0

static fw_transform_t flat(double x, double y, double yaw)
{
  return fw__transform_from_pose2d(&(fw_pose2d_t){x, y, yaw});
}

static bool add_full(fw_transform_buffer_t * buffer, const fw_transform_link_t * link, char reason[256])
{
  fw_error_t error = {0};
  const bool is_taken = fw__transform_buffer_add(buffer, link, START, &error);
  snprintf(reason, 256, "%s", error.text);
  assert_true(fw__transform_buffer_validate(buffer));
  return is_taken;
}

static void add(
  fw_transform_buffer_t * buffer, const char * parent, const char * child, int64_t ms, fw_transform_t transform)
{
  char reason[256];
  const fw_transform_link_t link = {parent, child, transform, START + ms * MS, false};
  assert_true(add_full(buffer, &link, reason));
}

static void add_static(
  fw_transform_buffer_t * buffer, const char * parent, const char * child, fw_transform_t transform)
{
  char reason[256];
  const fw_transform_link_t link = {parent, child, transform, 0, true};
  assert_true(add_full(buffer, &link, reason));
}

typedef struct robot_t {
  fw_transform_buffer_t buffer;
  int32_t map;
  int32_t base;
} robot_t;

static robot_t robot(void)
{
  robot_t robot = {0};
  robot.map = fw__transform_buffer_watch_root(&robot.buffer, "map");
  robot.base = fw__transform_buffer_watch(&robot.buffer, "a/base_link");
  assert_true(robot.map >= 0 && robot.base >= 0);
  return robot;
}

static void expect_pose(const robot_t * robot, int64_t ms, double x, double y, double yaw)
{
  fw_transform_result_t result;
  fw_error_t reason = {0};
  const bool is_found = fw__transform_buffer_lookup(&robot->buffer, robot->map, robot->base, &result, &reason);
  if (!is_found) {
    print_error("%s\n", reason.text);
  }
  assert_true(is_found);
  const fw_pose2d_t pose = fw__transform_pose2d(&result.transform);
  assert_int_equal((result.stamp_ns - START) / MS, ms);
  assert_true(fabs(pose.x - x) < 1e-9 && fabs(pose.y - y) < 1e-9);
  assert_true(fabs(remainder(pose.yaw - yaw, 8.0 * atan(1.0))) < 1e-9);
}

static void expect_none(const robot_t * robot, const char * text)
{
  fw_transform_result_t result;
  fw_error_t reason = {0};
  assert_false(fw__transform_buffer_lookup(&robot->buffer, robot->map, robot->base, &result, &reason));
  assert_string_equal(reason.text, text);
  assert_int_equal(reason.fault, FW_FAULT_FRAME);
}

// ---- what a lookup finds

// A chain of links from the map to the robot; each link is one metre.
static bool finds_chain(int32_t links)
{
  robot_t one = robot();
  // A frame is wanted once the chain below it is known: from the robot up, one more with each round.
  for (int32_t round = 0; round < links; ++round) {
    for (int32_t k = 0; k < links; ++k) {
      char parent[32], child[32];
      snprintf(parent, sizeof parent, k == 0 ? "map" : "f%d", k);
      snprintf(child, sizeof child, k + 1 == links ? "a/base_link" : "f%d", k + 1);
      add(&one.buffer, parent, child, round + 1, flat(1.0, 0.0, 0.0));
    }
  }
  fw_transform_result_t result = {0};
  const bool is_found = fw__transform_buffer_lookup(&one.buffer, one.map, one.base, &result, NULL);
  assert_true(!is_found || fabs(fw__transform_pose2d(&result.transform).x - links) < 1e-6);
  fw__transform_buffer_fini(&one.buffer);
  return is_found;
}

static void test_a_tree_has_a_largest_depth(void ** state)
{
  (void)state;
  assert_true(finds_chain(2));
  assert_true(finds_chain(FW_TRANSFORM_DEPTH_MAX));
  assert_false(finds_chain(FW_TRANSFORM_DEPTH_MAX + 1));
}

static void test_links_compose(void ** state)
{
  (void)state;
  robot_t one = robot();
  const double quarter = 2.0 * atan(1.0);
  add(&one.buffer, "a/odom", "a/base_link", 0, flat(1.0, 0.0, 0.1));
  add(&one.buffer, "map", "a/odom", 0, flat(10.0, 20.0, quarter));
  expect_pose(&one, 0, 10.0, 21.0, quarter + 0.1);
  fw__transform_buffer_fini(&one.buffer);
}

static void test_a_missing_link_is_named(void ** state)
{
  (void)state;
  robot_t one = robot();
  expect_none(&one, "no transform from map to a/base_link");
  add(&one.buffer, "a/odom", "a/base_link", 0, flat(1.0, 0.0, 0.0));
  expect_none(&one, "no transform from map to a/odom");
  const fw_transform_link_t bad = {"map", "a/odom", {.x = NAN, .qw = 1.0}, START, false};
  char reason[256];
  assert_false(add_full(&one.buffer, &bad, reason));
  expect_none(&one, "no transform from map to a/odom: the last one is refused, its translation is not finite");
  add(&one.buffer, "map", "a/odom", 0, flat(0.0, 0.0, 0.0));
  expect_pose(&one, 0, 1.0, 0.0, 0.0);
  fw__transform_buffer_fini(&one.buffer);
}

// map -> odom twice per second, odom -> base fifty times: the fast link is interpolated at the stamp of the slow one.
static void test_the_newest_common_time(void ** state)
{
  (void)state;
  robot_t one = robot();
  add(&one.buffer, "a/odom", "a/base_link", -1, flat(0.0, 0.0, 0.0));
  for (int32_t ms = 0; ms <= 990; ms += 20) {
    if (ms % 500 == 0) {
      add(&one.buffer, "map", "a/odom", ms + 7, flat(0.0, 5.0, 0.0));
    }
    add(&one.buffer, "a/odom", "a/base_link", ms, flat(0.001 * ms, 0.0, 0.001 * ms));
  }
  expect_pose(&one, 507, 0.507, 5.0, 0.507);
  fw_transform_t past;
  assert_true(fw__transform_buffer_lookup_at(&one.buffer, one.map, one.base, START + 505 * MS, &past));
  assert_true(fabs(past.x - 0.505) < 1e-9 && fabs(past.y - 5.0) < 1e-9);
  assert_false(fw__transform_buffer_lookup_at(&one.buffer, one.map, one.base, START + 508 * MS, &past));
  assert_false(fw__transform_buffer_lookup_at(&one.buffer, one.map, one.base, START + 6 * MS, &past));
  fw__transform_buffer_fini(&one.buffer);
}

// AMCL stamps map -> odom ahead: then the newest pose is that of the newest odometry. When it ends, poses end too.
static void test_a_link_that_is_stamped_ahead(void ** state)
{
  (void)state;
  robot_t one = robot();
  int64_t last_ms = 0;
  add(&one.buffer, "a/odom", "a/base_link", -20, flat(0.0, 0.0, 0.0));
  for (int32_t ms = 0; ms <= 3000; ms += 20) {
    if (ms % 500 == 0 && ms <= 1000) {
      add(&one.buffer, "map", "a/odom", ms + 1000, flat(0.0, 0.001 * ms, 0.0));
    }
    add(&one.buffer, "a/odom", "a/base_link", ms, flat(0.001 * ms, 0.0, 0.0));
    if (ms < 1000) {
      expect_none(
        &one, "the last transform from a/odom to a/base_link is older than all that are kept from map to a/odom");
    } else {
      last_ms = ms < 2000 ? ms : 2000;
      expect_pose(&one, last_ms, 0.001 * (double)last_ms, 0.001 * (double)(last_ms - 1000), 0.0);
    }
  }
  assert_int_equal(last_ms, 2000);
  fw_transform_result_t result;
  assert_true(fw__transform_buffer_lookup(&one.buffer, one.map, one.base, &result, NULL));
  assert_string_equal(fw__transform_buffer_name(&one.buffer, result.oldest), "a/odom");
  assert_string_equal(fw__transform_buffer_parent_name(&one.buffer, result.oldest), "map");
  fw__transform_buffer_fini(&one.buffer);
}

static void test_static_links(void ** state)
{
  (void)state;
  robot_t one = {0};
  // They come before anybody wants them, and once.
  add_static(&one.buffer, "map", "site", flat(100.0, 0.0, 0.0));
  add_static(&one.buffer, "site", "a/odom", flat(10.0, 0.0, 0.0));
  add_static(&one.buffer, "a/foot", "/a/base_link", flat(0.0, 0.5, 0.0));
  one.map = fw__transform_buffer_watch_root(&one.buffer, "map");
  one.base = fw__transform_buffer_watch(&one.buffer, "a/base_link");
  expect_none(&one, "no transform from map to a/foot");
  add(&one.buffer, "a/odom", "a/foot", 40, flat(1.0, 0.0, 0.0));
  expect_pose(&one, 40, 111.0, 0.5, 0.0);
  add_static(&one.buffer, "site", "a/odom", flat(20.0, 0.0, 0.0));
  expect_pose(&one, 40, 121.0, 0.5, 0.0);
  // A link that was static moves from now on.
  add(&one.buffer, "site", "a/odom", 30, flat(30.0, 0.0, 0.0));
  expect_none(&one, "the last transform from site to a/odom is older than all that are kept from a/odom to a/foot");
  add(&one.buffer, "site", "a/odom", 50, flat(50.0, 0.0, 0.0));
  expect_pose(&one, 40, 141.0, 0.5, 0.0);
  fw__transform_buffer_clear(&one.buffer);
  expect_none(&one, "no transform from a/odom to a/foot");
  fw__transform_buffer_fini(&one.buffer);

  // All links static: it holds at any time.
  robot_t other = robot();
  fw_transform_result_t result;
  add_static(&other.buffer, "map", "a/base_link", flat(3.0, 4.0, 0.0));
  assert_true(fw__transform_buffer_lookup(&other.buffer, other.map, other.base, &result, NULL));
  assert_true(result.stamp_ns == FW_TRANSFORM_IS_STATIC && result.oldest == -1 && result.transform.y == 4.0);
  fw__transform_buffer_fini(&other.buffer);
}

static void test_another_parent(void ** state)
{
  (void)state;
  robot_t one = robot();
  add(&one.buffer, "a/odom", "a/base_link", 0, flat(1.0, 0.0, 0.0));
  add(&one.buffer, "map", "a/odom", 0, flat(1.0, 0.0, 0.0));
  add(&one.buffer, "b/odom", "a/base_link", 10, flat(2.0, 0.0, 0.0));
  expect_none(&one, "no transform from map to b/odom");
  add(&one.buffer, "map", "b/odom", 10, flat(5.0, 0.0, 0.0));
  expect_pose(&one, 10, 7.0, 0.0, 0.0);
  fw__transform_buffer_fini(&one.buffer);
}

static void test_height_roll_and_pitch_are_dropped_at_the_end_only(void ** state)
{
  (void)state;
  robot_t one = robot();
  const double half = sqrt(0.5);
  // A lift with its platform on its side: x of the child points up, z along the parent's -x.
  add(&one.buffer, "tilted", "a/base_link", 0, (fw_transform_t){.z = -3.0, .qy = half, .qw = half});
  add(&one.buffer, "map", "tilted", 0, (fw_transform_t){.x = 1.0, .z = 9.0, .qy = -half, .qw = half});
  expect_pose(&one, 0, 4.0, 0.0, 0.0);
  fw__transform_buffer_fini(&one.buffer);
}

// ---- order, repetition, history

static void test_stamps_out_of_order(void ** state)
{
  (void)state;
  robot_t one = robot();
  add_static(&one.buffer, "map", "a/odom", flat(0.0, 0.0, 0.0));
  add(&one.buffer, "a/odom", "a/base_link", 100, flat(1.0, 0.0, 0.0));
  add(&one.buffer, "a/odom", "a/base_link", 50, flat(0.5, 0.0, 0.0));
  add(&one.buffer, "a/odom", "a/base_link", 100, flat(9.0, 0.0, 0.0));  // the same stamp again
  expect_pose(&one, 100, 1.0, 0.0, 0.0);
  add(&one.buffer, "a/odom", "a/base_link", 20000, flat(2.0, 0.0, 0.0));
  add(&one.buffer, "a/odom", "a/base_link", 10000, flat(3.0, 0.0, 0.0));  // older than what is kept
  expect_pose(&one, 20000, 2.0, 0.0, 0.0);
  assert_int_equal(one.buffer.frames[one.base].count, 1);
  fw__transform_buffer_fini(&one.buffer);
}

static void test_history_is_bounded(void ** state)
{
  (void)state;
  robot_t one = robot();
  add_static(&one.buffer, "map", "a/odom", flat(0.0, 0.0, 0.0));
  for (int32_t k = 0; k < 5000; ++k) {
    // Every third one late, also when the ring is full.
    add(&one.buffer, "a/odom", "a/base_link", k % 3 == 0 ? k - 5 : k, flat(k, 0.0, 0.0));
  }
  assert_int_equal(one.buffer.frames[one.base].count, FW_TRANSFORM_SAMPLES_MAX);
  expect_pose(&one, 4999, 4999.0, 0.0, 0.0);
  fw__transform_buffer_fini(&one.buffer);
}

// ---- garbage

static void expect_refusal(fw_transform_link_t link, const char * why)
{
  robot_t one = robot();
  one.buffer.stamp_max_ns = 10000 * MS;
  add(&one.buffer, "a/odom", "a/base_link", 0, flat(1.0, 0.0, 0.0));
  add(&one.buffer, "map", "a/odom", 0, flat(0.0, 0.0, 0.0));
  char reason[256];
  const bool is_taken = add_full(&one.buffer, &link, reason);
  assert_false(is_taken);
  assert_non_null(strstr(reason, why));
  assert_int_equal(one.buffer.refused, 1);
  expect_pose(&one, 0, 1.0, 0.0, 0.0);  // the last good one stays in force
  fw__transform_buffer_fini(&one.buffer);
}

static void test_garbage_is_refused(void ** state)
{
  (void)state;
  const char * odom = "a/odom";
  const char * base = "a/base_link";
  const int64_t at = START + 5 * MS;
  const fw_transform_t good = {.qw = 1.0};
  char long_name[FW_FRAME_NAME_SIZE + 1] = {0};
  memset(long_name, 'x', FW_FRAME_NAME_SIZE);
  expect_refusal((fw_transform_link_t){odom, base, {.y = INFINITY, .qw = 1.0}, at, false}, "not finite");
  expect_refusal((fw_transform_link_t){odom, base, {.z = NAN, .qw = 1.0}, at, false}, "not finite");
  expect_refusal((fw_transform_link_t){odom, base, {.x = 1e300, .qw = 1.0}, at, false}, "not finite");
  expect_refusal((fw_transform_link_t){odom, base, {.qw = 0.0}, at, false}, "length 1");
  expect_refusal((fw_transform_link_t){odom, base, {.qw = 2.0}, at, false}, "length 1");
  expect_refusal((fw_transform_link_t){odom, base, {.qx = NAN, .qw = 1.0}, at, false}, "length 1");
  expect_refusal((fw_transform_link_t){odom, base, good, 0, false}, "no stamp");
  expect_refusal((fw_transform_link_t){odom, base, good, -5, false}, "no stamp");
  expect_refusal((fw_transform_link_t){odom, base, good, START - 10001 * MS, false}, "too old");
  expect_refusal((fw_transform_link_t){odom, base, good, START + 10001 * MS, false}, "in the future");
  expect_refusal((fw_transform_link_t){odom, base, good, INT64_MAX, false}, "in the future");
  expect_refusal((fw_transform_link_t){base, base, good, at, false}, "its own parent");
  expect_refusal((fw_transform_link_t){"/a/base_link", base, good, at, false}, "its own parent");
  expect_refusal((fw_transform_link_t){base, odom, good, at, false}, "cycle");
  expect_refusal((fw_transform_link_t){base, odom, good, at, true}, "cycle");
  expect_refusal((fw_transform_link_t){"", base, good, at, false}, "a name is empty");
  expect_refusal((fw_transform_link_t){"/", base, good, at, false}, "a name is empty");
  expect_refusal((fw_transform_link_t){odom, "", good, at, false}, "a name is empty");
  expect_refusal((fw_transform_link_t){NULL, base, good, at, false}, "a name is empty");
  expect_refusal((fw_transform_link_t){long_name, base, good, at, false}, "too long");
}

// A wrong link above the root, before the right ones come, must not make them look like a cycle.
static void test_nothing_is_above_the_root(void ** state)
{
  (void)state;
  robot_t one = {0};
  add_static(&one.buffer, "a/base_link", "map", flat(5.0, 0.0, 0.0));
  one.map = fw__transform_buffer_watch_root(&one.buffer, "map");
  one.base = fw__transform_buffer_watch(&one.buffer, "a/base_link");
  add(&one.buffer, "a/base_link", "map", 0, flat(5.0, 0.0, 0.0));
  add_static(&one.buffer, "a/base_link", "map", flat(5.0, 0.0, 0.0));
  add(&one.buffer, "a/odom", "a/base_link", 0, flat(1.0, 0.0, 0.0));
  add(&one.buffer, "map", "a/odom", 0, flat(0.0, 0.0, 0.0));
  expect_pose(&one, 0, 1.0, 0.0, 0.0);
  assert_int_equal(one.buffer.foreign, 2);
  fw__transform_buffer_fini(&one.buffer);
}

static void test_foreign_frames_cost_nothing(void ** state)
{
  (void)state;
  robot_t one = robot();
  char parent[32], child[32], reason[256];
  for (int32_t k = 0; k < 10000; ++k) {
    snprintf(parent, sizeof parent, "other_%d/odom", k);
    snprintf(child, sizeof child, "other_%d/base_link", k);
    const fw_transform_link_t link = {parent, child, {.qw = 1.0}, START, false};
    assert_true(fw__transform_buffer_add(&one.buffer, &link, START, NULL));
  }
  assert_int_equal(one.buffer.used, 2);
  assert_int_equal(one.buffer.foreign, 10000);
  // Not even if they make no sense: somebody else's faults are not ours.
  const fw_transform_link_t bad = {"x", "y", {.qw = 0.0}, 0, false};
  assert_true(add_full(&one.buffer, &bad, reason));
  fw__transform_buffer_fini(&one.buffer);
}

// Static frames, parents that change and robots that come and go, each more than there is room for.
static void test_memory_is_bounded(void ** state)
{
  (void)state;
  robot_t one = {0};
  one.buffer.frames_max = 100;
  one.map = fw__transform_buffer_watch_root(&one.buffer, "map");
  one.base = fw__transform_buffer_watch(&one.buffer, "a/base_link");
  char name[32], other[32], reason[256];
  for (int32_t k = 0; k < 1000; ++k) {
    snprintf(name, sizeof name, "sensor_%d", k);
    const fw_transform_link_t sensor = {"a/base_link", name, {.qw = 1.0}, 0, true};
    (void)add_full(&one.buffer, &sensor, reason);
    snprintf(name, sizeof name, "odom_%d", k);
    add(&one.buffer, name, "a/base_link", k, flat(k, 0.0, 0.0));
    add(&one.buffer, "map", name, k, flat(0.0, 0.0, 0.0));
    expect_pose(&one, k, k, 0.0, 0.0);
    snprintf(name, sizeof name, "guest_%d/odom", k);
    snprintf(other, sizeof other, "guest_%d/base_link", k);
    const int32_t guest = fw__transform_buffer_watch(&one.buffer, other);
    assert_true(guest >= 0);
    add(&one.buffer, name, other, k, flat(0.0, 0.0, 0.0));
    fw__transform_buffer_unwatch(&one.buffer, guest);
  }
  assert_true(one.buffer.frame_count <= 100);
  // More watched frames than there is room for.
  int32_t watched = 0;
  for (int32_t k = 0; k < 200; ++k) {
    snprintf(name, sizeof name, "robot_%d", k);
    watched += fw__transform_buffer_watch(&one.buffer, name) >= 0 ? 1 : 0;
  }
  assert_true(watched > 20 && watched < 100);
  assert_int_equal(fw__transform_buffer_watch(&one.buffer, ""), -1);
  assert_true(fw__transform_buffer_validate(&one.buffer));
  fw__transform_buffer_fini(&one.buffer);
}

// ---- which frames have changed

static int32_t take_changed(fw_transform_buffer_t * buffer, bool changed[], int32_t count)
{
  int32_t taken = 0;
  memset(changed, 0, (size_t)count * sizeof *changed);
  for (int32_t frame; (frame = fw__transform_buffer_next_changed(buffer)) >= 0; ++taken) {
    assert_true(frame < count && !changed[frame]);
    changed[frame] = true;
  }
  return taken;
}

static void test_changes_reach_the_frames_below(void ** state)
{
  (void)state;
  fw_transform_buffer_t buffer = {0};
  bool changed[16];
  fw__transform_buffer_watch_root(&buffer, "map");
  const int32_t a = fw__transform_buffer_watch(&buffer, "a/base_link");
  const int32_t b = fw__transform_buffer_watch(&buffer, "b/base_link");
  take_changed(&buffer, changed, 16);
  add(&buffer, "a/odom", "a/base_link", 0, flat(0.0, 0.0, 0.0));
  assert_int_equal(take_changed(&buffer, changed, 16), 1);
  assert_true(changed[a]);
  add(&buffer, "b/odom", "b/base_link", 0, flat(0.0, 0.0, 0.0));
  add(&buffer, "site", "b/odom", 0, flat(0.0, 0.0, 0.0));
  add(&buffer, "site", "a/odom", 0, flat(0.0, 0.0, 0.0));
  add(&buffer, "site", "a/odom", 1, flat(0.0, 0.0, 0.0));
  assert_int_equal(take_changed(&buffer, changed, 16), 2);
  add(&buffer, "map", "site", 0, flat(0.0, 0.0, 0.0));
  assert_int_equal(take_changed(&buffer, changed, 16), 2);
  add(&buffer, "site", "b/odom", 1, flat(0.0, 0.0, 0.0));
  assert_int_equal(take_changed(&buffer, changed, 16), 1);
  assert_true(changed[b]);
  fw__transform_buffer_fini(&buffer);
}

// ---- random worlds against a naive reference

enum { FRAMES = 12, STEPS = 400 };

typedef struct matrix_t {
  double r[3][3];
  double t[3];
} matrix_t;

// The reference: every link that ever came, in lists that are walked from the beginning.
typedef struct reference_t {
  int32_t parent[FRAMES];
  bool is_static[FRAMES];
  int32_t count[FRAMES];
  int64_t stamps[FRAMES][STEPS];
  fw_transform_t values[FRAMES][STEPS];
} reference_t;

static matrix_t matrix_of(const fw_transform_t * t)
{
  const double x = t->qx, y = t->qy, z = t->qz, w = t->qw;
  return (matrix_t){
    {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
     {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
     {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}},
    {t->x, t->y, t->z}};
}

static matrix_t product(const matrix_t * a, const matrix_t * b)
{
  matrix_t c = {0};
  for (int32_t i = 0; i < 3; ++i) {
    for (int32_t j = 0; j < 3; ++j) {
      for (int32_t k = 0; k < 3; ++k) {
        c.r[i][j] += a->r[i][k] * b->r[k][j];
      }
      c.t[i] += a->r[i][j] * b->t[j];
    }
    c.t[i] += a->t[i];
  }
  return c;
}

// Rotates `a` by the part `u` of the rotation from a to b, by Rodrigues' formula.
static matrix_t between(const matrix_t * a, const matrix_t * b, double u)
{
  matrix_t back = {0};
  for (int32_t i = 0; i < 3; ++i) {
    for (int32_t j = 0; j < 3; ++j) {
      back.r[i][j] = a->r[j][i];
    }
  }
  const matrix_t step = product(
    &back, &(matrix_t){
             {{b->r[0][0], b->r[0][1], b->r[0][2]},
              {b->r[1][0], b->r[1][1], b->r[1][2]},
              {b->r[2][0], b->r[2][1], b->r[2][2]}},
             {0}});
  const double axis[3] = {step.r[2][1] - step.r[1][2], step.r[0][2] - step.r[2][0], step.r[1][0] - step.r[0][1]};
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const double angle = u * atan2(length, step.r[0][0] + step.r[1][1] + step.r[2][2] - 1.0);
  matrix_t turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0}};
  if (length > 1e-12) {
    const double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
    const double c = cos(angle), s = sin(angle), d = 1.0 - c;
    turn = (matrix_t){
      {{c + x * x * d, x * y * d - z * s, x * z * d + y * s},
       {y * x * d + z * s, c + y * y * d, y * z * d - x * s},
       {z * x * d - y * s, z * y * d + x * s, c + z * z * d}},
      {0}};
  }
  matrix_t result = product(
    &(matrix_t){
      {{a->r[0][0], a->r[0][1], a->r[0][2]},
       {a->r[1][0], a->r[1][1], a->r[1][2]},
       {a->r[2][0], a->r[2][1], a->r[2][2]}},
      {0}},
    &turn);
  for (int32_t i = 0; i < 3; ++i) {
    result.t[i] = a->t[i] + u * (b->t[i] - a->t[i]);
  }
  return result;
}

// False if the link has nothing at this time, as far back as the buffer promises to know.
static bool reference_value(const reference_t * all, int32_t frame, int64_t stamp_ns, matrix_t * value)
{
  if (all->is_static[frame]) {
    *value = matrix_of(&all->values[frame][all->count[frame] - 1]);
    return true;
  }
  int32_t before = -1, after = -1;
  for (int32_t k = 0; k < all->count[frame]; ++k) {
    const int64_t at = all->stamps[frame][k];
    before = at <= stamp_ns && (before < 0 || at > all->stamps[frame][before]) ? k : before;
    after = at >= stamp_ns && (after < 0 || at < all->stamps[frame][after]) ? k : after;
  }
  if (before < 0 || after < 0) {
    return false;
  }
  const matrix_t one = matrix_of(&all->values[frame][before]), other = matrix_of(&all->values[frame][after]);
  const int64_t span = all->stamps[frame][after] - all->stamps[frame][before];
  *value = between(&one, &other, span == 0 ? 0.0 : (double)(stamp_ns - all->stamps[frame][before]) / (double)span);
  return true;
}

static bool reference_lookup(const reference_t * all, int32_t frame, matrix_t * result, int64_t * stamp_ns)
{
  *stamp_ns = FW_TRANSFORM_IS_STATIC;
  for (int32_t at = frame; at != 0; at = all->parent[at]) {
    int64_t newest = INT64_MIN;
    if (all->count[at] == 0) {
      return false;
    }
    for (int32_t k = 0; k < all->count[at]; ++k) {
      newest = all->stamps[at][k] > newest ? all->stamps[at][k] : newest;
    }
    *stamp_ns = !all->is_static[at] && newest < *stamp_ns ? newest : *stamp_ns;
  }
  *result = (matrix_t){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0}};
  for (int32_t at = frame; at != 0; at = all->parent[at]) {
    matrix_t value;
    if (!reference_value(all, at, *stamp_ns, &value)) {
      return false;
    }
    *result = product(&value, result);
  }
  return true;
}

static double uniform(fw_rng_t * rng) { return (double)(fw__rng_next(rng) >> 11) * 0x1p-52 - 1.0; }

static fw_transform_t random_transform(fw_rng_t * rng)
{
  fw_transform_t t = {uniform(rng), uniform(rng), uniform(rng), uniform(rng), uniform(rng), uniform(rng), 1.0};
  const double length = sqrt(t.qx * t.qx + t.qy * t.qy + t.qz * t.qz + t.qw * t.qw);
  t.qx /= length;
  t.qy /= length;
  t.qz /= length;
  t.qw /= length;
  return t;
}

static void compare(
  const fw_transform_buffer_t * buffer, const int32_t frames[], const reference_t * all, int32_t frame, int32_t * found)
{
  matrix_t expected;
  int64_t stamp_ns;
  fw_transform_result_t result;
  fw_error_t reason = {0};
  const bool is_known = reference_lookup(all, frame, &expected, &stamp_ns);
  assert_int_equal(fw__transform_buffer_lookup(buffer, frames[0], frames[frame], &result, &reason), is_known);
  if (!is_known) {
    assert_true(reason.text[0] != '\0');
    return;
  }
  *found += 1;
  const matrix_t actual = matrix_of(&result.transform);
  assert_true(result.stamp_ns == stamp_ns);
  int64_t common_ns = 0;
  assert_true(fw__transform_buffer_common_time(buffer, frames[0], frames[frame], &common_ns) && common_ns == stamp_ns);
  for (int32_t i = 0; i < 3; ++i) {
    assert_true(fabs(actual.t[i] - expected.t[i]) < 1e-6);
    for (int32_t j = 0; j < 3; ++j) {
      assert_true(fabs(actual.r[i][j] - expected.r[i][j]) < 1e-6);
    }
  }
}

static void test_random_trees_match_the_reference(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(17);
  int32_t found = 0;
  reference_t * all = malloc(sizeof *all);
  assert_non_null(all);
  for (int32_t round = 0; round < test_rounds(40); ++round) {
    fw_transform_buffer_t buffer = {0};
    int32_t frames[FRAMES];
    char names[FRAMES][24];
    memset(all, 0, sizeof *all);
    for (int32_t k = 0; k < FRAMES; ++k) {
      snprintf(names[k], sizeof names[k], "frame_%d", k);
      frames[k] =
        k == 0 ? fw__transform_buffer_watch_root(&buffer, names[k]) : fw__transform_buffer_watch(&buffer, names[k]);
      all->parent[k] = k == 0 ? -1 : fw__rng_below(&rng, k);
      all->is_static[k] = fw__rng_below(&rng, 4) == 0;
    }
    for (int32_t step = 0; step < 100; ++step) {
      const int32_t k = 1 + fw__rng_below(&rng, FRAMES - 1);
      // Rates differ by frame; some stamps are ahead, some late, none twice. Within what the history keeps.
      const int64_t stamp_ns = START + (40 * step + fw__rng_below(&rng, 900) * (k % 3)) * MS + step;
      const fw_transform_link_t link = {
        names[all->parent[k]], names[k], random_transform(&rng), stamp_ns, all->is_static[k]};
      assert_true(fw__transform_buffer_add(&buffer, &link, START, NULL));
      all->stamps[k][all->count[k]] = stamp_ns;
      all->values[k][all->count[k]++] = link.transform;
      compare(&buffer, frames, all, 1 + fw__rng_below(&rng, FRAMES - 1), &found);
    }
    assert_true(fw__transform_buffer_validate(&buffer));
    fw__transform_buffer_fini(&buffer);
  }
  assert_true(found > 300);
  free(all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_links_compose),
    cmocka_unit_test(test_a_tree_has_a_largest_depth),
    cmocka_unit_test(test_a_missing_link_is_named),
    cmocka_unit_test(test_the_newest_common_time),
    cmocka_unit_test(test_a_link_that_is_stamped_ahead),
    cmocka_unit_test(test_static_links),
    cmocka_unit_test(test_another_parent),
    cmocka_unit_test(test_height_roll_and_pitch_are_dropped_at_the_end_only),
    cmocka_unit_test(test_stamps_out_of_order),
    cmocka_unit_test(test_history_is_bounded),
    cmocka_unit_test(test_garbage_is_refused),
    cmocka_unit_test(test_nothing_is_above_the_root),
    cmocka_unit_test(test_foreign_frames_cost_nothing),
    cmocka_unit_test(test_memory_is_bounded),
    cmocka_unit_test(test_changes_reach_the_frames_below),
    cmocka_unit_test(test_random_trees_match_the_reference),
  };
  return TEST_RUN(tests);
}
