// The insides of conflict-based search, shared by its files: constraints, the tree, one run.

#ifndef PLANNER__CBS_TREE_H_
#define PLANNER__CBS_TREE_H_

#include "planner/cbs.h"

// ---- constraints ----------------------------------------------------------------------------------------------------

// What a constraint forbids, where it is no direction: being on the node; arriving for good before tick `to` + 1.
// And three that forbid all else: the robot counts as if its path cost at least `to`, so that it may as well cost that
// much; its path costs no more than `to`; it is on the node at tick `from`.
enum { FW_CBS_BE = -1, FW_CBS_END = -2, FW_CBS_COST = -3, FW_CBS_COST_MAX = -4, FW_CBS_MUST = -5 };

typedef struct fw_cbs_constraint_t {
  int32_t node;
  int32_t direction;  // not to arrive on `node` this way, or one of the above
  fw_tick_t from;     // ticks of arrival, both included; `to` may be FW_TICK_MAX
  fw_tick_t to;
} fw_cbs_constraint_t;

// All constraints of one robot, by node.
typedef struct fw_cbs_rules_t {
  int32_t robot;
  int32_t * heads;  // by node: the first in its list, -1 for none
  fw_cbs_constraint_t * listed;
  int32_t * links;
  int32_t count;
  int32_t capacity;
  int32_t links_capacity;
  fw_tick_t still_from;  // from here on nothing that matters to the robot changes
  fw_tick_t end_from;    // it cannot end on its goal before this tick; FW_TICK_MAX for never
  int32_t least;         // what its path counts at least
  int32_t most;          // and what it costs at most
  int32_t must_count;    // places where it must be: at the end of `listed`, by their indices
  int32_t * musts;
  int32_t musts_capacity;
} fw_cbs_rules_t;

// ---- the tree -------------------------------------------------------------------------------------------------------

// Who the node is about: one robot has a new path, and new constraints unless the path came for nothing.
typedef struct fw_cbs_node_t {
  int32_t parent;  // -1: the root
  int32_t member;  // index in the group; -1 in the root, where everybody is new
  int32_t constraint_count;
  fw_cbs_constraint_t * constraints;
  int32_t fixed;  // another member with new constraints, which its path keeps; -1 for none
  int32_t fixed_count;
  fw_cbs_constraint_t * fixed_constraints;
  fw_path_t path;  // of nodes
  int32_t path_cost;
  int32_t cost;   // of all paths
  int32_t h;      // at least that much more for a plan below this node
  int32_t pairs;  // of robots that meet
} fw_cbs_node_t;

enum { FW_CBS_PAGE_BITS = 8, FW_CBS_PAGE = 1 << FW_CBS_PAGE_BITS };

// One robot of the group in the node that is looked at.
typedef struct fw_cbs_member_t {
  int32_t robot;
  int32_t owner;  // the node that has its last constraints; 0 for the root
  fw_path_t path;
  int32_t path_cost;
  // In the root:
  fw_path_t root_path;
  int32_t root_cost;
  bool is_muted;                      // left aside: it meets nobody
  const fw_cbs_constraint_t * given;  // constraints that hold in the whole tree
  int32_t given_count;
} fw_cbs_member_t;

// ---- conflicts ------------------------------------------------------------------------------------------------------

typedef struct fw_cbs_conflict_t {
  int32_t one;  // members
  int32_t two;
  fw_tick_t tick;  // arrivals
  fw_tick_t two_tick;
  bool is_between;    // they swap or cross on their ways to where they are at `tick`
  bool is_forced[2];  // one, or two, cannot avoid it at its present cost
  int32_t rank;       // how many of the two: 2 is cardinal
  int32_t weight;     // how much more the two cost together, 0 where that is not known
} fw_cbs_conflict_t;

// ---- one run --------------------------------------------------------------------------------------------------------

struct fw_cbs_route_t;
struct fw_cbs_diagrams_t;
struct fw_cbs_pair_t;
struct fw_cbs_weights_t;

