// Ways: the nodes of a graph, from what is left of the old ways and from the paths of a plan.
//
//   old graph   o===o===o---o | - - - -       reached, released, up to the cut; the rest is dropped
//   new graph       o===o---o-+-o---o---o     from where the robot is, over the cut, along its new path
//
// On the clock of order the new part comes after all that is left of the old: nobody on the near side of the cut waits for
// anybody behind it, so the graph stays without cycles and the old part can be driven to its end whatever the new one is
// like. Who enters by the new plan what somebody still covers by the old one waits for that, as with any two visits.

#include <math.h>

#include "base/error.h"
#include "execution/execution.h"

typedef struct laying_t {
  const fw__making_t * making;
  const fw__ways_t * ways;
  fw__graph_t * graph;
  int32_t rank;  // of the new plan's tick 0
} laying_t;

static double length_of(const fw_grid_t * grid, fw_cell_t from, fw_cell_t to)
{
  const int32_t dx = fw_grid_x(grid, to) - fw_grid_x(grid, from);
  const int32_t dy = fw_grid_y(grid, to) - fw_grid_y(grid, from);
  return sqrt((double)(dx * dx + dy * dy));
}

// ---- the old part ---------------------------------------------------------------------------------------------------

static bool is_old(const laying_t * laying, int32_t robot)
{
  return robot < laying->ways->execution->slot_count && laying->ways->execution->slots[robot].is_there;
}

static int32_t count_old(const laying_t * laying, int32_t robot)
{
  if (!is_old(laying, robot)) {
    return laying->ways->paths[robot].length > 0 ? 1 : 0;
  }
  const fw__slot_t * slot = &laying->ways->execution->slots[robot];
  return slot->is_withdrawn ? (fw__slot_is_between(slot) ? 2 : 1) : slot->limit - slot->reached + 1;
}

static fw__node_t * append(laying_t * laying, fw__node_t node)
{
  fw__graph_t * graph = laying->graph;
  fw__node_t * place = &graph->nodes[graph->node_count];
  const bool is_first = graph->node_count == graph->first[node.robot];
  node.way = is_first ? 0.0 : place[-1].way + length_of(&graph->grid, place[-1].pose.cell, node.pose.cell);
  node.group = -1;
  *place = node;
  ++graph->node_count;
  graph->last_rank = node.arrive > graph->last_rank ? node.arrive : graph->last_rank;
  return place;
}

static void lay_old(laying_t * laying, int32_t robot)
{
  const fw__graph_t * old = fw__execution_graph_const(laying->ways->execution);
  const fw__slot_t * slot = &laying->ways->execution->slots[robot];
  const fw__node_t * here = fw__way_node(old, robot, slot->reached);
  if (!slot->is_withdrawn) {
    for (int32_t i = 0; i <= slot->limit - slot->reached; ++i) {
      (void)append(laying, here[i]);
    }
  } else if (!fw__slot_is_between(slot)) {
    (void)append(laying, *here);
  } else {
    fw__node_t there = here[1];
    fw__node_t back = here[1];
    there.expected = here->expected;
    back.pose = here->pose;
    back.is_back = !here[1].is_back;
    (void)append(laying, there);
    (void)append(laying, back);
  }
}

// ---- closures -------------------------------------------------------------------------------------------------------

// The tick at which the robot has left a cell that it enters with the motion ending at path index `at`.
static fw_tick_t leaves_at(const laying_t * laying, int32_t robot, int32_t at, fw_offset_t spot)
{
  const fw_path_t * path = &laying->ways->paths[robot];
  const fw__graph_t * graph = laying->graph;
  fw_tick_t tick = at;
  while (tick < path->length &&
         fw__shape_stands_on(graph->shapes[robot], &graph->grid, fw__path_pose(path, tick), spot)) {
    ++tick;
  }
  return tick < path->length ? tick : FW_TICK_MAX;
}

// A cell that has been closed is entered only once it is open again, by the clock; one that will close, only as much later
// than planned as leaves it in time. Closures count from the plan's tick 0.
static void heed_closures(const laying_t * laying, fw__node_t * node, int32_t at, fw_tick_t depart)
{
  const fw_problem_t * problem = laying->ways->problem;
  const fw_grid_t * grid = &laying->graph->grid;
  const double seconds = laying->ways->execution->options.seconds_per_tick;
  const fw__swept_t swept = fw__graph_swept(laying->graph, (int32_t)(node - laying->graph->nodes));
  for (int32_t c = 0; c < problem->closure_count; ++c) {
    const fw_closure_t closure = problem->closures[c];
    const fw_offset_t spot = {fw_grid_x(grid, closure.cell), fw_grid_y(grid, closure.cell)};
    const int32_t dx = spot.dx - fw_grid_x(grid, swept.origin);
    const int32_t dy = spot.dy - fw_grid_y(grid, swept.origin);
    if (!fw__footprint_has(swept.parts[1], dx, dy)) {
      continue;
    }
    const fw_tick_t leaves = leaves_at(laying, node->robot, at, spot);
    if (closure.to <= depart) {
      node->opens = fmax(node->opens, laying->ways->time + seconds * (closure.to + 1));
    } else if (leaves <= closure.from) {
      node->closes = fmin(node->closes, laying->ways->time + seconds * (depart + closure.from - leaves));
    }
  }
}

// ---- the new part ---------------------------------------------------------------------------------------------------

