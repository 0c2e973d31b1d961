// The list of searches: one line each.

#include <string.h>

#include "search/router.h"

// clang-format off: one line each
static const fw_router_def_t * const searches[] = {
  &fw_router_astar,    &fw_router_dijkstra,      &fw_router_greedy,     &fw_router_weighted,  &fw_router_ida,
  &fw_router_bank,     &fw_router_bidirectional, &fw_router_jps,        &fw_router_landmarks, &fw_router_hpa,
  &fw_router_quadtree, &fw_router_navmesh,       &fw_router_visibility, &fw_router_corridors, &fw_router_waypoints,
};
// clang-format on

enum { SEARCH_COUNT = sizeof(searches) / sizeof(searches[0]) };

int32_t fw_router_def_count(void) { return SEARCH_COUNT; }

const fw_router_def_t * fw_router_def_at(int32_t index)
{
  return index >= 0 && index < SEARCH_COUNT ? searches[index] : NULL;
}

const fw_router_def_t * fw_router_def_find(const char * name)
{
  for (int32_t i = 0; name != NULL && i < SEARCH_COUNT; ++i) {
    if (strcmp(searches[i]->name, name) == 0) {
      return searches[i];
    }
  }
  return NULL;
}
