// `bench bcp`: the scenarios of "Biased Cost Pathfinding" (Geramifard, Chubak, Bulitko 2006). docs/bcp.md has the
// paper's figures beside ours.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/rng.h"
#include "bench/bench.h"
#include "cli/common/message.h"
#include "cli/common/progress.h"
#include "fleetweave/planner_def.h"
#include "fleetweave/search.h"

// ---- worlds ---------------------------------------------------------------------------------------------------------

// The paper shows its maps in pictures only; these are ours:
//
//   row  1      .  H' .      the hero's goal, above the block
//   row  2..4   a  a  a      a block of 3x3: where units begin
//   ...
//   row 10..12  a' a' a'     a block of 3x3: where they go, each eight rows down
//   row 11      .  H  .      the hero, in the middle of it

enum { SIDE = 15, UNITS_MAX = 19, BLOCK_CELLS = 9 };

// Open floor, eight directions, and a cell stays reserved for one tick after it was left (robust_ticks 1), as in the
// paper. Points into itself: not to be copied.
typedef struct bcp_world_t {
  uint8_t cost[SIDE * SIDE];
  fw_grid_t grid;
  fw_robot_t robots[UNITS_MAX];
  fw_problem_t problem;
} bcp_world_t;

enum { MIDDLE = SIDE / 2, TOP = 2, BOTTOM = 10, HERO_GOAL = 1, HERO_START = 11 };

static fw_cell_t cell_at(int32_t x, int32_t y) { return y * SIDE + x; }

static void init_world(bcp_world_t * world)
{
  *world = (bcp_world_t){.grid = {.width = SIDE, .height = SIDE}};
  for (int32_t i = 0; i < SIDE * SIDE; ++i) {
    world->cost[i] = 1;
  }
  world->grid.cost = world->cost;
  world->problem = (fw_problem_t){.grid = &world->grid, .robots = world->robots, .connectivity = 8, .robust_ticks = 1};
}

// Units at random cells of one block, going to the same cells of the other.
static void add_block(bcp_world_t * world, int32_t units, bool goes_down, fw_rng_t * rng)
{
  FW_ASSERT(units <= BLOCK_CELLS && world->problem.robot_count + units <= UNITS_MAX);
  int32_t places[BLOCK_CELLS];
  for (int32_t i = 0; i < BLOCK_CELLS; ++i) {
    places[i] = i;
  }
  fw__rng_shuffle(rng, places, BLOCK_CELLS);
  for (int32_t i = 0; i < units; ++i) {
    const int32_t x = MIDDLE - 1 + places[i] % 3;
    const fw_cell_t upper = cell_at(x, TOP + places[i] / 3);
    const fw_cell_t lower = cell_at(x, BOTTOM + places[i] / 3);
    world->robots[world->problem.robot_count++] =
      (fw_robot_t){.start = goes_down ? upper : lower, .goal = goes_down ? lower : upper};
  }
}

static void add_hero(bcp_world_t * world, int32_t x, int32_t y)
{
  world->robots[world->problem.robot_count++] =
    (fw_robot_t){.start = cell_at(x, y), .goal = cell_at(MIDDLE, HERO_GOAL), .priority = 1};
}

// Rescue the hero: robot 0, of higher priority, 10 moves from its goal; `units` others come down from a block of 3x3.
static void make_rescue(bcp_world_t * world, int32_t units, fw_rng_t * rng)
{
  init_world(world);
  add_hero(world, MIDDLE, HERO_START);
  add_block(world, units, true, rng);
}

// The same with nine others, and the hero somewhere in a rectangle of 7x3 around that cell.
static void make_flight(bcp_world_t * world, fw_rng_t * rng)
{
  init_world(world);
  const int32_t x = MIDDLE - 3 + fw__rng_below(rng, 7);
  const int32_t y = HERO_START - 1 + fw__rng_below(rng, 3);
  add_hero(world, x, y);
  add_block(world, BLOCK_CELLS, true, rng);
}

// Two groups, each in a block of 3x3, that change places.
static void make_groups(bcp_world_t * world, int32_t units, fw_rng_t * rng)
{
  init_world(world);
  add_block(world, units / 2, true, rng);
  add_block(world, units - units / 2, false, rng);
}

// ---- testbed --------------------------------------------------------------------------------------------------------

// Units that drive by the paper's rules, as games do, and do not look ahead. A unit may not enter a cell on which
// another stands or that it has just left; of several units that want one cell a random one gets it; diagonals do not
// cross. A blocked unit waits. Without a planner it then tries again, or finds a new path by A* around the other units
// where they are at that moment, without regard to where they are going; with a planner all units replan, and continue
// from what the planner has kept.

enum { TICKS_MAX = 200 };

// The driven cells, by unit and tick.
typedef struct bcp_drive_t {
  fw_cell_t cells[UNITS_MAX][TICKS_MAX + 1];
  int32_t ticks;
  bool have_arrived;
} bcp_drive_t;

