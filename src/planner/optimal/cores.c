// An optimal plan by clauses: the search.

#include "planner/optimal/cores.h"

#include "planner/optimal/asks.h"

// Joint searches in between: for few robots as much work as all the rest, for many a part that does not count.
enum { LOOK_FIRST = 1000, FEW_ROBOTS = 4, SHARE_OF_FEW = 1, SHARE_OF_MANY = 64 };

typedef struct cores_t {
  fw_optimal_t * run;
  const fw_cores_options_t * options;
  fw_flow_t flow;
  fw_asks_t asks;
  fw_cost_t alone;   // what all cost, each alone
  int32_t * extras;  // by robot: what it costs alone beyond its distance
  int32_t * robots;  // of a group
  int64_t look_at;   // expansions
  int32_t width;     // of the joint searches: a group, all who cost more than alone, everybody
  int64_t tries;
  int64_t looks;
} cores_t;

static fw_found_t stopped(const cores_t * cores)
{
  if (!fw__meter_has_stopped(&cores->run->meter)) {
    fw__meter_stop(&cores->run->meter, FW_STOP_MEMORY);
  }
  return FW_FOUND_STOPPED;
}

// ---- joint searches -------------------------------------------------------------------------------------------------

static fw_found_t search_jointly(cores_t * cores, int32_t count, int64_t effort, fw_group_answer_t * answer)
{
  const fw_group_query_t query = {
    .scene = &cores->run->scene,
    .robots = cores->robots,
    .count = count,
    .is_decomposed = true,
    .cost_max = INT64_MAX,
    .expansions_max = effort,
  };
  return fw__joint_search(cores->run->work_joint, &query, &cores->run->paths, answer);
}

// What each costs alone, which is more than its distance only where doors are closed.
static fw_found_t go_alone(cores_t * cores)
{
  const fw_scene_t * scene = &cores->run->scene;
  for (int32_t r = 0; r < scene->problem->robot_count; ++r) {
    const int32_t distance = fw__scene_distance(scene, r, scene->starts[r]);
    if (scene->problem->closure_count > 0) {
      fw_group_answer_t answer;
      cores->robots[0] = r;
      const fw_found_t found = search_jointly(cores, 1, 0, &answer);
      if (found != FW_FOUND_PATH) {
        return found;
      }
      cores->extras[r] = (int32_t)answer.cost - distance;
    }
    cores->alone += distance + cores->extras[r];
  }
  return FW_FOUND_PATH;
}

// The group that costs most; where such a group has a plan of its own, all who cost more than alone, then everybody: a core
// of one robot does not tell who else it is due to. Where that takes too long it begins with the group that costs most by
// then: one that has no plan costs more and more.
static int32_t choose(cores_t * cores)
{
  const int32_t all = cores->run->scene.problem->robot_count;
  const fw_asks_t * asks = &cores->asks;
  int32_t worst = asks->group_of[0];
  int32_t count = 0;
  for (int32_t r = 0; r < all; ++r) {
    worst = asks->group_of[r] == r && asks->charges[r] > asks->charges[worst] ? r : worst;
  }
  for (int32_t r = 0; r < all; ++r) {
    const int32_t group = asks->group_of[r];
    if (group == worst || cores->width > 1 || (cores->width == 1 && asks->charges[group] > 0)) {
      cores->robots[count++] = r;
    }
  }
  return count;
}

// Costs can be raised for ever where there is no plan; a joint search of those who cost most comes to an end. It has its
// turn each time that the work has doubled. FW_FOUND_PATH: they are all there are, and this is the plan.
static fw_found_t look_jointly(cores_t * cores)
{
  fw_group_answer_t answer;
  const int32_t count = choose(cores);
  const int64_t effort = cores->look_at / (count <= FEW_ROBOTS ? SHARE_OF_FEW : SHARE_OF_MANY);
  const fw_found_t found = search_jointly(cores, count, effort, &answer);
  ++cores->looks;
  cores->look_at = 2 * cores->run->meter.expanded;
  cores->width = found == FW_FOUND_PATH ? cores->width + 1 : 0;
  if (found == FW_FOUND_PATH) {
    cores->run->bound = count == cores->run->scene.problem->robot_count ? answer.cost : cores->run->bound;
    return count == cores->run->scene.problem->robot_count ? FW_FOUND_PATH : FW_FOUND_STOPPED;
  }
  return found;
}

// ---- the search -----------------------------------------------------------------------------------------------------

