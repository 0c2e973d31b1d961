// `bench bcp`: the scenarios of "Biased Cost Pathfinding" (Geramifard, Chubak, Bulitko 2006). docs/bcp.md has the
// paper's figures beside ours.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/rng.h"
#include "bench/bcp_testbed.h"
#include "bench/bench.h"
#include "cli/common/message.h"
#include "cli/common/progress.h"
#include "fleetweave/planner_def.h"

// ---- options --------------------------------------------------------------------------------------------------------

typedef struct bcp_options_t {
  int64_t samples;
  int64_t runs;
  int64_t iterations;
  int64_t height;
  int64_t seed;
  bool may_cross;  // diagonal moves in the testbed
  bench_output_t output;
} bcp_options_t;

// ---- worlds ---------------------------------------------------------------------------------------------------------

// The paper shows its maps in pictures only; these are ours:
//
//   row  1      .  H' .      the hero's goal, above the block
//   row  2..4   a  a  a      a block of 3x3: where units begin
//   ...
//   row 10..12  a' a' a'     a block of 3x3: where they go, each eight rows down
//   row 11      .  H  .      the hero, in the middle of it

enum { SIDE = 15, BLOCK_CELLS = 9 };
_Static_assert(SIDE * SIDE <= BCP_CELLS_MAX, "the testbed has room for the map");

