// The states of a joint search.

#include "planner/optimal/joint_store.h"

#include <stdalign.h>
#include <string.h>

enum { FIRST_HEADS = 1024 };

bool fw__joint_store_init(fw_joint_store_t * store, fw_arena_t * arena, int32_t robots, int32_t past)
{
  *store = (fw_joint_store_t){.arena = arena, .count = robots, .past = past, .head_count = FIRST_HEADS};
  const size_t grain = alignof(fw_joint_state_t);
  store->key_size = (size_t)robots * ((size_t)(1 + past) * sizeof(int32_t) + sizeof(uint8_t));
  store->size = (sizeof(fw_joint_state_t) + store->key_size + grain - 1) / grain * grain;
  store->heads = fw__arena_allocate(arena, FIRST_HEADS, sizeof(*store->heads));
  if (store->heads == NULL) {
    return false;
  }
  memset(store->heads, 0xff, FIRST_HEADS * sizeof(*store->heads));
  return true;
}

static inline fw_tick_t time_of(const fw_joint_store_t * store, const fw_joint_state_t * state)
{
  return state->tick < store->time_matters ? state->tick : store->time_matters;
}

static uint64_t hash_of(const fw_joint_store_t * store, const fw_joint_state_t * state)
{
  uint64_t hash = (uint64_t)time_of(store, state) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)state->mover;
  const unsigned char * bytes = (const unsigned char *)state->places;
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= store->key_size; at += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, bytes + at, sizeof(word));
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
  }
  for (; at < store->key_size; ++at) {
    hash = (hash ^ bytes[at]) * UINT64_C(0x100000001b3);
  }
  return hash ^ (hash >> 29);
}

static bool is_same(const fw_joint_store_t * store, const fw_joint_state_t * a, const fw_joint_state_t * b)
{
  return a->mover == b->mover && time_of(store, a) == time_of(store, b) &&
         memcmp(a->places, b->places, store->key_size) == 0;
}

static bool grow_heads(fw_joint_store_t * store)
{
  const int32_t count = store->head_count * 4;
  int32_t * heads = fw__arena_allocate(store->arena, (size_t)count, sizeof(*heads));
  if (heads == NULL) {
    return false;
  }
  memset(heads, 0xff, (size_t)count * sizeof(*heads));
  for (int32_t i = 0; i < store->used; ++i) {
    fw_joint_state_t * state = fw__joint_at(store, i);
    const uint64_t slot = hash_of(store, state) & (uint64_t)(count - 1);
    state->chain = heads[slot];
    heads[slot] = i;
  }
  store->heads = heads;
  store->head_count = count;
  return true;
}

static bool reserve(fw_joint_store_t * store)
{
  const int32_t page = store->used >> FW_JOINT_PAGE_BITS;
  if ((store->used & (FW_JOINT_PAGE - 1)) != 0) {
    return true;
  }
  if (page == store->page_capacity) {
    unsigned char ** pages =
      fw__arena_grow(store->arena, store->pages, (size_t)page, sizeof(*pages), &store->page_capacity);
    if (pages == NULL) {
      return false;
    }
    store->pages = pages;
  }
  store->pages[page] = fw__arena_allocate(store->arena, FW_JOINT_PAGE, store->size);
  return store->pages[page] != NULL;
}

// With a consistent estimate a closed state cannot get better.
static bool is_better(const fw_joint_state_t * state, const fw_joint_state_t * known)
{
  return !known->is_closed && (state->g < known->g || (state->g == known->g && state->violations < known->violations));
}

fw_joint_put_t fw__joint_put(fw_joint_store_t * store, const fw_joint_state_t * state, int32_t * index)
{
  const uint64_t hash = hash_of(store, state);
  for (int32_t i = store->heads[hash & (uint64_t)(store->head_count - 1)]; i >= 0;) {
    fw_joint_state_t * known = fw__joint_at(store, i);
    if (is_same(store, known, state)) {
      if (!is_better(state, known)) {
        return FW_JOINT_KNOWN;
      }
      known->g = state->g;
      known->h = state->h;
      known->violations = state->violations;
      known->parent = state->parent;
      known->tick = state->tick;
      *index = i;
      return FW_JOINT_PUT;
    }
    i = known->chain;
  }
  if (
    store->used == INT32_MAX || !reserve(store) ||
    (store->used >= store->head_count && store->head_count < (1 << 28) && !grow_heads(store))) {
    return FW_JOINT_FULL;
  }
  fw_joint_state_t * copy = fw__joint_at(store, store->used);
  memcpy(copy, state, store->size);
  int32_t * head = &store->heads[hash & (uint64_t)(store->head_count - 1)];
  copy->chain = *head;
  copy->is_closed = 0;
  *head = store->used;
  *index = store->used++;
  return FW_JOINT_PUT;
}
