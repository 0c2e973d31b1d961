// ROS time. See clock.h.

#include "ros/clock.h"

#include <rcl/error_handling.h>
#include <rmw/qos_profiles.h>

#include "base/assert.h"
#include "ros/messages.h"

static const int64_t JUMP_NS = 100000000;  // a step back of the clock larger than this is a jump

static void on_clock(const void * message, void * context)
{
  const rosgraph_msgs__msg__Clock * clock = message;
  ros_clock_t * self = context;
  const int64_t now_ns = ros_message_time(clock->clock);
  if (rcl_set_ros_time_override(&self->clock, now_ns) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

bool ros_clock_init(ros_clock_t * self, rcl_allocator_t * allocator)
{
  self->subscription = rcl_get_zero_initialized_subscription();
  return rosgraph_msgs__msg__Clock__init(&self->message) &&
         rcl_clock_init(RCL_ROS_TIME, &self->clock, allocator) == RCL_RET_OK;
}

void ros_clock_fini(ros_clock_t * self, rcl_node_t * node)
{
  if (self->is_subscribed && rcl_subscription_fini(&self->subscription, node) != RCL_RET_OK) {
    rcl_reset_error();
  }
  if (rcl_clock_valid(&self->clock) && rcl_clock_fini(&self->clock) != RCL_RET_OK) {
    rcl_reset_error();
  }
  rosgraph_msgs__msg__Clock__fini(&self->message);
}

static bool subscribe(ros_clock_t * self, rcl_node_t * node, ros_executor_t * executor)
{
  rmw_qos_profile_t qos = rmw_qos_profile_sensor_data;  // as other nodes do: only the newest message counts
  qos.depth = 1;
  if (self->is_subscribed) {
    return true;
  }
  if (
    rclc_subscription_init(
      &self->subscription, node, ROSIDL_GET_MSG_TYPE_SUPPORT(rosgraph_msgs, msg, Clock), "/clock", &qos) !=
    RCL_RET_OK) {
    return false;
  }
  self->is_subscribed = true;
  return ros_executor_add_subscription(
           executor, &self->subscription, &(ros_on_message_t){&self->message, on_clock, self}) == RCL_RET_OK;
}

bool ros_clock_use_sim_time(ros_clock_t * self, bool use, rcl_node_t * node, ros_executor_t * executor)
{
  if (use == self->is_sim) {
    return true;
  }
  self->is_sim = use;
  self->last_ns = 0;
  if (!use) {
    return rcl_disable_ros_time_override(&self->clock) == RCL_RET_OK;
  }
  return subscribe(self, node, executor) && rcl_enable_ros_time_override(&self->clock) == RCL_RET_OK;
}

int64_t ros_clock_now(ros_clock_t * self, bool * jumped_back)
{
  FW_ASSERT(rcl_clock_valid(&self->clock));
  int64_t now_ns = 0;
  if (rcl_clock_get_now(&self->clock, &now_ns) != RCL_RET_OK) {
    rcl_reset_error();
    now_ns = self->last_ns;
  }
  *jumped_back = now_ns + JUMP_NS < self->last_ns;
  self->last_ns = now_ns;
  return now_ns;
}
