// The interface of devices that can run a batch instead of the CPU: implemented in cuda/, replaced by tests.
//
// A batch opens one or several devices once and keeps its robots and maps there until it closes them; several divide
// the robots among themselves, which the batch does not see. If all robots fit, they are resident: a run is told what
// the host has changed, and brings back what has changed on the devices, except learned values, which are fetched on
// request. Otherwise every run takes the robots through the devices in slices, and the host's rows are complete after
// it.

#ifndef KERNEL__DEVICE_H_
#define KERNEL__DEVICE_H_

#include <stddef.h>

#include "fleetweave/batch.h"
#include "kernel/change_step.h"
#include "kernel/region_tables.h"
#include "kernel/rtaa_view.h"

enum { FW_DEVICE_TEXT_SIZE = 152 };   // of the texts that say why a device cannot be used, in bytes
enum { FW_DEVICE_CELLS_MAX = 4096 };  // more changed cells than this: the whole map is sent

typedef struct fw_device_request_t {
  const fw_rtaa_view_t * view;  // rows and maps in host memory, at the same address until the device is closed
  int32_t number;               // of the first device, from 0
  int32_t count;                // of devices, 1 to FW_BATCH_DEVICES_MAX; not all are used if robots are few
  bool is_fused;
  size_t memory_max_bytes;  // of each device's memory; 0: what is free
  fw_allocator_t allocator;
} fw_device_request_t;

typedef struct fw_device_run_t {
  int32_t episodes;
  // What the host has changed since the last run, with the values that its rows and maps have now.
  const fw_rtaa_robot_change_t * robots;
  int32_t robot_count;
  const fw_rtaa_cell_change_t * cells;
  int32_t cell_count;
  bool are_rows_new;                    // everything of all robots, learned values too; `robots` is empty
  bool is_map_new;                      // all cells; `cells` is empty
  const fw_region_changes_t * regions;  // NULL if nothing has changed of the tables, or there are none
} fw_device_run_t;

struct fw_device_session_t;  // the device's own

typedef struct fw_device_t {
  const char * name;
  // Each function returns false if anything failed, with one line of text that says what.

  // Whether device `number` can be used, and its name.
  bool (*find)(int32_t number, char name[FW_DEVICE_NAME_SIZE], char * text, size_t text_size);
  // Takes all memory that runs need. `is_resident`: whether all robots fit.
  bool (*open)(
    const fw_device_request_t * request, struct fw_device_session_t ** session, bool * is_resident, char * text,
    size_t text_size);
  // Runs the episodes and updates the rows; of resident robots not the learned values. After a failure the robots
  // before `done`, a multiple of FW_BLOCK_ROBOTS, are finished, and the rows of the others are unchanged.
  bool (*run)(
    struct fw_device_session_t * session, const fw_device_run_t * run, int32_t * done, char * text, size_t text_size);
  // Brings the learned values of all resident robots into the host's rows. After a failure these are unchanged.
  bool (*fetch)(struct fw_device_session_t * session, char * text, size_t text_size);
  // Gives everything back, also after failures.
  void (*close)(struct fw_device_session_t * session);
  // The clock by which `auto` compares the device with the CPU; NULL: fw_clock_now_ns.
  int64_t (*now_ns)(void);
} fw_device_t;

// The device that this library was built with, NULL without CUDA.
const fw_device_t * fw__device_built_in(void);

#endif  // KERNEL__DEVICE_H_
