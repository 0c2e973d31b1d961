// The window of a fleet: its memory, robots that come and go, and one tick: which robots plan, and the stop of all.

#include "planner/window/window.h"

#include <stdlib.h>

#include "base/assert.h"
#include "planner/window/crowd.h"
#include "planner/window/departure.h"
#include "planner/window/negotiation.h"
#include "planner/window/replan.h"
#include "planner/window/transaction.h"
#include "world/closures.h"

static int32_t robot_count(const fw_window_t * window) { return window->fleet->problem->robot_count; }

fw_window_options_t fw__window_options_default(void)
{
  return (fw_window_options_t){
    .window = FW_WINDOW_TICKS,
    .price = FW_WINDOW_PRICE,
    .price_rise = FW_WINDOW_PRICE_RISE,
    .price_age = FW_WINDOW_PRICE_AGE,
    .changes_max = FW_WINDOW_CHANGES,
    .patience = FW_WINDOW_PATIENCE,
    .reach = FW_WINDOW_REACH,
    .effort = FW_WINDOW_EFFORT,
  };
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// False when there is no memory.
static bool allocate(fw_window_t * window, size_t count)
{
  fw_arena_t * arena = window->arena;
  window->plans = fw__arena_allocate_zeroed(arena, count, sizeof(*window->plans));
  window->saved = fw__arena_allocate_zeroed(arena, count, sizeof(*window->saved));
  window->is_withdrawn = fw__arena_allocate_zeroed(arena, count, sizeof(*window->is_withdrawn));
  window->withdrawn = fw__arena_allocate(arena, count, sizeof(*window->withdrawn));
  window->queue = fw__arena_allocate(arena, count, sizeof(*window->queue));
  window->is_queued = fw__arena_allocate_zeroed(arena, count, sizeof(*window->is_queued));
  window->ages = fw__arena_allocate_zeroed(arena, count, sizeof(*window->ages));
  window->nearest = fw__arena_allocate(arena, count, sizeof(*window->nearest));
  window->stalls = fw__arena_allocate_zeroed(arena, count, sizeof(*window->stalls));
  window->prices = fw__arena_allocate(arena, count, sizeof(*window->prices));
  window->depths = fw__arena_allocate(arena, count, sizeof(*window->depths));
  window->due = fw__arena_allocate(arena, count, sizeof(*window->due));
  window->has_left = fw__arena_allocate_zeroed(arena, count, sizeof(*window->has_left));
  window->has_new_goal = fw__arena_allocate_zeroed(arena, count, sizeof(*window->has_new_goal));
  window->price_rises = fw__arena_allocate_zeroed(arena, count, sizeof(*window->price_rises));
  window->yields_until = fw__arena_allocate_zeroed(arena, count, sizeof(*window->yields_until));
  window->yields_to = fw__arena_allocate_zeroed(arena, count, sizeof(*window->yields_to));
  return !fw__arena_has_failed(arena);
}

// The robot begins on its start, without a history. False when there is no memory.
static bool stand_on_start(fw_window_t * window, int32_t robot)
{
  window->nearest[robot] = INT32_MAX;
  window->depths[robot] = window->options.window;
  window->has_left[robot] = false;
  window->ages[robot] = window->stalls[robot] = window->price_rises[robot] = 0;
  window->yields_until[robot] = 0;
  return fw__window_start_plan(window, robot);
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

bool fw__window_init(fw_window_t * window, fw_fleet_t * fleet, fw_meter_t * meter, const fw_window_options_t * options)
{
  fw_arena_t * arena = fleet->arena;
  const fw_problem_t * problem = fleet->problem;
  FW_ASSERT(options->window >= 2 && !fw__arena_has_failed(arena));
  *window = (fw_window_t){.options = *options, .fleet = fleet, .meter = meter, .arena = arena};
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t least = 2 * fw__body_ticks_max(fleet->bodies.of[r]);
    window->options.window = window->options.window < least ? least : window->options.window;
    const int32_t crowded = window->options.crowded_window;
    window->options.crowded_window = crowded > 0 && crowded < least ? least : crowded;
  }
  window->is_shortest_first = options->order == FW_WINDOW_ORDER_SHORTEST ||
                              (options->order == FW_WINDOW_ORDER_AUTO && problem->grid->rules == NULL &&
                               problem->robot_count <= fleet->places->node_count / 8);
  fw__window_read_priorities(window);
  fw__spacetime_search_init(&window->search, arena);
  if (
    !allocate(window, (size_t)problem->robot_count) ||
    !fw__reservations_init(&window->table, arena, fleet->places, &fleet->bodies) || !fw__departures_init(window) ||
    !fw__reservations_reset(&window->table)) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (fw__fleet_has_robot(fleet, r) && !stand_on_start(window, r)) {
      return false;
    }
  }
  return options->round_effort == 0 || fw__crowd_init(window);
}

