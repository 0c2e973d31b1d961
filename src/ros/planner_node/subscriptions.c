// Messages into calls of the controller. See subscriptions.h.

#include "ros/planner_node/subscriptions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rmw/qos_profiles.h>

#include "base/assert.h"
#include "ros/messages.h"
#include "ros/planner_node/transforms.h"

// ---- frames and poses

static const char * frame_of(const rosidl_runtime_c__String * frame_id)
{
  return frame_id->data[0] == '/' ? frame_id->data + 1 : frame_id->data;
}

static bool is_in_map_frame(const node_site_t * site, const rosidl_runtime_c__String * frame_id)
{
  return strcmp(frame_of(frame_id), site->settings->map_frame) == 0;
}

static bool check_frame(const node_site_t * site, const rosidl_runtime_c__String * frame_id, fw_error_t * reason)
{
  return is_in_map_frame(site, frame_id) || fw__refuse_as(
                                              reason, FW_FAULT_FRAME, "its frame_id is '%.60s', not '%.60s'",
                                              frame_of(frame_id), site->settings->map_frame);
}

static fw_pose_t pose_of(const geometry_msgs__msg__Pose * pose)
{
  const geometry_msgs__msg__Quaternion * q = &pose->orientation;
  return (fw_pose_t){
    .point = {pose->position.x, pose->position.y}, .yaw = ros_yaw_of_quaternion(q->x, q->y, q->z, q->w)};
}

// A goal without orientation, with four zeros, may be reached with any yaw.
static bool has_yaw(const geometry_msgs__msg__Pose * pose)
{
  const geometry_msgs__msg__Quaternion * q = &pose->orientation;
  return q->x != 0.0 || q->y != 0.0 || q->z != 0.0 || q->w != 0.0;
}

// Of a pose that may have any yaw: NAN would mean that.
static bool check_orientation(const geometry_msgs__msg__Pose * pose, fw_error_t * reason)
{
  return isfinite(pose_of(pose).yaw) || fw__refuse(reason, "its orientation is not finite");
}

// ---- callbacks: the map and obstacles

// An occupancy grid as the controller takes it; its values are those of the message. False with a reason.
static bool read_grid(
  const node_site_t * site, const nav_msgs__msg__OccupancyGrid * grid, fw_occupancy_map_t * map, fw_error_t * reason)
{
  const nav_msgs__msg__MapMetaData * info = &grid->info;
  if (!check_frame(site, &grid->header.frame_id, reason)) {
    return false;
  }
  if ((uint64_t)info->width * info->height != grid->data.size || info->width > INT32_MAX || info->height > INT32_MAX) {
    return fw__refuse(reason, "it has %u x %u cells but %zu values", info->width, info->height, grid->data.size);
  }
  *map = (fw_occupancy_map_t){
    .width = (int32_t)info->width,
    .height = (int32_t)info->height,
    .resolution = (double)info->resolution,
    .origin = pose_of(&info->origin),
    .values = grid->data.data,
  };
  return true;
}

// The controller logs what it refuses, here and below.
static void on_map(const void * message, void * context)
{
  const node_site_t * site = ((node_subscriptions_t *)context)->site;
  fw_occupancy_map_t map = {0};
  fw_error_t reason = {0};
  if (!read_grid(site, message, &map, &reason)) {
    fw__controller_note_map_fault(site->controller->impl, reason.text);
    return;
  }
  (void)!fw_controller_set_map(site->controller, &map, node_site_now(site), NULL);
}

static void on_map_update(const void * message, void * context)
{
  const map_msgs__msg__OccupancyGridUpdate * part = message;
  const node_site_t * site = ((node_subscriptions_t *)context)->site;
  fw_error_t reason = {0};
  bool is_good = check_frame(site, &part->header.frame_id, &reason);
  if (is_good && ((uint64_t)part->width * part->height != part->data.size || part->data.size > INT32_MAX)) {
    is_good =
      fw__refuse(&reason, "an update has %u x %u cells but %zu values", part->width, part->height, part->data.size);
  }
  if (!is_good) {
    fw__controller_note_map_fault(site->controller->impl, reason.text);
    return;
  }
  const fw_map_update_t update = {
    .x = part->x,
    .y = part->y,
    .width = part->width > INT32_MAX ? -1 : (int32_t)part->width,
    .height = part->height > INT32_MAX ? -1 : (int32_t)part->height,
    .values = part->data.data,
  };
  (void)!fw_controller_update_map(site->controller, &update, node_site_now(site), NULL);
}

