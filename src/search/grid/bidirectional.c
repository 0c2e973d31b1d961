// Bidirectional A*: one search forwards from the start and one backwards from the goal, until they meet for good.
//
// Both use one potential, with opposite signs: P(v) = h(v, goal) - h(v, start). Keys are doubled to stay integers, 2 g
// + P forwards and 2 g - P backwards, which makes both a Dijkstra search over the same reduced costs: once their lowest
// keys add up to twice the cost of the best meeting, no better one can come (Ikeda and others 1994).

#include "base/bucket_queue.h"
#include "search/grid/flood.h"
#include "search/marks.h"
#include "search/router.h"

enum { SIDE_START, SIDE_GOAL, SIDES };

typedef struct side_t {
  fw_marks_t marks;
  fw_bucket_queue_t open;
} side_t;

typedef struct frontiers_t {
  side_t sides[SIDES];
  int32_t shift;
  int32_t best;
  int32_t middle;
  int64_t reached;
} frontiers_t;

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  frontiers_t * both = fw__arena_allocate_zeroed(context->built, 1, sizeof(*both));
  if (both == NULL) {
    return fw__error_memory(error);
  }
  context->state = both;
  both->shift = fw__floor_key_shift(context->floor);
  for (int32_t i = 0; i < SIDES; ++i) {
    fw__bucket_queue_init(&both->sides[i].open, context->built);
    (void)fw__marks_init(&both->sides[i].marks, context->built, context->floor->place_count);
  }
  return fw__router_build_result(context, error);
}

// A place reached by one of the two searches.
typedef struct arrival_t {
  int32_t side;
  int32_t place;
  int32_t g;
  int32_t direction;  // of the last move
} arrival_t;

// Keeps an arrival, which is the first or the cheapest of its side, and the meeting with the other side if it is the
// best.
static void keep(frontiers_t * both, const fw_router_context_t * context, arrival_t arrival)
{
  const int32_t side = arrival.side;
  const int32_t place = arrival.place;
  const int32_t g = arrival.g;
  side_t * own = &both->sides[side];
  const side_t * other = &both->sides[1 - side];
  both->reached += !fw__marks_has(&own->marks, place);
  fw__marks_set(&own->marks, place, g, arrival.direction);
  if (fw__marks_has(&other->marks, place) && (int64_t)g + other->marks.marks[place].g < both->best) {
    both->best = g + other->marks.marks[place].g;
    both->middle = place;
  }
  const int32_t difference = fw__floor_estimate_between(context->floor, place, context->goal) -
                             fw__floor_estimate_between(context->floor, place, context->start);
  const int64_t key = 2 * (int64_t)g + (side == SIDE_START ? difference : -difference);
  (void)fw__bucket_queue_push(&own->open, key >> both->shift, place, g);
}

// A lower bound on the keys of a queue; INT64_MAX / 4 for an empty queue.
static int64_t lowest(const frontiers_t * both, fw_bucket_queue_t * open)
{
  if (open->size == 0) {
    return INT64_MAX / 4;
  }
  while (open->heads[open->lowest] < 0) {
    ++open->lowest;
  }
  return (open->base + open->lowest) * (INT64_C(1) << both->shift);
}

static void expand(frontiers_t * both, const fw_router_context_t * context, int32_t side, int32_t at)
{
  const fw_floor_t * floor = context->floor;
  const fw_marks_t * marks = &both->sides[side].marks;
  const int32_t g = marks->marks[at].g;
  for (int32_t moves = floor->moves[at]; moves != 0; moves &= moves - 1) {
    const int32_t d = __builtin_ctz((unsigned)moves);
    const int32_t to = fw__floor_next(floor, at, d);
    const int32_t step = fw__floor_step_cost(floor, side == SIDE_START ? to : at, d);
    if (!fw__marks_has(marks, to) || marks->marks[to].g > g + step) {  // here, since most arrivals are not kept
      keep(both, context, (arrival_t){.side = side, .place = to, .g = g + step, .direction = d});
    }
  }
}

// From where the two searches met back to where one side began, without the meeting place.
static void trace(const frontiers_t * both, fw_router_context_t * context, int32_t side)
{
  const fw_floor_t * floor = context->floor;
  const int32_t end = side == SIDE_START ? context->start : context->goal;
  for (int32_t at = both->middle; at != end && !context->trail->has_failed;) {
    at = fw__floor_next(floor, at, floor->opposite[fw__marks_note(&both->sides[side].marks, at)]);
    fw__trail_add(context->trail, at);
  }
}

static void find(fw_router_context_t * context)
{
  frontiers_t * both = context->state;
  both->best = INT32_MAX;
  both->reached = 0;
  for (int32_t i = 0; i < SIDES; ++i) {
    fw__marks_begin(&both->sides[i].marks);
    fw__bucket_queue_clear(&both->sides[i].open);
  }
  keep(both, context, (arrival_t){.side = SIDE_START, .place = context->start});
  keep(both, context, (arrival_t){.side = SIDE_GOAL, .place = context->goal});
  while (!fw__arena_has_failed(context->built)) {
    side_t * sides = both->sides;
    const bool is_over = sides[SIDE_START].open.size == 0 || sides[SIDE_GOAL].open.size == 0;
    if (
      is_over ||
      lowest(both, &sides[SIDE_START].open) + lowest(both, &sides[SIDE_GOAL].open) >= 2 * (int64_t)both->best) {
      break;
    }
    const int32_t side = sides[SIDE_START].open.size <= sides[SIDE_GOAL].open.size ? SIDE_START : SIDE_GOAL;
    int32_t at, g;
    int64_t key;
    if (!fw__bucket_queue_pop(&sides[side].open, &at, &g, &key) || sides[side].marks.marks[at].g != g) {
      continue;  // pushed again at a lower cost
    }
    if (fw__router_count(context, at)) {
      return;
    }
    expand(both, context, side, at);
  }
  if (!fw__router_has_memory(context)) {
    return;
  }
  context->memory_bytes =
    (size_t)both->reached * sizeof(fw_mark_t) +
    (size_t)(both->sides[0].open.item_count + both->sides[1].open.item_count) * sizeof(fw_bucket_item_t);
  if (both->best < INT32_MAX) {
    FW_ASSERT(fw__marks_has(&both->sides[0].marks, both->middle) && fw__marks_has(&both->sides[1].marks, both->middle));
    trace(both, context, SIDE_START);
    fw__trail_reverse(context->trail, 0);
    fw__trail_add(context->trail, both->middle);
    trace(both, context, SIDE_GOAL);
  }
}

const fw_router_def_t fw__router_bidirectional = {
  .name = "bidirectional",
  .summary = "bidirectional A*: searches from start and goal until no better meeting is possible",
  .paper = "Pohl, Bi-directional Search, 1971; Ikeda and others, A Fast Algorithm for Finding Better Routes, 1994",
  .is_optimal = true,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = build,
  .update = fw__router_update_nothing,
  .find = find,
};
