// `bench lifelong`: see lifelong.h. Every tick is one planning round; the driven paths are checked at the end like any
// plan.

#include "bench/lifelong.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/common/instance.h"
#include "cli/common/message.h"
#include "world/problem.h"

// ---- goals ----------------------------------------------------------------------------------------------------------

enum { DRAWS_MAX = 64 };

// Nodes where no robot can stay: closed forever from some tick on.
static void mark_closed(bench_life_t * life, int32_t * component)
{
  for (int32_t i = 0; i < life->given->closure_count; ++i) {
    const fw_closure_t * closure = &life->given->closures[i];
    if (closure->to == FW_TICK_MAX) {
      component[life->fleet.places->node_of[closure->cell]] = -1;
    }
  }
}

// Labels the connected components by flooding. Returns how many there are.
static int32_t flood_components(bench_life_t * life, int32_t * list)
{
  const fw_moves_t * places = life->fleet.places;
  int32_t component_count = 0;
  for (int32_t seed = 0; seed < places->node_count; ++seed) {
    int32_t listed = 0;
    if (life->component[seed] == 0) {
      life->component[seed] = ++component_count;
      list[listed++] = seed;
    }
    while (listed > 0) {
      const int32_t * next = fw__moves_successors(places, list[--listed]);
      for (int32_t d = 0; d < places->degree; ++d) {
        if (next[d] >= 0 && life->component[next[d]] == 0) {
          life->component[next[d]] = component_count;
          list[listed++] = next[d];
        }
      }
    }
  }
  return component_count;
}

// Connected components of the free floor, in which goals are drawn; a cell that is closed forever is a wall. False
// when there is no memory.
static bool label_components(bench_life_t * life)
{
  const size_t count = (size_t)life->fleet.places->node_count;
  life->in_component = fw__arena_allocate(&life->arena, count, sizeof(*life->in_component));
  life->component = fw__arena_allocate_zeroed(&life->arena, count, sizeof(*life->component));
  if (life->in_component == NULL || life->component == NULL) {
    return false;
  }
  mark_closed(life, life->component);
  const int32_t component_count = flood_components(life, life->in_component);
  life->component_at =
    fw__arena_allocate_zeroed(&life->arena, (size_t)component_count + 3, sizeof(*life->component_at));
  if (life->component_at == NULL) {
    return false;
  }
  // Counting sort: sizes shifted by two, prefix sums, then each node advances the start of the next component.
  for (size_t node = 0; node < count; ++node) {
    life->component_at[life->component[node] > 0 ? life->component[node] + 2 : 0] += 1;
  }
  life->component_at[0] = 0;
  for (int32_t component = 1; component <= component_count + 2; ++component) {
    life->component_at[component] += life->component_at[component - 1];
  }
  for (size_t node = 0; node < count; ++node) {
    if (life->component[node] > 0) {
      life->in_component[life->component_at[life->component[node] + 1]++] = (int32_t)node;
    }
  }
  return true;
}

// A robot with a heading may have any heading at its goal: only its own cell is covered for certain.
static fw_footprint_t goal_footprint(const bench_life_t * life, int32_t robot)
{
  return life->robots[robot].turn_ticks > 0 ? fw__footprint_single : fw__footprint_of(&life->robots[robot]);
}

// Marks or unmarks the cells that a robot covers at its goal.
static void mark_goal(bench_life_t * life, int32_t robot, bool is_goal)
{
  const fw_footprint_t footprint = goal_footprint(life, robot);
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_offset_t offset = footprint.cells[i];
    life->is_goal[life->robots[robot].goal + offset.dy * life->problem.grid->width + offset.dx] = is_goal;
  }
}

