// Distances of a whole fleet, each run up to its own robot, in threads.

#include <stdatomic.h>

#include "base/parallel.h"
#include "search/distance.h"

enum { SLICE = 4096, PRIME_CHUNK = 64 };

typedef struct prime_t {
  fw_distance_t * const * distances;
  const int32_t * nodes;
  int32_t first;
  fw_meter_t * meter;
  atomic_bool must_stop;
} prime_t;

// The thread that called is worker 0: it alone asks the caller's clock and callback.
static void prime_one(int32_t item, int32_t worker, void * state)
{
  prime_t * prime = state;
  fw_distance_t * distance = prime->distances[prime->first + item];
  while (!atomic_load_explicit(&prime->must_stop, memory_order_relaxed)) {
    if (fw__distance_advance(distance, prime->nodes[prime->first + item], SLICE)) {
      return;
    }
    if (worker == 0 && fw__meter_check(prime->meter)) {
      atomic_store(&prime->must_stop, true);
    }
  }
}

bool fw__distance_prime(
  fw_distance_t * const * distances, const int32_t * nodes, int32_t count, int32_t threads, fw_meter_t * meter)
{
  prime_t prime = {.distances = distances, .nodes = nodes, .meter = meter};
  atomic_init(&prime.must_stop, false);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  fw_arena_t * arena = count > 0 ? distances[0]->arena : NULL;
  bool has_stopped = false;
  // Chunks of a fixed size: the count budget is asked at the same places for any number of threads.
  for (int32_t first = 0; first < count && !has_stopped; first += PRIME_CHUNK) {
    const int32_t size = count - first < PRIME_CHUNK ? count - first : PRIME_CHUNK;
    prime.first = first;
    arena->mutex = threads > 1 ? &mutex : NULL;
    fw__parallel_for(size, threads, prime_one, &prime);
    arena->mutex = NULL;
    for (int32_t i = first; i < first + size; ++i) {
      if (distances[i]->has_failed) {
        fw__meter_stop(meter, FW_STOP_MEMORY);
      }
      has_stopped = fw__meter_add(meter, distances[i]->expanded) || has_stopped;
    }
  }
  (void)pthread_mutex_destroy(&mutex);
  return !has_stopped;
}
