// Temporary files.

#include "support/temp_file.h"

#include <unistd.h>

#include "support/test.h"

FILE * temp_file_open(temp_file_t * temp)
{
  const char * folder = getenv("TMPDIR");
  (void)snprintf(temp->path, sizeof(temp->path), "%s/fleetweave-test-XXXXXX", folder != NULL ? folder : "/tmp");
  const int descriptor = mkstemp(temp->path);
  assert_true(descriptor >= 0);
  FILE * file = fdopen(descriptor, "wb");
  assert_non_null(file);
  return file;
}

void temp_file_write(temp_file_t * temp, const void * bytes, size_t size)
{
  FILE * file = temp_file_open(temp);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

void temp_file_write_text(temp_file_t * temp, const char * text) { temp_file_write(temp, text, strlen(text)); }

size_t temp_file_read(const temp_file_t * temp, char * text, size_t text_size)
{
  FILE * file = fopen(temp->path, "rb");
  assert_non_null(file);
  const size_t size = fread(text, 1, text_size - 1, file);
  assert_int_equal(fclose(file), 0);
  assert_in_range(size, 0, text_size - 2);
  text[size] = '\0';
  return size;
}

void temp_file_remove(temp_file_t * temp) { assert_int_equal(unlink(temp->path), 0); }
