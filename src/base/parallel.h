// A loop over independent items in a few threads. Each item writes only to its own place, so that the answer does not
// depend on the number of threads.

#ifndef BASE__PARALLEL_H_
#define BASE__PARALLEL_H_

#include <stdint.h>

enum { FW_PARALLEL_THREADS_MAX = 64 };

// Calls body(item, worker, state) for each item in [0, count); worker is in [0, threads). Where a thread cannot be
// had, the others do its part.
void fw__parallel_for(int32_t count, int32_t threads, void (*body)(int32_t, int32_t, void *), void * state);

#endif  // BASE__PARALLEL_H_
