// whca: windowed hierarchical cooperative A* (Silver 2006). One shot: the window rolls on until everybody has arrived.

#include "planner/registry.h"
#include "planner/window.h"

enum { WINDOW, PRICE, RISE, CHANGES, PATIENCE, REACH, EFFORT, TICKS };

static const fw_parameter_def_t parameters[] = {
  [WINDOW] =
    {.name = "window",
     .initial = FW_WINDOW_TICKS,
     .min = 2,
     .max = 4096,
     .help = "how many ticks ahead robots plan; they plan again after half of them"},
  [PRICE] =
    {.name = "price",
     .initial = FW_WINDOW_PRICE,
     .max = 1000,
     .help = "ticks that a robot must win by planning through the booking of one of lower rank"},
  [RISE] =
    {.name = "price_rise",
     .initial = FW_WINDOW_PRICE_RISE,
     .max = 1000,
     .help = "what is added to a robot's price each time it had to make way; halved with every window that passes"},
  [CHANGES] =
    {.name = "changes",
     .initial = FW_WINDOW_CHANGES,
     .min = 1,
     .max = 1000,
     .help = "how many robots may have to plan again for one that plans through them"},
  [PATIENCE] =
    {.name = "patience",
     .initial = FW_WINDOW_PATIENCE,
     .max = 1000,
     .help = "how often a robot plans without coming nearer before it negotiates a way with all concerned; 0: never"},
  [REACH] =
    {.name = "reach",
     .initial = FW_WINDOW_REACH,
     .min = 2,
     .max = 100000,
     .help = "how many ticks ahead a negotiation looks"},
  [EFFORT] =
    {.name = "effort",
     .initial = FW_WINDOW_EFFORT,
     .min = 1,
     .max = 1000000,
     .help = "how many searches a negotiation may take"},
  [TICKS] =
    {.name = "ticks", .initial = 5000, .min = 1, .max = 10000000, .help = "give up when this many ticks have passed"},
};

typedef struct run_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_window_t window;
  fw_pose_t ** trace;  // by tick: where every robot was
  int32_t trace_capacity;
} run_t;

static bool note_places(run_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const fw_tick_t now = run->window.now;
  if (now >= run->trace_capacity) {
    fw_pose_t ** trace = fw_arena_grow(arena, run->trace, (size_t)now, sizeof(*trace), &run->trace_capacity);
    if (trace == NULL) {
      return false;
    }
    run->trace = trace;
  }
  fw_pose_t * row = fw_arena_allocate(arena, (size_t)run->problem->robot_count, sizeof(*row));
  for (int32_t r = 0; row != NULL && r < run->problem->robot_count; ++r) {
    row[r] = fw_window_pose(&run->window, r, now);
  }
  run->trace[now] = row;
  return row != NULL;
}

// True if everybody has arrived.
static bool roll(run_t * run)
{
  fw_meter_t * meter = run->context->meter;
  bool have_arrived = true;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    have_arrived = have_arrived && fw_window_is_settled(&run->window, r);
  }
  for (;;) {
    if (!note_places(run)) {
      fw_meter_stop(meter, FW_STOP_MEMORY);
      --run->window.now;
      return false;
    }
    if (have_arrived || run->window.now >= run->context->parameters[TICKS] || !fw_window_plan(&run->window)) {
      return have_arrived;
    }
    have_arrived = fw_window_step(&run->window);
  }
}

// What was executed, and of what is booked as much as all robots have.
static bool make_path(run_t * run, int32_t robot, fw_tick_t end, fw_path_t * path)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t length = (size_t)end + 1;
  const bool has_heading = run->problem->robots[robot].turn_ticks > 0;
  fw_cell_t * cells = fw_arena_allocate(arena, length, sizeof(*cells));
  uint8_t * headings = has_heading ? fw_arena_allocate(arena, length, sizeof(*headings)) : NULL;
  if (cells == NULL || (has_heading && headings == NULL)) {
    return false;
  }
  for (fw_tick_t tick = 0; tick <= end; ++tick) {
    const fw_pose_t pose =
      tick <= run->window.now ? run->trace[tick][robot] : fw_window_pose(&run->window, robot, tick);
    cells[tick] = pose.cell;
    if (has_heading) {
      headings[tick] = (uint8_t)pose.heading;
    }
  }
  *path = (fw_path_t){.cells = cells, .length = end + 1, .headings = headings};
  while (path->length > 1 && !fw_path_arrives(path, path->length - 1)) {
    --path->length;
  }
  return true;
}

static bool make_paths(run_t * run, fw_tick_t end, fw_path_t * paths)
{
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (!make_path(run, r, end, &paths[r])) {
      return false;
    }
  }
  return true;
}

static fw_ret_t answer(run_t * run, bool have_arrived, fw_plan_t * plan, fw_error_t * error)
{
  const int32_t count = run->problem->robot_count;
  const fw_meter_t * meter = run->context->meter;
  fw_tick_t end = run->window.now;
  for (int32_t r = 0; r < count && !have_arrived; ++r) {
    end = r == 0 || run->window.plans[r].until < end ? run->window.plans[r].until : end;
  }
  end = end > run->window.now ? end : run->window.now;
  fw_path_t * paths = fw_arena_allocate(run->context->scratch, (size_t)count, sizeof(*paths));
  if (paths == NULL || !make_paths(run, end, paths)) {
    return fw_fleet_answer(FW_FLEET_STOPPED, run->context, run->problem, plan, error);
  }
  plan->outcome = have_arrived ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = have_arrived ? FW_STOP_DONE : meter->stop;
  plan->safe_until = have_arrived ? FW_TICK_MAX : end;
  plan->paths = paths;
  plan->stats.first_plan_ns = have_arrived ? fw_clock_now_ns() - meter->start_ns : 0;
  fw__plan_count(plan, "searches", run->window.counts.searches);
  fw__plan_count(plan, "robots_overridden", run->window.counts.overridden);
  fw__plan_count(plan, "rollbacks", run->window.counts.rollbacks);
  fw__plan_count(plan, "promotions", run->window.counts.promotions);
  fw__plan_count(plan, "negotiations", run->window.counts.negotiations);
  fw__plan_count(plan, "fleet_stops", run->window.counts.stops);
  return FW_RET_OK;
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  run_t run = {.context = context, .problem = problem};
  fw_fleet_t fleet;
  const fw_fleet_state_t state = fw_fleet_init(&fleet, context, problem, error);
  if (state != FW_FLEET_READY) {
    return fw_fleet_answer(state, context, problem, plan, error);
  }
  plan->stats.lower_bound = fleet.lower_bound;
  const fw_window_options_t options = {
    .window = (int32_t)context->parameters[WINDOW],
    .price = (int32_t)context->parameters[PRICE],
    .price_rise = (int32_t)context->parameters[RISE],
    .changes_max = (int32_t)context->parameters[CHANGES],
    .patience = (int32_t)context->parameters[PATIENCE],
    .reach = (int32_t)context->parameters[REACH],
    .effort = (int32_t)context->parameters[EFFORT],
  };
  if (!fw_window_init(&run.window, context->scratch, &fleet, context->meter, &options)) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return fw_fleet_answer(FW_FLEET_STOPPED, context, problem, plan, error);
  }
  const bool have_arrived = roll(&run);
  return answer(&run, have_arrived, plan, error);
}

const fw_planner_def_t fw_planner_whca = {
  .name = "whca",
  .summary = "windowed hierarchical cooperative A*: robots look some ticks ahead and plan again halfway",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = parameters,
  .parameter_count = sizeof(parameters) / sizeof(parameters[0]),
  .may_delay_first = true,
  .solve = solve,
};
