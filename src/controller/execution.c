// The dependency graph in the node's world: its life, reports, obstacles, timed paths and releases. See execution.h.

#include "controller/execution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"
#include "controller/body.h"

static const double NEVER = 1e9;               // seconds, or cells
static const int64_t DRAIN_NS = 15000000000;   // robots that do not stand after this are not waited for
static const double OBSTRUCTED_SECONDS = 1.0;  // a robot has had time to stop before its release is withdrawn

void fw__fleet_execution_fini(fw_fleet_execution_t * execution)
{
  fw_execution_fini(&execution->graph);
  free(execution->obstacles.obstacle);
  free(execution->obstacles.robot_cells);
  *execution = (fw_fleet_execution_t){0};
}

// ---- beginning and end

static fw_execution_options_t options_of(const fw_controller_site_t * site, int64_t tick_ns)
{
  const fw_map_frame_t * frame = &site->map->frame;
  const fw_controller_settings_t * settings = site->settings;
  const double cell = frame->resolution;
  fw_execution_options_t options = fw_execution_options_default();
  options.seconds_per_tick = (double)tick_ns * 1e-9;
  options.rings = settings->robust_ticks == 0 ? FW_RINGS_TOGETHER : FW_RINGS_REFUSED;
  options.tolerance = fw__waypoint_tolerance(settings, site->map->robot_radius, cell);
  options.yaw_tolerance = 0.2;
  options.off_path_max = settings->plan_tolerance > 0.0 ? fmin(settings->plan_tolerance / cell, 0.75) : NEVER;
  options.ahead_max = settings->release_ahead / cell;
  // Where silence of a robot that stands means nothing, the fleet decides who is stale.
  const bool can_be_stale = settings->odom_timeout > 0.0 && !settings->poses_are_on_change;
  options.stale_seconds = can_be_stale ? settings->odom_timeout : NEVER;
  options.stopped_seconds = settings->stopped_timeout > 0.0 ? settings->stopped_timeout : NEVER;
  return options;
}

bool fw__fleet_execution_is_outdated(const fw_fleet_execution_t * execution, int64_t tick_ns)
{
  const fw_planning_map_t * map = execution->site.map;
  const fw_execution_options_t new = options_of(&execution->site, tick_ns);
  const fw_execution_options_t * old = &execution->options;
  return execution->has_old_bodies || !fw__map_frames_are_equal(&execution->frame, &map->frame) ||
         execution->connectivity != execution->site.settings->connectivity ||
         old->seconds_per_tick != new.seconds_per_tick || old->rings != new.rings || old->tolerance != new.tolerance ||
         old->off_path_max != new.off_path_max || old->ahead_max != new.ahead_max ||
         old->stale_seconds != new.stale_seconds || old->stopped_seconds != new.stopped_seconds;
}

bool fw__fleet_execution_begin(fw_fleet_execution_t * execution, int64_t tick_ns, int64_t now_ns, fw_error_t * reason)
{
  FW_ASSERT(!execution->is_on && tick_ns > 0 && execution->site.map->revision > 0);
  fw_error_t error = {0};
  execution->options = options_of(&execution->site, tick_ns);
  execution->frame = execution->site.map->frame;
  execution->connectivity = execution->site.settings->connectivity;
  execution->base_ns = now_ns;
  execution->obstacles.is_known = false;
  execution->is_draining = false;
  execution->is_cut = false;
  execution->has_old_bodies = false;
  execution->is_on = fw_execution_init(&execution->graph, &execution->options, &error) == FW_RET_OK;
  if (!execution->is_on) {
    return fw__refuse(reason, "%s", error.text);
  }
  if (execution->is_paused) {
    fw_execution_pause(&execution->graph);
  }
  return true;
}

