// The fleet: where each robot is, where it is to go, and what is wrong with it.

#ifndef CONTROLLER__FLEET_H_
#define CONTROLLER__FLEET_H_

#include "controller/body.h"
#include "controller/map/map.h"
#include "controller/metres.h"
#include "controller/restart/old_release.h"
#include "controller/round/schedule.h"

typedef struct fw_robot_fault_t {
  int32_t number;  // of fw_fault_t; 0: nothing is wrong
  char text[FW_REASON_SIZE];
} fw_robot_fault_t;

// A goal that was accepted and has not ended.
typedef struct fw_robot_goal_t {
  uint64_t id;
  fw_pose_t pose;             // as wished; yaw NAN: any
  double position_tolerance;  // 0: that of the settings
  double yaw_tolerance;       // likewise
} fw_robot_goal_t;

// Between the centre of the goal's cell and the exact pose of the goal; see approach.h. The way is the robot's
// `old_release` meanwhile.
typedef enum fw_approach_state_t {
  FW_APPROACH_NONE,
  FW_APPROACH_OUT,    // on the way to the pose
  FW_APPROACH_THERE,  // at the pose
  FW_APPROACH_BACK,   // on the way back to the centre
} fw_approach_state_t;

typedef struct fw_approach_t {
  fw_approach_state_t state;
  uint64_t goal_order;  // of the goal that it is for
  fw_point_t centre;    // where it began
  int32_t failures;     // approaches to this goal that ended too far from it
  int64_t retry_ns;     // not tried again before this
  bool is_waiting;      // for space; the space is to be cleared of robots without a goal
  int64_t clearing_ns;  // when that was last asked for; 0: never
  bool is_called_back;
} fw_approach_t;

// A robot whose goal was cancelled gets nothing more to drive until a plan that knows it is in force.
typedef enum fw_robot_stop_t {
  FW_ROBOT_STOP_NONE,
  FW_ROBOT_STOP_WANTED,
  FW_ROBOT_STOP_PLANNED,  // the round under way knows it
} fw_robot_stop_t;

// What the journal has of a robot, so that only changes are written.
typedef struct fw_robot_saved_t {
  bool has_goals;    // all goals are in the journal
  bool has_release;  // so is the release with this revision
  int64_t release_revision;
  bool is_old_release;  // that is what was written
  bool has_pose;
  fw_pose_t pose;
  bool has_service;
  fw_robot_service_t service;
} fw_robot_saved_t;

// How a goal ended, for the journal.
typedef struct fw_ended_goal_t {
  uint64_t id;  // 0: none has
  fw_goal_event_kind_t kind;
  fw_fault_t fault;
} fw_ended_goal_t;

typedef struct fw_controlled_robot_t {
  char name[FW_NAME_SIZE];  // empty: this slot of the fleet is free, and its other members mean nothing
  const fw_log_t * log;
  bool is_new;        // in a slot that another robot may have had before; the controller clears it
  bool has_new_body;  // the last list, grid or setting gave it another one; likewise
  int32_t priority;
  fw_robot_shape_t shape;  // as listed
  fw_robot_body_t body;    // on the grid
  fw_robot_service_t service;
  fw_robot_stop_t stop;

  // Pose reports. Times are the caller's.
  bool has_pose;
  fw_point_t point;
  double yaw;
  int64_t stamp_ns;  // of that pose
  int64_t heard_ns;  // when it arrived
  bool is_stale;     // no pose for longer than odom_timeout
  bool is_off_plan;
  bool is_still;  // it has not moved for a moment
  // What was released to it became void before it had driven it: where it comes to rest is not known until it is seen
  // standing.
  bool is_unsettled;
  fw_point_t still_point;
  double still_yaw;
  int64_t still_ns;       // since when it is near that point
  int64_t release_ns;     // when it last got something new to drive
  int64_t told_again_ns;  // when it last got the same again

  // Goals: the first is active. Where the robot is to be (`has_goal`, `goal`) outlives the goal that was reached there.
  fw_robot_goal_t * goals;
  int32_t goal_count;
  int32_t goal_capacity;
  bool has_goal;
  fw_point_t goal;
  double goal_yaw;
  double goal_tolerance;  // 0: that of the settings
  double goal_yaw_tolerance;
  uint64_t goal_order;  // goals are numbered as they arrive; of two equal goals the earlier one counts
  // Finding out that a robot has no path can take the whole time limit, so it is retried with exponential back-off.
  int64_t retry_ns;    // from when on it is tried again
  int64_t backoff_ns;  // how long the next failure will make it wait
  // The same for rounds because it waits on its path for what no event ends. Each round may lead others elsewhere.
  int64_t wait_retry_ns;
  int64_t wait_backoff_ns;

  // One fault per origin, so that a new one of one origin does not hide another.
  fw_robot_fault_t pose_fault;      // the last pose report was refused
  fw_robot_fault_t goal_fault;      // the last goal was rejected, or failed
  fw_robot_fault_t planning_fault;  // what the last round found
  fw_robot_fault_t standing_fault;  // it stands on a closed cell
  fw_robot_fault_t approach_fault;  // the space of its goal's exact pose is taken

  // Execution by the dependency graph.
  bool has_new_release;  // the released path is to be written
  bool has_new_path;     // the times of its path have changed
  bool was_stuck;
  bool was_in_graph;         // before the result that is being taken
  bool is_centering;         // it first drives to the centre of its cell
  int64_t centering_ns;      // since when
  int32_t published_stop;    // the waypoint at which the last release ends; -1: none
  int64_t published_end_ns;  // when the last timed path that was announced ends

  // Results for the caller.
  fw_timed_path_t released;
  // Of its waypoints, those up to where space is reserved: `count`, or more if the release was cut short. The robot may
  // not have heard of that.
  int32_t reserved_count;
  int64_t release_revision;  // grows with each release that the robot has to hear of
  int64_t path_revision;     // likewise of timed paths

  // What it may still drive although its plan is gone; see restart.h.
  fw_old_release_t old_release;
  fw_approach_t approach;
  bool is_unrestored;  // there was no memory for what the journal knows of it; see fw__restart_restore_left
  fw_robot_saved_t saved;
  fw_ended_goal_t last_ended;
} fw_controlled_robot_t;

