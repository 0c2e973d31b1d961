// A planning round: agents, goals and closures into a request, and its result into the schedule. See round.h.

#include "controller/round/round.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"
#include "controller/approach.h"
#include "controller/body.h"
#include "controller/round/request_closures.h"

static const int64_t LEAD_MAX_NS = 60000000000;
// A robot without a plan is tried again after this time, which doubles up to the maximum.
static const int64_t BACKOFF_NS = 1000000000;
static const int64_t BACKOFF_MAX_NS = 8000000000;
static const int64_t PARTIAL_EXPANSIONS_MIN = 5000;  // a partial round may expand so many search nodes in any case

int64_t fw__round_tick_ns(const fw_map_frame_t * frame, const fw_controller_settings_t * settings)
{
  const double step = frame->resolution * (settings->connectivity == 8 ? sqrt(2.0) : 1.0);
  const double tick_ns = ceil(step / settings->speed * 1e9);
  return tick_ns < 1e6 ? 1000000 : (int64_t)tick_ns;
}

void fw__round_note_failure(fw_controller_impl_t * controller, const char * what, const char * text)
{
  fw_error_t reason = {0};
  (void)fw__refuse(&reason, "%s: %s", what, text);
  if (strcmp(reason.text, controller->planner_fault.text) != 0) {
    fw__log(&controller->log, FW_LOG_ERROR, "%s; the last good plan stays in force", reason.text);
  }
  controller->planner_fault = reason;
}

// ---- agents, where the schedule has them

// Adds a robot whose body and start are known.
static void add_agent(fw_controller_impl_t * controller, fw_round_agent_t agent)
{
  FW_ASSERT(agent.robot >= 0 && agent.robot < controller->fleet.count);
  fw_round_request_t * request = &controller->worker.request;
  const fw_controlled_robot_t * robot = &controller->fleet.robots[agent.robot];
  agent.goal = FW_CELL_NONE;
  agent.parking = agent.start.cell;
  agent.priority = robot->priority;
  agent.goal_order = robot->goal_order;
  agent.other = -1;
  agent.closure_source = -1;
  fw__round_request_add_agent(request, &agent);
}

static bool follows_schedule(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  return robot->has_pose && !robot->is_stale && !robot->is_off_plan && controller->schedule.paths[index].count > 0;
}

static fw_grid_pose_t measured_place(const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot)
{
  const fw_controller_settings_t * settings = &controller->settings;
  return fw__robot_body_place(
    &robot->body, &controller->map.frame, settings->connectivity, fw__controlled_robot_pose(robot));
}

// A robot with a plan that is on these cells, -1 if there is none. A robot without a plan does not take them from it.
static int32_t follower_on(const fw_controller_impl_t * controller, fw_placed_body_t placed, int32_t index)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (k == index || !follows_schedule(controller, k)) {
      continue;
    }
    const fw_placed_body_t other = {&robot->body, measured_place(controller, robot)};
    if (other.place.cell != FW_CELL_NONE && fw__robot_bodies_overlap(placed, other, controller->map.grid.width)) {
      return k;
    }
  }
  return -1;
}

// The robot stands on free floor in a cell that is not free: too near to an obstacle for the disc at the cell's centre.
static void set_between_cells(fw_controller_impl_t * controller, int32_t index, fw_cell_t nearest)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  char advice[64] = "none beside it is within reach";
  if (nearest != FW_CELL_NONE) {
    const fw_point_t point = fw__map_frame_point(&controller->map.frame, nearest);
    (void)snprintf(advice, sizeof advice, "it can be driven to (%.7g, %.7g)", point.x, point.y);
  }
  fw__controlled_robot_set_fault(
    robot, &robot->planning_fault, FW_FAULT_START_OCCUPIED,
    "it is at (%.7g, %.7g), on free floor, but its planning cell is not free; %s", robot->point.x, robot->point.y,
    advice);
}

// A robot outside the graph, which stands, that the robot would touch on its way to the centre of its cell, where plans
// begin; -1 for none.
static int32_t find_in_way_to_centre(const fw_controller_impl_t * controller, int32_t index, fw_cell_t cell)
{
  const fw_point_t centre = fw__map_frame_point(&controller->map.frame, cell);
  int32_t found = -1;
  for (int32_t k = 0; controller->execution.is_on && found < 0 && k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * other = &controller->fleet.robots[k];
    const bool stands = k != index && fw__controlled_robot_is_listed(other) && other->has_pose &&
                        !fw__fleet_execution_has(&controller->execution, k);
    found = stands && fw__approach_would_touch(controller, index, centre, k) ? k : -1;
  }
  return found;
}

// Adds a robot where it is measured: it has no plan, has left it, or must not continue with it. A robot that cannot
// start there gets a fault instead.
static void add_agent_where_measured(fw_controller_impl_t * controller, int32_t index)
{
  const fw_round_request_t * request = &controller->worker.request;
  fw_controller_fleet_t * fleet = &controller->fleet;
  fw_controlled_robot_t * robot = &fleet->robots[index];
  const fw_placed_body_t placed = {&robot->body, measured_place(controller, robot)};
  if (placed.place.cell == FW_CELL_NONE) {
    fw__controlled_robot_set_fault(
      robot, &robot->planning_fault, FW_FAULT_START_OUTSIDE, "it is at (%.7g, %.7g), outside the map", robot->point.x,
      robot->point.y);
    return;
  }
  int32_t other = fw__cell_owners_find(&request->owners, &request->grid, placed);
  if (other >= 0 && fleet->robots[other].old_release.is_there) {
    fw__controlled_robot_set_fault(
      robot, &robot->planning_fault, FW_FAULT_START_OCCUPIED, "it is at (%.7g, %.7g), where %s may still drive",
      robot->point.x, robot->point.y, fleet->robots[other].name);
    fw__approach_make_room(controller, other, index);
    return;
  }
  if (!fw__robot_body_fits(placed.body, &request->grid, placed.place)) {
    const fw_free_cells_place_t nearest = fw__planning_map_locate(&controller->map, robot->point);
    if (nearest.is_on_free_map && !nearest.is_inside) {
      set_between_cells(controller, index, nearest.cell);
      return;
    }
    fw__controlled_robot_set_fault(
      robot, &robot->planning_fault, FW_FAULT_START_OCCUPIED, "it is at (%.7g, %.7g), in an obstacle", robot->point.x,
      robot->point.y);
    return;
  }
  other = other < 0 && !follows_schedule(controller, index) ? follower_on(controller, placed, index) : other;
  other = other < 0 ? find_in_way_to_centre(controller, index, placed.place.cell) : other;
  if (other >= 0) {
    fw__controlled_robot_set_fault(
      robot, &robot->planning_fault, FW_FAULT_START_OCCUPIED, "it is at (%.7g, %.7g), in the planning cell of %s",
      robot->point.x, robot->point.y, fleet->robots[other].name);
    return;
  }
  add_agent(controller, (fw_round_agent_t){.robot = index, .body = robot->body, .start = placed.place});
}

