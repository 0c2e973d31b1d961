// The parameters of planner_node: changes as services bring them, and texts as the command line and YAML files have
// them. A change that is refused has a text and changes nothing; after one that is taken the settings can be read,
// with numbers in their ranges, and taking the same values again is no change that could be refused.

#include <math.h>
#include <string.h>

#include <rcl/arguments.h>
#include <rcl/error_handling.h>
#include <rcl_interfaces/msg/parameter.h>
#include <rcutils/logging.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>

#include "fuzz/fuzz.h"
#include "ros/planner_node/settings.h"

enum { CHANGES_MAX = 4, STEPS_MAX = 6, ITEMS_MAX = 6 };

static const char NODE[] = "/fleet/planner_node";

// ---- what must hold

static void check_number(const ros_parameter_row_t * row, double value)
{
  fuzz_require(row->min >= row->max || (value >= row->min && value <= row->max), "a number is in its range");
}

// Values of the right types and in their ranges.
static void check_values(const ros_parameters_t * parameters)
{
  fw_error_t error = {0};
  for (size_t k = 0; k < parameters->count; ++k) {
    const ros_parameter_t * parameter = &parameters->items[k];
    const ros_parameter_value_t * value = &parameters->values[k];
    fuzz_require(value->type == (uint8_t)ros_parameter_type(parameter), "a value has the type of its parameter");
    if (value->type == ROS_PARAMETER_INTEGER) {
      check_number(&parameter->row, (double)value->integer_value);
    } else if (value->type == ROS_PARAMETER_DOUBLE) {
      check_number(&parameter->row, value->double_value);
    }
    for (size_t i = 0; value->type == ROS_PARAMETER_DOUBLES && i < value->double_array_value.size; ++i) {
      check_number(&parameter->row, value->double_array_value.data[i]);
    }
  }
  node_settings_t settings;
  fuzz_require(node_settings_read(&settings, parameters, &error), "what was taken can be read");
  int32_t robots = 0;
  int32_t closures = 0;
  fw_controller_robot_t * robot_list = node_robots_read(parameters, &robots);
  const char ** closure_list = node_closures_read(parameters, &closures);
  fuzz_require(robot_list != NULL && closure_list != NULL && robots >= 0 && closures >= 0, "lists can be read");
  for (int32_t k = 0; k < robots; ++k) {
    fuzz_require(robot_list[k].name[0] != '\0' && strlen(robot_list[k].name) < FW_NAME_SIZE, "robots have names");
  }
  free(closure_list);
  free(robot_list);
}

static void check_result(fw_ret_t ret, const ros_parameters_t * parameters, const fw_error_t * error)
{
  if (ret == FW_RET_OK) {
    check_values(parameters);
  } else {
    fuzz_require(
      error->text[0] != '\0' && memchr(error->text, '\0', sizeof error->text) != NULL, "a refusal has a text");
  }
}

// ---- changes by services

static void fill_text(rosidl_runtime_c__String * text, fuzz_bytes_t * bytes)
{
  static const char * const texts[] = {"",     "a",    "2x1", "hca", "{robot}/tf", "(0,0) (1,0) (0,1)",
                                       "whca", "true", "-1",  "map", "0,0;1,0",    "99999999999999999999"};
  const uint8_t kind = fuzz_byte(bytes);
  bool is_set = true;
  if (kind < 192) {
    is_set = rosidl_runtime_c__String__assign(text, texts[kind % (sizeof(texts) / sizeof(texts[0]))]);
  } else {
    char any[200];
    const size_t length = (size_t)fuzz_below(bytes, (int32_t)sizeof(any));
    for (size_t k = 0; k < length; ++k) {
      any[k] = (char)fuzz_byte(bytes);
    }
    is_set = rosidl_runtime_c__String__assignn(text, any, length);
  }
  fuzz_require(is_set, "memory for a text");
}

static int64_t read_integer(fuzz_bytes_t * bytes)
{
  static const int64_t special[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, (int64_t)INT32_MAX + 1,
                                    -1,        0,         1,         2000,      1000000};
  const uint8_t kind = fuzz_byte(bytes);
  return kind < 10 ? special[kind] : kind - 16;
}

