// The reservation table: timelines of reserved intervals, bookings, and conflicts with them.

#include "spacetime/reservations.h"

#include <stdlib.h>
#include <string.h>

// ---- timelines ------------------------------------------------------------------------------------------------------

// The index of the free list for arrays of `capacity` intervals, a power of two.
static int32_t size_class(int32_t capacity)
{
  int32_t size = 1;
  while (1 << size < capacity) {
    ++size;
  }
  FW_ASSERT(capacity == 1 << size);
  return size;
}

// An array of `capacity` intervals from the free list, or a new one; NULL when there is no memory.
static fw_reserved_interval_t * take_array(fw_reservations_t * table, int32_t capacity)
{
  const int32_t size = size_class(capacity);
  fw_reserved_interval_t * intervals = table->spare[size];
  if (intervals == NULL) {
    return fw__arena_allocate(table->arena, (size_t)capacity, sizeof(*intervals));
  }
  memcpy(&table->spare[size], (const void *)intervals, sizeof(void *));  // the first bytes are the address of the next
  return intervals;
}

static void leave_array(fw_reservations_t * table, fw_reserved_interval_t * intervals, int32_t capacity)
{
  const int32_t size = size_class(capacity);
  memcpy((void *)intervals, &table->spare[size], sizeof(void *));
  table->spare[size] = intervals;
}

// Room for one more interval. False when there is no memory.
static bool reserve_interval(fw_reservations_t * table, fw_timeline_t * row)
{
  if (row->count < row->capacity) {
    return true;
  }
  const int32_t capacity = row->capacity < 2 ? 2 : row->capacity * 2;
  fw_reserved_interval_t * intervals = take_array(table, capacity);
  if (intervals == NULL) {
    return false;
  }
  if (row->count > 0) {
    memcpy(intervals, row->intervals, (size_t)row->count * sizeof(*intervals));
    leave_array(table, row->intervals, row->capacity);
  }
  row->intervals = intervals;
  row->capacity = capacity;
  return true;
}

// Adds an interval, merged with those of the same owner that it touches or overlaps: no other owner can be between
// them.
static void add_interval(fw_reservations_t * table, int32_t node, fw_reserved_interval_t interval)
{
  fw_timeline_t * row = &table->rows[node];
  FW_ASSERT(node >= 0 && node < table->places->node_count && interval.from <= interval.to);
  if (!reserve_interval(table, row)) {
    table->has_failed = true;
    return;
  }
  int32_t at = fw__timeline_find(row, interval.from - 1);
  if (at < row->count && row->intervals[at].to < interval.from && row->intervals[at].robot != interval.robot) {
    ++at;  // another owner whose interval ends as this one begins
  }
  int32_t end = at;
  for (; end < row->count && row->intervals[end].robot == interval.robot && row->intervals[end].from <= interval.to + 1;
       ++end) {
    interval.from = row->intervals[end].from < interval.from ? row->intervals[end].from : interval.from;
    interval.to = row->intervals[end].to > interval.to ? row->intervals[end].to : interval.to;
  }
  memmove(row->intervals + at + 1, row->intervals + end, (size_t)(row->count - end) * sizeof(*row->intervals));
  row->intervals[at] = interval;
  row->count += 1 - (end - at);
  FW_ASSERT(row->count <= row->capacity && (at == 0 || row->intervals[at - 1].to < interval.from));
  FW_ASSERT(at + 1 == row->count || interval.to < row->intervals[at + 1].from);
  const fw_tick_t last = interval.to == FW_TICK_MAX ? interval.from : interval.to;
  if (last > table->last_tick) {
    table->last_tick = last;
  }
}

static void add_closures(fw_reservations_t * table)
{
  for (int32_t i = 0; i < table->closure_count; ++i) {
    const fw_closure_t * closure = &table->closures[i];
    const fw_reserved_interval_t interval = {.from = closure->from, .to = closure->to, .robot = table->robot_count};
    add_interval(table, table->places->node_of[closure->cell], interval);
  }
}

// Removes every interval of its owner that begins within the given one or overlaps it.
static void remove_interval(fw_reservations_t * table, int32_t node, fw_reserved_interval_t interval)
{
  fw_timeline_t * row = &table->rows[node];
  for (int32_t at = fw__timeline_find(row, interval.from); at < row->count && row->intervals[at].from <= interval.to;) {
    if (row->intervals[at].robot != interval.robot) {
      ++at;
      continue;
    }
    memmove(row->intervals + at, row->intervals + at + 1, (size_t)(row->count - at - 1) * sizeof(*row->intervals));
    --row->count;
  }
  if (row->count == 0 && row->capacity > 0) {  // for any place where robots come through
    leave_array(table, row->intervals, row->capacity);
    *row = (fw_timeline_t){0};
  }
}

