// Two robots of `rtaa` in a lane who want past each other: pushing would only drive one of them into the end of it.
//
// The one who chooses first looks along the lane in both directions. If the other could be pushed nowhere but to where
// the first wants to go, and behind the first there is a fork, it goes back to that fork instead, and draws the other
// along; at the fork one of them gets out of the way. With robust ticks nobody can be drawn along, so the one who goes
// back yields until the other can have followed. After K. Okumura, "Improving LaCAM for Scalable Eventually Optimal
// Multi-Agent Pathfinding", 2023, where it is called swap.

#include "planner/rtaa/rtaa.h"

enum { LANE_MAX = 1024 };  // cells of a lane that are looked at

static uint32_t estimate(const fw_rtaa_run_t * run, int32_t robot, fw_cell_t cell)
{
  return fw_batch_estimate(&run->batch, robot, cell);
}

static int32_t count_exits(const fw_rtaa_run_t * run, fw_cell_t cell, fw_cell_t without, fw_cell_t * last)
{
  int32_t exits = 0;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += run->problem->connectivity == 4 ? 2 : 1) {
    const fw_cell_t next = fw__rtaa_neighbour(run, cell, heading);
    if (next != FW_CELL_NONE && next != without) {
      *last = next;
      ++exits;
    }
  }
  return exits;
}

// A bay whose robot is at home in it is no place to get out of the way.
static bool is_taken_bay(const fw_rtaa_run_t * run, fw_cell_t cell, fw_cell_t mouth)
{
  const int32_t robot = run->standing[cell];
  fw_cell_t unused;
  return robot >= 0 && fw__rtaa_is_on_goal(run, robot) && count_exits(run, cell, mouth, &unused) == 0;
}

// Ways on from `cell` for one who comes from `from`; `next` is one of them.
static int32_t ways_on(const fw_rtaa_run_t * run, fw_cell_t cell, fw_cell_t from, fw_cell_t * next)
{
  int32_t ways = 0;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += run->problem->connectivity == 4 ? 2 : 1) {
    const fw_cell_t to = fw__rtaa_neighbour(run, cell, heading);
    if (to != FW_CELL_NONE && to != from && !is_taken_bay(run, to, cell)) {
      *next = to;
      ++ways;
    }
  }
  return ways;
}

// `robot` at `from` pushes `other` at `to` along: does it come to where it wants to be without passing a fork?
static bool has_to_swap(const fw_rtaa_run_t * run, int32_t robot, int32_t other)
{
  fw_cell_t from = run->cells[robot], to = run->cells[other];
  for (int32_t step = 0; step < LANE_MAX && estimate(run, robot, to) < estimate(run, robot, from); ++step) {
    fw_cell_t next = to;
    const int32_t ways = ways_on(run, to, from, &next);
    if (ways >= 2) {
      return false;
    }
    if (ways == 0) {
      break;
    }
    from = to;
    to = next;
  }
  return estimate(run, other, from) < estimate(run, other, to) &&
         (to == run->problem->robots[robot].goal || estimate(run, robot, to) < estimate(run, robot, from));
}

// How many cells behind `robot`, seen from `other`, there is a fork; -1 if there is none.
static int32_t find_fork(const fw_rtaa_run_t * run, int32_t robot, int32_t other)
{
  fw_cell_t from = run->cells[other], to = run->cells[robot];
  for (int32_t step = 0; step < LANE_MAX && to != run->cells[other]; ++step) {
    fw_cell_t next = to;
    const int32_t ways = ways_on(run, to, from, &next);
    if (ways != 1) {
      return ways > 1 ? step : -1;
    }
    from = to;
    to = next;
  }
  return -1;
}

int32_t fw__rtaa_find_swap(const fw_rtaa_run_t * run, int32_t robot, fw_cell_t wanted)
{
  const int32_t other = run->standing[wanted];
  const bool is_open = other >= 0 && other != robot && run->next[other] == FW_CELL_NONE;
  return is_open && has_to_swap(run, robot, other) && find_fork(run, robot, other) >= 0 ? other : -1;
}

fw_tick_t fw__rtaa_yield_ticks(const fw_rtaa_run_t * run, int32_t robot, int32_t other)
{
  const int32_t cells = find_fork(run, robot, other) + 4;  // there, aside, and past it
  return 2 * (1 + run->problem->robust_ticks) * cells;
}
