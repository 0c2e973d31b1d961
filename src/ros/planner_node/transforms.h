// Poses from transforms (pose_source: tf): /tf and /tf_static into pose reports.
//
// One subscription serves the whole fleet: each message is taken once, and the robots whose chain from the map frame to
// their base frame has a newer common time are reported. If `tf_topic` contains {robot}, each robot has topics and
// frames of its own, as Nav2 has it in namespaces: then there is a buffer per robot.

#ifndef ROS__PLANNER_NODE__TRANSFORMS_H_
#define ROS__PLANNER_NODE__TRANSFORMS_H_

#include <tf2_msgs/msg/tf_message.h>

#include "motion/goal_frames.h"
#include "ros/planner_node/site.h"

struct node_transforms_t;

// A pair of topics with the frames that come on them.
typedef struct node_transform_source_t {
  struct node_transforms_t * owner;
  char robot[FW_NAME_SIZE];  // whose topics they are; empty: everybody's, or none
  rcl_subscription_t moving;
  rcl_subscription_t fixed;
  fw_transform_buffer_t buffer;
  fw_goal_frames_t goal_frames;
  int32_t root;             // the map frame
  int32_t * robot_of;       // by frame: the robot whose base frame it is; -1: none
  int32_t robot_of_size;    // of that list
  int64_t logged_refusals;  // refused links when one was last logged
  int64_t heard_ns;         // ROS time: the last message that moved a robot, or its begin
  bool is_silent;           // as was logged
  bool has_time;            // something was heard after the first time on /clock
} node_transform_source_t;

typedef struct node_transform_robot_t {
  char name[FW_NAME_SIZE];  // empty: no robot
  node_transform_source_t * source;
  int32_t frame;     // its base frame; -1: it could not be watched
  int64_t stamp_ns;  // of its last report; INT64_MIN: none
  int64_t heard_ns;  // ROS time: its last report, or when it was listed
} node_transform_robot_t;

typedef struct node_transforms_t {
  node_transform_source_t ** sources;  // one for all, or one per robot; each stays at its address
  int32_t source_count;
  node_transform_robot_t * robots;  // by robot
  int32_t robot_count;
  tf2_msgs__msg__TFMessage message;  // into which the executor takes, for all subscriptions
  // Names of robots that are not listed and whose base frames have come; the node adds them (discover_robots).
  char discovered[16][FW_NAME_SIZE];
  int32_t discovered_count;
  int64_t next_log_ns;  // steady clock: refused links are logged at most once a second

  // Borrowed.
  const node_site_t * site;
  ros_executor_t * executor;
} node_transforms_t;

// `site` and `executor` are set, the rest is zero. On false rcl's error state says why; call fini in either case.
bool node_transforms_init(node_transforms_t * transforms);
// Follows the list of robots. False if that fails.
bool node_transforms_read_robots(node_transforms_t * transforms);
// Before the fini of the executor.
void node_transforms_fini(node_transforms_t * transforms);

// Notes for each robot that is silent which link is missing or old. Once a second is enough.
void node_transforms_check(node_transforms_t * transforms);
// Forgets what has come: ROS time has jumped.
void node_transforms_clear(node_transforms_t * transforms);

// The place of a frame in the map, for a goal of a robot, or of one that is not known yet (-1). False with a reason.
bool node_transforms_find(
  node_transforms_t * transforms, int32_t robot, const char * frame, fw_transform_t * place, fw_error_t * reason);

// "{robot}/base_link" with the robot's name. False if it does not fit.
bool node_frame_of_robot(char frame[FW_NAME_SIZE], const char * pattern, const char * robot);
// The name of the robot whose frame this is. False if it has not that form.
bool node_robot_of_frame(char robot[FW_NAME_SIZE], const char * pattern, const char * frame);

#endif  // ROS__PLANNER_NODE__TRANSFORMS_H_
