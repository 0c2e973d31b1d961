// `bench rtaa`: map after map, group after group; then the largest of them in other ways.

#include <stdlib.h>
#include <string.h>

#include "cli/bench_rtaa.h"
#include "cli/progress.h"
#include "cli/words.h"

static const cli_rtaa_map_t * map_of(const cli_rtaa_row_t * row) { return &cli_rtaa_maps[row->map]; }

// Everybody's end in one number, and the means.
static void sum_up(const fw_batch_t * batch, int32_t robots, cli_rtaa_row_t * row)
{
  double length = 0.0, episodes = 0.0;
  row->digest = UINT64_C(14695981039346656037);
  row->arrived = 0;
  row->passes = 0;
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
  }
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

// One run; keeps the figures if it is the fastest so far.
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
  row->total_s = turn == 0 || elapsed_s < row->total_s ? elapsed_s : row->total_s;
  sum_up(&batch, world->robots, row);
  note_stats(&batch, row);
  fw_batch_fini(&batch);
  return is_cancelled ? CLI_NOT_SOLVED : CLI_SOLVED;
}

static int run_row(const cli_rtaa_report_t * report, cli_rtaa_row_t * row)
{
  cli_rtaa_world_t world = {0};
  const int32_t robots = cli_rtaa_groups[row->group].robots;
  int exit_code = cli_rtaa_world_make(&world, map_of(row)->side, robots, report->obstacles, report->seed);
  for (int32_t turn = 0; turn < report->repeat && exit_code == CLI_SOLVED; ++turn) {
    exit_code = run_once(report, &world, row, turn);
  }
  cli_rtaa_world_fini(&world);
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
    exit_code = run_row(report, &report->ways[i]);
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
    for (int32_t turn = 0; turn < 5; ++turn) {
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
        exit_code = run_row(report, row);
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
