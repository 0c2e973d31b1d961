#include "ros/planner_node/job.h"

#include <stdlib.h>
#include <string.h>

#include "world/turn.h"

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

typedef struct sweeping_t {
  job_t * job;
  place_t from;
  int32_t quarters;
  int32_t robot;
  bool is_fine;
} sweeping_t;

static void claim_swept(void * context, fw_offset_t cell)
{
  sweeping_t * sweeping = context;
  const fw_grid_t * grid = &sweeping->job->grid;
  const fw_offset_t by = fw__offset_turn(cell, sweeping->quarters);
  const int32_t x = fw_grid_x(grid, sweeping->from.cell) + by.dx, y = fw_grid_y(grid, sweeping->from.cell) + by.dy;
  if (fw_grid_contains(grid, x, y)) {
    sweeping->is_fine =
      claims_add_cell(&sweeping->job->claims, fw_grid_cell(grid, x, y), sweeping->robot) && sweeping->is_fine;
  }
}

// What it sweeps on the turn that it is on.
static bool claim_turn(job_t * job, const entrant_t * entrant)
{
  const int32_t step = job->connectivity == 8 ? 1 : 2;
  const bool is_right = (entrant->from.heading + step) % FW_HEADING_COUNT == entrant->start.heading;
  const int32_t first = is_right ? entrant->from.heading : entrant->start.heading;
  sweeping_t sweeping = {job, entrant->from, first / 2, entrant->robot, true};
  for (int32_t k = 0; k < entrant->body.outline->counts[0]; ++k) {
    const fw_turn_t turn = {first % 2, first % 2 + step};
    fw__turn_visit(entrant->body.outline->cells[0][k], turn, claim_swept, &sweeping);
  }
  return sweeping.is_fine;
}

bool job_claim_start(job_t * job, const entrant_t * entrant)
{
  bool is_fine = claims_add(&job->claims, &job->grid, (placed_t){&entrant->body, entrant->start}, entrant->robot);
  if (is_fine && entrant->arrives > 0) {
    is_fine = claims_add(&job->claims, &job->grid, (placed_t){&entrant->body, entrant->from}, entrant->robot);
  }
  if (is_fine && entrant->arrives > 0 && entrant->from.heading != entrant->start.heading) {
    is_fine = claim_turn(job, entrant);
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
  static const ros_footprint_t single = {.cells = {own}, .counts = {1}};
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
