// An arena of doubling blocks.

#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

enum { FIRST_BLOCK_BYTES = 64 * 1024, LARGEST_STEP_BYTES = 64 * 1024 * 1024 };

typedef struct fw_arena_block_t {
  struct fw_arena_block_t * next;
  size_t size_bytes;  // of `bytes`
  size_t used_bytes;
  alignas(max_align_t) unsigned char bytes[];
} fw_arena_block_t;

void fw__arena_init(fw_arena_t * arena, fw_memory_t * memory) { *arena = (fw_arena_t){.memory = memory}; }

void fw__arena_fini(fw_arena_t * arena)
{
  for (fw_arena_block_t * block = arena->first; block != NULL;) {
    fw_arena_block_t * next = block->next;
    fw__memory_give(arena->memory, block, sizeof(*block) + block->size_bytes);
    block = next;
  }
  *arena = (fw_arena_t){.memory = arena->memory};
}

// What was left may lie in what is taken back.
static void forget_spare(fw_arena_t * arena) { memset(arena->spare, 0, sizeof(arena->spare)); }

void fw__arena_reset(fw_arena_t * arena)
{
  forget_spare(arena);
  arena->current = arena->first;
  if (arena->current != NULL) {
    arena->current->used_bytes = 0;
  }
  arena->has_failed = false;
}

fw_arena_mark_t fw__arena_mark(const fw_arena_t * arena)
{
  return (fw_arena_mark_t){
    .block = arena->current, .used_bytes = arena->current != NULL ? arena->current->used_bytes : 0};
}

void fw__arena_rewind(fw_arena_t * arena, fw_arena_mark_t mark)
{
  forget_spare(arena);
  arena->current = mark.block != NULL ? mark.block : arena->first;
  if (arena->current != NULL) {
    arena->current->used_bytes = mark.block != NULL ? mark.used_bytes : 0;
  }
}

// A block with room for `size` becomes current: one that is kept, or a new one put in front of the kept ones.
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
  fw_arena_block_t * block = fw__memory_take(arena->memory, sizeof(*block) + wanted);
  if (block == NULL && wanted > size) {  // near the limit: just what is needed
    wanted = size;
    block = fw__memory_take(arena->memory, sizeof(*block) + wanted);
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

// ---- growing arrays -------------------------------------------------------------------------------------------------

// The first bytes of what was left.
typedef struct left_t {
  void * next;
  size_t size_bytes;
} left_t;

static int32_t logarithm(size_t size_bytes)
{
  int32_t result = 0;
  while (result < 47 && size_bytes >> (result + 1) != 0) {
    ++result;
  }
  return result;
}

void fw__arena_leave(fw_arena_t * arena, void * array, size_t count, size_t size_bytes)
{
  left_t left = {.size_bytes = count * size_bytes};
  if (array == NULL || left.size_bytes < sizeof(left)) {
    return;
  }
  lock(arena);
  left.next = arena->spare[logarithm(left.size_bytes)];
  memcpy(array, &left, sizeof(left));
  arena->spare[logarithm(left.size_bytes)] = array;
  unlock(arena);
}

// What was left last of that size, else new memory.
static void * take(fw_arena_t * arena, size_t count, size_t size_bytes)
{
  lock(arena);
  void ** head = &arena->spare[logarithm(count * size_bytes)];
  void * pointer = *head;
  left_t left = {0};
  if (pointer != NULL) {
    memcpy(&left, pointer, sizeof(left));
  }
  if (left.size_bytes >= count * size_bytes) {
    *head = left.next;
  } else {
    pointer = allocate(arena, count, size_bytes);
  }
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

void * fw__arena_grow(fw_arena_t * arena, const void * array, size_t count, size_t size_bytes, int32_t * capacity)
{
  const int32_t larger = *capacity < 8 ? 16 : *capacity * 2;
  if (*capacity > INT32_MAX / 2) {
    arena->has_failed = true;
    return NULL;
  }
  void * copy = take(arena, (size_t)larger, size_bytes);
  if (copy == NULL) {
    return NULL;
  }
  if (count > 0) {
    memcpy(copy, array, count * size_bytes);
  }
  *capacity = larger;
  return copy;
}
