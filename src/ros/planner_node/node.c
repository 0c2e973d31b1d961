#include "ros/planner_node/node.h"

#include <rcl/error_handling.h>
#include <rcl/logging.h>
#include <rcl/logging_rosout.h>
#include <rcutils/logging_macros.h>

#include "ros/planner_node/settings.h"

static void on_wake(void) {}

static void wake(void * context) { node_wake(context); }

void node_wake(node_t * node)
{
  if (node->has_wake && rcl_trigger_guard_condition(&node->wake) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

static bool start_ros(node_t * node, int argc, char ** argv)
{
  node->allocator = rcl_get_default_allocator();
  node->node = rcl_get_zero_initialized_node();
  node->wake = rcl_get_zero_initialized_guard_condition();
  if (rclc_support_init(&node->support, argc, (const char * const *)argv, &node->allocator) != RCL_RET_OK) {
    return false;
  }
  node->has_support = true;
  // Before the node, which would otherwise not publish its log on /rosout.
  node->has_logging = rcl_logging_configure(&node->support.context.global_arguments, &node->allocator) == RCL_RET_OK;
  if (rclc_node_init_default(&node->node, "fleetweave_planner", "", &node->support) != RCL_RET_OK) {
    return false;
  }
  node->has_node = true;
  if (rcl_logging_rosout_enabled() && rcl_logging_rosout_init_publisher_for_node(&node->node) != RCL_RET_OK) {
    rcl_reset_error();  // the log is still on stderr
  }
  node->logger = rcl_node_get_logger_name(&node->node);
  node->name = rcl_node_get_fully_qualified_name(&node->node);
  return ros_clock_init(&node->clock, &node->allocator);
}

static bool read_parameters(node_t * node, node_settings_t * settings)
{
  fw_error_t reason = {0};
  if (!node_parameters_init(&node->parameters)) {
    return false;
  }
  const bool is_fine =
    node_parameters_override(&node->parameters, &node->support.context.global_arguments, node->name, node->logger, &reason) &&
    node_settings_read(settings, &node->parameters, &reason);
  if (!is_fine) {
    RCUTILS_LOG_FATAL_NAMED(node->logger, "%s", reason.text);
  }
  return is_fine;
}

static bool start_executor(node_t * node)
{
  const size_t links = links_count(&node->planning.fleet, &node->planning.closures);
  const size_t handles = 1 + 1 + ROS_PARAMETER_SERVICE_COUNT + SERVICE_COUNT + ASSIGN_COUNT + links;  // /clock, wake, ...
  node->executor = rclc_executor_get_zero_initialized_executor();
  node->has_executor =
    rclc_executor_init(&node->executor, &node->support.context, handles, &node->allocator) == RCL_RET_OK;
  node->has_wake = node->has_executor &&
                   rcl_guard_condition_init(
                     &node->wake, &node->support.context, rcl_guard_condition_get_default_options()) == RCL_RET_OK;
  return node->has_wake && rclc_executor_add_guard_condition(&node->executor, &node->wake, on_wake) == RCL_RET_OK;
}

listeners_t node_listeners(node_t * node, bool uses_amcl_pose)
{
  return (listeners_t){
    .inbox = &node->inbox,
    .fleet = &node->planning.fleet,
    .closures = &node->planning.closures,
    .uses_amcl_pose = uses_amcl_pose,
  };
}

static bool start_links(node_t * node, bool uses_amcl_pose)
{
  const listeners_t listeners = node_listeners(node, uses_amcl_pose);
  return links_init(&node->links, &listeners, &node->node, &node->executor);
}

bool node_init(node_t * node, int argc, char ** argv)
{
  node_settings_t settings;
  if (!start_ros(node, argc, argv)) {
    return false;
  }
  if (!read_parameters(node, &settings)) {
    return false;
  }
  node->has_planning = true;
  const bool is_fine =
    planning_init(&node->planning, &node->parameters, &settings, node->logger, wake, node) &&
    inbox_init(&node->inbox, node->planning.fleet.count, node->planning.closures.count) && start_executor(node) &&
    ros_clock_use_sim_time(&node->clock, settings.use_sim_time, &node->node, &node->executor) &&
    ros_parameter_services_init(
      &node->parameter_services, &node->parameters, &node->node, &node->executor, &node->clock.clock) &&
    services_init(&node->services, &node->planning, &node->inbox, &node->node, &node->executor) &&
    publish_init(&node->publish, &node->planning.fleet, &node->node) && markers_init(&node->markers, &node->node) &&
    assign_init(&node->assign, &node->planning, &node->inbox, &node->node, &node->executor) &&
    start_links(node, settings.uses_amcl_pose);
  if (!is_fine) {
    RCUTILS_LOG_FATAL_NAMED(node->logger, "cannot start: %s", rcl_get_error_string().str);
    rcl_reset_error();
    return false;
  }
  RCUTILS_LOG_INFO_NAMED(node->logger, "%d robots, planner %s", node->planning.fleet.count, settings.planner.name);
  return true;
}

void node_fini(node_t * node)
{
  if (node->has_planning) {
    planning_fini(&node->planning);
  }
  if (node->has_executor && rclc_executor_fini(&node->executor) != RCL_RET_OK) {
    rcl_reset_error();
  }
  if (node->has_node) {
    // What was not reached is zero, and fini takes that for empty.
    links_fini(&node->links, &node->node);
    publish_fini(&node->publish, &node->node);
    markers_fini(&node->markers, &node->node);
    assign_fini(&node->assign, &node->node);
    services_fini(&node->services, &node->node);
    ros_parameter_services_fini(&node->parameter_services, &node->node);
    ros_clock_fini(&node->clock, &node->node);
  }
  if (node->has_wake && rcl_guard_condition_fini(&node->wake) != RCL_RET_OK) {
    rcl_reset_error();
  }
  inbox_fini(&node->inbox);
  ros_parameters_fini(&node->parameters);
  if (
    node->has_node && rcl_logging_rosout_enabled() &&
    rcl_logging_rosout_fini_publisher_for_node(&node->node) != RCL_RET_OK) {
    rcl_reset_error();
  }
  if (node->has_node && rcl_node_fini(&node->node) != RCL_RET_OK) {
    rcl_reset_error();
  }
  if (node->has_support && rclc_support_fini(&node->support) != RCL_RET_OK) {
    rcl_reset_error();
  }
  if (node->has_logging && rcl_logging_fini() != RCL_RET_OK) {
    rcl_reset_error();
  }
}
