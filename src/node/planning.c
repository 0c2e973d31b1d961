#include "node/planning.h"

#include <stdlib.h>
#include <string.h>

#include <rcutils/logging_macros.h>

#include "node/round.h"

static const int64_t LEAD_MAX_NS = 60000000000;
// When everything starts, poses come one by one and robots begin to listen one by one. A plan without some of them, or
// one that some of them do not get, would lead others into them. But one robot that is switched off must not stop all.
static const int64_t APPEARANCE_NS = 5000000000;

static int64_t seconds_to_ns(double seconds) { return (int64_t)(seconds * 1e9); }

bool planning_init(
  planning_t * planning, const parameters_t * parameters, const settings_t * settings, const char * logger,
  void (*on_done)(void * context), void * context)
{
  planning->settings = *settings;
  planning->logger = logger;
  planning->lead_ns = seconds_to_ns(settings->plan_lead_seconds);
  return fleet_init(&planning->fleet, parameters, logger) &&
         nav_msgs__msg__OccupancyGrid__init(&planning->map_message) &&
         schedule_init(&planning->schedule, planning->fleet.count) && worker_init(&planning->worker, on_done, context);
}

void planning_fini(planning_t * planning)
{
  worker_fini(&planning->worker);
  schedule_fini(&planning->schedule);
  map_fini(&planning->map);
  nav_msgs__msg__OccupancyGrid__fini(&planning->map_message);
  fleet_fini(&planning->fleet);
  free(planning->points);
  planning->points = NULL;
}

void planning_want(planning_t * planning, const char * why) { planning->wanted = why; }

void planning_drop_plans(planning_t * planning, int64_t now_ns)
{
  worker_cancel(&planning->worker);
  schedule_clear(&planning->schedule);
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_retry_now(&planning->fleet.robots[k]);
    planning->fleet.robots[k].heard_ns = now_ns;
    planning->fleet.robots[k].is_off_plan = false;
  }
  planning->next_look_ns = now_ns;
  planning->last_now_ns = now_ns;
  planning_want(planning, "the plans were dropped");
}

// ---- the map

static void build_map(planning_t * planning, nav_msgs__msg__OccupancyGrid * message)
{
  const frame_t * frame = &planning->map.frame;
  reason_t reason = {0};
  if (!map_build(&planning->map, message, &planning->settings, &reason)) {
    if (strcmp(reason.text, planning->map_fault.text) != 0) {
      RCUTILS_LOG_ERROR_NAMED(
        planning->logger, "map refused: %s%s", reason.text,
        planning->map.revision > 0 ? "; the last good one stays in force" : "");
    }
    planning->map_fault = reason;
    return;
  }
  planning->map_fault.text[0] = '\0';
  if (message != &planning->map_message) {
    const nav_msgs__msg__OccupancyGrid swap = planning->map_message;
    planning->map_message = *message;
    *message = swap;
  }
  RCUTILS_LOG_INFO_NAMED(
    planning->logger, "map: %d x %d planning cells of %g m", frame->width, frame->height, frame->resolution);
  if (
    frame->resolution > planning->settings.planning_resolution * 1.001 &&
    planning->settings.planning_resolution > 0.0) {
    RCUTILS_LOG_WARN_NAMED(
      planning->logger, "planning cells are %g m, not %g m: a cell holds a whole robot and a whole map cell",
      frame->resolution, planning->settings.planning_resolution);
  }
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_retry_now(&planning->fleet.robots[k]);
  }
  worker_cancel(&planning->worker);
  planning_want(planning, "there is a new map");
}

