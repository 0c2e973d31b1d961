// Execution: how a plan stays safe when robots are late.
//
// A plan becomes a dependency graph: robot B may enter space only after A has left it, in the order in which the plan
// has them there, tested by what footprints sweep. From the graph, for each robot, the longest part of its way whose
// dependencies are met is released. Whoever follows releases and stops at their end is late at worst, never in a
// collision.
//
//   fw_execution_t execution = {0};
//   fw_execution_init(&execution, NULL, &error);
//   fw_execution_splice(&execution, &(fw_execution_splice_t){.problem = &problem, .plan = &plan}, &error);
//   for each odometry message:
//     fw_execution_report(&execution, robot, &(fw_execution_measure_t){.time = now, .x = 3.4, .y = 7.0}, &error);
//     for each of fw_execution_changed(&execution, &count):   // whose release grew
//       fw_execution_robot(&execution, robot, &status);       // drive on to waypoint status.stop_at, and stop there
//   a few times per second:
//     fw_execution_update(&execution, now);                   // expected times, states, faults
//   to plan anew while everybody goes on:
//     fw_execution_cut(&execution, 2.0, &cut);                // where each robot will be: starts of the new problem
//     ... plan ...
//     fw_execution_splice(...)  or  fw_execution_uncut(&execution)
//
// Positions are in cells: the centre of cell (3, 4) is (3.0, 4.0). Times are seconds on any one clock of the caller that
// never goes back. Robots are numbers of the caller's choice, from 0, that mean the same robot from splice to splice.
// Waypoints of a robot are numbered from 0 on; numbers only rise, over splices too.
// Nothing here locks, prints or reads a clock. The same calls with the same values give the same answers. Only init and
// splice ask for memory; reports and updates do not.

#ifndef FLEETWEAVE__EXECUTION_H_
#define FLEETWEAVE__EXECUTION_H_

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Options
// ---------------------------------------------------------------------------------------------------------------------

// With robust_ticks 0 a plan may have a ring of robots rotate, each entering what the next one leaves in the same tick.
// Nobody of them can wait for the next: such a ring is refused, or released all at once when everybody in it stands
// ready. The latter is as safe as the robots are in step, and small: at a corner two of them pass at 0.7 cells. With
// robust_ticks 1 or more there are no rings.
typedef enum fw_rings_t {
  FW_RINGS_REFUSED = 0,
  FW_RINGS_TOGETHER,
} fw_rings_t;

typedef struct fw_execution_options_t {
  fw_allocator_t allocator;
  size_t memory_max_bytes;
  double seconds_per_tick;  // above 0
  fw_rings_t rings;
  // A waypoint is reached when the robot is that near, or past it. With `tolerance` plus the error of the odometry e, and
  // robots of radius r cells that keep to their way: 2 r <= 1 - tolerance - e for straight moves, and
  // 2 r <= 0.7 - tolerance - e where diagonals pass beside others.
  double tolerance;      // cells, 0.01 to 0.4
  double yaw_tolerance;  // radians, for robots with a heading: a turn is complete
  double off_path_max;   // cells; farther from its released way a robot is off its path
  // How much is released ahead of a robot, in cells of way. All that can be, up to `ahead_max`; 0 is no bound. A small one
  // keeps cuts near. `braking` is what a robot needs to stop: an `ahead_max` below it is raised to it.
  double ahead_max;
  double braking;
  double stale_seconds;    // without a report for longer: stale
  double stopped_seconds;  // with a way released and no progress for longer: stopped
  double late_seconds;     // expected so much later than planned: late
  double retime_seconds;   // changes of expected times up to this are not passed on to later waypoints; 0 passes on all
} fw_execution_options_t;

// malloc, 2 GiB, 1 s per tick, rings refused, 0.1 cells, 0.1 rad, 0.5 cells off, no bound ahead, braking 1 cell, stale
// after 1 s, stopped after 5 s, late from 10 s, retiming from 0.05 s.
FW_API fw_execution_options_t fw_execution_options_default(void);

