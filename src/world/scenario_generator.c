// Random scenarios: robots of one cell anywhere on a grid, and robots of any body drawn one after the other.

#include "base/assert.h"
#include "base/error.h"
#include "base/rng.h"
#include "fleetweave/files.h"
#include "world/moves.h"
#include "world/problem.h"

// ---- robots of one cell ---------------------------------------------------------------------------------------------

// Labels the connected components of the free cells from 1, by flood fill with a stack. A diagonal needs both its side
// cells, so that the components are the same for 4 and 8 directions, unless corners may be cut.
static void label_components(const fw_problem_t * problem, int32_t * component, fw_cell_t * stack)
{
  const fw_grid_t * grid = problem->grid;
  const int32_t directions = problem->cuts_corners ? 8 : 4;
  int32_t component_count = 0;
  for (fw_cell_t seed = 0; seed < fw_grid_cell_count(grid); ++seed) {
    if (grid->cost[seed] == 0 || component[seed] != 0) {
      continue;
    }
    component[seed] = ++component_count;
    int32_t count = 0;
    stack[count++] = seed;
    while (count > 0) {
      const fw_cell_t cell = stack[--count];
      const int32_t x = fw_grid_x(grid, cell);
      const int32_t y = fw_grid_y(grid, cell);
      const int32_t beside[8][2] = {{x + 1, y},     {x - 1, y},     {x, y + 1},     {x, y - 1},
                                    {x + 1, y + 1}, {x - 1, y + 1}, {x - 1, y - 1}, {x + 1, y - 1}};
      for (int32_t i = 0; i < directions; ++i) {
        if (fw_grid_is_free(grid, beside[i][0], beside[i][1])) {
          const fw_cell_t next = fw_grid_cell(grid, beside[i][0], beside[i][1]);
          if (component[next] == 0) {
            component[next] = component_count;
            stack[count++] = next;
          }
        }
      }
    }
  }
}

// The free cells and the component of every cell.
typedef struct floor_t {
  int32_t * component;  // by cell, from 1
  fw_cell_t * cells;    // the free ones
  int32_t count;
} floor_t;

// Starts are the first cells of a shuffled list. Goals come from a second shuffle: for each robot the first cell in its
// component that is not a goal yet. There is always one: a component has no more starts than cells, and each start
// takes one goal.
static void draw_robots(fw_scenario_t * scenario, const floor_t * floor, int32_t wanted, uint64_t seed)
{
  fw_rng_t rng = fw__rng(seed);
  fw_cell_t * cells = floor->cells;
  fw__rng_shuffle(&rng, cells, floor->count);
  for (int32_t r = 0; r < wanted; ++r) {
    scenario->robots[r].start = cells[r];
  }
  fw__rng_shuffle(&rng, cells, floor->count);
  int32_t used = 0;  // cells[0 .. used) are goals
  for (int32_t r = 0; r < wanted; ++r) {
    int32_t at = used;
    while (floor->component[cells[at]] != floor->component[scenario->robots[r].start]) {
      ++at;
      FW_ASSERT(at < floor->count);
    }
    const fw_cell_t goal = cells[at];
    cells[at] = cells[used];
    cells[used++] = goal;
    scenario->robots[r].goal = goal;
  }
  scenario->robot_count = wanted;
}

