// Execution: how a plan stays safe when robots are late.
//
// A plan becomes an action dependency graph (ADG; Hoenig et al., "Persistent and Robust Execution of MAPF Schedules in
// Warehouses", RA-L 2019): robot B may enter space only after robot A has left it, in the order in which the plan has
// them there; space is what footprints sweep. From the graph, for each robot, the longest part of its path whose
// dependencies are met is released. A robot that follows its releases and stops at their ends can be late but cannot
// collide.
//
//   fw_execution_t execution = {0};
//   fw_execution_init(&execution, NULL, &error);
//   fw_execution_splice(&execution, &(fw_execution_splice_t){.problem = &problem, .plan = &plan}, &error);
//   for each odometry message:
//     fw_execution_report(&execution, robot, &(fw_execution_measure_t){.time = now, .x = 3.4, .y = 7.0}, &error);
//     for each robot of fw_execution_changed(&execution, &count):   // its release grew
//       fw_execution_robot(&execution, robot, &status, &error);     // drive to waypoint status.stop_at, and stop there
//   a few times per second:
//     fw_execution_update(&execution, now);                         // expected times, states, faults
//   to plan anew while the robots drive on:
//     fw_execution_cut(&execution, 2.0, &cut, &error);              // where each robot will be: new starts
//     fw_execution_tails(&execution, &query, &tails, &error);       // what each robot would drive behind the cut
//     ... plan ...
//     fw_execution_splice(...)  or  fw_execution_uncut(&execution)
//
// Units: positions are in cells, the centre of cell (3, 4) is (3.0, 4.0). Times are seconds on one clock of the caller
// that never goes back. Robots are numbers of the caller's choice from 0 on; a number means the same robot from splice
// to splice. Waypoints of a robot are numbered from 0 on; numbers only rise, over splices too. Threads: nothing here
// locks; one thread at a time may use an execution. Nothing prints or reads a clock, and the same calls with the same
// values give the same results. Only init, tails, splice and set_obstacles allocate memory.

#ifndef FLEETWEAVE__EXECUTION_H_
#define FLEETWEAVE__EXECUTION_H_

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Options
// ---------------------------------------------------------------------------------------------------------------------

// With robust_ticks 0 a plan may let a ring of robots rotate, each entering what the next one leaves in the same tick.
// Such a ring is a cycle of dependencies: none of its robots can wait for the next. It is refused, or released to all
// its robots at once when all of them are ready. The latter is safe only if the robots are small and keep in step: at a
// corner two of them pass at a distance of 0.7 cells. With robust_ticks 1 or more there are no rings.
typedef enum fw_rings_t {
  FW_RINGS_REFUSED = 0,
  FW_RINGS_TOGETHER,
} fw_rings_t;

typedef struct fw_execution_options_t {
  fw_allocator_t allocator;
  size_t memory_max_bytes;
  double seconds_per_tick;  // 1e-6 to 1e6
  fw_rings_t rings;
  // A waypoint is reached when the robot is within `tolerance` of it, or past it. For robots of radius r that keep to
  // their paths, with odometry that is off by at most e (both in cells), no two robots touch if 2 r <= 1 - tolerance -
  // e for straight moves, and 2 r <= 0.7 - tolerance - e where diagonals pass beside others.
  double tolerance;      // cells, 0.01 to 0.3
  double yaw_tolerance;  // radians, 0.001 to 0.35, for robots with a heading: the turn is complete
  double off_path_max;   // cells, `tolerance` to 10; a robot farther from its released path is off its path
  // How far ahead of a robot is released, in cells along its path: as far as possible up to `ahead_max`; 0: no bound. A
  // small bound keeps cuts near. `braking` is the distance that a robot needs to stop: a smaller `ahead_max` is raised
  // to it. Both in cells, 0 or more.
  double ahead_max;
  double braking;
  double stale_seconds;    // 0 or more, like the next three; a robot without a report for longer is stale
  double stopped_seconds;  // a robot that may drive on and has made no progress for longer is stopped
  double late_seconds;     // a robot that is expected later than planned by more than this is late
  double retime_seconds;   // changes of expected times up to this are not passed on to later waypoints; 0 passes on all
} fw_execution_options_t;

// malloc, 2 GiB, 1 s per tick, rings refused, tolerances 0.1 cells and 0.1 rad, off the path beyond 0.5 cells, no bound
// ahead, braking 1 cell, stale after 1 s, stopped after 5 s, late from 10 s, retiming from 0.05 s.
FW_API fw_execution_options_t fw_execution_options_default(void);

