// A fleet that changes: robots that come and go, goals that move.

#include "planner/fleet.h"

#include <string.h>

// Speed does not matter where distances are in moves.
static bool has_same_places(const fw_body_t * a, const fw_body_t * b)
{
  if (a == b) {
    return true;
  }
  const fw_footprint_t * f = &a->footprints[0];
  const fw_footprint_t * g = &b->footprints[0];
  return a->turn_ticks == 0 && b->turn_ticks == 0 && f->count == g->count &&
         memcmp(f->cells, g->cells, (size_t)f->count * sizeof(*f->cells)) == 0;
}

// Fleets have few shapes, so that looking through the robots from the front ends soon.
bool fw__fleet_set_robot(fw_fleet_t * fleet, fw_arena_t * arena, int32_t robot)
{
  if (!fw__bodies_set(&fleet->bodies, arena, robot)) {
    return false;
  }
  const fw_body_t * body = fleet->bodies.of[robot];
  fleet->moves[robot] = NULL;
  if (has_same_places(body, fleet->places->body)) {
    fleet->moves[robot] = fleet->places;
  }
  for (int32_t r = 0; r < fleet->problem->robot_count && fleet->moves[robot] == NULL; ++r) {
    if (fleet->moves[r] != NULL && has_same_places(body, fleet->moves[r]->body)) {
      fleet->moves[robot] = fleet->moves[r];
    }
  }
  if (fleet->moves[robot] == NULL) {
    fw_moves_t * moves = fw__arena_allocate(arena, 1, sizeof(*moves));
    if (moves == NULL || !fw__moves_init_body(moves, arena, fleet->problem->grid, body)) {
      return false;
    }
    fleet->moves[robot] = moves;
  }
  return true;
}

// The field of that goal if somebody has it, else one that nobody uses, best one of the same shape.
static int32_t find_field(const fw_fleet_t * fleet, const fw_moves_t * moves, fw_cell_t goal)
{
  int32_t unused = -1;
  for (int32_t i = 0; i < fleet->problem->robot_count; ++i) {
    const fw_fleet_field_t * field = &fleet->fields[i];
    if (field->users > 0 && field->goal == goal && field->distance.moves == moves) {
      return i;
    }
    if (field->users == 0 && (unused < 0 || field->distance.moves == moves)) {
      unused = i;
    }
  }
  return unused;
}

bool fw__fleet_set_goal(fw_fleet_t * fleet, fw_arena_t * arena, int32_t robot, fw_grid_pose_t from, fw_meter_t * meter)
{
  const fw_moves_t * moves = fleet->moves[robot];
  const fw_cell_t goal = fleet->problem->robots[robot].goal;
  const int32_t goal_node = fw__moves_any_node(moves, goal);
  fw__fleet_remove(fleet, robot);
  const int32_t index = find_field(fleet, moves, goal);
  fw_fleet_field_t * field = &fleet->fields[index];
  bool is_whole = goal_node >= 0;
  if (is_whole && field->users == 0) {
    is_whole = field->distance.moves == moves ? fw__distance_restart(&field->distance, goal_node, from.cell)
                                              : fw__fleet_init_field(fleet, arena, field, robot, from.cell);
    field->goal = goal;
  }
  field->users += 1;
  fleet->field_of[robot] = index;
  return is_whole && fw__distance_get(&field->distance, fw__moves_node(moves, from), meter) != FW_DISTANCE_NONE;
}

void fw__fleet_remove(fw_fleet_t * fleet, int32_t robot)
{
  if (fleet->field_of[robot] >= 0) {
    fleet->fields[fleet->field_of[robot]].users -= 1;
    fleet->field_of[robot] = -1;
  }
}

bool fw__fleet_trim(fw_fleet_t * fleet, int32_t robot, fw_grid_pose_t from, int64_t places_max)
{
  fw_distance_t * distance = fw__fleet_distance(fleet, robot);
  if (distance->places <= places_max) {
    return true;
  }
  const fw_cell_t goal = fleet->problem->robots[robot].goal;
  return fw__distance_restart(distance, fw__moves_any_node(fleet->moves[robot], goal), from.cell);
}
