// What a planner knows about the robots of a problem before it plans.
//
// Distances take most of the time and memory here. Each robot needs the true distance to its goal from every place
// that its searches reach (reverse resumable A*, search/distance/distance.h). Robots with the same goal and shape share
// one distance field. Exact fields for a thousand robots on a large map are gigabytes, so the fields of the first
// robots are made and measured; if all fields together would exceed the limit, they are dropped and distances go over
// clusters (search/distance/coarse.h).
//
// Robots that plan one after another need their fields one after another. For them nothing has to be coarse: fields are
// measured in chunks, kept up to the limit, and the others are dropped and searched again when their robots plan.
// Recycled pages are in the processor's cache, so that the second search costs less than pages of one's own.

#include "planner/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "spacetime/search.h"
#include "world/closures.h"

const char * const fw__priorities_names[] = {"yield", "strict"};
const char * const fw__distances_names[] = {
  [FW_DISTANCES_EXACT] = "exact", [FW_DISTANCES_AUTO] = "auto", [FW_DISTANCES_COARSE] = "coarse"};

// Side of a cluster in cells, and how many fields are made to estimate the memory of all.
enum { CLUSTER = 32, SAMPLE = 64 };

// How many fields are measured at once where they may be dropped.
enum { TURN_CHUNK = 64 };

// ---- moves ----------------------------------------------------------------------------------------------------------

// Can robots of both bodies stand in the same places? Speed does not matter where distances are counted in moves.
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

bool fw__fleet_set_robot(fw_fleet_t * fleet, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < fleet->problem->robot_count);
  if (!fw__bodies_set(&fleet->bodies, fleet->arena, robot)) {
    return false;
  }
  const fw_body_t * body = fleet->bodies.of[robot];
  fleet->moves[robot] = NULL;
  if (has_same_places(body, fleet->places->body)) {
    fleet->moves[robot] = fleet->places;
  }
  for (fw_fleet_shape_t * at = fleet->shapes; at != NULL && fleet->moves[robot] == NULL; at = at->next) {
    if (has_same_places(body, at->moves.body)) {
      fleet->moves[robot] = &at->moves;
    }
  }
  if (fleet->moves[robot] == NULL) {
    fw_fleet_shape_t * shape = fw__arena_allocate(fleet->arena, 1, sizeof(*shape));
    if (shape == NULL || !fw__moves_init_body(&shape->moves, fleet->arena, fleet->problem->grid, body)) {
      return false;
    }
    shape->next = fleet->shapes;
    fleet->shapes = shape;
    fleet->moves[robot] = &shape->moves;
  }
  return true;
}

// One table of moves for each shape. The table of the single cell always exists, since the rows of the reservation
// table are numbered by it. False when there is no memory.
static bool make_moves(fw_fleet_t * fleet)
{
  fw_arena_t * arena = fleet->arena;
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
    if (!fw__fleet_set_robot(fleet, r)) {
      return false;
    }
  }
  return true;
}

// ---- which robots share a distance field ----------------------------------------------------------------------------

typedef struct field_request_t {
  const fw_moves_t * moves;
  fw_cell_t goal;
  int32_t robot;
} field_request_t;

static int by_goal(const void * a, const void * b)
{
  const field_request_t * one = a;
  const field_request_t * two = b;
  if (one->goal != two->goal) {
    return one->goal < two->goal ? -1 : 1;
  }
  return one->robot < two->robot ? -1 : 1;
}

// Field r belongs to robot r, except that robots with the same goal and shape all use the field of the first of them.
// False when there is no memory.
static bool share_fields(fw_fleet_t * fleet)
{
  fw_arena_t * arena = fleet->arena;
  const int32_t count = fleet->problem->robot_count;
  field_request_t * requests = fw__arena_allocate(arena, (size_t)count, sizeof(*requests));
  fleet->fields = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*fleet->fields));
  fleet->field_of = fw__arena_allocate(arena, (size_t)count, sizeof(*fleet->field_of));
  if (requests == NULL || fleet->fields == NULL || fleet->field_of == NULL) {
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    requests[r] = (field_request_t){fleet->moves[r], fleet->problem->robots[r].goal, r};
    fleet->field_of[r] = fw__fleet_has_robot(fleet, r) ? r : -1;
  }
  if (fleet->problem->horizon > 0) {  // otherwise the problem check has made sure that goals differ
    qsort(requests, (size_t)count, sizeof(*requests), by_goal);
    for (int32_t i = 1, first = 0; i < count; ++i) {
      first = requests[i].goal == requests[first].goal ? first : i;
      for (int32_t k = first; k < i && fleet->field_of[requests[i].robot] == requests[i].robot; ++k) {
        if (requests[k].moves == requests[i].moves && fw__fleet_has_robot(fleet, requests[k].robot)) {
          fleet->field_of[requests[i].robot] = fleet->field_of[requests[k].robot];
        }
      }
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    if (fw__fleet_has_robot(fleet, r)) {
      fleet->fields[fleet->field_of[r]].users += 1;
    }
  }
  return true;
}

