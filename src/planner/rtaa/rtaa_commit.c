// The step in which robots commit themselves: one tick, nobody collides, and nobody is blocked by one who could go.
//
// Robots choose in their order (rtaa_order.c), each the best cell that is left. Where somebody stands who has not chosen
// yet, that one must choose first, in the name of the one who wants its cell (priority inheritance); if it cannot leave,
// the one who wants it takes its next best cell (backtracking). After K. Okumura, M. Machida, X. Défago, Y. Tamura,
// "Priority Inheritance with Backtracking for Iterative Multi-agent Path Finding", 2019 and 2022.
//
// With robust ticks a cell may not be entered while somebody is leaving it, nor for some ticks after. Whoever is pushed
// then leaves, and the one who pushed waits where it is.

#include "planner/rtaa/rtaa.h"

enum { REPRICE_TICKS = 64 };

// Somebody has come to rest on its goal, or has been pushed off. As long as it is there the cell costs others more, so that
// ways lead around where that is not far: the more, the more often it had to go, and never twice the same, for no price
// is right everywhere, and one that is too high shuts off what lies behind. False when there is no memory.
static bool price(fw_rtaa_run_t * run, int32_t robot, bool is_there)
{
  const fw_cell_t cell = run->problem->robots[robot].goal;
  int32_t cost = run->problem->grid->cost[cell];
  if (is_there) {
    const uint64_t most = (uint64_t)run->parked * (uint64_t)run->arrivals[robot];
    cost += (int32_t)(fw__rtaa_chance(run, robot, FW_HEADING_COUNT + 1) % (most < UINT8_MAX ? most + 1 : UINT8_MAX));
  }
  return run->parked == 0 ||
         fw_batch_set_cost(&run->batch, cell, (uint8_t)(cost < UINT8_MAX ? cost : UINT8_MAX), NULL) == FW_RET_OK;
}

bool fw__rtaa_commit_init(fw_rtaa_run_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)run->problem->robot_count;
  const size_t cells = (size_t)fw_grid_cell_count(run->problem->grid);
  run->cells = fw__arena_allocate(arena, count, sizeof(*run->cells));
  run->next = fw__arena_allocate(arena, count, sizeof(*run->next));
  run->standing = fw__arena_allocate(arena, cells, sizeof(*run->standing));
  run->claimed = fw__arena_allocate(arena, cells, sizeof(*run->claimed));
  run->free_from = fw__arena_allocate_zeroed(arena, cells, sizeof(*run->free_from));
  run->arrivals = fw__arena_allocate_zeroed(arena, count, sizeof(*run->arrivals));
  run->choices = fw__arena_allocate(arena, count, sizeof(*run->choices));
  if (
    run->cells == NULL || run->next == NULL || run->standing == NULL || run->claimed == NULL ||
    run->free_from == NULL || run->choices == NULL || run->arrivals == NULL) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  for (size_t cell = 0; cell < cells; ++cell) {
    run->standing[cell] = -1;
    run->claimed[cell] = -1;
  }
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    run->cells[r] = run->problem->robots[r].start;
    run->standing[run->cells[r]] = r;
  }
  bool is_fine = true;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    run->arrivals[r] = fw__rtaa_is_on_goal(run, r) ? 1 : 0;
    is_fine = (run->arrivals[r] == 0 || price(run, r, true)) && is_fine;
  }
  if (!is_fine) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  return is_fine;
}

// ---- choosing -------------------------------------------------------------------------------------------------------

static void claim(fw_rtaa_run_t * run, int32_t robot, fw_cell_t cell)
{
  run->next[robot] = cell;
  run->claimed[cell] = robot;
}

static void unclaim(fw_rtaa_run_t * run, int32_t robot)
{
  if (run->claimed[run->next[robot]] == robot) {
    run->claimed[run->next[robot]] = -1;
  }
  run->next[robot] = FW_CELL_NONE;
}

// Two diagonals between the same four cells: somebody beside the move who goes across it.
static bool crosses(const fw_rtaa_run_t * run, fw_cell_t from, fw_cell_t to)
{
  const fw_grid_t * grid = run->problem->grid;
  const int32_t across = fw_grid_x(grid, to) - fw_grid_x(grid, from);
  const int32_t down = (fw_grid_y(grid, to) - fw_grid_y(grid, from)) * grid->width;
  if (across == 0 || down == 0) {
    return false;
  }
  const int32_t one = run->standing[from + down], other = run->standing[from + across];
  return (one >= 0 && run->next[one] == from + across) || (other >= 0 && run->next[other] == from + down);
}

typedef enum verdict_t {
  TAKE,   // it is free
  PUSH,   // somebody is there who has not chosen
  WAIT,   // it will be free in a while
  LEAVE,  // it is not to be had
} verdict_t;

static verdict_t judge(const fw_rtaa_run_t * run, const fw_rtaa_choice_t * choice, fw_cell_t cell)
{
  const fw_cell_t here = run->cells[choice->robot];
  const bool is_pushed = choice->pusher >= 0;
  if (cell == here) {
    return is_pushed ? LEAVE : TAKE;
  }
  if (run->claimed[cell] >= 0 || (is_pushed && cell == run->cells[choice->pusher]) || crosses(run, here, cell)) {
    return LEAVE;
  }
  const int32_t other = run->standing[cell];
  if (other < 0) {
    return run->free_from[cell] <= run->now + 1 ? TAKE : is_pushed ? LEAVE : WAIT;
  }
  if (run->next[other] == FW_CELL_NONE) {
    return PUSH;
  }
  if (run->next[other] == here) {
    return LEAVE;
  }
  return run->problem->robust_ticks == 0 ? TAKE : is_pushed ? LEAVE : WAIT;
}

