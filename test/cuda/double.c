// A test double of the CUDA runtime on host memory.
//
// Memory comes from malloc, so that the address sanitizer finds every access outside it. Asynchronous work waits in its
// stream until the stream is synchronised, as late as a device may run it, so that code that forgets to wait reads old
// bytes. Copies whose direction contradicts their addresses are refused, and streams and memory of another device than
// the one in use (the runtime is not as strict with streams in all its calls). Kernels run thread by thread.

#include "double.h"

#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "double/cuda_keywords.h"
#include "rtaa_kernels.h"

enum { DEVICES_MAX = 16, BLOCKS_MAX = 256, WORK_MAX = 1 << 16, SHARED_MAX = 227 << 10 };

fw_double_index_t threadIdx, blockIdx, blockDim;
int fw_double_order;
uint64_t fw__rtaa_shared[SHARED_MAX / sizeof(uint64_t)];

typedef struct memory_t {
  char * bytes;
  size_t size;
  bool is_device;
  int device;
} memory_t;

typedef enum work_kind_t { COPY, SET, LAUNCH } work_kind_t;

typedef struct work_t {
  work_kind_t kind;
  void * to;
  const void * from;
  size_t bytes;
  int value;
  void (*kernel)(FW_CUDA_PARAMETERS);
  fw_cuda_arguments_t arguments;
  unsigned int grid;
  unsigned int block;
} work_t;

struct fw_double_stream_t {
  work_t * work;
  int32_t count;
  int device;
};

static struct {
  int count;
  int current;
  memory_t blocks[BLOCKS_MAX];
  int streams;
  size_t memory_bytes;  // of each device
  size_t used_bytes[DEVICES_MAX];
  size_t peak_bytes;
  int calls;
  int launches;
  int launched_blocks;
  int queued;  // streams with work that nobody has waited for
  int alone;   // copies to a device that no other stream's work went beside
  double_count_t counts[DEVICES_MAX];
  int fail_at;
  cudaError_t error;
  bool is_lost;
  int lost;  // the number of the device, -1: none
  const char * name;
  const char * failed;
  int shared_bytes;
  int multiprocessor_bytes;
} device;

// ---- for tests ------------------------------------------------------------------------------------------------------

int double_live(void)
{
  int live = device.streams;
  for (int i = 0; i < BLOCKS_MAX; ++i) {
    live += device.blocks[i].bytes != NULL ? 1 : 0;
  }
  return live;
}

void double_reset(size_t memory_bytes)
{
  if (double_live() > 0) {
    abort();
  }
  memset(&device, 0, sizeof(device));
  device.memory_bytes = memory_bytes;
  device.count = memory_bytes > 0 ? 1 : 0;
  device.shared_bytes = 48 << 10;  // as on all devices
  device.multiprocessor_bytes = 100 << 10;
  device.lost = -1;
  device.failed = "";
}

void double_fail(int call, int error, bool is_lost)
{
  device.calls = 0;
  memset(device.counts, 0, sizeof(device.counts));
  device.fail_at = call;
  device.error = (cudaError_t)error;
  device.is_lost = is_lost;
}

int double_calls(void) { return device.calls; }
const char * double_failed(void) { return device.failed; }
size_t double_peak_bytes(void) { return device.peak_bytes; }
int double_launches(void) { return device.launches; }
int double_blocks(void) { return device.launched_blocks; }
int double_lone_uploads(void) { return device.alone; }
double_count_t double_count(int number) { return device.counts[number]; }

size_t double_up_bytes(void)
{
  size_t bytes = 0;
  for (int i = 0; i < DEVICES_MAX; ++i) {
    bytes += device.counts[i].up_bytes;
  }
  return bytes;
}

size_t double_down_bytes(void)
{
  size_t bytes = 0;
  for (int i = 0; i < DEVICES_MAX; ++i) {
    bytes += device.counts[i].down_bytes;
  }
  return bytes;
}

