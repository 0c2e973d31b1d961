// Lifecycle: the states and services of a managed node (rcl_lifecycle), as `ros2 lifecycle` and Nav2's lifecycle
// manager use them: unconfigured, inactive, active, finalized.
//
// A transition runs in the callback of its service, in the thread that spins the executor.

#ifndef ROS__LIFECYCLE_H_
#define ROS__LIFECYCLE_H_

#include <lifecycle_msgs/msg/state.h>
#include <lifecycle_msgs/msg/transition.h>
#include <lifecycle_msgs/srv/change_state.h>
#include <lifecycle_msgs/srv/get_available_states.h>
#include <lifecycle_msgs/srv/get_available_transitions.h>
#include <lifecycle_msgs/srv/get_state.h>
#include <rcl_lifecycle/rcl_lifecycle.h>

#include "ros/executor.h"

// What the owner does in a transition. False: it failed, and the state before stays; shutdown cannot fail.
typedef struct ros_on_transition_t {
  bool (*configure)(void * context);
  bool (*activate)(void * context);
  bool (*deactivate)(void * context);
  bool (*cleanup)(void * context);
  void (*shutdown)(void * context);  // from any state
  void * context;
} ros_on_transition_t;

// All borrowed until fini.
typedef struct ros_lifecycle_options_t {
  rcl_node_t * node;
  ros_executor_t * executor;
  const char * logger;
  ros_on_transition_t on;
} ros_lifecycle_options_t;

// Zero is an empty one. It must not be moved after its init.
typedef struct ros_lifecycle_t {
  ros_lifecycle_options_t options;
  bool is_initialised;
  rcl_lifecycle_state_machine_t machine;
  lifecycle_msgs__srv__ChangeState_Request change_request;
  lifecycle_msgs__srv__ChangeState_Response change_response;
  lifecycle_msgs__srv__GetState_Request state_request;
  lifecycle_msgs__srv__GetState_Response state_response;
  lifecycle_msgs__srv__GetAvailableStates_Request states_request;
  lifecycle_msgs__srv__GetAvailableStates_Response states_response;
  lifecycle_msgs__srv__GetAvailableTransitions_Request transitions_request;
  lifecycle_msgs__srv__GetAvailableTransitions_Response transitions_response;
} ros_lifecycle_t;

// In the state unconfigured. On false rcl's error state says why; call fini in either case.
bool ros_lifecycle_init(ros_lifecycle_t * self, const ros_lifecycle_options_t * options);
// After the fini of the executor.
void ros_lifecycle_fini(ros_lifecycle_t * self);

// One of lifecycle_msgs/Transition, as if it had been requested by service. False if it is not possible in this state,
// or fails.
bool ros_lifecycle_change(ros_lifecycle_t * self, uint8_t transition);

#endif  // ROS__LIFECYCLE_H_
