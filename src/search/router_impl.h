// Inside a router: between its life (router.c) and its questions (router_find.c).

#ifndef SEARCH__ROUTER_IMPL_H_
#define SEARCH__ROUTER_IMPL_H_

#include "search/router.h"

typedef struct fw__router_t {
  const fw_router_def_t * def;
  fw_allocator_t allocator;
  fw_router_options_t options;  // its footprint is in `given`
  fw_memory_t memory;
  fw_arena_t given;    // as long as the router
  fw_arena_t built;    // until the next build
  fw_arena_t answers;  // the trail and the corners
  fw_floor_t floor;
  fw_meter_t meter;
  fw_trail_t trail;
  fw_trail_t corners;
  fw_trail_t touched;
  int64_t parameters[FW_PARAMETERS_MAX];
  fw_router_context_t context;
  fw_router_stats_t stats;
  bool is_built;
} fw__router_t;

// An error if there is no map.
fw_ret_t fw__router_check_built(const fw_router_t * router, fw_error_t * error);

#endif  // SEARCH__ROUTER_IMPL_H_
