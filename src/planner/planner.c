// The life of a planner, whichever algorithm it runs: memory and parameters, the check of the problem before each
// solve, the check of the result and the statistics after it.
//
// Everything here goes through the planner's definition, so that a planner of the library and one that a user has
// compiled elsewhere (fw_planner_init_with) are treated alike.

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/meter.h"
#include "fleetweave/planner_def.h"
#include "planner/fleet.h"
#include "world/problem.h"

// Behind the handle fw_planner_t.
typedef struct fw_planner_impl_t {
  const fw_planner_def_t * def;
  fw_allocator_t allocator;
  fw_memory_t memory;  // of both arenas together, with the caller's limit
  fw_arena_t keep;     // lives as long as the planner
  fw_arena_t scratch;  // emptied before each solve; the plan's paths live here
  fw_meter_t meter;    // of the present or the last solve
  int64_t parameters[FW_PARAMETERS_MAX];
  fw_planner_context_t context;
} fw_planner_impl_t;

fw_planner_options_t fw_planner_options_default(void)
{
  return (fw_planner_options_t){
    .allocator = fw_allocator_default(), .memory_max_bytes = (size_t)2 << 30, .threads = 1, .seed = 0};
}

// ---- init and fini --------------------------------------------------------------------------------------------------

// Appends a name to a list in an error text; names that do not fit are left out.
typedef struct name_list_t {
  char text[160];
  size_t used;
} name_list_t;

static void add_name(name_list_t * list, const char * name)
{
  const size_t room = sizeof(list->text) - list->used;
  const int written = snprintf(list->text + list->used, room, "%s%s", list->used == 0 ? "" : ", ", name);
  list->used += written > 0 && (size_t)written < room ? (size_t)written : 0;
  FW_ASSERT(list->used < sizeof(list->text));
}

static fw_ret_t unknown_planner(const char * name, fw_error_t * error)
{
  name_list_t names = {0};
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    add_name(&names, fw_planner_def_at(i)->name);
  }
  return fw__error(
    error, FW_RET_NOT_FOUND, "there is no planner '%.32s'; choose one of: %s", name != NULL ? name : "", names.text);
}

// Hands the error of a planner's function on to the caller. A function that fails without a text gets one here, so
// that a failing call always fills its error.
static fw_ret_t report(const fw_planner_def_t * def, fw_ret_t ret, const fw_error_t * given, fw_error_t * error)
{
  if (given->text[0] == '\0' && ret == FW_RET_BAD_ALLOC) {
    return fw__error_memory(error);
  }
  if (given->text[0] == '\0' && ret != FW_RET_OK) {
    return fw__error(error, ret, "planner %s has failed with code %d", def->name, (int)ret);
  }
  if (error != NULL && given->text[0] != '\0') {
    *error = *given;
  }
  return ret;
}

fw_ret_t fw_planner_init(
  fw_planner_t * planner, const char * name, const fw_planner_options_t * options, fw_error_t * error)
{
  const fw_planner_def_t * def = fw_planner_def_find(name);
  if (def == NULL) {
    if (planner != NULL) {
      planner->impl = NULL;
    }
    return unknown_planner(name, error);
  }
  return fw_planner_init_with(planner, def, options, error);
}

fw_ret_t fw_planner_init_with(
  fw_planner_t * planner, const fw_planner_def_t * def, const fw_planner_options_t * options, fw_error_t * error)
{
  if (planner == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "planner must not be NULL");
  }
  planner->impl = NULL;
  const fw_planner_options_t chosen = options != NULL ? *options : fw_planner_options_default();
  const fw_ret_t checked = fw_planner_def_check(def, error);
  if (checked != FW_RET_OK) {
    return checked;
  }
  if (chosen.threads < 1) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "threads must be at least 1, not %d", chosen.threads);
  }
  const fw_allocator_t allocator = fw__allocator_or_default(&chosen.allocator);
  fw_planner_impl_t * impl = fw__allocate_array(&allocator, 1, sizeof(*impl));
  if (impl == NULL) {
    return fw__error_memory(error);
  }
  impl->def = def;
  impl->allocator = allocator;
  impl->memory = (fw_memory_t){.allocator = allocator, .max_bytes = chosen.memory_max_bytes};
  fw__arena_init(&impl->keep, &impl->memory);
  fw__arena_init(&impl->scratch, &impl->memory);
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    impl->parameters[i] = def->parameters[i].initial;
  }
  impl->context = (fw_planner_context_t){
    .keep = &impl->keep,
    .scratch = &impl->scratch,
    .meter = &impl->meter,
    .parameters = impl->parameters,
    .seed = chosen.seed,
    .threads = chosen.threads,
  };
  planner->impl = impl;
  fw_error_t given = {.robot = -1, .cell = FW_CELL_NONE};
  const fw_ret_t ret = report(def, def->init != NULL ? def->init(&impl->context, &given) : FW_RET_OK, &given, error);
  if (ret != FW_RET_OK) {
    fw_planner_fini(planner);
  }
  return ret;
}

