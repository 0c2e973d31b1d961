// The journal and old releases of a fleet. See restart.h.

#include "controller/restart/restart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"
#include "controller/controller.h"

// Of fw_journal_goal_t.flags.
enum {
  GOAL_HAS_YAW = 1,     // otherwise any yaw will do
  GOAL_IS_STATION = 2,  // it was reached, and is where the robot is to be until it has another goal
  GOAL_YAW_SHIFT = 16,  // from this bit on: yaw_tolerance in thousandths of a radian, rounded up; 0: none of its own
};

// A pose is written when the robot is this far from the one that is written. While it drives along a release, that says
// where it can be, and its pose only what it has left behind.
static const double POSE_METRES = 0.05;
static const double POSE_METRES_DRIVING = 0.25;
static const double POSE_TURN = 0.05;  // radians
// A robot that was not listed for this long since time began has left the fleet while the controller was away. Robots
// that are discovered come one by one.
static const int64_t UNLISTED_NS = 60000000000;
static const int64_t STAY_NS = 1000000000;  // a robot that stands for this long after "stay" has heard it
static const double STOPPED_SECONDS = 5.0;  // for stopped_timeout 0
static const double NEAR_CELLS = 0.25;      // a robot this near to its path, or to the end of it, is on it, or there
static const double OFF_PATH_CELLS = 0.75;  // a robot farther from its path must not be sent back to it
static const double CENTRE_CELLS = 0.01;    // a waypoint this near to the centre of a cell is there
static const double RECALL_METRES = 0.1;    // a pose of the journal this near to a path is on it

// ---- faults

// Logs each change of the text once. "": the journal is written again.
static void note_fault(fw_controller_impl_t * controller, const char * text)
{
  fw_error_t * fault = &controller->restart.fault;
  if (strcmp(text, fault->text) == 0) {
    return;
  }
  if (text[0] != '\0') {
    fw__log(&controller->log, FW_LOG_ERROR, "%s; a restart would forget what is not written", text);
  } else {
    fw__log(&controller->log, FW_LOG_INFO, "the journal is written again");
  }
  (void)snprintf(fault->text, sizeof fault->text, "%s", text);
}

// ---- between the journal and the robots

static fw_journal_waypoint_t to_waypoint(fw_pose_t pose)
{
  return (fw_journal_waypoint_t){pose.point.x, pose.point.y, isnan(pose.yaw) ? 0.0 : pose.yaw};
}

static fw_journal_goal_t to_journal_goal(const fw_robot_goal_t * goal)
{
  return (fw_journal_goal_t){
    .id = goal->id,
    .order = goal->id,
    .pose = to_waypoint(goal->pose),
    .position_tolerance = goal->position_tolerance,
    .flags = (isnan(goal->pose.yaw) ? 0u : (uint32_t)GOAL_HAS_YAW) |
             ((uint32_t)ceil(fmin(goal->yaw_tolerance, 7.0) * 1000.0) << GOAL_YAW_SHIFT),
  };
}

static bool has_station(const fw_controlled_robot_t * robot) { return robot->has_goal && robot->goal_count == 0; }

static fw_journal_goal_t to_station(const fw_controlled_robot_t * robot)
{
  const fw_robot_goal_t goal = {
    .id = robot->goal_order,
    .pose = {robot->goal, robot->goal_yaw},
    .position_tolerance = robot->goal_tolerance,
    .yaw_tolerance = robot->goal_yaw_tolerance,
  };
  fw_journal_goal_t station = to_journal_goal(&goal);
  station.flags |= GOAL_IS_STATION;
  return station;
}

static fw_robot_goal_t from_journal_goal(const fw_journal_goal_t * goal)
{
  return (fw_robot_goal_t){
    .id = goal->id,
    .pose = {{goal->pose.x, goal->pose.y}, (goal->flags & GOAL_HAS_YAW) != 0 ? goal->pose.yaw : NAN},
    .position_tolerance = goal->position_tolerance,
    .yaw_tolerance = (double)(goal->flags >> GOAL_YAW_SHIFT) * 1e-3,
  };
}

static uint32_t to_flags(fw_robot_service_t service)
{
  static const uint32_t flags[] = {
    [FW_ROBOT_IN_SERVICE] = 0,
    [FW_ROBOT_ON_HOLD] = FW_JOURNAL_HELD,
    [FW_ROBOT_OUT_OF_SERVICE] = FW_JOURNAL_OUT_OF_SERVICE,
  };
  return flags[service];
}

static fw_robot_service_t from_flags(uint32_t flags)
{
  return (flags & FW_JOURNAL_OUT_OF_SERVICE) != 0 ? FW_ROBOT_OUT_OF_SERVICE
         : (flags & FW_JOURNAL_HELD) != 0         ? FW_ROBOT_ON_HOLD
                                                  : FW_ROBOT_IN_SERVICE;
}

