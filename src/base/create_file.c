// Files that only their owner may write. See create_file.h.

#include "base/create_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

FILE * fw__create_file(const char * path, bool must_be_new)
{
  const int file = open(
    path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (must_be_new ? O_EXCL : O_TRUNC),
    S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  FILE * stream = file < 0 ? NULL : fdopen(file, "w");
  if (file >= 0 && stream == NULL) {
    const int reason = errno;
    (void)close(file);
    errno = reason;
  }
  return stream;
}
