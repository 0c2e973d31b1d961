// The CollisionDetector: a hash of (place, tick).

#include "planner/bcp_detector.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

// ---- the hash -------------------------------------------------------------------------------------------------------

static uint32_t hash(uint64_t place, fw_tick_t tick)
{
  uint64_t key = (place ^ (uint64_t)(uint32_t)tick << 24) * UINT64_C(0x9e3779b97f4a7c15);
  key = (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return (uint32_t)(key >> 32);
}

// The slot of a place and tick, or the empty one where it would be.
static int32_t * find_slot(const fw_bcp_detector_t * detector, uint64_t place, fw_tick_t tick)
{
  const uint32_t mask = (uint32_t)detector->slot_capacity - 1;
  uint32_t at = hash(place, tick) & mask;
  while (detector->slots[at] != 0) {
    const fw_bcp_entry_t * entry = &detector->entries[detector->slots[at] - 1];
    if (entry->place == place && entry->tick == tick) {
      break;
    }
    at = (at + 1) & mask;
  }
  return &detector->slots[at];
}

// At least twice as many slots as are used.
static bool reserve_slots(fw_bcp_detector_t * detector)
{
  if (detector->used * 2 < detector->slot_capacity) {
    return true;
  }
  const int32_t old_capacity = detector->slot_capacity;
  const int32_t * old = detector->slots;
  const int32_t capacity = old_capacity < FIRST_SLOTS ? FIRST_SLOTS : old_capacity * 2;
  int32_t * slots = fw_arena_allocate_zeroed(detector->arena, (size_t)capacity, sizeof(*slots));
  if (slots == NULL) {
    return false;
  }
  detector->slots = slots;
  detector->slot_capacity = capacity;
  for (int32_t i = 0; i < old_capacity; ++i) {
    if (old[i] != 0) {
      const fw_bcp_entry_t * entry = &detector->entries[old[i] - 1];
      *find_slot(detector, entry->place, entry->tick) = old[i];
    }
  }
  return true;
}

static int32_t push_entry(fw_bcp_detector_t * detector, fw_bcp_entry_t entry)
{
  if (detector->entry_count == detector->entry_capacity) {
    const size_t count = (size_t)detector->entry_count;
    fw_bcp_entry_t * entries =
      fw_arena_grow(detector->arena, detector->entries, count, sizeof(*entries), &detector->entry_capacity);
    if (entries == NULL) {
      return -1;
    }
    fw_arena_leave(detector->arena, detector->entries, count, sizeof(*entries));
    detector->entries = entries;
  }
  detector->entries[detector->entry_count] = entry;
  return detector->entry_count++;
}

static bool push_collision(fw_bcp_detector_t * detector, fw_bcp_collision_t collision)
{
  if (detector->collision_count == detector->collision_capacity) {
    const size_t count = (size_t)detector->collision_count;
    fw_bcp_collision_t * collisions =
      fw_arena_grow(detector->arena, detector->collisions, count, sizeof(*collisions), &detector->collision_capacity);
    if (collisions == NULL) {
      return false;
    }
    detector->collisions = collisions;
  }
  detector->collisions[detector->collision_count++] = collision;
  return true;
}

// One more robot at a place and tick where some are: a collision is noted with the second.
static bool join(fw_bcp_detector_t * detector, int32_t first, const fw_bcp_entry_t * entry)
{
  int32_t count = 0;
  for (int32_t i = first; i >= 0; i = detector->entries[i].next, ++count) {
    if (detector->entries[i].robot == entry->robot) {  // covered twice: the end of a stay, and the next motion
      detector->entries[i].is_trace = detector->entries[i].is_trace && entry->is_trace;
      return true;
    }
  }
  fw_bcp_entry_t more = *entry;
  more.next = detector->entries[first].next;
  const int32_t index = push_entry(detector, more);
  if (index < 0) {
    return false;
  }
  detector->entries[first].next = index;
  return count > 1 || push_collision(detector, (fw_bcp_collision_t){.tick = entry->tick, .first = first});
}

bool fw__bcp_detector_put(fw_bcp_detector_t * detector, fw_bcp_entry_t entry)
{
  if (!reserve_slots(detector)) {
    return false;
  }
  int32_t * slot = find_slot(detector, entry.place, entry.tick);
  if (*slot != 0) {
    return join(detector, *slot - 1, &entry);
  }
  entry.next = -1;
  *slot = push_entry(detector, entry) + 1;
  ++detector->used;
  return *slot != 0;
}

// ---- the answer -----------------------------------------------------------------------------------------------------

void fw_bcp_detector_init(fw_bcp_detector_t * detector, fw_arena_t * arena, const fw_bodies_t * bodies)
{
  *detector = (fw_bcp_detector_t){.arena = arena, .bodies = bodies};
}

void fw_bcp_detector_begin(fw_bcp_detector_t * detector, fw_tick_t end)
{
  detector->end = end;
  detector->entry_count = 0;
  detector->used = 0;
  detector->collision_count = 0;
  if (detector->slot_capacity > 0) {
    memset(detector->slots, 0, (size_t)detector->slot_capacity * sizeof(*detector->slots));
  }
}

// Counting sort: how many collisions lie before each tick is where the first of that tick goes.
bool fw_bcp_detector_sort(fw_bcp_detector_t * detector)
{
  const int32_t count = detector->collision_count;
  while (detector->order_capacity < count) {
    detector->order = fw_arena_grow(detector->arena, NULL, 0, sizeof(*detector->order), &detector->order_capacity);
    if (detector->order == NULL) {
      detector->order_capacity = 0;
      return false;
    }
  }
  const fw_arena_mark_t mark = fw_arena_mark(detector->arena);
  int32_t * before = fw_arena_allocate_zeroed(detector->arena, (size_t)detector->end + 2, sizeof(*before));
  if (before == NULL) {
    return false;
  }
  for (int32_t i = 0; i < count; ++i) {
    ++before[detector->collisions[i].tick + 1];
  }
  for (fw_tick_t tick = 0; tick <= detector->end; ++tick) {
    before[tick + 1] += before[tick];
  }
  for (int32_t i = 0; i < count; ++i) {
    detector->order[before[detector->collisions[i].tick]++] = i;
  }
  fw_arena_rewind(detector->arena, mark);
  return true;
}
