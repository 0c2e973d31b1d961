// A rolling fleet that outlives a solve.

#include "planner/window/rolling.h"

#include <stdlib.h>
#include <string.h>

#include "planner/window/window_booking.h"

void fw__rolling_init(fw_rolling_t * rolling, fw_arena_t * keep)
{
  *rolling = (fw_rolling_t){0};
  fw__arena_init(&rolling->arena, keep->memory);
}

void fw__rolling_fini(fw_rolling_t * rolling) { fw__arena_fini(&rolling->arena); }

// Without ids the index says who it is.
static bool has_ids(const fw_problem_t * problem)
{
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (problem->robots[r].id != 0) {
      return true;
    }
  }
  return false;
}

// ---- a new story ----------------------------------------------------------------------------------------------------

// A copy of a robot that borrows nothing from the caller.
static bool copy_robot(fw_rolling_t * rolling, int32_t place, const fw_robot_t * robot)
{
  fw_robot_t * copy = &rolling->robots[place];
  const fw_offset_t * old = copy->footprint;
  const int32_t old_count = copy->footprint_count;
  *copy = *robot;
  const size_t bytes = (size_t)robot->footprint_count * sizeof(*robot->footprint);
  if (robot->footprint_count == 1) {
    copy->footprint = fw_footprint_single.cells;
    return true;
  }
  if (old_count == robot->footprint_count && memcmp(old, robot->footprint, bytes) == 0) {
    copy->footprint = old;
    return true;
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

static void empty_place(fw_rolling_t * rolling, int32_t place)
{
  rolling->robots[place] = (fw_robot_t){
    .start = FW_CELL_NONE,
    .goal = FW_CELL_NONE,
    .ticks_per_move = 1,
    .footprint = fw_footprint_single.cells,
    .footprint_count = 1,
  };
}

// The problem in the story's own memory, with a quarter more places than robots.
static bool copy_problem(fw_rolling_t * rolling, const fw_problem_t * problem)
{
  fw_arena_t * arena = &rolling->arena;
  const bool is_story = problem->horizon > 0;
  const int32_t places = problem->robot_count + (is_story ? problem->robot_count / 4 + 4 : 0);
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  const size_t closures = (size_t)problem->closure_count;
  uint8_t * cost = fw__arena_allocate(arena, cells, sizeof(*cost));
  fw_closure_t * closed = fw__arena_allocate(arena, closures + 1, sizeof(*closed));
  rolling->robots = fw__arena_allocate(arena, (size_t)places, sizeof(*rolling->robots));
  rolling->ids = fw__arena_allocate(arena, (size_t)places, sizeof(*rolling->ids));
  if (cost == NULL || closed == NULL || rolling->robots == NULL || rolling->ids == NULL) {
    return false;
  }
  memcpy(cost, problem->grid->cost, cells);
  rolling->grid = (fw_grid_t){.width = problem->grid->width, .height = problem->grid->height, .cost = cost};
  if (closures > 0) {
    memcpy(closed, problem->closures, closures * sizeof(*closed));
  }
  rolling->problem = *problem;
  rolling->problem.since = 0;
  rolling->problem.grid = &rolling->grid;
  rolling->problem.robots = rolling->robots;
  rolling->problem.robot_count = places;
  rolling->problem.closures = closed;
  const bool is_named = has_ids(problem);
  for (int32_t place = 0; place < places; ++place) {
    empty_place(rolling, place);
    if (place < problem->robot_count) {
      rolling->ids[place] = is_named ? problem->robots[place].id : place;
      if (!copy_robot(rolling, place, &problem->robots[place])) {
        return false;
      }
    }
  }
  return true;
}

static fw_fleet_state_t begin_anew(
  fw_rolling_t * rolling, fw_planner_context_t * context, const fw_problem_t * problem,
  const fw_window_options_t * options, fw_error_t * error)
{
  rolling->is_running = false;
  fw__arena_reset(&rolling->arena);
  if (!copy_problem(rolling, problem)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  rolling->fleet.options = options->fleet;
  const fw_fleet_state_t state = fw__fleet_init(&rolling->fleet, &rolling->arena, context, &rolling->problem, error);
  if (state != FW_FLEET_READY) {
    return state;
  }
  rolling->options = *options;
  if (!fw__window_init(&rolling->window, &rolling->arena, &rolling->fleet, context->meter, options)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    rolling->place_of[r] = r;
  }
  rolling->is_running = problem->horizon > 0;
  return FW_FLEET_READY;
}

// ---- a story that goes on -------------------------------------------------------------------------------------------

// The closures of the problem, moved into the story's time, are those that the story has from now on.
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

_Static_assert(sizeof(fw_window_options_t) == 12 * sizeof(int32_t), "compared byte by byte");

static bool can_go_on(const fw_rolling_t * rolling, const fw_problem_t * problem, const fw_window_options_t * options)
{
  const fw_problem_t * own = &rolling->problem;
  if (
    !rolling->is_running || problem->since == 0 || problem->horizon == 0 ||
    problem->connectivity != own->connectivity || problem->cuts_corners != own->cuts_corners ||
    problem->robust_ticks != own->robust_ticks || problem->grid->width != own->grid->width ||
    problem->grid->height != own->grid->height || memcmp(options, &rolling->options, sizeof(*options)) != 0 ||
    rolling->window.now + problem->since > FW_TICK_MAX / 2) {
    return false;
  }
  const size_t cells = (size_t)fw_grid_cell_count(own->grid);
  return memcmp(problem->grid->cost, own->grid->cost, cells) == 0 &&
         has_same_closures(rolling, problem, rolling->window.now + problem->since);
}

typedef struct name_t {
  int32_t id;
  int32_t index;
} name_t;

static int by_id(const void * a, const void * b)
{
  const name_t * one = a;
  const name_t * two = b;
  return one->id < two->id ? -1 : one->id > two->id;
}

// The robot stands where its plan has it, or is under way as it has it.
static bool is_where_planned(const fw_window_t * window, int32_t place, const fw_robot_t * robot)
{
  const fw_tick_t ready = fw__window_ready_at(window, place);
  const fw_grid_pose_t now = fw__window_pose(window, place, window->now);
  const fw_grid_pose_t end = fw__window_pose(window, place, ready);
  return robot->arrives == ready - window->now && robot->start == end.cell && robot->heading == end.heading &&
         (robot->arrives == 0 || (robot->from == now.cell && robot->from_heading == now.heading));
}

// Who of the problem is in which place: `place_of`, -1 for those that are new. Places of robots that are gone, that have
// been moved or are not what they were become empty.
static bool match(fw_rolling_t * rolling, fw_arena_t * scratch, const fw_problem_t * problem)
{
  const int32_t places = rolling->problem.robot_count;
  name_t * names = fw__arena_allocate(scratch, (size_t)problem->robot_count, sizeof(*names));
  if (names == NULL) {
    return false;
  }
  const bool is_named = has_ids(problem);
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    names[r] = (name_t){is_named ? problem->robots[r].id : r, r};
    rolling->place_of[r] = -1;
  }
  qsort(names, (size_t)problem->robot_count, sizeof(*names), by_id);
  for (int32_t place = 0; place < places; ++place) {
    if (rolling->robots[place].start < 0) {
      continue;
    }
    const name_t wanted = {.id = rolling->ids[place]};
    const name_t * found = bsearch(&wanted, names, (size_t)problem->robot_count, sizeof(*names), by_id);
    const fw_robot_t * own = &rolling->robots[place];
    const fw_robot_t * robot = found == NULL ? NULL : &problem->robots[found->index];
    if (
      robot != NULL && is_where_planned(&rolling->window, place, robot) &&
      robot->ticks_per_move == own->ticks_per_move && robot->turn_ticks == own->turn_ticks &&
      robot->sweeps_sides == own->sweeps_sides && robot->footprint_count == own->footprint_count &&
      memcmp(robot->footprint, own->footprint, (size_t)own->footprint_count * sizeof(*own->footprint)) == 0) {
      rolling->place_of[found->index] = place;
    } else {
      fw__window_remove(&rolling->window, place);
      empty_place(rolling, place);
    }
  }
  return true;
}

// False if it has to begin anew.
static bool take_in(fw_rolling_t * rolling, const fw_problem_t * problem)
{
  const bool is_named = has_ids(problem);
  int32_t empty = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    int32_t place = rolling->place_of[r];
    if (place >= 0) {
      rolling->robots[place].priority = problem->robots[r].priority;
      if (rolling->robots[place].goal != problem->robots[r].goal) {
        rolling->robots[place].goal = problem->robots[r].goal;
        if (!fw__window_goal_changed(&rolling->window, place)) {
          return false;
        }
      }
      continue;
    }
    while (empty < rolling->problem.robot_count && rolling->robots[empty].start >= 0) {
      ++empty;
    }
    place = empty;
    if (
      place == rolling->problem.robot_count || !copy_robot(rolling, place, &problem->robots[r]) ||
      !fw__window_add(&rolling->window, place)) {
      return false;
    }
    rolling->ids[place] = is_named ? problem->robots[r].id : r;
    rolling->place_of[r] = place;
  }
  fw__window_read_priorities(&rolling->window);
  return true;
}

static bool go_on(fw_rolling_t * rolling, fw_planner_context_t * context, const fw_problem_t * problem)
{
  rolling->window.meter = context->meter;
  for (fw_tick_t tick = 0; tick < problem->since; ++tick) {
    for (int32_t place = 0; place < rolling->problem.robot_count; ++place) {
      if (rolling->robots[place].start >= 0 && rolling->window.plans[place].until <= rolling->window.now) {
        return false;  // driven beyond what was planned
      }
    }
    (void)fw__window_step(&rolling->window);
  }
  return match(rolling, context->scratch, problem) && take_in(rolling, problem);
}

fw_fleet_state_t fw__rolling_begin(
  fw_rolling_t * rolling, fw_planner_context_t * context, const fw_problem_t * problem,
  const fw_window_options_t * options, fw_error_t * error)
{
  rolling->place_of = fw__arena_allocate(context->scratch, (size_t)problem->robot_count, sizeof(*rolling->place_of));
  if (rolling->place_of == NULL) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  if (can_go_on(rolling, problem, options) && go_on(rolling, context, problem)) {
    return FW_FLEET_READY;
  }
  if (fw__meter_has_stopped(context->meter)) {
    rolling->is_running = false;
    return FW_FLEET_STOPPED;
  }
  return begin_anew(rolling, context, problem, options, error);
}