// A choice has come out well. Whoever goes back to a fork draws its partner along, if nothing keeps that one.
static void settle(fw_rtaa_run_t * run, const fw_rtaa_choice_t * choice)
{
  const fw_cell_t here = run->cells[choice->robot];
  const int32_t partner = choice->partner;
  if (partner < 0 || choice->at != 1 || run->next[choice->robot] == here || run->next[partner] != FW_CELL_NONE) {
    return;
  }
  ++run->swaps;
  if (run->problem->robust_ticks > 0) {
    run->yields_until[choice->robot] = run->now + fw__rtaa_yield_ticks(run, choice->robot, partner);
  } else if (run->claimed[here] < 0 && !crosses(run, run->cells[partner], here)) {
    claim(run, partner, here);
  }
}

// Goes on with the choice on top of the stack of `depth`. Returns the new depth; `has_left` tells the one below how the
// choice ended.
static int32_t go_on(fw_rtaa_run_t * run, int32_t depth, bool * has_left)
{
  fw_rtaa_choice_t * choice = &run->choices[depth - 1];
  while (choice->at < choice->count) {
    const fw_cell_t cell = choice->candidates[choice->at++];
    const verdict_t verdict = judge(run, choice, cell);
    if (verdict == LEAVE) {
      continue;
    }
    const bool is_robust = run->problem->robust_ticks > 0;
    claim(run, choice->robot, verdict == WAIT || (verdict == PUSH && is_robust) ? run->cells[choice->robot] : cell);
    if (verdict != PUSH) {
      settle(run, choice);
      *has_left = true;
      return depth - 1;
    }
    fw_rtaa_choice_t * pushed = &run->choices[depth];
    *pushed = (fw_rtaa_choice_t){.robot = run->standing[cell], .pusher = choice->robot, .partner = -1};
    fw__rtaa_choose_candidates(run, pushed->robot, pushed);
    ++run->pushes;
    return depth + 1;
  }
  claim(run, choice->robot, run->cells[choice->robot]);
  *has_left = choice->pusher < 0;
  return depth - 1;
}

// The best candidate is known before all are weighed: the first step of the way, or to stay on the goal.
static bool choose_at_once(fw_rtaa_run_t * run, int32_t robot)
{
  const fw_rtaa_choice_t choice = {.robot = robot, .pusher = -1, .partner = -1};
  fw_cell_t cell = run->cells[robot];
  if (!fw__rtaa_is_on_goal(run, robot)) {
    uint8_t way[FW_LOOKAHEAD_MAX];
    cell = fw_batch_way(&run->batch, robot, way) > 0 ? fw__rtaa_neighbour(run, cell, way[0]) : FW_CELL_NONE;
  }
  const bool is_free = cell != FW_CELL_NONE && judge(run, &choice, cell) == TAKE;
  if (is_free) {
    claim(run, robot, cell);
  }
  return is_free;
}

// A robot chooses, and all whom it pushes. The loop ends: each robot is put on the stack once at most, and each look at a
// choice takes a candidate from it.
static void choose(fw_rtaa_run_t * run, int32_t robot)
{
  if (choose_at_once(run, robot)) {
    return;
  }
  run->choices[0] = (fw_rtaa_choice_t){.robot = robot, .pusher = -1, .partner = -1};
  fw__rtaa_choose_candidates(run, robot, &run->choices[0]);
  int32_t depth = 1;
  while (depth > 0) {
    bool has_left = false;
    const int32_t before = depth;
    depth = go_on(run, depth, &has_left);
    while (depth < before && depth > 0 && has_left) {  // those below have what they want
      settle(run, &run->choices[--depth]);
    }
    if (depth < before && depth > 0) {
      unclaim(run, run->choices[depth - 1].robot);  // and try something else
    }
  }
}

bool fw__rtaa_commit(fw_rtaa_run_t * run)
{
  const int32_t count = run->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    run->next[r] = FW_CELL_NONE;
  }
  for (int32_t i = 0; i < count; ++i) {
    if (run->next[run->order[i]] == FW_CELL_NONE) {
      choose(run, run->order[i]);
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    const bool is_waiting = run->next[r] == run->cells[r];
    run->claimed[run->next[r]] = -1;
    if (!is_waiting) {
      run->free_from[run->cells[r]] = run->now + 1 + run->problem->robust_ticks;
      run->standing[run->cells[r]] = -1;
    }
    run->blocked[r] = is_waiting && !fw__rtaa_is_on_goal(run, r) ? run->blocked[r] + 1 : 0;
    run->waits += run->blocked[r] > 0 ? 1 : 0;
  }
  bool is_fine = true;
  for (int32_t r = 0; r < count; ++r) {
    const fw_cell_t goal = run->problem->robots[r].goal;
    const bool was_there = run->cells[r] == goal, is_there = run->next[r] == goal;
    if (run->next[r] != run->cells[r]) {
      fw_batch_set_cell(&run->batch, r, run->next[r]);
      run->cells[r] = run->next[r];
      run->standing[run->cells[r]] = r;
      run->arrivals[r] += is_there ? 1 : 0;
    }
    const bool is_due = is_there && run->arrivals[r] > 1 && (run->now + r) % REPRICE_TICKS == 0;
    is_fine = ((was_there == is_there && !is_due) || price(run, r, is_there)) && is_fine;
  }
  if (!is_fine) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  return is_fine;
}
