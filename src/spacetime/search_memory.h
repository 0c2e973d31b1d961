// What both space-time searches share inside: states, room for them, and the path at the end.

#ifndef SPACETIME__SEARCH_MEMORY_H_
#define SPACETIME__SEARCH_MEMORY_H_

#include "spacetime/search.h"

typedef struct fw_search_state_t {
  int32_t node;
  fw_tick_t tick;    // arrival
  int32_t parent;    // -1 at the start
  int32_t next;      // another state at the same place (intervals) or in the same hash slot
  fw_tick_t gap_to;  // intervals: the end of the gap, which names it; space-time A*: the tick that names the state
  int32_t cost;      // space-time A*: cost so far
  bool is_closed;
} fw_search_state_t;

// Empties `search` for a new query over `node_count` places.
bool fw__search_begin(fw_search_t * search, int32_t node_count);
// Room for more states.
bool fw__search_grow(fw_search_t * search);
// A new state, -1 when there is no memory.
static inline int32_t fw__search_add(fw_search_t * search, const fw_search_state_t * state)
{
  if (search->state_count == search->state_capacity && !fw__search_grow(search)) {
    return -1;
  }
  search->states[search->state_count] = *state;
  return search->state_count++;
}
// What is left to go from `node`, in moves, or in ticks by distances with headings (or cost, if the distance is
// weighted); FW_DISTANCE_NONE for no way.
static inline int32_t fw__search_estimate(const fw_query_t * query, int32_t node, fw_meter_t * meter)
{
  if (query->distance != NULL) {
    return fw__distance_get(query->distance, node, meter);
  }
  const fw_moves_t * moves = query->moves;
  return fw__grid_distance(
    moves->grid, query->estimate_degree, moves->cell_of[node], query->table->robots[query->robot].goal);
}
// Room for a path of that many ticks.
bool fw__search_reserve_path(fw_search_t * search, int32_t length, bool has_heading);
// The path that ends with `state`, from the query's `now` on: on the way from a place to the next a robot is listed on
// the place that it leaves, with the heading that it had there.
bool fw__search_trace(fw_search_t * search, const fw_query_t * query, int32_t state, fw_path_t * path);

// The last word on what was found: a search that the meter has stopped may look like "no way", since distances were cut
// short; one that stopped by itself had no memory.
fw_found_t fw__search_end(fw_meter_t * meter, fw_found_t found);

// The tag of an item in the open list that stands for "this state, and there until the horizon".
#define FW__SEARCH_ENDS INT32_MIN

#endif  // SPACETIME__SEARCH_MEMORY_H_
