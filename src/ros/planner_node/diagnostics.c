// One status per planner, robot and source. See diagnostics.h for their values.

#include "ros/planner_node/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diagnostic_msgs/msg/diagnostic_status.h>
#include <diagnostic_msgs/msg/key_value.h>

#include "base/assert.h"
#include "base/error.h"
#include "controller/approach.h"
#include "ros/messages.h"
#include "ros/planner_node/publishers.h"

typedef diagnostic_msgs__msg__DiagnosticStatus status_t;

// How many values each kind of status has.
enum { PLANNER_VALUES = 33, ROBOT_VALUES = 10, SOURCE_VALUES = 4 };

// ---- the writer

// Writes a message, status after status and value after value. Without memory it keeps going and remembers that.
typedef struct status_writer_t {
  diagnostic_msgs__msg__DiagnosticArray * message;
  const char * node_name;
  int64_t now_ns;
  size_t status_count;  // begun so far
  status_t * status;    // the present one
  size_t value_count;   // written of it so far
  bool has_failed;      // an allocation failed
} status_writer_t;

static void set_string(status_writer_t * writer, rosidl_runtime_c__String * string, const char * text)
{
  writer->has_failed = !node_string_set(string, text) || writer->has_failed;
}

// Begins the next status. False, without memory for its values: it must be skipped.
static bool begin_status(status_writer_t * writer, size_t value_count, const char * name)
{
  FW_ASSERT(writer->status_count < writer->message->status.size);
  status_t * status = &writer->message->status.data[writer->status_count++];
  char text[2 * FW_NAME_SIZE + 4];
  const char * node_name = writer->node_name;
  (void)snprintf(text, sizeof text, "%s: %s", node_name[0] == '/' ? node_name + 1 : node_name, name);
  if (status->values.size != value_count) {
    diagnostic_msgs__msg__KeyValue__Sequence__fini(&status->values);
    if (!diagnostic_msgs__msg__KeyValue__Sequence__init(&status->values, value_count)) {
      writer->has_failed = true;
      return false;
    }
  }
  writer->status = status;
  writer->value_count = 0;
  set_string(writer, &status->name, text);
  set_string(writer, &status->hardware_id, "fleetweave");
  return true;
}

static void set_level(status_writer_t * writer, uint8_t level, const char * text)
{
  writer->status->level = level;
  set_string(writer, &writer->status->message, text);
}

static void write_value(status_writer_t * writer, const char * key, const char * format, ...) FW_PRINTF(3, 4);

