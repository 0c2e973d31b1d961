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

void fw_arena_init(fw_arena_t * arena, fw_memory_t * memory);
void fw_arena_fini(fw_arena_t * arena);
void fw_arena_reset(fw_arena_t * arena);

// `count` things of `size_bytes`, not cleared, aligned for any type; NULL when there is no memory.
void * fw_arena_allocate(fw_arena_t * arena, size_t count, size_t size_bytes);
void * fw_arena_allocate_zeroed(fw_arena_t * arena, size_t count, size_t size_bytes);
// A larger copy of an array whose first `count` things are in use, capacity doubled. The old array stays in the arena
// until the reset, unless it is left. Updates `capacity`; on failure returns NULL and changes nothing.
void * fw_arena_grow(fw_arena_t * arena, const void * array, size_t count, size_t size_bytes, int32_t * capacity);
// Leaves an array that nobody looks at any more to whoever grows next. NULL is fine.
void fw_arena_leave(fw_arena_t * arena, void * array, size_t count, size_t size_bytes);

// A place to come back to: everything handed out after the mark is taken back at once.
typedef struct fw_arena_mark_t {
  struct fw_arena_block_t * block;
  size_t used_bytes;
} fw_arena_mark_t;
fw_arena_mark_t fw_arena_mark(const fw_arena_t * arena);
void fw_arena_rewind(fw_arena_t * arena, fw_arena_mark_t mark);

#endif  // BASE__ARENA_H_
