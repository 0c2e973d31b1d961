// Reading areas. See area_file.h.
//
// A line begins an area ("- " at the indentation of the first one), a key of it, or goes on with the value before. So a
// value is the text up to the next key, whichever of YAML's styles it is written in; the numbers of a polygon are read
// from that text.

#include "map_files/area_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/text.h"

enum { NAME_SIZE = 64, VALUE_SIZE = 16384, AREAS_MAX = 10000, NUMBERS_MAX = 2 * FW_AREA_POINTS_MAX };

static const double RADIANS = 0.017453292519943295;  // in a degree

// The keys of an area.
typedef enum key_t { KEY_NAME, KEY_KIND, KEY_DIRECTION, KEY_COST, KEY_POLYGON, KEY_RECTANGLE, KEY_COUNT } key_t;
static const char * const key_names[KEY_COUNT] = {"name", "kind", "direction", "cost", "polygon", "rectangle"};

typedef struct reader_t {
  fw_text_t text;
  fw_area_t * areas;  // names and points in `items`
  struct item_t ** items;
  int32_t count;
  int32_t capacity;
  int32_t indent;  // of the areas; -1 before the first
  fw_error_t * error;
  // The area that is read:
  int32_t line;  // where it begins; 0: none
  bool has_key[KEY_COUNT];
  char name[NAME_SIZE];
  fw_area_kind_t kind;
  double direction;
  double cost;
  double numbers[NUMBERS_MAX];
  int32_t number_count;
  // The value that is read:
  key_t key;
  bool has_value;
  bool is_flow;  // a whole area in braces
  char value[VALUE_SIZE];
  size_t length;
} reader_t;

typedef struct item_t {
  char name[NAME_SIZE];
  fw_point_t points[];
} item_t;

// ---- values

static fw_ret_t fault(reader_t * reader, const char * what, const char * value)
{
  char area[NAME_SIZE + 16] = "";
  if (reader->line > 0) {
    (void)snprintf(
      area, sizeof area, reader->has_key[KEY_NAME] ? "area '%s': " : "area %s: ",
      reader->has_key[KEY_NAME] ? reader->name : "without a name");
  }
  return fw__text_error(&reader->text, reader->error, "%s%.120s%.60s", area, what, value);
}

// Cuts blanks and quotes off a value.
static char * unquote(char * value)
{
  value = fw__text_skip_blanks(value);
  size_t length = strlen(value);
  while (length > 0 && isspace((unsigned char)value[length - 1])) {
    value[--length] = '\0';
  }
  if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
    value[length - 1] = '\0';
    return value + 1;
  }
  return value;
}

static bool read_number(char * text, double * number)
{
  char * end = NULL;
  *number = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*number);
}

// Numbers in brackets, separated by commas, or behind "- ". Inner brackets of a polygon contain two of them.
static fw_ret_t read_numbers(reader_t * reader, char * text, bool has_pairs)
{
  int32_t depth = 0, opened = 0;
  reader->number_count = 0;
  for (char * at = text; *at != '\0';) {
    const bool is_mark = *at == '-' && (isspace((unsigned char)at[1]) || at[1] == '\0');
    if (isspace((unsigned char)*at) || *at == ',' || is_mark) {
      ++at;
    } else if (*at == '[') {
      ++depth;
      ++at;
      opened = reader->number_count;
    } else if (*at == ']') {
      if (has_pairs && depth == 2 && reader->number_count - opened != 2) {
        return fault(reader, "a point of its polygon needs two numbers, [x, y]", "");
      }
      --depth;
      ++at;
    } else {
      char * end = NULL;
      const double number = strtod(at, &end);
      if (end == at || !isfinite(number) || (strchr(",]", *end) == NULL && !isspace((unsigned char)*end))) {
        return fault(reader, "expected a number, not ", at);
      }
      if (reader->number_count == NUMBERS_MAX) {
        return fault(reader, "its polygon has too many points; at most 256 are possible", "");
      }
      reader->numbers[reader->number_count++] = number;
      at = end;
    }
    if (depth < 0 || depth > 2) {
      return fault(reader, "brackets do not match", "");
    }
  }
  return depth == 0 ? FW_RET_OK : fault(reader, "brackets do not match", "");
}

