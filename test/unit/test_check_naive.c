// The independent checker against a naive one, on thousands of small plans, most of them with conflicts.

#include "fleetweave/fleetweave.h"
#include "support/naive.h"
#include "support/test.h"
#include "support/world.h"

enum { LENGTH_MAX = 9 };

typedef struct plan_t {
  world_t world;
  fw_cell_t cells[WORLD_ROBOTS_MAX][LENGTH_MAX];
  uint8_t headings[WORLD_ROBOTS_MAX][LENGTH_MAX];
  fw_path_t paths[WORLD_ROBOTS_MAX];
} plan_t;

// Random legal paths. Then some robots become slower than their paths, or get a cell or a heading changed.
static void make(plan_t * plan, fw_rng_t * rng, bool is_spoiled, int32_t more_features)
{
  fw_grid_t grid = world_grid(rng, 2 + fw__rng_below(rng, 4), 2 + fw__rng_below(rng, 3), 12, false);
  const int32_t shapes = (more_features & WORLD_CORNERS) == 0 ? WORLD_SHAPES : 0;
  const int32_t features = WORLD_DIAGONALS | WORLD_ROBUST | WORLD_SPEEDS | shapes | more_features;
  world_settle(&plan->world, grid, rng, features, 3);
  const fw_problem_t * problem = &plan->world.problem;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const world_walk_t room = {plan->cells[r], plan->headings[r], 1 + fw__rng_below(rng, LENGTH_MAX)};
    plan->paths[r] = world_walk_body(problem, r, rng, room);
  }
  if (is_spoiled && problem->robot_count > 0) {
    const int32_t robot = fw__rng_below(rng, problem->robot_count);
    const int32_t tick = fw__rng_below(rng, plan->paths[robot].length);
    const bool has_heading = plan->world.robots[robot].turn_ticks > 0;
    if (fw__rng_below(rng, 3) == 0 && plan->world.robots[robot].arrives == 0) {
      int32_t * ticks = has_heading && fw__rng_below(rng, 2) == 0 ? &plan->world.robots[robot].turn_ticks
                                                                  : &plan->world.robots[robot].ticks_per_move;
      *ticks = 1 + fw__rng_below(rng, 3);
    } else if (has_heading && fw__rng_below(rng, 2) == 0) {
      plan->headings[robot][tick] = (uint8_t)fw__rng_below(rng, 9);
    } else {
      plan->cells[robot][tick] = fw__rng_below(rng, fw_grid_cell_count(&grid) + 6) - 3;
    }
  }
}

static void dump(const plan_t * plan)
{
  print_message("%s\n", plan->world.text);
  for (int32_t i = 0; i < fw_grid_cell_count(&plan->world.grid); ++i) {
    print_message("%c%s", plan->world.grid.cost[i] != 0 ? '.' : '#', (i + 1) % plan->world.grid.width == 0 ? "\n" : "");
  }
  for (int32_t r = 0; r < plan->world.problem.robot_count; ++r) {
    print_message(
      "robot %d, %d ticks, %d to turn, %d cells%s:", r, plan->world.robots[r].ticks_per_move,
      plan->world.robots[r].turn_ticks, plan->world.robots[r].footprint_count,
      plan->world.robots[r].sweeps_sides ? ", sweeping" : "");
    print_message(" arrives %d", plan->world.robots[r].arrives);
    for (int32_t t = 0; t < plan->paths[r].length; ++t) {
      print_message(" %d", plan->cells[r][t]);
      if (plan->paths[r].headings != NULL) {
        print_message("/%d", plan->headings[r][t]);
      }
    }
    print_message("\n");
  }
  for (int32_t i = 0; i < plan->world.problem.closure_count; ++i) {
    const fw_closure_t * closure = &plan->world.closures[i];
    print_message("cell %d closed %d to %d\n", closure->cell, closure->from, closure->to);
  }
}

static void both_say_the_same(void ** state)
{
  (void)state;
  int32_t fine = 0;
  int32_t broken = 0;
  for (int32_t round = 0; round < test_rounds(30000); ++round) {
    static plan_t plan;
    fw_rng_t rng = fw__rng((uint64_t)round);
    const int32_t turning = round % 2 == 0 ? WORLD_HEADINGS | WORLD_SWEEPS : round % 11 < 4 ? WORLD_CORNERS : 0;
    const int32_t motion = turning | (round % 7 < 3 ? WORLD_UNDER_WAY : 0);
    make(&plan, &rng, round % 3 == 0, motion | (round % 5 == 0 ? WORLD_CLOSURES : 0));
    const fw_problem_t * problem = &plan.world.problem;
    const fw_tick_t until = round % 4 == 0 ? FW_TICK_MAX : round % 4 == 1 ? fw__rng_below(&rng, 8) : FW_TICK_MAX - 1;
    fw_conflict_t conflict;
    assert_int_equal(
      fw_check_paths(problem, plan.paths, problem->robot_count, until, NULL, &conflict, NULL), FW_RET_OK);
    const naive_verdict_t naive = naive_check(problem, plan.paths, until);
    const bool is_broken = conflict.kind != FW_CONFLICT_NONE;
    const bool is_same = is_broken == naive.is_broken && (!is_broken || naive.is_alone || conflict.tick == naive.tick);
    if (!is_same && !naive.is_later) {
      dump(&plan);
      fail_msg(
        "round %d until %d: the check says %s at %d (robots %d and %d, cell %d), the naive one %s at %d", round, until,
        fw_conflict_kind_name(conflict.kind), conflict.tick, conflict.robot, conflict.other, conflict.cell,
        naive.is_broken ? "broken" : "fine", naive.tick);
    }
    *(naive.is_broken ? &broken : &fine) += 1;
    world_fini(&plan.world);
  }
  assert_true(fine * 10 > broken && broken * 10 > fine);  // both kinds are frequent
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_say_the_same)};
  return TEST_RUN(tests);
}
