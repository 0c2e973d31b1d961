// The collision detector of biased cost pathfinding: a hash of (location, tick) into which all paths are entered, and
// which lists where two robots collide.
//
// There are three kinds of locations, so that every conflict is two robots at one location and tick:
//
//   a cell    covered by a robot, and for the robust ticks after it was left (vertex conflicts)
//   an edge   two cells, one left and the other entered in the same tick: two robots on it swap
//   a corner  of four cells, while a diagonal passes it: two robots there cross
//
// The detector is incremental: a new path of a robot replaces its old one. Robots that stay at the ends of their paths
// are entered up to some ticks after the last one that is checked, so that other paths can become longer.

#ifndef PLANNER__BCP__COLLISION_DETECTOR_H_
#define PLANNER__BCP__COLLISION_DETECTOR_H_

#include "base/arena.h"
#include "world/body.h"

// A robot at a point.
typedef struct fw_detector_entry_t {
  fw_tick_t tick;
  int32_t robot;
  fw_cell_t at;      // the robot's own cell: where it is, or where the present motion leads
  bool is_trailing;  // it has left, and its robust ticks are not over
  int32_t next;      // entry of another robot at this point, -1 for none
  int32_t point;
  int32_t previous;  // the robot's entry before this one, -1 for none; of unused entries: another unused one
} fw_detector_entry_t;

// A location and a tick where a robot is or was.
typedef struct fw_detector_point_t {
  uint64_t location;
  fw_tick_t tick;
  int32_t first;  // entry, -1 for none
  int32_t count;
  int32_t collision;  // index in `colliding` if there are two robots or more
} fw_detector_point_t;

typedef struct fw_collision_t {
  uint64_t location;
  fw_tick_t tick;
  int32_t first;  // entry of one of its robots; the others follow by `next`
} fw_collision_t;

typedef struct fw_collision_detector_t {
  fw_arena_t * arena;
  const fw_bodies_t * bodies;
  fw_tick_t end;          // the last tick that is checked for collisions
  fw_tick_t entered_end;  // the last tick up to which paths are entered
  int32_t * last_entry;   // by robot: the last of its entries, -1 for none
  fw_detector_entry_t * entries;
  int32_t entry_count;
  int32_t entry_capacity;
  int32_t unused;  // list of entries by `previous`, -1 for none
  int32_t live;    // entries in use
  fw_detector_point_t * points;
  int32_t point_count;
  int32_t point_capacity;
  int32_t * slots;        // hash of points: index plus 1, 0 for none
  int32_t slot_capacity;  // a power of two
  int32_t * colliding;    // points with two robots or more
  int32_t colliding_count;
  int32_t colliding_capacity;
  fw_collision_t * collisions;  // by tick, then by location; after fw__collision_detector_sort()
  int32_t collision_count;
  int32_t collision_capacity;
} fw_collision_detector_t;

// Memory comes from `arena`. When there is none, what cannot be entered is dropped: check fw__arena_has_failed() after
// the last call of a round, before the collisions are used.
void fw__collision_detector_init(fw_collision_detector_t * detector, fw_arena_t * arena, const fw_bodies_t * bodies);
// Sets the last tick to check. True if that empties the detector: then all paths have to be set again.
bool fw__collision_detector_begin(fw_collision_detector_t * detector, fw_tick_t end);
// Replaces the path of a robot.
void fw__collision_detector_set(fw_collision_detector_t * detector, int32_t robot, const fw_path_t * path);
// Lists the collisions up to `end`.
void fw__collision_detector_sort(fw_collision_detector_t * detector);

// For assertions and tests: lists and counts of points and entries agree, and `colliding` has the points of two or
// more.
bool fw__collision_detector_validate(const fw_collision_detector_t * detector);

#endif  // PLANNER__BCP__COLLISION_DETECTOR_H_