// Whether the robot can stand there, and no goal (its own old one included) covers one of the cells.
static bool is_goal_free(const bench_life_t * life, int32_t robot, fw_cell_t goal)
{
  const fw_footprint_t footprint = goal_footprint(life, robot);
  bool is_free = fw__moves_any_node(life->fleet.moves[robot], goal) >= 0;
  for (int32_t i = 0; i < footprint.count && is_free; ++i) {
    is_free = !life->is_goal[goal + footprint.cells[i].dy * life->problem.grid->width + footprint.cells[i].dx];
  }
  return is_free;
}

// Makes a node the goal of a robot, if it is free and the robot can get there. False: the robot keeps its goal.
static bool take_goal(bench_life_t * life, int32_t robot, int32_t node)
{
  const fw_cell_t old = life->robots[robot].goal;
  const fw_cell_t goal = life->fleet.places->cell_of[node];
  if (!is_goal_free(life, robot, goal)) {
    return false;
  }
  life->robots[robot].goal = goal;
  const fw_grid_pose_t from = {life->robots[robot].start, life->robots[robot].heading};
  const bool has_path = fw__fleet_set_goal(&life->fleet, robot, from, &life->meter);
  life->robots[robot].goal = old;
  if (!has_path) {
    return false;
  }
  mark_goal(life, robot, false);
  life->robots[robot].goal = goal;
  mark_goal(life, robot, true);
  ++life->changes;
  return true;
}

// Draws another free goal in the robot's component. False if there is none: the robot keeps the goal it has.
static bool give_goal(bench_life_t * life, int32_t robot)
{
  const int32_t component = life->component[life->fleet.places->node_of[life->robots[robot].goal]];
  const int32_t first = life->component_at[component];
  const int32_t count = life->component_at[component + 1] - first;
  FW_ASSERT(component > 0 && count > 0);
  int32_t at = 0;
  for (int32_t draws = 0; draws < DRAWS_MAX && !fw__meter_has_stopped(&life->meter); ++draws) {
    at = fw__rng_below(&life->rng, count);
    if (take_goal(life, robot, life->in_component[first + at])) {
      return true;
    }
  }
  // Almost all cells are goals, or the run was interrupted: try every cell in turn.
  for (int32_t tries = 0; tries < count && !fw__meter_has_stopped(&life->meter); ++tries) {
    at = (at + 1) % count;
    if (take_goal(life, robot, life->in_component[first + at])) {
      return true;
    }
  }
  return false;
}

// ---- setup ----------------------------------------------------------------------------------------------------------

// Arrays by tick. False when there is no memory.
static bool allocate_records(bench_life_t * life, const bench_life_options_t * options)
{
  fw_arena_t * arena = &life->arena;
  const size_t count = (size_t)life->problem.robot_count;
  const size_t ticks = (size_t)options->ticks;
  life->is_goal =
    fw__arena_allocate_zeroed(arena, (size_t)fw_grid_cell_count(life->problem.grid), sizeof(*life->is_goal));
  life->trace = fw__arena_allocate(arena, count * ticks, sizeof(*life->trace));
  life->round_ms = fw__arena_allocate(arena, ticks, sizeof(*life->round_ms));
  life->searches = fw__arena_allocate(arena, ticks, sizeof(*life->searches));
  life->expanded = fw__arena_allocate(arena, ticks, sizeof(*life->expanded));
  life->reached = fw__arena_allocate(arena, ticks, sizeof(*life->reached));
  return !arena->has_failed;
}

// A planner with the window, as any caller of the library has it.
static bool init_planner(bench_life_t * life, const bench_life_options_t * options, fw_error_t * error)
{
  fw_planner_options_t given = fw_planner_options_default();
  given.memory_max_bytes = SIZE_MAX;
  given.seed = (uint64_t)options->seed;
  char window[24];
  snprintf(window, sizeof(window), "%" PRId64, options->window);
  return fw_planner_init(&life->planner, "whca", &given, error) == FW_RET_OK &&
         fw_planner_set(&life->planner, "window", window, error) == FW_RET_OK;
}