struct fw_execution_impl_t;
typedef struct fw_execution_t {
  struct fw_execution_impl_t * impl;
} fw_execution_t;

// An execution without robots. `options` may be NULL for the defaults. FW_RET_INVALID_ARGUMENT: an option is out of its
// range (the text names it).
FW_API FW_MUST_USE fw_ret_t
fw_execution_init(fw_execution_t * execution, const fw_execution_options_t * options, fw_error_t * error);
FW_API void fw_execution_fini(fw_execution_t * execution);

// ---------------------------------------------------------------------------------------------------------------------
// Plans in: cut and splice
// ---------------------------------------------------------------------------------------------------------------------

// Where a robot will be when it has driven all that is before the cut.
typedef struct fw_execution_end_t {
  int32_t robot;
  fw_cell_t cell;
  int32_t heading;   // 0 for a robot without
  double expected;   // when it is expected there; infinite if that depends on a robot with a fault
  bool is_standing;  // it is there already
} fw_execution_end_t;

// A view until the next call that is not const.
typedef struct fw_execution_cut_t {
  const fw_execution_end_t * ends;  // of all robots that are present, by number
  int32_t count;
} fw_execution_cut_t;

// Cuts the dependency graph. Up to the cut the old plan is still executed; nothing behind it is released any more until
// a splice puts a new plan there, or until `fw_execution_uncut`. Before the cut is what is released, and all that is
// expected to be reached within `ahead_seconds` (0 or more: the time that the planner will need). The ends are poses
// that do not overlap, and no path before the cut depends on anything behind it, so they are valid starts of a new
// problem. A second cut moves the first one forward, never back.
FW_API FW_MUST_USE fw_ret_t
fw_execution_cut(fw_execution_t * execution, double ahead_seconds, fw_execution_cut_t * cut, fw_error_t * error);
// Undoes the cut, for example because the planner failed: the old plan is in force again, as if there had been no cut.
FW_API void fw_execution_uncut(fw_execution_t * execution);

// What the tails behind a cut are computed for.
typedef struct fw_execution_tails_query_t {
  double time;           // of tick 0, at which all robots are at their ends of the cut
  int32_t robust_ticks;  // 1 or more, as in the problem that they will be part of
} fw_execution_tails_query_t;

// A view until the next call that is not const.
typedef struct fw_execution_tails_t {
  // In the order of the cut's ends: the rest of the robot's plan from there on, in ticks. Length 1: it stays there.
  // Length 0: none, because the release is withdrawn or a cell closes before the robot can be there.
  const fw_path_t * paths;
  int32_t count;
} fw_execution_tails_t;

// The plan behind the cut, each robot as early as the order of the dependency graph and the clock of closures allow.
// The tails of any choice of robots have no conflict with each other: a new plan may keep some of them and replace the
// others. Copy what a splice is to use. Call it after a cut, whose ends stay valid. FW_RET_UNSUPPORTED: a ring rotates
// behind the cut. FW_RET_INVALID_ARGUMENT: there is no cut, or the query is out of its range.
FW_API FW_MUST_USE fw_ret_t fw_execution_tails(
  fw_execution_t * execution, const fw_execution_tails_query_t * query, fw_execution_tails_t * tails,
  fw_error_t * error);

typedef struct fw_execution_splice_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;  // executed up to its safe_until
  const int32_t * robots;  // the caller's number of robot i of the problem; NULL: i
  double time;             // of the plan's tick 0: planned times count from it
} fw_execution_splice_t;

// Puts a plan behind the cut, whole or not at all: after any return other than FW_RET_OK the old plan continues
// unchanged. Without a cut, the old plan is cut at what is released. Robots of the problem that are present must start
// at their ends of the cut. Other robots are new, or were removed before, and stand at their starts now. Robots that
// are present but not in the problem stay at their ends of the cut. The new plan depends on what is left of the old
// one: a robot that still drives to the cut has to leave its released path before another enters it by the new plan.
// FW_RET_INVALID_ARGUMENT: the plan starts elsewhere, has an impossible motion or a conflict (the text names the
// robots). FW_RET_UNSUPPORTED: it has a ring and rings are refused; or the size of the grid, the connectivity or the
// shape of a robot has changed while robots are present. For such a change call `fw_execution_remove` for all robots
// first.
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

