// A second opinion on a plan.

#include "support/naive.h"

#include <stdlib.h>

#include "support/rotated.h"

typedef struct plan_t {
  const fw_problem_t * problem;
  const fw_path_t * paths;
} plan_t;

// Where a robot is: coordinates and heading.
typedef struct spot_t {
  int32_t x, y;
  int32_t heading;
} spot_t;

static spot_t spot_at(const plan_t * plan, int32_t robot, fw_tick_t tick)
{
  const fw_path_t * path = &plan->paths[robot];
  const int32_t at = tick < path->length ? tick : path->length - 1;
  const fw_cell_t cell = path->cells[at];
  const int32_t heading = plan->problem->robots[robot].turn_ticks > 0 ? path->headings[at] % 8 : 0;
  const int32_t width = plan->problem->grid->width;
  const bool is_cell = cell >= 0 && cell < width * plan->problem->grid->height;
  return is_cell ? (spot_t){cell % width, cell / width, heading} : (spot_t){-1000, -1000, heading};
}

static bool is_same(spot_t a, spot_t b) { return a.x == b.x && a.y == b.y && a.heading == b.heading; }

// The first tick from `tick` on, 1 at least, at which the robot is somewhere else than before, -1 if it stays.
static fw_tick_t arrival_from(const plan_t * plan, int32_t robot, fw_tick_t tick)
{
  const fw_path_t * path = &plan->paths[robot];
  const bool has_heading = plan->problem->robots[robot].turn_ticks > 0;
  for (fw_tick_t t = tick < 1 ? 1 : tick; t < path->length; ++t) {
    if (path->cells[t] != path->cells[t - 1] || (has_heading && path->headings[t] != path->headings[t - 1])) {
      return t;
    }
  }
  return -1;
}

// How long the motion takes that ends with this arrival.
static int32_t ticks_to(const plan_t * plan, int32_t robot, fw_tick_t arrival)
{
  const fw_robot_t * shape = &plan->problem->robots[robot];
  const spot_t from = spot_at(plan, robot, arrival - 1);
  const spot_t to = spot_at(plan, robot, arrival);
  const bool is_turn = from.x == to.x && from.y == to.y;
  return is_turn ? shape->turn_ticks : shape->ticks_per_move > 0 ? shape->ticks_per_move : 1;
}

static bool stands_over(const plan_t * plan, int32_t robot, spot_t spot, fw_offset_t at)
{
  return rotated_covers(&plan->problem->robots[robot], spot.heading, (fw_offset_t){at.dx - spot.x, at.dy - spot.y});
}

// The same for where it is listed at `tick`. One cell is one cell however it is turned.
static bool is_listed_over(const plan_t * plan, int32_t robot, fw_tick_t tick, fw_offset_t at)
{
  const fw_path_t * path = &plan->paths[robot];
  if (plan->problem->robots[robot].footprint_count <= 1) {
    return path->cells[tick < path->length ? tick : path->length - 1] ==
           fw_grid_cell(plan->problem->grid, at.dx, at.dy);
  }
  return stands_over(plan, robot, spot_at(plan, robot, tick), at);
}

static bool sweeps_over(const plan_t * plan, int32_t robot, fw_tick_t arrival, fw_offset_t at)
{
  if (!plan->problem->robots[robot].sweeps_sides && plan->problem->robots[robot].turn_ticks == 0) {
    return false;
  }
  const spot_t from = spot_at(plan, robot, arrival - 1);
  const spot_t to = spot_at(plan, robot, arrival);
  fw_offset_t cells[ROTATED_MAX];
  const int32_t count = rotated_sweeps(
    &plan->problem->robots[robot], from.heading, to.heading, (fw_offset_t){to.x - from.x, to.y - from.y}, cells);
  for (int32_t i = 0; i < count; ++i) {
    if (from.x + cells[i].dx == at.dx && from.y + cells[i].dy == at.dy) {
      return true;
    }
  }
  return false;
}

bool naive_covers(const fw_problem_t * problem, const fw_path_t * paths, int32_t robot, fw_offset_t at, fw_tick_t tick)
{
  const plan_t plan = {problem, paths};
  if (is_listed_over(&plan, robot, tick, at)) {
    return true;
  }
  const fw_tick_t arrival = arrival_from(&plan, robot, tick);
  const bool is_under_way = arrival >= 0 && arrival - ticks_to(&plan, robot, arrival) < tick;
  return is_under_way && (is_listed_over(&plan, robot, arrival, at) || sweeps_over(&plan, robot, arrival, at));
}

