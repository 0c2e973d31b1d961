// Landmarks over the planners' graph of moves (ALT: Goldberg and Harrelson, "Computing the Shortest Path: A* Search
// Meets Graph Theory", 2005).
//
// For any landmark l, |d(l, a) - d(l, b)| is a lower bound on the distance between a and b (triangle inequality). It
// changes by at most one move between neighbours, so it is a consistent heuristic, and searches with it stay exact.
// Each landmark is as far as possible from those before it.

#ifndef SEARCH__DISTANCE__LANDMARKS_H_
#define SEARCH__DISTANCE__LANDMARKS_H_

#include "base/arena.h"
#include "world/moves.h"

enum { FW_LANDMARKS = 8 };

// The distances of one place in moves. Larger ones are cut off at UINT16_MAX, which keeps the bound.
typedef struct fw_landmarks_row_t {
  uint16_t moves[FW_LANDMARKS];
} fw_landmarks_row_t;

typedef struct fw_landmarks_t {
  const fw_moves_t * moves;   // of robots without heading: motions can be reversed
  fw_landmarks_row_t * rows;  // by node
  int32_t nodes[FW_LANDMARKS];
} fw_landmarks_t;

// 16 bytes per node in `arena`; `moves` stays borrowed. False when there is no memory.
bool fw__landmarks_init(fw_landmarks_t * landmarks, fw_arena_t * arena, const fw_moves_t * moves);

// The lower bound on the distance between two places, in moves.
static inline int32_t fw__landmarks_estimate(const fw_landmarks_row_t * a, const fw_landmarks_row_t * b)
{
  uint16_t best = 0;
  for (int32_t i = 0; i < FW_LANDMARKS; ++i) {
    const uint16_t more = a->moves[i] > b->moves[i] ? a->moves[i] : b->moves[i];
    const uint16_t less = a->moves[i] > b->moves[i] ? b->moves[i] : a->moves[i];
    const uint16_t difference = (uint16_t)(more - less);
    best = difference > best ? difference : best;
  }
  return best;
}

#endif  // SEARCH__DISTANCE__LANDMARKS_H_