// Where its timed path has a robot at the epoch, standing or on a motion. False if it cannot be planned from there: the
// map, the speed or the body has changed.
static bool place_on_path(const fw_controller_impl_t * controller, fw_round_agent_t * agent)
{
  const fw_round_request_t * request = &controller->worker.request;
  const fw_timed_path_t * timed_path = &controller->schedule.paths[agent->robot];
  const fw_robot_body_t * body = &agent->body;
  const fw_path_motion_t motion = fw__timed_path_motion(timed_path, request->epoch_ns);
  const fw_map_frame_t * frame = &request->frame;
  agent->start = fw__robot_body_place(body, frame, request->connectivity, fw__timed_waypoint_pose(motion.to, frame));
  agent->from = fw__robot_body_place(body, frame, request->connectivity, fw__timed_waypoint_pose(motion.from, frame));
  if (agent->start.cell == FW_CELL_NONE || !fw__robot_body_fits(body, &request->grid, agent->start)) {
    return false;
  }
  if (motion.from == motion.to) {
    return true;
  }
  const int64_t left_ns = motion.to->stamp_ns - request->epoch_ns;
  const bool is_turn = agent->from.cell == agent->start.cell;
  agent->arrives = (fw_tick_t)(left_ns / request->tick_ns);
  return left_ns % request->tick_ns == 0 && agent->arrives < (is_turn ? body->turn_ticks : body->ticks_per_move) &&
         controller->warm_start.map_revision == request->map_revision &&
         fw__robot_body_fits(body, &request->grid, agent->from);
}

static void add_follower(fw_controller_impl_t * controller, int32_t index)
{
  const fw_round_request_t * request = &controller->worker.request;
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  fw_round_agent_t agent = {.robot = index, .body = robot->body, .follows_schedule = true};
  const bool is_placed =
    place_on_path(controller, &agent) &&
    fw__cell_owners_find(&request->owners, &request->grid, (fw_placed_body_t){&agent.body, agent.start}) < 0;
  if (is_placed) {
    add_agent(controller, agent);
  } else {
    add_agent_where_measured(controller, index);
  }
}

// A robot that is an obstacle: silent, or held and at the end of what it was given to drive.
static bool is_immobile(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const bool has_stopped = !follows_schedule(controller, index) ||
                           fw__timed_path_end(&controller->schedule.paths[index]) <= controller->last_now_ns;
  return robot->has_pose && (robot->is_stale || (robot->service != FW_ROBOT_IN_SERVICE && has_stopped));
}

static void add_agents_by_schedule(fw_controller_impl_t * controller)
{
  fw_round_request_t * request = &controller->worker.request;
  const fw_controller_fleet_t * fleet = &controller->fleet;
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_controlled_robot_t * robot = &fleet->robots[k];
    const fw_grid_pose_t place = measured_place(controller, robot);
    const bool is_obstacle = is_immobile(controller, k);
    for (int32_t c = 0; is_obstacle && place.cell >= 0 && c < fw__robot_body_cell_count(&robot->body, place); ++c) {
      const fw_cell_t cell = fw__robot_body_cell(&robot->body, &request->grid, place, c);
      if (cell != FW_CELL_NONE) {
        request->grid.cost[cell] = 0;
      }
    }
  }
  // Robots that stand come first: those that drive can still stop before them.
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (fleet->robots[k].has_pose && !is_immobile(controller, k) && !follows_schedule(controller, k)) {
      add_agent_where_measured(controller, k);
    }
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (follows_schedule(controller, k) && !is_immobile(controller, k)) {
      add_follower(controller, k);
    }
  }
}

// ---- agents, where the cut through the dependency graph has them

// Does the robot stand in the centre of a cell, within the tolerance at waypoints?
static bool is_centered(const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot)
{
  const fw_map_frame_t * frame = &controller->map.frame;
  const fw_cell_t cell = fw__map_frame_cell(frame, robot->point);
  const double near = controller->execution.options.tolerance * frame->resolution;
  return cell != FW_CELL_NONE && fw__point_distance(fw__map_frame_point(frame, cell), robot->point) <= near;
}

static void block_cell(fw_round_request_t * request, fw_cell_t cell)
{
  if (cell != FW_CELL_NONE) {
    request->grid.cost[cell] = 0;
  }
}

static void block_cell_of(fw_round_request_t * request, fw_cell_t cell, int32_t robot)
{
  block_cell(request, cell);
  fw__cell_owners_add_cell(&request->owners, cell, robot);
}

// For this round, blocks all cells that a robot has reserved in the graph, and those where it comes to a stop.
static void block_reserved_cells(fw_controller_impl_t * controller, int32_t index, fw_grid_pose_t end)
{
  fw_round_request_t * request = &controller->worker.request;
  const fw_robot_body_t * body = &controller->fleet.robots[index].body;
  const int32_t count = fw_execution_held(&controller->execution.graph, index, NULL, 0);
  fw_cell_t * cells = fw__calloc((size_t)count + 1, sizeof *cells);
  if (cells == NULL) {
    request->has_failed = true;
    return;
  }
  (void)fw_execution_held(&controller->execution.graph, index, cells, count);
  for (int32_t k = 0; k < count; ++k) {
    block_cell_of(request, cells[k], index);
  }
  for (int32_t k = 0; k < fw__robot_body_cell_count(body, end); ++k) {
    block_cell_of(request, fw__robot_body_cell(body, &request->grid, end, k), index);
  }
  free(cells);
}

