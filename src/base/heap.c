// See heap.h.

#include "base/heap.h"

#include <stdbool.h>
#include <stdlib.h>

static _Thread_local fw_heap_faults_t faults;

static bool fails(void)
{
  faults.calls += 1;
  if (faults.first == 0 || faults.calls < faults.first || faults.calls - faults.first >= faults.count) {
    return false;
  }
  faults.failures += 1;
  return true;
}

void * fw__malloc(size_t size) { return fails() ? NULL : malloc(size); }

void * fw__calloc(size_t count, size_t size) { return fails() ? NULL : calloc(count, size); }

void * fw__realloc(void * block, size_t size) { return fails() ? NULL : realloc(block, size); }

void fw__heap_begin_faults(int64_t first, int64_t count)
{
  faults = (fw_heap_faults_t){.first = first, .count = count};
}

fw_heap_faults_t fw__heap_end_faults(void)
{
  const fw_heap_faults_t ended = faults;
  faults = (fw_heap_faults_t){0};
  return ended;
}