void planning_read_settings(planning_t * planning, const parameters_t * parameters, const settings_t * settings)
{
  const settings_t old = planning->settings;
  planning->settings = *settings;
  planning->lead_ns = seconds_to_ns(settings->plan_lead_seconds);
  fleet_read_priorities(&planning->fleet, parameters);
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_retry_now(&planning->fleet.robots[k]);
  }
  worker_cancel(&planning->worker);
  planning_want(planning, "parameters were set");
  const bool needs_map = old.robot_radius != settings->robot_radius ||
                         old.planning_resolution != settings->planning_resolution ||
                         old.occupied_thresh != settings->occupied_thresh || old.free_thresh != settings->free_thresh ||
                         old.unknown_is_free != settings->unknown_is_free;
  if (needs_map && planning->map.revision > 0) {
    build_map(planning, &planning->map_message);
  }
}

// ---- the inbox

static void take_pose(planning_t * planning, int32_t index, const pose_mail_t * mail, int64_t now_ns)
{
  robot_t * robot = &planning->fleet.robots[index];
  const track_t * track = &planning->schedule.tracks[index];
  const double tolerance = planning->settings.plan_tolerance;
  if (fleet_take_pose(&planning->fleet, robot, mail, &planning->settings, now_ns)) {
    planning_want(planning, "a robot has appeared");
    if (planning->patience_end_ns == 0) {
      planning->patience_end_ns = fw_clock_now_ns() + APPEARANCE_NS;
    }
  }
  const bool was_off_plan = robot->is_off_plan;
  robot->is_off_plan =
    track->count > 0 && tolerance > 0.0 && point_distance(track_at(track, now_ns), robot->point) > tolerance;
  if (robot->is_off_plan && !was_off_plan) {
    planning_want(planning, "a robot has left its plan");
  }
}

static void take_inbox(planning_t * planning, inbox_t * inbox, int64_t now_ns)
{
  if (inbox->has_map) {
    inbox->has_map = false;
    // Map servers repeat themselves; that is no reason to plan again.
    if (planning->map.revision > 0 && map_is_same(&inbox->map, &planning->map_message)) {
      planning->map_fault.text[0] = '\0';
    } else {
      build_map(planning, &inbox->map);
    }
  }
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_mail_t * mail = &inbox->robots[k];
    if (mail->pose.is_new) {
      mail->pose.is_new = false;
      take_pose(planning, k, &mail->pose, now_ns);
    }
    if (mail->goal.is_new) {
      mail->goal.is_new = false;
      if (fleet_take_goal(
            &planning->fleet, &planning->fleet.robots[k], &mail->goal, &planning->settings, &planning->map)) {
        planning_want(planning, "there is a new goal");
      }
    }
  }
  if (inbox->wants_replan) {
    inbox->wants_replan = false;
    planning_want(planning, "~/replan was called");
  }
}

// ---- rounds

const char * planning_obstacle(const planning_t * planning, int64_t now_ns)
{
  if (now_ns <= 0) {
    return "nothing has come on /clock yet";
  }
  if (planning->map.revision == 0) {
    return "there is no map yet";
  }
  int32_t heard = 0;
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    heard += planning->fleet.robots[k].has_pose ? 1 : 0;
  }
  if (heard == 0) {
    return planning->fleet.count == 0 ? "the parameter robots is empty" : "no robot has a pose yet";
  }
  const bool is_patient = fw_clock_now_ns() < planning->patience_end_ns;
  if (heard < planning->fleet.count && is_patient) {
    return "not all robots have a pose yet";
  }
  if (!planning->has_readers && is_patient) {
    return "not all robots listen to their path yet";
  }
  return NULL;
}

// What no event tells: robots that wait for something, robots off their plan, a plan that ends before the goals.
static void look(planning_t * planning, int64_t now_ns)
{
  const schedule_t * schedule = &planning->schedule;
  const int64_t half_ns = (schedule_end(schedule) - schedule->epoch_ns) / 2;
  if (schedule->is_partial && now_ns >= schedule->epoch_ns + half_ns) {
    planning_want(planning, "the plan ends before the goals");
  }
  if (now_ns < planning->next_look_ns || planning->settings.replan_period <= 0.0) {
    return;
  }
  planning->next_look_ns = now_ns + seconds_to_ns(planning->settings.replan_period);
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const robot_t * robot = &planning->fleet.robots[k];
    const bool is_waiting = robot->planning.number != 0 && now_ns >= robot->retry_ns;
    if (robot->has_pose && !robot->is_stale && (is_waiting || robot->is_off_plan)) {
      planning_want(planning, is_waiting ? "a robot waits" : "a robot is off its plan");
    }
  }
  if (planning->planner_fault.text[0] != '\0') {
    planning_want(planning, "the last round failed");
  }
}

