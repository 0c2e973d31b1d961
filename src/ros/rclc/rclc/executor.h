// One thread that waits for messages, requests, timers and guard conditions and calls back, in the order in which
// they were added. See rclc.h for what this is and where it comes from.
//
// Not thread-safe: add, remove and spin from one thread, and never add or remove inside a callback.
// To wake a spin from another thread, trigger a guard condition.
#ifndef RCLC__EXECUTOR_H_
#define RCLC__EXECUTOR_H_

// As in rclc, these two come along.
#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "rclc/rclc.h"

#ifdef __cplusplus
extern "C" {
#endif

// ALWAYS: called in every round in which anything is ready, with NULL when there is no message for it.
typedef enum { ON_NEW_DATA, ALWAYS } rclc_executor_handle_invocation_t;

typedef void (*rclc_subscription_callback_t)(const void * message);
typedef void (*rclc_subscription_callback_with_context_t)(const void * message, void * context);
typedef void (*rclc_service_callback_t)(const void * request, void * response);
typedef void (*rclc_service_callback_with_context_t)(const void * request, void * response, void * context);
typedef void (*rclc_gc_callback_t)(void);

typedef struct rclc_executor_handle_s rclc_executor_handle_t;

typedef struct {
  rcl_context_t * context;
  const rcl_allocator_t * allocator;
  rclc_executor_handle_t * handles;
  size_t max_handles;
  size_t index;  // how many handles are in use
  rcl_wait_set_t wait_set;
} rclc_executor_t;

rclc_executor_t rclc_executor_get_zero_initialized_executor(void);

// Room for `number_of_handles` of any kind, once and for all. Context and allocator are borrowed.
rcl_ret_t rclc_executor_init(
  rclc_executor_t * executor, rcl_context_t * context, const size_t number_of_handles,
  const rcl_allocator_t * allocator);
// May be called on an executor that is empty or finished.
rcl_ret_t rclc_executor_fini(rclc_executor_t * executor);

// The executor keeps the pointers: entity and messages must outlive it, or be removed before. The one message
// given here is filled anew for each call, so a callback copies what it wants to keep.
// RCL_RET_ERROR when there is no room left.
rcl_ret_t rclc_executor_add_subscription(
  rclc_executor_t * executor, rcl_subscription_t * subscription, void * msg, rclc_subscription_callback_t callback,
  rclc_executor_handle_invocation_t invocation);
rcl_ret_t rclc_executor_add_subscription_with_context(
  rclc_executor_t * executor, rcl_subscription_t * subscription, void * msg,
  rclc_subscription_callback_with_context_t callback, void * context, rclc_executor_handle_invocation_t invocation);
rcl_ret_t rclc_executor_add_timer(rclc_executor_t * executor, rcl_timer_t * timer);
// The response is sent when the callback returns.
rcl_ret_t rclc_executor_add_service(
  rclc_executor_t * executor, rcl_service_t * service, void * request_msg, void * response_msg,
  rclc_service_callback_t callback);
rcl_ret_t rclc_executor_add_service_with_context(
  rclc_executor_t * executor, rcl_service_t * service, void * request_msg, void * response_msg,
  rclc_service_callback_with_context_t callback, void * context);
rcl_ret_t rclc_executor_add_guard_condition(
  rclc_executor_t * executor, rcl_guard_condition_t * gc, rclc_gc_callback_t callback);

// RCL_RET_ERROR when it was not there. The other handles keep their order.
rcl_ret_t rclc_executor_remove_subscription(rclc_executor_t * executor, const rcl_subscription_t * subscription);

// Makes the wait set now rather than in the first spin.
rcl_ret_t rclc_executor_prepare(rclc_executor_t * executor);
// Waits at most timeout_ns for something to be ready, then calls back once for each handle that is: at most one
// message per subscription. Nothing ready is RCL_RET_OK too. RCL_RET_ERROR once the context is shut down.
rcl_ret_t rclc_executor_spin_some(rclc_executor_t * executor, const uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif

#endif  // RCLC__EXECUTOR_H_
