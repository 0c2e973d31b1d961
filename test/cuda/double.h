// What tests say to the double of the CUDA runtime, and ask of it.

#ifndef CUDA__DOUBLE_H_
#define CUDA__DOUBLE_H_

#include <stdbool.h>
#include <stddef.h>

#include "kernel/device.h"

// The launch code of cuda/, compiled against the double.
extern const fw_device_t fw_double_cuda_device;

// A device with so much memory, and nothing failing. Fails the test if the last one has left anything behind.
void double_reset(size_t memory_bytes);
// The `call`-th call from now, 1 for the next, answers with `error`; if the device is lost, so do all after it.
void double_fail(int call, int error, bool is_lost);
// Calls since the reset, and the name of the last one that was made to fail.
int double_calls(void);
const char * double_failed(void);
int double_live(void);           // allocations and streams not given back
size_t double_peak_bytes(void);  // of device memory
int double_launches(void);
void double_set_shared(int bytes);  // that a block may have

#endif  // CUDA__DOUBLE_H_
