// realpath is POSIX, but of its XSI part: the C library shows it on this request only.
#define _XOPEN_SOURCE 700

#include "cli/common/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/words.h"

static bool say_cannot(const char * path)
{
  (void)cli_say(CLI_FAILURE, "%s cannot be written: %s", path, strerror(errno));
  return false;
}

// A link is followed: the file that it points to is replaced, the link stays.
static bool resolve(cli_output_t * output, const char * path)
{
  char * real = realpath(path, NULL);
  const char * target = real != NULL ? real : path;
  const size_t length = strlen(target);
  const bool has_room = length + sizeof(".XXXXXX") <= sizeof(output->target);
  if (has_room) {
    memcpy(output->target, target, length + 1);
    memcpy(output->temporary, target, length);
    memcpy(output->temporary + length, ".XXXXXX", sizeof(".XXXXXX"));
  }
  free(real);
  errno = ENAMETOOLONG;
  return has_room;
}

bool cli_output_open(cli_output_t * output, const char * path)
{
  *output = (cli_output_t){0};
  if (strcmp(path, "-") == 0) {
    output->stream = stdout;
    return true;
  }
  if (!resolve(output, path)) {
    return say_cannot(path);
  }
  struct stat status;
  if (stat(output->target, &status) == 0 && !S_ISREG(status.st_mode)) {
    output->temporary[0] = '\0';
    output->stream = fopen(output->target, "w");
    return output->stream != NULL ? true : say_cannot(path);
  }
  const int file = mkstemp(output->temporary);
  if (file < 0) {
    output->temporary[0] = '\0';
    return say_cannot(path);
  }
  const mode_t mask = umask(0);  // mkstemp makes files for their owner alone; the target shall be an ordinary one
  umask(mask);
  (void)fchmod(file, 0666 & ~mask);
  output->stream = fdopen(file, "w");
  if (output->stream == NULL) {
    close(file);
    unlink(output->temporary);
    return say_cannot(path);
  }
  return true;
}

bool cli_output_is_possible(const char * path)
{
  struct stat status;
  if (strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) {
    return true;  // opening a pipe or a device can have effects of its own
  }
  cli_output_t output = {0};
  const bool is_possible = cli_output_open(&output, path);
  cli_output_discard(&output);
  return is_possible;
}

bool cli_output_commit(cli_output_t * output)
{
  if (output->stream == stdout) {
    output->stream = NULL;
    return true;  // main looks after stdout
  }
  bool is_written = !ferror(output->stream);
  is_written = fclose(output->stream) == 0 && is_written;
  output->stream = NULL;
  if (is_written && output->temporary[0] != '\0') {
    is_written = rename(output->temporary, output->target) == 0;
  }
  if (!is_written) {
    (void)say_cannot(output->target);
    cli_output_discard(output);
    return false;
  }
  output->temporary[0] = '\0';
  return true;
}

void cli_output_discard(cli_output_t * output)
{
  if (output->stream != NULL && output->stream != stdout) {
    fclose(output->stream);
  }
  if (output->temporary[0] != '\0') {
    unlink(output->temporary);
  }
  *output = (cli_output_t){0};
}
