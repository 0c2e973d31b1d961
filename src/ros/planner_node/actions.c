// NavigateToPose for each robot. See actions.h.

#include "ros/planner_node/actions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>

#include "base/assert.h"
#include "ros/messages.h"
#include "ros/planner_node/publishers.h"
#include "ros/planner_node/subscriptions.h"

static const int64_t FEEDBACK_NS = 250000000;
static const int64_t EXPIRY_NS = 1000000000;
static const int64_t LEAVING_NS = 5000000000;  // how long the server of a robot that has left stays
enum {
  LEAVING_MAX = 64,  // servers of robots that have left
  EXPIRED_AT_ONCE = 16,
  KEPT_GOALS_MAX = 1000,   // of a robot: running, and ended ones whose results are kept. Each status message lists them
  KEPT_REQUESTS_MAX = 64,  // for the result of a goal: more clients than a goal has
};

static void log_failure(const node_action_server_t * server, const char * what)
{
  ros_log_printf(
    server->actions->site->log, RCUTILS_LOG_SEVERITY_ERROR, "%s/navigate_to_pose: cannot %s: %.200s", server->name,
    what, rcl_error_is_set() ? rcl_get_error_string().str : "no reason given");
  rcl_reset_error();
}

// ---- goals of a server

static node_action_goal_t * find_goal(const node_action_server_t * server, const uint8_t uuid[UUID_SIZE])
{
  node_action_goal_t * goal = server->goals;
  while (goal != NULL && memcmp(goal->uuid, uuid, UUID_SIZE) != 0) {
    goal = goal->next;
  }
  return goal;
}

static node_action_goal_t * find_live_goal(const node_action_server_t * server, uint64_t id)
{
  node_action_goal_t * goal = server->goals;
  while (goal != NULL && (goal->id != id || goal->has_ended)) {
    goal = goal->next;
  }
  return goal;
}

// rcl does not know the goal any more.
static void free_goal(node_action_goal_t * goal)
{
  if (rcl_action_goal_handle_fini(&goal->handle) != RCL_RET_OK) {
    rcl_reset_error();
  }
  free(goal->requests);
  free(goal);
}

static void forget_goal(node_action_server_t * server, const uint8_t uuid[UUID_SIZE])
{
  for (node_action_goal_t ** link = &server->goals; *link != NULL; link = &(*link)->next) {
    node_action_goal_t * goal = *link;
    if (memcmp(goal->uuid, uuid, UUID_SIZE) == 0) {
      *link = goal->next;
      server->goal_count -= 1;
      free_goal(goal);
      return;
    }
  }
}

