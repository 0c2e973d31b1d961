// The whole fleet on /tf. See transforms.h.

#include "ros/fleet_sim/transforms.h"

#include <math.h>
#include <stdlib.h>

#include <rosidl_runtime_c/string_functions.h>

#include "base/assert.h"
#include "base/error.h"
#include "ros/messages.h"

// Of one message: with names of usual length it fits into one UDP datagram of 64 kB, of which none is lost in part.
enum { LINKS_MAX = 400 };

static const double JUMP_METRES = 0.5;  // largest jump of odometry along x and y
static const double JUMP_RADIANS = 0.5;

static double uniform(fw_rng_t * rng) { return (double)(fw__rng_next(rng) >> 11) * 0x1p-52 - 1.0; }

static bool name_frames(geometry_msgs__msg__TransformStamped pair[2], const char * map_frame, const char * robot)
{
  char odom[ROS_TOPIC_SIZE], base[ROS_TOPIC_SIZE];
  ros_topic_name(odom, robot, "odom");
  ros_topic_name(base, robot, "base_link");
  return rosidl_runtime_c__String__assign(&pair[0].header.frame_id, map_frame) &&
         rosidl_runtime_c__String__assign(&pair[0].child_frame_id, odom) &&
         rosidl_runtime_c__String__assign(&pair[1].header.frame_id, odom) &&
         rosidl_runtime_c__String__assign(&pair[1].child_frame_id, base);
}

fw_ret_t sim_transforms_init(sim_transforms_t * self, fw_error_t * error)
{
  const sim_parameters_t * parameters = self->parameters;
  const size_t count = (size_t)parameters->robots.count;
  self->publisher = rcl_get_zero_initialized_publisher();
  self->rng = fw__rng((uint64_t)parameters->seed ^ UINT64_C(0x0d0e7));
  self->is_on = parameters->publish_tf && parameters->drive != SIM_MOVER_EXTERNAL;
  if (!self->is_on) {
    return FW_RET_OK;
  }
  self->robots = calloc(count, sizeof *self->robots);
  self->message.transforms.data = calloc(2 * count, sizeof *self->message.transforms.data);
  self->message.transforms.capacity = 2 * count;
  bool has_memory = self->robots != NULL && self->message.transforms.data != NULL &&
                    geometry_msgs__msg__TransformStamped__Sequence__init(&self->all, 2 * count);
  for (size_t k = 0; has_memory && k < count; ++k) {
    const double limit = 20.0;  // metres: robots start with odometry from anywhere
    self->robots[k].origin =
      (fw_pose2d_t){limit * uniform(&self->rng), limit * uniform(&self->rng), uniform(&self->rng)};
    self->robots[k].trend = (fw_pose2d_t){uniform(&self->rng), uniform(&self->rng), uniform(&self->rng)};
    has_memory = name_frames(&self->all.data[2 * k], parameters->map_frame, sim_robot_name(parameters, (int32_t)k));
  }
  if (!has_memory) {
    return fw__error_memory(error);
  }
  const rmw_qos_profile_t qos = ros_qos_reliable(100);
  const rcl_ret_t ret = rclc_publisher_init(
    &self->publisher, &self->session->node, ROSIDL_GET_MSG_TYPE_SUPPORT(tf2_msgs, msg, TFMessage), parameters->tf_topic,
    &qos);
  return ret == RCL_RET_OK ? FW_RET_OK : ros_session_error(error, "cannot publish transforms");
}

void sim_transforms_fini(sim_transforms_t * self)
{
  if (self->session == NULL) {
    return;
  }
  ros_session_fini_publisher(self->session, &self->publisher);
  geometry_msgs__msg__TransformStamped__Sequence__fini(&self->all);
  free(self->message.transforms.data);  // its texts are those of `all`
  free(self->robots);
  *self = (sim_transforms_t){0};
}

