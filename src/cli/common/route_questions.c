// Questions for one robot: two points, a scenario with its optimal lengths, or random ones.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/route_search.h"
#include "cli/common/words.h"

static int read_point(const char * name, const char * text, const fw_grid_t * grid, fw_cell_t * cell)
{
  int x = 0, y = 0, end = 0;
  if (sscanf(text, "%d,%d%n", &x, &y, &end) != 2 || text[end] != '\0') {
    return cli_say(CLI_USAGE, "--%s must be X,Y, such as 3,17, not \"%s\"", name, text);
  }
  if (!fw_grid_contains(grid, x, y)) {
    return cli_say(CLI_USAGE, "--%s %s is outside the map of %d x %d", name, text, grid->width, grid->height);
  }
  *cell = fw_grid_cell(grid, x, y);
  return CLI_SOLVED;
}

// The last field of each line. The scenario's reader has been through the file and found it sound.
static void read_lengths(const char * path, cli_questions_t * questions)
{
  char line[4096];
  int32_t index = 0;
  FILE * stream = fopen(path, "r");
  if (stream == NULL || fgets(line, sizeof(line), stream) == NULL) {
    index = questions->count;  // gone since
  }
  while (index < questions->count && fgets(line, sizeof(line), stream) != NULL) {
    line[strcspn(line, "\r\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0') {
      continue;
    }
    const char * last = strrchr(line, '\t');
    last = last != NULL ? last : strrchr(line, ' ');
    char * end = NULL;
    const double length = last != NULL ? strtod(last, &end) : 0.0;
    questions->items[index++].length = last != NULL && end != last && length > 0.0 ? length : -1.0;
  }
  if (stream != NULL) {
    fclose(stream);
  }
}

static int load_robots(
  cli_questions_t * questions, const cli_instance_t * instance, const cli_route_options_t * options)
{
  const cli_instance_options_t * given = &options->instance;
  fw_scenario_t scenario = {0};
  fw_error_t error = {0};
  const int32_t count = (int32_t)given->robots;
  const fw_ret_t ret =
    given->scen != NULL
      ? fw_scenario_read(&scenario, given->scen, &instance->grid, count, NULL, &error)
      : fw_scenario_make(&scenario, &instance->grid, count < 0 ? 1 : count, (uint64_t)given->seed, NULL, &error);
  if (ret != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  questions->items = calloc((size_t)scenario.robot_count + 1, sizeof(*questions->items));
  for (int32_t i = 0; questions->items != NULL && i < scenario.robot_count; i++) {
    const fw_robot_t * robot = &scenario.robots[i];
    questions->items[questions->count++] = (cli_question_t){.ends = {robot->start, robot->goal}, .length = -1.0};
  }
  fw_scenario_fini(&scenario);
  if (questions->items != NULL && given->scen != NULL) {
    read_lengths(given->scen, questions);
  }
  return questions->items != NULL ? CLI_SOLVED : cli_say(CLI_FAILURE, "out of memory");
}

int cli_questions_load(
  cli_questions_t * questions, const cli_instance_t * instance, const cli_route_options_t * options)
{
  *questions = (cli_questions_t){0};
  if ((options->from == NULL) != (options->to == NULL)) {
    return cli_say(CLI_USAGE, "--from and --to belong together");
  }
  if (options->from == NULL) {
    return load_robots(questions, instance, options);
  }
  if (options->instance.scen != NULL || options->instance.robots >= 0) {
    return cli_say(CLI_USAGE, "give --from and --to, or --scen and --queries, not both");
  }
  questions->items = calloc(1, sizeof(*questions->items));
  if (questions->items == NULL) {
    return cli_say(CLI_FAILURE, "out of memory");
  }
  questions->count = 1;
  questions->items[0].length = -1.0;
  const int exit_code = read_point("from", options->from, &instance->grid, &questions->items[0].ends[0]);
  return exit_code == CLI_SOLVED ? read_point("to", options->to, &instance->grid, &questions->items[0].ends[1])
                                 : exit_code;
}

void cli_questions_free(cli_questions_t * questions)
{
  free(questions->items);
  *questions = (cli_questions_t){0};
}
