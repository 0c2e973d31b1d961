// What the parts of the node share. All of it is borrowed from the node, which owns it.

#ifndef ROS__PLANNER_NODE__SITE_H_
#define ROS__PLANNER_NODE__SITE_H_

#include "controller/controller.h"
#include "ros/clock.h"
#include "ros/log.h"
#include "ros/planner_node/settings.h"
#include "ros/session.h"

struct node_transforms_t;

typedef struct node_site_t {
  fw_controller_t * controller;
  struct node_transforms_t * transforms;  // for goals in other frames than the map's
  const node_settings_t * settings;
  ros_session_t * session;
  ros_clock_t * clock;
  bool * has_jumped_back;  // ROS time did since the last spin
  const bool * is_active;  // goals are accepted and paths are released
  const char * logger;
  ros_log_t * log;  // for what messages cause
} node_site_t;

// The inside of the controller, for diagnostics and markers, which show more than its public views.
static inline const fw_controller_impl_t * node_site_impl(const node_site_t * site) { return site->controller->impl; }
// ROS time.
static inline int64_t node_site_now(const node_site_t * site)
{
  bool jumped_back = false;
  const int64_t now_ns = ros_clock_now(site->clock, &jumped_back);
  *site->has_jumped_back = *site->has_jumped_back || jumped_back;
  return now_ns;
}

#endif  // ROS__PLANNER_NODE__SITE_H_
