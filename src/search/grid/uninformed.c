// Searches without a heuristic and without costs, as textbooks and surveys begin: breadth-first and depth-first.
//
// Breadth-first search expands places in the order in which they were reached, so that its path has the fewest moves;
// where all moves cost the same, no path costs less. Depth-first search follows one path as far as it goes and takes
// the next untried move of the last place that has one; its path is whatever it meets first.

#include "search/marks.h"
#include "search/router.h"

typedef struct uninformed_t {
  fw_marks_t marks;    // places reached; the note is the direction of the move that reached them
  fw_trail_t open;     // breadth: the queue; depth: the path from the start to here
  fw_trail_t untried;  // depth: for each place of the path the moves that are left
} uninformed_t;

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  uninformed_t * search = fw__arena_allocate_zeroed(context->built, 1, sizeof(*search));
  if (search == NULL) {
    return fw__error_memory(error);
  }
  search->open.arena = search->untried.arena = context->built;
  (void)fw__marks_init(&search->marks, context->built, context->floor->place_count);
  context->state = search;
  return fw__router_build_result(context, error);
}

static void begin(uninformed_t * search, int32_t start)
{
  fw__marks_begin(&search->marks);
  fw__marks_set(&search->marks, start, 0, 0);
  search->open.count = search->untried.count = 0;
  search->open.has_failed = search->untried.has_failed = false;
}

// The place that a move leads to if it was not reached before, else -1; it counts as reached from now on.
static int32_t reach(uninformed_t * search, const fw_floor_t * floor, int32_t from, int32_t direction)
{
  const int32_t to = fw__floor_next(floor, from, direction);
  if (fw__marks_has(&search->marks, to)) {
    return -1;
  }
  fw__marks_set(&search->marks, to, search->marks.marks[from].g + 1, direction);
  return to;
}

static size_t memory_of(const uninformed_t * search, int64_t reached)
{
  return (size_t)reached * sizeof(fw_mark_t) + sizeof(int32_t) * (size_t)(search->open.count + search->untried.count);
}

static void find_breadth_first(fw_router_context_t * context)
{
  uninformed_t * search = context->state;
  const fw_floor_t * floor = context->floor;
  begin(search, context->start);
  fw__trail_add(&search->open, context->start);
  for (int32_t i = 0; i < search->open.count && !fw__marks_has(&search->marks, context->goal); ++i) {
    const int32_t at = search->open.places[i];
    if (fw__router_count(context, at)) {
      return;
    }
    for (uint32_t moves = floor->moves[at]; moves != 0; moves &= moves - 1) {
      const int32_t to = reach(search, floor, at, __builtin_ctz(moves));
      if (to >= 0) {
        fw__trail_add(&search->open, to);
      }
    }
  }
  context->memory_bytes = memory_of(search, search->open.count);
  if (!fw__router_has_memory(context) || !fw__marks_has(&search->marks, context->goal)) {
    return;
  }
  for (int32_t at = context->goal; at != context->start;) {
    fw__trail_add(context->trail, at);
    // Moves back are in the table of opposite directions also where an area allows only the move there.
    at = fw__floor_next(floor, at, floor->opposite[fw__marks_note(&search->marks, at)]);
  }
  fw__trail_add(context->trail, context->start);
  fw__trail_reverse(context->trail, 0);
}

static void find_depth_first(fw_router_context_t * context)
{
  uninformed_t * search = context->state;
  const fw_floor_t * floor = context->floor;
  fw_trail_t * path = &search->open;
  int32_t deepest = 0;
  begin(search, context->start);
  for (int32_t to = context->start; to != context->goal;) {
    if (to >= 0) {
      fw__trail_add(path, to);
      fw__trail_add(&search->untried, floor->moves[to]);
      if (!fw__router_has_memory(context) || fw__router_count(context, to)) {
        return;
      }
      deepest = path->count > deepest ? path->count : deepest;
    }
    FW_ASSERT(path->count == search->untried.count);
    int32_t * untried = &search->untried.places[path->count - 1];
    if (*untried != 0) {
      const int32_t direction = __builtin_ctz((uint32_t)*untried);
      *untried &= *untried - 1;
      to = reach(search, floor, path->places[path->count - 1], direction);
    } else if (path->count > 1) {
      --path->count;
      --search->untried.count;
      to = -1;
    } else {
      return;  // back at the start: there is no path
    }
  }
  context->memory_bytes = memory_of(search, context->expanded) + 2 * sizeof(int32_t) * (size_t)(deepest - path->count);
  fw__trail_append(context->trail, path, 0);
  fw__trail_add(context->trail, context->goal);
}

const fw_router_def_t fw__router_breadth = {
  .name = "breadth",
  .summary = "breadth-first search: the fewest moves, whatever they cost",
  .paper = "Moore, The Shortest Path through a Maze, 1959",
  .takes_terrain = true,
  .takes_one_way = true,
  .takes_hexagons = true,
  .build = build,
  .update = fw__router_update_nothing,
  .find = find_breadth_first,
};

const fw_router_def_t fw__router_depth = {
  .name = "depth",
  .summary = "depth-first search: some path, often a long one",
  .paper = "Tarjan, Depth-First Search and Linear Graph Algorithms, 1972",
  .takes_terrain = true,
  .takes_one_way = true,
  .takes_hexagons = true,
  .build = build,
  .update = fw__router_update_nothing,
  .find = find_depth_first,
};