// ---- clusters -------------------------------------------------------------------------------------------------------

// The clusters for robots of these moves; NULL if there are none.
static fw_coarse_t * find_clusters(const fw_fleet_t * fleet, const fw_moves_t * moves)
{
  for (fw_fleet_clusters_t * at = fleet->clusters; at != NULL; at = at->next) {
    if (at->coarse.moves == moves) {
      return &at->coarse;
    }
  }
  return NULL;
}

// Clusters for each shape of robots, except robots that turn. False when there is no memory.
static bool make_clusters(fw_fleet_t * fleet)
{
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    const fw_moves_t * moves = fleet->moves[r];
    if (moves->heading_of != NULL || find_clusters(fleet, moves) != NULL) {
      continue;
    }
    fw_fleet_clusters_t * clusters = fw__arena_allocate(fleet->arena, 1, sizeof(*clusters));
    if (clusters == NULL || fw__coarse_init(&clusters->coarse, fleet->arena, moves, CLUSTER) != FW_RET_OK) {
      return false;
    }
    clusters->next = fleet->clusters;
    fleet->clusters = clusters;
  }
  return true;
}

// The field of the robot's goal, for a robot that is at `from`, in the memory of the present one. False when there is
// no memory.
static bool init_field(fw_fleet_t * fleet, fw_fleet_field_t * field, int32_t robot, fw_cell_t from)
{
  const fw_moves_t * moves = fleet->moves[robot];
  const int32_t goal = fw__moves_any_node(moves, fleet->problem->robots[robot].goal);
  fw_coarse_t * clusters = find_clusters(fleet, moves);
  field->goal = fleet->problem->robots[robot].goal;
  const fw_distance_def_t def = {
    .moves = moves,
    .goal_node = goal,
    .aim = from,
    .is_weighted = fleet->is_weighted,
    .is_for_sipp = fleet->is_for_sipp,
  };
  return fw__distance_remake(&field->distance, fleet->arena, &def) &&
         (clusters == NULL || fw__distance_use_coarse(&field->distance, clusters, goal));
}

// ---- making the fields ----------------------------------------------------------------------------------------------

static int32_t start_node(const fw_fleet_t * fleet, int32_t robot)
{
  const fw_robot_t * shape = &fleet->problem->robots[robot];
  return fw__moves_node(fleet->moves[robot], (fw_grid_pose_t){shape->start, shape->heading});
}

typedef struct measure_t {
  fw_fleet_t * fleet;
  fw_planner_context_t * context;
  int32_t * starts;
  fw_distance_t ** distances;
  int32_t count;
} measure_t;

// One field for each robot that owns one, not yet searched. False when there is no memory.
static bool make_fields(measure_t * measure)
{
  fw_fleet_t * fleet = measure->fleet;
  measure->count = 0;
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    if (fleet->field_of[r] != r) {
      continue;
    }
    const fw_cell_t start = fleet->problem->robots[r].start;
    fleet->fields[r].distance = (fw_distance_t){0};  // its memory may have been rewound
    if (!init_field(fleet, &fleet->fields[r], r, start)) {
      return false;
    }
    measure->starts[measure->count] = start_node(fleet, r);
    measure->distances[measure->count++] = &fleet->fields[r].distance;
  }
  return true;
}

// Searches the fields `from` to `to` up to their robots' starts, in parallel. False if the meter has stopped.
static bool prime(const measure_t * measure, int32_t from, int32_t to)
{
  FW_ASSERT(from <= to && to <= measure->count);
  const fw_distance_targets_t targets = {
    .distances = measure->distances + from, .nodes = measure->starts + from, .count = to - from};
  return fw__distance_precompute(&targets, measure->context->threads, measure->context->meter);
}

