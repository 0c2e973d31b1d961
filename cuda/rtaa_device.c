// The launch code: sizes first, then memory, then slices of the batch two at a time, each in a stream of its own.
//
// Nothing of the host changes before a slice is through: what comes back lands in memory of its own and is unpacked into
// the batch's rows only when the stream has ended well. So wherever a call fails, slices before are done and the rest is
// as it was. This is C and calls the runtime's C functions alone, so that it compiles against the test double as well.

#include "rtaa_device.h"

#include <stdio.h>

#include "cuda_call.h"
#include "rtaa_kernels.h"
#include "rtaa_slice.h"

enum { STREAMS = 2, CHUNK_EPISODES = 64 };  // after so many episodes it is asked whether anybody is still under way

// What a slice has on the device and beside it on the host.
typedef struct slot_t {
  cudaStream_t stream;
  bool has_stream;
  unsigned char * rows;     // on the device, packed
  unsigned char * lanes;    // on the device
  fw_rtaa_view_t * view;    // on the device
  unsigned char * staging;  // on the host: the rows, and behind them the view
  fw_rtaa_view_t packed;    // as the device sees it
  fw_rtaa_slice_t slice;
  bool is_running;
} slot_t;

typedef struct run_t {
  fw_cuda_calls_t calls;
  const fw_device_request_t * request;
  const fw_rtaa_view_t * view;  // the host's
  unsigned char * maps;         // on the device: cost, moves, floor, truth
  slot_t slots[STREAMS];
  int32_t slice_robots;  // the most in a slice
  bool is_fused;         // the lanes of a block fit into shared memory
} run_t;

static bool call(run_t * run, const char * name, cudaError_t status) { return fw_cuda_call(&run->calls, name, status); }

// ---- sizes ----------------------------------------------------------------------------------------------------------

static size_t cells_of(const run_t * run) { return (size_t)run->view->width * (size_t)run->view->height; }

static size_t align(size_t bytes) { return (bytes + 255) & ~(size_t)255; }

static size_t view_offset(const run_t * run) { return align(fw_rtaa_slice_bytes(run->view, run->slice_robots)); }

static size_t slot_bytes(const run_t * run, int32_t robots)
{
  const size_t lanes = run->is_fused ? 0 : fw_rtaa_lanes_bytes(run->view, robots);
  return align(fw_rtaa_slice_bytes(run->view, robots)) + align(lanes) + align(sizeof(fw_rtaa_view_t));
}

static size_t shared_bytes(const run_t * run) { return fw_rtaa_lanes_bytes(run->view, FW_BLOCK_ROBOTS); }

