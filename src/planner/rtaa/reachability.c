// Breadth-first search over the map.

#include "planner/rtaa/reachability.h"

#include "base/assert.h"
#include "planner/rtaa/pibt.h"
#include "world/moves.h"

// Breadth-first search. Marks are numbers of runs, so that nothing is cleared between them.
typedef struct bfs_t {
  const fw_grid_t * grid;
  int32_t connectivity;
  int32_t * marks;
  int32_t * distances;
  fw_cell_t * queue;
} bfs_t;

static bool bfs_init(bfs_t * bfs, fw_arena_t * arena, const fw_problem_t * problem)
{
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  *bfs = (bfs_t){
    .grid = problem->grid,
    .connectivity = problem->connectivity,
    .marks = fw__arena_allocate_zeroed(arena, cells, sizeof(*bfs->marks)),
    .distances = fw__arena_allocate(arena, cells, sizeof(*bfs->distances)),
    .queue = fw__arena_allocate(arena, cells, sizeof(*bfs->queue)),
  };
  return bfs->marks != NULL && bfs->distances != NULL && bfs->queue != NULL;
}

// From `from` until `to` is reached, FW_CELL_NONE for all that can be; marks what it sees. Returns the number of cells
// seen.
static int32_t bfs_run(bfs_t * bfs, fw_cell_t from, fw_cell_t to, int32_t mark)
{
  const fw_grid_t * grid = bfs->grid;
  int32_t head = 0, count = 1;
  bfs->queue[0] = from;
  bfs->marks[from] = mark;
  bfs->distances[from] = 0;
  while (head < count && bfs->queue[head] != to) {
    const fw_cell_t cell = bfs->queue[head++];
    const int32_t x = fw_grid_x(grid, cell), y = fw_grid_y(grid, cell);
    for (int32_t k = 0; k < 9; ++k) {
      const int32_t to_x = x + k % 3 - 1, to_y = y + k / 3 - 1;
      const bool is_diagonal = to_x != x && to_y != y;
      if (
        (is_diagonal && bfs->connectivity == 4) || !fw_grid_is_free(grid, to_x, to_y) ||
        !fw_grid_is_free(grid, to_x, y) || !fw_grid_is_free(grid, x, to_y)) {
        continue;
      }
      const fw_cell_t next = fw_grid_cell(grid, to_x, to_y);
      if (bfs->marks[next] != mark) {
        bfs->marks[next] = mark;
        bfs->distances[next] = bfs->distances[cell] + 1;
        FW_ASSERT(count < fw_grid_cell_count(grid));
        bfs->queue[count++] = next;
      }
    }
  }
  return count;
}

// Whether a greedy walk gets to the goal with moves that all come nearer: then the distance without obstacles is the
// distance.
static bool is_straight(const fw_problem_t * problem, fw_cell_t from, fw_cell_t to)
{
  int32_t left = fw__grid_distance(problem->grid, problem->connectivity, from, to);
  for (bool has_moved = true; has_moved && left > 0;) {
    has_moved = false;
    for (int32_t heading = 0; heading < FW_HEADING_COUNT && !has_moved; heading += problem->connectivity == 4 ? 2 : 1) {
      const fw_cell_t next = fw__pibt_neighbour(problem->grid, from, heading);
      has_moved = next != FW_CELL_NONE && fw__grid_distance(problem->grid, problem->connectivity, next, to) == left - 1;
      from = has_moved ? next : from;
    }
    left -= has_moved ? 1 : 0;
  }
  return left == 0;
}

int32_t fw__rtaa_find_unreachable(fw_arena_t * arena, const fw_problem_t * problem)
{
  const fw_arena_mark_t before = fw__arena_mark(arena);
  bfs_t bfs;
  if (!bfs_init(&bfs, arena, problem)) {
    return -2;
  }
  int32_t found = -1;
  for (int32_t r = 0; r < problem->robot_count && found == -1; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    if (bfs.marks[robot->start] == 0) {
      (void)bfs_run(&bfs, robot->start, FW_CELL_NONE, r + 1);
    }
    found = bfs.marks[robot->start] != bfs.marks[robot->goal] ? r : -1;
  }
  fw__arena_rewind(arena, before);
  return found;
}

fw_cost_t fw__rtaa_lower_bound(const fw_problem_t * problem, fw_arena_t * arena, fw_meter_t * meter)
{
  enum { CELLS_MAX = 1 << 23 };  // seen for all robots together: some tenths of a second
  bfs_t bfs;
  const bool has_room = bfs_init(&bfs, arena, problem);
  int64_t seen = has_room ? 0 : CELLS_MAX;
  fw_cost_t bound = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    if (seen < CELLS_MAX && !fw__meter_check(meter) && !is_straight(problem, robot->start, robot->goal)) {
      seen += bfs_run(&bfs, robot->start, robot->goal, r + 1);
      bound += bfs.distances[robot->goal];
    } else {
      bound += fw__grid_distance(problem->grid, problem->connectivity, robot->start, robot->goal);
    }
  }
  return bound;
}