typedef struct bcp_ride_t {
  const fw_problem_t * problem;
  const fw_path_t * paths;  // at the start
  fw_planner_t * planner;   // replans all units when one is blocked; NULL: the blocked unit replans alone, by A*
} bcp_ride_t;

typedef struct bcp_testbed_t {
  const fw_problem_t * problem;
  bcp_drive_t * drive;
  fw_planner_t * planner;  // NULL: none
  int32_t planned_at;      // tick
  fw_rng_t * rng;
  fw_cell_t paths[UNITS_MAX][TICKS_MAX + 1];
  int32_t path_lengths[UNITS_MAX];
  int32_t progress[UNITS_MAX];  // index of the next cell of the path
} bcp_testbed_t;

static fw_cell_t cell_of(const bcp_testbed_t * testbed, int32_t unit, int32_t tick)
{
  return testbed->drive->cells[unit][tick];
}

static void set_path(bcp_testbed_t * testbed, int32_t unit, const fw_cell_t * cells, int32_t count)
{
  FW_ASSERT(unit >= 0 && unit < UNITS_MAX && count > 0);
  testbed->path_lengths[unit] = count <= TICKS_MAX ? count : TICKS_MAX;
  memcpy(testbed->paths[unit], cells, (size_t)testbed->path_lengths[unit] * sizeof(*cells));
  testbed->progress[unit] = 1;
}

// Whether two diagonal moves cross.
static bool do_cross(const fw_cell_t * a, const fw_cell_t * b)
{
  const int32_t ax = a[1] % SIDE - a[0] % SIDE;
  const int32_t ay = a[1] / SIDE - a[0] / SIDE;
  const fw_cell_t beside[2] = {a[0] + ax, a[0] + ay * SIDE};
  return ax != 0 && ay != 0 && ((b[0] == beside[0] && b[1] == beside[1]) || (b[0] == beside[1] && b[1] == beside[0]));
}

// Units that have moved in this tick have their next cell; the others are still where they were.
static bool can_step(const bcp_testbed_t * testbed, int32_t unit, fw_cell_t to, const bool * has_moved)
{
  const int32_t tick = testbed->drive->ticks;
  const fw_cell_t step[2] = {cell_of(testbed, unit, tick), to};
  for (int32_t other = 0; other < testbed->problem->robot_count; ++other) {
    if (other == unit) {
      continue;
    }
    const fw_cell_t theirs[2] = {cell_of(testbed, other, tick), cell_of(testbed, other, tick + 1)};
    if (theirs[0] == to || (has_moved[other] && (theirs[1] == to || do_cross(step, theirs)))) {
      return false;
    }
  }
  return true;
}

// A new path by A* around the other units where they are now, as in the paper.
static fw_ret_t replan_one(bcp_testbed_t * testbed, int32_t unit, fw_error_t * error)
{
  const fw_problem_t * problem = testbed->problem;
  const int32_t tick = testbed->drive->ticks + 1;
  uint8_t cost[SIDE * SIDE];
  memcpy(cost, problem->grid->cost, sizeof(cost));
  for (int32_t other = 0; other < problem->robot_count; ++other) {
    cost[cell_of(testbed, other, tick)] = other == unit ? 1 : 0;
  }
  const fw_cell_t goal = problem->robots[unit].goal;
  if (cost[goal] == 0) {
    return FW_RET_OK;  // occupied: keep the old path
  }
  const fw_grid_t grid = {.width = SIDE, .height = SIDE, .cost = cost};
  fw_route_t route = {0};
  const fw_ret_t ret =
    fw_route_find(&route, &grid, cell_of(testbed, unit, tick), goal, problem->connectivity, NULL, error);
  if (ret == FW_RET_OK && route.length > 0) {
    set_path(testbed, unit, route.cells, route.length);
  }
  fw_route_fini(&route);
  return ret;
}

// New paths for all units from where they are now; the planner continues from its last plan (`since`).
static fw_ret_t replan_all(bcp_testbed_t * testbed, fw_error_t * error)
{
  fw_robot_t robots[UNITS_MAX];
  fw_problem_t problem = *testbed->problem;
  const int32_t now = testbed->drive->ticks + 1;
  for (int32_t unit = 0; unit < problem.robot_count; ++unit) {
    robots[unit] = problem.robots[unit];
    robots[unit].start = cell_of(testbed, unit, now);
  }
  problem.robots = robots;
  problem.since = now - testbed->planned_at;
  testbed->planned_at = now;
  fw_plan_t plan;
  const fw_ret_t ret = fw_planner_solve(testbed->planner, &problem, NULL, &plan, error);
  for (int32_t unit = 0; unit < problem.robot_count && ret == FW_RET_OK; ++unit) {
    set_path(testbed, unit, plan.paths[unit].cells, plan.paths[unit].length);
  }
  return ret;
}

