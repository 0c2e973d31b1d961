// The reservation table and the hash table, doing the same.

#include "bench/bench_table_sides.h"

// ---- the reservation table ------------------------------------------------------------------------------------------

static void drop_table(cli_table_contest_t * contest)
{
  if (contest->table_arena.memory != NULL) {
    fw__arena_fini(&contest->table_arena);
  }
}

static bool begin_table(cli_table_contest_t * contest)
{
  drop_table(contest);
  contest->table_memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&contest->table_arena, &contest->table_memory);
  return fw__reservations_init(&contest->table, &contest->table_arena, contest->places, contest->bodies);
}

static bool insert_into_table(cli_table_contest_t * contest, int32_t robot)
{
  return fw__reservations_book(
    &contest->table, robot, (fw_booking_t){.path = contest->paths[robot], .until = contest->end});
}

static void remove_from_table(cli_table_contest_t * contest, int32_t robot)
{
  fw__reservations_remove(&contest->table, robot);
}

static void look_up_in_table(const cli_table_contest_t * contest, int32_t * owners)
{
  for (int32_t i = 0; i < contest->question_count; ++i) {
    owners[i] = fw__reservations_owner(&contest->table, contest->questions[i].node, contest->questions[i].tick);
  }
}

static void find_gaps_in_table(const cli_table_contest_t * contest, cli_table_gap_t * gaps)
{
  for (int32_t i = 0; i < contest->question_count; ++i) {
    const fw_tick_t tick = contest->questions[i].tick;
    const fw_timeline_t * row = &contest->table.rows[contest->questions[i].node];
    const int32_t at = fw__timeline_find(row, tick);
    const fw_tick_t to = fw__timeline_safe_to(row, at, 0);
    gaps[i] = to < tick ? (cli_table_gap_t){-1, -1}
                        : (cli_table_gap_t){fw__timeline_safe_from(row, at, 0), to < contest->end ? to : contest->end};
  }
}

// ---- the hash table -------------------------------------------------------------------------------------------------

static bool begin_hash(cli_table_contest_t * contest)
{
  cli_hash_fini(&contest->hash);
  bool is_whole = true;
  for (int32_t i = 0; i < contest->problem->closure_count; ++i) {
    const fw_closure_t * closure = &contest->problem->closures[i];
    for (fw_tick_t tick = closure->from; tick <= closure->to && tick <= contest->end; ++tick) {
      is_whole = is_whole && cli_hash_insert(&contest->hash, closure->cell, tick, contest->problem->robot_count);
    }
  }
  return is_whole;
}

static bool insert_into_hash(cli_table_contest_t * contest, int32_t robot)
{
  const fw_path_t * path = &contest->paths[robot];
  for (fw_tick_t tick = 0; tick <= contest->end; ++tick) {
    if (!cli_hash_insert(&contest->hash, fw_path_at(path, tick), tick, robot)) {
      return false;
    }
  }
  return true;
}

static void remove_from_hash(cli_table_contest_t * contest, int32_t robot)
{
  const fw_path_t * path = &contest->paths[robot];
  for (fw_tick_t tick = 0; tick <= contest->end; ++tick) {
    cli_hash_remove(&contest->hash, fw_path_at(path, tick), tick);
  }
}

static void look_up_in_hash(const cli_table_contest_t * contest, int32_t * owners)
{
  for (int32_t i = 0; i < contest->question_count; ++i) {
    owners[i] = cli_hash_owner(&contest->hash, contest->questions[i].cell, contest->questions[i].tick);
  }
}

// Tick by tick, both ways.
static void find_gaps_in_hash(const cli_table_contest_t * contest, cli_table_gap_t * gaps)
{
  for (int32_t i = 0; i < contest->question_count; ++i) {
    const cli_table_question_t asked = contest->questions[i];
    cli_table_gap_t gap = {-1, -1};
    if (cli_hash_owner(&contest->hash, asked.cell, asked.tick) < 0) {
      gap = (cli_table_gap_t){asked.tick, asked.tick};
      while (gap.from > 0 && cli_hash_owner(&contest->hash, asked.cell, gap.from - 1) < 0) {
        --gap.from;
      }
      while (gap.to < contest->end && cli_hash_owner(&contest->hash, asked.cell, gap.to + 1) < 0) {
        ++gap.to;
      }
    }
    gaps[i] = gap;
  }
}

const cli_table_calls_t cli_table_sides[CLI_TABLE_SIDE_COUNT] = {
  [CLI_TABLE_ROWS] = {begin_table, insert_into_table, remove_from_table, look_up_in_table, find_gaps_in_table},
  [CLI_TABLE_HASH] = {begin_hash, insert_into_hash, remove_from_hash, look_up_in_hash, find_gaps_in_hash},
};

void cli_table_contest_fini(cli_table_contest_t * contest)
{
  drop_table(contest);
  cli_hash_fini(&contest->hash);
}