struct fw__execution_t;
typedef struct fw_execution_t {
  struct fw__execution_t * impl;
} fw_execution_t;

// An execution without robots. `options` may be NULL for the defaults.
FW_API FW_MUST_USE fw_ret_t
fw_execution_init(fw_execution_t * execution, const fw_execution_options_t * options, fw_error_t * error);
FW_API void fw_execution_fini(fw_execution_t * execution);

// ---------------------------------------------------------------------------------------------------------------------
// Plans in: cut and splice
// ---------------------------------------------------------------------------------------------------------------------

// Where a robot will be when it has done what the cut lets it do.
typedef struct fw_execution_end_t {
  int32_t robot;
  fw_cell_t cell;
  int32_t heading;   // 0 for a robot without
  double expected;   // when it is there, as far as one can tell; infinite behind a robot that has stopped for good
  bool is_standing;  // it is there already
} fw_execution_end_t;

// A view until the next call that is not const.
typedef struct fw_execution_cut_t {
  const fw_execution_end_t * ends;  // of all robots that are there, by number
  int32_t count;
} fw_execution_cut_t;

// A line through the graph. Up to there the old plan goes on being executed; behind it nothing is released any more until
// a splice puts a new plan there, or `fw_execution_uncut`. On the near side of the line is what is released, and all that
// is expected to be reached within `ahead_seconds` (0 or more: the time that the planner will need). The ends are poses
// that do not overlap, nobody's way on the near side needs anything behind the line, and so they are good starts for a
// new problem. A cut in place of a cut moves the line on, never back.
FW_API FW_MUST_USE fw_ret_t
fw_execution_cut(fw_execution_t * execution, double ahead_seconds, fw_execution_cut_t * cut, fw_error_t * error);
// The planner has failed or is late: the old plan is in force again, as if there had been no cut.
FW_API void fw_execution_uncut(fw_execution_t * execution);

typedef struct fw_execution_splice_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;  // executed up to its safe_until
  const int32_t * robots;  // who robot i of the problem is; NULL: robot i
  double time;             // when the plan's tick 0 was meant to be: planned times count from it
} fw_execution_splice_t;

// Puts a plan behind the cut, whole or not at all; on any other return than FW_RET_OK the old plan goes on as it was.
// Without a cut it is cut at what is released. Robots of the problem that are there must start where the cut has them;
// others are new, or were removed, and stand at their start now. Robots that are there and not in the problem stay where
// the cut has them.
// All that the new part needs of the old is kept: a robot still on its way to the cut has to leave its released way
// before anybody enters it by the new plan.
// FW_RET_INVALID_ARGUMENT: starts elsewhere, jumps, or lets two robots meet (the text names them). FW_RET_UNSUPPORTED: has
// a ring where rings are refused, another size of grid or connectivity while robots are there, or another shape of a
// robot. Such a change is made by `fw_execution_remove` for everybody, or a new execution.
FW_API FW_MUST_USE fw_ret_t
fw_execution_splice(fw_execution_t * execution, const fw_execution_splice_t * splice, fw_error_t * error);

// ---------------------------------------------------------------------------------------------------------------------
// Progress in, releases out
// ---------------------------------------------------------------------------------------------------------------------

typedef struct fw_execution_measure_t {
  double time;  // seconds
  double x;     // cells
  double y;
  double yaw;  // radians clockwise from east, that is from +x to +y; for robots with a heading
} fw_execution_measure_t;

// A robot tells where it is. The position is projected on what is released ahead of the last one: never back, never past
// the release, and since a released way does not touch itself, never to another visit of the same place. A robot that is
// farther off than `off_path_max` makes no progress. FW_RET_INVALID_ARGUMENT: no such robot, not a number, or a time
// before the last one; nothing has changed then. Others may be released by it; see fw_execution_changed.
FW_API FW_MUST_USE fw_ret_t fw_execution_report(
  fw_execution_t * execution, int32_t robot, const fw_execution_measure_t * measure, fw_error_t * error);

