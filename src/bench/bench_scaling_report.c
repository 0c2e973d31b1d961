// The figures of `bench scaling` as a table with a sentence for each planner, as JSON and as CSV.

#include <inttypes.h>
#include <math.h>

#include "bench/bench_scaling.h"
#include "cli/json.h"

// ---- words ----------------------------------------------------------------------------------------------------------

static void print_head(const cli_scaling_report_t * report)
{
  cli_host_print(&report->host);
  printf(
    "# %s, %g robots per 100 free cells, seed %" PRId64, report->world.kind, report->world.density, report->world.seed);
  if (report->world.reach > 0) {
    printf(", goals within %" PRId64 " moves", report->world.reach);
  }
  if (report->life != NULL) {
    printf(
      ", window %" PRId64 ", %" PRId64 " ticks, %d runs each; what was driven passed the check\n", report->life->window,
      report->life->ticks, report->repeat);
    printf(
      "%-12s %6s %6s %10s %9s %9s %10s %10s %10s %9s %9s  %s\n", "planner", "robots", "side", "median ms", "99 % ms",
      "worst ms", "us/robot", "searches", "expanded", "MB", "goals", "end");
  } else {
    printf(", limit %g s, %d runs each; every plan checked\n", report->solve->time_limit, report->repeat);
    printf(
      "%-12s %6s %6s %8s %10s %10s %10s %12s %9s %10s  %s\n", "planner", "robots", "side", "way", "median ms",
      "ms/robot", "us/step", "expanded", "MB", "cost/bound", "end");
  }
}

static int side_of(const cli_scaling_row_t * row)
{
  int side = 0;
  return sscanf(row->map, "%*[^:]:%d", &side) == 1 ? side : 0;
}

static void print_row(const cli_scaling_row_t * row, bool is_life)
{
  const cli_scaling_figures_t figures = cli_scaling_figures(row);
  const double robots = row->robot_count;
  printf("%-12s %6d %6d ", row->planner, row->robot_count, side_of(row));
  if (is_life) {
    printf(
      "%10.2f %9.2f %9.2f %10.2f %10.1f %10.0f %9.1f %9.0f  %s\n", figures.ms, figures.life.round_ms[1],
      figures.life.round_ms[2], figures.ms * 1000.0 / robots, figures.life.searches[0], figures.expanded,
      figures.memory_mb, figures.life.goals_per_1000_ticks, figures.end);
  } else {
    printf(
      "%8.1f %10.1f %10.3f %10.2f %12.0f %9.1f ", figures.steps / robots, figures.ms, figures.ms / robots,
      figures.ms * 1000.0 / figures.steps, figures.expanded, figures.memory_mb);
    if (figures.is_solved) {
      printf("%10.3f  %s\n", figures.cost / figures.steps, figures.end);
    } else {
      printf("%10s  %s\n", "-", figures.end);
    }
  }
}

static void print_fit(const cli_scaling_report_t * report, int32_t planner)
{
  const cli_scaling_fit_t fit = cli_scaling_fit(report, planner);
  const char * name = report->rows[planner].planner;
  if (isnan(fit.time)) {
    printf("%s: fewer than two numbers of robots were solved, there is nothing to fit\n", name);
    return;
  }
  printf(
    "%s, %d numbers of robots: %s grows with robots^%.2f, expanded nodes%s with robots^%.2f, memory with robots^%.2f",
    name, fit.row_count, report->life != NULL ? "the time of a round" : "time", fit.time,
    report->life != NULL ? " per round" : "", fit.expanded, fit.memory);
  if (!isnan(fit.path)) {
    printf("; a robot's way with robots^%.2f, time per robot-step with robots^%.2f", fit.path, fit.time_per_step);
  }
  putchar('\n');
}

