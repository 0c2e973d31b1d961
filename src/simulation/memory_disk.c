// See memory_disk.h.

#include "simulation/memory_disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

// A simulated disk that cannot do what a real one does says nothing about the journal.
static void need(bool holds)
{
  if (!holds) {
    abort();
  }
}

fw_memory_disk_t * fw__memory_disk_new(void)
{
  fw_memory_disk_t * disk = calloc(1, sizeof(*disk));
  need(disk != NULL);
  disk->torn_bytes = -1;
  return disk;
}

void fw__memory_disk_delete(fw_memory_disk_t * disk)
{
  for (int i = 0; disk != NULL && i < disk->file_count; ++i) {
    free(disk->files[i].content.bytes);
    free(disk->files[i].synced.bytes);
  }
  free(disk);
}

static void content_resize(fw_disk_content_t * content, size_t size)
{
  if (size > content->capacity) {
    content->capacity = size * 2;
    content->bytes = realloc(content->bytes, content->capacity);
    need(content->bytes != NULL);
  }
  if (size > content->size) {
    memset(content->bytes + content->size, 0, size - content->size);
  }
  content->size = size;
}

static void content_copy(fw_disk_content_t * to, const fw_disk_content_t * from, size_t size)
{
  content_resize(to, size);
  if (size > 0) {
    memcpy(to->bytes, from->bytes, size);
  }
}

fw_disk_name_t * fw__memory_disk_name(fw_memory_disk_t * disk, const char * path)
{
  for (int i = 0; i < FW_DISK_NAMES_MAX; ++i) {
    if (strcmp(disk->names[i].path, path) == 0) {
      return &disk->names[i];
    }
  }
  return NULL;
}

static void set_path(fw_disk_name_t * name, const char * path)
{
  const size_t length = strlen(path);
  FW_ASSERT(length < sizeof(name->path));
  memcpy(name->path, path, length + 1);
}

static int disk_create(fw_memory_disk_t * disk, const char * path)
{
  fw_disk_name_t * name = fw__memory_disk_name(disk, "");
  if (name == NULL) {
    abort();
  }
  need(disk->file_count < FW_DISK_FILES_MAX);
  set_path(name, path);
  name->file = disk->file_count++;
  return name->file;
}

typedef enum disk_step_t { STEP_WORKS, STEP_HALF, STEP_NOT } disk_step_t;

// What happens at this call; sets *ret to its error.
static disk_step_t disk_step(fw_memory_disk_t * disk, int * ret)
{
  *ret = disk->fault == FW_DISK_FAILS ? -ENOSPC : -EIO;
  if (disk->is_stopped) {
    return STEP_NOT;
  }
  ++disk->calls;
  if (disk->fault_at == 0 || disk->calls < disk->fault_at) {
    return STEP_WORKS;
  }
  if (disk->fault == FW_DISK_FAILS) {
    return disk->calls >= disk->fault_at + disk->fault_calls ? STEP_WORKS : disk->calls % 2 == 0 ? STEP_HALF : STEP_NOT;
  }
  disk->is_stopped = true;
  return disk->fault == FW_DISK_STOPS_AFTER ? STEP_WORKS : disk->fault == FW_DISK_STOPS_HALFWAY ? STEP_HALF : STEP_NOT;
}

static int disk_open(void * state, const char * path)
{
  fw_memory_disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  const fw_disk_name_t * name = fw__memory_disk_name(disk, path);
  const int file = name != NULL ? name->file : disk_create(disk, path);
  if (disk->files[file].is_open) {
    return -EWOULDBLOCK;
  }
  disk->files[file].is_open = true;
  return file;
}

static int64_t disk_size(void * state, int file)
{
  fw_memory_disk_t * disk = state;
  int ret;
  return disk_step(disk, &ret) == STEP_WORKS ? (int64_t)disk->files[file].content.size : ret;
}

static int64_t disk_read(void * state, int file, fw_journal_block_t block)
{
  fw_memory_disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  const fw_disk_content_t * content = &disk->files[file].content;
  const size_t left = (size_t)block.offset < content->size ? content->size - (size_t)block.offset : 0;
  // Few bytes at a time: callers must ask again.
  const size_t count = block.size < left ? (block.size > 1000 ? 1000 : block.size) : left;
  memcpy(block.bytes, content->bytes + block.offset, count);
  return (int64_t)count;
}