// New paths, if a unit was blocked.
static fw_ret_t replan(bcp_testbed_t * testbed, const bool * is_blocked, fw_error_t * error)
{
  fw_ret_t ret = FW_RET_OK;
  for (int32_t unit = 0; unit < testbed->problem->robot_count && ret == FW_RET_OK; ++unit) {
    if (is_blocked[unit] && testbed->planner != NULL) {
      return replan_all(testbed, error);
    }
    // With probability 1/2: two units that meet and always step aside together would never get past each other.
    ret = is_blocked[unit] && fw__rng_below(testbed->rng, 2) == 0 ? replan_one(testbed, unit, error) : FW_RET_OK;
  }
  return ret;
}

// One tick: all units move in a random order, then blocked ones replan.
static fw_ret_t tick(bcp_testbed_t * testbed, fw_error_t * error)
{
  const int32_t count = testbed->problem->robot_count;
  const int32_t now = testbed->drive->ticks;
  FW_ASSERT(count <= UNITS_MAX && now < TICKS_MAX);
  int32_t order[UNITS_MAX];
  bool has_moved[UNITS_MAX] = {false};
  bool is_blocked[UNITS_MAX] = {false};
  for (int32_t i = 0; i < count; ++i) {
    order[i] = i;
    testbed->drive->cells[i][now + 1] = cell_of(testbed, i, now);
  }
  fw__rng_shuffle(testbed->rng, order, count);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t unit = order[i];
    if (testbed->progress[unit] >= testbed->path_lengths[unit]) {
      continue;
    }
    const fw_cell_t to = testbed->paths[unit][testbed->progress[unit]];
    is_blocked[unit] = to != cell_of(testbed, unit, now) && !can_step(testbed, unit, to, has_moved);
    if (!is_blocked[unit]) {
      testbed->drive->cells[unit][now + 1] = to;
      has_moved[unit] = true;
      ++testbed->progress[unit];
    }
  }
  const fw_ret_t ret = replan(testbed, is_blocked, error);
  ++testbed->drive->ticks;
  return ret;
}

static bool have_arrived(const bcp_testbed_t * testbed)
{
  for (int32_t unit = 0; unit < testbed->problem->robot_count; ++unit) {
    if (cell_of(testbed, unit, testbed->drive->ticks) != testbed->problem->robots[unit].goal) {
      return false;
    }
  }
  return true;
}

// Every unit follows its path, and waits where its next cell is taken.
static fw_ret_t drive_testbed(bcp_drive_t * drive, const bcp_ride_t * ride, fw_rng_t * rng, fw_error_t * error)
{
  const fw_problem_t * problem = ride->problem;
  bcp_testbed_t testbed = {.problem = problem, .drive = drive, .planner = ride->planner, .rng = rng};
  drive->ticks = 0;
  for (int32_t unit = 0; unit < problem->robot_count; ++unit) {
    drive->cells[unit][0] = problem->robots[unit].start;
    set_path(&testbed, unit, ride->paths[unit].cells, ride->paths[unit].length);
  }
  fw_ret_t ret = FW_RET_OK;
  while (ret == FW_RET_OK && !have_arrived(&testbed) && drive->ticks < TICKS_MAX) {
    ret = tick(&testbed, error);
  }
  drive->have_arrived = have_arrived(&testbed);
  return ret;
}

// The tick from which the unit is at its goal.
static int32_t arrival_tick(const bcp_drive_t * drive, const fw_problem_t * problem, int32_t robot)
{
  int32_t tick = drive->ticks;
  while (tick > 0 && drive->cells[robot][tick - 1] == problem->robots[robot].goal) {
    --tick;
  }
  return tick;
}

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef enum bcp_player_t {
  BCP_ASTAR,  // the paper's baseline: independent A* in the testbed
  BCP_PAPER,  // the paper's algorithm: biased paths in the testbed, where all units replan when one is blocked
  BCP_LRA,    // ours, not in the paper: the planner `lra`
  BCP_OURS,   // ours: the planner `bcp`, the paper's algorithm whose robots also wait where that resolves a collision
  BCP_PLAYERS,
} bcp_player_t;

typedef enum bcp_scenario_t { BCP_RESCUE, BCP_GROUPS, BCP_SCENARIOS } bcp_scenario_t;

typedef struct bcp_sample_t {
  int32_t units;  // the hero not included
  int32_t number;
  int32_t steps[BCP_PLAYERS];  // of all units until each has arrived; -1: not all have
  int32_t hero[BCP_PLAYERS];   // of the hero; -1 without one
  double delay_ms;             // of the first move: the planning time of BCP_OURS
} bcp_sample_t;

enum { ATTACKS = 3, ITERATIONS_MAX = 64, SAMPLES_MAX = 1000 };

typedef struct bcp_report_t {
  bench_host_t host;
  int32_t sample_count;    // for each number of units
  int32_t run_count;       // of the hero's flight, for each number of iterations
  int32_t iterations_max;  // of those runs
  int64_t seed;
  bcp_sample_t * samples[BCP_SCENARIOS];  // by number of units, then sample
  int32_t * damages[ATTACKS];             // by iterations, then run
} bcp_report_t;

