// The check's own idea of what a turn sweeps: it looks where the centre of each cell is at many moments.
//
// Turned by the angle whose half has the tangent k / n, (x, y) is (x c - y s, x s + y c) / (n^2 + k^2) with c = n^2 - k^2
// and s = 2 k n: whole numbers, so that each look is exact. Between two looks a disc may graze a cell by less than a
// thousandth of it unseen.

#include <stdlib.h>

#include "base/memory.h"
#include "plan/check.h"

enum { LOOKS = 256 };

// A turn from east on, by its cosine and sine, times `unit`.
typedef struct look_t {
  int64_t cosine;
  int64_t sine;
  int64_t unit;
} look_t;

static look_t look_at(int64_t k)
{
  const int64_t n = LOOKS;
  return (look_t){n * n - k * k, 2 * k * n, n * n + k * k};
}

// Just before and just after an eighth, to a six thousandth of a degree.
static const look_t before_eighth = {.cosine = 4060, .sine = 4059, .unit = 5741};
static const look_t after_eighth = {.cosine = 4059, .sine = 4060, .unit = 5741};

static bool has(const fw__slant_t * swept, fw_offset_t at)
{
  for (int32_t i = swept->count; i > 0; --i) {
    if (swept->cells[i - 1].dx == at.dx && swept->cells[i - 1].dy == at.dy) {
      return true;
    }
  }
  return false;
}

// Nearest whole number, for either sign.
static int32_t whole(int64_t value, int64_t unit)
{
  const int64_t twice = 2 * value + unit;
  return (int32_t)(twice >= 0 ? twice / (2 * unit) : -((-twice + 2 * unit - 1) / (2 * unit)));
}

static int64_t beyond(int64_t value, int64_t unit, int32_t cell)
{
  const int64_t off = 2 * llabs(value - unit * cell) - unit;
  return off > 0 ? off : 0;
}

typedef struct turn_t {
  fw_offset_t cell;
  fw_offset_t ends[2];  // where it stands on a whole cell; twice the same if that is at one end only
} turn_t;

// Cells within half a cell of where the centre is.
static void note_around(const turn_t * turn, look_t look, fw_offset_t * cells, fw__slant_t * swept)
{
  const int64_t x = turn->cell.dx * look.cosine - turn->cell.dy * look.sine;
  const int64_t y = turn->cell.dx * look.sine + turn->cell.dy * look.cosine;
  for (int32_t i = 0; i < 9; ++i) {
    const fw_offset_t at = {whole(x, look.unit) + i % 3 - 1, whole(y, look.unit) + i / 3 - 1};
    const int64_t dx = beyond(x, look.unit, at.dx), dy = beyond(y, look.unit, at.dy);
    const bool is_end = (at.dx == turn->ends[0].dx && at.dy == turn->ends[0].dy) ||
                        (at.dx == turn->ends[1].dx && at.dy == turn->ends[1].dy);
    if (!is_end && dx * dx + dy * dy < look.unit * look.unit && !has(swept, at)) {
      cells[swept->count++] = at;
    }
  }
}

// Part 0 of a turn by a quarter is all of it; by eighths, the first and the second half.
static void look_along(turn_t turn, bool by_eighths, int32_t part, fw_offset_t * cells, fw__slant_t * swept)
{
  const fw_offset_t after = {-turn.cell.dy, turn.cell.dx};
  turn.ends[0] = by_eighths && part == 1 ? after : turn.cell;
  turn.ends[1] = by_eighths && part == 0 ? turn.cell : after;
  for (int64_t k = 0; k <= LOOKS; ++k) {
    const bool is_first_half = (k + LOOKS) * (k + LOOKS) <= 2 * LOOKS * LOOKS;
    if (!by_eighths || is_first_half == (part == 0)) {
      note_around(&turn, look_at(k), cells, swept);
    }
  }
  if (by_eighths) {
    note_around(&turn, part == 0 ? before_eighth : after_eighth, cells, swept);
  }
}

static bool turns(const fw_robot_t * robot) { return robot->turn_ticks > 0 && robot->footprint_count > 1; }

// Along an arc of that length there are no more than three cells side by side.
static size_t room_of(const fw_robot_t * robot)
{
  size_t room = 0;
  for (int32_t i = 0; turns(robot) && i < robot->footprint_count; ++i) {
    room += 12 + 6 * ((size_t)abs(robot->footprint[i].dx) + (size_t)abs(robot->footprint[i].dy));
  }
  return room;
}

static bool is_alike(const fw_robot_t * a, const fw_robot_t * b)
{
  return turns(a) && turns(b) && a->footprint == b->footprint && a->footprint_count == b->footprint_count;
}

static int32_t look_at_robot(const fw_robot_t * robot, bool by_eighths, fw_offset_t * cells, fw__slant_t * parts)
{
  int32_t used = 0;
  for (int32_t part = 0; part < (by_eighths ? 2 : 1); ++part) {
    fw__slant_t * swept = &parts[part];
    *swept = (fw__slant_t){.cells = cells + used};
    for (int32_t i = 0; turns(robot) && i < robot->footprint_count; ++i) {
      look_along((turn_t){.cell = robot->footprint[i]}, by_eighths, part, cells + used, swept);
    }
    used += swept->count;
  }
  return used;
}

bool fw__check_turns(fw__check_t * check, const fw_allocator_t * allocator)
{
  const fw_problem_t * problem = check->problem;
  const bool by_eighths = problem->connectivity == 8;
  size_t room = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const bool is_known = r > 0 && is_alike(&problem->robots[r], &problem->robots[r - 1]);
    room += is_known ? 0 : 2 * room_of(&problem->robots[r]);
  }
  check->turns = fw__allocate_array(allocator, 2 * (size_t)problem->robot_count, sizeof(*check->turns));
  check->turned = fw__allocate_array(allocator, room, sizeof(*check->turned));
  if (check->turns == NULL || check->turned == NULL) {
    return false;
  }
  fw_offset_t * cells = check->turned;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    fw__slant_t * parts = &check->turns[2 * r];
    if (r > 0 && is_alike(&problem->robots[r], &problem->robots[r - 1])) {
      parts[0] = parts[-2];
      parts[1] = parts[-1];
    } else {
      cells += look_at_robot(&problem->robots[r], by_eighths, cells, parts);
    }
  }
  return true;
}
