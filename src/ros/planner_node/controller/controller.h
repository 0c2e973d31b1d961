// The controller: the state of the fleet, when to plan, and how robots drive by the plan.
//
//   inbox ──> facts (fleet, map, blocked cells, closures) ──> round (request ──> worker ──> result) ──> schedule
//                                                                                                        │
//   published by the node: releases, timed paths, diagnostics, markers <── execution (dependency graph) <┘
//
// node_controller_update does one bounded step: it reads the inbox, takes a result, supervises execution, and starts a
// round if an event or a periodic check has requested one. Robots keep driving while the worker solves. It calls
// nothing of rcl: the node brings messages and time in and takes paths out. One thread, apart from the worker's.

#ifndef ROS__PLANNER_NODE__CONTROLLER__CONTROLLER_H_
#define ROS__PLANNER_NODE__CONTROLLER__CONTROLLER_H_

#include "ros/planner_node/controller/blocked_cells.h"
#include "ros/planner_node/controller/closures.h"
#include "ros/planner_node/controller/execution.h"
#include "ros/planner_node/controller/fleet.h"
#include "ros/planner_node/controller/worker.h"

enum { NODE_SOLVE_TIMES_SIZE = 512, NODE_RELEASE_TIMES_SIZE = 4096 };

// What the planner remembers from its last plan, and can continue from: valid while that plan is in force.
typedef struct node_warm_start_t {
  bool is_valid;
  int64_t epoch_ns;
  int64_t tick_ns;
  int64_t map_revision;
} node_warm_start_t;

typedef struct node_controller_t {
  node_settings_t settings;
  node_fleet_t fleet;
  node_closures_t closures;
  node_map_t map;
  nav_msgs__msg__OccupancyGrid map_message;  // the last good one, for when a parameter changes the grid
  fw_error_t map_fault;                      // why the last map was refused; empty if it was not
  node_blocked_t blocked;
  node_schedule_t schedule;
  node_execution_t execution;
  node_worker_t worker;
  const char * logger;

  // When to plan. ROS time, if nothing else is said.
  const char * round_reason;   // why a round is requested; NULL: none is
  bool round_is_urgent;        // it must not wait for the next tick
  int64_t lead_ns;             // from the start of a round to its epoch; grows when results come too late
  int64_t next_check_ns;       // of everything that no event announces
  int64_t next_window_ns;      // when a plan that ends before the goals needs its continuation
  int64_t next_round_ns;       // no round before this, unless it is urgent
  int64_t closures_seen_ns;    // closures that begin before this were part of the last round
  bool closures_have_changed;  // cells may have opened: there may be better paths
  node_warm_start_t warm_start;
  int64_t last_now_ns;
  int64_t startup_end_ns;  // steady clock: until then all listed robots are waited for; 0: none has appeared yet
  bool has_subscribers;    // each robot's path has a subscriber; the node sets it

  // Execution.
  int64_t next_execution_ns;    // when robots in the graph are checked again
  int64_t next_retime_ns;       // when the times of their paths are computed again
  bool obstacles_are_outdated;  // the dependency graph does not know all obstacles

  node_timed_path_t scratch;  // one path, while it is written into the schedule

  // For diagnostics.
  int64_t rounds;            // results that came into force
  int64_t continued_rounds;  // of these, those that continued the plan before (warm start)
  int64_t late_count;        // results that came after their epoch
  fw_error_t planner_fault;  // why the last result could not be used; empty if it could
  fw_outcome_t outcome;
  fw_stop_t stop;
  fw_stats_t stats;
  int64_t reports;                                    // pose reports that were taken
  int64_t oldest_report_ns;                           // stamp of the oldest pose of this update; 0: there was none
  int64_t release_times_ns[NODE_RELEASE_TIMES_SIZE];  // from a pose report to the releases that followed; ring buffer
  int64_t release_times_count;                        // ever
  int64_t solve_times_ns[NODE_SOLVE_TIMES_SIZE];      // of rounds; ring buffer
  int64_t solve_times_count;                          // ever
} node_controller_t;

// What the controller needs from the node; borrowed.
typedef struct node_controller_options_t {
  const ros_parameters_t * parameters;
  const node_settings_t * settings;
  const char * logger;
  void (*on_done)(void * context);  // called in the worker's thread when a result is ready
  void * context;
} node_controller_options_t;

// `controller` is zeroed and stays at its address. False if there is no memory or no thread; call fini in either case.
bool node_controller_init(node_controller_t * controller, const node_controller_options_t * options);
void node_controller_fini(node_controller_t * controller);

// After a change of the list of robots: forgets removed robots and gives new ones a slot in the fleet. False if there
// is no memory.
bool node_controller_read_robots(node_controller_t * controller, const ros_parameters_t * parameters);
// After a change of any parameter.
void node_controller_read_settings(
  node_controller_t * controller, const ros_parameters_t * parameters, const node_settings_t * settings);
// After ROS time went back or changed its source: all stamps are invalid.
void node_controller_drop_plans(node_controller_t * controller, int64_t now_ns);
// Stops releasing more to robots, or resumes (~/pause, ~/resume).
void node_controller_pause(node_controller_t * controller, bool is_paused);

// One step. True if the schedule is a new one.
bool node_controller_update(node_controller_t * controller, node_inbox_t * inbox, int64_t now_ns);

// Requests a round: immediately, or with the next tick of the plan in force, so that it can continue from that plan.
void node_controller_request_round(node_controller_t * controller, const char * why);
void node_controller_request_round_soon(node_controller_t * controller, const char * why);

// Whether the timed path of the robot ends at its goal (that of a window may end before it), and whether the robot has
// reached that end.
bool node_controller_path_ends_at_goal(const node_controller_t * controller, int32_t index);
bool node_controller_is_at_goal(const node_controller_t * controller, int32_t index, int64_t now_ns);
// Why no round can start now ("there is no map yet"); NULL if one can.
const char * node_controller_not_ready_reason(const node_controller_t * controller, int64_t now_ns);
// True if a timed path leads over a cell for which `test` is true. FW_CELL_NONE is tested too, for footprints that
// reach out of the map.
typedef bool node_cell_test_t(const node_controller_t * controller, fw_cell_t cell);
bool node_controller_any_path_crosses(const node_controller_t * controller, node_cell_test_t * test);

#endif  // ROS__PLANNER_NODE__CONTROLLER__CONTROLLER_H_
