// Small scenes for tests of the controller: a floor drawn as text, a fake clock, and robots that drive what is released
// to them: by the releases, or by the stamps in execution mode timed.
//
//   scene_t scene = scene_make();                        // change scene.options.settings, scene.robots before the
// begin
//   SCENE(&scene, "a....",
//                 "##.##");
//   const uint64_t id = scene_goal(&scene, 'a', 4, 0);   // x is the column, y the row of the drawing
//   scene_run(&scene, 10.0);
//   assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
//   scene_end(&scene);
//
// '#' is a wall, '.' floor, a letter a robot on floor; robots are listed in the order of the alphabet, so that slot 0
// is 'a' as long as the list is not changed. A cell is half a metre, a tick one second, a step of the clock 0.1 s.
// Whatever a test does, two robots of one cell that were apart and obey their releases must not touch: each step checks
// it.

#ifndef TEST_CONTROLLER_SCENE_H_
#define TEST_CONTROLLER_SCENE_H_

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "controller/controller.h"
#include "support/test.h"

enum { SCENE_ROBOTS_MAX = 26, SCENE_PATH_MAX = 512, SCENE_EVENTS_MAX = 4096, SCENE_CELLS_MAX = 4096 };

static const double SCENE_CELL = 0.5;            // metres
static const int64_t SCENE_STEP_NS = 100000000;  // of the clock

typedef struct scene_robot_t {
  bool is_there;      // it stands on the floor
  bool is_listed;     // it is in the list of robots
  bool is_silent;     // it does not report
  bool is_broken;     // it does not drive
  bool is_on_change;  // it reports only when it has moved
  bool is_ignored;    // it obeys nobody, or is large: distances to it are not checked
  const char * footprint;
  const char * footprint_m;
  double speed;  // as listed; 0: not
  double turn_seconds;
  int32_t priority;
  int32_t turn_ticks;
  fw_point_t at;
  double yaw;          // it turns at once, at the end of its path
  bool does_not_turn;  // but not this one
  double stops_short;  // metres before the end of its path
  fw_point_t reported;
  bool has_reported;
  fw_point_t path[SCENE_PATH_MAX];  // as released
  int64_t stamps_ns[SCENE_PATH_MAX];
  double final_yaw;  // of the last pose; NAN: any
  int32_t count;
  int64_t revision;
} scene_robot_t;

typedef struct scene_t {
  fw_controller_t controller;
  fw_controller_options_t options;
  fw_error_t error;
  int64_t now_ns;
  int32_t width;
  int32_t height;
  int8_t values[SCENE_CELLS_MAX];
  scene_robot_t robots[SCENE_ROBOTS_MAX];
  fw_goal_event_t events[SCENE_EVENTS_MAX];
  int32_t event_count;
  int32_t answer_after;  // worker of the caller: updates from a request to its answer; -1: the test answers
  int32_t waited;
  double speed;           // metres per second of the robots
  double nearest;         // the smallest distance of two centres so far
  uint64_t digest;        // of all releases and events
  int64_t new_schedules;  // updates that returned true
} scene_t;

static inline fw_point_t scene_place(double x, double y)
{
  return (fw_point_t){(x + 0.5) * SCENE_CELL, (y + 0.5) * SCENE_CELL};
}

// SCENE_LOG=1 in the environment shows what the controller logs.
static inline void scene_log(void * context, fw_log_level_t level, const char * text)
{
  (void)context;
  printf("%d %s\n", (int)level, text);
}

static inline scene_t scene_make(void)
{
  scene_t scene = {.now_ns = INT64_C(1000000000000), .speed = 0.5, .nearest = INFINITY, .answer_after = 0};
  scene.options = fw_controller_options_default();
  scene.options.worker = FW_CONTROLLER_WORKER_INLINE;
  scene.digest = UINT64_C(14695981039346656037);
  if (getenv("SCENE_LOG") != NULL) {
    scene.options.log = scene_log;
  }
  return scene;
}

static inline scene_robot_t * scene_robot(scene_t * scene, char name)
{
  assert_in_range(name, 'a', 'z');
  return &scene->robots[name - 'a'];
}

static inline int32_t scene_slot(const scene_t * scene, char name)
{
  return fw_controller_find_robot(&scene->controller, (char[]){name, '\0'});
}

