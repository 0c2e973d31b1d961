// Driver: one robot on its track.
//
// At time t the robot wants to be where its track is at t. It gets there no faster than it can; being late it follows
// the track all the same, and never leaves it. A new track takes over at its first time: until then, and for as long as
// a late robot needs to come there, the old one holds. A new track that comes too late for its first turn is reached
// back along the old one.
// Of a release only the line counts, not its times: the robot drives on to its end as fast as it can, and stops there.

#ifndef ROS__FLEET_SIM__DRIVER_H_
#define ROS__FLEET_SIM__DRIVER_H_

#include "motion/track.h"

typedef struct sim_driver_limits_t {
  double speed;      // metres per second, more than 0
  double turn_rate;  // radians per second; 0: turns take no time
} sim_driver_limits_t;

typedef struct sim_driver_t {
  fw_pose_t pose;
  double speed;  // of the last step
  double turn_rate;
  double distance;   // metres driven so far
  fw_track_t track;  // empty: stands still
  fw_track_t next;   // empty: nothing to take over
  fw_track_t spare;  // memory for joining
  fw_track_place_t place;
  bool is_on_release;  // its track has no times
} sim_driver_t;

void sim_driver_fini(sim_driver_t * driver);

// Takes over `track`, which is copied, from its first time on. An empty one: stop here.
FW_MUST_USE fw_ret_t sim_driver_take(sim_driver_t * driver, const fw_track_t * track);
// Takes over a release, at once: from where it is nearest to the robot. An empty one: stop here.
FW_MUST_USE fw_ret_t sim_driver_follow(sim_driver_t * driver, const fw_track_t * release);
// One step of `seconds` that ends at `now_ns`.
FW_MUST_USE fw_ret_t
sim_driver_step(sim_driver_t * driver, int64_t now_ns, double seconds, const sim_driver_limits_t * limits);
// How long ago the robot should have been where it is; 0 on a release.
double sim_driver_late_seconds(const sim_driver_t * driver, int64_t now_ns);

#endif  // ROS__FLEET_SIM__DRIVER_H_