void double_set_count(int count) { device.count = count; }
void double_set_name(const char * name) { device.name = name; }
int double_current(void) { return device.current; }
void double_set_shared(int bytes) { device.shared_bytes = bytes; }

// Counts a call that concerns a device. Returns the error that it must return.
static cudaError_t enter_on(const char * name, int number)
{
  ++device.calls;
  ++device.counts[number >= 0 && number < DEVICES_MAX ? number : 0].calls;
  if (device.fail_at > 0 && device.calls == device.fail_at) {
    device.failed = name;
    device.lost = device.is_lost ? number : -1;
    return device.error;
  }
  return device.lost >= 0 && device.lost == number ? device.error : cudaSuccess;
}

static cudaError_t enter(const char * name) { return enter_on(name, device.current); }

// ---- devices --------------------------------------------------------------------------------------------------------

const char * cudaGetErrorString(cudaError_t error)
{
  return error == cudaErrorInsufficientDriver ? "CUDA driver version is insufficient for CUDA runtime version"
                                              : "as the test wished";
}

// Like the real function it leaves the count untouched when it fails.
cudaError_t cudaGetDeviceCount(int * count)
{
  const cudaError_t error = enter("cudaGetDeviceCount");
  if (error == cudaSuccess) {
    *count = device.count;
  }
  return error;
}

cudaError_t cudaSetDevice(int number)
{
  const cudaError_t error = enter_on("cudaSetDevice", number);
  if (error == cudaSuccess && number >= 0 && number < device.count) {
    device.current = number;
  }
  return error != cudaSuccess ? error : number >= 0 && number < device.count ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp * properties, int number)
{
  const cudaError_t error = enter("cudaGetDeviceProperties");
  if (error == cudaSuccess && (number < 0 || number >= device.count)) {
    return cudaErrorInvalidDevice;
  }
  if (device.name != NULL) {
    (void)snprintf(properties->name, sizeof(properties->name), "%s", device.name);
  } else {
    (void)snprintf(properties->name, sizeof(properties->name), "Test double %d", number);
  }
  return error;
}

