// `bench controller`: the fleet controller with a simulated fleet that gets a new goal whenever a robot arrives, once
// with whole rounds only and once with partial rounds. Both runs have the same robots, the same sequence of goals for
// each robot and the same delays.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "bench/bench.h"
#include "cli/common/instance.h"
#include "cli/common/message.h"
#include "fleetweave/controller.h"
#include "simulation/path_robot.h"

static const double CELL = 0.5;             // metres
static const int64_t STEP_NS = 100000000;   // between two updates; each robot reports once in this time
static const int64_t PACE_NS = 5000000000;  // a robot changes its pace in this interval
static const int64_t BEGIN_NS = 1000000000000;

typedef struct controller_options_t {
  cli_instance_options_t instance;
  int64_t seconds;
  int64_t partial_max;
  const char * planner;
  const char * rounds;  // which runs
  bench_output_t output;
} controller_options_t;

// One round: an update in which a plan came into force.
typedef struct round_sample_t {
  double seconds;    // simulated
  double solve_ms;   // CPU time of the worker
  double update_ms;  // CPU time of the updates that began the round and took its result
  int64_t planned;
  int64_t expanded;
  bool is_partial;
} round_sample_t;

typedef struct controller_run_t {
  const controller_options_t * options;
  const fw_problem_t * problem;
  fw_controller_t controller;
  fw_path_robot_t * robots;
  int64_t * revisions;  // of the path that a robot holds
  fw_cell_t * goals;
  fw_rng_t * rngs;    // of each robot's goals
  fw_cell_t * floor;  // cells for goals: the largest component
  int32_t floor_count;
  int64_t now_ns;
  round_sample_t * rounds;
  int32_t round_count;
  int32_t round_capacity;
  int64_t goals_reached;
  int64_t partial_rounds;
  double solve_ms;   // CPU time of the worker, in all
  double update_ms;  // CPU time of all updates
  double nearest;    // metres between two robots, edge to edge
} controller_run_t;

enum { WHOLE, PARTIAL, RUNS };

typedef struct controller_report_t {
  bench_host_t host;
  const controller_options_t * options;
  const char * map_name;
  int32_t robot_count;
  controller_run_t runs[RUNS];
} controller_report_t;

static const char * const run_names[RUNS] = {"whole", "partial"};

static bool is_wanted(const controller_options_t * options, int32_t run)
{
  return strcmp(options->rounds, "both") == 0 || strcmp(options->rounds, run_names[run]) == 0;
}

// ---- the fleet

static fw_point_t centre(const fw_grid_t * grid, fw_cell_t cell)
{
  return (fw_point_t){(fw_grid_x(grid, cell) + 0.5) * CELL, (fw_grid_y(grid, cell) + 0.5) * CELL};
}

// A cell that is no robot's goal.
static fw_cell_t draw_goal(controller_run_t * run, int32_t robot)
{
  bool is_taken = true;
  fw_cell_t cell = FW_CELL_NONE;
  while (is_taken) {  // there are more cells than robots
    cell = run->floor[fw__rng_below(&run->rngs[robot], run->floor_count)];
    is_taken = false;
    for (int32_t k = 0; k < run->problem->robot_count && !is_taken; ++k) {
      is_taken = run->goals[k] == cell;
    }
  }
  return cell;
}

static int give_goal(controller_run_t * run, int32_t robot)
{
  fw_error_t error = {0};
  run->goals[robot] = draw_goal(run, robot);
  const fw_goal_request_t request = {.pose = {centre(run->problem->grid, run->goals[robot]), NAN}};
  if (fw_controller_request_goal(&run->controller, robot, &request, run->now_ns, NULL, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "a goal was refused: %s", error.text);
  }
  return CLI_SUCCESS;
}

static bool allocate(controller_run_t * run)
{
  const size_t count = (size_t)run->problem->robot_count;
  run->robots = calloc(count, sizeof(*run->robots));
  run->revisions = calloc(count, sizeof(*run->revisions));
  run->goals = calloc(count, sizeof(*run->goals));
  run->rngs = calloc(count, sizeof(*run->rngs));
  run->floor = calloc((size_t)fw_grid_cell_count(run->problem->grid), sizeof(*run->floor));
  return run->robots != NULL && run->revisions != NULL && run->goals != NULL && run->rngs != NULL && run->floor != NULL;
}