// A mask of 0 x 0 cells removes the mask, whatever its frame says.
static bool is_empty(const nav_msgs__msg__OccupancyGrid * grid)
{
  return grid->info.width == 0 && grid->info.height == 0 && grid->data.size == 0;
}

static void on_keepout_mask(const void * message, void * context)
{
  const node_site_t * site = ((node_subscriptions_t *)context)->site;
  fw_controller_impl_t * controller = site->controller->impl;
  fw_occupancy_map_t mask = {0};
  fw_error_t reason = {0};
  if (!is_empty(message) && !read_grid(site, message, &mask, &reason)) {
    fw__controller_note_mask_fault(controller, &controller->keepout, "keepout mask", reason.text);
    return;
  }
  (void)!fw_controller_set_keepout_mask(site->controller, &mask, node_site_now(site), NULL);
}

static void on_cost_mask(const void * message, void * context)
{
  const node_site_t * site = ((node_subscriptions_t *)context)->site;
  fw_controller_impl_t * controller = site->controller->impl;
  fw_occupancy_map_t mask = {0};
  fw_error_t reason = {0};
  if (!is_empty(message) && !read_grid(site, message, &mask, &reason)) {
    fw__controller_note_mask_fault(controller, &controller->cost_mask, "cost mask", reason.text);
    return;
  }
  (void)!fw_controller_set_cost_mask(site->controller, &mask, node_site_now(site), NULL);
}

static void on_blocked_cells(const void * message, void * context)
{
  const nav_msgs__msg__GridCells * grid = message;
  const node_site_t * site = ((node_subscriptions_t *)context)->site;
  fw_error_t reason = {0};
  if (!check_frame(site, &grid->header.frame_id, &reason)) {
    fw__controller_note_obstacle_fault(site->controller->impl, reason.text);
    return;
  }
  const int32_t count = grid->cells.size > INT32_MAX ? INT32_MAX : (int32_t)grid->cells.size;
  fw_point_t * centres = malloc((size_t)count * sizeof *centres + 1);
  if (centres == NULL) {
    fw__controller_note_obstacle_fault(site->controller->impl, "out of memory");
    return;
  }
  for (int32_t k = 0; k < count; ++k) {
    centres[k] = (fw_point_t){grid->cells.data[k].x, grid->cells.data[k].y};
  }
  const fw_obstacle_cells_t obstacles = {
    .width = (double)grid->cell_width, .height = (double)grid->cell_height, .centres = centres, .count = count};
  (void)!fw_controller_set_obstacles(site->controller, &obstacles, node_site_now(site), NULL);
  free(centres);
}

// The waypoints of a path; the caller frees them. NULL with a reason.
static fw_timed_waypoint_t * read_path(const node_site_t * site, const nav_msgs__msg__Path * path, fw_error_t * reason)
{
  fw_timed_waypoint_t * waypoints = calloc(path->poses.size + 1, sizeof *waypoints);
  bool is_good = (waypoints != NULL || fw__refuse(reason, "out of memory")) &&
                 (path->poses.size == 0 || check_frame(site, &path->header.frame_id, reason));
  for (size_t k = 0; is_good && k < path->poses.size; ++k) {
    const geometry_msgs__msg__PoseStamped * pose = &path->poses.data[k];
    is_good = pose->header.frame_id.size == 0 || check_frame(site, &pose->header.frame_id, reason);
    waypoints[k] = (fw_timed_waypoint_t){
      .stamp_ns = ros_message_time(pose->header.stamp),
      .point = {pose->pose.position.x, pose->pose.position.y},
      .yaw = NAN,
    };
  }
  if (!is_good) {
    free(waypoints);
    return NULL;
  }
  return waypoints;
}

