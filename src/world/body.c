// A robot's body: footprints by heading, and motions as lists of cells and ticks.

#include "world/body.h"

#include <string.h>

const fw_offset_t fw_directions[FW_DIRECTIONS] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

static const char * const heading_names[FW_HEADING_COUNT] = {"east", "south-east", "south", "south-west",
                                                             "west", "north-west", "north", "north-east"};

const char * fw_heading_name(int32_t heading)
{
  return heading >= 0 && heading < FW_HEADING_COUNT ? heading_names[heading] : "unknown";
}

// ---- sweeps ---------------------------------------------------------------------------------------------------------

typedef struct list_t {
  fw_swept_cell_t * sweeps;
  int32_t count;
} list_t;

// Covers a cell from one tick after departure to `to`; of two times for one cell the longer holds.
static void sweep(list_t * list, int32_t dx, int32_t dy, int32_t to)
{
  int32_t at = 0;
  while (at < list->count && (list->sweeps[at].dx != dx || list->sweeps[at].dy != dy)) {
    ++at;
  }
  if (at == list->count && to >= 1) {
    list->sweeps[list->count++] = (fw_swept_cell_t){.dx = dx, .dy = dy, .from = 1, .to = to};
  } else if (at < list->count && list->sweeps[at].to < to) {
    list->sweeps[at].to = to;
  }
}

static void sweep_all(list_t * list, fw_footprint_t footprint, fw_offset_t by, int32_t to)
{
  for (int32_t i = 0; i < footprint.count; ++i) {
    sweep(list, footprint.cells[i].dx + by.dx, footprint.cells[i].dy + by.dy, to);
  }
}

// ---- motions --------------------------------------------------------------------------------------------------------

typedef struct maker_t {
  fw_body_t * body;
  fw_arena_t * arena;
  bool sweeps_sides;
  fw_footprint_t turns[2];  // what is swept by a turn right from east, and for eighths by the next one
} maker_t;

// What a turn sweeps is that of a turn right, from the first of its two headings on.
static void sweep_turn(const maker_t * maker, int32_t heading, const fw_motion_t * turn, list_t * list)
{
  const int32_t step = maker->body->turn_step;
  const int32_t first = (heading + step) % FW_HEADING_COUNT == turn->heading ? heading : turn->heading;
  const fw_footprint_t swept = maker->turns[first % 2];
  for (int32_t i = 0; i < swept.count; ++i) {
    const fw_offset_t cell = fw__offset_rotate(swept.cells[i], first / 2);
    sweep(list, cell.dx, cell.dy, turn->ticks);
  }
}

static bool make_turns(maker_t * maker)
{
  const fw_footprint_t footprint = maker->body->footprints[0];
  const bool by_eighths = maker->body->turn_step == 1;
  maker->turns[0] = fw__footprint_sweep(footprint, (fw_turn_t){0, by_eighths ? 1 : 2}, maker->arena);
  maker->turns[1] = by_eighths ? fw__footprint_sweep(footprint, (fw_turn_t){1, 2}, maker->arena) : maker->turns[0];
  return maker->turns[0].cells != NULL && maker->turns[1].cells != NULL;
}

static bool make_motion(const maker_t * maker, int32_t heading, fw_motion_t like, fw_motion_t * motion)
{
  const fw_footprint_t * footprints = maker->body->footprints;
  const fw_offset_t to = {like.dx, like.dy};
  const bool is_diagonal = to.dx != 0 && to.dy != 0;
  const bool is_turn = like.heading != heading;
  const int32_t swept = is_turn ? maker->turns[0].count + maker->turns[1].count : 2 * footprints[heading].count;
  const int32_t room = footprints[heading].count + footprints[like.heading].count + swept;
  list_t list = {.sweeps = fw__arena_allocate(maker->arena, (size_t)room, sizeof(*list.sweeps))};
  if (list.sweeps == NULL) {
    return false;
  }
  sweep_all(&list, footprints[like.heading], to, like.ticks);
  sweep_all(&list, footprints[heading], (fw_offset_t){0, 0}, like.ticks - 1);
  if (is_diagonal && maker->sweeps_sides) {
    sweep_all(&list, footprints[heading], (fw_offset_t){to.dx, 0}, like.ticks);
    sweep_all(&list, footprints[heading], (fw_offset_t){0, to.dy}, like.ticks);
  }
  if (is_turn) {
    sweep_turn(maker, heading, &like, &list);
  }
  *motion = like;
  motion->sweeps = list.sweeps;
  motion->sweep_count = list.count;
  return true;
}

