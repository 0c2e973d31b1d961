
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/common/command.h"
#include "cli/common/message.h"
#include "cli/common/setting.h"
#include "cli/common/solve.h"
#include "fleetweave/planner_def.h"
#include "plan/record.h"

#define AT(member) offsetof(cli_solve_options_t, member)

const cli_option_t cli_planner_options[] = {
  {.name = "planner",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(planner),
   .value = "NAME",
   .help = "planner to use, see `fleetweave list` (default: auto)"},
  {0},
};

const cli_option_t cli_solve_options[] = {
  {.name = "set",
   .kind = CLI_LIST,
   .offset = AT(settings),
   .value = "KEY=VALUE",
   .help = "set a parameter of the planner, see `fleetweave list`; may be repeated"},
  {.name = "time-limit",
   .letter = 't',
   .kind = CLI_NUMBER,
   .offset = AT(time_limit),
   .min = 0,
   .max = 1000000,
   .value = "SECONDS",
   .help = "stop after this time with the best plan found so far (default: 30; 0: no limit)"},
  {.name = "expansions",
   .kind = CLI_INTEGER,
   .offset = AT(expansions),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "stop after N expanded nodes; unlike --time-limit, this gives the same plan\non every machine (default: 0, "
           "no limit)"},
  {.name = "memory",
   .kind = CLI_INTEGER,
   .offset = AT(memory_mb),
   .min = 1,
   .max = 1 << 24,
   .value = "MB",
   .help = "memory limit of the planner (default: 2048)"},
  {.name = "threads",
   .kind = CLI_INTEGER,
   .offset = AT(threads),
   .min = 1,
   .max = 1024,
   .value = "N",
   .help = "number of threads; the plan does not depend on it (default: 1)"},
  {0},
};

cli_solve_options_t cli_solve_options_default(void)
{
  return (cli_solve_options_t){.planner = "auto", .time_limit = 30.0, .memory_mb = 2048, .threads = 1};
}

// ---- settings -------------------------------------------------------------------------------------------------------

static cli_setting_target_t target_of(const fw_planner_def_t * planner)
{
  return (cli_setting_target_t){planner->name, planner->parameters, planner->parameter_count};
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
  const char * suggestion = cli_suggest_name(name, planner_name, NULL);
  if (suggestion != NULL) {
    return cli_error(CLI_USAGE, "unknown planner \"%s\"; did you mean %s?", name, suggestion);
  }
  return cli_error(CLI_USAGE, "unknown planner \"%s\"; `fleetweave list` shows all planners", name);
}

// Another planner that has the parameter, NULL if there is none.
static const char * find_owner(const cli_setting_t * setting)
{
  const char * owner = NULL;
  for (int32_t i = 0; owner == NULL && fw_planner_def_at(i) != NULL; i++) {
    owner = cli_setting_find(setting, target_of(fw_planner_def_at(i))) != NULL ? fw_planner_def_at(i)->name : NULL;
  }
  return owner;
}

static int check_setting(const char * text, const char * const * planners, int32_t planner_count)
{
  cli_setting_t setting;
  if (!cli_setting_parse(&setting, text)) {
    return cli_error(CLI_USAGE, "--set must be KEY=VALUE or PLANNER.KEY=VALUE, not \"%s\"", text);
  }
  const char * suggestion = NULL;
  for (int32_t i = 0; i < planner_count; i++) {
    const fw_planner_def_t * planner = fw_planner_def_find(planners[i]);
    if (cli_setting_find(&setting, target_of(planner)) != NULL) {
      return CLI_SUCCESS;
    }
    suggestion = suggestion != NULL ? suggestion : cli_suggest_name(setting.key, parameter_name, planner);
  }
  if (suggestion != NULL && setting.owner[0] == '\0') {
    return cli_error(
      CLI_USAGE, "--set: %s has no parameter \"%s\"; did you mean %s?", planners[0], setting.key, suggestion);
  }
  const char * owner = find_owner(&setting);
  if (owner != NULL) {
    return cli_error(CLI_USAGE, "--set %s: %s has no such parameter, but %s has", text, planners[0], owner);
  }
  return cli_error(
    CLI_USAGE, "--set %s: no planner of this command has this parameter; `fleetweave list` shows the parameters", text);
}

int cli_solve_check_options(const cli_solve_options_t * options, const char * const * planners, int32_t planner_count)
{
  for (int32_t i = 0; i < planner_count; i++) {
    if (fw_planner_def_find(planners[i]) == NULL) {
      return refuse_planner(planners[i]);
    }
  }
  int exit_code = CLI_SUCCESS;
  for (int32_t i = 0; exit_code == CLI_SUCCESS && i < options->settings.count; i++) {
    exit_code = check_setting(options->settings.items[i], planners, planner_count);
  }
  return exit_code;
}

// ---- record ---------------------------------------------------------------------------------------------------------

