// Small files for tests of readers and writers, in the system's temporary place, removed when closed.

#ifndef SUPPORT__SCRAP_H_
#define SUPPORT__SCRAP_H_

#include <stddef.h>
#include <stdio.h>

typedef struct temp_file_t {
  char path[256];
} temp_file_t;

// A new file with these bytes.
void temp_file_write(temp_file_t * scrap, const void * bytes, size_t size);
void temp_file_write_text(temp_file_t * scrap, const char * text);
// A new, empty file, open for writing; close it yourself.
FILE * temp_file_open(temp_file_t * scrap);
// The file's bytes with a zero behind, in `text`; returns their number.
size_t temp_file_read(const temp_file_t * scrap, char * text, size_t text_size);
void temp_file_remove(temp_file_t * scrap);

#endif  // SUPPORT__SCRAP_H_
