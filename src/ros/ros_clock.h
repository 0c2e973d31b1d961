// ROS time: the system's, or what /clock says. rclc has a steady clock only.

#ifndef ROS__ROS_CLOCK_H_
#define ROS__ROS_CLOCK_H_

#include <rclc/executor.h>
#include <rclc/rclc.h>
#include <rosgraph_msgs/msg/clock.h>

typedef struct ros_clock_t {
  rcl_clock_t clock;
  rcl_subscription_t subscription;  // of /clock, made when sim time is first asked for
  rosgraph_msgs__msg__Clock message;
  bool is_subscribed;
  bool is_sim;
  int64_t last_ns;  // the latest answer, to see a jump
} ros_clock_t;

bool ros_clock_init(ros_clock_t * self, rcl_allocator_t * allocator);
void ros_clock_fini(ros_clock_t * self, rcl_node_t * node);

// Follows the parameter use_sim_time. Needs one place in the executor.
bool ros_clock_use_sim_time(ros_clock_t * self, bool use, rcl_node_t * node, rclc_executor_t * executor);

// Nanoseconds; 0 as long as sim time is used and nothing has come on /clock. `jumped_back` tells whether time went back
// since the last call, by more than what clock corrections do.
int64_t ros_clock_now(ros_clock_t * self, bool * jumped_back);

#endif  // ROS__ROS_CLOCK_H_
