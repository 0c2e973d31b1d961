// Which cells a robot covers, for the independent checker: footprints at all eight headings, and what turns and
// diagonals sweep.

#include "plan/check_geometry.h"

#include <stdlib.h>

// ---- footprints at diagonal headings --------------------------------------------------------------------------------

static int64_t signed_square(int64_t value) { return value < 0 ? -value * value : value * value; }

// |a / sqrt 2 - n| < 1 / 2, that is 2 n - 1 < a sqrt 2 < 2 n + 1.
static bool is_near(int32_t a, int32_t n)
{
  const int64_t twice = 2 * signed_square(a);
  return signed_square(2 * (int64_t)n - 1) < twice && twice < signed_square(2 * (int64_t)n + 1);
}

// Does the centre of `at`, turned back from south-east to east, lie in `cell`?
static bool centre_lies_in(fw_offset_t at, fw_offset_t cell)
{
  return is_near(at.dx + at.dy, cell.dx) && is_near(at.dy - at.dx, cell.dy);
}

// About a / sqrt 2, rounded down: a starting point for the search in turn_cell_45.
static int32_t divide_by_sqrt2(int32_t a) { return (int32_t)((int64_t)a * 5741 / 8119); }

// Cells whose centres lie in `cell` once the robot has turned from east to south-east. A turned square covers one or
// two centres. `cells` may be NULL to count.
static int32_t turn_cell_45(fw_offset_t cell, fw_offset_t * cells)
{
  int32_t count = 0;
  for (int32_t dy = -2; dy <= 2; ++dy) {
    for (int32_t dx = -2; dx <= 2; ++dx) {
      const fw_offset_t at = {divide_by_sqrt2(cell.dx - cell.dy) + dx, divide_by_sqrt2(cell.dx + cell.dy) + dy};
      if (centre_lies_in(at, cell)) {
        if (cells != NULL) {
          cells[count] = at;
        }
        ++count;
      }
    }
  }
  return count;
}

// The footprint as the problem lists it: facing east, or without a heading. No footprint means one cell.
static int32_t straight_count(const fw_robot_t * robot)
{
  return robot->footprint_count == 0 ? 1 : robot->footprint_count;
}

static fw_offset_t straight_cell(const fw_robot_t * robot, int32_t index)
{
  return robot->footprint_count == 0 ? (fw_offset_t){0, 0} : robot->footprint[index];
}

static int32_t turn_footprint_45(const fw_robot_t * robot, fw_offset_t * cells)
{
  int32_t count = 0;
  for (int32_t i = 0; i < straight_count(robot) && robot->turn_ticks > 0; ++i) {
    count += turn_cell_45(straight_cell(robot, i), cells == NULL ? NULL : cells + count);
  }
  return count;
}

static void list_diagonal_footprints(fw_check_geometry_t * geometry, fw_arena_t * arena)
{
  const fw_problem_t * problem = geometry->problem;
  size_t total = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    total += (size_t)turn_footprint_45(&problem->robots[r], NULL);
  }
  const size_t robots = (size_t)problem->robot_count + 1;
  geometry->diagonal_footprints = fw__arena_allocate_zeroed(arena, robots, sizeof(*geometry->diagonal_footprints));
  fw_offset_t * cells = fw__arena_allocate(arena, total + 1, sizeof(*cells));
  if (fw__arena_has_failed(arena)) {
    return;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t count = turn_footprint_45(&problem->robots[r], cells);
    geometry->diagonal_footprints[r] = (fw_check_cells_t){.cells = cells, .count = count};
    cells += count;
  }
}

// ---- sweeps of turns ------------------------------------------------------------------------------------------------

// A turn is sampled: where is the centre of each cell of the footprint at many rotations? Rotated by twice the angle
// whose tangent is k / n, (x, y) becomes (x c - y s, x s + y c) / (n^2 + k^2) with c = n^2 - k^2 and s = 2 k n. These
// are integers, so that each sample is exact. Between two samples a disc may graze a cell by less than a thousandth of
// it unseen.

enum { ROTATIONS = 256 };

// A rotation to the right: its cosine and sine, both times `unit`.
typedef struct rotation_t {
  int64_t cosine;
  int64_t sine;
  int64_t unit;
} rotation_t;

