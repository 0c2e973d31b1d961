// Program: the main() that the three nodes share: --help, signals, log of a failure, exit code.
//
// SIGINT and SIGTERM end a node cleanly. They are blocked in every thread and one thread waits for them (sigwait):
// ending takes more than a signal handler may do, such as waking the executor through a guard condition.

#ifndef ROS__PROGRAM_H_
#define ROS__PROGRAM_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "ros/session.h"

// What a node is to ros_program_main. All calls but `wake` come from the main thread.
typedef struct ros_program_t {
  const char * name;                        // of the executable
  const char * help;                        // for --help, up to the list of parameters; ends with a newline
  void (*print_parameters)(FILE * stream);  // the rows of that list
  const char * exit_codes;                  // for --help, one line
  void * state;                             // handed to the calls below
  const ros_session_t * session;            // for the logger of a failure; NULL: `name` is the logger
  // Fills `state`, which is zero. FW_RET_INVALID_ARGUMENT, FW_RET_NOT_FOUND, FW_RET_FILE: the arguments are wrong.
  // A failure with an empty error text has been logged already.
  fw_ret_t (*init)(void * state, int argc, char ** argv, fw_error_t * error);
  // Returns when the node has ended by itself, has failed, or soon after `is_stopped` was set by a signal.
  fw_ret_t (*run)(void * state, const atomic_bool * is_stopped, fw_error_t * error);
  void (*wake)(void * state);  // ends a wait of `run`, from another thread; NULL: `run` never waits for long
  void (*fini)(void * state);  // after any init, also one that failed
  int exit_invalid;            // exit code for wrong arguments
  int exit_failed;             // exit code for every other failure
} ros_program_t;

// Returns the exit code: 0 after --help and after a clean end.
int ros_program_main(const ros_program_t * program, int argc, char ** argv);

#endif  // ROS__PROGRAM_H_
