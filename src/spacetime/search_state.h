// Inside of the space-time searches: their states, the memory for them, and tracing the path at the end.

#ifndef SPACETIME__SEARCH_STATE_H_
#define SPACETIME__SEARCH_STATE_H_

#include "spacetime/search.h"

typedef struct fw_spacetime_state_t {
  int32_t node;
  fw_tick_t tick;  // arrival
  int32_t parent;  // -1 at the start
  int32_t next;    // SIPP: another state at the same place; space-time A*: in the same hash slot
  // SIPP: the end of the safe interval, which identifies it. Space-time A*: the tick by which two states are the same;
  // its complement for a robot that has not left a start where waiting is forbidden to others.
  fw_tick_t safe_to;
  int32_t cost;  // SIPP: distance to the goal; soft SIPP: prices paid; space-time A*: cost so far
  bool is_closed;
} fw_spacetime_state_t;

// Begins a query over `node_count` places: no states. False when there is no memory.
bool fw__spacetime_search_begin(fw_spacetime_search_t * search, int32_t node_count);
// Room for more states; false when there is no memory.
bool fw__spacetime_search_grow(fw_spacetime_search_t * search);
// Adds a state; -1 when there is no memory.
static inline int32_t fw__spacetime_search_add(fw_spacetime_search_t * search, const fw_spacetime_state_t * state)
{
  FW_ASSERT(state->node >= 0 && state->node < search->place_capacity && state->parent < search->state_count);
  if (search->state_count == search->state_capacity && !fw__spacetime_search_grow(search)) {
    return -1;
  }
  search->states[search->state_count] = *state;
  return search->state_count++;
}
// The heuristic: the distance from `node` to the goal in moves, in ticks for fields with headings, or in cost for
// weighted fields; FW_DISTANCE_NONE if there is no path.
static inline int32_t fw__spacetime_search_estimate(
  const fw_spacetime_query_t * query, int32_t node, fw_meter_t * meter)
{
  if (query->distance != NULL) {
    return fw__distance_get(query->distance, node, meter);
  }
  const fw_moves_t * moves = query->moves;
  return fw__grid_distance(
    moves->grid, query->estimate_degree, moves->cell_of[node], query->table->robots[query->robot].goal);
}
// Writes the path that ends with `state`, from the query's `now` on. During a motion a robot is listed on the place
// that it leaves, with the heading that it had there. False when there is no memory.
bool fw__spacetime_search_trace(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, int32_t state, fw_path_t * path);

// The final result of a search. A search that the meter has stopped may look like "no path", since distances were cut
// short; one that stopped by itself had no memory.
fw_found_t fw__spacetime_search_end(fw_meter_t * meter, fw_found_t found);

// The tag of an item in the open list that stands for "this state, and waiting there until the horizon".
#define FW__SPACETIME_SEARCH_ENDS INT32_MIN

#endif  // SPACETIME__SEARCH_STATE_H_
