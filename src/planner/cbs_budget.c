// An optimal plan by costs: the cheapest extra costs that no core forbids are tried; if there is no plan within them, a
// new core says why.
//
// G. Sharon et al., The Increasing Cost Tree Search, AIJ 2013, searches over the costs of robots; G. Gange, D. Harabor, P.
// Stuckey, Lazy CBS, ICAPS 2019, is led by cores. What is learned in one place is never searched for again in another,
// which is what a tree of constraints does for each combination of costs elsewhere.

#include <string.h>

#include "planner/cbs_parts.h"
#include "planner/cbs_refute.h"

enum { FIRST_NODES = 64, NODES_LONGER = 4, FIRST_LOOK = 20000, LOOK_LONGER = 4, FEW_ROBOTS = 4 };

typedef struct budget_t {
  fw_cbs_t run;
  fw_cbs_cores_t cores;
  fw_cbs_parts_t parts;
  fw_cbs_refuter_t refuter;
  int32_t * base;                // by member: what it costs alone
  fw_cbs_constraint_t * counts;  // by member: what it counts
  fw__paths_t roots;             // by robot: where to begin
  int32_t * root_costs;          // by member: what its root path was planned for; -1 for none
  uint16_t * limits;             // of a core in the making
  int32_t nodes_max;             // of the next try
} budget_t;

// ---- trying costs ---------------------------------------------------------------------------------------------------

static bool add_to_traffic(budget_t * budget, fw_cbs_member_t * member)
{
  member->root_path = budget->roots.paths[member->robot];
  return fw_traffic_add(&budget->run.traffic, member->robot, member->root_path);
}

// Who may cost something else than last time gets another path, around those of the others.
static fw_found_t plan_roots(budget_t * budget)
{
  fw_cbs_t * run = &budget->run;
  for (int32_t i = 0; i < run->count; ++i) {
    fw_cbs_member_t * member = &run->members[i];
    if (budget->root_costs[i] == member->root_cost) {
      continue;
    }
    fw_path_t path;
    int32_t cost;
    if (!fw_cbs_rules_read(run, 0, 0, i, (fw_cbs_more_t){NULL, 0})) {
      return fw_cbs_out_of_memory(run);
    }
    const fw_found_t found = fw_cbs_route(run, i, member->root_cost, &path, &cost);
    if (found != FW_FOUND_PATH) {
      return FW_FOUND_STOPPED;
    }
    budget->root_costs[i] = member->root_cost;
    if (!fw__paths_set(&budget->roots, member->robot, path) || !add_to_traffic(budget, member)) {
      return fw_cbs_out_of_memory(run);
    }
  }
  return FW_FOUND_PATH;
}

// Everybody gets a path within what it may cost.
static fw_found_t begin(budget_t * budget)
{
  fw_cbs_t * run = &budget->run;
  for (int32_t i = 0; i < run->count; ++i) {
    fw_traffic_remove(&run->traffic, run->members[i].robot);
  }
  fw_arena_reset(run->store);
  run->pages = NULL;
  run->page_capacity = 0;
  run->cost_limit = 0;
  for (int32_t i = 0; i < run->count; ++i) {
    fw_cbs_member_t * member = &run->members[i];
    member->root_cost = budget->base[i] + budget->parts.extra[i];
    member->owner = 0;
    budget->counts[i].to = member->root_cost;
    run->cost_limit += member->root_cost;
    if (budget->root_costs[i] == member->root_cost && !add_to_traffic(budget, member)) {
      return fw_cbs_out_of_memory(run);
    }
  }
  return plan_roots(budget);
}

// The paths that met fewest are where the next try begins.
static bool keep_best(budget_t * budget)
{
  fw_cbs_t * run = &budget->run;
  if (budget->refuter.best == 0) {
    return true;
  }
  if (!fw_cbs_load(run, budget->refuter.best)) {
    return false;
  }
  for (int32_t i = 0; i < run->count; ++i) {
    fw_cbs_member_t * member = &run->members[i];
    if (member->path.cells != budget->roots.paths[member->robot].cells) {
      const fw_path_t path = member->path;
      fw_traffic_remove(&run->traffic, member->robot);
      if (!fw__paths_set(&budget->roots, member->robot, path)) {
        return false;
      }
      member->root_path = budget->roots.paths[member->robot];
    }
  }
  return true;
}

