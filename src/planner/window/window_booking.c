// What is booked for whom in a rolling fleet, and transactions.

#include "planner/window/window_booking.h"

#include <string.h>

#include "planner/window/window_hold.h"

// How much of the past still matters: cells stay reserved for the robust ticks, and a slow move is known by its arrival.
static int32_t past_ticks(const fw_window_t * window)
{
  return window->fleet->problem->robust_ticks + FW_TICKS_PER_MOVE_MAX;
}

bool fw__window_reserve(fw_window_t * window, fw_window_plan_t * plan, int32_t length)
{
  if (plan->has_heading && plan->headings == NULL) {
    plan->capacity = plan->length = 0;  // it was that of a robot without
  }
  while (plan->capacity < length) {
    int32_t capacity = plan->capacity;
    fw_cell_t * cells = fw__arena_grow(window->arena, plan->cells, (size_t)plan->length, sizeof(*cells), &capacity);
    uint8_t * headings = NULL;
    if (plan->has_heading) {
      capacity = plan->capacity;
      headings = fw__arena_grow(window->arena, plan->headings, (size_t)plan->length, sizeof(*headings), &capacity);
    }
    if (cells == NULL || (plan->has_heading && headings == NULL)) {
      fw__meter_stop(window->meter, FW_STOP_MEMORY);
      return false;
    }
    plan->cells = cells;
    plan->headings = headings;
    plan->capacity = capacity;
  }
  return true;
}

// Writes `path` from index `at` on, and ends the plan with it.
static bool write_path(fw_window_t * window, fw_window_plan_t * plan, int32_t at, fw_path_t path)
{
  plan->length = at;
  if (!fw__window_reserve(window, plan, at + path.length)) {
    return false;
  }
  memcpy(plan->cells + at, path.cells, (size_t)path.length * sizeof(*path.cells));
  if (plan->has_heading) {
    memcpy(plan->headings + at, path.headings, (size_t)path.length * sizeof(*path.headings));
  }
  plan->length = at + path.length;
  return true;
}

static bool copy_plan(fw_window_t * window, fw_window_plan_t * to, const fw_window_plan_t * from)
{
  to->has_heading = from->has_heading;
  to->from = from->from;
  to->until = from->until;
  return write_path(window, to, 0, fw__window_path(from));
}

bool fw__window_begin_plan(fw_window_t * window, int32_t robot)
{
  fw_window_plan_t * plan = &window->plans[robot];
  const fw_path_t start = window->fleet->bodies.starts[robot];
  plan->has_heading = start.headings != NULL;
  plan->from = window->now;
  plan->until = window->table.ready[robot] = window->now + start.length - 1;
  return write_path(window, plan, 0, start);
}

// ---- bookings -------------------------------------------------------------------------------------------------------

static bool book_until(fw_window_t * window, int32_t robot, fw_tick_t until)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  return fw__reservations_book(
    &window->table, robot, (fw_booking_t){.path = fw__window_path(plan), .from = plan->from, .until = until});
}

// Up to when nobody else comes to the cells of the robot in `pose`, where it is until `tick`.
static fw_tick_t free_until(const fw_window_t * window, int32_t robot, fw_pose_t pose, fw_tick_t tick)
{
  const fw_footprint_t footprint = fw__fleet_footprint(window->fleet, robot, pose.heading);
  fw_tick_t until = FW_TICK_MAX;
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_cell_t cell =
      pose.cell + footprint.cells[i].dy * window->fleet->problem->grid->width + footprint.cells[i].dx;
    const fw_timeline_t * row = &window->table.rows[window->fleet->places->node_of[cell]];
    const fw_tick_t to = fw__timeline_safe_to(row, fw__timeline_find(row, tick), window->table.robust_ticks);
    until = to < until ? to : until;
  }
  return until > tick ? until : tick;
}

static bool ends_on_goal(const fw_window_t * window, int32_t robot)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  return plan->until > window->table.ready[robot] &&
         plan->cells[plan->length - 1] == window->fleet->problem->robots[robot].goal;
}

bool fw__window_book(fw_window_t * window, int32_t robot)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  const fw_path_t path = fw__window_path(plan);
  const fw_pose_t end = fw__path_pose(&path, path.length - 1);
  const bool stays = ends_on_goal(window, robot);
  return book_until(window, robot, stays ? free_until(window, robot, end, plan->until) : plan->until);
}

bool fw__window_book_held(fw_window_t * window, int32_t robot)
{
  return fw__window_holds_know(window) && book_until(window, robot, window->plans[robot].until) &&
         fw__reservations_add_commitment(&window->table, robot);
}

