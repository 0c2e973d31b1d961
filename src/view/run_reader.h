// The state of reading a run, shared by run.c (header, grid) and run_lines.c (poses, events).

#ifndef VIEW__RUN_READER_H_
#define VIEW__RUN_READER_H_

#include <stdio.h>

#include "view/run.h"

// Positions are kept in thousandths of a cell, times in milliseconds: finer than a screen shows.
#define FW__RUN_UNITS_PER_CELL 1000
#define FW__RUN_UNITS_PER_SECOND 1000.0

typedef struct fw__run_reader_t {
  FILE * stream;
  const char * path;
  char * line;  // the present line, without its end
  size_t line_capacity;
  int64_t line_number;
  bool has_newline;
  fw__run_t * run;
  fw__sample_t * last;  // the latest sample of each robot
  bool * has_pose;
  int64_t pose_time;  // of the last `p` line, -1 before the first
  int64_t period;     // shortest time between two `p` lines so far, 0 before the second
  int64_t time;       // of the last line of any kind
  fw_error_t * error;
} fw__run_reader_t;

// Fills the error with the file, the line and the reason; returns FW_RET_FILE.
fw_ret_t fw__run_refuse(fw__run_reader_t * reader, const char * format, ...) FW_PRINTF(2, 3);

// Takes the present line, one of those after `poses=`.
fw_ret_t fw__run_read_line(fw__run_reader_t * reader);

#endif  // VIEW__RUN_READER_H_
