// One robot's next plan in a rolling fleet.

#include "planner/window_route.h"

#include "planner/window_booking.h"
#include "planner/window_hold.h"

typedef enum may_override_t { OVERRIDE_NOBODY, OVERRIDE_LOWER, OVERRIDE_EQUAL, NEGOTIATE } may_override_t;

// From which negotiation on others get a head start, counted in times that the robot's patience was at its end, and how
// many ticks for each of these times.
enum { HEAD_START_FROM = 4, HEAD_START = 4 };

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
static int32_t price_of(const fw_window_t * window, int32_t robot, int32_t other, may_override_t may)
{
  const fw_robot_t * robots = window->fleet->problem->robots;
  const bool is_open = may == OVERRIDE_LOWER ? fw__window_outranks(window, robot, other)
                                             : robots[other].priority <= robots[robot].priority;
  if (!is_open || (window->is_changed[other] && may != NEGOTIATE)) {
    return FW_PRICE_NEVER;
  }
  return robots[other].priority < robots[robot].priority ? 0 : window->options.price + window->rises[other];
}

// Two robots that push each other off their goals would do so for ever; as it gets dearer each time, one of them goes
// round. Prices fall by half with every window that passes, so that those who made way once are not in the way for ever.
static void raise_price(fw_window_t * window, int32_t robot, int32_t most)
{
  const int32_t next = window->rises[robot] + window->options.price_rise;
  most -= window->options.price;
  window->rises[robot] = next < most ? next : most > 0 ? most : 0;
}

// ---- searches -------------------------------------------------------------------------------------------------------

typedef struct wish_t {
  int32_t robot;
  fw_tick_t horizon;
  may_override_t may;
  int64_t limit;   // as in fw_query_t
  int64_t effort;  // as in fw_query_t
} wish_t;

// A path for a robot that was lifted.
static fw_found_t search(fw_window_t * window, wish_t wish, fw_path_t * path)
{
  const fw_window_plan_t * plan = &window->plans[wish.robot];
  const fw_pose_t pose = fw_window_pose(window, wish.robot, plan->until);
  const fw_query_t query = {
    .table = &window->table,
    .moves = window->fleet->moves[wish.robot],
    .robot = wish.robot,
    .start = pose.cell,
    .heading = pose.heading,
    .now = plan->until,
    .horizon = wish.horizon,
    .prices = wish.may == OVERRIDE_NOBODY ? NULL : window->prices,
    .is_paid_once = true,
    .must_arrive = wish.may == NEGOTIATE,
    .limit = wish.limit,
    .effort = wish.effort,
    .distance = window->options.estimate > 0 ? NULL : fw_fleet_distance(window->fleet, wish.robot),
    .estimate_degree = window->options.estimate,
  };
  if (wish.may != OVERRIDE_NOBODY && !fw__window_holds_know(window)) {
    return FW_FOUND_STOPPED;
  }
  for (int32_t r = 0; r < robot_count(window) && wish.may != OVERRIDE_NOBODY; ++r) {  // of empty places, too
    window->prices[r] = price_of(window, wish.robot, r, wish.may);
  }
  ++window->counts.searches;
  return fw_search_path(&window->search, &query, window->meter, path);
}

// The ticks to the goal from a pose, alone on the map: truly, or as the robot estimates it.
static int64_t ticks_alone(fw_window_t * window, int32_t robot, fw_pose_t pose)
{
  const fw_fleet_t * fleet = window->fleet;
  if (window->options.estimate > 0) {
    const fw_robot_t * shape = &fleet->problem->robots[robot];
    const int32_t moves = fw_moves_estimate(fleet->problem->grid, window->options.estimate, pose.cell, shape->goal);
    return (int64_t)moves * shape->ticks_per_move;
  }
  const int32_t node = fw_moves_node(fleet->moves[robot], pose);
  return fw_fleet_ticks(fleet, robot, fw_distance_get(fw_fleet_distance(fleet, robot), node, window->meter));
}

// What a path that begins when the robot is ready comes to: its ticks until the horizon, but for pauses on the goal, and
// those that are left from there.
static int64_t ticks_of(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t horizon)
{
  const fw_robot_t * shape = &window->fleet->problem->robots[robot];
  const fw_cell_t end = path.cells[path.length - 1];
  int64_t ticks = end == shape->goal ? 0 : horizon - window->plans[robot].until - (path.length - 1);
  for (int32_t i = 1; i < path.length; ++i) {
    const bool is_on_goal = path.cells[i] == shape->goal && path.cells[i - 1] == shape->goal;
    ticks += !is_on_goal ? 1 : fw_path_arrives(&path, i) ? shape->turn_ticks : 0;
  }
  return ticks + ticks_alone(window, robot, fw_path_pose(&path, path.length - 1));
}

