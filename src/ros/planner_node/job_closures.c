#include "ros/planner_node/job_closures.h"

#include <stdlib.h>

bool job_add_closure(job_t * job, fw_closure_t closure)
{
  if (job->closure_count == job->closure_capacity) {
    const int32_t capacity = 2 * job->closure_capacity + 64;
    fw_closure_t * closures = realloc(job->closures, (size_t)capacity * sizeof *closures);
    if (closures == NULL) {
      return false;
    }
    job->closures = closures;
    job->closure_capacity = capacity;
  }
  job->closures[job->closure_count++] = closure;
  return true;
}

static int by_cell_and_tick(const void * a, const void * b)
{
  const fw_closure_t * one = a;
  const fw_closure_t * two = b;
  return one->cell != two->cell ? (one->cell < two->cell ? -1 : 1) : (one->from > two->from) - (one->from < two->from);
}

void job_sort_closures(job_t * job)
{
  int32_t count = 0;
  if (job->closure_count > 0) {
    qsort(job->closures, (size_t)job->closure_count, sizeof *job->closures, by_cell_and_tick);
  }
  for (int32_t k = 0; k < job->closure_count; ++k) {
    const fw_closure_t closure = job->closures[k];
    fw_closure_t * last = count > 0 ? &job->closures[count - 1] : NULL;
    if (last == NULL || last->cell != closure.cell || closure.from > last->to + 1) {
      job->closures[count++] = closure;
    } else if (closure.to > last->to) {
      last->to = closure.to;
    }
  }
  job->closure_count = count;
}

// ---- questions

static int32_t find(const job_t * job, fw_cell_t cell, fw_tick_t tick)
{
  int32_t low = 0, high = job->closure_count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    const fw_closure_t * closure = &job->closures[middle];
    if (closure->cell < cell || (closure->cell == cell && closure->to < tick)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

const fw_closure_t * job_find_closure(const job_t * job, fw_cell_t cell, fw_tick_t tick)
{
  const int32_t at = find(job, cell, tick);
  return at < job->closure_count && job->closures[at].cell == cell ? &job->closures[at] : NULL;
}

bool job_is_closed(const job_t * job, placed_t placed, fw_tick_t from, fw_tick_t to)
{
  bool is_closed = false;
  for (int32_t k = 0; !is_closed && k < body_cell_count(placed.body, placed.place); ++k) {
    const fw_cell_t cell = body_cell(placed.body, &job->grid, placed.place, k);
    const fw_closure_t * closure = cell == FW_CELL_NONE ? NULL : job_find_closure(job, cell, from);
    is_closed = closure != NULL && closure->from <= to;
  }
  return is_closed;
}

bool job_closes_for_good(const job_t * job, placed_t placed)
{
  return job_is_closed(job, placed, FW_TICK_MAX, FW_TICK_MAX);
}

// ---- changes

static void remove_at(job_t * job, int32_t index)
{
  for (int32_t k = index; k + 1 < job->closure_count; ++k) {
    job->closures[k] = job->closures[k + 1];
  }
  job->closure_count -= 1;
}

static void open_cell_until(job_t * job, fw_cell_t cell, fw_tick_t tick)
{
  int32_t at = find(job, cell, 0);
  while (at < job->closure_count && job->closures[at].cell == cell && job->closures[at].from < tick) {
    if (job->closures[at].to < tick || tick == FW_TICK_MAX) {
      remove_at(job, at);
    } else {
      job->closures[at++].from = tick;
    }
  }
}

void job_open_until(job_t * job, placed_t placed, fw_tick_t tick)
{
  for (int32_t k = 0; k < body_cell_count(placed.body, placed.place); ++k) {
    open_cell_until(job, body_cell(placed.body, &job->grid, placed.place, k), tick);
  }
}

void job_wall_up(job_t * job)
{
  int32_t count = 0;
  for (int32_t k = 0; k < job->closure_count; ++k) {
    const fw_closure_t closure = job->closures[k];
    if (closure.from == 0 && closure.to == FW_TICK_MAX) {
      job->grid.cost[closure.cell] = 0;
    } else {
      job->closures[count++] = closure;
    }
  }
  job->closure_count = count;
}

// ---- ways

typedef struct flood_t {
  fw_cell_t * queue;
  int32_t * before;  // by cell: the place in the queue that it was reached from, -1 for the start; -2: not reached
} flood_t;

static int32_t write_route(const flood_t * flood, int32_t end, fw_cell_t ** route)
{
  int32_t length = 1;
  for (int32_t at = end; flood->before[flood->queue[at]] >= 0; at = flood->before[flood->queue[at]]) {
    ++length;
  }
  *route = calloc((size_t)length, sizeof **route);
  int32_t at = end;
  for (int32_t k = length - 1; *route != NULL && k >= 0; --k) {
    (*route)[k] = flood->queue[at];
    at = flood->before[flood->queue[at]];
  }
  return *route == NULL ? -1 : length;
}

fw_tick_t job_step_ticks(const body_t * body) { return body->ticks_per_move + 4 * body->turn_ticks; }

static int32_t flood_to(const job_t * job, const entrant_t * entrant, job_is_fine_t * is_fine, flood_t * flood)
{
  static const fw_offset_t steps[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  const fw_grid_t * grid = &job->grid;
  int32_t tail = 0, layer_end = 1;
  fw_tick_t tick = entrant->arrives;
  flood->queue[tail++] = entrant->start.cell;
  flood->before[entrant->start.cell] = -1;
  for (int32_t head = 0; head < tail; ++head) {
    if (head == layer_end) {
      layer_end = tail;
      tick += job_step_ticks(&entrant->body);
    }
    const fw_cell_t cell = flood->queue[head];
    if (is_fine(job, entrant, cell, tick)) {
      return head;
    }
    for (size_t k = 0; k < 4; ++k) {
      const int32_t x = fw_grid_x(grid, cell) + steps[k].dx, y = fw_grid_y(grid, cell) + steps[k].dy;
      const fw_cell_t next = fw_grid_is_free(grid, x, y) ? fw_grid_cell(grid, x, y) : FW_CELL_NONE;
      if (
        next != FW_CELL_NONE && flood->before[next] == -2 &&
        body_fits_on(&entrant->body, grid, job->connectivity, next)) {
        flood->before[next] = head;
        flood->queue[tail++] = next;
      }
    }
  }
  return -1;
}

int32_t job_find_way(const job_t * job, const entrant_t * entrant, job_is_fine_t * is_fine, fw_cell_t ** route)
{
  const int32_t cells = fw_grid_cell_count(&job->grid);
  flood_t flood = {malloc((size_t)cells * sizeof(fw_cell_t)), malloc((size_t)cells * sizeof(int32_t))};
  int32_t length = -1;
  if (flood.queue != NULL && flood.before != NULL) {
    for (int32_t k = 0; k < cells; ++k) {
      flood.before[k] = -2;
    }
    const int32_t end = flood_to(job, entrant, is_fine, &flood);
    length = end < 0 ? 0 : write_route(&flood, end, route);
  }
  free(flood.queue);
  free(flood.before);
  return length;
}
