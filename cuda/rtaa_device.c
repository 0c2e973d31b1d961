// The launch code: runs the episodes of a batch on a CUDA device, in slices of robots, two at a time, each in a stream
// of its own.
//
// Sizes are computed before anything is allocated. The host's rows do not change before a slice has ended well: results
// come back into staging memory and are unpacked when their stream has been synchronised. So wherever a call fails, the
// slices before it are done and the rest is as it was. This is C and calls only the runtime's C functions, so that it
// compiles against the test double (test/cuda) as well.

#include "rtaa_device.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/assert.h"
#include "rtaa_kernels.h"
#include "rtaa_slice.h"

enum { STREAMS = 2 };
enum { CHUNK_EPISODES = 64 };  // after this many episodes the host checks whether any robot is still under way

// The first failure of a run is kept, with the name of the call. After it only memory is given back.
typedef struct calls_t {
  char * text;  // receives the failure
  size_t text_size;
  bool has_failed;
} calls_t;

// What a slice has on the device and beside it on the host.
typedef struct slot_t {
  cudaStream_t stream;
  bool has_stream;
  unsigned char * rows;     // on the device, packed
  unsigned char * lanes;    // on the device
  fw_rtaa_view_t * view;    // on the device
  unsigned char * staging;  // on the host: the rows, and behind them the view
  fw_rtaa_view_t packed;    // as the device sees it
  fw_cuda_slice_t slice;
} slot_t;

typedef struct run_t {
  calls_t calls;
  const fw_device_request_t * request;
  const fw_rtaa_view_t * view;  // the host's
  unsigned char * maps;         // on the device: cost, moves, floor, truth
  slot_t slots[STREAMS];
  int32_t slice_robots;  // the most in a slice
  bool is_fused;         // the lanes of a block fit into shared memory
} run_t;

// What an error of the runtime means to a user, "" where CUDA's own text says it. Numbers, since old toolkits do not
// have all the names.
static const char * explain(int status)
{
  static const struct {
    int status;
    const char * text;
  } words[] = {
    {2, "the device has no memory left: "},
    {34, "only the toolkit's stub of NVIDIA's driver is there: "},
    {35, "there is no NVIDIA driver, or one too old for this build: "},
    {46, "another process has the device for itself: "},
    {100, "the driver finds no device: "},
    {101, "there is no device of this number: "},
    {209, "this build has no kernels for the device: "},
    {222, "the driver is too old for this build's PTX: "},
    {719, "the device was lost: "},
    {802, "the driver is still starting: "},
    {803, "driver and its libraries are of different versions: "},
    {804, "this device needs a newer driver: "},
  };
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i) {
    if (words[i].status == status) {
      return words[i].text;
    }
  }
  return "";
}

// True if the call worked; else notes "what it means: name of the call: text of CUDA (number)".
static bool check(calls_t * calls, const char * name, cudaError_t status)
{
  if (status != cudaSuccess && !calls->has_failed) {
    calls->has_failed = true;
    (void)snprintf(
      calls->text, calls->text_size, "%s%s: %.56s (%d)", explain((int)status), name, cudaGetErrorString(status),
      (int)status);
  }
  return status == cudaSuccess;
}

// ---- sizes ----------------------------------------------------------------------------------------------------------

static size_t cells_of(const run_t * run) { return (size_t)run->view->width * (size_t)run->view->height; }

static size_t align(size_t bytes) { return (bytes + 255) & ~(size_t)255; }

// Offset of the view behind the rows in a slot's staging memory.
static size_t view_offset(const run_t * run) { return align(fw__cuda_slice_bytes(run->view, run->slice_robots)); }

static size_t slot_bytes(const run_t * run, int32_t robots)
{
  const size_t lanes = run->is_fused ? 0 : fw__cuda_lanes_bytes(run->view, robots);
  return align(fw__cuda_slice_bytes(run->view, robots)) + align(lanes) + align(sizeof(fw_rtaa_view_t));
}

