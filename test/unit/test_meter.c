// The meter: counts exactly, checks the clock and the cancel callback now and then, stays stopped.

#include "base/meter.h"

#include "support/test.h"

static bool count_and_cancel_at_three(void * state)
{
  int32_t * asked = state;
  return ++*asked >= 3;
}

static void without_a_budget_it_never_stops(void ** state)
{
  (void)state;
  fw_meter_t meter;
  fw__meter_start(&meter, NULL);
  for (int32_t i = 0; i < 10000; ++i) {
    assert_false(fw__meter_add(&meter, 1));
  }
  assert_int_equal(meter.expanded, 10000);
  assert_int_equal(meter.stop, FW_STOP_DONE);
}

static void a_count_stops_at_that_very_count(void ** state)
{
  (void)state;
  const int64_t limits[] = {1, 2, 255, 256, 257, 1000};
  for (int32_t i = 0; i < TEST_COUNT(limits); ++i) {
    fw_meter_t meter;
    fw__meter_start(&meter, &(fw_budget_t){.expansions_max = limits[i]});
    for (int64_t n = 1; n < limits[i]; ++n) {
      assert_false(fw__meter_add(&meter, 1));
    }
    assert_true(fw__meter_add(&meter, 1));
    assert_int_equal(meter.stop, FW_STOP_EXPANSIONS);
    assert_true(fw__meter_add(&meter, 1));  // and stays stopped
    assert_true(fw__meter_has_stopped(&meter));
  }
}

static void counts_may_come_in_lumps(void ** state)
{
  (void)state;
  fw_meter_t meter;
  fw__meter_start(&meter, &(fw_budget_t){.expansions_max = 1000});
  assert_false(fw__meter_add(&meter, 999));
  assert_true(fw__meter_add(&meter, 500));
  assert_int_equal(meter.expanded, 1499);
}

static void a_deadline_in_the_past_stops_before_the_first_count(void ** state)
{
  (void)state;
  fw_meter_t meter;
  fw__meter_start(&meter, &(fw_budget_t){.deadline_ns = fw_clock_now_ns() - 1});
  assert_true(fw__meter_has_stopped(&meter));
  assert_int_equal(meter.stop, FW_STOP_DEADLINE);
}

static void a_deadline_far_away_does_not_stop(void ** state)
{
  (void)state;
  fw_meter_t meter;
  fw__meter_start(&meter, &(fw_budget_t){.deadline_ns = INT64_MAX});
  assert_false(fw__meter_add(&meter, 100000));
}

static void the_callers_callback_is_asked_every_stride(void ** state)
{
  (void)state;
  int32_t asked = 0;
  fw_meter_t meter;
  fw__meter_start(&meter, &(fw_budget_t){.is_cancelled = count_and_cancel_at_three, .cancel_state = &asked});
  int32_t added = 0;
  while (!fw__meter_add(&meter, 1)) {
    ++added;
    assert_in_range(added, 0, 2 * FW_METER_STRIDE);
  }
  assert_int_equal(asked, 3);
  assert_int_equal(meter.expanded, 2 * FW_METER_STRIDE);
  assert_int_equal(meter.stop, FW_STOP_CANCELLED);
}

static void the_first_reason_stands(void ** state)
{
  (void)state;
  fw_meter_t meter;
  fw__meter_start(&meter, NULL);
  fw__meter_stop(&meter, FW_STOP_MEMORY);
  fw__meter_stop(&meter, FW_STOP_CANCELLED);
  assert_int_equal(meter.stop, FW_STOP_MEMORY);
  assert_true(fw__meter_add(&meter, 1));
}

static void the_clock_does_not_go_back(void ** state)
{
  (void)state;
  int64_t last = fw_clock_now_ns();
  for (int32_t i = 0; i < 1000; ++i) {
    const int64_t now = fw_clock_now_ns();
    assert_true(now >= last);
    last = now;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(without_a_budget_it_never_stops),
    cmocka_unit_test(a_count_stops_at_that_very_count),
    cmocka_unit_test(counts_may_come_in_lumps),
    cmocka_unit_test(a_deadline_in_the_past_stops_before_the_first_count),
    cmocka_unit_test(a_deadline_far_away_does_not_stop),
    cmocka_unit_test(the_callers_callback_is_asked_every_stride),
    cmocka_unit_test(the_first_reason_stands),
    cmocka_unit_test(the_clock_does_not_go_back),
  };
  return TEST_RUN(tests);
}