static fw_journal_outcome_t to_outcome(fw_goal_event_kind_t kind)
{
  static const fw_journal_outcome_t outcomes[] = {
    [FW_GOAL_REACHED] = FW_JOURNAL_REACHED,
    [FW_GOAL_FAILED] = FW_JOURNAL_FAILED,
    [FW_GOAL_CANCELLED] = FW_JOURNAL_CANCELLED,
    [FW_GOAL_REPLACED] = FW_JOURNAL_REPLACED,
  };
  return outcomes[kind];
}

static fw_journal_end_t to_journal_end(const fw_controlled_robot_t * robot, uint64_t id)
{
  // Of several goals that end between two commits the journal keeps the last one only.
  const fw_ended_goal_t * ended = &robot->last_ended;
  return ended->id == id ? (fw_journal_end_t){id, to_outcome(ended->kind), (uint32_t)ended->fault}
                         : (fw_journal_end_t){.id = id, .outcome = FW_JOURNAL_REPLACED};
}

static fw_goal_event_kind_t from_outcome(fw_journal_outcome_t outcome)
{
  static const fw_goal_event_kind_t kinds[] = {
    [FW_JOURNAL_REACHED] = FW_GOAL_REACHED,
    [FW_JOURNAL_FAILED] = FW_GOAL_FAILED,
    [FW_JOURNAL_CANCELLED] = FW_GOAL_CANCELLED,
    [FW_JOURNAL_REPLACED] = FW_GOAL_REPLACED,
  };
  return kinds[outcome];
}

// ---- what is written

// Notes which ends the caller has taken, and the ends that are new in the queue of events: those that it may not have
// taken yet when this controller is gone.
static bool save_ends(fw_controller_impl_t * controller, fw_error_t * error)
{
  fw_journal_t * journal = &controller->restart.journal;
  fw_goal_events_t * events = &controller->events;
  fw__journal_raise_told(journal, controller->restart.told_before + (uint64_t)events->ends_taken);
  for (; events->noted < events->count; ++events->noted) {
    const fw_goal_event_t * event = fw__goal_events_at(events, events->noted);
    const char * name = event->robot < 0 ? "" : controller->fleet.robots[event->robot].name;
    const fw_journal_end_t end = {event->id, to_outcome(event->kind), (uint32_t)event->fault};
    if (
      fw__goal_event_is_end(event) &&
      fw__journal_add_untold(journal, name[0] == '\0' ? "-" : name, end, error) != FW_RET_OK) {
      return false;
    }
  }
  return true;
}

static bool still_has_goal(const fw_controlled_robot_t * robot, const fw_journal_goal_t * goal)
{
  const bool is_station = (goal->flags & GOAL_IS_STATION) != 0;
  bool has = is_station && has_station(robot) && robot->goal_order == goal->id;
  for (int32_t k = 0; !has && !is_station && k < robot->goal_count; ++k) {
    has = robot->goals[k].id == goal->id;
  }
  return has;
}

// The goal that ended last is removed last, because the journal keeps how that one ended.
static bool save_goals(fw_journal_t * journal, fw_controlled_robot_t * robot, fw_error_t * error)
{
  for (int32_t pass = 0; pass < 2; ++pass) {
    const fw_journal_robot_t * known = fw__journal_find(journal, robot->name);
    for (int32_t k = known == NULL ? -1 : known->goal_count - 1; k >= 0; --k) {
      const uint64_t id = known->goals[k].id;
      if (still_has_goal(robot, &known->goals[k]) || (pass == 0 && id == robot->last_ended.id)) {
        continue;
      }
      if (fw__journal_end_goal(journal, robot->name, to_journal_end(robot, id), error) != FW_RET_OK) {
        return false;
      }
    }
  }
  for (int32_t k = 0; k < robot->goal_count; ++k) {
    const fw_journal_goal_t goal = to_journal_goal(&robot->goals[k]);
    if (fw__journal_put_goal(journal, robot->name, &goal, error) != FW_RET_OK) {
      return false;
    }
  }
  const fw_journal_goal_t station = to_station(robot);
  if (has_station(robot) && fw__journal_put_goal(journal, robot->name, &station, error) != FW_RET_OK) {
    return false;
  }
  robot->saved.has_goals = true;
  return true;
}

// What is reserved for the robot and will still be when this controller is gone.
static const fw_timed_path_t * reserved_path(const fw_controlled_robot_t * robot)
{
  return robot->old_release.is_there ? &robot->old_release.path : &robot->released;
}

static int32_t reserved_count(const fw_controlled_robot_t * robot)
{
  const int32_t count = reserved_path(robot)->count;
  return robot->old_release.is_there || robot->reserved_count < count ? count : robot->reserved_count;
}

static bool save_release(fw_controller_impl_t * controller, fw_controlled_robot_t * robot, fw_error_t * error)
{
  fw_restart_t * restart = &controller->restart;
  const fw_timed_path_t * path = reserved_path(robot);
  const bool is_kept = controller->settings.execution_mode == FW_EXECUTION_MODE_DEPENDENCY;
  const int32_t count = is_kept ? reserved_count(robot) : 0;
  if (count > restart->waypoint_capacity) {
    fw_journal_waypoint_t * grown = fw__realloc(restart->waypoints, (size_t)count * 2 * sizeof *grown);
    if (grown == NULL) {
      return fw__refuse(error, "out of memory");
    }
    restart->waypoints = grown;
    restart->waypoint_capacity = 2 * count;
  }
  for (int32_t k = 0; k < count; ++k) {
    restart->waypoints[k] = to_waypoint((fw_pose_t){path->waypoints[k].point, path->waypoints[k].yaw});
  }
  const fw_journal_release_t release = {restart->waypoints, count};
  if (fw__journal_set_release(&restart->journal, robot->name, release, error) != FW_RET_OK) {
    return false;
  }
  robot->saved.has_release = true;
  robot->saved.release_revision = robot->release_revision;
  robot->saved.is_old_release = robot->old_release.is_there;
  return true;
}

