// Checking and normalising a caller's problem. Errors name the robot and the cell.

#include "world/problem.h"

#include "base/assert.h"
#include "base/error.h"
#include "world/body.h"
#include "world/closures.h"

// ---- values of the problem and of each robot ------------------------------------------------------------------------

static fw_ret_t check_grid(const fw_grid_t * grid, fw_error_t * error)
{
  if (grid == NULL || grid->cost == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the problem has no grid");
  }
  if (grid->width < 1 || grid->height < 1 || grid->width > FW_GRID_SIDE_MAX || grid->height > FW_GRID_SIDE_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "a grid of %d x %d cells: each side must be 1 to %d", grid->width, grid->height,
      FW_GRID_SIDE_MAX);
  }
  return FW_RET_OK;
}

// A robot that covers more than its own cell needs the cells beside a diagonal: it cannot cut corners.
static fw_ret_t check_corners(const fw_problem_t * problem, fw_error_t * error)
{
  if (problem->cuts_corners && fw__problem_connectivity(problem) != 8) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "corners can be cut with connectivity 8 only: 4 has no diagonals");
  }
  for (int32_t i = 0; i < problem->robot_count && problem->cuts_corners; ++i) {
    const fw_robot_t * robot = &problem->robots[i];
    const char * what = robot->footprint_count > 1 ? "covers more than one cell"
                        : robot->turn_ticks > 0    ? "has a heading"
                        : robot->sweeps_sides      ? "sweeps its sides"
                                                   : NULL;
    if (what != NULL) {
      return fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_INVALID, i, robot->start},
        "robot %d %s: only robots of one cell, without heading, can cut corners", i, what);
    }
  }
  return FW_RET_OK;
}

// The values of one robot that do not depend on the grid.
static fw_ret_t check_values(const fw_robot_t * robot, int32_t index, int32_t connectivity, fw_error_t * error)
{
  const fw_error_detail_t where = {.fault = FW_FAULT_INVALID, .robot = index, .cell = FW_CELL_NONE};
  if (robot->ticks_per_move < 0 || robot->ticks_per_move > FW_TICKS_PER_MOVE_MAX) {
    return fw__error_at(
      error, where, "robot %d takes %d ticks per move: it must be 1 to %d", index, robot->ticks_per_move,
      FW_TICKS_PER_MOVE_MAX);
  }
  if (robot->footprint_count < 0 || (robot->footprint_count > 0 && robot->footprint == NULL)) {
    return fw__error_at(
      error, where,
      "robot %d has footprint_count %d: it must be 0 (a single cell), or above 0 with `footprint` not NULL", index,
      robot->footprint_count);
  }
  if (robot->turn_ticks < 0 || robot->turn_ticks > FW_TICKS_PER_MOVE_MAX) {
    return fw__error_at(
      error, where, "robot %d takes %d ticks per turn: it must be 1 to %d, or 0 for a robot without heading", index,
      robot->turn_ticks, FW_TICKS_PER_MOVE_MAX);
  }
  if (robot->heading < 0 || robot->heading >= FW_HEADING_COUNT) {
    return fw__error_at(
      error, where, "robot %d has the heading %d: it must be 0 to %d, in eighths of a turn", index, robot->heading,
      FW_HEADING_COUNT - 1);
  }
  if (robot->turn_ticks > 0 && robot->heading % 2 != 0 && connectivity == 4) {
    return fw__error_at(
      error, where, "robot %d has the diagonal heading %s, which needs connectivity 8", index,
      fw_heading_name(robot->heading));
  }
  if (robot->arrives < 0) {
    return fw__error_at(
      error, where, "robot %d arrives on its start at tick %d: it must be 0 or more", index, robot->arrives);
  }
  const fw_footprint_t shape = fw__footprint_of(robot);
  bool has_own_cell = false;
  for (int32_t i = 0; i < shape.count; ++i) {
    const fw_offset_t at = shape.cells[i];
    const int32_t far = robot->turn_ticks > 0 ? FW_TURN_REACH_MAX : FW_GRID_SIDE_MAX;
    if (at.dx < -far || at.dx > far || at.dy < -far || at.dy > far) {
      return fw__error_at(
        error, where, "robot %d has the cell (%d,%d) in its footprint, more than %d away", index, at.dx, at.dy, far);
    }
    has_own_cell = has_own_cell || (shape.cells[i].dx == 0 && shape.cells[i].dy == 0);
    for (int32_t j = 0; j < i; ++j) {
      if (shape.cells[i].dx == shape.cells[j].dx && shape.cells[i].dy == shape.cells[j].dy) {
        return fw__error_at(
          error, where, "robot %d has the cell (%d,%d) twice in its footprint", index, shape.cells[i].dx,
          shape.cells[i].dy);
      }
    }
  }
  if (!has_own_cell) {
    return fw__error_at(error, where, "the footprint of robot %d lacks its own cell (0,0)", index);
  }
  return FW_RET_OK;
}

