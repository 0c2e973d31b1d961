// Searches for one robot: the options that `route` and `bench search` share.

#include "cli/common/route_search.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/words.h"

#define AT(member) offsetof(cli_route_options_t, member)

// clang-format off: a table reads better than a member per line
const cli_option_t cli_question_options[] = {
  {.name = "scen",
   .kind = CLI_TEXT,
   .offset = AT(instance.scen),
   .value = "FILE",
   .help = "questions from a MovingAI .scen file; default: random ones from --seed"},
  {.name = "queries",
   .letter = 'n',
   .kind = CLI_INTEGER,
   .offset = AT(instance.robots),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "the first N of the scenario (default: all), or N random ones"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(instance.seed),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "for random questions (default: 0)"},
};

const cli_option_t cli_motion_options[] = {
  {.name = "connectivity",
   .kind = CLI_INTEGER,
   .offset = AT(connectivity),
   .min = 4,
   .max = 8,
   .value = "4|6|8",
   .help = "moves along the axes, hexagonal tiles (odd rows half a tile to the east),\n"
           "or diagonal moves too (default: 8)"},
  {.name = "diagonal",
   .kind = CLI_TEXT,
   .offset = AT(diagonal),
   .value = "root|tick",
   .help = "a diagonal is as long as the square root of 2, as in .scen files, or\n"
           "takes a tick like any move, as for planners (default: root)"},
  {.name = "footprint",
   .kind = CLI_TEXT,
   .offset = AT(footprint),
   .value = "WxH",
   .help = "cells that the robot covers, W by H around its own (default: 1x1)"},
  {.name = "clearance",
   .kind = CLI_INTEGER,
   .offset = AT(clearance),
   .min = 0,
   .max = FW_CLEARANCE_MAX,
   .value = "CELLS",
   .help = "obstacles and edges grow by so many cells (default: 0)"},
};

const cli_option_t cli_search_options[] = {
  {.name = "set",
   .kind = CLI_LIST,
   .offset = AT(settings),
   .value = "[SEARCH.]KEY=VALUE",
   .help = "a parameter of the search, see `fleetweave route --list`; may be repeated"},
  {.name = "expansions",
   .kind = CLI_INTEGER,
   .offset = AT(expansions),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "give a question up after so many expansions (default: 0, no limit)"},
  {.name = "memory",
   .kind = CLI_INTEGER,
   .offset = AT(memory_mb),
   .min = 0,
   .max = 1 << 20,
   .value = "MB",
   .help = "all that a search may hold (default: 0, no limit)"},
};
// clang-format on

cli_route_options_t cli_route_options_default(void)
{
  return (cli_route_options_t){.instance = cli_instance_options_default(), .connectivity = 8, .diagonal = "root"};
}

// "3x2": three cells from west to east and two from north to south, around the robot's own in the middle.
static int read_footprint(const char * text, fw_offset_t * cells, int32_t * count)
{
  int width = 0, height = 0, end = 0;
  if (
    sscanf(text, "%dx%d%n", &width, &height, &end) != 2 || text[end] != '\0' || width < 1 || height < 1 ||
    width > CLI_FOOTPRINT_MAX || height > CLI_FOOTPRINT_MAX || width * height > CLI_FOOTPRINT_MAX) {
    return cli_say(
      CLI_USAGE, "--footprint must be WxH, such as 2x2, with at most %d cells, not \"%s\"", CLI_FOOTPRINT_MAX, text);
  }
  *count = 0;
  for (int32_t i = 0; i < width * height; ++i) {
    cells[(*count)++] = (fw_offset_t){i % width - (width - 1) / 2, i / width - (height - 1) / 2};
  }
  return CLI_SOLVED;
}

int cli_route_read_options(
  const cli_route_options_t * options, fw_offset_t cells[CLI_FOOTPRINT_MAX], fw_router_options_t * router)
{
  *router = (fw_router_options_t){
    .connectivity = (int32_t)options->connectivity,
    .clearance = (int32_t)options->clearance,
    .memory_max_bytes = (size_t)options->memory_mb << 20,
  };
  if (options->connectivity != 4 && options->connectivity != 6 && options->connectivity != 8) {
    return cli_say(CLI_USAGE, "--connectivity must be 4, 6 or 8, not %d", (int)options->connectivity);
  }
  if (strcmp(options->diagonal, "root") == 0) {
    router->diagonal = FW_DIAGONAL_ROOT;
  } else if (strcmp(options->diagonal, "tick") != 0) {
    return cli_say(CLI_USAGE, "--diagonal must be root or tick, not \"%s\"", options->diagonal);
  }
  if (options->footprint == NULL) {
    return CLI_SOLVED;
  }
  router->footprint = cells;
  return read_footprint(options->footprint, cells, &router->footprint_count);
}