// ---- one robot ------------------------------------------------------------------------------------------------------

static bool is_free(const plan_t * plan, int32_t robot, spot_t spot)
{
  fw_offset_t cells[ROTATED_MAX];
  const int32_t count = rotated_list(&plan->problem->robots[robot], spot.heading, cells);
  for (int32_t i = 0; i < count; ++i) {
    if (!fw_grid_is_free(plan->problem->grid, spot.x + cells[i].dx, spot.y + cells[i].dy)) {
      return false;
    }
  }
  return true;
}

static bool is_wrong_turn(const plan_t * plan, int32_t robot, spot_t before, spot_t now)
{
  const int32_t step = plan->problem->connectivity == 8 ? 1 : 2;
  const int32_t right = (now.heading - before.heading + 8) % 8;
  fw_offset_t cells[ROTATED_MAX];
  const int32_t count =
    rotated_sweeps(&plan->problem->robots[robot], before.heading, now.heading, (fw_offset_t){0, 0}, cells);
  bool is_wrong = right != step && right != 8 - step;
  for (int32_t i = 0; i < count && !is_wrong; ++i) {
    is_wrong = !fw_grid_is_free(plan->problem->grid, now.x + cells[i].dx, now.y + cells[i].dy);
  }
  return is_wrong;
}

static bool is_wrong_move(const plan_t * plan, int32_t robot, spot_t before, spot_t now)
{
  const int32_t dx = now.x - before.x;
  const int32_t dy = now.y - before.y;
  const fw_offset_t ahead = rotated_ahead(before.heading);
  const bool has_heading = plan->problem->robots[robot].turn_ticks > 0;
  if (now.heading != before.heading || (has_heading && (dx != ahead.dx || dy != ahead.dy))) {
    return true;
  }
  if (abs(dx) + abs(dy) == 1) {
    return false;
  }
  return abs(dx) != 1 || abs(dy) != 1 || plan->problem->connectivity != 8 ||
         (!plan->problem->cuts_corners && (!is_free(plan, robot, (spot_t){now.x, before.y, now.heading}) ||
                                           !is_free(plan, robot, (spot_t){before.x, now.y, now.heading})));
}

static bool breaks_alone(const plan_t * plan, int32_t robot, fw_tick_t tick)
{
  const fw_robot_t * shape = &plan->problem->robots[robot];
  const fw_path_t * path = &plan->paths[robot];
  const spot_t now = spot_at(plan, robot, tick);
  if (!is_free(plan, robot, now) || (shape->turn_ticks > 0 && tick < path->length && path->headings[tick] >= 8)) {
    return true;
  }
  if (tick <= shape->arrives) {  // where it stands at the start, or comes from
    const int32_t width = plan->problem->grid->width;
    const bool is_coming = tick < shape->arrives;
    const fw_cell_t cell = is_coming ? shape->from : shape->start;
    const int32_t heading = shape->turn_ticks == 0 ? 0 : is_coming ? shape->from_heading : shape->heading;
    return !is_same(now, (spot_t){cell % width, cell / width, heading});
  }
  const spot_t before = spot_at(plan, robot, tick - 1);
  if (is_same(now, before)) {
    return false;
  }
  for (int32_t i = 1; i <= ticks_to(plan, robot, tick); ++i) {  // it needs that long since its last arrival
    if (tick - i < 0 || !is_same(spot_at(plan, robot, tick - i), before)) {
      return true;
    }
  }
  const bool is_turn = now.x == before.x && now.y == before.y;
  return is_turn ? is_wrong_turn(plan, robot, before, now) : is_wrong_move(plan, robot, before, now);
}

// Is there a closed cell that the robot covers?
static bool is_on_closed(const plan_t * plan, int32_t robot, fw_tick_t tick)
{
  const int32_t width = plan->problem->grid->width;
  for (int32_t i = 0; i < plan->problem->closure_count; ++i) {
    const fw_closure_t closure = plan->problem->closures[i];
    const fw_offset_t at = {closure.cell % width, closure.cell / width};
    if (closure.from <= tick && tick <= closure.to && naive_covers(plan->problem, plan->paths, robot, at, tick)) {
      return true;
    }
  }
  return false;
}

