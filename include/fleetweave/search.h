// Path searches for one robot alone on a static grid, chosen by name (`fleetweave route --list` shows the names).
//
//   fw_router_t router = {0};
//   fw_router_init(&router, "jps", &(fw_router_options_t){.connectivity = 8}, &error);
//   fw_router_build(&router, &grid, &error);  // once per map: precomputation
//   fw_route_t route = {0};
//   fw_router_find(&router, start, goal, NULL, &route, &error);
//   // route.cells[0 … route.length - 1], a view until the next call
//   fw_router_fini(&router);
//
// All searches work on the same free cells and moves: cells where the whole robot fits; moves in 4 or 8 directions (a
// diagonal needs both side cells free), or 6 on hexagonal tiles. A search over something coarser than cells (clusters,
// polygons, points) still returns cells, each one legal move from the one before.
//
// A router belongs to one thread at a time. Different routers are independent.

#ifndef FLEETWEAVE__SEARCH_H_
#define FLEETWEAVE__SEARCH_H_

#include "fleetweave/fleetweave.h"
#include "fleetweave/planner_def.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Route: the result of a query
// ---------------------------------------------------------------------------------------------------------------------

typedef struct fw_route_t {
  fw_cell_t * cells;  // from start to goal, both included; owned after fw_route_find, a view after fw_router_find
  int32_t length;     // number of cells; 0: there is no path, or the search was stopped
  // Sum over all moves of the move's length times the cost byte of the cell entered. A straight move is `unit` long, a
  // diagonal as the router's options say. fw_route_find has a unit of 1 and counts a diagonal like a straight move.
  fw_cost_t cost;
  int32_t unit;
  int32_t diagonals;    // number of diagonal moves
  int64_t expanded;     // nodes taken from open lists: cells, or the nodes of the search's abstraction
  size_t memory_bytes;  // of this query: nodes reached and open list, without what was built for the map
  fw_stop_t stop;       // why it ended; FW_STOP_DONE with length 0 proves that there is no path
  // Any-angle path: turning points from start to goal, each in line of sight of the next. Only with the option
  // `finds_corners`, else NULL and 0.
  fw_cell_t * corners;
  int32_t corner_count;
  fw_cell_t * touched;  // expanded cells in their order; only with the option `notes_touched`, else NULL
  int32_t touched_count;
  fw_allocator_t allocator;
} fw_route_t;

// The cheapest path from start to goal by A*. "No path" is FW_RET_OK with length 0. A start or goal outside the grid or
// on a blocked cell is FW_RET_INVALID_ARGUMENT; the fields `fault` and `cell` of the error say which. Release the route
// with fw_route_fini.
FW_API FW_MUST_USE fw_ret_t fw_route_find(
  fw_route_t * route, const fw_grid_t * grid, fw_cell_t start, fw_cell_t goal, int32_t connectivity,
  const fw_allocator_t * allocator, fw_error_t * error);
// The same with the grid, the connectivity and the corner rule of a problem. Its robots and closures are ignored.
FW_API FW_MUST_USE fw_ret_t fw_route_find_for(
  fw_route_t * route, const fw_problem_t * problem, fw_cell_t start, fw_cell_t goal, const fw_allocator_t * allocator,
  fw_error_t * error);
FW_API void fw_route_fini(fw_route_t * route);

// ---------------------------------------------------------------------------------------------------------------------
// Router: a search and the map that it was built for
// ---------------------------------------------------------------------------------------------------------------------

// The length of a diagonal move, for connectivity 8.
typedef enum fw_diagonal_t {
  FW_DIAGONAL_TICK = 0,  // that of a straight move, since planners count ticks (Chebyshev distance)
  FW_DIAGONAL_ROOT,      // the square root of 2, as a fraction (octile distance, as in MovingAI's scenarios)
} fw_diagonal_t;

// `{0}`: 4-connected, a robot of one cell, the default allocator, no memory limit.
typedef struct fw_router_options_t {
  int32_t connectivity;  // 4 or 8; 6: hexagonal tiles, rows of odd y half a tile to the east; 0 means 4
  fw_diagonal_t diagonal;
  const fw_offset_t * footprint;  // as in fw_robot_t; copied
  int32_t footprint_count;
  // Obstacle inflation in cells, 0 to FW_CLEARANCE_MAX: the robot avoids every cell whose centre is within this
  // Euclidean distance of a blocked cell's centre or of the first cell beyond the map's edge.
  int32_t clearance;
  bool finds_corners;  // also return an any-angle path along lines of sight (square tiles only)
  bool notes_touched;  // also return the expanded cells, for pictures
  fw_allocator_t allocator;
  size_t memory_max_bytes;  // limit for all memory of the router; 0: none
} fw_router_options_t;
#define FW_CLEARANCE_MAX 64

struct fw_router_impl_t;
typedef struct fw_router_t {
  struct fw_router_impl_t * impl;
} fw_router_t;

