// `fleetweave route`: finds paths for a single robot with any of the searches, and checks and reports them.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/output.h"
#include "cli/common/route_search.h"
#include "cli/route_picture.h"

typedef struct route_options_t {
  cli_route_options_t route;
  const char * search;
  bool finds_corners;
  bool is_list;
  const char * out;
  const char * title;
  bool is_json;
} route_options_t;

// The state of the command.
typedef struct route_run_t {
  const route_options_t * options;
  cli_instance_t instance;
  cli_queries_t queries;
  fw_router_options_t router_options;
  fw_offset_t cells[CLI_FOOTPRINT_MAX];
  fw_router_t router;
  cli_output_t output;
  cli_route_picture_t picture;
  cli_json_t json;
  // Totals over the queries.
  int32_t solved;
  int32_t unreachable;    // no path exists
  int32_t stopped_early;  // by the limit of expansions or memory
  int64_t expanded;
  int64_t elapsed_ns;
  double length;
} route_run_t;

// ---- options --------------------------------------------------------------------------------------------------------

#define AT(member) offsetof(route_options_t, member)

static const cli_option_t end_options[] = {
  {.name = "from", .kind = CLI_TEXT, .offset = AT(route.from), .value = "X,Y", .help = "start of a single query"},
  {.name = "to", .kind = CLI_TEXT, .offset = AT(route.to), .value = "X,Y", .help = "goal of a single query"},
  {0},
};
static const cli_option_t search_options[] = {
  {.name = "search",
   .letter = 's',
   .kind = CLI_TEXT,
   .offset = AT(search),
   .value = "NAME",
   .help = "search to use, see --list (default: astar)"},
  {.name = "list", .kind = CLI_FLAG, .offset = AT(is_list), .help = "list the searches and their parameters, and exit"},
  {.name = "corners",
   .kind = CLI_FLAG,
   .offset = AT(finds_corners),
   .help = "also find an any-angle path: shorten each path along lines of sight"},
  {0},
};
static const cli_option_t output_options[] = {
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = AT(out),
   .value = "FILE",
   .help = "write a picture (.svg) with the paths, the searched cells and the abstraction\n"
           "that the search has built; any other name: a plan, for a single query on\n"
           "square tiles"},
  {.name = "title",
   .kind = CLI_TEXT,
   .offset = AT(title),
   .value = "TEXT",
   .help = "title of the picture (default: the search)"},
  {.name = "json",
   .kind = CLI_FLAG,
   .offset = AT(is_json),
   .help = "print one JSON object with the cells of each path"},
  {0},
};

// ---- report ---------------------------------------------------------------------------------------------------------

static void print_searches(void)
{
  for (int32_t i = 0; i < fw_router_def_count(); i++) {
    const fw_router_def_t * def = fw_router_def_at(i);
    printf("%s: %s\n  %s\n", def->name, def->summary, def->paper);
    printf(
      "  %s%s%s\n", def->is_optimal ? "optimal" : "not optimal", def->takes_terrain ? "" : "; cells of cost 1 only",
      def->takes_hexagons ? "; hexagonal tiles too" : "");
    for (int32_t k = 0; k < def->parameter_count; k++) {
      char initial[64];
      fw_parameter_format(&def->parameters[k], def->parameters[k].initial, initial, sizeof(initial));
      printf("    %-12s %s (default: %s)\n", def->parameters[k].name, def->parameters[k].help, initial);
    }
  }
}

// The length of a path in straight moves.
static double length_in_cells(const fw_route_t * route)
{
  FW_ASSERT(route->unit > 0);
  return (double)route->cost / route->unit;
}

// The length of the any-angle path: straight lines between its corners.
static double sight_length(const fw_grid_t * grid, const fw_route_t * route)
{
  double length = 0.0;
  for (int32_t i = 1; i < route->corner_count; i++) {
    const double dx = fw_grid_x(grid, route->corners[i]) - fw_grid_x(grid, route->corners[i - 1]);
    const double dy = fw_grid_y(grid, route->corners[i]) - fw_grid_y(grid, route->corners[i - 1]);
    length += hypot(dx, dy);
  }
  return length;
}

// Writes an array of [x, y].
static void write_cells(route_run_t * run, const char * key, const fw_cell_t * cells, int32_t count)
{
  cli_json_t * json = &run->json;
  const fw_grid_t * grid = &run->instance.grid;
  cli_json_open(json, key, '[');
  for (int32_t i = 0; i < count; i++) {
    cli_json_open(json, NULL, '[');
    cli_json_integer(json, NULL, fw_grid_x(grid, cells[i]));
    cli_json_integer(json, NULL, fw_grid_y(grid, cells[i]));
    cli_json_close(json, ']');
  }
  cli_json_close(json, ']');
}