// A robot reports its position. It is projected on the released path ahead of the last position: never back, never past
// the release, and since a released path does not touch itself, never to another visit of the same place. A robot
// farther from its path than `off_path_max` makes no progress. The releases of other robots may grow, see
// fw_execution_changed. FW_RET_INVALID_ARGUMENT: no such robot, not a finite number, or a time before the last one;
// nothing has changed then.
FW_API FW_MUST_USE fw_ret_t fw_execution_report(
  fw_execution_t * execution, int32_t robot, const fw_execution_measure_t * measure, fw_error_t * error);

// Sets the time, updates the states of all robots (stale, stopped, late) and computes expected times again where they
// have changed. With closures, releases may grow.
FW_API void fw_execution_update(fw_execution_t * execution, double now);

// Robots whose path to drive (`stop_at`, or the path itself by a splice) has changed since the last call. The call
// empties the list. A view until the next call that is not const.
FW_API const int32_t * fw_execution_changed(fw_execution_t * execution, int32_t * count);

typedef enum fw_execution_state_t {
  FW_EXECUTION_ABSENT = 0,  // never added, or removed
  FW_EXECUTION_ARRIVED,     // at the end of its path
  FW_EXECUTION_DRIVING,
  FW_EXECUTION_WAITING,  // at the end of its release; `wait` is the reason
  FW_EXECUTION_LATE,     // driving, and expected at its end more than late_seconds after the plan
  // Faults from here on.
  FW_EXECUTION_STOPPED,     // may drive on and has made no progress for stopped_seconds
  FW_EXECUTION_OBSTRUCTED,  // an obstacle is on its released path: it must stop at `stop_at`
  FW_EXECUTION_WITHDRAWN,   // has given its release back and stands until the next splice
  FW_EXECUTION_OFF_PATH,    // beside its path; its space stays reserved, and no robot is released to where it is
  FW_EXECUTION_STALE,       // has not reported for stale_seconds; its space stays reserved
} fw_execution_state_t;

typedef enum fw_execution_wait_t {
  FW_EXECUTION_WAIT_NONE = 0,  // everything to its end is released
  FW_EXECUTION_WAIT_ROBOT,     // for `other`, which has to leave `cell` first
  FW_EXECUTION_WAIT_RING,      // for `other`, which is not ready to rotate with it
  FW_EXECUTION_WAIT_OBSTACLE,  // for the obstacle on `cell` to go, or for a new plan
  FW_EXECUTION_WAIT_CUT,       // for the new plan
  FW_EXECUTION_WAIT_PAUSE,     // for fw_execution_resume, or the end of fw_execution_hold
  FW_EXECUTION_WAIT_CLOSURE,   // for `cell` to open, or, once it is too late to pass before it closes, for a new plan
  FW_EXECUTION_WAIT_PROGRESS,  // for its own progress: the path touches itself, or `ahead_max`
} fw_execution_wait_t;

typedef struct fw_execution_status_t {
  fw_execution_state_t state;
  double since;  // time at which it came into this state
  // Waypoints, reached <= stop_at <= released <= end.
  int32_t reached;   // the last one that it has been at
  int32_t stop_at;   // how far it may drive: `released`, or less before an obstacle
  int32_t released;  // how far space is reserved for it; only fw_execution_withdraw takes a release back
  int32_t end;       // the last one of the plan
  double place;      // cells along its path from `reached` on
  double off_path;   // cells beside its path
  // Why no more is released.
  fw_execution_wait_t wait;
  int32_t other;     // the robot that it waits for; -1: none
  fw_cell_t cell;    // FW_CELL_NONE: none
  int32_t root;      // the end of the chain of robots that wait for each other, the cause of the wait; -1: none
  bool is_short;     // less than `braking` is released ahead of it, and its path goes on
  double planned;    // time at which it was planned to be at its end
  double expected;   // time at which it is expected there; infinite if that depends on a robot with a fault
  double delay;      // expected minus planned time at the next waypoint; 0 when arrived
  int32_t gaps;      // how often it was stale and reported again
  double last_time;  // of its last report; -infinity before the first
} fw_execution_status_t;

FW_API FW_MUST_USE fw_ret_t
fw_execution_robot(const fw_execution_t * execution, int32_t robot, fw_execution_status_t * status, fw_error_t * error);
// "driving", "off path", ...
FW_API const char * fw_execution_state_name(fw_execution_state_t state);
// State and reason as text without a newline: "waiting for robot 3 to leave (4,7); robot 5 is 0.70 cells off its path".
FW_API void fw_execution_describe(const fw_execution_t * execution, int32_t robot, char * text, size_t text_size);