static void write_value(status_writer_t * writer, const char * key, const char * format, ...)
{
  char text[FW_REASON_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  fw__make_printable(text);
  va_end(arguments);
  FW_ASSERT(writer->value_count < writer->status->values.size);
  diagnostic_msgs__msg__KeyValue * value = &writer->status->values.data[writer->value_count++];
  set_string(writer, &value->key, key);
  set_string(writer, &value->value, text);
}

// ---- the planner

static int by_size(const void * a, const void * b)
{
  const int64_t one = *(const int64_t *)a, two = *(const int64_t *)b;
  return one < two ? -1 : one > two;
}

// The percentile of sorted times: the smallest time that at least this percentage does not exceed.
static double quantile_ms(const int64_t * sorted_ns, int64_t count, int64_t percent)
{
  const int64_t rank = (count * percent + 99) / 100;
  return count == 0 ? 0.0 : (double)sorted_ns[rank == 0 ? 0 : rank - 1] * 1e-6;
}

static void write_rounds(status_writer_t * writer, const fw_controller_impl_t * controller)
{
  const int64_t count =
    controller->solve_times_count < FW_SOLVE_TIMES_SIZE ? controller->solve_times_count : FW_SOLVE_TIMES_SIZE;
  const int64_t last =
    controller->solve_times_count == 0 ? 0 : (controller->solve_times_count - 1) % FW_SOLVE_TIMES_SIZE;
  const bool has_plan = controller->schedule.planner[0] != '\0';
  int64_t sorted_ns[FW_SOLVE_TIMES_SIZE];
  memcpy(sorted_ns, controller->solve_times_ns, sizeof sorted_ns);
  qsort(sorted_ns, (size_t)count, sizeof sorted_ns[0], by_size);
  write_value(writer, "planner", "%s", controller->settings.planner.name);
  write_value(writer, "plan_by", "%s", has_plan ? controller->schedule.planner : "none");
  write_value(
    writer, "outcome", "%s", controller->solve_times_count == 0 ? "none" : fw_outcome_name(controller->outcome));
  write_value(writer, "stop", "%s", controller->solve_times_count == 0 ? "none" : fw_stop_name(controller->stop));
  write_value(writer, "rounds", "%lld", (long long)controller->rounds);
  write_value(writer, "going_on", "%lld", (long long)controller->continued_rounds);
  write_value(writer, "partial_rounds", "%lld", (long long)controller->partial_rounds);
  write_value(writer, "whole_rounds", "%lld", (long long)(controller->rounds - controller->partial_rounds));
  write_value(writer, "planned_robots", "%lld", (long long)controller->planned_robots);
  write_value(writer, "late", "%lld", (long long)controller->late_count);
  write_value(writer, "solve_ms_last", "%.3f", (double)controller->solve_times_ns[last] * 1e-6);
  write_value(writer, "solve_ms_median", "%.3f", quantile_ms(sorted_ns, count, 50));
  write_value(writer, "solve_ms_p99", "%.3f", quantile_ms(sorted_ns, count, 99));
}

static void write_releases(status_writer_t * writer, const fw_controller_impl_t * controller)
{
  const int64_t count =
    controller->release_times_count < FW_RELEASE_TIMES_SIZE ? controller->release_times_count : FW_RELEASE_TIMES_SIZE;
  int64_t sorted_ns[FW_RELEASE_TIMES_SIZE];
  memcpy(sorted_ns, controller->release_times_ns, sizeof sorted_ns);
  qsort(sorted_ns, (size_t)count, sizeof sorted_ns[0], by_size);
  write_value(writer, "reports", "%lld", (long long)controller->reports);
  write_value(writer, "release_ms_median", "%.3f", quantile_ms(sorted_ns, count, 50));
  write_value(writer, "release_ms_p99", "%.3f", quantile_ms(sorted_ns, count, 99));
}

static void write_closures(status_writer_t * writer, const fw_closure_sources_t * closures)
{
  int32_t heard = 0, closed = 0;
  int64_t refused = 0;
  for (int32_t k = 0; k < closures->count; ++k) {
    heard += closures->sources[k].has_path ? 1 : 0;
    closed += fw__closure_source_count_closed(&closures->sources[k], writer->now_ns);
    refused += closures->sources[k].refused;
  }
  write_value(writer, "sources_heard", "%d/%d", heard, closures->count);
  write_value(writer, "closed_cells", "%d", closed);
  write_value(writer, "closures_refused", "%lld", (long long)refused);
}

static void set_planner_level(status_writer_t * writer, const fw_controller_impl_t * controller)
{
  const char * waiting = fw__controller_not_ready_reason(controller, writer->now_ns);
  if (controller->rival[0] != '\0') {
    char text[FW_REASON_SIZE];
    (void)snprintf(
      text, sizeof text, "%s releases paths to the same robots: nothing is released here", controller->rival);
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, text);
  } else if (controller->planner_fault.text[0] != '\0') {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, controller->planner_fault.text);
  } else if (controller->map_fault.text[0] != '\0') {
    char text[FW_REASON_SIZE + 32];
    (void)snprintf(text, sizeof text, "map refused: %s", controller->map_fault.text);
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, text);
  } else if (controller->keepout.fault.text[0] != '\0' || controller->cost_mask.fault.text[0] != '\0') {
    const bool is_keepout = controller->keepout.fault.text[0] != '\0';
    char text[FW_REASON_SIZE + 32];
    (void)snprintf(
      text, sizeof text, "%s mask refused: %s", is_keepout ? "keepout" : "cost",
      is_keepout ? controller->keepout.fault.text : controller->cost_mask.fault.text);
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, text);
  } else if (controller->areas_fault.text[0] != '\0') {
    char text[FW_REASON_SIZE + 32];
    (void)snprintf(text, sizeof text, "areas refused: %s", controller->areas_fault.text);
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, text);
  } else if (controller->restart.fault.text[0] != '\0') {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, controller->restart.fault.text);
  } else if (waiting != NULL) {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, waiting);
  } else {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__OK, "planning");
  }
}