static bool save_pose(fw_journal_t * journal, fw_controlled_robot_t * robot, fw_error_t * error)
{
  const fw_journal_pose_t pose = {to_waypoint(fw__controlled_robot_pose(robot)), robot->heard_ns};
  if (fw__journal_set_pose(journal, robot->name, &pose, error) != FW_RET_OK) {
    return false;
  }
  robot->saved.has_pose = true;
  robot->saved.pose = fw__controlled_robot_pose(robot);
  return true;
}

static bool has_moved(const fw_controlled_robot_t * robot)
{
  const double metres = reserved_path(robot)->count > 1 ? POSE_METRES_DRIVING : POSE_METRES;
  const fw_pose_t * saved = &robot->saved.pose;
  return !robot->saved.has_pose || fw__point_distance(saved->point, robot->point) > metres ||
         (robot->body.turn_ticks > 0 && fabs(saved->yaw - robot->yaw) > POSE_TURN);
}

static bool save_robot(fw_controller_impl_t * controller, fw_controlled_robot_t * robot, fw_error_t * error)
{
  fw_journal_t * journal = &controller->restart.journal;
  fw_robot_saved_t * saved = &robot->saved;
  const bool has_new_release = !saved->has_release || saved->release_revision != robot->release_revision ||
                               saved->is_old_release != robot->old_release.is_there;
  if (!saved->has_goals && !save_goals(journal, robot, error)) {
    return false;
  }
  if (has_new_release && !save_release(controller, robot, error)) {
    return false;
  }
  if (robot->has_pose && (has_new_release || has_moved(robot)) && !save_pose(journal, robot, error)) {
    return false;
  }
  if (!saved->has_service || saved->service != robot->service) {
    if (fw__journal_set_flags(journal, robot->name, to_flags(robot->service), error) != FW_RET_OK) {
      return false;
    }
    saved->has_service = true;
    saved->service = robot->service;
  }
  return true;
}

// The goals of a robot that is not in the fleet any more end as if it had left now. False if there is no memory: what
// has ended is not the journal's any more, and the rest is tried again.
static bool end_goals_of(fw_controller_impl_t * controller, const fw_journal_robot_t * known, int64_t now_ns)
{
  fw_journal_t * journal = &controller->restart.journal;
  fw_error_t error = {0};
  while (known->goal_count > 0) {
    const fw_journal_goal_t goal = known->goals[0];
    const fw_journal_end_t end = {goal.id, FW_JOURNAL_CANCELLED, 0};
    const bool is_station = (goal.flags & GOAL_IS_STATION) != 0;
    if (
      !is_station && (!fw__goal_events_reserve(&controller->events, 1) || !save_ends(controller, &error) ||
                      fw__journal_add_untold(journal, known->name, end, &error) != FW_RET_OK)) {
      return false;
    }
    if (!is_station) {
      fw_goal_event_t event = {.kind = FW_GOAL_CANCELLED, .id = goal.id, .robot = -1, .time_ns = now_ns};
      (void)snprintf(event.text, sizeof event.text, "the robot has left the fleet");
      fw__goal_events_tell_again(&controller->events, &event);
    }
    const fw_ret_t ret = fw__journal_end_goal(journal, known->name, end, &error);
    FW_ASSERT(ret == FW_RET_OK);
    (void)ret;
  }
  return true;
}

// Robots that the journal knows and that were not listed again.
static void forget_unlisted(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_restart_t * restart = &controller->restart;
  if (restart->has_forgotten || now_ns <= 0) {
    return;
  }
  restart->forget_ns =
    restart->forget_ns == 0 || restart->forget_ns > now_ns + UNLISTED_NS ? now_ns + UNLISTED_NS : restart->forget_ns;
  if (now_ns < restart->forget_ns) {
    return;
  }
  restart->has_forgotten = true;
  for (int32_t k = fw__journal_robot_count(&restart->journal) - 1; k >= 0; --k) {
    const fw_journal_robot_t * known = fw__journal_robot_at(&restart->journal, k);
    if (fw__controller_fleet_find(&controller->fleet, known->name) >= 0) {
      continue;
    }
    if (!end_goals_of(controller, known, now_ns)) {
      restart->has_forgotten = false;
      return;
    }
    fw__log(
      &controller->log, FW_LOG_INFO, "%s is in the journal and not in the fleet any more: forgotten", known->name);
    fw__journal_forget(&restart->journal, known->name);
  }
}