fw_ret_t fw_scenario_make_for(
  fw_scenario_t * scenario, const fw_problem_t * problem, uint64_t seed, const fw_allocator_t * allocator,
  fw_error_t * error)
{
  *scenario = (fw_scenario_t){.allocator = fw__allocator_or_default(allocator)};
  const fw_grid_t * grid = problem->grid;
  const int32_t robot_count = problem->robot_count;
  const fw_allocator_t * owner = &scenario->allocator;
  const size_t cell_count = (size_t)fw_grid_cell_count(grid);
  if (robot_count < 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%d robots: there must be 0 or more", robot_count);
  }
  fw_ret_t ret = FW_RET_OK;
  floor_t floor = {
    .component = fw__allocate_array(owner, cell_count, sizeof(*floor.component)),
    .cells = fw__allocate_array(owner, cell_count, sizeof(*floor.cells)),
  };
  scenario->robots = fw__allocate_array(owner, (size_t)robot_count, sizeof(*scenario->robots));
  if (scenario->robots != NULL && fw_grid_has_rules(grid)) {  // components say nothing where moves lead one way
    scenario->robot_count = robot_count;
    ret = fw_scenario_place(scenario, problem, seed, error);
    goto cleanup;
  }
  if (floor.component == NULL || floor.cells == NULL || scenario->robots == NULL) {
    ret = fw__error_memory(error);
    goto cleanup;
  }
  label_components(problem, floor.component, floor.cells);
  for (fw_cell_t cell = 0; cell < (fw_cell_t)cell_count; ++cell) {
    if (grid->cost[cell] != 0) {
      floor.cells[floor.count++] = cell;
    }
  }
  if (robot_count > floor.count) {
    ret = fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%d robots do not fit on %d free cells: use fewer robots or a larger map",
      robot_count, floor.count);
  } else {
    draw_robots(scenario, &floor, robot_count, seed);
  }
cleanup:
  fw__deallocate(owner, floor.component);
  fw__deallocate(owner, floor.cells);
  if (ret != FW_RET_OK) {
    fw_scenario_fini(scenario);
  }
  return ret;
}

fw_ret_t fw_scenario_make(
  fw_scenario_t * scenario, const fw_grid_t * grid, int32_t robot_count, uint64_t seed,
  const fw_allocator_t * allocator, fw_error_t * error)
{
  const fw_problem_t problem = {.grid = grid, .robot_count = robot_count};
  return fw_scenario_make_for(scenario, &problem, seed, allocator, error);
}

// ---- robots of any body ---------------------------------------------------------------------------------------------

enum { START_TRIES = 200, GOAL_TRIES = 500 };

typedef struct placement_t {
  fw_arena_t * arena;
  const fw_grid_t * grid;
  fw_problem_t problem;  // normalised
  fw_bodies_t bodies;
  fw_moves_t ** moves;  // by robot
  bool * is_start;      // by cell: covered by a robot at its start
  bool * is_goal;       // by cell: covered by a robot at its goal
  int32_t * list;       // the nodes that a flood has reached
  uint32_t * reached;   // by node: the number of the flood that has reached it last
  uint32_t flood;
  fw_rng_t rng;
} placement_t;

// False when there is no memory.
static bool prepare(placement_t * placement, const fw_problem_t * rules, const fw_scenario_t * scenario)
{
  const fw_problem_t given = {
    .grid = placement->grid,
    .robots = scenario->robots,
    .robot_count = scenario->robot_count,
    .connectivity = rules->connectivity,
    .cuts_corners = rules->cuts_corners,
  };
  const size_t cells = (size_t)fw_grid_cell_count(placement->grid);
  const size_t poses = cells * FW_HEADING_COUNT;
  placement->problem = fw__problem_normalise(&given, placement->arena);
  placement->moves =
    fw__arena_allocate_zeroed(placement->arena, (size_t)scenario->robot_count, sizeof(*placement->moves));
  placement->is_start = fw__arena_allocate_zeroed(placement->arena, cells, sizeof(*placement->is_start));
  placement->is_goal = fw__arena_allocate_zeroed(placement->arena, cells, sizeof(*placement->is_goal));
  placement->list = fw__arena_allocate(placement->arena, poses, sizeof(*placement->list));
  placement->reached = fw__arena_allocate_zeroed(placement->arena, poses, sizeof(*placement->reached));
  if (
    fw__arena_has_failed(placement->arena) ||
    !fw__bodies_init(&placement->bodies, placement->arena, &placement->problem)) {
    return false;
  }
  for (int32_t r = 0; r < scenario->robot_count; ++r) {
    int32_t before = 0;
    while (before < r && placement->bodies.of[before] != placement->bodies.of[r]) {
      ++before;
    }
    placement->moves[r] =
      before < r ? placement->moves[before] : fw__arena_allocate(placement->arena, 1, sizeof(fw_moves_t));
    if (
      before == r &&
      (placement->moves[r] == NULL ||
       !fw__moves_init_body(placement->moves[r], placement->arena, placement->grid, placement->bodies.of[r]))) {
      return false;
    }
  }
  return true;
}