void fw__fleet_execution_end(fw_fleet_execution_t * execution, fw_controller_fleet_t * fleet)
{
  fw_execution_fini(&execution->graph);
  execution->graph = (fw_execution_t){0};
  execution->is_on = false;
  execution->is_draining = false;
  execution->is_cut = false;
  for (int32_t k = 0; k < fleet->count; ++k) {
    fleet->robots[k].has_new_release = true;
    fleet->robots[k].published_stop = -1;
  }
}

void fw__fleet_execution_drain(fw_fleet_execution_t * execution, int64_t now_ns)
{
  if (execution->is_on && !execution->is_draining) {
    execution->is_draining = true;
    execution->drain_end_ns = now_ns + DRAIN_NS;
    fw_execution_pause(&execution->graph);
  }
}

bool fw__fleet_execution_has_drained(
  const fw_fleet_execution_t * execution, const fw_controller_fleet_t * fleet, int64_t now_ns)
{
  bool all_stand = true;
  for (int32_t k = 0; all_stand && k < fleet->count; ++k) {
    const fw_execution_status_t status = fw__fleet_execution_status(execution, k);
    all_stand = status.state == FW_EXECUTION_ABSENT || status.reached == status.stop_at ||
                fw__fleet_execution_is_stuck(execution, k);
  }
  return all_stand || now_ns >= execution->drain_end_ns;
}

// ---- progress

double fw__fleet_execution_seconds(const fw_fleet_execution_t * execution, int64_t time_ns)
{
  return (double)(time_ns - execution->base_ns) * 1e-9;
}

void fw__fleet_execution_report(
  fw_fleet_execution_t * execution, const fw_controlled_robot_t * robot, int32_t index, int64_t now_ns)
{
  FW_ASSERT(robot->has_pose && fw__point_is_finite(robot->point));
  const fw_point_t at = fw__raster_coordinates(&execution->frame, robot->point);
  const fw_execution_measure_t measure = {
    .time = fw__fleet_execution_seconds(execution, now_ns),
    .x = at.x - 0.5,
    .y = at.y - 0.5,
    .yaw = robot->yaw - execution->frame.yaw,
  };
  fw_error_t error = {0};
  if (fw_execution_report(&execution->graph, index, &measure, &error) != FW_RET_OK) {
    fw__log(execution->site.log, FW_LOG_DEBUG, "report of %s: %s", robot->name, error.text);
  }
}

void fw__fleet_execution_update(fw_fleet_execution_t * execution, int64_t now_ns)
{
  fw_execution_update(&execution->graph, fw__fleet_execution_seconds(execution, now_ns));
}

fw_execution_status_t fw__fleet_execution_status(const fw_fleet_execution_t * execution, int32_t index)
{
  fw_execution_status_t status = {.other = -1, .root = -1, .cell = FW_CELL_NONE};
  if (execution->is_on && fw_execution_robot(&execution->graph, index, &status, NULL) != FW_RET_OK) {
    status.state = FW_EXECUTION_ABSENT;
  }
  return status;
}

bool fw__fleet_execution_has(const fw_fleet_execution_t * execution, int32_t index)
{
  return fw__fleet_execution_status(execution, index).state != FW_EXECUTION_ABSENT;
}

bool fw__fleet_execution_is_stuck(const fw_fleet_execution_t * execution, int32_t index)
{
  const fw_execution_state_t state = fw__fleet_execution_status(execution, index).state;
  return state == FW_EXECUTION_STOPPED || state == FW_EXECUTION_OBSTRUCTED || state == FW_EXECUTION_OFF_PATH ||
         state == FW_EXECUTION_STALE;
}

void fw__fleet_execution_remove(fw_fleet_execution_t * execution, fw_controller_fleet_t * fleet, int32_t index)
{
  if (fw__fleet_execution_has(execution, index)) {
    fw_execution_remove(&execution->graph, index);
    fleet->robots[index].has_new_release = true;
    fleet->robots[index].published_stop = -1;
  }
}

