// The fleet controller: facts in, released paths and goal events out.
//
// One object owns a fleet on one map. Facts go in through calls: the map, obstacles, closures, the list of robots, pose
// reports, goals. fw_controller_update does bounded work and moves everything forward: it plans (in a worker thread, or
// when the caller says so), executes plans by the dependency graph of <fleetweave/execution.h>, and notices silent and
// stopped robots. Results come out as const views and a queue of goal events:
//
//   fw_controller_t controller = {0};
//   fw_controller_options_t options = fw_controller_options_default();
//   fw_controller_init(&controller, &options, &error);
//   fw_controller_set_robots(&controller, robots, 2, now_ns, &error);
//   fw_controller_set_map(&controller, &map, now_ns, &error);
//   for each message:
//     fw_controller_report_pose(&controller, robot, &report, now_ns, &error);
//     fw_controller_request_goal(&controller, robot, &goal, now_ns, &id, &error);
//   a few times per second, and after messages:
//     fw_controller_update(&controller, now_ns);
//     fw_controller_path_t path = fw_controller_released_path(&controller, robot);  // send it if its revision is new
//     while (fw_controller_next_event(&controller, &event)) { ... }                 // reached, failed, cancelled, ...
//
// Safety. A robot drives its released path, stops at its end, and may be late at any time. What was released to it
// stays reserved for it until its pose reports show that it has left; that holds when it is silent, when others plan
// anew, and after a restart with a journal. So robots that obey their releases, and whose poses are right to within
// half the clearance between robots, do not collide. A robot that is listed and has never reported is waited for
// (`ignores_missing_robots`).
//
// Units: metres and radians in the map's frame, nanoseconds on one clock of the caller. A clock that goes back is a new
// beginning: call fw_controller_restart_clock. Robots are numbered by slots: a robot keeps its number while it is
// listed. Threads: one thread at a time may use a controller; the worker's thread is its own affair, but `log` and
// `on_result` may be called in it. Nothing prints or reads a wall clock; deadlines of planning use the monotonic clock,
// and with `worker` not FW_CONTROLLER_WORKER_THREAD not even that: then the same calls give the same results, byte for
// byte.

#ifndef FLEETWEAVE__CONTROLLER_H_
#define FLEETWEAVE__CONTROLLER_H_

#include "fleetweave/execution.h"
#include "fleetweave/planner_def.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FW_NAME_SIZE = 128 };  // bytes of a name with its final zero

typedef struct fw_point_t {
  double x;  // metres, map frame
  double y;
} fw_point_t;

typedef struct fw_pose_t {
  fw_point_t point;
  double yaw;  // radians
} fw_pose_t;

// ---------------------------------------------------------------------------------------------------------------------
// Settings
// ---------------------------------------------------------------------------------------------------------------------

// What keeps robots apart while they drive.
typedef enum fw_execution_mode_t {
  FW_EXECUTION_MODE_DEPENDENCY,  // as much of each path is released as is safe, by the progress that robots report
  FW_EXECUTION_MODE_TIMED,       // the stamps of the paths: everything is released at once
  FW_EXECUTION_MODE_NONE,        // nothing here: nothing is released
} fw_execution_mode_t;

// A planner of the registry with its options, as one value.
typedef struct fw_planner_choice_t {
  char name[FW_NAME_SIZE];
  int32_t threads;
  uint64_t seed;
  size_t memory_max_bytes;
  // As text, in the order of the planner's own table; "": its default, in_fleet if it has that.
  char values[FW_PARAMETERS_MAX][FW_NAME_SIZE];
} fw_planner_choice_t;

