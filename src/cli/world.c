// `fleetweave world`: writes a map and robots as a Gazebo world (SDF), and the configuration of the bridge between its
// topics and ROS 2.

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/instance.h"
#include "cli/common/message.h"
#include "cli/common/output.h"
#include "view/gazebo.h"

typedef struct world_options_t {
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
} world_options_t;

#define AT(member) offsetof(world_options_t, member)

static const cli_option_t file_options[] = {
  {.name = "sdf",
   .kind = CLI_TEXT,
   .offset = AT(sdf),
   .value = "FILE",
   .help = "write the world with its robots to FILE; - is stdout"},
  {.name = "bridge",
   .kind = CLI_TEXT,
   .offset = AT(bridge),
   .value = "FILE",
   .help = "write the YAML for ros_gz_bridge: /clock, and cmd_vel and odom of each robot"},
  {.name = "model",
   .kind = CLI_TEXT,
   .offset = AT(model),
   .value = "FILE",
   .help = "write only the model of the first robot, to add it to a running world"},
  {.name = "for",
   .kind = CLI_CHOICE,
   .offset = AT(release),
   .value = "harmonic|fortress",
   .help = "release of Gazebo: the names of the plugins differ (default: harmonic)"},
  {0},
};

static const cli_option_t name_options[] = {
  {.name = "names",
   .kind = CLI_TEXT,
   .offset = AT(names),
   .value = "A,B,...",
   .help = "names of the robots, instead of --robots (default: robot_0,robot_1,...)"},
  {0},
};

static const cli_option_t size_options[] = {
  {.name = "cell",
   .kind = CLI_NUMBER,
   .offset = AT(cell),
   .min = 0,
   .max = 1000,
   .value = "METRES",
   .help = "side length of a cell of the map (default: 0.5)"},
  {.name = "height",
   .kind = CLI_NUMBER,
   .offset = AT(height),
   .min = 0,
   .max = 1000,
   .value = "METRES",
   .help = "height of walls (default: 0.5)"},
  {.name = "radius",
   .kind = CLI_NUMBER,
   .offset = AT(radius),
   .min = 0,
   .max = 1000,
   .value = "METRES",
   .help = "radius of robots (default: 0.2)"},
  {.name = "step-ms",
   .kind = CLI_INTEGER,
   .offset = AT(step_ms),
   .min = 1,
   .max = 50,
   .value = "N",
   .help = "time step of the physics, in milliseconds (default: 4)"},
  {0},
};

// ---- names of the robots --------------------------------------------------------------------------------------------

enum { NODE_NAME_SIZE = 64 };

typedef struct world_names_t {
  char (*texts)[NODE_NAME_SIZE];
  const char ** list;  // points into texts
  int32_t count;
} world_names_t;

static void fini_names(world_names_t * names)
{
  free(names->texts);
  free((void *)names->list);
  *names = (world_names_t){0};
}

// The number of names in a list separated by commas.
static int32_t count_names(const char * text)
{
  int32_t count = 1;
  for (; *text != '\0'; ++text) {
    count += *text == ',';
  }
  return count;
}

// Whether a name may stand in the name of a ROS topic.
static bool is_name(const char * text)
{
  bool is_valid = isalpha((unsigned char)text[0]) != 0;
  for (; *text != '\0'; ++text) {
    is_valid = is_valid && (isalnum((unsigned char)*text) != 0 || *text == '_');
  }
  return is_valid;
}

// Reads `count` names separated by commas; if `text` is NULL, makes robot_0, robot_1, … Returns an exit code after an
// error message.
static int read_names(world_names_t * names, const char * text, int32_t count)
{
  *names = (world_names_t){
    .texts = calloc((size_t)count + 1, sizeof(*names->texts)),
    .list = calloc((size_t)count + 1, sizeof(*names->list)),
    .count = count,
  };
  if (names->texts == NULL || names->list == NULL) {
    return cli_error(CLI_FAILURE, "out of memory for the names of %d robots", (int)count);
  }
  for (int32_t i = 0; i < count; ++i) {
    names->list[i] = names->texts[i];
    const size_t length = text == NULL ? 0 : strcspn(text, ",");
    if (text == NULL) {
      snprintf(names->texts[i], NODE_NAME_SIZE, "robot_%d", (int)i);
    } else if (length < NODE_NAME_SIZE) {
      memcpy(names->texts[i], text, length);
      text += length + (text[length] == ',' ? 1 : 0);
    }
    if (!is_name(names->texts[i])) {
      return cli_error(
        CLI_USAGE,
        "--names: name %d must consist of letters, digits and _, start with a letter and have at most %d characters",
        (int)i + 1, NODE_NAME_SIZE - 1);
    }
    for (int32_t j = 0; j < i; ++j) {
      if (strcmp(names->texts[i], names->texts[j]) == 0) {
        return cli_error(CLI_USAGE, "--names: the name %s is given twice; names must be different", names->texts[i]);
      }
    }
  }
  return CLI_SUCCESS;
}

