// Robot: the two motion models of a simulated robot.
//
// Driver (drive: path): a robot that follows paths without error. At time t it is where its timed path is at t, or
// follows as fast as it can when it is late; it never leaves the path. A new timed path replaces the old one at its
// first time: until then, and as long as a late robot needs to get there, the old one is in force. A new path that
// arrives too late for its first turn is reached back along the old one. Of a released path only the line counts, not
// its times: the robot drives to its end as fast as it can and stops there.
//
// Differential drive (drive: cmd_vel): a robot that executes velocity commands within its limits, with errors of its
// own, and brakes when commands stop. A holonomic one also moves sideways.
//
// No ROS and no clock in here.

#ifndef ROS__FLEET_SIM__ROBOT_H_
#define ROS__FLEET_SIM__ROBOT_H_

#include "base/rng.h"
#include "motion/polyline.h"
#include "motion/unicycle.h"

// One step of the simulation for one robot.
typedef struct sim_step_t {
  int64_t now_ns;       // time at the end of the step
  double seconds;       // its length, more than 0
  double speed_factor;  // times the speed limit; 0: the robot stands
} sim_step_t;

typedef struct sim_driver_limits_t {
  double speed;      // metres per second, more than 0
  double turn_rate;  // radians per second; 0: turns take no time
} sim_driver_limits_t;

// {0} is a robot at the origin without a path.
typedef struct sim_driver_t {
  fw_pose2d_t pose;
  double speed;                     // of the last step, metres per second
  double sideways;                  // of the last step, metres per second; of a holonomic robot
  double turn_rate;                 // of the last step, radians per second
  double distance;                  // metres driven since the start
  fw_polyline_t path;               // empty: stands still
  fw_polyline_t next;               // the timed path that will replace it; empty: none
  fw_polyline_t spare;              // memory for joining two paths
  fw_polyline_position_t position;  // on `path`
  bool is_on_release;               // `path` has no times
} sim_driver_t;

void sim_driver_fini(sim_driver_t * driver);

// Follows a timed path, which is copied, from its first time on. An empty one: stop immediately.
FW_MUST_USE fw_ret_t sim_driver_set_timed_path(sim_driver_t * driver, const fw_polyline_t * path);
// Follows a released path immediately, from its position nearest to the robot. An empty one: stop immediately.
FW_MUST_USE fw_ret_t sim_driver_set_released_path(sim_driver_t * driver, const fw_polyline_t * release);
FW_MUST_USE fw_ret_t
sim_driver_step(sim_driver_t * driver, const sim_step_t * step, const sim_driver_limits_t * limits);
// How long ago the robot should have been where it is; 0 on a released path.
double sim_driver_late_seconds(const sim_driver_t * driver, int64_t now_ns);

typedef struct sim_diff_drive_options_t {
  fw_twist_limits_t limits;
  double error;                // largest relative error of the executed velocities, 0 to below 1; drawn each second
  int64_t command_timeout_ns;  // it brakes when the last command is older than this
  bool is_holonomic;           // otherwise commands to move sideways are ignored
} sim_diff_drive_options_t;

typedef struct sim_diff_drive_t {
  fw_twist_t command;
  int64_t command_ns;
  bool has_command;   // since the last step, which notes its time
  fw_twist_t twist;   // of the last step
  fw_twist_t factor;  // executed velocity per commanded velocity, in this second
  int64_t second;     // the second that `factor` was drawn for, from 1
  fw_rng_t rng;
} sim_diff_drive_t;

void sim_diff_drive_command(sim_diff_drive_t * drive, fw_twist_t command);
// Returns the pose at the end of a step that begins at `pose`.
fw_pose2d_t sim_diff_drive_step(
  sim_diff_drive_t * drive, fw_pose2d_t pose, const sim_step_t * step, const sim_diff_drive_options_t * options);

#endif  // ROS__FLEET_SIM__ROBOT_H_
