// Steps of PIBT for the robots of a window, and the plans that come out.

#include "planner/window/crowd.h"

#include <string.h>

#include "base/assert.h"
#include "planner/lacam/pibt.h"
#include "planner/window/transaction.h"

// Distances that are not known yet may be computed by so many expansions for each robot in a call; the steps of robots
// whose distances are unknown then are not led, but safe.
enum { EXPANSIONS_PER_ROBOT = 64 };
enum { TRIES_MAX = 32 };

typedef struct fw_crowd_t {
  fw_pibt_generator_t pibt;
  fw_meter_t meter;  // of its own: steps must come out when the budget of the round is used up
  int32_t * places;  // `rows` rows of places by robot: now, a tick ago, ...
  int32_t * next;
  int32_t * order;
  int32_t * sorted;
  int32_t * wishes;   // by robot: its planned place at the next tick
  bool * is_on_plan;  // by robot: all its steps are those of its plan
  fw_cell_t * track;  // by robot: its cells from now on
  int32_t track_ticks;
} fw_crowd_t;

static int32_t robot_count(const fw_window_t * window) { return window->fleet->problem->robot_count; }

bool fw__crowd_init(fw_window_t * window)
{
  fw_arena_t * arena = window->arena;
  const size_t count = (size_t)robot_count(window);
  fw_crowd_t * crowd = fw__arena_allocate_zeroed(arena, 1, sizeof(*crowd));
  if (crowd == NULL || !fw__pibt_generator_init(&crowd->pibt, arena, window->fleet, &crowd->meter)) {
    return false;
  }
  fw__pibt_step_by_ticks(&crowd->pibt);
  crowd->pibt.rng = fw__rng((uint64_t)window->options.seed);
  crowd->places = fw__arena_allocate(arena, (size_t)crowd->pibt.rows * count, sizeof(*crowd->places));
  crowd->next = fw__arena_allocate(arena, count, sizeof(*crowd->next));
  crowd->order = fw__arena_allocate(arena, count, sizeof(*crowd->order));
  crowd->sorted = fw__arena_allocate(arena, count, sizeof(*crowd->sorted));
  crowd->wishes = fw__arena_allocate(arena, count, sizeof(*crowd->wishes));
  crowd->is_on_plan = fw__arena_allocate(arena, count, sizeof(*crowd->is_on_plan));
  crowd->track_ticks = window->options.window;
  crowd->track = fw__arena_allocate(arena, count * ((size_t)crowd->track_ticks + 1), sizeof(*crowd->track));
  window->crowd = crowd;
  return !fw__arena_has_failed(arena);
}

bool fw__crowd_can_step(const fw_window_t * window)
{
  fw_error_t error;
  const fw_problem_t * problem = window->fleet->problem;
  bool can_step =
    window->crowd != NULL && problem->grid->rules == NULL && fw__pibt_check_bodies(problem, &error) == FW_RET_OK;
  for (int32_t r = 0; r < robot_count(window) && can_step; ++r) {
    can_step = !fw__fleet_has_robot(window->fleet, r) || window->table.ready[r] == window->now;
  }
  return can_step;
}

// Where the robot was `ago` ticks ago, as far as its plan goes back.
static int32_t place_ago(const fw_window_t * window, int32_t robot, int32_t ago)
{
  const fw_tick_t from = window->plans[robot].from;
  const fw_tick_t tick = window->now - ago > from ? window->now - ago : from;
  return window->fleet->places->node_of[fw__window_place(window, robot, tick)];
}

static void begin(fw_window_t * window)
{
  fw_crowd_t * crowd = window->crowd;
  const int32_t count = robot_count(window);
  fw__meter_start(&crowd->meter, &(fw_budget_t){.expansions_max = (int64_t)count * EXPANSIONS_PER_ROBOT});
  fw__pibt_generator_update(&crowd->pibt, window->fleet, crowd->order);
  crowd->pibt.wishes = crowd->wishes;
  for (int32_t r = 0; r < count; ++r) {
    const bool is_there = fw__fleet_has_robot(window->fleet, r);
    for (int32_t row = 0; row < crowd->pibt.rows; ++row) {
      crowd->places[row * count + r] = is_there ? place_ago(window, r, row) : -1;
    }
    crowd->is_on_plan[r] = is_there;
    crowd->track[(size_t)r * (size_t)(crowd->track_ticks + 1)] =
      is_there ? fw__window_place(window, r, window->now) : 0;
  }
  fw__pibt_order_first(&crowd->pibt, window->ages, crowd->sorted);
}

