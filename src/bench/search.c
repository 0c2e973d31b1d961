// `bench search`: all searches for one robot, side by side on the same queries.
//
// The least time of the repeats counts, for each query by itself: other work of the machine can only add time. Routes
// are checked, and optimal ones compared with A*, outside the measured time.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "bench/bench.h"
#include "cli/common/message.h"
#include "cli/common/progress.h"
#include "cli/common/route_search.h"

// A search on a map.
typedef struct search_row_t {
  const char * search;
  bool is_left_out;  // it does not support this map or these moves; `reason` says why
  fw_error_t reason;
  bool is_optimal;
  double build_ms;  // the least of the repeats, like all times
  double built_mb;  // size of what was built, including the grid
  int32_t node_count;
  int64_t edge_count;
  double us_per_query;
  double us_worst;  // the slowest query
  double expanded;  // per query
  double ns_per_expansion;
  double kb_per_query;  // memory of a query beyond that, mean
  double kb_worst;
  double length_mean;  // divided by the optimal length; NaN if nothing was solved
  double length_worst;
  int32_t solved;
  int32_t unsolved;  // ended by --expansions or --memory
} search_row_t;

typedef struct search_case_t {
  char map_name[256];
  const char * scen_name;
  int32_t width;
  int32_t height;
  int32_t free_count;
  int32_t query_count;
  int32_t unreachable;     // queries without a path
  double mean_length;      // optimal, in moves
  double scen_difference;  // largest difference from the scenario's lengths; NaN if it has none for these moves
  search_row_t * rows;
} search_case_t;

typedef struct search_report_t {
  bench_host_t host;
  cli_route_options_t options;
  fw_router_options_t router;
  fw_offset_t cells[CLI_FOOTPRINT_MAX];
  const char * const * searches;
  int32_t search_count;
  int32_t repeat;
  search_case_t * cases;
  int32_t case_count;
  bool has_failed;  // some route was wrong; an error message has been printed
} search_report_t;

// The measurement of one map.
typedef struct search_run_t {
  search_report_t * report;
  const cli_instance_t * instance;
  const cli_queries_t * queries;
  double * optimal;    // by query: optimal cost in units, -1 for no path
  int64_t * least_ns;  // by query
  cli_progress_t progress;
} search_run_t;

// ---- optimal lengths ------------------------------------------------------------------------------------------------

// By plain A*: the reference for the other searches, itself compared with the scenario's lengths.
static int find_optimal(search_run_t * run, search_case_t * result)
{
  fw_router_t router = {0};
  fw_error_t error = {0};
  result->scen_difference = NAN;
  double total = 0.0;
  fw_ret_t ret = fw_router_init(&router, "astar", &run->report->router, &error);
  ret = ret == FW_RET_OK ? fw_router_build(&router, &run->instance->grid, &error) : ret;
  for (int32_t i = 0; ret == FW_RET_OK && i < run->queries->count; i++) {
    const cli_query_t * query = &run->queries->items[i];
    fw_route_t route;
    ret = fw_router_find(&router, query->ends[0], query->ends[1], NULL, &route, &error);
    if (ret != FW_RET_OK) {
      break;
    }
    run->optimal[i] = route.length > 0 ? (double)route.cost / route.unit : -1.0;
    result->unreachable += route.length == 0;
    total += route.length > 0 ? run->optimal[i] : 0.0;
    const bool is_comparable = run->report->router.connectivity == 8 &&
                               run->report->router.diagonal == FW_DIAGONAL_ROOT &&
                               run->report->router.footprint_count <= 1 && run->report->router.clearance == 0;
    if (is_comparable && query->length >= 0.0 && route.length > 0) {
      const double difference = fabs(route.length - 1 - route.diagonals + route.diagonals * sqrt(2.0) - query->length);
      result->scen_difference = isnan(result->scen_difference) ? difference : fmax(result->scen_difference, difference);
    }
  }
  fw_router_fini(&router);
  const int32_t reachable = run->queries->count - result->unreachable;
  result->mean_length = reachable > 0 ? total / reachable : 0.0;
  return ret == FW_RET_OK ? CLI_SUCCESS : cli_error(CLI_FAILURE, "%s", error.text);
}