// Open floor, eight directions, and a cell stays reserved for one tick after it was left (robust_ticks 1), as in the
// paper. Points into itself: not to be copied.
typedef struct bcp_world_t {
  uint8_t cost[SIDE * SIDE];
  fw_grid_t grid;
  fw_robot_t robots[BCP_UNITS_MAX];
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
  FW_ASSERT(units <= BLOCK_CELLS && world->problem.robot_count + units <= BCP_UNITS_MAX);
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

// ---- players --------------------------------------------------------------------------------------------------------

// Who plans the paths. All of them drive in the same testbed, in the same worlds, with the same random numbers. `bcp`
// is run in three settings, each with biasing and without it (iterations=0), everything else being equal.
typedef enum bcp_player_t {
  BCP_ASTAR,       // the paper's baseline: independent A*, and the unit that collides plans again
  BCP_PLAIN,       // the paper's algorithm: all units plan again after a collision
  BCP_UNBIASED,    // the same without virtual costs
  BCP_OURS,        // the planner `bcp`
  BCP_NO_BIASING,  // the same without virtual costs
  BCP_NO_WAITS,    // the same as BCP_OURS without waits
  BCP_STRAIGHT,    // the planner `bcp` with straight paths, which meet more often than those that bend to one side
  BCP_STRAIGHT_NO_BIASING,
  BCP_HCA,  // other planners, which the paper does not have
  BCP_WHCA,
  BCP_LRA,
  BCP_PLAYERS,
} bcp_player_t;

enum { SETTINGS_MAX = 4 };

typedef struct bcp_player_def_t {
  const char * key;   // in JSON and CSV
  const char * name;  // in the table
  const char * planner;
  bcp_replanning_t replanning;
  const char * settings[SETTINGS_MAX][2];  // names and values of parameters
} bcp_player_def_t;

static const bcp_player_def_t player_defs[BCP_PLAYERS] = {
  [BCP_ASTAR] = {"astar", "A*", "bcp", BCP_REPLAN_ONE, {{"plain", "true"}, {"iterations", "0"}}},
  [BCP_PLAIN] = {"bcp_paper", "bcp plain", "bcp", BCP_REPLAN_ALL, {{"plain", "true"}}},
  [BCP_UNBIASED] = {"unbiased", "- biasing", "bcp", BCP_REPLAN_ALL, {{"plain", "true"}, {"iterations", "0"}}},
  [BCP_OURS] = {"bcp", "bcp", "bcp", BCP_REPLAN_ALL, {{0}}},
  [BCP_NO_BIASING] = {"bcp_no_biasing", "bcp - biasing", "bcp", BCP_REPLAN_ALL, {{"iterations", "0"}}},
  [BCP_NO_WAITS] = {"bcp_no_waits", "bcp - waits", "bcp", BCP_REPLAN_ALL, {{"waits", "false"}}},
  [BCP_STRAIGHT] = {"bcp_straight", "bcp straight", "bcp", BCP_REPLAN_ALL, {{"straight", "true"}}},
  [BCP_STRAIGHT_NO_BIASING] =
    {"bcp_straight_no_biasing", "- biasing", "bcp", BCP_REPLAN_ALL, {{"straight", "true"}, {"iterations", "0"}}},
  [BCP_HCA] = {"hca", "hca", "hca", BCP_REPLAN_ALL, {{0}}},
  [BCP_WHCA] = {"whca", "whca", "whca", BCP_REPLAN_ALL, {{0}}},
  [BCP_LRA] = {"lra", "lra", "lra", BCP_REPLAN_ALL, {{0}}},
};

typedef struct bcp_players_t {
  fw_planner_t of[BCP_PLAYERS];
  fw_planner_t flight;  // the paper's algorithm, by number of iterations
  bool may_cross;
} bcp_players_t;

static int fail(const fw_error_t * error) { return cli_error(CLI_FAILURE, "%s", error->text); }

static int open_player(fw_planner_t * planner, const bcp_player_def_t * def, const bcp_options_t * options)
{
  fw_planner_options_t planner_options = fw_planner_options_default();
  planner_options.seed = (uint64_t)options->seed;
  fw_error_t error;
  if (fw_planner_init(planner, def->planner, &planner_options, &error) != FW_RET_OK) {
    return fail(&error);
  }
  for (int32_t i = 0; i < SETTINGS_MAX && def->settings[i][0] != NULL; ++i) {
    if (fw_planner_set(planner, def->settings[i][0], def->settings[i][1], &error) != FW_RET_OK) {
      return fail(&error);
    }
  }
  char height[24];
  snprintf(height, sizeof(height), "%" PRId64, options->height);
  const bool is_plain = def->settings[0][0] != NULL && strcmp(def->settings[0][0], "plain") == 0;
  return !is_plain || fw_planner_set(planner, "height", height, &error) == FW_RET_OK ? CLI_SUCCESS : fail(&error);
}

static int open_players(bcp_players_t * players, const bcp_options_t * options)
{
  players->may_cross = options->may_cross;
  int exit_code = open_player(&players->flight, &player_defs[BCP_PLAIN], options);
  for (int32_t p = 0; p < BCP_PLAYERS && exit_code == CLI_SUCCESS; ++p) {
    exit_code = open_player(&players->of[p], &player_defs[p], options);
  }
  return exit_code;
}

static void close_players(bcp_players_t * players)
{
  for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
    fw_planner_fini(&players->of[p]);
  }
  fw_planner_fini(&players->flight);
}

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef enum bcp_scenario_t { BCP_RESCUE, BCP_GROUPS, BCP_SCENARIOS } bcp_scenario_t;

// What one player did in one world.
typedef struct bcp_result_t {
  int32_t steps;       // ticks of all units until each has arrived; -1: not all have
  int32_t hero;        // of the hero; -1 without one or if not all have arrived
  int32_t collisions;  // moves that the testbed has refused
  int32_t replans;
  double first_ms;  // until all units have their first paths: the paper's Table 1
} bcp_result_t;

typedef struct bcp_sample_t {
  int32_t units;  // the hero not included
  int32_t number;
  bcp_result_t results[BCP_PLAYERS];
} bcp_sample_t;

enum { ATTACKS = 3, ITERATIONS_MAX = 64, SAMPLES_MAX = 1000 };

typedef struct bcp_report_t {
  bench_host_t host;
  const bcp_options_t * options;
  int32_t sample_count;                   // for each number of units
  int32_t run_count;                      // of the hero's flight, for each number of iterations
  int32_t iterations_max;                 // of those runs
  bcp_sample_t * samples[BCP_SCENARIOS];  // by number of units, then sample
  int32_t * damages[ATTACKS];             // by flight, then run
} bcp_report_t;

