// Reading a text file line by line.

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "base/error.h"

enum { FILE_BYTES_MAX = 1 << 30, FIRST_BYTES = 64 * 1024 };

static fw_ret_t refuse_size(const fw_text_t * text, fw_error_t * error)
{
  return fw__error(error, FW_RET_FILE, "%.200s: the file is larger than 1 GiB, the most that can be read", text->path);
}

static fw_ret_t read_all(fw_text_t * text, FILE * file, fw_error_t * error)
{
  size_t capacity = FIRST_BYTES;
  size_t size = 0;
  text->data = text->allocator.allocate(capacity + 1, text->allocator.state);
  while (text->data != NULL) {
    size += fread(text->data + size, 1, capacity - size, file);
    if (ferror(file) != 0) {
      return fw__error(error, FW_RET_FILE, "%.200s: cannot be read: %s", text->path, strerror(errno));
    }
    if (size < capacity) {
      text->data[size] = '\0';
      text->cursor = text->data;
      text->end = text->data + size;
      return FW_RET_OK;
    }
    if (capacity >= FILE_BYTES_MAX) {
      return refuse_size(text, error);
    }
    char * larger = text->allocator.allocate(capacity * 2 + 1, text->allocator.state);
    if (larger != NULL) {
      memcpy(larger, text->data, size);
    }
    fw__deallocate(&text->allocator, text->data);
    text->data = larger;
    capacity *= 2;
  }
  return fw__error_memory(error);
}

fw_ret_t fw__text_open(fw_text_t * text, const char * path, const fw_allocator_t * allocator, fw_error_t * error)
{
  *text = (fw_text_t){.path = path, .allocator = fw__allocator_or_default(allocator)};
  FILE * file = fopen(path, "rb");
  if (file == NULL) {
    return fw__error(error, errno == ENOENT ? FW_RET_NOT_FOUND : FW_RET_FILE, "%.200s: %s", path, strerror(errno));
  }
  // What can be known to be too large is refused before it is read; others, such as pipes, when they get there.
  struct stat status;
  const bool is_too_large = fstat(fileno(file), &status) == 0 && status.st_size > FILE_BYTES_MAX;
  const fw_ret_t ret = is_too_large ? refuse_size(text, error) : read_all(text, file, error);
  (void)fclose(file);
  if (ret != FW_RET_OK) {
    fw__text_close(text);
  }
  return ret;
}

void fw__text_close(fw_text_t * text)
{
  fw__deallocate(&text->allocator, text->data);
  text->data = text->cursor = text->end = NULL;
}

char * fw__text_line(fw_text_t * text)
{
  if (text->cursor == NULL || text->cursor >= text->end) {
    return NULL;
  }
  FW_ASSERT(text->cursor >= text->data && *text->end == '\0');
  char * line = text->cursor;
  char * stop = line + strcspn(line, "\r\n");
  ++text->line_number;
  if (stop >= text->end) {
    text->cursor = text->end;
    return line;
  }
  if (*stop == '\0') {  // a zero byte inside the text ends this line; the rest is the next one
    text->cursor = stop + 1;
    return line;
  }
  text->cursor = stop + (stop[0] == '\r' && stop[1] == '\n' ? 2 : 1);
  *stop = '\0';
  return line;
}

char * fw__text_line_nonblank(fw_text_t * text)
{
  char * line = fw__text_line(text);
  while (line != NULL && line[strspn(line, " \t")] == '\0') {
    line = fw__text_line(text);
  }
  return line;
}

fw_ret_t fw__text_error(const fw_text_t * text, fw_error_t * error, const char * format, ...)
{
  enum { PATH_BYTES_MAX = 80 };
  const size_t length = strlen(text->path);
  const char * end =
    length > PATH_BYTES_MAX ? text->path + length - PATH_BYTES_MAX : text->path;  // the file's name is at the end
  char what[160];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  return fw__error(error, FW_RET_FILE, "%s%s:%d: %s", end == text->path ? "" : "...", end, text->line_number, what);
}

bool fw__text_integer(char ** cursor, int32_t min, int32_t max, int32_t * value)
{
  FW_ASSERT(min <= max);
  char * end = NULL;
  errno = 0;
  const long number = strtol(*cursor, &end, 10);
  if (end == *cursor || errno != 0 || number < min || number > max) {
    return false;
  }
  *value = (int32_t)number;
  *cursor = end;
  return true;
}

bool fw__text_skip(char ** cursor, const char * word)
{
  const size_t length = strlen(word);
  if (strncmp(*cursor, word, length) != 0) {
    return false;
  }
  *cursor += length;
  return true;
}

char * fw__text_skip_blanks(char * cursor) { return cursor + strspn(cursor, " \t"); }

bool fw__text_is_field_end(char c) { return c == ' ' || c == '\t' || c == '\0'; }
