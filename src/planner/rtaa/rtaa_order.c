// Who chooses first in `rtaa`: those under way before those on their goals, higher priorities first, and among equals
// who is under way for longer.
//
// Whoever arrives falls behind all who have not, so that everybody is first in the end. And whoever is first but cannot
// move, since those before it are shut in by it, falls behind its equals after a while: then they choose, and it is
// pushed. Orders are made from the last one by a sort that keeps equals as they were, so the past need not be counted.

#include "planner/rtaa/rtaa.h"

static bool is_before(const fw_rtaa_run_t * run, int32_t robot, int32_t other)
{
  const fw_robot_t * robots = run->problem->robots;
  if (robots[robot].priority != robots[other].priority) {
    return robots[robot].priority > robots[other].priority;
  }
  if (run->seniority[robot] != run->seniority[other]) {
    return run->seniority[robot] < run->seniority[other];
  }
  return robot < other;
}

// By falling priority, then seniority, then number. Equal priorities have one rank.
void fw__rtaa_order_begin(fw_rtaa_run_t * run)
{
  const fw_robot_t * robots = run->problem->robots;
  const int32_t count = run->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    run->order[r] = r;
  }
  for (int32_t gap = count / 2; gap > 0; gap /= 2) {  // Shell's sort; numbers differ, so there are no ties
    for (int32_t i = gap; i < count; ++i) {
      const int32_t robot = run->order[i];
      int32_t at = i;
      for (; at >= gap; at -= gap) {
        const int32_t other = run->order[at - gap];
        if (!is_before(run, robot, other)) {
          break;
        }
        run->order[at] = other;
      }
      run->order[at] = robot;
    }
  }
  run->rank_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    const bool is_new = i == 0 || robots[run->order[i]].priority != robots[run->order[i - 1]].priority;
    run->rank_count += is_new ? 1 : 0;
    run->rank[run->order[i]] = run->rank_count - 1;
  }
}

bool fw__rtaa_order_init(fw_rtaa_run_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)run->problem->robot_count;
  run->order = fw__arena_allocate(arena, count, sizeof(*run->order));
  run->sorted = fw__arena_allocate(arena, count, sizeof(*run->sorted));
  run->rank = fw__arena_allocate(arena, count, sizeof(*run->rank));
  run->seniority = fw__arena_allocate_zeroed(arena, count, sizeof(*run->seniority));
  run->blocked = fw__arena_allocate_zeroed(arena, count, sizeof(*run->blocked));
  run->yields_until = fw__arena_allocate_zeroed(arena, count, sizeof(*run->yields_until));
  run->places = fw__arena_allocate(arena, count * 3 + 2, sizeof(*run->places));
  if (
    run->order == NULL || run->sorted == NULL || run->rank == NULL || run->blocked == NULL || run->seniority == NULL ||
    run->yields_until == NULL || run->places == NULL) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  return true;
}

// Under way, by rank, and behind those of a rank the ones that are out of patience; those who yield; on the goal.
static int32_t class_of(const fw_rtaa_run_t * run, int32_t robot)
{
  if (fw__rtaa_is_on_goal(run, robot)) {
    return 2 * run->rank_count + 1 + run->rank[robot];
  }
  if (run->yields_until[robot] > run->now) {
    return 2 * run->rank_count;
  }
  return 2 * run->rank[robot] + (run->blocked[robot] > run->patience ? 1 : 0);
}

void fw__rtaa_order_update(fw_rtaa_run_t * run)
{
  const int32_t count = run->problem->robot_count;
  const int32_t class_count = 3 * run->rank_count + 1;
  for (int32_t i = 0; i <= class_count; ++i) {
    run->places[i] = 0;
  }
  for (int32_t r = 0; r < count; ++r) {
    ++run->places[class_of(run, r) + 1];
  }
  for (int32_t i = 0; i < class_count; ++i) {
    run->places[i + 1] += run->places[i];
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t robot = run->order[i];
    run->sorted[run->places[class_of(run, robot)]++] = robot;
  }
  for (int32_t r = 0; r < count; ++r) {
    if (run->blocked[r] > run->patience) {
      run->blocked[r] = 0;
      ++run->demotions;
    }
  }
  int32_t * order = run->order;
  run->order = run->sorted;
  run->sorted = order;
}
