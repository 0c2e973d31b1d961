// Where a robot may be among closures without being trapped.

#include "planner/lacam/escape.h"

#include <string.h>

#include "base/list.h"

// The open intervals of one place between its closures, which begin at `at`. Returns their number; writes them if
// `intervals` is not NULL.
static int32_t list_intervals(const fw_problem_t * problem, fw_cell_t cell, int32_t at, fw_open_interval_t * intervals)
{
  int32_t count = 0;
  fw_tick_t from = 0;
  for (int32_t i = at; i < problem->closure_count && problem->closures[i].cell == cell; ++i) {
    const fw_closure_t * closure = &problem->closures[i];
    if (closure->from > from) {
      if (intervals != NULL) {
        intervals[count] = (fw_open_interval_t){.from = from, .to = closure->from - 1, .latest = -1};
      }
      ++count;
    }
    from = closure->to == FW_TICK_MAX ? FW_TICK_MAX : closure->to + 1;
  }
  if (from < FW_TICK_MAX) {
    if (intervals != NULL) {
      intervals[count] = (fw_open_interval_t){.from = from, .to = FW_TICK_MAX, .latest = FW_TICK_MAX};
    }
    ++count;
  }
  return count;
}

// By place: the index of its first closure, `closure_count` for none. NULL when there is no memory.
static int32_t * find_closures(fw_arena_t * arena, const fw_moves_t * moves, const fw_problem_t * problem)
{
  int32_t * firsts = fw__arena_allocate(arena, (size_t)moves->node_count, sizeof(*firsts));
  for (int32_t place = 0; place < moves->node_count && firsts != NULL; ++place) {
    firsts[place] = problem->closure_count;
  }
  for (int32_t i = problem->closure_count - 1; i >= 0 && firsts != NULL; --i) {
    const int32_t place = moves->node_of[problem->closures[i].cell];
    if (place >= 0) {
      firsts[place] = i;
    }
  }
  return firsts;
}

// The latest tick at which a robot can leave `own` to a place with the interval `other`; -1 for none.
static fw_tick_t latest_move(const fw_open_interval_t * own, const fw_open_interval_t * other)
{
  const fw_tick_t until = other->latest == FW_TICK_MAX || own->to < other->latest ? own->to : other->latest - 1;
  return other->latest >= 0 && until >= own->from && until + 1 >= other->from ? until : -1;
}

// Improves the intervals of a place by those of a neighbour. True if one has changed.
static bool improve(fw_escape_t * escape, int32_t place, int32_t neighbour)
{
  bool has_changed = false;
  for (int32_t i = escape->firsts[place]; i < escape->firsts[place + 1]; ++i) {
    fw_open_interval_t * own = &escape->intervals[i];
    for (int32_t k = escape->firsts[neighbour]; k < escape->firsts[neighbour + 1] && own->latest < own->to; ++k) {
      const fw_tick_t tick = latest_move(own, &escape->intervals[k]);
      if (tick > own->latest) {
        own->latest = tick;
        has_changed = true;
      }
    }
  }
  return has_changed;
}

// Whether some interval of the place ends.
static bool closes(const fw_escape_t * escape, int32_t place)
{
  return escape->firsts[place] < escape->firsts[place + 1] && escape->intervals[escape->firsts[place]].to < FW_TICK_MAX;
}

// Label-correcting search backwards in time: places whose intervals have improved improve those of their neighbours. A
// tick only rises and has a maximum, so that it ends.
static bool spread(fw_escape_t * escape, fw_arena_t * arena, const fw_moves_t * moves)
{
  fw_list_t queue = fw__list(arena);
  bool * is_queued = fw__arena_allocate_zeroed(arena, (size_t)moves->node_count, sizeof(*is_queued));
  for (int32_t place = 0; place < moves->node_count && is_queued != NULL; ++place) {
    if (closes(escape, place)) {
      is_queued[place] = true;
      (void)fw__list_push(&queue, place);
    }
  }
  int32_t at = 0;
  while (at < queue.count && is_queued != NULL && !fw__arena_has_failed(arena)) {
    const int32_t place = queue.items[at++];
    const int32_t * next = fw__moves_successors(moves, place);
    bool has_changed = false;
    is_queued[place] = false;
    for (int32_t d = 0; d < moves->degree; ++d) {
      has_changed = (next[d] >= 0 && improve(escape, place, next[d])) || has_changed;
    }
    for (int32_t d = 0; d < moves->degree && has_changed; ++d) {
      if (next[d] >= 0 && !is_queued[next[d]] && closes(escape, next[d])) {
        is_queued[next[d]] = true;
        (void)fw__list_push(&queue, next[d]);
      }
    }
    if (at * 2 > queue.capacity) {  // the front is done
      for (int32_t i = at; i < queue.count; ++i) {
        queue.items[i - at] = queue.items[i];
      }
      queue.count -= at;
      at = 0;
    }
  }
  return !fw__arena_has_failed(arena);
}

