// Negotiation: a queue of robots that plan paths to their goals through each other, at prices that rise.

#include "planner/window/negotiation.h"

#include "base/assert.h"
#include "planner/window/replan.h"
#include "planner/window/transaction.h"

// A robot that has planned HEAD_START_FROM times its patience without progress gives the others a head start:
// HEAD_START ticks for each time.
enum { HEAD_START_FROM = 4, HEAD_START = 4 };

static int32_t robot_count(const fw_window_t * window) { return window->fleet->problem->robot_count; }

typedef struct negotiation_t {
  int32_t first;  // of the ring buffer window->queue: robots that have to plan
  int32_t count;
  int64_t effort;     // expansions that are left
  int32_t initiator;  // the robot that makes no progress
  fw_tick_t delay;    // how long the initiator waits first, so that the others have time to make way
} negotiation_t;

static void enqueue(fw_window_t * window, negotiation_t * negotiation, int32_t robot)
{
  if (!window->is_queued[robot]) {
    FW_ASSERT(negotiation->count < robot_count(window));
    window->is_queued[robot] = true;
    window->queue[(negotiation->first + negotiation->count++) % robot_count(window)] = robot;
  }
}

static int32_t dequeue(fw_window_t * window, negotiation_t * negotiation)
{
  FW_ASSERT(negotiation->count > 0);
  const int32_t robot = window->queue[negotiation->first];
  negotiation->first = (negotiation->first + 1) % robot_count(window);
  --negotiation->count;
  window->is_queued[robot] = false;
  return robot;
}

// Plans one robot: the cheapest path to its goal, whatever robots are in the way. These lose their plans, their prices
// rise, and they plan next. False if there is no path, or no memory.
static bool plan_next(fw_window_t * window, negotiation_t * negotiation, int32_t robot, fw_tick_t horizon)
{
  fw_path_t path;
  fw__reservations_remove(&window->table, robot);
  if (robot == negotiation->initiator && !fw__transaction_delay(window, robot, negotiation->delay)) {
    return false;
  }
  const fw_window_request_t request = {
    .robot = robot, .horizon = horizon, .pass = FW_PASS_ALL, .effort = negotiation->effort};
  const int64_t before = window->meter->expanded;
  if (fw__window_search(window, request, &path) != FW_FOUND_PATH) {
    return false;
  }
  negotiation->effort -= window->meter->expanded - before;
  const fw_booking_t wanted = {.path = path, .from = window->plans[robot].until, .until = horizon};
  int32_t last = -1;
  for (int32_t other = fw__reservations_first_conflict(&window->table, robot, &wanted); other >= 0;
       other = fw__reservations_first_conflict(&window->table, robot, &wanted)) {
    const bool cannot_yield = other == last;  // what it has to reserve is in the way
    last = other;
    if (
      cannot_yield || !fw__reservations_is_robot(&window->table, other) ||
      !fw__transaction_withdraw(window, other, robot_count(window)) || !fw__window_reserve_minimum(window, other)) {
      return false;
    }
    ++window->counts.overridden;
    fw__window_raise_price(window, other, window->options.reach);
    enqueue(window, negotiation, other);
  }
  return fw__transaction_assign(window, robot, path, horizon);
}

// Do the new plans of all robots that took part end on their goals?
static bool do_all_end_on_goals(const fw_window_t * window)
{
  for (int32_t i = 0; i < window->withdrawn_count; ++i) {
    const int32_t robot = window->withdrawn[i];
    const fw_window_plan_t * plan = &window->plans[robot];
    if (plan->cells[plan->length - 1] != window->fleet->problem->robots[robot].goal) {
      return false;
    }
  }
  return true;
}

// The first two negotiations begin without delay. After that the others get a head start, longer each time: a robot
// that is pushed along a corridor has no time to turn into a bay.
static fw_tick_t delay_of(const fw_window_t * window, int32_t robot)
{
  const int32_t times = window->stalls[robot] / window->options.patience;
  const int32_t most = window->options.reach / 2;
  return times < HEAD_START_FROM ? 0 : times < most / HEAD_START ? times * HEAD_START : most;
}

