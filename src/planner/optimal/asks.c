// What is asked of the robots, and what becomes of it.

#include "planner/optimal/asks.h"

enum { LONGER = 8, TRIES = 20, TRIMS = 4 };

static bool add_ask(fw_asks_t * asks, fw_ask_t ask)
{
  if (asks->count == asks->capacity) {
    fw_ask_t * items = fw__arena_grow(asks->arena, asks->items, (size_t)asks->count, sizeof(*items), &asks->capacity);
    if (items == NULL) {
      return false;
    }
    asks->items = items;
  }
  asks->items[asks->count++] = ask;
  return true;
}

bool fw__asks_init(fw_asks_t * asks, fw_flow_t * flow, const fw_cores_options_t * options)
{
  const int32_t count = flow->scene->problem->robot_count;
  *asks = (fw_asks_t){
    .flow = flow, .arena = flow->arena, .is_minimised = options->is_minimised, .is_disjoint = options->is_disjoint};
  asks->group_of = fw__arena_allocate(asks->arena, (size_t)count, sizeof(*asks->group_of));
  asks->charges = fw__arena_allocate_zeroed(asks->arena, (size_t)count, sizeof(*asks->charges));
  bool is_fine = asks->group_of != NULL && asks->charges != NULL;
  for (int32_t r = 0; r < count && is_fine; ++r) {
    asks->group_of[r] = r;
    is_fine = add_ask(asks, (fw_ask_t){.literal = fw__flow_limit(flow, r), .robot = r});
  }
  return is_fine;
}

static fw_sat_result_t solve(fw_asks_t * asks, const fw_list_t * literals, int64_t conflicts_max)
{
  const fw_sat_query_t query = {
    .assumptions = literals->items, .count = literals->count, .conflicts_max = conflicts_max};
  return fw__sat_solve(&asks->flow->sat, &query);
}

fw_sat_result_t fw__asks_try(fw_asks_t * asks)
{
  asks->all.count = 0;
  bool is_fine = true;
  for (int32_t i = 0; i < asks->count && is_fine; ++i) {
    is_fine = asks->items[i].is_waiting || fw__list_push_in(asks->arena, &asks->all, asks->items[i].literal);
  }
  is_fine = is_fine && fw__list_push_in(asks->arena, &asks->all, asks->flow->horizon);
  return is_fine ? solve(asks, &asks->all, 0) : FW_SAT_STOPPED;
}

// ---- smaller cores --------------------------------------------------------------------------------------------------

static bool take_core(fw_asks_t * asks)
{
  const fw_list_t * found = &asks->flow->sat.core;
  bool is_fine = true;
  asks->core.count = 0;
  for (int32_t i = 0; i < found->count && is_fine; ++i) {
    is_fine = fw__list_push_in(asks->arena, &asks->core, found->items[i]);
  }
  return is_fine;
}

// A core without one of its literals, if that is quickly found to be one.
static fw_sat_result_t drop(fw_asks_t * asks, int32_t place)
{
  fw_list_t * core = &asks->core;
  const int32_t dropped = core->items[place];
  core->items[place] = core->items[--core->count];
  const fw_sat_result_t answer = solve(asks, core, TRIES);
  if (answer == FW_SAT_UNSATISFIABLE) {
    return take_core(asks) ? FW_SAT_UNSATISFIABLE : FW_SAT_STOPPED;
  }
  core->items[core->count++] = core->items[place];
  core->items[place] = dropped;
  return answer;
}

// A literal of the core that has not been tried without.
static int32_t find_untried(const fw_asks_t * asks)
{
  for (int32_t i = 0; i < asks->core.count; ++i) {
    bool is_needed = false;
    for (int32_t k = 0; k < asks->needed.count && !is_needed; ++k) {
      is_needed = asks->needed.items[k] == asks->core.items[i];
    }
    if (!is_needed) {
      return i;
    }
  }
  return -1;
}

static bool minimise(fw_asks_t * asks)
{
  int32_t before = INT32_MAX;
  for (int32_t trims = 0; trims < TRIMS && asks->core.count < before; ++trims) {
    before = asks->core.count;
    const fw_sat_result_t answer = solve(asks, &asks->core, TRIES);
    if (answer == FW_SAT_STOPPED || (answer == FW_SAT_UNSATISFIABLE && !take_core(asks))) {
      return false;
    }
  }
  asks->needed.count = 0;
  for (int32_t i = find_untried(asks); i >= 0 && asks->core.count > 1; i = find_untried(asks)) {
    const int32_t literal = asks->core.items[i];
    const fw_sat_result_t answer = drop(asks, i);
    if (answer == FW_SAT_STOPPED || !fw__list_push_in(asks->arena, &asks->needed, literal)) {
      return false;
    }
  }
  return true;
}

