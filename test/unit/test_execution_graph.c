// The dependency graph: what depends on what, in worlds that can be drawn, and against the definition in random ones.

#include "execution/execution.h"
#include "fleetweave/planner_def.h"
#include "support/draw.h"
#include "support/letters.h"
#include "support/solvable.h"
#include "support/test.h"
#include "support/world.h"

typedef struct hand_t {
  fw_problem_t problem;
  letters_t letters;
  fw_execution_t execution;
  fw_error_t error;
} hand_t;

static fw_ret_t weave(hand_t * hand, const char * const * words, fw_rings_t rings)
{
  fw_execution_options_t options = fw_execution_options_default();
  options.rings = rings;
  assert_int_equal(fw_execution_init(&hand->execution, &options, NULL), FW_RET_OK);
  letters_plan(&hand->letters, &hand->problem, words);
  const fw_execution_splice_t splice = {.problem = &hand->problem, .plan = &hand->letters.plan};
  return fw_execution_splice(&hand->execution, &splice, &hand->error);
}

static fw_execution_status_t status(const hand_t * hand, int32_t robot)
{
  fw_execution_status_t status;
  assert_int_equal(fw_execution_robot(&hand->execution, robot, &status, NULL), FW_RET_OK);
  return status;
}

static void at(hand_t * hand, int32_t robot, double time, double x, double y)
{
  const fw_execution_measure_t measure = {.time = time, .x = x, .y = y};
  assert_int_equal(fw_execution_report(&hand->execution, robot, &measure, &hand->error), FW_RET_OK);
}

#define ASSERT_ON(hand, robot, is_reached, is_released)          \
  do {                                                           \
    assert_int_equal(status(hand, robot).reached, is_reached);   \
    assert_int_equal(status(hand, robot).released, is_released); \
  } while (0)

static void a_robot_alone_is_released_to_its_end(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}};
  hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 1}};
  assert_int_equal(weave(&hand, (const char * const[]){"E..EE"}, FW_RINGS_REFUSED), FW_RET_OK);
  ASSERT_ON(&hand, 0, 0, 3);  // waits vanish
  assert_int_equal(fw_execution_stats(&hand.execution).waypoints, 4);
  assert_int_equal(fw_execution_stats(&hand.execution).dependencies, 0);
  fw_execution_fini(&hand.execution);
}

// 1 follows 0 through a lane: one edge for each cell, no more.
static void who_follows_enters_what_was_left(void ** state)
{
  (void)state;
  DRAW(grid, "......");
  const fw_robot_t robots[] = {{.start = 1, .goal = 5}, {.start = 0, .goal = 4}};
  hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  assert_int_equal(weave(&hand, (const char * const[]){"EEEE", ".EEEE"}, FW_RINGS_REFUSED), FW_RET_OK);
  assert_int_equal(fw_execution_stats(&hand.execution).dependencies, 4);
  ASSERT_ON(&hand, 0, 0, 4);
  ASSERT_ON(&hand, 1, 0, 0);
  assert_int_equal(status(&hand, 1).wait, FW_EXECUTION_WAIT_ROBOT);
  assert_int_equal(status(&hand, 1).other, 0);
  assert_int_equal(status(&hand, 1).cell, 1);
  at(&hand, 0, 1.0, 1.85, 0.0);  // most of the way is not all of it
  ASSERT_ON(&hand, 0, 0, 4);
  ASSERT_ON(&hand, 1, 0, 0);
  at(&hand, 0, 1.1, 1.92, 0.0);
  ASSERT_ON(&hand, 0, 1, 4);
  ASSERT_ON(&hand, 1, 0, 1);
  at(&hand, 0, 3.0, 4.0, 0.0);
  ASSERT_ON(&hand, 1, 0, 3);
  fw_execution_fini(&hand.execution);
}

// A robot of two cells has left the first one only when all of it has.
static void a_cell_is_left_when_the_whole_body_has_left_it(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......");
  const fw_offset_t two[] = {{0, 0}, {-1, 0}};
  const fw_robot_t robots[] = {
    {.start = 1, .goal = 4, .footprint = two, .footprint_count = 2}, {.start = 6, .goal = 0}, {.start = 7, .goal = 1}};
  hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  assert_int_equal(weave(&hand, (const char * const[]){"EEE", "..N", "...N"}, FW_RINGS_REFUSED), FW_RET_OK);
  ASSERT_ON(&hand, 1, 0, 0);
  at(&hand, 0, 1.0, 2.0, 0.0);
  ASSERT_ON(&hand, 1, 0, 1);
  ASSERT_ON(&hand, 2, 0, 0);
  at(&hand, 0, 2.0, 3.0, 0.0);
  ASSERT_ON(&hand, 2, 0, 1);
  fw_execution_fini(&hand.execution);
}

