// `bench scaling`: time and memory as the number of robots grows at one density, and the exponents of their growth.
//
// The map grows with the robots, so that each robot has the same room. Its path grows too, with the side of the map;
// therefore the time per robot-step is reported as well, and lifelong planning rounds, which depend on path lengths
// only through the goals that are new in a round.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/lifelong.h"
#include "cli/common/instance.h"
#include "cli/common/message.h"

enum { MAP_SIZE = 192 };

// ---- data -----------------------------------------------------------------------------------------------------------

typedef struct scaling_world_t {
  const char * kind;  // of a map maker, with keys: "random,obstacles=20"
  double density;     // robots per hundred free cells
  int64_t reach;      // goals at most this many moves from the starts; 0: anywhere
  int64_t seed;
  int32_t robot_count;
} scaling_world_t;

// One run: a solve, or a lifelong fleet.
typedef struct scaling_run_t {
  bool is_life;
  bench_run_t solve;
  double processor_ms;  // of all threads, for the solve and the check of its plan
  bench_life_figures_t life;
} scaling_run_t;

// A planner with a number of robots.
typedef struct scaling_row_t {
  const char * planner;
  int32_t robot_count;
  char map[MAP_SIZE];
  int32_t free_count;
  scaling_run_t * runs;
  int32_t run_count;
} scaling_row_t;

typedef struct scaling_report_t {
  bench_host_t host;
  scaling_world_t world;  // robot_count is each row's own
  const cli_solve_options_t * solve;
  const bench_life_options_t * life;  // NULL: plans to the goals
  const char * const * planners;
  int32_t planner_count;
  int64_t from;  // robots double from here
  int64_t to;    // up to here, which is the last number of robots
  int32_t repeat;
  bool is_processor_time;
  // Filled by the run:
  scaling_row_t * rows;  // by number of robots, then by planner
  int32_t row_count;
  bool has_failed;  // some run has no answer, or one that fails its check
} scaling_report_t;

// One row in short.
typedef struct scaling_figures_t {
  bool is_solved;   // every run; only such rows are fitted
  char end[48];     // "solved", or how the first unsolved run ended
  double ms;        // median: of the solve, or of a round
  double expanded;  // of the solve, or per round
  double memory_mb;
  double steps;               // sum of the single-robot shortest path lengths; 0 for a lifelong fleet
  double cost;                // sum of costs
  bench_life_figures_t life;  // of the first run
} scaling_figures_t;

// Exponents of the number of robots: least squares of the logarithms over all solved rows of a planner. NaN where fewer
// than two rows with different numbers of robots are solved.
typedef struct scaling_fit_t {
  int32_t row_count;
  double time;
  double time_per_step;  // time over `steps`
  double expanded;
  double memory;
  double path;  // steps per robot
} scaling_fit_t;

// ---- worlds of one density ------------------------------------------------------------------------------------------

// Breadth-first search from a cell, with memory that is kept between searches.
typedef struct neighbourhood_t {
  const fw_grid_t * grid;
  fw_cell_t * found;  // cells by their distance from the start
  int32_t * marks;    // by cell: the last search that reached it; 0: none
} neighbourhood_t;

static bool neighbourhood_init(neighbourhood_t * around, const fw_grid_t * grid)
{
  const size_t cell_count = (size_t)fw_grid_cell_count(grid);
  *around = (neighbourhood_t){
    .grid = grid,
    .found = calloc(cell_count, sizeof(*around->found)),
    .marks = calloc(cell_count, sizeof(*around->marks)),
  };
  return around->found != NULL && around->marks != NULL;
}

static void neighbourhood_fini(neighbourhood_t * around)
{
  free(around->found);
  free(around->marks);
}

