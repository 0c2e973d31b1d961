// The next plan of one robot: ranks and prices, the search, and planning through the reservations of other robots.

#include "planner/window/replan.h"

#include "base/assert.h"
#include "planner/window/departure.h"
#include "planner/window/transaction.h"

// ---- rank and prices ------------------------------------------------------------------------------------------------

// More than the price of a robot, for one of higher priority: others make way first, where they can.
enum { PRICE_YIELD = 16 };

int32_t fw__window_priority(const fw_window_t * window, int32_t robot)
{
  const bool yields = window->now < window->yields_until[robot];
  return yields ? window->yields_to[robot] : window->fleet->problem->robots[robot].priority;
}

bool fw__window_outranks(const fw_window_t * window, int32_t a, int32_t b)
{
  const int32_t one = fw__window_priority(window, a), two = fw__window_priority(window, b);
  if (one != two) {
    return one > two;
  }
  return window->ages[a] != window->ages[b] ? window->ages[a] > window->ages[b] : a < b;
}

// What robot `other` costs on a path of `robot`, in ticks; FW_PRICE_NEVER if the path must not meet it. Outside of
// negotiations, no robot is withdrawn twice in one transaction.
static int32_t price_of(const fw_window_t * window, int32_t robot, int32_t other, fw_passable_t pass)
{
  const int32_t own = fw__window_priority(window, robot), its = fw__window_priority(window, other);
  const bool may_yield = pass == FW_PASS_ALL && window->options.is_strict == 0;
  const bool may_meet = pass == FW_PASS_LOWER ? fw__window_outranks(window, robot, other) : its <= own || may_yield;
  if (!may_meet || (window->is_withdrawn[other] && pass != FW_PASS_ALL)) {
    return FW_PRICE_NEVER;
  }
  const int32_t price = window->options.price + window->price_rises[other];
  if (its < own) {
    return may_yield ? window->price_rises[other] : 0;  // else the two would override each other for ever
  }
  return its > own ? price + PRICE_YIELD : price;
}

void fw__window_raise_price(fw_window_t * window, int32_t robot, int32_t price_max)
{
  FW_ASSERT(window->price_rises[robot] >= 0 && price_max > 0);
  const int32_t next = window->price_rises[robot] + window->options.price_rise;
  price_max -= window->options.price;
  window->price_rises[robot] = next < price_max ? next : price_max > 0 ? price_max : 0;
}

// How far the price of a robot that gives way may rise: the longer it has been off its goal, the farther. Robots that
// have arrived or set out a short time ago give way again and again at little cost. With one limit for all, a window,
// those that had stepped aside once could not be overridden soon, and in crowds all others went around them.
static int32_t price_limit(const fw_window_t * window, int32_t robot)
{
  const int32_t age = window->options.price_age;
  const int32_t risen = age > 0 ? window->options.price + window->ages[robot] / age : INT32_MAX;
  return risen < window->options.window ? risen : window->options.window;
}

// ---- searches -------------------------------------------------------------------------------------------------------

fw_found_t fw__window_search(fw_window_t * window, fw_window_request_t request, fw_path_t * path)
{
  FW_ASSERT(fw__fleet_has_robot(window->fleet, request.robot));
  const fw_window_plan_t * plan = &window->plans[request.robot];
  FW_ASSERT(plan->until <= request.horizon);
  const fw_grid_pose_t pose = fw__window_pose(window, request.robot, plan->until);
  const fw_spacetime_query_t query = {
    .table = &window->table,
    .moves = window->fleet->moves[request.robot],
    .robot = request.robot,
    .start = pose.cell,
    .heading = pose.heading,
    .now = plan->until,
    .has_left = fw__window_has_left(window, request.robot, pose),
    .horizon = request.horizon,
    .prices = request.pass == FW_PASS_NOBODY ? NULL : window->prices,
    .is_paid_once = true,
    .must_arrive = request.pass == FW_PASS_ALL,
    .limit = request.limit,
    .effort = request.effort,
    .distance = window->options.estimate > 0 ? NULL : fw__fleet_distance(window->fleet, request.robot),
    .estimate_degree = window->options.estimate,
  };
  if (request.pass != FW_PASS_NOBODY && !fw__departures_update(window)) {
    return FW_FOUND_STOPPED;
  }
  const int32_t count = window->fleet->problem->robot_count;
  for (int32_t r = 0; r < count && request.pass != FW_PASS_NOBODY; ++r) {  // of empty slots, too
    window->prices[r] = price_of(window, request.robot, r, request.pass);
  }
  ++window->counts.searches;
  window->search.state_count = 0;  // a descent has no states
  const fw_found_t found = fw__spacetime_search_path(&window->search, &query, window->meter, path);
  window->counts.states += 1 + window->search.state_count;
  return found;
}