static void write_planner(status_writer_t * writer, const fw_controller_impl_t * controller)
{
  const fw_stats_t * stats = &controller->stats;
  const fw_map_frame_t * frame = &controller->map.frame;
  if (!begin_status(writer, PLANNER_VALUES, "planner")) {
    return;
  }
  set_planner_level(writer, controller);
  write_rounds(writer, controller);
  write_value(writer, "sum_of_costs", "%lld", (long long)stats->sum_of_costs);
  // Of a part of a plan the sum may be less than the bound, which is for a whole one.
  const bool is_whole = controller->outcome == FW_OUTCOME_SOLVED;
  write_value(writer, "lower_bound", "%lld", is_whole ? (long long)stats->lower_bound : 0LL);
  write_value(writer, "makespan", "%d", stats->makespan);
  write_value(writer, "expanded", "%lld", (long long)stats->expanded);
  write_value(writer, "memory_mb", "%.1f", (double)stats->memory_peak_bytes / (1024.0 * 1024.0));
  write_value(writer, "cell_m", "%g", frame->resolution);
  write_value(writer, "tick_s", "%.3f", (double)controller->schedule.tick_ns * 1e-9);
  write_value(writer, "lead_s", "%.3f", (double)controller->lead_ns * 1e-9);
  write_value(writer, "map", "%dx%d", frame->width, frame->height);
  write_closures(writer, &controller->closures);
  write_releases(writer, controller);
  write_value(writer, "blocked_cells", "%d", controller->blocked.count);
  static const char * const modes[] = {"dependency", "timed", "none"};
  const char * mode = modes[controller->settings.execution_mode];
  write_value(writer, "execution_mode", "%s", controller->execution.is_paused ? "paused" : mode);
  write_value(writer, "backend", "%s", stats->backend);
  write_value(writer, "device", "%s", stats->device);
  write_value(writer, "backend_note", "%s", stats->note);
  FW_ASSERT(writer->value_count == PLANNER_VALUES);
}

// ---- robots

static const char * name_of(const fw_controller_impl_t * controller, int32_t index)
{
  return index >= 0 && index < controller->fleet.count ? controller->fleet.robots[index].name : "";
}

static void write_execution(status_writer_t * writer, const fw_controller_impl_t * controller, int32_t index)
{
  static const char * const waits[] = {"", "", "", "obstacle", "plan", "pause", "closure", ""};
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_timed_path_t * timed_path = &controller->schedule.paths[index];
  const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, index);
  const bool is_in = status.state != FW_EXECUTION_ABSENT;
  const double by_track =
    (double)fw__timed_path_delay(timed_path, robot->heard_ns, controller->schedule.tick_ns, robot->point) * 1e-9;
  const bool waits_now = status.state == FW_EXECUTION_WAITING;
  write_value(writer, "delay_s", "%.3f", is_in ? status.delay : by_track);
  write_value(writer, "execution", "%s", controller->execution.is_on ? fw_execution_state_name(status.state) : "");
  write_value(
    writer, "waits_for", "%s",
    !waits_now          ? ""
    : status.other >= 0 ? name_of(controller, status.other)
                        : waits[status.wait]);
  write_value(writer, "because_of", "%s", waits_now ? name_of(controller, status.root) : "");
  write_value(
    writer, "released_m", "%.2f",
    is_in ? (double)(status.stop_at - status.reached) * controller->map.frame.resolution : 0.0);
}