// Finds all cells at most `reach` moves from `start` and marks them with `mark`. Returns how many there are.
static int32_t find_within_reach(neighbourhood_t * around, fw_cell_t start, int64_t reach, int32_t mark)
{
  FW_ASSERT(around->grid->cost[start] != 0 && mark != 0 && around->marks[start] != mark);
  static const fw_offset_t sides[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  int32_t count = 0;
  int32_t level_end = 1;
  around->found[count++] = start;
  around->marks[start] = mark;
  for (int32_t i = 0; i < count && reach > 0; ++i) {
    for (int32_t d = 0; d < 4; ++d) {
      const int32_t x = fw_grid_x(around->grid, around->found[i]) + sides[d].dx;
      const int32_t y = fw_grid_y(around->grid, around->found[i]) + sides[d].dy;
      if (fw_grid_is_free(around->grid, x, y) && around->marks[fw_grid_cell(around->grid, x, y)] != mark) {
        around->marks[fw_grid_cell(around->grid, x, y)] = mark;
        around->found[count++] = fw_grid_cell(around->grid, x, y);
      }
    }
    if (i + 1 == level_end) {
      level_end = count;
      --reach;
    }
  }
  return count;
}

// ---- maps -----------------------------------------------------------------------------------------------------------

// "random,obstacles=20" with a side of 64 and seed 3 is "random:64x64,obstacles=20,seed=3".
static void write_line(const scaling_world_t * world, int32_t side, char map[MAP_SIZE])
{
  const int name = (int)strcspn(world->kind, ",");
  snprintf(
    map, MAP_SIZE, "%.*s:%dx%d%.100s,seed=%d", name, world->kind, side, side, world->kind + name, (int)world->seed);
}

// Blocks every cell outside the largest component: a robot in a small one would have nowhere to go. Returns the free
// cells, -1 after an error message.
static int32_t fill_pockets(fw_grid_t * grid)
{
  const fw_cell_t cell_count = fw_grid_cell_count(grid);
  fw_cell_t * kept = malloc((size_t)cell_count * sizeof(*kept));
  const int32_t count = kept != NULL ? bench_find_largest_component(grid, kept) : -1;
  for (fw_cell_t cell = 0, next = 0; cell < cell_count && count >= 0; ++cell) {
    const bool is_kept = next < count && kept[next] == cell;  // `kept` is sorted
    next += is_kept ? 1 : 0;
    grid->cost[cell] = is_kept ? grid->cost[cell] : 0;
  }
  free(kept);
  return count >= 0 ? count : cli_error(-1, "out of memory");
}

// Replaces the grid of `instance` by one of this side. Returns its free cells, -1 after an error message.
static int32_t make_grid(const scaling_world_t * world, int32_t side, cli_instance_t * instance, char map[MAP_SIZE])
{
  fw_error_t error = {0};
  write_line(world, side, map);
  fw_grid_fini(&instance->grid);
  if (fw_grid_make(&instance->grid, map, NULL, &error) != FW_RET_OK) {
    return cli_error(-1, "--kind: %s", error.text);
  }
  instance->map_name = map;
  return fill_pockets(&instance->grid);
}

// The smallest square map of the kind with enough free cells, found by doubling and bisection.
static int fit_grid(const scaling_world_t * world, cli_instance_t * instance, char map[MAP_SIZE])
{
  const double wanted = ceil(world->robot_count * 100.0 / world->density);
  int32_t low = 1;  // too few free cells, or nothing smaller was tried
  int32_t high = 8;
  int32_t free_count = make_grid(world, high, instance, map);
  while (free_count >= 0 && free_count < wanted && high < FW_GRID_SIDE_MAX) {
    low = high;
    high = high * 2 < FW_GRID_SIDE_MAX ? high * 2 : FW_GRID_SIDE_MAX;
    free_count = make_grid(world, high, instance, map);
  }
  if (free_count >= 0 && free_count < wanted) {
    return cli_error(
      CLI_USAGE, "%d robots at this density need a map larger than the largest possible; raise --density or lower --to",
      world->robot_count);
  }
  while (free_count >= 0 && high - low > 1) {
    const int32_t middle = (low + high) / 2;
    free_count = make_grid(world, middle, instance, map);
    *(free_count >= wanted ? &high : &low) = middle;
  }
  return free_count >= 0 && make_grid(world, high, instance, map) >= 0 ? CLI_SUCCESS : CLI_USAGE;
}

// ---- goals within reach ---------------------------------------------------------------------------------------------

// Gives every robot a random goal within reach that no other robot has.
static int draw_goals_near(
  neighbourhood_t * around, bool * is_goal, const scaling_world_t * world, fw_scenario_t * scenario)
{
  fw_rng_t rng = fw__rng((uint64_t)world->seed + 1);
  for (int32_t r = 0; r < scenario->robot_count; ++r) {
    fw_robot_t * robot = &scenario->robots[r];
    const int32_t count = find_within_reach(around, robot->start, world->reach, r + 1);
    int32_t at = fw__rng_below(&rng, count);
    int32_t tried = 0;
    for (; tried < count && is_goal[around->found[at]]; ++tried) {
      at = (at + 1) % count;
    }
    if (tried == count) {
      return cli_error(
        CLI_FAILURE, "robot %d: all cells within %d moves are goals already; use a longer --reach or a lower --density",
        r, (int)world->reach);
    }
    robot->goal = around->found[at];
    is_goal[robot->goal] = true;
  }
  return CLI_SUCCESS;
}

static int bring_goals_near(const scaling_world_t * world, cli_instance_t * instance)
{
  neighbourhood_t around;
  bool * is_goal = calloc((size_t)fw_grid_cell_count(&instance->grid), sizeof(*is_goal));
  const int exit_code = neighbourhood_init(&around, &instance->grid) && is_goal != NULL
                          ? draw_goals_near(&around, is_goal, world, &instance->scenario)
                          : cli_error(CLI_FAILURE, "out of memory");
  neighbourhood_fini(&around);
  free(is_goal);
  return exit_code;
}

// A map with enough free cells, and random robots on it. `map` receives the map's specification and must live as long
// as the instance. Returns an exit code after an error message.
static int make_instance(const scaling_world_t * world, cli_instance_t * instance, char map[MAP_SIZE])
{
  cli_instance_options_t options = cli_instance_options_default();
  options.robots = world->robot_count;
  options.seed = world->seed;
  int exit_code = fit_grid(world, instance, map);
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load_robots(instance, &options);
  }
  if (exit_code == CLI_SUCCESS && world->reach > 0) {
    exit_code = bring_goals_near(world, instance);
  }
  return exit_code;
}