static fw_ret_t refuse_motion(const laying_t * laying, int32_t robot, fw_cell_t cell, fw_tick_t tick)
{
  const fw_grid_t * grid = &laying->graph->grid;
  return fw__error_at(
    laying->making->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, cell},
    "robot %d cannot be at (%d,%d) at tick %d of the plan: no motion leads there in time", robot,
    cell < 0 ? -1 : fw_grid_x(grid, cell), cell < 0 ? -1 : fw_grid_y(grid, cell), tick);
}

static fw_ret_t lay_motion(laying_t * laying, int32_t robot, int32_t at, fw_tick_t since)
{
  fw__graph_t * graph = laying->graph;
  const fw_path_t * path = &laying->ways->paths[robot];
  const fw__shape_t * shape = graph->shapes[robot];
  const fw_grid_pose_t from = graph->nodes[graph->node_count - 1].pose;
  const fw_grid_pose_t to = fw__path_pose(path, at);
  const int32_t ticks = fw__path_motion_ticks(path, at, shape->body);
  const bool is_pose = to.cell >= 0 && to.cell < fw_grid_cell_count(&graph->grid) && to.heading < FW_HEADING_COUNT;
  if (!is_pose || at - ticks < since || !fw__shape_connects(shape, &graph->grid, from, to)) {
    return refuse_motion(laying, robot, to.cell, at);
  }
  const fw__swept_t swept = fw__shape_sweep(shape, &graph->grid, from, to);
  if (!fw__swept_is_inside(&swept, &graph->grid)) {
    return refuse_motion(laying, robot, to.cell, at);
  }
  const double seconds = laying->ways->execution->options.seconds_per_tick;
  fw__node_t * node = append(
    laying, (fw__node_t){
              .pose = to,
              .robot = robot,
              .depart = laying->rank + at - ticks,
              .arrive = laying->rank + at,
              .seconds = seconds * ticks,
              .planned = laying->ways->time + seconds * at,
              .expected = laying->ways->time + seconds * at,
              .opens = -INFINITY,
              .closes = INFINITY,
            });
  heed_closures(laying, node, at, at - ticks);
  return FW_RET_OK;
}

static fw_ret_t lay_new(laying_t * laying, int32_t robot)
{
  const fw_path_t * path = &laying->ways->paths[robot];
  fw_tick_t since = 0;
  fw_ret_t ret = FW_RET_OK;
  for (int32_t at = 1; at < path->length && at <= laying->ways->until && ret == FW_RET_OK; ++at) {
    if (fw__path_arrives(path, at)) {
      ret = lay_motion(laying, robot, at, since);
      since = at;
    }
  }
  return ret;
}

static int32_t count_new(const laying_t * laying, int32_t robot)
{
  const fw_path_t * path = &laying->ways->paths[robot];
  int32_t count = 0;
  for (int32_t at = 1; at < path->length && at <= laying->ways->until; ++at) {
    count += fw__path_arrives(path, at) ? 1 : 0;
  }
  return count;
}

// ---- all robots -----------------------------------------------------------------------------------------------------

static bool allocate(laying_t * laying)
{
  fw__graph_t * graph = laying->graph;
  graph->first = fw__arena_allocate_zeroed(&graph->arena, (size_t)graph->slot_count + 1, sizeof(int32_t));
  for (int32_t robot = 0; graph->first != NULL && robot < graph->slot_count; ++robot) {
    graph->first[robot + 1] = graph->first[robot] + count_old(laying, robot) + count_new(laying, robot);
  }
  const size_t count = graph->first == NULL ? 0 : (size_t)graph->first[graph->slot_count];
  graph->nodes = fw__arena_allocate(&graph->arena, count + 1, sizeof(*graph->nodes));
  return graph->first != NULL && graph->nodes != NULL;
}

// The latest arrival that is left of the old plan: what the new one comes after.
static int32_t last_old_rank(const laying_t * laying)
{
  const fw__execution_t * execution = laying->ways->execution;
  const fw__graph_t * old = fw__execution_graph_const(execution);
  int32_t last = 0;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    const fw__slot_t * slot = &execution->slots[robot];
    if (slot->is_there) {
      const int32_t next = slot->reached < fw__execution_end(execution, robot) ? slot->reached + 1 : slot->reached;
      const int32_t rank = fw__way_node(old, robot, slot->limit > next ? slot->limit : next)->arrive;
      last = rank > last ? rank : last;
    }
  }
  return last;
}

fw_ret_t fw__ways_lay(const fw__making_t * making, const fw__ways_t * ways)
{
  laying_t laying = {.making = making, .ways = ways, .graph = making->graph};
  laying.rank = last_old_rank(&laying) + 1;
  if (!allocate(&laying)) {
    return fw__error_memory(making->error);
  }
  fw_ret_t ret = FW_RET_OK;
  for (int32_t robot = 0; robot < making->graph->slot_count && ret == FW_RET_OK; ++robot) {
    if (is_old(&laying, robot)) {
      lay_old(&laying, robot);
    } else if (ways->paths[robot].length > 0) {
      (void)append(
        &laying, (fw__node_t){
                   .pose = fw__path_pose(&ways->paths[robot], 0),
                   .robot = robot,
                   .depart = laying.rank,
                   .arrive = laying.rank,
                   .planned = ways->time,
                   .expected = ways->time,
                   .opens = -INFINITY,
                   .closes = INFINITY,
                 });
    }
    ret = lay_new(&laying, robot);
  }
  return ret;
}