void fw__fleet_execution_apply_pause(fw_fleet_execution_t * execution)
{
  if (execution->is_on && (execution->is_paused || execution->is_draining)) {
    fw_execution_pause(&execution->graph);
  } else if (execution->is_on) {
    fw_execution_resume(&execution->graph);
  }
}

void fw__fleet_execution_hold(fw_fleet_execution_t * execution, int32_t index, bool is_held)
{
  if (execution->is_on) {
    fw_execution_hold(&execution->graph, index, is_held);
  }
}

void fw__fleet_execution_mark_changed_releases(fw_fleet_execution_t * execution, fw_controller_fleet_t * fleet)
{
  int32_t count = 0;
  const int32_t * changed = fw_execution_changed(&execution->graph, &count);
  for (int32_t k = 0; k < count; ++k) {
    if (changed[k] >= fleet->count) {
      continue;
    }
    fw_controlled_robot_t * robot = &fleet->robots[changed[k]];
    const fw_execution_status_t status = fw__fleet_execution_status(execution, changed[k]);
    // A splice keeps what is released and the numbers of waypoints; such a change need not be published.
    robot->has_new_release = robot->has_new_release || status.stop_at != robot->published_stop;
  }
}

// ---- obstacles

enum { OBSTACLE_BLOCK = 64 };  // cells that are compared at once

typedef struct cell_list_t {
  fw_cell_t * cells;
  int32_t count;
  int32_t capacity;
  bool has_failed;  // an allocation failed: cells are missing
} cell_list_t;

static void add_cell(void * context, fw_cell_t cell)
{
  cell_list_t * cells = context;
  if (cells->count == cells->capacity) {
    const int32_t capacity = 2 * cells->capacity + 256;
    fw_cell_t * grown = fw__realloc(cells->cells, (size_t)capacity * sizeof *grown);
    if (grown == NULL) {
      cells->has_failed = true;
      return;
    }
    cells->cells = grown;
    cells->capacity = capacity;
  }
  cells->cells[cells->count++] = cell;
}

// Cells that a robot does not touch, but that diagonals beside it begin or end in: see touch_radius in map.h.
typedef struct beside_visitor_t {
  const fw_fleet_execution_t * execution;
  const fw_controller_fleet_t * fleet;
  cell_list_t * cells;
} beside_visitor_t;

// Not where a robot of the graph is: it has to be able to leave.
static void add_cell_beside(void * context, fw_cell_t cell)
{
  const beside_visitor_t * visitor = context;
  bool is_used = false;
  for (int32_t k = 0; !is_used && k < visitor->fleet->count; ++k) {
    is_used = fw__fleet_execution_has(visitor->execution, k) &&
              fw__map_frame_cell(&visitor->execution->frame, visitor->fleet->robots[k].point) == cell;
  }
  if (!is_used) {
    add_cell(visitor->cells, cell);
  }
}

static void find_cells_of_measured(
  const fw_fleet_execution_t * execution, const fw_controller_fleet_t * fleet, int32_t index, cell_list_t * cells)
{
  const fw_controlled_robot_t * robot = &fleet->robots[index];
  const fw_planning_map_t * map = execution->site.map;
  fw_measured_body_t measured = {&robot->body, fw__controlled_robot_pose(robot), map->robot_radius, 0.0};
  fw__robot_body_visit_touched_cells(
    &measured, &execution->frame, (fw_raster_visitor_t){.visit = add_cell, .context = cells});
  if (map->touch_radius > map->robot_radius) {
    beside_visitor_t visitor = {execution, fleet, cells};
    measured.radius = map->touch_radius;
    fw__robot_body_visit_touched_cells(
      &measured, &execution->frame, (fw_raster_visitor_t){.visit = add_cell_beside, .context = &visitor});
  }
}

