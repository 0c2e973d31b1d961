// A* or jump point search, whichever does less work on this map.
//
// Jump point search skips all but few cells, but looks along lines for them: between large obstacles it is ten times
// faster than A*, among scattered ones half as fast. Both find shortest paths. So the build asks both the same few
// queries and compares their expansions, with a weight for the scans of a jump point. Expansions and not time: the
// choice, and with it the path among equally short ones, is the same on every machine.

#include "base/rng.h"
#include "search/router.h"

enum {
  SAMPLES = 16,
  SAMPLE_EXPANSIONS_MAX = 50000,
  // Time of an expansion of jump point search over that of A*, measured on eight maps (docs/search.md). With four
  // directions jump points are rarer and lines between them longer.
  WEIGHT_4 = 16,
  WEIGHT_8 = 7,
};

// A search with a context of its own: its state and its parameters, at their defaults.
typedef struct part_t {
  const fw_router_def_t * def;
  fw_router_context_t context;
  int64_t parameters[FW_PARAMETERS_MAX];
} part_t;

typedef struct automatic_t {
  part_t astar;
  part_t jps;
  part_t * chosen;
} automatic_t;

static fw_ret_t build_part(
  part_t * part, const fw_router_def_t * def, const fw_router_context_t * context, fw_error_t * error)
{
  part->def = def;
  part->context =
    (fw_router_context_t){.built = context->built, .floor = context->floor, .parameters = part->parameters};
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    part->parameters[i] = def->parameters[i].initial;
  }
  return def->build(&part->context, error);
}

// Expansions of one search for all samples, or INT64_MAX if they are too many to tell.
static int64_t sample(part_t * part, fw_trail_t * trail)
{
  const fw_floor_t * floor = part->context.floor;
  fw_rng_t rng = fw__rng(1);
  fw_meter_t meter;
  const fw_budget_t budget = {.expansions_max = SAMPLE_EXPANSIONS_MAX};
  fw__meter_start(&meter, &budget);
  part->context.meter = &meter;
  part->context.trail = trail;
  int64_t sum = 0;
  for (int32_t tries = 0, asked = 0; tries < 100 * SAMPLES && asked < SAMPLES; ++tries) {
    const int32_t start = fw__rng_below(&rng, floor->place_count);
    const int32_t goal = fw__rng_below(&rng, floor->place_count);
    if (floor->cost[start] == 0 || floor->cost[goal] == 0 || start == goal) {
      continue;
    }
    ++asked;
    part->context.start = start;
    part->context.goal = goal;
    part->context.expanded = 0;
    trail->count = 0;
    part->def->find(&part->context);
    sum += part->context.expanded;
    if (fw__meter_has_stopped(&meter)) {
      return INT64_MAX;
    }
  }
  return sum;
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  automatic_t * automatic = fw__arena_allocate_zeroed(context->built, 1, sizeof(*automatic));
  if (automatic == NULL) {
    return fw__error_memory(error);
  }
  context->state = automatic;
  automatic->chosen = &automatic->astar;
  fw_ret_t ret = build_part(&automatic->astar, &fw__router_astar, context, error);
  const fw_floor_t * floor = context->floor;
  if (ret != FW_RET_OK || !floor->is_uniform || floor->has_one_way || floor->degree == 6) {
    return ret;
  }
  ret = build_part(&automatic->jps, &fw__router_jps, context, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw_trail_t trail = {.arena = context->built};
  const int64_t of_jps = sample(&automatic->jps, &trail);
  const int64_t of_astar = sample(&automatic->astar, &trail);
  fw__arena_recycle(context->built, trail.places, (size_t)trail.capacity, sizeof(*trail.places));
  const int64_t weight = floor->degree == 8 ? WEIGHT_8 : WEIGHT_4;
  if (of_jps < INT64_MAX && (of_astar == INT64_MAX || of_jps * weight < of_astar)) {
    automatic->chosen = &automatic->jps;
  }
  return fw__router_build_result(context, error);
}

// The choice stays: changed cells are few beside the map.
static fw_ret_t update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  automatic_t * automatic = context->state;
  return automatic->chosen->def->update(&automatic->chosen->context, cells, count, error);
}

static void find(fw_router_context_t * context)
{
  part_t * part = ((automatic_t *)context->state)->chosen;
  part->context.meter = context->meter;
  part->context.trail = context->trail;
  part->context.touched = context->touched;
  part->context.start = context->start;
  part->context.goal = context->goal;
  part->context.expanded = 0;
  part->context.memory_bytes = 0;
  part->def->find(&part->context);
  context->expanded = part->context.expanded;
  context->memory_bytes = part->context.memory_bytes;
}

const fw_router_def_t fw__router_auto = {
  .name = "auto",
  .summary = "astar or jps, whichever expands less on this map in sixteen sample queries",
  .paper = "see astar and jps",
  .is_optimal = true,
  .takes_terrain = true,
  .takes_one_way = true,
  .takes_hexagons = true,
  .build = build,
  .update = update,
  .find = find,
};