static void block_unowned_cell(void * context, fw_cell_t cell)
{
  fw_round_request_t * request = context;
  if (request->owners.owners[cell] == 0) {
    block_cell(request, cell);
  }
}

// Blocks all cells that a robot touches, with its whole footprint: one that stands on the edge of its cell reaches into
// others.
static void block_touched_cells(fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, double radius)
{
  const fw_measured_body_t measured = {&robot->body, fw__controlled_robot_pose(robot), radius, 0.0};
  fw__robot_body_visit_touched_cells(
    &measured, &controller->map.frame,
    (fw_raster_visitor_t){.visit = block_unowned_cell, .context = &controller->worker.request});
}

// Where the old release of a robot leads.
typedef struct fw_reserving_t {
  fw_round_request_t * request;
  int32_t robot;
} fw_reserving_t;

static void block_old_cell(void * context, fw_cell_t cell)
{
  const fw_reserving_t * reserving = context;
  block_cell_of(reserving->request, cell, reserving->robot);
}

// Blocks what robots with an old release may still drive through, before anybody can start or arrive there.
static void block_old_releases(fw_controller_impl_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (robot->old_release.is_there) {
      const fw_reserved_space_t space = {&robot->old_release, &robot->body, controller->map.robot_radius};
      fw_reserving_t reserving = {&controller->worker.request, k};
      fw__reserved_space_visit_cells(
        &space, &controller->map.frame, (fw_raster_visitor_t){.visit = block_old_cell, .context = &reserving});
    }
  }
}

// Takes the path of a robot in the graph up to the cut, so that no robot outside the graph starts on it.
static void own_path_to_cut(fw_controller_impl_t * controller, const fw_execution_end_t * end)
{
  fw_round_request_t * request = &controller->worker.request;
  const fw_execution_t * execution = &controller->execution.graph;
  const fw_robot_body_t * body = &controller->fleet.robots[end->robot].body;
  const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, end->robot);
  bool has_ended = false;
  for (int32_t at = status.reached; !has_ended && at <= status.end; ++at) {
    fw_execution_waypoint_t waypoint;
    if (fw_execution_waypoint(execution, end->robot, at, &waypoint, NULL) != FW_RET_OK) {
      break;
    }
    const fw_placed_body_t placed = {body, {waypoint.cell, waypoint.heading}};
    fw__cell_owners_add(&request->owners, &request->grid, placed, end->robot);
    has_ended = at >= status.released && waypoint.cell == end->cell && waypoint.heading == end->heading;
  }
}

// Adds a robot where the cut has it. If that place has become an obstacle, the robot gets a fault and is planned
// around.
static void add_agent_at_end(fw_controller_impl_t * controller, const fw_execution_end_t * end)
{
  fw_controller_fleet_t * fleet = &controller->fleet;
  fw_controlled_robot_t * robot = &fleet->robots[end->robot];
  const fw_round_request_t * request = &controller->worker.request;
  const fw_round_agent_t agent = {
    .robot = end->robot,
    .body = robot->body,
    .start = {end->cell, end->heading},
    .follows_schedule = true,
  };
  if (fw__robot_body_fits(&agent.body, &request->grid, agent.start)) {
    add_agent(controller, agent);
    return;
  }
  fw__controlled_robot_set_fault(
    robot, &robot->planning_fault, FW_FAULT_START_OCCUPIED, "it is at (%.7g, %.7g), driving into an obstacle",
    robot->point.x, robot->point.y);
  block_reserved_cells(controller, end->robot, agent.start);
}

// Adds a robot outside the graph once it stands. Until then, and if it cannot take part, it is an obstacle. One that
// does not stand in the centre of its cell drives there first.
static void add_unscheduled_robot(fw_controller_impl_t * controller, int32_t index)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  fw_round_request_t * request = &controller->worker.request;
  const int32_t count = request->count;
  if (!robot->is_still) {
    block_touched_cells(controller, robot, controller->map.robot_radius);
    fw__controller_request_round_soon(controller, "a robot is coming to rest");
    return;
  }
  add_agent_where_measured(controller, index);
  if (request->count == count) {
    block_touched_cells(controller, robot, controller->map.robot_radius);
  } else if (!is_centered(controller, robot)) {
    robot->is_centering = true;
    robot->centering_ns = controller->last_now_ns;
  }
}

// A robot that no plan may move: it is silent, does not drive although it may, or is held.
static bool stays_in_place(const fw_controller_impl_t * controller, int32_t index)
{
  return fw__fleet_execution_is_stuck(&controller->execution, index) || controller->fleet.robots[index].is_stale ||
         controller->fleet.robots[index].service != FW_ROBOT_IN_SERVICE;
}

// A robot of the graph that is beside its path, pushed or on the way to the centre of its cell for too long, may reach
// into cells that are not reserved for it.
static bool is_beside_path(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, index);
  return status.state != FW_EXECUTION_ABSENT && status.off_path > controller->execution.options.tolerance;
}

// Old releases and robots that stay first, as obstacles; then the others of the cut, then robots outside the graph.
static void add_agents_at_cut(fw_controller_impl_t * controller, const fw_execution_cut_t * cut)
{
  const fw_controller_fleet_t * fleet = &controller->fleet;
  block_old_releases(controller);
  for (int32_t k = 0; k < cut->count; ++k) {
    const fw_execution_end_t * end = &cut->ends[k];
    FW_ASSERT(end->robot >= 0 && end->robot < fleet->count);
    if (stays_in_place(controller, end->robot)) {
      block_reserved_cells(controller, end->robot, (fw_grid_pose_t){end->cell, end->heading});
    }
  }
  for (int32_t k = 0; k < cut->count; ++k) {
    if (!stays_in_place(controller, cut->ends[k].robot)) {
      add_agent_at_end(controller, &cut->ends[k]);
    }
  }
  for (int32_t k = 0; k < cut->count; ++k) {
    own_path_to_cut(controller, &cut->ends[k]);
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_controlled_robot_t * robot = &fleet->robots[k];
    if (robot->has_pose && !robot->old_release.is_there && !fw__fleet_execution_has(&controller->execution, k)) {
      if (robot->is_stale || robot->service != FW_ROBOT_IN_SERVICE) {
        block_touched_cells(controller, robot, controller->map.robot_radius);
      } else {
        add_unscheduled_robot(controller, k);
      }
    }
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (fleet->robots[k].is_centering || is_beside_path(controller, k)) {
      block_touched_cells(controller, &fleet->robots[k], controller->map.touch_radius);
    }
  }
}

