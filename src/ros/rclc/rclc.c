// The rclc calls that this package makes, on rcl. See rclc/rclc.h and rclc/executor.h.
//
// Contexts, nodes and their entities are rcl's calls with the usual options filled in. The executor is one array of
// handles, one wait set, and rounds of wait, take, call.
#include "rclc/rclc.h"

#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>

#include "rclc/executor.h"

// Passes `ret` on. When it is a failure: logs which call failed and why, and clears rcl's error state.
static rcl_ret_t checked(rcl_ret_t ret, const char * call)
{
  if (ret != RCL_RET_OK) {
    const char * reason = rcl_error_is_set() ? rcl_get_error_string().str : "no reason given";
    RCUTILS_LOG_ERROR_NAMED("rclc", "%s failed (%d): %s", call, (int)ret, reason);
    rcl_reset_error();
  }
  return ret;
}

// A null pointer or another mistake of the caller.
static rcl_ret_t bad_argument(const char * call)
{
  RCUTILS_LOG_ERROR_NAMED("rclc", "%s: an argument is null or empty", call);
  return RCL_RET_INVALID_ARGUMENT;
}

// ---- support

rcl_ret_t rclc_support_init(rclc_support_t * support, int argc, char const * const * argv, rcl_allocator_t * allocator)
{
  if (!support || !allocator) {
    return bad_argument(__func__);
  }
  *support = (rclc_support_t){.context = rcl_get_zero_initialized_context(), .allocator = allocator};
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  rcl_ret_t ret = checked(rcl_init_options_init(&options, *allocator), "rcl_init_options_init");
  if (ret != RCL_RET_OK) {
    return ret;
  }
  ret = checked(rcl_init(argc, argv, &options, &support->context), "rcl_init");
  if (ret == RCL_RET_OK) {
    ret = checked(rcl_clock_init(RCL_STEADY_TIME, &support->clock, allocator), "rcl_clock_init");
  }
  (void)checked(rcl_init_options_fini(&options), "rcl_init_options_fini");
  return ret;
}

rcl_ret_t rclc_support_fini(rclc_support_t * support)
{
  if (!support) {
    return bad_argument(__func__);
  }
  bool good = checked(rcl_clock_fini(&support->clock), "rcl_clock_fini") == RCL_RET_OK;
  good &= checked(rcl_shutdown(&support->context), "rcl_shutdown") == RCL_RET_OK;
  good &= checked(rcl_context_fini(&support->context), "rcl_context_fini") == RCL_RET_OK;
  return good ? RCL_RET_OK : RCL_RET_ERROR;
}

// ---- node

rcl_ret_t rclc_node_init_default(
  rcl_node_t * node, const char * name, const char * namespace_, rclc_support_t * support)
{
  if (!node || !name || !namespace_ || !support) {
    return bad_argument(__func__);
  }
  *node = rcl_get_zero_initialized_node();
  const rcl_node_options_t options = rcl_node_get_default_options();
  return checked(rcl_node_init(node, name, namespace_, &support->context, &options), "rcl_node_init");
}

// ---- publisher

rcl_ret_t rclc_publisher_init_default(
  rcl_publisher_t * publisher, const rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name)
{
  return rclc_publisher_init(publisher, node, type_support, topic_name, &rmw_qos_profile_default);
}

rcl_ret_t rclc_publisher_init(
  rcl_publisher_t * publisher, const rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name, const rmw_qos_profile_t * qos_profile)
{
  if (!publisher || !node || !type_support || !topic_name || !qos_profile) {
    return bad_argument(__func__);
  }
  *publisher = rcl_get_zero_initialized_publisher();
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos = *qos_profile;
  return checked(rcl_publisher_init(publisher, node, type_support, topic_name, &options), "rcl_publisher_init");
}

// ---- subscription

rcl_ret_t rclc_subscription_init_default(
  rcl_subscription_t * subscription, rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name)
{
  return rclc_subscription_init(subscription, node, type_support, topic_name, &rmw_qos_profile_default);
}

