// A simulated robot that obeys: it follows the last path that it was sent and stops at its end, in metres.
//
// It does what docs/execution.md asks of a robot: it keeps only the last path, continues on a new one from where it is,
// never goes back because of a message that is older than its own progress, and stays where it is on an empty path. It
// may be pushed aside: then it has strayed until it is back on a path.

#ifndef SIMULATION__PATH_ROBOT_H_
#define SIMULATION__PATH_ROBOT_H_

#include <fleetweave/controller.h>

enum { FW_PATH_ROBOT_POSES_MAX = 1024, FW_PATH_ROBOT_CELLS_MAX = 8 };

typedef struct fw_path_robot_t {
  // Set by the caller before the first step.
  double speed;      // metres per second
  double turn_rate;  // radians per second
  double give_up;    // metres; a robot that is farther than this from where it should be does not drive there
  bool has_heading;  // yaws of paths matter: it turns on the spot
  double cell_size;  // metres
  fw_offset_t cells[FW_PATH_ROBOT_CELLS_MAX];  // a disc in each, turned by the yaw
  int32_t cell_count;

  fw_pose_t pose;    // where it really is
  bool has_strayed;  // it was pushed and is not back on its path: it does not obey
  bool is_behind;    // it was pushed back on its path, and has strayed until it is at `passed` again
  fw_pose_t passed;

  // The path that it holds, without poses that repeat the one before, and how far it is on it.
  fw_pose_t path[FW_PATH_ROBOT_POSES_MAX];
  int32_t count;  // 0: it stays
  int32_t leg;    // it is between path[leg] and path[leg + 1]
  double share;   // of that leg, 0 to 1
} fw_path_robot_t;

// Takes a path that has arrived. Poses beyond FW_PATH_ROBOT_POSES_MAX are left out.
void fw__path_robot_take(fw_path_robot_t * robot, const fw_timed_waypoint_t * waypoints, int32_t count);
// Drives for some seconds, at `pace` times its speed.
void fw__path_robot_drive(fw_path_robot_t * robot, double seconds, double pace);
// Somebody moves the robot.
void fw__path_robot_push(fw_path_robot_t * robot, fw_pose_t pose);
// Where it is by its path: its progress, which a push does not change. Its pose if it holds no path.
fw_pose_t fw__path_robot_progress(const fw_path_robot_t * robot);
// The centre of disc `index`.
fw_point_t fw__path_robot_disc(const fw_path_robot_t * robot, int32_t index);
// The smallest distance between the centres of two robots' discs.
double fw__path_robot_distance(const fw_path_robot_t * a, const fw_path_robot_t * b);
// The same to any point that a robot may still reach on the path that it holds.
double fw__path_robot_distance_ahead(const fw_path_robot_t * robot, fw_point_t point);

#endif  // SIMULATION__PATH_ROBOT_H_
