// The reservation table: which robot has reserved which place at which ticks (Silver, "Cooperative Pathfinding", 2005).
//
// Each place has a timeline: the reserved intervals of robots there, sorted by time and disjoint. Between them are the
// safe intervals of SIPP (Phillips and Likhachev 2011), narrowed by robust_ticks on both sides:
//
//   place 17:  [3..3 robot 4] [9..12 robot 0] [40..forever robot 7]
//   safe:   0..2           4..8            13..39
//
// A timeline takes memory only where a robot passes, and a search that needs the next safe interval skips over time in
// one step.
//
// The cells that a path covers come from the robot's body: its footprint where it stands and the sweeps of its motions.
// Reserved intervals of one robot that touch or overlap on a timeline are merged into one.
//
// Closures are reserved intervals too. Their owner is no robot: its index is `robot_count`, it is never ready, and its
// intervals can be neither overridden nor removed.
//
// Words: a *booking* is the path that is reserved for a robot; a *commitment* is the part of it that the robot cannot
// give up, since it is there already. The table is not thread-safe.

#ifndef SPACETIME__RESERVATIONS_H_
#define SPACETIME__RESERVATIONS_H_

#include "base/arena.h"
#include "base/assert.h"
#include "world/moves.h"

// A place is reserved from tick to tick, both included.
typedef struct fw_reserved_interval_t {
  fw_tick_t from;
  fw_tick_t to;   // FW_TICK_MAX: forever
  int32_t robot;  // the table's robot_count for a closure
} fw_reserved_interval_t;

// The reserved intervals of one place, sorted and disjoint.
typedef struct fw_timeline_t {
  fw_reserved_interval_t * intervals;
  int32_t count;
  int32_t capacity;
} fw_timeline_t;

// The path that is reserved for a robot: path.cells[0] at tick `from`, and so on; after its end the last cell until
// `until`.
typedef struct fw_booking_t {
  fw_path_t path;  // borrowed; length 0 for none
  fw_tick_t from;
  fw_tick_t until;  // FW_TICK_MAX: forever
} fw_booking_t;

// What a robot cannot leave immediately: the places that it covers when it is ready, as nodes, and for how many ticks
// from then on it covers them whatever it plans. FW_TICK_MAX: forever.
typedef struct fw_commitment_t {
  int32_t * nodes;
  fw_tick_t * ticks;
  int32_t count;
} fw_commitment_t;

typedef struct fw_reservations_t {
  fw_arena_t * arena;
  const fw_moves_t * places;  // moves of a robot of one cell; its nodes number the timelines
  fw_timeline_t * rows;       // by node
  // Free lists of arrays that timelines have outgrown, by the logarithm of their capacity; the first bytes of each are
  // the address of the next.
  fw_reserved_interval_t * spare[32];
  int32_t robust_ticks;
  fw_tick_t last_tick;               // no interval begins or ends later, except those that last forever
  const fw_robot_t * robots;         // of the problem
  const fw_path_t * starts;          // by robot: the fixed beginning of its path (fw__path_of_start)
  const fw_body_t * const * bodies;  // by robot: footprints and motions
  fw_booking_t * bookings;           // by robot
  // By robot: until this tick it is under way and cannot change its booking. One more entry, FW_TICK_MAX, for closures.
  fw_tick_t * ready;
  // By robot, borrowed from the planner. NULL: every robot can leave in the tick after `ready`.
  const fw_commitment_t * commitments;
  int32_t robot_count;
  const fw_closure_t * closures;  // of the problem: sorted and disjoint, as fw__problem_normalise makes them
  int32_t closure_count;
  bool has_failed;  // out of memory: the table holds a part of what was added; cleared by reset
} fw_reservations_t;

// `places` are the moves of a robot of one cell. The table begins with the closures alone. False when there is no
// memory.
bool fw__reservations_init(
  fw_reservations_t * table, fw_arena_t * arena, const fw_moves_t * places, const fw_bodies_t * bodies);
// Back to the beginning: the closures, and for every robot (except for empty entries, start < 0) its start at tick 0.
// Every plan contains these, and with robust ticks they keep other robots out of a start until its robot can have left
// it. False when there is no memory.
bool fw__reservations_reset(fw_reservations_t * table);

// True if every timeline is sorted, disjoint and merged, all owners and capacities are within their ranges, last_tick
// is not too early, and every closure is there. For assertions and tests: linear in the number of intervals.
bool fw__reservations_validate(const fw_reservations_t * table);

// Removes the booking of a robot, path or start, so that it can be planned again.
void fw__reservations_remove(fw_reservations_t * table, int32_t robot);
// Books the robot's start at tick 0, as reset does. The robot must have no booking.
bool fw__reservations_add_start(fw_reservations_t * table, int32_t robot);
// Reserves all that the robot covers on a path. The robot must have no booking; the path must stay in memory. False
// when there is no memory: the table then has a part of it and must be reset.
bool fw__reservations_book(fw_reservations_t * table, int32_t robot, fw_booking_t booking);
// The same for a path from tick 0 at whose end the robot stays forever.
bool fw__reservations_add_path(fw_reservations_t * table, int32_t robot, fw_path_t path);

