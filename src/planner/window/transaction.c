// Plans of a window in memory and in the reservation table, and transactions: withdraw, assign, commit, roll back.

#include "planner/window/transaction.h"

#include <string.h>

#include "base/assert.h"
#include "planner/window/departure.h"

// ---- plans in memory ------------------------------------------------------------------------------------------------

// How many ticks of the past still matter: cells stay reserved for the robust ticks, and a slow motion is recognised by
// its arrival.
static int32_t past_ticks(const fw_window_t * window)
{
  return window->fleet->problem->robust_ticks + FW_TICKS_PER_MOVE_MAX;
}

// Room for a plan of `length` ticks, which is not reserved at present. False when there is no memory: the meter has
// stopped then.
static bool ensure_capacity(fw_window_t * window, fw_window_plan_t * plan, int32_t length)
{
  bool has_memory = true;
  while (plan->capacity < length && has_memory) {
    const int32_t outgrown = plan->capacity;
    fw_cell_t * cells = fw__arena_grow(window->arena, plan->cells, sizeof(*cells), &plan->capacity);
    has_memory = cells != NULL;
    if (has_memory) {
      fw__arena_recycle(window->arena, plan->cells, (size_t)outgrown, sizeof(*cells));
      plan->cells = cells;
    }
  }
  while (plan->has_heading && plan->heading_capacity < length && has_memory) {
    const int32_t outgrown = plan->heading_capacity;
    uint8_t * headings = fw__arena_grow(window->arena, plan->headings, sizeof(*headings), &plan->heading_capacity);
    has_memory = headings != NULL;
    if (has_memory) {
      fw__arena_recycle(window->arena, plan->headings, (size_t)outgrown, sizeof(*headings));
      plan->headings = headings;
    }
  }
  if (!has_memory) {
    fw__meter_stop(window->meter, FW_STOP_MEMORY);
  }
  return has_memory;
}

// Writes `path` from index `at` on; the plan ends with it. False when there is no memory.
static bool write_path(fw_window_t * window, fw_window_plan_t * plan, int32_t at, fw_path_t path)
{
  FW_ASSERT(at >= 0 && path.length >= 1 && plan->has_heading == (path.headings != NULL));
  plan->length = at;
  if (!ensure_capacity(window, plan, at + path.length)) {
    return false;
  }
  memcpy(plan->cells + at, path.cells, (size_t)path.length * sizeof(*path.cells));
  if (plan->has_heading) {
    memcpy(plan->headings + at, path.headings, (size_t)path.length * sizeof(*path.headings));
  }
  plan->length = at + path.length;
  return true;
}

// False when there is no memory.
static bool copy_plan(fw_window_t * window, fw_window_plan_t * to, const fw_window_plan_t * from)
{
  to->has_heading = from->has_heading;
  to->from = from->from;
  to->until = from->until;
  return write_path(window, to, 0, fw__window_path(from));
}

bool fw__window_start_plan(fw_window_t * window, int32_t robot)
{
  fw_window_plan_t * plan = &window->plans[robot];
  const fw_path_t start = window->fleet->bodies.starts[robot];
  plan->has_heading = start.headings != NULL;
  plan->from = window->now;
  plan->until = window->table.ready[robot] = window->now + start.length - 1;
  return write_path(window, plan, 0, start);
}

// ---- reservations ---------------------------------------------------------------------------------------------------

// Reserves the robot's plan, its last place up to `until`. False when there is no memory: the meter has stopped then.
static bool reserve_until(fw_window_t * window, int32_t robot, fw_tick_t until)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  FW_ASSERT(plan->length >= 1 && until >= plan->from + plan->length - 1);
  const fw_booking_t booking = {.path = fw__window_path(plan), .from = plan->from, .until = until};
  if (!fw__reservations_book(&window->table, robot, booking)) {
    fw__meter_stop(window->meter, FW_STOP_MEMORY);
    return false;
  }
  return true;
}

