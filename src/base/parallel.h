// A parallel loop over independent items. Each item may write only to memory of its own, so that the result does not
// depend on the number of threads or on their order.

#ifndef BASE__PARALLEL_H_
#define BASE__PARALLEL_H_

#include <stdint.h>

enum { FW_PARALLEL_THREADS_MAX = 64 };

// Calls body(item, worker, state) once for each item in [0, count) and returns when all are done. `worker` is in
// [0, threads) and is the same for all items of one thread; `threads` above FW_PARALLEL_THREADS_MAX counts as that. The
// calling thread is worker 0. If a thread cannot be created, the others do its share.
void fw__parallel_for(int32_t count, int32_t threads, void (*body)(int32_t, int32_t, void *), void * state);

#endif  // BASE__PARALLEL_H_
