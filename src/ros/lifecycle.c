// Managed node. See lifecycle.h.

#include "ros/lifecycle.h"

#include <lifecycle_msgs/msg/transition_description.h>
#include <lifecycle_msgs/msg/transition_event.h>
#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rosidl_runtime_c/string_functions.h>

#include "base/assert.h"

// ---- transitions

// Does what the transition state that the machine is in stands for.
static bool run_transition(const ros_lifecycle_t * self)
{
  const ros_on_transition_t * on = &self->options.on;
  switch (self->machine.current_state->id) {
    case lifecycle_msgs__msg__State__TRANSITION_STATE_CONFIGURING:
      return on->configure(on->context);
    case lifecycle_msgs__msg__State__TRANSITION_STATE_ACTIVATING:
      return on->activate(on->context);
    case lifecycle_msgs__msg__State__TRANSITION_STATE_DEACTIVATING:
      return on->deactivate(on->context);
    case lifecycle_msgs__msg__State__TRANSITION_STATE_CLEANINGUP:
      return on->cleanup(on->context);
    case lifecycle_msgs__msg__State__TRANSITION_STATE_SHUTTINGDOWN:
      on->shutdown(on->context);
      return true;
    default:
      return false;
  }
}

static void log_failure(const ros_lifecycle_t * self, const char * what)
{
  RCUTILS_LOG_ERROR_NAMED(self->options.logger, "%s: %s", what, rcl_get_error_string().str);
  rcl_reset_error();
}

bool ros_lifecycle_change(ros_lifecycle_t * self, uint8_t transition)
{
  rcl_lifecycle_state_machine_t * machine = &self->machine;
  // A request may name one of the inner transitions, whose numbers the middleware's tools also list.
  if (
    transition >= lifecycle_msgs__msg__Transition__TRANSITION_DESTROY ||
    rcl_lifecycle_get_transition_by_id(machine->current_state, transition) == NULL) {
    rcl_reset_error();
    RCUTILS_LOG_ERROR_NAMED(
      self->options.logger, "lifecycle: transition %d is not possible in the state %s", transition,
      machine->current_state->label);
    return false;
  }
  if (rcl_lifecycle_trigger_transition_by_id(machine, transition, true) != RCL_RET_OK) {
    log_failure(self, "lifecycle: cannot begin a transition");
    return false;
  }
  const bool is_done = run_transition(self);
  const char * end = is_done ? rcl_lifecycle_transition_success_label : rcl_lifecycle_transition_failure_label;
  if (rcl_lifecycle_trigger_transition_by_label(machine, end, true) != RCL_RET_OK) {
    log_failure(self, "lifecycle: cannot end a transition");
    return false;
  }
  return is_done;
}

// ---- services

static void on_change_state(const void * request, void * response, void * context)
{
  ros_lifecycle_t * self = context;
  const lifecycle_msgs__msg__Transition * wanted =
    &((const lifecycle_msgs__srv__ChangeState_Request *)request)->transition;
  uint8_t id = wanted->id;
  if (id == 0 && wanted->label.size > 0) {
    const rcl_lifecycle_transition_t * found =
      rcl_lifecycle_get_transition_by_label(self->machine.current_state, wanted->label.data);
    id = found == NULL ? 0 : (uint8_t)found->id;
    rcl_reset_error();
  }
  ((lifecycle_msgs__srv__ChangeState_Response *)response)->success = ros_lifecycle_change(self, id);
}

static bool write_state(lifecycle_msgs__msg__State * message, const rcl_lifecycle_state_t * state)
{
  message->id = state->id;
  return rosidl_runtime_c__String__assign(&message->label, state->label);
}

static void on_get_state(const void * request, void * response, void * context)
{
  (void)request;
  const ros_lifecycle_t * self = context;
  lifecycle_msgs__srv__GetState_Response * out = response;
  (void)write_state(&out->current_state, self->machine.current_state);
}

static void on_get_available_states(const void * request, void * response, void * context)
{
  (void)request;
  const rcl_lifecycle_transition_map_t * map = &((const ros_lifecycle_t *)context)->machine.transition_map;
  lifecycle_msgs__msg__State__Sequence * out =
    &((lifecycle_msgs__srv__GetAvailableStates_Response *)response)->available_states;
  lifecycle_msgs__msg__State__Sequence__fini(out);
  if (!lifecycle_msgs__msg__State__Sequence__init(out, map->states_size)) {
    return;
  }
  for (size_t k = 0; k < map->states_size; ++k) {
    (void)write_state(&out->data[k], &map->states[k]);
  }
}

