#include "cli/common/solve.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/solve_record.h"
#include "cli/common/words.h"
#include "fleetweave/planner_def.h"

#define AT(member) offsetof(cli_solve_options_t, member)

// clang-format off: a table reads better than a member per line
const cli_option_t cli_solve_options[] = {
  {.name = "set",
   .kind = CLI_LIST,
   .offset = AT(settings),
   .value = "KEY=VALUE",
   .help = "a parameter of the planner (`fleetweave list` shows them); may be repeated"},
  {.name = "time-limit",
   .letter = 't',
   .kind = CLI_NUMBER,
   .offset = AT(time_limit),
   .min = 0,
   .max = 1000000,
   .value = "SECONDS",
   .help = "stop with the best answer after so long (default: 30; 0: none)"},
  {.name = "expansions",
   .kind = CLI_INTEGER,
   .offset = AT(expansions),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "stop after N search nodes: the same answer on every machine (default: 0, none)"},
  {.name = "memory",
   .kind = CLI_INTEGER,
   .offset = AT(memory_mb),
   .min = 1,
   .max = 1 << 24,
   .value = "MB",
   .help = "the planner's memory (default: 2048)"},
  {.name = "threads",
   .kind = CLI_INTEGER,
   .offset = AT(threads),
   .min = 1,
   .max = 1024,
   .value = "N",
   .help = "changes the time, never the answer (default: 1)"},
};
// clang-format on

cli_solve_options_t cli_solve_options_default(void)
{
  return (cli_solve_options_t){.time_limit = 30.0, .memory_mb = 2048, .threads = 1};
}

// ---------------------------------------------------------------------------------------------------------------------
// Settings: "key=value" is for every planner that has the key, "planner.key=value" for that one
// ---------------------------------------------------------------------------------------------------------------------

typedef struct setting_t {
  char planner[64];  // empty: any
  char key[64];
  const char * value;
} setting_t;

static bool split(const char * text, setting_t * setting)
{
  const char * equals = strchr(text, '=');
  const char * dot = memchr(text, '.', equals != NULL ? (size_t)(equals - text) : 0);
  const char * key = dot != NULL ? dot + 1 : text;
  if (equals == NULL || equals == key || (size_t)(equals - text) >= sizeof(setting->key)) {
    return false;
  }
  snprintf(setting->planner, sizeof(setting->planner), "%.*s", dot != NULL ? (int)(dot - text) : 0, text);
  snprintf(setting->key, sizeof(setting->key), "%.*s", (int)(equals - key), key);
  setting->value = equals + 1;
  return true;
}

