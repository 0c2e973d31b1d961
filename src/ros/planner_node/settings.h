// Settings: the parameters of planner_node, as rows of a table (settings.c) and as the plain C fields below.
//
// To add a parameter: a field here, a row in settings.c, a line in config/planner.yaml, and the code that uses it. The
// parameters of the planners (`<planner>.<parameter>`) come from the planner registry by themselves.
//
// Lists (robots, footprints, closures, priorities, ...) have no field, since settings are copied and outlive a change:
// their owners read them by ros_parameters_value.

#ifndef ROS__PLANNER_NODE__SETTINGS_H_
#define ROS__PLANNER_NODE__SETTINGS_H_

#include <fleetweave/planner_def.h>

#include "ros/parameters.h"
#include "ros/planner_node/text.h"

enum { NODE_RECORD_SIZE = 1000 };  // bytes of a file's name, with its final zero

// Which mechanism keeps robots apart while they drive. The order is that of the parameter's choices.
typedef enum fw_execution_mode_t {
  FW_EXECUTION_MODE_DEPENDENCY,  // the node releases as much of each path as is safe, by the progress that robots report
  FW_EXECUTION_MODE_TIMED,       // the stamps of the paths: everything is released at once
  FW_EXECUTION_MODE_NONE,        // none here: nothing is released
} fw_execution_mode_t;

// The planner to use with its options, as one value that can be compared and handed to another thread.
typedef struct fw_planner_choice_t {
  char name[FW_NAME_SIZE];
  bool has_windows;  // it can plan window by window (fw_planner_def_t: goes_on)
  int32_t threads;
  uint64_t seed;
  size_t memory_max_bytes;
  char values[FW_PARAMETERS_MAX][FW_NAME_SIZE];  // as text, in the order of the planner's own table
} fw_planner_choice_t;

// Each field has the name of its parameter and is described there, unless it says otherwise here. Distances are in
// metres, times in seconds.
typedef struct node_settings_t {
  double robot_radius;
  double closure_radius;
  double speed;
  double odom_timeout;
  double plan_tolerance;
  double planning_resolution;
  double occupied_thresh;
  double free_thresh;
  double time_limit;
  double replan_period;
  double plan_lead_seconds;
  double release_ahead;
  double waypoint_tolerance;
  double stopped_timeout;
  fw_execution_mode_t execution_mode;
  int32_t connectivity;
  int32_t robust_ticks;
  int32_t horizon;  // ticks
  bool unknown_is_free;
  bool is_any_angle;  // any_angle
  bool use_sim_time;
  bool uses_amcl_pose;    // pose_source is amcl_pose, not odom
  bool discovers_robots;  // discover_robots
  bool gives_to_nearest;  // unassigned_goals is nearest_idle, not selected
  char map_frame[FW_NAME_SIZE];
  char search[FW_NAME_SIZE];  // of get_plan
  char record[NODE_RECORD_SIZE];
  int64_t record_max_mb;
  int64_t memory_max_mb;
  fw_planner_choice_t planner;  // planner, threads, seed, memory_max_mb and the planner's own parameters
} node_settings_t;

static inline int64_t fw__seconds_to_ns(double seconds) { return (int64_t)(seconds * 1e9); }

// The node's own parameters and those of every planner in the registry, with their initial values. False when there is
// no memory; call ros_parameters_fini in either case.
bool node_parameters_init(ros_parameters_t * parameters);
// The table for --help.
void node_parameters_print(FILE * stream);

// The settings that the values mean. False with an error text if values contradict each other or name something that
// does not exist; this cannot happen after a change that was accepted.
bool node_settings_read(node_settings_t * settings, const ros_parameters_t * parameters, fw_error_t * error);

#endif  // ROS__PLANNER_NODE__SETTINGS_H_
