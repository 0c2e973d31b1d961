// The file operations that the journal uses, as a table: the operating system's, or a test's or a simulation's with
// files in memory and with failures at chosen calls.

#ifndef CONTROLLER__RESTART__JOURNAL_IO_H_
#define CONTROLLER__RESTART__JOURNAL_IO_H_

#include <stddef.h>
#include <stdint.h>

#define FW_JOURNAL_PATH_BYTES_MAX 4000  // with the ending that compaction adds, without the zero

// Bytes at an offset of a file.
typedef struct fw_journal_block_t {
  uint8_t * bytes;  // which a write only reads
  size_t size;
  int64_t offset;
} fw_journal_block_t;

// A failure is a negative errno value. All members but `state` must be set.
typedef struct fw_journal_io_t {
  void * state;  // passed to every call
  // Opens a regular file for reading and writing, creates it empty if there is none, and locks it until it is closed.
  // Returns its number, from 0. -EWOULDBLOCK: it is locked, by this process or another one. -EISDIR, -ELOOP, -EINVAL:
  // it is a directory, a symbolic link, another kind of file.
  int (*open)(void * state, const char * path);
  int64_t (*size)(void * state, int file);
  // Return how many bytes were read or written, which may be fewer than asked for; a read returns 0 at the end.
  int64_t (*read)(void * state, int file, fw_journal_block_t block);
  int64_t (*write)(void * state, int file, fw_journal_block_t block);
  int (*truncate)(void * state, int file, int64_t size);
  int (*sync)(void * state, int file);  // returns when size and bytes survive a power failure
  // 0 if `path` names this open file; -ENOENT if nothing has that name, -ESTALE if another file has it.
  int (*check)(void * state, int file, const char * path);
  int (*rename)(void * state, const char * from, const char * to);
  int (*remove)(void * state, const char * path);
  int (*sync_directory)(void * state, const char * path);  // the one that contains `path`
  void (*close)(void * state, int file);
} fw_journal_io_t;

// The operating system.
fw_journal_io_t fw__journal_io_system(void);

#endif  // CONTROLLER__RESTART__JOURNAL_IO_H_