enum {
  REPEATS = 5,             // solves of which the median time counts
  PAPER_ITERATIONS = 100,  // of BCP_PAPER, at most; the default of the planner `bcp`
};

// The smallest and largest number of units of a scenario.
static int32_t first_units(bcp_scenario_t scenario) { return scenario == BCP_RESCUE ? 1 : 2; }
static int32_t last_units(bcp_scenario_t scenario) { return scenario == BCP_RESCUE ? 9 : 18; }

static int fail(const fw_error_t * error) { return cli_error(CLI_FAILURE, "%s", error->text); }

// Every plan is checked before it counts.
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
    return cli_error(CLI_FAILURE, "%s: the plan fails its check: %s", fw_planner_definition(planner)->name, text);
  }
  return CLI_SUCCESS;
}

// ---- planners -------------------------------------------------------------------------------------------------------

typedef struct bcp_planners_t {
  fw_planner_t lra;
  fw_planner_t bcp;
  fw_planner_t raw;  // bcp without its own waits and shortcuts: the paths that the testbed follows
} bcp_planners_t;

static int open_planners(bcp_planners_t * planners, int64_t seed)
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
  return CLI_SUCCESS;
}

static void close_planners(bcp_planners_t * planners)
{
  fw_planner_fini(&planners->lra);
  fw_planner_fini(&planners->bcp);
  fw_planner_fini(&planners->raw);
}

// A drive in the testbed.
typedef struct bcp_trip_t {
  const bcp_world_t * world;
  int32_t iterations;
  fw_rng_t rng;  // a copy: every drive of a sample draws the same
} bcp_trip_t;

// Drives the paths after this many iterations of biasing; 0 is independent A*.
static int drive_by_plan(bcp_planners_t * planners, const bcp_trip_t * trip, bcp_drive_t * result)
{
  fw_rng_t rng = trip->rng;
  char text[16];
  fw_error_t error;
  fw_plan_t plan;
  snprintf(text, sizeof(text), "%d", trip->iterations);
  if (fw_planner_set(&planners->raw, "iterations", text, &error) != FW_RET_OK) {
    return fail(&error);
  }
  const int exit_code = solve(&planners->raw, &trip->world->problem, &plan);
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  const bcp_ride_t ride = {&trip->world->problem, plan.paths, trip->iterations > 0 ? &planners->raw : NULL};
  return drive_testbed(result, &ride, &rng, &error) == FW_RET_OK ? CLI_SUCCESS : fail(&error);
}

// ---- scenarios ------------------------------------------------------------------------------------------------------

static void record_plan(
  bcp_sample_t * sample, bcp_player_t player, const fw_problem_t * problem, const fw_plan_t * plan)
{
  const bool is_solved = plan->outcome == FW_OUTCOME_SOLVED;
  const bool has_hero = problem->robots[0].priority > 0;
  sample->steps[player] = is_solved ? (int32_t)plan->stats.sum_of_costs : -1;
  sample->hero[player] = has_hero && is_solved ? fw_paths_makespan(plan->paths, 1) : -1;
}

static void record_drive(
  bcp_sample_t * sample, bcp_player_t player, const fw_problem_t * problem, const bcp_drive_t * drive)
{
  int32_t steps = 0;
  for (int32_t unit = 0; unit < problem->robot_count; ++unit) {
    steps += arrival_tick(drive, problem, unit);
  }
  const bool has_hero = problem->robots[0].priority > 0;
  sample->steps[player] = drive->have_arrived ? steps : -1;
  sample->hero[player] = has_hero && drive->have_arrived ? arrival_tick(drive, problem, 0) : -1;
}

// The median of a few solves of the same problem; nothing is kept between them.
static int measure_delay(bcp_planners_t * planners, const bcp_world_t * world, bcp_sample_t * sample)
{
  double times[REPEATS];
  for (int32_t i = 0; i < REPEATS; ++i) {
    fw_plan_t plan;
    const int exit_code = solve(&planners->bcp, &world->problem, &plan);
    if (exit_code != CLI_SUCCESS) {
      return exit_code;
    }
    times[i] = (double)plan.stats.elapsed_ns / 1e6;
    record_plan(sample, BCP_OURS, &world->problem, &plan);
  }
  sample->delay_ms = bench_median(times, REPEATS);
  return CLI_SUCCESS;
}