int64_t fw__window_ticks_alone(fw_window_t * window, int32_t robot, fw_grid_pose_t pose)
{
  const fw_fleet_t * fleet = window->fleet;
  if (window->options.estimate > 0) {
    const fw_robot_t * shape = &fleet->problem->robots[robot];
    const int32_t moves = fw__grid_distance(fleet->problem->grid, window->options.estimate, pose.cell, shape->goal);
    return (int64_t)moves * shape->ticks_per_move;
  }
  const int32_t node = fw__moves_node(fleet->moves[robot], pose);
  return fw__fleet_ticks(fleet, robot, fw__distance_get(fw__fleet_distance(fleet, robot), node, window->meter));
}

// ---- through others -------------------------------------------------------------------------------------------------

// Withdraws all robots that the path runs into; their present places stay reserved. False if there are too many, if
// one of them has been withdrawn before, or if a closure is in the way.
static bool withdraw_blockers(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until)
{
  const fw_booking_t wanted = {.path = path, .from = window->plans[robot].until, .until = until};
  for (int32_t other = fw__reservations_first_conflict(&window->table, robot, &wanted); other >= 0;
       other = fw__reservations_first_conflict(&window->table, robot, &wanted)) {
    if (
      !fw__reservations_is_robot(&window->table, other) || window->is_withdrawn[other] ||
      !fw__transaction_withdraw(window, other, window->options.changes_max) ||
      !fw__window_reserve_minimum(window, other)) {
      return false;
    }
    ++window->counts.overridden;
    fw__window_raise_price(window, other, price_limit(window, other));
  }
  return true;
}

// A withdrawn robot plans again up to the end of its old plan: around all others, else through robots of lower rank,
// else through robots of equal priority.
static bool replan_withdrawn(fw_window_t * window, int32_t robot)
{
  FW_ASSERT(window->is_withdrawn[robot]);
  const fw_tick_t until = window->saved[robot].until;
  fw_found_t found = FW_FOUND_NONE;
  fw_path_t path;
  fw__reservations_remove(&window->table, robot);
  for (fw_passable_t pass = FW_PASS_NOBODY; found == FW_FOUND_NONE && pass <= FW_PASS_EQUAL; ++pass) {
    found = fw__window_search(window, (fw_window_request_t){.robot = robot, .horizon = until, .pass = pass}, &path);
  }
  return found == FW_FOUND_PATH && withdraw_blockers(window, robot, path, until) &&
         fw__transaction_assign(window, robot, path, until);
}

// Gives a withdrawn robot this path, and all robots that it runs into another one. False: nothing has changed.
static bool go_through(fw_window_t * window, fw_window_request_t request, fw_path_t path)
{
  FW_ASSERT(window->withdrawn_count >= 1 && window->withdrawn[0] == request.robot);
  bool have_plans = withdraw_blockers(window, request.robot, path, request.horizon) &&
                    fw__transaction_assign(window, request.robot, path, request.horizon);
  for (int32_t i = 1; i < window->withdrawn_count && have_plans; ++i) {  // grows in the loop
    have_plans = !fw__window_is_exhausted(window) && replan_withdrawn(window, window->withdrawn[i]);
  }
  if (have_plans) {
    fw__transaction_commit(window);
    return true;
  }
  ++window->counts.rollbacks;
  fw__transaction_roll_back(window);
  return false;
}

