// What tests need of a batch beyond fleetweave/batch.h.

#ifndef KERNEL__BATCH_H_
#define KERNEL__BATCH_H_

#include "fleetweave/batch.h"
#include "kernel/device.h"

// The arguments of fw_batch_init.
typedef struct fw_batch_world_t {
  const fw_grid_t * grid;
  const fw_cell_t * starts;
  const fw_cell_t * goals;
  int32_t robot_count;
} fw_batch_world_t;

// A robot of a batch and the same one of another.
typedef struct fw_robot_pair_t {
  int32_t robot;
  int32_t from_robot;
} fw_robot_pair_t;

// As fw_batch_init, with a device in place of the built-in one; NULL as in a library that was built without CUDA.
FW_MUST_USE fw_ret_t fw__batch_init_on(
  fw_batch_t * batch, const fw_batch_world_t * world, const fw_batch_options_t * options, const fw_device_t * device,
  fw_error_t * error);

// Brings what the batch has on its device back and closes it; runs continue on the CPU. For a batch that is kept but
// not run any more.
void fw__batch_leave_device(fw_batch_t * batch);

// As fw_batch_recall, from a batch whose known map has other obstacles: only what holds on this batch's map. `freed`
// are the cells that have become free.
void fw__batch_recall_changed(
  fw_batch_t * batch, fw_robot_pair_t robots, const fw_batch_t * from, const fw_cell_t * freed, int32_t freed_count);

// Whether the invariants hold between runs: robots and goals are inside the grid, boxes inside the movements arrays,
// robots on their goals and no others have arrived, and the maps of moves agree with the known costs.
bool fw__batch_validate(const fw_batch_t * batch);

#endif  // KERNEL__BATCH_H_
