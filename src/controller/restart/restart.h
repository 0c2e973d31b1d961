// Restart: what the controller remembers in its journal, what it restores from it, and what becomes of releases whose
// plan is gone.
//
//   update, requests ──> commit ──> journal        before anybody can see the release, or hear that a goal is accepted
//   list of robots  ──> restore <── journal        goals, service, last place, and the release as old release
//   update          ──> old releases end           robots stand where their releases lead, and take part again
//
// What is committed: each release, before its revision is visible; goals, before the call that accepts or ends them
// returns; how goals ended, until the caller has taken the event; service and pause; poses, thinned. A commit that
// fails does not stop the fleet: it is an ERROR in the log and in fw_controller_status, and each update tries again. A
// controller that is killed meanwhile forgets what was not written.

#ifndef CONTROLLER__RESTART__RESTART_H_
#define CONTROLLER__RESTART__RESTART_H_

#include "controller/fleet.h"
#include "controller/restart/journal.h"

struct fw_controller_impl_t;

// `{0}`: there is no journal.
typedef struct fw_restart_t {
  fw_journal_t journal;
  bool is_on;
  fw_error_t fault;                   // why the last commit failed; empty if it did not
  int64_t forget_ns;                  // when robots that were not listed in this run are forgotten; 0: no time yet
  bool has_forgotten;                 // that is done
  uint64_t told_before;               // ends of goals that were told when this controller began
  bool has_told_again;                // what an earlier one may not have told
  int32_t unrestored_count;           // robots with is_unrestored
  fw_journal_waypoint_t * waypoints;  // scratch
  int32_t waypoint_capacity;
} fw_restart_t;

// Opens the journal that the options name, if any, and takes what concerns the whole fleet from it. FW_RET_FILE with
// the reason if it cannot be used.
FW_MUST_USE fw_ret_t
fw__restart_init(struct fw_controller_impl_t * controller, const fw_controller_options_t * options, fw_error_t * error);
// Commits a last time and closes the journal.
void fw__restart_fini(struct fw_controller_impl_t * controller);

// The first list of robots is there: tells again of the goals whose end the last controller may not have told.
void fw__restart_tell_again(struct fw_controller_impl_t * controller, int64_t now_ns);
// A robot was added to the list: gives it what the journal knows of it.
void fw__restart_restore(struct fw_controller_impl_t * controller, int32_t index, int64_t now_ns);
// Tries again for robots for which there was no memory. Until it works, they could be anywhere, and their goals are as
// they were.
void fw__restart_restore_left(struct fw_controller_impl_t * controller, int64_t now_ns);
// Does the journal have this goal, of a robot that is not listed (yet)?
bool fw__restart_has_goal(const struct fw_controller_impl_t * controller, uint64_t id);
// A robot leaves the list: the journal forgets it.
void fw__restart_forget(struct fw_controller_impl_t * controller, int32_t index);
// Writes all changes since the last commit into the journal.
void fw__restart_commit(struct fw_controller_impl_t * controller, int64_t now_ns);

// The plan of a robot is void, but it holds what was released to it: that becomes its old release. It keeps driving
// there, or is told to stay.
void fw__restart_keep_release(struct fw_controller_impl_t * controller, int32_t index);
void fw__restart_void_release(struct fw_controller_impl_t * controller, int32_t index, int64_t now_ns);
// Follows robots along their old releases, sends these to robots that are heard for the first time, and ends those that
// are over.
void fw__restart_update(struct fw_controller_impl_t * controller, int64_t now_ns);

// Is it known where the robot can be, from its reports or from the journal?
static inline bool fw__controlled_robot_has_place(const fw_controlled_robot_t * robot)
{
  const fw_old_release_t * old = &robot->old_release;
  if (robot->is_unrestored || (old->is_there && old->is_unknown)) {
    return false;
  }
  return robot->has_pose || (old->is_there && (old->has_place || old->path.count > 0));
}

#endif  // CONTROLLER__RESTART__RESTART_H_
