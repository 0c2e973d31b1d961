// A planner whose arenas have grown makes no heap call at all, not even around the caller's allocator.
//
// The allocator of the options is only one path to the heap, so malloc itself is counted here. This works with glibc
// and without sanitizers, which bring their own malloc; elsewhere the test is skipped.

#include "fleetweave/planner_def.h"
#include "support/planner_features.h"
#include "support/test.h"
#include "support/world.h"

#if defined(__has_feature)  // clang has no macro for what gcc has one
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER
#endif

#if defined(__GLIBC__) && !defined(HAS_ADDRESS_SANITIZER)
#define CAN_COUNT true

static int64_t heap_calls;

void * __libc_malloc(size_t size_bytes);
void * __libc_calloc(size_t count, size_t size_bytes);
void * __libc_realloc(void * pointer, size_t size_bytes);

void * malloc(size_t size_bytes)
{
  ++heap_calls;
  return __libc_malloc(size_bytes);
}

void * calloc(size_t count, size_t size_bytes)
{
  ++heap_calls;
  return __libc_calloc(count, size_bytes);
}

void * realloc(void * pointer, size_t size_bytes)
{
  ++heap_calls;
  return __libc_realloc(pointer, size_bytes);
}

static int64_t count_calls(void) { return heap_calls; }
#else
#define CAN_COUNT false
static int64_t count_calls(void) { return 0; }
#endif

static void a_warm_planner_makes_no_heap_call(void ** state)
{
  (void)state;
  if (!CAN_COUNT) {
    skip();
  }
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    for (uint64_t number = 0; number < 10; ++number) {
      world_t world;
      const int32_t features =
        (number % 3 == 0 ? WORLD_MOTION | WORLD_UNDER_WAY : WORLD_ALL) | (number % 2 == 0 ? WORLD_CLOSURES : 0);
      world_make(&world, 1200 + number, planner_features_within(fw_planner_def_at(i), features), 12);
      const fw_budget_t budget = {.expansions_max = 20000};
      fw_planner_t planner;
      fw_plan_t plan;
      const int64_t cold = count_calls();
      assert_int_equal(fw_planner_init(&planner, fw_planner_def_at(i)->name, NULL, NULL), FW_RET_OK);
      assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
      assert_true(count_calls() > cold);  // counting works
      const int64_t warm = count_calls();
      const fw_ret_t ret = fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL);
      assert_int_equal(count_calls() - warm, 0);
      assert_int_equal(ret, FW_RET_OK);
      fw_planner_fini(&planner);
      world_fini(&world);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_warm_planner_makes_no_heap_call)};
  return TEST_RUN(tests);
}
