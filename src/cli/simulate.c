// `fleetweave simulate`: plans, executes the plan with simulated robots that are delayed, and reports overlaps, waits
// and delays. In mode `dependency` robots follow the releases of the action dependency graph (ADG); in mode `timed`
// they follow the times of the plan only.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/instance.h"
#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/solve.h"
#include "cli/simulate_controller.h"
#include "cli/simulate_swarm.h"
#include "fleetweave/batch.h"
#include "fleetweave/execution.h"

typedef struct simulate_options_t {
  cli_instance_options_t instance;
  cli_solve_options_t solve;
  const char * mode;
  const char * delays;
  double slow;     // per cent of motions; negative, as for the next two: from --delays
  double stops;    // per robot and hour
  double longest;  // seconds
  double noise;    // cells
  double radius;   // cells; 0: the largest possible
  double ahead;    // cells; 0: no limit
  double seconds_per_tick;
  double limit;  // simulated seconds
  bool rings_together;
  bool is_json;
  bool has_controller;
  const char * faults;
  double fault_seconds;
  bool has_no_areas;
  bool has_trace;
  const char * out;
  bool is_swarm;
  int64_t ticks;
  const char * memory;
  int64_t hidden;  // per cent
  int64_t moving;
  int64_t sight;  // cells; 0: not given
} simulate_options_t;

// A plan, its execution and the result.
typedef struct simulate_result_t {
  const simulate_options_t * options;
  const cli_instance_t * instance;
  const fw_plan_t * plan;
  const fw_execution_t * execution;
  fw_simulated_result_t result;
  double radius;
  double elapsed_seconds;  // wall time of the simulation
} simulate_result_t;

// ---- options --------------------------------------------------------------------------------------------------------

#define AT(member) offsetof(simulate_options_t, member)