// The limit of FW_DISTANCES_AUTO.
static size_t limit_bytes(const fw_fleet_t * fleet)
{
  const int32_t given = fleet->options.exact_mb;
  return given > 0 ? (size_t)given << 20 : fleet->arena->memory->max_bytes / 2;
}

// Extrapolates from the first `known` fields: would all of them together exceed the limit?
static bool is_too_much(const measure_t * measure, int32_t known)
{
  size_t bytes = 0;
  for (int32_t i = 0; i < known; ++i) {
    bytes += fw__distance_bytes(measure->distances[i]);
  }
  return known > 0 && bytes / (size_t)known * (size_t)measure->count > limit_bytes(measure->fleet);
}

// Makes all fields and searches each up to its robot's start. False if the meter has stopped.
static bool measure_all(fw_fleet_t * fleet, fw_planner_context_t * context, bool is_weighted)
{
  fw_arena_t * arena = fleet->arena;
  const size_t count = (size_t)fleet->problem->robot_count;
  measure_t measure = {.fleet = fleet, .context = context};
  measure.starts = fw__arena_allocate(arena, count, sizeof(*measure.starts));
  measure.distances = fw__arena_allocate(arena, count, sizeof(fw_distance_t *));
  fleet->is_weighted = is_weighted;
  const fw_arena_mark_t mark = fw__arena_mark(arena);
  const bool is_coarse = fleet->options.distances == FW_DISTANCES_COARSE;
  if (
    measure.starts == NULL || measure.distances == NULL || (is_coarse && !make_clusters(fleet)) ||
    !make_fields(&measure)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return false;
  }
  const int32_t known = measure.count < SAMPLE ? measure.count : SAMPLE;
  if (!prime(&measure, 0, known)) {
    return false;
  }
  if (fleet->options.distances != FW_DISTANCES_AUTO || !is_too_much(&measure, known)) {
    return prime(&measure, known, measure.count);
  }
  fw__arena_rewind(arena, mark);
  if (!make_clusters(fleet) || !make_fields(&measure)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return false;
  }
  return prime(&measure, 0, measure.count);
}

// ---- fields in turn -------------------------------------------------------------------------------------------------

bool fw__fleet_take_distance(fw_fleet_t * fleet, int32_t robot)
{
  fw_fleet_field_t * field = &fleet->fields[fleet->field_of[robot]];
  if (!fleet->is_in_turn || field->distance.pages != NULL) {
    return true;
  }
  const fw_robot_t * shape = &fleet->problem->robots[robot];
  fleet->again += fleet->measured[fleet->field_of[robot]] >= 0 ? 1 : 0;
  if (fleet->idle_count == 0) {
    return init_field(fleet, field, robot, shape->start);
  }
  field->distance = fleet->idle[--fleet->idle_count];
  field->distance.expanded = 0;
  return fw__distance_restart(&field->distance, fw__moves_any_node(fleet->moves[robot], shape->goal), shape->start);
}

void fw__fleet_leave_distance(fw_fleet_t * fleet, int32_t robot)
{
  if (!fleet->is_in_turn) {
    return;
  }
  fw_fleet_field_t * field = &fleet->fields[fleet->field_of[robot]];
  const size_t bytes = fw__distance_bytes(&field->distance);
  FW_ASSERT(fleet->live_bytes >= field->bytes);
  fleet->live_bytes += bytes - field->bytes;
  field->bytes = bytes;
  if (fleet->live_bytes > fleet->live_max) {
    fleet->live_bytes -= bytes;
    field->bytes = 0;
    const bool is_wanted = fleet->idle_count < TURN_CHUNK;  // no more are ever taken before others are left
    fw__distance_release(&field->distance, is_wanted);
    if (is_wanted) {
      fleet->idle[fleet->idle_count++] = field->distance;
    }
    field->distance = (fw_distance_t){.moves = fleet->moves[robot]};
  }
}

// The distances of robots that plan one after another, on floor of one cost: all of one shape, so that any field can
// have the memory of any other.
static bool can_take_turns(const fw_fleet_t * fleet)
{
  const fw_moves_t * moves = NULL;
  bool is_possible = fleet->is_prioritized && fleet->options.distances == FW_DISTANCES_AUTO;
  for (int32_t r = 0; r < fleet->problem->robot_count && is_possible; ++r) {
    if (fw__fleet_has_robot(fleet, r)) {
      is_possible = moves == NULL || moves == fleet->moves[r];
      moves = fleet->moves[r];
    }
  }
  return is_possible;
}

