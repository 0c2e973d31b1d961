// Replanning while robots drive: the cut of the old plan, and the splice of a new one behind it.
//
//   graph in force   o===o===o---o | - - - -       reached, released, up to the cut; the rest is dropped
//   next graph           o===o---o-+-o---o---o     from where the robot is, over the cut, along its new path
//
// On the logical clock the new part comes after all that is left of the old: no robot on the near side of the cut waits
// for one behind it, so the graph stays without cycles, and the old part can be driven to its end whatever the new part
// is like. A robot that enters by the new plan what another still covers by the old one depends on it, as with any two
// visits.
//
// The next graph is built beside the one in force, in memory of its own. Only when it is complete and has passed all
// checks are the robots moved to it, which cannot fail.

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "execution/execution.h"
#include "world/problem.h"

// ---- the cut --------------------------------------------------------------------------------------------------------

// Everything that is released is on the near side of the cut. More is added in topological order: a node that is
// expected soon enough, if the node before it and all its dependencies are on the near side too. So nothing on the near
// side depends on anything behind the cut. Two robots cannot overlap at the cut: of two visits to a cell the later one
// depends on the end of the earlier.

// Is a robot between two nodes, so that it has to drive back when it is withdrawn?
static bool is_between_waypoints(const fw_robot_slot_t * slot) { return slot->fraction > 1e-6; }

// Is the node on the near side?
static bool is_within(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const int32_t robot = graph->nodes[node].robot;
  return node <= graph->first[robot] + execution->slots[robot].release_limit;
}

// Can the cut move over this node, which is the next one of its robot?
static bool can_follow(const fw_execution_impl_t * execution, int32_t node, double until)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const fw_dependency_node_t * to = &graph->nodes[node];
  const fw_robot_slot_t * slot = &execution->slots[to->robot];
  int32_t by = -1;
  bool can = node == graph->first[to->robot] + slot->release_limit + 1;
  if (!slot->is_removed) {
    can = can && !slot->is_withdrawn && !slot->is_held && slot->stop_at == slot->released && to->expected <= until &&
          fw__release_find_obstacle(execution, node, &by) == FW_CELL_NONE;
  }
  for (int32_t i = graph->in_first[node]; i < graph->in_first[node + 1] && can; ++i) {
    const int32_t source = graph->in[i].source;
    can = is_within(execution, source) || (to->ring >= 0 && graph->nodes[source].ring == to->ring);
  }
  return can;
}

// The cut moves over a ring as a whole or not at all.
static void extend_ring(fw_execution_impl_t * execution, int32_t ring, double until)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  bool can = true;
  for (int32_t i = graph->ring_first[ring]; i < graph->ring_first[ring + 1] && can; ++i) {
    can = is_within(execution, graph->ring_nodes[i]) || can_follow(execution, graph->ring_nodes[i], until);
  }
  for (int32_t i = graph->ring_first[ring]; i < graph->ring_first[ring + 1] && can; ++i) {
    execution->slots[graph->nodes[graph->ring_nodes[i]].robot].release_limit +=
      is_within(execution, graph->ring_nodes[i]) ? 0 : 1;
  }
}

// Sets the release limit of all robots to the cut: what is released, and what is expected up to `until` (-INFINITY:
// nothing more). A cut in place of a cut never moves back.
static void apply_cut(fw_execution_impl_t * execution, double until)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw_robot_slot_t * slot = &execution->slots[robot];
    const int32_t released = slot->is_withdrawn ? slot->reached : slot->released;
    slot->release_limit =
      execution->is_cut && slot->release_limit > released && !slot->is_withdrawn ? slot->release_limit : released;
  }
  for (int32_t i = 0; i < graph->node_count && until > -INFINITY; ++i) {
    const int32_t node = graph->topological_order[i];
    const int32_t ring = graph->nodes[node].ring;
    if (ring < 0 && can_follow(execution, node, until)) {
      ++execution->slots[graph->nodes[node].robot].release_limit;
    } else if (ring >= 0 && node == graph->ring_nodes[graph->ring_first[ring]]) {
      extend_ring(execution, ring, until);
    }
  }
  execution->is_cut = true;
}

// The old plan is in force to its end again.
static void undo_cut(fw_execution_impl_t * execution)
{
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    if (execution->slots[robot].is_present) {
      execution->slots[robot].release_limit = fw__execution_end(execution, robot);
    }
  }
  execution->is_cut = false;
}

