// `fleetweave bench rtaa`: the experiments of Erra and Caggianese 2011, "Real-time Adaptive GPU multi-agent path planning".

#include "bench/bench_rtaa.h"

#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/words.h"

typedef struct options_t {
  int64_t lookahead;
  int64_t moves;
  int64_t connectivity;
  int64_t obstacles;
  int64_t threads;
  int64_t stride;
  int64_t repeat;
  int64_t seed;
  int64_t seeds;
  const char * maps;
  const char * groups;
  const char * backend;
  const char * csv;
  const char * svg;
  bool is_staged;
  bool is_quick;
  bool is_json;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t world_options[] = {
  {.name = "maps",
   .kind = CLI_TEXT,
   .offset = AT(maps),
   .value = "A,B,...",
   .help = "of T0 (20x20) to T5 (1024x1024) (default: all)"},
  {.name = "groups",
   .kind = CLI_TEXT,
   .offset = AT(groups),
   .value = "A,B,...",
   .help = "of G0 (128 robots) to G5 (294912) (default: all)"},
  {.name = "obstacles",
   .kind = CLI_INTEGER,
   .offset = AT(obstacles),
   .min = 0,
   .max = 40,
   .value = "PERCENT",
   .help = "of cells that are blocked (default: 0, as the paper's lengths say)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(seed),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "of starts, goals and obstacles (default: 1)"},
  {.name = "seeds",
   .kind = CLI_INTEGER,
   .offset = AT(seeds),
   .min = 1,
   .max = 1000,
   .value = "N",
   .help = "from that one on, of which the means are told (default: 5; 2 if quick)"},
};
static const cli_option_t search_options[] = {
  {.name = "lookahead",
   .kind = CLI_INTEGER,
   .offset = AT(lookahead),
   .min = 1,
   .max = FW_LOOKAHEAD_MAX,
   .value = "L",
   .help = "states that an episode expands (default: 3)"},
  {.name = "moves",
   .kind = CLI_INTEGER,
   .offset = AT(moves),
   .min = 0,
   .max = FW_LOOKAHEAD_MAX,
   .value = "N",
   .help = "cells that a robot goes in an episode, at most (default: 0, as many as lookahead)"},
  {.name = "connectivity",
   .kind = CLI_INTEGER,
   .offset = AT(connectivity),
   .min = 4,
   .max = 8,
   .value = "4|8",
   .help = "neighbours of a cell (default: 8)"},
};
static const cli_option_t run_options[] = {
  {.name = "backend",
   .kind = CLI_TEXT,
   .offset = AT(backend),
   .value = "auto|cpu|cuda",
   .help = "where to compute (default: auto)"},
  {.name = "threads",
   .kind = CLI_INTEGER,
   .offset = AT(threads),
   .min = 0,
   .max = 64,
   .value = "N",
   .help = "of the CPU (default: 0, one per core)"},
  {.name = "staged",
   .kind = CLI_FLAG,
   .offset = AT(is_staged),
   .help = "the four stages one after the other, in place of fused"},
  {.name = "stride",
   .kind = CLI_INTEGER,
   .offset = AT(stride),
   .min = 1,
   .max = 100000,
   .value = "N",
   .help = "episodes per call; 1 is real time, where robots are told after each (default: 64)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = 100,
   .value = "N",
   .help = "runs of each, of which the fastest counts (default: 1)"},
  {.name = "quick", .kind = CLI_FLAG, .offset = AT(is_quick), .help = "groups G0 to G2, two seeds: less than a minute"},
  {.name = "csv", .kind = CLI_TEXT, .offset = AT(csv), .value = "FILE", .help = "a line per run"},
  {.name = "svg", .kind = CLI_TEXT, .offset = AT(svg), .value = "FILE", .help = "a picture of the times"},
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "one JSON object on stdout, in place of the words"},
};
// clang-format on

static const char * map_name(int32_t i) { return cli_rtaa_maps[i].name; }
static const char * group_name(int32_t i) { return cli_rtaa_groups[i].name; }

// Marks the names of a list; NULL marks all. An exit code after saying what is wrong.
static int choose(const char * option, const char * list, const char * (*name)(int32_t), bool * chosen, int32_t count)
{
  char text[128];
  const char * words[16];
  snprintf(text, sizeof(text), "%s", list != NULL ? list : "");
  const int32_t word_count = list != NULL ? cli_cut_list(text, words, 16) : 0;
  int32_t found = 0;
  for (int32_t i = 0; i < count; ++i) {
    chosen[i] = list == NULL;
    for (int32_t word = 0; word < word_count; ++word) {
      if (strcmp(words[word], name(i)) == 0) {
        chosen[i] = true;
        ++found;
      }
    }
  }
  if (list != NULL && (found == 0 || found != word_count)) {
    return cli_say(
      CLI_USAGE, "--%s wants names from %s to %s with commas between, not \"%s\"", option, name(0), name(count - 1),
      list);
  }
  return CLI_SOLVED;
}

static int read_backend(const char * text, fw_backend_t * backend)
{
  static const char * const names[] = {"auto", "cpu", "cuda"};
  for (int32_t i = 0; i < 3; ++i) {
    if (strcmp(text, names[i]) == 0) {
      *backend = (fw_backend_t)i;
      return CLI_SOLVED;
    }
  }
  return cli_say(CLI_USAGE, "--backend must be auto, cpu or cuda, not \"%s\"", text);
}

static int prepare(const options_t * options, cli_rtaa_report_t * report)
{
  const char * groups = options->groups == NULL && options->is_quick ? "G0,G1,G2" : options->groups;
  report->batch = fw_batch_options_default();
  report->batch.lookahead = (int32_t)options->lookahead;
  report->batch.moves = (int32_t)(options->moves == 0 ? options->lookahead : options->moves);
  report->batch.connectivity = (int32_t)options->connectivity;
  report->obstacles = (int32_t)options->obstacles;
  report->seed = options->seed;
  report->seeds = (int32_t)(options->seeds > 0 ? options->seeds : options->is_quick ? 2 : 5);
  report->repeat = (int32_t)options->repeat;
  const int64_t threads = options->threads > 0 ? options->threads : report->host.cores;
  report->way = (cli_rtaa_way_t){(int32_t)threads, !options->is_staged, (int32_t)options->stride};
  if (options->connectivity != 4 && options->connectivity != 8) {
    return cli_say(CLI_USAGE, "--connectivity must be 4 or 8");
  }
  if (options->moves > options->lookahead) {
    return cli_say(CLI_USAGE, "--moves must not be more than --lookahead");
  }
  int exit_code = choose("maps", options->maps, map_name, report->has_map, CLI_RTAA_MAPS);
  if (exit_code == CLI_SOLVED) {
    exit_code = choose("groups", groups, group_name, report->has_group, CLI_RTAA_GROUPS);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = read_backend(options->backend, &report->batch.backend);
  }
  const bool can_write = (options->csv == NULL || cli_output_is_possible(options->csv)) &&
                         (options->svg == NULL || cli_output_is_possible(options->svg));
  return exit_code == CLI_SOLVED && !can_write ? CLI_FAILURE : exit_code;
}

typedef void (*writer_t)(const cli_rtaa_report_t * report, FILE * stream);

static int write_file(const cli_rtaa_report_t * report, const char * path, writer_t write)
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
  static cli_rtaa_report_t report;  // large
  report = (cli_rtaa_report_t){0};
  cli_host_read(&report.host);
  int exit_code = prepare(options, &report);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_rtaa_run(&report);
  }
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  if (options->is_json) {
    cli_rtaa_print_json(&report);
  } else {
    cli_rtaa_print_words(&report);
  }
  exit_code = write_file(&report, options->csv, cli_rtaa_write_csv);
  return exit_code == CLI_SOLVED ? write_file(&report, options->svg, cli_rtaa_write_svg) : exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {.lookahead = 3, .connectivity = 8, .stride = 64, .repeat = 1, .seed = 1, .backend = "auto"};
  const cli_group_t groups[] = {
    {"Worlds", world_options, (int32_t)(sizeof(world_options) / sizeof(world_options[0])), &options},
    {"Search", search_options, (int32_t)(sizeof(search_options) / sizeof(search_options[0])), &options},
    {"Bench", run_options, (int32_t)(sizeof(run_options) / sizeof(run_options[0])), &options},
  };
  const cli_manual_t manual = {
    .name = "bench rtaa",
    .usage = "[--maps A,B,...] [--groups A,B,...] [--backend auto|cpu|cuda] [--threads N] [--quick] [--json]",
    .about =
      "Real-Time Adaptive A* for up to 294,912 robots at once, each for itself, on the maps and with the groups\n"
      "of Erra and Caggianese 2011: memory (Table 2), path lengths and episodes (Table 3), times (Figure 4), the\n"
      "largest of them with one and more threads, staged, fused and episode by episode (Figure 5), and five\n"
      "small tasks with A* beside (Table 4). All ways of running must give the same answer.",
    .groups = groups,
    .group_count = (int32_t)(sizeof(groups) / sizeof(groups[0])),
    .examples =
      "  fleetweave bench rtaa --quick\n"
      "  fleetweave bench rtaa --maps T5 --groups G5 --obstacles 10 --json\n"
      "  fleetweave bench rtaa --csv rtaa.csv --svg rtaa.svg",
    .exit_codes = "0 done, 1 interrupted, 2 wrong command line, 3 failure, or answers that differ.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t cli_bench_rtaa = {
  .name = "rtaa",
  .summary = "RTAA* for hundreds of thousands of robots, as in the paper",
  .run = run,
};
