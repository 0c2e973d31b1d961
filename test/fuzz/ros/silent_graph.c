// See silent_graph.h.

#include "fuzz/ros/silent_graph.h"

#include <stdio.h>

#include "fuzz/fuzz.h"
#include "ros/clock.h"
#include "ros/qos_watch.h"
#include "ros/session.h"

silent_graph_t silent_graph;

static silent_subscription_t * find(const void * handle)
{
  for (int32_t k = 0; k < silent_graph.count; ++k) {
    if (silent_graph.subscriptions[k].handle == handle) {
      return &silent_graph.subscriptions[k];
    }
  }
  return NULL;
}

rcl_ret_t rclc_subscription_init(
  rcl_subscription_t * subscription, rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name, const rmw_qos_profile_t * qos_profile)
{
  (void)node;
  (void)qos_profile;
  fuzz_require(find(subscription) == NULL, "a subscription is made once");
  fuzz_require(silent_graph.count < SILENT_GRAPH_SUBSCRIPTIONS_MAX, "subscriptions are few");
  silent_subscription_t * made = &silent_graph.subscriptions[silent_graph.count++];
  *made = (silent_subscription_t){.handle = subscription, .type = type_support};
  (void)snprintf(made->topic, sizeof(made->topic), "%s", topic_name);
  return RCL_RET_OK;
}

void ros_session_fini_subscription(ros_session_t * session, rcl_subscription_t * subscription)
{
  (void)session;
  silent_subscription_t * made = find(subscription);
  if (made != NULL) {
    fuzz_require(made->on_message.callback == NULL, "a subscription leaves the executor before its end");
    *made = silent_graph.subscriptions[--silent_graph.count];
  }
}

rcl_ret_t ros_executor_add_subscription(
  ros_executor_t * executor, rcl_subscription_t * subscription, const ros_on_message_t * on_message)
{
  (void)executor;
  silent_subscription_t * made = find(subscription);
  fuzz_require(made != NULL, "a subscription is made before it is in the executor");
  made->on_message = *on_message;
  return RCL_RET_OK;
}

bool ros_executor_remove(ros_executor_t * executor, const void * entity)
{
  (void)executor;
  silent_subscription_t * made = find(entity);
  if (made == NULL || made->on_message.callback == NULL) {
    return false;
  }
  made->on_message = (ros_on_message_t){0};
  return true;
}

rmw_qos_profile_t ros_qos(size_t depth, bool is_reliable, bool is_latched)
{
  (void)is_reliable;
  (void)is_latched;
  return (rmw_qos_profile_t){.depth = depth};
}

void ros_qos_watch_begin(ros_qos_watch_t * watch, const ros_qos_watch_options_t * options)
{
  watch->subscription = options->subscription;
}

void ros_qos_watch_end(ros_qos_watch_t * watch) { *watch = (ros_qos_watch_t){0}; }

int64_t ros_clock_now(ros_clock_t * self, bool * jumped_back)
{
  (void)self;
  *jumped_back = silent_graph.now_ns < silent_graph.last_ns;
  silent_graph.last_ns = silent_graph.now_ns;
  return silent_graph.now_ns;
}
