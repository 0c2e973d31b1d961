// An optimal plan by clauses: the bound and its reasons.

#include "planner/cores.h"

#include "planner/flow.h"
#include "planner/totals.h"

enum { LONGER = 8, TRIES = 60, TRIMS = 4 };

// Something that is asked for and can be had at the price of one.
typedef struct soft_t {
  int32_t literal;
  int32_t robot;  // its limit; -1: a sum
  fw_total_t total;
  int32_t place;  // of the sum: no more than that
} soft_t;

typedef struct cores_t {
  fw_optimal_t * run;
  fw_flow_t flow;
  fw_arena_t * arena;
  soft_t * softs;
  int32_t count;
  int32_t capacity;
  fw_sat_list_t asked;  // assumptions
  fw_sat_list_t core;
  fw_sat_list_t violated;
  int64_t core_count;
  int64_t models;
} cores_t;

static fw_found_t out_of_memory(const cores_t * cores)
{
  fw_meter_stop(&cores->run->meter, FW_STOP_MEMORY);
  return FW_FOUND_STOPPED;
}

static bool add_soft(cores_t * cores, soft_t soft)
{
  if (cores->count == cores->capacity) {
    soft_t * softs =
      fw_arena_grow(cores->arena, cores->softs, (size_t)cores->count, sizeof(*softs), &cores->capacity);
    if (softs == NULL) {
      return false;
    }
    cores->softs = softs;
  }
  cores->softs[cores->count++] = soft;
  return true;
}

static bool begin(cores_t * cores)
{
  const int32_t count = cores->run->scene.problem->robot_count;
  int32_t * extras = fw_arena_allocate_zeroed(cores->arena, (size_t)count, sizeof(*extras));
  if (extras == NULL || !fw_flow_init(&cores->flow, cores->arena, &cores->run->scene, extras)) {
    return false;
  }
  bool is_fine = true;
  for (int32_t r = 0; r < count && is_fine; ++r) {
    is_fine = add_soft(cores, (soft_t){.literal = fw_flow_limit(&cores->flow, r), .robot = r});
  }
  return is_fine;
}

// ---- cores ----------------------------------------------------------------------------------------------------------

static fw_sat_answer_t ask(cores_t * cores, const fw_sat_list_t * literals, int64_t conflicts_max)
{
  const fw_sat_query_t query = {
    .assumptions = literals->items, .count = literals->count, .conflicts_max = conflicts_max};
  return fw_sat_solve(&cores->flow.sat, &query);
}

static bool take_core(cores_t * cores)
{
  const fw_sat_list_t * found = &cores->flow.sat.core;
  cores->core.count = 0;
  for (int32_t i = 0; i < found->count; ++i) {
    if (!fw_sat_list_push(cores->arena, &cores->core, found->items[i])) {
      return false;
    }
  }
  return true;
}

// A core without one of its literals, if that is quickly found to be one.
static fw_sat_answer_t drop(cores_t * cores, int32_t place)
{
  fw_sat_list_t * core = &cores->core;
  const int32_t dropped = core->items[place];
  core->items[place] = core->items[--core->count];
  const fw_sat_answer_t answer = ask(cores, core, TRIES);
  if (answer == FW_SAT_NO) {
    return take_core(cores) ? FW_SAT_NO : FW_SAT_STOPPED;
  }
  core->items[core->count++] = core->items[place];
  core->items[place] = dropped;
  return answer;
}

static bool minimise(cores_t * cores)
{
  for (int32_t trims = 0; trims < TRIMS; ++trims) {
    const int32_t before = cores->core.count;
    const fw_sat_answer_t answer = ask(cores, &cores->core, TRIES);
    if (answer == FW_SAT_STOPPED || (answer == FW_SAT_NO && !take_core(cores))) {
      return false;
    }
    if (cores->core.count == before) {
      break;
    }
  }
  for (int32_t i = 0; i < cores->core.count && cores->core.count > 1;) {
    const fw_sat_answer_t answer = drop(cores, i);
    if (answer == FW_SAT_STOPPED) {
      return false;
    }
    i = answer == FW_SAT_NO ? 0 : i + 1;
  }
  return true;
}

static int32_t find_soft(const cores_t * cores, int32_t literal)
{
  int32_t i = 0;
  while (cores->softs[i].literal != literal) {
    ++i;
  }
  return i;
}

