// /tf and /tf_static into pose reports. See transforms.h.

#include "ros/planner_node/transforms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "base/assert.h"
#include "ros/transforms.h"

enum { DISCOVERED_MAX = sizeof((node_transforms_t){0}.discovered) / FW_NAME_SIZE };

static const char PLACEHOLDER[] = "{robot}";
static const int64_t LOG_NS = 1000000000;
static const int64_t STARTUP_NS = 5000000000;  // a robot that was listed now need not report before

// ---- names

bool node_frame_of_robot(char frame[FW_NAME_SIZE], const char * pattern, const char * robot)
{
  return ros_frame_of_robot(frame, FW_NAME_SIZE, pattern, robot);
}

bool node_robot_of_frame(char robot[FW_NAME_SIZE], const char * pattern, const char * frame)
{
  const char * at = strstr(pattern, PLACEHOLDER);
  if (at == NULL) {
    return false;
  }
  frame += frame[0] == '/' ? 1 : 0;
  const size_t head = (size_t)(at - pattern), tail = strlen(at + sizeof PLACEHOLDER - 1), length = strlen(frame);
  if (
    length <= head + tail || length - head - tail >= FW_NAME_SIZE || strncmp(frame, pattern, head) != 0 ||
    strcmp(frame + length - tail, at + sizeof PLACEHOLDER - 1) != 0) {
    return false;
  }
  memcpy(robot, frame + head, length - head - tail);
  robot[length - head - tail] = '\0';
  return true;
}

// ---- reports

// Reports a robot if its newest common time is newer than that of its last report.
static void report(node_transforms_t * self, int32_t index)
{
  node_transform_robot_t * robot = &self->robots[index];
  const fw_transform_buffer_t * buffer = &robot->source->buffer;
  fw_transform_result_t result;
  int64_t stamp_ns = 0;
  if (
    !fw__transform_buffer_common_time(buffer, robot->source->root, robot->frame, &stamp_ns) ||
    stamp_ns == robot->stamp_ns ||
    !fw__transform_buffer_lookup(buffer, robot->source->root, robot->frame, &result, NULL)) {
    return;
  }
  const fw_pose2d_t pose = fw__transform_pose2d(&result.transform);
  const fw_pose_report_t pose_report = {
    .pose = {.point = {pose.x, pose.y}, .yaw = pose.yaw},
    .stamp_ns = result.stamp_ns == FW_TRANSFORM_IS_STATIC ? 0 : result.stamp_ns,
  };
  robot->stamp_ns = stamp_ns;
  robot->heard_ns = node_site_now(self->site);
  robot->source->heard_ns = robot->heard_ns;
  // What the controller refuses is the robot's fault in its diagnostics.
  (void)!fw_controller_report_pose(self->site->controller, index, &pose_report, robot->heard_ns, NULL);
}

static void report_changed(node_transform_source_t * source)
{
  for (int32_t frame; (frame = fw__transform_buffer_next_changed(&source->buffer)) >= 0;) {
    if (frame < source->robot_of_size && source->robot_of[frame] >= 0) {
      report(source->owner, source->robot_of[frame]);
    }
  }
}

static void discover(node_transforms_t * self, const char * frame)
{
  char name[FW_NAME_SIZE];
  if (
    self->discovered_count == DISCOVERED_MAX || !node_robot_of_frame(name, self->site->settings->base_frame, frame) ||
    fw_controller_find_robot(self->site->controller, name) >= 0) {
    return;
  }
  for (int32_t k = 0; k < self->discovered_count; ++k) {
    if (strcmp(self->discovered[k], name) == 0) {
      return;
    }
  }
  memcpy(self->discovered[self->discovered_count++], name, sizeof name);
}

