// The earliest schedule of a sequence of configurations with robust ticks.

#include "planner/lacam/step_schedule.h"

#include "base/assert.h"

// An array of `count` numbers, all `value`; NULL when there is no memory.
static int32_t * make_array(fw_arena_t * arena, size_t count, int32_t value)
{
  int32_t * array = fw__arena_allocate(arena, count, sizeof(*array));
  for (size_t i = 0; i < count && array != NULL; ++i) {
    array[i] = value;
  }
  return array;
}

bool fw__step_schedule_init(
  fw_step_schedule_t * schedule, fw_arena_t * arena, const fw_pibt_generator_t * pibt, const int32_t * places)
{
  const fw_problem_t * problem = pibt->problem;
  const fw_moves_t * moves = pibt->moves;
  const size_t count = (size_t)problem->robot_count, place_count = (size_t)moves->node_count;
  const bool has_diagonals = moves->degree > 4;
  *schedule = (fw_step_schedule_t){.problem = problem, .moves = moves, .goals = pibt->goals, .arena = arena};
  schedule->now = make_array(arena, count, 0);
  schedule->visits = fw__arena_allocate_zeroed(arena, count, sizeof(*schedule->visits));
  schedule->standing = make_array(arena, place_count, -1);
  schedule->last_robots = make_array(arena, place_count, -1);
  schedule->free_from = make_array(arena, place_count, 0);
  schedule->crossed[0] = has_diagonals ? make_array(arena, place_count, 0) : NULL;
  schedule->crossed[1] = has_diagonals ? make_array(arena, place_count, 0) : NULL;
  schedule->chain = make_array(arena, count, 0);
  if (
    schedule->now == NULL || schedule->visits == NULL || schedule->standing == NULL || schedule->last_robots == NULL ||
    schedule->free_from == NULL || schedule->chain == NULL ||
    (has_diagonals && (schedule->crossed[0] == NULL || schedule->crossed[1] == NULL))) {
    return false;
  }
  bool is_whole = true;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    schedule->now[r] = places[r];
    schedule->standing[places[r]] = r;
    is_whole = is_whole && fw__list_push_in(arena, &schedule->visits[r], places[r]) &&
               fw__list_push_in(arena, &schedule->visits[r], 0);
  }
  return is_whole;
}

static fw_tick_t last_arrival(const fw_step_schedule_t * schedule, int32_t robot)
{
  const fw_list_t * visits = &schedule->visits[robot];
  return visits->items[visits->count - 1];
}

// The entry of the square that a diagonal move crosses, NULL for another move; `other` is that of the other diagonal.
static fw_tick_t * find_crossing(
  const fw_step_schedule_t * schedule, int32_t from, int32_t to, const fw_tick_t ** other)
{
  if (schedule->crossed[0] == NULL) {
    return NULL;
  }
  const fw_moves_t * moves = schedule->moves;
  const fw_grid_t * grid = moves->grid;
  const int32_t from_x = fw_grid_x(grid, moves->cell_of[from]), from_y = fw_grid_y(grid, moves->cell_of[from]);
  const int32_t dx = fw_grid_x(grid, moves->cell_of[to]) - from_x, dy = fw_grid_y(grid, moves->cell_of[to]) - from_y;
  if (dx == 0 || dy == 0) {
    return NULL;
  }
  // Two diagonals cross only if all four cells are free: then the upper left one has a place.
  const fw_cell_t corner = fw_grid_cell(grid, dx > 0 ? from_x : from_x - 1, dy > 0 ? from_y : from_y - 1);
  const int32_t square = moves->node_of[corner];
  if (square < 0) {
    return NULL;
  }
  const int32_t kind = (dx > 0) == (dy > 0) ? 0 : 1;
  *other = &schedule->crossed[1 - kind][square];
  return &schedule->crossed[kind][square];
}

// The robot moves as early as it can, but not before `earliest`; the robot on the place, if there was one, has left it.
static bool move(fw_step_schedule_t * schedule, int32_t robot, int32_t to, fw_tick_t earliest)
{
  const int32_t from = schedule->now[robot];
  const fw_tick_t * other = NULL;
  fw_tick_t * crossing = find_crossing(schedule, from, to, &other);
  fw_tick_t tick = last_arrival(schedule, robot) + 1;
  tick = earliest > tick ? earliest : tick;
  if (schedule->last_robots[to] >= 0 && schedule->last_robots[to] != robot && schedule->free_from[to] > tick) {
    tick = schedule->free_from[to];
  }
  if (crossing != NULL) {
    tick = *other >= tick ? *other + 1 : tick;
    *crossing = tick > *crossing ? tick : *crossing;
  }
  schedule->standing[from] = schedule->standing[from] == robot ? -1 : schedule->standing[from];
  schedule->last_robots[from] = robot;
  schedule->free_from[from] = tick + schedule->problem->robust_ticks;
  schedule->standing[to] = robot;
  schedule->now[robot] = to;
  schedule->end = tick > schedule->end ? tick : schedule->end;
  return fw__list_push(&schedule->visits[robot], to) && fw__list_push(&schedule->visits[robot], tick);
}

bool fw__step_schedule_add(fw_step_schedule_t * schedule, const int32_t * next)
{
  const int32_t count = schedule->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    int32_t length = 0;
    int32_t robot = r;
    while (robot >= 0 && schedule->now[robot] != next[robot]) {  // up to the first of the row
      FW_ASSERT(length < count);                                 // no rotation
      schedule->chain[length++] = robot;
      robot = schedule->standing[next[robot]];
    }
    FW_ASSERT(length == 0 || robot < 0);  // else two robots would be on one place
    for (; length > 0; --length) {
      robot = schedule->chain[length - 1];
      // A robot on its goal need not leave before the one that wants its place can come.
      const bool is_resting = length > 1 && schedule->now[robot] == schedule->goals[robot];
      const fw_tick_t earliest =
        is_resting ? last_arrival(schedule, schedule->chain[length - 2]) + 1 - schedule->problem->robust_ticks : 0;
      if (!move(schedule, robot, next[robot], earliest)) {
        return false;
      }
    }
  }
  return true;
}

// The tick of the robot's last move up to `until`.
static fw_tick_t last_move(const fw_list_t * visits, fw_tick_t until)
{
  fw_tick_t last = 0;
  for (int32_t i = 1; i < visits->count && visits->items[i] <= until; i += 2) {
    last = visits->items[i];
  }
  return last;
}

fw_path_t * fw__step_schedule_paths(const fw_step_schedule_t * schedule, fw_tick_t until)
{
  const int32_t count = schedule->problem->robot_count;
  fw_path_t * paths = fw__arena_allocate(schedule->arena, (size_t)count, sizeof(*paths));
  for (int32_t r = 0; r < count && paths != NULL; ++r) {
    const fw_list_t * visits = &schedule->visits[r];
    const fw_tick_t last = last_move(visits, until);
    fw_cell_t * cells = fw__arena_allocate(schedule->arena, (size_t)last + 1, sizeof(*cells));
    if (cells == NULL) {
      return NULL;
    }
    int32_t at = 0;
    for (fw_tick_t tick = 0; tick <= last; ++tick) {
      at += at + 3 < visits->count && visits->items[at + 3] == tick ? 2 : 0;
      cells[tick] = schedule->moves->cell_of[visits->items[at]];
    }
    paths[r] = (fw_path_t){.cells = cells, .length = last + 1};
  }
  return paths;
}