static fw_ret_t read_kind(reader_t * reader, const char * value)
{
  if (strcmp(value, "speed") == 0) {
    return fault(reader, "speed limits are not supported; use kind: cost, which makes robots avoid the area", "");
  }
  for (fw_area_kind_t kind = FW_AREA_ONE_WAY; kind <= FW_AREA_COST; ++kind) {
    if (strcmp(value, fw_area_kind_name(kind)) == 0) {
      reader->kind = kind;
      return FW_RET_OK;
    }
  }
  return fault(reader, "kind must be one_way, no_waiting, keepout or cost, not ", value);
}

// The value of the last key is complete.
static fw_ret_t end_value(reader_t * reader)
{
  if (!reader->has_value) {
    return FW_RET_OK;
  }
  reader->has_value = false;
  char * value = unquote(reader->value);
  switch (reader->key) {
    case KEY_NAME:
      (void)snprintf(reader->name, sizeof reader->name, "%.60s", value);
      return FW_RET_OK;
    case KEY_KIND:
      return read_kind(reader, value);
    case KEY_DIRECTION:
      return read_number(value, &reader->direction) && fabs(reader->direction) <= 360.0
               ? FW_RET_OK
               : fault(reader, "direction must be degrees from -360 to 360, not ", value);
    case KEY_COST:
      return read_number(value, &reader->cost) && reader->cost >= 1.0 && reader->cost <= 254.0
               ? FW_RET_OK
               : fault(reader, "cost must be 1 to 254, not ", value);
    case KEY_POLYGON:
      return read_numbers(reader, value, true);
    case KEY_RECTANGLE:
      return read_numbers(reader, value, false);
    case KEY_COUNT:
      break;
  }
  return FW_RET_OK;
}

static fw_ret_t add_to_value(reader_t * reader, const char * text)
{
  const size_t length = strlen(text);
  if (reader->length + length + 2 > VALUE_SIZE) {
    return fault(reader, "a value is too long", "");
  }
  memcpy(reader->value + reader->length, text, length);
  reader->length += length;
  reader->value[reader->length++] = ' ';
  reader->value[reader->length] = '\0';
  return FW_RET_OK;
}

// The length of a key with its colon at the beginning of a text; 0: it does not begin with one.
static size_t key_length(const char * text)
{
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_') {
    ++length;
  }
  const bool is_key =
    length > 0 && text[length] == ':' && (text[length + 1] == '\0' || isspace((unsigned char)text[length + 1]));
  return is_key ? length + 1 : 0;
}

static fw_ret_t begin_key(reader_t * reader, const char * text, size_t length)
{
  fw_ret_t ret = end_value(reader);
  if (ret != FW_RET_OK) {
    return ret;
  }
  for (key_t key = KEY_NAME; key < KEY_COUNT; ++key) {
    if (strlen(key_names[key]) == length - 1 && strncmp(text, key_names[key], length - 1) == 0) {
      if (reader->has_key[key]) {
        return fault(reader, "it has twice the key ", key_names[key]);
      }
      reader->has_key[key] = reader->has_value = true;
      reader->key = key;
      reader->length = 0;
      reader->value[0] = '\0';
      reader->name[0] = key == KEY_NAME ? '\0' : reader->name[0];
      return add_to_value(reader, text + length);
    }
  }
  return fault(reader, "keys are name, kind, direction, cost, polygon and rectangle, not ", text);
}

// ---- areas

static const char * find_mistake(const reader_t * reader)
{
  const bool * has = reader->has_key;
  const bool has_pairs = reader->number_count % 2 == 0;
  return !has[KEY_KIND]                                           ? "kind is missing"
         : has[KEY_POLYGON] == has[KEY_RECTANGLE]                 ? "it needs either polygon or rectangle"
         : !has[KEY_DIRECTION] && reader->kind == FW_AREA_ONE_WAY ? "kind one_way needs a direction, in degrees"
         : has[KEY_DIRECTION] && reader->kind != FW_AREA_ONE_WAY  ? "only kind one_way has a direction"
         : !has[KEY_COST] && reader->kind == FW_AREA_COST         ? "kind cost needs a cost, 1 to 254"
         : has[KEY_COST] && reader->kind != FW_AREA_COST          ? "only kind cost has a cost"
         : has[KEY_RECTANGLE] && reader->number_count != 4        ? "rectangle needs four numbers, [x1, y1, x2, y2]"
         : has[KEY_POLYGON] && (!has_pairs || reader->number_count < 6) ? "polygon needs at least three points [x, y]"
                                                                        : NULL;
}