static inline fw_controller_robot_status_t scene_status(const scene_t * scene, char name)
{
  return fw_controller_robot_status(&scene->controller, scene_slot(scene, name), scene->now_ns);
}

static inline fw_controller_path_t scene_released(const scene_t * scene, char name)
{
  return fw_controller_released_path(&scene->controller, scene_slot(scene, name));
}

// ---- facts

static inline void scene_draw(scene_t * scene, const char * const * rows, int32_t count)
{
  scene->width = (int32_t)strlen(rows[0]);
  scene->height = count;
  assert_in_range(scene->width * count, 1, SCENE_CELLS_MAX);
  for (int32_t k = 0; k < scene->width * count; ++k) {
    const char sign = rows[k / scene->width][k % scene->width];
    scene->values[k] = sign == '#' ? 100 : 0;
    if (sign >= 'a' && sign <= 'z') {
      scene_robot_t * robot = scene_robot(scene, sign);
      robot->is_there = robot->is_listed = true;
      robot->at = scene_place(k % scene->width, k / scene->width);
    }
  }
}

static inline fw_ret_t scene_send_map(scene_t * scene)
{
  const fw_occupancy_map_t map = {
    .width = scene->width, .height = scene->height, .resolution = SCENE_CELL, .values = scene->values};
  return fw_controller_set_map(&scene->controller, &map, scene->now_ns, &scene->error);
}

// Lists the robots that are `is_listed`.
static inline fw_ret_t scene_send_robots(scene_t * scene)
{
  static char names[SCENE_ROBOTS_MAX][2];
  fw_controller_robot_t list[SCENE_ROBOTS_MAX];
  int32_t count = 0;
  for (int32_t k = 0; k < SCENE_ROBOTS_MAX; ++k) {
    if (scene->robots[k].is_listed) {
      names[k][0] = (char)('a' + k);
      list[count++] = (fw_controller_robot_t){
        .name = names[k],
        .footprint = scene->robots[k].footprint,
        .priority = scene->robots[k].priority,
        .turn_ticks = scene->robots[k].turn_ticks,
        .footprint_m = scene->robots[k].footprint_m,
        .speed = scene->robots[k].speed,
        .turn_seconds = scene->robots[k].turn_seconds,
      };
    }
  }
  return fw_controller_set_robots(&scene->controller, list, count, scene->now_ns, &scene->error);
}

static inline void scene_begin(scene_t * scene, const char * const * rows, int32_t count)
{
  scene_draw(scene, rows, count);
  assert_int_equal(fw_controller_init(&scene->controller, &scene->options, &scene->error), FW_RET_OK);
  assert_int_equal(scene_send_robots(scene), FW_RET_OK);
  assert_int_equal(scene_send_map(scene), FW_RET_OK);
}

#define SCENE(scene, ...)                                                                  \
  do {                                                                                     \
    const char * const scene_rows[] = {__VA_ARGS__};                                       \
    scene_begin((scene), scene_rows, (int32_t)(sizeof scene_rows / sizeof scene_rows[0])); \
  } while (0)

static inline fw_ret_t scene_report(scene_t * scene, char name, fw_pose_report_t report)
{
  return fw_controller_report_pose(&scene->controller, scene_slot(scene, name), &report, scene->now_ns, &scene->error);
}

static inline fw_ret_t scene_send_goal(scene_t * scene, char name, fw_goal_request_t request, uint64_t * id)
{
  return fw_controller_request_goal(
    &scene->controller, scene_slot(scene, name), &request, scene->now_ns, id, &scene->error);
}

static inline fw_goal_request_t scene_goal_at(double x, double y)
{
  return (fw_goal_request_t){.pose = {scene_place(x, y), NAN}};
}

// A goal that must be accepted; it replaces others. Queued: behind them.
static inline uint64_t scene_goal(scene_t * scene, char name, double x, double y)
{
  uint64_t id = 0;
  assert_int_equal(scene_send_goal(scene, name, scene_goal_at(x, y), &id), FW_RET_OK);
  return id;
}

static inline uint64_t scene_queue_goal(scene_t * scene, char name, double x, double y)
{
  fw_goal_request_t request = scene_goal_at(x, y);
  uint64_t id = 0;
  request.is_queued = true;
  assert_int_equal(scene_send_goal(scene, name, request, &id), FW_RET_OK);
  return id;
}

