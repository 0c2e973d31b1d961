// A fleet that plans some ticks ahead and rolls on.

#include "planner/window.h"

#include <string.h>

#include "world/closures.h"

typedef enum may_override_t { OVERRIDE_NOBODY, OVERRIDE_LOWER, OVERRIDE_EQUAL } may_override_t;

static int32_t robot_count(const fw_window_t * window) { return window->fleet->problem->robot_count; }

// How much of the past still matters: cells stay reserved for the robust ticks, and a slow move is known by its arrival.
static int32_t past_ticks(const fw_problem_t * problem) { return problem->robust_ticks + FW_TICKS_PER_MOVE_MAX; }

// ---- memory ---------------------------------------------------------------------------------------------------------

static bool make_plans(const fw_window_t * window, fw_arena_t * arena, fw_window_plan_t ** plans)
{
  const size_t count = (size_t)robot_count(window);
  // The past that still counts, the present and the window.
  const size_t room = (size_t)(past_ticks(window->fleet->problem) + window->options.window + 1);
  *plans = fw_arena_allocate_zeroed(arena, count, sizeof(**plans));
  fw_cell_t * cells = fw_arena_allocate(arena, count * room, sizeof(*cells));
  bool is_whole = *plans != NULL && cells != NULL;
  for (size_t r = 0; is_whole && r < count; ++r) {
    (*plans)[r].cells = cells + r * room;
    if (window->fleet->problem->robots[r].turn_ticks > 0) {
      (*plans)[r].headings = fw_arena_allocate(arena, room, sizeof(*(*plans)[r].headings));
      is_whole = (*plans)[r].headings != NULL;
    }
  }
  return is_whole;
}

bool fw_window_init(
  fw_window_t * window, fw_arena_t * arena, fw_fleet_t * fleet, fw_meter_t * meter, const fw_window_options_t * options)
{
  const size_t count = (size_t)fleet->problem->robot_count;
  *window = (fw_window_t){.options = *options, .fleet = fleet, .meter = meter};
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    const int32_t least = 2 * fw_body_ticks_max(fleet->bodies.of[r]);
    window->options.window = window->options.window < least ? least : window->options.window;
  }
  window->is_changed = fw_arena_allocate_zeroed(arena, count, sizeof(*window->is_changed));
  window->changes = fw_arena_allocate(arena, (size_t)options->changes_max, sizeof(*window->changes));
  window->ages = fw_arena_allocate_zeroed(arena, count, sizeof(*window->ages));
  window->prices = fw_arena_allocate(arena, count, sizeof(*window->prices));
  window->due = fw_arena_allocate(arena, count, sizeof(*window->due));
  window->wants_plan = fw_arena_allocate_zeroed(arena, count, sizeof(*window->wants_plan));
  window->rises = fw_arena_allocate_zeroed(arena, count, sizeof(*window->rises));
  fw_search_init(&window->search, arena);
  if (
    window->is_changed == NULL || window->changes == NULL || window->ages == NULL || window->prices == NULL ||
    window->due == NULL || window->rises == NULL || window->wants_plan == NULL ||
    !make_plans(window, arena, &window->plans) || !make_plans(window, arena, &window->saved) ||
    !fw_reservations_init(&window->table, arena, fleet->places, &fleet->bodies) ||
    !fw_reservations_reset(&window->table)) {
    return false;
  }
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    fw_window_plan_t * plan = &window->plans[r];
    const fw_path_t start = fleet->bodies.starts[r];
    memcpy(plan->cells, start.cells, (size_t)start.length * sizeof(*start.cells));
    if (plan->headings != NULL) {
      memcpy(plan->headings, start.headings, (size_t)start.length * sizeof(*start.headings));
    }
    plan->length = start.length;
    plan->until = start.length - 1;
  }
  return true;
}

// ---- bookings -------------------------------------------------------------------------------------------------------

static bool book(fw_window_t * window, int32_t robot)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  return fw_reservations_book(
    &window->table, robot, (fw_booking_t){.path = fw_window_path(plan), .from = plan->from, .until = plan->until});
}

static void copy_plan(fw_window_plan_t * to, const fw_window_plan_t * from)
{
  memcpy(to->cells, from->cells, (size_t)from->length * sizeof(*from->cells));
  if (from->headings != NULL) {
    memcpy(to->headings, from->headings, (size_t)from->length * sizeof(*from->headings));
  }
  to->length = from->length;
  to->from = from->from;
  to->until = from->until;
}

