// Turned footprints.

#include "support/turned.h"

#include <math.h>
#include <stdlib.h>

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

bool turned_covers(const fw_robot_t * robot, int32_t heading, fw_offset_t at)
{
  if (robot->turn_ticks == 0 || heading == 0) {
    return is_in(robot, at.dx, at.dy);
  }
  const double angle = heading * atan(1.0);  // clockwise, as y points down
  const double u = at.dx * cos(angle) + at.dy * sin(angle);
  const double v = at.dy * cos(angle) - at.dx * sin(angle);
  return is_in(robot, (int32_t)lround(u), (int32_t)lround(v));
}

int32_t turned_list(const fw_robot_t * robot, int32_t heading, fw_offset_t * cells)
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
      if (turned_covers(robot, heading, (fw_offset_t){dx, dy})) {
        assert_in_range(count, 0, TURNED_MAX - 1);
        cells[count++] = (fw_offset_t){dx, dy};
      }
    }
  }
  return count;
}

fw_offset_t turned_ahead(int32_t heading)
{
  const double angle = heading * atan(1.0);
  return (fw_offset_t){(int32_t)lround(cos(angle) * 1.1), (int32_t)lround(sin(angle) * 1.1)};
}

int32_t turned_sweeps(
  const fw_robot_t * robot, int32_t heading, int32_t heading_to, fw_offset_t by, fw_offset_t * cells)
{
  if (heading != heading_to) {
    const int32_t right = (heading_to - heading + 8) % 8;
    const bool is_quarter = right == 2 || right == 6;
    return is_quarter ? turned_list(robot, (heading + (right == 2 ? 1 : 7)) % 8, cells) : 0;
  }
  if (!robot->sweeps_sides || abs(by.dx) != 1 || abs(by.dy) != 1) {
    return 0;
  }
  fw_offset_t own[TURNED_MAX];
  const int32_t count = turned_list(robot, heading, own);
  assert_in_range(2 * count, 0, TURNED_MAX);
  for (int32_t i = 0; i < count; ++i) {
    cells[2 * i] = (fw_offset_t){own[i].dx + by.dx, own[i].dy};
    cells[2 * i + 1] = (fw_offset_t){own[i].dx, own[i].dy + by.dy};
  }
  return 2 * count;
}
