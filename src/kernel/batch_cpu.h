// The CPU backend of a batch: the reference that GPUs must equal byte for byte.

#ifndef KERNEL__BATCH_CPU_H_
#define KERNEL__BATCH_CPU_H_

#include "fleetweave/batch.h"
#include "kernel/rtaa_view.h"

typedef struct fw_batch_cpu_run_t {
  const fw_rtaa_view_t * view;         // rows in host memory
  const fw_batch_options_t * options;  // threads, is_fused
  uint8_t * scratch;                   // fw__batch_cpu_scratch_bytes, zeroed before the first run
  int32_t first_robot;                 // robots before it are left out; a multiple of FW_BLOCK_ROBOTS
  int32_t episodes;                    // at most, for each robot
} fw_batch_cpu_run_t;

// Bytes of the lanes of all threads.
size_t fw__batch_cpu_scratch_bytes(const fw_batch_options_t * options);
// Returns when all threads are done.
void fw__batch_cpu_run(const fw_batch_cpu_run_t * run);

#endif  // KERNEL__BATCH_CPU_H_