void fw_planner_fini(fw_planner_t * planner)
{
  if (planner == NULL || planner->impl == NULL) {
    return;
  }
  fw_planner_impl_t * impl = planner->impl;
  if (impl->def->fini != NULL) {
    impl->def->fini(&impl->context);
  }
  fw__arena_fini(&impl->scratch);
  fw__arena_fini(&impl->keep);
  FW_ASSERT(impl->memory.used_bytes == 0);  // a planner's own arenas are given back by its fini
  const fw_allocator_t allocator = impl->allocator;
  fw__deallocate(&allocator, impl);
  planner->impl = NULL;
}

const fw_planner_def_t * fw_planner_definition(const fw_planner_t * planner)
{
  return planner != NULL && planner->impl != NULL ? planner->impl->def : NULL;
}

// ---- parameters -----------------------------------------------------------------------------------------------------

// The index of a parameter; -1 with an error that lists the planner's parameters.
static int32_t find_parameter(const fw_planner_def_t * def, const char * name, fw_error_t * error)
{
  name_list_t names = {0};
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    if (strcmp(def->parameters[i].name, name) == 0) {
      return i;
    }
    add_name(&names, def->parameters[i].name);
  }
  (void)fw__error(
    error, FW_RET_NOT_FOUND, "planner %s has no parameter '%.32s'; it has: %s", def->name, name,
    names.used > 0 ? names.text : "none");
  return -1;
}

fw_ret_t fw_planner_set(fw_planner_t * planner, const char * parameter, const char * value, fw_error_t * error)
{
  if (planner == NULL || planner->impl == NULL || parameter == NULL || value == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "planner, parameter and value must not be NULL or empty");
  }
  const int32_t index = find_parameter(planner->impl->def, parameter, error);
  if (index < 0) {
    return FW_RET_NOT_FOUND;
  }
  const fw_planner_def_t * def = planner->impl->def;
  int64_t values[FW_PARAMETERS_MAX];
  memcpy(values, planner->impl->parameters, sizeof(values));
  fw_ret_t ret = fw_parameter_parse(&def->parameters[index], value, &values[index], error);
  if (ret == FW_RET_OK && def->check != NULL) {
    fw_error_t given = {.robot = -1, .cell = FW_CELL_NONE};
    ret = report(def, def->check(values, &given), &given, error);
  }
  if (ret == FW_RET_OK) {
    planner->impl->parameters[index] = values[index];
  }
  return ret;
}

fw_ret_t fw_planner_get(
  const fw_planner_t * planner, const char * parameter, char * text, size_t text_size, fw_error_t * error)
{
  if (planner == NULL || planner->impl == NULL || parameter == NULL || text == NULL || text_size == 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "planner, parameter and text must not be NULL or empty");
  }
  const int32_t index = find_parameter(planner->impl->def, parameter, error);
  if (index < 0) {
    return FW_RET_NOT_FOUND;
  }
  fw_parameter_format(&planner->impl->def->parameters[index], planner->impl->parameters[index], text, text_size);
  return FW_RET_OK;
}

// ---- solve ----------------------------------------------------------------------------------------------------------

