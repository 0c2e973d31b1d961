// Reference distances on a grid.

#include "support/dijkstra.h"

#include "support/test.h"
#include "support/rotated.h"

static bool fits(const dijkstra_t * world, int32_t x, int32_t y)
{
  bool is_clear = fw_grid_is_free(world->grid, x, y);
  for (int32_t i = 0; i < world->footprint_count && is_clear; ++i) {
    is_clear = fw_grid_is_free(world->grid, x + world->footprint[i].dx, y + world->footprint[i].dy);
  }
  return is_clear;
}

static bool can_move(const dijkstra_t * world, int32_t x, int32_t y, int32_t dx, int32_t dy)
{
  if ((dx == 0 && dy == 0) || !fits(world, x, y) || !fits(world, x + dx, y + dy)) {
    return false;
  }
  const bool needs_sides = !world->cuts_corners;
  return dx == 0 || dy == 0 ||
         (world->connectivity == 8 && (!needs_sides || (fits(world, x + dx, y) && fits(world, x, y + dy))));
}

// The cheapest path from (x, y) by one move and the distance of that neighbour.
static bool improve(const dijkstra_t * world, int32_t x, int32_t y, int32_t * distance)
{
  const fw_grid_t * grid = world->grid;
  int32_t * here = &distance[fw_grid_cell(grid, x, y)];
  bool is_better = false;
  for (int32_t i = 0; i < 9; ++i) {
    const int32_t dx = i % 3 - 1;
    const int32_t dy = i / 3 - 1;
    if (!can_move(world, x, y, dx, dy)) {
      continue;
    }
    const fw_cell_t next = fw_grid_cell(grid, x + dx, y + dy);
    const int32_t cost = distance[next] + (world->is_weighted ? grid->cost[next] : 1);
    if (distance[next] >= 0 && (*here < 0 || cost < *here)) {
      *here = cost;
      is_better = true;
    }
  }
  return is_better;
}

void dijkstra_to(const dijkstra_t * world, fw_cell_t goal, int32_t * distance)
{
  const fw_grid_t * grid = world->grid;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    distance[cell] = cell == goal && fits(world, fw_grid_x(grid, cell), fw_grid_y(grid, cell)) ? 0 : -1;
  }
  for (bool is_better = true; is_better;) {
    is_better = false;
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
      is_better = improve(world, fw_grid_x(grid, cell), fw_grid_y(grid, cell), distance) || is_better;
    }
  }
}

// ---- any body -------------------------------------------------------------------------------------------------------

enum { CELLS_MAX = 400, POSES_MAX = CELLS_MAX * 8 };

typedef struct body_t {
  const fw_problem_t * problem;
  const fw_robot_t * robot;
  bool fits[POSES_MAX];      // by cell and heading, odd headings included
  int32_t ticks[POSES_MAX];  // the least known, -1 for none
  int32_t queue[POSES_MAX];  // poses that were reached in fewer ticks than before, in a ring
  bool is_queued[POSES_MAX];
  int32_t first, count;
} body_t;

static bool is_open(const body_t * body, fw_offset_t at, int32_t heading)
{
  const fw_grid_t * grid = body->problem->grid;
  return fw_grid_contains(grid, at.dx, at.dy) && body->fits[fw_grid_cell(grid, at.dx, at.dy) * 8 + heading];
}

// What a turn sweeps is free of obstacles.
static bool can_turn(const body_t * body, fw_offset_t at, int32_t heading, int32_t heading_to)
{
  fw_offset_t swept[ROTATED_MAX];
  const int32_t count = rotated_sweeps(body->robot, heading, heading_to, (fw_offset_t){0, 0}, swept);
  bool is_clear = true;
  for (int32_t i = 0; i < count && is_clear; ++i) {
    is_clear = fw_grid_is_free(body->problem->grid, at.dx + swept[i].dx, at.dy + swept[i].dy);
  }
  return is_clear;
}

