// `fleetweave bench`: runs `fleetweave_bench` (src/bench), the program with the experiments, which is installed in the
// same folder. The experiments are not part of the command line that users ship, but scripts that call `fleetweave
// bench …` keep working: options, output and exit codes are those of fleetweave_bench.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/message.h"
#include "cli/common/output.h"

#define BENCH_PROGRAM "fleetweave_bench"

// The path of BENCH_PROGRAM in the folder of the running program. Without /proc it is the bare name, which execvp then
// looks up in PATH.
static void find_bench(char path[CLI_PATH_MAX])
{
  const ssize_t length = readlink("/proc/self/exe", path, CLI_PATH_MAX - sizeof(BENCH_PROGRAM));
  char * name = path;
  FW_ASSERT(length < CLI_PATH_MAX - (ssize_t)sizeof(BENCH_PROGRAM) + 1);
  if (length > 0) {
    path[length] = '\0';
    char * slash = strrchr(path, '/');
    name = slash != NULL ? slash + 1 : path;
  }
  memcpy(name, BENCH_PROGRAM, sizeof(BENCH_PROGRAM));
}

static int run(int argument_count, char ** arguments)
{
  static char program[] = BENCH_PROGRAM;
  char path[CLI_PATH_MAX];
  find_bench(path);
  char ** words = calloc((size_t)argument_count + 1, sizeof(*words));
  if (words == NULL) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  words[0] = program;
  for (int i = 1; i < argument_count; i++) {
    words[i] = arguments[i];
  }
  fflush(stdout);
  execvp(path, words);  // returns only if it failed
  const int reason = errno;
  free(words);
  return cli_error(
    CLI_FAILURE, "`bench` cannot run %s: %s; build and install this program together with fleetweave", path,
    strerror(reason));
}

const cli_command_t cli_command_bench = {
  .name = "bench",
  .summary = "compare planners on your map, or repeat experiments of papers (runs " BENCH_PROGRAM ")",
  .run = run,
};
