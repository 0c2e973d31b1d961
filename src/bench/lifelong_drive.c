// One fleet that keeps driving: see lifelong.h. Every tick is one planning round; the driven paths are checked piece by
// piece like any plan.

#include "bench/lifelong.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "cli/common/instance.h"
#include "cli/common/message.h"
#include "world/problem.h"

// ---- goals ----------------------------------------------------------------------------------------------------------

enum { DRAWS_MAX = 64 };
enum { PIECE = 1000 };  // ticks that are checked at once

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

// Counts the robot in or out on the cells that it covers at its goal.
static void mark_goal(bench_life_t * life, int32_t robot, int32_t change)
{
  const fw_footprint_t footprint = goal_footprint(life, robot);
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_offset_t offset = footprint.cells[i];
    life->goals_at[life->robots[robot].goal + offset.dy * life->problem.grid->width + offset.dx] += change;
  }
}

// Whether the robot can stand there and, with distinct goals, no goal (its own old one included) covers one of the
// cells.
static bool is_goal_free(const bench_life_t * life, int32_t robot, fw_cell_t goal)
{
  const fw_footprint_t footprint = goal_footprint(life, robot);
  bool is_free = fw__moves_any_node(life->fleet.moves[robot], goal) >= 0;
  for (int32_t i = 0; i < footprint.count && is_free && life->has_distinct_goals; ++i) {
    is_free = life->goals_at[goal + footprint.cells[i].dy * life->problem.grid->width + footprint.cells[i].dx] == 0;
  }
  return is_free;
}

// Whether the robot has a path to the goal. One that is not held up by its shape or by closures has one to every place
// of its component.
static bool can_reach(bench_life_t * life, int32_t robot, fw_cell_t goal)
{
  fw_robot_t * mover = &life->robots[robot];
  if (mover->footprint_count == 1 && mover->turn_ticks == 0 && life->given->closure_count == 0 && !life->has_rules) {
    return true;
  }
  const fw_cell_t old = mover->goal;
  mover->goal = goal;
  const fw_grid_pose_t from = {mover->start, mover->heading};
  const bool has_path = fw__fleet_set_goal(&life->fleet, robot, from, &life->meter);
  mover->goal = old;
  return has_path;
}

// Makes a node the goal of a robot, if it may be one and the robot can get there. False: the robot keeps its goal.
static bool take_goal(bench_life_t * life, int32_t robot, int32_t node)
{
  const fw_cell_t goal = life->fleet.places->cell_of[node];
  if (goal == life->robots[robot].goal || !is_goal_free(life, robot, goal) || !can_reach(life, robot, goal)) {
    return false;
  }
  mark_goal(life, robot, -1);
  life->robots[robot].goal = goal;
  mark_goal(life, robot, 1);
  life->given_at[robot] = life->ticks;
  ++life->changes;
  return true;
}

// The next place in the robot's own sequence, which depends on the seed alone: the same one for every planner.
static int32_t draw_place(bench_life_t * life, int32_t robot, int32_t count)
{
  fw_rng_t rng = fw__rng(life->sequence_seed ^ ((uint64_t)life->draws[robot]++ << 32 | (uint64_t)(uint32_t)robot));
  return fw__rng_below(&rng, count);
}