// The parameters of planner_node (docs/ros.md) have the same names and meanings. Distances in metres, times in seconds.
typedef struct fw_controller_settings_t {
  double robot_radius;         // of the disc around each cell of a footprint; robots in metres may be larger
  double speed;                // metres per second of a robot with ticks_per_move 1
  double planning_resolution;  // metres per planning cell; 0: the map's
  double occupied_thresh;
  double free_thresh;
  bool unknown_is_free;
  // 1: floor is free or not (Nav2's mode "trinary"). Above: values up to occupied_thresh are free, and cost from 1,
  // below free_thresh, to this (mode "scale"). Robots drive around floor that costs more if the way around is shorter
  // than that is worth: entering a cell of cost 3 counts as much as entering three of cost 1. Times stay as they are.
  int32_t map_cost_max;   // 1 to 255
  int32_t mask_cost_max;  // what a value of 100 in the cost mask adds to the cost of a cell, 0 to 254
  double closure_radius;
  double odom_timeout;  // a robot that should drive and is silent for longer is stale; 0: never
  double
    pose_age_max;  // a pose whose stamp is farther than this from now, before or after, is refused; 0: any is taken
  double pose_deviation_max;  // metres; a pose with a larger standard deviation is refused; 0: any is taken
  bool poses_are_on_change;   // poses come only while a robot moves: silence of a robot that stands means nothing
  double plan_tolerance;
  double goal_tolerance;      // metres; a robot this near to the exact pose of its goal has reached it
  double goal_yaw_tolerance;  // radians; likewise for the yaw of goals that have one; pi or more: any yaw will do
  fw_execution_mode_t execution_mode;
  double release_ahead;
  double waypoint_tolerance;
  double stopped_timeout;
  bool ignores_missing_robots;  // false: nothing is released until each listed robot has reported once
  int32_t connectivity;         // 4 or 8
  // A diagonal needs only its end free, as in fw_problem_t: robots pass between two cells that are not free, where
  // their discs touch nothing. Needs connectivity 8 and robots of one cell without heading that do not sweep their
  // sides.
  bool cuts_corners;
  int32_t robust_ticks;
  int32_t horizon;  // ticks
  double time_limit;
  double replan_period;
  double plan_lead_seconds;
  // After this many partial rounds in a row, which plan only the robots that a change concerns, a round plans the whole
  // fleet; 0: each round does. In execution mode dependency with robust_ticks, and with planners that are neither
  // optimal nor plan by windows.
  int32_t partial_rounds_max;
  int64_t expansions_max;  // of one solve; 0: no limit. A deterministic budget beside time_limit
  fw_planner_choice_t planner;
} fw_controller_settings_t;

// The defaults of planner_node's parameters: auto, execution by dependencies, cells of 0.5 m, robots of radius 0.2 m.
FW_API fw_controller_settings_t fw_controller_settings_default(void);

// ---------------------------------------------------------------------------------------------------------------------
// Life
// ---------------------------------------------------------------------------------------------------------------------

typedef enum fw_log_level_t { FW_LOG_DEBUG, FW_LOG_INFO, FW_LOG_WARN, FW_LOG_ERROR } fw_log_level_t;

// Where planning runs.
typedef enum fw_controller_worker_t {
  FW_CONTROLLER_WORKER_THREAD,  // in a thread of the controller
  FW_CONTROLLER_WORKER_INLINE,  // in fw_controller_update
  FW_CONTROLLER_WORKER_CALLER,  // when the caller calls fw_controller_solve: for simulation of late answers
} fw_controller_worker_t;

// When the journal is written through to the disk (fsync). The process may be killed at any moment with all of them;
// the difference is what a power failure can lose.
typedef enum fw_controller_sync_t {
  FW_CONTROLLER_SYNC_EACH,      // nothing: each release and goal waits for the disk, often 10 ms, sometimes 100 ms
  FW_CONTROLLER_SYNC_INTERVAL,  // the last `journal_sync_seconds`
  FW_CONTROLLER_SYNC_NEVER,     // what the operating system has not written by itself
} fw_controller_sync_t;