static void on_closed_path(const void * message, void * context)
{
  const node_closure_subscription_t * closure = context;
  const node_site_t * site = closure->site;
  const nav_msgs__msg__Path * path = message;
  fw_closure_sources_t * closures = &site->controller->impl->closures;
  fw_error_t reason = {0};
  fw_timed_waypoint_t * waypoints = read_path(site, path, &reason);
  if (waypoints == NULL) {
    fw__closure_sources_note_refused(closures, &closures->sources[closure->index], &reason);
    return;
  }
  (void)!fw_controller_set_closures(
    site->controller, closure->index, waypoints, (int32_t)path->poses.size, node_site_now(site), NULL);
  free(waypoints);
}

// ---- callbacks: a robot's poses and goals

// The standard deviation of the position by a covariance; NAN if that is not possible. All zero: unknown.
static double deviation_of(const double covariance[36])
{
  const double variance = fmax(covariance[0], covariance[7]);
  return isnan(covariance[0]) || isnan(covariance[7]) || fmin(covariance[0], covariance[7]) < 0.0 ? NAN
                                                                                                  : sqrt(variance);
}

// Odometry in a frame of its own is what most robots publish; it needs the transforms that place that frame in the map.
static bool check_pose_frame(const node_site_t * site, const rosidl_runtime_c__String * frame_id, fw_error_t * reason)
{
  if (check_frame(site, frame_id, reason)) {
    return true;
  }
  if (site->settings->pose_source == NODE_POSES_ODOM) {
    const size_t used = strlen(reason->text);
    (void)snprintf(
      reason->text + used, sizeof reason->text - used, "; if tf has the transforms between them, use pose_source: tf");
  }
  return false;
}

static void report_pose(
  const node_robot_subscriptions_t * robot, const std_msgs__msg__Header * header,
  const geometry_msgs__msg__PoseWithCovariance * pose)
{
  const node_site_t * site = robot->site;
  fw_error_t reason = {0};
  if (!check_pose_frame(site, &header->frame_id, &reason)) {
    fw__controller_refuse_pose(site->controller->impl, robot->index, &reason);
    return;
  }
  const fw_pose_report_t report = {
    .pose = pose_of(&pose->pose),
    .stamp_ns = ros_message_time(header->stamp),
    .deviation = deviation_of(pose->covariance),
  };
  // What the controller refuses is the robot's fault in its diagnostics.
  (void)!fw_controller_report_pose(site->controller, robot->index, &report, node_site_now(site), NULL);
}

static void on_odometry(const void * message, void * context)
{
  const nav_msgs__msg__Odometry * odometry = message;
  report_pose(context, &odometry->header, &odometry->pose);
}

static fw_transform_t transform_of(const geometry_msgs__msg__Pose * pose)
{
  const fw_pose2d_t flat = ros_message_pose(pose);
  return fw__transform_from_pose2d(&flat);
}

// Where odometry's frame is in the map, once odometry has come as far as the last pose of AMCL.
static void place_odometry(node_robot_subscriptions_t * robot)
{
  fw_transform_t moved;
  if (
    robot->has_located && fw__transform_buffer_lookup_at(
                            &robot->moved, robot->odometry_frame, robot->base_frame, robot->located_ns, &moved)) {
    const fw_transform_t back = fw__transform_inverse(&moved);
    robot->origin = fw__transform_compose(&robot->located, &back);
    robot->has_origin = true;
    robot->has_located = false;
  }
}

static void on_amcl_pose(const void * message, void * context)
{
  const geometry_msgs__msg__PoseWithCovarianceStamped * pose = message;
  node_robot_subscriptions_t * robot = context;
  const fw_pose2d_t flat = ros_message_pose(&pose->pose.pose);
  fw_error_t reason = {0};
  if (ros_pose_is_finite(&flat) && check_frame(robot->site, &pose->header.frame_id, &reason)) {
    robot->located = transform_of(&pose->pose.pose);
    robot->located_ns = ros_message_time(pose->header.stamp);
    robot->deviation = deviation_of(pose->pose.covariance);
    robot->has_located = true;
    place_odometry(robot);
  }
  report_pose(robot, &pose->header, &pose->pose);
}

