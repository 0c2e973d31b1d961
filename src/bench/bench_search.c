// `fleetweave bench search`: all searches for one robot, side by side.

#include "bench/bench_search.h"

#include <stdlib.h>
#include <string.h>

#include "bench/bench_mapf.h"
#include "cli/output.h"
#include "cli/words.h"

enum { NAMES_MAX = 32 };

typedef struct options_t {
  cli_route_options_t route;
  const char * searches;
  int64_t repeat;
  const char * csv;
  const char * svg;
  bool is_json;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t bench_options[] = {
  {.name = "searches",
   .letter = 's',
   .kind = CLI_TEXT,
   .offset = AT(searches),
   .value = "A,B,...",
   .help = "names of `fleetweave route --list` (default: all)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = CLI_BENCH_REPEAT_MAX,
   .value = "N",
   .help = "times that each question is asked; the least time counts (default: 3)"},
  {.name = "csv",
   .kind = CLI_TEXT,
   .offset = AT(csv),
   .value = "FILE",
   .help = "a line per map and search, with a header"},
  {.name = "svg",
   .kind = CLI_TEXT,
   .offset = AT(svg),
   .value = "FILE",
   .help = "a picture: time, expansions, memory and length"},
  {.name = "json",
   .kind = CLI_FLAG,
   .offset = AT(is_json),
   .help = "one JSON object on stdout, in place of the tables"},
};
// clang-format on

// What is measured when no map is given: walls at random, rooms, wide corridors, shelves.
static const char * const standard_maps[] = {
  "random:256x256,obstacles=20,seed=1",
  "rooms:256x256,room=15,seed=1",
  "maze:255x255,corridor=7,seed=1",
  "warehouse:256x256,shelf=10,aisle=2,seed=1",
};
enum { STANDARD_COUNT = sizeof(standard_maps) / sizeof(standard_maps[0]), STANDARD_QUERIES = 100 };

static int read_searches(const options_t * options, char * text, const char ** names, cli_search_report_t * report)
{
  report->searches = names;
  if (options->searches == NULL) {
    while (report->search_count < fw_router_def_count() && report->search_count < NAMES_MAX) {
      names[report->search_count] = fw_router_def_at(report->search_count)->name;
      report->search_count++;
    }
  } else {
    snprintf(text, 512, "%s", options->searches);
    report->search_count = cli_cut_list(text, names, NAMES_MAX);
    if (report->search_count == 0) {
      return cli_say(
        CLI_USAGE, "--searches wants up to %d names with commas between, not \"%s\"", NAMES_MAX, options->searches);
    }
  }
  return cli_route_check_names(&options->route, names, report->search_count);
}

static int measure_all(cli_search_report_t * report)
{
  const cli_instance_options_t * given = &report->options.instance;
  const bool is_standard = given->map == NULL && given->make == NULL;
  if (is_standard && given->scen != NULL) {
    return cli_say(CLI_USAGE, "--scen needs the map that it belongs to: --map FILE");
  }
  const int32_t case_count = is_standard ? STANDARD_COUNT : 1;
  report->cases = calloc((size_t)case_count, sizeof(*report->cases));
  if (report->cases == NULL) {
    return cli_say(CLI_FAILURE, "out of memory");
  }
  int exit_code = CLI_SOLVED;
  for (int32_t i = 0; i < case_count && exit_code == CLI_SOLVED; i++) {
    cli_instance_options_t where = *given;
    if (is_standard) {
      where.make = standard_maps[i];
    }
    if (where.scen == NULL && where.robots < 0) {
      where.robots = STANDARD_QUERIES;
    }
    report->case_count = i + 1;
    exit_code = cli_search_measure(report, &where, &report->cases[i]);
  }
  return exit_code;
}

static int write_file(
  const cli_search_report_t * report, const char * path, void (*write)(const cli_search_report_t *, FILE *))
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

static int measure(const options_t * options, cli_search_report_t * report)
{
  char text[512];
  const char * names[NAMES_MAX];
  report->options = options->route;
  report->repeat = (int32_t)options->repeat;
  cli_host_read(&report->host);
  int exit_code = read_searches(options, text, names, report);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_route_read_options(&options->route, report->cells, &report->router);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = measure_all(report);
  }
  if (exit_code != CLI_SOLVED && exit_code != CLI_NOT_SOLVED) {
    return exit_code;
  }
  if (options->is_json) {
    cli_search_print_json(report);
  } else {
    cli_search_print_words(report);
  }
  if (
    write_file(report, options->csv, cli_search_write_csv) != CLI_SOLVED ||
    write_file(report, options->svg, cli_search_write_svg) != CLI_SOLVED) {
    return CLI_FAILURE;
  }
  return report->has_failed ? CLI_FAILURE : exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {.route = cli_route_options_default(), .repeat = 3};
  const cli_group_t groups[] = {
    {"Map (default: four of them, made for this)", cli_map_options, CLI_MAP_OPTION_COUNT, &options.route.instance},
    {"Questions", cli_question_options, CLI_QUESTION_OPTION_COUNT, &options.route},
    {"Rules of motion", cli_motion_options, CLI_MOTION_OPTION_COUNT, &options.route},
    {"Searches' limits and parameters", cli_search_options, CLI_SEARCH_OPTION_COUNT, &options.route},
    {"Bench", bench_options, (int32_t)(sizeof(bench_options) / sizeof(bench_options[0])), &options},
  };
  const cli_manual_t manual = {
    .name = "bench search",
    .usage = "[(--map FILE | --make LINE) [--scen FILE] [--queries N]] [--searches A,B,...] [--repeat N]",
    .about =
      "Asks every search for a way for one robot the same questions and prints a table: time to build what it\n"
      "prepares for a map, and its size; time, expansions and memory per question; length over the optimal.\n"
      "Every route is checked, optimal searches must agree, and lengths of a .scen file are compared.",
    .groups = groups,
    .group_count = (int32_t)(sizeof(groups) / sizeof(groups[0])),
    .examples =
      "  fleetweave bench search\n"
      "  fleetweave bench search --map den520d.map --scen den520d-random-1.scen --searches astar,jps,hpa\n"
      "  fleetweave bench search --make rooms:512x512,room=31 --connectivity 4 --csv rooms.csv --svg rooms.svg",
    .exit_codes = "0 done, 1 interrupted, 2 wrong command line, 3 failure, or an answer that is wrong.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  cli_search_report_t * report = calloc(1, sizeof(*report));
  if (report == NULL) {
    return cli_say(CLI_FAILURE, "out of memory");
  }
  const int exit_code = measure(&options, report);
  for (int32_t i = 0; i < report->case_count; i++) {
    free(report->cases[i].rows);
  }
  free(report->cases);
  free(report);
  return exit_code;
}

const cli_command_t cli_bench_search = {
  .name = "search",
  .summary = "one robot alone: all searches, time, expansions, memory and length",
  .run = run,
};