// Searches every field up to its robot's start, chunk by chunk, and drops what exceeds the limit. False if the meter
// has stopped.
static bool measure_in_turn(fw_fleet_t * fleet, fw_planner_context_t * context)
{
  const int32_t count = fleet->problem->robot_count;
  fleet->is_in_turn = true;
  fleet->live_max = limit_bytes(fleet);
  fleet->idle = fw__arena_allocate(fleet->arena, TURN_CHUNK, sizeof(*fleet->idle));
  fleet->measured = fw__arena_allocate(fleet->arena, (size_t)count, sizeof(*fleet->measured));
  bool has_memory = fleet->idle != NULL && fleet->measured != NULL;
  for (int32_t r = 0; r < count && has_memory; ++r) {
    fleet->measured[r] = -1;
    fleet->fields[r].goal = fleet->problem->robots[r].goal;
    fleet->fields[r].distance.moves = fleet->moves[r];
  }
  for (int32_t r = 0; r < count && has_memory;) {
    fw_distance_t * distances[TURN_CHUNK];
    int32_t starts[TURN_CHUNK], owners[TURN_CHUNK];
    fw_distance_targets_t targets = {.distances = distances, .nodes = starts};
    for (; r < count && targets.count < TURN_CHUNK && has_memory; ++r) {
      if (fleet->field_of[r] == r) {
        has_memory = fw__fleet_take_distance(fleet, r);
        starts[targets.count] = start_node(fleet, r);
        owners[targets.count] = r;
        distances[targets.count++] = &fleet->fields[r].distance;
      }
    }
    if (has_memory && !fw__distance_precompute(&targets, context->threads, context->meter)) {
      return false;
    }
    for (int32_t i = 0; i < targets.count && has_memory; ++i) {
      fleet->measured[owners[i]] = fw__distance_get(distances[i], starts[i], context->meter);
      fw__fleet_leave_distance(fleet, owners[i]);
    }
  }
  if (!has_memory) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  return has_memory && !fw__meter_has_stopped(context->meter);
}

// ---- lengths and the lower bound ------------------------------------------------------------------------------------

// Does every cell that a robot can be on cost the same?
static bool is_floor_uniform(const fw_fleet_t * fleet)
{
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    if (!fleet->moves[r]->is_uniform) {
      return false;
    }
  }
  return true;
}

// The distance of the robot's start. The caller looks at the meter.
static int32_t measured_distance(fw_fleet_t * fleet, int32_t robot, fw_meter_t * meter)
{
  if (fleet->is_in_turn && fleet->field_of[robot] == robot) {
    return fleet->measured[robot];
  }
  if (!fw__fleet_take_distance(fleet, robot)) {
    fw__meter_stop(meter, FW_STOP_MEMORY);
    return FW_DISTANCE_NONE;
  }
  const int32_t distance = fw__distance_get(fw__fleet_distance(fleet, robot), start_node(fleet, robot), meter);
  fw__fleet_leave_distance(fleet, robot);
  return distance;
}

// Fills `lengths` and `lower_bound`. Finds robots that cannot reach their goals.
static fw_fleet_state_t read_lengths(fw_fleet_t * fleet, fw_meter_t * meter, fw_error_t * error)
{
  const fw_problem_t * problem = fleet->problem;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (!fw__fleet_has_robot(fleet, r)) {
      continue;
    }
    const int32_t distance = measured_distance(fleet, r, meter);
    if (fw__meter_has_stopped(meter)) {
      return FW_FLEET_STOPPED;
    }
    if (distance == FW_DISTANCE_NONE) {
      const fw_cell_t goal = problem->robots[r].goal;
      (void)fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_NO_VALID_PATH, r, goal}, "robot %d has no path to its goal (%d,%d)", r,
        fw_grid_x(problem->grid, goal), fw_grid_y(problem->grid, goal));
      return FW_FLEET_UNREACHABLE;
    }
    const int32_t span = fleet->moves[r]->move_span;
    fleet->lengths[r] = (distance + span - 1) / span;
    // A robot that is leaving its goal when the plan begins is listed on the goal until it arrives, at no cost.
    const fw_robot_t * robot = &problem->robots[r];
    const bool is_leaving = robot->arrives > 0 && robot->from == robot->goal && robot->start != robot->goal;
    const int32_t least = fw__fleet_distance(fleet, r)->coarse == NULL
                            ? distance
                            : fw__grid_distance(problem->grid, problem->connectivity, robot->start, robot->goal);
    fleet->lower_bound += fw__fleet_ticks(fleet, r, least) + (is_leaving ? 1 : robot->arrives);
  }
  return FW_FLEET_READY;
}

