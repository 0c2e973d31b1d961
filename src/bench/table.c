// `bench table`: the reservation table (intervals per cell) against a hash table of (x, y, t), on the paths of a plan.
//
// A repeat fills each table from empty, empties it and fills it again in the same memory, runs all queries, and removes
// the robots in a random order. The table that goes first changes with every repeat. Answers are kept and compared
// afterwards: with all robots inserted, with half of them removed, and with all of them removed.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/rng.h"
#include "bench/bench.h"
#include "bench/table_hash.h"
#include "cli/common/instance.h"
#include "cli/common/message.h"
#include "cli/common/progress.h"
#include "spacetime/reservations.h"
#include "world/problem.h"

// What both tables do. A reservation is one cell at one tick, for both.
typedef enum table_work_t {
  TABLE_FILL,     // reservations: from nothing, memory included
  TABLE_INSERT,   // reservations: into memory that is there
  TABLE_LOOK_UP,  // queries: which robot has this cell at this tick
  TABLE_GAP,      // queries: the free interval of this cell around this tick
  TABLE_REMOVE,   // reservations
  TABLE_WORK_COUNT,
} table_work_t;

typedef enum table_side_t { TABLE_ROWS, TABLE_HASH, TABLE_SIDE_COUNT } table_side_t;

// One map with the paths of one plan.
typedef struct table_case_t {
  const char * map_name;
  const char * planner;
  int32_t robot_count;
  int32_t cell_count;    // free cells
  fw_tick_t end;         // the plan's makespan: the last tick for both
  int64_t reservations;  // cells times ticks
  int64_t intervals;     // intervals in which the table stores them
  int32_t query_count;
  int32_t hit_count;                                      // queries of a cell that some robot has then
  double per_second[TABLE_SIDE_COUNT][TABLE_WORK_COUNT];  // medians
  size_t bytes[TABLE_SIDE_COUNT];                         // with all paths inserted
  double hash_load;                                       // share of the slots in use then
} table_case_t;

typedef struct table_request_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;  // solved
  int32_t query_count;
  int32_t repeat;
  uint64_t seed;
} table_request_t;

// The maps of a run without --map and --make: narrow and wide.
typedef struct table_default_t {
  const char * make;
  int32_t robots;
} table_default_t;
static const table_default_t default_cases[] = {{"warehouse:161x63,seed=1", 200}, {"open:256x256", 1000}};
enum { DEFAULT_CASE_COUNT = sizeof(default_cases) / sizeof(default_cases[0]) };

// ---- the two tables -------------------------------------------------------------------------------------------------

typedef struct table_query_t {
  int32_t node;
  fw_cell_t cell;
  fw_tick_t tick;
} table_query_t;

// First and last free tick; -1 and -1 where the cell is reserved at the tick itself.
typedef struct table_gap_t {
  fw_tick_t from;
  fw_tick_t to;
} table_gap_t;

// What goes in, what is query, and the two tables. Closures are in from the beginning, as robot `robot_count`.
typedef struct table_pair_t {
  const fw_problem_t * problem;  // normalised
  const fw_bodies_t * bodies;
  const fw_moves_t * places;
  const fw_path_t * paths;  // by robot
  fw_tick_t end;            // the last tick that is reserved
  const table_query_t * queries;
  int32_t query_count;
  fw_memory_t table_memory;
  fw_arena_t table_arena;
  fw_reservations_t table;
  bench_hash_t hash;
} table_pair_t;

typedef struct table_calls_t {
  bool (*begin)(table_pair_t *);  // an empty table with new memory; false when there is none
  bool (*insert)(table_pair_t *, int32_t robot);
  void (*remove)(table_pair_t *, int32_t robot);
  void (*look_up)(const table_pair_t *, int32_t * owners);  // all queries; -1 for no robot
  void (*find_gaps)(const table_pair_t *, table_gap_t * gaps);
} table_calls_t;

// ---- the reservation table ------------------------------------------------------------------------------------------

static void drop_table(table_pair_t * pair)
{
  if (pair->table_arena.memory != NULL) {
    fw__arena_fini(&pair->table_arena);
  }
}

