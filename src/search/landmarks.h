// Landmarks: distances from a few places to all others give estimates that know the walls (ALT: Goldberg and Harrelson,
// "Computing the Shortest Path: A* Search Meets Graph Theory", 2005).
//
// For any landmark l, |d(l, a) - d(l, b)| is a lower bound on the distance between a and b, and it never changes by more
// than a move from a place to the next: it is consistent, so that searches with it stay exact. Each landmark is as far as
// possible from those before it.

#ifndef SEARCH__LANDMARKS_H_
#define SEARCH__LANDMARKS_H_

#include "base/arena.h"
#include "world/moves.h"

enum { FW_LANDMARKS = 8 };

// One row: the distances of a place, in moves. What is farther than fits counts as that far, which keeps the bound.
typedef struct fw_landmarks_row_t {
  uint16_t moves[FW_LANDMARKS];
} fw_landmarks_row_t;

typedef struct fw_landmarks_t {
  const fw_moves_t * moves;   // of robots without heading: motions lead both ways
  fw_landmarks_row_t * rows;  // by node
  int32_t nodes[FW_LANDMARKS];
} fw_landmarks_t;

// In `arena`, 16 bytes for each node; `moves` stays borrowed. False when there is no memory.
bool fw__landmarks_init(fw_landmarks_t * landmarks, fw_arena_t * arena, const fw_moves_t * moves);

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

#endif  // SEARCH__LANDMARKS_H_