// The pose at which the robot will be at the cut.
static fw_grid_pose_t cut_pose(const fw_execution_impl_t * execution, int32_t robot)
{
  FW_ASSERT(execution->is_cut && execution->slots[robot].release_limit <= fw__execution_end(execution, robot));
  return fw__dependency_graph_node(fw__execution_graph_const(execution), robot, execution->slots[robot].release_limit)
    ->pose;
}

fw_ret_t fw_execution_cut(
  fw_execution_t * execution, double ahead_seconds, fw_execution_cut_t * cut, fw_error_t * error)
{
  fw_execution_impl_t * impl = execution->impl;
  *cut = (fw_execution_cut_t){.ends = impl->ends};
  if (!(ahead_seconds >= 0.0)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "ahead_seconds of a cut must be 0 or more, not %g", ahead_seconds);
  }
  fw__retiming_update(impl);
  apply_cut(impl, ahead_seconds > 0.0 ? impl->now + ahead_seconds : -INFINITY);
  for (int32_t robot = 0; robot < impl->slot_count; ++robot) {
    const fw_robot_slot_t * slot = &impl->slots[robot];
    if (slot->is_present) {
      const fw_grid_pose_t pose = cut_pose(impl, robot);
      const bool is_reverse = slot->is_withdrawn && is_between_waypoints(slot);
      FW_ASSERT(cut->count < impl->slot_capacity);
      impl->ends[cut->count++] = (fw_execution_end_t){
        .robot = robot,
        .cell = pose.cell,
        .heading = pose.heading,
        .expected = fw__dependency_graph_node(fw__execution_graph(impl), robot, slot->release_limit)->expected,
        .is_standing = slot->reached == slot->release_limit && !is_reverse,
      };
    }
  }
  return FW_RET_OK;
}

void fw_execution_uncut(fw_execution_t * execution)
{
  if (execution->impl->is_cut) {
    undo_cut(execution->impl);
    fw__release_enqueue_all(execution->impl);
    fw__release_process_queue(execution->impl);
  }
}

// ---- nodes of the next graph ----------------------------------------------------------------------------------------

// What nodes are made from.
typedef struct node_source_t {
  const fw_execution_impl_t * execution;  // with the graph in force
  const fw_path_t * paths;                // of the new plan by slot; length 0 for robots without
  const fw_problem_t * problem;           // for its closures
  fw_tick_t until;                        // later ticks of the paths are not used
  double time;                            // of the new plan's tick 0
} node_source_t;

typedef struct node_builder_t {
  const fw_dependency_graph_build_t * build;
  const node_source_t * source;
  fw_dependency_graph_t * graph;
  int32_t tick_offset;  // logical tick of the new plan's tick 0
} node_builder_t;

// Distance of two cells.
static double length_of(const fw_grid_t * grid, fw_cell_t from, fw_cell_t to)
{
  const int32_t dx = fw_grid_x(grid, to) - fw_grid_x(grid, from);
  const int32_t dy = fw_grid_y(grid, to) - fw_grid_y(grid, from);
  return sqrt((double)(dx * dx + dy * dy));
}

// Does the robot have a path in the graph in force?
static bool is_old(const node_builder_t * builder, int32_t robot)
{
  return robot < builder->source->execution->slot_count && builder->source->execution->slots[robot].is_present;
}

static int32_t count_old_nodes(const node_builder_t * builder, int32_t robot)
{
  if (!is_old(builder, robot)) {
    return builder->source->paths[robot].length > 0 ? 1 : 0;
  }
  const fw_robot_slot_t * slot = &builder->source->execution->slots[robot];
  return slot->is_withdrawn ? (is_between_waypoints(slot) ? 2 : 1) : slot->release_limit - slot->reached + 1;
}

// Adds a node at the end of its robot's path.
static fw_dependency_node_t * append_node(node_builder_t * builder, fw_dependency_node_t node)
{
  fw_dependency_graph_t * graph = builder->graph;
  FW_ASSERT(graph->node_count < graph->first[node.robot + 1]);
  fw_dependency_node_t * place = &graph->nodes[graph->node_count];
  const bool is_first = graph->node_count == graph->first[node.robot];
  node.path_length =
    is_first ? 0.0 : place[-1].path_length + length_of(&graph->grid, place[-1].pose.cell, node.pose.cell);
  node.ring = -1;
  *place = node;
  ++graph->node_count;
  return place;
}

