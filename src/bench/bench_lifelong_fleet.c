// A fleet that never ends: robots get a new random goal whenever they arrive, and the window of `whca` rolls on.

#include "bench/bench_lifelong.h"
#include "cli/words.h"
#include "world/problem.h"

// ---- before ---------------------------------------------------------------------------------------------------------

static bool make_records(cli_life_t * life, const fw_problem_t * problem, const cli_life_options_t * options)
{
  fw_arena_t * arena = &life->records;
  const size_t count = (size_t)problem->robot_count;
  const size_t ticks = (size_t)options->ticks;
  life->is_goal = fw__arena_allocate_zeroed(arena, (size_t)fw_grid_cell_count(problem->grid), sizeof(*life->is_goal));
  life->trace = fw__arena_allocate(arena, count * ticks, sizeof(*life->trace));
  life->round_ms = fw__arena_allocate(arena, ticks, sizeof(*life->round_ms));
  life->searches = fw__arena_allocate(arena, ticks, sizeof(*life->searches));
  life->expanded = fw__arena_allocate(arena, ticks, sizeof(*life->expanded));
  life->reached = fw__arena_allocate(arena, ticks, sizeof(*life->reached));
  return !arena->has_failed;
}

static bool prepare(
  cli_life_t * life, const fw_problem_t * problem, const cli_life_options_t * options, fw_error_t * error)
{
  fw_arena_t * arena = &life->arena;
  life->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  life->record_memory = life->memory;
  fw__arena_init(arena, &life->memory);
  fw__arena_init(&life->records, &life->record_memory);
  snprintf(life->progress.label, sizeof(life->progress.label), "lifelong, %d robots", problem->robot_count);
  cli_progress_start(&life->progress);
  fw__meter_start(
    &life->meter, &(fw_budget_t){.is_cancelled = cli_progress_is_cancelled, .cancel_state = &life->progress});
  life->context = (fw_planner_context_t){.scratch = arena, .meter = &life->meter, .threads = 1};
  life->rng = fw__rng((uint64_t)options->seed + 1);
  life->problem = fw__problem_normalise(problem, arena);
  life->robots = fw__arena_allocate(arena, (size_t)problem->robot_count, sizeof(*life->robots));
  if (life->problem.robots == NULL || life->robots == NULL || !make_records(life, problem, options)) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    life->robots[r] = life->problem.robots[r];
    cli_life_mark_goal(life, r, true);
  }
  life->problem.robots = life->robots;
  fw_window_options_t window = fw__window_options_default();
  window.window = (int32_t)options->window;
  return fw__fleet_init(&life->fleet, &life->arena, &life->context, &life->problem, error) == FW_FLEET_READY &&
         fw__window_init(&life->window, arena, &life->fleet, &life->meter, &window) && cli_life_label_parts(life);
}

// ---- tick after tick ------------------------------------------------------------------------------------------------

// Robots take turns, so that a share of them changes at every tick.
static bool must_change(const cli_life_t * life, int32_t robot, int64_t goals_every)
{
  return goals_every > 0 && life->ticks > 0 && (life->ticks + robot) % goals_every == 0;
}

// Notes where everybody is and gives new goals to those who have arrived, or whose goal is taken away. False if all have
// arrived and there is no other goal for any of them.
static bool turn_the_page(cli_life_t * life, int64_t goals_every)
{
  const int32_t count = life->problem.robot_count;
  int32_t idle_count = 0;
  for (int32_t r = 0; r < count; ++r) {
    const fw_grid_pose_t pose = fw__window_pose(&life->window, r, life->window.now);
    life->trace[(size_t)life->ticks * (size_t)count + (size_t)r] = pose;
    const bool has_arrived = pose.cell == life->robots[r].goal;
    if (has_arrived || must_change(life, r, goals_every)) {
      const bool has_goal = cli_life_give_goal(life, r);
      life->goals += has_arrived && has_goal && life->ticks > 0 ? 1 : 0;
      idle_count += has_arrived && !has_goal ? 1 : 0;
    }
  }
  return idle_count < count;
}

static const char * reason_of(const cli_life_t * life, bool has_goals)
{
  if (fw__meter_has_stopped(&life->meter)) {
    return "no memory";
  }
  return has_goals ? "a robot stands where it closes and has no way out" : "no goal left to give to anybody";
}

static int live(cli_life_t * life, const cli_life_options_t * options)
{
  for (life->ticks = 0; life->ticks < options->ticks; ++life->ticks) {
    const int64_t begin_ns = fw_clock_now_ns();
    const int64_t searches = life->window.counts.searches;
    const int64_t expanded = life->meter.expanded;
    const bool has_goals = turn_the_page(life, options->goals_every);
    const bool is_planned = has_goals && fw__window_plan(&life->window);
    if (cli_progress_was_interrupted()) {
      return cli_say(CLI_NOT_SOLVED, "interrupted at tick %d", life->ticks);
    }
    if (!is_planned) {
      return cli_say(CLI_FAILURE, "tick %d: %s", life->ticks, reason_of(life, has_goals));
    }
    life->round_ms[life->ticks] = (double)(fw_clock_now_ns() - begin_ns) / 1e6;
    life->searches[life->ticks] = life->window.counts.searches - searches;
    life->expanded[life->ticks] = life->meter.expanded - expanded;
    life->reached[life->ticks] = life->goals;
    (void)fw__window_step(&life->window);
  }
  return CLI_SOLVED;
}

// ---- after ----------------------------------------------------------------------------------------------------------

// What was driven, as paths, through the independent check.
static int check(cli_life_t * life)
{
  const size_t count = (size_t)life->problem.robot_count;
  const size_t ticks = (size_t)life->ticks;
  fw_path_t * paths = fw__arena_allocate(&life->records, count, sizeof(*paths));
  fw_cell_t * cells = fw__arena_allocate(&life->records, count * ticks, sizeof(*cells));
  uint8_t * headings = fw__arena_allocate(&life->records, count * ticks, sizeof(*headings));
  if (paths == NULL || cells == NULL || headings == NULL) {
    return cli_say(CLI_FAILURE, "out of memory");
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
    cli_progress_wipe();
    return cli_progress_was_interrupted() ? cli_say(CLI_NOT_SOLVED, "interrupted")
                                          : cli_say(CLI_FAILURE, "%s", error.text);
  }
  const int exit_code = live(life, options);
  cli_progress_wipe();
  return exit_code == CLI_SOLVED ? check(life) : exit_code;
}

void cli_life_fini(cli_life_t * life)
{
  if (life->arena.memory != NULL) {
    fw__arena_fini(&life->arena);
    fw__arena_fini(&life->records);
  }
  *life = (cli_life_t){0};
}