static void find_robot_cells(
  const fw_fleet_execution_t * execution, const fw_controller_fleet_t * fleet, cell_list_t * cells)
{
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_controlled_robot_t * robot = &fleet->robots[k];
    if (robot->old_release.is_there) {
      const fw_reserved_space_t space = {&robot->old_release, &robot->body, execution->site.map->robot_radius};
      fw__reserved_space_visit_cells(
        &space, &execution->frame, (fw_raster_visitor_t){.visit = add_cell, .context = cells});
    } else if (robot->has_pose && !fw__fleet_execution_has(execution, k)) {
      find_cells_of_measured(execution, fleet, k, cells);
    }
  }
}

typedef struct static_layers_t {
  const fw_planning_map_t * map;
  const fw_map_frame_t * frame;  // of the graph; the map may have another one until all robots stand
  bool has_same_frame;
  const bool * is_blocked;  // by cell of the map; NULL: none is
} static_layers_t;

// What is known of a cell.
enum { CELL_FREE, CELL_BLOCKED, CELL_EXIT };

static fw_obstacle_change_t change_of(const fw_known_obstacles_t * known, fw_cell_t cell)
{
  return (fw_obstacle_change_t){cell, known->obstacle[cell] != CELL_FREE, known->obstacle[cell] == CELL_EXIT};
}

static uint8_t obstacle_at(const static_layers_t * layers, fw_cell_t cell)
{
  const fw_map_frame_t * frame = &layers->map->frame;
  const fw_cell_t at =
    layers->has_same_frame ? cell : fw__map_frame_cell(frame, fw__map_frame_point(layers->frame, cell));
  if (at == FW_CELL_NONE || layers->map->grid.cost[at] == 0 || (layers->is_blocked != NULL && layers->is_blocked[at])) {
    return CELL_BLOCKED;
  }
  return fw__planning_map_is_exit(layers->map, at) ? CELL_EXIT : CELL_FREE;
}

// Quickly true for most blocks: the loops have no branches, so that the compiler can compare many cells at once.
static bool block_is_same(const static_layers_t * layers, const uint8_t * known, fw_cell_t first)
{
  const uint8_t * cost = &layers->map->grid.cost[first];
  uint32_t differs = 0;
  if (!layers->has_same_frame || layers->map->exits != NULL) {
    return false;
  }
  if (layers->is_blocked == NULL) {
    for (int32_t k = 0; k < OBSTACLE_BLOCK; ++k) {
      differs |= (uint32_t)known[first + k] ^ (uint32_t)(cost[k] == 0);
    }
  } else {
    for (int32_t k = 0; k < OBSTACLE_BLOCK; ++k) {
      differs |= (uint32_t)known[first + k] ^ ((uint32_t)(cost[k] == 0) | (uint32_t)layers->is_blocked[first + k]);
    }
  }
  return differs == 0;
}

// Compares the obstacles of the present map and the blocked cells with those known, and adds each cell that differs.
static void update_static(fw_fleet_execution_t * execution, const fw_blocked_cells_t * blocked, cell_list_t * changed)
{
  fw_known_obstacles_t * known = &execution->obstacles;
  const fw_planning_map_t * map = execution->site.map;
  const static_layers_t layers = {
    .map = map,
    .frame = &execution->frame,
    .has_same_frame = fw__map_frames_are_equal(&execution->frame, &map->frame),
    .is_blocked = blocked->count > 0 ? blocked->cells : NULL,
  };
  for (fw_cell_t first = 0; first < known->cell_count; first += OBSTACLE_BLOCK) {
    const bool is_whole = first + OBSTACLE_BLOCK <= known->cell_count;
    const fw_cell_t end = is_whole ? first + OBSTACLE_BLOCK : known->cell_count;
    if (is_whole && block_is_same(&layers, known->obstacle, first)) {
      continue;
    }
    for (fw_cell_t cell = first; cell < end; ++cell) {
      const uint8_t obstacle = obstacle_at(&layers, cell);
      if (obstacle != known->obstacle[cell]) {
        known->obstacle[cell] = obstacle;
        add_cell(changed, cell);
      }
    }
  }
  known->visited += known->cell_count;
  known->map_revision = map->revision;
  known->blocked_revision = blocked->revision;
}