static void write_json_route(route_run_t * run, const cli_query_t * query, const fw_route_t * route, int64_t elapsed_ns)
{
  cli_json_t * json = &run->json;
  const fw_grid_t * grid = &run->instance.grid;
  cli_json_open(json, NULL, '{');
  write_cells(run, "ends", query->ends, 2);
  cli_json_text(json, "stop", fw_stop_name(route->stop));
  cli_json_number(json, "length", route->length > 0 ? length_in_cells(route) : NAN);
  cli_json_number(json, "scen_length", query->length >= 0.0 ? query->length : NAN);
  cli_json_integer(json, "diagonals", route->diagonals);
  cli_json_integer(json, "expanded", route->expanded);
  cli_json_integer(json, "memory_bytes", (int64_t)route->memory_bytes);
  cli_json_number(json, "elapsed_us", (double)elapsed_ns / 1e3);
  write_cells(run, "cells", route->cells, route->length);
  if (run->options->finds_corners) {
    cli_json_number(json, "sight_length", route->length > 0 ? sight_length(grid, route) : NAN);
    write_cells(run, "corners", route->corners, route->corner_count);
  }
  cli_json_close(json, '}');
}

static void print_route(const route_run_t * run, const fw_route_t * route, int64_t elapsed_ns)
{
  const fw_router_stats_t stats = fw_router_stats(&run->router);
  char number[CLI_NUMBER_SIZE];
  if (route->length == 0) {
    if (route->stop == FW_STOP_DONE) {
      puts("no path exists");
    } else {
      printf("no path found: the search stopped early (%s)\n", fw_stop_name(route->stop));
    }
  } else {
    printf(
      "%-18s %.4f (%d moves, %d of them diagonal)\n", "length", length_in_cells(route), route->length - 1,
      route->diagonals);
  }
  if (route->corner_count > 0) {
    printf(
      "%-18s %.4f, %d straight lines\n", "any-angle", sight_length(&run->instance.grid, route),
      route->corner_count - 1);
  }
  printf("%-18s %s nodes\n", "expanded", cli_format_thousands(number, route->expanded));
  printf("%-18s %.1f us\n", "time", (double)elapsed_ns / 1e3);
  printf("%-18s %.1f KB\n", "memory", (double)route->memory_bytes / 1024.0);
  printf(
    "%-18s %.2f ms, %.2f MB, %d nodes\n", "built", (double)stats.build_ns / 1e6, (double)stats.built_bytes / 1e6,
    stats.node_count);
}

static void print_totals(const route_run_t * run)
{
  char number[CLI_NUMBER_SIZE];
  const fw_router_stats_t stats = fw_router_stats(&run->router);
  printf("%s on %s: %d queries", run->options->search, run->instance.map_name, run->queries.count);
  if (run->unreachable > 0) {
    printf(", %d without a path", run->unreachable);
  }
  if (run->stopped_early > 0) {
    printf(", %d stopped early", run->stopped_early);
  }
  printf("\n%-18s %.4f\n", "mean length", run->solved > 0 ? run->length / run->solved : 0.0);
  printf("%-18s %s nodes\n", "expanded", cli_format_thousands(number, run->expanded));
  printf(
    "%-18s %.3f ms, %.2f us each\n", "time", (double)run->elapsed_ns / 1e6,
    (double)run->elapsed_ns / 1e3 / run->queries.count);
  printf(
    "%-18s %.2f ms, %.2f MB, %d nodes\n", "built", (double)stats.build_ns / 1e6, (double)stats.built_bytes / 1e6,
    stats.node_count);
  printf("%-18s all paths are valid\n", "check");
}

static void open_json(route_run_t * run)
{
  const fw_router_stats_t stats = fw_router_stats(&run->router);
  run->json = (cli_json_t){.stream = stdout};
  cli_json_open(&run->json, NULL, '{');
  cli_json_text(&run->json, "search", run->options->search);
  cli_json_text(&run->json, "map", run->instance.map_name);
  cli_json_integer(&run->json, "connectivity", run->router_options.connectivity);
  cli_json_number(&run->json, "build_ms", (double)stats.build_ns / 1e6);
  cli_json_integer(&run->json, "built_bytes", (int64_t)stats.built_bytes);
  cli_json_integer(&run->json, "nodes", stats.node_count);
  cli_json_open(&run->json, "routes", '[');
}

