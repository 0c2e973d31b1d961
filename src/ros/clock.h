// ROS time: the system's, or that of /clock (use_sim_time). rclc has a steady clock only.

#ifndef ROS__CLOCK_H_
#define ROS__CLOCK_H_

#include <rclc/rclc.h>
#include <rosgraph_msgs/msg/clock.h>

#include "ros/executor.h"

typedef struct ros_clock_t {
  rcl_clock_t clock;
  rcl_subscription_t subscription;  // of /clock, created when simulated time is first used
  rosgraph_msgs__msg__Clock message;
  bool is_subscribed;
  bool is_sim;
  int64_t last_ns;  // result of the last ros_clock_now, to detect a jump
} ros_clock_t;

// On false rcl's error state says why.
bool ros_clock_init(ros_clock_t * self, rcl_allocator_t * allocator);
void ros_clock_fini(ros_clock_t * self, rcl_node_t * node);

// Follows the parameter use_sim_time. On false rcl's error state says why.
bool ros_clock_use_sim_time(ros_clock_t * self, bool use, rcl_node_t * node, ros_executor_t * executor);

// Nanoseconds; 0 while simulated time is used and nothing has come on /clock. `jumped_back` says whether time has gone
// back since the last call by more than a clock correction does.
int64_t ros_clock_now(ros_clock_t * self, bool * jumped_back);

#endif  // ROS__CLOCK_H_