// ---- exponents ------------------------------------------------------------------------------------------------------

// Sums for a least-squares line through points.
typedef struct regression_t {
  int32_t count;
  double x, y, xx, xy;
} regression_t;

// Points without a logarithm are left out.
static void regression_add(regression_t * line, double robots, double value)
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

// NaN for fewer than two points, or points at one x only.
static double regression_slope(const regression_t * line)
{
  const double spread = line->count * line->xx - line->x * line->x;
  return line->count >= 2 && spread > 1e-9 ? (line->count * line->xy - line->x * line->y) / spread : NAN;
}

// Medians over the runs of a row; counts are those of its first run, since all are equal.
static scaling_figures_t figures_of(const scaling_report_t * report, const scaling_row_t * row)
{
  FW_ASSERT(row->run_count <= BENCH_REPEAT_MAX);
  double times[BENCH_REPEAT_MAX];
  scaling_figures_t figures = {.is_solved = row->run_count > 0, .end = "solved"};
  for (int32_t i = row->run_count - 1; i >= 0; --i) {
    const scaling_run_t * run = &row->runs[i];
    const fw_stats_t * stats = &run->solve.stats;
    const bool is_life = run->is_life;
    if (run->solve.has_failed || run->solve.outcome != FW_OUTCOME_SOLVED) {
      figures.is_solved = false;
      snprintf(
        figures.end, sizeof(figures.end), "%s, %s",
        run->solve.has_failed ? "failed" : fw_outcome_name(run->solve.outcome), fw_stop_name(run->solve.stop));
    }
    times[i] = is_life                     ? run->life.round_ms[0]
               : report->is_processor_time ? run->processor_ms
                                           : (double)stats->elapsed_ns / 1e6;
    figures.expanded = is_life ? run->life.expanded : (double)stats->expanded;
    figures.memory_mb = is_life ? run->life.memory_mb : (double)stats->memory_peak_bytes / 1e6;
    figures.steps = is_life ? 0.0 : (double)stats->lower_bound;
    figures.cost = (double)stats->sum_of_costs;
    figures.life = run->life;
  }
  figures.ms = bench_median(times, row->run_count);
  return figures;
}

