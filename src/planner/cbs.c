// Conflict-based search: the tree.

#include "planner/cbs.h"

#include <string.h>

#include "planner/cbs_tree.h"

enum { PAIR_BYPASS_STATES = 2000 };

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

// ---- nodes ----------------------------------------------------------------------------------------------------------

static fw_cbs_node_t * add_node(fw_cbs_t * run)
{
  const int32_t page = run->node_count >> FW_CBS_PAGE_BITS;
  if ((run->node_count & (FW_CBS_PAGE - 1)) == 0) {
    if (page == run->page_capacity) {
      fw_cbs_node_t ** pages = fw_arena_grow(run->store, run->pages, (size_t)page, sizeof(*pages), &run->page_capacity);
      if (pages == NULL) {
        return NULL;
      }
      run->pages = pages;
    }
    run->pages[page] = fw_arena_allocate(run->store, FW_CBS_PAGE, sizeof(*run->pages[page]));
    if (run->pages[page] == NULL) {
      return NULL;
    }
  }
  return fw_cbs_node(run, run->node_count++);
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

static bool copy_path(fw_cbs_t * run, fw_path_t path, fw_path_t * copy)
{
  fw_cell_t * nodes = fw_arena_allocate(run->store, (size_t)path.length, sizeof(*nodes));
  if (nodes == NULL) {
    return false;
  }
  memcpy(nodes, path.cells, (size_t)path.length * sizeof(*nodes));
  *copy = (fw_path_t){.cells = nodes, .length = path.length};
  return true;
}

// ---- children -------------------------------------------------------------------------------------------------------

// The node's h goes down by what the child's cost goes up.
static int32_t inherit(const fw_cbs_node_t * parent, int32_t cost)
{
  const int32_t h = parent->h - (cost - parent->cost);
  return h > 0 ? h : 0;
}

// One robot of the loaded node gets one more constraint and another path.
static fw_found_t make_child(
  fw_cbs_t * run, int32_t parent, const fw_cbs_split_t * split, int32_t side, int32_t * index)
{
  const int32_t member = split->members[side];
  const fw_cbs_member_t * who = &run->members[member];
  const fw_path_t old = who->path;
  fw_path_t path;
  int32_t cost = 0;
  *index = -1;
  if (!fw_cbs_rules_read(run, 0, parent, member, (fw_cbs_more_t){&split->constraints[side], 1})) {
    return fw_cbs_out_of_memory(run);
  }
  fw_traffic_remove(&run->traffic, who->robot);
  const int32_t met_before = fw_cbs_count_met(run, &old);
  const fw_cost_t others = fw_cbs_node(run, parent)->cost - who->path_cost;
  const fw_cost_t room = run->group->cost_max == INT64_MAX ? INT64_MAX : run->group->cost_max - others;
  fw_found_t found = fw_cbs_route(run, member, room, &path, &cost);
  const int32_t met = found == FW_FOUND_PATH ? fw_cbs_count_met(run, &path) : 0;
  if (!fw_traffic_add(&run->traffic, who->robot, old)) {
    return fw_cbs_out_of_memory(run);
  }
  if (found != FW_FOUND_PATH) {
    return found;
  }
  fw_cbs_node_t * node = add_node(run);
  fw_cbs_constraint_t * constraint = fw_arena_allocate(run->store, 1, sizeof(*constraint));
  if (node == NULL || constraint == NULL) {
    return fw_cbs_out_of_memory(run);
  }
  const fw_cbs_node_t * above = fw_cbs_node(run, parent);
  *constraint = split->constraints[side];
  *node = (fw_cbs_node_t){
    .parent = parent,
    .member = member,
    .fixed = -1,
    .constraints = constraint,
    .constraint_count = 1,
    .path_cost = cost,
    .cost = (int32_t)others + cost,
    .h = inherit(above, (int32_t)others + cost),
    .pairs = above->pairs - met_before + met,
  };
  if (side == 1 && split->fixed_count > 0) {
    node->fixed = split->members[0];
    node->fixed_count = split->fixed_count;
    node->fixed_constraints = fw_arena_allocate(run->store, (size_t)split->fixed_count, sizeof(*constraint));
    if (node->fixed_constraints == NULL) {
      return fw_cbs_out_of_memory(run);
    }
    memcpy(node->fixed_constraints, split->fixed, (size_t)split->fixed_count * sizeof(*constraint));
  }
  *index = run->node_count - 1;
  return copy_path(run, path, &node->path) ? FW_FOUND_PATH : fw_cbs_out_of_memory(run);
}

// A path for nothing that meets fewer: E. Boyarski, A. Felner, G. Sharon, R. Stern, Don't Split, Try To Work It Out:
// Bypassing Conflicts in Multi-Agent Pathfinding, ICAPS 2015. The child without its constraint takes the node's place.
static bool take_bypass(fw_cbs_t * run, int32_t parent, int32_t child)
{
  const fw_cbs_node_t * above = fw_cbs_node(run, parent);
  fw_cbs_node_t * node = fw_cbs_node(run, child);
  if (!run->options->has_bypass || node->cost != above->cost || node->pairs >= above->pairs) {
    return false;
  }
  node->constraint_count = 0;
  node->fixed = -1;
  node->h = above->h;
  return true;
}

// Two robots that meet though they need not: both take other paths of their costs if that leaves fewer pairs that meet.
// What a bypass is for one robot, for two. `index` becomes the node that takes the place of the loaded one, -1 for none.
static fw_found_t bypass_pair(fw_cbs_t * run, int32_t parent, const fw_cbs_conflict_t * conflict, int32_t * index)
{
  const int32_t members[2] = {conflict->one, conflict->two};
  fw_path_t paths[2];
  fw_path_t old[2];
  int32_t change = -1;  // in pairs that meet
  *index = -1;
  for (int32_t i = 0; i < 2; ++i) {
    old[i] = run->members[members[i]].path;
    fw_traffic_remove(&run->traffic, run->members[members[i]].robot);
  }
  const fw_found_t found = fw_cbs_pair_paths(run, parent, members, PAIR_BYPASS_STATES, paths);
  for (int32_t i = 0; i < 2; ++i) {
    change += found == FW_FOUND_PATH ? fw_cbs_count_met(run, &paths[i]) - fw_cbs_count_met(run, &old[i]) : 0;
  }
  for (int32_t i = 0; i < 2; ++i) {
    if (!fw_traffic_add(&run->traffic, run->members[members[i]].robot, old[i])) {
      return fw_cbs_out_of_memory(run);
    }
  }
  if (fw_meter_has_stopped(run->scene->meter)) {
    return FW_FOUND_STOPPED;
  }
  for (int32_t i = 0; i < 2 && found == FW_FOUND_PATH && change < 0; ++i) {
    fw_cbs_node_t * node = add_node(run);
    if (node == NULL) {
      return fw_cbs_out_of_memory(run);
    }
    const fw_cbs_node_t * above = fw_cbs_node(run, i == 0 ? parent : *index);
    *node = (fw_cbs_node_t){
      .parent = i == 0 ? parent : *index,
      .member = members[i],
      .fixed = -1,
      .path_cost = run->members[members[i]].path_cost,
      .cost = above->cost,
      .h = above->h,
      .pairs = above->pairs + (i == 0 ? change : 0),
    };
    *index = run->node_count - 1;
    if (!copy_path(run, paths[i], &node->path)) {
      return fw_cbs_out_of_memory(run);
    }
  }
  return FW_FOUND_NONE;
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
      if (bypass_pair(run, index, &run->conflicts[i], &better) == FW_FOUND_STOPPED) {
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
    const fw_found_t found = make_child(run, index, &split, side, &children[side]);
    if (found == FW_FOUND_STOPPED) {
      return found;
    }
    if (found == FW_FOUND_PATH && take_bypass(run, index, children[side])) {
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
  fw_cbs_diagrams_forget(run);
  fw_cbs_node_t * root = add_node(run);
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
    if (!copy_path(run, path, &member->root_path) || !fw_traffic_add(&run->traffic, member->robot, member->root_path)) {
      return fw_cbs_out_of_memory(run);
    }
  }
  return FW_FOUND_PATH;
}

static bool tell(const fw_cbs_t * run, fw__paths_t * paths)
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

fw_found_t fw_cbs_search(
  const fw_cbs_memory_t * memory, const fw_cbs_query_t * query, fw__paths_t * paths, fw_group_answer_t * answer)
{
  fw_cbs_t run;
  *answer = (fw_group_answer_t){0};
  fw_arena_reset(memory->work);
  fw_arena_reset(memory->pair);
  const int32_t count = query->group.count;
  if (!fw_cbs_init(&run, memory->work, memory->work, query->group.scene, count)) {
    return fw_cbs_out_of_memory(&run);
  }
  run.group = &query->group;
  run.options = &query->options;
  run.count = count;
  for (int32_t i = 0; i < count; ++i) {
    run.members[i].robot = query->group.robots[i];
    run.member_of[query->group.robots[i]] = i;
  }
  if (query->options.has_weights && !fw_cbs_weights_init(&run, memory->pair, count)) {
    return fw_cbs_out_of_memory(&run);
  }
  fw_found_t found = make_root(&run);
  if (found == FW_FOUND_PATH) {
    found = fw_cbs_run(&run, query->group.expansions_max, answer);
  }
  answer->expanded = run.expanded;
  return found != FW_FOUND_PATH || tell(&run, paths) ? found : fw_cbs_out_of_memory(&run);
}
