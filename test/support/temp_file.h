// Temporary files for tests of readers and writers, in $TMPDIR or /tmp.

#ifndef SUPPORT__TEMP_FILE_H_
#define SUPPORT__TEMP_FILE_H_

#include <stddef.h>
#include <stdio.h>

typedef struct temp_file_t {
  char path[256];
} temp_file_t;

// A new file with these bytes.
void temp_file_write(temp_file_t * temp, const void * bytes, size_t size);
void temp_file_write_text(temp_file_t * temp, const char * text);
// A new, empty file, open for writing; close it yourself.
FILE * temp_file_open(temp_file_t * temp);
// Reads the file into `text` and puts a zero behind it. Returns the number of bytes; fails if there is no room for all.
size_t temp_file_read(const temp_file_t * temp, char * text, size_t text_size);
void temp_file_remove(temp_file_t * temp);

#endif  // SUPPORT__TEMP_FILE_H_
