// What `bench bcp` measures: every scenario with every player, and the hero's flight by numbers of iterations.

#include <stdlib.h>

#include "bench/bench_bcp.h"
#include "cli/progress.h"
#include "cli/words.h"
#include "fleetweave/planner_def.h"

enum { REPEATS = 5 };  // of a solve whose time is taken

int32_t cli_bcp_units_first(cli_bcp_scenario_t scenario) { return scenario == CLI_BCP_RESCUE ? 1 : 2; }
int32_t cli_bcp_units_last(cli_bcp_scenario_t scenario) { return scenario == CLI_BCP_RESCUE ? 9 : 18; }

static int fail(const fw_error_t * error) { return cli_say(CLI_FAILURE, "%s", error->text); }

// Whatever comes from a planner is checked before it counts.
static int solve(fw_planner_t * planner, const fw_problem_t * problem, fw_plan_t * plan)
{
  fw_error_t error;
  fw_conflict_t conflict;
  if (
    fw_planner_solve(planner, problem, NULL, plan, &error) != FW_RET_OK ||
    fw_check_plan(problem, plan, NULL, &conflict, &error) != FW_RET_OK) {
    return fail(&error);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    return cli_say(CLI_FAILURE, "%s: the plan fails its check: %s", fw_planner_definition(planner)->name, text);
  }
  return CLI_SOLVED;
}

// ---- planners -------------------------------------------------------------------------------------------------------

typedef struct planners_t {
  fw_planner_t lra;
  fw_planner_t bcp;
  fw_planner_t raw;  // bcp, with collisions left as they are: what the testbed drives by
} planners_t;

static int open_planners(planners_t * planners, int64_t seed)
{
  fw_planner_options_t options = fw_planner_options_default();
  options.seed = (uint64_t)seed;
  fw_error_t error;
  if (
    fw_planner_init(&planners->lra, "lra", &options, &error) != FW_RET_OK ||
    fw_planner_init(&planners->bcp, "bcp", &options, &error) != FW_RET_OK ||
    fw_planner_init(&planners->raw, "bcp", &options, &error) != FW_RET_OK ||
    fw_planner_set(&planners->raw, "waits", "false", &error) != FW_RET_OK ||
    fw_planner_set(&planners->raw, "straight", "true", &error) != FW_RET_OK ||
    fw_planner_set(&planners->raw, "patience", "0", &error) != FW_RET_OK) {
    return fail(&error);
  }
  return CLI_SOLVED;
}

static void close_planners(planners_t * planners)
{
  fw_planner_fini(&planners->lra);
  fw_planner_fini(&planners->bcp);
  fw_planner_fini(&planners->raw);
}

// Drives by the paths after so many iterations of biasing; 0 is plain A*.
static int drive(
  planners_t * planners, const cli_bcp_world_t * world, int32_t iterations, fw_rng_t rng, cli_bcp_drive_t * result)
{
  char text[16];
  fw_error_t error;
  fw_plan_t plan;
  snprintf(text, sizeof(text), "%d", iterations);
  if (fw_planner_set(&planners->raw, "iterations", text, &error) != FW_RET_OK) {
    return fail(&error);
  }
  const int exit_code = solve(&planners->raw, &world->problem, &plan);
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  const cli_bcp_ride_t ride = {&world->problem, plan.paths, iterations > 0 ? &planners->raw : NULL};
  return cli_bcp_drive(result, &ride, &rng, &error) == FW_RET_OK ? CLI_SOLVED : fail(&error);
}

// ---- scenarios ------------------------------------------------------------------------------------------------------

static void note_plan(
  cli_bcp_sample_t * sample, cli_bcp_player_t player, const fw_problem_t * problem, const fw_plan_t * plan)
{
  const bool is_solved = plan->outcome == FW_OUTCOME_SOLVED;
  const bool has_hero = problem->robots[0].priority > 0;
  sample->steps[player] = is_solved ? (int32_t)plan->stats.sum_of_costs : -1;
  sample->hero[player] = has_hero && is_solved ? fw_paths_makespan(plan->paths, 1) : -1;
}