typedef struct fw_controller_fleet_t {
  fw_controlled_robot_t * robots;  // slots: a robot keeps its index as long as it is listed
  int32_t count;
  fw_robot_shapes_t shapes;  // of all robots that are or were listed
  uint64_t goals_seen;
  fw_controller_site_t site;
} fw_controller_fleet_t;

// ---- bodies

// What bodies depend on.
typedef struct fw_fleet_grid_t {
  const fw_controller_settings_t * settings;
  double resolution;  // metres per cell; 0: there is no grid yet
  int64_t tick_ns;
} fw_fleet_grid_t;

// Bodies that robots will have. Release them with fw__fleet_bodies_fini.
typedef struct fw_fleet_bodies_t {
  fw_robot_body_t * bodies;
  int32_t count;
  double resolution;      // of the grid for which they are
  double robot_radius;    // metres, of the largest robot of one cell
  bool has_large_robots;  // one covers more than one cell
  bool needs_sides;       // all have sweeps_sides, since they would touch others on diagonals
} fw_fleet_bodies_t;

// The bodies of all slots on a grid. False with a reason that names the robot.
bool fw__controller_fleet_convert(
  fw_controller_fleet_t * fleet, const fw_fleet_grid_t * grid, fw_fleet_bodies_t * bodies, fw_error_t * reason);
// Puts them into force.
void fw__controller_fleet_set_bodies(fw_controller_fleet_t * fleet, const fw_fleet_bodies_t * bodies);
void fw__fleet_bodies_fini(fw_fleet_bodies_t * bodies);

// ---- the list

// Takes a list of robots: new names get a free slot, and the slots of names that are gone become free, with `on_leave`
// called before. Priorities and bodies of all are set. False with a reason: nothing has changed.
typedef struct fw_robot_list_t {
  const fw_controller_robot_t * robots;
  int32_t count;
  fw_fleet_grid_t grid;
  void (*on_leave)(void * context, int32_t index);
  void * context;
} fw_robot_list_t;
bool fw__controller_fleet_set(fw_controller_fleet_t * fleet, const fw_robot_list_t * list, fw_error_t * reason);
// Whether it would be taken; changes nothing.
bool fw__controller_fleet_check(fw_controller_fleet_t * fleet, const fw_robot_list_t * list, fw_error_t * reason);
void fw__controller_fleet_fini(fw_controller_fleet_t * fleet);
// The slot of a name, -1 if it is not listed.
int32_t fw__controller_fleet_find(const fw_controller_fleet_t * fleet, const char * name);
static inline bool fw__controlled_robot_is_listed(const fw_controlled_robot_t * robot)
{
  return robot->name[0] != '\0';
}
static inline fw_pose_t fw__controlled_robot_pose(const fw_controlled_robot_t * robot)
{
  return (fw_pose_t){robot->point, robot->yaw};
}

// Nothing more may be released to this robot now.
static inline bool fw__controlled_robot_is_held(const fw_controlled_robot_t * robot)
{
  return robot->service != FW_ROBOT_IN_SERVICE || robot->stop != FW_ROBOT_STOP_NONE;
}

// Takes a pose report. False with a reason if it is refused: then only the robot's `pose_fault` has changed. A report
// that was overtaken by a later one, or is the same again, changes nothing, and true is returned.
bool fw__controller_fleet_take_pose(
  fw_controller_fleet_t * fleet, fw_controlled_robot_t * robot, const fw_pose_report_t * report, int64_t now_ns,
  fw_error_t * reason);

// A new goal or a new map: planning is tried again immediately.
void fw__controlled_robot_reset_backoff(fw_controlled_robot_t * robot);
// ROS time has jumped: nothing that was measured in time so far counts.
void fw__controlled_robot_restart_clock(fw_controlled_robot_t * robot, int64_t now_ns);
// True if no path was found and it is not yet time to try again.
bool fw__controlled_robot_is_in_backoff(const fw_controlled_robot_t * robot, int64_t now_ns);

// Marks robots that were silent for longer than odom_timeout, and those that are heard again. True if any changed.
// `drives` says whether a robot has something left to drive; see poses_are_on_change.
bool fw__controller_fleet_check_silence(
  fw_controller_fleet_t * fleet, bool (*drives)(const void * context, int32_t index), const void * context,
  int64_t now_ns);

// Sets one of the robot's faults, and logs a change of number or text. `number` is not 0.
void fw__controlled_robot_set_fault(
  fw_controlled_robot_t * robot, fw_robot_fault_t * fault, int32_t number, const char * format, ...) FW_PRINTF(4, 5);
// The fault is over: clears it, and logs that if it was set.
void fw__controlled_robot_clear_fault(fw_controlled_robot_t * robot, fw_robot_fault_t * fault);
// The fault to show: planning first, then standing, approach, goal and pose.
const fw_robot_fault_t * fw__controlled_robot_fault(const fw_controlled_robot_t * robot);

// `is_done`: the robot has reached the end of its path, and that is its goal.
fw_robot_state_t fw__controlled_robot_state(const fw_controlled_robot_t * robot, bool is_done);

#endif  // CONTROLLER__FLEET_H_