// A motion from a pose. The sides of a diagonal must be free of obstacles whether they are swept or not, unless corners
// may be cut.
static void reach(body_t * body, int32_t pose, fw_offset_t by, int32_t right)
{
  const fw_grid_t * grid = body->problem->grid;
  const fw_offset_t at = {fw_grid_x(grid, pose / 8), fw_grid_y(grid, pose / 8)};
  const fw_offset_t to = {at.dx + by.dx, at.dy + by.dy};
  const int32_t heading = (pose % 8 + right) % 8;
  if (
    !is_open(body, to, heading) || (right != 0 && !can_turn(body, at, pose % 8, heading)) ||
    (by.dx != 0 && by.dy != 0 && !body->problem->cuts_corners &&
     (!is_open(body, (fw_offset_t){to.dx, at.dy}, heading) || !is_open(body, (fw_offset_t){at.dx, to.dy}, heading)))) {
    return;
  }
  const int32_t speed = body->robot->ticks_per_move > 0 ? body->robot->ticks_per_move : 1;
  const int32_t ticks = body->ticks[pose] + (right != 0 ? body->robot->turn_ticks : speed);
  const int32_t next = fw_grid_cell(grid, to.dx, to.dy) * 8 + heading;
  if (body->ticks[next] >= 0 && body->ticks[next] <= ticks) {
    return;
  }
  body->ticks[next] = ticks;
  if (!body->is_queued[next]) {
    body->is_queued[next] = true;
    body->queue[(body->first + body->count++) % POSES_MAX] = next;
  }
}

static void expand(body_t * body, int32_t pose)
{
  const int32_t degree = body->problem->connectivity == 8 ? 8 : 4;
  if (body->robot->turn_ticks > 0) {
    reach(body, pose, rotated_ahead(pose % 8), 0);
    reach(body, pose, (fw_offset_t){0, 0}, degree == 8 ? 1 : 2);
    reach(body, pose, (fw_offset_t){0, 0}, degree == 8 ? 7 : 6);
    return;
  }
  for (int32_t heading = 0; heading < 8; heading += degree == 8 ? 1 : 2) {
    reach(body, pose, rotated_ahead(heading), 0);
  }
}

static void begin(body_t * body, const fw_problem_t * problem, int32_t robot)
{
  const fw_grid_t * grid = problem->grid;
  memset(body, 0, sizeof(*body));
  body->problem = problem;
  body->robot = &problem->robots[robot];
  memset(body->ticks, 0xff, sizeof(body->ticks));
  assert_in_range(fw_grid_cell_count(grid), 1, CELLS_MAX);
  for (int32_t heading = 0; heading < (body->robot->turn_ticks > 0 ? 8 : 1); ++heading) {
    fw_offset_t cells[ROTATED_MAX];
    const int32_t count = rotated_list(body->robot, heading, cells);
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
      bool * is_clear = &body->fits[cell * 8 + heading];
      *is_clear = true;
      for (int32_t i = 0; i < count && *is_clear; ++i) {
        *is_clear = fw_grid_is_free(grid, fw_grid_x(grid, cell) + cells[i].dx, fw_grid_y(grid, cell) + cells[i].dy);
      }
    }
  }
}

int32_t dijkstra_ticks(const fw_problem_t * problem, int32_t robot)
{
  static body_t body;
  begin(&body, problem, robot);
  const fw_robot_t * shape = body.robot;
  const int32_t start = shape->start * 8 + (shape->turn_ticks > 0 ? shape->heading : 0);
  body.ticks[start] = 0;
  body.queue[body.count++] = start;
  while (body.count > 0) {
    const int32_t pose = body.queue[body.first];
    body.first = (body.first + 1) % POSES_MAX;
    --body.count;
    body.is_queued[pose] = false;
    expand(&body, pose);
  }
  int32_t best = -1;
  for (int32_t heading = 0; heading < 8; ++heading) {
    const int32_t at_goal = body.ticks[shape->goal * 8 + heading];
    best = at_goal >= 0 && (best < 0 || at_goal < best) ? at_goal : best;
  }
  return best;
}