static const cli_option_t execution_options[] = {
  {.name = "mode",
   .kind = CLI_CHOICE,
   .offset = AT(mode),
   .value = "dependency|timed",
   .help = "dependency: robots follow the releases of the dependency graph; timed: they\n"
           "follow the times of the plan, whatever the others do (default: dependency)"},
  {.name = "ahead",
   .kind = CLI_NUMBER,
   .offset = AT(ahead),
   .min = 0,
   .max = 100000,
   .value = "CELLS",
   .help = "release at most this far ahead of a robot (default: 0, as far as possible)"},
  {.name = "rings-together",
   .kind = CLI_FLAG,
   .offset = AT(rings_together),
   .help = "let a ring of robots rotate at the same time. Only with --robust-ticks 0, and\n"
           "safe only if the robots move in step (default: refuse such plans)"},
  {.name = "seconds-per-tick",
   .kind = CLI_NUMBER,
   .offset = AT(seconds_per_tick),
   .min = 0,
   .max = 3600,
   .value = "S",
   .help = "duration of a tick of the plan (default: 1)"},
  {.name = "radius",
   .kind = CLI_NUMBER,
   .offset = AT(radius),
   .min = 0,
   .max = 1,
   .value = "CELLS",
   .help = "radius of the robots' discs, up to 0.5 (default: the largest that the rules of\nmotion allow)"},
  {.name = "limit",
   .kind = CLI_NUMBER,
   .offset = AT(limit),
   .min = 1,
   .max = 100000000,
   .value = "S",
   .help = "stop after this many simulated seconds (default: 100000)"},
  {0},
};
static const cli_option_t delay_options[] = {
  {.name = "delays",
   .kind = CLI_CHOICE,
   .offset = AT(delays),
   .value = "none|light|heavy",
   .help = "light: every tenth motion is slow, 10 stops per robot and hour of up to 10 s;\n"
           "heavy: every third motion, 60 stops of up to 30 s (default: light)"},
  {.name = "slow",
   .kind = CLI_NUMBER,
   .offset = AT(slow),
   .min = 0,
   .max = 100,
   .value = "PERCENT",
   .help = "share of slow motions, which take up to three times as long (default: as\n--delays)"},
  {.name = "stops",
   .kind = CLI_NUMBER,
   .offset = AT(stops),
   .min = 0,
   .max = 100000,
   .value = "N",
   .help = "random stops per robot and hour (default: as --delays)"},
  {.name = "longest",
   .kind = CLI_NUMBER,
   .offset = AT(longest),
   .min = 0,
   .max = 100000,
   .value = "S",
   .help = "longest stop (default: as --delays)"},
  {.name = "noise",
   .kind = CLI_NUMBER,
   .offset = AT(noise),
   .min = 0,
   .max = 1,
   .value = "CELLS",
   .help = "maximum error of the odometry on each axis (default: 0.02)"},
  {0},
};
static const cli_option_t swarm_options[] = {
  {.name = "swarm",
   .kind = CLI_FLAG,
   .offset = AT(is_swarm),
   .help = "no plan: in each tick all robots search (RTAA*) and step (PIBT), as with the\n"
           "planner rtaa; robots that arrive get a new random goal"},
  {.name = "ticks",
   .kind = CLI_INTEGER,
   .offset = AT(ticks),
   .min = 1,
   .max = 10000000,
   .value = "N",
   .help = "with --swarm, how long (default: 300)"},
  {.name = "swarm-memory",
   .kind = CLI_CHOICE,
   .offset = AT(memory),
   .value = "window|regions",
   .help = "with --swarm, what robots begin with: distances without obstacles, or between\n"
           "regions of the map, which lead round obstacles (default: regions)"},
  {.name = "hidden",
   .kind = CLI_INTEGER,
   .offset = AT(hidden),
   .min = 0,
   .max = 100,
   .value = "PERCENT",
   .help = "with --swarm, share of the obstacles, chosen by --seed, that robots do not know\n"
           "until one of them sees them (default: 0; for plans: --set hidden=PERCENT)"},
  {.name = "moving",
   .kind = CLI_INTEGER,
   .offset = AT(moving),
   .min = 0,
   .max = 1000000,
   .value = "N",
   .help = "with --swarm, obstacles that wander about, by --seed, and do not make way for\nrobots (default: 0)"},
  {.name = "sight",
   .kind = CLI_INTEGER,
   .offset = AT(sight),
   .min = 1,
   .max = FW_SIGHT_MAX,
   .value = "CELLS",
   .help = "with --hidden and --moving, range in which a robot sees obstacles and tells all\nothers (default: 3)"},
  {0},
};
static const cli_option_t controller_options[] = {
  {.name = "controller",
   .kind = CLI_FLAG,
   .offset = AT(has_controller),
   .help = "drive the robots by the fleet controller, through faults that --seed decides.\n"
           "Without --map and --make the seed decides the map, the robots, their goals and\n"
           "the planner too"},
  {.name = "faults",
   .kind = CLI_CHOICE,
   .offset = AT(faults),
   .value = "none|seed",
   .help = "seed: robots late, stopped, silent, pushed, joining and leaving, lost messages,\n"
           "changes of the map, controllers that are killed and continue with their journal,\n"
           "two controllers, failing disks and allocations, keepouts that come and go\n"
           "(default: seed)"},
  {.name = "fault-seconds",
   .kind = CLI_NUMBER,
   .offset = AT(fault_seconds),
   .min = 1,
   .max = 100000,
   .value = "S",
   .help = "how long there are faults; then everything is repaired and the goals that are\n"
           "left must be reached (default: 60)"},
  {.name = "no-areas",
   .kind = CLI_FLAG,
   .offset = AT(has_no_areas),
   .help = "a world of the seed has no areas and masks (default: one seed of three has)"},
  {.name = "trace",
   .kind = CLI_FLAG,
   .offset = AT(has_trace),
   .help = "print each fault, goal, release and log line to stderr"},
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = AT(out),
   .value = "FILE",
   .help = "with --controller, write a page that plays the run; - is stdout"},
  {0},
};
static const cli_option_t output_options[] = {
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "print one JSON object instead of the summary"},
  {0},
};

// The predefined delays of --delays.
static const struct {
  const char * name;
  double slow;     // per cent of motions
  double stops;    // per robot and hour
  double longest;  // seconds
} delay_kinds[] = {{"none", 0.0, 0.0, 0.0}, {"light", 10.0, 10.0, 10.0}, {"heavy", 33.0, 60.0, 30.0}};
enum { DELAY_KIND_COUNT = sizeof(delay_kinds) / sizeof(delay_kinds[0]) };

