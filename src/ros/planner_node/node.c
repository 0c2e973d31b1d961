// The node's life, and one spin: wait, read parameters and messages, plan and drive, publish. See node.h.

#include "ros/planner_node/node.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "base/assert.h"
#include "map_files/area_file.h"
#include "ros/planner_node/discovery.h"
#include "ros/planner_node/settings.h"

// The longest wait of a spin: stale robots and plans that end are noticed this much late.
static const int64_t SPIN_NS = 50000000;
static const int64_t DISCOVERY_NS = 1000000000;
// Robots subscribe one by one, and a plan that some do not get would lead others into them. But a robot that is
// switched off must not stop the fleet: after the first pose, subscribers are waited for this long.
static const int64_t STARTUP_NS = 5000000000;
// Replies are lost if the node ends before the middleware of those who asked has read them.
static const struct timespec REPLIES_TIME = {.tv_nsec = 250000000};

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
  return ros_log_init(&node->log, node->logger) && ros_clock_init(&node->clock, &node->session.allocator);
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

// The controller's log in that of ROS, which any thread may write to.
static void write_log(void * context, fw_log_level_t level, const char * text)
{
  static const int severities[] = {
    RCUTILS_LOG_SEVERITY_DEBUG, RCUTILS_LOG_SEVERITY_INFO, RCUTILS_LOG_SEVERITY_WARN, RCUTILS_LOG_SEVERITY_ERROR};
  ros_log_write(&((node_t *)context)->log, severities[level], text);
}

// Gives the controller the list of robots that the parameters have.
static bool set_robots(node_t * node, int64_t now_ns, fw_error_t * reason)
{
  int32_t count = 0;
  fw_controller_robot_t * robots = node_robots_read(&node->parameters, &count);
  if (robots == NULL) {
    return fw__refuse(reason, "out of memory");
  }
  const fw_ret_t ret = fw_controller_set_robots(&node->controller, robots, count, now_ns, reason);
  free(robots);
  return ret == FW_RET_OK;
}

// Gives the controller the areas of the file that the parameter names.
static bool read_areas(node_t * node, int64_t now_ns, fw_error_t * reason)
{
  fw_area_list_t list = {0};
  const char * path = node->settings.areas;
  fw_ret_t ret = path[0] == '\0' ? FW_RET_OK : fw__area_file_read(&list, path, reason);
  if (ret == FW_RET_OK) {
    ret = fw_controller_set_areas(&node->controller, list.areas, list.count, now_ns, reason);
  }
  fw__area_list_fini(&list);
  return ret == FW_RET_OK;
}

static bool init_controller(node_t * node)
{
  fw_error_t reason = {0};
  fw_controller_options_t options = fw_controller_options_default();
  const char ** closures = node_closures_read(&node->parameters, &options.closure_count);
  options.settings = node->settings.controller;
  options.closure_names = closures;
  options.record = node->settings.record;
  options.record_max_bytes = node->settings.record_max_mb * 1000000;
  options.journal = node->settings.journal;
  options.journal_sync = node->settings.journal_sync;
  options.log = write_log;
  options.on_result = wake;
  options.context = node;
  const bool is_made = closures != NULL && fw_controller_init(&node->controller, &options, &reason) == FW_RET_OK &&
                       set_robots(node, 0, &reason) && read_areas(node, 0, &reason);
  free(closures);
  node->parameters.check_context = node->controller.impl;
  if (!is_made) {
    RCUTILS_LOG_FATAL_NAMED(node->logger, "%s", reason.text);
  }
  node->site = (node_site_t){
    .controller = &node->controller,
    .transforms = &node->transforms,
    .settings = &node->settings,
    .session = &node->session,
    .clock = &node->clock,
    .has_jumped_back = &node->has_jumped_back,
    .is_active = &node->is_active,
    .logger = node->logger,
    .log = &node->log,
  };
  return is_made;
}

static bool init_executor(node_t * node)
{
  rcl_context_t * context = &node->session.support.context;
  const ros_executor_options_t options = {
    .context = context,
    .logger = node->logger,
  };
  node->has_executor = ros_executor_init(&node->executor, &options) == RCL_RET_OK;
  node->has_guard =
    node->has_executor &&
    rcl_guard_condition_init(&node->guard, context, rcl_guard_condition_get_default_options()) == RCL_RET_OK;
  return node->has_guard && ros_executor_add_guard_condition(
                              &node->executor, &node->guard, &(ros_on_guard_t){on_guard, NULL}) == RCL_RET_OK;
}