// ---- init -----------------------------------------------------------------------------------------------------------

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
  add_closures(table);
  FW_ASSERT(table->has_failed || fw__reservations_validate(table));
  return !table->has_failed;
}

// ---- bookings -------------------------------------------------------------------------------------------------------

// A booking that is being added or removed.
typedef struct walk_t {
  fw_reservations_t * table;
  int32_t robot;
  bool is_adding;
} walk_t;

// Reserves or frees a cell from tick to tick.
static inline void cover(const walk_t * walk, fw_cell_t cell, fw_tick_t from, fw_tick_t to)
{
  const int32_t node = walk->table->places->node_of[cell];
  const fw_reserved_interval_t interval = {.from = from, .to = to, .robot = walk->robot};
  if (from > to) {
    return;
  }
  if (walk->is_adding) {
    add_interval(walk->table, node, interval);
  } else {
    remove_interval(walk->table, node, interval);
  }
}

// The robot stands on the first pose of its booking until `to`.
static void cover_first(const walk_t * walk, const fw_booking_t * booking, fw_tick_t to)
{
  const fw_grid_pose_t pose = fw__path_pose(&booking->path, 0);
  const fw_footprint_t footprint = walk->table->bodies[walk->robot]->footprints[pose.heading];
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_cell_t cell = pose.cell + footprint.cells[i].dy * walk->table->places->grid->width + footprint.cells[i].dx;
    cover(walk, cell, booking->from, to);
  }
}

// The motion that ends at path index `at`, and the stand there until `to`: a motion's first sweeps are the footprint at
// its end.
static void cover_motion(const walk_t * walk, const fw_booking_t * booking, int32_t at, fw_tick_t to)
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
    cover(walk, from.cell + sweep->dy * grid->width + sweep->dx, begin, until);
  }
}

// Pose after pose: the motion that leads to it, then the stand until the next departure. A plain body covers the listed
// cell only: that short cut is for speed alone.
static void walk_booking(const walk_t * walk, const fw_booking_t * booking)
{
  const fw_path_t * path = &booking->path;
  const fw_body_t * body = walk->table->bodies[walk->robot];
  for (int32_t at = 0, next; at < path->length; at = next) {
    for (next = at + 1; next < path->length && !fw__path_arrives(path, next); ++next) {}
    // It stands until it departs; not at all if the booking begins during a motion.
    const fw_tick_t to =
      next == path->length ? booking->until : booking->from + next - fw__path_motion_ticks(path, next, body);
    if (body->is_plain) {
      cover(walk, path->cells[at], booking->from + at, to);
    } else if (at == 0) {
      cover_first(walk, booking, to);
    } else {
      cover_motion(walk, booking, at, to);
    }
  }
}

bool fw__reservations_book(fw_reservations_t * table, int32_t robot, fw_booking_t booking)
{
  FW_ASSERT(fw__reservations_is_robot(table, robot) && table->bookings[robot].path.length == 0);
  const walk_t walk = {.table = table, .robot = robot, .is_adding = true};
  table->bookings[robot] = booking;
  walk_booking(&walk, &booking);
  return !table->has_failed;
}

bool fw__reservations_add_path(fw_reservations_t * table, int32_t robot, fw_path_t path)
{
  return fw__reservations_book(table, robot, (fw_booking_t){.path = path, .until = FW_TICK_MAX});
}

void fw__reservations_remove(fw_reservations_t * table, int32_t robot)
{
  FW_ASSERT(fw__reservations_is_robot(table, robot));
  const walk_t walk = {.table = table, .robot = robot};
  walk_booking(&walk, &table->bookings[robot]);
  table->bookings[robot] = (fw_booking_t){0};
}

bool fw__reservations_can_commit(const fw_reservations_t * table, int32_t robot)
{
  const fw_commitment_t * commitment = &table->commitments[robot];
  for (int32_t i = 0; i < commitment->count; ++i) {
    const fw_tick_t to = fw__reservations_committed_until(table, robot, commitment->nodes[i]);
    const fw_timeline_t * row = &table->rows[commitment->nodes[i]];
    for (int32_t at = 0; at < row->count && row->intervals[at].from <= to; ++at) {
      if (row->intervals[at].to >= table->ready[robot] && row->intervals[at].robot != robot) {
        return false;
      }
    }
  }
  return true;
}