// Is the robot's commitment free of reservations of others? Somebody may have planned through it while the robot had
// a plan that left earlier.
bool fw__reservations_can_commit(const fw_reservations_t * table, int32_t robot);
// Adds the robot's commitment to its booking, which ends on the place where it is ready. Is removed with the booking.
// False when there is no memory.
bool fw__reservations_add_commitment(fw_reservations_t * table, int32_t robot);
// The last tick on which an owner covers a node that it covers when it is ready, whatever is planned.
static inline fw_tick_t fw__reservations_committed_until(const fw_reservations_t * table, int32_t robot, int32_t node)
{
  FW_ASSERT(robot >= 0 && robot <= table->robot_count);
  const fw_tick_t ready = table->ready[robot];
  const bool may_be_committed = table->commitments != NULL && robot < table->robot_count;
  for (int32_t i = 0; may_be_committed && i < table->commitments[robot].count; ++i) {
    if (table->commitments[robot].nodes[i] == node) {
      const fw_tick_t ticks = table->commitments[robot].ticks[i];
      return ticks == FW_TICK_MAX ? FW_TICK_MAX : ready + ticks;
    }
  }
  return ready;
}

// The owner of `node` at `tick`: a robot, robot_count if it is closed, -1 if it is not reserved.
int32_t fw__reservations_owner(const fw_reservations_t * table, int32_t node, fw_tick_t tick);
static inline bool fw__reservations_is_robot(const fw_reservations_t * table, int32_t owner)
{
  return owner >= 0 && owner < table->robot_count;
}

// ---- timelines ------------------------------------------------------------------------------------------------------

// The index of the first interval that ends at `tick` or later; `count` if there is none.
static inline int32_t fw__timeline_find(const fw_timeline_t * row, fw_tick_t tick)
{
  int32_t low = 0;
  int32_t high = row->count;
  while (high - low > 8) {
    const int32_t middle = (low + high) / 2;
    if (row->intervals[middle].to < tick) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // Most timelines are short: counting has no branches to mispredict.
  int32_t count = 0;
  for (int32_t i = low; i < high; ++i) {
    count += row->intervals[i].to < tick ? 1 : 0;
  }
  return low + count;
}

// Safe interval `index` of a timeline: before reserved interval `index` and after `index` - 1, so 0 to `count`. It is
// empty if from > to.
static inline fw_tick_t fw__timeline_safe_from(const fw_timeline_t * row, int32_t index, int32_t robust_ticks)
{
  FW_ASSERT(index >= 0 && index <= row->count);
  return index == 0 ? 0 : row->intervals[index - 1].to + 1 + robust_ticks;
}
static inline fw_tick_t fw__timeline_safe_to(const fw_timeline_t * row, int32_t index, int32_t robust_ticks)
{
  FW_ASSERT(index >= 0 && index <= row->count);
  return index == row->count ? FW_TICK_MAX : row->intervals[index].from - 1 - robust_ticks;
}

// ---- conflicts with the table ---------------------------------------------------------------------------------------
//
// For any body: vertex conflicts on all cells that a motion sweeps, swaps, and crossing diagonals. Slow and general;
// the searches for robots of one cell read the timelines directly, and tests compare the two.

// A motion of `robot`.
typedef struct fw_timed_motion_t {
  int32_t robot;
  fw_cell_t from;
  fw_cell_t to;      // equal to `from` for a turn, or a wait of one tick
  fw_tick_t depart;  // the arrival follows from the motion between the two poses
  int32_t heading;   // at `from`; 0 for robots without, here and at `to`
  int32_t heading_to;
} fw_timed_motion_t;

// A robot that stands from tick to tick, both included.
typedef struct fw_timed_stand_t {
  int32_t robot;
  fw_grid_pose_t pose;
  fw_tick_t from;
  fw_tick_t to;
} fw_timed_stand_t;

// The owners that a robot conflicts with. A closure is the owner robot_count, and is always fixed.
enum { FW_CONFLICT_SET_MAX = 16 };
typedef struct fw_conflict_set_t {
  int32_t limit;  // how many owners to look for, 1 to FW_CONFLICT_SET_MAX; the caller sets it
  int32_t count;
  bool is_fixed;  // one of them is not ready, or there are more than `limit`: they cannot be overridden
  int32_t robots[FW_CONFLICT_SET_MAX];
} fw_conflict_set_t;

// Adds the conflicts of a motion. Static obstacles are not looked at.
void fw__reservations_find_conflicts(
  const fw_reservations_t * table, const fw_timed_motion_t * motion, fw_conflict_set_t * met);
// Adds the conflicts of a robot that stands.
void fw__reservations_find_stand_conflicts(
  const fw_reservations_t * table, const fw_timed_stand_t * stand, fw_conflict_set_t * met);
// The first owner that a booking conflicts with after its first tick; -1 for none, robot_count for a closure.
int32_t fw__reservations_first_conflict(const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking);
// A robot that a booking conflicts with after its first tick; -1 for none. Closures are not looked at.
int32_t fw__reservations_conflicting_robot(
  const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking);

// Whether a motion, or a stand, has no conflict.
bool fw__reservations_allow(const fw_reservations_t * table, const fw_timed_motion_t * motion);
bool fw__reservations_allow_stand(const fw_reservations_t * table, const fw_timed_stand_t * stand);
// Whether another robot crosses a diagonal motion.
bool fw__reservations_has_crossing(const fw_reservations_t * table, const fw_timed_motion_t * motion);

#endif  // SPACETIME__RESERVATIONS_H_
