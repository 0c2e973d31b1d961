// Looking at a node of the tree: its paths and constraints are those of all nodes above it.

#include <string.h>

#include "planner/cbs_tree.h"

static void collect(fw_cbs_t * run, int32_t index)
{
  for (int32_t i = 0; i < run->count; ++i) {
    run->members[i].owner = -1;
    run->members[i].path.length = 0;
  }
  for (int32_t at = index; at > 0; at = fw_cbs_node(run, at)->parent) {
    const fw_cbs_node_t * node = fw_cbs_node(run, at);
    fw_cbs_member_t * member = &run->members[node->member];
    if (member->path.length == 0) {
      member->path = node->path;
      member->path_cost = node->path_cost;
    }
    if (member->owner < 0 && node->constraint_count > 0) {
      member->owner = at;
    }
    if (node->fixed >= 0 && run->members[node->fixed].owner < 0) {
      run->members[node->fixed].owner = at;
    }
  }
  for (int32_t i = 0; i < run->count; ++i) {
    fw_cbs_member_t * member = &run->members[i];
    member->owner = member->owner < 0 ? 0 : member->owner;
    if (member->path.length == 0) {
      member->path = member->root_path;
      member->path_cost = member->root_cost;
    }
  }
}

bool fw_cbs_load(fw_cbs_t * run, int32_t index)
{
  collect(run, index);
  for (int32_t i = 0; i < run->count; ++i) {
    const fw_cbs_member_t * member = &run->members[i];
    const fw_path_t * old = &run->traffic.paths[member->robot];
    if (member->is_muted) {
      fw_traffic_remove(&run->traffic, member->robot);
      continue;
    }
    if (old->cells == member->path.cells && old->length == member->path.length) {
      continue;
    }
    fw_traffic_remove(&run->traffic, member->robot);
    if (!fw_traffic_add(&run->traffic, member->robot, member->path)) {
      return false;
    }
  }
  return true;
}
