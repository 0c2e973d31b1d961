// The schedule: the plan in force as timed paths, one per robot: where it is meant to be, and when.
//
// Timed paths are kept in map coordinates and ROS time, so that they outlive a new map, another cell size and another
// speed. From the epoch on, waypoints lie on ticks (epoch + n * tick); before it lies what robots still do of the plan
// before. A waypoint is where a robot stands: a move or turn of several ticks has one at departure and one on arrival.

#ifndef ROS__PLANNER_NODE__CONTROLLER__SCHEDULE_H_
#define ROS__PLANNER_NODE__CONTROLLER__SCHEDULE_H_

#include <math.h>

#include "ros/planner_node/controller/body.h"
#include "ros/planner_node/text.h"

#define NODE_TIME_MAX INT64_MAX  // forever

typedef struct node_waypoint_t {
  int64_t stamp_ns;  // ROS time
  node_point_t point;
  double yaw;  // NAN: the plan gives none
} node_waypoint_t;

// The pose at a waypoint; without a yaw of its own, that of heading 0.
static inline node_pose_t node_waypoint_pose(const node_waypoint_t * waypoint, const node_frame_t * frame)
{
  return (node_pose_t){waypoint->point, isnan(waypoint->yaw) ? frame->yaw : waypoint->yaw};
}

// What <robot>/timed_path publishes.
typedef struct node_timed_path_t {
  node_waypoint_t * waypoints;  // by rising stamp; waits are one tick long, and none follows the last move
  int32_t count;                // 0: this robot has no plan
  int32_t capacity;
  node_body_t body;  // of the robot for which it was planned
} node_timed_path_t;

// Makes room for `count` waypoints. False if there is no memory; the path is as it was.
bool node_timed_path_reserve(node_timed_path_t * path, int32_t count);
// Where the robot is meant to be at a time. The path must not be empty; before it and after it the robot stands on the
// first and the last waypoint.
node_point_t node_timed_path_at(const node_timed_path_t * path, int64_t time_ns);
// The motion that the robot is on at a time: the waypoints before and after. Both are the same if it stands.
typedef struct node_motion_t {
  const node_waypoint_t * from;
  const node_waypoint_t * to;
} node_motion_t;
node_motion_t node_timed_path_motion(const node_timed_path_t * path, int64_t time_ns);
// The stamp of the last waypoint; 0 for an empty path.
int64_t node_timed_path_end(const node_timed_path_t * path);
// How many nanoseconds a robot at `point` is behind its path.
int64_t node_timed_path_delay(const node_timed_path_t * path, int64_t now_ns, int64_t tick_ns, node_point_t point);
// True if both are at the same place with the same yaw; a missing yaw equals any.
bool node_waypoints_are_alike(const node_waypoint_t * a, const node_waypoint_t * b);

typedef struct node_schedule_t {
  node_timed_path_t * paths;  // by robot of the fleet
  int32_t robot_count;
  int64_t epoch_ns;  // ROS time of tick 0
  int64_t tick_ns;
  int64_t safe_until_ns;         // the schedule is collision-free until then; NODE_TIME_MAX: it leads to the end
  char planner[NODE_NAME_SIZE];  // that made it; empty: there is no plan
  node_timed_path_t scratch;     // private
} node_schedule_t;

bool node_schedule_init(node_schedule_t * schedule, int32_t robot_count);
bool node_schedule_grow(node_schedule_t * schedule, int32_t robot_count);  // false if there is no memory
void node_schedule_fini(node_schedule_t * schedule);
void node_schedule_clear(node_schedule_t * schedule);  // no robot has a plan

// The end of the last path; 0 if there is none.
int64_t node_schedule_end(const node_schedule_t * schedule);
// The first tick of the schedule at or after a time; the time itself if there is no schedule.
int64_t node_schedule_round_up(const node_schedule_t * schedule, int64_t time_ns);

typedef struct node_path_change_t {
  int64_t now_ns;
  int64_t epoch_ns;  // of the new plan
  bool keeps_old;    // until the epoch the robot continues on its old path
  const node_waypoint_t * waypoints;
  int32_t count;
  node_body_t body;
} node_path_change_t;

// Replaces a robot's path by the rest of the old one until the epoch, then the new waypoints. A robot that is on a
// motion at the epoch completes it. Reads the schedule's old epoch and tick: change all paths first, then those. False
// if there is no memory; the path is then as it was.
bool node_schedule_change_path(node_schedule_t * schedule, int32_t robot, const node_path_change_t * change);

#endif  // ROS__PLANNER_NODE__CONTROLLER__SCHEDULE_H_