static void write_transitions(void * response, const rcl_lifecycle_transition_t * transitions, size_t count)
{
  lifecycle_msgs__msg__TransitionDescription__Sequence * out =
    &((lifecycle_msgs__srv__GetAvailableTransitions_Response *)response)->available_transitions;
  lifecycle_msgs__msg__TransitionDescription__Sequence__fini(out);
  if (!lifecycle_msgs__msg__TransitionDescription__Sequence__init(out, count)) {
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    out->data[k].transition.id = (uint8_t)transitions[k].id;
    (void)rosidl_runtime_c__String__assign(&out->data[k].transition.label, transitions[k].label);
    (void)write_state(&out->data[k].start_state, transitions[k].start);
    (void)write_state(&out->data[k].goal_state, transitions[k].goal);
  }
}

static void on_get_available_transitions(const void * request, void * response, void * context)
{
  (void)request;
  const rcl_lifecycle_state_t * state = ((const ros_lifecycle_t *)context)->machine.current_state;
  write_transitions(response, state->valid_transitions, state->valid_transition_size);
}

static void on_get_transition_graph(const void * request, void * response, void * context)
{
  (void)request;
  const rcl_lifecycle_transition_map_t * map = &((const ros_lifecycle_t *)context)->machine.transition_map;
  write_transitions(response, map->transitions, map->transitions_size);
}

// ---- life

static bool init_messages(ros_lifecycle_t * self)
{
  return lifecycle_msgs__srv__ChangeState_Request__init(&self->change_request) &&
         lifecycle_msgs__srv__ChangeState_Response__init(&self->change_response) &&
         lifecycle_msgs__srv__GetState_Request__init(&self->state_request) &&
         lifecycle_msgs__srv__GetState_Response__init(&self->state_response) &&
         lifecycle_msgs__srv__GetAvailableStates_Request__init(&self->states_request) &&
         lifecycle_msgs__srv__GetAvailableStates_Response__init(&self->states_response) &&
         lifecycle_msgs__srv__GetAvailableTransitions_Request__init(&self->transitions_request) &&
         lifecycle_msgs__srv__GetAvailableTransitions_Response__init(&self->transitions_response);
}

#define SERVICE(name) ROSIDL_GET_SRV_TYPE_SUPPORT(lifecycle_msgs, srv, name)

bool ros_lifecycle_init(ros_lifecycle_t * self, const ros_lifecycle_options_t * options)
{
  FW_ASSERT(options->on.configure != NULL && options->on.shutdown != NULL);
  *self = (ros_lifecycle_t){.options = *options, .machine = rcl_lifecycle_get_zero_initialized_state_machine()};
  const rcl_lifecycle_state_machine_options_t machine = rcl_lifecycle_get_default_state_machine_options();
  if (
    !init_messages(self) ||
    rcl_lifecycle_state_machine_init(
      &self->machine, options->node, ROSIDL_GET_MSG_TYPE_SUPPORT(lifecycle_msgs, msg, TransitionEvent),
      SERVICE(ChangeState), SERVICE(GetState), SERVICE(GetAvailableStates), SERVICE(GetAvailableTransitions),
      SERVICE(GetAvailableTransitions), &machine) != RCL_RET_OK) {
    return false;
  }
  self->is_initialised = true;
  rcl_lifecycle_com_interface_t * graph = &self->machine.com_interface;
  const struct {
    rcl_service_t * service;
    ros_on_request_t on;
  } rows[] = {
    {&graph->srv_change_state, {&self->change_request, &self->change_response, on_change_state, self}},
    {&graph->srv_get_state, {&self->state_request, &self->state_response, on_get_state, self}},
    {&graph->srv_get_available_states, {&self->states_request, &self->states_response, on_get_available_states, self}},
    {&graph->srv_get_available_transitions,
     {&self->transitions_request, &self->transitions_response, on_get_available_transitions, self}},
    {&graph->srv_get_transition_graph,
     {&self->transitions_request, &self->transitions_response, on_get_transition_graph, self}},
  };
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
    if (ros_executor_add_service(options->executor, rows[k].service, &rows[k].on) != RCL_RET_OK) {
      return false;
    }
  }
  return true;
}

void ros_lifecycle_fini(ros_lifecycle_t * self)
{
  if (self->is_initialised && rcl_lifecycle_state_machine_fini(&self->machine, self->options.node) != RCL_RET_OK) {
    rcl_reset_error();
  }
  lifecycle_msgs__srv__ChangeState_Request__fini(&self->change_request);
  lifecycle_msgs__srv__ChangeState_Response__fini(&self->change_response);
  lifecycle_msgs__srv__GetState_Request__fini(&self->state_request);
  lifecycle_msgs__srv__GetState_Response__fini(&self->state_response);
  lifecycle_msgs__srv__GetAvailableStates_Request__fini(&self->states_request);
  lifecycle_msgs__srv__GetAvailableStates_Response__fini(&self->states_response);
  lifecycle_msgs__srv__GetAvailableTransitions_Request__fini(&self->transitions_request);
  lifecycle_msgs__srv__GetAvailableTransitions_Response__fini(&self->transitions_response);
  *self = (ros_lifecycle_t){0};
}