static bool reserve_area(reader_t * reader)
{
  if (reader->count < reader->capacity) {
    return true;
  }
  const int32_t capacity = 2 * reader->capacity + 16;
  fw_area_t * areas = fw__realloc(reader->areas, (size_t)capacity * sizeof *areas);
  reader->areas = areas == NULL ? reader->areas : areas;
  item_t ** items = fw__realloc(reader->items, (size_t)capacity * sizeof *items);
  reader->items = items == NULL ? reader->items : items;
  reader->capacity = areas == NULL || items == NULL ? reader->capacity : capacity;
  return areas != NULL && items != NULL;
}

static int32_t write_points(const reader_t * reader, fw_point_t * points)
{
  const double * n = reader->numbers;
  if (reader->has_key[KEY_RECTANGLE]) {
    points[0] = (fw_point_t){n[0], n[1]};
    points[1] = (fw_point_t){n[2], n[1]};
    points[2] = (fw_point_t){n[2], n[3]};
    points[3] = (fw_point_t){n[0], n[3]};
    return 4;
  }
  for (int32_t k = 0; k < reader->number_count / 2; ++k) {
    points[k] = (fw_point_t){n[2 * k], n[2 * k + 1]};
  }
  return reader->number_count / 2;
}

// The area is complete: checks and keeps it. Errors name the line where it begins.
static fw_ret_t end_area(reader_t * reader)
{
  fw_ret_t ret = end_value(reader);
  if (ret != FW_RET_OK || reader->line == 0) {
    return ret;
  }
  reader->text.line_number = reader->line;
  const char * mistake = reader->is_flow ? "its braces do not match" : find_mistake(reader);
  if (mistake == NULL && reader->count == AREAS_MAX) {
    mistake = "there are too many areas";
  }
  if (mistake != NULL) {
    return fault(reader, mistake, "");
  }
  item_t * item = fw__malloc(sizeof *item + (size_t)(reader->number_count / 2 + 4) * sizeof *item->points);
  if (item == NULL || !reserve_area(reader)) {
    free(item);
    return fw__error_memory(reader->error);
  }
  if (!reader->has_key[KEY_NAME] || reader->name[0] == '\0') {
    (void)snprintf(reader->name, sizeof reader->name, "area %d", reader->count + 1);
  }
  memcpy(item->name, reader->name, sizeof item->name);
  const fw_area_t area = {
    .kind = reader->kind,
    .name = item->name,
    .points = item->points,
    .point_count = write_points(reader, item->points),
    .direction = reader->kind == FW_AREA_ONE_WAY ? reader->direction * RADIANS : 0.0,
    .cost = reader->kind == FW_AREA_COST ? (int32_t)lround(reader->cost) : 0,
  };
  reader->items[reader->count] = item;
  reader->areas[reader->count++] = area;
  reader->line = 0;
  fw_error_t reason = {0};
  return fw__area_check(&area, &reason) ? FW_RET_OK
                                        : fw__text_error(&reader->text, reader->error, "%.150s", reason.text);
}

// The entries of an area in braces, which are complete in `value`: cut at commas outside of brackets.
static fw_ret_t read_flow(reader_t * reader)
{
  char * text = fw__malloc(reader->length + 1);
  if (text == NULL) {
    return fw__error_memory(reader->error);
  }
  memcpy(text, reader->value, reader->length + 1);
  char * at = fw__text_skip_blanks(text) + 1;
  char * end = strrchr(text, '}');
  fw_ret_t ret = FW_RET_OK;
  *end = '\0';
  reader->is_flow = reader->has_value = false;
  while (ret == FW_RET_OK && *fw__text_skip_blanks(at) != '\0') {
    at = fw__text_skip_blanks(at);
    char * cut = at;
    for (int32_t depth = 0; *cut != '\0' && (*cut != ',' || depth > 0); ++cut) {
      depth += (*cut == '[') - (*cut == ']');
    }
    char * next = *cut == '\0' ? cut : cut + 1;
    *cut = '\0';
    const size_t length = key_length(at);
    ret = length == 0 ? fault(reader, "expected 'key: value', not ", at) : begin_key(reader, at, length);
    at = next;
  }
  free(text);
  return ret == FW_RET_OK ? end_value(reader) : ret;
}

