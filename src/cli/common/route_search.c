#include "cli/common/route_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "cli/common/command.h"
#include "cli/common/message.h"
#include "cli/common/setting.h"

#define AT(member) offsetof(cli_route_options_t, member)

const cli_option_t cli_query_options[] = {
  {.name = "scen",
   .kind = CLI_TEXT,
   .offset = AT(instance.scen),
   .value = "FILE",
   .help = "queries from a MovingAI .scen file (default: random queries from --seed)"},
  {.name = "queries",
   .letter = 'n',
   .kind = CLI_INTEGER,
   .offset = AT(instance.robots),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "use the first N queries of the scenario (default: all), or N random ones\n(default: 1)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(instance.seed),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "seed of random queries (default: 0)"},
  {0},
};

const cli_option_t cli_motion_options[] = {
  {.name = "connectivity",
   .kind = CLI_INTEGER,
   .offset = AT(connectivity),
   .min = 4,
   .max = 8,
   .value = "4|6|8",
   .help = "4: moves along the axes; 6: hexagonal tiles, odd rows shifted half a tile\n"
           "to the east; 8: diagonal moves too (default: 8)"},
  {.name = "diagonal",
   .kind = CLI_CHOICE,
   .offset = AT(diagonal),
   .value = "root|tick",
   .help = "root: a diagonal move has length sqrt(2), as in .scen files; tick: it\n"
           "takes one tick like any move, as in the planners (default: root)"},
  {.name = "footprint",
   .kind = CLI_TEXT,
   .offset = AT(footprint),
   .value = "WxH",
   .help = "size of the robot in cells, centred on its own cell (default: 1x1)"},
  {.name = "clearance",
   .kind = CLI_INTEGER,
   .offset = AT(clearance),
   .min = 0,
   .max = FW_CLEARANCE_MAX,
   .value = "CELLS",
   .help = "grow obstacles and the border of the map by this many cells (default: 0)"},
  {0},
};

const cli_option_t cli_search_options[] = {
  {.name = "set",
   .kind = CLI_LIST,
   .offset = AT(settings),
   .value = "[SEARCH.]KEY=VALUE",
   .help = "set a parameter of the search, see `fleetweave route --list`; may be repeated"},
  {.name = "expansions",
   .kind = CLI_INTEGER,
   .offset = AT(expansions),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "abandon a query after N expanded nodes (default: 0, no limit)"},
  {.name = "memory",
   .kind = CLI_INTEGER,
   .offset = AT(memory_mb),
   .min = 0,
   .max = 1 << 20,
   .value = "MB",
   .help = "memory limit of the search (default: 0, no limit)"},
  {0},
};

cli_route_options_t cli_route_options_default(void)
{
  return (cli_route_options_t){.instance = cli_instance_options_default(), .connectivity = 8, .diagonal = "root"};
}

// Reads a footprint: "3x2" is three cells from west to east and two from north to south, centred on the robot's cell.
static int read_footprint(const char * text, fw_offset_t * cells, int32_t * count)
{
  int32_t width = 0, height = 0;
  char * at = (char *)text;
  if (
    !fw__text_integer(&at, 1, CLI_FOOTPRINT_MAX, &width) || !fw__text_skip(&at, "x") ||
    !fw__text_integer(&at, 1, CLI_FOOTPRINT_MAX, &height) || *at != '\0' || width * height > CLI_FOOTPRINT_MAX) {
    return cli_error(
      CLI_USAGE, "--footprint must be WxH, such as 2x2, with at most %d cells, not \"%s\"", CLI_FOOTPRINT_MAX, text);
  }
  *count = 0;
  for (int32_t i = 0; i < width * height; ++i) {
    FW_ASSERT(*count < CLI_FOOTPRINT_MAX);
    cells[(*count)++] = (fw_offset_t){i % width - (width - 1) / 2, i / width - (height - 1) / 2};
  }
  return CLI_SUCCESS;
}

int cli_route_parse_options(
  const cli_route_options_t * options, fw_offset_t cells[CLI_FOOTPRINT_MAX], fw_router_options_t * router)
{
  *router = (fw_router_options_t){
    .connectivity = (int32_t)options->connectivity,
    .clearance = (int32_t)options->clearance,
    .memory_max_bytes = (size_t)options->memory_mb << 20,
  };
  if (options->connectivity != 4 && options->connectivity != 6 && options->connectivity != 8) {
    return cli_error(CLI_USAGE, "--connectivity must be 4, 6 or 8, not %d", (int)options->connectivity);
  }
  if (strcmp(options->diagonal, "root") == 0) {
    router->diagonal = FW_DIAGONAL_ROOT;
  }
  if (options->footprint == NULL) {
    return CLI_SUCCESS;
  }
  router->footprint = cells;
  return read_footprint(options->footprint, cells, &router->footprint_count);
}

// ---- searches and settings ------------------------------------------------------------------------------------------

static const char * search_name(const void * state, int32_t index)
{
  (void)state;
  return index < fw_router_def_count() ? fw_router_def_at(index)->name : NULL;
}

static cli_setting_target_t target_of(const fw_router_def_t * search)
{
  return (cli_setting_target_t){search->name, search->parameters, search->parameter_count};
}

static int check_setting(const char * text, const char * const * searches, int32_t search_count)
{
  cli_setting_t setting;
  if (!cli_setting_parse(&setting, text)) {
    return cli_error(CLI_USAGE, "--set must be KEY=VALUE or SEARCH.KEY=VALUE, not \"%s\"", text);
  }
  bool is_known = false;
  for (int32_t i = 0; i < search_count; i++) {
    const fw_parameter_def_t * parameter = cli_setting_find(&setting, target_of(fw_router_def_find(searches[i])));
    fw_error_t error = {0};
    int64_t value;
    if (parameter != NULL && fw_parameter_parse(parameter, setting.value, &value, &error) != FW_RET_OK) {
      return cli_error(CLI_USAGE, "--set %s: %s", text, error.text);
    }
    is_known = is_known || parameter != NULL;
  }
  return is_known ? CLI_SUCCESS
                  : cli_error(
                      CLI_USAGE,
                      "--set %s: no search of this command has this parameter; see `fleetweave route --list`", text);
}

int cli_route_check_options(const cli_route_options_t * options, const char * const * searches, int32_t search_count)
{
  for (int32_t i = 0; i < search_count; i++) {
    if (fw_router_def_find(searches[i]) == NULL) {
      const char * suggestion = cli_suggest_name(searches[i], search_name, NULL);
      return suggestion != NULL
               ? cli_error(CLI_USAGE, "unknown search \"%s\"; did you mean %s?", searches[i], suggestion)
               : cli_error(CLI_USAGE, "unknown search \"%s\"; see `fleetweave route --list`", searches[i]);
    }
  }
  for (int32_t i = 0; i < options->settings.count; i++) {
    const int exit_code = check_setting(options->settings.items[i], searches, search_count);
    if (exit_code != CLI_SUCCESS) {
      return exit_code;
    }
  }
  return CLI_SUCCESS;
}

int cli_route_open(fw_router_t * router, const cli_route_request_t * request, fw_error_t * reason)
{
  fw_error_t error = {0};
  const cli_list_t * settings = &request->options->settings;
  const fw_router_def_t * def = fw_router_def_find(request->search);
  FW_ASSERT(def != NULL);  // cli_route_check_options has checked the name
  const fw_ret_t ret = fw_router_init(router, request->search, request->router_options, &error);
  if (ret == FW_RET_UNSUPPORTED && reason != NULL) {
    *reason = error;
    return CLI_NOT_SOLVED;
  }
  if (ret != FW_RET_OK) {
    return cli_error(ret == FW_RET_UNSUPPORTED ? CLI_NOT_SOLVED : CLI_FAILURE, "%s", error.text);
  }
  for (int32_t i = 0; i < settings->count; i++) {
    cli_setting_t setting;
    const bool is_valid = cli_setting_parse(&setting, settings->items[i]);
    FW_ASSERT(is_valid);  // cli_route_check_options has parsed it before
    if (!is_valid || cli_setting_find(&setting, target_of(def)) == NULL) {
      continue;  // a setting for another search of the command
    }
    if (fw_router_set(router, setting.key, setting.value, &error) != FW_RET_OK) {
      return cli_error(CLI_USAGE, "--set %s: %s", settings->items[i], error.text);
    }
  }
  return CLI_SUCCESS;
}

// ---- queries --------------------------------------------------------------------------------------------------------

// The cell of "X,Y", the argument of option `name`.
static int read_point(const char * name, const char * text, const fw_grid_t * grid, fw_cell_t * cell)
{
  int32_t x = 0, y = 0;
  char * at = (char *)text;
  if (
    !fw__text_integer(&at, INT32_MIN, INT32_MAX, &x) || !fw__text_skip(&at, ",") ||
    !fw__text_integer(&at, INT32_MIN, INT32_MAX, &y) || *at != '\0') {
    return cli_error(CLI_USAGE, "--%s must be X,Y, such as 3,17, not \"%s\"", name, text);
  }
  if (!fw_grid_contains(grid, x, y)) {
    return cli_error(
      CLI_USAGE, "--%s %s is outside the map, which has %d x %d cells", name, text, grid->width, grid->height);
  }
  *cell = fw_grid_cell(grid, x, y);
  return CLI_SUCCESS;
}

// Reads the optimal length of each query, the last field of its line. fw_scenario_read has checked the file before.
static void read_lengths(const char * path, cli_queries_t * queries)
{
  char line[4096];
  int32_t index = 0;
  FILE * stream = fopen(path, "r");
  if (stream == NULL || fgets(line, sizeof(line), stream) == NULL) {
    index = queries->count;  // the file was removed meanwhile: no lengths
  }
  while (index < queries->count && fgets(line, sizeof(line), stream) != NULL) {
    line[strcspn(line, "\r\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0') {
      continue;
    }
    const char * last = strrchr(line, '\t');
    last = last != NULL ? last : strrchr(line, ' ');
    char * end = NULL;
    const double length = last != NULL ? strtod(last, &end) : 0.0;
    queries->items[index++].length = last != NULL && end != last && length > 0.0 ? length : -1.0;
  }
  if (stream != NULL) {
    fclose(stream);
  }
}

// The queries are the robots of a scenario, read or random.
static int load_robots(cli_queries_t * queries, const cli_instance_t * instance, const cli_route_options_t * options)
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
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  queries->items = calloc((size_t)scenario.robot_count + 1, sizeof(*queries->items));
  for (int32_t i = 0; queries->items != NULL && i < scenario.robot_count; i++) {
    const fw_robot_t * robot = &scenario.robots[i];
    FW_ASSERT(robot->start >= 0 && robot->goal >= 0);
    queries->items[queries->count++] = (cli_query_t){.ends = {robot->start, robot->goal}, .length = -1.0};
  }
  fw_scenario_fini(&scenario);
  if (queries->items != NULL && given->scen != NULL) {
    read_lengths(given->scen, queries);
  }
  return queries->items != NULL ? CLI_SUCCESS : cli_error(CLI_FAILURE, "out of memory for the queries");
}

int cli_queries_load(cli_queries_t * queries, const cli_instance_t * instance, const cli_route_options_t * options)
{
  *queries = (cli_queries_t){0};
  if ((options->from == NULL) != (options->to == NULL)) {
    return cli_error(CLI_USAGE, "--from and --to must be given together");
  }
  if (options->from == NULL) {
    return load_robots(queries, instance, options);
  }
  if (options->instance.scen != NULL || options->instance.robots >= 0) {
    return cli_error(CLI_USAGE, "give --from and --to, or --scen and --queries, but not both");
  }
  queries->items = calloc(1, sizeof(*queries->items));
  if (queries->items == NULL) {
    return cli_error(CLI_FAILURE, "out of memory for the queries");
  }
  queries->count = 1;
  queries->items[0].length = -1.0;
  const int exit_code = read_point("from", options->from, &instance->grid, &queries->items[0].ends[0]);
  return exit_code == CLI_SUCCESS ? read_point("to", options->to, &instance->grid, &queries->items[0].ends[1])
                                  : exit_code;
}

void cli_queries_fini(cli_queries_t * queries)
{
  free(queries->items);
  *queries = (cli_queries_t){0};
}
