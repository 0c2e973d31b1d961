// Where a batch can be computed beside the CPU: what cuda/ fills in, and what tests put in its place.

#ifndef KERNEL__DEVICE_H_
#define KERNEL__DEVICE_H_

#include <stddef.h>

#include "kernel/rtaa_view.h"

typedef struct fw_device_request_t {
  const fw_rtaa_view_t * view;  // rows of the host
  int32_t episodes;
  bool is_fused;
  size_t memory_max_bytes;  // 0: what is free
} fw_device_request_t;

typedef struct fw_device_t {
  const char * name;
  // Runs the episodes and brings the rows back. False, with one line of text, if anything went wrong: robots before
  // `done`, a multiple of FW_BLOCK_ROBOTS, are through then, and the rows of the others are as they were.
  bool (*run)(const fw_device_request_t * request, int32_t * done, char * text, size_t text_size);
} fw_device_t;

// The one that this library was built with, NULL if none.
const fw_device_t * fw__device_built_in(void);

#endif  // KERNEL__DEVICE_H_
