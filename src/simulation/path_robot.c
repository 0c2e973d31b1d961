// Driving along polylines with turns on the spot. See path_robot.h.

#include "simulation/path_robot.h"

#include <math.h>

#include "base/assert.h"

static const double NEAR = 1e-6;           // metres or radians: rounding errors
static const double BESIDE_METRES = 0.05;  // what pose errors and tolerances of waypoints amount to
static const double FULL_TURN = 6.283185307179586;

static double apart(fw_point_t a, fw_point_t b) { return hypot(a.x - b.x, a.y - b.y); }

// The turn from one yaw to another, in (-pi, pi]; 0 if either is any.
static double turn_between(double from, double to)
{
  return isnan(from) || isnan(to) ? 0.0 : remainder(to - from, FULL_TURN);
}

static bool are_alike(const fw_path_robot_t * robot, fw_pose_t a, fw_pose_t b)
{
  return apart(a.point, b.point) <= NEAR && (!robot->has_heading || fabs(turn_between(a.yaw, b.yaw)) <= NEAR);
}

// A place on a path: on leg `leg` at `share`.
typedef struct path_place_t {
  int32_t leg;
  double share;
} path_place_t;

static fw_pose_t pose_at(const fw_pose_t * path, int32_t count, path_place_t place)
{
  const fw_pose_t from = path[place.leg];
  if (place.leg + 1 >= count) {
    return from;
  }
  const fw_pose_t to = path[place.leg + 1];
  return (fw_pose_t){
    .point =
      {from.point.x + place.share * (to.point.x - from.point.x),
       from.point.y + place.share * (to.point.y - from.point.y)},
    .yaw = isnan(from.yaw) ? to.yaw : from.yaw + place.share * turn_between(from.yaw, to.yaw),
  };
}

// Is the pose on leg `leg`? Then `share` is set.
static bool is_on_leg(const fw_path_robot_t * robot, fw_pose_t from, fw_pose_t to, fw_pose_t pose, double * share)
{
  const double length = apart(from.point, to.point);
  if (length > NEAR) {
    const double along = ((pose.point.x - from.point.x) * (to.point.x - from.point.x) +
                          (pose.point.y - from.point.y) * (to.point.y - from.point.y)) /
                         (length * length);
    *share = fmin(fmax(along, 0.0), 1.0);
  } else {
    const double turn = turn_between(from.yaw, to.yaw);
    *share = turn == 0.0 ? 0.0 : fmin(fmax(turn_between(from.yaw, pose.yaw) / turn, 0.0), 1.0);
  }
  const fw_pose_t both[2] = {from, to};
  return are_alike(robot, pose_at(both, 2, (path_place_t){0, *share}), pose);
}

// The last place of a path that has this pose: what is released does not touch itself.
static bool find_on_path(
  const fw_path_robot_t * robot, const fw_pose_t * path, int32_t count, fw_pose_t pose, path_place_t * place)
{
  for (int32_t leg = count - 1; leg >= 0; --leg) {
    double share = 0.0;
    const bool is_end = leg + 1 == count;
    if (is_end ? are_alike(robot, path[leg], pose) : is_on_leg(robot, path[leg], path[leg + 1], pose, &share)) {
      *place = (path_place_t){leg, share};
      return true;
    }
  }
  return false;
}

// Is a path a part of the one that the robot holds, and ends before the robot's progress? Then the message says: stop.
static bool ends_behind(const fw_path_robot_t * robot, const fw_pose_t * path, int32_t count)
{
  path_place_t before = {0, 0.0};
  for (int32_t k = 0; k < count; ++k) {
    path_place_t place;
    if (!find_on_path(robot, robot->path, robot->count, path[k], &place)) {
      return false;
    }
    if (place.leg + place.share + NEAR < before.leg + before.share) {
      return false;
    }
    before = place;
  }
  return before.leg + before.share <= robot->leg + robot->share + NEAR;
}

fw_pose_t fw__path_robot_progress(const fw_path_robot_t * robot)
{
  return robot->count == 0 ? robot->pose : pose_at(robot->path, robot->count, (path_place_t){robot->leg, robot->share});
}

// Ends the path where the robot is. What it has driven of it stays known, so that the same message means the same when
// it comes again.
static void stop(fw_path_robot_t * robot, fw_pose_t progress)
{
  if (robot->share > 0.0) {
    robot->leg += 1;
    robot->share = 0.0;
    robot->path[robot->leg] = progress;
  }
  robot->count = robot->leg + 1;
}

