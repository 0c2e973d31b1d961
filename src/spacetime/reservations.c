// The reservation table: rows of stays.

#include "spacetime/reservations.h"

#include <string.h>

static bool add_closures(fw_reservations_t * table);

bool fw__reservations_init(
  fw_reservations_t * table, fw_arena_t * arena, const fw_moves_t * places, const fw_bodies_t * bodies)
{
  const fw_problem_t * problem = bodies->problem;
  *table = (fw_reservations_t){
    .arena = arena,
    .places = places,
    .robust_ticks = problem->robust_ticks,
    .robots = problem->robots,
    .starts = bodies->starts,
    .bodies = bodies->of,
    .robot_count = problem->robot_count,
    .closures = problem->closures,
    .closure_count = problem->closure_count,
  };
  table->rows = fw__arena_allocate_zeroed(arena, (size_t)places->node_count, sizeof(*table->rows));
  table->bookings = fw__arena_allocate_zeroed(arena, (size_t)problem->robot_count, sizeof(*table->bookings));
  table->ready = fw__arena_allocate_zeroed(arena, (size_t)problem->robot_count + 1, sizeof(*table->ready));
  if (table->rows == NULL || table->bookings == NULL || table->ready == NULL) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    table->ready[r] = problem->robots[r].arrives;
  }
  table->ready[problem->robot_count] = FW_TICK_MAX;
  return add_closures(table);
}

// Room for `capacity` stays, a power of two: what a row has outgrown, if there is some of that size, else new.
static fw_stay_t * take_stays(fw_reservations_t * table, int32_t capacity)
{
  int32_t size = 1;
  while (1 << size < capacity) {
    ++size;
  }
  fw_stay_t * stays = table->spare[size];
  if (stays == NULL) {
    return fw__arena_allocate(table->arena, (size_t)capacity, sizeof(*stays));
  }
  memcpy(&table->spare[size], (const void *)stays, sizeof(void *));  // the first bytes are the address of the next
  return stays;
}

static void leave_stays(fw_reservations_t * table, fw_stay_t * stays, int32_t capacity)
{
  int32_t size = 1;
  while (1 << size < capacity) {
    ++size;
  }
  memcpy((void *)stays, &table->spare[size], sizeof(void *));
  table->spare[size] = stays;
}

static bool reserve_stay(fw_reservations_t * table, fw_row_t * row)
{
  if (row->count < row->capacity) {
    return true;
  }
  const int32_t capacity = row->capacity < 2 ? 2 : row->capacity * 2;
  fw_stay_t * stays = take_stays(table, capacity);
  if (stays == NULL) {
    return false;
  }
  if (row->count > 0) {
    memcpy(stays, row->stays, (size_t)row->count * sizeof(*stays));
    leave_stays(table, row->stays, row->capacity);
  }
  row->stays = stays;
  row->capacity = capacity;
  return true;
}

// One with those of the same robot that it touches: nobody else can be between.
static bool add_stay(fw_reservations_t * table, int32_t node, fw_stay_t stay)
{
  fw_row_t * row = &table->rows[node];
  if (!reserve_stay(table, row)) {
    return false;
  }
  int32_t at = fw__row_find(row, stay.from - 1);
  if (at < row->count && row->stays[at].to < stay.from && row->stays[at].robot != stay.robot) {
    ++at;  // somebody who leaves as it comes
  }
  int32_t end = at;
  for (; end < row->count && row->stays[end].robot == stay.robot && row->stays[end].from <= stay.to + 1; ++end) {
    stay.from = row->stays[end].from < stay.from ? row->stays[end].from : stay.from;
    stay.to = row->stays[end].to > stay.to ? row->stays[end].to : stay.to;
  }
  memmove(row->stays + at + 1, row->stays + end, (size_t)(row->count - end) * sizeof(*row->stays));
  row->stays[at] = stay;
  row->count += 1 - (end - at);
  const fw_tick_t last = stay.to == FW_TICK_MAX ? stay.from : stay.to;
  if (last > table->last_tick) {
    table->last_tick = last;
  }
  return true;
}

static bool add_closures(fw_reservations_t * table)
{
  for (int32_t i = 0; i < table->closure_count; ++i) {
    const fw_closure_t * closure = &table->closures[i];
    const fw_stay_t stay = {.from = closure->from, .to = closure->to, .robot = table->robot_count};
    if (!add_stay(table, table->places->node_of[closure->cell], stay)) {
      return false;
    }
  }
  return true;
}

// Whatever of the stay is there.
static void remove_stay(fw_reservations_t * table, int32_t node, fw_stay_t stay)
{
  fw_row_t * row = &table->rows[node];
  for (int32_t at = fw__row_find(row, stay.from); at < row->count && row->stays[at].from <= stay.to;) {
    if (row->stays[at].robot != stay.robot) {
      ++at;
      continue;
    }
    memmove(row->stays + at, row->stays + at + 1, (size_t)(row->count - at - 1) * sizeof(*row->stays));
    --row->count;
  }
}

// ---- bookings -------------------------------------------------------------------------------------------------------

// A booking that is being added or removed.
typedef struct walk_t {
  fw_reservations_t * table;
  int32_t robot;
  bool is_adding;
} walk_t;

