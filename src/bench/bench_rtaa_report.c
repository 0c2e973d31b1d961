// The figures of `bench rtaa` in words, as JSON and as CSV.

#include <inttypes.h>
#include <stdio.h>

#include "bench/bench_rtaa.h"
#include "cli/words.h"

// ---- words ----------------------------------------------------------------------------------------------------------

static void print_rows(const cli_rtaa_report_t * report)
{
  printf(
    "map   group   robots   total s   cpu s   ms/episode  ms/pass   us/robot  M rob-ep/cpu s   length (seeds, paper)"
    "           episodes (paper)   MB (paper)\n");
  for (int32_t i = 0; i < report->row_count; ++i) {
    const cli_rtaa_row_t * row = &report->rows[i];
    const cli_rtaa_map_t * map = &cli_rtaa_maps[row->map];
    const cli_rtaa_group_t * group = &cli_rtaa_groups[row->group];
    printf(
      "%-4s  %-4s  %8d  %8.4f  %6.3f  %10.4f %8.4f   %8.3f  %14.2f  %7.2f (%.2f to %.2f, %3.0f)  %7.2f (%3.0f)   %7.2f "
      "(%.2f)\n",
      map->name, group->name, group->robots, row->total_s, row->cpu_s, cli_rtaa_per_episode_ms(row),
      cli_rtaa_per_pass_ms(row), row->total_s * 1e6 / group->robots, cli_rtaa_rate(row) / 1e6, row->mean_length,
      row->least_length, row->most_length, map->paper_length, row->mean_episodes, map->paper_episodes, row->memory_mb,
      group->paper_mb);
    if (row->arrived < group->robots) {
      printf("      %d of them did not arrive with the worst seed\n", group->robots - row->arrived);
    }
  }
}

static void print_ways(const cli_rtaa_report_t * report)
{
  if (report->way_count == 0) {
    return;
  }
  const cli_rtaa_row_t * first = &report->ways[0];
  printf(
    "\n%s %s in other ways (Figure 5), one seed; all give the same answer\nthreads  stages  episodes per call   total "
    "s   "
    "cpu s   ms/pass   M rob-ep/cpu s   GB touched (of copying)\n",
    cli_rtaa_maps[first->map].name, cli_rtaa_groups[first->group].name);
  for (int32_t i = 0; i < report->way_count; ++i) {
    const cli_rtaa_row_t * row = &report->ways[i];
    printf(
      "%7d  %-6s  %17d  %8.4f  %6.3f  %8.4f   %14.2f   %10.2f (%.0f %%)\n", row->way.threads,
      row->way.is_fused ? "fused" : "staged", row->way.stride, row->total_s, row->cpu_s, cli_rtaa_per_pass_ms(row),
      cli_rtaa_rate(row) / 1e6, row->touched_gb, 100.0 * cli_rtaa_bandwidth(row, report->copy_gb_per_s));
  }
}

void cli_rtaa_print_words(const cli_rtaa_report_t * report)
{
  cli_host_print(&report->host);
  printf(
    "# RTAA* on %s, lookahead %d, %d moves per episode, connectivity %d, %d %% of cells blocked, means of %d "
    "seeds from %" PRId64 " on, the fastest of %d runs of each\n",
    report->row_count > 0 ? report->rows[0].backend : "nothing", report->batch.lookahead, report->batch.moves,
    report->batch.connectivity, report->obstacles, report->seeds, report->seed, report->repeat);
  printf(
    "# ms/episode: total over the mean episodes of a robot, as in the paper; ms/pass: over the most that one took.\n"
    "# GB touched: what robots have, once in every call, at most; of copying: beside what could be copied in that "
    "time.\n"
    "# The paper: 458 ms (T0) to 21717 ms (T5) in all, 63 to 65 ms per episode, NVIDIA GTX 470.\n");
  if (report->row_count > 0 && report->rows[0].note[0] != '\0') {
    printf("# %s\n", report->rows[0].note);
  }
  print_rows(report);
  print_ways(report);
  cli_rtaa_print_tasks(report);
  printf("\nCopying memory: %.1f GB/s, read and written together, one thread\n", report->copy_gb_per_s);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void write_row(cli_json_t * json, const cli_rtaa_row_t * row)
{
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "map", cli_rtaa_maps[row->map].name);
  cli_json_text(json, "group", cli_rtaa_groups[row->group].name);
  cli_json_integer(json, "robots", cli_rtaa_groups[row->group].robots);
  cli_json_integer(json, "arrived", row->arrived);
  cli_json_integer(json, "seeds", row->seeds);
  cli_json_number(json, "total_s", row->total_s);
  cli_json_number(json, "cpu_s", row->cpu_s);
  cli_json_number(json, "per_episode_ms", cli_rtaa_per_episode_ms(row));
  cli_json_number(json, "per_pass_ms", cli_rtaa_per_pass_ms(row));
  cli_json_number(json, "per_robot_us", row->total_s * 1e6 / cli_rtaa_groups[row->group].robots);
  cli_json_number(json, "robot_episodes_per_cpu_second", cli_rtaa_rate(row));
  cli_json_number(json, "memory_mb", row->memory_mb);
  cli_json_number(json, "map_kb", row->map_kb);
  cli_json_integer(json, "robot_bytes", (int64_t)row->robot_bytes);
  cli_json_number(json, "touched_gb", row->touched_gb);
  cli_json_number(json, "mean_length", row->mean_length);
  cli_json_number(json, "least_length", row->least_length);
  cli_json_number(json, "most_length", row->most_length);
  cli_json_number(json, "mean_episodes", row->mean_episodes);
  cli_json_integer(json, "passes", row->passes);
  cli_json_text(json, "backend", row->backend);
  cli_json_integer(json, "threads", row->way.threads);
  cli_json_boolean(json, "fused", row->way.is_fused);
  cli_json_integer(json, "episodes_per_call", row->way.stride);
  char digest[24];
  snprintf(digest, sizeof(digest), "%016" PRIx64, row->digest);
  cli_json_text(json, "digest", digest);
  cli_json_close(json, '}');
}