// Ids are given at any moment, and the file is written at updates: they are reserved in the file in blocks, before they
// are given. So no id is given twice, whatever a kill or a power failure takes with it.
static void reserve_goal_ids(fw_controller_impl_t * controller)
{
  static const uint64_t BLOCK = 10000;  // in decimal, for those who read them
  fw_journal_t * journal = &controller->restart.journal;
  const uint64_t next = controller->fleet.goals_seen + 1;
  const uint64_t reserved = fw__journal_next_goal_id(journal);
  if (reserved < next || reserved - next < BLOCK / 2) {
    fw__journal_reserve_goal_ids(journal, next <= UINT64_MAX - BLOCK ? next + BLOCK : UINT64_MAX);
  }
}

void fw__restart_commit(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_restart_t * restart = &controller->restart;
  fw_error_t error = {0};
  if (!restart->is_on) {
    return;
  }
  forget_unlisted(controller, now_ns);
  bool is_saved = save_ends(controller, &error);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    const bool is_known = fw__controlled_robot_is_listed(robot) && !robot->is_unrestored;
    is_saved = (!is_known || save_robot(controller, robot, &error)) && is_saved;
  }
  fw__journal_set_paused(&restart->journal, controller->is_paused);
  reserve_goal_ids(controller);
  const bool is_written = fw__journal_commit(&restart->journal, now_ns, &error) == FW_RET_OK;
  note_fault(controller, is_written && is_saved ? "" : error.text);
}

// ---- what is restored

// The journal was damaged: poses and releases may be older than what robots hold. Only goals and service are true
// enough to keep.
static fw_ret_t forget_places(fw_journal_t * journal, fw_error_t * error)
{
  for (int32_t k = 0; k < fw__journal_robot_count(journal); ++k) {
    const fw_journal_robot_t * robot = fw__journal_robot_at(journal, k);
    char name[FW_JOURNAL_NAME_BYTES_MAX + 1];
    const uint32_t flags = robot->flags;
    const int32_t count = robot->goal_count;
    fw_journal_goal_t * goals = fw__calloc((size_t)count + 1, sizeof *goals);
    if (goals == NULL) {
      return fw__error_memory(error);
    }
    memcpy(name, robot->name, sizeof name);
    if (count > 0) {
      memcpy(goals, robot->goals, (size_t)count * sizeof *goals);
    }
    fw__journal_forget(journal, name);
    fw_ret_t ret = fw__journal_set_flags(journal, name, flags, error);  // adds it again, at the same place
    for (int32_t g = 0; ret == FW_RET_OK && g < count; ++g) {
      ret = fw__journal_put_goal(journal, name, &goals[g], error);
    }
    free(goals);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return FW_RET_OK;
}

fw_ret_t fw__restart_init(
  fw_controller_impl_t * controller, const fw_controller_options_t * options, fw_error_t * error)
{
  fw_restart_t * restart = &controller->restart;
  if (options->journal == NULL || options->journal[0] == '\0') {
    return FW_RET_OK;
  }
  static const fw_journal_sync_t syncs[] = {
    [FW_CONTROLLER_SYNC_EACH] = FW_JOURNAL_SYNC_EACH,
    [FW_CONTROLLER_SYNC_INTERVAL] = FW_JOURNAL_SYNC_INTERVAL,
    [FW_CONTROLLER_SYNC_NEVER] = FW_JOURNAL_SYNC_NEVER,
  };
  const double seconds = options->journal_sync_seconds;
  if ((int32_t)options->journal_sync < 0 || options->journal_sync > FW_CONTROLLER_SYNC_NEVER) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "journal_sync must be one of fw_controller_sync_t");
  }
  if (!(seconds >= 0.0 && seconds <= 3600.0)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "journal_sync_seconds must be between 0 and 3600, not %g", seconds);
  }
  const fw_journal_options_t journal_options = {
    .path = options->journal,
    .sync = syncs[options->journal_sync],
    .sync_interval_ns = fw__seconds_to_ns(seconds),
    .io = options->journal_io,
  };
  fw_journal_recovery_t recovery = {0};
  fw_ret_t ret = fw__journal_init(&restart->journal, &journal_options, &recovery, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (recovery.cut_bytes > 0) {
    fw__log(&controller->log, FW_LOG_WARN, "%s", recovery.warning);
  }
  if (recovery.cut_bytes > 0 && !recovery.is_torn) {
    fw__log(
      &controller->log, FW_LOG_WARN,
      "the places of robots may be outdated: nothing is released until all robots have reported");
    ret = forget_places(&restart->journal, error);
    if (ret != FW_RET_OK) {
      fw__journal_fini(&restart->journal);
      return ret;
    }
  }
  restart->told_before = fw__journal_told(&restart->journal);
  if (!fw__goal_events_reserve(&controller->events, fw__journal_untold_count(&restart->journal))) {
    fw__journal_fini(&restart->journal);
    return fw__error_memory(error);
  }
  restart->is_on = true;
  controller->is_paused = fw__journal_is_paused(&restart->journal);
  controller->fleet.goals_seen = fw__journal_next_goal_id(&restart->journal) - 1;
  reserve_goal_ids(controller);
  fw_error_t fault = {0};
  const bool is_reserved = fw__journal_commit(&restart->journal, 0, &fault) == FW_RET_OK;
  note_fault(controller, is_reserved ? "" : fault.text);
  if (!recovery.is_new) {
    fw__log(
      &controller->log, FW_LOG_INFO, "the journal knows %d robot%s%s", fw__journal_robot_count(&restart->journal),
      fw__journal_robot_count(&restart->journal) == 1 ? "" : "s", controller->is_paused ? "; the fleet is paused" : "");
  }
  return FW_RET_OK;
}