// ---- closures -------------------------------------------------------------------------------------------------------

// Plans each robot alone among the closures: one that has no path then has none with the others either. Without robust
// ticks, since a plan need not keep them from closures.
static fw_fleet_state_t try_alone(fw_fleet_t * fleet, fw_planner_context_t * context, fw_error_t * error)
{
  const fw_problem_t * problem = fleet->problem;
  fw_reservations_t table;
  fw_spacetime_search_t search;
  fw__spacetime_search_init(&search, fleet->arena);
  if (!fw__reservations_init(&table, fleet->arena, fleet->places, &fleet->bodies)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  table.robust_ticks = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    if (!fw__fleet_has_robot(fleet, r)) {
      continue;
    }
    if (!fw__fleet_take_distance(fleet, r)) {
      fw__meter_stop(context->meter, FW_STOP_MEMORY);
      return FW_FLEET_STOPPED;
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
    fw__fleet_leave_distance(fleet, r);
    if (found == FW_FOUND_NONE) {
      (void)fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_NO_VALID_PATH, r, robot->goal},
        "robot %d has no path to its goal (%d,%d) around the closures", r, fw_grid_x(problem->grid, robot->goal),
        fw_grid_y(problem->grid, robot->goal));
      return FW_FLEET_UNREACHABLE;
    }
    if (found == FW_FOUND_STOPPED) {
      return FW_FLEET_STOPPED;
    }
  }
  return FW_FLEET_READY;
}

// ---- init -----------------------------------------------------------------------------------------------------------

fw_fleet_state_t fw__fleet_init(
  fw_fleet_t * fleet, fw_planner_context_t * context, const fw_problem_t * problem, fw_error_t * error)
{
  FW_ASSERT(problem != NULL && context->meter != NULL && context->threads >= 1);
  fw_arena_t * arena = fleet->arena != NULL ? fleet->arena : context->scratch;
  *fleet = (fw_fleet_t){
    .problem = problem,
    .options = fleet->options,
    .is_prioritized = fleet->is_prioritized,
    .is_for_sipp = fleet->is_prioritized || fleet->is_for_sipp,
    .arena = arena,
  };
  fleet->lengths = fw__arena_allocate_zeroed(arena, (size_t)problem->robot_count, sizeof(*fleet->lengths));
  if (fleet->lengths == NULL || !make_moves(fleet) || !share_fields(fleet)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  const bool is_uniform = is_floor_uniform(fleet);
  // Clusters count moves, and are connected by straight moves that lead both ways.
  if (!is_uniform || problem->cuts_corners || problem->grid->rules != NULL) {
    fleet->options.distances = FW_DISTANCES_EXACT;
  }
  if (is_uniform && can_take_turns(fleet) ? !measure_in_turn(fleet, context) : !measure_all(fleet, context, false)) {
    return FW_FLEET_STOPPED;
  }
  const fw_fleet_state_t state = read_lengths(fleet, context->meter, error);
  if (state != FW_FLEET_READY) {
    return state;
  }
  // The lower bound counts moves; searches follow the weighted distance.
  if (!is_uniform && !measure_all(fleet, context, true)) {
    return FW_FLEET_STOPPED;
  }
  FW_ASSERT(fw__fleet_validate(fleet));
  return problem->closure_count > 0 ? try_alone(fleet, context, error) : FW_FLEET_READY;
}

// ---- robots and goals that change -----------------------------------------------------------------------------------

// The field of that goal if a robot of this shape uses one; otherwise an unused field, preferably one of the same
// shape.
static int32_t find_field(const fw_fleet_t * fleet, const fw_moves_t * moves, fw_cell_t goal)
{
  int32_t unused = -1;
  for (int32_t i = 0; i < fleet->problem->robot_count; ++i) {
    const fw_fleet_field_t * field = &fleet->fields[i];
    if (field->users > 0 && field->goal == goal && field->distance.moves == moves) {
      return i;
    }
    if (field->users == 0 && (unused < 0 || field->distance.moves == moves)) {
      unused = i;
    }
  }
  return unused;
}

bool fw__fleet_set_goal(fw_fleet_t * fleet, int32_t robot, fw_grid_pose_t from, fw_meter_t * meter)
{
  FW_ASSERT(fw__fleet_has_robot(fleet, robot));
  const fw_moves_t * moves = fleet->moves[robot];
  const fw_cell_t goal = fleet->problem->robots[robot].goal;
  const int32_t goal_node = fw__moves_any_node(moves, goal);
  fw__fleet_remove(fleet, robot);
  const int32_t index = find_field(fleet, moves, goal);
  FW_ASSERT(index >= 0);  // there are as many fields as robots, and this robot has just given up its own
  fw_fleet_field_t * field = &fleet->fields[index];
  bool is_whole = goal_node >= 0;
  if (is_whole && field->users == 0) {
    is_whole = field->distance.moves == moves && field->distance.pages != NULL
                 ? fw__distance_restart(&field->distance, goal_node, from.cell)
                 : init_field(fleet, field, robot, from.cell);
    field->goal = goal;
  }
  field->users += 1;
  fleet->field_of[robot] = index;
  const int32_t distance =
    is_whole ? fw__distance_get(&field->distance, fw__moves_node(moves, from), meter) : FW_DISTANCE_NONE;
  if (distance != FW_DISTANCE_NONE) {
    fleet->lengths[robot] = (distance + moves->move_span - 1) / moves->move_span;
  }
  return distance != FW_DISTANCE_NONE;
}

void fw__fleet_remove(fw_fleet_t * fleet, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < fleet->problem->robot_count);
  if (fleet->field_of[robot] >= 0) {
    FW_ASSERT(fleet->fields[fleet->field_of[robot]].users > 0);
    fleet->fields[fleet->field_of[robot]].users -= 1;
    fleet->field_of[robot] = -1;
  }
}

