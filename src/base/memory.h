// Heap memory: the caller's allocator, with a limit and a count of the bytes in use.
//
// Arenas (base/arena.h) take their blocks from a fw_memory_t, which is how `memory_max_bytes` of a planner is enforced.
// Data that a caller keeps (grids, scenarios, plan files) is allocated by the second group of functions directly.

#ifndef BASE__MEMORY_H_
#define BASE__MEMORY_H_

#include "fleetweave/fleetweave.h"

typedef struct fw_memory_t {
  fw_allocator_t allocator;
  size_t max_bytes;   // SIZE_MAX: no limit
  size_t used_bytes;  // never more than max_bytes
  size_t peak_bytes;  // the largest used_bytes so far; the owner may lower it to used_bytes to start a new measurement
} fw_memory_t;

// NULL when the limit would be exceeded or the allocator has no memory. Not cleared.
void * fw__memory_allocate(fw_memory_t * memory, size_t size_bytes);
// `size_bytes` must be the size that was allocated. NULL is allowed.
void fw__memory_deallocate(fw_memory_t * memory, void * pointer, size_t size_bytes);

// A copy of `allocator`, or the default allocator if it is NULL or empty.
fw_allocator_t fw__allocator_or_default(const fw_allocator_t * allocator);
// An array of `count` zeroed items of `size_bytes` (at least one byte, so that NULL always means failure). NULL when
// there is no memory or the size overflows.
void * fw__allocate_array(const fw_allocator_t * allocator, size_t count, size_t size_bytes);
// NULL is allowed.
void fw__deallocate(const fw_allocator_t * allocator, void * pointer);

#endif  // BASE__MEMORY_H_