rcl_ret_t rclc_subscription_init_best_effort(
  rcl_subscription_t * subscription, rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name)
{
  return rclc_subscription_init(subscription, node, type_support, topic_name, &rmw_qos_profile_sensor_data);
}

rcl_ret_t rclc_subscription_init(
  rcl_subscription_t * subscription, rcl_node_t * node, const rosidl_message_type_support_t * type_support,
  const char * topic_name, const rmw_qos_profile_t * qos_profile)
{
  if (!subscription || !node || !type_support || !topic_name || !qos_profile) {
    return bad_argument(__func__);
  }
  *subscription = rcl_get_zero_initialized_subscription();
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  options.qos = *qos_profile;
  return checked(
    rcl_subscription_init(subscription, node, type_support, topic_name, &options), "rcl_subscription_init");
}

// ---- service, timer

rcl_ret_t rclc_service_init_default(
  rcl_service_t * service, const rcl_node_t * node, const rosidl_service_type_support_t * type_support,
  const char * service_name)
{
  if (!service || !node || !type_support || !service_name) {
    return bad_argument(__func__);
  }
  *service = rcl_get_zero_initialized_service();
  const rcl_service_options_t options = rcl_service_get_default_options();
  return checked(rcl_service_init(service, node, type_support, service_name, &options), "rcl_service_init");
}

rcl_ret_t rclc_timer_init_default2(
  rcl_timer_t * timer, rclc_support_t * support, const uint64_t timeout_ns, const rcl_timer_callback_t callback,
  bool autostart)
{
  if (!timer || !support) {
    return bad_argument(__func__);
  }
  *timer = rcl_get_zero_initialized_timer();
  return checked(
    rcl_timer_init2(
      timer, &support->clock, &support->context, (int64_t)timeout_ns, callback, *support->allocator, autostart),
    "rcl_timer_init2");
}

typedef enum { KIND_SUBSCRIPTION, KIND_TIMER, KIND_SERVICE, KIND_GUARD_CONDITION, KIND_COUNT } handle_kind_t;

struct rclc_executor_handle_s {
  handle_kind_t kind;
  rclc_executor_handle_invocation_t invocation;
  union {
    const void * any;
    rcl_subscription_t * subscription;
    rcl_timer_t * timer;
    rcl_service_t * service;
    rcl_guard_condition_t * guard_condition;
  } entity;
  union {
    rclc_subscription_callback_t subscription;
    rclc_subscription_callback_with_context_t subscription_with_context;
    rclc_service_callback_t service;
    rclc_service_callback_with_context_t service_with_context;
    rclc_gc_callback_t guard_condition;
  } callback;
  bool has_context;
  void * context;
  void * message;   // of a subscription, or the request of a service
  void * response;  // of a service
  size_t wait_index;
  bool is_ready;
};

// ---- executor

rclc_executor_t rclc_executor_get_zero_initialized_executor(void)
{
  return (rclc_executor_t){.wait_set = rcl_get_zero_initialized_wait_set()};
}

rcl_ret_t rclc_executor_init(
  rclc_executor_t * executor, rcl_context_t * context, const size_t number_of_handles,
  const rcl_allocator_t * allocator)
{
  if (!executor || !context || number_of_handles == 0 || !rcutils_allocator_is_valid(allocator)) {
    return bad_argument(__func__);
  }
  *executor = rclc_executor_get_zero_initialized_executor();
  executor->handles = allocator->zero_allocate(number_of_handles, sizeof(rclc_executor_handle_t), allocator->state);
  if (!executor->handles) {
    return checked(RCL_RET_BAD_ALLOC, __func__);
  }
  executor->context = context;
  executor->allocator = allocator;
  executor->max_handles = number_of_handles;
  return RCL_RET_OK;
}