// Odometry beside amcl_pose, in whatever frame. What is not finite is dropped by the buffer.
static void on_carrying_odometry(const void * message, void * context)
{
  const nav_msgs__msg__Odometry * odometry = message;
  node_robot_subscriptions_t * robot = context;
  const node_site_t * site = robot->site;
  const fw_transform_link_t link = {
    .parent = "odom",
    .child = "base",
    .transform = transform_of(&odometry->pose.pose),
    .stamp_ns = ros_message_time(odometry->header.stamp),
  };
  robot->moved.stamp_max_ns = fw__seconds_to_ns(site->settings->controller.pose_age_max);
  const bool is_taken = fw__transform_buffer_add(&robot->moved, &link, node_site_now(site), NULL);
  place_odometry(robot);
  if (!is_taken || !robot->has_origin) {
    return;
  }
  const fw_transform_t place = fw__transform_compose(&robot->origin, &link.transform);
  const fw_pose2d_t pose = fw__transform_pose2d(&place);
  const fw_pose_report_t report = {
    .pose = {.point = {pose.x, pose.y}, .yaw = pose.yaw}, .stamp_ns = link.stamp_ns, .deviation = robot->deviation};
  (void)!fw_controller_report_pose(site->controller, robot->index, &report, node_site_now(site), NULL);
}

static bool check_active(const node_site_t * site, fw_error_t * reason)
{
  return *site->is_active || fw__refuse(reason, "planner_node is not active (`ros2 lifecycle`)");
}

// The pose of a goal in its own frame. The orientation is finite, and any length will do.
static fw_transform_t goal_transform_of(const geometry_msgs__msg__Pose * pose)
{
  const geometry_msgs__msg__Point * at = &pose->position;
  const geometry_msgs__msg__Quaternion * q = &pose->orientation;
  const double length = hypot(hypot(q->x, q->y), hypot(q->z, q->w));
  if (!(length > 0.0)) {
    return (fw_transform_t){at->x, at->y, at->z, .qw = 1.0};
  }
  return (fw_transform_t){at->x, at->y, at->z, q->x / length, q->y / length, q->z / length, q->w / length};
}

// Makes a pose in another frame one in the map. False with a reason that names both frames.
static bool transform_goal(const node_site_t * site, const node_goal_t * goal, fw_pose_t * pose, fw_error_t * reason)
{
  fw_transform_t place;
  fw_error_t missing = {0};
  const char * frame = frame_of(&goal->header->frame_id);
  if (!node_transforms_find(site->transforms, goal->robot, frame, &place, &missing)) {
    return fw__refuse_as(
      reason, FW_FAULT_FRAME, "its frame_id is '%.60s', not '%.60s': %.150s", frame, site->settings->map_frame,
      missing.text);
  }
  const fw_transform_t local = goal_transform_of(goal->pose);
  const fw_pose2d_t composed = fw__goal_frames_pose(&place, &local, has_yaw(goal->pose));
  *pose = (fw_pose_t){.point = {composed.x, composed.y}, .yaw = composed.yaw};
  return true;
}

bool node_read_goal(
  const node_site_t * site, const node_goal_t * goal, fw_goal_request_t * request, fw_error_t * reason)
{
  *request = (fw_goal_request_t){.pose = pose_of(goal->pose)};
  if (!check_active(site, reason) || !check_orientation(goal->pose, reason)) {
    return false;
  }
  if (!is_in_map_frame(site, &goal->header->frame_id)) {
    return transform_goal(site, goal, &request->pose, reason);
  }
  request->pose.yaw = has_yaw(goal->pose) ? request->pose.yaw : NAN;
  return true;
}

void node_request_goal(const node_site_t * site, int32_t robot, const geometry_msgs__msg__PoseStamped * goal)
{
  fw_error_t reason = {0};
  fw_goal_request_t request;
  if (!node_read_goal(site, &(node_goal_t){robot, &goal->header, &goal->pose}, &request, &reason)) {
    fw__controller_refuse_goal(site->controller->impl, robot, &reason);
    return;
  }
  (void)!fw_controller_request_goal(site->controller, robot, &request, node_site_now(site), NULL, NULL);
}

static void on_goal(const void * message, void * context)
{
  const node_robot_subscriptions_t * robot = context;
  node_request_goal(robot->site, robot->index, message);
}

#if NODE_HAS_GOALS
static void cancel_goals(const node_robot_subscriptions_t * robot)
{
  const node_site_t * site = robot->site;
  if (node_site_impl(site)->fleet.robots[robot->index].goal_count > 0) {
    fw_controller_cancel_goals(site->controller, robot->index, node_site_now(site));
  }
}

