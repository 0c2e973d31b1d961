#include "ros/planner_node/settings.h"

#include <stdio.h>
#include <string.h>

#include <fleetweave/search.h>
#include <rmw/validate_full_topic_name.h>

#include "ros/footprints.h"

static double number(const ros_parameters_t * parameters, const char * name)
{
  return ros_parameters_value(parameters, name)->double_value;
}

static int64_t integer(const ros_parameters_t * parameters, const char * name)
{
  return ros_parameters_value(parameters, name)->integer_value;
}

static bool flag(const ros_parameters_t * parameters, const char * name)
{
  return ros_parameters_value(parameters, name)->bool_value;
}

static const char * string(const ros_parameters_t * parameters, const char * name)
{
  return ros_parameters_value(parameters, name)->string_value.data;
}

static bool check_namespace(const char * what, const char * name, fw_error_t * reason)
{
  char topic[NODE_NAME_SIZE + 1];
  int result = RMW_TOPIC_VALID;
  const int length = snprintf(topic, sizeof topic, "%s%s", name[0] == '/' ? "" : "/", name);
  if (length < 0 || (size_t)length >= NODE_NAME_SIZE / 2) {
<<<<<<< /tmp/m.o
    return refuse(reason, "%s: the name '%.40s...' is too long", what, name);
=======
    return node_refuse(reason, "%s: the name '%.40s...' is too long", what, name);
>>>>>>> /tmp/m.t
  }
  if (rmw_validate_full_topic_name(topic, &result, NULL) != RMW_RET_OK || result != RMW_TOPIC_VALID) {
    const char * why = rmw_full_topic_name_validation_result_string(result);
    return node_refuse(reason, "%s: '%s' cannot be a namespace: %s", what, name, why == NULL ? "?" : why);
  }
  return true;
}

<<<<<<< /tmp/m.o
static bool check_names(const ros_parameters_t * parameters, const char * what, fw_error_t * reason)
=======
static bool check_names(const parameters_t * parameters, const char * what, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  const rosidl_runtime_c__String__Sequence * names = &ros_parameters_value(parameters, what)->string_array_value;
  for (size_t k = 0; k < names->size; ++k) {
    if (!check_namespace(what, names->data[k].data, reason)) {
      return false;
    }
    for (size_t other = 0; other < k; ++other) {
      if (strcmp(names->data[k].data, names->data[other].data) == 0) {
        return node_refuse(reason, "%s: '%s' stands there twice", what, names->data[k].data);
      }
    }
  }
  return true;
}

<<<<<<< /tmp/m.o
static bool check_count(const ros_parameters_t * parameters, const char * what, size_t count, fw_error_t * reason)
{
  const size_t robots = ros_parameters_value(parameters, "robots")->string_array_value.size;
  return count == 0 || count == robots || refuse(reason, "%s has %zu values for %zu robots", what, count, robots);
}

static bool check_numbers(
  const ros_parameters_t * parameters, const char * what, int64_t min, int64_t max, fw_error_t * reason)
=======
static bool check_count(const parameters_t * parameters, const char * what, size_t count, fw_error_t * reason)
{
  const size_t robots = parameters_value(parameters, "robots")->string_array_value.size;
  return count == 0 || count == robots || node_refuse(reason, "%s has %zu values for %zu robots", what, count, robots);
}

static bool check_numbers(
  const parameters_t * parameters, const char * what, int64_t min, int64_t max, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  const rosidl_runtime_c__int64__Sequence * values = &ros_parameters_value(parameters, what)->integer_array_value;
  bool is_fine = check_count(parameters, what, values->size, reason);
  for (size_t k = 0; is_fine && k < values->size; ++k) {
    is_fine = (values->data[k] >= min && values->data[k] <= max) ||
              node_refuse(
                reason, "%s must be between %lld and %lld, not %lld", what, (long long)min, (long long)max,
                (long long)values->data[k]);
  }
  return is_fine;
}

