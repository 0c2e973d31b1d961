// Fringe search: the iterations of IDA* without starting again (Björnsson, Enzenberger, Holte and Schaeffer 2005).
//
// One list holds the fringe, places that were reached and not expanded. An iteration walks it from the first to the
// last: a place above the limit on f stays for the next iteration; another one is expanded, and its successors are put
// in right behind it, so that they come next, as in a depth-first search. The next limit is the least f that was above
// this one. There is no heap, and no place is expanded again but for a cheaper path to it.
//
// Diagonals make costs much finer than moves, and few places would be expanded between two walks of a long list. So the
// limit rises by at least one straight move. The first path to the goal may then not be a cheapest one: the walk goes
// on, below the cost of the best path so far. What it has passed by was above the limit and cannot lead to a better
// one.

#include "search/marks.h"
#include "search/router.h"

// The fringe as a list in arrays by place; place 0, in the margin, is both ends of it.
typedef struct fringe_t {
  fw_marks_t marks;  // the note is the direction of the last move
  int32_t * next;    // -1: the place was expanded and is not in the list
  int32_t * before;
  int32_t reached;
} fringe_t;

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  fringe_t * fringe = fw__arena_allocate_zeroed(context->built, 1, sizeof(*fringe));
  if (fringe == NULL) {
    return fw__error_memory(error);
  }
  const size_t count = (size_t)context->floor->place_count;
  (void)fw__marks_init(&fringe->marks, context->built, context->floor->place_count);
  fringe->next = fw__arena_allocate_zeroed(context->built, count, sizeof(*fringe->next));
  fringe->before = fw__arena_allocate_zeroed(context->built, count, sizeof(*fringe->before));
  context->state = fringe;
  return fw__router_build_result(context, error);
}

static void take_out(fringe_t * fringe, int32_t place)
{
  fringe->next[fringe->before[place]] = fringe->next[place];
  fringe->before[fringe->next[place]] = fringe->before[place];
  fringe->next[place] = -1;
}

static void put_behind(fringe_t * fringe, int32_t place, int32_t other)
{
  fringe->before[place] = other;
  fringe->next[place] = fringe->next[other];
  fringe->before[fringe->next[other]] = place;
  fringe->next[other] = place;
}

// Puts the successors of a place behind it, those that it has the cheapest path to.
static void expand(fringe_t * fringe, const fw_floor_t * floor, int32_t at)
{
  const int32_t g = fringe->marks.marks[at].g;
  for (uint32_t moves = floor->moves[at]; moves != 0; moves &= moves - 1) {
    const int32_t direction = __builtin_ctz(moves);
    const int32_t to = fw__floor_next(floor, at, direction);
    const int32_t cost = g + fw__floor_step_cost(floor, to, direction);
    const bool is_known = fw__marks_has(&fringe->marks, to);
    if (is_known && fringe->marks.marks[to].g <= cost) {
      continue;
    }
    if (is_known && fringe->next[to] >= 0) {
      take_out(fringe, to);
    }
    fringe->reached += is_known ? 0 : 1;
    fw__marks_set(&fringe->marks, to, cost, direction);
    put_behind(fringe, to, at);
  }
}

// Walks the fringe once. Returns the least f above the limit: INT32_MAX if nothing is left, 0 if the goal was reached
// or time is up.
static int32_t iterate(fringe_t * fringe, fw_router_context_t * context, int32_t limit)
{
  int32_t above = INT32_MAX;
  bool has_path = false;
  for (int32_t at = fringe->next[0]; at != 0;) {
    const int32_t f = fringe->marks.marks[at].g + fw__floor_estimate_between(context->floor, at, context->goal);
    if (f > limit) {
      above = f < above ? f : above;
      at = fringe->next[at];
      continue;
    }
    if (at == context->goal) {
      has_path = true;
      limit = f - 1;
    } else if (fw__router_count(context, at)) {
      return 0;
    } else {
      expand(fringe, context->floor, at);
    }
    const int32_t next = fringe->next[at];
    take_out(fringe, at);
    at = next;
  }
  return has_path ? 0 : above;
}

static void find(fw_router_context_t * context)
{
  fringe_t * fringe = context->state;
  const fw_floor_t * floor = context->floor;
  fw__marks_begin(&fringe->marks);
  fw__marks_set(&fringe->marks, context->start, 0, 0);
  fringe->next[0] = fringe->before[0] = 0;
  fringe->reached = 1;
  put_behind(fringe, context->start, 0);
  int32_t above = fw__floor_estimate_between(floor, context->start, context->goal);
  for (int32_t limit = above; above > 0 && above < INT32_MAX;) {
    above = iterate(fringe, context, limit);
    limit = above < limit + floor->straight ? limit + floor->straight : above;
  }
  context->memory_bytes = (size_t)fringe->reached * (sizeof(fw_mark_t) + 2 * sizeof(int32_t));
  if (above == INT32_MAX || context->meter->stop != FW_STOP_DONE) {
    return;
  }
  for (int32_t at = context->goal; at != context->start;) {
    fw__trail_add(context->trail, at);
    at = fw__floor_next(floor, at, floor->opposite[fw__marks_note(&fringe->marks, at)]);
  }
  fw__trail_add(context->trail, context->start);
  fw__trail_reverse(context->trail, 0);
}

const fw_router_def_t fw__router_fringe = {
  .name = "fringe",
  .summary = "fringe search: iterations like IDA*, each going on where the last one ended; no heap",
  .paper = "Bjoernsson, Enzenberger, Holte and Schaeffer, Fringe Search, 2005",
  .is_optimal = true,
  .takes_terrain = true,
  .takes_one_way = true,
  .takes_hexagons = true,
  .build = build,
  .update = fw__router_update_nothing,
  .find = find,
};