// Forgets what is known. False if there is no memory.
static bool reset_known(fw_fleet_execution_t * execution)
{
  fw_known_obstacles_t * known = &execution->obstacles;
  free(known->obstacle);
  known->cell_count = execution->frame.width * execution->frame.height;
  known->obstacle = fw__calloc((size_t)known->cell_count + 1, sizeof *known->obstacle);
  known->cell_count = known->obstacle == NULL ? 0 : known->cell_count;
  known->robot_cell_count = 0;
  known->map_revision = -1;
  return known->obstacle != NULL;
}

// Tells the graph of cells that may have changed: those of the map and of blocked cells, and where robots were and are.
static bool send_changes(fw_fleet_execution_t * execution, const cell_list_t * changed, const cell_list_t * robot_cells)
{
  const fw_known_obstacles_t * known = &execution->obstacles;
  const int32_t count = changed->count + known->robot_cell_count + robot_cells->count;
  const bool robots_are_same =
    robot_cells->count == known->robot_cell_count &&
    (robot_cells->count == 0 ||
     memcmp(robot_cells->cells, known->robot_cells, (size_t)robot_cells->count * sizeof *robot_cells->cells) == 0);
  if (changed->count == 0 && robots_are_same) {
    return true;
  }
  fw_obstacle_change_t * changes = fw__malloc(((size_t)count + 1) * sizeof *changes);
  if (changes == NULL) {
    return false;
  }
  int32_t used = 0;
  for (int32_t k = 0; k < changed->count; ++k) {
    changes[used++] = change_of(known, changed->cells[k]);
  }
  for (int32_t k = 0; k < known->robot_cell_count; ++k) {
    changes[used++] = change_of(known, known->robot_cells[k]);
  }
  for (int32_t k = 0; k < robot_cells->count; ++k) {  // last: where a robot is now, it counts
    changes[used++] = (fw_obstacle_change_t){.cell = robot_cells->cells[k], .is_blocked = true};
  }
  FW_ASSERT(used == count);
  const bool is_sent = fw_execution_change_obstacles(&execution->graph, changes, count, NULL) == FW_RET_OK;
  free(changes);
  return is_sent;
}

// Ways out were told as obstacles: opens those where no robot is that stands outside the graph.
static bool open_exits(fw_fleet_execution_t * execution, const cell_list_t * changed, const cell_list_t * robot_cells)
{
  const fw_known_obstacles_t * known = &execution->obstacles;
  bool is_sent = true;
  for (int32_t k = 0; k < changed->count && is_sent; ++k) {
    bool is_exit = known->obstacle[changed->cells[k]] == CELL_EXIT;
    for (int32_t i = 0; i < robot_cells->count && is_exit; ++i) {
      is_exit = robot_cells->cells[i] != changed->cells[k];
    }
    const fw_obstacle_change_t change = change_of(known, changed->cells[k]);
    is_sent = !is_exit || fw_execution_change_obstacles(&execution->graph, &change, 1, NULL) == FW_RET_OK;
  }
  return is_sent;
}

// Tells the graph all obstacles. `changed` is everything that is static: what is known was reset before.
static bool send_all(fw_fleet_execution_t * execution, cell_list_t * changed, const cell_list_t * robot_cells)
{
  for (int32_t k = 0; k < robot_cells->count; ++k) {
    add_cell(changed, robot_cells->cells[k]);
  }
  return !changed->has_failed &&
         fw_execution_set_obstacles(&execution->graph, changed->cells, changed->count, NULL) == FW_RET_OK &&
         (execution->site.map->exits == NULL || open_exits(execution, changed, robot_cells));
}

