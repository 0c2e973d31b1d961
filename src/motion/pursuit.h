// Pursuit: how fast to drive and to turn, so that a robot follows a released line and stops at its end.
//
// Between stops the robot steers at a point on its line that is `lookahead` ahead (pure pursuit, Coulter 1992). Where the
// line bends by more than `corner` it stops, turns on the spot and drives on: it never cuts a corner, since the space
// there may be another robot's. Its speed is always one from which it can still stop before the next corner or the end.
//
//      start ---------------.  corner: stop and turn         A line may also have turns without a move: two points on one
//                           |                                place that look different ways.
//                           '------------ end: stop and look as its pose says
//
// Plain C, no clock, no messages: the same calls give the same answers.

#ifndef MOTION__PURSUIT_H_
#define MOTION__PURSUIT_H_

#include "motion/unicycle.h"

typedef struct fw_pursuit_options_t {
  fw_twist_limits_t limits;  // of what it asks for
  double deceleration;       // metres per second squared, for stops that are foreseen
  double lookahead;          // metres, more than 0
  double corner;             // radians
  double heading_tolerance;  // radians; looking this exactly along the line it drives off after a turn
  double tolerance;          // metres; this near to a corner or the end it is there
  double reaction;           // seconds from a pose to what the wheels make of it
} fw_pursuit_options_t;

fw_pursuit_options_t fw__pursuit_options_default(void);

typedef struct fw_pursuit_t {
  fw_track_t line;  // no two neighbours alike; times mean nothing
  fw_track_t spare;
  fw_track_place_t place;  // how far it has come on the line
  fw_twist_t last;         // what was asked for last
  bool is_turning;         // on the spot
  bool is_at_end;          // and stays there, unless it is moved
} fw_pursuit_t;

typedef struct fw_pursuit_answer_t {
  fw_twist_t twist;
  double off_line;  // metres from the line
  bool is_at_end;   // or there is no line
} fw_pursuit_answer_t;

void fw__pursuit_fini(fw_pursuit_t * pursuit);

// Takes over a release, which is copied. If it goes on from the line before, the robot keeps its place on it and does
// not notice; else it joins the new one at the first of its nearest places. An empty one: stop.
FW_MUST_USE fw_ret_t fw__pursuit_take(
  fw_pursuit_t * pursuit, const fw_track_t * release, const fw_pose_t * pose, const fw_pursuit_options_t * options);

// What to do at `pose`, `seconds` after the last call.
fw_pursuit_answer_t fw__pursuit_step(
  fw_pursuit_t * pursuit, const fw_pose_t * pose, double seconds, const fw_pursuit_options_t * options);

#endif  // MOTION__PURSUIT_H_
