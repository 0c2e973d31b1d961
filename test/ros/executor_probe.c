// Cases of the executor, each in a graph of its own process: `executor_probe <case> [wait_set]`, for test_executor.py.
// Exit code 0, or 1 after the line of the check that failed.
//
// The executor is compiled in, since no library holds it, and since some calls fail here when a case wants them to.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcl/graph.h>
#include <rcl/rcl.h>
#include <rclc/rclc.h>
#include <std_msgs/msg/header.h>
#include <std_srvs/srv/trigger.h>

#include "fleetweave/fleetweave.h"

static rcl_ret_t injected_take = RCL_RET_OK;         // what rcl_take fails with, without taking
static int take_calls;                               // of rcl_take
static int announcements_before_unsupported = 1000;  // so many callbacks can be set, the others are not supported
static bool is_mute;                                 // the middleware announces nothing, and does not say so
static int64_t fake_now_ns = 1;

static rcl_ret_t probe_take(
  const rcl_subscription_t * subscription, void * message, rmw_message_info_t * info,
  rmw_subscription_allocation_t * allocation)
{
  take_calls++;
  return injected_take == RCL_RET_OK ? rcl_take(subscription, message, info, allocation) : injected_take;
}

static rcl_ret_t probe_set_callback(
  const rcl_subscription_t * subscription, rcl_event_callback_t callback, const void * user_data)
{
  if (is_mute) {
    return RCL_RET_OK;
  }
  if (callback != NULL && announcements_before_unsupported-- <= 0) {
    return RCL_RET_UNSUPPORTED;
  }
  return rcl_subscription_set_on_new_message_callback(subscription, callback, user_data);
}

static int64_t probe_now_ns(void) { return fake_now_ns; }

#define rcl_take probe_take
#define rcl_subscription_set_on_new_message_callback probe_set_callback
#define fw_clock_now_ns probe_now_ns
#include "ros/executor.c"  // NOLINT
#undef rcl_take
#undef rcl_subscription_set_on_new_message_callback
#undef fw_clock_now_ns

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition); \
      exit(1);                                                          \
    }                                                                   \
  } while (0)
#define TRY(call) CHECK((call) == RCL_RET_OK)

static const uint64_t LONG_NS = RCL_S_TO_NS((uint64_t)3600);  // longer than a test may take: such a wait must be woken
enum { ROUNDS_MAX = 3000, TRACE_SIZE = 4096, SIDES = 3 };

// ---- a graph: topics a, b, c with a publisher and a subscription each, and a trace of the calls

struct graph_t;

typedef struct side_t {
  struct graph_t * graph;
  char name;  // also of its topic
  rcl_publisher_t publisher;
  rcl_subscription_t subscription;
  int32_t sent;  // messages are numbered from 0
  int32_t calls;
  bool is_in_order;                      // each number was one more than the one before
  void (*then)(struct graph_t * graph);  // called after each message; may be NULL
} side_t;

typedef struct graph_t {
  rcl_allocator_t allocator;
  rclc_support_t support;
  rcl_node_t node;
  ros_executor_t executor;
  std_msgs__msg__Header message;
  side_t sides[SIDES];
  char trace[TRACE_SIZE];  // the names of the sides in the order of the calls
  size_t trace_size;
} graph_t;

static rmw_qos_profile_t deep(void)
{
  rmw_qos_profile_t qos = rmw_qos_profile_default;
  qos.depth = 2000;
  return qos;
}

static const rosidl_message_type_support_t * header_type(void)
{
  return ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, Header);
}

static void trace(graph_t * graph, char name)
{
  CHECK(graph->trace_size + 1 < TRACE_SIZE);
  graph->trace[graph->trace_size++] = name;
  graph->trace[graph->trace_size] = '\0';
}

static void on_message(const void * message, void * context)
{
  side_t * side = context;
  const std_msgs__msg__Header * header = message;
  side->is_in_order = side->is_in_order && header->stamp.sec == side->calls;
  side->calls++;
  trace(side->graph, side->name);
  if (side->then != NULL) {
    side->then(side->graph);
  }
}

static void add(side_t * side)
{
  const ros_on_message_t on = {&side->graph->message, on_message, side};
  TRY(ros_executor_add_subscription(&side->graph->executor, &side->subscription, &on));
}

