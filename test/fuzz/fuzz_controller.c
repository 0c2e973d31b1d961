// The fleet controller with any facts: maps, masks, obstacles, closures, poses, goals and settings as messages carry
// them, finite or not. What is refused has a text; places of releases are finite;
// every accepted goal ends at most once.

#include <math.h>
#include <string.h>

#include "fleetweave/controller.h"
#include "fuzz/fuzz.h"

enum { ROBOTS = 3, GOALS_MAX = 4096 };

typedef struct run_t {
  fw_controller_t controller;
  int64_t now_ns;
  int8_t values[256];
  bool has_ended[GOALS_MAX];
} run_t;

static void refuse_or_take(fw_ret_t ret, const fw_error_t * error)
{
  fuzz_require(ret == FW_RET_OK || error->text[0] != '\0', "a refusal has a text");
}

static fw_occupancy_map_t make_map(run_t * run, fuzz_bytes_t * bytes)
{
  fw_occupancy_map_t map = {
    .width = 1 + fuzz_below(bytes, 16), .height = 1 + fuzz_below(bytes, 16), .resolution = 0.5, .values = run->values};
  const uint8_t kind = fuzz_byte(bytes);
  for (int32_t c = 0; c < 256; ++c) {
    run->values[c] = 0;
  }
  for (int32_t k = 0; k < (kind & 31); ++k) {
    run->values[fuzz_byte(bytes)] = (int8_t)fuzz_byte(bytes);
  }
  if ((kind & 32) != 0) {
    map.resolution = fuzz_double(bytes);
  }
  if ((kind & 64) != 0) {
    map.origin = (fw_pose_t){{fuzz_double(bytes), fuzz_double(bytes)}, fuzz_double(bytes)};
  }
  return map;
}

static void set_obstacles(run_t * run, fuzz_bytes_t * bytes)
{
  fw_error_t error = {0};
  fw_point_t centres[8];
  const fw_obstacle_cells_t obstacles = {
    .width = fuzz_double(bytes), .height = fuzz_double(bytes), .centres = centres, .count = fuzz_below(bytes, 9)};
  for (int32_t k = 0; k < obstacles.count; ++k) {
    centres[k] = (fw_point_t){fuzz_double(bytes), fuzz_double(bytes)};
  }
  refuse_or_take(fw_controller_set_obstacles(&run->controller, &obstacles, run->now_ns, &error), &error);
}

static void set_closures(run_t * run, fuzz_bytes_t * bytes)
{
  fw_error_t error = {0};
  fw_timed_waypoint_t waypoints[4];
  const int32_t count = fuzz_below(bytes, 5);
  for (int32_t k = 0; k < count; ++k) {
    const int64_t after_ns = (int64_t)fuzz_below(bytes, 65536) * 1000000 - 1000000000;
    waypoints[k] = (fw_timed_waypoint_t){run->now_ns + after_ns, {fuzz_double(bytes), fuzz_double(bytes)}, NAN};
  }
  refuse_or_take(fw_controller_set_closures(&run->controller, 0, waypoints, count, run->now_ns, &error), &error);
}

static void set_settings(run_t * run, fuzz_bytes_t * bytes)
{
  fw_error_t error = {0};
  fw_controller_settings_t settings = fw_controller_settings_default();
  settings.expansions_max = 500;
  double * const numbers[] = {
    &settings.robot_radius,  &settings.speed,         &settings.planning_resolution, &settings.closure_radius,
    &settings.odom_timeout,  &settings.pose_age_max,  &settings.plan_tolerance,      &settings.goal_tolerance,
    &settings.release_ahead, &settings.replan_period, &settings.waypoint_tolerance,  &settings.stopped_timeout};
  *numbers[fuzz_below(bytes, 12)] = fuzz_double(bytes);
  settings.connectivity = (fuzz_byte(bytes) & 1) != 0 ? 8 : 4;
  settings.robust_ticks = fuzz_below(bytes, 3);
  refuse_or_take(fw_controller_set_settings(&run->controller, &settings, run->now_ns, &error), &error);
}

static void report_pose(run_t * run, fuzz_bytes_t * bytes)
{
  fw_error_t error = {0};
  const int32_t robot = fuzz_below(bytes, ROBOTS);
  fw_pose_report_t report = {{{fuzz_double(bytes), fuzz_double(bytes)}, fuzz_double(bytes)}, run->now_ns, 0.0};
  const uint8_t kind = fuzz_byte(bytes);
  if (kind >= 128) {  // it drives to the end of its release
    const fw_controller_path_t path = fw_controller_released_path(&run->controller, robot);
    if (path.count > 0) {
      report.pose = (fw_pose_t){path.waypoints[path.count - 1].point, path.waypoints[path.count - 1].yaw};
    }
  } else if (kind < 8) {
    report.stamp_ns = kind < 4 ? INT64_MAX : INT64_MIN;
    report.deviation = fuzz_double(bytes);
  }
  refuse_or_take(fw_controller_report_pose(&run->controller, robot, &report, run->now_ns, &error), &error);
}

static void request_goals(run_t * run, fuzz_bytes_t * bytes)
{
  fw_error_t error = {0};
  fw_goal_request_t requests[3] = {0};
  const int32_t count = fuzz_below(bytes, 4);
  for (int32_t k = 0; k < count; ++k) {
    requests[k].pose = (fw_pose_t){{fuzz_double(bytes), fuzz_double(bytes)}, fuzz_double(bytes)};
    requests[k].is_queued = (fuzz_byte(bytes) & 1) != 0;
  }
  const int32_t robot = fuzz_below(bytes, ROBOTS);
  refuse_or_take(
    fw_controller_request_goals(&run->controller, robot, requests, count, run->now_ns, NULL, &error), &error);
}

