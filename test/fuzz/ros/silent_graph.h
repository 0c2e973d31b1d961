// A ROS graph in which nobody speaks, in the place of rcl, the executor and the clock: parts of a node subscribe here
// as in the real one, and a test gives their callbacks any messages. Linked instead of rclc and of src/ros/executor.c,
// session.c, qos_watch.c and clock.c.

#ifndef FUZZ__ROS__SILENT_GRAPH_H_
#define FUZZ__ROS__SILENT_GRAPH_H_

#include "ros/executor.h"

enum { SILENT_GRAPH_SUBSCRIPTIONS_MAX = 64 };

// A subscription as a part of the node made it.
typedef struct silent_subscription_t {
  const rcl_subscription_t * handle;
  const rosidl_message_type_support_t * type;
  char topic[256];
  ros_on_message_t on_message;  // no callback: it is not in the executor
} silent_subscription_t;

typedef struct silent_graph_t {
  silent_subscription_t subscriptions[SILENT_GRAPH_SUBSCRIPTIONS_MAX];
  int32_t count;
  int64_t now_ns;  // ROS time
  int64_t last_ns;
} silent_graph_t;

// The one graph of this process.
extern silent_graph_t silent_graph;

#endif  // FUZZ__ROS__SILENT_GRAPH_H_
