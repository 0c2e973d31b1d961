// What a plan says: its costs, the names of its outcome and stop reason, and where a robot is at some tick of its path.

#include "base/assert.h"
#include "fleetweave/fleetweave.h"

// ---- costs ----------------------------------------------------------------------------------------------------------

// Does a turn end at this tick?
static bool turns_at(const fw_path_t * path, fw_tick_t tick)
{
  return path->headings != NULL && path->headings[tick] != path->headings[tick - 1];
}

// The tick from which on the robot does not move or turn any more.
static fw_tick_t arrival(const fw_path_t * path)
{
  int32_t last = path->length - 1;
  while (last > 0 && path->cells[last - 1] == path->cells[last] && !turns_at(path, last)) {
    --last;
  }
  return last;
}

// Each tick away from the goal costs 1; so does each tick of a turn on it.
fw_cost_t fw_paths_sum_of_costs(const fw_problem_t * problem, const fw_path_t * paths)
{
  fw_cost_t sum = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_cell_t goal = problem->robots[r].goal;
    for (fw_tick_t t = 1; t < paths[r].length; ++t) {
      const bool is_on_goal = paths[r].cells[t] == goal && paths[r].cells[t - 1] == goal;
      // A path lists a turn at the tick of its end. It has taken the ticks before as well, as far as they are in the
      // plan.
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

// ---- names ----------------------------------------------------------------------------------------------------------

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

// ---- a robot at a tick ----------------------------------------------------------------------------------------------

// Does a motion end at this tick?
static bool is_change(const fw_path_t * path, fw_tick_t tick)
{
  return fw_path_at(path, tick) != fw_path_at(path, tick - 1) ||
         fw_path_heading(path, tick) != fw_path_heading(path, tick - 1);
}

void fw_robot_advance(fw_robot_t * robot, const fw_path_t * path, fw_tick_t tick)
{
  const int32_t move = robot->ticks_per_move > 1 ? robot->ticks_per_move : 1;
  const int32_t longest = move > robot->turn_ticks ? move : robot->turn_ticks;
  const bool has_heading = robot->turn_ticks > 0;
  fw_tick_t arrives = 0;
  for (fw_tick_t ahead = 1; ahead < longest && arrives == 0; ++ahead) {
    if (is_change(path, tick + ahead)) {
      const bool is_turn = fw_path_at(path, tick + ahead) == fw_path_at(path, tick + ahead - 1);
      if (ahead >= (is_turn ? robot->turn_ticks : move)) {
        break;  // it has not departed yet
      }
      arrives = ahead;
    }
  }
  FW_ASSERT(arrives >= 0 && arrives < longest);
  robot->from = arrives > 0 ? fw_path_at(path, tick) : 0;
  robot->from_heading = arrives > 0 && has_heading ? fw_path_heading(path, tick) : 0;
  robot->arrives = arrives;
  robot->start = fw_path_at(path, tick + arrives);
  robot->heading = has_heading ? fw_path_heading(path, tick + arrives) : 0;
}