// Two diagonals through one corner share no cell, and still one waits for the other.
static void diagonals_cross_one_after_the_other(void ** state)
{
  (void)state;
  DRAW(grid, "..", "..");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 1, .goal = 2}};
  hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8}};
  assert_int_equal(weave(&hand, (const char * const[]){"e", ".s"}, FW_RINGS_REFUSED), FW_RET_OK);
  ASSERT_ON(&hand, 1, 0, 0);
  at(&hand, 0, 1.0, 1.0, 1.0);
  ASSERT_ON(&hand, 1, 0, 1);
  fw_execution_fini(&hand.execution);
}

// 2 needs what 1 leaves, and 1 needed what 0 left: that 2 waits for 0 goes without saying.
static void what_follows_from_others_is_removed(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_robot_t robots[] = {{.start = 4, .goal = 5}, {.start = 1, .goal = 7}, {.start = 3, .goal = 4}};
  hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  assert_int_equal(weave(&hand, (const char * const[]){"E", ".SS", "...E"}, FW_RINGS_REFUSED), FW_RET_OK);
  assert_int_equal(fw_execution_stats(&hand.execution).dependencies, 2);
  fw_execution_fini(&hand.execution);
}

// Four robots around an obstacle, each to where the next one is.
//
//   0 1      with k = 0 all at once
//   3 2      with k = 1 there must be a gap
static void a_ring_rotates_together_or_not_at_all(void ** state)
{
  (void)state;
  DRAW(grid, "..", "..");
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 1}, {.start = 1, .goal = 3}, {.start = 3, .goal = 2}, {.start = 2, .goal = 0}};
  hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 4}};
  const char * const words[] = {"E", "S", "W", "N"};
  assert_int_equal(weave(&hand, words, FW_RINGS_REFUSED), FW_RET_UNSUPPORTED);
  assert_non_null(strstr(hand.error.text, "rotate in a ring"));
  assert_int_equal(fw_execution_stats(&hand.execution).splices, 0);
  fw_execution_fini(&hand.execution);

  assert_int_equal(weave(&hand, words, FW_RINGS_TOGETHER), FW_RET_OK);
  assert_int_equal(fw_execution_stats(&hand.execution).rings, 1);
  for (int32_t robot = 0; robot < 4; ++robot) {
    ASSERT_ON(&hand, robot, 0, 1);
  }
  fw_execution_fini(&hand.execution);
}

// The ring waits for the last of its robots, who has another motion before.
static void a_ring_waits_for_who_is_not_ready(void ** state)
{
  (void)state;
  DRAW(grid, "...", "..#");
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 1}, {.start = 2, .goal = 4}, {.start = 4, .goal = 3}, {.start = 3, .goal = 0}};
  hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 4}};
  assert_int_equal(weave(&hand, (const char * const[]){".E", "WS", ".W", ".N"}, FW_RINGS_TOGETHER), FW_RET_OK);
  ASSERT_ON(&hand, 0, 0, 0);
  ASSERT_ON(&hand, 1, 0, 1);
  assert_int_equal(status(&hand, 0).wait, FW_EXECUTION_WAIT_RING);
  assert_int_equal(status(&hand, 0).other, 1);
  at(&hand, 1, 1.0, 1.0, 0.0);
  for (int32_t robot = 0; robot < 4; ++robot) {
    assert_int_equal(status(&hand, robot).released, status(&hand, robot).end);
  }
  fw_execution_fini(&hand.execution);
}

// A ring of eight cells with seven robots and k = 1: the gap goes around, nothing is refused.
static void a_ring_with_a_gap_needs_no_group(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 3, .goal = 0}, {.start = 6, .goal = 3}};
  hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  assert_int_equal(weave(&hand, (const char * const[]){"E", ".N", "..N"}, FW_RINGS_REFUSED), FW_RET_OK);
  assert_int_equal(fw_execution_stats(&hand.execution).rings, 0);
  ASSERT_ON(&hand, 0, 0, 1);
  ASSERT_ON(&hand, 1, 0, 0);
  fw_execution_fini(&hand.execution);
}