static int64_t disk_write(void * state, int file, fw_journal_block_t block)
{
  fw_memory_disk_t * disk = state;
  int ret;
  const disk_step_t step = disk_step(disk, &ret);
  FW_ASSERT(disk->is_stopped || disk->files[file].is_open);
  const size_t torn = disk->torn_bytes < 0 || disk->fault != FW_DISK_STOPS_HALFWAY ? block.size / 2
                      : (size_t)disk->torn_bytes < block.size                      ? (size_t)disk->torn_bytes
                                                                                   : block.size - 1;
  const size_t count = step == STEP_WORKS ? block.size : step == STEP_HALF ? torn : 0;
  fw_disk_content_t * content = &disk->files[file].content;
  if (count > 0) {
    const size_t end = (size_t)block.offset + count;
    content_resize(content, end > content->size ? end : content->size);
    memcpy(content->bytes + block.offset, block.bytes, count);
  }
  return step == STEP_WORKS ? (int64_t)count : ret;
}

static int disk_truncate(void * state, int file, int64_t size)
{
  fw_memory_disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  content_resize(&disk->files[file].content, (size_t)size);
  return 0;
}

static int disk_sync(void * state, int file)
{
  fw_memory_disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  ++disk->syncs;
  content_copy(&disk->files[file].synced, &disk->files[file].content, disk->files[file].content.size);
  return 0;
}

static int disk_check(void * state, int file, const char * path)
{
  fw_memory_disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  const fw_disk_name_t * name = fw__memory_disk_name(disk, path);
  return name == NULL ? -ENOENT : name->file == file ? 0 : -ESTALE;
}

static int disk_rename(void * state, const char * from, const char * to)
{
  fw_memory_disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  fw_disk_name_t * source = fw__memory_disk_name(disk, from);
  fw_disk_name_t * target = fw__memory_disk_name(disk, to);
  need(source != NULL);
  if (target != NULL) {
    target->path[0] = '\0';
  }
  set_path(source, to);
  return 0;
}

static int disk_remove(void * state, const char * path)
{
  fw_memory_disk_t * disk = state;
  int ret;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  fw_disk_name_t * name = fw__memory_disk_name(disk, path);
  if (name == NULL) {
    return -ENOENT;
  }
  name->path[0] = '\0';
  return 0;
}

static int disk_sync_directory(void * state, const char * path)
{
  fw_memory_disk_t * disk = state;
  int ret;
  (void)path;
  if (disk_step(disk, &ret) != STEP_WORKS) {
    return ret;
  }
  ++disk->directory_syncs;
  memcpy(disk->synced_names, disk->names, sizeof(disk->names));
  return 0;
}

static void disk_close(void * state, int file)
{
  fw_memory_disk_t * disk = state;
  disk->files[file].is_open = false;
}

fw_journal_io_t fw__memory_disk_io(fw_memory_disk_t * disk)
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
void fw__memory_disk_restart(fw_memory_disk_t * disk)
{
  for (int i = 0; i < disk->file_count; ++i) {
    disk->files[i].is_open = false;
  }
  disk->is_stopped = false;
  disk->fault_at = 0;
}

// Power failed: what was not synced is lost, except for `kept` of the bytes that were appended since the last sync.
void fw__memory_disk_lose_power(fw_memory_disk_t * disk, double kept)
{
  for (int i = 0; i < disk->file_count; ++i) {
    fw_disk_file_t * file = &disk->files[i];
    size_t size = file->synced.size;
    if (file->content.size > size) {
      const size_t appended = file->content.size - size;
      size += (size_t)(kept * (double)appended);
    }
    fw_disk_content_t after = {0};
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
  fw__memory_disk_restart(disk);
}

const fw_disk_content_t * fw__memory_disk_content(fw_memory_disk_t * disk, const char * path)
{
  const fw_disk_name_t * name = fw__memory_disk_name(disk, path);
  need(name != NULL);
  return &disk->files[name->file].content;
}

void fw__memory_disk_put(fw_memory_disk_t * disk, const char * path, const uint8_t * bytes, size_t size)
{
  const fw_disk_name_t * name = fw__memory_disk_name(disk, path);
  fw_disk_content_t * content = &disk->files[name != NULL ? name->file : disk_create(disk, path)].content;
  content_resize(content, size);
  if (size > 0) {
    memcpy(content->bytes, bytes, size);
  }
}
