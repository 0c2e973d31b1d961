// Real-Time Adaptive A* of one robot, written to be read.

#include "support/plain_rtaa.h"

#include <stdlib.h>
#include <string.h>

static const int32_t heading_dx[8] = {1, 1, 0, -1, -1, -1, 0, 1};
static const int32_t heading_dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};

void plain_rtaa_begin(
  plain_rtaa_t * robot, const fw_grid_t * grid, const fw_batch_options_t * options, fw_cell_t start, fw_cell_t goal)
{
  *robot = (plain_rtaa_t){
    .cost = grid->cost,
    .width = grid->width,
    .height = grid->height,
    .connectivity = options->connectivity,
    .lookahead = options->lookahead,
    .moves = options->moves,
    .cell = start,
    .goal = goal,
    .state = start == goal ? FW_BATCH_ARRIVED : FW_BATCH_RUNNING,
    .centre_x = start % grid->width,
    .centre_y = start / grid->width,
  };
}

static int32_t plain_distance(const plain_rtaa_t * robot, fw_cell_t from, fw_cell_t to)
{
  const int32_t across = abs(from % robot->width - to % robot->width);
  const int32_t down = abs(from / robot->width - to / robot->width);
  return robot->connectivity == 4 ? across + down : across > down ? across : down;
}

int32_t plain_rtaa_estimate(const plain_rtaa_t * robot, fw_cell_t cell)
{
  return plain_distance(robot, cell, robot->goal) + robot->learned[cell];
}

static bool is_free(const plain_rtaa_t * robot, int32_t x, int32_t y)
{
  return x >= 0 && y >= 0 && x < robot->width && y < robot->height && robot->cost[y * robot->width + x] != 0;
}

fw_cell_t plain_rtaa_neighbour(const plain_rtaa_t * robot, fw_cell_t cell, int32_t heading)
{
  const int32_t x = cell % robot->width, y = cell / robot->width;
  const int32_t to_x = x + heading_dx[heading], to_y = y + heading_dy[heading];
  if (!is_free(robot, to_x, to_y)) {
    return -1;
  }
  if (heading % 2 == 1 && (robot->connectivity == 4 || !is_free(robot, to_x, y) || !is_free(robot, x, to_y))) {
    return -1;
  }
  return to_y * robot->width + to_x;
}

// The eight headings, best first: how they are fanned out from the direction of the goal is written out here.
static void order_headings(const plain_rtaa_t * robot, fw_cell_t cell, int32_t order[8])
{
  const int32_t dx = robot->goal % robot->width - cell % robot->width;
  const int32_t dy = robot->goal / robot->width - cell / robot->width;
  const bool is_wide = abs(dx) >= abs(dy);
  int32_t best = -1, second = -1;  // the best, and on which side of it the fan begins
  for (int32_t h = 0; h < 8; ++h) {
    const int32_t sign_x = (dx > 0) - (dx < 0), sign_y = (dy > 0) - (dy < 0);
    const bool is_across = heading_dx[h] == sign_x && heading_dy[h] == 0;
    const bool is_down = heading_dx[h] == 0 && heading_dy[h] == sign_y;
    if (robot->connectivity == 4) {
      best = (is_wide ? is_across && sign_x != 0 : is_down && sign_y != 0) ? h : best;
      second = (is_wide ? is_down && sign_y != 0 : is_across && sign_x != 0) ? h : second;
    } else {
      best = heading_dx[h] == sign_x && heading_dy[h] == sign_y ? h : best;
      second = sign_x != 0 && sign_y != 0 && (is_wide ? is_across : is_down) ? h : second;
    }
  }
  const int32_t turned = second < 0 ? 1 : (second - best + 8) % 8;
  const int32_t side = turned < 4 ? 1 : -1;
  static const int32_t fan[8] = {0, 1, -1, 2, -2, 3, -3, 4};
  for (int32_t i = 0; i < 8; ++i) {
    order[i] = (best + side * fan[i] + 16) % 8;
  }
}

