// `bench arrival`: robots of a batch, each for itself, with the memories `window` and `regions` side by side: how many
// arrive, how long their paths are beside the shortest ones, and what it costs in memory and time. A part of the
// obstacles may be unknown to them.

#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cli/common/instance.h"
#include "cli/common/message.h"
#include "fleetweave/batch.h"
#include "world/hidden.h"

enum { MEMORIES = 2 };

static const char * const memory_names[MEMORIES] = {"window", "regions"};

typedef struct arrival_options_t {
  cli_instance_options_t instance;
  int64_t lookahead;
  int64_t threads;
  int64_t episodes;
  bench_unknown_t unknown;
  bench_output_t output;
} arrival_options_t;

typedef struct arrival_row_t {
  int32_t arrived;
  int32_t stuck;
  double ratio;  // of the lengths of those that arrived to the shortest ones, in sum
  double worst;  // the largest of one robot with a shortest path of 20 moves at least
  int64_t robot_episodes;
  int64_t passes;
  size_t robot_bytes;
  size_t region_bytes;
  double init_ms;
  double run_ms;
} arrival_row_t;

typedef struct arrival_report_t {
  bench_host_t host;
  const arrival_options_t * options;
  const char * map_name;
  int32_t robots;
  int32_t reachable;  // of these, robots with a way to their goals
  arrival_row_t rows[MEMORIES];
} arrival_report_t;

// What is measured on one map.
typedef struct arrival_world_t {
  const fw_grid_t * grid;
  fw_grid_t known;  // what robots know at first
  fw_cell_t * starts;
  fw_cell_t * goals;
  int32_t * shortest;  // by robot, -1 if there is no way
  int32_t robots;
  int32_t connectivity;
} arrival_world_t;

// ---- the world ------------------------------------------------------------------------------------------------------

static bool has_move(const fw_grid_t * grid, fw_cell_t cell, int32_t dx, int32_t dy)
{
  const int32_t x = fw_grid_x(grid, cell), y = fw_grid_y(grid, cell);
  return fw_grid_is_free(grid, x + dx, y + dy) && fw_grid_is_free(grid, x + dx, y) && fw_grid_is_free(grid, x, y + dy);
}

// Moves of a shortest path by breadth-first search, -1 if there is none. `distance` and `queue` have a value per cell.
static int32_t find_shortest(const arrival_world_t * world, int32_t robot, int32_t * distance, fw_cell_t * queue)
{
  const fw_grid_t * grid = world->grid;
  int32_t count = 1;
  memset(distance, 0xff, (size_t)fw_grid_cell_count(grid) * sizeof(*distance));
  queue[0] = world->starts[robot];
  distance[queue[0]] = 0;
  for (int32_t at = 0; at < count && distance[world->goals[robot]] < 0; ++at) {
    for (int32_t dy = -1; dy <= 1; ++dy) {
      for (int32_t dx = -1; dx <= 1; ++dx) {
        const bool is_step = world->connectivity == 8 ? dx != 0 || dy != 0 : (dx == 0) != (dy == 0);
        if (is_step && has_move(grid, queue[at], dx, dy)) {
          const fw_cell_t to = queue[at] + dy * grid->width + dx;
          if (distance[to] < 0) {
            distance[to] = distance[queue[at]] + 1;
            queue[count++] = to;
          }
        }
      }
    }
  }
  return distance[world->goals[robot]];
}

static int begin_world(arrival_world_t * world, const cli_instance_t * instance, const arrival_options_t * options)
{
  const fw_problem_t * problem = &instance->problem;
  const size_t count = (size_t)problem->robot_count, cells = (size_t)fw_grid_cell_count(problem->grid);
  fw_error_t error = {0};
  *world = (arrival_world_t){
    .grid = problem->grid,
    .robots = problem->robot_count,
    .connectivity = problem->connectivity,
    .starts = malloc((count + 1) * sizeof(*world->starts)),
    .goals = malloc((count + 1) * sizeof(*world->goals)),
    .shortest = malloc((count + 1) * sizeof(*world->shortest)),
  };
  int32_t * distance = malloc(cells * sizeof(*distance));
  fw_cell_t * queue = malloc(cells * sizeof(*queue));
  const bool has_grid =
    fw_grid_init(&world->known, problem->grid->width, problem->grid->height, NULL, &error) == FW_RET_OK;
  const bool has_memory = has_grid && world->starts != NULL && world->goals != NULL && world->shortest != NULL &&
                          distance != NULL && queue != NULL;
  if (has_memory) {
    (void)fw__hide_obstacles(
      problem->grid, (int32_t)options->unknown.hidden, (uint64_t)options->instance.seed, world->known.cost);
  }
  for (int32_t r = 0; r < world->robots && has_memory; ++r) {
    world->starts[r] = problem->robots[r].start;
    world->goals[r] = problem->robots[r].goal;
    world->shortest[r] = find_shortest(world, r, distance, queue);
  }
  free(distance);
  free(queue);
  return has_memory ? CLI_SUCCESS : cli_error(CLI_FAILURE, "out of memory");
}