// Sets up the fleet and its planner. False when there is no memory, or with the reason in `error`.
static bool init_life(
  bench_life_t * life, const fw_problem_t * problem, const bench_life_options_t * options, fw_error_t * error)
{
  fw_arena_t * arena = &life->arena;
  life->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(arena, &life->memory);
  snprintf(life->progress.label, sizeof(life->progress.label), "lifelong, %d robots", problem->robot_count);
  cli_progress_start(&life->progress);
  fw__meter_start(
    &life->meter, &(fw_budget_t){.is_cancelled = cli_progress_is_cancelled, .cancel_state = &life->progress});
  life->context = (fw_planner_context_t){.scratch = arena, .meter = &life->meter, .threads = 1};
  life->rng = fw__rng((uint64_t)options->seed + 1);
  life->given = problem;
  life->problem = fw__problem_normalise(problem, arena);
  life->robots = fw__arena_allocate(arena, (size_t)problem->robot_count, sizeof(*life->robots));
  life->closures = fw__arena_allocate(arena, (size_t)problem->closure_count + 1, sizeof(*life->closures));
  if (
    life->problem.robots == NULL || life->robots == NULL || life->closures == NULL ||
    !allocate_records(life, options)) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    life->robots[r] = life->problem.robots[r];
    mark_goal(life, r, true);
  }
  life->problem.robots = life->robots;
  life->problem.horizon = 1;  // of each plan, one tick is driven before the next
  return init_planner(life, options, error) &&
         fw__fleet_init(&life->fleet, &life->context, &life->problem, error) == FW_FLEET_READY &&
         label_components(life);
}

// ---- driving --------------------------------------------------------------------------------------------------------

// Robots take turns, so that some of them change their goal at every tick.
static bool must_change_goal(const bench_life_t * life, int32_t robot, int64_t goals_every)
{
  return goals_every > 0 && life->ticks > 0 && (life->ticks + robot) % goals_every == 0;
}

// Where the robot is listed now: on the cell that it leaves, while it is in motion.
static fw_grid_pose_t pose_of(const fw_robot_t * robot)
{
  return robot->arrives > 0 ? (fw_grid_pose_t){robot->from, robot->from_heading}
                            : (fw_grid_pose_t){robot->start, robot->heading};
}

// Records the poses and gives new goals to robots that have arrived or whose goal is replaced. False if all robots have
// arrived and there is no other goal for any of them.
static bool begin_tick(bench_life_t * life, int64_t goals_every)
{
  const int32_t count = life->problem.robot_count;
  int32_t idle_count = 0;
  for (int32_t r = 0; r < count; ++r) {
    const fw_grid_pose_t pose = pose_of(&life->robots[r]);
    life->trace[(size_t)life->ticks * (size_t)count + (size_t)r] = pose;
    const bool has_arrived = pose.cell == life->robots[r].goal;
    if (has_arrived || must_change_goal(life, r, goals_every)) {
      const bool has_goal = give_goal(life, r);
      life->goals += has_arrived && has_goal && life->ticks > 0 ? 1 : 0;
      idle_count += has_arrived && !has_goal ? 1 : 0;
    }
  }
  return idle_count < count;
}

// The problem of this tick: closures that have passed are left out, the others are counted from now on.
static void make_round(bench_life_t * life)
{
  const fw_tick_t now = life->ticks;
  life->problem.closures = life->closures;
  life->problem.closure_count = 0;
  for (int32_t i = 0; i < life->given->closure_count; ++i) {
    const fw_closure_t * closure = &life->given->closures[i];
    if (closure->to >= now) {
      life->closures[life->problem.closure_count++] = (fw_closure_t){
        .cell = closure->cell,
        .from = closure->from > now ? closure->from - now : 0,
        .to = closure->to == FW_TICK_MAX ? FW_TICK_MAX : closure->to - now,
      };
    }
  }
  life->problem.since = now > 0 ? 1 : 0;
}

