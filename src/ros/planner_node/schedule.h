// The plan in force: where each robot is meant to be, and when.
//
// It is kept in world coordinates and ROS time, so that it outlives a new map, another cell size or another speed.
// From the epoch on, points lie on ticks: epoch + n * tick. Before it stands what robots still do of the plan before.
// Points are where robots stand; a move or a turn of several ticks has one at departure and one on arrival.

#ifndef ROS__PLANNER_NODE__SCHEDULE_H_
#define ROS__PLANNER_NODE__SCHEDULE_H_

#include "ros/planner_node/body.h"
#include "ros/planner_node/text.h"

#define TIME_MAX INT64_MAX  // for ever

typedef struct waypoint_t {
  int64_t stamp_ns;
  point_t point;
  double yaw;  // NAN: its plan does not say
} waypoint_t;

typedef struct track_t {
  waypoint_t * waypoints;  // stamps rising; waits are one tick long, and there are none after the last move
  int32_t count;           // 0: this robot has no plan
  int32_t capacity;
  body_t body;  // of whom it was made for
} track_t;

typedef struct schedule_t {
  track_t * tracks;  // one per robot of the fleet
  int32_t robot_count;
  int64_t epoch_ns;
  int64_t tick_ns;
  int64_t safe_until_ns;         // it says nothing of what comes after, and the next must follow; TIME_MAX: it is whole
  char planner[NODE_NAME_SIZE];  // who made it; empty if there is no plan
  track_t scratch;
} schedule_t;

bool schedule_init(schedule_t * schedule, int32_t robot_count);
bool schedule_grow(schedule_t * schedule, int32_t robot_count);  // room for more robots; false if there is no memory
void schedule_fini(schedule_t * schedule);
void schedule_clear(schedule_t * schedule);  // nobody has a plan

// Where the robot of a track that is not empty is meant to be; before and after it stands on the first and last point.
point_t track_at(const track_t * track, int64_t time_ns);
// The motion that the robot is on at a time, from one waypoint to the next; or both are the one that it stands on.
typedef struct track_motion_t {
  const waypoint_t * from;
  const waypoint_t * to;
} track_motion_t;
track_motion_t track_motion(const track_t * track, int64_t time_ns);
// Are they one place, and do robots there look the same way?
bool waypoints_are_alike(const waypoint_t * a, const waypoint_t * b);
int64_t track_end(const track_t * track);
// How far behind its track a robot at `point` is.
int64_t track_delay(const track_t * track, int64_t now_ns, int64_t tick_ns, point_t point);

// The end of the last track; 0 if there is none.
int64_t schedule_end(const schedule_t * schedule);
// The first tick of the schedule at or after a time.
int64_t schedule_round_up(const schedule_t * schedule, int64_t time_ns);

typedef struct track_change_t {
  int64_t now_ns;
  int64_t epoch_ns;
  bool keeps_old;  // until the epoch the robot goes on as before
  const waypoint_t * waypoints;
  int32_t count;
  body_t body;
} track_change_t;

// What is left of the old track until the epoch, then the new points; a robot that is on a motion at the epoch ends it.
// Uses `schedule` as it still is: change all tracks first, then epoch_ns and tick_ns. False if there is no memory; the
// track is then as it was.
bool schedule_change_track(schedule_t * schedule, int32_t robot, const track_change_t * change);

#endif  // ROS__PLANNER_NODE__SCHEDULE_H_
