// Random small problems from a number.

#include "support/world.h"

#include <stdio.h>

#include "fleetweave/files.h"
#include "support/test.h"
#include "support/rotated.h"

static const fw_offset_t shape_2x1[] = {{0, 0}, {1, 0}};
static const fw_offset_t shape_2x2[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
static const fw_offset_t shape_l[] = {{0, -1}, {0, 0}, {1, 0}};
static const fw_offset_t shape_3x1[] = {{-1, 0}, {0, 0}, {1, 0}};
static const fw_offset_t shape_3x3[] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

static bool is_free_at(const fw_grid_t * grid, const fw_robot_t * robot, int32_t heading, int32_t x, int32_t y)
{
  fw_offset_t cells[ROTATED_MAX];
  const int32_t count = rotated_list(robot, heading, cells);
  bool is_clear = true;
  for (int32_t i = 0; i < count && is_clear; ++i) {
    is_clear = fw_grid_is_free(grid, x + cells[i].dx, y + cells[i].dy);
  }
  return is_clear;
}

static bool is_free(const fw_grid_t * grid, const fw_robot_t * robot, int32_t x, int32_t y)
{
  return is_free_at(grid, robot, 0, x, y);
}

// With its heading at the start; at the goal one with a heading needs room for any.
static bool has_room(const fw_grid_t * grid, const fw_robot_t * robot, fw_cell_t cell, bool is_start, int32_t degree)
{
  const int32_t x = fw_grid_x(grid, cell);
  const int32_t y = fw_grid_y(grid, cell);
  if (is_start || robot->turn_ticks == 0) {
    return is_free_at(grid, robot, robot->heading, x, y);
  }
  bool is_clear = false;
  for (int32_t heading = 0; heading < 8 && !is_clear; heading += degree == 8 ? 1 : 2) {
    is_clear = is_free_at(grid, robot, heading, x, y);
  }
  return is_clear;
}

typedef struct search_t {
  const fw_grid_t * grid;
  const fw_robot_t * robot;
  bool is_start;
  int32_t degree;
} search_t;

// A cell where the robot fits beside the robots in `taken`; FW_CELL_NONE after some tries.
static fw_cell_t find_place(const search_t * search, bool * taken, fw_rng_t * rng)
{
  const fw_grid_t * grid = search->grid;
  fw_offset_t cells[ROTATED_MAX] = {{0, 0}};
  const bool is_sure = search->is_start || search->robot->turn_ticks == 0;
  const int32_t count = is_sure ? rotated_list(search->robot, search->robot->heading, cells) : 1;
  for (int32_t tries = 0; tries < 60; ++tries) {
    const fw_cell_t cell = fw__rng_below(rng, fw_grid_cell_count(grid));
    bool is_clear = has_room(grid, search->robot, cell, search->is_start, search->degree);
    for (int32_t i = 0; i < count && is_clear; ++i) {
      is_clear = !taken[cell + cells[i].dy * grid->width + cells[i].dx];
    }
    if (is_clear) {
      for (int32_t i = 0; i < count; ++i) {
        taken[cell + cells[i].dy * grid->width + cells[i].dx] = true;
      }
      return cell;
    }
  }
  return FW_CELL_NONE;
}

static void give_shape(fw_robot_t * robot, fw_rng_t * rng)
{
  switch (fw__rng_below(rng, 6)) {
    case 0:
      robot->footprint = shape_2x1;
      robot->footprint_count = 2;
      break;
    case 1:
      robot->footprint = shape_2x2;
      robot->footprint_count = 4;
      break;
    case 2:
      robot->footprint = shape_l;
      robot->footprint_count = 3;
      break;
    default:  // half of them are single cells
      break;
  }
}

static void give_motion(fw_robot_t * robot, fw_rng_t * rng, int32_t features, int32_t degree)
{
  if ((features & WORLD_HEADINGS) != 0 && fw__rng_below(rng, 3) != 0) {
    robot->turn_ticks = 1 + fw__rng_below(rng, 3);
    robot->heading = fw__rng_below(rng, degree) * (degree == 8 ? 1 : 2);
    const int32_t shape = fw__rng_below(rng, 8);
    if (shape == 0) {
      robot->footprint = shape_3x3;
      robot->footprint_count = 9;
    } else if (shape < 3) {
      robot->footprint = shape_3x1;
      robot->footprint_count = 3;
    }
  }
  robot->sweeps_sides = (features & WORLD_SWEEPS) != 0 && fw__rng_below(rng, 2) == 0;
}

typedef struct cells_t {
  fw_offset_t at[5 * ROTATED_MAX];
  int32_t count;
} cells_t;

static void add_cells(cells_t * cells, const fw_robot_t * robot, int32_t heading, fw_offset_t by)
{
  fw_offset_t own[ROTATED_MAX];
  const int32_t count = rotated_list(robot, heading, own);
  for (int32_t i = 0; i < count; ++i) {
    cells->at[cells->count++] = (fw_offset_t){own[i].dx + by.dx, own[i].dy + by.dy};
  }
}

// Makes a robot that stands on its start one that is under way to it, if there is room; both sides of a diagonal are
// kept free.
static void put_under_way(const search_t * search, fw_robot_t * robot, bool * taken, fw_rng_t * rng)
{
  const fw_grid_t * grid = search->grid;
  const int32_t step = search->degree == 8 ? 1 : 2;
  const bool is_turn = robot->turn_ticks > 1 && fw__rng_below(rng, 2) == 0;
  const int32_t ticks = is_turn ? robot->turn_ticks : robot->ticks_per_move;
  if (ticks < 2) {
    return;
  }
  const int32_t ahead = robot->turn_ticks > 0 ? robot->heading : fw__rng_below(rng, 8 / step) * step;
  const fw_offset_t by = is_turn ? (fw_offset_t){0, 0} : rotated_ahead(ahead);
  const int32_t from_heading =
    is_turn ? (robot->heading + (fw__rng_below(rng, 2) == 0 ? step : 8 - step)) % 8 : robot->heading;
  const fw_offset_t from = {fw_grid_x(grid, robot->start) - by.dx, fw_grid_y(grid, robot->start) - by.dy};
  cells_t cells = {.count = 0};
  add_cells(&cells, robot, from_heading, (fw_offset_t){0, 0});
  add_cells(&cells, robot, robot->heading, by);
  add_cells(&cells, robot, from_heading, (fw_offset_t){by.dx, 0});
  add_cells(&cells, robot, from_heading, (fw_offset_t){0, by.dy});
  cells.count += rotated_sweeps(robot, from_heading, robot->heading, by, cells.at + cells.count);
  cells_t start = {.count = 0};
  add_cells(&start, robot, robot->heading, by);
  bool is_clear = true;
  for (int32_t i = 0; i < cells.count && is_clear; ++i) {
    const fw_offset_t at = {from.dx + cells.at[i].dx, from.dy + cells.at[i].dy};
    bool is_own = false;
    for (int32_t j = 0; j < start.count; ++j) {
      is_own = is_own || (start.at[j].dx == cells.at[i].dx && start.at[j].dy == cells.at[i].dy);
    }
    is_clear = fw_grid_is_free(grid, at.dx, at.dy) && (is_own || !taken[fw_grid_cell(grid, at.dx, at.dy)]);
  }
  for (int32_t i = 0; i < cells.count && is_clear; ++i) {
    taken[fw_grid_cell(grid, from.dx + cells.at[i].dx, from.dy + cells.at[i].dy)] = true;
  }
  if (is_clear) {
    robot->from = fw_grid_cell(grid, from.dx, from.dy);
    robot->from_heading = from_heading;
    robot->arrives = 1 + fw__rng_below(rng, ticks - 1);
  }
}

// Some closures anywhere, obstacles included, except on cells that robots cover at the start.
static void add_closures(world_t * world, const bool * starts, fw_rng_t * rng, fw_tick_t busy)
{
  const int32_t count = fw__rng_below(rng, WORLD_CLOSURES_MAX + 1);
  for (int32_t i = 0; i < count; ++i) {
    fw_closure_t * closure = &world->closures[i];
    closure->cell = fw__rng_below(rng, fw_grid_cell_count(&world->grid));
    closure->from = fw__rng_below(rng, 25) + (starts[closure->cell] ? busy : 0);
    closure->to = fw__rng_below(rng, 8) == 0 ? FW_TICK_MAX : closure->from + fw__rng_below(rng, 20);
  }
  world->problem.closures = world->closures;
  world->problem.closure_count = count;
}

void world_settle(world_t * world, fw_grid_t grid, fw_rng_t * rng, int32_t features, int32_t robots_max)
{
  *world = (world_t){.grid = grid};
  bool * starts = calloc((size_t)fw_grid_cell_count(&grid), sizeof(*starts));
  bool * goals = calloc((size_t)fw_grid_cell_count(&grid), sizeof(*goals));
  assert_true(starts != NULL && goals != NULL && robots_max <= WORLD_ROBOTS_MAX);
  const int32_t wanted = 1 + fw__rng_below(rng, robots_max);
  const bool has_motion = (features & (WORLD_HEADINGS | WORLD_SWEEPS)) != 0;
  const int32_t degree = has_motion && (features & WORLD_DIAGONALS) != 0 && fw__rng_below(rng, 3) != 0 ? 8 : 4;
  int32_t count = 0;
  for (int32_t i = 0; i < wanted; ++i) {
    fw_robot_t robot = {0};
    if ((features & WORLD_SHAPES) != 0) {
      give_shape(&robot, rng);
    }
    robot.ticks_per_move = (features & WORLD_SPEEDS) != 0 ? fw__rng_below(rng, 4) : 0;
    robot.priority = (features & WORLD_PRIORITIES) != 0 ? fw__rng_below(rng, 3) : 0;
    give_motion(&robot, rng, features, degree);
    const search_t start = {&grid, &robot, true, degree};
    const search_t goal = {&grid, &robot, false, degree};
    robot.start = find_place(&start, starts, rng);
    robot.goal = robot.start == FW_CELL_NONE ? FW_CELL_NONE : find_place(&goal, goals, rng);
    if (robot.goal != FW_CELL_NONE && (features & WORLD_UNDER_WAY) != 0) {
      put_under_way(&start, &robot, starts, rng);
    }
    if (robot.goal != FW_CELL_NONE) {
      world->robots[count++] = robot;
    }
  }
  free(goals);
  world->problem = (fw_problem_t){
    .grid = &world->grid,
    .robots = world->robots,
    .robot_count = count,
    .connectivity = has_motion                                                        ? degree
                    : (features & WORLD_DIAGONALS) != 0 && fw__rng_below(rng, 2) == 0 ? 8
                                                                                      : 4,
    .robust_ticks = (features & WORLD_ROBUST) != 0 ? fw__rng_below(rng, 3) : 0,
  };
  if ((features & WORLD_CORNERS) != 0) {
    world->problem.connectivity = 8;
    world->problem.cuts_corners = true;
  }
  if ((features & WORLD_CLOSURES) != 0) {
    add_closures(world, starts, rng, (features & WORLD_UNDER_WAY) != 0 ? FW_TICKS_PER_MOVE_MAX : 1);
  }
  free(starts);
  (void)snprintf(
    world->text, sizeof(world->text), "%dx%d, %d robots, %d-connected, k=%d", grid.width, grid.height, count,
    world->problem.connectivity, world->problem.robust_ticks);
}

void world_make(world_t * world, uint64_t number, int32_t features, int32_t robots_max)
{
  static const char * const kinds[] = {
    "open:%dx%d,seed=%d", "random:%dx%d,obstacles=25,seed=%d", "rooms:%dx%d,room=3,seed=%d", "maze:%dx%d,seed=%d",
    "warehouse:%dx%d,shelf=3,lane=1,seed=%d"};
  fw_rng_t rng = fw__rng(number * 7919 + 17);
  const int32_t kind = fw__rng_below(&rng, TEST_COUNT(kinds));
  const int32_t width = 5 + fw__rng_below(&rng, 10);
  const int32_t height = 5 + fw__rng_below(&rng, 10);
  char line[80];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  (void)snprintf(line, sizeof(line), kinds[kind], width, height, fw__rng_below(&rng, 1000));
#pragma GCC diagnostic pop
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, line, NULL, NULL), FW_RET_OK);
  if ((features & WORLD_COSTS) != 0 && fw__rng_below(&rng, 2) == 0) {
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&grid); ++cell) {
      grid.cost[cell] = grid.cost[cell] == 0 ? 0 : (uint8_t)(1 + fw__rng_below(&rng, 5));
    }
  }
  world_settle(world, grid, &rng, features, robots_max);
  (void)snprintf(
    world->text, sizeof(world->text), "world %d: %s: %d robots, %d-connected, k=%d", (int)number, line,
    world->problem.robot_count, world->problem.connectivity, world->problem.robust_ticks);
}

