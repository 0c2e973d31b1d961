// The two sides of `bench table`: the reservation table and a hash table of (x, y, t), each behind the same five calls.

#ifndef BENCH__BENCH_TABLE_SIDES_H_
#define BENCH__BENCH_TABLE_SIDES_H_

#include "bench/bench_table.h"
#include "bench/bench_table_hash.h"
#include "spacetime/reservations.h"

typedef struct cli_table_question_t {
  int32_t node;
  fw_cell_t cell;
  fw_tick_t tick;
} cli_table_question_t;

// Both included; -1 and -1 where somebody is there at the tick itself.
typedef struct cli_table_gap_t {
  fw_tick_t from;
  fw_tick_t to;
} cli_table_gap_t;

// What goes in, what is asked, and the two tables. Closures are in from the beginning, as robot `robot_count`.
typedef struct cli_table_contest_t {
  const fw_problem_t * problem;  // normalised
  const fw_bodies_t * bodies;
  const fw_moves_t * places;
  const fw_path_t * paths;  // by robot
  fw_tick_t end;            // the last tick that is reserved
  const cli_table_question_t * questions;
  int32_t question_count;
  fw_memory_t table_memory;
  fw_arena_t table_arena;
  fw_reservations_t table;
  cli_hash_t hash;
} cli_table_contest_t;

typedef struct cli_table_calls_t {
  bool (*begin)(cli_table_contest_t *);  // as without robots, and with fresh memory; false when there is none
  bool (*insert)(cli_table_contest_t *, int32_t robot);
  void (*remove)(cli_table_contest_t *, int32_t robot);
  void (*look_up)(const cli_table_contest_t *, int32_t * owners);  // all questions; -1 for nobody
  void (*find_gaps)(const cli_table_contest_t *, cli_table_gap_t * gaps);
} cli_table_calls_t;

extern const cli_table_calls_t cli_table_sides[CLI_TABLE_SIDE_COUNT];

// Gives back the memory of both.
void cli_table_contest_fini(cli_table_contest_t * contest);

#endif  // BENCH__BENCH_TABLE_SIDES_H_