// Lets the odometry of a robot drift for what it has driven, and jump.
static void drift(sim_transforms_t * self, sim_odometry_t * robot, double distance)
{
  const sim_parameters_t * parameters = self->parameters;
  const double error = parameters->odom_drift * (distance - robot->distance);
  robot->distance = distance;
  robot->origin.x += error * (robot->trend.x + uniform(&self->rng));
  robot->origin.y += error * (robot->trend.y + uniform(&self->rng));
  robot->origin.yaw += error * (robot->trend.yaw + uniform(&self->rng));
  const double chance = parameters->odom_jumps_per_hour / 3600.0 / parameters->odom_rate;
  if (chance > 0.0 && 0.5 * (uniform(&self->rng) + 1.0) < chance) {
    robot->origin.x += JUMP_METRES * uniform(&self->rng);
    robot->origin.y += JUMP_METRES * uniform(&self->rng);
    robot->origin.yaw += JUMP_RADIANS * uniform(&self->rng);
  }
}

static bool origin_is_due(const sim_transforms_t * self, int64_t now_ns)
{
  const double rate = self->parameters->map_odom_rate;
  // Half a pose early rather than one late.
  const double slack = 0.5 / self->parameters->odom_rate;
  return rate == 0.0 || self->last_origin_ns == 0 || self->last_origin_ns == now_ns ||
         1e-9 * (double)(now_ns - self->last_origin_ns) + slack >= 1.0 / rate;
}

static void append(
  sim_transforms_t * self, geometry_msgs__msg__TransformStamped * link, const fw_transform_t * transform,
  int64_t stamp_ns)
{
  geometry_msgs__msg__TransformStamped__Sequence * message = &self->message.transforms;
  FW_ASSERT(message->size < message->capacity);
  link->header.stamp = ros_message_stamp(stamp_ns);
  link->transform.translation.x = transform->x;
  link->transform.translation.y = transform->y;
  link->transform.translation.z = transform->z;
  link->transform.rotation.x = transform->qx;
  link->transform.rotation.y = transform->qy;
  link->transform.rotation.z = transform->qz;
  link->transform.rotation.w = transform->qw;
  message->data[message->size++] = *link;
}

void sim_transforms_add(
  sim_transforms_t * self, int32_t index, const fw_pose2d_t * pose, double distance, int64_t now_ns)
{
  if (!self->is_on) {
    return;
  }
  sim_odometry_t * robot = &self->robots[index];
  drift(self, robot, distance);
  const fw_transform_t origin = fw__transform_from_pose2d(&robot->origin);
  const fw_transform_t back = fw__transform_inverse(&origin);
  const fw_transform_t place = fw__transform_from_pose2d(pose);
  const fw_transform_t odometry = fw__transform_compose(&back, &place);
  if (origin_is_due(self, now_ns)) {
    const int64_t ahead_ns = (int64_t)(1e9 * self->parameters->map_odom_ahead);
    append(self, &self->all.data[2 * index], &origin, now_ns + ahead_ns);
  }
  append(self, &self->all.data[2 * index + 1], &odometry, now_ns);
}

fw_ret_t sim_transforms_publish(sim_transforms_t * self, int64_t now_ns, fw_error_t * error)
{
  if (!self->is_on || self->message.transforms.size == 0) {
    return FW_RET_OK;
  }
  self->last_origin_ns = origin_is_due(self, now_ns) ? now_ns : self->last_origin_ns;
  geometry_msgs__msg__TransformStamped__Sequence * all = &self->message.transforms;
  rcl_ret_t ret = RCL_RET_OK;
  for (size_t begin = 0; ret == RCL_RET_OK && begin < all->size; begin += LINKS_MAX) {
    const size_t rest = all->size - begin;
    const size_t size = rest < LINKS_MAX ? rest : LINKS_MAX;
    const tf2_msgs__msg__TFMessage part = {{.data = all->data + begin, .size = size, .capacity = size}};
    ret = rcl_publish(&self->publisher, &part, NULL);
  }
  all->size = 0;
  return ret == RCL_RET_OK ? FW_RET_OK : ros_session_error(error, "cannot publish transforms");
}