// `options` may be NULL and is copied. FW_RET_NOT_FOUND: the name is unknown, the error lists all names.
// FW_RET_UNSUPPORTED: the search does not support an option, such as hexagonal tiles.
FW_API FW_MUST_USE fw_ret_t
fw_router_init(fw_router_t * router, const char * name, const fw_router_options_t * options, fw_error_t * error);
FW_API void fw_router_fini(fw_router_t * router);

// Sets a parameter of the search from text, as for planners. Parameters of the build take effect with the next build.
FW_API FW_MUST_USE fw_ret_t
fw_router_set(fw_router_t * router, const char * parameter, const char * value, fw_error_t * error);

// Precomputes for a map and replaces what was built before. The grid stays borrowed until the next build or fini.
// FW_RET_UNSUPPORTED if the search supports cells of cost 1 only and the map has others.
FW_API FW_MUST_USE fw_ret_t fw_router_build(fw_router_t * router, const fw_grid_t * grid, fw_error_t * error);
// The same within a budget, which may be NULL. A search whose build can take long (subgoals) ends it when the budget
// does, and queries are then slower but as good; the others ignore it.
FW_API FW_MUST_USE fw_ret_t
fw_router_build_within(fw_router_t * router, const fw_grid_t * grid, const fw_budget_t * budget, fw_error_t * error);

// To be called after the caller has changed the cost bytes of these cells of the grid. Searches that can repair what
// they built do so (hpa rebuilds only the clusters that the cells affect); others build again.
FW_API FW_MUST_USE fw_ret_t
fw_router_update(fw_router_t * router, const fw_cell_t * cells, int32_t cell_count, fw_error_t * error);

// A path from start to goal. `budget` may be NULL. FW_RET_OK whenever the search has run, also if there is no path or
// the budget has stopped it (route->stop); start and goal are checked as in fw_route_find. The route is a view until
// the next call on the router and needs no fini.
FW_API FW_MUST_USE fw_ret_t fw_router_find(
  fw_router_t * router, fw_cell_t start, fw_cell_t goal, const fw_budget_t * budget, fw_route_t * route,
  fw_error_t * error);

typedef struct fw_router_stats_t {
  int64_t build_ns;     // of the last build or update
  size_t built_bytes;   // memory after the last build or update
  size_t memory_bytes;  // memory now
  int32_t unit;         // cost of a straight move onto a cell of cost 1
  int32_t diagonal;     // cost of a diagonal move onto a cell of cost 1
  int32_t node_count;   // of the abstraction: transitions of clusters, polygons or points; else free cells
  int64_t edge_count;   // edges of the abstraction, 0 without one
  int32_t rebuilt;      // parts of the abstraction rebuilt by the last build or update
} fw_router_stats_t;
FW_API fw_router_stats_t fw_router_stats(const fw_router_t * router);

// The abstraction, for pictures: rectangles of cells (corners `from` and `to`), points (`from`) and lines between
// cells.
typedef enum fw_shape_kind_t { FW_SHAPE_RECTANGLE, FW_SHAPE_POINT, FW_SHAPE_LINE } fw_shape_kind_t;
typedef struct fw_shape_t {
  fw_shape_kind_t kind;
  fw_cell_t from;
  fw_cell_t to;
} fw_shape_t;
// Calls `show` for each shape of the abstraction; not at all if the search works on cells alone.
FW_API void fw_router_shapes(
  const fw_router_t * router, void (*show)(const fw_shape_t * shape, void * state), void * state);

// Checks that a route leads from ends[0] to ends[1] by legal moves over free cells, for any connectivity. The code is
// independent of the searches. `options` as given to fw_router_init. The error says what is wrong and where.
FW_API FW_MUST_USE fw_ret_t fw_route_check(
  const fw_route_t * route, const fw_grid_t * grid, const fw_router_options_t * options, const fw_cell_t ends[2],
  fw_error_t * error);

// ---------------------------------------------------------------------------------------------------------------------
// The list of searches
// ---------------------------------------------------------------------------------------------------------------------

struct fw_router_context_t;  // internal: src/search/router.h

// A search is one definition in src/search and one line in the list of src/search/router.c. The command line, the
// benchmarks and the tests walk that list.
typedef struct fw_router_def_t {
  const char * name;
  const char * summary;  // one line
  const char * paper;    // author, title, year
  const fw_parameter_def_t * parameters;
  int32_t parameter_count;
  bool is_optimal;       // with its default parameters the route has the least cost
  bool takes_terrain;    // supports cost bytes above 1; others refuse such maps
  bool takes_one_way;    // keeps FW_RULE_ONE_WAY of the grid; others refuse such maps
  bool takes_hexagons;   // supports connectivity 6
  bool has_abstraction;  // the build makes more than a copy of the map
  // Internal functions: see src/search/router.h.
  fw_ret_t (*build)(struct fw_router_context_t * context, fw_error_t * error);
  fw_ret_t (*update)(struct fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error);
  void (*find)(struct fw_router_context_t * context);
  // May be NULL. Shapes are in padded coordinates (places).
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
