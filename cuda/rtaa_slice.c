// Packing and unpacking of slices. See rtaa_slice.h.

#include "rtaa_slice.h"

#include <string.h>

#include "base/assert.h"

fw_rtaa_view_t fw__cuda_slice_view(const fw_rtaa_view_t * view, int32_t count, unsigned char * rows)
{
  const unsigned char * begin = rows;
  fw_rtaa_view_t packed = *view;
  const size_t robots = (size_t)count;
  const size_t words = view->sight > 0 ? (size_t)fw__rtaa_seen_words(view->sight) : 0;
  packed.robot_count = count;
  packed.seen = view->sight > 0 ? (uint64_t *)rows : NULL;
  rows += robots * words * sizeof(*packed.seen);
  packed.length = (uint32_t *)rows;
  rows += robots * sizeof(*packed.length);
  packed.episodes = (uint32_t *)rows;
  rows += robots * sizeof(*packed.episodes);
  packed.window = (uint16_t *)rows;
  packed.window_stride = count;
  packed.window_pitch = 1;
  rows += robots * (size_t)fw__rtaa_window_size(view->lookahead) * sizeof(*packed.window);
  packed.x = (int16_t *)rows;
  packed.y = packed.x + robots;
  packed.goal_x = packed.y + robots;
  packed.goal_y = packed.goal_x + robots;
  rows += 4 * robots * sizeof(*packed.x);
  packed.drift = (int8_t *)rows;
  packed.box = packed.drift + 2 * robots;
  rows += 6 * robots * sizeof(*packed.drift);
  packed.state = rows;
  packed.path = packed.state + robots;
  FW_ASSERT(packed.path + robots * (size_t)view->lookahead == begin + fw__cuda_slice_bytes(view, count));
  return packed;
}

size_t fw__cuda_slice_bytes(const fw_rtaa_view_t * view, int32_t count)
{
  const size_t words = view->sight > 0 ? (size_t)fw__rtaa_seen_words(view->sight) : 0;
  const size_t slots = (size_t)fw__rtaa_window_size(view->lookahead);
  const size_t robot = words * sizeof(uint64_t) + 2 * sizeof(uint32_t) + slots * sizeof(uint16_t) +
                       4 * sizeof(int16_t) + 7 + (size_t)view->lookahead;
  return robot * (size_t)count;
}

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

enum { ROWS = 11 };

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
    {view->seen, packed->seen, sizeof(*view->seen), view->sight > 0 ? fw__rtaa_seen_words(view->sight) : 0},
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

// A robot's index in the batch and in the slice.
typedef struct pair_t {
  int32_t whole;
  int32_t packed;
} pair_t;

// Transposes the movements array of a robot; nothing to do if its box is empty, since outside it nothing is read.
static void transpose_window(const fw_rtaa_view_t * view, const fw_rtaa_view_t * packed, pair_t robot, bool is_back)
{
  const int32_t slots = fw__rtaa_window_size(view->lookahead);
  if (packed->box[robot.packed] > packed->box[2 * (size_t)packed->robot_count + (size_t)robot.packed]) {
    return;
  }
  uint16_t * whole = view->window + robot.whole * view->window_pitch;
  uint16_t * part = packed->window + robot.packed * packed->window_pitch;
  for (int32_t slot = 0; slot < slots; ++slot) {
    uint16_t * one = &whole[(size_t)slot * (size_t)view->window_stride];
    uint16_t * other = &part[(size_t)slot * (size_t)packed->window_stride];
    *(is_back ? one : other) = *(is_back ? other : one);
  }
}

static void copy_slice(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, unsigned char * rows, bool is_back)
{
  FW_ASSERT(slice.first >= 0 && slice.count >= 1 && slice.first + slice.count <= view->robot_count);
  const fw_rtaa_view_t packed = fw__cuda_slice_view(view, slice.count, rows);
  copy_rows(view, slice, &packed, is_back);
  for (int32_t at = 0; at < slice.count; ++at) {
    transpose_window(view, &packed, (pair_t){slice.first + at, at}, is_back);
  }
}

void fw__cuda_slice_pack(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, unsigned char * rows)
{
  copy_slice(view, slice, rows, false);
}

void fw__cuda_slice_unpack(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, unsigned char * rows)
{
  copy_slice(view, slice, rows, true);
}
