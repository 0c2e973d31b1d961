// A node that uses every rclc call this package makes, for test_rclc.py to talk to. It compiles unchanged with the
// real rclc and with src/ros/rclc.
//
//   map          in   a grid; answered by a path of as many poses as the grid is wide
//   path         out
//   extra        in   counted until `drop`; both subscriptions share one callback and differ by their context
//   ~/count      srv  how often each callback ran
//   ~/drop       srv  takes `extra` out of the executor (done between two rounds)
//   ~/quit       srv  ends the program with code 0
#include <stdio.h>

#include <geometry_msgs/msg/pose_stamped.h>
#include <nav_msgs/msg/occupancy_grid.h>
#include <nav_msgs/msg/path.h>
#include <rcl/error_handling.h>
#include <rclc/executor.h>
#include <rclc/rclc.h>
#include <rosidl_runtime_c/string_functions.h>
#include <std_srvs/srv/trigger.h>

#define TRY(call)                                         \
  do {                                                    \
    if ((call) != RCL_RET_OK) {                           \
      fprintf(stderr, "rclc_probe: failed: %s\n", #call); \
      return 1;                                           \
    }                                                     \
  } while (0)

typedef struct {
  int maps;
  int extras;
  int ticks;
  int rounds_with_always;
  bool drop;
  bool quit;
  rcl_publisher_t path_publisher;
} probe_t;

// Timers and guard conditions carry no context in rclc.
static probe_t probe;
static int guard_calls;
static rcl_guard_condition_t guard;

static void on_map(const void * message, void * context)
{
  probe_t * self = context;
  const nav_msgs__msg__OccupancyGrid * map = message;
  self->maps++;
  nav_msgs__msg__Path path;
  if (!nav_msgs__msg__Path__init(&path)) {
    return;
  }
  if (
    geometry_msgs__msg__PoseStamped__Sequence__init(&path.poses, map->info.width) &&
    rosidl_runtime_c__String__assign(&path.header.frame_id, map->header.frame_id.data)) {
    if (rcl_publish(&self->path_publisher, &path, NULL) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }
  nav_msgs__msg__Path__fini(&path);
}

static void on_extra(const void * message, void * context)
{
  (void)message;
  ((probe_t *)context)->extras++;
}

static void on_anything(const void * message)
{
  (void)message;  // NULL in rounds in which something else was ready
  probe.rounds_with_always++;
}

static void on_tick(rcl_timer_t * timer, int64_t since_last_call_ns)
{
  (void)timer;
  (void)since_last_call_ns;
  probe.ticks++;
  if (probe.ticks % 5 == 0 && rcl_trigger_guard_condition(&guard) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

static void on_guard(void) { guard_calls++; }

static void answer(void * response_message, const char * text)
{
  std_srvs__srv__Trigger_Response * response = response_message;
  response->success = rosidl_runtime_c__String__assign(&response->message, text);
}

static void on_count(const void * request, void * response, void * context)
{
  (void)request;
  const probe_t * self = context;
  char text[160];
  snprintf(
    text, sizeof(text), "{\"maps\": %d, \"extras\": %d, \"ticks\": %d, \"guards\": %d, \"always\": %d}", self->maps,
    self->extras, self->ticks, guard_calls, self->rounds_with_always);
  answer(response, text);
}

static void on_drop(const void * request, void * response, void * context)
{
  (void)request;
  ((probe_t *)context)->drop = true;
  answer(response, "dropped");
}

static void on_quit(const void * request, void * response)
{
  (void)request;
  probe.quit = true;
  answer(response, "bye");
}

int main(int argc, char ** argv)
{
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rclc_support_t support;
  TRY(rclc_support_init(&support, argc, (char const * const *)argv, &allocator));
  rcl_node_t node;
  TRY(rclc_node_init_default(&node, "rclc_probe", "", &support));

  const rosidl_message_type_support_t * grid_type = ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid);
  const rosidl_message_type_support_t * pose_type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped);
  const rosidl_service_type_support_t * trigger_type = ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger);

  rmw_qos_profile_t latched = rmw_qos_profile_default;
  latched.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
  latched.depth = 1;
  TRY(rclc_publisher_init(
    &probe.path_publisher, &node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path), "path", &latched));
  rcl_subscription_t map_subscription, extra_subscription, idle_subscription;
  TRY(rclc_subscription_init(&map_subscription, &node, grid_type, "map", &latched));
  TRY(rclc_subscription_init_best_effort(&extra_subscription, &node, pose_type, "extra"));
  TRY(rclc_subscription_init_default(&idle_subscription, &node, pose_type, "idle"));
  rcl_service_t count_service, drop_service, quit_service;
  TRY(rclc_service_init_default(&count_service, &node, trigger_type, "~/count"));
  TRY(rclc_service_init_default(&drop_service, &node, trigger_type, "~/drop"));
  TRY(rclc_service_init_default(&quit_service, &node, trigger_type, "~/quit"));
  rcl_timer_t timer;
  TRY(rclc_timer_init_default2(&timer, &support, RCL_MS_TO_NS(20), on_tick, true));
  guard = rcl_get_zero_initialized_guard_condition();
  TRY(rcl_guard_condition_init(&guard, &support.context, rcl_guard_condition_get_default_options()));

  nav_msgs__msg__OccupancyGrid * map = nav_msgs__msg__OccupancyGrid__create();
  geometry_msgs__msg__PoseStamped * pose = geometry_msgs__msg__PoseStamped__create();
  std_srvs__srv__Trigger_Request * request = std_srvs__srv__Trigger_Request__create();
  std_srvs__srv__Trigger_Response * response = std_srvs__srv__Trigger_Response__create();

  rclc_executor_t executor = rclc_executor_get_zero_initialized_executor();
  TRY(rclc_executor_init(&executor, &support.context, 8, &allocator));
  TRY(rclc_executor_add_subscription_with_context(&executor, &map_subscription, map, on_map, &probe, ON_NEW_DATA));
  TRY(rclc_executor_add_subscription_with_context(&executor, &extra_subscription, pose, on_extra, &probe, ON_NEW_DATA));
  TRY(rclc_executor_add_subscription(&executor, &idle_subscription, pose, on_anything, ALWAYS));
  TRY(rclc_executor_add_timer(&executor, &timer));
  TRY(rclc_executor_add_service_with_context(&executor, &count_service, request, response, on_count, &probe));
  TRY(rclc_executor_add_service_with_context(&executor, &drop_service, request, response, on_drop, &probe));
  TRY(rclc_executor_add_service(&executor, &quit_service, request, response, on_quit));
  TRY(rclc_executor_add_guard_condition(&executor, &guard, on_guard));
  if (rclc_executor_add_timer(&executor, &timer) != RCL_RET_ERROR) {
    fprintf(stderr, "rclc_probe: a ninth handle found room among eight\n");
    return 1;
  }
  rcl_reset_error();
  TRY(rclc_executor_prepare(&executor));

  while (!probe.quit) {
    TRY(rclc_executor_spin_some(&executor, RCL_MS_TO_NS(50)));
    if (probe.drop) {
      probe.drop = false;
      TRY(rclc_executor_remove_subscription(&executor, &extra_subscription));
    }
  }

  TRY(rclc_executor_fini(&executor));
  TRY(rclc_executor_fini(&executor));  // twice is fine
  std_srvs__srv__Trigger_Response__destroy(response);
  std_srvs__srv__Trigger_Request__destroy(request);
  geometry_msgs__msg__PoseStamped__destroy(pose);
  nav_msgs__msg__OccupancyGrid__destroy(map);
  TRY(rcl_guard_condition_fini(&guard));
  TRY(rcl_timer_fini(&timer));
  TRY(rcl_service_fini(&quit_service, &node));
  TRY(rcl_service_fini(&drop_service, &node));
  TRY(rcl_service_fini(&count_service, &node));
  TRY(rcl_subscription_fini(&idle_subscription, &node));
  TRY(rcl_subscription_fini(&extra_subscription, &node));
  TRY(rcl_subscription_fini(&map_subscription, &node));
  TRY(rcl_publisher_fini(&probe.path_publisher, &node));
  TRY(rcl_node_fini(&node));
  TRY(rclc_support_fini(&support));
  return 0;
}
