#include "node/job.h"

#include <stdlib.h>
#include <string.h>

bool job_reset(job_t * job, const fw_grid_t * grid, int32_t capacity)
{
  job->count = 0;
  job->closure_count = 0;
  if (job->grid.width != grid->width || job->grid.height != grid->height) {
    fw_grid_fini(&job->grid);
    if (fw_grid_init(&job->grid, grid->width, grid->height, NULL, NULL) != FW_RET_OK) {
      job->grid = (fw_grid_t){0};
      return false;
    }
  }
  memcpy(job->grid.cost, grid->cost, (size_t)fw_grid_cell_count(grid));
  if (capacity > job->capacity) {
    free(job->entrants);
    free(job->robots);
    job->entrants = calloc((size_t)capacity, sizeof *job->entrants);
    job->robots = calloc((size_t)capacity, sizeof *job->robots);
    job->capacity = job->entrants == NULL || job->robots == NULL ? 0 : capacity;
  }
  return job->capacity >= capacity;
}

void job_fini(job_t * job)
{
  fw_grid_fini(&job->grid);
  free(job->entrants);
  free(job->robots);
  free(job->closures);
  *job = (job_t){0};
}

static fw_cell_t final_cell(const entrant_t * entrant)
{
  return entrant->is_held || entrant->goal == FW_CELL_NONE ? entrant->home : entrant->goal;
}

// By cell; on one cell first who stays there, then the older goal.
static int by_claim(const void * a, const void * b)
{
  const entrant_t * one = *(const entrant_t * const *)a;
  const entrant_t * two = *(const entrant_t * const *)b;
  const fw_cell_t cell_one = final_cell(one), cell_two = final_cell(two);
  if (cell_one != cell_two) {
    return cell_one < cell_two ? -1 : 1;
  }
  const bool stays_one = cell_one == one->start, stays_two = cell_two == two->start;
  if (stays_one != stays_two) {
    return stays_one ? -1 : 1;
  }
  return one->goal_order < two->goal_order ? -1 : one->goal_order > two->goal_order;
}

void job_settle(job_t * job)
{
  entrant_t ** claims = calloc((size_t)job->count + 1, sizeof *claims);
  if (claims == NULL) {
    return;  // the problem's own check will find what is left, and say so
  }
  for (int32_t k = 0; k < job->count; ++k) {
    claims[k] = &job->entrants[k];
  }
  // Who is held stands on its own cell, which may be the goal of another: again until nobody new is held.
  for (int32_t round = 0; round <= job->count; ++round) {
    bool any_held = false;
    qsort(claims, (size_t)job->count, sizeof(entrant_t *), by_claim);
    for (int32_t k = 1; k < job->count; ++k) {
      entrant_t * entrant = claims[k];
      if (final_cell(entrant) == final_cell(claims[k - 1]) && !entrant->is_held && entrant->goal != FW_CELL_NONE) {
        entrant->is_held = true;
        entrant->fault = FW_FAULT_GOAL_OCCUPIED;
        entrant->other = claims[k - 1]->robot;
        any_held = true;
        break;  // the order has changed
      }
    }
    if (!any_held) {
      break;
    }
  }
  free(claims);
}

fw_problem_t job_pose(job_t * job)
{
  for (int32_t k = 0; k < job->count; ++k) {
    job->robots[k] = (fw_robot_t){
      .start = job->entrants[k].start,
      .goal = final_cell(&job->entrants[k]),
      .priority = job->entrants[k].priority,
      .ticks_per_move = 1,
      .id = job->entrants[k].robot,
    };
  }
  return (fw_problem_t){
    .grid = &job->grid,
    .robots = job->robots,
    .robot_count = job->count,
    .connectivity = job->connectivity,
    .robust_ticks = job->robust_ticks,
    .closures = job->closures,
    .closure_count = job->closure_count,
    .horizon = job->horizon,
    .since = job->since,
  };
}

// A diagonal needs both side cells, so the parts that hang together are those of four neighbours in either case.
static void flood(const fw_grid_t * grid, fw_cell_t from, int32_t label, int32_t * labels, fw_cell_t * queue)
{
  int32_t head = 0, tail = 0;
  labels[from] = label;
  queue[tail++] = from;
  while (head < tail) {
    const int32_t x = fw_grid_x(grid, queue[head]), y = fw_grid_y(grid, queue[head]);
    ++head;
    static const fw_offset_t steps[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (size_t k = 0; k < 4; ++k) {
      const int32_t next_x = x + steps[k].dx, next_y = y + steps[k].dy;
      if (fw_grid_is_free(grid, next_x, next_y) && labels[fw_grid_cell(grid, next_x, next_y)] == 0) {
        labels[fw_grid_cell(grid, next_x, next_y)] = label;
        queue[tail++] = fw_grid_cell(grid, next_x, next_y);
      }
    }
  }
}

int32_t job_hold_unreachable(job_t * job)
{
  const size_t cells = (size_t)fw_grid_cell_count(&job->grid);
  int32_t * labels = calloc(cells, sizeof *labels);
  fw_cell_t * queue = malloc(cells * sizeof *queue);
  int32_t held = -1;
  if (labels != NULL && queue != NULL) {
    held = 0;
    for (int32_t k = 0; k < job->count; ++k) {
      entrant_t * entrant = &job->entrants[k];
      if (entrant->is_held || entrant->goal == FW_CELL_NONE) {
        continue;
      }
      if (labels[entrant->start] == 0) {
        flood(&job->grid, entrant->start, k + 1, labels, queue);
      }
      if (labels[entrant->goal] != labels[entrant->start]) {
        entrant->is_held = true;
        entrant->fault = FW_FAULT_NO_VALID_PATH;
        held += 1;
      }
    }
  }
  free(labels);
  free(queue);
  return held;
}
