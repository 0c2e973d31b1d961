// How the rows of a batch lie in device memory, and what comes back of them. For the launch code and for the kernels,
// which compute the places of the rows from the pointer to the first: so a kernel needs few arguments.
//
// Rows follow each other by falling size of their values, each for all robots, so that all are aligned. The movements
// arrays are transposed: values of neighbouring robots lie side by side, so that the reads of a warp coalesce. Behind
// them, with regions: what each robot has read, and the distances to its goal, which a kernel does not write. These are
// not transposed, since robots read them at places of their own.

#ifndef RTAA_LAYOUT_H_
#define RTAA_LAYOUT_H_

#include <stddef.h>

#include "kernel/region_tables.h"
#include "kernel/rtaa_view.h"

FW_STEP int64_t fw__cuda_seen_words(int32_t sight) { return sight > 0 ? fw__rtaa_seen_words(sight) : 0; }

// Where the rows of regions begin.
FW_STEP int64_t fw__cuda_read_offset(const fw_rtaa_view_t * view, int64_t count)
{
  const int64_t bytes = count * (8 * fw__cuda_seen_words(view->sight) + 2 * 4 +
                                 2 * (int64_t)fw__rtaa_window_size(view->lookahead) + 4 * 2 + 7 + view->lookahead);
  return (bytes + 7) & ~(int64_t)7;
}

// Bytes of the rows of `count` robots that a kernel writes: all that has to come back. The distances to goals follow.
FW_STEP int64_t fw__cuda_written_bytes(const fw_rtaa_view_t * view, int64_t count)
{
  return fw__cuda_read_offset(view, count) + (view->regions != 0 ? count * 4 * 2 : 0);
}

// Bytes of all rows of `count` robots.
FW_STEP int64_t fw__cuda_rows_bytes(const fw_rtaa_view_t * view, int64_t count)
{
  return fw__cuda_written_bytes(view, count) + (view->regions != 0 ? count * view->regions->near_goal_pitch : 0);
}

// A view of `count` robots whose rows lie at `rows`. Maps, options and lanes are those of `view`.
FW_STEP fw_rtaa_view_t fw__cuda_rows(const fw_rtaa_view_t * view, int32_t count, unsigned char * rows)
{
  fw_rtaa_view_t packed = *view;
  const int64_t robots = count;
  packed.robot_count = count;
  packed.read_box = view->regions != 0 ? (int16_t *)(rows + fw__cuda_read_offset(view, count)) : 0;
  packed.seen = (uint64_t *)rows;
  rows += robots * fw__cuda_seen_words(view->sight) * 8;
  packed.length = (uint32_t *)rows;
  packed.episodes = packed.length + robots;
  rows += robots * 8;
  packed.window = (uint16_t *)rows;
  packed.window_stride = count;
  packed.window_pitch = 1;
  rows += robots * fw__rtaa_window_size(view->lookahead) * 2;
  packed.x = (int16_t *)rows;
  packed.y = packed.x + robots;
  packed.goal_x = packed.y + robots;
  packed.goal_y = packed.goal_x + robots;
  rows += robots * 8;
  packed.drift = (int8_t *)rows;
  packed.box = packed.drift + 2 * robots;
  packed.state = rows + 6 * robots;
  packed.path = packed.state + robots;
  return packed;
}

// The distances to the goals of `count` robots whose rows lie at `rows`.
FW_STEP uint8_t * fw__cuda_near_goals(const fw_rtaa_view_t * view, int32_t count, unsigned char * rows)
{
  return rows + fw__cuda_written_bytes(view, count);
}

// A piece of the tables of regions that has changed.
typedef struct fw_cuda_piece_t {
  int64_t offset;  // from the first table, in bytes
  uint8_t bytes[FW_REGION_PIECE_BYTES];
} fw_cuda_piece_t;

// A robot that runs, and its place in the report.
typedef struct fw_cuda_entry_t {
  int32_t robot;
  int32_t place;
} fw_cuda_entry_t;

// The report of a run: what the host reads of each robot that was under way. The same for the robots of a list.
FW_STEP int64_t fw__cuda_report_bytes(const fw_rtaa_view_t * view, int64_t count)
{
  return count * (8 * fw__cuda_seen_words(view->sight) + 2 * 4 + 2 * 2 + (view->regions != 0 ? 4 * 2 : 0) + 7 +
                  view->lookahead);
}

// Its rows; goals and learned values are not in it.
FW_STEP fw_rtaa_view_t fw__cuda_report(const fw_rtaa_view_t * view, int32_t count, unsigned char * report)
{
  fw_rtaa_view_t rows = *view;
  const int64_t robots = count;
  rows.robot_count = count;
  rows.seen = (uint64_t *)report;
  report += robots * fw__cuda_seen_words(view->sight) * 8;
  rows.length = (uint32_t *)report;
  rows.episodes = rows.length + robots;
  report += robots * 8;
  rows.x = (int16_t *)report;
  rows.y = rows.x + robots;
  report += robots * 4;
  rows.read_box = view->regions != 0 ? (int16_t *)report : 0;
  report += view->regions != 0 ? robots * 8 : 0;
  rows.drift = (int8_t *)report;
  rows.box = rows.drift + 2 * robots;
  rows.state = report + 6 * robots;
  rows.path = rows.state + robots;
  rows.goal_x = 0;
  rows.goal_y = 0;
  rows.window = 0;
  return rows;
}

// Copies what a report has of a robot, from one view to another.
FW_STEP void fw__cuda_copy_report(const fw_rtaa_view_t * from, int64_t robot, const fw_rtaa_view_t * to, int64_t slot)
{
  const int64_t from_count = from->robot_count, to_count = to->robot_count;
  to->x[slot] = from->x[robot];
  to->y[slot] = from->y[robot];
  for (int32_t k = 0; k < 2; ++k) {
    to->drift[k * to_count + slot] = from->drift[k * from_count + robot];
  }
  for (int32_t k = 0; k < 4; ++k) {
    to->box[k * to_count + slot] = from->box[k * from_count + robot];
  }
  for (int32_t k = 0; k < 4 && from->regions != 0; ++k) {
    to->read_box[4 * slot + k] = from->read_box[4 * robot + k];
  }
  to->state[slot] = from->state[robot];
  to->length[slot] = from->length[robot];
  to->episodes[slot] = from->episodes[robot];
  for (int32_t k = 0; k < from->lookahead; ++k) {
    to->path[k * to_count + slot] = from->path[k * from_count + robot];
  }
  for (int32_t k = 0; k < fw__cuda_seen_words(from->sight); ++k) {
    to->seen[k * to_count + slot] = from->seen[k * from_count + robot];
  }
}

#endif  // RTAA_LAYOUT_H_