// How many ticks every plan must last after a round.
static fw_tick_t guaranteed_ticks(const fw_window_t * window)
{
  return window->options.guaranteed_ticks > 0 ? window->options.guaranteed_ticks : 1;
}

// ---- depth ----------------------------------------------------------------------------------------------------------

static int32_t least_depth(const fw_window_t * window)
{
  const int32_t depth = window->options.window, crowded = window->options.crowded_window;
  return crowded > 0 && crowded < depth ? crowded : depth;
}

// How many ticks the robot plans ahead. Silver: an estimate of how much cooperation is needed "should take account of
// the nature of the map, and the number of units in that locality". Both are in the share of the floor around the robot
// that others cover: walls leave less floor to the same number of robots. From `window` on empty floor it changes in
// proportion to `crowded_window` where others cover CROWDED_SHARE of it.
static int32_t depth_of(const fw_window_t * window, int32_t robot)
{
  enum { RADIUS = 8, CROWDED_SHARE = 4 };  // cells in each direction; one cell in so many
  const int32_t depth = window->options.window, crowded = window->options.crowded_window;
  if (crowded == 0) {
    return depth;
  }
  const fw_problem_t * problem = window->fleet->problem;
  const fw_grid_t * grid = problem->grid;
  const fw_cell_t cell = fw__window_place(window, robot, window->now);
  const int32_t x = cell % grid->width, y = cell / grid->width;
  int64_t floor = 0, covered = 0;
  for (int32_t row = y < RADIUS ? 0 : y - RADIUS; row <= y + RADIUS && row < grid->height; ++row) {
    for (int32_t column = x < RADIUS ? 0 : x - RADIUS; column <= x + RADIUS && column < grid->width; ++column) {
      floor += grid->cost[row * grid->width + column] != 0;
    }
  }
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (r != robot && fw__fleet_has_robot(window->fleet, r)) {
      const fw_cell_t other = fw__window_place(window, r, window->now);
      const bool is_near = abs(other % grid->width - x) <= RADIUS && abs(other / grid->width - y) <= RADIUS;
      covered += is_near ? problem->robots[r].footprint_count : 0;
    }
  }
  const int64_t share = covered * CROWDED_SHARE < floor ? covered * CROWDED_SHARE : floor;
  return depth + (int32_t)((crowded - depth) * share / (floor > 0 ? floor : 1));
}

// ---- robots that come and go ----------------------------------------------------------------------------------------

// Does another robot have a cell of the robot's place now, or so soon that the two could not keep the robust ticks?
static bool is_taken(const fw_window_t * window, int32_t robot)
{
  const fw_robot_t * shape = &window->fleet->problem->robots[robot];
  const fw_timed_stand_t stand = {
    .robot = robot, .pose = {shape->start, shape->heading}, .from = window->now, .to = window->now};
  return !fw__reservations_allow_stand(&window->table, &stand);
}

bool fw__window_add(fw_window_t * window, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < robot_count(window) && fw__fleet_has_robot(window->fleet, robot));
  const fw_robot_t * shape = &window->fleet->problem->robots[robot];
  if (
    shape->arrives > 0 || !fw__fleet_set_robot(window->fleet, robot) || is_taken(window, robot) ||
    2 * fw__body_ticks_max(window->fleet->bodies.of[robot]) > least_depth(window) || !stand_on_start(window, robot)) {
    return false;
  }
  window->has_new_goal[robot] = true;
  fw__window_read_priorities(window);
  const fw_grid_pose_t pose = {shape->start, shape->heading};
  return fw__window_reserve_plan(window, robot) && fw__fleet_set_goal(window->fleet, robot, pose, window->meter);
}

void fw__window_remove(fw_window_t * window, int32_t robot)
{
  FW_ASSERT(fw__fleet_has_robot(window->fleet, robot) && !window->is_withdrawn[robot]);
  fw__reservations_remove(&window->table, robot);
  fw__fleet_remove(window->fleet, robot);
}

// ---- one tick -------------------------------------------------------------------------------------------------------

