// Filling a fw_error_t, in one place, so that every text is bounded and every field is set.
//
// A text says what was given, what is allowed, and where (file and line, robot and cell).

#ifndef BASE__ERROR_H_
#define BASE__ERROR_H_

#include "fleetweave/fleetweave.h"

// Fills `error`, which may be NULL, with a text about no particular robot or cell. Returns `ret`, so that a check reads
// `return fw__error(error, FW_RET_…, "…")`.
fw_ret_t fw__error(fw_error_t * error, fw_ret_t ret, const char * format, ...) FW_PRINTF(3, 4);

// What an error of a problem is about.
typedef struct fw_error_detail_t {
  fw_fault_t fault;
  int32_t robot;   // its index, -1 for none
  fw_cell_t cell;  // FW_CELL_NONE for none
} fw_error_detail_t;
// The same with the robot and the cell that the error is about. Returns FW_RET_INVALID_ARGUMENT.
fw_ret_t fw__error_at(fw_error_t * error, fw_error_detail_t detail, const char * format, ...) FW_PRINTF(3, 4);

// Texts quote files and messages, which may be corrupt or meant to deceive: replaces what is not printable (control
// characters, which terminals obey, and bytes that are not UTF-8) by '?'. The texts of fw__error are made so.
void fw__make_printable(char * text);

// "out of memory". Returns FW_RET_BAD_ALLOC.
fw_ret_t fw__error_memory(fw_error_t * error);

#endif  // BASE__ERROR_H_
