// Footprints: rotating them, and the cells that they sweep during a turn. All in integers, exact.

#include "world/footprint.h"

#include "base/assert.h"

// ---- rotation -------------------------------------------------------------------------------------------------------
//
// An eighth of a turn takes (u, v) to ((u - v) / sqrt 2, (u + v) / sqrt 2). A cell is covered when its centre, rotated
// back, lies in a cell of the footprint: each cell thus belongs to at most one cell of the footprint, and only the
// cells next to where that one comes to lie can belong to it.

static const fw_offset_t own_cell[1] = {{0, 0}};
const fw_footprint_t fw__footprint_single = {own_cell, 1};

fw_footprint_t fw__footprint_of(const fw_robot_t * robot)
{
  return robot->footprint_count == 0 ? fw__footprint_single
                                     : (fw_footprint_t){robot->footprint, robot->footprint_count};
}

fw_offset_t fw__offset_rotate(fw_offset_t cell, int32_t quarters)
{
  FW_ASSERT(quarters >= 0);
  for (int32_t i = 0; i < quarters; ++i) {
    cell = (fw_offset_t){-cell.dy, cell.dx};
  }
  return cell;
}

// a / sqrt 2, rounded to the nearest integer. There are no ties: 2 a^2 is even and the square of an odd number is odd.
static int32_t over_root_two(int32_t a)
{
  const int64_t square = 2 * (int64_t)a * a;
  int64_t n = 0;  // the largest with (2 n - 1)^2 <= 2 a^2
  for (int64_t step = INT64_C(1) << 16; step > 0; step /= 2) {
    const int64_t odd = 2 * (n + step) - 1;
    n += odd * odd <= square ? step : 0;
  }
  return (int32_t)(a < 0 ? -n : n);
}

// The cells that a cell of the footprint covers at heading south-east; there may be none.
static int32_t rotate_eighth(fw_offset_t cell, fw_offset_t * cells)
{
  const int32_t x = over_root_two(cell.dx - cell.dy);
  const int32_t y = over_root_two(cell.dx + cell.dy);
  int32_t count = 0;
  for (int32_t i = 0; i < 9; ++i) {
    const fw_offset_t at = {x + i % 3 - 1, y + i / 3 - 1};
    if (over_root_two(at.dx + at.dy) == cell.dx && over_root_two(at.dy - at.dx) == cell.dy) {
      cells[count++] = at;
    }
  }
  return count;
}

int32_t fw__footprint_rotate_into(fw_footprint_t footprint, int32_t heading, fw_offset_t * cells, int32_t room)
{
  FW_ASSERT(heading >= 0 && heading < FW_HEADING_COUNT);
  int32_t total = 0;
  for (int32_t i = 0; i < footprint.count; ++i) {
    fw_offset_t rotated[FW_ROTATED_CELLS_MAX] = {footprint.cells[i]};
    const int32_t count = heading % 2 == 0 ? 1 : rotate_eighth(footprint.cells[i], rotated);
    for (int32_t j = 0; j < count; ++j, ++total) {
      if (total < room) {
        cells[total] = fw__offset_rotate(rotated[j], heading / 2);
      }
    }
  }
  return total;
}

fw_footprint_t fw__footprint_rotate(fw_footprint_t footprint, int32_t heading, fw_arena_t * arena)
{
  if (heading == FW_HEADING_EAST) {
    return footprint;
  }
  const int32_t count = fw__footprint_rotate_into(footprint, heading, NULL, 0);
  fw_offset_t * cells = fw__arena_allocate(arena, (size_t)count, sizeof(*cells));
  if (cells != NULL) {
    (void)fw__footprint_rotate_into(footprint, heading, cells, count);
  }
  return (fw_footprint_t){cells, cells == NULL ? 0 : count};
}

// ---- turns ----------------------------------------------------------------------------------------------------------
//
// Coordinates are doubled, so that cells begin and end at odd numbers, and discs have radius 1. A disc reaches into a
// cell when its centre comes into the cell grown by a disc (the Minkowski sum of both): two boxes across each other,
// and a disc around each corner.
//
//        . - - .
//      +---------+      the boxes: 4 x 2 and 2 x 4 around a cell of 2 x 2
//      |  +---+  |
//      |  |   |  |      the corners: where the arc comes nearer than 1 to a corner of the cell
//      |  +---+  |
//      +---------+
//        . - - .
//
// In the frame in which the centre begins in the first quadrant, its arc lies in the upper half plane. There x falls
// from end to end and y is the root of radius^2 - x^2, so that every comparison can be made with squares; those of x
// keep its sign.

typedef struct arc_t {
  int64_t square;  // its radius squared
  int64_t begin;   // x where it begins and ends, squared with its sign
  int64_t end;
  bool is_slanted;  // it begins or ends on a diagonal, at (slant.dx, slant.dy) times the root of 2
  fw_offset_t slant;
} arc_t;

typedef struct box_t {
  int32_t left, right, low, high;
} box_t;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }
static int64_t square_of(int32_t a) { return (int64_t)a * a; }
static int64_t signed_square(int32_t a) { return a < 0 ? -square_of(a) : square_of(a); }

// The arc of the centre of a cell in the first quadrant. x[heading] is 4 x^2 with the sign of x, at 0, 1 and 2 eighths.
static arc_t arc_of(fw_offset_t cell, fw_turn_t turn)
{
  const fw_offset_t slant = {cell.dx - cell.dy, cell.dx + cell.dy};
  const int64_t x[3] = {4 * square_of(cell.dx), 2 * signed_square(slant.dx), -4 * square_of(cell.dy)};
  return (arc_t){
    .square = 4 * (square_of(cell.dx) + square_of(cell.dy)),
    .begin = x[turn.from],
    .end = x[turn.to],
    .is_slanted = turn.from == 1 || turn.to == 1,
    .slant = slant,
  };
}