static void on_goals(const void * message, void * context)
{
  const nav_msgs__msg__Goals * goals = message;
  const node_robot_subscriptions_t * robot = context;
  const int32_t count = (int32_t)goals->goals.size;
  if (count == 0) {
    cancel_goals(robot);
    return;
  }
  fw_error_t reason = {0};
  fw_goal_request_t * requests = calloc((size_t)count + 1, sizeof *requests);
  bool is_good = requests != NULL || fw__refuse(&reason, "out of memory");
  for (int32_t k = 0; is_good && k < count; ++k) {
    const geometry_msgs__msg__PoseStamped * goal = &goals->goals.data[k];
    const std_msgs__msg__Header * header = goal->header.frame_id.size > 0 ? &goal->header : &goals->header;
    is_good = node_read_goal(robot->site, &(node_goal_t){robot->index, header, &goal->pose}, &requests[k], &reason);
  }
  if (is_good) {
    (void)!fw_controller_request_goals(
      robot->site->controller, robot->index, requests, count, node_site_now(robot->site), NULL, NULL);
  } else {
    fw__controller_refuse_goal(robot->site->controller->impl, robot->index, &reason);
  }
  free(requests);
}
#endif

// ---- subscribing

typedef struct subscription_spec_t {
  rcl_subscription_t * subscription;
  const rosidl_message_type_support_t * type;
  const char * robot;  // namespace of a robot or source; NULL: the node's own
  const char * topic;
  rmw_qos_profile_t qos;
  void * message;  // into which the executor takes
  void (*callback)(const void * message, void * context);
  void * context;
  ros_qos_watch_t * watch;  // warns of publishers that cannot be heard; NULL: any publisher can
} subscription_spec_t;

static bool subscribe(node_subscriptions_t * self, const subscription_spec_t * spec)
{
  char topic[2 * FW_NAME_SIZE];
  const char * robot = spec->robot == NULL ? "" : spec->robot;
  (void)snprintf(topic, sizeof topic, "%s%s%s", robot, spec->robot == NULL ? "" : "/", spec->topic);
  *spec->subscription = rcl_get_zero_initialized_subscription();
  if (
    rclc_subscription_init(spec->subscription, &self->site->session->node, spec->type, topic, &spec->qos) !=
      RCL_RET_OK ||
    ros_executor_add_subscription(
      self->executor, spec->subscription, &(ros_on_message_t){spec->message, spec->callback, spec->context}) !=
      RCL_RET_OK) {
    return false;
  }
  if (spec->watch != NULL) {
    const ros_qos_watch_options_t options = {self->executor, spec->subscription, self->site->log};
    ros_qos_watch_begin(spec->watch, &options);
  }
  return true;
}

static void unsubscribe(node_subscriptions_t * self, rcl_subscription_t * subscription, ros_qos_watch_t * watch)
{
  if (watch != NULL) {
    ros_qos_watch_end(watch);
  }
  (void)ros_executor_remove(self->executor, subscription);  // not there if subscribing failed
  ros_session_fini_subscription(self->site->session, subscription);
}

static bool subscribe_to_robot(node_subscriptions_t * self, node_robot_subscriptions_t * robot)
{
  if (
    !nav_msgs__msg__Odometry__init(&robot->odometry) ||
    !geometry_msgs__msg__PoseWithCovarianceStamped__init(&robot->amcl_pose) ||
    !geometry_msgs__msg__PoseStamped__init(&robot->goal_pose)) {
    return false;
  }
  const subscription_spec_t odometry = {
    &robot->pose,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry),
    robot->name,
    "odom",
    ros_qos(5, false, false),
    &robot->odometry,
    on_odometry,
    robot,
    NULL};
  const subscription_spec_t amcl_pose = {
    &robot->pose,
    ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseWithCovarianceStamped),
    robot->name,
    "amcl_pose",
    ros_qos(1, true, true),
    &robot->amcl_pose,
    on_amcl_pose,
    robot,
    &robot->pose_watch};
  const subscription_spec_t carrying = {
    &robot->carrying,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry),
    robot->name,
    "odom",
    ros_qos(5, false, false),
    &robot->odometry,
    on_carrying_odometry,
    robot,
    NULL};
  const subscription_spec_t goal = {
    &robot->goal,
    ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped),
    robot->name,
    "goal_pose",
    ros_qos(10, true, false),
    &robot->goal_pose,
    on_goal,
    robot,
    &robot->goal_watch};
  const node_pose_source_t source = self->site->settings->pose_source;
  robot->pose = rcl_get_zero_initialized_subscription();  // with tf there is none
  robot->carrying = rcl_get_zero_initialized_subscription();
  if (source == NODE_POSES_AMCL) {
    robot->odometry_frame = fw__transform_buffer_watch_root(&robot->moved, "odom");
    robot->base_frame = fw__transform_buffer_watch(&robot->moved, "base");
  }
  if (
    robot->odometry_frame < 0 || robot->base_frame < 0 ||
    (source != NODE_POSES_TF && !subscribe(self, source == NODE_POSES_AMCL ? &amcl_pose : &odometry)) ||
    (source == NODE_POSES_AMCL && !subscribe(self, &carrying)) || !subscribe(self, &goal)) {
    return false;
  }