static void publish(side_t * side, int32_t count)
{
  std_msgs__msg__Header header;
  CHECK(std_msgs__msg__Header__init(&header));
  for (int32_t k = 0; k < count; ++k) {
    header.stamp.sec = side->sent++;
    TRY(rcl_publish(&side->publisher, &header, NULL));
  }
  std_msgs__msg__Header__fini(&header);
}

static void spin(graph_t * graph) { TRY(ros_executor_spin_some(&graph->executor, 0)); }

static void spin_until_calls(const side_t * side, int32_t calls)
{
  for (int32_t k = 0; k < ROUNDS_MAX && side->calls < calls; ++k) {
    TRY(ros_executor_spin_some(&side->graph->executor, RCL_MS_TO_NS(10)));
  }
  CHECK(side->calls == calls);
}

// A few spins, in which nothing may be called any more.
static void expect_silence(graph_t * graph)
{
  const size_t size = graph->trace_size;
  for (int k = 0; k < 5; ++k) {
    TRY(ros_executor_spin_some(&graph->executor, RCL_MS_TO_NS(10)));
  }
  CHECK(graph->trace_size == size);
}

static bool is_announcing(const graph_t * graph) { return !graph->executor.options.uses_wait_set; }

static void begin(graph_t * graph, const ros_executor_options_t * options)
{
  const char * arguments[] = {"executor_probe"};
  graph->allocator = rcl_get_default_allocator();
  TRY(rclc_support_init(&graph->support, 1, arguments, &graph->allocator));
  TRY(rclc_node_init_default(&graph->node, "executor_probe", "", &graph->support));
  ros_executor_options_t with_context = *options;
  with_context.context = &graph->support.context;
  TRY(ros_executor_init(&graph->executor, &with_context));
  CHECK(std_msgs__msg__Header__init(&graph->message));
  const rmw_qos_profile_t qos = deep();
  for (int k = 0; k < SIDES; ++k) {
    side_t * side = &graph->sides[k];
    *side = (side_t){.graph = graph, .name = (char)('a' + k), .is_in_order = true};
    const char topic[] = {side->name, '\0'};
    TRY(rclc_publisher_init(&side->publisher, &graph->node, header_type(), topic, &qos));
    TRY(rclc_subscription_init(&side->subscription, &graph->node, header_type(), topic, &qos));
  }
  for (int k = 0; k < SIDES; ++k) {  // until all are connected: only then does every message arrive
    size_t count = 0;
    for (int32_t round = 0; round < ROUNDS_MAX && count == 0; ++round) {
      TRY(rcl_publisher_get_subscription_count(&graph->sides[k].publisher, &count));
      TRY(ros_executor_spin_some(&graph->executor, RCL_MS_TO_NS(10)));
    }
    CHECK(count == 1);
  }
}

static void end(graph_t * graph)
{
  ros_executor_fini(&graph->executor);
  ros_executor_fini(&graph->executor);  // twice is fine
  for (int k = 0; k < SIDES; ++k) {
    if (rcl_subscription_is_valid(&graph->sides[k].subscription)) {
      TRY(rcl_subscription_fini(&graph->sides[k].subscription, &graph->node));
    }
    rcl_reset_error();
    TRY(rcl_publisher_fini(&graph->sides[k].publisher, &graph->node));
  }
  std_msgs__msg__Header__fini(&graph->message);
  TRY(rcl_node_fini(&graph->node));
  TRY(rclc_support_fini(&graph->support));
}

// Runs `work` in another thread as soon as the executor waits, and lets it wait once, for long.
typedef struct helper_t {
  graph_t * graph;
  void (*work)(void * context);
  void * context;
} helper_t;

static void * help(void * argument)
{
  const helper_t * helper = argument;
  ros_executor_t * executor = &helper->graph->executor;
  bool is_waiting = false;
  while (!is_waiting) {
    lock(executor);
    is_waiting = executor->is_waiting;
    unlock(executor);
  }
  helper->work(helper->context);
  return NULL;
}

static void spin_beside(graph_t * graph, void (*work)(void * context), void * context)
{
  helper_t helper = {graph, work, context};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, help, &helper) == 0);
  TRY(ros_executor_spin_some(&graph->executor, LONG_NS));
  CHECK(pthread_join(thread, NULL) == 0);
}

// ---- messages