typedef struct fw_cbs_t {
  const fw_scene_t * scene;
  const fw_group_query_t * group;
  const fw_cbs_options_t * options;
  fw_arena_t * arena;  // of what is used again
  fw_arena_t * store;  // of the tree
  // The tree.
  fw_cbs_node_t ** pages;
  int32_t page_capacity;
  int32_t node_count;
  fw_ranked_t open;
  // The node that is looked at.
  fw_cbs_member_t * members;
  int32_t count;
  int32_t * member_of;   // by robot
  fw_traffic_t traffic;  // paths of the members
  fw_cbs_conflict_t * conflicts;
  int32_t conflict_count;
  int32_t conflict_capacity;
  fw_cbs_rules_t rules[2];  // of the robot that is routed, or of two
  int16_t * xs;             // by node: where it lies
  int16_t * ys;
  int32_t * met_stamps;  // by member
  int32_t met_stamp;
  struct fw_cbs_route_t * route;
  struct fw_cbs_diagrams_t * diagrams;
  struct fw_cbs_pair_t * pair;
  struct fw_cbs_weights_t * weights;  // NULL in a run for a pair
  fw_cost_t cost_limit;               // nodes that cost more are not made
  int64_t expanded;
} fw_cbs_t;

static inline fw_cbs_node_t * fw_cbs_node(const fw_cbs_t * run, int32_t index)
{
  return &run->pages[index >> FW_CBS_PAGE_BITS][index & (FW_CBS_PAGE - 1)];
}

// FW_FOUND_STOPPED and FW_STOP_MEMORY.
fw_found_t fw_cbs_out_of_memory(const fw_cbs_t * run);

// cbs.c: a run for some robots; members' roots are the caller's to fill. Then the search.
bool fw_cbs_init(fw_cbs_t * run, fw_arena_t * arena, fw_arena_t * store, const fw_scene_t * scene, int32_t count_max);
// The same for the robots of a query, with the memory emptied first.
bool fw_cbs_begin(fw_cbs_t * run, const fw_cbs_memory_t * memory, const fw_cbs_query_t * query);
// The paths of the loaded node become the answer.
bool fw_cbs_tell(const fw_cbs_t * run, fw__paths_t * paths);
fw_found_t fw_cbs_run(fw_cbs_t * run, int64_t expansions_max, fw_group_answer_t * answer);

// cbs_child.c: nodes below the loaded one. `index` is -1 if there is none.
fw_cbs_node_t * fw_cbs_add_node(fw_cbs_t * run);                          // NULL when there is no memory
bool fw_cbs_copy_path(fw_cbs_t * run, fw_path_t path, fw_path_t * copy);  // into the tree's memory
struct fw_cbs_split_t;
fw_found_t fw_cbs_make_child(
  fw_cbs_t * run, int32_t parent, const struct fw_cbs_split_t * split, int32_t side, int32_t * index);
bool fw_cbs_take_bypass(fw_cbs_t * run, int32_t parent, int32_t child);
fw_found_t fw_cbs_bypass_pair(fw_cbs_t * run, int32_t parent, const fw_cbs_conflict_t * conflict, int32_t * index);

// cbs_load.c: the node's paths and constraints become those of the members and of the traffic.
bool fw_cbs_load(fw_cbs_t * run, int32_t index);
// cbs_rules.c: the constraints of a member in the loaded node, and some more. False when there is no memory.
bool fw_cbs_rules_init(fw_cbs_t * run);
typedef struct fw_cbs_more_t {
  const fw_cbs_constraint_t * constraints;
  int32_t count;
} fw_cbs_more_t;
bool fw_cbs_rules_read(fw_cbs_t * run, int32_t side, int32_t index, int32_t member, fw_cbs_more_t more);
// Is a move of that robot free of constraints, closures and those who must not be met?
bool fw_cbs_allows(const fw_cbs_t * run, int32_t side, const fw_hop_t * hop);

