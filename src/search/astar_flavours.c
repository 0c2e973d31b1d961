// A*, Dijkstra's search, greedy and weighted search: what they are called and how they ask.

#include "search/astar.h"

void fw__astar_find(fw_router_context_t * context, estimate_t estimate)
{
  fw__astar_ask(context, FLAVOUR_ASTAR, estimate, 100);
}

static void find_astar(fw_router_context_t * context)
{
  fw__astar_find(context, (estimate_t)context->parameters[PARAMETER_HEURISTIC]);
}
static void find_dijkstra(fw_router_context_t * context) { fw__astar_ask(context, FLAVOUR_DIJKSTRA, ESTIMATE_ZERO, 0); }
static void find_greedy(fw_router_context_t * context)
{
  fw__astar_ask(context, FLAVOUR_GREEDY, (estimate_t)context->parameters[PARAMETER_HEURISTIC], 100);
}
static void find_weighted(fw_router_context_t * context)
{
  fw__astar_ask(
    context, FLAVOUR_WEIGHTED, (estimate_t)context->parameters[PARAMETER_HEURISTIC],
    (int32_t)context->parameters[PARAMETER_PERCENT]);
}

const fw_router_def_t fw_router_astar = {
  .name = "astar",
  .summary = "A*: cells in the order of cost so far plus estimate",
  .paper = "Hart, Nilsson and Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost Paths, 1968",
  .parameters = fw__astar_parameters,
  .parameter_count = 1,
  .is_optimal = true,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = fw__astar_build,
  .update = fw__astar_update,
  .find = find_astar,
};

const fw_router_def_t fw_router_dijkstra = {
  .name = "dijkstra",
  .summary = "Dijkstra's search: cells in the order of cost, no estimate",
  .paper = "Dijkstra, A Note on Two Problems in Connexion with Graphs, 1959",
  .is_optimal = true,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = fw__astar_build,
  .update = fw__astar_update,
  .find = find_dijkstra,
};

const fw_router_def_t fw_router_greedy = {
  .name = "greedy",
  .summary = "greedy best-first: cells in the order of the estimate alone, fast and without a bound",
  .paper = "Doran and Michie, Experiments with the Graph Traverser Program, 1966",
  .parameters = fw__astar_parameters,
  .parameter_count = 1,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = fw__astar_build,
  .update = fw__astar_update,
  .find = find_greedy,
};

const fw_router_def_t fw_router_weighted = {
  .name = "weighted",
  .summary = "weighted A*: the estimate overestimates by a factor that bounds the way",
  .paper = "Pohl, Heuristic Search Viewed as Path Finding in a Graph, 1970",
  .parameters = fw__astar_parameters,
  .parameter_count = 2,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = fw__astar_build,
  .update = fw__astar_update,
  .find = find_weighted,
};
