// The reservation table: who has which place when.
//
// A row per place with the stays of robots there, in order of time and disjoint:
//
//   place 17:  [3..3 robot 4] [9..12 robot 0] [40..for ever robot 7]
//   gaps:   0..2           4..8            13..39
//
// The gaps between stays, narrowed by robust_ticks on both sides, are when somebody else can be there. A row costs
// memory only where somebody passes, and a search that asks for gaps skips over time in one step.
//
// What a path covers comes from the robot's body: its footprints where it stands and the sweeps of its motions. Where
// these touch or overlap on a row they are one stay.
//
// Closures are stays too, of an owner that is no robot: its index is `robot_count`, it is never ready, and nobody may
// override or remove it.

#ifndef SPACETIME__RESERVATIONS_H_
#define SPACETIME__RESERVATIONS_H_

#include "base/arena.h"
#include "world/moves.h"

typedef struct fw_stay_t {
  fw_tick_t from;
  fw_tick_t to;   // included; FW_TICK_MAX for ever
  int32_t robot;  // the table's robot_count for a closure
} fw_stay_t;

typedef struct fw_row_t {
  fw_stay_t * stays;
  int32_t count;
  int32_t capacity;
} fw_row_t;

// What is reserved for a robot: path.cells[0] at tick `from`, and so on; behind its end the last cell until `until`.
typedef struct fw_booking_t {
  fw_path_t path;  // borrowed; length 0 for nothing
  fw_tick_t from;
  fw_tick_t until;  // FW_TICK_MAX for ever
} fw_booking_t;

// What a robot cannot leave at once: cells that it is on when it is ready, as nodes, and for how many ticks from then on
// it covers them whatever it plans. FW_TICK_MAX: for ever.
typedef struct fw_hold_t {
  int32_t * nodes;
  fw_tick_t * ticks;
  int32_t count;
} fw_hold_t;

typedef struct fw_reservations_t {
  fw_arena_t * arena;
  const fw_moves_t * places;  // the free cells; rows are by its nodes
  fw_row_t * rows;
  fw_stay_t * spare[32];  // by the logarithm of their room: arrays that rows have outgrown
  int32_t robust_ticks;
  fw_tick_t last_tick;               // no stay begins or ends later, but for those that last for ever
  const fw_robot_t * robots;         // of the problem
  const fw_path_t * starts;          // by robot: what it does in any case
  const fw_body_t * const * bodies;  // by robot: footprints and motions
  fw_booking_t * bookings;           // by robot
  fw_tick_t * ready;        // by robot: until then it is under way or was there, and cannot change its booking;
                            // one more, FW_TICK_MAX, for closures
  const fw_hold_t * holds;  // by robot, the planner's; NULL: each can be gone with the tick after it is ready
  int32_t robot_count;
  const fw_closure_t * closures;  // of the problem: sorted and disjoint, as fw__problem_normalise makes them
  int32_t closure_count;
} fw_reservations_t;

// `places` is the table of moves of a robot of one cell. Begins with the closures alone. False when there is no memory.
bool fw__reservations_init(
  fw_reservations_t * table, fw_arena_t * arena, const fw_moves_t * places, const fw_bodies_t * bodies);
// Back to the beginning: the closures, and every robot (but for empty places, start < 0) has its start at tick 0 and nothing else. That much is true of
// any plan, and with robust ticks it keeps others from running over a robot before it can leave. False when there is no
// memory.
bool fw__reservations_reset(fw_reservations_t * table);

// Gives up what is reserved for a robot, path or start: it can be planned anew.
void fw__reservations_remove(fw_reservations_t * table, int32_t robot);
// Its start at tick 0 again, as after a reset, for a robot that has nothing reserved.
bool fw__reservations_add_start(fw_reservations_t * table, int32_t robot);
// Books all that the robot covers on a path, for a robot that has nothing reserved. The path must stay in memory. False
// when there is no memory: the table then holds a part, reset is the way on.
bool fw__reservations_book(fw_reservations_t * table, int32_t robot, fw_booking_t booking);
// The same for a path from tick 0 at whose end the robot stays for ever.
bool fw__reservations_add_path(fw_reservations_t * table, int32_t robot, fw_path_t path);

