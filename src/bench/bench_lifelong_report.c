// The figures of a fleet that never ends, in words, as JSON and as CSV.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_lifelong.h"
#include "cli/json.h"

typedef struct spread_t {
  double median;
  double p99;
  double most;
} spread_t;

// Of `count` numbers, which are left as they are. All NaN-free and 0 when there is no memory for a copy.
static spread_t spread_of(const double * values, int32_t count)
{
  double * sorted = malloc((size_t)count * sizeof(*sorted));
  if (sorted == NULL) {
    return (spread_t){0};
  }
  memcpy(sorted, values, (size_t)count * sizeof(*sorted));
  const spread_t spread = {
    .median = cli_median(sorted, count),
    .p99 = cli_percentile(sorted, count, 0.99),
    .most = cli_percentile(sorted, count, 1.0),
  };
  free(sorted);
  return spread;
}

static double mean_of(const int64_t * values, int32_t count)
{
  double sum = 0.0;
  for (int32_t i = 0; i < count; ++i) {
    sum += (double)values[i];
  }
  return count > 0 ? sum / count : 0.0;
}

cli_life_figures_t cli_life_figures(const cli_life_t * life)
{
  const int32_t ticks = life->ticks;
  const spread_t rounds = spread_of(life->round_ms, ticks);
  double * counts = malloc((size_t)ticks * sizeof(*counts));
  for (int32_t t = 0; counts != NULL && t < ticks; ++t) {
    counts[t] = (double)life->searches[t];
  }
  const spread_t searches = counts != NULL ? spread_of(counts, ticks) : (spread_t){0};
  free(counts);
  return (cli_life_figures_t){
    .goals_per_1000_ticks = (double)life->goals * 1000.0 / ticks,
    .round_ms = {rounds.median, rounds.p99, rounds.most},
    .searches = {mean_of(life->searches, ticks), searches.p99, searches.most},
    .expanded = ticks > 1 ? mean_of(life->expanded + 1, ticks - 1) : 0.0,
    .memory_mb = (double)life->memory.peak_bytes / 1e6,
  };
}

void cli_life_print_words(const cli_life_t * life, const cli_life_options_t * options, const char * map_name)
{
  const cli_life_figures_t figures = cli_life_figures(life);
  const fw_window_counts_t * counts = &life->window.counts;
  cli_host_t host;
  cli_host_read(&host);
  cli_host_print(&host);
  printf(
    "# %s, %d robots, window %" PRId64 ", %d ticks, seed %" PRId64, map_name, life->problem.robot_count,
    options->window, life->ticks, options->seed);
  if (options->goals_every > 0) {
    printf(", a new goal every %" PRId64 " ticks", options->goals_every);
  }
  if (life->problem.closure_count > 0) {
    printf(", %d closures", life->problem.closure_count);
  }
  printf("; what was driven passed the check\n");
  printf(
    "goals per 1,000 ticks  %.0f reached, %.0f given\n", figures.goals_per_1000_ticks,
    (double)life->changes * 1000.0 / life->ticks);
  printf(
    "ms per round           median %.2f, 99th percentile %.2f, worst %.2f\n", figures.round_ms[0], figures.round_ms[1],
    figures.round_ms[2]);
  printf(
    "searches per tick      mean %.1f, 99th percentile %.0f, most %.0f\n", figures.searches[0], figures.searches[1],
    figures.searches[2]);
  printf("memory                 %.1f MB\n", figures.memory_mb);
  printf(
    "expanded %" PRId64 ", overridden %" PRId64 ", rollbacks %" PRId64 ", second chances %" PRId64
    ", fleet stops %" PRId64 "\n",
    life->meter.expanded, counts->overridden, counts->rollbacks, counts->promotions, counts->stops);
}

void cli_life_print_json(const cli_life_t * life, const cli_life_options_t * options, const char * map_name)
{
  const cli_life_figures_t figures = cli_life_figures(life);
  const fw_window_counts_t * counts = &life->window.counts;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "map", map_name);
  cli_json_integer(&json, "robots", life->problem.robot_count);
  cli_json_integer(&json, "window", options->window);
  cli_json_integer(&json, "ticks", life->ticks);
  cli_json_integer(&json, "goals_every", options->goals_every);
  cli_json_integer(&json, "closures", life->problem.closure_count);
  cli_json_integer(&json, "goals", life->goals);
  cli_json_integer(&json, "goals_given", life->changes);
  cli_json_number(&json, "goals_per_1000_ticks", figures.goals_per_1000_ticks);
  cli_json_number(&json, "round_ms_median", figures.round_ms[0]);
  cli_json_number(&json, "round_ms_p99", figures.round_ms[1]);
  cli_json_number(&json, "round_ms_worst", figures.round_ms[2]);
  cli_json_number(&json, "searches_per_tick", figures.searches[0]);
  cli_json_number(&json, "searches_per_tick_most", figures.searches[2]);
  cli_json_number(&json, "memory_peak_mb", figures.memory_mb);
  cli_json_integer(&json, "expanded", life->meter.expanded);
  cli_json_integer(&json, "overridden", counts->overridden);
  cli_json_integer(&json, "rollbacks", counts->rollbacks);
  cli_json_integer(&json, "second_chances", counts->promotions);
  cli_json_integer(&json, "fleet_stops", counts->stops);
  cli_json_close(&json, '}');
  putchar('\n');
}

void cli_life_write_csv(const cli_life_t * life, FILE * stream)
{
  fputs("tick,round_ms,searches,expanded,goals_reached\n", stream);
  for (int32_t t = 0; t < life->ticks; ++t) {
    fprintf(
      stream, "%d,%.6f,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", t, life->round_ms[t], life->searches[t],
      life->expanded[t], life->reached[t]);
  }
}
