// Executor: one thread that takes messages and requests and calls back, woken by events of the middleware.
//
// A wait set is walked as a whole for every message, so that a message costs time in proportion to all subscriptions of
// the node. Here the middleware announces what has arrived (rcl_subscription_set_on_new_message_callback and its like):
//
//   middleware's threads                                     the thread that spins
//   announce ──> count of the entity, queue of ready ones ──> take from the ready ones only, call back
//            └─> guard condition, if the thread waits ──────> wakes
//
// A spin waits for that one guard condition and for those that were added. The order of calls: entities in the order in
// which they became ready; each gives at most `takes_per_entity` messages and goes to the end of the queue if it has
// more. After `calls_per_spin` calls the spin ends, and the next one begins with the entities that are left.
//
// Where the middleware cannot announce (RCL_RET_UNSUPPORTED), all entities are in the wait set instead, as with rclc.
//
// Threads: everything but ros_executor_announce is for one thread. Callbacks may add and remove entities, also their
// own, but not spin or end the executor.
// On a failure rcl's error state says why.

#ifndef ROS__EXECUTOR_H_
#define ROS__EXECUTOR_H_

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rcl/rcl.h>

typedef struct ros_executor_options_t {
  rcl_context_t * context;   // borrowed
  const char * logger;       // borrowed
  int32_t takes_per_entity;  // in one spin; 0: 16
  int32_t calls_per_spin;    // 0: 1000
  bool uses_wait_set;        // as if the middleware could not announce
} ros_executor_options_t;

// What the executor calls for a message. `message` is initialised and filled anew for each call: a callback copies what
// it wants to keep. Several entities of one type may share it.
typedef struct ros_on_message_t {
  void * message;
  void (*callback)(const void * message, void * context);
  void * context;
} ros_on_message_t;

// What the executor calls for a request. `response` is sent when the callback returns.
typedef struct ros_on_request_t {
  void * request;
  void * response;
  void (*callback)(const void * request, void * response, void * context);
  void * context;
} ros_on_request_t;

// What the executor calls for a guard condition, once for any number of triggers before a spin.
typedef struct ros_on_guard_t {
  void (*callback)(void * context);
  void * context;
} ros_on_guard_t;

typedef enum ros_work_t {
  ROS_WORK_DONE,    // one piece of work was done; there may be more
  ROS_WORK_NONE,    // there was none
  ROS_WORK_FAILED,  // one piece of work was given up; rcl's error state may say why
} ros_work_t;

// Anything else that can have work, for example the goal service of an action server: `take` does one piece of it.
typedef struct ros_waitable_t {
  ros_work_t (*take)(void * context);
  void * context;
} ros_waitable_t;

typedef struct ros_entity_t ros_entity_t;

typedef struct ros_entity_list_t {
  ros_entity_t * first;
  ros_entity_t * last;
} ros_entity_list_t;

// Private. Zero is the empty executor. It must not be moved after its init.
typedef struct ros_executor_t {
  ros_executor_options_t options;
  bool is_initialised;
  ros_entity_list_t guards;  // guard conditions, in the order in which they were added
  ros_entity_list_t others;  // all other entities
  rcl_guard_condition_t wake;
  rcl_wait_set_t wait_set;
  bool has_wait_set;            // false: the next spin makes it
  ros_entity_t * running;       // whose callback runs; NULL also after it has removed itself
  int64_t next_failure_log_ns;  // steady clock
  int64_t silent_failures;      // since the last one that was logged
  pthread_mutex_t mutex;        // for the members below and those of the entities that say so; a leaf: no call out
  ros_entity_t * first_ready;   // queue of the entities that have something to take
  ros_entity_t * last_ready;
  int32_t ready_count;
  bool is_waiting;  // the next announcement must trigger `wake`
} ros_executor_t;

rcl_ret_t ros_executor_init(ros_executor_t * executor, const ros_executor_options_t * options);
// Before the fini of the entities that are still in it. An empty executor is fine.
void ros_executor_fini(ros_executor_t * executor);

// Any number of entities can be added, at any time. The executor keeps the pointers to the entity and to what `on_…`
// points to: they must stay valid until the entity is removed. What arrived before is taken with the next spin.
rcl_ret_t ros_executor_add_subscription(
  ros_executor_t * executor, rcl_subscription_t * subscription, const ros_on_message_t * on_message);
rcl_ret_t ros_executor_add_service(
  ros_executor_t * executor, rcl_service_t * service, const ros_on_request_t * on_request);
rcl_ret_t ros_executor_add_guard_condition(
  ros_executor_t * executor, rcl_guard_condition_t * guard, const ros_on_guard_t * on_guard);
// NULL if there is no memory. The result is for ros_executor_announce and ros_executor_remove. `take` is called once
// without an announcement. Where the executor uses a wait set, it is called every 10 ms instead.
ros_entity_t * ros_executor_add_waitable(ros_executor_t * executor, const ros_waitable_t * waitable);

// `entity` is what was given to the add call, or the result of ros_executor_add_waitable. To be called before its fini.
// Messages that it still holds are not taken. For a waitable nobody may announce any more. False if it is not there.
bool ros_executor_remove(ros_executor_t * executor, const void * entity);

// Announces `count` pieces of work of a waitable, from any thread. It is an rcl_event_callback_t, whose `user_data` is
// the waitable. It allocates nothing and never waits for a callback.
void ros_executor_announce(const void * waitable, size_t count);

// Waits at most `timeout_ns` until there is something to take, then takes and calls back, see above. RCL_RET_OK also if
// there was nothing. A take that fails is logged, at most once a second. RCL_RET_NOT_INIT once the context is shut
// down.
rcl_ret_t ros_executor_spin_some(ros_executor_t * executor, uint64_t timeout_ns);

#endif  // ROS__EXECUTOR_H_
