// Settings: the parameters of planner_node, as rows of a table (settings.c) and as the plain C fields below.
//
// To add a parameter: a field here, a row in settings.c, a line in config/planner.yaml, and the code that uses it. The
// parameters of the planners (`<planner>.<parameter>`) come from the planner registry by themselves.
//
// Lists (robots, footprints, closures, priorities, ...) have no field, since settings are copied and outlive a change:
// their owners read them by ros_parameters_value.

#ifndef ROS__PLANNER_NODE__SETTINGS_H_
#define ROS__PLANNER_NODE__SETTINGS_H_

#include <fleetweave/controller.h>

#include "ros/parameters.h"

enum { NODE_RECORD_SIZE = 1000 };  // bytes of a file's name, with its final zero

// Where poses come from. The order is that of the choices of the parameter.
typedef enum node_pose_source_t { NODE_POSES_TF, NODE_POSES_ODOM, NODE_POSES_AMCL } node_pose_source_t;

// Each field has the name of its parameter and is described there, unless it says otherwise here.
typedef struct node_settings_t {
  fw_controller_settings_t controller;  // most parameters: those of the fields with their names
  bool is_any_angle;                    // any_angle
  bool use_sim_time;
  bool discovers_robots;  // discover_robots
  bool gives_to_nearest;  // unassigned_goals is nearest_idle, not selected
  node_pose_source_t pose_source;
  char tf_topic[FW_NAME_SIZE];
  char base_frame[FW_NAME_SIZE];
  char map_frame[FW_NAME_SIZE];
  char search[FW_NAME_SIZE];  // of get_plan
  char areas[NODE_RECORD_SIZE];
  char record[NODE_RECORD_SIZE];
  int64_t record_max_mb;
  char journal[NODE_RECORD_SIZE];
  fw_controller_sync_t journal_sync;
  int64_t memory_max_mb;
  double action_result_timeout;
  double diagnostics_period;
  bool autostart;
  int32_t robot_services_max;
  int32_t actions_max;
} node_settings_t;

// The node's own parameters and those of every planner in the registry, with their initial values. False when there is
// no memory; call ros_parameters_fini in either case.
bool node_parameters_init(ros_parameters_t * parameters);
// The table for --help.
void node_parameters_print(FILE * stream);

// The list of robots that the values mean. The texts belong to the parameters. Release it with free. NULL if there is
// no memory.
fw_controller_robot_t * node_robots_read(const ros_parameters_t * parameters, int32_t * count);
// The names of the sources of closures; likewise.
const char ** node_closures_read(const ros_parameters_t * parameters, int32_t * count);

// The settings that the values mean. False with an error text if values contradict each other or name something that
// does not exist; this cannot happen after a change that was accepted.
bool node_settings_read(node_settings_t * settings, const ros_parameters_t * parameters, fw_error_t * error);

#endif  // ROS__PLANNER_NODE__SETTINGS_H_
