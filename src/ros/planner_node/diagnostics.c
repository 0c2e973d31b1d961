#include "ros/planner_node/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diagnostic_msgs/msg/diagnostic_status.h>

#include "ros/planner_node/diagnostics_writer.h"
#include "ros/planner_node/path_message.h"

enum { PLANNER_VALUES = 27, SOURCE_VALUES = 4 };

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

static void write_rounds(writer_t * writer, const planning_t * planning)
{
  const int64_t count = planning->history_count < HISTORY_SIZE ? planning->history_count : HISTORY_SIZE;
  const int64_t last = planning->history_count == 0 ? 0 : (planning->history_count - 1) % HISTORY_SIZE;
  const bool has_plan = planning->schedule.planner[0] != '\0';
  int64_t sorted_ns[HISTORY_SIZE];
  memcpy(sorted_ns, planning->history_ns, sizeof sorted_ns);
  qsort(sorted_ns, (size_t)count, sizeof sorted_ns[0], by_size);
  diagnostics_value(writer, "planner", "%s", planning->settings.planner.name);
  diagnostics_value(writer, "plan_by", "%s", has_plan ? planning->schedule.planner : "none");
  diagnostics_value(
    writer, "outcome", "%s", planning->history_count == 0 ? "none" : fw_outcome_name(planning->outcome));
  diagnostics_value(writer, "stop", "%s", planning->history_count == 0 ? "none" : fw_stop_name(planning->stop));
  diagnostics_value(writer, "rounds", "%lld", (long long)planning->rounds);
  diagnostics_value(writer, "going_on", "%lld", (long long)planning->going_on);
  diagnostics_value(writer, "late", "%lld", (long long)planning->late_count);
  diagnostics_value(writer, "solve_ms_last", "%.3f", (double)planning->history_ns[last] * 1e-6);
  diagnostics_value(writer, "solve_ms_median", "%.3f", quantile_ms(sorted_ns, count, 50));
  diagnostics_value(writer, "solve_ms_p99", "%.3f", quantile_ms(sorted_ns, count, 99));
}

static void write_releases(writer_t * writer, const planning_t * planning)
{
  const int64_t count = planning->release_count < RELEASES_SIZE ? planning->release_count : RELEASES_SIZE;
  int64_t sorted_ns[RELEASES_SIZE];
  memcpy(sorted_ns, planning->release_ns, sizeof sorted_ns);
  qsort(sorted_ns, (size_t)count, sizeof sorted_ns[0], by_size);
  diagnostics_value(writer, "reports", "%lld", (long long)planning->reports);
  diagnostics_value(writer, "release_ms_median", "%.3f", quantile_ms(sorted_ns, count, 50));
  diagnostics_value(writer, "release_ms_p99", "%.3f", quantile_ms(sorted_ns, count, 99));
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
  diagnostics_value(writer, "sources_heard", "%d/%d", heard, closures->count);
  diagnostics_value(writer, "closed_cells", "%d", closed);
  diagnostics_value(writer, "closures_refused", "%lld", (long long)refused);
}

static void set_planner_level(writer_t * writer, const planning_t * planning, int64_t now_ns)
{
  const char * waiting = planning_obstacle(planning, now_ns);
  if (planning->planner_fault.text[0] != '\0') {
    diagnostics_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, planning->planner_fault.text);
  } else if (planning->map_fault.text[0] != '\0') {
    char text[NODE_REASON_SIZE + 32];
    (void)snprintf(text, sizeof text, "map refused: %s", planning->map_fault.text);
    diagnostics_level(writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, text);
  } else if (waiting != NULL) {
    diagnostics_level(writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, waiting);
  } else {
    diagnostics_level(writer, diagnostic_msgs__msg__DiagnosticStatus__OK, "planning");
  }
}