bool fw__fleet_execution_set_obstacles(
  fw_fleet_execution_t * execution, const fw_blocked_cells_t * blocked, const fw_controller_fleet_t * fleet)
{
  fw_known_obstacles_t * known = &execution->obstacles;
  cell_list_t changed = {0}, robot_cells = {0};
  // A first splice brings the graph's grid, and what it was told before is void.
  const bool is_known = known->is_known && fw_execution_change_obstacles(&execution->graph, NULL, 0, NULL) == FW_RET_OK;
  bool is_set = is_known || reset_known(execution);
  if (
    is_set && (known->map_revision != execution->site.map->revision || known->blocked_revision != blocked->revision)) {
    update_static(execution, blocked, &changed);
  }
  find_robot_cells(execution, fleet, &robot_cells);
  known->visited += robot_cells.count;
  is_set = is_set && !changed.has_failed && !robot_cells.has_failed;
  if (is_set) {
    is_set = is_known ? send_changes(execution, &changed, &robot_cells) : send_all(execution, &changed, &robot_cells);
  }
  free(changed.cells);
  free(known->robot_cells);
  known->robot_cells = robot_cells.cells;
  known->robot_cell_count = robot_cells.count;
  known->is_known = is_set;
  return is_set;
}

bool fw__fleet_execution_withdraw_obstructed(
  fw_fleet_execution_t * execution, fw_controller_fleet_t * fleet, int64_t now_ns)
{
  bool any = false;
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_execution_status_t status = fw__fleet_execution_status(execution, k);
    const double since = fw__fleet_execution_seconds(execution, now_ns) - status.since;
    if (
      status.state == FW_EXECUTION_OBSTRUCTED && since > OBSTRUCTED_SECONDS && fleet->robots[k].is_still &&
      fleet->robots[k].published_stop == status.stop_at) {
      any = fw_execution_withdraw(&execution->graph, k, NULL) == FW_RET_OK || any;
      fleet->robots[k].published_stop = -1;  // the next release is a different one, even if it ends at the same number
    }
  }
  return any;
}

// ---- timed paths
//
// A waypoint of the graph has a time of arrival. Where the next motion begins later than that, a second waypoint at the
// same place makes a wait. Behind a robot that has stopped for good times are infinite; there they continue as planned,
// as if it drove on now.

// How long the motion between two waypoints of the graph takes.
static double motion_seconds(
  const fw_fleet_execution_t * execution, const fw_robot_body_t * body, const fw_execution_waypoint_t * from,
  const fw_execution_waypoint_t * to)
{
  const int32_t ticks = from->cell != to->cell ? body->ticks_per_move : body->turn_ticks;
  return (double)ticks * execution->options.seconds_per_tick;
}

// Appends a waypoint with rising stamps.
static void append(
  const fw_fleet_execution_t * execution, fw_timed_path_t * timed_path, const fw_execution_waypoint_t * waypoint,
  double seconds)
{
  FW_ASSERT(timed_path->count < timed_path->capacity);
  const fw_robot_body_t * body = &timed_path->body;
  const bool is_round = body->turn_ticks == 0 && body->outline->counts[0] == 1;
  int64_t stamp_ns = execution->base_ns + (int64_t)(seconds * 1e9);
  if (timed_path->count > 0 && stamp_ns <= timed_path->waypoints[timed_path->count - 1].stamp_ns) {
    stamp_ns = timed_path->waypoints[timed_path->count - 1].stamp_ns + 1000;
  }
  timed_path->waypoints[timed_path->count++] = (fw_timed_waypoint_t){
    .stamp_ns = stamp_ns,
    .point = fw__map_frame_point(&execution->frame, waypoint->cell),
    .yaw = is_round ? NAN : fw__map_frame_yaw(&execution->frame, waypoint->heading),
  };
}