static const double RADIAN = 1.0;  // metres that a heading which is off by a radian counts as: what a body sweeps then

// How far a robot is from a pose, its heading included where that matters: `radian` is RADIAN or 0.
static double distance_to(const fw_path_robot_t * robot, fw_pose_t pose, double radian)
{
  const double turn = robot->has_heading ? fabs(turn_between(robot->pose.yaw, pose.yaw)) : 0.0;
  return apart(robot->pose.point, pose.point) + turn * radian;
}

// A robot beside its path continues from the nearest point of the path that is ahead of `from`. One with a heading does
// not leave out a turn that it has not made: what lies behind the turn is near its place, but not near its heading.
static void find_nearest(fw_path_robot_t * robot, path_place_t from, double radian)
{
  double nearest = distance_to(robot, pose_at(robot->path, robot->count, from), radian);
  path_place_t best = from;
  for (int32_t leg = from.leg; leg + 1 < robot->count; ++leg) {
    double share = 0.0;
    (void)is_on_leg(robot, robot->path[leg], robot->path[leg + 1], robot->pose, &share);
    const path_place_t place = {leg, fmax(share, leg == from.leg ? from.share : 0.0)};
    const double distance = distance_to(robot, pose_at(robot->path, robot->count, place), radian);
    if (distance < nearest - NEAR) {
      nearest = distance;
      best = place;
    }
  }
  robot->leg = best.leg;
  robot->share = best.share;
}

void fw__path_robot_take(fw_path_robot_t * robot, const fw_timed_waypoint_t * waypoints, int32_t count)
{
  fw_pose_t path[FW_PATH_ROBOT_POSES_MAX];
  int32_t kept = 0;
  for (int32_t k = 0; k < count && kept < FW_PATH_ROBOT_POSES_MAX; ++k) {
    const fw_pose_t pose = {waypoints[k].point, robot->has_heading ? waypoints[k].yaw : NAN};
    if (kept == 0 || !are_alike(robot, path[kept - 1], pose)) {
      path[kept++] = pose;
    }
  }
  // One that has strayed does not know better than by its progress; another may still be on the way to its path.
  const fw_pose_t progress = robot->has_strayed ? fw__path_robot_progress(robot) : robot->pose;
  path_place_t place = {0, 0.0};
  const bool is_other = kept > 0 && !find_on_path(robot, path, kept, progress, &place);
  if (is_other) {
    place = (path_place_t){0, 0.0};  // another plan: it drives to the beginning, or goes on where it is just beside it
    if (robot->count > 0 && ends_behind(robot, path, kept)) {
      stop(robot, progress);
      return;
    }
  }
  for (int32_t k = 0; k < kept; ++k) {
    robot->path[k] = path[k];
  }
  robot->count = kept;
  robot->leg = place.leg;
  robot->share = place.share;
  if (is_other && kept > 0) {
    find_nearest(robot, place, RADIAN);
    if (apart(robot->pose.point, fw__path_robot_progress(robot).point) > BESIDE_METRES) {
      robot->leg = place.leg;
      robot->share = place.share;
    }
  }
}

// Moves the pose towards a target within some seconds, first along the line, then turning. Returns the seconds left.
static double approach(fw_path_robot_t * robot, fw_pose_t target, double seconds, double pace)
{
  const double distance = apart(robot->pose.point, target.point);
  if (distance > 0.0 && seconds > 0.0) {
    const double step = fmin(distance, seconds * robot->speed * pace);
    robot->pose.point.x += step / distance * (target.point.x - robot->pose.point.x);
    robot->pose.point.y += step / distance * (target.point.y - robot->pose.point.y);
    seconds -= step / (robot->speed * pace);
    robot->pose.point = step >= distance ? target.point : robot->pose.point;
  }
  const double turn = robot->has_heading ? turn_between(robot->pose.yaw, target.yaw) : 0.0;
  if (turn != 0.0 && seconds > 1e-12 && apart(robot->pose.point, target.point) == 0.0) {
    const double step = fmin(fabs(turn), seconds * robot->turn_rate * pace);
    robot->pose.yaw += turn > 0.0 ? step : -step;
    seconds -= step / (robot->turn_rate * pace);
    robot->pose.yaw = step >= fabs(turn) ? target.yaw : robot->pose.yaw;
  }
  return seconds;
}

static bool is_at(const fw_path_robot_t * robot, fw_pose_t target)
{
  return apart(robot->pose.point, target.point) <= 1e-9 &&
         (!robot->has_heading || fabs(turn_between(robot->pose.yaw, target.yaw)) <= 1e-9);
}

