// What `bcp` keeps from one solve to the next: loading and saving.

#include "planner/bcp/warm_start.h"

#include <string.h>

#include "base/assert.h"
#include "world/problem.h"

void fw__bcp_warm_start_init(fw_bcp_warm_start_t * saved, fw_arena_t * keep)
{
  *saved = (fw_bcp_warm_start_t){0};
  fw__arena_init(&saved->arena, keep->memory);
}

void fw__bcp_warm_start_fini(fw_bcp_warm_start_t * saved) { fw__arena_fini(&saved->arena); }

// ---- loading --------------------------------------------------------------------------------------------------------

_Static_assert(sizeof(fw_bcp_options_t) == 13 * sizeof(int32_t), "compared byte by byte");

// The run continues the saved one: the same map, rules and options.
static bool is_continued(const fw_bcp_warm_start_t * saved, const fw_bcp_t * run)
{
  const fw_problem_t * problem = run->problem;
  return saved->is_valid && problem->since > 0 && problem->connectivity == saved->connectivity &&
         problem->cuts_corners == saved->cuts_corners && problem->robust_ticks == saved->robust_ticks &&
         problem->grid->width == saved->grid.width && problem->grid->height == saved->grid.height &&
         memcmp(&run->options, &saved->options, sizeof(run->options)) == 0 &&
         memcmp(problem->grid->cost, saved->grid.cost, (size_t)fw_grid_cell_count(problem->grid)) == 0;
}

// Indices by id: a hash by the lower bits of ids, which mostly count up from some number.
typedef struct index_t {
  int32_t * slots;  // index among the saved robots plus 1, 0 for none
  uint32_t mask;
} index_t;

static int32_t * find_id(const index_t * index, const fw_bcp_warm_start_t * saved, int32_t id)
{
  uint32_t at = (uint32_t)id & index->mask;
  while (index->slots[at] != 0 && saved->ids[index->slots[at] - 1] != id) {
    at = (at + 1) & index->mask;
  }
  return &index->slots[at];
}

static bool make_index(index_t * index, fw_arena_t * arena, const fw_bcp_warm_start_t * saved)
{
  uint32_t capacity = 16;
  while (capacity < 2 * (uint32_t)saved->robot_count) {
    capacity *= 2;
  }
  index->mask = capacity - 1;
  index->slots = fw__arena_allocate_zeroed(arena, capacity, sizeof(*index->slots));
  for (int32_t i = 0; index->slots != NULL && i < saved->robot_count; ++i) {
    *find_id(index, saved, saved->ids[i]) = i + 1;
  }
  return index->slots != NULL;
}

// Virtual costs whose collisions are ahead, in ticks of the present problem. True if all are.
static bool load_virtual_costs(fw_bcp_t * run, int32_t robot, const fw_virtual_costs_t * old)
{
  bool are_all = true;
  for (int32_t i = 0; i < old->count; ++i) {
    fw_virtual_cost_t cost = old->items[i];
    cost.tick -= run->problem->since;
    if (cost.tick >= 0 && fw__virtual_costs_push(&run->virtual_costs[robot], run->context->scratch, cost)) {
      ++run->virtual_costs_kept;
    } else {
      are_all = false;
    }
  }
  return are_all;
}

// The path begins as the robot does, and each later change of pose is a motion that it has, with enough time.
static bool can_drive(const fw_bcp_t * run, int32_t robot, const fw_path_t * path)
{
  const fw_moves_t * moves = run->fleet.moves[robot];
  const fw_body_t * body = run->fleet.bodies.of[robot];
  const fw_path_t * start = &run->fleet.bodies.starts[robot];
  bool is_drivable = path->length >= start->length && (path->headings == NULL) == (start->headings == NULL);
  for (int32_t at = 0; at < start->length && is_drivable; ++at) {
    is_drivable = fw__grid_pose_equals(fw__path_pose(path, at), fw__path_pose(start, at));
  }
  fw_tick_t arrived = start->length - 1;
  for (int32_t at = start->length; at < path->length && is_drivable; ++at) {
    if (!fw__path_arrives(path, at)) {
      continue;
    }
    const int32_t from = fw__moves_node(moves, fw__path_pose(path, at - 1));
    const int32_t to = fw__moves_node(moves, fw__path_pose(path, at));
    is_drivable = false;
    for (int32_t d = 0; from >= 0 && to >= 0 && d < moves->degree; ++d) {
      const int32_t ticks = body->motions[fw__path_pose(path, at - 1).heading][d].ticks;
      is_drivable = is_drivable || (fw__moves_successors(moves, from)[d] == to && ticks <= at - arrived);
    }
    arrived = at;
  }
  return is_drivable;
}