// Cuts the graph as far ahead as the worker will probably need; robots drive on up to the cut meanwhile.
static bool cut_graph(fw_controller_impl_t * controller, fw_execution_cut_t * cut)
{
  fw_fleet_execution_t * execution = &controller->execution;
  const int64_t last =
    controller->solve_times_count == 0 ? 0 : (controller->solve_times_count - 1) % FW_SOLVE_TIMES_SIZE;
  const int64_t solve_ns =
    controller->worker.request.may_be_partial ? controller->solve_times_ns[last] : controller->whole_solve_ns;
  const int64_t ahead_ns = controller->lead_ns / 2 + 2 * solve_ns;
  FW_ASSERT(!execution->is_cut);
  execution->is_cut = fw_execution_cut(&execution->graph, (double)ahead_ns * 1e-9, cut, NULL) == FW_RET_OK;
  return execution->is_cut;
}

void fw__round_undo_cut(fw_controller_impl_t * controller)
{
  if (controller->execution.is_on && controller->execution.is_cut) {
    fw_execution_uncut(&controller->execution.graph);
    controller->execution.is_cut = false;
  }
}

// ---- tails: what robots would drive behind the cut without this round

// May robots keep their plans in this round? In partial rounds a robot gives way to all plans that were made before its
// own, so that from time to time a whole round makes them anew together. Windows are planned for the whole fleet, and
// so are optimal plans. Without
// robust ticks robots may rotate in rings and swap with what looks like a closed cell.
static bool may_be_partial(const fw_controller_impl_t * controller)
{
  const fw_planner_def_t * planner = fw_planner_def_find(controller->settings.planner.name);
  return controller->execution.is_on && !controller->round_is_whole && controller->rounds > 0 &&
         controller->partial_in_a_row < controller->settings.partial_rounds_max &&
         controller->settings.robust_ticks > 0 && !controller->has_windows && !planner->is_optimal;
}

// To find out that a part has no plan may cost far more than to plan the whole fleet; so it may cost a quarter of that.
static int64_t partial_expansions_max(const fw_controller_impl_t * controller)
{
  const int64_t quarter = controller->whole_expanded / 4;
  const int64_t limit = quarter > PARTIAL_EXPANSIONS_MIN ? quarter : PARTIAL_EXPANSIONS_MIN;
  const int64_t settings_max = controller->settings.expansions_max;
  return settings_max > 0 && settings_max < limit ? settings_max : limit;
}

// Gives agents that the cut has their tails. Robots that were stopped have none. Without tails the round is a whole
// one.
static void write_tails(fw_controller_impl_t * controller, const fw_execution_cut_t * cut)
{
  fw_round_request_t * request = &controller->worker.request;
  const fw_execution_tails_query_t query = {
    .time = fw__fleet_execution_seconds(&controller->execution, request->epoch_ns),
    .robust_ticks = request->robust_ticks,
  };
  fw_execution_tails_t tails = {0};
  if (fw_execution_tails(&controller->execution.graph, &query, &tails, NULL) != FW_RET_OK) {
    request->may_be_partial = false;
    return;
  }
  FW_ASSERT(tails.count == cut->count);
  int32_t end = 0;  // agents of the cut come in its order
  for (int32_t k = 0; k < request->count && request->agents[k].follows_schedule; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    while (end < cut->count && cut->ends[end].robot != agent->robot) {
      ++end;
    }
    FW_ASSERT(end < cut->count);
    if (controller->fleet.robots[agent->robot].stop == FW_ROBOT_STOP_NONE && tails.paths[end].length > 0) {
      fw__round_request_add_tail(request, agent, &tails.paths[end]);
    }
  }
}

// ---- goals

// A robot on these cells that no plan can move, -1 if there is none.
static int32_t immovable_robot_at(const fw_controller_impl_t * controller, fw_placed_body_t placed)
{
  const fw_controller_fleet_t * fleet = &controller->fleet;
  const int32_t owner =
    fw__cell_owners_find(&controller->worker.request.owners, &controller->worker.request.grid, placed);
  if (owner >= 0 && (fleet->robots[owner].was_stuck || fleet->robots[owner].old_release.is_there)) {
    return owner;
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_placed_body_t other = {&fleet->robots[k].body, measured_place(controller, &fleet->robots[k])};
    if (
      fleet->robots[k].is_stale && other.place.cell != FW_CELL_NONE &&
      fw__robot_bodies_overlap(placed, other, controller->map.grid.width)) {
      return k;
    }
  }
  return -1;
}

// Can a body stay on a cell, with at least one of the headings that it can have?
static bool can_stay_on(const fw_round_request_t * request, const fw_robot_body_t * body, fw_cell_t cell)
{
  const int32_t step = body->turn_ticks == 0 ? FW_HEADING_COUNT : fw__heading_step(request->connectivity);
  bool can_stay = false;
  for (int32_t heading = 0; !can_stay && heading < FW_HEADING_COUNT; heading += step) {
    const fw_placed_body_t placed = {body, {cell, heading}};
    can_stay =
      fw__robot_body_fits(body, &request->grid, placed.place) && !fw__round_request_closes_forever(request, placed);
  }
  return can_stay;
}