// Followers in the same tick are no ring: they go one after the other.
static void a_train_goes_one_after_the_other(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 1, .goal = 2}, {.start = 2, .goal = 3}};
  hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3}};
  assert_int_equal(weave(&hand, (const char * const[]){"E", "E", "E"}, FW_RINGS_REFUSED), FW_RET_OK);
  ASSERT_ON(&hand, 0, 0, 0);
  ASSERT_ON(&hand, 2, 0, 1);
  assert_int_equal(status(&hand, 0).other, 1);
  assert_int_equal(status(&hand, 0).root, 2);
  at(&hand, 2, 1.0, 3.0, 0.0);
  ASSERT_ON(&hand, 1, 0, 1);
  ASSERT_ON(&hand, 0, 0, 0);
  fw_execution_fini(&hand.execution);
}

// Plans that are none: each is refused with the robots' numbers, and the execution stays empty.
static void plans_in_which_robots_meet_are_refused(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 2, .goal = 6}};
  static const char * const words[][2] = {
    {"EEE", ""},     // into one who stays
    {"EE", "WW"},    // through each other
    {"EE", "...S"},  // into one who leaves too late
    {"EE", ".S"},    // into one who leaves in the next tick but one, at once
    {"E.", "W."},    // both to one cell
    {"N", "S"},      // out of the grid
  };
  for (int32_t i = 0; i < TEST_COUNT(words); ++i) {
    hand_t hand = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2}};
    const fw_ret_t ret = weave(&hand, words[i], FW_RINGS_TOGETHER);
    if (i != 3) {
      assert_int_equal(ret, FW_RET_INVALID_ARGUMENT);
      assert_non_null(strstr(hand.error.text, "robot 0"));
      assert_int_equal(
        fw_execution_robot(&hand.execution, 0, &(fw_execution_status_t){0}, NULL), FW_RET_INVALID_ARGUMENT);
    } else {
      assert_int_equal(ret, FW_RET_OK);  // that is following, which is allowed
    }
    fw_execution_fini(&hand.execution);
  }
}

// ---- random plans against the definition ----------------------------------------------------------------------------

// What a node of the graph makes sure of: for each robot, the last of its nodes that must have been reached when the
// motion to the node begins. By going through all edges in order.
static void close_up(const fw__dependency_graph_t * graph, int32_t * known)
{
  const int32_t robots = graph->slot_count;
  for (int32_t i = 0; i < graph->node_count; ++i) {
    const int32_t node = graph->topological_order[i];
    int32_t * row = known + node * robots;
    const int32_t m = node - graph->first[graph->nodes[node].robot];
    for (int32_t r = 0; r < robots; ++r) {
      row[r] = m > 0 ? row[r - robots] : 0;
    }
    row[graph->nodes[node].robot] = m > 0 ? m - 1 : 0;
    for (int32_t e = graph->in_first[node]; e < graph->in_first[node + 1]; ++e) {
      const int32_t source = graph->in[e].source;
      const int32_t owner = graph->nodes[source].robot;
      assert_true(graph->order_index[source] < graph->order_index[node]);
      for (int32_t r = 0; r < robots; ++r) {
        const int32_t other = known[source * robots + r];
        row[r] = other > row[r] ? other : row[r];
      }
      const int32_t reached = source - graph->first[owner];
      row[owner] = reached > row[owner] ? reached : row[owner];
    }
  }
}

static bool sweeps(const fw__dependency_graph_t * graph, int32_t node, fw_offset_t spot)
{
  const fw__swept_cells_t swept = fw__dependency_graph_swept(graph, node);
  const int32_t dx = spot.dx - fw_grid_x(&graph->grid, swept.origin);
  const int32_t dy = spot.dy - fw_grid_y(&graph->grid, swept.origin);
  return fw__footprint_has(swept.parts[0], dx, dy) || fw__footprint_has(swept.parts[1], dx, dy);
}

