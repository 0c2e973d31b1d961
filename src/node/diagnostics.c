#include "node/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diagnostic_msgs/msg/diagnostic_status.h>
#include <diagnostic_msgs/msg/key_value.h>

#include "node/path_message.h"

enum { PLANNER_VALUES = 22, ROBOT_VALUES = 5, SOURCE_VALUES = 4 };

typedef diagnostic_msgs__msg__DiagnosticStatus status_t;

// Writes one status, value after value; remembers whether memory ran out.
typedef struct writer_t {
  status_t * status;
  size_t next;
  bool is_fine;
} writer_t;

static void write_value(writer_t * writer, const char * key, const char * format, ...) FW_PRINTF(3, 4);
static void write_value(writer_t * writer, const char * key, const char * format, ...)
{
  char text[REASON_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  diagnostic_msgs__msg__KeyValue * value = &writer->status->values.data[writer->next++];
  writer->is_fine = writer->is_fine && string_set(&value->key, key) && string_set(&value->value, text);
}

static bool begin(status_t * status, size_t value_count, const char * node_name, const char * name)
{
  char text[2 * NAME_SIZE + 4];
  (void)snprintf(text, sizeof text, "%s: %s", node_name[0] == '/' ? node_name + 1 : node_name, name);
  if (status->values.size != value_count) {
    diagnostic_msgs__msg__KeyValue__Sequence__fini(&status->values);
    if (!diagnostic_msgs__msg__KeyValue__Sequence__init(&status->values, value_count)) {
      return false;
    }
  }
  return string_set(&status->name, text) && string_set(&status->hardware_id, "fleetweave");
}

static int by_size(const void * a, const void * b)
{
  const int64_t one = *(const int64_t *)a, two = *(const int64_t *)b;
  return one < two ? -1 : one > two;
}

// The smallest time that at least this share of the rounds did not exceed.
static double quantile_ms(const int64_t * sorted_ns, int64_t count, int64_t percent)
{
  const int64_t rank = (count * percent + 99) / 100;
  return count == 0 ? 0.0 : (double)sorted_ns[rank == 0 ? 0 : rank - 1] * 1e-6;
}

static void set_level(writer_t * writer, uint8_t level, const char * text)
{
  writer->status->level = level;
  writer->is_fine = writer->is_fine && string_set(&writer->status->message, text);
}

static void write_rounds(writer_t * writer, const planning_t * planning)
{
  const int64_t count = planning->history_count < HISTORY_SIZE ? planning->history_count : HISTORY_SIZE;
  const int64_t last = planning->history_count == 0 ? 0 : (planning->history_count - 1) % HISTORY_SIZE;
  const bool has_plan = planning->schedule.planner[0] != '\0';
  int64_t sorted_ns[HISTORY_SIZE];
  memcpy(sorted_ns, planning->history_ns, sizeof sorted_ns);
  qsort(sorted_ns, (size_t)count, sizeof sorted_ns[0], by_size);
  write_value(writer, "planner", "%s", planning->settings.planner.name);
  write_value(writer, "plan_by", "%s", has_plan ? planning->schedule.planner : "none");
  write_value(writer, "outcome", "%s", planning->history_count == 0 ? "none" : fw_outcome_name(planning->outcome));
  write_value(writer, "stop", "%s", planning->history_count == 0 ? "none" : fw_stop_name(planning->stop));
  write_value(writer, "rounds", "%lld", (long long)planning->rounds);
  write_value(writer, "going_on", "%lld", (long long)planning->going_on);
  write_value(writer, "late", "%lld", (long long)planning->late_count);
  write_value(writer, "solve_ms_last", "%.3f", (double)planning->history_ns[last] * 1e-6);
  write_value(writer, "solve_ms_median", "%.3f", quantile_ms(sorted_ns, count, 50));
  write_value(writer, "solve_ms_p99", "%.3f", quantile_ms(sorted_ns, count, 99));
}

static void write_closures(writer_t * writer, const closures_t * closures, int64_t now_ns)
{
  int32_t heard = 0, closed = 0;
  int64_t refused = 0;
  for (int32_t k = 0; k < closures->count; ++k) {
    heard += closures->sources[k].is_heard ? 1 : 0;
    closed += source_count_closed(&closures->sources[k], now_ns);
    refused += closures->sources[k].refused;
  }
  write_value(writer, "sources_heard", "%d/%d", heard, closures->count);
  write_value(writer, "closed_cells", "%d", closed);
  write_value(writer, "closures_refused", "%lld", (long long)refused);
}

static void set_planner_level(writer_t * writer, const planning_t * planning, int64_t now_ns)
{
  const char * waiting = planning_obstacle(planning, now_ns);
  if (planning->planner_fault.text[0] != '\0') {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, planning->planner_fault.text);
  } else if (planning->map_fault.text[0] != '\0') {
    char text[REASON_SIZE + 32];
    (void)snprintf(text, sizeof text, "map refused: %s", planning->map_fault.text);
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, text);
  } else if (waiting != NULL) {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, waiting);
  } else {
    set_level(writer, diagnostic_msgs__msg__DiagnosticStatus__OK, "planning");
  }
}

