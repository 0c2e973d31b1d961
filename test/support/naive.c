// A second opinion on a plan.

#include "support/naive.h"

#include <stdlib.h>

typedef struct ask_t {
  const fw_problem_t * problem;
  const fw_path_t * paths;
} ask_t;

static int32_t speed_of(const fw_robot_t * robot) { return robot->ticks_per_move > 0 ? robot->ticks_per_move : 1; }

static int32_t size_of(const fw_robot_t * robot) { return robot->footprint_count > 0 ? robot->footprint_count : 1; }

static fw_offset_t part_of(const fw_robot_t * robot, int32_t index)
{
  return robot->footprint_count > 0 ? robot->footprint[index] : (fw_offset_t){0, 0};
}

static fw_offset_t place(const ask_t * ask, int32_t robot, fw_tick_t tick)
{
  const fw_path_t * path = &ask->paths[robot];
  const fw_cell_t cell = path->cells[tick < path->length ? tick : path->length - 1];
  const int32_t width = ask->problem->grid->width;
  const bool is_cell = cell >= 0 && cell < width * ask->problem->grid->height;
  return is_cell ? (fw_offset_t){cell % width, cell / width} : (fw_offset_t){-1000, -1000};
}

static bool is_same(fw_offset_t a, fw_offset_t b) { return a.dx == b.dx && a.dy == b.dy; }

// The first tick after `tick` at which the robot is somewhere else, -1 if it stays.
static fw_tick_t next_arrival(const ask_t * ask, int32_t robot, fw_tick_t tick)
{
  for (fw_tick_t t = tick + 1; t < ask->paths[robot].length; ++t) {
    if (ask->paths[robot].cells[t] != ask->paths[robot].cells[t - 1]) {
      return t;
    }
  }
  return -1;
}

static bool stands_over(const fw_robot_t * robot, fw_offset_t place, fw_offset_t at)
{
  for (int32_t i = 0; i < size_of(robot); ++i) {
    if (is_same((fw_offset_t){place.dx + part_of(robot, i).dx, place.dy + part_of(robot, i).dy}, at)) {
      return true;
    }
  }
  return false;
}

bool naive_covers(const fw_problem_t * problem, const fw_path_t * paths, int32_t robot, fw_offset_t at, fw_tick_t tick)
{
  const ask_t ask = {problem, paths};
  const fw_robot_t * shape = &problem->robots[robot];
  if (stands_over(shape, place(&ask, robot, tick), at)) {
    return true;
  }
  const fw_tick_t arrival = next_arrival(&ask, robot, tick);
  const bool is_under_way = arrival >= 0 && arrival - speed_of(shape) < tick;
  return is_under_way && stands_over(shape, place(&ask, robot, arrival), at);
}

// ---- one robot ------------------------------------------------------------------------------------------------------

static bool is_free(const ask_t * ask, int32_t robot, fw_offset_t place)
{
  const fw_robot_t * shape = &ask->problem->robots[robot];
  for (int32_t i = 0; i < size_of(shape); ++i) {
    if (!fw_grid_is_free(ask->problem->grid, place.dx + part_of(shape, i).dx, place.dy + part_of(shape, i).dy)) {
      return false;
    }
  }
  return true;
}

static bool breaks_alone(const ask_t * ask, int32_t robot, fw_tick_t tick)
{
  const fw_offset_t now = place(ask, robot, tick);
  if (!is_free(ask, robot, now)) {
    return true;
  }
  if (tick == 0) {
    return ask->paths[robot].cells[0] != ask->problem->robots[robot].start;
  }
  const fw_offset_t before = place(ask, robot, tick - 1);
  const int32_t dx = now.dx - before.dx;
  const int32_t dy = now.dy - before.dy;
  if (dx == 0 && dy == 0) {
    return false;
  }
  for (int32_t i = 1; i <= speed_of(&ask->problem->robots[robot]); ++i) {  // it needs that long since its last arrival
    if (tick - i < 0 || !is_same(place(ask, robot, tick - i), before)) {
      return true;
    }
  }
  if (abs(dx) + abs(dy) == 1) {
    return false;
  }
  return abs(dx) != 1 || abs(dy) != 1 || ask->problem->connectivity != 8 ||
         !is_free(ask, robot, (fw_offset_t){now.dx, before.dy}) ||
         !is_free(ask, robot, (fw_offset_t){before.dx, now.dy});
}

// Is there a closed cell that the robot covers?
static bool is_on_closed(const ask_t * ask, int32_t robot, fw_tick_t tick)
{
  const int32_t width = ask->problem->grid->width;
  for (int32_t i = 0; i < ask->problem->closure_count; ++i) {
    const fw_closure_t closure = ask->problem->closures[i];
    const fw_offset_t at = {closure.cell % width, closure.cell / width};
    if (closure.from <= tick && tick <= closure.to && naive_covers(ask->problem, ask->paths, robot, at, tick)) {
      return true;
    }
  }
  return false;
}

// ---- two robots -----------------------------------------------------------------------------------------------------