static scaling_fit_t fit_exponents(const scaling_report_t * report, int32_t planner)
{
  FW_ASSERT(planner >= 0 && planner < report->planner_count);
  regression_t time = {0}, time_per_step = {0}, expanded = {0}, memory = {0}, path = {0};
  scaling_fit_t fit = {0};
  for (int32_t i = planner; i < report->row_count; i += report->planner_count) {
    const scaling_figures_t figures = figures_of(report, &report->rows[i]);
    const double robots = report->rows[i].robot_count;
    if (!figures.is_solved) {
      continue;
    }
    ++fit.row_count;
    regression_add(&time, robots, figures.ms);
    regression_add(&time_per_step, robots, figures.ms / figures.steps);
    regression_add(&expanded, robots, figures.expanded);
    regression_add(&memory, robots, figures.memory_mb);
    regression_add(&path, robots, figures.steps / robots);
  }
  fit.time = regression_slope(&time);
  fit.time_per_step = regression_slope(&time_per_step);
  fit.expanded = regression_slope(&expanded);
  fit.memory = regression_slope(&memory);
  fit.path = regression_slope(&path);
  return fit;
}

// ---- running --------------------------------------------------------------------------------------------------------

// Allocates a row for each number of robots and planner.
static int make_rows(scaling_report_t * report)
{
  int32_t size_count = 1;
  for (int64_t robots = report->from; robots < report->to; robots *= 2) {
    ++size_count;
  }
  const int32_t row_count = size_count * report->planner_count;
  report->rows = calloc((size_t)row_count + 1, sizeof(*report->rows));
  for (int32_t i = 0; report->rows != NULL && i < row_count; i++) {
    scaling_row_t * row = &report->rows[i];
    row->planner = report->planners[i % report->planner_count];
    const int64_t robots = report->from << (i / report->planner_count);
    row->robot_count = (int32_t)(robots < report->to ? robots : report->to);
    row->runs = calloc((size_t)report->repeat, sizeof(*row->runs));
    report->row_count = i + 1;
    if (row->runs == NULL) {
      return cli_error(CLI_FAILURE, "out of memory");
    }
  }
  return report->rows != NULL ? CLI_SUCCESS : cli_error(CLI_FAILURE, "out of memory");
}

// Of all threads of this program.
static int64_t processor_now_ns(void)
{
  struct timespec now;
  return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0 ? (int64_t)now.tv_sec * 1000000000 + now.tv_nsec : 0;
}

static int solve_once(scaling_report_t * report, const scaling_row_t * row, const fw_problem_t * problem)
{
  cli_progress_t progress = {0};
  snprintf(
    progress.label, sizeof(progress.label), "%s, %d robots, run %d of %d", row->planner, row->robot_count,
    row->run_count + 1, report->repeat);
  const cli_solve_request_t request = {
    .planner = row->planner,
    .problem = problem,
    .seed = (uint64_t)report->world.seed,
    .options = report->solve,
    .progress = &progress,
  };
  const int64_t start_ns = processor_now_ns();
  const int exit_code = bench_solve(&request, &row->runs[row->run_count].solve);
  row->runs[row->run_count].processor_ms = (double)(processor_now_ns() - start_ns) / 1e6;
  return exit_code;
}

