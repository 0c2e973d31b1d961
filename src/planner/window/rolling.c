// Rolling horizon: the cold start of a window, and the warm start, which applies the changes of the next problem to it.

#include "planner/window/rolling.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "planner/window/transaction.h"
#include "world/problem.h"

void fw__rolling_init(fw_rolling_t * rolling, fw_arena_t * keep)
{
  *rolling = (fw_rolling_t){0};
  fw__arena_init(&rolling->arena, keep->memory);
}

void fw__rolling_fini(fw_rolling_t * rolling) { fw__arena_fini(&rolling->arena); }

// ---- cold start -----------------------------------------------------------------------------------------------------

// Copies a robot into a slot, with its footprint, so that it borrows nothing from the caller. False when there is no
// memory.
static bool copy_robot(fw_rolling_t * rolling, int32_t slot, const fw_robot_t * robot)
{
  FW_ASSERT(slot >= 0 && slot < rolling->problem.robot_count && robot->footprint_count >= 1);
  fw_robot_t * copy = &rolling->robots[slot];
  const fw_offset_t * old = copy->footprint;
  const int32_t old_count = copy->footprint_count;
  *copy = *robot;
  const size_t bytes = (size_t)robot->footprint_count * sizeof(*robot->footprint);
  if (robot->footprint_count == 1) {
    copy->footprint = fw__footprint_single.cells;
    return true;
  }
  if (old_count == robot->footprint_count && memcmp(old, robot->footprint, bytes) == 0) {
    copy->footprint = old;
    return true;
  }
  // A body that there has been already has the same footprint: so robots that come and go take no more memory.
  for (const fw_body_t * at = rolling->is_running ? rolling->fleet.bodies.kinds : NULL; at != NULL; at = at->next) {
    const fw_footprint_t known = at->footprints[0];
    if (known.count == robot->footprint_count && memcmp(known.cells, robot->footprint, bytes) == 0) {
      copy->footprint = known.cells;
      return true;
    }
  }
  fw_offset_t * footprint = fw__arena_allocate(&rolling->arena, (size_t)robot->footprint_count, sizeof(*footprint));
  if (footprint == NULL) {
    copy->start = FW_CELL_NONE;
    return false;
  }
  memcpy(footprint, robot->footprint, bytes);
  copy->footprint = footprint;
  return true;
}

static void clear_slot(fw_rolling_t * rolling, int32_t slot)
{
  rolling->robots[slot] = (fw_robot_t){
    .start = FW_CELL_NONE,
    .goal = FW_CELL_NONE,
    .ticks_per_move = 1,
    .footprint = fw__footprint_single.cells,
    .footprint_count = 1,
  };
}

// Copies the problem into the window's own memory, with a quarter more slots than robots. False when there is no
// memory.
static bool copy_problem(fw_rolling_t * rolling, const fw_problem_t * problem)
{
  fw_arena_t * arena = &rolling->arena;
  const bool is_rolling = problem->horizon > 0;
  const int32_t slots = problem->robot_count + (is_rolling ? problem->robot_count / 4 + 4 : 0);
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  const size_t closures = (size_t)problem->closure_count;
  uint8_t * cost = fw__arena_allocate(arena, cells, sizeof(*cost));
  uint16_t * rules = problem->grid->rules == NULL ? NULL : fw__arena_allocate(arena, cells, sizeof(*rules));
  fw_closure_t * closed = fw__arena_allocate(arena, closures + 1, sizeof(*closed));
  rolling->robots = fw__arena_allocate(arena, (size_t)slots, sizeof(*rolling->robots));
  rolling->ids = fw__arena_allocate(arena, (size_t)slots, sizeof(*rolling->ids));
  rolling->is_unproved = fw__arena_allocate_zeroed(arena, (size_t)slots, sizeof(*rolling->is_unproved));
  if (fw__arena_has_failed(arena)) {
    return false;
  }
  memcpy(cost, problem->grid->cost, cells);
  if (rules != NULL) {
    memcpy(rules, problem->grid->rules, cells * sizeof(*rules));
  }
  rolling->grid =
    (fw_grid_t){.width = problem->grid->width, .height = problem->grid->height, .cost = cost, .rules = rules};
  if (closures > 0) {
    memcpy(closed, problem->closures, closures * sizeof(*closed));
  }
  rolling->problem = *problem;
  rolling->problem.since = 0;
  rolling->problem.grid = &rolling->grid;
  rolling->problem.robots = rolling->robots;
  rolling->problem.robot_count = slots;
  rolling->problem.closures = closed;
  const bool has_id = fw__problem_has_ids(problem);
  for (int32_t slot = 0; slot < slots; ++slot) {
    clear_slot(rolling, slot);
    if (slot < problem->robot_count) {
      rolling->ids[slot] = has_id ? problem->robots[slot].id : slot;
      if (!copy_robot(rolling, slot, &problem->robots[slot])) {
        return false;
      }
    }
  }
  return true;
}

