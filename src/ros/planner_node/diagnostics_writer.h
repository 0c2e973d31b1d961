// One status of a diagnostics message, written value after value.

#ifndef ROS__PLANNER_NODE__DIAGNOSTICS_WRITER_H_
#define ROS__PLANNER_NODE__DIAGNOSTICS_WRITER_H_

#include <diagnostic_msgs/msg/diagnostic_status.h>

#include "ros/planner_node/planning.h"

typedef diagnostic_msgs__msg__DiagnosticStatus status_t;

// Writes one status, value after value; remembers whether memory ran out.
typedef struct writer_t {
  status_t * status;
  size_t next;
  bool is_fine;
} writer_t;

// Names the status and makes room for so many values. False if there is no memory.
bool diagnostics_begin(status_t * status, size_t value_count, const char * node_name, const char * name);
void diagnostics_level(writer_t * writer, uint8_t level, const char * text);
void diagnostics_value(writer_t * writer, const char * key, const char * format, ...) FW_PRINTF(3, 4);

// diagnostics_robot.c
bool diagnostics_fill_robot(
  status_t * status, const planning_t * planning, int32_t index, const char * node_name, int64_t now_ns);

#endif  // ROS__PLANNER_NODE__DIAGNOSTICS_WRITER_H_
