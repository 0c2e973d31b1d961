// Closures of a job, in its ticks: sorted by cell and time, those of one cell apart from each other.

#ifndef NODE__JOB_CLOSURES_H_
#define NODE__JOB_CLOSURES_H_

#include "node/job.h"

// Adds one, out of order; job_sort_closures once all are there. False if there is no memory.
bool job_add_closure(job_t * job, fw_closure_t closure);
void job_sort_closures(job_t * job);

// The first closure of a cell that ends at the tick or later, NULL if there is none; more of the same cell follow.
const fw_closure_t * job_find_closure(const job_t * job, fw_cell_t cell, fw_tick_t tick);
bool job_is_closed(const job_t * job, fw_cell_t cell, fw_tick_t tick);
bool job_closes_for_good(const job_t * job, fw_cell_t cell);  // from some tick on

// Nobody has to leave this cell before `tick`. FW_TICK_MAX: it is not closed at all.
void job_open_until(job_t * job, fw_cell_t cell, fw_tick_t tick);
// What is closed from the first tick on for good is an obstacle: planners see farther around those.
void job_wall_up(job_t * job);

// The shortest way from a cell over free ones to the nearest that is fine; moving takes a tick. `route` is the caller's
// to free. Its length, 0 if there is none, -1 if there is no memory.
int32_t job_find_way(
  const job_t * job, fw_cell_t start, bool (*is_fine)(const job_t * job, fw_cell_t cell, fw_tick_t tick),
  fw_cell_t ** route);

#endif  // NODE__JOB_CLOSURES_H_
