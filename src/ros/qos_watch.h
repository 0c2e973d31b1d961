// A watch on a subscription: warns of publishers whose quality of service it cannot use. The middleware does not
// connect them, and without a warning their messages are missing without a word.

#ifndef ROS__QOS_WATCH_H_
#define ROS__QOS_WATCH_H_

#include "ros/executor.h"
#include "ros/log.h"

// Zero watches nothing. It must not be moved while it watches.
typedef struct ros_qos_watch_t {
  rcl_event_t event;
  int32_t seen;  // publishers that were warned of
  ros_entity_t * waitable;
  // Borrowed.
  ros_executor_t * executor;
  const rcl_subscription_t * subscription;
  ros_log_t * log;
} ros_qos_watch_t;

// What it watches, and where it warns; all borrowed until ros_qos_watch_end.
typedef struct ros_qos_watch_options_t {
  ros_executor_t * executor;
  const rcl_subscription_t * subscription;
  ros_log_t * log;
} ros_qos_watch_options_t;

// `watch` is zero. Where the middleware cannot tell, nothing is watched. Call end in either case.
void ros_qos_watch_begin(ros_qos_watch_t * watch, const ros_qos_watch_options_t * options);
// Before the fini of the executor and of the subscription. A watch that is zero is fine.
void ros_qos_watch_end(ros_qos_watch_t * watch);

#endif  // ROS__QOS_WATCH_H_
