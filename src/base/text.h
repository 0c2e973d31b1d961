// A text file, line by line, with any line ending.

#ifndef BASE__TEXT_H_
#define BASE__TEXT_H_

#include "base/memory.h"

typedef struct fw_text_t {
  const char * path;
  char * data;
  char * cursor;
  char * end;
  int32_t line_number;  // of the line last given, from 1
  fw_allocator_t allocator;
} fw_text_t;

// Reads the whole file. FW_RET_NOT_FOUND if there is none, FW_RET_FILE if it cannot be read.
FW_MUST_USE fw_ret_t
fw__text_open(fw_text_t * text, const char * path, const fw_allocator_t * allocator, fw_error_t * error);
void fw__text_close(fw_text_t * text);

// The next line without its ending, NULL after the last. Overwrites the ending in memory.
char * fw__text_line(fw_text_t * text);
// The next line that is not blank.
char * fw__text_line_filled(fw_text_t * text);

// "FILE:LINE: …", FW_RET_FILE.
fw_ret_t fw__text_error(const fw_text_t * text, fw_error_t * error, const char * format, ...) FW_PRINTF(3, 4);

// A whole number in [min, max] at *cursor, which moves behind it; false and unmoved otherwise.
bool fw__text_integer(char ** cursor, int32_t min, int32_t max, int32_t * value);
// Moves *cursor behind `word` if it stands there.
bool fw__text_skip(char ** cursor, const char * word);

#endif  // BASE__TEXT_H_