// The wait set is sized by the handles; without one, the next round makes it anew.
static rcl_ret_t drop_wait_set(rclc_executor_t * executor)
{
  if (!rcl_wait_set_is_valid(&executor->wait_set)) {
    return RCL_RET_OK;
  }
  return checked(rcl_wait_set_fini(&executor->wait_set), "rcl_wait_set_fini");
}

rcl_ret_t rclc_executor_fini(rclc_executor_t * executor)
{
  if (!executor || !executor->handles) {
    return RCL_RET_OK;
  }
  (void)drop_wait_set(executor);
  executor->allocator->deallocate(executor->handles, executor->allocator->state);
  *executor = rclc_executor_get_zero_initialized_executor();
  return RCL_RET_OK;
}

// ---- handles of the executor

static rcl_ret_t add(rclc_executor_t * executor, const rclc_executor_handle_t * handle, const char * call)
{
  if (executor->index >= executor->max_handles) {
    RCUTILS_LOG_ERROR_NAMED("rclc", "%s: the executor has room for %zu handles only", call, executor->max_handles);
    return RCL_RET_ERROR;
  }
  executor->handles[executor->index++] = *handle;
  return drop_wait_set(executor);
}

rcl_ret_t rclc_executor_add_subscription(
  rclc_executor_t * executor, rcl_subscription_t * subscription, void * msg, rclc_subscription_callback_t callback,
  rclc_executor_handle_invocation_t invocation)
{
  if (!executor || !subscription || !msg || !callback) {
    return bad_argument(__func__);
  }
  const rclc_executor_handle_t handle = {
    .kind = KIND_SUBSCRIPTION,
    .invocation = invocation,
    .entity.subscription = subscription,
    .callback.subscription = callback,
    .message = msg};
  return add(executor, &handle, __func__);
}

rcl_ret_t rclc_executor_add_subscription_with_context(
  rclc_executor_t * executor, rcl_subscription_t * subscription, void * msg,
  rclc_subscription_callback_with_context_t callback, void * context, rclc_executor_handle_invocation_t invocation)
{
  if (!executor || !subscription || !msg || !callback) {
    return bad_argument(__func__);
  }
  const rclc_executor_handle_t handle = {
    .kind = KIND_SUBSCRIPTION,
    .invocation = invocation,
    .entity.subscription = subscription,
    .callback.subscription_with_context = callback,
    .has_context = true,
    .context = context,
    .message = msg};
  return add(executor, &handle, __func__);
}

rcl_ret_t rclc_executor_add_timer(rclc_executor_t * executor, rcl_timer_t * timer)
{
  if (!executor || !timer) {
    return bad_argument(__func__);
  }
  const rclc_executor_handle_t handle = {.kind = KIND_TIMER, .entity.timer = timer};
  return add(executor, &handle, __func__);
}

rcl_ret_t rclc_executor_add_service(
  rclc_executor_t * executor, rcl_service_t * service, void * request_msg, void * response_msg,
  rclc_service_callback_t callback)
{
  if (!executor || !service || !request_msg || !response_msg || !callback) {
    return bad_argument(__func__);
  }
  const rclc_executor_handle_t handle = {
    .kind = KIND_SERVICE,
    .entity.service = service,
    .callback.service = callback,
    .message = request_msg,
    .response = response_msg};
  return add(executor, &handle, __func__);
}

rcl_ret_t rclc_executor_add_service_with_context(
  rclc_executor_t * executor, rcl_service_t * service, void * request_msg, void * response_msg,
  rclc_service_callback_with_context_t callback, void * context)
{
  if (!executor || !service || !request_msg || !response_msg || !callback) {
    return bad_argument(__func__);
  }
  const rclc_executor_handle_t handle = {
    .kind = KIND_SERVICE,
    .entity.service = service,
    .callback.service_with_context = callback,
    .has_context = true,
    .context = context,
    .message = request_msg,
    .response = response_msg};
  return add(executor, &handle, __func__);
}

