// Nodes of the tree below another: with one more constraint, or with other paths that came for nothing.

#include <string.h>

#include "planner/cbs_tree.h"

enum { PAIR_BYPASS_STATES = 2000 };

// ---- nodes ----------------------------------------------------------------------------------------------------------

fw_cbs_node_t * fw_cbs_add_node(fw_cbs_t * run)
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

bool fw_cbs_copy_path(fw_cbs_t * run, fw_path_t path, fw_path_t * copy)
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
fw_found_t fw_cbs_make_child(
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
  const fw_cost_t room = run->cost_limit == INT64_MAX ? INT64_MAX : run->cost_limit - others;
  fw_found_t found = fw_cbs_route(run, member, room, &path, &cost);
  const int32_t met = found == FW_FOUND_PATH ? fw_cbs_count_met(run, &path) : 0;
  if (!fw_traffic_add(&run->traffic, who->robot, old)) {
    return fw_cbs_out_of_memory(run);
  }
  if (found != FW_FOUND_PATH) {
    return found;
  }
  fw_cbs_node_t * node = fw_cbs_add_node(run);
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
  return fw_cbs_copy_path(run, path, &node->path) ? FW_FOUND_PATH : fw_cbs_out_of_memory(run);
}

// A path for nothing that meets fewer: E. Boyarski, A. Felner, G. Sharon, R. Stern, Don't Split, Try To Work It Out:
// Bypassing Conflicts in Multi-Agent Pathfinding, ICAPS 2015. The child without its constraint takes the node's place.
bool fw_cbs_take_bypass(fw_cbs_t * run, int32_t parent, int32_t child)
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
fw_found_t fw_cbs_bypass_pair(fw_cbs_t * run, int32_t parent, const fw_cbs_conflict_t * conflict, int32_t * index)
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
    fw_cbs_node_t * node = fw_cbs_add_node(run);
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
    if (!fw_cbs_copy_path(run, paths[i], &node->path)) {
      return fw_cbs_out_of_memory(run);
    }
  }
  return FW_FOUND_NONE;
}
