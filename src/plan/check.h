// What the files of the independent check share. It knows nothing of reservations, graphs, bodies or searches: it reads
// the problem and the paths for itself, footprints, turns and sweeps included.

#ifndef PLAN__CHECK_H_
#define PLAN__CHECK_H_

#include "fleetweave/fleetweave.h"

typedef struct fw__mark_t {
  fw_tick_t tick;  // when this mark was made; marks of other ticks are old
  int32_t robot;
} fw__mark_t;

typedef struct fw__corner_t {
  fw_tick_t tick;
  int32_t robot;
  int32_t slope;  // dx * dy of the diagonal that went through
} fw__corner_t;

// A robot's cells at the headings between quarters, as they lie at south-east.
typedef struct fw__slant_t {
  const fw_offset_t * cells;
  int32_t count;
} fw__slant_t;

typedef struct fw__check_t {
  const fw_problem_t * problem;
  const fw_path_t * paths;
  fw__slant_t * slants;    // by robot; empty for those without heading
  fw_offset_t * slanted;   // all their cells
  fw__slant_t * turns;     // two for each robot: swept by a turn right from east; for eighths, and by the one after it
  fw_offset_t * turned;    // all their cells
  fw__mark_t * now[2];     // by parity of the tick: who covers a cell
  fw__mark_t * last;       // who covered a cell most recently
  fw__corner_t * corners;  // of the grid's (width + 1) x (height + 1) corners
  fw_tick_t * change;      // by robot: the next tick at which its spot changes, FW_TICK_MAX for none
  fw_tick_t * depart;      // when it departs for that, as late as its speed lets it; FW_TICK_MAX for never
  int32_t * closure_of;    // by cell: one closure there, -1 for none; NULL without closures
  int32_t * closure_next;  // by closure: another one of the same cell, -1 for none
  fw_conflict_t found;
} fw__check_t;

static const fw_conflict_t fw__no_conflict = {.robot = -1, .other = -1, .cell = FW_CELL_NONE};

// Notes a conflict if it is the first. Always false: "this is not right".
bool fw__check_report(fw__check_t * check, fw_conflict_t conflict);

// ---- shapes: check_shape.c ------------------------------------------------------------------------------------------

// Where a robot is, and which way it faces (0 if it has no heading).
typedef struct fw__spot_t {
  fw_cell_t cell;
  int32_t heading;
} fw__spot_t;

// Some cells of a robot: with `from` equal to `to` those that it stands on; else what it sweeps on the way between the
// two beyond where it stands before and after.
typedef struct fw__patch_t {
  int32_t robot;
  fw__spot_t from;
  fw__spot_t to;
} fw__patch_t;

// Lists the slanted cells of all robots. False when there is no memory.
bool fw__check_slant(fw__check_t * check, const fw_allocator_t * allocator);
// check_turn.c: the same for what they sweep on turns.
bool fw__check_turns(fw__check_t * check, const fw_allocator_t * allocator);

static inline bool fw__check_is_cell(const fw__check_t * check, fw_cell_t cell)
{
  return cell >= 0 && cell < fw_grid_cell_count(check->problem->grid);
}
static inline bool fw__check_has_heading(const fw__check_t * check, int32_t robot)
{
  return check->problem->robots[robot].turn_ticks > 0;
}
static inline fw__spot_t fw__check_spot(const fw__check_t * check, int32_t robot, fw_tick_t tick)
{
  const fw_path_t * path = &check->paths[robot];
  const int32_t at = tick < path->length ? tick : path->length - 1;
  return (fw__spot_t){path->cells[at], fw__check_has_heading(check, robot) ? path->headings[at] : 0};
}
static inline bool fw__check_is_same(fw__spot_t a, fw__spot_t b) { return a.cell == b.cell && a.heading == b.heading; }
// One cell, which is so at any heading.
static inline bool fw__check_is_single(const fw__check_t * check, int32_t robot)
{
  return check->problem->robots[robot].footprint_count <= 1;
}
// dx, dy from cell to cell; (0, 0) if one of them is no cell.
fw_offset_t fw__check_shift(const fw__check_t * check, fw_cell_t from, fw_cell_t to);

int32_t fw__check_count_any(const fw__check_t * check, const fw__patch_t * patch);
static inline int32_t fw__check_count(const fw__check_t * check, const fw__patch_t * patch)
{
  const bool is_standing = fw__check_is_same(patch->from, patch->to);
  return is_standing && fw__check_is_single(check, patch->robot) ? 1 : fw__check_count_any(check, patch);
}
// Coordinates of cell `index` of a patch whose spots are on cells of the grid; they may be outside.
fw_offset_t fw__check_at(const fw__check_t * check, const fw__patch_t * patch, int32_t index);
// The same as a cell, FW_CELL_NONE where it is outside: a robot may be on its way to a place that it never reaches,
// because the plan is looked at only up to a tick before.
fw_cell_t fw__check_cell_any(const fw__check_t * check, const fw__patch_t * patch, int32_t index);
static inline fw_cell_t fw__check_cell(const fw__check_t * check, const fw__patch_t * patch, int32_t index)
{
  const bool is_own = fw__check_is_single(check, patch->robot) && fw__check_is_same(patch->from, patch->to) &&
                      fw__check_is_cell(check, patch->from.cell);
  return is_own ? patch->from.cell : fw__check_cell_any(check, patch, index);
}

// The next arrival at another spot after `tick`, FW_TICK_MAX for none, and how long the motion to it takes.
fw_tick_t fw__check_next_change(const fw__check_t * check, int32_t robot, fw_tick_t tick);
int32_t fw__check_motion_ticks(const fw__check_t * check, int32_t robot, fw_tick_t change);
// How long a robot that is under way at tick 0 has been so; 0 for others.
int32_t fw__check_ticks_before(const fw__check_t * check, int32_t robot);

// ---- one robot alone: check_alone.c ---------------------------------------------------------------------------------

// The whole path of one robot: inside, on free floor, with motions that it can make, where and while it is open. Reports
// its first fault up to `until`.
bool fw__check_alone(fw__check_t * check, int32_t robot, fw_tick_t until);

// ---- robots against each other: check_together.c --------------------------------------------------------------------

// The robot's next change after `tick`.
void fw__check_look_ahead(fw__check_t * check, int32_t robot, fw_tick_t tick);
// All robots at one tick, ticks in order from 0.
bool fw__check_tick(fw__check_t * check, fw_tick_t tick);

#endif  // PLAN__CHECK_H_
