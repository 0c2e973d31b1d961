// `fleetweave bench standley`: the experiments of Standley's paper, with whatever planners are asked for.

#include "bench/bench_standley.h"

#include <string.h>
#include <unistd.h>

#include "base/parallel.h"
#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/words.h"

#define DEFAULT_ALGORITHMS "standard,od,sid,od_id,lazy_sat,hca:order=index:orders=1:overrides=0"

typedef struct options_t {
  int64_t instances;
  int64_t seed;
  double time_limit;
  const char * algorithms;
  bool cuts_corners;
  const char * shard;
  int64_t threads;
  int64_t memory_mb;
  bool is_processor_time;
  const char * csv;
  cli_standley_output_t output;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t bench_options[] = {
  {.name = "instances",
   .letter = 'n',
   .kind = CLI_INTEGER,
   .offset = AT(instances),
   .min = 1,
   .max = 10000000,
   .value = "N",
   .help = "in all, over all shards (default: 500; the paper has 10000)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(seed),
   .min = 0,
   .max = INT32_MAX,
   .value = "S",
   .help = "for maps and robots (default: 1)"},
  {.name = "time-limit",
   .letter = 't',
   .kind = CLI_NUMBER,
   .offset = AT(time_limit),
   .min = 0,
   .max = 100000,
   .value = "SECONDS",
   .help = "for each solve; twice that for a largest group alone (default: 1)"},
  {.name = "planners",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(algorithms),
   .value = "A,B,...",
   .help = "each with settings if need be: lazy_sat:cost=last_arrival (default:\n" DEFAULT_ALGORITHMS ")"},
  {.name = "memory",
   .kind = CLI_INTEGER,
   .offset = AT(memory_mb),
   .min = 1,
   .max = 1 << 24,
   .value = "MB",
   .help = "a planner's memory (default: 1024)"},
  {.name = "cut-corners",
   .kind = CLI_FLAG,
   .offset = AT(cuts_corners),
   .help = "diagonals as in the paper: only the end of one must be free, not the cells\n"
           "beside it (default: these too)"},
};
static const cli_option_t run_options[] = {
  {.name = "processor-time",
   .kind = CLI_FLAG,
   .offset = AT(is_processor_time),
   .help = "limits and times are those of the solving thread, for machines that do other things\n"
           "meanwhile; a solve that is out of time ends as cancelled, without a last answer"},
  {.name = "threads",
   .kind = CLI_INTEGER,
   .offset = AT(threads),
   .min = 1,
   .max = FW_PARALLEL_THREADS_MAX,
   .value = "T",
   .help = "instances at a time, each on one core (default: 1)"},
  {.name = "shard",
   .kind = CLI_TEXT,
   .offset = AT(shard),
   .value = "I/N",
   .help = "only part I of N, from 1; `fleetweave bench merge` joins the files (default: 1/1)"},
  {.name = "csv",
   .kind = CLI_TEXT,
   .offset = AT(csv),
   .value = "FILE",
   .help = "a line per solve; what is there already is not run again"},
  {.name = "svg", .kind = CLI_TEXT, .offset = AT(output.svg), .value = "FILE", .help = "the curves of figures 6 and 7"},
  {.name = "json",
   .kind = CLI_FLAG,
   .offset = AT(output.is_json),
   .help = "one JSON object on stdout, in place of the words"},
};
// clang-format on

static bool read_shard(const char * text, cli_standley_run_t * run)
{
  int part = 0;
  int parts = 0;
  int end = 0;
  if (sscanf(text, "%d/%d%n", &part, &parts, &end) < 2 || text[end] != '\0' || part < 1 || part > parts) {
    (void)cli_say(CLI_USAGE, "--shard wants I/N with I from 1 to N, not \"%s\"", text);
    return false;
  }
  run->shard = part - 1;
  run->shard_count = parts;
  return true;
}

// An instance of which the end is missing is run again.
static void drop_unfinished(cli_standley_rows_t * rows, int32_t algorithm_count)
{
  cli_standley_sort(rows);
  int32_t kept = 0;
  for (int32_t first = 0; first < rows->count;) {
    int32_t end = first;
    int32_t whole = 0;
    while (end < rows->count && rows->rows[end].instance == rows->rows[first].instance) {
      whole += rows->rows[end++].is_group ? 0 : 1;
    }
    const bool is_known = rows->rows[first].instance >= 0 && rows->rows[first].instance < rows->settings.instances;
    if (whole == algorithm_count && is_known) {
      memmove(&rows->rows[kept], &rows->rows[first], (size_t)(end - first) * sizeof(*rows->rows));
      kept += end - first;
    }
    first = end;
  }
  rows->count = kept;
}

// What the file has, and the file open for more. An exit code after saying what is wrong.
static int open_csv(cli_standley_rows_t * rows, const char * path, int32_t algorithm_count, FILE ** csv)
{
  if (access(path, F_OK) == 0) {
    const int exit_code = cli_standley_read_file(rows, path);
    if (exit_code != CLI_SOLVED) {
      return exit_code;
    }
    drop_unfinished(rows, algorithm_count);
  }
  if (!cli_standley_write_file(rows, path)) {
    return CLI_FAILURE;
  }
  *csv = fopen(path, "a");
  return *csv != NULL ? CLI_SOLVED : cli_say(CLI_FAILURE, "%s cannot be written", path);
}

static int measure(const options_t * options)
{
  cli_standley_algorithm_t algorithms[CLI_STANDLEY_ALGORITHMS_MAX];
  cli_standley_rows_t rows = {
    .settings = {
      .seed = options->seed,
      .instances = options->instances,
      .time_limit = options->time_limit,
      .cuts_corners = options->cuts_corners,
    }};
  snprintf(rows.settings.algorithms, sizeof(rows.settings.algorithms), "%s", options->algorithms);
  cli_standley_run_t run = {
    .settings = &rows.settings,
    .algorithms = algorithms,
    .algorithm_count = cli_standley_algorithms(&rows.settings, algorithms),
    .threads = (int32_t)options->threads,
    .memory_mb = options->memory_mb,
    .is_processor_time = options->is_processor_time,
    .rows = &rows,
  };
  if (run.algorithm_count == 0 || !read_shard(options->shard, &run)) {
    return CLI_USAGE;
  }
  if (options->time_limit <= 0.0) {
    return cli_say(CLI_USAGE, "--time-limit must be more than 0");
  }
  int exit_code = options->output.svg == NULL || cli_output_is_possible(options->output.svg) ? CLI_SOLVED : CLI_FAILURE;
  if (exit_code == CLI_SOLVED && options->csv != NULL) {
    exit_code = open_csv(&rows, options->csv, run.algorithm_count, &run.csv);
  }
  exit_code = exit_code == CLI_SOLVED ? cli_standley_run(&run) : exit_code;
  if (run.csv != NULL && fclose(run.csv) != 0) {
    exit_code = cli_say(CLI_FAILURE, "%s cannot be written", options->csv);
  }
  if (exit_code == CLI_SOLVED || exit_code == CLI_NOT_SOLVED) {
    exit_code = cli_standley_tell(&rows, &options->output) == CLI_SOLVED ? exit_code : CLI_FAILURE;
  }
  cli_standley_fini(&rows);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {
    .instances = 500,
    .seed = 1,
    .time_limit = 1.0,
    .algorithms = DEFAULT_ALGORITHMS,
    .shard = "1/1",
    .threads = 1,
    .memory_mb = 1024,
  };
  const cli_group_t groups[] = {
    {"Bench", bench_options, (int32_t)(sizeof(bench_options) / sizeof(bench_options[0])), &options},
    {"Running and telling", run_options, (int32_t)(sizeof(run_options) / sizeof(run_options[0])), &options},
  };
  const cli_manual_t manual = {
    .name = "bench standley",
    .usage = "[--instances N] [--seed S] [--time-limit SECONDS] [--planners A,B,...] [--shard I/N] [--csv FILE]",
    .about =
      "The experiments of T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems (AAAI\n"
      "2010): maps of 32x32 cells, one in five blocked, 2 to 60 robots, 8 directions. Tells the share that\n"
      "each planner solves within the limit (optimal planners: with the proof), how long it takes, and, if\n"
      "od_id is among them, how large its groups are, how many of those standard and od solve alone, and how\n"
      "it compares with one order of hca. A diagonal needs both its side cells free, which makes a harder bench\n"
      "than the paper's; with --cut-corners it needs neither, as there: figures to lay beside the paper's are\n"
      "those. With --csv a run that was ended goes on where it was.",
    .groups = groups,
    .group_count = (int32_t)(sizeof(groups) / sizeof(groups[0])),
    .examples =
      "  fleetweave bench standley --instances 100 --svg curves.svg\n"
      "  fleetweave bench standley -n 10000 --cut-corners --planners lazy_sat --shard 3/50 --csv part3.csv\n"
      "  fleetweave bench merge all.csv part*.csv",
    .exit_codes = "0 all runs done (solved or not), 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t cli_bench_standley = {
  .name = "standley",
  .summary = "optimal planners on the experiments of Standley 2010",
  .run = run,
};