static void close_json(route_run_t * run)
{
  cli_json_close(&run->json, ']');
  cli_json_close(&run->json, '}');
  putchar('\n');
}

// ---- search ---------------------------------------------------------------------------------------------------------

static int write_plan(route_run_t * run, const cli_query_t * query, const fw_route_t * route)
{
  fw_error_t error = {0};
  const fw_robot_t robot = {
    .start = query->ends[0],
    .goal = query->ends[1],
    .footprint = run->router_options.footprint,
    .footprint_count = run->router_options.footprint_count,
  };
  const fw_problem_t problem = {
    .grid = &run->instance.grid,
    .robots = &robot,
    .robot_count = 1,
    .connectivity = run->router_options.connectivity,
  };
  const fw_path_t path = {.cells = route->cells, .length = route->length};
  const fw_plan_t plan = {
    .outcome = FW_OUTCOME_SOLVED,
    .safe_until = FW_TICK_MAX,
    .paths = &path,
    .robot_count = 1,
    .stats = {.sum_of_costs = route->length - 1, .makespan = route->length - 1},
  };
  const fw_ret_t ret =
    fw_plan_write(&problem, &plan, run->instance.map_name, run->options->search, run->output.stream, &error);
  return ret == FW_RET_OK ? CLI_SUCCESS : cli_error(CLI_FAILURE, "%s: %s", run->options->out, error.text);
}

static bool is_picture(const route_options_t * options)
{
  return options->out != NULL && cli_path_has_suffix(options->out, ".svg");
}

