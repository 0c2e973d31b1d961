// An allocator that counts and fails on demand.

#include "support/tally.h"

#include <stdlib.h>
#include <string.h>

static void * allocate(size_t size_bytes, void * state)
{
  tally_t * tally = state;
  ++tally->calls;
  if (tally->fail_at > 0 && (tally->calls == tally->fail_at || (tally->fails_on && tally->calls > tally->fail_at))) {
    return NULL;
  }
  void * pointer = malloc(size_bytes);
  if (pointer != NULL) {
    memset(pointer, 0xa5, size_bytes);  // nobody may rely on cleared memory
    ++tally->live;
  }
  return pointer;
}

static void deallocate(void * pointer, void * state)
{
  tally_t * tally = state;
  if (pointer != NULL) {
    --tally->live;
    free(pointer);
  }
}

fw_allocator_t tally_allocator(tally_t * tally)
{
  return (fw_allocator_t){.allocate = allocate, .deallocate = deallocate, .state = tally};
}

void tally_fail(tally_t * tally, int64_t call, bool fails_on)
{
  tally->calls = 0;
  tally->fail_at = call;
  tally->fails_on = fails_on;
}
