// Weighted A*: the estimate counts more than once, and the way is at most that much longer (Pohl 1970). No place is
// expanded twice, which keeps the bound as long as the true minimum is taken each time (Likhachev and others 2003): the
// open list is a heap.

#include "search/astar.h"

// The estimate, weighted; keys that do not fit are as good as any that do not.
static int32_t weighted_key(const astar_t * astar, const fw_router_context_t * context, int32_t place, int32_t g)
{
  const int64_t key = g + (int64_t)fw__astar_estimate(astar, context, place) * astar->percent / 100;
  return key < INT32_MAX ? (int32_t)key : INT32_MAX;
}

bool fw__astar_search_weighted(astar_t * astar, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  fw_marks_t * marks = &astar->marks;
  while (astar->heap.count > 0) {
    const fw_heap_item_t item = fw__heap_pop(&astar->heap);
    const int32_t at = item.node;
    const int32_t note = fw__marks_note(marks, at);
    if (marks->marks[at].g != item.g || note >= NOTE_CLOSED) {
      continue;  // pushed again at a lower cost
    }
    if (at == context->goal || fw__router_count(context, at)) {
      astar->best = at == context->goal ? item.g : astar->best;
      return true;
    }
    fw__marks_set(marks, at, item.g, note + NOTE_CLOSED);
    for (int32_t moves = floor->moves[at]; moves != 0; moves &= moves - 1) {
      const int32_t d = __builtin_ctz((unsigned)moves);
      const int32_t to = fw__floor_next(floor, at, d);
      const int32_t next = item.g + fw__floor_step_cost(floor, to, d);
      const bool is_new = !fw__marks_has(marks, to);
      if (!is_new && (marks->marks[to].g <= next || fw__marks_note(marks, to) >= NOTE_CLOSED)) {
        continue;
      }
      astar->reached += is_new;
      fw__marks_set(marks, to, next, d);
      if (!fw__heap_push(&astar->heap, weighted_key(astar, context, to, next), next, to)) {
        return false;
      }
    }
  }
  return true;
}
