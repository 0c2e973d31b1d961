// Small files for tests of readers and writers, in the system's temporary place, removed when closed.

#ifndef SUPPORT__SCRAP_H_
#define SUPPORT__SCRAP_H_

#include <stddef.h>
#include <stdio.h>

typedef struct scrap_t {
  char path[256];
} scrap_t;

// A new file with these bytes.
void scrap_write(scrap_t * scrap, const void * bytes, size_t size);
void scrap_text(scrap_t * scrap, const char * text);
// A new, empty file, open for writing; close it yourself.
FILE * scrap_open(scrap_t * scrap);
// The file's bytes with a zero behind, in `text`; returns their number.
size_t scrap_read(const scrap_t * scrap, char * text, size_t text_size);
void scrap_remove(scrap_t * scrap);

#endif  // SUPPORT__SCRAP_H_