// ---- lines

static fw_ret_t take_content(reader_t * reader, const char * content)
{
  if (reader->is_flow || (content[0] == '{' && !reader->has_value)) {
    if (!reader->is_flow) {
      reader->is_flow = true;
      reader->length = 0;
    }
    const fw_ret_t ret = add_to_value(reader, content);
    const char * end = strrchr(reader->value, '}');
    return ret == FW_RET_OK && end != NULL && *fw__text_skip_blanks((char *)(uintptr_t)end + 1) == '\0'
             ? read_flow(reader)
             : ret;
  }
  const size_t length = key_length(content);
  if (length > 0) {
    return begin_key(reader, content, length);
  }
  return reader->has_value ? add_to_value(reader, content) : fault(reader, "expected 'key: value', not ", content);
}

static fw_ret_t begin_area(reader_t * reader, char * content)
{
  const int32_t line = reader->text.line_number;
  const fw_ret_t ret = end_area(reader);
  if (ret != FW_RET_OK) {
    return ret;
  }
  reader->text.line_number = reader->line = line;
  memset(reader->has_key, 0, sizeof reader->has_key);
  reader->name[0] = '\0';
  reader->number_count = 0;
  reader->is_flow = false;
  content = fw__text_skip_blanks(content);
  return content[0] == '\0' ? FW_RET_OK : take_content(reader, content);
}

// Cuts a comment and blanks off the end of a line.
static void cut_comment(char * line)
{
  char quote = '\0';
  for (char * at = line; *at != '\0'; ++at) {
    if (quote == '\0' && *at == '#' && (at == line || isspace((unsigned char)at[-1]))) {
      *at = '\0';
      break;
    }
    quote = quote == *at ? '\0' : quote == '\0' && (*at == '"' || *at == '\'') ? *at : quote;
  }
  for (size_t length = strlen(line); length > 0 && isspace((unsigned char)line[length - 1]); --length) {
    line[length - 1] = '\0';
  }
}

static fw_ret_t take_line(reader_t * reader, char * line, bool * has_areas)
{
  char * content = line + strspn(line, " ");
  const int32_t indent = (int32_t)(content - line);
  if (content[0] == '\t') {
    return fault(reader, "YAML is indented with spaces, not tabs", "");
  }
  if (!*has_areas) {
    *has_areas = strcmp(content, "areas:") == 0 || strcmp(content, "areas: []") == 0;
    return *has_areas && indent == 0 ? FW_RET_OK : fault(reader, "expected 'areas:', not ", content);
  }
  const bool is_item = content[0] == '-' && (content[1] == ' ' || content[1] == '\0');
  if (is_item && !reader->is_flow && (reader->indent < 0 || indent == reader->indent)) {
    reader->indent = indent;
    return begin_area(reader, content + 1);
  }
  return reader->line > 0 && (indent > reader->indent || reader->is_flow)
           ? take_content(reader, content)
           : fault(reader, "expected '- ', not ", content);
}

fw_ret_t fw__area_file_read(fw_area_list_t * list, const char * path, fw_error_t * error)
{
  *list = (fw_area_list_t){0};
  reader_t * reader = fw__calloc(1, sizeof *reader);
  if (reader == NULL) {
    return fw__error_memory(error);
  }
  reader->indent = -1;
  reader->error = error;
  fw_ret_t ret = fw__text_open(&reader->text, path, NULL, error);
  if (ret != FW_RET_OK) {
    free(reader);
    return ret;
  }
  bool has_areas = false;
  for (char * line = fw__text_line(&reader->text); line != NULL && ret == FW_RET_OK;
       line = ret == FW_RET_OK ? fw__text_line(&reader->text) : NULL) {
    cut_comment(line);
    if (line[0] != '\0' && strcmp(line, "---") != 0) {
      ret = take_line(reader, line, &has_areas);
    }
  }
  if (ret == FW_RET_OK) {
    ret = has_areas ? end_area(reader) : fault(reader, "'areas:' is missing", "");
  }
  if (ret == FW_RET_OK && !fw__area_list_init(list, reader->areas, reader->count)) {
    ret = fw__error_memory(error);
  }
  fw__text_close(&reader->text);
  for (int32_t k = 0; k < reader->count; ++k) {
    free(reader->items[k]);
  }
  free(reader->items);
  free(reader->areas);
  free(reader);
  return ret;
}