static void wish(fw_window_t * window, fw_tick_t tick)
{
  fw_crowd_t * crowd = window->crowd;
  for (int32_t r = 0; r < robot_count(window); ++r) {
    const bool has_plan = crowd->is_on_plan[r] && window->plans[r].until >= tick;
    crowd->wishes[r] = has_plan ? window->fleet->places->node_of[fw__window_place(window, r, tick)] : -1;
    crowd->is_on_plan[r] = has_plan;
  }
}

static void move_to_front(int32_t * order, int32_t robot)
{
  int32_t at = 0;
  while (order[at] != robot) {
    ++at;
  }
  for (; at > 0; --at) {
    order[at] = order[at - 1];
  }
  order[0] = robot;
}

// One step, to tick now + `step`. A robot that can neither stay, because of a closure, nor leave chooses first in the
// next try. False if there is no step.
static bool make_step(fw_window_t * window, int32_t step)
{
  fw_crowd_t * crowd = window->crowd;
  const int32_t count = robot_count(window);
  const fw_tick_t tick = window->now + step - 1;
  const fw_pibt_turn_t turn = {.places = crowd->places, .tick = tick, .before = crowd->sorted};
  fw__pibt_order_next(&crowd->pibt, &turn, crowd->order);
  const fw_pibt_request_t request = {.places = crowd->places, .tick = tick, .order = crowd->order};
  wish(window, tick + 1);
  bool is_made = fw__pibt_generate(&crowd->pibt, &request, crowd->next);
  for (int32_t i = 0; i < TRIES_MAX && !is_made && crowd->pibt.failed_robot >= 0; ++i) {
    move_to_front(crowd->order, crowd->pibt.failed_robot);
    is_made = fw__pibt_generate(&crowd->pibt, &request, crowd->next);
  }
  if (!is_made) {
    return false;
  }
  memmove(
    crowd->places + count, crowd->places, (size_t)count * (size_t)(crowd->pibt.rows - 1) * sizeof(*crowd->places));
  memcpy(crowd->places, crowd->next, (size_t)count * sizeof(*crowd->places));
  for (int32_t r = 0; r < count; ++r) {
    if (crowd->places[r] >= 0) {
      crowd->track[(size_t)r * (size_t)(crowd->track_ticks + 1) + (size_t)step] =
        window->fleet->places->cell_of[crowd->places[r]];
      crowd->is_on_plan[r] = crowd->is_on_plan[r] && crowd->places[r] == crowd->wishes[r];
    }
  }
  int32_t * order = crowd->order;
  crowd->order = crowd->sorted;
  crowd->sorted = order;
  return true;
}

// The steps of a robot as its plan. Who wanted to enter its last place too soon after that loses the rest of its plan.
// Steps keep out of closures, but not `robust_ticks` away from them as searches do: a robot whose place closes soon may
// have no other way. False when there is no memory.
static bool assign(fw_window_t * window, int32_t robot, int32_t steps)
{
  const fw_crowd_t * crowd = window->crowd;
  const fw_tick_t until = window->now + steps;
  const fw_path_t path = {
    .cells = crowd->track + (size_t)robot * (size_t)(crowd->track_ticks + 1), .length = steps + 1};
  const fw_booking_t wanted = {.path = path, .from = window->now, .until = until};
  for (int32_t other = fw__reservations_conflicting_robot(&window->table, robot, &wanted); other >= 0;
       other = fw__reservations_conflicting_robot(&window->table, robot, &wanted)) {
    FW_ASSERT(crowd->is_on_plan[other]);
    FW_ASSERT(window->plans[other].until > until);
    if (!fw__window_shorten_plan(window, other, until)) {
      return false;
    }
  }
  return fw__window_set_plan(window, robot, path, until);
}

bool fw__crowd_step(fw_window_t * window, int32_t ticks)
{
  fw_crowd_t * crowd = window->crowd;
  const int32_t count = robot_count(window);
  FW_ASSERT(fw__crowd_can_step(window) && window->withdrawn_count == 0 && ticks >= 1);
  const int32_t most = ticks < crowd->track_ticks ? ticks : crowd->track_ticks;
  begin(window);
  int32_t steps = 0;
  while (steps < most && make_step(window, steps + 1)) {
    ++steps;
  }
  (void)fw__meter_add(window->meter, crowd->meter.expanded + (int64_t)count * steps);
  if (steps == 0) {
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    if (fw__fleet_has_robot(window->fleet, r) && !crowd->is_on_plan[r]) {
      fw__reservations_remove(&window->table, r);
    }
  }
  bool is_reserved = true;
  for (int32_t r = 0; r < count && is_reserved; ++r) {
    if (fw__fleet_has_robot(window->fleet, r) && !crowd->is_on_plan[r]) {
      is_reserved = assign(window, r, steps);
      ++window->counts.crowd_steps;
    }
  }
  FW_ASSERT(is_reserved || window->meter->stop == FW_STOP_MEMORY);
  return is_reserved;
}