static bool begin_table(table_pair_t * pair)
{
  drop_table(pair);
  pair->table_memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&pair->table_arena, &pair->table_memory);
  return fw__reservations_init(&pair->table, &pair->table_arena, pair->places, pair->bodies);
}

static bool insert_into_table(table_pair_t * pair, int32_t robot)
{
  return fw__reservations_book(&pair->table, robot, (fw_booking_t){.path = pair->paths[robot], .until = pair->end});
}

static void remove_from_table(table_pair_t * pair, int32_t robot) { fw__reservations_remove(&pair->table, robot); }

static void look_up_in_table(const table_pair_t * pair, int32_t * owners)
{
  for (int32_t i = 0; i < pair->query_count; ++i) {
    owners[i] = fw__reservations_owner(&pair->table, pair->queries[i].node, pair->queries[i].tick);
  }
}

static void find_gaps_in_table(const table_pair_t * pair, table_gap_t * gaps)
{
  for (int32_t i = 0; i < pair->query_count; ++i) {
    const fw_tick_t tick = pair->queries[i].tick;
    const fw_timeline_t * row = &pair->table.rows[pair->queries[i].node];
    const int32_t at = fw__timeline_find(row, tick);
    const fw_tick_t to = fw__timeline_safe_to(row, at, 0);
    gaps[i] = to < tick ? (table_gap_t){-1, -1}
                        : (table_gap_t){fw__timeline_safe_from(row, at, 0), to < pair->end ? to : pair->end};
  }
}

// ---- the hash table -------------------------------------------------------------------------------------------------

static bool begin_hash(table_pair_t * pair)
{
  bench_hash_fini(&pair->hash);
  bool is_whole = true;
  for (int32_t i = 0; i < pair->problem->closure_count; ++i) {
    const fw_closure_t * closure = &pair->problem->closures[i];
    for (fw_tick_t tick = closure->from; tick <= closure->to && tick <= pair->end; ++tick) {
      is_whole = is_whole && bench_hash_insert(&pair->hash, closure->cell, tick, pair->problem->robot_count);
    }
  }
  return is_whole;
}

static bool insert_into_hash(table_pair_t * pair, int32_t robot)
{
  const fw_path_t * path = &pair->paths[robot];
  for (fw_tick_t tick = 0; tick <= pair->end; ++tick) {
    if (!bench_hash_insert(&pair->hash, fw_path_at(path, tick), tick, robot)) {
      return false;
    }
  }
  return true;
}

static void remove_from_hash(table_pair_t * pair, int32_t robot)
{
  const fw_path_t * path = &pair->paths[robot];
  for (fw_tick_t tick = 0; tick <= pair->end; ++tick) {
    bench_hash_remove(&pair->hash, fw_path_at(path, tick), tick);
  }
}

static void look_up_in_hash(const table_pair_t * pair, int32_t * owners)
{
  for (int32_t i = 0; i < pair->query_count; ++i) {
    owners[i] = bench_hash_owner(&pair->hash, pair->queries[i].cell, pair->queries[i].tick);
  }
}

// Tick by tick, in both directions: a hash table knows no intervals.
static void find_gaps_in_hash(const table_pair_t * pair, table_gap_t * gaps)
{
  for (int32_t i = 0; i < pair->query_count; ++i) {
    const table_query_t query = pair->queries[i];
    table_gap_t gap = {-1, -1};
    if (bench_hash_owner(&pair->hash, query.cell, query.tick) < 0) {
      gap = (table_gap_t){query.tick, query.tick};
      while (gap.from > 0 && bench_hash_owner(&pair->hash, query.cell, gap.from - 1) < 0) {
        --gap.from;
      }
      while (gap.to < pair->end && bench_hash_owner(&pair->hash, query.cell, gap.to + 1) < 0) {
        ++gap.to;
      }
    }
    gaps[i] = gap;
  }
}

// Each table behind the same five calls.
static const table_calls_t sides[TABLE_SIDE_COUNT] = {
  [TABLE_ROWS] = {begin_table, insert_into_table, remove_from_table, look_up_in_table, find_gaps_in_table},
  [TABLE_HASH] = {begin_hash, insert_into_hash, remove_from_hash, look_up_in_hash, find_gaps_in_hash},
};

