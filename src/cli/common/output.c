// realpath belongs to the XSI extension of POSIX: the C library declares it only with this macro.
#define _XOPEN_SOURCE 700

#include "cli/common/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/common/command.h"
#include "cli/common/message.h"

static bool report_errno(const char * path)
{
  (void)cli_error(CLI_FAILURE, "cannot write %s: %s", path, strerror(errno));
  return false;
}

// Sets the target and the temporary name. A symbolic link is followed: the file that it points to is replaced, the
// link stays.
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
  FW_ASSERT(path != NULL);
  *output = (cli_output_t){.path = path};
  if (strcmp(path, "-") == 0) {
    output->stream = stdout;
    return true;
  }
  if (!resolve(output, path)) {
    return report_errno(path);
  }
  struct stat status;
  if (stat(output->target, &status) == 0 && !S_ISREG(status.st_mode)) {
    output->temporary[0] = '\0';
    output->stream = fopen(output->target, "w");
    return output->stream != NULL ? true : report_errno(path);
  }
  const int file = mkstemp(output->temporary);
  if (file < 0) {
    output->temporary[0] = '\0';
    return report_errno(path);
  }
  const mode_t mask = umask(0);  // mkstemp gives permissions to the owner only; the target gets the usual ones
  umask(mask);
  (void)fchmod(file, 0666 & ~mask);
  output->stream = fdopen(file, "w");
  if (output->stream == NULL) {
    close(file);
    unlink(output->temporary);
    return report_errno(path);
  }
  return true;
}

bool cli_output_is_possible(const char * path)
{
  struct stat status;
  if (strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) {
    return true;  // opening a pipe or a device can have side effects
  }
  cli_output_t output = {0};
  const bool is_possible = cli_output_open(&output, path);
  cli_output_discard(&output);
  return is_possible;
}

bool cli_output_commit(cli_output_t * output)
{
  FW_ASSERT(output->stream != NULL);
  if (output->stream == stdout) {
    output->stream = NULL;
    return true;  // main flushes stdout and reports its errors
  }
  bool is_written = !ferror(output->stream);
  is_written = fclose(output->stream) == 0 && is_written;
  output->stream = NULL;
  if (is_written && output->temporary[0] != '\0') {
    is_written = rename(output->temporary, output->target) == 0;
  }
  if (!is_written) {
    (void)report_errno(output->target);
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

int cli_output_finish(cli_output_t * output, fw_ret_t ret, const fw_error_t * error)
{
  FW_ASSERT(output->stream != NULL);
  if (ret != FW_RET_OK) {
    const char * path = output->path;
    cli_output_discard(output);
    return cli_error(CLI_FAILURE, "%s: %s", path, error->text);
  }
  return cli_output_commit(output) ? CLI_SUCCESS : CLI_FAILURE;
}

const char * cli_path_file_name(const char * path)
{
  const char * slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

bool cli_path_has_suffix(const char * path, const char * suffix)
{
  const size_t length = strlen(path);
  return length >= strlen(suffix) && strcmp(path + length - strlen(suffix), suffix) == 0;
}