// Whether the arc goes through the inside of a box.
static bool meets_box(const arc_t * arc, box_t box)
{
  const int64_t low = larger(arc->end, signed_square(box.left)), high = smaller(arc->begin, signed_square(box.right));
  if (box.high <= 0 || low >= high) {
    return false;
  }
  const int64_t least = low < 0 && high > 0 ? 0 : smaller(magnitude(low), magnitude(high));
  const int64_t most = larger(magnitude(low), magnitude(high));
  const int64_t too_high = arc->square - square_of(box.high);  // x^2 up to here
  const int64_t too_low = box.low < 0 ? INT64_MAX : arc->square - square_of(box.low);
  return larger(least, too_high) < smaller(most, too_low);
}

// Whether the arc comes nearer than 1 to the point. It is nearest in the direction of the point, or at an end; ends on
// whole cells are farther than 1 from all corners.
static bool passes_corner(const arc_t * arc, int32_t x, int32_t y)
{
  const int64_t square = square_of(x) + square_of(y);
  const int64_t scaled = signed_square(x) * arc->square;
  if (y > 0 && arc->end * square <= scaled && scaled <= arc->begin * square) {
    const int64_t out = square - arc->square - 1, in = arc->square - square - 1;
    return (out < 0 || out * out < 4 * arc->square) && (in < 0 || in * in < 4 * square);
  }
  const int64_t along = (int64_t)arc->slant.dx * x + (int64_t)arc->slant.dy * y;
  const int64_t sum = arc->square + square - 1;
  return arc->is_slanted && along > 0 && sum * sum < 8 * along * along;
}

// Whether the disc that moves along the arc reaches into a cell.
static bool reaches_into(const arc_t * arc, fw_offset_t cell)
{
  const int32_t x = 2 * cell.dx, y = 2 * cell.dy;
  return meets_box(arc, (box_t){x - 2, x + 2, y - 1, y + 1}) || meets_box(arc, (box_t){x - 1, x + 1, y - 2, y + 2}) ||
         passes_corner(arc, x - 1, y - 1) || passes_corner(arc, x + 1, y - 1) || passes_corner(arc, x - 1, y + 1) ||
         passes_corner(arc, x + 1, y + 1);
}

void fw__footprint_visit_swept(
  fw_offset_t cell, fw_turn_t turn, void (*visit)(void * context, fw_offset_t cell), void * context)
{
  int32_t quarters = 0;  // clockwise from the first quadrant, into which the cell is rotated back
  while (cell.dx < 0 || cell.dy < 0 || (cell.dx == 0 && cell.dy > 0)) {
    cell = (fw_offset_t){cell.dy, -cell.dx};
    ++quarters;
  }
  FW_ASSERT(turn.from >= 0 && turn.from < turn.to && turn.to <= 2);
  FW_ASSERT(cell.dx >= 0 && cell.dy >= 0 && cell.dx <= FW_TURN_REACH_MAX && cell.dy <= FW_TURN_REACH_MAX);
  const arc_t arc = arc_of(cell, turn);
  const int32_t lowest = cell.dx < cell.dy ? cell.dx : cell.dy;
  for (int32_t y = lowest - 1; y <= cell.dx + cell.dy + 1 && cell.dx > 0; ++y) {
    for (int32_t x = -cell.dy - 1; x <= cell.dx + 1; ++x) {
      const bool stands_before = turn.from == 0 && x == cell.dx && y == cell.dy;
      const bool stands_after = turn.to == 2 && x == -cell.dy && y == cell.dx;
      if (!stands_before && !stands_after && reaches_into(&arc, (fw_offset_t){x, y})) {
        visit(context, fw__offset_rotate((fw_offset_t){x, y}, quarters));
      }
    }
  }
}

// The swept cells found so far, as marks on a square around the robot's own cell.
typedef struct found_t {
  bool * marks;
  int32_t reach;
  int32_t count;
} found_t;

static void mark(void * context, fw_offset_t cell)
{
  found_t * found = context;
  FW_ASSERT(cell.dx >= -found->reach && cell.dx <= found->reach && cell.dy >= -found->reach && cell.dy <= found->reach);
  bool * at = &found->marks[(cell.dy + found->reach) * (2 * found->reach + 1) + cell.dx + found->reach];
  found->count += *at ? 0 : 1;
  *at = true;
}

fw_footprint_t fw__footprint_sweep(fw_footprint_t footprint, fw_turn_t turn, fw_arena_t * arena)
{
  found_t found = {.reach = 1};
  for (int32_t i = 0; i < footprint.count; ++i) {
    const int64_t far = magnitude(footprint.cells[i].dx) + magnitude(footprint.cells[i].dy) + 1;
    found.reach = far > found.reach ? (int32_t)far : found.reach;
  }
  const size_t side = 2 * (size_t)found.reach + 1;
  found.marks = fw__arena_allocate(arena, side * side, sizeof(*found.marks));
  for (size_t i = 0; found.marks != NULL && i < side * side; ++i) {
    found.marks[i] = false;
  }
  for (int32_t i = 0; found.marks != NULL && i < footprint.count; ++i) {
    fw__footprint_visit_swept(footprint.cells[i], turn, mark, &found);
  }
  fw_offset_t * cells = found.marks == NULL ? NULL : fw__arena_allocate(arena, (size_t)found.count + 1, sizeof(*cells));
  int32_t count = 0;
  for (size_t i = 0; cells != NULL && i < side * side; ++i) {
    if (found.marks[i]) {
      cells[count++] = (fw_offset_t){(int32_t)(i % side) - found.reach, (int32_t)(i / side) - found.reach};
    }
  }
  return (fw_footprint_t){cells, count};
}