// The order in which robots plan at one tick: by rank, or at the beginning the shortest path first.
static bool plans_before(const fw_window_t * window, int32_t a, int32_t b)
{
  const int32_t * lengths = window->fleet->lengths;
  const bool is_equal =
    window->now == 0 && window->is_shortest_first && fw__window_priority(window, a) == fw__window_priority(window, b);
  return is_equal && lengths[a] != lengths[b] ? lengths[a] < lengths[b] : fw__window_outranks(window, a, b);
}

// Lists the robots that plan at this tick, sorted by rank: less than half of their window is left, or their goal is
// new.
static int32_t find_due(fw_window_t * window)
{
  int32_t count = 0;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (!fw__fleet_has_robot(window->fleet, r)) {
      continue;
    }
    if (window->has_new_goal[r] || window->plans[r].until - window->now <= window->depths[r] / 2) {
      window->has_new_goal[r] = false;
      int32_t at = count++;
      for (; at > 0 && plans_before(window, r, window->due[at - 1]); --at) {
        window->due[at] = window->due[at - 1];
      }
      window->due[at] = r;
    }
  }
  return count;
}

// How long the places of robots that stop are reserved: not longer than guaranteed, since the others plan around them,
// and would wait for the end. Twice as long with each further stop within a window, since one that helps nobody costs a
// plan of all robots.
static fw_tick_t take_stop_ticks(fw_window_t * window)
{
  const int32_t depth = window->options.window;
  const bool is_first = window->counts.stops == 0 || window->now - window->stopped_at > depth;
  const int32_t ticks = is_first ? guaranteed_ticks(window) : 2 * window->stop_ticks;
  window->stop_ticks = ticks < depth ? ticks : depth;
  window->stopped_at = window->now;
  return window->stop_ticks;
}

// The end of a robot's stop that is to last until `until`: not before the robot can have left all of its cells, since
// the others plan through them from then on; but at most a window, for robots that can never leave.
static fw_tick_t end_of_stop(const fw_window_t * window, int32_t robot, fw_tick_t until)
{
  const fw_commitment_t * departure = &window->departures.of[robot];
  fw_tick_t end = until;
  for (int32_t i = 0; i < departure->count && window->departures.are_current; ++i) {
    const fw_tick_t left = fw__reservations_committed_until(&window->table, robot, departure->nodes[i]);
    end = left > end ? left : end;
  }
  const fw_tick_t most = window->now + window->options.window;
  return end <= most ? end : until > most ? until : most;
}

// All robots stop where they are, up to this tick or until their place closes. This is always possible, whatever was
// planned before. Running out of memory stops the meter.
static void stop_all(fw_window_t * window, fw_tick_t until)
{
  for (int32_t r = 0; r < robot_count(window); ++r) {
    fw__reservations_remove(&window->table, r);
  }
  bool is_reserved = true;
  for (int32_t r = 0; r < robot_count(window) && is_reserved; ++r) {
    if (!fw__fleet_has_robot(window->fleet, r)) {
      continue;
    }
    const fw_tick_t ready = fw__window_ready_at(window, r);
    const fw_grid_pose_t pose = fw__window_pose(window, r, ready);
    const fw_footprint_t footprint = fw__fleet_footprint(window->fleet, r, pose.heading);
    const fw_tick_t open = fw__closures_open_until(window->fleet->problem, footprint, pose.cell, ready);
    FW_ASSERT(open >= ready);
    const fw_tick_t end = end_of_stop(window, r, until);
    is_reserved = fw__window_reserve_stop(window, r, open < end ? open : end);
  }
  FW_ASSERT(is_reserved || fw__meter_has_stopped(window->meter));
}

// Whether all robots may stand still where they are.
static bool may_stop_all(const fw_window_t * window)
{
  bool may_stop = true;
  for (int32_t r = 0; r < robot_count(window) && may_stop && window->fleet->problem->grid->rules != NULL; ++r) {
    may_stop = !fw__fleet_has_robot(window->fleet, r) ||
               fw__window_may_wait(window, r, fw__window_pose(window, r, fw__window_ready_at(window, r)));
  }
  return may_stop;
}

