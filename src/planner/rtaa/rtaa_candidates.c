// What a robot of `rtaa` may choose from: the cells next to it and its own, best first.

#include "planner/rtaa/rtaa.h"

uint64_t fw__rtaa_chance(const fw_rtaa_run_t * run, int32_t robot, int32_t salt)
{
  fw_rng_t rng = fw__rng(
    run->context->seed ^ ((uint64_t)(uint32_t)robot << 36) ^ ((uint64_t)(uint32_t)run->now << 4) ^ (uint64_t)salt);
  return fw__rng_next(&rng) >> 40;
}

fw_cell_t fw__rtaa_neighbour(const fw_rtaa_run_t * run, fw_cell_t cell, int32_t heading)
{
  static const int32_t dx[FW_HEADING_COUNT] = {1, 1, 0, -1, -1, -1, 0, 1};
  static const int32_t dy[FW_HEADING_COUNT] = {0, 1, 1, 1, 0, -1, -1, -1};
  const fw_grid_t * grid = run->problem->grid;
  const int32_t x = fw_grid_x(grid, cell), y = fw_grid_y(grid, cell);
  const int32_t to_x = x + dx[heading], to_y = y + dy[heading];
  if (!fw_grid_is_free(grid, to_x, to_y) || !fw_grid_is_free(grid, to_x, y) || !fw_grid_is_free(grid, x, to_y)) {
    return FW_CELL_NONE;
  }
  return fw_grid_cell(grid, to_x, to_y);
}

// Smaller is better: the first step of the way that was found; else what is left to go from there; then cells where nobody
// is; then chance, which keeps two from dodging each other the same way for ever.
static uint64_t score(const fw_rtaa_run_t * run, int32_t robot, fw_cell_t cell, int32_t heading, bool is_way)
{
  const uint64_t left = fw_batch_estimate(&run->batch, robot, cell) + run->problem->grid->cost[cell];
  const bool is_taken = cell != run->cells[robot] && (run->standing[cell] >= 0 || run->free_from[cell] > run->now + 1);
  return ((is_way ? 0 : left) << 26) | ((uint64_t)(is_taken ? 1 : 0) << 25) | fw__rtaa_chance(run, robot, heading);
}

// What is left for the partner from a cell, so that the most is first; then to stay; the partner's own cell is last.
static uint32_t turn_score(const fw_rtaa_run_t * run, const fw_rtaa_choice_t * choice, fw_cell_t cell)
{
  if (cell == run->cells[choice->partner]) {
    return 0;
  }
  return cell == run->cells[choice->robot] ? 1 : fw_batch_estimate(&run->batch, choice->partner, cell) + 2;
}

// Back to a fork, and there to the side that the partner does not want.
static void turn_back(const fw_rtaa_run_t * run, fw_rtaa_choice_t * choice)
{
  for (int32_t i = 1; i < choice->count; ++i) {
    const fw_cell_t cell = choice->candidates[i];
    const uint32_t value = turn_score(run, choice, cell);
    int32_t at = i;
    for (; at > 0 && turn_score(run, choice, choice->candidates[at - 1]) < value; --at) {
      choice->candidates[at] = choice->candidates[at - 1];
    }
    choice->candidates[at] = cell;
  }
}

void fw__rtaa_choose_candidates(const fw_rtaa_run_t * run, int32_t robot, fw_rtaa_choice_t * choice)
{
  const fw_cell_t here = run->cells[robot];
  const bool is_on_goal = fw__rtaa_is_on_goal(run, robot);
  uint8_t way[FW_LOOKAHEAD_MAX];
  const bool has_way = !is_on_goal && fw_batch_way(&run->batch, robot, way) > 0;
  uint64_t scores[9];
  choice->count = 0;
  const int32_t step = run->problem->connectivity == 4 ? 2 : 1;
  for (int32_t heading = 0; heading <= FW_HEADING_COUNT; heading += step) {
    const bool is_stay = heading == FW_HEADING_COUNT;
    const fw_cell_t cell = is_stay ? here : fw__rtaa_neighbour(run, here, heading);
    if (cell == FW_CELL_NONE) {
      continue;
    }
    const uint64_t value = is_stay && is_on_goal ? 0 : score(run, robot, cell, heading, has_way && heading == way[0]);
    int32_t at = choice->count++;
    for (; at > 0 && scores[at - 1] > value; --at) {
      scores[at] = scores[at - 1];
      choice->candidates[at] = choice->candidates[at - 1];
    }
    scores[at] = value;
    choice->candidates[at] = cell;
  }
  choice->partner = fw__rtaa_find_swap(run, robot, choice->candidates[0]);
  if (choice->partner >= 0) {
    turn_back(run, choice);
  }
}
