// Conflict-based search: an optimal plan for a group by a tree of constraints on single robots.
//
// G. Sharon, R. Stern, A. Felner, N. Sturtevant, Conflict-Based Search for Optimal Multi-Agent Path Finding, Artificial
// Intelligence 219, 2015. Everybody has a best path of its own under its constraints; two that meet are kept apart in two
// ways, each a child with one more constraint, and the cheapest node goes first. Where groups are large and meet rarely
// that is far less than the states of a joint search.
//
// What makes it fast is in files of its own, each with its papers, and can be switched off:
//   cbs_rank.c       which conflicts raise the cost for certain, from decision diagrams (cbs_diagram.c)
//   cbs_child.c      paths that can be had for nothing (bypass)
//   cbs_weights.c    how much pairs cost together (cbs_pair.c), and what that says of the whole
//   cbs_corridor.c   two robots in a corridor
//   cbs_branch.c     goals that others pass (target), disjoint splitting, splitting on costs
//   cbs_budget.c     in place of one tree: costs that are tried (cbs_parts.c), and reasons why they do not do
//                    (cbs_refute.c, cbs_learn.c, cbs_cores.c)

#ifndef PLANNER__CBS_H_
#define PLANNER__CBS_H_

#include "planner/joint.h"

typedef struct fw_cbs_options_t {
  bool has_cardinals;  // conflicts that cost go first
  bool has_bypass;     // take another path of the same cost that meets fewer, in place of two children
  bool has_weights;    // pairwise costs as an estimate
  bool has_corridors;
  bool has_targets;
  bool is_disjoint;  // children have no plan in common
} fw_cbs_options_t;

// Memory: emptied by each search.
typedef struct fw_cbs_memory_t {
  fw_arena_t * work;
  fw_arena_t * pair;
} fw_cbs_memory_t;

typedef struct fw_cbs_query_t {
  fw_group_query_t group;
  fw_cbs_options_t options;
} fw_cbs_query_t;

// What a joint search for some robots has to say.
typedef struct fw_cbs_look_t {
  int32_t * robots;
  int32_t count;
  int64_t effort;   // in states; rises each time
  fw_cost_t bound;  // they cost no less
  int32_t * costs;  // by place in `robots`, what they cost in the cheapest plan for them, if it was found
} fw_cbs_look_t;

// What else a search by cores asks and tells. Arrays are the caller's, with room for all robots.
typedef struct fw_cbs_report_t {
  bool has_paths;      // `paths` are set, and may meet where the search has not found a plan
  int32_t * group_of;  // by robot: who belongs together, by the robot that comes first
  // Asked from time to time for those who cost most beyond what they cost alone. FW_FOUND_NONE: there is no plan for them.
  fw_found_t (*look)(void * state, fw_cbs_look_t * look);
  void * state;
  fw_cbs_look_t looked;
} fw_cbs_report_t;

// By costs and cores in place of one tree (cbs_budget.c). No robust ticks.
fw_found_t fw_cbs_search_by_cores(
  const fw_cbs_memory_t * memory, const fw_cbs_query_t * query, fw__paths_t * paths, fw_group_answer_t * answer,
  fw_cbs_report_t * told);

// As fw_joint_search, but for this: it ends by itself only if there is a plan (within group.cost_max, or at all).
fw_found_t fw_cbs_search(
  const fw_cbs_memory_t * memory, const fw_cbs_query_t * query, fw__paths_t * paths, fw_group_answer_t * answer);

#endif  // PLANNER__CBS_H_