// ---- files ----------------------------------------------------------------------------------------------------------

typedef enum world_part_t { PART_SDF, PART_BRIDGE, PART_MODEL } world_part_t;

static int write_part(const fw_gazebo_t * gazebo, world_part_t part, const char * path)
{
  cli_output_t output = {0};
  fw_error_t error = {0};
  if (path == NULL) {
    return CLI_SUCCESS;
  }
  if (!cli_output_open(&output, path)) {
    return CLI_FAILURE;
  }
  fw_ret_t ret = FW_RET_OK;
  switch (part) {
    case PART_SDF:
      ret = fw__gazebo_write_world(gazebo, output.stream, &error);
      break;
    case PART_BRIDGE:
      fw__gazebo_write_bridge(gazebo, output.stream);
      break;
    case PART_MODEL:
      FW_ASSERT(gazebo->robot_count > 0);
      fw__gazebo_write_model(gazebo, 0, output.stream);
      break;
  }
  return cli_output_finish(&output, ret, &error);
}

static int write_all(const world_options_t * options, const cli_instance_t * instance, const world_names_t * names)
{
  fw_cell_t * starts = calloc((size_t)names->count + 1, sizeof(*starts));
  if (starts == NULL) {
    return cli_error(CLI_FAILURE, "out of memory for the starts of %d robots", (int)names->count);
  }
  FW_ASSERT(names->count == instance->problem.robot_count);
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
  if (exit_code == CLI_SUCCESS) {
    exit_code = write_part(&gazebo, PART_BRIDGE, options->bridge);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = write_part(&gazebo, PART_MODEL, options->model);
  }
  free(starts);
  return exit_code;
}

static int world(world_options_t * options)
{
  cli_instance_t instance = {0};
  world_names_t names = {0};
  if (options->names != NULL) {
    options->instance.robots = count_names(options->names);
  }
  const bool has_robots = options->instance.robots > 0 || options->instance.scen != NULL;
  int exit_code = cli_instance_load_grid(&instance, &options->instance);
  if (exit_code == CLI_SUCCESS && has_robots) {
    exit_code = cli_instance_load_robots(&instance, &options->instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = read_names(&names, options->names, instance.problem.robot_count);
  }
  if (exit_code == CLI_SUCCESS && names.count == 0 && options->model != NULL) {
    exit_code = cli_error(CLI_USAGE, "--model needs a robot; give --robots N or --names A,B");
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = write_all(options, &instance, &names);
  }
  fini_names(&names);
  cli_instance_fini(&instance);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  world_options_t options = {
    .instance = cli_instance_options_default(),
    .release = "harmonic",
    .cell = 0.5,
    .height = 0.5,
    .radius = 0.2,
    .step_ms = 4,
  };
  const cli_group_t groups[] = {
    {"Files", file_options, .values = &options},
    {"Map", cli_map_options, .values = &options.instance},
    {"Robots", cli_robot_options, .values = &options.instance},
    {NULL, name_options, .values = &options},
    {"Sizes", size_options, .values = &options},
    {0},
  };
  const cli_manual_t manual = {
    .name = "world",
    .usage = "(--map FILE | --make SPEC) [--robots N] --sdf FILE [--bridge FILE] [options]",
    .about =
      "Writes a Gazebo world of the planner's map: walls merged into few boxes, and simple robots with a\n"
      "differential drive whose odometry is in the map frame. launch/gazebo.launch.py uses it.",
    .groups = groups,
    .examples =
      "  fleetweave world --make warehouse:41x21,seed=1 --robots 8 --sdf hall.sdf --bridge hall.yaml\n"
      "  fleetweave world --map hall.map --names red,blue --for fortress --sdf - | less",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  if (options.sdf == NULL && options.bridge == NULL && options.model == NULL) {
    return cli_error(CLI_USAGE, "no output file is given; give --sdf FILE, --bridge FILE or --model FILE");
  }
  if (options.names != NULL && (options.instance.robots >= 0 || options.instance.scen != NULL)) {
    return cli_error(CLI_USAGE, "--names also gives the number of robots; omit --robots and --scen");
  }
  // Written so that NaN is refused too.
  if (!(options.cell > 0.0) || !(options.height > 0.0) || !(options.radius > 0.0)) {
    return cli_error(
      CLI_USAGE, "--cell, --height and --radius must be greater than 0, not %g, %g and %g", options.cell,
      options.height, options.radius);
  }
  if (!(2.0 * options.radius <= options.cell)) {
    return cli_error(
      CLI_USAGE,
      "--radius %g is too large for --cell %g; a robot must fit into a cell (radius at most half of the cell)",
      options.radius, options.cell);
  }
  return world(&options);
}

const cli_command_t cli_command_world = {
  .name = "world",
  .summary = "write a map and robots as a Gazebo world",
  .run = run,
};