// Everything with a name in the ROS graph that needs the controller.
static bool init_interfaces(node_t * node)
{
  ros_executor_t * executor = &node->executor;
  node->services = (node_services_t){.site = &node->site, .executor = executor};
  node->unassigned_goals = (node_unassigned_goals_t){.site = &node->site, .executor = executor};
  node->subscriptions = (node_subscriptions_t){.site = &node->site, .executor = executor};
  node->transforms = (node_transforms_t){.site = &node->site, .executor = executor};
  node->fleet_services = (node_fleet_services_t){.site = &node->site, .executor = executor};
  node->actions = (node_actions_t){.site = &node->site, .executor = executor};
  return node_services_init(&node->services) && node_publishers_init(&node->publishers, &node->site) &&
         node_markers_init(&node->markers, &node->session) && node_unassigned_goals_init(&node->unassigned_goals) &&
         node_subscriptions_init(&node->subscriptions) && node_transforms_init(&node->transforms) &&
         node_fleet_services_init(&node->fleet_services) && node_actions_init(&node->actions);
}

static void log_start_failure(const node_t * node)
{
  RCUTILS_LOG_FATAL_NAMED(
    node->logger, "cannot start: %s", rcl_error_is_set() ? rcl_get_error_string().str : "out of memory");
  rcl_reset_error();
}

// ---- transitions

// What configure did not reach is zero, which every fini takes for empty.
static bool cleanup_node(void * context)
{
  node_t * node = context;
  fw__controller_end_worker(node->controller.impl);  // it may wake the executor
  node_actions_fini(&node->actions);
  node_fleet_services_fini(&node->fleet_services);
  node_subscriptions_fini(&node->subscriptions);
  node_transforms_fini(&node->transforms);
  if (node->has_node) {
    node_publishers_fini(&node->publishers);
    node_markers_fini(&node->markers);
  }
  node_unassigned_goals_fini(&node->unassigned_goals);
  node_services_fini(&node->services);
  node->parameters.check_context = NULL;
  fw_controller_fini(&node->controller);
  node->publishers = (node_publishers_t){0};
  node->markers = (node_markers_t){0};
  node->is_configured = false;
  node->is_active = false;
  ros_bond_end(&node->bond);  // of a shutdown while active
  return true;
}

static bool configure_node(void * context)
{
  node_t * node = context;
  node->startup_end_ns = 0;
  node->has_subscribers = false;
  node->has_jumped_back = false;
  if (!init_controller(node)) {
    (void)cleanup_node(node);
    return false;
  }
  if (!init_interfaces(node)) {
    log_start_failure(node);
    (void)cleanup_node(node);
    return false;
  }
  node->rivals = (node_rivals_t){.site = &node->site, .publishers = &node->publishers};
  node_rivals_init(&node->rivals);
  node->is_configured = true;
  fw_controller_set_active(&node->controller, false);
  RCUTILS_LOG_INFO_NAMED(
    node->logger, "%d robot%s, planner %s", fw_controller_robot_count(&node->controller),
    fw_controller_robot_count(&node->controller) == 1 ? "" : "s", node->settings.controller.planner.name);
  return true;
}

static bool activate_node(void * context)
{
  node_t * node = context;
  fw_controller_set_active(&node->controller, true);
  node->is_active = true;
  ros_bond_begin(&node->bond);
  return true;
}

static bool deactivate_node(void * context)
{
  node_t * node = context;
  fw_controller_set_active(&node->controller, false);
  node->is_active = false;
  ros_bond_end(&node->bond);
  RCUTILS_LOG_INFO_NAMED(node->logger, "not active: robots stop at the ends of their released paths");
  return true;
}

static void shutdown_node(void * context) { (void)cleanup_node(context); }

// What a node has in each state.
static bool init_basis(node_t * node)
{
  ros_session_t * session = &node->session;
  const ros_parameter_services_options_t services = {
    .parameters = &node->parameters, .node = &session->node, .executor = &node->executor, .clock = &node->clock.clock};
  const ros_lifecycle_options_t lifecycle = {
    .node = &session->node,
    .executor = &node->executor,
    .logger = node->logger,
    .on = {configure_node, activate_node, deactivate_node, cleanup_node, shutdown_node, node},
  };
  return init_executor(node) &&
         ros_clock_use_sim_time(&node->clock, node->settings.use_sim_time, &session->node, &node->executor) &&
         ros_parameter_services_init(&node->parameter_services, &services) &&
         ros_lifecycle_init(&node->lifecycle, &lifecycle) &&
         (node->settings.autostart || ros_bond_init(&node->bond, session, &node->executor));
}