// cbs_route.c: by rules[0], the cheapest path of the robot, and of those one that meets few. The path is a view.
bool fw_cbs_route_init(fw_cbs_t * run);
fw_found_t fw_cbs_route(fw_cbs_t * run, int32_t member, fw_cost_t cost_max, fw_path_t * path, int32_t * cost);

// The earliest tick at which the routed robot can be on a node, without a move between the two barred ones (NULL: any);
// FW_TICK_MAX and FW_FOUND_NONE for never.
fw_found_t fw_cbs_earliest(fw_cbs_t * run, int32_t member, int32_t node, const int32_t barred[2], fw_tick_t * tick);

// cbs_conflicts.c
bool fw_cbs_find_conflicts(fw_cbs_t * run);
int32_t fw_cbs_count_pairs(fw_cbs_t * run);  // in the conflicts that were found
int32_t fw_cbs_count_met(
  fw_cbs_t * run, const fw_path_t * path);  // robots in the traffic that somebody else's path meets

// cbs_diagram.c, for what is kept of diagrams.
bool fw_cbs_diagrams_init(fw_cbs_t * run);
int64_t fw_cbs_diagrams_made(const fw_cbs_t * run);     // entries, ever: a measure of work
void fw_cbs_diagrams_forget(fw_cbs_t * run, bool all);  // for another tree; not all: those of roots stay
// cbs_rank.c: fills the ranks. False when there is no memory.
bool fw_cbs_rank_conflicts(fw_cbs_t * run, int32_t index);

// cbs_pair.c: how much more two members cost together. FW_FOUND_PATH: just that. FW_FOUND_STOPPED: at least; the meter may
// have stopped it or not.
bool fw_cbs_pair_init(fw_cbs_t * run);
enum { FW_CBS_DELTA_MAX = 32 };
typedef struct fw_cbs_pair_ask_t {
  int32_t index;  // the loaded node
  int32_t members[2];
  int64_t expansions_max;
  int32_t delta_max;  // weights up to this are told apart
} fw_cbs_pair_ask_t;
fw_found_t fw_cbs_pair_weigh(fw_cbs_t * run, const fw_cbs_pair_ask_t * ask, int32_t * weight);
// Can they be planned for these costs, no less than what they count? FW_FOUND_NONE: no.
fw_found_t fw_cbs_pair_fits(fw_cbs_t * run, const fw_cbs_pair_ask_t * ask, const int32_t costs[2]);
// Two paths that cost what the two count, do not meet, and meet few in the traffic, where the two are not. Views.
fw_found_t fw_cbs_pair_paths(
  fw_cbs_t * run, int32_t index, const int32_t members[2], int64_t expansions_max, fw_path_t paths[2]);

// cbs_weights.c
bool fw_cbs_weights_init(fw_cbs_t * run, fw_arena_t * store, int32_t count_max);
// Fills the weights of the conflicts.
fw_found_t fw_cbs_weigh(fw_cbs_t * run, int32_t index, int32_t * h);

// cbs_branch.c: the two ways out of a conflict.
typedef struct fw_cbs_split_t {
  int32_t members[2];
  fw_cbs_constraint_t constraints[2];
  // The other side of constraints[0], for members[0] in the second child.
  fw_cbs_constraint_t fixed[2];
  int32_t fixed_count;
} fw_cbs_split_t;
// For two that cost more together: one of them costs that much more, or the other.
fw_cbs_split_t fw_cbs_split_costs(const fw_cbs_t * run, const fw_cbs_conflict_t * conflict);
fw_cbs_split_t fw_cbs_split(const fw_cbs_t * run, const fw_cbs_conflict_t * conflict);
// cbs_corridor.c: FW_FOUND_PATH if the conflict is one of a corridor; `split` is a better one then.
fw_found_t fw_cbs_split_corridor(
  fw_cbs_t * run, int32_t index, const fw_cbs_conflict_t * conflict, fw_cbs_split_t * split);

#endif  // PLANNER__CBS_TREE_H_
