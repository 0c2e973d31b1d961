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
  return job->capacity >= capacity && claims_reset(&job->claims, &job->grid);
}

void job_fini(job_t * job)
{
  fw_grid_fini(&job->grid);
  free(job->entrants);
  free(job->robots);
  free(job->closures);
  claims_fini(&job->claims);
  *job = (job_t){0};
}

bool job_claim_start(job_t * job, const entrant_t * entrant)
{
  bool is_fine = claims_add(&job->claims, &job->grid, (placed_t){&entrant->body, entrant->start}, entrant->robot);
  if (entrant->arrives > 0) {
    // On a quarter turn the heading between is swept as well; on all else it is one of the two.
    const int32_t turn = (entrant->start.heading - entrant->from.heading + FW_HEADING_COUNT) % FW_HEADING_COUNT;
    place_t between = entrant->from;
    between.heading = (between.heading + (turn == 2 ? 1 : turn == 6 ? 7 : 0)) % FW_HEADING_COUNT;
    is_fine = is_fine &&
              claims_add(&job->claims, &job->grid, (placed_t){&entrant->body, entrant->from}, entrant->robot) &&
              claims_add(&job->claims, &job->grid, (placed_t){&entrant->body, between}, entrant->robot);
  }
  return is_fine;
}

// ---- who stays where

static fw_cell_t final_cell(const entrant_t * entrant)
{
  return entrant->is_held || entrant->goal == FW_CELL_NONE ? entrant->home : entrant->goal;
}

static bool stays(const entrant_t * entrant) { return final_cell(entrant) == entrant->start.cell; }

// What it covers there for certain: which heading it comes with nobody knows, so that only its own cell counts.
static bool claim_final(job_t * job, const entrant_t * entrant, int32_t * other)
{
  static fw_offset_t own[1] = {{0, 0}};
  static const fw_outline_t single = {.cells = {own}, .counts = {1}};
  body_t body = entrant->body;
  place_t place = {.cell = final_cell(entrant)};
  if (stays(entrant)) {
    place = entrant->start;
  } else if (body.turn_ticks > 0) {
    body.outline = &single;
  }
  *other = claims_find(&job->claims, &job->grid, (placed_t){&body, place});
  return claims_add(&job->claims, &job->grid, (placed_t){&body, place}, entrant->robot);
}

// First who stays, then the older goal.
static int by_claim(const void * a, const void * b)
{
  const entrant_t * one = *(const entrant_t * const *)a;
  const entrant_t * two = *(const entrant_t * const *)b;
  if (stays(one) != stays(two)) {
    return stays(one) ? -1 : 1;
  }
  if (one->goal_order != two->goal_order) {
    return one->goal_order < two->goal_order ? -1 : 1;
  }
  return (one->robot > two->robot) - (one->robot < two->robot);
}

// Holds the first that wants what another has. False if there was none, or no memory: the problem's own check will find
// what is left then, and say so.
static bool settle_one(job_t * job, entrant_t ** claims)
{
  bool is_fine = claims_reset(&job->claims, &job->grid);
  qsort(claims, (size_t)job->count, sizeof(entrant_t *), by_claim);
  for (int32_t k = 0; is_fine && k < job->count; ++k) {
    entrant_t * entrant = claims[k];
    int32_t other = -1;
    is_fine = claim_final(job, entrant, &other);
    if (other >= 0 && !entrant->is_held && entrant->goal != FW_CELL_NONE) {
      entrant->is_held = true;
      entrant->fault = FW_FAULT_GOAL_OCCUPIED;
      entrant->other = other;
      return true;
    }
  }
  return false;
}

void job_settle(job_t * job)
{
  entrant_t ** claims = calloc((size_t)job->count + 1, sizeof *claims);
  if (claims == NULL) {
    return;
  }
  for (int32_t k = 0; k < job->count; ++k) {
    claims[k] = &job->entrants[k];
  }
  // Who is held stands on its own cell, which may be the goal of another: again until nobody new is held.
  for (int32_t round = 0; round <= job->count && settle_one(job, claims); ++round) {}
  free(claims);
}

fw_problem_t job_pose(job_t * job)
{
  for (int32_t k = 0; k < job->count; ++k) {
    const entrant_t * entrant = &job->entrants[k];
    const body_t * body = &entrant->body;
    job->robots[k] = (fw_robot_t){
      .start = entrant->start.cell,
      .goal = final_cell(entrant),
      .priority = entrant->priority,
      .ticks_per_move = body->ticks_per_move,
      .footprint = body->outline->cells[0],
      .footprint_count = body->outline->counts[0],
      .turn_ticks = body->turn_ticks,
      .heading = entrant->start.heading,
      .sweeps_sides = body->sweeps_sides,
      .id = entrant->robot,
      .arrives = entrant->arrives,
      .from = entrant->arrives > 0 ? entrant->from.cell : 0,
      .from_heading = entrant->arrives > 0 ? entrant->from.heading : 0,
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

// ---- who can get there at all

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