bool node_init(node_t * node, int argc, char ** argv)
{
  if (!init_session(node, argc, argv) || !init_parameters(node, &node->settings)) {
    return false;
  }
  if (!init_basis(node)) {
    log_start_failure(node);
    return false;
  }
  return !node->settings.autostart ||
         (ros_lifecycle_change(&node->lifecycle, lifecycle_msgs__msg__Transition__TRANSITION_CONFIGURE) &&
          ros_lifecycle_change(&node->lifecycle, lifecycle_msgs__msg__Transition__TRANSITION_ACTIVATE));
}

// rcl has each publisher, subscription and service ended before its node. With 200 robots that takes six seconds, most
// of which Fast DDS spends asking whether any endpoint still needs the type of one that has ended. The node's
// participant ends with all of them much sooner, and its peers learn of it at once. What they had in memory goes with
// the process: from `node`, which stays, threads of the middleware can reach all of it until the session has ended.
void node_end(node_t * node)
{
  fw__controller_end_worker(node->controller.impl);  // it may wake the executor
  if (node_actions_abort(&node->actions)) {
    (void)nanosleep(&REPLIES_TIME, NULL);  // a signal ends it, which is right as well
  }
  ros_bond_end(&node->bond);
  node->parameters.check_context = NULL;
  fw_controller_fini(&node->controller);
  ros_log_fini(&node->log);
  ros_session_fini(&node->session);
}

// ---- one spin

// Tells what has become of goals: the one place that takes the controller's events. Topics fire and forget, so only
// clients of actions learn of them.
static void tell_events(node_t * node)
{
  fw_goal_event_t event;
  while (fw_controller_next_event(&node->controller, &event)) {
    RCUTILS_LOG_DEBUG_NAMED(
      node->logger, "goal %llu: %s %s", (unsigned long long)event.id, fw_goal_event_kind_name(event.kind), event.text);
    node_actions_tell(&node->actions, &event);
  }
}

// Makes what the parts of the node have for each robot that of the controller's robots.
static bool read_robots(node_t * node)
{
  tell_events(node);  // as long as the servers of removed robots are there
  return node_subscriptions_read_robots(&node->subscriptions) && node_transforms_read_robots(&node->transforms) &&
         node_publishers_read_robots(&node->publishers) && node_fleet_services_read_robots(&node->fleet_services) &&
         node_actions_read_robots(&node->actions);
}

// Robots and settings together: robots in metres may fit the grid of the new settings alone.
static void configure(node_t * node, int64_t now_ns)
{
  fw_error_t reason = {0};
  int32_t count = 0;
  fw_controller_robot_t * robots = node_robots_read(&node->parameters, &count);
  const fw_fleet_setup_t setup = {&node->settings.controller, robots, count};
  if (robots == NULL || !fw__controller_configure(&node->controller, &setup, now_ns, &reason)) {
    RCUTILS_LOG_ERROR_NAMED(
      node->logger, "cannot apply parameters: %s", robots == NULL ? "out of memory" : reason.text);
  } else if (!read_robots(node)) {
    RCUTILS_LOG_ERROR_NAMED(node->logger, "cannot apply the parameter robots: %s", rcl_get_error_string().str);
    rcl_reset_error();
  }
  free(robots);
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
  const bool changes_time = settings.use_sim_time != node->settings.use_sim_time;
  if (settings.diagnostics_period != node->settings.diagnostics_period) {
    node->next_diagnostics_ns = 0;  // now: the old period may be an hour
  }
  node->settings = settings;
  if (node->is_configured) {
    configure(node, now_ns);
    (void)read_areas(node, now_ns, &reason);  // the controller logs and remembers what it refuses
  }
  if (
    changes_time &&
    !ros_clock_use_sim_time(&node->clock, settings.use_sim_time, &node->session.node, &node->executor)) {
    RCUTILS_LOG_ERROR_NAMED(node->logger, "cannot apply the parameter use_sim_time: %s", rcl_get_error_string().str);
    rcl_reset_error();
  }
  if (changes_time && node->is_configured) {
    node_transforms_clear(&node->transforms);
    node_subscriptions_clear(&node->subscriptions);
    fw_controller_restart_clock(&node->controller, now_ns);
  }
}