// Adds a counter of a plan by its name.
static void add_counter(const fw_stats_t * stats, const char * name, int64_t * sum)
{
  for (int32_t i = 0; i < stats->counter_count; ++i) {
    *sum += strcmp(stats->counters[i].name, name) == 0 ? stats->counters[i].value : 0;
  }
}

static void add_counts(bench_life_counts_t * counts, const fw_stats_t * stats)
{
  counts->expanded += stats->expanded;
  add_counter(stats, "searches", &counts->searches);
  add_counter(stats, "robots_overridden", &counts->overridden);
  add_counter(stats, "rollbacks", &counts->rollbacks);
  add_counter(stats, "promotions", &counts->promotions);
  add_counter(stats, "fleet_stops", &counts->stops);
  counts->memory_peak_bytes =
    stats->memory_peak_bytes > counts->memory_peak_bytes ? stats->memory_peak_bytes : counts->memory_peak_bytes;
}

// One planning round and one tick of driving. Returns an exit code after an error message.
static int drive_tick(bench_life_t * life)
{
  const bench_life_counts_t before = life->counts;
  const fw_budget_t budget = {.is_cancelled = cli_progress_is_cancelled, .cancel_state = &life->progress};
  fw_error_t error = {0};
  fw_plan_t plan;
  make_round(life);
  const int64_t begin_ns = fw_clock_now_ns();
  const fw_ret_t ret = fw_planner_solve(&life->planner, &life->problem, &budget, &plan, &error);
  life->round_ms[life->ticks] = (double)(fw_clock_now_ns() - begin_ns) / 1e6;
  if (cli_progress_was_interrupted()) {
    return cli_error(CLI_NOT_SOLVED, "interrupted at tick %d", life->ticks);
  }
  if (ret != FW_RET_OK || plan.outcome == FW_OUTCOME_UNSOLVABLE) {
    return cli_error(CLI_FAILURE, "tick %d: %s", life->ticks, error.text);
  }
  if (plan.stop == FW_STOP_MEMORY || plan.safe_until < 1) {
    return cli_error(
      CLI_FAILURE, "tick %d: %s", life->ticks,
      plan.stop == FW_STOP_MEMORY ? "out of memory"
                                  : "a robot stands on a cell that is about to close and cannot leave it");
  }
  add_counts(&life->counts, &plan.stats);
  life->searches[life->ticks] = life->counts.searches - before.searches;
  life->expanded[life->ticks] = life->counts.expanded - before.expanded;
  life->reached[life->ticks] = life->goals;
  for (int32_t r = 0; r < life->problem.robot_count; ++r) {
    fw_robot_advance(&life->robots[r], &plan.paths[r], 1);
  }
  return CLI_SUCCESS;
}

// The rounds: new goals, one planning round, one tick of driving.
static int drive(bench_life_t * life, const bench_life_options_t * options)
{
  int exit_code = CLI_SUCCESS;
  for (life->ticks = 0; life->ticks < options->ticks && exit_code == CLI_SUCCESS; ++life->ticks) {
    const bool has_goals = begin_tick(life, options->goals_every);
    if (cli_progress_was_interrupted()) {
      return cli_error(CLI_NOT_SOLVED, "interrupted at tick %d", life->ticks);
    }
    if (!has_goals || fw__meter_has_stopped(&life->meter)) {
      return cli_error(
        CLI_FAILURE, "tick %d: %s", life->ticks, has_goals ? "out of memory" : "no free cell is left for a new goal");
    }
    exit_code = drive_tick(life);
  }
  return exit_code;
}

// ---- checking -------------------------------------------------------------------------------------------------------

