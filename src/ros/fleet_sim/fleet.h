// Fleet: all robots in time, and what happens among them.
//
// Knows nothing of ROS: tracks come in by `sim_driver_take`, a step moves everybody, and the events of that step are
// listed for the caller.

#ifndef ROS__FLEET_SIM__FLEET_H_
#define ROS__FLEET_SIM__FLEET_H_

#include "ros/footprints.h"
#include "ros/fleet_sim/driver.h"
#include "ros/fleet_sim/wheels.h"

typedef enum sim_event_kind_t {
  FW_EVENT_ARRIVAL,  // `robot` is on its goal
  FW_EVENT_OVERLAP,  // discs of `robot` and `other` begin to overlap
} sim_event_kind_t;

typedef struct sim_event_t {
  sim_event_kind_t kind;
  int32_t robot;
  int32_t other;  // -1 if none
} sim_event_t;

// Who moves the robots.
typedef enum sim_fleet_mover_t {
  FW_FLEET_DRIVERS,    // drivers, along their tracks
  FW_FLEET_WHEELS,     // wheels, as told by somebody else
  FW_FLEET_ELSEWHERE,  // nobody here: their poses come in
} sim_fleet_mover_t;

typedef struct sim_fleet_options_t {
  int32_t robot_count;
  double radius;          // metres, of the disc on each cell of a robot
  double cell_size;       // metres
  double goal_tolerance;  // metres; nearer than this is on the goal
  sim_driver_limits_t limits;
  sim_fleet_mover_t mover;
  sim_wheels_options_t wheels;
} sim_fleet_options_t;

typedef struct sim_fleet_robot_t {
  sim_driver_t driver;  // its pose is the robot's, whoever moves it
  sim_wheels_t wheels;
  bool is_placed;  // where it is known
  fw_pose_t goal;
  bool has_goal;                    // until it arrives
  double speed;                     // times the limit, 1 at first
  double pace;                      // of this step, times that; 0: it stands
  bool is_silent;                   // its odometry is not published
  const ros_footprint_t * outline;  // a disc on each cell that it covers,
  bool has_heading;                 // that turn with it
} sim_fleet_robot_t;

typedef struct sim_fleet_t {
  sim_fleet_options_t options;
  sim_fleet_robot_t * robots;
  bool * is_overlapping;  // pairs: robot * robot_count + other, robot < other
  sim_event_t * events;   // of the last step
  int32_t event_count;
  int32_t event_capacity;
  int64_t arrivals;
  int64_t overlaps;
  double late_max_seconds;
} sim_fleet_t;

FW_MUST_USE fw_ret_t sim_fleet_init(sim_fleet_t * fleet, const sim_fleet_options_t * options, fw_error_t * error);
void sim_fleet_fini(sim_fleet_t * fleet);

void sim_fleet_set_goal(sim_fleet_t * fleet, int32_t robot, double x, double y);
// One step of `seconds` that ends at `now_ns`; fills `events`.
FW_MUST_USE fw_ret_t sim_fleet_step(sim_fleet_t * fleet, int64_t now_ns, double seconds, fw_error_t * error);

#endif  // ROS__FLEET_SIM__FLEET_H_
