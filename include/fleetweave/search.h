// One robot alone on the static grid: searches by name.
//
//   fw_router_t router = {0};
//   fw_router_init(&router, "jps", &(fw_router_options_t){.connectivity = 8}, &error);  // any name of `fleetweave route --list`
//   fw_router_build(&router, &grid, &error);               // once per map: what the search prepares
//   fw_route_t route = {0};
//   fw_router_find(&router, start, goal, NULL, &route, &error);
//   // route.cells[0 … route.length - 1], a view until the next call
//   fw_router_fini(&router);
//
// All of them answer on the same floor: cells where the whole robot fits, moves in 4 or 8 directions (a diagonal needs
// room on both side cells), or hexagonal tiles with 6. A search that works on something coarser than cells (clusters,
// polygons, points) still answers with cells, each one legal move from the one before.

#ifndef FLEETWEAVE__SEARCH_H_
#define FLEETWEAVE__SEARCH_H_

#include "fleetweave/fleetweave.h"
#include "fleetweave/planner_def.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Route: the answer
// ---------------------------------------------------------------------------------------------------------------------

typedef struct fw_route_t {
  fw_cell_t * cells;  // from start to goal, both included; owned after fw_route_find, a view after fw_router_find
  int32_t length;     // 0: there is no way, or the search was stopped
  // Over all moves: what the move is long, times the cost byte of the cell entered. A straight move is `unit` long, a
  // diagonal as the router's options say; fw_route_find has a unit of 1 and counts a diagonal as much as a straight move.
  fw_cost_t cost;
  int32_t unit;
  int32_t diagonals;    // moves of the route that are diagonal
  int64_t expanded;     // nodes taken from open lists, of cells or of whatever the search has in their place
  size_t memory_bytes;  // what this search needed: its nodes and its open list, without what was built for the map
  fw_stop_t stop;       // why it ended; FW_STOP_DONE with length 0 is proof that there is no way
  // Turning points: straight lines of sight from each to the next lead from start to goal. Only where the options ask
  // for it (`finds_corners`), else NULL and 0.
  fw_cell_t * corners;
  int32_t corner_count;
  fw_cell_t * touched;  // cells that were expanded, in their order; only where the options ask (`notes_touched`)
  int32_t touched_count;
  fw_allocator_t allocator;
} fw_route_t;

// A* from start to goal: the way of least cost. "No way" is FW_RET_OK with length 0; a start or goal outside the grid
// or on a blocked cell is FW_RET_INVALID_ARGUMENT. Fields `fault` and `cell` of the error tell which.
FW_API FW_MUST_USE fw_ret_t fw_route_find(
  fw_route_t * route, const fw_grid_t * grid, fw_cell_t start, fw_cell_t goal, int32_t connectivity,
  const fw_allocator_t * allocator, fw_error_t * error);
// The same by the rules of a problem: its grid, its connectivity, and whether corners may be cut. Its robots and closures
// are not looked at.
FW_API FW_MUST_USE fw_ret_t fw_route_find_for(
  fw_route_t * route, const fw_problem_t * problem, fw_cell_t start, fw_cell_t goal, const fw_allocator_t * allocator,
  fw_error_t * error);
FW_API void fw_route_fini(fw_route_t * route);

// ---------------------------------------------------------------------------------------------------------------------
// Router: a search with its map
// ---------------------------------------------------------------------------------------------------------------------

// How long a diagonal is, for connectivity 8.
typedef enum fw_diagonal_t {
  FW_DIAGONAL_TICK = 0,  // as long as a straight move: planners count ticks
  FW_DIAGONAL_ROOT,      // the square root of 2, as in MovingAI's scenarios, in whole numbers: see fw_router_stats_t
} fw_diagonal_t;

// `{0}` is 4-connected, a robot of one cell, the default allocator and no limit.
typedef struct fw_router_options_t {
  int32_t connectivity;  // 4 or 8; 6 for hexagonal tiles, rows with odd y half a tile to the east; 0 is read as 4
  fw_diagonal_t diagonal;
  const fw_offset_t * footprint;  // as in fw_robot_t; copied
  int32_t footprint_count;
  // Obstacles grow by so many cells: the robot keeps off every cell that has a blocked one, or the map's edge, within
  // that distance between centres. 0 to FW_CLEARANCE_MAX.
  int32_t clearance;
  bool finds_corners;  // any-angle: shorten the route by lines of sight (square tiles only)
  bool notes_touched;  // for pictures
  fw_allocator_t allocator;
  size_t memory_max_bytes;  // for all that the router holds; 0 for no limit
} fw_router_options_t;
#define FW_CLEARANCE_MAX 64

struct fw__router_t;
typedef struct fw_router_t {
  struct fw__router_t * impl;
} fw_router_t;

