// The parameters' values as plain C, read once after each change; and what must hold between several of them.

#ifndef ROS__PLANNER_NODE__SETTINGS_H_
#define ROS__PLANNER_NODE__SETTINGS_H_

#include "ros/planner_node/settings.h"

// The planner to use, with everything that makes it what it is.
<<<<<<< /tmp/m.o
typedef struct node_planner_choice_t {
=======
typedef struct planner_choice_t {
>>>>>>> /tmp/m.t
  char name[NODE_NAME_SIZE];
  bool has_windows;  // it can plan window by window
  int32_t threads;
  uint64_t seed;
  size_t memory_max_bytes;
  char values[FW_PARAMETERS_MAX][NODE_NAME_SIZE];  // as text, in the order of the planner's own table
<<<<<<< /tmp/m.o
} node_planner_choice_t;
=======
} planner_choice_t;
>>>>>>> /tmp/m.t

enum { RECORD_SIZE = 1000 };  // characters of a file's name

// Who keeps robots apart while they drive.
typedef enum execution_mode_t {
  NODE_EXECUTION_DEPENDENCY,  // the node: it releases as much of each path as is safe, by what robots report
  NODE_EXECUTION_TIMED,       // the stamps: everything is released at once
  NODE_EXECUTION_NONE,        // somebody else: nothing is released
} execution_mode_t;

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
  execution_mode_t execution_mode;
  int32_t connectivity;
  int32_t robust_ticks;
  int32_t horizon;
  bool unknown_is_free;
  bool is_any_angle;
  bool use_sim_time;
  bool uses_amcl_pose;
  bool discovers_robots;
  bool gives_to_nearest;  // goals for nobody in particular go to the nearest idle robot
  char map_frame[NODE_NAME_SIZE];
  char search[NODE_NAME_SIZE];  // of get_plan
  char record[RECORD_SIZE];
  int64_t record_max_mb;
<<<<<<< /tmp/m.o
  node_planner_choice_t planner;
=======
  planner_choice_t planner;
>>>>>>> /tmp/m.t
} node_settings_t;

static inline int64_t node_seconds_to_ns(double seconds) { return (int64_t)(seconds * 1e9); }

// False with a reason if the values contradict each other or name what does not exist.
<<<<<<< /tmp/m.o
bool node_settings_read(node_settings_t * settings, const ros_parameters_t * parameters, fw_error_t * reason);
=======
bool settings_read(node_settings_t * settings, const parameters_t * parameters, fw_error_t * reason);
>>>>>>> /tmp/m.t

#endif  // ROS__PLANNER_NODE__SETTINGS_H_