// A robot at its start or goal, with a heading.
typedef struct place_t {
  const fw_grid_t * grid;
  const fw_robot_t * robot;
  int32_t index;
  bool is_start;
  int32_t heading;
} place_t;

static fw_cell_t cell_of(const place_t * place) { return place->is_start ? place->robot->start : place->robot->goal; }

// Whether the whole footprint is on free cells. One cell of it after the other, so that no memory is needed.
static fw_ret_t check_fits(const place_t * place, fw_error_t * error)
{
  const fw_grid_t * grid = place->grid;
  const fw_cell_t cell = cell_of(place);
  const char * what = place->is_start ? "start" : "goal";
  const fw_footprint_t footprint = fw__footprint_of(place->robot);
  for (int32_t i = 0; i < footprint.count; ++i) {
    fw_offset_t cells[FW_ROTATED_CELLS_MAX];
    const int32_t count =
      fw__footprint_rotate_into((fw_footprint_t){&footprint.cells[i], 1}, place->heading, cells, FW_ROTATED_CELLS_MAX);
    for (int32_t j = 0; j < count; ++j) {
      const int32_t x = fw_grid_x(grid, cell) + cells[j].dx;
      const int32_t y = fw_grid_y(grid, cell) + cells[j].dy;
      const fw_fault_t outside = place->is_start ? FW_FAULT_START_OUTSIDE : FW_FAULT_GOAL_OUTSIDE;
      const fw_fault_t occupied = place->is_start ? FW_FAULT_START_OCCUPIED : FW_FAULT_GOAL_OCCUPIED;
      if (!fw_grid_contains(grid, x, y)) {
        return fw__error_at(
          error, (fw_error_detail_t){outside, place->index, cell},
          "robot %d covers (%d,%d), outside the grid, at its %s", place->index, x, y, what);
      }
      if (!fw_grid_is_free(grid, x, y)) {
        return fw__error_at(
          error, (fw_error_detail_t){occupied, place->index, cell},
          "the %s of robot %d, (%d,%d), is on the obstacle at (%d,%d)", what, place->index, fw_grid_x(grid, cell),
          fw_grid_y(grid, cell), x, y);
      }
    }
  }
  return FW_RET_OK;
}

