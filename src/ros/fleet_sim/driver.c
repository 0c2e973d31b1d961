// Driver: one robot on its track. See driver.h.

#include "ros/fleet_sim/driver.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double LOOKS_AHEAD = 0.05;  // radians; turned further away than this, a robot with a turn rate turns first
static const double ON_TRACK = 1e-3;     // metres

void sim_driver_fini(sim_driver_t * driver)
{
  fw__track_fini(&driver->track);
  fw__track_fini(&driver->next);
  fw__track_fini(&driver->spare);
  *driver = (sim_driver_t){0};
}

fw_ret_t sim_driver_take(sim_driver_t * driver, const fw_track_t * track)
{
  if (track->count == 0) {
    fw__track_clear(&driver->track);
    fw__track_clear(&driver->next);
    return FW_RET_OK;
  }
  // What is still waiting to be taken over holds until the new one begins.
  int32_t keep = 0;
  while (keep < driver->next.count && driver->next.points[keep].time_ns < track->points[0].time_ns) {
    ++keep;
  }
  if (keep > 0 && keep < driver->next.count) {
    const fw_track_point_t end = fw__track_at(&driver->next, fw__track_place(&driver->next, track->points[0].time_ns));
    driver->next.points[keep++] = end;
  }
  driver->next.count = keep;
  return fw__track_append_range(&driver->next, track, 0, track->count);
}

fw_ret_t sim_driver_follow(sim_driver_t * driver, const fw_track_t * release)
{
  fw__track_clear(&driver->next);
  fw__track_clear(&driver->spare);
  fw_track_place_t meet = {0};
  if (release->count > 0) {
    meet = fw__track_nearest(release, meet, INT64_MAX, &driver->pose);
    const fw_track_point_t here = {.pose = driver->pose};
    if (
      fw__track_append(&driver->spare, here) != FW_RET_OK ||
      fw__track_append(&driver->spare, fw__track_at(release, meet)) != FW_RET_OK ||
      fw__track_append_range(&driver->spare, release, meet.index + 1, release->count) != FW_RET_OK) {
      return FW_RET_BAD_ALLOC;
    }
  }
  for (int32_t i = 0; i < driver->spare.count; ++i) {
    driver->spare.points[i].time_ns = 0;
  }
  fw__track_swap(&driver->track, &driver->spare);
  driver->place = (fw_track_place_t){0};
  driver->is_on_release = true;
  return FW_RET_OK;
}

static bool is_at_end(const sim_driver_t * driver) { return driver->place.index + 1 >= driver->track.count; }

// The old track from here to where the new one begins, as `spare`. A robot on time has nothing left of it.
static fw_ret_t append_rest(sim_driver_t * driver)
{
  const fw_track_point_t * start = &driver->next.points[0];
  const fw_track_place_t meet = fw__track_nearest(&driver->track, driver->place, start->time_ns, &start->pose);
  if (
    fw__track_append(&driver->spare, fw__track_at(&driver->track, driver->place)) != FW_RET_OK ||
    fw__track_append_range(&driver->spare, &driver->track, driver->place.index + 1, meet.index + 1) != FW_RET_OK) {
    return FW_RET_BAD_ALLOC;
  }
  return fw__track_append(&driver->spare, fw__track_at(&driver->track, meet));
}

// Where the new track is nearest to `pose`, of all that it has reached by now; `is_on` if it runs through it.
static fw_track_place_t find_on_next(const sim_driver_t * driver, int64_t now_ns, const fw_pose_t * pose, bool * is_on)
{
  const fw_track_place_t meet = fw__track_nearest(&driver->next, (fw_track_place_t){0}, now_ns, pose);
  const fw_track_point_t point = fw__track_at(&driver->next, meet);
  *is_on = fw__pose_distance(&point.pose, pose) <= ON_TRACK;
  return meet;
}

// The new track began before the robot's present place. Mostly it runs through that place too. If it came so late that
// the robot has missed the turn, the way to it is back along the old one. Without any, it is straight.
static fw_ret_t append_way_back(sim_driver_t * driver, int64_t now_ns, int32_t * next_index)
{
  const int64_t start_ns = driver->next.points[0].time_ns;
  bool is_on = false;
  fw_track_place_t meet = find_on_next(driver, now_ns, &driver->pose, &is_on);
  if (!is_on && fw__track_append(&driver->spare, (fw_track_point_t){start_ns, driver->pose}) != FW_RET_OK) {
    return FW_RET_BAD_ALLOC;
  }
  if (!is_on && driver->track.count > 0) {
    const fw_track_place_t turn_off = fw__track_place(&driver->track, start_ns);
    for (int32_t i = driver->place.index; !is_on && i >= turn_off.index; --i) {
      const fw_track_point_t past =
        i > turn_off.index ? driver->track.points[i] : fw__track_at(&driver->track, turn_off);
      if (fw__track_append(&driver->spare, (fw_track_point_t){start_ns, past.pose}) != FW_RET_OK) {
        return FW_RET_BAD_ALLOC;
      }
      meet = find_on_next(driver, now_ns, &past.pose, &is_on);
    }
  }
  *next_index = meet.index + 1;
  return fw__track_append(&driver->spare, fw__track_at(&driver->next, meet));
}

