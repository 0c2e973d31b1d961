#include "node/job_closures.h"

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

bool job_is_closed(const job_t * job, fw_cell_t cell, fw_tick_t tick)
{
  const fw_closure_t * closure = job_find_closure(job, cell, tick);
  return closure != NULL && closure->from <= tick;
}

bool job_closes_for_good(const job_t * job, fw_cell_t cell)
{
  const fw_closure_t * last = job_find_closure(job, cell, FW_TICK_MAX);
  return last != NULL && last->to == FW_TICK_MAX;
}

// ---- changes

static void remove_at(job_t * job, int32_t index)
{
  for (int32_t k = index; k + 1 < job->closure_count; ++k) {
    job->closures[k] = job->closures[k + 1];
  }
  job->closure_count -= 1;
}

void job_open_until(job_t * job, fw_cell_t cell, fw_tick_t tick)
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

static int32_t flood_to(
  const job_t * job, fw_cell_t start, bool (*is_fine)(const job_t * job, fw_cell_t cell, fw_tick_t tick),
  flood_t * flood)
{
  static const fw_offset_t steps[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  const fw_grid_t * grid = &job->grid;
  int32_t tail = 0, layer_end = 1;
  fw_tick_t tick = 0;
  flood->queue[tail++] = start;
  flood->before[start] = -1;
  for (int32_t head = 0; head < tail; ++head) {
    if (head == layer_end) {
      layer_end = tail;
      ++tick;
    }
    const fw_cell_t cell = flood->queue[head];
    if (is_fine(job, cell, tick)) {
      return head;
    }
    for (size_t k = 0; k < 4; ++k) {
      const int32_t x = fw_grid_x(grid, cell) + steps[k].dx, y = fw_grid_y(grid, cell) + steps[k].dy;
      if (fw_grid_is_free(grid, x, y) && flood->before[fw_grid_cell(grid, x, y)] == -2) {
        flood->before[fw_grid_cell(grid, x, y)] = head;
        flood->queue[tail++] = fw_grid_cell(grid, x, y);
      }
    }
  }
  return -1;
}

int32_t job_find_way(
  const job_t * job, fw_cell_t start, bool (*is_fine)(const job_t * job, fw_cell_t cell, fw_tick_t tick),
  fw_cell_t ** route)
{
  const int32_t cells = fw_grid_cell_count(&job->grid);
  flood_t flood = {malloc((size_t)cells * sizeof(fw_cell_t)), malloc((size_t)cells * sizeof(int32_t))};
  int32_t length = -1;
  if (flood.queue != NULL && flood.before != NULL) {
    for (int32_t k = 0; k < cells; ++k) {
      flood.before[k] = -2;
    }
    const int32_t end = flood_to(job, start, is_fine, &flood);
    length = end < 0 ? 0 : write_route(&flood, end, route);
  }
  free(flood.queue);
  free(flood.before);
  return length;
}
