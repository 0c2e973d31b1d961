// path_follower: drives robots along their released paths, a ROS 2 node. `path_follower --help` lists its parameters.

#include "ros/path_follower/follower.h"
#include "ros/program.h"

static fw_ret_t init(void * state, int argc, char ** argv, fw_error_t * error)
{
  return follower_init(state, argc, argv, error);
}

static fw_ret_t run(void * state, const atomic_bool * is_stopped, fw_error_t * error)
{
  return follower_run(state, is_stopped, error);
}

static void fini(void * state) { follower_fini(state); }

int main(int argc, char ** argv)
{
  static follower_t follower;  // zero is its empty state
  const ros_program_t program = {
    .name = "path_follower",
    .help =
      "path_follower: drives robots along their released paths by odometry, and stops them at the end.\n"
      "\n"
      "  path_follower --ros-args -p robots:=[robot_0,robot_1] [--params-file path_follower.yaml]\n"
      "\n"
      "Subscribes to <robot>/released_path and <robot>/odom; publishes <robot>/cmd_vel.\n",
    .print_parameters = follower_parameters_print,
    .exit_codes = "0 ended by SIGINT or SIGTERM, 2 invalid parameters, 3 another failure.",
    .state = &follower,
    .session = &follower.session,
    .init = init,
    .run = run,
    .fini = fini,
    .exit_invalid = 2,
    .exit_failed = 3,
  };
  return ros_program_main(&program, argc, argv);
}
