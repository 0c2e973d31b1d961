// A file that is written completely or not at all: it has a temporary name in the folder of its target and is renamed
// at the end. After a failure or Ctrl-C the old file is unchanged.
//
//   if (!cli_output_open(&output, path)) {
//     return CLI_FAILURE;
//   }
//   const fw_ret_t ret = fw_grid_write(grid, output.stream, &error);
//   return cli_output_finish(&output, ret, &error);

#ifndef CLI__COMMON__OUTPUT_H_
#define CLI__COMMON__OUTPUT_H_

#include <stdbool.h>
#include <stdio.h>

#include "fleetweave/fleetweave.h"

enum { CLI_PATH_MAX = 4096 };

typedef struct cli_output_t {
  const char * path;  // as given, for messages; borrowed
  FILE * stream;      // NULL: not open
  char target[CLI_PATH_MAX];
  char temporary[CLI_PATH_MAX];  // empty: `target` is written directly (stdout, /dev/null, a pipe)
} cli_output_t;

// Whether the file can be written: tested before long work. Prints an error message if not.
bool cli_output_is_possible(const char * path);
// Opens the file; "-" is stdout. Prints an error message on failure.
bool cli_output_open(cli_output_t * output, const char * path);
// Moves the file to its place. Prints an error message on failure.
bool cli_output_commit(cli_output_t * output);
// Removes what has been written so far. Does nothing for `{0}` and after a commit.
void cli_output_discard(cli_output_t * output);
// Commits if `ret` is FW_RET_OK; otherwise discards the file and prints `error`. Returns CLI_SUCCESS or CLI_FAILURE.
int cli_output_finish(cli_output_t * output, fw_ret_t ret, const fw_error_t * error);

// ---- paths ----------------------------------------------------------------------------------------------------------

// "maps/hall.map" -> "hall.map", a part of `path`.
const char * cli_path_file_name(const char * path);
// Whether the path ends in `suffix`, such as ".svg".
bool cli_path_has_suffix(const char * path, const char * suffix);

#endif  // CLI__COMMON__OUTPUT_H_
