// A node that uses every rclc call this package makes, for test_rclc.py to talk to. It compiles unchanged with the
// real rclc and with src/ros/rclc. The executor is compiled in, since no library holds it.
//
//   map          in   a grid; answered by a path of as many poses as the grid is wide
//   path         out
//   extra        in   counted until `drop`; both subscriptions share one callback and differ by their context
//   ~/count      srv  how often each callback ran
//   ~/drop       srv  takes `extra` out of the executor
//   ~/quit       srv  ends the program with code 0
#include <stdio.h>

#include <geometry_msgs/msg/pose_stamped.h>
#include <nav_msgs/msg/occupancy_grid.h>
#include <nav_msgs/msg/path.h>
#include <rcl/error_handling.h>
#include <rclc/rclc.h>
#include <rosidl_runtime_c/string_functions.h>
#include <std_srvs/srv/trigger.h>

#include "ros/executor.c"  // NOLINT

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
  bool quit;
  rcl_publisher_t path_publisher;
  rcl_subscription_t extra_subscription;
  ros_executor_t executor;
} probe_t;

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

static void answer(void * response_message, const char * text)
{
  std_srvs__srv__Trigger_Response * response = response_message;
  response->success = rosidl_runtime_c__String__assign(&response->message, text);
}

static void on_count(const void * request, void * response, void * context)
{
  (void)request;
  const probe_t * self = context;
  char text[80];
  snprintf(text, sizeof(text), "{\"maps\": %d, \"extras\": %d}", self->maps, self->extras);
  answer(response, text);
}

static void on_drop(const void * request, void * response, void * context)
{
  (void)request;
  probe_t * self = context;
  answer(response, ros_executor_remove(&self->executor, &self->extra_subscription) ? "dropped" : "not there");
}

static void on_quit(const void * request, void * response, void * context)
{
  (void)request;
  ((probe_t *)context)->quit = true;
  answer(response, "bye");
}

int main(int argc, char ** argv)
{
  static probe_t probe;
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
  rcl_publisher_t idle_publisher;
  TRY(rclc_publisher_init_default(&idle_publisher, &node, pose_type, "idle"));
  rcl_subscription_t map_subscription;
  TRY(rclc_subscription_init(&map_subscription, &node, grid_type, "map", &latched));
  TRY(rclc_subscription_init(&probe.extra_subscription, &node, pose_type, "extra", &rmw_qos_profile_sensor_data));
  rcl_service_t count_service, drop_service, quit_service;
  TRY(rclc_service_init_default(&count_service, &node, trigger_type, "~/count"));
  TRY(rclc_service_init_default(&drop_service, &node, trigger_type, "~/drop"));
  TRY(rclc_service_init_default(&quit_service, &node, trigger_type, "~/quit"));

  nav_msgs__msg__OccupancyGrid * map = nav_msgs__msg__OccupancyGrid__create();
  geometry_msgs__msg__PoseStamped * pose = geometry_msgs__msg__PoseStamped__create();
  std_srvs__srv__Trigger_Request * request = std_srvs__srv__Trigger_Request__create();
  std_srvs__srv__Trigger_Response * response = std_srvs__srv__Trigger_Response__create();

  ros_executor_t * executor = &probe.executor;
  TRY(ros_executor_init(executor, &(ros_executor_options_t){.context = &support.context}));
  TRY(ros_executor_add_subscription(executor, &map_subscription, &(ros_on_message_t){map, on_map, &probe}));
  TRY(ros_executor_add_subscription(executor, &probe.extra_subscription, &(ros_on_message_t){pose, on_extra, &probe}));
  TRY(ros_executor_add_service(executor, &count_service, &(ros_on_request_t){request, response, on_count, &probe}));
  TRY(ros_executor_add_service(executor, &drop_service, &(ros_on_request_t){request, response, on_drop, &probe}));
  TRY(ros_executor_add_service(executor, &quit_service, &(ros_on_request_t){request, response, on_quit, &probe}));

  while (!probe.quit) {
    TRY(ros_executor_spin_some(executor, RCL_MS_TO_NS(50)));
  }

  ros_executor_fini(executor);
  std_srvs__srv__Trigger_Response__destroy(response);
  std_srvs__srv__Trigger_Request__destroy(request);
  geometry_msgs__msg__PoseStamped__destroy(pose);
  nav_msgs__msg__OccupancyGrid__destroy(map);
  TRY(rcl_service_fini(&quit_service, &node));
  TRY(rcl_service_fini(&drop_service, &node));
  TRY(rcl_service_fini(&count_service, &node));
  TRY(rcl_subscription_fini(&probe.extra_subscription, &node));
  TRY(rcl_subscription_fini(&map_subscription, &node));
  TRY(rcl_publisher_fini(&idle_publisher, &node));
  TRY(rcl_publisher_fini(&probe.path_publisher, &node));
  TRY(rcl_node_fini(&node));
  TRY(rclc_support_fini(&support));
  return 0;
}