static void * publish_thousand(void * argument)
{
  publish(argument, 1000);
  return NULL;
}

static void no_message_is_lost(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  side_t * b = &graph->sides[1];
  add(a);
  add(b);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, publish_thousand, a) == 0);
  publish(b, 1000);
  spin_until_calls(a, 1000);
  spin_until_calls(b, 1000);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(a->is_in_order && b->is_in_order);
  expect_silence(graph);
}

static void what_arrived_before_is_taken(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  publish(a, 40);
  add(a);
  spin_until_calls(a, 40);
  expect_silence(graph);
}

// Between the count of what is there and the first announcement a message can arrive unseen.
static void what_arrived_before_is_taken_unannounced(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  publish(a, 40);
  is_mute = true;
  add(a);
  spin_until_calls(a, 40);
  publish(a, 1);
  expect_silence(graph);  // the middleware is mute indeed
}

static void publish_one(void * context) { publish(context, 1); }

static void a_message_ends_the_wait(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  add(a);
  spin(graph);
  spin_beside(graph, publish_one, a);
  CHECK(a->calls == 1);
  spin_beside(graph, publish_one, a);
  CHECK(a->calls == 2);
}

// ---- order and bounds: 4 takes of an entity and 10 calls in a spin

static void work_per_spin_is_bounded(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  side_t * b = &graph->sides[1];
  side_t * c = &graph->sides[2];
  add(a);
  add(b);
  add(c);
  expect_silence(graph);  // the first look is done
  publish(c, 1);
  publish(a, 14);
  publish(b, 6);
  publish(c, 1);
  spin(graph);
  CHECK(strcmp(graph->trace, "ccaaaabbbb") == 0);
  spin(graph);
  CHECK(strcmp(graph->trace, "ccaaaabbbbaaaabb") == 0);
  spin(graph);
  CHECK(strcmp(graph->trace, "ccaaaabbbbaaaabbaaaa") == 0);
  publish(b, 1);  // behind a, which has been ready for longer
  spin(graph);
  CHECK(strcmp(graph->trace, "ccaaaabbbbaaaabbaaaaaab") == 0);
  expect_silence(graph);

  publish(a, 4);
  publish(b, 4);
  publish(c, 4);
  graph->trace_size = 0;
  spin(graph);
  CHECK(strcmp(graph->trace, "aaaabbbbcc") == 0);
  publish(a, 1);
  spin(graph);
  CHECK(strcmp(graph->trace, "aaaabbbbcccca") == 0);
}

// ---- adding and removing

static void a_removed_entity_is_silent(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  side_t * b = &graph->sides[1];
  add(a);
  add(b);
  publish(a, 10);
  publish(b, 5);
  CHECK(ros_executor_remove(&graph->executor, &a->subscription));
  CHECK(!ros_executor_remove(&graph->executor, &a->subscription));
  TRY(rcl_subscription_fini(&a->subscription, &graph->node));
  publish(a, 10);
  spin_until_calls(b, 5);
  expect_silence(graph);
  CHECK(a->calls == 0);

  const rmw_qos_profile_t qos = deep();
  TRY(rclc_subscription_init(&a->subscription, &graph->node, header_type(), "a", &qos));
  add(a);
  size_t count = 0;
  for (int32_t k = 0; k < ROUNDS_MAX && count == 0; ++k) {
    TRY(rcl_publisher_get_subscription_count(&a->publisher, &count));
    spin(graph);
  }
  a->sent = 0;
  publish(a, 3);
  spin_until_calls(a, 3);
  CHECK(a->is_in_order);
}

// The last of the queue and of the list is removed, then others are put behind.
static void the_last_entity_may_be_removed(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  side_t * b = &graph->sides[1];
  side_t * c = &graph->sides[2];
  add(a);
  add(c);
  expect_silence(graph);  // the first look is done
  publish(a, 1);
  add(b);
  publish(b, 1);
  CHECK(ros_executor_remove(&graph->executor, &b->subscription));
  publish(c, 1);
  spin_until_calls(c, 1);
  CHECK(a->calls == 1 && b->calls == 0);
  add(b);
  spin_until_calls(b, 1);
  CHECK(ros_executor_remove(&graph->executor, &b->subscription));
  CHECK(ros_executor_remove(&graph->executor, &c->subscription));
  CHECK(ros_executor_remove(&graph->executor, &a->subscription));
}

