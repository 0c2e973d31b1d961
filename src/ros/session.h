// Session: a process in the ROS graph: the context, one node and its log, and helpers for what the node owns.

#ifndef ROS__SESSION_H_
#define ROS__SESSION_H_

#include <rclc/executor.h>
#include <rclc/rclc.h>

#include "fleetweave/fleetweave.h"
#include "ros/parameters.h"

typedef struct ros_session_t {
  bool is_started;            // the rest is zero until it is
  rcl_allocator_t allocator;  // `support` keeps a pointer to it: a session must not be moved
  rclc_support_t support;
  rcl_node_t node;
  const char * logger;  // name of the node's logger; NULL until there is a node
} ros_session_t;

// FW_RET_INVALID_ARGUMENT if the ROS arguments are wrong. Call ros_session_fini in any case.
FW_MUST_USE fw_ret_t
ros_session_init(ros_session_t * session, const char * node_name, int argc, char ** argv, fw_error_t * error);
// After everything else of the node is gone.
void ros_session_fini(ros_session_t * session);

// The YAML files and the command line of this node, for ros_parameters_override.
ros_parameter_source_t ros_session_parameter_source(const ros_session_t * session);

// FW_RET_ERROR with "`what`: " and the text of rcl's error state, which is cleared.
fw_ret_t ros_session_error(fw_error_t * error, const char * what);
// Waits up to `wait_ns` for messages and runs the callbacks of those that are there.
FW_MUST_USE fw_ret_t ros_session_spin(rclc_executor_t * executor, int64_t wait_ns, fw_error_t * error);

// Every quality of service of the nodes. `is_latched` is transient local: late subscribers receive the last `depth`
// messages.
rmw_qos_profile_t ros_qos(size_t depth, bool is_reliable, bool is_latched);

// At the end nothing can be done about an error of rcl, so there is no result. Zero-initialised ones are fine.
void ros_session_fini_publisher(ros_session_t * session, rcl_publisher_t * publisher);
void ros_session_fini_subscription(ros_session_t * session, rcl_subscription_t * subscription);

#endif  // ROS__SESSION_H_
