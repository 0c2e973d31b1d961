// The text reader: any line ending, a missing last newline, zero bytes.

#include "base/text.h"

#include <unistd.h>

#include "support/temp_file.h"
#include "support/tally.h"
#include "support/test.h"

typedef struct lines_t {
  const char * bytes;
  size_t size;
  const char * expected[8];  // until NULL
} lines_t;

#define LINES(text, ...)                    \
  {                                         \
    text, sizeof(text) - 1, { __VA_ARGS__ } \
  }

static void lines_end_in_any_way(void ** state)
{
  (void)state;
  const lines_t cases[] = {
    LINES("one\ntwo\n", "one", "two"),
    LINES("one\r\ntwo\r\n", "one", "two"),
    LINES("one\rtwo\r", "one", "two"),
    LINES("one\ntwo", "one", "two"),
    LINES("one\r\n\r\ntwo", "one", "", "two"),
    LINES("one\r\rtwo\n\nthree\r\n", "one", "", "two", "", "three"),
    LINES("\n", ""),
    LINES("", NULL),
    LINES("one\0two\nthree", "one", "two", "three"),
    LINES("one\0", "one"),
    LINES("\0\0x", "", "", "x"),
    LINES("end\r", "end"),
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    temp_file_t scrap;
    temp_file_write(&scrap, cases[i].bytes, cases[i].size);
    fw_text_t text;
    assert_int_equal(fw__text_open(&text, scrap.path, NULL, NULL), FW_RET_OK);
    int32_t number = 0;
    for (; cases[i].expected[number] != NULL; ++number) {
      const char * line = fw__text_line(&text);
      assert_non_null(line);
      assert_string_equal(line, cases[i].expected[number]);
      assert_int_equal(text.line_number, number + 1);
    }
    assert_null(fw__text_line(&text));
    assert_null(fw__text_line(&text));
    fw__text_close(&text);
    fw__text_close(&text);
    temp_file_remove(&scrap);
  }
}

static void blank_lines_are_passed_over_but_counted(void ** state)
{
  (void)state;
  temp_file_t scrap;
  temp_file_write_text(&scrap, "\n \t\nword\n\n  \n");
  fw_text_t text;
  assert_int_equal(fw__text_open(&text, scrap.path, NULL, NULL), FW_RET_OK);
  assert_string_equal(fw__text_line_nonblank(&text), "word");
  assert_int_equal(text.line_number, 3);
  assert_null(fw__text_line_nonblank(&text));
  fw__text_close(&text);
  temp_file_remove(&scrap);
}

static void a_long_file_comes_whole(void ** state)
{
  (void)state;
  tally_t tally = {0};
  const fw_allocator_t allocator = tally_allocator(&tally);
  const size_t sizes[] = {64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 300 * 1000};
  for (int32_t i = 0; i < TEST_COUNT(sizes); ++i) {
    char * bytes = malloc(sizes[i]);
    memset(bytes, 'x', sizes[i]);
    temp_file_t scrap;
    temp_file_write(&scrap, bytes, sizes[i]);
    fw_text_t text;
    assert_int_equal(fw__text_open(&text, scrap.path, &allocator, NULL), FW_RET_OK);
    assert_int_equal(strlen(fw__text_line(&text)), sizes[i]);
    assert_null(fw__text_line(&text));
    fw__text_close(&text);
    assert_int_equal(tally.live, 0);
    free(bytes);
    temp_file_remove(&scrap);
  }
}

// The file has a length and no content: nothing of it is read.
static void a_file_that_is_too_large_is_refused(void ** state)
{
  (void)state;
  temp_file_t scrap;
  fw_text_t text;
  fw_error_t error = {0};
  temp_file_write(&scrap, "x", 1);
  assert_int_equal(truncate(scrap.path, (off_t)(1 << 30) + 1), 0);
  assert_int_equal(fw__text_open(&text, scrap.path, NULL, &error), FW_RET_FILE);
  assert_non_null(strstr(error.text, "the file is larger than 1 GiB, the most that can be read"));
  temp_file_remove(&scrap);
}

static void a_missing_file_and_a_folder_are_told_apart(void ** state)
{
  (void)state;
  fw_text_t text;
  fw_error_t error = {0};
  assert_int_equal(fw__text_open(&text, "no/such/file", NULL, &error), FW_RET_NOT_FOUND);
  assert_non_null(strstr(error.text, "no/such/file"));
  assert_int_equal(fw__text_open(&text, "/", NULL, &error), FW_RET_FILE);
}

static void an_error_names_file_and_line_even_when_both_are_long(void ** state)
{
  (void)state;
  char path[400];
  memset(path, 'd', sizeof(path));
  memcpy(path + sizeof(path) - 10, "/name.map", 10);
  const fw_text_t text = {.path = path, .line_number = 1234567};
  char what[300];
  memset(what, 'w', sizeof(what));
  what[sizeof(what) - 1] = '\0';
  fw_error_t error;
  assert_int_equal(fw__text_error(&text, &error, "%s", what), FW_RET_FILE);
  assert_non_null(strstr(error.text, "/name.map:1234567: www"));
  assert_int_equal(error.robot, -1);
  assert_int_equal(error.cell, FW_CELL_NONE);
}

static void numbers_stay_within_their_bounds(void ** state)
{
  (void)state;
  char buffer[] = "12x-3 99999999999999999999 abc";
  char * cursor = buffer;
  int32_t value = 0;
  assert_true(fw__text_integer(&cursor, 0, 100, &value));
  assert_int_equal(value, 12);
  assert_true(fw__text_skip(&cursor, "x"));
  char * here = cursor;
  assert_false(fw__text_integer(&cursor, 0, 100, &value));
  assert_ptr_equal(cursor, here);
  assert_int_equal(value, 12);
  assert_true(fw__text_integer(&cursor, -3, 100, &value));
  assert_int_equal(value, -3);
  assert_false(fw__text_integer(&cursor, INT32_MIN, INT32_MAX, &value));
  assert_true(fw__text_skip(&cursor, " 99999999999999999999 "));
  assert_false(fw__text_integer(&cursor, INT32_MIN, INT32_MAX, &value));
  assert_false(fw__text_skip(&cursor, "abd"));
  assert_true(fw__text_skip(&cursor, "abc"));
  assert_false(fw__text_integer(&cursor, INT32_MIN, INT32_MAX, &value));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lines_end_in_any_way),
    cmocka_unit_test(blank_lines_are_passed_over_but_counted),
    cmocka_unit_test(a_long_file_comes_whole),
    cmocka_unit_test(a_file_that_is_too_large_is_refused),
    cmocka_unit_test(a_missing_file_and_a_folder_are_told_apart),
    cmocka_unit_test(an_error_names_file_and_line_even_when_both_are_long),
    cmocka_unit_test(numbers_stay_within_their_bounds),
  };
  return TEST_RUN(tests);
}
