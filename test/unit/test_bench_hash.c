// The hash table of (x, y, t) in `bench table` answers like a plain array, so that the comparison is fair.

#include "base/rng.h"
#include "bench/table_hash.h"
#include "support/test.h"

enum { CELLS = 37, TICKS = 29, ACTIONS = 200000 };

static void assert_same(const bench_hash_t * hash, int32_t owners[CELLS][TICKS])
{
  int64_t count = 0;
  for (int32_t cell = 0; cell < CELLS; ++cell) {
    for (int32_t tick = 0; tick < TICKS; ++tick) {
      assert_int_equal(bench_hash_owner(hash, cell, tick), owners[cell][tick]);
      count += owners[cell][tick] >= 0 ? 1 : 0;
    }
  }
  assert_int_equal(hash->count, count);
}

static void empty_array(int32_t owners[CELLS][TICKS])
{
  for (int32_t cell = 0; cell < CELLS; ++cell) {
    for (int32_t tick = 0; tick < TICKS; ++tick) {
      owners[cell][tick] = -1;
    }
  }
}

// Fills and empties in waves, so that chains grow long, wrap around the end and are cut in the middle.
static void it_answers_like_an_array(void ** state)
{
  (void)state;
  static int32_t owners[CELLS][TICKS];
  bench_hash_t hash = {0};
  fw_rng_t rng = fw__rng(7);
  empty_array(owners);
  assert_same(&hash, owners);
  for (int32_t i = 0; i < ACTIONS; ++i) {
    const int32_t cell = fw__rng_below(&rng, CELLS);
    const int32_t tick = fw__rng_below(&rng, TICKS);
    const bool is_filling = i / 5000 % 2 == 0;
    if (fw__rng_below(&rng, 8) < (is_filling ? 6 : 2)) {
      owners[cell][tick] = fw__rng_below(&rng, 1000);
      assert_true(bench_hash_insert(&hash, cell, tick, owners[cell][tick]));
    } else {
      owners[cell][tick] = -1;
      bench_hash_remove(&hash, cell, tick);
    }
    if (i % 500 == 0) {
      assert_same(&hash, owners);
    }
  }
  bench_hash_fini(&hash);
}

static void it_is_empty_after_everything_was_removed(void ** state)
{
  (void)state;
  static int32_t owners[CELLS][TICKS];
  bench_hash_t hash = {0};
  empty_array(owners);
  for (int32_t i = 0; i < CELLS * TICKS; ++i) {
    assert_true(bench_hash_insert(&hash, i / TICKS, i % TICKS, i));
  }
  assert_true((uint64_t)hash.count * 8 <= bench_hash_capacity(&hash) * 5);
  for (int32_t i = 0; i < CELLS * TICKS; ++i) {
    bench_hash_remove(&hash, i / TICKS, i % TICKS);
  }
  assert_same(&hash, owners);
  for (uint64_t i = 0; i < bench_hash_capacity(&hash); ++i) {
    assert_int_equal(hash.slots[i].robot, -1);  // no tombstones
  }
  bench_hash_fini(&hash);
  assert_int_equal(bench_hash_bytes(&hash), 0);
}

// Cells and ticks of a straight run are what paths are made of: they must not fall into each other's slots.
static void runs_of_cells_and_ticks_are_spread(void ** state)
{
  (void)state;
  bench_hash_t hash = {0};
  for (int32_t robot = 0; robot < 64; ++robot) {
    for (int32_t tick = 0; tick < 512; ++tick) {
      assert_true(bench_hash_insert(&hash, robot * 161 + tick, tick, robot));
    }
  }
  uint64_t steps = 0;
  for (int32_t robot = 0; robot < 64; ++robot) {
    for (int32_t tick = 0; tick < 512; ++tick) {
      const uint64_t mask = bench_hash_capacity(&hash) - 1;
      steps +=
        (bench_hash_slot(&hash, robot * 161 + tick, tick) - bench_hash_home(&hash, robot * 161 + tick, tick)) & mask;
    }
  }
  assert_true(steps < 64 * 512);  // half full by chance: 0.5 on average
  bench_hash_fini(&hash);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_answers_like_an_array),
    cmocka_unit_test(it_is_empty_after_everything_was_removed),
    cmocka_unit_test(runs_of_cells_and_ticks_are_spread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