static void fini_pair(table_pair_t * pair)
{
  drop_table(pair);
  bench_hash_fini(&pair->hash);
}

enum { ALL_IN, HALF_IN, NONE_IN, STAGE_COUNT };

typedef struct table_answers_t {
  int32_t * owners[STAGE_COUNT];
  table_gap_t * gaps;
} table_answers_t;

typedef struct table_bench_t {
  const table_request_t * request;
  table_pair_t pair;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_problem_t problem;
  fw_bodies_t bodies;
  fw_moves_t places;
  int32_t * order;  // of removal
  table_answers_t answers[TABLE_SIDE_COUNT];
  double * times[TABLE_SIDE_COUNT][TABLE_WORK_COUNT];  // seconds, by repeat
} table_bench_t;

// ---- setup ----------------------------------------------------------------------------------------------------------

// Half of the queries are for a cell and tick of some robot's path, half for any cell at any tick.
static void draw_queries(const table_bench_t * bench, table_query_t * queries)
{
  fw_rng_t rng = fw__rng(bench->request->seed);
  const fw_moves_t * places = &bench->places;
  for (int32_t i = 0; i < bench->request->query_count; ++i) {
    const fw_tick_t tick = fw__rng_below(&rng, bench->pair.end + 1);
    const int32_t robot = fw__rng_below(&rng, bench->problem.robot_count);
    const int32_t any = fw__rng_below(&rng, places->node_count);
    const bool is_hit = fw__rng_below(&rng, 2) == 0;
    const int32_t node = is_hit ? places->node_of[fw_path_at(&bench->pair.paths[robot], tick)] : any;
    queries[i] = (table_query_t){.node = node, .cell = places->cell_of[node], .tick = tick};
  }
  for (int32_t robot = 0; robot < bench->problem.robot_count; ++robot) {
    bench->order[robot] = robot;
  }
  fw__rng_shuffle(&rng, bench->order, bench->problem.robot_count);
}

// Room for the answers of both tables; failures stay in the arena.
static void allocate_answers(table_bench_t * bench)
{
  const size_t count = (size_t)bench->request->query_count;
  for (int32_t side = 0; side < TABLE_SIDE_COUNT; ++side) {
    table_answers_t * answers = &bench->answers[side];
    for (int32_t stage = 0; stage < STAGE_COUNT; ++stage) {
      answers->owners[stage] = fw__arena_allocate_zeroed(&bench->arena, count, sizeof(*answers->owners[stage]));
    }
    answers->gaps = fw__arena_allocate_zeroed(&bench->arena, count, sizeof(*answers->gaps));
    for (int32_t work = 0; work < TABLE_WORK_COUNT; ++work) {
      bench->times[side][work] = fw__arena_allocate(&bench->arena, (size_t)bench->request->repeat, sizeof(double));
    }
  }
}

// False when there is no memory.
static bool init_bench(table_bench_t * bench)
{
  const table_request_t * request = bench->request;
  fw_arena_t * arena = &bench->arena;
  bench->problem = fw__problem_normalise(request->problem, arena);
  bench->order = fw__arena_allocate(arena, (size_t)request->problem->robot_count, sizeof(*bench->order));
  table_query_t * queries = fw__arena_allocate(arena, (size_t)request->query_count, sizeof(*queries));
  allocate_answers(bench);
  if (
    arena->has_failed || !fw__bodies_init(&bench->bodies, arena, &bench->problem) ||
    !fw__moves_init_cells(&bench->places, arena, &bench->problem)) {
    return false;
  }
  bench->pair = (table_pair_t){
    .problem = &bench->problem,
    .bodies = &bench->bodies,
    .places = &bench->places,
    .paths = request->plan->paths,
    .end = request->plan->stats.makespan,
    .queries = queries,
    .query_count = request->query_count,
  };
  draw_queries(bench, queries);
  return true;
}

// ---- one repeat -----------------------------------------------------------------------------------------------------

static double seconds_since(int64_t begin_ns) { return (double)(fw_clock_now_ns() - begin_ns) / 1e9; }

