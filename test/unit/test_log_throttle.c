// Log lines of one source are limited, those of others are not, and the last line of each is written in the end.

#include <stdio.h>

#include "base/log_throttle.h"
#include "support/test.h"

static const int64_t SECOND_NS = 1000000000;

static fw_log_throttle_t throttle;

static int end_throttle(void ** state)
{
  (void)state;
  fw__log_throttle_fini(&throttle);
  return 0;
}

static bool admits(const char * text, int64_t now_ns) { return fw__log_throttle_admits(&throttle, 2, text, now_ns); }

static void a_source_writes_ten_lines_at_once_and_one_per_second(void ** state)
{
  (void)state;
  for (int32_t k = 0; k < FW_LOG_LINES_AT_ONCE; ++k) {
    assert_true(admits("a: error 202: x", 5 * SECOND_NS));
  }
  assert_false(admits("a: error 202: x", 5 * SECOND_NS));
  assert_false(admits("a: another text", 5 * SECOND_NS));
  assert_true(admits("b: error 202: x", 5 * SECOND_NS));
  assert_true(admits("map refused: x", 5 * SECOND_NS));
  // A thousand lines per second for a minute: one of them per second is written.
  int32_t written = 0;
  for (int32_t k = 0; k < 60000; ++k) {
    const int64_t now_ns = 5 * SECOND_NS + (k + 1) * (SECOND_NS / 1000);
    written += admits("a: error 202: x", now_ns) ? 1 : 0;
    written += fw__log_throttle_next(&throttle, now_ns, false) != NULL ? 1 : 0;
  }
  assert_in_range(written, 59, 61);
}

static void the_last_line_is_written_with_the_number_of_those_left_out(void ** state)
{
  (void)state;
  char text[32];
  for (int32_t k = 0; k < 100; ++k) {
    (void)snprintf(text, sizeof text, "a: line %d", k);
    assert_int_equal(admits(text, 0), k < FW_LOG_LINES_AT_ONCE);
  }
  assert_null(fw__log_throttle_next(&throttle, SECOND_NS - 1, false));
  const fw_held_line_t * line = fw__log_throttle_next(&throttle, SECOND_NS, false);
  assert_non_null(line);
  assert_string_equal(line->text, "a: line 99");
  assert_int_equal(line->left_out, 100 - FW_LOG_LINES_AT_ONCE - 1);
  assert_int_equal(line->level, 2);
  assert_null(fw__log_throttle_next(&throttle, 100 * SECOND_NS, false));
  // The count begins anew.
  for (int32_t k = 0; k < FW_LOG_LINES_AT_ONCE; ++k) {
    assert_true(admits("a: x", 100 * SECOND_NS));
  }
  assert_false(admits("a: y", 100 * SECOND_NS));
  line = fw__log_throttle_next(&throttle, 101 * SECOND_NS, false);
  assert_string_equal(line->text, "a: y");
  assert_int_equal(line->left_out, 0);
}

static void lines_keep_their_order(void ** state)
{
  (void)state;
  for (int32_t k = 0; k < FW_LOG_LINES_AT_ONCE; ++k) {
    assert_true(admits("a: x", 0));
  }
  assert_false(admits("a: first", 0));
  assert_false(admits("a: second", 3 * SECOND_NS));  // there are tokens again, but a line is held back
  const fw_held_line_t * line = fw__log_throttle_next(&throttle, 3 * SECOND_NS, false);
  assert_string_equal(line->text, "a: second");
  assert_int_equal(line->left_out, 1);
  assert_true(admits("a: third", 3 * SECOND_NS));
}

static void every_source_gets_its_turn_and_the_end_writes_all(void ** state)
{
  (void)state;
  char text[32];
  for (int32_t robot = 0; robot < 50; ++robot) {
    (void)snprintf(text, sizeof text, "robot_%d: x", robot);
    for (int32_t k = 0; k < 2 * FW_LOG_LINES_AT_ONCE; ++k) {
      (void)admits(text, 0);
    }
  }
  int32_t due = 0;
  assert_null(fw__log_throttle_next(&throttle, 0, false));
  while (fw__log_throttle_next(&throttle, 0, true) != NULL) {
    due += 1;
  }
  assert_in_range(due, 45, 50);  // a few may share a bucket
  assert_null(fw__log_throttle_next(&throttle, 0, true));
}

static void a_long_line_is_cut(void ** state)
{
  (void)state;
  static char text[3 * FW_LOG_LINE_SIZE];
  memset(text, 'a', sizeof text - 1);
  for (int32_t k = 0; k < FW_LOG_LINES_AT_ONCE; ++k) {
    assert_true(admits(text, 0));
  }
  assert_false(admits(text, 0));
  assert_int_equal(strlen(fw__log_throttle_next(&throttle, 0, true)->text), FW_LOG_LINE_SIZE - 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(a_source_writes_ten_lines_at_once_and_one_per_second, end_throttle),
    cmocka_unit_test_teardown(the_last_line_is_written_with_the_number_of_those_left_out, end_throttle),
    cmocka_unit_test_teardown(lines_keep_their_order, end_throttle),
    cmocka_unit_test_teardown(every_source_gets_its_turn_and_the_end_writes_all, end_throttle),
    cmocka_unit_test_teardown(a_long_line_is_cut, end_throttle),
  };
  return TEST_RUN(tests);
}