// FW_FOUND_NONE: there is more to learn, or to try for longer.
static fw_found_t try_costs(budget_t * budget)
{
  const fw_found_t begun = begin(budget);
  if (begun != FW_FOUND_PATH) {
    return begun;
  }
  budget->refuter.extra = budget->parts.extra;
  budget->refuter.tells_pairs = true;
  switch (fw_cbs_refute(&budget->refuter, budget->nodes_max)) {
    case FW_CBS_FEASIBLE:
      return FW_FOUND_PATH;
    case FW_CBS_STOPPED:
      (void)keep_best(budget);
      return FW_FOUND_STOPPED;
    case FW_CBS_GAVE_UP:
      budget->nodes_max = budget->nodes_max < INT32_MAX / NODES_LONGER ? budget->nodes_max * NODES_LONGER : INT32_MAX;
      break;
    case FW_CBS_REFUTED:
      budget->nodes_max = FIRST_NODES;
      if (!keep_best(budget)) {
        return fw_cbs_out_of_memory(&budget->run);
      }
      return budget->refuter.has_told ? FW_FOUND_NONE : fw_cbs_learn(&budget->refuter);
  }
  return keep_best(budget) ? FW_FOUND_NONE : fw_cbs_out_of_memory(&budget->run);
}

// ---- the search -----------------------------------------------------------------------------------------------------

// A joint search for the part that costs most extra, where costs may have no end. What it says of the part's cost is
// learned, and if it has found the cheapest plan for the part, those costs are tried next.
static fw_found_t look_at_part(budget_t * budget, int32_t index, int64_t effort, fw_cbs_report_t * told)
{
  const fw_cbs_part_t * part = &budget->parts.parts[index];
  fw_cbs_look_t * look = &told->looked;
  fw_cost_t alone = 0;
  look->count = part->count;
  look->effort = part->count <= FEW_ROBOTS ? effort / 4 : effort / 64;
  for (int32_t i = 0; i < part->count; ++i) {
    look->robots[i] = budget->run.members[part->members[i]].robot;
    alone += budget->base[part->members[i]];
    budget->limits[part->members[i]] = 0;
  }
  const fw_found_t found = told->look(told->state, look);
  if (found == FW_FOUND_NONE || fw_meter_has_stopped(budget->run.scene->meter)) {
    return found;
  }
  if (
    look->bound > alone &&
    !fw_cbs_cores_add(&budget->cores, part->members, part->count, budget->limits, (int32_t)(look->bound - alone))) {
    return fw_cbs_out_of_memory(&budget->run);
  }
  if (found == FW_FOUND_PATH) {
    for (int32_t i = 0; i < part->count; ++i) {
      budget->limits[i] = (uint16_t)(look->costs[i] - budget->base[part->members[i]]);
    }
    if (!fw_cbs_parts_propose(&budget->parts, index, budget->limits)) {
      return fw_cbs_out_of_memory(&budget->run);
    }
  }
  return FW_FOUND_PATH;
}

static fw_found_t search(budget_t * budget, fw_cost_t alone, fw_group_answer_t * answer, fw_cbs_report_t * told)
{
  const fw_group_query_t * group = budget->run.group;
  int64_t look_at = FIRST_LOOK;
  const int64_t begun = budget->run.scene->meter->expanded;
  for (;;) {
    const fw_found_t learned = fw_cbs_parts_learn(&budget->parts);
    if (learned != FW_FOUND_PATH) {
      return learned;
    }
    const fw_cost_t cost = alone + fw_cbs_parts_sum(&budget->parts);
    answer->bound = cost > answer->bound ? cost : answer->bound;
    if (cost > group->cost_max) {
      return FW_FOUND_NONE;
    }
    const fw_found_t found = try_costs(budget);
    answer->cost = cost;
    if (found != FW_FOUND_NONE) {
      return found;
    }
    const int32_t worst = fw_cbs_parts_worst(&budget->parts);
    if (worst >= 0 && budget->run.scene->meter->expanded - begun >= look_at) {
      const fw_found_t looked = look_at_part(budget, worst, look_at, told);
      if (looked == FW_FOUND_NONE || fw_meter_has_stopped(budget->run.scene->meter)) {
        return looked == FW_FOUND_NONE ? looked : FW_FOUND_STOPPED;
      }
      look_at *= LOOK_LONGER;
    }
  }
}

