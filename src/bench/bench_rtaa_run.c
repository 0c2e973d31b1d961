// `bench rtaa`: map after map, group after group; then the largest of them in other ways.

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench_rtaa.h"
#include "cli/progress.h"
#include "cli/words.h"

static const cli_rtaa_map_t * map_of(const cli_rtaa_row_t * row) { return &cli_rtaa_maps[row->map]; }

// What a robot has is read and written in every call; its movements array, where anything can be learned, read at most.
static double call_bytes(const fw_batch_t * batch, const cli_rtaa_report_t * report)
{
  const int32_t side = 4 * report->batch.lookahead + 1;
  const double array = 2.0 * side * side;
  const double rows = (double)fw_batch_stats(batch).robot_bytes - array;
  return 2.0 * rows + (report->obstacles > 0 ? array : 0.0);
}

// Everybody's end in one number, and the means.
static void sum_up(const cli_rtaa_report_t * report, const fw_batch_t * batch, int32_t robots, cli_rtaa_row_t * row)
{
  double length = 0.0, episodes = 0.0;
  int64_t calls = 0;
  row->digest = UINT64_C(14695981039346656037);
  row->arrived = 0;
  row->passes = 0;
  row->robot_episodes = 0;
  for (int32_t r = 0; r < robots; ++r) {
    const fw_batch_robot_t robot = fw_batch_robot(batch, r);
    row->digest = (row->digest ^ (uint64_t)robot.cell) * UINT64_C(1099511628211);
    row->digest = (row->digest ^ robot.length) * UINT64_C(1099511628211);
    row->digest = (row->digest ^ robot.episodes) * UINT64_C(1099511628211);
    if (robot.state == FW_BATCH_ARRIVED) {
      length += robot.length;
      episodes += robot.episodes;
      ++row->arrived;
    }
    row->passes = (int32_t)robot.episodes > row->passes ? (int32_t)robot.episodes : row->passes;
    row->robot_episodes += robot.episodes;
    calls += ((int64_t)robot.episodes + row->way.stride - 1) / row->way.stride;
  }
  row->touched_gb = 1e-9 * (double)calls * call_bytes(batch, report);
  row->mean_length = row->arrived > 0 ? length / row->arrived : 0.0;
  row->mean_episodes = row->arrived > 0 ? episodes / row->arrived : 0.0;
}

static void note_stats(const fw_batch_t * batch, cli_rtaa_row_t * row)
{
  const fw_batch_stats_t stats = fw_batch_stats(batch);
  snprintf(row->backend, sizeof(row->backend), "%s", stats.backend);
  snprintf(row->note, sizeof(row->note), "%s", stats.note);
  row->memory_mb = (double)stats.memory_bytes / 1e6;
  row->robot_bytes = stats.robot_bytes;
  row->map_kb = ((double)stats.memory_bytes - (double)stats.robot_bytes * cli_rtaa_groups[row->group].robots) / 1e3;
}