// The smallest and largest number of units of a scenario.
static int32_t first_units(bcp_scenario_t scenario) { return scenario == BCP_RESCUE ? 1 : 2; }
static int32_t last_units(bcp_scenario_t scenario) { return scenario == BCP_RESCUE ? 9 : 18; }

static bcp_result_t read_drive(const bcp_drive_t * drive, const fw_problem_t * problem)
{
  bcp_result_t result = {
    .collisions = drive->collisions,
    .replans = drive->replans,
    .first_ms = (double)drive->first_ns / 1e6,
  };
  for (int32_t unit = 0; unit < problem->robot_count; ++unit) {
    result.steps += bcp_drive_arrival(drive, problem, unit);
  }
  const bool has_hero = problem->robots[0].priority > 0;
  result.steps = drive->have_arrived ? result.steps : -1;
  result.hero = has_hero && drive->have_arrived ? bcp_drive_arrival(drive, problem, 0) : -1;
  return result;
}

// One world with every player.
static int measure_sample(bcp_players_t * players, const bcp_world_t * world, fw_rng_t rng, bcp_sample_t * sample)
{
  static bcp_drive_t drive;
  for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
    fw_error_t error;
    const bcp_ride_t ride = {
      .problem = &world->problem,
      .planner = &players->of[p],
      .replanning = player_defs[p].replanning,
      .may_cross = players->may_cross,
      .rng = rng,
    };
    if (bcp_drive(&drive, &ride, &error) != FW_RET_OK) {
      return fail(&error);
    }
    sample->results[p] = read_drive(&drive, &world->problem);
  }
  return CLI_SUCCESS;
}

