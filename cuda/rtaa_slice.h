// Robots on their way to a device and back: a slice of a batch's rows, packed into one piece of memory.
//
// Rows follow each other by falling size of their values, each for all robots of the slice, so that all are aligned and a
// slice is one copy in each direction. The movements arrays are turned: on the device values of neighbouring robots lie
// side by side, so that the threads of a warp read them together.

#ifndef RTAA_SLICE_H_
#define RTAA_SLICE_H_

#include <stddef.h>

#include "kernel/rtaa_view.h"

typedef struct fw_rtaa_slice_t {
  int32_t first;  // robot
  int32_t count;
} fw_rtaa_slice_t;

// Bytes of the rows of so many robots, and of all lanes that staged kernels want for them.
size_t fw_rtaa_slice_bytes(const fw_rtaa_view_t * view, int32_t count);
size_t fw_rtaa_lanes_bytes(const fw_rtaa_view_t * view, int32_t count);

// A view of `count` robots whose rows are packed at `rows`; maps and lanes are left out.
fw_rtaa_view_t fw_rtaa_slice_view(const fw_rtaa_view_t * view, int32_t count, unsigned char * rows);

// From the rows of `view` to packed memory of the host, and back.
void fw_rtaa_slice_pack(const fw_rtaa_view_t * view, fw_rtaa_slice_t slice, unsigned char * rows);
void fw_rtaa_slice_unpack(const fw_rtaa_view_t * view, fw_rtaa_slice_t slice, unsigned char * rows);

#endif  // RTAA_SLICE_H_
