// The way downhill: a robot that nobody disturbs follows its true distances, tick by tick, to the goal or to the horizon.
//
// If every step is free this is as good a path as any search finds, for a fraction of the work; most robots of a rolling
// fleet are in that case most of the time. At the first step that is not, a search is needed. Of two ways down it goes on
// straight, then takes the first direction. Each place that a robot may come through is closed in the reverse search,
// since a closed place was reached from a closed one that is nearer.

#include "spacetime/search_memory.h"

// Nobody else has the place from tick to tick, robust ticks included.
static bool is_in_gap(const fw_reservations_t * table, int32_t node, fw_tick_t from, fw_tick_t to)
{
  const fw_row_t * row = &table->rows[node];
  return fw__row_gap_to(row, fw__row_find(row, from - table->robust_ticks), table->robust_ticks) >= to;
}

// Can the robot be on `to` at `tick`, coming from `from`?
static bool is_free(const fw_query_t * query, int32_t from, int32_t to, fw_tick_t tick, bool is_diagonal)
{
  const fw_reservations_t * table = query->table;
  const fw_row_t * row = &table->rows[to];
  const int32_t robust = table->robust_ticks;
  const int32_t at = fw__row_find(row, tick - robust);
  if (fw__row_gap_to(row, at, robust) < tick) {
    return false;
  }
  // A swap needs somebody who leaves `to` in this very tick.
  if (robust == 0 && at > 0 && row->stays[at - 1].to == tick - 1) {
    const int32_t other = row->stays[at - 1].robot;
    if (fw__reservations_is_robot(table, other) && fw__reservations_owner(table, from, tick) == other) {
      return false;
    }
  }
  const fw_cell_t * cell_of = query->moves->cell_of;
  const fw_step_t step = {.robot = query->robot, .from = cell_of[from], .to = cell_of[to], .depart = tick - 1};
  return !is_diagonal || !fw__reservations_crosses(table, &step);
}

static int32_t step_down(const fw_query_t * query, int32_t node, fw_tick_t tick, int32_t * direction)
{
  const fw_moves_t * moves = query->moves;
  const int32_t * next = fw__moves_successors(moves, node);
  const uint32_t below = fw__distance_entry(query->distance, node) - 2;  // closed, one nearer
  for (int32_t turn = -1; turn < moves->degree; ++turn) {
    const int32_t d = turn < 0 ? *direction : turn;
    if (
      d >= 0 && next[d] >= 0 && fw__distance_entry(query->distance, next[d]) == below &&
      is_free(query, node, next[d], tick, d >= 4)) {
      *direction = d;
      return next[d];
    }
  }
  return -1;
}

bool fw__descend(fw_search_t * search, const fw_query_t * query, fw_meter_t * meter, fw_path_t * path)
{
  const fw_reservations_t * table = query->table;
  const int32_t goal = query->moves->node_of[table->robots[query->robot].goal];
  int32_t node = query->moves->node_of[query->start];
  const int32_t left = fw__distance_get(query->distance, node, meter);
  const bool is_too_far = query->must_arrive && left > query->horizon - query->now;
  if (left == FW_DISTANCE_NONE || is_too_far || !is_in_gap(table, node, query->now, query->now)) {
    return false;
  }
  const int32_t ticks = left < query->horizon - query->now ? left : query->horizon - query->now;
  if (!fw__search_reserve_path(search, ticks + 1, false)) {
    return false;
  }
  int32_t direction = -1;
  search->cells[0] = query->start;
  for (int32_t i = 1; i <= ticks && node >= 0; ++i) {
    node = step_down(query, node, query->now + i, &direction);
    search->cells[i] = node >= 0 ? query->moves->cell_of[node] : FW_CELL_NONE;
  }
  if (node < 0 || (node == goal && !is_in_gap(table, goal, query->now + ticks, query->horizon))) {
    return false;
  }
  *path = (fw_path_t){.cells = search->cells, .length = ticks + 1};
  return !fw__meter_add(meter, ticks);
}
