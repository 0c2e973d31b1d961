// Collisions that are left when biased cost pathfinding ends, resolved before anything is returned: robot after robot by
// priority, each along the way it has chosen. Who would meet one of those before waits on its way where that is enough.
// Who cannot goes on, or waits at its start, as long as nobody comes: there the plan ends.

#include "planner/bcp/bcp.h"

enum { EFFORT = 512, TRIES = 8 };

typedef struct resolve_t {
  fw_bcp_t * run;
  fw_reservations_t table;
  fw_path_buffers_t paths;  // of the present try
  fw_meter_t meter;         // of its own: the run's may have ended
  int32_t failed;           // the first robot that found no way, -1 for none
  int64_t waits;
} resolve_t;

static bool is_free(const resolve_t * resolve, int32_t robot, fw_path_t path, fw_tick_t until)
{
  const fw_booking_t booking = {.path = path, .until = until};
  return fw__reservations_first_conflict(&resolve->table, robot, &booking) < 0;
}

// The last tick up to which nobody is met on a path. Nobody is met before the robot is on its start: that is reserved for
// it from the beginning.
static fw_tick_t last_free(const resolve_t * resolve, int32_t robot, fw_path_t path)
{
  fw_tick_t low = resolve->run->problem->robots[robot].arrives;
  fw_tick_t high = resolve->table.last_tick + path.length + resolve->table.robust_ticks;
  while (low < high) {
    const fw_tick_t middle = low + (high - low + 1) / 2;
    if (is_free(resolve, robot, fw__bcp_cut(resolve->run, robot, path, middle), middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// As long as nobody comes, on its way or at its start.
static bool set_part(resolve_t * resolve, int32_t robot, fw_tick_t * until)
{
  const fw_path_t way = resolve->run->best.paths[robot];
  const fw_path_t start = resolve->paths.starts[robot];
  const fw_tick_t waiting = last_free(resolve, robot, start);
  const fw_tick_t going = last_free(resolve, robot, way);
  *until = going >= waiting ? going : waiting;
  resolve->failed = resolve->failed < 0 ? robot : resolve->failed;
  const fw_path_t path = fw__bcp_cut(resolve->run, robot, going >= waiting ? way : start, *until);
  return fw__path_buffers_set(&resolve->paths, robot, path);
}

// The robot's path: as it is, with waits, or a part of it.
static bool set_path(resolve_t * resolve, int32_t robot, fw_tick_t * until)
{
  fw_bcp_t * run = resolve->run;
  const fw_path_t way = run->best.paths[robot];
  *until = run->limit;
  if (is_free(resolve, robot, way, run->limit)) {
    return fw__path_buffers_set(&resolve->paths, robot, way);
  }
  fw_path_t timed;
  const bool can_end = fw__bcp_is_limited(run) || fw__bcp_ends_on_goal(run, robot, &way);
  if (can_end && fw__bcp_lane_find(run, &resolve->table, robot, &way, &resolve->meter, &timed)) {
    ++resolve->waits;
    return fw__path_buffers_set_delayed(&resolve->paths, robot, 0, timed);
  }
  return set_part(resolve, robot, until);
}

// False when there is no memory.
static bool place(resolve_t * resolve, int32_t robot, fw_tick_t * until)
{
  fw__reservations_remove(&resolve->table, robot);
  const bool is_set = set_path(resolve, robot, until);
  const fw_booking_t booking = {.path = resolve->paths.paths[robot], .until = *until};
  return is_set && fw__reservations_book(&resolve->table, robot, booking);
}

// One order of robots, those who cannot make way before all others. The last tick that holds, -1 when there is no memory.
static fw_tick_t try_order(resolve_t * resolve)
{
  fw_bcp_t * run = resolve->run;
  fw_tick_t holds = FW_TICK_MAX;
  resolve->failed = -1;
  resolve->waits = 0;
  if (!fw__reservations_reset(&resolve->table)) {
    return -1;
  }
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < run->problem->robot_count; ++i) {
      const int32_t robot = run->order.robots[i];
      fw_tick_t until = FW_TICK_MAX;
      if (fw__bcp_is_fixed(run, robot) == (pass == 0) && !place(resolve, robot, &until)) {
        return -1;
      }
      holds = resolve->failed >= 0 && until < holds ? until : holds;
    }
  }
  return holds;
}

static bool copy_paths(fw_path_buffers_t * to, const fw_path_buffers_t * from, int32_t count)
{
  bool is_whole = true;
  for (int32_t r = 0; r < count && is_whole; ++r) {
    is_whole = fw__path_buffers_set(to, r, from->paths[r]);
  }
  return is_whole;
}

// A robot that finds no way is the first of its priority in the next try. The try that holds longest is kept.
static fw_tick_t try_orders(resolve_t * resolve, fw_path_buffers_t * kept)
{
  fw_bcp_t * run = resolve->run;
  fw_tick_t holds = -1;
  for (int32_t i = 0; i < TRIES && holds < FW_TICK_MAX; ++i) {
    const fw_tick_t tick = try_order(resolve);
    if (tick > holds) {
      if (!copy_paths(kept, &resolve->paths, run->problem->robot_count)) {
        return -1;
      }
      holds = tick;
      run->waits = resolve->waits;
    }
    if (tick < 0 || resolve->failed < 0) {
      break;
    }
    fw__order_put_first(&run->order, resolve->failed);
  }
  return holds;
}

fw_tick_t fw__bcp_resolve(fw_bcp_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const int64_t effort = (int64_t)EFFORT * run->problem->robot_count + FW_METER_STRIDE;
  resolve_t resolve = {.run = run};
  fw_path_buffers_t kept;
  fw__meter_start(&resolve.meter, &(fw_budget_t){.expansions_max = effort});
  fw_tick_t holds = -1;
  if (
    fw__path_buffers_init(&resolve.paths, arena, run->problem) && fw__path_buffers_init(&kept, arena, run->problem) &&
    fw__reservations_init(&resolve.table, arena, run->fleet.places, &run->fleet.bodies)) {
    holds = try_orders(&resolve, &kept);
  }
  run->context->meter->expanded += resolve.meter.expanded;
  if (holds < 0) {
    return 0;  // no memory: that everybody is at the start holds at least
  }
  run->best = kept;
  return holds;
}
