// One turn of the node's life: wait, take what is new, plan and drive, tell.

#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "ros/planner_node/discovery.h"
#include "ros/planner_node/node.h"

// How long a turn waits at most: stale robots and plans that end are noticed this much late.
static const int64_t TURN_NS = 50000000;
static const int64_t DIAGNOSTICS_NS = 1000000000;
static const int64_t DISCOVERY_NS = 1000000000;

static void read_robots(node_t * node)
{
  const listeners_t listeners = node_listeners(node, node->planning.settings.uses_amcl_pose);
  if (
    !planning_read_names(&node->planning, &node->parameters) ||
    !links_read_robots(&node->links, &listeners, &node->node, &node->executor) ||
    !publish_read_robots(&node->publish, &node->planning.fleet, &node->node)) {
    RCUTILS_LOG_ERROR_NAMED(node->logger, "cannot take the robots: %s", rcl_get_error_string().str);
    rcl_reset_error();
  }
}

static void read_new_parameters(node_t * node, int64_t now_ns)
{
  node_settings_t settings;
  fw_error_t reason = {0};
  node->parameter_services.has_changed = false;
  if (!node_settings_read(&settings, &node->parameters, &reason)) {
    return;  // cannot be: a change is judged before it is made
  }
  read_robots(node);
  const bool changes_time = settings.use_sim_time != node->planning.settings.use_sim_time;
  planning_read_settings(&node->planning, &node->parameters, &settings);
  if (changes_time) {
    if (!ros_clock_use_sim_time(&node->clock, settings.use_sim_time, &node->node, &node->executor)) {
      RCUTILS_LOG_ERROR_NAMED(node->logger, "cannot follow use_sim_time: %s", rcl_get_error_string().str);
      rcl_reset_error();
    }
    planning_drop_plans(&node->planning, now_ns);
    publish_paths(&node->publish, &node->planning, true);
  }
}

static void discover(node_t * node)
{
  const int64_t now_ns = fw_clock_now_ns();
  if (node->planning.settings.discovers_robots && now_ns >= node->next_discovery_ns) {
    node->next_discovery_ns = now_ns + DISCOVERY_NS;
    fw_error_t reason = {0};
    const char * topic = node->planning.settings.uses_amcl_pose ? "amcl_pose" : "odom";
    if (discovery_look(&node->parameters, &node->node, topic, &reason)) {
      node->parameter_services.has_changed = true;  // read with the next turn
    } else if (reason.text[0] != '\0' && strcmp(reason.text, node->discovery_fault.text) != 0) {
      RCUTILS_LOG_ERROR_NAMED(node->logger, "a robot has shown up and cannot be taken: %s", reason.text);
    }
    node->discovery_fault = reason;
  }
}

// Releases first: somebody may be waiting for them.
static void tell(node_t * node, bool has_new_schedule, int64_t now_ns)
{
  planning_t * planning = &node->planning;
  if (publish_releases(&node->publish, planning) && planning->oldest_report_ns > 0) {
    const int64_t then_ns = ros_clock_now(&node->clock, &node->has_jumped_back);
    planning->release_ns[planning->release_count++ % RELEASES_SIZE] = then_ns - planning->oldest_report_ns;
  }
  publish_paths(&node->publish, planning, has_new_schedule);
  node->markers.selected = assign_selected(&node->assign);
  markers_update(&node->markers, planning, now_ns);
}

bool node_turn(node_t * node)
{
  const int64_t until_diagnostics_ns = node->next_diagnostics_ns - fw_clock_now_ns();
  const int64_t wait_ns = until_diagnostics_ns < TURN_NS ? until_diagnostics_ns : TURN_NS;
  if (rclc_executor_spin_some(&node->executor, wait_ns < 0 ? 0 : (uint64_t)wait_ns) != RCL_RET_OK) {
    rcl_reset_error();
    if (!rcl_context_is_valid(&node->support.context)) {
      return false;
    }
  }
  bool jumped_back = false;
  if (node->parameter_services.has_changed) {
    read_new_parameters(node, ros_clock_now(&node->clock, &jumped_back));
  }
  discover(node);
  const int64_t now_ns = ros_clock_now(&node->clock, &jumped_back);
  jumped_back = jumped_back || node->has_jumped_back;
  node->has_jumped_back = false;
  if (jumped_back) {
    RCUTILS_LOG_WARN_NAMED(node->logger, "time went back: the plans are dropped");
    planning_drop_plans(&node->planning, now_ns);
    publish_paths(&node->publish, &node->planning, true);
  }
  node->planning.has_readers = node->planning.has_readers || publish_has_readers(&node->publish);
  const bool has_new_schedule = planning_update(&node->planning, &node->inbox, now_ns);
  tell(node, has_new_schedule, now_ns);
  if (fw_clock_now_ns() >= node->next_diagnostics_ns) {
    node->next_diagnostics_ns = fw_clock_now_ns() + DIAGNOSTICS_NS;
    publish_diagnostics(&node->publish, &node->planning, node->name, now_ns);
  }
  return true;
}