typedef struct fw_execution_waypoint_t {
  fw_cell_t cell;
  int32_t heading;  // 0 for a robot without
  double planned;   // seconds
  double expected;  // time at which it was reached, if it was; else the expected time as of the last update
} fw_execution_waypoint_t;

// A waypoint from `reached` to `end`. FW_RET_NOT_FOUND for others.
FW_API FW_MUST_USE fw_ret_t fw_execution_waypoint(
  const fw_execution_t * execution, int32_t robot, int32_t waypoint, fw_execution_waypoint_t * answer,
  fw_error_t * error);

// The cells that are reserved for the robot: all that it sweeps from its last waypoint to the end of its release.
// Writes up to `room` of them, each once, and returns how many there are.
FW_API int32_t fw_execution_held(const fw_execution_t * execution, int32_t robot, fw_cell_t * cells, int32_t room);

// ---------------------------------------------------------------------------------------------------------------------
// Faults, obstacles, pause
// ---------------------------------------------------------------------------------------------------------------------

// The robot has been taken away or does not exist any more: its reserved space is free.
FW_API void fw_execution_remove(fw_execution_t * execution, int32_t robot);

// Takes a release back: the only call that does. The caller must know that the robot stands and will not go on. What is
// released ahead of it is given back with the next splice. At the next cut its end is the last waypoint that it
// reached; if it stands between two waypoints it drives back to that one. FW_RET_INVALID_ARGUMENT: no such robot, or it
// is off its path, or it still drives back after an earlier call.
FW_API FW_MUST_USE fw_ret_t fw_execution_withdraw(fw_execution_t * execution, int32_t robot, fw_error_t * error);

// Sets the cells that are blocked now, in place of those before: obstacles that the plan did not know, or all obstacles
// of a new map. Nothing more is released onto them. If one is on a released path, its space stays reserved and the
// status says how far the robot may still drive (`stop_at`): its controller must stop there. Cells outside the grid are
// ignored.
FW_API FW_MUST_USE fw_ret_t
fw_execution_set_obstacles(fw_execution_t * execution, const fw_cell_t * cells, int32_t count, fw_error_t * error);

typedef struct fw_obstacle_change_t {
  fw_cell_t cell;
  bool is_blocked;
  // With is_blocked: the cell is on a way out of a place that robots have to leave. A robot that covers such a cell
  // before a motion may cover others after it; for all others they are obstacles.
  bool is_exit;
} fw_obstacle_change_t;

// The same for some cells, in this order; the others stay as they are. Costs what has changed, not the size of the
// grid. FW_RET_INVALID_ARGUMENT, and nothing has changed, if fw_execution_set_obstacles was not called for the present
// grid: the first splice brings the grid.
FW_API FW_MUST_USE fw_ret_t fw_execution_change_obstacles(
  fw_execution_t * execution, const fw_obstacle_change_t * changes, int32_t count, fw_error_t * error);

// While paused, nothing more is released: all robots stop at the ends of their releases.
FW_API void fw_execution_pause(fw_execution_t * execution);
FW_API void fw_execution_resume(fw_execution_t * execution);
// The same for one robot: while it is held, nothing more is released to it, and a cut ends where its release does. A
// number that is not present is ignored; a
// robot that is removed and added again is not held.
FW_API void fw_execution_hold(fw_execution_t * execution, int32_t robot, bool is_held);

// Sets how much longer than planned the robot takes: `pace` times the planned duration of each motion, initially 1.
// Affects only expected times. A pace that is not positive and finite is ignored.
FW_API void fw_execution_set_pace(fw_execution_t * execution, int32_t robot, double pace);

typedef struct fw_execution_stats_t {
  int32_t waypoints;     // nodes of the dependency graph
  int32_t dependencies;  // edges between robots
  int32_t redundant;     // edges that followed from others and were removed (transitive reduction)
  int32_t rings;         // of robots that rotate together
  int64_t splices;
  int64_t retimed;  // how many expected times were computed since init
  size_t memory_bytes;
} fw_execution_stats_t;
FW_API fw_execution_stats_t fw_execution_stats(const fw_execution_t * execution);

// ---------------------------------------------------------------------------------------------------------------------
// A simulated fleet: robots that follow releases, offline and much faster than real time
// ---------------------------------------------------------------------------------------------------------------------