// Whether the start or goal is inside the grid and the robot fits there: at its start with its heading, at its goal
// with any heading.
static fw_ret_t check_place(const fw_problem_t * problem, int32_t index, bool is_start, fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  const fw_robot_t * robot = &problem->robots[index];
  const bool has_heading = robot->turn_ticks > 0;
  place_t place = {.grid = grid, .robot = robot, .index = index, .is_start = is_start};
  place.heading = has_heading && is_start ? robot->heading : FW_HEADING_EAST;
  const fw_cell_t cell = cell_of(&place);
  if (cell < 0 || cell >= fw_grid_cell_count(grid)) {
    return fw__error_at(
      error, (fw_error_detail_t){is_start ? FW_FAULT_START_OUTSIDE : FW_FAULT_GOAL_OUTSIDE, index, cell},
      "the %s of robot %d, cell %d, is outside the grid of %d x %d", is_start ? "start" : "goal", index, cell,
      grid->width, grid->height);
  }
  if (!is_start && cell != robot->start && !fw_grid_allows_waiting(grid, cell)) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_GOAL_OCCUPIED, index, cell},
      "the goal of robot %d, (%d,%d), is in a no-waiting area", index, fw_grid_x(grid, cell), fw_grid_y(grid, cell));
  }
  fw_ret_t ret = check_fits(&place, error);
  if (is_start || !has_heading || ret == FW_RET_OK) {
    return ret;
  }
  const int32_t step = fw__problem_connectivity(problem) == 8 ? 1 : 2;
  for (place.heading = step; place.heading < FW_HEADING_COUNT && ret != FW_RET_OK; place.heading += step) {
    ret = check_fits(&place, NULL);
  }
  return ret == FW_RET_OK ? ret
                          : fw__error_at(
                              error, (fw_error_detail_t){FW_FAULT_GOAL_OCCUPIED, index, cell},
                              "robot %d does not fit on its goal (%d,%d) with any heading", index,
                              fw_grid_x(grid, cell), fw_grid_y(grid, cell));
}

// ---- robots that are under way at tick 0 ----------------------------------------------------------------------------
//
// Such a robot departed before tick 0 and arrives on its start at tick `arrives` > 0. Its motion must be one that its
// body has, over free cells, and cannot be changed any more.

// The motion of the body that leads from `robot->from` to `robot->start`, NULL if there is none.
static const fw_motion_t * find_motion(const fw_grid_t * grid, const fw_robot_t * robot, const fw_body_t * body)
{
  const int32_t dx = fw_grid_x(grid, robot->start) - fw_grid_x(grid, robot->from);
  const int32_t dy = fw_grid_y(grid, robot->start) - fw_grid_y(grid, robot->from);
  const bool has_heading = body->turn_ticks > 0;
  for (int32_t i = 0; i < body->motion_count; ++i) {
    const fw_motion_t * motion = &body->motions[has_heading ? robot->from_heading : 0][i];
    if (motion->dx == dx && motion->dy == dy && (!has_heading || motion->heading == robot->heading)) {
      return motion;
    }
  }
  return NULL;
}

// The robot's body with defaults filled in. NULL when there is no memory.
static const fw_body_t * make_body(const fw_problem_t * problem, int32_t index, fw_arena_t * arena)
{
  fw_robot_t robot = problem->robots[index];
  const fw_footprint_t footprint = fw__footprint_of(&robot);
  robot.ticks_per_move = robot.ticks_per_move == 0 ? 1 : robot.ticks_per_move;
  robot.footprint = footprint.cells;
  robot.footprint_count = footprint.count;
  fw_body_t * body = fw__arena_allocate(arena, 1, sizeof(*body));
  const bool is_made = body != NULL && fw__body_init(body, arena, &robot, fw__problem_connectivity(problem));
  return is_made ? body : NULL;
}

// The motion that a robot is on, for one that has passed check_under_way. NULL when there is no memory.
static const fw_motion_t * under_way_motion(const fw_problem_t * problem, int32_t robot, fw_arena_t * arena)
{
  const fw_body_t * body = make_body(problem, robot, arena);
  return body == NULL ? NULL : find_motion(problem->grid, &problem->robots[robot], body);
}

