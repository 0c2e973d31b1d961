// What a planner needs to know of a fleet before it plans.

#include "planner/fleet.h"

#include <string.h>

#include "base/error.h"
#include "spacetime/search.h"
#include "world/closures.h"

// ---- moves ----------------------------------------------------------------------------------------------------------

// Speed does not matter where distances are in moves.
static bool has_same_places(const fw_body_t * a, const fw_body_t * b)
{
  if (a == b) {
    return true;
  }
  const fw_footprint_t * f = &a->footprints[0];
  const fw_footprint_t * g = &b->footprints[0];
  return a->turn_ticks == 0 && b->turn_ticks == 0 && f->count == g->count &&
         memcmp(f->cells, g->cells, (size_t)f->count * sizeof(*f->cells)) == 0;
}

// A table for each shape; the single cell is always there, as rows of the reservation table go by it. Fleets have few
// shapes, so that looking through the earlier robots from the front ends soon.
static bool make_moves(fw_fleet_t * fleet, fw_arena_t * arena)
{
  const fw_problem_t * problem = fleet->problem;
  fw_moves_t * places = fw_arena_allocate(arena, 1, sizeof(*places));
  fleet->moves = fw_arena_allocate(arena, (size_t)problem->robot_count, sizeof(*fleet->moves));
  if (
    places == NULL || fleet->moves == NULL || !fw_bodies_init(&fleet->bodies, arena, problem) ||
    !fw_moves_init(places, arena, problem->grid, problem->connectivity, fw_footprint_single.cells, 1)) {
    return false;
  }
  fleet->places = places;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_body_t * body = fleet->bodies.of[r];
    fleet->moves[r] = has_same_places(body, places->body) ? places : NULL;
    for (int32_t before = 0; before < r && fleet->moves[r] == NULL; ++before) {
      if (has_same_places(body, fleet->bodies.of[before])) {
        fleet->moves[r] = fleet->moves[before];
      }
    }
    if (fleet->moves[r] == NULL) {
      fw_moves_t * moves = fw_arena_allocate(arena, 1, sizeof(*moves));
      if (moves == NULL || !fw_moves_init_body(moves, arena, problem->grid, body)) {
        return false;
      }
      fleet->moves[r] = moves;
    }
  }
  return true;
}

// ---- distances ------------------------------------------------------------------------------------------------------

static bool measure(
  fw_fleet_t * fleet, fw_planner_context_t * context, bool is_weighted, fw_distance_t * distances, int32_t * starts)
{
  const fw_problem_t * problem = fleet->problem;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const fw_moves_t * moves = fleet->moves[r];
    const int32_t goal = fw_moves_any_node(moves, robot->goal);
    starts[r] = fw_moves_node(moves, (fw_pose_t){robot->start, robot->heading});
    if (!fw_distance_init(&distances[r], context->scratch, moves, goal, robot->start, is_weighted)) {
      fw_meter_stop(context->meter, FW_STOP_MEMORY);
      return false;
    }
  }
  return fw_distance_prime(distances, starts, problem->robot_count, context->threads, context->meter);
}

static bool is_floor_uniform(const fw_fleet_t * fleet)
{
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    if (!fleet->moves[r]->is_uniform) {
      return false;
    }
  }
  return true;
}

static fw_fleet_state_t read_lengths(fw_fleet_t * fleet, const int32_t * starts, fw_error_t * error)
{
  const fw_problem_t * problem = fleet->problem;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const uint32_t entry = fw__distance_entry(&fleet->distances[r], starts[r]);
    if ((entry & 1) == 0) {
      const fw_cell_t goal = problem->robots[r].goal;
      (void)fw__error_at(
        error, (fw__fault_t){FW_FAULT_NO_VALID_PATH, r, goal}, "robot %d has no way to its goal (%d,%d)", r,
        fw_grid_x(problem->grid, goal), fw_grid_y(problem->grid, goal));
      return FW_FLEET_UNREACHABLE;
    }
    const int32_t distance = (int32_t)(entry >> 1) - 1;
    const int32_t span = fleet->moves[r]->move_span;
    fleet->lengths[r] = (distance + span - 1) / span;
    // On the way off its goal a robot is listed there, at no cost.
    const fw_robot_t * robot = &problem->robots[r];
    const bool is_leaving = robot->arrives > 0 && robot->from == robot->goal && robot->start != robot->goal;
    fleet->lower_bound += fw_fleet_ticks(fleet, r, distance) + (is_leaving ? 1 : robot->arrives);
  }
  return FW_FLEET_READY;
}

