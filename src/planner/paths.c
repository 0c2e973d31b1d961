// Paths with room of their own, written again and again.

#include <string.h>

#include "planner/fleet.h"

bool fw__paths_init(fw__paths_t * paths, fw_arena_t * arena, const fw_problem_t * problem)
{
  const size_t count = (size_t)problem->robot_count;
  *paths = (fw__paths_t){.arena = arena};
  paths->paths = fw__arena_allocate(arena, count, sizeof(*paths->paths));
  paths->starts = fw__arena_allocate(arena, count, sizeof(*paths->starts));
  paths->cells = fw__arena_allocate_zeroed(arena, count, sizeof(*paths->cells));
  paths->headings = fw__arena_allocate_zeroed(arena, count, sizeof(*paths->headings));
  paths->capacities = fw__arena_allocate_zeroed(arena, count, sizeof(*paths->capacities));
  if (
    paths->paths == NULL || paths->starts == NULL || paths->cells == NULL || paths->headings == NULL ||
    paths->capacities == NULL) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    paths->starts[r] = fw__path_of_start(&problem->robots[r], arena);
    if (paths->starts[r].cells == NULL) {
      return false;
    }
  }
  fw__paths_wait(paths, problem);
  return true;
}

void fw__paths_wait(fw__paths_t * paths, const fw_problem_t * problem)
{
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    paths->paths[r] = paths->starts[r];
  }
}

static bool reserve_path(fw__paths_t * paths, int32_t robot, int32_t length, bool has_heading)
{
  while (paths->capacities[robot] < length) {
    fw_cell_t * cells = fw__arena_grow(paths->arena, NULL, 0, sizeof(*cells), &paths->capacities[robot]);
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

// The path behind `before` ticks that are still to be filled.
static bool put_path(fw__paths_t * paths, int32_t robot, fw_tick_t before, fw_path_t path)
{
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

bool fw__paths_set(fw__paths_t * paths, int32_t robot, fw_path_t path) { return put_path(paths, robot, 0, path); }

bool fw__paths_set_held(fw__paths_t * paths, int32_t robot, fw_tick_t hold, fw_path_t path)
{
  const fw_path_t * start = &paths->starts[robot];
  const fw_tick_t before = start->length - 1 + hold;
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
