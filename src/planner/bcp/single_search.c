// The search of a single robot: A* over nodes, routers of src/search, space-time A*, and the choice between them.

#include "planner/bcp/single_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "search/router.h"

// ---- A* over nodes --------------------------------------------------------------------------------------------------
//
// Virtual costs are part of the cost of a move, or part of the heuristic as in the paper. The heuristic is the true
// distance, or, by a parameter, the paper's Euclidean one, which is too large where diagonals cost as much as other
// moves. Among paths of equal cost the one that is found first is taken; or, by a parameter, the straight one, as
// with the paper's Euclidean heuristic: of equally good neighbours the one nearest to the line from start to goal is
// expanded first, because the queue returns what was pushed last.
//
// Greedy search is the same without the cost so far; it knows only the heuristic, so that virtual costs are part of it.

typedef struct fw_bcp_node_t {
  uint32_t seen;  // number of the search that has reached it
  int32_t g;
  int32_t parent;  // -1 at the start
  fw_tick_t tick;
  bool is_closed;
} fw_bcp_node_t;

enum { WEIGHT_ONE = 100 };  // of the heuristic

typedef struct query_t {
  fw_bcp_t * run;
  const fw_moves_t * moves;
  fw_distance_t * distance;
  int32_t robot;
  int32_t weight;
  bool is_greedy;
  bool is_in_estimates;  // virtual costs are part of the heuristic
  fw_tick_t begin;       // the robot is on its start
  int32_t x, y, dx, dy;  // the line from start to goal
} query_t;

// The square root, rounded down: one binary digit after the other.
static int64_t root_of(int64_t value)
{
  int64_t root = 0;
  for (int64_t digit = INT64_C(1) << 30; digit > 0; digit /= 2) {
    root += (root + digit) * (root + digit) <= value ? digit : 0;
  }
  return root;
}

// The way that is left, as the heuristic has it, in units of cost. `left` is the true distance.
static int64_t estimate_way(const query_t * query, fw_cell_t cell, int32_t left)
{
  const fw_bcp_t * run = query->run;
  if (run->options.is_euclidean == 0) {
    return (int64_t)left * run->unit;
  }
  const fw_grid_t * grid = query->moves->grid;
  const fw_cell_t goal = run->problem->robots[query->robot].goal;
  const int64_t move = (int64_t)run->unit * query->moves->move_span;
  const int64_t dx = (fw_grid_x(grid, cell) - fw_grid_x(grid, goal)) * move;
  const int64_t dy = (fw_grid_y(grid, cell) - fw_grid_y(grid, goal)) * move;
  return root_of(dx * dx + dy * dy);
}

