// Packs robots of a batch for the copy to a device, and unpacks what comes back. On the host, without CUDA.

#ifndef RTAA_PACK_H_
#define RTAA_PACK_H_

#include "rtaa_layout.h"

typedef struct fw_cuda_slice_t {
  int32_t first;  // robot
  int32_t count;
} fw_cuda_slice_t;

// Bytes of the lanes of `count` robots.
size_t fw__cuda_lanes_bytes(const fw_rtaa_view_t * view, int32_t count);

// All rows of a slice, learned values included, to `rows` as rtaa_layout.h has them; and back those that kernels write.
void fw__cuda_pack(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, unsigned char * rows);
void fw__cuda_unpack(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, unsigned char * rows);

// The learned values of a slice, from the movements arrays of its packed rows. Those of robots with an empty box are
// left out: nobody reads them.
void fw__cuda_unpack_windows(const fw_rtaa_view_t * view, fw_cuda_slice_t slice, const uint16_t * windows);

// Robots of a device by their numbers there.
typedef struct fw_cuda_list_t {
  int32_t first;  // the device's first robot
  const fw_cuda_entry_t * robots;
  int32_t count;
} fw_cuda_list_t;

// The report of a run on the robots of a list. Robots that are not under way in `view` are left out: they did not run.
void fw__cuda_unpack_report(const fw_rtaa_view_t * view, fw_cuda_list_t list, unsigned char * report);

#endif  // RTAA_PACK_H_