// Whether every cell that the motion covers is free, and those beside a diagonal unless corners may be cut.
static bool motion_is_free(const fw_problem_t * problem, const fw_robot_t * robot, const fw_motion_t * motion)
{
  const fw_grid_t * grid = problem->grid;
  const int32_t x = fw_grid_x(grid, robot->from);
  const int32_t y = fw_grid_y(grid, robot->from);
  const bool needs_sides = motion->dx != 0 && motion->dy != 0 && !problem->cuts_corners;
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    if (!fw_grid_is_free(grid, x + motion->sweeps[i].dx, y + motion->sweeps[i].dy)) {
      return false;
    }
  }
  const fw_footprint_t footprint = fw__footprint_of(robot);
  for (int32_t i = 0; i < footprint.count && needs_sides; ++i) {
    fw_offset_t cells[FW_ROTATED_CELLS_MAX];
    const fw_footprint_t one = {&footprint.cells[i], 1};
    const int32_t count =
      fw__footprint_rotate_into(one, robot->turn_ticks > 0 ? robot->heading : 0, cells, FW_ROTATED_CELLS_MAX);
    for (int32_t j = 0; j < count; ++j) {
      if (
        !fw_grid_is_free(grid, x + cells[j].dx + motion->dx, y + cells[j].dy) ||
        !fw_grid_is_free(grid, x + cells[j].dx, y + cells[j].dy + motion->dy)) {
        return false;
      }
    }
  }
  return true;
}

static fw_ret_t check_under_way(const fw_problem_t * problem, int32_t index, fw_arena_t * arena, fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  const fw_robot_t * robot = &problem->robots[index];
  const int32_t step = fw__problem_connectivity(problem) == 8 ? 1 : 2;
  if (robot->from < 0 || robot->from >= fw_grid_cell_count(grid)) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_START_OUTSIDE, index, robot->from},
      "robot %d is under way from cell %d, outside the grid of %d x %d", index, robot->from, grid->width, grid->height);
  }
  const bool is_heading = robot->from_heading >= 0 && robot->from_heading < FW_HEADING_COUNT &&
                          (robot->turn_ticks == 0 || robot->from_heading % step == 0);
  const fw_body_t * body = is_heading ? make_body(problem, index, arena) : NULL;
  if (is_heading && body == NULL) {
    return fw__error_memory(error);
  }
  const fw_motion_t * motion = is_heading ? find_motion(grid, robot, body) : NULL;
  const fw_error_detail_t where = {FW_FAULT_INVALID, index, robot->from};
  if (motion == NULL) {
    return fw__error_at(
      error, where, "robot %d is under way from (%d,%d) to (%d,%d), which is not one of its motions", index,
      fw_grid_x(grid, robot->from), fw_grid_y(grid, robot->from), fw_grid_x(grid, robot->start),
      fw_grid_y(grid, robot->start));
  }
  if (robot->arrives >= motion->ticks) {
    return fw__error_at(
      error, where, "robot %d is under way and arrives at tick %d: it must be less than the %d ticks of its motion",
      index, robot->arrives, motion->ticks);
  }
  return motion_is_free(problem, robot, motion)
           ? FW_RET_OK
           : fw__error_at(
               error, (fw_error_detail_t){FW_FAULT_START_OCCUPIED, index, robot->from},
               "robot %d is under way from (%d,%d) over an obstacle", index, fw_grid_x(grid, robot->from),
               fw_grid_y(grid, robot->from));
}

// ---- robots together ------------------------------------------------------------------------------------------------
//
// No two robots on one cell at their starts or at their goals, none on a cell that is closed, and no id twice: all with
// one hash table of what is occupied.

// An entry of an open-addressed hash table: what is occupied, and by which robot.
typedef struct slot_t {
  int32_t key;  // a cell; EMPTY; less: a corner of cells that a diagonal motion goes through; or an id (see check_ids)
  int32_t robot;
  fw_tick_t until;  // the robot cannot leave the cell before this tick
  int32_t slope;    // of the diagonal: 1 or -1
} slot_t;

enum { EMPTY = FW_CELL_NONE };

typedef struct occupancy_t {
  const fw_problem_t * problem;
  bool is_start;       // starts or goals
  fw_arena_t * arena;  // for the motions of robots that are under way
  slot_t * slots;
  size_t slot_count;  // more than can be occupied, so that a search ends
} occupancy_t;

