// Heap memory with a limit and a count of the bytes in use.

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"

static void * default_allocate(size_t size_bytes, void * state)
{
  (void)state;
  return fw__malloc(size_bytes);
}

static void default_deallocate(void * pointer, void * state)
{
  (void)state;
  free(pointer);
}

fw_allocator_t fw_allocator_default(void)
{
  return (fw_allocator_t){.allocate = default_allocate, .deallocate = default_deallocate};
}

fw_allocator_t fw__allocator_or_default(const fw_allocator_t * allocator)
{
  return allocator != NULL && allocator->allocate != NULL ? *allocator : fw_allocator_default();
}

void * fw__allocate_array(const fw_allocator_t * allocator, size_t count, size_t size_bytes)
{
  FW_ASSERT(allocator->allocate != NULL);
  if (size_bytes != 0 && count > SIZE_MAX / size_bytes) {
    return NULL;
  }
  const size_t total = count * size_bytes > 0 ? count * size_bytes : 1;
  void * pointer = allocator->allocate(total, allocator->state);
  if (pointer != NULL) {
    memset(pointer, 0, total);
  }
  return pointer;
}

void fw__deallocate(const fw_allocator_t * allocator, void * pointer)
{
  if (pointer != NULL && allocator->deallocate != NULL) {
    allocator->deallocate(pointer, allocator->state);
  }
}

void * fw__memory_allocate(fw_memory_t * memory, size_t size_bytes)
{
  FW_ASSERT(memory->allocator.allocate != NULL && memory->peak_bytes >= memory->used_bytes);
  if (size_bytes > memory->max_bytes || memory->used_bytes > memory->max_bytes - size_bytes) {
    return NULL;
  }
  void * pointer = memory->allocator.allocate(size_bytes, memory->allocator.state);
  if (pointer == NULL) {
    return NULL;
  }
  memory->used_bytes += size_bytes;
  if (memory->used_bytes > memory->peak_bytes) {
    memory->peak_bytes = memory->used_bytes;
  }
  return pointer;
}

void fw__memory_deallocate(fw_memory_t * memory, void * pointer, size_t size_bytes)
{
  if (pointer != NULL) {
    FW_ASSERT(memory->used_bytes >= size_bytes);
    memory->used_bytes -= size_bytes;
    memory->allocator.deallocate(pointer, memory->allocator.state);
  }
}
