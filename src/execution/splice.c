// Splice: a new plan behind the cut, whole or not at all.
//
// The next graph is made beside the one in force, from what is left of that and the new paths, in memory of its own. Only
// when it is complete and has passed all its checks are the robots moved over, which cannot fail.

#include "execution/splice.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// ---- the next graph -------------------------------------------------------------------------------------------------

// A robot that is new must not stand where somebody has been released to. Where it only stands in the way of what is not
// released yet, there is an edge against the order, which order.c has refused.
static fw_ret_t check_released(const fw__splicing_t * splicing)
{
  const fw__graph_t * graph = splicing->graph;
  const fw__execution_t * execution = splicing->execution;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    const fw__slot_t * slot = fw__execution_slot(execution, robot);
    if (slot == NULL || slot->is_withdrawn) {
      continue;
    }
    const int32_t last = graph->first[robot] + slot->released - slot->reached;
    for (int32_t i = graph->in_first[graph->first[robot]]; i < graph->in_first[last + 1]; ++i) {
      const int32_t other = graph->nodes[graph->in[i].source].robot;
      if (fw__execution_slot(execution, other) == NULL) {
        return fw__error_at(
          splicing->error, (fw_error_detail_t){FW_FAULT_INVALID, other, graph->in[i].cell},
          "robot %d stands on (%d,%d), which is released to robot %d", other,
          fw_grid_x(&graph->grid, graph->in[i].cell), fw_grid_y(&graph->grid, graph->in[i].cell), robot);
      }
    }
  }
  return FW_RET_OK;
}

static fw_ret_t make_graph(fw__splicing_t * splicing)
{
  fw__execution_t * execution = splicing->execution;
  fw__graph_t * graph = splicing->graph;
  const fw_arena_t arena = graph->arena;
  *graph = (fw__graph_t){.arena = arena};
  fw__arena_reset(&graph->arena);
  fw__arena_reset(&execution->scratch);
  fw_ret_t ret = fw__splice_gather(splicing);
  const fw__making_t making = {
    .graph = graph, .scratch = &execution->scratch, .error = splicing->error, .rings = execution->options.rings};
  if (ret == FW_RET_OK) {
    const fw__ways_t ways = {
      .execution = execution,
      .paths = splicing->paths,
      .problem = splicing->splice->problem,
      .until = splicing->splice->plan->safe_until,
      .time = splicing->splice->time,
    };
    ret = fw__ways_lay(&making, &ways);
  }
  if (ret == FW_RET_OK) {
    ret = fw__graph_weave(&making);
  }
  return ret == FW_RET_OK ? check_released(splicing) : ret;
}

// ---- moving over ----------------------------------------------------------------------------------------------------

static bool make_room(fw__execution_t * execution, int32_t count)
{
  while (execution->slot_capacity < count || execution->slots == NULL) {
    int32_t capacity = execution->slot_capacity;
    fw__slot_t * slots =
      fw__arena_grow(&execution->keep, execution->slots, (size_t)execution->slot_count, sizeof(*slots), &capacity);
    int32_t * queue = fw__arena_allocate(&execution->keep, (size_t)capacity, sizeof(*queue));
    int32_t * changed = fw__arena_allocate(&execution->keep, 2 * (size_t)capacity, sizeof(*changed));
    fw_execution_end_t * ends = fw__arena_allocate(&execution->keep, (size_t)capacity, sizeof(*ends));
    if (slots == NULL || queue == NULL || changed == NULL || ends == NULL) {
      return false;
    }
    if (execution->changed_count > 0) {
      memcpy(changed, execution->changed[0], (size_t)execution->changed_count * sizeof(*changed));
    }
    execution->slots = slots;
    execution->queue = queue;  // empty between calls
    execution->queue_first = 0;
    execution->changed[0] = changed;
    execution->changed[1] = changed + capacity;
    execution->ends = ends;
    execution->slot_capacity = capacity;
  }
  return true;
}

static void move_slot(const fw__splicing_t * splicing, int32_t robot)
{
  fw__slot_t * slot = &splicing->execution->slots[robot];
  const bool is_between = slot->is_withdrawn && fw__slot_is_between(slot);
  slot->base += slot->is_withdrawn ? slot->released : slot->reached;
  slot->released = slot->is_withdrawn ? (is_between ? 1 : 0) : slot->released - slot->reached;
  slot->fraction = slot->is_withdrawn ? (is_between ? 1.0 - slot->fraction : 0.0) : slot->fraction;
  slot->reached = 0;
  slot->is_withdrawn = false;
}

static void move_over(const fw__splicing_t * splicing)
{
  fw__execution_t * execution = splicing->execution;
  const fw_grid_t before = fw__execution_graph(execution)->grid;
  execution->active = 1 - execution->active;
  fw__graph_t * graph = fw__execution_graph(execution);
  if (before.width != graph->grid.width || before.height != graph->grid.height) {
    execution->has_obstacles = false;  // they were cells of another grid
  }
  memset(graph->dirty, 0xff, ((size_t)graph->node_count / 64 + 1) * sizeof(*graph->dirty));
  execution->now = fmax(execution->now, splicing->splice->time);
  for (int32_t robot = execution->slot_count; robot < splicing->slot_count; ++robot) {
    execution->slots[robot] = (fw__slot_t){0};
  }
  execution->slot_count = splicing->slot_count;
  execution->has_closures = splicing->splice->problem->closure_count > 0 || execution->has_closures;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw__slot_t * slot = &execution->slots[robot];
    slot->is_ghost = false;
    if (slot->is_there) {
      move_slot(splicing, robot);
    } else if (splicing->paths[robot].length > 0) {
      *slot = (fw__slot_t){
        .is_there = true,
        .is_changed = slot->is_changed,
        .base = slot->base,
        .measure = {.time = -INFINITY},
        .joined = execution->now,
        .visit = slot->visit + 1,
        .progressed = execution->now,
        .pace = 1.0,
      };
    }
    if (slot->is_there) {
      fw__execution_note_change(execution, robot);
    }
  }
  fw__cut_undo(execution);
  fw__obstacles_find_stops(execution);
  fw__release_queue_all(execution);
  fw__release_run(execution);
  ++execution->splices;
}

fw_ret_t fw_execution_splice(fw_execution_t * execution, const fw_execution_splice_t * splice, fw_error_t * error)
{
  fw__execution_t * impl = execution->impl;
  fw__splicing_t splicing = {
    .execution = impl,
    .splice = splice,
    .graph = &impl->graphs[1 - impl->active],
    .slot_count = impl->slot_count,
    .error = error,
  };
  fw_ret_t ret = fw__splice_check(&splicing);
  if (ret != FW_RET_OK) {
    return ret;
  }
  for (int32_t i = 0; i < splice->problem->robot_count; ++i) {
    const int32_t robot = fw__splice_slot(&splicing, i);
    splicing.slot_count = robot >= splicing.slot_count ? robot + 1 : splicing.slot_count;
  }
  const bool was_cut = impl->is_cut;
  if (!was_cut) {
    fw__cut_run(impl, -INFINITY);
  }
  ret = make_room(impl, splicing.slot_count) ? make_graph(&splicing) : fw__error_memory(error);
  if (ret == FW_RET_OK) {
    move_over(&splicing);
  } else if (!was_cut) {
    fw__cut_undo(impl);
  }
  return ret;
}