// By twice the angle whose tangent is k / ROTATIONS: 0 for k = 0, a quarter turn for k = ROTATIONS.
static rotation_t rotation_at(int64_t k)
{
  const int64_t n = ROTATIONS;
  return (rotation_t){n * n - k * k, 2 * k * n, n * n + k * k};
}

// Just before and just after an eighth, to a six thousandth of a degree.
static const rotation_t before_eighth = {.cosine = 4060, .sine = 4059, .unit = 5741};
static const rotation_t after_eighth = {.cosine = 4059, .sine = 4060, .unit = 5741};

static bool list_has(const fw_check_cells_t * swept, fw_offset_t at)
{
  for (int32_t i = swept->count; i > 0; --i) {
    if (swept->cells[i - 1].dx == at.dx && swept->cells[i - 1].dy == at.dy) {
      return true;
    }
  }
  return false;
}

// The integer nearest to value / unit, for either sign.
static int32_t round_to_cell(int64_t value, int64_t unit)
{
  const int64_t twice = 2 * value + unit;
  return (int32_t)(twice >= 0 ? twice / (2 * unit) : -((-twice + 2 * unit - 1) / (2 * unit)));
}

// How far value / unit lies outside [cell - 1/2, cell + 1/2], times 2 * unit.
static int64_t twice_distance_outside(int64_t value, int64_t unit, int32_t cell)
{
  const int64_t off = 2 * llabs(value - unit * cell) - unit;
  return off > 0 ? off : 0;
}

typedef struct turn_t {
  fw_offset_t cell;  // of the footprint, facing east
  fw_offset_t
    ends[2];  // cells of the footprint before and after the turn, which are not listed; twice the same if only
              // one end of the turn is a multiple of a quarter
  bool by_eighths;
  int32_t part;  // by_eighths: 0 is the first eighth, 1 the second
} turn_t;

// A cell of the robot is a disc of radius 1/2 here. Adds the cells that it touches at one rotation.
static void add_touched_cells(const turn_t * turn, rotation_t rotation, fw_offset_t * cells, fw_check_cells_t * swept)
{
  const int64_t x = turn->cell.dx * rotation.cosine - turn->cell.dy * rotation.sine;
  const int64_t y = turn->cell.dx * rotation.sine + turn->cell.dy * rotation.cosine;
  for (int32_t i = 0; i < 9; ++i) {
    const fw_offset_t at = {round_to_cell(x, rotation.unit) + i % 3 - 1, round_to_cell(y, rotation.unit) + i / 3 - 1};
    const int64_t dx = twice_distance_outside(x, rotation.unit, at.dx),
                  dy = twice_distance_outside(y, rotation.unit, at.dy);
    const bool is_end = (at.dx == turn->ends[0].dx && at.dy == turn->ends[0].dy) ||
                        (at.dx == turn->ends[1].dx && at.dy == turn->ends[1].dy);
    if (!is_end && dx * dx + dy * dy < rotation.unit * rotation.unit && !list_has(swept, at)) {
      cells[swept->count++] = at;
    }
  }
}

// Adds what one cell of the footprint sweeps.
static void sweep_cell(turn_t turn, fw_offset_t * cells, fw_check_cells_t * swept)
{
  const bool by_eighths = turn.by_eighths;
  const int32_t part = turn.part;
  const fw_offset_t after = {-turn.cell.dy, turn.cell.dx};
  turn.ends[0] = by_eighths && part == 1 ? after : turn.cell;
  turn.ends[1] = by_eighths && part == 0 ? turn.cell : after;
  for (int64_t k = 0; k <= ROTATIONS; ++k) {
    const bool is_first_half = (k + ROTATIONS) * (k + ROTATIONS) <= 2 * ROTATIONS * ROTATIONS;
    if (!by_eighths || is_first_half == (part == 0)) {
      add_touched_cells(&turn, rotation_at(k), cells, swept);
    }
  }
  if (by_eighths) {
    add_touched_cells(&turn, part == 0 ? before_eighth : after_eighth, cells, swept);
  }
}

// A single cell sweeps nothing beyond itself.
static bool turns(const fw_robot_t * robot) { return robot->turn_ticks > 0 && robot->footprint_count > 1; }