// The time is now. Computes expected times anew where they have changed, and looks who is stale, stopped or late.
FW_API void fw_execution_update(fw_execution_t * execution, double now);

// Robots whose way to drive (`stop_at`, or the way itself by a splice) has changed since this was asked last. A view until
// the next call that is not const. Asking empties it.
FW_API const int32_t * fw_execution_changed(fw_execution_t * execution, int32_t * count);

typedef enum fw_execution_state_t {
  FW_EXECUTION_ABSENT = 0,  // not there, or removed
  FW_EXECUTION_ARRIVED,     // at the end of its way
  FW_EXECUTION_DRIVING,
  FW_EXECUTION_WAITING,  // at the end of what is released; `wait` says for what
  FW_EXECUTION_LATE,     // driving, and expected at its end more than late_seconds after the plan
  // Faults, from here on: it does not do what it may.
  FW_EXECUTION_STOPPED,     // has way ahead and has made no progress for stopped_seconds
  FW_EXECUTION_OBSTRUCTED,  // an obstacle lies on its released way: it must stop at `stop_at`
  FW_EXECUTION_WITHDRAWN,   // has given its way back and stands until the next splice
  FW_EXECUTION_OFF_PATH,    // not on its way; what it holds stays held, and where it is nobody is released to
  FW_EXECUTION_STALE,       // has not reported for stale_seconds; what it holds stays held
} fw_execution_state_t;

typedef enum fw_execution_wait_t {
  FW_EXECUTION_WAIT_NONE = 0,  // everything to its end is released
  FW_EXECUTION_WAIT_ROBOT,     // for `other`, which has to leave `cell` first
  FW_EXECUTION_WAIT_RING,      // for `other`, which is not ready to rotate with it
  FW_EXECUTION_WAIT_OBSTACLE,  // for the obstacle on `cell` to go, or a new plan
  FW_EXECUTION_WAIT_CUT,       // for the new plan
  FW_EXECUTION_WAIT_PAUSE,     // for fw_execution_resume
  FW_EXECUTION_WAIT_CLOSURE,   // for `cell` to open, or, once it is too late to pass before it closes, for a new plan
  FW_EXECUTION_WAIT_PROGRESS,  // for its own: the way touches itself, or `ahead_max`
} fw_execution_wait_t;

typedef struct fw_execution_status_t {
  fw_execution_state_t state;
  double since;      // time at which it came into this state
  int32_t reached;   // waypoints: the last one that it has been at,
  int32_t stop_at;   // how far it may drive: `released`, less where an obstacle lies before,
  int32_t released;  // how far space is held for it; never taken back but by fw_execution_withdraw,
  int32_t end;       // and the last one of the plan
  double place;      // cells of way from `reached` on
  double off_path;   // cells beside its way
  // Why not more is released.
  fw_execution_wait_t wait;
  int32_t other;     // -1: nobody
  fw_cell_t cell;    // FW_CELL_NONE: none
  int32_t root;      // whom `other` waits for, and so on to the end of the row: who is to blame; -1: nobody
  bool is_short;     // less than `braking` ahead of it, and more way to go
  double planned;    // when it was planned to be at its end
  double expected;   // when it is expected there; infinite if that takes somebody who has a fault
  double delay;      // expected at the next waypoint, less planned there; 0 when arrived
  int32_t gaps;      // how often its reports have stopped and come back
  double last_time;  // of its last report; -infinity before the first
} fw_execution_status_t;