// The definition: of two motions of different robots that share a cell, the one that is later in the plan begins when the
// other is over, and all that the earlier robot does there before it goes away.
static void check_pair(const fw__dependency_graph_t * graph, const int32_t * known, int32_t a, int32_t b)
{
  const fw__dependency_node_t * earlier = &graph->nodes[a];
  const fw__dependency_node_t * later = &graph->nodes[b];
  const int32_t local = a - graph->first[earlier->robot];
  if (earlier->robot == later->robot || earlier->depart > later->depart || earlier->arrive > later->arrive) {
    return;
  }
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&graph->grid); ++cell) {
    const fw_offset_t spot = {fw_grid_x(&graph->grid, cell), fw_grid_y(&graph->grid, cell)};
    const bool stood =
      fw__sweep_table_stands_on(graph->sweep_tables[later->robot], &graph->grid, graph->nodes[b - 1].pose, spot);
    if (sweeps(graph, a, spot) && sweeps(graph, b, spot) && !stood) {
      assert_true(known[b * graph->slot_count + earlier->robot] >= local);
    }
  }
}

static void the_graph_is_what_the_definition_asks_for(void ** state)
{
  (void)state;
  int32_t edges = 0, redundant = 0;
  for (int32_t number = 0; number < test_rounds(60); ++number) {
    world_t world;
    world_make(&world, (uint64_t)(7000 + number), WORLD_ALL & ~WORLD_COSTS, 16);
    world.problem.robust_ticks = 1 + number % 2;
    for (int32_t r = 0; r < world.problem.robot_count; r += 2) {
      const fw_robot_t before = world.robots[r];
      world.robots[r].turn_ticks = 1 + number % 3;
      world.robots[r] = fw_problem_check(&world.problem, NULL) == FW_RET_OK ? world.robots[r] : before;
    }
    fw_planner_t planner;
    fw_plan_t plan;
    fw_execution_t execution;
    assert_int_equal(fw_planner_init(&planner, "hca", NULL, NULL), FW_RET_OK);
    assert_true(solvable_solve(&planner, &world, &plan));
    assert_int_equal(fw_execution_init(&execution, NULL, NULL), FW_RET_OK);
    const fw_execution_splice_t splice = {.problem = &world.problem, .plan = &plan};
    assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
    const fw__dependency_graph_t * graph = fw__execution_graph_const(execution.impl);
    int32_t * known = calloc((size_t)graph->node_count * (size_t)graph->slot_count + 1, sizeof(*known));
    assert_non_null(known);
    close_up(graph, known);
    for (int32_t a = 1; a < graph->node_count; ++a) {
      for (int32_t b = 1; b < graph->node_count; ++b) {
        if (graph->nodes[a].robot == graph->nodes[a - 1].robot && graph->nodes[b].robot == graph->nodes[b - 1].robot) {
          check_pair(graph, known, a, b);
        }
      }
    }
    // Along two ways each edge asks for more than those before it.
    for (int32_t e = 0; e < graph->edge_count; ++e) {
      for (int32_t f = 0; f < e; ++f) {
        const fw__dependency_edge_t one = graph->in[f], other = graph->in[e];
        const bool are_same = graph->nodes[one.target].robot == graph->nodes[other.target].robot &&
                              graph->nodes[one.source].robot == graph->nodes[other.source].robot;
        assert_true(!are_same || (one.source < other.source && one.target < other.target));
      }
    }
    edges += graph->edge_count;
    redundant += graph->redundant_count;
    free(known);
    fw_execution_fini(&execution);
    fw_planner_fini(&planner);
    world_fini(&world);
  }
  assert_true(edges > 300 && redundant > 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_robot_alone_is_released_to_its_end),
    cmocka_unit_test(who_follows_enters_what_was_left),
    cmocka_unit_test(a_cell_is_left_when_the_whole_body_has_left_it),
    cmocka_unit_test(diagonals_cross_one_after_the_other),
    cmocka_unit_test(what_follows_from_others_is_removed),
    cmocka_unit_test(a_ring_rotates_together_or_not_at_all),
    cmocka_unit_test(a_ring_waits_for_who_is_not_ready),
    cmocka_unit_test(a_ring_with_a_gap_needs_no_group),
    cmocka_unit_test(a_train_goes_one_after_the_other),
    cmocka_unit_test(plans_in_which_robots_meet_are_refused),
    cmocka_unit_test(the_graph_is_what_the_definition_asks_for),
  };
  return TEST_RUN(tests);
}