rcl_ret_t rclc_executor_add_guard_condition(
  rclc_executor_t * executor, rcl_guard_condition_t * gc, rclc_gc_callback_t callback)
{
  if (!executor || !gc || !callback) {
    return bad_argument(__func__);
  }
  const rclc_executor_handle_t handle = {
    .kind = KIND_GUARD_CONDITION, .entity.guard_condition = gc, .callback.guard_condition = callback};
  return add(executor, &handle, __func__);
}

rcl_ret_t rclc_executor_remove_subscription(rclc_executor_t * executor, const rcl_subscription_t * subscription)
{
  if (!executor || !subscription) {
    return bad_argument(__func__);
  }
  for (size_t i = 0; i < executor->index; i++) {
    if (executor->handles[i].entity.any == subscription) {
      executor->index--;
      memmove(&executor->handles[i], &executor->handles[i + 1], (executor->index - i) * sizeof(executor->handles[0]));
      return drop_wait_set(executor);
    }
  }
  RCUTILS_LOG_ERROR_NAMED("rclc", "%s: not in this executor", __func__);
  return RCL_RET_ERROR;
}

// ---- a round of the executor: wait, then take and call one by one

rcl_ret_t rclc_executor_prepare(rclc_executor_t * executor)
{
  if (!executor || !executor->handles) {
    return bad_argument(__func__);
  }
  if (rcl_wait_set_is_valid(&executor->wait_set)) {
    return RCL_RET_OK;
  }
  size_t count[KIND_COUNT] = {0};
  for (size_t i = 0; i < executor->index; i++) {
    count[executor->handles[i].kind]++;
  }
  executor->wait_set = rcl_get_zero_initialized_wait_set();
  return checked(
    rcl_wait_set_init(
      &executor->wait_set, count[KIND_SUBSCRIPTION], count[KIND_GUARD_CONDITION], count[KIND_TIMER], 0,
      count[KIND_SERVICE], 0, executor->context, *executor->allocator),
    "rcl_wait_set_init");
}

static rcl_ret_t add_to_wait_set(rcl_wait_set_t * wait_set, rclc_executor_handle_t * handle)
{
  switch (handle->kind) {
    case KIND_SUBSCRIPTION:
      return rcl_wait_set_add_subscription(wait_set, handle->entity.subscription, &handle->wait_index);
    case KIND_TIMER:
      return rcl_wait_set_add_timer(wait_set, handle->entity.timer, &handle->wait_index);
    case KIND_SERVICE:
      return rcl_wait_set_add_service(wait_set, handle->entity.service, &handle->wait_index);
    case KIND_GUARD_CONDITION:
      return rcl_wait_set_add_guard_condition(wait_set, handle->entity.guard_condition, &handle->wait_index);
    case KIND_COUNT:
      break;
  }
  return RCL_RET_ERROR;
}

// After rcl_wait an entry of the wait set is still there if it is ready, and NULL otherwise.
static bool is_ready(const rcl_wait_set_t * wait_set, const rclc_executor_handle_t * handle)
{
  switch (handle->kind) {
    case KIND_SUBSCRIPTION:
      return wait_set->subscriptions[handle->wait_index] != NULL;
    case KIND_TIMER:
      return wait_set->timers[handle->wait_index] != NULL;
    case KIND_SERVICE:
      return wait_set->services[handle->wait_index] != NULL;
    case KIND_GUARD_CONDITION:
      return wait_set->guard_conditions[handle->wait_index] != NULL;
    case KIND_COUNT:
      break;
  }
  return false;
}