FW_API FW_MUST_USE fw_ret_t
fw_execution_robot(const fw_execution_t * execution, int32_t robot, fw_execution_status_t * status, fw_error_t * error);
FW_API const char * fw_execution_state_name(fw_execution_state_t state);  // "driving", "off path", …
// "waits for robot 3 to leave (4,7); robot 5 has stopped", without a newline.
FW_API void fw_execution_describe(const fw_execution_t * execution, int32_t robot, char * text, size_t text_size);

typedef struct fw_execution_waypoint_t {
  fw_cell_t cell;
  int32_t heading;  // 0 for a robot without
  double planned;   // seconds
  double expected;  // when it was reached, if it was; else as of the last update
} fw_execution_waypoint_t;

// Waypoints from `reached` to `end`. FW_RET_NOT_FOUND for others.
FW_API FW_MUST_USE fw_ret_t fw_execution_waypoint(
  const fw_execution_t * execution, int32_t robot, int32_t waypoint, fw_execution_waypoint_t * answer,
  fw_error_t * error);

// Cells that are the robot's alone now: all that it sweeps from where it is to the end of its release. Writes up to `room`
// of them, each once, and returns how many there are.
FW_API int32_t fw_execution_held(const fw_execution_t * execution, int32_t robot, fw_cell_t * cells, int32_t room);

// ---------------------------------------------------------------------------------------------------------------------
// What goes wrong
// ---------------------------------------------------------------------------------------------------------------------

// The robot has been taken away, or does not exist any more: all that it held is free.
FW_API void fw_execution_remove(fw_execution_t * execution, int32_t robot);

// The robot stands, knows that it must not go on, and will not: what is released ahead of it is given back with the next
// splice. The one call that takes a release back, so the caller must have the robot's word. At the next cut its end is the
// last waypoint that it reached; if it stands between two it drives back to it.
FW_API FW_MUST_USE fw_ret_t fw_execution_withdraw(fw_execution_t * execution, int32_t robot, fw_error_t * error);

// Cells that are blocked now, in place of those before: obstacles that the plan did not know, or all obstacles of a new
// map. Nothing more is released onto them. Where they lie on a way that is released the space stays held and the status
// says how far the robot may still drive (`stop_at`): its controller is told to stop there. Cells outside are left out.
FW_API FW_MUST_USE fw_ret_t
fw_execution_set_obstacles(fw_execution_t * execution, const fw_cell_t * cells, int32_t count, fw_error_t * error);

// Everybody stops at the end of what is released; then on again.
FW_API void fw_execution_pause(fw_execution_t * execution);
FW_API void fw_execution_resume(fw_execution_t * execution);

// A robot takes so many times as long as planned, for expected times alone. 1 at first.
FW_API void fw_execution_set_pace(fw_execution_t * execution, int32_t robot, double pace);

typedef struct fw_execution_stats_t {
  int32_t waypoints;     // in the graph
  int32_t dependencies;  // between robots, that are kept
  int32_t redundant;     // that followed from others and were removed
  int32_t rings;         // that are released together
  int64_t splices;
  int64_t retimed;  // waypoints whose expected time was computed, since init
  size_t memory_bytes;
} fw_execution_stats_t;
FW_API fw_execution_stats_t fw_execution_stats(const fw_execution_t * execution);

// ---------------------------------------------------------------------------------------------------------------------
// A simulated fleet: robots that follow releases, offline and much faster than real ones
// ---------------------------------------------------------------------------------------------------------------------

// Robots are discs, one for each cell that they cover at their heading (while they turn: that they sweep), that drive along
// their released way with limited speed and acceleration, stop where they turn, and stop at the end of the release. Delays,
// stops and noise come from the seed.
typedef struct fw_simulated_fleet_options_t {
  double step_seconds;      // of the simulation, 0.001 to 1
  double odometry_seconds;  // between two reports of a robot
  double noise;             // cells; each coordinate of a report is off by up to this
  double radius;            // cells, of the discs, up to 0.5; 0: fw_simulated_fleet_radius
  double speed;             // times the planned one: 1.25 can catch up
  double acceleration;      // cells per second squared
  double turn_rate;         // radians per second, for robots of one cell without heading where they turn; 0: at once
  double slow_chance;       // of a motion to be slow, 0 to 1,
  double slow_factor;       // and its speed then, times the usual, down to this one
  double stops_per_hour;    // of each robot, at random moments,
  double stop_seconds_max;  // for up to so long
  bool is_timed;            // robots follow the stamps of the plan and ignore releases: what others do, for comparison
  uint64_t seed;
} fw_simulated_fleet_options_t;