// Finds a path through the robots that the request allows, and makes them give way. False: nothing has changed.
static bool plan_through(fw_window_t * window, fw_window_request_t request)
{
  fw_path_t path;
  if (
    fw__transaction_withdraw(window, request.robot, window->options.changes_max) &&
    fw__window_search(window, request, &path) == FW_FOUND_PATH) {
    return go_through(window, request, path);
  }
  ++window->counts.rollbacks;
  fw__transaction_roll_back(window);
  return false;
}

// ---- one robot ------------------------------------------------------------------------------------------------------

// The cost of a path that begins when the robot is ready: its ticks up to the horizon, except waiting on the goal, and
// the true distance from its end.
static int64_t ticks_of(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t horizon)
{
  FW_ASSERT(path.length >= 1 && window->plans[robot].until + path.length - 1 <= horizon);
  const fw_robot_t * shape = &window->fleet->problem->robots[robot];
  const fw_cell_t end = path.cells[path.length - 1];
  int64_t ticks = end == shape->goal ? 0 : horizon - window->plans[robot].until - (path.length - 1);
  for (int32_t i = 1; i < path.length; ++i) {
    const bool is_on_goal = path.cells[i] == shape->goal && path.cells[i - 1] == shape->goal;
    ticks += !is_on_goal ? 1 : fw__path_arrives(&path, i) ? shape->turn_ticks : 0;
  }
  return ticks + fw__window_ticks_alone(window, robot, fw__path_pose(&path, path.length - 1));
}

// The robot, withdrawn, has a path around all others. Plans through robots of lower rank if that saves more than their
// price. False if it does not, or if they cannot make way; the robot is still withdrawn then.
static bool improve_through(fw_window_t * window, fw_window_request_t request, fw_path_t path)
{
  const int64_t ticks = ticks_of(window, request.robot, path, request.horizon);
  const int64_t delay = ticks - fw__window_ticks_alone(window, request.robot, fw__path_pose(&path, 0));
  const bool yields = window->now < window->yields_until[request.robot];
  if (window->options.is_plain != 0 || delay <= (window->has_priorities && !yields ? 0 : window->options.price)) {
    return false;
  }
  request.pass = FW_PASS_LOWER;
  request.limit = window->fleet->moves[request.robot]->is_uniform ? ticks : 0;  // other distances are not in ticks
  if (fw__window_search(window, request, &path) != FW_FOUND_PATH) {
    return false;
  }
  if (go_through(window, request, path)) {
    return true;
  }
  (void)fw__transaction_withdraw(window, request.robot, window->options.changes_max);
  FW_ASSERT(window->is_withdrawn[request.robot] || fw__meter_has_stopped(window->meter));
  return false;
}

void fw__window_replan(fw_window_t * window, int32_t robot, fw_tick_t horizon)
{
  fw_path_t path;
  if (!fw__transaction_withdraw(window, robot, window->options.changes_max)) {
    fw__transaction_roll_back(window);
    return;
  }
  fw_window_request_t request = {.robot = robot, .horizon = horizon, .pass = FW_PASS_NOBODY};
  const fw_found_t found = fw__window_search(window, request, &path);
  if (found == FW_FOUND_PATH) {
    if (!fw__transaction_copy_path(window, &path)) {
      fw__transaction_roll_back(window);
      return;
    }
    if (!improve_through(window, request, path)) {
      (void)fw__transaction_assign(window, robot, path, horizon);  // the meter remembers a failure
      fw__transaction_commit(window);
    }
    FW_ASSERT(window->withdrawn_count == 0);
    return;
  }
  fw__transaction_roll_back(window);
  request.pass = FW_PASS_LOWER;
  const bool goes_through = window->options.is_plain == 0;
  if (found == FW_FOUND_STOPPED || (goes_through && plan_through(window, request))) {
    return;
  }
  ++window->counts.promotions;
  request.pass = FW_PASS_EQUAL;
  (void)plan_through(window, request);
}
