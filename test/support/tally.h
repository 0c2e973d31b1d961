// An allocator that counts its calls, and that can fail the n-th one or all from there on.

#ifndef SUPPORT__TALLY_H_
#define SUPPORT__TALLY_H_

#include "fleetweave/fleetweave.h"

typedef struct tally_t {
  int64_t calls;    // allocations
  int64_t live;     // blocks that are not deallocated
  int64_t fail_at;  // this call returns NULL (1 is the next one after tally_fail), 0 for none
  bool fails_on;    // and so do all calls after it
} tally_t;

// `tally` must outlive whatever uses the allocator.
fw_allocator_t tally_allocator(tally_t * tally);
// Counts from zero and fails call number `call`.
void tally_fail(tally_t * tally, int64_t call, bool fails_on);

#endif  // SUPPORT__TALLY_H_
