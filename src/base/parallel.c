// A parallel loop: threads take the next item from an atomic counter.

#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/assert.h"

typedef struct loop_t {
  void (*body)(int32_t, int32_t, void *);
  void * state;
  int32_t count;
  atomic_int next;
} loop_t;

typedef struct worker_t {
  loop_t * loop;
  int32_t index;
  pthread_t thread;
  bool is_running;
} worker_t;

static void * work(void * argument)
{
  const worker_t * worker = argument;
  loop_t * loop = worker->loop;
  for (;;) {
    const int32_t item = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
    if (item >= loop->count) {
      return NULL;
    }
    loop->body(item, worker->index, loop->state);
  }
}

void fw__parallel_for(int32_t count, int32_t threads, void (*body)(int32_t, int32_t, void *), void * state)
{
  FW_ASSERT(count >= 0 && body != NULL);
  loop_t loop = {.body = body, .state = state, .count = count};
  atomic_init(&loop.next, 0);
  worker_t workers[FW_PARALLEL_THREADS_MAX];
  int32_t wanted = threads < FW_PARALLEL_THREADS_MAX ? threads : FW_PARALLEL_THREADS_MAX;
  if (wanted > count) {
    wanted = count;
  }
  for (int32_t i = 1; i < wanted; ++i) {
    workers[i] = (worker_t){.loop = &loop, .index = i};
    workers[i].is_running = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
  }
  workers[0] = (worker_t){.loop = &loop};
  (void)work(&workers[0]);
  for (int32_t i = 1; i < wanted; ++i) {
    if (workers[i].is_running) {
      (void)pthread_join(workers[i].thread, NULL);
    }
  }
}
