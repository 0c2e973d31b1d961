// Driver: one robot on its track.
//
// At time t the robot wants to be where its track is at t. It gets there no faster than it can; being late it follows
// the track all the same, and never leaves it. A new track takes over at its first time: until then, and for as long as
// a late robot needs to come there, the old one holds. A new track that comes too late for its first turn is reached
// back along the old one.
// Of a release only the line counts, not its times: the robot drives on to its end as fast as it can, and stops there.

#ifndef SIM__DRIVER_H_
#define SIM__DRIVER_H_

#include "motion/track.h"

typedef struct fw_driver_limits_t {
  double speed;      // metres per second, more than 0
  double turn_rate;  // radians per second; 0: turns take no time
} fw_driver_limits_t;

typedef struct fw_driver_t {
  fw_pose_t pose;
  double speed;  // of the last step
  double turn_rate;
  double distance;   // metres driven so far
  fw_track_t track;  // empty: stands still
  fw_track_t next;   // empty: nothing to take over
  fw_track_t spare;  // memory for joining
  fw_track_place_t place;
  bool is_on_release;  // its track has no times
} fw_driver_t;

void fw_driver_fini(fw_driver_t * driver);

// Takes over `track`, which is copied, from its first time on. An empty one: stop here.
FW_MUST_USE fw_ret_t fw_driver_take(fw_driver_t * driver, const fw_track_t * track);
// Takes over a release, at once: from where it is nearest to the robot. An empty one: stop here.
FW_MUST_USE fw_ret_t fw_driver_follow(fw_driver_t * driver, const fw_track_t * release);
// One step of `seconds` that ends at `now_ns`.
FW_MUST_USE fw_ret_t
fw_driver_step(fw_driver_t * driver, int64_t now_ns, double seconds, const fw_driver_limits_t * limits);
// How long ago the robot should have been where it is; 0 on a release.
double fw_driver_late_seconds(const fw_driver_t * driver, int64_t now_ns);

#endif  // SIM__DRIVER_H_