typedef struct fw_controller_options_t {
  fw_controller_settings_t settings;
  fw_controller_worker_t worker;
  const char * const * closure_names;  // sources of closures; copied
  int32_t closure_count;
  const char * record;       // file for `fleetweave replay`; NULL or "": none
  int64_t record_max_bytes;  // of all records together
  // File that holds goals, service, last poses and releases, so that a controller that was killed continues; see
  // docs/execution.md. Written before a release is visible and before a goal is called accepted. Two controllers cannot
  // use one file. NULL or "": none.
  const char * journal;
  fw_controller_sync_t journal_sync;
  double journal_sync_seconds;                // 0 or more
  const struct fw_journal_io_t * journal_io;  // the file system for tests, copied; NULL: that of the machine
  // Text for a person to read, without a newline, each change once. May be NULL. Called in the worker's thread too.
  void (*log)(void * context, fw_log_level_t level, const char * text);
  void (*on_result)(void * context);  // a result is ready: call update soon. In the worker's thread. May be NULL
  void * context;                     // of both
} fw_controller_options_t;

FW_API fw_controller_options_t fw_controller_options_default(void);

struct fw_controller_impl_t;
typedef struct fw_controller_t {
  struct fw_controller_impl_t * impl;
} fw_controller_t;

// A controller without robots and map. FW_RET_INVALID_ARGUMENT: a setting is out of its range (the text names it).
// FW_RET_FILE: the journal is in use, is not a journal, has a newer format, or cannot be read and written.
FW_API FW_MUST_USE fw_ret_t
fw_controller_init(fw_controller_t * controller, const fw_controller_options_t * options, fw_error_t * error);
FW_API void fw_controller_fini(fw_controller_t * controller);

// Changes settings while robots drive. What needs another dependency graph (speed, tolerances, connectivity, another
// frame of the map) takes effect when all robots have stopped.
FW_API FW_MUST_USE fw_ret_t fw_controller_set_settings(
  fw_controller_t * controller, const fw_controller_settings_t * settings, int64_t now_ns, fw_error_t * error);
// The caller's clock went back, or is another one now: all plans are dropped, all releases are void, and robots are
// planned for again where they stand. What was released to a robot stays reserved until it has been reported to stand.
FW_API void fw_controller_restart_clock(fw_controller_t * controller, int64_t now_ns);

// ---------------------------------------------------------------------------------------------------------------------
// Facts
// ---------------------------------------------------------------------------------------------------------------------

// An occupancy grid as in nav_msgs/OccupancyGrid: row 0 at the origin, -1 unknown, 0 free to 100 occupied. Copied.
typedef struct fw_occupancy_map_t {
  int32_t width;
  int32_t height;
  double resolution;  // metres per cell
  fw_pose_t origin;   // of the outer corner of cell (0, 0)
  const int8_t * values;
} fw_occupancy_map_t;

// FW_RET_INVALID_ARGUMENT: it makes no sense, or no planning grid fits, or a robot in metres does not fit the grid; the
// last good map stays in force.
FW_API FW_MUST_USE fw_ret_t
fw_controller_set_map(fw_controller_t * controller, const fw_occupancy_map_t * map, int64_t now_ns, fw_error_t * error);

// A part of the map in force has other values: row 0 of `values` is row `y` of the map. Costs what has changed, not
// what the map has. FW_RET_INVALID_ARGUMENT: there is no map, or the part is not inside it; nothing has changed.
typedef struct fw_map_update_t {
  int32_t x;  // map cells
  int32_t y;
  int32_t width;
  int32_t height;
  const int8_t * values;  // width * height
} fw_map_update_t;
FW_API FW_MUST_USE fw_ret_t fw_controller_update_map(
  fw_controller_t * controller, const fw_map_update_t * update, int64_t now_ns, fw_error_t * error);

