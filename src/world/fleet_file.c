// Fleet files: properties of robots as text, a line for each group of robots (fleetweave/files.h has the format).
//
// A property is a row in `names` and `wanted`, a case in read_value and one in set_property.

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"
#include "fleetweave/files.h"

enum { SIDE_MAX = 99 };

typedef enum property_t {
  PRIORITY,
  TICKS_PER_MOVE,
  FOOTPRINT,
  TURN_TICKS,
  HEADING,
  SWEEPS_SIDES,
  PROPERTY_COUNT,
} property_t;

static const char * const names[PROPERTY_COUNT] = {"priority",   "ticks_per_move", "footprint",
                                                   "turn_ticks", "heading",        "sweeps_sides"};
static const char * const wanted[PROPERTY_COUNT] = {
  "a whole number",
  "1 to 8",
  "WxH with sides of 1 to 99, or dx,dy;dx,dy;…",
  "1 to 8, or 0 for no heading",
  "east, south-east, south, south-west, west, north-west, north, north-east or 0 to 7",
  "true or false",
};

// The cells of one footprint, for all robots of its line.
struct fw_fleet_cells_t {
  struct fw_fleet_cells_t * next;
  fw_offset_t cells[];
};

typedef struct reader_t {
  fw_text_t text;
  fw_fleet_file_t * file;
  fw_robot_t * robots;
  int32_t robot_count;
} reader_t;

typedef struct group_t {
  int32_t first;
  int32_t last;  // included
} group_t;

// ---- footprints -----------------------------------------------------------------------------------------------------

// Room for the cells of a footprint, released with the file. NULL when there is no memory.
static fw_offset_t * allocate_cells(reader_t * reader, int32_t count)
{
  FW_ASSERT(count >= 1);
  struct fw_fleet_cells_t * block =
    fw__allocate_array(&reader->file->allocator, 1, sizeof(*block) + (size_t)count * sizeof(fw_offset_t));
  if (block == NULL) {
    return NULL;
  }
  block->next = reader->file->cells;
  reader->file->cells = block;
  return block->cells;
}

// "WxH" around the middle cell; of an even side, the one before the middle.
static bool read_sides(char * value, int32_t * width, int32_t * height)
{
  return fw__text_integer(&value, 1, SIDE_MAX, width) && fw__text_skip(&value, "x") &&
         fw__text_integer(&value, 1, SIDE_MAX, height) && *value == '\0';
}

static void fill_rectangle(fw_offset_t * cells, int32_t width, int32_t height)
{
  for (int32_t i = 0; i < width * height; ++i) {
    cells[i] = (fw_offset_t){i % width - (width - 1) / 2, i / width - (height - 1) / 2};
  }
}

// "dx,dy;dx,dy;…". Returns the number of cells, -1 if the text is not such a list; `cells` may be NULL to count only.
static int32_t read_list(char * value, fw_offset_t * cells)
{
  for (int32_t count = 0;; ++count) {
    fw_offset_t at;
    if (
      !fw__text_integer(&value, -FW_GRID_SIDE_MAX, FW_GRID_SIDE_MAX, &at.dx) || !fw__text_skip(&value, ",") ||
      !fw__text_integer(&value, -FW_GRID_SIDE_MAX, FW_GRID_SIDE_MAX, &at.dy)) {
      return -1;
    }
    if (cells != NULL) {
      cells[count] = at;
    }
    if (*value == '\0') {
      return count + 1;
    }
    if (!fw__text_skip(&value, ";")) {
      return -1;
    }
  }
}

