// The launch code: keeps the robots of a batch on a CUDA device and runs their episodes there.
//
// A session takes all its memory when it is opened. If all robots fit, they are resident: the first run uploads
// everything, a later one only what the host has changed, and what comes back is a report of the robots that ran.
// Robots that have arrived are taken off the list of robots that run, so that their threads and bytes are saved. If
// they do not fit, every run takes them through the device in slices, two at a time, each in a stream of its own.
//
// The host's rows do not change before a run, or a slice, has ended well: results come back into staging memory and are
// unpacked when their stream has been synchronised. So wherever a call fails, the rows are as they were. This is C and
// calls only the runtime's C functions, so that it compiles against the test double (test/cuda) as well.

#include "rtaa_device.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "rtaa_fused.h"
#include "rtaa_kernels.h"
#include "rtaa_pack.h"

enum { STREAMS = 2 };
enum { CHUNK_EPISODES = 64 };  // after this many episodes the host checks whether any robot is still under way

// The first failure is kept, with the name of the call. After it only memory is given back.
typedef struct calls_t {
  char * text;  // receives the failure
  size_t text_size;
  bool has_failed;
} calls_t;

// Robots on the device, and staging memory for them on the host.
typedef struct slot_t {
  cudaStream_t stream;
  bool has_stream;
  unsigned char * rows;     // on the device
  unsigned char * lanes;    // on the device, for the staged kernels
  unsigned char * running;  // on the device: how many robots are still under way, an int32_t
  unsigned char * staging;  // the rows, and behind them that number
  fw_cuda_slice_t slice;
} slot_t;

typedef struct fw_device_session_t {
  fw_allocator_t allocator;
  const fw_rtaa_view_t * view;  // the host's
  int32_t number;
  size_t memory_max_bytes;
  bool is_fused;
  int32_t pool_lanes;  // of a block in the fused kernel
  bool is_resident;
  unsigned char * maps;   // on the device: cost, moves, floor, truth
  int32_t slice_robots;   // the most in a slice
  slot_t slots[STREAMS];  // of resident robots only the first
  // Of resident robots: the list of those that run, with the host's changes behind it, so that both are one copy; and
  // the report.
  unsigned char * input;
  unsigned char * input_staging;
  unsigned char * report;
  uint8_t * is_listed;  // by robot
  int32_t list_count;
  int32_t * list;  // in input_staging
} session_t;

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

static size_t cells_of(const session_t * session)
{
  return (size_t)session->view->width * (size_t)session->view->height;
}

static size_t align(size_t bytes) { return (bytes + 255) & ~(size_t)255; }

static size_t rows_bytes(const session_t * session, int32_t robots)
{
  return (size_t)fw__cuda_rows_bytes(session->view, robots);
}

static size_t slot_bytes(const session_t * session, int32_t robots)
{
  const size_t lanes = session->is_fused ? 0 : fw__cuda_lanes_bytes(session->view, robots);
  return align(rows_bytes(session, robots)) + align(lanes) + align(sizeof(int32_t));
}

// The list ends, and the changes begin, at this offset of the input. A list of fewer robots begins later.
static size_t list_end(const session_t * session) { return align((size_t)session->view->robot_count * 4); }

static size_t input_bytes(const session_t * session)
{
  return list_end(session) + (size_t)session->view->robot_count * sizeof(fw_rtaa_robot_change_t) +
         FW_DEVICE_CELLS_MAX * sizeof(fw_rtaa_cell_change_t);
}

static size_t report_bytes(const session_t * session, int32_t robots)
{
  return (size_t)fw__cuda_report_bytes(session->view, robots);
}

// Offset of the number of robots under way in a slot's staging memory.
static size_t running_offset(const session_t * session) { return align(rows_bytes(session, session->slice_robots)); }