static double cpu_seconds(void)
{
  struct timespec time = {0};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// One run; keeps the times if it is the fastest so far.
static int run_once(
  const cli_rtaa_report_t * report, const cli_rtaa_world_t * world, cli_rtaa_row_t * row, int32_t turn)
{
  fw_batch_t batch = {0};
  fw_error_t error = {0};
  fw_batch_options_t options = report->batch;
  options.threads = row->way.threads;
  options.is_fused = row->way.is_fused;
  if (fw_batch_init(&batch, &world->grid, world->starts, world->goals, world->robots, &options, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  cli_progress_t progress = {0};
  snprintf(
    progress.label, sizeof(progress.label), "%s %s, %s, %d threads, run %d of %d", map_of(row)->name,
    cli_rtaa_groups[row->group].name, row->way.is_fused ? "fused" : "staged", row->way.threads, turn + 1,
    report->repeat);
  cli_progress_start(&progress);
  const double begin_cpu_s = cpu_seconds();
  const int64_t begin_ns = fw_clock_now_ns();
  const int64_t episodes_max = 4 * (int64_t)map_of(row)->side;  // whoever takes longer goes round in circles
  bool is_cancelled = false;
  for (int64_t done = 0; done < episodes_max && fw_batch_running(&batch) > 0 && !is_cancelled;) {
    const int64_t left = episodes_max - done;  // the last call ends on the same episode for any stride
    const int32_t stride = left < row->way.stride ? (int32_t)left : row->way.stride;
    if (fw_batch_run(&batch, stride, &error) != FW_RET_OK) {
      break;
    }
    done += stride;
    is_cancelled = cli_progress_is_cancelled(&progress);
  }
  const double elapsed_s = (double)(fw_clock_now_ns() - begin_ns) / 1e9;
  const double cpu_s = cpu_seconds() - begin_cpu_s;
  row->total_s = turn == 0 || elapsed_s < row->total_s ? elapsed_s : row->total_s;
  row->cpu_s = turn == 0 || cpu_s < row->cpu_s ? cpu_s : row->cpu_s;
  sum_up(report, &batch, world->robots, row);
  note_stats(&batch, row);
  fw_batch_fini(&batch);
  return is_cancelled ? CLI_NOT_SOLVED : CLI_SOLVED;
}

// Takes the figures of one more seed into those of the seeds before.
static void merge(cli_rtaa_row_t * row, const cli_rtaa_row_t * one)
{
  const double count = row->seeds;
  if (row->seeds == 0) {
    *row = *one;
    row->least_length = one->mean_length;
    row->most_length = one->mean_length;
  } else {
    row->total_s = (row->total_s * count + one->total_s) / (count + 1.0);
    row->cpu_s = (row->cpu_s * count + one->cpu_s) / (count + 1.0);
    row->mean_length = (row->mean_length * count + one->mean_length) / (count + 1.0);
    row->mean_episodes = (row->mean_episodes * count + one->mean_episodes) / (count + 1.0);
    row->touched_gb = (row->touched_gb * count + one->touched_gb) / (count + 1.0);
    row->robot_episodes = (row->robot_episodes * row->seeds + one->robot_episodes) / (row->seeds + 1);
    row->least_length = one->mean_length < row->least_length ? one->mean_length : row->least_length;
    row->most_length = one->mean_length > row->most_length ? one->mean_length : row->most_length;
    row->passes = one->passes > row->passes ? one->passes : row->passes;
    row->arrived = one->arrived < row->arrived ? one->arrived : row->arrived;
  }
  ++row->seeds;
}

static int run_row(const cli_rtaa_report_t * report, cli_rtaa_row_t * row, int32_t seeds)
{
  const int32_t robots = cli_rtaa_groups[row->group].robots;
  int exit_code = CLI_SOLVED;
  for (int32_t seed = 0; seed < seeds && exit_code == CLI_SOLVED; ++seed) {
    cli_rtaa_world_t world = {0};
    cli_rtaa_row_t one = {.map = row->map, .group = row->group, .way = row->way};
    exit_code = cli_rtaa_world_make(&world, map_of(row)->side, robots, report->obstacles, report->seed + seed);
    for (int32_t turn = 0; turn < report->repeat && exit_code == CLI_SOLVED; ++turn) {
      exit_code = run_once(report, &world, &one, turn);
    }
    cli_rtaa_world_fini(&world);
    merge(row, &one);
  }
  return exit_code;
}

// ---- other ways -----------------------------------------------------------------------------------------------------

// 1, 2, 4, … threads up to the cores; and with the row's threads staged, and one episode per call.
static void list_ways(cli_rtaa_report_t * report, const cli_rtaa_row_t * base)
{
  cli_rtaa_way_t ways[CLI_RTAA_WAYS_MAX];
  int32_t count = 0;
  for (int32_t threads = 1; threads <= report->host.cores && count < CLI_RTAA_WAYS_MAX - 3; threads *= 2) {
    ways[count++] = (cli_rtaa_way_t){threads, true, base->way.stride};
  }
  ways[count++] = (cli_rtaa_way_t){base->way.threads, false, base->way.stride};
  ways[count++] = (cli_rtaa_way_t){base->way.threads, true, 1};
  ways[count++] = (cli_rtaa_way_t){base->way.threads, false, 1};
  report->way_count = count;
  for (int32_t i = 0; i < count; ++i) {
    report->ways[i] = (cli_rtaa_row_t){.map = base->map, .group = base->group, .way = ways[i]};
  }
}

static int run_ways(cli_rtaa_report_t * report)
{
  const cli_rtaa_row_t * base = &report->rows[report->row_count - 1];
  int exit_code = CLI_SOLVED;
  list_ways(report, base);
  for (int32_t i = 0; i < report->way_count && exit_code == CLI_SOLVED; ++i) {
    exit_code = run_row(report, &report->ways[i], 1);
    if (exit_code == CLI_SOLVED && report->ways[i].digest != base->digest) {
      exit_code = cli_say(CLI_FAILURE, "two ways of running give different answers");
    }
  }
  return exit_code;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// A copy much larger than the caches, read and written, the fastest of a few.
static double measure_copy(void)
{
  const size_t size = (size_t)256 << 20;
  char * from = malloc(size);
  char * to = malloc(size);
  double best_s = 0.0;
  if (from != NULL && to != NULL) {
    memset(from, 1, size);
    memset(to, 2, size);
    for (int32_t turn = 0; turn < 3; ++turn) {
      const int64_t begin_ns = fw_clock_now_ns();
      memcpy(to, from, size);
      const double elapsed_s = (double)(fw_clock_now_ns() - begin_ns) / 1e9;
      best_s = turn == 0 || elapsed_s < best_s ? elapsed_s : best_s;
      from[0] = to[size - 1];  // so that the copy is needed
    }
  }
  free(from);
  free(to);
  return best_s > 0.0 ? 2.0 * (double)size / best_s / 1e9 : 0.0;
}

int cli_rtaa_run(cli_rtaa_report_t * report)
{
  int exit_code = CLI_SOLVED;
  for (int32_t map = 0; map < CLI_RTAA_MAPS; ++map) {
    for (int32_t group = 0; group < CLI_RTAA_GROUPS && exit_code == CLI_SOLVED; ++group) {
      if (report->has_map[map] && report->has_group[group]) {
        cli_rtaa_row_t * row = &report->rows[report->row_count];
        *row = (cli_rtaa_row_t){.map = map, .group = group, .way = report->way};
        exit_code = run_row(report, row, report->seeds);
        report->row_count += exit_code == CLI_SOLVED ? 1 : 0;
      }
    }
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = run_ways(report);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_rtaa_run_tasks(report);
    report->copy_gb_per_s = measure_copy();
  }
  cli_progress_wipe();
  return exit_code;
}
