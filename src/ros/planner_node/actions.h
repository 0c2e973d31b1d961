// Actions: <robot>/navigate_to_pose (nav2_msgs/NavigateToPose), an action server per robot, on rcl_action.
//
// A goal of the action and a goal of a topic are the same to the controller: each replaces the goals that the robot
// has. What becomes of a goal comes back as the controller's events:
//
//   goal request ──> fw_controller_request_goal ──> accepted, with an id, or rejected
//   cancel request ─> fw_controller_cancel_goal          │
//   result request ─> kept until the end <── FW_GOAL_REACHED    succeeded
//                                            FW_GOAL_FAILED     aborted, with Nav2's number and a text
//                                            FW_GOAL_REPLACED   aborted, as Nav2 ends a preempted goal
//                                            FW_GOAL_CANCELLED  canceled
//
// Results are kept for action_result_timeout and answer late requests. rcl_action's expiry timers need a wait set;
// here node_actions_update asks for expired goals.
//
// While the fleet has more than actions_max robots, new robots get no server; servers that are there stay.
//
// The server of a robot that has left stays for some seconds without taking goals: a reply is lost if its endpoint ends
// before the client's middleware has read it, and then the client would wait for the end of its goal for ever.

#ifndef ROS__PLANNER_NODE__ACTIONS_H_
#define ROS__PLANNER_NODE__ACTIONS_H_

#include <action_msgs/srv/cancel_goal.h>
#include <nav2_msgs/action/navigate_to_pose.h>
#include <rcl_action/rcl_action.h>

#include "ros/planner_node/site.h"

typedef struct node_actions_t node_actions_t;

typedef struct node_action_goal_t {
  struct node_action_goal_t * next;
  rcl_action_goal_handle_t handle;  // rcl frees its own copy of the handle when the goal expires, and not what it holds
  uint8_t uuid[UUID_SIZE];
  uint64_t id;                  // of the controller
  int64_t begin_ns;             // ROS time
  fw_point_t point;             // where it leads
  bool has_ended;               // `status` and `result` are set
  int8_t status;                // of action_msgs/GoalStatus
  fw_fault_t fault;             // of the result
  char text[256];               // of the result
  rmw_request_id_t * requests;  // for the result, to be answered at the end
  int32_t request_count;
} node_action_goal_t;

enum { NODE_ACTION_SERVICE_COUNT = 3 };  // goal, cancel, result

typedef struct node_action_server_t node_action_server_t;

struct node_action_server_t {
  char name[FW_NAME_SIZE];  // of the robot; empty: there is no server here
  node_actions_t * actions;
  int32_t index;  // of the robot; negative: it has left the fleet
  node_action_server_t * next_leaving;
  int64_t end_ns;  // steady clock; of a robot that has left
  rcl_action_server_t server;
  ros_entity_t * waitables[NODE_ACTION_SERVICE_COUNT];
  node_action_goal_t * goals;  // the newest first; those that have ended are kept for a while
  int32_t goal_count;
};

struct node_actions_t {
  // Borrowed.
  const node_site_t * site;
  ros_executor_t * executor;

  node_action_server_t ** servers;  // by robot; each stays at its address, which the executor keeps
  int32_t server_count;
  node_action_server_t * leaving;  // of robots that have left, the oldest first
  int32_t leaving_count;
  bool are_withheld;         // the fleet is too large for servers of new robots
  int64_t next_feedback_ns;  // steady clock
  int64_t next_expiry_ns;    // steady clock
  nav2_msgs__action__NavigateToPose_SendGoal_Request goal_request;
  nav2_msgs__action__NavigateToPose_GetResult_Request result_request;
  nav2_msgs__action__NavigateToPose_GetResult_Response result_response;
  nav2_msgs__action__NavigateToPose_FeedbackMessage feedback;
  action_msgs__srv__CancelGoal_Request cancel_request;
};

// The borrowed members of `actions` are set, the rest is zero. On false rcl's error state says why; call fini in either
// case.
bool node_actions_init(node_actions_t * actions);
// Starts servers for new robots, and lets those of removed robots, whose goals must have been told before, end soon.
// False if that fails.
bool node_actions_read_robots(node_actions_t * actions);
// Aborts the goals that are left and tells their clients. True if somebody waited for the end of one.
bool node_actions_abort(node_actions_t * actions);
// The same, and ends all servers. Before the fini of the executor.
void node_actions_fini(node_actions_t * actions);

// An event of the controller, to be told to the client whose goal it is, if it is one.
void node_actions_tell(node_actions_t * actions, const fw_goal_event_t * event);
// Feedback, and the end of old results, when they are due. Called with every spin.
void node_actions_update(node_actions_t * actions);

#endif  // ROS__PLANNER_NODE__ACTIONS_H_
