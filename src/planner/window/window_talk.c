// A robot that comes no nearer negotiates a way with all who are in it.

#include "planner/window/window_talk.h"

#include "planner/window/window_booking.h"
#include "planner/window/window_search.h"

// From which negotiation on others get a head start, counted in times that the robot's patience was at its end, and how
// many ticks for each of these times.
enum { HEAD_START_FROM = 4, HEAD_START = 4 };

static int32_t robot_count(const fw_window_t * window) { return window->fleet->problem->robot_count; }

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
  fw__reservations_remove(&window->table, robot);
  if (robot == talk->caller && !fw__window_wait(window, robot, talk->delay)) {
    return false;
  }
  const fw_window_wish_t wish = {.robot = robot, .horizon = horizon, .may = FW_WINDOW_ALL, .effort = talk->effort};
  const int64_t before = window->meter->expanded;
  if (fw__window_search(window, wish, &path) != FW_FOUND_PATH) {
    return false;
  }
  talk->effort -= window->meter->expanded - before;
  const fw_booking_t wanted = {.path = path, .from = window->plans[robot].until, .until = horizon};
  for (int32_t other = fw__reservations_first_conflict(&window->table, robot, &wanted); other >= 0;
       other = fw__reservations_first_conflict(&window->table, robot, &wanted)) {
    if (
      !fw__reservations_is_robot(&window->table, other) || !fw__window_lift(window, other, robot_count(window)) ||
      !fw__window_book_held(window, other)) {
      return false;
    }
    ++window->counts.overridden;
    fw__window_raise_price(window, other, window->options.reach);
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

bool fw__window_negotiate(fw_window_t * window, int32_t robot)
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

bool fw__window_is_patience_over(fw_window_t * window, int32_t robot)
{
  const int64_t left = fw__window_ticks_alone(window, robot, fw__window_pose(window, robot, window->now));
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
