// A conflict in words.

#include <stdio.h>

#include "fleetweave/fleetweave.h"

const char * fw_conflict_kind_name(fw_conflict_kind_t kind)
{
  static const char * const names[] = {"none", "shape",    "start",  "obstacle", "move",  "cell",
                                       "swap", "crossing", "robust", "goal",     "closed"};
  return kind >= FW_CONFLICT_NONE && kind <= FW_CONFLICT_CLOSED ? names[kind] : "unknown";
}

void fw_conflict_describe(const fw_problem_t * problem, const fw_conflict_t * conflict, char * text, size_t text_size)
{
  const fw_grid_t * grid = problem->grid;
  const bool is_inside = conflict->cell >= 0 && conflict->cell < fw_grid_cell_count(grid);
  const int32_t x = is_inside ? fw_grid_x(grid, conflict->cell) : -1;
  const int32_t y = is_inside ? fw_grid_y(grid, conflict->cell) : -1;
  const int32_t a = conflict->robot;
  const int32_t b = conflict->other;
  const fw_tick_t t = conflict->tick;
  const bool turns = a >= 0 && a < problem->robot_count && problem->robots[a].turn_ticks > 0;
  switch (conflict->kind) {
    case FW_CONFLICT_SHAPE:
      if (a < 0) {
        (void)snprintf(text, text_size, "not one path for each of the %d robots", problem->robot_count);
      } else {
        (void)snprintf(text, text_size, "robot %d has an empty path%s", a, turns ? ", or one without headings" : "");
      }
      return;
    case FW_CONFLICT_START:
      (void)snprintf(
        text, text_size, "robot %d begins at (%d,%d), which is not its start%s", a, x, y,
        turns ? ", or faces another way there" : "");
      return;
    case FW_CONFLICT_OBSTACLE:
      (void)snprintf(text, text_size, "robot %d is on an obstacle or outside at (%d,%d), tick %d", a, x, y, t);
      return;
    case FW_CONFLICT_MOVE:
      (void)snprintf(
        text, text_size, "robot %d makes a move%s to (%d,%d) that it cannot make, tick %d", a, turns ? " or turn" : "",
        x, y, t);
      return;
    case FW_CONFLICT_CELL:
      (void)snprintf(text, text_size, "robots %d and %d are both on (%d,%d) at tick %d", a, b, x, y, t);
      return;
    case FW_CONFLICT_SWAP:
      (void)snprintf(
        text, text_size, "robots %d and %d swap cells at (%d,%d) between ticks %d and %d", a, b, x, y, t - 1, t);
      return;
    case FW_CONFLICT_CROSSING:
      (void)snprintf(
        text, text_size, "robots %d and %d cross diagonally at (%d,%d) between ticks %d and %d", a, b, x, y, t - 1, t);
      return;
    case FW_CONFLICT_ROBUST:
      (void)snprintf(
        text, text_size, "robots %d and %d are on (%d,%d) less than robust_ticks = %d apart, tick %d", a, b, x, y,
        problem->robust_ticks, t);
      return;
    case FW_CONFLICT_GOAL:
      (void)snprintf(text, text_size, "robot %d ends at (%d,%d), which is not its goal", a, x, y);
      return;
    case FW_CONFLICT_CLOSED:
      (void)snprintf(text, text_size, "robot %d is on (%d,%d) at tick %d while it is closed", a, x, y, t);
      return;
    case FW_CONFLICT_NONE:
      break;
  }
  (void)snprintf(text, text_size, "no conflict");
}