static void remove_a_and_b_add_c(graph_t * graph)
{
  CHECK(ros_executor_remove(&graph->executor, &graph->sides[0].subscription));
  CHECK(ros_executor_remove(&graph->executor, &graph->sides[1].subscription));
  TRY(rcl_subscription_fini(&graph->sides[0].subscription, &graph->node));
  TRY(rcl_subscription_fini(&graph->sides[1].subscription, &graph->node));
  add(&graph->sides[2]);
}

static void a_callback_may_remove_and_add(graph_t * graph)
{
  graph->sides[0].then = remove_a_and_b_add_c;
  add(&graph->sides[0]);
  add(&graph->sides[1]);
  for (int k = 0; k < SIDES; ++k) {
    publish(&graph->sides[k], 5);
  }
  spin_until_calls(&graph->sides[2], 5);
  expect_silence(graph);
  CHECK(strcmp(graph->trace, "accccc") == 0 || strcmp(graph->trace, "baccccc") == 0);
}

static void no_number_of_entities_is_too_large(graph_t * graph)
{
  enum { COUNT = 60 };
  static rcl_subscription_t subscriptions[COUNT];
  side_t * a = &graph->sides[0];
  a->is_in_order = false;  // all of them count here
  const rmw_qos_profile_t qos = deep();
  const ros_on_message_t on = {&graph->message, on_message, a};
  for (int k = 0; k < COUNT; ++k) {
    TRY(rclc_subscription_init(&subscriptions[k], &graph->node, header_type(), "a", &qos));
    TRY(ros_executor_add_subscription(&graph->executor, &subscriptions[k], &on));
  }
  size_t count = 0;
  for (int32_t k = 0; k < ROUNDS_MAX && count < COUNT + 1; ++k) {
    TRY(rcl_publisher_get_subscription_count(&a->publisher, &count));
    TRY(ros_executor_spin_some(&graph->executor, RCL_MS_TO_NS(10)));
  }
  publish(a, 2);
  spin_until_calls(a, 2 * COUNT);
  publish(a, 1);
  for (int k = 0; k < COUNT; k += 2) {  // half of them while they are ready
    CHECK(ros_executor_remove(&graph->executor, &subscriptions[k]));
    TRY(rcl_subscription_fini(&subscriptions[k], &graph->node));
  }
  spin_until_calls(a, 2 * COUNT + COUNT / 2);
  expect_silence(graph);
  ros_executor_fini(&graph->executor);
  for (int k = 1; k < COUNT; k += 2) {
    TRY(rcl_subscription_fini(&subscriptions[k], &graph->node));
  }
}

static void * flood(void * argument)
{
  publish(argument, 2000);
  return NULL;
}

// Adds and removes while another thread of the middleware announces.
static void entities_come_and_go_in_a_flood(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, flood, a) == 0);
  for (int k = 0; k < 300; ++k) {
    add(a);
    spin(graph);
    CHECK(ros_executor_remove(&graph->executor, &a->subscription));
  }
  CHECK(pthread_join(thread, NULL) == 0);
  add(a);
  spin_until_calls(a, 2000);
  CHECK(a->is_in_order);
}

// ---- services

typedef struct server_t {
  graph_t * graph;
  rcl_service_t service;
  rcl_client_t client;
  std_srvs__srv__Trigger_Request request;
  std_srvs__srv__Trigger_Response response;
  int calls;
  bool removes_itself;
} server_t;

static void on_request(const void * request, void * response, void * context)
{
  (void)request;
  server_t * server = context;
  server->calls++;
  ((std_srvs__srv__Trigger_Response *)response)->success = true;
  if (server->removes_itself) {
    CHECK(ros_executor_remove(&server->graph->executor, &server->service));
    TRY(rcl_service_fini(&server->service, &server->graph->node));
  }
}