<<<<<<< /tmp/m.o
static bool check_footprints(const ros_parameters_t * parameters, fw_error_t * reason)
=======
static bool check_footprints(const parameters_t * parameters, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  const rosidl_runtime_c__String__Sequence * texts =
    &ros_parameters_value(parameters, "footprints")->string_array_value;
  bool is_fine = check_count(parameters, "footprints", texts->size, reason);
  ros_footprints_t outlines = {0};
  for (size_t k = 0; is_fine && k < texts->size; ++k) {
    const ros_footprint_t * outline = NULL;
    fw_error_t error = {0};
<<<<<<< /tmp/m.o
    is_fine = ros_footprints_get(&outlines, texts->data[k].data, &outline, &error) == FW_RET_OK ||
              refuse(reason, "footprints: %s", error.text);
=======
    is_fine = ros_outlines_get(&outlines, texts->data[k].data, &outline, &error) == FW_RET_OK ||
              node_refuse(reason, "footprints: %s", error.text);
>>>>>>> /tmp/m.t
  }
  ros_footprints_fini(&outlines);
  return is_fine;
}

<<<<<<< /tmp/m.o
static bool check_fleet(const ros_parameters_t * parameters, fw_error_t * reason)
=======
static bool check_fleet(const parameters_t * parameters, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  const rosidl_runtime_c__String__Sequence * robots = &ros_parameters_value(parameters, "robots")->string_array_value;
  const rosidl_runtime_c__String__Sequence * closures =
    &ros_parameters_value(parameters, "closures")->string_array_value;
  if (!check_names(parameters, "robots", reason) || !check_names(parameters, "closures", reason)) {
    return false;
  }
  for (size_t k = 0; k < closures->size; ++k) {
    for (size_t robot = 0; robot < robots->size; ++robot) {
      if (strcmp(closures->data[k].data, robots->data[robot].data) == 0) {
        return node_refuse(reason, "closures: '%s' is one of our robots", robots->data[robot].data);
      }
    }
  }
  return check_numbers(parameters, "priorities", INT32_MIN, INT32_MAX, reason) &&
         check_numbers(parameters, "ticks_per_move", 1, FW_TICKS_PER_MOVE_MAX, reason) &&
         check_numbers(parameters, "turn_ticks", 0, FW_TICKS_PER_MOVE_MAX, reason) &&
         check_footprints(parameters, reason);
}

<<<<<<< /tmp/m.o
static bool read_planner(node_planner_choice_t * planner, const ros_parameters_t * parameters, fw_error_t * reason)
=======
static bool read_planner(planner_choice_t * planner, const parameters_t * parameters, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  const char * name = string(parameters, "planner");
  const fw_planner_def_t * definition = fw_planner_def_find(name);
  if (definition == NULL) {
    int used = snprintf(reason->text, sizeof reason->text, "planner: there is no '%.60s', but:", name);
    for (int32_t k = 0; k < fw_planner_def_count() && used >= 0 && (size_t)used < sizeof reason->text; ++k) {
      used += snprintf(reason->text + used, sizeof reason->text - (size_t)used, " %s", fw_planner_def_at(k)->name);
    }
    return false;
  }
  (void)node_name_copy(planner->name, definition->name);
  planner->has_windows = definition->goes_on;
  planner->threads = (int32_t)integer(parameters, "threads");
  planner->seed = (uint64_t)integer(parameters, "seed");
  planner->memory_max_bytes = (size_t)integer(parameters, "memory_max_mb") * 1024 * 1024;
  for (int32_t k = 0; k < definition->parameter_count; ++k) {
    char full_name[NODE_NAME_SIZE];
    (void)snprintf(full_name, sizeof full_name, "%s.%s", definition->name, definition->parameters[k].name);
    const ros_parameter_value_t * value = ros_parameters_value(parameters, full_name);
    if (value->type == TYPE_STRING) {
      (void)snprintf(planner->values[k], sizeof planner->values[k], "%s", value->string_value.data);
    } else if (value->type == TYPE_BOOL) {
      (void)snprintf(planner->values[k], sizeof planner->values[k], "%s", value->bool_value ? "true" : "false");
    } else {
      (void)snprintf(planner->values[k], sizeof planner->values[k], "%lld", (long long)value->integer_value);
    }
  }
  return true;
}

<<<<<<< /tmp/m.o
static bool read_search(node_settings_t * settings, const ros_parameters_t * parameters, fw_error_t * reason)
=======
static bool read_search(node_settings_t * settings, const parameters_t * parameters, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  const char * name = string(parameters, "search");
  if (strcmp(name, "auto") == 0 || fw_router_def_find(name) != NULL) {
    return node_name_copy(settings->search, name);
  }
  int used = snprintf(reason->text, sizeof reason->text, "search: there is no '%.60s', but: auto", name);
  for (int32_t k = 0; k < fw_router_def_count() && used >= 0 && (size_t)used < sizeof reason->text; ++k) {
    used += snprintf(reason->text + used, sizeof reason->text - (size_t)used, " %s", fw_router_def_at(k)->name);
  }
  return false;
}