static void write_goals(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_round_request_t * request = &controller->worker.request;
  const fw_time_interval_t from_epoch = {request->epoch_ns, FW_TIME_MAX_NS};
  for (int32_t k = 0; k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    const fw_controlled_robot_t * robot = &controller->fleet.robots[agent->robot];
    const fw_cell_t cell = robot->has_goal ? fw__approach_cell_of(&controller->fleet.site, robot) : FW_CELL_NONE;
    const fw_placed_body_t placed = {&agent->body, {.cell = cell}};
    if (!robot->has_goal || robot->is_centering || robot->service != FW_ROBOT_IN_SERVICE) {
      continue;
    }
    if (cell == FW_CELL_NONE) {
      agent->fault = FW_FAULT_GOAL_OUTSIDE;
    } else if (fw__controlled_robot_is_in_backoff(robot, now_ns)) {
      agent->fault = (fw_fault_t)robot->planning_fault.number;
    } else if (!fw_grid_allows_waiting(&request->grid, cell) && cell != agent->start.cell) {
      agent->fault = FW_FAULT_GOAL_OCCUPIED;
    } else if (!can_stay_on(request, &agent->body, cell)) {
      agent->fault = FW_FAULT_GOAL_OCCUPIED;
      agent->other = immovable_robot_at(controller, placed);
      agent->closure_source = fw__closure_sources_find_body(&controller->closures, &request->grid, placed, from_epoch);
    } else {
      agent->goal = cell;
    }
  }
}

// ---- the request

// How many ticks of the planner's last plan will have been driven at the epoch; 0 if it cannot continue from that plan.
// The planner itself sees robots that have left the plan, other closures and other rules.
static fw_tick_t ticks_driven(const fw_controller_impl_t * controller)
{
  const fw_warm_start_t * warm_start = &controller->warm_start;
  const fw_round_request_t * request = &controller->worker.request;
  const bool continues = warm_start->is_valid && warm_start->tick_ns == request->tick_ns &&
                         warm_start->map_revision == request->map_revision &&
                         request->epoch_ns <= controller->schedule.safe_until_ns;
  return continues ? (fw_tick_t)((request->epoch_ns - warm_start->epoch_ns) / request->tick_ns) : 0;
}

// Does an agent stand on a cell that is open only for those who leave a keepout?
static bool is_kept_out(const fw_escapes_t * escapes, const fw_grid_t * grid, const fw_round_agent_t * agent)
{
  bool is_inside = false;
  for (int32_t k = 0; !is_inside && k < fw__robot_body_cell_count(&agent->body, agent->start); ++k) {
    const fw_cell_t cell = fw__robot_body_cell(&agent->body, grid, agent->start, k);
    is_inside = cell != FW_CELL_NONE && escapes->is_open != NULL && escapes->is_open[cell];
  }
  return is_inside;
}

bool fw__round_write_request(fw_controller_impl_t * controller, int64_t now_ns)
{
  FW_ASSERT(fw__round_worker_state(&controller->worker) == FW_ROUND_WORKER_IDLE && controller->map.revision > 0);
  fw_round_request_t * request = &controller->worker.request;
  const fw_controller_settings_t * settings = &controller->settings;
  const fw_schedule_t * schedule = &controller->schedule;
  if (!fw__round_request_reset(request, &controller->map.grid, controller->fleet.count)) {
    return false;
  }
  request->frame = controller->map.frame;
  request->map_revision = controller->map.revision;
  request->connectivity = settings->connectivity;
  request->cuts_corners = settings->cuts_corners;
  request->robust_ticks = settings->robust_ticks;
  request->horizon = settings->horizon;
  request->time_limit = settings->time_limit;
  request->planner = settings->planner;
  request->has_windows = controller->has_windows;
  request->expansions_max = settings->expansions_max;
  request->tick_ns = fw__round_tick_ns(&request->frame, settings);
  request->epoch_ns = fw__schedule_round_up(schedule, now_ns + controller->lead_ns);
  request->blocked_revision = controller->blocked.revision;
  FW_ASSERT(controller->blocked.count == 0 || controller->blocked.cell_count == fw_grid_cell_count(&request->grid));
  for (fw_cell_t cell = 0; controller->blocked.count > 0 && cell < controller->blocked.cell_count; ++cell) {
    request->grid.cost[cell] = controller->blocked.cells[cell] ? 0 : request->grid.cost[cell];
  }
  fw_execution_cut_t cut = {0};
  request->may_be_partial = may_be_partial(controller);
  request->partial_expansions_max = partial_expansions_max(controller);
  if (controller->execution.is_on) {
    // Not ahead of now: the graph takes the beginning of a plan as the present, and would open doors early.
    request->epoch_ns = now_ns;
    if (!cut_graph(controller, &cut)) {
      return false;
    }
    add_agents_at_cut(controller, &cut);
    if (request->may_be_partial) {
      write_tails(controller, &cut);
    }
  } else {
    add_agents_by_schedule(controller);
  }
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    robot->stop = robot->stop == FW_ROBOT_STOP_WANTED ? FW_ROBOT_STOP_PLANNED : robot->stop;
  }
  fw__approach_write_closures(controller, request);
  for (int32_t k = 0; k < controller->escapes.count; ++k) {
    fw__round_request_close_cell(request, controller->escapes.cells[k]);
  }
  for (int32_t k = 0; k < request->count && controller->escapes.count > 0; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    agent->is_kept_out = is_kept_out(&controller->escapes, &request->grid, agent);
    agent->stays_inside = agent->is_kept_out && controller->escapes.others_first;
    agent->is_parked = agent->is_parked || agent->stays_inside;
    agent->fault = agent->stays_inside ? FW_FAULT_START_OCCUPIED : agent->fault;
  }
  request->may_be_partial = request->may_be_partial && !controller->escapes.others_first;
  controller->escapes.others_first = false;
  fw__round_request_write_closures(request, &controller->closures);
  write_goals(controller, now_ns);
  request->epoch_is_movable = fw__schedule_end(schedule) <= now_ns && request->closure_count == 0;
  request->since = controller->execution.is_on ? 0 : ticks_driven(controller);
  controller->closures_seen_ns = request->epoch_ns + FW_CLOSURES_AHEAD_NS;
  fw__round_request_write_parking(request);
  return !fw__round_request_has_failed(request);
}

// ---- the result: faults of robots

// A robot that is stuck, and may be in the way of one that has no path; NULL if there is none.
static const fw_controlled_robot_t * any_stuck_robot(const fw_controller_fleet_t * fleet)
{
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (fleet->robots[k].was_stuck) {
      return &fleet->robots[k];
    }
  }
  return NULL;
}

