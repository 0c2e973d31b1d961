// `fleetweave bench lifelong`: a fleet that never ends. Robots get a new random goal whenever they arrive, and the window
// of `whca` rolls on, tick after tick. What was driven is checked at the end like any plan.

#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "cli/bench.h"
#include "cli/instance.h"
#include "cli/json.h"
#include "cli/words.h"
#include "planner/window.h"
#include "world/problem.h"

enum { TRIES_MAX = 10000 };

typedef struct options_t {
  cli_instance_options_t instance;
  int64_t ticks;
  int64_t window;
  bool is_json;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t run_options[] = {
  {.name = "ticks",
   .kind = CLI_INTEGER,
   .offset = AT(ticks),
   .min = 1,
   .max = 1000000,
   .value = "T",
   .help = "how long the fleet drives (default: 1000)"},
  {.name = "window",
   .kind = CLI_INTEGER,
   .offset = AT(window),
   .min = 2,
   .max = 4096,
   .value = "W",
   .help = "ticks that robots plan ahead (default: 16)"},
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "one JSON object on stdout, in place of the words"},
};
// clang-format on

typedef struct life_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_meter_t meter;
  fw_planner_context_t context;
  fw_robot_t * robots;  // of the problem; their goals change
  fw_problem_t problem;
  fw_fleet_t fleet;
  fw_window_t window;
  fw_rng_t rng;
  bool * is_goal;     // by cell: some robot's, with what it covers there for certain
  int32_t * part;     // by node: which connected part of the floor it is in, from 1
  fw_pose_t * trace;  // tick after tick
  double * round_ms;
  double * searches;
  int32_t ticks;
  int64_t goals;
} life_t;

// Goals are drawn within a robot's own part of the floor.
static bool label_parts(life_t * life)
{
  const fw_moves_t * places = life->fleet.places;
  const size_t count = (size_t)places->node_count;
  int32_t * list = fw_arena_allocate(&life->arena, count, sizeof(*list));
  life->part = fw_arena_allocate_zeroed(&life->arena, count, sizeof(*life->part));
  if (list == NULL || life->part == NULL) {
    return false;
  }
  int32_t parts = 0;
  for (int32_t seed = 0; seed < places->node_count; ++seed) {
    int32_t listed = 0;
    if (life->part[seed] == 0) {
      life->part[seed] = ++parts;
      list[listed++] = seed;
    }
    while (listed > 0) {
      const int32_t * next = fw_moves_of(places, list[--listed]);
      for (int32_t d = 0; d < places->degree; ++d) {
        if (next[d] >= 0 && life->part[next[d]] == 0) {
          life->part[next[d]] = parts;
          list[listed++] = next[d];
        }
      }
    }
  }
  return true;
}

// A robot with a heading may face any way on its goal: only its own cell is certain.
static fw_footprint_t goal_footprint(const life_t * life, int32_t robot)
{
  return life->robots[robot].turn_ticks > 0 ? fw_footprint_single : fw_footprint_of(&life->robots[robot]);
}

static void mark_goal(life_t * life, int32_t robot, fw_cell_t goal, bool is_goal)
{
  const fw_footprint_t footprint = goal_footprint(life, robot);
  for (int32_t i = 0; i < footprint.count; ++i) {
    life->is_goal[goal + footprint.cells[i].dy * life->problem.grid->width + footprint.cells[i].dx] = is_goal;
  }
}

// The robot fits there, and nobody else has its goal on one of the cells. It keeps its old goal meanwhile.
static bool is_goal_free(const life_t * life, int32_t robot, fw_cell_t goal)
{
  const fw_footprint_t footprint = goal_footprint(life, robot);
  bool is_free = goal != life->robots[robot].goal && fw_moves_any_node(life->fleet.moves[robot], goal) >= 0;
  for (int32_t i = 0; i < footprint.count && is_free; ++i) {
    is_free = !life->is_goal[goal + footprint.cells[i].dy * life->problem.grid->width + footprint.cells[i].dx];
  }
  return is_free;
}