// False if the text is not a footprint. Without memory `like->footprint` is NULL.
static bool read_footprint(reader_t * reader, char * value, fw_robot_t * like)
{
  int32_t width, height;
  const bool is_rectangle = read_sides(value, &width, &height);
  like->footprint_count = is_rectangle ? width * height : read_list(value, NULL);
  if (like->footprint_count < 0) {
    return false;
  }
  fw_offset_t * cells = allocate_cells(reader, like->footprint_count);
  if (cells != NULL && is_rectangle) {
    fill_rectangle(cells, width, height);
  } else if (cells != NULL) {
    (void)read_list(value, cells);
  }
  like->footprint = cells;
  return true;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static bool read_heading(const char * value, int32_t * heading)
{
  for (int32_t i = 0; i < FW_HEADING_COUNT; ++i) {
    if (strcmp(value, fw_heading_name(i)) == 0 || (value[0] == '0' + i && value[1] == '\0')) {
      *heading = i;
      return true;
    }
  }
  return false;
}

static bool read_switch(const char * value, bool * is_on)
{
  *is_on = strcmp(value, "true") == 0;
  return *is_on || strcmp(value, "false") == 0;
}

static bool read_number(char * value, int32_t min, int32_t max, int32_t * number)
{
  return fw__text_integer(&value, min, max, number) && *value == '\0';
}

// Reads the value of a property into `like`. False if the value is not valid.
static bool read_value(reader_t * reader, property_t property, char * value, fw_robot_t * like)
{
  switch (property) {
    case PRIORITY:
      return read_number(value, INT32_MIN, INT32_MAX, &like->priority);
    case TICKS_PER_MOVE:
      return read_number(value, 1, FW_TICKS_PER_MOVE_MAX, &like->ticks_per_move);
    case FOOTPRINT:
      return read_footprint(reader, value, like);
    case TURN_TICKS:
      return read_number(value, 0, FW_TICKS_PER_MOVE_MAX, &like->turn_ticks);
    case HEADING:
      return read_heading(value, &like->heading);
    case SWEEPS_SIDES:
      return read_switch(value, &like->sweeps_sides);
    case PROPERTY_COUNT:
      break;
  }
  return false;
}

// Copies one property from `like` to a robot.
static void set_property(property_t property, const fw_robot_t * like, fw_robot_t * robot)
{
  switch (property) {
    case PRIORITY:
      robot->priority = like->priority;
      break;
    case TICKS_PER_MOVE:
      robot->ticks_per_move = like->ticks_per_move;
      break;
    case FOOTPRINT:
      robot->footprint = like->footprint;
      robot->footprint_count = like->footprint_count;
      break;
    case TURN_TICKS:
      robot->turn_ticks = like->turn_ticks;
      break;
    case HEADING:
      robot->heading = like->heading;
      break;
    case SWEEPS_SIDES:
      robot->sweeps_sides = like->sweeps_sides;
      break;
    case PROPERTY_COUNT:
      break;
  }
}

// ---- lines ----------------------------------------------------------------------------------------------------------

// "3", "0-9" or "*", which is all robots.
static bool read_group(char ** cursor, int32_t robot_count, group_t * group)
{
  *group = (group_t){.last = robot_count - 1};
  if (fw__text_skip(cursor, "*")) {
    return fw__text_is_field_end(**cursor);
  }
  if (!fw__text_integer(cursor, 0, FW_ROBOT_COUNT_MAX, &group->first)) {
    return false;
  }
  group->last = group->first;
  if (fw__text_skip(cursor, "-") && !fw__text_integer(cursor, group->first, FW_ROBOT_COUNT_MAX, &group->last)) {
    return false;
  }
  return fw__text_is_field_end(**cursor);
}

// Reads one "key=value" and sets it for the robots of a line.
static fw_ret_t read_property(reader_t * reader, group_t group, char * key, fw_error_t * error)
{
  char * value = strchr(key, '=');
  if (value == NULL) {
    return fw__text_error(&reader->text, error, "expected key=value, not '%.40s'", key);
  }
  *value++ = '\0';
  property_t property = PRIORITY;
  while (property < PROPERTY_COUNT && strcmp(key, names[property]) != 0) {
    ++property;
  }
  if (property == PROPERTY_COUNT) {
    return fw__text_error(
      &reader->text, error,
      "there is no property '%.24s'; the properties are priority, ticks_per_move, footprint, turn_ticks, heading, "
      "sweeps_sides",
      key);
  }
  FW_ASSERT(group.first >= 0 && group.last < reader->robot_count);
  fw_robot_t like = {0};
  if (!read_value(reader, property, value, &like)) {
    return fw__text_error(&reader->text, error, "%s must be %s, not '%.24s'", key, wanted[property], value);
  }
  if (property == FOOTPRINT && like.footprint == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t r = group.first; r <= group.last; ++r) {
    set_property(property, &like, &reader->robots[r]);
  }
  return FW_RET_OK;
}

static fw_ret_t read_line(reader_t * reader, char * line, fw_error_t * error)
{
  char * cursor = line;
  group_t group;
  if (!read_group(&cursor, reader->robot_count, &group)) {
    return fw__text_error(&reader->text, error, "expected robots as 3, 0-9 or *, then key=value …, not '%.40s'", line);
  }
  if (group.last >= reader->robot_count) {
    return fw__text_error(
      &reader->text, error, "there is no robot %d: the fleet has %d robots, counted from 0", group.last,
      reader->robot_count);
  }
  fw_ret_t ret = FW_RET_OK;
  for (cursor = fw__text_skip_blanks(cursor); *cursor != '\0' && ret == FW_RET_OK;
       cursor = fw__text_skip_blanks(cursor)) {
    char * key = cursor;
    cursor += strcspn(cursor, " \t");
    if (*cursor != '\0') {
      *cursor++ = '\0';
    }
    ret = read_property(reader, group, key, error);
  }
  return ret;
}

fw_ret_t fw_fleet_file_read(
  fw_fleet_file_t * file, const char * path, fw_robot_t * robots, int32_t robot_count, const fw_allocator_t * allocator,
  fw_error_t * error)
{
  *file = (fw_fleet_file_t){.allocator = fw__allocator_or_default(allocator)};
  reader_t reader = {.file = file, .robots = robots, .robot_count = robot_count};
  fw_ret_t ret = fw__text_open(&reader.text, path, allocator, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  for (char * line = fw__text_line(&reader.text); line != NULL && ret == FW_RET_OK;
       line = fw__text_line(&reader.text)) {
    line[strcspn(line, "#")] = '\0';
    line = fw__text_skip_blanks(line);
    ret = *line == '\0' ? FW_RET_OK : read_line(&reader, line, error);
  }
  fw__text_close(&reader.text);
  if (ret != FW_RET_OK) {
    for (int32_t r = 0; r < robot_count; ++r) {
      robots[r].footprint = NULL;  // their memory is released with the file
      robots[r].footprint_count = 0;
    }
    fw_fleet_file_fini(file);
  }
  return ret;
}

void fw_fleet_file_fini(fw_fleet_file_t * file)
{
  if (file == NULL) {
    return;
  }
  for (struct fw_fleet_cells_t * block = file->cells; block != NULL;) {
    struct fw_fleet_cells_t * next = block->next;
    fw__deallocate(&file->allocator, block);
    block = next;
  }
  *file = (fw_fleet_file_t){0};
}
