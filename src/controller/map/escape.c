// Ways out of a keepout mask. See escape.h.

#include "controller/map/escape.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"
#include "controller/approach.h"
#include "controller/controller.h"
#include "world/moves.h"

static const uint8_t ESCAPE_COST = 255;  // others have no reason to want to drive there

void fw__escapes_reset(fw_escapes_t * escapes)
{
  free(escapes->is_open);
  free(escapes->way_size);
  escapes->is_open = NULL;
  escapes->way_size = NULL;
  escapes->cell_count = 0;
  escapes->count = 0;
  escapes->lifted_count = 0;
  escapes->others_first = false;
}

void fw__escapes_fini(fw_escapes_t * escapes)
{
  fw__escapes_reset(escapes);
  free(escapes->cells);
  free(escapes->lifted);
  *escapes = (fw_escapes_t){0};
}

bool fw__escapes_have(const fw_escapes_t * escapes, fw_cell_t cell)
{
  return escapes->is_open != NULL && cell >= 0 && cell < escapes->cell_count && escapes->is_open[cell];
}

// A cell that only the mask makes an obstacle, opened or not.
static bool is_kept_out(const fw_controller_impl_t * controller, fw_cell_t cell)
{
  const fw_planning_map_t * map = &controller->map;
  return cell != FW_CELL_NONE && map->layers.floor.cost[cell] != 0 &&
         (map->grid.cost[cell] == 0 || fw__escapes_have(&controller->escapes, cell));
}

// Makes room for `count` more cells. False if there is no memory.
static bool reserve(fw_escapes_t * escapes, int32_t cell_count, int32_t count)
{
  if (escapes->is_open == NULL) {
    escapes->is_open = fw__calloc((size_t)cell_count, sizeof *escapes->is_open);
    escapes->way_size = fw__calloc((size_t)cell_count, sizeof *escapes->way_size);
    if (escapes->is_open == NULL || escapes->way_size == NULL) {
      fw__escapes_reset(escapes);
      return false;
    }
    escapes->cell_count = cell_count;
  }
  if (escapes->count + count > escapes->capacity) {
    const int32_t capacity = 2 * escapes->capacity + count;
    fw_cell_t * cells = fw__realloc(escapes->cells, (size_t)capacity * sizeof *cells);
    escapes->cells = cells == NULL ? escapes->cells : cells;
    escapes->capacity = cells == NULL ? escapes->capacity : capacity;
  }
  return escapes->count + count <= escapes->capacity;
}

// Opens the cells of a body at a place that only the mask makes obstacles. True if that is a change.
static bool open_place(fw_controller_impl_t * controller, const fw_robot_body_t * body, fw_grid_pose_t place)
{
  fw_escapes_t * escapes = &controller->escapes;
  fw_planning_map_t * map = &controller->map;
  const int32_t count = fw__robot_body_cell_count(body, place);
  bool has_changed = false;
  if (!reserve(escapes, fw_grid_cell_count(&map->grid), count)) {
    return false;
  }
  for (int32_t k = 0; k < count; ++k) {
    const fw_cell_t cell = fw__robot_body_cell(body, &map->grid, place, k);
    if (is_kept_out(controller, cell) && !fw__escapes_have(escapes, cell)) {
      escapes->is_open[cell] = true;
      escapes->cells[escapes->count++] = cell;
      map->grid.cost[cell] = ESCAPE_COST;
      has_changed = true;
    }
  }
  return has_changed;
}

// The same with all headings that the body can have and that fit between the walls.
static bool open_cell(fw_controller_impl_t * controller, const fw_robot_body_t * body, fw_cell_t cell)
{
  const int32_t step = body->turn_ticks == 0 ? FW_HEADING_COUNT : fw__heading_step(controller->settings.connectivity);
  bool has_changed = false;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += step) {
    const fw_grid_pose_t place = {cell, heading};
    if (fw__robot_body_fits(body, &controller->map.layers.floor, place)) {
      has_changed = open_place(controller, body, place) || has_changed;
    }
  }
  return has_changed;
}

// ---- the way out