// ---- two robots -----------------------------------------------------------------------------------------------------

static bool share_a_cell(const plan_t * plan, int32_t a, int32_t b, fw_tick_t tick)
{
  const fw_grid_t * grid = plan->problem->grid;
  for (int32_t i = 0; i < grid->width * grid->height; ++i) {
    const fw_offset_t at = {i % grid->width, i / grid->width};
    for (fw_tick_t then = tick; then >= 0 && then >= tick - plan->problem->robust_ticks; --then) {
      if (
        (naive_covers(plan->problem, plan->paths, a, at, tick) &&
         naive_covers(plan->problem, plan->paths, b, at, then)) ||
        (naive_covers(plan->problem, plan->paths, b, at, tick) &&
         naive_covers(plan->problem, plan->paths, a, at, then))) {
        return true;
      }
    }
  }
  return false;
}

// Is there a cell that `a` stands on just before the tick and `b` at it?
static bool takes_over(const plan_t * plan, int32_t a, int32_t b, fw_tick_t tick)
{
  const fw_grid_t * grid = plan->problem->grid;
  for (int32_t i = 0; i < grid->width * grid->height; ++i) {
    const fw_offset_t at = {i % grid->width, i / grid->width};
    if (is_listed_over(plan, a, tick - 1, at) && is_listed_over(plan, b, tick, at)) {
      return true;
    }
  }
  return false;
}

// The robot's diagonal during the step that ends at `tick`: where it began, and twice the offset to its middle.
static bool find_diagonal(const plan_t * plan, int32_t robot, fw_tick_t tick, spot_t * from, fw_offset_t * by)
{
  const fw_tick_t arrival = arrival_from(plan, robot, tick);
  if (arrival < 0 || arrival - ticks_to(plan, robot, arrival) >= tick) {
    return false;
  }
  const spot_t to = spot_at(plan, robot, arrival);
  *from = spot_at(plan, robot, tick - 1);
  *by = (fw_offset_t){to.x - from->x, to.y - from->y};
  return abs(by->dx) == 1 && abs(by->dy) == 1;
}

static bool cross(const plan_t * plan, int32_t a, int32_t b, fw_tick_t tick)
{
  spot_t p, q;
  fw_offset_t p_by, q_by, u[ROTATED_MAX], v[ROTATED_MAX];
  if (!find_diagonal(plan, a, tick, &p, &p_by) || !find_diagonal(plan, b, tick, &q, &q_by)) {
    return false;
  }
  const int32_t u_count = rotated_list(&plan->problem->robots[a], p.heading, u);
  const int32_t v_count = rotated_list(&plan->problem->robots[b], q.heading, v);
  for (int32_t i = 0; i < u_count; ++i) {
    for (int32_t j = 0; j < v_count; ++j) {
      if (
        2 * (p.x + u[i].dx) + p_by.dx == 2 * (q.x + v[j].dx) + q_by.dx &&
        2 * (p.y + u[i].dy) + p_by.dy == 2 * (q.y + v[j].dy) + q_by.dy && p_by.dx * q_by.dx + p_by.dy * q_by.dy == 0) {
        return true;
      }
    }
  }
  return false;
}

static bool breaks(const plan_t * plan, fw_tick_t tick, bool * is_alone)
{
  bool is_broken = false;
  for (int32_t a = 0; a < plan->problem->robot_count; ++a) {
    *is_alone = *is_alone || breaks_alone(plan, a, tick);
    is_broken = is_broken || is_on_closed(plan, a, tick);
    for (int32_t b = 0; b < a && !is_broken; ++b) {
      is_broken = share_a_cell(plan, a, b, tick) ||
                  (tick > 0 && takes_over(plan, a, b, tick) && takes_over(plan, b, a, tick)) ||
                  (tick > 0 && cross(plan, a, b, tick));
    }
  }
  return is_broken || *is_alone;
}

naive_verdict_t naive_check(const fw_problem_t * problem, const fw_path_t * paths, fw_tick_t until)
{
  const plan_t plan = {problem, paths};
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
      (void)breaks(&plan, tick, &verdict.is_later);
    } else if (breaks(&plan, tick, &verdict.is_alone) && !verdict.is_broken) {
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
