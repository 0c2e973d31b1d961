// A* with landmarks on the floor (ALT), for maps that do not change: distances from a few far places to all others are
// kept, and their differences are estimates that know the walls. search/landmarks.h is the same for the planners' graph.

#include "base/error.h"
#include "search/astar.h"
#include "search/flood.h"

enum { PARAMETER_COUNT };

// The place farthest from all landmarks so far; of places that none of them reaches, the first.
static int32_t farthest(const fw_floor_t * floor, const int32_t * table, int32_t stride, int32_t count)
{
  int32_t best = -1;
  int32_t far = -1;
  for (int32_t place = 0; place < floor->place_count; ++place) {
    int32_t nearest = INT32_MAX;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t distance = table[(size_t)place * (size_t)stride + (size_t)i];
      nearest = distance < nearest ? distance : nearest;
    }
    if (floor->cost[place] != 0 && nearest > far) {
      far = nearest;
      best = place;
    }
  }
  return best;
}

// Fills one column. A place that the landmark does not reach gets 0, as its whole part of the floor does: no difference,
// no bound.
static bool fill(fw_flood_t * flood, int32_t place, int32_t * distance, int32_t * column, int32_t stride)
{
  if (!fw__flood(flood, place, distance)) {
    return false;
  }
  for (int32_t i = 0; i < flood->floor->place_count; ++i) {
    column[(size_t)i * (size_t)stride] = distance[i] == FW_FLOOD_NONE ? 0 : distance[i];
  }
  return true;
}

static bool make_table(astar_t * astar, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  const int32_t stride = astar->landmark_count;
  const size_t places = (size_t)floor->place_count;
  int32_t * table = fw__arena_allocate_zeroed(context->built, places * (size_t)stride, sizeof(*table));
  int32_t * distance = fw__arena_allocate(context->built, places, sizeof(*distance));
  fw_flood_t flood = {.floor = floor, .open = &astar->open};
  if (table == NULL || distance == NULL) {
    return false;
  }
  astar->landmarks = table;
  // The first is the farthest from any place, and a floor without places has none.
  int32_t place = farthest(floor, table, stride, 0);
  if (place < 0) {
    return true;
  }
  if (!fill(&flood, place, distance, table, stride)) {
    return false;
  }
  place = farthest(floor, table, stride, 1);
  for (int32_t i = 0; i < stride; ++i) {
    if (!fill(&flood, place, distance, table + i, stride)) {
      return false;
    }
    place = farthest(floor, table, stride, i + 1);
  }
  return true;
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  astar_t * astar = fw__astar_make(context->built, context->floor);
  if (astar == NULL) {
    return fw__error_memory(error);
  }
  astar->landmark_count = (int32_t)context->parameters[PARAMETER_COUNT];
  context->state = astar;
  return make_table(astar, context) ? FW_RET_OK : fw__error_memory(error);
}

static void find(fw_router_context_t * context) { fw__astar_find(context, ESTIMATE_LANDMARKS); }

static const fw_parameter_def_t parameters[] = {
  {.name = "count",
   .type = FW_PARAMETER_INTEGER,
   .initial = 8,
   .min = 1,
   .max = 64,
   .help = "landmarks; each takes 4 bytes for every cell"},
};

const fw_router_def_t fw_router_landmarks = {
  .name = "landmarks",
  .summary = "A* whose estimate knows the walls: differences of distances from landmarks (ALT)",
  .paper = "Goldberg and Harrelson, Computing the Shortest Path: A* Search Meets Graph Theory, 2005",
  .parameters = parameters,
  .parameter_count = 1,
  .is_optimal = true,
  .takes_hexagons = true,
  .has_abstraction = true,
  .build = build,
  .find = find,
};