bool fw__escape_init(fw_escape_t * escape, fw_arena_t * arena, const fw_moves_t * moves, const fw_problem_t * problem)
{
  *escape = (fw_escape_t){0};
  if (problem->closure_count == 0) {
    return true;
  }
  const int32_t * closures = find_closures(arena, moves, problem);
  int32_t * firsts = fw__arena_allocate(arena, (size_t)moves->node_count + 1, sizeof(*firsts));
  if (closures == NULL || firsts == NULL) {
    return false;
  }
  firsts[0] = 0;
  for (int32_t place = 0; place < moves->node_count; ++place) {
    firsts[place + 1] = firsts[place] + list_intervals(problem, moves->cell_of[place], closures[place], NULL);
  }
  escape->intervals = fw__arena_allocate(arena, (size_t)firsts[moves->node_count] + 1, sizeof(*escape->intervals));
  if (escape->intervals == NULL) {
    return false;
  }
  for (int32_t place = 0; place < moves->node_count; ++place) {
    (void)list_intervals(problem, moves->cell_of[place], closures[place], &escape->intervals[firsts[place]]);
  }
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_closure_t * closure = &problem->closures[i];
    const fw_tick_t change = closure->to == FW_TICK_MAX ? closure->from : closure->to + 1;
    escape->last_change = change > escape->last_change ? change : escape->last_change;
  }
  escape->firsts = firsts;
  return spread(escape, arena, moves);
}

const fw_open_interval_t * fw__escape_find(const fw_escape_t * escape, int32_t place, fw_tick_t tick)
{
  int32_t low = escape->firsts[place], high = escape->firsts[place + 1];
  while (low < high) {  // the first interval that ends at the tick or later
    const int32_t middle = low + (high - low) / 2;
    if (escape->intervals[middle].to < tick) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < escape->firsts[place + 1] && escape->intervals[low].from <= tick ? &escape->intervals[low] : NULL;
}

const fw_problem_t * fw__escape_block_closed(fw_arena_t * arena, const fw_problem_t * problem)
{
  if (problem->closure_count == 0 || (problem->connectivity == 8 && !problem->cuts_corners)) {
    return problem;
  }
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  fw_problem_t * open = fw__arena_allocate(arena, 1, sizeof(*open));
  fw_grid_t * grid = fw__arena_allocate(arena, 1, sizeof(*grid));
  uint8_t * cost = fw__arena_allocate(arena, cells, sizeof(*cost));
  fw_closure_t * closures = fw__arena_allocate(arena, (size_t)problem->closure_count, sizeof(*closures));
  if (open == NULL || grid == NULL || cost == NULL || closures == NULL) {
    return NULL;
  }
  memcpy(cost, problem->grid->cost, cells);
  *open = *problem;
  open->grid = grid;
  open->closures = closures;
  open->closure_count = 0;
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_closure_t closure = problem->closures[i];
    bool is_blocked = closure.from == 0 && closure.to == FW_TICK_MAX;
    for (int32_t r = 0; r < problem->robot_count && is_blocked; ++r) {
      is_blocked = problem->robots[r].goal != closure.cell;
    }
    if (is_blocked) {
      cost[closure.cell] = 0;
    } else {
      closures[open->closure_count++] = closure;
    }
  }
  *grid = (fw_grid_t){.width = problem->grid->width, .height = problem->grid->height, .cost = cost};
  return open;
}
