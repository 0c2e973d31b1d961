// What planners were asked and what they answered, as a file that grows: `fleetweave replay` asks them again.
//
//   fleetweave_record=1
//   planner=whca                     a planner is made, with nothing to remember,
//   threads=1
//   seed=0
//   memory_max_bytes=2147483648
//   set=window 16                    and each of its parameters
//   grid=45x25                       then a line per row of `.` (free) and `@` (blocked); `costs=` has two hexadecimal
//                                    digits for a cell, where there are other costs
//   change=2                         cells of the grid that differ from the one before: `x y cost`
//   solve=17                         an entry: a question,
//   rules=4 1 15 0                   connectivity, robust_ticks, horizon, since; and a 1 if corners may be cut
//   robots=24                        then a line for each, see put_robot
//   closures=1                       `x y from to`, `-` is for ever
//   asked=17
//   limits=600000 0 0                ns of a thousandth of the time limit (0: none), expansions, see stopwatch.h
//   steps=1                          `question step`
//   answer=0 solved done - 8678      fw_ret_t, outcome, stop, safe until (- for ever), expanded nodes
//   plan=75                          lines, as of a plan file
//   done=17
//
// A question is in the file before it is solved, so that the one which ends the process is there too. Lines that lack
// what follows are how such an end looks. Cells are `x,y`.

#ifndef PLAN__RECORDER_H_
#define PLAN__RECORDER_H_

#include <stdio.h>

#include "fleetweave/planner_def.h"
#include "plan/stopwatch.h"

enum { FW__RECORD_WORD = 128 };

// A planner as it was made.
typedef struct fw__record_planner_t {
  char name[FW__RECORD_WORD];
  int32_t threads;
  uint64_t seed;
  size_t memory_max_bytes;
  int32_t parameter_count;
  char names[FW_PARAMETERS_MAX][FW__RECORD_WORD];
  char values[FW_PARAMETERS_MAX][FW__RECORD_WORD];
} fw__record_planner_t;

// Must not be copied while it is open.
typedef struct fw__recorder_t {
  int64_t entry_count;  // of all files
  bool is_full;         // nothing is written until a question comes that does not go on from one before
  // Private
  FILE * stream;  // NULL: closed
  char path[1024];
  int64_t max_bytes;
  fw_grid_t grid;  // the one that the file has
  bool has_planner;
  bool is_asking;  // a question is in the file, its answer not yet
} fw__recorder_t;

// Begins a file. One that is there becomes PATH.old: it may hold why the last process ended. The file itself becomes that,
// and a new one begins, when it has half of `max_bytes`.
FW_MUST_USE fw_ret_t
fw__recorder_open(fw__recorder_t * recorder, const char * path, int64_t max_bytes, fw_error_t * error);
void fw__recorder_close(fw__recorder_t * recorder);

// Before the first solve of a planner, and after each time that it is made anew.
void fw__recorder_forget_planner(fw__recorder_t * recorder);

// Before and after each solve. On failure the recorder is closed, and nothing more is recorded.
FW_MUST_USE fw_ret_t fw__recorder_ask(
  fw__recorder_t * recorder, const fw__record_planner_t * planner, const fw_problem_t * problem, fw_error_t * error);

typedef struct fw__record_answer_t {
  const fw_problem_t * problem;
  const fw__stopwatch_notes_t * notes;
  fw_ret_t ret;
  const fw_plan_t * plan;
} fw__record_answer_t;

FW_MUST_USE fw_ret_t
fw__recorder_answer(fw__recorder_t * recorder, const fw__record_answer_t * answer, fw_error_t * error);

// The plan as it stands in a record, and in a plan file.
FW_MUST_USE fw_ret_t
fw__record_write_plan(const fw_problem_t * problem, const fw_plan_t * plan, FILE * stream, fw_error_t * error);

#endif  // PLAN__RECORDER_H_