static void begin_server(server_t * server, graph_t * graph)
{
  const rosidl_service_type_support_t * type = ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger);
  const rcl_client_options_t options = rcl_client_get_default_options();
  *server = (server_t){.graph = graph, .client = rcl_get_zero_initialized_client()};
  CHECK(std_srvs__srv__Trigger_Request__init(&server->request));
  CHECK(std_srvs__srv__Trigger_Response__init(&server->response));
  TRY(rclc_service_init_default(&server->service, &graph->node, type, "serve"));
  TRY(rcl_client_init(&server->client, &graph->node, type, "serve", &options));
  const ros_on_request_t on = {&server->request, &server->response, on_request, server};
  TRY(ros_executor_add_service(&graph->executor, &server->service, &on));
  bool is_there = false;
  for (int32_t k = 0; k < ROUNDS_MAX && !is_there; ++k) {
    TRY(rcl_service_server_is_available(&graph->node, &server->client, &is_there));
    TRY(ros_executor_spin_some(&graph->executor, RCL_MS_TO_NS(10)));
  }
  CHECK(is_there);
}

static void end_server(server_t * server)
{
  if (!server->removes_itself) {
    CHECK(ros_executor_remove(&server->graph->executor, &server->service));
    TRY(rcl_service_fini(&server->service, &server->graph->node));
  }
  TRY(rcl_client_fini(&server->client, &server->graph->node));
  std_srvs__srv__Trigger_Request__fini(&server->request);
  std_srvs__srv__Trigger_Response__fini(&server->response);
}

static void ask(void * context)
{
  server_t * server = context;
  std_srvs__srv__Trigger_Request request;
  CHECK(std_srvs__srv__Trigger_Request__init(&request));
  int64_t number = 0;
  TRY(rcl_send_request(&server->client, &request, &number));
  std_srvs__srv__Trigger_Request__fini(&request);
}

static int take_answers(const server_t * server)
{
  int count = 0;
  std_srvs__srv__Trigger_Response response;
  rmw_request_id_t id;
  CHECK(std_srvs__srv__Trigger_Response__init(&response));
  while (rcl_take_response(&server->client, &id, &response) == RCL_RET_OK) {
    CHECK(response.success);
    count++;
  }
  rcl_reset_error();
  std_srvs__srv__Trigger_Response__fini(&response);
  return count;
}

static void requests_are_answered(graph_t * graph)
{
  server_t server;
  begin_server(&server, graph);
  spin_beside(graph, ask, &server);  // a request ends the wait
  CHECK(server.calls == 1);
  for (int k = 0; k < 5; ++k) {  // the depth of the service's queue is 10
    ask(&server);
  }
  int answers = 0;
  for (int32_t k = 0; k < ROUNDS_MAX && answers < 6; ++k) {
    TRY(ros_executor_spin_some(&graph->executor, RCL_MS_TO_NS(10)));
    answers += take_answers(&server);
  }
  CHECK(answers == 6 && server.calls == 6);
  end_server(&server);
}

static void a_service_may_remove_itself(graph_t * graph)
{
  server_t server;
  begin_server(&server, graph);
  server.removes_itself = true;
  ask(&server);
  ask(&server);
  for (int32_t k = 0; k < ROUNDS_MAX && server.calls == 0; ++k) {
    TRY(ros_executor_spin_some(&graph->executor, RCL_MS_TO_NS(10)));
  }
  expect_silence(graph);
  CHECK(server.calls == 1 && take_answers(&server) == 0);
  CHECK(graph->executor.next_failure_log_ns == 0);  // nothing was sent in vain
  end_server(&server);
}

// ---- guard conditions and waitables

static void on_guard_call(void * context) { trace(context, 'g'); }

static void trigger(void * context) { TRY(rcl_trigger_guard_condition(context)); }

static void a_guard_condition_ends_the_wait(graph_t * graph)
{
  rcl_guard_condition_t guard = rcl_get_zero_initialized_guard_condition();
  TRY(rcl_guard_condition_init(&guard, &graph->support.context, rcl_guard_condition_get_default_options()));
  TRY(ros_executor_add_guard_condition(&graph->executor, &guard, &(ros_on_guard_t){on_guard_call, graph}));
  expect_silence(graph);
  spin_beside(graph, trigger, &guard);
  CHECK(strcmp(graph->trace, "g") == 0);
  TRY(rcl_trigger_guard_condition(&guard));
  TRY(rcl_trigger_guard_condition(&guard));
  spin(graph);
  CHECK(strcmp(graph->trace, "gg") == 0);  // once for both
  expect_silence(graph);
  TRY(rcl_trigger_guard_condition(&guard));
  CHECK(ros_executor_remove(&graph->executor, &guard));
  expect_silence(graph);
  TRY(rcl_guard_condition_fini(&guard));
}