static void step(run_t * run, fuzz_bytes_t * bytes)
{
  fw_error_t error = {0};
  fw_controller_t * controller = &run->controller;
  const int32_t robot = fuzz_below(bytes, ROBOTS);
  switch (fuzz_below(bytes, 20)) {
    case 0: {
      const fw_occupancy_map_t map = make_map(run, bytes);
      refuse_or_take(fw_controller_set_map(controller, &map, run->now_ns, &error), &error);
      break;
    }
    case 1: {
      const fw_map_update_t update = {
        fuzz_below(bytes, 18) - 1, fuzz_below(bytes, 18) - 1, fuzz_below(bytes, 16), fuzz_below(bytes, 16),
        run->values};
      refuse_or_take(fw_controller_update_map(controller, &update, run->now_ns, &error), &error);
      break;
    }
    case 2: {
      const fw_occupancy_map_t mask = make_map(run, bytes);
      refuse_or_take(fw_controller_set_keepout_mask(controller, &mask, run->now_ns, &error), &error);
      break;
    }
    case 3: {
      const fw_occupancy_map_t mask = make_map(run, bytes);
      refuse_or_take(fw_controller_set_cost_mask(controller, &mask, run->now_ns, &error), &error);
      break;
    }
    case 4:
      set_obstacles(run, bytes);
      break;
    case 5:
      set_closures(run, bytes);
      break;
    case 6:
      set_settings(run, bytes);
      break;
    case 7:
      fw_controller_cancel_goals(controller, robot, run->now_ns);
      break;
    case 8: {
      const fw_robot_service_t service = (fw_robot_service_t)fuzz_below(bytes, 3);
      refuse_or_take(fw_controller_set_service(controller, robot, service, run->now_ns, &error), &error);
      break;
    }
    case 9:
      fw_controller_set_paused(controller, (fuzz_byte(bytes) & 1) != 0);
      break;
    case 10:
      run->now_ns = (int64_t)fuzz_byte(bytes) * 1000000000;
      fw_controller_restart_clock(controller, run->now_ns);
      break;
    case 11:
    case 12:
      request_goals(run, bytes);
      break;
    default:
      report_pose(run, bytes);
  }
}

static void check(run_t * run)
{
  fw_goal_event_t event;
  while (fw_controller_next_event(&run->controller, &event)) {
    if (event.kind != FW_GOAL_ACCEPTED && event.kind != FW_GOAL_ACTIVE && event.id < GOALS_MAX) {
      fuzz_require(!run->has_ended[event.id], "a goal ends once");
      run->has_ended[event.id] = true;
    }
  }
  for (int32_t r = 0; r < ROBOTS; ++r) {
    const fw_controller_path_t path = fw_controller_released_path(&run->controller, r);
    for (int32_t k = 0; k < path.count; ++k) {
      fuzz_require(isfinite(path.waypoints[k].point.x) && isfinite(path.waypoints[k].point.y), "places are finite");
    }
    const fw_controller_robot_status_t status = fw_controller_robot_status(&run->controller, r, run->now_ns);
    fuzz_require(status.fault == FW_FAULT_NONE || status.fault_text[0] != '\0', "a fault has a text");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  static const char * const closures[] = {"door"};
  fuzz_bytes_t bytes = {.data = data, .size = size};
  static run_t run;
  run = (run_t){.now_ns = 1000000000};
  fw_error_t error = {0};
  fw_controller_options_t options = fw_controller_options_default();
  options.worker = FW_CONTROLLER_WORKER_INLINE;
  options.settings.expansions_max = 500;
  options.closure_names = closures;
  options.closure_count = 1;
  fuzz_require(fw_controller_init(&run.controller, &options, &error) == FW_RET_OK, "a controller");
  const uint8_t kind = fuzz_byte(&bytes);
  const fw_controller_robot_t robots[ROBOTS] = {
    {.name = "a"}, {.name = "b", .priority = 2}, {.name = "c", .footprint = (kind & 1) != 0 ? "2x1" : NULL}};
  fuzz_require(
    fw_controller_set_robots(&run.controller, robots, ROBOTS, run.now_ns, &error) == FW_RET_OK, "three robots");
  for (int32_t k = 0; k < 60 && fuzz_has_more(&bytes); ++k) {
    step(&run, &bytes);
    run.now_ns += (int64_t)fuzz_byte(&bytes) * 10000000;
    (void)fw_controller_update(&run.controller, run.now_ns);
    check(&run);
  }
  fw_controller_fini(&run.controller);
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  // A map of 16 x 16 cells of 0.5 m, poses of all robots, a goal, then reports from the ends of releases.
  uint8_t drive[400] = {0, 0, 0, 15, 15, 0, 10};
  size_t at = 7;
  for (uint8_t r = 0; r < 3; ++r) {
    const uint8_t pose[] = {r, 19, r, 64, 0, (uint8_t)(36 + 4 * r), 64, 0, 36, 64, 0, 32, 100, 10};
    memcpy(drive + at, pose, sizeof(pose));
    at += sizeof(pose);
  }
  const uint8_t goal[] = {0, 11, 1, 64, 0, 50, 64, 0, 50, 64, 0, 32, 0, 0, 10};
  memcpy(drive + at, goal, sizeof(goal));
  at += sizeof(goal);
  for (uint8_t r = 0; at + 14 < sizeof(drive); ++r) {
    const uint8_t pose[] = {0, 19, (uint8_t)(r % 3), 64, 0, 36, 64, 0, 36, 64, 0, 32, 200, 50};
    memcpy(drive + at, pose, sizeof(pose));
    at += sizeof(pose);
  }
  add(context, drive, sizeof(drive));
  drive[0] = 1;
  add(context, drive, sizeof(drive));
}
