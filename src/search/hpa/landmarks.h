// Landmarks of HPA* (ALT, Goldberg and Harrelson 2005, over the abstract graph instead of the cells): for each node the
// costs from a few far nodes, the landmarks. The difference of two nodes is a lower bound on the cost between them.
//
// The bound holds as long as no edge is cheaper than the difference of its ends, whether or not the numbers are still
// distances from anywhere. That can be checked and repaired edge by edge: where a cell is blocked, edges become more
// expensive and everything stays as it is; where a cell becomes free, values that are now too large are lowered, and so
// on from there as far as it reaches.

#ifndef SEARCH__HPA__LANDMARKS_H_
#define SEARCH__HPA__LANDMARKS_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { FW_HPA_LANDMARKS_MAX = 16, FW_HPA_LANDMARKS_USED = 4 };

typedef struct fw_hpa_landmarks_t {
  int32_t count;     // 0: there are none
  int32_t * rows;    // by node, `count` costs each, FW_HPA_NONE where a landmark does not reach it
  int32_t capacity;  // in nodes
  // Of one query: the landmarks that bound it best, and their costs to the goal.
  int32_t used_count;
  int32_t used[FW_HPA_LANDMARKS_USED];
  int32_t goal[FW_HPA_LANDMARKS_USED];
} fw_hpa_landmarks_t;

struct fw_hpa_t;

static inline int32_t * fw__hpa_landmarks_row(const fw_hpa_landmarks_t * landmarks, int32_t node)
{
  return landmarks->rows + (size_t)node * (size_t)landmarks->count;
}

// A lower bound on the cost from a node to the goal of the query.
static inline int32_t fw__hpa_landmarks_estimate(const fw_hpa_landmarks_t * landmarks, int32_t node)
{
  int32_t best = 0;
  for (int32_t i = 0; i < landmarks->used_count; ++i) {
    const int32_t difference = abs(fw__hpa_landmarks_row(landmarks, node)[landmarks->used[i]] - landmarks->goal[i]);
    best = difference > best ? difference : best;
  }
  return best;
}

// Chooses `count` landmarks (0 to FW_HPA_LANDMARKS_MAX) after the clusters of level 0 have been built. Without memory
// the graph's arena has failed, here and below.
void fw__hpa_landmarks_choose(struct fw_hpa_t * hpa, int32_t count);

// Restores the bound after the dirty clusters of level 0 have been rebuilt.
void fw__hpa_landmarks_update(struct fw_hpa_t * hpa);

// The ends of a query: costs from the start to nodes of its cluster, and from nodes of the goal's cluster to the goal.
typedef struct fw_hpa_ends_t {
  int32_t (*cost_from_start)(const struct fw_hpa_t * hpa, int32_t node);
  int32_t (*cost_to_goal)(const struct fw_hpa_t * hpa, int32_t node);
} fw_hpa_ends_t;

// Begins a query: chooses the landmarks that bound it best. False if they show that start and goal are not connected.
bool fw__hpa_landmarks_begin(struct fw_hpa_t * hpa, const fw_hpa_ends_t * ends);

#endif  // SEARCH__HPA__LANDMARKS_H_
