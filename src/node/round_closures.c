// What is closed, in the ticks of a round, and what becomes of robots that stand there.
//
// Rounded outwards: a robot that is on a cell at a tick is on its way to or from it in the ticks before and after, and
// with this rounding neither falls into the time in which the cell is closed.
//
// No plan can keep a robot off a cell that is closed while it stands on it. So the way out, to the nearest cell that is
// open when it gets there, closes a little later, just for it. One whose cell closes for good gets another to stay on.

#include <stdlib.h>

#include "node/job_closures.h"
#include "node/round.h"

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

static bool is_open(const job_t * job, fw_cell_t cell, fw_tick_t tick) { return !job_is_closed(job, cell, tick); }

static bool let_out(job_t * job, fw_cell_t start)
{
  fw_cell_t * route = NULL;
  const int32_t length = job_find_way(job, start, is_open, &route);
  if (length == 0) {
    job_open_until(job, start, FW_TICK_MAX);
  }
  for (int32_t k = 0; k + 1 < length; ++k) {
    job_open_until(job, route[k], k + 1 + GRACE_TICKS + job->robust_ticks);
  }
  free(route);
  return length >= 0;
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
    if (job_is_closed(job, job->entrants[k].start, 0)) {
      is_fine = let_out(job, job->entrants[k].start);
    }
  }
  job_wall_up(job);
  job->closure_revision = closures->revision;
  return is_fine;
}

// ---- where to stay

static bool is_place_to_stay(const job_t * job, fw_cell_t cell, fw_tick_t tick)
{
  (void)tick;
  bool is_free = !job_closes_for_good(job, cell);
  for (int32_t k = 0; is_free && k < job->count; ++k) {
    const entrant_t * entrant = &job->entrants[k];
    is_free = entrant->start != cell && entrant->goal != cell && entrant->home != cell;
  }
  return is_free;
}

bool round_write_homes(planning_t * planning)
{
  job_t * job = &planning->worker.job;
  bool is_fine = true;
  for (int32_t k = 0; is_fine && k < job->count; ++k) {
    entrant_t * entrant = &job->entrants[k];
    if (!job_closes_for_good(job, entrant->start)) {
      continue;
    }
    fw_cell_t * route = NULL;
    const int32_t length = job_find_way(job, entrant->start, is_place_to_stay, &route);
    if (length > 0) {
      entrant->home = route[length - 1];
    } else {
      job_open_until(job, entrant->start, FW_TICK_MAX);
    }
    free(route);
    is_fine = length >= 0;
  }
  return is_fine;
}
