// The launch code: keeps the robots of a batch on one or several CUDA devices and runs their episodes there.
//
// A session takes all its memory when it is opened. If all robots fit, they are resident: each device has a part of
// them, whole blocks one after the other. The first run uploads everything, a later one only what the host has changed,
// to each device what concerns its robots and all cells; what comes back is a report of the robots that ran. Robots
// that have arrived are taken off the list of robots that run, so that their threads and bytes are saved. If robots do
// not fit, every run takes them through the devices in slices, each in a stream of its own: while one is packed and
// copied, others run.
//
// Work goes to all devices before the host waits for one, so that they run at the same time; what robots of different
// devices share (cells that one has seen) goes through the host between two runs, as it does with one device.
//
// The host's rows do not change before a run, or a slice, has ended well: results come back into staging memory and are
// unpacked when their streams have been synchronised. So wherever a call fails, the rows are as they were. This is C
// and calls only the runtime's C functions, so that it compiles against the test double (test/cuda) as well.

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

enum { STREAMS = 2 };          // of a device
enum { CHUNK_EPISODES = 64 };  // after this many episodes the host checks whether any robot is still under way

// The first failure is kept, with the name of the call. After it only memory is given back.
typedef struct calls_t {
  char * text;  // receives the failure
  size_t text_size;
  bool has_failed;
  bool names_device;  // there are several
  int32_t current;    // the device in use, which is a matter of the calling thread; -1: not known
} calls_t;

typedef struct copy_t {
  void * to;
  const void * from;
  size_t bytes;
} copy_t;

// Robots on a device, and staging memory for them on the host.
typedef struct slot_t {
  cudaStream_t stream;
  bool has_stream;
  unsigned char * rows;   // on the device
  unsigned char * lanes;  // on the device, for the staged kernels
  // On the device: how many robots are still under way, an int32_t, and two lists of them, of which one is read while
  // the other one is written.
  unsigned char * running;
  unsigned char * staging;  // the rows, and behind them that number
  // The run.
  fw_cuda_slice_t slice;
  fw_cuda_arguments_t given;
  copy_t result;      // the last copy, to staging memory; 0 bytes: there is nothing to copy
  int32_t left;       // episodes that are to be launched
  bool is_returning;  // everything has been launched
  bool is_ready;      // and has ended: the staging memory has the result
} slot_t;

// What a session has on one device.
typedef struct part_t {
  int32_t number;  // of the device
  bool is_fused;
  int32_t pool_lanes;    // of a block in the fused kernel
  unsigned char * maps;  // on the device: cost, moves, floor, truth
  // With regions, on the device: the tables, one behind the other with room to grow, and how much of each is there.
  unsigned char * tables;
  size_t table_rooms[FW_REGION_TABLES];
  size_t table_bytes[FW_REGION_TABLES];
  slot_t slots[STREAMS];
  // With resident robots, which use only the first slot:
  fw_cuda_slice_t robots;
  // The list of robots that run, with the host's changes behind it, so that both are one copy; and the report. Robots
  // have the numbers that they have on the device, from 0.
  unsigned char * input;
  unsigned char * input_staging;
  unsigned char * report;
  int32_t list_count;
  fw_cuda_entry_t * list;  // in input_staging
} part_t;

typedef struct fw_device_session_t {
  fw_allocator_t allocator;
  const fw_rtaa_view_t * view;  // the host's
  size_t memory_max_bytes;      // of each device
  bool is_resident;
  int32_t slice_robots;  // the most in a slice
  uint8_t * is_listed;   // by robot, if robots are resident
  int32_t part_count;
  part_t parts[FW_BATCH_DEVICES_MAX];
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
    char device[24] = "";
    if (calls->names_device) {
      (void)snprintf(device, sizeof(device), "device %d: ", (int)calls->current);
    }
    calls->has_failed = true;
    (void)snprintf(
      calls->text, calls->text_size, "%s%s%s: %.56s (%d)", device, explain((int)status), name,
      cudaGetErrorString(status), (int)status);
  }
  return status == cudaSuccess;
}

static calls_t calls_of(const session_t * session, char * text, size_t text_size)
{
  return (calls_t){.text = text, .text_size = text_size, .names_device = session->part_count > 1, .current = -1};
}