fw_tick_t fw__window_ready_at(const fw_window_t * window, int32_t robot)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  const fw_path_t path = fw__window_path(plan);
  const fw_body_t * body = window->fleet->bodies.of[robot];
  const int32_t present = window->now - plan->from;
  for (int32_t at = present + 1; at < present + fw__body_ticks_max(body) && at < plan->length; ++at) {
    if (fw__path_arrives(&path, at)) {
      return at - fw__path_motion_ticks(&path, at, body) < present ? plan->from + at : window->now;
    }
  }
  return window->now;
}

// Forgets what lies more than the robust ticks back (and a move that lasts), and what was planned from when it is ready
// on: what is left is true whatever the robot plans.
static bool cut_to_present(fw_window_t * window, int32_t robot)
{
  fw_window_plan_t * plan = &window->plans[robot];
  const fw_tick_t ready = fw__window_ready_at(window, robot);
  const fw_tick_t first = window->now - past_ticks(window);
  const int32_t drop = first > plan->from ? first - plan->from : 0;
  const int32_t keep = ready - plan->from + 1 - drop;
  if (!fw__window_reserve(window, plan, keep)) {
    return false;
  }
  for (int32_t i = 0; i < keep; ++i) {
    const int32_t at = i + drop;
    plan->cells[i] = plan->cells[at < plan->length ? at : plan->length - 1];
    if (plan->has_heading) {
      plan->headings[i] = plan->headings[at < plan->length ? at : plan->length - 1];
    }
  }
  plan->from += drop;
  plan->length = keep;
  plan->until = ready;
  window->table.ready[robot] = ready;
  return true;
}

bool fw__window_book_stop(fw_window_t * window, int32_t robot, fw_tick_t until)
{
  fw__reservations_remove(&window->table, robot);
  if (!cut_to_present(window, robot)) {
    return false;
  }
  fw_window_plan_t * plan = &window->plans[robot];
  plan->until = until > plan->until ? until : plan->until;
  return book_until(window, robot, plan->until);
}

// ---- transactions ---------------------------------------------------------------------------------------------------

bool fw__window_lift(fw_window_t * window, int32_t robot, int32_t changes_max)
{
  if (!window->is_changed[robot]) {
    if (window->change_count >= changes_max || !copy_plan(window, &window->saved[robot], &window->plans[robot])) {
      return false;
    }
    window->is_changed[robot] = true;
    window->changes[window->change_count++] = robot;
  }
  fw__reservations_remove(&window->table, robot);
  return cut_to_present(window, robot);
}

bool fw__window_wait(fw_window_t * window, int32_t robot, fw_tick_t ticks)
{
  fw_window_plan_t * plan = &window->plans[robot];
  const fw_tick_t free = free_until(window, robot, fw__window_pose(window, robot, plan->until), plan->until);
  const fw_tick_t until = plan->until + ticks < free ? plan->until + ticks : free;
  const int32_t length = plan->length + until - plan->until;
  if (!fw__window_reserve(window, plan, length)) {
    return false;
  }
  for (; plan->length < length; ++plan->length) {
    plan->cells[plan->length] = plan->cells[plan->length - 1];
    if (plan->has_heading) {
      plan->headings[plan->length] = plan->headings[plan->length - 1];
    }
  }
  plan->until = until;
  return true;
}

bool fw__window_settle(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until)
{
  fw_window_plan_t * plan = &window->plans[robot];
  if (!write_path(window, plan, plan->length - 1, path)) {
    return false;
  }
  plan->until = until;
  return fw__window_book(window, robot);
}

bool fw__window_keep(fw_window_t * window, fw_path_t * path)
{
  window->kept.has_heading = path->headings != NULL;
  const bool is_kept = write_path(window, &window->kept, 0, *path);
  *path = fw__window_path(&window->kept);
  return is_kept;
}

void fw__window_commit(fw_window_t * window)
{
  for (int32_t i = 0; i < window->change_count; ++i) {
    window->is_changed[window->changes[i]] = false;
  }
  window->change_count = 0;
}

// Plans first, and what is booked beyond their ends when all of them are there.
void fw__window_roll_back(fw_window_t * window)
{
  bool is_whole = true;
  for (int32_t i = 0; i < window->change_count; ++i) {
    fw__reservations_remove(&window->table, window->changes[i]);
  }
  for (int32_t i = 0; i < window->change_count; ++i) {
    const int32_t robot = window->changes[i];
    is_whole = copy_plan(window, &window->plans[robot], &window->saved[robot]) && is_whole;
    is_whole = is_whole && book_until(window, robot, window->plans[robot].until);
  }
  for (int32_t i = 0; i < window->change_count && is_whole; ++i) {
    if (ends_on_goal(window, window->changes[i])) {
      fw__reservations_remove(&window->table, window->changes[i]);
      is_whole = fw__window_book(window, window->changes[i]);
    }
  }
  fw__window_commit(window);
  if (!is_whole) {
    fw__meter_stop(window->meter, FW_STOP_MEMORY);
  }
}
