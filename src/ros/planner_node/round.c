#include "ros/planner_node/round.h"

#include <math.h>

int64_t round_tick_ns(const frame_t * frame, const node_settings_t * settings)
{
  const double step = frame->resolution * (settings->connectivity == 8 ? sqrt(2.0) : 1.0);
  const double tick_ns = ceil(step / settings->speed * 1e9);
  return tick_ns < 1e6 ? 1000000 : (int64_t)tick_ns;
}

// Of the planner's last plan, if that is what robots drive. Robots that have left it, other closures and other rules are
// the planner's to see.
static fw_tick_t ticks_driven(const planning_t * planning)
{
  const story_t * story = &planning->story;
  const job_t * job = &planning->worker.job;
  const bool goes_on = story->is_driven && story->tick_ns == job->tick_ns && story->map_revision == job->map_revision &&
                       job->epoch_ns <= planning->schedule.safe_until_ns;
  return goes_on ? (fw_tick_t)((job->epoch_ns - story->epoch_ns) / job->tick_ns) : 0;
}

bool round_write(planning_t * planning, int64_t now_ns)
{
  job_t * job = &planning->worker.job;
  const node_settings_t * settings = &planning->settings;
  const schedule_t * schedule = &planning->schedule;
  if (!job_reset(job, &planning->map.grid, planning->fleet.count)) {
    return false;
  }
  job->frame = planning->map.frame;
  job->map_revision = planning->map.revision;
  job->connectivity = settings->connectivity;
  job->robust_ticks = settings->robust_ticks;
  job->horizon = settings->horizon;
  job->time_limit = settings->time_limit;
  job->planner = settings->planner;
  job->tick_ns = round_tick_ns(&job->frame, settings);
  job->epoch_ns = schedule_round_up(schedule, now_ns + planning->lead_ns);
  job->blocked_revision = planning->blocked.revision;
  for (fw_cell_t cell = 0; planning->blocked.count > 0 && cell < planning->blocked.cell_count; ++cell) {
    job->grid.cost[cell] = planning->blocked.cells[cell] ? 0 : job->grid.cost[cell];
  }
  if (planning->driving.is_on) {
    fw_execution_cut_t cut = {0};
    fw_error_t reason = {0};
    // Not ahead of now: the graph takes a plan's beginning for the present, and would open doors early.
    job->epoch_ns = now_ns;
    if (!round_cut(planning, &cut, &reason) || !round_enter_driven(planning, &cut)) {
      return false;
    }
  } else if (!round_write_entrants(planning)) {
    return false;
  }
  if (!round_write_closures(planning)) {
    return false;
  }
  round_write_goals(planning, now_ns);
  job->is_movable = schedule_end(schedule) <= now_ns && job->closure_count == 0;
  job->since = planning->driving.is_on ? 0 : ticks_driven(planning);
  planning->closures_seen_ns = job->epoch_ns + CLOSURES_AHEAD_NS;
  return round_write_homes(planning);
}
