// `fleetweave world`: a map and robots on it as a world for Gazebo, and the bridge of its topics to ROS 2.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/common/instance.h"
#include "cli/common/output.h"
#include "cli/common/words.h"
#include "cli/world_names.h"
#include "view/gazebo.h"

typedef struct options_t {
  cli_instance_options_t instance;
  const char * sdf;
  const char * bridge;
  const char * model;
  const char * names;
  const char * release;
  double cell;
  double height;
  double radius;
  int64_t step_ms;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t file_options[] = {
  {.name = "sdf",
   .kind = CLI_TEXT,
   .offset = AT(sdf),
   .value = "FILE",
   .help = "the world to write, with its robots; - is stdout"},
  {.name = "bridge",
   .kind = CLI_TEXT,
   .offset = AT(bridge),
   .value = "FILE",
   .help = "the YAML for ros_gz_bridge: /clock, and cmd_vel and odom of each robot"},
  {.name = "model",
   .kind = CLI_TEXT,
   .offset = AT(model),
   .value = "FILE",
   .help = "the first robot alone, to add it to a world that runs"},
  {.name = "for",
   .kind = CLI_TEXT,
   .offset = AT(release),
   .value = "GAZEBO",
   .help = "harmonic (default) or fortress: their plugins have different names"},
};

static const cli_option_t size_options[] = {
  {.name = "names",
   .kind = CLI_TEXT,
   .offset = AT(names),
   .value = "A,B,…",
   .help = "of the robots (default: robot_0,robot_1,…), instead of --robots"},
  {.name = "cell",
   .kind = CLI_NUMBER,
   .offset = AT(cell),
   .min = 0,
   .max = 1000,
   .value = "METRES",
   .help = "side of a cell of the map (default: 0.5)"},
  {.name = "height",
   .kind = CLI_NUMBER,
   .offset = AT(height),
   .min = 0,
   .max = 1000,
   .value = "METRES",
   .help = "of walls (default: 0.5)"},
  {.name = "radius",
   .kind = CLI_NUMBER,
   .offset = AT(radius),
   .min = 0,
   .max = 1000,
   .value = "METRES",
   .help = "of robots (default: 0.2)"},
  {.name = "step-ms",
   .kind = CLI_INTEGER,
   .offset = AT(step_ms),
   .min = 1,
   .max = 50,
   .value = "N",
   .help = "milliseconds of a step of the physics (default: 4)"},
};
// clang-format on

typedef enum part_t { PART_SDF, PART_BRIDGE, PART_MODEL } part_t;

static int write_part(const fw_gazebo_t * gazebo, part_t part, const char * path)
{
  cli_output_t output = {0};
  fw_error_t error = {0};
  if (path == NULL) {
    return CLI_SOLVED;
  }
  if (!cli_output_open(&output, path)) {
    return CLI_FAILURE;
  }
  if (part == PART_SDF && fw__gazebo_write_world(gazebo, output.stream, &error) != FW_RET_OK) {
    cli_output_discard(&output);
    return cli_say(CLI_FAILURE, "%s: %s", path, error.text);
  }
  if (part == PART_BRIDGE) {
    fw__gazebo_write_bridge(gazebo, output.stream);
  } else if (part == PART_MODEL) {
    fw__gazebo_write_model(gazebo, 0, output.stream);
  }
  return cli_output_commit(&output) ? CLI_SOLVED : CLI_FAILURE;
}

static int write_all(const options_t * options, const cli_instance_t * instance, const cli_names_t * names)
{
  fw_cell_t * starts = calloc((size_t)names->count + 1, sizeof(*starts));
  if (starts == NULL) {
    return cli_say(CLI_FAILURE, "out of memory");
  }
  for (int32_t i = 0; i < names->count; ++i) {
    starts[i] = instance->problem.robots[i].start;
  }
  const fw_gazebo_t gazebo = {
    .release = strcmp(options->release, "fortress") == 0 ? FW_GAZEBO_FORTRESS : FW_GAZEBO_HARMONIC,
    .grid = &instance->grid,
    .cell = options->cell,
    .height = options->height,
    .radius = options->radius,
    .step = 0.001 * (double)options->step_ms,
    .names = names->list,
    .starts = starts,
    .robot_count = names->count,
  };
  int exit_code = write_part(&gazebo, PART_SDF, options->sdf);
  if (exit_code == CLI_SOLVED) {
    exit_code = write_part(&gazebo, PART_BRIDGE, options->bridge);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = write_part(&gazebo, PART_MODEL, options->model);
  }
  free(starts);
  return exit_code;
}

static int world(options_t * options)
{
  cli_instance_t instance = {0};
  cli_names_t names = {0};
  if (options->names != NULL) {
    options->instance.robots = cli_names_count(options->names);
  }
  const bool has_robots = options->instance.robots > 0 || options->instance.scen != NULL;
  int exit_code = cli_instance_load_grid(&instance, &options->instance);
  if (exit_code == CLI_SOLVED && has_robots) {
    exit_code = cli_instance_load_robots(&instance, &options->instance);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_names_read(&names, options->names, instance.problem.robot_count);
  }
  if (exit_code == CLI_SOLVED && names.count == 0 && options->model != NULL) {
    exit_code = cli_say(CLI_USAGE, "--model needs a robot: --robots N or --names A,B");
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = write_all(options, &instance, &names);
  }
  cli_names_fini(&names);
  cli_instance_fini(&instance);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {
    .instance = cli_instance_options_default(),
    .release = "harmonic",
    .cell = 0.5,
    .height = 0.5,
    .radius = 0.2,
    .step_ms = 4,
  };
  const cli_group_t groups[] = {
    {"Files", file_options, 4, &options},
    {"Map", cli_map_options, CLI_MAP_OPTION_COUNT, &options.instance},
    {"Robots", cli_robot_options, CLI_ROBOT_OPTION_COUNT, &options.instance},
    {"Sizes", size_options, 5, &options},
  };
  const cli_manual_t manual = {
    .name = "world",
    .usage = "--make LINE | --map FILE [--robots N] --sdf FILE [--bridge FILE] [options]",
    .about =
      "Writes a world for Gazebo from the map that the planner plans on: walls merged into few boxes, and light "
      "robots\n"
      "with a differential drive whose odometry is in the map's frame. launch/gazebo.launch.py uses it.",
    .groups = groups,
    .group_count = 4,
    .examples =
      "  fleetweave world --make warehouse:41x21,seed=1 --robots 8 --sdf hall.sdf --bridge hall.yaml\n"
      "  fleetweave world --map hall.map --names red,blue --for fortress --sdf - | less",
    .exit_codes = "0 done, 2 wrong command line, 3 failure (the reason is on stderr).",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  if (options.sdf == NULL && options.bridge == NULL && options.model == NULL) {
    return cli_say(CLI_USAGE, "world needs --sdf, --bridge or --model");
  }
  if (strcmp(options.release, "harmonic") != 0 && strcmp(options.release, "fortress") != 0) {
    return cli_say(CLI_USAGE, "--for must be harmonic or fortress, not %s", options.release);
  }
  if (options.names != NULL && (options.instance.robots >= 0 || options.instance.scen != NULL)) {
    return cli_say(CLI_USAGE, "--names says how many robots there are: leave --robots and --scen away");
  }
  // Cells hold robots, and nothing has no size. Written so that what is no number is refused too.
  if (!(options.cell > 0.0) || !(options.height > 0.0) || !(options.radius > 0.0)) {
    return cli_say(CLI_USAGE, "--cell, --height and --radius must be more than 0");
  }
  if (!(2.0 * options.radius <= options.cell)) {
    return cli_say(CLI_USAGE, "robots of radius %g do not fit into cells of %g", options.radius, options.cell);
  }
  return world(&options);
}

const cli_command_t cli_command_world = {
  .name = "world",
  .summary = "write a map and robots on it as a world for Gazebo",
  .run = run,
};