bool fw__reservations_add_commitment(fw_reservations_t * table, int32_t robot)
{
  const fw_commitment_t * commitment = &table->commitments[robot];
  for (int32_t i = 0; i < commitment->count; ++i) {
    const fw_tick_t to = fw__reservations_committed_until(table, robot, commitment->nodes[i]);
    const fw_reserved_interval_t interval = {.from = table->ready[robot], .to = to, .robot = robot};
    add_interval(table, commitment->nodes[i], interval);
  }
  return !table->has_failed;
}

// ---- starts ---------------------------------------------------------------------------------------------------------

bool fw__reservations_add_start(fw_reservations_t * table, int32_t robot)
{
  const fw_path_t start = table->starts[robot];
  return fw__reservations_book(table, robot, (fw_booking_t){.path = start, .until = start.length - 1});
}

// Leaves the closures alone, which nothing overrides or removes: to add them again costs far more where there are many
// of them and few robots.
static void keep_closures(fw_reservations_t * table)
{
  table->last_tick = 0;
  for (int32_t node = 0; node < table->places->node_count; ++node) {
    fw_timeline_t * row = &table->rows[node];
    int32_t count = 0;
    for (int32_t i = 0; i < row->count; ++i) {
      const fw_reserved_interval_t interval = row->intervals[i];
      if (interval.robot == table->robot_count) {
        const fw_tick_t last = interval.to == FW_TICK_MAX ? interval.from : interval.to;
        table->last_tick = last > table->last_tick ? last : table->last_tick;
        row->intervals[count++] = interval;
      }
    }
    row->count = count;
  }
}

bool fw__reservations_reset(fw_reservations_t * table)
{
  if (!table->has_failed) {
    keep_closures(table);
  } else {  // closures may be missing
    for (int32_t node = 0; node < table->places->node_count; ++node) {
      table->rows[node].count = 0;
    }
    table->last_tick = 0;
    table->has_failed = false;
    add_closures(table);
  }
  for (int32_t robot = 0; robot < table->robot_count; ++robot) {
    table->bookings[robot] = (fw_booking_t){0};
    if (table->robots[robot].start >= 0) {
      (void)fw__reservations_add_start(table, robot);
    }
  }
  FW_ASSERT(table->has_failed || fw__reservations_validate(table));
  return !table->has_failed;
}

// ---- the invariant --------------------------------------------------------------------------------------------------

// Sorted, disjoint, and no two intervals of one owner that should have been merged.
static bool is_timeline_valid(const fw_reservations_t * table, const fw_timeline_t * row)
{
  if (row->count < 0 || row->count > row->capacity) {
    return false;
  }
  for (int32_t i = 0; i < row->count; ++i) {
    const fw_reserved_interval_t * own = &row->intervals[i];
    const fw_tick_t last = own->to == FW_TICK_MAX ? own->from : own->to;
    if (own->from > own->to || own->robot < 0 || own->robot > table->robot_count || last > table->last_tick) {
      return false;
    }
    if (i > 0) {
      const fw_reserved_interval_t * before = own - 1;
      const int32_t apart = before->robot == own->robot ? 1 : 0;  // else they would have been merged
      if (before->to >= own->from - apart) {
        return false;
      }
    }
  }
  return true;
}

bool fw__reservations_validate(const fw_reservations_t * table)
{
  for (int32_t node = 0; node < table->places->node_count; ++node) {
    if (!is_timeline_valid(table, &table->rows[node])) {
      return false;
    }
  }
  for (int32_t i = 0; i < table->closure_count; ++i) {
    const fw_closure_t * closure = &table->closures[i];
    const int32_t node = table->places->node_of[closure->cell];
    if (
      fw__reservations_owner(table, node, closure->from) != table->robot_count ||
      fw__reservations_owner(table, node, closure->to) != table->robot_count) {
      return false;
    }
  }
  return table->ready[table->robot_count] == FW_TICK_MAX;
}

// ---- conflicts on cells ---------------------------------------------------------------------------------------------

int32_t fw__reservations_owner(const fw_reservations_t * table, int32_t node, fw_tick_t tick)
{
  const fw_timeline_t * row = &table->rows[node];
  const int32_t at = fw__timeline_find(row, tick);
  return at < row->count && row->intervals[at].from <= tick ? row->intervals[at].robot : -1;
}

