// The CollisionDetector of biased cost pathfinding: a hash of (place, tick) into which every path is put, and which
// tells where two robots fall together.
//
// Three kinds of places, so that whatever the rules forbid is two robots at one place and tick:
//
//   a cell    covered by a robot, and for the robust ticks after it was left
//   an edge   two cells, one left and the other entered in the same tick: two robots on it swap
//   a corner  of four cells, while a diagonal goes through it: two robots there cross
//
// Robots that stay at the end of their paths are put in up to some ticks after the last that is looked at, so that a path
// that takes another's place is all that has to be put in anew.

#ifndef PLANNER__BCP__BCP_DETECTOR_H_
#define PLANNER__BCP__BCP_DETECTOR_H_

#include "base/arena.h"
#include "world/body.h"

// A robot at a point.
typedef struct fw_bcp_entry_t {
  fw_tick_t tick;
  int32_t robot;
  fw_cell_t at;   // the robot's own cell: where it is, or where the motion that is under way leads
  bool is_trace;  // it has left, and its robust ticks are not over
  int32_t next;   // the entry of another robot at this point, -1 for none
  int32_t point;
  int32_t own;  // the robot's entry before this one, -1 for none; of entries that are not in use: another such
} fw_bcp_entry_t;

// A place and a tick where somebody is or was.
typedef struct fw_bcp_point_t {
  uint64_t place;
  fw_tick_t tick;
  int32_t first;  // entry, -1 for none
  int32_t count;
  int32_t collision;  // its number among `colliding`, if there are two robots or more
} fw_bcp_point_t;

typedef struct fw_bcp_collision_t {
  uint64_t place;
  fw_tick_t tick;
  int32_t first;  // entry of one of its robots; the others follow by `next`
} fw_bcp_collision_t;

typedef struct fw_bcp_detector_t {
  fw_arena_t * arena;
  const fw_bodies_t * bodies;
  fw_tick_t end;    // the last tick that is looked at
  fw_tick_t known;  // the last one that paths are put in for
  int32_t * owns;   // by robot: the last of its entries, -1 for none
  fw_bcp_entry_t * entries;
  int32_t entry_count;
  int32_t entry_capacity;
  int32_t unused;  // list of entries by `own`, -1 for none
  int32_t live;    // entries in use
  fw_bcp_point_t * points;
  int32_t point_count;
  int32_t point_capacity;
  int32_t * slots;  // hash of points: number plus 1, 0 for none
  int32_t slot_capacity;
  int32_t * colliding;  // points
  int32_t colliding_count;
  int32_t colliding_capacity;
  fw_bcp_collision_t * collisions;  // by tick, then by place; after fw__bcp_detector_sort
  int32_t collision_count;
  int32_t collision_capacity;
} fw_bcp_detector_t;

void fw__bcp_detector_init(fw_bcp_detector_t * detector, fw_arena_t * arena, const fw_bodies_t * bodies);
// To look at the ticks up to `end`. True if that empties it: then all paths have to be set.
bool fw__bcp_detector_begin(fw_bcp_detector_t * detector, fw_tick_t end);
// Puts a robot's path in the place of the one before. False when there is no memory.
bool fw__bcp_detector_set(fw_bcp_detector_t * detector, int32_t robot, const fw_path_t * path);
// One entry of a path; what is about points and lists is filled in.
bool fw__bcp_detector_put(fw_bcp_detector_t * detector, uint64_t place, fw_bcp_entry_t entry);
// Takes a robot's entries out.
void fw__bcp_detector_remove(fw_bcp_detector_t * detector, int32_t robot);
// Lists the collisions. False when there is no memory.
bool fw__bcp_detector_sort(fw_bcp_detector_t * detector);

// After sorting.
static inline const fw_bcp_collision_t * fw__bcp_detector_at(const fw_bcp_detector_t * detector, int32_t index)
{
  return &detector->collisions[index];
}

#endif  // PLANNER__BCP__BCP_DETECTOR_H_