// Rules that a planner does not know would be broken by its plans.
static fw_ret_t check_rules(const fw_planner_def_t * def, const fw_problem_t * problem, fw_error_t * error)
{
  if (def->has_rules || !fw_grid_has_rules(problem->grid)) {
    return FW_RET_OK;
  }
  return fw__error(
    error, FW_RET_UNSUPPORTED, "%s does not support one-way or no-waiting areas, which this map has", def->name);
}

// A planner has to return an outcome and a path for every robot. Those of the library do; of others it is checked,
// since the statistics and every caller rely on it.
static fw_ret_t check_answer(
  const fw_planner_def_t * def, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  if (plan->outcome < FW_OUTCOME_SOLVED || plan->outcome > FW_OUTCOME_UNSOLVABLE) {
    return fw__error(error, FW_RET_ERROR, "planner %s has returned a plan without an outcome", def->name);
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_path_t * path = plan->paths == NULL ? NULL : &plan->paths[r];
    const bool has_heading = problem->robots[r].turn_ticks > 0;
    if (path == NULL || path->cells == NULL || path->length < 1 || (has_heading && path->headings == NULL)) {
      return fw__error(error, FW_RET_ERROR, "planner %s has returned no path for robot %d", def->name, r);
    }
  }
  return FW_RET_OK;
}

static void complete_stats(const fw_planner_impl_t * impl, const fw_problem_t * problem, fw_plan_t * plan)
{
  plan->robot_count = problem->robot_count;
  plan->stats.sum_of_costs = fw_paths_sum_of_costs(problem, plan->paths);
  plan->stats.makespan = fw_paths_makespan(plan->paths, plan->robot_count);
  plan->stats.expanded = impl->meter.expanded;
  plan->stats.memory_peak_bytes = impl->memory.peak_bytes;
  plan->stats.elapsed_ns = fw_clock_now_ns() - impl->meter.start_ns;
}

fw_ret_t fw_planner_solve(
  fw_planner_t * planner, const fw_problem_t * problem, const fw_budget_t * budget, fw_plan_t * plan,
  fw_error_t * error)
{
  if (plan == NULL || planner == NULL || planner->impl == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "planner and plan must not be NULL or empty");
  }
  *plan = (fw_plan_t){0};
  fw_planner_impl_t * impl = planner->impl;
  fw__meter_start(&impl->meter, budget);
  fw__arena_reset(&impl->scratch);
  impl->memory.peak_bytes = impl->memory.used_bytes;
  // The check takes its memory from the scratch arena, which is emptied afterwards: no heap call once it has grown.
  const fw_allocator_t scratch = fw__arena_allocator(&impl->scratch);
  fw_ret_t ret = fw__problem_check_with(problem, &scratch, error);
  if (ret == FW_RET_OK) {
    ret = check_rules(impl->def, problem, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__arena_reset(&impl->scratch);
  const fw_problem_t normal = fw__problem_normalise(problem, &impl->scratch);
  if (normal.robots == NULL) {
    return fw__error_memory(error);
  }
  fw_error_t given = {.robot = -1, .cell = FW_CELL_NONE};
  ret = report(impl->def, impl->def->solve(&impl->context, &normal, plan, &given), &given, error);
  if (ret == FW_RET_OK) {
    ret = check_answer(impl->def, &normal, plan, error);
  }
  if (ret != FW_RET_OK) {
    *plan = (fw_plan_t){0};
    return ret;
  }
  complete_stats(impl, &normal, plan);
  return FW_RET_OK;
}

// ---- for planners that are compiled elsewhere -----------------------------------------------------------------------

void * fw_planner_allocate(fw_planner_context_t * context, size_t count, size_t size_bytes)
{
  return fw__arena_allocate_zeroed(context->scratch, count, size_bytes);
}

void * fw_planner_allocate_kept(fw_planner_context_t * context, size_t count, size_t size_bytes)
{
  return fw__arena_allocate_zeroed(context->keep, count, size_bytes);
}

bool fw_planner_expand(fw_planner_context_t * context, int64_t count)
{
  FW_ASSERT(count >= 0);
  return fw__meter_add(context->meter, count);
}

fw_stop_t fw_planner_stop(const fw_planner_context_t * context) { return context->meter->stop; }

fw_ret_t fw_planner_wait_all(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  return fw__plan_wait_all(context, problem, plan, error);
}
