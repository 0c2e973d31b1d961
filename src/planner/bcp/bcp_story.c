// What `bcp` keeps from one solve to the next (`since` in fw_problem_t): virtual costs, as long as their collisions are
// ahead, and the paths of robots for which nothing has changed.

#include <string.h>

#include "planner/bcp/bcp.h"

void fw__bcp_story_init(fw_bcp_story_t * story, fw_arena_t * keep)
{
  *story = (fw_bcp_story_t){0};
  fw__arena_init(&story->arena, keep->memory);
}

void fw__bcp_story_fini(fw_bcp_story_t * story) { fw__arena_fini(&story->arena); }

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

// ---- recalling ------------------------------------------------------------------------------------------------------

_Static_assert(sizeof(fw_bcp_options_t) == 11 * sizeof(int32_t), "compared byte by byte");

static bool can_go_on(const fw_bcp_story_t * story, const fw_bcp_t * run)
{
  const fw_problem_t * problem = run->problem;
  return story->is_running && problem->since > 0 && problem->connectivity == story->connectivity &&
         problem->cuts_corners == story->cuts_corners && problem->robust_ticks == story->robust_ticks &&
         problem->grid->width == story->grid.width && problem->grid->height == story->grid.height &&
         memcmp(&run->options, &story->options, sizeof(run->options)) == 0 &&
         memcmp(problem->grid->cost, story->grid.cost, (size_t)fw_grid_cell_count(problem->grid)) == 0;
}

// Where in the story each id is: a hash by the lower bits of ids, which mostly count up from some number.
typedef struct index_t {
  int32_t * slots;  // place in the story plus 1, 0 for none
  uint32_t mask;
} index_t;

static int32_t * find_id(const index_t * index, const fw_bcp_story_t * story, int32_t id)
{
  uint32_t at = (uint32_t)id & index->mask;
  while (index->slots[at] != 0 && story->ids[index->slots[at] - 1] != id) {
    at = (at + 1) & index->mask;
  }
  return &index->slots[at];
}

static bool make_index(index_t * index, fw_arena_t * arena, const fw_bcp_story_t * story)
{
  uint32_t capacity = 16;
  while (capacity < 2 * (uint32_t)story->robot_count) {
    capacity *= 2;
  }
  index->mask = capacity - 1;
  index->slots = fw__arena_allocate_zeroed(arena, capacity, sizeof(*index->slots));
  for (int32_t i = 0; index->slots != NULL && i < story->robot_count; ++i) {
    *find_id(index, story, story->ids[i]) = i + 1;
  }
  return index->slots != NULL;
}

// Virtual costs that lie ahead, in the present problem's time. True if none has vanished.
static bool recall_bumps(fw_bcp_t * run, int32_t robot, const fw_bcp_bumps_t * old)
{
  bool are_all = true;
  for (int32_t i = 0; i < old->count; ++i) {
    fw_bcp_bump_t bump = old->items[i];
    bump.tick -= run->problem->since;
    if (bump.tick >= 0 && fw__bcp_bumps_push(&run->bumps[robot], run->context->scratch, bump)) {
      ++run->kept;
    } else {
      are_all = false;
    }
  }
  return are_all;
}

// Does the path begin as the robot does, and is each later change of pose a motion that it has, with the time for it?
static bool can_drive(const fw_bcp_t * run, int32_t robot, const fw_path_t * path)
{
  const fw_moves_t * moves = run->fleet.moves[robot];
  const fw_body_t * body = run->fleet.bodies.of[robot];
  const fw_path_t * start = &run->fleet.bodies.starts[robot];
  bool is_right = path->length >= start->length && (path->headings == NULL) == (start->headings == NULL);
  for (int32_t at = 0; at < start->length && is_right; ++at) {
    is_right = fw__grid_pose_equals(fw__path_pose(path, at), fw__path_pose(start, at));
  }
  fw_tick_t arrived = start->length - 1;
  for (int32_t at = start->length; at < path->length && is_right; ++at) {
    if (!fw__path_arrives(path, at)) {
      continue;
    }
    const int32_t from = fw__moves_node(moves, fw__path_pose(path, at - 1));
    const int32_t to = fw__moves_node(moves, fw__path_pose(path, at));
    is_right = false;
    for (int32_t d = 0; from >= 0 && to >= 0 && d < moves->degree; ++d) {
      const int32_t ticks = body->motions[fw__path_pose(path, at - 1).heading][d].ticks;
      is_right = is_right || (fw__moves_successors(moves, from)[d] == to && ticks <= at - arrived);
    }
    arrived = at;
  }
  return is_right;
}

// The rest of the path, for a robot that is where it should be and has the goal it had.
static void recall_path(fw_bcp_t * run, int32_t robot, fw_path_t old, fw_cell_t old_goal)
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

void fw__bcp_story_recall(const fw_bcp_story_t * story, fw_bcp_t * run)
{
  index_t index;
  if (!can_go_on(story, run) || !make_index(&index, run->context->scratch, story)) {
    return;
  }
  const bool is_named = has_ids(run->problem);
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    const int32_t found = *find_id(&index, story, is_named ? run->problem->robots[r].id : r) - 1;
    if (found < 0) {
      continue;
    }
    const bool is_same = recall_bumps(run, r, &story->bumps[found]);
    if (is_same && run->problem->closure_count == 0 && !story->has_closures) {
      recall_path(run, r, story->paths.paths[found], story->goals[found]);
    }
  }
}

// ---- noting ---------------------------------------------------------------------------------------------------------

static bool note_robots(fw_bcp_story_t * story, const fw_bcp_t * run)
{
  const fw_problem_t * problem = run->problem;
  const bool is_named = has_ids(problem);
  bool is_whole = true;
  for (int32_t r = 0; r < problem->robot_count && is_whole; ++r) {
    story->ids[r] = is_named ? problem->robots[r].id : r;
    story->goals[r] = problem->robots[r].goal;
    is_whole = fw__path_buffers_set(&story->paths, r, run->best.paths[r]);
    for (int32_t i = 0; i < run->bumps[r].count && is_whole; ++i) {
      is_whole = fw__bcp_bumps_push(&story->bumps[r], &story->arena, run->bumps[r].items[i]);
    }
  }
  return is_whole;
}

void fw__bcp_story_note(fw_bcp_story_t * story, const fw_bcp_t * run)
{
  const fw_problem_t * problem = run->problem;
  fw_arena_t * arena = &story->arena;
  const size_t count = (size_t)problem->robot_count;
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  story->is_running = false;
  fw__arena_reset(arena);
  uint8_t * cost = fw__arena_allocate(arena, cells, sizeof(*cost));
  story->ids = fw__arena_allocate(arena, count, sizeof(*story->ids));
  story->goals = fw__arena_allocate(arena, count, sizeof(*story->goals));
  story->bumps = fw__arena_allocate_zeroed(arena, count, sizeof(*story->bumps));
  if (
    cost == NULL || story->ids == NULL || story->goals == NULL || story->bumps == NULL ||
    !fw__path_buffers_init(&story->paths, arena, problem)) {
    return;
  }
  memcpy(cost, problem->grid->cost, cells);
  story->grid = (fw_grid_t){.width = problem->grid->width, .height = problem->grid->height, .cost = cost};
  story->options = run->options;
  story->connectivity = problem->connectivity;
  story->cuts_corners = problem->cuts_corners;
  story->robust_ticks = problem->robust_ticks;
  story->has_closures = problem->closure_count > 0;
  story->robot_count = problem->robot_count;
  story->is_running = note_robots(story, run);
}