// The rest of the path, for a robot that is where the path has it and whose goal is the same.
static void load_path(fw_bcp_t * run, int32_t robot, fw_path_t old, fw_cell_t old_goal)
{
  const fw_tick_t since = run->problem->since < old.length ? run->problem->since : old.length - 1;
  const fw_path_t rest = {
    .cells = old.cells + since,
    .length = old.length - since,
    .headings = old.headings == NULL ? NULL : old.headings + since,
  };
  if (
    run->problem->robots[robot].goal == old_goal && fw__bcp_ends_on_goal(run, robot, &rest) &&
    can_drive(run, robot, &rest)) {
    run->is_due[robot] = !fw__path_buffers_set(&run->paths, robot, rest);
  }
}

void fw__bcp_warm_start_load(const fw_bcp_warm_start_t * saved, fw_bcp_t * run)
{
  index_t index;
  if (!is_continued(saved, run) || !make_index(&index, run->context->scratch, saved)) {
    return;
  }
  const bool is_named = fw__problem_has_ids(run->problem);
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    const int32_t found = *find_id(&index, saved, is_named ? run->problem->robots[r].id : r) - 1;
    if (found < 0) {
      continue;
    }
    FW_ASSERT(found < saved->robot_count);
    const bool is_same = load_virtual_costs(run, r, &saved->virtual_costs[found]);
    if (is_same && run->problem->closure_count == 0 && !saved->has_closures) {
      load_path(run, r, saved->paths.paths[found], saved->goals[found]);
    }
  }
}

// ---- saving ---------------------------------------------------------------------------------------------------------

static void save_robots(fw_bcp_warm_start_t * saved, const fw_bcp_t * run)
{
  const fw_problem_t * problem = run->problem;
  const bool is_named = fw__problem_has_ids(problem);
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    saved->ids[r] = is_named ? problem->robots[r].id : r;
    saved->goals[r] = problem->robots[r].goal;
    (void)fw__path_buffers_set(&saved->paths, r, run->best.paths[r]);
    for (int32_t i = 0; i < run->virtual_costs[r].count; ++i) {
      (void)fw__virtual_costs_push(&saved->virtual_costs[r], &saved->arena, run->virtual_costs[r].items[i]);
    }
  }
}

void fw__bcp_warm_start_save(fw_bcp_warm_start_t * saved, const fw_bcp_t * run)
{
  const fw_problem_t * problem = run->problem;
  fw_arena_t * arena = &saved->arena;
  const size_t count = (size_t)problem->robot_count;
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  saved->is_valid = false;
  fw__arena_reset(arena);
  uint8_t * cost = fw__arena_allocate(arena, cells, sizeof(*cost));
  saved->ids = fw__arena_allocate(arena, count, sizeof(*saved->ids));
  saved->goals = fw__arena_allocate(arena, count, sizeof(*saved->goals));
  saved->virtual_costs = fw__arena_allocate_zeroed(arena, count, sizeof(*saved->virtual_costs));
  if (fw__arena_has_failed(arena) || !fw__path_buffers_init(&saved->paths, arena, problem)) {
    return;
  }
  memcpy(cost, problem->grid->cost, cells);
  saved->grid = (fw_grid_t){.width = problem->grid->width, .height = problem->grid->height, .cost = cost};
  saved->options = run->options;
  saved->connectivity = problem->connectivity;
  saved->cuts_corners = problem->cuts_corners;
  saved->robust_ticks = problem->robust_ticks;
  saved->has_closures = problem->closure_count > 0;
  saved->robot_count = problem->robot_count;
  save_robots(saved, run);
  saved->is_valid = !fw__arena_has_failed(arena);
}
