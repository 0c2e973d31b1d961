// Executor: takes what the middleware announces. See executor.h.
//
// Locks: rmw calls `announce` under locks of its own, and takes the same locks when a callback is set. So `mutex` is
// never held during a call of rcl.

#include "ros/executor.h"

#include <stdlib.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "base/assert.h"
#include "fleetweave/fleetweave.h"

enum { TAKES_PER_ENTITY = 16, CALLS_PER_SPIN = 1000 };

// How often waitables are polled in a wait set, of which they are no part.
static const uint64_t POLL_NS = 10000000;
static const int64_t FAILURE_LOG_NS = 1000000000;

typedef enum entity_kind_t { KIND_SUBSCRIPTION, KIND_SERVICE, KIND_GUARD_CONDITION, KIND_WAITABLE } entity_kind_t;

struct ros_entity_t {
  ros_executor_t * executor;
  ros_entity_t * next;  // in its list of all entities
  entity_kind_t kind;
  union {
    const void * any;
    rcl_subscription_t * subscription;
    rcl_service_t * service;
    rcl_guard_condition_t * guard;
  } key;
  union {
    ros_on_message_t message;
    ros_on_request_t request;
    ros_on_guard_t guard;
    ros_waitable_t waitable;
  } on;
  size_t wait_index;  // in the wait set, if it is there

  // Guarded by the executor's mutex. It is ready if must_poll or announced > 0.
  ros_entity_t * next_ready;
  size_t announced;  // pieces of work that were announced and not taken; those that were lost before count too
  bool must_poll;    // until there is nothing: there may be more than was announced
  bool has_failed;   // the last take has: the next announcement makes it must_poll, since nobody knows what is left
  bool is_queued;    // in the queue, or taken from it to be run
};

// ---- the queue of ready entities

static void lock(ros_executor_t * executor)
{
  const int result = pthread_mutex_lock(&executor->mutex);
  FW_ASSERT(result == 0);
  (void)result;
}

static void unlock(ros_executor_t * executor)
{
  const int result = pthread_mutex_unlock(&executor->mutex);
  FW_ASSERT(result == 0);
  (void)result;
}

static void push_ready(ros_executor_t * executor, ros_entity_t * entity)
{
  entity->next_ready = NULL;
  if (executor->first_ready == NULL) {
    executor->first_ready = entity;
  } else {
    executor->last_ready->next_ready = entity;
  }
  executor->last_ready = entity;
  executor->ready_count++;
}

static ros_entity_t * pop_ready(ros_executor_t * executor)
{
  lock(executor);
  ros_entity_t * entity = executor->first_ready;
  if (entity != NULL) {
    executor->first_ready = entity->next_ready;
    executor->ready_count--;
  }
  unlock(executor);
  return entity;
}

// Takes a removed entity out of the queue.
static void drop_ready(ros_executor_t * executor, const ros_entity_t * entity)
{
  lock(executor);
  ros_entity_t * before = NULL;
  for (ros_entity_t * at = executor->first_ready; at != NULL; before = at, at = at->next_ready) {
    if (at != entity) {
      continue;
    }
    if (before == NULL) {
      executor->first_ready = at->next_ready;
    } else {
      before->next_ready = at->next_ready;
    }
    if (executor->last_ready == at) {
      executor->last_ready = before;
    }
    executor->ready_count--;
    break;
  }
  unlock(executor);
}

// Makes an entity ready: for `count` pieces of work, or until it is found empty if `must_poll`.
static void make_ready(ros_entity_t * entity, size_t count, bool must_poll)
{
  ros_executor_t * executor = entity->executor;
  lock(executor);
  entity->announced += count;
  entity->must_poll = entity->must_poll || must_poll || entity->has_failed;
  entity->has_failed = false;
  if (!entity->is_queued) {
    entity->is_queued = true;
    push_ready(executor, entity);
  }
  const bool must_wake = executor->is_waiting;
  executor->is_waiting = false;  // one trigger is enough
  unlock(executor);
  if (must_wake && rcl_trigger_guard_condition(&executor->wake) != RCL_RET_OK) {
    rcl_reset_error();  // of this thread; the wait ends with its timeout
  }
}

