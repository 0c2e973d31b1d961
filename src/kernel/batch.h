// A batch inside: rows, maps and who computes.

#ifndef KERNEL__BATCH_H_
#define KERNEL__BATCH_H_

#include "fleetweave/batch.h"
#include "kernel/device.h"

enum { FW_BATCH_NOTE_SIZE = 192 };

typedef struct fw__batch_t {
  fw_allocator_t allocator;
  fw_batch_options_t options;
  const fw_device_t * device;
  bool has_device_failed;  // it is not asked again
  char note[FW_BATCH_NOTE_SIZE];
  const char * backend;
  fw_rtaa_view_t view;  // rows of the host
  // The maps that the view reads. `truth` is `cost` where everything is known.
  uint8_t * cost;
  uint8_t * moves;
  uint8_t * floor;  // NULL as long as every cell costs 1: it is `moves` then
  uint8_t * truth;
  uint8_t * scratch;  // lanes of all threads
  int64_t episodes;
  size_t memory_bytes;
} fw__batch_t;

// ---- memory: batch_rows.c -------------------------------------------------------------------------------------------

// Memory that the batch counts; fw__batch_release gives all of it back.
bool fw__batch_allocate(fw__batch_t * batch, bool is_weighted);
void fw__batch_release(fw__batch_t * batch);
// Room for floor that costs more than 1 in places. False when there is no memory.
bool fw__batch_weigh(fw__batch_t * batch);

// ---- maps: batch_map.c ----------------------------------------------------------------------------------------------

// Fills `moves` and `floor` for the whole map.
void fw__batch_survey(fw__batch_t * batch);
// What robots have seen (`seen`) becomes known.
void fw__batch_share(fw__batch_t * batch);

// ---- the CPU: batch_cpu.c -------------------------------------------------------------------------------------------

size_t fw__batch_scratch_bytes(const fw_batch_options_t * options);
// `episodes` episodes of the robots from `first` on, the first of a block, in the threads of the options.
void fw__batch_run_cpu(fw__batch_t * batch, int32_t first, int32_t episodes);

// For tests: the device that `auto` and `cuda` ask, in place of the built-in one. Before the first run.
void fw__batch_use_device(fw_batch_t * batch, const fw_device_t * device);

#endif  // KERNEL__BATCH_H_
