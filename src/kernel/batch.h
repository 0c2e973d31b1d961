// What tests need of a batch beyond fleetweave/batch.h.

#ifndef KERNEL__BATCH_H_
#define KERNEL__BATCH_H_

#include "fleetweave/batch.h"
#include "kernel/device.h"

enum { FW_BATCH_NOTE_SIZE = 192 };  // of fw_batch_stats_t.note, in bytes

// Sets the device that the backends `auto` and `cuda` use, in place of the built-in one. Only before the first run.
void fw__batch_use_device(fw_batch_t * batch, const fw_device_t * device);

// Whether the invariants hold between runs: robots and goals are inside the grid, boxes inside the movements arrays,
// robots on their goals and no others have arrived, and the maps of moves agree with the known costs.
bool fw__batch_validate(const fw_batch_t * batch);

#endif  // KERNEL__BATCH_H_
