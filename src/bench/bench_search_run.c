// `bench search`: runs every search over the same questions. The least time of the repeats counts, for each question by
// itself: what else the machine does only ever adds. Answers are checked, and optimal ones compared, outside the clock.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_scaling.h"
#include "bench/bench_search.h"
#include "cli/progress.h"
#include "cli/words.h"

typedef struct run_t {
  cli_search_report_t * report;
  const cli_instance_t * instance;
  const cli_questions_t * questions;
  double * best;       // by question: cost of the best way in units, -1 for none
  int64_t * least_ns;  // by question
  cli_progress_t progress;
} run_t;

// ---- the truth ------------------------------------------------------------------------------------------------------

// By plain A*: what the others are compared with, and itself compared with the scenario's lengths.
static int find_best(run_t * run, cli_search_case_t * result)
{
  fw_router_t router = {0};
  fw_error_t error = {0};
  result->scen_difference = NAN;
  double total = 0.0;
  fw_ret_t ret = fw_router_init(&router, "astar", &run->report->router, &error);
  ret = ret == FW_RET_OK ? fw_router_build(&router, &run->instance->grid, &error) : ret;
  for (int32_t i = 0; ret == FW_RET_OK && i < run->questions->count; i++) {
    const cli_question_t * question = &run->questions->items[i];
    fw_route_t route;
    ret = fw_router_find(&router, question->ends[0], question->ends[1], NULL, &route, &error);
    if (ret != FW_RET_OK) {
      break;
    }
    run->best[i] = route.length > 0 ? (double)route.cost / route.unit : -1.0;
    result->without_way += route.length == 0;
    total += route.length > 0 ? run->best[i] : 0.0;
    const bool is_comparable = run->report->router.connectivity == 8 &&
                               run->report->router.diagonal == FW_DIAGONAL_ROOT &&
                               run->report->router.footprint_count <= 1 && run->report->router.clearance == 0;
    if (is_comparable && question->length >= 0.0 && route.length > 0) {
      const double difference =
        fabs(route.length - 1 - route.diagonals + route.diagonals * sqrt(2.0) - question->length);
      result->scen_difference = isnan(result->scen_difference) ? difference : fmax(result->scen_difference, difference);
    }
  }
  fw_router_fini(&router);
  const int32_t with_way = run->questions->count - result->without_way;
  result->mean_length = with_way > 0 ? total / with_way : 0.0;
  return ret == FW_RET_OK ? CLI_SOLVED : cli_say(CLI_FAILURE, "%s", error.text);
}

// ---- a search -------------------------------------------------------------------------------------------------------

// Takes the figures of an answer into the row. False if it is wrong.
static bool take_answer(run_t * run, cli_search_row_t * row, int32_t index, const fw_route_t * route)
{
  const cli_question_t * question = &run->questions->items[index];
  const double best = run->best[index];
  fw_error_t error = {0};
  row->expanded += (double)route->expanded;
  const double kb = (double)route->memory_bytes / 1024.0;
  row->kb_per_query += kb;
  row->kb_worst = fmax(row->kb_worst, kb);
  if (route->stop != FW_STOP_DONE) {
    row->unsolved += 1;
    return true;
  }
  if ((route->length > 0) != (best >= 0.0)) {
    return cli_say(false, "%s: question %d: there is %s way", row->search, index, best >= 0.0 ? "a" : "no") != 0;
  }
  if (route->length == 0) {
    return true;
  }
  if (fw_route_check(route, &run->instance->grid, &run->report->router, question->ends, &error) != FW_RET_OK) {
    return cli_say(false, "%s: question %d: %s", row->search, index, error.text) != 0;
  }
  const double cost = (double)route->cost / route->unit;
  if (cost < best - 1e-9 || (row->is_optimal && cost > best + 1e-9)) {
    return cli_say(false, "%s: question %d: %.6f, but the best is %.6f", row->search, index, cost, best) != 0;
  }
  const double ratio = best > 0.0 ? cost / best : 1.0;
  row->solved += 1;
  row->length_mean += ratio;
  row->length_worst = fmax(row->length_worst, ratio);
  return true;
}

// Asks every question once.
static int ask_all(run_t * run, cli_search_row_t * row, fw_router_t * router, bool is_first)
{
  const fw_budget_t budget = {.expansions_max = run->report->options.expansions};
  for (int32_t i = 0; i < run->questions->count; i++) {
    const cli_question_t * question = &run->questions->items[i];
    fw_route_t route;
    fw_error_t error = {0};
    const int64_t start_ns = fw_clock_now_ns();
    const fw_ret_t ret = fw_router_find(router, question->ends[0], question->ends[1], &budget, &route, &error);
    const int64_t elapsed_ns = fw_clock_now_ns() - start_ns;
    if (ret != FW_RET_OK) {
      return cli_say(CLI_FAILURE, "%s: question %d: %s", row->search, i, error.text);
    }
    run->least_ns[i] = is_first || elapsed_ns < run->least_ns[i] ? elapsed_ns : run->least_ns[i];
    if (is_first && !take_answer(run, row, i, &route)) {
      run->report->has_failed = true;
    }
    if (cli_progress_is_cancelled(&run->progress)) {
      return CLI_NOT_SOLVED;
    }
  }
  return CLI_SOLVED;
}