// ---- one search -----------------------------------------------------------------------------------------------------

// Adds the figures of a route to the row. False after an error message if the route is wrong.
static bool take_route(search_run_t * run, search_row_t * row, int32_t index, const fw_route_t * route)
{
  FW_ASSERT(index >= 0 && index < run->queries->count && route->unit > 0);
  const cli_query_t * query = &run->queries->items[index];
  const double optimal = run->optimal[index];
  fw_error_t error = {0};
  row->expanded += (double)route->expanded;
  const double kb = (double)route->memory_bytes / 1024.0;
  row->kb_per_query += kb;
  row->kb_worst = fmax(row->kb_worst, kb);
  if (route->stop != FW_STOP_DONE) {
    row->unsolved += 1;
    return true;
  }
  if ((route->length > 0) != (optimal >= 0.0)) {
    (void)cli_error(CLI_FAILURE, "%s: query %d: there is %s path", row->search, index, optimal >= 0.0 ? "a" : "no");
    return false;
  }
  if (route->length == 0) {
    return true;
  }
  if (fw_route_check(route, &run->instance->grid, &run->report->router, query->ends, &error) != FW_RET_OK) {
    (void)cli_error(CLI_FAILURE, "%s: query %d: %s", row->search, index, error.text);
    return false;
  }
  const double cost = (double)route->cost / route->unit;
  if (cost < optimal - 1e-9 || (row->is_optimal && cost > optimal + 1e-9)) {
    (void)cli_error(
      CLI_FAILURE, "%s: query %d: cost %.6f, but the optimal cost is %.6f", row->search, index, cost, optimal);
    return false;
  }
  const double ratio = optimal > 0.0 ? cost / optimal : 1.0;
  row->solved += 1;
  row->length_mean += ratio;
  row->length_worst = fmax(row->length_worst, ratio);
  return true;
}

// Runs every query once. Routes are the same in every repeat, so only those of the first are checked.
static int run_queries(search_run_t * run, search_row_t * row, fw_router_t * router, bool is_first)
{
  const fw_budget_t budget = {.expansions_max = run->report->options.expansions};
  for (int32_t i = 0; i < run->queries->count; i++) {
    const cli_query_t * query = &run->queries->items[i];
    fw_route_t route;
    fw_error_t error = {0};
    const int64_t start_ns = fw_clock_now_ns();
    const fw_ret_t ret = fw_router_find(router, query->ends[0], query->ends[1], &budget, &route, &error);
    const int64_t elapsed_ns = fw_clock_now_ns() - start_ns;
    if (ret != FW_RET_OK) {
      return cli_error(CLI_FAILURE, "%s: query %d: %s", row->search, i, error.text);
    }
    run->least_ns[i] = is_first || elapsed_ns < run->least_ns[i] ? elapsed_ns : run->least_ns[i];
    if (is_first && !take_route(run, row, i, &route)) {
      run->report->has_failed = true;
    }
    if (cli_progress_is_cancelled(&run->progress)) {
      return CLI_NOT_SOLVED;
    }
  }
  return CLI_SUCCESS;
}

// What a search prepares for the map. CLI_NOT_SOLVED: it does not support the map, and is left out.
static int build_router(search_run_t * run, search_row_t * row, fw_router_t * router, bool is_first)
{
  const fw_budget_t budget = {.is_cancelled = cli_progress_is_cancelled, .cancel_state = &run->progress};
  const fw_ret_t ret = fw_router_build_within(router, &run->instance->grid, &budget, &row->reason);
  if (ret == FW_RET_UNSUPPORTED) {
    row->is_left_out = true;
    return CLI_NOT_SOLVED;
  }
  if (ret != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s: %s", row->search, row->reason.text);
  }
  const fw_router_stats_t stats = fw_router_stats(router);
  const double ms = (double)stats.build_ns / 1e6;
  row->build_ms = is_first ? ms : fmin(ms, row->build_ms);
  row->built_mb = (double)stats.built_bytes / 1e6;
  row->node_count = stats.node_count;
  row->edge_count = stats.edge_count;
  return CLI_SUCCESS;
}