// ---- what follows ---------------------------------------------------------------------------------------------------

static int32_t find_ask(const fw_asks_t * asks, int32_t literal)
{
  int32_t i = 0;
  while (asks->items[i].literal != literal) {
    ++i;
  }
  return i;
}

// What is asked in place of one that was in a core.
static bool relax(fw_asks_t * asks, int32_t index)
{
  fw_ask_t ask = asks->items[index];
  asks->items[index] = asks->items[--asks->count];
  ask.is_waiting = false;
  if (ask.total.count == 0) {
    if (!fw__flow_raise(asks->flow, ask.robot)) {
      return false;
    }
    ask.literal = fw__flow_limit(asks->flow, ask.robot);
    return add_ask(asks, ask);
  }
  if (++ask.place >= ask.total.count) {
    return true;
  }
  ask.literal = fw__sat_not(ask.total.outputs[ask.place]);
  return add_ask(asks, ask);
}

static void join(fw_asks_t * asks, int32_t one, int32_t two)
{
  const int32_t group = asks->group_of[one];
  const int32_t other = asks->group_of[two];
  if (group == other) {
    return;
  }
  asks->charges[group] += asks->charges[other];
  for (int32_t r = 0; r < asks->flow->scene->problem->robot_count; ++r) {
    asks->group_of[r] = asks->group_of[r] == other ? group : asks->group_of[r];
  }
}

// At least one of the core is given up.
static bool charge(fw_asks_t * asks)
{
  const int32_t robot = asks->items[find_ask(asks, asks->core.items[0])].robot;
  bool is_fine = fw__list_push_in(asks->arena, &asks->waiting, asks->core.count);
  for (int32_t i = 0; i < asks->core.count && is_fine; ++i) {
    fw_ask_t * ask = &asks->items[find_ask(asks, asks->core.items[i])];
    ask->is_waiting = true;
    join(asks, robot, ask->robot);
    is_fine = fw__list_push_in(asks->arena, &asks->waiting, ask->literal);
  }
  ++asks->bound;
  ++asks->charges[asks->group_of[robot]];
  return is_fine;
}

// What becomes of a core.
static bool settle(fw_asks_t * asks, const int32_t * literals, int32_t count)
{
  fw_sat_t * sat = &asks->flow->sat;
  fw_ask_t sum = {.robot = asks->items[find_ask(asks, literals[0])].robot, .place = 1};
  asks->violated.count = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (
      !fw__list_push_in(asks->arena, &asks->violated, fw__sat_not(literals[i])) ||
      !relax(asks, find_ask(asks, literals[i]))) {
      return false;
    }
  }
  if (!fw__sat_add_clause(sat, asks->violated.items, asks->violated.count)) {
    return false;
  }
  if (count == 1) {
    return true;
  }
  if (!fw__totalizer_init(&sum.total, sat, asks->violated.items, asks->violated.count)) {
    return false;
  }
  sum.literal = fw__sat_not(sum.total.outputs[1]);
  return add_ask(asks, sum);
}

bool fw__asks_settle(fw_asks_t * asks, bool * is_fine)
{
  const bool has_waited = asks->waiting.count > 0;
  *is_fine = true;
  for (int32_t at = 0; at < asks->waiting.count && *is_fine; at += asks->waiting.items[at] + 1) {
    *is_fine = settle(asks, &asks->waiting.items[at + 1], asks->waiting.items[at]);
  }
  asks->waiting.count = 0;
  return has_waited;
}

bool fw__asks_learn(fw_asks_t * asks)
{
  if (!take_core(asks) || (asks->is_minimised && !minimise(asks))) {
    return false;
  }
  for (int32_t i = 0; i < asks->core.count; ++i) {
    if (asks->core.items[i] == asks->flow->horizon) {
      return fw__flow_prolong(asks->flow, LONGER);
    }
  }
  bool is_fine = asks->core.count == 0 || charge(asks);
  if (is_fine && asks->core.count > 0 && (!asks->is_disjoint || asks->core.count == 1)) {
    const int32_t n = asks->core.count;
    const int32_t at = asks->waiting.count - n;
    is_fine = settle(asks, &asks->waiting.items[at], n);
    asks->waiting.count -= n + 1;
  }
  return is_fine;
}