static int32_t corner_key(int32_t corner) { return EMPTY - 1 - corner; }

static void clear_slots(occupancy_t * occupancy)
{
  for (size_t i = 0; i < occupancy->slot_count; ++i) {
    occupancy->slots[i].key = EMPTY;
  }
}

// The slot with this key, or the empty one where it belongs.
static slot_t * find_slot(const occupancy_t * occupancy, int32_t key)
{
  size_t at = ((uint32_t)key * UINT32_C(2654435761)) % occupancy->slot_count;
  while (occupancy->slots[at].key != EMPTY && occupancy->slots[at].key != key) {
    at = (at + 1) % occupancy->slot_count;
  }
  return &occupancy->slots[at];
}

// The cells that a robot covers for certain: at its goal a robot with a heading may have any.
static fw_footprint_t certain_footprint(const fw_robot_t * robot, bool is_start)
{
  return robot->turn_ticks > 0 && !is_start ? fw__footprint_single : fw__footprint_of(robot);
}

static int32_t certain_heading(const fw_robot_t * robot, bool is_start)
{
  return robot->turn_ticks > 0 && is_start ? robot->heading : FW_HEADING_EAST;
}

static fw_ret_t occupy_cell(occupancy_t * occupancy, slot_t wanted, fw_error_t * error)
{
  const fw_grid_t * grid = occupancy->problem->grid;
  FW_ASSERT(wanted.key >= 0 && wanted.key < fw_grid_cell_count(grid));
  slot_t * slot = find_slot(occupancy, wanted.key);
  if (slot->key == wanted.key) {
    const fw_fault_t fault = occupancy->is_start ? FW_FAULT_START_OCCUPIED : FW_FAULT_GOAL_OCCUPIED;
    return fw__error_at(
      error, (fw_error_detail_t){fault, wanted.robot, wanted.key}, "robots %d and %d have the same %s cell (%d,%d)",
      slot->robot, wanted.robot, occupancy->is_start ? "start" : "goal", fw_grid_x(grid, wanted.key),
      fw_grid_y(grid, wanted.key));
  }
  *slot = wanted;
  return FW_RET_OK;
}

// Two robots that are on crossing diagonals collide whatever is planned.
static fw_ret_t occupy_corner(occupancy_t * occupancy, slot_t wanted, fw_error_t * error)
{
  slot_t * slot = find_slot(occupancy, wanted.key);
  if (slot->key != EMPTY && slot->robot != wanted.robot && slot->slope != wanted.slope) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_START_OCCUPIED, wanted.robot, occupancy->problem->robots[wanted.robot].start},
      "robots %d and %d are under way and cross at tick 0", slot->robot, wanted.robot);
  }
  *slot = wanted;
  return FW_RET_OK;
}

// Occupies all that a robot under way covers from tick 0 on. Swept cells are covered from one tick after departure,
// that is at tick 0 or before.
static fw_ret_t occupy_motion(occupancy_t * occupancy, int32_t index, fw_error_t * error)
{
  const fw_grid_t * grid = occupancy->problem->grid;
  const fw_robot_t * robot = &occupancy->problem->robots[index];
  const fw_motion_t * motion = under_way_motion(occupancy->problem, index, occupancy->arena);
  if (motion == NULL) {
    return fw__error_memory(error);
  }
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; i < motion->sweep_count && ret == FW_RET_OK; ++i) {
    const fw_swept_cell_t * sweep = &motion->sweeps[i];
    const fw_cell_t cell = robot->from + sweep->dy * grid->width + sweep->dx;
    const fw_tick_t until = robot->arrives - motion->ticks + sweep->to;
    ret = occupy_cell(occupancy, (slot_t){.key = cell, .robot = index, .until = until}, error);
  }
  // The cells of the footprint at the end come first in the list of swept cells; each gives one corner.
  const bool is_diagonal = motion->dx != 0 && motion->dy != 0;
  const int32_t count = fw__footprint_rotate_into(
    fw__footprint_of(robot), robot->turn_ticks > 0 ? robot->heading : FW_HEADING_EAST, NULL, 0);
  for (int32_t i = 0; i < count && is_diagonal && ret == FW_RET_OK; ++i) {
    const int32_t x = fw_grid_x(grid, robot->from) + motion->sweeps[i].dx + (motion->dx > 0 ? 0 : 1);
    const int32_t y = fw_grid_y(grid, robot->from) + motion->sweeps[i].dy + (motion->dy > 0 ? 0 : 1);
    const int32_t key = corner_key(y * (grid->width + 1) + x);
    ret = occupy_corner(occupancy, (slot_t){.key = key, .robot = index, .slope = motion->dx * motion->dy}, error);
  }
  return ret;
}

