// What is closed, in the ticks of a round, and what becomes of robots that stand there.
//
// Rounded outwards: a robot that is on a cell at a tick is on its way to or from it in the ticks before and after, and
// with this rounding neither falls into the time in which the cell is closed.
//
// No plan can keep a robot off a cell that is closed while it stands on it. So the way out, to the nearest cell that is
// open when it gets there, closes a little later, just for it. One whose cell closes for good gets another to stay on.

#include <stdlib.h>

#include "ros/planner_node/job_closures.h"
#include "ros/planner_node/round.h"

// Nobody waits longer than this for a cell to open: until then it is as good as closed for good. What begins later than
// this is of no account yet.
const int64_t CLOSURES_AHEAD_NS = 600000000000;
// Beyond what moving out takes, and `robust_ticks`.
static const fw_tick_t GRACE_TICKS = 2;

static int64_t floor_ticks(int64_t duration_ns, int64_t tick_ns)
{
  return duration_ns >= 0 ? duration_ns / tick_ns : -((-duration_ns + tick_ns - 1) / tick_ns);
}

// False if there is no memory.
static bool add_span(job_t * job, const span_t * span)
{
  const bool is_for_good = span->to_ns == TIME_MAX || span->to_ns - job->epoch_ns > CLOSURES_AHEAD_NS;
  if (span->from_ns > job->epoch_ns + CLOSURES_AHEAD_NS || (!is_for_good && span->to_ns <= job->epoch_ns)) {
    return true;
  }
  const int64_t from = floor_ticks(span->from_ns - job->epoch_ns, job->tick_ns);
  const int64_t to = is_for_good ? FW_TICK_MAX : -floor_ticks(job->epoch_ns - span->to_ns, job->tick_ns);
  return job_add_closure(job, (fw_closure_t){span->cell, from < 0 ? 0 : (fw_tick_t)from, (fw_tick_t)to});
}

// The headings that matter at a cell: its own at the start, all that it may have elsewhere.
static int32_t heading_step(const job_t * job, const body_t * body)
{
  return body->turn_ticks == 0 ? FW_HEADING_COUNT : job->connectivity == 8 ? 1 : 2;
}

static bool is_open(const job_t * job, const entrant_t * entrant, fw_cell_t cell, fw_tick_t tick)
{
  const body_t * body = &entrant->body;
  if (tick <= entrant->arrives) {
    return !job_is_closed(job, (placed_t){body, entrant->start}, 0, 0);
  }
  bool is_open = true;
  for (int32_t heading = 0; is_open && heading < FW_HEADING_COUNT; heading += heading_step(job, body)) {
    is_open = !job_is_closed(job, (placed_t){body, {cell, heading}}, tick - body->ticks_per_move + 1, tick);
  }
  return is_open;
}

static void open_for(job_t * job, const entrant_t * entrant, fw_cell_t cell, fw_tick_t tick)
{
  job_open_until(job, (placed_t){&entrant->body, entrant->start}, tick);
  if (entrant->arrives > 0) {
    job_open_until(job, (placed_t){&entrant->body, entrant->from}, tick);
  }
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += heading_step(job, &entrant->body)) {
    job_open_until(job, (placed_t){&entrant->body, {cell, heading}}, tick);
  }
}

static bool let_out(job_t * job, const entrant_t * entrant)
{
  const fw_tick_t step = job_step_ticks(&entrant->body);
  fw_cell_t * route = NULL;
  const int32_t length = job_find_way(job, entrant, is_open, &route);
  if (length == 0) {
    job_open_until(job, (placed_t){&entrant->body, entrant->start}, FW_TICK_MAX);
  }
  for (int32_t k = 0; k + 1 < length; ++k) {
    open_for(job, entrant, route[k], entrant->arrives + (k + 1) * step + GRACE_TICKS + job->robust_ticks);
  }
  free(route);
  return length >= 0;
}

static bool starts_closed(const job_t * job, const entrant_t * entrant)
{
  return job_is_closed(job, (placed_t){&entrant->body, entrant->start}, 0, entrant->arrives) ||
         (entrant->arrives > 0 && job_is_closed(job, (placed_t){&entrant->body, entrant->from}, 0, entrant->arrives));
}

bool round_write_closures(planning_t * planning)
{
  job_t * job = &planning->worker.job;
  const closures_t * closures = &planning->closures;
  bool is_fine = true;
  for (int32_t s = 0; s < closures->count; ++s) {
    const source_t * source = &closures->sources[s];
    for (int32_t k = 0; is_fine && k < source->span_count; ++k) {
      is_fine = add_span(job, &source->spans[k]);
    }
  }
  job_sort_closures(job);
  for (int32_t k = 0; is_fine && k < job->count; ++k) {
    const entrant_t * entrant = &job->entrants[k];
    if (entrant->arrives > 0 && starts_closed(job, entrant)) {
      open_for(job, entrant, entrant->start.cell, entrant->arrives + 1 + job->robust_ticks);
    }
    if (starts_closed(job, entrant)) {
      is_fine = let_out(job, entrant);
    }
  }
  job_wall_up(job);
  job->closure_revision = closures->revision;
  return is_fine;
}

// ---- where to stay

static bool is_place_to_stay(const job_t * job, const entrant_t * entrant, fw_cell_t cell, fw_tick_t tick)
{
  (void)tick;
  const placed_t here = {&entrant->body, {.cell = cell}};
  bool is_free = !job_closes_for_good(job, here);
  for (int32_t k = 0; is_free && k < job->count; ++k) {
    const entrant_t * other = &job->entrants[k];
    const placed_t start = {&other->body, other->start};
    const placed_t goal = {&other->body, {.cell = other->goal}}, home = {&other->body, {.cell = other->home}};
    is_free = !bodies_overlap(here, start, job->grid.width) && !bodies_overlap(here, home, job->grid.width) &&
              (other->goal == FW_CELL_NONE || !bodies_overlap(here, goal, job->grid.width));
  }
  return is_free;
}

bool round_write_homes(planning_t * planning)
{
  job_t * job = &planning->worker.job;
  bool is_fine = true;
  for (int32_t k = 0; is_fine && k < job->count; ++k) {
    entrant_t * entrant = &job->entrants[k];
    const placed_t start = {&entrant->body, entrant->start};
    if (!job_closes_for_good(job, start)) {
      continue;
    }
    fw_cell_t * route = NULL;
    const int32_t length = job_find_way(job, entrant, is_place_to_stay, &route);
    if (length > 0) {
      entrant->home = route[length - 1];
    } else {
      job_open_until(job, start, FW_TICK_MAX);
    }
    free(route);
    is_fine = length >= 0;
  }
  return is_fine;
}