static fw_ret_t join_next(sim_driver_t * driver, int64_t now_ns)
{
  fw__track_clear(&driver->spare);
  const bool has_track = driver->track.count > 0 && !is_at_end(driver);
  int32_t next_index = 0;
  fw_ret_t ret;
  if (has_track && fw__track_at(&driver->track, driver->place).time_ns < driver->next.points[0].time_ns) {
    ret = append_rest(driver);
  } else {
    ret = append_way_back(driver, now_ns, &next_index);
  }
  if (ret == FW_RET_OK) {
    ret = fw__track_append_range(&driver->spare, &driver->next, next_index, driver->next.count);
  }
  if (ret == FW_RET_OK) {
    fw__track_swap(&driver->track, &driver->spare);
    fw__track_clear(&driver->next);
    driver->place = (fw_track_place_t){0};
  }
  return ret;
}

static double turn_between(double from, double to) { return remainder(to - from, 2.0 * PI); }

// Turns toward `yaw` for at most `seconds`; returns the seconds that are left.
static double turn(sim_driver_t * driver, double yaw, double seconds, const sim_driver_limits_t * limits)
{
  const double angle = turn_between(driver->pose.yaw, yaw);
  if (limits->turn_rate <= 0.0 || fabs(angle) <= limits->turn_rate * seconds) {
    driver->pose.yaw = yaw;
    return limits->turn_rate <= 0.0 ? seconds : seconds - fabs(angle) / limits->turn_rate;
  }
  driver->pose.yaw = remainder(driver->pose.yaw + copysign(limits->turn_rate * seconds, angle), 2.0 * PI);
  return 0.0;
}

// How far into the present stretch the robot may be at `now_ns`.
static double fraction_due(const fw_track_point_t * point, int64_t now_ns)
{
  if (now_ns >= point[1].time_ns) {
    return 1.0;
  }
  return now_ns <= point->time_ns ? 0.0
                                  : (double)(now_ns - point->time_ns) / (double)(point[1].time_ns - point->time_ns);
}

static void drive(sim_driver_t * driver, int64_t now_ns, double seconds, const sim_driver_limits_t * limits)
{
  while (!is_at_end(driver) && seconds > 0.0) {
    const fw_track_point_t * point = &driver->track.points[driver->place.index];
    const double length = fw__pose_distance(&point->pose, &point[1].pose);
    const double due = fraction_due(point, now_ns);
    if (length > 0.0 && due > driver->place.fraction) {
      const double yaw = atan2(point[1].pose.y - point->pose.y, point[1].pose.x - point->pose.x);
      if (limits->turn_rate <= 0.0 || fabs(turn_between(driver->pose.yaw, yaw)) > LOOKS_AHEAD) {
        seconds = turn(driver, yaw, seconds, limits);
      }
      const double wanted = (due - driver->place.fraction) * length;
      const double driven = wanted < limits->speed * seconds ? wanted : limits->speed * seconds;
      seconds -= driven / limits->speed;
      driver->distance += driven;
      driver->place.fraction = driven == wanted ? due : driver->place.fraction + driven / length;
    } else if (length == 0.0) {
      driver->place.fraction = due;
    }
    if (driver->place.fraction < 1.0) {
      break;  // on time, or out of it
    }
    driver->place = (fw_track_place_t){.index = driver->place.index + 1};
  }
  // A robot that stands looks where it goes next.
  const fw_track_point_t * point = &driver->track.points[driver->place.index];
  if (seconds > 0.0 && is_at_end(driver)) {
    (void)turn(driver, point->pose.yaw, seconds, limits);
  } else if (seconds > 0.0 && fw__pose_distance(&point->pose, &point[1].pose) == 0.0) {
    const double angle = turn_between(point->pose.yaw, point[1].pose.yaw);
    (void)turn(driver, point->pose.yaw + driver->place.fraction * angle, seconds, limits);
  }
  const fw_track_point_t here = fw__track_at(&driver->track, driver->place);
  driver->pose.x = here.pose.x;
  driver->pose.y = here.pose.y;
}

fw_ret_t sim_driver_step(sim_driver_t * driver, int64_t now_ns, double seconds, const sim_driver_limits_t * limits)
{
  if (driver->next.count > 0 && now_ns >= driver->next.points[0].time_ns) {
    const fw_ret_t ret = join_next(driver, now_ns);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  const double distance = driver->distance;
  const double yaw = driver->pose.yaw;
  if (driver->track.count > 0) {
    drive(driver, now_ns, seconds, limits);
  }
  driver->speed = (driver->distance - distance) / seconds;
  driver->turn_rate = turn_between(yaw, driver->pose.yaw) / seconds;
  return FW_RET_OK;
}

double sim_driver_late_seconds(const sim_driver_t * driver, int64_t now_ns)
{
  if (driver->track.count == 0 || is_at_end(driver) || driver->is_on_release) {
    return 0.0;
  }
  const int64_t late_ns = now_ns - fw__track_at(&driver->track, driver->place).time_ns;
  return late_ns > 0 ? 1e-9 * (double)late_ns : 0.0;
}
