// Controls and counters of the test double of the CUDA runtime.

#ifndef CUDA__DOUBLE_H_
#define CUDA__DOUBLE_H_

#include <stdbool.h>
#include <stddef.h>

#include "kernel/device.h"

// The launch code of cuda/, compiled against the double.
extern const fw_device_t fw_double_cuda_device;

// Starts with one device of this much memory and no faults. Fails the test if memory or streams of the last one are
// left.
void double_reset(size_t memory_bytes);
// The `call`-th call from now, 1 for the next, returns `error`; with `is_lost` all calls after it that concern the same
// device do, too.
void double_fail(int call, int error, bool is_lost);
// Calls since the reset, and the name of the last one that was made to fail.
int double_calls(void);
const char * double_failed(void);
int double_live(void);           // allocations and streams that are not freed
size_t double_peak_bytes(void);  // most memory in use on one device since the reset
int double_launches(void);
int double_blocks(void);        // of all launches
int double_lone_uploads(void);  // asynchronous copies to a device while no other stream had anything to do
size_t double_up_bytes(void);   // copied to devices since the last call of double_fail or double_reset, and back
size_t double_down_bytes(void);
void double_set_count(int count);  // of devices, each with its own memory, at most 16; 1 after a reset with memory
// The same of one device: calls while it was in use, and bytes.
typedef struct double_count_t {
  int calls;
  size_t up_bytes;
  size_t down_bytes;
} double_count_t;
double_count_t double_count(int number);
void double_set_name(const char * name);  // of all devices; after a reset each has a name of its own
int double_current(void);                 // the number of the device in use
void double_set_shared(int bytes);        // limit of shared memory per block

#endif  // CUDA__DOUBLE_H_