cudaError_t cudaDeviceGetAttribute(int * value, enum cudaDeviceAttr attribute, int number)
{
  const cudaError_t error = enter("cudaDeviceGetAttribute");
  if (error == cudaSuccess && number != device.current) {
    return cudaErrorInvalidValue;
  }
  *value = attribute == cudaDevAttrMaxSharedMemoryPerBlock ? device.shared_bytes : device.multiprocessor_bytes;
  return error;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static cudaError_t take(void ** memory, size_t bytes, bool is_device)
{
  for (int i = 0; i < BLOCKS_MAX; ++i) {
    if (device.blocks[i].bytes == NULL) {
      size_t * used = &device.used_bytes[device.current];
      if (is_device && *used + bytes > device.memory_bytes) {
        return cudaErrorMemoryAllocation;
      }
      device.blocks[i] =
        (memory_t){.bytes = malloc(bytes), .size = bytes, .is_device = is_device, .device = device.current};
      memset(device.blocks[i].bytes, 0xa5, bytes);  // so that reading before writing is noticed
      *used += is_device ? bytes : 0;
      device.peak_bytes = *used > device.peak_bytes ? *used : device.peak_bytes;
      *memory = device.blocks[i].bytes;
      return cudaSuccess;
    }
  }
  return cudaErrorMemoryAllocation;
}

// A lost device frees nothing, but its memory is gone: free it here as well.
static cudaError_t give(void * memory, bool is_device)
{
  for (int i = 0; i < BLOCKS_MAX; ++i) {
    if (device.blocks[i].bytes == memory && device.blocks[i].is_device == is_device) {
      device.used_bytes[device.blocks[i].device] -= is_device ? device.blocks[i].size : 0;
      free(memory);
      device.blocks[i] = (memory_t){0};
      return cudaSuccess;
    }
  }
  return cudaErrorInvalidValue;
}

static bool is_within(const void * memory, size_t bytes, bool is_device)
{
  for (int i = 0; i < BLOCKS_MAX; ++i) {
    const memory_t * block = &device.blocks[i];
    const uintptr_t at = (uintptr_t)memory, first = (uintptr_t)block->bytes;
    if (block->bytes != NULL && block->is_device && at >= first && at < first + block->size) {
      return is_device && at + bytes <= first + block->size && block->device == device.current;
    }
  }
  return !is_device;  // everything else is host memory
}

static bool is_direction_right(const void * to, const void * from, size_t bytes, enum cudaMemcpyKind kind)
{
  const bool is_up = kind == cudaMemcpyHostToDevice;
  device.counts[device.current].up_bytes += is_up ? bytes : 0;
  device.counts[device.current].down_bytes += is_up ? 0 : bytes;
  return (is_up || kind == cudaMemcpyDeviceToHost) && is_within(to, bytes, is_up) && is_within(from, bytes, !is_up);
}

cudaError_t cudaMemGetInfo(size_t * free_bytes, size_t * total_bytes)
{
  const cudaError_t error = enter("cudaMemGetInfo");
  *free_bytes = device.memory_bytes - device.used_bytes[device.current];
  *total_bytes = device.memory_bytes;
  return error;
}

cudaError_t cudaMalloc(void ** memory, size_t bytes)
{
  const cudaError_t error = enter("cudaMalloc");
  return error != cudaSuccess ? error : take(memory, bytes, true);
}

cudaError_t cudaMallocHost(void ** memory, size_t bytes)
{
  const cudaError_t error = enter("cudaMallocHost");
  return error != cudaSuccess ? error : take(memory, bytes, false);
}

cudaError_t cudaFree(void * memory)
{
  const cudaError_t error = enter("cudaFree");
  const cudaError_t given = give(memory, true);
  return error != cudaSuccess ? error : given;
}

cudaError_t cudaFreeHost(void * memory)
{
  const cudaError_t error = enter("cudaFreeHost");
  const cudaError_t given = give(memory, false);
  return error != cudaSuccess ? error : given;
}

cudaError_t cudaMemcpy(void * to, const void * from, size_t bytes, enum cudaMemcpyKind kind)
{
  const cudaError_t error = enter("cudaMemcpy");
  if (error != cudaSuccess || !is_direction_right(to, from, bytes, kind)) {
    return error != cudaSuccess ? error : cudaErrorInvalidValue;
  }
  memcpy(to, from, bytes);
  return cudaSuccess;
}

// ---- streams --------------------------------------------------------------------------------------------------------

static cudaError_t queue(cudaStream_t stream, work_t work)
{
  if (stream == NULL || stream->count == WORK_MAX || stream->device != device.current) {
    return cudaErrorInvalidValue;
  }
  device.queued += stream->count == 0 ? 1 : 0;
  stream->work[stream->count++] = work;
  return cudaSuccess;
}

static void launch(const work_t * work)
{
  blockDim = (fw_double_index_t){work->block, 1, 1};
  for (unsigned int block = 0; block < work->grid; ++block) {
    memset(fw__rtaa_shared, 0x5a, sizeof(fw__rtaa_shared));  // shared memory is not cleared between blocks
    fw_double_order = (fw_double_order + 61) % 128;
    for (unsigned int thread = 0; thread < work->block; ++thread) {
      blockIdx = (fw_double_index_t){block, 0, 0};
      threadIdx = (fw_double_index_t){thread, 0, 0};
      const fw_cuda_arguments_t * given = &work->arguments;
      work->kernel(
        given->rows, given->cost, given->moves, given->floor, given->truth, given->lanes, given->list, given->report,
        given->robot_changes, given->cell_changes, given->running, given->next, given->block_region, given->cell_region,
        given->cell_number, given->component, given->around_begin, given->near_begin, given->far_row, given->around,
        given->near_anchors, given->far_anchors, given->pieces, given->goal_robots, given->goal_distances, given->width,
        given->height, given->lookahead, given->moves_max, given->connectivity, given->sight, given->robot_count,
        given->list_count, given->report_count, given->robot_change_count, given->cell_change_count, given->episodes,
        given->is_last, given->pool_lanes, given->block_bits, given->piece_count, given->goal_count);
    }
  }
}

static void drain(cudaStream_t stream)
{
  for (int32_t i = 0; i < stream->count; ++i) {
    const work_t * work = &stream->work[i];
    if (work->kind == COPY) {
      memcpy(work->to, work->from, work->bytes);
    } else if (work->kind == SET) {
      memset(work->to, work->value, work->bytes);
    } else {
      launch(work);
    }
  }
  device.queued -= stream->count > 0 ? 1 : 0;
  stream->count = 0;
}

cudaError_t cudaStreamCreate(cudaStream_t * stream)
{
  const cudaError_t error = enter("cudaStreamCreate");
  if (error == cudaSuccess) {
    *stream = calloc(1, sizeof(**stream));
    (*stream)->work = malloc(WORK_MAX * sizeof(*(*stream)->work));
    (*stream)->device = device.current;
    ++device.streams;
  }
  return error;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
  const cudaError_t error = enter("cudaStreamDestroy");
  device.queued -= stream->count > 0 ? 1 : 0;
  free(stream->work);
  free(stream);
  --device.streams;
  return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
  const cudaError_t error = enter("cudaStreamSynchronize");
  if (error != cudaSuccess || stream->device != device.current) {
    return error != cudaSuccess ? error : cudaErrorInvalidValue;
  }
  drain(stream);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void * to, const void * from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
  const cudaError_t error = enter("cudaMemcpyAsync");
  if (error != cudaSuccess || !is_direction_right(to, from, bytes, kind)) {
    return error != cudaSuccess ? error : cudaErrorInvalidValue;
  }
  device.alone += kind == cudaMemcpyHostToDevice && device.queued == (stream->count > 0 ? 1 : 0) ? 1 : 0;
  return queue(stream, (work_t){.kind = COPY, .to = to, .from = from, .bytes = bytes});
}

cudaError_t cudaMemsetAsync(void * memory, int value, size_t bytes, cudaStream_t stream)
{
  const cudaError_t error = enter("cudaMemsetAsync");
  if (error != cudaSuccess || !is_within(memory, bytes, true)) {
    return error != cudaSuccess ? error : cudaErrorInvalidValue;
  }
  return queue(stream, (work_t){.kind = SET, .to = memory, .value = value, .bytes = bytes});
}

cudaError_t cudaLaunchKernel(
  const void * kernel, dim3 grid, dim3 block, void ** arguments, size_t shared_bytes, cudaStream_t stream)
{
  const cudaError_t error = enter("cudaLaunchKernel");
  ++device.launches;
  if (
    error != cudaSuccess || kernel == NULL || grid.x == 0 || grid.y != 1 || grid.z != 1 || block.x == 0 ||
    block.x > 1024 || block.y != 1 || block.z != 1 || shared_bytes > (size_t)device.shared_bytes) {
    return error != cudaSuccess ? error : cudaErrorInvalidValue;
  }
  work_t work = {.kind = LAUNCH, .grid = grid.x, .block = block.x};
  memcpy(&work.kernel, &kernel, sizeof(kernel));
  // As the runtime does: the values are copied now, by the sizes of the kernel's parameters.
  char * to = (char *)&work.arguments;
  bool is_fine = true;
  for (int i = 0; i < FW_CUDA_ARGUMENTS; ++i) {
    const size_t bytes = i < FW_CUDA_POINTERS ? sizeof(void *) : sizeof(int32_t);
    void * pointer = NULL;
    memcpy(to, arguments[i], bytes);
    memcpy(&pointer, to, i < FW_CUDA_POINTERS ? bytes : 0);
    is_fine = is_fine && (pointer == NULL || is_within(pointer, 1, true));
    to += bytes;
  }
  device.launched_blocks += is_fine ? (int)grid.x : 0;
  return is_fine ? queue(stream, work) : cudaErrorInvalidValue;
}