static void take(node_transform_source_t * source, const tf2_msgs__msg__TFMessage * message, bool is_static)
{
  node_transforms_t * self = source->owner;
  const int64_t now_ns = node_site_now(self->site);
  const bool discovers = self->site->settings->discovers_robots && source->robot[0] == '\0';
  fw_error_t reason = {0};
  if (now_ns > 0 && !source->has_time) {
    // Before the first time on /clock nothing has an age: transforms of an earlier run may lie far ahead, and would be
    // the newest ones until the clock is there.
    fw__transform_buffer_clear(&source->buffer);
    source->has_time = true;
  }
  source->buffer.stamp_max_ns = fw__seconds_to_ns(self->site->settings->controller.pose_age_max);
  ros_transforms_add(&source->buffer, message, is_static, now_ns, &reason);
  for (size_t k = 0; discovers && k < message->transforms.size; ++k) {
    discover(self, message->transforms.data[k].child_frame_id.data);
  }
  if (source->buffer.refused != source->logged_refusals && fw_clock_now_ns() >= self->next_log_ns) {
    self->next_log_ns = fw_clock_now_ns() + LOG_NS;
    RCUTILS_LOG_WARN_NAMED(
      self->site->logger, "%s (%lld refused since the last such line)", reason.text,
      (long long)(source->buffer.refused - source->logged_refusals));
    source->logged_refusals = source->buffer.refused;
  }
  report_changed(source);
}

static void on_moving(const void * message, void * context) { take(context, message, false); }

static void on_fixed(const void * message, void * context) { take(context, message, true); }

// ---- sources

static bool subscribe(node_transform_source_t * source, bool is_static)
{
  node_transforms_t * self = source->owner;
  char topic[FW_NAME_SIZE];
  if (!node_frame_of_robot(topic, self->site->settings->tf_topic, source->robot)) {
    RCL_SET_ERROR_MSG("tf_topic is too long");
    return false;
  }
  const ros_transforms_subscription_t options = {
    .subscription = is_static ? &source->fixed : &source->moving, .topic = topic, .is_static = is_static};
  const ros_on_message_t on_message = {&self->message, is_static ? on_fixed : on_moving, source};
  return ros_transforms_subscribe(self->site->session, self->executor, &options, &on_message);
}

static void end_source(node_transforms_t * self, node_transform_source_t * source)
{
  rcl_subscription_t * const subscriptions[] = {&source->moving, &source->fixed};
  for (size_t k = 0; k < 2; ++k) {
    (void)ros_executor_remove(self->executor, subscriptions[k]);  // not there if subscribing failed
    ros_session_fini_subscription(self->site->session, subscriptions[k]);
  }
  fw__transform_buffer_fini(&source->buffer);
  free(source->robot_of);
  *source = (node_transform_source_t){0};
}

static bool begin_source(node_transforms_t * self, node_transform_source_t * source, const char * robot)
{
  source->owner = self;
  source->heard_ns = node_site_now(self->site);
  (void)fw__name_copy(source->robot, robot);
  source->root = fw__transform_buffer_watch_root(&source->buffer, self->site->settings->map_frame);
  if (source->root < 0) {
    RCL_SET_ERROR_MSG("no memory for transforms");
    return false;
  }
  return subscribe(source, false) && subscribe(source, true);
}

static bool is_per_robot(const node_transforms_t * self)
{
  return ros_frame_is_per_robot(self->site->settings->tf_topic);
}

// The source of a robot, a new one if need be. NULL if that fails.
static node_transform_source_t * source_of(node_transforms_t * self, const char * robot)
{
  const char * name = is_per_robot(self) ? robot : "";
  node_transform_source_t * unused = NULL;
  for (int32_t k = 0; k < self->source_count; ++k) {
    node_transform_source_t * source = self->sources[k];
    if (source->owner != NULL && strcmp(source->robot, name) == 0) {
      return source;
    }
    unused = source->owner == NULL ? source : unused;
  }
  if (unused == NULL) {
    node_transform_source_t ** sources =
      realloc(self->sources, ((size_t)self->source_count + 1) * sizeof *self->sources);
    unused = sources == NULL ? NULL : calloc(1, sizeof *unused);
    self->sources = sources == NULL ? self->sources : sources;
    if (unused == NULL) {
      return NULL;
    }
    self->sources[self->source_count++] = unused;
  }
  return begin_source(self, unused, name) ? unused : NULL;
}

// ---- robots

// Makes a frame that of a robot, or of none (-1). False if there is no memory.
static bool assign_frame(node_transform_source_t * source, int32_t frame, int32_t robot)
{
  if (frame >= source->robot_of_size) {
    const int32_t size = 2 * frame + 16;
    int32_t * robot_of = realloc(source->robot_of, (size_t)size * sizeof *robot_of);
    if (robot_of == NULL) {
      return false;
    }
    for (int32_t k = source->robot_of_size; k < size; ++k) {
      robot_of[k] = -1;
    }
    source->robot_of = robot_of;
    source->robot_of_size = size;
  }
  source->robot_of[frame] = robot;
  return true;
}