// An upper bound of the cells swept: along an arc of that length no more than three cells lie side by side.
static size_t sweep_capacity(const fw_robot_t * robot)
{
  size_t room = 0;
  for (int32_t i = 0; turns(robot) && i < robot->footprint_count; ++i) {
    room += 12 + 6 * ((size_t)abs(robot->footprint[i].dx) + (size_t)abs(robot->footprint[i].dy));
  }
  return room;
}

static bool has_same_footprint(const fw_robot_t * a, const fw_robot_t * b)
{
  return turns(a) && turns(b) && a->footprint == b->footprint && a->footprint_count == b->footprint_count;
}

// Fills both parts of one robot, with their cells in `cells`; returns how many were used.
static int32_t sweep_footprint(const fw_robot_t * robot, bool by_eighths, fw_offset_t * cells, fw_check_cells_t * parts)
{
  int32_t used = 0;
  for (int32_t part = 0; part < (by_eighths ? 2 : 1); ++part) {
    fw_check_cells_t * swept = &parts[part];
    *swept = (fw_check_cells_t){.cells = cells + used};
    for (int32_t i = 0; turns(robot) && i < robot->footprint_count; ++i) {
      const turn_t turn = {.cell = robot->footprint[i], .by_eighths = by_eighths, .part = part};
      sweep_cell(turn, cells + used, swept);
    }
    used += swept->count;
  }
  FW_ASSERT((size_t)used <= 2 * sweep_capacity(robot));
  return used;
}

static void list_turn_sweeps(fw_check_geometry_t * geometry, fw_arena_t * arena)
{
  const fw_problem_t * problem = geometry->problem;
  const bool by_eighths = problem->connectivity == 8;
  size_t capacity = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const bool is_known = r > 0 && has_same_footprint(&problem->robots[r], &problem->robots[r - 1]);
    capacity += is_known ? 0 : 2 * sweep_capacity(&problem->robots[r]);
  }
  const size_t sweeps = 2 * (size_t)problem->robot_count + 1;
  geometry->turn_sweeps = fw__arena_allocate_zeroed(arena, sweeps, sizeof(*geometry->turn_sweeps));
  fw_offset_t * cells = fw__arena_allocate(arena, capacity + 1, sizeof(*cells));
  if (fw__arena_has_failed(arena)) {
    return;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    fw_check_cells_t * parts = &geometry->turn_sweeps[2 * r];
    if (r > 0 && has_same_footprint(&problem->robots[r], &problem->robots[r - 1])) {
      parts[0] = parts[-2];
      parts[1] = parts[-1];
    } else {
      cells += sweep_footprint(&problem->robots[r], by_eighths, cells, parts);
    }
  }
}

void fw__check_geometry_init(fw_check_geometry_t * geometry, const fw_problem_t * problem, fw_arena_t * arena)
{
  *geometry = (fw_check_geometry_t){.problem = problem};
  list_diagonal_footprints(geometry, arena);
  list_turn_sweeps(geometry, arena);
}

// ---- coverage -------------------------------------------------------------------------------------------------------

fw_offset_t fw__check_geometry_offset(const fw_check_geometry_t * geometry, fw_cell_t from, fw_cell_t to)
{
  const int32_t width = geometry->problem->grid->width;
  if (!fw__check_geometry_has_cell(geometry, from) || !fw__check_geometry_has_cell(geometry, to)) {
    return (fw_offset_t){0, 0};
  }
  return (fw_offset_t){to % width - from % width, to / width - from / width};
}

static int32_t count_at(const fw_check_geometry_t * geometry, int32_t robot, int32_t heading)
{
  return heading % 2 != 0 ? geometry->diagonal_footprints[robot].count
                          : straight_count(&geometry->problem->robots[robot]);
}

// An offset for east (or south-east), turned by the whole quarters of the heading and put at the pose.
static fw_offset_t place(const fw_check_geometry_t * geometry, fw_checked_pose_t pose, fw_offset_t cell)
{
  const fw_grid_t * grid = geometry->problem->grid;
  const fw_offset_t turned[4] = {{cell.dx, cell.dy}, {-cell.dy, cell.dx}, {-cell.dx, -cell.dy}, {cell.dy, -cell.dx}};
  const fw_offset_t at = turned[pose.heading / 2 % 4];
  return (fw_offset_t){pose.cell % grid->width + at.dx, pose.cell / grid->width + at.dy};
}