// Turns the sums of a row into means.
static void summarise(const search_run_t * run, search_row_t * row)
{
  const double count = run->queries->count;
  FW_ASSERT(count > 0 && row->solved + row->unsolved <= run->queries->count);
  double total_ns = 0.0;
  for (int32_t i = 0; i < run->queries->count; i++) {
    total_ns += (double)run->least_ns[i];
    row->us_worst = fmax(row->us_worst, (double)run->least_ns[i] / 1e3);
  }
  row->us_per_query = total_ns / 1e3 / count;
  row->ns_per_expansion = row->expanded > 0.0 ? total_ns / row->expanded : 0.0;
  row->expanded /= count;
  row->kb_per_query /= count;
  row->length_mean = row->solved > 0 ? row->length_mean / row->solved : NAN;
  row->length_worst = row->solved > 0 ? row->length_worst : NAN;
}

// All repeats of one search.
static int measure_search(search_run_t * run, search_row_t * row)
{
  fw_router_t router = {0};
  const cli_route_request_t request = {
    .search = row->search, .options = &run->report->options, .router_options = &run->report->router};
  int exit_code = cli_route_open(&router, &request, &row->reason);
  row->is_left_out = exit_code == CLI_NOT_SOLVED;
  // A parameter may make an optimal search suboptimal (a heuristic that overestimates).
  row->is_optimal = fw_router_def_find(row->search)->is_optimal && run->report->options.settings.count == 0;
  for (int32_t repeat = 0; exit_code == CLI_SUCCESS && repeat < run->report->repeat; repeat++) {
    snprintf(
      run->progress.label, sizeof(run->progress.label), "%s, repeat %d of %d", row->search, repeat + 1,
      run->report->repeat);
    if (repeat < 3) {  // a build can take much longer than all queries
      exit_code = build_router(run, row, &router, repeat == 0);
    }
    if (exit_code == CLI_SUCCESS) {
      exit_code = run_queries(run, row, &router, repeat == 0);
    }
  }
  fw_router_fini(&router);
  if (exit_code == CLI_SUCCESS) {
    summarise(run, row);
  }
  return row->is_left_out ? CLI_SUCCESS : exit_code;
}

// ---- one map --------------------------------------------------------------------------------------------------------

static int measure_searches(search_run_t * run, search_case_t * result)
{
  const int32_t count = run->queries->count;
  run->optimal = calloc((size_t)count + 1, sizeof(*run->optimal));
  run->least_ns = calloc((size_t)count + 1, sizeof(*run->least_ns));
  result->rows = calloc((size_t)run->report->search_count, sizeof(*result->rows));
  int exit_code = CLI_SUCCESS;
  if (run->optimal == NULL || run->least_ns == NULL || result->rows == NULL) {
    exit_code = cli_error(CLI_FAILURE, "out of memory");
  }
  cli_progress_start(&run->progress);
  if (exit_code == CLI_SUCCESS) {
    exit_code = find_optimal(run, result);
  }
  for (int32_t i = 0; exit_code == CLI_SUCCESS && i < run->report->search_count; i++) {
    result->rows[i].search = run->report->searches[i];
    exit_code = measure_search(run, &result->rows[i]);
  }
  cli_progress_clear();
  free(run->optimal);
  free(run->least_ns);
  return exit_code;
}

