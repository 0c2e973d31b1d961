// The parallel loop: each item once, whatever the number of threads.

#include "base/parallel.h"

#include <stdatomic.h>

#include "support/test.h"

enum { ITEMS_MAX = 5000 };

typedef struct seen_t {
  int32_t times[ITEMS_MAX];  // each item writes only to its own place
  int32_t worker[ITEMS_MAX];
  atomic_int total;
} seen_t;

static void note(int32_t item, int32_t worker, void * state)
{
  seen_t * seen = state;
  ++seen->times[item];
  seen->worker[item] = worker;
  atomic_fetch_add(&seen->total, 1);
}

static void each_item_comes_once(void ** state)
{
  (void)state;
  static seen_t seen;
  const int32_t counts[] = {0, 1, 2, 7, 64, ITEMS_MAX};
  const int32_t threads[] = {1, 2, 3, 8, 64, 1000};
  for (int32_t i = 0; i < TEST_COUNT(counts) * TEST_COUNT(threads); ++i) {
    const int32_t count = counts[i % TEST_COUNT(counts)];
    const int32_t wanted = threads[i / TEST_COUNT(counts)];
    memset(seen.times, 0, sizeof(seen.times));
    atomic_init(&seen.total, 0);
    fw__parallel_for(count, wanted, note, &seen);
    assert_int_equal(atomic_load(&seen.total), count);
    for (int32_t item = 0; item < count; ++item) {
      assert_int_equal(seen.times[item], 1);
      assert_in_range(seen.worker[item], 0, (wanted < FW_PARALLEL_THREADS_MAX ? wanted : FW_PARALLEL_THREADS_MAX) - 1);
    }
  }
}

static void one_thread_goes_in_order_in_the_callers_own(void ** state)
{
  (void)state;
  static seen_t seen;
  fw__parallel_for(10, 1, note, &seen);
  for (int32_t item = 0; item < 10; ++item) {
    assert_int_equal(seen.worker[item], 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_item_comes_once),
    cmocka_unit_test(one_thread_goes_in_order_in_the_callers_own),
  };
  return TEST_RUN(tests);
}
