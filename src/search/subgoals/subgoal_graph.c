// Subgoals and links: corners of obstacles, and the scan that finds those that a place sees.

#include "search/subgoals/subgoal_graph.h"

#include "search/trail.h"

// What the scans read, in an arena that is released after the build.
typedef struct scan_t {
  const fw_floor_t * floor;
  int32_t * subgoal_of;  // by place; -1: not a subgoal
  int32_t * runs[4];     // by direction and place: moves to the first subgoal, or to the last place before an obstacle
  fw_trail_t seen;       // subgoals found by a scan
} scan_t;

// ---- subgoals -------------------------------------------------------------------------------------------------------

static bool is_corner(const fw_floor_t * floor, int32_t place)
{
  bool is_found = false;
  for (int32_t d = 0; d < 4; ++d) {
    const int32_t a = floor->steps[0][d];
    const int32_t b = floor->steps[0][(d + 1) & 3];
    is_found =
      is_found || (floor->cost[place + a] != 0 && floor->cost[place + b] != 0 && floor->cost[place + a + b] == 0);
  }
  return is_found;
}

static bool is_inner(const fw_floor_t * floor, int32_t place)
{
  const int32_t x = place % floor->stride;
  return x > 0 && x <= floor->width;
}

static void find_subgoals(fw_subgoal_graph_t * graph, fw_arena_t * arena, scan_t * scan)
{
  const fw_floor_t * floor = scan->floor;
  const int32_t first = floor->stride;
  const int32_t end = floor->place_count - floor->stride;
  for (int32_t place = 0; place < floor->place_count; ++place) {
    const bool is_free = place >= first && place < end && is_inner(floor, place) && floor->cost[place] != 0;
    scan->subgoal_of[place] = is_free && is_corner(floor, place) ? graph->count++ : -1;
  }
  graph->places = fw__arena_allocate(arena, (size_t)graph->count + 1, sizeof(*graph->places));
  graph->points = fw__arena_allocate(arena, (size_t)graph->count + 1, sizeof(*graph->points));
  for (int32_t place = 0; !fw__arena_has_failed(arena) && place < floor->place_count; ++place) {
    if (scan->subgoal_of[place] >= 0) {
      graph->places[scan->subgoal_of[place]] = place;
      graph->points[scan->subgoal_of[place]] = fw__subgoal_point(floor, place);
    }
  }
}

// ---- scans ----------------------------------------------------------------------------------------------------------

// Runs in a straight direction, from the far end of each line backwards.
static void fill_runs(scan_t * scan, int32_t d)
{
  const fw_floor_t * floor = scan->floor;
  const int32_t step = floor->steps[0][d];
  const int32_t count = floor->place_count;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t place = step > 0 ? count - 1 - i : i;
    int32_t run = 0;
    if (floor->cost[place] != 0 && floor->cost[place + step] != 0) {
      run = scan->subgoal_of[place + step] >= 0 ? 1 : scan->runs[d][place + step] + 1;
    }
    scan->runs[d][place] = run;
  }
}

// Looks along a line from `place`, at most `limit` moves far, and notes a subgoal at its end. Returns how far regions
// may reach along the lines behind this one.
static int32_t look(scan_t * scan, int32_t place, int32_t d, int32_t limit)
{
  const int32_t run = scan->runs[d][place];
  const int32_t subgoal = run > 0 ? scan->subgoal_of[place + run * scan->floor->steps[0][d]] : -1;
  if (subgoal >= 0 && run <= limit) {
    fw__trail_add(&scan->seen, subgoal);
  }
  const int32_t reach = subgoal >= 0 ? run - 1 : run;
  return reach < limit ? reach : limit;
}