// Masks over the map: occupancy grids of any origin, yaw and resolution in the map frame, as Nav2's filter masks. They
// may come before the map, stay when it changes, and change while robots drive. Copied. NULL, or a mask of 0 x 0 cells,
// removes it. FW_RET_INVALID_ARGUMENT: it makes no sense; the last good one stays in force.
//
// Keepout: what is above occupied_thresh is an obstacle that no robot's disc touches, as on the map. A keepout that
// appears on a path is like a new obstacle: releases end before it, and the robots that it concerns are planned anew.
// Robots inside drive out on the shortest way that is free without the mask, also those without a goal; nobody else may
// use that way. It keeps to one-way areas; if no such way exists, it is the shortest one against them. Goals inside
// wait, with a fault, until it goes.
FW_API FW_MUST_USE fw_ret_t fw_controller_set_keepout_mask(
  fw_controller_t * controller, const fw_occupancy_map_t * mask, int64_t now_ns, fw_error_t * error);
// Costs: values 1 to 100 add up to mask_cost_max to the cost of the planning cells that they overlap.
FW_API FW_MUST_USE fw_ret_t fw_controller_set_cost_mask(
  fw_controller_t * controller, const fw_occupancy_map_t * mask, int64_t now_ns, fw_error_t * error);

// Areas of the map with traffic rules: polygons in the map frame. They apply to a robot by the planning cell that its
// centre is in, and a cell is in an area if its own centre is; keepouts take every map cell that they overlap.
typedef enum fw_area_kind_t {
  FW_AREA_ONE_WAY = 0,  // no move from or to a cell of the area goes against `direction`: more than 90 degrees from it
  FW_AREA_NO_WAITING,   // robots drive through, but no plan lets one wait; goals inside are refused
  FW_AREA_KEEPOUT,      // as the keepout mask
  FW_AREA_COST,         // adds `cost` to the cost of its cells; of several areas and the cost mask, the largest
} fw_area_kind_t;
#define FW_AREA_POINTS_MAX 256

typedef struct fw_area_t {
  fw_area_kind_t kind;
  const char * name;          // for messages
  const fw_point_t * points;  // of a polygon, 3 to FW_AREA_POINTS_MAX; where it crosses itself, the even-odd rule
  int32_t point_count;
  double direction;  // one-way: radians in the map frame
  int32_t cost;      // cost: 1 to 254
} fw_area_t;

FW_API const char * fw_area_kind_name(fw_area_kind_t kind);  // "one_way", "no_waiting", "keepout", "cost"

// The areas of the site in place of those before; 0 removes all. They may come before the map, stay when it changes,
// and change while robots drive: then all robots plan anew, from the ends of what they have been released. Copied. A
// robot without a goal that stands in a no-waiting area drives to the nearest place outside, if there is one. A goal in
// such an area is refused; one that was accepted before waits, with a fault, until the area goes.
//
// Plans keep the rules. By dependencies, a robot is held before a no-waiting area until it can be released through the
// whole of it, unless others wait for it to enter (docs/execution.md). One that is held up there all the same, since
// another is delayed after that or something is in its way, waits there.
//
// FW_RET_INVALID_ARGUMENT: an area makes no sense, or the planner has no rules (fw_planner_def_t); the last good areas
// stay in force.
FW_API FW_MUST_USE fw_ret_t fw_controller_set_areas(
  fw_controller_t * controller, const fw_area_t * areas, int32_t area_count, int64_t now_ns, fw_error_t * error);

// Obstacles that are not on the map: rectangles of one size along the axes of the map frame, until the next call.
typedef struct fw_obstacle_cells_t {
  double width;  // metres
  double height;
  const fw_point_t * centres;
  int32_t count;
} fw_obstacle_cells_t;
FW_API FW_MUST_USE fw_ret_t fw_controller_set_obstacles(
  fw_controller_t * controller, const fw_obstacle_cells_t * obstacles, int64_t now_ns, fw_error_t * error);

// A place on a path in time.
typedef struct fw_timed_waypoint_t {
  int64_t stamp_ns;
  fw_point_t point;
  double yaw;  // NAN: any
} fw_timed_waypoint_t;

// What source `source` (an index of `closure_names`) closes from now on: from the stamp of a waypoint until the stamp
// of the next, every cell that the line between them touches. On its last waypoint an object stays forever, unless the
// last two are at one place: then it leaves at the last stamp. Stamps do not fall.
FW_API FW_MUST_USE fw_ret_t fw_controller_set_closures(
  fw_controller_t * controller, int32_t source, const fw_timed_waypoint_t * waypoints, int32_t count, int64_t now_ns,
  fw_error_t * error);

