// `fleetweave bench merge`: joins the files that shards of `bench standley` have written.

#include <string.h>

#include "cli/arguments.h"
#include "bench/bench_standley.h"
#include "cli/output.h"
#include "cli/words.h"

#define AT(member) offsetof(cli_standley_output_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t merge_options[] = {
  {.name = "svg", .kind = CLI_TEXT, .offset = AT(svg), .value = "FILE", .help = "the curves of figures 6 and 7"},
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "one JSON object on stdout, in place of the words"},
};
// clang-format on

// Of an instance that is in two files the first stands.
static void drop_doubles(cli_standley_rows_t * rows)
{
  cli_standley_sort(rows);
  int32_t kept = 0;
  for (int32_t i = 0; i < rows->count; ++i) {
    const cli_standley_row_t * row = &rows->rows[i];
    const cli_standley_row_t * last = kept > 0 ? &rows->rows[kept - 1] : NULL;
    if (
      last == NULL || last->instance != row->instance || last->is_group != row->is_group ||
      strcmp(last->algorithm, row->algorithm) != 0) {
      rows->rows[kept++] = *row;
    }
  }
  rows->count = kept;
}

// Operands come first and are any number, which the parser of the other commands does not have: they are cut off here.
static int run(int argument_count, char ** arguments)
{
  cli_standley_output_t output = {0};
  const cli_group_t groups[] = {
    {"Telling", merge_options, (int32_t)(sizeof(merge_options) / sizeof(merge_options[0])), &output},
  };
  const cli_manual_t manual = {
    .name = "bench merge",
    .usage = "OUT.csv IN.csv... [--svg FILE] [--json]",
    .about =
      "Joins files that parts of one `bench standley` have written (--shard I/N --csv FILE) into one, and tells\n"
      "the figures of the whole. The parts must have the same seed, instances, time limit and planners, and be\n"
      "all with --cut-corners or all without.",
    .groups = groups,
    .group_count = 1,
    .examples = "  fleetweave bench merge all.csv part1.csv part2.csv --svg curves.svg",
    .exit_codes = "0 joined, 2 wrong command line or files that do not belong together, 3 failure.",
  };
  int32_t files = 0;
  while (files + 1 < argument_count && arguments[files + 1][0] != '-') {
    ++files;
  }
  char ** options = arguments + files;
  char * first = options[0];
  options[0] = arguments[0];
  const int parsed = cli_parse(&manual, argument_count - files, options, NULL);
  options[0] = first;
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  if (files < 2) {
    return cli_say(CLI_USAGE, "bench merge wants OUT.csv and at least one IN.csv before its options");
  }
  cli_standley_rows_t rows = {0};
  int exit_code = cli_output_is_possible(arguments[1]) ? CLI_SOLVED : CLI_FAILURE;
  for (int32_t i = 2; i <= files && exit_code == CLI_SOLVED; ++i) {
    exit_code = cli_standley_read_file(&rows, arguments[i]);
  }
  drop_doubles(&rows);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_standley_write_file(&rows, arguments[1]) ? cli_standley_tell(&rows, &output) : CLI_FAILURE;
  }
  cli_standley_fini(&rows);
  return exit_code;
}

const cli_command_t cli_bench_merge = {
  .name = "merge",
  .summary = "join the files of parts of `bench standley`",
  .run = run,
};