#if NODE_HAS_GOALS
  const subscription_spec_t goals = {
    &robot->goals,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Goals),
    robot->name,
    "goals",
    ros_qos(10, true, false),
    &robot->goal_list,
    on_goals,
    robot,
    &robot->goals_watch};
  return nav_msgs__msg__Goals__init(&robot->goal_list) && subscribe(self, &goals);
#else
  return true;
#endif
}

static void unsubscribe_from_robot(node_subscriptions_t * self, node_robot_subscriptions_t * robot)
{
  unsubscribe(self, &robot->pose, &robot->pose_watch);
  unsubscribe(self, &robot->carrying, NULL);
  unsubscribe(self, &robot->goal, &robot->goal_watch);
#if NODE_HAS_GOALS
  unsubscribe(self, &robot->goals, &robot->goals_watch);
#endif
  fw__transform_buffer_fini(&robot->moved);
  nav_msgs__msg__Odometry__fini(&robot->odometry);
  geometry_msgs__msg__PoseWithCovarianceStamped__fini(&robot->amcl_pose);
  geometry_msgs__msg__PoseStamped__fini(&robot->goal_pose);
#if NODE_HAS_GOALS
  nav_msgs__msg__Goals__fini(&robot->goal_list);
#endif
  *robot = (node_robot_subscriptions_t){0};
}

static bool subscribe_to_closures(node_subscriptions_t * self)
{
  const fw_closure_sources_t * closures = &node_site_impl(self->site)->closures;
  self->closures = calloc((size_t)closures->count + 1, sizeof *self->closures);
  if (self->closures == NULL) {
    return false;
  }
  for (int32_t k = 0; k < closures->count; ++k) {
    node_closure_subscription_t * closure = &self->closures[k];
    closure->site = self->site;
    closure->index = k;
    const subscription_spec_t path = {
      &closure->subscription,
      ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path),
      closures->sources[k].name,
      "closed_path",
      ros_qos(1, true, true),
      &closure->path,
      on_closed_path,
      closure,
      &closure->watch};
    self->closure_count = k + 1;
    if (!nav_msgs__msg__Path__init(&closure->path) || !subscribe(self, &path)) {
      return false;
    }
  }
  return true;
}

// The masks over the map, and updates of it.
static bool subscribe_to_layers(node_subscriptions_t * self)
{
  const subscription_spec_t update = {
    &self->map_update,
    ROSIDL_GET_MSG_TYPE_SUPPORT(map_msgs, msg, OccupancyGridUpdate),
    NULL,
    "map_updates",
    ros_qos(100, true, false),
    &self->map_update_message,
    on_map_update,
    self,
    NULL};
  const subscription_spec_t keepout = {
    &self->keepout_mask,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid),
    NULL,
    "keepout_mask",
    ros_qos(1, true, true),
    &self->keepout_message,
    on_keepout_mask,
    self,
    &self->keepout_watch};
  const subscription_spec_t costs = {
    &self->cost_mask,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid),
    NULL,
    "cost_mask",
    ros_qos(1, true, true),
    &self->cost_message,
    on_cost_mask,
    self,
    &self->cost_watch};
  return map_msgs__msg__OccupancyGridUpdate__init(&self->map_update_message) &&
         nav_msgs__msg__OccupancyGrid__init(&self->keepout_message) &&
         nav_msgs__msg__OccupancyGrid__init(&self->cost_message) && subscribe(self, &update) &&
         subscribe(self, &keepout) && subscribe(self, &costs);
}