static void publish_status(const node_action_server_t * server)
{
  rcl_action_goal_status_array_t status = rcl_action_get_zero_initialized_goal_status_array();
  if (
    rcl_action_get_goal_status_array(&server->server, &status) != RCL_RET_OK ||
    rcl_action_publish_status(&server->server, &status.msg) != RCL_RET_OK) {
    log_failure(server, "publish the status");
  }
  if (status.msg.status_list.data != NULL && rcl_action_goal_status_array_fini(&status) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

static void update_state(const node_action_server_t * server, node_action_goal_t * goal, rcl_action_goal_event_t event)
{
  if (rcl_action_update_goal_state(&goal->handle, event) != RCL_RET_OK) {
    log_failure(server, "change the state of a goal");
  }
}

// ---- results

// NULL: there is no such goal, or not any more.
static void send_result(node_action_server_t * server, const node_action_goal_t * goal, rmw_request_id_t * request)
{
  nav2_msgs__action__NavigateToPose_GetResult_Response * response = &server->actions->result_response;
  response->status = goal == NULL ? (int8_t)GOAL_STATE_UNKNOWN : goal->status;
  response->result.error_code = goal == NULL ? 0 : (uint16_t)goal->fault;
  (void)node_string_set(&response->result.error_msg, goal == NULL ? "there is no such goal" : goal->text);
  if (rcl_action_send_result_response(&server->server, request, response) != RCL_RET_OK) {
    log_failure(server, "send a result");  // the client can ask again
  }
}

// The request of a client that asks for the result of a goal before its end. False if there is no memory.
static bool keep_request(node_action_goal_t * goal, const rmw_request_id_t * request)
{
  if (goal->request_count == KEPT_REQUESTS_MAX) {  // the oldest goes: who asks again and again has given up on it
    memmove(goal->requests, goal->requests + 1, (KEPT_REQUESTS_MAX - 1) * sizeof *goal->requests);
    goal->requests[KEPT_REQUESTS_MAX - 1] = *request;
    return true;
  }
  rmw_request_id_t * requests = realloc(goal->requests, ((size_t)goal->request_count + 1) * sizeof *requests);
  if (requests == NULL) {
    return false;
  }
  goal->requests = requests;
  requests[goal->request_count++] = *request;
  return true;
}

// How a goal ends.
typedef struct goal_end_t {
  rcl_action_goal_event_t event;
  int8_t status;
  fw_fault_t fault;
  const char * text;
} goal_end_t;

static void end_goal(node_action_server_t * server, node_action_goal_t * goal, const goal_end_t * end)
{
  FW_ASSERT(!goal->has_ended);
  if (end->event == GOAL_EVENT_CANCELED && rcl_action_goal_handle_is_cancelable(&goal->handle)) {
    update_state(server, goal, GOAL_EVENT_CANCEL_GOAL);  // nobody asked this server for it
  }
  update_state(server, goal, end->event);
  goal->has_ended = true;
  goal->status = end->status;
  goal->fault = end->fault;
  (void)snprintf(goal->text, sizeof goal->text, "%s", end->text);
  if (rcl_action_notify_goal_done(&server->server) != RCL_RET_OK) {
    log_failure(server, "note the end of a goal");
  }
  publish_status(server);
  for (int32_t k = 0; k < goal->request_count; ++k) {
    send_result(server, goal, &goal->requests[k]);
  }
  free(goal->requests);
  goal->requests = NULL;
  goal->request_count = 0;
}

static void end_by_event(node_action_server_t * server, node_action_goal_t * goal, const fw_goal_event_t * event)
{
  const goal_end_t reached = {GOAL_EVENT_SUCCEED, GOAL_STATE_SUCCEEDED, FW_FAULT_NONE, ""};
  const goal_end_t failed = {GOAL_EVENT_ABORT, GOAL_STATE_ABORTED, event->fault, event->text};
  const goal_end_t replaced = {GOAL_EVENT_ABORT, GOAL_STATE_ABORTED, FW_FAULT_NONE, "replaced by a newer goal"};
  const bool is_asked_for = !rcl_action_goal_handle_is_cancelable(&goal->handle);
  const goal_end_t cancelled = {
    GOAL_EVENT_CANCELED, GOAL_STATE_CANCELED, FW_FAULT_NONE,
    is_asked_for ? "" : "cancelled by another client, or the robot has left the fleet"};
  switch (event->kind) {
    case FW_GOAL_REACHED:
      end_goal(server, goal, &reached);
      break;
    case FW_GOAL_FAILED:
      end_goal(server, goal, &failed);
      break;
    case FW_GOAL_REPLACED:
      end_goal(server, goal, &replaced);
      break;
    case FW_GOAL_CANCELLED:
      end_goal(server, goal, &cancelled);
      break;
    case FW_GOAL_ACCEPTED:
    case FW_GOAL_ACTIVE:
      break;
  }
}

void node_actions_tell(node_actions_t * self, const fw_goal_event_t * event)
{
  if (event->robot < 0 || event->robot >= self->server_count) {
    return;  // told again after a restart: its client knows another server
  }
  node_action_server_t * server = self->servers[event->robot];
  node_action_goal_t * goal = find_live_goal(server, event->id);
  if (goal != NULL) {
    end_by_event(server, goal, event);
  }
}

// ---- requests

// Adds a goal that the controller has accepted. NULL if that fails.
static node_action_goal_t * add_goal(node_action_server_t * server, uint64_t id, fw_point_t point)
{
  const nav2_msgs__action__NavigateToPose_SendGoal_Request * request = &server->actions->goal_request;
  node_action_goal_t * goal = calloc(1, sizeof *goal);
  if (goal == NULL) {
    RCL_SET_ERROR_MSG("out of memory");
    return NULL;
  }
  rcl_action_goal_info_t info = rcl_action_get_zero_initialized_goal_info();
  memcpy(info.goal_id.uuid, request->goal_id.uuid, UUID_SIZE);
  const rcl_action_goal_handle_t * handle = rcl_action_accept_new_goal(&server->server, &info);
  if (handle == NULL) {
    free(goal);
    return NULL;
  }
  goal->handle = *handle;
  goal->id = id;
  goal->begin_ns = node_site_now(server->actions->site);
  goal->point = point;
  memcpy(goal->uuid, request->goal_id.uuid, UUID_SIZE);
  goal->next = server->goals;
  server->goals = goal;
  server->goal_count += 1;
  update_state(server, goal, GOAL_EVENT_EXECUTE);
  return goal;
}

static bool accept_goal(node_action_server_t * server, fw_error_t * reason)
{
  const node_site_t * site = server->actions->site;
  const nav2_msgs__action__NavigateToPose_SendGoal_Request * message = &server->actions->goal_request;
  fw_goal_request_t request = {0};
  uint64_t id = 0;
  if (server->index < 0) {
    return fw__refuse(reason, "the robot has left the fleet");
  }
  if (find_goal(server, message->goal_id.uuid) != NULL) {
    return fw__refuse(reason, "its id has been used before");
  }
  if (server->goal_count >= KEPT_GOALS_MAX) {
    return fw__refuse(
      reason, "the results of %d goals are kept, which is the most (action_result_timeout)", server->goal_count);
  }
  const geometry_msgs__msg__PoseStamped * pose = &message->goal.pose;
  if (!node_read_goal(site, &(node_goal_t){server->index, &pose->header, &pose->pose}, &request, reason)) {
    fw__controller_refuse_goal(site->controller->impl, server->index, reason);
    return false;
  }
  const int64_t now_ns = node_site_now(site);
  if (fw_controller_request_goal(site->controller, server->index, &request, now_ns, &id, reason) != FW_RET_OK) {
    return false;
  }
  if (add_goal(server, id, request.pose.point) == NULL) {
    (void)fw__refuse(reason, "%.200s", rcl_get_error_string().str);
    rcl_reset_error();
    (void)!fw_controller_cancel_goal(site->controller, id, now_ns, NULL);
    return false;
  }
  return true;
}

static ros_work_t take_goal(void * context)
{
  node_action_server_t * server = context;
  rmw_request_id_t header;
  const rcl_ret_t ret = rcl_action_take_goal_request(&server->server, &header, &server->actions->goal_request);
  if (ret != RCL_RET_OK) {
    if (ret != RCL_RET_ACTION_SERVER_TAKE_FAILED) {
      return ROS_WORK_FAILED;
    }
    rcl_reset_error();
    return ROS_WORK_NONE;
  }
  fw_error_t reason = {0};
  nav2_msgs__action__NavigateToPose_SendGoal_Response response = {
    .accepted = accept_goal(server, &reason),
    .stamp = ros_message_stamp(node_site_now(server->actions->site)),
  };
  if (!response.accepted) {
    ros_log_printf(
      server->actions->site->log, RCUTILS_LOG_SEVERITY_WARN, "%s/navigate_to_pose: goal rejected, error %d: %.200s",
      server->name, (int)(reason.fault == FW_FAULT_NONE ? FW_FAULT_INVALID : reason.fault), reason.text);
  }
  if (rcl_action_send_goal_response(&server->server, &header, &response) != RCL_RET_OK) {
    log_failure(server, "answer a goal request");
  }
  if (response.accepted) {
    publish_status(server);
  }
  return ROS_WORK_DONE;
}

// Cancels what rcl has found to be asked for; what has just ended otherwise leaves the list.
static void cancel_goals(node_action_server_t * server, rcl_action_cancel_response_t * response)
{
  const node_site_t * site = server->actions->site;
  action_msgs__msg__GoalInfo__Sequence * list = &response->msg.goals_canceling;
  size_t kept = 0;
  for (size_t k = 0; k < list->size; ++k) {
    node_action_goal_t * goal = find_goal(server, list->data[k].goal_id.uuid);
    if (goal != NULL && fw_controller_cancel_goal(site->controller, goal->id, node_site_now(site), NULL) == FW_RET_OK) {
      update_state(server, goal, GOAL_EVENT_CANCEL_GOAL);
      list->data[kept++] = list->data[k];
    }
  }
  if (kept == 0 && list->size > 0) {
    response->msg.return_code = action_msgs__srv__CancelGoal_Response__ERROR_REJECTED;
  }
  list->size = kept;
}

static ros_work_t take_cancel(void * context)
{
  node_action_server_t * server = context;
  rmw_request_id_t header;
  const rcl_ret_t ret = rcl_action_take_cancel_request(&server->server, &header, &server->actions->cancel_request);
  if (ret != RCL_RET_OK) {
    if (ret != RCL_RET_ACTION_SERVER_TAKE_FAILED) {
      return ROS_WORK_FAILED;
    }
    rcl_reset_error();
    return ROS_WORK_NONE;
  }
  rcl_action_cancel_response_t response = rcl_action_get_zero_initialized_cancel_response();
  if (rcl_action_process_cancel_request(&server->server, &server->actions->cancel_request, &response) != RCL_RET_OK) {
    return ROS_WORK_FAILED;
  }
  const bool owns_list = response.msg.goals_canceling.data != NULL;
  cancel_goals(server, &response);
  if (rcl_action_send_cancel_response(&server->server, &header, &response.msg) != RCL_RET_OK) {
    log_failure(server, "answer a cancel request");
  }
  if (response.msg.goals_canceling.size > 0) {
    publish_status(server);
  }
  if (owns_list && rcl_action_cancel_response_fini(&response) != RCL_RET_OK) {
    rcl_reset_error();
  }
  return ROS_WORK_DONE;
}

static ros_work_t take_result(void * context)
{
  node_action_server_t * server = context;
  rmw_request_id_t header;
  const rcl_ret_t ret = rcl_action_take_result_request(&server->server, &header, &server->actions->result_request);
  if (ret != RCL_RET_OK) {
    if (ret != RCL_RET_ACTION_SERVER_TAKE_FAILED) {
      return ROS_WORK_FAILED;
    }
    rcl_reset_error();
    return ROS_WORK_NONE;
  }
  node_action_goal_t * goal = find_goal(server, server->actions->result_request.goal_id.uuid);
  if (goal == NULL || goal->has_ended) {
    send_result(server, goal, &header);
  } else if (!keep_request(goal, &header)) {
    RCL_SET_ERROR_MSG("out of memory");
    return ROS_WORK_FAILED;
  }
  return ROS_WORK_DONE;
}

// ---- what is due

static builtin_interfaces__msg__Duration duration(double seconds)
{
  const double whole = floor(seconds);
  return (builtin_interfaces__msg__Duration){.sec = (int32_t)whole, .nanosec = (uint32_t)((seconds - whole) * 1e9)};
}

static void publish_feedback(node_action_server_t * server, const node_action_goal_t * goal)
{
  static const double longest_seconds = 1e9;
  node_actions_t * self = server->actions;
  const int64_t now_ns = node_site_now(self->site);
  const fw_controller_robot_status_t status = fw_controller_robot_status(self->site->controller, server->index, now_ns);
  if (status.goal != goal->id || !status.has_pose) {
    return;
  }
  nav2_msgs__action__NavigateToPose_Feedback * feedback = &self->feedback.feedback;
  memcpy(self->feedback.goal_id.uuid, goal->uuid, UUID_SIZE);
  feedback->current_pose.header.stamp = ros_message_stamp(now_ns);
  (void)node_string_set(&feedback->current_pose.header.frame_id, self->site->settings->map_frame);
  feedback->current_pose.pose.position.x = status.pose.point.x;
  feedback->current_pose.pose.position.y = status.pose.point.y;
  feedback->current_pose.pose.orientation = ros_message_orientation(status.pose.yaw);
  const double since = (double)(now_ns - goal->begin_ns) * 1e-9;
  feedback->navigation_time = duration(fmin(fmax(since, 0.0), longest_seconds));
  // As in Nav2, 0 while it is not known.
  const bool is_known = isfinite(status.seconds_remaining);
  feedback->estimated_time_remaining =
    duration(is_known ? fmin(fmax(status.seconds_remaining, 0.0), longest_seconds) : 0.0);
  // While there is no plan, the path has no length.
  const double straight = fw__point_distance(status.pose.point, goal->point);
  feedback->distance_remaining = (float)fmax(status.distance_remaining, straight);
  if (rcl_action_publish_feedback(&server->server, &self->feedback) != RCL_RET_OK) {
    log_failure(server, "publish feedback");
  }
}

static void expire_goals(node_action_server_t * server)
{
  rcl_action_goal_info_t expired[EXPIRED_AT_ONCE];
  size_t count = EXPIRED_AT_ONCE;
  while (count == EXPIRED_AT_ONCE) {
    if (rcl_action_expire_goals(&server->server, expired, EXPIRED_AT_ONCE, &count) != RCL_RET_OK) {
      log_failure(server, "forget old results");
      return;
    }
    for (size_t k = 0; k < count; ++k) {
      forget_goal(server, expired[k].goal_id.uuid);
    }
  }
}

// ---- life

// In place of ros_executor_announce while a server ends; see executor.c why not NULL.
static void ignore(const void * user_data, size_t count)
{
  (void)user_data;
  (void)count;
}

static bool set_announcement(const node_action_server_t * server, size_t service, rcl_event_callback_t callback)
{
  static rcl_ret_t (*const set[NODE_ACTION_SERVICE_COUNT])(
    const rcl_action_server_t *, rcl_event_callback_t, const void *) = {
    rcl_action_server_set_goal_service_callback,
    rcl_action_server_set_cancel_service_callback,
    rcl_action_server_set_result_service_callback,
  };
  const rcl_ret_t ret = set[service](&server->server, callback, server->waitables[service]);
  if (ret == RCL_RET_UNSUPPORTED) {
    rcl_reset_error();  // the executor uses a wait set and polls
    return true;
  }
  return ret == RCL_RET_OK;
}

static bool start_server(node_action_server_t * server)
{
  static ros_work_t (*const takes[NODE_ACTION_SERVICE_COUNT])(void *) = {take_goal, take_cancel, take_result};
  node_actions_t * self = server->actions;
  rcl_action_server_options_t options = rcl_action_server_get_default_options();
  options.result_timeout.nanoseconds = fw__seconds_to_ns(self->site->settings->action_result_timeout);
  char name[ROS_TOPIC_SIZE + FW_NAME_SIZE];
  (void)snprintf(name, sizeof name, "%s/navigate_to_pose", server->name);
  server->server = rcl_action_get_zero_initialized_server();
  if (
    rcl_action_server_init(
      &server->server, &self->site->session->node, &self->site->clock->clock,
      ROSIDL_GET_ACTION_TYPE_SUPPORT(nav2_msgs, NavigateToPose), name, &options) != RCL_RET_OK) {
    return false;
  }
  for (size_t k = 0; k < NODE_ACTION_SERVICE_COUNT; ++k) {
    server->waitables[k] = ros_executor_add_waitable(self->executor, &(ros_waitable_t){takes[k], server});
    if (server->waitables[k] == NULL || !set_announcement(server, k, ros_executor_announce)) {
      return false;
    }
  }
  return true;
}

// True if a client waited for the end of one.
static bool abort_goals(node_action_server_t * server)
{
  static const goal_end_t gone = {
    GOAL_EVENT_ABORT, GOAL_STATE_ABORTED, FW_FAULT_NONE,
    "planner_node has ended; with a journal the robot continues when it is back"};
  bool has_told = false;
  for (node_action_goal_t * goal = server->goals; goal != NULL; goal = goal->next) {
    if (!goal->has_ended) {
      has_told = has_told || goal->request_count > 0;
      end_goal(server, goal, &gone);
    }
  }
  return has_told;
}

bool node_actions_abort(node_actions_t * self)
{
  bool has_told = self->leaving != NULL;
  for (int32_t k = 0; k < self->server_count; ++k) {
    has_told = abort_goals(self->servers[k]) || has_told;
  }
  return has_told;
}

static void end_server(node_action_server_t * server)
{
  const bool has_server = rcl_action_server_is_valid_except_context(&server->server);
  rcl_reset_error();
  (void)abort_goals(server);
  for (size_t k = 0; k < NODE_ACTION_SERVICE_COUNT; ++k) {
    if (server->waitables[k] != NULL) {
      if (has_server && !set_announcement(server, k, ignore)) {
        rcl_reset_error();
      }
      (void)ros_executor_remove(server->actions->executor, server->waitables[k]);
    }
  }
  if (rcl_action_server_fini(&server->server, &server->actions->site->session->node) != RCL_RET_OK) {
    rcl_reset_error();
  }
  while (server->goals != NULL) {
    node_action_goal_t * goal = server->goals;
    server->goals = goal->next;
    free_goal(goal);
  }
  *server = (node_action_server_t){0};
}

static void end_first_leaving(node_actions_t * self)
{
  node_action_server_t * server = self->leaving;
  self->leaving = server->next_leaving;
  self->leaving_count -= 1;
  end_server(server);
  free(server);
}

// The robot of a server has left: the server ends later, and its place in the list is empty.
static void let_server_leave(node_actions_t * self, int32_t k)
{
  node_action_server_t * server = self->servers[k];
  node_action_server_t * empty = calloc(1, sizeof *empty);
  if (empty == NULL) {
    end_server(server);
    return;
  }
  if (self->leaving_count == LEAVING_MAX) {
    end_first_leaving(self);
  }
  self->servers[k] = empty;
  (void)abort_goals(server);
  server->index = -1;
  server->end_ns = fw_clock_now_ns() + LEAVING_NS;
  server->next_leaving = NULL;
  node_action_server_t ** link = &self->leaving;
  while (*link != NULL) {
    link = &(*link)->next_leaving;
  }
  *link = server;
  self->leaving_count += 1;
}

// True if the server of a robot that has left and come back is there again.
static bool take_server_back(node_actions_t * self, int32_t k, const char * name)
{
  for (node_action_server_t ** link = &self->leaving; *link != NULL; link = &(*link)->next_leaving) {
    node_action_server_t * server = *link;
    if (strcmp(server->name, name) == 0) {
      *link = server->next_leaving;
      self->leaving_count -= 1;
      server->index = k;
      free(self->servers[k]);
      self->servers[k] = server;
      return true;
    }
  }
  return false;
}

static bool reserve_servers(node_actions_t * self, int32_t count)
{
  node_action_server_t ** servers = realloc(self->servers, ((size_t)count + 1) * sizeof *servers);
  if (servers == NULL) {
    return false;
  }
  self->servers = servers;
  for (; self->server_count < count; ++self->server_count) {
    servers[self->server_count] = calloc(1, sizeof **servers);
    if (servers[self->server_count] == NULL) {
      return false;
    }
  }
  return true;
}

// Whether the fleet is small enough for servers; says so when that changes. A server takes eight endpoints of DDS, and
// the time to start them grows with their square: see docs/benchmarks.md.
static bool decide(node_actions_t * self, const fw_controller_fleet_t * fleet)
{
  int32_t listed = 0;
  for (int32_t k = 0; k < fleet->count; ++k) {
    listed += fw__controlled_robot_is_listed(&fleet->robots[k]) ? 1 : 0;
  }
  const bool are_offered = listed <= self->site->settings->actions_max;
  if (!are_offered && !self->are_withheld) {
    ros_log_printf(
      self->site->log, RCUTILS_LOG_SEVERITY_WARN,
      "actions_max is %d: navigate_to_pose is not offered to more robots (there are %d)",
      self->site->settings->actions_max, listed);
  }
  self->are_withheld = !are_offered;
  return are_offered;
}

bool node_actions_read_robots(node_actions_t * self)
{
  const fw_controller_fleet_t * fleet = &node_site_impl(self->site)->fleet;
  if (!reserve_servers(self, fleet->count)) {
    RCL_SET_ERROR_MSG("out of memory");
    return false;
  }
  const bool are_offered = decide(self, fleet);
  for (int32_t k = 0; k < fleet->count; ++k) {
    node_action_server_t * server = self->servers[k];
    const char * name = fleet->robots[k].name;
    if (strcmp(server->name, name) == 0) {
      continue;
    }
    if (server->name[0] != '\0') {
      let_server_leave(self, k);
      server = self->servers[k];
    }
    if (are_offered && name[0] != '\0' && !take_server_back(self, k, name)) {
      (void)fw__name_copy(server->name, name);
      server->actions = self;
      server->index = k;
      if (!start_server(server)) {
        return false;
      }
    }
  }
  return true;
}

void node_actions_update(node_actions_t * self)
{
  const int64_t now_ns = fw_clock_now_ns();
  const bool has_feedback = now_ns >= self->next_feedback_ns;
  const bool has_expiry = now_ns >= self->next_expiry_ns;
  if (has_feedback) {
    self->next_feedback_ns = now_ns + FEEDBACK_NS;
  }
  if (has_expiry) {
    self->next_expiry_ns = now_ns + EXPIRY_NS;
  }
  while (has_feedback && self->leaving != NULL && self->leaving->end_ns <= now_ns) {
    end_first_leaving(self);
  }
  for (int32_t k = 0; (has_feedback || has_expiry) && k < self->server_count; ++k) {
    node_action_server_t * server = self->servers[k];
    // The controller has one goal of a server at a time: the newest.
    if (has_feedback && server->goals != NULL && !server->goals->has_ended) {
      publish_feedback(server, server->goals);
    }
    if (has_expiry && server->goals != NULL) {
      expire_goals(server);
    }
  }
}

bool node_actions_init(node_actions_t * self)
{
  FW_ASSERT(self->site != NULL && self->executor != NULL);
  return nav2_msgs__action__NavigateToPose_SendGoal_Request__init(&self->goal_request) &&
         nav2_msgs__action__NavigateToPose_GetResult_Request__init(&self->result_request) &&
         nav2_msgs__action__NavigateToPose_GetResult_Response__init(&self->result_response) &&
         nav2_msgs__action__NavigateToPose_FeedbackMessage__init(&self->feedback) &&
         action_msgs__srv__CancelGoal_Request__init(&self->cancel_request) && node_actions_read_robots(self);
}

void node_actions_fini(node_actions_t * self)
{
  if (self->site == NULL) {
    return;
  }
  while (self->leaving != NULL) {
    end_first_leaving(self);
  }
  // From the last one on: when an endpoint ends, Fast DDS looks for others of its type, and finds those of the first
  // robot first.
  for (int32_t k = self->server_count - 1; k >= 0; --k) {
    if (self->servers[k]->name[0] != '\0') {
      end_server(self->servers[k]);
    }
    free(self->servers[k]);
  }
  free(self->servers);
  nav2_msgs__action__NavigateToPose_SendGoal_Request__fini(&self->goal_request);
  nav2_msgs__action__NavigateToPose_GetResult_Request__fini(&self->result_request);
  nav2_msgs__action__NavigateToPose_GetResult_Response__fini(&self->result_response);
  nav2_msgs__action__NavigateToPose_FeedbackMessage__fini(&self->feedback);
  action_msgs__srv__CancelGoal_Request__fini(&self->cancel_request);
  *self = (node_actions_t){0};
}