static bool prepare(life_t * life, const fw_problem_t * problem, const options_t * options, fw_error_t * error)
{
  fw_arena_t * arena = &life->arena;
  const size_t count = (size_t)problem->robot_count;
  const size_t ticks = (size_t)options->ticks;
  life->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_init(arena, &life->memory);
  fw_meter_start(&life->meter, NULL);
  life->context = (fw_planner_context_t){.scratch = arena, .meter = &life->meter, .threads = 1};
  life->rng = fw_rng((uint64_t)options->instance.seed + 1);
  life->problem = fw__problem_normalise(problem, arena);
  life->robots = fw_arena_allocate(arena, count, sizeof(*life->robots));
  life->is_goal = fw_arena_allocate_zeroed(arena, (size_t)fw_grid_cell_count(problem->grid), sizeof(bool));
  life->trace = fw_arena_allocate(arena, count * (ticks + 1), sizeof(*life->trace));
  life->round_ms = fw_arena_allocate(arena, ticks, sizeof(*life->round_ms));
  life->searches = fw_arena_allocate(arena, ticks, sizeof(*life->searches));
  if (
    life->problem.robots == NULL || life->robots == NULL || life->is_goal == NULL || life->trace == NULL ||
    life->round_ms == NULL || life->searches == NULL) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    life->robots[r] = life->problem.robots[r];
  }
  life->problem.robots = life->robots;
  const fw_window_options_t window = {
    .window = (int32_t)options->window, .price = 2, .price_rise = 20, .changes_max = 24};
  if (
    fw_fleet_init(&life->fleet, &life->context, &life->problem, error) != FW_FLEET_READY ||
    !fw_window_init(&life->window, arena, &life->fleet, &life->meter, &window) || !label_parts(life)) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    mark_goal(life, r, life->robots[r].goal, true);
  }
  return true;
}

// Another goal that nobody has and that can be reached; false if none was found.
static bool give_goal(life_t * life, int32_t robot)
{
  const fw_moves_t * places = life->fleet.places;
  const fw_cell_t old = life->robots[robot].goal;  // still taken while the next one is drawn
  const int32_t part = life->part[places->node_of[old]];
  for (int32_t tries = 0; tries < TRIES_MAX; ++tries) {
    const int32_t node = fw_rng_below(&life->rng, places->node_count);
    const fw_cell_t goal = places->cell_of[node];
    if (life->part[node] != part || !is_goal_free(life, robot, goal)) {
      continue;
    }
    life->robots[robot].goal = goal;
    if (fw_window_goal_changed(&life->window, robot)) {
      mark_goal(life, robot, old, false);
      mark_goal(life, robot, goal, true);
      return true;
    }
    life->robots[robot].goal = old;
  }
  return false;
}

// Notes where everybody is and gives new goals to those who have arrived.
static bool turn_the_page(life_t * life)
{
  const int32_t count = life->problem.robot_count;
  for (int32_t r = 0; r < count; ++r) {
    const fw_pose_t pose = fw_window_pose(&life->window, r, life->window.now);
    life->trace[(size_t)life->ticks * (size_t)count + (size_t)r] = pose;
    if (pose.cell == life->robots[r].goal) {
      life->goals += life->ticks > 0 ? 1 : 0;
      if (!give_goal(life, r)) {
        return false;
      }
    }
  }
  return true;
}

// False if it ended before its time.
static bool live(life_t * life, int32_t ticks)
{
  for (life->ticks = 0; life->ticks < ticks; ++life->ticks) {
    const int64_t begin_ns = fw_clock_now_ns();
    const int64_t before = life->window.counts.searches;
    if (!turn_the_page(life) || !fw_window_plan(&life->window)) {
      return false;
    }
    life->round_ms[life->ticks] = (double)(fw_clock_now_ns() - begin_ns) / 1e6;
    life->searches[life->ticks] = (double)(life->window.counts.searches - before);
    (void)fw_window_step(&life->window);
  }
  return true;
}