static void run_fini(controller_run_t * run)
{
  if (run->controller.impl != NULL) {
    fw_controller_fini(&run->controller);
  }
  free(run->robots);
  free(run->revisions);
  free(run->goals);
  free(run->rngs);
  free(run->floor);
  free(run->rounds);
}

static int send_map(controller_run_t * run, fw_error_t * error)
{
  const fw_grid_t * grid = run->problem->grid;
  const int32_t count = fw_grid_cell_count(grid);
  int8_t * values = malloc((size_t)count);
  if (values == NULL) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  for (int32_t k = 0; k < count; ++k) {
    values[k] = grid->cost[k] == 0 ? 100 : 0;
  }
  const fw_occupancy_map_t map = {.width = grid->width, .height = grid->height, .resolution = CELL, .values = values};
  const fw_ret_t ret = fw_controller_set_map(&run->controller, &map, run->now_ns, error);
  free(values);
  return ret == FW_RET_OK ? CLI_SUCCESS : cli_error(CLI_FAILURE, "%s", error->text);
}

static int send_robots(controller_run_t * run, fw_error_t * error)
{
  const int32_t count = run->problem->robot_count;
  fw_controller_robot_t * list = calloc((size_t)count, sizeof(*list));
  char(*names)[16] = calloc((size_t)count, sizeof(*names));
  fw_ret_t ret = FW_RET_BAD_ALLOC;
  if (list != NULL && names != NULL) {
    for (int32_t k = 0; k < count; ++k) {
      snprintf(names[k], sizeof(names[k]), "r%d", k);
      list[k].name = names[k];
    }
    ret = fw_controller_set_robots(&run->controller, list, count, run->now_ns, error);
  }
  free(list);
  free(names);
  return ret == FW_RET_OK ? CLI_SUCCESS : cli_error(CLI_FAILURE, "%s", error->text);
}

