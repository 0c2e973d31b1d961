// The rclc calls that this package makes, for systems where rclc itself is not installed.
//
// rclc is ROS 2's convenience layer for C. Names, arguments and meaning here are those of rclc 6; the bodies are
// our own, on rcl. CMake prefers the real rclc where it finds it, and the nodes compile unchanged with either:
// include only <rclc/rclc.h>, and treat the structs as closed except where noted. What waits for messages and calls
// back is our own, ros/executor.h.
//
// Every call that can fail returns an rcl_ret_t. The reason has then been logged and rcl's error state is clear.
#ifndef RCLC__RCLC_H_
#define RCLC__RCLC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rcl/rcl.h>

#ifdef __cplusplus
extern "C" {
#endif

// One per process: the ROS context and a steady clock. `context` and `clock` may be read by the caller.
typedef struct {
  rcl_context_t context;
  rcl_allocator_t * allocator;  // borrowed; must outlive this
  rcl_clock_t clock;
} rclc_support_t;

// Starts ROS with the command line's --ros-args.
rcl_ret_t rclc_support_init(rclc_support_t * support, int argc, char const * const * argv, rcl_allocator_t * allocator);
// Shuts the context down and releases it. Nodes and all else must be gone before. As in rclc, a context that was
// shut down already is released too, but the result is then RCL_RET_ERROR.
rcl_ret_t rclc_support_fini(rclc_support_t * support);

// What these initialise is released by rcl's own calls: rcl_node_fini, rcl_publisher_fini, ...
rcl_ret_t rclc_node_init_default(
  rcl_node_t * node, const char * name, const char * namespace_, rclc_support_t * support);

// _default is reliable, the form without a suffix takes any quality of service.
rcl_ret_t rclc_publisher_init_default(
  rcl_publisher_t * publisher, const rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name);
rcl_ret_t rclc_publisher_init(
  rcl_publisher_t * publisher, const rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name, const rmw_qos_profile_t * qos_profile);

rcl_ret_t rclc_subscription_init(
  rcl_subscription_t * subscription, rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name, const rmw_qos_profile_t * qos_profile);

rcl_ret_t rclc_service_init_default(
  rcl_service_t * service, const rcl_node_t * node, const rosidl_service_type_support_t * type_support,
  const char * service_name);

#ifdef __cplusplus
}
#endif

#endif  // RCLC__RCLC_H_
