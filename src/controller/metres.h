// Robots in metres and seconds: from what a user knows of a robot to the cells and ticks of a planning grid.
//
//   text --read--> hull (metres, around the robot's base) --cover--> cells of the footprint --> fw_rotated_footprint_t
//
// A robot whose hull fits into the disc inside one cell, at any yaw, is a robot of one cell. Of others, a cell belongs
// to the footprint if the hull, with the base in the centre of its cell and heading 0, comes nearer to it than the
// tolerance at waypoints: another robot in the next cell is as far away as with robots of one cell. Planners know a
// footprint by its cells at heading 0 and turn these, so cells are added until the turned ones contain everything that
// the hull touches in turns, and at diagonal headings:
//
//      . # .      a hull of 3 x 1 cells that is turned
//      # # #      by an eighth touches more than the
//      . # .      three cells on the diagonal
//
// A robot that turns in no time may have any yaw: its footprint is that of the disc around its base.

#ifndef CONTROLLER__METRES_H_
#define CONTROLLER__METRES_H_

#include "controller/body.h"

enum {
  FW_HULL_CORNERS_MAX = 64,  // of a polygon, as given
  FW_HULL_REACH_MAX = 49,    // cells from the robot's own to the farthest of a footprint
};
#define FW_HULL_METRES_MAX 1000.0  // largest coordinate
#define FW_HULL_TOUCH 1e-6         // cells; a hull that reaches into a cell by less does not overlap it

// What cells and ticks are at the moment.
typedef struct fw_body_scale_t {
  double resolution;    // metres per cell
  double clearance;     // cells that a hull keeps from cells that are not its own
  double tick_seconds;  // duration of a tick
  double step_metres;   // the longest move, which a robot with the fleet's speed makes in one tick
  int32_t connectivity;
} fw_body_scale_t;

// The convex hull of a polygon around the robot's base. Never changed, apart from the footprints that were made of it
// last, and stays until fw__hulls_fini.
typedef struct fw_hull_t {
  struct fw_hull_t * next;
  fw_point_t corners[FW_HULL_CORNERS_MAX];  // metres, counter-clockwise
  int32_t count;
  double radius;  // metres, of the farthest corner from the base
  fw_body_scale_t scale;
  const fw_rotated_footprint_t * outlines[2];  // for that scale: without and with heading; NULL: not made yet
  char text[];                                 // as given
} fw_hull_t;

// All hulls that were read. {0} is empty.
typedef struct fw_hulls_t {
  fw_hull_t * first;
} fw_hulls_t;

// The hull of a polygon in the form of Nav2's parameter `footprint`: "[[x, y], [x, y], ...]". False with a reason: it
// has another form, fewer than three corners, no area, or does not contain the robot's base.
bool fw__hulls_get(fw_hulls_t * hulls, const char * text, fw_hull_t ** hull, fw_error_t * reason);
void fw__hulls_fini(fw_hulls_t * hulls);

// True if the robot is one of one cell.
static inline bool fw__hull_fits_one_cell(const fw_hull_t * hull, double resolution)
{
  return hull->radius <= 0.5 * resolution * (1.0 + 1e-9);
}

// Distance of the hull, moved to `pose`, from the square of side `side` around `centre`; 0 if it reaches into it by
// more than FW_HULL_TOUCH sides.
typedef struct fw_hull_square_t {
  fw_point_t centre;
  double side;
} fw_hull_square_t;
double fw__hull_distance(const fw_hull_t * hull, fw_pose_t pose, fw_hull_square_t square);

// The footprint of a hull. `outlines` receives it. False with a reason: it is too large, or there is no memory.
bool fw__hull_cover(
  fw_hull_t * hull, const fw_body_scale_t * scale, bool has_heading, fw_rotated_footprints_t * outlines,
  fw_error_t * reason);

// Ticks of one move of a robot with this speed (metres per second), and of one turn (a quarter, with connectivity 8 an
// eighth) of a robot that needs `seconds` for a quarter. May exceed FW_TICKS_PER_MOVE_MAX.
int32_t fw__ticks_of_speed(const fw_body_scale_t * scale, double speed);
int32_t fw__ticks_of_turn(const fw_body_scale_t * scale, double seconds);

// ---- a robot as it is described

// In metres and seconds, or in cells and ticks.
typedef struct fw_robot_shape_t {
  fw_hull_t * hull;                        // NULL: the footprint is in cells
  const fw_rotated_footprint_t * outline;  // valid without a hull
  double speed;                            // 0: by ticks_per_move
  double turn_seconds;                     // 0: by turn_ticks
  int32_t ticks_per_move;
  int32_t turn_ticks;
  bool sweeps_sides;
} fw_robot_shape_t;

// Where shapes are kept that were read.
typedef struct fw_robot_shapes_t {
  fw_rotated_footprints_t outlines;
  fw_hulls_t hulls;
} fw_robot_shapes_t;
void fw__robot_shapes_fini(fw_robot_shapes_t * shapes);

// Reads and checks everything that needs no grid. False with a reason, without the robot's name.
bool fw__robot_shape_read(
  fw_robot_shape_t * shape, const fw_controller_robot_t * robot, fw_robot_shapes_t * shapes, fw_error_t * reason);
// The body on a grid. `scale` NULL: there is none yet, and a hull counts as one cell, and times as one tick. False with
// a reason, without the robot's name.
bool fw__robot_shape_convert(
  const fw_robot_shape_t * shape, const fw_body_scale_t * scale, fw_robot_shapes_t * shapes, fw_robot_body_t * body,
  fw_error_t * reason);

#endif  // CONTROLLER__METRES_H_