static int begin(controller_run_t * run, int32_t partial_max)
{
  fw_error_t error = {.text = "out of memory"};
  fw_controller_options_t options = fw_controller_options_default();
  options.worker = FW_CONTROLLER_WORKER_CALLER;  // so that its time is known apart from that of the updates
  options.settings.partial_rounds_max = partial_max;
  snprintf(options.settings.planner.name, sizeof(options.settings.planner.name), "%s", run->options->planner);
  run->now_ns = BEGIN_NS;
  run->nearest = INFINITY;
  if (!allocate(run) || fw_controller_init(&run->controller, &options, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  run->floor_count = bench_find_largest_component(run->problem->grid, run->floor);
  if (run->floor_count <= 2 * run->problem->robot_count) {
    return cli_error(CLI_USAGE, "%d robots need a larger map", run->problem->robot_count);
  }
  int exit_code = send_robots(run, &error);
  exit_code = exit_code == CLI_SUCCESS ? send_map(run, &error) : exit_code;
  for (int32_t k = 0; k < run->problem->robot_count && exit_code == CLI_SUCCESS; ++k) {
    run->robots[k] = (fw_path_robot_t){
      .speed = options.settings.speed,
      .turn_rate = 100.0,
      .give_up = 10.0,
      .cell_size = CELL,
      .cell_count = 1,
      .pose = {centre(run->problem->grid, run->problem->robots[k].start), 0.0},
    };
    run->goals[k] = FW_CELL_NONE;
    run->rngs[k] = fw__rng((uint64_t)run->options->instance.seed * 1000003 + (uint64_t)k);
  }
  for (int32_t k = 0; k < run->problem->robot_count && exit_code == CLI_SUCCESS; ++k) {
    exit_code = give_goal(run, k);
  }
  return exit_code;
}

// ---- time

// The pace of a robot is a function of the seed, its number and the time, so that both runs have the same delays: three
// of four intervals at full speed, the others at half of it or more.
static double pace_at(const controller_run_t * run, int32_t robot)
{
  const uint64_t interval = (uint64_t)((run->now_ns - BEGIN_NS) / PACE_NS);
  fw_rng_t rng = fw__rng((uint64_t)run->options->instance.seed + 7919 * (uint64_t)robot + 104729 * interval);
  return fw__rng_below(&rng, 4) > 0 ? 1.0 : 0.5 + 0.005 * fw__rng_below(&rng, 100);
}

static int drive(controller_run_t * run)
{
  for (int32_t k = 0; k < run->problem->robot_count; ++k) {
    fw_path_robot_t * robot = &run->robots[k];
    const fw_controller_path_t path = fw_controller_released_path(&run->controller, k);
    fw_error_t error = {0};
    if (path.revision != run->revisions[k]) {
      run->revisions[k] = path.revision;
      fw__path_robot_take(robot, path.waypoints, path.count);
    }
    fw__path_robot_drive(robot, (double)STEP_NS * 1e-9, pace_at(run, k));
    const fw_pose_report_t report = {.pose = robot->pose, .stamp_ns = run->now_ns};
    if (fw_controller_report_pose(&run->controller, k, &report, run->now_ns, &error) != FW_RET_OK) {
      return cli_error(CLI_FAILURE, "a pose was refused: %s", error.text);
    }
  }
  return CLI_SUCCESS;
}

static double cpu_ms(void)
{
  struct timespec time = {0};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static bool add_round(controller_run_t * run, round_sample_t sample)
{
  if (run->round_count == run->round_capacity) {
    const int32_t capacity = 2 * run->round_capacity + 1024;
    round_sample_t * rounds = realloc(run->rounds, (size_t)capacity * sizeof(*rounds));
    if (rounds == NULL) {
      return false;
    }
    run->rounds = rounds;
    run->round_capacity = capacity;
  }
  run->rounds[run->round_count++] = sample;
  return true;
}

// The worker answers at once.
static int update(controller_run_t * run)
{
  const fw_controller_status_t before = fw_controller_status(&run->controller, run->now_ns);
  const double begin_ms = cpu_ms();
  (void)fw_controller_update(&run->controller, run->now_ns);
  const double request_ms = cpu_ms();
  const bool wants_solve = fw_controller_wants_solve(&run->controller);
  fw_controller_solve(&run->controller, false);
  const double solved_ms = cpu_ms();
  if (wants_solve) {
    (void)fw_controller_update(&run->controller, run->now_ns);
  }
  const fw_controller_status_t after = fw_controller_status(&run->controller, run->now_ns);
  const round_sample_t sample = {
    .seconds = (double)(run->now_ns - BEGIN_NS) * 1e-9,
    .solve_ms = solved_ms - request_ms,
    .update_ms = cpu_ms() - solved_ms + request_ms - begin_ms,
    .planned = after.planned_robots - before.planned_robots,
    .expanded = after.expanded - before.expanded,
    .is_partial = after.partial_rounds > before.partial_rounds,
  };
  run->solve_ms += sample.solve_ms;
  run->update_ms += sample.update_ms;
  run->partial_rounds = after.partial_rounds;
  if (after.rounds > before.rounds && !add_round(run, sample)) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  int exit_code = CLI_SUCCESS;
  fw_goal_event_t event;
  while (exit_code == CLI_SUCCESS && fw_controller_next_event(&run->controller, &event)) {
    if (event.kind == FW_GOAL_REACHED) {
      run->goals_reached += 1;
      exit_code = give_goal(run, event.robot);
    } else if (event.kind == FW_GOAL_FAILED) {
      exit_code = cli_error(CLI_FAILURE, "robot %d: a goal failed: %s", event.robot, event.text);
    }
  }
  return exit_code;
}

static void note_nearest(controller_run_t * run)
{
  const double diameter = 2.0 * fw_controller_settings_default().robot_radius;
  for (int32_t k = 0; k < run->problem->robot_count; ++k) {
    for (int32_t other = 0; other < k; ++other) {
      const fw_point_t a = run->robots[k].pose.point, b = run->robots[other].pose.point;
      if (fabs(a.x - b.x) < 2.0 * CELL && fabs(a.y - b.y) < 2.0 * CELL) {
        run->nearest = fmin(run->nearest, hypot(a.x - b.x, a.y - b.y) - diameter);
      }
    }
  }
}

static int measure_run(controller_run_t * run, int32_t partial_max)
{
  int exit_code = begin(run, partial_max);
  const int64_t steps = run->options->seconds * INT64_C(1000000000) / STEP_NS;
  for (int64_t step = 0; step < steps && exit_code == CLI_SUCCESS; ++step) {
    run->now_ns += STEP_NS;
    exit_code = drive(run);
    note_nearest(run);
    exit_code = exit_code == CLI_SUCCESS ? update(run) : exit_code;
  }
  if (exit_code == CLI_SUCCESS && run->nearest < 0.0) {
    exit_code = cli_error(CLI_FAILURE, "two robots overlap by %g m", -run->nearest);
  }
  return exit_code;
}

// ---- report

typedef struct run_figures_t {
  double goals_per_hour;
  double planned;      // robots per round
  double expanded;     // per goal that was reached
  double solve_ms[3];  // of a round: median, 99th percentile, worst
  double solve_ms_per_goal;
  double update_ms_per_goal;
} run_figures_t;

static run_figures_t figures_of(const controller_run_t * run)
{
  run_figures_t figures = {.goals_per_hour = (double)run->goals_reached * 3600.0 / (double)run->options->seconds};
  double * ms = calloc((size_t)run->round_count + 1, sizeof(*ms));
  for (int32_t k = 0; k < run->round_count; ++k) {
    figures.planned += (double)run->rounds[k].planned;
    figures.expanded += (double)run->rounds[k].expanded;
    if (ms != NULL) {
      ms[k] = run->rounds[k].solve_ms;
    }
  }
  const double goals = run->goals_reached > 0 ? (double)run->goals_reached : NAN;
  figures.planned /= run->round_count > 0 ? run->round_count : 1;
  figures.expanded /= goals;
  figures.solve_ms_per_goal = run->solve_ms / goals;
  figures.update_ms_per_goal = run->update_ms / goals;
  if (ms != NULL) {
    figures.solve_ms[0] = bench_median(ms, run->round_count);
    figures.solve_ms[1] = bench_percentile(ms, run->round_count, 0.99);
    figures.solve_ms[2] = bench_percentile(ms, run->round_count, 1.0);
  }
  free(ms);
  return figures;
}

static void print_text(const void * state)
{
  const controller_report_t * report = state;
  bench_host_print(&report->host);
  printf(
    "# %s, %d robots, %s, %" PRId64 " s, seed %" PRId64 "; CPU times\n", report->map_name, report->robot_count,
    report->options->planner, report->options->seconds, report->options->instance.seed);
  printf(
    "%-8s %7s %8s %7s %8s %13s %14s %26s %14s %15s\n", "rounds", "goals", "goals/h", "rounds", "partial",
    "robots/round", "expanded/goal", "solve ms median/p99/worst", "solve ms/goal", "update ms/goal");
  for (int32_t r = 0; r < RUNS; ++r) {
    const controller_run_t * run = &report->runs[r];
    if (!is_wanted(report->options, r)) {
      continue;
    }
    const run_figures_t figures = figures_of(run);
    printf(
      "%-8s %7" PRId64 " %8.0f %7d %8" PRId64 " %13.1f %14.0f %10.2f %7.2f %7.2f %14.2f %15.2f\n", run_names[r],
      run->goals_reached, figures.goals_per_hour, run->round_count, run->partial_rounds, figures.planned,
      figures.expanded, figures.solve_ms[0], figures.solve_ms[1], figures.solve_ms[2], figures.solve_ms_per_goal,
      figures.update_ms_per_goal);
  }
}

static void print_json(const void * state)
{
  const controller_report_t * report = state;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  bench_host_write(&report->host, &json);
  cli_json_text(&json, "map", report->map_name);
  cli_json_integer(&json, "robots", report->robot_count);
  cli_json_text(&json, "planner", report->options->planner);
  cli_json_integer(&json, "seconds", report->options->seconds);
  cli_json_open(&json, "runs", '[');
  for (int32_t r = 0; r < RUNS; ++r) {
    const controller_run_t * run = &report->runs[r];
    if (!is_wanted(report->options, r)) {
      continue;
    }
    const run_figures_t figures = figures_of(run);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "rounds", run_names[r]);
    cli_json_integer(&json, "goals", run->goals_reached);
    cli_json_number(&json, "goals_per_hour", figures.goals_per_hour);
    cli_json_integer(&json, "round_count", run->round_count);
    cli_json_integer(&json, "partial_count", run->partial_rounds);
    cli_json_number(&json, "robots_per_round", figures.planned);
    cli_json_number(&json, "expanded_per_goal", figures.expanded);
    cli_json_number(&json, "solve_ms_median", figures.solve_ms[0]);
    cli_json_number(&json, "solve_ms_p99", figures.solve_ms[1]);
    cli_json_number(&json, "solve_ms_worst", figures.solve_ms[2]);
    cli_json_number(&json, "solve_ms_per_goal", figures.solve_ms_per_goal);
    cli_json_number(&json, "update_ms_per_goal", figures.update_ms_per_goal);
    cli_json_close(&json, '}');
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

static void write_csv(const void * state, FILE * stream)
{
  const controller_report_t * report = state;
  fputs("run,seconds,is_partial,robots,expanded,solve_ms,update_ms\n", stream);
  for (int32_t r = 0; r < RUNS; ++r) {
    const controller_run_t * run = &report->runs[r];
    if (!is_wanted(report->options, r)) {
      continue;
    }
    for (int32_t k = 0; k < run->round_count; ++k) {
      const round_sample_t * sample = &run->rounds[k];
      fprintf(
        stream, "%s,%.1f,%d,%" PRId64 ",%" PRId64 ",%.3f,%.3f\n", run_names[r], sample->seconds,
        sample->is_partial ? 1 : 0, sample->planned, sample->expanded, sample->solve_ms, sample->update_ms);
    }
  }
}

// ---- command

#define AT(member) offsetof(controller_options_t, member)

static const cli_option_t run_options[] = {
  {.name = "seconds",
   .kind = CLI_INTEGER,
   .offset = AT(seconds),
   .min = 1,
   .max = 1000000,
   .value = "S",
   .help = "how long the fleet drives, in simulated seconds (default: 600)"},
  {.name = "partial-max",
   .kind = CLI_INTEGER,
   .offset = AT(partial_max),
   .min = 1,
   .max = 1000000,
   .value = "N",
   .help = "partial rounds in a row until a whole one, in the second run (default: 50)"},
  {.name = "rounds",
   .kind = CLI_CHOICE,
   .offset = AT(rounds),
   .value = "both|whole|partial",
   .help = "which of the two runs (default: both)"},
  {.name = "planner",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(planner),
   .value = "NAME",
   .help = "planner to use, see `fleetweave list` (default: hca)"},
  {0},
};

static int measure(const controller_options_t * options, const cli_instance_t * instance)
{
  controller_report_t report = {
    .options = options, .map_name = instance->map_name, .robot_count = instance->problem.robot_count};
  bench_host_read(&report.host);
  int exit_code = CLI_SUCCESS;
  for (int32_t r = 0; r < RUNS && exit_code == CLI_SUCCESS; ++r) {
    if (!is_wanted(options, r)) {
      continue;
    }
    report.runs[r].options = options;
    report.runs[r].problem = &instance->problem;
    exit_code = measure_run(&report.runs[r], r == PARTIAL ? (int32_t)options->partial_max : 0);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = bench_output_write(&options->output, &(bench_report_t){&report, print_text, print_json, write_csv});
  }
  for (int32_t r = 0; r < RUNS; ++r) {
    run_fini(&report.runs[r]);
  }
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  controller_options_t options = {
    .instance = cli_instance_options_default(), .seconds = 600, .partial_max = 50, .planner = "hca", .rounds = "both"};
  const cli_group_t groups[] = {
    {"Map", cli_map_options, .values = &options.instance},
    {"Robots", cli_robot_options, .values = &options.instance},
    {"Run", run_options, .values = &options},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench controller",
    .usage = "(--map FILE | --make SPEC) [--robots N] [--seconds S] [--partial-max N] [--rounds WHICH]",
    .about =
      "What a new goal costs the fleet controller: robots of one cell get a new random goal whenever they\n"
      "arrive, once with rounds that always plan the whole fleet, once with partial rounds, which plan only\n"
      "the robots that a change concerns. Robots are sometimes slow, the same in both runs. Prints goals\n"
      "reached, rounds, robots planned per round, expansions per goal, and the CPU time of the planning worker\n"
      "and of the updates (which also follow the robots ten times per second). The worker answers at once.\n"
      "Fails if two robots overlap or a goal fails.",
    .groups = groups,
    .examples =
      "  fleetweave bench controller --make warehouse:161x63,seed=1 --robots 200 --seconds 600\n"
      "  fleetweave bench controller --map hall.map --robots 50 --csv rounds.csv",
    .exit_codes = "0 done, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  if (fw_planner_def_find(options.planner) == NULL) {
    return cli_error(CLI_USAGE, "there is no planner '%s', see `fleetweave list`", options.planner);
  }
  cli_instance_t instance = {0};
  int exit_code = bench_output_is_possible(&options.output) ? CLI_SUCCESS : CLI_FAILURE;
  exit_code = exit_code == CLI_SUCCESS ? cli_instance_load(&instance, &options.instance) : exit_code;
  exit_code = exit_code == CLI_SUCCESS ? measure(&options, &instance) : exit_code;
  cli_instance_fini(&instance);
  return exit_code;
}

const cli_command_t bench_controller = {
  .name = "controller",
  .summary = "what a new goal costs the fleet controller, with whole and with partial rounds",
  .run = run,
};