static void fill_value(ros_parameter_value_t * value, fuzz_bytes_t * bytes)
{
  const size_t count = (size_t)fuzz_below(bytes, ITEMS_MAX);
  bool is_made = true;
  switch (value->type) {
    case ROS_PARAMETER_BOOL:
      value->bool_value = (fuzz_byte(bytes) & 1) != 0;
      break;
    case ROS_PARAMETER_INTEGER:
      value->integer_value = read_integer(bytes);
      break;
    case ROS_PARAMETER_DOUBLE:
      value->double_value = fuzz_double(bytes);
      break;
    case ROS_PARAMETER_STRING:
      fill_text(&value->string_value, bytes);
      break;
    case ROS_PARAMETER_INTEGERS:
      is_made = rosidl_runtime_c__int64__Sequence__init(&value->integer_array_value, count);
      for (size_t k = 0; is_made && k < count; ++k) {
        value->integer_array_value.data[k] = read_integer(bytes);
      }
      break;
    case ROS_PARAMETER_DOUBLES:
      is_made = rosidl_runtime_c__double__Sequence__init(&value->double_array_value, count);
      for (size_t k = 0; is_made && k < count; ++k) {
        value->double_array_value.data[k] = fuzz_double(bytes);
      }
      break;
    case ROS_PARAMETER_STRINGS:
      is_made = rosidl_runtime_c__String__Sequence__init(&value->string_array_value, count);
      for (size_t k = 0; is_made && k < count; ++k) {
        fill_text(&value->string_array_value.data[k], bytes);
      }
      break;
    default:
      break;  // bytes and bools, which no parameter has, and types that there are not
  }
  fuzz_require(is_made, "memory for a list");
}

static void fill_change(
  rcl_interfaces__msg__Parameter * change, const ros_parameters_t * parameters, fuzz_bytes_t * bytes)
{
  const int32_t index = fuzz_below(bytes, (int32_t)parameters->count + 1);
  if (index == (int32_t)parameters->count) {
    fill_text(&change->name, bytes);
  } else {
    fuzz_require(rosidl_runtime_c__String__assign(&change->name, parameters->items[index].name), "memory for a name");
  }
  const uint8_t kind = fuzz_byte(bytes);
  const bool is_right = kind >= 64 && index < (int32_t)parameters->count;
  change->value.type = is_right ? (uint8_t)ros_parameter_type(&parameters->items[index]) : kind % 16;
  fill_value(&change->value, bytes);
}

static void set(ros_parameters_t * parameters, fuzz_bytes_t * bytes)
{
  rcl_interfaces__msg__Parameter__Sequence changes = {0};
  const size_t count = 1 + (size_t)fuzz_below(bytes, CHANGES_MAX);
  fuzz_require(rcl_interfaces__msg__Parameter__Sequence__init(&changes, count), "memory for changes");
  for (size_t k = 0; k < count; ++k) {
    fill_change(&changes.data[k], parameters, bytes);
  }
  const ros_parameter_phase_t phase = (fuzz_byte(bytes) & 1) != 0 ? ROS_PARAMETERS_AT_START : ROS_PARAMETERS_RUNNING;
  const ros_parameter_changes_t change = {changes.data, changes.size, phase};
  const ros_parameter_value_t * before = parameters->values;
  fw_error_t error = {0};
  const fw_ret_t ret = ros_parameters_set(parameters, &change, &error);
  check_result(ret, parameters, &error);
  fuzz_require(ret == FW_RET_OK || parameters->values == before, "a refused change leaves the values");
  fuzz_require(
    ret != FW_RET_OK || ros_parameters_set(parameters, &change, &error) == FW_RET_OK, "what was taken is taken again");
  rcl_interfaces__msg__Parameter__Sequence__fini(&changes);
}

// ---- texts

