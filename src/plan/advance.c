// A robot some ticks along its path: where it stands, or where it is under way to.

#include "fleetweave/fleetweave.h"

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
  robot->from = arrives > 0 ? fw_path_at(path, tick) : 0;
  robot->from_heading = arrives > 0 && has_heading ? fw_path_heading(path, tick) : 0;
  robot->arrives = arrives;
  robot->start = fw_path_at(path, tick + arrives);
  robot->heading = has_heading ? fw_path_heading(path, tick + arrives) : 0;
}
