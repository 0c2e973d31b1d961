// Random numbers: the same on every machine.

#include "base/rng.h"

#include "support/test.h"

// The first outputs of splitmix64 as its authors' reference program prints them for seed 1234567.
static void numbers_are_those_of_splitmix64(void ** state)
{
  (void)state;
  static const uint64_t expected[] = {
    UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
    UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
  fw_rng_t rng = fw__rng(1234567);
  for (int32_t i = 0; i < TEST_COUNT(expected); ++i) {
    assert_true(fw__rng_next(&rng) == expected[i]);
  }
}

static void numbers_below_a_bound_are_even_and_known(void ** state)
{
  (void)state;
  static const int32_t expected[] = {883, 431, 26, 970, 106};
  fw_rng_t known = fw__rng(0);
  for (int32_t i = 0; i < TEST_COUNT(expected); ++i) {
    assert_int_equal(fw__rng_below(&known, 1000), expected[i]);
  }
  fw_rng_t rng = fw__rng(5);
  int32_t counts[10] = {0};
  for (int32_t i = 0; i < 100000; ++i) {
    ++counts[fw__rng_below(&rng, 10)];
  }
  for (int32_t i = 0; i < 10; ++i) {
    assert_in_range(counts[i], 9500, 10500);
  }
  assert_int_equal(fw__rng_below(&rng, 1), 0);
  assert_in_range(fw__rng_below(&rng, INT32_MAX), 0, INT32_MAX - 1);
}

static void a_shuffle_is_a_permutation_and_known(void ** state)
{
  (void)state;
  static const int32_t expected[] = {4, 3, 2, 0, 7, 6, 1, 5};
  int32_t items[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  fw_rng_t rng = fw__rng(42);
  fw__rng_shuffle(&rng, items, 8);
  int32_t seen = 0;
  for (int32_t i = 0; i < 8; ++i) {
    seen |= 1 << items[i];
  }
  assert_int_equal(seen, 255);
  assert_memory_equal(items, expected, sizeof(items));
  fw__rng_shuffle(&rng, items, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_are_those_of_splitmix64),
    cmocka_unit_test(numbers_below_a_bound_are_even_and_known),
    cmocka_unit_test(a_shuffle_is_a_permutation_and_known),
  };
  return TEST_RUN(tests);
}
