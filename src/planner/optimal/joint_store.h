// The states of a joint search: a store of records of one size, and a hash over what makes two of them the same.
//
// A record is a header and, for each robot of the group, a place, the places of the last robust ticks, and the
// directions that are forbidden by the moves that others have been given in this tick. With those the pre-move places of
// the others need not be kept: two states with the same post-move places and the same forbidden directions have the same
// successors, and count as duplicates (Standley 2010, figure 5).
//
//   | header | place 0 … n-1 | past 0 … k*n-1 | forbidden 0 … n-1 |

#ifndef PLANNER__OPTIMAL__JOINT_STORE_H_
#define PLANNER__OPTIMAL__JOINT_STORE_H_

#include "base/arena.h"

typedef struct fw_joint_state_t {
  int32_t g;
  int32_t h;
  int32_t violations;  // meetings with those who are better not met, on the way here
  int32_t parent;      // -1 for the start
  int32_t tick;        // of the last whole step
  int32_t mover;       // who is given the next move; 0: everybody has moved, a standard state
  int32_t chain;       // the next record of the same hash, -1 for the last
  int32_t is_closed;
  int32_t places[];  // a robot that has settled on its goal for good: ~node
} fw_joint_state_t;

typedef struct fw_joint_store_t {
  fw_arena_t * arena;
  int32_t count;           // robots
  int32_t past;            // robust ticks
  size_t size;             // of a record in bytes
  size_t key_size;         // places, past and forbidden
  fw_tick_t time_matters;  // states at different ticks before this one are different
  unsigned char ** pages;
  int32_t page_capacity;
  int32_t used;
  int32_t * heads;
  int32_t head_count;  // a power of two
} fw_joint_store_t;

enum { FW_JOINT_PAGE_BITS = 8, FW_JOINT_PAGE = 1 << FW_JOINT_PAGE_BITS };

// False when there is no memory.
bool fw__joint_store_init(fw_joint_store_t * store, fw_arena_t * arena, int32_t robots, int32_t past);

static inline fw_joint_state_t * fw__joint_at(const fw_joint_store_t * store, int32_t index)
{
  return (fw_joint_state_t *)(void *)(store->pages[index >> FW_JOINT_PAGE_BITS] +
                                      (size_t)(index & (FW_JOINT_PAGE - 1)) * store->size);
}
static inline int32_t * fw__joint_past(const fw_joint_store_t * store, fw_joint_state_t * state)
{
  return state->places + store->count;
}
static inline uint8_t * fw__joint_forbidden(const fw_joint_store_t * store, fw_joint_state_t * state)
{
  return (uint8_t *)(state->places + (size_t)store->count * (size_t)(1 + store->past));
}

typedef enum fw_joint_put_t { FW_JOINT_PUT, FW_JOINT_KNOWN, FW_JOINT_FULL } fw_joint_put_t;
// Keeps a copy of the state, if it is new or better than the same state before: `index` is where, to be pushed.
fw_joint_put_t fw__joint_put(fw_joint_store_t * store, const fw_joint_state_t * state, int32_t * index);

#endif  // PLANNER__OPTIMAL__JOINT_STORE_H_