// What was driven, as paths, through the independent check.
static fw_ret_t check(life_t * life, fw_conflict_t * conflict, fw_error_t * error)
{
  const size_t count = (size_t)life->problem.robot_count;
  fw_path_t * paths = fw_arena_allocate(&life->arena, count, sizeof(*paths));
  fw_cell_t * cells = fw_arena_allocate(&life->arena, count * (size_t)life->ticks, sizeof(*cells));
  uint8_t * headings = fw_arena_allocate(&life->arena, count * (size_t)life->ticks, sizeof(*headings));
  if (paths == NULL || cells == NULL || headings == NULL || life->ticks == 0) {
    return FW_RET_BAD_ALLOC;
  }
  for (size_t r = 0; r < count; ++r) {
    const size_t first = r * (size_t)life->ticks;
    for (size_t t = 0; t < (size_t)life->ticks; ++t) {
      cells[first + t] = life->trace[t * count + r].cell;
      headings[first + t] = (uint8_t)life->trace[t * count + r].heading;
    }
    paths[r] = (fw_path_t){.cells = cells + first, .length = life->ticks, .headings = headings + first};
  }
  return fw_check_paths(&life->problem, paths, life->problem.robot_count, life->ticks - 1, NULL, conflict, error);
}

typedef struct figures_t {
  double goals_per_1000_ticks;
  double round_ms[3];  // median, 99th percentile, worst
  double searches[3];  // mean, 99th percentile, most
} figures_t;

static figures_t figures_of(life_t * life)
{
  double sum = 0.0;
  for (int32_t t = 0; t < life->ticks; ++t) {
    sum += life->searches[t];
  }
  return (figures_t){
    .goals_per_1000_ticks = (double)life->goals * 1000.0 / life->ticks,
    .round_ms =
      {cli_median(life->round_ms, life->ticks), cli_percentile(life->round_ms, life->ticks, 0.99),
       cli_percentile(life->round_ms, life->ticks, 1.0)},
    .searches =
      {sum / life->ticks, cli_percentile(life->searches, life->ticks, 0.99),
       cli_percentile(life->searches, life->ticks, 1.0)},
  };
}

static void print_words(life_t * life, const char * map_name, const options_t * options)
{
  const figures_t figures = figures_of(life);
  const fw_window_counts_t * counts = &life->window.counts;
  cli_host_t host;
  cli_host_read(&host);
  printf("# fleetweave %s, %s, %s, %ld cores\n", FLEETWEAVE_VERSION, host.date, host.cpu, host.cores);
  printf(
    "# %s, %d robots, window %d, %d ticks, seed %lld; what was driven passed the check\n", map_name,
    life->problem.robot_count, (int)options->window, life->ticks, (long long)options->instance.seed);
  printf("goals per 1,000 ticks  %.0f\n", figures.goals_per_1000_ticks);
  printf(
    "ms per round           median %.2f, 99th percentile %.2f, worst %.2f\n", figures.round_ms[0], figures.round_ms[1],
    figures.round_ms[2]);
  printf(
    "searches per tick      mean %.1f, 99th percentile %.0f, most %.0f\n", figures.searches[0], figures.searches[1],
    figures.searches[2]);
  printf(
    "expanded %lld, overridden %lld, rollbacks %lld, second chances %lld, fleet stops %lld\n",
    (long long)life->meter.expanded, (long long)counts->overridden, (long long)counts->rollbacks,
    (long long)counts->promotions, (long long)counts->stops);
}

