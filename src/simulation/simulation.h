// A simulated fleet from inside.

#ifndef SIMULATION__SIMULATION_H_
#define SIMULATION__SIMULATION_H_

#include "base/rng.h"
#include "execution/execution.h"

// A robot as it really is; the execution knows only its reports.
typedef struct fw__mover_t {
  bool is_there;
  bool is_silent;
  bool has_moved;  // in the last step
  int32_t visit;   // as in its slot
  double x;
  double y;
  double yaw;
  int32_t passed;  // waypoint, by the caller's numbers
  double along;    // cells, or radians of a turn, from there
  double speed;
  double factor;     // of the present motion
  double turn_left;  // seconds until it looks where it goes
  double stop_until;
  double next_stop;
  double next_report;
  double arrived_at;  // when it came to the end of its way; NAN while it is not there
  int32_t disc;       // the first of its discs
  int32_t disc_count;
  int32_t waits_for;  // -1: nobody
  double waits_since;
  fw_rng_t slowness;  // a row of numbers for each purpose, so that delays are the same whatever else is different
  fw_rng_t stops;
  fw_rng_t noise;
} fw__mover_t;

typedef struct fw__disc_t {
  double x;
  double y;
  int32_t robot;
  int32_t cell;  // -1: in no list
  int32_t next;
  int32_t previous;
} fw__disc_t;

typedef struct fw__touch_t {
  int32_t robot;
  int32_t other;
} fw__touch_t;

// Which discs are near which: lists by cell.
typedef struct fw__discs_t {
  fw__disc_t * items;
  int32_t count;
  int32_t capacity;
  int32_t * heads;  // by cell of the grid with one more around
  int32_t width;
  int32_t height;
  double radius;
  fw__touch_t * touches[2];  // pairs that overlap: those of the last step, and of the one before
  int32_t touch_count[2];
  int32_t touch_capacity[2];
} fw__discs_t;

struct fw__simulated_fleet_t {
  fw_simulated_fleet_options_t options;
  fw__execution_t * execution;
  fw_execution_t handle;
  fw_memory_t memory;
  fw_arena_t arena;
  fw__mover_t * movers;
  int32_t mover_count;
  int32_t mover_capacity;
  fw__discs_t discs;
  fw_simulated_wait_t * waits;  // in the order of their ends
  int32_t wait_count;
  int32_t wait_capacity;
  double begin;
  double now;
  double next_update;
  int64_t steps;
  int64_t splices;  // of the execution, when it was looked at last
  fw_simulated_result_t result;
};
typedef struct fw__simulated_fleet_t fw__simulated_fleet_t;

// ---- simulation_mover.c ---------------------------------------------------------------------------------------------

// Puts a robot on the first waypoint of its way.
void fw__mover_place(fw__simulated_fleet_t * fleet, int32_t robot);
// After a splice: finds its place on the way that there is now.
void fw__mover_join(fw__simulated_fleet_t * fleet, int32_t robot);
void fw__mover_step(fw__simulated_fleet_t * fleet, int32_t robot);
// Is there way ahead that it may drive now?
bool fw__mover_can_go(const fw__simulated_fleet_t * fleet, int32_t robot);
static inline bool fw__mover_has_arrived(const fw__simulated_fleet_t * fleet, int32_t robot)
{
  return fleet->movers[robot].passed >=
         fleet->execution->slots[robot].base + fw__execution_end(fleet->execution, robot);
}

// ---- simulation_discs.c ---------------------------------------------------------------------------------------------

bool fw__discs_init(fw__simulated_fleet_t * fleet);
bool fw__discs_add(fw__simulated_fleet_t * fleet, int32_t robot);
void fw__discs_remove(fw__simulated_fleet_t * fleet, int32_t robot);
void fw__discs_move(fw__simulated_fleet_t * fleet, int32_t robot);
// Looks at everybody who has moved. False when there is no memory.
bool fw__discs_count(fw__simulated_fleet_t * fleet);

// ---- simulation_waits.c ---------------------------------------------------------------------------------------------

// Looks whom the robot waits for now.
bool fw__waits_note(fw__simulated_fleet_t * fleet, int32_t robot);
// Ends all that are going on, adds up by pairs and puts the longest first.
void fw__waits_close(fw__simulated_fleet_t * fleet);

#endif  // SIMULATION__SIMULATION_H_
