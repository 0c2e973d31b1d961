// A fleet that never ends: robots get a new random goal whenever they arrive, and the window of `whca` rolls on.

#include <string.h>

#include "cli/bench_lifelong.h"
#include "cli/words.h"
#include "fleetweave/planner_def.h"
#include "world/problem.h"

enum { TRIES_MAX = 10000 };

// ---- before ---------------------------------------------------------------------------------------------------------

// Where nobody can stay: closed for ever from some tick on.
static void mark_closed(cli_life_t * life, int32_t * part)
{
  for (int32_t i = 0; i < life->problem.closure_count; ++i) {
    const fw_closure_t * closure = &life->problem.closures[i];
    if (closure->to == FW_TICK_MAX) {
      part[life->fleet.places->node_of[closure->cell]] = -1;
    }
  }
}

// Goals are drawn within a robot's own part of the floor; what is closed for ever is a wall between parts.
static bool label_parts(cli_life_t * life)
{
  const fw_moves_t * places = life->fleet.places;
  const size_t count = (size_t)places->node_count;
  int32_t * list = fw_arena_allocate(&life->records, count, sizeof(*list));
  life->part = fw_arena_allocate_zeroed(&life->records, count, sizeof(*life->part));
  if (list == NULL || life->part == NULL) {
    return false;
  }
  mark_closed(life, life->part);
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

// What `whca` has for a parameter when nobody sets it.
static int32_t initial_of(const char * parameter)
{
  const fw_planner_def_t * whca = fw_planner_def_find("whca");
  for (int32_t i = 0; i < whca->parameter_count; ++i) {
    if (strcmp(whca->parameters[i].name, parameter) == 0) {
      return (int32_t)whca->parameters[i].initial;
    }
  }
  return 0;
}

static bool make_records(cli_life_t * life, const fw_problem_t * problem, const cli_life_options_t * options)
{
  fw_arena_t * arena = &life->records;
  const size_t count = (size_t)problem->robot_count;
  const size_t ticks = (size_t)options->ticks;
  life->is_goal = fw_arena_allocate_zeroed(arena, (size_t)fw_grid_cell_count(problem->grid), sizeof(*life->is_goal));
  life->trace = fw_arena_allocate(arena, count * ticks, sizeof(*life->trace));
  life->round_ms = fw_arena_allocate(arena, ticks, sizeof(*life->round_ms));
  life->searches = fw_arena_allocate(arena, ticks, sizeof(*life->searches));
  life->reached = fw_arena_allocate(arena, ticks, sizeof(*life->reached));
  return !arena->has_failed;
}

static bool prepare(
  cli_life_t * life, const fw_problem_t * problem, const cli_life_options_t * options, fw_error_t * error)
{
  fw_arena_t * arena = &life->arena;
  life->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  life->record_memory = life->memory;
  fw_arena_init(arena, &life->memory);
  fw_arena_init(&life->records, &life->record_memory);
  fw_meter_start(&life->meter, NULL);
  life->context = (fw_planner_context_t){.scratch = arena, .meter = &life->meter, .threads = 1};
  life->rng = fw_rng((uint64_t)options->seed + 1);
  life->problem = fw__problem_normalise(problem, arena);
  life->robots = fw_arena_allocate(arena, (size_t)problem->robot_count, sizeof(*life->robots));
  if (life->problem.robots == NULL || life->robots == NULL || !make_records(life, problem, options)) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    life->robots[r] = life->problem.robots[r];
    life->is_goal[life->robots[r].goal] = true;
  }
  life->problem.robots = life->robots;
  const fw_window_options_t window = {
    .window = (int32_t)options->window,
    .price = initial_of("price"),
    .price_rise = initial_of("price_rise"),
    .changes_max = initial_of("changes"),
  };
  return fw_fleet_init(&life->fleet, &life->context, &life->problem, error) == FW_FLEET_READY &&
         fw_window_init(&life->window, arena, &life->fleet, &life->meter, &window) && label_parts(life);
}

// ---- tick after tick ------------------------------------------------------------------------------------------------