// What is left of the robot's path up to the cut. A withdrawn robot between two nodes drives back: its path begins at
// the node that it had not reached, with the motion that it had begun in reverse.
static void add_old_nodes(node_builder_t * builder, int32_t robot)
{
  const fw_dependency_graph_t * old = fw__execution_graph_const(builder->source->execution);
  const fw_robot_slot_t * slot = &builder->source->execution->slots[robot];
  const fw_dependency_node_t * here = fw__dependency_graph_node(old, robot, slot->reached);
  FW_ASSERT(slot->is_withdrawn || (slot->released <= slot->release_limit && slot->reached <= slot->released));
  if (!slot->is_withdrawn) {
    for (int32_t i = 0; i <= slot->release_limit - slot->reached; ++i) {
      (void)append_node(builder, here[i]);
    }
  } else if (!is_between_waypoints(slot)) {
    (void)append_node(builder, *here);
  } else {
    fw_dependency_node_t there = here[1];
    fw_dependency_node_t back = here[1];
    there.expected = here->expected;
    back.pose = here->pose;
    back.is_reverse = !here[1].is_reverse;
    (void)append_node(builder, there);
    (void)append_node(builder, back);
  }
}

// The tick at which the robot has left a cell that it enters with the motion that ends at tick `at`; FW_TICK_MAX:
// never.
static fw_tick_t leaves_at(const node_builder_t * builder, int32_t robot, int32_t at, fw_offset_t spot)
{
  const fw_path_t * path = &builder->source->paths[robot];
  const fw_dependency_graph_t * graph = builder->graph;
  fw_tick_t tick = at;
  while (tick < path->length &&
         fw__sweep_table_stands_on(graph->sweep_tables[robot], &graph->grid, fw__path_pose(path, tick), spot)) {
    ++tick;
  }
  return tick < path->length ? tick : FW_TICK_MAX;
}

// A cell that is closed before the motion is entered only once it is open again, by the clock. A cell that will close
// is entered at most as late as still leaves it in time. Ticks of closures count from the plan's tick 0.
static void apply_closures(const node_builder_t * builder, fw_dependency_node_t * node, int32_t at, fw_tick_t depart)
{
  const fw_problem_t * problem = builder->source->problem;
  const fw_grid_t * grid = &builder->graph->grid;
  const double seconds = builder->source->execution->options.seconds_per_tick;
  const fw_swept_cells_t swept = fw__dependency_graph_swept(builder->graph, (int32_t)(node - builder->graph->nodes));
  for (int32_t c = 0; c < problem->closure_count; ++c) {
    const fw_closure_t closure = problem->closures[c];
    const fw_offset_t spot = {fw_grid_x(grid, closure.cell), fw_grid_y(grid, closure.cell)};
    const int32_t dx = spot.dx - fw_grid_x(grid, swept.origin);
    const int32_t dy = spot.dy - fw_grid_y(grid, swept.origin);
    if (!fw__footprint_has(swept.parts[1], dx, dy)) {
      continue;
    }
    const fw_tick_t leaves = leaves_at(builder, node->robot, at, spot);
    if (closure.to <= depart) {
      node->opens = fmax(node->opens, builder->source->time + seconds * (closure.to + 1));
    } else if (leaves <= closure.from) {
      node->closes = fmin(node->closes, builder->source->time + seconds * (depart + closure.from - leaves));
    }
  }
}

static fw_ret_t refuse_motion(const node_builder_t * builder, int32_t robot, fw_cell_t cell, fw_tick_t tick)
{
  const fw_grid_t * grid = &builder->graph->grid;
  return fw__error_at(
    builder->build->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, cell},
    "robot %d cannot be at (%d,%d) at tick %d of the plan: no motion of this robot leads there in time", robot,
    cell < 0 ? -1 : fw_grid_x(grid, cell), cell < 0 ? -1 : fw_grid_y(grid, cell), tick);
}

