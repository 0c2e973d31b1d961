// The inside of the controller (<fleetweave/controller.h>): the state of the fleet, when to plan, and how robots drive
// by the plan.
//
//   calls ──> facts (fleet, goals, map, blocked cells, closures) ──> round (request ──> worker ──> result) ──> schedule
//                                                                                                               │
//   released paths, timed paths, goal events <── execution (dependency graph) <─────────────────────────────────┘
//
// An update does one bounded step: it takes a result, supervises execution, and starts a round if an event or a
// periodic check has requested one. Robots keep driving while the worker solves. One thread, apart from the worker's.

#ifndef CONTROLLER__CONTROLLER_H_
#define CONTROLLER__CONTROLLER_H_

#include "controller/map/blocked_cells.h"
#include "controller/map/closures.h"
#include "controller/map/escape.h"
#include "controller/execution.h"
#include "controller/fleet.h"
#include "controller/goals.h"
#include "controller/restart/restart.h"
#include "controller/round/worker.h"

enum { FW_SOLVE_TIMES_SIZE = 512, FW_RELEASE_TIMES_SIZE = 4096 };

// What the planner remembers from its last plan, and can continue from: valid while that plan is in force.
typedef struct fw_warm_start_t {
  bool is_valid;
  int64_t epoch_ns;
  int64_t tick_ns;
  int64_t map_revision;
} fw_warm_start_t;

// A mask over the map.
typedef struct fw_map_mask_t {
  fw_occupancy_map_t mask;  // the last good one, with values of our own; NULL values: there is none
  fw_error_t fault;         // why the last one was refused; empty if it was not
} fw_map_mask_t;

typedef struct fw_controller_impl_t {
  fw_controller_settings_t settings;
  bool has_windows;  // the planner can plan window by window
  fw_log_t log;
  fw_controller_fleet_t fleet;
  fw_goal_events_t events;
  fw_closure_sources_t closures;
  fw_planning_map_t map;
  fw_occupancy_map_t occupancy;  // the last good one, with values of our own, for when a setting changes the grid
  fw_error_t map_fault;          // why the last map was refused; empty if it was not
  fw_map_mask_t keepout;
  fw_map_mask_t cost_mask;
  fw_area_list_t areas;    // the last good ones
  fw_error_t areas_fault;  // why the last ones were refused; empty if they were not
  fw_escapes_t escapes;
  fw_blocked_cells_t blocked;
  fw_schedule_t schedule;
  fw_fleet_execution_t execution;
  fw_round_worker_t worker;
  fw_restart_t restart;

  // When to plan.
  const char * round_reason;   // why a round is requested; NULL: none is
  bool round_is_urgent;        // it must not wait for the next tick
  bool round_is_whole;         // it must plan all robots, not only those that a change concerns
  int32_t contradictions;      // rounds in a row in which robots were to begin in one place
  int32_t unspliced;           // plans in a row that contradict what robots hold
  int32_t partial_in_a_row;    // partial rounds since the last whole one
  int64_t lead_ns;             // from the start of a round to its epoch; grows when results come too late
  int64_t next_check_ns;       // of everything that no event announces
  int64_t next_window_ns;      // when a plan that ends before the goals needs its continuation
  int64_t next_round_ns;       // no round before this, unless it is urgent
  int64_t closures_seen_ns;    // closures that begin before this were part of the last round
  bool closures_have_changed;  // cells may have opened: there may be better paths
  fw_warm_start_t warm_start;
  int64_t last_now_ns;
  int64_t startup_end_ns;    // until then missing robots are waited for in any case; 0: none has appeared yet
  bool is_paused;            // by the caller
  bool is_inactive;          // by the caller
  bool schedule_is_new;      // since the last update
  const char * not_ready;    // the caller's reason not to plan; NULL: none
  char rival[FW_NAME_SIZE];  // another controller of these robots; "": none

  // Execution.
  int64_t next_execution_ns;    // when robots in the graph are checked again
  int64_t next_retime_ns;       // when the times of their paths are computed again
  bool obstacles_are_outdated;  // the dependency graph does not know all obstacles
  bool has_untold_robot;     // of these, one that has just reported for the first time: nothing is released until then
  int64_t next_approach_ns;  // when robots near the exact poses of their goals are looked at again
  bool sweeps_sides;         // all robots do, since they would touch others on diagonals

  fw_timed_path_t scratch;  // one path, while it is written into the schedule

  // For diagnostics.
  int64_t rounds;            // results that came into force
  int64_t continued_rounds;  // of these, those that continued the plan before (warm start)
  int64_t partial_rounds;    // of these, those that planned only the robots that a change concerned
  int64_t fallback_rounds;   // of these, whole rounds after a partial one was tried in vain
  int64_t planned_robots;    // summed over the rounds
  int64_t expanded;          // search nodes, summed over the rounds
  int64_t late_count;        // results that came after their epoch
  fw_error_t planner_fault;  // why the last result could not be used; empty if it could
  fw_outcome_t outcome;
  fw_stop_t stop;
  fw_stats_t stats;
  int64_t reports;                                  // pose reports that were taken
  int64_t oldest_report_ns;                         // stamp of the oldest pose since the last update; 0: none
  int64_t release_times_ns[FW_RELEASE_TIMES_SIZE];  // from a pose report to the releases that followed; ring buffer
  int64_t release_times_count;                      // ever
  int64_t solve_times_ns[FW_SOLVE_TIMES_SIZE];      // of rounds; ring buffer
  int64_t solve_times_count;                        // ever
  int64_t whole_solve_ns;                           // of the last whole round
  int64_t whole_expanded;                           // search nodes of its last solve
} fw_controller_impl_t;

