// fw_route_find: one query on a grid without a router, by A* backwards from the goal (search/distance/distance.h).

#include "fleetweave/search.h"

#include "base/error.h"
#include "search/distance/distance.h"
#include "world/problem.h"

// One query: grid, connectivity and corner cutting, without robots; start and goal.
typedef struct query_t {
  fw_problem_t rules;
  fw_cell_t ends[2];
} query_t;

// Checks grid, start and goal as the problem of one robot.
static fw_ret_t check_query(const fw_route_t * route, const query_t * query, fw_error_t * error)
{
  const fw_robot_t robot = {.start = query->ends[0], .goal = query->ends[1]};
  fw_problem_t problem = query->rules;
  problem.robots = &robot;
  problem.robot_count = 1;
  return fw__problem_check_with(&problem, &route->allocator, error);
}

// From the start along falling exact distances. Ties go to the direction with the smallest number.
static void walk(fw_route_t * route, const fw_moves_t * moves, fw_distance_t * distance, int32_t start_node)
{
  fw_meter_t meter;
  fw__meter_start(&meter, NULL);
  int32_t node = start_node;
  int32_t left = fw__distance_get(distance, node, &meter);
  route->cells[route->length++] = moves->cell_of[node];
  FW_ASSERT(left != FW_DISTANCE_NONE);
  while (left > 0) {
    const int32_t before = left;
    const int32_t * next = fw__moves_successors(moves, node);
    for (int32_t d = 0; d < moves->degree; ++d) {
      if (next[d] < 0) {
        continue;
      }
      // Every place on a shortest path from the start is closed once the start is: its f is no larger.
      const int32_t rest = fw__distance_get(distance, next[d], &meter);
      if (rest != FW_DISTANCE_NONE && rest + fw__moves_cost(moves, next[d]) == left) {
        node = next[d];
        left = rest;
        route->cells[route->length++] = moves->cell_of[node];
        break;
      }
    }
    FW_ASSERT(left < before);
  }
}

// Fills the route. `arena` is for the search alone.
static fw_ret_t find(fw_route_t * route, fw_arena_t * arena, const query_t * query, fw_error_t * error)
{
  const fw_cell_t * ends = query->ends;
  fw_moves_t moves;
  fw_distance_t distance;
  if (
    !fw__moves_init_cells(&moves, arena, &query->rules) ||
    !fw__distance_init(
      &distance, arena,
      &(fw_distance_def_t){
        .moves = &moves, .goal_node = moves.node_of[ends[1]], .aim = ends[0], .is_weighted = true})) {
    return fw__error_memory(error);
  }
  const int32_t start = moves.node_of[ends[0]];
  while (!fw__distance_advance(&distance, start, FW_METER_STRIDE)) {}
  route->expanded = distance.expanded;
  if (distance.has_failed) {
    return fw__error_memory(error);
  }
  const uint32_t entry = fw__distance_entry(&distance, start);
  if ((entry & 1) == 0) {
    return FW_RET_OK;  // no path
  }
  route->cost = (fw_cost_t)(entry >> 1) - 1;
  route->unit = 1;
  // A cell costs at least 1, so there are no more moves than cost, and no more than cells.
  const fw_cost_t longest = route->cost < moves.node_count ? route->cost + 1 : moves.node_count;
  route->cells = fw__allocate_array(&route->allocator, (size_t)longest, sizeof(*route->cells));
  if (route->cells == NULL) {
    return fw__error_memory(error);
  }
  walk(route, &moves, &distance, start);
  return FW_RET_OK;
}

fw_ret_t fw_route_find_for(
  fw_route_t * route, const fw_problem_t * problem, fw_cell_t start, fw_cell_t goal, const fw_allocator_t * allocator,
  fw_error_t * error)
{
  *route = (fw_route_t){.allocator = fw__allocator_or_default(allocator)};
  const query_t query = {
    .rules =
      {
        .grid = problem->grid,
        .connectivity = fw__problem_connectivity(problem),
        .cuts_corners = problem->cuts_corners,
      },
    .ends = {start, goal},
  };
  fw_ret_t ret = check_query(route, &query, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw_memory_t memory = {.allocator = route->allocator, .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  ret = find(route, &arena, &query, error);
  fw__arena_fini(&arena);
  if (ret != FW_RET_OK) {
    fw_route_fini(route);
  }
  return ret;
}

fw_ret_t fw_route_find(
  fw_route_t * route, const fw_grid_t * grid, fw_cell_t start, fw_cell_t goal, int32_t connectivity,
  const fw_allocator_t * allocator, fw_error_t * error)
{
  if (connectivity != 4 && connectivity != 8) {
    *route = (fw_route_t){0};
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "connectivity is %d; it must be 4 or 8", connectivity);
  }
  const fw_problem_t problem = {.grid = grid, .connectivity = connectivity};
  return fw_route_find_for(route, &problem, start, goal, allocator, error);
}

void fw_route_fini(fw_route_t * route)
{
  if (route != NULL) {
    fw__deallocate(&route->allocator, route->cells);
    *route = (fw_route_t){0};
  }
}
