// Pursuit: speed and turn rate with which a robot follows a released path and stops at its end.
//
// Between stops the robot steers at a point on its line that is `lookahead` ahead (pure pursuit, Coulter 1992). Where
// the line bends by more than `corner` it stops, turns on the spot and drives on: it never cuts a corner, since the
// space there may be reserved for another robot. Its speed always lets it stop before the next corner or the end. The
// turn begins while it still brakes, and it starts while the turn ends, as far as both together take it off its line by
// less than `tolerance`.
//
// A holonomic robot goes along its line in any heading. It stops at corners too, without turning; meanwhile it turns to
// the headings of the path's poses. Turns on the spot, which are in the plan for bodies that need room for them, are
// made on the spot.
//
//      start ---------------.  corner: stop and turn       A line may also have turns without a move: two points at
//                           |                              one place with different headings.
//                           '------------ end: stop with the heading of its pose
//
// Plain C, no clock, no messages: the same calls give the same commands.

#ifndef MOTION__PURSUIT_H_
#define MOTION__PURSUIT_H_

#include "motion/unicycle.h"

typedef struct fw_pursuit_options_t {
  fw_twist_limits_t limits;  // of the commands
  double deceleration;       // metres per second squared, more than 0, for planned stops
  double lookahead;          // metres, more than 0
  double corner;             // radians; a larger bend is a stop
  double heading_tolerance;  // radians; a turn on the spot, and the one at the end, are done when they are this exact
  double tolerance;          // metres; nearer than this it has reached a corner or the end
  double reaction;           // seconds from a pose to the effect of its command
  bool is_holonomic;         // it can move sideways; otherwise a differential drive
} fw_pursuit_options_t;

// {0} is a robot without a path.
typedef struct fw_pursuit_t {
  fw_polyline_t line;               // no two neighbours alike; its times are not used
  fw_polyline_t spare;              // memory for a new line
  fw_polyline_position_t position;  // progress on the line
  fw_twist_t last;                  // the last command
  double last_yaw;                  // of the robot then
  bool is_turning;                  // on the spot
  bool is_at_end;                   // and stays there, unless it is moved
} fw_pursuit_t;

typedef struct fw_pursuit_command_t {
  fw_twist_t twist;
  double off_line;  // metres from the line
  bool is_at_end;   // or there is no line
} fw_pursuit_command_t;

void fw__pursuit_fini(fw_pursuit_t * pursuit);

// Replaces the path by a released one, which is copied. If it continues the line before, the robot keeps its position
// on it; otherwise it joins the new one at the first of its nearest positions. An empty path: stop.
FW_MUST_USE fw_ret_t fw__pursuit_set_path(
  fw_pursuit_t * pursuit, const fw_polyline_t * release, const fw_pose2d_t * pose,
  const fw_pursuit_options_t * options);

// The command at `pose`, `seconds` after the last call.
fw_pursuit_command_t fw__pursuit_step(
  fw_pursuit_t * pursuit, const fw_pose2d_t * pose, double seconds, const fw_pursuit_options_t * options);

#endif  // MOTION__PURSUIT_H_
