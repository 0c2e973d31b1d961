// Parameter tables with one mistake each: ros_parameters_validate must find it. Prints one line per table: "found: ..."
// with its text, or "accepted". test_parameter_table.py reads them. No ROS graph is needed.
//
// The implementation is compiled in, since no library holds it; its start-up assertion is switched off here, so that a
// wrong table reaches the check.
#include "base/assert.h"
#undef FW_ASSERT_ENABLED
#define FW_ASSERT_ENABLED 0
#include "ros/parameters.c"  // NOLINT

typedef enum colour_t { COLOUR_RED, COLOUR_GREEN } colour_t;

typedef struct fields_t {
  double speed;
  int32_t ticks;
  bool is_red;
  char frame[8];
  colour_t colour;
  int64_t seed;
  ros_strings_t robots;
} fields_t;

static const char * const colours[] = {"red", "green", "blue"};

static void try_rows(const char * name, const ros_parameter_row_t * rows, size_t count)
{
  ros_parameters_t parameters = {0};
  fw_error_t error = {0};
  const ros_parameter_table_t table = {.rows = rows, .count = count};
  if (ros_parameters_init(&parameters, &table, &error) != FW_RET_OK) {
    printf("%s: %s\n", name, error.text);
  } else if (ros_parameters_validate(&parameters, &error)) {
    printf("%s: accepted\n", name);
  } else {
    printf("%s: found: %s\n", name, error.text);
  }
  ros_parameters_fini(&parameters);
}

#define FIELD(member) ROS_FIELD(fields_t, member)
#define TRY(name, ...)                                      \
  do {                                                      \
    const ros_parameter_row_t rows[] = {__VA_ARGS__};       \
    try_rows((name), rows, sizeof(rows) / sizeof(rows[0])); \
  } while (0)

// Every kind of field receives its initial value.
static void read_all(void)
{
  const ros_parameter_row_t rows[] = {
    {.name = "speed", FIELD(speed), .number = 0.5, .max = 1, .help = "h"},
    {.name = "ticks", FIELD(ticks), .number = 3, .max = 9, .help = "h"},
    {.name = "seed", FIELD(seed), .number = 7, .max = 9, .help = "h"},
    {.name = "colour", FIELD(colour), .text = "green", .choices = colours, .choice_count = 2, .help = "h"},
    {.name = "kind", FIELD(is_red), .text = "green", .choices = colours, .choice_count = 2, .help = "h"},
    {.name = "frame", FIELD(frame), .text = "map", .help = "h"},
    {.name = "robots", FIELD(robots), .number = 2, .max = 9, .list = ROS_LIST_NAMES, .help = "h"},
  };
  const ros_parameter_table_t table = {.rows = rows, .count = sizeof(rows) / sizeof(rows[0])};
  ros_parameters_t parameters = {0};
  fields_t fields = {0};
  if (ros_parameters_init(&parameters, &table, NULL) == FW_RET_OK) {
    ros_parameters_read(&parameters, &fields);
    printf(
      "read: %g %d %lld %d %d %s %d %s\n", fields.speed, (int)fields.ticks, (long long)fields.seed, (int)fields.colour,
      (int)fields.is_red, fields.frame, (int)fields.robots.count, fields.robots.items[1].data);
  }
  ros_parameters_fini(&parameters);
}

// A text of a message with a zero byte in it, by its length, is refused, alone and in a list, and changes nothing.
static void set_zero_bytes(void)
{
  const ros_parameter_row_t rows[] = {
    {.name = "frame", FIELD(frame), .text = "map", .help = "h"},
    {.name = "robots", FIELD(robots), .number = 2, .max = 9, .list = ROS_LIST_NAMES, .help = "h"},
  };
  const ros_parameter_table_t table = {.rows = rows, .count = sizeof(rows) / sizeof(rows[0])};
  ros_parameters_t parameters = {0};
  rcl_interfaces__msg__Parameter change;
  if (ros_parameters_init(&parameters, &table, NULL) != FW_RET_OK || !rcl_interfaces__msg__Parameter__init(&change)) {
    return;
  }
  for (int32_t turn = 0; turn < 2; ++turn) {
    fw_error_t error = {0};
    fields_t fields = {0};
    ros_parameter_value_t * value = &change.value;
    const bool is_made = turn == 0 ? rosidl_runtime_c__String__assignn(&value->string_value, "a\0bcdefghij", 11)
                                   : rosidl_runtime_c__String__Sequence__init(&value->string_array_value, 1) &&
                                       rosidl_runtime_c__String__assignn(&value->string_array_value.data[0], "a\0b", 3);
    value->type = turn == 0 ? ROS_PARAMETER_STRING : ROS_PARAMETER_STRINGS;
    const ros_parameter_changes_t changes = {.items = &change, .count = 1, .phase = ROS_PARAMETERS_RUNNING};
    if (is_made && rosidl_runtime_c__String__assign(&change.name, turn == 0 ? "frame" : "robots")) {
      const fw_ret_t ret = ros_parameters_set(&parameters, &changes, &error);
      ros_parameters_read(&parameters, &fields);
      printf(
        "zero byte %d: %s: %s, %s %d\n", (int)turn, ret == FW_RET_OK ? "taken" : "refused", error.text, fields.frame,
        (int)fields.robots.count);
    }
  }
  rcl_interfaces__msg__Parameter__fini(&change);
  ros_parameters_fini(&parameters);
}

int main(void)
{
  TRY(
    "right", {.name = "speed", FIELD(speed), .number = 0.5, .max = 1, .help = "h"},
    {.name = "frame", FIELD(frame), .text = "map", .help = "h"});
  TRY(
    "twice", {.name = "speed", FIELD(speed), .max = 1, .help = "h"},
    {.name = "speed", FIELD(speed), .max = 1, .help = "h"});
  TRY("no help", {.name = "speed", FIELD(speed), .max = 1, .help = ""});
  TRY("initial", {.name = "speed", FIELD(speed), .number = 2, .max = 1, .help = "h"});
  TRY("text", {.name = "frame", FIELD(frame), .text = "too_long_for_it", .help = "h"});
  TRY("no type", {.name = "speed", .max = 1, .help = "h"});
  TRY("range", {.name = "ticks", FIELD(ticks), .max = 1e12, .help = "h"});
  TRY("bool", {.name = "kind", FIELD(is_red), .text = "red", .choices = colours, .choice_count = 3, .help = "h"});
  TRY("choice", {.name = "colour", FIELD(colour), .text = "pink", .choices = colours, .choice_count = 3, .help = "h"});
  TRY("double", {.name = "colour", FIELD(speed), .text = "red", .choices = colours, .choice_count = 3, .help = "h"});
  read_all();
  set_zero_bytes();
  return 0;
}
