// A new map, and whom it concerns.

#include <string.h>

#include <rcutils/logging_macros.h>

#include "ros/planner_node/concern.h"

// Where the new map has the same cells in the same places, only what has become of them counts.
static void look_at_changes(planning_t * planning)
{
  const bool is_busy = worker_state(&planning->worker) == WORKER_BUSY;
  const bool is_other = planning->map.before.cost == NULL;
  worker_cancel(&planning->worker);  // it plans on the map before
  if (is_other || is_busy || concern_is_on_a_way(planning, concern_is_new_on_map)) {
    planning_want(planning, "there is a new map");
  }
  if (is_other || concern_is_for_somebody_who_waits(planning)) {
    for (int32_t k = 0; k < planning->fleet.count; ++k) {
      robot_retry_now(&planning->fleet.robots[k]);
    }
    planning_want_soon(planning, "there is a new map");
  }
}

void planning_build_map(planning_t * planning, nav_msgs__msg__OccupancyGrid * message)
{
  const frame_t * frame = &planning->map.frame;
  fw_error_t reason = {0};
  if (!map_build(&planning->map, message, &planning->settings, &reason)) {
    if (strcmp(reason.text, planning->map_fault.text) != 0) {
      RCUTILS_LOG_ERROR_NAMED(
        planning->logger, "map refused: %s%s", reason.text,
        planning->map.revision > 0 ? "; the last good one stays in force" : "");
    }
    planning->map_fault = reason;
    return;
  }
  planning->map_fault.text[0] = '\0';
  if (message != &planning->map_message) {
    const nav_msgs__msg__OccupancyGrid swap = planning->map_message;
    planning->map_message = *message;
    *message = swap;
  }
  RCUTILS_LOG_INFO_NAMED(
    planning->logger, "map: %d x %d planning cells of %g m", frame->width, frame->height, frame->resolution);
  if (
    frame->resolution > planning->settings.planning_resolution * 1.001 &&
    planning->settings.planning_resolution > 0.0) {
    RCUTILS_LOG_WARN_NAMED(
      planning->logger, "planning cells are %g m, not %g m: a cell holds a whole robot and a whole map cell",
      frame->resolution, planning->settings.planning_resolution);
  }
  closures_lay(&planning->closures, &planning->settings, &planning->map);
  if (!blocked_lay(&planning->blocked, &planning->map)) {
    RCUTILS_LOG_ERROR_NAMED(planning->logger, "out of memory for blocked_cells: nothing is blocked");
  }
  planning->obstacles_are_old = true;
  look_at_changes(planning);
}

void planning_take_map(planning_t * planning, nav_msgs__msg__OccupancyGrid * message)
{
  // Map servers repeat themselves; that is no reason to plan again.
  if (planning->map.revision > 0 && map_is_same(message, &planning->map_message)) {
    planning->map_fault.text[0] = '\0';
  } else {
    planning_build_map(planning, message);
  }
}
