// Included by every unit test: cmocka with the headers that it needs, and the number of random rounds.

#ifndef SUPPORT__TEST_H_
#define SUPPORT__TEST_H_

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
// clang-format on

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool test_is_set(const char * variable)
{
  const char * value = getenv(variable);
  return value != NULL && value[0] != '\0' && value[0] != '0';
}

// `normal` random cases, fifty times as many when FLEETWEAVE_LONG is set.
static inline int32_t test_rounds(int32_t normal) { return test_is_set("FLEETWEAVE_LONG") ? normal * 50 : normal; }

// The same for tests that take minutes; a quarter when FLEETWEAVE_SHORT is set, as it is with sanitizers, which make
// everything several times slower and only follow a run of all cases without them.
static inline int32_t test_many_rounds(int32_t normal)
{
  return test_is_set("FLEETWEAVE_SHORT") && !test_is_set("FLEETWEAVE_LONG") ? (normal + 3) / 4 : test_rounds(normal);
}

#define TEST_COUNT(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))
#define TEST_RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif  // SUPPORT__TEST_H_
