// What a plan costs, and the names of its fields.

#include "fleetweave/fleetweave.h"

static bool turns_at(const fw_path_t * path, fw_tick_t tick)
{
  return path->headings != NULL && path->headings[tick] != path->headings[tick - 1];
}

static fw_tick_t arrival(const fw_path_t * path)
{
  int32_t last = path->length - 1;
  while (last > 0 && path->cells[last - 1] == path->cells[last] && !turns_at(path, last)) {
    --last;
  }
  return last;
}

fw_cost_t fw_paths_sum_of_costs(const fw_problem_t * problem, const fw_path_t * paths)
{
  fw_cost_t sum = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_cell_t goal = problem->robots[r].goal;
    for (fw_tick_t t = 1; t < paths[r].length; ++t) {
      const bool is_on_goal = paths[r].cells[t] == goal && paths[r].cells[t - 1] == goal;
      // A turn is listed when it is complete: it took the ticks before as well, those of the plan.
      const int32_t turn = problem->robots[r].turn_ticks < t ? problem->robots[r].turn_ticks : t;
      sum += !is_on_goal ? 1 : turns_at(&paths[r], t) ? turn : 0;
    }
  }
  return sum;
}

fw_tick_t fw_paths_makespan(const fw_path_t * paths, int32_t path_count)
{
  fw_tick_t latest = 0;
  for (int32_t r = 0; r < path_count; ++r) {
    const fw_tick_t tick = arrival(&paths[r]);
    latest = tick > latest ? tick : latest;
  }
  return latest;
}

const char * fw_outcome_name(fw_outcome_t outcome)
{
  switch (outcome) {
    case FW_OUTCOME_SOLVED:
      return "solved";
    case FW_OUTCOME_PARTIAL:
      return "partial";
    case FW_OUTCOME_UNSOLVABLE:
      return "unsolvable";
    case FW_OUTCOME_NONE:
      break;
  }
  return "none";
}

const char * fw_stop_name(fw_stop_t stop)
{
  switch (stop) {
    case FW_STOP_DEADLINE:
      return "deadline";
    case FW_STOP_EXPANSIONS:
      return "expansions";
    case FW_STOP_CANCELLED:
      return "cancelled";
    case FW_STOP_MEMORY:
      return "memory";
    case FW_STOP_DONE:
      break;
  }
  return "done";
}
