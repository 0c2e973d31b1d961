// `bench rtaa`: the experiments of Erra and Caggianese 2011, "Real-time Adaptive GPU multi-agent path planning".
// docs/gpu.md has the paper's figures beside ours.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/rng.h"
#include "bench/bench.h"
#include "cli/common/message.h"
#include "cli/common/progress.h"
#include "fleetweave/batch.h"
#include "fleetweave/files.h"
#include "fleetweave/search.h"
#include "world/hidden.h"

// ---- data -----------------------------------------------------------------------------------------------------------

// The maps and groups of robots of the paper, with its results.
enum { MAPS = 6, GROUPS = 6 };

typedef struct rtaa_map_t {
  const char * name;
  int32_t side;
  double paper_length;  // mean, over all groups
  double paper_episodes;
} rtaa_map_t;

typedef struct rtaa_group_t {
  const char * name;
  int32_t robots;
  double paper_mb;  // of GPU memory
} rtaa_group_t;

// Tables 2 and 3 of Erra and Caggianese 2011.
static const rtaa_map_t maps[MAPS] = {
  {"T0", 20, 10, 7},   {"T1", 40, 20, 13},    {"T2", 80, 38, 27},
  {"T3", 160, 77, 53}, {"T4", 320, 151, 105}, {"T5", 1024, 478, 336},
};
static const rtaa_group_t groups[GROUPS] = {
  {"G0", 128, 0.39},     {"G1", 8192, 24.72},    {"G2", 28800, 86.69},
  {"G3", 80000, 241.39}, {"G4", 139392, 420.61}, {"G5", 294912, 889.88},
};

typedef struct rtaa_world_t {
  fw_grid_t grid;
  fw_grid_t known;  // what robots know at first; no cells if that is everything
  fw_cell_t * starts;
  fw_cell_t * goals;
  int32_t robots;
} rtaa_world_t;

// How a batch is run. Every mode gives the same answer.
typedef struct rtaa_mode_t {
  int32_t threads;
  bool is_fused;
  int32_t stride;  // episodes per call
} rtaa_mode_t;

// One map and group in one mode: means over the seeds, of several repeats the fastest.
typedef struct rtaa_row_t {
  int32_t map;    // index into `maps`
  int32_t group;  // index into `groups`
  rtaa_mode_t mode;
  char backend[16];
  char device[FW_DEVICE_NAME_SIZE];
  char note[FW_DEVICE_NOTE_SIZE];
  int32_t seeds;
  double total_s;
  double cpu_s;         // of all threads
  double mean_length;   // of the robots that arrived
  double least_length;  // the same for the seed with the shortest paths, and the longest
  double most_length;
  double mean_episodes;    // of the robots that arrived
  int64_t robot_episodes;  // of all robots
  int32_t passes;          // the most episodes of any robot
  int32_t arrived;         // the fewest of any seed
  double touched_gb;       // upper bound of memory read and written: a robot's rows, once per call
  double memory_mb;
  double map_kb;
  size_t robot_bytes;
  uint64_t digest;  // of all robots' results with the first seed: equal for every mode
} rtaa_row_t;

enum { TASKS = 5, TASK_LOOKAHEAD_MIN = 3, TASK_LOOKAHEAD_MAX = 7 };

typedef struct rtaa_task_t {
  int32_t length[TASK_LOOKAHEAD_MAX + 1];  // by lookahead, 0 for A*; -1: not arrived
  int32_t episodes[TASK_LOOKAHEAD_MAX + 1];
} rtaa_task_t;

enum { ROWS_MAX = MAPS * GROUPS, MODES_MAX = 16 };

typedef struct rtaa_report_t {
  bench_host_t host;
  fw_batch_options_t batch;  // of all runs; threads and stages are each row's own
  rtaa_mode_t mode;          // of `rows`
  int32_t obstacles;
  int32_t hidden;  // per cent of these, unknown until a robot sees them
  int32_t sight;   // used with `hidden`
  int64_t seed;    // the first of `seeds`
  int32_t seeds;
  int32_t repeat;
  bool has_map[MAPS];
  bool has_group[GROUPS];
  // Filled by the run:
  rtaa_row_t rows[ROWS_MAX];
  int32_t row_count;
  rtaa_row_t modes[MODES_MAX];  // the largest map and group in other modes
  int32_t mode_count;
  rtaa_task_t tasks[TASKS];
  double copy_gb_per_s;  // memory bandwidth of one thread, bytes read and written together
} rtaa_report_t;

// The row of the largest group, which is most likely to run on a GPU.
static const rtaa_row_t * last_row(const rtaa_report_t * report)
{
  FW_ASSERT(report->row_count > 0);
  return &report->rows[report->row_count - 1];
}

