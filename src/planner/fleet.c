// What a planner needs to know of a fleet before it plans.

#include "planner/fleet.h"

#include "base/error.h"
#include "spacetime/search.h"
#include "world/closures.h"

// ---- moves ----------------------------------------------------------------------------------------------------------

// A table for each shape; the single cell is always there, as rows of the reservation table go by it.
static bool make_moves(fw_fleet_t * fleet, fw_arena_t * arena)
{
  const fw_problem_t * problem = fleet->problem;
  fw_moves_t * places = fw__arena_allocate(arena, 1, sizeof(*places));
  fleet->moves = fw__arena_allocate_zeroed(arena, (size_t)problem->robot_count, sizeof(*fleet->moves));
  if (
    places == NULL || fleet->moves == NULL || !fw__bodies_init(&fleet->bodies, arena, problem) ||
    !fw__moves_init_cells(places, arena, problem)) {
    return false;
  }
  fleet->places = places;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (!fw__fleet_set_robot(fleet, arena, r)) {
      return false;
    }
  }
  return true;
}

// ---- distances ------------------------------------------------------------------------------------------------------

static bool is_floor_uniform(const fw_fleet_t * fleet)
{
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    if (!fleet->moves[r]->is_uniform) {
      return false;
    }
  }
  return true;
}

static fw_fleet_state_t read_lengths(fw_fleet_t * fleet, fw_meter_t * meter, fw_error_t * error)
{
  const fw_problem_t * problem = fleet->problem;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (!fw__fleet_has(fleet, r)) {
      continue;
    }
    fw_distance_t * field = fw__fleet_distance(fleet, r);
    const int32_t distance = fw__distance_get(field, fw__fleet_start_node(fleet, r), meter);
    if (fw__meter_has_stopped(meter)) {
      return FW_FLEET_STOPPED;
    }
    if (distance == FW_DISTANCE_NONE) {
      const fw_cell_t goal = problem->robots[r].goal;
      (void)fw__error_at(
        error, (fw__fault_t){FW_FAULT_NO_VALID_PATH, r, goal}, "robot %d has no way to its goal (%d,%d)", r,
        fw_grid_x(problem->grid, goal), fw_grid_y(problem->grid, goal));
      return FW_FLEET_UNREACHABLE;
    }
    const int32_t span = fleet->moves[r]->move_span;
    fleet->lengths[r] = (distance + span - 1) / span;
    // On the way off its goal a robot is listed there, at no cost.
    const fw_robot_t * robot = &problem->robots[r];
    const bool is_leaving = robot->arrives > 0 && robot->from == robot->goal && robot->start != robot->goal;
    const int32_t least = field->coarse == NULL
                            ? distance
                            : fw__moves_estimate(problem->grid, problem->connectivity, robot->start, robot->goal);
    fleet->lower_bound += fw__fleet_ticks(fleet, r, least) + (is_leaving ? 1 : robot->arrives);
  }
  return FW_FLEET_READY;
}

// ---- closures -------------------------------------------------------------------------------------------------------

// Each robot alone among the closures: one that finds no way then finds none with the others. Without robust ticks, since
// no plan has to keep them from closures.
static fw_fleet_state_t try_alone(
  fw_fleet_t * fleet, fw_arena_t * arena, fw_planner_context_t * context, fw_error_t * error)
{
  const fw_problem_t * problem = fleet->problem;
  fw_reservations_t table;
  fw_spacetime_search_t search;
  fw__spacetime_search_init(&search, arena);
  if (!fw__reservations_init(&table, arena, fleet->places, &fleet->bodies)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  table.robust_ticks = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    if (!fw__fleet_has(fleet, r)) {
      continue;
    }
    const fw_spacetime_query_t query = {
      .table = &table,
      .moves = fleet->moves[r],
      .robot = r,
      .start = robot->start,
      .heading = robot->heading,
      .now = robot->arrives,
      .horizon = FW_TICK_MAX,
      .distance = fw__fleet_distance(fleet, r),
    };
    fw_path_t path;
    const fw_found_t found = fw__spacetime_search_path(&search, &query, context->meter, &path);
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

fw_fleet_state_t fw__fleet_init(
  fw_fleet_t * fleet, fw_arena_t * arena, fw_planner_context_t * context, const fw_problem_t * problem,
  fw_error_t * error)
{
  *fleet = (fw_fleet_t){.problem = problem, .options = fleet->options};
  fleet->lengths = fw__arena_allocate_zeroed(arena, (size_t)problem->robot_count, sizeof(*fleet->lengths));
  if (fleet->lengths == NULL || !make_moves(fleet, arena) || !fw__fleet_share_fields(fleet, arena)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  const bool is_uniform = is_floor_uniform(fleet);
  if (!is_uniform || problem->cuts_corners) {  // clusters count moves, and are tied by straight ones alone
    fleet->options.distances = FW_DISTANCES_EXACT;
  }
  if (!fw__fleet_measure(fleet, arena, context, false)) {
    return FW_FLEET_STOPPED;
  }
  const fw_fleet_state_t state = read_lengths(fleet, context->meter, error);
  if (state != FW_FLEET_READY) {
    return state;
  }
  // Moves gave the bound; what searches follow is the weighted distance.
  if (!is_uniform && !fw__fleet_measure(fleet, arena, context, true)) {
    return FW_FLEET_STOPPED;
  }
  return problem->closure_count > 0 ? try_alone(fleet, arena, context, error) : FW_FLEET_READY;
}

fw_ret_t fw__fleet_answer(
  fw_fleet_state_t state, fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan,
  fw_error_t * error)
{
  fw__paths_t paths;
  fw_bodies_t bodies;  // the fleet may not have got that far
  if (!fw__paths_init(&paths, context->scratch, problem) || !fw__bodies_init(&bodies, context->scratch, problem)) {
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
