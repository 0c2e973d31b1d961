// HPA*: the search as it is listed, its parameters and what it shows.

#include "search/hpa/hpa.h"

#include "base/error.h"

enum {
  PARAMETER_CLUSTER,
  PARAMETER_LEVELS,
  PARAMETER_FACTOR,
  PARAMETER_SMOOTHING,
  PARAMETER_SPREAD,
  PARAMETER_TABLES,
  PARAMETER_LANDMARKS
};

static void count_nodes(fw_router_context_t * context)
{
  const hpa_t * hpa = context->state;
  context->node_count = 0;
  context->edge_count = 0;
  context->rebuilt = hpa->rebuilt;
  for (int32_t level = 0; level < hpa->level_count; ++level) {
    const hpa_level_t * l = &hpa->levels[level];
    for (int32_t i = 0; i < l->columns * l->rows; ++i) {
      const int64_t count = l->clusters[i].count;
      context->node_count += level == 0 ? (int32_t)count : 0;
      context->edge_count += count * (count - 1) / 2;
    }
  }
}

// A quarter of the map's longer side, of 16, 32 or 64 cells.
static int32_t choose_side(const fw_floor_t * floor)
{
  const int32_t longer = floor->width > floor->height ? floor->width : floor->height;
  return longer >= 256 ? 64 : (longer >= 128 ? 32 : 16);
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const int32_t given = (int32_t)context->parameters[PARAMETER_CLUSTER];
  const hpa_options_t options = {
    .cluster = given > 0 ? given : choose_side(context->floor),
    .levels = (int32_t)context->parameters[PARAMETER_LEVELS],
    .factor = (int32_t)context->parameters[PARAMETER_FACTOR],
    .spread = (int32_t)context->parameters[PARAMETER_SPREAD],
    .has_tables = context->parameters[PARAMETER_TABLES] != 0,
    .landmarks = (int32_t)context->parameters[PARAMETER_LANDMARKS],
  };
  hpa_t * hpa = fw__arena_allocate_zeroed(context->built, 1, sizeof(*hpa));
  if (hpa == NULL || !hpa_make(hpa, context->built, context->floor, &options)) {
    return fw__error_memory(error);
  }
  hpa->smoother = fw__astar_make(context->built, context->floor);
  if (hpa->smoother == NULL) {
    return fw__error_memory(error);
  }
  context->state = hpa;
  count_nodes(context);
  return FW_RET_OK;
}

static fw_ret_t update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  if (!hpa_mend(context->state, cells, count)) {
    return fw__error_memory(error);
  }
  count_nodes(context);
  return FW_RET_OK;
}

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  const hpa_t * hpa = context->state;
  for (int32_t i = 0; i < hpa->levels[0].columns * hpa->levels[0].rows; ++i) {
    const hpa_box_t box = hpa_box(hpa, 0, i);
    const hpa_cluster_t * cluster = &hpa->levels[0].clusters[i];
    const int32_t corners[2] = {
      fw__floor_place_at(hpa->floor, box.left, box.top), fw__floor_place_at(hpa->floor, box.right, box.bottom)};
    show(&(fw_shape_t){FW_SHAPE_RECTANGLE, corners[0], corners[1]}, state);
    for (int32_t k = 0; k < cluster->count; ++k) {
      const int32_t place = hpa->nodes[cluster->nodes[k]].place;
      show(&(fw_shape_t){FW_SHAPE_POINT, place, place}, state);
    }
  }
}

static const fw_parameter_def_t parameters[] = {
  {.name = "cluster",
   .type = FW_PARAMETER_INTEGER,
   .initial = 0,
   .min = 0,
   .max = HPA_SIDE_MAX,
   .help = "the side of a cluster, in cells, at least 4; 0: 16, 32 or 64, by the size of the map"},
  {.name = "levels",
   .type = FW_PARAMETER_INTEGER,
   .initial = 3,
   .min = 1,
   .max = HPA_LEVELS_MAX,
   .help = "of clusters, above the cells"},
  {.name = "factor",
   .type = FW_PARAMETER_INTEGER,
   .initial = 2,
   .min = 2,
   .max = 16,
   .help = "how many clusters of a level are one of the next, along each side"},
  {.name = "smoothing",
   .type = FW_PARAMETER_INTEGER,
   .initial = 16,
   .min = 0,
   .max = 100000,
   .help = "pieces of so many cells are searched again for a better way; 0 leaves the way as it is"},
  {.name = "spread",
   .type = FW_PARAMETER_INTEGER,
   .initial = 12,
   .min = 0,
   .max = HPA_SIDE_MAX,
   .help = "cells along a border for which one transition is enough; 0: every opening has its own"},
  {.name = "tables",
   .type = FW_PARAMETER_BOOLEAN,
   .initial = 1,
   .max = 1,
   .help =
     "keep what it costs from each cell to the transitions around it: faster, for more memory (floor of one cost)"},
  {.name = "landmarks",
   .type = FW_PARAMETER_INTEGER,
   .initial = 8,
   .min = 0,
   .max = HPA_LANDMARKS_MAX,
   .help = "transitions from which the costs to all others are kept, for better estimates (floor of one cost)"},
};

const fw_router_def_t fw_router_hpa = {
  .name = "hpa",
  .summary = "HPA*: over clusters with known costs of crossing, refined and smoothed",
  .paper = "Botea, Mueller and Schaeffer, Near Optimal Hierarchical Path-Finding, 2004",
  .parameters = parameters,
  .parameter_count = 7,
  .takes_terrain = true,
  .has_abstraction = true,
  .build = build,
  .update = update,
  .find = hpa_find,
  .shapes = shapes,
};