static void discover_robots(node_t * node)
{
  const int64_t now_ns = fw_clock_now_ns();
  if (!node->settings.discovers_robots || now_ns < node->next_discovery_ns) {
    return;
  }
  node->next_discovery_ns = now_ns + DISCOVERY_NS;
  fw_error_t reason = {0};
  const node_discovery_t discovery = {
    .parameters = &node->parameters,
    .node = &node->session.node,
    .settings = &node->settings,
    .transforms = &node->transforms,
  };
  if (node_discover_robots(&discovery, &reason)) {
    node->parameter_services.has_changed = true;  // read with the next spin
  } else if (reason.text[0] != '\0' && strcmp(reason.text, node->discovery_fault.text) != 0) {
    RCUTILS_LOG_ERROR_NAMED(node->logger, "a discovered robot cannot be added: %s", reason.text);
  }
  node->discovery_fault = reason;
}

// Releases first: robots may wait for them.
static void publish_changes(node_t * node, int64_t now_ns)
{
  if (node_publish_releases(&node->publishers)) {
    fw__controller_note_released(node->controller.impl, node_site_now(&node->site));
  }
  node->controller.impl->oldest_report_ns = 0;
  node_publish_paths(&node->publishers);
  node->markers.selected = node_unassigned_goals_selected(&node->unassigned_goals);
  node_markers_update(&node->markers, &node->site, now_ns);
}

bool node_spin_once(node_t * node)
{
  const int64_t until_diagnostics_ns = node->next_diagnostics_ns - fw_clock_now_ns();
  const bool has_diagnostics = node->is_configured && until_diagnostics_ns < SPIN_NS;
  const int64_t wait_ns = has_diagnostics ? until_diagnostics_ns : SPIN_NS;
  if (ros_executor_spin_some(&node->executor, wait_ns < 0 ? 0 : (uint64_t)wait_ns) != RCL_RET_OK) {
    rcl_reset_error();
    if (!rcl_context_is_valid(&node->session.support.context)) {
      return false;
    }
  }
  ros_bond_update(&node->bond);
  if (node->parameter_services.has_changed) {
    bool jumped_back = false;
    read_new_parameters(node, ros_clock_now(&node->clock, &jumped_back));
    node->has_jumped_back = node->has_jumped_back || jumped_back;
  }
  if (!node->is_configured) {
    ros_log_flush(&node->log);
    return true;
  }
  discover_robots(node);
  const int64_t now_ns = node_site_now(&node->site);
  if (node->has_jumped_back) {
    node->has_jumped_back = false;
    RCUTILS_LOG_WARN_NAMED(node->logger, "ROS time went back: the plans are dropped");
    node_transforms_clear(&node->transforms);
    node_subscriptions_clear(&node->subscriptions);
    fw_controller_restart_clock(&node->controller, now_ns);
  }
  node->has_subscribers = node->has_subscribers || node_publishers_have_subscribers(&node->publishers);
  node_rivals_update(&node->rivals);
  const char * rivals = node_rivals_not_ready(&node->rivals);
  if (node->startup_end_ns == 0 && node->controller.impl->reports > 0) {
    node->startup_end_ns = fw_clock_now_ns() + STARTUP_NS;
  }
  const bool is_waiting =
    !node->has_subscribers && (node->startup_end_ns == 0 || fw_clock_now_ns() < node->startup_end_ns);
  const char * subscribers = is_waiting ? "not all robots have subscribed to their path yet" : NULL;
  fw_controller_set_not_ready(&node->controller, rivals != NULL ? rivals : subscribers);
  (void)fw_controller_update(&node->controller, now_ns);
  publish_changes(node, now_ns);
  tell_events(node);
  node_actions_update(&node->actions);
  ros_log_flush(&node->log);
  if (fw_clock_now_ns() >= node->next_diagnostics_ns) {
    node->next_diagnostics_ns = fw_clock_now_ns() + fw__seconds_to_ns(node->settings.diagnostics_period);
    node_transforms_check(&node->transforms);
    node_publish_diagnostics(&node->publishers, now_ns);
  }
  return true;
}