static void write_robot(status_writer_t * writer, const fw_controller_impl_t * controller, int32_t index)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_execution_state_t execution = fw__fleet_execution_status(&controller->execution, index).state;
  const bool is_done = fw__controller_is_at_goal(controller, index, writer->now_ns);
  const fw_robot_state_t state = fw__controlled_robot_state(robot, is_done);
  const fw_robot_fault_t * fault = fw__controlled_robot_fault(robot);
  const fw_map_frame_t * frame = &controller->map.frame;
  if (!begin_status(writer, ROBOT_VALUES, robot->name)) {
    return;
  }
  if (state == FW_ROBOT_STALE) {
    char text[FW_REASON_SIZE + 64];
    const char * why = robot->pose_fault.text;
    (void)snprintf(text, sizeof text, "no pose for longer than odom_timeout%s%s", why[0] == '\0' ? "" : ": ", why);
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__STALE, text);
  } else if (fault->number != 0) {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, fault->text);
  } else if (execution == FW_EXECUTION_STOPPED || execution == FW_EXECUTION_OBSTRUCTED) {
    char text[FW_REASON_SIZE];
    fw_execution_describe(&controller->execution.graph, index, text, sizeof text);
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, text);
  } else if (robot->is_off_plan || state == FW_ROBOT_WAITING) {
    set_level(
      writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, robot->is_off_plan ? "off its plan" : "no pose yet");
  } else {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__OK, fw_robot_state_name(state));
  }
  const fw_cell_t goal = robot->has_goal && controller->map.revision > 0
                           ? fw__approach_cell_of(&controller->fleet.site, robot)
                           : FW_CELL_NONE;
  write_value(writer, "state", "%s", fw_robot_state_name(state));
  write_value(writer, "error", "%d", fault->number);
  write_value(writer, "reason", "%s", fault->text);
  if (goal == FW_CELL_NONE) {
    write_value(writer, "goal_cell", "%s", "");
  } else {
    write_value(writer, "goal_cell", "%d,%d", goal % frame->width, goal / frame->width);
  }
  write_value(writer, "goals_left", "%d", robot->goal_count > 0 ? robot->goal_count - 1 : 0);
  write_execution(writer, controller, index);
  FW_ASSERT(writer->value_count == ROBOT_VALUES);
}

// ---- sources of closures

static void write_source(status_writer_t * writer, const fw_closure_source_t * source)
{
  const int32_t closed = fw__closure_source_count_closed(source, writer->now_ns);
  if (!begin_status(writer, SOURCE_VALUES, source->name)) {
    return;
  }
  if (source->fault.text[0] != '\0') {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, source->fault.text);
  } else if (!source->has_path) {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, "no message yet: nothing is closed");
  } else {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__OK, closed > 0 ? "closed" : "open");
  }
  write_value(writer, "poses", "%d", source->count);
  write_value(writer, "closed_cells", "%d", closed);
  write_value(writer, "refused", "%lld", (long long)source->refused);
  write_value(writer, "reason", "%s", source->fault.text);
  FW_ASSERT(writer->value_count == SOURCE_VALUES);
}

// ---- the message

bool node_diagnostics_fill(diagnostic_msgs__msg__DiagnosticArray * message, const node_site_t * site, int64_t now_ns)
{
  const fw_controller_impl_t * controller = node_site_impl(site);
  int32_t robots = 0;
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    robots += fw__controlled_robot_is_listed(&controller->fleet.robots[k]) ? 1 : 0;
  }
  const size_t count = 1 + (size_t)robots + (size_t)controller->closures.count;
  message->header.stamp = ros_message_stamp(now_ns);
  if (message->status.size != count) {
    diagnostic_msgs__msg__DiagnosticStatus__Sequence__fini(&message->status);
    if (!diagnostic_msgs__msg__DiagnosticStatus__Sequence__init(&message->status, count)) {
      return false;
    }
  }
  status_writer_t writer = {
    .message = message, .node_name = rcl_node_get_fully_qualified_name(&site->session->node), .now_ns = now_ns};
  write_planner(&writer, controller);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    if (fw__controlled_robot_is_listed(&controller->fleet.robots[k])) {
      write_robot(&writer, controller, k);
    }
  }
  for (int32_t k = 0; k < controller->closures.count; ++k) {
    write_source(&writer, &controller->closures.sources[k]);
  }
  FW_ASSERT(writer.status_count == count);
  return !writer.has_failed;
}
