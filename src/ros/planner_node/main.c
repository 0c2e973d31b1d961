// planner_node: serves the planning library to a ROS 2 graph. `planner_node --help` lists its parameters.

#include "ros/planner_node/node.h"
#include "ros/planner_node/settings.h"
#include "ros/program.h"

static fw_ret_t init(void * state, int argc, char ** argv, fw_error_t * error)
{
  (void)error;  // the node has logged it
  return node_init(state, argc, argv) ? FW_RET_OK : FW_RET_ERROR;
}

static fw_ret_t run(void * state, const atomic_bool * is_stopped, fw_error_t * error)
{
  (void)error;  // the node has logged it
  bool is_running = true;
  while (is_running && !atomic_load(is_stopped)) {
    is_running = node_spin_once(state);
  }
  return is_running ? FW_RET_OK : FW_RET_ERROR;
}

static void wake(void * state) { node_wake(state); }

static void end(void * state) { node_end(state); }

int main(int argc, char ** argv)
{
  static node_t node;  // large, and zero is its empty state
  const ros_program_t program = {
    .name = "planner_node",
    .help =
      "planner_node: plans collision-free paths for a fleet and releases them as its robots report progress.\n"
      "\n"
      "  planner_node --ros-args -p robots:=[robot_0,robot_1] [--params-file planner.yaml]\n"
      "\n"
      "Subscribes to map, <robot>/odom and <robot>/goal_pose; publishes <robot>/released_path and\n"
      "<robot>/timed_path.\n",
    .print_parameters = node_parameters_print,
    .exit_codes = "0 ended by SIGINT or SIGTERM, 1 invalid parameters or another failure.",
    .state = &node,
    .init = init,
    .run = run,
    .wake = wake,
    .fini = end,
    .exit_invalid = 1,
    .exit_failed = 1,
  };
  return ros_program_main(&program, argc, argv);
}