static int build(const run_t * run, cli_search_row_t * row, fw_router_t * router, bool is_first)
{
  const fw_ret_t ret = fw_router_build(router, &run->instance->grid, &row->reason);
  if (ret == FW_RET_UNSUPPORTED) {
    row->is_left_out = true;
    return CLI_NOT_SOLVED;
  }
  if (ret != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s: %s", row->search, row->reason.text);
  }
  const fw_router_stats_t stats = fw_router_stats(router);
  const double ms = (double)stats.build_ns / 1e6;
  row->build_ms = is_first ? ms : fmin(ms, row->build_ms);
  row->built_mb = (double)stats.built_bytes / 1e6;
  row->node_count = stats.node_count;
  row->edge_count = stats.edge_count;
  return CLI_SOLVED;
}

static void sum_up(const run_t * run, cli_search_row_t * row)
{
  const double count = run->questions->count;
  double total_ns = 0.0;
  for (int32_t i = 0; i < run->questions->count; i++) {
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

static int measure_search(run_t * run, cli_search_row_t * row)
{
  fw_router_t router = {0};
  int exit_code = cli_route_open(&router, row->search, &run->report->options, &run->report->router, &row->reason);
  row->is_left_out = exit_code == CLI_NOT_SOLVED;
  // Parameters may cost an optimal search its promise (a heuristic that overestimates).
  row->is_optimal = fw_router_def_find(row->search)->is_optimal && run->report->options.settings.count == 0;
  for (int32_t repeat = 0; exit_code == CLI_SOLVED && repeat < run->report->repeat; repeat++) {
    snprintf(
      run->progress.label, sizeof(run->progress.label), "%s, repeat %d of %d", row->search, repeat + 1,
      run->report->repeat);
    if (repeat < 3) {  // builds can take much longer than questions
      exit_code = build(run, row, &router, repeat == 0);
    }
    if (exit_code == CLI_SOLVED) {
      exit_code = ask_all(run, row, &router, repeat == 0);
    }
  }
  fw_router_fini(&router);
  if (exit_code == CLI_SOLVED) {
    sum_up(run, row);
  }
  return row->is_left_out ? CLI_SOLVED : exit_code;
}

// ---- a map ----------------------------------------------------------------------------------------------------------

static int measure_searches(run_t * run, cli_search_case_t * result)
{
  const int32_t count = run->questions->count;
  run->best = calloc((size_t)count + 1, sizeof(*run->best));
  run->least_ns = calloc((size_t)count + 1, sizeof(*run->least_ns));
  result->rows = calloc((size_t)run->report->search_count, sizeof(*result->rows));
  int exit_code = CLI_SOLVED;
  if (run->best == NULL || run->least_ns == NULL || result->rows == NULL) {
    exit_code = cli_say(CLI_FAILURE, "out of memory");
  }
  cli_progress_start(&run->progress);
  if (exit_code == CLI_SOLVED) {
    exit_code = find_best(run, result);
  }
  for (int32_t i = 0; exit_code == CLI_SOLVED && i < run->report->search_count; i++) {
    result->rows[i].search = run->report->searches[i];
    exit_code = measure_search(run, &result->rows[i]);
  }
  cli_progress_wipe();
  free(run->best);
  free(run->least_ns);
  return exit_code;
}

int cli_search_measure(cli_search_report_t * report, const cli_instance_options_t * where, cli_search_case_t * result)
{
  cli_instance_t instance = {0};
  cli_questions_t questions = {0};
  cli_route_options_t options = report->options;
  options.instance = *where;
  int exit_code = cli_instance_load_grid(&instance, where);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_questions_load(&questions, &instance, &options);
  }
  if (exit_code == CLI_SOLVED) {
    snprintf(result->map_name, sizeof(result->map_name), "%s", instance.map_name);
    result->scen_name = where->scen;
    result->width = instance.grid.width;
    result->height = instance.grid.height;
    result->free_count = cli_scaling_count_free(&instance.grid);
    result->query_count = questions.count;
    run_t run = {.report = report, .instance = &instance, .questions = &questions};
    exit_code = measure_searches(&run, result);
  }
  cli_questions_free(&questions);
  cli_instance_fini(&instance);
  return exit_code;
}
