// An arena: memory that is handed out front to back and released all at once.
//
// An arena is a chain of blocks, each twice as large as the one before (up to a largest step). Reset keeps the blocks,
// so that a planner that has warmed up makes no heap call:
//
//   [ block 0 |####....]  ->  [ block 1 |########..]  ->  [ block 2 (kept from an earlier solve) |..........]
//                                         ^ current
//
// Arrays that grow by doubling would leave their old copies behind. fw__arena_recycle puts such a copy on a free list
// by size, and the next fw__arena_grow of that size takes it from there.
//
// Failure is sticky: a call that finds no memory returns NULL and sets a flag until the next reset. Code that allocates
// in many places goes on (never through a NULL pointer) and checks fw__arena_has_failed() once per phase.
//
// Not thread-safe, except while `mutex` is set.

#ifndef BASE__ARENA_H_
#define BASE__ARENA_H_

#include <pthread.h>

#include "base/memory.h"

enum { FW_ARENA_SIZE_CLASSES = 48 };

struct fw_arena_block_t;

typedef struct fw_arena_t {
  fw_memory_t * memory;                // where the blocks come from; borrowed
  struct fw_arena_block_t * first;     // NULL before the first allocation
  struct fw_arena_block_t * current;   // the block that allocations come from; the blocks behind it are unused
  void * free[FW_ARENA_SIZE_CLASSES];  // recycled arrays: a list for each power of two of the size in bytes
  bool has_failed;                     // some call returned NULL since the last reset
  pthread_mutex_t * mutex;             // set while several threads allocate from it, else NULL
} fw_arena_t;

// `memory` is borrowed and must outlive the arena. Allocates nothing.
void fw__arena_init(fw_arena_t * arena, fw_memory_t * memory);
// Returns all blocks to `memory`. The arena is empty afterwards and can be used again.
void fw__arena_fini(fw_arena_t * arena);
// Releases everything that was handed out, keeps the blocks and clears the sticky failure.
void fw__arena_reset(fw_arena_t * arena);

// Whether some call has returned NULL since the last reset.
static inline bool fw__arena_has_failed(const fw_arena_t * arena) { return arena->has_failed; }

// `count` items of `size_bytes`, not cleared, aligned for any type; NULL when there is no memory.
void * fw__arena_allocate(fw_arena_t * arena, size_t count, size_t size_bytes);
void * fw__arena_allocate_zeroed(fw_arena_t * arena, size_t count, size_t size_bytes);
// A copy, with doubled capacity, of an array of `capacity` items; NULL as array: doubled capacity without contents. The
// old array stays in the arena until the reset, unless it is recycled. Updates `capacity`; on failure returns NULL and
// changes nothing.
void * fw__arena_grow(fw_arena_t * arena, const void * array, size_t size_bytes, int32_t * capacity);
// Offers an array of `count` items that is no longer used to later calls of fw__arena_grow. NULL is allowed.
void fw__arena_recycle(fw_arena_t * arena, void * array, size_t count, size_t size_bytes);

// The arena as an allocator for interfaces that want one: deallocate does nothing, the arena releases all at once.
fw_allocator_t fw__arena_allocator(fw_arena_t * arena);

// A position to return to: rewind releases everything that was handed out after the mark. Marks nest; a reset ends
// them.
typedef struct fw_arena_mark_t {
  struct fw_arena_block_t * block;
  size_t used_bytes;
} fw_arena_mark_t;
fw_arena_mark_t fw__arena_mark(const fw_arena_t * arena);
void fw__arena_rewind(fw_arena_t * arena, fw_arena_mark_t mark);

// Whether the chain is consistent: every block up to the current one uses no more than it has, the current one is in
// the chain, and every recycled array is on the list of its size.
bool fw__arena_validate(const fw_arena_t * arena);

#endif  // BASE__ARENA_H_
