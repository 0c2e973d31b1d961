// The GPU library, real or stub, links and says which it is.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "fleetweave_cuda.h"

static void status_is_one_constant_line(void ** state)
{
  (void)state;
  const char * status = fw__cuda_status();
  assert_ptr_equal(strstr(status, "built with"), status);
  assert_null(strchr(status, '\n'));
  assert_ptr_equal(fw__cuda_status(), status);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(status_is_one_constant_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
