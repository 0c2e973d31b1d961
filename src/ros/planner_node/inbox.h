// What has come in and was not looked at yet. Subscriptions only copy into it; planning.c judges and empties it after
// each turn of the executor. Both happen in the node's one ROS thread, so there is no lock.

#ifndef ROS__PLANNER_NODE__INBOX_H_
#define ROS__PLANNER_NODE__INBOX_H_

#include <nav_msgs/msg/grid_cells.h>
#include <nav_msgs/msg/occupancy_grid.h>
#include <nav_msgs/msg/path.h>

#include "ros/planner_node/frame.h"
#include "ros/planner_node/text.h"

typedef struct pose_mail_t {
  bool is_new;
  char frame_id[NODE_NAME_SIZE];
  point_t point;
  double yaw;
  int64_t stamp_ns;  // as the sender has it
} pose_mail_t;

// Messages with a list of goals are newer than some installations of ROS 2.
#if defined(__has_include)
#if __has_include(<nav_msgs/msg/goals.h>)
#include <nav_msgs/msg/goals.h>
#define HAS_GOALS 1
#endif
#endif
#ifndef HAS_GOALS
#define HAS_GOALS 0
#endif

typedef struct robot_mail_t {
  pose_mail_t pose;
  pose_mail_t goal;
  pose_mail_t * queue;  // a list of goals, in order; the frame of each is its own, or else the message's
  int32_t queue_count;
  int32_t queue_capacity;
  bool has_queue;
} robot_mail_t;

typedef struct closure_mail_t {
  nav_msgs__msg__Path path;  // the subscription's own message
  bool is_new;
} closure_mail_t;

typedef struct inbox_t {
  robot_mail_t ** robots;  // one each, that stays where it is: subscriptions write to it
  int32_t robot_count;
  closure_mail_t * closures;
  int32_t closure_count;
  nav_msgs__msg__OccupancyGrid map;  // the subscription's own message: taken by swapping, not by copying
  bool has_map;
  nav_msgs__msg__GridCells blocked;  // in the same way
  bool has_blocked;
  bool wants_replan;
} inbox_t;

bool inbox_init(inbox_t * inbox, int32_t robot_count, int32_t closure_count);
// Makes room for more robots. False if there is no memory.
bool inbox_grow(inbox_t * inbox, int32_t robot_count);
void inbox_fini(inbox_t * inbox);

// Callbacks: nav_msgs/OccupancyGrid into an inbox_t; nav_msgs/Path into one closure_mail_t; the others into one
// robot_mail_t.
void inbox_on_map(const void * message, void * inbox);
void inbox_on_blocked(const void * message, void * inbox);  // nav_msgs/GridCells
void inbox_on_closed_path(const void * message, void * closure_mail);
void inbox_on_odometry(const void * message, void * robot_mail);
void inbox_on_amcl_pose(const void * message, void * robot_mail);
void inbox_on_goal(const void * message, void * robot_mail);
#if HAS_GOALS
void inbox_on_goals(const void * message, void * robot_mail);
#endif

#endif  // ROS__PLANNER_NODE__INBOX_H_
