// What an optimal planner that has run out of budget answers: the groups that are done keep their paths as far as they
// do not meet, and the robots of the others plan around those paths one after another, as `hca` does. To them the paths
// are closures (world/closures.h). Where that fails everybody is planned that way.

#include "planner/optimal/optimal.h"
#include "planner/prioritized/prioritized.h"

enum { ORDERS_AROUND = 8, ORDERS_ALL = 64 };

typedef struct rest_t {
  bool * is_kept;    // by robot
  int32_t * robots;  // those that are not
  int32_t count;
} rest_t;

static bool meets(const fw_scene_t * scene, const fw_traffic_t * traffic, const fw_path_t * path)
{
  for (fw_tick_t t = 0; t < path->length || t <= traffic->last_tick + scene->robust_ticks; ++t) {
    const int32_t from = fw_path_at(path, t > 0 ? t - 1 : 0);
    const int32_t to = fw_path_at(path, t);
    if (fw__traffic_count(traffic, &(fw_hop_t){from, to, fw__scene_direction(scene, from, to), t - 1}) > 0) {
      return true;
    }
  }
  return false;
}

static bool meets_group(const fw_optimal_t * run, const fw_traffic_t * traffic, int32_t group)
{
  bool is_met = false;
  for (int32_t r = 0; r < run->scene.problem->robot_count && !is_met; ++r) {
    is_met = run->group_of[r] == group && meets(&run->scene, traffic, &run->paths.paths[r]);
  }
  return is_met;
}

// Group after group is kept unless it meets one that is. False when there is no memory.
static bool choose(fw_optimal_t * run, rest_t * rest)
{
  fw_arena_t * arena = run->context->scratch;
  const int32_t count = run->scene.problem->robot_count;
  fw_traffic_t traffic;
  rest->is_kept = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*rest->is_kept));
  rest->robots = fw__arena_allocate(arena, (size_t)count, sizeof(*rest->robots));
  if (rest->is_kept == NULL || rest->robots == NULL || !fw__traffic_init(&traffic, arena, &run->scene)) {
    return false;
  }
  for (int32_t group = 0; group < count && run->has_paths; ++group) {
    if (meets_group(run, &traffic, group)) {
      continue;
    }
    for (int32_t r = 0; r < count; ++r) {
      if (run->group_of[r] == group) {
        rest->is_kept[r] = true;
        if (!fw__traffic_add(&traffic, r, run->paths.paths[r])) {
          return false;
        }
      }
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    if (!rest->is_kept[r]) {
      rest->robots[rest->count++] = r;
    }
  }
  return true;
}

// ---- paths as closures ----------------------------------------------------------------------------------------------

typedef struct list_t {
  fw_closure_t * closures;
  int32_t count;
} list_t;

static void close_cell(list_t * list, fw_cell_t cell, fw_tick_t from, fw_tick_t to)
{
  list->closures[list->count++] = (fw_closure_t){.cell = cell, .from = from, .to = to};
}

// A place is closed for a tick longer than the robot is there, so that nobody swaps with it (robust ticks see to that
// themselves), and the sides of a diagonal are closed at its end, so that nobody crosses it; where it cuts a corner
// nobody does.
static void close_path(const fw_scene_t * scene, const fw_path_t * path, list_t * list)
{
  const fw_moves_t * moves = scene->moves;
  const fw_tick_t longer = scene->robust_ticks > 0 ? 0 : 1;
  for (fw_tick_t t = 0; t + 1 < path->length; ++t) {
    close_cell(list, moves->cell_of[path->cells[t]], t, t + longer);
    const int32_t direction = fw__scene_direction(scene, path->cells[t], path->cells[t + 1]);
    if (direction >= 4) {
      const int32_t * next = fw__moves_successors(moves, path->cells[t]);
      const int32_t left = next[fw__direction_left(direction)];
      const int32_t right = next[fw__direction_right(direction)];
      if (left >= 0 && right >= 0) {
        close_cell(list, moves->cell_of[left], t + 1, t + 1);
        close_cell(list, moves->cell_of[right], t + 1, t + 1);
      }
    }
  }
  close_cell(list, moves->cell_of[path->cells[path->length - 1]], path->length - 1, FW_TICK_MAX);
}

