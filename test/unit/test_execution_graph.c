// The dependency graph: complete by the definition, for random plans; and its validation, which finds what is
// corrupted.

#include "execution/execution.h"
#include "fleetweave/planner_def.h"
#include "support/draw.h"
#include "support/letters.h"
#include "support/solvable.h"
#include "support/test.h"
#include "support/world.h"

// ---- random plans against the definition ----------------------------------------------------------------------------

// The transitive closure of the graph: for each node and each robot, the last node of that robot that must have been
// reached when the motion to the node begins.
static void find_closure(const fw_dependency_graph_t * graph, int32_t * known)
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

static bool sweeps(const fw_dependency_graph_t * graph, int32_t node, fw_offset_t spot)
{
  const fw_swept_cells_t swept = fw__dependency_graph_swept(graph, node);
  const int32_t dx = spot.dx - fw_grid_x(&graph->grid, swept.origin);
  const int32_t dy = spot.dy - fw_grid_y(&graph->grid, swept.origin);
  return fw__footprint_has(swept.parts[0], dx, dy) || fw__footprint_has(swept.parts[1], dx, dy);
}

// The definition: of two motions of different robots that share a cell, the later one in the plan begins when the other
// is over, and when all else is over that the earlier robot does on the cell before it leaves.
static void check_pair(const fw_dependency_graph_t * graph, const int32_t * known, int32_t a, int32_t b)
{
  const fw_dependency_node_t * earlier = &graph->nodes[a];
  const fw_dependency_node_t * later = &graph->nodes[b];
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

static void the_graph_has_all_dependencies_of_the_definition(void ** state)
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
    const fw_dependency_graph_t * graph = fw__execution_graph_const(execution.impl);
    int32_t * known = calloc((size_t)graph->node_count * (size_t)graph->slot_count + 1, sizeof(*known));
    assert_non_null(known);
    find_closure(graph, known);
    for (int32_t a = 1; a < graph->node_count; ++a) {
      for (int32_t b = 1; b < graph->node_count; ++b) {
        if (graph->nodes[a].robot == graph->nodes[a - 1].robot && graph->nodes[b].robot == graph->nodes[b - 1].robot) {
          check_pair(graph, known, a, b);
        }
      }
    }
    // Between two robots each edge goes further than those before it, at both ends.
    for (int32_t e = 0; e < graph->edge_count; ++e) {
      for (int32_t f = 0; f < e; ++f) {
        const fw_dependency_edge_t one = graph->in[f], other = graph->in[e];
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

// ---- validation -----------------------------------------------------------------------------------------------------

// Three robots in a lane and a crossing: several edges, and an order that matters.
typedef struct lane_t {
  fw_execution_t execution;
  fw_execution_impl_t * impl;
  fw_dependency_graph_t * graph;
} lane_t;

static void make_lane(lane_t * lane, bool is_ring)
{
  DRAW(grid, "......", "......");
  const fw_robot_t train[] = {{.start = 1, .goal = 5}, {.start = 0, .goal = 4}, {.start = 8, .goal = 2}};
  const fw_robot_t rotating[] = {
    {.start = 0, .goal = 1}, {.start = 1, .goal = 7}, {.start = 7, .goal = 6}, {.start = 6, .goal = 0}};
  const fw_problem_t problem = {
    .grid = &grid,
    .robots = is_ring ? rotating : train,
    .robot_count = is_ring ? 4 : 3,
    .robust_ticks = is_ring ? 0 : 1,
  };
  static letters_t letters;
  letters_plan(
    &letters, &problem,
    is_ring ? (const char * const[]){"E", "S", "W", "N"} : (const char * const[]){"EEEE", ".EEEE", ".......N"});
  fw_execution_options_t options = fw_execution_options_default();
  options.rings = FW_RINGS_TOGETHER;
  assert_int_equal(fw_execution_init(&lane->execution, &options, NULL), FW_RET_OK);
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &letters.plan};
  assert_int_equal(fw_execution_splice(&lane->execution, &splice, NULL), FW_RET_OK);
  lane->impl = lane->execution.impl;
  lane->graph = fw__execution_graph(lane->impl);
  assert_true(fw__dependency_graph_validate(lane->graph));
  assert_true(fw__execution_validate(lane->impl));
}

// Changes one number, expects that the graph is found invalid, and changes it back.
static void assert_finds(lane_t * lane, int32_t * number, int32_t value)
{
  const int32_t before = *number;
  assert_int_not_equal(before, value);
  *number = value;
  assert_false(fw__dependency_graph_validate(lane->graph));
  assert_false(fw__execution_validate(lane->impl));
  *number = before;
  assert_true(fw__dependency_graph_validate(lane->graph));
}

static void validation_finds_a_corrupted_graph(void ** state)
{
  (void)state;
  lane_t lane;
  make_lane(&lane, false);
  fw_dependency_graph_t * graph = lane.graph;
  assert_true(graph->edge_count >= 4 && graph->node_count >= 10);
  const int32_t last = graph->first[1] - 1;                            // of robot 0
  assert_finds(&lane, &graph->first[1], graph->first[1] + 1);          // a node of another robot
  assert_finds(&lane, &graph->nodes[last].robot, 1);                   // the same
  assert_finds(&lane, &graph->nodes[last].arrive, 0);                  // before the node before it
  assert_finds(&lane, &graph->nodes[last].self_dependency, last + 1);  // on a later node
  assert_finds(&lane, &graph->nodes[last].pose.cell, 12);              // outside the grid
  assert_finds(&lane, &graph->nodes[last].ring, 0);                    // there is no ring
  assert_finds(&lane, &graph->in[0].target, graph->in[0].target + 1);  // in the list of another node
  assert_finds(&lane, &graph->in[0].source, graph->in[0].target - 1);  // an edge from the robot itself
  assert_finds(&lane, &graph->in[0].source, graph->node_count);        // out of range
  assert_finds(&lane, &graph->in_first[graph->node_count], graph->edge_count - 1);
  assert_finds(&lane, &graph->out[0], graph->out[0] + 1);  // the lists differ
  assert_finds(&lane, &graph->edge_count, graph->edge_count + 1);
  assert_finds(&lane, &graph->topological_order[2], graph->topological_order[3]);  // a node twice
  // An edge that leads backward: its two nodes change places in the order.
  const int32_t source = graph->in[0].source, target = graph->in[0].target;
  const int32_t early = graph->order_index[source], late = graph->order_index[target];
  assert_true(early < late);
  graph->order_index[source] = late;
  graph->topological_order[late] = source;
  graph->order_index[target] = early;
  graph->topological_order[early] = target;
  assert_false(fw__dependency_graph_validate(graph));
  fw_execution_fini(&lane.execution);

  make_lane(&lane, true);
  assert_int_equal(lane.graph->ring_count, 1);
  assert_finds(&lane, &lane.graph->nodes[lane.graph->ring_nodes[1]].ring, -1);
  assert_finds(&lane, &lane.graph->ring_first[1], 1);
  fw_execution_fini(&lane.execution);
}

static void validation_finds_a_release_without_its_dependencies(void ** state)
{
  (void)state;
  lane_t lane;
  make_lane(&lane, false);
  lane.impl->options.rings = FW_RINGS_REFUSED;  // with rings, the two could be what is left of one
  fw_robot_slot_t * follower = &lane.impl->slots[1];
  assert_int_equal(follower->released, 0);
  follower->released = 1;  // robot 0 has not left
  assert_false(fw__execution_validate(lane.impl));
  follower->released = 0;
  follower->stop_at = 1;  // beyond its release
  assert_false(fw__execution_validate(lane.impl));
  follower->stop_at = 0;
  assert_true(fw__execution_validate(lane.impl));
  lane.impl->off_path_count = 1;
  assert_false(fw__execution_validate(lane.impl));
  fw_execution_fini(&lane.execution);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_graph_has_all_dependencies_of_the_definition),
    cmocka_unit_test(validation_finds_a_corrupted_graph),
    cmocka_unit_test(validation_finds_a_release_without_its_dependencies),
  };
  return TEST_RUN(tests);
}