bool fw__fleet_restart_distance(fw_fleet_t * fleet, int32_t robot, fw_grid_pose_t from, int64_t places_max)
{
  fw_distance_t * distance = fw__fleet_distance(fleet, robot);
  if (distance->places <= places_max) {
    return true;
  }
  const fw_cell_t goal = fleet->problem->robots[robot].goal;
  return fw__distance_restart(distance, fw__moves_any_node(fleet->moves[robot], goal), from.cell);
}

// The users of each field are the robots that refer to it, and it has their goal and their moves.
bool fw__fleet_validate(const fw_fleet_t * fleet)
{
  const int32_t count = fleet->problem->robot_count;
  int64_t users = 0;
  int64_t references = 0;
  for (int32_t r = 0; r < count; ++r) {
    users += fleet->fields[r].users;
    const int32_t index = fleet->field_of[r];
    if (index < -1 || index >= count || fleet->fields[r].users < 0) {
      return false;
    }
    if (index < 0) {
      continue;
    }
    ++references;
    const fw_fleet_field_t * field = &fleet->fields[index];
    if (field->users < 1 || field->goal != fleet->problem->robots[r].goal || field->distance.moves != fleet->moves[r]) {
      return false;
    }
  }
  return users == references;
}

// ---- the plan in which all robots wait ------------------------------------------------------------------------------

fw_ret_t fw__plan_wait_all(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_path_buffers_t paths;
  fw_bodies_t bodies;  // made anew: the fleet may have stopped before it had them
  if (
    !fw__path_buffers_init(&paths, context->scratch, problem) || !fw__bodies_init(&bodies, context->scratch, problem)) {
    return fw__error_memory(error);
  }
  plan->outcome = FW_OUTCOME_PARTIAL;
  plan->stop = context->meter->stop;
  plan->safe_until = fw__closures_starts_open_until(&bodies);
  plan->paths = paths.paths;
  return FW_RET_OK;
}

fw_ret_t fw__plan_unsolvable(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_ret_t ret = fw__plan_wait_all(context, problem, plan, error);
  if (ret == FW_RET_OK) {
    plan->outcome = FW_OUTCOME_UNSOLVABLE;
  }
  return ret;
}