static fw_ret_t occupy_robot(occupancy_t * occupancy, int32_t index, fw_error_t * error)
{
  const fw_robot_t * robot = &occupancy->problem->robots[index];
  if (occupancy->is_start && robot->arrives > 0) {
    return occupy_motion(occupancy, index, error);
  }
  const fw_cell_t place = occupancy->is_start ? robot->start : robot->goal;
  const fw_footprint_t footprint = certain_footprint(robot, occupancy->is_start);
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; i < footprint.count && ret == FW_RET_OK; ++i) {
    fw_offset_t rotated[FW_ROTATED_CELLS_MAX];
    const fw_footprint_t one = {&footprint.cells[i], 1};
    const int32_t count =
      fw__footprint_rotate_into(one, certain_heading(robot, occupancy->is_start), rotated, FW_ROTATED_CELLS_MAX);
    for (int32_t j = 0; j < count && ret == FW_RET_OK; ++j) {
      const fw_cell_t cell = place + rotated[j].dy * occupancy->problem->grid->width + rotated[j].dx;
      ret = occupy_cell(occupancy, (slot_t){.key = cell, .robot = index}, error);
    }
  }
  return ret;
}

// No two robots on one cell, at the start or at the goals.
static fw_ret_t check_distinct_cells(occupancy_t * occupancy, bool is_start, fw_error_t * error)
{
  occupancy->is_start = is_start;
  clear_slots(occupancy);
  fw_ret_t ret = FW_RET_OK;
  for (int32_t r = 0; r < occupancy->problem->robot_count && ret == FW_RET_OK; ++r) {
    ret = occupy_robot(occupancy, r, error);
  }
  return ret;
}

// No robot is on a cell that is closed at tick 0, or closes before the robot can have left it. After
// check_distinct_cells of the starts.
static fw_ret_t check_starts_open(const occupancy_t * occupancy, fw_error_t * error)
{
  const fw_grid_t * grid = occupancy->problem->grid;
  for (int32_t i = 0; i < occupancy->problem->closure_count; ++i) {
    const fw_cell_t cell = occupancy->problem->closures[i].cell;
    const slot_t * slot = find_slot(occupancy, cell);
    const fw_tick_t from = occupancy->problem->closures[i].from;
    if (slot->key == cell && from <= slot->until) {
      return fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_START_OCCUPIED, slot->robot, cell},
        "robot %d is on (%d,%d) at the start, which is closed at tick %d", slot->robot, fw_grid_x(grid, cell),
        fw_grid_y(grid, cell), from);
    }
  }
  return FW_RET_OK;
}

bool fw__problem_has_ids(const fw_problem_t * problem)
{
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (problem->robots[r].id != 0) {
      return true;
    }
  }
  return false;
}

