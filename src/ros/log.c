// Limited log lines. See log.h.

#include "ros/log.h"

#include <stdarg.h>
#include <stdio.h>

#include <rcutils/logging_macros.h>

#include "base/assert.h"
#include "base/error.h"
#include "fleetweave/fleetweave.h"

static void write_line(const ros_log_t * log, int severity, const char * text)
{
  RCUTILS_LOG_COND_NAMED(severity, RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, log->logger, "%s", text);
}

bool ros_log_init(ros_log_t * log, const char * logger)
{
  FW_ASSERT(!log->is_initialised);
  log->logger = logger;
  log->is_initialised = pthread_mutex_init(&log->mutex, NULL) == 0;
  return log->is_initialised;
}

void ros_log_write(ros_log_t * log, int severity, const char * text)
{
  if (!log->is_initialised) {
    return;
  }
  bool is_written = severity <= RCUTILS_LOG_SEVERITY_DEBUG;
  if (!is_written) {
    (void)pthread_mutex_lock(&log->mutex);
    is_written = fw__log_throttle_admits(&log->throttle, severity, text, fw_clock_now_ns());
    (void)pthread_mutex_unlock(&log->mutex);
  }
  if (is_written) {
    write_line(log, severity, text);
  }
}

void ros_log_printf(ros_log_t * log, int severity, const char * format, ...)
{
  char text[FW_LOG_LINE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  fw__make_printable(text);
  va_end(arguments);
  ros_log_write(log, severity, text);
}

// Copies the next line that is due; false if there is none.
static bool take_held(ros_log_t * log, bool is_ending, fw_held_line_t * line)
{
  (void)pthread_mutex_lock(&log->mutex);
  const fw_held_line_t * held = fw__log_throttle_next(&log->throttle, fw_clock_now_ns(), is_ending);
  if (held != NULL) {
    *line = *held;
  }
  (void)pthread_mutex_unlock(&log->mutex);
  return held != NULL;
}

static void write_held(ros_log_t * log, bool is_ending)
{
  fw_held_line_t line;
  // Each bucket can be due once, so this ends.
  for (int32_t k = 0; k < FW_LOG_SOURCES && take_held(log, is_ending, &line); ++k) {
    if (line.left_out > 0) {
      RCUTILS_LOG_COND_NAMED(
        line.level, RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, log->logger,
        "%s (%lld lines like this were left out)", line.text, (long long)line.left_out);
    } else {
      write_line(log, line.level, line.text);
    }
  }
}

void ros_log_flush(ros_log_t * log)
{
  if (log->is_initialised) {
    write_held(log, false);
  }
}

void ros_log_fini(ros_log_t * log)
{
  if (!log->is_initialised) {
    return;
  }
  write_held(log, true);
  (void)pthread_mutex_destroy(&log->mutex);
  fw__log_throttle_fini(&log->throttle);
  *log = (ros_log_t){0};
}
