// Follower: the node that drives robots along what the planner has released. See follower.h.

#include "ros/path_follower/follower.h"

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <stdlib.h>

#include "base/error.h"

static const int64_t WATCH_NS = 50000000;  // between looks at who has gone silent
static const int64_t LAST_WORD_NS = 1000000000;

int64_t follower_now(follower_t * follower)
{
  bool has_jumped_back;  // the robots notice by themselves
  return ros_clock_now(&follower->clock, &has_jumped_back);
}

static fw_ret_t connect(follower_t * follower, fw_error_t * error)
{
  const ros_row_texts_t * names = &follower->parameters.robots;
  const int32_t count = names->count == 0 ? 1 : names->count;
  const size_t handles = 2 * (size_t)count + 1;  // with /clock
  follower->robots = calloc((size_t)count, sizeof(*follower->robots));
  if (follower->robots == NULL) {
    return fw__error_memory(error);
  }
  follower->robot_count = count;
  follower->has_clock = ros_clock_init(&follower->clock, &follower->ros.allocator);
  if (
    !follower->has_clock ||
    rclc_executor_init(&follower->executor, &follower->ros.support.context, handles, &follower->ros.allocator) !=
      RCL_RET_OK ||
    !ros_clock_use_sim_time(
      &follower->clock, follower->parameters.use_sim_time, &follower->ros.node, &follower->executor)) {
    return ros_session_error(error, "cannot start");
  }
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; ret == FW_RET_OK && i < count; ++i) {
    ret = follower_robot_init(&follower->robots[i], follower, names->count == 0 ? "" : names->items[i], error);
  }
  return ret;
}

fw_ret_t follower_init(follower_t * follower, int argc, char ** argv, fw_error_t * error)
{
  *follower = (follower_t){.executor = rclc_executor_get_zero_initialized_executor()};
  fw_ret_t ret = ros_session_init(&follower->ros, "path_follower", argc, argv, error);
  if (ret == FW_RET_OK) {
    ret = follower_parameters_init(&follower->parameters, &follower->ros.node, error);
  }
  if (ret == FW_RET_OK) {
    ret = connect(follower, error);
  }
  if (ret == FW_RET_OK) {
    RCUTILS_LOG_INFO_NAMED(
      follower->ros.logger, "%d robots, at most %g m/s", (int)follower->robot_count,
      follower->parameters.pursuit.limits.speed);
  }
  return ret;
}

// The last word of a process that ends: it waits a moment until that has reached those who listen.
static void stop_all(follower_t * follower)
{
  const int64_t end_ns = fw_clock_now_ns() + LAST_WORD_NS;
  for (int32_t i = 0; i < follower->robot_count; ++i) {
    follower_robot_stop(&follower->robots[i], follower_now(follower));
  }
  for (int32_t i = 0; i < follower->robot_count; ++i) {
    const int64_t left_ns = end_ns - fw_clock_now_ns();
    if (left_ns > 0 && rcl_publisher_wait_for_all_acked(&follower->robots[i].command_out, left_ns) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }
}

fw_ret_t follower_run(follower_t * follower, const volatile sig_atomic_t * is_stopped, fw_error_t * error)
{
  fw_ret_t ret = FW_RET_OK;
  while (ret == FW_RET_OK && !*is_stopped) {
    ret = ros_session_spin(&follower->executor, WATCH_NS, error);
    const int64_t now_ns = follower_now(follower);
    for (int32_t i = 0; i < follower->robot_count; ++i) {
      follower_robot_watch(&follower->robots[i], now_ns);
    }
  }
  stop_all(follower);
  return ret;
}

void follower_fini(follower_t * follower)
{
  if (!follower->ros.is_started) {
    return;
  }
  (void)rclc_executor_fini(&follower->executor);
  for (int32_t i = 0; i < follower->robot_count; ++i) {
    follower_robot_fini(&follower->robots[i]);
  }
  free(follower->robots);
  if (follower->has_clock) {
    ros_clock_fini(&follower->clock, &follower->ros.node);
  }
  fw__track_fini(&follower->track);
  follower_parameters_fini(&follower->parameters);
  ros_session_fini(&follower->ros);
}
