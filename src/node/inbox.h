// What has come in and was not looked at yet. Subscriptions only copy into it; planning.c judges and empties it after
// each turn of the executor. Both happen in the node's one ROS thread, so there is no lock.

#ifndef NODE__INBOX_H_
#define NODE__INBOX_H_

#include <nav_msgs/msg/occupancy_grid.h>
#include <nav_msgs/msg/path.h>

#include "node/frame.h"
#include "node/text.h"

typedef struct pose_mail_t {
  bool is_new;
  char frame_id[NAME_SIZE];
  point_t point;
  double yaw;
} pose_mail_t;

typedef struct robot_mail_t {
  pose_mail_t pose;
  pose_mail_t goal;
} robot_mail_t;

typedef struct closure_mail_t {
  nav_msgs__msg__Path path;  // the subscription's own message
  bool is_new;
} closure_mail_t;

typedef struct inbox_t {
  robot_mail_t * robots;
  closure_mail_t * closures;
  int32_t closure_count;
  nav_msgs__msg__OccupancyGrid map;  // the subscription's own message: taken by swapping, not by copying
  bool has_map;
  bool wants_replan;
} inbox_t;

bool inbox_init(inbox_t * inbox, int32_t robot_count, int32_t closure_count);
void inbox_fini(inbox_t * inbox);

// Callbacks: nav_msgs/OccupancyGrid into an inbox_t; nav_msgs/Path into one closure_mail_t; the others into one
// robot_mail_t.
void inbox_on_map(const void * message, void * inbox);
void inbox_on_closed_path(const void * message, void * closure_mail);
void inbox_on_odometry(const void * message, void * robot_mail);
void inbox_on_amcl_pose(const void * message, void * robot_mail);
void inbox_on_goal(const void * message, void * robot_mail);

#endif  // NODE__INBOX_H_
