// planner_node: everything it owns, and one spin of it.
//
// It is a managed node (ros/lifecycle.h):
//
//   unconfigured  parameters and lifecycle services; no controller, no other names in the graph
//   inactive      everything, but goals are rejected and nothing more is released; robots stop at the ends of their
//                 releases, and their goals wait
//   active        plans and releases
//   finalized     as unconfigured, for ever
//
//   subscriptions, services, actions ──> controller ──> publishers, markers, results of actions
//
// Threads: the caller's, which spins and decides; the worker's, which solves; and those of the middleware. The first
// two meet in the controller only.

#ifndef ROS__PLANNER_NODE__NODE_H_
#define ROS__PLANNER_NODE__NODE_H_

#include "ros/planner_node/actions.h"
#include "ros/planner_node/markers/markers.h"
#include "ros/parameter_services.h"
#include "ros/planner_node/publishers.h"
#include "ros/planner_node/rivals.h"
#include "ros/planner_node/robot_services.h"
#include "ros/planner_node/services.h"
#include "ros/planner_node/subscriptions.h"
#include "ros/planner_node/transforms.h"
#include "ros/planner_node/unassigned_goals.h"
#include "ros/bond.h"
#include "ros/clock.h"
#include "ros/lifecycle.h"
#include "ros/log.h"
#include "ros/session.h"

typedef struct node_t {
  ros_session_t session;
  ros_executor_t executor;
  rcl_guard_condition_t guard;  // ends a wait of the executor, from any thread
  ros_clock_t clock;
  ros_lifecycle_t lifecycle;
  ros_bond_t bond;  // only if somebody else activates the node
  ros_parameters_t parameters;
  ros_parameter_services_t parameter_services;
  node_settings_t settings;
  fw_controller_t controller;
  node_site_t site;  // what the parts below share
  node_subscriptions_t subscriptions;
  node_transforms_t transforms;
  node_services_t services;
  node_fleet_services_t fleet_services;
  node_actions_t actions;
  node_publishers_t publishers;
  node_rivals_t rivals;
  node_markers_t markers;
  node_unassigned_goals_t unassigned_goals;
  const char * logger;
  ros_log_t log;
  int64_t next_diagnostics_ns;  // steady clock
  int64_t next_discovery_ns;    // steady clock
  fw_error_t discovery_fault;   // why a discovered robot could not be added; empty if none failed
  int64_t startup_end_ns;       // steady clock: until then subscribers are waited for; 0: no robot has reported yet
  bool has_subscribers;         // each robot's path had one at some time
  bool has_jumped_back;         // ROS time did since the last spin

  bool is_configured;  // inactive or active
  bool is_active;

  // How far node_init came.
  bool has_node, has_executor, has_guard;
} node_t;

// `node` is zeroed and stays at its address. False after the reason was logged; call node_end in either case.
bool node_init(node_t * node, int argc, char ** argv);
// Leaves the graph and closes all files. Memory stays, so this is for the end of the process.
void node_end(node_t * node);

// Waits for messages, a result or a short time, then does all that is due. False if the ROS context has ended.
bool node_spin_once(node_t * node);
void node_wake(node_t * node);  // ends the wait, from any thread

#endif  // ROS__PLANNER_NODE__NODE_H_