// Adds an owner once. `is_fixed`: the conflict is at a time that the owner cannot change any more.
static void add_conflict(fw_conflict_set_t * met, int32_t robot, bool is_fixed)
{
  met->is_fixed = met->is_fixed || is_fixed;
  for (int32_t i = 0; i < met->count; ++i) {
    if (met->robots[i] == robot) {
      return;
    }
  }
  if (met->count == met->limit) {
    met->is_fixed = true;  // more than can be listed
    return;
  }
  met->robots[met->count++] = robot;
}

// A caller that looks for one conflict needs no more.
static bool is_full(const fw_conflict_set_t * met) { return met->limit == 1 && met->count == 1; }

// A robot needs a place from tick to tick, both included.
typedef struct need_t {
  int32_t robot;
  int32_t node;
  fw_tick_t from;
  fw_tick_t to;
} need_t;

// Every other owner of the place in that time, robust ticks included.
static void find_on_timeline(const fw_reservations_t * table, need_t need, fw_conflict_set_t * met)
{
  FW_ASSERT(need.node >= 0 && need.node < table->places->node_count);
  const int32_t node = need.node;
  const int32_t robot = need.robot;
  const int32_t robust = table->robust_ticks;
  const fw_timeline_t * row = &table->rows[node];
  const fw_tick_t from = need.from - robust;
  const fw_tick_t to = need.to == FW_TICK_MAX ? FW_TICK_MAX : need.to + robust;
  for (int32_t i = fw__timeline_find(row, from); i < row->count && row->intervals[i].from <= to && !is_full(met); ++i) {
    const fw_reserved_interval_t * interval = &row->intervals[i];
    if (interval->robot != robot) {
      const fw_tick_t committed_until = fw__reservations_committed_until(table, interval->robot, node);
      const bool is_there = interval->from <= table->ready[interval->robot];
      add_conflict(
        met, interval->robot, is_there && from <= (interval->to < committed_until ? interval->to : committed_until));
    }
  }
}

// On the cells of a footprint while the robot stands.
static void find_on_footprint(
  const fw_reservations_t * table, const fw_timed_stand_t * stand, const fw_footprint_t * footprint,
  fw_conflict_set_t * met)
{
  const int32_t width = table->places->grid->width;
  for (int32_t i = 0; i < footprint->count && !is_full(met); ++i) {
    const fw_cell_t cell = stand->pose.cell + footprint->cells[i].dy * width + footprint->cells[i].dx;
    const need_t need = {stand->robot, table->places->node_of[cell], stand->from, stand->to};
    find_on_timeline(table, need, met);
  }
}

// On the cells that a motion sweeps.
static void find_on_sweeps(
  const fw_reservations_t * table, const fw_timed_motion_t * move, const fw_motion_t * motion, fw_conflict_set_t * met)
{
  const int32_t width = table->places->grid->width;
  for (int32_t i = 0; i < motion->sweep_count && !is_full(met); ++i) {
    const fw_swept_cell_t * sweep = &motion->sweeps[i];
    const int32_t node = table->places->node_of[move->from + sweep->dy * width + sweep->dx];
    const need_t need = {move->robot, node, move->depart + sweep->from, move->depart + sweep->to};
    find_on_timeline(table, need, met);
  }
}

// ---- swaps ----------------------------------------------------------------------------------------------------------

// Is the cell in the footprint of the robot where its path lists it at `tick`? Cells that it sweeps are no part of a
// swap.
static bool is_listed_on(const fw_reservations_t * table, int32_t robot, fw_cell_t cell, fw_tick_t tick)
{
  const fw_grid_t * grid = table->places->grid;
  const fw_booking_t * booking = &table->bookings[robot];
  const int32_t at = tick - booking->from;
  const int32_t last = booking->path.length - 1;
  const fw_grid_pose_t pose = fw__path_pose(&booking->path, at < 0 ? 0 : at > last ? last : at);
  const fw_footprint_t footprint = table->bodies[robot]->footprints[pose.heading];
  const int32_t dx = fw_grid_x(grid, cell) - fw_grid_x(grid, pose.cell);
  const int32_t dy = fw_grid_y(grid, cell) - fw_grid_y(grid, pose.cell);
  for (int32_t i = 0; i < footprint.count; ++i) {
    if (footprint.cells[i].dx == dx && footprint.cells[i].dy == dy) {
      return true;
    }
  }
  return false;
}