void fw__restart_tell_again(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_restart_t * restart = &controller->restart;
  if (!restart->is_on || restart->has_told_again) {
    return;
  }
  restart->has_told_again = true;
  FW_ASSERT(controller->events.count == 0);  // so that events come in the order in which the journal numbers ends
  for (int32_t k = 0; k < fw__journal_untold_count(&restart->journal); ++k) {
    const fw_journal_untold_t * untold = fw__journal_untold_at(&restart->journal, k);
    fw_goal_event_t event = {
      .kind = from_outcome(untold->end.outcome),
      .id = untold->end.id,
      .robot = fw__controller_fleet_find(&controller->fleet, untold->robot),
      .time_ns = now_ns,
      .fault = (fw_fault_t)untold->end.code,
    };
    (void)snprintf(event.text, sizeof event.text, "it ended before the restart");
    fw__goal_events_tell_again(&controller->events, &event);
  }
}

void fw__restart_fini(fw_controller_impl_t * controller)
{
  fw_restart_t * restart = &controller->restart;
  fw__restart_commit(controller, controller->last_now_ns);
  fw__journal_fini(&restart->journal);
  free(restart->waypoints);
  *restart = (fw_restart_t){0};
}

// Its release, and where it was, become the old release. There is room for the path.
static void restore_release(fw_controlled_robot_t * robot, const fw_journal_robot_t * known)
{
  fw_old_release_t * old = &robot->old_release;
  const bool is_round = robot->body.turn_ticks == 0 && robot->body.outline->counts[0] == 1;
  for (int32_t k = 0; k < known->waypoint_count; ++k) {
    const fw_journal_waypoint_t * at = &known->waypoints[k];
    old->path.waypoints[k] = (fw_timed_waypoint_t){.point = {at->x, at->y}, .yaw = is_round ? NAN : at->yaw};
  }
  old->path.count = known->waypoint_count;
  old->path.body = robot->body;
  old->is_there = known->has_pose || known->waypoint_count > 0;
  if (known->has_pose) {
    const fw_pose_t place = {{known->pose.at.x, known->pose.at.y}, known->pose.at.yaw};
    fw__old_release_recall(old, place, RECALL_METRES, known->waypoint_count > 1 ? POSE_METRES_DRIVING : POSE_METRES);
  }
  // It drives what it holds; what that is, is told to it again once it is heard and near.
  robot->has_new_release = !old->is_there;
}

static void restore_goals(const fw_goals_t * goals, int32_t index, const fw_journal_robot_t * known)
{
  fw_controlled_robot_t * robot = &goals->fleet->robots[index];
  for (int32_t k = 0; k < known->goal_count; ++k) {
    const fw_robot_goal_t goal = from_journal_goal(&known->goals[k]);
    if ((known->goals[k].flags & GOAL_IS_STATION) != 0) {
      robot->has_goal = true;
      robot->goal = goal.pose.point;
      robot->goal_yaw = goal.pose.yaw;
      robot->goal_tolerance = goal.position_tolerance;
      robot->goal_yaw_tolerance = goal.yaw_tolerance;
      robot->goal_order = goal.id;
    } else {
      fw__goals_restore(goals, index, &goal);
    }
  }
}

void fw__restart_restore(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_journal_robot_t * known =
    controller->restart.is_on ? fw__journal_find(&controller->restart.journal, robot->name) : NULL;
  if (known == NULL) {
    return;
  }
  const fw_goals_t goals = {.fleet = &controller->fleet, .events = &controller->events, .now_ns = now_ns};
  if (
    !fw__goals_reserve(&goals, index, known->goal_count) ||
    !fw__timed_path_reserve(&robot->old_release.path, known->waypoint_count)) {
    fw__log(
      &controller->log, FW_LOG_ERROR, "%s: out of memory for what the journal knows of it; it is tried again",
      robot->name);
    robot->is_unrestored = true;
    robot->has_new_release = false;  // what it holds is not known
    controller->restart.unrestored_count += 1;
    return;
  }
  restore_goals(&goals, index, known);
  robot->service = from_flags(known->flags);
  if (controller->settings.execution_mode == FW_EXECUTION_MODE_DEPENDENCY) {
    restore_release(robot, known);
  }
  fw__log(
    &controller->log, FW_LOG_INFO, "%s is known from the journal: %d goals%s", robot->name, robot->goal_count,
    robot->old_release.path.count > 1 ? ", and it may be driving" : "");
}

