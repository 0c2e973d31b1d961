// Path buffers: memory per robot that grows as paths become longer, and the path in which a robot waits at its start.

#include "planner/paths.h"

#include <string.h>

#include "base/assert.h"
#include "world/body.h"

bool fw__path_buffers_init(fw_path_buffers_t * paths, fw_arena_t * arena, const fw_problem_t * problem)
{
  const size_t count = (size_t)problem->robot_count;
  *paths = (fw_path_buffers_t){.arena = arena};
  paths->paths = fw__arena_allocate(arena, count, sizeof(*paths->paths));
  paths->starts = fw__arena_allocate(arena, count, sizeof(*paths->starts));
  paths->cells = fw__arena_allocate_zeroed(arena, count, sizeof(*paths->cells));
  paths->headings = fw__arena_allocate_zeroed(arena, count, sizeof(*paths->headings));
  paths->capacities = fw__arena_allocate_zeroed(arena, count, sizeof(*paths->capacities));
  if (
    paths->paths == NULL || paths->starts == NULL || paths->cells == NULL || paths->headings == NULL ||
    paths->capacities == NULL) {
    return false;  // not the arena's flag: a fallback may begin after an earlier phase has run out of memory
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    paths->starts[r] = fw__path_of_start(&problem->robots[r], arena);
    if (paths->starts[r].cells == NULL) {
      return false;
    }
  }
  fw__path_buffers_wait(paths, problem);
  return true;
}

void fw__path_buffers_wait(fw_path_buffers_t * paths, const fw_problem_t * problem)
{
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    paths->paths[r] = paths->starts[r];
  }
}

// Room for `length` ticks; what was in the buffer is lost.
static bool reserve_path(fw_path_buffers_t * paths, int32_t robot, int32_t length, bool has_heading)
{
  while (paths->capacities[robot] < length) {
    fw_cell_t * cells = fw__arena_grow(paths->arena, NULL, sizeof(*cells), &paths->capacities[robot]);
    uint8_t * headings =
      has_heading ? fw__arena_allocate(paths->arena, (size_t)paths->capacities[robot], sizeof(*headings)) : NULL;
    if (cells == NULL || (has_heading && headings == NULL)) {
      paths->capacities[robot] = 0;
      return false;
    }
    paths->cells[robot] = cells;
    paths->headings[robot] = headings;
  }
  return true;
}

// Copies the path to the tick `before` and later; the caller fills the ticks before it.
static bool put_path(fw_path_buffers_t * paths, int32_t robot, fw_tick_t before, fw_path_t path)
{
  FW_ASSERT(before >= 0 && path.length >= 1);
  const int32_t length = before + path.length;
  if (!reserve_path(paths, robot, length, path.headings != NULL)) {
    return false;
  }
  memcpy(paths->cells[robot] + before, path.cells, (size_t)path.length * sizeof(*path.cells));
  if (path.headings != NULL) {
    memcpy(paths->headings[robot] + before, path.headings, (size_t)path.length * sizeof(*path.headings));
  }
  paths->paths[robot] = (fw_path_t){.cells = paths->cells[robot], .length = length, .headings = paths->headings[robot]};
  return true;
}

bool fw__path_buffers_set(fw_path_buffers_t * paths, int32_t robot, fw_path_t path)
{
  return put_path(paths, robot, 0, path);
}

bool fw__path_buffers_set_delayed(fw_path_buffers_t * paths, int32_t robot, fw_tick_t delay, fw_path_t path)
{
  const fw_path_t * start = &paths->starts[robot];
  const fw_tick_t before = start->length - 1 + delay;
  if (!put_path(paths, robot, before, path)) {
    return false;
  }
  for (fw_tick_t tick = 0; tick < before; ++tick) {
    paths->cells[robot][tick] = fw_path_at(start, tick);
    if (path.headings != NULL) {
      paths->headings[robot][tick] = (uint8_t)fw_path_heading(start, tick);
    }
  }
  return true;
}

void fw__plan_count(fw_plan_t * plan, const char * name, int64_t value)
{
  FW_ASSERT(plan->stats.counter_count < FW_COUNTERS_MAX);
  if (plan->stats.counter_count < FW_COUNTERS_MAX) {
    plan->stats.counters[plan->stats.counter_count++] = (fw_counter_t){.name = name, .value = value};
  }
}
