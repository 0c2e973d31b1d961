// A simulated fleet to its end, and what became of it.

#include <math.h>

#include "simulation/simulation.h"

typedef enum activity_t {
  ALL_THERE,
  SOME_CAN_GO,
  NOBODY_CAN_GO,
} activity_t;

// Whoever stands on its order's end may still have to report it, so the execution is asked as well.
static activity_t look(const fw__simulated_fleet_t * fleet)
{
  activity_t activity = ALL_THERE;
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    const fw__mover_t * mover = &fleet->movers[robot];
    const fw__slot_t * slot = &fleet->execution->slots[robot];
    if (!mover->is_there || !slot->is_there) {
      continue;
    }
    const int32_t end = fw__execution_end(fleet->execution, robot);
    const bool waits_for_clock = fleet->options.is_timed || fleet->execution->has_closures;
    if (slot->reached < end || mover->passed < slot->base + end) {
      activity = activity == ALL_THERE ? NOBODY_CAN_GO : activity;
      if (fw__mover_can_go(fleet, robot) || slot->reached < slot->stop_at || waits_for_clock) {
        return SOME_CAN_GO;
      }
    }
  }
  return activity;
}

static bool is_over(fw__simulated_fleet_t * fleet)
{
  if (fleet->options.is_timed) {
    bool are_there = true;
    for (int32_t robot = 0; robot < fleet->mover_count && are_there; ++robot) {
      are_there = !fleet->movers[robot].is_there || fw__mover_has_arrived(fleet, robot);
    }
    return are_there;
  }
  const activity_t activity = look(fleet);
  fleet->result.is_deadlock = activity == NOBODY_CAN_GO;
  return activity != SOME_CAN_GO;
}

fw_ret_t fw_simulated_fleet_run(fw_simulated_fleet_t * fleet, double seconds, fw_error_t * error)
{
  fw__simulated_fleet_t * impl = fleet->impl;
  fw_ret_t ret = FW_RET_OK;
  while (ret == FW_RET_OK && impl->now - impl->begin < seconds && !is_over(impl)) {
    ret = fw_simulated_fleet_step(fleet, error);
  }
  return ret;
}

// ---- questions ------------------------------------------------------------------------------------------------------

void fw_simulated_fleet_stop(fw_simulated_fleet_t * fleet, int32_t robot, double seconds)
{
  if (robot >= 0 && robot < fleet->impl->mover_count) {
    fleet->impl->movers[robot].stop_until = fleet->impl->now + seconds;
  }
}

void fw_simulated_fleet_silence(fw_simulated_fleet_t * fleet, int32_t robot, bool is_silent)
{
  if (robot >= 0 && robot < fleet->impl->mover_count) {
    fleet->impl->movers[robot].is_silent = is_silent;
  }
}

void fw_simulated_fleet_position(
  const fw_simulated_fleet_t * fleet, int32_t robot, double * x, double * y, double * speed)
{
  const fw__simulated_fleet_t * impl = fleet->impl;
  const bool is_there = robot >= 0 && robot < impl->mover_count && impl->movers[robot].is_there;
  *x = is_there ? impl->movers[robot].x : NAN;
  *y = is_there ? impl->movers[robot].y : NAN;
  *speed = is_there ? impl->movers[robot].speed : NAN;
}

fw_simulated_result_t fw_simulated_fleet_result(fw_simulated_fleet_t * fleet)
{
  fw__simulated_fleet_t * impl = fleet->impl;
  fw_simulated_result_t result = impl->result;
  const fw__graph_t * graph = fw__execution_graph_const(impl->execution);
  result.seconds = impl->now - impl->begin;
  for (int32_t robot = 0; robot < impl->mover_count; ++robot) {
    const fw__mover_t * mover = &impl->movers[robot];
    if (!mover->is_there || !impl->execution->slots[robot].is_there) {
      continue;
    }
    const double planned = fw__way_node(graph, robot, fw__execution_end(impl->execution, robot))->planned;
    const double arrived = isnan(mover->arrived_at) ? planned : mover->arrived_at;
    ++result.robots;
    result.planned = fmax(result.planned, planned - impl->begin);
    if (fw__mover_has_arrived(impl, robot)) {
      ++result.arrived;
      result.last_arrival = fmax(result.last_arrival, isnan(mover->arrived_at) ? 0.0 : arrived - impl->begin);
      result.delay_sum += arrived - planned;
    }
  }
  fw__waits_close(impl);
  result.waits = impl->waits;
  result.wait_count = impl->wait_count;
  return result;
}
