// Transforms: the poses of all simulated robots on /tf, as real robots with odometry and localisation publish them:
// map -> <robot>/odom -> <robot>/base_link. One message per step has up to 200 robots.
//
// Odometry drifts with the distance driven and may jump; map -> odom makes up for it, so that both together are where
// the robot is. With `map_odom_rate` the localisation is slower than odometry, and with `map_odom_ahead` it stamps its
// transforms ahead, as AMCL does: then poses lag behind the drift by that time.

#ifndef ROS__FLEET_SIM__TRANSFORMS_H_
#define ROS__FLEET_SIM__TRANSFORMS_H_

#include <geometry_msgs/msg/transform_stamped.h>
#include <tf2_msgs/msg/tf_message.h>

#include "base/rng.h"
#include "motion/transform_buffer.h"
#include "ros/fleet_sim/fleet.h"
#include "ros/fleet_sim/parameters.h"
#include "ros/session.h"

// The odometry of one robot.
typedef struct sim_odometry_t {
  fw_pose2d_t origin;  // of its odometry frame in the map: what localisation corrects
  fw_pose2d_t trend;   // how the origin moves per metre driven, with odom_drift 1
  double distance;     // metres driven when it was last published
} sim_odometry_t;

typedef struct sim_transforms_t {
  rcl_publisher_t publisher;
  bool is_on;                                          // publish_tf
  geometry_msgs__msg__TransformStamped__Sequence all;  // two per robot, with their names: map -> odom, odom -> base
  tf2_msgs__msg__TFMessage message;                    // borrows from `all` what is to be published
  sim_odometry_t * robots;
  int64_t last_origin_ns;  // when map -> odom was published last; 0: never
  fw_rng_t rng;
  ros_session_t * session;              // this and the next: borrowed
  const sim_parameters_t * parameters;  // at its start a publisher has all it needs of them
} sim_transforms_t;

// `session` and `parameters` are set, the rest is zero. Call fini in any case.
FW_MUST_USE fw_ret_t sim_transforms_init(sim_transforms_t * transforms, fw_error_t * error);
void sim_transforms_fini(sim_transforms_t * transforms);

// Adds the transforms of a robot that was measured at `pose` and has driven `distance` metres since the start.
void sim_transforms_add(
  sim_transforms_t * transforms, int32_t robot, const fw_pose2d_t * pose, double distance, int64_t now_ns);
// Publishes what was added since the last call.
FW_MUST_USE fw_ret_t sim_transforms_publish(sim_transforms_t * transforms, int64_t now_ns, fw_error_t * error);

#endif  // ROS__FLEET_SIM__TRANSFORMS_H_
