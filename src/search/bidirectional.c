// Bidirectional A*: one search from the start and one from the goal, that meet.
//
// Both use one estimate, with opposite signs: P(v) = estimate to the goal - estimate from the start. Costs are then
// counted twice, 2 g + P from the start and 2 g - P from the goal, which makes both a Dijkstra search over the same
// reduced costs: when their lowest keys add up to twice the best meeting, nothing better can come (Ikeda and others 1994).

#include "base/bucket_queue.h"
#include "base/error.h"
#include "search/flood.h"
#include "search/marks.h"
#include "search/router.h"

enum { SIDE_START, SIDE_GOAL, SIDES };

typedef struct side_t {
  fw_marks_t marks;
  fw_bucket_queue_t open;
} side_t;

typedef struct meet_t {
  side_t sides[SIDES];
  int32_t shift;
  int32_t best;
  int32_t middle;
  int64_t reached;
} meet_t;

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  meet_t * meet = fw__arena_allocate_zeroed(context->built, 1, sizeof(*meet));
  if (meet == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; i < SIDES; ++i) {
    fw__bucket_queue_init(&meet->sides[i].open, context->built);
    if (!fw__marks_init(&meet->sides[i].marks, context->built, context->floor->place_count)) {
      return fw__error_memory(error);
    }
  }
  meet->shift = fw__floor_key_shift(context->floor);
  context->state = meet;
  return FW_RET_OK;
}

static fw_ret_t update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  (void)context;
  (void)cells;
  (void)count;
  (void)error;
  return FW_RET_OK;
}

static bool offer(
  meet_t * meet, const fw_router_context_t * context, int32_t side, int32_t place, int32_t g, int32_t note)
{
  side_t * own = &meet->sides[side];
  const side_t * other = &meet->sides[1 - side];
  const bool is_new = !fw__marks_has(&own->marks, place);
  if (!is_new && own->marks.marks[place].g <= g) {
    return true;
  }
  meet->reached += is_new;
  fw__marks_set(&own->marks, place, g, note);
  if (fw__marks_has(&other->marks, place) && (int64_t)g + other->marks.marks[place].g < meet->best) {
    meet->best = g + other->marks.marks[place].g;
    meet->middle = place;
  }
  const int32_t difference = fw__floor_estimate_between(context->floor, place, context->goal) -
                             fw__floor_estimate_between(context->floor, place, context->start);
  const int64_t key = 2 * (int64_t)g + (side == SIDE_START ? difference : -difference);
  return fw__bucket_queue_push(&own->open, key >> meet->shift, place, g);
}

// The lowest key, as a lower bound; INT64_MAX / 4 for an empty queue.
static int64_t lowest(const meet_t * meet, fw_bucket_queue_t * open)
{
  if (open->size == 0) {
    return INT64_MAX / 4;
  }
  while (open->heads[open->lowest] < 0) {
    ++open->lowest;
  }
  return (open->base + open->lowest) * (INT64_C(1) << meet->shift);
}

static bool expand(meet_t * meet, fw_router_context_t * context, int32_t side, int32_t at, int32_t g)
{
  const fw_floor_t * floor = context->floor;
  bool is_fine = true;
  for (int32_t moves = floor->moves[at]; moves != 0 && is_fine; moves &= moves - 1) {
    const int32_t d = __builtin_ctz((unsigned)moves);
    const int32_t to = fw__floor_next(floor, at, d);
    const int32_t step = fw__floor_step_cost(floor, side == SIDE_START ? to : at, d);
    is_fine = offer(meet, context, side, to, g + step, d);
  }
  return is_fine;
}

// From the middle back to where that side began, the middle included.
static void trace(const meet_t * meet, fw_router_context_t * context, int32_t side)
{
  const fw_floor_t * floor = context->floor;
  const int32_t end = side == SIDE_START ? context->start : context->goal;
  for (int32_t at = meet->middle; at != end && !context->trail->has_failed;) {
    at = fw__floor_next(floor, at, floor->opposite[fw__marks_note(&meet->sides[side].marks, at)]);
    fw__trail_add(context->trail, at);
  }
}

static void find(fw_router_context_t * context)
{
  meet_t * meet = context->state;
  meet->best = INT32_MAX;
  meet->reached = 0;
  bool is_fine = true;
  for (int32_t i = 0; i < SIDES; ++i) {
    fw__marks_begin(&meet->sides[i].marks);
    fw__bucket_queue_clear(&meet->sides[i].open);
  }
  is_fine =
    offer(meet, context, SIDE_START, context->start, 0, 0) && offer(meet, context, SIDE_GOAL, context->goal, 0, 0);
  while (is_fine) {
    side_t * sides = meet->sides;
    const bool is_over = sides[SIDE_START].open.size == 0 || sides[SIDE_GOAL].open.size == 0;
    if (
      is_over ||
      lowest(meet, &sides[SIDE_START].open) + lowest(meet, &sides[SIDE_GOAL].open) >= 2 * (int64_t)meet->best) {
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
    is_fine = expand(meet, context, side, at, g);
  }
  if (!is_fine) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  context->memory_bytes =
    (size_t)meet->reached * sizeof(fw_mark_t) +
    (size_t)(meet->sides[0].open.item_count + meet->sides[1].open.item_count) * sizeof(fw_bucket_item_t);
  if (meet->best < INT32_MAX) {
    trace(meet, context, SIDE_START);
    fw__trail_reverse(context->trail, 0);
    fw__trail_add(context->trail, meet->middle);
    trace(meet, context, SIDE_GOAL);
  }
}

const fw_router_def_t fw_router_bidirectional = {
  .name = "bidirectional",
  .summary = "bidirectional A*: from both ends, until they have met for good",
  .paper = "Pohl, Bi-directional Search, 1971; Ikeda and others, A Fast Algorithm for Finding Better Routes, 1994",
  .is_optimal = true,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = build,
  .update = update,
  .find = find,
};