// The largest slices of whole blocks of which two fit.
static bool size_slices(run_t * run)
{
  size_t free_bytes = 0, total_bytes = 0;
  if (!call(run, "cudaMemGetInfo", cudaMemGetInfo(&free_bytes, &total_bytes))) {
    return false;
  }
  const size_t asked = run->request->memory_max_bytes;
  const size_t most = asked > 0 && asked < free_bytes ? asked : free_bytes - free_bytes / 16;
  const size_t maps = align(4 * cells_of(run));
  const size_t block = slot_bytes(run, FW_BLOCK_ROBOTS);
  const size_t blocks = most > maps ? (most - maps) / STREAMS / block : 0;
  const size_t wanted = ((size_t)run->view->robot_count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS;
  if (blocks == 0) {
    run->calls.has_failed = true;
    (void)snprintf(
      run->calls.text, run->calls.text_size, "%zu bytes of device memory are too few, %zu are needed", most,
      maps + STREAMS * block);
    return false;
  }
  const size_t half = (wanted + STREAMS - 1) / STREAMS;
  run->slice_robots = (int32_t)((blocks < half ? blocks : half) * FW_BLOCK_ROBOTS);
  return true;
}

static bool find_device(run_t * run)
{
  int count = 0, shared_max = 0;
  if (!call(run, "cudaGetDeviceCount", cudaGetDeviceCount(&count))) {
    return false;
  }
  if (count == 0) {
    run->calls.has_failed = true;
    (void)snprintf(run->calls.text, run->calls.text_size, "no device");
    return false;
  }
  if (
    !call(run, "cudaSetDevice", cudaSetDevice(0)) ||
    !call(
      run, "cudaDeviceGetAttribute", cudaDeviceGetAttribute(&shared_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0))) {
    return false;
  }
  run->is_fused = run->request->is_fused && shared_bytes(run) <= (size_t)shared_max;
  return !run->is_fused ||
         call(
           run, "cudaFuncSetAttribute",
           cudaFuncSetAttribute(
             fw_rtaa_kernels[FW_RTAA_FUSED], cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes(run)));
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static bool upload_maps(run_t * run)
{
  const size_t cells = cells_of(run);
  const uint8_t * const maps[] = {run->view->cost, run->view->moves, run->view->floor, run->view->truth};
  bool is_fine = call(run, "cudaMalloc", cudaMalloc((void **)&run->maps, 4 * cells));
  for (size_t i = 0; i < 4 && is_fine; ++i) {
    is_fine = call(run, "cudaMemcpy", cudaMemcpy(run->maps + i * cells, maps[i], cells, cudaMemcpyHostToDevice));
  }
  return is_fine;
}

static bool open_slot(run_t * run, slot_t * slot)
{
  const size_t lanes = fw_rtaa_lanes_bytes(run->view, run->slice_robots);
  if (!call(run, "cudaStreamCreate", cudaStreamCreate(&slot->stream))) {
    return false;
  }
  slot->has_stream = true;
  return call(run, "cudaMalloc", cudaMalloc((void **)&slot->rows, fw_rtaa_slice_bytes(run->view, run->slice_robots))) &&
         call(run, "cudaMalloc", cudaMalloc((void **)&slot->view, sizeof(*slot->view))) &&
         call(run, "cudaMallocHost", cudaMallocHost((void **)&slot->staging, view_offset(run) + sizeof(*slot->view))) &&
         (run->is_fused || call(run, "cudaMalloc", cudaMalloc((void **)&slot->lanes, lanes)));
}

// Gives everything back, after failures too; a device that is lost says so again, which changes nothing.
static void close_run(run_t * run)
{
  for (int32_t i = 0; i < STREAMS; ++i) {
    slot_t * slot = &run->slots[i];
    if (slot->has_stream) {
      (void)call(run, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
      (void)call(run, "cudaStreamDestroy", cudaStreamDestroy(slot->stream));
    }
    (void)(slot->rows == NULL || call(run, "cudaFree", cudaFree(slot->rows)));
    (void)(slot->lanes == NULL || call(run, "cudaFree", cudaFree(slot->lanes)));
    (void)(slot->view == NULL || call(run, "cudaFree", cudaFree(slot->view)));
    (void)(slot->staging == NULL || call(run, "cudaFreeHost", cudaFreeHost(slot->staging)));
  }
  (void)(run->maps == NULL || call(run, "cudaFree", cudaFree(run->maps)));
}

// ---- slices ---------------------------------------------------------------------------------------------------------

static bool begin_slice(run_t * run, slot_t * slot, fw_rtaa_slice_t slice)
{
  const size_t cells = cells_of(run);
  fw_rtaa_slice_pack(run->view, slice, slot->staging);
  slot->slice = slice;
  slot->packed = fw_rtaa_slice_view(run->view, slice.count, slot->rows);
  slot->packed.cost = run->maps;
  slot->packed.moves = run->maps + cells;
  slot->packed.floor = run->maps + 2 * cells;
  slot->packed.truth = run->view->truth == run->view->cost ? run->maps : run->maps + 3 * cells;
  slot->packed.scratch = slot->lanes;
  slot->packed.lane_count = slice.count;
  slot->packed.is_interleaved = true;
  fw_rtaa_view_t * view = (fw_rtaa_view_t *)(slot->staging + view_offset(run));
  *view = slot->packed;
  return call(
           run, "cudaMemcpyAsync",
           cudaMemcpyAsync(
             slot->rows, slot->staging, fw_rtaa_slice_bytes(run->view, slice.count), cudaMemcpyHostToDevice,
             slot->stream)) &&
         call(
           run, "cudaMemcpyAsync",
           cudaMemcpyAsync(slot->view, view, sizeof(*view), cudaMemcpyHostToDevice, slot->stream)) &&
         (run->is_fused ||
          call(
            run, "cudaMemsetAsync",
            cudaMemsetAsync(slot->lanes, 0, fw_rtaa_lanes_bytes(run->view, slice.count), slot->stream)));
}

static bool launch(run_t * run, slot_t * slot, int32_t kernel, int32_t episodes)
{
  const fw_rtaa_view_t * view = slot->view;
  void * arguments[] = {&view, &episodes};
  const unsigned int blocks = (unsigned int)((slot->slice.count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS);
  const dim3 grid = {blocks, 1, 1};
  const dim3 block = {FW_BLOCK_ROBOTS, 1, 1};
  const size_t shared = kernel == FW_RTAA_FUSED ? shared_bytes(run) : 0;
  return call(
    run, "cudaLaunchKernel", cudaLaunchKernel(fw_rtaa_kernels[kernel], grid, block, arguments, shared, slot->stream));
}

// Some episodes, and everybody's state back to see who is left.
static bool run_chunk(run_t * run, slot_t * slot, int32_t episodes)
{
  bool is_fine = true;
  if (run->is_fused) {
    is_fine = launch(run, slot, FW_RTAA_FUSED, episodes);
  }
  for (int32_t episode = 0; episode < episodes && is_fine && !run->is_fused; ++episode) {
    for (int32_t kernel = FW_RTAA_INITIALIZE_ARRAY; kernel <= FW_RTAA_UPDATE_AND_CHECK && is_fine; ++kernel) {
      is_fine = launch(run, slot, kernel, 1);
    }
  }
  const fw_rtaa_view_t staged = fw_rtaa_slice_view(run->view, slot->slice.count, slot->staging);
  return is_fine &&
         call(
           run, "cudaMemcpyAsync",
           cudaMemcpyAsync(
             staged.state, slot->packed.state, (size_t)slot->slice.count, cudaMemcpyDeviceToHost, slot->stream));
}

static bool is_anybody_left(const run_t * run, const slot_t * slot)
{
  const fw_rtaa_view_t staged = fw_rtaa_slice_view(run->view, slot->slice.count, slot->staging);
  for (int32_t robot = 0; robot < slot->slice.count; ++robot) {
    if (staged.state[robot] == FW_RTAA_RUNNING) {
      return true;
    }
  }
  return false;
}

// All episodes of the slices in the slots, side by side.
static bool run_episodes(run_t * run, int32_t slot_count)
{
  bool is_fine = true, is_left = true;
  for (int32_t done = 0; done < run->request->episodes && is_left && is_fine; done += CHUNK_EPISODES) {
    const int32_t left = run->request->episodes - done;
    is_left = false;
    for (int32_t i = 0; i < slot_count && is_fine; ++i) {
      is_fine = run_chunk(run, &run->slots[i], left < CHUNK_EPISODES ? left : CHUNK_EPISODES);
    }
    for (int32_t i = 0; i < slot_count && is_fine; ++i) {
      is_fine = call(run, "cudaStreamSynchronize", cudaStreamSynchronize(run->slots[i].stream));
      is_left = (is_fine && is_anybody_left(run, &run->slots[i])) || is_left;
    }
  }
  return is_fine;
}

// Two slices from `first` on. Returns where the next begins, `first` if something failed before any was through.
static int32_t run_slices(run_t * run, int32_t first)
{
  int32_t next = first, slot_count = 0;
  bool is_fine = true;
  for (; slot_count < STREAMS && next < run->view->robot_count && is_fine; ++slot_count) {
    const int32_t left = run->view->robot_count - next;
    const fw_rtaa_slice_t slice = {next, left < run->slice_robots ? left : run->slice_robots};
    is_fine = begin_slice(run, &run->slots[slot_count], slice);
    next += slice.count;
  }
  is_fine = is_fine && run_episodes(run, slot_count);
  int32_t done = first;
  for (int32_t i = 0; i < slot_count && is_fine; ++i) {
    slot_t * slot = &run->slots[i];
    is_fine = call(
                run, "cudaMemcpyAsync",
                cudaMemcpyAsync(
                  slot->staging, slot->rows, fw_rtaa_slice_bytes(run->view, slot->slice.count), cudaMemcpyDeviceToHost,
                  slot->stream)) &&
              call(run, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
    if (is_fine) {
      fw_rtaa_slice_unpack(run->view, slot->slice, slot->staging);
      done = slot->slice.first + slot->slice.count;
    }
  }
  return done;
}

static bool run_device(const fw_device_request_t * request, int32_t * done, char * text, size_t text_size)
{
  run_t run = {.calls = {.text = text, .text_size = text_size}, .request = request, .view = request->view};
  *done = 0;
  bool is_fine = find_device(&run) && size_slices(&run) && upload_maps(&run);
  for (int32_t i = 0; i < STREAMS && is_fine; ++i) {
    is_fine = open_slot(&run, &run.slots[i]);
  }
  while (is_fine && *done < request->view->robot_count) {
    *done = run_slices(&run, *done);
    is_fine = !run.calls.has_failed;
  }
  close_run(&run);
  return *done >= request->view->robot_count;
}

const fw_device_t fw_cuda_device = {.name = "cuda", .run = run_device};
