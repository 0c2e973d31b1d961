// Robot: the motion models of a simulated robot. See robot.h.

#include "ros/fleet_sim/robot.h"

#include <math.h>

#include "base/assert.h"

static const double PI = 3.14159265358979323846;
static const double ALIGNED = 0.05;  // radians; with a larger heading error a robot with a turn rate turns first
static const double ON_PATH = 1e-3;  // metres

// ---- driver

void sim_driver_fini(sim_driver_t * driver)
{
  fw__polyline_fini(&driver->path);
  fw__polyline_fini(&driver->next);
  fw__polyline_fini(&driver->spare);
  *driver = (sim_driver_t){0};
}

fw_ret_t sim_driver_set_timed_path(sim_driver_t * driver, const fw_polyline_t * path)
{
  FW_ASSERT(fw__polyline_validate(path));
  if (path->count == 0) {
    fw__polyline_clear(&driver->path);
    fw__polyline_clear(&driver->next);
    return FW_RET_OK;
  }
  // A path that still waits for its first time stays in force until the new one begins.
  fw_polyline_t * next = &driver->next;
  const int64_t start_ns = path->points[0].time_ns;
  int32_t keep = 0;
  while (keep < next->count && next->points[keep].time_ns < start_ns) {
    ++keep;
  }
  if (keep > 0 && keep < next->count) {
    const fw_polyline_point_t end = fw__polyline_at(next, fw__polyline_position_at(next, start_ns));
    next->points[keep++] = end;
  }
  next->count = keep;
  fw__polyline_append_range(next, path, 0, path->count);
  return next->has_failed ? FW_RET_BAD_ALLOC : FW_RET_OK;
}

fw_ret_t sim_driver_set_released_path(sim_driver_t * driver, const fw_polyline_t * release)
{
  fw__polyline_clear(&driver->next);
  fw__polyline_clear(&driver->spare);
  if (release->count > 0) {
    const fw_polyline_position_t meet =
      fw__polyline_nearest(release, (fw_polyline_position_t){0}, INT64_MAX, &driver->pose);
    fw__polyline_append(&driver->spare, (fw_polyline_point_t){.pose = driver->pose});
    fw__polyline_append(&driver->spare, fw__polyline_at(release, meet));
    fw__polyline_append_range(&driver->spare, release, meet.index + 1, release->count);
  }
  if (driver->spare.has_failed) {
    return FW_RET_BAD_ALLOC;
  }
  for (int32_t i = 0; i < driver->spare.count; ++i) {
    driver->spare.points[i].time_ns = 0;
  }
  fw__polyline_swap(&driver->path, &driver->spare);
  driver->position = (fw_polyline_position_t){0};
  driver->is_on_release = true;
  return FW_RET_OK;
}

static bool is_at_end(const sim_driver_t * driver) { return driver->position.index + 1 >= driver->path.count; }

// Appends to `spare` the old path from here to where the new one begins. Nothing is left of it for a robot on time.
static void append_rest(sim_driver_t * driver)
{
  const fw_polyline_point_t * start = &driver->next.points[0];
  const fw_polyline_position_t meet =
    fw__polyline_nearest(&driver->path, driver->position, start->time_ns, &start->pose);
  fw__polyline_append(&driver->spare, fw__polyline_at(&driver->path, driver->position));
  fw__polyline_append_range(&driver->spare, &driver->path, driver->position.index + 1, meet.index + 1);
  fw__polyline_append(&driver->spare, fw__polyline_at(&driver->path, meet));
}

// The position nearest to `pose` on the part of the new path that is due by now; `is_on`: the path runs through `pose`.
static fw_polyline_position_t find_on_next(
  const sim_driver_t * driver, int64_t now_ns, const fw_pose2d_t * pose, bool * is_on)
{
  const fw_polyline_position_t meet = fw__polyline_nearest(&driver->next, (fw_polyline_position_t){0}, now_ns, pose);
  const fw_polyline_point_t point = fw__polyline_at(&driver->next, meet);
  *is_on = fw__pose2d_distance(&point.pose, pose) <= ON_PATH;
  return meet;
}

