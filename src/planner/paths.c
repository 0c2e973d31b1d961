// Paths with room of their own, written again and again.

#include <string.h>

#include "planner/fleet.h"

bool fw__paths_init(fw__paths_t * paths, fw_arena_t * arena, const fw_problem_t * problem)
{
  const size_t count = (size_t)problem->robot_count;
  *paths = (fw__paths_t){.arena = arena};
  paths->paths = fw_arena_allocate(arena, count, sizeof(*paths->paths));
  paths->cells = fw_arena_allocate_zeroed(arena, count, sizeof(*paths->cells));
  paths->headings = fw_arena_allocate_zeroed(arena, count, sizeof(*paths->headings));
  paths->capacities = fw_arena_allocate_zeroed(arena, count, sizeof(*paths->capacities));
  if (paths->paths == NULL || paths->cells == NULL || paths->headings == NULL || paths->capacities == NULL) {
    return false;
  }
  fw__paths_wait(paths, problem);
  return true;
}

// The start in the problem itself is a path of one tick.
void fw__paths_wait(fw__paths_t * paths, const fw_problem_t * problem)
{
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    paths->paths[r] = fw_path_of_start(&problem->robots[r]);
  }
}

bool fw__paths_set(fw__paths_t * paths, int32_t robot, fw_path_t path)
{
  return fw__paths_set_held(paths, robot, 0, path);
}

static bool reserve_path(fw__paths_t * paths, int32_t robot, int32_t length, bool has_heading)
{
  while (paths->capacities[robot] < length) {
    fw_cell_t * cells = fw_arena_grow(paths->arena, NULL, 0, sizeof(*cells), &paths->capacities[robot]);
    uint8_t * headings =
      has_heading ? fw_arena_allocate(paths->arena, (size_t)paths->capacities[robot], sizeof(*headings)) : NULL;
    if (cells == NULL || (has_heading && headings == NULL)) {
      paths->capacities[robot] = 0;
      return false;
    }
    paths->cells[robot] = cells;
    paths->headings[robot] = headings;
  }
  return true;
}

bool fw__paths_set_held(fw__paths_t * paths, int32_t robot, fw_tick_t hold, fw_path_t path)
{
  const int32_t length = hold + path.length;
  if (!reserve_path(paths, robot, length, path.headings != NULL)) {
    return false;
  }
  fw_cell_t * cells = paths->cells[robot];
  uint8_t * headings = paths->headings[robot];
  for (fw_tick_t tick = 0; tick < hold; ++tick) {
    cells[tick] = path.cells[0];
  }
  memcpy(cells + hold, path.cells, (size_t)path.length * sizeof(*path.cells));
  if (path.headings != NULL) {
    memset(headings, path.headings[0], (size_t)hold);
    memcpy(headings + hold, path.headings, (size_t)path.length * sizeof(*path.headings));
  }
  paths->paths[robot] = (fw_path_t){.cells = cells, .length = length, .headings = headings};
  return true;
}