// Adds what the robot holds to its booking, which ends on the place where it is ready. Removed with the booking.
bool fw__reservations_hold(fw_reservations_t * table, int32_t robot);
// The last tick on which a robot, or the closures, have a node that they have when they are ready, whatever is planned.
static inline fw_tick_t fw__reservations_held_until(const fw_reservations_t * table, int32_t robot, int32_t node)
{
  const fw_tick_t ready = table->ready[robot];
  const bool may_hold = table->holds != NULL && robot < table->robot_count;
  for (int32_t i = 0; may_hold && i < table->holds[robot].count; ++i) {
    if (table->holds[robot].nodes[i] == node) {
      const fw_tick_t ticks = table->holds[robot].ticks[i];
      return ticks == FW_TICK_MAX ? FW_TICK_MAX : ready + ticks;
    }
  }
  return ready;
}

// The robot that has `node` at `tick`, -1 if nobody, robot_count if it is closed.
int32_t fw__reservations_owner(const fw_reservations_t * table, int32_t node, fw_tick_t tick);
static inline bool fw__reservations_is_robot(const fw_reservations_t * table, int32_t owner)
{
  return owner >= 0 && owner < table->robot_count;
}

// The index of the first stay in a row that ends at `tick` or later; row->count if there is none.
static inline int32_t fw__row_find(const fw_row_t * row, fw_tick_t tick)
{
  int32_t low = 0;
  int32_t high = row->count;
  while (high - low > 8) {
    const int32_t middle = (low + high) / 2;
    if (row->stays[middle].to < tick) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // Most rows are short: counting has no branches to guess wrong.
  int32_t count = 0;
  for (int32_t i = low; i < high; ++i) {
    count += row->stays[i].to < tick ? 1 : 0;
  }
  return low + count;
}

// Gap `index` of a row: before stay `index`, after stay `index` - 1. Empty when from > to.
static inline fw_tick_t fw__row_gap_from(const fw_row_t * row, int32_t index, int32_t robust_ticks)
{
  return index == 0 ? 0 : row->stays[index - 1].to + 1 + robust_ticks;
}
static inline fw_tick_t fw__row_gap_to(const fw_row_t * row, int32_t index, int32_t robust_ticks)
{
  return index == row->count ? FW_TICK_MAX : row->stays[index].from - 1 - robust_ticks;
}

// A motion of `robot`, for the slow and general questions.
typedef struct fw_step_t {
  int32_t robot;
  fw_cell_t from;
  fw_cell_t to;      // equal to `from` for a turn, or a wait of one tick
  fw_tick_t depart;  // arrives when the motion between the two poses has ended
  int32_t heading;   // at `from`; 0 for robots without, here and at `to`
  int32_t heading_to;
} fw_step_t;

// Whom a robot would meet. A closure is met as robot_count, and is always fixed.
enum { FW_MET_MAX = 16 };
typedef struct fw_met_t {
  int32_t limit;  // how many to look for, 1 to FW_MET_MAX; the caller sets it
  int32_t count;
  bool is_fixed;  // somebody is met before being ready, or more than `limit` are met: there is no way through
  int32_t robots[FW_MET_MAX];
} fw_met_t;

// On a motion, with all that it sweeps: on cells, by swapping, by crossing diagonals. Static obstacles are the caller's
// concern. Adds to `met`.
void fw__reservations_meet(const fw_reservations_t * table, const fw_step_t * step, fw_met_t * met);

// A robot that stands from tick to tick, both included.
typedef struct fw_stand_t {
  int32_t robot;
  fw_grid_pose_t pose;
  fw_tick_t from;
  fw_tick_t to;
} fw_stand_t;
void fw__reservations_meet_stand(const fw_reservations_t * table, const fw_stand_t * stand, fw_met_t * met);
// The first on a whole booking, after its first tick; -1 if nobody, robot_count for a closure.
int32_t fw__reservations_meet_booking(const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking);

// Nobody is met on this motion; while standing; on a diagonal by one that crosses.
bool fw__reservations_allow(const fw_reservations_t * table, const fw_step_t * step);
bool fw__reservations_allow_stand(const fw_reservations_t * table, const fw_stand_t * stand);
bool fw__reservations_crosses(const fw_reservations_t * table, const fw_step_t * step);

#endif  // SPACETIME__RESERVATIONS_H_