// FW_RET_NOT_FOUND lists the names there are; FW_RET_UNSUPPORTED says what the search cannot do (jps: terrain, hex).
FW_API FW_MUST_USE fw_ret_t
fw_router_init(fw_router_t * router, const char * name, const fw_router_options_t * options, fw_error_t * error);
FW_API void fw_router_fini(fw_router_t * router);

// Parameters as those of planners. Those that shape what is built take effect with the next build.
FW_API FW_MUST_USE fw_ret_t
fw_router_set(fw_router_t * router, const char * parameter, const char * value, fw_error_t * error);

// Prepares for a map; replaces what was built before. The grid stays borrowed until the next build or fini.
FW_API FW_MUST_USE fw_ret_t fw_router_build(fw_router_t * router, const fw_grid_t * grid, fw_error_t * error);

// The caller has changed the cost bytes of these cells of the grid. Searches that can mend what they built do so (hpa:
// only the clusters concerned), others build anew.
FW_API FW_MUST_USE fw_ret_t
fw_router_update(fw_router_t * router, const fw_cell_t * cells, int32_t cell_count, fw_error_t * error);

// A way from start to goal. `budget` may be NULL. FW_RET_OK whenever there is an answer, also where it is "no way" or
// "stopped"; errors of start and goal as fw_route_find has them. The route is a view until the router's next call.
FW_API FW_MUST_USE fw_ret_t fw_router_find(
  fw_router_t * router, fw_cell_t start, fw_cell_t goal, const fw_budget_t * budget, fw_route_t * route,
  fw_error_t * error);

typedef struct fw_router_stats_t {
  int64_t build_ns;     // of the last build or update
  size_t built_bytes;   // what the build made, floor included
  size_t memory_bytes;  // all that the router holds now
  int32_t unit;         // what a straight move over floor of cost 1 counts in costs
  int32_t diagonal;     // and a diagonal one
  int32_t node_count;   // of the abstraction: clusters' entrances, polygons, points; cells where there is none
  int64_t edge_count;   // 0 where edges are those of the grid
  int32_t rebuilt;      // parts made anew by the last build or update
} fw_router_stats_t;
FW_API fw_router_stats_t fw_router_stats(const fw_router_t * router);

// What was built, for pictures: rectangles of cells (corners `from` and `to`), points (`from`) and lines between cells.
typedef enum fw_shape_kind_t { FW_SHAPE_RECTANGLE, FW_SHAPE_POINT, FW_SHAPE_LINE } fw_shape_kind_t;
typedef struct fw_shape_t {
  fw_shape_kind_t kind;
  fw_cell_t from;
  fw_cell_t to;
} fw_shape_t;
// Calls `show` for each shape of the abstraction; none where the search works on cells alone.
FW_API void fw_router_shapes(
  const fw_router_t * router, void (*show)(const fw_shape_t * shape, void * state), void * state);

// Is this a way on the map: from start to goal by legal moves, all on free cells? Written apart from the searches; for
// all connectivities. `options` as given to fw_router_init. The text of `error` says what is wrong and where.
FW_API FW_MUST_USE fw_ret_t fw_route_check(
  const fw_route_t * route, const fw_grid_t * grid, const fw_router_options_t * options, const fw_cell_t ends[2],
  fw_error_t * error);

// ---------------------------------------------------------------------------------------------------------------------
// The list of searches
// ---------------------------------------------------------------------------------------------------------------------

struct fw_router_context_t;  // search/router.h

// One file in src/search with one of these, and one line in router_list.c. The command line, the bench and the tests walk
// that list.
typedef struct fw_router_def_t {
  const char * name;
  const char * summary;  // one line
  const char * paper;    // author, title, year
  const fw_parameter_def_t * parameters;
  int32_t parameter_count;
  bool is_optimal;       // with its default parameters the route has the least cost
  bool takes_terrain;    // cost bytes above 1; others refuse such maps
  bool takes_hexagons;   // connectivity 6
  bool has_abstraction;  // the build makes something larger than a copy of the map
  // Functions: see search/router.h.
  fw_ret_t (*build)(struct fw_router_context_t * context, fw_error_t * error);
  fw_ret_t (*update)(struct fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error);
  void (*find)(struct fw_router_context_t * context);
  // May be NULL. Shapes in places.
  void (*shapes)(
    const struct fw_router_context_t * context, void (*show)(const fw_shape_t * shape, void * state), void * state);
} fw_router_def_t;

FW_API int32_t fw_router_def_count(void);
FW_API const fw_router_def_t * fw_router_def_at(int32_t index);        // NULL if out of range
FW_API const fw_router_def_t * fw_router_def_find(const char * name);  // NULL if unknown

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__SEARCH_H_
