// Short names for the disk in memory of src/simulation/memory_disk.h.

#ifndef TEST_MEMORY_DISK_H_
#define TEST_MEMORY_DISK_H_

#include "simulation/memory_disk.h"
#include "support/test.h"

enum { FILES_MAX = FW_DISK_FILES_MAX, NAMES_MAX = FW_DISK_NAMES_MAX };
#define DISK_FAILS FW_DISK_FAILS
#define DISK_STOPS_BEFORE FW_DISK_STOPS_BEFORE
#define DISK_STOPS_HALFWAY FW_DISK_STOPS_HALFWAY
#define DISK_STOPS_AFTER FW_DISK_STOPS_AFTER
#define DISK_FAULT_COUNT FW_DISK_FAULT_COUNT

typedef fw_disk_content_t content_t;
typedef fw_disk_fault_t disk_fault_t;
typedef fw_memory_disk_t disk_t;

static inline disk_t * disk_new(void) { return fw__memory_disk_new(); }
static inline void disk_delete(disk_t * disk) { fw__memory_disk_delete(disk); }
static inline fw_journal_io_t disk_io(disk_t * disk) { return fw__memory_disk_io(disk); }
static inline void disk_restart(disk_t * disk) { fw__memory_disk_restart(disk); }
static inline void disk_lose_power(disk_t * disk, double kept) { fw__memory_disk_lose_power(disk, kept); }
static inline fw_disk_name_t * disk_name(disk_t * disk, const char * path) { return fw__memory_disk_name(disk, path); }
static inline const content_t * disk_content(disk_t * disk, const char * path)
{
  return fw__memory_disk_content(disk, path);
}
static inline void disk_put(disk_t * disk, const char * path, const uint8_t * bytes, size_t size)
{
  fw__memory_disk_put(disk, path, bytes, size);
}

static inline void content_copy(content_t * to, const content_t * from, size_t size)
{
  to->bytes = size > to->capacity ? realloc(to->bytes, size) : to->bytes;
  to->capacity = size > to->capacity ? size : to->capacity;
  to->size = size;
  if (size > 0) {
    assert_non_null(to->bytes);
    memcpy(to->bytes, from->bytes, size);
  }
}

#endif  // TEST_MEMORY_DISK_H_
