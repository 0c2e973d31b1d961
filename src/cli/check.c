// `fleetweave check`: is a plan in a file what it says?

#include <stdio.h>

#include "cli/cli.h"
#include "cli/plan_file.h"
#include "cli/common/solve.h"
#include "cli/common/words.h"

// The header is a claim about the paths; a wrong one is said, but the paths are what robots follow. The figures of an
// unfinished plan mean different things to different tools.
static void compare_header(const cli_plan_file_t * plan_file)
{
  const cli_plan_header_t * header = &plan_file->header;
  const fw_stats_t * stats = &plan_file->plan.stats;
  if (!plan_file->file.is_solved) {
    return;
  }
  if (header->sum_of_costs >= 0 && header->sum_of_costs != stats->sum_of_costs) {
    (void)cli_say(
      CLI_SOLVED, "note: the header says soc=%lld, the paths cost %lld", (long long)header->sum_of_costs,
      (long long)stats->sum_of_costs);
  }
  if (header->makespan >= 0 && header->makespan != stats->makespan) {
    (void)cli_say(
      CLI_SOLVED, "note: the header says makespan=%lld, the last robot arrives at tick %d", (long long)header->makespan,
      stats->makespan);
  }
}

static int check(const cli_plan_file_t * plan_file, const char * path)
{
  const fw_problem_t * problem = &plan_file->instance.problem;
  const fw_plan_t * plan = &plan_file->plan;
  fw_error_t error = {0};
  fw_conflict_t conflict = {0};
  if (fw_check_plan(problem, plan, NULL, &conflict, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s: %s", path, error.text);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    printf("conflict (%s): %s\n", fw_conflict_kind_name(conflict.kind), text);
    return CLI_NOT_SOLVED;
  }
  compare_header(plan_file);
  if (plan->outcome != FW_OUTCOME_SOLVED) {
    printf(
      "incomplete: no conflict in %d ticks, %d of %d robots end on their goals (the file says solved=0)\n",
      plan->safe_until, cli_count_on_goal(problem, plan), problem->robot_count);
    return CLI_NOT_SOLVED;
  }
  printf(
    "ok: %d robots, %d ticks, %d-connected%s, robust ticks %d; sum of costs %lld, makespan %d\n", problem->robot_count,
    plan->paths[0].length - 1, problem->connectivity, problem->cuts_corners ? " with corners cut" : "",
    problem->robust_ticks, (long long)plan->stats.sum_of_costs, plan->stats.makespan);
  printf(
    "checked: starts, goals, obstacles, moves, no two robots on one cell, no swaps%s%s%s\n",
    problem->connectivity == 8 ? ", no crossing diagonals" : "",
    problem->robust_ticks > 0 ? ", cells left long enough" : "",
    problem->closure_count > 0 ? ", nobody where it is closed" : "");
  return CLI_SOLVED;
}

static int run(int argument_count, char ** arguments)
{
  cli_instance_options_t options = cli_instance_options_default();
  const cli_group_t groups[] = {
    {"Map (default: the one that the plan names)", cli_map_options, CLI_MAP_OPTION_COUNT, &options},
    {"Robots (default: starts and goals of the plan)", cli_robot_options, 2, &options},
    {"Rules of motion", cli_rule_options, CLI_RULE_OPTION_COUNT, &options},
  };
  const cli_manual_t manual = {
    .name = "check",
    .usage = "[--map FILE | --make LINE] [--scen FILE] [--robots N] PLAN",
    .about =
      "Checks a plan in a file, apart from any planner: every robot begins at its start, moves as it may,\n"
      "meets nobody and ends on its goal. Says what was checked, or the first conflict. A file that was planned\n"
      "with --cut-corners says so, and is judged by that.",
    .groups = groups,
    .group_count = 3,
    .operand_count = 1,
    .operand = "a PLAN file",
    .examples =
      "  fleetweave check plan.txt\n"
      "  fleetweave check --map hall.map --scen hall.scen --robots 50 plan.txt\n"
      "  fleetweave check --connectivity 8 --robust-ticks 1 plan.txt\n"
      "  fleetweave check --closures doors.txt --fleet fleet.txt plan.txt",
    .exit_codes = "0 the plan is right, 1 it has a conflict or is not complete, 2 wrong command line, 3 failure.",
  };
  const char * path = NULL;
  const int parsed = cli_parse(&manual, argument_count, arguments, &path);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  cli_plan_file_t plan_file = {0};
  int exit_code = cli_plan_file_load(&plan_file, path, &options);
  if (exit_code == CLI_SOLVED) {
    exit_code = check(&plan_file, path);
  }
  cli_plan_file_fini(&plan_file);
  return exit_code;
}

const cli_command_t cli_command_check = {
  .name = "check",
  .summary = "check a plan in a file, apart from any planner",
  .run = run,
};
