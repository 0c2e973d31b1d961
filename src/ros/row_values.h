// Rows, one value. See rows.h.

#ifndef ROS__ROW_VALUES_H_
#define ROS__ROW_VALUES_H_

#include <rcl_yaml_param_parser/types.h>

#include "ros/rows.h"

// Puts a value into its place in `values`. The error names the parameter, the value and what it may be.
FW_MUST_USE fw_ret_t
ros_row_set_value(void * values, const ros_row_t * row, const rcl_variant_t * value, fw_error_t * error);

#endif  // ROS__ROW_VALUES_H_