static int drive_once(scaling_report_t * report, const scaling_row_t * row, const fw_problem_t * problem)
{
  bench_life_t life = {0};
  bench_life_options_t options = *report->life;
  options.seed = report->world.seed;
  const int exit_code = bench_life_run(&life, problem, &options);
  scaling_run_t * run = &row->runs[row->run_count];
  run->is_life = true;
  run->solve.has_failed = exit_code != CLI_SUCCESS;
  if (exit_code == CLI_SUCCESS) {
    run->solve.outcome = FW_OUTCOME_SOLVED;
    run->life = bench_life_figures(&life);
  }
  bench_life_fini(&life);
  return exit_code;
}

// A failed run is recorded and the experiment goes on; a wrong command line or an interruption ends it.
static int run_once(scaling_report_t * report, scaling_row_t * row, const fw_problem_t * problem)
{
  FW_ASSERT(row->run_count < report->repeat);
  const int exit_code = report->life != NULL ? drive_once(report, row, problem) : solve_once(report, row, problem);
  if (exit_code == CLI_USAGE) {
    return exit_code;
  }
  if (cli_progress_was_interrupted()) {
    return CLI_NOT_SOLVED;
  }
  report->has_failed = report->has_failed || row->runs[row->run_count].solve.has_failed;
  ++row->run_count;
  return CLI_SUCCESS;
}

// All runs with one number of robots: a new map, then repeat by repeat all planners in turn.
static int run_size(scaling_report_t * report, scaling_row_t * rows, cli_instance_t * instance)
{
  scaling_world_t world = report->world;
  world.robot_count = rows[0].robot_count;
  char map[MAP_SIZE];
  int exit_code = make_instance(&world, instance, map);
  for (int32_t p = 0; p < report->planner_count && exit_code == CLI_SUCCESS; p++) {
    snprintf(rows[p].map, sizeof(rows[p].map), "%s", map);
    rows[p].free_count = bench_count_free(&instance->grid);
  }
  for (int32_t repeat = 0; repeat < report->repeat; repeat++) {
    for (int32_t p = 0; p < report->planner_count && exit_code == CLI_SUCCESS; p++) {
      if (repeat == 0 || figures_of(report, &rows[p]).is_solved) {
        exit_code = run_once(report, &rows[p], &instance->problem);
      }
    }
  }
  return exit_code;
}

static int run_all(scaling_report_t * report)
{
  int exit_code = make_rows(report);
  for (int32_t i = 0; i < report->row_count && exit_code == CLI_SUCCESS; i += report->planner_count) {
    cli_instance_t instance = {0};
    exit_code = run_size(report, &report->rows[i], &instance);
    cli_instance_fini(&instance);
  }
  return exit_code;
}

static void fini_report(scaling_report_t * report)
{
  for (int32_t i = 0; i < report->row_count; i++) {
    free(report->rows[i].runs);
  }
  free(report->rows);
  *report = (scaling_report_t){0};
}

// ---- text -----------------------------------------------------------------------------------------------------------

static void print_head(const scaling_report_t * report)
{
  bench_host_print(&report->host);
  printf(
    "# %s, %g robots per 100 free cells, seed %" PRId64, report->world.kind, report->world.density, report->world.seed);
  if (report->world.reach > 0) {
    printf(", goals within %" PRId64 " moves", report->world.reach);
  }
  if (report->life != NULL) {
    printf(
      ", window %" PRId64 ", %" PRId64 " ticks, %d runs each; the driven paths passed the check\n",
      report->life->window, report->life->ticks, report->repeat);
    printf(
      "%-12s %6s %6s %10s %9s %9s %10s %10s %10s %9s %9s  %s\n", "planner", "robots", "side", "median ms", "99 % ms",
      "worst ms", "us/robot", "searches", "expanded", "MB", "goals", "end");
  } else {
    printf(
      ", limit %g s, %d runs each; every plan checked%s\n", report->solve->time_limit, report->repeat,
      report->is_processor_time ? "; times are processor time with the check" : "");
    printf(
      "%-12s %6s %6s %8s %10s %10s %10s %12s %9s %10s  %s\n", "planner", "robots", "side", "path", "median ms",
      "ms/robot", "us/step", "expanded", "MB", "cost/bound", "end");
  }
}

