// Subgoal graph (Uras, Koenig and Hernandez 2013): the corners of obstacles, and which of them a place sees.
//
// A subgoal is a free place diagonal to a blocked one with both places between them free. Every shortest path bends at
// subgoals only, up to the order of its moves. Between two places lies a region: all paths between them of moves in two
// directions, one of them diagonal (with 4 directions: one of them vertical). If nothing in the region is blocked and
// it has no other subgoal, the two are linked, and each path through the region is a shortest one:
//
//   . . . . .        s: a subgoal, since the place to its south-east is blocked
//   a . s . b        a and s are linked, s and b too; a and b are not, since s lies in their region
//   . . . # .
//
// A shortest path is then the straight one, or start, linked subgoals, goal.

#ifndef SEARCH__SUBGOALS__SUBGOAL_GRAPH_H_
#define SEARCH__SUBGOALS__SUBGOAL_GRAPH_H_

#include "search/floor.h"

typedef struct fw_subgoal_graph_t {
  int32_t count;          // number of subgoals, in the order of their places
  int32_t * places;       // by subgoal
  int32_t * points;       // by subgoal: the same as fw__subgoal_point
  int32_t * edge_firsts;  // by subgoal, and one more: links among subgoals, in both directions
  int32_t * edges;        // subgoals
  int32_t * link_firsts;  // by place, and one more
  int32_t * links;        // subgoals that the place is linked to; of a subgoal itself alone
} fw_subgoal_graph_t;

// In the arena; the floor has 4 or 8 directions and cells of cost 1. An allocation that fails leaves the arena's flag
// set, and the graph is then not to be used.
void fw__subgoal_graph_init(fw_subgoal_graph_t * graph, fw_arena_t * arena, const fw_floor_t * floor);

// A cell as y << 16 | x: paths are measured in coordinates, and divisions would take longer than most else in a query.
static inline int32_t fw__subgoal_point(const fw_floor_t * floor, int32_t place)
{
  return fw__floor_y(floor, place) << 16 | fw__floor_x(floor, place);
}
static inline int32_t fw__point_x(int32_t point) { return point & 0xffff; }
static inline int32_t fw__point_y(int32_t point) { return point >> 16; }

// The length of a path through the region between two points.
static inline int32_t fw__subgoal_distance(const fw_floor_t * floor, int32_t from, int32_t to)
{
  return fw__floor_estimate(floor, fw__point_x(to) - fw__point_x(from), fw__point_y(to) - fw__point_y(from));
}

// The sum of two distances: each is at most that of the longest path, so that only their sum could overflow 31 bits.
static inline uint32_t fw__subgoal_sum(int32_t a, int32_t b) { return (uint32_t)a + (uint32_t)b; }

#endif  // SEARCH__SUBGOALS__SUBGOAL_GRAPH_H_