typedef struct node_t {
  fw_cell_t cell;
  int32_t g, h, depth, found, parent;
  bool is_closed;
} node_t;

static int32_t find_next(const node_t * nodes, int32_t count)
{
  int32_t best = -1;
  for (int32_t i = 0; i < count; ++i) {
    if (nodes[i].is_closed) {
      continue;
    }
    const node_t * a = &nodes[i];
    const node_t * b = best < 0 ? NULL : &nodes[best];
    if (
      b == NULL || a->g + a->h < b->g + b->h ||
      (a->g + a->h == b->g + b->h && (a->depth > b->depth || (a->depth == b->depth && a->found < b->found)))) {
      best = i;
    }
  }
  return best;
}

static int32_t find_node(const node_t * nodes, int32_t count, fw_cell_t cell)
{
  for (int32_t i = 0; i < count; ++i) {
    if (nodes[i].cell == cell) {
      return i;
    }
  }
  return -1;
}

// Shifts the movements array if the lookahead array is not inside it any more, and forgets what is outside then.
static void shift(plain_rtaa_t * robot)
{
  const int32_t x = robot->cell % robot->width, y = robot->cell / robot->width;
  if (abs(x - robot->centre_x) <= robot->lookahead && abs(y - robot->centre_y) <= robot->lookahead) {
    return;
  }
  robot->centre_x = x;
  robot->centre_y = y;
  for (fw_cell_t cell = 0; cell < robot->width * robot->height; ++cell) {
    if (abs(cell % robot->width - x) > 2 * robot->lookahead || abs(cell / robot->width - y) > 2 * robot->lookahead) {
      robot->learned[cell] = 0;
    }
  }
}

void plain_rtaa_episode(plain_rtaa_t * robot)
{
  node_t nodes[8 * FW_LOOKAHEAD_MAX + 1];
  int32_t count = 1, found = 0;
  shift(robot);
  nodes[0] = (node_t){.cell = robot->cell, .h = plain_rtaa_estimate(robot, robot->cell), .parent = -1};
  int32_t next = 0;
  for (int32_t expanded = 0; expanded < robot->lookahead && next >= 0 && nodes[next].cell != robot->goal; ++expanded) {
    int32_t order[8];
    nodes[next].is_closed = true;
    order_headings(robot, nodes[next].cell, order);
    for (int32_t i = 0; i < 8; ++i) {
      const fw_cell_t cell = plain_rtaa_neighbour(robot, nodes[next].cell, order[i]);
      const int32_t g = cell < 0 ? 0 : nodes[next].g + robot->cost[cell];
      int32_t node = cell < 0 ? -1 : find_node(nodes, count, cell);
      if (cell < 0 || (node >= 0 && (nodes[node].is_closed || g > nodes[node].g))) {
        continue;
      }
      node = node < 0 ? count++ : node;
      nodes[node] = (node_t){
        .cell = cell,
        .g = g,
        .h = plain_rtaa_estimate(robot, cell),
        .depth = nodes[next].depth + 1,
        .found = ++found,
        .parent = next,
      };
    }
    next = find_next(nodes, count);
  }
  robot->way_count = 0;
  if (next < 0) {
    robot->state = FW_BATCH_STUCK;
    return;
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t estimate = nodes[next].g + nodes[next].h - nodes[i].g;
    if (nodes[i].is_closed && estimate > plain_rtaa_estimate(robot, nodes[i].cell)) {
      robot->learned[nodes[i].cell] = estimate - plain_distance(robot, nodes[i].cell, robot->goal);
    }
  }
  robot->way_count = nodes[next].depth;
  for (int32_t step = robot->way_count - 1; step >= 0; --step) {
    robot->way[step] = nodes[next].cell;
    next = nodes[next].parent;
  }
  for (int32_t step = 0; step < robot->way_count && step < robot->moves; ++step) {
    robot->cell = robot->way[step];
    ++robot->length;
  }
  robot->state = robot->cell == robot->goal ? FW_BATCH_ARRIVED : FW_BATCH_RUNNING;
}
