// A robot's body: footprints by heading, and motions with the cells that they sweep.

#include "world/body.h"

#include <string.h>

#include "base/assert.h"

const fw_offset_t fw__directions[FW_DIRECTIONS] = {{1, 0}, {0, 1},  {-1, 0},  {0, -1},
                                                   {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

static const char * const heading_names[FW_HEADING_COUNT] = {"east", "south-east", "south", "south-west",
                                                             "west", "north-west", "north", "north-east"};

const char * fw_heading_name(int32_t heading)
{
  return heading >= 0 && heading < FW_HEADING_COUNT ? heading_names[heading] : "unknown";
}

// ---- motions --------------------------------------------------------------------------------------------------------

typedef struct maker_t {
  fw_body_t * body;
  fw_arena_t * arena;
  bool has_failed;          // memory has run out; sticky
  fw_footprint_t turns[2];  // swept by a turn right from east and, in steps of an eighth, from south-east
} maker_t;

// The swept cells of a motion while it is made.
typedef struct sweeps_t {
  fw_swept_cell_t * items;
  int32_t count;
  int32_t capacity;
} sweeps_t;

// Covers a cell from one tick after departure to `to`; of two times for one cell the longer one counts.
static void sweep_cell(sweeps_t * sweeps, int32_t dx, int32_t dy, int32_t to)
{
  int32_t at = 0;
  while (at < sweeps->count && (sweeps->items[at].dx != dx || sweeps->items[at].dy != dy)) {
    ++at;
  }
  if (at == sweeps->count && to >= 1) {
    FW_ASSERT(sweeps->count < sweeps->capacity);
    sweeps->items[sweeps->count++] = (fw_swept_cell_t){.dx = dx, .dy = dy, .from = 1, .to = to};
  } else if (at < sweeps->count && sweeps->items[at].to < to) {
    sweeps->items[at].to = to;
  }
}

static void sweep_footprint(sweeps_t * sweeps, fw_footprint_t footprint, fw_offset_t by, int32_t to)
{
  for (int32_t i = 0; i < footprint.count; ++i) {
    sweep_cell(sweeps, footprint.cells[i].dx + by.dx, footprint.cells[i].dy + by.dy, to);
  }
}

// A turn left sweeps the same cells as the turn right between the same two headings.
static void sweep_turn(const maker_t * maker, int32_t heading, const fw_motion_t * turn, sweeps_t * sweeps)
{
  const int32_t step = maker->body->turn_step;
  const int32_t first = (heading + step) % FW_HEADING_COUNT == turn->heading ? heading : turn->heading;
  const fw_footprint_t swept = maker->turns[first % 2];
  for (int32_t i = 0; i < swept.count; ++i) {
    const fw_offset_t cell = fw__offset_rotate(swept.cells[i], first / 2);
    sweep_cell(sweeps, cell.dx, cell.dy, turn->ticks);
  }
}

// The footprints at all headings that the body has, and what its turns sweep.
static void make_footprints(maker_t * maker, fw_footprint_t footprint)
{
  fw_body_t * body = maker->body;
  const bool has_heading = body->turn_ticks > 0;
  for (int32_t heading = 0; heading < (has_heading ? FW_HEADING_COUNT : 1); heading += body->turn_step) {
    body->footprints[heading] = fw__footprint_rotate(footprint, heading, maker->arena);
    maker->has_failed = maker->has_failed || body->footprints[heading].cells == NULL;
  }
  if (has_heading) {
    const bool by_eighths = body->turn_step == 1;
    maker->turns[0] = fw__footprint_sweep(footprint, (fw_turn_t){0, by_eighths ? 1 : 2}, maker->arena);
    maker->turns[1] = by_eighths ? fw__footprint_sweep(footprint, (fw_turn_t){1, 2}, maker->arena) : maker->turns[0];
    maker->has_failed = maker->has_failed || maker->turns[0].cells == NULL || maker->turns[1].cells == NULL;
  }
}

// Completes a motion, of which all but the swept cells is given, from a pose with `heading`.
static fw_motion_t make_motion(maker_t * maker, int32_t heading, fw_motion_t motion)
{
  const fw_footprint_t * footprints = maker->body->footprints;
  const fw_offset_t to = {motion.dx, motion.dy};
  const bool is_diagonal = to.dx != 0 && to.dy != 0;
  const bool is_turn = motion.heading != heading;
  const int32_t swept = is_turn ? maker->turns[0].count + maker->turns[1].count : 2 * footprints[heading].count;
  const int32_t capacity = footprints[heading].count + footprints[motion.heading].count + swept;
  sweeps_t sweeps = {.capacity = capacity};
  sweeps.items = fw__arena_allocate(maker->arena, (size_t)capacity, sizeof(*sweeps.items));
  if (sweeps.items == NULL) {
    maker->has_failed = true;
    return motion;
  }
  sweep_footprint(&sweeps, footprints[motion.heading], to, motion.ticks);
  sweep_footprint(&sweeps, footprints[heading], (fw_offset_t){0, 0}, motion.ticks - 1);
  if (is_diagonal && maker->body->sweeps_sides) {
    sweep_footprint(&sweeps, footprints[heading], (fw_offset_t){to.dx, 0}, motion.ticks);
    sweep_footprint(&sweeps, footprints[heading], (fw_offset_t){0, to.dy}, motion.ticks);
  }
  if (is_turn) {
    sweep_turn(maker, heading, &motion, &sweeps);
  }
  motion.sweeps = sweeps.items;
  motion.sweep_count = sweeps.count;
  return motion;
}

static void make_motions(maker_t * maker, int32_t heading)
{
  fw_body_t * body = maker->body;
  fw_motion_t * motions = body->motions[heading];
  body->waits[heading] = make_motion(maker, heading, (fw_motion_t){.heading = heading, .ticks = 1});
  const bool has_heading = body->turn_ticks > 0;
  for (int32_t i = 0; i < (has_heading ? 1 : body->connectivity); ++i) {
    const fw_offset_t to = fw__directions[has_heading ? fw__heading_direction(heading) : i];
    const fw_motion_t move = {.dx = to.dx, .dy = to.dy, .heading = heading, .ticks = body->ticks_per_move};
    motions[i] = make_motion(maker, heading, move);
  }
  for (int32_t i = 1; i < 3 && has_heading; ++i) {
    const int32_t by = i == 1 ? body->turn_step : FW_HEADING_COUNT - body->turn_step;
    const fw_motion_t turn = {.heading = (heading + by) % FW_HEADING_COUNT, .ticks = body->turn_ticks};
    motions[i] = make_motion(maker, heading, turn);
  }
}

bool fw__body_init(fw_body_t * body, fw_arena_t * arena, const fw_robot_t * robot, int32_t connectivity)
{
  FW_ASSERT((connectivity == 4 || connectivity == 8) && robot->ticks_per_move > 0 && robot->footprint_count > 0);
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
  maker_t maker = {.body = body, .arena = arena};
  make_footprints(&maker, fw__footprint_of(robot));
  for (int32_t h = 0; h < (has_heading ? FW_HEADING_COUNT : 1) && !maker.has_failed; h += body->turn_step) {
    make_motions(&maker, h);
  }
  return !maker.has_failed;
}

const fw_motion_t * fw__body_motion(
  const fw_body_t * body, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to)
{
  static const int8_t by_shift[3][3] = {{6, 3, 7}, {2, -1, 0}, {5, 1, 4}};  // [dy + 1][dx + 1]: index of direction
  if (body->turn_ticks > 0 && from.heading != to.heading) {
    FW_ASSERT(from.cell == to.cell);
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
  FW_ASSERT(dx >= -1 && dx <= 1 && dy >= -1 && dy <= 1 && by_shift[dy + 1][dx + 1] < body->connectivity);
  return &body->motions[0][by_shift[dy + 1][dx + 1]];
}

// ---- all robots of a problem ----------------------------------------------------------------------------------------

// Whether a body is that of a robot.
static bool is_body_of(const fw_body_t * body, const fw_robot_t * robot)
{
  const fw_footprint_t footprint = body->footprints[0];
  return footprint.count == robot->footprint_count && body->ticks_per_move == robot->ticks_per_move &&
         body->turn_ticks == robot->turn_ticks && body->sweeps_sides == robot->sweeps_sides &&
         (footprint.cells == robot->footprint ||
          memcmp(footprint.cells, robot->footprint, (size_t)footprint.count * sizeof(*footprint.cells)) == 0);
}

bool fw__bodies_set(fw_bodies_t * bodies, fw_arena_t * arena, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < bodies->problem->robot_count);
  const fw_robot_t * shape = &bodies->problem->robots[robot];
  bodies->starts[robot] = fw__path_of_start(shape, arena);
  if (bodies->starts[robot].cells == NULL) {
    return false;
  }
  for (const fw_body_t * body = bodies->kinds; body != NULL; body = body->next) {
    if (is_body_of(body, shape)) {
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
  bool has_memory = bodies->of != NULL && bodies->starts != NULL;
  for (int32_t r = 0; r < problem->robot_count && has_memory; ++r) {
    has_memory = fw__bodies_set(bodies, arena, r);
  }
  return has_memory;
}

// ---- paths as poses -------------------------------------------------------------------------------------------------

fw_path_t fw__path_of_start(const fw_robot_t * robot, fw_arena_t * arena)
{
  static const uint8_t headings_by_value[FW_HEADING_COUNT] = {0, 1, 2, 3, 4, 5, 6, 7};
  const bool has_heading = robot->turn_ticks > 0;
  if (robot->arrives == 0) {
    return (fw_path_t){
      .cells = &robot->start, .length = 1, .headings = has_heading ? &headings_by_value[robot->heading] : NULL};
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