bool fw__fleet_execution_write_path(
  const fw_fleet_execution_t * execution, int32_t index, const fw_robot_body_t * body, fw_timed_path_t * timed_path)
{
  const fw_execution_status_t status = fw__fleet_execution_status(execution, index);
  timed_path->count = 0;
  timed_path->body = *body;
  if (status.state == FW_EXECUTION_ABSENT) {
    return true;
  }
  if (!fw__timed_path_reserve(timed_path, 2 * (status.end - status.reached + 1))) {
    return false;
  }
  FW_ASSERT(status.reached <= status.stop_at && status.stop_at <= status.end);
  fw_execution_waypoint_t before = {0};
  double time = 0.0;
  for (int32_t at = status.reached; at <= status.end; ++at) {
    fw_execution_waypoint_t waypoint;
    if (fw_execution_waypoint(&execution->graph, index, at, &waypoint, NULL) != FW_RET_OK) {
      return false;
    }
    if (at > status.reached) {
      const double seconds = motion_seconds(execution, body, &before, &waypoint);
      const double planned = time + fmax(waypoint.planned - before.planned, seconds);
      const double arrival = isfinite(waypoint.expected) ? fmax(waypoint.expected, time) : planned;
      // Less than half a tick is not a wait: times are not that exact.
      if (arrival - seconds > time + 0.5 * execution->options.seconds_per_tick) {
        append(execution, timed_path, &before, arrival - seconds);
      }
      time = arrival;
    } else {
      time = waypoint.expected;
    }
    append(execution, timed_path, &waypoint, time);
    before = waypoint;
  }
  return true;
}

double fw__fleet_execution_distance(const fw_fleet_execution_t * execution, int32_t index)
{
  const fw_execution_status_t status = fw__fleet_execution_status(execution, index);
  double distance = 0.0;
  fw_point_t before = {0};
  for (int32_t at = status.reached; status.state != FW_EXECUTION_ABSENT && at <= status.end; ++at) {
    fw_execution_waypoint_t waypoint;
    if (fw_execution_waypoint(&execution->graph, index, at, &waypoint, NULL) != FW_RET_OK) {
      break;
    }
    const fw_point_t point = fw__map_frame_point(&execution->frame, waypoint.cell);
    distance += at > status.reached ? fw__point_distance(before, point) : 0.0;
    before = point;
  }
  return fmax(distance - status.place * execution->frame.resolution, 0.0);
}

bool fw__fleet_execution_write_paths(
  const fw_fleet_execution_t * execution, const fw_controller_fleet_t * fleet, fw_schedule_t * schedule)
{
  FW_ASSERT(schedule->robot_count >= fleet->count);
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (!fw__fleet_execution_write_path(execution, k, &fleet->robots[k].body, &schedule->paths[k])) {
      return false;
    }
  }
  return true;
}

// How many waypoints of a path lead to its first places, and not to more.
static int32_t count_waypoints(const fw_timed_path_t * timed_path, int32_t places_max)
{
  int32_t places = 0, count = 0;
  for (int32_t k = 0; k < timed_path->count; ++k) {
    places +=
      k == 0 || !fw__timed_waypoints_are_alike(&timed_path->waypoints[k], &timed_path->waypoints[k - 1]) ? 1 : 0;
    count = places <= places_max ? k + 1 : count;
  }
  // A wait at the end belongs to the next release.
  while (count > 1 &&
         fw__timed_waypoints_are_alike(&timed_path->waypoints[count - 1], &timed_path->waypoints[count - 2])) {
    count -= 1;
  }
  return count;
}

fw_released_count_t fw__fleet_execution_released_count(
  const fw_fleet_execution_t * execution, int32_t index, const fw_timed_path_t * timed_path)
{
  const fw_execution_status_t status = fw__fleet_execution_status(execution, index);
  return (fw_released_count_t){
    .told = count_waypoints(timed_path, status.stop_at - status.reached + 1),
    .reserved = count_waypoints(timed_path, status.released - status.reached + 1),
  };
}
