// A bucket queue: a priority queue of integer keys in a small range, one stack (bucket) per key. The open list of the
// grid searches.
//
// Grid searches have keys (f values) that rise in small steps, so that push and pop take a few instructions. Equal keys
// come out last in, first out: the search continues from where it last was, which is also the rule for breaking ties.
// There is no decrease-key: a search pushes an improved node again and skips the outdated item when it comes out (lazy
// deletion; the tag tells them apart).
//
//   heads  [ -1 | 4 | -1 | 2 | ...]     index = key - base
//                 |        |
//   items         4->1     2->3->0      linked through `next`; popped items form the `unused` list

#ifndef BASE__BUCKET_QUEUE_H_
#define BASE__BUCKET_QUEUE_H_

#include "base/arena.h"
#include "base/assert.h"

typedef struct fw_bucket_item_t {
  int32_t value;
  int32_t tag;   // the caller's, e.g. the g value at which it was pushed
  int32_t next;  // in the same bucket, or in the list of unused items
} fw_bucket_item_t;

typedef struct fw_bucket_queue_t {
  fw_arena_t * arena;
  int32_t * heads;  // by key - base: the top item of the bucket, -1 if it is empty
  int32_t head_capacity;
  int64_t base;     // the smallest key that fits; set by the first push
  int32_t lowest;   // an index: all buckets below it are empty
  int32_t highest;  // an index: all buckets above it are empty
  fw_bucket_item_t * items;
  int32_t item_count;  // items[0 .. item_count) are in a bucket or unused
  int32_t item_capacity;
  int32_t unused;  // the first of the popped items, which push uses again; -1 for none
  int32_t size;    // items in buckets
} fw_bucket_queue_t;

void fw__bucket_queue_init(fw_bucket_queue_t * queue, fw_arena_t * arena);
// Empties the queue and keeps its memory.
void fw__bucket_queue_clear(fw_bucket_queue_t * queue);
// The slow path of push: makes room for one item with that key. False when there is no memory, or when the keys in the
// queue would span more than 2^28.
bool fw__bucket_queue_reserve(fw_bucket_queue_t * queue, int64_t key);

static inline bool fw__bucket_queue_push(fw_bucket_queue_t * queue, int64_t key, int32_t value, int32_t tag)
{
  const int64_t slot = key - queue->base;
  if (slot < 0 || slot >= queue->head_capacity || (queue->unused < 0 && queue->item_count == queue->item_capacity)) {
    if (!fw__bucket_queue_reserve(queue, key)) {
      return false;
    }
  }
  const int32_t index = (int32_t)(key - queue->base);
  FW_ASSERT(index >= 0 && index < queue->head_capacity);
  int32_t item = queue->unused;
  if (item >= 0) {
    queue->unused = queue->items[item].next;
  } else {
    item = queue->item_count++;
  }
  FW_ASSERT(item < queue->item_capacity);
  queue->items[item] = (fw_bucket_item_t){.value = value, .tag = tag, .next = queue->heads[index]};
  queue->heads[index] = item;
  if (index < queue->lowest || queue->size == 0) {
    queue->lowest = index;
  }
  queue->highest = index > queue->highest ? index : queue->highest;
  ++queue->size;
  return true;
}

// Takes the item with the smallest key, of equal keys the one that was pushed last. False when the queue is empty.
static inline bool fw__bucket_queue_pop(fw_bucket_queue_t * queue, int32_t * value, int32_t * tag, int64_t * key)
{
  if (queue->size == 0) {
    return false;
  }
  while (queue->heads[queue->lowest] < 0) {
    ++queue->lowest;
    FW_ASSERT(queue->lowest <= queue->highest);
  }
  const int32_t item = queue->heads[queue->lowest];
  queue->heads[queue->lowest] = queue->items[item].next;
  *value = queue->items[item].value;
  *tag = queue->items[item].tag;
  *key = queue->base + queue->lowest;
  queue->items[item].next = queue->unused;
  queue->unused = item;
  --queue->size;
  return true;
}

// The smallest key in the queue; INT64_MAX when it is empty.
static inline int64_t fw__bucket_queue_lowest(fw_bucket_queue_t * queue)
{
  if (queue->size == 0) {
    return INT64_MAX;
  }
  while (queue->heads[queue->lowest] < 0) {
    ++queue->lowest;
    FW_ASSERT(queue->lowest <= queue->highest);
  }
  return queue->base + queue->lowest;
}

// Whether every item is in exactly one bucket or unused, and no bucket outside lowest .. highest has an item.
bool fw__bucket_queue_validate(const fw_bucket_queue_t * queue);

#endif  // BASE__BUCKET_QUEUE_H_