static int run_scenario(bcp_report_t * report, bcp_players_t * players, bcp_scenario_t scenario)
{
  const int32_t first = first_units(scenario);
  const int32_t rows = last_units(scenario) - first + 1;
  fw_rng_t rng = fw__rng((uint64_t)report->options->seed * 2 + (uint64_t)scenario);
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
    exit_code = cli_progress_was_interrupted() ? CLI_NOT_SOLVED : measure_sample(players, &world, rng, sample);
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
  const int32_t end = bcp_drive_arrival(driven, problem, 0);
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

// Flights are numbered: A*, then the paper's algorithm with 0, 1, 2, … iterations.
enum { FLIGHT_ASTAR, FLIGHT_UNBIASED };
static int32_t flight_count(const bcp_report_t * report) { return report->iterations_max + 2; }

// Every run is one world, driven by A* and by the paper's algorithm with 0, 1, 2, … iterations; what the hero
// loses is counted for every attack.
static int run_flights(bcp_report_t * report, bcp_players_t * players)
{
  static bcp_drive_t drive;
  fw_rng_t rng = fw__rng((uint64_t)report->options->seed * 2 + 1000003);
  for (int32_t i = 0; i < flight_count(report) * report->run_count; ++i) {
    const int32_t flight = i % flight_count(report);
    static bcp_world_t world;
    fw_error_t error;
    char iterations[16];
    snprintf(iterations, sizeof(iterations), "%d", flight > FLIGHT_UNBIASED ? flight - FLIGHT_UNBIASED : 0);
    if (flight == FLIGHT_ASTAR) {
      make_flight(&world, &rng);
    }
    const bcp_ride_t ride = {
      .problem = &world.problem,
      .planner = &players->flight,
      .replanning = flight == FLIGHT_ASTAR ? BCP_REPLAN_ONE : BCP_REPLAN_ALL,
      .may_cross = players->may_cross,
      .rng = rng,
    };
    if (cli_progress_was_interrupted()) {
      return CLI_NOT_SOLVED;
    }
    if (
      fw_planner_set(&players->flight, "iterations", iterations, &error) != FW_RET_OK ||
      bcp_drive(&drive, &ride, &error) != FW_RET_OK) {
      return fail(&error);
    }
    for (int32_t e = 0; e < ATTACKS; ++e) {
      report->damages[e][flight * report->run_count + i / flight_count(report)] = damage(&drive, &world.problem, e);
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
    report->samples[s] = calloc((size_t)rows * (size_t)report->sample_count, sizeof(*report->samples[s]));
    is_whole = is_whole && report->samples[s] != NULL;
  }
  const size_t damages = (size_t)flight_count(report) * (size_t)report->run_count;
  for (int32_t e = 0; e < ATTACKS; ++e) {
    report->damages[e] = calloc(damages, sizeof(*report->damages[e]));
    is_whole = is_whole && report->damages[e] != NULL;
  }
  return is_whole;
}

static int run_all(bcp_report_t * report)
{
  cli_progress_t progress = {.label = "the scenarios of biased cost pathfinding"};
  bcp_players_t players = {0};
  bench_host_read(&report->host);
  cli_progress_start(&progress);
  if (!allocate(report)) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  int exit_code = open_players(&players, report->options);
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS && exit_code == CLI_SUCCESS; ++s) {
    exit_code = run_scenario(report, &players, s);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = run_flights(report, &players);
  }
  close_players(&players);
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

typedef enum bcp_measure_t { BCP_STEPS, BCP_HERO, BCP_MEASURES } bcp_measure_t;

static const char * const measure_keys[BCP_MEASURES] = {"steps", "hero_steps"};
static const char * const scenario_keys[BCP_SCENARIOS] = {"rescue", "groups"};
static const char * const attack_names[ATTACKS] = {
  "an attacker that follows", "a static attacker", "two static attackers"};

// Samples in a row: of one number of units, or of a whole scenario.
typedef struct bcp_range_t {
  const bcp_sample_t * samples;
  int32_t count;
} bcp_range_t;

static bcp_range_t whole_scenario(const bcp_report_t * report, bcp_scenario_t scenario)
{
  const int32_t rows = last_units(scenario) - first_units(scenario) + 1;
  return (bcp_range_t){report->samples[scenario], rows * report->sample_count};
}

static bcp_range_t samples_of(const bcp_report_t * report, bcp_scenario_t scenario, int32_t units)
{
  const int32_t at = (units - first_units(scenario)) * report->sample_count;
  FW_ASSERT(report->samples[scenario][at].units == units);
  return (bcp_range_t){&report->samples[scenario][at], report->sample_count};
}

// -1: not all units have arrived.
static int32_t value_of(const bcp_sample_t * sample, bcp_player_t player, bcp_measure_t measure)
{
  const bcp_result_t * result = &sample->results[player];
  return measure == BCP_HERO ? result->hero : result->steps;
}

// A distribution by its first moments.
typedef struct bcp_moments_t {
  int32_t count;
  double sum;
  double sum_of_squares;
  double most;
} bcp_moments_t;

static void add_value(bcp_moments_t * moments, double value)
{
  moments->most = moments->count == 0 || value > moments->most ? value : moments->most;
  ++moments->count;
  moments->sum += value;
  moments->sum_of_squares += value * value;
}

static double mean_of(const bcp_moments_t * moments) { return moments->count > 0 ? moments->sum / moments->count : 0; }

// The standard deviation of the population that the values are a sample of.
static double deviation_of(const bcp_moments_t * moments)
{
  if (moments->count < 2) {
    return 0;
  }
  const double rest = moments->sum_of_squares - moments->sum * mean_of(moments);
  return rest > 0 ? sqrt(rest / (moments->count - 1)) : 0;
}

// The mean is within this of the true one with a probability of about 95 %.
static double interval_of(const bcp_moments_t * moments)
{
  return moments->count > 0 ? 1.96 * deviation_of(moments) / sqrt(moments->count) : 0;
}

// Over the samples in which all units have arrived.
static bcp_moments_t moments_of(bcp_range_t range, bcp_player_t player, bcp_measure_t measure)
{
  bcp_moments_t moments = {0};
  for (int32_t i = 0; i < range.count; ++i) {
    const int32_t value = value_of(&range.samples[i], player, measure);
    if (value >= 0) {
      add_value(&moments, value);
    }
  }
  return moments;
}

static double mean_collisions(bcp_range_t range, bcp_player_t player)
{
  int64_t sum = 0;
  for (int32_t i = 0; i < range.count; ++i) {
    sum += range.samples[i].results[player].collisions;
  }
  return range.count > 0 ? (double)sum / range.count : 0;
}

static double median_first_ms(bcp_range_t range, bcp_player_t player)
{
  double times[SAMPLES_MAX];
  FW_ASSERT(range.count <= SAMPLES_MAX);
  for (int32_t i = 0; i < range.count; ++i) {
    times[i] = range.samples[i].results[player].first_ms;
  }
  return bench_median(times, range.count);
}

// Two players that differ in one thing. What the second saves, sample by sample, is what that thing contributes.
typedef struct bcp_pair_t {
  const char * key;
  const char * text;
  bcp_player_t without;
  bcp_player_t with;
} bcp_pair_t;

static const bcp_pair_t pairs[] = {
  {"paper_comparison", "bcp plain instead of A*: the paper's comparison", BCP_ASTAR, BCP_PLAIN},
  {"biasing_plain", "biasing, in bcp plain", BCP_UNBIASED, BCP_PLAIN},
  {"replanning_all", "all units replan instead of one, without biasing", BCP_ASTAR, BCP_UNBIASED},
  {"biasing", "biasing, in bcp", BCP_NO_BIASING, BCP_OURS},
  {"biasing_straight", "biasing, in bcp with straight paths", BCP_STRAIGHT_NO_BIASING, BCP_STRAIGHT},
  {"waits", "waits, in bcp", BCP_NO_WAITS, BCP_OURS},
  {"hca", "hca instead of bcp", BCP_OURS, BCP_HCA},
  {"whca", "whca instead of bcp", BCP_OURS, BCP_WHCA},
};

// Over the samples in which all units have arrived with both players.
typedef struct bcp_difference_t {
  bcp_moments_t saved;  // without minus with: positive where the second player is better
  int32_t better;
  int32_t equal;
  int32_t worse;
} bcp_difference_t;

static bcp_difference_t difference_of(bcp_range_t range, const bcp_pair_t * pair, bcp_measure_t measure)
{
  bcp_difference_t difference = {0};
  for (int32_t i = 0; i < range.count; ++i) {
    const int32_t without = value_of(&range.samples[i], pair->without, measure);
    const int32_t with = value_of(&range.samples[i], pair->with, measure);
    if (without < 0 || with < 0) {
      continue;
    }
    add_value(&difference.saved, without - with);
    difference.better += with < without ? 1 : 0;
    difference.equal += with == without ? 1 : 0;
    difference.worse += with > without ? 1 : 0;
  }
  return difference;
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

static int32_t damage_at(const bcp_report_t * report, int32_t attack, int32_t flight, int32_t run)
{
  return report->damages[attack][flight * report->run_count + run];
}

// The mean of what the hero loses in a flight.
static double mean_damage(const bcp_report_t * report, int32_t attack, int32_t flight)
{
  int32_t sum = 0;
  for (int32_t run = 0; run < report->run_count; ++run) {
    sum += damage_at(report, attack, flight, run);
  }
  return (double)sum / report->run_count;
}

// The share of runs in which the hero loses more than it has. As in the paper, its hit points are the mean of its
// losses by A* and over all numbers of iterations, here of the same run.
static double death_rate(const bcp_report_t * report, int32_t attack, int32_t flight)
{
  int32_t deaths = 0;
  for (int32_t run = 0; run < report->run_count; ++run) {
    int32_t sum = 0;  // hit points times the number of flights
    for (int32_t i = 0; i < flight_count(report); ++i) {
      sum += i == FLIGHT_UNBIASED ? 0 : damage_at(report, attack, i, run);
    }
    deaths += damage_at(report, attack, flight, run) * (flight_count(report) - 1) > sum ? 1 : 0;
  }
  return (double)deaths / report->run_count;
}

// ---- text -----------------------------------------------------------------------------------------------------------

static void print_means(const bcp_report_t * report, bcp_scenario_t scenario, bcp_measure_t measure)
{
  printf("%6s", "units");
  for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
    printf(" %13s", player_defs[p].name);
  }
  putchar('\n');
  for (int32_t units = first_units(scenario); units <= last_units(scenario); ++units) {
    const bcp_range_t range = samples_of(report, scenario, units);
    printf("%6d", units);
    for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
      const bcp_moments_t moments = moments_of(range, (bcp_player_t)p, measure);
      printf(" %6.1f (%4.1f)", mean_of(&moments), deviation_of(&moments));
    }
    putchar('\n');
  }
  printf("%6s", "late");
  for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
    const bcp_range_t range = whole_scenario(report, scenario);
    printf(" %13d", range.count - moments_of(range, (bcp_player_t)p, BCP_STEPS).count);
  }
  putchar('\n');
}