// Measures all searches on one map. Returns an exit code after an error message; CLI_NOT_SOLVED: interrupted.
static int measure_map(search_report_t * report, const cli_instance_options_t * where, search_case_t * result)
{
  cli_instance_t instance = {0};
  cli_queries_t queries = {0};
  cli_route_options_t options = report->options;
  options.instance = *where;
  int exit_code = cli_instance_load_grid(&instance, where);
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_queries_load(&queries, &instance, &options);
  }
  if (exit_code == CLI_SUCCESS) {
    snprintf(result->map_name, sizeof(result->map_name), "%s", instance.map_name);
    result->scen_name = where->scen;
    result->width = instance.grid.width;
    result->height = instance.grid.height;
    result->free_count = bench_count_free(&instance.grid);
    result->query_count = queries.count;
    search_run_t run = {.report = report, .instance = &instance, .queries = &queries};
    exit_code = measure_searches(&run, result);
  }
  cli_queries_fini(&queries);
  cli_instance_fini(&instance);
  return exit_code;
}

// ---- text -----------------------------------------------------------------------------------------------------------

static void print_head(const search_report_t * report, const search_case_t * found)
{
  char free_count[CLI_NUMBER_SIZE];
  printf(
    "# %s, %d x %d, %s free cells; %d queries%s%s", found->map_name, found->width, found->height,
    cli_format_thousands(free_count, found->free_count), found->query_count, found->scen_name != NULL ? " of " : "",
    found->scen_name != NULL ? found->scen_name : "");
  if (found->unreachable > 0) {
    printf(", %d without a path", found->unreachable);
  }
  printf(", mean length %.1f\n", found->mean_length);
  printf(
    "# connectivity %d%s, least of %d; every route checked, optimal ones equal", report->router.connectivity,
    report->router.connectivity == 8 && report->router.diagonal == FW_DIAGONAL_TICK ? ", a diagonal counts as one" : "",
    report->repeat);
  if (!isnan(found->scen_difference)) {
    printf("; lengths differ from the scenario's by at most %.6f", found->scen_difference);
  }
  printf(
    "\n%-14s %10s %9s %9s %10s %11s %11s %8s %10s %8s %8s\n", "search", "build ms", "built MB", "nodes", "us/query",
    "worst us", "expanded", "ns/exp", "KB/query", "length", "worst");
}

static void print_row(const search_row_t * row)
{
  if (row->is_left_out) {
    printf("%-14s %s\n", row->search, row->reason.text);
    return;
  }
  printf(
    "%-14s %10.2f %9.2f %9d %10.2f %11.2f %11.1f %8.1f %10.1f ", row->search, row->build_ms, row->built_mb,
    row->node_count, row->us_per_query, row->us_worst, row->expanded, row->ns_per_expansion, row->kb_per_query);
  if (row->solved > 0) {
    printf("%8.4f %8.4f", row->length_mean, row->length_worst);
  } else {
    printf("%8s %8s", "-", "-");
  }
  if (row->unsolved > 0) {
    printf("  %d not finished", row->unsolved);
  }
  putchar('\n');
}

static void print_text(const void * state)
{
  const search_report_t * report = state;
  bench_host_print(&report->host);
  for (int32_t i = 0; i < report->case_count; i++) {
    print_head(report, &report->cases[i]);
    for (int32_t k = 0; report->cases[i].rows != NULL && k < report->search_count; k++) {
      if (report->cases[i].rows[k].search != NULL) {  // else interrupted before its turn
        print_row(&report->cases[i].rows[k]);
      }
    }
  }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void write_row(cli_json_t * json, const search_row_t * row)
{
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "search", row->search);
  cli_json_text(json, "left_out", row->is_left_out ? row->reason.text : NULL);
  if (!row->is_left_out) {
    cli_json_number(json, "build_ms", row->build_ms);
    cli_json_number(json, "built_mb", row->built_mb);
    cli_json_integer(json, "nodes", row->node_count);
    cli_json_integer(json, "edges", row->edge_count);
    cli_json_number(json, "us_per_query", row->us_per_query);
    cli_json_number(json, "us_worst", row->us_worst);
    cli_json_number(json, "expanded_per_query", row->expanded);
    cli_json_number(json, "ns_per_expansion", row->ns_per_expansion);
    cli_json_number(json, "kb_per_query", row->kb_per_query);
    cli_json_number(json, "kb_worst", row->kb_worst);
    cli_json_number(json, "length_over_optimal", row->length_mean);
    cli_json_number(json, "length_over_optimal_worst", row->length_worst);
    cli_json_integer(json, "solved", row->solved);
    cli_json_integer(json, "given_up", row->unsolved);
  }
  cli_json_close(json, '}');
}