// The side of the square map, from its specification.
static int32_t side_of(const scaling_row_t * row)
{
  int32_t side = 0;
  char * at = strchr((char *)row->map, ':');
  return at != NULL && fw__text_skip(&at, ":") && fw__text_integer(&at, 0, INT32_MAX, &side) ? side : 0;
}

static void print_row(const scaling_report_t * report, const scaling_row_t * row)
{
  const bool is_life = report->life != NULL;
  const scaling_figures_t figures = figures_of(report, row);
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

static void print_fit(const scaling_report_t * report, int32_t planner)
{
  const scaling_fit_t fit = fit_exponents(report, planner);
  const char * name = report->rows[planner].planner;
  if (isnan(fit.time)) {
    printf("%s: fewer than two numbers of robots were solved: no exponent can be fitted\n", name);
    return;
  }
  printf(
    "%s, %d numbers of robots: %s grows with robots^%.2f, expanded nodes%s with robots^%.2f, memory with robots^%.2f",
    name, fit.row_count, report->life != NULL ? "the time of a round" : "time", fit.time,
    report->life != NULL ? " per round" : "", fit.expanded, fit.memory);
  if (!isnan(fit.path)) {
    printf("; a robot's path with robots^%.2f, time per robot-step with robots^%.2f", fit.path, fit.time_per_step);
  }
  putchar('\n');
}

static void print_text(const void * state)
{
  const scaling_report_t * report = state;
  print_head(report);
  for (int32_t i = 0; i < report->row_count; ++i) {
    if (report->rows[i].run_count > 0) {  // else interrupted before its turn
      print_row(report, &report->rows[i]);
    }
  }
  for (int32_t planner = 0; planner < report->planner_count; ++planner) {
    print_fit(report, planner);
  }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void write_row(cli_json_t * json, const scaling_report_t * report, const scaling_row_t * row)
{
  const bool is_life = report->life != NULL;
  const scaling_figures_t figures = figures_of(report, row);
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

static void write_fit(cli_json_t * json, const scaling_report_t * report, int32_t planner)
{
  const scaling_fit_t fit = fit_exponents(report, planner);
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

static void print_json(const void * state)
{
  const scaling_report_t * report = state;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  bench_host_write(&report->host, &json);
  cli_json_text(&json, "kind", report->world.kind);
  cli_json_number(&json, "density", report->world.density);
  cli_json_integer(&json, "reach", report->world.reach);
  cli_json_integer(&json, "seed", report->world.seed);
  cli_json_number(&json, "time_limit", report->solve->time_limit);
  cli_json_boolean(&json, "lifelong", report->life != NULL);
  cli_json_boolean(&json, "processor_time", report->is_processor_time);
  cli_json_open(&json, "rows", '[');
  for (int32_t i = 0; i < report->row_count; ++i) {
    if (report->rows[i].run_count > 0) {
      write_row(&json, report, &report->rows[i]);
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

static void write_life_run(FILE * stream, const scaling_run_t * run)
{
  const bench_life_figures_t * life = &run->life;
  fprintf(
    stream, ",%s,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", run->solve.has_failed ? "failed" : "done", life->round_ms[0],
    life->round_ms[1], life->round_ms[2], life->searches[0], run->life.expanded, life->memory_mb,
    life->goals_per_1000_ticks);
}

static void write_solve_run(FILE * stream, const bench_run_t * run)
{
  const fw_stats_t * stats = &run->stats;
  fprintf(
    stream, ",%s,%s,%.6f,%" PRId64 ",%zu,%" PRId64 ",%" PRId64 ",%d\n",
    run->has_failed ? "failed" : fw_outcome_name(run->outcome), fw_stop_name(run->stop),
    (double)stats->elapsed_ns / 1e6, stats->expanded, stats->memory_peak_bytes, stats->sum_of_costs, stats->lower_bound,
    stats->makespan);
}

static void write_csv(const void * state, FILE * stream)
{
  const scaling_report_t * report = state;
  fputs("planner,robots,map,free_cells,run,outcome,", stream);
  fputs(
    report->life != NULL
      ? "round_ms_median,round_ms_p99,round_ms_worst,searches_per_tick,expanded_per_round,memory_peak_mb,"
        "goals_per_1000_ticks\n"
      : "stop,elapsed_ms,expanded,memory_peak_bytes,sum_of_costs,lower_bound,makespan\n",
    stream);
  for (int32_t i = 0; i < report->row_count; ++i) {
    const scaling_row_t * row = &report->rows[i];
    for (int32_t run = 0; run < row->run_count; ++run) {
      fprintf(stream, "%s,%d,\"%s\",%d,%d", row->planner, row->robot_count, row->map, row->free_count, run);
      if (report->life != NULL) {
        write_life_run(stream, &row->runs[run]);
      } else {
        write_solve_run(stream, &row->runs[run].solve);
      }
    }
  }
}

// ---- command --------------------------------------------------------------------------------------------------------

typedef struct scaling_options_t {
  scaling_world_t world;
  cli_solve_options_t solve;
  bench_life_options_t life;
  const char * planners;
  int64_t from;
  int64_t to;
  int64_t repeat;
  bool is_lifelong;
  bool is_processor_time;
  bench_output_t output;
} scaling_options_t;

#define AT(member) offsetof(scaling_options_t, member)

static const cli_option_t world_options[] = {
  {.name = "kind",
   .kind = CLI_TEXT,
   .offset = AT(world.kind),
   .value = "KIND",
   .help = "kind of generated map, with its keys but without a size (`fleetweave make --help`)\n"
           "(default: random,obstacles=20)"},
  {.name = "density",
   .kind = CLI_NUMBER,
   .offset = AT(world.density),
   .min = 0,
   .max = 50,
   .value = "PERCENT",
   .help = "robots per hundred free cells (default: 2)"},
  {.name = "from",
   .kind = CLI_INTEGER,
   .offset = AT(from),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "the first number of robots; it doubles (default: 100)"},
  {.name = "to",
   .kind = CLI_INTEGER,
   .offset = AT(to),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "the last number of robots, doubled or not (default: 3200)"},
  {.name = "reach",
   .kind = CLI_INTEGER,
   .offset = AT(world.reach),
   .min = 0,
   .max = 1000000,
   .value = "N",
   .help = "goals at most N moves from the starts, so that paths do not grow with the\n"
           "map (default: 0, anywhere)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(world.seed),
   .min = 0,
   .max = INT32_MAX,
   .value = "N",
   .help = "for maps, robots and randomised planners (default: 0)"},
  {0},
};
static const cli_option_t bench_options[] = {
  {.name = "planners",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(planners),
   .value = "A,B,...",
   .help = "planners to measure; they take turns (default: hca,whca)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = BENCH_REPEAT_MAX,
   .value = "N",
   .help = "runs of each planner; an unsolved one is not repeated (default: 3)"},
  {.name = "processor-time",
   .kind = CLI_FLAG,
   .offset = AT(is_processor_time),
   .help = "times are processor time of all threads, with the check of the plan, for a\n"
           "machine that others use; not with --lifelong"},
  {0},
};
static const cli_option_t life_options[] = {
  {.name = "lifelong",
   .kind = CLI_FLAG,
   .offset = AT(is_lifelong),
   .help = "measure planning rounds as in `bench lifelong` instead of whole plans"},
  {.name = "ticks",
   .kind = CLI_INTEGER,
   .offset = AT(life.ticks),
   .min = 2,
   .max = 1000000,
   .value = "T",
   .help = "how long the lifelong fleet drives (default: 200)"},
  {.name = "window",
   .kind = CLI_INTEGER,
   .offset = AT(life.window),
   .min = 2,
   .max = 4096,
   .value = "W",
   .help = "its planning horizon in ticks (default: 16)"},
  {0},
};

static int check_options(const scaling_options_t * options)
{
  if (options->world.density <= 0.0) {
    return cli_error(CLI_USAGE, "--density must be more than 0");
  }
  if (options->from > options->to) {
    return cli_error(CLI_USAGE, "--from must not be more than --to");
  }
  if (options->is_processor_time && options->is_lifelong) {
    return cli_error(CLI_USAGE, "--processor-time is for whole plans, not for --lifelong");
  }
  return bench_output_is_possible(&options->output) ? CLI_SUCCESS : CLI_FAILURE;
}

static int read_planners(const scaling_options_t * options, bench_names_t * planners)
{
  const int exit_code = bench_names_read(planners, "planners", options->is_lifelong ? "lifelong" : options->planners);
  return exit_code != CLI_SUCCESS || options->is_lifelong
           ? exit_code
           : cli_solve_check_options(&options->solve, planners->items, planners->count);
}

static int measure(const scaling_options_t * options)
{
  bench_names_t planners;
  scaling_report_t report = {
    .world = options->world,
    .solve = &options->solve,
    .life = options->is_lifelong ? &options->life : NULL,
    .planners = planners.items,
    .from = options->from,
    .to = options->to,
    .repeat = (int32_t)options->repeat,
    .is_processor_time = options->is_processor_time,
  };
  bench_host_read(&report.host);
  int exit_code = check_options(options);
  if (exit_code == CLI_SUCCESS) {
    exit_code = read_planners(options, &planners);
  }
  if (exit_code == CLI_SUCCESS) {
    report.planner_count = planners.count;
    exit_code = run_all(&report);
  }
  if (exit_code == CLI_SUCCESS || exit_code == CLI_NOT_SOLVED) {
    const int written =
      bench_output_write(&options->output, &(bench_report_t){&report, print_text, print_json, write_csv});
    exit_code = written == CLI_SUCCESS && !report.has_failed ? exit_code : CLI_FAILURE;
  }
  fini_report(&report);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  scaling_options_t options = {
    .world = {.kind = "random,obstacles=20", .density = 2.0},
    .solve = cli_solve_options_default(),
    .life = {.ticks = 200, .window = 16},
    .planners = "hca,whca",
    .from = 100,
    .to = 3200,
    .repeat = 3,
  };
  const cli_group_t groups[] = {
    {"Worlds", world_options, .values = &options},
    {"Bench", bench_options, .values = &options},
    {"Lifelong", life_options, .values = &options},
    {"Planners' limits and parameters", cli_solve_options, .values = &options.solve},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench scaling",
    .usage = "[--kind KIND] [--density PERCENT] [--from N] [--to N] [--planners A,B,... | --lifelong] [--repeat N]",
    .about =
      "Doubles the number of robots on maps that grow with them, prints time and memory, and fits\n"
      "exponents: time grows with robots^exponent. Paths get longer with the map, so a plan to all goals\n"
      "must grow faster than the number of robots; the time per robot-step (divided by the sum of all\n"
      "single-robot shortest paths) shows how much of the growth that explains. Every plan is checked;\n"
      "unsolved runs are reported and left out of the fit.",
    .groups = groups,
    .examples =
      "  fleetweave bench scaling\n"
      "  fleetweave bench scaling --kind warehouse --density 3 --planners whca --set window=16 --time-limit 120\n"
      "  fleetweave bench scaling --to 10000 --planners hca,lacam --repeat 1 --processor-time\n"
      "  fleetweave bench scaling --lifelong --kind open --to 6400 --csv rounds.csv",
    .exit_codes = "0 all runs done (solved or not), 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t bench_scaling = {
  .name = "scaling",
  .summary = "time and memory as robots double at one density, with fitted exponents",
  .run = run,
};
