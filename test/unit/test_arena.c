// The arena: aligned, kept over resets, within its limit; and the growing list in it.

#include "base/arena.h"

#include <stdalign.h>

#include "base/list.h"
#include "support/tally.h"
#include "support/test.h"

typedef struct fixture_t {
  tally_t tally;
  fw_memory_t memory;
  fw_arena_t arena;
} fixture_t;

static void begin(fixture_t * f, size_t max_bytes)
{
  *f = (fixture_t){0};
  f->memory = (fw_memory_t){.allocator = tally_allocator(&f->tally), .max_bytes = max_bytes};
  fw__arena_init(&f->arena, &f->memory);
}

static void end(fixture_t * f)
{
  fw__arena_fini(&f->arena);
  assert_int_equal(f->tally.live, 0);
  assert_int_equal(f->memory.used_bytes, 0);
  fw__arena_fini(&f->arena);  // empty: fine
}

// What a planner might allocate: many small arrays and a few that are larger than any block so far.
static void use(fw_arena_t * arena)
{
  for (int32_t i = 1; i < 300; ++i) {
    const size_t size = i % 60 == 0 ? (size_t)i * 4000 : (size_t)i * 7;
    unsigned char * bytes = fw__arena_allocate(arena, size, 1);
    assert_non_null(bytes);
    memset(bytes, i & 0xff, size);
  }
}

static void pieces_are_aligned_and_apart(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, SIZE_MAX);
  unsigned char * pieces[200];
  for (size_t i = 0; i < 200; ++i) {
    pieces[i] = fw__arena_allocate(&f.arena, i + 1, 3);
    assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
    memset(pieces[i], (int)i, (i + 1) * 3);
  }
  for (size_t i = 0; i < 200; ++i) {
    for (size_t j = 0; j < (i + 1) * 3; ++j) {
      assert_int_equal(pieces[i][j], i);
    }
  }
  end(&f);
}

static void the_same_use_after_a_reset_asks_for_nothing(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, SIZE_MAX);
  use(&f.arena);
  const int64_t calls = f.tally.calls;
  assert_true(calls > 1);
  for (int32_t i = 0; i < 3; ++i) {
    fw__arena_reset(&f.arena);
    use(&f.arena);
    assert_int_equal(f.tally.calls, calls);
  }
  end(&f);
}

static void zeroed_memory_is_zero_even_when_used_before(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, SIZE_MAX);
  memset(fw__arena_allocate(&f.arena, 100, 10), 0xff, 1000);
  fw__arena_reset(&f.arena);
  const unsigned char * bytes = fw__arena_allocate_zeroed(&f.arena, 100, 10);
  for (int32_t i = 0; i < 1000; ++i) {
    assert_int_equal(bytes[i], 0);
  }
  end(&f);
}

static void rewind_takes_back_what_came_after_the_mark(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, SIZE_MAX);
  const fw_arena_mark_t empty = fw__arena_mark(&f.arena);
  int32_t * kept = fw__arena_allocate(&f.arena, 4, sizeof(*kept));
  kept[3] = 77;
  const fw_arena_mark_t mark = fw__arena_mark(&f.arena);
  const void * after = fw__arena_allocate(&f.arena, 10, 10);
  use(&f.arena);
  const int64_t calls = f.tally.calls;
  fw__arena_rewind(&f.arena, mark);
  assert_ptr_equal(fw__arena_allocate(&f.arena, 10, 10), after);
  use(&f.arena);
  assert_int_equal(f.tally.calls, calls);
  assert_int_equal(kept[3], 77);
  fw__arena_rewind(&f.arena, empty);
  assert_ptr_equal(fw__arena_allocate(&f.arena, 4, sizeof(*kept)), kept);
  end(&f);
}

static void the_limit_is_kept_and_reached(void ** state)
{
  (void)state;
  enum { LIMIT = 300 * 1024 };
  fixture_t f;
  begin(&f, LIMIT);
  size_t total = 0;
  while (fw__arena_allocate(&f.arena, 1000, 1) != NULL) {
    total += 1000;
    assert_in_range(f.memory.used_bytes, 1, LIMIT);
  }
  assert_true(f.arena.has_failed);
  assert_true(total > LIMIT * 9 / 10);  // near the limit it takes just what is needed
  assert_in_range(f.memory.peak_bytes, total, LIMIT);
  fw__arena_reset(&f.arena);
  assert_false(f.arena.has_failed);
  assert_non_null(fw__arena_allocate(&f.arena, 1000, 1));
  end(&f);
}

static void sizes_that_overflow_are_refused(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, SIZE_MAX);
  assert_null(fw__arena_allocate(&f.arena, SIZE_MAX / 4, 8));
  assert_true(f.arena.has_failed);
  assert_null(fw__arena_allocate(&f.arena, 2, SIZE_MAX / 2 + 1));
  assert_int_equal(f.tally.calls, 0);
  end(&f);
}

static void a_failed_growth_changes_nothing(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, 64 * 1024);
  int32_t capacity = 0;
  int32_t * numbers = fw__arena_grow(&f.arena, NULL, sizeof(*numbers), &capacity);
  for (int32_t count = 0; numbers != NULL;) {
    while (count < capacity) {
      numbers[count] = count;
      ++count;
    }
    const int32_t before = capacity;
    int32_t * larger = fw__arena_grow(&f.arena, numbers, sizeof(*numbers), &capacity);
    if (larger == NULL) {
      assert_int_equal(capacity, before);
      break;
    }
    assert_true(capacity > before);
    numbers = larger;
    for (int32_t i = 0; i < count; ++i) {
      assert_int_equal(numbers[i], i);
    }
  }
  assert_true(capacity >= 1024);
  end(&f);
}

