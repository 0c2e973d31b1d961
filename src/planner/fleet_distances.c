// Distances to the goals of a fleet: which robots share a field, and how much memory fields may take.
//
// Exact distances of a thousand robots on a large map are gigabytes. The fields of the first robots are made to see; if
// those of all would take too much, they are given back and distances are taken over clusters (search/coarse.h).

#include <stdlib.h>

#include "planner/fleet.h"

const char * const fw_distances_names[] = {
  [FW_DISTANCES_EXACT] = "exact", [FW_DISTANCES_AUTO] = "auto", [FW_DISTANCES_COARSE] = "coarse"};

enum { CLUSTER = 32, SAMPLE = 64 };

// ---- who has which field --------------------------------------------------------------------------------------------

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
bool fw__fleet_share_fields(fw_fleet_t * fleet, fw_arena_t * arena)
{
  const int32_t count = fleet->problem->robot_count;
  wish_t * wishes = fw__arena_allocate(arena, (size_t)count, sizeof(*wishes));
  fleet->fields = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*fleet->fields));
  fleet->field_of = fw__arena_allocate(arena, (size_t)count, sizeof(*fleet->field_of));
  if (wishes == NULL || fleet->fields == NULL || fleet->field_of == NULL) {
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    wishes[r] = (wish_t){fleet->moves[r], fleet->problem->robots[r].goal, r};
    fleet->field_of[r] = fw__fleet_has(fleet, r) ? r : -1;
  }
  if (fleet->problem->horizon > 0) {  // else goals differ
    qsort(wishes, (size_t)count, sizeof(*wishes), by_goal);
    for (int32_t i = 1, first = 0; i < count; ++i) {
      first = wishes[i].goal == wishes[first].goal ? first : i;
      for (int32_t k = first; k < i && fleet->field_of[wishes[i].robot] == wishes[i].robot; ++k) {
        if (wishes[k].moves == wishes[i].moves && fw__fleet_has(fleet, wishes[k].robot)) {
          fleet->field_of[wishes[i].robot] = fleet->field_of[wishes[k].robot];
        }
      }
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    if (fw__fleet_has(fleet, r)) {
      fleet->fields[fleet->field_of[r]].users += 1;
    }
  }
  return true;
}

// ---- clusters -------------------------------------------------------------------------------------------------------

static fw_coarse_t * find_clusters(const fw_fleet_t * fleet, const fw_moves_t * moves)
{
  for (fw_fleet_clusters_t * at = fleet->clusters; at != NULL; at = at->next) {
    if (at->coarse.moves == moves) {
      return &at->coarse;
    }
  }
  return NULL;
}

// Those of each shape of robots; robots that turn have none. False when there is no memory.
static bool make_clusters(fw_fleet_t * fleet, fw_arena_t * arena)
{
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    const fw_moves_t * moves = fleet->moves[r];
    if (moves->heading_of != NULL || find_clusters(fleet, moves) != NULL) {
      continue;
    }
    fw_fleet_clusters_t * clusters = fw__arena_allocate(arena, 1, sizeof(*clusters));
    if (clusters == NULL || fw__coarse_init(&clusters->coarse, arena, moves, CLUSTER, NULL) != FW_RET_OK) {
      return false;
    }
    clusters->next = fleet->clusters;
    fleet->clusters = clusters;
  }
  return true;
}

bool fw__fleet_init_field(
  fw_fleet_t * fleet, fw_arena_t * arena, fw_fleet_field_t * field, int32_t robot, fw_cell_t from)
{
  const fw_moves_t * moves = fleet->moves[robot];
  const int32_t goal = fw__moves_any_node(moves, fleet->problem->robots[robot].goal);
  fw_coarse_t * clusters = find_clusters(fleet, moves);
  field->goal = fleet->problem->robots[robot].goal;
  return fw__distance_init(&field->distance, arena, moves, goal, from, fleet->is_weighted) &&
         (clusters == NULL || fw__distance_use_coarse(&field->distance, clusters, goal));
}

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef struct measure_t {
  fw_fleet_t * fleet;
  fw_arena_t * arena;
  fw_planner_context_t * context;
  int32_t * starts;
  fw_distance_t ** distances;
  int32_t count;
} measure_t;

static bool make_fields(measure_t * measure)
{
  fw_fleet_t * fleet = measure->fleet;
  measure->count = 0;
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    if (fleet->field_of[r] != r) {
      continue;
    }
    const fw_cell_t start = fleet->problem->robots[r].start;
    if (!fw__fleet_init_field(fleet, measure->arena, &fleet->fields[r], r, start)) {
      return false;
    }
    measure->starts[measure->count] = fw__fleet_start_node(fleet, r);
    measure->distances[measure->count++] = &fleet->fields[r].distance;
  }
  return true;
}

static bool prime(const measure_t * measure, int32_t from, int32_t to)
{
  return fw__distance_precompute(
    measure->distances + from, measure->starts + from, to - from, measure->context->threads, measure->context->meter);
}

static size_t limit_bytes(const measure_t * measure)
{
  const int32_t given = measure->fleet->options.exact_mb;
  return given > 0 ? (size_t)given << 20 : measure->arena->memory->max_bytes / 2;
}

// By the first ones: would all of them together take more than they may?
static bool is_too_much(const measure_t * measure, int32_t known)
{
  size_t bytes = 0;
  for (int32_t i = 0; i < known; ++i) {
    bytes += fw__distance_bytes(measure->distances[i]);
  }
  return known > 0 && bytes / (size_t)known * (size_t)measure->count > limit_bytes(measure);
}

bool fw__fleet_measure(fw_fleet_t * fleet, fw_arena_t * arena, fw_planner_context_t * context, bool is_weighted)
{
  const size_t count = (size_t)fleet->problem->robot_count;
  measure_t measure = {.fleet = fleet, .arena = arena, .context = context};
  measure.starts = fw__arena_allocate(arena, count, sizeof(*measure.starts));
  measure.distances = fw__arena_allocate(arena, count, sizeof(fw_distance_t *));
  fleet->is_weighted = is_weighted;
  const bool has_room = measure.starts != NULL && measure.distances != NULL;
  const fw_arena_mark_t mark = fw__arena_mark(arena);
  const bool is_coarse = fleet->options.distances == FW_DISTANCES_COARSE;
  if (!has_room || (is_coarse && !make_clusters(fleet, arena)) || !make_fields(&measure)) {
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
  if (!make_clusters(fleet, arena) || !make_fields(&measure)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return false;
  }
  return prime(&measure, 0, measure.count);
}