// ---- closures -------------------------------------------------------------------------------------------------------

// Each robot alone among the closures: one that finds no way then finds none with the others. Without robust ticks, since
// no plan has to keep them from closures.
static fw_fleet_state_t try_alone(fw_fleet_t * fleet, fw_planner_context_t * context, fw_error_t * error)
{
  const fw_problem_t * problem = fleet->problem;
  fw_reservations_t table;
  fw_search_t search;
  fw_search_init(&search, context->scratch);
  if (!fw_reservations_init(&table, context->scratch, fleet->places, &fleet->bodies)) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  table.robust_ticks = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const fw_query_t query = {
      .table = &table,
      .moves = fleet->moves[r],
      .robot = r,
      .start = robot->start,
      .heading = robot->heading,
      .now = robot->arrives,
      .horizon = FW_TICK_MAX,
      .distance = &fleet->distances[r],
    };
    fw_path_t path;
    const fw_found_t found = fw_search_path(&search, &query, context->meter, &path);
    if (found == FW_FOUND_NONE) {
      (void)fw__error_at(
        error, (fw__fault_t){FW_FAULT_NO_VALID_PATH, r, robot->goal},
        "robot %d has no way to its goal (%d,%d) around what is closed", r, fw_grid_x(problem->grid, robot->goal),
        fw_grid_y(problem->grid, robot->goal));
      return FW_FLEET_UNREACHABLE;
    }
    if (found == FW_FOUND_STOPPED) {
      return FW_FLEET_STOPPED;
    }
  }
  return FW_FLEET_READY;
}

fw_fleet_state_t fw_fleet_init(
  fw_fleet_t * fleet, fw_planner_context_t * context, const fw_problem_t * problem, fw_error_t * error)
{
  fw_arena_t * arena = context->scratch;
  const size_t count = (size_t)problem->robot_count;
  *fleet = (fw_fleet_t){.problem = problem};
  int32_t * starts = fw_arena_allocate(arena, count, sizeof(*starts));
  fleet->lengths = fw_arena_allocate(arena, count, sizeof(*fleet->lengths));
  fleet->distances = fw_arena_allocate(arena, count, sizeof(*fleet->distances));
  if (starts == NULL || fleet->lengths == NULL || fleet->distances == NULL || !make_moves(fleet, arena)) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  if (!measure(fleet, context, false, fleet->distances, starts)) {
    return FW_FLEET_STOPPED;
  }
  const fw_fleet_state_t state = read_lengths(fleet, starts, error);
  if (state != FW_FLEET_READY) {
    return state;
  }
  // Moves gave the bound; what searches follow is the weighted distance.
  if (!is_floor_uniform(fleet) && !measure(fleet, context, true, fleet->distances, starts)) {
    return FW_FLEET_STOPPED;
  }
  return problem->closure_count > 0 ? try_alone(fleet, context, error) : FW_FLEET_READY;
}

fw_ret_t fw_fleet_answer(
  fw_fleet_state_t state, fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan,
  fw_error_t * error)
{
  fw__paths_t paths;
  fw_bodies_t bodies;  // the fleet may not have got that far
  if (!fw__paths_init(&paths, context->scratch, problem) || !fw_bodies_init(&bodies, context->scratch, problem)) {
    return fw__error_memory(error);
  }
  plan->outcome = state == FW_FLEET_UNREACHABLE ? FW_OUTCOME_UNSOLVABLE : FW_OUTCOME_PARTIAL;
  plan->stop = context->meter->stop;
  plan->safe_until = fw__closures_starts_open_until(&bodies);
  plan->paths = paths.paths;
  return FW_RET_OK;
}

void fw__plan_count(fw_plan_t * plan, const char * name, int64_t value)
{
  if (plan->stats.counter_count < FW_COUNTERS_MAX) {
    plan->stats.counters[plan->stats.counter_count++] = (fw_counter_t){.name = name, .value = value};
  }
}
