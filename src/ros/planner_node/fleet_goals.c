// Where robots want to go: one goal, or several in a row.

#include <stdlib.h>

#include "ros/planner_node/fleet.h"

static bool check_goal(
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const node_settings_t * settings, const map_t * map)
{
  if (!fleet_check_mail(fleet, robot, mail, settings, "goal")) {
    return false;
  }
  // Without a map it is kept and judged in the first round.
  const fw_cell_t cell = map->revision > 0 ? frame_cell(&map->frame, mail->point) : 0;
  if (cell == FW_CELL_NONE) {
    fleet_set_fault(
      fleet, robot, &robot->message, FW_FAULT_GOAL_OUTSIDE, "goal refused: (%.7g, %.7g) is outside the map",
      mail->point.x, mail->point.y);
    return false;
  }
  if (map->revision > 0 && !body_fits_on(&robot->body, &map->grid, settings->connectivity, cell)) {
    fleet_set_fault(
      fleet, robot, &robot->message, FW_FAULT_GOAL_OCCUPIED, "goal refused: (%.7g, %.7g) is in an obstacle",
      mail->point.x, mail->point.y);
    return false;
  }
  return true;
}

static void set_goal(fleet_t * fleet, robot_t * robot, const pose_mail_t * mail)
{
  fleet_set_fault(fleet, robot, &robot->message, 0, "-");
  robot->has_goal = true;
  robot->goal = mail->point;
  robot->goal_yaw = mail->yaw;
  robot->goal_order = ++fleet->goals_seen;
  robot_retry_now(robot);
}

bool fleet_take_goal(
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const node_settings_t * settings, const map_t * map)
{
  if (!check_goal(fleet, robot, mail, settings, map)) {
    return false;
  }
  robot->queue_count = 0;
  robot->queue_next = 0;
  set_goal(fleet, robot, mail);
  return true;
}

bool fleet_take_goals(
  fleet_t * fleet, robot_t * robot, const robot_mail_t * mail, const node_settings_t * settings, const map_t * map)
{
  for (int32_t k = 0; k < mail->queue_count; ++k) {
    if (!check_goal(fleet, robot, &mail->queue[k], settings, map)) {
      return false;
    }
  }
  pose_mail_t * queue = realloc(robot->queue, ((size_t)mail->queue_count + 1) * sizeof *queue);
  if (queue == NULL) {
    fleet_set_fault(fleet, robot, &robot->message, FW_FAULT_INVALID, "goals refused: out of memory");
    return false;
  }
  for (int32_t k = 0; k < mail->queue_count; ++k) {
    queue[k] = mail->queue[k];
  }
  robot->queue = queue;
  robot->queue_count = mail->queue_count;
  robot->queue_next = 0;
  return fleet_next_goal(fleet, robot, settings, map);
}

bool fleet_next_goal(fleet_t * fleet, robot_t * robot, const node_settings_t * settings, const map_t * map)
{
  while (robot->queue_next < robot->queue_count) {
    const pose_mail_t * next = &robot->queue[robot->queue_next++];
    if (check_goal(fleet, robot, next, settings, map)) {
      set_goal(fleet, robot, next);
      return true;
    }
  }
  return false;
}
