#include "cli/common/plan_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/common/command.h"
#include "cli/common/message.h"

// The value of a line "key=value", NULL if the line has another key.
static const char * value_of(const char * line, const char * key)
{
  const size_t length = strlen(key);
  return strncmp(line, key, length) == 0 && line[length] == '=' ? line + length + 1 : NULL;
}

// A number that cannot be parsed counts as absent: fw_plan_read reports what is wrong with the file.
static void read_header_line(cli_plan_header_t * header, const char * line)
{
  fw_error_t reason;
  const cli_range_t range = {0, INT64_MAX};
  const char * value = value_of(line, "map_file");
  if (value != NULL) {
    snprintf(header->map_file, sizeof(header->map_file), "%s", value);
  } else if ((value = value_of(line, "soc")) != NULL) {
    (void)cli_parse_integer(value, range, &header->sum_of_costs, &reason);
  } else if ((value = value_of(line, "makespan")) != NULL) {
    (void)cli_parse_integer(value, range, &header->makespan, &reason);
  }
}

static int read_header(cli_plan_header_t * header, const char * path)
{
  *header = (cli_plan_header_t){.sum_of_costs = -1, .makespan = -1};
  FILE * stream = fopen(path, "r");
  if (stream == NULL) {
    return cli_error(CLI_FAILURE, "%s: %s", path, strerror(errno));
  }
  char * line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, stream) >= 0 && value_of(line, "solution") == NULL) {
    line[strcspn(line, "\r\n")] = '\0';
    read_header_line(header, line);
  }
  free(line);
  fclose(stream);
  return CLI_SUCCESS;
}

// Loads the map that the plan names, with the layers of the options over it: a file in the folder of the plan, else in
// the current folder, else generated.
static int load_grid_of_header(cli_plan_file_t * plan_file, const char * path, const cli_instance_options_t * layers)
{
  const char * name = plan_file->header.map_file;
  if (name[0] == '\0') {
    return cli_error(CLI_USAGE, "%s does not name its map; give --map FILE or --make SPEC", path);
  }
  char beside[2 * CLI_PATH_MAX];
  const char * slash = strrchr(path, '/');
  const int folder_length = slash != NULL && name[0] != '/' ? (int)(slash - path + 1) : 0;
  snprintf(beside, sizeof(beside), "%.*s%s", folder_length, path, name);
  cli_instance_options_t options = *layers;
  if (access(beside, R_OK) == 0) {
    options.map = beside;
  } else if (access(name, R_OK) == 0) {
    options.map = name;
  } else if (strchr(name, ':') != NULL) {
    options.make = name;
  } else {
    return cli_error(
      CLI_FAILURE, "%s: cannot find its map %s in the folder of the plan or the current folder; give --map FILE", path,
      name);
  }
  const int exit_code = cli_instance_load_grid(&plan_file->instance, &options);
  plan_file->instance.map_name = name;  // `beside` goes out of scope
  return exit_code;
}

// Takes the starts and goals of the file. Other tools may omit them: then they are the ends of the paths.
static int take_robots_of_file(cli_plan_file_t * plan_file)
{
  const fw_plan_file_t * file = &plan_file->file;
  FW_ASSERT(file->robot_count > 0 && plan_file->robots == NULL);
  plan_file->robots = calloc((size_t)file->robot_count, sizeof(*plan_file->robots));
  if (plan_file->robots == NULL) {
    return cli_error(CLI_FAILURE, "out of memory for %d robots", file->robot_count);
  }
  for (int32_t i = 0; i < file->robot_count; i++) {
    const fw_path_t * path = &file->paths[i];
    plan_file->robots[i].start = file->starts != NULL ? file->starts[i] : path->cells[0];
    plan_file->robots[i].goal = file->goals != NULL ? file->goals[i] : path->cells[path->length - 1];
  }
  return CLI_SUCCESS;
}

static int load_robots(cli_plan_file_t * plan_file, const cli_instance_options_t * options)
{
  cli_instance_options_t chosen = *options;
  chosen.robots = options->robots >= 0 ? options->robots : plan_file->file.robot_count;
  chosen.connectivity = plan_file->file.cuts_corners ? 8 : options->connectivity;
  chosen.cuts_corners = plan_file->file.cuts_corners || options->cuts_corners;
  if (options->scen != NULL) {
    return cli_instance_load_robots(&plan_file->instance, &chosen);
  }
  int exit_code = cli_instance_check_rules(&chosen);
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  if (chosen.robots != plan_file->file.robot_count) {
    return cli_error(
      CLI_NOT_SOLVED, "--robots %d does not match the plan, which has %d robots", (int)chosen.robots,
      plan_file->file.robot_count);
  }
  exit_code = take_robots_of_file(plan_file);
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load_fleet(&plan_file->instance, options, plan_file->robots, plan_file->file.robot_count);
  }
  plan_file->instance.problem = (fw_problem_t){
    .grid = &plan_file->instance.grid,
    .robots = plan_file->robots,
    .robot_count = plan_file->file.robot_count,
    .connectivity = (int32_t)chosen.connectivity,
    .cuts_corners = chosen.cuts_corners,
    .robust_ticks = (int32_t)options->robust_ticks,
  };
  return exit_code != CLI_SUCCESS ? exit_code : cli_instance_load_closures(&plan_file->instance, options);
}

static void fill_plan(cli_plan_file_t * plan_file)
{
  const fw_plan_file_t * file = &plan_file->file;
  const bool has_all = file->robot_count == plan_file->instance.problem.robot_count;
  FW_ASSERT(file->robot_count > 0 && file->paths[0].length > 0);
  plan_file->plan = (fw_plan_t){
    .outcome = file->is_solved ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL,
    .safe_until = file->is_solved ? FW_TICK_MAX : file->paths[0].length - 1,
    .paths = file->paths,
    .robot_count = file->robot_count,
  };
  plan_file->plan.stats.makespan = fw_paths_makespan(file->paths, file->robot_count);
  plan_file->plan.stats.sum_of_costs = has_all ? fw_paths_sum_of_costs(&plan_file->instance.problem, file->paths) : -1;
}

int cli_plan_file_load(cli_plan_file_t * plan_file, const char * path, const cli_instance_options_t * options)
{
  fw_error_t error = {0};
  int exit_code = read_header(&plan_file->header, path);
  if (exit_code == CLI_SUCCESS) {
    const bool is_map_given = options->map != NULL || options->make != NULL;
    exit_code = is_map_given ? cli_instance_load_grid(&plan_file->instance, options)
                             : load_grid_of_header(plan_file, path, options);
  }
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  if (fw_plan_read(&plan_file->file, path, &plan_file->instance.grid, NULL, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  if (plan_file->file.robot_count < 1) {
    return cli_error(CLI_FAILURE, "%s: the plan has no robots", path);
  }
  exit_code = load_robots(plan_file, options);
  if (exit_code == CLI_SUCCESS) {
    fill_plan(plan_file);
  }
  return exit_code;
}

void cli_plan_file_fini(cli_plan_file_t * plan_file)
{
  fw_plan_file_fini(&plan_file->file);
  cli_instance_fini(&plan_file->instance);
  free(plan_file->robots);
  *plan_file = (cli_plan_file_t){0};
}
