// One run on a device: what it has there, from the sizes that are computed before anything is allocated to giving it back.

#ifndef RTAA_RUN_H_
#define RTAA_RUN_H_

#include "cuda_call.h"
#include "kernel/device.h"
#include "rtaa_slice.h"

enum { FW_RTAA_STREAMS = 2 };

// What a slice has on the device and beside it on the host.
typedef struct fw_rtaa_slot_t {
  cudaStream_t stream;
  bool has_stream;
  unsigned char * rows;     // on the device, packed
  unsigned char * lanes;    // on the device
  fw_rtaa_view_t * view;    // on the device
  unsigned char * staging;  // on the host: the rows, and behind them the view
  fw_rtaa_view_t packed;    // as the device sees it
  fw_rtaa_slice_t slice;
  bool is_running;
} fw_rtaa_slot_t;

typedef struct fw_rtaa_run_t {
  fw_cuda_calls_t calls;
  const fw_device_request_t * request;
  const fw_rtaa_view_t * view;  // the host's
  unsigned char * maps;         // on the device: cost, moves, floor, truth
  fw_rtaa_slot_t slots[FW_RTAA_STREAMS];
  int32_t slice_robots;  // the most in a slice
  bool is_fused;         // the lanes of a block fit into shared memory
} fw_rtaa_run_t;

// Finds a device, sizes the slices and takes all memory. False where something failed, with a text in `calls`; what was
// taken until then is given back by fw_rtaa_run_close.
bool fw_rtaa_run_open(fw_rtaa_run_t * run);
// Gives everything back, after failures too; a device that is lost says so again, which changes nothing.
void fw_rtaa_run_close(fw_rtaa_run_t * run);

size_t fw_rtaa_run_cells(const fw_rtaa_run_t * run);         // of the map
size_t fw_rtaa_run_view_offset(const fw_rtaa_run_t * run);   // of the view in a slot's staging memory
size_t fw_rtaa_run_shared_bytes(const fw_rtaa_run_t * run);  // of a block's lanes

#endif  // RTAA_RUN_H_
