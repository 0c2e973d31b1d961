// Conflict-based search: the tree.

#include "planner/cbs.h"

#include <string.h>

#include "planner/cbs_tree.h"

fw_found_t fw_cbs_out_of_memory(const fw_cbs_t * run)
{
  fw_meter_stop(run->scene->meter, FW_STOP_MEMORY);
  return FW_FOUND_STOPPED;
}

bool fw_cbs_init(fw_cbs_t * run, fw_arena_t * arena, fw_arena_t * store, const fw_scene_t * scene, int32_t count_max)
{
  const size_t robots = (size_t)scene->problem->robot_count;
  *run = (fw_cbs_t){.arena = arena, .store = store, .scene = scene};
  run->members = fw_arena_allocate_zeroed(arena, (size_t)count_max, sizeof(*run->members));
  run->met_stamps = fw_arena_allocate_zeroed(arena, (size_t)count_max, sizeof(*run->met_stamps));
  run->member_of = fw_arena_allocate(arena, robots, sizeof(*run->member_of));
  if (run->members == NULL || run->met_stamps == NULL || run->member_of == NULL) {
    return false;
  }
  fw_ranked_init(&run->open, arena);
  return fw_traffic_init(&run->traffic, arena, scene) && fw_cbs_rules_init(run) && fw_cbs_route_init(run) &&
         fw_cbs_diagrams_init(run) && fw_cbs_pair_init(run);
}

// f, then pairs that meet; of equals the newest.
static bool push(fw_cbs_t * run, int32_t index)
{
  const fw_cbs_node_t * node = fw_cbs_node(run, index);
  if ((fw_cost_t)node->cost + node->h > run->group->cost_max) {
    return true;
  }
  return fw_ranked_push(&run->open, ((uint64_t)(node->cost + node->h) << 32) | (uint32_t)node->pairs, index);
}

// ---- expansion ------------------------------------------------------------------------------------------------------

static int32_t choose(const fw_cbs_t * run)
{
  int32_t best = 0;
  for (int32_t i = 1; i < run->conflict_count; ++i) {
    const fw_cbs_conflict_t * a = &run->conflicts[i];
    const fw_cbs_conflict_t * b = &run->conflicts[best];
    if (a->weight != b->weight ? a->weight > b->weight : a->rank != b->rank ? a->rank > b->rank : a->tick < b->tick) {
      best = i;
    }
  }
  return best;
}

static fw_found_t branch(fw_cbs_t * run, int32_t index)
{
  const fw_cbs_conflict_t * conflict = &run->conflicts[choose(run)];
  if (run->options->has_bypass && run->weights != NULL && run->scene->robust_ticks == 0 && conflict->weight == 0) {
    for (int32_t i = 0; i < run->conflict_count; ++i) {
      int32_t better = -1;
      if (fw_cbs_bypass_pair(run, index, &run->conflicts[i], &better) == FW_FOUND_STOPPED) {
        return FW_FOUND_STOPPED;
      }
      if (better >= 0) {
        return push(run, better) ? FW_FOUND_NONE : fw_cbs_out_of_memory(run);
      }
    }
  }
  fw_cbs_split_t split = fw_cbs_split(run, conflict);
  int32_t children[2] = {-1, -1};
  if (conflict->weight > 0 && run->scene->robust_ticks == 0) {
    split = fw_cbs_split_costs(run, conflict);
  } else if (run->options->has_corridors && fw_cbs_split_corridor(run, index, conflict, &split) == FW_FOUND_STOPPED) {
    return FW_FOUND_STOPPED;
  }
  for (int32_t side = 0; side < 2; ++side) {
    const fw_found_t found = fw_cbs_make_child(run, index, &split, side, &children[side]);
    if (found == FW_FOUND_STOPPED) {
      return found;
    }
    if (found == FW_FOUND_PATH && fw_cbs_take_bypass(run, index, children[side])) {
      return push(run, children[side]) ? FW_FOUND_NONE : fw_cbs_out_of_memory(run);
    }
  }
  for (int32_t side = 0; side < 2; ++side) {
    if (children[side] >= 0 && !push(run, children[side])) {
      return fw_cbs_out_of_memory(run);
    }
  }
  return FW_FOUND_NONE;
}

// FW_FOUND_PATH: the loaded node is a plan. FW_FOUND_NONE: go on.
static fw_found_t expand(fw_cbs_t * run, int32_t index)
{
  fw_cbs_node_t * node = fw_cbs_node(run, index);
  if (!fw_cbs_load(run, index) || !fw_cbs_find_conflicts(run)) {
    return fw_cbs_out_of_memory(run);
  }
  if (run->conflict_count == 0) {
    return FW_FOUND_PATH;
  }
  if (index == 0) {
    node->pairs = fw_cbs_count_pairs(run);
  }
  if (!fw_cbs_rank_conflicts(run, index)) {
    return fw_cbs_out_of_memory(run);
  }
  if (run->weights != NULL) {
    int32_t h = 0;
    const fw_found_t found = fw_cbs_weigh(run, index, &h);
    if (found == FW_FOUND_STOPPED) {
      return found;
    }
    if (h > node->h) {
      node->h = h;
      return push(run, index) ? FW_FOUND_NONE : fw_cbs_out_of_memory(run);
    }
  }
  return branch(run, index);
}