// Another goal that nobody has and that can be reached; false if none was found.
static bool give_goal(cli_life_t * life, int32_t robot)
{
  const fw_moves_t * places = life->fleet.places;
  const fw_cell_t old = life->robots[robot].goal;  // still taken while the next one is drawn
  const int32_t part = life->part[places->node_of[old]];
  for (int32_t tries = 0; tries < TRIES_MAX; ++tries) {
    const int32_t node = fw_rng_below(&life->rng, places->node_count);
    const fw_cell_t goal = places->cell_of[node];
    if (life->is_goal[goal] || life->part[node] != part) {
      continue;
    }
    life->robots[robot].goal = goal;
    if (fw_window_goal_changed(&life->window, robot)) {
      life->is_goal[old] = false;
      life->is_goal[goal] = true;
      ++life->changes;
      return true;
    }
  }
  return false;
}

// Robots take turns, so that a share of them changes at every tick.
static bool must_change(const cli_life_t * life, int32_t robot, int64_t goals_every)
{
  return goals_every > 0 && life->ticks > 0 && (life->ticks + robot) % goals_every == 0;
}

// Notes where everybody is and gives new goals to those who have arrived, or whose goal is taken away.
static bool turn_the_page(cli_life_t * life, int64_t goals_every)
{
  const int32_t count = life->problem.robot_count;
  for (int32_t r = 0; r < count; ++r) {
    const fw_cell_t place = fw_window_place(&life->window, r, life->window.now);
    life->trace[(size_t)life->ticks * (size_t)count + (size_t)r] = place;
    const bool has_arrived = place == life->robots[r].goal;
    life->goals += has_arrived && life->ticks > 0 ? 1 : 0;
    if ((has_arrived || must_change(life, r, goals_every)) && !give_goal(life, r)) {
      return false;
    }
  }
  return true;
}

static int live(cli_life_t * life, const cli_life_options_t * options)
{
  for (life->ticks = 0; life->ticks < options->ticks; ++life->ticks) {
    const int64_t begin_ns = fw_clock_now_ns();
    const int64_t before = life->window.counts.searches;
    if (!turn_the_page(life, options->goals_every)) {
      return cli_say(CLI_FAILURE, "tick %d: no goal left to give, or no memory", life->ticks);
    }
    if (!fw_window_plan(&life->window)) {
      return cli_say(
        CLI_FAILURE, "tick %d: %s", life->ticks,
        life->window.is_stuck ? "a robot stands where it closes and has no way out" : "no memory");
    }
    life->round_ms[life->ticks] = (double)(fw_clock_now_ns() - begin_ns) / 1e6;
    life->searches[life->ticks] = life->window.counts.searches - before;
    life->reached[life->ticks] = life->goals;
    (void)fw_window_step(&life->window);
  }
  return CLI_SOLVED;
}

// ---- after ----------------------------------------------------------------------------------------------------------

// What was driven, as paths, through the independent check.
static int check(cli_life_t * life)
{
  const size_t count = (size_t)life->problem.robot_count;
  const size_t ticks = (size_t)life->ticks;
  fw_path_t * paths = fw_arena_allocate(&life->records, count, sizeof(*paths));
  fw_cell_t * cells = fw_arena_allocate(&life->records, count * ticks, sizeof(*cells));
  if (paths == NULL || cells == NULL) {
    return cli_say(CLI_FAILURE, "out of memory");
  }
  for (size_t r = 0; r < count; ++r) {
    for (size_t t = 0; t < ticks; ++t) {
      cells[r * ticks + t] = life->trace[t * count + r];
    }
    paths[r] = (fw_path_t){.cells = cells + r * ticks, .length = life->ticks};
  }
  fw_error_t error = {0};
  fw_conflict_t conflict = {0};
  if (
    fw_check_paths(&life->problem, paths, life->problem.robot_count, life->ticks - 1, NULL, &conflict, &error) !=
    FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(&life->problem, &conflict, text, sizeof(text));
    return cli_say(CLI_FAILURE, "what was driven does not pass the check: %s", text);
  }
  return CLI_SOLVED;
}

int cli_life_run(cli_life_t * life, const fw_problem_t * problem, const cli_life_options_t * options)
{
  fw_error_t error = {.text = "out of memory"};
  if (!prepare(life, problem, options, &error)) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  const int exit_code = live(life, options);
  return exit_code == CLI_SOLVED ? check(life) : exit_code;
}

void cli_life_fini(cli_life_t * life)
{
  if (life->arena.memory != NULL) {
    fw_arena_fini(&life->arena);
    fw_arena_fini(&life->records);
  }
  *life = (cli_life_t){0};
}