// The last tick before another robot comes to the cells that the robot covers in `pose`, where it is until `tick`.
static fw_tick_t free_until(const fw_window_t * window, int32_t robot, fw_grid_pose_t pose, fw_tick_t tick)
{
  const fw_footprint_t footprint = fw__fleet_footprint(window->fleet, robot, pose.heading);
  fw_tick_t until = FW_TICK_MAX;
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_cell_t cell =
      pose.cell + footprint.cells[i].dy * window->fleet->problem->grid->width + footprint.cells[i].dx;
    FW_ASSERT(window->fleet->places->node_of[cell] >= 0);
    const fw_timeline_t * row = &window->table.rows[window->fleet->places->node_of[cell]];
    const fw_tick_t to = fw__timeline_safe_to(row, fw__timeline_find(row, tick), window->table.robust_ticks);
    until = to < until ? to : until;
  }
  return until > tick ? until : tick;
}

// Does the plan reach beyond the present, and end on the goal?
static bool ends_on_goal(const fw_window_t * window, int32_t robot)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  return plan->until > window->table.ready[robot] &&
         plan->cells[plan->length - 1] == window->fleet->problem->robots[robot].goal;
}

bool fw__window_reserve_plan(fw_window_t * window, int32_t robot)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  const fw_path_t path = fw__window_path(plan);
  const fw_grid_pose_t end = fw__path_pose(&path, path.length - 1);
  const bool stays = ends_on_goal(window, robot);
  return reserve_until(window, robot, stays ? free_until(window, robot, end, plan->until) : plan->until);
}

bool fw__window_reserve_minimum(fw_window_t * window, int32_t robot)
{
  return fw__departures_update(window) && reserve_until(window, robot, window->plans[robot].until) &&
         fw__reservations_can_commit(&window->table, robot) && fw__reservations_add_commitment(&window->table, robot);
}

fw_tick_t fw__window_ready_at(const fw_window_t * window, int32_t robot)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  const fw_path_t path = fw__window_path(plan);
  const fw_body_t * body = window->fleet->bodies.of[robot];
  const int32_t present = window->now - plan->from;
  FW_ASSERT(present >= 0 && plan->length >= 1);
  for (int32_t at = present + 1; at < present + fw__body_ticks_max(body) && at < plan->length; ++at) {
    if (fw__path_arrives(&path, at)) {
      return at - fw__path_motion_ticks(&path, at, body) < present ? plan->from + at : window->now;
    }
  }
  return window->now;
}

