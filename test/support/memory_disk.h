// A disk in memory for the journal: it can fail or stop at any call, and knows which bytes and names were synced, so
// that a kill, a full disk and a power failure can be played.

#ifndef TEST_MEMORY_DISK_H_
#define TEST_MEMORY_DISK_H_

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/journal_io.h"
#include "support/test.h"

enum { FILES_MAX = 4096, NAMES_MAX = 4 };

typedef struct content_t {
  uint8_t * bytes;
  size_t size;
  size_t capacity;
} content_t;

typedef struct disk_file_t {
  content_t content;
  content_t synced;
  bool is_open;
} disk_file_t;

typedef struct disk_name_t {
  char path[40];
  int file;
} disk_name_t;

typedef enum disk_fault_t {
  DISK_FAILS,         // the call has no effect (a write: part of it) and fails
  DISK_STOPS_BEFORE,  // no effect, and neither has any call after it
  DISK_STOPS_HALFWAY,
  DISK_STOPS_AFTER,  // the call has its effect, but no call after it has any
  DISK_FAULT_COUNT,
} disk_fault_t;

typedef struct disk_t {
  disk_file_t files[FILES_MAX];
  int file_count;
  disk_name_t names[NAMES_MAX];
  disk_name_t synced_names[NAMES_MAX];
  int64_t calls;
  int64_t fault_at;     // this call is the first with a fault, 0 for none
  int64_t fault_calls;  // so many calls fail (DISK_FAILS)
  disk_fault_t fault;
  bool is_stopped;
  int64_t syncs;
  int64_t directory_syncs;
} disk_t;

static inline disk_t * disk_new(void)
{
  disk_t * disk = calloc(1, sizeof(*disk));
  assert_non_null(disk);
  return disk;
}

static inline void disk_delete(disk_t * disk)
{
  for (int i = 0; i < disk->file_count; ++i) {
    free(disk->files[i].content.bytes);
    free(disk->files[i].synced.bytes);
  }
  free(disk);
}

static inline void content_resize(content_t * content, size_t size)
{
  if (size > content->capacity) {
    content->capacity = size * 2;
    content->bytes = realloc(content->bytes, content->capacity);
    assert_non_null(content->bytes);
  }
  if (size > content->size) {
    memset(content->bytes + content->size, 0, size - content->size);
  }
  content->size = size;
}

static inline void content_copy(content_t * to, const content_t * from, size_t size)
{
  content_resize(to, size);
  if (size > 0) {
    memcpy(to->bytes, from->bytes, size);
  }
}

static inline disk_name_t * disk_name(disk_t * disk, const char * path)
{
  for (int i = 0; i < NAMES_MAX; ++i) {
    if (strcmp(disk->names[i].path, path) == 0) {
      return &disk->names[i];
    }
  }
  return NULL;
}

static inline void set_path(disk_name_t * name, const char * path)
{
  const size_t length = strlen(path);
  assert_in_range(length, 0, sizeof(name->path) - 1);
  memcpy(name->path, path, length + 1);
}

static inline int disk_create(disk_t * disk, const char * path)
{
  disk_name_t * name = disk_name(disk, "");
  if (name == NULL) {
    abort();
  }
  assert_in_range(disk->file_count, 0, FILES_MAX - 1);
  set_path(name, path);
  name->file = disk->file_count++;
  return name->file;
}

typedef enum disk_step_t { STEP_WORKS, STEP_HALF, STEP_NOT } disk_step_t;

// What happens at this call; sets *ret to its error.
static inline disk_step_t disk_step(disk_t * disk, int * ret)
{
  *ret = disk->fault == DISK_FAILS ? -ENOSPC : -EIO;
  if (disk->is_stopped) {
    return STEP_NOT;
  }
  ++disk->calls;
  if (disk->fault_at == 0 || disk->calls < disk->fault_at) {
    return STEP_WORKS;
  }
  if (disk->fault == DISK_FAILS) {
    return disk->calls >= disk->fault_at + disk->fault_calls ? STEP_WORKS : disk->calls % 2 == 0 ? STEP_HALF : STEP_NOT;
  }
  disk->is_stopped = true;
  return disk->fault == DISK_STOPS_AFTER ? STEP_WORKS : disk->fault == DISK_STOPS_HALFWAY ? STEP_HALF : STEP_NOT;
}

static inline int disk_open(void * state, const char * path)
{
  disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  const disk_name_t * name = disk_name(disk, path);
  const int file = name != NULL ? name->file : disk_create(disk, path);
  if (disk->files[file].is_open) {
    return -EWOULDBLOCK;
  }
  disk->files[file].is_open = true;
  return file;
}

static inline int64_t disk_size(void * state, int file)
{
  disk_t * disk = state;
  int ret;
  return disk_step(disk, &ret) == STEP_WORKS ? (int64_t)disk->files[file].content.size : ret;
}

