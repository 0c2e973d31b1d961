// `bench table`: the same paths into the reservation table and into a hash table, the same questions to both.
//
// A repeat fills each side from nothing, empties and fills it again in the memory that is there, asks all questions,
// and removes robot after robot in a random order. The side that begins changes with every repeat. Answers are kept and
// compared afterwards: with everything in, with half of the robots removed, and with all of them removed.

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "bench/bench_table_sides.h"
#include "cli/words.h"
#include "world/problem.h"

enum { ALL_IN, HALF_IN, NONE_IN, STAGE_COUNT };

typedef struct answers_t {
  int32_t * owners[STAGE_COUNT];
  cli_table_gap_t * gaps;
} answers_t;

typedef struct bench_t {
  const cli_table_request_t * request;
  cli_table_contest_t contest;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_problem_t problem;
  fw_bodies_t bodies;
  fw_moves_t places;
  int32_t * order;  // in which robots are removed
  answers_t answers[CLI_TABLE_SIDE_COUNT];
  double * times[CLI_TABLE_SIDE_COUNT][CLI_TABLE_WORK_COUNT];  // seconds, by repeat
} bench_t;

// ---- before ---------------------------------------------------------------------------------------------------------

// Half of the questions are about a place and tick of some robot's path, half about any place at any tick.
static void draw_questions(const bench_t * bench, cli_table_question_t * questions)
{
  fw_rng_t rng = fw__rng(bench->request->seed);
  const fw_moves_t * places = &bench->places;
  for (int32_t i = 0; i < bench->request->question_count; ++i) {
    const fw_tick_t tick = fw__rng_below(&rng, bench->contest.end + 1);
    const int32_t robot = fw__rng_below(&rng, bench->problem.robot_count);
    const int32_t any = fw__rng_below(&rng, places->node_count);
    const bool is_hit = fw__rng_below(&rng, 2) == 0;
    const int32_t node = is_hit ? places->node_of[fw_path_at(&bench->contest.paths[robot], tick)] : any;
    questions[i] = (cli_table_question_t){.node = node, .cell = places->cell_of[node], .tick = tick};
  }
  for (int32_t robot = 0; robot < bench->problem.robot_count; ++robot) {
    bench->order[robot] = robot;
  }
  fw__rng_shuffle(&rng, bench->order, bench->problem.robot_count);
}

static void make_room(bench_t * bench)
{
  const size_t count = (size_t)bench->request->question_count;
  for (int32_t side = 0; side < CLI_TABLE_SIDE_COUNT; ++side) {
    answers_t * answers = &bench->answers[side];
    for (int32_t stage = 0; stage < STAGE_COUNT; ++stage) {
      answers->owners[stage] = fw__arena_allocate_zeroed(&bench->arena, count, sizeof(*answers->owners[stage]));
    }
    answers->gaps = fw__arena_allocate_zeroed(&bench->arena, count, sizeof(*answers->gaps));
    for (int32_t work = 0; work < CLI_TABLE_WORK_COUNT; ++work) {
      bench->times[side][work] = fw__arena_allocate(&bench->arena, (size_t)bench->request->repeat, sizeof(double));
    }
  }
}

// False when there is no memory.
static bool prepare(bench_t * bench)
{
  const cli_table_request_t * request = bench->request;
  fw_arena_t * arena = &bench->arena;
  bench->problem = fw__problem_normalise(request->problem, arena);
  bench->order = fw__arena_allocate(arena, (size_t)request->problem->robot_count, sizeof(*bench->order));
  cli_table_question_t * questions = fw__arena_allocate(arena, (size_t)request->question_count, sizeof(*questions));
  make_room(bench);
  if (
    arena->has_failed || !fw__bodies_init(&bench->bodies, arena, &bench->problem) ||
    !fw__moves_init_cells(&bench->places, arena, &bench->problem)) {
    return false;
  }
  bench->contest = (cli_table_contest_t){
    .problem = &bench->problem,
    .bodies = &bench->bodies,
    .places = &bench->places,
    .paths = request->plan->paths,
    .end = request->plan->stats.makespan,
    .questions = questions,
    .question_count = request->question_count,
  };
  draw_questions(bench, questions);
  return true;
}

// ---- a repeat -------------------------------------------------------------------------------------------------------