void ros_executor_announce(const void * waitable, size_t count)
{
  ros_entity_t * entity = (ros_entity_t *)waitable;
  if (count > 0) {
    make_ready(entity, count, false);
  }
}

// In place of `announce` for an entity that is removed. NULL would do by rcl's contract, but the listener of services
// in rmw_fastrtps calls what is set without looking, so that a request that arrives at this moment would call NULL.
static void ignore(const void * user_data, size_t count)
{
  (void)user_data;
  (void)count;
}

// ---- life

rcl_ret_t ros_executor_init(ros_executor_t * executor, const ros_executor_options_t * options)
{
  FW_ASSERT(options->context != NULL && options->takes_per_entity >= 0 && options->calls_per_spin >= 0);
  *executor = (ros_executor_t){
    .options = *options,
    .wake = rcl_get_zero_initialized_guard_condition(),
    .wait_set = rcl_get_zero_initialized_wait_set(),
  };
  if (options->logger == NULL) {
    executor->options.logger = "executor";
  }
  if (options->takes_per_entity == 0) {
    executor->options.takes_per_entity = TAKES_PER_ENTITY;
  }
  if (options->calls_per_spin == 0) {
    executor->options.calls_per_spin = CALLS_PER_SPIN;
  }
  const rcl_guard_condition_options_t guard_options = rcl_guard_condition_get_default_options();
  const rcl_ret_t ret = rcl_guard_condition_init(&executor->wake, options->context, guard_options);
  if (ret != RCL_RET_OK) {
    return ret;
  }
  if (pthread_mutex_init(&executor->mutex, NULL) != 0) {
    (void)!rcl_guard_condition_fini(&executor->wake);
    RCL_SET_ERROR_MSG("cannot create a mutex");
    return RCL_RET_ERROR;
  }
  executor->is_initialised = true;
  return RCL_RET_OK;
}

// The next spin makes the wait set anew.
static void drop_wait_set(ros_executor_t * executor)
{
  if (executor->has_wait_set && rcl_wait_set_fini(&executor->wait_set) != RCL_RET_OK) {
    rcl_reset_error();
  }
  executor->has_wait_set = false;
}

// Sets the callback of the middleware; there is none for guard conditions, and those of waitables are their owner's.
static rcl_ret_t set_announcement(const ros_entity_t * entity, rcl_event_callback_t callback, const void * user_data)
{
  switch (entity->kind) {
    case KIND_SUBSCRIPTION:
      return rcl_subscription_set_on_new_message_callback(entity->key.subscription, callback, user_data);
    case KIND_SERVICE:
      return rcl_service_set_on_new_request_callback(entity->key.service, callback, user_data);
    case KIND_GUARD_CONDITION:
    case KIND_WAITABLE:
      break;
  }
  return RCL_RET_OK;
}

// To be called with an entity that is in no list of all entities any more.
static void free_entity(ros_entity_t * entity)
{
  ros_executor_t * executor = entity->executor;
  if (!executor->options.uses_wait_set && set_announcement(entity, ignore, NULL) != RCL_RET_OK) {
    rcl_reset_error();
  }
  drop_ready(executor, entity);  // from here on nothing announces it
  if (executor->running == entity) {
    executor->running = NULL;
  }
  free(entity);
}

static void free_entities(ros_entity_list_t * list)
{
  while (list->first != NULL) {
    ros_entity_t * entity = list->first;
    list->first = entity->next;
    free_entity(entity);
  }
  list->last = NULL;
}

void ros_executor_fini(ros_executor_t * executor)
{
  if (!executor->is_initialised) {
    return;
  }
  FW_ASSERT(executor->running == NULL);
  free_entities(&executor->others);
  free_entities(&executor->guards);
  FW_ASSERT(executor->first_ready == NULL && executor->ready_count == 0);
  drop_wait_set(executor);
  if (rcl_guard_condition_fini(&executor->wake) != RCL_RET_OK) {
    rcl_reset_error();
  }
  (void)pthread_mutex_destroy(&executor->mutex);
  *executor = (ros_executor_t){0};
}

