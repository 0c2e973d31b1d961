// `fleetweave make`: writes a generated map, and optionally a scenario with random robots on it.

#include <stdio.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/instance.h"
#include "cli/common/message.h"
#include "cli/common/output.h"

typedef struct make_options_t {
  const char * out;
  const char * scen_out;
  cli_instance_options_t instance;
} make_options_t;

#define AT(member) offsetof(make_options_t, member)

static const cli_option_t file_options[] = {
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = AT(out),
   .value = "FILE",
   .help = "write the map to FILE; - is stdout"},
  {.name = "scen-out",
   .kind = CLI_TEXT,
   .offset = AT(scen_out),
   .value = "FILE",
   .help = "also write a scenario with --robots random robots to FILE"},
  {.name = "robots",
   .letter = 'n',
   .kind = CLI_INTEGER,
   .offset = AT(instance.robots),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "number of robots of the scenario"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(instance.seed),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "seed of the robots (default: 0); the seed of the map is part of SPEC"},
  {0},
};

// Writes one of the files. `map_name` is the name of the map file in the scenario.
typedef fw_ret_t (*make_write_t)(
  const cli_instance_t * instance, const char * map_name, FILE * stream, fw_error_t * error);

static fw_ret_t write_map(const cli_instance_t * instance, const char * map_name, FILE * stream, fw_error_t * error)
{
  (void)map_name;
  return fw_grid_write(&instance->grid, stream, error);
}

static fw_ret_t write_scen(const cli_instance_t * instance, const char * map_name, FILE * stream, fw_error_t * error)
{
  return fw_scenario_write(&instance->scenario, &instance->grid, map_name, stream, error);
}

static int write_file(
  const cli_instance_t * instance, const make_options_t * options, const char * path, make_write_t write)
{
  FW_ASSERT(options->out != NULL && path != NULL);
  cli_output_t output = {0};
  fw_error_t error = {0};
  if (!cli_output_open(&output, path)) {
    return CLI_FAILURE;
  }
  const fw_ret_t ret = write(instance, cli_path_file_name(options->out), output.stream, &error);
  return cli_output_finish(&output, ret, &error);
}

static int make(const make_options_t * options)
{
  cli_instance_t instance = {0};
  int exit_code = cli_instance_load_grid(&instance, &options->instance);
  if (exit_code == CLI_SUCCESS && options->scen_out != NULL) {
    exit_code = cli_instance_load_robots(&instance, &options->instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = write_file(&instance, options, options->out, write_map);
  }
  if (exit_code == CLI_SUCCESS && options->scen_out != NULL) {
    exit_code = write_file(&instance, options, options->scen_out, write_scen);
  }
  cli_instance_fini(&instance);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  make_options_t options = {.instance = cli_instance_options_default()};
  const cli_group_t groups[] = {{"Files", file_options, .values = &options}, {0}};
  char about[2048];
  snprintf(
    about, sizeof(about),
    "Writes a generated map, and optionally a scenario on it. The same SPEC gives the same map on every\n"
    "machine. SPEC is KIND:WIDTHxHEIGHT and keys, separated by commas:\n\n%s",
    fw_grid_make_help());
  const cli_manual_t manual = {
    .name = "make",
    .usage = "SPEC -o MAP [--scen-out SCEN --robots N [--seed N]]",
    .about = about,
    .groups = groups,
    .operand_count = 1,
    .operand = "the SPEC of a map, such as warehouse:161x63,seed=1",
    .examples =
      "  fleetweave make warehouse:161x63,seed=1 -o hall.map\n"
      "  fleetweave make rooms:64x64,room=8 -o rooms.map --scen-out rooms.scen --robots 100 --seed 7",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, &options.instance.make);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  if (options.out == NULL) {
    return cli_error(CLI_USAGE, "no output file is given; give -o MAP");
  }
  if ((options.scen_out == NULL) != (options.instance.robots < 0)) {
    return cli_error(CLI_USAGE, "--scen-out and --robots must be given together");
  }
  return make(&options);
}

const cli_command_t cli_command_make = {
  .name = "make",
  .summary = "write a generated map, and random robots on it",
  .run = run,
};