// When the robot can begin something else: now, or when it arrives if it is under way.
static fw_tick_t ready_at(const fw_window_t * window, int32_t robot)
{
  const fw_window_plan_t * plan = &window->plans[robot];
  const fw_path_t path = fw_window_path(plan);
  const fw_body_t * body = window->fleet->bodies.of[robot];
  const int32_t present = window->now - plan->from;
  for (int32_t at = present + 1; at < present + fw_body_ticks_max(body) && at < plan->length; ++at) {
    if (fw_path_arrives(&path, at)) {
      return at - fw_path_motion_ticks(&path, at, body) < present ? plan->from + at : window->now;
    }
  }
  return window->now;
}

// Forgets what lies more than the robust ticks back (and a move that lasts), and what was planned from when it is ready
// on: what is left is true whatever the robot plans.
static void cut_to_present(fw_window_t * window, int32_t robot)
{
  fw_window_plan_t * plan = &window->plans[robot];
  const fw_tick_t ready = ready_at(window, robot);
  const fw_tick_t first = window->now - past_ticks(window->fleet->problem);
  const int32_t drop = first > plan->from ? first - plan->from : 0;
  const int32_t keep = ready - plan->from + 1 - drop;
  for (int32_t i = 0; i < keep; ++i) {
    const int32_t at = i + drop;
    plan->cells[i] = plan->cells[at < plan->length ? at : plan->length - 1];
    if (plan->headings != NULL) {
      plan->headings[i] = plan->headings[at < plan->length ? at : plan->length - 1];
    }
  }
  plan->from += drop;
  plan->length = keep;
  plan->until = ready;
  window->table.ready[robot] = ready;
}

// ---- transactions ---------------------------------------------------------------------------------------------------

// Takes a robot's plan away; only its past and present stay booked. False if too many have changed.
static bool change(fw_window_t * window, int32_t robot)
{
  if (!window->is_changed[robot]) {
    if (window->change_count == window->options.changes_max) {
      return false;
    }
    window->is_changed[robot] = true;
    window->changes[window->change_count++] = robot;
    copy_plan(&window->saved[robot], &window->plans[robot]);
  }
  fw_reservations_remove(&window->table, robot);
  cut_to_present(window, robot);
  return book(window, robot);
}

// The new plan of a robot that has changed.
static bool rebook(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until)
{
  fw_window_plan_t * plan = &window->plans[robot];
  fw_reservations_remove(&window->table, robot);
  memcpy(plan->cells + plan->length - 1, path.cells, (size_t)path.length * sizeof(*path.cells));
  if (plan->headings != NULL) {
    memcpy(plan->headings + plan->length - 1, path.headings, (size_t)path.length * sizeof(*path.headings));
  }
  plan->length += path.length - 1;
  plan->until = until;
  return book(window, robot);
}

static void commit(fw_window_t * window)
{
  for (int32_t i = 0; i < window->change_count; ++i) {
    window->is_changed[window->changes[i]] = false;
  }
  window->change_count = 0;
}

static bool roll_back(fw_window_t * window)
{
  bool is_whole = true;
  for (int32_t i = 0; i < window->change_count; ++i) {
    fw_reservations_remove(&window->table, window->changes[i]);
  }
  for (int32_t i = 0; i < window->change_count; ++i) {
    const int32_t robot = window->changes[i];
    copy_plan(&window->plans[robot], &window->saved[robot]);
    is_whole = book(window, robot) && is_whole;
  }
  commit(window);
  if (!is_whole) {
    fw_meter_stop(window->meter, FW_STOP_MEMORY);
  }
  return is_whole;
}

// ---- searches -------------------------------------------------------------------------------------------------------

static bool outranks(const fw_window_t * window, int32_t a, int32_t b)
{
  const fw_robot_t * robots = window->fleet->problem->robots;
  if (robots[a].priority != robots[b].priority) {
    return robots[a].priority > robots[b].priority;
  }
  return window->ages[a] != window->ages[b] ? window->ages[a] > window->ages[b] : a < b;
}

static void set_prices(fw_window_t * window, int32_t robot, may_override_t may)
{
  const fw_robot_t * robots = window->fleet->problem->robots;
  for (int32_t r = 0; r < robot_count(window) && may != OVERRIDE_NOBODY; ++r) {
    const bool is_open =
      may == OVERRIDE_LOWER ? outranks(window, robot, r) : robots[r].priority <= robots[robot].priority;
    const int32_t price = robots[r].priority < robots[robot].priority ? 0 : window->options.price + window->rises[r];
    window->prices[r] = is_open && !window->is_changed[r] ? price : FW_PRICE_NEVER;
  }
}