static inline bool cover(const walk_t * walk, fw_cell_t cell, fw_tick_t from, fw_tick_t to)
{
  const int32_t node = walk->table->places->node_of[cell];
  const fw_stay_t stay = {.from = from, .to = to, .robot = walk->robot};
  if (walk->is_adding && from <= to) {
    return add_stay(walk->table, node, stay);
  }
  if (from <= to) {
    remove_stay(walk->table, node, stay);
  }
  return true;
}

// The robot stands on the first pose of its booking until `to`.
static bool cover_first(const walk_t * walk, const fw_booking_t * booking, fw_tick_t to)
{
  const fw_grid_pose_t pose = fw__path_pose(&booking->path, 0);
  const fw_footprint_t footprint = walk->table->bodies[walk->robot]->footprints[pose.heading];
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_cell_t cell = pose.cell + footprint.cells[i].dy * walk->table->places->grid->width + footprint.cells[i].dx;
    if (!cover(walk, cell, booking->from, to)) {
      return false;
    }
  }
  return true;
}

// The motion that ends at path index `at`, and the stand there until `to`: a motion's first sweeps are the footprint at
// its end.
static bool cover_motion(const walk_t * walk, const fw_booking_t * booking, int32_t at, fw_tick_t to)
{
  const fw_grid_t * grid = walk->table->places->grid;
  const fw_body_t * body = walk->table->bodies[walk->robot];
  const fw_grid_pose_t from = fw__path_pose(&booking->path, at - 1);
  const fw_grid_pose_t end = fw__path_pose(&booking->path, at);
  const fw_motion_t * motion = fw__body_motion(body, grid, from, end);
  const fw_tick_t depart = booking->from + at - motion->ticks;
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    const fw_swept_cell_t * sweep = &motion->sweeps[i];
    const fw_tick_t until = i < body->footprints[end.heading].count ? to : depart + sweep->to;
    const fw_tick_t begin = depart + sweep->from > 0 ? depart + sweep->from : 0;  // under way at tick 0
    if (!cover(walk, from.cell + sweep->dy * grid->width + sweep->dx, begin, until)) {
      return false;
    }
  }
  return true;
}

// Pose after pose: the motion that leads to it, then the stand until the next departure. A plain body is where it is
// listed: the short cut is for speed alone.
static bool walk_booking(const walk_t * walk, const fw_booking_t * booking)
{
  const fw_path_t * path = &booking->path;
  const fw_body_t * body = walk->table->bodies[walk->robot];
  for (int32_t at = 0, next; at < path->length; at = next) {
    for (next = at + 1; next < path->length && !fw__path_arrives(path, next); ++next) {}
    // It stands until it departs; where the booking begins on the way, not at all.
    const fw_tick_t to =
      next == path->length ? booking->until : booking->from + next - fw__path_motion_ticks(path, next, body);
    const bool is_covered = body->is_plain ? cover(walk, path->cells[at], booking->from + at, to)
                            : at == 0      ? cover_first(walk, booking, to)
                                           : cover_motion(walk, booking, at, to);
    if (!is_covered) {
      return false;
    }
  }
  return true;
}

bool fw__reservations_book(fw_reservations_t * table, int32_t robot, fw_booking_t booking)
{
  const walk_t walk = {.table = table, .robot = robot, .is_adding = true};
  table->bookings[robot] = booking;
  return walk_booking(&walk, &booking);
}

bool fw__reservations_add_path(fw_reservations_t * table, int32_t robot, fw_path_t path)
{
  return fw__reservations_book(table, robot, (fw_booking_t){.path = path, .until = FW_TICK_MAX});
}

void fw__reservations_remove(fw_reservations_t * table, int32_t robot)
{
  const walk_t walk = {.table = table, .robot = robot};
  (void)walk_booking(&walk, &table->bookings[robot]);
  table->bookings[robot] = (fw_booking_t){0};
}

bool fw__reservations_hold(fw_reservations_t * table, int32_t robot)
{
  const fw_hold_t * hold = &table->holds[robot];
  for (int32_t i = 0; i < hold->count; ++i) {
    const fw_tick_t to = fw__reservations_held_until(table, robot, hold->nodes[i]);
    if (!add_stay(table, hold->nodes[i], (fw_stay_t){.from = table->ready[robot], .to = to, .robot = robot})) {
      return false;
    }
  }
  return true;
}

// ---- starts ---------------------------------------------------------------------------------------------------------

bool fw__reservations_add_start(fw_reservations_t * table, int32_t robot)
{
  const fw_path_t start = table->starts[robot];
  return fw__reservations_book(table, robot, (fw_booking_t){.path = start, .until = start.length - 1});
}

bool fw__reservations_reset(fw_reservations_t * table)
{
  for (int32_t node = 0; node < table->places->node_count; ++node) {
    table->rows[node].count = 0;
  }
  table->last_tick = 0;
  if (!add_closures(table)) {
    return false;
  }
  for (int32_t robot = 0; robot < table->robot_count; ++robot) {
    if (table->robots[robot].start >= 0 && !fw__reservations_add_start(table, robot)) {
      return false;
    }
  }
  return true;
}

int32_t fw__reservations_owner(const fw_reservations_t * table, int32_t node, fw_tick_t tick)
{
  const fw_row_t * row = &table->rows[node];
  const int32_t at = fw__row_find(row, tick);
  return at < row->count && row->stays[at].from <= tick ? row->stays[at].robot : -1;
}
