// Contexts, nodes and their entities: rcl's calls with the usual options filled in.
#include "rclc/rclc.h"

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>

#include "check.h"

rcl_ret_t rclc__checked(rcl_ret_t ret, const char * call)
{
  if (ret != RCL_RET_OK) {
    const char * reason = rcl_error_is_set() ? rcl_get_error_string().str : "no reason given";
    RCUTILS_LOG_ERROR_NAMED("rclc", "%s failed (%d): %s", call, (int)ret, reason);
    rcl_reset_error();
  }
  return ret;
}

rcl_ret_t rclc__bad_argument(const char * call)
{
  RCUTILS_LOG_ERROR_NAMED("rclc", "%s: an argument is null or empty", call);
  return RCL_RET_INVALID_ARGUMENT;
}

// ---- support

rcl_ret_t rclc_support_init(rclc_support_t * support, int argc, char const * const * argv, rcl_allocator_t * allocator)
{
  if (!support || !allocator) {
    return rclc__bad_argument(__func__);
  }
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  rcl_ret_t ret = rclc__checked(rcl_init_options_init(&options, *allocator), "rcl_init_options_init");
  if (ret != RCL_RET_OK) {
    return ret;
  }
  ret = rclc_support_init_with_options(support, argc, argv, &options, allocator);
  (void)rclc__checked(rcl_init_options_fini(&options), "rcl_init_options_fini");
  return ret;
}

rcl_ret_t rclc_support_init_with_options(
  rclc_support_t * support, int argc, char const * const * argv, rcl_init_options_t * init_options,
  rcl_allocator_t * allocator)
{
  if (!support || !init_options || !allocator) {
    return rclc__bad_argument(__func__);
  }
  *support = (rclc_support_t){.context = rcl_get_zero_initialized_context(), .allocator = allocator};
  const rcl_ret_t ret = rclc__checked(rcl_init(argc, argv, init_options, &support->context), "rcl_init");
  if (ret != RCL_RET_OK) {
    return ret;
  }
  return rclc__checked(rcl_clock_init(RCL_STEADY_TIME, &support->clock, allocator), "rcl_clock_init");
}

rcl_ret_t rclc_support_fini(rclc_support_t * support)
{
  if (!support) {
    return rclc__bad_argument(__func__);
  }
  bool good = rclc__checked(rcl_clock_fini(&support->clock), "rcl_clock_fini") == RCL_RET_OK;
  good &= rclc__checked(rcl_shutdown(&support->context), "rcl_shutdown") == RCL_RET_OK;
  good &= rclc__checked(rcl_context_fini(&support->context), "rcl_context_fini") == RCL_RET_OK;
  return good ? RCL_RET_OK : RCL_RET_ERROR;
}

// ---- node

rcl_ret_t rclc_node_init_default(
  rcl_node_t * node, const char * name, const char * namespace_, rclc_support_t * support)
{
  rcl_node_options_t options = rcl_node_get_default_options();
  return rclc_node_init_with_options(node, name, namespace_, support, &options);
}

rcl_ret_t rclc_node_init_with_options(
  rcl_node_t * node, const char * name, const char * namespace_, rclc_support_t * support,
  rcl_node_options_t * node_ops)
{
  if (!node || !name || !namespace_ || !support || !node_ops) {
    return rclc__bad_argument(__func__);
  }
  *node = rcl_get_zero_initialized_node();
  return rclc__checked(rcl_node_init(node, name, namespace_, &support->context, node_ops), "rcl_node_init");
}

// ---- publisher

rcl_ret_t rclc_publisher_init_default(
  rcl_publisher_t * publisher, const rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name)
{
  return rclc_publisher_init(publisher, node, type_support, topic_name, &rmw_qos_profile_default);
}

rcl_ret_t rclc_publisher_init_best_effort(
  rcl_publisher_t * publisher, const rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name)
{
  return rclc_publisher_init(publisher, node, type_support, topic_name, &rmw_qos_profile_sensor_data);
}

rcl_ret_t rclc_publisher_init(
  rcl_publisher_t * publisher, const rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name, const rmw_qos_profile_t * qos_profile)
{
  if (!publisher || !node || !type_support || !topic_name || !qos_profile) {
    return rclc__bad_argument(__func__);
  }
  *publisher = rcl_get_zero_initialized_publisher();
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos = *qos_profile;
  return rclc__checked(rcl_publisher_init(publisher, node, type_support, topic_name, &options), "rcl_publisher_init");
}

// ---- subscription

rcl_ret_t rclc_subscription_init_default(
  rcl_subscription_t * subscription, rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name)
{
  return rclc_subscription_init(subscription, node, type_support, topic_name, &rmw_qos_profile_default);
}

rcl_ret_t rclc_subscription_init_best_effort(
  rcl_subscription_t * subscription, rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name)
{
  return rclc_subscription_init(subscription, node, type_support, topic_name, &rmw_qos_profile_sensor_data);
}

rcl_ret_t rclc_subscription_init(
  rcl_subscription_t * subscription, rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name, const rmw_qos_profile_t * qos_profile)
{
  if (!subscription || !node || !type_support || !topic_name || !qos_profile) {
    return rclc__bad_argument(__func__);
  }
  *subscription = rcl_get_zero_initialized_subscription();
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  options.qos = *qos_profile;
  return rclc__checked(
    rcl_subscription_init(subscription, node, type_support, topic_name, &options), "rcl_subscription_init");
}

// ---- service, timer

rcl_ret_t rclc_service_init_default(
  rcl_service_t * service, const rcl_node_t * node, const rosidl_service_type_support_t * type_support,
  const char * service_name)
{
  if (!service || !node || !type_support || !service_name) {
    return rclc__bad_argument(__func__);
  }
  *service = rcl_get_zero_initialized_service();
  const rcl_service_options_t options = rcl_service_get_default_options();
  return rclc__checked(rcl_service_init(service, node, type_support, service_name, &options), "rcl_service_init");
}

rcl_ret_t rclc_timer_init_default2(
  rcl_timer_t * timer, rclc_support_t * support, const uint64_t timeout_ns, const rcl_timer_callback_t callback,
  bool autostart)
{
  if (!timer || !support) {
    return rclc__bad_argument(__func__);
  }
  *timer = rcl_get_zero_initialized_timer();
  return rclc__checked(
    rcl_timer_init2(
      timer, &support->clock, &support->context, (int64_t)timeout_ns, callback, *support->allocator, autostart),
    "rcl_timer_init2");
}
