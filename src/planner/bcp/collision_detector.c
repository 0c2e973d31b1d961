// The collision detector: a hash of points, the entries of robots at them, and what a path enters.

#include "planner/bcp/collision_detector.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

enum { SLOTS_FIRST = 1024 };

// ---- points ---------------------------------------------------------------------------------------------------------

static uint32_t hash(uint64_t location, fw_tick_t tick)
{
  uint64_t key = (location ^ (uint64_t)(uint32_t)tick << 24) * UINT64_C(0x9e3779b97f4a7c15);
  key = (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return (uint32_t)(key >> 32);
}

// The slot of a location and tick, or the empty one where it would be.
static int32_t * find_slot(const fw_collision_detector_t * detector, uint64_t location, fw_tick_t tick)
{
  const uint32_t mask = (uint32_t)detector->slot_capacity - 1;
  uint32_t at = hash(location, tick) & mask;
  while (detector->slots[at] != 0) {
    const fw_detector_point_t * point = &detector->points[detector->slots[at] - 1];
    if (point->location == location && point->tick == tick) {
      break;
    }
    at = (at + 1) & mask;
  }
  return &detector->slots[at];
}

// Keeps at least twice as many slots as points. False when there is no memory.
static bool reserve_slots(fw_collision_detector_t * detector)
{
  if (detector->point_count * 2 < detector->slot_capacity) {
    return true;
  }
  const int32_t capacity = detector->slot_capacity < SLOTS_FIRST ? SLOTS_FIRST : detector->slot_capacity * 2;
  int32_t * slots = fw__arena_allocate_zeroed(detector->arena, (size_t)capacity, sizeof(*slots));
  if (slots == NULL) {
    return false;
  }
  detector->slots = slots;
  detector->slot_capacity = capacity;
  for (int32_t i = 0; i < detector->point_count; ++i) {
    *find_slot(detector, detector->points[i].location, detector->points[i].tick) = i + 1;
  }
  return true;
}

// An array of the detector that grows.
typedef struct growing_t {
  void * items;
  int32_t count;
  size_t item_bytes;
  int32_t * capacity;
} growing_t;

// The array with room for one more item; NULL when there is no memory.
static void * reserve(fw_collision_detector_t * detector, growing_t array)
{
  if (array.count < *array.capacity) {
    return array.items;
  }
  void * grown = fw__arena_grow(detector->arena, array.items, array.item_bytes, array.capacity);
  if (grown != NULL) {
    fw__arena_recycle(detector->arena, array.items, (size_t)array.count, array.item_bytes);
  }
  return grown;
}

// The number of a point, -1 when there is no memory.
static int32_t find_point(fw_collision_detector_t * detector, uint64_t location, fw_tick_t tick)
{
  if (!reserve_slots(detector)) {
    return -1;
  }
  int32_t * slot = find_slot(detector, location, tick);
  if (*slot == 0) {
    fw_detector_point_t * points = reserve(
      detector,
      (growing_t){detector->points, detector->point_count, sizeof(*detector->points), &detector->point_capacity});
    if (points == NULL) {
      return -1;
    }
    detector->points = points;
    points[detector->point_count] = (fw_detector_point_t){.location = location, .tick = tick, .first = -1};
    *slot = ++detector->point_count;
  }
  return *slot - 1;
}

// ---- entries --------------------------------------------------------------------------------------------------------

// The index of an unused entry, -1 when there is no memory.
static int32_t take_entry(fw_collision_detector_t * detector)
{
  const int32_t index = detector->unused;
  if (index >= 0) {
    detector->unused = detector->entries[index].previous;
    return index;
  }
  fw_detector_entry_t * entries = reserve(
    detector,
    (growing_t){detector->entries, detector->entry_count, sizeof(*detector->entries), &detector->entry_capacity});
  if (entries == NULL) {
    return -1;
  }
  detector->entries = entries;
  return detector->entry_count++;
}

// The second robot at a point makes a collision.
static void begin_collision(fw_collision_detector_t * detector, int32_t point)
{
  int32_t * colliding = reserve(
    detector,
    (growing_t){
      detector->colliding, detector->colliding_count, sizeof(*detector->colliding), &detector->colliding_capacity});
  if (colliding == NULL) {
    return;
  }
  detector->colliding = colliding;
  detector->points[point].collision = detector->colliding_count;
  colliding[detector->colliding_count++] = point;
}

static void end_collision(fw_collision_detector_t * detector, int32_t point)
{
  FW_ASSERT(detector->colliding_count > 0);
  FW_ASSERT(detector->colliding[detector->points[point].collision] == point);
  const int32_t last = detector->colliding[--detector->colliding_count];
  detector->colliding[detector->points[point].collision] = last;
  detector->points[last].collision = detector->points[point].collision;
}

// Enters a robot at a location; `entry` has the robot, its cell and the tick.
static void put(fw_collision_detector_t * detector, uint64_t location, fw_detector_entry_t entry)
{
  entry.point = find_point(detector, location, entry.tick);
  if (entry.point < 0) {
    return;
  }
  fw_detector_point_t * point = &detector->points[entry.point];
  for (int32_t i = point->first; i >= 0; i = detector->entries[i].next) {
    fw_detector_entry_t * other = &detector->entries[i];
    if (other->robot == entry.robot) {  // covered twice: the end of a stay, and the next motion
      other->is_trailing = other->is_trailing && entry.is_trailing;
      return;
    }
  }
  const int32_t index = take_entry(detector);
  if (index < 0) {
    return;
  }
  entry.next = point->first;
  entry.previous = detector->last_entry[entry.robot];
  detector->entries[index] = entry;
  detector->last_entry[entry.robot] = index;
  point->first = index;
  ++detector->live;
  if (++point->count == 2) {
    begin_collision(detector, entry.point);
  }
}

// Takes all entries of a robot out.
static void remove_robot(fw_collision_detector_t * detector, int32_t robot)
{
  for (int32_t i = detector->last_entry[robot]; i >= 0;) {
    fw_detector_entry_t * entry = &detector->entries[i];
    fw_detector_point_t * point = &detector->points[entry->point];
    int32_t * link = &point->first;
    while (*link != i) {
      FW_ASSERT(*link >= 0);
      link = &detector->entries[*link].next;
    }
    *link = entry->next;
    if (--point->count == 1) {
      end_collision(detector, entry->point);
    }
    --detector->live;
    const int32_t before = entry->previous;
    entry->previous = detector->unused;
    detector->unused = i;
    i = before;
  }
  detector->last_entry[robot] = -1;
}

// ---- paths ----------------------------------------------------------------------------------------------------------

enum { CELL_BITS = 28 };

typedef enum kind_t { KIND_CELL, KIND_EDGE, KIND_CORNER } kind_t;

// A number for each location of each kind. Cells have 28 bits, corners 29.
static uint64_t location_of(kind_t kind, int64_t a, int64_t b)
{
  return (uint64_t)kind << 60 | (uint64_t)b << (CELL_BITS + 1) | (uint64_t)a;
}

static uint64_t edge_of(fw_cell_t a, fw_cell_t b)
{
  return a < b ? location_of(KIND_EDGE, a, b) : location_of(KIND_EDGE, b, a);
}

// A robot at a location from tick to tick, for its own cell `at`.
typedef struct stay_t {
  int32_t robot;
  uint64_t location;
  fw_cell_t at;
  fw_tick_t from;
  fw_tick_t to;
} stay_t;

// And for `robust` ticks more as trailing. A motion that is under way at tick 0 has begun before.
static void put_stay(fw_collision_detector_t * detector, stay_t stay, int32_t robust)
{
  const fw_tick_t end = stay.to < detector->entered_end - robust ? stay.to + robust : detector->entered_end;
  fw_detector_entry_t entry = {.robot = stay.robot, .at = stay.at};
  for (fw_tick_t tick = stay.from > 0 ? stay.from : 0; tick <= end; ++tick) {
    entry.tick = tick;
    entry.is_trailing = tick > stay.to;
    put(detector, stay.location, entry);
  }
}

static void put_cell(fw_collision_detector_t * detector, stay_t stay, fw_cell_t cell)
{
  stay.location = location_of(KIND_CELL, cell, 0);
  put_stay(detector, stay, detector->bodies->problem->robust_ticks);
}

// The cells of the start.
static void put_first(fw_collision_detector_t * detector, stay_t stay, fw_footprint_t footprint)
{
  const int32_t width = detector->bodies->problem->grid->width;
  for (int32_t i = 0; i < footprint.count; ++i) {
    put_cell(detector, stay, stay.at + footprint.cells[i].dy * width + footprint.cells[i].dx);
  }
}

// One motion of a path: from pose to pose, departing at a tick.
typedef struct leg_t {
  int32_t robot;
  const fw_body_t * body;
  const fw_motion_t * motion;
  fw_grid_pose_t from;
  fw_grid_pose_t to;
  fw_tick_t depart;
  fw_tick_t stands_to;  // after it, until the next departure
} leg_t;

// The cells that a motion sweeps, those of its end until the next departure.
static void put_sweeps(fw_collision_detector_t * detector, const leg_t * leg)
{
  const int32_t width = detector->bodies->problem->grid->width;
  for (int32_t i = 0; i < leg->motion->sweep_count; ++i) {
    const fw_swept_cell_t * sweep = &leg->motion->sweeps[i];
    const bool is_end = i < leg->body->footprints[leg->to.heading].count;
    const stay_t stay = {
      .robot = leg->robot,
      .at = leg->to.cell,
      .from = leg->depart + sweep->from,
      .to = is_end ? leg->stands_to : leg->depart + sweep->to,
    };
    put_cell(detector, stay, leg->from.cell + sweep->dy * width + sweep->dx);
  }
}

// Edges, for motions of one tick: slower ones that swap are two robots on one cell already.
static void put_edges(fw_collision_detector_t * detector, const leg_t * leg)
{
  const int32_t width = detector->bodies->problem->grid->width;
  const fw_footprint_t left = leg->body->footprints[leg->from.heading];
  const fw_footprint_t entered = leg->body->footprints[leg->to.heading];
  stay_t stay = {.robot = leg->robot, .at = leg->to.cell, .from = leg->depart + 1, .to = leg->depart + 1};
  for (int32_t i = 0; i < left.count; ++i) {
    const fw_cell_t a = leg->from.cell + left.cells[i].dy * width + left.cells[i].dx;
    for (int32_t j = 0; j < entered.count; ++j) {
      const fw_cell_t b = leg->to.cell + entered.cells[j].dy * width + entered.cells[j].dx;
      stay.location = edge_of(a, b);
      if (a != b) {
        put_stay(detector, stay, 0);
      }
    }
  }
}

// A diagonal goes through the corner that its four cells share, for each cell of the footprint.
static void put_corners(fw_collision_detector_t * detector, const leg_t * leg)
{
  const fw_grid_t * grid = detector->bodies->problem->grid;
  const fw_footprint_t footprint = leg->body->footprints[leg->from.heading];
  stay_t stay = {
    .robot = leg->robot,
    .at = leg->to.cell,
    .from = leg->depart > 0 ? leg->depart + 1 : 1,
    .to = leg->depart + leg->motion->ticks,
  };
  for (int32_t i = 0; i < footprint.count; ++i) {
    const int32_t x = fw_grid_x(grid, leg->from.cell) + footprint.cells[i].dx + (leg->motion->dx > 0);
    const int32_t y = fw_grid_y(grid, leg->from.cell) + footprint.cells[i].dy + (leg->motion->dy > 0);
    stay.location = location_of(KIND_CORNER, (int64_t)y * (grid->width + 1) + x, 0);
    put_stay(detector, stay, 0);
  }
}

static void put_leg(fw_collision_detector_t * detector, const leg_t * leg)
{
  const bool can_swap = leg->motion->ticks == 1;
  const bool is_diagonal = leg->motion->dx != 0 && leg->motion->dy != 0;
  put_sweeps(detector, leg);
  if (can_swap) {
    put_edges(detector, leg);
  }
  if (is_diagonal) {
    put_corners(detector, leg);
  }
}

void fw__collision_detector_set(fw_collision_detector_t * detector, int32_t robot, const fw_path_t * path)
{
  FW_ASSERT(robot >= 0 && robot < detector->bodies->problem->robot_count && path->length > 0);
  if (fw__arena_has_failed(detector->arena)) {
    return;  // lists may be incomplete
  }
  remove_robot(detector, robot);
  const fw_body_t * body = detector->bodies->of[robot];
  for (int32_t at = 0, next; at < path->length; at = next) {
    for (next = at + 1; next < path->length && !fw__path_arrives(path, next); ++next) {}
    const fw_tick_t stands_to = next == path->length ? FW_TICK_MAX : next - fw__path_motion_ticks(path, next, body);
    const fw_grid_pose_t here = fw__path_pose(path, at);
    if (at == 0) {
      const stay_t stay = {.robot = robot, .at = here.cell, .to = stands_to};
      put_first(detector, stay, body->footprints[here.heading]);
      continue;
    }
    const fw_grid_pose_t before = fw__path_pose(path, at - 1);
    const fw_motion_t * motion = fw__body_motion(body, detector->bodies->problem->grid, before, here);
    const leg_t leg = {robot, body, motion, before, here, at - motion->ticks, stands_to};
    FW_ASSERT(leg.depart <= stands_to);
    put_leg(detector, &leg);
  }
}

// ---- rounds ---------------------------------------------------------------------------------------------------------

void fw__collision_detector_init(fw_collision_detector_t * detector, fw_arena_t * arena, const fw_bodies_t * bodies)
{
  *detector = (fw_collision_detector_t){.arena = arena, .bodies = bodies, .entered_end = -1};
  detector->last_entry = fw__arena_allocate(arena, (size_t)bodies->problem->robot_count, sizeof(*detector->last_entry));
}

// It is emptied when paths go beyond the ticks that are entered, and when most points have no robots any more.
bool fw__collision_detector_begin(fw_collision_detector_t * detector, fw_tick_t end)
{
  detector->end = end;
  if (end <= detector->entered_end && detector->point_count <= SLOTS_FIRST + 2 * detector->live) {
    return false;
  }
  detector->entered_end = end + end / 8;
  detector->entry_count = detector->live = detector->point_count = detector->colliding_count = 0;
  detector->unused = -1;
  if (detector->slot_capacity > 0) {
    memset(detector->slots, 0, (size_t)detector->slot_capacity * sizeof(*detector->slots));
  }
  for (int32_t r = 0; detector->last_entry != NULL && r < detector->bodies->problem->robot_count; ++r) {
    detector->last_entry[r] = -1;
  }
  return true;
}

static int by_tick(const void * a, const void * b)
{
  const fw_collision_t * one = a;
  const fw_collision_t * two = b;
  if (one->tick != two->tick) {
    return one->tick < two->tick ? -1 : 1;
  }
  return one->location < two->location ? -1 : 1;
}

void fw__collision_detector_sort(fw_collision_detector_t * detector)
{
  detector->collision_count = 0;
  for (int32_t i = 0; i < detector->colliding_count; ++i) {
    const fw_detector_point_t * point = &detector->points[detector->colliding[i]];
    if (point->tick > detector->end) {
      continue;
    }
    fw_collision_t * collisions = reserve(
      detector,
      (growing_t){
        detector->collisions, detector->collision_count, sizeof(*detector->collisions), &detector->collision_capacity});
    if (collisions == NULL) {
      return;
    }
    FW_ASSERT(point->count > 1);
    detector->collisions = collisions;
    collisions[detector->collision_count++] = (fw_collision_t){point->location, point->tick, point->first};
  }
  if (detector->collision_count > 1) {
    qsort(detector->collisions, (size_t)detector->collision_count, sizeof(*detector->collisions), by_tick);
  }
}

bool fw__collision_detector_validate(const fw_collision_detector_t * detector)
{
  int32_t live = 0;
  int32_t colliding = 0;
  for (int32_t i = 0; i < detector->point_count; ++i) {
    const fw_detector_point_t * point = &detector->points[i];
    int32_t count = 0;
    for (int32_t e = point->first; e >= 0; e = detector->entries[e].next) {
      if (e >= detector->entry_count || detector->entries[e].point != i || ++count > detector->entry_count) {
        return false;
      }
    }
    if (count != point->count) {
      return false;
    }
    if (
      count > 1 && (point->collision < 0 || point->collision >= detector->colliding_count ||
                    detector->colliding[point->collision] != i)) {
      return false;
    }
    live += count;
    colliding += count > 1 ? 1 : 0;
  }
  return live == detector->live && colliding == detector->colliding_count;
}
