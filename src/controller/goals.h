// Goals: their life from acceptance to their one end, and the queue of events that tells of it.
//
//   request ──> accepted ──> active ──> reached | failed | cancelled | replaced   (a queued goal may end unstarted)
//          └──> rejected
//
// Memory for the events of a goal is reserved when it is accepted, so that its end can always be told.

#ifndef CONTROLLER__GOALS_H_
#define CONTROLLER__GOALS_H_

#include "controller/fleet.h"

typedef struct fw_goal_events_t {
  fw_goal_event_t * events;  // ring buffer
  int32_t capacity;
  int32_t first;
  int32_t count;
  int32_t live_goals;  // accepted and not ended: each may still add two events
  int32_t noted;       // the first so many of the queue are in the journal, as far as they are ends
  int64_t ends_taken;  // ends that the caller has taken
} fw_goal_events_t;

void fw__goal_events_fini(fw_goal_events_t * events);
bool fw__goal_events_next(fw_goal_events_t * events, fw_goal_event_t * event);
// Event `at` of the queue, from 0 to count - 1.
const fw_goal_event_t * fw__goal_events_at(const fw_goal_events_t * events, int32_t at);
bool fw__goal_event_is_end(const fw_goal_event_t * event);
// Ends of goals that an earlier controller may not have told of. The room for all of them is reserved first; false if
// there is no memory.
bool fw__goal_events_reserve(fw_goal_events_t * events, int32_t count);
void fw__goal_events_tell_again(fw_goal_events_t * events, const fw_goal_event_t * event);
// The slot of a robot that has left is given to another one: what is still to be told of the former is told of a robot
// that is not listed.
void fw__goal_events_leave_slot(fw_goal_events_t * events, int32_t robot);

// What functions about goals need.
typedef struct fw_goals_t {
  fw_controller_fleet_t * fleet;
  fw_goal_events_t * events;
  int64_t now_ns;
} fw_goals_t;

// Accepts all requests or none. The first one says whether they follow the robot's other goals or replace them. With
// `ids`, which may be NULL, come their numbers. False with a reason, which is the robot's `goal_fault` too.
typedef struct fw_goal_requests_t {
  int32_t robot;
  const fw_goal_request_t * requests;
  int32_t count;
  uint64_t * ids;
} fw_goal_requests_t;
bool fw__goals_accept(const fw_goals_t * goals, const fw_goal_requests_t * requests, fw_error_t * reason);

// Makes room for so many goals of a robot. False if there is no memory.
bool fw__goals_reserve(const fw_goals_t * goals, int32_t robot, int32_t count);
// Puts an accepted goal back, with its old number, behind the others: from a journal. There is room for it.
void fw__goals_restore(const fw_goals_t * goals, int32_t robot, const fw_robot_goal_t * goal);

// How a goal ends.
typedef struct fw_goal_end_t {
  fw_goal_event_kind_t kind;
  fw_fault_t fault;  // if it failed
  const char * text;
} fw_goal_end_t;

// Ends the first goal of a robot; the next one becomes active. Without a next one, a robot that has reached its goal
// keeps it as the place to be, and any other has no goal.
void fw__goals_end_active(const fw_goals_t * goals, int32_t robot, fw_goal_end_t end);
// Ends all goals of a robot from number `from` of its list on.
void fw__goals_end_all(const fw_goals_t * goals, int32_t robot, int32_t from, fw_goal_end_t end);
// Ends one goal. False if there is no such goal.
bool fw__goals_end(const fw_goals_t * goals, uint64_t id, fw_goal_end_t end);

// True if no goal is in two lists, the numbers of each list rise, and there is room for all events to come.
bool fw__goals_validate(const fw_controller_fleet_t * fleet, const fw_goal_events_t * events);

#endif  // CONTROLLER__GOALS_H_