// Inserts all paths. False when there is no memory.
static bool insert_all(table_pair_t * pair, const table_calls_t * side)
{
  bool is_whole = true;
  for (int32_t robot = 0; robot < pair->problem->robot_count && is_whole; ++robot) {
    is_whole = side->insert(pair, robot);
  }
  return is_whole;
}

// Removes the robots from `first` to before `last` in the order of removal.
static void remove_some(table_bench_t * bench, const table_calls_t * side, int32_t first, int32_t last)
{
  for (int32_t i = first; i < last; ++i) {
    side->remove(&bench->pair, bench->order[i]);
  }
}

// All work of one repeat with one table; `times` are seconds by work. False when there is no memory.
static bool run_side(table_bench_t * bench, table_side_t which, double * times)
{
  const table_calls_t * side = &sides[which];
  const table_answers_t * answers = &bench->answers[which];
  table_pair_t * pair = &bench->pair;
  const int32_t count = pair->problem->robot_count;
  FW_ASSERT(which < TABLE_SIDE_COUNT && pair->query_count > 0);
  int64_t begin_ns = fw_clock_now_ns();
  if (!side->begin(pair) || !insert_all(pair, side)) {
    return false;
  }
  times[TABLE_FILL] = seconds_since(begin_ns);
  remove_some(bench, side, 0, count);
  begin_ns = fw_clock_now_ns();
  if (!insert_all(pair, side)) {
    return false;
  }
  times[TABLE_INSERT] = seconds_since(begin_ns);
  begin_ns = fw_clock_now_ns();
  side->look_up(pair, answers->owners[ALL_IN]);
  times[TABLE_LOOK_UP] = seconds_since(begin_ns);
  begin_ns = fw_clock_now_ns();
  side->find_gaps(pair, answers->gaps);
  times[TABLE_GAP] = seconds_since(begin_ns);
  begin_ns = fw_clock_now_ns();
  remove_some(bench, side, 0, count / 2);
  times[TABLE_REMOVE] = seconds_since(begin_ns);
  side->look_up(pair, answers->owners[HALF_IN]);
  begin_ns = fw_clock_now_ns();
  remove_some(bench, side, count / 2, count);
  times[TABLE_REMOVE] += seconds_since(begin_ns);
  side->look_up(pair, answers->owners[NONE_IN]);
  return true;
}

// ---- comparing the answers ------------------------------------------------------------------------------------------

// One query: both tables must agree at every stage, and with the plan.
static int compare_one(const table_bench_t * bench, int32_t index)
{
  static const char * const stages[STAGE_COUNT] = {
    "all robots inserted", "half of the robots removed", "all robots removed"};
  const table_answers_t * rows = &bench->answers[TABLE_ROWS];
  const table_answers_t * hash = &bench->answers[TABLE_HASH];
  const table_query_t query = bench->pair.queries[index];
  const int32_t x = fw_grid_x(bench->problem.grid, query.cell);
  const int32_t y = fw_grid_y(bench->problem.grid, query.cell);
  for (int32_t stage = 0; stage < STAGE_COUNT; ++stage) {
    if (rows->owners[stage][index] != hash->owners[stage][index]) {
      return cli_error(
        CLI_FAILURE, "(%d,%d) at tick %d, %s: the table says robot %d, the hash says robot %d", x, y, query.tick,
        stages[stage], rows->owners[stage][index], hash->owners[stage][index]);
    }
  }
  const table_gap_t ours = rows->gaps[index];
  const table_gap_t theirs = hash->gaps[index];
  if (ours.from != theirs.from || ours.to != theirs.to) {
    return cli_error(
      CLI_FAILURE, "(%d,%d) around tick %d: the table finds the gap %d to %d, the hash %d to %d", x, y, query.tick,
      ours.from, ours.to, theirs.from, theirs.to);
  }
  // Both must also agree with the plan.
  const int32_t owner = rows->owners[ALL_IN][index];
  const bool is_robot = owner >= 0 && owner < bench->problem.robot_count;
  if (is_robot && fw_path_at(&bench->pair.paths[owner], query.tick) != query.cell) {
    return cli_error(
      CLI_FAILURE, "(%d,%d) at tick %d: both tables say robot %d, whose path is elsewhere", x, y, query.tick, owner);
  }
  return CLI_SUCCESS;
}

