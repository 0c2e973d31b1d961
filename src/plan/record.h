// A record of what planners were asked, entry by entry. See recorder.h for the text.

#ifndef PLAN__RECORD_H_
#define PLAN__RECORD_H_

#include "base/text.h"
#include "plan/recorder.h"

// Must not be copied: the problem borrows from it.
typedef struct fw__record_t {
  // The present entry
  int64_t number;
  int32_t line;  // where it begins
  fw__record_planner_t planner;
  bool is_new_planner;  // since the entry before: it remembers nothing
  fw_problem_t problem;
  fw__stopwatch_notes_t notes;
  bool has_answer;  // the process ended while it solved, or wrote, if not
  fw_ret_t ret;
  char outcome[FW__RECORD_WORD];
  char stop[FW__RECORD_WORD];
  fw_tick_t safe_until;
  int64_t expanded;
  int32_t plan_lines;  // of the plan that are left to read
  bool is_cut;         // after the last: behind it the file has an entry whose question is not whole
  // Private
  fw_text_t text;
  fw_grid_t grid;
  fw_robot_t * robots;
  fw_closure_t * closures;
  fw_offset_t * offsets;  // of all footprints
  int32_t offset_count;
  int32_t offset_capacity;
  fw_allocator_t allocator;
} fw__record_t;

// FW_RET_FILE if it is not a record.
FW_MUST_USE fw_ret_t fw__record_open(fw__record_t * record, const char * path, fw_error_t * error);
void fw__record_close(fw__record_t * record);

// The next entry; FW_RET_NOT_FOUND behind the last. An error names file and line.
FW_MUST_USE fw_ret_t fw__record_next(fw__record_t * record, fw_error_t * error);
// The next line of the plan of the answer, NULL behind the last; `text.line_number` says where it stands.
const char * fw__record_plan_line(fw__record_t * record);

#endif  // PLAN__RECORD_H_