static bool make_motions(const maker_t * maker, int32_t heading)
{
  fw_body_t * body = maker->body;
  fw_motion_t * motions = body->motions[heading];
  if (!make_motion(maker, heading, (fw_motion_t){.heading = heading, .ticks = 1}, &body->waits[heading])) {
    return false;
  }
  const bool has_heading = body->turn_ticks > 0;
  for (int32_t i = 0; i < (has_heading ? 1 : body->connectivity); ++i) {
    const fw_offset_t to = fw_directions[has_heading ? fw__heading_direction(heading) : i];
    const fw_motion_t move = {.dx = to.dx, .dy = to.dy, .heading = heading, .ticks = body->ticks_per_move};
    if (!make_motion(maker, heading, move, &motions[i])) {
      return false;
    }
  }
  for (int32_t i = 1; i < 3 && has_heading; ++i) {
    const int32_t by = i == 1 ? body->turn_step : FW_HEADING_COUNT - body->turn_step;
    const fw_motion_t turn = {.heading = (heading + by) % FW_HEADING_COUNT, .ticks = body->turn_ticks};
    if (!make_motion(maker, heading, turn, &motions[i])) {
      return false;
    }
  }
  return true;
}

bool fw__body_init(fw_body_t * body, fw_arena_t * arena, const fw_robot_t * robot, int32_t connectivity)
{
  const bool has_heading = robot->turn_ticks > 0;
  const bool sweeps_sides = robot->sweeps_sides && connectivity == 8;
  *body = (fw_body_t){
    .sweeps_sides = robot->sweeps_sides,
    .connectivity = connectivity,
    .ticks_per_move = robot->ticks_per_move,
    .turn_ticks = robot->turn_ticks,
    .is_plain = robot->footprint_count == 1 && robot->ticks_per_move == 1 && !has_heading && !sweeps_sides,
    .turn_step = connectivity == 8 ? 1 : 2,
    .motion_count = has_heading ? 3 : connectivity,
  };
  const fw_footprint_t footprint = fw__footprint_of(robot);
  for (int32_t heading = 0; heading < (has_heading ? FW_HEADING_COUNT : 1); heading += body->turn_step) {
    body->footprints[heading] = fw__footprint_rotate(footprint, heading, arena);
    if (body->footprints[heading].cells == NULL) {
      return false;
    }
  }
  maker_t maker = {.body = body, .arena = arena, .sweeps_sides = sweeps_sides};
  if (has_heading && !make_turns(&maker)) {
    return false;
  }
  for (int32_t heading = 0; heading < (has_heading ? FW_HEADING_COUNT : 1); heading += body->turn_step) {
    if (!make_motions(&maker, heading)) {
      return false;
    }
  }
  return true;
}

const fw_motion_t * fw__body_motion(const fw_body_t * body, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to)
{
  static const int8_t by_shift[3][3] = {{6, 3, 7}, {2, -1, 0}, {5, 1, 4}};
  if (body->turn_ticks > 0 && from.heading != to.heading) {
    const int32_t right = (from.heading + body->turn_step) % FW_HEADING_COUNT;
    return &body->motions[from.heading][to.heading == right ? 1 : 2];
  }
  if (from.cell == to.cell) {
    return &body->waits[from.heading];
  }
  if (body->turn_ticks > 0) {
    return &body->motions[from.heading][0];
  }
  const int32_t dx = fw_grid_x(grid, to.cell) - fw_grid_x(grid, from.cell);
  const int32_t dy = fw_grid_y(grid, to.cell) - fw_grid_y(grid, from.cell);
  return &body->motions[0][by_shift[dy + 1][dx + 1]];
}