// The new path began before the robot's present position. Mostly it runs through that position too. If it came so late
// that the robot has missed the turn, the robot goes back along the old path until it meets the new one. Without an old
// path it goes straight. Returns the index of the point of the new path that follows.
static int32_t append_way_back(sim_driver_t * driver, int64_t now_ns)
{
  const int64_t start_ns = driver->next.points[0].time_ns;
  bool is_on = false;
  fw_polyline_position_t meet = find_on_next(driver, now_ns, &driver->pose, &is_on);
  if (!is_on) {
    fw__polyline_append(&driver->spare, (fw_polyline_point_t){start_ns, driver->pose});
  }
  if (!is_on && driver->path.count > 0) {
    const fw_polyline_position_t turn_off = fw__polyline_position_at(&driver->path, start_ns);
    for (int32_t i = driver->position.index; !is_on && i >= turn_off.index; --i) {
      const fw_polyline_point_t past =
        i > turn_off.index ? driver->path.points[i] : fw__polyline_at(&driver->path, turn_off);
      fw__polyline_append(&driver->spare, (fw_polyline_point_t){start_ns, past.pose});
      meet = find_on_next(driver, now_ns, &past.pose, &is_on);
    }
  }
  fw__polyline_append(&driver->spare, fw__polyline_at(&driver->next, meet));
  return meet.index + 1;
}

// Replaces the path by `next`, joined to where the robot is.
static fw_ret_t join_next(sim_driver_t * driver, int64_t now_ns)
{
  FW_ASSERT(driver->next.count > 0);
  fw__polyline_clear(&driver->spare);
  const bool has_path = driver->path.count > 0 && !is_at_end(driver);
  int32_t next_index = 0;
  if (has_path && fw__polyline_at(&driver->path, driver->position).time_ns < driver->next.points[0].time_ns) {
    append_rest(driver);
  } else {
    next_index = append_way_back(driver, now_ns);
  }
  fw__polyline_append_range(&driver->spare, &driver->next, next_index, driver->next.count);
  if (driver->spare.has_failed) {
    return FW_RET_BAD_ALLOC;
  }
  fw__polyline_swap(&driver->path, &driver->spare);
  fw__polyline_clear(&driver->next);
  driver->position = (fw_polyline_position_t){0};
  return FW_RET_OK;
}

// Turns toward `yaw` for at most `seconds`; returns the seconds that are left.
static double turn(sim_driver_t * driver, double yaw, double seconds, const sim_driver_limits_t * limits)
{
  const double angle = fw__shortest_angular_distance(driver->pose.yaw, yaw);
  if (limits->turn_rate <= 0.0 || fabs(angle) <= limits->turn_rate * seconds) {
    driver->pose.yaw = yaw;
    return limits->turn_rate <= 0.0 ? seconds : seconds - fabs(angle) / limits->turn_rate;
  }
  driver->pose.yaw = remainder(driver->pose.yaw + copysign(limits->turn_rate * seconds, angle), 2.0 * PI);
  return 0.0;
}

// The fraction of the present segment at which a robot on time is at `now_ns`.
static double fraction_due(const fw_polyline_point_t * point, int64_t now_ns)
{
  if (now_ns >= point[1].time_ns) {
    return 1.0;
  }
  return now_ns <= point->time_ns ? 0.0
                                  : (double)(now_ns - point->time_ns) / (double)(point[1].time_ns - point->time_ns);
}

// Moves the robot along its path until it is on time, at the end, or out of time.
static void drive_along(sim_driver_t * driver, int64_t now_ns, double seconds, const sim_driver_limits_t * limits)
{
  while (!is_at_end(driver) && seconds > 0.0) {
    const fw_polyline_point_t * point = &driver->path.points[driver->position.index];
    const double length = fw__pose2d_distance(&point->pose, &point[1].pose);
    const double due = fraction_due(point, now_ns);
    if (length > 0.0 && due > driver->position.fraction) {
      const double yaw = atan2(point[1].pose.y - point->pose.y, point[1].pose.x - point->pose.x);
      if (limits->turn_rate <= 0.0 || fabs(fw__shortest_angular_distance(driver->pose.yaw, yaw)) > ALIGNED) {
        seconds = turn(driver, yaw, seconds, limits);
      }
      const double wanted = (due - driver->position.fraction) * length;
      const double driven = wanted < limits->speed * seconds ? wanted : limits->speed * seconds;
      seconds -= driven / limits->speed;
      driver->distance += driven;
      driver->position.fraction = driven == wanted ? due : driver->position.fraction + driven / length;
    } else if (length == 0.0) {
      driver->position.fraction = due;
    }
    if (driver->position.fraction < 1.0) {
      break;  // on time, or no seconds are left
    }
    driver->position = (fw_polyline_position_t){.index = driver->position.index + 1};
  }
  // A robot that stands turns to its next heading.
  const fw_polyline_point_t * point = &driver->path.points[driver->position.index];
  if (seconds > 0.0 && is_at_end(driver)) {
    (void)turn(driver, point->pose.yaw, seconds, limits);
  } else if (seconds > 0.0 && fw__pose2d_distance(&point->pose, &point[1].pose) == 0.0) {
    const double angle = fw__shortest_angular_distance(point->pose.yaw, point[1].pose.yaw);
    (void)turn(driver, point->pose.yaw + driver->position.fraction * angle, seconds, limits);
  }
  const fw_polyline_point_t here = fw__polyline_at(&driver->path, driver->position);
  driver->pose.x = here.pose.x;
  driver->pose.y = here.pose.y;
}

