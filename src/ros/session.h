// Session: a process in the ROS graph: the context, one node and its log, and helpers for what the node owns.

#ifndef ROS__SESSION_H_
#define ROS__SESSION_H_

#include <rclc/rclc.h>

#include "fleetweave/fleetweave.h"
#include "ros/executor.h"
#include "ros/parameters.h"

typedef struct ros_session_t {
  bool is_started;            // the rest is zero until it is
  rcl_allocator_t allocator;  // `support` keeps a pointer to it: a session must not be moved
  rclc_support_t support;
  rcl_node_t node;
  const char * logger;  // name of the node's logger; NULL until there is a node
} ros_session_t;

typedef struct ros_session_options_t {
  const char * node_name;  // unless the ROS arguments rename the node
  int argc;                // of main, with the ROS arguments
  char ** argv;
} ros_session_options_t;

// FW_RET_INVALID_ARGUMENT if the ROS arguments are wrong. Call ros_session_fini in any case.
FW_MUST_USE fw_ret_t
ros_session_init(ros_session_t * session, const ros_session_options_t * options, fw_error_t * error);
// To be called after the fini of everything else that belongs to the node.
void ros_session_fini(ros_session_t * session);

// The YAML files and the command line of this node, for ros_parameters_override.
ros_parameter_source_t ros_session_parameter_source(const ros_session_t * session);

// FW_RET_ERROR with "`what`: " and the text of rcl's error state, which is cleared.
fw_ret_t ros_session_error(fw_error_t * error, const char * what);
// Waits up to `wait_ns` for messages and runs the callbacks of those that are there.
FW_MUST_USE fw_ret_t ros_session_spin(ros_executor_t * executor, int64_t wait_ns, fw_error_t * error);

// The qualities of service of the nodes. `is_latched` is transient local: a late subscriber receives the last `depth`
// messages.
rmw_qos_profile_t ros_qos(size_t depth, bool is_reliable, bool is_latched);
static inline rmw_qos_profile_t ros_qos_latched(size_t depth) { return ros_qos(depth, true, true); }
static inline rmw_qos_profile_t ros_qos_reliable(size_t depth) { return ros_qos(depth, true, false); }
static inline rmw_qos_profile_t ros_qos_best_effort(size_t depth) { return ros_qos(depth, false, false); }

enum { ROS_TOPIC_SIZE = ROS_ROBOT_NAME_SIZE + 64 };  // bytes of "<robot>/<topic>", with its final zero

// "<robot>/<topic>", or the topic alone if `robot` is empty: then it is relative to the node.
void ros_topic_name(char name[static ROS_TOPIC_SIZE], const char * robot, const char * topic);

// What a subscription needs. `subscription`, `message` and `context` must outlive the executor.
typedef struct ros_subscription_options_t {
  rcl_subscription_t * subscription;
  const char * robot;  // may be empty, see ros_topic_name
  const char * topic;
  const rosidl_message_type_support_t * type;
  rmw_qos_profile_t qos;
  void * message;  // initialised; each message is taken into it
  void (*callback)(const void * message, void * context);
  void * context;
} ros_subscription_options_t;

// Subscribes and adds the subscription to the executor. On false rcl's error state says why.
bool ros_session_subscribe(
  ros_session_t * session, ros_executor_t * executor, const ros_subscription_options_t * options);

// Publishes a message. `is_filled` is false if there was no memory to fill it; then nothing is published. Failures are
// logged.
void ros_session_publish(const rcl_publisher_t * publisher, const void * message, bool is_filled, const char * logger);
// 0 if they cannot be counted.
size_t ros_session_count_subscribers(const rcl_publisher_t * publisher);

// At the end nothing can be done about an error of rcl, so there is no result. Zero-initialised ones are fine.
void ros_session_fini_publisher(ros_session_t * session, rcl_publisher_t * publisher);
void ros_session_fini_subscription(ros_session_t * session, rcl_subscription_t * subscription);

#endif  // ROS__SESSION_H_
