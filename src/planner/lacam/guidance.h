// Guide paths for PIBT: each robot follows a path that goes around the traffic of the others, instead of its shortest
// path.
//
// Z. Chen, D. Harabor, J. Li, P. J. Stuckey, Traffic Flow Optimisation for Lifelong Multi-Agent Path Finding, AAAI 2024
// (Guided PIBT).
//
// The flow of a move is the number of guide paths that make it. A new guide path pays for each move, besides its
// length, for the robots whose paths make the opposite move, and for all paths through the place entered. So lanes in
// one direction come about by themselves:
//
//   flow  → 3   a robot to the west pays for three meetings in this row      ← takes the row above instead
//
// Guide paths are made by A* with the true distances as heuristic, first for robots without one (a new goal, or pushed
// off for good), then for the others in turn, since the traffic changes. An update may use a number of expansions; who
// gets no path then follows its distances.

#ifndef PLANNER__LACAM__GUIDANCE_H_
#define PLANNER__LACAM__GUIDANCE_H_

#include "base/bucket_queue.h"
#include "base/list.h"
#include "planner/lacam/pibt.h"

typedef struct fw_guidance_t {
  const fw_moves_t * moves;
  int32_t robot_count;
  fw_list_t * paths;   // by robot: places from where it was to its goal; empty: none
  int32_t * at;        // by robot: how far along its path it has come
  int32_t * goals;     // by robot: the goal of its path
  int32_t * off;       // by robot: ticks since it was last on its path
  int32_t * flows;     // by place and motion: paths that make this move, as far as it is ahead of their robots
  int32_t * loads;     // by place: paths that enter it
  int32_t * wishes;    // by robot: see fw_pibt_generator_t
  int32_t next_robot;  // whose turn it is
  // The search.
  fw_bucket_queue_t open;
  int32_t * costs;  // by place: from the start, valid if stamped with the present search
  int32_t * parents;
  uint32_t * stamps;
  uint32_t stamp;
  int64_t searches;
} fw_guidance_t;

// For robots of one cell on the places of `moves`, which stays borrowed. False when there is no memory.
bool fw__guidance_init(fw_guidance_t * guidance, fw_arena_t * arena, const fw_moves_t * moves, int32_t robot_count);

// Robots are on `places` now, by robot: takes along who has moved, makes new guide paths for at most `expansions_max`
// expansions, and writes the wishes. The generator has goals and distances. Running out of memory stops its meter.
void fw__guidance_update(
  fw_guidance_t * guidance, const fw_pibt_generator_t * pibt, const int32_t * places, int64_t expansions_max);

// Whether flows and loads are those of the paths. For assertions and tests: linear in the lengths of the paths.
bool fw__guidance_validate(const fw_guidance_t * guidance);

#endif  // PLANNER__LACAM__GUIDANCE_H_
