// An old release: space that a robot may still drive through although the plan behind it is not known any more, because
// the controller was started again, the graph was replaced, or the plans were dropped.
//
// A robot drives what was released to it whether or not the controller remembers why. So until its pose reports show
// that it stands where it will not go on, everything that its footprint touches from where it is to the end of the old
// release is an obstacle for all others, and it takes no part in rounds:
//
//   place ●━━━━━━━━━━┓   reserved: the cells along ━, and those where the robot is
//   ┄┄┄┄┄┄           ┃   ┄ is behind it: free again
//       path         ○ end
//
// It ends when the robot stands at the end of the path; or after "stay" was sent (`is_void`) and it has stood for a
// moment since then.

#ifndef CONTROLLER__RESTART__OLD_RELEASE_H_
#define CONTROLLER__RESTART__OLD_RELEASE_H_

#include "controller/round/schedule.h"

// `{0}`: there is none.
typedef struct fw_old_release_t {
  bool is_there;
  fw_timed_path_t path;  // as released; its stamps mean nothing. Empty: the robot was to stay where it is
  int32_t first;         // the robot is on the motion that begins at this waypoint, or behind that
  bool has_place;
  fw_pose_t place;           // valid with has_place: where the robot is, or was when a journal was written
  bool is_reported;          // the place was reported in this run
  double off_path;           // valid with is_reported: metres from the place to the path; 0 for an empty path
  bool is_sent;              // the robot was told in this run: the path again, or "stay"
  bool is_void;              // "stay" was sent
  bool is_unknown;           // another controller released paths to the robot: it may hold anything, not only `path`
  int64_t void_ns;           // since when
  double place_radius;       // metres: how far the robot may be from `place`
  int64_t map_revision;      // when obstacles on it were looked for last
  int64_t blocked_revision;  // likewise
  // Of a final approach (approach.h), which is a release outside the graph like an old one.
  bool is_approach;          // it is one: a robot that stops on it keeps it, as one in the graph does
  bool is_kept;              // it is not over at the end of the path, and all of it stays reserved: for the way back
  double margin;             // metres that are reserved around the robot's discs
  double end_tolerance;      // metres from the end of the path that count as there; 0: `near` of the call
  double end_yaw_tolerance;  // radians; 0: only a robot with heading has to be turned, to within 0.3 rad
} fw_old_release_t;

void fw__old_release_fini(fw_old_release_t * release);

// The robot was reported at `pose`. What is behind it on the path is free from now on, if it is within `near` metres of
// the path.
void fw__old_release_report(fw_old_release_t * release, fw_pose_t pose, double near);
// The same for a pose from a journal, from which the robot may be `radius` metres away.
void fw__old_release_recall(fw_old_release_t * release, fw_pose_t pose, double near, double radius);

// True if the place is within `near` metres (or the release's own tolerance) of the end of the path, and, for a robot
// with heading, within 0.3 rad of the last yaw. An empty path ends anywhere.
bool fw__old_release_is_at_end(const fw_old_release_t * release, const fw_robot_body_t * body, double near);

// Visits each cell that is reserved: where the robot may be, and what it sweeps from there to the end of the
// path. A cell may be visited more than once.
typedef struct fw_reserved_space_t {
  const fw_old_release_t * release;
  const fw_robot_body_t * body;
  double radius;  // metres: each cell of the footprint holds a disc of this radius
} fw_reserved_space_t;
void fw__reserved_space_visit_cells(
  const fw_reserved_space_t * space, const fw_map_frame_t * frame, fw_raster_visitor_t visitor);

#endif  // CONTROLLER__RESTART__OLD_RELEASE_H_
