// Footprints: from text, rotated to each heading. See footprints.h.

#include "world/rotated_footprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/text.h"
#include "world/footprint.h"

enum { SIDE_MAX = 99, CELLS_MAX = SIDE_MAX * SIDE_MAX, DISTANCE_MAX = 1000 };

// "WxH" around the middle cell; with an even side, around the one before the middle. Returns the number of cells, -1 if
// the text is something else. `cells` is filled unless it is NULL.
static int32_t read_rectangle(char * text, fw_offset_t * cells)
{
  int32_t width, height;
  if (
    !fw__text_integer(&text, 1, SIDE_MAX, &width) || !fw__text_skip(&text, "x") ||
    !fw__text_integer(&text, 1, SIDE_MAX, &height) || *text != '\0') {
    return -1;
  }
  for (int32_t i = 0; cells != NULL && i < width * height; ++i) {
    cells[i] = (fw_offset_t){i % width - (width - 1) / 2, i / width - (height - 1) / 2};
  }
  return width * height;
}

// "dx,dy;dx,dy;…", with the same result.
static int32_t read_list(char * text, fw_offset_t * cells)
{
  for (int32_t count = 0; count < CELLS_MAX; ++count) {
    fw_offset_t at;
    if (
      !fw__text_integer(&text, -DISTANCE_MAX, DISTANCE_MAX, &at.dx) || !fw__text_skip(&text, ",") ||
      !fw__text_integer(&text, -DISTANCE_MAX, DISTANCE_MAX, &at.dy)) {
      return -1;
    }
    if (cells != NULL) {
      cells[count] = at;
    }
    if (*text == '\0') {
      return count + 1;
    }
    if (!fw__text_skip(&text, ";")) {
      return -1;
    }
  }
  return -1;
}

static fw_ret_t check(const fw_rotated_footprint_t * footprint, fw_error_t * error)
{
  FW_ASSERT(footprint->counts[0] > 0);
  const fw_offset_t * cells = footprint->cells[0];
  bool has_own_cell = false;
  for (int32_t i = 0; i < footprint->counts[0]; ++i) {
    has_own_cell = has_own_cell || (cells[i].dx == 0 && cells[i].dy == 0);
    for (int32_t j = 0; j < i; ++j) {
      if (cells[i].dx == cells[j].dx && cells[i].dy == cells[j].dy) {
        return fw__error(
          error, FW_RET_INVALID_ARGUMENT, "footprint '%.60s' has the cell %d,%d twice", footprint->text,
          (int)cells[i].dx, (int)cells[i].dy);
      }
    }
  }
  return has_own_cell
           ? FW_RET_OK
           : fw__error(
               error, FW_RET_INVALID_ARGUMENT, "footprint '%.60s' lacks the robot's own cell 0,0", footprint->text);
}

static fw_ret_t read_cells(fw_rotated_footprint_t * footprint, char * text, fw_error_t * error)
{
  int32_t count = *text == '\0' ? 1 : read_rectangle(text, NULL);
  const bool is_list = count < 0;
  count = is_list ? read_list(text, NULL) : count;
  if (count < 0) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "footprint must be WxH with sides of 1 to %d, or dx,dy;dx,dy;…, not '%.60s'",
      SIDE_MAX, footprint->text);
  }
  footprint->cells[0] = fw__calloc((size_t)count, sizeof(fw_offset_t));
  if (footprint->cells[0] == NULL) {
    return fw__error_memory(error);
  }
  footprint->counts[0] = count;
  if (is_list) {
    (void)read_list(text, footprint->cells[0]);
  } else if (*text != '\0') {
    (void)read_rectangle(text, footprint->cells[0]);
  }
  return check(footprint, error);
}

// Fills the other headings and the reach from heading 0.
static fw_ret_t rotate(fw_rotated_footprint_t * footprint, fw_error_t * error)
{
  const fw_footprint_t given = {footprint->cells[0], footprint->counts[0]};
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; ++heading) {
    const int32_t count = fw__footprint_rotate_into(given, heading, NULL, 0);
    if (heading > 0) {
      footprint->cells[heading] = fw__calloc((size_t)count, sizeof(fw_offset_t));
      if (footprint->cells[heading] == NULL) {
        return fw__error_memory(error);
      }
      footprint->counts[heading] = fw__footprint_rotate_into(given, heading, footprint->cells[heading], count);
    }
    for (int32_t i = 0; i < count; ++i) {
      const int32_t dx = abs(footprint->cells[heading][i].dx), dy = abs(footprint->cells[heading][i].dy);
      const int32_t farther = dx > dy ? dx : dy;
      footprint->reach = farther > footprint->reach ? farther : footprint->reach;
    }
  }
  return FW_RET_OK;
}

static void destroy(fw_rotated_footprint_t * footprint)
{
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; ++heading) {
    free(footprint->cells[heading]);
  }
  free(footprint);
}

fw_ret_t fw__rotated_footprints_get(
  fw_rotated_footprints_t * footprints, const char * text, const fw_rotated_footprint_t ** footprint,
  fw_error_t * error)
{
  for (*footprint = footprints->first; *footprint != NULL; *footprint = (*footprint)->next) {
    if (strcmp((*footprint)->text, text) == 0) {
      return FW_RET_OK;
    }
  }
  const size_t size = strlen(text) + 1;
  fw_rotated_footprint_t * made = fw__calloc(1, sizeof(*made) + 2 * size);
  if (made == NULL) {
    return fw__error_memory(error);
  }
  memcpy(made->text, text, size);
  char * copy = made->text + size;  // the reader may write to it
  memcpy(copy, text, size);
  fw_ret_t ret = read_cells(made, copy, error);
  if (ret == FW_RET_OK) {
    ret = rotate(made, error);
  }
  if (ret != FW_RET_OK) {
    destroy(made);
    return ret;
  }
  made->next = footprints->first;
  footprints->first = made;
  *footprint = made;
  return FW_RET_OK;
}

void fw__rotated_footprints_fini(fw_rotated_footprints_t * footprints)
{
  for (fw_rotated_footprint_t * footprint = footprints->first; footprint != NULL;) {
    fw_rotated_footprint_t * next = footprint->next;
    destroy(footprint);
    footprint = next;
  }
  *footprints = (fw_rotated_footprints_t){0};
}
