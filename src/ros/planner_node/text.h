// Short texts of fixed size: names, and reasons for a person to read.

#ifndef ROS__PLANNER_NODE__TEXT_H_
#define ROS__PLANNER_NODE__TEXT_H_

#include <stdbool.h>
#include <stddef.h>

#include <fleetweave/fleetweave.h>

enum { NODE_NAME_SIZE = 128, NODE_REASON_SIZE = 256 };  // bytes, with the final zero

// Writes why something is refused, cut to the size of the text. Always false, so that a check can end with
// `return node_refuse(reason, ...)`.
bool node_refuse(fw_error_t * reason, const char * format, ...) FW_PRINTF(2, 3);
// Copies a name. False if it does not fit; `name` is then as it was.
bool node_name_copy(char name[NODE_NAME_SIZE], const char * text);

#endif  // ROS__PLANNER_NODE__TEXT_H_