// Two robots swap (edge conflict) when each leaves a cell that the other enters in the same tick. Only motions of one
// tick can: slower ones cover both footprints on the way.
static void find_swaps(const fw_reservations_t * table, const fw_timed_motion_t * move, fw_conflict_set_t * met)
{
  const fw_body_t * body = table->bodies[move->robot];
  const fw_footprint_t left = body->footprints[move->heading];
  const fw_footprint_t entered = body->footprints[move->heading_to];
  const int32_t * node_of = table->places->node_of;
  const int32_t width = table->places->grid->width;
  for (int32_t i = 0; i < left.count; ++i) {
    const fw_cell_t before = move->from + left.cells[i].dy * width + left.cells[i].dx;
    const int32_t other = fw__reservations_owner(table, node_of[before], move->depart + 1);
    const bool is_other = fw__reservations_is_robot(table, other) && other != move->robot &&
                          is_listed_on(table, other, before, move->depart + 1);
    for (int32_t j = 0; is_other && j < entered.count; ++j) {
      const fw_cell_t after = move->to + entered.cells[j].dy * width + entered.cells[j].dx;
      if (
        fw__reservations_owner(table, node_of[after], move->depart) == other &&
        is_listed_on(table, other, after, move->depart)) {
        add_conflict(met, other, move->depart < table->ready[other]);
      }
    }
  }
}

// ---- diagonals ------------------------------------------------------------------------------------------------------

typedef struct shift_t {
  int32_t x, y;    // own cell at departure
  int32_t dx, dy;  // one diagonal step
} shift_t;

static shift_t shift_of(const fw_grid_t * grid, fw_cell_t from, fw_cell_t to)
{
  const int32_t x = fw_grid_x(grid, from);
  const int32_t y = fw_grid_y(grid, from);
  return (shift_t){.x = x, .y = y, .dx = fw_grid_x(grid, to) - x, .dy = fw_grid_y(grid, to) - y};
}

// Do two diagonal moves at the same time cross at the corner of four cells, for some cells of both footprints?
static bool shifts_cross(fw_footprint_t a, shift_t p, fw_footprint_t b, shift_t q)
{
  if (abs(q.dx) != 1 || abs(q.dy) != 1 || p.dx * q.dx + p.dy * q.dy != 0) {
    return false;
  }
  // a goes from (x, y) to (x + dx, y + dy); b begins at the side cell that it moves away from.
  const int32_t side_x = q.dx == -p.dx ? p.dx : 0;
  const int32_t side_y = q.dx == -p.dx ? 0 : p.dy;
  for (int32_t i = 0; i < a.count; ++i) {
    for (int32_t j = 0; j < b.count; ++j) {
      if (p.x + a.cells[i].dx + side_x == q.x + b.cells[j].dx && p.y + a.cells[i].dy + side_y == q.y + b.cells[j].dy) {
        return true;
      }
    }
  }
  return false;
}

// Does a move of `other` that is under way between departure and arrival cross this one?
static bool crosses_booking(
  const fw_reservations_t * table, const fw_timed_motion_t * move, fw_tick_t arrive, int32_t other)
{
  const fw_booking_t * booking = &table->bookings[other];
  const fw_path_t * path = &booking->path;
  const fw_body_t * body = table->bodies[other];
  const fw_footprint_t footprint = table->bodies[move->robot]->footprints[move->heading];
  const shift_t mine = shift_of(table->places->grid, move->from, move->to);
  int32_t at = move->depart + 1 - booking->from;
  for (at = at < 1 ? 1 : at; at < arrive + body->ticks_per_move - booking->from && at < path->length; ++at) {
    if (path->cells[at] != path->cells[at - 1]) {
      const shift_t theirs = shift_of(table->places->grid, path->cells[at - 1], path->cells[at]);
      if (shifts_cross(footprint, mine, body->footprints[fw__path_pose(path, at).heading], theirs)) {
        return true;
      }
    }
  }
  return false;
}