// Another goal in the robot's component. False if there is none: the robot keeps the goal it has.
static bool give_goal(bench_life_t * life, int32_t robot)
{
  const int32_t component = life->component[life->fleet.places->node_of[life->robots[robot].goal]];
  const int32_t first = life->component_at[component];
  const int32_t count = life->component_at[component + 1] - first;
  FW_ASSERT(component > 0 && count > 0);
  int32_t at = 0;
  for (int32_t draws = 0; draws < DRAWS_MAX && !fw__meter_has_stopped(&life->meter); ++draws) {
    at = draw_place(life, robot, count);
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

// Arrays by tick and by robot. False when there is no memory.
static bool allocate_records(bench_life_t * life, const bench_life_options_t * options)
{
  fw_arena_t * arena = &life->arena;
  const size_t count = (size_t)life->problem.robot_count;
  const size_t ticks = (size_t)options->ticks;
  const size_t closures = (size_t)life->given->closure_count + 1;
  life->goals_at =
    fw__arena_allocate_zeroed(arena, (size_t)fw_grid_cell_count(life->problem.grid), sizeof(*life->goals_at));
  life->given_at = fw__arena_allocate_zeroed(arena, count, sizeof(*life->given_at));
  life->draws = fw__arena_allocate_zeroed(arena, count, sizeof(*life->draws));
  life->overlap = life->problem.robust_ticks + FW_TICKS_PER_MOVE_MAX;
  life->trace = fw__arena_allocate(arena, count * (size_t)(PIECE + life->overlap + 1), sizeof(*life->trace));
  for (int32_t i = 0; i < 2; ++i) {
    life->pieces[i].robots = fw__arena_allocate(arena, count, sizeof(*life->pieces[i].robots));
    life->pieces[i].closures = fw__arena_allocate(arena, closures, sizeof(*life->pieces[i].closures));
  }
  life->paths = fw__arena_allocate(arena, count, sizeof(*life->paths));
  life->cells = fw__arena_allocate(arena, count * (size_t)(PIECE + life->overlap + 1), sizeof(*life->cells));
  life->headings = fw__arena_allocate(arena, count * (size_t)(PIECE + life->overlap + 1), sizeof(*life->headings));
  life->round_ms = fw__arena_allocate(arena, ticks, sizeof(*life->round_ms));
  life->cpu_ms = fw__arena_allocate(arena, ticks, sizeof(*life->cpu_ms));
  life->searches = fw__arena_allocate(arena, ticks, sizeof(*life->searches));
  life->expanded = fw__arena_allocate(arena, ticks, sizeof(*life->expanded));
  life->reached = fw__arena_allocate(arena, ticks, sizeof(*life->reached));
  return !arena->has_failed;
}

// Applies "key=value:key=value". False with the reason in `error`.
static bool apply_settings(fw_planner_t * planner, char * settings, fw_error_t * error)
{
  for (char * word = settings; word != NULL;) {
    char * next = strchr(word, ':');
    if (next != NULL) {
      *next++ = '\0';
    }
    char * equals = strchr(word, '=');
    if (equals == NULL) {
      snprintf(error->text, sizeof(error->text), "\"%.64s\" is not key=value", word);
      return false;
    }
    *equals = '\0';
    if (fw_planner_set(planner, word, equals + 1, error) != FW_RET_OK) {
      return false;
    }
    word = next;
  }
  return true;
}

// A planner with the window, if it has one, as any caller of the library has it. False with the reason in `error`.
static bool init_planner(bench_life_t * life, const bench_life_options_t * options, fw_error_t * error)
{
  fw_planner_options_t given = fw_planner_options_default();
  given.memory_max_bytes = SIZE_MAX;
  given.seed = (uint64_t)options->seed;
  char name[BENCH_NAMES_SIZE], window[24];
  snprintf(name, sizeof(name), "%s", options->planner != NULL ? options->planner : "whca");
  char * settings = strchr(name, ':');
  if (settings != NULL) {
    *settings++ = '\0';
  }
  snprintf(window, sizeof(window), "%" PRId64, options->window);
  return fw_planner_init(&life->planner, name, &given, error) == FW_RET_OK &&
         (strcmp(name, "whca") != 0 || fw_planner_set(&life->planner, "window", window, error) == FW_RET_OK) &&
         (settings == NULL || apply_settings(&life->planner, settings, error));
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
  fw_rng_t rng = fw__rng((uint64_t)options->seed + 1);
  life->sequence_seed = fw__rng_next(&rng);
  life->has_distinct_goals = options->has_distinct_goals;
  life->has_rules = problem->grid->rules != NULL;
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
    mark_goal(life, r, 1);
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

// Gives new goals to robots that have arrived or whose goal is replaced. False if all robots have arrived and there is
// no other goal for any of them.
static bool give_goals(bench_life_t * life, int64_t goals_every)
{
  const int32_t count = life->problem.robot_count;
  int32_t idle_count = 0;
  for (int32_t r = 0; r < count; ++r) {
    const fw_grid_pose_t pose = pose_of(&life->robots[r]);
    const bool has_arrived = pose.cell == life->robots[r].goal;
    const int32_t wait = life->ticks - life->given_at[r];
    life->longest_wait = wait > life->longest_wait ? wait : life->longest_wait;
    if (has_arrived || must_change_goal(life, r, goals_every)) {
      const bool has_goal = give_goal(life, r);
      life->goals += has_arrived && has_goal && life->ticks > 0 ? 1 : 0;
      idle_count += has_arrived && !has_goal ? 1 : 0;
      life->given_at[r] = life->ticks;
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
  add_counter(stats, "robots_stepped", &counts->stepped);
  add_counter(stats, "rounds_cut", &counts->cut_rounds);
  counts->memory_peak_bytes =
    stats->memory_peak_bytes > counts->memory_peak_bytes ? stats->memory_peak_bytes : counts->memory_peak_bytes;
}

// Processor time of this thread.
static double cpu_now_ms(void)
{
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

// One planning round and one tick of driving. Returns an exit code after an error message.
static int drive_tick(bench_life_t * life)
{
  const bench_life_counts_t before = life->counts;
  const fw_budget_t budget = {.is_cancelled = cli_progress_is_cancelled, .cancel_state = &life->progress};
  fw_error_t error = {0};
  fw_plan_t plan;
  const int64_t begin_ns = fw_clock_now_ns();
  const double begin_cpu_ms = cpu_now_ms();
  const fw_ret_t ret = fw_planner_solve(&life->planner, &life->problem, &budget, &plan, &error);
  life->cpu_ms[life->ticks] = cpu_now_ms() - begin_cpu_ms;
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

// ---- checking -------------------------------------------------------------------------------------------------------
//
// What was driven is checked in pieces, so that memory does not grow with the ticks. A piece begins with the robots and
// closures of its first tick, and ends so many ticks after the next one has begun that nothing between them is missed:
//
//   piece 0  |------------------ PIECE ------------------|-- overlap --|
//   piece 1                                              |------------------ PIECE -------------- ...

// The piece that begins at this tick.
static void begin_piece(bench_life_t * life, bench_life_piece_t * piece)
{
  memcpy(piece->robots, life->robots, (size_t)life->problem.robot_count * sizeof(*piece->robots));
  memcpy(piece->closures, life->closures, (size_t)life->problem.closure_count * sizeof(*piece->closures));
  piece->closure_count = life->problem.closure_count;
  piece->from = life->ticks;
}

// The driven paths from the beginning of the present piece up to this tick, through the independent checker.
static int check(bench_life_t * life, fw_tick_t ticks)
{
  const bench_life_piece_t * piece = &life->pieces[0];
  const size_t count = (size_t)life->problem.robot_count, length = (size_t)ticks + 1;
  for (size_t r = 0; r < count; ++r) {
    for (size_t t = 0; t < length; ++t) {
      life->cells[r * length + t] = life->trace[t * count + r].cell;
      life->headings[r * length + t] = (uint8_t)life->trace[t * count + r].heading;
    }
    life->paths[r] = (fw_path_t){
      .cells = life->cells + r * length, .length = (int32_t)length, .headings = life->headings + r * length};
  }
  fw_problem_t problem = *life->given;
  problem.robots = piece->robots;
  problem.closures = piece->closures;
  problem.closure_count = piece->closure_count;
  problem.since = 0;
  problem.horizon = 1;  // goals may coincide
  fw_error_t error = {0};
  fw_conflict_t conflict = {0};
  if (fw_check_paths(&problem, life->paths, problem.robot_count, ticks, NULL, &conflict, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(&problem, &conflict, text, sizeof(text));
    return cli_error(CLI_FAILURE, "the paths driven from tick %d on fail the check: %s", piece->from, text);
  }
  return CLI_SUCCESS;
}

// Records where all robots are, and checks a piece that is complete.
static int record(bench_life_t * life)
{
  const size_t count = (size_t)life->problem.robot_count;
  const fw_tick_t row = life->ticks - life->pieces[0].from;
  FW_ASSERT(row >= 0 && row <= PIECE + life->overlap);
  for (size_t r = 0; r < count; ++r) {
    life->trace[(size_t)row * count + r] = pose_of(&life->robots[r]);
  }
  if (row == PIECE) {
    begin_piece(life, &life->pieces[1]);
  }
  if (row < PIECE + life->overlap) {
    return CLI_SUCCESS;
  }
  const int exit_code = check(life, row);
  memmove(life->trace, life->trace + PIECE * count, (size_t)(life->overlap + 1) * count * sizeof(*life->trace));
  const bench_life_piece_t old = life->pieces[0];
  life->pieces[0] = life->pieces[1];
  life->pieces[1] = old;
  return exit_code;
}

// ---- the run --------------------------------------------------------------------------------------------------------

// The rounds: new goals, one planning round, one tick of driving.
static int drive(bench_life_t * life, const bench_life_options_t * options)
{
  int exit_code = CLI_SUCCESS;
  make_round(life);
  begin_piece(life, &life->pieces[0]);
  for (life->ticks = 0; life->ticks < options->ticks && exit_code == CLI_SUCCESS; ++life->ticks) {
    make_round(life);
    exit_code = record(life);
    const bool has_goals = give_goals(life, options->goals_every);
    if (cli_progress_was_interrupted()) {
      return cli_error(CLI_NOT_SOLVED, "interrupted at tick %d", life->ticks);
    }
    if (!has_goals || fw__meter_has_stopped(&life->meter)) {
      return cli_error(
        CLI_FAILURE, "tick %d: %s", life->ticks, has_goals ? "out of memory" : "no free cell is left for a new goal");
    }
    exit_code = exit_code == CLI_SUCCESS ? drive_tick(life) : exit_code;
    const bool is_tenth = life->ticks == options->ticks / 10;
    life->early_memory_bytes = is_tenth ? life->counts.memory_peak_bytes : life->early_memory_bytes;
  }
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  make_round(life);
  exit_code = record(life);
  return exit_code == CLI_SUCCESS ? check(life, life->ticks - life->pieces[0].from) : exit_code;
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
  return exit_code;
}

void bench_life_fini(bench_life_t * life)
{
  fw_planner_fini(&life->planner);
  if (life->arena.memory != NULL) {
    fw__arena_fini(&life->arena);
  }
  *life = (bench_life_t){0};
}

// ---- figures --------------------------------------------------------------------------------------------------------

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

static life_spread_t spread_of_counts(const int64_t * values, int32_t count)
{
  double * copy = malloc((size_t)count * sizeof(*copy));
  for (int32_t i = 0; copy != NULL && i < count; ++i) {
    copy[i] = (double)values[i];
  }
  const life_spread_t spread = copy != NULL ? spread_of(copy, count) : (life_spread_t){0};
  free(copy);
  return spread;
}

bench_life_figures_t bench_life_figures(const bench_life_t * life)
{
  const int32_t ticks = life->ticks;
  const life_spread_t rounds = spread_of(life->round_ms, ticks);
  const life_spread_t searches = spread_of_counts(life->searches, ticks);
  const life_spread_t expanded = spread_of_counts(life->expanded, ticks);
  const life_spread_t cpu = spread_of(life->cpu_ms, ticks);
  double cpu_ms = 0.0;
  for (int32_t t = 0; t < ticks; ++t) {
    cpu_ms += life->cpu_ms[t];
  }
  return (bench_life_figures_t){
    .goals_per_1000_ticks = (double)life->goals * 1000.0 / ticks,
    .round_ms = {rounds.median, rounds.p99, rounds.most},
    .cpu_ms = {cpu_ms / ticks, cpu.p99, cpu.most},
    .searches = {mean_of(life->searches, ticks), searches.p99, searches.most},
    .expanded = ticks > 1 ? mean_of(life->expanded + 1, ticks - 1) : 0.0,
    .expanded_p99 = expanded.p99,
    .expanded_most = expanded.most,
    .longest_wait = life->longest_wait,
    .memory_mb = (double)life->counts.memory_peak_bytes / 1e6,
    .early_memory_mb = (double)life->early_memory_bytes / 1e6,
  };
}
