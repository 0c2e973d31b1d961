// Session: the context, one node and its log. See session.h.

#include "ros/session.h"

#include <rcl/error_handling.h>
#include <rcl/logging.h>
#include <rcl/logging_rosout.h>
#include <rcutils/logging_macros.h>

#include <stdio.h>

#include "base/assert.h"
#include "base/error.h"
#include "ros/transport.h"

fw_ret_t ros_session_error(fw_error_t * error, const char * what)
{
  const rcl_error_string_t text = rcl_get_error_string();
  rcl_reset_error();
  return fw__error(error, FW_RET_ERROR, "%s: %s", what, text.str);
}

static fw_ret_t start(ros_session_t * session, const ros_session_options_t * options, fw_error_t * error)
{
  *session = (ros_session_t){.node = rcl_get_zero_initialized_node(), .allocator = rcl_get_default_allocator()};
  const char * const * argv = (const char * const *)options->argv;
  const rcl_ret_t ret = rclc_support_init(&session->support, options->argc, argv, &session->allocator);
  if (ret != RCL_RET_OK) {
    rcl_reset_error();  // rclc has logged it
    return fw__error(
      error, ret == RCL_RET_INVALID_ROS_ARGS ? FW_RET_INVALID_ARGUMENT : FW_RET_ERROR,
      "cannot start ROS: the log above says why");
  }
  session->is_started = true;
  if (rcl_logging_configure(&session->support.context.global_arguments, &session->allocator) != RCL_RET_OK) {
    return ros_session_error(error, "cannot start logging");
  }
  if (rclc_node_init_default(&session->node, options->node_name, "", &session->support) != RCL_RET_OK) {
    return ros_session_error(error, "cannot create the node");
  }
  session->logger = rcl_node_get_logger_name(&session->node);
  if (rcl_logging_rosout_enabled() && rcl_logging_rosout_init_publisher_for_node(&session->node) != RCL_RET_OK) {
    return ros_session_error(error, "cannot publish the log");
  }
  return FW_RET_OK;
}

fw_ret_t ros_session_init(ros_session_t * session, const ros_session_options_t * options, fw_error_t * error)
{
  ros_transport_t transport;
  ros_transport_init(&transport);
  const fw_ret_t ret = start(session, options, error);
  ros_transport_fini(&transport);
  return ret;
}

ros_parameter_source_t ros_session_parameter_source(const ros_session_t * session)
{
  FW_ASSERT(session->logger != NULL);
  return (ros_parameter_source_t){
    .arguments = &session->support.context.global_arguments,
    .node_name = rcl_node_get_fully_qualified_name(&session->node),
    .logger = session->logger,
  };
}

void ros_session_fini(ros_session_t * session)
{
  if (!session->is_started) {
    return;
  }
  if (rcl_node_is_valid(&session->node)) {
    (void)!rcl_logging_rosout_fini_publisher_for_node(&session->node);
    rcl_reset_error();  // there is none where /rosout is off
    (void)!rcl_node_fini(&session->node);
  }
  (void)!rcl_logging_fini();
  (void)!rclc_support_fini(&session->support);
  rcl_reset_error();
  *session = (ros_session_t){0};
}

fw_ret_t ros_session_spin(ros_executor_t * executor, int64_t wait_ns, fw_error_t * error)
{
  FW_ASSERT(wait_ns >= 0);
  const rcl_ret_t ret = ros_executor_spin_some(executor, (uint64_t)wait_ns);
  return ret == RCL_RET_OK ? FW_RET_OK : ros_session_error(error, "cannot receive");
}

rmw_qos_profile_t ros_qos(size_t depth, bool is_reliable, bool is_latched)
{
  rmw_qos_profile_t profile = rmw_qos_profile_default;
  profile.depth = depth;
  profile.reliability = is_reliable ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  profile.durability = is_latched ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
  return profile;
}

void ros_topic_name(char name[static ROS_TOPIC_SIZE], const char * robot, const char * topic)
{
  const int length = snprintf(name, ROS_TOPIC_SIZE, "%s%s%s", robot, robot[0] == '\0' ? "" : "/", topic);
  FW_ASSERT(length > 0 && length < ROS_TOPIC_SIZE);
  (void)length;
}

bool ros_session_subscribe(
  ros_session_t * session, ros_executor_t * executor, const ros_subscription_options_t * options)
{
  char name[ROS_TOPIC_SIZE];
  ros_topic_name(name, options->robot, options->topic);
  return rclc_subscription_init(options->subscription, &session->node, options->type, name, &options->qos) ==
           RCL_RET_OK &&
         ros_executor_add_subscription(
           executor, options->subscription,
           &(ros_on_message_t){options->message, options->callback, options->context}) == RCL_RET_OK;
}

void ros_session_publish(const rcl_publisher_t * publisher, const void * message, bool is_filled, const char * logger)
{
  if (!is_filled) {
    RCUTILS_LOG_ERROR_NAMED(logger, "out of memory for a message on %s", rcl_publisher_get_topic_name(publisher));
  } else if (rcl_publish(publisher, message, NULL) != RCL_RET_OK) {
    RCUTILS_LOG_ERROR_NAMED(
      logger, "cannot publish on %s: %s", rcl_publisher_get_topic_name(publisher), rcl_get_error_string().str);
    rcl_reset_error();
  }
}

size_t ros_session_count_subscribers(const rcl_publisher_t * publisher)
{
  size_t count = 0;
  if (rcl_publisher_get_subscription_count(publisher, &count) != RCL_RET_OK) {
    rcl_reset_error();
  }
  return count;
}

void ros_session_fini_publisher(ros_session_t * session, rcl_publisher_t * publisher)
{
  if (rcl_publisher_is_valid(publisher)) {
    (void)!rcl_publisher_fini(publisher, &session->node);
  }
  rcl_reset_error();
}

void ros_session_fini_subscription(ros_session_t * session, rcl_subscription_t * subscription)
{
  if (rcl_subscription_is_valid(subscription)) {
    (void)!rcl_subscription_fini(subscription, &session->node);
  }
  rcl_reset_error();
}
