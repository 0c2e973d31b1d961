// The parts of a record as they are read: record_parts.c, for record.c alone.

#ifndef PLAN__RECORD_PARTS_H_
#define PLAN__RECORD_PARTS_H_

#include "plan/record.h"

// Behind `planner=NAME`.
FW_MUST_USE fw_ret_t fw__record_read_planner(fw__record_t * record, const char * name, fw_error_t * error);
// From a line `grid=`, `costs=` or `change=` on; other keys, of later versions, are passed over.
FW_MUST_USE fw_ret_t fw__record_read_grid(fw__record_t * record, char * line, fw_error_t * error);
// Behind `solve=`, up to the closures.
FW_MUST_USE fw_ret_t fw__record_read_problem(fw__record_t * record, fw_error_t * error);
// Behind `asked=`, up to `plan=`.
FW_MUST_USE fw_ret_t fw__record_read_answer(fw__record_t * record, fw_error_t * error);

#endif  // PLAN__RECORD_PARTS_H_
