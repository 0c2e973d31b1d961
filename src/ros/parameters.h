// The parameters of a node: one table of rows, their present values, and the node's own struct that receives them.
//
// A node declares each parameter once, as a row of a static table. ROS_FIELD in that row names the field of the node's
// struct that receives the value, so a misspelt field does not compile and the parameter's type follows from the type
// of the field. The rest of the node reads plain C fields.
//
//   table (rows) --init--> values <--set-- YAML files, command line, set_parameters services
//                            |
//                            '--read--> the node's struct (fields of the rows)
//
// A change is made on a copy of all values, the copy is checked as a whole (ranges, then the table's `check`), and only
// then it replaces the present values. So several parameters can be set together, and a rejected change has no effect.
//
// Not thread-safe: one thread owns a ros_parameters_t.

#ifndef ROS__PARAMETERS_H_
#define ROS__PARAMETERS_H_

#include <rcl/rcl.h>
#include <rcl_interfaces/msg/parameter.h>
#include <rcl_interfaces/msg/parameter_type.h>
#include <rcl_interfaces/msg/parameter_value.h>
#include <stddef.h>
#include <stdio.h>

#include "fleetweave/fleetweave.h"

typedef rcl_interfaces__msg__ParameterValue ros_parameter_value_t;

enum {
  ROS_PARAMETER_NAME_SIZE = 128,  // bytes of a parameter's name, with its final zero
  ROS_PARAMETER_HELP_SIZE = 512,
  ROS_ROBOT_NAME_SIZE = 64,  // bytes of an item of a ROS_LIST_NAMES parameter
  ROS_ROBOTS_MAX = 2000,     // robots of a node: each has topics of its own
};

// The types of ROS that our parameters have.
typedef enum ros_parameter_type_t {
  ROS_PARAMETER_BOOL = rcl_interfaces__msg__ParameterType__PARAMETER_BOOL,
  ROS_PARAMETER_INTEGER = rcl_interfaces__msg__ParameterType__PARAMETER_INTEGER,
  ROS_PARAMETER_DOUBLE = rcl_interfaces__msg__ParameterType__PARAMETER_DOUBLE,
  ROS_PARAMETER_STRING = rcl_interfaces__msg__ParameterType__PARAMETER_STRING,
  ROS_PARAMETER_INTEGERS = rcl_interfaces__msg__ParameterType__PARAMETER_INTEGER_ARRAY,
  ROS_PARAMETER_DOUBLES = rcl_interfaces__msg__ParameterType__PARAMETER_DOUBLE_ARRAY,
  ROS_PARAMETER_STRINGS = rcl_interfaces__msg__ParameterType__PARAMETER_STRING_ARRAY,
} ros_parameter_type_t;

// Fields that receive a list: views into the values, valid until the next change or ros_parameters_fini.
typedef struct ros_strings_t {
  const rosidl_runtime_c__String * items;
  int32_t count;
} ros_strings_t;

typedef struct ros_integers_t {
  const int64_t * items;
  int32_t count;
} ros_integers_t;

// The C type of the field that receives a value.
typedef enum ros_field_t {
  ROS_FIELD_NONE = 0,  // no field: the value is read by ros_parameters_value
  ROS_FIELD_BOOL,      // bool
  ROS_FIELD_INT32,     // int32_t or an enum
  ROS_FIELD_INT64,     // int64_t or uint64_t
  ROS_FIELD_DOUBLE,    // double
  ROS_FIELD_TEXT,      // char[size]
  ROS_FIELD_STRINGS,   // ros_strings_t
  ROS_FIELD_INTEGERS,  // ros_integers_t
} ros_field_t;

// clang-format off
#define ROS_FIELD_KIND(expression) \
  _Generic((expression), \
    bool: ROS_FIELD_BOOL, \
    int32_t: ROS_FIELD_INT32, \
    uint32_t: ROS_FIELD_INT32, \
    int64_t: ROS_FIELD_INT64, \
    uint64_t: ROS_FIELD_INT64, \
    double: ROS_FIELD_DOUBLE, \
    char *: ROS_FIELD_TEXT, \
    ros_strings_t: ROS_FIELD_STRINGS, \
    ros_integers_t: ROS_FIELD_INTEGERS)

// Initialises the three members of a row that name a field: `ROS_FIELD(sim_parameters_t, max_speed)`.
#define ROS_FIELD(struct_type, member) \
  .field = ROS_FIELD_KIND(((struct_type *)0)->member), \
  .offset = offsetof(struct_type, member), \
  .size = sizeof(((struct_type *)0)->member)
// clang-format on

// What a list of strings must be beyond its type.
typedef enum ros_list_t {
  ROS_LIST_ANY = 0,
  ROS_LIST_NAMES,  // distinct names of 1 to ROS_ROBOT_NAME_SIZE - 1 bytes, or an integer N for robot_0 ... robot_<N-1>
} ros_list_t;

