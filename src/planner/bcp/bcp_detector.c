// The CollisionDetector: a hash of (place, tick).

#include "planner/bcp/bcp_detector.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

// ---- points ---------------------------------------------------------------------------------------------------------

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
    const fw_bcp_point_t * point = &detector->points[detector->slots[at] - 1];
    if (point->place == place && point->tick == tick) {
      break;
    }
    at = (at + 1) & mask;
  }
  return &detector->slots[at];
}

// At least twice as many slots as points.
static bool reserve_slots(fw_bcp_detector_t * detector)
{
  if (detector->point_count * 2 < detector->slot_capacity) {
    return true;
  }
  const int32_t capacity = detector->slot_capacity < FIRST_SLOTS ? FIRST_SLOTS : detector->slot_capacity * 2;
  int32_t * slots = fw__arena_allocate_zeroed(detector->arena, (size_t)capacity, sizeof(*slots));
  if (slots == NULL) {
    return false;
  }
  detector->slots = slots;
  detector->slot_capacity = capacity;
  for (int32_t i = 0; i < detector->point_count; ++i) {
    *find_slot(detector, detector->points[i].place, detector->points[i].tick) = i + 1;
  }
  return true;
}

// One more thing in an array of the detector; NULL when there is no memory.
static void * reserve(fw_bcp_detector_t * detector, void * array, int32_t count, size_t size, int32_t * capacity)
{
  if (count < *capacity) {
    return array;
  }
  void * grown = fw__arena_grow(detector->arena, array, (size_t)count, size, capacity);
  if (grown != NULL) {
    fw__arena_recycle(detector->arena, array, (size_t)count, size);
  }
  return grown;
}

// The number of a point, -1 when there is no memory.
static int32_t find_point(fw_bcp_detector_t * detector, uint64_t place, fw_tick_t tick)
{
  if (!reserve_slots(detector)) {
    return -1;
  }
  int32_t * slot = find_slot(detector, place, tick);
  if (*slot == 0) {
    fw_bcp_point_t * points =
      reserve(detector, detector->points, detector->point_count, sizeof(*points), &detector->point_capacity);
    if (points == NULL) {
      return -1;
    }
    detector->points = points;
    points[detector->point_count] = (fw_bcp_point_t){.place = place, .tick = tick, .first = -1};
    *slot = ++detector->point_count;
  }
  return *slot - 1;
}

// ---- entries --------------------------------------------------------------------------------------------------------

// A place for an entry, -1 when there is no memory.
static int32_t take_entry(fw_bcp_detector_t * detector)
{
  const int32_t index = detector->unused;
  if (index >= 0) {
    detector->unused = detector->entries[index].own;
    return index;
  }
  fw_bcp_entry_t * entries =
    reserve(detector, detector->entries, detector->entry_count, sizeof(*entries), &detector->entry_capacity);
  if (entries == NULL) {
    return -1;
  }
  detector->entries = entries;
  return detector->entry_count++;
}

// The second robot at a point makes a collision.
static bool begin_collision(fw_bcp_detector_t * detector, int32_t point)
{
  int32_t * colliding = reserve(
    detector, detector->colliding, detector->colliding_count, sizeof(*colliding), &detector->colliding_capacity);
  if (colliding == NULL) {
    return false;
  }
  detector->colliding = colliding;
  detector->points[point].collision = detector->colliding_count;
  colliding[detector->colliding_count++] = point;
  return true;
}

static void end_collision(fw_bcp_detector_t * detector, int32_t point)
{
  const int32_t last = detector->colliding[--detector->colliding_count];
  detector->colliding[detector->points[point].collision] = last;
  detector->points[last].collision = detector->points[point].collision;
}