// Those that take part have agreed to plans in which all arrive. Until these are driven they have one priority, the
// lowest: otherwise those of higher priority would push the others back at once.
static void note_yields(fw_window_t * window)
{
  int32_t lowest = INT32_MAX;
  fw_tick_t last = window->now;
  for (int32_t i = 0; i < window->withdrawn_count; ++i) {
    const fw_window_plan_t * plan = &window->plans[window->withdrawn[i]];
    const int32_t priority = fw__window_priority(window, window->withdrawn[i]);
    lowest = priority < lowest ? priority : lowest;
    last = plan->from + plan->length > last ? plan->from + plan->length : last;
  }
  for (int32_t i = 0; i < window->withdrawn_count && window->options.is_strict == 0; ++i) {
    const int32_t robot = window->withdrawn[i];
    if (fw__window_priority(window, robot) > lowest) {
      window->yields_to[robot] = lowest;
      window->yields_until[robot] = last;
      ++window->counts.yields;
    }
  }
}

// One negotiation with this delay of the initiator and this many expansions.
static bool negotiate(fw_window_t * window, int32_t robot, fw_tick_t delay, int64_t effort)
{
  const fw_tick_t horizon = window->now + window->options.reach;
  negotiation_t negotiation = {.effort = effort, .initiator = robot, .delay = delay};
  FW_ASSERT(window->withdrawn_count == 0 && window->options.patience > 0);
  bool has_path = fw__transaction_withdraw(window, robot, robot_count(window));
  enqueue(window, &negotiation, robot);
  while (has_path && negotiation.count > 0 && negotiation.effort > 0 && !fw__window_is_exhausted(window)) {
    has_path = plan_next(window, &negotiation, dequeue(window, &negotiation), horizon);
  }
  FW_ASSERT(negotiation.count >= 0 && window->withdrawn_count >= negotiation.count);
  const bool is_agreed = has_path && negotiation.count == 0 && do_all_end_on_goals(window);
  while (negotiation.count > 0) {
    (void)dequeue(window, &negotiation);
  }
  if (is_agreed) {
    ++window->counts.negotiations;
    note_yields(window);
    fw__transaction_commit(window);
    return true;
  }
  ++window->counts.rollbacks;
  fw__transaction_roll_back(window);
  return false;
}

bool fw__negotiation_run(fw_window_t * window, int32_t robot)
{
  return negotiate(window, robot, delay_of(window, robot), window->options.effort);
}

bool fw__negotiation_run_at_once(fw_window_t * window, int32_t robot)
{
  const int64_t end = window->meter->expanded + window->options.effort;
  bool is_agreed = false;
  for (fw_tick_t delay = 0; delay <= window->options.reach / 2 && !is_agreed; delay = delay == 0 ? 1 : 2 * delay) {
    const int64_t left = end - window->meter->expanded;
    if (left <= 0 || fw__meter_has_stopped(window->meter) || fw__window_is_exhausted(window)) {
      return false;
    }
    is_agreed = negotiate(window, robot, delay, left / 2 + 1);
  }
  return is_agreed;
}

bool fw__negotiation_is_due(fw_window_t * window, int32_t robot)
{
  const int64_t left = fw__window_ticks_alone(window, robot, fw__window_pose(window, robot, window->now));
  if (left == 0 || window->options.patience == 0) {
    return false;
  }
  if (left < window->nearest[robot]) {
    window->nearest[robot] = (int32_t)left;
    window->stalls[robot] = 0;
    return false;
  }
  const int32_t stalls = ++window->stalls[robot];
  const int32_t rest = stalls % window->options.patience;
  const int32_t times = stalls / window->options.patience;
  return rest == 0 && (times & (times - 1)) == 0;
}