static double seconds_since(int64_t begin_ns) { return (double)(fw_clock_now_ns() - begin_ns) / 1e9; }

static bool insert_all(cli_table_contest_t * contest, const cli_table_calls_t * side)
{
  bool is_whole = true;
  for (int32_t robot = 0; robot < contest->problem->robot_count && is_whole; ++robot) {
    is_whole = side->insert(contest, robot);
  }
  return is_whole;
}

static void remove_some(bench_t * bench, const cli_table_calls_t * side, int32_t first, int32_t last)
{
  for (int32_t i = first; i < last; ++i) {
    side->remove(&bench->contest, bench->order[i]);
  }
}

// False when there is no memory.
static bool run_side(bench_t * bench, cli_table_side_t which, double * times)
{
  const cli_table_calls_t * side = &cli_table_sides[which];
  const answers_t * answers = &bench->answers[which];
  cli_table_contest_t * contest = &bench->contest;
  const int32_t count = contest->problem->robot_count;
  int64_t begin_ns = fw_clock_now_ns();
  if (!side->begin(contest) || !insert_all(contest, side)) {
    return false;
  }
  times[CLI_TABLE_FILL] = seconds_since(begin_ns);
  remove_some(bench, side, 0, count);
  begin_ns = fw_clock_now_ns();
  if (!insert_all(contest, side)) {
    return false;
  }
  times[CLI_TABLE_INSERT] = seconds_since(begin_ns);
  begin_ns = fw_clock_now_ns();
  side->look_up(contest, answers->owners[ALL_IN]);
  times[CLI_TABLE_LOOK_UP] = seconds_since(begin_ns);
  begin_ns = fw_clock_now_ns();
  side->find_gaps(contest, answers->gaps);
  times[CLI_TABLE_GAP] = seconds_since(begin_ns);
  begin_ns = fw_clock_now_ns();
  remove_some(bench, side, 0, count / 2);
  times[CLI_TABLE_REMOVE] = seconds_since(begin_ns);
  side->look_up(contest, answers->owners[HALF_IN]);
  begin_ns = fw_clock_now_ns();
  remove_some(bench, side, count / 2, count);
  times[CLI_TABLE_REMOVE] += seconds_since(begin_ns);
  side->look_up(contest, answers->owners[NONE_IN]);
  return true;
}

// ---- the answers ----------------------------------------------------------------------------------------------------

static int compare_one(const bench_t * bench, int32_t index)
{
  static const char * const stages[STAGE_COUNT] = {"everything in", "half of the robots removed", "all robots removed"};
  const answers_t * rows = &bench->answers[CLI_TABLE_ROWS];
  const answers_t * hash = &bench->answers[CLI_TABLE_HASH];
  const cli_table_question_t asked = bench->contest.questions[index];
  const int32_t x = fw_grid_x(bench->problem.grid, asked.cell);
  const int32_t y = fw_grid_y(bench->problem.grid, asked.cell);
  for (int32_t stage = 0; stage < STAGE_COUNT; ++stage) {
    if (rows->owners[stage][index] != hash->owners[stage][index]) {
      return cli_say(
        CLI_FAILURE, "(%d,%d) at tick %d, %s: the table says robot %d, the hash says robot %d", x, y, asked.tick,
        stages[stage], rows->owners[stage][index], hash->owners[stage][index]);
    }
  }
  const cli_table_gap_t ours = rows->gaps[index];
  const cli_table_gap_t theirs = hash->gaps[index];
  if (ours.from != theirs.from || ours.to != theirs.to) {
    return cli_say(
      CLI_FAILURE, "(%d,%d) around tick %d: the table finds the gap %d to %d, the hash %d to %d", x, y, asked.tick,
      ours.from, ours.to, theirs.from, theirs.to);
  }
  // The plan itself is the third witness.
  const int32_t owner = rows->owners[ALL_IN][index];
  const bool is_robot = owner >= 0 && owner < bench->problem.robot_count;
  if (is_robot && fw_path_at(&bench->contest.paths[owner], asked.tick) != asked.cell) {
    return cli_say(
      CLI_FAILURE, "(%d,%d) at tick %d: both say robot %d, whose path is not there", x, y, asked.tick, owner);
  }
  return CLI_SOLVED;
}

