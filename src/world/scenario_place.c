// Random starts and goals for robots of any body: drawn one after the other, with room for their footprints.

#include "base/error.h"
#include "base/rng.h"
#include "fleetweave/files.h"
#include "world/moves.h"
#include "world/problem.h"

enum { START_TRIES = 200, GOAL_TRIES = 500 };

typedef struct place_t {
  fw_arena_t * arena;
  const fw_grid_t * grid;
  fw_problem_t problem;  // behind the door
  fw_bodies_t bodies;
  fw_moves_t ** moves;  // by robot
  bool * is_start;      // by cell
  bool * is_goal;
  int32_t * list;      // nodes that a robot can reach
  uint32_t * reached;  // by node: the number of the flood that has been there
  uint32_t flood;
  fw_rng_t rng;
} place_t;

static bool prepare(place_t * place, const fw_problem_t * rules, const fw_scenario_t * scenario)
{
  const fw_problem_t given = {
    .grid = place->grid,
    .robots = scenario->robots,
    .robot_count = scenario->robot_count,
    .connectivity = rules->connectivity,
    .cuts_corners = rules->cuts_corners,
  };
  const size_t cells = (size_t)fw_grid_cell_count(place->grid);
  const size_t poses = cells * FW_HEADING_COUNT;
  place->problem = fw__problem_normalise(&given, place->arena);
  place->moves = fw__arena_allocate_zeroed(place->arena, (size_t)scenario->robot_count, sizeof(*place->moves));
  place->is_start = fw__arena_allocate_zeroed(place->arena, cells, sizeof(*place->is_start));
  place->is_goal = fw__arena_allocate_zeroed(place->arena, cells, sizeof(*place->is_goal));
  place->list = fw__arena_allocate(place->arena, poses, sizeof(*place->list));
  place->reached = fw__arena_allocate_zeroed(place->arena, poses, sizeof(*place->reached));
  if (
    place->problem.robots == NULL || place->moves == NULL || place->is_start == NULL || place->is_goal == NULL ||
    place->list == NULL || place->reached == NULL || !fw__bodies_init(&place->bodies, place->arena, &place->problem)) {
    return false;
  }
  for (int32_t r = 0; r < scenario->robot_count; ++r) {
    int32_t before = 0;
    while (before < r && place->bodies.of[before] != place->bodies.of[r]) {
      ++before;
    }
    place->moves[r] = before < r ? place->moves[before] : fw__arena_allocate(place->arena, 1, sizeof(fw_moves_t));
    if (
      before == r && (place->moves[r] == NULL ||
                      !fw__moves_init_body(place->moves[r], place->arena, place->grid, place->bodies.of[r]))) {
      return false;
    }
  }
  return true;
}

// Takes the cells of a footprint if they are all free.
static bool take(const place_t * place, int32_t robot, fw_grid_pose_t pose, bool * is_taken)
{
  const fw_footprint_t footprint = place->bodies.of[robot]->footprints[pose.heading];
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < footprint.count; ++i) {
      bool * cell = &is_taken[pose.cell + footprint.cells[i].dy * place->grid->width + footprint.cells[i].dx];
      if (pass == 0 && *cell) {
        return false;
      }
      *cell = *cell || pass == 1;
    }
  }
  return true;
}

// All that can be reached from a node, listed.
static int32_t flood(place_t * place, const fw_moves_t * moves, int32_t start)
{
  int32_t count = 0;
  ++place->flood;
  place->reached[start] = place->flood;
  place->list[count++] = start;
  for (int32_t at = 0; at < count; ++at) {
    const int32_t * next = fw__moves_successors(moves, place->list[at]);
    for (int32_t d = 0; d < moves->degree; ++d) {
      if (next[d] >= 0 && place->reached[next[d]] != place->flood) {
        place->reached[next[d]] = place->flood;
        place->list[count++] = next[d];
      }
    }
  }
  return count;
}

static bool place_goal(place_t * place, int32_t robot, int32_t start, fw_robot_t * placed)
{
  const fw_moves_t * moves = place->moves[robot];
  const int32_t count = flood(place, moves, start);
  for (int32_t tries = 0; tries < GOAL_TRIES; ++tries) {
    const fw_grid_pose_t pose = fw__moves_pose(moves, place->list[fw__rng_below(&place->rng, count)]);
    if (take(place, robot, pose, place->is_goal)) {
      placed->goal = pose.cell;
      return true;
    }
  }
  return false;
}

static bool place_robot(place_t * place, int32_t robot, fw_robot_t * placed)
{
  const fw_moves_t * moves = place->moves[robot];
  for (int32_t tries = 0; tries < START_TRIES && moves->node_count > 0; ++tries) {
    const int32_t any = fw__rng_below(&place->rng, moves->node_count);
    const fw_grid_pose_t pose = {moves->cell_of[any], place->problem.robots[robot].heading};
    const int32_t start = fw__moves_node(moves, pose);
    if (start >= 0 && take(place, robot, pose, place->is_start)) {
      placed->start = pose.cell;
      return place_goal(place, robot, start, placed);
    }
  }
  return false;
}

fw_ret_t fw_scenario_place(fw_scenario_t * scenario, const fw_problem_t * problem, uint64_t seed, fw_error_t * error)
{
  fw_memory_t memory = {.allocator = fw__allocator_or_default(&scenario->allocator), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  place_t place = {.arena = &arena, .grid = problem->grid, .rng = fw__rng(seed)};
  fw_ret_t ret = prepare(&place, problem, scenario) ? FW_RET_OK : fw__error_memory(error);
  for (int32_t r = 0; r < scenario->robot_count && ret == FW_RET_OK; ++r) {
    if (!place_robot(&place, r, &scenario->robots[r])) {
      ret = fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_INVALID, r, FW_CELL_NONE},
        "no room was found for the start or the goal of robot %d, with its footprint", r);
    }
  }
  fw__arena_fini(&arena);
  return ret;
}