// Lets robots move in a direction from a cell and to it. True if that is a change.
static bool lift_rule(fw_controller_impl_t * controller, fw_cell_t cell, int32_t heading)
{
  fw_escapes_t * escapes = &controller->escapes;
  uint16_t * rules = &controller->map.grid.rules[cell];
  if ((*rules & FW_RULE_ONE_WAY(heading)) == 0) {
    return false;
  }
  if (escapes->lifted_count == escapes->lifted_capacity) {
    const int32_t capacity = 2 * escapes->lifted_capacity + 16;
    fw_lifted_rule_t * lifted = fw__realloc(escapes->lifted, (size_t)capacity * sizeof *lifted);
    if (lifted == NULL) {
      return false;
    }
    escapes->lifted = lifted;
    escapes->lifted_capacity = capacity;
  }
  escapes->lifted[escapes->lifted_count++] = (fw_lifted_rule_t){cell, *rules};
  *rules = (uint16_t)(*rules & ~FW_RULE_ONE_WAY(heading));
  return true;
}

// The same for a move of a way out.
static bool lift_rules(fw_controller_impl_t * controller, fw_cell_t from, fw_cell_t to)
{
  const fw_grid_t * grid = &controller->map.grid;
  if (fw__grid_allows_move(grid, from, to)) {
    return false;
  }
  const int32_t heading =
    fw__step_heading(fw_grid_x(grid, to) - fw_grid_x(grid, from), fw_grid_y(grid, to) - fw_grid_y(grid, from));
  const bool has_changed = lift_rule(controller, from, heading);
  return lift_rule(controller, to, heading) || has_changed;
}

// The body fits outside the mask.
static bool is_outside(const fw_controller_impl_t * controller, const fw_robot_body_t * body, fw_cell_t cell)
{
  const fw_planning_map_t * map = &controller->map;
  const int32_t step = body->turn_ticks == 0 ? FW_HEADING_COUNT : fw__heading_step(controller->settings.connectivity);
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += step) {
    const fw_grid_pose_t place = {cell, heading};
    bool is_free = fw__robot_body_fits(body, &map->grid, place);
    for (int32_t k = 0; is_free && k < fw__robot_body_cell_count(body, place); ++k) {
      const fw_cell_t at = fw__robot_body_cell(body, &map->grid, place, k);
      is_free = !fw__escapes_have(&controller->escapes, at) && !fw__blocked_cells_has(&controller->blocked, at);
    }
    if (is_free) {
      return true;
    }
  }
  return false;
}

typedef struct way_search_t {
  bool obeys;          // one-way areas
  bool avoids;         // cells where another robot stands
  bool * is_taken;     // by cell: one does
  fw_cell_t * queue;   // of cells
  fw_cell_t * before;  // by cell: where it was reached from; itself for the start, FW_CELL_NONE: not reached
} way_search_t;

static bool init_search(way_search_t * search, int32_t cell_count)
{
  const size_t cells = (size_t)cell_count;
  *search = (way_search_t){
    .is_taken = fw__calloc(cells, sizeof *search->is_taken),
    .queue = fw__malloc(cells * sizeof *search->queue),
    .before = fw__malloc(cells * sizeof *search->before),
  };
  return search->is_taken != NULL && search->queue != NULL && search->before != NULL;
}

static void fini_search(way_search_t * search)
{
  free(search->is_taken);
  free(search->queue);
  free(search->before);
}

static fw_grid_pose_t place_of(const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot)
{
  return fw__robot_body_place(
    &robot->body, &controller->map.frame, controller->settings.connectivity, fw__controlled_robot_pose(robot));
}

static void mark_robots(const fw_controller_impl_t * controller, int32_t except, bool * is_taken)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (k == except || !fw__controlled_robot_is_listed(robot) || !robot->has_pose) {
      continue;
    }
    const fw_grid_pose_t place = place_of(controller, robot);
    for (int32_t c = 0; place.cell != FW_CELL_NONE && c < fw__robot_body_cell_count(&robot->body, place); ++c) {
      const fw_cell_t cell = fw__robot_body_cell(&robot->body, &controller->map.grid, place, c);
      if (cell != FW_CELL_NONE) {
        is_taken[cell] = true;
      }
    }
  }
}

static bool is_taken(
  const fw_controller_impl_t * controller, const way_search_t * search, const fw_robot_body_t * body, fw_cell_t at)
{
  bool taken = false;
  for (int32_t k = 0; !taken && k < fw__robot_body_cell_count(body, (fw_grid_pose_t){.cell = at}); ++k) {
    const fw_cell_t cell = fw__robot_body_cell(body, &controller->map.grid, (fw_grid_pose_t){.cell = at}, k);
    taken = cell != FW_CELL_NONE && search->is_taken[cell];
  }
  return taken;
}