// ---- entities

static bool is_in_wait_set(const ros_entity_t * entity)
{
  return entity->kind == KIND_GUARD_CONDITION ||
         (entity->executor->options.uses_wait_set && entity->kind != KIND_WAITABLE);
}

static void use_wait_set(ros_executor_t * executor)
{
  RCUTILS_LOG_INFO_NAMED(
    executor->options.logger, "the middleware does not announce messages: every spin looks at all subscriptions");
  for (const ros_entity_t * entity = executor->others.first; entity != NULL; entity = entity->next) {
    if (set_announcement(entity, NULL, NULL) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }
  executor->options.uses_wait_set = true;
  drop_wait_set(executor);
}

static rcl_ret_t begin_announcements(ros_entity_t * entity)
{
  ros_executor_t * executor = entity->executor;
  if (executor->options.uses_wait_set) {
    return RCL_RET_OK;
  }
  const rcl_ret_t ret = set_announcement(entity, ros_executor_announce, entity);
  if (ret == RCL_RET_UNSUPPORTED) {
    rcl_reset_error();
    use_wait_set(executor);
    return RCL_RET_OK;
  }
  return ret;
}

static ros_entity_t * add_entity(ros_executor_t * executor, const ros_entity_t * content, rcl_ret_t * ret)
{
  FW_ASSERT(executor->is_initialised);
  ros_entity_t * entity = malloc(sizeof(*entity));
  if (entity == NULL) {
    RCL_SET_ERROR_MSG("out of memory for an entity of the executor");
    *ret = RCL_RET_BAD_ALLOC;
    return NULL;
  }
  *entity = *content;
  entity->executor = executor;
  *ret = begin_announcements(entity);
  if (*ret != RCL_RET_OK) {
    drop_ready(executor, entity);
    free(entity);
    return NULL;
  }
  ros_entity_list_t * list = entity->kind == KIND_GUARD_CONDITION ? &executor->guards : &executor->others;
  if (list->first == NULL) {
    list->first = entity;
  } else {
    list->last->next = entity;
  }
  list->last = entity;
  if (is_in_wait_set(entity)) {
    drop_wait_set(executor);
  }
  // What arrived before the announcements began may not have been announced.
  if (entity->kind != KIND_GUARD_CONDITION) {
    make_ready(entity, 0, true);
  }
  return entity;
}

rcl_ret_t ros_executor_add_subscription(
  ros_executor_t * executor, rcl_subscription_t * subscription, const ros_on_message_t * on_message)
{
  FW_ASSERT(on_message->message != NULL && on_message->callback != NULL);
  const ros_entity_t entity = {.kind = KIND_SUBSCRIPTION, .key.subscription = subscription, .on.message = *on_message};
  rcl_ret_t ret = RCL_RET_OK;
  (void)add_entity(executor, &entity, &ret);
  return ret;
}

rcl_ret_t ros_executor_add_service(
  ros_executor_t * executor, rcl_service_t * service, const ros_on_request_t * on_request)
{
  FW_ASSERT(on_request->request != NULL && on_request->response != NULL && on_request->callback != NULL);
  const ros_entity_t entity = {.kind = KIND_SERVICE, .key.service = service, .on.request = *on_request};
  rcl_ret_t ret = RCL_RET_OK;
  (void)add_entity(executor, &entity, &ret);
  return ret;
}

rcl_ret_t ros_executor_add_guard_condition(
  ros_executor_t * executor, rcl_guard_condition_t * guard, const ros_on_guard_t * on_guard)
{
  FW_ASSERT(on_guard->callback != NULL);
  const ros_entity_t entity = {.kind = KIND_GUARD_CONDITION, .key.guard = guard, .on.guard = *on_guard};
  rcl_ret_t ret = RCL_RET_OK;
  (void)add_entity(executor, &entity, &ret);
  return ret;
}

ros_entity_t * ros_executor_add_waitable(ros_executor_t * executor, const ros_waitable_t * waitable)
{
  FW_ASSERT(waitable->take != NULL);
  const ros_entity_t entity = {.kind = KIND_WAITABLE, .on.waitable = *waitable};
  rcl_ret_t ret = RCL_RET_OK;
  return add_entity(executor, &entity, &ret);
}

// Takes an entity out of a list; NULL if it is not there.
static ros_entity_t * unlink_entity(ros_entity_list_t * list, const void * key)
{
  ros_entity_t * before = NULL;
  for (ros_entity_t * at = list->first; at != NULL; before = at, at = at->next) {
    if (at != key && at->key.any != key) {
      continue;
    }
    if (before == NULL) {
      list->first = at->next;
    } else {
      before->next = at->next;
    }
    if (list->last == at) {
      list->last = before;
    }
    return at;
  }
  return NULL;
}

bool ros_executor_remove(ros_executor_t * executor, const void * entity)
{
  FW_ASSERT(entity != NULL);
  ros_entity_t * removed = unlink_entity(&executor->others, entity);
  if (removed == NULL) {
    removed = unlink_entity(&executor->guards, entity);
  }
  if (removed == NULL) {
    return false;
  }
  if (is_in_wait_set(removed)) {
    drop_wait_set(executor);
  }
  free_entity(removed);
  return true;
}

// ---- waiting

static rcl_ret_t make_wait_set(ros_executor_t * executor)
{
  size_t count[KIND_WAITABLE + 1] = {[KIND_GUARD_CONDITION] = 1};  // `wake`
  for (const ros_entity_t * entity = executor->guards.first; entity != NULL; entity = entity->next) {
    count[entity->kind]++;
  }
  if (executor->options.uses_wait_set) {
    for (const ros_entity_t * entity = executor->others.first; entity != NULL; entity = entity->next) {
      count[entity->kind]++;
    }
  }
  executor->wait_set = rcl_get_zero_initialized_wait_set();
  const rcl_ret_t ret = rcl_wait_set_init(
    &executor->wait_set, count[KIND_SUBSCRIPTION], count[KIND_GUARD_CONDITION], 0, 0, count[KIND_SERVICE], 0,
    executor->options.context, rcl_get_default_allocator());
  executor->has_wait_set = ret == RCL_RET_OK;
  return ret;
}

static rcl_ret_t add_to_wait_set(rcl_wait_set_t * wait_set, ros_entity_t * entity)
{
  switch (entity->kind) {
    case KIND_SUBSCRIPTION:
      return rcl_wait_set_add_subscription(wait_set, entity->key.subscription, &entity->wait_index);
    case KIND_SERVICE:
      return rcl_wait_set_add_service(wait_set, entity->key.service, &entity->wait_index);
    case KIND_GUARD_CONDITION:
      return rcl_wait_set_add_guard_condition(wait_set, entity->key.guard, &entity->wait_index);
    case KIND_WAITABLE:
      break;
  }
  return RCL_RET_OK;
}

static rcl_ret_t fill_wait_set(ros_executor_t * executor)
{
  rcl_ret_t ret = executor->has_wait_set ? rcl_wait_set_clear(&executor->wait_set) : make_wait_set(executor);
  if (ret == RCL_RET_OK) {
    ret = rcl_wait_set_add_guard_condition(&executor->wait_set, &executor->wake, NULL);
  }
  for (ros_entity_t * entity = executor->guards.first; ret == RCL_RET_OK && entity != NULL; entity = entity->next) {
    ret = add_to_wait_set(&executor->wait_set, entity);
  }
  if (executor->options.uses_wait_set) {
    for (ros_entity_t * entity = executor->others.first; ret == RCL_RET_OK && entity != NULL; entity = entity->next) {
      ret = add_to_wait_set(&executor->wait_set, entity);
    }
  }
  return ret;
}

// After rcl_wait an entry of the wait set is still there if it is ready, and NULL otherwise.
static bool is_ready_in(const rcl_wait_set_t * wait_set, const ros_entity_t * entity)
{
  switch (entity->kind) {
    case KIND_SUBSCRIPTION:
      return wait_set->subscriptions[entity->wait_index] != NULL;
    case KIND_SERVICE:
      return wait_set->services[entity->wait_index] != NULL;
    case KIND_GUARD_CONDITION:
      return wait_set->guard_conditions[entity->wait_index] != NULL;
    case KIND_WAITABLE:
      break;
  }
  return true;  // to be polled
}

// Makes ready what the wait set shows. After a timeout its entries say nothing.
static void read_wait_set(ros_executor_t * executor, bool is_timeout)
{
  for (ros_entity_t * entity = executor->guards.first; !is_timeout && entity != NULL; entity = entity->next) {
    if (is_ready_in(&executor->wait_set, entity)) {
      make_ready(entity, 1, false);
    }
  }
  if (!executor->options.uses_wait_set) {
    return;
  }
  for (ros_entity_t * entity = executor->others.first; entity != NULL; entity = entity->next) {
    if (entity->kind == KIND_WAITABLE || (!is_timeout && is_ready_in(&executor->wait_set, entity))) {
      make_ready(entity, 1, false);
    }
  }
}

static bool has_waitables(const ros_executor_t * executor)
{
  for (const ros_entity_t * entity = executor->others.first; entity != NULL; entity = entity->next) {
    if (entity->kind == KIND_WAITABLE) {
      return true;
    }
  }
  return false;
}

static rcl_ret_t wait_for_work(ros_executor_t * executor, uint64_t timeout_ns)
{
  if (executor->options.uses_wait_set && timeout_ns > POLL_NS && has_waitables(executor)) {
    timeout_ns = POLL_NS;
  }
  rcl_ret_t ret = fill_wait_set(executor);
  if (ret != RCL_RET_OK) {
    drop_wait_set(executor);
    return ret;
  }
  lock(executor);
  executor->is_waiting = executor->first_ready == NULL;
  const bool must_wait = executor->is_waiting;
  unlock(executor);
  const int64_t longest_ns = timeout_ns > INT64_MAX ? INT64_MAX : (int64_t)timeout_ns;
  ret = rcl_wait(&executor->wait_set, must_wait ? longest_ns : 0);
  lock(executor);
  executor->is_waiting = false;
  unlock(executor);
  if (ret == RCL_RET_TIMEOUT) {
    rcl_reset_error();
  } else if (ret != RCL_RET_OK) {
    return ret;
  }
  read_wait_set(executor, ret == RCL_RET_TIMEOUT);
  return RCL_RET_OK;
}

// ---- taking

static void log_failure(ros_executor_t * executor, const char * what, const char * name)
{
  const int64_t now_ns = fw_clock_now_ns();
  if (now_ns < executor->next_failure_log_ns) {
    executor->silent_failures++;
  } else {
    RCUTILS_LOG_ERROR_NAMED(
      executor->options.logger, "%s %s: %s (%lld more failures since the last report)", what,
      name == NULL ? "an entity" : name, rcl_error_is_set() ? rcl_get_error_string().str : "no reason given",
      (long long)executor->silent_failures);
    executor->next_failure_log_ns = now_ns + FAILURE_LOG_NS;
    executor->silent_failures = 0;
  }
  rcl_reset_error();
}

static ros_work_t take_message(const ros_entity_t * entity)
{
  const ros_on_message_t on = entity->on.message;
  const rcl_ret_t ret = rcl_take(entity->key.subscription, on.message, NULL, NULL);
  if (ret == RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
    rcl_reset_error();
    return ROS_WORK_NONE;
  }
  if (ret != RCL_RET_OK) {
    log_failure(
      entity->executor, "cannot take a message of", rcl_subscription_get_topic_name(entity->key.subscription));
    return ROS_WORK_FAILED;
  }
  on.callback(on.message, on.context);
  return ROS_WORK_DONE;
}

static ros_work_t take_request(const ros_entity_t * entity)
{
  ros_executor_t * executor = entity->executor;
  rcl_service_t * service = entity->key.service;
  const ros_on_request_t on = entity->on.request;
  rmw_request_id_t id;
  const rcl_ret_t ret = rcl_take_request(service, &id, on.request);
  if (ret == RCL_RET_SERVICE_TAKE_FAILED) {
    rcl_reset_error();
    return ROS_WORK_NONE;
  }
  if (ret != RCL_RET_OK) {
    log_failure(executor, "cannot take a request of", rcl_service_get_service_name(service));
    return ROS_WORK_FAILED;
  }
  on.callback(on.request, on.response, on.context);
  const bool is_removed = executor->running == NULL;
  // A client that cannot be reached in time (RCL_RET_TIMEOUT) can repeat its request.
  if (!is_removed && rcl_send_response(service, &id, on.response) != RCL_RET_OK) {
    log_failure(executor, "cannot send a response of", rcl_service_get_service_name(service));
  }
  return ROS_WORK_DONE;
}

// The entity may be gone when this returns: then `running` is NULL.
static ros_work_t take(const ros_entity_t * entity)
{
  switch (entity->kind) {
    case KIND_SUBSCRIPTION:
      return take_message(entity);
    case KIND_SERVICE:
      return take_request(entity);
    case KIND_GUARD_CONDITION:
      entity->on.guard.callback(entity->on.guard.context);
      return ROS_WORK_DONE;
    case KIND_WAITABLE:
      break;
  }
  ros_executor_t * executor = entity->executor;
  const ros_work_t work = entity->on.waitable.take(entity->on.waitable.context);
  if (work == ROS_WORK_FAILED) {
    log_failure(executor, "cannot do the work of", "a waitable");
  }
  return work;
}

// Books a take. `announced` is what was announced before it. A failure counts as a piece of work and ends polling, so
// that an entity that always fails is not taken from more often than something is announced. True if more is expected.
static bool settle(ros_entity_t * entity, ros_work_t work, size_t announced)
{
  if (work == ROS_WORK_NONE) {
    entity->announced -= announced;
  } else if (entity->announced > 0) {
    entity->announced--;
  }
  entity->must_poll = entity->must_poll && work == ROS_WORK_DONE;
  entity->has_failed = entity->has_failed || work == ROS_WORK_FAILED;
  return entity->must_poll || entity->announced > 0;
}

// Takes from one entity, which is out of the queue. Returns how many calls that were.
static int32_t run_entity(ros_executor_t * executor, ros_entity_t * entity, int32_t calls_max)
{
  int32_t calls = 0;
  bool is_ready = true;
  lock(executor);
  while (is_ready && calls < calls_max) {
    const size_t announced = entity->announced;
    executor->running = entity;
    unlock(executor);
    const ros_work_t work = take(entity);
    calls++;
    if (executor->running == NULL) {
      return calls;  // its callback has removed it
    }
    executor->running = NULL;
    lock(executor);
    is_ready = settle(entity, work, announced);
  }
  if (is_ready) {
    push_ready(executor, entity);
  } else {
    entity->is_queued = false;
  }
  unlock(executor);
  return calls;
}

static void run_ready(ros_executor_t * executor)
{
  const ros_executor_options_t * options = &executor->options;
  lock(executor);
  int32_t entities = executor->ready_count;  // those that become ready from now on are for the next spin
  unlock(executor);
  for (int32_t calls = 0; entities > 0 && calls < options->calls_per_spin; --entities) {
    ros_entity_t * entity = pop_ready(executor);
    if (entity == NULL) {
      return;  // a callback has removed some
    }
    const int32_t left = options->calls_per_spin - calls;
    calls += run_entity(executor, entity, left < options->takes_per_entity ? left : options->takes_per_entity);
  }
}

rcl_ret_t ros_executor_spin_some(ros_executor_t * executor, uint64_t timeout_ns)
{
  FW_ASSERT(executor->is_initialised && executor->running == NULL);
  if (!rcl_context_is_valid(executor->options.context)) {
    rcl_reset_error();
    RCL_SET_ERROR_MSG("the ROS context is shut down");
    return RCL_RET_NOT_INIT;
  }
  const rcl_ret_t ret = wait_for_work(executor, timeout_ns);
  if (ret == RCL_RET_OK) {
    run_ready(executor);
  }
  return ret;
}
