// Session: a process's place in ROS: the context, one node and its log. What it is for belongs to its owner.

#ifndef ROS__SESSION_H_
#define ROS__SESSION_H_

#include <rclc/executor.h>
#include <rclc/rclc.h>

#include "fleetweave/fleetweave.h"

typedef struct ros_session_t {
  bool is_started;            // the rest is zero until it is
  rcl_allocator_t allocator;  // the support keeps a pointer to it: a session stays where it is
  rclc_support_t support;
  rcl_node_t node;
  const char * logger;  // the node's name for its log; NULL until there is a node
} ros_session_t;

// FW_RET_INVALID_ARGUMENT if the ROS arguments are to blame.
FW_MUST_USE fw_ret_t
ros_session_init(ros_session_t * session, const char * node_name, int argc, char ** argv, fw_error_t * error);
// After everything else of the node is gone.
void ros_session_fini(ros_session_t * session);

// FW_RET_ERROR with what rcl says.
fw_ret_t ros_session_error(fw_error_t * error, const char * what);
// Waits up to `wait_ns` for messages and handles those that are there.
FW_MUST_USE fw_ret_t ros_session_spin(rclc_executor_t * executor, int64_t wait_ns, fw_error_t * error);

rmw_qos_profile_t ros_qos(size_t depth, bool is_reliable, bool is_latched);

// On the way out nothing can be done about an error of rcl. Empty ones are fine.
void ros_session_fini_publisher(ros_session_t * session, rcl_publisher_t * publisher);
void ros_session_fini_subscription(ros_session_t * session, rcl_subscription_t * subscription);

#endif  // ROS__SESSION_H_