// Obstacles of the size of a cell at cells (x, y), (x, y), ...
static inline void scene_block(scene_t * scene, const double (*cells)[2], int32_t count)
{
  fw_point_t centres[64];
  assert_in_range(count, 0, 64);
  for (int32_t k = 0; k < count; ++k) {
    centres[k] = scene_place(cells[k][0], cells[k][1]);
  }
  const fw_obstacle_cells_t obstacles = {
    .width = 0.9 * SCENE_CELL, .height = 0.9 * SCENE_CELL, .centres = centres, .count = count};
  assert_int_equal(
    fw_controller_set_obstacles(&scene->controller, &obstacles, scene->now_ns, &scene->error), FW_RET_OK);
}

// ---- the robots

static inline double scene_distance(fw_point_t a, fw_point_t b) { return hypot(a.x - b.x, a.y - b.y); }

static inline void scene_hash(scene_t * scene, const void * data, size_t size)
{
  for (size_t k = 0; k < size; ++k) {
    scene->digest = (scene->digest ^ ((const unsigned char *)data)[k]) * UINT64_C(1099511628211);
  }
}

// Takes releases with a new revision.
static inline void scene_read_releases(scene_t * scene)
{
  for (int32_t k = 0; k < SCENE_ROBOTS_MAX; ++k) {
    scene_robot_t * robot = &scene->robots[k];
    if (!robot->is_listed || scene_slot(scene, (char)('a' + k)) < 0) {
      continue;
    }
    const fw_controller_path_t path = scene_released(scene, (char)('a' + k));
    assert_true(path.revision >= robot->revision);
    if (path.revision == robot->revision) {
      continue;
    }
    robot->revision = path.revision;
    assert_in_range(path.count, 0, SCENE_PATH_MAX);
    robot->count = path.count;
    for (int32_t w = 0; w < path.count; ++w) {
      robot->path[w] = path.waypoints[w].point;
      robot->stamps_ns[w] = path.waypoints[w].stamp_ns;
      scene_hash(scene, &path.waypoints[w].stamp_ns, sizeof path.waypoints[w].stamp_ns);
      scene_hash(scene, &path.waypoints[w].point, sizeof path.waypoints[w].point);
    }
    robot->final_yaw = path.count > 0 ? path.waypoints[path.count - 1].yaw : NAN;
    scene_hash(scene, &path.revision, sizeof path.revision);
  }
}

// The place on the line from `a` to `b` that is nearest to `point`.
static inline fw_point_t scene_project(fw_point_t a, fw_point_t b, fw_point_t point)
{
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double share =
    square > 0.0 ? fmin(fmax(((point.x - a.x) * dx + (point.y - a.y) * dy) / square, 0.0), 1.0) : 0.0;
  return (fw_point_t){a.x + share * dx, a.y + share * dy};
}

// Moves towards a point by at most `left`. Returns what is left.
static inline double scene_approach(scene_robot_t * robot, fw_point_t to, double left)
{
  const double distance = scene_distance(robot->at, to);
  const double share = distance <= left ? 1.0 : left / distance;
  robot->at.x += share * (to.x - robot->at.x);
  robot->at.y += share * (to.y - robot->at.y);
  return distance <= left ? left - distance : 0.0;
}

// Drives along what is released, from the nearest place of it on.
static inline void scene_drive(scene_robot_t * robot, double left)
{
  if (robot->count == 0) {
    return;
  }
  int32_t next = 0;
  fw_point_t nearest = robot->path[0];
  for (int32_t k = 1; k < robot->count; ++k) {
    const fw_point_t at = scene_project(robot->path[k - 1], robot->path[k], robot->at);
    if (scene_distance(at, robot->at) <= scene_distance(nearest, robot->at) + 1e-9) {
      nearest = at;
      next = k;
    }
  }
  const double rest = scene_distance(robot->at, robot->path[robot->count - 1]);
  left = robot->stops_short > 0.0 && next + 1 >= robot->count ? fmin(left, fmax(rest - robot->stops_short, 0.0)) : left;
  left = scene_approach(robot, nearest, left);
  for (int32_t k = next; k < robot->count && left > 0.0; ++k) {
    left = scene_approach(robot, robot->path[k], left);
  }
  if (!robot->does_not_turn && !isnan(robot->final_yaw) && rest < 1e-6) {
    robot->yaw = robot->final_yaw;
  }
}