static void find_crossings(const fw_reservations_t * table, const fw_timed_motion_t * move, fw_conflict_set_t * met)
{
  const fw_moves_t * places = table->places;
  const fw_grid_t * grid = places->grid;
  const fw_body_t * body = table->bodies[move->robot];
  const fw_footprint_t footprint = body->footprints[move->heading];
  const shift_t mine = shift_of(grid, move->from, move->to);
  const fw_tick_t arrive = move->depart + body->ticks_per_move;
  // A robot that crosses covers a side cell at some tick of the move.
  for (int32_t i = 0; i < footprint.count && mine.dx != 0 && mine.dy != 0; ++i) {
    const fw_cell_t cell = move->from + footprint.cells[i].dy * grid->width + footprint.cells[i].dx;
    const fw_cell_t sides[2] = {cell + mine.dx, cell + mine.dy * grid->width};
    for (int32_t s = 0; s < 2; ++s) {
      const int32_t side = places->node_of[sides[s]];  // -1: a corner that is cut; no robot crosses there
      for (fw_tick_t tick = move->depart; side >= 0 && tick <= arrive && !is_full(met); ++tick) {
        const int32_t other = fw__reservations_owner(table, side, tick);
        const bool is_other = fw__reservations_is_robot(table, other) && other != move->robot;
        if (is_other && crosses_booking(table, move, arrive, other)) {
          add_conflict(met, other, move->depart < table->ready[other]);
        }
      }
    }
  }
}

// ---- conflicts ------------------------------------------------------------------------------------------------------

void fw__reservations_find_conflicts(
  const fw_reservations_t * table, const fw_timed_motion_t * move, fw_conflict_set_t * met)
{
  const fw_grid_pose_t from = {move->from, move->heading};
  const fw_grid_pose_t to = {move->to, move->heading_to};
  const fw_motion_t * motion = fw__body_motion(table->bodies[move->robot], table->places->grid, from, to);
  find_on_sweeps(table, move, motion, met);
  if (fw__grid_pose_equals(from, to) || is_full(met)) {
    return;
  }
  if (motion->ticks == 1 && table->robust_ticks == 0) {  // with robust ticks a swap breaks the rule for cells already
    find_swaps(table, move, met);
  }
  find_crossings(table, move, met);
}

void fw__reservations_find_stand_conflicts(
  const fw_reservations_t * table, const fw_timed_stand_t * stand, fw_conflict_set_t * met)
{
  find_on_footprint(table, stand, &table->bodies[stand->robot]->footprints[stand->pose.heading], met);
}

bool fw__reservations_allow(const fw_reservations_t * table, const fw_timed_motion_t * move)
{
  fw_conflict_set_t met = {.limit = 1};
  fw__reservations_find_conflicts(table, move, &met);
  return met.count == 0;
}

bool fw__reservations_allow_stand(const fw_reservations_t * table, const fw_timed_stand_t * stand)
{
  fw_conflict_set_t met = {.limit = 1};
  fw__reservations_find_stand_conflicts(table, stand, &met);
  return met.count == 0;
}

bool fw__reservations_has_crossing(const fw_reservations_t * table, const fw_timed_motion_t * move)
{
  fw_conflict_set_t met = {.limit = 1};
  find_crossings(table, move, &met);
  return met.count > 0;
}

// Finds conflicts of a booking after its first tick, until there are `limit` of them.
static void find_booking_conflicts(
  const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking, fw_conflict_set_t * met)
{
  const fw_path_t * path = &booking->path;
  const int32_t last = path->length - 1;
  for (int32_t at = 1; at <= last && met->count < met->limit; ++at) {
    const fw_grid_pose_t from = fw__path_pose(path, at - 1);
    const fw_grid_pose_t to = fw__path_pose(path, at);
    const fw_motion_t * motion = fw__body_motion(table->bodies[robot], table->places->grid, from, to);
    const fw_timed_motion_t move = {
      .robot = robot,
      .from = from.cell,
      .heading = from.heading,
      .to = to.cell,
      .heading_to = to.heading,
      .depart = booking->from + at - motion->ticks,
    };
    fw__reservations_find_conflicts(table, &move, met);
  }
  if (met->count < met->limit) {
    const fw_timed_stand_t stand = {
      .robot = robot, .pose = fw__path_pose(path, last), .from = booking->from + last, .to = booking->until};
    fw__reservations_find_stand_conflicts(table, &stand, met);
  }
}

int32_t fw__reservations_first_conflict(const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking)
{
  fw_conflict_set_t met = {.limit = 1};
  find_booking_conflicts(table, robot, booking, &met);
  return met.count > 0 ? met.robots[0] : -1;
}

int32_t fw__reservations_conflicting_robot(const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking)
{
  fw_conflict_set_t met = {.limit = 2};  // closures are one owner
  find_booking_conflicts(table, robot, booking, &met);
  for (int32_t i = 0; i < met.count; ++i) {
    if (fw__reservations_is_robot(table, met.robots[i])) {
      return met.robots[i];
    }
  }
  return -1;
}