static void write_task(cli_json_t * json, const cli_rtaa_task_t * task)
{
  cli_json_open(json, NULL, '{');
  cli_json_integer(json, "astar_length", task->length[0]);
  cli_json_open(json, "rtaa", '[');
  for (int32_t lookahead = CLI_RTAA_TASK_MIN; lookahead <= CLI_RTAA_TASK_MAX; ++lookahead) {
    cli_json_open(json, NULL, '{');
    cli_json_integer(json, "lookahead", lookahead);
    cli_json_integer(json, "length", task->length[lookahead]);
    cli_json_integer(json, "episodes", task->episodes[lookahead]);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  cli_json_close(json, '}');
}

void cli_rtaa_print_json(const cli_rtaa_report_t * report)
{
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_host_write(&report->host, &json);
  cli_json_integer(&json, "lookahead", report->batch.lookahead);
  cli_json_integer(&json, "moves", report->batch.moves);
  cli_json_integer(&json, "connectivity", report->batch.connectivity);
  cli_json_integer(&json, "obstacles_percent", report->obstacles);
  cli_json_integer(&json, "seed", report->seed);
  cli_json_integer(&json, "seeds", report->seeds);
  cli_json_text(&json, "note", report->row_count > 0 ? report->rows[0].note : "");
  cli_json_number(&json, "copy_gb_per_s", report->copy_gb_per_s);
  cli_json_open(&json, "runs", '[');
  for (int32_t i = 0; i < report->row_count; ++i) {
    write_row(&json, &report->rows[i]);
  }
  cli_json_close(&json, ']');
  cli_json_open(&json, "ways", '[');
  for (int32_t i = 0; i < report->way_count; ++i) {
    write_row(&json, &report->ways[i]);
  }
  cli_json_close(&json, ']');
  cli_json_open(&json, "tasks", '[');
  for (int32_t i = 0; i < CLI_RTAA_TASKS; ++i) {
    write_task(&json, &report->tasks[i]);
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

static void write_line(FILE * stream, const cli_rtaa_row_t * row)
{
  fprintf(
    stream, "%s,%s,%d,%d,%d,%.6f,%.6f,%.6f,%.6f,%.6f,%.3f,%.4f,%.4f,%d,%s,%d,%s,%d\n", cli_rtaa_maps[row->map].name,
    cli_rtaa_groups[row->group].name, cli_rtaa_groups[row->group].robots, row->arrived, row->seeds, row->total_s,
    row->cpu_s, cli_rtaa_per_episode_ms(row), cli_rtaa_per_pass_ms(row),
    row->total_s * 1e6 / cli_rtaa_groups[row->group].robots, row->memory_mb, row->mean_length, row->mean_episodes,
    row->passes, row->backend, row->way.threads, row->way.is_fused ? "fused" : "staged", row->way.stride);
}

void cli_rtaa_write_csv(const cli_rtaa_report_t * report, FILE * stream)
{
  fputs(
    "map,group,robots,arrived,seeds,total_s,cpu_s,per_episode_ms,per_pass_ms,per_robot_us,memory_mb,mean_length,mean_"
    "episodes,"
    "passes,backend,threads,stages,episodes_per_call\n",
    stream);
  for (int32_t i = 0; i < report->row_count; ++i) {
    write_line(stream, &report->rows[i]);
  }
  for (int32_t i = 0; i < report->way_count; ++i) {
    write_line(stream, &report->ways[i]);
  }
}