// Ids identify robots from one problem to the next: all different, or all 0.
static fw_ret_t check_ids(occupancy_t * occupancy, fw_error_t * error)
{
  const fw_problem_t * problem = occupancy->problem;
  const bool has_ids = fw__problem_has_ids(problem);
  clear_slots(occupancy);
  for (int32_t r = 0; r < problem->robot_count && has_ids; ++r) {
    const int32_t id = problem->robots[r].id;
    const fw_error_detail_t where = {.fault = FW_FAULT_INVALID, .robot = r, .cell = FW_CELL_NONE};
    if (id < 0) {
      return fw__error_at(error, where, "robot %d has the id %d: it must not be negative", r, id);
    }
    slot_t * slot = find_slot(occupancy, id);
    if (slot->key == id) {
      return fw__error_at(error, where, "robots %d and %d have the same id %d", slot->robot, r, id);
    }
    *slot = (slot_t){.key = id, .robot = r};
  }
  return FW_RET_OK;
}

// An upper bound on how many keys are in the table at one time, corners included. False when there is no memory.
static bool count_keys(const occupancy_t * occupancy, size_t * count)
{
  const fw_problem_t * problem = occupancy->problem;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const int32_t straight = fw__footprint_of(robot).count;
    const int32_t rotated = fw__footprint_rotate_into(fw__footprint_of(robot), certain_heading(robot, true), NULL, 0);
    *count += (size_t)(rotated > straight ? rotated : straight);
    if (robot->arrives > 0) {
      const fw_motion_t * motion = under_way_motion(problem, r, occupancy->arena);
      if (motion == NULL) {
        return false;
      }
      *count += 2 * (size_t)motion->sweep_count;
    }
  }
  return true;
}

static fw_ret_t check_together(
  const fw_problem_t * problem, const fw_allocator_t * allocator, fw_arena_t * arena, fw_error_t * error)
{
  size_t count = 0;
  occupancy_t occupancy = {.problem = problem, .arena = arena};
  if (!count_keys(&occupancy, &count)) {
    return fw__error_memory(error);
  }
  occupancy.slot_count = 2 * count + 1;
  occupancy.slots = fw__allocate_array(allocator, occupancy.slot_count, sizeof(*occupancy.slots));
  if (occupancy.slots == NULL) {
    return fw__error_memory(error);
  }
  fw_ret_t ret = check_distinct_cells(&occupancy, true, error);
  if (ret == FW_RET_OK) {
    ret = check_starts_open(&occupancy, error);
  }
  if (ret == FW_RET_OK && problem->horizon == 0) {  // with a horizon robots may share goals
    ret = check_distinct_cells(&occupancy, false, error);
  }
  if (ret == FW_RET_OK) {
    ret = check_ids(&occupancy, error);
  }
  fw__deallocate(allocator, occupancy.slots);
  return ret;
}

// ---- the whole problem ----------------------------------------------------------------------------------------------

static fw_ret_t check_closures(const fw_problem_t * problem, fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  if (problem->closure_count < 0 || (problem->closure_count > 0 && problem->closures == NULL)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "closure_count is %d: it must be 0, or above 0 with `closures` not NULL",
      problem->closure_count);
  }
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_closure_t closure = problem->closures[i];
    const fw_error_detail_t where = {.fault = FW_FAULT_INVALID, .robot = -1, .cell = closure.cell};
    if (closure.cell < 0 || closure.cell >= fw_grid_cell_count(grid)) {
      return fw__error_at(
        error, where, "closure %d, cell %d, is outside the grid of %d x %d", i, closure.cell, grid->width,
        grid->height);
    }
    if (closure.from < 0 || closure.to < closure.from || closure.to > FW_TICK_MAX) {
      return fw__error_at(
        error, where, "closure %d of (%d,%d) lasts from tick %d to %d: it must be 0 <= from <= to <= %d", i,
        fw_grid_x(grid, closure.cell), fw_grid_y(grid, closure.cell), closure.from, closure.to, FW_TICK_MAX);
    }
  }
  return FW_RET_OK;
}