// The driven paths, through the independent checker.
static int check(bench_life_t * life)
{
  const size_t count = (size_t)life->problem.robot_count;
  const size_t ticks = (size_t)life->ticks;
  fw_path_t * paths = fw__arena_allocate(&life->arena, count, sizeof(*paths));
  fw_cell_t * cells = fw__arena_allocate(&life->arena, count * ticks, sizeof(*cells));
  uint8_t * headings = fw__arena_allocate(&life->arena, count * ticks, sizeof(*headings));
  if (paths == NULL || cells == NULL || headings == NULL) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  for (size_t r = 0; r < count; ++r) {
    for (size_t t = 0; t < ticks; ++t) {
      cells[r * ticks + t] = life->trace[t * count + r].cell;
      headings[r * ticks + t] = (uint8_t)life->trace[t * count + r].heading;
    }
    paths[r] = (fw_path_t){.cells = cells + r * ticks, .length = life->ticks, .headings = headings + r * ticks};
  }
  fw_error_t error = {0};
  fw_conflict_t conflict = {0};
  if (
    fw_check_paths(life->given, paths, life->problem.robot_count, life->ticks - 1, NULL, &conflict, &error) !=
    FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(life->given, &conflict, text, sizeof(text));
    return cli_error(CLI_FAILURE, "the driven paths fail the check: %s", text);
  }
  return CLI_SUCCESS;
}

int bench_life_run(bench_life_t * life, const fw_problem_t * problem, const bench_life_options_t * options)
{
  fw_error_t error = {.text = "out of memory"};
  if (!init_life(life, problem, options, &error)) {
    cli_progress_clear();
    return cli_progress_was_interrupted() ? cli_error(CLI_NOT_SOLVED, "interrupted")
                                          : cli_error(CLI_FAILURE, "%s", error.text);
  }
  const int exit_code = drive(life, options);
  cli_progress_clear();
  return exit_code == CLI_SUCCESS ? check(life) : exit_code;
}

void bench_life_fini(bench_life_t * life)
{
  fw_planner_fini(&life->planner);
  if (life->arena.memory != NULL) {
    fw__arena_fini(&life->arena);
  }
  *life = (bench_life_t){0};
}

// ---- report ---------------------------------------------------------------------------------------------------------

typedef struct life_spread_t {
  double median;
  double p99;
  double most;
} life_spread_t;

// Of `count` values, which keep their order. All 0 when there is no memory for a sorted copy.
static life_spread_t spread_of(const double * values, int32_t count)
{
  double * sorted = malloc((size_t)count * sizeof(*sorted));
  if (sorted == NULL) {
    return (life_spread_t){0};
  }
  memcpy(sorted, values, (size_t)count * sizeof(*sorted));
  const life_spread_t spread = {
    .median = bench_median(sorted, count),
    .p99 = bench_percentile(sorted, count, 0.99),
    .most = bench_percentile(sorted, count, 1.0),
  };
  free(sorted);
  return spread;
}

static double mean_of(const int64_t * values, int32_t count)
{
  double sum = 0.0;
  for (int32_t i = 0; i < count; ++i) {
    sum += (double)values[i];
  }
  return count > 0 ? sum / count : 0.0;
}

bench_life_figures_t bench_life_figures(const bench_life_t * life)
{
  const int32_t ticks = life->ticks;
  const life_spread_t rounds = spread_of(life->round_ms, ticks);
  double * counts = malloc((size_t)ticks * sizeof(*counts));
  for (int32_t t = 0; counts != NULL && t < ticks; ++t) {
    counts[t] = (double)life->searches[t];
  }
  const life_spread_t searches = counts != NULL ? spread_of(counts, ticks) : (life_spread_t){0};
  free(counts);
  return (bench_life_figures_t){
    .goals_per_1000_ticks = (double)life->goals * 1000.0 / ticks,
    .round_ms = {rounds.median, rounds.p99, rounds.most},
    .searches = {mean_of(life->searches, ticks), searches.p99, searches.most},
    .expanded = ticks > 1 ? mean_of(life->expanded + 1, ticks - 1) : 0.0,
    .memory_mb = (double)life->counts.memory_peak_bytes / 1e6,
  };
}