// The effort of a round, in search states: the less, the less floor is free, since searches that fail are the dearest,
// and steps do as well there. At the first tick all robots plan at once, later about 2 n / window of them.
// Negotiations have an effort of their own: rounds add to it, up to what one negotiation may use. So two robots that
// meet in a corridor find out of it, and a crowd in which nobody agrees does not spend its time on negotiating. Fleets
// that cannot make steps would stop instead, and their searches have a state for each tick and heading: they have so
// many TIMES as much.
static void add_effort(fw_window_t * window)
{
  enum { FIRST_ROUND = 4, NEGOTIATION_SHARE = 4, LEAST = 2048, TIMES = 32 };
  if (window->options.round_effort == 0) {
    window->states_max = window->negotiable = INT64_MAX;
    return;
  }
  const int64_t floor = window->fleet->places->node_count;
  int64_t robots = 0;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    robots += fw__fleet_has_robot(window->fleet, r) ? 1 : 0;
  }
  const int64_t wanted = window->options.round_effort * robots * (floor - robots) / floor;
  const int64_t states = (wanted > LEAST ? wanted : LEAST) * (fw__crowd_can_step(window) ? 1 : TIMES);
  const int64_t most = window->options.effort > states ? window->options.effort : states;
  const int64_t negotiable = window->negotiable + states / NEGOTIATION_SHARE;
  window->states_max = window->counts.states + (window->now == 0 ? FIRST_ROUND * states : states);
  window->negotiable = window->now == 0 || negotiable > most ? most : negotiable;
}

// Whether the robot has a new plan that it has agreed on with those in its way.
static bool negotiate(fw_window_t * window, int32_t robot, bool is_at_once)
{
  if (window->negotiable <= 0) {
    return false;
  }
  const int64_t before = window->counts.states, rest = window->states_max - before;
  const bool is_limited = window->options.round_effort > 0;
  window->states_max = is_limited ? before + window->negotiable : INT64_MAX;
  const bool is_agreed = is_at_once ? fw__negotiation_run_at_once(window, robot) : fw__negotiation_run(window, robot);
  window->negotiable -= is_limited ? window->counts.states - before : 0;
  window->states_max = is_limited ? window->counts.states + rest : INT64_MAX;
  return is_agreed;
}

// A new plan for one robot, if there is one: negotiated if it has made no progress for some time, else on its own. It
// is `less` ticks shorter than the robot plans ahead otherwise.
static void plan_robot(fw_window_t * window, int32_t robot, fw_tick_t less)
{
  FW_ASSERT(window->withdrawn_count == 0);
  const fw_tick_t horizon = window->now + window->depths[robot] - less;
  const fw_grid_pose_t pose = fw__window_pose(window, robot, window->now);
  const int32_t places_max = window->options.places_max;
  if (places_max > 0 && !fw__fleet_restart_distance(window->fleet, robot, pose, places_max)) {
    fw__meter_stop(window->meter, FW_STOP_MEMORY);
    return;
  }
  if (fw__negotiation_is_due(window, robot) && negotiate(window, robot, false)) {
    return;
  }
  fw__window_replan(window, robot, horizon);
}

// Plans on after a stop of all. What robots could not do one by one, they may agree on: the one of the highest rank
// negotiates at once, not only when it has been without progress for several windows.
static void plan_on(fw_window_t * window)
{
  const int32_t count = robot_count(window);
  int32_t first = -1;
  for (int32_t r = 0; r < count; ++r) {
    const bool is_under_way = fw__fleet_has_robot(window->fleet, r) && !fw__window_is_settled(window, r);
    first = is_under_way && (first < 0 || fw__window_outranks(window, r, first)) ? r : first;
  }
  if (first >= 0 && window->options.patience > 0) {
    (void)negotiate(window, first, true);
  }
  const fw_tick_t end = window->stopped_at + window->stop_ticks;
  for (int32_t r = 0; r < count && !fw__meter_has_stopped(window->meter) && !fw__window_is_exhausted(window); ++r) {
    if (fw__fleet_has_robot(window->fleet, r) && window->plans[r].until <= end_of_stop(window, r, end)) {
      window->depths[r] = depth_of(window, r);
      plan_robot(window, r, 0);
    }
  }
}

void fw__window_hold(fw_window_t * window)
{
  bool is_short = false;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    is_short = is_short ||
               (fw__fleet_has_robot(window->fleet, r) && window->plans[r].until < window->now + window->depths[r] / 2);
  }
  if (is_short && may_stop_all(window)) {
    stop_all(window, window->now + window->options.window);
  }
}

// Plans for the robots that are due, as far as budget and effort last.
static void plan_due(fw_window_t * window)
{
  const int32_t count = find_due(window);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t robot = window->due[i];
    const int32_t depth = window->depths[robot] = depth_of(window, robot);
    if (fw__meter_has_stopped(window->meter) || fw__window_is_exhausted(window)) {
      window->has_new_goal[robot] = true;  // in the next round
      continue;
    }
    // The ends of the first plans are spread over half a window, so that later searches are spread over the ticks.
    const fw_tick_t spread = window->now > 0 ? 0 : (fw_tick_t)((int64_t)i * (depth - depth / 2 - 1) / count);
    plan_robot(window, robot, spread);
  }
}