// The motion that ends at tick `at`, of a robot that has been at its last node since tick `since`.
static fw_ret_t add_motion(node_builder_t * builder, int32_t robot, int32_t at, fw_tick_t since)
{
  fw_dependency_graph_t * graph = builder->graph;
  const fw_path_t * path = &builder->source->paths[robot];
  const fw_sweep_table_t * table = graph->sweep_tables[robot];
  const fw_grid_pose_t from = graph->nodes[graph->node_count - 1].pose;
  const fw_grid_pose_t to = fw__path_pose(path, at);
  const int32_t ticks = fw__path_motion_ticks(path, at, table->body);
  const bool is_pose = to.cell >= 0 && to.cell < fw_grid_cell_count(&graph->grid) && to.heading < FW_HEADING_COUNT;
  if (!is_pose || at - ticks < since || !fw__sweep_table_connects(table, &graph->grid, from, to)) {
    return refuse_motion(builder, robot, to.cell, at);
  }
  const fw_swept_cells_t swept = fw__sweep_table_motion(table, &graph->grid, from, to);
  if (!fw__swept_cells_are_inside(&swept, &graph->grid)) {
    return refuse_motion(builder, robot, to.cell, at);
  }
  const double seconds = builder->source->execution->options.seconds_per_tick;
  fw_dependency_node_t * node = append_node(
    builder, (fw_dependency_node_t){
               .pose = to,
               .robot = robot,
               .depart = builder->tick_offset + at - ticks,
               .arrive = builder->tick_offset + at,
               .seconds = seconds * ticks,
               .planned = builder->source->time + seconds * at,
               .expected = builder->source->time + seconds * at,
               .opens = -INFINITY,
               .closes = INFINITY,
             });
  apply_closures(builder, node, at, at - ticks);
  return FW_RET_OK;
}

// The robot's path by the new plan.
static fw_ret_t add_new_nodes(node_builder_t * builder, int32_t robot)
{
  const fw_path_t * path = &builder->source->paths[robot];
  fw_tick_t since = 0;
  fw_ret_t ret = FW_RET_OK;
  for (int32_t at = 1; at < path->length && at <= builder->source->until && ret == FW_RET_OK; ++at) {
    if (fw__path_arrives(path, at)) {
      ret = add_motion(builder, robot, at, since);
      since = at;
    }
  }
  return ret;
}

static int32_t count_new_nodes(const node_builder_t * builder, int32_t robot)
{
  const fw_path_t * path = &builder->source->paths[robot];
  int32_t count = 0;
  for (int32_t at = 1; at < path->length && at <= builder->source->until; ++at) {
    count += fw__path_arrives(path, at) ? 1 : 0;
  }
  return count;
}

// Counts the nodes of each robot and makes room for them.
static void allocate_nodes(node_builder_t * builder)
{
  fw_dependency_graph_t * graph = builder->graph;
  graph->first = fw__arena_allocate_zeroed(&graph->arena, (size_t)graph->slot_count + 1, sizeof(int32_t));
  for (int32_t robot = 0; graph->first != NULL && robot < graph->slot_count; ++robot) {
    graph->first[robot + 1] = graph->first[robot] + count_old_nodes(builder, robot) + count_new_nodes(builder, robot);
  }
  const size_t count = graph->first == NULL ? 0 : (size_t)graph->first[graph->slot_count];
  graph->nodes = fw__arena_allocate(&graph->arena, count + 1, sizeof(*graph->nodes));
}

// The latest logical tick that is left of the old plan; the new one comes after it.
static int32_t last_old_tick(const node_builder_t * builder)
{
  const fw_execution_impl_t * execution = builder->source->execution;
  const fw_dependency_graph_t * old = fw__execution_graph_const(execution);
  int32_t last = 0;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    const fw_robot_slot_t * slot = &execution->slots[robot];
    if (slot->is_present) {
      const int32_t next = slot->reached < fw__execution_end(execution, robot) ? slot->reached + 1 : slot->reached;
      const int32_t tick =
        fw__dependency_graph_node(old, robot, slot->release_limit > next ? slot->release_limit : next)->arrive;
      last = tick > last ? tick : last;
    }
  }
  return last;
}

// The nodes of all robots.
static fw_ret_t make_nodes(const fw_dependency_graph_build_t * build, const node_source_t * source)
{
  node_builder_t builder = {.build = build, .source = source, .graph = build->graph};
  builder.tick_offset = last_old_tick(&builder) + 1;
  allocate_nodes(&builder);
  if (fw__arena_has_failed(&build->graph->arena)) {
    return fw__error_memory(build->error);
  }
  fw_ret_t ret = FW_RET_OK;
  for (int32_t robot = 0; robot < build->graph->slot_count && ret == FW_RET_OK; ++robot) {
    if (is_old(&builder, robot)) {
      add_old_nodes(&builder, robot);
    } else if (source->paths[robot].length > 0) {
      (void)append_node(
        &builder, (fw_dependency_node_t){
                    .pose = fw__path_pose(&source->paths[robot], 0),
                    .robot = robot,
                    .depart = builder.tick_offset,
                    .arrive = builder.tick_offset,
                    .planned = source->time,
                    .expected = source->time,
                    .opens = -INFINITY,
                    .closes = INFINITY,
                  });
    }
    ret = add_new_nodes(&builder, robot);
  }
  FW_ASSERT(ret != FW_RET_OK || build->graph->node_count == build->graph->first[build->graph->slot_count]);
  return ret;
}