static int compare(const table_bench_t * bench)
{
  int exit_code = CLI_SUCCESS;
  for (int32_t i = 0; i < bench->request->query_count && exit_code == CLI_SUCCESS; ++i) {
    exit_code = compare_one(bench, i);
  }
  return exit_code;
}

// The table that goes first changes with every repeat, so that caches favour neither.
static int run_repeats(table_bench_t * bench)
{
  int exit_code = CLI_SUCCESS;
  for (int32_t repeat = 0; repeat < bench->request->repeat && exit_code == CLI_SUCCESS; ++repeat) {
    for (int32_t turn = 0; turn < TABLE_SIDE_COUNT; ++turn) {
      const table_side_t side = (table_side_t)((repeat + turn) % TABLE_SIDE_COUNT);
      double times[TABLE_WORK_COUNT];
      if (!run_side(bench, side, times)) {
        return cli_error(CLI_FAILURE, "out of memory");
      }
      for (int32_t work = 0; work < TABLE_WORK_COUNT; ++work) {
        bench->times[side][work][repeat] = fmax(times[work], 1e-9);  // a coarse clock must not make us divide by 0
      }
    }
    exit_code = compare(bench);
  }
  return exit_code;
}

// ---- summary --------------------------------------------------------------------------------------------------------

// Fills both tables once more and takes their sizes. False when there is no memory.
static bool measure_memory(table_bench_t * bench, table_case_t * result)
{
  table_pair_t * pair = &bench->pair;
  for (int32_t side = 0; side < TABLE_SIDE_COUNT; ++side) {
    if (!sides[side].begin(pair) || !insert_all(pair, &sides[side])) {
      return false;
    }
  }
  for (int32_t node = 0; node < bench->places.node_count; ++node) {
    const fw_timeline_t * row = &pair->table.rows[node];
    for (int32_t i = 0; i < row->count; ++i) {
      result->intervals += fw__reservations_is_robot(&pair->table, row->intervals[i].robot) ? 1 : 0;
    }
  }
  result->bytes[TABLE_ROWS] = pair->table_memory.used_bytes;
  result->bytes[TABLE_HASH] = bench_hash_bytes(&pair->hash);
  result->hash_load = (double)pair->hash.count / (double)bench_hash_capacity(&pair->hash);
  return true;
}

static void summarise(table_bench_t * bench, table_case_t * result)
{
  const table_request_t * request = bench->request;
  result->robot_count = bench->problem.robot_count;
  result->cell_count = bench->places.node_count;
  result->end = bench->pair.end;
  result->reservations = (int64_t)bench->problem.robot_count * (bench->pair.end + 1);
  result->query_count = request->query_count;
  for (int32_t i = 0; i < request->query_count; ++i) {
    result->hit_count += bench->answers[TABLE_ROWS].owners[ALL_IN][i] >= 0 ? 1 : 0;
  }
  for (int32_t side = 0; side < TABLE_SIDE_COUNT; ++side) {
    for (int32_t work = 0; work < TABLE_WORK_COUNT; ++work) {
      const bool is_query = work == TABLE_LOOK_UP || work == TABLE_GAP;
      const double amount = is_query ? (double)request->query_count : (double)result->reservations;
      result->per_second[side][work] = amount / bench_median(bench->times[side][work], request->repeat);
    }
  }
}