// Drops the past that no longer matters and everything that was planned from the tick on at which the robot is ready.
// The rest is true whatever the robot plans next. False when there is no memory.
static bool cut_to_present(fw_window_t * window, int32_t robot)
{
  fw_window_plan_t * plan = &window->plans[robot];
  const fw_tick_t ready = fw__window_ready_at(window, robot);
  const fw_tick_t first = window->now - past_ticks(window);
  const int32_t drop = first > plan->from ? first - plan->from : 0;
  const int32_t keep = ready - plan->from + 1 - drop;
  FW_ASSERT(ready >= window->now && keep >= 1);
  if (!ensure_capacity(window, plan, keep)) {
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

bool fw__window_reserve_stop(fw_window_t * window, int32_t robot, fw_tick_t until)
{
  fw__reservations_remove(&window->table, robot);
  if (!cut_to_present(window, robot)) {
    return false;
  }
  fw_window_plan_t * plan = &window->plans[robot];
  plan->until = until > plan->until ? until : plan->until;
  return reserve_until(window, robot, plan->until);
}

bool fw__window_set_plan(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until)
{
  fw__reservations_remove(&window->table, robot);
  if (!cut_to_present(window, robot)) {
    return false;
  }
  fw_window_plan_t * plan = &window->plans[robot];
  FW_ASSERT(plan->until == window->now && plan->cells[plan->length - 1] == path.cells[0]);
  if (!write_path(window, plan, plan->length - 1, path)) {
    return false;
  }
  plan->until = until;
  return reserve_until(window, robot, until);
}

bool fw__window_shorten_plan(fw_window_t * window, int32_t robot, fw_tick_t until)
{
  fw_window_plan_t * plan = &window->plans[robot];
  FW_ASSERT(until >= window->now && until <= plan->until && !plan->has_heading);
  fw__reservations_remove(&window->table, robot);
  const int32_t length = until - plan->from + 1;
  plan->length = length < plan->length ? length : plan->length;
  plan->until = until;
  return reserve_until(window, robot, until);
}

// ---- transactions ---------------------------------------------------------------------------------------------------

bool fw__transaction_withdraw(fw_window_t * window, int32_t robot, int32_t withdrawn_max)
{
  FW_ASSERT(fw__fleet_has_robot(window->fleet, robot));
  if (!window->is_withdrawn[robot]) {
    if (window->withdrawn_count >= withdrawn_max || !copy_plan(window, &window->saved[robot], &window->plans[robot])) {
      return false;
    }
    const fw_tick_t reserved = window->table.bookings[robot].until;  // less where memory has run out
    window->saved[robot].reserved_until = reserved > window->plans[robot].until ? reserved : window->plans[robot].until;
    window->is_withdrawn[robot] = true;
    FW_ASSERT(window->withdrawn_count < window->fleet->problem->robot_count);
    window->withdrawn[window->withdrawn_count++] = robot;
  }
  fw__reservations_remove(&window->table, robot);
  return cut_to_present(window, robot);
}

bool fw__transaction_delay(fw_window_t * window, int32_t robot, fw_tick_t ticks)
{
  FW_ASSERT(window->is_withdrawn[robot] && ticks >= 0);
  fw_window_plan_t * plan = &window->plans[robot];
  const fw_grid_pose_t pose = fw__window_pose(window, robot, plan->until);
  const bool may_wait = fw__window_may_wait(window, robot, pose);
  const fw_tick_t free = may_wait ? free_until(window, robot, pose, plan->until) : plan->until;
  const fw_tick_t until = plan->until + ticks < free ? plan->until + ticks : free;
  const int32_t length = plan->length + until - plan->until;
  if (!ensure_capacity(window, plan, length)) {
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

bool fw__transaction_assign(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until)
{
  fw_window_plan_t * plan = &window->plans[robot];
  FW_ASSERT(window->is_withdrawn[robot] || fw__meter_has_stopped(window->meter));
  FW_ASSERT(plan->cells[plan->length - 1] == path.cells[0]);  // the path begins where the robot is ready
  if (!write_path(window, plan, plan->length - 1, path)) {
    return false;
  }
  plan->until = until;
  return fw__window_reserve_plan(window, robot);
}

bool fw__transaction_copy_path(fw_window_t * window, fw_path_t * path)
{
  window->path_copy.has_heading = path->headings != NULL;
  const bool is_copied = write_path(window, &window->path_copy, 0, *path);
  *path = fw__window_path(&window->path_copy);
  return is_copied;
}

void fw__transaction_commit(fw_window_t * window)
{
  for (int32_t i = 0; i < window->withdrawn_count; ++i) {
    window->is_withdrawn[window->withdrawn[i]] = false;
  }
  window->withdrawn_count = 0;
}

// Plans and reservations are exactly as they were: a goal that is reserved for longer than before, since others have
// moved out of its way, could be on a path that was found before the transaction. Running out of memory stops the meter
// and leaves a part unreserved; no more plans are made then.
void fw__transaction_roll_back(fw_window_t * window)
{
  for (int32_t i = 0; i < window->withdrawn_count; ++i) {
    fw__reservations_remove(&window->table, window->withdrawn[i]);
  }
  bool is_restored = true;
  for (int32_t i = 0; i < window->withdrawn_count; ++i) {
    const int32_t robot = window->withdrawn[i];
    is_restored = copy_plan(window, &window->plans[robot], &window->saved[robot]) && is_restored;
    is_restored = is_restored && reserve_until(window, robot, window->saved[robot].reserved_until);
  }
  FW_ASSERT(is_restored || fw__meter_has_stopped(window->meter));
  fw__transaction_commit(window);
}
