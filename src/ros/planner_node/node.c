// The node's life, and one spin: wait, read parameters and messages, plan and drive, publish. See node.h.

#include "ros/planner_node/node.h"

#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "base/assert.h"
#include "ros/planner_node/discovery.h"
#include "ros/planner_node/settings.h"

// The longest wait of a spin: stale robots and plans that end are noticed this much late.
static const int64_t SPIN_NS = 50000000;
static const int64_t DIAGNOSTICS_NS = 1000000000;
static const int64_t DISCOVERY_NS = 1000000000;

// ---- life

static void on_guard(void * context) { (void)context; }

static void wake(void * context) { node_wake(context); }

void node_wake(node_t * node)
{
  if (node->has_guard && rcl_trigger_guard_condition(&node->guard) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

static bool init_session(node_t * node, int argc, char ** argv)
{
  fw_error_t error = {0};
  node->guard = rcl_get_zero_initialized_guard_condition();
  const ros_session_options_t options = {.node_name = "fleetweave_planner", .argc = argc, .argv = argv};
  if (ros_session_init(&node->session, &options, &error) != FW_RET_OK) {
    RCUTILS_LOG_FATAL("%s", error.text);
    return false;
  }
  node->has_node = true;
  node->logger = node->session.logger;
  node->name = rcl_node_get_fully_qualified_name(&node->session.node);
  return ros_clock_init(&node->clock, &node->session.allocator);
}

static bool init_parameters(node_t * node, node_settings_t * settings)
{
  fw_error_t reason = {0};
  ros_parameter_source_t source = ros_session_parameter_source(&node->session);
  source.warns_of_unknown = true;
  if (!node_parameters_init(&node->parameters)) {
    return false;
  }
  if (
    ros_parameters_override(&node->parameters, &source, &reason) != FW_RET_OK ||
    !node_settings_read(settings, &node->parameters, &reason)) {
    RCUTILS_LOG_FATAL_NAMED(node->logger, "%s", reason.text);
    return false;
  }
  return true;
}

static bool init_controller(node_t * node, const node_settings_t * settings)
{
  const node_controller_options_t options = {
    .parameters = &node->parameters,
    .settings = settings,
    .logger = node->logger,
    .on_done = wake,
    .context = node,
  };
  node->has_controller = true;
  return node_controller_init(&node->controller, &options) &&
         node_inbox_init(&node->inbox, node->controller.fleet.count, node->controller.closures.count);
}

static bool init_executor(node_t * node)
{
  rcl_context_t * context = &node->session.support.context;
  const ros_executor_options_t options = {
    .context = context,
    .logger = node->logger,
    .takes_per_entity = 1,  // the inbox holds one message of each topic
  };
  node->has_executor = ros_executor_init(&node->executor, &options) == RCL_RET_OK;
  node->has_guard =
    node->has_executor &&
    rcl_guard_condition_init(&node->guard, context, rcl_guard_condition_get_default_options()) == RCL_RET_OK;
  return node->has_guard && ros_executor_add_guard_condition(
                              &node->executor, &node->guard, &(ros_on_guard_t){on_guard, NULL}) == RCL_RET_OK;
}

// Everything with a name in the ROS graph.
static bool init_interfaces(node_t * node, const node_settings_t * settings)
{
  ros_session_t * session = &node->session;
  ros_executor_t * executor = &node->executor;
  node->services = (node_services_t){.controller = &node->controller, .inbox = &node->inbox, .session = &node->session};
  node->unassigned_goals =
    (node_unassigned_goals_t){.controller = &node->controller, .inbox = &node->inbox, .session = session};
  node->subscriptions = (node_subscriptions_t){
    .session = session, .executor = executor, .controller = &node->controller, .inbox = &node->inbox};
  const ros_parameter_services_options_t services = {
    .parameters = &node->parameters, .node = &session->node, .executor = executor, .clock = &node->clock.clock};
  return ros_clock_use_sim_time(&node->clock, settings->use_sim_time, &session->node, executor) &&
         ros_parameter_services_init(&node->parameter_services, &services) &&
         node_services_init(&node->services, executor) &&
         node_publishers_init(&node->publishers, session, &node->controller.fleet) &&
         node_markers_init(&node->markers, session) && node_unassigned_goals_init(&node->unassigned_goals, executor) &&
         node_subscriptions_init(&node->subscriptions);
}

bool node_init(node_t * node, int argc, char ** argv)
{
  node_settings_t settings;
  if (!init_session(node, argc, argv) || !init_parameters(node, &settings)) {
    return false;
  }
  if (!init_controller(node, &settings) || !init_executor(node) || !init_interfaces(node, &settings)) {
    RCUTILS_LOG_FATAL_NAMED(node->logger, "cannot start: %s", rcl_get_error_string().str);
    rcl_reset_error();
    return false;
  }
  RCUTILS_LOG_INFO_NAMED(node->logger, "%d robots, planner %s", node->controller.fleet.count, settings.planner.name);
  return true;
}

void node_fini(node_t * node)
{
  if (node->has_controller) {
    node_controller_fini(&node->controller);  // ends the worker, which may wake the executor
  }
  ros_executor_fini(&node->executor);
  if (node->has_node) {
    // What node_init did not reach is zero, which every fini takes for empty.
    node_subscriptions_fini(&node->subscriptions);
    node_publishers_fini(&node->publishers);
    node_markers_fini(&node->markers);
    node_unassigned_goals_fini(&node->unassigned_goals);
    node_services_fini(&node->services);
    ros_parameter_services_fini(&node->parameter_services, &node->session.node);
    ros_clock_fini(&node->clock, &node->session.node);
  }
  if (node->has_guard && rcl_guard_condition_fini(&node->guard) != RCL_RET_OK) {
    rcl_reset_error();
  }
  node->has_guard = false;
  node_inbox_fini(&node->inbox);
  ros_parameters_fini(&node->parameters);
  ros_session_fini(&node->session);
}

// ---- one spin

static void read_robots(node_t * node)
{
  if (
    !node_controller_read_robots(&node->controller, &node->parameters) ||
    !node_subscriptions_read_robots(&node->subscriptions) ||
    !node_publishers_read_robots(&node->publishers, &node->controller.fleet)) {
    RCUTILS_LOG_ERROR_NAMED(node->logger, "cannot apply the parameter robots: %s", rcl_get_error_string().str);
    rcl_reset_error();
  }
}

static void drop_plans(node_t * node, int64_t now_ns)
{
  node_controller_drop_plans(&node->controller, now_ns);
  node_publish_paths(&node->publishers, &node->controller, true);
}

static void read_new_parameters(node_t * node, int64_t now_ns)
{
  node_settings_t settings;
  fw_error_t reason = {0};
  node->parameter_services.has_changed = false;
  const bool is_read = node_settings_read(&settings, &node->parameters, &reason);
  FW_ASSERT(is_read);  // a change is checked before it is made
  if (!is_read) {
    return;
  }
  read_robots(node);
  const bool changes_time = settings.use_sim_time != node->controller.settings.use_sim_time;
  node_controller_read_settings(&node->controller, &node->parameters, &settings);
  if (changes_time) {
    if (!ros_clock_use_sim_time(&node->clock, settings.use_sim_time, &node->session.node, &node->executor)) {
      RCUTILS_LOG_ERROR_NAMED(node->logger, "cannot apply the parameter use_sim_time: %s", rcl_get_error_string().str);
      rcl_reset_error();
    }
    drop_plans(node, now_ns);
  }
}

static void discover_robots(node_t * node)
{
  const int64_t now_ns = fw_clock_now_ns();
  if (!node->controller.settings.discovers_robots || now_ns < node->next_discovery_ns) {
    return;
  }
  node->next_discovery_ns = now_ns + DISCOVERY_NS;
  fw_error_t reason = {0};
  const char * topic = node->controller.settings.uses_amcl_pose ? "amcl_pose" : "odom";
  if (node_discover_robots(&node->parameters, &node->session.node, topic, &reason)) {
    node->parameter_services.has_changed = true;  // read with the next spin
  } else if (reason.text[0] != '\0' && strcmp(reason.text, node->discovery_fault.text) != 0) {
    RCUTILS_LOG_ERROR_NAMED(node->logger, "a discovered robot cannot be added: %s", reason.text);
  }
  node->discovery_fault = reason;
}

// Releases first: robots may wait for them.
static void publish_changes(node_t * node, bool has_new_schedule, int64_t now_ns)
{
  node_controller_t * controller = &node->controller;
  if (node_publish_releases(&node->publishers, controller) && controller->oldest_report_ns > 0) {
    const int64_t then_ns = ros_clock_now(&node->clock, &node->has_jumped_back);
    controller->release_times_ns[controller->release_times_count++ % NODE_RELEASE_TIMES_SIZE] =
      then_ns - controller->oldest_report_ns;
  }
  node_publish_paths(&node->publishers, controller, has_new_schedule);
  node->markers.selected = node_unassigned_goals_selected(&node->unassigned_goals);
  node_markers_update(&node->markers, controller, now_ns);
}

bool node_spin_once(node_t * node)
{
  const int64_t until_diagnostics_ns = node->next_diagnostics_ns - fw_clock_now_ns();
  const int64_t wait_ns = until_diagnostics_ns < SPIN_NS ? until_diagnostics_ns : SPIN_NS;
  if (ros_executor_spin_some(&node->executor, wait_ns < 0 ? 0 : (uint64_t)wait_ns) != RCL_RET_OK) {
    rcl_reset_error();
    if (!rcl_context_is_valid(&node->session.support.context)) {
      return false;
    }
  }
  bool jumped_back = false;
  if (node->parameter_services.has_changed) {
    read_new_parameters(node, ros_clock_now(&node->clock, &jumped_back));
  }
  discover_robots(node);
  const int64_t now_ns = ros_clock_now(&node->clock, &jumped_back);
  jumped_back = jumped_back || node->has_jumped_back;
  node->has_jumped_back = false;
  if (jumped_back) {
    RCUTILS_LOG_WARN_NAMED(node->logger, "ROS time went back: the plans are dropped");
    drop_plans(node, now_ns);
  }
  node->controller.has_subscribers =
    node->controller.has_subscribers || node_publishers_have_subscribers(&node->publishers);
  const bool has_new_schedule = node_controller_update(&node->controller, &node->inbox, now_ns);
  publish_changes(node, has_new_schedule, now_ns);
  if (fw_clock_now_ns() >= node->next_diagnostics_ns) {
    node->next_diagnostics_ns = fw_clock_now_ns() + DIAGNOSTICS_NS;
    node_publish_diagnostics(&node->publishers, &node->controller, node->name, now_ns);
  }
  return true;
}