static inline int64_t disk_read(void * state, int file, fw_journal_block_t block)
{
  disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  const content_t * content = &disk->files[file].content;
  const size_t left = (size_t)block.offset < content->size ? content->size - (size_t)block.offset : 0;
  // Few bytes at a time: callers must ask again.
  const size_t count = block.size < left ? (block.size > 1000 ? 1000 : block.size) : left;
  memcpy(block.bytes, content->bytes + block.offset, count);
  return (int64_t)count;
}

static inline int64_t disk_write(void * state, int file, fw_journal_block_t block)
{
  disk_t * disk = state;
  int ret;
  const disk_step_t step = disk_step(disk, &ret);
  assert_true(disk->is_stopped || disk->files[file].is_open);
  const size_t count = step == STEP_WORKS ? block.size : step == STEP_HALF ? block.size / 2 : 0;
  content_t * content = &disk->files[file].content;
  if (count > 0) {
    const size_t end = (size_t)block.offset + count;
    content_resize(content, end > content->size ? end : content->size);
    memcpy(content->bytes + block.offset, block.bytes, count);
  }
  return step == STEP_WORKS ? (int64_t)count : ret;
}

static inline int disk_truncate(void * state, int file, int64_t size)
{
  disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  content_resize(&disk->files[file].content, (size_t)size);
  return 0;
}

static inline int disk_sync(void * state, int file)
{
  disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  ++disk->syncs;
  content_copy(&disk->files[file].synced, &disk->files[file].content, disk->files[file].content.size);
  return 0;
}

static inline int disk_check(void * state, int file, const char * path)
{
  disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  const disk_name_t * name = disk_name(disk, path);
  return name == NULL ? -ENOENT : name->file == file ? 0 : -ESTALE;
}

static inline int disk_rename(void * state, const char * from, const char * to)
{
  disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  disk_name_t * source = disk_name(disk, from);
  disk_name_t * target = disk_name(disk, to);
  assert_non_null(source);
  if (target != NULL) {
    target->path[0] = '\0';
  }
  set_path(source, to);
  return 0;
}

static inline int disk_remove(void * state, const char * path)
{
  disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  disk_name_t * name = disk_name(disk, path);
  if (name == NULL) {
    return -ENOENT;
  }
  name->path[0] = '\0';
  return 0;
}

static inline int disk_sync_directory(void * state, const char * path)
{
  disk_t * disk = state;
  int ret;
  (void)path;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  ++disk->directory_syncs;
  memcpy(disk->synced_names, disk->names, sizeof(disk->names));
  return 0;
}

static inline void disk_close(void * state, int file)
{
  disk_t * disk = state;
  disk->files[file].is_open = false;
}

static inline fw_journal_io_t disk_io(disk_t * disk)
{
  return (fw_journal_io_t){
    .state = disk,
    .open = disk_open,
    .size = disk_size,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .sync = disk_sync,
    .check = disk_check,
    .rename = disk_rename,
    .remove = disk_remove,
    .sync_directory = disk_sync_directory,
    .close = disk_close,
  };
}

// The process was killed: what it wrote is there, its locks are not.
static inline void disk_restart(disk_t * disk)
{
  for (int i = 0; i < disk->file_count; ++i) {
    disk->files[i].is_open = false;
  }
  disk->is_stopped = false;
  disk->fault_at = 0;
}

// Power failed: what was not synced is lost, except for `kept` of the bytes that were appended since the last sync.
static inline void disk_lose_power(disk_t * disk, double kept)
{
  for (int i = 0; i < disk->file_count; ++i) {
    disk_file_t * file = &disk->files[i];
    size_t size = file->synced.size;
    if (file->content.size > size) {
      const size_t appended = file->content.size - size;
      size += (size_t)(kept * (double)appended);
    }
    content_t after = {0};
    content_copy(&after, &file->content, size > file->content.size ? file->content.size : size);
    content_resize(&after, size);
    if (file->synced.size > 0) {
      memcpy(after.bytes, file->synced.bytes, file->synced.size);
    }
    free(file->content.bytes);
    file->content = after;
    content_copy(&file->synced, &after, after.size);
  }
  memcpy(disk->names, disk->synced_names, sizeof(disk->names));
  disk_restart(disk);
}

static inline const content_t * disk_content(disk_t * disk, const char * path)
{
  const disk_name_t * name = disk_name(disk, path);
  assert_non_null(name);
  return &disk->files[name->file].content;
}

static inline void disk_put(disk_t * disk, const char * path, const uint8_t * bytes, size_t size)
{
  const disk_name_t * name = disk_name(disk, path);
  content_t * content = &disk->files[name != NULL ? name->file : disk_create(disk, path)].content;
  content_resize(content, size);
  if (size > 0) {
    memcpy(content->bytes, bytes, size);
  }
}

#endif  // TEST_MEMORY_DISK_H_
