// The figures of `bench standley` as words and as JSON.

#include <inttypes.h>
#include <math.h>

#include "bench/bench_standley.h"
#include "cli/json.h"
#include "cli/output.h"

// What Standley's paper gives in its text; the other curves of figure 6 have no numbers.
static const double paper_od_id_share = 0.9045;
static const double paper_hca_unsolved_share = 0.043;

static void print_orders(const cli_standley_rows_t * rows)
{
  cli_standley_orders_t orders;
  if (!cli_standley_orders(rows, &orders) || orders.count == 0) {
    return;
  }
  printf(
    "hca finds no plan in %d of %d instances, %.1f %% (paper: %.1f %%); od_id solves %d of those (paper: 361 of 430)\n",
    orders.unsolved, orders.count, 100.0 * orders.unsolved / orders.count, 100.0 * paper_hca_unsolved_share,
    orders.unsolved_but_od);
  printf(
    "over the sum of shortest ways, above %d robots (%d instances that both solve): od_id %.1f, hca %.1f (paper: 4.4 "
    "and "
    "12.8)\n",
    CLI_STANDLEY_MANY_ROBOTS, orders.many, orders.excess_od, orders.excess_hca);
}

static void print_groups(const cli_standley_rows_t * rows, const char * algorithm)
{
  cli_standley_group_figures_t figures[CLI_STANDLEY_ROBOTS_MAX];
  const int32_t count = cli_standley_group_figures(rows, algorithm, figures);
  if (count == 0) {
    return;
  }
  printf("largest groups alone, %g s, %s (robots: solved of all):", 2.0 * rows->settings.time_limit, algorithm);
  for (int32_t i = 0; i < count; ++i) {
    printf(" %d: %d of %d%s", figures[i].size, figures[i].solved, figures[i].count, i + 1 < count ? "," : "\n");
  }
}

void cli_standley_print_words(const cli_standley_rows_t * rows)
{
  cli_host_t host;
  cli_standley_algorithm_t algorithms[CLI_STANDLEY_ALGORITHMS_MAX];
  const int32_t count = cli_standley_algorithms(&rows->settings, algorithms);
  cli_host_read(&host);
  cli_host_print(&host);
  printf(
    "# 32x32, 20 %% blocked, %d to %d robots, seed %" PRId64 ", %" PRId64
    " instances, limit %g s; every plan checked\n",
    CLI_STANDLEY_ROBOTS_MIN, CLI_STANDLEY_ROBOTS_MAX, rows->settings.seed, rows->settings.instances,
    rows->settings.time_limit);
  printf(
    "# a diagonal needs %s\n", rows->settings.cuts_corners
                                 ? "only its end free, as in the paper (--cut-corners)"
                                 : "the cells beside it free; in the paper only its end (--cut-corners)");
  printf(
    "%-40s %9s %8s %8s %10s %10s %10s %10s %8s\n", "algorithm", "instances", "solved", "share", "unsolvable",
    "median ms", "mean ms", "99 % ms", "group");
  for (int32_t i = 0; i < count; ++i) {
    cli_standley_figures_t figures = cli_standley_figures(rows, algorithms[i].name);
    printf(
      "%-40s %9d %8d %7.2f%% %10d %10.2f %10.2f %10.2f ", figures.algorithm, figures.count, figures.solved,
      figures.count > 0 ? 100.0 * figures.solved / figures.count : 0.0, figures.unsolvable, figures.median_ms,
      figures.mean_ms, figures.p99_ms);
    if (isnan(figures.mean_largest_group)) {
      printf("%8s\n", "-");
    } else {
      printf("%8.1f\n", figures.mean_largest_group);
    }
    cli_standley_figures_fini(&figures);
  }
  printf("paper: od_id solves %.2f %% in a second\n", 100.0 * paper_od_id_share);
  print_orders(rows);
  for (int32_t i = 0; i < count; ++i) {
    print_groups(rows, algorithms[i].name);
  }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static double share_of(const cli_standley_figures_t * figures)
{
  return figures->count > 0 ? (double)figures->solved / figures->count : NAN;
}

static void write_algorithm(cli_json_t * json, const cli_standley_rows_t * rows, const char * algorithm)
{
  cli_standley_figures_t figures = cli_standley_figures(rows, algorithm);
  cli_standley_group_figures_t groups[CLI_STANDLEY_ROBOTS_MAX];
  const int32_t sizes = cli_standley_group_figures(rows, algorithm, groups);
  cli_json_open(json, algorithm, '{');
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
  cli_standley_figures_fini(&figures);
}

static void write_orders(cli_json_t * json, const cli_standley_rows_t * rows)
{
  cli_standley_orders_t orders;
  if (!cli_standley_orders(rows, &orders)) {
    return;
  }
  cli_json_open(json, "hca_beside_od_id", '{');
  cli_json_integer(json, "instances", orders.count);
  cli_json_integer(json, "hca_unsolved", orders.unsolved);
  cli_json_number(json, "hca_unsolved_share", orders.count > 0 ? (double)orders.unsolved / orders.count : NAN);
  cli_json_integer(json, "hca_unsolved_od_id_solved", orders.unsolved_but_od);
  cli_json_integer(json, "both_unsolved", orders.unsolved_by_both);
  cli_json_integer(json, "above_40_robots", orders.many);
  cli_json_number(json, "od_id_excess", orders.excess_od);
  cli_json_number(json, "hca_excess", orders.excess_hca);
  cli_json_close(json, '}');
}

void cli_standley_print_json(const cli_standley_rows_t * rows)
{
  cli_host_t host;
  cli_standley_algorithm_t algorithms[CLI_STANDLEY_ALGORITHMS_MAX];
  const int32_t count = cli_standley_algorithms(&rows->settings, algorithms);
  cli_json_t json = {.stream = stdout};
  cli_host_read(&host);
  cli_json_open(&json, NULL, '{');
  cli_host_write(&host, &json);
  cli_json_integer(&json, "seed", rows->settings.seed);
  cli_json_integer(&json, "instances", rows->settings.instances);
  cli_json_number(&json, "time_limit", rows->settings.time_limit);
  cli_json_boolean(&json, "cuts_corners", rows->settings.cuts_corners);
  for (int32_t which = 0; which < 2; ++which) {
    cli_json_open(&json, which == 0 ? "solved_share" : "median_ms", '{');
    for (int32_t i = 0; i < count; ++i) {
      cli_standley_figures_t figures = cli_standley_figures(rows, algorithms[i].name);
      cli_json_number(&json, algorithms[i].name, which == 0 ? share_of(&figures) : figures.median_ms);
      cli_standley_figures_fini(&figures);
    }
    cli_json_close(&json, '}');
  }
  cli_json_open(&json, "algorithms", '{');
  for (int32_t i = 0; i < count; ++i) {
    write_algorithm(&json, rows, algorithms[i].name);
  }
  cli_json_close(&json, '}');
  write_orders(&json, rows);
  cli_json_close(&json, '}');
  putchar('\n');
}

int cli_standley_tell(const cli_standley_rows_t * rows, const cli_standley_output_t * output)
{
  if (output->is_json) {
    cli_standley_print_json(rows);
  } else {
    cli_standley_print_words(rows);
  }
  if (output->svg == NULL) {
    return CLI_SOLVED;
  }
  cli_output_t svg = {0};
  if (!cli_output_open(&svg, output->svg)) {
    return CLI_FAILURE;
  }
  cli_standley_write_svg(rows, svg.stream);
  return cli_output_commit(&svg) ? CLI_SOLVED : CLI_FAILURE;
}
