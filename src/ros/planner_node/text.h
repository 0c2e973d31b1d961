// Short texts of fixed size: names, reasons.

#ifndef ROS__PLANNER_NODE__TEXT_H_
#define ROS__PLANNER_NODE__TEXT_H_

#include <stdbool.h>
#include <stddef.h>

#include <fleetweave/fleetweave.h>

enum { NAME_SIZE = 128, REASON_SIZE = 256 };

// Always false, so that a check can end with `return refuse(reason, ...)`.
bool refuse(fw_error_t * reason, const char * format, ...) FW_PRINTF(2, 3);
// False if `text` does not fit.
bool name_copy(char name[NAME_SIZE], const char * text);

#endif  // ROS__PLANNER_NODE__TEXT_H_
