// `fleetweave make`: a map from a line, and robots on it, as files.

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/common/instance.h"
#include "cli/common/output.h"
#include "cli/common/words.h"

typedef struct options_t {
  const char * out;
  const char * scen_out;
  cli_instance_options_t instance;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t file_options[] = {
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = AT(out),
   .value = "FILE",
   .help = "the map to write; - is stdout"},
  {.name = "scen-out",
   .kind = CLI_TEXT,
   .offset = AT(scen_out),
   .value = "FILE",
   .help = "a scenario to write, with --robots random robots"},
  {.name = "robots",
   .letter = 'n',
   .kind = CLI_INTEGER,
   .offset = AT(instance.robots),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "how many robots the scenario has"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(instance.seed),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "for the robots (default: 0); the map's seed is in its line"},
};
// clang-format on

typedef fw_ret_t (*write_t)(const cli_instance_t * instance, const char * map_name, FILE * stream, fw_error_t * error);

static fw_ret_t write_map(const cli_instance_t * instance, const char * map_name, FILE * stream, fw_error_t * error)
{
  (void)map_name;
  return fw_grid_write(&instance->grid, stream, error);
}

static fw_ret_t write_scen(const cli_instance_t * instance, const char * map_name, FILE * stream, fw_error_t * error)
{
  return fw_scenario_write(&instance->scenario, &instance->grid, map_name, stream, error);
}

static int write_file(const cli_instance_t * instance, const options_t * options, const char * path, write_t write)
{
  cli_output_t output = {0};
  fw_error_t error = {0};
  const char * slash = strrchr(options->out, '/');
  if (!cli_output_open(&output, path)) {
    return CLI_FAILURE;
  }
  if (write(instance, slash != NULL ? slash + 1 : options->out, output.stream, &error) != FW_RET_OK) {
    cli_output_discard(&output);
    return cli_say(CLI_FAILURE, "%s: %s", path, error.text);
  }
  return cli_output_commit(&output) ? CLI_SOLVED : CLI_FAILURE;
}

static int make(const options_t * options)
{
  cli_instance_t instance = {0};
  int exit_code = cli_instance_load_grid(&instance, &options->instance);
  if (exit_code == CLI_SOLVED && options->scen_out != NULL) {
    exit_code = cli_instance_load_robots(&instance, &options->instance);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = write_file(&instance, options, options->out, write_map);
  }
  if (exit_code == CLI_SOLVED && options->scen_out != NULL) {
    exit_code = write_file(&instance, options, options->scen_out, write_scen);
  }
  cli_instance_fini(&instance);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {.instance = cli_instance_options_default()};
  const cli_group_t group = {"Files", file_options, 4, &options};
  char about[2048];
  snprintf(
    about, sizeof(about),
    "Writes a map from a line, the same on every machine, and if asked a scenario on it. Kinds and keys:\n\n%s",
    fw_grid_make_help());
  const cli_manual_t manual = {
    .name = "make",
    .usage = "LINE -o MAP [--scen-out SCEN --robots N [--seed N]]",
    .about = about,
    .groups = &group,
    .group_count = 1,
    .operand_count = 1,
    .operand = "the LINE of a map, such as warehouse:161x63,seed=1",
    .examples =
      "  fleetweave make warehouse:161x63,seed=1 -o hall.map\n"
      "  fleetweave make rooms:64x64,room=8 -o rooms.map --scen-out rooms.scen --robots 100 --seed 7",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, &options.instance.make);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  if (options.out == NULL) {
    return cli_say(CLI_USAGE, "make needs -o MAP");
  }
  if ((options.scen_out == NULL) != (options.instance.robots < 0)) {
    return cli_say(CLI_USAGE, "--scen-out and --robots belong together");
  }
  return make(&options);
}

const cli_command_t cli_command_make = {
  .name = "make",
  .summary = "write a map made from a line, and robots on it",
  .run = run,
};
