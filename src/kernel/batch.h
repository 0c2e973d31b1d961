// For tests: what fleetweave/batch.h does not offer.

#ifndef KERNEL__BATCH_H_
#define KERNEL__BATCH_H_

#include "fleetweave/batch.h"
#include "kernel/device.h"

enum { FW_BATCH_NOTE_SIZE = 192 };  // of fw_batch_stats_t.note, in bytes

// Sets the device that the backends `auto` and `cuda` use, in place of the built-in one. Only before the first run.
void fw__batch_use_device(fw_batch_t * batch, const fw_device_t * device);

#endif  // KERNEL__BATCH_H_