// Begins a new window for the problem.
static fw_fleet_state_t start_cold(fw_rolling_t * rolling, const fw_rolling_request_t * request, fw_error_t * error)
{
  fw_planner_context_t * context = request->context;
  const fw_problem_t * problem = request->problem;
  rolling->is_running = false;
  fw__arena_reset(&rolling->arena);
  if (!copy_problem(rolling, problem)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  rolling->fleet.options = request->options.fleet;
  rolling->fleet.arena = &rolling->arena;
  const fw_fleet_state_t state = fw__fleet_init(&rolling->fleet, context, &rolling->problem, error);
  if (state != FW_FLEET_READY) {
    return state;
  }
  rolling->options = request->options;
  if (!fw__window_init(&rolling->window, &rolling->fleet, context->meter, &request->options)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    rolling->slot_of[r] = r;
  }
  rolling->is_running = problem->horizon > 0;
  return FW_FLEET_READY;
}

// ---- warm start -----------------------------------------------------------------------------------------------------

// Are the closures of the problem those that the window has from tick `now` on? (The window's time goes on over
// solves.)
static bool has_same_closures(const fw_rolling_t * rolling, const fw_problem_t * problem, fw_tick_t now)
{
  int32_t at = 0;
  for (int32_t i = 0; i < rolling->problem.closure_count; ++i) {
    fw_closure_t old = rolling->problem.closures[i];
    if (old.to < now) {
      continue;
    }
    old.from = old.from > now ? old.from - now : 0;
    old.to = old.to == FW_TICK_MAX ? FW_TICK_MAX : old.to - now;
    const fw_closure_t * new = at < problem->closure_count ? &problem->closures[at++] : NULL;
    if (new == NULL || new->cell != old.cell || new->from != old.from || new->to != old.to) {
      return false;
    }
  }
  return at == problem->closure_count;
}

static bool has_same_rules(const fw_grid_t * own, const fw_grid_t * grid)
{
  const size_t bytes = (size_t)fw_grid_cell_count(own) * sizeof(*own->rules);
  return own->rules == NULL || grid->rules == NULL ? own->rules == grid->rules
                                                   : memcmp(own->rules, grid->rules, bytes) == 0;
}

_Static_assert(sizeof(fw_window_options_t) == 19 * sizeof(int32_t), "compared byte by byte: no padding");

// Is the problem one that the present window can go on with? False after changes of the map, the rules or the options.
static bool can_continue(const fw_rolling_t * rolling, const fw_rolling_request_t * request)
{
  const fw_problem_t * problem = request->problem;
  const fw_problem_t * own = &rolling->problem;
  if (
    !rolling->is_running || problem->since == 0 || problem->horizon == 0 ||
    problem->connectivity != own->connectivity || problem->cuts_corners != own->cuts_corners ||
    problem->robust_ticks != own->robust_ticks || problem->grid->width != own->grid->width ||
    problem->grid->height != own->grid->height ||
    memcmp(&request->options, &rolling->options, sizeof(rolling->options)) != 0 ||
    rolling->window.now + problem->since > FW_TICK_MAX / 2) {
    return false;
  }
  const size_t cells = (size_t)fw_grid_cell_count(own->grid);
  return memcmp(problem->grid->cost, own->grid->cost, cells) == 0 && has_same_rules(own->grid, problem->grid) &&
         has_same_closures(rolling, problem, rolling->window.now + problem->since);
}

typedef struct id_entry_t {
  int32_t id;
  int32_t index;
} id_entry_t;

static int by_id(const void * a, const void * b)
{
  const id_entry_t * one = a;
  const id_entry_t * two = b;
  return one->id < two->id ? -1 : one->id > two->id;
}

// Is the robot where its plan puts it at this tick, in motion or not?
static bool is_where_planned(const fw_window_t * window, int32_t slot, const fw_robot_t * robot)
{
  const fw_tick_t ready = fw__window_ready_at(window, slot);
  const fw_grid_pose_t now = fw__window_pose(window, slot, window->now);
  const fw_grid_pose_t end = fw__window_pose(window, slot, ready);
  return robot->arrives == ready - window->now && robot->start == end.cell && robot->heading == end.heading &&
         (robot->arrives == 0 || (robot->from == now.cell && robot->from_heading == now.heading));
}

// Finds the slot of each robot of the problem: `slot_of`, -1 for new robots. Slots of robots that are missing, that
// are not where they were planned to be, or that have another body become empty. False when there is no memory.
static bool match(fw_rolling_t * rolling, fw_arena_t * scratch, const fw_problem_t * problem)
{
  const int32_t slots = rolling->problem.robot_count;
  id_entry_t * entries = fw__arena_allocate(scratch, (size_t)problem->robot_count, sizeof(*entries));
  if (entries == NULL) {
    return false;
  }
  const bool has_id = fw__problem_has_ids(problem);
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    entries[r] = (id_entry_t){has_id ? problem->robots[r].id : r, r};
    rolling->slot_of[r] = -1;
  }
  qsort(entries, (size_t)problem->robot_count, sizeof(*entries), by_id);
  for (int32_t slot = 0; slot < slots; ++slot) {
    if (rolling->robots[slot].start < 0) {
      continue;  // empty
    }
    const id_entry_t wanted = {.id = rolling->ids[slot]};
    const id_entry_t * found = bsearch(&wanted, entries, (size_t)problem->robot_count, sizeof(*entries), by_id);
    const fw_robot_t * own = &rolling->robots[slot];
    const fw_robot_t * robot = found == NULL ? NULL : &problem->robots[found->index];
    if (
      robot != NULL && is_where_planned(&rolling->window, slot, robot) &&
      robot->ticks_per_move == own->ticks_per_move && robot->turn_ticks == own->turn_ticks &&
      robot->sweeps_sides == own->sweeps_sides && robot->footprint_count == own->footprint_count &&
      memcmp(robot->footprint, own->footprint, (size_t)own->footprint_count * sizeof(*own->footprint)) == 0) {
      rolling->slot_of[found->index] = slot;
    } else {
      fw__window_remove(&rolling->window, slot);
      clear_slot(rolling, slot);
    }
  }
  return true;
}