// One world with every player.
static int measure_sample(bcp_planners_t * planners, const bcp_world_t * world, fw_rng_t rng, bcp_sample_t * sample)
{
  static bcp_drive_t driven;
  fw_plan_t plan;
  int exit_code = solve(&planners->lra, &world->problem, &plan);
  if (exit_code == CLI_SUCCESS) {
    record_plan(sample, BCP_LRA, &world->problem, &plan);
    exit_code = drive_by_plan(planners, &(bcp_trip_t){world, 0, rng}, &driven);
  }
  if (exit_code == CLI_SUCCESS) {
    record_drive(sample, BCP_ASTAR, &world->problem, &driven);
    exit_code = drive_by_plan(planners, &(bcp_trip_t){world, PAPER_ITERATIONS, rng}, &driven);
  }
  if (exit_code == CLI_SUCCESS) {
    record_drive(sample, BCP_PAPER, &world->problem, &driven);
    exit_code = measure_delay(planners, world, sample);
  }
  return exit_code;
}

static int run_scenario(bcp_report_t * report, bcp_planners_t * planners, bcp_scenario_t scenario)
{
  const int32_t first = first_units(scenario);
  const int32_t rows = last_units(scenario) - first + 1;
  fw_rng_t rng = fw__rng((uint64_t)report->seed * 2 + (uint64_t)scenario);
  int exit_code = CLI_SUCCESS;
  for (int32_t i = 0; i < rows * report->sample_count && exit_code == CLI_SUCCESS; ++i) {
    bcp_sample_t * sample = &report->samples[scenario][i];
    *sample = (bcp_sample_t){.units = first + i / report->sample_count, .number = i % report->sample_count};
    bcp_world_t world;
    if (scenario == BCP_RESCUE) {
      make_rescue(&world, sample->units, &rng);
    } else {
      make_groups(&world, sample->units, &rng);
    }
    exit_code = cli_progress_was_interrupted() ? CLI_NOT_SOLVED : measure_sample(planners, &world, rng, sample);
  }
  return exit_code;
}

// ---- the hero's flight ----------------------------------------------------------------------------------------------

// In the first attack an attacker follows the hero; the second has one static attacker, the third both.
enum { CHASER_BEHIND = 2, CHASER_RANGE = 3, STATIC_RANGE = 4 };
static const fw_offset_t static_attackers[2] = {{11, 6}, {3, 6}};

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

// Chebyshev distance.
static int32_t distance(fw_cell_t a, int32_t x, int32_t y) { return larger(abs(a % SIDE - x), abs(a / SIDE - y)); }

static int32_t toward(int32_t from, int32_t to) { return from + (to > from) - (to < from); }

// Hit points that the hero loses until it is at its base: one for each tick within an attacker's range; the following
// attacker costs one more for each tick that the hero waits.
static int32_t damage(const bcp_drive_t * driven, const fw_problem_t * problem, int32_t attack)
{
  const fw_cell_t * hero = driven->cells[0];
  const int32_t end = arrival_tick(driven, problem, 0);
  int32_t x = hero[0] % SIDE;
  int32_t y = hero[0] / SIDE + CHASER_BEHIND;
  int32_t sum = 0;
  for (int32_t tick = 1; tick <= end; ++tick) {
    if (attack > 0) {
      for (int32_t i = 0; i < attack; ++i) {
        sum += distance(hero[tick], static_attackers[i].dx, static_attackers[i].dy) <= STATIC_RANGE ? 1 : 0;
      }
      continue;
    }
    x = toward(x, hero[tick] % SIDE);
    y = toward(y, hero[tick] / SIDE);
    const bool is_in_range = distance(hero[tick], x, y) <= CHASER_RANGE;
    sum += is_in_range ? 1 + (hero[tick] == hero[tick - 1]) : 0;
  }
  return sum;
}

// Every run is one world, driven with 0, 1, 2, … iterations; what the hero loses is counted for every attack.
static int run_flights(bcp_report_t * report, bcp_planners_t * planners)
{
  static bcp_drive_t driven;
  fw_rng_t rng = fw__rng((uint64_t)report->seed * 2 + 1000003);
  for (int32_t run = 0; run < report->run_count; ++run) {
    bcp_world_t world;
    make_flight(&world, &rng);
    for (int32_t i = 0; i <= report->iterations_max; ++i) {
      const int exit_code = cli_progress_was_interrupted()
                              ? CLI_NOT_SOLVED
                              : drive_by_plan(planners, &(bcp_trip_t){&world, i, rng}, &driven);
      if (exit_code != CLI_SUCCESS) {
        return exit_code;
      }
      for (int32_t e = 0; e < ATTACKS; ++e) {
        report->damages[e][i * report->run_count + run] = damage(&driven, &world.problem, e);
      }
    }
  }
  return CLI_SUCCESS;
}

// ---- all scenarios --------------------------------------------------------------------------------------------------

static bool allocate(bcp_report_t * report)
{
  bool is_whole = true;
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS; ++s) {
    const int32_t rows = last_units(s) - first_units(s) + 1;
    report->samples[s] = calloc((size_t)(rows * report->sample_count), sizeof(*report->samples[s]));
    is_whole = is_whole && report->samples[s] != NULL;
  }
  const size_t damages = (size_t)(report->iterations_max + 1) * (size_t)report->run_count;
  for (int32_t e = 0; e < ATTACKS; ++e) {
    report->damages[e] = calloc(damages, sizeof(*report->damages[e]));
    is_whole = is_whole && report->damages[e] != NULL;
  }
  return is_whole;
}

