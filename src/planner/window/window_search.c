// What a robot of a rolling fleet searches for, and what others cost it.

#include "planner/window/window_search.h"

#include "planner/window/window_hold.h"

static int32_t robot_count(const fw_window_t * window) { return window->fleet->problem->robot_count; }

// ---- rank and prices ------------------------------------------------------------------------------------------------

bool fw__window_outranks(const fw_window_t * window, int32_t a, int32_t b)
{
  const fw_robot_t * robots = window->fleet->problem->robots;
  if (robots[a].priority != robots[b].priority) {
    return robots[a].priority > robots[b].priority;
  }
  return window->ages[a] != window->ages[b] ? window->ages[a] > window->ages[b] : a < b;
}

// Nobody is asked twice in one transaction, but in a negotiation.
static int32_t price_of(const fw_window_t * window, int32_t robot, int32_t other, fw_window_may_t may)
{
  const fw_robot_t * robots = window->fleet->problem->robots;
  const bool is_open = may == FW_WINDOW_LOWER ? fw__window_outranks(window, robot, other)
                                              : robots[other].priority <= robots[robot].priority;
  if (!is_open || (window->is_changed[other] && may != FW_WINDOW_ALL)) {
    return FW_PRICE_NEVER;
  }
  return robots[other].priority < robots[robot].priority ? 0 : window->options.price + window->rises[other];
}

void fw__window_raise_price(fw_window_t * window, int32_t robot, int32_t most)
{
  const int32_t next = window->rises[robot] + window->options.price_rise;
  most -= window->options.price;
  window->rises[robot] = next < most ? next : most > 0 ? most : 0;
}

// ---- searches -------------------------------------------------------------------------------------------------------

fw_found_t fw__window_search(fw_window_t * window, fw_window_wish_t wish, fw_path_t * path)
{
  const fw_window_plan_t * plan = &window->plans[wish.robot];
  const fw_pose_t pose = fw__window_pose(window, wish.robot, plan->until);
  const fw_spacetime_query_t query = {
    .table = &window->table,
    .moves = window->fleet->moves[wish.robot],
    .robot = wish.robot,
    .start = pose.cell,
    .heading = pose.heading,
    .now = plan->until,
    .horizon = wish.horizon,
    .prices = wish.may == FW_WINDOW_NOBODY ? NULL : window->prices,
    .is_paid_once = true,
    .must_arrive = wish.may == FW_WINDOW_ALL,
    .limit = wish.limit,
    .effort = wish.effort,
    .distance = window->options.estimate > 0 ? NULL : fw__fleet_distance(window->fleet, wish.robot),
    .estimate_degree = window->options.estimate,
  };
  if (wish.may != FW_WINDOW_NOBODY && !fw__window_holds_know(window)) {
    return FW_FOUND_STOPPED;
  }
  for (int32_t r = 0; r < robot_count(window) && wish.may != FW_WINDOW_NOBODY; ++r) {  // of empty places, too
    window->prices[r] = price_of(window, wish.robot, r, wish.may);
  }
  ++window->counts.searches;
  return fw__spacetime_search_path(&window->search, &query, window->meter, path);
}

int64_t fw__window_ticks_alone(fw_window_t * window, int32_t robot, fw_pose_t pose)
{
  const fw_fleet_t * fleet = window->fleet;
  if (window->options.estimate > 0) {
    const fw_robot_t * shape = &fleet->problem->robots[robot];
    const int32_t moves = fw__moves_estimate(fleet->problem->grid, window->options.estimate, pose.cell, shape->goal);
    return (int64_t)moves * shape->ticks_per_move;
  }
  const int32_t node = fw__moves_node(fleet->moves[robot], pose);
  return fw__fleet_ticks(fleet, robot, fw__distance_get(fw__fleet_distance(fleet, robot), node, window->meter));
}
