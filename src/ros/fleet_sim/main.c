// fleet_sim: a loopback simulator for fleets, a ROS 2 node. `fleet_sim --help` lists its parameters.

#include "ros/fleet_sim/simulation.h"
#include "ros/program.h"

static fw_ret_t init(void * state, int argc, char ** argv, fw_error_t * error)
{
  return sim_simulation_init(state, argc, argv, error);
}

static fw_ret_t run(void * state, const atomic_bool * is_stopped, fw_error_t * error)
{
  return sim_simulation_run(state, is_stopped, error);
}

static void fini(void * state) { sim_simulation_fini(state); }

int main(int argc, char ** argv)
{
  static sim_simulation_t simulation;  // large, and zero is its empty state
  const ros_program_t program = {
    .name = "fleet_sim",
    .help =
      "fleet_sim: simulates robots that follow their released or timed paths, without physics or sensors.\n"
      "\n"
      "  fleet_sim --ros-args -p robots:=24 -p map:=warehouse:41x21,seed=1 [--params-file fleet_sim.yaml]\n"
      "\n"
      "Publishes map, <robot>/odom, <robot>/goal_pose and ~/status; subscribes to <robot>/released_path.\n",
    .print_parameters = sim_parameters_print,
    .exit_codes = "0 ended by duration, SIGINT or SIGTERM, 2 invalid parameters, 3 another failure.",
    .state = &simulation,
    .session = &simulation.topics.session,
    .init = init,
    .run = run,
    .fini = fini,
    .exit_invalid = 2,
    .exit_failed = 3,
  };
  return ros_program_main(&program, argc, argv);
}
