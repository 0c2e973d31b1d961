// How figures grow with the robots: the slope of a line through their logarithms.

#include <math.h>

#include "bench/bench_scaling.h"

// Sums for a line through points, by least squares.
typedef struct line_t {
  int32_t count;
  double x, y, xx, xy;
} line_t;

// A point that has no logarithm is no point.
static void add_point(line_t * line, double robots, double value)
{
  if (robots > 0.0 && value > 0.0 && isfinite(value)) {
    const double x = log(robots);
    const double y = log(value);
    ++line->count;
    line->x += x;
    line->y += y;
    line->xx += x * x;
    line->xy += x * y;
  }
}

static double slope_of(const line_t * line)
{
  const double spread = line->count * line->xx - line->x * line->x;
  return line->count >= 2 && spread > 1e-9 ? (line->count * line->xy - line->x * line->y) / spread : NAN;
}

cli_scaling_figures_t cli_scaling_figures(const cli_scaling_row_t * row)
{
  double times[CLI_BENCH_REPEAT_MAX];
  cli_scaling_figures_t figures = {.is_solved = row->run_count > 0, .end = "solved"};
  for (int32_t i = row->run_count - 1; i >= 0; --i) {
    const cli_scaling_run_t * run = &row->runs[i];
    const fw_stats_t * stats = &run->solve.stats;
    const bool is_life = run->is_life;
    if (run->solve.has_failed || run->solve.outcome != FW_OUTCOME_SOLVED) {
      figures.is_solved = false;
      snprintf(
        figures.end, sizeof(figures.end), "%s, %s",
        run->solve.has_failed ? "failed" : fw_outcome_name(run->solve.outcome), fw_stop_name(run->solve.stop));
    }
    times[i] = is_life ? run->life.round_ms[0] : (double)stats->elapsed_ns / 1e6;
    figures.expanded = is_life ? run->life.expanded : (double)stats->expanded;
    figures.memory_mb = is_life ? run->life.memory_mb : (double)stats->memory_peak_bytes / 1e6;
    figures.steps = is_life ? 0.0 : (double)stats->lower_bound;
    figures.cost = (double)stats->sum_of_costs;
    figures.life = run->life;
  }
  figures.ms = cli_median(times, row->run_count);
  return figures;
}

cli_scaling_fit_t cli_scaling_fit(const cli_scaling_report_t * report, int32_t planner)
{
  line_t time = {0}, time_per_step = {0}, expanded = {0}, memory = {0}, path = {0};
  cli_scaling_fit_t fit = {0};
  for (int32_t i = planner; i < report->row_count; i += report->planner_count) {
    const cli_scaling_figures_t figures = cli_scaling_figures(&report->rows[i]);
    const double robots = report->rows[i].robot_count;
    if (!figures.is_solved) {
      continue;
    }
    ++fit.row_count;
    add_point(&time, robots, figures.ms);
    add_point(&time_per_step, robots, figures.ms / figures.steps);
    add_point(&expanded, robots, figures.expanded);
    add_point(&memory, robots, figures.memory_mb);
    add_point(&path, robots, figures.steps / robots);
  }
  fit.time = slope_of(&time);
  fit.time_per_step = slope_of(&time_per_step);
  fit.expanded = slope_of(&expanded);
  fit.memory = slope_of(&memory);
  fit.path = slope_of(&path);
  return fit;
}