// ---- robots of a splice ---------------------------------------------------------------------------------------------

// One splice while it is under way.
typedef struct splicing_t {
  fw_execution_impl_t * execution;
  const fw_execution_splice_t * splice;
  fw_dependency_graph_t * graph;  // the next one
  fw_path_t * paths;              // by slot; length 0 for robots that are not in the problem
  int32_t slot_count;             // of the next graph
  fw_error_t * error;
} splicing_t;

// The caller's number of robot `index` of the problem.
static int32_t slot_of(const splicing_t * splicing, int32_t index)
{
  return splicing->splice->robots == NULL ? index : splicing->splice->robots[index];
}

// Numbers in range, and a path for each robot.
static fw_ret_t check_robots(const splicing_t * splicing)
{
  const fw_plan_t * plan = splicing->splice->plan;
  for (int32_t i = 0; i < splicing->splice->problem->robot_count; ++i) {
    const int32_t robot = slot_of(splicing, i);
    const fw_error_detail_t where = {.fault = FW_FAULT_INVALID, .robot = robot, .cell = FW_CELL_NONE};
    if (robot < 0 || robot >= FW_ROBOT_COUNT_MAX) {
      return fw__error_at(
        splicing->error, where, "robot %d of the problem is robot %d: it must be 0 to %d", i, robot,
        FW_ROBOT_COUNT_MAX - 1);
    }
    const fw_path_t * path = &plan->paths[i];
    const bool needs_headings = splicing->splice->problem->robots[i].turn_ticks > 0;
    if (path->length < 1 || path->cells == NULL || needs_headings != (path->headings != NULL)) {
      return fw__error_at(
        splicing->error, where,
        "robot %d has an empty path, or headings where it should have none, or none where it should", robot);
    }
  }
  return FW_RET_OK;
}

// Does the caller give a problem with a plan that can be used in this execution?
static fw_ret_t check_splice(const splicing_t * splicing)
{
  const fw_execution_splice_t * splice = splicing->splice;
  const fw_execution_impl_t * execution = splicing->execution;
  const fw_ret_t ret = fw__problem_check_with(splice->problem, &execution->options.allocator, splicing->error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (splice->plan == NULL || splice->plan->robot_count != splice->problem->robot_count || !isfinite(splice->time)) {
    return fw__error(
      splicing->error, FW_RET_INVALID_ARGUMENT,
      "a splice needs a plan with a path for each robot of the problem, and a finite time");
  }
  const fw_dependency_graph_t * old = fw__execution_graph_const(execution);
  const fw_grid_t * grid = splice->problem->grid;
  bool is_empty = true;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    is_empty = is_empty && !execution->slots[robot].is_present;
  }
  if (
    !is_empty && (old->grid.width != grid->width || old->grid.height != grid->height ||
                  old->problem.connectivity != fw__problem_connectivity(splice->problem))) {
    return fw__error(
      splicing->error, FW_RET_UNSUPPORTED,
      "the size of the grid or the connectivity differs from the plan in force: remove all robots first");
  }
  return check_robots(splicing);
}

static bool is_same_shape(const fw_robot_t * a, const fw_robot_t * b)
{
  const fw_footprint_t one = fw__footprint_of(a);
  const fw_footprint_t other = fw__footprint_of(b);
  return one.count == other.count && a->turn_ticks == b->turn_ticks && a->sweeps_sides == b->sweeps_sides &&
         memcmp(one.cells, other.cells, (size_t)one.count * sizeof(*one.cells)) == 0;
}