// A robot is described in metres and seconds, or in planning cells and ticks; both for one robot is an error. Metres
// and seconds become cells and ticks by the planning grid in force, again with each change of it: a map, a resolution,
// the fleet's speed. FW_RET_INVALID_ARGUMENT of the call that would change it names a robot that does not fit any more,
// and nothing has changed.
typedef struct fw_controller_robot_t {
  const char * name;       // unique, not empty, shorter than FW_NAME_SIZE; copied
  const char * footprint;  // "WxH" or "dx,dy;dx,dy;..." in planning cells as in fleet files; NULL or "": one cell
  int32_t priority;        // larger goes first
  int32_t ticks_per_move;  // 1 to 8; 0 counts as 1
  int32_t turn_ticks;      // 0 to 8
  bool sweeps_sides;       // on diagonals; the controller adds it by itself where robots would touch without it
  // A polygon of 3 to 64 corners in metres around the robot's base, x ahead and y to the left, in the form of Nav2's
  // parameter `footprint`: "[[0.3, 0.2], [0.3, -0.2], [-0.3, -0.2], [-0.3, 0.2]]". Its convex hull counts, which has to
  // contain the base. If it fits into the disc inside one cell it is a robot of one cell; without turn_seconds a larger
  // one covers the disc around its base, since its yaw is not planned. NULL or "": `footprint`.
  const char * footprint_m;
  double speed;         // metres per second, at least an eighth of the fleet's; 0: by ticks_per_move
  double turn_seconds;  // for a quarter turn on the spot, at most eight ticks (with connectivity 8: sixteen). 0: by
                        // turn_ticks
} fw_controller_robot_t;

// The fleet from now on. A robot with a name that was listed before keeps its number, place and goals; a name that is
// not listed any more leaves, its goals end as cancelled and its space is free. A new name that the journal knows has
// the goals, with their numbers, and the service that it had; what was released to it is reserved until it has been
// reported at the end of it, or standing elsewhere. All or nothing.
FW_API FW_MUST_USE fw_ret_t fw_controller_set_robots(
  fw_controller_t * controller, const fw_controller_robot_t * robots, int32_t count, int64_t now_ns,
  fw_error_t * error);
// Slots, free ones included, and the slot of a name, -1 if it is not listed.
FW_API int32_t fw_controller_robot_count(const fw_controller_t * controller);
FW_API int32_t fw_controller_find_robot(const fw_controller_t * controller, const char * name);

typedef struct fw_pose_report_t {
  fw_pose_t pose;
  int64_t stamp_ns;  // when it was measured; 0: unknown, taken for now
  double deviation;  // metres, standard deviation of the position; 0: unknown
} fw_pose_report_t;

// FW_RET_INVALID_ARGUMENT: not finite, too old, from the future, too uncertain; the last good pose stays in force.
FW_API FW_MUST_USE fw_ret_t fw_controller_report_pose(
  fw_controller_t * controller, int32_t robot, const fw_pose_report_t * report, int64_t now_ns, fw_error_t * error);

// How a robot takes part.
typedef enum fw_robot_service_t {
  FW_ROBOT_IN_SERVICE,
  FW_ROBOT_ON_HOLD,         // it stops at the end of what is released; its goals wait
  FW_ROBOT_OUT_OF_SERVICE,  // the same, and its goals end as failed and new ones are rejected: an obstacle where it is
} fw_robot_service_t;
FW_API FW_MUST_USE fw_ret_t fw_controller_set_service(
  fw_controller_t * controller, int32_t robot, fw_robot_service_t service, int64_t now_ns, fw_error_t * error);
