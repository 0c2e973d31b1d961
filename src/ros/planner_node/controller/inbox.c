// The inbox: its life only; subscriptions.c fills it and controller.c empties it.

#include "ros/planner_node/controller/inbox.h"

#include <stdlib.h>

bool node_inbox_init(node_inbox_t * inbox, int32_t robot_count, int32_t closure_count)
{
  inbox->closures = calloc((size_t)closure_count + 1, sizeof *inbox->closures);
  if (
    !nav_msgs__msg__OccupancyGrid__init(&inbox->map) || !nav_msgs__msg__GridCells__init(&inbox->blocked) ||
    inbox->closures == NULL) {
    return false;
  }
  for (int32_t k = 0; k < closure_count; ++k) {
    inbox->closure_count = k + 1;
    if (!nav_msgs__msg__Path__init(&inbox->closures[k].path)) {
      return false;
    }
  }
  return node_inbox_grow(inbox, robot_count);
}

bool node_inbox_grow(node_inbox_t * inbox, int32_t robot_count)
{
  node_robot_inbox_t ** robots = realloc(inbox->robots, ((size_t)robot_count + 1) * sizeof *robots);
  if (robots == NULL) {
    return false;
  }
  inbox->robots = robots;
  for (; inbox->robot_count < robot_count; ++inbox->robot_count) {
    robots[inbox->robot_count] = calloc(1, sizeof **robots);
    if (robots[inbox->robot_count] == NULL) {
      return false;
    }
  }
  return true;
}

void node_inbox_fini(node_inbox_t * inbox)
{
  nav_msgs__msg__OccupancyGrid__fini(&inbox->map);
  nav_msgs__msg__GridCells__fini(&inbox->blocked);
  for (int32_t k = 0; k < inbox->closure_count; ++k) {
    nav_msgs__msg__Path__fini(&inbox->closures[k].path);
  }
  for (int32_t k = 0; k < inbox->robot_count; ++k) {
    free(inbox->robots[k]->queue);
    free(inbox->robots[k]);
  }
  free(inbox->closures);
  free(inbox->robots);
  *inbox = (node_inbox_t){0};
}
