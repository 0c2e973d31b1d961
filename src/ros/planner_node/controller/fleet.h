// The fleet: where each robot is, where it is to go, and what is wrong with it.

#ifndef ROS__PLANNER_NODE__CONTROLLER__FLEET_H_
#define ROS__PLANNER_NODE__CONTROLLER__FLEET_H_

#include "ros/planner_node/controller/body.h"
#include "ros/planner_node/controller/inbox.h"
#include "ros/planner_node/controller/map.h"

// Errors carry the numbers of Nav2's planner server. fw_fault_t has all but this one: a message in another frame.
enum { NODE_FAULT_FRAME = 202 };

typedef struct node_fault_t {
  int32_t number;  // 0: nothing is wrong
  char text[NODE_REASON_SIZE];
} node_fault_t;

typedef struct node_robot_t {
  char name[NODE_NAME_SIZE];  // empty: this slot of the fleet is free, and its other members mean nothing
  const char * logger;
  bool is_new;  // in a slot that another robot may have had before; the controller clears it
  int32_t priority;
  node_body_t body;

  // Pose reports. Times are ROS time.
  bool has_pose;
  node_point_t point;
  double yaw;
  int64_t heard_ns;  // when the last good pose arrived
  bool is_stale;     // no pose for longer than odom_timeout
  bool is_off_plan;
  bool is_still;  // it has not moved for a moment
  node_point_t still_point;
  int64_t still_ns;  // since when it is near that point

  // Goals.
  bool has_goal;
  node_point_t goal;
  double goal_yaw;
  node_pose_message_t * queue;  // goals that follow
  int32_t queue_count;
  int32_t queue_next;
  uint64_t goal_order;  // goals are numbered as they arrive; of two equal goals the earlier one counts
  // Finding out that a robot has no path can take the whole time limit, so it is retried with exponential back-off.
  int64_t retry_ns;    // from when on it is tried again
  int64_t backoff_ns;  // how long the next failure will make it wait

  // One fault per origin, so that a new one of one origin does not hide another.
  node_fault_t message_fault;   // the last message that was refused
  node_fault_t planning_fault;  // what the last round found
  node_fault_t standing_fault;  // it stands on a closed cell

  // Execution by the dependency graph.
  bool has_new_release;  // to be published
  bool has_new_path;     // to be published: its times have changed
  bool was_stuck;
  bool is_centering;         // it first drives to the centre of its cell
  int64_t centering_ns;      // since when
  int32_t published_stop;    // the waypoint at which the last published release ends; -1: none
  int64_t published_end_ns;  // when the last published timed path ends
} node_robot_t;

typedef struct node_fleet_t {
  node_robot_t * robots;  // slots: a robot keeps its index as long as it is listed
  int32_t count;
  ros_footprints_t outlines;  // of all robots that are or were listed
  uint64_t goals_seen;
  node_site_t site;
} node_fleet_t;

// The states that diagnostics name.
typedef enum node_robot_state_t {
  NODE_ROBOT_WAITING,  // no pose yet
  NODE_ROBOT_IDLE,     // no goal
  NODE_ROBOT_MOVING,
  NODE_ROBOT_ARRIVED,
  NODE_ROBOT_HELD,   // has a goal and no plan for it now
  NODE_ROBOT_STALE,  // its poses have stopped
} node_robot_state_t;

bool node_fleet_init(node_fleet_t * fleet, const ros_parameters_t * parameters, node_site_t site);
void node_fleet_fini(node_fleet_t * fleet);
// Reads the parameter `robots`: new names get a free slot, and the slots of removed names become free. False if there
// is no memory; then no robot was added.
bool node_fleet_read_names(node_fleet_t * fleet, const ros_parameters_t * parameters);
// Reads priority and body of each robot. False if there is no memory.
bool node_fleet_read_bodies(node_fleet_t * fleet, const ros_parameters_t * parameters);
static inline bool node_robot_is_listed(const node_robot_t * robot) { return robot->name[0] != '\0'; }
static inline node_pose_t node_robot_pose(const node_robot_t * robot)
{
  return (node_pose_t){robot->point, robot->yaw};
}

// Takes a pose report. False if it is refused: then only the robot's `message_fault` has changed.
bool node_fleet_take_pose(
  node_fleet_t * fleet, node_robot_t * robot, const node_pose_message_t * message, int64_t now_ns);
// Takes a goal; it replaces the present one and the queue. Refused in the same way. Without a map it is kept and
// checked in the first round. True if there is something new to plan for.
bool node_fleet_take_goal(node_fleet_t * fleet, node_robot_t * robot, const node_pose_message_t * message);
// Takes a list of goals in place of the present goal and queue, the whole list or nothing. An empty list leaves the
// present goal and clears the queue. True if there is something new to plan for.
bool node_fleet_take_goals(node_fleet_t * fleet, node_robot_t * robot, const node_robot_inbox_t * inbox);
// Takes the next goal from the queue. One that has become impossible is skipped with a fault. False if none is left.
bool node_fleet_next_goal(node_fleet_t * fleet, node_robot_t * robot);

// A new goal or a new map: planning is tried again immediately.
void node_robot_reset_backoff(node_robot_t * robot);
// ROS time has jumped: nothing that was measured in time so far counts.
void node_robot_restart_clock(node_robot_t * robot, int64_t now_ns);
// True if no path was found and it is not yet time to try again.
bool node_robot_is_in_backoff(const node_robot_t * robot, int64_t now_ns);

// Marks robots that were silent for longer than odom_timeout, and those that are heard again. True if any changed.
bool node_fleet_check_staleness(node_fleet_t * fleet, int64_t now_ns);

// Sets one of the robot's faults, and logs a change. `number` is not 0.
void node_robot_set_fault(node_robot_t * robot, node_fault_t * fault, int32_t number, const char * format, ...)
  FW_PRINTF(4, 5);
// The fault is over: clears it, and logs that if it was set.
void node_robot_clear_fault(node_robot_t * robot, node_fault_t * fault);
// The fault to show: planning first, then standing, then message.
const node_fault_t * node_robot_fault(const node_robot_t * robot);

// `is_done`: the robot has reached the end of its path, and that is its goal.
node_robot_state_t node_robot_state(const node_robot_t * robot, bool is_done);
const char * node_robot_state_name(node_robot_state_t state);

#endif  // ROS__PLANNER_NODE__CONTROLLER__FLEET_H_