// The same as ON_HOLD for all robots, independent of it.
FW_API void fw_controller_set_paused(fw_controller_t * controller, bool is_paused);
// A controller that is not active plans nothing and releases nothing more: robots stop at the ends of their releases,
// and goals wait. It is active at the start; this is not in the journal.
FW_API void fw_controller_set_active(fw_controller_t * controller, bool is_active);
// Another controller releases paths to these robots: nothing more is released here until that ends. `who` is for logs;
// NULL: there is none.
FW_API void fw_controller_set_rival(fw_controller_t * controller, const char * who);
// A reason of the caller's not to start planning yet ("not all robots have subscribed to their path yet"); NULL: none.
// `reason` is borrowed until the next call.
FW_API void fw_controller_set_not_ready(fw_controller_t * controller, const char * reason);
// Plans as soon as possible.
FW_API void fw_controller_replan(fw_controller_t * controller);

// ---------------------------------------------------------------------------------------------------------------------
// Goals
// ---------------------------------------------------------------------------------------------------------------------

// A goal is accepted or rejected in the call. An accepted one ends in exactly one way: reached, failed, cancelled or
// replaced. A robot may have a queue of goals, of which the first is active.
//
// Plans lead from centre to centre of planning cells. A robot whose goal is farther than the tolerance from the centre
// of its cell drives the last part alone, in a straight line, once the space for it is free (execution mode dependency
// only). That may lead into a cell that is not free, as at a wall. Where an obstacle of the map is in the way, a goal
// with a tolerance of its own is rejected, and without one the robot stays in the centre of the cell.
typedef struct fw_goal_request_t {
  fw_pose_t pose;             // yaw NAN: any
  double position_tolerance;  // metres; 0: goal_tolerance of the settings
  double yaw_tolerance;       // radians; 0: goal_yaw_tolerance of the settings
  bool is_queued;             // behind the robot's other goals; false: it replaces all of them
} fw_goal_request_t;

// `id` is set if the goal is accepted, and may be NULL. Ids grow; with a journal no id is given twice, whatever a kill
// or a power failure loses, so that a restart skips up to 10,000 of them. FW_RET_INVALID_ARGUMENT: rejected; `error`
// has Nav2's number (204 outside the map, 206 occupied, 200 anything else) and says why. Without a map goals are
// accepted, and fail when the map shows that they are impossible.
FW_API FW_MUST_USE fw_ret_t fw_controller_request_goal(
  fw_controller_t * controller, int32_t robot, const fw_goal_request_t * request, int64_t now_ns, uint64_t * id,
  fw_error_t * error);
// The same for a list, all or none; `ids` has room for `count` or is NULL. Whether the first one `is_queued` decides
// for all. An empty list leaves the active goal and ends those behind it as replaced.
FW_API FW_MUST_USE fw_ret_t fw_controller_request_goals(
  fw_controller_t * controller, int32_t robot, const fw_goal_request_t * requests, int32_t count, int64_t now_ns,
  uint64_t * ids, fw_error_t * error);
// The robot comes to a stop at the end of what is released to it, and the rest of its path is given up. The next goal
// of its queue becomes active. FW_RET_NOT_FOUND: there is no such goal any more.
FW_API FW_MUST_USE fw_ret_t
fw_controller_cancel_goal(fw_controller_t * controller, uint64_t id, int64_t now_ns, fw_error_t * error);
// All goals of a robot.
FW_API void fw_controller_cancel_goals(fw_controller_t * controller, int32_t robot, int64_t now_ns);

typedef enum fw_goal_event_kind_t {
  FW_GOAL_ACCEPTED,
  FW_GOAL_ACTIVE,  // it is the robot's first goal now
  FW_GOAL_REACHED,
  FW_GOAL_FAILED,  // `fault` and `text` say why
  FW_GOAL_CANCELLED,
  FW_GOAL_REPLACED,
} fw_goal_event_kind_t;

typedef struct fw_goal_event_t {
  fw_goal_event_kind_t kind;
  uint64_t id;
  int32_t robot;  // -1: its slot is another robot's by now, or it is not listed (an end told again after a restart)
  int64_t time_ns;
  fw_fault_t fault;
  char text[256];
} fw_goal_event_t;