// A robot that is present must start where it will be at the cut, and have the same shape as before.
static fw_ret_t check_start(const splicing_t * splicing, int32_t index)
{
  const int32_t robot = slot_of(splicing, index);
  const fw_robot_t * shape = &splicing->splice->problem->robots[index];
  const fw_path_t * path = &splicing->splice->plan->paths[index];
  const fw_grid_t * grid = splicing->splice->problem->grid;
  const fw_robot_slot_t * slot = fw__execution_slot(splicing->execution, robot);
  fw_grid_pose_t start = {.cell = shape->start, .heading = shape->turn_ticks > 0 ? shape->heading : 0};
  if (slot != NULL) {
    if (!is_same_shape(shape, &fw__execution_graph_const(splicing->execution)->problem.robots[robot])) {
      (void)fw__error_at(
        splicing->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE},
        "robot %d has another footprint or turn time than before: remove it first", robot);
      return FW_RET_UNSUPPORTED;
    }
    start = cut_pose(splicing->execution, robot);
  }
  if (!fw__grid_pose_equals(fw__path_pose(path, 0), start)) {
    return fw__error_at(
      splicing->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, path->cells[0]},
      "the path of robot %d must begin at (%d,%d), facing %s", robot, fw_grid_x(grid, start.cell),
      fw_grid_y(grid, start.cell), fw_heading_name(start.heading));
  }
  return FW_RET_OK;
}

// A copy with a footprint of its own. Without memory the arena remembers.
static void copy_robot(fw_dependency_graph_t * graph, fw_robot_t * copy, const fw_robot_t * robot)
{
  const fw_footprint_t footprint = fw__footprint_of(robot);
  fw_offset_t * cells = fw__arena_allocate(&graph->arena, (size_t)footprint.count, sizeof(*cells));
  if (cells == NULL) {
    return;
  }
  memcpy(cells, footprint.cells, (size_t)footprint.count * sizeof(*cells));
  *copy = *robot;
  copy->ticks_per_move = robot->ticks_per_move == 0 ? 1 : robot->ticks_per_move;
  copy->footprint = cells;
  copy->footprint_count = footprint.count;
}

// Robots by slot with their paths and sweep tables, each from where it will be at the cut.
static fw_ret_t gather_robots(splicing_t * splicing)
{
  const fw_problem_t * problem = splicing->splice->problem;
  fw_execution_impl_t * execution = splicing->execution;
  const fw_dependency_graph_t * old = fw__execution_graph_const(execution);
  fw_dependency_graph_t * graph = splicing->graph;
  const size_t count = (size_t)splicing->slot_count + 1;
  fw_robot_t * robots = fw__arena_allocate_zeroed(&graph->arena, count, sizeof(*robots));
  splicing->paths = fw__arena_allocate_zeroed(&execution->scratch, count, sizeof(*splicing->paths));
  if (robots == NULL || splicing->paths == NULL) {
    return fw__error_memory(splicing->error);
  }
  for (int32_t i = 0; i < problem->robot_count; ++i) {
    const int32_t robot = slot_of(splicing, i);
    FW_ASSERT(robot >= 0 && robot < splicing->slot_count);
    if (splicing->paths[robot].length > 0) {
      return fw__error_at(
        splicing->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE}, "robot %d is in the problem twice",
        robot);
    }
    const fw_ret_t ret = check_start(splicing, i);
    if (ret != FW_RET_OK) {
      return ret;
    }
    splicing->paths[robot] = splicing->splice->plan->paths[i];
    copy_robot(graph, &robots[robot], &problem->robots[i]);
  }
  for (int32_t robot = 0; robot < splicing->slot_count; ++robot) {
    if (splicing->paths[robot].length == 0) {
      const bool is_old = fw__execution_slot(execution, robot) != NULL;
      copy_robot(graph, &robots[robot], is_old ? &old->problem.robots[robot] : &(fw_robot_t){0});
    }
  }
  graph->slot_count = splicing->slot_count;
  graph->grid = (fw_grid_t){.width = problem->grid->width, .height = problem->grid->height};
  if (fw_grid_has_rules(problem->grid)) {
    const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
    graph->grid.rules = fw__arena_allocate(&graph->arena, cells, sizeof(*graph->grid.rules));
    if (graph->grid.rules != NULL) {
      memcpy(graph->grid.rules, problem->grid->rules, cells * sizeof(*graph->grid.rules));
    }
  }
  graph->problem = (fw_problem_t){
    .grid = &graph->grid,
    .robots = robots,
    .robot_count = splicing->slot_count,
    .connectivity = fw__problem_connectivity(problem),
    .cuts_corners = problem->cuts_corners,
    .robust_ticks = problem->robust_ticks,
  };
  if (fw__arena_has_failed(&graph->arena) || !fw__bodies_init(&graph->bodies, &graph->arena, &graph->problem)) {
    return fw__error_memory(splicing->error);
  }
  graph->sweep_tables = fw__sweep_tables_make(&graph->arena, &graph->bodies);
  return fw__arena_has_failed(&graph->arena) ? fw__error_memory(splicing->error) : FW_RET_OK;
}