fw_ret_t fw__problem_check_with(const fw_problem_t * problem, const fw_allocator_t * allocator, fw_error_t * error)
{
  if (problem == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the problem must not be NULL");
  }
  fw_ret_t ret = check_grid(problem->grid, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (problem->connectivity != 0 && problem->connectivity != 4 && problem->connectivity != 8) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "connectivity is %d: it must be 4 or 8", problem->connectivity);
  }
  if (problem->robust_ticks < 0 || problem->robust_ticks > FW_ROBUST_TICKS_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "robust_ticks is %d: it must be 0 to %d", problem->robust_ticks,
      FW_ROBUST_TICKS_MAX);
  }
  if (
    problem->horizon < 0 || problem->since < 0 || problem->horizon > FW_TICK_MAX / 4 || problem->since > FW_TICK_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "horizon is %d and since %d: they must be 0 to %d and 0 to %d", problem->horizon,
      problem->since, FW_TICK_MAX / 4, FW_TICK_MAX);
  }
  if (
    problem->robot_count < 0 || problem->robot_count > FW_ROBOT_COUNT_MAX ||
    (problem->robot_count > 0 && problem->robots == NULL)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "robot_count is %d: it must be 0 to %d, with `robots` not NULL if it is above 0",
      problem->robot_count, FW_ROBOT_COUNT_MAX);
  }
  ret = check_corners(problem, error);
  for (int32_t i = 0; i < problem->robot_count && ret == FW_RET_OK; ++i) {
    const fw_robot_t * robot = &problem->robots[i];
    if (
      (ret = check_values(robot, i, fw__problem_connectivity(problem), error)) != FW_RET_OK ||
      (ret = check_place(problem, i, true, error)) != FW_RET_OK ||
      (ret = check_place(problem, i, false, error)) != FW_RET_OK) {
      return ret;
    }
  }
  ret = ret == FW_RET_OK ? check_closures(problem, error) : ret;
  fw_memory_t memory = {.allocator = *allocator, .max_bytes = SIZE_MAX};
  fw_arena_t arena;  // for the motions of robots that are under way
  fw__arena_init(&arena, &memory);
  for (int32_t i = 0; i < problem->robot_count && ret == FW_RET_OK; ++i) {
    ret = problem->robots[i].arrives > 0 ? check_under_way(problem, i, &arena, error) : FW_RET_OK;
  }
  if (ret == FW_RET_OK) {
    ret = check_together(problem, allocator, &arena, error);
  }
  fw__arena_fini(&arena);
  return ret;
}

fw_ret_t fw_problem_check(const fw_problem_t * problem, fw_error_t * error)
{
  const fw_allocator_t allocator = fw_allocator_default();
  return fw__problem_check_with(problem, &allocator, error);
}

fw_problem_t fw__problem_normalise(const fw_problem_t * problem, fw_arena_t * arena)
{
  fw_problem_t copy = *problem;
  copy.connectivity = fw__problem_connectivity(problem);
  fw_robot_t * robots = fw__arena_allocate(arena, (size_t)problem->robot_count + 1, sizeof(*robots));
  for (int32_t i = 0; robots != NULL && i < problem->robot_count; ++i) {
    const fw_footprint_t shape = fw__footprint_of(&problem->robots[i]);
    robots[i] = problem->robots[i];
    robots[i].ticks_per_move = robots[i].ticks_per_move == 0 ? 1 : robots[i].ticks_per_move;
    robots[i].heading = robots[i].turn_ticks == 0 ? 0 : robots[i].heading;
    robots[i].from_heading = robots[i].turn_ticks == 0 ? 0 : robots[i].from_heading;
    robots[i].footprint = shape.cells;
    robots[i].footprint_count = shape.count;
  }
  fw_closure_t * closures = fw__arena_allocate(arena, (size_t)problem->closure_count + 1, sizeof(*closures));
  if (closures != NULL) {
    copy.closure_count = fw__closures_merge(problem, closures);
  }
  copy.closures = closures;
  copy.robots = closures == NULL ? NULL : robots;
  return copy;
}
