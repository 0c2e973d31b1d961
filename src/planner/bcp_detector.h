// The CollisionDetector of biased cost pathfinding: a hash of (place, tick) into which every path is put, and which
// tells where two robots fall together.
//
// Three kinds of places, so that whatever the rules forbid is two robots at one place and tick:
//
//   a cell    covered by a robot, and for the robust ticks after it was left
//   an edge   two cells, one left and the other entered in the same tick: two robots on it swap
//   a corner  of four cells, while a diagonal goes through it: two robots there cross
//
// Robots that stay at the end of their paths are put in up to the last tick that is looked at.

#ifndef PLANNER__BCP_DETECTOR_H_
#define PLANNER__BCP_DETECTOR_H_

#include "base/arena.h"
#include "world/body.h"

typedef struct fw_bcp_entry_t {
  uint64_t place;
  fw_tick_t tick;
  int32_t robot;
  fw_cell_t at;   // the robot's own cell: where it is, or where the motion that is under way leads
  bool is_trace;  // it has left, and its robust ticks are not over
  int32_t next;   // the entry of another robot at this place and tick, -1 for none
} fw_bcp_entry_t;

typedef struct fw_bcp_collision_t {
  fw_tick_t tick;
  int32_t first;  // entry of one of its robots; the others follow by `next`
} fw_bcp_collision_t;

typedef struct fw_bcp_detector_t {
  fw_arena_t * arena;
  const fw_bodies_t * bodies;
  fw_tick_t end;  // the last tick that is looked at
  fw_bcp_entry_t * entries;
  int32_t entry_count;
  int32_t entry_capacity;
  int32_t * slots;  // the first entry at a place and tick, plus 1; 0 for none
  int32_t slot_capacity;
  int32_t used;  // slots
  fw_bcp_collision_t * collisions;
  int32_t collision_count;
  int32_t collision_capacity;
  int32_t * order;  // collisions by tick, after fw_bcp_detector_sort
  int32_t order_capacity;
} fw_bcp_detector_t;

void fw_bcp_detector_init(fw_bcp_detector_t * detector, fw_arena_t * arena, const fw_bodies_t * bodies);
// Empties it, to look at the ticks up to `end`.
void fw_bcp_detector_begin(fw_bcp_detector_t * detector, fw_tick_t end);
// False when there is no memory.
bool fw_bcp_detector_add(fw_bcp_detector_t * detector, int32_t robot, const fw_path_t * path);
// One entry, as paths are made of; `next` is set.
bool fw__bcp_detector_put(fw_bcp_detector_t * detector, fw_bcp_entry_t entry);
// Orders the collisions by tick; those of one tick stay as they were found. False when there is no memory.
bool fw_bcp_detector_sort(fw_bcp_detector_t * detector);

// After sorting.
static inline const fw_bcp_collision_t * fw_bcp_detector_at(const fw_bcp_detector_t * detector, int32_t index)
{
  return &detector->collisions[detector->order[index]];
}

#endif  // PLANNER__BCP_DETECTOR_H_
