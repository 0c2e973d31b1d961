// The open list: items come out by f, ties by the larger g, and a heap that is out of order is found.

#include "search/heap.h"

#include "base/rng.h"
#include "support/test.h"

static void items_come_out_in_order(void ** state)
{
  (void)state;
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  for (int32_t round = 0; round < test_rounds(50); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_heap_t heap;
    fw__heap_init(&heap, &arena);
    const int32_t count = 1 + fw__rng_below(&rng, 200);
    for (int32_t i = 0; i < count; ++i) {
      assert_true(fw__heap_push(&heap, fw__rng_below(&rng, 30), fw__rng_below(&rng, 30), i));
      assert_true(fw__heap_validate(&heap));
    }
    assert_int_equal(heap.peak, count);
    uint64_t last = 0;
    for (int32_t i = 0; i < count; ++i) {
      const fw_heap_item_t item = fw__heap_pop(&heap);
      assert_true(item.key >= last);
      assert_true(fw__heap_validate(&heap));
      last = item.key;
    }
    assert_int_equal(heap.count, 0);
  }
  fw__arena_fini(&arena);
}

static void equal_f_prefers_the_larger_g(void ** state)
{
  (void)state;
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw_heap_t heap;
  fw__arena_init(&arena, &memory);
  fw__heap_init(&heap, &arena);
  assert_true(fw__heap_push(&heap, 7, 2, 0) && fw__heap_push(&heap, 7, 5, 1) && fw__heap_push(&heap, 6, 0, 2));
  assert_int_equal(fw__heap_pop(&heap).node, 2);
  assert_int_equal(fw__heap_pop(&heap).node, 1);
  assert_int_equal(fw__heap_pop(&heap).node, 0);
  fw__arena_fini(&arena);
}

static void a_corrupted_heap_is_found(void ** state)
{
  (void)state;
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw_heap_t heap;
  fw__arena_init(&arena, &memory);
  fw__heap_init(&heap, &arena);
  for (int32_t i = 0; i < 20; ++i) {
    assert_true(fw__heap_push(&heap, 10 + i, i, i));
  }
  assert_true(fw__heap_validate(&heap));
  const fw_heap_item_t last = heap.items[19];
  heap.items[19].key = 0;  // before its parent
  assert_false(fw__heap_validate(&heap));
  heap.items[19] = last;
  heap.items[19].g += 1;  // not the g of its key
  assert_false(fw__heap_validate(&heap));
  heap.items[19] = last;
  heap.count = heap.capacity + 1;
  assert_false(fw__heap_validate(&heap));
  heap.count = 20;
  assert_true(fw__heap_validate(&heap));
  fw__arena_fini(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(items_come_out_in_order),
    cmocka_unit_test(equal_f_prefers_the_larger_g),
    cmocka_unit_test(a_corrupted_heap_is_found),
  };
  return TEST_RUN(tests);
}
