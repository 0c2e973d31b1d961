// When to plan, what to ask, and what to make of the answer.
//
// A round (round.h): events or a periodic look ask for one -> the job is written -> the worker solves -> the answer
// becomes the schedule, if it comes before its epoch. Robots go on driving all the while, so a round starts from where
// the schedule has them at the epoch. Knows nothing of rcl: the node brings messages and time in and paths out.

#ifndef ROS__PLANNER_NODE__PLANNING_H_
#define ROS__PLANNER_NODE__PLANNING_H_

#include "ros/planner_node/blocked.h"
#include "ros/planner_node/closures.h"
#include "ros/planner_node/driving.h"
#include "ros/planner_node/fleet.h"
#include "ros/planner_node/worker.h"

enum { HISTORY_SIZE = 512, RELEASES_SIZE = 4096 };

// Of what the worker's planner remembers: the last plan that it made, if that is the one that robots drive.
typedef struct story_t {
  bool is_driven;
  int64_t epoch_ns;
  int64_t tick_ns;
  int64_t map_revision;
} story_t;

typedef struct planning_t {
  node_settings_t settings;
  fleet_t fleet;
  closures_t closures;
  map_t map;
  nav_msgs__msg__OccupancyGrid map_message;  // the last good one, for when a parameter asks for another grid of it
  fw_error_t map_fault;                        // why the last map was refused; empty if it was not
  blocked_t blocked;
  schedule_t schedule;
  driving_t driving;
  worker_t worker;
  const char * logger;

  const char * wanted;  // why a round is wanted, NULL if none is
  bool is_urgent;       // it is wanted at once
  int64_t lead_ns;      // grows when answers come too late
  int64_t next_look_ns;
  int64_t next_window_ns;    // when a plan that ends before the goals needs the next one
  int64_t next_drive_ns;     // driving: when robots are looked at again,
  int64_t next_retime_ns;    // and the times of their paths
  int64_t next_round_ns;     // not before this, unless it is urgent
  bool obstacles_are_old;    // something is in the way, or gone, that the dependency graph does not know of
  int64_t closures_seen_ns;  // closures that begin before this were part of the last round
  bool has_opened;           // something closed has changed or gone: there may be better ways
  story_t story;
  int64_t last_now_ns;
  int64_t patience_end_ns;  // steady clock: until then all robots are waited for; 0: none has appeared yet
  bool has_readers;         // somebody listens to each robot's path; the node sets it
  track_t path;             // one path, on its way into the schedule

  // For diagnostics
  int64_t rounds;          // answers that became the schedule
  int64_t going_on;        // of these, those that were asked for as the next part of the plan before
  int64_t late_count;      // answers that came after their epoch
  fw_error_t planner_fault;  // why the last answer could not be used; empty if it could
  fw_outcome_t outcome;
  fw_stop_t stop;
  fw_stats_t stats;
  int64_t reports;                    // poses that were taken
  int64_t oldest_report_ns;           // of this turn, by its stamp; 0: there was none
  int64_t release_ns[RELEASES_SIZE];  // from a report to the releases that followed from it, the newest in the same way
  int64_t release_count;
  int64_t history_ns[HISTORY_SIZE];  // how long rounds took, the newest at history_count - 1 (modulo size)
  int64_t history_count;
} planning_t;

bool planning_init(
  planning_t * planning, const ros_parameters_t * parameters, const node_settings_t * settings, const char * logger,
  void (*on_done)(void * context), void * context);
void planning_fini(planning_t * planning);

// After a change of the list of robots: who is not in it any more is forgotten, who is new has a place. False if there is
// no memory.
bool planning_read_names(planning_t * planning, const ros_parameters_t * parameters);
// After a change of parameters.
void planning_read_settings(planning_t * planning, const ros_parameters_t * parameters, const node_settings_t * settings);
// After time went back, or became another time: no stamp means anything any more.
void planning_drop_plans(planning_t * planning, int64_t now_ns);
// Asks for a round: at once, or with the next tick of the plan that is driven, so that it can go on from that plan.
void planning_want(planning_t * planning, const char * why);
void planning_want_soon(planning_t * planning, const char * why);

// Empties the inbox, takes an answer, starts a round. True if the schedule is a new one.
bool planning_update(planning_t * planning, inbox_t * inbox, int64_t now_ns);

// Parts of it. planning_inbox.c: everything that has come in. planning_map.c: a map from outside, and one to be laid anew
// by other settings.
void planning_take_inbox(planning_t * planning, inbox_t * inbox, int64_t now_ns);
void planning_take_map(planning_t * planning, nav_msgs__msg__OccupancyGrid * message);
void planning_build_map(planning_t * planning, nav_msgs__msg__OccupancyGrid * message);

// Does the track of this robot lead to its goal? One of a window may end before. Is it at its end?
bool planning_ends_at_goal(const planning_t * planning, int32_t index);
bool planning_is_at_goal(const planning_t * planning, int32_t index, int64_t now_ns);
// Why no round can start now ("there is no map yet"), or NULL.
const char * planning_obstacle(const planning_t * planning, int64_t now_ns);

#endif  // ROS__PLANNER_NODE__PLANNING_H_
