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

// `normal` random cases, fifty times as many when FLEETWEAVE_LONG is set.
static inline int32_t test_rounds(int32_t normal)
{
  const char * is_long = getenv("FLEETWEAVE_LONG");
  return is_long != NULL && is_long[0] != '\0' && is_long[0] != '0' ? normal * 50 : normal;
}

#define TEST_COUNT(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))
#define TEST_RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif  // SUPPORT__TEST_H_