// ---- the splice -----------------------------------------------------------------------------------------------------

// A new robot must not stand on space that is released to another. If it stands on a path that is not released yet,
// there is an edge against the order of time, which fw__dependency_graph_build has refused.
static fw_ret_t check_released(const splicing_t * splicing)
{
  const fw_dependency_graph_t * graph = splicing->graph;
  const fw_execution_impl_t * execution = splicing->execution;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    const fw_robot_slot_t * slot = fw__execution_slot(execution, robot);
    if (slot == NULL || slot->is_withdrawn) {
      continue;
    }
    const int32_t last = graph->first[robot] + slot->released - slot->reached;
    for (int32_t i = graph->in_first[graph->first[robot]]; i < graph->in_first[last + 1]; ++i) {
      const int32_t other = graph->nodes[graph->in[i].source].robot;
      if (fw__execution_slot(execution, other) == NULL) {
        return fw__error_at(
          splicing->error, (fw_error_detail_t){FW_FAULT_INVALID, other, graph->in[i].cell},
          "new robot %d stands on (%d,%d), which is released to robot %d", other,
          fw_grid_x(&graph->grid, graph->in[i].cell), fw_grid_y(&graph->grid, graph->in[i].cell), robot);
      }
    }
  }
  return FW_RET_OK;
}

// By slot: how many nodes of the next graph, behind the first, are released already. NULL when there is no memory.
static const int32_t * list_released(const splicing_t * splicing)
{
  const fw_execution_impl_t * execution = splicing->execution;
  int32_t * released =
    fw__arena_allocate_zeroed(&splicing->execution->scratch, (size_t)splicing->slot_count + 1, sizeof(*released));
  for (int32_t robot = 0; robot < execution->slot_count && released != NULL; ++robot) {
    const fw_robot_slot_t * slot = fw__execution_slot(execution, robot);
    if (slot != NULL) {  // one that is withdrawn may be on its way to the first
      released[robot] = slot->is_withdrawn ? 1 : slot->released - slot->reached;
    }
  }
  return released;
}

// Builds the next graph. The one in force is only read.
static fw_ret_t make_graph(splicing_t * splicing)
{
  fw_execution_impl_t * execution = splicing->execution;
  fw_dependency_graph_t * graph = splicing->graph;
  const fw_arena_t arena = graph->arena;
  *graph = (fw_dependency_graph_t){.arena = arena};
  fw__arena_reset(&graph->arena);
  fw__arena_reset(&execution->scratch);
  fw_ret_t ret = gather_robots(splicing);
  fw_dependency_graph_build_t build = {
    .graph = graph, .scratch = &execution->scratch, .error = splicing->error, .rings = execution->options.rings};
  if (ret == FW_RET_OK) {
    const node_source_t source = {
      .execution = execution,
      .paths = splicing->paths,
      .problem = splicing->splice->problem,
      .until = splicing->splice->plan->safe_until,
      .time = splicing->splice->time,
    };
    ret = make_nodes(&build, &source);
  }
  if (ret == FW_RET_OK) {
    build.released = list_released(splicing);
    ret = build.released == NULL ? fw__error_memory(splicing->error) : fw__dependency_graph_build(&build);
  }
  return ret == FW_RET_OK ? check_released(splicing) : ret;
}

// Makes room for `count` slots and for all lists that have one entry per slot. False when there is no memory; nothing
// has changed then.
static bool reserve_slots(fw_execution_impl_t * execution, int32_t count)
{
  while (execution->slot_capacity < count || execution->slots == NULL) {
    int32_t capacity = execution->slot_capacity;
    fw_robot_slot_t * slots = fw__arena_grow(&execution->keep, execution->slots, sizeof(*slots), &capacity);
    int32_t * queue = fw__arena_allocate(&execution->keep, (size_t)capacity, sizeof(*queue));
    int32_t * changed = fw__arena_allocate(&execution->keep, 2 * (size_t)capacity, sizeof(*changed));
    fw_execution_end_t * ends = fw__arena_allocate(&execution->keep, (size_t)capacity, sizeof(*ends));
    if (slots == NULL || queue == NULL || changed == NULL || ends == NULL) {
      return false;
    }
    if (execution->changed_count > 0) {
      memcpy(changed, execution->changed[0], (size_t)execution->changed_count * sizeof(*changed));
    }
    execution->slots = slots;
    FW_ASSERT(execution->queue_count == 0);  // the queue is empty between calls
    execution->queue = queue;
    execution->queue_first = 0;
    execution->changed[0] = changed;
    execution->changed[1] = changed + capacity;
    execution->ends = ends;
    execution->slot_capacity = capacity;
  }
  return true;
}

