// Discs of a simulated fleet, and which of them overlap: lists by cell, looked at for those that have moved.

#include <math.h>

#include "simulation/simulation.h"

bool fw__discs_init(fw__simulated_fleet_t * fleet)
{
  fw__discs_t * discs = &fleet->discs;
  const fw_grid_t * grid = &fw__execution_graph(fleet->execution)->grid;
  discs->width = grid->width + 2;
  discs->height = grid->height + 2;
  const size_t cells = (size_t)discs->width * (size_t)discs->height;
  discs->heads = fw__arena_allocate(&fleet->arena, cells, sizeof(*discs->heads));
  for (size_t i = 0; discs->heads != NULL && i < cells; ++i) {
    discs->heads[i] = -1;
  }
  return discs->heads != NULL;
}

static int32_t cell_at(const fw__discs_t * discs, double x, double y)
{
  const double column = fmin(fmax(floor(x + 1.5), 0.0), discs->width - 1);
  const double row = fmin(fmax(floor(y + 1.5), 0.0), discs->height - 1);
  return (int32_t)row * discs->width + (int32_t)column;
}

static void unlink_disc(fw__discs_t * discs, int32_t index)
{
  fw__disc_t * disc = &discs->items[index];
  if (disc->cell < 0) {
    return;
  }
  if (disc->previous >= 0) {
    discs->items[disc->previous].next = disc->next;
  } else {
    discs->heads[disc->cell] = disc->next;
  }
  if (disc->next >= 0) {
    discs->items[disc->next].previous = disc->previous;
  }
  disc->cell = -1;
}

static void link_disc(fw__discs_t * discs, int32_t index, int32_t cell)
{
  fw__disc_t * disc = &discs->items[index];
  disc->cell = cell;
  disc->previous = -1;
  disc->next = discs->heads[cell];
  if (disc->next >= 0) {
    discs->items[disc->next].previous = index;
  }
  discs->heads[cell] = index;
}

// Of all that the body covers at one heading, or sweeps in one turn, the most cells.
static int32_t most_cells(const fw__shape_t * shape)
{
  int32_t most = shape->body->footprints[0].count;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT && shape->body->turn_ticks > 0; ++heading) {
    for (int32_t motion = 1; motion < shape->body->motion_count; ++motion) {
      const int32_t count = shape->body->footprints[heading].count + shape->entered[heading][motion].count;
      most = count > most ? count : most;
    }
  }
  return most;
}

bool fw__discs_add(fw__simulated_fleet_t * fleet, int32_t robot)
{
  fw__discs_t * discs = &fleet->discs;
  fw__mover_t * mover = &fleet->movers[robot];
  const int32_t most = most_cells(fw__execution_graph(fleet->execution)->shapes[robot]);
  while (discs->capacity < discs->count + most) {
    fw__disc_t * larger =
      fw__arena_grow(&fleet->arena, discs->items, (size_t)discs->count, sizeof(*larger), &discs->capacity);
    if (larger == NULL) {
      return false;
    }
    discs->items = larger;
  }
  mover->disc = discs->count;
  mover->disc_count = most;
  for (int32_t i = 0; i < most; ++i) {
    discs->items[discs->count++] = (fw__disc_t){.robot = robot, .cell = -1};
  }
  fw__discs_move(fleet, robot);
  return true;
}

void fw__discs_remove(fw__simulated_fleet_t * fleet, int32_t robot)
{
  for (int32_t i = 0; i < fleet->movers[robot].disc_count; ++i) {
    unlink_disc(&fleet->discs, fleet->movers[robot].disc + i);
  }
  fleet->movers[robot].disc_count = 0;
}

// Puts the next discs of the robot on some cells around where it is.
static int32_t put(fw__simulated_fleet_t * fleet, int32_t robot, fw_footprint_t cells, int32_t used)
{
  fw__discs_t * discs = &fleet->discs;
  const fw__mover_t * mover = &fleet->movers[robot];
  for (int32_t i = 0; i < cells.count; ++i) {
    fw__disc_t * disc = &discs->items[mover->disc + used + i];
    disc->x = mover->x + cells.cells[i].dx;
    disc->y = mover->y + cells.cells[i].dy;
    const int32_t cell = cell_at(discs, disc->x, disc->y);
    if (cell != disc->cell) {
      unlink_disc(discs, mover->disc + used + i);
      link_disc(discs, mover->disc + used + i, cell);
    }
  }
  return used + cells.count;
}