// The paths of the last model, false if there was none. Who has arrived for good needs no more ticks.
static bool tell(const cores_t * cores)
{
  const fw_flow_t * flow = &cores->flow;
  bool is_fine = flow->robots != NULL;
  for (int32_t r = 0; r < flow->scene->problem->robot_count && is_fine; ++r) {
    const fw_list_t * path = &flow->robots[r].path;
    int32_t * nodes = fw__arena_allocate(flow->arena, (size_t)path->count, sizeof(*nodes));
    int32_t length = 1;
    is_fine = nodes != NULL && path->count > 0;
    for (fw_tick_t tick = 0; tick < path->count && is_fine; ++tick) {
      nodes[tick] = flow->states[path->items[tick]].node;
      length = tick > 0 && nodes[tick] != nodes[tick - 1] ? tick + 1 : length;
    }
    is_fine = is_fine && fw__path_buffers_set(&cores->run->paths, r, (fw_path_t){.cells = nodes, .length = length});
  }
  return is_fine;
}

static fw_found_t search(cores_t * cores)
{
  fw_optimal_t * run = cores->run;
  for (;;) {
    run->bound = cores->alone + cores->asks.bound;
    const fw_sat_result_t answer = fw__asks_try(&cores->asks);
    ++cores->tries;
    if (answer == FW_SAT_STOPPED || (answer == FW_SAT_UNSATISFIABLE && !fw__asks_learn(&cores->asks))) {
      return stopped(cores);
    }
    if (answer == FW_SAT_SATISFIABLE) {
      const int32_t met = fw__flow_read(&cores->flow) ? fw__flow_part(&cores->flow) : -1;
      bool is_fine = true;
      if (met < 0 || (met == 0 && !fw__asks_settle(&cores->asks, &is_fine))) {
        return met == 0 && tell(cores) ? FW_FOUND_PATH : stopped(cores);
      }
      if (!is_fine) {
        return stopped(cores);
      }
    }
    if (answer == FW_SAT_UNSATISFIABLE && cores->asks.core.count == 0) {
      return FW_FOUND_NONE;
    }
    if (answer == FW_SAT_UNSATISFIABLE && run->meter.expanded > cores->look_at) {
      const fw_found_t found = look_jointly(cores);
      if (found != FW_FOUND_STOPPED || fw__meter_has_stopped(&run->meter)) {
        return found;
      }
    }
  }
}

static fw_found_t begin(cores_t * cores)
{
  const fw_scene_t * scene = &cores->run->scene;
  const size_t count = (size_t)scene->problem->robot_count;
  cores->extras = fw__arena_allocate_zeroed(cores->run->work, count, sizeof(*cores->extras));
  cores->robots = fw__arena_allocate(cores->run->work, count, sizeof(*cores->robots));
  if (cores->extras == NULL || cores->robots == NULL) {
    return stopped(cores);
  }
  const fw_found_t found = go_alone(cores);
  if (found != FW_FOUND_PATH) {
    return found;
  }
  const fw_flow_options_t options = {
    .has_layers = cores->options->has_layers,
    .has_places = cores->options->has_places,
    .extras = cores->extras,
  };
  const bool is_ready = fw__flow_init(&cores->flow, cores->run->work, scene, &options) &&
                        fw__asks_init(&cores->asks, &cores->flow, cores->options);
  return is_ready ? search(cores) : stopped(cores);
}

// Groups, for the statistics and for whoever wants to know. Out of budget the paths are those of the last model: they may
// meet, so that each stands for itself.
static void tell_groups(const cores_t * cores, fw_found_t found)
{
  fw_optimal_t * run = cores->run;
  const int32_t count = run->scene.problem->robot_count;
  int32_t groups = 0;
  int32_t largest = 0;
  for (int32_t group = 0; group < count && cores->asks.group_of != NULL; ++group) {
    int32_t size = 0;
    for (int32_t r = 0; r < count; ++r) {
      size += cores->asks.group_of[r] == group ? 1 : 0;
    }
    groups += size > 0 ? 1 : 0;
    largest = size > largest ? size : largest;
    run->group_of[group] = found == FW_FOUND_PATH ? cores->asks.group_of[group] : group;
  }
  fw__plan_count(run->plan, "groups", groups);
  fw__plan_count(run->plan, "largest_group", largest);
}

fw_found_t fw__cores_search(fw_optimal_t * run, const fw_cores_options_t * options)
{
  cores_t cores = {.run = run, .options = options, .look_at = LOOK_FIRST};
  fw__arena_reset(run->work);
  const fw_found_t found = begin(&cores);
  run->has_paths = found == FW_FOUND_PATH || (found == FW_FOUND_STOPPED && cores.flow.scene != NULL && tell(&cores));
  tell_groups(&cores, found);
  fw__plan_count(run->plan, "tries", cores.tries);
  fw__plan_count(run->plan, "joint_searches", cores.looks);
  fw__plan_count(run->plan, "learned", cores.flow.sat.conflicts);
  fw__plan_count(run->plan, "states", cores.flow.state_count);
  return found;
}