static void remove_robot(node_transforms_t * self, node_transform_robot_t * robot)
{
  if (robot->source != NULL && robot->frame >= 0) {
    (void)assign_frame(robot->source, robot->frame, -1);  // it is in the list: no memory is needed
    fw__transform_buffer_unwatch(&robot->source->buffer, robot->frame);
  }
  if (robot->source != NULL && robot->source->robot[0] != '\0') {
    end_source(self, robot->source);
  }
  *robot = (node_transform_robot_t){.frame = -1};
}

static bool add_robot(node_transforms_t * self, int32_t index, const char * name)
{
  node_transform_robot_t * robot = &self->robots[index];
  char frame[FW_NAME_SIZE];
  *robot = (node_transform_robot_t){.frame = -1, .stamp_ns = INT64_MIN, .heard_ns = node_site_now(self->site)};
  (void)fw__name_copy(robot->name, name);
  robot->source = source_of(self, name);
  if (robot->source == NULL) {
    return false;
  }
  if (node_frame_of_robot(frame, self->site->settings->base_frame, name)) {
    robot->frame = fw__transform_buffer_watch(&robot->source->buffer, frame);
  }
  return robot->frame >= 0 && assign_frame(robot->source, robot->frame, index);
}

bool node_transforms_read_robots(node_transforms_t * self)
{
  if (self->site->settings->pose_source != NODE_POSES_TF) {
    return true;
  }
  const fw_controller_fleet_t * fleet = &node_site_impl(self->site)->fleet;
  if (fleet->count > self->robot_count) {
    node_transform_robot_t * robots = realloc(self->robots, (size_t)fleet->count * sizeof *robots);
    if (robots == NULL) {
      return false;
    }
    self->robots = robots;
    for (; self->robot_count < fleet->count; ++self->robot_count) {
      robots[self->robot_count] = (node_transform_robot_t){.frame = -1};
    }
  }
  // First all that leave: a frame can go to another robot.
  for (int32_t k = 0; k < self->robot_count; ++k) {
    if (self->robots[k].name[0] != '\0' && strcmp(self->robots[k].name, fleet->robots[k].name) != 0) {
      remove_robot(self, &self->robots[k]);
    }
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    const char * name = fleet->robots[k].name;
    if (name[0] != '\0' && self->robots[k].name[0] == '\0' && !add_robot(self, k, name)) {
      return false;
    }
  }
  self->discovered_count = 0;  // those who are not listed come again
  return true;
}

bool node_transforms_init(node_transforms_t * self)
{
  FW_ASSERT(self->site != NULL && self->executor != NULL);
  if (!tf2_msgs__msg__TFMessage__init(&self->message)) {
    return false;
  }
  // Without robots there is somebody to discover.
  const bool is_shared = self->site->settings->pose_source == NODE_POSES_TF && !is_per_robot(self);
  return (!is_shared || source_of(self, "") != NULL) && node_transforms_read_robots(self);
}

void node_transforms_fini(node_transforms_t * self)
{
  if (self->site == NULL) {
    return;
  }
  for (int32_t k = 0; k < self->source_count; ++k) {
    if (self->sources[k]->owner != NULL) {
      end_source(self, self->sources[k]);
    }
    free(self->sources[k]);
  }
  free(self->sources);
  free(self->robots);
  tf2_msgs__msg__TFMessage__fini(&self->message);
  *self = (node_transforms_t){0};
}

// ---- goals

// Where frames of goals for a robot are known. NULL with a reason if nowhere.
static node_transform_source_t * source_for(node_transforms_t * self, int32_t robot, fw_error_t * reason)
{
  if (self->site->settings->pose_source != NODE_POSES_TF) {
    (void)fw__refuse_as(reason, FW_FAULT_FRAME, "with this pose_source planner_node does not listen to tf");
    return NULL;
  }
  if (robot >= 0 && robot < self->robot_count && self->robots[robot].source != NULL) {
    return self->robots[robot].source;
  }
  if (is_per_robot(self) || self->source_count == 0) {
    (void)fw__refuse_as(reason, FW_FAULT_FRAME, "each robot has transforms of its own (tf_topic)");
    return NULL;
  }
  return self->sources[0];
}