fw_ret_t sim_driver_step(sim_driver_t * driver, const sim_step_t * step, const sim_driver_limits_t * limits)
{
  FW_ASSERT(step->seconds > 0.0 && limits->speed > 0.0);
  if (step->speed_factor <= 0.0) {
    driver->speed = 0.0;
    driver->turn_rate = 0.0;
    return FW_RET_OK;
  }
  if (driver->next.count > 0 && step->now_ns >= driver->next.points[0].time_ns) {
    const fw_ret_t ret = join_next(driver, step->now_ns);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  const sim_driver_limits_t scaled = {limits->speed * step->speed_factor, limits->turn_rate};
  const double distance = driver->distance;
  const double yaw = driver->pose.yaw;
  if (driver->path.count > 0) {
    drive_along(driver, step->now_ns, step->seconds, &scaled);
  }
  driver->speed = (driver->distance - distance) / step->seconds;
  driver->turn_rate = fw__shortest_angular_distance(yaw, driver->pose.yaw) / step->seconds;
  return FW_RET_OK;
}

double sim_driver_late_seconds(const sim_driver_t * driver, int64_t now_ns)
{
  if (driver->path.count == 0 || is_at_end(driver) || driver->is_on_release) {
    return 0.0;
  }
  const int64_t late_ns = now_ns - fw__polyline_at(&driver->path, driver->position).time_ns;
  return late_ns > 0 ? 1e-9 * (double)late_ns : 0.0;
}

// ---- differential drive

static double draw_factor(fw_rng_t * rng, double error)
{
  return 1.0 + error * ((double)(fw__rng_next(rng) >> 11) * 0x1p-52 - 1.0);
}

void sim_diff_drive_command(sim_diff_drive_t * drive, fw_twist_t command)
{
  drive->command = command;
  drive->has_command = true;
}

fw_pose2d_t sim_diff_drive_step(
  sim_diff_drive_t * drive, fw_pose2d_t pose, const sim_step_t * step, const sim_diff_drive_options_t * options)
{
  FW_ASSERT(step->seconds > 0.0 && options->error >= 0.0 && options->error < 1.0);
  const int64_t second = step->now_ns / 1000000000 + 1;  // never 0, which means that nothing was drawn yet
  if (second != drive->second) {
    drive->second = second;
    drive->factor.speed = draw_factor(&drive->rng, options->error);
    drive->factor.turn_rate = draw_factor(&drive->rng, options->error);
  }
  drive->command_ns = drive->has_command ? step->now_ns : drive->command_ns;
  drive->has_command = false;
  const bool is_commanded = step->now_ns - drive->command_ns <= options->command_timeout_ns;
  fw_twist_t wanted = is_commanded ? drive->command : (fw_twist_t){0};
  wanted.sideways = options->is_holonomic ? wanted.sideways : 0.0;
  if (step->speed_factor <= 0.0) {
    drive->twist = (fw_twist_t){0};
    return pose;
  }
  fw_twist_limits_t limits = options->limits;
  limits.speed *= step->speed_factor;
  drive->twist = fw__twist_toward(drive->twist, wanted, step->seconds, &limits);
  const fw_twist_t executed = {
    .speed = drive->twist.speed * drive->factor.speed,
    .turn_rate = drive->twist.turn_rate * drive->factor.turn_rate,
    .sideways = drive->twist.sideways * drive->factor.speed,
  };
  return fw__pose2d_after(pose, executed, step->seconds);
}