<<<<<<< /tmp/m.o
static bool read_mode(node_settings_t * settings, const ros_parameters_t * parameters, fw_error_t * reason)
=======
static bool read_mode(node_settings_t * settings, const parameters_t * parameters, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  static const char * const names[] = {"dependency", "timed", "none"};
  const char * name = string(parameters, "execution_mode");
  for (int32_t k = 0; k < 3; ++k) {
    if (strcmp(name, names[k]) == 0) {
      settings->execution_mode = (execution_mode_t)k;
      return true;
    }
  }
  return node_refuse(reason, "execution_mode must be dependency, timed or none, not '%.60s'", name);
}

<<<<<<< /tmp/m.o
bool node_settings_read(node_settings_t * settings, const ros_parameters_t * parameters, fw_error_t * reason)
=======
bool settings_read(node_settings_t * settings, const parameters_t * parameters, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  *settings = (node_settings_t){
    .robot_radius = number(parameters, "robot_radius"),
    .closure_radius = number(parameters, "closure_radius"),
    .speed = number(parameters, "speed"),
    .odom_timeout = number(parameters, "odom_timeout"),
    .plan_tolerance = number(parameters, "plan_tolerance"),
    .planning_resolution = number(parameters, "planning_resolution"),
    .occupied_thresh = number(parameters, "occupied_thresh"),
    .free_thresh = number(parameters, "free_thresh"),
    .time_limit = number(parameters, "time_limit"),
    .replan_period = number(parameters, "replan_period"),
    .plan_lead_seconds = number(parameters, "plan_lead_seconds"),
    .release_ahead = number(parameters, "release_ahead"),
    .waypoint_tolerance = number(parameters, "waypoint_tolerance"),
    .stopped_timeout = number(parameters, "stopped_timeout"),
    .connectivity = (int32_t)integer(parameters, "connectivity"),
    .robust_ticks = (int32_t)integer(parameters, "robust_ticks"),
    .horizon = (int32_t)integer(parameters, "horizon"),
    .unknown_is_free = flag(parameters, "unknown_is_free"),
    .is_any_angle = flag(parameters, "any_angle"),
    .discovers_robots = flag(parameters, "discover_robots"),
    .use_sim_time = flag(parameters, "use_sim_time"),
    .gives_to_nearest = strcmp(string(parameters, "unassigned_goals"), "nearest_idle") == 0,
    .uses_amcl_pose = strcmp(string(parameters, "pose_source"), "amcl_pose") == 0,
  };
  if (!settings->uses_amcl_pose && strcmp(string(parameters, "pose_source"), "odom") != 0) {
    return node_refuse(reason, "pose_source must be odom or amcl_pose, not '%.60s'", string(parameters, "pose_source"));
  }
  if (!settings->gives_to_nearest && strcmp(string(parameters, "unassigned_goals"), "selected") != 0) {
    return node_refuse(
      reason, "unassigned_goals must be nearest_idle or selected, not '%.60s'", string(parameters, "unassigned_goals"));
  }
  if (settings->connectivity != 4 && settings->connectivity != 8) {
    return node_refuse(reason, "connectivity must be 4 or 8, not %d", settings->connectivity);
  }
  if (settings->free_thresh > settings->occupied_thresh) {
    return node_refuse(
      reason, "free_thresh (%g) must not be above occupied_thresh (%g)", settings->free_thresh,
      settings->occupied_thresh);
  }
  if (
    string(parameters, "map_frame")[0] == '\0' ||
    !node_name_copy(settings->map_frame, string(parameters, "map_frame"))) {
<<<<<<< /tmp/m.o
    return refuse(reason, "map_frame must be a name of 1 to %d characters", NODE_NAME_SIZE - 1);
=======
    return node_refuse(reason, "map_frame must be a name of 1 to %d characters", NODE_NAME_SIZE - 1);
>>>>>>> /tmp/m.t
  }
  settings->record_max_mb = integer(parameters, "record_max_mb");
  if (snprintf(settings->record, RECORD_SIZE, "%s", string(parameters, "record")) >= RECORD_SIZE) {
    return node_refuse(reason, "record: the name of the file has more than %d characters", RECORD_SIZE - 1);
  }
  return read_mode(settings, parameters, reason) && read_search(settings, parameters, reason) &&
         check_fleet(parameters, reason) && read_planner(&settings->planner, parameters, reason);
}