// What the three forms of the report have at hand.
typedef struct lifelong_report_t {
  bench_life_t life;
  const bench_life_options_t * options;
  const char * map_name;
} lifelong_report_t;

static void print_text(const void * state)
{
  const lifelong_report_t * report = state;
  const bench_life_t * life = &report->life;
  const bench_life_options_t * options = report->options;
  const bench_life_figures_t figures = bench_life_figures(life);
  const bench_life_counts_t * counts = &life->counts;
  bench_host_t host;
  bench_host_read(&host);
  bench_host_print(&host);
  printf(
    "# %s, %d robots, window %" PRId64 ", %d ticks, seed %" PRId64, report->map_name, life->problem.robot_count,
    options->window, life->ticks, options->seed);
  if (options->goals_every > 0) {
    printf(", a new goal every %" PRId64 " ticks", options->goals_every);
  }
  if (life->given->closure_count > 0) {
    printf(", %d closures", life->given->closure_count);
  }
  printf("; the driven paths passed the check\n");
  printf(
    "goals per 1,000 ticks  %.0f reached, %.0f assigned\n", figures.goals_per_1000_ticks,
    (double)life->changes * 1000.0 / life->ticks);
  printf(
    "ms per round           median %.2f, 99th percentile %.2f, worst %.2f\n", figures.round_ms[0], figures.round_ms[1],
    figures.round_ms[2]);
  printf(
    "searches per tick      mean %.1f, 99th percentile %.0f, most %.0f\n", figures.searches[0], figures.searches[1],
    figures.searches[2]);
  printf("memory                 %.1f MB\n", figures.memory_mb);
  printf(
    "expanded %" PRId64 ", overridden %" PRId64 ", rollbacks %" PRId64 ", second chances %" PRId64
    ", fleet stops %" PRId64 "\n",
    counts->expanded, counts->overridden, counts->rollbacks, counts->promotions, counts->stops);
}

static void print_json(const void * state)
{
  const lifelong_report_t * report = state;
  const bench_life_t * life = &report->life;
  const bench_life_options_t * options = report->options;
  const bench_life_figures_t figures = bench_life_figures(life);
  const bench_life_counts_t * counts = &life->counts;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "map", report->map_name);
  cli_json_integer(&json, "robots", life->problem.robot_count);
  cli_json_integer(&json, "window", options->window);
  cli_json_integer(&json, "ticks", life->ticks);
  cli_json_integer(&json, "goals_every", options->goals_every);
  cli_json_integer(&json, "closures", life->given->closure_count);
  cli_json_integer(&json, "goals", life->goals);
  cli_json_integer(&json, "goals_given", life->changes);
  cli_json_number(&json, "goals_per_1000_ticks", figures.goals_per_1000_ticks);
  cli_json_number(&json, "round_ms_median", figures.round_ms[0]);
  cli_json_number(&json, "round_ms_p99", figures.round_ms[1]);
  cli_json_number(&json, "round_ms_worst", figures.round_ms[2]);
  cli_json_number(&json, "searches_per_tick", figures.searches[0]);
  cli_json_number(&json, "searches_per_tick_most", figures.searches[2]);
  cli_json_number(&json, "memory_peak_mb", figures.memory_mb);
  cli_json_integer(&json, "expanded", counts->expanded);
  cli_json_integer(&json, "overridden", counts->overridden);
  cli_json_integer(&json, "rollbacks", counts->rollbacks);
  cli_json_integer(&json, "second_chances", counts->promotions);
  cli_json_integer(&json, "fleet_stops", counts->stops);
  cli_json_close(&json, '}');
  putchar('\n');
}

static void write_csv(const void * state, FILE * stream)
{
  const bench_life_t * life = &((const lifelong_report_t *)state)->life;
  fputs("tick,round_ms,searches,expanded,goals_reached\n", stream);
  for (int32_t t = 0; t < life->ticks; ++t) {
    fprintf(
      stream, "%d,%.6f,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", t, life->round_ms[t], life->searches[t],
      life->expanded[t], life->reached[t]);
  }
}