static void print_differences(const bcp_report_t * report, bcp_scenario_t scenario)
{
  printf("%-50s %10s %7s %17s %8s %7s %7s %7s\n", "what", "", "samples", "saved", "spread", "better", "equal", "worse");
  for (int32_t i = 0; i < BENCH_COUNT(pairs); ++i) {
    for (int32_t m = 0; m < (scenario == BCP_RESCUE ? BCP_MEASURES : 1); ++m) {
      const bcp_difference_t found = difference_of(whole_scenario(report, scenario), &pairs[i], (bcp_measure_t)m);
      printf(
        "%-50s %10s %7d %8.2f +- %5.2f %8.2f %7d %7d %7d\n", pairs[i].text, measure_keys[m], found.saved.count,
        mean_of(&found.saved), interval_of(&found.saved), deviation_of(&found.saved), found.better, found.equal,
        found.worse);
    }
  }
}

static void print_delays(const bcp_report_t * report)
{
  printf("%-8s %6s %10s %12s %12s %12s\n", "scenario", "units", "paper ms", "bcp plain ms", "bcp ms", "paper/plain");
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS; ++s) {
    for (int32_t units = first_units(s); units <= last_units(s); ++units) {
      const int32_t paper = paper_delay_ms(s, units);
      const bcp_range_t range = samples_of(report, s, units);
      if (paper > 0) {
        const double plain = median_first_ms(range, BCP_PLAIN);
        printf(
          "%-8s %6d %10d %12.3f %12.3f %12.0f\n", scenario_keys[s], units, paper, plain,
          median_first_ms(range, BCP_OURS), paper / plain);
      }
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
  for (int32_t flight = 0; flight < flight_count(report); ++flight) {
    if (flight == FLIGHT_ASTAR) {
      printf("%10s", "A*");
    } else {
      printf("%10d", flight - FLIGHT_UNBIASED);
    }
    for (int32_t e = 0; e < ATTACKS; ++e) {
      printf(" %19.2f (%4.1f)", death_rate(report, e, flight), mean_damage(report, e, flight));
    }
    putchar('\n');
  }
}

static void print_text(const void * state)
{
  const bcp_report_t * report = state;
  bench_host_print(&report->host);
  printf(
    "# All columns drive in the same testbed, in the same worlds. A*: the paper's baseline, the unit that collides "
    "replans;\n"
    "# bcp plain: the paper's algorithm (height %" PRId64
    "), all replan; - biasing: the same with iterations=0;\n"
    "# bcp - biasing, bcp - waits: the planner `bcp` with iterations=0, with waits=false; bcp straight: with "
    "straight=true;\n"
    "# - biasing: the same with iterations=0; hca, whca, lra: other planners\n"
    "# %d samples for each number of units, seed %" PRId64
    "; every plan checked; means (and standard deviations) of samples\n"
    "# in which all units have arrived; late: samples in which they have not\n",
    report->options->height, report->sample_count, report->options->seed);
  printf("# rescue the hero: steps of all units until each has arrived (figure 6)\n");
  print_means(report, BCP_RESCUE, BCP_STEPS);
  printf("# rescue the hero: steps of the hero (figure 7)\n");
  print_means(report, BCP_RESCUE, BCP_HERO);
  printf("# two groups change places: steps of all units (figure 11)\n");
  print_means(report, BCP_GROUPS, BCP_STEPS);
  printf("# what it contributes: steps saved, sample by sample, mean with its 95 %% interval; rescue the hero\n");
  print_differences(report, BCP_RESCUE);
  printf("# the same; two groups\n");
  print_differences(report, BCP_GROUPS);
  printf("# the first move: until all units have paths (table 1), medians\n");
  print_delays(report);
  printf(
    "# the hero's flight, by iterations of bcp plain: share of %d runs in which the hero dies (and hit points that it "
    "loses)\n",
    report->run_count);
  print_deaths(report);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void write_player(cli_json_t * json, bcp_range_t range, bcp_player_t player, bool has_hero)
{
  const bcp_moments_t steps = moments_of(range, player, BCP_STEPS);
  cli_json_open(json, player_defs[player].key, '{');
  cli_json_number(json, "steps", mean_of(&steps));
  cli_json_number(json, "steps_deviation", deviation_of(&steps));
  if (has_hero) {
    const bcp_moments_t hero = moments_of(range, player, BCP_HERO);
    cli_json_number(json, "hero_steps", mean_of(&hero));
    cli_json_number(json, "hero_steps_deviation", deviation_of(&hero));
    cli_json_integer(json, "hero_steps_most", (int64_t)hero.most);
  }
  cli_json_number(json, "collisions", mean_collisions(range, player));
  cli_json_integer(json, "not_arrived", range.count - steps.count);
  cli_json_number(json, "first_move_ms", median_first_ms(range, player));
  cli_json_close(json, '}');
}

static void write_differences(cli_json_t * json, bcp_range_t range, bool has_hero)
{
  cli_json_open(json, "differences", '{');
  for (int32_t i = 0; i < BENCH_COUNT(pairs); ++i) {
    cli_json_open(json, pairs[i].key, '{');
    cli_json_text(json, "without", player_defs[pairs[i].without].key);
    cli_json_text(json, "with", player_defs[pairs[i].with].key);
    for (int32_t m = 0; m < (has_hero ? BCP_MEASURES : 1); ++m) {
      const bcp_difference_t found = difference_of(range, &pairs[i], (bcp_measure_t)m);
      cli_json_open(json, measure_keys[m], '{');
      cli_json_integer(json, "samples", found.saved.count);
      cli_json_number(json, "saved", mean_of(&found.saved));
      cli_json_number(json, "interval", interval_of(&found.saved));
      cli_json_number(json, "deviation", deviation_of(&found.saved));
      cli_json_integer(json, "better", found.better);
      cli_json_integer(json, "equal", found.equal);
      cli_json_integer(json, "worse", found.worse);
      cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
  }
  cli_json_close(json, '}');
}

static void write_row(cli_json_t * json, const bcp_report_t * report, bcp_scenario_t scenario, int32_t units)
{
  const bcp_range_t range = samples_of(report, scenario, units);
  const int32_t paper = paper_delay_ms(scenario, units);
  cli_json_open(json, NULL, '{');
  cli_json_integer(json, "units", units);
  for (int32_t p = 0; p < BCP_PLAYERS; ++p) {
    write_player(json, range, (bcp_player_t)p, scenario == BCP_RESCUE);
  }
  write_differences(json, range, scenario == BCP_RESCUE);
  if (paper > 0) {
    cli_json_integer(json, "paper_first_move_ms", paper);
  }
  cli_json_close(json, '}');
}

static void write_deaths(cli_json_t * json, const bcp_report_t * report)
{
  cli_json_open(json, "flights", '[');
  for (int32_t e = 0; e < ATTACKS; ++e) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "extension", attack_names[e]);
    cli_json_number(json, "unbiased_death_rate", death_rate(report, e, FLIGHT_UNBIASED));
    cli_json_number(json, "unbiased_damage", mean_damage(report, e, FLIGHT_UNBIASED));
    cli_json_open(json, "death_rates", '[');  // of A*, then by iterations from 1
    for (int32_t i = 0; i < flight_count(report); ++i) {
      if (i != FLIGHT_UNBIASED) {
        cli_json_number(json, NULL, death_rate(report, e, i));
      }
    }
    cli_json_close(json, ']');
    cli_json_open(json, "damages", '[');
    for (int32_t i = 0; i < flight_count(report); ++i) {
      if (i != FLIGHT_UNBIASED) {
        cli_json_number(json, NULL, mean_damage(report, e, i));
      }
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
  cli_json_integer(&json, "seed", report->options->seed);
  cli_json_integer(&json, "height", report->options->height);
  cli_json_boolean(&json, "crossing", report->options->may_cross);
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS; ++s) {
    cli_json_open(&json, scenario_keys[s], '[');
    for (int32_t units = first_units(s); units <= last_units(s); ++units) {
      write_row(&json, report, s, units);
    }
    cli_json_close(&json, ']');
  }
  cli_json_open(&json, "contributions", '{');
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS; ++s) {
    cli_json_open(&json, scenario_keys[s], '{');
    write_differences(&json, whole_scenario(report, s), s == BCP_RESCUE);
    cli_json_close(&json, '}');
  }
  cli_json_close(&json, '}');
  write_deaths(&json, report);
  cli_json_close(&json, '}');
  putchar('\n');
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

static void write_csv(const void * state, FILE * stream)
{
  const bcp_report_t * report = state;
  fputs("scenario,units,sample,player,steps,hero_steps,collisions,replans,first_move_ms\n", stream);
  for (bcp_scenario_t s = 0; s < BCP_SCENARIOS; ++s) {
    const bcp_range_t range = whole_scenario(report, s);
    for (int32_t i = 0; i < range.count * BCP_PLAYERS; ++i) {
      const bcp_sample_t * sample = &range.samples[i / BCP_PLAYERS];
      const int32_t p = i % BCP_PLAYERS;
      const bcp_result_t * result = &sample->results[p];
      fprintf(
        stream, "%s,%d,%d,%s,%d,", scenario_keys[s], sample->units, sample->number, player_defs[p].key, result->steps);
      if (s == BCP_RESCUE) {
        fprintf(stream, "%d", result->hero);
      }
      fprintf(stream, ",%d,%d,%.6f\n", result->collisions, result->replans, result->first_ms);
    }
  }
}

// ---- command --------------------------------------------------------------------------------------------------------

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
  {.name = "height",
   .kind = CLI_INTEGER,
   .offset = AT(height),
   .min = 1,
   .max = 10000,
   .value = "N",
   .help = "of a virtual cost in `bcp plain`, in hundredths of a move; the paper gives none (default: 100)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(seed),
   .min = 0,
   .max = INT32_MAX,
   .value = "N",
   .help = "for units, starts, the testbed and the planners (default: 1)"},
  {.name = "crossing",
   .kind = CLI_FLAG,
   .offset = AT(may_cross),
   .help = "diagonal moves may cross in the testbed: the paper does not count that as a collision"},
  {0},
};

static int measure(const bcp_options_t * options)
{
  bcp_report_t report = {
    .options = options,
    .sample_count = (int32_t)options->samples,
    .run_count = (int32_t)options->runs,
    .iterations_max = (int32_t)options->iterations,
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
  bcp_options_t options = {.samples = 10, .runs = 18, .iterations = 14, .height = 100, .seed = 1};
  const cli_group_t groups[] = {
    {"Bench", bench_options, .values = &options},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench bcp",
    .usage = "[--samples N] [--runs N] [--iterations N] [--height N] [--seed N] [--crossing] [--csv FILE] [--json]",
    .about =
      "The scenarios of \"Biased Cost Pathfinding\" (Geramifard, Chubak, Bulitko 2006): a hero of higher\n"
      "priority meets a block of 1 to 9 units that come towards it; two groups change places; and the hero\n"
      "flees from attackers, by number of iterations. All planners drive in one testbed, where a unit that\n"
      "collides stays and paths are planned again. `A*` is the paper's baseline, `bcp plain` its algorithm\n"
      "(plain=true) and `- biasing` the same without virtual costs; `bcp` is our planner, also without\n"
      "virtual costs, without waits, and with straight paths; hca, whca and lra stand beside them. What\n"
      "biasing and waits contribute is the difference, sample by sample. The paper's Table 1 (the delay of\n"
      "the first move) is printed beside ours.",
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
  .summary = "the scenarios of Biased Cost Pathfinding (2006): bcp, A*, hca, whca and lra",
  .run = run,
};
