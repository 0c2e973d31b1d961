// LaCAM: lazy constraints addition search, which finds a way out where robots that choose tick by tick do not.
//
// K. Okumura, LaCAM: Search-Based Algorithm for Quick Multi-Agent Pathfinding, AAAI 2023; its swap operation is that of
// pibt.h, as in the same author's Improving LaCAM for Scalable Eventually Optimal Multi-Agent Pathfinding, IJCAI 2023.
//
// A depth-first search over configurations (the cells of all robots). A step of PIBT proposes the next configuration;
// if it is one that is known already, the search returns to the known one, and the next visit of a configuration
// demands one robot's move more than the last, breadth first, so that in the end every joint move is tried. The search
// is complete: it finds a way if there is one and the budget lasts. Candidates are ranked by true distances on the map
// as robots know it.
//
// With robust ticks, robots must not enter a cell that another one is just leaving. The search then ignores robust
// ticks, but makes no step in which robots move in a circle, and each step is driven in several ticks, one robot after
// the other where they follow each other.

#ifndef PLANNER__RTAA__LACAM_H_
#define PLANNER__RTAA__LACAM_H_

#include "base/meter.h"
#include "planner/rtaa/pibt.h"

typedef struct fw_rtaa_lacam_options_t {
  const fw_problem_t * problem;
  fw_batch_t * batch;      // for the map that robots know
  const fw_pibt_t * from;  // where robots are
  fw_arena_t * arena;      // of the search and of its answer
  fw_meter_t * meter;      // each configuration that is proposed counts as many expansions as there are robots
  uint64_t seed;
  int64_t configurations_max;  // the search gives up after as many proposals
  fw_tick_t ticks_max;         // and takes no way that is longer
} fw_rtaa_lacam_options_t;

// The way of all robots to their goals: `length` configurations behind the present one, by tick and robot.
typedef struct fw_rtaa_lacam_way_t {
  const fw_cell_t ** cells;
  int32_t length;
  int64_t configurations;  // that were proposed
} fw_rtaa_lacam_way_t;

// False if it has found none: there is no way, the budget is used up or there is no memory (see arena and meter).
bool fw__rtaa_lacam_find(const fw_rtaa_lacam_options_t * options, fw_rtaa_lacam_way_t * way);

#endif  // PLANNER__RTAA__LACAM_H_
