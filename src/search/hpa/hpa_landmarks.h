// HPA*: estimates that know the walls. For each node it is kept what it costs from a few far nodes, the landmarks; the
// difference of two nodes is a lower bound of what it costs between them (ALT: Goldberg and Harrelson 2005, over the
// abstract graph in place of the cells).
//
// The bound holds as long as no edge is cheaper than the difference of its ends, whether or not the numbers are still
// costs from anywhere. That can be seen and mended edge by edge: where a cell is blocked, edges become dearer and all stays
// as it is; where a cell becomes free, what is now too much is lowered, and so on from there as far as it reaches.

#ifndef SEARCH__HPA__HPA_LANDMARKS_H_
#define SEARCH__HPA__HPA_LANDMARKS_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { HPA_LANDMARKS_MAX = 16, HPA_LANDMARKS_USED = 4 };

typedef struct hpa_landmarks_t {
  int32_t count;     // 0: estimates are those of open floor
  int32_t * rows;    // by node, `count` costs each, HPA_NONE where a landmark has no way to it
  int32_t capacity;  // in nodes
  // Of one question: the landmarks that say most of it, and what they say of the goal.
  int32_t used_count;
  int32_t used[HPA_LANDMARKS_USED];
  int32_t goal[HPA_LANDMARKS_USED];
} hpa_landmarks_t;

struct hpa_t;

static inline int32_t * hpa_landmarks_row(const hpa_landmarks_t * landmarks, int32_t node)
{
  return landmarks->rows + (size_t)node * (size_t)landmarks->count;
}

// What is left from a node to the goal of a question, at least.
static inline int32_t hpa_landmarks_estimate(const hpa_landmarks_t * landmarks, int32_t node)
{
  int32_t best = 0;
  for (int32_t i = 0; i < landmarks->used_count; ++i) {
    const int32_t difference = abs(hpa_landmarks_row(landmarks, node)[landmarks->used[i]] - landmarks->goal[i]);
    best = difference > best ? difference : best;
  }
  return best;
}

// Rows for as many nodes as there are; those of new ones are empty. False when there is no memory.
bool hpa_landmarks_reserve(struct hpa_t * hpa);
// Makes a node landmark number `column`. False when there is no memory.
bool hpa_landmarks_fill(struct hpa_t * hpa, int32_t column, int32_t node);

// Chooses the landmarks, when clusters of level 0 are made. False when there is no memory.
bool hpa_landmarks_make(struct hpa_t * hpa, int32_t count);

// After clusters of level 0, those that are dirty, have been made anew. False when there is no memory.
bool hpa_landmarks_mend(struct hpa_t * hpa);

// A question, whose ends are set. False if it is plain that there is no way from one to the other.
bool hpa_landmarks_aim(struct hpa_t * hpa);

#endif  // SEARCH__HPA__HPA_LANDMARKS_H_
