// Records of solves: a file to which the writer appends each problem that a planner is given and its result, and the
// reader for `fleetweave replay`, which solves them again and compares.
//
//   fleetweave_record=1
//   planner=whca                     a new planner, without memory of earlier solves
//   threads=1
//   seed=0
//   memory_max_bytes=2147483648
//   set=window 16                    one line for each of its parameters
//   grid=45x25                       then a line per row of `.` (free) and `@` (blocked); `costs=` instead, with two
//                                    hexadecimal digits per cell, if there are other costs
//   change=2                         cells that differ from the grid before: `x y cost`
//   traffic=2                        cells whose rules (fw_grid_t) differ from those before: `x y rule`
//   solve=17                         an entry begins
//   rules=4 1 15 0                   connectivity, robust_ticks, horizon, since; then 1 if corners may be cut
//   robots=24                        then a line for each robot, see put_robot() in record.c
//   closures=1                       then `x y from to` for each; `-` is forever
//   asked=17                         the problem is complete
//   limits=600000 0 0                trace of the clock (replay_clock.h): step_ns (0: no deadline), expansions_max,
//                                    cancelled_at
//   steps=1                          then `query step` for each
//   answer=0 solved done - 8678      fw_ret_t, outcome, stop, safe_until (- forever), expanded nodes
//   plan=75                          then that many lines of a plan file
//   done=17                          the entry is complete
//
// A problem is written before it is solved, so that a problem that crashes the process is in the file too. A file whose
// last entry is incomplete is therefore normal. Cells are `x,y`.

#ifndef PLAN__RECORD_H_
#define PLAN__RECORD_H_

#include <stdio.h>

#include "base/text.h"
#include "fleetweave/planner_def.h"
#include "plan/replay_clock.h"

enum { FW__RECORD_WORD = 128 };

// The name, options and parameters of a planner.
typedef struct fw_record_planner_t {
  char name[FW__RECORD_WORD];
  int32_t threads;
  uint64_t seed;
  size_t memory_max_bytes;
  int32_t parameter_count;
  char names[FW_PARAMETERS_MAX][FW__RECORD_WORD];
  char values[FW_PARAMETERS_MAX][FW__RECORD_WORD];
} fw_record_planner_t;

// ---- writing --------------------------------------------------------------------------------------------------------

// Must not be copied while it is open.
typedef struct fw_record_writer_t {
  int64_t entry_count;  // in all files together
  bool is_full;         // nothing is written until the next problem that does not continue an earlier one
  // Private
  FILE * stream;  // NULL: closed
  char path[1024];
  int64_t max_bytes;
  fw_grid_t grid;       // the last one written to the file
  bool has_planner;     // the present planner has been written to the file
  bool has_open_entry;  // a problem is in the file, its result not yet
} fw_record_writer_t;

// Begins a file. An existing one becomes PATH.old, since it may show why the last process ended. When the file has half
// of `max_bytes` it becomes PATH.old too, and a new one begins.
FW_MUST_USE fw_ret_t
fw__record_writer_open(fw_record_writer_t * writer, const char * path, int64_t max_bytes, fw_error_t * error);
void fw__record_writer_close(fw_record_writer_t * writer);

// Call it when a new planner is used: it is written before the next problem.
void fw__record_writer_forget_planner(fw_record_writer_t * writer);

// Before and after each solve. On failure the writer is closed and nothing more is recorded; a closed writer ignores
// both.
FW_MUST_USE fw_ret_t fw__record_writer_add_problem(
  fw_record_writer_t * writer, const fw_record_planner_t * planner, const fw_problem_t * problem, fw_error_t * error);

typedef struct fw_record_result_t {
  const fw_problem_t * problem;
  const fw_replay_clock_trace_t * notes;
  fw_ret_t ret;  // of the solve
  const fw_plan_t * plan;
} fw_record_result_t;

FW_MUST_USE fw_ret_t
fw__record_writer_add_result(fw_record_writer_t * writer, const fw_record_result_t * result, fw_error_t * error);

// A plan as it is written in a record: a plan file with fixed names for map and solver.
FW_MUST_USE fw_ret_t
fw__record_write_plan(const fw_problem_t * problem, const fw_plan_t * plan, FILE * stream, fw_error_t * error);

// ---- reading --------------------------------------------------------------------------------------------------------

// Must not be copied: the problem borrows from it.
typedef struct fw_record_reader_t {
  // The present entry
  int64_t number;
  int32_t line;  // where it begins in the file
  fw_record_planner_t planner;
  bool is_new_planner;  // since the entry before: the planner has no memory of earlier solves
  fw_problem_t problem;
  fw_replay_clock_trace_t notes;  // the clock's
  bool has_answer;                // the result is complete; if not, the process ended while it solved or wrote
  fw_ret_t ret;
  char outcome[FW__RECORD_WORD];
  char stop[FW__RECORD_WORD];
  fw_tick_t safe_until;
  int64_t expanded;
  int32_t plan_lines;  // lines of the plan not read yet
  bool is_cut;         // after the last entry: the file ends with an incomplete problem
  // Private
  fw_text_t text;
  fw_grid_t grid;
  fw_robot_t * robots;
  fw_closure_t * closures;
  fw_offset_t * offsets;  // of all footprints
  int32_t offset_count;
  int32_t offset_capacity;
  fw_allocator_t allocator;
} fw_record_reader_t;

// FW_RET_FILE if the file cannot be read or is not a record.
FW_MUST_USE fw_ret_t fw__record_reader_open(fw_record_reader_t * reader, const char * path, fw_error_t * error);
void fw__record_reader_close(fw_record_reader_t * reader);

// The next entry; FW_RET_NOT_FOUND after the last. An error names file and line.
FW_MUST_USE fw_ret_t fw__record_reader_next(fw_record_reader_t * reader, fw_error_t * error);
// The next line of the recorded plan, NULL after the last; `text.line_number` is its number in the file.
const char * fw__record_reader_plan_line(fw_record_reader_t * reader);

#endif  // PLAN__RECORD_H_
