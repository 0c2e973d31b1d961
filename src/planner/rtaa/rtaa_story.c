// What `rtaa` keeps from one window of a rolling fleet to the next.

#include "planner/rtaa/rtaa_story.h"

void fw__rtaa_story_init(fw_rtaa_story_t * story, fw_arena_t * keep)
{
  *story = (fw_rtaa_story_t){0};
  fw__arena_init(&story->arenas[0], keep->memory);
  fw__arena_init(&story->arenas[1], keep->memory);
}

void fw__rtaa_story_fini(fw_rtaa_story_t * story)
{
  fw__arena_fini(&story->arenas[0]);
  fw__arena_fini(&story->arenas[1]);
}

fw_arena_t * fw__rtaa_story_turn(fw_rtaa_story_t * story)
{
  story->turn = 1 - story->kept;
  fw__arena_reset(&story->arenas[story->turn]);
  return &story->arenas[story->turn];
}

// Ids are all 0 where the index says who is who.
static int32_t id_of(const fw_problem_t * problem, int32_t robot)
{
  const int32_t id = problem->robots[robot].id;
  return id == 0 ? robot : id;
}

// Walls that were not there, or are there no longer: what was learned of them is not true any more.
static bool is_same_map(const fw_rtaa_story_t * story, const fw_problem_t * problem)
{
  const fw_grid_t known = fw_batch_known(&story->batch);
  const fw_grid_t * grid = problem->grid;
  bool is_same = known.width == grid->width && known.height == grid->height;
  for (fw_cell_t cell = 0; is_same && cell < fw_grid_cell_count(grid); ++cell) {
    is_same = (known.cost[cell] == 0) == (grid->cost[cell] == 0);
  }
  return is_same;
}

// The robot of the last window with that id, looked for from `from` on: robots keep their order but for a few.
static int32_t find(const fw_rtaa_story_t * story, int32_t id, int32_t from)
{
  for (int32_t i = 0; i < story->robot_count; ++i) {
    const int32_t robot = (from + i) % story->robot_count;
    if (story->ids[robot] == id) {
      return robot;
    }
  }
  return -1;
}

void fw__rtaa_story_recall(const fw_rtaa_story_t * story, fw_rtaa_run_t * run)
{
  const fw_problem_t * problem = run->problem;
  if (!story->is_running || problem->since == 0 || story->lookahead != run->lookahead || !is_same_map(story, problem)) {
    return;
  }
  int32_t from = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t before = find(story, id_of(problem, r), from);
    run->seniority[r] = before >= 0 ? story->places[before] : story->robot_count;
    if (before >= 0) {
      from = before + 1;
      fw_batch_recall(&run->batch, r, &story->batch, before);
      run->yields_until[r] =
        story->yields_until[before] > problem->since ? story->yields_until[before] - problem->since : 0;
    }
  }
}

void fw__rtaa_story_keep(fw_rtaa_story_t * story, const fw_rtaa_run_t * run)
{
  fw_arena_t * arena = &story->arenas[story->turn];
  const size_t count = (size_t)run->problem->robot_count;
  story->ids = fw__arena_allocate(arena, count, sizeof(*story->ids));
  story->places = fw__arena_allocate(arena, count, sizeof(*story->places));
  story->yields_until = fw__arena_allocate(arena, count, sizeof(*story->yields_until));
  story->is_running = story->ids != NULL && story->places != NULL && story->yields_until != NULL;
  story->kept = story->turn;
  story->batch = run->batch;
  story->lookahead = run->lookahead;
  story->robot_count = run->problem->robot_count;
  for (int32_t i = 0; i < story->robot_count && story->is_running; ++i) {
    story->ids[i] = id_of(run->problem, i);
    story->yields_until[i] = run->yields_until[i];
    story->places[run->order[i]] = i;
  }
}