void fw__restart_restore_left(fw_controller_impl_t * controller, int64_t now_ns)
{
  for (int32_t k = 0; controller->restart.unrestored_count > 0 && k < controller->fleet.count; ++k) {
    if (controller->fleet.robots[k].is_unrestored) {
      controller->fleet.robots[k].is_unrestored = false;
      controller->restart.unrestored_count -= 1;
      fw__restart_restore(controller, k, now_ns);
      if (controller->fleet.robots[k].is_unrestored) {
        return;
      }
      fw__controller_request_round(controller, "a robot is known from the journal");
    }
  }
}

bool fw__restart_has_goal(const fw_controller_impl_t * controller, uint64_t id)
{
  const fw_journal_t * journal = &controller->restart.journal;
  for (int32_t k = 0; controller->restart.is_on && k < fw__journal_robot_count(journal); ++k) {
    const fw_journal_robot_t * known = fw__journal_robot_at(journal, k);
    for (int32_t g = 0; g < known->goal_count; ++g) {
      if (known->goals[g].id == id && (known->goals[g].flags & GOAL_IS_STATION) == 0) {
        return fw__controller_fleet_find(&controller->fleet, known->name) < 0;
      }
    }
  }
  return false;
}

void fw__restart_forget(fw_controller_impl_t * controller, int32_t index)
{
  if (controller->restart.is_on) {
    fw_error_t error = {0};
    (void)save_ends(controller, &error);  // while its name is known; what fails is tried again by the next commit
    controller->restart.unrestored_count -= controller->fleet.robots[index].is_unrestored ? 1 : 0;
    fw__journal_forget(&controller->restart.journal, controller->fleet.robots[index].name);
  }
}

// ---- old releases

// Takes what the robot holds, if it has no old release already. False if there is nothing that it could drive.
static bool begin_old_release(fw_controlled_robot_t * robot)
{
  fw_old_release_t * old = &robot->old_release;
  if (old->is_there || !fw__controlled_robot_is_listed(robot) || !robot->has_pose) {
    return old->is_there;
  }
  const fw_timed_path_t path = robot->released;
  robot->released = old->path;
  robot->released.count = robot->reserved_count = 0;
  *old = (fw_old_release_t){.is_there = true, .path = path, .is_sent = true};
  fw__old_release_report(old, fw__controlled_robot_pose(robot), 0.0);
  return true;
}

void fw__restart_void_release(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const bool is_new = !robot->old_release.is_there;
  const int32_t count = reserved_count(robot);
  if (begin_old_release(robot)) {
    robot->old_release.path.count = is_new ? count : robot->old_release.path.count;
    robot->old_release.is_void = true;
    robot->old_release.void_ns = now_ns;
    robot->has_new_release = true;
  }
}

void fw__restart_keep_release(fw_controller_impl_t * controller, int32_t index)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  if (!begin_old_release(robot) || robot->old_release.is_void) {
    return;
  }
  const fw_timed_path_t * path = &robot->old_release.path;
  if (!fw__timed_path_reserve(&robot->released, path->count)) {
    fw__restart_void_release(controller, index, controller->last_now_ns);
    return;
  }
  for (int32_t k = 0; k < path->count; ++k) {
    robot->released.waypoints[k] = path->waypoints[k];
  }
  robot->released.count = path->count;
  robot->has_new_release = false;  // it has this one
}

// The robot stands and will not go on by itself.
static bool is_over(const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, int64_t now_ns)
{
  const fw_old_release_t * old = &robot->old_release;
  if (robot->is_stale || !robot->is_still) {
    return false;
  }
  const int64_t since_ns = old->void_ns > robot->still_ns ? old->void_ns : robot->still_ns;
  const double near = NEAR_CELLS * controller->map.frame.resolution;
  return (!old->is_unknown && !old->is_kept && fw__old_release_is_at_end(old, &robot->body, near)) ||
         (old->is_void && now_ns - since_ns > STAY_NS);
}

// Why the robot is to stay where it is instead of going on along its old release; NULL if it may.
static const char * reason_to_stay(
  const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, int64_t now_ns)
{
  const fw_controller_settings_t * settings = &controller->settings;
  const double bound = OFF_PATH_CELLS * controller->map.frame.resolution;
  const double off_max = settings->plan_tolerance > 0.0 ? fmin(settings->plan_tolerance, bound) : bound;
  const double stopped = settings->stopped_timeout > 0.0 ? settings->stopped_timeout : STOPPED_SECONDS;
  if (robot->old_release.off_path > off_max) {
    return "is not on the path that was released to it";
  }
  const bool has_stopped = !robot->is_stale && robot->is_still && now_ns - robot->still_ns > fw__seconds_to_ns(stopped);
  if (robot->old_release.is_approach) {
    return NULL;  // approach.c decides
  }
  return has_stopped ? "has stopped before the end of what was released to it" : NULL;
}

// Does somebody touch a cell of an old release?
typedef struct fw_crossing_t {
  const fw_controller_impl_t * controller;
  const fw_reserved_space_t * space;
  fw_cell_t cell;
  bool is_found;
} fw_crossing_t;

static void compare_cell(void * context, fw_cell_t cell)
{
  fw_crossing_t * crossing = context;
  crossing->is_found = crossing->is_found || cell == crossing->cell;
}

