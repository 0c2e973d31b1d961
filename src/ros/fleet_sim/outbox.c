// Outbox: what the simulator tells the others. See outbox.h.

#include "ros/fleet_sim/outbox.h"

#include <diagnostic_msgs/msg/diagnostic_status.h>
#include <diagnostic_msgs/msg/key_value.h>
#include <math.h>
#include <nav_msgs/msg/occupancy_grid.h>
#include <rcl/error_handling.h>
#include <rosgraph_msgs/msg/clock.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>
#include <stdio.h>

#include "base/error.h"
#include "ros/messages.h"
#include "ros/fleet_sim/trouble.h"

static geometry_msgs__msg__Quaternion orientation(double yaw)
{
  return (geometry_msgs__msg__Quaternion){.z = sin(0.5 * yaw), .w = cos(0.5 * yaw)};
}

static fw_ret_t publish(const rcl_publisher_t * publisher, const void * message, const char * what, fw_error_t * error)
{
  return rcl_publish(publisher, message, NULL) == RCL_RET_OK ? FW_RET_OK : ros_session_error(error, what);
}

fw_ret_t sim_outbox_map(sim_graph_t * graph, const fw_grid_t * grid, int64_t now_ns, fw_error_t * error)
{
  const int32_t parts = (int32_t)lround(graph->parameters->cell_size / graph->parameters->map_resolution);
  const int32_t width = grid->width * parts;
  const int32_t height = grid->height * parts;
  nav_msgs__msg__OccupancyGrid map = {0};  // init leaves numbers as they are
  if (!nav_msgs__msg__OccupancyGrid__init(&map)) {
    return fw__error_memory(error);
  }
  fw_ret_t ret = FW_RET_OK;
  if (
    !rosidl_runtime_c__String__assign(&map.header.frame_id, graph->parameters->map_frame) ||
    !rosidl_runtime_c__int8__Sequence__init(&map.data, (size_t)width * (size_t)height)) {
    ret = fw__error_memory(error);
    goto cleanup;
  }
  map.header.stamp = ros_message_stamp(now_ns);
  map.info.map_load_time = map.header.stamp;
  map.info.resolution = (float)graph->parameters->map_resolution;
  map.info.width = (uint32_t)width;
  map.info.height = (uint32_t)height;
  map.info.origin.orientation.w = 1.0;
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      map.data.data[(size_t)y * (size_t)width + (size_t)x] = fw_grid_is_free(grid, x / parts, y / parts) ? 0 : 100;
    }
  }
  ret = publish(&graph->map, &map, "cannot publish the map", error);

cleanup:
  nav_msgs__msg__OccupancyGrid__fini(&map);
  return ret;
}

fw_ret_t sim_outbox_clock(sim_graph_t * graph, int64_t now_ns, fw_error_t * error)
{
  const rosgraph_msgs__msg__Clock clock = {.clock = ros_message_stamp(now_ns)};
  return publish(&graph->clock, &clock, "cannot publish /clock", error);
}

fw_ret_t sim_outbox_odometry(sim_graph_t * graph, int64_t now_ns, fw_error_t * error)
{
  nav_msgs__msg__Odometry * odom = &graph->odom;
  odom->header.stamp = ros_message_stamp(now_ns);
  fw_ret_t ret = FW_RET_OK;
  if (!rosidl_runtime_c__String__assign(&odom->header.frame_id, graph->parameters->map_frame)) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < graph->parameters->robot_count; ++i) {
    const sim_driver_t * driver = &graph->fleet->robots[i].driver;
    if (graph->fleet->robots[i].is_silent) {
      continue;
    }
    char child[FW_ROW_NAME_MAX + 16];
    snprintf(child, sizeof(child), "%s/base_link", graph->parameters->robots[i]);
    if (!rosidl_runtime_c__String__assign(&odom->child_frame_id, child)) {
      return fw__error_memory(error);
    }
    odom->pose.pose.position.x = driver->pose.x + sim_trouble_noise(graph->trouble);
    odom->pose.pose.position.y = driver->pose.y + sim_trouble_noise(graph->trouble);
    odom->pose.pose.orientation = orientation(driver->pose.yaw);
    odom->twist.twist.linear.x = driver->speed;
    odom->twist.twist.angular.z = driver->turn_rate;
    ret = publish(&graph->robots[i].odom, odom, "cannot publish odometry", error);
  }
  return ret;
}

