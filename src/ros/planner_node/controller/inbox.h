// The inbox: messages that have arrived and were not read yet.
//
// Subscriptions (subscriptions.h) only copy into it; the controller validates the messages and empties it after each
// spin of the executor. Both happen in the node's one ROS thread, so there is no lock.

#ifndef ROS__PLANNER_NODE__CONTROLLER__INBOX_H_
#define ROS__PLANNER_NODE__CONTROLLER__INBOX_H_

#include <nav_msgs/msg/grid_cells.h>
#include <nav_msgs/msg/occupancy_grid.h>
#include <nav_msgs/msg/path.h>

#include "ros/planner_node/controller/map.h"
#include "ros/planner_node/text.h"

// A stamped pose: a pose report or a goal.
typedef struct node_pose_message_t {
  bool is_new;
  char frame_id[NODE_NAME_SIZE];
  node_point_t point;
  double yaw;
  int64_t stamp_ns;  // as sent
} node_pose_message_t;

typedef struct node_robot_inbox_t {
  node_pose_message_t pose;
  node_pose_message_t goal;
  node_pose_message_t * queue;  // a list of goals, in order; each has its own frame, or else that of the list
  int32_t queue_count;
  int32_t queue_capacity;
  bool has_goals;  // the list is new
} node_robot_inbox_t;

typedef struct node_closure_inbox_t {
  nav_msgs__msg__Path path;  // the message into which the subscription takes
  bool is_new;
} node_closure_inbox_t;

typedef struct node_inbox_t {
  node_robot_inbox_t ** robots;  // by robot; each stays at its address, which subscriptions keep
  int32_t robot_count;
  node_closure_inbox_t * closures;  // by source of closures
  int32_t closure_count;
  nav_msgs__msg__OccupancyGrid map;  // the message into which the subscription takes; read by swapping
  bool has_map;
  nav_msgs__msg__GridCells blocked;  // likewise
  bool has_blocked;
  bool replan_is_requested;  // by ~/replan
} node_inbox_t;

bool node_inbox_init(node_inbox_t * inbox, int32_t robot_count, int32_t closure_count);
// Makes room for more robots. False if there is no memory.
bool node_inbox_grow(node_inbox_t * inbox, int32_t robot_count);
void node_inbox_fini(node_inbox_t * inbox);

#endif  // ROS__PLANNER_NODE__CONTROLLER__INBOX_H_
