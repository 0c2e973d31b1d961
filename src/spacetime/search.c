// Space-time searches: their common memory, the descent of a robot without conflicts, and the choice of a search.

#include "spacetime/search.h"

#include <string.h>

#include "spacetime/search_state.h"

// ---- states ---------------------------------------------------------------------------------------------------------

void fw__spacetime_search_init(fw_spacetime_search_t * search, fw_arena_t * arena)
{
  *search = (fw_spacetime_search_t){.arena = arena};
  fw__bucket_queue_init(&search->open, arena);
}

bool fw__spacetime_search_begin(fw_spacetime_search_t * search, int32_t node_count)
{
  if (search->place_capacity < node_count) {
    fw__arena_recycle(search->arena, search->first_at, (size_t)search->place_capacity, sizeof(*search->first_at));
    fw__arena_recycle(search->arena, search->stamp_at, (size_t)search->place_capacity, sizeof(*search->stamp_at));
    search->first_at = fw__arena_allocate(search->arena, (size_t)node_count, sizeof(*search->first_at));
    search->stamp_at = fw__arena_allocate_zeroed(search->arena, (size_t)node_count, sizeof(*search->stamp_at));
    search->place_capacity = search->first_at != NULL && search->stamp_at != NULL ? node_count : 0;
    search->stamp = 0;
    if (search->place_capacity == 0) {
      return false;
    }
  }
  ++search->stamp;
  FW_ASSERT(search->stamp != 0);
  search->state_count = 0;
  fw__bucket_queue_clear(&search->open);
  return true;
}

bool fw__spacetime_search_grow(fw_spacetime_search_t * search)
{
  const size_t outgrown = (size_t)search->state_capacity;
  fw_spacetime_state_t * states =
    fw__arena_grow(search->arena, search->states, sizeof(*states), &search->state_capacity);
  if (states != NULL) {
    fw__arena_recycle(search->arena, search->states, outgrown, sizeof(*states));
    search->states = states;
  }
  return states != NULL;
}

// Room for a path of `length` ticks; false when there is no memory.
static bool reserve_path(fw_spacetime_search_t * search, int32_t length, bool has_heading)
{
  while (search->cell_capacity < length) {
    fw__arena_recycle(search->arena, search->cells, (size_t)search->cell_capacity, sizeof(*search->cells));
    search->cells = fw__arena_grow(search->arena, NULL, sizeof(*search->cells), &search->cell_capacity);
    if (search->cells == NULL) {
      search->cell_capacity = 0;
      return false;
    }
  }
  while (has_heading && search->heading_capacity < length) {
    fw__arena_recycle(search->arena, search->headings, (size_t)search->heading_capacity, sizeof(*search->headings));
    search->headings = fw__arena_grow(search->arena, NULL, sizeof(*search->headings), &search->heading_capacity);
    if (search->headings == NULL) {
      search->heading_capacity = 0;
      return false;
    }
  }
  return true;
}

bool fw__spacetime_search_trace(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, int32_t state, fw_path_t * path)
{
  const fw_moves_t * moves = query->moves;
  const bool has_heading = moves->heading_of != NULL;
  const int32_t length = search->states[state].tick - query->now + 1;
  FW_ASSERT(state >= 0 && state < search->state_count && length >= 1);
  if (!reserve_path(search, length, has_heading)) {
    return false;
  }
  int32_t end = length;
  for (int32_t s = state; s >= 0; s = search->states[s].parent) {
    const int32_t node = search->states[s].node;
    const fw_cell_t cell = moves->cell_of[node];
    const int32_t begin = search->states[s].tick - query->now;
    FW_ASSERT(begin >= 0 && begin <= end);
    for (int32_t i = begin; i < end; ++i) {
      search->cells[i] = cell;
    }
    if (has_heading && begin < end) {
      memset(search->headings + begin, moves->heading_of[node], (size_t)(end - begin));
    }
    end = begin;
  }
  *path = (fw_path_t){.cells = search->cells, .length = length, .headings = has_heading ? search->headings : NULL};
  return true;
}

fw_found_t fw__spacetime_search_end(fw_meter_t * meter, fw_found_t found)
{
  if (found == FW_FOUND_STOPPED) {
    fw__meter_stop(meter, FW_STOP_MEMORY);  // the first reason stands
  }
  return found != FW_FOUND_PATH && fw__meter_has_stopped(meter) ? FW_FOUND_STOPPED : found;
}

// ---- descent --------------------------------------------------------------------------------------------------------
//
// A robot without conflicts follows its true distances, tick by tick, to the goal or to the horizon. If every step is
// free this path is as good as any that a search finds, for a fraction of the work; most robots of a rolling fleet are
// in that case most of the time. At the first step that is not free, a search is needed. Ties: straight on first, then
// the first direction. Each place that the robot can come through is closed in the reverse search, since a closed place
// was reached from a closed one that is nearer.

