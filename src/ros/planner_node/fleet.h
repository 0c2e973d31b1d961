// The robots: where they are, where they want to go, and what is wrong with them.

#ifndef ROS__PLANNER_NODE__FLEET_H_
#define ROS__PLANNER_NODE__FLEET_H_

#include "ros/planner_node/body.h"
#include "ros/planner_node/inbox.h"
#include "ros/planner_node/map.h"
#include "ros/planner_node/schedule.h"

// A number of Nav2's planner server with its reason. fw_fault_t has them but for this one.
enum { FAULT_FRAME = 202 };

typedef struct fault_t {
  int32_t number;  // 0: nothing is wrong
  char text[REASON_SIZE];
} fault_t;

typedef struct robot_t {
  char name[NAME_SIZE];  // empty: this place is free, and nothing else here means anything
  bool has_come;         // into a place where another may have been; whoever follows the list clears it
  int32_t priority;
  body_t body;

  bool has_pose;
  point_t point;
  double yaw;
  int64_t heard_ns;  // ROS time of the last good pose
  bool is_stale;
  bool is_off_plan;
  bool is_still;  // has not moved for a moment
  point_t still_point;
  int64_t still_ns;  // ROS time since which it is near that point

  bool has_goal;
  point_t goal;
  double goal_yaw;
  pose_mail_t * queue;  // goals that come after it
  int32_t queue_count;
  int32_t queue_next;
  uint64_t goal_order;  // goals are numbered as they come; of two alike the earlier one counts
  // Finding out that there is no plan for a robot can take the whole time limit, so it is not asked in every round.
  int64_t retry_ns;     // ROS time from which on it is tried again
  int64_t patience_ns;  // how long it waits after the next failure; grows

  // One per source, so that news from one does not hide the other.
  fault_t message;   // the last message that was refused
  fault_t planning;  // what the last round said
  fault_t standing;  // it is where something is closed

  // By the dependency graph
  bool has_new_release;  // which is to be published
  bool has_new_track;
  bool was_stuck;
  bool is_settling;      // it drives to the middle of its cell before anything else
  int64_t settle_ns;     // ROS time since which it does
  int32_t shown_stop;    // the waypoint at which the last published release ends
  int64_t shown_end_ns;  // when the last published track ends
} robot_t;

typedef struct fleet_t {
  robot_t * robots;  // places: a robot keeps its own for as long as it is in the list
  int32_t count;
  ros_footprints_t outlines;  // of the robots that there are and have been
  uint64_t goals_seen;
  const char * logger;
} fleet_t;

typedef enum robot_state_t {
  ROBOT_WAITING,  // no pose yet
  ROBOT_IDLE,     // no goal
  ROBOT_MOVING,
  ROBOT_ARRIVED,
  ROBOT_HELD,   // has a goal that cannot be planned for now
  ROBOT_STALE,  // its poses have stopped
} robot_state_t;

bool fleet_init(fleet_t * fleet, const ros_parameters_t * parameters, const char * logger);
void fleet_fini(fleet_t * fleet);
// Puts those who are new in the list of robots into free places, and frees the places of those who are not in it any
// more. False if there is no memory; then nobody has come.
bool fleet_read_names(fleet_t * fleet, const ros_parameters_t * parameters);
// What the parameters say of each robot: priority and body. False if there is no memory.
bool fleet_read_robots(fleet_t * fleet, const ros_parameters_t * parameters);
static inline bool robot_is_there(const robot_t * robot) { return robot->name[0] != '\0'; }

// Is it in the right frame, and of numbers? If not, that is the robot's `message` fault.
bool fleet_check_mail(
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const node_settings_t * settings, const char * what);
// A pose. False if it is refused: nothing has changed then but the robot's `message` fault.
bool fleet_take_pose(
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const node_settings_t * settings, int64_t now_ns);
// fleet_goals.c. A goal, refused in the same way. `map` may have no revision yet. True if there is something new to plan
// for.
bool fleet_take_goal(
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const node_settings_t * settings, const map_t * map);

// A list of goals, in place of the one that it has and those that come after it; an empty one leaves it the present goal.
// All or none of it. True if there is something new to plan for.
bool fleet_take_goals(
  fleet_t * fleet, robot_t * robot, const robot_mail_t * mail, const node_settings_t * settings, const map_t * map);
// It has come to its goal: the next one, if there is. One that has become impossible is passed over, and said.
bool fleet_next_goal(fleet_t * fleet, robot_t * robot, const node_settings_t * settings, const map_t * map);

// A new goal, a new map: whoever was given up is tried again at once.
void robot_retry_now(robot_t * robot);
void robot_restart_clock(robot_t * robot, int64_t now_ns);  // time has become another one: nothing has been for long
bool robot_is_given_up(const robot_t * robot, int64_t now_ns);  // no plan was found, and it is not yet tried again

// Marks robots that were not heard of for too long, or are heard of again. True if any changed.
bool fleet_watch(fleet_t * fleet, const node_settings_t * settings, int64_t now_ns);

// Sets or (number 0) clears a fault; logs when that is news. `fault` is one of the robot's.
void fleet_set_fault(fleet_t * fleet, robot_t * robot, fault_t * fault, int32_t number, const char * format, ...)
  FW_PRINTF(5, 6);

// `is_done`: it has come to the end of its track, and that is its goal.
robot_state_t robot_state(const robot_t * robot, bool is_done);
const char * robot_state_name(robot_state_t state);
// The fault to show: what planning says comes first, what a message says last.
const fault_t * robot_fault(const robot_t * robot);

#endif  // ROS__PLANNER_NODE__FLEET_H_
