// The figures of `bench mapf` as a table, as JSON and as CSV.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/bench_mapf.h"
#include "cli/json.h"

// A row in short: costs are those of the best solved run (all are equal unless a deadline cut them), times of all runs.
typedef struct summary_t {
  int32_t solved_count;
  fw_stats_t best;
  fw_cost_t lower_bound;
  double min_ms;
  double median_ms;
  double first_ms;   // median, of solved runs
  double memory_mb;  // largest
  char end[48];      // "solved", or how the first unsolved run ended
} summary_t;

static double ms(int64_t ns) { return (double)ns / 1e6; }

static void summarise(const cli_mapf_row_t * row, summary_t * summary)
{
  double times[CLI_BENCH_REPEAT_MAX];
  double firsts[CLI_BENCH_REPEAT_MAX];
  int32_t time_count = 0;
  *summary = (summary_t){.min_ms = NAN, .end = "solved"};
  for (int32_t i = row->run_count - 1; i >= 0; i--) {
    const cli_mapf_run_t * run = &row->runs[i];
    const fw_stats_t * stats = &run->stats;
    if (run->has_failed) {
      snprintf(summary->end, sizeof(summary->end), "failed");
      continue;
    }
    times[time_count++] = ms(stats->elapsed_ns);
    summary->lower_bound = stats->lower_bound > summary->lower_bound ? stats->lower_bound : summary->lower_bound;
    summary->memory_mb = fmax(summary->memory_mb, (double)stats->memory_peak_bytes / 1e6);
    if (run->outcome != FW_OUTCOME_SOLVED) {
      snprintf(summary->end, sizeof(summary->end), "%s, %s", fw_outcome_name(run->outcome), fw_stop_name(run->stop));
      continue;
    }
    firsts[summary->solved_count] = ms(stats->first_plan_ns);
    if (summary->solved_count++ == 0 || stats->sum_of_costs < summary->best.sum_of_costs) {
      summary->best = *stats;
    }
  }
  summary->median_ms = cli_median(times, time_count);
  summary->min_ms = time_count > 0 ? times[0] : NAN;
  summary->first_ms = cli_median(firsts, summary->solved_count);
}

// Time in terms of the first planner's with the same robots, in the same run.
static double ratio(const cli_mapf_report_t * report, int32_t row, double median_ms)
{
  summary_t first;
  summarise(&report->rows[row - row % report->planner_count], &first);
  return first.median_ms > 0.0 ? median_ms / first.median_ms : NAN;
}

void cli_mapf_print_table(const cli_mapf_report_t * report)
{
  cli_host_print(&report->host);
  printf(
    "# %s, %s%s%s%s%s, seed %" PRId64 ", %" PRId64 " threads, limit %g s, %d runs each; every plan checked\n",
    report->map_name, report->scen_name != NULL ? report->scen_name : "random robots",
    report->closures_name != NULL ? ", closures " : "", report->closures_name != NULL ? report->closures_name : "",
    report->fleet_name != NULL ? ", fleet " : "", report->fleet_name != NULL ? report->fleet_name : "", report->seed,
    report->threads, report->time_limit, report->repeat);
  printf(
    "%-12s %6s %8s %10s %10s %9s %12s %10s %10s %10s %9s %8s  %s\n", "planner", "robots", "solved", "cost", "bound",
    "makespan", "expanded", "min ms", "median ms", "first ms", "MB", "time x", "end");
  for (int32_t i = 0; i < report->row_count; i++) {
    const cli_mapf_row_t * row = &report->rows[i];
    summary_t summary;
    summarise(row, &summary);
    if (row->run_count == 0) {
      continue;  // interrupted before its turn
    }
    char share[24];
    snprintf(share, sizeof(share), "%d/%d", summary.solved_count, row->run_count);
    printf("%-12s %6d %8s ", row->planner, row->robot_count, share);
    if (summary.solved_count > 0) {
      printf(
        "%10" PRId64 " %10" PRId64 " %9d %12" PRId64 " ", summary.best.sum_of_costs, summary.lower_bound,
        summary.best.makespan, summary.best.expanded);
    } else {
      printf("%10s %10" PRId64 " %9s %12" PRId64 " ", "-", summary.lower_bound, "-", row->runs[0].stats.expanded);
    }
    printf("%10.1f %10.1f ", summary.min_ms, summary.median_ms);
    if (summary.solved_count > 0) {
      printf("%10.1f ", summary.first_ms);
    } else {
      printf("%10s ", "-");
    }
    printf("%9.1f %8.2f  %s\n", summary.memory_mb, ratio(report, i, summary.median_ms), summary.end);
  }
}

