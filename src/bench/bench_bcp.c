// `fleetweave bench bcp`: the scenarios of "Biased Cost Pathfinding" (Geramifard, Chubak, Bulitko 2006). docs/bcp.md has
// the paper's figures beside ours.

#include "bench/bench_bcp.h"

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/words.h"

typedef struct options_t {
  int64_t samples;
  int64_t runs;
  int64_t iterations;
  int64_t seed;
  const char * csv;
  const char * svg;
  bool is_json;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t bench_options[] = {
  {.name = "samples",
   .kind = CLI_INTEGER,
   .offset = AT(samples),
   .min = 1,
   .max = CLI_BCP_SAMPLES_MAX,
   .value = "N",
   .help = "random blocks of units for each number of units (default: 10, as in the paper)"},
  {.name = "runs",
   .kind = CLI_INTEGER,
   .offset = AT(runs),
   .min = 1,
   .max = CLI_BCP_SAMPLES_MAX,
   .value = "N",
   .help = "flights of the hero for each number of iterations (default: 18, as in the paper)"},
  {.name = "iterations",
   .kind = CLI_INTEGER,
   .offset = AT(iterations),
   .min = 0,
   .max = CLI_BCP_ITERATIONS_MAX,
   .value = "N",
   .help = "most iterations in those flights (default: 14)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(seed),
   .min = 0,
   .max = INT32_MAX,
   .value = "N",
   .help = "for blocks, starts, lots, and `lra` (default: 1)"},
  {.name = "csv",
   .kind = CLI_TEXT,
   .offset = AT(csv),
   .value = "FILE",
   .help = "a line per sample and player, with a header"},
  {.name = "svg",
   .kind = CLI_TEXT,
   .offset = AT(svg),
   .value = "FILE",
   .help = "plots after the paper's figures 6, 7, 9 and 11"},
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "one JSON object on stdout, in place of the words"},
};
// clang-format on

static int write_file(
  const cli_bcp_report_t * report, const char * path, void (*write)(const cli_bcp_report_t *, FILE *))
{
  cli_output_t output = {0};
  if (path == NULL) {
    return CLI_SOLVED;
  }
  if (!cli_output_open(&output, path)) {
    return CLI_FAILURE;
  }
  write(report, output.stream);
  return cli_output_commit(&output) ? CLI_SOLVED : CLI_FAILURE;
}

static int measure(const options_t * options)
{
  cli_bcp_report_t report = {
    .sample_count = (int32_t)options->samples,
    .run_count = (int32_t)options->runs,
    .iterations_max = (int32_t)options->iterations,
    .seed = options->seed,
  };
  const bool is_possible = (options->csv == NULL || cli_output_is_possible(options->csv)) &&
                           (options->svg == NULL || cli_output_is_possible(options->svg));
  int exit_code = is_possible ? cli_bcp_run(&report) : CLI_FAILURE;
  if (exit_code == CLI_SOLVED) {
    if (options->is_json) {
      cli_bcp_print_json(&report);
    } else {
      cli_bcp_print_words(&report);
    }
    const int csv = write_file(&report, options->csv, cli_bcp_write_csv);
    const int svg = write_file(&report, options->svg, cli_bcp_write_svg);
    exit_code = csv == CLI_SOLVED ? svg : csv;
  }
  cli_bcp_fini(&report);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {.samples = 10, .runs = 18, .iterations = 14, .seed = 1};
  const cli_group_t groups[] = {
    {"Bench", bench_options, (int32_t)(sizeof(bench_options) / sizeof(bench_options[0])), &options},
  };
  const cli_manual_t manual = {
    .name = "bench bcp",
    .usage = "[--samples N] [--runs N] [--iterations N] [--seed N] [--csv FILE] [--svg FILE] [--json]",
    .about =
      "The scenarios of \"Biased Cost Pathfinding\" (Geramifard, Chubak, Bulitko 2006): a hero of higher priority\n"
      "meets a block of 1 to 9 units that come towards it; two groups change places; and the hero flees from\n"
      "attackers, by number of iterations. `bcp` against `lra`, and against plain A* in a testbed where whoever\n"
      "is held up finds another way. Table 1 of the paper, the delay of the first move, stands beside ours.",
    .groups = groups,
    .group_count = 1,
    .examples =
      "  fleetweave bench bcp --svg bcp.svg\n"
      "  fleetweave bench bcp --samples 100 --runs 100 --json",
    .exit_codes = "0 done, 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t cli_bench_bcp = {
  .name = "bcp",
  .summary = "biased cost pathfinding in its paper's scenarios: rescue the hero",
  .run = run,
};