// Takes the cells of a footprint if none of them is taken.
static bool take(const placement_t * placement, int32_t robot, fw_grid_pose_t pose, bool * is_taken)
{
  const fw_footprint_t footprint = placement->bodies.of[robot]->footprints[pose.heading];
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < footprint.count; ++i) {
      bool * cell = &is_taken[pose.cell + footprint.cells[i].dy * placement->grid->width + footprint.cells[i].dx];
      if (pass == 0 && *cell) {
        return false;
      }
      *cell = *cell || pass == 1;
    }
  }
  return true;
}

// Lists all nodes that can be reached from a node. Returns how many there are.
static int32_t flood(placement_t * placement, const fw_moves_t * moves, int32_t start)
{
  int32_t count = 0;
  ++placement->flood;
  placement->reached[start] = placement->flood;
  placement->list[count++] = start;
  for (int32_t at = 0; at < count; ++at) {
    const int32_t * next = fw__moves_successors(moves, placement->list[at]);
    for (int32_t d = 0; d < moves->degree; ++d) {
      if (next[d] >= 0 && placement->reached[next[d]] != placement->flood) {
        placement->reached[next[d]] = placement->flood;
        placement->list[count++] = next[d];
      }
    }
  }
  return count;
}

// False if no room was found.
static bool place_goal(placement_t * placement, int32_t robot, int32_t start, fw_robot_t * placed)
{
  const fw_moves_t * moves = placement->moves[robot];
  const int32_t count = flood(placement, moves, start);
  for (int32_t tries = 0; tries < GOAL_TRIES; ++tries) {
    const fw_grid_pose_t pose = fw__moves_pose(moves, placement->list[fw__rng_below(&placement->rng, count)]);
    if (fw_grid_allows_waiting(placement->grid, pose.cell) && take(placement, robot, pose, placement->is_goal)) {
      placed->goal = pose.cell;
      return true;
    }
  }
  return false;
}

static bool place_robot(placement_t * placement, int32_t robot, fw_robot_t * placed)
{
  const fw_moves_t * moves = placement->moves[robot];
  for (int32_t tries = 0; tries < START_TRIES && moves->node_count > 0; ++tries) {
    const int32_t any = fw__rng_below(&placement->rng, moves->node_count);
    const fw_grid_pose_t pose = {moves->cell_of[any], placement->problem.robots[robot].heading};
    const int32_t start = fw__moves_node(moves, pose);
    if (start >= 0 && take(placement, robot, pose, placement->is_start)) {
      placed->start = pose.cell;
      return place_goal(placement, robot, start, placed);
    }
  }
  return false;
}

fw_ret_t fw_scenario_place(fw_scenario_t * scenario, const fw_problem_t * problem, uint64_t seed, fw_error_t * error)
{
  fw_memory_t memory = {.allocator = fw__allocator_or_default(&scenario->allocator), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  placement_t placement = {.arena = &arena, .grid = problem->grid, .rng = fw__rng(seed)};
  fw_ret_t ret = prepare(&placement, problem, scenario) ? FW_RET_OK : fw__error_memory(error);
  for (int32_t r = 0; r < scenario->robot_count && ret == FW_RET_OK; ++r) {
    if (!place_robot(&placement, r, &scenario->robots[r])) {
      ret = fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_INVALID, r, FW_CELL_NONE},
        "no room was found for the start or the goal of robot %d with its footprint: use fewer robots or a larger map",
        r);
    }
  }
  fw__arena_fini(&arena);
  return ret;
}
