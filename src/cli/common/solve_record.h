// One solve with a record of it, which `fleetweave replay` solves again.

#ifndef CLI__COMMON__SOLVE_RECORD_H_
#define CLI__COMMON__SOLVE_RECORD_H_

#include "cli/common/solve.h"

// As fw_planner_solve. FW_RET_FILE too if the record cannot be written.
fw_ret_t cli_solve_recorded(
  cli_solve_t * solve, const cli_solve_request_t * request, const fw_budget_t * budget, fw_error_t * error);

#endif  // CLI__COMMON__SOLVE_RECORD_H_
