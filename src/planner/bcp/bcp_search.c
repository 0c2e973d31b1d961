// One robot alone: the single-robot searches that `bcp` can be used with, by name. This is the one place to add another:
// a word, a kind in fw_bcp_search_kind_t, and a function that finds a path under the robot's virtual costs. Those of
// src/search are here if they take a cost of each cell; A* and its nearest relatives are written anew in bcp_astar.c, with
// true distances, for robots that turn, and for virtual costs that are part of the estimate.

#include "planner/bcp/bcp.h"

const char * const fw__bcp_search_names[FW_BCP_SEARCHES] = {
  [FW_BCP_ASTAR] = "astar",       [FW_BCP_WEIGHTED] = "weighted", [FW_BCP_GREEDY_SEARCH] = "greedy",
  [FW_BCP_DIJKSTRA] = "dijkstra", [FW_BCP_BANK] = "bank",         [FW_BCP_BIDIRECTIONAL] = "bidirectional",
  [FW_BCP_IDA] = "ida",           [FW_BCP_HPA] = "hpa",           [FW_BCP_SPACETIME_ASTAR] = "spacetime_astar",
};

static fw_found_t find_astar(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  return fw__bcp_astar(run, robot, 100, path);
}

static fw_found_t find_weighted(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  return fw__bcp_astar(run, robot, run->options.weight, path);
}

static fw_found_t find_greedy(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  return fw__bcp_astar(run, robot, FW_BCP_GREEDY, path);
}

static fw_found_t find_by_router(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  return fw__bcp_route(run, fw_router_def_find(fw__bcp_search_names[run->options.search]), robot, path);
}

// ---- through time ---------------------------------------------------------------------------------------------------

typedef struct biased_t {
  const fw_bcp_field_t * field;
  const fw_bcp_bumps_t * bumps;
} biased_t;

static int32_t bias_at(const void * state, fw_cell_t cell, fw_tick_t tick)
{
  const biased_t * biased = state;
  return fw__bcp_field_at_tick(biased->field, biased->bumps, cell, tick);
}

// Our extension: a virtual cost lasts as long as it is wide, so that to come later is a way around it.
static fw_found_t find_through_time(fw_bcp_t * run, int32_t robot, fw_path_t * path)
{
  const fw_robot_t * shape = &run->problem->robots[robot];
  const biased_t biased = {.field = &run->field, .bumps = &run->bumps[robot]};
  fw_bias_t bias = {.unit = run->unit, .at = bias_at, .state = &biased};
  for (int32_t i = 0; i < biased.bumps->count; ++i) {
    const fw_tick_t until = biased.bumps->items[i].tick + fw__bcp_field_reach(&run->field, &biased.bumps->items[i]);
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
  [FW_BCP_ASTAR] = find_astar,        [FW_BCP_WEIGHTED] = find_weighted, [FW_BCP_GREEDY_SEARCH] = find_greedy,
  [FW_BCP_DIJKSTRA] = find_by_router, [FW_BCP_BANK] = find_by_router,    [FW_BCP_BIDIRECTIONAL] = find_by_router,
  [FW_BCP_IDA] = find_by_router,      [FW_BCP_HPA] = find_by_router,     [FW_BCP_SPACETIME_ASTAR] = find_through_time,
};

// Doors need a search that knows the time.
static fw_bcp_search_kind_t kind_of(const fw_bcp_t * run)
{
  return run->problem->closure_count > 0 ? FW_BCP_SPACETIME_ASTAR : (fw_bcp_search_kind_t)run->options.search;
}

bool fw__bcp_is_blind(const fw_bcp_t * run) { return kind_of(run) != FW_BCP_SPACETIME_ASTAR; }

bool fw__bcp_is_fixed(const fw_bcp_t * run, int32_t robot)
{
  return fw__bcp_is_blind(run) && run->problem->robots[robot].start == run->problem->robots[robot].goal;
}

static int32_t most_nodes(const fw_fleet_t * fleet)
{
  int32_t most = fleet->places->node_count;
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    most = fleet->moves[r]->node_count > most ? fleet->moves[r]->node_count : most;
  }
  return most;
}

// Costs of whole ways fit into 31 bits.
static int32_t choose_unit(const fw_bcp_t * run)
{
  const int64_t dearest = run->fleet.is_weighted ? UINT8_MAX : 1;
  const int64_t longest = ((int64_t)most_nodes(&run->fleet) + 1) * FW_TICKS_PER_MOVE_MAX * dearest;
  int32_t unit = FW_BCP_UNIT;
  while (unit > 1 && longest * unit > (1 << 30)) {
    unit /= 2;
  }
  return unit;
}

bool fw__bcp_search_init(fw_bcp_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  run->unit = choose_unit(run);
  const fw_bcp_shape_t shape = {run->options.height, run->options.sigma, run->unit};
  run->nodes = fw__arena_allocate_zeroed(arena, (size_t)most_nodes(&run->fleet), sizeof(*run->nodes));
  fw__bucket_queue_init(&run->open, arena);
  fw__spacetime_search_init(&run->search, arena);
  const bool is_whole = run->nodes != NULL && fw__bcp_field_init(&run->field, arena, run->problem->grid, shape) &&
                        fw__reservations_init(&run->closed, arena, run->fleet.places, &run->fleet.bodies);
  run->closed.robust_ticks = 0;  // nothing has to keep them from closures
  return is_whole;
}

bool fw__bcp_search(fw_bcp_t * run, int32_t robot)
{
  fw_path_t path;
  bool is_whole = fw__bcp_field_lay(&run->field, &run->bumps[robot]);
  const fw_found_t found = is_whole ? finders[kind_of(run)](run, robot, &path) : FW_FOUND_STOPPED;
  if (is_whole) {
    fw__bcp_field_lift(&run->field, &run->bumps[robot]);
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
