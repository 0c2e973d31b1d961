// `fleetweave check`: validates a plan file with the independent checker.

#include <stdio.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/message.h"
#include "cli/common/plan_file.h"
#include "cli/common/solve.h"

// Compares the figures in the header of the file with the paths. A difference is only a note, because robots follow the
// paths. The header of an incomplete plan is ignored: other tools define its figures in other ways.
static void compare_header(const cli_plan_file_t * plan_file)
{
  const cli_plan_header_t * header = &plan_file->header;
  const fw_stats_t * stats = &plan_file->plan.stats;
  if (!plan_file->file.is_solved) {
    return;
  }
  if (header->sum_of_costs >= 0 && header->sum_of_costs != stats->sum_of_costs) {
    cli_note(
      "the header says soc=%lld, but the sum of costs of the paths is %lld", (long long)header->sum_of_costs,
      (long long)stats->sum_of_costs);
  }
  if (header->makespan >= 0 && header->makespan != stats->makespan) {
    cli_note(
      "the header says makespan=%lld, but the last robot arrives at tick %d", (long long)header->makespan,
      stats->makespan);
  }
}

static int check(const cli_plan_file_t * plan_file, const char * path)
{
  const fw_problem_t * problem = &plan_file->instance.problem;
  const fw_plan_t * plan = &plan_file->plan;
  FW_ASSERT(plan->robot_count > 0 && plan->paths != NULL);
  fw_error_t error = {0};
  fw_conflict_t conflict = {0};
  if (fw_check_plan(problem, plan, NULL, &conflict, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s: %s", path, error.text);
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
      "incomplete: no conflict in %d ticks, %d of %d robots end at their goals (the file says solved=0)\n",
      plan->safe_until, cli_count_on_goal(problem, plan), problem->robot_count);
    return CLI_NOT_SOLVED;
  }
  printf(
    "ok: %d robot%s, %d ticks, %d-connected%s, robust ticks %d; sum of costs %lld, makespan %d\n", problem->robot_count,
    problem->robot_count == 1 ? "" : "s", plan->paths[0].length - 1, problem->connectivity,
    problem->cuts_corners ? " with corners cut" : "", problem->robust_ticks, (long long)plan->stats.sum_of_costs,
    plan->stats.makespan);
  printf(
    "checked: starts, goals, obstacles, moves, vertex conflicts, swap conflicts%s%s%s%s\n",
    problem->connectivity == 8 ? ", crossing diagonals" : "", problem->robust_ticks > 0 ? ", robust ticks" : "",
    problem->closure_count > 0 ? ", closures" : "",
    fw_grid_has_rules(problem->grid) ? ", one-way and no-waiting areas" : "");
  return CLI_SUCCESS;
}

#define AT(member) offsetof(cli_instance_options_t, member)

static const cli_option_t robot_options[] = {
  {.name = "scen",
   .kind = CLI_TEXT,
   .offset = AT(scen),
   .value = "FILE",
   .help = "take the starts and goals from a MovingAI .scen file instead"},
  {.name = "robots",
   .letter = 'n',
   .kind = CLI_INTEGER,
   .offset = AT(robots),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "use the first N robots of the scenario; the plan must have as many\n(default: as many as the plan)"},
  {0},
};

static int run(int argument_count, char ** arguments)
{
  cli_instance_options_t options = cli_instance_options_default();
  const cli_group_t groups[] = {
    {"Map (default: the map named in the plan)", cli_map_options, .values = &options},
    {"Robots (default: the starts and goals in the plan)", robot_options, .values = &options},
    {"Rules of motion", cli_rule_options, .values = &options},
    {0},
  };
  const cli_manual_t manual = {
    .name = "check",
    .usage = "[--map FILE | --make SPEC] [--scen FILE] [--robots N] PLAN",
    .about =
      "Checks a plan file, independently of the planners: every robot starts at its start, makes only legal\n"
      "moves, has no conflict with another robot and ends at its goal. Prints what was checked, or the first\n"
      "conflict. A plan that was made with --cut-corners is marked so in the file and is checked by that rule.",
    .groups = groups,
    .operand_count = 1,
    .operand = "a PLAN file",
    .examples =
      "  fleetweave check plan.txt\n"
      "  fleetweave check --map hall.map --scen hall.scen --robots 50 plan.txt\n"
      "  fleetweave check --connectivity 8 --robust-ticks 1 plan.txt\n"
      "  fleetweave check --closures doors.txt --fleet fleet.txt plan.txt",
    .exit_codes = "0 the plan is valid, 1 it has a conflict or is incomplete, 2 invalid command line, 3 failure.",
  };
  const char * path = NULL;
  const int parsed = cli_parse(&manual, argument_count, arguments, &path);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  cli_plan_file_t plan_file = {0};
  int exit_code = cli_plan_file_load(&plan_file, path, &options);
  if (exit_code == CLI_SUCCESS) {
    exit_code = check(&plan_file, path);
  }
  cli_plan_file_fini(&plan_file);
  return exit_code;
}

const cli_command_t cli_command_check = {
  .name = "check",
  .summary = "check a plan file, independently of the planners",
  .run = run,
};
