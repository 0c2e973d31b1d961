// A fleet that plans some ticks ahead and rolls on: its life.

#include "planner/window/window.h"

#include "planner/window/window_booking.h"
#include "planner/window/window_hold.h"
#include "planner/window/window_route.h"
#include "planner/window/window_search.h"
#include "world/closures.h"

static int32_t robot_count(const fw_window_t * window) { return window->fleet->problem->robot_count; }

fw_window_options_t fw__window_options_default(void)
{
  return (fw_window_options_t){
    .window = FW_WINDOW_TICKS,
    .price = FW_WINDOW_PRICE,
    .price_rise = FW_WINDOW_PRICE_RISE,
    .changes_max = FW_WINDOW_CHANGES,
    .patience = FW_WINDOW_PATIENCE,
    .reach = FW_WINDOW_REACH,
    .effort = FW_WINDOW_EFFORT,
  };
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static bool allocate(fw_window_t * window, size_t count)
{
  fw_arena_t * arena = window->arena;
  window->plans = fw__arena_allocate_zeroed(arena, count, sizeof(*window->plans));
  window->saved = fw__arena_allocate_zeroed(arena, count, sizeof(*window->saved));
  window->is_changed = fw__arena_allocate_zeroed(arena, count, sizeof(*window->is_changed));
  window->changes = fw__arena_allocate(arena, count, sizeof(*window->changes));
  window->queue = fw__arena_allocate(arena, count, sizeof(*window->queue));
  window->is_queued = fw__arena_allocate_zeroed(arena, count, sizeof(*window->is_queued));
  window->ages = fw__arena_allocate_zeroed(arena, count, sizeof(*window->ages));
  window->nearest = fw__arena_allocate(arena, count, sizeof(*window->nearest));
  window->troubles = fw__arena_allocate_zeroed(arena, count, sizeof(*window->troubles));
  window->prices = fw__arena_allocate(arena, count, sizeof(*window->prices));
  window->due = fw__arena_allocate(arena, count, sizeof(*window->due));
  window->wants_plan = fw__arena_allocate_zeroed(arena, count, sizeof(*window->wants_plan));
  window->rises = fw__arena_allocate_zeroed(arena, count, sizeof(*window->rises));
  return window->plans != NULL && window->saved != NULL && window->is_changed != NULL && window->changes != NULL &&
         window->queue != NULL && window->is_queued != NULL && window->ages != NULL && window->nearest != NULL &&
         window->troubles != NULL && window->prices != NULL && window->due != NULL && window->wants_plan != NULL &&
         window->rises != NULL;
}

static bool stand_on_start(fw_window_t * window, int32_t robot)
{
  window->nearest[robot] = INT32_MAX;
  window->ages[robot] = window->troubles[robot] = window->rises[robot] = 0;
  return fw__window_begin_plan(window, robot);
}

void fw__window_read_priorities(fw_window_t * window)
{
  const fw_robot_t * first = NULL;
  window->has_priorities = false;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (fw__fleet_has_robot(window->fleet, r)) {
      const fw_robot_t * robot = &window->fleet->problem->robots[r];
      first = first == NULL ? robot : first;
      window->has_priorities = window->has_priorities || robot->priority != first->priority;
    }
  }
}

bool fw__window_init(
  fw_window_t * window, fw_arena_t * arena, fw_fleet_t * fleet, fw_meter_t * meter, const fw_window_options_t * options)
{
  const fw_problem_t * problem = fleet->problem;
  *window = (fw_window_t){.options = *options, .fleet = fleet, .meter = meter, .arena = arena};
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t least = 2 * fw__body_ticks_max(fleet->bodies.of[r]);
    window->options.window = window->options.window < least ? least : window->options.window;
  }
  fw__window_read_priorities(window);
  fw__search_init(&window->search, arena);
  if (
    !allocate(window, (size_t)problem->robot_count) ||
    !fw__reservations_init(&window->table, arena, fleet->places, &fleet->bodies) || !fw__window_holds_init(window) ||
    !fw__reservations_reset(&window->table)) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (fw__fleet_has_robot(fleet, r) && !stand_on_start(window, r)) {
      return false;
    }
  }
  return true;
}

// ---- robots that come and go ----------------------------------------------------------------------------------------

// Somebody has a cell of the robot's place now, or so near in time that the two could not keep the robust ticks.
static bool is_taken(const fw_window_t * window, int32_t robot)
{
  const fw_robot_t * shape = &window->fleet->problem->robots[robot];
  const fw_stand_t stand = {
    .robot = robot, .pose = {shape->start, shape->heading}, .from = window->now, .to = window->now};
  return !fw__reservations_allow_stand(&window->table, &stand);
}

bool fw__window_add(fw_window_t * window, int32_t robot)
{
  const fw_robot_t * shape = &window->fleet->problem->robots[robot];
  if (
    shape->arrives > 0 || !fw__fleet_set_robot(window->fleet, window->arena, robot) || is_taken(window, robot) ||
    2 * fw__body_ticks_max(window->fleet->bodies.of[robot]) > window->options.window ||
    !stand_on_start(window, robot)) {
    return false;
  }
  window->wants_plan[robot] = true;
  fw__window_read_priorities(window);
  const fw_pose_t pose = {shape->start, shape->heading};
  return fw__window_book(window, robot) && fw__fleet_set_goal(window->fleet, window->arena, robot, pose, window->meter);
}