static double per_episode_ms(const rtaa_row_t * row)
{
  return row->mean_episodes > 0.0 ? row->total_s * 1e3 / row->mean_episodes : 0.0;
}
static double per_pass_ms(const rtaa_row_t * row) { return row->passes > 0 ? row->total_s * 1e3 / row->passes : 0.0; }
// Robot-episodes per second of processor time: other programs may use the machine as well.
static double episode_rate(const rtaa_row_t * row)
{
  return row->cpu_s > 0.0 ? (double)row->robot_episodes / row->cpu_s : 0.0;
}
// Bytes touched divided by the bytes that one thread could have copied in that time, 0 to 1.
static double bandwidth_share(const rtaa_row_t * row, double copy_gb_per_s)
{
  return row->cpu_s > 0.0 && copy_gb_per_s > 0.0 ? row->touched_gb / row->cpu_s / copy_gb_per_s : 0.0;
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

// A square map with some cells blocked, and robots at random cells of its largest component. Returns an exit code after
// an error message.
static int make_world(rtaa_world_t * world, const rtaa_row_t * row, const rtaa_report_t * report, int64_t seed)
{
  char line[96];
  fw_error_t error = {0};
  const int32_t side = maps[row->map].side;
  const int32_t robots = groups[row->group].robots;
  *world = (rtaa_world_t){.robots = robots};
  snprintf(
    line, sizeof(line), "random:%dx%d,obstacles=%d,seed=%lld", side, side, report->obstacles,
    (long long)(seed % 1000000));
  if (fw_grid_make(&world->grid, line, NULL, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  if (report->hidden > 0) {
    if (fw_grid_init(&world->known, side, side, NULL, &error) != FW_RET_OK) {
      return cli_error(CLI_FAILURE, "%s", error.text);
    }
    (void)fw__hide_obstacles(&world->grid, report->hidden, (uint64_t)seed, world->known.cost);
  }
  fw_cell_t * cells = malloc((size_t)fw_grid_cell_count(&world->grid) * sizeof(*cells));
  world->starts = malloc((size_t)robots * sizeof(*world->starts));
  world->goals = malloc((size_t)robots * sizeof(*world->goals));
  int32_t count = -1;
  if (cells != NULL && world->starts != NULL && world->goals != NULL) {
    count = bench_find_largest_component(&world->grid, cells);
  }
  fw_rng_t rng = fw__rng((uint64_t)seed);
  for (int32_t r = 0; r < robots && count > 0; ++r) {
    world->starts[r] = cells[fw__rng_below(&rng, count)];
    world->goals[r] = cells[fw__rng_below(&rng, count)];
  }
  free(cells);
  return count > 0 ? CLI_SUCCESS : cli_error(CLI_FAILURE, count < 0 ? "out of memory" : "the map has no free cell");
}

static void fini_world(rtaa_world_t * world)
{
  fw_grid_fini(&world->grid);
  fw_grid_fini(&world->known);
  free(world->starts);
  free(world->goals);
  *world = (rtaa_world_t){0};
}

// ---- the five tasks -------------------------------------------------------------------------------------------------

// Small maps of the kind of the paper's Figure 6, A* beside RTAA* with lookahead 3 to 7. The paper shows its maps as
// pictures only, so these are drawn anew: start on the left, goal on the right; between them nothing, a wall, a bay,
// two walls that overlap, and rooms.

enum { WIDTH = 23, HEIGHT = 13 };

static const char * const drawings[TASKS][HEIGHT] = {
  {
    ".......................",
    ".......................",
    "...........##..........",
    "...........##..........",
    ".......................",
    ".......................",
    "..S.................G..",
    ".......................",
    ".......................",
    ".....##................",
    ".....##........###.....",
    ".......................",
    ".......................",
  },
  {
    ".......................",
    ".......................",
    ".......................",
    "..............#........",
    "..............#........",
    "..............#........",
    "..S...........#.....G..",
    "..............#........",
    "..............#........",
    ".......................",
    ".......................",
    ".......................",
    ".......................",
  },
  {
    ".......................",
    ".......................",
    ".......................",
    ".......................",
    "............###........",
    "..............#........",
    "..S...........#.....G..",
    "..............#........",
    "............###........",
    ".......................",
    ".......................",
    ".......................",
    ".......................",
  },
  {
    "........#..............",
    "........#..............",
    "........#..............",
    "........#..............",
    "........#.....#........",
    "........#.....#........",
    "..S.....#.....#.....G..",
    "........#.....#........",
    "..............#........",
    "..............#........",
    "..............#........",
    "..............#........",
    "..............#........",
  },
  {
    "......#.......#........",
    "......#.......#........",
    "......#.......#........",
    "..............#........",
    "......#................",
    "......#.......#........",
    "..S...#.......#.....G..",
    "......#########........",
    "......#.......#........",
    "......#................",
    "..............#........",
    "......#.......#........",
    "......#.......#........",
  },
};

typedef struct rtaa_board_t {
  uint8_t cost[WIDTH * HEIGHT];
  fw_grid_t grid;
  fw_cell_t start;
  fw_cell_t goal;
} rtaa_board_t;

// Reads a drawing: # blocked, S start, G goal.
static void read_board(rtaa_board_t * board, const char * const * rows)
{
  for (int32_t cell = 0; cell < WIDTH * HEIGHT; ++cell) {
    const char sign = rows[cell / WIDTH][cell % WIDTH];
    board->cost[cell] = sign == '#' ? 0 : 1;
    board->start = sign == 'S' ? cell : board->start;
    board->goal = sign == 'G' ? cell : board->goal;
  }
  board->grid = (fw_grid_t){.width = WIDTH, .height = HEIGHT, .cost = board->cost};
}

// A* and RTAA* with each lookahead on one board.
static int run_task(const rtaa_report_t * report, const rtaa_board_t * board, rtaa_task_t * task)
{
  fw_error_t error = {0};
  fw_route_t route = {0};
  const int32_t connectivity = report->batch.connectivity;
  if (fw_route_find(&route, &board->grid, board->start, board->goal, connectivity, NULL, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  task->length[0] = route.length - 1;
  fw_route_fini(&route);
  for (int32_t lookahead = TASK_LOOKAHEAD_MIN; lookahead <= TASK_LOOKAHEAD_MAX; ++lookahead) {
    fw_batch_options_t options = report->batch;
    fw_batch_t batch = {0};
    options.lookahead = lookahead;
    options.moves = lookahead;
    if (
      fw_batch_init(&batch, &board->grid, &board->start, &board->goal, 1, &options, &error) != FW_RET_OK ||
      fw_batch_run(&batch, 1000, &error) != FW_RET_OK) {
      fw_batch_fini(&batch);
      return cli_error(CLI_FAILURE, "%s", error.text);
    }
    const fw_batch_robot_t robot = fw_batch_robot(&batch, 0);
    task->length[lookahead] = robot.state == FW_BATCH_ARRIVED ? (int32_t)robot.length : -1;
    task->episodes[lookahead] = (int32_t)robot.episodes;
    fw_batch_fini(&batch);
  }
  return CLI_SUCCESS;
}

static int run_tasks(rtaa_report_t * report)
{
  int exit_code = CLI_SUCCESS;
  for (int32_t i = 0; i < TASKS && exit_code == CLI_SUCCESS; ++i) {
    rtaa_board_t board = {0};
    read_board(&board, drawings[i]);
    exit_code = run_task(report, &board, &report->tasks[i]);
  }
  return exit_code;
}

// ---- running --------------------------------------------------------------------------------------------------------

static const rtaa_map_t * map_of(const rtaa_row_t * row) { return &maps[row->map]; }

// A robot's rows are read and written in every call; its array of learned heuristics is at most read, and only where
// there are obstacles to learn from.
static double call_bytes(const fw_batch_t * batch, const rtaa_report_t * report)
{
  const int32_t side = 4 * report->batch.lookahead + 1;
  const double array = 2.0 * side * side;
  const double rows = (double)fw_batch_stats(batch).robot_bytes - array;
  return 2.0 * rows + (report->obstacles > 0 ? array : 0.0);
}

// A digest of all robots' results, and the means.
static void summarise(const rtaa_report_t * report, const fw_batch_t * batch, int32_t robots, rtaa_row_t * row)
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
    calls += ((int64_t)robot.episodes + row->mode.stride - 1) / row->mode.stride;
  }
  row->touched_gb = 1e-9 * (double)calls * call_bytes(batch, report);
  row->mean_length = row->arrived > 0 ? length / row->arrived : 0.0;
  row->mean_episodes = row->arrived > 0 ? episodes / row->arrived : 0.0;
}

static void record_stats(const fw_batch_t * batch, rtaa_row_t * row)
{
  const fw_batch_stats_t stats = fw_batch_stats(batch);
  snprintf(row->backend, sizeof(row->backend), "%s", stats.backend);
  snprintf(row->device, sizeof(row->device), "%s", stats.device);
  snprintf(row->note, sizeof(row->note), "%s", stats.note);
  row->memory_mb = (double)stats.memory_bytes / 1e6;
  row->robot_bytes = stats.robot_bytes;
  row->map_kb = ((double)stats.memory_bytes - (double)stats.robot_bytes * groups[row->group].robots) / 1e3;
}

static double cpu_seconds(void)
{
  struct timespec time = {0};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// One run; keeps its times if it is the fastest so far.
static int run_once(const rtaa_report_t * report, const rtaa_world_t * world, rtaa_row_t * row, int32_t turn)
{
  fw_batch_t batch = {0};
  fw_error_t error = {0};
  fw_batch_options_t options = report->batch;
  options.threads = row->mode.threads;
  options.is_fused = row->mode.is_fused;
  options.sight = report->hidden > 0 ? report->sight : 0;
  const fw_grid_t * known = report->hidden > 0 ? &world->known : &world->grid;
  if (
    fw_batch_init(&batch, known, world->starts, world->goals, world->robots, &options, &error) != FW_RET_OK ||
    fw_batch_set_map(&batch, &world->grid, &error) != FW_RET_OK) {
    fw_batch_fini(&batch);
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  cli_progress_t progress = {0};
  snprintf(
    progress.label, sizeof(progress.label), "%s %s, %s, %d threads, run %d of %d", map_of(row)->name,
    groups[row->group].name, row->mode.is_fused ? "fused" : "staged", row->mode.threads, turn + 1, report->repeat);
  cli_progress_start(&progress);
  const double begin_cpu_s = cpu_seconds();
  const int64_t begin_ns = fw_clock_now_ns();
  const int64_t episodes_max = 4 * (int64_t)map_of(row)->side;  // a robot that takes longer is driving in circles
  bool is_cancelled = false;
  for (int64_t done = 0; done < episodes_max && fw_batch_running(&batch) > 0 && !is_cancelled;) {
    const int64_t left = episodes_max - done;  // the last call ends at the same episode for any stride
    const int32_t stride = left < row->mode.stride ? (int32_t)left : row->mode.stride;
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
  summarise(report, &batch, world->robots, row);
  record_stats(&batch, row);
  fw_batch_fini(&batch);
  return is_cancelled ? CLI_NOT_SOLVED : CLI_SUCCESS;
}

// Adds the figures of one more seed to the means of the earlier ones.
static void merge_seed(rtaa_row_t * row, const rtaa_row_t * one)
{
  const double count = row->seeds;
  FW_ASSERT(row->map == one->map && row->group == one->group);
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

// All seeds of one map and group in one mode.
static int run_row(const rtaa_report_t * report, rtaa_row_t * row, int32_t seeds)
{
  int exit_code = CLI_SUCCESS;
  for (int32_t seed = 0; seed < seeds && exit_code == CLI_SUCCESS; ++seed) {
    rtaa_world_t world = {0};
    rtaa_row_t one = {.map = row->map, .group = row->group, .mode = row->mode};
    exit_code = make_world(&world, row, report, report->seed + seed);
    for (int32_t turn = 0; turn < report->repeat && exit_code == CLI_SUCCESS; ++turn) {
      exit_code = run_once(report, &world, &one, turn);
    }
    fini_world(&world);
    merge_seed(row, &one);
  }
  return exit_code;
}

// ---- other modes ----------------------------------------------------------------------------------------------------

// 1, 2, 4, … threads up to the number of cores; then staged, and one episode per call, with the row's threads.
static void list_modes(rtaa_report_t * report, const rtaa_row_t * base)
{
  rtaa_mode_t modes[MODES_MAX];
  int32_t count = 0;
  for (int32_t threads = 1; threads <= report->host.cores && count < MODES_MAX - 3; threads *= 2) {
    modes[count++] = (rtaa_mode_t){threads, true, base->mode.stride};
  }
  modes[count++] = (rtaa_mode_t){base->mode.threads, false, base->mode.stride};
  modes[count++] = (rtaa_mode_t){base->mode.threads, true, 1};
  modes[count++] = (rtaa_mode_t){base->mode.threads, false, 1};
  FW_ASSERT(count <= MODES_MAX);
  report->mode_count = count;
  for (int32_t i = 0; i < count; ++i) {
    report->modes[i] = (rtaa_row_t){.map = base->map, .group = base->group, .mode = modes[i]};
  }
}

// Figure 5: the last map and group in all modes, which must give the same digest.
static int run_modes(rtaa_report_t * report)
{
  FW_ASSERT(report->row_count > 0);
  const rtaa_row_t * base = &report->rows[report->row_count - 1];
  int exit_code = CLI_SUCCESS;
  list_modes(report, base);
  for (int32_t i = 0; i < report->mode_count && exit_code == CLI_SUCCESS; ++i) {
    exit_code = run_row(report, &report->modes[i], 1);
    if (exit_code == CLI_SUCCESS && report->modes[i].digest != base->digest) {
      exit_code = cli_error(CLI_FAILURE, "two modes of running give different answers");
    }
  }
  return exit_code;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// A copy much larger than the caches; the fastest of three.
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
      from[0] = to[size - 1];  // so that the compiler keeps the copy
    }
  }
  free(from);
  free(to);
  return best_s > 0.0 ? 2.0 * (double)size / best_s / 1e9 : 0.0;
}

static int run_all(rtaa_report_t * report)
{
  int exit_code = CLI_SUCCESS;
  for (int32_t map = 0; map < MAPS; ++map) {
    for (int32_t group = 0; group < GROUPS && exit_code == CLI_SUCCESS; ++group) {
      if (report->has_map[map] && report->has_group[group]) {
        FW_ASSERT(report->row_count < ROWS_MAX);
        rtaa_row_t * row = &report->rows[report->row_count];
        *row = (rtaa_row_t){.map = map, .group = group, .mode = report->mode};
        exit_code = run_row(report, row, report->seeds);
        report->row_count += exit_code == CLI_SUCCESS ? 1 : 0;
      }
    }
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = run_modes(report);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = run_tasks(report);
    report->copy_gb_per_s = measure_copy();
  }
  cli_progress_clear();
  return exit_code;
}

// ---- text -----------------------------------------------------------------------------------------------------------

// Table 4 of the paper; its maps are different, so only the order of magnitude can be compared.
static const int32_t paper[TASKS][TASK_LOOKAHEAD_MAX + 1] = {
  {18, 0, 0, 18, 18, 18, 18, 18}, {19, 0, 0, 28, 23, 25, 21, 19}, {19, 0, 0, 33, 40, 23, 32, 34},
  {19, 0, 0, 26, 20, 20, 20, 22}, {23, 0, 0, 31, 29, 27, 26, 27},
};

static void print_tasks(const rtaa_report_t * report)
{
  printf(
    "\nFive tasks (Table 4): RTAA* (the paper's algorithm) beside A*: length / episodes, in brackets the paper's "
    "length on its own maps\n");
  printf("%-9s", "");
  for (int32_t i = 0; i < TASKS; ++i) {
    printf("          task %d", i + 1);
  }
  for (int32_t lookahead = 0; lookahead <= TASK_LOOKAHEAD_MAX; lookahead += lookahead == 0 ? TASK_LOOKAHEAD_MIN : 1) {
    char name[16];
    snprintf(name, sizeof(name), lookahead == 0 ? "A*" : "RTAA*-%d", lookahead);
    printf("\n%-9s", name);
    for (int32_t i = 0; i < TASKS; ++i) {
      const rtaa_task_t * task = &report->tasks[i];
      if (lookahead == 0) {
        printf("   %3d      (%2d)", task->length[0], paper[i][0]);
      } else {
        printf("   %3d /%3d (%2d)", task->length[lookahead], task->episodes[lookahead], paper[i][lookahead]);
      }
    }
  }
  printf("\n");
}

static void print_rows(const rtaa_report_t * report)
{
  printf(
    "map   group   robots   total s   cpu s   ms/episode  ms/pass   us/robot  M rob-ep/cpu s   length (seeds, paper)"
    "           episodes (paper)   MB (paper)\n");
  for (int32_t i = 0; i < report->row_count; ++i) {
    const rtaa_row_t * row = &report->rows[i];
    const rtaa_map_t * map = &maps[row->map];
    const rtaa_group_t * group = &groups[row->group];
    printf(
      "%-4s  %-4s  %8d  %8.4f  %6.3f  %10.4f %8.4f   %8.3f  %14.2f  %7.2f (%.2f to %.2f, %3.0f)  %7.2f (%3.0f)   %7.2f "
      "(%.2f)\n",
      map->name, group->name, group->robots, row->total_s, row->cpu_s, per_episode_ms(row), per_pass_ms(row),
      row->total_s * 1e6 / group->robots, episode_rate(row) / 1e6, row->mean_length, row->least_length,
      row->most_length, map->paper_length, row->mean_episodes, map->paper_episodes, row->memory_mb, group->paper_mb);
    if (row->arrived < group->robots) {
      printf("      %d robots did not arrive with the worst seed\n", group->robots - row->arrived);
    }
  }
}

static void print_modes(const rtaa_report_t * report)
{
  if (report->mode_count == 0) {
    return;
  }
  const rtaa_row_t * first = &report->modes[0];
  printf(
    "\n%s %s in other modes (Figure 5), one seed; all give the same answer; staged with one episode per call is\n"
    "nearest to the paper, which launches its stages one by one; fused and several episodes per call are ours\n"
    "threads  stages  episodes per call   total s   cpu s   ms/pass   M rob-ep/cpu s   GB touched (of copying)\n",
    maps[first->map].name, groups[first->group].name);
  for (int32_t i = 0; i < report->mode_count; ++i) {
    const rtaa_row_t * row = &report->modes[i];
    printf(
      "%7d  %-6s  %17d  %8.4f  %6.3f  %8.4f   %14.2f   %10.2f (%.0f %%)\n", row->mode.threads,
      row->mode.is_fused ? "fused" : "staged", row->mode.stride, row->total_s, row->cpu_s, per_pass_ms(row),
      episode_rate(row) / 1e6, row->touched_gb, 100.0 * bandwidth_share(row, report->copy_gb_per_s));
  }
}

static void print_text(const void * state)
{
  const rtaa_report_t * report = state;
  bench_host_print(&report->host);
  printf(
    "# RTAA* on %s, lookahead %d, %d moves per episode, connectivity %d, %d %% of cells blocked (%d %% of them "
    "unknown), "
    "means of %d seeds from %" PRId64 " on, the fastest of %d runs of each\n",
    report->row_count > 0 ? last_row(report)->backend : "nothing", report->batch.lookahead, report->batch.moves,
    report->batch.connectivity, report->obstacles, report->hidden, report->seeds, report->seed, report->repeat);
  printf(
    "# The paper's algorithm: RTAA* with lookahead 3, each robot for itself; its values, from a GPU, are in brackets.\n"
    "# Ours: fused stages, several episodes per call (--staged --stride 1 is nearest to the paper), and robots that\n"
    "# move as many cells per episode as the lookahead (in the paper about 1.4 of 3).\n"
    "# ms/episode: total divided by the mean episodes of a robot, as in the paper; ms/pass: by the most of any robot.\n"
    "# GB touched: upper bound of bytes read and written; of copying: share of what could be copied in that time.\n"
    "# The paper: 458 ms (T0) to 21717 ms (T5) in all, 63 to 65 ms per episode, NVIDIA GTX 470.\n");
  if (report->row_count > 0 && last_row(report)->device[0] != '\0') {
    printf("# Device: %s\n", last_row(report)->device);
  }
  if (report->row_count > 0 && last_row(report)->note[0] != '\0') {
    printf("# %s\n", last_row(report)->note);
  }
  print_rows(report);
  print_modes(report);
  print_tasks(report);
  printf("\nCopying memory: %.1f GB/s, read and written together, one thread\n", report->copy_gb_per_s);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void write_row(cli_json_t * json, const rtaa_row_t * row)
{
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "map", maps[row->map].name);
  cli_json_text(json, "group", groups[row->group].name);
  cli_json_integer(json, "robots", groups[row->group].robots);
  cli_json_integer(json, "arrived", row->arrived);
  cli_json_integer(json, "seeds", row->seeds);
  cli_json_number(json, "total_s", row->total_s);
  cli_json_number(json, "cpu_s", row->cpu_s);
  cli_json_number(json, "per_episode_ms", per_episode_ms(row));
  cli_json_number(json, "per_pass_ms", per_pass_ms(row));
  cli_json_number(json, "per_robot_us", row->total_s * 1e6 / groups[row->group].robots);
  cli_json_number(json, "robot_episodes_per_cpu_second", episode_rate(row));
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
  cli_json_text(json, "device", row->device);
  cli_json_text(json, "note", row->note);
  cli_json_integer(json, "threads", row->mode.threads);
  cli_json_boolean(json, "fused", row->mode.is_fused);
  cli_json_integer(json, "episodes_per_call", row->mode.stride);
  char digest[24];
  snprintf(digest, sizeof(digest), "%016" PRIx64, row->digest);
  cli_json_text(json, "digest", digest);
  cli_json_close(json, '}');
}

static void write_task(cli_json_t * json, const rtaa_task_t * task)
{
  cli_json_open(json, NULL, '{');
  cli_json_integer(json, "astar_length", task->length[0]);
  cli_json_open(json, "rtaa", '[');
  for (int32_t lookahead = TASK_LOOKAHEAD_MIN; lookahead <= TASK_LOOKAHEAD_MAX; ++lookahead) {
    cli_json_open(json, NULL, '{');
    cli_json_integer(json, "lookahead", lookahead);
    cli_json_integer(json, "length", task->length[lookahead]);
    cli_json_integer(json, "episodes", task->episodes[lookahead]);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  cli_json_close(json, '}');
}

static void print_json(const void * state)
{
  const rtaa_report_t * report = state;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  bench_host_write(&report->host, &json);
  cli_json_integer(&json, "lookahead", report->batch.lookahead);
  cli_json_integer(&json, "moves", report->batch.moves);
  cli_json_integer(&json, "connectivity", report->batch.connectivity);
  cli_json_text(&json, "memory", report->batch.memory == FW_MEMORY_REGIONS ? "regions" : "window");
  cli_json_integer(&json, "obstacles_percent", report->obstacles);
  cli_json_integer(&json, "hidden_percent", report->hidden);
  cli_json_integer(&json, "seed", report->seed);
  cli_json_integer(&json, "seeds", report->seeds);
  cli_json_text(&json, "note", report->row_count > 0 ? last_row(report)->note : "");
  cli_json_number(&json, "copy_gb_per_s", report->copy_gb_per_s);
  cli_json_open(&json, "runs", '[');
  for (int32_t i = 0; i < report->row_count; ++i) {
    write_row(&json, &report->rows[i]);
  }
  cli_json_close(&json, ']');
  cli_json_open(&json, "ways", '[');
  for (int32_t i = 0; i < report->mode_count; ++i) {
    write_row(&json, &report->modes[i]);
  }
  cli_json_close(&json, ']');
  cli_json_open(&json, "tasks", '[');
  for (int32_t i = 0; i < TASKS; ++i) {
    write_task(&json, &report->tasks[i]);
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

static void write_line(FILE * stream, const rtaa_row_t * row)
{
  fprintf(
    stream, "%s,%s,%d,%d,%d,%.6f,%.6f,%.6f,%.6f,%.6f,%.3f,%.4f,%.4f,%d,%s,%d,%s,%d\n", maps[row->map].name,
    groups[row->group].name, groups[row->group].robots, row->arrived, row->seeds, row->total_s, row->cpu_s,
    per_episode_ms(row), per_pass_ms(row), row->total_s * 1e6 / groups[row->group].robots, row->memory_mb,
    row->mean_length, row->mean_episodes, row->passes, row->backend, row->mode.threads,
    row->mode.is_fused ? "fused" : "staged", row->mode.stride);
}

static void write_csv(const void * state, FILE * stream)
{
  const rtaa_report_t * report = state;
  fputs(
    "map,group,robots,arrived,seeds,total_s,cpu_s,per_episode_ms,per_pass_ms,per_robot_us,memory_mb,mean_length,mean_"
    "episodes,"
    "passes,backend,threads,stages,episodes_per_call\n",
    stream);
  for (int32_t i = 0; i < report->row_count; ++i) {
    write_line(stream, &report->rows[i]);
  }
  for (int32_t i = 0; i < report->mode_count; ++i) {
    write_line(stream, &report->modes[i]);
  }
}

// ---- command --------------------------------------------------------------------------------------------------------

typedef struct rtaa_options_t {
  const char * memory;
  int64_t lookahead;
  int64_t moves;
  int64_t connectivity;
  int64_t obstacles;
  bench_unknown_t unknown;
  int64_t threads;
  int64_t stride;
  int64_t repeat;
  int64_t seed;
  int64_t seeds;
  const char * maps;
  const char * groups;
  const char * backend;
  int64_t device;
  int64_t devices;
  bool is_staged;
  bool is_quick;
  bench_output_t output;
} rtaa_options_t;

#define AT(member) offsetof(rtaa_options_t, member)

static const cli_option_t world_options[] = {
  {.name = "maps",
   .kind = CLI_TEXT,
   .offset = AT(maps),
   .value = "A,B,...",
   .help = "maps, from T0 (20x20) to T5 (1024x1024) (default: all)"},
  {.name = "groups",
   .kind = CLI_TEXT,
   .offset = AT(groups),
   .value = "A,B,...",
   .help = "groups, from G0 (128 robots) to G5 (294912) (default: all)"},
  {.name = "obstacles",
   .kind = CLI_INTEGER,
   .offset = AT(obstacles),
   .min = 0,
   .max = 40,
   .value = "PERCENT",
   .help = "share of blocked cells (default: 0, which gives the paper's lengths)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(seed),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "the first seed, for starts, goals and obstacles (default: 1)"},
  {.name = "seeds",
   .kind = CLI_INTEGER,
   .offset = AT(seeds),
   .min = 1,
   .max = 1000,
   .value = "N",
   .help = "number of seeds, of which the means are printed (default: 5; 2 with --quick)"},
  {0},
};
static const cli_option_t search_options[] = {
  {.name = "lookahead",
   .kind = CLI_INTEGER,
   .offset = AT(lookahead),
   .min = 1,
   .max = FW_LOOKAHEAD_MAX,
   .value = "L",
   .help = "states that an episode expands (default: 3)"},
  {.name = "moves",
   .kind = CLI_INTEGER,
   .offset = AT(moves),
   .min = 0,
   .max = FW_LOOKAHEAD_MAX,
   .value = "N",
   .help = "cells that a robot moves in an episode, at most (default: 0, as many as the lookahead)"},
  {.name = "connectivity",
   .kind = CLI_INTEGER,
   .offset = AT(connectivity),
   .min = 4,
   .max = 8,
   .value = "4|8",
   .help = "neighbours of a cell (default: 8)"},
  {.name = "memory",
   .kind = CLI_CHOICE,
   .offset = AT(memory),
   .value = "window|regions",
   .help = "window: as in the paper; regions: begin with distances between regions of the map (default: window)"},
  {0},
};
static const cli_option_t run_options[] = {
  {.name = "backend",
   .kind = CLI_TEXT,
   .offset = AT(backend),
   .value = "auto|cpu|cuda",
   .help = "where to compute; cuda: on a GPU, or an error; auto: on a GPU if there is one,\nthe robots are many, and "
           "it is faster "
           "(default: auto)"},
  {.name = "device",
   .kind = CLI_INTEGER,
   .offset = AT(device),
   .min = 0,
   .max = 1023,
   .value = "N",
   .help = "number of the GPU (default: 0)"},
  {.name = "devices",
   .kind = CLI_INTEGER,
   .offset = AT(devices),
   .min = 1,
   .max = FW_BATCH_DEVICES_MAX,
   .value = "N",
   .help = "GPUs that share the robots, from --device on (default: 1)"},
  {.name = "threads",
   .kind = CLI_INTEGER,
   .offset = AT(threads),
   .min = 0,
   .max = 64,
   .value = "N",
   .help = "CPU threads (default: 0, one per core)"},
  {.name = "staged",
   .kind = CLI_FLAG,
   .offset = AT(is_staged),
   .help = "run the four stages one after the other, as in the paper, instead of fused"},
  {.name = "stride",
   .kind = CLI_INTEGER,
   .offset = AT(stride),
   .min = 1,
   .max = 100000,
   .value = "N",
   .help = "episodes per call; 1 is real time, with a result after each episode (default: 64)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = 100,
   .value = "N",
   .help = "runs of each, of which the fastest counts (default: 1)"},
  {.name = "quick",
   .kind = CLI_FLAG,
   .offset = AT(is_quick),
   .help = "only groups G0 to G2 and two seeds: less than a minute"},
  {0},
};

static const char * map_name(int32_t i) { return maps[i].name; }
static const char * group_name(int32_t i) { return groups[i].name; }

// The names that an option may list.
typedef struct rtaa_choice_t {
  const char * option;
  const char * (*name)(int32_t);
  int32_t count;
} rtaa_choice_t;

// Marks the names of a list; NULL marks all. Returns an exit code after an error message.
static int choose(const rtaa_choice_t * choice, const char * list, bool * chosen)
{
  bench_names_t words = {.count = 0};
  if (list != NULL && bench_names_read(&words, choice->option, list) != CLI_SUCCESS) {
    return CLI_USAGE;
  }
  int32_t found = 0;
  for (int32_t i = 0; i < choice->count; ++i) {
    chosen[i] = list == NULL;
    for (int32_t word = 0; word < words.count; ++word) {
      if (strcmp(words.items[word], choice->name(i)) == 0) {
        chosen[i] = true;
        ++found;
      }
    }
  }
  return found == words.count ? CLI_SUCCESS
                              : cli_error(
                                  CLI_USAGE, "--%s must be names from %s to %s with commas between, not \"%s\"",
                                  choice->option, choice->name(0), choice->name(choice->count - 1), list);
}

static int read_backend(const char * text, fw_backend_t * backend)
{
  static const char * const names[] = {"auto", "cpu", "cuda"};
  for (int32_t i = 0; i < 3; ++i) {
    if (strcmp(text, names[i]) == 0) {
      *backend = (fw_backend_t)i;
      return CLI_SUCCESS;
    }
  }
  return cli_error(CLI_USAGE, "--backend must be auto, cpu or cuda, not \"%s\"", text);
}

static int prepare(const rtaa_options_t * options, rtaa_report_t * report)
{
  const char * group_list = options->groups == NULL && options->is_quick ? "G0,G1,G2" : options->groups;
  report->batch = fw_batch_options_default();
  report->batch.lookahead = (int32_t)options->lookahead;
  report->batch.moves = (int32_t)(options->moves == 0 ? options->lookahead : options->moves);
  report->batch.connectivity = (int32_t)options->connectivity;
  report->batch.device = (int32_t)options->device;
  report->batch.devices = (int32_t)options->devices;
  report->batch.memory = strcmp(options->memory, "regions") == 0 ? FW_MEMORY_REGIONS : FW_MEMORY_WINDOW;
  report->obstacles = (int32_t)options->obstacles;
  report->hidden = (int32_t)options->unknown.hidden;
  report->sight = (int32_t)options->unknown.sight;
  report->seed = options->seed;
  report->seeds = (int32_t)(options->seeds > 0 ? options->seeds : options->is_quick ? 2 : 5);
  report->repeat = (int32_t)options->repeat;
  const int64_t threads = options->threads > 0 ? options->threads : report->host.cores;
  report->mode = (rtaa_mode_t){(int32_t)threads, !options->is_staged, (int32_t)options->stride};
  if (options->connectivity != 4 && options->connectivity != 8) {
    return cli_error(CLI_USAGE, "--connectivity must be 4 or 8");
  }
  if (options->moves > options->lookahead) {
    return cli_error(CLI_USAGE, "--moves must not be more than --lookahead");
  }
  int exit_code = choose(&(rtaa_choice_t){"maps", map_name, MAPS}, options->maps, report->has_map);
  if (exit_code == CLI_SUCCESS) {
    exit_code = choose(&(rtaa_choice_t){"groups", group_name, GROUPS}, group_list, report->has_group);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = read_backend(options->backend, &report->batch.backend);
  }
  return exit_code == CLI_SUCCESS && !bench_output_is_possible(&options->output) ? CLI_FAILURE : exit_code;
}

static int measure(const rtaa_options_t * options)
{
  static rtaa_report_t report;  // large
  report = (rtaa_report_t){0};
  bench_host_read(&report.host);
  int exit_code = prepare(options, &report);
  if (exit_code == CLI_SUCCESS) {
    exit_code = run_all(&report);
  }
  return exit_code == CLI_SUCCESS
           ? bench_output_write(&options->output, &(bench_report_t){&report, print_text, print_json, write_csv})
           : exit_code;
}

static int run(int argument_count, char ** arguments)
{
  rtaa_options_t options = {
    .lookahead = 3,
    .connectivity = 8,
    .stride = 64,
    .repeat = 1,
    .seed = 1,
    .unknown = {.sight = 3},
    .backend = "auto",
    .memory = "window",
    .devices = 1};
  const cli_group_t option_groups[] = {
    {"Worlds", world_options, .values = &options},
    {"Unknown obstacles", bench_unknown_options, .values = &options.unknown},
    {"Search", search_options, .values = &options},
    {"Bench", run_options, .values = &options},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench rtaa",
    .usage = "[--maps A,B,...] [--groups A,B,...] [--backend auto|cpu|cuda] [--threads N] [--quick] [--json]",
    .about =
      "Real-Time Adaptive A* for up to 294,912 robots at once, each for itself, on the maps and with the\n"
      "groups of Erra and Caggianese 2011: memory (Table 2), path lengths and episodes (Table 3), times\n"
      "(Figure 4), the largest of them in several modes (Figure 5), and five small tasks with A* beside\n"
      "RTAA* (Table 4). RTAA* is the paper's algorithm, and the mode `--staged --stride 1` is nearest to\n"
      "the paper's; fused stages, several episodes per call and CPU threads are ours. All modes must give\n"
      "the same answer. (The planner `rtaa`, whose robots avoid each other, is an extension of ours and not\n"
      "measured here: see `bench mapf`.)",
    .groups = option_groups,
    .examples =
      "  fleetweave bench rtaa --quick\n"
      "  fleetweave bench rtaa --maps T5 --groups G5 --obstacles 10 --json\n"
      "  fleetweave bench rtaa --maps T3 --groups G1 --obstacles 20 --hidden 50 --sight 2\n"
      "  fleetweave bench rtaa --csv rtaa.csv         # then, in the repository: ./run plot rtaa.csv -o rtaa.svg",
    .exit_codes = "0 done, 1 interrupted, 2 wrong command line, 3 failure, or answers that differ.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t bench_rtaa = {
  .name = "rtaa",
  .summary = "the experiments of Erra and Caggianese (2011): RTAA* for up to 294,912 robots",
  .run = run,
};
