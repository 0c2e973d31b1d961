// Fleet: all simulated robots. A step moves every robot and lists the events of that step: arrivals and overlaps.
//
// No ROS in here: paths and commands come in through the robots' drivers and differential drives (robot.h).

#ifndef ROS__FLEET_SIM__FLEET_H_
#define ROS__FLEET_SIM__FLEET_H_

#include "ros/fleet_sim/robot.h"
#include "world/rotated_footprint.h"

typedef enum sim_event_kind_t {
  SIM_EVENT_ARRIVAL,  // `robot` has reached its goal
  SIM_EVENT_OVERLAP,  // discs of `robot` and `other` begin to overlap
} sim_event_kind_t;

typedef struct sim_event_t {
  sim_event_kind_t kind;
  int32_t robot;
  int32_t other;  // -1 if none
} sim_event_t;

// What moves the robots. The order is that of the choices of the parameter `drive`.
typedef enum sim_mover_t {
  SIM_MOVER_PATH,      // their drivers, along paths
  SIM_MOVER_CMD_VEL,   // velocity commands from another node
  SIM_MOVER_EXTERNAL,  // another simulator or real robots: their odometry comes in
} sim_mover_t;

typedef struct sim_fleet_options_t {
  int32_t robot_count;
  double radius;          // metres, of the disc on each cell that a robot covers
  double cell_size;       // metres
  fw_pose2d_t origin;     // of the grid: the corner of its cell (0, 0) and the direction of its x, in the map frame
  double goal_tolerance;  // metres; nearer than this is at the goal
  sim_mover_t mover;
  sim_driver_limits_t driver_limits;
  sim_diff_drive_options_t diff_drive;
} sim_fleet_options_t;

typedef struct sim_fleet_robot_t {
  sim_driver_t driver;  // its pose and speed are the robot's, whatever moves it
  sim_diff_drive_t diff_drive;
  bool is_placed;  // its pose is known
  fw_pose2d_t goal;
  bool has_goal;                             // until it arrives
  double speed_factor;                       // of this robot, times the limit
  double fault_factor;                       // of this step, times that; 0: it stands
  bool is_silent;                            // its odometry is not published
  const fw_rotated_footprint_t * footprint;  // a disc on each cell that it covers
  bool has_heading;                          // the footprint turns with it
} sim_fleet_robot_t;

// Pairs of robots; the first has the smaller number.
typedef struct sim_pairs_t {
  int32_t (*items)[2];
  int32_t count;
  int32_t capacity;
} sim_pairs_t;

typedef struct sim_fleet_t {
  sim_fleet_options_t options;
  sim_fleet_robot_t * robots;
  int32_t * by_x;           // robots in the order of their x, as of the last step
  sim_pairs_t overlapping;  // as of the last step, in order
  sim_pairs_t found;        // memory for those of the next one
  sim_event_t * events;     // of the last step
  int32_t event_count;
  int32_t event_capacity;
  bool has_failed;  // an event was dropped for want of memory
  int64_t arrivals;
  int64_t overlaps;
  double late_max_seconds;
} sim_fleet_t;

FW_MUST_USE fw_ret_t sim_fleet_init(sim_fleet_t * fleet, const sim_fleet_options_t * options, fw_error_t * error);
void sim_fleet_fini(sim_fleet_t * fleet);

// A pose in the grid, from its origin along its axes, in the map frame, and back.
fw_pose2d_t sim_fleet_to_map(const sim_fleet_options_t * options, fw_pose2d_t pose);
fw_pose2d_t sim_fleet_to_grid(const sim_fleet_options_t * options, fw_pose2d_t pose);

void sim_fleet_set_goal(sim_fleet_t * fleet, int32_t robot, double x, double y);  // metres
// One step of `seconds` that ends at `now_ns`; fills `events`.
FW_MUST_USE fw_ret_t sim_fleet_step(sim_fleet_t * fleet, int64_t now_ns, double seconds, fw_error_t * error);

#endif  // ROS__FLEET_SIM__FLEET_H_
