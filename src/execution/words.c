// How a robot is doing, in words for people.

#include <stdarg.h>
#include <stdio.h>

#include "execution/execution.h"

static const char * const names[] = {"absent",  "arrived",    "driving",   "waiting",  "late",
                                     "stopped", "obstructed", "withdrawn", "off path", "stale"};

const char * fw_execution_state_name(fw_execution_state_t state)
{
  return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

typedef struct words_t {
  char * text;
  size_t size;
  size_t length;
} words_t;

static void say(words_t * words, const char * format, ...) FW_PRINTF(2, 3);
static void say(words_t * words, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int more = vsnprintf(words->text + words->length, words->size - words->length, format, arguments);
  va_end(arguments);
  const size_t room = words->size - words->length - 1;
  words->length += more < 0 ? 0 : (size_t)more < room ? (size_t)more : room;
}

static void say_state(words_t * words, const fw_execution_status_t * status, double now)
{
  switch (status->state) {
    case FW_EXECUTION_STALE:
      say(words, "has not reported for %.1f s", now - status->last_time);
      break;
    case FW_EXECUTION_OFF_PATH:
      say(words, "is %.2f cells off its path", status->off_path);
      break;
    case FW_EXECUTION_STOPPED:
      say(words, "has not moved for %.1f s though it may", now - status->since);
      break;
    case FW_EXECUTION_OBSTRUCTED:
      say(words, "has an obstacle on its released way and must stop at waypoint %d", status->stop_at);
      break;
    case FW_EXECUTION_WITHDRAWN:
      say(words, "has given back its way and stands");
      break;
    case FW_EXECUTION_LATE:
      say(words, "drives, %.1f s late", status->delay);
      break;
    case FW_EXECUTION_ABSENT:
    case FW_EXECUTION_ARRIVED:
    case FW_EXECUTION_DRIVING:
    case FW_EXECUTION_WAITING:
      say(words, "%s", fw_execution_state_name(status->state));
      break;
  }
}

static void say_wait(words_t * words, const fw_grid_t * grid, const fw_execution_status_t * status)
{
  const int32_t x = status->cell == FW_CELL_NONE ? 0 : fw_grid_x(grid, status->cell);
  const int32_t y = status->cell == FW_CELL_NONE ? 0 : fw_grid_y(grid, status->cell);
  switch (status->wait) {
    case FW_EXECUTION_WAIT_ROBOT:
      say(words, " for robot %d to leave (%d,%d)", status->other, x, y);
      break;
    case FW_EXECUTION_WAIT_RING:
      say(words, " for robot %d to be ready to rotate", status->other);
      break;
    case FW_EXECUTION_WAIT_OBSTACLE:
      say(words, " before the obstacle on (%d,%d)", x, y);
      break;
    case FW_EXECUTION_WAIT_CUT:
      say(words, " for a new plan");
      break;
    case FW_EXECUTION_WAIT_PAUSE:
      say(words, ", paused");
      break;
    case FW_EXECUTION_WAIT_CLOSURE:
      say(words, " for (%d,%d), which is closed or about to be", x, y);
      break;
    case FW_EXECUTION_WAIT_NONE:
    case FW_EXECUTION_WAIT_PROGRESS:
      break;
  }
}

void fw_execution_describe(const fw_execution_t * execution, int32_t robot, char * text, size_t text_size)
{
  const fw__execution_t * impl = execution->impl;
  words_t words = {.text = text, .size = text_size};
  fw_execution_status_t status;
  if (text_size == 0) {
    return;
  }
  if (fw_execution_robot(execution, robot, &status, NULL) != FW_RET_OK) {
    say(&words, "absent");
    return;
  }
  say_state(&words, &status, impl->now);
  if (status.state != FW_EXECUTION_WAITING) {
    return;
  }
  say_wait(&words, &fw__execution_graph_const(impl)->grid, &status);
  fw_execution_status_t root;
  if (status.root >= 0 && fw_execution_robot(execution, status.root, &root, NULL) == FW_RET_OK) {
    if (status.root != status.other || root.state > FW_EXECUTION_LATE) {
      say(&words, "; robot %d ", status.root);
      say_state(&words, &root, impl->now);
    }
  }
}
