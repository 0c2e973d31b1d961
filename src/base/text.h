// Reading a text file line by line, with any line ending, and numbers and words out of a line.

#ifndef BASE__TEXT_H_
#define BASE__TEXT_H_

#include "base/memory.h"

typedef struct fw_text_t {
  const char * path;  // borrowed, for error texts
  char * data;        // the whole file and a zero behind it
  char * cursor;      // the beginning of the next line
  char * end;
  int32_t line_number;  // of the line that was returned last, from 1
  fw_allocator_t allocator;
} fw_text_t;

// Reads the whole file, of at most 1 GiB. FW_RET_NOT_FOUND if it does not exist, FW_RET_FILE if it cannot be read.
FW_MUST_USE fw_ret_t
fw__text_open(fw_text_t * text, const char * path, const fw_allocator_t * allocator, fw_error_t * error);
void fw__text_close(fw_text_t * text);

// The next line without its ending, NULL after the last. Overwrites the ending in memory; valid until close.
char * fw__text_line(fw_text_t * text);
// The next line that is not blank.
char * fw__text_line_nonblank(fw_text_t * text);

// Fills `error` with "FILE:LINE: …" for the line that was returned last. Returns FW_RET_FILE.
fw_ret_t fw__text_error(const fw_text_t * text, fw_error_t * error, const char * format, ...) FW_PRINTF(3, 4);

// Reads an integer in [min, max] at *cursor and moves *cursor behind it. False, and *cursor unmoved, otherwise.
bool fw__text_integer(char ** cursor, int32_t min, int32_t max, int32_t * value);
// Moves *cursor behind `word` if the text continues with it; false otherwise.
bool fw__text_skip(char ** cursor, const char * word);
// The first character from `cursor` on that is neither a space nor a tab.
char * fw__text_skip_blanks(char * cursor);
// Whether a field separated by blanks ends at this character.
bool fw__text_is_field_end(char c);

#endif  // BASE__TEXT_H_