// ---- through others -------------------------------------------------------------------------------------------------

// Lifts all whom the path runs into; their present places stay booked. False if they are too many, or have changed
// already, or if a closure is in the way.
static bool clear_the_way(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until)
{
  const fw_booking_t wanted = {.path = path, .from = window->plans[robot].until, .until = until};
  for (int32_t other = fw_reservations_meet_booking(&window->table, robot, &wanted); other >= 0;
       other = fw_reservations_meet_booking(&window->table, robot, &wanted)) {
    if (
      !fw_reservations_is_robot(&window->table, other) || window->is_changed[other] ||
      !fw__window_lift(window, other, window->options.changes_max) || !fw__window_book_held(window, other)) {
      return false;
    }
    ++window->counts.overridden;
    raise_price(window, other, window->options.window);
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
  fw_reservations_remove(&window->table, robot);
  for (may_override_t may = OVERRIDE_NOBODY; found == FW_FOUND_NONE && may <= OVERRIDE_EQUAL; ++may) {
    found = search(window, (wish_t){.robot = robot, .horizon = until, .may = may}, &path);
  }
  return found == FW_FOUND_PATH && clear_the_way(window, robot, path, until) &&
         fw__window_settle(window, robot, path, until);
}

// Gives a robot that was lifted this path; all whom it runs into find another. False: nothing has changed.
static bool go_through(fw_window_t * window, wish_t wish, fw_path_t path)
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

static bool plan_through(fw_window_t * window, wish_t wish)
{
  fw_path_t path;
  if (
    fw__window_lift(window, wish.robot, window->options.changes_max) && search(window, wish, &path) == FW_FOUND_PATH) {
    return go_through(window, wish, path);
  }
  ++window->counts.rollbacks;
  fw__window_roll_back(window);
  return false;
}

// ---- with others ----------------------------------------------------------------------------------------------------

typedef struct talk_t {
  int32_t first;
  int32_t count;
  int64_t effort;   // expansions that are left
  int32_t caller;   // who has begun
  fw_tick_t delay;  // that many ticks it lets pass, so that the others have time to make way
} talk_t;

static void call(fw_window_t * window, talk_t * talk, int32_t robot)
{
  if (!window->is_queued[robot]) {
    window->is_queued[robot] = true;
    window->queue[(talk->first + talk->count++) % robot_count(window)] = robot;
  }
}

static int32_t answer_call(fw_window_t * window, talk_t * talk)
{
  const int32_t robot = window->queue[talk->first];
  talk->first = (talk->first + 1) % robot_count(window);
  --talk->count;
  window->is_queued[robot] = false;
  return robot;
}

// One robot's turn: the cheapest way to its goal, whoever is in it. They are asked next, and become dearer.
static bool take_turn(fw_window_t * window, talk_t * talk, int32_t robot, fw_tick_t horizon)
{
  fw_path_t path;
  fw_reservations_remove(&window->table, robot);
  if (robot == talk->caller && !fw__window_wait(window, robot, talk->delay)) {
    return false;
  }
  const wish_t wish = {.robot = robot, .horizon = horizon, .may = NEGOTIATE, .effort = talk->effort};
  const int64_t before = window->meter->expanded;
  if (search(window, wish, &path) != FW_FOUND_PATH) {
    return false;
  }
  talk->effort -= window->meter->expanded - before;
  const fw_booking_t wanted = {.path = path, .from = window->plans[robot].until, .until = horizon};
  for (int32_t other = fw_reservations_meet_booking(&window->table, robot, &wanted); other >= 0;
       other = fw_reservations_meet_booking(&window->table, robot, &wanted)) {
    if (
      !fw_reservations_is_robot(&window->table, other) || !fw__window_lift(window, other, robot_count(window)) ||
      !fw__window_book_held(window, other)) {
      return false;
    }
    ++window->counts.overridden;
    raise_price(window, other, window->options.reach);
    call(window, talk, other);
  }
  return fw__window_settle(window, robot, path, horizon);
}

static bool do_all_end_on_goals(const fw_window_t * window)
{
  for (int32_t i = 0; i < window->change_count; ++i) {
    const int32_t robot = window->changes[i];
    const fw_window_plan_t * plan = &window->plans[robot];
    if (plan->cells[plan->length - 1] != window->fleet->problem->robots[robot].goal) {
      return false;
    }
  }
  return true;
}

// Twice it goes at once. When that was of no use the others get a head start, longer each time: who is chased along a lane
// has no time to turn into a bay.
static fw_tick_t delay_of(const fw_window_t * window, int32_t robot)
{
  const int32_t times = window->troubles[robot] / window->options.patience;
  const int32_t most = window->options.reach / 2;
  return times < HEAD_START_FROM ? 0 : times < most / HEAD_START ? times * HEAD_START : most;
}

// Everybody who is asked to make way finds another way to the goal, or asks in turn. False: nothing has changed.
static bool negotiate(fw_window_t * window, int32_t robot)
{
  const fw_tick_t horizon = window->now + window->options.reach;
  talk_t talk = {.effort = window->options.effort, .caller = robot, .delay = delay_of(window, robot)};
  bool is_fine = fw__window_lift(window, robot, robot_count(window));
  call(window, &talk, robot);
  while (is_fine && talk.count > 0 && talk.effort > 0) {
    is_fine = take_turn(window, &talk, answer_call(window, &talk), horizon);
  }
  const bool is_agreed = is_fine && talk.count == 0 && do_all_end_on_goals(window);
  while (talk.count > 0) {
    (void)answer_call(window, &talk);
  }
  if (is_agreed) {
    ++window->counts.negotiations;
    fw__window_commit(window);
    return true;
  }
  ++window->counts.rollbacks;
  fw__window_roll_back(window);
  return false;
}

// A robot that plans from no nearer than before is in trouble; it negotiates when its patience is at an end, and from
// then on after twice the time.
static bool is_patience_over(fw_window_t * window, int32_t robot)
{
  const int64_t left = ticks_alone(window, robot, fw_window_pose(window, robot, window->now));
  if (left == 0 || window->options.patience == 0) {
    return false;
  }
  if (left < window->nearest[robot]) {
    window->nearest[robot] = (int32_t)left;
    window->troubles[robot] = 0;
    return false;
  }
  const int32_t troubles = ++window->troubles[robot];
  const int32_t rest = troubles % window->options.patience;
  const int32_t times = troubles / window->options.patience;
  return rest == 0 && (times & (times - 1)) == 0;
}

// ---- all of it ------------------------------------------------------------------------------------------------------

// A path around everybody is there. Through lower ranks, if that is worth their price? False if not, or if they cannot
// make way; the robot is lifted in either case.
static bool is_better_through(fw_window_t * window, wish_t wish, fw_path_t path)
{
  const int64_t ticks = ticks_of(window, wish.robot, path, wish.horizon);
  const int64_t delay = ticks - ticks_alone(window, wish.robot, fw_path_pose(&path, 0));
  if (delay <= (window->has_priorities ? 0 : window->options.price)) {
    return false;
  }
  wish.may = OVERRIDE_LOWER;
  wish.limit = window->fleet->moves[wish.robot]->is_uniform ? ticks : 0;  // else distances are not in ticks
  if (search(window, wish, &path) != FW_FOUND_PATH) {
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
  const fw_pose_t pose = fw_window_pose(window, robot, window->now);
  if (window->options.places_max > 0 && !fw_fleet_trim(window->fleet, robot, pose, window->options.places_max)) {
    fw_meter_stop(window->meter, FW_STOP_MEMORY);
    return;
  }
  if (is_patience_over(window, robot) && negotiate(window, robot)) {
    return;
  }
  fw_path_t path;
  if (!fw__window_lift(window, robot, window->options.changes_max)) {
    fw__window_roll_back(window);
    return;
  }
  wish_t wish = {.robot = robot, .horizon = horizon, .may = OVERRIDE_NOBODY};
  const fw_found_t found = search(window, wish, &path);
  if (found == FW_FOUND_PATH) {
    if (!fw__window_keep(window, &path) || is_better_through(window, wish, path)) {
      return;
    }
    if (!fw__window_settle(window, robot, path, horizon)) {
      fw_meter_stop(window->meter, FW_STOP_MEMORY);
    }
    fw__window_commit(window);
    return;
  }
  fw__window_roll_back(window);
  wish.may = OVERRIDE_LOWER;
  if (found == FW_FOUND_STOPPED || plan_through(window, wish)) {
    return;
  }
  ++window->counts.promotions;
  wish.may = OVERRIDE_EQUAL;
  (void)plan_through(window, wish);
}
