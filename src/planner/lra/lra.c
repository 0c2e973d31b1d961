// lra: Local Repair A*, the baseline that Silver 2006 measures cooperative pathfinding against.
//
// Each robot finds its way alone and follows it, blind to all but those it would run into with its next step. Then it
// repairs: it finds another way around them, and gets more agitated each time, which is noise on its estimate that in
// the end breaks up deadlocks. Nothing makes sure that it does: crowds may never get through.
//
// What is returned holds all the same. Everybody's booking in the reservation table has the past that still counts,
// the move under way and, for ever, the place where that ends: to wait is always possible, and no step that the table
// allows runs into anybody, whoever has chosen first. But for places that close: there the booking ends before, the
// robot flees to any place next to it, and if it cannot the answer ends.

#include "planner/lra/lra.h"
#include "planner/registry.h"
#include "world/closures.h"

enum { TICKS, AGITATION };

static const fw_parameter_def_t parameters[] = {
  [TICKS] =
    {.name = "ticks", .initial = 2000, .min = 1, .max = 10000000, .help = "give up when this many ticks have passed"},
  [AGITATION] =
    {.name = "agitation_max",
     .initial = 128,
     .max = 1000,
     .help = "each new way adds 1 to a robot's agitation up to this; its estimates err by up to as many moves"},
};

// ---- time -----------------------------------------------------------------------------------------------------------

// Robots that have arrived stay; those under way go on. All count on the meter, so that any tick costs something.
static int32_t find_pending(fw_lra_t * run)
{
  int32_t count = 0;
  for (int32_t i = 0; i < run->problem->robot_count; ++i) {
    const int32_t robot = run->order.robots[i];
    if (fw__meter_add(run->context->meter, 1) || run->walkers[robot].count - 1 > run->now) {
      continue;
    }
    if (fw__lra_is_on_goal(run, robot) && !fw__lra_has_to_leave(run, robot)) {
      fw__lra_wait(run, robot);
    } else {
      run->pending[count++] = robot;
    }
  }
  return count;
}

// One tick: first all who can go, again and again since each makes room for one behind; then repair for the others.
static void tick(fw_lra_t * run)
{
  int32_t count = find_pending(run);
  for (int32_t before = count + 1; count < before && !fw__lra_has_stopped(run);) {
    before = count;
    count = 0;
    for (int32_t i = 0; i < before && !fw__lra_has_stopped(run); ++i) {
      const int32_t robot = run->pending[i];
      if (fw__lra_is_on_goal(run, robot) || !fw__lra_follow(run, robot)) {
        run->pending[count++] = robot;
      }
    }
  }
  for (int32_t i = 0; i < count && !fw__lra_has_stopped(run); ++i) {
    fw__lra_repair(run, run->pending[i]);
  }
}

// The first tick from `tick` on at which the robot's last place closes.
static fw_tick_t closes_at(const fw_lra_t * run, int32_t robot, fw_tick_t tick)
{
  const fw_pose_t pose = fw__lra_pose(run, robot);
  return fw__closures_next(run->problem, fw__fleet_footprint(run->fleet, robot, pose.heading), pose.cell, tick);
}

// Somebody stays where it closes with the next tick: the answer ends here.
static bool is_stuck(const fw_lra_t * run)
{
  for (int32_t r = 0; r < run->problem->robot_count && run->problem->closure_count > 0; ++r) {
    const fw_path_t path = fw__lra_path(&run->walkers[r]);
    if (
      path.length - 1 == run->now + 1 && !fw__path_arrives(&path, run->now + 1) &&
      closes_at(run, r, run->now + 1) == run->now + 1) {
      return true;
    }
  }
  return false;
}

// Everybody is on the goal, and no goal closes any more.
static bool have_arrived(const fw_lra_t * run)
{
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (
      run->walkers[r].count - 1 > run->now || !fw__lra_is_on_goal(run, r) ||
      closes_at(run, r, run->now) != FW_TICK_MAX) {
      return false;
    }
  }
  return true;
}

