// The schedule: the plan in force as timed paths, one per robot: where it is meant to be, and when.
//
// Timed paths are kept in map coordinates and ROS time, so that they outlive a new map, another cell size and another
// speed. From the epoch on, waypoints lie on ticks (epoch + n * tick); before it lies what robots still do of the plan
// before. A waypoint is where a robot stands: a move or turn of several ticks has one at departure and one on arrival.

#ifndef CONTROLLER__ROUND__SCHEDULE_H_
#define CONTROLLER__ROUND__SCHEDULE_H_

#include <math.h>

#include "controller/body.h"

// The pose at a waypoint; without a yaw of its own, that of heading 0.
static inline fw_pose_t fw__timed_waypoint_pose(const fw_timed_waypoint_t * waypoint, const fw_map_frame_t * frame)
{
  return (fw_pose_t){waypoint->point, isnan(waypoint->yaw) ? frame->yaw : waypoint->yaw};
}

// What <robot>/timed_path publishes.
typedef struct fw_timed_path_t {
  fw_timed_waypoint_t * waypoints;  // by rising stamp; waits are one tick long, and none follows the last move
  int32_t count;                    // 0: this robot has no plan
  int32_t capacity;
  fw_robot_body_t body;  // of the robot for which it was planned
} fw_timed_path_t;

// Makes room for `count` waypoints. False if there is no memory; the path is as it was.
bool fw__timed_path_reserve(fw_timed_path_t * path, int32_t count);
// Where the robot is meant to be at a time. The path must not be empty; before it and after it the robot stands on the
// first and the last waypoint.
fw_point_t fw__timed_path_at(const fw_timed_path_t * path, int64_t time_ns);
// The motion that the robot is on at a time: the waypoints before and after. Both are the same if it stands.
typedef struct fw_path_motion_t {
  const fw_timed_waypoint_t * from;
  const fw_timed_waypoint_t * to;
} fw_path_motion_t;
fw_path_motion_t fw__timed_path_motion(const fw_timed_path_t * path, int64_t time_ns);
// The stamp of the last waypoint; 0 for an empty path.
int64_t fw__timed_path_end(const fw_timed_path_t * path);
// How many nanoseconds a robot at `point` is behind its path.
int64_t fw__timed_path_delay(const fw_timed_path_t * path, int64_t now_ns, int64_t tick_ns, fw_point_t point);
// True if both are at the same place with the same yaw; a missing yaw equals any.
bool fw__timed_waypoints_are_alike(const fw_timed_waypoint_t * a, const fw_timed_waypoint_t * b);

typedef struct fw_schedule_t {
  fw_timed_path_t * paths;  // by robot of the fleet
  int32_t robot_count;
  int64_t epoch_ns;  // ROS time of tick 0
  int64_t tick_ns;
  int64_t safe_until_ns;       // the schedule is collision-free until then; FW_TIME_MAX_NS: it leads to the end
  char planner[FW_NAME_SIZE];  // that made it; empty: there is no plan
  fw_timed_path_t scratch;     // private
} fw_schedule_t;

bool fw__schedule_init(fw_schedule_t * schedule, int32_t robot_count);
bool fw__schedule_grow(fw_schedule_t * schedule, int32_t robot_count);  // false if there is no memory
void fw__schedule_fini(fw_schedule_t * schedule);
void fw__schedule_clear(fw_schedule_t * schedule);  // no robot has a plan

// The end of the last path; 0 if there is none.
int64_t fw__schedule_end(const fw_schedule_t * schedule);
// The first tick of the schedule at or after a time; the time itself if there is no schedule.
int64_t fw__schedule_round_up(const fw_schedule_t * schedule, int64_t time_ns);

typedef struct fw_path_change_t {
  int64_t now_ns;
  int64_t epoch_ns;  // of the new plan
  bool keeps_old;    // until the epoch the robot continues on its old path
  const fw_timed_waypoint_t * waypoints;
  int32_t count;
  fw_robot_body_t body;
} fw_path_change_t;

// Replaces a robot's path by the rest of the old one until the epoch, then the new waypoints. A robot that is on a
// motion at the epoch completes it. Reads the schedule's old epoch and tick: change all paths first, then those. False
// if there is no memory; the path is then as it was.
bool fw__schedule_change_path(fw_schedule_t * schedule, int32_t robot, const fw_path_change_t * change);

#endif  // CONTROLLER__ROUND__SCHEDULE_H_
