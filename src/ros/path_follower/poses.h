// Poses of the robots that a follower drives: from transforms (pose_source: tf) or from odometry in the map frame.
//
// Each usable pose is handed to follower_take_pose. What cannot be used is dropped with a line in the log.

#ifndef ROS__PATH_FOLLOWER__POSES_H_
#define ROS__PATH_FOLLOWER__POSES_H_

#include <tf2_msgs/msg/tf_message.h>

#include "motion/transform_buffer.h"
#include "ros/session.h"

struct follower_t;
struct follower_robot_t;

// A pair of topics with the frames that come on them: of all robots, or of one.
typedef struct follower_transforms_t {
  struct follower_t * follower;
  rcl_subscription_t moving;
  rcl_subscription_t fixed;
  fw_transform_buffer_t buffer;
  int32_t root;                         // the map frame
  struct follower_robot_t ** robot_of;  // by frame: the robot whose base frame it is; NULL: none
  int32_t robot_of_size;
} follower_transforms_t;

typedef struct follower_poses_t {
  follower_transforms_t * transforms;  // one for all, or one per robot; none with odometry
  int32_t count;
  tf2_msgs__msg__TFMessage message;  // into which all are taken
} follower_poses_t;

// Subscribes for all robots of the follower, which are initialised. Call follower_poses_fini in any case, after the
// fini of the executor. On false rcl's error state says why.
bool follower_poses_init(struct follower_t * follower);
void follower_poses_fini(struct follower_t * follower);

// Why a robot has no new pose, for a line in the log.
void follower_poses_explain(const struct follower_robot_t * robot, fw_error_t * reason);
// Forgets all transforms: ROS time has gone back.
void follower_poses_clear(struct follower_t * follower);

#endif  // ROS__PATH_FOLLOWER__POSES_H_