static void a_wake_without_work_is_harmless(graph_t * graph)
{
  add(&graph->sides[0]);
  spin(graph);
  spin_beside(graph, trigger, &graph->executor.wake);
  CHECK(graph->trace_size == 0);
  publish(&graph->sides[0], 1);
  spin_until_calls(&graph->sides[0], 1);
}

typedef struct work_t {
  graph_t * graph;
  ros_entity_t * entity;
  pthread_mutex_t mutex;
  int left;
  bool fails;
  int calls;
} work_t;

static ros_work_t take_work(void * context)
{
  work_t * work = context;
  work->calls++;
  if (work->fails) {
    return ROS_WORK_FAILED;
  }
  CHECK(pthread_mutex_lock(&work->mutex) == 0);
  const bool has_work = work->left > 0;
  work->left -= has_work ? 1 : 0;
  CHECK(pthread_mutex_unlock(&work->mutex) == 0);
  if (!has_work) {
    return ROS_WORK_NONE;
  }
  trace(work->graph, 'w');
  return ROS_WORK_DONE;
}

static void bring_work(void * context)
{
  work_t * work = context;
  CHECK(pthread_mutex_lock(&work->mutex) == 0);
  work->left += 3;
  CHECK(pthread_mutex_unlock(&work->mutex) == 0);
  ros_executor_announce(work->entity, 3);
}

static void a_waitable_is_run(graph_t * graph)
{
  work_t work = {.graph = graph, .left = 1};
  CHECK(pthread_mutex_init(&work.mutex, NULL) == 0);
  work.entity = ros_executor_add_waitable(&graph->executor, &(ros_waitable_t){take_work, &work});
  CHECK(work.entity != NULL);
  spin(graph);
  CHECK(strcmp(graph->trace, "w") == 0);  // what was there before
  spin_beside(graph, bring_work, &work);
  for (int32_t k = 0; k < ROUNDS_MAX && graph->trace_size < 4; ++k) {
    spin(graph);
  }
  CHECK(strcmp(graph->trace, "wwww") == 0);
  expect_silence(graph);
  if (is_announcing(graph)) {
    const int calls = work.calls;
    expect_silence(graph);
    CHECK(work.calls == calls);  // it is not polled
    work.fails = true;
    ros_executor_announce(work.entity, 3);
    expect_silence(graph);
    CHECK(work.calls == calls + 3);
  } else {
    work.left = 1;
    TRY(ros_executor_spin_some(&graph->executor, LONG_NS));
    CHECK(strcmp(graph->trace, "wwwww") == 0);  // it is polled
  }
  ros_executor_announce(work.entity, 1);
  CHECK(ros_executor_remove(&graph->executor, work.entity));
  expect_silence(graph);
  CHECK(pthread_mutex_destroy(&work.mutex) == 0);
}

// ---- failures

static void a_failing_take_is_not_repeated_for_ever(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  injected_take = RCL_RET_ERROR;
  add(a);
  expect_silence(graph);
  CHECK(take_calls == 1);  // the first look
  injected_take = RCL_RET_OK;
  publish(a, 1);
  spin_until_calls(a, 1);
  expect_silence(graph);
  fake_now_ns += 10 * FAILURE_LOG_NS;
  injected_take = RCL_RET_ERROR;
  take_calls = 0;
  publish(a, 5);
  expect_silence(graph);
  CHECK(take_calls == 5);
  CHECK(graph->executor.first_ready == NULL);  // the next spin waits
  injected_take = RCL_RET_OK;
  publish(a, 1);
  spin_until_calls(a, 7);  // the five that were not taken come too
  CHECK(a->is_in_order);
  fake_now_ns += 10 * FAILURE_LOG_NS;
  injected_take = RCL_RET_BAD_ALLOC;
  publish(a, 1);
  expect_silence(graph);
}

