// Reference for rotated footprints: samples turns at many angles.

#include "support/rotated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { REACH = 8 };  // as far as a cell of 5 by 5 turns

static bool is_in(const fw_robot_t * robot, int32_t dx, int32_t dy)
{
  bool is_found = dx == 0 && dy == 0;
  for (int32_t i = 0; i < robot->footprint_count && !is_found; ++i) {
    is_found = robot->footprint[i].dx == dx && robot->footprint[i].dy == dy;
  }
  return is_found;
}

bool rotated_covers(const fw_robot_t * robot, int32_t heading, fw_offset_t at)
{
  if (robot->turn_ticks == 0 || heading == 0) {
    return is_in(robot, at.dx, at.dy);
  }
  const double angle = heading * atan(1.0);  // clockwise, as y points down
  const double u = at.dx * cos(angle) + at.dy * sin(angle);
  const double v = at.dy * cos(angle) - at.dx * sin(angle);
  return is_in(robot, (int32_t)lround(u), (int32_t)lround(v));
}

int32_t rotated_list(const fw_robot_t * robot, int32_t heading, fw_offset_t * cells)
{
  int32_t count = 0;
  if (robot->turn_ticks == 0 || heading == 0) {
    cells[count++] = (fw_offset_t){0, 0};
    for (int32_t i = 0; i < robot->footprint_count; ++i) {
      if (robot->footprint[i].dx != 0 || robot->footprint[i].dy != 0) {
        cells[count++] = robot->footprint[i];
      }
    }
    return count;
  }
  for (int32_t dy = -REACH; dy <= REACH; ++dy) {
    for (int32_t dx = -REACH; dx <= REACH; ++dx) {
      if (rotated_covers(robot, heading, (fw_offset_t){dx, dy})) {
        assert_in_range(count, 0, ROTATED_MAX - 1);
        cells[count++] = (fw_offset_t){dx, dy};
      }
    }
  }
  return count;
}

fw_offset_t rotated_ahead(int32_t heading)
{
  const double angle = heading * atan(1.0);
  return (fw_offset_t){(int32_t)lround(cos(angle) * 1.1), (int32_t)lround(sin(angle) * 1.1)};
}

// ---- turns ----------------------------------------------------------------------------------------------------------

typedef struct turn_t {
  fw_offset_t cells[64];
  int32_t cell_count;
  int32_t first;  // the first of the two headings, turning right,
  int32_t step;   // and eighths from it to the other
  fw_offset_t swept[ROTATED_MAX];
  int32_t count;
} turn_t;

// Whether the disc of a cell stands exactly on the cell `at` before or after the turn.
static bool is_end(const turn_t * turn, fw_offset_t cell, fw_offset_t at)
{
  bool is_one = false;
  for (int32_t heading = turn->first; heading <= turn->first + turn->step; heading += turn->step) {
    const double x = cell.dx * cos(heading * atan(1.0)) - cell.dy * sin(heading * atan(1.0));
    const double y = cell.dx * sin(heading * atan(1.0)) + cell.dy * cos(heading * atan(1.0));
    is_one = is_one || (heading % 2 == 0 && hypot(x - at.dx, y - at.dy) < 1e-6);
  }
  return is_one;
}

// The cells around (x, y) that a disc of one cell's diameter reaches into.
static void sample_disc(turn_t * turn, fw_offset_t cell, double x, double y)
{
  for (int32_t i = 0; i < 9; ++i) {
    const fw_offset_t at = {(int32_t)lround(x) + i % 3 - 1, (int32_t)lround(y) + i / 3 - 1};
    const double dx = fmax(fabs(x - at.dx) - 0.5, 0.0), dy = fmax(fabs(y - at.dy) - 0.5, 0.0);
    bool is_known = dx * dx + dy * dy >= (0.5 - 1e-5) * (0.5 - 1e-5);
    for (int32_t j = turn->count; j > 0 && !is_known; --j) {
      is_known = turn->swept[j - 1].dx == at.dx && turn->swept[j - 1].dy == at.dy;
    }
    if (!is_known && !is_end(turn, cell, at)) {
      assert_in_range(turn->count, 0, ROTATED_MAX - 1);
      turn->swept[turn->count++] = at;
    }
  }
}

static void sample_turn(turn_t * turn)
{
  enum { SAMPLES = 3000 };
  for (int32_t i = 0; i <= SAMPLES; ++i) {
    const double angle = (turn->first + turn->step * (double)i / SAMPLES) * atan(1.0);
    const double cosine = cos(angle), sine = sin(angle);
    for (int32_t c = 0; c < turn->cell_count; ++c) {
      const fw_offset_t cell = turn->cells[c];
      if (cell.dx != 0 || cell.dy != 0) {
        sample_disc(turn, cell, cell.dx * cosine - cell.dy * sine, cell.dx * sine + cell.dy * cosine);
      }
    }
  }
}

static bool is_same_turn(const turn_t * a, const turn_t * b)
{
  return a->first == b->first && a->step == b->step && a->cell_count == b->cell_count &&
         memcmp(a->cells, b->cells, (size_t)a->cell_count * sizeof(*a->cells)) == 0;
}

// Sampling takes long and the same turns recur: a cache.
static const turn_t * find_turn(const fw_robot_t * robot, int32_t first, int32_t step)
{
  static turn_t known[64];
  static int32_t used;
  turn_t turn = {.cell_count = robot->footprint_count, .first = first, .step = step};
  assert_in_range(turn.cell_count, 0, 64);
  memcpy(turn.cells, robot->footprint, (size_t)turn.cell_count * sizeof(*turn.cells));
  for (int32_t i = 0; i < 64; ++i) {
    if (known[i].step > 0 && is_same_turn(&known[i], &turn)) {
      return &known[i];
    }
  }
  sample_turn(&turn);
  known[used % 64] = turn;
  return &known[used++ % 64];
}

int32_t rotated_sweeps(
  const fw_robot_t * robot, int32_t heading, int32_t heading_to, fw_offset_t by, fw_offset_t * cells)
{
  if (heading != heading_to) {
    const int32_t right = (heading_to - heading + 8) % 8;
    const bool is_turn = (right <= 2 || right >= 6) && robot->footprint_count > 1;
    const turn_t * turn =
      is_turn ? find_turn(robot, right <= 2 ? heading : heading_to, right <= 2 ? right : 8 - right) : NULL;
    memcpy(cells, is_turn ? turn->swept : cells, is_turn ? (size_t)turn->count * sizeof(*cells) : 0);
    return is_turn ? turn->count : 0;
  }
  if (!robot->sweeps_sides || abs(by.dx) != 1 || abs(by.dy) != 1) {
    return 0;
  }
  fw_offset_t own[ROTATED_MAX];
  const int32_t count = rotated_list(robot, heading, own);
  assert_in_range(2 * count, 0, ROTATED_MAX);
  for (int32_t i = 0; i < count; ++i) {
    cells[2 * i] = (fw_offset_t){own[i].dx + by.dx, own[i].dy};
    cells[2 * i + 1] = (fw_offset_t){own[i].dx, own[i].dy + by.dy};
  }
  return 2 * count;
}