static int compare(const bench_t * bench)
{
  int exit_code = CLI_SOLVED;
  for (int32_t i = 0; i < bench->request->question_count && exit_code == CLI_SOLVED; ++i) {
    exit_code = compare_one(bench, i);
  }
  return exit_code;
}

static int run_repeats(bench_t * bench)
{
  int exit_code = CLI_SOLVED;
  for (int32_t repeat = 0; repeat < bench->request->repeat && exit_code == CLI_SOLVED; ++repeat) {
    for (int32_t turn = 0; turn < CLI_TABLE_SIDE_COUNT; ++turn) {
      const cli_table_side_t side = (cli_table_side_t)((repeat + turn) % CLI_TABLE_SIDE_COUNT);
      double times[CLI_TABLE_WORK_COUNT];
      if (!run_side(bench, side, times)) {
        return cli_say(CLI_FAILURE, "out of memory");
      }
      for (int32_t work = 0; work < CLI_TABLE_WORK_COUNT; ++work) {
        bench->times[side][work][repeat] = fmax(times[work], 1e-9);  // a clock that stands still must not divide by 0
      }
    }
    exit_code = compare(bench);
  }
  return exit_code;
}

// ---- after ----------------------------------------------------------------------------------------------------------

static bool weigh(bench_t * bench, cli_table_case_t * result)
{
  cli_table_contest_t * contest = &bench->contest;
  for (int32_t side = 0; side < CLI_TABLE_SIDE_COUNT; ++side) {
    if (!cli_table_sides[side].begin(contest) || !insert_all(contest, &cli_table_sides[side])) {
      return false;
    }
  }
  for (int32_t node = 0; node < bench->places.node_count; ++node) {
    const fw_timeline_t * row = &contest->table.rows[node];
    for (int32_t i = 0; i < row->count; ++i) {
      result->stays += fw__reservations_is_robot(&contest->table, row->intervals[i].robot) ? 1 : 0;
    }
  }
  result->bytes[CLI_TABLE_ROWS] = contest->table_memory.used_bytes;
  result->bytes[CLI_TABLE_HASH] = cli_hash_bytes(&contest->hash);
  result->hash_load = (double)contest->hash.count / (double)cli_hash_capacity(&contest->hash);
  return true;
}

static void sum_up(bench_t * bench, cli_table_case_t * result)
{
  const cli_table_request_t * request = bench->request;
  result->robot_count = bench->problem.robot_count;
  result->place_count = bench->places.node_count;
  result->end = bench->contest.end;
  result->reservations = (int64_t)bench->problem.robot_count * (bench->contest.end + 1);
  result->question_count = request->question_count;
  for (int32_t i = 0; i < request->question_count; ++i) {
    result->hit_count += bench->answers[CLI_TABLE_ROWS].owners[ALL_IN][i] >= 0 ? 1 : 0;
  }
  for (int32_t side = 0; side < CLI_TABLE_SIDE_COUNT; ++side) {
    for (int32_t work = 0; work < CLI_TABLE_WORK_COUNT; ++work) {
      const bool is_question = work == CLI_TABLE_LOOK_UP || work == CLI_TABLE_GAP;
      const double amount = is_question ? (double)request->question_count : (double)result->reservations;
      result->per_second[side][work] = amount / cli_median(bench->times[side][work], request->repeat);
    }
  }
}

int cli_table_measure(const cli_table_request_t * request, cli_table_case_t * result)
{
  for (int32_t robot = 0; robot < request->problem->robot_count; ++robot) {
    if (
      request->problem->robots[robot].footprint_count > 1 || request->problem->robots[robot].ticks_per_move > 1 ||
      request->problem->robots[robot].turn_ticks > 0 || request->problem->robots[robot].sweeps_sides) {
      return cli_say(
        CLI_FAILURE, "bench table is for robots of one cell and one tick per move, robot %d is not", robot);
    }
  }
  bench_t bench = {.request = request};
  bench.memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&bench.arena, &bench.memory);
  int exit_code = prepare(&bench) ? run_repeats(&bench) : cli_say(CLI_FAILURE, "out of memory");
  if (exit_code == CLI_SOLVED) {
    sum_up(&bench, result);
    exit_code = weigh(&bench, result) ? CLI_SOLVED : cli_say(CLI_FAILURE, "out of memory");
  }
  cli_table_contest_fini(&bench.contest);
  fw__arena_fini(&bench.arena);
  return exit_code;
}
