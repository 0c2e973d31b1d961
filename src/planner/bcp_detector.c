// The CollisionDetector: a hash of (place, tick).

#include "planner/bcp_detector.h"

#include <string.h>

enum { FIRST_SLOTS = 1024, CELL_BITS = 28 };

typedef enum kind_t { KIND_CELL, KIND_EDGE, KIND_CORNER } kind_t;

// Cells have 28 bits, corners 29.
static uint64_t name_place(kind_t kind, int64_t a, int64_t b)
{
  return (uint64_t)kind << 60 | (uint64_t)b << (CELL_BITS + 1) | (uint64_t)a;
}

static uint64_t name_edge(fw_cell_t a, fw_cell_t b)
{
  return a < b ? name_place(KIND_EDGE, a, b) : name_place(KIND_EDGE, b, a);
}

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

static bool put(fw_bcp_detector_t * detector, fw_bcp_entry_t entry)
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

// ---- paths ----------------------------------------------------------------------------------------------------------

// A robot at a place from tick to tick, for its own cell `at`.
typedef struct stay_t {
  int32_t robot;
  uint64_t place;
  fw_cell_t at;
  fw_tick_t from;
  fw_tick_t to;
} stay_t;

// `robust` ticks more as a trace.
static bool put_stay(fw_bcp_detector_t * detector, stay_t stay, int32_t robust)
{
  const fw_tick_t end = stay.to < detector->end - robust ? stay.to + robust : detector->end;
  fw_bcp_entry_t entry = {.place = stay.place, .robot = stay.robot, .at = stay.at};
  for (fw_tick_t tick = stay.from; tick <= end; ++tick) {
    entry.tick = tick;
    entry.is_trace = tick > stay.to;
    if (!put(detector, entry)) {
      return false;
    }
  }
  return true;
}

static bool put_cell(fw_bcp_detector_t * detector, stay_t stay, fw_cell_t cell)
{
  stay.place = name_place(KIND_CELL, cell, 0);
  return put_stay(detector, stay, detector->bodies->problem->robust_ticks);
}

static bool put_first(fw_bcp_detector_t * detector, stay_t stay, fw_footprint_t footprint)
{
  const int32_t width = detector->bodies->problem->grid->width;
  for (int32_t i = 0; i < footprint.count; ++i) {
    if (!put_cell(detector, stay, stay.at + footprint.cells[i].dy * width + footprint.cells[i].dx)) {
      return false;
    }
  }
  return true;
}

// A motion on its way: from pose to pose, departing at a tick.
typedef struct leg_t {
  int32_t robot;
  const fw_body_t * body;
  const fw_motion_t * motion;
  fw_pose_t from;
  fw_pose_t to;
  fw_tick_t depart;
  fw_tick_t stands_to;  // after it, until the next departure
} leg_t;

static bool put_sweeps(fw_bcp_detector_t * detector, const leg_t * leg)
{
  const int32_t width = detector->bodies->problem->grid->width;
  for (int32_t i = 0; i < leg->motion->sweep_count; ++i) {
    const fw_sweep_t * sweep = &leg->motion->sweeps[i];
    const bool is_end = i < leg->body->footprints[leg->to.heading].count;
    const stay_t stay = {
      .robot = leg->robot,
      .at = leg->to.cell,
      .from = leg->depart + sweep->from,
      .to = is_end ? leg->stands_to : leg->depart + sweep->to,
    };
    if (!put_cell(detector, stay, leg->from.cell + sweep->dy * width + sweep->dx)) {
      return false;
    }
  }
  return true;
}

// Slower motions that swap are two robots on one cell already.
static bool put_edges(fw_bcp_detector_t * detector, const leg_t * leg)
{
  const int32_t width = detector->bodies->problem->grid->width;
  const fw_footprint_t left = leg->body->footprints[leg->from.heading];
  const fw_footprint_t entered = leg->body->footprints[leg->to.heading];
  stay_t stay = {.robot = leg->robot, .at = leg->to.cell, .from = leg->depart + 1, .to = leg->depart + 1};
  for (int32_t i = 0; i < left.count; ++i) {
    const fw_cell_t a = leg->from.cell + left.cells[i].dy * width + left.cells[i].dx;
    for (int32_t j = 0; j < entered.count; ++j) {
      const fw_cell_t b = leg->to.cell + entered.cells[j].dy * width + entered.cells[j].dx;
      stay.place = name_edge(a, b);
      if (a != b && !put_stay(detector, stay, 0)) {
        return false;
      }
    }
  }
  return true;
}

// A diagonal goes through the corner that its four cells share, for each cell of the footprint.
static bool put_corners(fw_bcp_detector_t * detector, const leg_t * leg)
{
  const fw_grid_t * grid = detector->bodies->problem->grid;
  const fw_footprint_t footprint = leg->body->footprints[leg->from.heading];
  stay_t stay = {
    .robot = leg->robot,
    .at = leg->to.cell,
    .from = leg->depart + 1,
    .to = leg->depart + leg->motion->ticks,
  };
  for (int32_t i = 0; i < footprint.count; ++i) {
    const int32_t x = fw_grid_x(grid, leg->from.cell) + footprint.cells[i].dx + (leg->motion->dx > 0);
    const int32_t y = fw_grid_y(grid, leg->from.cell) + footprint.cells[i].dy + (leg->motion->dy > 0);
    stay.place = name_place(KIND_CORNER, (int64_t)y * (grid->width + 1) + x, 0);
    if (!put_stay(detector, stay, 0)) {
      return false;
    }
  }
  return true;
}

static bool put_leg(fw_bcp_detector_t * detector, const leg_t * leg)
{
  const bool can_swap = leg->motion->ticks == 1;
  const bool is_diagonal = leg->motion->dx != 0 && leg->motion->dy != 0;
  return put_sweeps(detector, leg) && (!can_swap || put_edges(detector, leg)) &&
         (!is_diagonal || put_corners(detector, leg));
}

bool fw_bcp_detector_add(fw_bcp_detector_t * detector, int32_t robot, const fw_path_t * path)
{
  const fw_body_t * body = detector->bodies->of[robot];
  for (int32_t at = 0, next; at < path->length; at = next) {
    for (next = at + 1; next < path->length && !fw_path_arrives(path, next); ++next) {}
    const fw_tick_t stands_to = next == path->length ? FW_TICK_MAX : next - fw_path_motion_ticks(path, next, body);
    const fw_pose_t here = fw_path_pose(path, at);
    if (at == 0) {
      const stay_t stay = {.robot = robot, .at = here.cell, .to = stands_to};
      if (!put_first(detector, stay, body->footprints[here.heading])) {
        return false;
      }
      continue;
    }
    const fw_pose_t before = fw_path_pose(path, at - 1);
    const fw_motion_t * motion = fw_body_motion(body, detector->bodies->problem->grid, before, here);
    const leg_t leg = {robot, body, motion, before, here, at - motion->ticks, stands_to};
    if (!put_leg(detector, &leg)) {
      return false;
    }
  }
  return true;
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