static fw_offset_t cell_at(const fw_check_geometry_t * geometry, int32_t robot, fw_checked_pose_t pose, int32_t index)
{
  const bool is_diagonal = pose.heading % 2 != 0;
  return place(
    geometry, pose,
    is_diagonal ? geometry->diagonal_footprints[robot].cells[index]
                : straight_cell(&geometry->problem->robots[robot], index));
}

// The heading at which the turn begins if it is made to the right; -1 if robots cannot make this turn here.
static int32_t first_heading(const fw_check_geometry_t * geometry, const fw_coverage_t * coverage)
{
  const int32_t step = geometry->problem->connectivity == 8 ? 1 : 2;
  const int32_t a = coverage->from.heading, b = coverage->to.heading;
  const int32_t right = (a + step) % FW_HEADING_COUNT == b ? a : (b + step) % FW_HEADING_COUNT == a ? b : -1;
  return step == 2 && right % 2 != 0 ? -1 : right;
}

static const fw_check_cells_t * turn_sweep(
  const fw_check_geometry_t * geometry, const fw_coverage_t * coverage, int32_t first)
{
  return &geometry->turn_sweeps[2 * coverage->robot + first % 2];
}

int32_t fw__coverage_count_any(const fw_check_geometry_t * geometry, const fw_coverage_t * coverage)
{
  const int32_t robot = coverage->robot;
  FW_ASSERT(robot >= 0 && robot < geometry->problem->robot_count);
  if (fw__checked_pose_is_same(coverage->from, coverage->to)) {
    return count_at(geometry, robot, coverage->from.heading);
  }
  if (coverage->from.cell == coverage->to.cell) {
    const int32_t first = first_heading(geometry, coverage);
    return first < 0 ? 0 : turn_sweep(geometry, coverage, first)->count;
  }
  if (!geometry->problem->robots[robot].sweeps_sides) {
    return 0;
  }
  const fw_offset_t by = fw__check_geometry_offset(geometry, coverage->from.cell, coverage->to.cell);
  const bool is_swept = abs(by.dx) == 1 && abs(by.dy) == 1;
  return is_swept ? 2 * count_at(geometry, robot, coverage->from.heading) : 0;
}

fw_offset_t fw__coverage_position(const fw_check_geometry_t * geometry, const fw_coverage_t * coverage, int32_t index)
{
  FW_ASSERT(fw__check_geometry_has_cell(geometry, coverage->from.cell));
  FW_ASSERT(fw__check_geometry_has_cell(geometry, coverage->to.cell));
  FW_ASSERT(index >= 0 && index < fw__coverage_count(geometry, coverage));
  if (fw__checked_pose_is_same(coverage->from, coverage->to)) {
    return cell_at(geometry, coverage->robot, coverage->from, index);
  }
  if (coverage->from.cell == coverage->to.cell) {
    const int32_t first = first_heading(geometry, coverage);
    return place(
      geometry, (fw_checked_pose_t){coverage->from.cell, first}, turn_sweep(geometry, coverage, first)->cells[index]);
  }
  // A diagonal of a robot with sweeps_sides covers the two cells beside it, for each cell of its footprint.
  const fw_offset_t by = fw__check_geometry_offset(geometry, coverage->from.cell, coverage->to.cell);
  const fw_offset_t at = cell_at(geometry, coverage->robot, coverage->from, index / 2);
  return index % 2 == 0 ? (fw_offset_t){at.dx + by.dx, at.dy} : (fw_offset_t){at.dx, at.dy + by.dy};
}

fw_cell_t fw__coverage_cell_any(const fw_check_geometry_t * geometry, const fw_coverage_t * coverage, int32_t index)
{
  const fw_grid_t * grid = geometry->problem->grid;
  if (
    !fw__check_geometry_has_cell(geometry, coverage->from.cell) ||
    !fw__check_geometry_has_cell(geometry, coverage->to.cell)) {
    return FW_CELL_NONE;
  }
  const fw_offset_t at = fw__coverage_position(geometry, coverage, index);
  return fw_grid_contains(grid, at.dx, at.dy) ? fw_grid_cell(grid, at.dx, at.dy) : FW_CELL_NONE;
}
