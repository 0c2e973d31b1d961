// A plan as a page: its paths become tracks.

#include "base/error.h"
#include "fleetweave/view.h"
#include "view/player.h"
#include "view/shown.h"
#include "view/stays.h"
#include "view/walk.h"

// A robot that takes s ticks for a move is listed on the old cell until it arrives; it is shown leaving s ticks before.
static void add_path(fw__tracks_t * tracks, int32_t robot, const fw_path_t * path, fw_tick_t ticks_per_move)
{
  const fw_grid_t * grid = tracks->grid;
  const fw_tick_t end = (fw_tick_t)tracks->end;
  fw_cell_t cell = fw_path_at(path, 0);
  fw_tick_t last = 0;  // tick of the last sample
  fw__tracks_add(tracks, robot, (fw__sample_t){.x = fw_grid_x(grid, cell), .y = fw_grid_y(grid, cell)});
  for (fw_tick_t tick = 1; tick <= end; tick++) {
    const fw_cell_t next = fw_path_at(path, tick);
    if (next == cell && tick < end) {
      continue;
    }
    const fw_tick_t departure = next == cell ? tick : tick - (ticks_per_move > 1 ? ticks_per_move : 1);
    if (departure > last) {
      fw__tracks_add(
        tracks, robot, (fw__sample_t){.time = departure, .x = fw_grid_x(grid, cell), .y = fw_grid_y(grid, cell)});
    }
    if (next != cell) {
      fw__tracks_add(
        tracks, robot, (fw__sample_t){.time = tick, .x = fw_grid_x(grid, next), .y = fw_grid_y(grid, next)});
    }
    cell = next;
    last = tick;
  }
}

// The page wants arrivals in time order: a list of robots per tick sorts them in one pass.
static fw_ret_t add_arrivals(
  fw__tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  const fw_tick_t end = (fw_tick_t)tracks->end;
  const fw_allocator_t * allocator = &tracks->allocator;
  const size_t count = (size_t)end + 1 + (size_t)problem->robot_count;
  int32_t * first = allocator->allocate(count * sizeof(int32_t), allocator->state);
  if (first == NULL) {
    return fw__error_memory(error);
  }
  int32_t * next = first + (size_t)end + 1;  // first[tick], next[robot]; -1 ends a list
  for (fw_tick_t tick = 0; tick <= end; tick++) {
    first[tick] = -1;
  }
  for (int32_t robot = problem->robot_count - 1; robot >= 0; robot--) {
    const fw_tick_t arrival = fw__shown_arrival(&plan->paths[robot], problem->robots[robot].goal, end);
    if (arrival >= 0) {
      next[robot] = first[arrival];
      first[arrival] = robot;
    }
  }
  for (fw_tick_t tick = 0; tick <= end; tick++) {
    for (int32_t robot = first[tick]; robot >= 0; robot = next[robot]) {
      fw__tracks_add_arrival(tracks, tick, robot);
    }
  }
  allocator->deallocate(first, allocator->state);
  return FW_RET_OK;
}

static void add_waits(fw__tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, int32_t robot)
{
  const fw__walk_t walk = fw__walk(problem, plan, robot);
  fw__wait_t wait = {0};
  while (fw__walk_next_wait(&walk, wait.to, (fw_tick_t)tracks->end, &wait)) {
    fw__tracks_add_wait(tracks, robot, wait.from, wait.to);
  }
}

static fw_ret_t add_stays(
  fw__tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  const fw__span_t whole = {0, (fw_tick_t)tracks->end};
  fw__stays_t stays = {0};
  fw_ret_t ret = fw__stays_init(&stays, problem, plan, &tracks->allocator, error);
  for (int32_t robot = 0; ret == FW_RET_OK && robot < problem->robot_count; robot++) {
    fw__stays_clear(&stays);
    ret = fw__stays_add_robot(&stays, robot, whole, error);
    fw__tracks_put_stays(tracks, robot, stays.items, stays.count);
    add_waits(tracks, problem, plan, robot);
  }
  if (ret == FW_RET_OK) {
    fw__stays_clear(&stays);
    ret = fw__stays_add_closures(&stays, (fw__span_t){0, FW_TICK_MAX}, error);
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < stays.count; i++) {
    fw__tracks_add_closure(tracks, &stays.items[i]);
  }
  fw__stays_fini(&stays);
  return ret;
}

static fw_ret_t fill_tracks(
  fw__tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  tracks->grid = problem->grid;
  tracks->cell_offset = 0.5;
  tracks->end = fw__shown_end(plan);
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    const fw_cell_t goal = problem->robots[robot].goal;
    fw__tracks_add_goal(tracks, 0, robot, fw_grid_x(problem->grid, goal), fw_grid_y(problem->grid, goal));
    add_path(tracks, robot, &plan->paths[robot], problem->robots[robot].ticks_per_move);
    for (int32_t i = 0; i < problem->robots[robot].footprint_count; i++) {
      fw__tracks_add_offset(tracks, robot, problem->robots[robot].footprint[i]);
    }
  }
  fw_ret_t ret = add_arrivals(tracks, problem, plan, error);
  if (ret == FW_RET_OK) {
    ret = add_stays(tracks, problem, plan, error);
  }
  return ret == FW_RET_OK ? fw__tracks_finish(tracks, error) : ret;
}

// Title, words and how the page opens.
static fw__player_t introduce(const fw_plan_t * plan, const fw_view_options_t * options)
{
  fw__player_t player = {
    .title = fw__shown_title(options),
    .kind = "plan",
    .at = options->has_moment ? options->at : -1,
    .window = options->window,
    .shows_reservations = options->shows_reservations,
  };
  if (plan->outcome != FW_OUTCOME_SOLVED) {
    fw__player_add_fact(&player, "Plan", "%s, safe until tick %d", fw_outcome_name(plan->outcome), fw__shown_end(plan));
  }
  fw__player_add_fact(&player, "Sum of costs", "%lld", (long long)plan->stats.sum_of_costs);
  fw__player_add_fact(&player, "Makespan", "%d", plan->stats.makespan);
  return player;
}

fw_ret_t fw_view_html(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error)
{
  const fw_view_options_t chosen = options != NULL ? *options : (fw_view_options_t){0};
  const fw_allocator_t allocator = fw_allocator_default();
  fw__tracks_t tracks = {0};
  fw_ret_t ret = fw__shown_check(problem, plan, error);
  if (ret == FW_RET_OK) {
    ret = fw__shown_check_options(&chosen, fw__shown_end(plan), error);
  }
  if (ret == FW_RET_OK) {
    ret = fw__tracks_init(&tracks, problem->robot_count, &allocator, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (chosen.seconds_per_tick > 0.0) {
    tracks.seconds_per_unit = chosen.seconds_per_tick;
  }
  ret = fill_tracks(&tracks, problem, plan, error);
  if (ret == FW_RET_OK) {
    const fw__player_t player = introduce(plan, &chosen);
    ret = fw__player_write(&player, &tracks, stream, error);
  }
  fw__tracks_fini(&tracks);
  return ret;
}