// What everybody costs alone.
static fw_found_t measure(budget_t * budget, fw_cost_t * alone)
{
  fw_cbs_t * run = &budget->run;
  *alone = 0;
  for (int32_t i = 0; i < run->count; ++i) {
    fw_path_t path;
    budget->counts[i] =
      (fw_cbs_constraint_t){.node = run->scene->goals[run->members[i].robot], .direction = FW_CBS_COST};
    run->members[i].given = &budget->counts[i];
    run->members[i].given_count = 1;
    budget->root_costs[i] = -1;
    if (!fw_cbs_rules_read(run, 0, 0, i, (fw_cbs_more_t){NULL, 0})) {
      return fw_cbs_out_of_memory(run);
    }
    const fw_found_t found = fw_cbs_route(run, i, run->group->cost_max, &path, &budget->base[i]);
    if (found != FW_FOUND_PATH) {
      return found;
    }
    *alone += budget->base[i];
  }
  return FW_FOUND_PATH;
}

static bool prepare(budget_t * budget)
{
  fw_cbs_t * run = &budget->run;
  const size_t count = (size_t)run->count;
  budget->nodes_max = FIRST_NODES;
  budget->base = fw_arena_allocate(run->arena, count, sizeof(*budget->base));
  budget->counts = fw_arena_allocate(run->arena, count, sizeof(*budget->counts));
  budget->root_costs = fw_arena_allocate(run->arena, count, sizeof(*budget->root_costs));
  budget->limits = fw_arena_allocate(run->arena, count, sizeof(*budget->limits));
  fw_cbs_cores_init(&budget->cores, run->arena);
  return budget->limits != NULL && budget->base != NULL && budget->counts != NULL && budget->root_costs != NULL &&
         fw_cbs_parts_init(&budget->parts, run, &budget->cores) &&
         fw_cbs_refuter_init(&budget->refuter, run, &budget->cores) &&
         fw__paths_init(&budget->roots, run->arena, run->scene->problem);
}

// ---- answers --------------------------------------------------------------------------------------------------------

// Where the search is when it ends: paths that may meet, if everybody has one, and who belongs together.
static bool report(const budget_t * budget, fw_found_t found, fw__paths_t * paths, fw_cbs_report_t * report)
{
  const fw_cbs_t * run = &budget->run;
  report->has_paths = true;
  for (int32_t i = 0; i < run->count; ++i) {
    const int32_t robot = run->members[i].robot;
    const int32_t part = budget->parts.part_of[i];
    report->group_of[robot] = part >= 0 ? run->members[budget->parts.parts[part].members[0]].robot : robot;
    report->has_paths = report->has_paths && budget->root_costs[i] >= 0;
  }
  if (found == FW_FOUND_PATH) {
    return fw_cbs_tell(run, paths);
  }
  for (int32_t i = 0; i < run->count && report->has_paths; ++i) {
    const int32_t robot = run->members[i].robot;
    if (!fw__paths_set(paths, robot, budget->roots.paths[robot])) {
      report->has_paths = false;
    }
  }
  return true;
}

fw_found_t fw_cbs_search_by_cores(
  const fw_cbs_memory_t * memory, const fw_cbs_query_t * query, fw__paths_t * paths, fw_group_answer_t * answer,
  fw_cbs_report_t * told)
{
  budget_t budget = {.nodes_max = FIRST_NODES};
  fw_cost_t alone;
  *answer = (fw_group_answer_t){.bound = query->group.cost_min};
  told->has_paths = false;
  if (!fw_cbs_begin(&budget.run, memory, query)) {
    return fw_cbs_out_of_memory(&budget.run);
  }
  budget.run.store = memory->pair;
  if (!prepare(&budget)) {
    return fw_cbs_out_of_memory(&budget.run);
  }
  fw_found_t found = measure(&budget, &alone);
  if (found == FW_FOUND_PATH) {
    found = search(&budget, alone, answer, told);
    if (!report(&budget, found, paths, told)) {
      found = fw_cbs_out_of_memory(&budget.run);
    }
  }
  answer->expanded = budget.run.expanded;
  return found;
}