// Decides whether all robots fit; else sets slice_robots to the largest slices of whole blocks of which STREAMS do.
static bool size_slices(calls_t * calls, session_t * session)
{
  size_t free_bytes = 0, total_bytes = 0;
  if (!check(calls, "cudaMemGetInfo", cudaMemGetInfo(&free_bytes, &total_bytes))) {
    return false;
  }
  const size_t limit = session->memory_max_bytes;
  const size_t most = limit > 0 && limit < free_bytes ? limit : free_bytes - free_bytes / 16;
  const size_t maps = align(4 * cells_of(session));
  const int32_t robots = session->view->robot_count;
  const size_t resident =
    maps + slot_bytes(session, robots) + align(input_bytes(session)) + report_bytes(session, robots);
  const size_t block = slot_bytes(session, FW_BLOCK_ROBOTS);
  const size_t blocks = most > maps ? (most - maps) / STREAMS / block : 0;
  session->is_resident = resident <= most;
  if (!session->is_resident && blocks == 0) {
    calls->has_failed = true;
    (void)snprintf(
      calls->text, calls->text_size, "%zu bytes of device memory are too few, %zu are needed", most,
      maps + STREAMS * block);
    return false;
  }
  const size_t wanted = ((size_t)robots + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS;
  const size_t half = (wanted + STREAMS - 1) / STREAMS;
  session->slice_robots = session->is_resident ? robots : (int32_t)((blocks < half ? blocks : half) * FW_BLOCK_ROBOTS);
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

static bool use_device(calls_t * calls, session_t * session, bool is_fused)
{
  int block_max = 0, multiprocessor_max = 0;  // shared memory, in bytes
  if (
    !check(calls, "cudaSetDevice", cudaSetDevice(session->number)) ||
    !check(
      calls, "cudaDeviceGetAttribute",
      cudaDeviceGetAttribute(&block_max, cudaDevAttrMaxSharedMemoryPerBlock, session->number)) ||
    !check(
      calls, "cudaDeviceGetAttribute",
      cudaDeviceGetAttribute(&multiprocessor_max, cudaDevAttrMaxSharedMemoryPerMultiprocessor, session->number))) {
    return false;
  }
  session->pool_lanes = fw__rtaa_block_lanes(session->view->lookahead, block_max, multiprocessor_max);
  session->is_fused = is_fused && session->pool_lanes > 0;
  return true;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static bool take(calls_t * calls, unsigned char ** memory, size_t bytes)
{
  return check(calls, "cudaMalloc", cudaMalloc((void **)memory, bytes));
}

static bool take_staging(calls_t * calls, unsigned char ** memory, size_t bytes)
{
  return check(calls, "cudaMallocHost", cudaMallocHost((void **)memory, bytes));
}

static bool open_slot(calls_t * calls, session_t * session, slot_t * slot)
{
  const size_t lanes = fw__cuda_lanes_bytes(session->view, session->slice_robots);
  if (!check(calls, "cudaStreamCreate", cudaStreamCreate(&slot->stream))) {
    return false;
  }
  slot->has_stream = true;
  return take(calls, &slot->rows, rows_bytes(session, session->slice_robots)) &&
         take(calls, &slot->running, sizeof(int32_t)) &&
         take_staging(calls, &slot->staging, running_offset(session) + sizeof(int32_t)) &&
         (session->is_fused || (take(calls, &slot->lanes, lanes) &&
                                check(calls, "cudaMemsetAsync", cudaMemsetAsync(slot->lanes, 0, lanes, slot->stream))));
}

static bool open_resident(calls_t * calls, session_t * session)
{
  return take(calls, &session->input, input_bytes(session)) &&
         take_staging(calls, &session->input_staging, input_bytes(session)) &&
         take(calls, &session->report, report_bytes(session, session->view->robot_count));
}

// Gives everything back, after failures too. A lost device reports its failure again, which changes nothing.
static void close_session(session_t * session)
{
  char text[FW_DEVICE_TEXT_SIZE];
  calls_t calls = {.text = text, .text_size = sizeof(text)};
  const fw_allocator_t allocator = session->allocator;
  (void)check(&calls, "cudaSetDevice", cudaSetDevice(session->number));
  for (int32_t i = 0; i < STREAMS; ++i) {
    slot_t * slot = &session->slots[i];
    if (slot->has_stream) {
      (void)check(&calls, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
      (void)check(&calls, "cudaStreamDestroy", cudaStreamDestroy(slot->stream));
    }
    (void)(slot->rows == NULL || check(&calls, "cudaFree", cudaFree(slot->rows)));
    (void)(slot->lanes == NULL || check(&calls, "cudaFree", cudaFree(slot->lanes)));
    (void)(slot->running == NULL || check(&calls, "cudaFree", cudaFree(slot->running)));
    (void)(slot->staging == NULL || check(&calls, "cudaFreeHost", cudaFreeHost(slot->staging)));
  }
  (void)(session->input == NULL || check(&calls, "cudaFree", cudaFree(session->input)));
  (void)(session->input_staging == NULL || check(&calls, "cudaFreeHost", cudaFreeHost(session->input_staging)));
  (void)(session->report == NULL || check(&calls, "cudaFree", cudaFree(session->report)));
  (void)(session->maps == NULL || check(&calls, "cudaFree", cudaFree(session->maps)));
  fw__deallocate(&allocator, session->is_listed);
  fw__deallocate(&allocator, session);
}

static bool open_session(
  const fw_device_request_t * request, session_t ** opened, bool * is_resident, char * text, size_t text_size)
{
  calls_t calls = {.text = text, .text_size = text_size};
  session_t * session = fw__allocate_array(&request->allocator, 1, sizeof(*session));
  if (session == NULL) {
    (void)snprintf(text, text_size, "out of memory");
    return false;
  }
  *session = (session_t){
    .allocator = request->allocator,
    .view = request->view,
    .number = request->number,
    .memory_max_bytes = request->memory_max_bytes,
  };
  session->is_listed = fw__allocate_array(&request->allocator, (size_t)request->view->robot_count, 1);
  bool is_fine = session->is_listed != NULL;
  if (!is_fine) {
    (void)snprintf(text, text_size, "out of memory");
  }
  is_fine = is_fine && use_device(&calls, session, request->is_fused) && size_slices(&calls, session) &&
            take(&calls, &session->maps, 4 * cells_of(session));
  for (int32_t i = 0; i < (session->is_resident ? 1 : STREAMS) && is_fine; ++i) {
    is_fine = open_slot(&calls, session, &session->slots[i]);
  }
  is_fine = is_fine && (!session->is_resident || open_resident(&calls, session));
  if (!is_fine) {
    close_session(session);
    return false;
  }
  *opened = session;
  *is_resident = session->is_resident;
  return true;
}

// ---- copies and launches --------------------------------------------------------------------------------------------

typedef struct copy_t {
  void * to;
  const void * from;
  size_t bytes;
} copy_t;

static bool upload(calls_t * calls, const slot_t * slot, copy_t copy)
{
  return check(
    calls, "cudaMemcpyAsync", cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyHostToDevice, slot->stream));
}

static bool download(calls_t * calls, const slot_t * slot, copy_t copy)
{
  return check(
    calls, "cudaMemcpyAsync", cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyDeviceToHost, slot->stream));
}

static bool synchronise(calls_t * calls, const slot_t * slot)
{
  return check(calls, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
}

// The maps that differ: where every cell costs 1 `floor` is `moves`, where everything is known `truth` is `cost`.
static bool upload_maps(calls_t * calls, session_t * session)
{
  const fw_rtaa_view_t * view = session->view;
  const size_t cells = cells_of(session);
  const uint8_t * const maps[] = {
    view->cost, view->moves, view->floor != view->moves ? view->floor : NULL,
    view->truth != view->cost ? view->truth : NULL};
  bool is_fine = true;
  for (size_t i = 0; i < 4 && is_fine; ++i) {
    is_fine = maps[i] == NULL ||
              check(calls, "cudaMemcpy", cudaMemcpy(session->maps + i * cells, maps[i], cells, cudaMemcpyHostToDevice));
  }
  return is_fine;
}

static fw_cuda_arguments_t arguments_of(const session_t * session, const slot_t * slot)
{
  const fw_rtaa_view_t * view = session->view;
  const size_t cells = cells_of(session);
  uint8_t * cost = session->maps;
  uint8_t * moves = session->maps + cells;
  return (fw_cuda_arguments_t){
    .rows = slot->rows,
    .cost = cost,
    .moves = moves,
    .floor = view->floor != view->moves ? session->maps + 2 * cells : moves,
    .truth = view->truth != view->cost ? session->maps + 3 * cells : cost,
    .lanes = slot->lanes,
    .width = view->width,
    .height = view->height,
    .lookahead = view->lookahead,
    .moves_max = view->moves_max,
    .connectivity = view->connectivity,
    .sight = view->sight,
    .robot_count = slot->slice.count,
    .list_count = slot->slice.count,
    .pool_lanes = session->pool_lanes,
  };
}

// One thread for each of `count`.
typedef struct launch_t {
  int32_t kernel;
  int32_t count;
  size_t shared_bytes;
} launch_t;

static bool launch(calls_t * calls, const slot_t * slot, launch_t work, fw_cuda_arguments_t * given)
{
  FW_ASSERT(work.kernel >= 0 && work.kernel < FW_RTAA_KERNELS && work.count >= 1);
  void * arguments[FW_CUDA_ARGUMENTS] = {
    &given->rows,
    &given->cost,
    &given->moves,
    &given->floor,
    &given->truth,
    &given->lanes,
    &given->list,
    &given->report,
    &given->robot_changes,
    &given->cell_changes,
    &given->running,
    &given->width,
    &given->height,
    &given->lookahead,
    &given->moves_max,
    &given->connectivity,
    &given->sight,
    &given->robot_count,
    &given->list_count,
    &given->robot_change_count,
    &given->cell_change_count,
    &given->episodes,
    &given->is_last,
    &given->pool_lanes,
  };
  const dim3 grid = {(unsigned int)((work.count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS), 1, 1};
  const dim3 block = {FW_BLOCK_ROBOTS, 1, 1};
  return check(
    calls, "cudaLaunchKernel",
    cudaLaunchKernel(fw__rtaa_kernels[work.kernel], grid, block, arguments, work.shared_bytes, slot->stream));
}

// The fused kernel with constants for these arguments, if there is one.
static int32_t choose_fused(const fw_cuda_arguments_t * given)
{
  const bool is_known = given->sight == 0 && given->truth == given->cost;
  if (is_known && given->lookahead == 3 && given->connectivity == 8 && given->floor == given->moves) {
    return FW_RTAA_FUSED_3_8;
  }
  if (is_known && given->lookahead == 8) {
    return given->connectivity == 8 ? FW_RTAA_FUSED_8_8 : FW_RTAA_FUSED_8_4;
  }
  return FW_RTAA_FUSED;
}

// Launches the episodes of `given`.
static bool launch_episodes(
  calls_t * calls, const session_t * session, const slot_t * slot, fw_cuda_arguments_t * given)
{
  const int32_t episodes = given->episodes;
  bool is_fine = true;
  if (session->is_fused) {
    const size_t shared_bytes = (size_t)fw__rtaa_block_bytes(session->view->lookahead, session->pool_lanes);
    return launch(calls, slot, (launch_t){choose_fused(given), given->list_count, shared_bytes}, given);
  }
  for (int32_t episode = 0; episode < episodes && is_fine; ++episode) {
    given->episodes = episodes - episode;
    for (int32_t kernel = FW_RTAA_INITIALIZE_ARRAY; kernel <= FW_RTAA_UPDATE_AND_CHECK && is_fine; ++kernel) {
      is_fine = launch(calls, slot, (launch_t){kernel, given->list_count, 0}, given);
    }
  }
  return is_fine;
}

// Launches the next of `left` episodes. If others follow them, also counts the robots that are still under way.
static bool launch_chunk(
  calls_t * calls, const session_t * session, const slot_t * slot, fw_cuda_arguments_t * given, int32_t left)
{
  const bool is_last = left <= CHUNK_EPISODES;
  given->episodes = is_last ? left : CHUNK_EPISODES;
  given->is_last = is_last ? 1 : 0;
  given->running = is_last ? NULL : (int32_t *)slot->running;
  if (is_last) {
    return launch_episodes(calls, session, slot, given);
  }
  const copy_t count = {slot->staging + running_offset(session), slot->running, sizeof(int32_t)};
  return check(calls, "cudaMemsetAsync", cudaMemsetAsync(slot->running, 0, sizeof(int32_t), slot->stream)) &&
         launch_episodes(calls, session, slot, given) && download(calls, slot, count);
}

static int32_t read_running(const session_t * session, const slot_t * slot)
{
  int32_t running = 0;
  memcpy(&running, slot->staging + running_offset(session), sizeof(running));
  return running;
}

// ---- resident robots ------------------------------------------------------------------------------------------------

// The list of robots that run is made anew when a robot is under way that is not on it, or when a quarter of it is not.
static bool is_list_outdated(const session_t * session, const fw_device_run_t * run)
{
  const fw_rtaa_view_t * view = session->view;
  int32_t running = 0;
  for (int32_t i = 0; i < run->robot_count; ++i) {
    if (run->robots[i].state == FW_RTAA_RUNNING && session->is_listed[run->robots[i].index] == 0) {
      return true;
    }
  }
  for (int32_t i = 0; i < session->list_count; ++i) {
    running += view->state[session->list[i]] == FW_RTAA_RUNNING ? 1 : 0;
  }
  return run->are_rows_new || running * 4 < session->list_count * 3;
}

static void make_list(session_t * session)
{
  const fw_rtaa_view_t * view = session->view;
  int32_t count = 0;
  for (int32_t robot = 0; robot < view->robot_count; ++robot) {
    session->is_listed[robot] = view->state[robot] == FW_RTAA_RUNNING ? 1 : 0;
    count += session->is_listed[robot];
  }
  session->list_count = count;
  session->list = (int32_t *)(session->input_staging + list_end(session)) - count;
  for (int32_t robot = 0, at = 0; robot < view->robot_count; ++robot) {
    if (session->is_listed[robot] != 0) {
      session->list[at++] = robot;
    }
  }
}

// Sends the list, if it is new, and the host's changes in one copy, and applies the changes.
static bool send_changes(calls_t * calls, session_t * session, const fw_device_run_t * run, fw_cuda_arguments_t * given)
{
  const slot_t * slot = &session->slots[0];
  const bool is_list_new = is_list_outdated(session, run);
  if (is_list_new) {
    make_list(session);
  }
  const size_t robot_bytes = (size_t)run->robot_count * sizeof(*run->robots);
  const size_t cell_bytes = (size_t)run->cell_count * sizeof(*run->cells);
  const size_t list_begin = list_end(session) - (size_t)session->list_count * sizeof(*session->list);
  const size_t begin = is_list_new ? list_begin : list_end(session);
  const size_t end = list_end(session) + robot_bytes + cell_bytes;
  if (robot_bytes > 0) {
    memcpy(session->input_staging + list_end(session), run->robots, robot_bytes);
  }
  if (cell_bytes > 0) {
    memcpy(session->input_staging + list_end(session) + robot_bytes, run->cells, cell_bytes);
  }
  given->list = (const int32_t *)(session->input + list_begin);
  given->list_count = session->list_count;
  given->robot_changes = (const fw_rtaa_robot_change_t *)(session->input + list_end(session));
  given->cell_changes = (const fw_rtaa_cell_change_t *)(session->input + list_end(session) + robot_bytes);
  given->robot_change_count = run->robot_count;
  given->cell_change_count = run->cell_count;
  const int32_t threads = run->robot_count > run->cell_count ? run->robot_count : run->cell_count;
  return (begin == end ||
          upload(calls, slot, (copy_t){session->input + begin, session->input_staging + begin, end - begin})) &&
         (threads == 0 || launch(calls, slot, (launch_t){FW_RTAA_APPLY, threads, 0}, given));
}

// All episodes, in pieces between which the host looks whether any robot is still under way; then the report.
static bool run_listed(calls_t * calls, session_t * session, fw_cuda_arguments_t * given, int32_t episodes)
{
  slot_t * slot = &session->slots[0];
  const size_t bytes = report_bytes(session, session->list_count);
  bool is_fine = launch_chunk(calls, session, slot, given, episodes);
  for (int32_t left = episodes - CHUNK_EPISODES; left > 0 && is_fine; left -= CHUNK_EPISODES) {
    is_fine = synchronise(calls, slot);
    if (is_fine && read_running(session, slot) == 0) {
      break;  // all have been reported
    }
    is_fine = is_fine && launch_chunk(calls, session, slot, given, left);
  }
  return is_fine && download(calls, slot, (copy_t){slot->staging, session->report, bytes}) && synchronise(calls, slot);
}

static bool run_resident(calls_t * calls, session_t * session, const fw_device_run_t * run)
{
  slot_t * slot = &session->slots[0];
  slot->slice = (fw_cuda_slice_t){0, session->view->robot_count};
  if (run->are_rows_new) {
    fw__cuda_pack(session->view, slot->slice, slot->staging);
    if (!upload(calls, slot, (copy_t){slot->rows, slot->staging, rows_bytes(session, slot->slice.count)})) {
      return false;
    }
  }
  fw_cuda_arguments_t given = arguments_of(session, slot);
  given.report = session->report;
  if (!send_changes(calls, session, run, &given)) {
    return false;
  }
  if (session->list_count == 0) {
    return synchronise(calls, slot);  // the staging memory is free for the next run
  }
  if (!run_listed(calls, session, &given, run->episodes)) {
    return false;
  }
  fw__cuda_unpack_report(session->view, session->list, session->list_count, slot->staging);
  return true;
}

static bool fetch_learned_values(session_t * session, char * text, size_t text_size)
{
  calls_t calls = {.text = text, .text_size = text_size};
  slot_t * slot = &session->slots[0];
  const fw_rtaa_view_t rows = fw__cuda_rows(session->view, session->view->robot_count, slot->rows);
  const size_t bytes =
    (size_t)session->view->robot_count * (size_t)fw__rtaa_window_size(session->view->lookahead) * sizeof(*rows.window);
  FW_ASSERT(session->is_resident);
  if (
    !check(&calls, "cudaSetDevice", cudaSetDevice(session->number)) ||
    !download(&calls, slot, (copy_t){slot->staging, rows.window, bytes}) || !synchronise(&calls, slot)) {
    return false;
  }
  fw__cuda_unpack_windows(session->view, (const uint16_t *)slot->staging);
  return true;
}

// ---- slices ---------------------------------------------------------------------------------------------------------

// Packs a slice, and starts its copy to the device and its first episodes.
static bool begin_slice(calls_t * calls, session_t * session, slot_t * slot, int32_t episodes)
{
  const fw_cuda_slice_t slice = slot->slice;
  FW_ASSERT(slice.count >= 1 && slice.count <= session->slice_robots && slice.first % FW_BLOCK_ROBOTS == 0);
  FW_ASSERT(slice.first + slice.count <= session->view->robot_count);
  fw__cuda_pack(session->view, slice, slot->staging);
  fw_cuda_arguments_t given = arguments_of(session, slot);
  return upload(calls, slot, (copy_t){slot->rows, slot->staging, rows_bytes(session, slice.count)}) &&
         (session->is_fused ||
          check(
            calls, "cudaMemsetAsync",
            cudaMemsetAsync(slot->lanes, 0, fw__cuda_lanes_bytes(session->view, slice.count), slot->stream))) &&
         launch_chunk(calls, session, slot, &given, episodes);
}

// The other episodes of the slices that have begun, as long as any of their robots is under way.
static bool continue_slices(calls_t * calls, session_t * session, int32_t slot_count, int32_t episodes)
{
  bool is_fine = true;
  for (int32_t left = episodes - CHUNK_EPISODES; left > 0 && is_fine; left -= CHUNK_EPISODES) {
    int32_t running = 0;
    for (int32_t i = 0; i < slot_count && is_fine; ++i) {
      is_fine = synchronise(calls, &session->slots[i]);
      running += is_fine ? read_running(session, &session->slots[i]) : 0;
    }
    if (running == 0) {
      return is_fine;
    }
    for (int32_t i = 0; i < slot_count && is_fine; ++i) {
      fw_cuda_arguments_t given = arguments_of(session, &session->slots[i]);
      is_fine = launch_chunk(calls, session, &session->slots[i], &given, left);
    }
  }
  return is_fine;
}

// Up to STREAMS slices from robot `first` on: a slice runs while the next one is packed. Returns the first robot that
// is not done: `first` if something failed before any slice was.
static int32_t run_slices(calls_t * calls, session_t * session, int32_t first, int32_t episodes)
{
  int32_t next = first, slot_count = 0, done = first;
  bool is_fine = true;
  for (; slot_count < STREAMS && next < session->view->robot_count && is_fine; ++slot_count) {
    const int32_t left = session->view->robot_count - next;
    slot_t * slot = &session->slots[slot_count];
    slot->slice = (fw_cuda_slice_t){next, left < session->slice_robots ? left : session->slice_robots};
    is_fine = begin_slice(calls, session, slot, episodes);
    next += slot->slice.count;
  }
  is_fine = is_fine && continue_slices(calls, session, slot_count, episodes);
  for (int32_t i = 0; i < slot_count && is_fine; ++i) {
    slot_t * slot = &session->slots[i];
    is_fine = download(calls, slot, (copy_t){slot->staging, slot->rows, rows_bytes(session, slot->slice.count)});
  }
  for (int32_t i = 0; i < slot_count && is_fine; ++i) {
    slot_t * slot = &session->slots[i];
    is_fine = synchronise(calls, slot);
    if (is_fine) {
      fw__cuda_unpack(session->view, slot->slice, slot->staging);
      done = slot->slice.first + slot->slice.count;
    }
  }
  FW_ASSERT(done == first || done % FW_BLOCK_ROBOTS == 0 || done == session->view->robot_count);
  return done;
}

// ---- the device -----------------------------------------------------------------------------------------------------

// The runtime's current device is a matter of the calling thread, which may be another one in each call.
static bool run_session(session_t * session, const fw_device_run_t * run, int32_t * done, char * text, size_t text_size)
{
  calls_t calls = {.text = text, .text_size = text_size};
  *done = 0;
  bool is_fine = check(&calls, "cudaSetDevice", cudaSetDevice(session->number)) &&
                 (!run->is_map_new || upload_maps(&calls, session));
  if (session->is_resident) {
    return is_fine && run_resident(&calls, session, run);
  }
  while (is_fine && *done < session->view->robot_count) {
    *done = run_slices(&calls, session, *done, run->episodes);
    is_fine = !calls.has_failed;
  }
  return is_fine;
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

const fw_device_t fw__cuda_device = {
  .name = "cuda",
  .find = find_device,
  .open = open_session,
  .run = run_session,
  .fetch = fetch_learned_values,
  .close = close_session,
};
