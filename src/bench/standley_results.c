// Results of `bench standley`: rows in memory and in files, the figures computed from them, and the report.

#include "bench/standley_results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "cli/common/message.h"
#include "cli/common/output.h"
#include "fleetweave/planner_def.h"

// ---- rows -----------------------------------------------------------------------------------------------------------

static const char column_names[] =
  "instance,robots,part,algorithm,outcome,stop,ms,sum_of_costs,lower_bound,alone,expanded,memory_peak_bytes,"
  "largest_group";

// First in the line of settings, only where corners are cut.
#define CORNERS "corners=cut "

bool bench_standley_is_solved(const standley_row_t * row)
{
  char planner[STANDLEY_NAME_SIZE];
  snprintf(planner, sizeof(planner), "%.*s", (int)strcspn(row->algorithm, ":"), row->algorithm);
  const fw_planner_def_t * def = fw_planner_def_find(planner);
  const bool is_proved = strcmp(row->stop, fw_stop_name(FW_STOP_DONE)) == 0;
  return strcmp(row->outcome, fw_outcome_name(FW_OUTCOME_SOLVED)) == 0 &&
         (def == NULL || !def->is_optimal || is_proved);
}

bool bench_standley_add(standley_rows_t * rows, const standley_row_t * row)
{
  if (rows->count == rows->capacity) {
    const int32_t capacity = rows->capacity == 0 ? 1024 : 2 * rows->capacity;
    standley_row_t * larger = realloc(rows->rows, (size_t)capacity * sizeof(*larger));
    if (larger == NULL) {
      return false;
    }
    rows->rows = larger;
    rows->capacity = capacity;
  }
  FW_ASSERT(rows->count < rows->capacity);
  rows->rows[rows->count++] = *row;
  return true;
}

// Whole instances before their groups, so that a file reads in the order of measuring.
static int by_instance(const void * a, const void * b)
{
  const standley_row_t * one = a;
  const standley_row_t * two = b;
  if (one->instance != two->instance) {
    return one->instance < two->instance ? -1 : 1;
  }
  if (one->is_group != two->is_group) {
    return one->is_group ? 1 : -1;
  }
  return strcmp(one->algorithm, two->algorithm);
}

void bench_standley_sort(standley_rows_t * rows)
{
  if (rows->count > 0) {
    qsort(rows->rows, (size_t)rows->count, sizeof(*rows->rows), by_instance);
  }
}