// Remembers why a map was refused, and logs it if it is another reason than before; "": the last one was good.
void fw__controller_note_map_fault(fw_controller_impl_t * controller, const char * reason);
// The same for a mask; `name` is its name in the log.
void fw__controller_note_mask_fault(
  fw_controller_impl_t * controller, fw_map_mask_t * mask, const char * name, const char * reason);
// The same for obstacles; and for a robot's pose or goal that was refused before it came to the controller.
void fw__controller_note_obstacle_fault(fw_controller_impl_t * controller, const char * reason);
void fw__controller_refuse_pose(fw_controller_impl_t * controller, int32_t robot, const fw_error_t * reason);
// The same, for a pose that does not come: `reason` is the whole text.
void fw__controller_note_pose_fault(fw_controller_impl_t * controller, int32_t robot, const fw_error_t * reason);
void fw__controller_refuse_goal(fw_controller_impl_t * controller, int32_t robot, const fw_error_t * reason);
// The releases that the last update wrote are with the robots now: for the statistics.
void fw__controller_note_released(fw_controller_impl_t * controller, int64_t now_ns);
// True if the planner of the settings keeps the rules that these areas make; otherwise `reason` says that it does not.
bool fw__controller_check_rules(
  const fw_area_list_t * areas, const fw_controller_settings_t * settings, fw_error_t * reason);
// What the planning grid is made of: `occupancy`, with the settings, masks and robots in force.
fw_map_source_t fw__controller_map_source(
  const fw_controller_impl_t * controller, const fw_occupancy_map_t * occupancy);
// Builds the map in force again, if there is one, after a change of a mask. False with a reason: nothing has changed.
bool fw__controller_rebuild_map(fw_controller_impl_t * controller, int64_t now_ns, fw_error_t * reason);
// The map in force has changed: tells the graph, and requests the rounds that it needs.
void fw__controller_note_new_map(fw_controller_impl_t * controller);
// Stops robots at the end of what is released if their plan goes on against a one-way area: it is older than the area,
// or a way out of a keepout that has gone since.
void fw__controller_stop_against_areas(fw_controller_impl_t * controller);
// Ends the worker's thread; nothing is planned any more, and `on_result` is not called any more. NULL is ignored.
void fw__controller_end_worker(fw_controller_impl_t * controller);
// All plans are void: robots are told to stay, and are planned for again where they stand. What they held stays
// reserved until they do.
void fw__controller_drop_plans(fw_controller_impl_t * controller, int64_t now_ns);

// Settings and robots that belong together. For robots in metres neither may be possible without the other.
typedef struct fw_fleet_setup_t {
  const fw_controller_settings_t * settings;
  const fw_controller_robot_t * robots;
  int32_t count;
} fw_fleet_setup_t;

// True if both can be put into force now, on the last good map; otherwise `reason` says why not. Changes nothing.
bool fw__controller_check_setup(fw_controller_impl_t * controller, const fw_fleet_setup_t * setup, fw_error_t * reason);
// fw_controller_set_settings and fw_controller_set_robots in one. False with a reason: nothing has changed.
bool fw__controller_configure(
  fw_controller_t * self, const fw_fleet_setup_t * setup, int64_t now_ns, fw_error_t * reason);

// Requests a round: immediately, or with the next tick of the plan in force, so that it can continue from that plan.
void fw__controller_request_round(fw_controller_impl_t * controller, const char * why);
void fw__controller_request_round_soon(fw_controller_impl_t * controller, const char * why);
// The next round plans all robots: what has changed may concern any of them. Requests no round by itself.
void fw__controller_want_whole_round(fw_controller_impl_t * controller);

// Whether the timed path of the robot ends at its goal (that of a window may end before it), and whether the robot has
// reached that end.
bool fw__controller_path_ends_at_goal(const fw_controller_impl_t * controller, int32_t index);
bool fw__controller_is_at_goal(const fw_controller_impl_t * controller, int32_t index, int64_t now_ns);
// The same without regard to the exact pose of the goal: has it reached the end of its path in the goal's cell?
bool fw__controller_has_arrived(const fw_controller_impl_t * controller, int32_t index, int64_t now_ns);
// Tells the graph the obstacles of now.
void fw__controller_tell_obstacles(fw_controller_impl_t * controller);
// Why no round can start now ("there is no map yet"); NULL if one can.
const char * fw__controller_not_ready_reason(const fw_controller_impl_t * controller, int64_t now_ns);
// True if a timed path leads over a cell for which `test` is true. FW_CELL_NONE is tested too, for footprints that
// reach out of the map.
typedef bool fw_cell_test_t(const fw_controller_impl_t * controller, fw_cell_t cell);
bool fw__controller_any_path_crosses(const fw_controller_impl_t * controller, fw_cell_test_t * test);

#endif  // CONTROLLER__CONTROLLER_H_
