// The node: everything it owns, and one turn of its life.
//
// Threads: the caller's, which spins and decides; the worker's, which solves; and those of the middleware. The two
// meet in worker.h only.

#ifndef ROS__PLANNER_NODE__NODE_H_
#define ROS__PLANNER_NODE__NODE_H_

#include "ros/planner_node/assign.h"
#include "ros/planner_node/links.h"
#include "ros/planner_node/markers.h"
#include "ros/parameter_services.h"
#include "ros/planner_node/publish.h"
#include "ros/clock.h"
#include "ros/planner_node/services.h"

typedef struct node_t {
  rcl_allocator_t allocator;
  rclc_support_t support;
  rcl_node_t node;
  rclc_executor_t executor;
  rcl_guard_condition_t wake;  // ends a wait of the executor, from any thread
  ros_clock_t clock;
  ros_parameters_t parameters;
  ros_parameter_services_t parameter_services;
  inbox_t inbox;
  planning_t planning;
  links_t links;
  services_t services;
  publish_t publish;
  markers_t markers;
  assign_t assign;
  const char * logger;
  const char * name;            // with namespace
  int64_t next_diagnostics_ns;  // on the steady clock
  int64_t next_discovery_ns;
  fw_error_t discovery_fault;  // why a robot that has shown up cannot be taken; empty if none is
  bool has_jumped_back;      // time has, and nobody has looked yet

  // How far node_init came.
  bool has_support, has_logging, has_node, has_executor, has_wake, has_planning;
} node_t;

// `node` is zeroed. False after the reason was logged; call node_fini in either case.
bool node_init(node_t * node, int argc, char ** argv);
void node_fini(node_t * node);

// node_turn.c. Waits for news or a short time, then does what there is to do. False if ROS is no longer there.
bool node_turn(node_t * node);
void node_wake(node_t * node);  // from any thread

// What its two files share: what there is to listen to.
listeners_t node_listeners(node_t * node, bool uses_amcl_pose);

#endif  // ROS__PLANNER_NODE__NODE_H_
