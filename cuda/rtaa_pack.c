// Packing and unpacking. See rtaa_pack.h.

#include "rtaa_pack.h"

#include <string.h>

#include "base/assert.h"

size_t fw__cuda_lanes_bytes(const fw_rtaa_view_t * view, int32_t count)
{
  return (size_t)fw__rtaa_lane_bytes(view->lookahead) * (size_t)count;
}

// A row of `values` values per robot, between the batch and the slice.
typedef struct row_t {
  void * whole;
  void * packed;
  size_t value_bytes;
  int32_t values;
} row_t;

enum { ROWS = 12 };

static void list_rows(const fw_rtaa_view_t * view, const fw_rtaa_view_t * packed, row_t rows[ROWS])
{
  const row_t all[ROWS] = {
    {view->x, packed->x, sizeof(*view->x), 1},
    {view->y, packed->y, sizeof(*view->y), 1},
    {view->goal_x, packed->goal_x, sizeof(*view->goal_x), 1},
    {view->goal_y, packed->goal_y, sizeof(*view->goal_y), 1},
    {view->drift, packed->drift, sizeof(*view->drift), 2},
    {view->box, packed->box, sizeof(*view->box), 4},
    {view->state, packed->state, sizeof(*view->state), 1},
    {view->length, packed->length, sizeof(*view->length), 1},
    {view->episodes, packed->episodes, sizeof(*view->episodes), 1},
    {view->path, packed->path, sizeof(*view->path), view->lookahead},
    {view->seen, packed->seen, sizeof(*view->seen), (int32_t)fw__cuda_seen_words(view->sight)},
    {view->read_box, packed->read_box, 4 * sizeof(*view->read_box), view->regions != NULL ? 1 : 0},
  };
  memcpy(rows, all, sizeof(all));
}

static void copy_rows(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, const fw_rtaa_view_t * packed, bool is_back)
{
  row_t rows[ROWS];
  list_rows(view, packed, rows);
  for (int32_t i = 0; i < ROWS; ++i) {
    const size_t bytes = (size_t)slice.count * rows[i].value_bytes;
    for (int32_t value = 0; value < rows[i].values; ++value) {
      char * whole =
        (char *)rows[i].whole + ((size_t)value * (size_t)view->robot_count + (size_t)slice.first) * rows[i].value_bytes;
      char * part = (char *)rows[i].packed + (size_t)value * bytes;
      memcpy(is_back ? whole : part, is_back ? part : whole, bytes);
    }
  }
}

// Transposes the movements array of a robot; nothing to do if its box is empty, since outside it nothing is read.
static void transpose_window(const fw_rtaa_view_t * from, int32_t robot, const fw_rtaa_view_t * to, int32_t at)
{
  const int32_t slots = fw__rtaa_window_size(from->lookahead);
  if (from->box[robot] > from->box[2 * (size_t)from->robot_count + (size_t)robot]) {
    return;
  }
  const uint16_t * source = from->window + robot * from->window_pitch;
  uint16_t * target = to->window + at * to->window_pitch;
  for (int32_t slot = 0; slot < slots; ++slot) {
    target[(size_t)slot * (size_t)to->window_stride] = source[(size_t)slot * (size_t)from->window_stride];
  }
}

void fw__cuda_pack(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, unsigned char * rows)
{
  FW_ASSERT(slice.first >= 0 && slice.count >= 1 && slice.first + slice.count <= view->robot_count);
  const fw_rtaa_view_t packed = fw__cuda_rows(view, slice.count, rows);
  copy_rows(view, slice, &packed, false);
  if (view->regions != NULL) {
    const size_t pitch = (size_t)view->regions->near_goal_pitch;
    memcpy(
      fw__cuda_near_goals(view, slice.count, rows), view->regions->near_goal + (size_t)slice.first * pitch,
      (size_t)slice.count * pitch);
  }
  for (int32_t at = 0; at < slice.count; ++at) {
    transpose_window(view, slice.first + at, &packed, at);
  }
}

void fw__cuda_unpack(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, unsigned char * rows)
{
  FW_ASSERT(slice.first >= 0 && slice.count >= 1 && slice.first + slice.count <= view->robot_count);
  const fw_rtaa_view_t packed = fw__cuda_rows(view, slice.count, rows);
  copy_rows(view, slice, &packed, true);
  for (int32_t at = 0; at < slice.count; ++at) {
    transpose_window(&packed, at, view, slice.first + at);
  }
}

void fw__cuda_unpack_windows(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, const uint16_t * windows)
{
  const int32_t slots = fw__rtaa_window_size(view->lookahead);
  const size_t count = (size_t)view->robot_count, packed = (size_t)slice.count;
  for (size_t at = 0; at < packed; ++at) {
    const size_t robot = (size_t)slice.first + at;
    if (view->box[robot] <= view->box[2 * count + robot]) {
      uint16_t * target = view->window + (int64_t)robot * view->window_pitch;
      for (int32_t slot = 0; slot < slots; ++slot) {
        target[(size_t)slot * (size_t)view->window_stride] = windows[(size_t)slot * packed + at];
      }
    }
  }
}

void fw__cuda_unpack_report(const fw_rtaa_view_t * view, fw_cuda_list_t list, unsigned char * report)
{
  const fw_rtaa_view_t rows = fw__cuda_report(view, list.count, report);
  for (int32_t slot = 0; slot < list.count; ++slot) {
    const int32_t robot = list.first + list.robots[slot].robot;
    FW_ASSERT(robot >= 0 && robot < view->robot_count);
    if (view->state[robot] == FW_RTAA_RUNNING) {
      fw__cuda_copy_report(&rows, slot, view, robot);
    }
  }
}
