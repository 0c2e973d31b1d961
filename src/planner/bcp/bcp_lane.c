// Waits on a given way: when can a robot be where on its path, so that it meets nobody? Space-time A* answers that on a
// lane, a graph that has the places of the path one behind the other and no other steps.

#include "planner/bcp/bcp.h"

// Room for a lane of `length` places of the robot's kind, empty. Its table of cells is all -1 between uses.
static bool reserve(fw_bcp_lane_t * lane, fw_arena_t * arena, const fw_moves_t * like, int32_t length)
{
  const size_t places = (size_t)fw_grid_cell_count(like->grid) * (size_t)like->plane_count;
  if (lane->place_count < places) {
    lane->node_of = fw__arena_allocate(arena, places, sizeof(*lane->node_of));
    for (size_t i = 0; lane->node_of != NULL && i < places; ++i) {
      lane->node_of[i] = -1;
    }
    lane->place_count = lane->node_of != NULL ? places : 0;
  }
  while (lane->capacity < length && lane->node_of != NULL) {
    lane->cells = fw__arena_grow(arena, NULL, 0, sizeof(*lane->cells), &lane->capacity);
    const size_t count = (size_t)lane->capacity;
    lane->headings = lane->cells == NULL ? NULL : fw__arena_allocate(arena, count, sizeof(*lane->headings));
    lane->next = lane->headings == NULL ? NULL : fw__arena_allocate(arena, count * FW_MOTIONS_MAX, sizeof(*lane->next));
    if (lane->next == NULL) {
      lane->capacity = 0;
      return false;
    }
  }
  lane->moves = *like;
  lane->moves.node_count = 0;
  lane->moves.cell_of = lane->cells;
  lane->moves.heading_of = like->heading_of == NULL ? NULL : lane->headings;
  lane->moves.next = lane->next;
  lane->moves.previous = NULL;  // nobody looks back
  lane->moves.node_of = lane->node_of;
  return lane->node_of != NULL;
}

static int32_t * place_of(const fw_bcp_lane_t * lane, fw_grid_pose_t pose)
{
  const fw_moves_t * moves = &lane->moves;
  const int32_t plane = moves->heading_of == NULL ? 0 : pose.heading / moves->body->turn_step;
  return &lane->node_of[(size_t)plane * (size_t)fw_grid_cell_count(moves->grid) + (size_t)pose.cell];
}

// Places that a path comes back to are places of their own; the first is the one that is found by its pose.
static void lay(fw_bcp_lane_t * lane, const fw_path_t * path, const fw_body_t * body)
{
  fw_moves_t * moves = &lane->moves;
  for (int32_t at = 0; at < path->length; ++at) {
    const fw_grid_pose_t pose = fw__path_pose(path, at);
    if (at > 0 && !fw__path_arrives(path, at)) {
      continue;
    }
    const int32_t node = moves->node_count++;
    moves->cell_of[node] = pose.cell;
    if (moves->heading_of != NULL) {
      moves->heading_of[node] = (uint8_t)pose.heading;
    }
    for (int32_t d = 0; d < moves->degree; ++d) {
      moves->next[(size_t)node * (size_t)moves->degree + (size_t)d] = -1;
    }
    if (at > 0) {
      const fw_grid_pose_t before = fw__path_pose(path, at - 1);
      const fw_motion_t * motion = fw__body_motion(body, moves->grid, before, pose);
      const size_t d = (size_t)(motion - body->motions[before.heading]);
      moves->next[(size_t)(node - 1) * (size_t)moves->degree + d] = node;
    }
    int32_t * place = place_of(lane, pose);
    *place = *place < 0 ? node : *place;
  }
}

static void lift(fw_bcp_lane_t * lane, const fw_path_t * path)
{
  for (int32_t at = 0; at < path->length; ++at) {
    *place_of(lane, fw__path_pose(path, at)) = -1;
  }
}

bool fw__bcp_lane_find(
  fw_bcp_t * run, const fw_reservations_t * table, int32_t robot, const fw_path_t * path, fw_meter_t * meter,
  fw_path_t * timed)
{
  const fw_robot_t * shape = &run->problem->robots[robot];
  const fw_path_t way = {
    .cells = path->cells + shape->arrives,
    .length = path->length - shape->arrives,
    .headings = path->headings == NULL ? NULL : path->headings + shape->arrives,
  };
  fw_bcp_lane_t * lane = &run->lane;
  if (!reserve(lane, run->context->scratch, run->fleet.moves[robot], way.length)) {
    return false;
  }
  lay(lane, &way, run->fleet.bodies.of[robot]);
  const fw_spacetime_query_t query = {
    .table = table,
    .moves = &lane->moves,
    .robot = robot,
    .start = shape->start,
    .heading = shape->heading,
    .now = shape->arrives,
    .horizon = run->limit,
    .estimate_degree = run->problem->connectivity,
  };
  const fw_found_t found = fw__spacetime_astar(&run->search, &query, meter, timed);
  lift(lane, &way);
  return found == FW_FOUND_PATH;
}