static int32_t most_nodes(const fw_fleet_t * fleet)
{
  int32_t most = fleet->places->node_count;
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    most = fleet->moves[r]->node_count > most ? fleet->moves[r]->node_count : most;
  }
  return most;
}

static bool begin(fw_lra_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)run->problem->robot_count;
  const size_t cells = (size_t)fw_grid_cell_count(run->problem->grid);
  run->walkers = fw__arena_allocate_zeroed(arena, count, sizeof(*run->walkers));
  run->pending = fw__arena_allocate(arena, count, sizeof(*run->pending));
  run->nodes = fw__arena_allocate_zeroed(arena, (size_t)most_nodes(run->fleet), sizeof(*run->nodes));
  run->touched = fw__arena_allocate_zeroed(arena, cells, sizeof(*run->touched));
  fw__buckets_init(&run->open, arena);
  if (
    run->walkers == NULL || run->pending == NULL || run->nodes == NULL || run->touched == NULL ||
    !fw__order_init(&run->order, arena, run->fleet, FW_ORDER_INDEX) ||
    !fw__reservations_init(&run->table, arena, run->fleet->places, &run->fleet->bodies)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  for (int32_t r = 0; r < run->problem->robot_count && !fw__lra_has_stopped(run); ++r) {
    if (fw__lra_begin(run, r) && !fw__lra_is_on_goal(run, r)) {
      (void)fw__lra_find_route(run, r, FW_LRA_NOBODY);
    }
  }
  return !fw__lra_has_stopped(run);
}

// ---- the planner ----------------------------------------------------------------------------------------------------

// Up to the present tick: what some have chosen beyond it is left out, for others have not.
static fw_ret_t answer(fw_lra_t * run, fw_plan_t * plan, fw_error_t * error)
{
  const fw_meter_t * meter = run->context->meter;
  const bool is_solved = have_arrived(run);
  const int32_t count = run->problem->robot_count;
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, (size_t)count, sizeof(*paths));
  if (paths == NULL) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(FW_FLEET_STOPPED, run->context, run->problem, plan, error);
  }
  for (int32_t r = 0; r < count; ++r) {
    paths[r] = fw__lra_path(&run->walkers[r]);
    paths[r].length = run->now + 1;
    while (paths[r].length > 1 && !fw__path_arrives(&paths[r], paths[r].length - 1)) {
      --paths[r].length;
    }
  }
  plan->outcome = is_solved ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = is_solved ? FW_STOP_DONE : meter->stop;
  plan->safe_until = is_solved ? FW_TICK_MAX : run->now;
  plan->paths = paths;
  plan->stats.first_plan_ns = is_solved ? fw_clock_now_ns() - meter->start_ns : 0;
  fw__plan_count(plan, "reroutes", run->reroutes);
  fw__plan_count(plan, "retreats", run->retreats);
  fw__plan_count(plan, "waits", run->waits);
  return FW_RET_OK;
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_fleet_t fleet = {0};
  fw_lra_t run = {
    .context = context,
    .problem = problem,
    .fleet = &fleet,
    .rng = fw__rng(context->seed),
    .agitation_max = (int32_t)context->parameters[AGITATION],
  };
  const fw_fleet_state_t state = fw__fleet_init(&fleet, context->scratch, context, problem, error);
  if (state != FW_FLEET_READY) {
    return fw__plan_wait_all(state, context, problem, plan, error);
  }
  plan->stats.lower_bound = fleet.lower_bound;
  if (!begin(&run)) {
    return fw__plan_wait_all(FW_FLEET_STOPPED, context, problem, plan, error);
  }
  while (run.now < context->parameters[TICKS] && !have_arrived(&run)) {
    tick(&run);
    if (fw__lra_has_stopped(&run) || is_stuck(&run)) {
      break;
    }
    ++run.now;
  }
  return answer(&run, plan, error);
}

const fw_planner_def_t fw__planner_lra = {
  .name = "lra",
  .summary = "Local Repair A*: every robot for itself, another way on contact; the baseline, which may not arrive",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = parameters,
  .parameter_count = sizeof(parameters) / sizeof(parameters[0]),
  .may_delay_first = true,
  .solve = solve,
};
