// The interface of a device that can run a batch instead of the CPU: implemented in cuda/, replaced by tests.

#ifndef KERNEL__DEVICE_H_
#define KERNEL__DEVICE_H_

#include <stddef.h>

#include "fleetweave/fleetweave.h"
#include "kernel/rtaa_view.h"

enum { FW_DEVICE_TEXT_SIZE = 152 };  // of the texts that say why a device cannot be used, in bytes

typedef struct fw_device_request_t {
  int32_t number;               // of the device, from 0
  const fw_rtaa_view_t * view;  // rows in host memory; the device changes them
  int32_t episodes;
  bool is_fused;
  size_t memory_max_bytes;  // of device memory; 0: what is free
} fw_device_request_t;

typedef struct fw_device_t {
  const char * name;
  // Whether device `number` can be used, and its name; else one line of text that says why not.
  bool (*find)(int32_t number, char name[FW_DEVICE_NAME_SIZE], char * text, size_t text_size);
  // Runs the episodes and updates the rows. False, with one line of text, if anything failed: then the robots before
  // `done`, a multiple of FW_BLOCK_ROBOTS, are finished, and the rows of the others are unchanged.
  bool (*run)(const fw_device_request_t * request, int32_t * done, char * text, size_t text_size);
} fw_device_t;

// The device that this library was built with, NULL without CUDA.
const fw_device_t * fw__device_built_in(void);

#endif  // KERNEL__DEVICE_H_