// Nodes of the next graph are counted from where the robot is: node `reached` becomes node 0.
static void rebase_slot(const splicing_t * splicing, int32_t robot)
{
  fw_robot_slot_t * slot = &splicing->execution->slots[robot];
  const bool is_between = slot->is_withdrawn && is_between_waypoints(slot);
  slot->base += slot->is_withdrawn ? slot->released : slot->reached;
  slot->released = slot->is_withdrawn ? (is_between ? 1 : 0) : slot->released - slot->reached;
  slot->fraction = slot->is_withdrawn ? (is_between ? 1.0 - slot->fraction : 0.0) : slot->fraction;
  slot->reached = slot->settled = 0;
  slot->is_withdrawn = false;
  FW_ASSERT(slot->released >= 0 && slot->released <= fw__execution_end(splicing->execution, robot));
}

// The next graph comes into force. Cannot fail.
static void activate_graph(const splicing_t * splicing)
{
  fw_execution_impl_t * execution = splicing->execution;
  const fw_grid_t before = fw__execution_graph(execution)->grid;
  FW_ASSERT(splicing->slot_count <= execution->slot_capacity && execution->queue_count == 0);
  execution->active = 1 - execution->active;
  fw_dependency_graph_t * graph = fw__execution_graph(execution);
  if (before.width != graph->grid.width || before.height != graph->grid.height) {
    execution->has_obstacles = false;  // they were cells of another grid
    execution->has_blocked = false;
  }
  memset(graph->dirty, 0xff, ((size_t)graph->node_count / 64 + 1) * sizeof(*graph->dirty));
  execution->now = fmax(execution->now, splicing->splice->time);
  for (int32_t robot = execution->slot_count; robot < splicing->slot_count; ++robot) {
    execution->slots[robot] = (fw_robot_slot_t){0};
  }
  execution->slot_count = splicing->slot_count;
  execution->has_closures = splicing->splice->problem->closure_count > 0 || execution->has_closures;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw_robot_slot_t * slot = &execution->slots[robot];
    slot->is_removed = false;
    if (slot->is_present) {
      rebase_slot(splicing, robot);
    } else if (splicing->paths[robot].length > 0) {
      *slot = (fw_robot_slot_t){
        .is_present = true,
        .is_changed = slot->is_changed,
        .base = slot->base,
        .measure = {.time = -INFINITY},
        .joined = execution->now,
        .generation = slot->generation + 1,
        .progress_time = execution->now,
        .pace = 1.0,
      };
    }
    if (slot->is_present) {
      fw__execution_mark_changed(execution, robot);
    }
  }
  undo_cut(execution);
  fw__release_update_stops(execution);
  fw__release_enqueue_all(execution);
  fw__release_process_queue(execution);
  ++execution->splices;
  FW_ASSERT(fw__execution_validate(execution));
}

fw_ret_t fw_execution_splice(fw_execution_t * execution, const fw_execution_splice_t * splice, fw_error_t * error)
{
  fw_execution_impl_t * impl = execution->impl;
  splicing_t splicing = {
    .execution = impl,
    .splice = splice,
    .graph = &impl->graphs[1 - impl->active],
    .slot_count = impl->slot_count,
    .error = error,
  };
  fw_ret_t ret = check_splice(&splicing);
  if (ret != FW_RET_OK) {
    return ret;
  }
  for (int32_t i = 0; i < splice->problem->robot_count; ++i) {
    const int32_t robot = slot_of(&splicing, i);
    splicing.slot_count = robot >= splicing.slot_count ? robot + 1 : splicing.slot_count;
  }
  const bool was_cut = impl->is_cut;
  if (!was_cut) {
    apply_cut(impl, -INFINITY);
  }
  ret = reserve_slots(impl, splicing.slot_count) ? make_graph(&splicing) : fw__error_memory(error);
  if (ret == FW_RET_OK) {
    activate_graph(&splicing);
  } else if (!was_cut) {
    undo_cut(impl);
  }
  return ret;
}
