// Hub labels (Abraham, Delling, Goldberg and Werneck 2011) from a contraction hierarchy: distances without a search.
//
// The label of a node lists hubs, nodes of higher rank, with their distances. The node of the highest rank on the
// shortest paths between two nodes is in both labels, so that the least sum over the hubs that two labels have in
// common is their distance. A label has no other hubs than that takes (it is a canonical one). So it is known which hub
// the labels of all nodes on the way to a hub have in common, and each item of a label points to that of the next node:
//
//   label of a   [b 1][d 2]          items: hub, distance, next item
//                      |
//   label of b   [b 0][d 1]
//                      |
//   label of d        [d 0]
//
// With labels of all places a query reads two of them only. They are made if there is memory for them; without them it
// reads the labels of all subgoals that are linked to its start and goal.

#ifndef SEARCH__SUBGOALS__HUB_LABELS_H_
#define SEARCH__SUBGOALS__HUB_LABELS_H_

#include "search/subgoals/contraction.h"

typedef struct fw_hub_t {
  int32_t order;  // of the hub: 0 is the highest rank
  int32_t distance;
} fw_hub_t;

// Where the path from an item of a subgoal's label to its hub goes on.
typedef struct fw_hub_path_t {
  int32_t point;  // the subgoal whose label the item belongs to, as fw__subgoal_point
  int32_t next;   // the item of the next subgoal on the path; -1 at the hub
} fw_hub_path_t;

// An item of a place's label. Queries wait for memory more than for anything else: what they need lies together.
typedef struct fw_place_hub_t {
  int32_t order;
  int32_t distance;
  int32_t item;  // of the label of the linked subgoal with which the path begins
} fw_place_hub_t;

typedef struct fw_hub_labels_t {
  int32_t * firsts;  // by subgoal, and one more: its label's items, in rising order
  fw_hub_t * hubs;
  fw_hub_path_t * paths;
  int32_t * place_firsts;  // by place, and one more; NULL: there was no memory for labels of places
  fw_place_hub_t * place_hubs;
  // By order: the largest distance at which a place's label has the hub. An item serves paths no longer than its
  // distance and this together, and labels of places are sorted by this sum: a query reads the items that are long
  // enough.
  int32_t * reaches;
} fw_hub_labels_t;

typedef struct fw_hub_labels_def_t {
  const fw_floor_t * floor;
  const fw_subgoal_graph_t * graph;
  const fw_hierarchy_t * hierarchy;  // without a core
  size_t max_bytes;                  // of subgoals' labels and of places' labels together
  bool has_places;                   // makes labels of places too
} fw_hub_labels_def_t;

// False if the labels of subgoals need more memory than there is, or the meter stops: nothing is left behind then.
bool fw__hub_labels_init(
  fw_hub_labels_t * labels, fw_arena_t * arena, const fw_hub_labels_def_t * def, fw_meter_t * meter);

#endif  // SEARCH__SUBGOALS__HUB_LABELS_H_
