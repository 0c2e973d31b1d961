// Optimal costs of small problems by brute force.

#include "support/brute.h"

#include <string.h>

#include "support/test.h"

enum { CELL_STATES = 16 * 16 * 16, STATES = CELL_STATES * 8, COST_MAX = 3 * CELL_STATES + 4 };

typedef struct joint_t {
  int32_t cell[BRUTE_ROBOTS_MAX];
  bool has_settled[BRUTE_ROBOTS_MAX];  // on its goal for good; only where the last arrival counts
} joint_t;

// The cells where a robot can be one tick later, its own first.
typedef struct choices_t {
  int32_t to[9];
  int32_t count;
} choices_t;

typedef struct brute_t {
  const fw_problem_t * problem;
  bool is_to_last_arrival;
  choices_t choices[BRUTE_CELLS_MAX];
  int32_t cost[STATES];  // the best known, -1 for none
  bool is_done[STATES];
  int32_t head[COST_MAX];  // a list of states per cost
  int32_t next[4 * STATES];
  int32_t state[4 * STATES];
  int32_t used;
} brute_t;

static int32_t pack(const brute_t * brute, joint_t joint)
{
  int32_t state = 0;
  for (int32_t r = 0; r < brute->problem->robot_count; ++r) {
    state = state * 32 + joint.cell[r] * 2 + (joint.has_settled[r] ? 1 : 0);
  }
  return state;
}

static joint_t unpack(const brute_t * brute, int32_t state)
{
  joint_t joint = {{0}, {false}};
  for (int32_t r = brute->problem->robot_count - 1; r >= 0; --r) {
    joint.has_settled[r] = state % 2 == 1;
    joint.cell[r] = state / 2 % 16;
    state /= 32;
  }
  return joint;
}

static void find_choices(brute_t * brute)
{
  const fw_grid_t * grid = brute->problem->grid;
  for (int32_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    const int32_t x = fw_grid_x(grid, cell);
    const int32_t y = fw_grid_y(grid, cell);
    choices_t * choices = &brute->choices[cell];
    choices->count = 0;
    choices->to[choices->count++] = cell;
    for (int32_t dy = -1; dy <= 1; ++dy) {
      for (int32_t dx = -1; dx <= 1; ++dx) {
        const bool is_diagonal = dx != 0 && dy != 0;
        if (
          (dx == 0 && dy == 0) || !fw_grid_is_free(grid, x + dx, y + dy) ||
          (is_diagonal && brute->problem->connectivity != 8) ||
          (is_diagonal && !brute->problem->cuts_corners &&
           (!fw_grid_is_free(grid, x + dx, y) || !fw_grid_is_free(grid, x, y + dy)))) {
          continue;
        }
        choices->to[choices->count++] = fw_grid_cell(grid, x + dx, y + dy);
      }
    }
  }
}

// Two moves at the same time: same cell, swap, or diagonals through one corner.
static bool collide(const fw_grid_t * grid, int32_t a, int32_t a_to, int32_t b, int32_t b_to)
{
  if (a_to == b_to || (a_to == b && b_to == a)) {
    return true;
  }
  const bool has_same_middle =
    fw_grid_x(grid, a) + fw_grid_x(grid, a_to) == fw_grid_x(grid, b) + fw_grid_x(grid, b_to) &&
    fw_grid_y(grid, a) + fw_grid_y(grid, a_to) == fw_grid_y(grid, b) + fw_grid_y(grid, b_to);
  return has_same_middle && a != a_to && b != b_to;
}

static void push(brute_t * brute, int32_t state, int32_t cost)
{
  if (brute->cost[state] >= 0 && brute->cost[state] <= cost) {
    return;
  }
  assert_in_range(brute->used, 0, 4 * STATES - 1);
  assert_in_range(cost, 0, COST_MAX - 1);
  brute->cost[state] = cost;
  brute->state[brute->used] = state;
  brute->next[brute->used] = brute->head[cost];
  brute->head[cost] = brute->used++;
}

// Enumerates the joint moves: robot after robot makes its choice; the choices made so far are in `to`.
static void expand(brute_t * brute, int32_t state, int32_t cost)
{
  const fw_problem_t * problem = brute->problem;
  const joint_t from = unpack(brute, state);
  joint_t to = {{0}, {false}};
  int32_t choice[BRUTE_ROBOTS_MAX] = {-1, -1, -1};
  for (int32_t r = 0; r >= 0;) {
    if (r == problem->robot_count) {
      int32_t step = 0;
      for (int32_t i = 0; i < r; ++i) {
        const bool is_resting = brute->is_to_last_arrival
                                  ? to.has_settled[i]
                                  : from.cell[i] == problem->robots[i].goal && to.cell[i] == from.cell[i];
        step += is_resting ? 0 : 1;
      }
      push(brute, pack(brute, to), cost + step);
      --r;
      continue;
    }
    const int32_t count = brute->choices[from.cell[r]].count;
    const bool can_settle = brute->is_to_last_arrival && from.cell[r] == problem->robots[r].goal;
    if (++choice[r] == (from.has_settled[r] ? 1 : count + (can_settle ? 1 : 0))) {  // a settled robot has no choice
      choice[r--] = -1;
      continue;
    }
    to.has_settled[r] = from.has_settled[r] || choice[r] == count;
    to.cell[r] = choice[r] == count ? from.cell[r] : brute->choices[from.cell[r]].to[choice[r]];
    bool is_clear = true;
    for (int32_t i = 0; i < r; ++i) {
      is_clear = is_clear && !collide(problem->grid, from.cell[i], to.cell[i], from.cell[r], to.cell[r]);
    }
    r += is_clear ? 1 : 0;
  }
}

// A robot on its goal can settle at no cost, so it is enough that all robots are on their goals.
static bool have_arrived(const brute_t * brute, int32_t state)
{
  const joint_t joint = unpack(brute, state);
  bool is_end = true;
  for (int32_t r = 0; r < brute->problem->robot_count; ++r) {
    is_end = is_end && joint.cell[r] == brute->problem->robots[r].goal;
  }
  return is_end;
}

static fw_cost_t solve(const fw_problem_t * problem, bool is_to_last_arrival)
{
  static brute_t brute;
  assert_in_range(problem->robot_count, 1, BRUTE_ROBOTS_MAX);
  assert_in_range(fw_grid_cell_count(problem->grid), 1, BRUTE_CELLS_MAX);
  assert_int_equal(problem->robust_ticks, 0);
  brute.problem = problem;
  brute.is_to_last_arrival = is_to_last_arrival;
  brute.used = 0;
  memset(brute.cost, 0xff, sizeof(brute.cost));
  memset(brute.head, 0xff, sizeof(brute.head));
  memset(brute.is_done, 0, sizeof(brute.is_done));
  find_choices(&brute);
  joint_t start = {{0}, {false}};
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    start.cell[r] = problem->robots[r].start;
  }
  push(&brute, pack(&brute, start), 0);
  for (int32_t cost = 0; cost < COST_MAX; ++cost) {
    for (int32_t at = brute.head[cost]; at >= 0; at = brute.next[at]) {  // a step costs at least 1: the list is whole
      const int32_t state = brute.state[at];
      if (brute.is_done[state] || brute.cost[state] != cost) {
        continue;
      }
      if (have_arrived(&brute, state)) {
        return cost;
      }
      brute.is_done[state] = true;
      expand(&brute, state, cost);
    }
  }
  return -1;
}

fw_cost_t brute_solve(const fw_problem_t * problem) { return solve(problem, false); }

fw_cost_t brute_solve_to_last_arrival(const fw_problem_t * problem) { return solve(problem, true); }
