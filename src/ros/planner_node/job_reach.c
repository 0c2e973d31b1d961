// Who can get to its goal at all: parts of the floor that hang together for a body.

#include <stdlib.h>
#include <string.h>

#include "ros/planner_node/job.h"

// A diagonal needs both side cells, so the parts that hang together are those of four neighbours in either case.
typedef struct flood_t {
  const job_t * job;
  const body_t * body;
  int32_t * labels;  // by cell, 0 if it was not reached
  fw_cell_t * queue;
} flood_t;

static void flood_from(const flood_t * flood, fw_cell_t from, int32_t label)
{
  static const fw_offset_t steps[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  const fw_grid_t * grid = &flood->job->grid;
  int32_t head = 0, tail = 0;
  flood->labels[from] = label;
  flood->queue[tail++] = from;
  while (head < tail) {
    const int32_t x = fw_grid_x(grid, flood->queue[head]), y = fw_grid_y(grid, flood->queue[head]);
    ++head;
    for (size_t k = 0; k < 4; ++k) {
      const int32_t next_x = x + steps[k].dx, next_y = y + steps[k].dy;
      const fw_cell_t next = fw_grid_is_free(grid, next_x, next_y) ? fw_grid_cell(grid, next_x, next_y) : FW_CELL_NONE;
      if (
        next != FW_CELL_NONE && flood->labels[next] == 0 &&
        body_fits_on(flood->body, grid, flood->job->connectivity, next)) {
        flood->labels[next] = label;
        flood->queue[tail++] = next;
      }
    }
  }
}

static bool moves_alike(const body_t * a, const body_t * b)
{
  return a->outline == b->outline && (a->turn_ticks > 0) == (b->turn_ticks > 0);
}

static int32_t hold_alike(job_t * job, flood_t * flood, int32_t first)
{
  int32_t held = 0;
  flood->body = &job->entrants[first].body;
  memset(flood->labels, 0, (size_t)fw_grid_cell_count(&job->grid) * sizeof *flood->labels);
  for (int32_t k = first; k < job->count; ++k) {
    entrant_t * entrant = &job->entrants[k];
    if (!moves_alike(&entrant->body, flood->body) || entrant->is_held || entrant->goal == FW_CELL_NONE) {
      continue;
    }
    if (flood->labels[entrant->start.cell] == 0) {
      flood_from(flood, entrant->start.cell, k + 1);
    }
    if (flood->labels[entrant->goal] != flood->labels[entrant->start.cell]) {
      entrant->is_held = true;
      entrant->fault = FW_FAULT_NO_VALID_PATH;
      held += 1;
    }
  }
  return held;
}

int32_t job_hold_unreachable(job_t * job)
{
  const size_t cells = (size_t)fw_grid_cell_count(&job->grid);
  flood_t flood = {
    .job = job,
    .labels = malloc(cells * sizeof *flood.labels),
    .queue = malloc(cells * sizeof *flood.queue),
  };
  int32_t held = -1;
  if (flood.labels != NULL && flood.queue != NULL) {
    held = 0;
    for (int32_t k = 0; k < job->count; ++k) {
      bool is_first = true;
      for (int32_t before = 0; is_first && before < k; ++before) {
        is_first = !moves_alike(&job->entrants[before].body, &job->entrants[k].body);
      }
      held += is_first ? hold_alike(job, &flood, k) : 0;
    }
  }
  free(flood.labels);
  free(flood.queue);
  return held;
}