// With a queue of one message, 500 that were announced are one to take.
static void what_was_overwritten_is_not_waited_for(graph_t * graph)
{
  side_t * a = &graph->sides[0];
  rmw_qos_profile_t shallow = rmw_qos_profile_default;
  shallow.depth = 1;
  TRY(rcl_subscription_fini(&a->subscription, &graph->node));
  TRY(rclc_subscription_init(&a->subscription, &graph->node, header_type(), "a", &shallow));
  add(a);
  size_t count = 0;
  for (int32_t k = 0; k < ROUNDS_MAX && count == 0; ++k) {
    TRY(rcl_publisher_get_subscription_count(&a->publisher, &count));
    TRY(ros_executor_spin_some(&graph->executor, RCL_MS_TO_NS(10)));
  }
  take_calls = 0;
  publish(a, 500);
  spin_until_calls(a, 1);
  expect_silence(graph);
  CHECK(take_calls == 2);                      // the second one finds out that there is nothing
  CHECK(graph->executor.first_ready == NULL);  // the next spin waits
  publish(a, 1);
  spin_until_calls(a, 2);
}

static void without_announcements_a_wait_set_does(graph_t * graph)
{
  announcements_before_unsupported = 1;
  add(&graph->sides[0]);
  CHECK(is_announcing(graph));
  add(&graph->sides[1]);
  CHECK(!is_announcing(graph));
  add(&graph->sides[2]);
  for (int k = 0; k < SIDES; ++k) {
    publish(&graph->sides[k], 20);
  }
  for (int k = 0; k < SIDES; ++k) {
    spin_until_calls(&graph->sides[k], 20);
    CHECK(graph->sides[k].is_in_order);
  }
  spin_beside(graph, publish_one, &graph->sides[0]);
  CHECK(graph->sides[0].calls == 21);
}

static void a_context_that_is_shut_down_ends_the_spin(graph_t * graph)
{
  add(&graph->sides[0]);
  publish(&graph->sides[0], 1);
  TRY(rcl_shutdown(&graph->support.context));
  CHECK(ros_executor_spin_some(&graph->executor, LONG_NS) == RCL_RET_NOT_INIT);
  CHECK(rcl_error_is_set() && strstr(rcl_get_error_string().str, "shut down") != NULL);
  rcl_reset_error();
  CHECK(graph->trace_size == 0);
  ros_executor_fini(&graph->executor);
  exit(0);  // the rest cannot be released in order any more
}

// ---- the cases

typedef struct case_t {
  const char * name;
  void (*run)(graph_t * graph);
  ros_executor_options_t options;
} case_t;

#define CASE(name, ...)          \
  {                              \
#name, name, { __VA_ARGS__ } \
  }

static const case_t cases[] = {
  CASE(no_message_is_lost, .logger = NULL),
  CASE(what_arrived_before_is_taken, .logger = NULL),
  CASE(what_arrived_before_is_taken_unannounced, .logger = NULL),
  CASE(a_message_ends_the_wait, .logger = NULL),
  CASE(work_per_spin_is_bounded, .takes_per_entity = 4, .calls_per_spin = 10),
  CASE(a_removed_entity_is_silent, .logger = NULL),
  CASE(the_last_entity_may_be_removed, .logger = NULL),
  CASE(a_callback_may_remove_and_add, .takes_per_entity = 1),
  CASE(no_number_of_entities_is_too_large, .logger = NULL),
  CASE(entities_come_and_go_in_a_flood, .takes_per_entity = 1),
  CASE(requests_are_answered, .logger = NULL),
  CASE(a_service_may_remove_itself, .logger = NULL),
  CASE(a_guard_condition_ends_the_wait, .logger = NULL),
  CASE(a_wake_without_work_is_harmless, .logger = NULL),
  CASE(a_waitable_is_run, .logger = NULL),
  CASE(a_failing_take_is_not_repeated_for_ever, .logger = "probe"),
  CASE(what_was_overwritten_is_not_waited_for, .logger = NULL),
  CASE(without_announcements_a_wait_set_does, .logger = "probe"),
  CASE(a_context_that_is_shut_down_ends_the_spin, .logger = NULL),
};

int main(int argc, char ** argv)
{
  static graph_t graph;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    if (argc < 2) {
      printf("%s\n", cases[k].name);
    } else if (strcmp(argv[1], cases[k].name) == 0) {
      ros_executor_options_t options = cases[k].options;
      options.uses_wait_set = argc > 2 && strcmp(argv[2], "wait_set") == 0;
      begin(&graph, &options);
      cases[k].run(&graph);
      end(&graph);
      return 0;
    }
  }
  return argc < 2 ? 0 : 2;
}