static void fini_world(arrival_world_t * world)
{
  fw_grid_fini(&world->known);
  free(world->starts);
  free(world->goals);
  free(world->shortest);
}

// ---- running --------------------------------------------------------------------------------------------------------

static double milliseconds_since(int64_t begin_ns) { return (double)(fw_clock_now_ns() - begin_ns) / 1e6; }

static void summarise(const fw_batch_t * batch, const arrival_world_t * world, arrival_row_t * row)
{
  const fw_batch_stats_t stats = fw_batch_stats(batch);
  double length = 0.0, shortest = 0.0;
  row->robot_bytes = stats.robot_bytes;
  row->region_bytes = stats.region_bytes;
  for (int32_t r = 0; r < world->robots; ++r) {
    const fw_batch_robot_t robot = fw_batch_robot(batch, r);
    row->robot_episodes += robot.episodes;
    row->passes = robot.episodes > row->passes ? robot.episodes : row->passes;
    row->stuck += robot.state == FW_BATCH_STUCK ? 1 : 0;
    if (robot.state != FW_BATCH_ARRIVED) {
      continue;
    }
    ++row->arrived;
    length += robot.length;
    shortest += world->shortest[r];
    const double ratio = world->shortest[r] >= 20 ? (double)robot.length / world->shortest[r] : 0.0;
    row->worst = ratio > row->worst ? ratio : row->worst;
  }
  row->ratio = shortest > 0.0 ? length / shortest : 0.0;
}

static int run_memory(
  const arrival_options_t * options, const arrival_world_t * world, fw_memory_kind_t memory, arrival_row_t * row)
{
  fw_error_t error = {0};
  fw_batch_t batch = {0};
  fw_batch_options_t batch_options = fw_batch_options_default();
  batch_options.lookahead = (int32_t)options->lookahead;
  batch_options.moves = (int32_t)options->lookahead;
  batch_options.connectivity = world->connectivity;
  batch_options.sight = options->unknown.hidden > 0 ? (int32_t)options->unknown.sight : 0;
  batch_options.memory = memory;
  batch_options.backend = FW_BACKEND_CPU;
  batch_options.threads = (int32_t)options->threads;
  const int64_t begin_ns = fw_clock_now_ns();
  fw_ret_t ret =
    fw_batch_init(&batch, &world->known, world->starts, world->goals, world->robots, &batch_options, &error);
  if (ret == FW_RET_OK) {
    ret = fw_batch_set_map(&batch, world->grid, &error);
  }
  row->init_ms = milliseconds_since(begin_ns);
  const int64_t run_ns = fw_clock_now_ns();
  for (int64_t done = 0; done < options->episodes && ret == FW_RET_OK && fw_batch_running(&batch) > 0; done += 64) {
    ret = fw_batch_run(&batch, 64, &error);
  }
  row->run_ms = milliseconds_since(run_ns);
  if (ret == FW_RET_OK) {
    summarise(&batch, world, row);
  }
  fw_batch_fini(&batch);
  return ret == FW_RET_OK ? CLI_SUCCESS : cli_error(CLI_FAILURE, "%s", error.text);
}

// ---- output ---------------------------------------------------------------------------------------------------------

static double nanoseconds(const arrival_row_t * row)
{
  return row->robot_episodes > 0 ? row->run_ms * 1e6 / (double)row->robot_episodes : 0.0;
}

static void print_text(const void * state)
{
  const arrival_report_t * report = state;
  bench_host_print(&report->host);
  printf(
    "# %s, %d robots, %d of them with a way, lookahead %d, connectivity %d, %d %% of the obstacles unknown\n",
    report->map_name, report->robots, report->reachable, (int)report->options->lookahead,
    (int)report->options->instance.connectivity, (int)report->options->unknown.hidden);
  printf("memory   arrived   stuck   length/shortest   worst   bytes/robot   shared bytes   init ms   ns/episode\n");
  for (int32_t i = 0; i < MEMORIES; ++i) {
    const arrival_row_t * row = &report->rows[i];
    printf(
      "%-8s %7d %7d %17.3f %7.2f %13zu %14zu %9.1f %12.0f\n", memory_names[i], row->arrived, row->stuck, row->ratio,
      row->worst, row->robot_bytes, row->region_bytes, row->init_ms, nanoseconds(row));
  }
}

static void print_json(const void * state)
{
  const arrival_report_t * report = state;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  bench_host_write(&report->host, &json);
  cli_json_text(&json, "map", report->map_name);
  cli_json_integer(&json, "robots", report->robots);
  cli_json_integer(&json, "reachable", report->reachable);
  cli_json_integer(&json, "lookahead", report->options->lookahead);
  cli_json_integer(&json, "hidden_percent", report->options->unknown.hidden);
  cli_json_open(&json, "memories", '[');
  for (int32_t i = 0; i < MEMORIES; ++i) {
    const arrival_row_t * row = &report->rows[i];
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "memory", memory_names[i]);
    cli_json_integer(&json, "arrived", row->arrived);
    cli_json_integer(&json, "stuck", row->stuck);
    cli_json_number(&json, "length_ratio", row->ratio);
    cli_json_number(&json, "worst_ratio", row->worst);
    cli_json_integer(&json, "robot_bytes", (int64_t)row->robot_bytes);
    cli_json_integer(&json, "region_bytes", (int64_t)row->region_bytes);
    cli_json_number(&json, "init_ms", row->init_ms);
    cli_json_number(&json, "run_ms", row->run_ms);
    cli_json_integer(&json, "robot_episodes", row->robot_episodes);
    cli_json_close(&json, '}');
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
}