// ---- command --------------------------------------------------------------------------------------------------------

typedef struct lifelong_options_t {
  cli_instance_options_t instance;
  bench_life_options_t life;
  bench_output_t output;
} lifelong_options_t;

#define AT(member) offsetof(lifelong_options_t, member)

static const cli_option_t run_options[] = {
  {.name = "ticks",
   .kind = CLI_INTEGER,
   .offset = AT(life.ticks),
   .min = 1,
   .max = 1000000,
   .value = "T",
   .help = "how long the fleet drives (default: 1000)"},
  {.name = "window",
   .kind = CLI_INTEGER,
   .offset = AT(life.window),
   .min = 4,  // half of it, and the tick that is driven before the next round
   .max = 4096,
   .value = "W",
   .help = "planning horizon: ticks that robots plan ahead (default: 16)"},
  {.name = "goals-every",
   .kind = CLI_INTEGER,
   .offset = AT(life.goals_every),
   .min = 0,
   .max = 1000000,
   .value = "N",
   .help =
     "also replace a goal after N ticks, reached or not; robots take turns\n(default: 0, new goals on arrival only)"},
  {0},
};

static int measure(const lifelong_options_t * options, const cli_instance_t * instance)
{
  lifelong_report_t report = {.options = &options->life, .map_name = instance->map_name};
  int exit_code = bench_life_run(&report.life, &instance->problem, &options->life);
  if (exit_code == CLI_SUCCESS) {
    exit_code = bench_output_write(&options->output, &(bench_report_t){&report, print_text, print_json, write_csv});
  }
  bench_life_fini(&report.life);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  lifelong_options_t options = {.instance = cli_instance_options_default(), .life = {.ticks = 1000, .window = 16}};
  const cli_group_t groups[] = {
    {"Map", cli_map_options, .values = &options.instance},
    {"Robots", cli_robot_options, .values = &options.instance},
    {"Rules of motion", cli_rule_options, .values = &options.instance},
    {"Run", run_options, .values = &options},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench lifelong",
    .usage = "(--map FILE | --make SPEC) [--scen FILE] [--robots N] [--ticks T] [--window W] [--goals-every N]",
    .about =
      "See whether your site can keep a fleet busy: robots get a new random goal whenever they arrive, and\n"
      "the rolling horizon of `whca` plans tick after tick, as the planner node does for a running fleet.\n"
      "Use your own map (--map) and vary --robots and --window. Prints the throughput (goals per 1,000\n"
      "ticks), the time of a planning round (median, 99th percentile and worst: it must stay below the time\n"
      "of one move of your robots), searches per tick and memory. The driven paths are checked at the end.\n"
      "To compare planners on a single problem, see `fleetweave bench mapf --help`.",
    .groups = groups,
    .examples =
      "  fleetweave bench lifelong --make warehouse:161x63,seed=1 --robots 200 --ticks 1000\n"
      "  fleetweave bench lifelong --make open:256x256 --robots 1000 --window 16 --json\n"
      "  fleetweave bench lifelong --map hall.map --robots 50 --closures doors.txt --goals-every 5 --csv ticks.csv",
    .exit_codes = "0 done, 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  options.life.seed = options.instance.seed;
  cli_instance_t instance = {0};
  int exit_code = bench_output_is_possible(&options.output) ? CLI_SUCCESS : CLI_FAILURE;
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load_grid(&instance, &options.instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load_robots(&instance, &options.instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = measure(&options, &instance);
  }
  cli_instance_fini(&instance);
  return exit_code;
}

const cli_command_t bench_lifelong = {
  .name = "lifelong",
  .summary = "choose a fleet size: robots get a new goal on arrival, tick after tick",
  .run = run,
};