void world_fini(world_t * world) { fw_grid_fini(&world->grid); }

fw_grid_t world_grid(fw_rng_t * rng, int32_t width, int32_t height, int32_t blocked, bool has_costs)
{
  fw_grid_t grid;
  assert_int_equal(fw_grid_init(&grid, width, height, NULL, NULL), FW_RET_OK);
  for (fw_cell_t cell = 0; cell < width * height; ++cell) {
    const bool is_blocked = fw__rng_below(rng, 100) < blocked;
    grid.cost[cell] = is_blocked ? 0 : has_costs ? (uint8_t)(1 + fw__rng_below(rng, 5)) : 1;
  }
  return grid;
}

int32_t world_walk(const fw_problem_t * problem, int32_t robot, fw_rng_t * rng, fw_cell_t * cells, int32_t capacity)
{
  const fw_grid_t * grid = problem->grid;
  const fw_robot_t * shape = &problem->robots[robot];
  const int32_t speed = shape->ticks_per_move > 0 ? shape->ticks_per_move : 1;
  int32_t length = 0;
  cells[length++] = shape->start;
  while (length + speed <= capacity) {
    const int32_t x = fw_grid_x(grid, cells[length - 1]);
    const int32_t y = fw_grid_y(grid, cells[length - 1]);
    const int32_t dx = fw__rng_below(rng, 3) - 1;
    const int32_t dy = fw__rng_below(rng, 3) - 1;
    const bool is_diagonal = dx != 0 && dy != 0;
    if (
      (dx == 0 && dy == 0) || !is_free(grid, shape, x + dx, y + dy) || (is_diagonal && problem->connectivity != 8) ||
      (is_diagonal && !problem->cuts_corners &&
       (!is_free(grid, shape, x + dx, y) || !is_free(grid, shape, x, y + dy)))) {
      cells[length] = cells[length - 1];
      ++length;
      continue;
    }
    for (int32_t i = 1; i < speed; ++i) {
      cells[length] = cells[length - 1];
      ++length;
    }
    cells[length++] = fw_grid_cell(grid, x + dx, y + dy);
  }
  return length;
}

