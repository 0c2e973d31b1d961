// fleet_sim: a loopback simulator for fleets, a ROS 2 node. `fleet_sim --help` lists its parameters.

#include <rcutils/logging_macros.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "ros/fleet_sim/simulation.h"

static volatile sig_atomic_t is_stopped = 0;

static void stop(int signal_number)
{
  (void)signal_number;
  is_stopped = 1;
}

static void print_help(void)
{
  printf(
    "fleet_sim: robots that drive along their released or timed paths, without physics or sensors.\n"
    "\n"
    "  fleet_sim --ros-args -p robots:=24 -p map:=warehouse:41x21,seed=1 [--params-file fleet_sim.yaml]\n"
    "\n"
    "Publishes map, <robot>/odom, <robot>/goal_pose and ~/status; listens to <robot>/released_path.\n"
    "\n"
    "Parameters [initial value]:\n");
  sim_parameters_print(stdout);
  printf("\nExit codes: 0 ended as asked (duration, SIGINT, SIGTERM), 2 wrong parameters, 3 failure.\n");
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

  sim_simulation_t simulation;
  fw_error_t error = {0};
  int exit_code = 0;
  fw_ret_t ret = sim_simulation_init(&simulation, argc, argv, &error);
  if (ret == FW_RET_INVALID_ARGUMENT || ret == FW_RET_NOT_FOUND || ret == FW_RET_FILE) {
    exit_code = 2;
  } else if (ret != FW_RET_OK || sim_simulation_run(&simulation, &is_stopped, &error) != FW_RET_OK) {
    exit_code = 3;
  }
  if (exit_code != 0) {
    RCUTILS_LOG_FATAL_NAMED(
      simulation.graph.ros.logger == NULL ? "fleet_sim" : simulation.graph.ros.logger, "%s", error.text);
  }
  sim_simulation_fini(&simulation);
  return exit_code;
}