static const char * closing_source_name(const fw_controller_impl_t * controller, const fw_round_agent_t * agent)
{
  const fw_round_request_t * request = &controller->worker.solved;
  const fw_time_interval_t from_epoch = {request->epoch_ns, FW_TIME_MAX_NS};
  const fw_placed_body_t start = {&agent->body, agent->start};
  const int32_t source = fw__closure_sources_find_body(&controller->closures, &request->grid, start, from_epoch);
  const char * mask = controller->map.layers.has_keepout ? "the keepout mask" : "something";
  return source < 0 ? mask : controller->closures.sources[source].name;
}

// Sets what the result says of one agent.
static void set_planning_fault(fw_controller_impl_t * controller, const fw_round_agent_t * agent, int64_t now_ns)
{
  fw_controller_fleet_t * fleet = &controller->fleet;
  fw_controlled_robot_t * robot = &fleet->robots[agent->robot];
  if (fw__controlled_robot_is_in_backoff(robot, now_ns) && (int32_t)agent->fault == robot->planning_fault.number) {
    return;  // it was not tried: the fault is still true
  }
  if (agent->fault == FW_FAULT_NONE) {
    fw__controlled_robot_reset_backoff(robot);
  } else {
    // A robot that was not tried in time is no reason to wait longer and longer. For one whose goal is taken rounds are
    // not repeated each second either: what frees the goal requests one, and rounds unsettle those who drive.
    const int64_t doubled_ns = agent->fault == FW_FAULT_TIMEOUT ? 0 : 2 * robot->backoff_ns;
    robot->backoff_ns = doubled_ns == 0 ? BACKOFF_NS : doubled_ns < BACKOFF_MAX_NS ? doubled_ns : BACKOFF_MAX_NS;
    robot->retry_ns = now_ns + robot->backoff_ns;
  }
  const fw_cell_t goal_cell = robot->has_goal ? fw__approach_cell_of(&fleet->site, robot) : FW_CELL_NONE;
  const bool is_forbidden = goal_cell != FW_CELL_NONE && !fw_grid_allows_waiting(&controller->map.grid, goal_cell);
  const char * source = agent->closure_source >= 0 ? controller->closures.sources[agent->closure_source].name
                        : is_forbidden             ? "a no-waiting area"
                                                   : "an obstacle";
  const char * other = agent->other >= 0 ? fleet->robots[agent->other].name : source;
  const fw_controlled_robot_t * stuck = any_stuck_robot(fleet);
  const int32_t number = (int32_t)agent->fault;
  switch (agent->fault) {
    case FW_FAULT_NONE:
      fw__controlled_robot_clear_fault(robot, &robot->planning_fault);
      break;
    case FW_FAULT_GOAL_OCCUPIED:
      fw__controlled_robot_set_fault(
        robot, &robot->planning_fault, number, "its goal (%.7g, %.7g) is taken by %s", robot->goal.x, robot->goal.y,
        other);
      break;
    case FW_FAULT_START_OCCUPIED:
      fw__controlled_robot_set_fault(
        robot, &robot->planning_fault, number, "it is where %s closes, and has no path out",
        closing_source_name(controller, agent));
      break;
    case FW_FAULT_GOAL_OUTSIDE:
      fw__controlled_robot_set_fault(
        robot, &robot->planning_fault, number, "its goal (%.7g, %.7g) is outside the map", robot->goal.x,
        robot->goal.y);
      break;
    case FW_FAULT_TIMEOUT:
      fw__controlled_robot_set_fault(
        robot, &robot->planning_fault, number, "no plan to its goal (%.7g, %.7g) within %g s", robot->goal.x,
        robot->goal.y, controller->settings.time_limit);
      break;
    default:
      fw__controlled_robot_set_fault(
        robot, &robot->planning_fault, number, "there is no path to its goal (%.7g, %.7g)%s%.40s%s", robot->goal.x,
        robot->goal.y, stuck == NULL ? "" : " past ", stuck == NULL ? "" : stuck->name,
        stuck == NULL ? "" : ", which is stuck");
      break;
  }
}

// ---- the result by its stamps: it becomes the schedule

// The yaw of a waypoint. A robot without heading may turn as it likes if it is as wide as long: if it is a single cell.
static double yaw_at(const fw_round_request_t * request, const fw_robot_body_t * body, int32_t heading)
{
  return body->turn_ticks == 0 && body->outline->counts[0] == 1 ? NAN : fw__map_frame_yaw(&request->frame, heading);
}

// In a planner's path, robots on a motion of several ticks are listed where they come from; those ticks are left out
// here.
static void write_waypoints(
  fw_timed_path_t * timed_path, const fw_round_request_t * request, const fw_round_agent_t * agent,
  const fw_path_t * path)
{
  const fw_robot_body_t * body = &agent->body;
  for (fw_tick_t tick = 0; tick < path->length; ++tick) {
    const fw_cell_t cell = path->cells[tick];
    const int32_t heading = fw_path_heading(path, tick);
    const bool is_move = tick > 0 && cell != path->cells[tick - 1];
    const bool is_turn = tick > 0 && !is_move && heading != fw_path_heading(path, tick - 1);
    const fw_tick_t ticks = is_move ? body->ticks_per_move : is_turn ? body->turn_ticks : 1;
    const fw_tick_t left = ticks - 1 < tick ? ticks - 1 : tick;
    timed_path->count -= left < timed_path->count ? left : timed_path->count;
    FW_ASSERT(timed_path->count < timed_path->capacity);
    timed_path->waypoints[timed_path->count++] = (fw_timed_waypoint_t){
      .stamp_ns = request->epoch_ns + (int64_t)tick * request->tick_ns,
      .point = fw__map_frame_point(&request->frame, cell),
      .yaw = yaw_at(request, body, heading),
    };
  }
}

static bool adopt_path(
  fw_controller_impl_t * controller, const fw_round_agent_t * agent, const fw_path_t * path, int64_t now_ns)
{
  const fw_round_request_t * request = &controller->worker.solved;
  const fw_tick_t safe_until = controller->worker.result.plan.safe_until;
  // An agent on a motion completes it. One that would depart before the end of the plan and arrive after it, stays.
  const fw_tick_t last = agent->arrives > safe_until ? agent->arrives : safe_until;
  const fw_path_t safe_part = {path->cells, path->length <= last ? path->length : last + 1, path->headings};
  if (!fw__timed_path_reserve(&controller->scratch, safe_part.length)) {
    return false;
  }
  controller->scratch.count = 0;
  write_waypoints(&controller->scratch, request, agent, &safe_part);
  const fw_path_change_t change = {
    .now_ns = now_ns,
    .epoch_ns = request->epoch_ns,
    .keeps_old = agent->follows_schedule,
    .waypoints = controller->scratch.waypoints,
    .count = controller->scratch.count,
    .body = agent->body,
  };
  return fw__schedule_change_path(&controller->schedule, agent->robot, &change);
}

