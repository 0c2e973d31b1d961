// A robot's body: which cells it covers at each heading, and its motions, each a list of cells and ticks that must be
// free. Everything behind the door asks the body: the graph of places, the reservation table and the searches.

#ifndef WORLD__BODY_H_
#define WORLD__BODY_H_

#include "world/footprint.h"

enum { FW_DIRECTIONS = 8, FW_MOTIONS_MAX = 8 };
// East, south (y + 1), west, north, then the diagonals between them.
extern const fw_offset_t fw_directions[FW_DIRECTIONS];
// The direction of a heading, as an index into fw_directions.
static inline int32_t fw__heading_direction(int32_t heading)
{
  return heading % 2 == 0 ? heading / 2 : FW_DIRECTIONS / 2 + heading / 2;
}

// A cell, as an offset from the robot's own at departure, that it covers from tick to tick after departure.
typedef struct fw_swept_cell_t {
  int32_t dx;
  int32_t dy;
  int32_t from;
  int32_t to;
} fw_swept_cell_t;

typedef struct fw_motion_t {
  int32_t dx;
  int32_t dy;
  int32_t heading;  // after it
  int32_t ticks;
  const fw_swept_cell_t * sweeps;  // each cell once, those at the end first
  int32_t sweep_count;
} fw_motion_t;

typedef struct fw_body_t {
  const struct fw_body_t * next;  // another kind of body in the same fleet
  bool sweeps_sides;
  bool cuts_corners;  // of the problem: its diagonals need no free cells beside them
  int32_t connectivity;
  int32_t ticks_per_move;
  int32_t turn_ticks;  // 0: no heading; all below is at heading 0 then
  bool is_plain;       // one cell, one tick per move, no heading, nothing swept
  int32_t turn_step;   // eighths of a turn by one turn: 2 or 1
  int32_t motion_count;
  fw_footprint_t footprints[FW_HEADING_COUNT];
  fw_motion_t waits[FW_HEADING_COUNT];  // one tick on the spot
  // Without heading one per direction; with one: straight ahead, turn right (clockwise), turn left.
  fw_motion_t motions[FW_HEADING_COUNT][FW_MOTIONS_MAX];
} fw_body_t;

// `robot` as the door leaves it: footprint and ticks_per_move are not 0. Borrows its footprint. False when there is no
// memory.
bool fw__body_init(fw_body_t * body, fw_arena_t * arena, const fw_robot_t * robot, int32_t connectivity);

// Where a robot is: its own cell and its heading (0 if it has none).
typedef struct fw_grid_pose_t {
  fw_cell_t cell;
  int32_t heading;
} fw_grid_pose_t;

// The motion, or wait, between two poses that one motion connects.
const fw_motion_t * fw__body_motion(const fw_body_t * body, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to);

// The longest of its motions, in ticks.
static inline int32_t fw__body_ticks_max(const fw_body_t * body)
{
  return body->ticks_per_move > body->turn_ticks ? body->ticks_per_move : body->turn_ticks;
}

// ---- all robots of a problem ----------------------------------------------------------------------------------------

typedef struct fw_bodies_t {
  const fw_problem_t * problem;
  const fw_body_t ** of;    // by robot; robots that move alike share one
  const fw_body_t * kinds;  // all that there are
  fw_path_t * starts;       // by robot: what it does in any case, up to its arrival on its start
} fw_bodies_t;

// `problem` as the door leaves it; stays borrowed. False when there is no memory.
bool fw__bodies_init(fw_bodies_t * bodies, fw_arena_t * arena, const fw_problem_t * problem);
// The body of a robot of the problem that has become another.
bool fw__bodies_set(fw_bodies_t * bodies, fw_arena_t * arena, int32_t robot);

// ---- paths by poses -------------------------------------------------------------------------------------------------

// The robot's start as a path of one tick, a view of the robot; for one that is under way the path up to its arrival, in
// `arena` (cells NULL when there is no memory).
fw_path_t fw__path_of_start(const fw_robot_t * robot, fw_arena_t * arena);

static inline fw_grid_pose_t fw__path_pose(const fw_path_t * path, int32_t at)
{
  return (fw_grid_pose_t){path->cells[at], path->headings == NULL ? 0 : path->headings[at]};
}
static inline bool fw__grid_pose_equals(fw_grid_pose_t a, fw_grid_pose_t b) { return a.cell == b.cell && a.heading == b.heading; }
// Does a motion end at path index `at`, from 1 on?
static inline bool fw__path_arrives(const fw_path_t * path, int32_t at)
{
  return path->cells[at] != path->cells[at - 1] ||
         (path->headings != NULL && path->headings[at] != path->headings[at - 1]);
}
// How long that motion takes.
static inline int32_t fw__path_motion_ticks(const fw_path_t * path, int32_t at, const fw_body_t * body)
{
  return path->cells[at] != path->cells[at - 1] ? body->ticks_per_move : body->turn_ticks;
}

#endif  // WORLD__BODY_H_