// Whether the robot in a slot can reach its goal, as far as is known when the budget ends: the search for it goes on in
// the next round, and the robot is led by what is known until then. False if it cannot, or when there is no memory.
static bool prove_goal(fw_rolling_t * rolling, int32_t slot, bool is_new)
{
  fw_window_t * window = &rolling->window;
  const fw_grid_pose_t pose = fw__window_pose(window, slot, fw__window_ready_at(window, slot));
  bool has_path = false;
  if (is_new) {
    has_path = fw__window_goal_changed(window, slot);
  } else {
    const int32_t node = fw__moves_node(rolling->fleet.moves[slot], pose);
    has_path = fw__distance_get(fw__fleet_distance(&rolling->fleet, slot), node, window->meter) != FW_DISTANCE_NONE;
  }
  const fw_stop_t stop = window->meter->stop;
  rolling->is_unproved[slot] = !has_path && stop != FW_STOP_DONE && stop != FW_STOP_MEMORY;
  return has_path || rolling->is_unproved[slot];
}

// Gives robots their new goals and priorities, and new robots a slot. False if that is not possible.
static bool update_robots(fw_rolling_t * rolling, const fw_problem_t * problem)
{
  const bool has_id = fw__problem_has_ids(problem);
  int32_t empty = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    int32_t slot = rolling->slot_of[r];
    if (slot >= 0) {
      rolling->robots[slot].priority = problem->robots[r].priority;
      const bool is_new = rolling->robots[slot].goal != problem->robots[r].goal;
      rolling->robots[slot].goal = problem->robots[r].goal;
      if ((is_new || rolling->is_unproved[slot]) && !prove_goal(rolling, slot, is_new)) {
        return false;
      }
      continue;
    }
    while (empty < rolling->problem.robot_count && rolling->robots[empty].start >= 0) {
      ++empty;
    }
    slot = empty;
    if (
      slot == rolling->problem.robot_count || !copy_robot(rolling, slot, &problem->robots[r]) ||
      !fw__window_add(&rolling->window, slot)) {
      return false;
    }
    rolling->ids[slot] = has_id ? problem->robots[r].id : r;
    rolling->is_unproved[slot] = false;
    rolling->slot_of[r] = slot;
  }
  fw__window_read_priorities(&rolling->window);
  return true;
}

// Lets the executed ticks pass and takes over the changes of the problem. False if a new window is needed.
static bool continue_from(fw_rolling_t * rolling, const fw_rolling_request_t * request)
{
  const fw_problem_t * problem = request->problem;
  FW_ASSERT(rolling->is_running && problem->since > 0);
  rolling->window.meter = request->context->meter;
  for (fw_tick_t tick = 0; tick < problem->since; ++tick) {
    for (int32_t slot = 0; slot < rolling->problem.robot_count; ++slot) {
      if (rolling->robots[slot].start >= 0 && rolling->window.plans[slot].until <= rolling->window.now) {
        return false;  // executed beyond what was planned
      }
    }
    (void)fw__window_step(&rolling->window);
  }
  return match(rolling, request->context->scratch, problem) && update_robots(rolling, problem);
}

fw_fleet_state_t fw__rolling_begin(fw_rolling_t * rolling, const fw_rolling_request_t * request, fw_error_t * error)
{
  fw_planner_context_t * context = request->context;
  const size_t robot_count = (size_t)request->problem->robot_count;
  rolling->slot_of = fw__arena_allocate(context->scratch, robot_count, sizeof(*rolling->slot_of));
  if (rolling->slot_of == NULL) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  if (can_continue(rolling, request) && continue_from(rolling, request)) {
    return FW_FLEET_READY;
  }
  if (fw__meter_has_stopped(context->meter)) {
    rolling->is_running = false;
    return FW_FLEET_STOPPED;
  }
  return start_cold(rolling, request, error);
}
