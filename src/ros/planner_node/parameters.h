// The node's parameters: a table of names, types, ranges and present values.
//
// A change is made on a copy of the values, the copy is judged as a whole (settings.h), and only then it takes the
// place of the old one. So several parameters can be set at once, and a refused change leaves nothing behind.
// One thread only.

#ifndef ROS__PLANNER_NODE__PARAMETERS_H_
#define ROS__PLANNER_NODE__PARAMETERS_H_

#include <fleetweave/planner_def.h>
#include <rcl_interfaces/msg/parameter.h>
#include <rcl_interfaces/msg/parameter_type.h>
#include <rcl_interfaces/msg/parameter_value.h>

#include "ros/planner_node/text.h"

typedef rcl_interfaces__msg__ParameterValue ros_parameter_value_t;

enum parameter_type_t {
  TYPE_BOOL = rcl_interfaces__msg__ParameterType__PARAMETER_BOOL,
  TYPE_INTEGER = rcl_interfaces__msg__ParameterType__PARAMETER_INTEGER,
  TYPE_DOUBLE = rcl_interfaces__msg__ParameterType__PARAMETER_DOUBLE,
  TYPE_STRING = rcl_interfaces__msg__ParameterType__PARAMETER_STRING,
  TYPE_INTEGERS = rcl_interfaces__msg__ParameterType__PARAMETER_INTEGER_ARRAY,
  ROS_PARAMETER_STRINGS = rcl_interfaces__msg__ParameterType__PARAMETER_STRING_ARRAY,
};

// What is known of a parameter before it has a value.
typedef struct parameter_row_t {
  const char * name;
  uint8_t type;
  const char * text;  // initial value of a string
  double number;      // initial value of a bool, an integer or a double
  double min;         // range of a number; none if min == max
  double max;
  int64_t step;       // of an integer's range, 0 is read as 1
  bool is_read_only;  // after the start
  const char * help;
} parameter_row_t;

typedef struct parameter_t {
  char name[NODE_NAME_SIZE];
  char help[512];
  uint8_t type;
  bool is_read_only;
  bool has_range;
  int64_t integer_min, integer_max, integer_step;
  double double_min, double_max;
  const fw_parameter_def_t * planner_parameter;  // where the value belongs to a planner of the registry
} parameter_t;

typedef struct ros_parameters_t {
  parameter_t * items;             // sorted by name
  ros_parameter_value_t * values;  // one for each item
  size_t count;
} ros_parameters_t;

// The node's own rows and `<planner>.<parameter>` for every planner of the registry, with their initial values.
bool node_parameters_init(ros_parameters_t * parameters);
void ros_parameters_fini(ros_parameters_t * parameters);

const parameter_t * parameters_find(const ros_parameters_t * parameters, const char * name);  // NULL if there is none
const ros_parameter_value_t * ros_parameters_value(
  const ros_parameters_t * parameters, const char * name);  // of a parameter there is

// All or none. `at_start` also allows read-only ones. On false nothing has changed and `reason` says why.
<<<<<<< /tmp/m.o
bool node_parameters_set(
  ros_parameters_t * parameters, const rcl_interfaces__msg__Parameter * changes, size_t count, bool at_start,
=======
bool parameters_set(
  parameters_t * parameters, const rcl_interfaces__msg__Parameter * changes, size_t count, bool at_start,
>>>>>>> /tmp/m.t
  fw_error_t * reason);

const char * parameter_type_name(uint8_t type);

extern const parameter_row_t parameter_rows[];  // parameter_rows.c
extern const size_t parameter_row_count;

#endif  // ROS__PLANNER_NODE__PARAMETERS_H_
