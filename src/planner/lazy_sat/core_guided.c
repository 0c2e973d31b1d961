// Core-guided MaxSAT: extraction, reduction and relaxation of unsatisfiable cores.

#include "planner/lazy_sat/core_guided.h"

// Ticks by which the horizon is extended; conflicts allowed for one reduction step; passes of core trimming.
enum { HORIZON_STEP = 8, REDUCTION_CONFLICTS_MAX = 20, TRIMS_MAX = 4 };

static void add_constraint(fw_core_guided_t * search, fw_soft_constraint_t constraint)
{
  if (search->constraint_count == search->constraint_capacity) {
    fw_soft_constraint_t * constraints =
      fw__arena_grow(search->arena, search->constraints, sizeof(*constraints), &search->constraint_capacity);
    if (constraints == NULL) {
      return;
    }
    search->constraints = constraints;
  }
  search->constraints[search->constraint_count++] = constraint;
}

void fw__core_guided_init(fw_core_guided_t * search, fw_mdd_encoding_t * mdd, const fw_core_guided_options_t * options)
{
  const int32_t count = mdd->instance->problem->robot_count;
  fw_arena_t * arena = mdd->arena;
  *search = (fw_core_guided_t){
    .mdd = mdd,
    .arena = arena,
    .options = *options,
    .assumptions = fw__list(arena),
    .core = fw__list(arena),
    .needed = fw__list(arena),
    .suspended = fw__list(arena),
    .violated = fw__list(arena),
  };
  search->group_of = fw__arena_allocate(arena, (size_t)count, sizeof(*search->group_of));
  search->excess_of = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*search->excess_of));
  for (int32_t r = 0; r < count && search->group_of != NULL; ++r) {
    search->group_of[r] = r;
    add_constraint(search, (fw_soft_constraint_t){.literal = fw__mdd_bound(mdd, r), .robot = r});
  }
}

static fw_sat_result_t solve_under(fw_core_guided_t * search, const fw_list_t * assumptions, int64_t conflicts_max)
{
  const fw_sat_query_t query = {
    .assumptions = assumptions->items, .count = assumptions->count, .conflicts_max = conflicts_max};
  return fw__arena_has_failed(search->arena) ? FW_SAT_STOPPED : fw__sat_solve(&search->mdd->sat, &query);
}

fw_sat_result_t fw__core_guided_solve(fw_core_guided_t * search)
{
  search->assumptions.count = 0;
  for (int32_t i = 0; i < search->constraint_count; ++i) {
    if (!search->constraints[i].is_suspended) {
      (void)fw__list_push(&search->assumptions, search->constraints[i].literal);
    }
  }
  (void)fw__list_push(&search->assumptions, search->mdd->horizon);
  return solve_under(search, &search->assumptions, 0);
}

// ---- reduction of cores ---------------------------------------------------------------------------------------------

static void take_core(fw_core_guided_t * search)
{
  search->core.count = 0;
  for (int32_t i = 0; i < search->mdd->sat.core.count; ++i) {
    (void)fw__list_push(&search->core, search->mdd->sat.core.items[i]);
  }
}

// Tries the core without one of its literals; it is a smaller core if that is quickly found unsatisfiable.
static fw_sat_result_t drop(fw_core_guided_t * search, int32_t index)
{
  fw_list_t * core = &search->core;
  FW_ASSERT(index >= 0 && index < core->count);
  const int32_t dropped = core->items[index];
  core->items[index] = core->items[--core->count];
  const fw_sat_result_t answer = solve_under(search, core, REDUCTION_CONFLICTS_MAX);
  if (answer == FW_SAT_UNSATISFIABLE) {
    take_core(search);
    return answer;
  }
  core->items[core->count++] = core->items[index];
  core->items[index] = dropped;
  return answer;
}

// A literal of the core that has not been tried; -1 for none.
static int32_t find_untried(const fw_core_guided_t * search)
{
  for (int32_t i = 0; i < search->core.count; ++i) {
    bool is_needed = false;
    for (int32_t k = 0; k < search->needed.count && !is_needed; ++k) {
      is_needed = search->needed.items[k] == search->core.items[i];
    }
    if (!is_needed) {
      return i;
    }
  }
  return -1;
}

// Core trimming: solve under the core alone as long as that gives smaller ones. Then deletion, literal by literal.
// False when the solver was stopped.
static bool reduce_core(fw_core_guided_t * search)
{
  int32_t before = INT32_MAX;
  for (int32_t trims = 0; trims < TRIMS_MAX && search->core.count < before; ++trims) {
    before = search->core.count;
    const fw_sat_result_t answer = solve_under(search, &search->core, REDUCTION_CONFLICTS_MAX);
    if (answer == FW_SAT_STOPPED) {
      return false;
    }
    if (answer == FW_SAT_UNSATISFIABLE) {
      take_core(search);
    }
  }
  search->needed.count = 0;
  for (int32_t i = find_untried(search); i >= 0 && search->core.count > 1; i = find_untried(search)) {
    const int32_t literal = search->core.items[i];
    if (drop(search, i) == FW_SAT_STOPPED || !fw__list_push(&search->needed, literal)) {
      return false;
    }
  }
  return true;
}