// ---- all robots of a problem ----------------------------------------------------------------------------------------

static bool moves_alike(const fw_body_t * body, const fw_robot_t * robot)
{
  const fw_footprint_t footprint = body->footprints[0];
  return footprint.count == robot->footprint_count && body->ticks_per_move == robot->ticks_per_move &&
         body->turn_ticks == robot->turn_ticks && body->sweeps_sides == robot->sweeps_sides &&
         (footprint.cells == robot->footprint ||
          memcmp(footprint.cells, robot->footprint, (size_t)footprint.count * sizeof(*footprint.cells)) == 0);
}

bool fw__bodies_set(fw_bodies_t * bodies, fw_arena_t * arena, int32_t robot)
{
  const fw_robot_t * shape = &bodies->problem->robots[robot];
  bodies->starts[robot] = fw__path_of_start(shape, arena);
  if (bodies->starts[robot].cells == NULL) {
    return false;
  }
  for (const fw_body_t * body = bodies->kinds; body != NULL; body = body->next) {
    if (moves_alike(body, shape)) {
      bodies->of[robot] = body;
      return true;
    }
  }
  fw_body_t * body = fw__arena_allocate(arena, 1, sizeof(*body));
  if (body == NULL || !fw__body_init(body, arena, shape, bodies->problem->connectivity)) {
    return false;
  }
  body->cuts_corners = bodies->problem->cuts_corners;
  body->next = bodies->kinds;
  bodies->kinds = body;
  bodies->of[robot] = body;
  return true;
}

bool fw__bodies_init(fw_bodies_t * bodies, fw_arena_t * arena, const fw_problem_t * problem)
{
  *bodies = (fw_bodies_t){.problem = problem};
  bodies->of = fw__arena_allocate(arena, (size_t)problem->robot_count, sizeof(*bodies->of));
  bodies->starts = fw__arena_allocate(arena, (size_t)problem->robot_count, sizeof(*bodies->starts));
  bool is_whole = bodies->of != NULL && bodies->starts != NULL;
  for (int32_t r = 0; r < problem->robot_count && is_whole; ++r) {
    is_whole = fw__bodies_set(bodies, arena, r);
  }
  return is_whole;
}

// ---- paths by poses -------------------------------------------------------------------------------------------------

fw_path_t fw__path_of_start(const fw_robot_t * robot, fw_arena_t * arena)
{
  static const uint8_t all[FW_HEADING_COUNT] = {0, 1, 2, 3, 4, 5, 6, 7};
  const bool has_heading = robot->turn_ticks > 0;
  if (robot->arrives == 0) {
    return (fw_path_t){.cells = &robot->start, .length = 1, .headings = has_heading ? &all[robot->heading] : NULL};
  }
  const size_t length = (size_t)robot->arrives + 1;
  fw_cell_t * cells = fw__arena_allocate(arena, length, sizeof(*cells));
  uint8_t * headings = fw__arena_allocate(arena, length, sizeof(*headings));
  if (cells == NULL || headings == NULL) {
    return (fw_path_t){0};
  }
  for (fw_tick_t tick = 0; tick <= robot->arrives; ++tick) {
    cells[tick] = tick < robot->arrives ? robot->from : robot->start;
    headings[tick] = (uint8_t)(tick < robot->arrives ? robot->from_heading : robot->heading);
  }
  return (fw_path_t){.cells = cells, .length = robot->arrives + 1, .headings = has_heading ? headings : NULL};
}
