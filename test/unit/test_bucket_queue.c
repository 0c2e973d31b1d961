// The bucket queue against a list that is searched from end to end.

#include "base/bucket_queue.h"

#include "base/rng.h"
#include "support/test.h"

enum { LIST_MAX = 4096 };

typedef struct naive_t {
  int64_t key[LIST_MAX];
  int32_t value[LIST_MAX];
  int32_t count;
} naive_t;

typedef struct fixture_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_bucket_queue_t queue;
} fixture_t;

static void begin(fixture_t * f, size_t max_bytes)
{
  f->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = max_bytes};
  fw__arena_init(&f->arena, &f->memory);
  fw__bucket_queue_init(&f->queue, &f->arena);
}

static void push_both(fixture_t * f, naive_t * naive, int64_t key, int32_t value)
{
  assert_true(fw__bucket_queue_push(&f->queue, key, value, value ^ 0x55));
  naive->key[naive->count] = key;
  naive->value[naive->count++] = value;
}

// The smallest key; of equals the one that came last.
static void pop_both(fixture_t * f, naive_t * naive)
{
  int32_t best = -1;
  for (int32_t i = 0; i < naive->count; ++i) {
    if (best < 0 || naive->key[i] <= naive->key[best]) {
      best = i;
    }
  }
  int32_t value = -1, tag = -1;
  int64_t key = -1;
  assert_int_equal(fw__bucket_queue_pop(&f->queue, &value, &tag, &key), best >= 0);
  if (best < 0) {
    return;
  }
  assert_true(key == naive->key[best]);
  assert_int_equal(value, naive->value[best]);
  assert_int_equal(tag, value ^ 0x55);
  for (int32_t i = best; i + 1 < naive->count; ++i) {
    naive->key[i] = naive->key[i + 1];
    naive->value[i] = naive->value[i + 1];
  }
  --naive->count;
}

// Keys drift up and down, now and then they jump far to either side.
static void agrees_with_a_naive_queue(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(60); ++round) {
    fixture_t f;
    begin(&f, SIZE_MAX);
    fw_rng_t rng = fw__rng((uint64_t)round);
    naive_t naive = {.count = 0};
    int64_t drift = fw__rng_below(&rng, 2000) - 1000;
    for (int32_t step = 0; step < 1500; ++step) {
      const int32_t dice = fw__rng_below(&rng, 100);
      if (dice == 0) {
        fw__bucket_queue_clear(&f.queue);
        naive.count = 0;
      } else if (dice < 3) {
        drift += fw__rng_below(&rng, 4000) - 2000;
      } else if (dice < 55 && naive.count < LIST_MAX) {
        push_both(&f, &naive, drift + fw__rng_below(&rng, 21) - 10, step);
      } else {
        pop_both(&f, &naive);
      }
      drift += fw__rng_below(&rng, 5) - 2;
      assert_int_equal(f.queue.size, naive.count);
    }
    while (naive.count > 0) {
      pop_both(&f, &naive);
    }
    pop_both(&f, &naive);
    fw__arena_fini(&f.arena);
  }
}

static void equal_keys_come_out_last_in_first_out(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, SIZE_MAX);
  for (int32_t i = 0; i < 5; ++i) {
    assert_true(fw__bucket_queue_push(&f.queue, 7, i, 0));
  }
  for (int32_t i = 4; i >= 0; --i) {
    int32_t value, tag;
    int64_t key;
    assert_true(fw__bucket_queue_pop(&f.queue, &value, &tag, &key));
    assert_int_equal(value, i);
  }
  fw__arena_fini(&f.arena);
}

static void memory_is_used_again_after_clear_and_pop(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, SIZE_MAX);
  size_t used = 0;
  for (int32_t round = 0; round < 50; ++round) {
    for (int32_t i = 0; i < 300; ++i) {
      assert_true(fw__bucket_queue_push(&f.queue, i % 100, i, 0));
    }
    int32_t value, tag;
    int64_t key;
    while (round % 2 == 0 && fw__bucket_queue_pop(&f.queue, &value, &tag, &key)) {}
    fw__bucket_queue_clear(&f.queue);
    if (round == 0) {
      used = f.memory.used_bytes;
    }
    assert_int_equal(f.memory.used_bytes, used);
  }
  assert_int_equal(f.queue.item_capacity, 512);
  fw__arena_fini(&f.arena);
}

static void without_memory_or_with_keys_too_far_apart_it_says_so(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, 100);
  assert_false(fw__bucket_queue_push(&f.queue, 0, 0, 0));
  fw__arena_fini(&f.arena);
  begin(&f, SIZE_MAX);
  assert_true(fw__bucket_queue_push(&f.queue, 0, 1, 0));
  assert_false(fw__bucket_queue_push(&f.queue, INT64_C(1) << 40, 2, 0));
  int32_t value, tag;
  int64_t key;
  assert_true(fw__bucket_queue_pop(&f.queue, &value, &tag, &key));
  assert_int_equal(value, 1);
  fw__arena_fini(&f.arena);
}

static void a_corrupted_queue_is_found(void ** state)
{
  (void)state;
  fixture_t f;
  int32_t value, tag;
  int64_t key;
  begin(&f, SIZE_MAX);
  for (int32_t i = 0; i < 20; ++i) {
    assert_true(fw__bucket_queue_push(&f.queue, 100 + i % 5, i, 0));
  }
  assert_true(fw__bucket_queue_pop(&f.queue, &value, &tag, &key));
  assert_true(fw__bucket_queue_validate(&f.queue));
  const fw_bucket_queue_t whole = f.queue;
  f.queue.size = 18;  // an item too many
  assert_false(fw__bucket_queue_validate(&f.queue));
  f.queue = whole;
  f.queue.highest = f.queue.lowest;  // items above the highest bucket
  assert_false(fw__bucket_queue_validate(&f.queue));
  f.queue = whole;
  const int32_t next = f.queue.items[3].next;
  f.queue.items[3].next = 3;  // a cycle
  assert_false(fw__bucket_queue_validate(&f.queue));
  f.queue.items[3].next = next;
  f.queue.unused = -1;  // the popped item is lost
  assert_false(fw__bucket_queue_validate(&f.queue));
  f.queue = whole;
  assert_true(fw__bucket_queue_validate(&f.queue));
  fw__arena_fini(&f.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(agrees_with_a_naive_queue),
    cmocka_unit_test(equal_keys_come_out_last_in_first_out),
    cmocka_unit_test(memory_is_used_again_after_clear_and_pop),
    cmocka_unit_test(without_memory_or_with_keys_too_far_apart_it_says_so),
    cmocka_unit_test(a_corrupted_queue_is_found),
  };
  return TEST_RUN(tests);
}