// A path for a robot that has changed, until `horizon`.
static fw_found_t search(fw_window_t * window, int32_t robot, fw_tick_t horizon, may_override_t may, fw_path_t * path)
{
  const fw_pose_t pose = fw_window_pose(window, robot, window->plans[robot].until);
  const fw_query_t query = {
    .table = &window->table,
    .moves = window->fleet->moves[robot],
    .robot = robot,
    .start = pose.cell,
    .heading = pose.heading,
    .now = window->plans[robot].until,
    .horizon = horizon,
    .prices = may == OVERRIDE_NOBODY ? NULL : window->prices,
    .distance = &window->fleet->distances[robot],
  };
  ++window->counts.searches;
  set_prices(window, robot, may);
  fw_reservations_remove(&window->table, robot);
  const fw_found_t found = fw_search_path(&window->search, &query, window->meter, path);
  if (!book(window, robot)) {
    fw_meter_stop(window->meter, FW_STOP_MEMORY);
    return FW_FOUND_STOPPED;
  }
  return found;
}

// By how many ticks a path that begins when the robot is ready is worse than the way alone. Pauses on the goal are free.
static int64_t delay_of(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t horizon)
{
  const fw_robot_t * shape = &window->fleet->problem->robots[robot];
  const fw_moves_t * moves = window->fleet->moves[robot];
  fw_distance_t * distance = &window->fleet->distances[robot];
  const fw_cell_t end = path.cells[path.length - 1];
  const int32_t first_node = fw_moves_node(moves, fw_path_pose(&path, 0));
  const int32_t last_node = fw_moves_node(moves, fw_path_pose(&path, path.length - 1));
  const int32_t alone = fw_distance_get(distance, first_node, window->meter);
  const int32_t left = fw_distance_get(distance, last_node, window->meter);
  int64_t ticks = end == shape->goal ? 0 : horizon - window->plans[robot].until - (path.length - 1);
  for (int32_t i = 1; i < path.length; ++i) {
    const bool is_on_goal = path.cells[i] == shape->goal && path.cells[i - 1] == shape->goal;
    ticks += !is_on_goal ? 1 : fw_path_arrives(&path, i) ? shape->turn_ticks : 0;
  }
  return ticks + fw_fleet_ticks(window->fleet, robot, left - alone);
}

// Two robots that push each other off their goals would do so for ever; as it gets dearer each time, one of them goes
// round. Prices fall by half with every window that passes, so that those who made way once are not in the way for ever.
static void raise_price(fw_window_t * window, int32_t robot)
{
  const int32_t most = window->options.window - window->options.price;
  const int32_t next = window->rises[robot] + window->options.price_rise;
  window->rises[robot] = next < most ? next : most > 0 ? most : 0;
}

// Sends all whom the path runs into back to plan again. False if they are too many, or have done so already, or if a
// closure is in the way.
static bool clear_the_way(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until)
{
  const fw_booking_t wanted = {.path = path, .from = window->plans[robot].until, .until = until};
  for (int32_t other = fw_reservations_meet_booking(&window->table, robot, &wanted); other >= 0;
       other = fw_reservations_meet_booking(&window->table, robot, &wanted)) {
    const bool is_robot = fw_reservations_is_robot(&window->table, other);
    if (!is_robot || window->is_changed[other] || !change(window, other)) {
      return false;
    }
    ++window->counts.overridden;
    raise_price(window, other);
  }
  return true;
}

// Gives `robot` a path through others, who then find another, all in one transaction. False: nothing has changed.
static bool plan_through(fw_window_t * window, int32_t robot, fw_tick_t horizon, may_override_t may)
{
  bool is_fine = change(window, robot);
  for (int32_t i = 0; i < window->change_count && is_fine; ++i) {
    const int32_t next = window->changes[i];
    const fw_tick_t until = i == 0 ? horizon : window->saved[next].until;
    fw_path_t path;
    fw_found_t found = search(window, next, until, i == 0 ? may : OVERRIDE_NOBODY, &path);
    for (may_override_t more = OVERRIDE_LOWER; found == FW_FOUND_NONE && i > 0 && more <= OVERRIDE_EQUAL; ++more) {
      found = search(window, next, until, more, &path);
    }
    is_fine = found == FW_FOUND_PATH && clear_the_way(window, next, path, until) && rebook(window, next, path, until);
  }
  if (is_fine) {
    commit(window);
    return true;
  }
  ++window->counts.rollbacks;
  (void)roll_back(window);
  return false;
}

// ---- one tick -------------------------------------------------------------------------------------------------------