static int run_all(bcp_report_t * report)
{
  cli_progress_t progress = {.label = "the scenarios of biased cost pathfinding"};
  bcp_planners_t planners = {0};
  bench_host_read(&report->host);
  cli_progress_start(&progress);
  if (!allocate(report)) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  int exit_code = open_planners(&planners, report->seed);
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS && exit_code == CLI_SUCCESS; ++s) {
    exit_code = run_scenario(report, &planners, s);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = run_flights(report, &planners);
  }
  close_planners(&planners);
  cli_progress_clear();
  return exit_code;
}

static void fini_report(bcp_report_t * report)
{
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS; ++s) {
    free(report->samples[s]);
  }
  for (int32_t e = 0; e < ATTACKS; ++e) {
    free(report->damages[e]);
  }
}

// ---- figures --------------------------------------------------------------------------------------------------------

// Means over the samples of one number of units.
typedef struct bcp_row_t {
  int32_t units;
  double steps[BCP_PLAYERS];
  double hero[BCP_PLAYERS];
  int32_t hero_most[BCP_PLAYERS];
  int32_t late[BCP_PLAYERS];  // samples in which not all have arrived
  double delay_ms;            // median
  double delay_most_ms;
} bcp_row_t;

static const char * const player_names[BCP_PLAYERS] = {"A* (paper)", "bcp (paper)", "lra (ours)", "bcp (ours)"};
static const char * const player_keys[BCP_PLAYERS] = {"astar", "bcp_paper", "lra", "bcp"};
static const char * const scenario_keys[BCP_SCENARIOS] = {"rescue", "groups"};
static const char * const attack_names[ATTACKS] = {
  "an attacker that follows", "a static attacker", "two static attackers"};

// Means over the samples in which all units have arrived; `late` counts the others.
static bcp_row_t summarise(const bcp_report_t * report, bcp_scenario_t scenario, int32_t units)
{
  bcp_row_t row = {.units = units};
  double times[SAMPLES_MAX];
  FW_ASSERT(report->sample_count <= SAMPLES_MAX);
  int32_t counts[BCP_PLAYERS] = {0};
  const int32_t at = (units - first_units(scenario)) * report->sample_count;
  for (int32_t i = 0; i < report->sample_count; ++i) {
    const bcp_sample_t * sample = &report->samples[scenario][at + i];
    FW_ASSERT(sample->units == units);
    times[i] = sample->delay_ms;
    for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
      row.late[p] += sample->steps[p] < 0 ? 1 : 0;
      if (sample->steps[p] >= 0) {
        row.steps[p] += sample->steps[p];
        row.hero[p] += sample->hero[p];
        row.hero_most[p] = sample->hero[p] > row.hero_most[p] ? sample->hero[p] : row.hero_most[p];
        ++counts[p];
      }
    }
  }
  for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
    row.steps[p] /= counts[p] > 0 ? counts[p] : 1;
    row.hero[p] /= counts[p] > 0 ? counts[p] : 1;
  }
  row.delay_ms = bench_median(times, report->sample_count);
  row.delay_most_ms = times[report->sample_count - 1];
  return row;
}

// Milliseconds in the paper's Table 1, 0 where it has none.
static int32_t paper_delay_ms(bcp_scenario_t scenario, int32_t units)
{
  static const int32_t rescue[] = {236, 254, 323, 329, 329};                 // 4 to 8 units
  static const int32_t groups[] = {315, 434, 396, 375, 543, 458, 442, 470};  // 8 to 15
  const bool is_rescue = scenario == BCP_RESCUE;
  const int32_t at = units - (is_rescue ? 4 : 8);
  const int32_t count = (int32_t)(is_rescue ? sizeof(rescue) : sizeof(groups)) / (int32_t)sizeof(*rescue);
  return at < 0 || at >= count ? 0 : is_rescue ? rescue[at] : groups[at];
}

static int32_t damage_at(const bcp_report_t * report, int32_t attack, int32_t iterations, int32_t run)
{
  return report->damages[attack][iterations * report->run_count + run];
}

// The mean of what the hero loses with a number of iterations.
static double mean_damage(const bcp_report_t * report, int32_t attack, int32_t iterations)
{
  int32_t sum = 0;
  for (int32_t run = 0; run < report->run_count; ++run) {
    sum += damage_at(report, attack, iterations, run);
  }
  return (double)sum / report->run_count;
}

// The share of runs in which the hero loses more than it has. As in the paper, its hit points are the mean of its
// losses over all numbers of iterations, here of the same run.
static double death_rate(const bcp_report_t * report, int32_t attack, int32_t iterations)
{
  int32_t deaths = 0;
  for (int32_t run = 0; run < report->run_count; ++run) {
    int32_t sum = 0;  // over all numbers of iterations: hit points times their count
    for (int32_t i = 0; i <= report->iterations_max; ++i) {
      sum += damage_at(report, attack, i, run);
    }
    deaths += damage_at(report, attack, iterations, run) * (report->iterations_max + 1) > sum ? 1 : 0;
  }
  return (double)deaths / report->run_count;
}

