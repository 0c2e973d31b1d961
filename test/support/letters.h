// Plans written by hand: a letter for each tick. E, S, W, N move, '.' waits; e (south-east), s (south-west), w
// (north-west) and n (north-east) are the diagonals. '>' and '<' turn right and left by a step, for robots with a
// heading.
//
//   letters_t plan = {0};
//   letters_plan(&plan, &problem, (const char * const[]){"EE.S", "..W"});

#ifndef SUPPORT__LETTERS_H_
#define SUPPORT__LETTERS_H_

#include "fleetweave/fleetweave.h"

enum { LETTERS_ROBOTS_MAX = 8, LETTERS_TICKS_MAX = 64 };

typedef struct letters_t {
  fw_plan_t plan;
  fw_path_t paths[LETTERS_ROBOTS_MAX];
  fw_cell_t cells[LETTERS_ROBOTS_MAX][LETTERS_TICKS_MAX];
  uint8_t headings[LETTERS_ROBOTS_MAX][LETTERS_TICKS_MAX];
} letters_t;

// One word for each robot of the problem, from its start. Nothing is checked. The plan points into `letters`.
void letters_plan(letters_t * letters, const fw_problem_t * problem, const char * const * words);

#endif  // SUPPORT__LETTERS_H_