// 0.05 s, 0.1 s, 0.02 cells, the radius that fits, 1.25 times, 2 cells/s^2, 3 rad/s, nobody slow and no stops.
FW_API fw_simulated_fleet_options_t fw_simulated_fleet_options_default(void);
// The largest discs for which the cells of a plan and the tolerances of the execution promise that nobody touches.
FW_API double fw_simulated_fleet_radius(const fw_execution_t * execution, double noise);

struct fw__simulated_fleet_t;
typedef struct fw_simulated_fleet_t {
  struct fw__simulated_fleet_t * impl;
} fw_simulated_fleet_t;

// All robots of the execution, standing at their first waypoints. `execution` is borrowed until fini: the fleet reports to
// it and updates it. Whoever is spliced in or removed later appears or vanishes with the next step.
FW_API FW_MUST_USE fw_ret_t fw_simulated_fleet_init(
  fw_simulated_fleet_t * fleet, const fw_execution_t * execution, const fw_simulated_fleet_options_t * options,
  fw_error_t * error);
FW_API void fw_simulated_fleet_fini(fw_simulated_fleet_t * fleet);

// One step of everybody. FW_RET_BAD_ALLOC only when robots have been added.
FW_API FW_MUST_USE fw_ret_t fw_simulated_fleet_step(fw_simulated_fleet_t * fleet, fw_error_t * error);
// Until everybody has arrived, nobody can go on, or so many seconds have been simulated since init.
FW_API FW_MUST_USE fw_ret_t fw_simulated_fleet_run(fw_simulated_fleet_t * fleet, double seconds, fw_error_t * error);

// A robot stops now, for so many seconds; infinite: it has broken down.
FW_API void fw_simulated_fleet_stop(fw_simulated_fleet_t * fleet, int32_t robot, double seconds);
// It stops reporting and drives on, or reports again.
FW_API void fw_simulated_fleet_silence(fw_simulated_fleet_t * fleet, int32_t robot, bool is_silent);
// Where it really is, and how fast; NAN for a robot that is not there.
FW_API void fw_simulated_fleet_position(
  const fw_simulated_fleet_t * fleet, int32_t robot, double * x, double * y, double * speed);

typedef struct fw_simulated_wait_t {
  int32_t robot;
  int32_t other;
  double seconds;
} fw_simulated_wait_t;

typedef struct fw_simulated_result_t {
  double seconds;            // simulated since init
  int64_t overlaps;          // how often two robots began to overlap
  int64_t overlap_steps;     // pairs that overlapped, summed over all steps
  int32_t overlap_first[2];  // the first two; -1 for none
  double nearest;            // the least distance between discs of two robots, less their radii; infinite: never near
  int32_t robots;
  int32_t arrived;                    // at the end of their ways
  double last_arrival;                // seconds since init; of those that have arrived
  double planned;                     // when the plan had the last one at its end, seconds since its tick 0
  double delay_sum;                   // arrivals less planned ones, summed over robots
  bool is_deadlock;                   // nobody can go on, and not all have arrived
  const fw_simulated_wait_t * waits;  // who waited for whom, longest first; a view until the next call
  int32_t wait_count;
} fw_simulated_result_t;
FW_API fw_simulated_result_t fw_simulated_fleet_result(fw_simulated_fleet_t * fleet);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__EXECUTION_H_