bool fw__bcp_detector_put(fw_bcp_detector_t * detector, uint64_t place, fw_bcp_entry_t entry)
{
  entry.point = find_point(detector, place, entry.tick);
  if (entry.point < 0) {
    return false;
  }
  fw_bcp_point_t * point = &detector->points[entry.point];
  for (int32_t i = point->first; i >= 0; i = detector->entries[i].next) {
    fw_bcp_entry_t * other = &detector->entries[i];
    if (other->robot == entry.robot) {  // covered twice: the end of a stay, and the next motion
      other->is_trace = other->is_trace && entry.is_trace;
      return true;
    }
  }
  const int32_t index = take_entry(detector);
  if (index < 0) {
    return false;
  }
  entry.next = point->first;
  entry.own = detector->owns[entry.robot];
  detector->entries[index] = entry;
  detector->owns[entry.robot] = index;
  point->first = index;
  ++detector->live;
  return ++point->count != 2 || begin_collision(detector, entry.point);
}

void fw__bcp_detector_remove(fw_bcp_detector_t * detector, int32_t robot)
{
  for (int32_t i = detector->owns[robot]; i >= 0;) {
    fw_bcp_entry_t * entry = &detector->entries[i];
    fw_bcp_point_t * point = &detector->points[entry->point];
    int32_t * link = &point->first;
    while (*link != i) {
      link = &detector->entries[*link].next;
    }
    *link = entry->next;
    if (--point->count == 1) {
      end_collision(detector, entry->point);
    }
    --detector->live;
    const int32_t before = entry->own;
    entry->own = detector->unused;
    detector->unused = i;
    i = before;
  }
  detector->owns[robot] = -1;
}

// ---- the answer -----------------------------------------------------------------------------------------------------

void fw__bcp_detector_init(fw_bcp_detector_t * detector, fw_arena_t * arena, const fw_bodies_t * bodies)
{
  *detector = (fw_bcp_detector_t){.arena = arena, .bodies = bodies, .known = -1};
  detector->owns = fw__arena_allocate(arena, (size_t)bodies->problem->robot_count, sizeof(*detector->owns));
}

// It is emptied when paths go on after what they are put in for, and when it is full of points where nobody is any more.
bool fw__bcp_detector_begin(fw_bcp_detector_t * detector, fw_tick_t end)
{
  detector->end = end;
  if (end <= detector->known && detector->point_count <= FIRST_SLOTS + 2 * detector->live) {
    return false;
  }
  detector->known = end + end / 8;
  detector->entry_count = detector->live = detector->point_count = detector->colliding_count = 0;
  detector->unused = -1;
  if (detector->slot_capacity > 0) {
    memset(detector->slots, 0, (size_t)detector->slot_capacity * sizeof(*detector->slots));
  }
  for (int32_t r = 0; detector->owns != NULL && r < detector->bodies->problem->robot_count; ++r) {
    detector->owns[r] = -1;
  }
  return true;
}

static int by_tick(const void * a, const void * b)
{
  const fw_bcp_collision_t * one = a;
  const fw_bcp_collision_t * two = b;
  if (one->tick != two->tick) {
    return one->tick < two->tick ? -1 : 1;
  }
  return one->place < two->place ? -1 : 1;
}

bool fw__bcp_detector_sort(fw_bcp_detector_t * detector)
{
  detector->collision_count = 0;
  for (int32_t i = 0; i < detector->colliding_count; ++i) {
    const fw_bcp_point_t * point = &detector->points[detector->colliding[i]];
    if (point->tick > detector->end) {
      continue;
    }
    fw_bcp_collision_t * collisions = reserve(
      detector, detector->collisions, detector->collision_count, sizeof(*collisions), &detector->collision_capacity);
    if (collisions == NULL) {
      return false;
    }
    detector->collisions = collisions;
    collisions[detector->collision_count++] = (fw_bcp_collision_t){point->place, point->tick, point->first};
  }
  if (detector->collision_count > 1) {
    qsort(detector->collisions, (size_t)detector->collision_count, sizeof(*detector->collisions), by_tick);
  }
  return true;
}