static bool make_problem(fw_optimal_t * run, const fw_problem_t * whole, const rest_t * rest, fw_problem_t * part)
{
  fw_arena_t * arena = run->context->scratch;
  size_t room = (size_t)whole->closure_count;
  for (int32_t r = 0; r < whole->robot_count; ++r) {
    room += rest->is_kept[r] ? 3 * (size_t)run->paths.paths[r].length : 0;
  }
  fw_robot_t * robots = fw__arena_allocate(arena, (size_t)rest->count, sizeof(*robots));
  fw_closure_t * merged = fw__arena_allocate(arena, room, sizeof(*merged));
  list_t list = {.closures = fw__arena_allocate(arena, room, sizeof(*list.closures))};
  if (robots == NULL || merged == NULL || list.closures == NULL) {
    return false;
  }
  for (int32_t i = 0; i < rest->count; ++i) {
    robots[i] = whole->robots[rest->robots[i]];
  }
  for (int32_t i = 0; i < whole->closure_count; ++i) {
    list.closures[list.count++] = whole->closures[i];
  }
  for (int32_t r = 0; r < whole->robot_count; ++r) {
    if (rest->is_kept[r]) {
      close_path(&run->scene, &run->paths.paths[r], &list);
    }
  }
  *part = *whole;
  part->robots = robots;
  part->robot_count = rest->count;
  part->closures = list.closures;
  part->closure_count = list.count;
  part->closure_count = fw__closures_merge(part, merged);
  part->closures = merged;
  return true;
}

// ---- planning -------------------------------------------------------------------------------------------------------

static bool plan_one_by_one(fw_optimal_t * run, const fw_problem_t * problem, int32_t orders, fw_plan_t * plan)
{
  int64_t values[FW_PRIORITIZED_SHARED];
  for (int32_t i = 0; i < FW_PRIORITIZED_SHARED; ++i) {
    values[i] = fw__prioritized_parameters[FW_PRIORITIZED_OWN + i].initial;
  }
  fw_prioritized_options_t options = fw__prioritized_options(values);
  options.has_true_distance = true;
  options.orders_max = orders;
  return fw__prioritized_solve(run->context, problem, &options, plan, NULL) == FW_RET_OK;
}

// Those that keep their paths, and the others as planned.
static bool join(fw_optimal_t * run, const rest_t * rest, const fw_plan_t * part)
{
  const int32_t count = run->scene.problem->robot_count;
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, (size_t)count, sizeof(*paths));
  if (paths == NULL) {
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    paths[r] = run->paths.paths[r];
    for (int32_t t = 0; t < paths[r].length && rest->is_kept[r]; ++t) {
      run->paths.cells[r][t] = run->scene.moves->cell_of[run->paths.cells[r][t]];
    }
  }
  for (int32_t i = 0; i < rest->count; ++i) {
    paths[rest->robots[i]] = part->paths[i];
  }
  run->plan->outcome = FW_OUTCOME_SOLVED;
  run->plan->safe_until = FW_TICK_MAX;
  run->plan->paths = paths;
  return true;
}

static bool plan_around(fw_optimal_t * run, const fw_problem_t * problem, rest_t * rest)
{
  fw_problem_t part;
  fw_plan_t plan = {0};
  return choose(run, rest) && rest->count < problem->robot_count && make_problem(run, problem, rest, &part) &&
         plan_one_by_one(run, &part, ORDERS_AROUND, &plan) && plan.outcome == FW_OUTCOME_SOLVED &&
         join(run, rest, &plan);
}

static bool plan_all(fw_optimal_t * run, const fw_problem_t * problem)
{
  fw_plan_t plan = {0};
  if (!plan_one_by_one(run, problem, ORDERS_ALL, &plan) || plan.outcome == FW_OUTCOME_UNSOLVABLE) {
    return false;
  }
  run->plan->outcome = plan.outcome;
  run->plan->safe_until = plan.safe_until;
  run->plan->paths = plan.paths;
  return true;
}

bool fw__optimal_fall_back(fw_optimal_t * run, const fw_problem_t * problem)
{
  rest_t rest = {0};
  if (run->meter.stop == FW_STOP_MEMORY) {
    fw__arena_fini(run->work);
    fw__arena_fini(run->work_joint);
  }
  const bool is_around = plan_around(run, problem, &rest);
  const bool is_planned = is_around || plan_all(run, problem);
  if (is_planned && run->plan->outcome == FW_OUTCOME_SOLVED) {
    run->plan->stats.first_plan_ns = fw_clock_now_ns() - run->meter.start_ns;
  }
  fw__plan_count(run->plan, "robots_fallen_back", is_around ? rest.count : problem->robot_count);
  return is_planned;
}