static void note_drive(cli_bcp_sample_t * sample, const fw_problem_t * problem, const cli_bcp_drive_t * drive)
{
  int32_t steps = 0;
  for (int32_t unit = 0; unit < problem->robot_count; ++unit) {
    steps += cli_bcp_arrival(drive, problem, unit);
  }
  const bool has_hero = problem->robots[0].priority > 0;
  sample->steps[CLI_BCP_TESTBED] = drive->have_arrived ? steps : -1;
  sample->hero[CLI_BCP_TESTBED] = has_hero && drive->have_arrived ? cli_bcp_arrival(drive, problem, 0) : -1;
}

// The middle of a few solves of the same, in which nothing is kept from the one before.
static int measure_delay(planners_t * planners, const cli_bcp_world_t * world, cli_bcp_sample_t * sample)
{
  double times[REPEATS];
  for (int32_t i = 0; i < REPEATS; ++i) {
    fw_plan_t plan;
    const int exit_code = solve(&planners->bcp, &world->problem, &plan);
    if (exit_code != CLI_SOLVED) {
      return exit_code;
    }
    times[i] = (double)plan.stats.elapsed_ns / 1e6;
    note_plan(sample, CLI_BCP_BCP, &world->problem, &plan);
  }
  sample->delay_ms = cli_median(times, REPEATS);
  return CLI_SOLVED;
}

static int measure_sample(planners_t * planners, const cli_bcp_world_t * world, fw_rng_t rng, cli_bcp_sample_t * sample)
{
  static cli_bcp_drive_t driven;
  fw_plan_t plan;
  int exit_code = solve(&planners->lra, &world->problem, &plan);
  if (exit_code == CLI_SOLVED) {
    note_plan(sample, CLI_BCP_LRA, &world->problem, &plan);
    exit_code = drive(planners, world, 0, rng, &driven);
  }
  if (exit_code == CLI_SOLVED) {
    note_drive(sample, &world->problem, &driven);
    exit_code = measure_delay(planners, world, sample);
  }
  return exit_code;
}

static int run_scenario(cli_bcp_report_t * report, planners_t * planners, cli_bcp_scenario_t scenario)
{
  const int32_t first = cli_bcp_units_first(scenario);
  const int32_t rows = cli_bcp_units_last(scenario) - first + 1;
  fw_rng_t rng = fw__rng((uint64_t)report->seed * 2 + (uint64_t)scenario);
  int exit_code = CLI_SOLVED;
  for (int32_t i = 0; i < rows * report->sample_count && exit_code == CLI_SOLVED; ++i) {
    cli_bcp_sample_t * sample = &report->samples[scenario][i];
    *sample = (cli_bcp_sample_t){.units = first + i / report->sample_count, .number = i % report->sample_count};
    cli_bcp_world_t world;
    if (scenario == CLI_BCP_RESCUE) {
      cli_bcp_make_rescue(&world, sample->units, &rng);
    } else {
      cli_bcp_make_groups(&world, sample->units, &rng);
    }
    exit_code = cli_progress_was_interrupted() ? CLI_NOT_SOLVED : measure_sample(planners, &world, rng, sample);
  }
  return exit_code;
}

// ---- the hero's flight ----------------------------------------------------------------------------------------------

// The first attacker follows the hero; of the static ones the second extension has one and the third both.
enum { CHASER_BEHIND = 2, CHASER_RANGE = 3, STATIC_RANGE = 4 };
static const fw_offset_t statics[2] = {{11, 6}, {3, 6}};

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t distance(fw_cell_t a, int32_t x, int32_t y)
{
  return larger(abs(a % CLI_BCP_SIDE - x), abs(a / CLI_BCP_SIDE - y));
}

static int32_t toward(int32_t from, int32_t to) { return from + (to > from) - (to < from); }

