// Reporting shared by the two files here.
#ifndef ROS__RCLC__CHECK_H_
#define ROS__RCLC__CHECK_H_

#include <rcl/rcl.h>

// Passes `ret` on. When it is a failure: logs which call failed and why, and clears rcl's error state.
rcl_ret_t rclc__checked(rcl_ret_t ret, const char * call);

// A null pointer or another mistake of the caller: logs it, returns RCL_RET_INVALID_ARGUMENT.
rcl_ret_t rclc__bad_argument(const char * call);

#endif  // ROS__RCLC__CHECK_H_
