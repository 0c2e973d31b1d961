// SIPP: earliest arrival over safe intervals (Phillips and Likhachev 2011).
//
// A state is a place and one of its safe intervals, identified by the interval's end; its value is the earliest
// arrival. Keys are arrival plus distance, but never less than the tick from which the goal is free for good.

#include "spacetime/search_state.h"

typedef struct run_t {
  fw_spacetime_search_t * search;
  const fw_spacetime_query_t * query;
  fw_meter_t * meter;
  int32_t goal_node;
  fw_tick_t goal_from;  // the goal is free for good from this tick on, so no arrival counts as earlier
  int64_t limit;        // no key reaches it
  bool has_failed;      // out of memory
} run_t;

bool fw__sipp_supports(const fw_spacetime_query_t * query)
{
  return query->table->bodies[query->robot]->is_plain && query->moves->is_uniform && !query->moves->has_no_waiting;
}

// The distance of `node`, a neighbour of a place whose distance is `near`, or -1.
static int32_t estimate(run_t * run, int32_t node, int32_t near)
{
  const fw_spacetime_query_t * query = run->query;
  return query->distance == NULL || near < 0 ? fw__spacetime_search_estimate(query, node, run->meter)
                                             : fw__distance_get_beside(query->distance, node, near, run->meter);
}

// Keeps an arrival if it is the first or the earliest in its safe interval. `near` is the distance of the place that it
// comes from, -1 at the start.
static void offer(run_t * run, fw_spacetime_state_t state, int32_t near)
{
  fw_spacetime_search_t * search = run->search;
  const int32_t node = state.node;
  FW_ASSERT(state.tick <= state.safe_to && state.tick >= run->query->now);
  const int32_t first = search->stamp_at[node] == search->stamp ? search->first_at[node] : -1;
  int32_t index = first;
  while (index >= 0 && search->states[index].safe_to != state.safe_to) {
    index = search->states[index].next;
  }
  if (index >= 0 && search->states[index].tick <= state.tick) {
    return;
  }
  const int32_t left = estimate(run, node, near);
  const fw_tick_t arrival = left == FW_DISTANCE_NONE ? FW_TICK_MAX : state.tick + left;
  if (left == FW_DISTANCE_NONE || arrival >= run->limit) {
    return;
  }
  if (index >= 0) {
    search->states[index].tick = state.tick;
    search->states[index].parent = state.parent;
    search->states[index].is_closed = false;
  } else {
    state.next = first;
    state.cost = left;
    index = fw__spacetime_search_add(search, &state);
    if (index < 0) {
      run->has_failed = true;
      return;
    }
    search->stamp_at[node] = search->stamp;
    search->first_at[node] = index;
  }
  if (!fw__bucket_queue_push(&search->open, arrival > run->goal_from ? arrival : run->goal_from, index, state.tick)) {
    run->has_failed = true;
  }
}

// A robot leaves `to` and enters `from` in the same tick: possible only where one safe interval ends and the other
// begins.
static bool is_swap(const fw_reservations_t * table, int32_t from, int32_t to, fw_tick_t arrive)
{
  const int32_t other = fw__reservations_owner(table, from, arrive);
  return fw__reservations_is_robot(table, other) && fw__reservations_owner(table, to, arrive - 1) == other;
}