// Around everybody first; through lower ranks if that would be later than alone, through equals if there is no way.
static void replan(fw_window_t * window, int32_t robot, fw_tick_t horizon)
{
  fw_path_t path;
  if (!change(window, robot)) {
    (void)roll_back(window);
    return;
  }
  const fw_found_t found = search(window, robot, horizon, OVERRIDE_NOBODY, &path);
  if (found == FW_FOUND_PATH) {
    const int64_t delay = delay_of(window, robot, path, horizon);
    if (!rebook(window, robot, path, horizon)) {
      fw_meter_stop(window->meter, FW_STOP_MEMORY);
    }
    commit(window);
    if (delay > 0) {
      (void)plan_through(window, robot, horizon, OVERRIDE_LOWER);
    }
    return;
  }
  (void)roll_back(window);
  if (found == FW_FOUND_STOPPED || plan_through(window, robot, horizon, OVERRIDE_LOWER)) {
    return;
  }
  ++window->counts.promotions;
  (void)plan_through(window, robot, horizon, OVERRIDE_EQUAL);
}

// Those whose booking has reached its half or whose goal is new, by rank.
static int32_t find_due(fw_window_t * window)
{
  int32_t count = 0;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (window->wants_plan[r] || window->plans[r].until - window->now <= window->options.window / 2) {
      window->wants_plan[r] = false;
      int32_t at = count++;
      for (; at > 0 && outranks(window, r, window->due[at - 1]); --at) {
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
    fw_reservations_remove(&window->table, r);
  }
  bool is_whole = true;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    cut_to_present(window, r);
    fw_window_plan_t * plan = &window->plans[r];
    const fw_pose_t pose = fw_window_pose(window, r, plan->until);
    const fw_tick_t open = fw__closures_open_until(
      window->fleet->problem, fw_fleet_footprint(window->fleet, r, pose.heading), pose.cell, plan->until);
    const fw_tick_t until = window->now + window->options.window;
    plan->until = open < until ? open : until;
    is_whole = book(window, r) && is_whole;
  }
  return is_whole;
}

bool fw_window_plan(fw_window_t * window)
{
  for (int32_t r = 0; r < robot_count(window); ++r) {
    window->table.ready[r] = ready_at(window, r);
  }
  const int32_t depth = window->options.window;
  const int32_t count = find_due(window);
  bool has_ended = false;
  for (int32_t i = 0; i < count && !fw_meter_has_stopped(window->meter); ++i) {
    const int32_t robot = window->due[i];
    // The first ends are spread over half a window, and so are the searches from then on.
    const fw_tick_t spread = window->now > 0 ? 0 : (fw_tick_t)((int64_t)i * (depth - depth / 2 - 1) / count);
    replan(window, robot, window->now + depth - spread);
    has_ended = has_ended || window->plans[robot].until <= window->now;
  }
  if (has_ended && !fw_meter_has_stopped(window->meter)) {
    if (!stop_all(window)) {
      fw_meter_stop(window->meter, FW_STOP_MEMORY);
    }
    for (int32_t r = 0; r < robot_count(window) && !fw_meter_has_stopped(window->meter); ++r) {
      replan(window, r, window->now + depth);
    }
    for (int32_t r = 0; r < robot_count(window); ++r) {
      window->is_stuck = window->is_stuck || window->plans[r].until <= window->now;
    }
  }
  return !fw_meter_has_stopped(window->meter) && !window->is_stuck;
}

bool fw_window_is_settled(const fw_window_t * window, int32_t robot)
{
  const fw_problem_t * problem = window->fleet->problem;
  const fw_pose_t pose = fw_window_pose(window, robot, window->now);
  if (pose.cell != problem->robots[robot].goal || window->now < problem->robots[robot].arrives) {
    return false;
  }
  if (problem->closure_count == 0) {
    return true;
  }
  const fw_footprint_t footprint = fw_fleet_footprint(window->fleet, robot, pose.heading);
  return fw__closures_next(problem, footprint, pose.cell, window->now) == FW_TICK_MAX;
}

bool fw_window_step(fw_window_t * window)
{
  ++window->now;
  bool is_all = true;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    const bool is_there = fw_window_place(window, r, window->now) == window->fleet->problem->robots[r].goal;
    window->ages[r] = is_there ? 0 : window->ages[r] + 1;
    is_all = is_all && is_there && fw_window_is_settled(window, r);
    if (window->now % window->options.window == 0) {
      window->rises[r] = window->rises[r] / 2;
    }
  }
  return is_all;
}

bool fw_window_goal_changed(fw_window_t * window, int32_t robot)
{
  const fw_moves_t * moves = window->fleet->moves[robot];
  fw_distance_t * distance = &window->fleet->distances[robot];
  const fw_pose_t pose = fw_window_pose(window, robot, window->now);
  const int32_t goal = fw_moves_any_node(moves, window->fleet->problem->robots[robot].goal);
  window->wants_plan[robot] = true;
  return goal >= 0 && fw_distance_restart(distance, goal, pose.cell) &&
         fw_distance_get(distance, fw_moves_node(moves, pose), window->meter) != FW_DISTANCE_NONE;
}