// Hit points that the hero loses until it is at its base: one in each tick within an attacker's range; by the one that
// follows, one more for standing still.
static int32_t damage(const cli_bcp_drive_t * driven, const fw_problem_t * problem, int32_t extension)
{
  const fw_cell_t * hero = driven->cells[0];
  const int32_t end = cli_bcp_arrival(driven, problem, 0);
  int32_t x = hero[0] % CLI_BCP_SIDE;
  int32_t y = hero[0] / CLI_BCP_SIDE + CHASER_BEHIND;
  int32_t sum = 0;
  for (int32_t tick = 1; tick <= end; ++tick) {
    if (extension > 0) {
      for (int32_t i = 0; i < extension; ++i) {
        sum += distance(hero[tick], statics[i].dx, statics[i].dy) <= STATIC_RANGE ? 1 : 0;
      }
      continue;
    }
    x = toward(x, hero[tick] % CLI_BCP_SIDE);
    y = toward(y, hero[tick] / CLI_BCP_SIDE);
    const bool is_in_range = distance(hero[tick], x, y) <= CHASER_RANGE;
    sum += is_in_range ? 1 + (hero[tick] == hero[tick - 1]) : 0;
  }
  return sum;
}

static int run_flights(cli_bcp_report_t * report, planners_t * planners)
{
  static cli_bcp_drive_t driven;
  fw_rng_t rng = fw__rng((uint64_t)report->seed * 2 + 1000003);
  for (int32_t run = 0; run < report->run_count; ++run) {
    cli_bcp_world_t world;
    cli_bcp_make_flight(&world, &rng);
    for (int32_t i = 0; i <= report->iterations_max; ++i) {
      const int exit_code = cli_progress_was_interrupted() ? CLI_NOT_SOLVED : drive(planners, &world, i, rng, &driven);
      if (exit_code != CLI_SOLVED) {
        return exit_code;
      }
      for (int32_t e = 0; e < CLI_BCP_EXTENSIONS; ++e) {
        report->damages[e][i * report->run_count + run] = damage(&driven, &world.problem, e);
      }
    }
  }
  return CLI_SOLVED;
}

// ---- all of it ------------------------------------------------------------------------------------------------------

static bool allocate(cli_bcp_report_t * report)
{
  bool is_whole = true;
  for (cli_bcp_scenario_t s = 0; s < CLI_BCP_SCENARIOS; ++s) {
    const int32_t rows = cli_bcp_units_last(s) - cli_bcp_units_first(s) + 1;
    report->samples[s] = calloc((size_t)(rows * report->sample_count), sizeof(*report->samples[s]));
    is_whole = is_whole && report->samples[s] != NULL;
  }
  const size_t damages = (size_t)(report->iterations_max + 1) * (size_t)report->run_count;
  for (int32_t e = 0; e < CLI_BCP_EXTENSIONS; ++e) {
    report->damages[e] = calloc(damages, sizeof(*report->damages[e]));
    is_whole = is_whole && report->damages[e] != NULL;
  }
  return is_whole;
}

int cli_bcp_run(cli_bcp_report_t * report)
{
  cli_progress_t progress = {.label = "the scenarios of biased cost pathfinding"};
  planners_t planners = {0};
  cli_host_read(&report->host);
  cli_progress_start(&progress);
  if (!allocate(report)) {
    return cli_say(CLI_FAILURE, "out of memory");
  }
  int exit_code = open_planners(&planners, report->seed);
  for (cli_bcp_scenario_t s = 0; s < CLI_BCP_SCENARIOS && exit_code == CLI_SOLVED; ++s) {
    exit_code = run_scenario(report, &planners, s);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = run_flights(report, &planners);
  }
  close_planners(&planners);
  cli_progress_wipe();
  return exit_code;
}

void cli_bcp_fini(cli_bcp_report_t * report)
{
  for (cli_bcp_scenario_t s = 0; s < CLI_BCP_SCENARIOS; ++s) {
    free(report->samples[s]);
  }
  for (int32_t e = 0; e < CLI_BCP_EXTENSIONS; ++e) {
    free(report->damages[e]);
  }
}