// Takes the oldest event. False if there is none. Events are kept until they are taken.
//
// Without a journal the end of each accepted goal is told once. With a journal it is told at least once, over kills and
// restarts: the ends that the caller of the last controller may not have taken are told again with the first list of
// robots, as events with the same id and kind and the time of the restart. Which events were taken is written with the
// next update. So callers must ignore the end of an id that has ended already. Where nobody takes events, the journal
// keeps the last 4096 ends.
FW_API bool fw_controller_next_event(fw_controller_t * controller, fw_goal_event_t * event);
FW_API const char * fw_goal_event_kind_name(fw_goal_event_kind_t kind);

// ---------------------------------------------------------------------------------------------------------------------
// Forward, and results
// ---------------------------------------------------------------------------------------------------------------------

// One step of bounded work. True if the plan in force is a new one.
FW_API bool fw_controller_update(fw_controller_t * controller, int64_t now_ns);
// Worker FW_CONTROLLER_WORKER_CALLER only: true if a request waits for fw_controller_solve, which solves it; the next
// update takes the result. `fails` answers with an error instead, as if there were no memory.
FW_API bool fw_controller_wants_solve(const fw_controller_t * controller);
FW_API void fw_controller_solve(fw_controller_t * controller, bool fails);

// A view until the next call that is not const. `revision` grows with each change that the robot has to hear of.
typedef struct fw_controller_path_t {
  const fw_timed_waypoint_t * waypoints;
  int32_t count;
  int64_t epoch_ns;  // of the plan
  int64_t revision;
} fw_controller_path_t;

// How far the robot may drive: it follows this path and stops at its end. Empty: it stays where it is.
FW_API fw_controller_path_t fw_controller_released_path(const fw_controller_t * controller, int32_t robot);
// The whole plan, with expected times.
FW_API fw_controller_path_t fw_controller_timed_path(const fw_controller_t * controller, int32_t robot);

typedef enum fw_robot_state_t {
  FW_ROBOT_WAITING,  // no pose yet
  FW_ROBOT_IDLE,     // no goal
  FW_ROBOT_MOVING,
  FW_ROBOT_ARRIVED,
  FW_ROBOT_HELD,   // has a goal and no plan for it now
  FW_ROBOT_STALE,  // its poses have stopped
} fw_robot_state_t;
FW_API const char * fw_robot_state_name(fw_robot_state_t state);

typedef struct fw_controller_robot_status_t {
  const char * name;  // "": the slot is free
  fw_robot_state_t state;
  fw_robot_service_t service;
  bool has_pose;
  fw_pose_t pose;
  fw_fault_t fault;           // FW_FAULT_NONE: nothing is wrong
  const char * fault_text;    // "" if nothing is
  uint64_t goal;              // the active one; 0: none
  int32_t goals_left;         // behind it
  double distance_remaining;  // metres along its path
  double seconds_remaining;   // infinite if it depends on a robot with a fault, or has no plan to its goal now
  fw_execution_status_t execution;
} fw_controller_robot_status_t;
// `robot` is a slot.
FW_API fw_controller_robot_status_t
fw_controller_robot_status(const fw_controller_t * controller, int32_t robot, int64_t now_ns);

typedef struct fw_controller_status_t {
  const char * not_ready;  // why no round can start ("there is no map yet"); NULL if one can
  const char * fault;      // why the last result could not be used; "" if it could
  int64_t rounds;          // results that came into force
  int64_t partial_rounds;  // of these, those that planned only the robots that a change concerned
  int64_t planned_robots;  // summed over the rounds
  int64_t expanded;        // search nodes of the planner, summed over the rounds
  fw_outcome_t outcome;    // of the last one
  fw_stop_t stop;
  const char * journal_fault;  // why the journal cannot be written now: a restart would not continue; "" if it can
} fw_controller_status_t;
FW_API fw_controller_status_t fw_controller_status(const fw_controller_t * controller, int64_t now_ns);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__CONTROLLER_H_