// Shared memory of a block in the fused kernel: its lanes.
static size_t shared_bytes_of(const run_t * run) { return fw__cuda_lanes_bytes(run->view, FW_BLOCK_ROBOTS); }

// Sets slice_robots: the largest slices of whole blocks of which STREAMS fit into memory.
static bool size_slices(run_t * run)
{
  size_t free_bytes = 0, total_bytes = 0;
  if (!check(&run->calls, "cudaMemGetInfo", cudaMemGetInfo(&free_bytes, &total_bytes))) {
    return false;
  }
  const size_t limit = run->request->memory_max_bytes;
  const size_t most = limit > 0 && limit < free_bytes ? limit : free_bytes - free_bytes / 16;
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

// Whether there is a device of this number.
static bool count_devices(calls_t * calls, int32_t number)
{
  int count = 0;  // untouched by a call that fails
  if (!check(calls, "cudaGetDeviceCount", cudaGetDeviceCount(&count))) {
    return false;
  }
  if (number >= count) {
    calls->has_failed = true;
    (void)snprintf(
      calls->text, calls->text_size, "there is no device %d: this machine has %d, numbered from 0", (int)number, count);
    return false;
  }
  return true;
}

static bool use_device(run_t * run)
{
  int shared_max = 0;
  const int32_t number = run->request->number;
  if (
    !check(&run->calls, "cudaSetDevice", cudaSetDevice(number)) ||
    !check(
      &run->calls, "cudaDeviceGetAttribute",
      cudaDeviceGetAttribute(&shared_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, number))) {
    return false;
  }
  run->is_fused = run->request->is_fused && shared_bytes_of(run) <= (size_t)shared_max;
  return !run->is_fused ||
         check(
           &run->calls, "cudaFuncSetAttribute",
           cudaFuncSetAttribute(
             fw__rtaa_kernels[FW_RTAA_FUSED], cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes_of(run)));
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static bool upload_maps(run_t * run)
{
  const size_t cells = cells_of(run);
  const uint8_t * const maps[] = {run->view->cost, run->view->moves, run->view->floor, run->view->truth};
  bool is_fine = check(&run->calls, "cudaMalloc", cudaMalloc((void **)&run->maps, 4 * cells));
  for (size_t i = 0; i < 4 && is_fine; ++i) {
    is_fine =
      check(&run->calls, "cudaMemcpy", cudaMemcpy(run->maps + i * cells, maps[i], cells, cudaMemcpyHostToDevice));
  }
  return is_fine;
}

static bool open_slot(run_t * run, slot_t * slot)
{
  const size_t lanes = fw__cuda_lanes_bytes(run->view, run->slice_robots);
  if (!check(&run->calls, "cudaStreamCreate", cudaStreamCreate(&slot->stream))) {
    return false;
  }
  slot->has_stream = true;
  return check(
           &run->calls, "cudaMalloc",
           cudaMalloc((void **)&slot->rows, fw__cuda_slice_bytes(run->view, run->slice_robots))) &&
         check(&run->calls, "cudaMalloc", cudaMalloc((void **)&slot->view, sizeof(*slot->view))) &&
         check(
           &run->calls, "cudaMallocHost",
           cudaMallocHost((void **)&slot->staging, view_offset(run) + sizeof(*slot->view))) &&
         (run->is_fused || check(&run->calls, "cudaMalloc", cudaMalloc((void **)&slot->lanes, lanes)));
}

// Gives everything back, after failures too. A lost device reports its failure again, which changes nothing.
static void close_run(run_t * run)
{
  for (int32_t i = 0; i < STREAMS; ++i) {
    slot_t * slot = &run->slots[i];
    if (slot->has_stream) {
      (void)check(&run->calls, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
      (void)check(&run->calls, "cudaStreamDestroy", cudaStreamDestroy(slot->stream));
    }
    (void)(slot->rows == NULL || check(&run->calls, "cudaFree", cudaFree(slot->rows)));
    (void)(slot->lanes == NULL || check(&run->calls, "cudaFree", cudaFree(slot->lanes)));
    (void)(slot->view == NULL || check(&run->calls, "cudaFree", cudaFree(slot->view)));
    (void)(slot->staging == NULL || check(&run->calls, "cudaFreeHost", cudaFreeHost(slot->staging)));
  }
  (void)(run->maps == NULL || check(&run->calls, "cudaFree", cudaFree(run->maps)));
}

// Finds a device, sizes the slices and takes all memory. False where something failed, with a text in `calls`;
// close_run() gives back what was taken until then.
static bool open_run(run_t * run)
{
  bool is_fine = use_device(run) && size_slices(run) && upload_maps(run);
  for (int32_t i = 0; i < STREAMS && is_fine; ++i) {
    is_fine = open_slot(run, &run->slots[i]);
  }
  return is_fine;
}

// ---- running --------------------------------------------------------------------------------------------------------

// Packs a slice and starts its copies to the device.
static bool begin_slice(run_t * run, slot_t * slot, fw_cuda_slice_t slice)
{
  const size_t cells = cells_of(run);
  FW_ASSERT(slice.count >= 1 && slice.count <= run->slice_robots && slice.first % FW_BLOCK_ROBOTS == 0);
  FW_ASSERT(slice.first + slice.count <= run->view->robot_count);
  fw__cuda_slice_pack(run->view, slice, slot->staging);
  slot->slice = slice;
  slot->packed = fw__cuda_slice_view(run->view, slice.count, slot->rows);
  slot->packed.cost = run->maps;
  slot->packed.moves = run->maps + cells;
  slot->packed.floor = run->maps + 2 * cells;
  slot->packed.truth = run->view->truth == run->view->cost ? run->maps : run->maps + 3 * cells;
  slot->packed.scratch = slot->lanes;
  slot->packed.lane_count = slice.count;
  slot->packed.is_interleaved = true;
  fw_rtaa_view_t * view = (fw_rtaa_view_t *)(slot->staging + view_offset(run));
  *view = slot->packed;
  return check(
           &run->calls, "cudaMemcpyAsync",
           cudaMemcpyAsync(
             slot->rows, slot->staging, fw__cuda_slice_bytes(run->view, slice.count), cudaMemcpyHostToDevice,
             slot->stream)) &&
         check(
           &run->calls, "cudaMemcpyAsync",
           cudaMemcpyAsync(slot->view, view, sizeof(*view), cudaMemcpyHostToDevice, slot->stream)) &&
         (run->is_fused ||
          check(
            &run->calls, "cudaMemsetAsync",
            cudaMemsetAsync(slot->lanes, 0, fw__cuda_lanes_bytes(run->view, slice.count), slot->stream)));
}

static bool launch(run_t * run, slot_t * slot, int32_t kernel, int32_t episodes)
{
  FW_ASSERT(kernel >= 0 && kernel < FW_RTAA_KERNELS && episodes >= 1);
  const fw_rtaa_view_t * view = slot->view;
  void * arguments[] = {&view, &episodes};
  const unsigned int blocks = (unsigned int)((slot->slice.count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS);
  const dim3 grid = {blocks, 1, 1};
  const dim3 block = {FW_BLOCK_ROBOTS, 1, 1};
  const size_t shared = kernel == FW_RTAA_FUSED ? shared_bytes_of(run) : 0;
  return check(
    &run->calls, "cudaLaunchKernel",
    cudaLaunchKernel(fw__rtaa_kernels[kernel], grid, block, arguments, shared, slot->stream));
}

// Launches some episodes, and the copy of all states back to the host.
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
  const fw_rtaa_view_t staged = fw__cuda_slice_view(run->view, slot->slice.count, slot->staging);
  return is_fine &&
         check(
           &run->calls, "cudaMemcpyAsync",
           cudaMemcpyAsync(
             staged.state, slot->packed.state, (size_t)slot->slice.count, cudaMemcpyDeviceToHost, slot->stream));
}

static bool has_running_robot(const run_t * run, const slot_t * slot)
{
  const fw_rtaa_view_t staged = fw__cuda_slice_view(run->view, slot->slice.count, slot->staging);
  for (int32_t robot = 0; robot < slot->slice.count; ++robot) {
    if (staged.state[robot] == FW_RTAA_RUNNING) {
      return true;
    }
  }
  return false;
}

// All episodes of the slices in the slots; the streams run side by side.
static bool run_episodes(run_t * run, int32_t slot_count)
{
  bool is_fine = true, has_running = true;
  for (int32_t done = 0; done < run->request->episodes && has_running && is_fine; done += CHUNK_EPISODES) {
    const int32_t left = run->request->episodes - done;
    has_running = false;
    for (int32_t i = 0; i < slot_count && is_fine; ++i) {
      is_fine = run_chunk(run, &run->slots[i], left < CHUNK_EPISODES ? left : CHUNK_EPISODES);
    }
    for (int32_t i = 0; i < slot_count && is_fine; ++i) {
      is_fine = check(&run->calls, "cudaStreamSynchronize", cudaStreamSynchronize(run->slots[i].stream));
      has_running = (is_fine && has_running_robot(run, &run->slots[i])) || has_running;
    }
  }
  return is_fine;
}

// Up to STREAMS slices from robot `first` on. Returns the first robot that is not done: `first` if something failed
// before any slice was.
static int32_t run_slices(run_t * run, int32_t first)
{
  int32_t next = first, slot_count = 0;
  bool is_fine = true;
  for (; slot_count < STREAMS && next < run->view->robot_count && is_fine; ++slot_count) {
    const int32_t left = run->view->robot_count - next;
    const fw_cuda_slice_t slice = {next, left < run->slice_robots ? left : run->slice_robots};
    is_fine = begin_slice(run, &run->slots[slot_count], slice);
    next += slice.count;
  }
  is_fine = is_fine && run_episodes(run, slot_count);
  int32_t done = first;
  for (int32_t i = 0; i < slot_count && is_fine; ++i) {
    slot_t * slot = &run->slots[i];
    is_fine = check(
                &run->calls, "cudaMemcpyAsync",
                cudaMemcpyAsync(
                  slot->staging, slot->rows, fw__cuda_slice_bytes(run->view, slot->slice.count), cudaMemcpyDeviceToHost,
                  slot->stream)) &&
              check(&run->calls, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
    if (is_fine) {
      fw__cuda_slice_unpack(run->view, slot->slice, slot->staging);
      done = slot->slice.first + slot->slice.count;
    }
  }
  FW_ASSERT(done == first || done % FW_BLOCK_ROBOTS == 0 || done == run->view->robot_count);
  return done;
}

static bool run_device(const fw_device_request_t * request, int32_t * done, char * text, size_t text_size)
{
  run_t run = {.calls = {.text = text, .text_size = text_size}, .request = request, .view = request->view};
  *done = 0;
  bool is_fine = open_run(&run);
  while (is_fine && *done < request->view->robot_count) {
    *done = run_slices(&run, *done);
    is_fine = !run.calls.has_failed;
  }
  close_run(&run);
  return *done >= request->view->robot_count;
}

static bool find_device(int32_t number, char name[FW_DEVICE_NAME_SIZE], char * text, size_t text_size)
{
  calls_t calls = {.text = text, .text_size = text_size};
  struct cudaDeviceProp properties;
  if (
    !count_devices(&calls, number) ||
    !check(&calls, "cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, number))) {
    return false;
  }
  (void)snprintf(name, FW_DEVICE_NAME_SIZE, "%.*s", FW_DEVICE_NAME_SIZE - 1, properties.name);
  return true;
}

const fw_device_t fw__cuda_device = {.name = "cuda", .find = find_device, .run = run_device};