// A robot is a set of discs, one for each cell that it covers at its heading (while it turns: that it sweeps). It
// drives along its released path with limited speed and acceleration, and stops where the path changes direction and at
// the end of the release. Delays, stops and noise come from the seed.
typedef struct fw_simulated_fleet_options_t {
  double step_seconds;      // of the simulation, 0.001 to 1
  double odometry_seconds;  // between two reports of a robot, step_seconds or more
  double noise;             // cells, 0 to 0.5; each coordinate of a report is off by up to this
  double radius;            // cells, of the discs, up to 0.5; 0: fw_simulated_fleet_radius
  double speed;             // factor of the planned speed, above 0, up to 100: with 1.25 a robot can catch up
  double acceleration;      // cells per second squared, above 0
  double turn_rate;         // radians per second, for robots of one cell without a heading; 0: turning takes no time
  double slow_chance;       // that a motion is slow, 0 to 1
  double slow_factor;       // above 0, up to 1: lowest speed of a slow motion as a fraction of the usual speed
  double stops_per_hour;    // of each robot, at random times
  double stop_seconds_max;  // a stop lasts up to this
  bool is_timed;            // robots follow the times of the plan and ignore releases, for comparison
  uint64_t seed;
} fw_simulated_fleet_options_t;

// Steps of 0.05 s, odometry every 0.1 s, noise 0.02 cells, radius 0 (computed), speed 1.25, 2 cells/s^2, 3 rad/s, no
// slow motions, no stops.
FW_API fw_simulated_fleet_options_t fw_simulated_fleet_options_default(void);
// The largest radius of discs in cells for which the tolerances of the execution guarantee that no two robots touch.
FW_API double fw_simulated_fleet_radius(const fw_execution_t * execution, double noise);

struct fw_simulated_fleet_impl_t;
typedef struct fw_simulated_fleet_t {
  struct fw_simulated_fleet_impl_t * impl;
} fw_simulated_fleet_t;

// All robots of the execution, standing at their first waypoints. `execution` is borrowed until fini: the fleet reports
// to it and updates it. Robots that are added by a splice or removed later appear or vanish with the next step.
FW_API FW_MUST_USE fw_ret_t fw_simulated_fleet_init(
  fw_simulated_fleet_t * fleet, const fw_execution_t * execution, const fw_simulated_fleet_options_t * options,
  fw_error_t * error);
FW_API void fw_simulated_fleet_fini(fw_simulated_fleet_t * fleet);

// One step of all robots. After FW_RET_BAD_ALLOC all later steps fail too.
FW_API FW_MUST_USE fw_ret_t fw_simulated_fleet_step(fw_simulated_fleet_t * fleet, fw_error_t * error);
// Steps until all robots have arrived, none can drive on, or `seconds` have been simulated since init.
FW_API FW_MUST_USE fw_ret_t fw_simulated_fleet_run(fw_simulated_fleet_t * fleet, double seconds, fw_error_t * error);

// Stops a robot for `seconds` from now; infinite: it has broken down.
FW_API void fw_simulated_fleet_stop(fw_simulated_fleet_t * fleet, int32_t robot, double seconds);
// A silent robot drives on but does not report.
FW_API void fw_simulated_fleet_silence(fw_simulated_fleet_t * fleet, int32_t robot, bool is_silent);
// Where a robot really is (cells), and its speed (cells per second); NAN for a robot that is not present.
FW_API void fw_simulated_fleet_position(
  const fw_simulated_fleet_t * fleet, int32_t robot, double * x, double * y, double * speed);

// How long a robot waited for another, in all.
typedef struct fw_simulated_wait_t {
  int32_t robot;
  int32_t other;
  double seconds;
} fw_simulated_wait_t;

typedef struct fw_simulated_result_t {
  double seconds;            // simulated since init
  int64_t overlaps;          // how often two robots began to overlap
  int64_t overlap_steps;     // pairs that overlapped, summed over all steps
  int32_t overlap_first[2];  // the first pair; -1 for none
  double nearest;            // the smallest distance between discs of two robots, edge to edge; infinite: never near
  int32_t robots;
  int32_t arrived;                    // robots at the end of their paths
  double last_arrival;                // seconds since init, of those that have arrived
  double planned;                     // when the plan has the last robot at its end, seconds since init
  double delay_sum;                   // actual minus planned arrival times, summed over robots that have arrived
  bool is_deadlock;                   // no robot can drive on, and not all have arrived
  const fw_simulated_wait_t * waits;  // by pairs of robots, longest first; a view until the next call
  int32_t wait_count;
} fw_simulated_result_t;
FW_API fw_simulated_result_t fw_simulated_fleet_result(fw_simulated_fleet_t * fleet);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__EXECUTION_H_
