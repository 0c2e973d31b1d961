// What must hold after each step of a controller that drives simulated robots. The first violation is kept as text.
//
// - No two robots overlap that were apart and obey.
// - A release never shrinks: where a release ends, the next one passes or ends too. Exceptions: an obstacle on the path
//   (obstructed, withdrawn), and releases that are void (fw__controller_invariants_allow_void, or the robot stands
//   beside its path): then the next one is empty, "stay".
// - No release goes against a one-way area, or from outside into a keepout, apart from what was released before.
// - An obeying robot can follow: the first release after "stay" begins near it.
// - Every accepted goal ends in exactly one way, over all lives of a controller with a journal: its end may be told
//   again after a restart, if it was told just before the kill. The goals that the controller shows are those that have
//   not ended; a robot whose goal is reached is there.
// - One update does bounded work: allocations, disk calls, expected times, log lines (fw_update_work_t).

#ifndef SIMULATION__CONTROLLER_INVARIANTS_H_
#define SIMULATION__CONTROLLER_INVARIANTS_H_

#include "controller/map/escape.h"
#include "simulation/path_robot.h"
#include "simulation/world_areas.h"

enum { FW_INVARIANT_ROBOTS_MAX = 64, FW_INVARIANT_GOALS_MAX = 512, FW_INVARIANT_TEXT_SIZE = 400 };

typedef struct fw_watched_release_t {
  fw_pose_t path[FW_PATH_ROBOT_POSES_MAX];
  int32_t count;
  bool may_be_void;  // the next releases may be empty, once
  bool was_void;     // an empty one has come
  bool is_short;     // an obstacle is on its path
  bool may_shrink;   // one was, since the last release
} fw_watched_release_t;

typedef enum fw_watched_goal_state_t {
  FW_WATCHED_ACCEPTED,
  FW_WATCHED_ACTIVE,
  FW_WATCHED_ENDED
} fw_watched_goal_state_t;

typedef struct fw_watched_goal_t {
  uint64_t id;
  int32_t robot;
  fw_watched_goal_state_t state;
  fw_goal_event_kind_t end;  // with FW_WATCHED_ENDED
  bool was_activated;        // in this life of the controller
  bool may_skip_active;      // that it became active may have been lost with a kill
  bool may_repeat;           // its end may be told once more
  bool is_doubtful;          // its acceptance or its end was lost with the power: nothing is known of it
  int64_t accepted_ns;       // of the simulation
  int64_t ended_ns;
} fw_watched_goal_t;

// What one update did.
typedef struct fw_update_work_t {
  int64_t allocations;
  int64_t disk_calls;
  int64_t retimed;    // expected times that were computed
  int64_t waypoints;  // of the dependency graph
  int64_t log_lines;
  int64_t robots;
} fw_update_work_t;

typedef struct fw_controller_invariants_t {
  double radius;   // metres, of the discs of all robots
  bool has_rings;  // robots rotate in rings without gaps: the execution does not promise that they are apart
  bool overlap[FW_INVARIANT_ROBOTS_MAX][FW_INVARIANT_ROBOTS_MAX];  // that is somebody else's fault, or an old one
  fw_watched_release_t releases[FW_INVARIANT_ROBOTS_MAX];
  fw_watched_goal_t goals[FW_INVARIANT_GOALS_MAX];  // of the present controller, in the order of acceptance
  int32_t goal_count;
  double nearest;                        // metres between the edges of two discs of robots that obey
  int64_t pairs;                         // pairs of robots that were compared
  char failure[FW_INVARIANT_TEXT_SIZE];  // "": everything holds
} fw_controller_invariants_t;

void fw__controller_invariants_fail(fw_controller_invariants_t * invariants, const char * format, ...) FW_PRINTF(2, 3);

// `robots` has NULL for robots that are not present.
void fw__controller_invariants_check_overlaps(
  fw_controller_invariants_t * invariants, const fw_path_robot_t * const * robots, int32_t count);

// The releases of a robot (-1: of all) may become void now.
void fw__controller_invariants_allow_void(fw_controller_invariants_t * invariants, int32_t robot);
// The robot is another one, or the controller is.
void fw__controller_invariants_forget_release(fw_controller_invariants_t * invariants, int32_t robot);
// To be called after each update, before a new release is checked.
void fw__controller_invariants_note_state(
  fw_controller_invariants_t * invariants, int32_t robot, const fw_execution_status_t * status);
// A release is sent to a robot.
void fw__controller_invariants_check_release(
  fw_controller_invariants_t * invariants, int32_t robot, const fw_controller_path_t * path,
  const fw_path_robot_t * body);

typedef struct fw_area_site_t {
  const fw_world_areas_t * areas;
  const fw_path_robot_t * body;
  const fw_escapes_t * escapes;  // of the controller: around them one-way areas do not hold
} fw_area_site_t;

// The same for the areas; to be called before. What the robot had been released before does not count, nor the motion
// that it is on.
void fw__controller_invariants_check_areas(
  fw_controller_invariants_t * invariants, int32_t robot, const fw_controller_path_t * path,
  const fw_area_site_t * site);

// A controller that begins without goals.
void fw__controller_invariants_forget_goals(fw_controller_invariants_t * invariants);
void fw__controller_invariants_add_goal(
  fw_controller_invariants_t * invariants, uint64_t id, int32_t robot, int64_t now_ns);
// NULL if the goal is not watched.
fw_watched_goal_t * fw__controller_invariants_find_goal(fw_controller_invariants_t * invariants, uint64_t id);
// A controller was killed and begins with its journal; ends that were told since `told_ns` may be told again.
void fw__controller_invariants_restart_goals(fw_controller_invariants_t * invariants, int64_t told_ns);
// An event; `slot_robot` is the number of its robot in the simulation, -1 if there is none any more.
void fw__controller_invariants_check_event(
  fw_controller_invariants_t * invariants, const fw_goal_event_t * event, int32_t slot_robot, int64_t now_ns);
// Compares the goals of a robot with those that the controller shows.
void fw__controller_invariants_check_goals(
  fw_controller_invariants_t * invariants, int32_t robot, const fw_controller_robot_status_t * status);

void fw__controller_invariants_check_work(fw_controller_invariants_t * invariants, const fw_update_work_t * work);

#endif  // SIMULATION__CONTROLLER_INVARIANTS_H_
