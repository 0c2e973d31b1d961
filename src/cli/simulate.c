// `fleetweave simulate`: plans, drives the plan with robots that are late, and tells how that went.

#include "cli/simulate.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/common/words.h"

static int weave(const cli_simulate_options_t * options, fw_execution_t * execution, const cli_simulated_t * simulated)
{
  fw_error_t error = {0};
  fw_execution_options_t used = fw_execution_options_default();
  used.seconds_per_tick = options->seconds_per_tick;
  used.ahead_max = options->ahead;
  used.rings = options->rings_together ? FW_RINGS_TOGETHER : FW_RINGS_REFUSED;
  if (fw_execution_init(execution, &used, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  const fw_execution_splice_t splice = {.problem = &simulated->instance->problem, .plan = simulated->plan};
  switch (fw_execution_splice(execution, &splice, &error)) {
    case FW_RET_OK:
      return CLI_SOLVED;
    case FW_RET_UNSUPPORTED:
      return cli_say(CLI_NOT_SOLVED, "%s (--robust-ticks, --rings-together)", error.text);
    default:
      return cli_say(CLI_FAILURE, "%s", error.text);
  }
}

static int drive(cli_simulated_t * simulated, const fw_simulated_fleet_options_t * delays)
{
  const cli_simulate_options_t * options = simulated->options;
  fw_error_t error = {0};
  fw_simulated_fleet_t fleet = {0};
  const int64_t begin_ns = fw_clock_now_ns();
  fw_ret_t ret = fw_simulated_fleet_init(&fleet, simulated->execution, delays, &error);
  if (ret == FW_RET_OK) {
    ret = fw_simulated_fleet_run(&fleet, options->limit, &error);
  }
  if (ret != FW_RET_OK) {
    fw_simulated_fleet_fini(&fleet);
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  simulated->result = fw_simulated_fleet_result(&fleet);
  simulated->elapsed_seconds = 1e-9 * (double)(fw_clock_now_ns() - begin_ns);
  simulated->radius =
    delays->radius > 0.0 ? delays->radius : fw_simulated_fleet_radius(simulated->execution, delays->noise);
  if (options->is_json) {
    cli_simulate_print_json(simulated);
  } else {
    cli_simulate_print(simulated);
  }
  const fw_simulated_result_t * result = &simulated->result;
  const bool is_well = result->overlaps == 0 && !result->is_deadlock && result->arrived == result->robots &&
                       simulated->plan->outcome == FW_OUTCOME_SOLVED;
  fw_simulated_fleet_fini(&fleet);
  return is_well ? CLI_SOLVED : CLI_NOT_SOLVED;
}

static int solve(const cli_simulate_options_t * options, cli_instance_t * instance, cli_solve_t * solution)
{
  int exit_code = cli_solve_check_names(&options->solve, &options->planner, 1);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_instance_load_grid(instance, &options->instance);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_instance_load_robots(instance, &options->instance);
  }
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  cli_progress_t progress = {0};
  snprintf(progress.label, sizeof(progress.label), "%s, %d robots", options->planner, instance->problem.robot_count);
  const cli_solve_request_t request = {
    .planner = options->planner,
    .problem = &instance->problem,
    .seed = (uint64_t)options->instance.seed,
    .options = &options->solve,
    .progress = &progress,
  };
  return cli_solve_run(solution, &request);
}

static int plan_and_drive(const cli_simulate_options_t * options)
{
  fw_simulated_fleet_options_t delays;
  int exit_code = cli_simulate_read_delays(options, &delays);
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  cli_instance_t instance = {0};
  cli_solve_t solution = {0};
  fw_execution_t execution = {0};
  exit_code = solve(options, &instance, &solution);
  cli_simulated_t simulated = {
    .options = options, .instance = &instance, .plan = &solution.plan, .execution = &execution};
  if (exit_code == CLI_SOLVED) {
    exit_code = weave(options, &execution, &simulated);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = drive(&simulated, &delays);
  }
  fw_execution_fini(&execution);
  cli_solve_fini(&solution);
  cli_instance_fini(&instance);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  cli_simulate_options_t options = cli_simulate_options_default();
  cli_group_t groups[CLI_SIMULATE_GROUPS_MAX];
  cli_option_t rules[CLI_RULE_BODY_COUNT];
  const int32_t group_count = cli_simulate_groups(&options, groups, rules);
  const cli_manual_t manual = {
    .name = "simulate",
    .usage = "(--map FILE | --make LINE) [--scen FILE] [--robots N] [--planner NAME] [--mode MODE]",
    .about =
      "Plans, and then drives the plan with robots that accelerate, are slow at times, stop at random and\n"
      "report where they are with errors. In mode dependency a robot enters space only when those whom the\n"
      "plan has there before it have left it: being late costs time, and no two robots ever overlap. In mode\n"
      "timed robots follow the stamps of the plan alone, and delays become collisions. The same seed has the\n"
      "same delays in both. Robots are discs; overlaps are counted every 0.05 s.",
    .groups = groups,
    .group_count = group_count,
    .examples =
      "  fleetweave simulate --make warehouse:61x33,seed=1 --robots 40 --delays heavy\n"
      "  fleetweave simulate --make warehouse:61x33,seed=1 --robots 40 --delays heavy --mode timed\n"
      "  fleetweave simulate --map hall.map --scen hall.scen --planner whca --stops 30 --longest 60 --json",
    .exit_codes =
      "0 solved, all arrived and nobody overlapped; 1 overlaps, deadlock, or not all arrived (or a ring that\n"
      "is refused); 2 wrong command line; 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  return plan_and_drive(&options);
}

const cli_command_t cli_command_simulate = {
  .name = "simulate",
  .summary = "drive a plan with robots that are late, and count overlaps",
  .run = run,
};