static void find_in_space(void * context, fw_cell_t cell)
{
  fw_crossing_t * crossing = context;
  crossing->cell = cell;
  if (!crossing->is_found) {
    fw__reserved_space_visit_cells(
      crossing->space, &crossing->controller->map.frame,
      (fw_raster_visitor_t){.visit = compare_cell, .context = crossing});
  }
}

// Is the point within `reach` metres of the box around what the robot may still drive?
static bool is_near_release(const fw_old_release_t * old, fw_point_t point, double reach)
{
  fw_point_t low = old->place.point, high = old->place.point;
  for (int32_t k = 0; k < old->path.count; ++k) {
    const fw_point_t at = old->path.waypoints[k].point;
    low = (fw_point_t){fmin(low.x, at.x), fmin(low.y, at.y)};
    high = (fw_point_t){fmax(high.x, at.x), fmax(high.y, at.y)};
  }
  return point.x > low.x - reach && point.x < high.x + reach && point.y > low.y - reach && point.y < high.y + reach;
}

// How far a body reaches from its robot, in cells, at most.
static double reach_of(const fw_robot_body_t * body)
{
  double reach = 0.0;
  for (int32_t k = 0; k < body->outline->counts[0]; ++k) {
    reach = fmax(reach, hypot(body->outline->cells[0][k].dx, body->outline->cells[0][k].dy));
  }
  return reach + 2.0;  // the cell, and that it may stand beside its centre
}

// Metres from a point to what the robot may still drive.
static double distance_to_release(const fw_old_release_t * old, fw_point_t point)
{
  fw_point_t from = old->place.point;
  double nearest = fw__point_distance(from, point);
  for (int32_t k = old->first + 1; k < old->path.count; ++k) {
    const fw_point_t to = old->path.waypoints[k].point;
    nearest = fmin(nearest, fw__point_line_distance(point, from, to));
    from = to;
  }
  return nearest;
}

// Does a body in a pose touch a cell that the robot may still drive through?
static bool touches_release(const fw_controller_impl_t * controller, int32_t index, fw_measured_body_t measured)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_reserved_space_t space = {&robot->old_release, &robot->body, controller->map.robot_radius};
  const double reach = (reach_of(&robot->body) + reach_of(measured.body)) * controller->map.frame.resolution;
  fw_crossing_t crossing = {.controller = controller, .space = &space};
  if (is_near_release(&robot->old_release, measured.pose.point, reach)) {
    fw__robot_body_visit_touched_cells(
      &measured, &controller->map.frame, (fw_raster_visitor_t){.visit = find_in_space, .context = &crossing});
  }
  return crossing.is_found;
}

// A robot that was on its own release has nothing to do with that of another, unless it was carried there. Discs are
// compared exactly, since robots that follow each other often touch one cell.
static bool was_carried_onto(const fw_controller_impl_t * controller, int32_t index, int32_t by)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_controlled_robot_t * other = &controller->fleet.robots[by];
  const fw_pose_t place = other->has_pose ? fw__controlled_robot_pose(other) : other->old_release.place;
  const double radius = controller->map.robot_radius;
  if (!robot->old_release.has_place || (!other->has_pose && !other->old_release.has_place)) {
    return false;
  }
  if (robot->body.outline->counts[0] == 1 && other->body.outline->counts[0] == 1) {
    return distance_to_release(&robot->old_release, place.point) < 2.0 * radius;
  }
  return touches_release(controller, index, (fw_measured_body_t){&other->body, place, radius, 0.0});
}

typedef struct fw_blocked_space_t {
  const fw_blocked_cells_t * blocked;
  bool is_blocked;
} fw_blocked_space_t;

static void find_blocked(void * context, fw_cell_t cell)
{
  fw_blocked_space_t * space = context;
  space->is_blocked = space->is_blocked || fw__blocked_cells_has(space->blocked, cell);
}

// Does a body of several cells fit in the centre of a cell, outside of keepouts? Elsewhere nothing is said.
static bool has_room_at(const fw_controller_impl_t * controller, const fw_robot_body_t * body, fw_pose_t pose)
{
  const fw_planning_map_t * map = &controller->map;
  const fw_grid_pose_t place = fw__robot_body_place(body, &map->frame, controller->settings.connectivity, pose);
  if (
    place.cell == FW_CELL_NONE || fw__point_distance(pose.point, fw__map_frame_point(&map->frame, place.cell)) >
                                    CENTRE_CELLS * map->frame.resolution) {
    return true;
  }
  bool has_room = fw__robot_body_fits(body, &map->grid, place);
  for (int32_t k = 0; has_room && k < fw__robot_body_cell_count(body, place); ++k) {
    has_room = !fw__planning_map_is_exit(map, fw__robot_body_cell(body, &map->grid, place, k));
  }
  return has_room;
}