// Breadth-first over floor that is free without the mask, to the nearest cell outside it. FW_CELL_NONE: there is none.
static fw_cell_t find_way(
  const fw_controller_impl_t * controller, const fw_robot_body_t * body, fw_cell_t start, const way_search_t * search)
{
  static const fw_offset_t steps[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  const fw_grid_t * floor = &controller->map.layers.floor;
  int32_t tail = 0;
  for (int32_t k = 0; k < fw_grid_cell_count(floor); ++k) {
    search->before[k] = FW_CELL_NONE;
  }
  search->queue[tail++] = start;
  search->before[start] = start;
  for (int32_t head = 0; head < tail; ++head) {
    const fw_cell_t cell = search->queue[head];
    if (is_outside(controller, body, cell)) {
      return cell;
    }
    for (int32_t k = 0; k < 4; ++k) {
      const int32_t x = fw_grid_x(floor, cell) + steps[k].dx, y = fw_grid_y(floor, cell) + steps[k].dy;
      const fw_cell_t next = fw_grid_is_free(floor, x, y) ? fw_grid_cell(floor, x, y) : FW_CELL_NONE;
      if (
        next != FW_CELL_NONE && search->before[next] == FW_CELL_NONE &&
        (!search->obeys || fw__grid_allows_move(&controller->map.grid, cell, next)) &&
        (!search->avoids || !is_taken(controller, search, body, next)) &&
        !fw__blocked_cells_has(&controller->blocked, next) &&
        fw__robot_body_fits_on(body, floor, controller->settings.connectivity, next)) {
        search->before[next] = cell;
        search->queue[tail++] = next;
      }
    }
  }
  return FW_CELL_NONE;
}

// The best way out: first along one-way areas and past other robots, which may not be able to make room; then without
// regard to robots; then against one-way areas.
static fw_cell_t find_best_way(
  const fw_controller_impl_t * controller, const fw_robot_body_t * body, fw_cell_t start, way_search_t * search)
{
  fw_cell_t end = FW_CELL_NONE;
  for (int32_t k = 0; k < 4 && end == FW_CELL_NONE; ++k) {
    search->obeys = k < 2;
    search->avoids = k % 2 == 0;
    end = find_way(controller, body, start, search);
  }
  return end;
}

// Notes that a way out for this body leads over a cell.
static void note_way(fw_escapes_t * escapes, const fw_robot_body_t * body, fw_cell_t cell)
{
  const int32_t size = fw__robot_body_cell_count(body, (fw_grid_pose_t){.cell = cell});
  if (escapes->way_size != NULL && size > escapes->way_size[cell]) {
    escapes->way_size[cell] = size;
  }
}

// Opens the way out of a robot at a place. True if that is a change.
static bool open_way(fw_controller_impl_t * controller, int32_t index, fw_grid_pose_t place)
{
  const fw_robot_body_t * body = &controller->fleet.robots[index].body;
  way_search_t search;
  bool has_changed = false;
  if (init_search(&search, fw_grid_cell_count(&controller->map.grid))) {
    mark_robots(controller, index, search.is_taken);
    fw_cell_t at = find_best_way(controller, body, place.cell, &search);
    if (at != FW_CELL_NONE) {
      has_changed = open_place(controller, body, place);
      for (; at != place.cell; at = search.before[at]) {
        has_changed = open_cell(controller, body, at) || has_changed;
        note_way(&controller->escapes, body, at);
        has_changed = lift_rules(controller, search.before[at], at) || has_changed;
      }
      has_changed = open_cell(controller, body, at) || has_changed;
      note_way(&controller->escapes, body, at);
    }
  }
  fini_search(&search);
  return has_changed;
}

// ---- robots inside

static bool touches_mask(const fw_controller_impl_t * controller, const fw_robot_body_t * body, fw_grid_pose_t place)
{
  bool touches = false;
  for (int32_t k = 0; !touches && k < fw__robot_body_cell_count(body, place); ++k) {
    touches = is_kept_out(controller, fw__robot_body_cell(body, &controller->map.grid, place, k));
  }
  return touches;
}

// The place is on a way out that was opened for this body or for a larger one. Cells may also be open because another
// drives over them, or this one did: then no way leads on from them.
static bool is_helped(const fw_controller_impl_t * controller, const fw_robot_body_t * body, fw_grid_pose_t place)
{
  const fw_escapes_t * escapes = &controller->escapes;
  return fw__robot_body_fits(body, &controller->map.grid, place) && escapes->way_size != NULL &&
         escapes->way_size[place.cell] >= fw__robot_body_cell_count(body, place);
}

// Is the robot in the dependency graph, and the graph on the present map?
static bool is_on_map(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_fleet_execution_t * execution = &controller->execution;
  return execution->is_on && fw__fleet_execution_has(execution, index) &&
         fw__map_frames_are_equal(&execution->frame, &controller->map.frame);
}

// Opens the motion that a robot of the graph is on: it cannot stop between two cells. True if that is a change.
static bool open_motion(fw_controller_impl_t * controller, int32_t index)
{
  const fw_fleet_execution_t * execution = &controller->execution;
  bool has_changed = false;
  if (!is_on_map(controller, index)) {
    return false;
  }
  const fw_execution_status_t status = fw__fleet_execution_status(execution, index);
  for (int32_t at = status.reached; at <= status.reached + 1 && at <= status.released; ++at) {
    fw_execution_waypoint_t waypoint;
    if (fw_execution_waypoint(&execution->graph, index, at, &waypoint, NULL) == FW_RET_OK) {
      const fw_grid_pose_t place = {waypoint.cell, waypoint.heading};
      has_changed = open_place(controller, &controller->fleet.robots[index].body, place) || has_changed;
    }
  }
  return has_changed;
}

// Is a robot that is measured outside on a motion that leads it out? The mask may have come while it drove there.
static bool is_leaving(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_fleet_execution_t * execution = &controller->execution;
  if (!is_on_map(controller, index)) {
    return false;
  }
  const fw_execution_status_t status = fw__fleet_execution_status(execution, index);
  fw_execution_waypoint_t waypoint;
  return status.reached < status.released &&
         fw_execution_waypoint(&execution->graph, index, status.reached, &waypoint, NULL) == FW_RET_OK &&
         touches_mask(
           controller, &controller->fleet.robots[index].body, (fw_grid_pose_t){waypoint.cell, waypoint.heading});
}

// A robot that is measured outside may still be on the motion that leads it out.
static bool holds_open_cell(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_fleet_execution_t * execution = &controller->execution;
  if (controller->escapes.count == 0 || !is_on_map(controller, index)) {
    return false;
  }
  const int32_t count = fw_execution_held(&execution->graph, index, NULL, 0);
  fw_cell_t * cells = fw__malloc(((size_t)count + 1) * sizeof *cells);
  bool holds = cells == NULL;  // not known: nothing is taken away
  for (int32_t k = 0; !holds && k < fw_execution_held(&execution->graph, index, cells, count) && k < count; ++k) {
    holds = fw__escapes_have(&controller->escapes, cells[k]);
  }
  free(cells);
  return holds;
}

static void close_all(fw_controller_impl_t * controller)
{
  for (int32_t k = controller->escapes.lifted_count - 1; k >= 0; --k) {
    controller->map.grid.rules[controller->escapes.lifted[k].cell] = controller->escapes.lifted[k].rules;
  }
  for (int32_t k = 0; k < controller->escapes.count; ++k) {
    controller->map.grid.cost[controller->escapes.cells[k]] = 0;
  }
  fw__escapes_reset(&controller->escapes);
}

void fw__escapes_update(fw_controller_impl_t * controller)
{
  fw_planning_map_t * map = &controller->map;
  bool has_changed = false, is_needed = false;
  const bool is_new_round = controller->escapes.rounds != controller->rounds;
  controller->escapes.rounds = controller->rounds;
  map->exits = controller->escapes.is_open;
  if (!map->layers.has_keepout) {
    return;
  }
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (!fw__controlled_robot_is_listed(robot) || !robot->has_pose) {
      continue;
    }
    const fw_grid_pose_t place = place_of(controller, robot);
    if (place.cell == FW_CELL_NONE || !touches_mask(controller, &robot->body, place)) {
      has_changed = (is_leaving(controller, k) && open_motion(controller, k)) || has_changed;
      is_needed = is_needed || holds_open_cell(controller, k);
      continue;
    }
    is_needed = true;
    fw__approach_leave(controller, k);
    // A round found no plan: perhaps others stand on the way that was opened, and by now there is one past them.
    const bool is_stuck = is_new_round && robot->planning_fault.number != 0;
    if ((is_stuck || !is_helped(controller, &robot->body, place)) && open_way(controller, k, place)) {
      (void)open_motion(controller, k);
      has_changed = true;
    }
  }
  if (!is_needed && controller->escapes.count > 0) {
    close_all(controller);
    has_changed = true;
  }
  map->exits = controller->escapes.is_open;
  if (has_changed) {
    map->revision += 1;
    controller->obstacles_are_outdated = true;
    fw__controller_request_round_soon(controller, "a robot is inside the keepout mask, or has left it");
  }
}