// One random motion of a robot with a heading: ahead, right or left, or a wait of one tick where that is blocked.
static int32_t draw_motion(
  const fw_problem_t * problem, int32_t robot, fw_rng_t * rng, fw_offset_t * at, int32_t * heading)
{
  const fw_grid_t * grid = problem->grid;
  const fw_robot_t * shape = &problem->robots[robot];
  const int32_t choice = fw__rng_below(rng, 5);  // ahead twice as likely as anything else
  const int32_t step = problem->connectivity == 8 ? 1 : 2;
  const int32_t turned = (*heading + (choice == 2 ? step : choice == 3 ? 8 - step : 0)) % 8;
  const fw_offset_t by = choice < 2 ? rotated_ahead(*heading) : (fw_offset_t){0, 0};
  fw_offset_t cells[ROTATED_MAX];
  const int32_t count = rotated_sweeps(shape, *heading, turned, by, cells);
  bool is_clear = choice < 4 && is_free_at(grid, shape, turned, at->dx + by.dx, at->dy + by.dy) &&
                  is_free_at(grid, shape, turned, at->dx + by.dx, at->dy) &&
                  is_free_at(grid, shape, turned, at->dx, at->dy + by.dy);
  for (int32_t i = 0; i < count && is_clear; ++i) {
    is_clear = fw_grid_is_free(grid, at->dx + cells[i].dx, at->dy + cells[i].dy);
  }
  if (!is_clear) {
    return 0;
  }
  *at = (fw_offset_t){at->dx + by.dx, at->dy + by.dy};
  *heading = turned;
  return choice >= 2 ? shape->turn_ticks : shape->ticks_per_move > 0 ? shape->ticks_per_move : 1;
}