static bool share_a_cell(const ask_t * ask, int32_t a, int32_t b, fw_tick_t tick)
{
  const fw_grid_t * grid = ask->problem->grid;
  for (int32_t i = 0; i < grid->width * grid->height; ++i) {
    const fw_offset_t at = {i % grid->width, i / grid->width};
    for (fw_tick_t then = tick; then >= 0 && then >= tick - ask->problem->robust_ticks; --then) {
      if (
        (naive_covers(ask->problem, ask->paths, a, at, tick) && naive_covers(ask->problem, ask->paths, b, at, then)) ||
        (naive_covers(ask->problem, ask->paths, b, at, tick) && naive_covers(ask->problem, ask->paths, a, at, then))) {
        return true;
      }
    }
  }
  return false;
}

// Is there a cell that `a` has just before the tick and `b` has at it?
static bool takes_over(const ask_t * ask, int32_t a, int32_t b, fw_tick_t tick)
{
  const fw_grid_t * grid = ask->problem->grid;
  for (int32_t i = 0; i < grid->width * grid->height; ++i) {
    const fw_offset_t at = {i % grid->width, i / grid->width};
    if (
      naive_covers(ask->problem, ask->paths, a, at, tick - 1) && naive_covers(ask->problem, ask->paths, b, at, tick)) {
      return true;
    }
  }
  return false;
}

// Twice the middle of the robot's own diagonal during the step that ends at `tick`.
static bool find_middle(const ask_t * ask, int32_t robot, fw_tick_t tick, fw_offset_t * middle, fw_offset_t * way)
{
  const fw_tick_t arrival = next_arrival(ask, robot, tick - 1);
  if (arrival < 0 || arrival - speed_of(&ask->problem->robots[robot]) >= tick) {
    return false;
  }
  const fw_offset_t from = place(ask, robot, tick - 1);
  const fw_offset_t to = place(ask, robot, arrival);
  *middle = (fw_offset_t){from.dx + to.dx, from.dy + to.dy};
  *way = (fw_offset_t){to.dx - from.dx, to.dy - from.dy};
  return abs(way->dx) == 1 && abs(way->dy) == 1;
}

static bool cross(const ask_t * ask, int32_t a, int32_t b, fw_tick_t tick)
{
  fw_offset_t p, q, p_way, q_way;
  if (!find_middle(ask, a, tick, &p, &p_way) || !find_middle(ask, b, tick, &q, &q_way)) {
    return false;
  }
  const fw_robot_t * robots = ask->problem->robots;
  for (int32_t i = 0; i < size_of(&robots[a]); ++i) {
    for (int32_t j = 0; j < size_of(&robots[b]); ++j) {
      const fw_offset_t u = part_of(&robots[a], i);
      const fw_offset_t v = part_of(&robots[b], j);
      if (
        p.dx + 2 * u.dx == q.dx + 2 * v.dx && p.dy + 2 * u.dy == q.dy + 2 * v.dy &&
        p_way.dx * q_way.dx + p_way.dy * q_way.dy == 0) {
        return true;
      }
    }
  }
  return false;
}

static bool breaks(const ask_t * ask, fw_tick_t tick, bool * is_alone)
{
  bool is_broken = false;
  for (int32_t a = 0; a < ask->problem->robot_count; ++a) {
    *is_alone = *is_alone || breaks_alone(ask, a, tick);
    is_broken = is_broken || is_on_closed(ask, a, tick);
    for (int32_t b = 0; b < a && !is_broken; ++b) {
      is_broken = share_a_cell(ask, a, b, tick) ||
                  (tick > 0 && takes_over(ask, a, b, tick) && takes_over(ask, b, a, tick)) ||
                  (tick > 0 && cross(ask, a, b, tick));
    }
  }
  return is_broken || *is_alone;
}

naive_verdict_t naive_check(const fw_problem_t * problem, const fw_path_t * paths, fw_tick_t until)
{
  const ask_t ask = {problem, paths};
  naive_verdict_t verdict = {0};
  fw_tick_t end = problem->robust_ticks + 1;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    end = paths[r].length + problem->robust_ticks > end ? paths[r].length + problem->robust_ticks : end;
  }
  for (int32_t i = 0; i < problem->closure_count; ++i) {  // a robot that stays may be closed in later
    end = problem->closures[i].from > end ? problem->closures[i].from : end;
  }
  for (fw_tick_t tick = 0; tick <= end; ++tick) {
    if (tick > until) {
      (void)breaks(&ask, tick, &verdict.is_later);
    } else if (breaks(&ask, tick, &verdict.is_alone) && !verdict.is_broken) {
      verdict.is_broken = true;
      verdict.tick = tick;
    }
  }
  for (int32_t r = 0; r < problem->robot_count && until == FW_TICK_MAX && !verdict.is_broken; ++r) {
    verdict.is_broken = paths[r].cells[paths[r].length - 1] != problem->robots[r].goal;
    verdict.tick = paths[r].length - 1;
  }
  return verdict;
}
