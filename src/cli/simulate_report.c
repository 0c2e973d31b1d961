// What `fleetweave simulate` tells in the end.

#include <math.h>
#include <stdio.h>

#include "cli/common/json.h"
#include "cli/simulate.h"
#include "cli/common/words.h"

enum { WAITS_TOLD = 5, ROBOTS_TOLD = 5 };

static double mean_delay(const fw_simulated_result_t * result)
{
  return result->arrived == 0 ? 0.0 : result->delay_sum / result->arrived;
}

void cli_simulate_print_json(const cli_simulated_t * simulated)
{
  const fw_simulated_result_t * result = &simulated->result;
  const fw_execution_stats_t stats = fw_execution_stats(simulated->execution);
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "planner", simulated->options->planner);
  cli_json_text(&json, "map", simulated->instance->map_name);
  cli_json_text(&json, "mode", simulated->options->mode);
  cli_json_text(&json, "outcome", fw_outcome_name(simulated->plan->outcome));
  cli_json_integer(&json, "robots", result->robots);
  cli_json_integer(&json, "arrived", result->arrived);
  cli_json_integer(&json, "overlaps", result->overlaps);
  cli_json_integer(&json, "overlap_steps", result->overlap_steps);
  cli_json_number(&json, "nearest_cells", isfinite(result->nearest) ? result->nearest : (double)NAN);
  cli_json_number(&json, "radius_cells", simulated->radius);
  cli_json_boolean(&json, "deadlock", result->is_deadlock);
  cli_json_number(&json, "seconds", result->seconds);
  cli_json_number(&json, "planned_seconds", result->planned);
  cli_json_number(&json, "last_arrival_seconds", result->last_arrival);
  cli_json_number(&json, "mean_delay_seconds", mean_delay(result));
  cli_json_number(&json, "elapsed_ms", 1e3 * simulated->elapsed_seconds);
  cli_json_integer(&json, "waypoints", stats.waypoints);
  cli_json_integer(&json, "dependencies", stats.dependencies);
  cli_json_integer(&json, "redundant", stats.redundant);
  cli_json_open(&json, "waits", '[');
  for (int32_t i = 0; i < result->wait_count && i < 4 * WAITS_TOLD; ++i) {
    cli_json_open(&json, NULL, '{');
    cli_json_integer(&json, "robot", result->waits[i].robot);
    cli_json_integer(&json, "for", result->waits[i].other);
    cli_json_number(&json, "seconds", result->waits[i].seconds);
    cli_json_close(&json, '}');
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

static void print_overlaps(const fw_simulated_result_t * result)
{
  printf("  %-18s %d", "overlaps", (int)result->overlaps);
  if (result->overlaps > 0) {
    printf(", robots %d and %d first", result->overlap_first[0], result->overlap_first[1]);
  } else if (isfinite(result->nearest)) {
    printf(", at least %.2f cells between discs", result->nearest);
  }
  printf("\n");
}

// Those who have not arrived, and why.
static void print_waiting(const cli_simulated_t * simulated)
{
  int32_t told = 0;
  for (int32_t robot = 0; robot < simulated->plan->robot_count && told < ROBOTS_TOLD; ++robot) {
    fw_execution_status_t status;
    if (fw_execution_robot(simulated->execution, robot, &status, NULL) == FW_RET_OK && status.reached < status.end) {
      char text[200];
      fw_execution_describe(simulated->execution, robot, text, sizeof(text));
      printf("  %-18s robot %d: %s\n", told == 0 ? "not there" : "", robot, text);
      ++told;
    }
  }
}

void cli_simulate_print(const cli_simulated_t * simulated)
{
  const fw_simulated_result_t * result = &simulated->result;
  const fw_execution_stats_t stats = fw_execution_stats(simulated->execution);
  char number[CLI_NUMBER_SIZE];
  printf(
    "%s: %d robots on %s, planner %s, mode %s\n",
    result->overlaps > 0               ? "overlaps"
    : result->is_deadlock              ? "deadlock"
    : result->arrived < result->robots ? "not all arrived"
                                       : "all arrived",
    result->robots, simulated->instance->map_name, simulated->options->planner, simulated->options->mode);
  if (simulated->plan->outcome != FW_OUTCOME_SOLVED) {
    printf("  %-18s %s: driven as far as it is safe\n", "plan", fw_outcome_name(simulated->plan->outcome));
  }
  print_overlaps(result);
  printf("  %-18s %d of %d robots\n", "arrived", result->arrived, result->robots);
  printf(
    "  %-18s %.0f s, planned %.0f s; %+.1f s per robot\n", "last arrival", result->last_arrival, result->planned,
    mean_delay(result));
  printf("  %-18s %s waypoints", "graph", cli_thousands(number, stats.waypoints));
  printf(", %s dependencies", cli_thousands(number, stats.dependencies));
  printf(" (%s more followed from them)\n", cli_thousands(number, stats.redundant));
  for (int32_t i = 0; i < result->wait_count && i < WAITS_TOLD; ++i) {
    const fw_simulated_wait_t wait = result->waits[i];
    printf(
      "  %-18s robot %d for robot %d, %.1f s\n", i == 0 ? "longest waits" : "", wait.robot, wait.other, wait.seconds);
  }
  if (result->arrived < result->robots) {
    print_waiting(simulated);
  }
  printf("  %-18s %.0f s in %.2f s\n", "simulated", result->seconds, simulated->elapsed_seconds);
}