fw_found_t fw_cbs_run(fw_cbs_t * run, int64_t expansions_max, fw_group_answer_t * answer)
{
  fw_ranked_item_t item;
  run->node_count = 0;
  run->open.count = 0;
  run->cost_limit = run->group->cost_max;
  fw_cbs_diagrams_forget(run, true);
  fw_cbs_node_t * root = fw_cbs_add_node(run);
  if (root == NULL) {
    return fw_cbs_out_of_memory(run);
  }
  *root = (fw_cbs_node_t){.parent = -1, .member = -1, .fixed = -1};
  for (int32_t i = 0; i < run->count; ++i) {
    root->cost += run->members[i].root_cost;
    run->member_of[run->members[i].robot] = i;
  }
  answer->bound = root->cost;
  if (!push(run, 0)) {
    return fw_cbs_out_of_memory(run);
  }
  while (fw_ranked_pop(&run->open, &item)) {
    const fw_cbs_node_t * node = fw_cbs_node(run, item.value);
    answer->bound = node->cost + node->h;
    if (expansions_max > 0 && run->expanded >= expansions_max) {
      return FW_FOUND_STOPPED;
    }
    ++run->expanded;
    const fw_found_t found = expand(run, item.value);
    if (found == FW_FOUND_PATH) {
      answer->cost = node->cost;
      return found;
    }
    if (found == FW_FOUND_STOPPED || fw_meter_add(run->scene->meter, 1)) {
      return FW_FOUND_STOPPED;
    }
  }
  return FW_FOUND_NONE;
}

// ---- a group --------------------------------------------------------------------------------------------------------

// Everybody's best path alone, those after around those before where it costs nothing.
static fw_found_t make_root(fw_cbs_t * run)
{
  for (int32_t i = 0; i < run->count; ++i) {
    fw_cbs_member_t * member = &run->members[i];
    fw_path_t path;
    if (!fw_cbs_rules_read(run, 0, 0, i, (fw_cbs_more_t){NULL, 0})) {
      return fw_cbs_out_of_memory(run);
    }
    const fw_found_t found = fw_cbs_route(run, i, run->group->cost_max, &path, &member->root_cost);
    if (found != FW_FOUND_PATH) {
      return found;
    }
    if (
      !fw_cbs_copy_path(run, path, &member->root_path) ||
      !fw_traffic_add(&run->traffic, member->robot, member->root_path)) {
      return fw_cbs_out_of_memory(run);
    }
  }
  return FW_FOUND_PATH;
}

bool fw_cbs_tell(const fw_cbs_t * run, fw__paths_t * paths)
{
  for (int32_t i = 0; i < run->count; ++i) {
    fw_path_t path = run->members[i].path;
    while (path.length > 1 && path.cells[path.length - 2] == path.cells[path.length - 1]) {
      --path.length;
    }
    if (!fw__paths_set(paths, run->members[i].robot, path)) {
      return false;
    }
  }
  return true;
}

bool fw_cbs_begin(fw_cbs_t * run, const fw_cbs_memory_t * memory, const fw_cbs_query_t * query)
{
  const int32_t count = query->group.count;
  fw_arena_reset(memory->work);
  fw_arena_reset(memory->pair);
  if (!fw_cbs_init(run, memory->work, memory->work, query->group.scene, count)) {
    return false;
  }
  run->group = &query->group;
  run->options = &query->options;
  run->count = count;
  for (int32_t i = 0; i < count; ++i) {
    run->members[i].robot = query->group.robots[i];
    run->member_of[query->group.robots[i]] = i;
  }
  return true;
}

fw_found_t fw_cbs_search(
  const fw_cbs_memory_t * memory, const fw_cbs_query_t * query, fw__paths_t * paths, fw_group_answer_t * answer)
{
  fw_cbs_t run;
  *answer = (fw_group_answer_t){0};
  if (
    !fw_cbs_begin(&run, memory, query) ||
    (query->options.has_weights && !fw_cbs_weights_init(&run, memory->pair, query->group.count))) {
    return fw_cbs_out_of_memory(&run);
  }
  fw_found_t found = make_root(&run);
  if (found == FW_FOUND_PATH) {
    found = fw_cbs_run(&run, query->group.expansions_max, answer);
  }
  answer->expanded = run.expanded;
  return found != FW_FOUND_PATH || fw_cbs_tell(&run, paths) ? found : fw_cbs_out_of_memory(&run);
}
