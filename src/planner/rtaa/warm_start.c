// What `rtaa` keeps from one window of a rolling horizon to the next.

#include "planner/rtaa/warm_start.h"

#include "base/assert.h"
#include "kernel/batch.h"
#include "world/problem.h"

void fw__rtaa_warm_start_init(fw_rtaa_warm_start_t * saved, fw_arena_t * keep)
{
  *saved = (fw_rtaa_warm_start_t){0};
  fw__arena_init(&saved->arenas[0], keep->memory);
  fw__arena_init(&saved->arenas[1], keep->memory);
  fw__arena_init(&saved->search, keep->memory);
}

void fw__rtaa_warm_start_fini(fw_rtaa_warm_start_t * saved)
{
  fw__arena_fini(&saved->arenas[0]);
  fw__arena_fini(&saved->arenas[1]);
  fw__arena_fini(&saved->search);
}

fw_arena_t * fw__rtaa_warm_start_next_arena(fw_rtaa_warm_start_t * saved)
{
  saved->next = 1 - saved->last;
  fw__arena_reset(&saved->arenas[saved->next]);
  return &saved->arenas[saved->next];
}

// Without ids (all are 0) the index identifies a robot. Otherwise 0 is an id like any other.
static int32_t id_of(const fw_problem_t * problem, bool has_ids, int32_t robot)
{
  return has_ids ? problem->robots[robot].id : robot;
}

enum { FREED_MAX = 64 };  // with more cells that have become free, learned distances are not worth the comparison

// How the known map differs from that of the last window.
typedef struct changes_t {
  bool is_same_size;
  bool is_same;
  int32_t freed_count;  // FREED_MAX + 1 if there are more
  fw_cell_t freed[FREED_MAX + 1];
} changes_t;

static changes_t compare_maps(const fw_rtaa_warm_start_t * saved, const fw_batch_t * batch)
{
  const fw_grid_t known = fw_batch_known(&saved->batch), grid = fw_batch_known(batch);
  changes_t changes = {.is_same_size = known.width == grid.width && known.height == grid.height, .is_same = true};
  for (fw_cell_t cell = 0; changes.is_same_size && cell < fw_grid_cell_count(&grid); ++cell) {
    const bool is_freed = known.cost[cell] == 0 && grid.cost[cell] != 0;
    changes.is_same = changes.is_same && (known.cost[cell] == 0) == (grid.cost[cell] == 0);
    if (is_freed && changes.freed_count <= FREED_MAX) {
      changes.freed[changes.freed_count++] = cell;
    }
  }
  return changes;
}

void fw__rtaa_warm_start_discovered(const fw_rtaa_warm_start_t * saved, const fw_problem_t * problem, uint8_t * cost)
{
  if (!saved->is_valid || problem->since == 0) {
    return;
  }
  const fw_grid_t known = fw_batch_known(&saved->batch);
  const bool is_same_size = known.width == problem->grid->width && known.height == problem->grid->height;
  for (fw_cell_t cell = 0; is_same_size && cell < fw_grid_cell_count(&known); ++cell) {
    cost[cell] = known.cost[cell] == 0 ? problem->grid->cost[cell] : cost[cell];
  }
}

// The robot of the last window with an id, searched from `from` on, because most robots keep their order. -1 for none.
static int32_t find(const fw_rtaa_warm_start_t * saved, int32_t id, int32_t from)
{
  FW_ASSERT(from >= 0 && from <= saved->robot_count);
  for (int32_t i = 0; i < saved->robot_count; ++i) {
    const int32_t robot = (from + i) % saved->robot_count;
    if (saved->ids[robot] == id) {
      return robot;
    }
  }
  return -1;
}

void fw__rtaa_warm_start_load(const fw_rtaa_warm_start_t * saved, fw_rtaa_planner_t * run)
{
  const fw_problem_t * problem = run->problem;
  if (!saved->is_valid || problem->since == 0 || saved->lookahead != run->lookahead) {
    return;
  }
  const changes_t changes = compare_maps(saved, &run->batch);
  if (!changes.is_same_size) {
    return;
  }
  const bool has_ids = fw__problem_has_ids(problem);
  int32_t from = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t before = find(saved, id_of(problem, has_ids, r), from);
    run->pibt.seniority[r] = before >= 0 ? saved->positions[before] : saved->robot_count;
    if (before >= 0) {
      from = before + 1;
      if (changes.is_same) {
        fw_batch_recall(&run->batch, r, &saved->batch, before);
      } else if (changes.freed_count <= FREED_MAX) {  // only what the changed cells cannot affect
        const fw_robot_pair_t pair = {r, before};
        fw__batch_recall_changed(&run->batch, pair, &saved->batch, changes.freed, changes.freed_count);
      }
      run->pibt.yields_until[r] =
        saved->yields_until[before] > problem->since ? saved->yields_until[before] - problem->since : 0;
    }
  }
}

void fw__rtaa_warm_start_save(fw_rtaa_warm_start_t * saved, const fw_rtaa_planner_t * run)
{
  fw_arena_t * arena = &saved->arenas[saved->next];
  const size_t count = (size_t)run->problem->robot_count;
  saved->ids = fw__arena_allocate(arena, count, sizeof(*saved->ids));
  saved->positions = fw__arena_allocate(arena, count, sizeof(*saved->positions));
  saved->yields_until = fw__arena_allocate(arena, count, sizeof(*saved->yields_until));
  saved->is_valid = !fw__arena_has_failed(arena);
  saved->last = saved->next;
  saved->batch = run->batch;
  saved->lookahead = run->lookahead;
  saved->robot_count = run->problem->robot_count;
  const bool has_ids = fw__problem_has_ids(run->problem);
  for (int32_t i = 0; i < saved->robot_count && saved->is_valid; ++i) {
    saved->ids[i] = id_of(run->problem, has_ids, i);
    saved->yields_until[i] = run->pibt.yields_until[i];
    saved->positions[run->pibt.order[i]] = i;
  }
}
