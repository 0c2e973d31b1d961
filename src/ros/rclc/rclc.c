// The rclc calls that this package makes: rcl's calls with the usual options filled in. See rclc/rclc.h.
#include "rclc/rclc.h"

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>

// Passes `ret` on. When it is a failure: logs which call failed and why, and clears rcl's error state.
static rcl_ret_t checked(rcl_ret_t ret, const char * call)
{
  if (ret != RCL_RET_OK) {
    const char * reason = rcl_error_is_set() ? rcl_get_error_string().str : "no reason given";
    RCUTILS_LOG_ERROR_NAMED("rclc", "%s failed (%d): %s", call, (int)ret, reason);
    rcl_reset_error();
  }
  return ret;
}

// A null pointer or another mistake of the caller.
static rcl_ret_t bad_argument(const char * call)
{
  RCUTILS_LOG_ERROR_NAMED("rclc", "%s: an argument is null or empty", call);
  return RCL_RET_INVALID_ARGUMENT;
}

// ---- support

rcl_ret_t rclc_support_init(rclc_support_t * support, int argc, char const * const * argv, rcl_allocator_t * allocator)
{
  if (!support || !allocator) {
    return bad_argument(__func__);
  }
  *support = (rclc_support_t){.context = rcl_get_zero_initialized_context(), .allocator = allocator};
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  rcl_ret_t ret = checked(rcl_init_options_init(&options, *allocator), "rcl_init_options_init");
  if (ret != RCL_RET_OK) {
    return ret;
  }
  ret = checked(rcl_init(argc, argv, &options, &support->context), "rcl_init");
  if (ret == RCL_RET_OK) {
    ret = checked(rcl_clock_init(RCL_STEADY_TIME, &support->clock, allocator), "rcl_clock_init");
  }
  (void)checked(rcl_init_options_fini(&options), "rcl_init_options_fini");
  return ret;
}

rcl_ret_t rclc_support_fini(rclc_support_t * support)
{
  if (!support) {
    return bad_argument(__func__);
  }
  bool good = checked(rcl_clock_fini(&support->clock), "rcl_clock_fini") == RCL_RET_OK;
  good &= checked(rcl_shutdown(&support->context), "rcl_shutdown") == RCL_RET_OK;
  good &= checked(rcl_context_fini(&support->context), "rcl_context_fini") == RCL_RET_OK;
  return good ? RCL_RET_OK : RCL_RET_ERROR;
}

// ---- node

rcl_ret_t rclc_node_init_default(
  rcl_node_t * node, const char * name, const char * namespace_, rclc_support_t * support)
{
  if (!node || !name || !namespace_ || !support) {
    return bad_argument(__func__);
  }
  *node = rcl_get_zero_initialized_node();
  const rcl_node_options_t options = rcl_node_get_default_options();
  return checked(rcl_node_init(node, name, namespace_, &support->context, &options), "rcl_node_init");
}

// ---- publisher

rcl_ret_t rclc_publisher_init_default(
  rcl_publisher_t * publisher, const rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name)
{
  return rclc_publisher_init(publisher, node, type_support, topic_name, &rmw_qos_profile_default);
}

rcl_ret_t rclc_publisher_init(
  rcl_publisher_t * publisher, const rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name, const rmw_qos_profile_t * qos_profile)
{
  if (!publisher || !node || !type_support || !topic_name || !qos_profile) {
    return bad_argument(__func__);
  }
  *publisher = rcl_get_zero_initialized_publisher();
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos = *qos_profile;
  return checked(rcl_publisher_init(publisher, node, type_support, topic_name, &options), "rcl_publisher_init");
}

// ---- subscription

rcl_ret_t rclc_subscription_init(
  rcl_subscription_t * subscription, rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name, const rmw_qos_profile_t * qos_profile)
{
  if (!subscription || !node || !type_support || !topic_name || !qos_profile) {
    return bad_argument(__func__);
  }
  *subscription = rcl_get_zero_initialized_subscription();
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  options.qos = *qos_profile;
  return checked(
    rcl_subscription_init(subscription, node, type_support, topic_name, &options), "rcl_subscription_init");
}

// ---- service

rcl_ret_t rclc_service_init_default(
  rcl_service_t * service, const rcl_node_t * node, const rosidl_service_type_support_t * type_support,
  const char * service_name)
{
  if (!service || !node || !type_support || !service_name) {
    return bad_argument(__func__);
  }
  *service = rcl_get_zero_initialized_service();
  const rcl_service_options_t options = rcl_service_get_default_options();
  return checked(rcl_service_init(service, node, type_support, service_name, &options), "rcl_service_init");
}