static void write_csv(const void * state, FILE * stream)
{
  const arrival_report_t * report = state;
  fputs("map,robots,memory,arrived,stuck,length_ratio,worst_ratio,robot_bytes,region_bytes,init_ms,run_ms\n", stream);
  for (int32_t i = 0; i < MEMORIES; ++i) {
    const arrival_row_t * row = &report->rows[i];
    bench_write_quoted(stream, report->map_name);
    fprintf(
      stream, ",%d,%s,%d,%d,%.4f,%.3f,%zu,%zu,%.3f,%.3f\n", report->robots, memory_names[i], row->arrived, row->stuck,
      row->ratio, row->worst, row->robot_bytes, row->region_bytes, row->init_ms, row->run_ms);
  }
}

// ---- command --------------------------------------------------------------------------------------------------------

#define AT(member) offsetof(arrival_options_t, member)

static const cli_option_t bench_options[] = {
  {.name = "lookahead",
   .kind = CLI_INTEGER,
   .offset = AT(lookahead),
   .min = 1,
   .max = FW_LOOKAHEAD_MAX,
   .value = "L",
   .help = "states that an episode expands, and cells that a robot moves in it (default: 8)"},
  {.name = "episodes",
   .kind = CLI_INTEGER,
   .offset = AT(episodes),
   .min = 1,
   .max = 100000000,
   .value = "N",
   .help = "a robot that has not arrived after this many does not count (default: 20000)"},
  {.name = "threads",
   .kind = CLI_INTEGER,
   .offset = AT(threads),
   .min = 1,
   .max = 64,
   .value = "N",
   .help = "CPU threads (default: 1)"},
  {0},
};

static int measure_world(const arrival_options_t * options, const cli_instance_t * instance, arrival_report_t * report)
{
  arrival_world_t world;
  int exit_code = begin_world(&world, instance, options);
  report->map_name = instance->map_name;
  report->robots = world.robots;
  for (int32_t r = 0; r < world.robots && exit_code == CLI_SUCCESS; ++r) {
    report->reachable += world.shortest[r] >= 0 ? 1 : 0;
  }
  for (int32_t i = 0; i < MEMORIES && exit_code == CLI_SUCCESS; ++i) {
    exit_code = run_memory(options, &world, (fw_memory_kind_t)i, &report->rows[i]);
  }
  fini_world(&world);
  return exit_code;
}

static int measure(const arrival_options_t * options)
{
  arrival_report_t report = {.options = options};
  cli_instance_t instance = {0};
  bench_host_read(&report.host);
  int exit_code = bench_output_is_possible(&options->output) ? CLI_SUCCESS : CLI_FAILURE;
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load(&instance, &options->instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = measure_world(options, &instance, &report);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = bench_output_write(&options->output, &(bench_report_t){&report, print_text, print_json, write_csv});
  }
  cli_instance_fini(&instance);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  arrival_options_t options = {
    .instance = cli_instance_options_default(),
    .lookahead = 8,
    .threads = 1,
    .episodes = 20000,
    .unknown = {.sight = 3}};
  const cli_group_t groups[] = {
    {"Map", cli_map_options, .values = &options.instance},
    {"Robots", cli_robot_options, .values = &options.instance},
    {"Rules of motion", cli_rule_options, .values = &options.instance},
    {"Bench", bench_options, .values = &options},
    {"Unknown obstacles", bench_unknown_options, .values = &options.unknown},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench arrival",
    .usage = "(--map FILE | --make SPEC) [--scen FILE] [--robots N] [--lookahead L] [--hidden PERCENT [--sight CELLS]]",
    .about =
      "Real-Time Adaptive A* for all robots at once, each for itself, with the memory of the paper (window:\n"
      "the distance without obstacles, and learned values that a robot forgets) and with distances between\n"
      "regions of the map. With --hidden robots do not know a part of the obstacles, and see them within\n"
      "--sight cells; what one has seen all know in the next episode.",
    .groups = groups,
    .examples =
      "  fleetweave bench arrival --make rooms:129x129,room=8,seed=1 --robots 300\n"
      "  fleetweave bench arrival --make maze:65x65,corridor=2,seed=1 --robots 100 --hidden 30 --sight 2",
    .exit_codes = "0 done, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t bench_arrival = {
  .name = "arrival",
  .summary = "RTAA* without cooperation: which robots arrive, with window and with regions",
  .run = run,
};
