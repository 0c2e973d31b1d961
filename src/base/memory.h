// The caller's allocator with a limit and a tally.

#ifndef BASE__MEMORY_H_
#define BASE__MEMORY_H_

#include "fleetweave/fleetweave.h"

typedef struct fw_memory_t {
  fw_allocator_t allocator;
  size_t max_bytes;
  size_t used_bytes;
  size_t peak_bytes;
} fw_memory_t;

void * fw__memory_take(fw_memory_t * memory, size_t size_bytes);  // NULL: at the limit, or the allocator has none
void fw__memory_give(fw_memory_t * memory, void * pointer, size_t size_bytes);

// `allocator`, or the default one if it is NULL or empty.
fw_allocator_t fw__allocator_or_default(const fw_allocator_t * allocator);
// An array of `count` zeroed things, NULL if there is no memory or the size overflows.
void * fw__allocate_array(const fw_allocator_t * allocator, size_t count, size_t size_bytes);
void fw__deallocate(const fw_allocator_t * allocator, void * pointer);

#endif  // BASE__MEMORY_H_