static bool fill_planner(status_t * status, const planning_t * planning, const char * node_name, int64_t now_ns)
{
  writer_t writer = {.status = status, .is_fine = true};
  const fw_stats_t * stats = &planning->stats;
  const frame_t * frame = &planning->map.frame;
  if (!begin(status, PLANNER_VALUES, node_name, "planner")) {
    return false;
  }
  set_planner_level(&writer, planning, now_ns);
  write_rounds(&writer, planning);
  write_value(&writer, "sum_of_costs", "%lld", (long long)stats->sum_of_costs);
  write_value(&writer, "lower_bound", "%lld", (long long)stats->lower_bound);
  write_value(&writer, "makespan", "%d", stats->makespan);
  write_value(&writer, "expanded", "%lld", (long long)stats->expanded);
  write_value(&writer, "memory_mb", "%.1f", (double)stats->memory_peak_bytes / (1024.0 * 1024.0));
  write_value(&writer, "cell_m", "%g", frame->resolution);
  write_value(&writer, "tick_s", "%.3f", (double)planning->schedule.tick_ns * 1e-9);
  write_value(&writer, "lead_s", "%.3f", (double)planning->lead_ns * 1e-9);
  write_value(&writer, "map", "%dx%d", frame->width, frame->height);
  write_closures(&writer, &planning->closures, now_ns);
  return writer.is_fine;
}

static bool fill_source(status_t * status, const source_t * source, const char * node_name, int64_t now_ns)
{
  writer_t writer = {.status = status, .is_fine = true};
  const int32_t closed = source_count_closed(source, now_ns);
  if (!begin(status, SOURCE_VALUES, node_name, source->name)) {
    return false;
  }
  if (source->fault.text[0] != '\0') {
    set_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, source->fault.text);
  } else if (!source->is_heard) {
    set_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, "nothing heard yet: nothing is closed");
  } else {
    set_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__OK, closed > 0 ? "closed" : "open");
  }
  write_value(&writer, "poses", "%d", source->count);
  write_value(&writer, "closed_cells", "%d", closed);
  write_value(&writer, "refused", "%lld", (long long)source->refused);
  write_value(&writer, "reason", "%s", source->fault.text);
  return writer.is_fine;
}

static bool fill_robot(
  status_t * status, const planning_t * planning, int32_t index, const char * node_name, int64_t now_ns)
{
  writer_t writer = {.status = status, .is_fine = true};
  const robot_t * robot = &planning->fleet.robots[index];
  const track_t * track = &planning->schedule.tracks[index];
  const bool is_done = planning_ends_at_goal(planning, index) && track_end(track) <= now_ns;
  const robot_state_t state = robot_state(robot, is_done);
  const fault_t * fault = robot_fault(robot);
  const frame_t * frame = &planning->map.frame;
  if (!begin(status, ROBOT_VALUES, node_name, robot->name)) {
    return false;
  }
  if (state == ROBOT_STALE) {
    set_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__STALE, "its poses have stopped");
  } else if (fault->number != 0) {
    set_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, fault->text);
  } else if (robot->is_off_plan || state == ROBOT_WAITING) {
    set_level(
      &writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, robot->is_off_plan ? "off its plan" : "no pose yet");
  } else {
    set_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__OK, robot_state_name(state));
  }
  const fw_cell_t goal = robot->has_goal && planning->map.revision > 0 ? frame_cell(frame, robot->goal) : FW_CELL_NONE;
  write_value(&writer, "state", "%s", robot_state_name(state));
  write_value(&writer, "error", "%d", fault->number);
  write_value(&writer, "reason", "%s", fault->text);
  if (goal == FW_CELL_NONE) {
    write_value(&writer, "goal_cell", "%s", "");
  } else {
    write_value(&writer, "goal_cell", "%d,%d", goal % frame->width, goal / frame->width);
  }
  write_value(
    &writer, "delay_s", "%.3f",
    (double)track_delay(track, robot->heard_ns, planning->schedule.tick_ns, robot->point) * 1e-9);
  return writer.is_fine;
}

bool diagnostics_fill(
  diagnostic_msgs__msg__DiagnosticArray * message, const planning_t * planning, const char * node_name, int64_t now_ns)
{
  const int32_t robots = planning->fleet.count;
  const size_t count = 1 + (size_t)robots + (size_t)planning->closures.count;
  message->header.stamp = stamp_of(now_ns);
  if (message->status.size != count) {
    diagnostic_msgs__msg__DiagnosticStatus__Sequence__fini(&message->status);
    if (!diagnostic_msgs__msg__DiagnosticStatus__Sequence__init(&message->status, count)) {
      return false;
    }
  }
  bool is_fine = fill_planner(&message->status.data[0], planning, node_name, now_ns);
  for (int32_t k = 0; is_fine && k < robots; ++k) {
    is_fine = fill_robot(&message->status.data[1 + k], planning, k, node_name, now_ns);
  }
  for (int32_t k = 0; is_fine && k < planning->closures.count; ++k) {
    is_fine = fill_source(&message->status.data[1 + robots + k], &planning->closures.sources[k], node_name, now_ns);
  }
  return is_fine;
}