// Calls go to this device from here on. Launches and copies into a stream need that of the stream.
static bool use_device(calls_t * calls, int32_t number)
{
  if (calls->current == number) {
    return true;
  }
  calls->current = number;
  return check(calls, "cudaSetDevice", cudaSetDevice(number));
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

static size_t list_bytes(int32_t robots) { return align((size_t)robots * sizeof(fw_cuda_entry_t)); }

static size_t running_bytes(int32_t robots) { return align(sizeof(int32_t)) + 2 * list_bytes(robots); }

static size_t slot_bytes(const session_t * session, const part_t * part, int32_t robots)
{
  const size_t lanes = part->is_fused ? 0 : fw__cuda_lanes_bytes(session->view, robots);
  return align(rows_bytes(session, robots)) + align(lanes) + running_bytes(robots);
}

// The list ends, and the changes begin, at this offset of the input. A list of fewer robots begins later.
static size_t list_end(const part_t * part) { return list_bytes(part->robots.count); }

// With regions: the most robots whose distances to the goal are sent one by one. Of more robots, those of all are sent.
static size_t goals_max(const session_t * session, const part_t * part)
{
  enum { BYTES = 1 << 20 };
  const size_t robots = (size_t)part->robots.count / 2;
  const size_t most = BYTES / (size_t)session->view->regions->near_goal_pitch;
  return robots < most ? robots : most;
}

// Where the parts of the input lie: the list of robots that run, which ends where the changes begin, and these.
typedef struct input_t {
  size_t robots;
  size_t cells;
  size_t pieces;  // of tables of regions
  size_t goal_robots;
  size_t goal_distances;
  size_t end;
} input_t;

typedef struct change_counts_t {
  size_t robots;
  size_t cells;
  size_t pieces;
  size_t goals;
} change_counts_t;

static input_t place_input(const session_t * session, const part_t * part, change_counts_t counts)
{
  const fw_rtaa_regions_t * regions = session->view->regions;
  input_t input = {.robots = list_end(part)};
  input.cells = input.robots + counts.robots * sizeof(fw_rtaa_robot_change_t);
  input.end = input.cells + counts.cells * sizeof(fw_rtaa_cell_change_t);
  if (regions != NULL && counts.pieces + counts.goals > 0) {
    input.pieces = (input.end + 7) & ~(size_t)7;
    input.goal_robots = input.pieces + counts.pieces * sizeof(fw_cuda_piece_t);
    input.goal_distances = input.goal_robots + counts.goals * sizeof(int32_t);
    input.end = input.goal_distances + counts.goals * (size_t)regions->near_goal_pitch;
  }
  return input;
}

static size_t input_bytes(const session_t * session, const part_t * part)
{
  const bool has_regions = session->view->regions != NULL;
  const change_counts_t most = {
    (size_t)part->robots.count, FW_DEVICE_CELLS_MAX, has_regions ? FW_REGION_PIECES_MAX : 0,
    has_regions ? goals_max(session, part) : 0};
  return place_input(session, part, most).end;
}

// Room for the tables of regions: a quarter more than they need now, since a change of the map or of goals may add to
// them. Returns the bytes of all.
static size_t size_tables(const session_t * session, size_t rooms[FW_REGION_TABLES])
{
  fw_region_table_t tables[FW_REGION_TABLES];
  size_t bytes = 0;
  if (session->view->regions == NULL) {
    return 0;
  }
  fw__region_tables(session->view->regions, tables);
  for (int32_t i = 0; i < FW_REGION_TABLES; ++i) {
    const bool is_fixed = i <= FW_REGION_TABLE_CELL_NUMBER;  // by block or cell
    rooms[i] = align(tables[i].bytes + (is_fixed ? 0 : tables[i].bytes / 4 + 256));
    bytes += rooms[i];
  }
  return bytes;
}

static size_t table_offset(const part_t * part, int32_t table)
{
  size_t offset = 0;
  for (int32_t i = 0; i < table; ++i) {
    offset += part->table_rooms[i];
  }
  return offset;
}

static size_t report_bytes(const session_t * session, int32_t robots)
{
  return (size_t)fw__cuda_report_bytes(session->view, robots);
}

// The most robots that are in a slot at the same time.
static int32_t slot_robots(const session_t * session, const part_t * part)
{
  return session->is_resident ? part->robots.count : session->slice_robots;
}

// Offset of the number of robots under way in a slot's staging memory.
static size_t running_offset(const session_t * session, const part_t * part)
{
  return align(rows_bytes(session, slot_robots(session, part)));
}

// Divides the robots, by blocks: the parts differ by one block at most.
static void divide_robots(session_t * session)
{
  const int32_t robots = session->view->robot_count;
  const int32_t blocks = (robots + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS;
  FW_ASSERT(session->part_count >= 1 && session->part_count <= blocks);
  for (int32_t i = 0; i < session->part_count; ++i) {
    const int32_t first = (int32_t)((int64_t)blocks * i / session->part_count) * FW_BLOCK_ROBOTS;
    const int32_t end = (int32_t)((int64_t)blocks * (i + 1) / session->part_count) * FW_BLOCK_ROBOTS;
    session->parts[i].robots = (fw_cuda_slice_t){first, (end < robots ? end : robots) - first};
  }
}

// What a device has room for.
typedef struct room_t {
  size_t most_bytes;
  size_t least_bytes;   // that slices need
  size_t slice_blocks;  // of which STREAMS slices fit
  bool is_enough;       // for its part of the robots to be resident
} room_t;

static bool measure_device(calls_t * calls, const session_t * session, part_t * part, room_t * room)
{
  int block_max = 0, multiprocessor_max = 0;  // shared memory, in bytes
  size_t free_bytes = 0, total_bytes = 0;
  if (
    !use_device(calls, part->number) ||
    !check(
      calls, "cudaDeviceGetAttribute",
      cudaDeviceGetAttribute(&block_max, cudaDevAttrMaxSharedMemoryPerBlock, part->number)) ||
    !check(
      calls, "cudaDeviceGetAttribute",
      cudaDeviceGetAttribute(&multiprocessor_max, cudaDevAttrMaxSharedMemoryPerMultiprocessor, part->number)) ||
    !check(calls, "cudaMemGetInfo", cudaMemGetInfo(&free_bytes, &total_bytes))) {
    return false;
  }
  part->pool_lanes = fw__rtaa_block_lanes(session->view->lookahead, block_max, multiprocessor_max);
  part->is_fused = part->is_fused && part->pool_lanes > 0;
  const size_t limit = session->memory_max_bytes;
  const size_t most = limit > 0 && limit < free_bytes ? limit : free_bytes - free_bytes / 16;
  const size_t maps = align(4 * cells_of(session)) + size_tables(session, part->table_rooms);
  const int32_t robots = part->robots.count;
  const size_t block = slot_bytes(session, part, FW_BLOCK_ROBOTS);
  const size_t resident =
    maps + slot_bytes(session, part, robots) + align(input_bytes(session, part)) + report_bytes(session, robots);
  *room = (room_t){
    .most_bytes = most,
    .least_bytes = maps + STREAMS * block,
    .slice_blocks = most > maps ? (most - maps) / STREAMS / block : 0,
    .is_enough = resident <= most,
  };
  return true;
}

// Decides whether all robots are resident; else slices are as large as every device has room for.
static bool size_slots(calls_t * calls, session_t * session)
{
  const int32_t parts = session->part_count;
  const size_t wanted = ((size_t)session->view->robot_count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS;
  size_t blocks = (wanted + STREAMS * (size_t)parts - 1) / (STREAMS * (size_t)parts);
  room_t rooms[FW_BATCH_DEVICES_MAX];
  session->is_resident = true;
  for (int32_t i = 0; i < parts; ++i) {
    if (!measure_device(calls, session, &session->parts[i], &rooms[i])) {
      return false;
    }
    session->is_resident = session->is_resident && rooms[i].is_enough;
  }
  for (int32_t i = 0; i < parts && !session->is_resident; ++i) {
    blocks = rooms[i].slice_blocks < blocks ? rooms[i].slice_blocks : blocks;
    if (blocks == 0) {
      calls->has_failed = true;
      (void)snprintf(
        calls->text, calls->text_size, "%zu bytes of device memory are too few, %zu are needed (device %d)",
        rooms[i].most_bytes, rooms[i].least_bytes, (int)session->parts[i].number);
      return false;
    }
  }
  session->slice_robots = (int32_t)blocks * FW_BLOCK_ROBOTS;
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

// ---- memory ---------------------------------------------------------------------------------------------------------

static bool take(calls_t * calls, unsigned char ** memory, size_t bytes)
{
  return check(calls, "cudaMalloc", cudaMalloc((void **)memory, bytes));
}

static bool take_staging(calls_t * calls, unsigned char ** memory, size_t bytes)
{
  return check(calls, "cudaMallocHost", cudaMallocHost((void **)memory, bytes));
}

static bool open_slot(calls_t * calls, const session_t * session, const part_t * part, slot_t * slot)
{
  const int32_t robots = slot_robots(session, part);
  const size_t lanes = fw__cuda_lanes_bytes(session->view, robots);
  if (!check(calls, "cudaStreamCreate", cudaStreamCreate(&slot->stream))) {
    return false;
  }
  slot->has_stream = true;
  return take(calls, &slot->rows, rows_bytes(session, robots)) && take(calls, &slot->running, running_bytes(robots)) &&
         take_staging(calls, &slot->staging, running_offset(session, part) + sizeof(int32_t)) &&
         (part->is_fused || (take(calls, &slot->lanes, lanes) &&
                             check(calls, "cudaMemsetAsync", cudaMemsetAsync(slot->lanes, 0, lanes, slot->stream))));
}

static bool open_part(calls_t * calls, const session_t * session, part_t * part)
{
  bool is_fine = use_device(calls, part->number) && take(calls, &part->maps, 4 * cells_of(session)) &&
                 (session->view->regions == NULL || take(calls, &part->tables, table_offset(part, FW_REGION_TABLES)));
  for (int32_t i = 0; i < (session->is_resident ? 1 : STREAMS) && is_fine; ++i) {
    is_fine = open_slot(calls, session, part, &part->slots[i]);
  }
  const size_t input = session->is_resident ? input_bytes(session, part) : 0;
  return is_fine && (!session->is_resident ||
                     (take(calls, &part->input, input) && take_staging(calls, &part->input_staging, input) &&
                      take(calls, &part->report, report_bytes(session, part->robots.count))));
}

static void close_part(calls_t * calls, part_t * part)
{
  (void)use_device(calls, part->number);
  for (int32_t i = 0; i < STREAMS; ++i) {
    slot_t * slot = &part->slots[i];
    if (slot->has_stream) {
      (void)check(calls, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
      (void)check(calls, "cudaStreamDestroy", cudaStreamDestroy(slot->stream));
    }
    (void)(slot->rows == NULL || check(calls, "cudaFree", cudaFree(slot->rows)));
    (void)(slot->lanes == NULL || check(calls, "cudaFree", cudaFree(slot->lanes)));
    (void)(slot->running == NULL || check(calls, "cudaFree", cudaFree(slot->running)));
    (void)(slot->staging == NULL || check(calls, "cudaFreeHost", cudaFreeHost(slot->staging)));
  }
  (void)(part->input == NULL || check(calls, "cudaFree", cudaFree(part->input)));
  (void)(part->input_staging == NULL || check(calls, "cudaFreeHost", cudaFreeHost(part->input_staging)));
  (void)(part->report == NULL || check(calls, "cudaFree", cudaFree(part->report)));
  (void)(part->maps == NULL || check(calls, "cudaFree", cudaFree(part->maps)));
  (void)(part->tables == NULL || check(calls, "cudaFree", cudaFree(part->tables)));
}

// Gives everything back, after failures too. A lost device reports its failure again, which changes nothing.
static void close_session(session_t * session)
{
  char text[FW_DEVICE_TEXT_SIZE];
  calls_t calls = calls_of(session, text, sizeof(text));
  const fw_allocator_t allocator = session->allocator;
  for (int32_t i = 0; i < session->part_count; ++i) {
    close_part(&calls, &session->parts[i]);
  }
  fw__deallocate(&allocator, session->is_listed);
  fw__deallocate(&allocator, session);
}

static bool open_session(
  const fw_device_request_t * request, session_t ** opened, bool * is_resident, char * text, size_t text_size)
{
  const int32_t blocks = (request->view->robot_count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS;
  FW_ASSERT(request->count >= 1 && request->count <= FW_BATCH_DEVICES_MAX);
  session_t * session = fw__allocate_array(&request->allocator, 1, sizeof(*session));
  if (session == NULL) {
    (void)snprintf(text, text_size, "out of memory");
    return false;
  }
  *session = (session_t){
    .allocator = request->allocator,
    .view = request->view,
    .memory_max_bytes = request->memory_max_bytes,
    .part_count = request->count < blocks ? request->count : blocks,
  };
  for (int32_t i = 0; i < session->part_count; ++i) {
    session->parts[i].number = request->number + i;
    session->parts[i].is_fused = request->is_fused;
  }
  calls_t calls = calls_of(session, text, text_size);
  session->is_listed = fw__allocate_array(&request->allocator, (size_t)request->view->robot_count, 1);
  bool is_fine = session->is_listed != NULL;
  if (!is_fine) {
    (void)snprintf(text, text_size, "out of memory");
  }
  divide_robots(session);
  is_fine = is_fine && size_slots(&calls, session);
  for (int32_t i = 0; i < session->part_count && is_fine; ++i) {
    is_fine = open_part(&calls, session, &session->parts[i]);
  }
  if (!is_fine) {
    close_session(session);
    return false;
  }
  *opened = session;
  *is_resident = session->is_resident;
  return true;
}

// ---- copies and launches --------------------------------------------------------------------------------------------

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

static bool clear(calls_t * calls, const slot_t * slot, void * memory, size_t bytes)
{
  return check(calls, "cudaMemsetAsync", cudaMemsetAsync(memory, 0, bytes, slot->stream));
}

// The maps that differ: where every cell costs 1 `floor` is `moves`, where everything is known `truth` is `cost`.
static bool upload_maps(calls_t * calls, const session_t * session, const part_t * part)
{
  const fw_rtaa_view_t * view = session->view;
  const size_t cells = cells_of(session);
  const uint8_t * const maps[] = {
    view->cost, view->moves, view->floor != view->moves ? view->floor : NULL,
    view->truth != view->cost ? view->truth : NULL};
  bool is_fine = true;
  for (size_t i = 0; i < 4 && is_fine; ++i) {
    is_fine = maps[i] == NULL ||
              check(calls, "cudaMemcpy", cudaMemcpy(part->maps + i * cells, maps[i], cells, cudaMemcpyHostToDevice));
  }
  return is_fine;
}

// The tables of regions do not fit into their room any more: takes more.
static bool grow_tables(calls_t * calls, const session_t * session, part_t * part)
{
  unsigned char * old = part->tables;
  part->tables = NULL;
  memset(part->table_bytes, 0, sizeof(part->table_bytes));
  return check(calls, "cudaFree", cudaFree(old)) && take(calls, &part->tables, size_tables(session, part->table_rooms));
}

// Sends the tables of regions that have changed as a whole, and what others have grown by. `changes` NULL: all.
static bool upload_tables(
  calls_t * calls, const session_t * session, part_t * part, const fw_region_changes_t * changes)
{
  fw_region_table_t tables[FW_REGION_TABLES];
  bool is_fine = true, do_fit = true;
  fw__region_tables(session->view->regions, tables);
  for (int32_t i = 0; i < FW_REGION_TABLES; ++i) {
    do_fit = do_fit && tables[i].bytes <= part->table_rooms[i];
  }
  is_fine = do_fit || grow_tables(calls, session, part);
  for (int32_t i = 0; i < FW_REGION_TABLES && is_fine; ++i) {
    const size_t there = changes == NULL || changes->is_whole[i] ? 0 : part->table_bytes[i];
    const size_t missing = tables[i].bytes > there ? tables[i].bytes - there : 0;
    is_fine = missing == 0 || check(
                                calls, "cudaMemcpy",
                                cudaMemcpy(
                                  part->tables + table_offset(part, i) + there, (const char *)tables[i].values + there,
                                  missing, cudaMemcpyHostToDevice));
    part->table_bytes[i] = tables[i].bytes;
  }
  return is_fine;
}

static void set_tables(const session_t * session, const part_t * part, fw_cuda_arguments_t * given)
{
  unsigned char * at[FW_REGION_TABLES];
  for (int32_t i = 0; i < FW_REGION_TABLES; ++i) {
    at[i] = part->tables + table_offset(part, i);
  }
  given->block_region = (int32_t *)at[FW_REGION_TABLE_BLOCK_REGION];
  given->cell_region = (uint16_t *)at[FW_REGION_TABLE_CELL_REGION];
  given->cell_number = (uint16_t *)at[FW_REGION_TABLE_CELL_NUMBER];
  given->component = (int32_t *)at[FW_REGION_TABLE_COMPONENT];
  given->around_begin = (int32_t *)at[FW_REGION_TABLE_AROUND_BEGIN];
  given->near_begin = (int64_t *)at[FW_REGION_TABLE_NEAR_BEGIN];
  given->far_row = (int64_t *)at[FW_REGION_TABLE_FAR_ROW];
  given->around = (int32_t *)at[FW_REGION_TABLE_AROUND];
  given->near_anchors = at[FW_REGION_TABLE_NEAR];
  given->far_anchors = (uint32_t *)at[FW_REGION_TABLE_FAR];
  given->block_bits = session->view->regions->block_bits;
}

static fw_cuda_arguments_t arguments_of(const session_t * session, const part_t * part, const slot_t * slot)
{
  const fw_rtaa_view_t * view = session->view;
  const size_t cells = cells_of(session);
  uint8_t * cost = part->maps;
  uint8_t * moves = part->maps + cells;
  fw_cuda_arguments_t given = {
    .rows = slot->rows,
    .cost = cost,
    .moves = moves,
    .floor = view->floor != view->moves ? part->maps + 2 * cells : moves,
    .truth = view->truth != view->cost ? part->maps + 3 * cells : cost,
    .lanes = slot->lanes,
    .width = view->width,
    .height = view->height,
    .lookahead = view->lookahead,
    .moves_max = view->moves_max,
    .connectivity = view->connectivity,
    .sight = view->sight,
    .robot_count = slot->slice.count,
    .list_count = slot->slice.count,
    .report_count = slot->slice.count,
    .pool_lanes = part->pool_lanes,
  };
  if (view->regions != NULL) {
    set_tables(session, part, &given);
  }
  return given;
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
    &given->next,
    &given->block_region,
    &given->cell_region,
    &given->cell_number,
    &given->component,
    &given->around_begin,
    &given->near_begin,
    &given->far_row,
    &given->around,
    &given->near_anchors,
    &given->far_anchors,
    &given->pieces,
    &given->goal_robots,
    &given->goal_distances,
    &given->width,
    &given->height,
    &given->lookahead,
    &given->moves_max,
    &given->connectivity,
    &given->sight,
    &given->robot_count,
    &given->list_count,
    &given->report_count,
    &given->robot_change_count,
    &given->cell_change_count,
    &given->episodes,
    &given->is_last,
    &given->pool_lanes,
    &given->block_bits,
    &given->piece_count,
    &given->goal_count,
  };
  const dim3 grid = {(unsigned int)((work.count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS), 1, 1};
  const dim3 block = {FW_BLOCK_ROBOTS, 1, 1};
  return check(
    calls, "cudaLaunchKernel",
    cudaLaunchKernel(fw__rtaa_kernels[work.kernel], grid, block, arguments, work.shared_bytes, slot->stream));
}

static bool has_regions(const fw_cuda_arguments_t * given) { return given->block_region != NULL; }

// The kernels of the stages, without and with regions.
static const int32_t stage_kernels[2][4] = {
  {FW_RTAA_INITIALIZE_ARRAY, FW_RTAA_INITIALIZE_SEARCH, FW_RTAA_SEARCH_EPISODE, FW_RTAA_UPDATE_AND_CHECK},
  {FW_RTAA_INITIALIZE_ARRAY, FW_RTAA_INITIALIZE_SEARCH_REGIONS, FW_RTAA_SEARCH_EPISODE_REGIONS,
   FW_RTAA_UPDATE_AND_CHECK_REGIONS},
};

// The fused kernel with constants for these arguments, if there is one.
static int32_t choose_fused(const fw_cuda_arguments_t * given)
{
  const bool is_known = given->sight == 0 && given->truth == given->cost;
  if (has_regions(given)) {
    return !is_known || given->lookahead != 8 ? FW_RTAA_FUSED_REGIONS
           : given->connectivity == 8         ? FW_RTAA_FUSED_REGIONS_8_8
                                              : FW_RTAA_FUSED_REGIONS_8_4;
  }
  if (is_known && given->lookahead == 3 && given->connectivity == 8 && given->floor == given->moves) {
    return FW_RTAA_FUSED_3_8;
  }
  if (is_known && given->lookahead == 8) {
    return given->connectivity == 8 ? FW_RTAA_FUSED_8_8 : FW_RTAA_FUSED_8_4;
  }
  return FW_RTAA_FUSED;
}

// Launches the episodes of the slot's arguments.
static bool launch_episodes(calls_t * calls, const part_t * part, slot_t * slot)
{
  fw_cuda_arguments_t * given = &slot->given;
  const int32_t episodes = given->episodes;
  bool is_fine = true;
  if (part->is_fused) {
    const size_t shared_bytes = (size_t)fw__rtaa_block_bytes(given->lookahead, part->pool_lanes);
    return launch(calls, slot, (launch_t){choose_fused(given), given->list_count, shared_bytes}, given);
  }
  for (int32_t episode = 0; episode < episodes && is_fine; ++episode) {
    given->episodes = episodes - episode;
    for (int32_t stage = 0; stage < 4 && is_fine; ++stage) {
      const int32_t kernel = stage_kernels[has_regions(given) ? 1 : 0][stage];
      is_fine = launch(calls, slot, (launch_t){kernel, given->list_count, 0}, given);
    }
  }
  return is_fine;
}

// ---- the run of a slot ----------------------------------------------------------------------------------------------

// Everything has been launched: the result comes back.
static bool return_result(calls_t * calls, slot_t * slot)
{
  slot->left = 0;
  slot->is_returning = true;
  return slot->result.bytes == 0 || download(calls, slot, slot->result);
}

// The list of robots under way that the next launch does not read.
static fw_cuda_entry_t * other_list(const session_t * session, const part_t * part, const slot_t * slot)
{
  unsigned char * first = slot->running + align(sizeof(int32_t));
  unsigned char * second = first + list_bytes(slot_robots(session, part));
  return (fw_cuda_entry_t *)((const unsigned char *)slot->given.list == first ? second : first);
}

// Launches the next episodes. If others follow them, also counts the robots that are still under way.
static bool launch_chunk(calls_t * calls, const session_t * session, const part_t * part, slot_t * slot)
{
  const bool is_last = slot->left <= CHUNK_EPISODES;
  slot->given.episodes = is_last ? slot->left : CHUNK_EPISODES;
  slot->given.is_last = is_last ? 1 : 0;
  slot->given.running = is_last ? NULL : (int32_t *)slot->running;
  slot->given.next = is_last ? NULL : other_list(session, part, slot);
  slot->left -= slot->given.episodes;
  if (is_last) {
    return launch_episodes(calls, part, slot) && return_result(calls, slot);
  }
  const copy_t count = {slot->staging + running_offset(session, part), slot->running, sizeof(int32_t)};
  return clear(calls, slot, slot->running, sizeof(int32_t)) && launch_episodes(calls, part, slot) &&
         download(calls, slot, count);
}

static int32_t read_running(const session_t * session, const part_t * part, const slot_t * slot)
{
  int32_t running = 0;
  memcpy(&running, slot->staging + running_offset(session, part), sizeof(running));
  return running;
}

// Waits for what was launched, and launches what follows: for the robots that are still under way, if these are less
// than three quarters of those that had a thread.
static bool advance_slot(calls_t * calls, const session_t * session, const part_t * part, slot_t * slot)
{
  if (!use_device(calls, part->number) || !check(calls, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream))) {
    return false;
  }
  if (slot->is_returning) {
    slot->is_ready = true;
    return true;
  }
  const int32_t running = read_running(session, part, slot);
  if (running == 0) {
    return return_result(calls, slot);
  }
  FW_ASSERT(running <= slot->given.list_count);
  if ((int64_t)running * 4 < (int64_t)slot->given.list_count * 3) {
    slot->given.list = slot->given.next;
    slot->given.list_count = running;
  }
  return launch_chunk(calls, session, part, slot);
}

// ---- resident robots ------------------------------------------------------------------------------------------------

static bool is_in(fw_cuda_slice_t slice, int32_t robot)
{
  return robot >= slice.first && robot < slice.first + slice.count;
}

// The list of robots that run is made anew when a robot is under way that is not on it, or when a quarter of it is not.
static bool is_list_outdated(const session_t * session, const part_t * part, const fw_device_run_t * run)
{
  const uint8_t * state = session->view->state + part->robots.first;
  int32_t running = 0;
  for (int32_t i = 0; i < run->robot_count; ++i) {
    const fw_rtaa_robot_change_t * robot = &run->robots[i];
    if (is_in(part->robots, robot->index) && robot->state == FW_RTAA_RUNNING && session->is_listed[robot->index] == 0) {
      return true;
    }
  }
  for (int32_t i = 0; i < part->list_count; ++i) {
    running += state[part->list[i].robot] == FW_RTAA_RUNNING ? 1 : 0;
  }
  return run->are_rows_new || running * 4 < part->list_count * 3;
}

static void make_list(const session_t * session, part_t * part)
{
  const uint8_t * state = session->view->state + part->robots.first;
  uint8_t * is_listed = session->is_listed + part->robots.first;
  int32_t count = 0;
  for (int32_t robot = 0; robot < part->robots.count; ++robot) {
    is_listed[robot] = state[robot] == FW_RTAA_RUNNING ? 1 : 0;
    count += is_listed[robot];
  }
  part->list_count = count;
  part->list = (fw_cuda_entry_t *)(part->input_staging + list_end(part)) - count;
  for (int32_t robot = 0, at = 0; robot < part->robots.count; ++robot) {
    if (is_listed[robot] != 0) {
      part->list[at] = (fw_cuda_entry_t){robot, at};
      ++at;
    }
  }
}

// The changes that concern a device, and with regions those of its robots whose distances to the goal are new.
static change_counts_t count_changes(const session_t * session, const part_t * part, const fw_device_run_t * run)
{
  change_counts_t counts = {.cells = (size_t)run->cell_count};
  for (int32_t i = 0; i < run->robot_count; ++i) {
    if (is_in(part->robots, run->robots[i].index)) {
      ++counts.robots;
      counts.goals += session->view->regions != NULL && run->robots[i].is_goal_new != 0 ? 1 : 0;
    }
  }
  for (int32_t i = 0; run->regions != NULL && i < run->regions->piece_count; ++i) {
    counts.pieces += run->regions->is_whole[run->regions->pieces[i].table] ? 0 : 1;
  }
  return counts;
}

// Puts the changes of the device's robots into the staging memory, with their numbers there.
static void stage_robots(const session_t * session, part_t * part, const fw_device_run_t * run, input_t input)
{
  fw_rtaa_robot_change_t * robots = (fw_rtaa_robot_change_t *)(part->input_staging + input.robots);
  int32_t * goal_robots = (int32_t *)(part->input_staging + input.goal_robots);
  unsigned char * distances = part->input_staging + input.goal_distances;
  for (int32_t i = 0; i < run->robot_count; ++i) {
    if (!is_in(part->robots, run->robots[i].index)) {
      continue;
    }
    *robots = run->robots[i];
    robots->index -= part->robots.first;
    if (input.goal_distances > 0 && input.goal_distances < input.end && robots->is_goal_new != 0) {
      const fw_rtaa_regions_t * regions = session->view->regions;
      const size_t pitch = (size_t)regions->near_goal_pitch;
      *goal_robots++ = robots->index;
      memcpy(distances, regions->near_goal + (size_t)run->robots[i].index * pitch, pitch);
      distances += pitch;
    }
    ++robots;
  }
}

// Puts the pieces of tables that have changed into the staging memory.
static void stage_pieces(const session_t * session, part_t * part, const fw_region_changes_t * changes, input_t input)
{
  fw_region_table_t tables[FW_REGION_TABLES];
  fw_cuda_piece_t * pieces = (fw_cuda_piece_t *)(part->input_staging + input.pieces);
  fw__region_tables(session->view->regions, tables);
  for (int32_t i = 0; i < changes->piece_count; ++i) {
    const fw_region_piece_t piece = changes->pieces[i];
    if (changes->is_whole[piece.table]) {
      continue;
    }
    const size_t offset = (size_t)piece.number * FW_REGION_PIECE_BYTES, bytes = tables[piece.table].bytes;
    const size_t rest = offset < bytes ? bytes - offset : 0;
    *pieces = (fw_cuda_piece_t){.offset = (int64_t)(table_offset(part, piece.table) + offset)};
    memcpy(
      pieces->bytes, (const char *)tables[piece.table].values + (rest > 0 ? offset : 0),
      rest < FW_REGION_PIECE_BYTES ? rest : FW_REGION_PIECE_BYTES);
    ++pieces;
  }
}

// Sends the distances to the goals of all robots of a device.
static bool upload_goals(calls_t * calls, const session_t * session, const part_t * part)
{
  const fw_rtaa_regions_t * regions = session->view->regions;
  const size_t pitch = (size_t)regions->near_goal_pitch;
  return check(
    calls, "cudaMemcpy",
    cudaMemcpy(
      fw__cuda_near_goals(session->view, part->robots.count, part->slots[0].rows),
      regions->near_goal + (size_t)part->robots.first * pitch, (size_t)part->robots.count * pitch,
      cudaMemcpyHostToDevice));
}

static int32_t most_of(size_t a, size_t b) { return (int32_t)(a > b ? a : b); }

// Sends the list, if it is new, and the host's changes in one copy, and applies the changes.
static bool send_changes(calls_t * calls, const session_t * session, part_t * part, const fw_device_run_t * run)
{
  const slot_t * slot = &part->slots[0];
  fw_cuda_arguments_t given = slot->given;
  const bool is_list_new = is_list_outdated(session, part, run);
  if (is_list_new) {
    make_list(session, part);
  }
  change_counts_t counts = count_changes(session, part, run);
  if (counts.goals > 0 && counts.goals > goals_max(session, part)) {
    counts.goals = 0;
    if (!upload_goals(calls, session, part)) {
      return false;
    }
  }
  const input_t input = place_input(session, part, counts);
  const size_t list_begin = list_end(part) - (size_t)part->list_count * sizeof(*part->list);
  const size_t begin = is_list_new ? list_begin : list_end(part);
  stage_robots(session, part, run, input);
  if (counts.cells > 0) {
    memcpy(part->input_staging + input.cells, run->cells, counts.cells * sizeof(*run->cells));
  }
  if (counts.pieces > 0) {
    stage_pieces(session, part, run->regions, input);
  }
  given.robot_changes = (const fw_rtaa_robot_change_t *)(part->input + input.robots);
  given.cell_changes = (const fw_rtaa_cell_change_t *)(part->input + input.cells);
  given.pieces = (const fw_cuda_piece_t *)(part->input + input.pieces);
  given.goal_robots = (const int32_t *)(part->input + input.goal_robots);
  given.goal_distances = (const uint32_t *)(part->input + input.goal_distances);
  given.robot_change_count = (int32_t)counts.robots;
  given.cell_change_count = (int32_t)counts.cells;
  given.piece_count = (int32_t)counts.pieces;
  given.goal_count = (int32_t)counts.goals;
  int32_t threads = most_of(counts.robots, counts.cells);
  if (has_regions(&given)) {
    const size_t goal_words = counts.goals * (size_t)session->view->regions->near_goal_pitch / sizeof(uint32_t);
    threads = most_of((size_t)threads, counts.pieces * FW_REGION_PIECE_BYTES / sizeof(uint32_t));
    threads = most_of((size_t)threads, goal_words);
  }
  const launch_t apply = {has_regions(&given) ? FW_RTAA_APPLY_REGIONS : FW_RTAA_APPLY, threads, 0};
  return (begin == input.end ||
          upload(calls, slot, (copy_t){part->input + begin, part->input_staging + begin, input.end - begin})) &&
         (threads == 0 || launch(calls, slot, apply, &given));
}

// Sends a device what has changed, and starts the first episodes of its robots.
static bool begin_resident(calls_t * calls, const session_t * session, part_t * part, const fw_device_run_t * run)
{
  slot_t * slot = &part->slots[0];
  slot->slice = (fw_cuda_slice_t){0, part->robots.count};
  if (
    !use_device(calls, part->number) || (run->is_map_new && !upload_maps(calls, session, part)) ||
    (run->regions != NULL && !upload_tables(calls, session, part, run->regions))) {
    return false;
  }
  if (run->are_rows_new) {
    fw__cuda_pack(session->view, part->robots, slot->staging);
    if (!upload(calls, slot, (copy_t){slot->rows, slot->staging, rows_bytes(session, part->robots.count)})) {
      return false;
    }
  }
  slot->given = arguments_of(session, part, slot);
  if (!send_changes(calls, session, part, run)) {
    return false;
  }
  slot->given.list = (const fw_cuda_entry_t *)(part->input + list_end(part)) - part->list_count;
  slot->given.list_count = part->list_count;
  slot->given.report = part->report;
  slot->given.report_count = part->list_count;
  slot->result = (copy_t){slot->staging, part->report, report_bytes(session, part->list_count)};
  slot->left = run->episodes;
  slot->is_returning = false;
  slot->is_ready = false;
  if (part->list_count == 0) {
    return return_result(calls, slot);  // nobody runs; when the copies have ended, the staging memory is free
  }
  return launch_chunk(calls, session, part, slot);
}

static bool run_resident(calls_t * calls, session_t * session, const fw_device_run_t * run)
{
  bool is_fine = true, is_waiting = true;
  for (int32_t i = 0; i < session->part_count && is_fine; ++i) {
    is_fine = begin_resident(calls, session, &session->parts[i], run);
  }
  while (is_fine && is_waiting) {
    is_waiting = false;
    for (int32_t i = 0; i < session->part_count && is_fine; ++i) {
      slot_t * slot = &session->parts[i].slots[0];
      is_fine = slot->is_ready || advance_slot(calls, session, &session->parts[i], slot);
      is_waiting = is_waiting || !slot->is_ready;
    }
  }
  for (int32_t i = 0; i < session->part_count && is_fine; ++i) {
    const part_t * part = &session->parts[i];
    const fw_cuda_list_t list = {part->robots.first, part->list, part->list_count};
    fw__cuda_unpack_report(session->view, list, part->slots[0].staging);
  }
  return is_fine;
}

static bool fetch_learned_values(session_t * session, char * text, size_t text_size)
{
  calls_t calls = calls_of(session, text, text_size);
  const size_t window_bytes = (size_t)fw__rtaa_window_size(session->view->lookahead) * sizeof(uint16_t);
  bool is_fine = true;
  FW_ASSERT(session->is_resident);
  for (int32_t i = 0; i < session->part_count && is_fine; ++i) {
    const part_t * part = &session->parts[i];
    const slot_t * slot = &part->slots[0];
    const fw_rtaa_view_t rows = fw__cuda_rows(session->view, part->robots.count, slot->rows);
    const copy_t windows = {slot->staging, rows.window, (size_t)part->robots.count * window_bytes};
    is_fine = use_device(&calls, part->number) && download(&calls, slot, windows);
  }
  for (int32_t i = 0; i < session->part_count && is_fine; ++i) {
    const part_t * part = &session->parts[i];
    is_fine = use_device(&calls, part->number) &&
              check(&calls, "cudaStreamSynchronize", cudaStreamSynchronize(part->slots[0].stream));
  }
  for (int32_t i = 0; i < session->part_count && is_fine; ++i) {
    const part_t * part = &session->parts[i];
    fw__cuda_unpack_windows(session->view, part->robots, (const uint16_t *)part->slots[0].staging);
  }
  return is_fine;
}

// ---- slices ---------------------------------------------------------------------------------------------------------

// The slices of a run by number, of which some are on the devices.
typedef struct slices_t {
  int32_t begun;
  int32_t finished;
  int32_t turn;        // the one that goes on next
  int32_t next_robot;  // the first of the next slice
  int32_t done;        // robots
} slices_t;

// Where a slice is: the devices take them by turns.
static part_t * part_of(session_t * session, int32_t number) { return &session->parts[number % session->part_count]; }

static slot_t * slot_of(session_t * session, int32_t number)
{
  return &part_of(session, number)->slots[number / session->part_count % STREAMS];
}

// Packs the next slice, and starts its copy to a device and its first episodes.
static bool begin_slice(calls_t * calls, session_t * session, slices_t * slices, int32_t episodes)
{
  const part_t * part = part_of(session, slices->begun);
  slot_t * slot = slot_of(session, slices->begun);
  const int32_t left = session->view->robot_count - slices->next_robot;
  slot->slice = (fw_cuda_slice_t){slices->next_robot, left < session->slice_robots ? left : session->slice_robots};
  FW_ASSERT(slot->slice.count >= 1 && slot->slice.first % FW_BLOCK_ROBOTS == 0);
  ++slices->begun;
  slices->next_robot += slot->slice.count;
  const size_t bytes = rows_bytes(session, slot->slice.count);
  fw__cuda_pack(session->view, slot->slice, slot->staging);
  slot->given = arguments_of(session, part, slot);
  slot->result = (copy_t){slot->staging, slot->rows, (size_t)fw__cuda_written_bytes(session->view, slot->slice.count)};
  slot->left = episodes;
  slot->is_returning = false;
  slot->is_ready = false;
  return use_device(calls, part->number) && upload(calls, slot, (copy_t){slot->rows, slot->staging, bytes}) &&
         (part->is_fused || clear(calls, slot, slot->lanes, fw__cuda_lanes_bytes(session->view, slot->slice.count))) &&
         launch_chunk(calls, session, part, slot);
}

// Slices on the devices go on by turns, so that each has something to do while the host is busy with another one. They
// are finished in their order, so that after a failure the first `done` robots are those that have run.
static bool advance_slices(calls_t * calls, session_t * session, slices_t * slices)
{
  slot_t * slot = slot_of(session, slices->turn);
  if (!slot->is_ready && !advance_slot(calls, session, part_of(session, slices->turn), slot)) {
    return false;
  }
  slot = slot_of(session, slices->finished);
  if (slot->is_ready) {
    fw__cuda_unpack(session->view, slot->slice, slot->staging);
    slices->done = slot->slice.first + slot->slice.count;
    ++slices->finished;
  }
  ++slices->turn;
  return true;
}

// Returns the robots that are done, from the first on: all, or fewer if something failed.
static int32_t run_slices(calls_t * calls, session_t * session, int32_t episodes)
{
  const int32_t slot_count = STREAMS * session->part_count;
  slices_t slices = {0};
  bool is_fine = true;
  while (is_fine && slices.done < session->view->robot_count) {
    if (slices.next_robot < session->view->robot_count && slices.begun - slices.finished < slot_count) {
      is_fine = begin_slice(calls, session, &slices, episodes);
    } else {
      slices.turn = slices.turn < slices.finished || slices.turn >= slices.begun ? slices.finished : slices.turn;
      is_fine = advance_slices(calls, session, &slices);
    }
  }
  FW_ASSERT(slices.done % FW_BLOCK_ROBOTS == 0 || slices.done == session->view->robot_count);
  return slices.done;
}

// ---- the device -----------------------------------------------------------------------------------------------------

static bool run_session(session_t * session, const fw_device_run_t * run, int32_t * done, char * text, size_t text_size)
{
  calls_t calls = calls_of(session, text, text_size);
  *done = 0;
  if (session->is_resident) {
    return run_resident(&calls, session, run);
  }
  bool is_fine = true;
  for (int32_t i = 0; i < session->part_count && is_fine && run->is_map_new; ++i) {
    is_fine = use_device(&calls, session->parts[i].number) && upload_maps(&calls, session, &session->parts[i]) &&
              (session->view->regions == NULL || upload_tables(&calls, session, &session->parts[i], NULL));
  }
  *done = is_fine ? run_slices(&calls, session, run->episodes) : 0;
  return !calls.has_failed;
}

static bool find_device(int32_t number, char name[FW_DEVICE_NAME_SIZE], char * text, size_t text_size)
{
  calls_t calls = {.text = text, .text_size = text_size, .current = number};
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