static void write_row(cli_json_t * json, const cli_mapf_report_t * report, int32_t index)
{
  const cli_mapf_row_t * row = &report->rows[index];
  summary_t summary;
  summarise(row, &summary);
  const bool is_solved = summary.solved_count > 0;
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "planner", row->planner);
  cli_json_integer(json, "robots", row->robot_count);
  cli_json_integer(json, "runs", row->run_count);
  cli_json_integer(json, "solved", summary.solved_count);
  cli_json_text(json, "end", summary.end);
  if (is_solved) {
    cli_json_integer(json, "sum_of_costs", summary.best.sum_of_costs);
    cli_json_integer(json, "makespan", summary.best.makespan);
    cli_json_integer(json, "expanded", summary.best.expanded);
  }
  cli_json_integer(json, "lower_bound", summary.lower_bound);
  cli_json_number(json, "min_ms", summary.min_ms);
  cli_json_number(json, "median_ms", summary.median_ms);
  cli_json_number(json, "first_plan_ms", is_solved ? summary.first_ms : NAN);
  cli_json_number(json, "memory_peak_mb", summary.memory_mb);
  cli_json_number(json, "time_ratio", ratio(report, index, summary.median_ms));
  cli_json_close(json, '}');
}

void cli_mapf_print_json(const cli_mapf_report_t * report)
{
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_host_write(&report->host, &json);
  cli_json_text(&json, "map", report->map_name);
  cli_json_text(&json, "scen", report->scen_name);
  cli_json_text(&json, "closures", report->closures_name);
  cli_json_text(&json, "fleet", report->fleet_name);
  cli_json_integer(&json, "seed", report->seed);
  cli_json_integer(&json, "threads", report->threads);
  cli_json_number(&json, "time_limit", report->time_limit);
  cli_json_open(&json, "rows", '[');
  for (int32_t i = 0; i < report->row_count; i++) {
    if (report->rows[i].run_count > 0) {
      write_row(&json, report, i);
    }
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

void cli_mapf_write_csv_header(FILE * stream)
{
  fputs(
    "map,scen,planner,robots,run,seed,threads,outcome,stop,sum_of_costs,lower_bound,makespan,expanded,elapsed_ms,"
    "first_plan_ms,memory_peak_bytes,date,cpu,cores\n",
    stream);
}

// Quoted, since the line of a map maker has commas.
static void write_quoted(FILE * stream, const char * text)
{
  fputc('"', stream);
  for (const char * c = text; *c != '\0'; c++) {
    if (*c == '"') {
      fputc('"', stream);
    }
    fputc(*c, stream);
  }
  fputc('"', stream);
}

void cli_mapf_write_csv_run(
  FILE * stream, const cli_mapf_report_t * report, const cli_mapf_row_t * row, int32_t run_index)
{
  const cli_mapf_run_t * run = &row->runs[run_index];
  const fw_stats_t * stats = &run->stats;
  write_quoted(stream, report->map_name);
  fputc(',', stream);
  write_quoted(stream, report->scen_name != NULL ? report->scen_name : "");
  fprintf(
    stream, ",%s,%d,%d,%" PRId64 ",%" PRId64 ",%s,%s", row->planner, row->robot_count, run_index, report->seed,
    report->threads, run->has_failed ? "failed" : fw_outcome_name(run->outcome), fw_stop_name(run->stop));
  fprintf(
    stream, ",%" PRId64 ",%" PRId64 ",%d,%" PRId64 ",%.6f,%.6f,%zu,%s,", stats->sum_of_costs, stats->lower_bound,
    stats->makespan, stats->expanded, ms(stats->elapsed_ns), ms(stats->first_plan_ns), stats->memory_peak_bytes,
    report->host.date);
  write_quoted(stream, report->host.cpu);
  fprintf(stream, ",%ld\n", report->host.cores);
}