void bench_standley_fini(standley_rows_t * rows)
{
  free(rows->rows);
  rows->rows = NULL;
  rows->count = rows->capacity = 0;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void write_head(const standley_settings_t * settings, FILE * stream)
{
  fprintf(
    stream, "# standley %sseed=%" PRId64 " instances=%" PRId64 " time_limit=%g algorithms=%s\n%s\n",
    settings->cuts_corners ? CORNERS : "", settings->seed, settings->instances, settings->time_limit,
    settings->algorithms, column_names);
}

void bench_standley_write_row(const standley_row_t * row, FILE * stream)
{
  fprintf(
    stream, "%d,%d,%s,%s,%s,%s,%.6f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
    row->instance, row->robots, row->is_group ? "group" : "all", row->algorithm, row->outcome, row->stop, row->ms,
    row->sum_of_costs, row->lower_bound, row->alone, row->expanded, row->memory_bytes, row->largest_group);
}

bool bench_standley_write_file(const standley_rows_t * rows, const char * path)
{
  cli_output_t output = {0};
  if (!cli_output_open(&output, path)) {
    return false;
  }
  write_head(&rows->settings, output.stream);
  for (int32_t i = 0; i < rows->count; ++i) {
    bench_standley_write_row(&rows->rows[i], output.stream);
  }
  return cli_output_commit(&output);
}

// ---- reading --------------------------------------------------------------------------------------------------------

// The first line of a file. False if the file is not one of `bench standley`.
static bool read_settings(const char * line, standley_settings_t * settings)
{
  static const char begin[] = "# standley ";
  if (strncmp(line, begin, strlen(begin)) != 0) {
    return false;
  }
  line += strlen(begin);
  *settings = (standley_settings_t){.cuts_corners = strncmp(line, CORNERS, strlen(CORNERS)) == 0};
  line += settings->cuts_corners ? strlen(CORNERS) : 0;
  // NOLINTNEXTLINE(cert-err34-c): a number that does not fit is in no file of ours, and does no harm
  return sscanf(
           line, "seed=%" SCNd64 " instances=%" SCNd64 " time_limit=%lf algorithms=%1023s", &settings->seed,
           &settings->instances, &settings->time_limit, settings->algorithms) == 4;
}

static bool is_same(const standley_settings_t * a, const standley_settings_t * b)
{
  return a->seed == b->seed && a->instances == b->instances && a->time_limit == b->time_limit &&
         a->cuts_corners == b->cuts_corners && strcmp(a->algorithms, b->algorithms) == 0;
}

// One line of a file. False if it is not a row.
static bool read_row(const char * line, standley_row_t * row)
{
  char part[8];
  int end = 0;
  *row = (standley_row_t){0};
  // NOLINTNEXTLINE(cert-err34-c): as above
  const int fields = sscanf(
    line,
    "%" SCNd32 ",%" SCNd32 ",%7[a-z],%95[^,],%15[a-z],%15[a-z],%lf,%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64
    ",%" SCNd64 ",%" SCNd64 "%n",
    &row->instance, &row->robots, part, row->algorithm, row->outcome, row->stop, &row->ms, &row->sum_of_costs,
    &row->lower_bound, &row->alone, &row->expanded, &row->memory_bytes, &row->largest_group, &end);
  row->is_group = strcmp(part, "group") == 0;
  return fields == 13 && line[end] == '\0';
}

// The last line of a killed run may be incomplete.
static bool is_last_unfinished(const fw_text_t * text) { return text->cursor == NULL || text->cursor >= text->end; }

static int read_lines(standley_rows_t * rows, fw_text_t * text)
{
  char * line = fw__text_line(text);
  standley_settings_t settings;
  if (line == NULL || !read_settings(line, &settings)) {
    return cli_error(CLI_FAILURE, "%s is not a file of `bench standley`", text->path);
  }
  if (rows->settings.instances == 0) {
    rows->settings = settings;
  } else if (!is_same(&rows->settings, &settings)) {
    return cli_error(
      CLI_USAGE, "%s is of another run (%s): seed, instances, time limit, algorithms and corners must be the same",
      text->path, line);
  }
  line = fw__text_line(text);
  if (line == NULL || strcmp(line, column_names) != 0) {
    return cli_error(CLI_FAILURE, "%s:2: the columns differ from those that this version writes", text->path);
  }
  while ((line = fw__text_line(text)) != NULL) {
    standley_row_t row;
    if (!read_row(line, &row)) {
      return is_last_unfinished(text)
               ? CLI_SUCCESS
               : cli_error(CLI_FAILURE, "%s:%d: this is not a row of `bench standley`", text->path, text->line_number);
    }
    if (!bench_standley_add(rows, &row)) {
      return cli_error(CLI_FAILURE, "out of memory");
    }
  }
  return CLI_SUCCESS;
}

int bench_standley_read_file(standley_rows_t * rows, const char * path)
{
  fw_text_t text = {0};
  fw_error_t error = {0};
  if (fw__text_open(&text, path, NULL, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  const int exit_code = read_lines(rows, &text);
  fw__text_close(&text);
  return exit_code;
}

// ---- figures --------------------------------------------------------------------------------------------------------

int32_t bench_standley_algorithms(const standley_settings_t * settings, standley_algorithm_t * algorithms)
{
  bench_names_t words;
  const int32_t count = bench_names_read(&words, "planners", settings->algorithms) == CLI_SUCCESS ? words.count : 0;
  if (count > STANDLEY_ALGORITHMS_MAX) {
    (void)cli_error(CLI_USAGE, "--planners must be at most %d names, not %d", STANDLEY_ALGORITHMS_MAX, count);
    return 0;
  }
  for (int32_t i = 0; i < count; ++i) {
    if (strlen(words.items[i]) >= STANDLEY_NAME_SIZE || strpbrk(words.items[i], " \t\"") != NULL) {
      (void)cli_error(
        CLI_USAGE, "\"%s\" is not a planner with settings, such as hca:orders=1:overrides=0", words.items[i]);
      return 0;
    }
    snprintf(algorithms[i].name, sizeof(algorithms[i].name), "%s", words.items[i]);
    snprintf(
      algorithms[i].planner, sizeof(algorithms[i].planner), "%.*s", (int)strcspn(words.items[i], ":"), words.items[i]);
  }
  return count;
}

typedef struct standley_figures_t {
  const char * algorithm;
  int32_t count;       // instances
  int32_t solved;      // see bench_standley_is_solved
  int32_t unsolvable;  // proved to have no plan
  double median_ms;    // over all instances, solved or not
  double mean_ms;
  double p99_ms;
  double mean_largest_group;  // over solved instances; NaN where the planner has no groups
  double * solved_ms;         // sorted: the curve of figure 6
} standley_figures_t;

// Largest groups of one size, solved alone (figure 7).
typedef struct standley_group_figures_t {
  int32_t size;
  int32_t count;
  int32_t solved;
} standley_group_figures_t;

// One order of hca beside an optimal planner.
typedef struct standley_comparison_t {
  int32_t count;               // instances that both ran
  int32_t unsolved;            // by hca
  int32_t unsolved_but_other;  // of those, solved by the optimal planner
  int32_t unsolved_by_both;
  int32_t many;         // instances of more than 40 robots that both solved
  double excess_other;  // mean cost over the sum of shortest paths of those
  double excess_hca;
} standley_comparison_t;

// Whether a row is of this algorithm, and of a whole instance or a group.
static bool is_of(const standley_row_t * row, const char * algorithm, bool is_group)
{
  return row->is_group == is_group && strcmp(row->algorithm, algorithm) == 0;
}

// Figures of an algorithm; fini_figures frees them.
static standley_figures_t figures_of(const standley_rows_t * rows, const char * algorithm)
{
  standley_figures_t figures = {.algorithm = algorithm, .mean_largest_group = NAN};
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
    const standley_row_t * row = &rows->rows[i];
    if (!is_of(row, algorithm, false)) {
      continue;
    }
    sum_ms += row->ms;
    all_ms[figures.count++] = row->ms;
    figures.unsolvable += strcmp(row->outcome, fw_outcome_name(FW_OUTCOME_UNSOLVABLE)) == 0;
    if (bench_standley_is_solved(row)) {
      figures.solved_ms[figures.solved++] = row->ms;
      groups += row->largest_group >= 0 ? (double)row->largest_group : 0.0;
      with_groups += row->largest_group >= 0;
    }
  }
  figures.median_ms = bench_median(all_ms, figures.count);
  figures.p99_ms = bench_percentile(all_ms, figures.count, 0.99);
  figures.mean_ms = figures.count > 0 ? sum_ms / figures.count : 0.0;
  figures.mean_largest_group = with_groups > 0 ? groups / with_groups : NAN;
  (void)bench_median(figures.solved_ms, figures.solved);  // sorts
  free(all_ms);
  return figures;
}

static void fini_figures(standley_figures_t * figures)
{
  free(figures->solved_ms);
  *figures = (standley_figures_t){0};
}

// By size from 1 to 60; returns the number of sizes that occur.
static int32_t group_figures_of(
  const standley_rows_t * rows, const char * algorithm, standley_group_figures_t figures[STANDLEY_ROBOTS_MAX])
{
  standley_group_figures_t by_size[STANDLEY_ROBOTS_MAX + 1] = {{0}};
  for (int32_t i = 0; i < rows->count; ++i) {
    const standley_row_t * row = &rows->rows[i];
    if (is_of(row, algorithm, true) && row->robots >= 1 && row->robots <= STANDLEY_ROBOTS_MAX) {
      by_size[row->robots].count += 1;
      by_size[row->robots].solved += bench_standley_is_solved(row) ? 1 : 0;
    }
  }
  int32_t count = 0;
  for (int32_t size = 1; size <= STANDLEY_ROBOTS_MAX; ++size) {
    if (by_size[size].count > 0) {
      by_size[size].size = size;
      figures[count++] = by_size[size];
    }
  }
  return count;
}

// ---- one order of hca beside an optimal planner ---------------------------------------------------------------------

// The planner without settings if that is in the list, else the first with settings.
static const char * find_planner(const standley_algorithm_t * algorithms, int32_t count, const char * planner)
{
  for (int32_t i = 0; i < count; ++i) {
    if (strcmp(algorithms[i].name, planner) == 0) {
      return algorithms[i].name;
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    if (strcmp(algorithms[i].planner, planner) == 0) {
      return algorithms[i].name;
    }
  }
  return NULL;
}

static void count_instance(const standley_row_t * hca, const standley_row_t * other, standley_comparison_t * comparison)
{
  FW_ASSERT(hca->instance == other->instance);
  const bool has_hca = bench_standley_is_solved(hca);
  const bool has_other = bench_standley_is_solved(other);
  ++comparison->count;
  comparison->unsolved += has_hca ? 0 : 1;
  comparison->unsolved_but_other += !has_hca && has_other ? 1 : 0;
  comparison->unsolved_by_both += !has_hca && !has_other ? 1 : 0;
  if (has_hca && has_other && hca->robots > STANDLEY_MANY_ROBOTS) {
    ++comparison->many;
    comparison->excess_other += (double)(other->sum_of_costs - other->alone);
    comparison->excess_hca += (double)(hca->sum_of_costs - hca->alone);
  }
}

// The first algorithms of the list whose planners are hca and `planner`. False if one is missing.
static bool compare_with_hca(const standley_rows_t * rows, const char * planner, standley_comparison_t * comparison)
{
  standley_algorithm_t algorithms[STANDLEY_ALGORITHMS_MAX];
  const int32_t count = bench_standley_algorithms(&rows->settings, algorithms);
  const char * hca = find_planner(algorithms, count, "hca");
  const char * other = find_planner(algorithms, count, planner);
  *comparison = (standley_comparison_t){0};
  if (hca == NULL || other == NULL) {
    return false;
  }
  const standley_row_t * last[2] = {NULL, NULL};  // rows are sorted by instance
  for (int32_t i = 0; i < rows->count; ++i) {
    const standley_row_t * row = &rows->rows[i];
    const int32_t side = is_of(row, hca, false) ? 0 : is_of(row, other, false) ? 1 : -1;
    if (side < 0) {
      continue;
    }
    last[side] = row;
    if (last[1 - side] != NULL && last[1 - side]->instance == row->instance) {
      count_instance(last[0], last[1], comparison);
    }
  }
  comparison->excess_other = comparison->many > 0 ? comparison->excess_other / comparison->many : NAN;
  comparison->excess_hca = comparison->many > 0 ? comparison->excess_hca / comparison->many : NAN;
  return true;
}

// ---- text -----------------------------------------------------------------------------------------------------------

// What Standley's paper gives in its text; the other curves of figure 6 have no numbers.
static const double paper_od_id_share = 0.9045;
static const double paper_hca_unsolved_share = 0.043;

// Whether a planner is one of the paper's algorithms, or ours beside them.
static const char * origin_of(const char * planner)
{
  static const char * const of_paper[] = {"standard", "od", "sid", "od_id", "hca"};
  for (int32_t i = 0; i < BENCH_COUNT(of_paper); ++i) {
    if (strcmp(planner, of_paper[i]) == 0) {
      return "paper";
    }
  }
  return "ours";
}

// The optimal planners that are compared with one order of hca: the paper's, then ours.
static const char * const compared_planners[] = {"od_id", "lazy_sat"};

static void print_comparison(const standley_rows_t * rows)
{
  for (int32_t i = 0; i < BENCH_COUNT(compared_planners); ++i) {
    const char * planner = compared_planners[i];
    const bool is_of_paper = strcmp(origin_of(planner), "paper") == 0;
    standley_comparison_t comparison;
    if (!compare_with_hca(rows, planner, &comparison) || comparison.count == 0) {
      continue;
    }
    printf(
      "hca finds no plan in %d of %d instances, %.1f %% (paper: %.1f %%); %s solves %d of those%s\n",
      comparison.unsolved, comparison.count, 100.0 * comparison.unsolved / comparison.count,
      100.0 * paper_hca_unsolved_share, planner, comparison.unsolved_but_other,
      is_of_paper ? " (paper: 361 of 430)" : "");
    printf(
      "cost over the sum of shortest paths, above %d robots (%d instances that both solve): %s %.1f, hca %.1f%s\n",
      STANDLEY_MANY_ROBOTS, comparison.many, planner, comparison.excess_other, comparison.excess_hca,
      is_of_paper ? " (paper: 4.4 and 12.8)" : "");
  }
}

static void print_groups(const standley_rows_t * rows, const char * algorithm)
{
  standley_group_figures_t figures[STANDLEY_ROBOTS_MAX];
  const int32_t count = group_figures_of(rows, algorithm, figures);
  if (count == 0) {
    return;
  }
  printf("largest groups solved alone, %g s, %s (robots: solved of all):", 2.0 * rows->settings.time_limit, algorithm);
  for (int32_t i = 0; i < count; ++i) {
    printf(" %d: %d of %d%s", figures[i].size, figures[i].solved, figures[i].count, i + 1 < count ? "," : "\n");
  }
}

static void print_text(const void * state)
{
  const standley_rows_t * rows = state;
  bench_host_t host;
  standley_algorithm_t algorithms[STANDLEY_ALGORITHMS_MAX];
  const int32_t count = bench_standley_algorithms(&rows->settings, algorithms);
  bench_host_read(&host);
  bench_host_print(&host);
  printf(
    "# 32x32, 20 %% blocked, %d to %d robots, seed %" PRId64 ", %" PRId64
    " instances, limit %g s; every plan checked\n",
    STANDLEY_ROBOTS_MIN, STANDLEY_ROBOTS_MAX, rows->settings.seed, rows->settings.instances, rows->settings.time_limit);
  printf(
    "# a diagonal needs %s\n", rows->settings.cuts_corners
                                 ? "only its end free, as in the paper (--cut-corners)"
                                 : "the cells beside it free; in the paper only its end (--cut-corners)");
  printf(
    "%-40s %-6s %9s %8s %8s %10s %10s %10s %10s %8s\n", "algorithm", "from", "instances", "solved", "share",
    "unsolvable", "median ms", "mean ms", "99 % ms", "group");
  for (int32_t i = 0; i < count; ++i) {
    standley_figures_t figures = figures_of(rows, algorithms[i].name);
    printf(
      "%-40s %-6s %9d %8d %7.2f%% %10d %10.2f %10.2f %10.2f ", figures.algorithm, origin_of(algorithms[i].planner),
      figures.count, figures.solved, figures.count > 0 ? 100.0 * figures.solved / figures.count : 0.0,
      figures.unsolvable, figures.median_ms, figures.mean_ms, figures.p99_ms);
    if (isnan(figures.mean_largest_group)) {
      printf("%8s\n", "-");
    } else {
      printf("%8.1f\n", figures.mean_largest_group);
    }
    fini_figures(&figures);
  }
  printf(
    "paper: od_id (OD+ID) solves %.2f %% in a second; its S, OD and S+ID (standard, od, od_id:operators=standard) are "
    "curves without numbers; lazy_sat is ours, SAT-based, and not in the paper\n",
    100.0 * paper_od_id_share);
  print_comparison(rows);
  for (int32_t i = 0; i < count; ++i) {
    print_groups(rows, algorithms[i].name);
  }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static double share_of(const standley_figures_t * figures)
{
  return figures->count > 0 ? (double)figures->solved / figures->count : NAN;
}

static void write_algorithm(cli_json_t * json, const standley_rows_t * rows, const standley_algorithm_t * which)
{
  const char * algorithm = which->name;
  standley_figures_t figures = figures_of(rows, algorithm);
  standley_group_figures_t groups[STANDLEY_ROBOTS_MAX];
  const int32_t sizes = group_figures_of(rows, algorithm, groups);
  cli_json_open(json, algorithm, '{');
  cli_json_text(json, "origin", origin_of(which->planner));
  cli_json_integer(json, "instances", figures.count);
  cli_json_integer(json, "solved", figures.solved);
  cli_json_integer(json, "unsolvable", figures.unsolvable);
  cli_json_number(json, "solved_share", share_of(&figures));
  cli_json_number(json, "median_ms", figures.median_ms);
  cli_json_number(json, "mean_ms", figures.mean_ms);
  cli_json_number(json, "p99_ms", figures.p99_ms);
  cli_json_number(json, "mean_largest_group", figures.mean_largest_group);
  cli_json_open(json, "solved_ms", '[');
  for (int32_t i = 0; i < figures.solved; ++i) {
    cli_json_number(json, NULL, figures.solved_ms[i]);
  }
  cli_json_close(json, ']');
  cli_json_open(json, "largest_groups", '[');
  for (int32_t i = 0; i < sizes; ++i) {
    cli_json_open(json, NULL, '{');
    cli_json_integer(json, "robots", groups[i].size);
    cli_json_integer(json, "instances", groups[i].count);
    cli_json_integer(json, "solved", groups[i].solved);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  cli_json_close(json, '}');
  fini_figures(&figures);
}

static void write_comparison(cli_json_t * json, const standley_rows_t * rows, const char * planner)
{
  standley_comparison_t comparison;
  char beside[64], solved[64], excess[64];
  if (!compare_with_hca(rows, planner, &comparison)) {
    return;
  }
  snprintf(beside, sizeof(beside), "hca_beside_%s", planner);
  snprintf(solved, sizeof(solved), "hca_unsolved_%s_solved", planner);
  snprintf(excess, sizeof(excess), "%s_excess", planner);
  cli_json_open(json, beside, '{');
  cli_json_integer(json, "instances", comparison.count);
  cli_json_integer(json, "hca_unsolved", comparison.unsolved);
  cli_json_number(
    json, "hca_unsolved_share", comparison.count > 0 ? (double)comparison.unsolved / comparison.count : NAN);
  cli_json_integer(json, solved, comparison.unsolved_but_other);
  cli_json_integer(json, "both_unsolved", comparison.unsolved_by_both);
  cli_json_integer(json, "above_40_robots", comparison.many);
  cli_json_number(json, excess, comparison.excess_other);
  cli_json_number(json, "hca_excess", comparison.excess_hca);
  cli_json_close(json, '}');
}

static void print_json(const void * state)
{
  const standley_rows_t * rows = state;
  bench_host_t host;
  standley_algorithm_t algorithms[STANDLEY_ALGORITHMS_MAX];
  const int32_t count = bench_standley_algorithms(&rows->settings, algorithms);
  cli_json_t json = {.stream = stdout};
  bench_host_read(&host);
  cli_json_open(&json, NULL, '{');
  bench_host_write(&host, &json);
  cli_json_integer(&json, "seed", rows->settings.seed);
  cli_json_integer(&json, "instances", rows->settings.instances);
  cli_json_number(&json, "time_limit", rows->settings.time_limit);
  cli_json_boolean(&json, "cuts_corners", rows->settings.cuts_corners);
  for (int32_t which = 0; which < 2; ++which) {
    cli_json_open(&json, which == 0 ? "solved_share" : "median_ms", '{');
    for (int32_t i = 0; i < count; ++i) {
      standley_figures_t figures = figures_of(rows, algorithms[i].name);
      cli_json_number(&json, algorithms[i].name, which == 0 ? share_of(&figures) : figures.median_ms);
      fini_figures(&figures);
    }
    cli_json_close(&json, '}');
  }
  cli_json_open(&json, "algorithms", '{');
  for (int32_t i = 0; i < count; ++i) {
    write_algorithm(&json, rows, &algorithms[i]);
  }
  cli_json_close(&json, '}');
  for (int32_t i = 0; i < BENCH_COUNT(compared_planners); ++i) {
    write_comparison(&json, rows, compared_planners[i]);
  }
  cli_json_close(&json, '}');
  putchar('\n');
}

int bench_standley_report(const standley_rows_t * rows, const bench_output_t * output)
{
  return bench_output_write(output, &(bench_report_t){rows, print_text, print_json, .write_csv = NULL});
}
