// An arena of doubling blocks, and free lists of recycled arrays by size.

#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/assert.h"

enum { FIRST_BLOCK_BYTES = 64 * 1024, LARGEST_STEP_BYTES = 64 * 1024 * 1024 };

typedef struct fw_arena_block_t {
  struct fw_arena_block_t * next;
  size_t size_bytes;  // of `bytes`
  size_t used_bytes;
  alignas(max_align_t) unsigned char bytes[];
} fw_arena_block_t;

void fw__arena_init(fw_arena_t * arena, fw_memory_t * memory)
{
  FW_ASSERT(memory != NULL);
  *arena = (fw_arena_t){.memory = memory};
}

void fw__arena_fini(fw_arena_t * arena)
{
  FW_ASSERT(arena->mutex == NULL && fw__arena_validate(arena));
  for (fw_arena_block_t * block = arena->first; block != NULL;) {
    fw_arena_block_t * next = block->next;
    fw__memory_deallocate(arena->memory, block, sizeof(*block) + block->size_bytes);
    block = next;
  }
  *arena = (fw_arena_t){.memory = arena->memory};
}

// Recycled arrays may lie in the memory that is released.
static void forget_recycled(fw_arena_t * arena) { memset(arena->free, 0, sizeof(arena->free)); }

void fw__arena_reset(fw_arena_t * arena)
{
  FW_ASSERT(fw__arena_validate(arena));
  forget_recycled(arena);
  arena->current = arena->first;
  if (arena->current != NULL) {
    arena->current->used_bytes = 0;
  }
  arena->has_failed = false;
}

// Whether a mark is at or before the position of the arena.
static bool is_up_to_current(const fw_arena_t * arena, fw_arena_mark_t mark)
{
  const fw_arena_block_t * block = arena->first;
  while (block != NULL && block != mark.block && block != arena->current) {
    block = block->next;
  }
  return block != NULL && block == mark.block && mark.used_bytes <= block->used_bytes;
}

fw_arena_mark_t fw__arena_mark(const fw_arena_t * arena)
{
  return (fw_arena_mark_t){
    .block = arena->current, .used_bytes = arena->current != NULL ? arena->current->used_bytes : 0};
}

void fw__arena_rewind(fw_arena_t * arena, fw_arena_mark_t mark)
{
  FW_ASSERT(mark.block == NULL || is_up_to_current(arena, mark));
  forget_recycled(arena);
  arena->current = mark.block != NULL ? mark.block : arena->first;
  if (arena->current != NULL) {
    arena->current->used_bytes = mark.block != NULL ? mark.used_bytes : 0;
  }
}

// Makes a block with room for `size` current: the next kept one, or a new one that is inserted in front of it.
static bool next_block(fw_arena_t * arena, size_t size)
{
  fw_arena_block_t * kept = arena->current != NULL ? arena->current->next : arena->first;
  if (kept != NULL && kept->size_bytes >= size) {
    kept->used_bytes = 0;
    arena->current = kept;
    return true;
  }
  size_t wanted = arena->current != NULL ? arena->current->size_bytes * 2 : FIRST_BLOCK_BYTES;
  if (wanted > LARGEST_STEP_BYTES) {
    wanted = LARGEST_STEP_BYTES;
  }
  if (wanted < size) {
    wanted = size;
  }
  fw_arena_block_t * block = fw__memory_allocate(arena->memory, sizeof(*block) + wanted);
  if (block == NULL && wanted > size) {  // near the limit: only what is needed
    wanted = size;
    block = fw__memory_allocate(arena->memory, sizeof(*block) + wanted);
  }
  if (block == NULL) {
    return false;
  }
  block->next = kept;
  block->size_bytes = wanted;
  block->used_bytes = 0;
  if (arena->current != NULL) {
    arena->current->next = block;
  } else {
    arena->first = block;
  }
  arena->current = block;
  return true;
}

static void * allocate(fw_arena_t * arena, size_t count, size_t size_bytes)
{
  const size_t grain = alignof(max_align_t);
  if (size_bytes != 0 && count > (SIZE_MAX / 2) / size_bytes) {
    arena->has_failed = true;
    return NULL;
  }
  const size_t size = (count * size_bytes + grain - 1) / grain * grain;
  fw_arena_block_t * block = arena->current;
  if (block == NULL || block->size_bytes - block->used_bytes < size) {
    if (!next_block(arena, size)) {
      arena->has_failed = true;
      return NULL;
    }
    block = arena->current;
  }
  FW_ASSERT(block->size_bytes - block->used_bytes >= size);
  void * pointer = block->bytes + block->used_bytes;
  block->used_bytes += size;
  return pointer;
}