// ---- text -----------------------------------------------------------------------------------------------------------

static void print_scenario(const bcp_report_t * report, bcp_scenario_t scenario)
{
  const bool has_hero = scenario == BCP_RESCUE;
  printf("%6s", "units");
  for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
    printf(" %13s", player_names[p]);
  }
  for (int32_t p = 0; p < BCP_PLAYERS && has_hero; ++p) {
    printf(" %13s", player_names[p]);
  }
  printf(" %10s %10s %10s %8s\n", "first ms", "worst ms", "paper ms", "times");
  for (int32_t units = first_units(scenario); units <= last_units(scenario); ++units) {
    const bcp_row_t row = summarise(report, scenario, units);
    const int32_t paper = paper_delay_ms(scenario, units);
    printf("%6d", units);
    for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
      printf(" %13.1f", row.steps[p]);
    }
    for (int32_t p = 0; p < BCP_PLAYERS && has_hero; ++p) {
      printf(" %8.1f (%2d)", row.hero[p], row.hero_most[p]);
    }
    printf(" %10.3f %10.3f", row.delay_ms, row.delay_most_ms);
    if (paper > 0) {
      printf(" %10d %8.0f\n", paper, paper / row.delay_ms);
    } else {
      printf(" %10s %8s\n", "-", "-");
    }
  }
}

static void print_deaths(const bcp_report_t * report)
{
  printf("%10s", "iterations");
  for (int32_t e = 0; e < ATTACKS; ++e) {
    printf(" %26s", attack_names[e]);
  }
  putchar('\n');
  for (int32_t i = 0; i <= report->iterations_max; ++i) {
    printf("%10d", i);
    for (int32_t e = 0; e < ATTACKS; ++e) {
      printf(" %19.2f (%4.1f)", death_rate(report, e, i), mean_damage(report, e, i));
    }
    putchar('\n');
  }
}

static void print_text(const void * state)
{
  const bcp_report_t * report = state;
  bench_host_print(&report->host);
  printf(
    "# A* (paper): the paper's baseline, a blocked unit replans alone; bcp (paper): the paper's algorithm, all "
    "replan;\n"
    "# bcp (ours): the planner `bcp`, whose robots also wait where that resolves a collision; lra (ours): the planner "
    "`lra`;\n"
    "# first ms: until bcp (ours) has planned the first move, beside the paper's Table 1\n"
    "# rescue the hero: steps of all units until each has arrived, then of the hero alone (and the most of any "
    "sample);\n"
    "# %d samples for each number of units, seed %" PRId64 "; every plan checked\n",
    report->sample_count, report->seed);
  print_scenario(report, BCP_RESCUE);
  printf("# two groups change places: steps of all units\n");
  print_scenario(report, BCP_GROUPS);
  printf(
    "# the hero's flight, by iterations of bcp (0: A*): share of %d runs in which the hero dies (and hit points that "
    "it loses)\n",
    report->run_count);
  print_deaths(report);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void write_row(cli_json_t * json, const bcp_report_t * report, bcp_scenario_t scenario, int32_t units)
{
  const bcp_row_t row = summarise(report, scenario, units);
  const int32_t paper = paper_delay_ms(scenario, units);
  cli_json_open(json, NULL, '{');
  cli_json_integer(json, "units", units);
  for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
    cli_json_open(json, player_keys[p], '{');
    cli_json_number(json, "steps", row.steps[p]);
    if (scenario == BCP_RESCUE) {
      cli_json_number(json, "hero_steps", row.hero[p]);
      cli_json_integer(json, "hero_steps_most", row.hero_most[p]);
    }
    cli_json_integer(json, "not_arrived", row.late[p]);
    cli_json_close(json, '}');
  }
  cli_json_number(json, "first_move_ms", row.delay_ms);
  cli_json_number(json, "first_move_ms_worst", row.delay_most_ms);
  if (paper > 0) {
    cli_json_integer(json, "paper_first_move_ms", paper);
    cli_json_number(json, "times_faster", paper / row.delay_ms);
  }
  cli_json_close(json, '}');
}

static void write_deaths(cli_json_t * json, const bcp_report_t * report)
{
  cli_json_open(json, "flights", '[');
  for (int32_t e = 0; e < ATTACKS; ++e) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "extension", attack_names[e]);
    cli_json_open(json, "death_rates", '[');  // by iterations, from 0
    for (int32_t i = 0; i <= report->iterations_max; ++i) {
      cli_json_number(json, NULL, death_rate(report, e, i));
    }
    cli_json_close(json, ']');
    cli_json_open(json, "damages", '[');
    for (int32_t i = 0; i <= report->iterations_max; ++i) {
      cli_json_number(json, NULL, mean_damage(report, e, i));
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
}

