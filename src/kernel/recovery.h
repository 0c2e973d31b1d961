// What a batch needs to go on when the device on which its robots live is lost.
//
// Learned values stay on the device, so the host's rows alone are not enough. A checkpoint is a state that the host
// knows completely: its movements arrays, which nobody writes while robots are resident, and a copy of the other rows.
// Since then each run has left an entry: the host's changes before it, and its episodes. Episodes are deterministic, so
// the CPU comes to the same state from the checkpoint: cells are set back, and the entries done again one by one. A new
// checkpoint is due when the entries are many, and whenever the tables of regions change (batch.c): so those of now are
// those of all entries. Only the robots' own distances to their goals are computed again, which needs no memory, since
// the tables have what all goals since the checkpoint need.

#ifndef KERNEL__RECOVERY_H_
#define KERNEL__RECOVERY_H_

#include "kernel/batch_cpu.h"
#include "kernel/device.h"
#include "kernel/regions.h"

typedef struct fw_recovery_t {
  uint8_t * rows;     // the checkpoint: rows of the view without learned values and sight
  uint8_t * entries;  // since then: fw_recovery_entry_t, robots, cells; and again
  size_t used_bytes;
  int32_t episodes;  // of all entries
  int32_t runs;
} fw_recovery_t;

// Bytes of `rows` and `entries`, which the caller allocates.
size_t fw__recovery_rows_bytes(const fw_rtaa_view_t * view);
size_t fw__recovery_entries_bytes(const fw_rtaa_view_t * view);

// Makes the host's rows the checkpoint. Its learned values must be those of the device.
void fw__recovery_checkpoint(fw_recovery_t * recovery, const fw_rtaa_view_t * view);
// Whether there must be a new checkpoint before the next run.
bool fw__recovery_is_due(const fw_recovery_t * recovery, const fw_rtaa_view_t * view);
// Adds a run, or with 0 episodes only the changes. There is room for one more after is_due() was false.
void fw__recovery_add(fw_recovery_t * recovery, const fw_device_run_t * run);

// What a replay sets.
typedef struct fw_recovery_target_t {
  fw_batch_cpu_run_t cpu;  // with the view
  fw_rtaa_maps_t maps;
  fw_regions_t * regions;  // NULL without
  bool are_regions_old;    // cells were blocked or freed after the last episode
} fw_recovery_target_t;

// Sets rows and maps to the state after the last entry.
void fw__recovery_replay(const fw_recovery_t * recovery, const fw_recovery_target_t * target);

#endif  // KERNEL__RECOVERY_H_
