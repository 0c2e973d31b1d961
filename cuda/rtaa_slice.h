// A slice: the rows of some robots of a batch, packed into one piece of memory for the copy to a device and back. No
// CUDA.
//
// Rows follow each other by falling size of their values, each for all robots of the slice, so that all are aligned and
// a slice is one copy in each direction. The movements arrays are transposed: on the device, values of neighbouring
// robots lie side by side, so that the reads of a warp coalesce.

#ifndef RTAA_SLICE_H_
#define RTAA_SLICE_H_

#include <stddef.h>

#include "kernel/rtaa_view.h"

typedef struct fw_cuda_slice_t {
  int32_t first;  // robot
  int32_t count;
} fw_cuda_slice_t;

// Bytes of the rows of `count` robots, and of the lanes that the staged kernels need for them.
size_t fw__cuda_slice_bytes(const fw_rtaa_view_t * view, int32_t count);
size_t fw__cuda_lanes_bytes(const fw_rtaa_view_t * view, int32_t count);

// A view of `count` robots whose rows are packed at `rows`. Maps and lanes are those of `view`.
fw_rtaa_view_t fw__cuda_slice_view(const fw_rtaa_view_t * view, int32_t count, unsigned char * rows);

// Copies from the rows of `view` to packed host memory, and back.
void fw__cuda_slice_pack(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, unsigned char * rows);
void fw__cuda_slice_unpack(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, unsigned char * rows);

#endif  // RTAA_SLICE_H_