static bool is_within_reach(const fw_path_robot_t * robot)
{
  return apart(robot->pose.point, fw__path_robot_progress(robot).point) <= robot->give_up;
}

// Where a robot that was pushed continues: ahead if that is near, otherwise anywhere on its path. It would rather not
// leave out a turn, but what has its heading may be too far.
static void find_way_back(fw_path_robot_t * robot)
{
  const path_place_t here = {robot->leg, robot->share};
  const fw_pose_t before = fw__path_robot_progress(robot);
  find_nearest(robot, here, RADIAN);
  if (!is_within_reach(robot)) {
    find_nearest(robot, here, 0.0);
  }
  if (is_within_reach(robot)) {
    return;
  }
  find_nearest(robot, (path_place_t){0, 0.0}, 0.0);
  robot->passed = robot->is_behind ? robot->passed : before;
  robot->is_behind = true;
}

// The robot is on its path. Has it strayed no longer?
static void end_straying(fw_path_robot_t * robot)
{
  path_place_t passed;
  const bool is_before = robot->is_behind && find_on_path(robot, robot->path, robot->count, robot->passed, &passed) &&
                         robot->leg + robot->share + NEAR < passed.leg + passed.share;
  robot->is_behind = is_before;
  robot->has_strayed = is_before;
}

void fw__path_robot_drive(fw_path_robot_t * robot, double seconds, double pace)
{
  FW_ASSERT(robot->speed > 0.0 && robot->turn_rate > 0.0);
  if (robot->count == 0 || pace <= 0.0) {
    return;
  }
  fw_pose_t progress = fw__path_robot_progress(robot);
  if (!is_at(robot, progress)) {
    if (robot->has_strayed) {
      find_way_back(robot);
      progress = fw__path_robot_progress(robot);
    }
    if (apart(robot->pose.point, progress.point) > robot->give_up) {
      return;
    }
    seconds = approach(robot, progress, seconds, pace);
    if (!is_at(robot, progress)) {
      return;
    }
  }
  while (seconds > 1e-12 && robot->leg + 1 < robot->count) {
    const fw_pose_t from = robot->path[robot->leg], to = robot->path[robot->leg + 1];
    const double length = apart(from.point, to.point);
    const bool is_turn = length <= NEAR;
    const double size = is_turn ? fabs(turn_between(from.yaw, to.yaw)) : length;
    const double rate = (is_turn ? robot->turn_rate : robot->speed) * pace;
    const double left = (1.0 - robot->share) * size;
    if (seconds * rate < left) {
      robot->share += seconds * rate / size;
      seconds = 0.0;
    } else {
      seconds -= left / rate;
      robot->leg += 1;
      robot->share = 0.0;
    }
  }
  const fw_pose_t now = fw__path_robot_progress(robot);
  robot->pose.point = now.point;
  robot->pose.yaw = robot->has_heading && !isnan(now.yaw) ? now.yaw : robot->pose.yaw;
  end_straying(robot);
}

void fw__path_robot_push(fw_path_robot_t * robot, fw_pose_t pose)
{
  robot->pose = pose;
  robot->is_behind = robot->has_strayed && robot->is_behind;
  robot->has_strayed = true;
}

fw_point_t fw__path_robot_disc(const fw_path_robot_t * robot, int32_t index)
{
  FW_ASSERT(index >= 0 && index < robot->cell_count);
  const double x = robot->cells[index].dx * robot->cell_size, y = robot->cells[index].dy * robot->cell_size;
  const double c = cos(robot->pose.yaw), s = sin(robot->pose.yaw);
  return (fw_point_t){robot->pose.point.x + c * x - s * y, robot->pose.point.y + s * x + c * y};
}

double fw__path_robot_distance(const fw_path_robot_t * a, const fw_path_robot_t * b)
{
  double nearest = INFINITY;
  for (int32_t i = 0; i < a->cell_count; ++i) {
    for (int32_t j = 0; j < b->cell_count; ++j) {
      nearest = fmin(nearest, apart(fw__path_robot_disc(a, i), fw__path_robot_disc(b, j)));
    }
  }
  return nearest;
}

double fw__path_robot_distance_ahead(const fw_path_robot_t * robot, fw_point_t point)
{
  double nearest = apart(robot->pose.point, point);
  for (int32_t k = robot->leg; k < robot->count; ++k) {
    nearest = fmin(nearest, apart(robot->path[k].point, point));
  }
  return nearest;
}