// ---- relaxation of cores --------------------------------------------------------------------------------------------

static int32_t find_constraint(const fw_core_guided_t * search, int32_t literal)
{
  int32_t i = 0;
  while (search->constraints[i].literal != literal) {
    ++i;
    FW_ASSERT(i < search->constraint_count);  // every assumption but the horizon is a soft constraint
  }
  return i;
}

// Replaces a constraint that was in a core by the next weaker one: the bound of the robot or of the totalizer plus one.
// False when the meter has stopped the work or memory has run out.
static bool weaken(fw_core_guided_t * search, int32_t index)
{
  fw_soft_constraint_t constraint = search->constraints[index];
  search->constraints[index] = search->constraints[--search->constraint_count];
  constraint.is_suspended = false;
  if (constraint.totalizer.count == 0) {
    if (!fw__mdd_raise_bound(search->mdd, constraint.robot)) {
      return false;
    }
    constraint.literal = fw__mdd_bound(search->mdd, constraint.robot);
    add_constraint(search, constraint);
  } else if (++constraint.output < constraint.totalizer.count) {
    constraint.literal = fw__sat_not(constraint.totalizer.outputs[constraint.output]);
    add_constraint(search, constraint);
  }
  return true;
}

// One core: at least one of its constraints is violated, which is a fact; each is weakened; and that no more than one
// is violated is a new soft constraint. False as above.
static bool relax(fw_core_guided_t * search, const int32_t * literals, int32_t count)
{
  FW_ASSERT(count > 0);
  fw_sat_t * sat = &search->mdd->sat;
  fw_soft_constraint_t sum = {.robot = search->constraints[find_constraint(search, literals[0])].robot, .output = 1};
  search->violated.count = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (
      !fw__list_push(&search->violated, fw__sat_not(literals[i])) ||
      !weaken(search, find_constraint(search, literals[i]))) {
      return false;
    }
  }
  (void)fw__sat_add_clause(sat, search->violated.items, search->violated.count);
  if (count > 1 && fw__totalizer_init(&sum.totalizer, sat, search->violated.items, search->violated.count)) {
    FW_ASSERT(sum.totalizer.count == count);
    sum.literal = fw__sat_not(sum.totalizer.outputs[1]);
    add_constraint(search, sum);
  }
  return !fw__arena_has_failed(search->arena);
}

bool fw__core_guided_relax_suspended(fw_core_guided_t * search)
{
  bool can_go_on = true;
  for (int32_t at = 0; at < search->suspended.count && can_go_on; at += search->suspended.items[at] + 1) {
    FW_ASSERT(search->suspended.items[at] > 0 && at + search->suspended.items[at] < search->suspended.count);
    can_go_on = relax(search, &search->suspended.items[at + 1], search->suspended.items[at]);
  }
  search->suspended.count = 0;
  return can_go_on;
}

// ---- what a core is worth -------------------------------------------------------------------------------------------

static void merge_groups(fw_core_guided_t * search, int32_t one, int32_t two)
{
  const int32_t group = search->group_of[one];
  const int32_t other = search->group_of[two];
  if (group == other) {
    return;
  }
  search->excess_of[group] += search->excess_of[other];
  for (int32_t r = 0; r < search->mdd->instance->problem->robot_count; ++r) {
    search->group_of[r] = search->group_of[r] == other ? group : search->group_of[r];
  }
}

// The robots of the core cost one more, and its constraints are suspended.
static void charge_core(fw_core_guided_t * search)
{
  const int32_t robot = search->constraints[find_constraint(search, search->core.items[0])].robot;
  (void)fw__list_push(&search->suspended, search->core.count);
  for (int32_t i = 0; i < search->core.count; ++i) {
    fw_soft_constraint_t * constraint = &search->constraints[find_constraint(search, search->core.items[i])];
    FW_ASSERT(!constraint->is_suspended);  // it was not assumed
    constraint->is_suspended = true;
    merge_groups(search, robot, constraint->robot);
    (void)fw__list_push(&search->suspended, constraint->literal);
  }
  ++search->bound;
  ++search->excess_of[search->group_of[robot]];
}

bool fw__core_guided_process_core(fw_core_guided_t * search)
{
  take_core(search);
  if (search->options.is_reduced && !reduce_core(search)) {
    return false;
  }
  if (fw__arena_has_failed(search->arena)) {
    return false;
  }
  for (int32_t i = 0; i < search->core.count; ++i) {
    if (search->core.items[i] == search->mdd->horizon) {
      return fw__mdd_extend_horizon(search->mdd, HORIZON_STEP);
    }
  }
  const int32_t count = search->core.count;
  if (count == 0) {
    return true;
  }
  charge_core(search);
  if (fw__arena_has_failed(search->arena)) {
    return false;
  }
  if (!search->options.is_disjoint || count == 1) {  // a core of one robot needs no totalizer and is relaxed now
    const bool can_go_on = relax(search, &search->suspended.items[search->suspended.count - count], count);
    search->suspended.count -= count + 1;
    return can_go_on;
  }
  return true;
}
