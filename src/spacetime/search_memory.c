// Memory of the space-time searches.

#include "spacetime/search_memory.h"

#include <string.h>

void fw__search_init(fw_search_t * search, fw_arena_t * arena)
{
  *search = (fw_search_t){.arena = arena};
  fw__bucket_queue_init(&search->open, arena);
}

bool fw__search_begin(fw_search_t * search, int32_t node_count)
{
  if (search->place_capacity < node_count) {
    search->first_at = fw__arena_allocate(search->arena, (size_t)node_count, sizeof(*search->first_at));
    search->stamp_at = fw__arena_allocate_zeroed(search->arena, (size_t)node_count, sizeof(*search->stamp_at));
    search->place_capacity = search->first_at != NULL && search->stamp_at != NULL ? node_count : 0;
    search->stamp = 0;
    if (search->place_capacity == 0) {
      return false;
    }
  }
  ++search->stamp;
  search->state_count = 0;
  fw__bucket_queue_clear(&search->open);
  return true;
}

bool fw__search_grow(fw_search_t * search)
{
  fw_search_state_t * states = fw__arena_grow(
    search->arena, search->states, (size_t)search->state_count, sizeof(*states), &search->state_capacity);
  search->states = states != NULL ? states : search->states;
  return states != NULL;
}

bool fw__search_reserve_path(fw_search_t * search, int32_t length, bool has_heading)
{
  while (search->cell_capacity < length) {
    search->cells = fw__arena_grow(search->arena, search->cells, 0, sizeof(*search->cells), &search->cell_capacity);
    if (search->cells == NULL) {
      search->cell_capacity = 0;
      return false;
    }
  }
  while (has_heading && search->heading_capacity < length) {
    search->headings =
      fw__arena_grow(search->arena, search->headings, 0, sizeof(*search->headings), &search->heading_capacity);
    if (search->headings == NULL) {
      search->heading_capacity = 0;
      return false;
    }
  }
  return true;
}

bool fw__search_trace(fw_search_t * search, const fw_query_t * query, int32_t state, fw_path_t * path)
{
  const fw_moves_t * moves = query->moves;
  const bool has_heading = moves->heading_of != NULL;
  const int32_t length = search->states[state].tick - query->now + 1;
  if (!fw__search_reserve_path(search, length, has_heading)) {
    return false;
  }
  int32_t end = length;
  for (int32_t s = state; s >= 0; s = search->states[s].parent) {
    const int32_t node = search->states[s].node;
    const fw_cell_t cell = moves->cell_of[node];
    const int32_t begin = search->states[s].tick - query->now;
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

fw_found_t fw__search_end(fw_meter_t * meter, fw_found_t found)
{
  if (found == FW_FOUND_STOPPED) {
    fw__meter_stop(meter, FW_STOP_MEMORY);  // unless it has a reason already
  }
  return found != FW_FOUND_PATH && fw__meter_has_stopped(meter) ? FW_FOUND_STOPPED : found;
}

fw_found_t fw__search_path(fw_search_t * search, const fw_query_t * query, fw_meter_t * meter, fw_path_t * path)
{
  if (!fw__interval_search_fits(query)) {
    return fw__spacetime_astar(search, query, meter, path);
  }
  if (query->horizon != FW_TICK_MAX && query->distance != NULL && fw__descend(search, query, meter, path)) {
    return FW_FOUND_PATH;
  }
  return query->prices == NULL && query->horizon == FW_TICK_MAX ? fw__interval_search(search, query, meter, path)
                                                                : fw__override_search(search, query, meter, path);
}
