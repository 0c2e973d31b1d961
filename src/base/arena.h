// An arena: memory that is handed out in one direction and taken back all at once.
//
// A chain of blocks, each twice as large as the one before. Reset keeps the blocks, so that a planner that has warmed
// up asks the heap for nothing:
//
//   [ block 0 |####....]  ->  [ block 1 |########..]  ->  [ block 2 (kept from an earlier solve) |..........]
//                                         ^ current

#ifndef BASE__ARENA_H_
#define BASE__ARENA_H_

#include <pthread.h>

#include "base/memory.h"

struct fw_arena_block_t;

typedef struct fw_arena_t {
  fw_memory_t * memory;
  struct fw_arena_block_t * first;
  struct fw_arena_block_t * current;
  void * spare[48];         // by the logarithm of their size: what was left, to be used again by grow
  bool has_failed;          // some call returned NULL since the last reset
  pthread_mutex_t * mutex;  // set while several threads allocate from it, else NULL
} fw_arena_t;

void fw__arena_init(fw_arena_t * arena, fw_memory_t * memory);
void fw__arena_fini(fw_arena_t * arena);
void fw__arena_reset(fw_arena_t * arena);

// Some call has returned NULL since the last reset. Code that allocates in many places need not hand every failure up: it
// goes on with what it has (never through a NULL pointer) and asks here once per phase.
static inline bool fw__arena_has_failed(const fw_arena_t * arena) { return arena->has_failed; }

// `count` things of `size_bytes`, not cleared, aligned for any type; NULL when there is no memory.
void * fw__arena_allocate(fw_arena_t * arena, size_t count, size_t size_bytes);
void * fw__arena_allocate_zeroed(fw_arena_t * arena, size_t count, size_t size_bytes);
// A larger copy of an array whose first `count` things are in use, capacity doubled. The old array stays in the arena
// until the reset, unless it is left. Updates `capacity`; on failure returns NULL and changes nothing.
void * fw__arena_grow(fw_arena_t * arena, const void * array, size_t count, size_t size_bytes, int32_t * capacity);
// Leaves an array that nobody looks at any more to whoever grows next. NULL is fine.
void fw__arena_leave(fw_arena_t * arena, void * array, size_t count, size_t size_bytes);

// A place to come back to: everything handed out after the mark is taken back at once.
typedef struct fw_arena_mark_t {
  struct fw_arena_block_t * block;
  size_t used_bytes;
} fw_arena_mark_t;
fw_arena_mark_t fw__arena_mark(const fw_arena_t * arena);
void fw__arena_rewind(fw_arena_t * arena, fw_arena_mark_t mark);

#endif  // BASE__ARENA_H_