// Measures both tables on the same paths and compares every answer. Returns an exit code after an error message:
// CLI_FAILURE if an answer differs.
static int measure_tables(const table_request_t * request, table_case_t * result)
{
  for (int32_t robot = 0; robot < request->problem->robot_count; ++robot) {
    if (
      request->problem->robots[robot].footprint_count > 1 || request->problem->robots[robot].ticks_per_move > 1 ||
      request->problem->robots[robot].turn_ticks > 0 || request->problem->robots[robot].sweeps_sides) {
      return cli_error(
        CLI_FAILURE, "bench table supports robots of one cell and one tick per move only; robot %d is different",
        robot);
    }
  }
  table_bench_t bench = {.request = request};
  bench.memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&bench.arena, &bench.memory);
  int exit_code = init_bench(&bench) ? run_repeats(&bench) : cli_error(CLI_FAILURE, "out of memory");
  if (exit_code == CLI_SUCCESS) {
    summarise(&bench, result);
    exit_code = measure_memory(&bench, result) ? CLI_SUCCESS : cli_error(CLI_FAILURE, "out of memory");
  }
  fini_pair(&bench.pair);
  fw__arena_fini(&bench.arena);
  return exit_code;
}

// ---- report ---------------------------------------------------------------------------------------------------------

static const char * const work_words[TABLE_WORK_COUNT] = {
  "fill from empty", "inserts", "look-ups", "free intervals", "removals"};
static const char * const work_keys[TABLE_WORK_COUNT] = {
  "fills_per_second", "inserts_per_second", "look_ups_per_second", "gaps_per_second", "removals_per_second"};

static double ratio(const table_case_t * result, table_work_t work)
{
  return result->per_second[TABLE_ROWS][work] / result->per_second[TABLE_HASH][work];
}

static double bytes_per_reservation(const table_case_t * result, table_side_t side)
{
  return (double)result->bytes[side] / (double)result->reservations;
}

static double bytes_per_interval(const table_case_t * result)
{
  return (double)result->bytes[TABLE_ROWS] / (double)result->intervals;
}

static void print_case(const table_case_t * result, int32_t repeat)
{
  char reservations[CLI_NUMBER_SIZE];
  char intervals[CLI_NUMBER_SIZE];
  char queries[CLI_NUMBER_SIZE];
  printf(
    "# %s, %d robots by %s until tick %d: %s reservations (cells times ticks) in %s intervals on %d cells\n",
    result->map_name, result->robot_count, result->planner, result->end,
    cli_format_thousands(reservations, result->reservations), cli_format_thousands(intervals, result->intervals),
    result->cell_count);
  printf(
    "# %s queries, %.0f %% of them hits, medians of %d; both gave the same answers; the hash is %.0f %% full\n",
    cli_format_thousands(queries, result->query_count), 100.0 * result->hit_count / result->query_count, repeat,
    100.0 * result->hash_load);
  printf("%-24s %12s %12s %14s\n", "million per second", "table", "hash", "table / hash");
  for (int32_t work = 0; work < TABLE_WORK_COUNT; ++work) {
    printf(
      "%-24s %12.1f %12.1f %14.2f\n", work_words[work], result->per_second[TABLE_ROWS][work] / 1e6,
      result->per_second[TABLE_HASH][work] / 1e6, ratio(result, (table_work_t)work));
  }
  const double rows = bytes_per_reservation(result, TABLE_ROWS);
  const double hash = bytes_per_reservation(result, TABLE_HASH);
  printf("%-24s %12.1f %12.1f %14.2f\n", "bytes per reservation", rows, hash, rows / hash);
  printf("%-24s %12.1f %12s %14s\n", "bytes per interval", bytes_per_interval(result), "-", "-");
}

// What the three forms of the report have at hand.
typedef struct table_report_t {
  table_case_t cases[DEFAULT_CASE_COUNT];
  int32_t case_count;
  int32_t repeat;
} table_report_t;

static void print_text(const void * state)
{
  const table_report_t * report = state;
  bench_host_t host;
  bench_host_read(&host);
  bench_host_print(&host);
  for (int32_t i = 0; i < report->case_count; ++i) {
    print_case(&report->cases[i], report->repeat);
  }
}

static void write_side(cli_json_t * json, const table_case_t * result, table_side_t side)
{
  cli_json_open(json, side == TABLE_ROWS ? "table" : "hash", '{');
  for (int32_t work = 0; work < TABLE_WORK_COUNT; ++work) {
    cli_json_number(json, work_keys[work], result->per_second[side][work]);
  }
  cli_json_integer(json, "bytes", (int64_t)result->bytes[side]);
  cli_json_number(json, "bytes_per_reservation", bytes_per_reservation(result, side));
  if (side == TABLE_ROWS) {
    cli_json_number(json, "bytes_per_stay", bytes_per_interval(result));
  } else {
    cli_json_number(json, "load", result->hash_load);
  }
  cli_json_close(json, '}');
}

