// What a planner needs to know of a fleet before it plans.

#include "planner/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "spacetime/search.h"
#include "world/closures.h"

// ---- moves ----------------------------------------------------------------------------------------------------------

// A table for each shape; the single cell is always there, as rows of the reservation table go by it.
static bool make_moves(fw_fleet_t * fleet, fw_arena_t * arena)
{
  const fw_problem_t * problem = fleet->problem;
  fw_moves_t * places = fw_arena_allocate(arena, 1, sizeof(*places));
  fleet->moves = fw_arena_allocate_zeroed(arena, (size_t)problem->robot_count, sizeof(*fleet->moves));
  if (
    places == NULL || fleet->moves == NULL || !fw_bodies_init(&fleet->bodies, arena, problem) ||
    !fw_moves_init(places, arena, problem->grid, problem->connectivity, fw_footprint_single.cells, 1)) {
    return false;
  }
  fleet->places = places;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (!fw_fleet_set_robot(fleet, arena, r)) {
      return false;
    }
  }
  return true;
}

// ---- distances ------------------------------------------------------------------------------------------------------

typedef struct wish_t {
  const fw_moves_t * moves;
  fw_cell_t goal;
  int32_t robot;
} wish_t;

static int by_goal(const void * a, const void * b)
{
  const wish_t * one = a;
  const wish_t * two = b;
  if (one->goal != two->goal) {
    return one->goal < two->goal ? -1 : 1;
  }
  return one->robot < two->robot ? -1 : 1;
}

// Each robot has the field of its number, but for those of one goal and shape: they have that of the first.
static bool share_fields(fw_fleet_t * fleet, fw_arena_t * arena)
{
  const int32_t count = fleet->problem->robot_count;
  wish_t * wishes = fw_arena_allocate(arena, (size_t)count, sizeof(*wishes));
  fleet->fields = fw_arena_allocate_zeroed(arena, (size_t)count, sizeof(*fleet->fields));
  fleet->field_of = fw_arena_allocate(arena, (size_t)count, sizeof(*fleet->field_of));
  if (wishes == NULL || fleet->fields == NULL || fleet->field_of == NULL) {
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    wishes[r] = (wish_t){fleet->moves[r], fleet->problem->robots[r].goal, r};
    fleet->field_of[r] = fw_fleet_has(fleet, r) ? r : -1;
  }
  if (fleet->problem->horizon > 0) {  // else goals differ
    qsort(wishes, (size_t)count, sizeof(*wishes), by_goal);
    for (int32_t i = 1, first = 0; i < count; ++i) {
      first = wishes[i].goal == wishes[first].goal ? first : i;
      for (int32_t k = first; k < i && fleet->field_of[wishes[i].robot] == wishes[i].robot; ++k) {
        if (wishes[k].moves == wishes[i].moves && fw_fleet_has(fleet, wishes[k].robot)) {
          fleet->field_of[wishes[i].robot] = fleet->field_of[wishes[k].robot];
        }
      }
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    if (fw_fleet_has(fleet, r)) {
      fleet->fields[fleet->field_of[r]].users += 1;
    }
  }
  return true;
}

static int32_t start_node(const fw_fleet_t * fleet, int32_t robot)
{
  const fw_robot_t * shape = &fleet->problem->robots[robot];
  return fw_moves_node(fleet->moves[robot], (fw_pose_t){shape->start, shape->heading});
}

static bool measure(fw_fleet_t * fleet, fw_arena_t * arena, fw_planner_context_t * context, bool is_weighted)
{
  const fw_problem_t * problem = fleet->problem;
  const size_t count = (size_t)problem->robot_count;
  int32_t * starts = fw_arena_allocate(arena, count, sizeof(*starts));
  fw_distance_t ** distances = fw_arena_allocate(arena, count, sizeof(fw_distance_t *));
  bool is_whole = starts != NULL && distances != NULL;
  int32_t fields = 0;
  fleet->is_weighted = is_weighted;
  for (int32_t r = 0; r < problem->robot_count && is_whole; ++r) {
    if (fleet->field_of[r] == r) {
      const fw_robot_t * robot = &problem->robots[r];
      fw_fleet_field_t * field = &fleet->fields[r];
      const int32_t goal = fw_moves_any_node(fleet->moves[r], robot->goal);
      is_whole = fw_distance_init(&field->distance, arena, fleet->moves[r], goal, robot->start, is_weighted);
      field->goal = robot->goal;
      starts[fields] = start_node(fleet, r);
      distances[fields++] = &field->distance;
    }
  }
  if (!is_whole) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return false;
  }
  return fw_distance_prime(distances, starts, fields, context->threads, context->meter);
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

static fw_fleet_state_t read_lengths(fw_fleet_t * fleet, fw_meter_t * meter, fw_error_t * error)
{
  const fw_problem_t * problem = fleet->problem;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (!fw_fleet_has(fleet, r)) {
      continue;
    }
    const int32_t distance = fw_distance_get(fw_fleet_distance(fleet, r), start_node(fleet, r), meter);
    if (fw_meter_has_stopped(meter)) {
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
    fleet->lower_bound += fw_fleet_ticks(fleet, r, distance) + (is_leaving ? 1 : robot->arrives);
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
  fw_search_t search;
  fw_search_init(&search, arena);
  if (!fw_reservations_init(&table, arena, fleet->places, &fleet->bodies)) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  table.robust_ticks = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    if (!fw_fleet_has(fleet, r)) {
      continue;
    }
    const fw_query_t query = {
      .table = &table,
      .moves = fleet->moves[r],
      .robot = r,
      .start = robot->start,
      .heading = robot->heading,
      .now = robot->arrives,
      .horizon = FW_TICK_MAX,
      .distance = fw_fleet_distance(fleet, r),
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
  fw_fleet_t * fleet, fw_arena_t * arena, fw_planner_context_t * context, const fw_problem_t * problem,
  fw_error_t * error)
{
  *fleet = (fw_fleet_t){.problem = problem};
  fleet->lengths = fw_arena_allocate_zeroed(arena, (size_t)problem->robot_count, sizeof(*fleet->lengths));
  if (fleet->lengths == NULL || !make_moves(fleet, arena) || !share_fields(fleet, arena)) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  if (!measure(fleet, arena, context, false)) {
    return FW_FLEET_STOPPED;
  }
  const fw_fleet_state_t state = read_lengths(fleet, context->meter, error);
  if (state != FW_FLEET_READY) {
    return state;
  }
  // Moves gave the bound; what searches follow is the weighted distance.
  if (!is_floor_uniform(fleet) && !measure(fleet, arena, context, true)) {
    return FW_FLEET_STOPPED;
  }
  return problem->closure_count > 0 ? try_alone(fleet, arena, context, error) : FW_FLEET_READY;
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
