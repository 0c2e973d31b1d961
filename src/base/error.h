// Filling a fw_error_t, in one place so that every text is bounded and every field set.

#ifndef BASE__ERROR_H_
#define BASE__ERROR_H_

#include "fleetweave/fleetweave.h"

// Returns `ret`, so that a check reads `return fw__error(error, FW_RET_…, "…")`. `error` may be NULL.
fw_ret_t fw__error(fw_error_t * error, fw_ret_t ret, const char * format, ...) FW_PRINTF(3, 4);

// The same with the robot and the cell concerned.
typedef struct fw__fault_t {
  fw_fault_t fault;
  int32_t robot;
  fw_cell_t cell;
} fw__fault_t;
fw_ret_t fw__error_at(fw_error_t * error, fw__fault_t where, const char * format, ...) FW_PRINTF(3, 4);

fw_ret_t fw__error_memory(fw_error_t * error);  // FW_RET_BAD_ALLOC, "out of memory"

#endif  // BASE__ERROR_H_