void fw__window_remove(fw_window_t * window, int32_t robot)
{
  fw__reservations_remove(&window->table, robot);
  fw__fleet_remove(window->fleet, robot);
}

// ---- one tick -------------------------------------------------------------------------------------------------------

// Those whose booking has reached its half or whose goal is new, by rank.
static int32_t find_due(fw_window_t * window)
{
  int32_t count = 0;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (!fw__fleet_has_robot(window->fleet, r)) {
      continue;
    }
    if (window->wants_plan[r] || window->plans[r].until - window->now <= window->options.window / 2) {
      window->wants_plan[r] = false;
      int32_t at = count++;
      for (; at > 0 && fw__window_outranks(window, r, window->due[at - 1]); --at) {
        window->due[at] = window->due[at - 1];
      }
      window->due[at] = r;
    }
  }
  return count;
}

// Everybody stays where they are, for a window or until it closes there. That holds whatever was planned before.
static bool stop_all(fw_window_t * window)
{
  ++window->counts.stops;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    fw__reservations_remove(&window->table, r);
  }
  bool is_whole = true;
  for (int32_t r = 0; r < robot_count(window) && is_whole; ++r) {
    if (!fw__fleet_has_robot(window->fleet, r)) {
      continue;
    }
    const fw_tick_t ready = fw__window_ready_at(window, r);
    const fw_pose_t pose = fw__window_pose(window, r, ready);
    const fw_footprint_t footprint = fw__fleet_footprint(window->fleet, r, pose.heading);
    const fw_tick_t open = fw__closures_open_until(window->fleet->problem, footprint, pose.cell, ready);
    const fw_tick_t until = window->now + window->options.window;
    is_whole = fw__window_book_stop(window, r, open < until ? open : until);
  }
  return is_whole;
}

bool fw__window_plan(fw_window_t * window)
{
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (fw__fleet_has_robot(window->fleet, r)) {
      window->table.ready[r] = fw__window_ready_at(window, r);
    }
  }
  fw__window_holds_expire(window);
  const int32_t depth = window->options.window;
  const int32_t count = find_due(window);
  const int32_t promise = window->options.promise > 0 ? window->options.promise : 1;
  bool has_ended = false;
  for (int32_t i = 0; i < count && !fw__meter_has_stopped(window->meter); ++i) {
    const int32_t robot = window->due[i];
    // The first ends are spread over half a window, and so are the searches from then on.
    const fw_tick_t spread = window->now > 0 ? 0 : (fw_tick_t)((int64_t)i * (depth - depth / 2 - 1) / count);
    fw__window_replan(window, robot, window->now + depth - spread);
    has_ended = has_ended || window->plans[robot].until < window->now + promise;
  }
  if (has_ended && !fw__meter_has_stopped(window->meter)) {
    if (!stop_all(window)) {
      fw__meter_stop(window->meter, FW_STOP_MEMORY);
    }
    for (int32_t r = 0; r < robot_count(window) && !fw__meter_has_stopped(window->meter); ++r) {
      if (fw__fleet_has_robot(window->fleet, r)) {
        fw__window_replan(window, r, window->now + depth);
      }
    }
    for (int32_t r = 0; r < robot_count(window); ++r) {
      const bool has_ended_again = fw__fleet_has_robot(window->fleet, r) && window->plans[r].until <= window->now;
      window->is_stuck = window->is_stuck || has_ended_again;
    }
  }
  return !fw__meter_has_stopped(window->meter) && !window->is_stuck;
}

bool fw__window_is_settled(const fw_window_t * window, int32_t robot)
{
  const fw_problem_t * problem = window->fleet->problem;
  const fw_pose_t pose = fw__window_pose(window, robot, window->now);
  if (pose.cell != problem->robots[robot].goal || window->now < problem->robots[robot].arrives) {
    return false;
  }
  if (problem->closure_count == 0) {
    return true;
  }
  const fw_footprint_t footprint = fw__fleet_footprint(window->fleet, robot, pose.heading);
  return fw__closures_next(problem, footprint, pose.cell, window->now) == FW_TICK_MAX;
}

bool fw__window_step(fw_window_t * window)
{
  ++window->now;
  bool is_all = true;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (!fw__fleet_has_robot(window->fleet, r)) {
      continue;
    }
    const bool is_there = fw__window_place(window, r, window->now) == window->fleet->problem->robots[r].goal;
    window->ages[r] = is_there ? 0 : window->ages[r] + 1;
    is_all = is_all && is_there && fw__window_is_settled(window, r);
    if (window->now % window->options.window == 0) {
      window->rises[r] = window->rises[r] / 2;
    }
  }
  return is_all;
}

bool fw__window_goal_changed(fw_window_t * window, int32_t robot)
{
  const fw_pose_t pose = fw__window_pose(window, robot, fw__window_ready_at(window, robot));
  window->wants_plan[robot] = true;
  window->nearest[robot] = INT32_MAX;
  window->troubles[robot] = 0;
  return fw__fleet_set_goal(window->fleet, window->arena, robot, pose, window->meter);
}