// ---- life

bool node_subscriptions_init(node_subscriptions_t * self)
{
  FW_ASSERT(self->site != NULL && self->executor != NULL);
  const subscription_spec_t map = {
    &self->map,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid),
    NULL,
    "map",
    ros_qos(1, true, true),
    &self->map_message,
    on_map,
    self,
    &self->map_watch};
  const subscription_spec_t blocked = {
    &self->blocked,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, GridCells),
    NULL,
    "blocked_cells",
    ros_qos(10, true, false),
    &self->blocked_message,
    on_blocked_cells,
    self,
    &self->blocked_watch};
  return nav_msgs__msg__OccupancyGrid__init(&self->map_message) &&
         nav_msgs__msg__GridCells__init(&self->blocked_message) && subscribe(self, &map) && subscribe(self, &blocked) &&
         subscribe_to_layers(self) && node_subscriptions_read_robots(self) && subscribe_to_closures(self);
}

static bool reserve_robots(node_subscriptions_t * self, int32_t count)
{
  node_robot_subscriptions_t ** robots = realloc(self->robots, ((size_t)count + 1) * sizeof *robots);
  if (robots == NULL) {
    return false;
  }
  self->robots = robots;
  for (; self->robot_count < count; ++self->robot_count) {
    robots[self->robot_count] = calloc(1, sizeof **robots);
    if (robots[self->robot_count] == NULL) {
      return false;
    }
  }
  return true;
}

bool node_subscriptions_read_robots(node_subscriptions_t * self)
{
  const fw_controller_fleet_t * fleet = &node_site_impl(self->site)->fleet;
  if (!reserve_robots(self, fleet->count)) {
    return false;
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    node_robot_subscriptions_t * robot = self->robots[k];
    const char * name = fleet->robots[k].name;
    if (strcmp(robot->name, name) == 0) {
      continue;
    }
    if (robot->name[0] != '\0') {
      unsubscribe_from_robot(self, robot);
    }
    if (name[0] != '\0') {
      (void)fw__name_copy(robot->name, name);
      robot->site = self->site;
      robot->index = k;
      if (!subscribe_to_robot(self, robot)) {
        return false;
      }
    }
  }
  return true;
}

void node_subscriptions_clear(node_subscriptions_t * self)
{
  for (int32_t k = 0; k < self->robot_count; ++k) {
    fw__transform_buffer_clear(&self->robots[k]->moved);
    self->robots[k]->has_origin = false;
    self->robots[k]->has_located = false;
  }
}

void node_subscriptions_fini(node_subscriptions_t * self)
{
  if (self->site == NULL) {
    return;
  }
  unsubscribe(self, &self->map, &self->map_watch);
  unsubscribe(self, &self->blocked, &self->blocked_watch);
  unsubscribe(self, &self->map_update, NULL);
  unsubscribe(self, &self->keepout_mask, &self->keepout_watch);
  unsubscribe(self, &self->cost_mask, &self->cost_watch);
  for (int32_t k = self->robot_count - 1; k >= 0; --k) {  // see node_actions_fini
    if (self->robots[k]->name[0] != '\0') {
      unsubscribe_from_robot(self, self->robots[k]);
    }
    free(self->robots[k]);
  }
  for (int32_t k = 0; k < self->closure_count; ++k) {
    unsubscribe(self, &self->closures[k].subscription, &self->closures[k].watch);
    nav_msgs__msg__Path__fini(&self->closures[k].path);
  }
  nav_msgs__msg__OccupancyGrid__fini(&self->map_message);
  nav_msgs__msg__GridCells__fini(&self->blocked_message);
  map_msgs__msg__OccupancyGridUpdate__fini(&self->map_update_message);
  nav_msgs__msg__OccupancyGrid__fini(&self->keepout_message);
  nav_msgs__msg__OccupancyGrid__fini(&self->cost_message);
  free(self->closures);
  free(self->robots);
  *self = (node_subscriptions_t){0};
}