static void print_json(life_t * life, const char * map_name, const options_t * options)
{
  const figures_t figures = figures_of(life);
  const fw_window_counts_t * counts = &life->window.counts;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "map", map_name);
  cli_json_integer(&json, "robots", life->problem.robot_count);
  cli_json_integer(&json, "window", options->window);
  cli_json_integer(&json, "ticks", life->ticks);
  cli_json_integer(&json, "goals", life->goals);
  cli_json_number(&json, "goals_per_1000_ticks", figures.goals_per_1000_ticks);
  cli_json_number(&json, "round_ms_median", figures.round_ms[0]);
  cli_json_number(&json, "round_ms_p99", figures.round_ms[1]);
  cli_json_number(&json, "round_ms_worst", figures.round_ms[2]);
  cli_json_number(&json, "searches_per_tick", figures.searches[0]);
  cli_json_number(&json, "searches_per_tick_most", figures.searches[2]);
  cli_json_integer(&json, "expanded", life->meter.expanded);
  cli_json_integer(&json, "overridden", counts->overridden);
  cli_json_integer(&json, "second_chances", counts->promotions);
  cli_json_integer(&json, "fleet_stops", counts->stops);
  cli_json_close(&json, '}');
  putchar('\n');
}

static int measure(life_t * life, const cli_instance_t * instance, const options_t * options)
{
  fw_error_t error = {.text = "out of memory"};
  if (!prepare(life, &instance->problem, options, &error)) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  if (!live(life, (int32_t)options->ticks)) {
    return cli_say(CLI_FAILURE, "tick %d: no goal left to give, or no memory", life->ticks);
  }
  fw_conflict_t conflict;
  if (check(life, &conflict, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(&life->problem, &conflict, text, sizeof(text));
    return cli_say(CLI_FAILURE, "what was driven does not pass the check: %s", text);
  }
  if (options->is_json) {
    print_json(life, instance->map_name, options);
  } else {
    print_words(life, instance->map_name, options);
  }
  return CLI_SOLVED;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {.instance = cli_instance_options_default(), .ticks = 1000, .window = 16};
  const cli_group_t groups[] = {
    {"Map", cli_map_options, CLI_MAP_OPTION_COUNT, &options.instance},
    {"Robots", cli_robot_options, CLI_ROBOT_OPTION_COUNT, &options.instance},
    {"Rules of motion", cli_rule_options, CLI_RULE_OPTION_COUNT, &options.instance},
    {"Run", run_options, (int32_t)(sizeof(run_options) / sizeof(run_options[0])), &options},
  };
  const cli_manual_t manual = {
    .name = "bench lifelong",
    .usage = "(--map FILE | --make LINE) [--scen FILE] [--robots N] [--ticks T] [--window W]",
    .about =
      "Robots that get a new random goal whenever they arrive, planned by the rolling window of `whca`.\n"
      "Prints goals per 1,000 ticks, the time of a round (one tick's planning) and the searches per tick.\n"
      "What was driven is checked at the end.",
    .groups = groups,
    .group_count = 4,
    .examples =
      "  fleetweave bench lifelong --make warehouse:161x63,seed=1 --robots 200 --ticks 1000\n"
      "  fleetweave bench lifelong --make open:256x256 --robots 1000 --window 16 --json",
    .exit_codes = "0 done, 2 wrong command line, 3 failure.",
  };
  switch (cli_parse(&manual, argument_count, arguments, NULL)) {
    case CLI_PARSED_HELP:
      return CLI_SOLVED;
    case CLI_PARSED_WRONG:
      return CLI_USAGE;
    case CLI_PARSED:
      break;
  }
  cli_instance_t instance = {0};
  life_t life = {0};
  int exit_code = cli_instance_load_grid(&instance, &options.instance);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_instance_load_robots(&instance, &options.instance);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = measure(&life, &instance, &options);
  }
  if (life.arena.memory != NULL) {
    fw_arena_fini(&life.arena);
  }
  cli_instance_fini(&instance);
  return exit_code;
}

const cli_command_t cli_bench_lifelong = {
  .name = "lifelong",
  .summary = "a fleet that never ends: a new goal on arrival, tick after tick",
  .run = run,
};