fw_path_t world_walk_body(const fw_problem_t * problem, int32_t robot, fw_rng_t * rng, world_walk_t room)
{
  const fw_robot_t * shape = &problem->robots[robot];
  const fw_grid_t * grid = problem->grid;
  const int32_t before = shape->arrives < room.capacity - 1 ? shape->arrives : room.capacity - 1;
  if (before > 0) {  // it comes from somewhere first
    for (int32_t i = 0; i < before; ++i) {
      room.cells[i] = shape->from;
      room.headings[i] = (uint8_t)shape->from_heading;
    }
    fw_robot_t standing = *shape;
    standing.arrives = 0;
    fw_problem_t later = *problem;
    later.robots = &standing;
    const world_walk_t rest = {room.cells + before, room.headings + before, room.capacity - before};
    fw_path_t path = world_walk_body(&later, 0, rng, rest);
    return (fw_path_t){
      .cells = room.cells, .length = before + path.length, .headings = path.headings != NULL ? room.headings : NULL};
  }
  if (shape->turn_ticks == 0) {
    return (fw_path_t){.cells = room.cells, .length = world_walk(problem, robot, rng, room.cells, room.capacity)};
  }
  fw_offset_t at = {fw_grid_x(grid, shape->start), fw_grid_y(grid, shape->start)};
  int32_t heading = shape->heading;
  int32_t length = 0;
  room.cells[length] = shape->start;
  room.headings[length++] = (uint8_t)heading;
  for (;;) {
    const int32_t ticks = draw_motion(problem, robot, rng, &at, &heading);
    if (length + (ticks == 0 ? 1 : ticks) > room.capacity) {
      break;
    }
    for (int32_t i = 1; i < ticks; ++i, ++length) {
      room.cells[length] = room.cells[length - 1];
      room.headings[length] = room.headings[length - 1];
    }
    room.cells[length] = fw_grid_cell(grid, at.dx, at.dy);
    room.headings[length++] = (uint8_t)heading;
  }
  return (fw_path_t){.cells = room.cells, .length = length, .headings = room.headings};
}
