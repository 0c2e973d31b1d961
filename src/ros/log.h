// The log of a node, limited by source (base/log_throttle.h): for lines that messages of others cause, which may come
// at any rate. Lines of the debug level are not limited.

#ifndef ROS__LOG_H_
#define ROS__LOG_H_

#include <pthread.h>

#include <rcutils/logging.h>

#include "base/error.h"
#include "base/log_throttle.h"

// Zero is an empty log; nothing is written to it.
typedef struct ros_log_t {
  const char * logger;  // borrowed
  bool is_initialised;
  pthread_mutex_t mutex;  // for the throttle; a leaf
  fw_log_throttle_t throttle;
} ros_log_t;

bool ros_log_init(ros_log_t * log, const char * logger);
void ros_log_fini(ros_log_t * log);  // writes what is held back

// From any thread. The source is the text up to the first ':'.
void ros_log_write(ros_log_t * log, int severity, const char * text);
void ros_log_printf(ros_log_t * log, int severity, const char * format, ...) FW_PRINTF(3, 4);

// Writes the lines that were held back and are due: to be called with each spin.
void ros_log_flush(ros_log_t * log);

#endif  // ROS__LOG_H_