static void note_schedule(fw_schedule_t * schedule, const fw_round_request_t * request, const fw_plan_t * plan)
{
  FW_ASSERT(request->tick_ns > 0);
  schedule->epoch_ns = request->epoch_ns;
  schedule->tick_ns = request->tick_ns;
  schedule->safe_until_ns =
    plan->safe_until == FW_TICK_MAX ? FW_TIME_MAX_NS : request->epoch_ns + plan->safe_until * request->tick_ns;
  (void)fw__name_copy(schedule->planner, request->planner.name);
}

// Makes the result the schedule. False if there is no memory: the schedule is then empty.
static bool adopt_result(fw_controller_impl_t * controller, int64_t now_ns)
{
  const fw_round_request_t * request = &controller->worker.solved;
  const fw_plan_t * plan = &controller->worker.result.plan;
  fw_schedule_t * schedule = &controller->schedule;
  FW_ASSERT(plan->robot_count == request->count);
  for (int32_t k = 0; k < request->count; ++k) {
    set_planning_fault(controller, &request->agents[k], now_ns);
    if (!adopt_path(controller, &request->agents[k], &plan->paths[k], now_ns)) {
      fw__schedule_clear(schedule);
      return false;
    }
  }
  // A robot that took no part has no plan any more: others may drive where it would have driven.
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    bool took_part = false;
    for (int32_t e = 0; !took_part && e < request->count; ++e) {
      took_part = request->agents[e].robot == k;
    }
    schedule->paths[k].count = took_part ? schedule->paths[k].count : 0;
  }
  note_schedule(schedule, request, plan);
  return true;
}

// ---- the result by the dependency graph: it is spliced in

// Splices the result into the dependency graph and writes the timed paths that follow. False if that fails.
static bool splice_result(fw_controller_impl_t * controller, int64_t now_ns)
{
  FW_ASSERT(controller->execution.is_cut);
  fw_fleet_execution_t * execution = &controller->execution;
  fw_round_request_t * request = &controller->worker.solved;
  const fw_plan_t * plan = &controller->worker.result.plan;
  fw_schedule_t * schedule = &controller->schedule;
  int32_t * robots = fw__calloc((size_t)request->count + 1, sizeof *robots);
  fw_error_t error = {.text = "out of memory"};
  for (int32_t k = 0; robots != NULL && k < request->count; ++k) {
    robots[k] = request->agents[k].robot;
  }
  // Closures are counted in ticks from the epoch; without any the plan begins now.
  request->epoch_ns = request->closure_count > 0 ? request->epoch_ns : now_ns;
  fw__round_request_keep_closures_of_sources(request, &controller->closures);
  const fw_problem_t problem = fw__round_request_problem(request);
  const fw_execution_splice_t splice = {
    .problem = &problem,
    .plan = plan,
    .robots = robots,
    .time = fw__fleet_execution_seconds(execution, request->epoch_ns),
  };
  // Nothing is released before the graph knows the obstacles and holds of now, and not those of when the round began.
  fw_execution_pause(&execution->graph);
  const fw_ret_t ret = robots == NULL ? FW_RET_BAD_ALLOC : fw_execution_splice(&execution->graph, &splice, &error);
  free(robots);
  if (ret != FW_RET_OK) {
    controller->unspliced += ret == FW_RET_BAD_ALLOC ? 0 : 1;
    fw__round_note_failure(controller, "the plan cannot be spliced into the dependency graph", error.text);
    fw__fleet_execution_apply_pause(execution);
    return false;
  }
  execution->is_cut = false;
  for (int32_t k = 0; k < request->count; ++k) {
    set_planning_fault(controller, &request->agents[k], now_ns);
    fw__approach_call_back(controller, &request->agents[k]);
  }
  note_schedule(schedule, request, plan);
  // Before anything is published: robots that were outside the graph may be in it now, and others have moved or
  // appeared while the worker planned.
  controller->obstacles_are_outdated =
    !fw__fleet_execution_set_obstacles(execution, &controller->blocked, &controller->fleet);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    robot->stop = robot->stop == FW_ROBOT_STOP_PLANNED ? FW_ROBOT_STOP_NONE : robot->stop;
    fw__fleet_execution_hold(execution, k, fw__controlled_robot_is_held(robot));
  }
  if (request->map_revision != controller->map.revision) {
    fw__controller_stop_against_areas(controller);
  }
  fw__fleet_execution_apply_pause(execution);
  fw__fleet_execution_update(execution, now_ns);
  return fw__fleet_execution_write_paths(execution, &controller->fleet, schedule);
}

// ---- the result: may it come into force?

// Says in the log where plans are computed, when that changes: on a GPU, or why not.
static void log_backend(const fw_controller_impl_t * controller, const fw_stats_t * stats)
{
  const fw_stats_t * before = &controller->stats;
  const bool is_same = strcmp(before->backend, stats->backend) == 0 && strcmp(before->device, stats->device) == 0 &&
                       strcmp(before->note, stats->note) == 0;
  if (!is_same && stats->backend[0] != '\0') {
    fw__log(
      &controller->log, stats->note[0] != '\0' ? FW_LOG_WARN : FW_LOG_INFO, "plans are computed on %s%s%s%s%s",
      stats->backend, stats->device[0] != '\0' ? ", " : "", stats->device, stats->note[0] != '\0' ? ": " : "",
      stats->note);
  }
}

static void note_stats(fw_controller_impl_t * controller)
{
  const fw_round_result_t * result = &controller->worker.result;
  log_backend(controller, &result->plan.stats);
  controller->outcome = result->outcome;
  controller->stop = result->stop;
  controller->stats = result->plan.stats;
  controller->solve_times_ns[controller->solve_times_count++ % FW_SOLVE_TIMES_SIZE] = result->elapsed_ns;
  controller->whole_solve_ns = result->is_partial ? controller->whole_solve_ns : result->elapsed_ns;
  controller->whole_expanded = result->is_partial ? controller->whole_expanded : result->plan.stats.expanded;
  controller->planned_robots += result->planned;
  controller->expanded += result->expanded;
}