// A node that was reached from `parent` by a motion: pushed if that is better than before.
static void offer(const query_t * query, int32_t at, int32_t parent, int32_t motion)
{
  fw_bcp_t * run = query->run;
  const fw_moves_t * moves = query->moves;
  const fw_cell_t cell = moves->cell_of[at];
  const int32_t virtual_cost = fw__virtual_field_at(&run->field, cell);
  fw_bcp_node_t next = {.seen = run->search_number, .parent = parent, .tick = query->begin};
  if (parent >= 0) {
    const fw_bcp_node_t * from = &run->nodes[parent];
    const int32_t heading = fw__moves_pose(moves, parent).heading;
    const int32_t floor = query->distance->is_weighted ? fw__moves_cost(moves, at) : 1;
    next.g = from->g + run->unit * moves->spans[motion] * floor + (query->is_in_estimates ? 0 : virtual_cost);
    next.tick = from->tick + run->fleet.bodies.of[query->robot]->motions[heading][motion].ticks;
  }
  FW_ASSERT(at >= 0 && at < moves->node_count);
  fw_bcp_node_t * node = &run->nodes[at];
  if (node->seen == run->search_number && (node->is_closed || node->g <= next.g)) {
    return;
  }
  const int32_t left = fw__distance_get(query->distance, at, run->context->meter);
  if (fw__bcp_has_stopped(run) || left == FW_DISTANCE_NONE) {
    return;  // a robot that turns may reach poses from which it cannot go on
  }
  *node = next;
  const int64_t estimate =
    estimate_way(query, cell, left) * query->weight / WEIGHT_ONE + (query->is_in_estimates ? virtual_cost : 0);
  if (!fw__bucket_queue_push(&run->open, estimate + (query->is_greedy ? 0 : next.g), at, next.g)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

// Distance of a node from the line from start to goal, up to a constant factor; 0 where that does not matter.
static int64_t deviation(const query_t * query, int32_t node)
{
  if (query->run->options.is_straight == 0) {
    return 0;
  }
  const fw_grid_t * grid = query->moves->grid;
  const fw_cell_t cell = query->moves->cell_of[node];
  const int64_t x = fw_grid_x(grid, cell) - query->x;
  const int64_t y = fw_grid_y(grid, cell) - query->y;
  return llabs(x * query->dy - y * query->dx);
}

// Offers the neighbours: farthest from the line first, else in the order of motions.
static void expand(const query_t * query, int32_t at)
{
  const fw_moves_t * moves = query->moves;
  const int32_t * next = fw__moves_successors(moves, at);
  int32_t motions[FW_MOTIONS_MAX];
  int64_t deviations[FW_MOTIONS_MAX];
  int32_t count = 0;
  for (int32_t d = 0; d < moves->degree; ++d) {
    if (next[d] < 0) {
      continue;
    }
    const int64_t far = deviation(query, next[d]);
    int32_t slot = count++;
    for (; slot > 0 && deviations[slot - 1] < far; --slot) {
      motions[slot] = motions[slot - 1];
      deviations[slot] = deviations[slot - 1];
    }
    motions[slot] = d;
    deviations[slot] = far;
  }
  for (int32_t i = 0; i < count && !fw__bcp_has_stopped(query->run); ++i) {
    offer(query, next[motions[i]], at, motions[i]);
  }
}

// Room for a path in `cells` and `headings`. False when there is no memory.
static bool reserve_path(fw_bcp_t * run, int32_t length)
{
  while (run->cell_capacity < length) {
    fw_arena_t * arena = run->context->scratch;
    run->cells = fw__arena_grow(arena, NULL, sizeof(*run->cells), &run->cell_capacity);
    run->headings =
      run->cells == NULL ? NULL : fw__arena_allocate(arena, (size_t)run->cell_capacity, sizeof(*run->headings));
    if (run->headings == NULL) {
      run->cell_capacity = 0;
      return false;
    }
  }
  return true;
}

// The path to a node. During a motion a robot is listed on the cell that it leaves.
static fw_found_t read_path(const query_t * query, int32_t last, fw_path_t * path)
{
  fw_bcp_t * run = query->run;
  const int32_t length = run->nodes[last].tick - query->begin + 1;
  FW_ASSERT(length > 0);
  if (!reserve_path(run, length)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return FW_FOUND_STOPPED;
  }
  for (int32_t node = last, end = length; node >= 0; node = run->nodes[node].parent) {
    const fw_grid_pose_t pose = fw__moves_pose(query->moves, node);
    const int32_t first = run->nodes[node].tick - query->begin;
    for (int32_t at = first; at < end; ++at) {
      run->cells[at] = pose.cell;
      run->headings[at] = (uint8_t)pose.heading;
    }
    end = first;
  }
  const bool has_heading = query->moves->heading_of != NULL;
  *path = (fw_path_t){.cells = run->cells, .length = length, .headings = has_heading ? run->headings : NULL};
  return FW_FOUND_PATH;
}

// With a weight, without the cost so far, and by the Euclidean distance, keys fall along the path, down to the length
// of the shortest path, or of the shortest path on open floor, or to zero: an item of that key, without a node, keeps
// the queue from making room below its first key again and again.
static void open_range(const query_t * query, int32_t start)
{
  fw_bcp_t * run = query->run;
  const bool is_euclidean = run->options.is_euclidean != 0;
  const int32_t open = abs(query->dx) > abs(query->dy) ? abs(query->dx) : abs(query->dy);  // the moves on open floor
  const int32_t left =
    is_euclidean ? open * query->moves->move_span : fw__distance_get(query->distance, start, run->context->meter);
  const int64_t least = query->is_greedy ? 0 : (int64_t)left * run->unit;
  const bool do_fall = query->weight > WEIGHT_ONE || query->is_greedy || is_euclidean;
  if (do_fall && !fw__bucket_queue_push(&run->open, least, -1, 0)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

// `weight` in hundredths, or GREEDY. The virtual costs of the robot must have been applied to the field.
enum { GREEDY = 0 };
static fw_found_t find_weighted_astar(fw_bcp_t * run, int32_t robot, int32_t weight, fw_path_t * path)
{
  const fw_robot_t * shape = &run->problem->robots[robot];
  const fw_moves_t * moves = run->fleet.moves[robot];
  const fw_grid_t * grid = run->problem->grid;
  const bool is_greedy = weight == GREEDY;
  const query_t query = {
    .run = run,
    .moves = moves,
    .distance = fw__fleet_distance(&run->fleet, robot),
    .robot = robot,
    .weight = is_greedy ? WEIGHT_ONE : weight,
    .is_greedy = is_greedy,
    .is_in_estimates = is_greedy || run->options.is_in_estimates != 0,
    .begin = shape->arrives,
    .x = fw_grid_x(grid, shape->start),
    .y = fw_grid_y(grid, shape->start),
    .dx = fw_grid_x(grid, shape->goal) - fw_grid_x(grid, shape->start),
    .dy = fw_grid_y(grid, shape->goal) - fw_grid_y(grid, shape->start),
  };
  ++run->search_number;
  fw__bucket_queue_clear(&run->open);
  const int32_t start = fw__moves_node(moves, (fw_grid_pose_t){shape->start, shape->heading});
  open_range(&query, start);
  offer(&query, start, -1, 0);
  int32_t at, g;
  int64_t key;
  while (!fw__bcp_has_stopped(run) && fw__bucket_queue_pop(&run->open, &at, &g, &key)) {
    fw_bcp_node_t * node = at >= 0 ? &run->nodes[at] : NULL;
    if (node == NULL || node->is_closed || node->g != g) {
      continue;  // reached by a better path
    }
    if (moves->cell_of[at] == shape->goal || node->tick >= run->limit) {
      return read_path(&query, at, path);
    }
    node->is_closed = true;  // for good, even where an inconsistent heuristic hides a better path
    (void)fw__meter_add(run->context->meter, 1);
    expand(&query, at);
  }
  return fw__bcp_has_stopped(run) ? FW_FOUND_STOPPED : FW_FOUND_NONE;
}

// ---- routers of src/search ------------------------------------------------------------------------------------------
//
// They take a map with a byte of cost per cell, which includes the robot's virtual costs:
//
//   byte of a cell = cost of the floor x scale + virtual cost, in the same measure
//
// From one query to the next only cells whose byte differs are updated, so that a search that has prepared for the map
// (HPA*) rebuilds what lies under virtual costs and nothing else.

enum {
  SCALE_MAX = 8,      // fractions of a move
  HEADROOM = 4,       // virtual costs can be at least this many times the largest cost of the floor
  CLUSTER_CELLS = 16  // of HPA*: small, because some change with every query
};

// The map under a search of src/search, for robots of one shape.
typedef struct fw_bcp_floor_t {
  struct fw_bcp_floor_t * next;
  const fw_moves_t * moves;
  fw_grid_t grid;  // with the bytes above
  int32_t scale;
  int32_t byte_max;
  fw_floor_t floor;
  fw_router_context_t context;
  fw_trail_t trail;
  fw_trail_t biased;  // cells with virtual costs
  fw_trail_t changed;
} fw_bcp_floor_t;

static int32_t largest_cost(const fw_grid_t * grid)
{
  int32_t most = 1;
  for (int32_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    most = grid->cost[cell] > most ? grid->cost[cell] : most;
  }
  return most;
}

// The finest scale with which costs of whole paths fit into 31 bits. False if there is none.
static bool choose_scale(fw_bcp_floor_t * floor, const fw_grid_t * grid)
{
  const int64_t room = INT32_MAX / (2 * ((int64_t)fw_grid_cell_count(grid) + 1));
  const int32_t most = largest_cost(grid);
  floor->byte_max = room < UINT8_MAX ? (int32_t)room : UINT8_MAX;
  floor->scale = floor->byte_max / (HEADROOM * most);
  floor->scale = floor->scale > SCALE_MAX ? SCALE_MAX : (floor->scale < 1 ? 1 : floor->scale);
  return floor->byte_max >= most;
}

// NULL when there is no memory (the arena has failed), or when costs do not fit (it has not).
static fw_bcp_floor_t * make_floor(fw_bcp_t * run, const fw_router_def_t * def, const fw_moves_t * moves)
{
  fw_arena_t * arena = run->context->scratch;
  const fw_grid_t * grid = run->problem->grid;
  const size_t count = (size_t)fw_grid_cell_count(grid);
  fw_bcp_floor_t scaled = {.moves = moves, .grid = *grid, .next = run->floors};
  if (!choose_scale(&scaled, grid)) {
    return NULL;
  }
  fw_bcp_floor_t * floor = fw__arena_allocate_zeroed(arena, 1, sizeof(*floor));
  int64_t * parameters = fw__arena_allocate_zeroed(arena, FW_PARAMETERS_MAX, sizeof(*parameters));
  uint8_t * cost = fw__arena_allocate(arena, count, sizeof(*cost));
  if (floor == NULL || parameters == NULL || cost == NULL) {
    return NULL;
  }
  *floor = scaled;
  for (size_t i = 0; i < count; ++i) {
    cost[i] = (uint8_t)(grid->cost[i] * floor->scale);
  }
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    const bool is_cluster = strcmp(def->parameters[i].name, "cluster") == 0;
    parameters[i] = is_cluster ? CLUSTER_CELLS : def->parameters[i].initial;
  }
  floor->grid.cost = cost;
  floor->trail.arena = floor->biased.arena = floor->changed.arena = arena;
  floor->context = (fw_router_context_t){
    .built = arena,
    .floor = &floor->floor,
    .parameters = parameters,
    .meter = run->context->meter,
    .trail = &floor->trail,
  };
  const fw_floor_options_t options = {
    .grid = &floor->grid,
    .connectivity = run->problem->connectivity,
    .footprint = moves->body->footprints[0],
    .cost_max = floor->byte_max,
  };
  if (
    fw__floor_init(&floor->floor, arena, &options, NULL) != FW_RET_OK ||
    def->build(&floor->context, NULL) != FW_RET_OK) {
    return NULL;
  }
  run->floors = floor;
  return floor;
}

static fw_bcp_floor_t * floor_for(fw_bcp_t * run, const fw_router_def_t * def, const fw_moves_t * moves)
{
  for (fw_bcp_floor_t * floor = run->floors; floor != NULL; floor = floor->next) {
    if (floor->moves == moves) {
      return floor;
    }
  }
  return make_floor(run, def, moves);
}

static void set_byte(const fw_bcp_t * run, fw_bcp_floor_t * floor, fw_cell_t cell)
{
  const int32_t base = run->problem->grid->cost[cell] * floor->scale;
  const int64_t virtual_cost = (int64_t)fw__virtual_field_at(&run->field, cell) * floor->scale / run->unit;
  const int64_t sum = base + virtual_cost;
  floor->grid.cost[cell] = (uint8_t)(base == 0 ? 0 : (sum < floor->byte_max ? sum : floor->byte_max));
}

static void add_around(const fw_bcp_t * run, fw_bcp_floor_t * floor, const fw_virtual_cost_t * cost)
{
  const fw_grid_t * grid = &floor->grid;
  const int32_t reach = fw__virtual_field_reach(&run->field, cost);
  const int32_t x = fw_grid_x(grid, cost->cell);
  const int32_t y = fw_grid_y(grid, cost->cell);
  for (int32_t dy = y < reach ? -y : -reach; dy <= reach && y + dy < grid->height; ++dy) {
    for (int32_t dx = x < reach ? -x : -reach; dx <= reach && x + dx < grid->width; ++dx) {
      fw__trail_add(&floor->biased, fw_grid_cell(grid, x + dx, y + dy));
    }
  }
}

// Replaces the virtual costs of the robot before by those of this one. False when there is no memory.
static bool update_floor(const fw_bcp_t * run, const fw_router_def_t * def, fw_bcp_floor_t * floor, int32_t robot)
{
  const fw_virtual_costs_t * costs = &run->virtual_costs[robot];
  const int32_t before = floor->biased.count;
  for (int32_t i = 0; i < costs->count; ++i) {
    add_around(run, floor, &costs->items[i]);
  }
  floor->changed.count = 0;
  for (int32_t i = 0; i < floor->biased.count; ++i) {  // of the robot before and of this one
    const fw_cell_t cell = floor->biased.places[i];
    const uint8_t old = floor->grid.cost[cell];
    set_byte(run, floor, cell);
    if (floor->grid.cost[cell] != old) {
      fw__trail_add(&floor->changed, cell);
    }
  }
  if (floor->biased.has_failed || floor->changed.has_failed) {
    return false;
  }
  FW_ASSERT(floor->biased.count >= before);
  floor->biased.count -= before;
  for (int32_t i = 0; i < floor->biased.count; ++i) {
    floor->biased.places[i] = floor->biased.places[i + before];
  }
  const fw_trail_t * changed = &floor->changed;
  return changed->count == 0 || (fw__floor_update(&floor->floor, changed->places, changed->count) &&
                                 def->update(&floor->context, changed->places, changed->count, NULL) == FW_RET_OK);
}

// The router's path with `ticks` per move. During a motion a robot is listed on the cell that it leaves.
static bool expand_path(fw_bcp_t * run, const fw_bcp_floor_t * floor, int32_t ticks, fw_path_t * path)
{
  const int32_t length = (floor->trail.count - 1) * ticks + 1;
  FW_ASSERT(floor->trail.count > 0 && ticks > 0);
  if (!reserve_path(run, length)) {
    return false;
  }
  for (int32_t at = 0; at < length; ++at) {
    run->cells[at] = fw__floor_cell(&floor->floor, floor->trail.places[at / ticks]);
  }
  *path = (fw_path_t){.cells = run->cells, .length = length};
  return true;
}

// False when there is no memory.
static bool route(fw_bcp_t * run, const fw_router_def_t * def, fw_bcp_floor_t * floor, int32_t robot)
{
  fw_router_context_t * context = &floor->context;
  if (!update_floor(run, def, floor, robot)) {
    return false;
  }
  context->start = fw__floor_place(&floor->floor, run->problem->robots[robot].start);
  context->goal = fw__floor_place(&floor->floor, run->problem->robots[robot].goal);
  context->expanded = 0;
  floor->trail.count = 0;
  if (context->start == context->goal) {
    fw__trail_add(&floor->trail, context->start);
  } else {
    def->find(context);
    (void)fw__meter_add(run->context->meter, context->expanded % FW_METER_STRIDE);  // the rest beyond whole strides
  }
  return !floor->trail.has_failed && !run->context->scratch->has_failed;
}

// Robots with a heading, which routers do not know, and maps with cut corners use A* instead.
static fw_found_t find_route(fw_bcp_t * run, const fw_router_def_t * def, int32_t robot, fw_path_t * path)
{
  const fw_moves_t * moves = run->fleet.moves[robot];
  const bool has_floor = moves->heading_of == NULL && !run->problem->cuts_corners;
  fw_bcp_floor_t * floor = has_floor ? floor_for(run, def, moves) : NULL;
  if (floor == NULL && !run->context->scratch->has_failed) {
    return find_weighted_astar(run, robot, WEIGHT_ONE, path);
  }
  if (floor == NULL || !route(run, def, floor, robot)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  if (fw__bcp_has_stopped(run)) {
    return FW_FOUND_STOPPED;
  }
  if (floor->trail.count == 0) {
    return FW_FOUND_NONE;
  }
  return expand_path(run, floor, run->fleet.bodies.of[robot]->ticks_per_move, path) ? FW_FOUND_PATH : FW_FOUND_STOPPED;
}

const char * const fw__bcp_search_names[FW_BCP_SEARCHES] = {
  [FW_BCP_ASTAR] = "astar",       [FW_BCP_WEIGHTED] = "weighted", [FW_BCP_GREEDY] = "greedy",
  [FW_BCP_DIJKSTRA] = "dijkstra", [FW_BCP_BANK] = "bank",         [FW_BCP_BIDIRECTIONAL] = "bidirectional",
  [FW_BCP_IDA] = "ida",           [FW_BCP_HPA] = "hpa",           [FW_BCP_SPACETIME_ASTAR] = "spacetime_astar",
};

static fw_found_t find_astar(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  return find_weighted_astar(run, robot, WEIGHT_ONE, path);
}

static fw_found_t find_weighted(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  return find_weighted_astar(run, robot, run->options.weight, path);
}

static fw_found_t find_greedy(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  return find_weighted_astar(run, robot, GREEDY, path);
}

static fw_found_t find_by_router(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  return find_route(run, fw_router_def_find(fw__bcp_search_names[run->options.search]), robot, path);
}

// ---- space-time A* --------------------------------------------------------------------------------------------------

typedef struct biased_t {
  const fw_virtual_field_t * field;
  const fw_virtual_costs_t * costs;
} biased_t;

static int32_t bias_at(const void * state, fw_cell_t cell, fw_tick_t tick)
{
  const biased_t * biased = state;
  return fw__virtual_field_at_tick(biased->field, biased->costs, cell, tick);
}

// Our extension: a virtual cost lasts as many ticks as it is wide in cells, so that arriving later avoids it.
static fw_found_t find_through_time(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  const fw_robot_t * shape = &run->problem->robots[robot];
  const biased_t biased = {.field = &run->field, .costs = &run->virtual_costs[robot]};
  fw_bias_t bias = {.unit = run->unit, .at = bias_at, .state = &biased};
  for (int32_t i = 0; i < biased.costs->count; ++i) {
    const fw_tick_t until = biased.costs->items[i].tick + fw__virtual_field_reach(&run->field, &biased.costs->items[i]);
    bias.until = until > bias.until ? until : bias.until;
  }
  const fw_spacetime_query_t query = {
    .table = &run->closed,
    .moves = run->fleet.moves[robot],
    .robot = robot,
    .start = shape->start,
    .heading = shape->heading,
    .now = shape->arrives,
    .horizon = run->limit,
    .distance = fw__fleet_distance(&run->fleet, robot),
    .bias = &bias,
  };
  return fw__spacetime_astar(&run->search, &query, run->context->meter, path);
}

// ---- the choice -----------------------------------------------------------------------------------------------------

static fw_found_t (*const finders[FW_BCP_SEARCHES])(fw_bcp_t *, int32_t, fw_path_t *) = {
  [FW_BCP_ASTAR] = find_astar,        [FW_BCP_WEIGHTED] = find_weighted, [FW_BCP_GREEDY] = find_greedy,
  [FW_BCP_DIJKSTRA] = find_by_router, [FW_BCP_BANK] = find_by_router,    [FW_BCP_BIDIRECTIONAL] = find_by_router,
  [FW_BCP_IDA] = find_by_router,      [FW_BCP_HPA] = find_by_router,     [FW_BCP_SPACETIME_ASTAR] = find_through_time,
};

// Closures need a search through time.
static fw_bcp_search_kind_t kind_of(const fw_bcp_t * run)
{
  return run->problem->closure_count > 0 ? FW_BCP_SPACETIME_ASTAR : (fw_bcp_search_kind_t)run->options.search;
}

bool fw__bcp_ignores_time(const fw_bcp_t * run) { return kind_of(run) != FW_BCP_SPACETIME_ASTAR; }

bool fw__bcp_is_fixed(const fw_bcp_t * run, int32_t robot)
{
  return fw__bcp_ignores_time(run) && run->problem->robots[robot].start == run->problem->robots[robot].goal;
}

// Of all shapes of robots.
static int32_t largest_node_count(const fw_fleet_t * fleet)
{
  int32_t most = fleet->places->node_count;
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    most = fleet->moves[r]->node_count > most ? fleet->moves[r]->node_count : most;
  }
  return most;
}

// The largest unit with which costs of whole paths fit into 31 bits.
static int32_t choose_unit(const fw_bcp_t * run)
{
  const int64_t floor_cost_max = run->fleet.is_weighted ? UINT8_MAX : 1;
  const int64_t longest = ((int64_t)largest_node_count(&run->fleet) + 1) * FW_TICKS_PER_MOVE_MAX * floor_cost_max;
  int32_t unit = FW_VIRTUAL_COST_UNIT;
  while (unit > 1 && longest * unit > (1 << 30)) {
    unit /= 2;
  }
  return unit;
}

bool fw__bcp_search_init(fw_bcp_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  run->unit = choose_unit(run);
  const fw_virtual_shape_t shape = {run->options.height, run->options.sigma, run->unit};
  run->nodes = fw__arena_allocate_zeroed(arena, (size_t)largest_node_count(&run->fleet), sizeof(*run->nodes));
  fw__bucket_queue_init(&run->open, arena);
  fw__spacetime_search_init(&run->search, arena);
  const bool is_whole = run->nodes != NULL && fw__virtual_field_init(&run->field, arena, run->problem->grid, shape) &&
                        fw__reservations_init(&run->closed, arena, run->fleet.places, &run->fleet.bodies);
  run->closed.robust_ticks = 0;  // closures need no distance in time
  return is_whole;
}

bool fw__bcp_search(fw_bcp_t * run, int32_t robot)
{
  fw_path_t path;
  bool is_whole = fw__virtual_field_apply(&run->field, &run->virtual_costs[robot]);
  const fw_found_t found = is_whole ? finders[kind_of(run)](run, robot, &path) : FW_FOUND_STOPPED;
  if (is_whole) {
    fw__virtual_field_clear(&run->field, &run->virtual_costs[robot]);
  }
  ++run->searches;
  is_whole = found == FW_FOUND_PATH ? fw__path_buffers_set_delayed(&run->paths, robot, 0, path)
                                    : fw__path_buffers_set(&run->paths, robot, run->paths.starts[robot]);
  if (found == FW_FOUND_STOPPED || !is_whole) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);  // unless it has a reason already
    return false;
  }
  return true;
}