static bool has_parameter(const fw_planner_def_t * planner, const char * key)
{
  for (int32_t i = 0; i < planner->parameter_count; i++) {
    if (strcmp(planner->parameters[i].name, key) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_for(const setting_t * setting, const fw_planner_def_t * planner)
{
  return (setting->planner[0] == '\0' || strcmp(setting->planner, planner->name) == 0) &&
         has_parameter(planner, setting->key);
}

static const char * planner_name(const void * state, int32_t index)
{
  (void)state;
  const fw_planner_def_t * planner = fw_planner_def_at(index);
  return planner != NULL ? planner->name : NULL;
}

static const char * parameter_name(const void * state, int32_t index)
{
  const fw_planner_def_t * planner = state;
  return index < planner->parameter_count ? planner->parameters[index].name : NULL;
}

static int refuse_planner(const char * name)
{
  const char * nearest = cli_nearest(name, planner_name, NULL);
  if (nearest != NULL) {
    return cli_say(CLI_USAGE, "there is no planner \"%s\"; did you mean %s?", name, nearest);
  }
  return cli_say(CLI_USAGE, "there is no planner \"%s\"; `fleetweave list` shows those there are", name);
}

static int check_setting(const char * text, const char * const * planners, int32_t planner_count)
{
  setting_t setting;
  if (!split(text, &setting)) {
    return cli_say(CLI_USAGE, "--set wants KEY=VALUE, not \"%s\"", text);
  }
  const char * nearest = NULL;
  for (int32_t i = 0; i < planner_count; i++) {
    const fw_planner_def_t * planner = fw_planner_def_find(planners[i]);
    if (is_for(&setting, planner)) {
      return CLI_SOLVED;
    }
    nearest = nearest != NULL ? nearest : cli_nearest(setting.key, parameter_name, planner);
  }
  if (nearest != NULL && setting.planner[0] == '\0') {
    return cli_say(CLI_USAGE, "--set: %s has no parameter \"%s\"; did you mean %s?", planners[0], setting.key, nearest);
  }
  return cli_say(CLI_USAGE, "--set %s: no planner of this command has that parameter; see `fleetweave list`", text);
}

int cli_solve_check_names(const cli_solve_options_t * options, const char * const * planners, int32_t planner_count)
{
  for (int32_t i = 0; i < planner_count; i++) {
    if (fw_planner_def_find(planners[i]) == NULL) {
      return refuse_planner(planners[i]);
    }
  }
  int exit_code = CLI_SOLVED;
  for (int32_t i = 0; exit_code == CLI_SOLVED && i < options->settings.count; i++) {
    exit_code = check_setting(options->settings.items[i], planners, planner_count);
  }
  return exit_code;
}

// ---------------------------------------------------------------------------------------------------------------------
// Solving
// ---------------------------------------------------------------------------------------------------------------------

static int start_planner(fw_planner_t * planner, const cli_solve_request_t * request)
{
  fw_error_t error = {0};
  const cli_solve_options_t * options = request->options;
  fw_planner_options_t planner_options = fw_planner_options_default();
  planner_options.memory_max_bytes = (size_t)options->memory_mb << 20;
  planner_options.threads = (int32_t)options->threads;
  planner_options.seed = request->seed;
  if (fw_planner_init(planner, request->planner, &planner_options, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  for (int32_t i = 0; i < options->settings.count; i++) {
    setting_t setting;
    if (!split(options->settings.items[i], &setting) || !is_for(&setting, fw_planner_definition(planner))) {
      continue;
    }
    if (fw_planner_set(planner, setting.key, setting.value, &error) != FW_RET_OK) {
      return cli_say(CLI_USAGE, "--set: %s", error.text);
    }
  }
  return CLI_SOLVED;
}

static int check_answer(const fw_problem_t * problem, const fw_plan_t * plan, const char * planner)
{
  fw_error_t error = {0};
  fw_conflict_t conflict = {0};
  if (fw_check_plan(problem, plan, NULL, &conflict, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "the plan cannot be checked: %s", error.text);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    return cli_say(CLI_FAILURE, "the plan of %s fails its check: %s", planner, text);
  }
  return CLI_SOLVED;
}

int cli_solve_run(cli_solve_t * solve, const cli_solve_request_t * request)
{
  int exit_code = start_planner(&solve->planner, request);
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  fw_error_t error = {0};
  cli_progress_t * progress = request->progress;
  progress->limit_seconds = request->options->time_limit;
  cli_progress_start(progress);
  fw_budget_t budget = {
    .expansions_max = request->options->expansions,
    .is_cancelled = cli_progress_is_cancelled,
    .cancel_state = progress,
  };
  if (request->options->time_limit > 0.0) {
    budget.deadline_ns = fw_clock_now_ns() + (int64_t)(request->options->time_limit * 1e9);
  }
  const fw_ret_t ret = request->record != NULL
                         ? cli_solve_recorded(solve, request, &budget, &error)
                         : fw_planner_solve(&solve->planner, request->problem, &budget, &solve->plan, &error);
  cli_progress_wipe();
  if (ret != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  return check_answer(request->problem, &solve->plan, request->planner);
}

int32_t cli_count_on_goal(const fw_problem_t * problem, const fw_plan_t * plan)
{
  int32_t count = 0;
  for (int32_t robot = 0; robot < plan->robot_count; robot++) {
    count += fw_path_at(&plan->paths[robot], FW_TICK_MAX) == problem->robots[robot].goal ? 1 : 0;
  }
  return count;
}

void cli_solve_fini(cli_solve_t * solve)
{
  fw_planner_fini(&solve->planner);
  *solve = (cli_solve_t){0};
}