// Makes the options of the simulated fleet. Returns an exit code after an error message.
static int make_fleet_options(const simulate_options_t * options, fw_simulated_fleet_options_t * delays)
{
  int32_t kind = 0;
  while (kind < DELAY_KIND_COUNT && strcmp(delay_kinds[kind].name, options->delays) != 0) {
    ++kind;
  }
  if (options->radius > 0.5) {
    return cli_error(CLI_USAGE, "--radius must be at most 0.5 cells, not %g", options->radius);
  }
  if (options->noise > 0.1) {  // robots would not recognise that they have reached a waypoint
    return cli_error(
      CLI_USAGE, "--noise must be at most 0.1 cells, the tolerance at waypoints, not %g", options->noise);
  }
  if (options->seconds_per_tick < 1e-3) {
    return cli_error(CLI_USAGE, "--seconds-per-tick must be at least 0.001, not %g", options->seconds_per_tick);
  }
  FW_ASSERT(kind < DELAY_KIND_COUNT);  // the table of options names the same kinds
  *delays = fw_simulated_fleet_options_default();
  delays->is_timed = strcmp(options->mode, "timed") == 0;
  delays->seed = (uint64_t)options->instance.seed;
  delays->radius = options->radius;
  delays->noise = options->noise;
  delays->slow_chance = 0.01 * (options->slow >= 0.0 ? options->slow : delay_kinds[kind].slow);
  delays->stops_per_hour = options->stops >= 0.0 ? options->stops : delay_kinds[kind].stops;
  delays->stop_seconds_max = options->longest >= 0.0 ? options->longest : delay_kinds[kind].longest;
  return CLI_SUCCESS;
}

// ---- report ---------------------------------------------------------------------------------------------------------

enum { WAITS_MAX = 5, ROBOTS_MAX = 5 };

static double mean_delay(const fw_simulated_result_t * result)
{
  return result->arrived == 0 ? 0.0 : result->delay_sum / result->arrived;
}

