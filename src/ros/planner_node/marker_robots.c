#include <math.h>
#include <stdio.h>

#include "ros/planner_node/marker_layers.h"
#include "ros/planner_node/path_message.h"

static const double HEIGHT = 0.1;  // metres
static const std_msgs__msg__ColorRGBA RED = {0.9F, 0.05F, 0.05F, 0.55F};
static const std_msgs__msg__ColorRGBA DARK = {0.05F, 0.05F, 0.05F, 1.0F};

static double size_of(const planning_t * planning) { return fmax(2.0 * planning->settings.robot_radius, 0.05); }

static bool is_seen(const robot_t * robot) { return robot_is_there(robot) && robot->has_pose; }

bool marker_is_in_trouble(const planning_t * planning, int32_t robot, const char ** text)
{
  const robot_t * about = &planning->fleet.robots[robot];
  const fw_execution_state_t state = driving_status(&planning->driving, robot).state;
  const fault_t * fault = robot_fault(about);
  if (about->is_stale) {
    *text = "no odometry";
  } else if (state >= FW_EXECUTION_STOPPED && state != FW_EXECUTION_STALE) {
    *text = fw_execution_state_name(state);
  } else if (fault != NULL && fault->number != 0) {
    *text = fault->text;
  } else if (about->is_off_plan) {
    *text = "off its plan";
  } else {
    return false;
  }
  return true;
}

bool marker_trouble_text(marker_list_t * list, const planning_t * planning, int32_t robot)
{
  const robot_t * about = &planning->fleet.robots[robot];
  const char * why = "";
  if (!is_seen(about) || !marker_is_in_trouble(planning, robot, &why)) {
    return false;
  }
  marker_t * label = marker_next(list, "trouble_text", robot, visualization_msgs__msg__Marker__TEXT_VIEW_FACING);
  if (label != NULL) {
    char text[NODE_NAME_SIZE + NODE_REASON_SIZE];
    const double size = size_of(planning);
    (void)snprintf(text, sizeof text, "%s: %s", about->name, why);
    marker_scale(label, 0.0, 0.0, 0.6 * size);
    // Above or below it, so that those of two neighbours do not cover each other.
    const double up = robot % 2 == 0 ? 1.2 * size : -1.2 * size;
    marker_place(label, (point_t){about->point.x, about->point.y + up}, 0.0);
    label->pose.position.z = 0.5;
    label->color = (std_msgs__msg__ColorRGBA){RED.r, RED.g, RED.b, 1.0F};
    list->is_fine = string_set(&label->text, text);
  }
  return true;
}

static void write_trouble(marker_list_t * list, const planning_t * planning)
{
  const double size = 1.5 * size_of(planning);
  marker_t * rings = marker_next(list, "trouble", 0, visualization_msgs__msg__Marker__SPHERE_LIST);
  if (rings == NULL) {
    return;
  }
  marker_scale(rings, size, size, HEIGHT);
  rings->color = RED;
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const robot_t * robot = &planning->fleet.robots[k];
    const char * why = "";
    if (is_seen(robot) && marker_is_in_trouble(planning, k, &why)) {
      (void)marker_add_point(list, rings, robot->point.x, robot->point.y, HEIGHT);
    }
  }
  marker_close(rings);
}

// From its middle to its rim.
static void write_headings(marker_list_t * list, const planning_t * planning)
{
  const double size = size_of(planning);
  marker_t * noses = marker_next(list, "headings", 0, visualization_msgs__msg__Marker__LINE_LIST);
  if (noses == NULL) {
    return;
  }
  marker_scale(noses, 0.12 * size, 0.0, 0.0);
  noses->color = DARK;
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const robot_t * robot = &planning->fleet.robots[k];
    if (is_seen(robot)) {
      const double x = 0.5 * size * cos(robot->yaw), y = 0.5 * size * sin(robot->yaw);
      (void)marker_add_point(list, noses, robot->point.x, robot->point.y, 1.2 * HEIGHT);
      (void)marker_add_point(list, noses, robot->point.x + x, robot->point.y + y, 1.2 * HEIGHT);
    }
  }
  marker_close(noses);
}

static void write_selected(marker_list_t * list, const planning_t * planning, int32_t selected)
{
  const bool is_shown = selected >= 0 && selected < planning->fleet.count && is_seen(&planning->fleet.robots[selected]);
  if (!is_shown) {
    marker_delete(list, "selected", 0);
    return;
  }
  marker_t * ring = marker_next(list, "selected", 0, visualization_msgs__msg__Marker__CYLINDER);
  if (ring != NULL) {
    const double size = 1.7 * size_of(planning);
    marker_scale(ring, size, size, 0.3 * HEIGHT);
    marker_place(ring, planning->fleet.robots[selected].point, 0.0);
    ring->color = (std_msgs__msg__ColorRGBA){0.1F, 0.1F, 0.1F, 0.6F};
  }
}

void marker_robots(marker_list_t * list, const planning_t * planning, int32_t selected)
{
  const double size = size_of(planning);
  marker_t * discs = marker_next(list, "robots", 0, visualization_msgs__msg__Marker__SPHERE_LIST);
  if (discs == NULL) {
    return;
  }
  marker_scale(discs, size, size, HEIGHT);
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const robot_t * robot = &planning->fleet.robots[k];
    if (is_seen(robot) && robot->body.outline->counts[0] == 1) {
      (void)marker_add_coloured(list, discs, robot->point, HEIGHT, marker_colour(k, robot->is_stale ? 0.35F : 1.0F));
    }
  }
  marker_close(discs);
  write_headings(list, planning);
  write_selected(list, planning, selected);
  write_trouble(list, planning);
}

bool marker_body(marker_list_t * list, const planning_t * planning, int32_t index)
{
  const double cell = planning->map.frame.resolution;
  const robot_t * robot = &planning->fleet.robots[index];
  if (!is_seen(robot) || robot->body.outline->counts[0] == 1) {
    return false;
  }
  marker_t * body = marker_next(list, "bodies", index, visualization_msgs__msg__Marker__CUBE_LIST);
  for (int32_t c = 0; body != NULL && c < robot->body.outline->counts[0]; ++c) {
    const fw_offset_t at = robot->body.outline->cells[0][c];
    (void)marker_add_point(list, body, (double)at.dx * cell, (double)at.dy * cell, 0.0);
  }
  if (body != NULL) {
    marker_scale(body, 0.9 * cell, 0.9 * cell, HEIGHT);
    marker_place(body, robot->point, robot->body.turn_ticks > 0 ? robot->yaw : planning->map.frame.yaw);
    body->color = marker_colour(index, robot->is_stale ? 0.35F : 1.0F);
  }
  return true;
}