// A body is one disc for each cell that it covers at its heading; while it turns, for each that it sweeps, until it is as
// near to the end of the turn as the tolerance asks. That is what the rules of a plan speak of.
void fw__discs_move(fw__simulated_fleet_t * fleet, int32_t robot)
{
  const fw__graph_t * graph = fw__execution_graph(fleet->execution);
  const fw__mover_t * mover = &fleet->movers[robot];
  const int32_t at = mover->passed - fleet->execution->slots[robot].base;
  const fw__node_t * node = fw__way_node(graph, robot, at);
  bool is_turning = mover->along > 0.0 && node[1].pose.cell == node->pose.cell;
  if (is_turning) {
    const double left = fabs(fw__turn_angle(node->pose.heading, node[1].pose.heading)) - mover->along;
    is_turning = left > fleet->execution->options.yaw_tolerance + fleet->options.noise;
    node += is_turning ? 0 : 1;
  }
  int32_t used = 0;
  if (is_turning) {
    const fw__swept_t swept = fw__graph_swept(graph, (int32_t)(node + 1 - graph->nodes));
    used = put(fleet, robot, swept.parts[0], used);
    used = put(fleet, robot, swept.parts[1], used);
  } else {
    used = put(fleet, robot, fw__shape_standing(graph->shapes[robot], node->pose.heading), used);
  }
  for (int32_t i = used; i < mover->disc_count; ++i) {
    unlink_disc(&fleet->discs, mover->disc + i);
  }
}

// ---- overlaps -------------------------------------------------------------------------------------------------------

static bool has_touch(const fw__discs_t * discs, int32_t list, fw__touch_t touch)
{
  for (int32_t i = 0; i < discs->touch_count[list]; ++i) {
    if (discs->touches[list][i].robot == touch.robot && discs->touches[list][i].other == touch.other) {
      return true;
    }
  }
  return false;
}

static bool add_touch(fw__simulated_fleet_t * fleet, fw__touch_t touch)
{
  fw__discs_t * discs = &fleet->discs;
  if (has_touch(discs, 0, touch)) {
    return true;
  }
  if (discs->touch_count[0] == discs->touch_capacity[0]) {
    fw__touch_t * larger = fw__arena_grow(
      &fleet->arena, discs->touches[0], (size_t)discs->touch_count[0], sizeof(*larger), &discs->touch_capacity[0]);
    if (larger == NULL) {
      return false;
    }
    discs->touches[0] = larger;
  }
  discs->touches[0][discs->touch_count[0]++] = touch;
  return true;
}

static bool look_around(fw__simulated_fleet_t * fleet, const fw__disc_t * disc)
{
  fw__discs_t * discs = &fleet->discs;
  const int32_t column = disc->cell % discs->width;
  const int32_t row = disc->cell / discs->width;
  for (int32_t y = row > 0 ? row - 1 : 0; y <= row + 1 && y < discs->height; ++y) {
    for (int32_t x = column > 0 ? column - 1 : 0; x <= column + 1 && x < discs->width; ++x) {
      for (int32_t i = discs->heads[y * discs->width + x]; i >= 0; i = discs->items[i].next) {
        const fw__disc_t * other = &discs->items[i];
        if (other->robot == disc->robot) {
          continue;
        }
        const double dx = other->x - disc->x;
        const double dy = other->y - disc->y;
        const double apart = sqrt(dx * dx + dy * dy) - 2.0 * discs->radius;
        fleet->result.nearest = fmin(fleet->result.nearest, apart);
        const fw__touch_t touch = disc->robot < other->robot ? (fw__touch_t){disc->robot, other->robot}
                                                             : (fw__touch_t){other->robot, disc->robot};
        if (apart < -1e-9 && !add_touch(fleet, touch)) {
          return false;
        }
      }
    }
  }
  return true;
}

static void swap_touches(fw__discs_t * discs)
{
  fw__touch_t * list = discs->touches[0];
  const int32_t count = discs->touch_count[0];
  const int32_t capacity = discs->touch_capacity[0];
  discs->touches[0] = discs->touches[1];
  discs->touch_capacity[0] = discs->touch_capacity[1];
  discs->touch_count[0] = 0;
  discs->touches[1] = list;
  discs->touch_count[1] = count;
  discs->touch_capacity[1] = capacity;
}

bool fw__discs_count(fw__simulated_fleet_t * fleet)
{
  fw__discs_t * discs = &fleet->discs;
  swap_touches(discs);
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    const fw__mover_t * mover = &fleet->movers[robot];
    for (int32_t i = 0; mover->has_moved && i < mover->disc_count; ++i) {
      const fw__disc_t * disc = &discs->items[mover->disc + i];
      if (disc->cell >= 0 && !look_around(fleet, disc)) {
        return false;
      }
    }
  }
  // Two that overlap and stand still go on overlapping.
  for (int32_t i = 0; i < discs->touch_count[1]; ++i) {
    const fw__touch_t touch = discs->touches[1][i];
    const bool stand = !fleet->movers[touch.robot].has_moved && !fleet->movers[touch.other].has_moved;
    const bool are_there = fleet->movers[touch.robot].is_there && fleet->movers[touch.other].is_there;
    if (stand && are_there && !add_touch(fleet, touch)) {
      return false;
    }
  }
  for (int32_t i = 0; i < discs->touch_count[0]; ++i) {
    const fw__touch_t touch = discs->touches[0][i];
    if (!has_touch(discs, 1, touch)) {
      if (fleet->result.overlaps == 0) {
        fleet->result.overlap_first[0] = touch.robot;
        fleet->result.overlap_first[1] = touch.other;
      }
      ++fleet->result.overlaps;
    }
  }
  fleet->result.overlap_steps += discs->touch_count[0];
  return true;
}
