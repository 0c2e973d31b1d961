// `fleetweave bench`: hands over to the program of experiments, `fleetweave_bench` (src/bench), which is installed
// beside this one. The experiments are no part of the command line that users ship, but a script that calls `fleetweave
// bench …` keeps working: options, output and exit codes are those of fleetweave_bench.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/common/output.h"
#include "cli/common/words.h"

#define BENCH_PROGRAM "fleetweave_bench"

// The path of BENCH_PROGRAM in the folder of the running program; its bare name, which is then looked for in PATH, on a
// system that does not say where a program runs from.
static void find_bench(char path[CLI_PATH_MAX])
{
  const ssize_t length = readlink("/proc/self/exe", path, CLI_PATH_MAX - sizeof(BENCH_PROGRAM));
  char * name = path;
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
    return cli_say(CLI_FAILURE, "out of memory");
  }
  words[0] = program;
  for (int i = 1; i < argument_count; i++) {
    words[i] = arguments[i];
  }
  fflush(stdout);
  execvp(path, words);  // returns only if it failed
  const int reason = errno;
  free(words);
  return cli_say(
    CLI_FAILURE, "`bench` needs the program %s: %s; build and install it together with fleetweave", path,
    strerror(reason));
}

const cli_command_t cli_command_bench = {
  .name = "bench",
  .summary = "measure planners side by side, on your map or a paper's (runs " BENCH_PROGRAM ")",
  .run = run,
};
