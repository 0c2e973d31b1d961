// A disk in memory for the journal: it can fail or stop at any call, and knows which bytes and names were synced, so
// that a kill, a full disk and a power failure can be played.

#ifndef SIMULATION__MEMORY_DISK_H_
#define SIMULATION__MEMORY_DISK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/restart/journal_io.h"

enum { FW_DISK_FILES_MAX = 4096, FW_DISK_NAMES_MAX = 8 };

typedef struct fw_disk_content_t {
  uint8_t * bytes;
  size_t size;
  size_t capacity;
} fw_disk_content_t;

typedef struct fw_disk_file_t {
  fw_disk_content_t content;
  fw_disk_content_t synced;
  bool is_open;
} fw_disk_file_t;

typedef struct fw_disk_name_t {
  char path[40];
  int file;
} fw_disk_name_t;

typedef enum fw_disk_fault_t {
  FW_DISK_FAILS,         // the call has no effect (a write: part of it) and fails
  FW_DISK_STOPS_BEFORE,  // no effect, and neither has any call after it
  FW_DISK_STOPS_HALFWAY,
  FW_DISK_STOPS_AFTER,  // the call has its effect, but no call after it has any
  FW_DISK_FAULT_COUNT,
} fw_disk_fault_t;

typedef struct fw_memory_disk_t {
  fw_disk_file_t files[FW_DISK_FILES_MAX];
  int file_count;
  fw_disk_name_t names[FW_DISK_NAMES_MAX];
  fw_disk_name_t synced_names[FW_DISK_NAMES_MAX];
  int64_t calls;
  int64_t fault_at;     // this call is the first with a fault, 0 for none
  int64_t fault_calls;  // so many calls fail (FW_DISK_FAILS)
  fw_disk_fault_t fault;
  int64_t torn_bytes;  // of the write at which the disk stops halfway; more than it has: all but one, -1: half of it
  bool is_stopped;
  int64_t syncs;
  int64_t directory_syncs;
} fw_memory_disk_t;

// An empty disk. Ends the program where there is no memory: there is nothing to test then.
fw_memory_disk_t * fw__memory_disk_new(void);
void fw__memory_disk_delete(fw_memory_disk_t * disk);  // NULL is allowed
// The file operations of the journal; the disk must outlive them.
fw_journal_io_t fw__memory_disk_io(fw_memory_disk_t * disk);

// The process was killed: what it wrote is there, its locks are not. Nothing fails any more.
void fw__memory_disk_restart(fw_memory_disk_t * disk);
// Power failed: what was not synced is lost, except for `kept` (0 to 1) of the bytes that were appended since the last
// sync.
void fw__memory_disk_lose_power(fw_memory_disk_t * disk, double kept);

// The entry of a name, NULL if there is none.
fw_disk_name_t * fw__memory_disk_name(fw_memory_disk_t * disk, const char * path);
// The file with this name, which must exist.
const fw_disk_content_t * fw__memory_disk_content(fw_memory_disk_t * disk, const char * path);
// Creates or replaces a file.
void fw__memory_disk_put(fw_memory_disk_t * disk, const char * path, const uint8_t * bytes, size_t size);

#endif  // SIMULATION__MEMORY_DISK_H_