static void write_case(cli_json_t * json, const table_case_t * result)
{
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "map", result->map_name);
  cli_json_text(json, "planner", result->planner);
  cli_json_integer(json, "robots", result->robot_count);
  cli_json_integer(json, "places", result->cell_count);
  cli_json_integer(json, "last_tick", result->end);
  cli_json_integer(json, "reservations", result->reservations);
  cli_json_integer(json, "stays", result->intervals);
  cli_json_integer(json, "questions", result->query_count);
  cli_json_integer(json, "hits", result->hit_count);
  write_side(json, result, TABLE_ROWS);
  write_side(json, result, TABLE_HASH);
  cli_json_open(json, "ratios", '{');  // above 1: the table does more per second
  for (int32_t work = 0; work < TABLE_WORK_COUNT; ++work) {
    cli_json_number(json, work_keys[work], ratio(result, (table_work_t)work));
  }
  cli_json_close(json, '}');
  cli_json_close(json, '}');
}

static void print_json(const void * state)
{
  const table_report_t * report = state;
  bench_host_t host;
  bench_host_read(&host);
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  bench_host_write(&host, &json);
  cli_json_integer(&json, "repeat", report->repeat);
  cli_json_open(&json, "cases", '[');
  for (int32_t i = 0; i < report->case_count; ++i) {
    write_case(&json, &report->cases[i]);
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

// A line per map and table.
static void write_csv(const void * state, FILE * stream)
{
  const table_report_t * report = state;
  fputs("map,planner,robots,side,reservations,queries", stream);
  for (int32_t work = 0; work < TABLE_WORK_COUNT; ++work) {
    fprintf(stream, ",%s", work_keys[work]);
  }
  fputs(",bytes,bytes_per_reservation\n", stream);
  for (int32_t i = 0; i < report->case_count * TABLE_SIDE_COUNT; ++i) {
    const table_case_t * result = &report->cases[i / TABLE_SIDE_COUNT];
    const table_side_t side = (table_side_t)(i % TABLE_SIDE_COUNT);
    bench_write_quoted(stream, result->map_name);
    fprintf(
      stream, ",%s,%d,%s,%" PRId64 ",%d", result->planner, result->robot_count, side == TABLE_ROWS ? "table" : "hash",
      result->reservations, result->query_count);
    for (int32_t work = 0; work < TABLE_WORK_COUNT; ++work) {
      fprintf(stream, ",%.1f", result->per_second[side][work]);
    }
    fprintf(stream, ",%zu,%.6f\n", result->bytes[side], bytes_per_reservation(result, side));
  }
}

// ---- command --------------------------------------------------------------------------------------------------------

typedef struct table_options_t {
  cli_instance_options_t instance;
  cli_solve_options_t solve;
  const char * planner;
  int64_t queries;
  int64_t repeat;
  bench_output_t output;
} table_options_t;

#define AT(member) offsetof(table_options_t, member)

static const cli_option_t bench_options[] = {
  {.name = "planner",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(planner),
   .value = "NAME",
   .help = "planner whose paths are reserved (default: hca)"},
  {.name = "questions",
   .kind = CLI_INTEGER,
   .offset = AT(queries),
   .min = 1,
   .max = 100000000,
   .value = "N",
   .help = "look-ups and free-interval queries per repeat, drawn from --seed (default: 200000)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = BENCH_REPEAT_MAX,
   .value = "N",
   .help = "repeats of everything (default: 5)"},
  {0},
};

static int measure_plan(
  const table_options_t * options, const cli_instance_t * instance, const fw_plan_t * plan, table_case_t * result)
{
  if (plan->outcome != FW_OUTCOME_SOLVED) {
    return cli_error(
      CLI_NOT_SOLVED, "%s does not solve %s (%s, %s), so there are no paths to reserve", options->planner,
      instance->map_name, fw_outcome_name(plan->outcome), fw_stop_name(plan->stop));
  }
  result->map_name = instance->map_name;
  result->planner = options->planner;
  const table_request_t request = {
    .problem = &instance->problem,
    .plan = plan,
    .query_count = (int32_t)options->queries,
    .repeat = (int32_t)options->repeat,
    .seed = (uint64_t)options->instance.seed,
  };
  return measure_tables(&request, result);
}

static int measure_case(const table_options_t * options, cli_instance_options_t instance_options, table_case_t * result)
{
  cli_instance_t instance = {0};
  cli_solve_t solve = {0};
  cli_progress_t progress = {0};
  snprintf(progress.label, sizeof(progress.label), "%s", options->planner);
  int exit_code = cli_instance_load_grid(&instance, &instance_options);
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load_robots(&instance, &instance_options);
  }
  if (exit_code == CLI_SUCCESS) {
    const cli_solve_request_t request = {
      .planner = options->planner,
      .problem = &instance.problem,
      .seed = (uint64_t)instance_options.seed,
      .options = &options->solve,
      .progress = &progress,
    };
    exit_code = cli_solve_run(&solve, &request);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = measure_plan(options, &instance, &solve.plan, result);
  }
  cli_solve_fini(&solve);
  cli_instance_fini(&instance);
  return exit_code;
}

static int measure(const table_options_t * options)
{
  const cli_instance_options_t * given = &options->instance;
  const bool is_default = given->map == NULL && given->make == NULL && given->scen == NULL && given->robots < 0;
  table_report_t report = {.case_count = is_default ? DEFAULT_CASE_COUNT : 1, .repeat = (int32_t)options->repeat};
  int exit_code = cli_solve_check_options(&options->solve, &options->planner, 1);
  if (exit_code == CLI_SUCCESS && !bench_output_is_possible(&options->output)) {
    exit_code = CLI_FAILURE;
  }
  for (int32_t i = 0; i < report.case_count && exit_code == CLI_SUCCESS; i++) {
    cli_instance_options_t instance_options = *given;
    if (is_default) {
      instance_options.make = default_cases[i].make;
      instance_options.robots = default_cases[i].robots;
    }
    exit_code = measure_case(options, instance_options, &report.cases[i]);
  }
  return exit_code == CLI_SUCCESS
           ? bench_output_write(&options->output, &(bench_report_t){&report, print_text, print_json, write_csv})
           : exit_code;
}

static int run(int argument_count, char ** arguments)
{
  table_options_t options = {
    .instance = cli_instance_options_default(),
    .solve = cli_solve_options_default(),
    .planner = "hca",
    .queries = 200000,
    .repeat = 5,
  };
  const cli_group_t groups[] = {
    {"Map", cli_map_options, .values = &options.instance},
    {"Robots", cli_robot_options, .values = &options.instance},
    {"Rules of motion", cli_rule_options, .values = &options.instance},
    {"Bench", bench_options, .values = &options},
    {"Planner's limits and parameters", cli_solve_options, .values = &options.solve},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench table",
    .usage = "[(--map FILE | --make SPEC) [--scen FILE] [--robots N]] [--planner NAME] [--questions N] [--repeat N]",
    .about =
      "Inserts the paths of a plan into the reservation table (free and reserved intervals per cell) and\n"
      "into a hash table of (x, y, t) as in Silver's paper, and measures both in the same run: inserts and\n"
      "removals in reservations (cells times ticks) per second, look-ups (which robot has this cell at this\n"
      "tick) and free intervals (from when to when is this cell free, which a hash answers tick by tick)\n"
      "per second, and bytes. The plan's makespan is the last tick for both. Every answer of one is\n"
      "compared with the other's. Without a map: a warehouse and an open floor.",
    .groups = groups,
    .examples =
      "  fleetweave bench table\n"
      "  fleetweave bench table --make warehouse:161x63,seed=1 --robots 400 --planner whca --json",
    .exit_codes = "0 done, 1 the planner has no plan, 2 wrong command line, 3 failure, or answers that differ.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t bench_table = {
  .name = "table",
  .summary = "the reservation table against a hash table of (x, y, t)",
  .run = run,
};
