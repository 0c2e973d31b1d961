// Closures of a job, in its ticks: sorted by cell and time, those of one cell apart from each other.

#ifndef ROS__PLANNER_NODE__JOB_CLOSURES_H_
#define ROS__PLANNER_NODE__JOB_CLOSURES_H_

#include "ros/planner_node/job.h"

// Adds one, out of order; job_sort_closures once all are there. False if there is no memory.
bool job_add_closure(job_t * job, fw_closure_t closure);
void job_sort_closures(job_t * job);

// The first closure of a cell that ends at the tick or later, NULL if there is none; more of the same cell follow.
const fw_closure_t * job_find_closure(const job_t * job, fw_cell_t cell, fw_tick_t tick);
// Is a cell of this body closed on one of the ticks `from` to `to`? For good, from some tick on?
bool job_is_closed(const job_t * job, placed_t placed, fw_tick_t from, fw_tick_t to);
bool job_closes_for_good(const job_t * job, placed_t placed);

// Nobody has to leave the cells of this body before `tick`. FW_TICK_MAX: they are not closed at all.
void job_open_until(job_t * job, placed_t placed, fw_tick_t tick);
// What is closed from the first tick on for good is an obstacle: planners see farther around those.
void job_wall_up(job_t * job);

// What a step takes this body at most, turns before it included.
fw_tick_t job_step_ticks(const body_t * body);

// The shortest way of an entrant from its start, over cells where it can be, to the nearest that is fine; a step takes
// job_step_ticks. `route` is the caller's to free. Its length, 0 if there is none, -1 if there is no memory.
typedef bool job_is_fine_t(const job_t * job, const entrant_t * entrant, fw_cell_t cell, fw_tick_t tick);
int32_t job_find_way(const job_t * job, const entrant_t * entrant, job_is_fine_t * is_fine, fw_cell_t ** route);

#endif  // ROS__PLANNER_NODE__JOB_CLOSURES_H_