static void print_json(const simulate_result_t * simulation)
{
  const fw_simulated_result_t * result = &simulation->result;
  const fw_execution_stats_t stats = fw_execution_stats(simulation->execution);
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "planner", simulation->options->solve.planner);
  cli_json_text(&json, "map", simulation->instance->map_name);
  cli_json_text(&json, "mode", simulation->options->mode);
  cli_json_text(&json, "outcome", fw_outcome_name(simulation->plan->outcome));
  cli_json_integer(&json, "robots", result->robots);
  cli_json_integer(&json, "arrived", result->arrived);
  cli_json_integer(&json, "overlaps", result->overlaps);
  cli_json_integer(&json, "overlap_steps", result->overlap_steps);
  cli_json_number(&json, "nearest_cells", isfinite(result->nearest) ? result->nearest : (double)NAN);
  cli_json_number(&json, "radius_cells", simulation->radius);
  cli_json_boolean(&json, "deadlock", result->is_deadlock);
  cli_json_number(&json, "seconds", result->seconds);
  cli_json_number(&json, "planned_seconds", result->planned);
  cli_json_number(&json, "last_arrival_seconds", result->last_arrival);
  cli_json_number(&json, "mean_delay_seconds", mean_delay(result));
  cli_json_number(&json, "elapsed_ms", 1e3 * simulation->elapsed_seconds);
  cli_json_integer(&json, "waypoints", stats.waypoints);
  cli_json_integer(&json, "dependencies", stats.dependencies);
  cli_json_integer(&json, "redundant", stats.redundant);
  cli_json_open(&json, "waits", '[');
  for (int32_t i = 0; i < result->wait_count && i < 4 * WAITS_MAX; ++i) {
    cli_json_open(&json, NULL, '{');
    cli_json_integer(&json, "robot", result->waits[i].robot);
    cli_json_integer(&json, "for", result->waits[i].other);
    cli_json_number(&json, "seconds", result->waits[i].seconds);
    cli_json_close(&json, '}');
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

static void print_overlaps(const fw_simulated_result_t * result)
{
  printf("  %-18s %d", "overlaps", (int)result->overlaps);
  if (result->overlaps > 0) {
    printf(", first of robots %d and %d", result->overlap_first[0], result->overlap_first[1]);
  } else if (isfinite(result->nearest)) {
    printf(", minimum distance between discs %.2f cells", result->nearest);
  }
  printf("\n");
}

// Prints the robots that have not arrived, and why.
static void print_waiting(const simulate_result_t * simulation)
{
  int32_t printed = 0;
  for (int32_t robot = 0; robot < simulation->plan->robot_count && printed < ROBOTS_MAX; ++robot) {
    fw_execution_status_t status;
    if (fw_execution_robot(simulation->execution, robot, &status, NULL) == FW_RET_OK && status.reached < status.end) {
      char text[200];
      fw_execution_describe(simulation->execution, robot, text, sizeof(text));
      printf("  %-18s robot %d: %s\n", printed == 0 ? "not arrived" : "", robot, text);
      ++printed;
    }
  }
}

static void print_summary(const simulate_result_t * simulation)
{
  const fw_simulated_result_t * result = &simulation->result;
  const fw_execution_stats_t stats = fw_execution_stats(simulation->execution);
  char number[CLI_NUMBER_SIZE];
  printf(
    "%s: %d robot%s on %s, planner %s, mode %s\n",
    result->overlaps > 0               ? "overlaps"
    : result->is_deadlock              ? "deadlock"
    : result->arrived < result->robots ? "not all arrived"
                                       : "all arrived",
    result->robots, result->robots == 1 ? "" : "s", simulation->instance->map_name, simulation->options->solve.planner,
    simulation->options->mode);
  if (simulation->plan->outcome != FW_OUTCOME_SOLVED) {
    printf("  %-18s %s, executed as far as it is safe\n", "plan", fw_outcome_name(simulation->plan->outcome));
  }
  print_overlaps(result);
  printf("  %-18s %d of %d robots\n", "arrived", result->arrived, result->robots);
  printf(
    "  %-18s %.0f s, planned %.0f s; mean delay %+.1f s per robot\n", "last arrival", result->last_arrival,
    result->planned, mean_delay(result));
  printf("  %-18s %s waypoints", "graph", cli_format_thousands(number, stats.waypoints));
  printf(", %s dependencies", cli_format_thousands(number, stats.dependencies));
  printf(" (and %s redundant ones)\n", cli_format_thousands(number, stats.redundant));
  for (int32_t i = 0; i < result->wait_count && i < WAITS_MAX; ++i) {
    const fw_simulated_wait_t wait = result->waits[i];
    printf(
      "  %-18s robot %d for robot %d, %.1f s\n", i == 0 ? "longest waits" : "", wait.robot, wait.other, wait.seconds);
  }
  if (result->arrived < result->robots) {
    print_waiting(simulation);
  }
  printf("  %-18s %.0f s in %.2f s\n", "simulated", result->seconds, simulation->elapsed_seconds);
}

// ---- planning and execution -----------------------------------------------------------------------------------------

// Builds the dependency graph of the plan.
static int build_graph(
  const simulate_options_t * options, fw_execution_t * execution, const simulate_result_t * simulation)
{
  fw_error_t error = {0};
  fw_execution_options_t used = fw_execution_options_default();
  used.seconds_per_tick = options->seconds_per_tick;
  used.ahead_max = options->ahead;
  used.rings = options->rings_together ? FW_RINGS_TOGETHER : FW_RINGS_REFUSED;
  if (fw_execution_init(execution, &used, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  const fw_execution_splice_t splice = {.problem = &simulation->instance->problem, .plan = simulation->plan};
  switch (fw_execution_splice(execution, &splice, &error)) {
    case FW_RET_OK:
      return CLI_SUCCESS;
    case FW_RET_UNSUPPORTED:
      return cli_error(CLI_NOT_SOLVED, "%s; give --robust-ticks 1, or --rings-together", error.text);
    default:
      return cli_error(CLI_FAILURE, "%s", error.text);
  }
}

// Executes the plan with the simulated fleet and prints the result.
static int execute(simulate_result_t * simulation, const fw_simulated_fleet_options_t * delays)
{
  const simulate_options_t * options = simulation->options;
  fw_error_t error = {0};
  fw_simulated_fleet_t fleet = {0};
  const int64_t begin_ns = fw_clock_now_ns();
  fw_ret_t ret = fw_simulated_fleet_init(&fleet, simulation->execution, delays, &error);
  if (ret == FW_RET_OK) {
    ret = fw_simulated_fleet_run(&fleet, options->limit, &error);
  }
  if (ret != FW_RET_OK) {
    fw_simulated_fleet_fini(&fleet);
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  simulation->result = fw_simulated_fleet_result(&fleet);
  FW_ASSERT(simulation->result.arrived <= simulation->result.robots);
  simulation->elapsed_seconds = 1e-9 * (double)(fw_clock_now_ns() - begin_ns);
  simulation->radius =
    delays->radius > 0.0 ? delays->radius : fw_simulated_fleet_radius(simulation->execution, delays->noise);
  if (options->is_json) {
    print_json(simulation);
  } else {
    print_summary(simulation);
  }
  const fw_simulated_result_t * result = &simulation->result;
  const bool has_succeeded = result->overlaps == 0 && !result->is_deadlock && result->arrived == result->robots &&
                             simulation->plan->outcome == FW_OUTCOME_SOLVED;
  fw_simulated_fleet_fini(&fleet);
  return has_succeeded ? CLI_SUCCESS : CLI_NOT_SOLVED;
}

static int solve(const simulate_options_t * options, cli_instance_t * instance, cli_solve_t * solution)
{
  int exit_code = cli_solve_check_options(&options->solve, &options->solve.planner, 1);
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load(instance, &options->instance);
  }
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  cli_progress_t progress = {0};
  snprintf(
    progress.label, sizeof(progress.label), "%s, %d robot%s", options->solve.planner, instance->problem.robot_count,
    instance->problem.robot_count == 1 ? "" : "s");
  const cli_solve_request_t request = {
    .planner = options->solve.planner,
    .problem = &instance->problem,
    .seed = (uint64_t)options->instance.seed,
    .options = &options->solve,
    .progress = &progress,
  };
  return cli_solve_run(solution, &request);
}

static int plan_and_execute(const simulate_options_t * options)
{
  fw_simulated_fleet_options_t delays = {0};
  int exit_code = make_fleet_options(options, &delays);
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  cli_instance_t instance = {0};
  cli_solve_t solution = {0};
  fw_execution_t execution = {0};
  exit_code = solve(options, &instance, &solution);
  simulate_result_t simulation = {
    .options = options, .instance = &instance, .plan = &solution.plan, .execution = &execution};
  if (exit_code == CLI_SUCCESS) {
    exit_code = build_graph(options, &execution, &simulation);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = execute(&simulation, &delays);
  }
  fw_execution_fini(&execution);
  cli_solve_fini(&solution);
  cli_instance_fini(&instance);
  return exit_code;
}

// The fleet controller, in a world of the options or of the seed.
static int run_controller(const simulate_options_t * options)
{
  cli_instance_t instance = {0};
  const bool has_map = options->instance.map != NULL || options->instance.make != NULL;
  int exit_code = has_map ? cli_solve_check_options(&options->solve, &options->solve.planner, 1) : CLI_SUCCESS;
  if (exit_code == CLI_SUCCESS && has_map) {
    exit_code = cli_instance_load(&instance, &options->instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_controller_run(&(cli_controller_run_t){
      .problem = has_map ? &instance.problem : NULL,
      .map_name = instance.map_name,
      .planner = options->solve.planner,
      .seed = (uint64_t)options->instance.seed,
      .fault_seconds = options->fault_seconds,
      .has_no_faults = strcmp(options->faults, "none") == 0,
      .has_no_areas = options->has_no_areas,
      .has_trace = options->has_trace,
      .is_json = options->is_json,
      .out = options->out,
    });
  }
  cli_instance_fini(&instance);
  return exit_code;
}

// A swarm, which has no planner but the one it is made of.
static int run_swarm(const simulate_options_t * options)
{
  cli_instance_t instance = {0};
  if (options->has_controller) {
    return cli_error(CLI_USAGE, "--swarm and --controller exclude each other");
  }
  if (options->solve.planner != NULL && strcmp(options->solve.planner, "rtaa") != 0) {
    return cli_error(CLI_USAGE, "--swarm is for the planner rtaa, not %s", options->solve.planner);
  }
  if (options->solve.settings.count > 0) {
    return cli_error(CLI_USAGE, "--swarm does not support --set");
  }
  if (options->sight > 0 && options->hidden == 0 && options->moving == 0) {
    return cli_error(CLI_USAGE, "--sight needs --hidden or --moving");
  }
  if (options->instance.robots < 0 && options->instance.scen == NULL) {
    return cli_error(CLI_USAGE, "--swarm needs --robots or --scen");
  }
  int exit_code = cli_instance_load(&instance, &options->instance);
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_swarm_run(&(cli_swarm_run_t){
      .problem = &instance.problem,
      .map_name = instance.map_name,
      .seed = (uint64_t)options->instance.seed,
      .threads = options->solve.threads > 0 ? (int32_t)options->solve.threads : 1,
      .ticks = (int32_t)options->ticks,
      .is_json = options->is_json,
      .has_window = strcmp(options->memory, "window") == 0,
      .hidden = (int32_t)options->hidden,
      .moving = (int32_t)options->moving,
      .sight = options->sight > 0 ? (int32_t)options->sight : 3,
    });
  }
  cli_instance_fini(&instance);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  simulate_options_t options = {
    .instance = cli_instance_options_default(),
    .solve = cli_solve_options_default(),
    .mode = "dependency",
    .delays = "light",
    .slow = -1.0,
    .stops = -1.0,
    .longest = -1.0,
    .noise = 0.02,
    .seconds_per_tick = 1.0,
    .limit = 1e5,
    .faults = "seed",
    .fault_seconds = 60.0,
    .ticks = 300,
    .memory = "regions",
  };
  options.instance.robust_ticks = 1;
  const char * planner = options.solve.planner;
  options.solve.planner = NULL;  // to see whether it is given: a swarm has a planner of its own
  const cli_group_t groups[] = {
    {"Map", cli_map_options, .values = &options.instance},
    {"Robots", cli_robot_options, .values = &options.instance},
    {"Rules of motion", cli_rule_options, .values = &options.instance, .without = "cut-corners"},
    {"Planner", cli_planner_options, .values = &options.solve},
    {"Limits and parameters of the planner", cli_solve_options, .values = &options.solve},
    {"Execution", execution_options, .values = &options},
    {"Delays and errors", delay_options, .values = &options},
    {"Fleet controller", controller_options, .values = &options},
    {"Swarm", swarm_options, .values = &options},
    {"Output", output_options, .values = &options},
    {0},
  };
  const cli_manual_t manual = {
    .name = "simulate",
    .usage =
      "(--map FILE | --make SPEC) [--scen FILE] [--robots N] [--planner NAME] [--mode MODE]\n"
      "       fleetweave simulate --controller [--map FILE | --make SPEC] [--seed N] [--trace] [-o page.html]\n"
      "       fleetweave simulate --swarm (--map FILE | --make SPEC) --robots N [--ticks N] [--threads N]",
    .about =
      "Plans, then executes the plan with simulated robots that accelerate, are sometimes slow, stop at random\n"
      "and report their positions with errors. In mode dependency a robot enters a cell only after the robots\n"
      "that the plan has there before it have left: delays cost time, but robots never overlap. In mode timed\n"
      "robots follow the times of the plan only, and delays cause collisions. The same seed gives the same\n"
      "delays in both modes. Robots are discs; overlaps are counted every 0.05 s.",
    .groups = groups,
    .examples =
      "  fleetweave simulate --make warehouse:61x33,seed=1 --robots 40 --delays heavy\n"
      "  fleetweave simulate --make warehouse:61x33,seed=1 --robots 40 --delays heavy --mode timed\n"
      "  fleetweave simulate --map hall.map --scen hall.scen --planner whca --stops 30 --longest 60 --json\n"
      "  fleetweave simulate --controller --make warehouse:31x17,seed=1 --robots 12 --seed 3 -o run.html\n"
      "  fleetweave simulate --controller --map site.yaml --areas areas.yaml --robots 12 --cell-size 0.5 -o run.html\n"
      "  fleetweave simulate --controller --seed 4711 --trace\n"
      "  fleetweave simulate --swarm --make random:256x256,seed=1 --robots 10000 --threads 2\n"
      "  fleetweave simulate --swarm --make rooms:65x65,seed=1 --robots 200 --hidden 30 --sight 2\n"
      "  fleetweave simulate --swarm --make open:64x64 --robots 300 --moving 50",
    .exit_codes =
      "0 solved, all robots arrived and none overlapped; 1 overlaps, deadlock, robots that did not arrive, or\n"
      "a plan with a ring of robots that was refused; 2 invalid command line; 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  if (!options.has_controller && (options.has_trace || options.has_no_areas || options.out != NULL)) {
    return cli_error(CLI_USAGE, "--trace, --no-areas and --out need --controller");
  }
  if (!options.is_swarm && (options.hidden > 0 || options.moving > 0 || options.sight > 0)) {
    return cli_error(
      CLI_USAGE,
      "--hidden, --moving and --sight need --swarm; plans with hidden obstacles: --planner rtaa --set hidden=PERCENT");
  }
  if (options.is_swarm) {
    return run_swarm(&options);
  }
  options.solve.planner = options.solve.planner == NULL ? planner : options.solve.planner;
  return options.has_controller ? run_controller(&options) : plan_and_execute(&options);
}

const cli_command_t cli_command_simulate = {
  .name = "simulate",
  .summary = "execute a plan with delayed robots, and count overlaps",
  .run = run,
};
