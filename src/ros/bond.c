// Heartbeats of a node. See bond.h.

#include "ros/bond.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rcl/error_handling.h>
#include <rosidl_runtime_c/string_functions.h>

#include "ros/messages.h"

// Nav2's own values.
static const int64_t PERIOD_NS = 100000000;
static const float PERIOD = 0.1F;
static const float TIMEOUT = 4.0F;

static void publish(ros_bond_t * self, bool is_active)
{
  self->own.active = is_active;
  ros_session_publish(&self->publisher, &self->own, true, self->session->logger);
}

static void on_status(const void * message, void * context)
{
  const bond__msg__Status * status = message;
  ros_bond_t * self = context;
  if (
    !status->active && strcmp(status->id.data, self->own.id.data) == 0 &&
    strcmp(status->instance_id.data, self->own.instance_id.data) != 0) {
    self->is_ended_by_other = true;
  }
}

bool ros_bond_init(ros_bond_t * self, ros_session_t * session, ros_executor_t * executor)
{
  *self = (ros_bond_t){
    .publisher = rcl_get_zero_initialized_publisher(), .subscription = rcl_get_zero_initialized_subscription()};
  const char * name = rcl_node_get_name(&session->node);
  char instance[64];
  (void)snprintf(instance, sizeof instance, "%d-%lld", (int)getpid(), (long long)fw_clock_now_ns());
  if (
    !bond__msg__Status__init(&self->own) || !bond__msg__Status__init(&self->other) ||
    !rosidl_runtime_c__String__assign(&self->own.id, name) ||
    !rosidl_runtime_c__String__assign(&self->own.instance_id, instance)) {
    RCL_SET_ERROR_MSG("out of memory");
    return false;
  }
  self->own.heartbeat_timeout = TIMEOUT;
  self->own.heartbeat_period = PERIOD;
  const rosidl_message_type_support_t * type = ROSIDL_GET_MSG_TYPE_SUPPORT(bond, msg, Status);
  const rmw_qos_profile_t qos = ros_qos_reliable(30);
  const ros_subscription_options_t other = {
    .subscription = &self->subscription,
    .robot = "",
    .topic = "bond",
    .type = type,
    .qos = qos,
    .message = &self->other,
    .callback = on_status,
    .context = self,
  };
  if (
    rclc_publisher_init(&self->publisher, &session->node, type, "bond", &qos) != RCL_RET_OK ||
    !ros_session_subscribe(session, executor, &other)) {
    return false;
  }
  self->session = session;
  return true;
}

void ros_bond_begin(ros_bond_t * self)
{
  self->is_beating = self->session != NULL;
  self->is_ended_by_other = false;
  self->next_ns = 0;
}

void ros_bond_end(ros_bond_t * self)
{
  if (self->is_beating) {
    self->is_beating = false;
    publish(self, false);
  }
}

void ros_bond_update(ros_bond_t * self)
{
  if (!self->is_beating) {
    return;
  }
  if (self->is_ended_by_other) {
    ros_bond_end(self);  // which is what it waits for
    return;
  }
  const int64_t now_ns = fw_clock_now_ns();
  if (now_ns >= self->next_ns) {
    self->next_ns = now_ns + PERIOD_NS;
    publish(self, true);
  }
}
