// What a run has on a device: sizes first, then memory.

#include "rtaa_run.h"

#include <stdio.h>

#include "rtaa_kernels.h"

// ---- sizes ----------------------------------------------------------------------------------------------------------

size_t fw_rtaa_run_cells(const fw_rtaa_run_t * run) { return (size_t)run->view->width * (size_t)run->view->height; }

static size_t align(size_t bytes) { return (bytes + 255) & ~(size_t)255; }

size_t fw_rtaa_run_view_offset(const fw_rtaa_run_t * run)
{
  return align(fw_rtaa_slice_bytes(run->view, run->slice_robots));
}

static size_t slot_bytes(const fw_rtaa_run_t * run, int32_t robots)
{
  const size_t lanes = run->is_fused ? 0 : fw_rtaa_lanes_bytes(run->view, robots);
  return align(fw_rtaa_slice_bytes(run->view, robots)) + align(lanes) + align(sizeof(fw_rtaa_view_t));
}

size_t fw_rtaa_run_shared_bytes(const fw_rtaa_run_t * run) { return fw_rtaa_lanes_bytes(run->view, FW_BLOCK_ROBOTS); }

// The largest slices of whole blocks of which two fit.
static bool size_slices(fw_rtaa_run_t * run)
{
  size_t free_bytes = 0, total_bytes = 0;
  if (!fw_cuda_call(&run->calls, "cudaMemGetInfo", cudaMemGetInfo(&free_bytes, &total_bytes))) {
    return false;
  }
  const size_t asked = run->request->memory_max_bytes;
  const size_t most = asked > 0 && asked < free_bytes ? asked : free_bytes - free_bytes / 16;
  const size_t maps = align(4 * fw_rtaa_run_cells(run));
  const size_t block = slot_bytes(run, FW_BLOCK_ROBOTS);
  const size_t blocks = most > maps ? (most - maps) / FW_RTAA_STREAMS / block : 0;
  const size_t wanted = ((size_t)run->view->robot_count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS;
  if (blocks == 0) {
    run->calls.has_failed = true;
    (void)snprintf(
      run->calls.text, run->calls.text_size, "%zu bytes of device memory are too few, %zu are needed", most,
      maps + FW_RTAA_STREAMS * block);
    return false;
  }
  const size_t half = (wanted + FW_RTAA_STREAMS - 1) / FW_RTAA_STREAMS;
  run->slice_robots = (int32_t)((blocks < half ? blocks : half) * FW_BLOCK_ROBOTS);
  return true;
}

static bool find_device(fw_rtaa_run_t * run)
{
  int count = 0, shared_max = 0;
  if (!fw_cuda_call(&run->calls, "cudaGetDeviceCount", cudaGetDeviceCount(&count))) {
    return false;
  }
  if (count == 0) {
    run->calls.has_failed = true;
    (void)snprintf(run->calls.text, run->calls.text_size, "no device");
    return false;
  }
  if (
    !fw_cuda_call(&run->calls, "cudaSetDevice", cudaSetDevice(0)) ||
    !fw_cuda_call(
      &run->calls, "cudaDeviceGetAttribute",
      cudaDeviceGetAttribute(&shared_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0))) {
    return false;
  }
  run->is_fused = run->request->is_fused && fw_rtaa_run_shared_bytes(run) <= (size_t)shared_max;
  return !run->is_fused || fw_cuda_call(
                             &run->calls, "cudaFuncSetAttribute",
                             cudaFuncSetAttribute(
                               fw_rtaa_kernels[FW_RTAA_FUSED], cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)fw_rtaa_run_shared_bytes(run)));
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static bool upload_maps(fw_rtaa_run_t * run)
{
  const size_t cells = fw_rtaa_run_cells(run);
  const uint8_t * const maps[] = {run->view->cost, run->view->moves, run->view->floor, run->view->truth};
  bool is_fine = fw_cuda_call(&run->calls, "cudaMalloc", cudaMalloc((void **)&run->maps, 4 * cells));
  for (size_t i = 0; i < 4 && is_fine; ++i) {
    is_fine = fw_cuda_call(
      &run->calls, "cudaMemcpy", cudaMemcpy(run->maps + i * cells, maps[i], cells, cudaMemcpyHostToDevice));
  }
  return is_fine;
}

static bool open_slot(fw_rtaa_run_t * run, fw_rtaa_slot_t * slot)
{
  const size_t lanes = fw_rtaa_lanes_bytes(run->view, run->slice_robots);
  if (!fw_cuda_call(&run->calls, "cudaStreamCreate", cudaStreamCreate(&slot->stream))) {
    return false;
  }
  slot->has_stream = true;
  return fw_cuda_call(
           &run->calls, "cudaMalloc",
           cudaMalloc((void **)&slot->rows, fw_rtaa_slice_bytes(run->view, run->slice_robots))) &&
         fw_cuda_call(&run->calls, "cudaMalloc", cudaMalloc((void **)&slot->view, sizeof(*slot->view))) &&
         fw_cuda_call(
           &run->calls, "cudaMallocHost",
           cudaMallocHost((void **)&slot->staging, fw_rtaa_run_view_offset(run) + sizeof(*slot->view))) &&
         (run->is_fused || fw_cuda_call(&run->calls, "cudaMalloc", cudaMalloc((void **)&slot->lanes, lanes)));
}

void fw_rtaa_run_close(fw_rtaa_run_t * run)
{
  for (int32_t i = 0; i < FW_RTAA_STREAMS; ++i) {
    fw_rtaa_slot_t * slot = &run->slots[i];
    if (slot->has_stream) {
      (void)fw_cuda_call(&run->calls, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
      (void)fw_cuda_call(&run->calls, "cudaStreamDestroy", cudaStreamDestroy(slot->stream));
    }
    (void)(slot->rows == NULL || fw_cuda_call(&run->calls, "cudaFree", cudaFree(slot->rows)));
    (void)(slot->lanes == NULL || fw_cuda_call(&run->calls, "cudaFree", cudaFree(slot->lanes)));
    (void)(slot->view == NULL || fw_cuda_call(&run->calls, "cudaFree", cudaFree(slot->view)));
    (void)(slot->staging == NULL || fw_cuda_call(&run->calls, "cudaFreeHost", cudaFreeHost(slot->staging)));
  }
  (void)(run->maps == NULL || fw_cuda_call(&run->calls, "cudaFree", cudaFree(run->maps)));
}

bool fw_rtaa_run_open(fw_rtaa_run_t * run)
{
  bool is_fine = find_device(run) && size_slices(run) && upload_maps(run);
  for (int32_t i = 0; i < FW_RTAA_STREAMS && is_fine; ++i) {
    is_fine = open_slot(run, &run->slots[i]);
  }
  return is_fine;
}