bool node_transforms_find(
  node_transforms_t * self, int32_t robot, const char * frame, fw_transform_t * place, fw_error_t * reason)
{
  node_transform_source_t * source = source_for(self, robot, reason);
  if (source == NULL) {
    return false;
  }
  const double timeout = self->site->settings->controller.odom_timeout;
  const fw_goal_frame_query_t query = {
    .buffer = &source->buffer,
    .root = source->root,
    .frame = frame,
    .now_ns = node_site_now(self->site),
    .age_max_ns = timeout > 0.0 ? fw__seconds_to_ns(timeout) : 0,
  };
  return fw__goal_frames_find(&source->goal_frames, &query, place, reason);
}

// ---- silence

// What keeps a silent robot's poses away.
static void explain(const node_transforms_t * self, const node_transform_robot_t * robot, fw_error_t * reason)
{
  const fw_transform_buffer_t * buffer = &robot->source->buffer;
  fw_transform_result_t result;
  if (!fw__transform_buffer_lookup(buffer, robot->source->root, robot->frame, &result, reason)) {
    return;
  }
  if (result.oldest < 0) {
    (void)fw__refuse_as(
      reason, FW_FAULT_FRAME, "all transforms from %.80s to %.80s are static: nothing shows that the robot is there",
      self->site->settings->map_frame, fw__transform_buffer_name(buffer, robot->frame));
  } else {
    (void)fw__refuse_as(
      reason, FW_FAULT_FRAME, "the last transform from %.80s to %.80s is older than odom_timeout (%g s)",
      fw__transform_buffer_parent_name(buffer, result.oldest), fw__transform_buffer_name(buffer, result.oldest),
      self->site->settings->controller.odom_timeout);
  }
}

// Notices that a source says nothing of any of its robots. That is one line in the log, not one per robot.
static void check_source(node_transforms_t * self, node_transform_source_t * source, int64_t silence_ns)
{
  const bool is_silent =
    source->robot[0] == '\0' && self->robot_count > 1 && node_site_now(self->site) - source->heard_ns >= silence_ns;
  for (int32_t k = 0; is_silent && !source->is_silent && k < self->robot_count; ++k) {
    if (self->robots[k].name[0] != '\0' && self->robots[k].frame >= 0) {
      fw_error_t reason = {0};
      explain(self, &self->robots[k], &reason);
      RCUTILS_LOG_ERROR_NAMED(
        self->site->logger, "no pose of any robot comes from %s; %s: %s", self->site->settings->tf_topic,
        self->robots[k].name, reason.text);
      break;
    }
  }
  source->is_silent = is_silent;
}

static void check_robot(node_transforms_t * self, int32_t index, int64_t silence_ns)
{
  const node_transform_robot_t * robot = &self->robots[index];
  const bool is_new = robot->stamp_ns == INT64_MIN && silence_ns < STARTUP_NS;
  if (
    robot->name[0] == '\0' || robot->frame < 0 || robot->source->is_silent ||
    node_site_now(self->site) - robot->heard_ns < (is_new ? STARTUP_NS : silence_ns)) {
    return;
  }
  fw_error_t reason = {0};
  explain(self, robot, &reason);
  fw__controller_note_pose_fault(self->site->controller->impl, index, &reason);
}

void node_transforms_check(node_transforms_t * self)
{
  const double timeout = self->site->settings->controller.odom_timeout;
  const int64_t silence_ns = fw__seconds_to_ns(timeout > 0.0 ? timeout : 1.0);
  for (int32_t k = 0; k < self->source_count; ++k) {
    if (self->sources[k]->owner != NULL) {
      check_source(self, self->sources[k], silence_ns);
    }
  }
  for (int32_t k = 0; k < self->robot_count; ++k) {
    check_robot(self, k, silence_ns);
  }
}

void node_transforms_clear(node_transforms_t * self)
{
  for (int32_t k = 0; k < self->source_count; ++k) {
    fw__transform_buffer_clear(&self->sources[k]->buffer);
    self->sources[k]->heard_ns = node_site_now(self->site);
  }
  for (int32_t k = 0; k < self->robot_count; ++k) {
    self->robots[k].stamp_ns = INT64_MIN;
    self->robots[k].heard_ns = node_site_now(self->site);
  }
}