static rcl_ret_t call_subscription(rclc_executor_handle_t * handle)
{
  bool has_message = false;
  if (handle->is_ready) {
    const rcl_ret_t ret = rcl_take(handle->entity.subscription, handle->message, NULL, NULL);
    if (ret == RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
      rcl_reset_error();  // ready, yet nothing there: middlewares may do that
    } else if (ret != RCL_RET_OK) {
      return checked(ret, "rcl_take");
    } else {
      has_message = true;
    }
  }
  if (!has_message && handle->invocation == ON_NEW_DATA) {
    return RCL_RET_OK;
  }
  const void * message = has_message ? handle->message : NULL;
  if (handle->has_context) {
    handle->callback.subscription_with_context(message, handle->context);
  } else {
    handle->callback.subscription(message);
  }
  return RCL_RET_OK;
}

static rcl_ret_t call_timer(rclc_executor_handle_t * handle)
{
  const rcl_ret_t ret = rcl_timer_call(handle->entity.timer);
  if (ret == RCL_RET_TIMER_CANCELED) {
    rcl_reset_error();  // cancelled by a callback of this very round
    return RCL_RET_OK;
  }
  return checked(ret, "rcl_timer_call");
}

static rcl_ret_t call_service(rclc_executor_handle_t * handle)
{
  rmw_request_id_t id;
  const rcl_ret_t taken = rcl_take_request(handle->entity.service, &id, handle->message);
  if (taken == RCL_RET_SERVICE_TAKE_FAILED) {
    rcl_reset_error();
    return RCL_RET_OK;
  }
  if (taken != RCL_RET_OK) {
    return checked(taken, "rcl_take_request");
  }
  if (handle->has_context) {
    handle->callback.service_with_context(handle->message, handle->response, handle->context);
  } else {
    handle->callback.service(handle->message, handle->response);
  }
  const rcl_ret_t sent = rcl_send_response(handle->entity.service, &id, handle->response);
  if (sent == RCL_RET_TIMEOUT) {
    RCUTILS_LOG_WARN_NAMED(
      "rclc", "a client was not reachable for its response in time: %s", rcl_get_error_string().str);
    rcl_reset_error();  // the client can repeat its request
    return RCL_RET_OK;
  }
  return checked(sent, "rcl_send_response");
}

static rcl_ret_t call(rclc_executor_handle_t * handle)
{
  if (handle->kind == KIND_SUBSCRIPTION) {
    return call_subscription(handle);
  }
  if (!handle->is_ready) {
    return RCL_RET_OK;
  }
  switch (handle->kind) {
    case KIND_TIMER:
      return call_timer(handle);
    case KIND_SERVICE:
      return call_service(handle);
    default:
      handle->callback.guard_condition();
      return RCL_RET_OK;
  }
}

rcl_ret_t rclc_executor_spin_some(rclc_executor_t * executor, const uint64_t timeout_ns)
{
  rcl_ret_t ret = rclc_executor_prepare(executor);
  if (ret != RCL_RET_OK) {
    return ret;
  }
  if (!rcl_context_is_valid(executor->context)) {
    rcl_reset_error();
    return RCL_RET_ERROR;
  }
  ret = checked(rcl_wait_set_clear(&executor->wait_set), "rcl_wait_set_clear");
  for (size_t i = 0; ret == RCL_RET_OK && i < executor->index; i++) {
    ret = checked(add_to_wait_set(&executor->wait_set, &executor->handles[i]), "rcl_wait_set_add");
  }
  if (ret != RCL_RET_OK || executor->index == 0) {
    return ret;
  }
  ret = rcl_wait(&executor->wait_set, (int64_t)timeout_ns);
  if (ret == RCL_RET_TIMEOUT) {
    rcl_reset_error();
    return RCL_RET_OK;
  }
  if (ret != RCL_RET_OK) {
    return checked(ret, "rcl_wait");
  }
  // Readiness is read before the first callback, so that a callback cannot make a later handle ready in this round.
  for (size_t i = 0; i < executor->index; i++) {
    executor->handles[i].is_ready = is_ready(&executor->wait_set, &executor->handles[i]);
  }
  for (size_t i = 0; ret == RCL_RET_OK && i < executor->index; i++) {
    ret = call(&executor->handles[i]);
  }
  return ret;
}