fw_ret_t sim_outbox_goals(sim_graph_t * graph, int64_t now_ns, fw_error_t * error)
{
  geometry_msgs__msg__PoseStamped * goal = &graph->goal_pose;
  goal->header.stamp = ros_message_stamp(now_ns);
  fw_ret_t ret = FW_RET_OK;
  if (!rosidl_runtime_c__String__assign(&goal->header.frame_id, graph->parameters->map_frame)) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < graph->parameters->robot_count; ++i) {
    sim_graph_robot_t * robot = &graph->robots[i];
    const sim_fleet_robot_t * driven = &graph->fleet->robots[i];
    size_t listeners = 0;
    if (rcl_publisher_get_subscription_count(&robot->goal_out, &listeners) != RCL_RET_OK) {
      return ros_session_error(error, "cannot count who listens to goals");
    }
    robot->is_goal_unsent = robot->is_goal_unsent || listeners > robot->goal_listeners;
    robot->goal_listeners = listeners;
    if (!robot->is_goal_unsent || !driven->has_goal || listeners == 0) {
      continue;
    }
    goal->pose.position.x = driven->goal.x;
    goal->pose.position.y = driven->goal.y;
    goal->pose.orientation = orientation(driven->goal.yaw);
    ret = publish(&robot->goal_out, goal, "cannot publish a goal", error);
    robot->is_goal_unsent = false;
  }
  return ret;
}

double sim_outbox_goals_per_minute(const sim_fleet_t * fleet, double seconds)
{
  return seconds > 0.0 ? 60.0 * (double)fleet->arrivals / seconds : 0.0;
}

static bool set_value(diagnostic_msgs__msg__KeyValue * value, const char * key, const char * text)
{
  return rosidl_runtime_c__String__assign(&value->key, key) && rosidl_runtime_c__String__assign(&value->value, text);
}

static bool fill_status(diagnostic_msgs__msg__DiagnosticStatus * status, const sim_fleet_t * fleet, double seconds)
{
  const struct {
    const char * key;
    const char * format;
    double value;
  } rows[] = {
    {"seconds", "%.2f", seconds},
    {"robots", "%.0f", (double)fleet->options.robot_count},
    {"goals_reached", "%.0f", (double)fleet->arrivals},
    {"goals_per_minute", "%.1f", sim_outbox_goals_per_minute(fleet, seconds)},
    {"overlaps", "%.0f", (double)fleet->overlaps},
    {"late_max_seconds", "%.2f", fleet->late_max_seconds},
  };
  enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };
  if (status->values.size != ROW_COUNT && !diagnostic_msgs__msg__KeyValue__Sequence__init(&status->values, ROW_COUNT)) {
    return false;
  }
  bool is_set = true;
  char text[64];
  for (size_t i = 0; i < ROW_COUNT; ++i) {
    snprintf(text, sizeof(text), rows[i].format, rows[i].value);
    is_set = is_set && set_value(&status->values.data[i], rows[i].key, text);
  }
  snprintf(
    text, sizeof(text), "%lld goals reached, %lld overlaps", (long long)fleet->arrivals, (long long)fleet->overlaps);
  status->level =
    fleet->overlaps == 0 ? diagnostic_msgs__msg__DiagnosticStatus__OK : diagnostic_msgs__msg__DiagnosticStatus__ERROR;
  return is_set && rosidl_runtime_c__String__assign(&status->name, "fleet_sim") &&
         rosidl_runtime_c__String__assign(&status->message, text);
}

fw_ret_t sim_outbox_status(sim_graph_t * graph, int64_t now_ns, double seconds, fw_error_t * error)
{
  diagnostic_msgs__msg__DiagnosticArray * report = &graph->report;
  if (
    (report->status.size != 1 && !diagnostic_msgs__msg__DiagnosticStatus__Sequence__init(&report->status, 1)) ||
    !fill_status(report->status.data, graph->fleet, seconds)) {
    return fw__error_memory(error);
  }
  report->header.stamp = ros_message_stamp(now_ns);
  return publish(&graph->status, report, "cannot publish the status", error);
}

void sim_outbox_flush(sim_graph_t * graph)
{
  const rmw_time_point_value_t wait_ns = 500000000;
  if (rcl_publisher_wait_for_all_acked(&graph->status, wait_ns) != RCL_RET_OK) {
    rcl_reset_error();  // somebody is slow or gone; nothing is lost that matters
  }
}