// Does the map leave room for what the robot may still drive? A wall or a keepout may have come since it was released.
static bool map_allows_release(const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot)
{
  const fw_old_release_t * old = &robot->old_release;
  const fw_timed_waypoint_t * waypoints = old->path.waypoints;
  bool is_free = true;
  for (int32_t k = old->first; is_free && k + 1 < old->path.count; ++k) {
    is_free =
      robot->body.outline->counts[0] == 1
        ? fw__planning_map_line_is_free(&controller->map, waypoints[k].point, waypoints[k + 1].point)
        : has_room_at(controller, &robot->body, fw__timed_waypoint_pose(&waypoints[k + 1], &controller->map.frame));
  }
  return is_free;
}

// Is there an obstacle on what the robot may still drive? The last controller had perhaps cut it short for that.
static bool is_release_blocked(fw_controller_impl_t * controller, int32_t index)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  robot->old_release.map_revision = controller->map.revision;
  robot->old_release.blocked_revision = controller->blocked.revision;
  if (!map_allows_release(controller, robot)) {
    return true;
  }
  const fw_reserved_space_t space = {&robot->old_release, &robot->body, controller->map.robot_radius};
  fw_blocked_space_t found = {&controller->blocked, false};
  fw__reserved_space_visit_cells(
    &space, &controller->map.frame, (fw_raster_visitor_t){.visit = find_blocked, .context = &found});
  return found.is_blocked;
}

// Obstacles may have come since the last look. A final approach has its own rules for them (approach.h).
static bool may_have_obstacles(const fw_controller_impl_t * controller, const fw_old_release_t * old)
{
  const bool is_current =
    old->map_revision == controller->map.revision && old->blocked_revision == controller->blocked.revision;
  return !old->is_void && !old->is_approach && !is_current;
}

// A robot that stands where `index` may be sent: one without an old release, which came while there was no controller,
// or one that was carried there; -1 if there is none.
static int32_t newcomer_on_release(const fw_controller_impl_t * controller, int32_t index)
{
  int32_t found = -1;
  for (int32_t k = 0; found < 0 && k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * other = &controller->fleet.robots[k];
    const fw_measured_body_t measured = {
      &other->body, fw__controlled_robot_pose(other), controller->map.robot_radius, 0.0};
    bool is_there = false;
    if (k != index && fw__controlled_robot_is_listed(other) && other->old_release.is_there) {
      is_there = was_carried_onto(controller, index, k);
    } else if (k != index && other->has_pose) {
      is_there = touches_release(controller, index, measured);
    }
    found = is_there ? k : -1;
  }
  return found;
}

static bool has_missing_robot(const fw_controller_impl_t * controller)
{
  bool is_missing = false;
  for (int32_t k = 0; !is_missing && k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    is_missing = fw__controlled_robot_is_listed(robot) && !fw__controlled_robot_has_place(robot);
  }
  return is_missing && !controller->settings.ignores_missing_robots;
}

// Tells a robot its old release. It may not have heard of it: then this is a new release, and others may have come
// since.
static void tell_old_release(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  if (has_missing_robot(controller)) {
    return;  // the next update tries again
  }
  const int32_t other = newcomer_on_release(controller, index);
  if (other >= 0) {
    fw__log(
      &controller->log, FW_LOG_WARN, "%s stands where %s was released to: that one is to stay",
      controller->fleet.robots[other].name, robot->name);
    fw__restart_void_release(controller, index, now_ns);
  } else if (is_release_blocked(controller, index)) {
    fw__log(&controller->log, FW_LOG_WARN, "an obstacle is where %s was released to: it is to stay", robot->name);
    fw__restart_void_release(controller, index, now_ns);
  }
  robot->has_new_release = true;
  robot->old_release.is_sent = true;
}

static void follow_old_release(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  fw_old_release_t * old = &robot->old_release;
  fw__old_release_report(old, fw__controlled_robot_pose(robot), NEAR_CELLS * controller->map.frame.resolution);
  if (is_over(controller, robot, now_ns)) {
    fw__old_release_fini(old);
    // "Stay": a robot outside the graph must not return to a path if it is carried away.
    robot->has_new_release = true;
    controller->obstacles_are_outdated = true;
    fw__controller_request_round(controller, "a robot stands where its old release has led it");
    return;
  }
  const char * reason = old->is_void ? NULL : reason_to_stay(controller, robot, now_ns);
  if (reason != NULL) {
    fw__log(
      &controller->log, FW_LOG_WARN, "%s %s: it is to stay at (%.7g, %.7g)", robot->name, reason, robot->point.x,
      robot->point.y);
    fw__restart_void_release(controller, index, now_ns);
    old->is_sent = true;
  } else if (!old->is_sent) {
    tell_old_release(controller, index, now_ns);
  } else if (may_have_obstacles(controller, old) && is_release_blocked(controller, index)) {
    fw__log(&controller->log, FW_LOG_WARN, "an obstacle has come where %s is driving: it is to stay", robot->name);
    fw__restart_void_release(controller, index, now_ns);
  }
}

void fw__restart_update(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw__restart_restore_left(controller, now_ns);
  if (now_ns <= 0 || controller->map.revision == 0 || controller->rival[0] != '\0') {
    return;
  }
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (robot->old_release.is_there && robot->has_pose) {
      follow_old_release(controller, k, now_ns);
    }
  }
}