static void print_json(const void * state)
{
  const bcp_report_t * report = state;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  bench_host_write(&report->host, &json);
  cli_json_integer(&json, "samples", report->sample_count);
  cli_json_integer(&json, "runs", report->run_count);
  cli_json_integer(&json, "seed", report->seed);
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS; ++s) {
    cli_json_open(&json, scenario_keys[s], '[');
    for (int32_t units = first_units(s); units <= last_units(s); ++units) {
      write_row(&json, report, s, units);
    }
    cli_json_close(&json, ']');
  }
  write_deaths(&json, report);
  cli_json_close(&json, '}');
  putchar('\n');
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

static void write_csv(const void * state, FILE * stream)
{
  const bcp_report_t * report = state;
  fputs("scenario,units,sample,player,steps,hero_steps,first_move_ms\n", stream);
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS; ++s) {
    const int32_t rows = last_units(s) - first_units(s) + 1;
    for (int32_t i = 0; i < rows * report->sample_count; ++i) {
      const bcp_sample_t * sample = &report->samples[s][i];
      for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
        fprintf(
          stream, "%s,%d,%d,%s,%d,", scenario_keys[s], sample->units, sample->number, player_keys[p], sample->steps[p]);
        if (s == BCP_RESCUE) {
          fprintf(stream, "%d", sample->hero[p]);
        }
        fprintf(stream, p == BCP_OURS ? ",%.6f\n" : ",\n", sample->delay_ms);
      }
    }
  }
}

// ---- command --------------------------------------------------------------------------------------------------------

typedef struct bcp_options_t {
  int64_t samples;
  int64_t runs;
  int64_t iterations;
  int64_t seed;
  bench_output_t output;
} bcp_options_t;

#define AT(member) offsetof(bcp_options_t, member)

static const cli_option_t bench_options[] = {
  {.name = "samples",
   .kind = CLI_INTEGER,
   .offset = AT(samples),
   .min = 1,
   .max = SAMPLES_MAX,
   .value = "N",
   .help = "random blocks of units for each number of units (default: 10, as in the paper)"},
  {.name = "runs",
   .kind = CLI_INTEGER,
   .offset = AT(runs),
   .min = 1,
   .max = SAMPLES_MAX,
   .value = "N",
   .help = "flights of the hero for each number of iterations (default: 18, as in the paper)"},
  {.name = "iterations",
   .kind = CLI_INTEGER,
   .offset = AT(iterations),
   .min = 0,
   .max = ITERATIONS_MAX,
   .value = "N",
   .help = "the largest number of iterations in those flights (default: 14)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(seed),
   .min = 0,
   .max = INT32_MAX,
   .value = "N",
   .help = "for units, starts, the testbed and `lra` (default: 1)"},
  {0},
};

static int measure(const bcp_options_t * options)
{
  bcp_report_t report = {
    .sample_count = (int32_t)options->samples,
    .run_count = (int32_t)options->runs,
    .iterations_max = (int32_t)options->iterations,
    .seed = options->seed,
  };
  int exit_code = bench_output_is_possible(&options->output) ? run_all(&report) : CLI_FAILURE;
  if (exit_code == CLI_SUCCESS) {
    exit_code = bench_output_write(&options->output, &(bench_report_t){&report, print_text, print_json, write_csv});
  }
  fini_report(&report);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  bcp_options_t options = {.samples = 10, .runs = 18, .iterations = 14, .seed = 1};
  const cli_group_t groups[] = {
    {"Bench", bench_options, .values = &options},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench bcp",
    .usage = "[--samples N] [--runs N] [--iterations N] [--seed N] [--csv FILE] [--json]",
    .about =
      "The scenarios of \"Biased Cost Pathfinding\" (Geramifard, Chubak, Bulitko 2006): a hero of higher\n"
      "priority meets a block of 1 to 9 units that come towards it; two groups change places; and the hero\n"
      "flees from attackers, by number of iterations. Which column is which: `bcp (paper)` is the paper's\n"
      "algorithm and `A* (paper)` its baseline, both in a testbed where blocked units replan; `bcp (ours)`\n"
      "is the planner `bcp`, whose robots also wait where that resolves a collision, and `lra (ours)` the\n"
      "planner `lra`, which the paper does not have. Table 1 of the paper (the delay of the first move) is\n"
      "printed beside ours.",
    .groups = groups,
    .examples =
      "  fleetweave bench bcp --json > bcp.json       # then, in the repository: ./run plot bcp.json -o bcp.svg\n"
      "  fleetweave bench bcp --samples 100 --runs 100 --csv bcp.csv",
    .exit_codes = "0 done, 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t bench_bcp = {
  .name = "bcp",
  .summary = "the scenarios of Biased Cost Pathfinding (2006): bcp, A* and lra",
  .run = run,
};