// ---- names and settings ---------------------------------------------------------------------------------------------

static const char * search_name(const void * state, int32_t index)
{
  (void)state;
  return index < fw_router_def_count() ? fw_router_def_at(index)->name : NULL;
}

typedef struct setting_t {
  char search[32];  // empty: all that have the key
  char key[32];
  const char * value;
} setting_t;

static bool cut_setting(const char * text, setting_t * setting)
{
  const char * equals = strchr(text, '=');
  const char * dot = strchr(text, '.');
  dot = dot != NULL && equals != NULL && dot < equals ? dot : NULL;
  const char * key = dot != NULL ? dot + 1 : text;
  if (
    equals == NULL || equals == key || (size_t)(equals - key) >= sizeof(setting->key) ||
    (dot != NULL && (size_t)(dot - text) >= sizeof(setting->search))) {
    return false;
  }
  snprintf(setting->search, sizeof(setting->search), "%.*s", dot != NULL ? (int)(dot - text) : 0, text);
  snprintf(setting->key, sizeof(setting->key), "%.*s", (int)(equals - key), key);
  setting->value = equals + 1;
  return true;
}

static const fw_parameter_def_t * find_parameter(const fw_router_def_t * def, const setting_t * setting)
{
  if (setting->search[0] != '\0' && strcmp(setting->search, def->name) != 0) {
    return NULL;
  }
  for (int32_t i = 0; i < def->parameter_count; i++) {
    if (strcmp(def->parameters[i].name, setting->key) == 0) {
      return &def->parameters[i];
    }
  }
  return NULL;
}

static int check_setting(const char * text, const char * const * searches, int32_t search_count)
{
  setting_t setting;
  if (!cut_setting(text, &setting)) {
    return cli_say(CLI_USAGE, "--set wants KEY=VALUE or SEARCH.KEY=VALUE, not \"%s\"", text);
  }
  bool is_known = false;
  for (int32_t i = 0; i < search_count; i++) {
    const fw_parameter_def_t * parameter = find_parameter(fw_router_def_find(searches[i]), &setting);
    fw_error_t error = {0};
    int64_t value;
    if (parameter != NULL && fw_parameter_parse(parameter, setting.value, &value, &error) != FW_RET_OK) {
      return cli_say(CLI_USAGE, "--set %s: %s", text, error.text);
    }
    is_known = is_known || parameter != NULL;
  }
  return is_known
           ? CLI_SOLVED
           : cli_say(CLI_USAGE, "--set %s: no search here has that parameter; see `fleetweave route --list`", text);
}

int cli_route_check_names(const cli_route_options_t * options, const char * const * searches, int32_t search_count)
{
  for (int32_t i = 0; i < search_count; i++) {
    if (fw_router_def_find(searches[i]) == NULL) {
      const char * nearest = cli_nearest(searches[i], search_name, NULL);
      return nearest != NULL
               ? cli_say(CLI_USAGE, "there is no search \"%s\"; did you mean %s?", searches[i], nearest)
               : cli_say(CLI_USAGE, "there is no search \"%s\"; see `fleetweave route --list`", searches[i]);
    }
  }
  for (int32_t i = 0; i < options->settings.count; i++) {
    const int exit_code = check_setting(options->settings.items[i], searches, search_count);
    if (exit_code != CLI_SOLVED) {
      return exit_code;
    }
  }
  return CLI_SOLVED;
}

int cli_route_open(
  fw_router_t * router, const char * search, const cli_route_options_t * options,
  const fw_router_options_t * router_options, fw_error_t * reason)
{
  fw_error_t error = {0};
  const fw_router_def_t * def = fw_router_def_find(search);
  const fw_ret_t ret = fw_router_init(router, search, router_options, &error);
  if (ret == FW_RET_UNSUPPORTED && reason != NULL) {
    *reason = error;
    return CLI_NOT_SOLVED;
  }
  if (ret != FW_RET_OK) {
    return cli_say(ret == FW_RET_UNSUPPORTED ? CLI_NOT_SOLVED : CLI_FAILURE, "%s", error.text);
  }
  for (int32_t i = 0; i < options->settings.count; i++) {
    setting_t setting;
    if (!cut_setting(options->settings.items[i], &setting) || find_parameter(def, &setting) == NULL) {
      continue;
    }
    if (fw_router_set(router, setting.key, setting.value, &error) != FW_RET_OK) {
      return cli_say(CLI_USAGE, "--set %s: %s", options->settings.items[i], error.text);
    }
  }
  return CLI_SOLVED;
}