// Arrays of several sizes grow side by side and leave what they have outgrown to each other; none loses a number, and
// after a reset nothing that was left is handed out.
static void recycled_arrays_are_used_again(void ** state)
{
  (void)state;
  enum { ARRAYS = 40, LENGTH = 3000 };
  size_t used[2];
  for (int32_t recycles = 0; recycles < 2; ++recycles) {
    fixture_t f;
    begin(&f, SIZE_MAX);
    int32_t * arrays[ARRAYS] = {0};
    int32_t capacities[ARRAYS] = {0};
    for (int32_t a = 0; a < ARRAYS; ++a) {
      for (int32_t i = 0; i < LENGTH; ++i) {
        if (i == capacities[a]) {
          const size_t outgrown = (size_t)capacities[a];
          int32_t * larger = fw__arena_grow(&f.arena, arrays[a], sizeof(*larger), &capacities[a]);
          assert_non_null(larger);
          if (recycles == 1) {
            fw__arena_recycle(&f.arena, arrays[a], outgrown, sizeof(*larger));
          }
          arrays[a] = larger;
        }
        arrays[a][i] = a * LENGTH + i;
      }
    }
    for (int32_t i = 0; i < ARRAYS * LENGTH; ++i) {
      assert_int_equal(arrays[i / LENGTH][i % LENGTH], i);
    }
    used[recycles] = f.memory.used_bytes;
    fw__arena_reset(&f.arena);
    for (size_t i = 0; i < sizeof(f.arena.free) / sizeof(f.arena.free[0]); ++i) {
      assert_null(f.arena.free[i]);
    }
    end(&f);
  }
  assert_true(used[1] < used[0]);
}

static void an_arena_serves_as_an_allocator(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, SIZE_MAX);
  const fw_allocator_t allocator = fw__arena_allocator(&f.arena);
  fw_grid_t grid;
  assert_int_equal(fw_grid_init(&grid, 30, 20, &allocator, NULL), FW_RET_OK);
  assert_int_equal(f.tally.calls, 1);  // the arena's first block
  fw_grid_fini(&grid);
  assert_int_equal(f.tally.live, 1);
  end(&f);
}

static void a_list_grows_and_its_failure_is_sticky(void ** state)
{
  (void)state;
  enum { LIMIT = 100 * 1024 };
  fixture_t f;
  begin(&f, LIMIT);
  fw_list_t list = fw__list(&f.arena);
  fw_list_t late = {0};
  assert_true(fw__list_reserve(&list, 100));
  const int32_t * items = list.items;
  for (int32_t i = 0; i < 100; ++i) {
    assert_true(fw__list_push(&list, i) && fw__list_push_in(&f.arena, &late, -i));
  }
  assert_ptr_equal(list.items, items);
  assert_false(fw__arena_has_failed(&f.arena));
  int32_t pushed = 100;
  for (int32_t i = 100; i < LIMIT; ++i) {
    pushed += fw__list_push(&list, i) ? 1 : 0;
  }
  assert_true(fw__arena_has_failed(&f.arena));
  assert_int_equal(list.count, pushed);
  for (int32_t i = 0; i < list.count; ++i) {
    assert_int_equal(list.items[i], i);
  }
  fw__arena_reset(&f.arena);
  assert_false(fw__arena_has_failed(&f.arena));
  end(&f);
}

static void a_corrupted_arena_is_found(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, SIZE_MAX);
  use(&f.arena);
  int32_t * array = fw__arena_allocate(&f.arena, 64, sizeof(*array));
  fw__arena_recycle(&f.arena, array, 64, sizeof(*array));
  int32_t * again = fw__arena_allocate(&f.arena, 64, sizeof(*array));
  fw__arena_recycle(&f.arena, again, 64, sizeof(*array));
  assert_true(fw__arena_validate(&f.arena));
  struct fw_arena_block_t * current = f.arena.current;
  f.arena.current = NULL;
  assert_false(fw__arena_validate(&f.arena));
  f.arena.current = current;
  f.arena.free[3] = array;  // it is larger than that list's arrays
  assert_false(fw__arena_validate(&f.arena));
  f.arena.free[3] = NULL;
  assert_true(fw__arena_validate(&f.arena));
  end(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pieces_are_aligned_and_apart),
    cmocka_unit_test(the_same_use_after_a_reset_asks_for_nothing),
    cmocka_unit_test(zeroed_memory_is_zero_even_when_used_before),
    cmocka_unit_test(rewind_takes_back_what_came_after_the_mark),
    cmocka_unit_test(the_limit_is_kept_and_reached),
    cmocka_unit_test(sizes_that_overflow_are_refused),
    cmocka_unit_test(a_failed_growth_changes_nothing),
    cmocka_unit_test(recycled_arrays_are_used_again),
    cmocka_unit_test(an_arena_serves_as_an_allocator),
    cmocka_unit_test(a_list_grows_and_its_failure_is_sticky),
    cmocka_unit_test(a_corrupted_arena_is_found),
  };
  return TEST_RUN(tests);
}