// One parameter. Members that are not named in an initialiser are zero, which means what the comment says.
typedef struct ros_parameter_row_t {
  const char * name;
  ros_field_t field;  // ROS_FIELD; without one, `type` is given
  size_t offset;      // of the field in the node's struct, bytes
  size_t size;        // of the field, bytes
  ros_parameter_type_t type;
  const char * text;  // initial value of a string; NULL: empty
  double number;      // initial value of a bool, an integer or a double; initial count of ROS_LIST_NAMES
  double min;         // range of a number, of each item of a list of numbers, of the length of ROS_LIST_NAMES;
  double max;         // no range if min == max
  int64_t step;       // between the values of an integer, for its descriptor; 0: 1
  const char * const * choices;  // strings: `choice_count` allowed values; NULL: any. A bool, integer or enum field
  int32_t choice_count;          // receives the index of the value
  ros_list_t list;
  bool is_read_only;  // may be set at the start only
  const char * help;  // one or two sentences: meaning, unit, meaning of special values
} ros_parameter_row_t;

typedef struct ros_parameters_t ros_parameters_t;

// What a node's parameters are. `check` checks what no row can express alone, such as relations between values; it may
// be NULL.
typedef struct ros_parameter_table_t {
  const ros_parameter_row_t * rows;  // copied with their names and help; other pointers must stay valid
  size_t count;
  fw_ret_t (*check)(const ros_parameters_t * parameters, fw_error_t * error);
} ros_parameter_table_t;

// A declared parameter: its row, with texts of its own.
typedef struct ros_parameter_t {
  ros_parameter_row_t row;  // `name` and `help` point to the texts below
  char name[ROS_PARAMETER_NAME_SIZE];
  char help[ROS_PARAMETER_HELP_SIZE];
} ros_parameter_t;

struct ros_parameters_t {
  ros_parameter_t * items;         // sorted by name
  ros_parameter_value_t * values;  // one per item
  size_t count;
  fw_ret_t (*check)(const ros_parameters_t * parameters, fw_error_t * error);
  void * check_context;  // for `check`, of the owner, who sets it after the init; NULL: none yet
};

// All parameters of the table with their initial values. Call ros_parameters_fini in any case.
FW_MUST_USE fw_ret_t
ros_parameters_init(ros_parameters_t * parameters, const ros_parameter_table_t * table, fw_error_t * error);
void ros_parameters_fini(ros_parameters_t * parameters);

// Checks the tables of this repository rather than a user's input: names are unique and not empty, help is there,
// initial values are in range, and each field can hold every value that its row allows. On false `error` names the row.
bool ros_parameters_validate(const ros_parameters_t * parameters, fw_error_t * error);

// For a node that reads its parameters once: from now on all of them may be set at the start only.
void ros_parameters_make_read_only(ros_parameters_t * parameters);

const ros_parameter_t * ros_parameters_find(const ros_parameters_t * parameters, const char * name);  // NULL: unknown
// The present value of a parameter of the table. The name must be known.
const ros_parameter_value_t * ros_parameters_value(const ros_parameters_t * parameters, const char * name);
ros_parameter_type_t ros_parameter_type(const ros_parameter_t * parameter);

typedef enum ros_parameter_phase_t {
  ROS_PARAMETERS_AT_START,  // read-only parameters may be set
  ROS_PARAMETERS_RUNNING,
} ros_parameter_phase_t;

// One change of several parameters.
typedef struct ros_parameter_changes_t {
  const rcl_interfaces__msg__Parameter * items;
  size_t count;
  ros_parameter_phase_t phase;
} ros_parameter_changes_t;

// Sets all of them or none. FW_RET_INVALID_ARGUMENT: the text names the parameter, its value and what is allowed.
FW_MUST_USE fw_ret_t
ros_parameters_set(ros_parameters_t * parameters, const ros_parameter_changes_t * changes, fw_error_t * error);

// Where the values of YAML files (--params-file) and of the command line (-p) come from.
typedef struct ros_parameter_source_t {
  const rcl_arguments_t * arguments;
  const char * node_name;  // fully qualified; entries for other nodes are skipped
  const char * logger;
  bool warns_of_unknown;  // log a name that the table does not have as a warning; otherwise at debug level
} ros_parameter_source_t;

// Sets everything that is meant for the node, in one change. As in rclcpp, a later entry overrides an earlier one.
FW_MUST_USE fw_ret_t
ros_parameters_override(ros_parameters_t * parameters, const ros_parameter_source_t * source, fw_error_t * error);

// Copies every value with a field into the node's struct. Other fields are left as they are.
void ros_parameters_read(const ros_parameters_t * parameters, void * fields);

// The table for --help, in its order: name, help and initial value per line.
void ros_parameters_print(const ros_parameter_table_t * table, FILE * stream);

#endif  // ROS__PARAMETERS_H_
