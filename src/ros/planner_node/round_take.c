// From the worker's answer to the schedule, if it is a good one and comes in time.

#include <string.h>

#include <rcutils/logging_macros.h>

#include "ros/planner_node/concern.h"
#include "ros/planner_node/round.h"

static const int64_t LEAD_MAX_NS = 60000000000;

void round_note_failure(planning_t * planning, const char * what, const char * text)
{
  fw_error_t reason = {0};
  (void)refuse(&reason, "%s: %s", what, text);
  if (strcmp(reason.text, planning->planner_fault.text) != 0) {
    RCUTILS_LOG_ERROR_NAMED(planning->logger, "%s; the last good plan stays in force", reason.text);
  }
  planning->planner_fault = reason;
}

static void note_stats(planning_t * planning)
{
  const answer_t * answer = &planning->worker.answer;
  planning->outcome = answer->plan.outcome;
  planning->stop = answer->plan.stop;
  planning->stats = answer->plan.stats;
  planning->history_ns[planning->history_count++ % HISTORY_SIZE] = answer->elapsed_ns;
}

// A robot that gets its path after the epoch still follows the old one while the others follow the new: half of the
// lead is kept for the way to the robots. Where nobody drives the epoch is put off instead.
static bool is_in_time(planning_t * planning, int64_t now_ns)
{
  job_t * job = &planning->worker.job;
  const int64_t lead_ns = node_seconds_to_ns(planning->settings.plan_lead_seconds);
  const int64_t elapsed_ns = planning->worker.answer.elapsed_ns;
  const bool is_late = now_ns + lead_ns / 2 >= job->epoch_ns;
  if (is_late && job->is_movable) {
    job->epoch_ns = now_ns + lead_ns;
  } else if (is_late) {
    planning->late_count += 1;
    planning->lead_ns = 2 * planning->lead_ns + elapsed_ns;
    planning->lead_ns = planning->lead_ns > LEAD_MAX_NS ? LEAD_MAX_NS : planning->lead_ns;
    return false;
  }
  if (planning->lead_ns > lead_ns && elapsed_ns < planning->lead_ns / 4) {
    planning->lead_ns = planning->lead_ns / 2 > lead_ns ? planning->lead_ns / 2 : lead_ns;
  }
  return true;
}

// A plan that ends before the goals is followed by the next when half of it is over: what comes after is then planned
// while there is still time for it.
static void set_next_window(planning_t * planning)
{
  const schedule_t * schedule = &planning->schedule;
  const int64_t half_ns = schedule->safe_until_ns < TIME_MAX ? (schedule->safe_until_ns - schedule->epoch_ns) / 2 : 0;
  const int64_t least_ns = schedule->tick_ns + planning->lead_ns;
  planning->next_window_ns = schedule->epoch_ns + (half_ns > least_ns ? half_ns : least_ns) - planning->lead_ns;
}

static void begin_story(planning_t * planning)
{
  const job_t * job = &planning->worker.job;
  planning->story = (story_t){
    .is_driven = true,
    .epoch_ns = job->epoch_ns,
    .tick_ns = job->tick_ns,
    .map_revision = job->map_revision,
  };
}

// Closures may have come while the worker solved: what it found does not know them.
static void look_at_new_closures(planning_t * planning, int64_t now_ns)
{
  const interval_t always = {INT64_MIN, TIME_MAX};
  const bool are_new = planning->worker.job.closure_revision != planning->closures.revision;
  for (int32_t s = 0; are_new && s < planning->closures.count; ++s) {
    const source_t * source = &planning->closures.sources[s];
    if (source_touches(source, always, &planning->schedule, &planning->map.frame, now_ns)) {
      planning_want(planning, "a planned path is closed");
    }
  }
}

static void look_at_newly_blocked(planning_t * planning)
{
  const bool are_new = planning->worker.job.blocked_revision != planning->blocked.revision;
  if (are_new && concern_is_on_a_way(planning, concern_is_blocked)) {
    planning_want(planning, "a planned path is blocked");
  }
}

bool round_take(planning_t * planning, int64_t now_ns)
{
  worker_t * worker = &planning->worker;
  const answer_t * answer = &worker->answer;
  planning->story.is_driven = false;  // until this answer is in force
  if (atomic_load(&worker->is_cancelled)) {
    return false;  // whoever cancelled has asked for the next round
  }
  if (answer->ret != FW_RET_OK) {
    round_note_failure(planning, worker->job.planner.name, answer->error.text);
    return false;
  }
  note_stats(planning);
  if (answer->conflict.kind != FW_CONFLICT_NONE) {
    round_note_failure(planning, "a plan failed its check", answer->conflict_text);
    return false;
  }
  if (planning->driving.is_on) {
    if (!round_splice(planning, now_ns)) {
      return false;
    }
  } else if (!is_in_time(planning, now_ns)) {
    planning_want(planning, "the last plan came too late");
    return false;
  } else if (!round_adopt(planning, now_ns)) {
    round_note_failure(planning, "out of memory", "the paths do not fit");
    return false;
  }
  set_next_window(planning);
  begin_story(planning);
  look_at_new_closures(planning, now_ns);
  look_at_newly_blocked(planning);
  planning->planner_fault.text[0] = '\0';
  planning->rounds += 1;
  planning->going_on += answer->goes_on ? 1 : 0;
  return true;
}
