// An execution: its life, and what can be asked of it.

#include "execution/execution.h"

#include <math.h>

#include "base/error.h"

fw_execution_options_t fw_execution_options_default(void)
{
  return (fw_execution_options_t){
    .allocator = fw_allocator_default(),
    .memory_max_bytes = (size_t)2 << 30,
    .seconds_per_tick = 1.0,
    .rings = FW_RINGS_REFUSED,
    .tolerance = 0.1,
    .yaw_tolerance = 0.1,
    .off_path_max = 0.5,
    .braking = 1.0,
    .stale_seconds = 1.0,
    .stopped_seconds = 5.0,
    .late_seconds = 10.0,
    .retime_seconds = 0.05,
  };
}

typedef struct range_t {
  const char * name;
  double value;
  double min;
  double max;
} range_t;

static fw_ret_t check_options(const fw_execution_options_t * options, fw_error_t * error)
{
  const range_t ranges[] = {
    {"seconds_per_tick", options->seconds_per_tick, 1e-6, 1e6},
    {"tolerance", options->tolerance, 0.01, 0.3},
    {"yaw_tolerance", options->yaw_tolerance, 0.001, 0.35},
    {"off_path_max", options->off_path_max, options->tolerance, 10.0},
    {"ahead_max", options->ahead_max, 0.0, 1e6},
    {"braking", options->braking, 0.0, 1e6},
    {"stale_seconds", options->stale_seconds, 0.0, 1e9},
    {"stopped_seconds", options->stopped_seconds, 0.0, 1e9},
    {"late_seconds", options->late_seconds, 0.0, 1e9},
    {"retime_seconds", options->retime_seconds, 0.0, 1e6},
  };
  for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); ++i) {
    if (!(ranges[i].value >= ranges[i].min && ranges[i].value <= ranges[i].max)) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "%s must be between %g and %g, not %g", ranges[i].name, ranges[i].min,
        ranges[i].max, ranges[i].value);
    }
  }
  return FW_RET_OK;
}

fw_ret_t fw_execution_init(fw_execution_t * execution, const fw_execution_options_t * options, fw_error_t * error)
{
  *execution = (fw_execution_t){0};
  fw_execution_options_t used = options != NULL ? *options : fw_execution_options_default();
  used.allocator = fw__allocator_or_default(&used.allocator);
  const fw_ret_t ret = check_options(&used, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__execution_t * impl = fw__allocate_array(&used.allocator, 1, sizeof(*impl));
  if (impl == NULL) {
    return fw__error_memory(error);
  }
  impl->options = used;
  impl->memory = (fw_memory_t){.allocator = used.allocator, .max_bytes = used.memory_max_bytes};
  impl->now = -INFINITY;
  fw__arena_init(&impl->keep, &impl->memory);
  fw__arena_init(&impl->scratch, &impl->memory);
  fw__arena_init(&impl->graphs[0].arena, &impl->memory);
  fw__arena_init(&impl->graphs[1].arena, &impl->memory);
  execution->impl = impl;
  return FW_RET_OK;
}

void fw_execution_fini(fw_execution_t * execution)
{
  fw__execution_t * impl = execution->impl;
  if (impl != NULL) {
    const fw_allocator_t allocator = impl->options.allocator;
    fw__arena_fini(&impl->graphs[1].arena);
    fw__arena_fini(&impl->graphs[0].arena);
    fw__arena_fini(&impl->scratch);
    fw__arena_fini(&impl->keep);
    fw__deallocate(&allocator, impl);
  }
  *execution = (fw_execution_t){0};
}

fw__slot_t * fw__execution_slot(const fw__execution_t * execution, int32_t robot)
{
  const bool is_there = robot >= 0 && robot < execution->slot_count && execution->slots[robot].is_there;
  return is_there ? &execution->slots[robot] : NULL;
}

// ---- questions ------------------------------------------------------------------------------------------------------

const int32_t * fw_execution_changed(fw_execution_t * execution, int32_t * count)
{
  fw__execution_t * impl = execution->impl;
  int32_t * list = impl->changed[0];
  *count = impl->changed_count;
  for (int32_t i = 0; i < impl->changed_count; ++i) {
    impl->slots[list[i]].is_changed = false;
  }
  impl->changed[0] = impl->changed[1];
  impl->changed[1] = list;
  impl->changed_count = 0;
  return list;
}

fw_ret_t fw_execution_waypoint(
  const fw_execution_t * execution, int32_t robot, int32_t waypoint, fw_execution_waypoint_t * answer,
  fw_error_t * error)
{
  const fw__execution_t * impl = execution->impl;
  const fw__slot_t * slot = fw__execution_slot(impl, robot);
  const int32_t at = slot == NULL ? -1 : waypoint - slot->base;
  if (slot == NULL || at < slot->reached || at > fw__execution_end(impl, robot)) {
    return fw__error(error, FW_RET_NOT_FOUND, "robot %d has no waypoint %d", robot, waypoint);
  }
  const fw__node_t * node = fw__way_node(fw__execution_graph_const(impl), robot, at);
  *answer = (fw_execution_waypoint_t){
    .cell = node->pose.cell, .heading = node->pose.heading, .planned = node->planned, .expected = node->expected};
  return FW_RET_OK;
}

fw_execution_stats_t fw_execution_stats(const fw_execution_t * execution)
{
  const fw__execution_t * impl = execution->impl;
  const fw__graph_t * graph = fw__execution_graph_const(impl);
  return (fw_execution_stats_t){
    .waypoints = graph->node_count,
    .dependencies = graph->edge_count,
    .redundant = graph->redundant_count,
    .rings = graph->ring_count,
    .splices = impl->splices,
    .retimed = impl->retimed,
    .memory_bytes = impl->memory.used_bytes,
  };
}