// Everything of the command line that belongs to the node, as rcl reads it.
static void override(ros_parameters_t * parameters, int count, const char * const * words)
{
  rcl_arguments_t arguments = rcl_get_zero_initialized_arguments();
  if (rcl_parse_arguments(count, words, rcl_get_default_allocator(), &arguments) != RCL_RET_OK) {
    rcl_reset_error();
    return;  // rcl refuses it
  }
  const ros_parameter_source_t source = {.arguments = &arguments, .node_name = NODE, .logger = "fuzz"};
  fw_error_t error = {0};
  check_result(ros_parameters_override(parameters, &source, &error), parameters, &error);
  fuzz_require(rcl_arguments_fini(&arguments) == RCL_RET_OK, "arguments can be released");
}

static void read_text(ros_parameters_t * parameters, bool is_file, fuzz_bytes_t * bytes)
{
  char text[2048];
  const size_t left = bytes->size - bytes->at;
  const size_t length = left < sizeof(text) - 1 ? left : sizeof(text) - 1;
  memcpy(text, bytes->data + bytes->at, length);
  text[length] = '\0';
  if (is_file) {
    const char * words[] = {"--ros-args", "--params-file", fuzz_file(0, text, length)};
    override(parameters, 3, words);
  } else {
    const char * words[] = {"--ros-args", "-p", text};
    override(parameters, 3, words);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  static bool is_silent;
  if (!is_silent) {
    fuzz_require(rcutils_logging_initialize() == RCUTILS_RET_OK, "a log");
    rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_FATAL);
    is_silent = true;
  }
  fuzz_bytes_t bytes = {.data = data, .size = size};
  ros_parameters_t parameters;
  fuzz_require(node_parameters_init(&parameters), "parameters");
  const uint8_t kind = fuzz_byte(&bytes);
  if (kind % 4 >= 2) {
    read_text(&parameters, kind % 4 == 3, &bytes);
  } else {
    for (int32_t k = 0; k < STEPS_MAX && fuzz_has_more(&bytes); ++k) {
      set(&parameters, &bytes);
    }
  }
  ros_parameters_fini(&parameters);
  return 0;
}

// ---- seeds

static void seed_text(fuzz_seed_t add, void * context, char kind, const char * text)
{
  char seed[2048];
  (void)snprintf(seed, sizeof(seed), "%c%s", kind, text);
  fuzz_seed_text(add, context, seed);
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  // A change of each parameter to its own type, four at a time.
  ros_parameters_t parameters;
  fuzz_require(node_parameters_init(&parameters), "parameters");
  for (int32_t first = 0; first + 4 <= (int32_t)parameters.count; first += 16) {
    uint8_t seed[256] = {0};
    size_t size = 1;
    for (int32_t k = first; k < first + 16 && k < (int32_t)parameters.count; ++k) {
      const uint8_t change[] = {0, (uint8_t)k, 255, 3, 20, 64, 16, 0, 1};
      memcpy(seed + size, change, sizeof(change));
      size += sizeof(change);
    }
    add(context, seed, size);
  }
  ros_parameters_fini(&parameters);
  static const char * const lines[] = {
    "robots:=[a, b, c]", "robots:=40",       "footprints_m:=['(0,0) (1,0) (0,1)', '']",
    "planner:=whca",     "whca.window:=16",  "speed:=0.5",
    "robots:=['a','']",  "closures:=[door]", "speeds:=[1, 2.5]"};
  for (size_t k = 0; k < sizeof(lines) / sizeof(lines[0]); ++k) {
    seed_text(add, context, 2, lines[k]);
  }
  seed_text(
    add, context, 3,
    "/**:\n  ros__parameters:\n    robots: [a, b]\n    speed: 0.5\n    priorities: [1, 2]\n    whca: {window: 16}\n");
  seed_text(
    add, context, 3,
    "/fleet/*:\n  ros__parameters:\n    robots: 3\n    footprints: ['2x1', '', '2x1']\nplanner_node:\n  "
    "ros__parameters:\n"
    "    map_frame: site\n    connectivity: 8\n    cut_corners: true\n");
}