// The planner with all its parameters, as the record holds it.
static fw_record_planner_t describe(const cli_solve_t * solve, const cli_solve_request_t * request)
{
  const fw_planner_def_t * def = fw_planner_definition(&solve->planner);
  fw_record_planner_t planner = {
    .threads = (int32_t)request->options->threads,
    .seed = request->seed,
    .memory_max_bytes = (size_t)request->options->memory_mb << 20,
    .parameter_count = def->parameter_count,
  };
  snprintf(planner.name, sizeof(planner.name), "%s", def->name);
  FW_ASSERT(def->parameter_count <= (int32_t)(sizeof(planner.names) / sizeof(planner.names[0])));
  for (int32_t i = 0; i < def->parameter_count; i++) {
    snprintf(planner.names[i], sizeof(planner.names[i]), "%s", def->parameters[i].name);
    if (
      fw_planner_get(&solve->planner, planner.names[i], planner.values[i], sizeof(planner.values[i]), NULL) !=
      FW_RET_OK) {
      FW_ASSERT(false);  // the planner has this parameter
      planner.values[i][0] = '\0';
    }
  }
  return planner;
}

// As fw_planner_solve, and writes a record of it. Also returns FW_RET_FILE if the record cannot be written.
static fw_ret_t solve_recorded(
  cli_solve_t * solve, const cli_solve_request_t * request, const fw_budget_t * budget, fw_error_t * error)
{
  fw_record_writer_t writer = {0};
  fw_replay_clock_t clock = {0};
  fw_ret_t ret = fw__record_writer_open(&writer, request->record, INT64_MAX, error);
  const fw_record_planner_t planner = describe(solve, request);
  if (ret == FW_RET_OK) {
    ret = fw__record_writer_add_problem(&writer, &planner, request->problem, error);
  }
  if (ret == FW_RET_OK) {
    const fw_budget_t recorded = fw__replay_clock_record(&clock, budget);
    const fw_ret_t solved = fw_planner_solve(&solve->planner, request->problem, &recorded, &solve->plan, error);
    const fw_record_result_t result = {request->problem, &clock.notes, solved, &solve->plan};
    fw_error_t write_error = {0};
    ret = fw__record_writer_add_result(&writer, &result, &write_error);
    if (ret != FW_RET_OK && solved == FW_RET_OK) {
      *error = write_error;
    }
    ret = solved != FW_RET_OK ? solved : ret;
  }
  fw__record_writer_close(&writer);
  return ret;
}

// ---- solve ----------------------------------------------------------------------------------------------------------

static int start_planner(fw_planner_t * planner, const cli_solve_request_t * request)
{
  fw_error_t error = {0};
  const cli_solve_options_t * options = request->options;
  fw_planner_options_t planner_options = fw_planner_options_default();
  planner_options.memory_max_bytes = (size_t)options->memory_mb << 20;
  planner_options.threads = (int32_t)options->threads;
  planner_options.seed = request->seed;
  if (fw_planner_init(planner, request->planner, &planner_options, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  for (int32_t i = 0; i < options->settings.count; i++) {
    cli_setting_t setting;
    const bool is_valid = cli_setting_parse(&setting, options->settings.items[i]);
    FW_ASSERT(is_valid);  // cli_solve_check_options has parsed it before
    if (!is_valid || cli_setting_find(&setting, target_of(fw_planner_definition(planner))) == NULL) {
      continue;  // a setting for another planner of the command
    }
    const fw_ret_t ret = fw_planner_set(planner, setting.key, setting.value, &error);
    if (ret != FW_RET_OK) {
      return cli_error(ret == FW_RET_NO_DEVICE ? CLI_FAILURE : CLI_USAGE, "--set: %s", error.text);
    }
  }
  return CLI_SUCCESS;
}

static int check_plan(const fw_problem_t * problem, const fw_plan_t * plan, const char * planner)
{
  fw_error_t error = {0};
  fw_conflict_t conflict = {0};
  if (fw_check_plan(problem, plan, NULL, &conflict, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "cannot check the plan: %s", error.text);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    return cli_error(CLI_FAILURE, "internal error: the plan of %s has a conflict: %s", planner, text);
  }
  return CLI_SUCCESS;
}

int cli_solve_run(cli_solve_t * solve, const cli_solve_request_t * request)
{
  FW_ASSERT(request->problem != NULL && request->options != NULL && request->progress != NULL);
  int exit_code = start_planner(&solve->planner, request);
  if (exit_code != CLI_SUCCESS) {
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
                         ? solve_recorded(solve, request, &budget, &error)
                         : fw_planner_solve(&solve->planner, request->problem, &budget, &solve->plan, &error);
  cli_progress_clear();
  if (ret != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  return check_plan(request->problem, &solve->plan, request->planner);
}

int32_t cli_count_on_goal(const fw_problem_t * problem, const fw_plan_t * plan)
{
  FW_ASSERT(plan->robot_count <= problem->robot_count);
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