// By the stamps: to where the path has it now, and never faster than it can.
static inline void scene_drive_timed(scene_robot_t * robot, int64_t now_ns, double left)
{
  int32_t k = 0;
  while (k + 1 < robot->count && robot->stamps_ns[k + 1] <= now_ns) {
    ++k;
  }
  if (robot->count == 0) {
    return;
  }
  fw_point_t to = robot->path[k];
  if (k + 1 < robot->count && now_ns > robot->stamps_ns[k]) {
    const double share =
      (double)(now_ns - robot->stamps_ns[k]) / (double)(robot->stamps_ns[k + 1] - robot->stamps_ns[k]);
    to.x += share * (robot->path[k + 1].x - to.x);
    to.y += share * (robot->path[k + 1].y - to.y);
  }
  (void)scene_approach(robot, to, left);
}

static inline void scene_check_distances(scene_t * scene)
{
  for (int32_t k = 0; k < SCENE_ROBOTS_MAX; ++k) {
    for (int32_t other = 0; other < k; ++other) {
      const scene_robot_t *a = &scene->robots[k], *b = &scene->robots[other];
      if (a->is_there && b->is_there && !a->is_ignored && !b->is_ignored) {
        const double distance = scene_distance(a->at, b->at);
        scene->nearest = fmin(scene->nearest, distance);
        if (distance < 2.0 * scene->options.settings.robot_radius) {
          fail_msg("%c and %c overlap at (%g, %g)", 'a' + other, 'a' + k, a->at.x, a->at.y);
        }
      }
    }
  }
}

// ---- time

static inline void scene_take_events(scene_t * scene)
{
  fw_goal_event_t event;
  while (fw_controller_next_event(&scene->controller, &event)) {
    assert_in_range(scene->event_count, 0, SCENE_EVENTS_MAX - 1);
    scene->events[scene->event_count++] = event;
    scene_hash(scene, &event.kind, sizeof event.kind);
    scene_hash(scene, &event.id, sizeof event.id);
    scene_hash(scene, &event.time_ns, sizeof event.time_ns);
  }
}

// One update without a step of the clock.
static inline void scene_update(scene_t * scene)
{
  scene->new_schedules += fw_controller_update(&scene->controller, scene->now_ns) ? 1 : 0;
  if (fw_controller_wants_solve(&scene->controller) && scene->answer_after >= 0) {
    if (scene->waited++ >= scene->answer_after) {
      fw_controller_solve(&scene->controller, false);
      scene->waited = 0;
    }
  }
  scene_take_events(scene);
  scene_read_releases(scene);
  FW_ASSERT(fw__goals_validate(&scene->controller.impl->fleet, &scene->controller.impl->events));
}

static inline void scene_step(scene_t * scene)
{
  scene->now_ns += SCENE_STEP_NS;
  for (int32_t k = 0; k < SCENE_ROBOTS_MAX; ++k) {
    scene_robot_t * robot = &scene->robots[k];
    if (!robot->is_there) {
      continue;
    }
    const double left = scene->speed * (double)SCENE_STEP_NS * 1e-9;
    if (!robot->is_broken && scene->options.settings.execution_mode == FW_EXECUTION_MODE_TIMED) {
      scene_drive_timed(robot, scene->now_ns, 1.01 * left);
    } else if (!robot->is_broken) {
      scene_drive(robot, left);
    }
    const bool has_moved = !robot->has_reported || scene_distance(robot->at, robot->reported) > 1e-6;
    if (robot->is_listed && !robot->is_silent && (has_moved || !robot->is_on_change)) {
      const fw_pose_report_t report = {.pose = {robot->at, robot->yaw}, .stamp_ns = scene->now_ns};
      assert_int_equal(scene_report(scene, (char)('a' + k), report), FW_RET_OK);
      robot->has_reported = true;
      robot->reported = robot->at;
    }
  }
  scene_check_distances(scene);
  scene_update(scene);
}