static void print_json(const void * state)
{
  const search_report_t * report = state;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  bench_host_write(&report->host, &json);
  cli_json_integer(&json, "connectivity", report->router.connectivity);
  cli_json_text(&json, "diagonal", report->router.diagonal == FW_DIAGONAL_ROOT ? "root" : "tick");
  cli_json_integer(&json, "repeat", report->repeat);
  cli_json_open(&json, "cases", '[');
  for (int32_t i = 0; i < report->case_count; i++) {
    const search_case_t * found = &report->cases[i];
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "map", found->map_name);
    cli_json_text(&json, "scen", found->scen_name);
    cli_json_integer(&json, "width", found->width);
    cli_json_integer(&json, "height", found->height);
    cli_json_integer(&json, "free_cells", found->free_count);
    cli_json_integer(&json, "queries", found->query_count);
    cli_json_integer(&json, "without_way", found->unreachable);
    cli_json_number(&json, "mean_length", found->mean_length);
    cli_json_number(&json, "scen_difference", found->scen_difference);
    cli_json_open(&json, "rows", '[');
    for (int32_t k = 0; found->rows != NULL && k < report->search_count; k++) {
      if (found->rows[k].search != NULL) {
        write_row(&json, &found->rows[k]);
      }
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

static void write_csv(const void * state, FILE * stream)
{
  const search_report_t * report = state;
  fputs(
    "map,search,queries,build_ms,built_mb,nodes,edges,us_per_query,us_worst,expanded_per_query,ns_per_expansion,"
    "kb_per_query,kb_worst,length_over_optimal,length_over_optimal_worst,solved,given_up\n",
    stream);
  for (int32_t i = 0; i < report->case_count; i++) {
    const search_case_t * found = &report->cases[i];
    for (int32_t k = 0; found->rows != NULL && k < report->search_count; k++) {
      const search_row_t * row = &found->rows[k];
      if (row->search == NULL || row->is_left_out) {
        continue;
      }
      fprintf(
        stream, "\"%s\",%s,%d,%.6f,%.6f,%d,%" PRId64 ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%d,%d\n",
        found->map_name, row->search, found->query_count, row->build_ms, row->built_mb, row->node_count,
        row->edge_count, row->us_per_query, row->us_worst, row->expanded, row->ns_per_expansion, row->kb_per_query,
        row->kb_worst, row->length_mean, row->length_worst, row->solved, row->unsolved);
    }
  }
}

// ---- command --------------------------------------------------------------------------------------------------------

typedef struct search_options_t {
  cli_route_options_t route;
  const char * searches;
  int64_t repeat;
  bench_output_t output;
} search_options_t;

#define AT(member) offsetof(search_options_t, member)

static const cli_option_t bench_options[] = {
  {.name = "searches",
   .letter = 's',
   .kind = CLI_TEXT,
   .offset = AT(searches),
   .value = "A,B,...",
   .help = "names of `fleetweave route --list` (default: all)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = BENCH_REPEAT_MAX,
   .value = "N",
   .help = "runs of each query, of which the least time counts (default: 3)"},
  {0},
};

// The maps of a run without --map and --make: random walls, rooms, wide corridors, shelves.
static const char * const standard_maps[] = {
  "random:256x256,obstacles=20,seed=1",
  "rooms:256x256,room=15,seed=1",
  "maze:255x255,corridor=7,seed=1",
  "warehouse:256x256,shelf=10,aisle=2,seed=1",
};
enum { STANDARD_COUNT = sizeof(standard_maps) / sizeof(standard_maps[0]), STANDARD_QUERIES = 100 };

static int read_searches(const search_options_t * options, bench_names_t * names, search_report_t * report)
{
  if (options->searches == NULL) {
    for (names->count = 0; names->count < fw_router_def_count() && names->count < BENCH_NAMES_MAX; names->count++) {
      names->items[names->count] = fw_router_def_at(names->count)->name;
    }
  } else if (bench_names_read(names, "searches", options->searches) != CLI_SUCCESS) {
    return CLI_USAGE;
  }
  report->searches = names->items;
  report->search_count = names->count;
  return cli_route_check_options(&options->route, names->items, names->count);
}

static int measure_all(search_report_t * report)
{
  const cli_instance_options_t * given = &report->options.instance;
  const bool is_standard = given->map == NULL && given->make == NULL;
  if (is_standard && given->scen != NULL) {
    return cli_error(CLI_USAGE, "--scen needs its map: --map FILE");
  }
  const int32_t case_count = is_standard ? STANDARD_COUNT : 1;
  report->cases = calloc((size_t)case_count, sizeof(*report->cases));
  if (report->cases == NULL) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  int exit_code = CLI_SUCCESS;
  for (int32_t i = 0; i < case_count && exit_code == CLI_SUCCESS; i++) {
    cli_instance_options_t where = *given;
    if (is_standard) {
      where.make = standard_maps[i];
    }
    if (where.scen == NULL && where.robots < 0) {
      where.robots = STANDARD_QUERIES;
    }
    report->case_count = i + 1;
    exit_code = measure_map(report, &where, &report->cases[i]);
  }
  return exit_code;
}

static int measure(const search_options_t * options, search_report_t * report)
{
  bench_names_t names;
  report->options = options->route;
  report->repeat = (int32_t)options->repeat;
  bench_host_read(&report->host);
  int exit_code = read_searches(options, &names, report);
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_route_parse_options(&options->route, report->cells, &report->router);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = bench_output_is_possible(&options->output) ? measure_all(report) : CLI_FAILURE;
  }
  if (exit_code != CLI_SUCCESS && exit_code != CLI_NOT_SOLVED) {
    return exit_code;
  }
  const int written =
    bench_output_write(&options->output, &(bench_report_t){report, print_text, print_json, write_csv});
  return written != CLI_SUCCESS || report->has_failed ? CLI_FAILURE : exit_code;
}

static int run(int argument_count, char ** arguments)
{
  search_options_t options = {.route = cli_route_options_default(), .repeat = 3};
  const cli_group_t groups[] = {
    {"Map (default: four generated maps)", cli_map_options, .values = &options.route.instance},
    {"Queries", cli_query_options, .values = &options.route},
    {"Rules of motion", cli_motion_options, .values = &options.route},
    {"Searches' limits and parameters", cli_search_options, .values = &options.route},
    {"Bench", bench_options, .values = &options},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench search",
    .usage = "[(--map FILE | --make SPEC) [--scen FILE] [--queries N]] [--searches A,B,...] [--repeat N]",
    .about =
      "Runs the same queries (the shortest path of one robot between two cells) with every search and\n"
      "prints a table: time and size of what a search builds for a map; time, expansions and memory per\n"
      "query; path length divided by the optimal one. Every route is checked, optimal searches must agree\n"
      "with A*, and lengths of a .scen file are compared.",
    .groups = groups,
    .examples =
      "  fleetweave bench search\n"
      "  fleetweave bench search --map den520d.map --scen den520d-random-1.scen --searches astar,jps,hpa\n"
      "  fleetweave bench search --make rooms:512x512,room=31 --connectivity 4 --csv rooms.csv",
    .exit_codes = "0 done, 1 interrupted, 2 wrong command line, 3 failure, or a wrong route.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  search_report_t * report = calloc(1, sizeof(*report));
  if (report == NULL) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  const int exit_code = measure(&options, report);
  for (int32_t i = 0; i < report->case_count; i++) {
    free(report->cases[i].rows);
  }
  free(report->cases);
  free(report);
  return exit_code;
}

const cli_command_t bench_search = {
  .name = "search",
  .summary = "single-robot searches: time, expansions, memory and path length",
  .run = run,
};
