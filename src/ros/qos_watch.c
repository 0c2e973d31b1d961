// Warns of incompatible publishers. See qos_watch.h.

#include "ros/qos_watch.h"

#include <rcl/error_handling.h>
#include <rcl/event.h>
#include <rmw/incompatible_qos_events_statuses.h>

static void warn(const ros_qos_watch_t * watch, rmw_qos_policy_kind_t policy)
{
  const char * topic = rcl_subscription_get_topic_name(watch->subscription);
  const char * text = "quality of service does not fit";
  const char * remedy = "compare `ros2 topic info -v`";
  if (policy == RMW_QOS_POLICY_DURABILITY) {
    text = "durability is volatile and has to be transient local";
    remedy = "publish with DurabilityPolicy.TRANSIENT_LOCAL, or `ros2 topic pub --qos-durability transient_local`";
  } else if (policy == RMW_QOS_POLICY_RELIABILITY) {
    text = "reliability is best effort and has to be reliable";
    remedy = "publish with ReliabilityPolicy.RELIABLE, or `ros2 topic pub --qos-reliability reliable`";
  }
  ros_log_printf(
    watch->log, RCUTILS_LOG_SEVERITY_WARN, "%s: there is a publisher whose messages are not received, since its %s; %s",
    topic == NULL ? "a topic" : topic, text, remedy);
}

static ros_work_t take(void * context)
{
  ros_qos_watch_t * watch = context;
  rmw_requested_qos_incompatible_event_status_t status = {0};
  const rcl_ret_t ret = rcl_take_event(&watch->event, &status);
  if (ret != RCL_RET_OK && ret != RCL_RET_EVENT_TAKE_FAILED) {
    return ROS_WORK_FAILED;
  }
  rcl_reset_error();
  // Not total_count_change: rmw_fastrtps sets it to 0 when a callback is set, also for publishers that were there
  // before.
  if (ret != RCL_RET_OK || status.total_count <= watch->seen) {
    return ROS_WORK_NONE;
  }
  watch->seen = status.total_count;
  warn(watch, status.last_policy_kind);
  return ROS_WORK_DONE;
}

// In place of ros_executor_announce while a watch ends; see executor.c why not NULL.
static void ignore(const void * user_data, size_t count)
{
  (void)user_data;
  (void)count;
}

void ros_qos_watch_begin(ros_qos_watch_t * watch, const ros_qos_watch_options_t * options)
{
  *watch = (ros_qos_watch_t){
    .event = rcl_get_zero_initialized_event(),
    .executor = options->executor,
    .subscription = options->subscription,
    .log = options->log,
  };
  if (
    rcl_subscription_event_init(&watch->event, options->subscription, RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS) !=
    RCL_RET_OK) {
    rcl_reset_error();
    return;
  }
  watch->waitable = ros_executor_add_waitable(options->executor, &(ros_waitable_t){take, watch});
  if (
    watch->waitable == NULL ||
    rcl_event_set_callback(&watch->event, ros_executor_announce, watch->waitable) != RCL_RET_OK) {
    rcl_reset_error();  // an executor with a wait set polls it
    return;
  }
  ros_executor_announce(watch->waitable, 1);  // for what came before the callback was set
}

void ros_qos_watch_end(ros_qos_watch_t * watch)
{
  if (watch->waitable != NULL) {
    if (rcl_event_set_callback(&watch->event, ignore, NULL) != RCL_RET_OK) {
      rcl_reset_error();
    }
    (void)ros_executor_remove(watch->executor, watch->waitable);
  }
  if (watch->event.impl != NULL && rcl_event_fini(&watch->event) != RCL_RET_OK) {
    rcl_reset_error();
  }
  *watch = (ros_qos_watch_t){0};
}
