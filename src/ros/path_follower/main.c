// path_follower: drives robots along their released paths, a ROS 2 node. `path_follower --help` lists its parameters.

#include <rcutils/logging_macros.h>
#include <stdio.h>
#include <string.h>

#include "ros/path_follower/follower.h"

static volatile sig_atomic_t is_stopped = 0;

static void stop(int signal_number)
{
  (void)signal_number;
  is_stopped = 1;
}

static void print_help(void)
{
  printf(
    "path_follower: drives robots along their released paths by odometry, and stops them at the end.\n"
    "\n"
    "  path_follower --ros-args -p robots:=[robot_0,robot_1] [--params-file path_follower.yaml]\n"
    "\n"
    "Listens to <robot>/released_path and <robot>/odom; publishes <robot>/cmd_vel.\n"
    "\n"
    "Parameters [initial value]:\n");
  follower_parameters_print(stdout);
  printf("\nExit codes: 0 ended as asked (SIGINT, SIGTERM), 2 wrong parameters, 3 failure.\n");
}

int main(int argc, char ** argv)
{
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      print_help();
      return 0;
    }
  }
  struct sigaction action = {.sa_handler = stop};
  (void)sigemptyset(&action.sa_mask);
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);

  static follower_t follower;
  fw_error_t error = {0};
  int exit_code = 0;
  const fw_ret_t ret = follower_init(&follower, argc, argv, &error);
  if (ret == FW_RET_INVALID_ARGUMENT) {
    exit_code = 2;
  } else if (ret != FW_RET_OK || follower_run(&follower, &is_stopped, &error) != FW_RET_OK) {
    exit_code = 3;
  }
  if (exit_code != 0) {
    RCUTILS_LOG_FATAL_NAMED(follower.ros.logger == NULL ? "path_follower" : follower.ros.logger, "%s", error.text);
  }
  follower_fini(&follower);
  return exit_code;
}
