// The one place in the library that prints and ends the process: a failed FW_ASSERT in a test build.

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef FLEETWEAVE_ASSERTS
_Noreturn void fw__assert_failed(const char * condition, const char * file, int line)
{
  (void)fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  abort();
}
#else
extern int fw__assert_unit_is_not_empty;  // ISO C wants a declaration in every translation unit
#endif