// The subgoals linked to a place, in `seen`: straight ahead, and from each step in a diagonal (with 4 directions a
// vertical) direction to its two sides, no farther than all lines before it.
static void scan_place(scan_t * scan, int32_t place)
{
  const fw_floor_t * floor = scan->floor;
  const bool has_diagonals = floor->degree == 8;
  int32_t limits[4];
  scan->seen.count = 0;
  for (int32_t d = 0; d < 4; ++d) {
    limits[d] = has_diagonals || d % 2 == 0 ? look(scan, place, d, INT32_MAX) : 0;
  }
  for (int32_t i = 0; i < (has_diagonals ? 4 : 2); ++i) {
    const int32_t d = has_diagonals ? 4 + i : 1 + 2 * i;
    const int32_t sides[2] = {has_diagonals ? i : 0, has_diagonals ? (i + 1) & 3 : 2};
    int32_t reach[2] = {limits[sides[0]], limits[sides[1]]};
    int32_t at = place;
    bool is_hidden = false;
    while (!is_hidden && (floor->moves[at] >> d & 1) != 0) {
      at += floor->steps[0][d];
      is_hidden = scan->subgoal_of[at] >= 0;
      if (is_hidden) {
        fw__trail_add(&scan->seen, scan->subgoal_of[at]);
        break;
      }
      for (int32_t k = 0; k < 2; ++k) {
        reach[k] = look(scan, at, sides[k], reach[k]);
      }
    }
  }
}

// ---- lists ----------------------------------------------------------------------------------------------------------

// Lists by node, one after the other: the items that `fw__trail_append` has collected move into an array of their size.
static int32_t * keep(fw_arena_t * arena, const fw_trail_t * items)
{
  int32_t * array = fw__arena_allocate(arena, (size_t)items->count + 1, sizeof(*array));
  for (int32_t i = 0; array != NULL && i < items->count; ++i) {
    array[i] = items->places[i];
  }
  return array;
}

static void find_edges(fw_subgoal_graph_t * graph, fw_arena_t * arena, scan_t * scan, fw_trail_t * items)
{
  items->count = 0;
  for (int32_t i = 0; i < graph->count; ++i) {
    graph->edge_firsts[i] = items->count;
    scan_place(scan, graph->places[i]);
    fw__trail_append(items, &scan->seen, 0);
  }
  graph->edge_firsts[graph->count] = items->count;
  graph->edges = keep(arena, items);
}

static void find_links(fw_subgoal_graph_t * graph, fw_arena_t * arena, scan_t * scan, fw_trail_t * items)
{
  items->count = 0;
  for (int32_t place = 0; place < scan->floor->place_count; ++place) {
    graph->link_firsts[place] = items->count;
    if (scan->subgoal_of[place] >= 0) {
      fw__trail_add(items, scan->subgoal_of[place]);
    } else if (scan->floor->cost[place] != 0) {
      scan_place(scan, place);
      fw__trail_append(items, &scan->seen, 0);
    }
  }
  graph->link_firsts[scan->floor->place_count] = items->count;
  graph->links = keep(arena, items);
}

void fw__subgoal_graph_init(fw_subgoal_graph_t * graph, fw_arena_t * arena, const fw_floor_t * floor)
{
  FW_ASSERT(floor->is_uniform && floor->degree != 6 && !floor->has_one_way);
  *graph = (fw_subgoal_graph_t){0};
  fw_arena_t scratch;
  fw__arena_init(&scratch, arena->memory);
  const size_t places = (size_t)floor->place_count;
  scan_t scan = {.floor = floor, .seen = {.arena = &scratch}};
  fw_trail_t items = {.arena = &scratch};
  scan.subgoal_of = fw__arena_allocate(&scratch, places, sizeof(*scan.subgoal_of));
  for (int32_t d = 0; d < 4; ++d) {
    scan.runs[d] = fw__arena_allocate_zeroed(&scratch, places, sizeof(*scan.runs[d]));
  }
  graph->link_firsts = fw__arena_allocate(arena, places + 1, sizeof(*graph->link_firsts));
  if (!fw__arena_has_failed(&scratch) && !fw__arena_has_failed(arena)) {
    find_subgoals(graph, arena, &scan);
    graph->edge_firsts = fw__arena_allocate(arena, (size_t)graph->count + 1, sizeof(*graph->edge_firsts));
  }
  if (!fw__arena_has_failed(&scratch) && !fw__arena_has_failed(arena)) {
    for (int32_t d = 0; d < 4; ++d) {
      fill_runs(&scan, d);
    }
    find_edges(graph, arena, &scan, &items);
    find_links(graph, arena, &scan, &items);
  }
  arena->has_failed = arena->has_failed || fw__arena_has_failed(&scratch);
  fw__arena_fini(&scratch);
}