// Whether the place is not reserved from tick to tick, robust ticks included.
static bool is_safe(const fw_reservations_t * table, int32_t node, fw_tick_t from, fw_tick_t to)
{
  const fw_timeline_t * row = &table->rows[node];
  return fw__timeline_safe_to(row, fw__timeline_find(row, from - table->robust_ticks), table->robust_ticks) >= to;
}

// A move that arrives at `tick`.
typedef struct arrival_t {
  int32_t from;
  int32_t to;
  fw_tick_t tick;
  bool is_diagonal;
} arrival_t;

// Whether the move has no vertex, edge or crossing conflict.
static bool is_free(const fw_spacetime_query_t * query, arrival_t move)
{
  const int32_t from = move.from;
  const int32_t to = move.to;
  const fw_tick_t tick = move.tick;
  const fw_reservations_t * table = query->table;
  const fw_timeline_t * row = &table->rows[to];
  const int32_t robust = table->robust_ticks;
  const int32_t at = fw__timeline_find(row, tick - robust);
  if (fw__timeline_safe_to(row, at, robust) < tick) {
    return false;
  }
  // A swap needs a robot that leaves `to` in this very tick.
  if (robust == 0 && at > 0 && row->intervals[at - 1].to == tick - 1) {
    const int32_t other = row->intervals[at - 1].robot;
    if (fw__reservations_is_robot(table, other) && fw__reservations_owner(table, from, tick) == other) {
      return false;
    }
  }
  const fw_cell_t * cell_of = query->moves->cell_of;
  const fw_timed_motion_t step = {.robot = query->robot, .from = cell_of[from], .to = cell_of[to], .depart = tick - 1};
  return !move.is_diagonal || !fw__reservations_has_crossing(table, &step);
}

// A neighbour that is one nearer and free; -1 for none.
static int32_t step_down(const fw_spacetime_query_t * query, int32_t node, fw_tick_t tick, int32_t * direction)
{
  const fw_moves_t * moves = query->moves;
  const int32_t * next = fw__moves_successors(moves, node);
  const uint32_t below = fw__distance_entry(query->distance, node) - 2;  // closed, one nearer
  for (int32_t turn = -1; turn < moves->degree; ++turn) {
    const int32_t d = turn < 0 ? *direction : turn;
    if (
      d >= 0 && next[d] >= 0 && fw__distance_entry(query->distance, next[d]) == below &&
      is_free(query, (arrival_t){node, next[d], tick, d >= 4})) {
      *direction = d;
      return next[d];
    }
  }
  return -1;
}

// The descent never waits, so that it needs no floor on which robots may.
static bool can_descend(const fw_spacetime_query_t * query)
{
  return query->table->bodies[query->robot]->is_plain && query->moves->is_uniform && query->distance != NULL;
}

bool fw__spacetime_descend(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path)
{
  FW_ASSERT(can_descend(query) && query->horizon >= query->now);
  const fw_reservations_t * table = query->table;
  const int32_t goal = query->moves->node_of[table->robots[query->robot].goal];
  int32_t node = query->moves->node_of[query->start];
  const int32_t left = fw__distance_get(query->distance, node, meter);
  const bool is_too_far = query->must_arrive && left > query->horizon - query->now;
  if (left == FW_DISTANCE_NONE || is_too_far || !is_safe(table, node, query->now, query->now)) {
    return false;
  }
  const int32_t ticks = left < query->horizon - query->now ? left : query->horizon - query->now;
  if (!reserve_path(search, ticks + 1, false)) {
    return false;
  }
  int32_t direction = -1;
  search->cells[0] = query->start;
  for (int32_t i = 1; i <= ticks && node >= 0; ++i) {
    node = step_down(query, node, query->now + i, &direction);
    search->cells[i] = node >= 0 ? query->moves->cell_of[node] : FW_CELL_NONE;
  }
  if (node < 0 || (node == goal && !is_safe(table, goal, query->now + ticks, query->horizon))) {
    return false;
  }
  if (node != goal && !fw__moves_allow_waiting(query->moves, node)) {
    return false;  // a search may find a better place for the end of the window
  }
  *path = (fw_path_t){.cells = search->cells, .length = ticks + 1};
  return !fw__meter_add(meter, ticks);
}

// ---- choice ---------------------------------------------------------------------------------------------------------

fw_found_t fw__spacetime_search_path(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path)
{
  const bool is_descent_first = query->horizon != FW_TICK_MAX || query->is_rest_free;
  if (is_descent_first && can_descend(query) && fw__spacetime_descend(search, query, meter, path)) {
    return FW_FOUND_PATH;
  }
  if (!fw__sipp_supports(query) || query->is_rest_free) {
    return fw__spacetime_astar(search, query, meter, path);
  }
  return query->prices == NULL && query->horizon == FW_TICK_MAX ? fw__sipp_search(search, query, meter, path)
                                                                : fw__soft_sipp_search(search, query, meter, path);
}