void cli_scaling_print_words(const cli_scaling_report_t * report)
{
  print_head(report);
  for (int32_t i = 0; i < report->row_count; ++i) {
    if (report->rows[i].run_count > 0) {  // else interrupted before its turn
      print_row(&report->rows[i], report->life != NULL);
    }
  }
  for (int32_t planner = 0; planner < report->planner_count; ++planner) {
    print_fit(report, planner);
  }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void write_row(cli_json_t * json, const cli_scaling_row_t * row, bool is_life)
{
  const cli_scaling_figures_t figures = cli_scaling_figures(row);
  const double robots = row->robot_count;
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "planner", row->planner);
  cli_json_integer(json, "robots", row->robot_count);
  cli_json_text(json, "map", row->map);
  cli_json_integer(json, "free_cells", row->free_count);
  cli_json_integer(json, "runs", row->run_count);
  cli_json_boolean(json, "solved", figures.is_solved);
  cli_json_text(json, "end", figures.end);
  cli_json_number(json, is_life ? "round_ms_median" : "median_ms", figures.ms);
  cli_json_number(json, is_life ? "expanded_per_round" : "expanded", figures.expanded);
  cli_json_number(json, "memory_peak_mb", figures.memory_mb);
  if (is_life) {
    cli_json_number(json, "round_ms_p99", figures.life.round_ms[1]);
    cli_json_number(json, "round_ms_worst", figures.life.round_ms[2]);
    cli_json_number(json, "searches_per_tick", figures.life.searches[0]);
    cli_json_number(json, "goals_per_1000_ticks", figures.life.goals_per_1000_ticks);
  } else {
    cli_json_number(json, "ms_per_robot", figures.ms / robots);
    cli_json_number(json, "us_per_step", figures.ms * 1000.0 / figures.steps);
    cli_json_number(json, "mean_way", figures.steps / robots);
    cli_json_integer(json, "lower_bound", (int64_t)figures.steps);
    cli_json_number(json, "sum_of_costs", figures.is_solved ? figures.cost : NAN);
    cli_json_number(json, "cost_over_bound", figures.is_solved ? figures.cost / figures.steps : NAN);
  }
  cli_json_close(json, '}');
}

static void write_fit(cli_json_t * json, const cli_scaling_report_t * report, int32_t planner)
{
  const cli_scaling_fit_t fit = cli_scaling_fit(report, planner);
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "planner", report->rows[planner].planner);
  cli_json_integer(json, "rows", fit.row_count);
  cli_json_number(json, "time", fit.time);
  cli_json_number(json, "time_per_step", fit.time_per_step);
  cli_json_number(json, "expanded", fit.expanded);
  cli_json_number(json, "memory", fit.memory);
  cli_json_number(json, "way", fit.path);
  cli_json_close(json, '}');
}

void cli_scaling_print_json(const cli_scaling_report_t * report)
{
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_host_write(&report->host, &json);
  cli_json_text(&json, "kind", report->world.kind);
  cli_json_number(&json, "density", report->world.density);
  cli_json_integer(&json, "reach", report->world.reach);
  cli_json_integer(&json, "seed", report->world.seed);
  cli_json_number(&json, "time_limit", report->solve->time_limit);
  cli_json_boolean(&json, "lifelong", report->life != NULL);
  cli_json_open(&json, "rows", '[');
  for (int32_t i = 0; i < report->row_count; ++i) {
    if (report->rows[i].run_count > 0) {
      write_row(&json, &report->rows[i], report->life != NULL);
    }
  }
  cli_json_close(&json, ']');
  cli_json_open(&json, "exponents", '[');
  for (int32_t planner = 0; planner < report->planner_count; ++planner) {
    write_fit(&json, report, planner);
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

static void write_life(FILE * stream, const cli_scaling_run_t * run)
{
  const cli_life_figures_t * life = &run->life;
  fprintf(
    stream, ",%s,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", run->solve.has_failed ? "failed" : "done", life->round_ms[0],
    life->round_ms[1], life->round_ms[2], life->searches[0], run->life.expanded, life->memory_mb,
    life->goals_per_1000_ticks);
}

static void write_solve(FILE * stream, const cli_mapf_run_t * run)
{
  const fw_stats_t * stats = &run->stats;
  fprintf(
    stream, ",%s,%s,%.6f,%" PRId64 ",%zu,%" PRId64 ",%" PRId64 ",%d\n",
    run->has_failed ? "failed" : fw_outcome_name(run->outcome), fw_stop_name(run->stop),
    (double)stats->elapsed_ns / 1e6, stats->expanded, stats->memory_peak_bytes, stats->sum_of_costs, stats->lower_bound,
    stats->makespan);
}

void cli_scaling_write_csv(const cli_scaling_report_t * report, FILE * stream)
{
  fputs("planner,robots,map,free_cells,run,outcome,", stream);
  fputs(
    report->life != NULL
      ? "round_ms_median,round_ms_p99,round_ms_worst,searches_per_tick,expanded_per_round,memory_peak_mb,"
        "goals_per_1000_ticks\n"
      : "stop,elapsed_ms,expanded,memory_peak_bytes,sum_of_costs,lower_bound,makespan\n",
    stream);
  for (int32_t i = 0; i < report->row_count; ++i) {
    const cli_scaling_row_t * row = &report->rows[i];
    for (int32_t run = 0; run < row->run_count; ++run) {
      fprintf(stream, "%s,%d,\"%s\",%d,%d", row->planner, row->robot_count, row->map, row->free_count, run);
      if (report->life != NULL) {
        write_life(stream, &row->runs[run]);
      } else {
        write_solve(stream, &row->runs[run].solve);
      }
    }
  }
}