static void count_round(fw_controller_impl_t * controller)
{
  const fw_round_result_t * result = &controller->worker.result;
  controller->rounds += 1;
  controller->continued_rounds += result->continues ? 1 : 0;
  controller->partial_rounds += result->is_partial ? 1 : 0;
  controller->fallback_rounds += result->was_partial && !result->is_partial ? 1 : 0;
  controller->partial_in_a_row = result->is_partial ? controller->partial_in_a_row + 1 : 0;
}

// A robot that gets its path after the epoch still follows the old one while the others follow the new one. So half of
// the lead is kept for the transport to the robots. When no robot drives, the epoch is postponed instead.
static bool is_in_time(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_round_request_t * request = &controller->worker.solved;
  const int64_t lead_ns = fw__seconds_to_ns(controller->settings.plan_lead_seconds);
  const int64_t elapsed_ns = controller->worker.result.elapsed_ns;
  const bool is_late = now_ns + lead_ns / 2 >= request->epoch_ns;
  if (is_late && request->epoch_is_movable) {
    request->epoch_ns = now_ns + lead_ns;
  } else if (is_late) {
    controller->late_count += 1;
    controller->lead_ns = 2 * controller->lead_ns + elapsed_ns;
    controller->lead_ns = controller->lead_ns > LEAD_MAX_NS ? LEAD_MAX_NS : controller->lead_ns;
    return false;
  }
  if (controller->lead_ns > lead_ns && elapsed_ns < controller->lead_ns / 4) {
    controller->lead_ns = controller->lead_ns / 2 > lead_ns ? controller->lead_ns / 2 : lead_ns;
  }
  return true;
}

// A plan that ends before the goals is continued when half of it is over: there is still time to plan then.
static void set_next_window(fw_controller_impl_t * controller)
{
  const fw_schedule_t * schedule = &controller->schedule;
  const int64_t half_ns =
    schedule->safe_until_ns < FW_TIME_MAX_NS ? (schedule->safe_until_ns - schedule->epoch_ns) / 2 : 0;
  const int64_t least_ns = schedule->tick_ns + controller->lead_ns;
  controller->next_window_ns = schedule->epoch_ns + (half_ns > least_ns ? half_ns : least_ns) - controller->lead_ns;
}

static void remember_warm_start(fw_controller_impl_t * controller)
{
  const fw_round_request_t * request = &controller->worker.solved;
  controller->warm_start = (fw_warm_start_t){
    .is_valid = true,
    .epoch_ns = request->epoch_ns,
    .tick_ns = request->tick_ns,
    .map_revision = request->map_revision,
  };
}

// Closures may have changed while the worker solved: its result does not know them.
static void check_new_closures(fw_controller_impl_t * controller, int64_t now_ns)
{
  const fw_closure_query_t all = {{INT64_MIN, FW_TIME_MAX_NS}, now_ns};
  const bool are_new = controller->worker.solved.closure_revision != controller->closures.revision;
  if (are_new && fw__closure_sources_touch(&controller->closures, &controller->schedule, all)) {
    fw__controller_request_round(controller, "a planned path is closed");
  }
}

static bool is_blocked_cell(const fw_controller_impl_t * controller, fw_cell_t cell)
{
  return fw__blocked_cells_has(&controller->blocked, cell);
}

// The same for blocked cells.
static void check_newly_blocked(fw_controller_impl_t * controller)
{
  const bool are_new = controller->worker.solved.blocked_revision != controller->blocked.revision;
  if (are_new && fw__controller_any_path_crosses(controller, is_blocked_cell)) {
    fw__controller_request_round(controller, "a planned path is blocked");
  }
}

// Would two robots have to begin in one place? Such a request cannot be planned. It comes of robots that were stopped
// on motions out of cells into which others have been released since.
static bool do_starts_overlap(const fw_round_request_t * request)
{
  bool overlap = false;
  for (int32_t a = 0; a < request->count; ++a) {
    for (int32_t b = 0; !overlap && b < a; ++b) {
      const fw_placed_body_t one = {&request->agents[a].body, request->agents[a].start};
      const fw_placed_body_t two = {&request->agents[b].body, request->agents[b].start};
      overlap = fw__robot_bodies_overlap(one, two, request->grid.width);
    }
  }
  return overlap;
}

bool fw__round_take_result(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_round_worker_t * worker = &controller->worker;
  const fw_round_result_t * result = &worker->result;
  controller->warm_start.is_valid = false;  // until this result is in force
  FW_ASSERT(fw__round_worker_state(worker) == FW_ROUND_WORKER_DONE);
  if (fw__round_worker_is_cancelled(worker)) {
    return false;  // the cancelling code has requested the next round
  }
  if (result->ret != FW_RET_OK) {
    fw__round_note_failure(controller, worker->request.planner.name, result->error.text);
    controller->contradictions = do_starts_overlap(&worker->request) ? controller->contradictions + 1 : 0;
    return false;
  }
  controller->contradictions = 0;
  note_stats(controller);
  if (result->conflict.kind != FW_CONFLICT_NONE) {
    fw__round_note_failure(controller, "a plan failed the check", result->conflict_text);
    return false;
  }
  if (controller->execution.is_on) {
    if (!splice_result(controller, now_ns)) {
      return false;
    }
  } else if (!is_in_time(controller, now_ns)) {
    fw__controller_request_round(controller, "the last plan came too late");
    return false;
  } else if (!adopt_result(controller, now_ns)) {
    fw__round_note_failure(controller, "out of memory", "the paths of the robots");
    controller->schedule_is_new = true;  // it is empty: all robots are told to stop
    return false;
  }
  set_next_window(controller);
  remember_warm_start(controller);
  check_new_closures(controller, now_ns);
  check_newly_blocked(controller);
  controller->planner_fault.text[0] = '\0';
  controller->unspliced = 0;
  count_round(controller);
  return true;
}