static void lock(fw_arena_t * arena)
{
  if (arena->mutex != NULL) {
    (void)pthread_mutex_lock(arena->mutex);
  }
}

static void unlock(fw_arena_t * arena)
{
  if (arena->mutex != NULL) {
    (void)pthread_mutex_unlock(arena->mutex);
  }
}

void * fw__arena_allocate(fw_arena_t * arena, size_t count, size_t size_bytes)
{
  lock(arena);
  void * pointer = allocate(arena, count, size_bytes);
  unlock(arena);
  return pointer;
}

void * fw__arena_allocate_zeroed(fw_arena_t * arena, size_t count, size_t size_bytes)
{
  void * pointer = fw__arena_allocate(arena, count, size_bytes);
  if (pointer != NULL) {
    memset(pointer, 0, count * size_bytes);
  }
  return pointer;
}

static void * allocator_allocate(size_t size_bytes, void * state) { return fw__arena_allocate(state, size_bytes, 1); }

static void allocator_deallocate(void * pointer, void * state)
{
  (void)pointer;
  (void)state;
}

fw_allocator_t fw__arena_allocator(fw_arena_t * arena)
{
  return (fw_allocator_t){.allocate = allocator_allocate, .deallocate = allocator_deallocate, .state = arena};
}

// ---- growing arrays -------------------------------------------------------------------------------------------------

// Written into the first bytes of a recycled array.
typedef struct recycled_t {
  void * next;
  size_t size_bytes;
} recycled_t;

// The binary logarithm, rounded down; all larger sizes share the last class.
static int32_t size_class(size_t size_bytes)
{
  int32_t result = 0;
  while (result < FW_ARENA_SIZE_CLASSES - 1 && size_bytes >> (result + 1) != 0) {
    ++result;
  }
  return result;
}

void fw__arena_recycle(fw_arena_t * arena, void * array, size_t count, size_t size_bytes)
{
  recycled_t recycled = {.size_bytes = count * size_bytes};
  if (array == NULL || recycled.size_bytes < sizeof(recycled)) {
    return;
  }
  lock(arena);
  recycled.next = arena->free[size_class(recycled.size_bytes)];
  memcpy(array, &recycled, sizeof(recycled));
  arena->free[size_class(recycled.size_bytes)] = array;
  unlock(arena);
}

// The array of that size class that was recycled last, if it is large enough; else new memory.
static void * allocate_or_reuse(fw_arena_t * arena, size_t count, size_t size_bytes)
{
  lock(arena);
  void ** head = &arena->free[size_class(count * size_bytes)];
  void * pointer = *head;
  recycled_t recycled = {0};
  if (pointer != NULL) {
    memcpy(&recycled, pointer, sizeof(recycled));
  }
  if (recycled.size_bytes >= count * size_bytes) {
    *head = recycled.next;
  } else {
    pointer = allocate(arena, count, size_bytes);
  }
  unlock(arena);
  return pointer;
}

void * fw__arena_grow(fw_arena_t * arena, const void * array, size_t size_bytes, int32_t * capacity)
{
  FW_ASSERT(*capacity >= 0);
  const int32_t larger = *capacity < 8 ? 16 : *capacity * 2;
  if (*capacity > INT32_MAX / 2) {
    arena->has_failed = true;
    return NULL;
  }
  void * copy = allocate_or_reuse(arena, (size_t)larger, size_bytes);
  if (copy == NULL) {
    return NULL;
  }
  if (array != NULL) {
    memcpy(copy, array, (size_t)*capacity * size_bytes);
  }
  *capacity = larger;
  return copy;
}

// ---- validation -----------------------------------------------------------------------------------------------------

bool fw__arena_validate(const fw_arena_t * arena)
{
  if ((arena->first == NULL) != (arena->current == NULL)) {
    return false;
  }
  const fw_arena_block_t * block = arena->first;
  for (; block != NULL && block != arena->current; block = block->next) {
    if (block->used_bytes > block->size_bytes) {
      return false;
    }
  }
  if (block != arena->current || (block != NULL && block->used_bytes > block->size_bytes)) {
    return false;
  }
  for (int32_t i = 0; i < FW_ARENA_SIZE_CLASSES; ++i) {
    const void * array = arena->free[i];
    while (array != NULL) {
      recycled_t recycled;
      memcpy(&recycled, array, sizeof(recycled));
      if (size_class(recycled.size_bytes) != i) {
        return false;
      }
      array = recycled.next;
    }
  }
  return true;
}
