// A robot's body: the cells that it covers at each heading, and its motions with the cells that each sweeps.
//
// The motions are what state-lattice planners call motion primitives: a wait of one tick, a move to a neighbouring
// cell, or a turn on the spot. A motion is a list of cells with the ticks during which each must be free. The graph of
// poses (world/moves.h), the reservation table and the searches know a robot only by its body.
//
//   a move to the east with ticks_per_move = 3, departing at tick t; the path lists the old cell until t+3
//
//     tick         t    t+1   t+2   t+3
//     old cell     #     #     #              swept from 1 to 2
//     new cell           #     #     #        swept from 1 to 3

#ifndef WORLD__BODY_H_
#define WORLD__BODY_H_

#include "base/assert.h"
#include "world/footprint.h"

enum { FW_DIRECTIONS = 8, FW_MOTIONS_MAX = 8 };
// East, south (y + 1), west, north, then the diagonals between them.
extern const fw_offset_t fw__directions[FW_DIRECTIONS];
// The direction of a heading, as an index into fw__directions.
static inline int32_t fw__heading_direction(int32_t heading)
{
  FW_ASSERT(heading >= 0 && heading < FW_HEADING_COUNT);
  return heading % 2 == 0 ? heading / 2 : FW_DIRECTIONS / 2 + heading / 2;
}

// A cell that a motion covers.
typedef struct fw_swept_cell_t {
  int32_t dx;  // offset from the robot's own cell at departure
  int32_t dy;
  int32_t from;  // ticks after departure, both included
  int32_t to;
} fw_swept_cell_t;

typedef struct fw_motion_t {
  int32_t dx;
  int32_t dy;
  int32_t heading;  // after it
  int32_t ticks;
  const fw_swept_cell_t * sweeps;  // each cell once; those of the footprint at the end come first
  int32_t sweep_count;
} fw_motion_t;

typedef struct fw_body_t {
  const struct fw_body_t * next;  // another kind of body in the same fleet
  bool sweeps_sides;              // as in fw_robot_t
  bool cuts_corners;              // as in fw_problem_t: diagonals need no free cells beside them
  int32_t connectivity;           // 4 or 8
  int32_t ticks_per_move;         // at least 1
  int32_t turn_ticks;             // 0: no heading, and only heading 0 of the arrays below is set
  bool is_plain;                  // one cell, one tick per move, no heading, nothing swept
  int32_t turn_step;              // eighths of a turn by one turn motion: 2 for connectivity 4, 1 for 8
  int32_t motion_count;
  fw_footprint_t footprints[FW_HEADING_COUNT];
  fw_motion_t waits[FW_HEADING_COUNT];  // one tick on the spot
  // Without heading one per direction; with heading: straight ahead, turn right (clockwise), turn left.
  fw_motion_t motions[FW_HEADING_COUNT][FW_MOTIONS_MAX];
} fw_body_t;

// The body of a normalised robot: footprint and ticks_per_move are not 0. Borrows the footprint, allocates the rest in
// `arena`. False when there is no memory.
bool fw__body_init(fw_body_t * body, fw_arena_t * arena, const fw_robot_t * robot, int32_t connectivity);

// A pose on the grid: a robot's own cell and its heading (0 if it has none).
typedef struct fw_grid_pose_t {
  fw_cell_t cell;
  int32_t heading;
} fw_grid_pose_t;

static inline bool fw__grid_pose_equals(fw_grid_pose_t a, fw_grid_pose_t b)
{
  return a.cell == b.cell && a.heading == b.heading;
}

// The motion, or the wait, between two poses that one motion connects.
const fw_motion_t * fw__body_motion(
  const fw_body_t * body, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to);

// The ticks of its longest motion.
static inline int32_t fw__body_ticks_max(const fw_body_t * body)
{
  return body->ticks_per_move > body->turn_ticks ? body->ticks_per_move : body->turn_ticks;
}

// ---- all robots of a problem ----------------------------------------------------------------------------------------

typedef struct fw_bodies_t {
  const fw_problem_t * problem;
  const fw_body_t ** of;    // by robot; robots with equal properties share one body
  const fw_body_t * kinds;  // the list of all bodies, linked by `next`
  fw_path_t * starts;       // by robot: fw__path_of_start
} fw_bodies_t;

// The bodies of a normalised problem, which stays borrowed. False when there is no memory.
bool fw__bodies_init(fw_bodies_t * bodies, fw_arena_t * arena, const fw_problem_t * problem);
// Sets the body of a robot again after the problem's robot has changed. False when there is no memory.
bool fw__bodies_set(fw_bodies_t * bodies, fw_arena_t * arena, int32_t robot);

// ---- paths as poses -------------------------------------------------------------------------------------------------

// The part of a robot's path that cannot be changed: its start as a path of one tick, a view of the robot; for a robot
// under way the path up to its arrival, in `arena` (cells NULL when there is no memory).
fw_path_t fw__path_of_start(const fw_robot_t * robot, fw_arena_t * arena);

static inline fw_grid_pose_t fw__path_pose(const fw_path_t * path, int32_t at)
{
  FW_ASSERT(at >= 0 && at < path->length);
  return (fw_grid_pose_t){path->cells[at], path->headings == NULL ? 0 : path->headings[at]};
}

// Whether a motion (not a wait) ends at path index `at` >= 1.
static inline bool fw__path_arrives(const fw_path_t * path, int32_t at)
{
  FW_ASSERT(at >= 1 && at < path->length);
  return path->cells[at] != path->cells[at - 1] ||
         (path->headings != NULL && path->headings[at] != path->headings[at - 1]);
}
// The ticks of the motion that ends at path index `at`.
static inline int32_t fw__path_motion_ticks(const fw_path_t * path, int32_t at, const fw_body_t * body)
{
  FW_ASSERT(at >= 1 && at < path->length);
  return path->cells[at] != path->cells[at - 1] ? body->ticks_per_move : body->turn_ticks;
}

#endif  // WORLD__BODY_H_
