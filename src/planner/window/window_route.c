// One robot's next plan in a rolling fleet.

#include "planner/window/window_route.h"

#include "planner/window/window_booking.h"
#include "planner/window/window_search.h"
#include "planner/window/window_talk.h"

// ---- through others -------------------------------------------------------------------------------------------------

// Lifts all whom the path runs into; their present places stay booked. False if they are too many, or have changed
// already, or if a closure is in the way.
static bool clear_the_way(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until)
{
  const fw_booking_t wanted = {.path = path, .from = window->plans[robot].until, .until = until};
  for (int32_t other = fw__reservations_meet_booking(&window->table, robot, &wanted); other >= 0;
       other = fw__reservations_meet_booking(&window->table, robot, &wanted)) {
    if (
      !fw__reservations_is_robot(&window->table, other) || window->is_changed[other] ||
      !fw__window_lift(window, other, window->options.changes_max) || !fw__window_book_held(window, other)) {
      return false;
    }
    ++window->counts.overridden;
    fw__window_raise_price(window, other, window->options.window);
  }
  return true;
}

// The next robot of a transaction plans again until its old end: around others, if it must through lower ranks, at last
// through equals.
static bool plan_changed(fw_window_t * window, int32_t robot)
{
  const fw_tick_t until = window->saved[robot].until;
  fw_found_t found = FW_FOUND_NONE;
  fw_path_t path;
  fw__reservations_remove(&window->table, robot);
  for (fw_window_may_t may = FW_WINDOW_NOBODY; found == FW_FOUND_NONE && may <= FW_WINDOW_EQUAL; ++may) {
    found = fw__window_search(window, (fw_window_wish_t){.robot = robot, .horizon = until, .may = may}, &path);
  }
  return found == FW_FOUND_PATH && clear_the_way(window, robot, path, until) &&
         fw__window_settle(window, robot, path, until);
}

// Gives a robot that was lifted this path; all whom it runs into find another. False: nothing has changed.
static bool go_through(fw_window_t * window, fw_window_wish_t wish, fw_path_t path)
{
  bool is_fine =
    clear_the_way(window, wish.robot, path, wish.horizon) && fw__window_settle(window, wish.robot, path, wish.horizon);
  for (int32_t i = 1; i < window->change_count && is_fine; ++i) {
    is_fine = plan_changed(window, window->changes[i]);
  }
  if (is_fine) {
    fw__window_commit(window);
    return true;
  }
  ++window->counts.rollbacks;
  fw__window_roll_back(window);
  return false;
}

static bool plan_through(fw_window_t * window, fw_window_wish_t wish)
{
  fw_path_t path;
  if (
    fw__window_lift(window, wish.robot, window->options.changes_max) &&
    fw__window_search(window, wish, &path) == FW_FOUND_PATH) {
    return go_through(window, wish, path);
  }
  ++window->counts.rollbacks;
  fw__window_roll_back(window);
  return false;
}

// ---- all of it ------------------------------------------------------------------------------------------------------

// What a path that begins when the robot is ready comes to: its ticks until the horizon, but for pauses on the goal, and
// those that are left from there.
static int64_t ticks_of(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t horizon)
{
  const fw_robot_t * shape = &window->fleet->problem->robots[robot];
  const fw_cell_t end = path.cells[path.length - 1];
  int64_t ticks = end == shape->goal ? 0 : horizon - window->plans[robot].until - (path.length - 1);
  for (int32_t i = 1; i < path.length; ++i) {
    const bool is_on_goal = path.cells[i] == shape->goal && path.cells[i - 1] == shape->goal;
    ticks += !is_on_goal ? 1 : fw__path_arrives(&path, i) ? shape->turn_ticks : 0;
  }
  return ticks + fw__window_ticks_alone(window, robot, fw__path_pose(&path, path.length - 1));
}

// A path around everybody is there. Through lower ranks, if that is worth their price? False if not, or if they cannot
// make way; the robot is lifted in either case.
static bool is_better_through(fw_window_t * window, fw_window_wish_t wish, fw_path_t path)
{
  const int64_t ticks = ticks_of(window, wish.robot, path, wish.horizon);
  const int64_t delay = ticks - fw__window_ticks_alone(window, wish.robot, fw__path_pose(&path, 0));
  if (delay <= (window->has_priorities ? 0 : window->options.price)) {
    return false;
  }
  wish.may = FW_WINDOW_LOWER;
  wish.limit = window->fleet->moves[wish.robot]->is_uniform ? ticks : 0;  // else distances are not in ticks
  if (fw__window_search(window, wish, &path) != FW_FOUND_PATH) {
    return false;
  }
  if (go_through(window, wish, path)) {
    return true;
  }
  (void)fw__window_lift(window, wish.robot, window->options.changes_max);
  return false;
}

// Around everybody first; through lower ranks if that would be later than alone, through equals if there is no way.
void fw__window_replan(fw_window_t * window, int32_t robot, fw_tick_t horizon)
{
  const fw_pose_t pose = fw__window_pose(window, robot, window->now);
  if (window->options.places_max > 0 && !fw__fleet_restart_distance(window->fleet, robot, pose, window->options.places_max)) {
    fw__meter_stop(window->meter, FW_STOP_MEMORY);
    return;
  }
  if (fw__window_is_patience_over(window, robot) && fw__window_negotiate(window, robot)) {
    return;
  }
  fw_path_t path;
  if (!fw__window_lift(window, robot, window->options.changes_max)) {
    fw__window_roll_back(window);
    return;
  }
  fw_window_wish_t wish = {.robot = robot, .horizon = horizon, .may = FW_WINDOW_NOBODY};
  const fw_found_t found = fw__window_search(window, wish, &path);
  if (found == FW_FOUND_PATH) {
    if (!fw__window_keep(window, &path) || is_better_through(window, wish, path)) {
      return;
    }
    if (!fw__window_settle(window, robot, path, horizon)) {
      fw__meter_stop(window->meter, FW_STOP_MEMORY);
    }
    fw__window_commit(window);
    return;
  }
  fw__window_roll_back(window);
  wish.may = FW_WINDOW_LOWER;
  if (found == FW_FOUND_STOPPED || plan_through(window, wish)) {
    return;
  }
  ++window->counts.promotions;
  wish.may = FW_WINDOW_EQUAL;
  (void)plan_through(window, wish);
}