// Offers every safe interval of `to` that can be entered while the present one lasts.
static void expand_move(run_t * run, int32_t index, int32_t to, bool is_diagonal)
{
  const fw_reservations_t * table = run->query->table;
  const int32_t robust = table->robust_ticks;
  const fw_spacetime_state_t here = run->search->states[index];
  FW_ASSERT(here.tick <= here.safe_to);
  const fw_timeline_t * row = &table->rows[to];
  const fw_tick_t latest = here.safe_to == FW_TICK_MAX ? FW_TICK_MAX : here.safe_to + 1;
  for (int32_t i = fw__timeline_find(row, here.tick + 1 - robust); i <= row->count; ++i) {
    const fw_tick_t from = fw__timeline_safe_from(row, i, robust);
    const fw_tick_t safe_to = fw__timeline_safe_to(row, i, robust);
    if (from > latest) {
      return;
    }
    fw_tick_t arrive = from > here.tick + 1 ? from : here.tick + 1;
    const fw_tick_t last = safe_to < latest ? safe_to : latest;
    while (is_diagonal && arrive <= last &&
           fw__reservations_has_crossing(
             table, &(fw_timed_motion_t){
                      .robot = run->query->robot,
                      .from = run->query->moves->cell_of[here.node],
                      .to = run->query->moves->cell_of[to],
                      .depart = arrive - 1,
                    })) {
      ++arrive;
    }
    if (arrive > last) {
      continue;
    }
    if (robust == 0 && arrive == from && arrive == latest && is_swap(table, here.node, to, arrive)) {
      continue;
    }
    offer(run, (fw_spacetime_state_t){.node = to, .tick = arrive, .parent = index, .safe_to = safe_to}, here.cost);
  }
}

static fw_found_t search_on(run_t * run, fw_path_t * path)
{
  fw_spacetime_search_t * search = run->search;
  const fw_moves_t * moves = run->query->moves;
  int32_t index, tick;
  int64_t key;
  while (fw__bucket_queue_pop(&search->open, &index, &tick, &key) && key < run->limit) {
    fw_spacetime_state_t * state = &search->states[index];
    if (state->is_closed || state->tick != tick) {
      continue;  // offered again at an earlier tick
    }
    state->is_closed = true;
    if (state->node == run->goal_node && state->safe_to == FW_TICK_MAX) {
      return fw__spacetime_search_trace(search, run->query, index, path) ? FW_FOUND_PATH : FW_FOUND_STOPPED;
    }
    const int32_t * next = fw__moves_successors(moves, state->node);
    for (int32_t d = 0; d < moves->degree; ++d) {
      if (next[d] >= 0) {
        expand_move(run, index, next[d], d >= 4);
      }
    }
    if (fw__meter_add(run->meter, 1) || run->has_failed) {
      return FW_FOUND_STOPPED;
    }
  }
  return FW_FOUND_NONE;
}

fw_found_t fw__sipp_search(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path)
{
  FW_ASSERT(fw__sipp_supports(query) && query->horizon == FW_TICK_MAX);  // prices are ignored: all are hard
  const fw_reservations_t * table = query->table;
  const int32_t robust = table->robust_ticks;
  const int32_t start = query->moves->node_of[query->start];
  const int32_t goal = query->moves->node_of[table->robots[query->robot].goal];
  const fw_timeline_t * start_row = &table->rows[start];
  const fw_timeline_t * goal_row = &table->rows[goal];
  const int32_t start_index = fw__timeline_find(start_row, query->now - robust);
  if (
    fw__timeline_safe_to(start_row, start_index, robust) < query->now ||
    (goal_row->count > 0 && goal_row->intervals[goal_row->count - 1].to == FW_TICK_MAX)) {
    return FW_FOUND_NONE;
  }
  run_t run = {
    .search = search,
    .query = query,
    .meter = meter,
    .goal_node = goal,
    .goal_from = fw__timeline_safe_from(goal_row, goal_row->count, robust),
    .limit = query->limit > 0 ? query->now + query->limit : INT64_MAX,
  };
  run.has_failed = !fw__spacetime_search_begin(search, query->moves->node_count);
  if (!run.has_failed) {
    offer(
      &run,
      (fw_spacetime_state_t){
        .node = start,
        .tick = query->now,
        .parent = -1,
        .safe_to = fw__timeline_safe_to(start_row, start_index, robust),
      },
      -1);
  }
  return fw__spacetime_search_end(meter, run.has_failed ? FW_FOUND_STOPPED : search_on(&run, path));
}
