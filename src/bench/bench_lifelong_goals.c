// Goals for a fleet that never ends: random, free, and to be reached.

#include "bench/bench_lifelong.h"

enum { DRAWS_MAX = 64 };

// Where nobody can stay: closed for ever from some tick on.
static void mark_closed(cli_life_t * life, int32_t * part)
{
  for (int32_t i = 0; i < life->problem.closure_count; ++i) {
    const fw_closure_t * closure = &life->problem.closures[i];
    if (closure->to == FW_TICK_MAX) {
      part[life->fleet.places->node_of[closure->cell]] = -1;
    }
  }
}

// Numbers the parts by flooding. Returns how many there are.
static int32_t flood_parts(cli_life_t * life, int32_t * list)
{
  const fw_moves_t * places = life->fleet.places;
  int32_t parts = 0;
  for (int32_t seed = 0; seed < places->node_count; ++seed) {
    int32_t listed = 0;
    if (life->part[seed] == 0) {
      life->part[seed] = ++parts;
      list[listed++] = seed;
    }
    while (listed > 0) {
      const int32_t * next = fw__moves_successors(places, list[--listed]);
      for (int32_t d = 0; d < places->degree; ++d) {
        if (next[d] >= 0 && life->part[next[d]] == 0) {
          life->part[next[d]] = parts;
          list[listed++] = next[d];
        }
      }
    }
  }
  return parts;
}

bool cli_life_label_parts(cli_life_t * life)
{
  const size_t count = (size_t)life->fleet.places->node_count;
  life->in_part = fw__arena_allocate(&life->records, count, sizeof(*life->in_part));
  life->part = fw__arena_allocate_zeroed(&life->records, count, sizeof(*life->part));
  if (life->in_part == NULL || life->part == NULL) {
    return false;
  }
  mark_closed(life, life->part);
  const int32_t parts = flood_parts(life, life->in_part);
  life->part_at = fw__arena_allocate_zeroed(&life->records, (size_t)parts + 3, sizeof(*life->part_at));
  if (life->part_at == NULL) {
    return false;
  }
  // Sorted by counting: the sizes two places on, their sums, and each node moves the beginning of the next part.
  for (size_t node = 0; node < count; ++node) {
    life->part_at[life->part[node] > 0 ? life->part[node] + 2 : 0] += 1;
  }
  life->part_at[0] = 0;
  for (int32_t part = 1; part <= parts + 2; ++part) {
    life->part_at[part] += life->part_at[part - 1];
  }
  for (size_t node = 0; node < count; ++node) {
    if (life->part[node] > 0) {
      life->in_part[life->part_at[life->part[node] + 1]++] = (int32_t)node;
    }
  }
  return true;
}

// A robot with a heading may face any way on its goal: only its own cell is certain.
static fw_footprint_t goal_footprint(const cli_life_t * life, int32_t robot)
{
  return life->robots[robot].turn_ticks > 0 ? fw_footprint_single : fw__footprint_of(&life->robots[robot]);
}

void cli_life_mark_goal(cli_life_t * life, int32_t robot, bool is_goal)
{
  const fw_footprint_t footprint = goal_footprint(life, robot);
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_offset_t offset = footprint.cells[i];
    life->is_goal[life->robots[robot].goal + offset.dy * life->problem.grid->width + offset.dx] = is_goal;
  }
}

// The robot fits there, and nobody has its goal on one of the cells; its own old goal counts as well.
static bool is_goal_free(const cli_life_t * life, int32_t robot, fw_cell_t goal)
{
  const fw_footprint_t footprint = goal_footprint(life, robot);
  bool is_free = fw__moves_any_node(life->fleet.moves[robot], goal) >= 0;
  for (int32_t i = 0; i < footprint.count && is_free; ++i) {
    is_free = !life->is_goal[goal + footprint.cells[i].dy * life->problem.grid->width + footprint.cells[i].dx];
  }
  return is_free;
}

static bool take_goal(cli_life_t * life, int32_t robot, int32_t node)
{
  const fw_cell_t old = life->robots[robot].goal;
  const fw_cell_t goal = life->fleet.places->cell_of[node];
  if (!is_goal_free(life, robot, goal)) {
    return false;
  }
  life->robots[robot].goal = goal;
  if (!fw__window_goal_changed(&life->window, robot)) {
    life->robots[robot].goal = old;
    (void)fw__window_goal_changed(&life->window, robot);
    return false;
  }
  life->robots[robot].goal = old;
  cli_life_mark_goal(life, robot, false);
  life->robots[robot].goal = goal;
  cli_life_mark_goal(life, robot, true);
  ++life->changes;
  return true;
}

bool cli_life_give_goal(cli_life_t * life, int32_t robot)
{
  const int32_t part = life->part[life->fleet.places->node_of[life->robots[robot].goal]];
  const int32_t first = life->part_at[part];
  const int32_t count = life->part_at[part + 1] - first;
  int32_t at = 0;
  for (int32_t draws = 0; draws < DRAWS_MAX && !fw__meter_has_stopped(&life->meter); ++draws) {
    at = fw__rng_below(&life->rng, count);
    if (take_goal(life, robot, life->in_part[first + at])) {
      return true;
    }
  }
  // Nearly all are taken, or the run has been stopped.
  for (int32_t tries = 0; tries < count && !fw__meter_has_stopped(&life->meter); ++tries) {
    at = (at + 1) % count;
    if (take_goal(life, robot, life->in_part[first + at])) {
      return true;
    }
  }
  return false;
}