// What is asked for in place of one that was in a core.
static bool relax(cores_t * cores, int32_t index)
{
  soft_t soft = cores->softs[index];
  cores->softs[index] = cores->softs[--cores->count];
  if (soft.robot >= 0) {
    if (!fw_flow_raise(&cores->flow, soft.robot)) {
      return false;
    }
    soft.literal = fw_flow_limit(&cores->flow, soft.robot);
    return add_soft(cores, soft);
  }
  if (++soft.place >= soft.total.count) {
    return true;
  }
  soft.literal = fw_sat_not(soft.total.outputs[soft.place]);
  return add_soft(cores, soft);
}

static bool charge(cores_t * cores)
{
  cores->violated.count = 0;
  ++cores->run->bound;
  ++cores->core_count;
  for (int32_t i = 0; i < cores->core.count; ++i) {
    const int32_t literal = cores->core.items[i];
    if (
      !fw_sat_list_push(cores->arena, &cores->violated, fw_sat_not(literal)) ||
      !relax(cores, find_soft(cores, literal))) {
      return false;
    }
  }
  if (!fw_sat_add_clause(&cores->flow.sat, cores->violated.items, cores->violated.count)) {
    return false;
  }
  if (cores->core.count == 1) {
    return true;
  }
  soft_t soft = {.robot = -1, .place = 1};
  if (!fw_total_init(&soft.total, &cores->flow.sat, cores->violated.items, cores->violated.count)) {
    return false;
  }
  soft.literal = fw_sat_not(soft.total.outputs[1]);
  return add_soft(cores, soft);
}

static bool learn(cores_t * cores)
{
  if (!take_core(cores) || !minimise(cores)) {
    return false;
  }
  for (int32_t i = 0; i < cores->core.count; ++i) {
    if (cores->core.items[i] == cores->flow.horizon) {
      return fw_flow_prolong(&cores->flow, LONGER);
    }
  }
  return charge(cores);
}

// ---- the search -----------------------------------------------------------------------------------------------------

static bool ask_for_all(cores_t * cores)
{
  cores->asked.count = 0;
  bool is_fine = true;
  for (int32_t i = 0; i < cores->count && is_fine; ++i) {
    is_fine = fw_sat_list_push(cores->arena, &cores->asked, cores->softs[i].literal);
  }
  return is_fine && fw_sat_list_push(cores->arena, &cores->asked, cores->flow.horizon);
}

// The paths of the last model. Who has arrived for good needs no more ticks.
static bool tell(const cores_t * cores)
{
  const fw_flow_t * flow = &cores->flow;
  const int32_t count = flow->scene->problem->robot_count;
  int32_t * nodes = fw_arena_allocate(cores->arena, (size_t)flow->end + 1, sizeof(*nodes));
  bool is_fine = nodes != NULL;
  for (int32_t r = 0; r < count && is_fine; ++r) {
    int32_t length = 1;
    for (fw_tick_t tick = 0; tick <= flow->end; ++tick) {
      nodes[tick] = flow->states[flow->robots[r].path.items[tick]].node;
      length = tick > 0 && nodes[tick] != nodes[tick - 1] ? tick + 1 : length;
    }
    is_fine = fw__paths_set(&cores->run->paths, r, (fw_path_t){.cells = nodes, .length = length});
  }
  return is_fine;
}

static fw_found_t search(cores_t * cores)
{
  for (;;) {
    if (!ask_for_all(cores)) {
      return out_of_memory(cores);
    }
    const fw_sat_answer_t answer = ask(cores, &cores->asked, 0);
    if (answer == FW_SAT_STOPPED) {
      return FW_FOUND_STOPPED;
    }
    if (answer == FW_SAT_NO) {
      if (!learn(cores)) {
        return fw_meter_has_stopped(&cores->run->meter) ? FW_FOUND_STOPPED : out_of_memory(cores);
      }
      continue;
    }
    ++cores->models;
    const int32_t met = fw_flow_read(&cores->flow);
    if (met < 0) {
      return out_of_memory(cores);
    }
    if (met == 0) {
      return tell(cores) ? FW_FOUND_PATH : out_of_memory(cores);
    }
  }
}

fw_found_t fw_cores_search(fw_optimal_t * run)
{
  cores_t cores = {.run = run, .arena = run->work};
  fw_arena_reset(run->work);
  const fw_found_t found = begin(&cores) ? search(&cores)
                           : fw_meter_has_stopped(&run->meter) ? FW_FOUND_STOPPED : out_of_memory(&cores);
  fw__plan_count(run->plan, "cores", cores.core_count);
  fw__plan_count(run->plan, "models", cores.models);
  fw__plan_count(run->plan, "conflicts", cores.flow.sat.conflicts);
  fw__plan_count(run->plan, "states", cores.flow.state_count);
  return found;
}