static void note_failure(planning_t * planning, const char * what, const char * text)
{
  reason_t reason = {0};
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

// True if the answer is the schedule now.
static bool take_answer(planning_t * planning, int64_t now_ns)
{
  worker_t * worker = &planning->worker;
  job_t * job = &worker->job;
  const answer_t * answer = &worker->answer;
  if (atomic_load(&worker->is_cancelled)) {
    return false;  // whoever cancelled has asked for the next round
  }
  if (answer->ret != FW_RET_OK) {
    note_failure(planning, job->planner.name, answer->error.text);
    return false;
  }
  note_stats(planning);
  if (answer->conflict.kind != FW_CONFLICT_NONE) {
    note_failure(planning, "a plan failed its check", answer->conflict_text);
    return false;
  }
  // A robot that gets its path after the epoch still follows the old one while the others follow the new: half of the
  // lead is kept for the way to the robots.
  const int64_t lead_ns = seconds_to_ns(planning->settings.plan_lead_seconds);
  const bool is_late = now_ns + lead_ns / 2 >= job->epoch_ns;
  if (is_late && job->is_movable) {
    job->epoch_ns = now_ns + lead_ns;
  } else if (is_late) {
    planning->late_count += 1;
    planning->lead_ns = 2 * planning->lead_ns + seconds_to_ns((double)answer->elapsed_ns * 1e-9);
    planning->lead_ns = planning->lead_ns > LEAD_MAX_NS ? LEAD_MAX_NS : planning->lead_ns;
    planning_want(planning, "the last plan came too late");
    return false;
  }
  if (planning->lead_ns > lead_ns && answer->elapsed_ns < planning->lead_ns / 4) {
    planning->lead_ns = planning->lead_ns / 2 > lead_ns ? planning->lead_ns / 2 : lead_ns;
  }
  if (!round_adopt(planning, now_ns)) {
    note_failure(planning, "out of memory", "the paths do not fit");
    return false;
  }
  planning->planner_fault.text[0] = '\0';
  planning->rounds += 1;
  return true;
}

bool planning_update(planning_t * planning, inbox_t * inbox, int64_t now_ns)
{
  bool has_new_schedule = false;
  if (planning->last_now_ns == 0 && now_ns > 0) {  // time begins: nothing is old yet
    planning_drop_plans(planning, now_ns);
  }
  planning->last_now_ns = now_ns;
  take_inbox(planning, inbox, now_ns);
  if (fleet_watch(&planning->fleet, &planning->settings, now_ns)) {
    planning_want(planning, "a robot has become stale or is heard again");
  }
  if (worker_state(&planning->worker) == WORKER_DONE) {
    has_new_schedule = take_answer(planning, now_ns);
    worker_finish(&planning->worker);
  }
  look(planning, now_ns);
  if (
    planning->wanted != NULL && worker_state(&planning->worker) == WORKER_IDLE &&
    planning_obstacle(planning, now_ns) == NULL) {
    RCUTILS_LOG_DEBUG_NAMED(planning->logger, "planning: %s", planning->wanted);
    planning->wanted = NULL;
    if (!round_write(planning, now_ns)) {
      note_failure(planning, "out of memory", "the problem does not fit");
    } else if (planning->worker.job.count > 0) {
      worker_start(&planning->worker);
    } else {  // nobody is left to plan for
      schedule_clear(&planning->schedule);
      has_new_schedule = true;
    }
  }
  return has_new_schedule;
}