static inline void scene_run(scene_t * scene, double seconds)
{
  const int64_t end_ns = scene->now_ns + (int64_t)(seconds * 1e9);
  while (scene->now_ns < end_ns) {
    scene_step(scene);
  }
}

// How often this happened to a goal.
static inline int32_t scene_count(const scene_t * scene, uint64_t id, fw_goal_event_kind_t kind)
{
  int32_t count = 0;
  for (int32_t k = 0; k < scene->event_count; ++k) {
    count += scene->events[k].id == id && scene->events[k].kind == kind ? 1 : 0;
  }
  return count;
}

// How often a goal has ended, in any way: 1 once it has.
static inline int32_t scene_ends(const scene_t * scene, uint64_t id)
{
  return scene_count(scene, id, FW_GOAL_REACHED) + scene_count(scene, id, FW_GOAL_FAILED) +
         scene_count(scene, id, FW_GOAL_CANCELLED) + scene_count(scene, id, FW_GOAL_REPLACED);
}

// Runs until the goal has ended, which must happen within the bound.
static inline void scene_until_ended(scene_t * scene, uint64_t id, double seconds)
{
  const int64_t end_ns = scene->now_ns + (int64_t)(seconds * 1e9);
  while (scene_ends(scene, id) == 0 && scene->now_ns < end_ns) {
    scene_step(scene);
  }
  assert_int_equal(scene_ends(scene, id), 1);
}

// The event with which a goal ended.
static inline const fw_goal_event_t * scene_end_of(const scene_t * scene, uint64_t id)
{
  for (int32_t k = scene->event_count - 1; k >= 0; --k) {
    const fw_goal_event_kind_t kind = scene->events[k].kind;
    if (scene->events[k].id == id && kind != FW_GOAL_ACCEPTED && kind != FW_GOAL_ACTIVE) {
      return &scene->events[k];
    }
  }
  fail_msg("goal %llu has not ended", (unsigned long long)id);
  return NULL;
}

// True if the robot stands on the centre of this cell.
static inline bool scene_is_at(scene_t * scene, char name, double x, double y)
{
  return scene_distance(scene_robot(scene, name)->at, scene_place(x, y)) < 0.06;
}

// The released part that lies ahead of the robot ends on this cell.
static inline bool scene_release_ends_at(const scene_t * scene, char name, double x, double y)
{
  const fw_controller_path_t path = scene_released(scene, name);
  return path.count > 0 && scene_distance(path.waypoints[path.count - 1].point, scene_place(x, y)) < 1e-6;
}

// True if a release leads over this cell.
static inline bool scene_release_has(const scene_t * scene, char name, double x, double y)
{
  const fw_controller_path_t path = scene_released(scene, name);
  for (int32_t w = 0; w < path.count; ++w) {
    if (scene_distance(path.waypoints[w].point, scene_place(x, y)) < 1e-6) {
      return true;
    }
  }
  return false;
}

// For a person who looks for a fault: where everybody is, and why.
static inline void scene_print(scene_t * scene)
{
  for (int32_t k = 0; k < SCENE_ROBOTS_MAX; ++k) {
    const char name = (char)('a' + k);
    if (scene->robots[k].is_listed && scene_slot(scene, name) >= 0) {
      const fw_controller_robot_status_t status = scene_status(scene, name);
      const fw_controller_path_t path = scene_released(scene, name);
      printf(
        "%.1f %c (%.2f, %.2f) %s/%s fault %d '%s' goal %llu+%d released %d",
        (double)(scene->now_ns % INT64_C(1000000000000)) * 1e-9, name, scene->robots[k].at.x / SCENE_CELL - 0.5,
        scene->robots[k].at.y / SCENE_CELL - 0.5, fw_robot_state_name(status.state),
        fw_execution_state_name(status.execution.state), (int)status.fault, status.fault_text,
        (unsigned long long)status.goal, status.goals_left, path.count);
      for (int32_t w = 0; w < path.count; ++w) {
        printf(" %g,%g", path.waypoints[w].point.x / SCENE_CELL - 0.5, path.waypoints[w].point.y / SCENE_CELL - 0.5);
      }
      printf("\n");
    }
  }
}

static inline void scene_end(scene_t * scene) { fw_controller_fini(&scene->controller); }

#endif  // TEST_CONTROLLER_SCENE_H_
