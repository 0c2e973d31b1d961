// Estimates of A* and its relatives, and the parameters that choose them.

#include "search/astar.h"
#include "search/flood.h"

static const char * const estimate_names[] = {"octile", "zero", "manhattan", "euclidean", "true"};

static int32_t square_root(int64_t square)
{
  int64_t root = 0;
  for (int64_t step = INT64_C(1) << 31; step > 0; step /= 2) {
    root += (root + step) * (root + step) <= square ? step : 0;
  }
  return (int32_t)root;
}

// The straight line, never more than a way costs: a diagonal that counts as one move covers the root of 2.
static int32_t euclidean(const fw_floor_t * floor, int64_t dx, int64_t dy)
{
  const int64_t square = (dx * dx + dy * dy) * floor->straight * floor->straight;
  const bool is_short = floor->degree == 8 && floor->diagonal == floor->straight;
  return square_root(is_short ? square / 2 : square) * floor->cost_min;
}

static int32_t by_landmarks(const astar_t * astar, const fw_router_context_t * context, int32_t place)
{
  const int32_t * here = astar->landmarks + (size_t)place * (size_t)astar->landmark_count;
  const int32_t * there = astar->landmarks + (size_t)context->goal * (size_t)astar->landmark_count;
  int32_t best = fw__floor_estimate_between(context->floor, place, context->goal);
  for (int32_t i = 0; i < astar->landmark_count; ++i) {
    const int32_t difference = abs(here[i] - there[i]);
    best = difference > best ? difference : best;
  }
  return best;
}

int32_t fw__astar_estimate(const astar_t * astar, const fw_router_context_t * context, int32_t place)
{
  const fw_floor_t * floor = context->floor;
  const int32_t dx = fw__floor_x(floor, place) - astar->goal_x;
  const int32_t dy = fw__floor_y(floor, place) - astar->goal_y;
  switch (astar->estimate) {
    case ESTIMATE_ZERO:
      return 0;
    case ESTIMATE_MANHATTAN:
      return (abs(dx) + abs(dy)) * floor->straight * floor->cost_min;
    case ESTIMATE_EUCLIDEAN:
      return floor->degree == 6 ? 0 : euclidean(floor, dx, dy);
    case ESTIMATE_TRUE:
      return astar->truth[place];
    case ESTIMATE_LANDMARKS:
      return by_landmarks(astar, context, place);
    case ESTIMATE_METRIC:
      break;
  }
  return fw__floor_estimate_between(floor, place, context->goal);
}

// Distances to the goal, kept for the next question with the same goal.
bool fw__astar_know_truth(astar_t * astar, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  if (astar->truth_goal == context->goal) {
    return true;
  }
  if (astar->truth == NULL) {
    astar->truth = fw__arena_allocate(context->built, (size_t)floor->place_count, sizeof(*astar->truth));
  }
  fw_flood_t flood = {.floor = floor, .open = &astar->open, .is_backward = true};
  if (astar->truth == NULL || !fw__flood(&flood, context->goal, astar->truth)) {
    return false;
  }
  astar->truth_goal = context->goal;
  context->expanded += flood.expanded;
  context->memory_bytes += (size_t)floor->place_count * sizeof(*astar->truth);
  return true;
}

const fw_parameter_def_t fw__astar_parameters[ASTAR_PARAMETERS] = {
  {.name = "heuristic",
   .type = FW_PARAMETER_CHOICE,
   .initial = ESTIMATE_METRIC,
   .max = ESTIMATE_TRUE,
   .choices = estimate_names,
   .help =
     "estimate: octile (the least on open floor: Manhattan for 4 directions), zero, manhattan (too much where there "
     "are diagonals), euclidean, true (a search from the goal first)"},
  {.name = "percent",
   .type = FW_PARAMETER_INTEGER,
   .initial = 120,
   .min = 100,
   .max = 10000,
   .help = "of the estimate; the way costs at most so many per cent of the best"},
};
