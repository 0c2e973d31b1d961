// The journal's file operations on POSIX systems.

#include "controller/restart/journal_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"

static int system_check(void * state, int file, const char * path)
{
  (void)state;
  struct stat ours;
  struct stat named;
  if (fstat(file, &ours) != 0) {
    return -errno;
  }
  if (lstat(path, &named) != 0) {
    return errno == ENOTDIR ? -ENOENT : -errno;
  }
  return ours.st_dev == named.st_dev && ours.st_ino == named.st_ino ? 0 : -ESTALE;
}

static int open_locked(const char * path)
{
  // O_NONBLOCK: a pipe or a device is refused below and must not stop us here.
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0644);
  if (file < 0) {
    return -errno;
  }
  struct stat status;
  int ret = fstat(file, &status) != 0 ? -errno : S_ISREG(status.st_mode) ? 0 : -EINVAL;
  // flock and not fcntl: it also excludes a second journal in the same process, and is not lost when some other part of
  // the process opens and closes the file.
  while (ret == 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
    ret = errno == EINTR ? 0 : -errno;
  }
  ret = ret == 0 ? system_check(NULL, file, path) : ret;
  if (ret != 0) {
    (void)close(file);
  }
  return ret != 0 ? ret : file;
}

// Between open and lock the owner may have replaced the file by compaction: then we have locked a file without a name.
static int system_open(void * state, const char * path)
{
  (void)state;
  enum { TRIES = 16 };
  int file = -EWOULDBLOCK;
  for (int32_t i = 0; i < TRIES; ++i) {
    file = open_locked(path);
    if (file != -ESTALE && file != -ENOENT && file != -EINTR) {
      return file;
    }
  }
  return file == -ESTALE ? -EWOULDBLOCK : file;
}

static int64_t system_size(void * state, int file)
{
  (void)state;
  struct stat status;
  return fstat(file, &status) != 0 ? -errno : (int64_t)status.st_size;
}

static int64_t system_read(void * state, int file, fw_journal_block_t block)
{
  (void)state;
  const ssize_t count = pread(file, block.bytes, block.size, (off_t)block.offset);
  return count < 0 ? -errno : (int64_t)count;
}

static int64_t system_write(void * state, int file, fw_journal_block_t block)
{
  (void)state;
  const ssize_t count = pwrite(file, block.bytes, block.size, (off_t)block.offset);
  return count < 0 ? -errno : (int64_t)count;
}

static int system_truncate(void * state, int file, int64_t size)
{
  (void)state;
  return ftruncate(file, (off_t)size) != 0 ? -errno : 0;
}

static int system_sync(void * state, int file)
{
  (void)state;
  return fsync(file) != 0 ? -errno : 0;
}

static int system_rename(void * state, const char * from, const char * to)
{
  (void)state;
  return rename(from, to) != 0 ? -errno : 0;
}

static int system_remove(void * state, const char * path)
{
  (void)state;
  return unlink(path) != 0 ? -errno : 0;
}

static int system_sync_directory(void * state, const char * path)
{
  (void)state;
  char directory[FW_JOURNAL_PATH_BYTES_MAX + 1] = ".";
  const char * slash = strrchr(path, '/');
  if (slash != NULL) {
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    FW_ASSERT(length < sizeof(directory));
    memcpy(directory, path, length);
    directory[length] = '\0';
  }
  const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) {
    return -errno;
  }
  // EINVAL: a file system that cannot sync directories, and so needs no sync or offers none.
  const int ret = fsync(file) != 0 && errno != EINVAL ? -errno : 0;
  (void)close(file);
  return ret;
}

static void system_close(void * state, int file)
{
  (void)state;
  (void)close(file);
}

fw_journal_io_t fw__journal_io_system(void)
{
  return (fw_journal_io_t){
    .open = system_open,
    .size = system_size,
    .read = system_read,
    .write = system_write,
    .truncate = system_truncate,
    .sync = system_sync,
    .check = system_check,
    .rename = system_rename,
    .remove = system_remove,
    .sync_directory = system_sync_directory,
    .close = system_close,
  };
}
