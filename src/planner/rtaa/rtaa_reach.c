// What `rtaa` knows of the whole map: what is connected, and how far it is at least. RTAA* itself never looks that far.

#include "planner/rtaa/rtaa.h"

// Looks at cells from one on, nearest first. Marks are numbers of looks, so that nothing is cleared between them.
typedef struct look_t {
  const fw_grid_t * grid;
  int32_t connectivity;
  int32_t * marks;
  int32_t * distances;
  fw_cell_t * queue;
} look_t;

static bool look_init(look_t * look, fw_arena_t * arena, const fw_problem_t * problem)
{
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  *look = (look_t){
    .grid = problem->grid,
    .connectivity = problem->connectivity,
    .marks = fw__arena_allocate_zeroed(arena, cells, sizeof(*look->marks)),
    .distances = fw__arena_allocate(arena, cells, sizeof(*look->distances)),
    .queue = fw__arena_allocate(arena, cells, sizeof(*look->queue)),
  };
  return look->marks != NULL && look->distances != NULL && look->queue != NULL;
}

// Looks from `from` until `to` is seen, FW_CELL_NONE for all there is; marks what it sees. Returns the cells seen.
static int32_t look_around(look_t * look, fw_cell_t from, fw_cell_t to, int32_t mark)
{
  const fw_grid_t * grid = look->grid;
  int32_t head = 0, count = 1;
  look->queue[0] = from;
  look->marks[from] = mark;
  look->distances[from] = 0;
  while (head < count && look->queue[head] != to) {
    const fw_cell_t cell = look->queue[head++];
    const int32_t x = fw_grid_x(grid, cell), y = fw_grid_y(grid, cell);
    for (int32_t k = 0; k < 9; ++k) {
      const int32_t to_x = x + k % 3 - 1, to_y = y + k / 3 - 1;
      const bool is_diagonal = to_x != x && to_y != y;
      if (
        (is_diagonal && look->connectivity == 4) || !fw_grid_is_free(grid, to_x, to_y) ||
        !fw_grid_is_free(grid, to_x, y) || !fw_grid_is_free(grid, x, to_y)) {
        continue;
      }
      const fw_cell_t next = fw_grid_cell(grid, to_x, to_y);
      if (look->marks[next] != mark) {
        look->marks[next] = mark;
        look->distances[next] = look->distances[cell] + 1;
        look->queue[count++] = next;
      }
    }
  }
  return count;
}

// Is there a way that comes nearer with every move? Then the plain estimate is the distance.
static bool can_walk(const fw_rtaa_run_t * run, fw_cell_t from, fw_cell_t to)
{
  const fw_problem_t * problem = run->problem;
  int32_t left = fw__grid_distance(problem->grid, problem->connectivity, from, to);
  for (bool has_moved = true; has_moved && left > 0;) {
    has_moved = false;
    for (int32_t heading = 0; heading < FW_HEADING_COUNT && !has_moved; heading += problem->connectivity == 4 ? 2 : 1) {
      const fw_cell_t next = fw__rtaa_neighbour(run, from, heading);
      has_moved = next != FW_CELL_NONE && fw__grid_distance(problem->grid, problem->connectivity, next, to) == left - 1;
      from = has_moved ? next : from;
    }
    left -= has_moved ? 1 : 0;
  }
  return left == 0;
}

int32_t fw__rtaa_find_cut_off(fw_arena_t * arena, const fw_problem_t * problem)
{
  const fw_arena_mark_t before = fw__arena_mark(arena);
  look_t look;
  if (!look_init(&look, arena, problem)) {
    return -2;
  }
  int32_t found = -1;
  for (int32_t r = 0; r < problem->robot_count && found == -1; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    if (look.marks[robot->start] == 0) {
      (void)look_around(&look, robot->start, FW_CELL_NONE, r + 1);
    }
    found = look.marks[robot->start] != look.marks[robot->goal] ? r : -1;
  }
  fw__arena_rewind(arena, before);
  return found;
}

fw_cost_t fw__rtaa_bound(fw_rtaa_run_t * run)
{
  enum { CELLS_MAX = 1 << 23 };  // looked at for all robots together: some tenths of a second
  const fw_problem_t * problem = run->problem;
  look_t look;
  const bool has_room = look_init(&look, run->context->scratch, problem);
  int64_t seen = has_room ? 0 : CELLS_MAX;
  fw_cost_t bound = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    if (seen < CELLS_MAX && !fw__meter_check(run->context->meter) && !can_walk(run, robot->start, robot->goal)) {
      seen += look_around(&look, robot->start, robot->goal, r + 1);
      bound += look.distances[robot->goal];
    } else {
      bound += fw__grid_distance(problem->grid, problem->connectivity, robot->start, robot->goal);
    }
  }
  return bound;
}
