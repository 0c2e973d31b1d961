// The executor: one array of handles, one wait set, and rounds of wait, take, call.
#include "rclc/executor.h"

#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "check.h"

#define DEFAULT_TIMEOUT_NS UINT64_C(100000000)

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

// ---- life

rclc_executor_t rclc_executor_get_zero_initialized_executor(void)
{
  return (rclc_executor_t){.wait_set = rcl_get_zero_initialized_wait_set()};
}

rcl_ret_t rclc_executor_init(
  rclc_executor_t * executor, rcl_context_t * context, const size_t number_of_handles,
  const rcl_allocator_t * allocator)
{
  if (!executor || !context || number_of_handles == 0 || !rcutils_allocator_is_valid(allocator)) {
    return rclc__bad_argument(__func__);
  }
  *executor = rclc_executor_get_zero_initialized_executor();
  executor->handles = allocator->zero_allocate(number_of_handles, sizeof(rclc_executor_handle_t), allocator->state);
  if (!executor->handles) {
    return rclc__checked(RCL_RET_BAD_ALLOC, __func__);
  }
  executor->context = context;
  executor->allocator = allocator;
  executor->max_handles = number_of_handles;
  executor->timeout_ns = DEFAULT_TIMEOUT_NS;
  return RCL_RET_OK;
}

// The wait set is sized by the handles; without one, the next round makes it anew.
static rcl_ret_t drop_wait_set(rclc_executor_t * executor)
{
  if (!rcl_wait_set_is_valid(&executor->wait_set)) {
    return RCL_RET_OK;
  }
  return rclc__checked(rcl_wait_set_fini(&executor->wait_set), "rcl_wait_set_fini");
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

rcl_ret_t rclc_executor_set_timeout(rclc_executor_t * executor, const uint64_t timeout_ns)
{
  if (!executor) {
    return rclc__bad_argument(__func__);
  }
  if (!executor->handles) {
    return rclc__checked(RCL_RET_ERROR, __func__);
  }
  executor->timeout_ns = timeout_ns;
  return RCL_RET_OK;
}

// ---- handles

static rcl_ret_t add(rclc_executor_t * executor, const rclc_executor_handle_t * handle, const char * call)
{
  if (executor->index >= executor->max_handles) {
    RCUTILS_LOG_ERROR_NAMED("rclc", "%s: the executor has room for %zu handles only", call, executor->max_handles);
    return RCL_RET_ERROR;
  }
  executor->handles[executor->index++] = *handle;
  return drop_wait_set(executor);
}

static rcl_ret_t remove_entity(rclc_executor_t * executor, const void * entity, const char * call)
{
  if (!executor || !entity) {
    return rclc__bad_argument(call);
  }
  for (size_t i = 0; i < executor->index; i++) {
    if (executor->handles[i].entity.any == entity) {
      executor->index--;
      memmove(&executor->handles[i], &executor->handles[i + 1], (executor->index - i) * sizeof(executor->handles[0]));
      return drop_wait_set(executor);
    }
  }
  RCUTILS_LOG_ERROR_NAMED("rclc", "%s: not in this executor", call);
  return RCL_RET_ERROR;
}

rcl_ret_t rclc_executor_add_subscription(
  rclc_executor_t * executor, rcl_subscription_t * subscription, void * msg, rclc_subscription_callback_t callback,
  rclc_executor_handle_invocation_t invocation)
{
  if (!executor || !subscription || !msg || !callback) {
    return rclc__bad_argument(__func__);
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
    return rclc__bad_argument(__func__);
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
    return rclc__bad_argument(__func__);
  }
  const rclc_executor_handle_t handle = {.kind = KIND_TIMER, .entity.timer = timer};
  return add(executor, &handle, __func__);
}

rcl_ret_t rclc_executor_add_service(
  rclc_executor_t * executor, rcl_service_t * service, void * request_msg, void * response_msg,
  rclc_service_callback_t callback)
{
  if (!executor || !service || !request_msg || !response_msg || !callback) {
    return rclc__bad_argument(__func__);
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
    return rclc__bad_argument(__func__);
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
    return rclc__bad_argument(__func__);
  }
  const rclc_executor_handle_t handle = {
    .kind = KIND_GUARD_CONDITION, .entity.guard_condition = gc, .callback.guard_condition = callback};
  return add(executor, &handle, __func__);
}

rcl_ret_t rclc_executor_remove_subscription(rclc_executor_t * executor, const rcl_subscription_t * subscription)
{
  return remove_entity(executor, subscription, __func__);
}

rcl_ret_t rclc_executor_remove_timer(rclc_executor_t * executor, const rcl_timer_t * timer)
{
  return remove_entity(executor, timer, __func__);
}

rcl_ret_t rclc_executor_remove_service(rclc_executor_t * executor, const rcl_service_t * service)
{
  return remove_entity(executor, service, __func__);
}

rcl_ret_t rclc_executor_remove_guard_condition(
  rclc_executor_t * executor, const rcl_guard_condition_t * guard_condition)
{
  return remove_entity(executor, guard_condition, __func__);
}

// ---- a round: wait, then take and call one by one

rcl_ret_t rclc_executor_prepare(rclc_executor_t * executor)
{
  if (!executor || !executor->handles) {
    return rclc__bad_argument(__func__);
  }
  if (rcl_wait_set_is_valid(&executor->wait_set)) {
    return RCL_RET_OK;
  }
  size_t count[KIND_COUNT] = {0};
  for (size_t i = 0; i < executor->index; i++) {
    count[executor->handles[i].kind]++;
  }
  executor->wait_set = rcl_get_zero_initialized_wait_set();
  return rclc__checked(
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
      return rclc__checked(ret, "rcl_take");
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
  return rclc__checked(ret, "rcl_timer_call");
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
    return rclc__checked(taken, "rcl_take_request");
  }
  if (handle->has_context) {
    handle->callback.service_with_context(handle->message, handle->response, handle->context);
  } else {
    handle->callback.service(handle->message, handle->response);
  }
  const rcl_ret_t sent = rcl_send_response(handle->entity.service, &id, handle->response);
  if (sent == RCL_RET_TIMEOUT) {
    RCUTILS_LOG_WARN_NAMED("rclc", "a client was not there in time for its response: %s", rcl_get_error_string().str);
    rcl_reset_error();  // its own concern; it can ask again
    return RCL_RET_OK;
  }
  return rclc__checked(sent, "rcl_send_response");
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
  ret = rclc__checked(rcl_wait_set_clear(&executor->wait_set), "rcl_wait_set_clear");
  for (size_t i = 0; ret == RCL_RET_OK && i < executor->index; i++) {
    ret = rclc__checked(add_to_wait_set(&executor->wait_set, &executor->handles[i]), "rcl_wait_set_add");
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
    return rclc__checked(ret, "rcl_wait");
  }
  // All are asked before the first callback, so that a callback cannot make a later handle ready in this round.
  for (size_t i = 0; i < executor->index; i++) {
    executor->handles[i].is_ready = is_ready(&executor->wait_set, &executor->handles[i]);
  }
  for (size_t i = 0; ret == RCL_RET_OK && i < executor->index; i++) {
    ret = call(&executor->handles[i]);
  }
  return ret;
}

rcl_ret_t rclc_executor_spin(rclc_executor_t * executor)
{
  rcl_ret_t ret = RCL_RET_OK;
  while (ret == RCL_RET_OK && executor && rcl_context_is_valid(executor->context)) {
    ret = rclc_executor_spin_some(executor, executor->timeout_ns);
  }
  return executor ? ret : rclc__bad_argument(__func__);
}
