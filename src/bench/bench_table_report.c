// The figures of `bench table` in words and as JSON.

#include <inttypes.h>
#include <stdio.h>

#include "bench/bench_table.h"
#include "cli/json.h"
#include "cli/words.h"

// In the order of cli_table_work_t.
static const char * const work_words[CLI_TABLE_WORK_COUNT] = {
  "fill from nothing", "inserts", "look-ups", "gaps", "removals"};
static const char * const work_keys[CLI_TABLE_WORK_COUNT] = {
  "fills_per_second", "inserts_per_second", "look_ups_per_second", "gaps_per_second", "removals_per_second"};

static double ratio(const cli_table_case_t * result, cli_table_work_t work)
{
  return result->per_second[CLI_TABLE_ROWS][work] / result->per_second[CLI_TABLE_HASH][work];
}

static double bytes_per_reservation(const cli_table_case_t * result, cli_table_side_t side)
{
  return (double)result->bytes[side] / (double)result->reservations;
}

static double bytes_per_stay(const cli_table_case_t * result)
{
  return (double)result->bytes[CLI_TABLE_ROWS] / (double)result->stays;
}

static void print_case(const cli_table_case_t * result, int32_t repeat)
{
  char reservations[CLI_NUMBER_SIZE];
  char stays[CLI_NUMBER_SIZE];
  char questions[CLI_NUMBER_SIZE];
  printf(
    "# %s, %d robots by %s until tick %d: %s reservations (cells and ticks) in %s stays on %d places\n",
    result->map_name, result->robot_count, result->planner, result->end,
    cli_thousands(reservations, result->reservations), cli_thousands(stays, result->stays), result->place_count);
  printf(
    "# %s questions, %.0f %% of them hits, medians of %d; both gave the same answers; the hash is %.0f %% full\n",
    cli_thousands(questions, result->question_count), 100.0 * result->hit_count / result->question_count, repeat,
    100.0 * result->hash_load);
  printf("%-24s %12s %12s %14s\n", "million per second", "table", "hash", "table / hash");
  for (int32_t work = 0; work < CLI_TABLE_WORK_COUNT; ++work) {
    printf(
      "%-24s %12.1f %12.1f %14.2f\n", work_words[work], result->per_second[CLI_TABLE_ROWS][work] / 1e6,
      result->per_second[CLI_TABLE_HASH][work] / 1e6, ratio(result, (cli_table_work_t)work));
  }
  const double rows = bytes_per_reservation(result, CLI_TABLE_ROWS);
  const double hash = bytes_per_reservation(result, CLI_TABLE_HASH);
  printf("%-24s %12.1f %12.1f %14.2f\n", "bytes per reservation", rows, hash, rows / hash);
  printf("%-24s %12.1f %12s %14s\n", "bytes per stay", bytes_per_stay(result), "-", "-");
}

void cli_table_print_words(const cli_table_case_t * cases, int32_t case_count, int32_t repeat)
{
  cli_host_t host;
  cli_host_read(&host);
  cli_host_print(&host);
  for (int32_t i = 0; i < case_count; ++i) {
    print_case(&cases[i], repeat);
  }
}

static void write_side(cli_json_t * json, const cli_table_case_t * result, cli_table_side_t side)
{
  cli_json_open(json, side == CLI_TABLE_ROWS ? "table" : "hash", '{');
  for (int32_t work = 0; work < CLI_TABLE_WORK_COUNT; ++work) {
    cli_json_number(json, work_keys[work], result->per_second[side][work]);
  }
  cli_json_integer(json, "bytes", (int64_t)result->bytes[side]);
  cli_json_number(json, "bytes_per_reservation", bytes_per_reservation(result, side));
  if (side == CLI_TABLE_ROWS) {
    cli_json_number(json, "bytes_per_stay", bytes_per_stay(result));
  } else {
    cli_json_number(json, "load", result->hash_load);
  }
  cli_json_close(json, '}');
}

static void write_case(cli_json_t * json, const cli_table_case_t * result)
{
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "map", result->map_name);
  cli_json_text(json, "planner", result->planner);
  cli_json_integer(json, "robots", result->robot_count);
  cli_json_integer(json, "places", result->place_count);
  cli_json_integer(json, "last_tick", result->end);
  cli_json_integer(json, "reservations", result->reservations);
  cli_json_integer(json, "stays", result->stays);
  cli_json_integer(json, "questions", result->question_count);
  cli_json_integer(json, "hits", result->hit_count);
  write_side(json, result, CLI_TABLE_ROWS);
  write_side(json, result, CLI_TABLE_HASH);
  cli_json_open(json, "ratios", '{');  // above 1: the table does more per second
  for (int32_t work = 0; work < CLI_TABLE_WORK_COUNT; ++work) {
    cli_json_number(json, work_keys[work], ratio(result, (cli_table_work_t)work));
  }
  cli_json_close(json, '}');
  cli_json_close(json, '}');
}

void cli_table_print_json(const cli_table_case_t * cases, int32_t case_count, int32_t repeat)
{
  cli_host_t host;
  cli_host_read(&host);
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_host_write(&host, &json);
  cli_json_integer(&json, "repeat", repeat);
  cli_json_open(&json, "cases", '[');
  for (int32_t i = 0; i < case_count; ++i) {
    write_case(&json, &cases[i]);
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}