// Whether the plan of a robot does not last for the guaranteed ticks.
static bool has_ended(const fw_window_t * window)
{
  bool is_short = false;
  for (int32_t r = 0; r < robot_count(window) && !is_short; ++r) {
    is_short = fw__fleet_has_robot(window->fleet, r) && window->plans[r].until < window->now + guaranteed_ticks(window);
  }
  return is_short;
}

// All robots stop where they are and plan on from there, if they may.
static void stop_and_plan_on(fw_window_t * window)
{
  if (!may_stop_all(window)) {
    window->is_stuck = true;
    return;
  }
  (void)fw__departures_update(window);  // the meter remembers a failure
  stop_all(window, window->now + take_stop_ticks(window));
  ++window->counts.stops;
  plan_on(window);
  for (int32_t r = 0; r < robot_count(window); ++r) {
    const bool has_ended_again = fw__fleet_has_robot(window->fleet, r) && window->plans[r].until <= window->now;
    window->is_stuck = window->is_stuck || has_ended_again;
  }
}

bool fw__window_plan(fw_window_t * window)
{
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (fw__fleet_has_robot(window->fleet, r)) {
      window->table.ready[r] = fw__window_ready_at(window, r);
    }
  }
  fw__departures_expire(window);
  add_effort(window);
  plan_due(window);
  window->counts.cut_rounds += fw__window_is_exhausted(window) ? 1 : 0;
  if (has_ended(window) && window->meter->stop != FW_STOP_MEMORY) {
    const int32_t quarter = window->options.window / 4, least = guaranteed_ticks(window);
    const bool can_step = fw__crowd_can_step(window);
    if (
      (!can_step || !fw__crowd_step(window, quarter > least ? quarter : least)) &&
      !fw__meter_has_stopped(window->meter)) {
      stop_and_plan_on(window);
    }
  }
  FW_ASSERT(fw__meter_has_stopped(window->meter) || fw__window_validate(window));
  return !fw__meter_has_stopped(window->meter) && !window->is_stuck;
}

bool fw__window_validate(const fw_window_t * window)
{
  if (window->withdrawn_count != 0) {
    return false;
  }
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (!fw__fleet_has_robot(window->fleet, r)) {
      continue;
    }
    const fw_window_plan_t * plan = &window->plans[r];
    const fw_booking_t * reserved = &window->table.bookings[r];
    if (
      window->is_withdrawn[r] || plan->length < 1 || plan->length > plan->capacity || plan->from > window->now ||
      plan->until < window->now || plan->from + plan->length - 1 > plan->until || reserved->path.cells != plan->cells ||
      reserved->path.length != plan->length || reserved->from != plan->from || reserved->until < plan->until) {
      return false;
    }
  }
  return fw__fleet_validate(window->fleet);
}

bool fw__window_is_settled(const fw_window_t * window, int32_t robot)
{
  FW_ASSERT(fw__fleet_has_robot(window->fleet, robot));
  const fw_problem_t * problem = window->fleet->problem;
  const fw_grid_pose_t pose = fw__window_pose(window, robot, window->now);
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
  FW_ASSERT(window->withdrawn_count == 0);
  ++window->now;
  bool is_all = true;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    if (!fw__fleet_has_robot(window->fleet, r)) {
      continue;
    }
    const fw_cell_t place = fw__window_place(window, r, window->now);
    const bool is_there = place == window->fleet->problem->robots[r].goal;
    window->has_left[r] = window->has_left[r] || place != window->fleet->problem->robots[r].start;
    window->ages[r] = is_there ? 0 : window->ages[r] + 1;
    is_all = is_all && is_there && fw__window_is_settled(window, r);
    if (window->now % window->options.window == 0) {
      window->price_rises[r] = window->price_rises[r] / 2;
    }
  }
  return is_all;
}

bool fw__window_goal_changed(fw_window_t * window, int32_t robot)
{
  FW_ASSERT(fw__fleet_has_robot(window->fleet, robot) && window->withdrawn_count == 0);
  const fw_grid_pose_t pose = fw__window_pose(window, robot, fw__window_ready_at(window, robot));
  window->has_new_goal[robot] = true;
  window->nearest[robot] = INT32_MAX;
  window->stalls[robot] = 0;
  return fw__fleet_set_goal(window->fleet, robot, pose, window->meter);
}
