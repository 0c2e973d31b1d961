// A planner's life: memory, parameters, the problem's door before each solve and the statistics after it.

#include "fleetweave/planner_def.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/meter.h"
#include "world/problem.h"

typedef struct fw__planner_t {
  const fw_planner_def_t * def;
  fw_allocator_t allocator;
  fw_memory_t memory;
  fw_arena_t keep;
  fw_arena_t scratch;
  fw_meter_t meter;
  int64_t parameters[FW_PARAMETERS_MAX];
  fw_planner_context_t context;
} fw__planner_t;

fw_planner_options_t fw_planner_options_default(void)
{
  return (fw_planner_options_t){
    .allocator = fw_allocator_default(), .memory_max_bytes = (size_t)2 << 30, .threads = 1, .seed = 0};
}

static fw_ret_t unknown_planner(const char * name, fw_error_t * error)
{
  char names[160] = "";
  size_t used = 0;
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    const int written =
      snprintf(names + used, sizeof(names) - used, "%s%s", i == 0 ? "" : ", ", fw_planner_def_at(i)->name);
    used += written > 0 && (size_t)written < sizeof(names) - used ? (size_t)written : 0;
  }
  return fw__error(
    error, FW_RET_NOT_FOUND, "there is no planner '%.32s'; there are: %s", name != NULL ? name : "", names);
}

fw_ret_t fw_planner_init(
  fw_planner_t * planner, const char * name, const fw_planner_options_t * options, fw_error_t * error)
{
  planner->impl = NULL;
  const fw_planner_options_t chosen = options != NULL ? *options : fw_planner_options_default();
  const fw_planner_def_t * def = fw_planner_def_find(name);
  if (def == NULL) {
    return unknown_planner(name, error);
  }
  if (chosen.threads < 1) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "threads must be at least 1, not %d", chosen.threads);
  }
  const fw_allocator_t allocator = fw__allocator_or_default(&chosen.allocator);
  fw__planner_t * impl = fw__allocate_array(&allocator, 1, sizeof(*impl));
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
  const fw_ret_t ret = def->init != NULL ? def->init(&impl->context, error) : FW_RET_OK;
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
  fw__planner_t * impl = planner->impl;
  if (impl->def->fini != NULL) {
    impl->def->fini(&impl->context);
  }
  fw__arena_fini(&impl->scratch);
  fw__arena_fini(&impl->keep);
  const fw_allocator_t allocator = impl->allocator;
  fw__deallocate(&allocator, impl);
  planner->impl = NULL;
}

const fw_planner_def_t * fw_planner_definition(const fw_planner_t * planner)
{
  return planner != NULL && planner->impl != NULL ? planner->impl->def : NULL;
}

// The index of a parameter, -1 with an error that lists those there are.
static int32_t find_parameter(const fw_planner_def_t * def, const char * name, fw_error_t * error)
{
  char names[160] = "";
  size_t used = 0;
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    if (strcmp(def->parameters[i].name, name) == 0) {
      return i;
    }
    const int written =
      snprintf(names + used, sizeof(names) - used, "%s%s", i == 0 ? "" : ", ", def->parameters[i].name);
    used += written > 0 && (size_t)written < sizeof(names) - used ? (size_t)written : 0;
  }
  (void)fw__error(error, FW_RET_NOT_FOUND, "planner %s has no parameter '%.32s'; it has: %s", def->name, name, names);
  return -1;
}

fw_ret_t fw_planner_set(fw_planner_t * planner, const char * parameter, const char * value, fw_error_t * error)
{
  if (planner == NULL || planner->impl == NULL || parameter == NULL || value == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a planner, a parameter and a value are needed");
  }
  const int32_t index = find_parameter(planner->impl->def, parameter, error);
  if (index < 0) {
    return FW_RET_NOT_FOUND;
  }
  return fw_parameter_parse(&planner->impl->def->parameters[index], value, &planner->impl->parameters[index], error);
}

fw_ret_t fw_planner_get(
  const fw_planner_t * planner, const char * parameter, char * text, size_t text_size, fw_error_t * error)
{
  if (planner == NULL || planner->impl == NULL || parameter == NULL || text == NULL || text_size == 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a planner, a parameter and room for text are needed");
  }
  const int32_t index = find_parameter(planner->impl->def, parameter, error);
  if (index < 0) {
    return FW_RET_NOT_FOUND;
  }
  fw_parameter_format(&planner->impl->def->parameters[index], planner->impl->parameters[index], text, text_size);
  return FW_RET_OK;
}

static void complete_stats(const fw__planner_t * impl, const fw_problem_t * problem, fw_plan_t * plan)
{
  plan->robot_count = problem->robot_count;
  plan->stats.sum_of_costs = fw_paths_sum_of_costs(problem, plan->paths);
  plan->stats.makespan = fw_paths_makespan(plan->paths, plan->robot_count);
  plan->stats.expanded = impl->meter.expanded;
  plan->stats.memory_peak_bytes = impl->memory.peak_bytes;
  plan->stats.elapsed_ns = fw_clock_now_ns() - impl->meter.start_ns;
}

// The door's memory comes from the scratch arena, which the solve empties: no heap call once it has grown.
static void * take_scratch(size_t size_bytes, void * state) { return fw__arena_allocate(state, 1, size_bytes); }

static void leave_scratch(void * pointer, void * state)
{
  (void)pointer;
  (void)state;
}

fw_ret_t fw_planner_solve(
  fw_planner_t * planner, const fw_problem_t * problem, const fw_budget_t * budget, fw_plan_t * plan,
  fw_error_t * error)
{
  if (plan == NULL || planner == NULL || planner->impl == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a planner and a plan are needed");
  }
  *plan = (fw_plan_t){0};
  fw__planner_t * impl = planner->impl;
  fw__meter_start(&impl->meter, budget);
  fw__arena_reset(&impl->scratch);
  impl->memory.peak_bytes = impl->memory.used_bytes;
  const fw_allocator_t scratch = {.allocate = take_scratch, .deallocate = leave_scratch, .state = &impl->scratch};
  fw_ret_t ret = fw__problem_check(problem, &scratch, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__arena_reset(&impl->scratch);
  const fw_problem_t normal = fw__problem_normalise(problem, &impl->scratch);
  if (normal.robots == NULL) {
    return fw__error_memory(error);
  }
  ret = impl->def->solve(&impl->context, &normal, plan, error);
  if (ret != FW_RET_OK) {
    *plan = (fw_plan_t){0};
    return ret;
  }
  complete_stats(impl, &normal, plan);
  return FW_RET_OK;
}