static bool fill_planner(status_t * status, const planning_t * planning, const char * node_name, int64_t now_ns)
{
  writer_t writer = {.status = status, .is_fine = true};
  const fw_stats_t * stats = &planning->stats;
  const frame_t * frame = &planning->map.frame;
  if (!diagnostics_begin(status, PLANNER_VALUES, node_name, "planner")) {
    return false;
  }
  set_planner_level(&writer, planning, now_ns);
  write_rounds(&writer, planning);
  diagnostics_value(&writer, "sum_of_costs", "%lld", (long long)stats->sum_of_costs);
  diagnostics_value(&writer, "lower_bound", "%lld", (long long)stats->lower_bound);
  diagnostics_value(&writer, "makespan", "%d", stats->makespan);
  diagnostics_value(&writer, "expanded", "%lld", (long long)stats->expanded);
  diagnostics_value(&writer, "memory_mb", "%.1f", (double)stats->memory_peak_bytes / (1024.0 * 1024.0));
  diagnostics_value(&writer, "cell_m", "%g", frame->resolution);
  diagnostics_value(&writer, "tick_s", "%.3f", (double)planning->schedule.tick_ns * 1e-9);
  diagnostics_value(&writer, "lead_s", "%.3f", (double)planning->lead_ns * 1e-9);
  diagnostics_value(&writer, "map", "%dx%d", frame->width, frame->height);
  write_closures(&writer, &planning->closures, now_ns);
  write_releases(&writer, planning);
  diagnostics_value(&writer, "blocked_cells", "%d", planning->blocked.count);
  static const char * const modes[] = {"dependency", "timed", "none"};
  const char * mode = modes[planning->settings.execution_mode];
  diagnostics_value(&writer, "execution_mode", "%s", planning->driving.is_paused ? "paused" : mode);
  return writer.is_fine;
}

static bool fill_source(status_t * status, const source_t * source, const char * node_name, int64_t now_ns)
{
  writer_t writer = {.status = status, .is_fine = true};
  const int32_t closed = source_count_closed(source, now_ns);
  if (!diagnostics_begin(status, SOURCE_VALUES, node_name, source->name)) {
    return false;
  }
  if (source->fault.text[0] != '\0') {
    diagnostics_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, source->fault.text);
  } else if (!source->is_heard) {
    diagnostics_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, "nothing heard yet: nothing is closed");
  } else {
    diagnostics_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__OK, closed > 0 ? "closed" : "open");
  }
  diagnostics_value(&writer, "poses", "%d", source->count);
  diagnostics_value(&writer, "closed_cells", "%d", closed);
  diagnostics_value(&writer, "refused", "%lld", (long long)source->refused);
  diagnostics_value(&writer, "reason", "%s", source->fault.text);
  return writer.is_fine;
}

bool diagnostics_fill(
  diagnostic_msgs__msg__DiagnosticArray * message, const planning_t * planning, const char * node_name, int64_t now_ns)
{
  int32_t robots = 0;
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robots += robot_is_there(&planning->fleet.robots[k]) ? 1 : 0;
  }
  const size_t count = 1 + (size_t)robots + (size_t)planning->closures.count;
  message->header.stamp = stamp_of(now_ns);
  if (message->status.size != count) {
    diagnostic_msgs__msg__DiagnosticStatus__Sequence__fini(&message->status);
    if (!diagnostic_msgs__msg__DiagnosticStatus__Sequence__init(&message->status, count)) {
      return false;
    }
  }
  bool is_fine = fill_planner(&message->status.data[0], planning, node_name, now_ns);
  for (int32_t k = 0, next = 1; is_fine && k < planning->fleet.count; ++k) {
    if (robot_is_there(&planning->fleet.robots[k])) {
      is_fine = diagnostics_fill_robot(&message->status.data[next++], planning, k, node_name, now_ns);
    }
  }
  for (int32_t k = 0; is_fine && k < planning->closures.count; ++k) {
    is_fine = fill_source(&message->status.data[1 + robots + k], &planning->closures.sources[k], node_name, now_ns);
  }
  return is_fine;
}