// Answers one query, checks the path, and writes it to the outputs.
static int answer_query(route_run_t * run, const cli_query_t * query)
{
  fw_route_t route;
  fw_error_t error = {0};
  const fw_budget_t budget = {.expansions_max = run->options->route.expansions};
  const int64_t start_ns = fw_clock_now_ns();
  const fw_ret_t ret = fw_router_find(&run->router, query->ends[0], query->ends[1], &budget, &route, &error);
  const int64_t elapsed_ns = fw_clock_now_ns() - start_ns;
  if (ret != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  if (
    route.length > 0 &&
    fw_route_check(&route, &run->instance.grid, &run->router_options, query->ends, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "internal error in search %s: %s", run->options->search, error.text);
  }
  FW_ASSERT(route.length >= 0 && (route.length == 0 || route.stop == FW_STOP_DONE));
  run->solved += route.length > 0;
  run->stopped_early += route.stop != FW_STOP_DONE;
  run->unreachable += route.length == 0 && route.stop == FW_STOP_DONE;
  run->expanded += route.expanded;
  run->elapsed_ns += elapsed_ns;
  run->length += route.length > 0 ? length_in_cells(&route) : 0.0;
  if (run->picture.stream != NULL) {
    cli_route_picture_put_route(&run->picture, &route);
  } else if (run->output.stream != NULL && route.length > 0) {
    const int exit_code = write_plan(run, query, &route);
    if (exit_code != CLI_SUCCESS) {
      return exit_code;
    }
  }
  if (run->options->is_json) {
    write_json_route(run, query, &route, elapsed_ns);
  } else if (run->queries.count == 1) {
    print_route(run, &route, elapsed_ns);
  }
  return CLI_SUCCESS;
}

static int open_output(route_run_t * run)
{
  const route_options_t * options = run->options;
  if (options->out == NULL) {
    return CLI_SUCCESS;
  }
  if (!is_picture(options) && (run->queries.count != 1 || run->router_options.connectivity == 6)) {
    return cli_error(
      CLI_USAGE, "-o %s: a plan needs a single query on square tiles; for a picture, give a name that ends in .svg",
      options->out);
  }
  if (!cli_output_open(&run->output, options->out)) {
    return CLI_FAILURE;
  }
  if (is_picture(options)) {
    FW_ASSERT(fw_router_def_find(options->search) != NULL);
    char subtitle[256];
    const fw_router_stats_t stats = fw_router_stats(&run->router);
    const bool is_built = fw_router_def_find(options->search)->has_abstraction;
    snprintf(
      subtitle, sizeof(subtitle), "%s on %s%s%d nodes, %d question%s", options->search, run->instance.map_name,
      is_built ? ", built: " : ", ", stats.node_count, run->queries.count, run->queries.count == 1 ? "" : "s");
    run->picture = (cli_route_picture_t){
      .grid = &run->instance.grid,
      .is_hexagonal = run->router_options.connectivity == 6,
      .title = options->title != NULL ? options->title : options->search,
      .stream = run->output.stream,
    };
    cli_route_picture_open(&run->picture, subtitle);
    cli_route_picture_put_shapes(&run->picture, &run->router);
  }
  return CLI_SUCCESS;
}

static int answer_all(route_run_t * run)
{
  const route_options_t * options = run->options;
  fw_error_t error = {0};
  const cli_route_request_t request = {
    .search = options->search, .options = &options->route, .router_options = &run->router_options};
  int exit_code = cli_route_open(&run->router, &request, NULL);
  if (exit_code == CLI_SUCCESS && fw_router_build(&run->router, &run->instance.grid, &error) != FW_RET_OK) {
    exit_code = cli_error(CLI_FAILURE, "%s", error.text);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = open_output(run);
  }
  if (exit_code == CLI_SUCCESS && options->is_json) {
    open_json(run);
  }
  for (int32_t i = 0; i < run->queries.count && exit_code == CLI_SUCCESS; i++) {
    exit_code = answer_query(run, &run->queries.items[i]);
  }
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  if (options->is_json) {
    close_json(run);
  } else if (run->queries.count > 1) {
    print_totals(run);
  }
  if (run->picture.stream != NULL) {
    cli_route_picture_close(&run->picture);
  }
  if (run->output.stream != NULL && run->solved > 0 && !cli_output_commit(&run->output)) {
    return CLI_FAILURE;
  }
  return run->solved == run->queries.count ? CLI_SUCCESS : CLI_NOT_SOLVED;
}

static int find_routes(const route_options_t * options)
{
  static route_run_t run;  // the footprint is too large for the stack
  run = (route_run_t){.options = options};
  int exit_code = cli_route_check_options(&options->route, &options->search, 1);
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_route_parse_options(&options->route, run.cells, &run.router_options);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load_grid(&run.instance, &options->route.instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_queries_load(&run.queries, &run.instance, &options->route);
  }
  if (exit_code == CLI_SUCCESS) {
    run.router_options.finds_corners = options->finds_corners;
    run.router_options.notes_touched = is_picture(options);
    exit_code = answer_all(&run);
  }
  cli_output_discard(&run.output);
  fw_router_fini(&run.router);
  cli_queries_fini(&run.queries);
  cli_instance_fini(&run.instance);
  return exit_code;
}

static int run_command(int argument_count, char ** arguments)
{
  route_options_t options = {.route = cli_route_options_default(), .search = "astar"};
  const cli_group_t groups[] = {
    {"Map", cli_map_options, .values = &options.route.instance},
    {"One query", end_options, .values = &options},
    {"Several queries", cli_query_options, .values = &options.route},
    {"Rules of motion", cli_motion_options, .values = &options.route},
    {"Search", search_options, .values = &options},
    {"Limits and parameters of the search", cli_search_options, .values = &options.route},
    {"Output", output_options, .values = &options},
    {0},
  };
  const cli_manual_t manual = {
    .name = "route",
    .usage = "(--map FILE | --make SPEC) (--from X,Y --to X,Y | [--scen FILE] [--queries N]) [--search NAME]",
    .about =
      "Finds paths for a single robot with any of the searches of --list: on cells (A*, jump point search, ...),\n"
      "on clusters of cells (hpa), or on another abstraction of the map (quadtree, navmesh, visibility graph,\n"
      "corridors, waypoints). Every path is checked: only legal moves, only free cells. Without --from and\n"
      "--scen the query is random.",
    .groups = groups,
    .examples =
      "  fleetweave route --list\n"
      "  fleetweave route --map hall.map --from 3,17 --to 120,9 --search jps\n"
      "  fleetweave route --map hall.map --scen hall.scen --search hpa --json\n"
      "  fleetweave route --make rooms:64x64,room=9 --seed 3 --search navmesh --corners -o path.svg\n"
      "  fleetweave route --make random:40x30,obstacles=25 --connectivity 6 --search astar -o tiles.svg\n"
      "  fleetweave route --map hall.map --from 3,17 --to 120,9 --footprint 2x2 --clearance 1 -o plan.txt",
    .exit_codes = "0 a path for every query, 1 a query without a path, 2 invalid command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  if (options.is_list) {
    print_searches();
    return CLI_SUCCESS;
  }
  return find_routes(&options);
}

const cli_command_t cli_command_route = {
  .name = "route",
  .summary = "find paths for a single robot with any search",
  .run = run_command,
};
