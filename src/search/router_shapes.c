// What a router has built, in figures and in shapes for pictures.

#include "search/router_impl.h"

fw_router_stats_t fw_router_stats(const fw_router_t * router)
{
  if (router == NULL || router->impl == NULL) {
    return (fw_router_stats_t){0};
  }
  const fw__router_t * impl = router->impl;
  fw_router_stats_t stats = impl->stats;
  stats.memory_bytes = impl->memory.used_bytes;
  stats.unit = impl->floor.straight;
  stats.diagonal = impl->floor.diagonal;
  stats.node_count = impl->context.node_count;
  stats.edge_count = impl->context.edge_count;
  stats.rebuilt = impl->context.rebuilt;
  return stats;
}

// A shape in places on its way to somebody who knows cells.
typedef struct viewer_t {
  const fw_floor_t * floor;
  void (*show)(const fw_shape_t * shape, void * state);
  void * state;
} viewer_t;

static void show_cells(const fw_shape_t * shape, void * state)
{
  const viewer_t * viewer = state;
  const fw_shape_t cells = {
    .kind = shape->kind,
    .from = fw__floor_cell(viewer->floor, shape->from),
    .to = fw__floor_cell(viewer->floor, shape->to),
  };
  viewer->show(&cells, viewer->state);
}

void fw_router_shapes(const fw_router_t * router, void (*show)(const fw_shape_t * shape, void * state), void * state)
{
  if (router != NULL && router->impl != NULL && router->impl->is_built && router->impl->def->shapes != NULL) {
    viewer_t viewer = {.floor = &router->impl->floor, .show = show, .state = state};
    router->impl->def->shapes(&router->impl->context, show_cells, &viewer);
  }
}
