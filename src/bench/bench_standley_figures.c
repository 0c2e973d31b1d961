// What the rows of `bench standley` come to.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_standley.h"
#include "cli/words.h"

int32_t cli_standley_algorithms(const cli_standley_settings_t * settings, cli_standley_algorithm_t * algorithms)
{
  char text[CLI_STANDLEY_SETTINGS_SIZE];
  const char * words[CLI_STANDLEY_ALGORITHMS_MAX];
  snprintf(text, sizeof(text), "%s", settings->algorithms);
  const int32_t count = cli_cut_list(text, words, CLI_STANDLEY_ALGORITHMS_MAX);
  for (int32_t i = 0; i < count; ++i) {
    if (strlen(words[i]) >= CLI_STANDLEY_NAME_SIZE || strpbrk(words[i], " \t\"") != NULL) {
      (void)cli_say(CLI_USAGE, "\"%s\" is no planner with settings, such as hca:orders=1:overrides=0", words[i]);
      return 0;
    }
    snprintf(algorithms[i].name, sizeof(algorithms[i].name), "%s", words[i]);
    snprintf(algorithms[i].planner, sizeof(algorithms[i].planner), "%.*s", (int)strcspn(words[i], ":"), words[i]);
  }
  if (count == 0) {
    (void)cli_say(
      CLI_USAGE, "--planners wants up to %d names with commas between, not \"%s\"", CLI_STANDLEY_ALGORITHMS_MAX,
      settings->algorithms);
  }
  return count;
}

static bool is_of(const cli_standley_row_t * row, const char * algorithm, bool is_group)
{
  return row->is_group == is_group && strcmp(row->algorithm, algorithm) == 0;
}

static int by_value(const void * a, const void * b)
{
  const double left = *(const double *)a;
  const double right = *(const double *)b;
  return left < right ? -1 : left > right ? 1 : 0;
}

cli_standley_figures_t cli_standley_figures(const cli_standley_rows_t * rows, const char * algorithm)
{
  cli_standley_figures_t figures = {.algorithm = algorithm, .mean_largest_group = NAN};
  double * all_ms = calloc((size_t)rows->count + 1, sizeof(*all_ms));
  figures.solved_ms = calloc((size_t)rows->count + 1, sizeof(*figures.solved_ms));
  if (all_ms == NULL || figures.solved_ms == NULL) {
    free(all_ms);
    return figures;
  }
  double sum_ms = 0.0;
  double groups = 0.0;
  int32_t with_groups = 0;
  for (int32_t i = 0; i < rows->count; ++i) {
    const cli_standley_row_t * row = &rows->rows[i];
    if (!is_of(row, algorithm, false)) {
      continue;
    }
    sum_ms += row->ms;
    all_ms[figures.count++] = row->ms;
    figures.unsolvable += strcmp(row->outcome, fw_outcome_name(FW_OUTCOME_UNSOLVABLE)) == 0;
    if (cli_standley_is_solved(row)) {
      figures.solved_ms[figures.solved++] = row->ms;
      groups += row->largest_group >= 0 ? (double)row->largest_group : 0.0;
      with_groups += row->largest_group >= 0;
    }
  }
  figures.median_ms = cli_median(all_ms, figures.count);
  figures.p99_ms = cli_percentile(all_ms, figures.count, 0.99);
  figures.mean_ms = figures.count > 0 ? sum_ms / figures.count : 0.0;
  figures.mean_largest_group = with_groups > 0 ? groups / with_groups : NAN;
  qsort(figures.solved_ms, (size_t)figures.solved, sizeof(*figures.solved_ms), by_value);
  free(all_ms);
  return figures;
}

void cli_standley_figures_fini(cli_standley_figures_t * figures)
{
  free(figures->solved_ms);
  *figures = (cli_standley_figures_t){0};
}

int32_t cli_standley_group_figures(
  const cli_standley_rows_t * rows, const char * algorithm,
  cli_standley_group_figures_t figures[CLI_STANDLEY_ROBOTS_MAX])
{
  cli_standley_group_figures_t by_size[CLI_STANDLEY_ROBOTS_MAX + 1] = {{0}};
  for (int32_t i = 0; i < rows->count; ++i) {
    const cli_standley_row_t * row = &rows->rows[i];
    if (is_of(row, algorithm, true) && row->robots >= 1 && row->robots <= CLI_STANDLEY_ROBOTS_MAX) {
      by_size[row->robots].count += 1;
      by_size[row->robots].solved += cli_standley_is_solved(row) ? 1 : 0;
    }
  }
  int32_t count = 0;
  for (int32_t size = 1; size <= CLI_STANDLEY_ROBOTS_MAX; ++size) {
    if (by_size[size].count > 0) {
      by_size[size].size = size;
      figures[count++] = by_size[size];
    }
  }
  return count;
}

// ---- one order of hca beside od_id ----------------------------------------------------------------------------------

static const char * find_planner(const cli_standley_algorithm_t * algorithms, int32_t count, const char * planner)
{
  for (int32_t i = 0; i < count; ++i) {
    if (strcmp(algorithms[i].planner, planner) == 0) {
      return algorithms[i].name;
    }
  }
  return NULL;
}

static void compare(const cli_standley_row_t * hca, const cli_standley_row_t * od, cli_standley_orders_t * orders)
{
  const bool has_hca = cli_standley_is_solved(hca);
  const bool has_od = cli_standley_is_solved(od);
  ++orders->count;
  orders->unsolved += has_hca ? 0 : 1;
  orders->unsolved_but_od += !has_hca && has_od ? 1 : 0;
  orders->unsolved_by_both += !has_hca && !has_od ? 1 : 0;
  if (has_hca && has_od && hca->robots > CLI_STANDLEY_MANY_ROBOTS) {
    ++orders->many;
    orders->excess_od += (double)(od->sum_of_costs - od->alone);
    orders->excess_hca += (double)(hca->sum_of_costs - hca->alone);
  }
}

bool cli_standley_orders(const cli_standley_rows_t * rows, cli_standley_orders_t * orders)
{
  cli_standley_algorithm_t algorithms[CLI_STANDLEY_ALGORITHMS_MAX];
  const int32_t count = cli_standley_algorithms(&rows->settings, algorithms);
  const char * hca = find_planner(algorithms, count, "hca");
  const char * od = find_planner(algorithms, count, "od_id");
  *orders = (cli_standley_orders_t){0};
  if (hca == NULL || od == NULL) {
    return false;
  }
  const cli_standley_row_t * last[2] = {NULL, NULL};  // rows are sorted by instance
  for (int32_t i = 0; i < rows->count; ++i) {
    const cli_standley_row_t * row = &rows->rows[i];
    const int32_t side = is_of(row, hca, false) ? 0 : is_of(row, od, false) ? 1 : -1;
    if (side < 0) {
      continue;
    }
    last[side] = row;
    if (last[1 - side] != NULL && last[1 - side]->instance == row->instance) {
      compare(last[0], last[1], orders);
    }
  }
  orders->excess_od = orders->many > 0 ? orders->excess_od / orders->many : NAN;
  orders->excess_hca = orders->many > 0 ? orders->excess_hca / orders->many : NAN;
  return true;
}
