// Simulation: its start from the parameters, its clock, its steps and its end. See simulation.h.

#include "ros/fleet_sim/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rcutils/logging_macros.h>

#include "base/assert.h"
#include "base/error.h"
#include "fleetweave/files.h"
#include "map_files/occupancy_file.h"

static const int64_t STEP_NS = 20000000;  // a robot at 1 m/s moves 2 cm
static const double STATUS_PERIOD = 1.0;  // simulated seconds

// ---- clock: when the next step is due, and the time of the simulation then

static const int64_t SECOND_NS = 1000000000;
static const int64_t BEHIND_MAX_NS = 100000000;  // of simulated time; further behind, the clock slows down

static int64_t system_now_ns(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static sim_clock_t start_clock(bool is_own, double factor)
{
  return (sim_clock_t){
    .is_own = is_own,
    .factor = factor,
    .now_ns = is_own ? 0 : system_now_ns(),
    .due_ns = fw_clock_now_ns(),
  };
}

// Until the next step is due; 0: it is. `jumped`: the system's time was set, and the clock has followed.
static int64_t clock_wait_ns(sim_clock_t * clock, bool * jumped)
{
  *jumped = false;
  if (clock->is_own) {
    const int64_t now_ns = fw_clock_now_ns();
    if (clock->factor == 0.0 || now_ns > clock->due_ns + BEHIND_MAX_NS) {
      clock->due_ns = now_ns;
    }
    return clock->due_ns > now_ns ? clock->due_ns - now_ns : 0;
  }
  const int64_t now_ns = system_now_ns();
  const int64_t behind_ns = now_ns - clock->now_ns;
  if (behind_ns > 5 * SECOND_NS || behind_ns < -SECOND_NS) {
    clock->now_ns = now_ns;
    *jumped = true;
  }
  const int64_t wait_ns = clock->now_ns + STEP_NS - now_ns;
  return wait_ns > 0 ? wait_ns : 0;
}

static void clock_step(sim_clock_t * clock)
{
  clock->now_ns += STEP_NS;
  clock->elapsed_ns += STEP_NS;
  if (clock->factor > 0.0) {
    clock->due_ns += (int64_t)((double)STEP_NS / clock->factor);
  }
}

static double clock_seconds(const sim_clock_t * clock) { return 1e-9 * (double)clock->elapsed_ns; }

// ---- cells, poses and goals

static fw_pose2d_t centre_of(const sim_simulation_t * simulation, fw_cell_t cell)
{
  FW_ASSERT(cell >= 0 && cell < fw_grid_cell_count(&simulation->grid));
  const double size = simulation->parameters.cell_size;
  const fw_pose2d_t centre = {
    .x = size * (0.5 + (double)fw_grid_x(&simulation->grid, cell)),
    .y = size * (0.5 + (double)fw_grid_y(&simulation->grid, cell)),
  };
  return sim_fleet_to_map(&simulation->fleet.options, centre);
}

static fw_cell_t cell_at(const sim_simulation_t * simulation, const fw_pose2d_t * pose)
{
  const double size = simulation->parameters.cell_size;
  const fw_pose2d_t in_grid = sim_fleet_to_grid(&simulation->fleet.options, *pose);
  const int32_t x = (int32_t)floor(in_grid.x / size);
  const int32_t y = (int32_t)floor(in_grid.y / size);
  return fw_grid_contains(&simulation->grid, x, y) ? fw_grid_cell(&simulation->grid, x, y) : FW_CELL_NONE;
}

static void record_goal(int32_t robot, void * state)
{
  sim_simulation_t * simulation = state;
  const fw_pose2d_t goal = sim_fleet_to_grid(&simulation->fleet.options, simulation->fleet.robots[robot].goal);
  sim_record_goal(&simulation->record, clock_seconds(&simulation->clock), robot, &goal);
}

// ---- start

// A map of map_server becomes cells of cell_size, from its origin on. A generator line has a colon after its kind, as
// in "warehouse:41x21"; everything else is a file.
static fw_ret_t read_map(sim_simulation_t * simulation, fw_error_t * error)
{
  const char * map = simulation->parameters.map;
  const bool is_line = strchr(map, ':') != NULL && strchr(map, '/') == NULL;
  if (is_line) {
    return fw_grid_make(&simulation->grid, map, NULL, error);
  }
  if (!fw__occupancy_file_is(map)) {
    return fw_grid_read(&simulation->grid, map, NULL, error);
  }
  fw_pose_t origin = {0};
  const fw_planning_files_t files = {
    .map = map,
    .cell = simulation->parameters.cell_size,
    .map_cost_max = 1,
    .connectivity = 4,
    .origin = &origin,
  };
  const fw_ret_t ret = fw__planning_files_read(&simulation->grid, &files, error);
  simulation->origin = (fw_pose2d_t){origin.point.x, origin.point.y, origin.yaw};
  return ret;
}

// Footprint, heading and speed of each robot, for the fleet, and its shape for the goals.
static fw_ret_t read_shapes(sim_simulation_t * simulation, sim_shape_t * shapes, fw_error_t * error)
{
  const sim_parameters_t * parameters = &simulation->parameters;
  FW_ASSERT(parameters->footprints.count == 0 || parameters->footprints.count == parameters->robots.count);
  FW_ASSERT(parameters->turn_ticks.count == 0 || parameters->turn_ticks.count == parameters->robots.count);
  FW_ASSERT(parameters->ticks_per_move.count == 0 || parameters->ticks_per_move.count == parameters->robots.count);
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; ret == FW_RET_OK && i < parameters->robots.count; ++i) {
    sim_fleet_robot_t * robot = &simulation->fleet.robots[i];
    const char * text = parameters->footprints.count == 0 ? "" : parameters->footprints.items[i].data;
    ret = fw__rotated_footprints_get(&simulation->footprints, text, &robot->footprint, error);
    robot->has_heading = parameters->turn_ticks.count > 0 && parameters->turn_ticks.items[i] > 0;
    robot->speed_factor =
      parameters->ticks_per_move.count == 0 ? 1.0 : 1.0 / (double)parameters->ticks_per_move.items[i];
    robot->fault_factor = 1.0;
    shapes[i] = (sim_shape_t){robot->footprint, robot->has_heading};
  }
  return ret;
}

static fw_ret_t start_of(const sim_simulation_t * simulation, int32_t robot, fw_pose2d_t * pose, fw_error_t * error)
{
  const sim_parameters_t * parameters = &simulation->parameters;
  const fw_grid_t * grid = &simulation->grid;
  double x = -1.0, y = -1.0;
  char rest;
  if (parameters->starts.count == 0) {
    *pose = centre_of(simulation, sim_goals_start(&simulation->goals, robot));
    return FW_RET_OK;
  }
  const char * text = parameters->starts.items[robot].data;
  const bool is_inside = sscanf(text, "%lf,%lf%c", &x, &y, &rest) == 2 && x > -0.5 && y > -0.5 &&
                         x < (double)grid->width - 0.5 && y < (double)grid->height - 0.5;
  if (!is_inside || !fw_grid_is_free(grid, (int32_t)floor(x + 0.5), (int32_t)floor(y + 0.5))) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "starts: '%.100s' must be x,y of a free cell", text);
  }
  const double size = parameters->cell_size;
  const fw_pose2d_t place = {.x = size * (0.5 + x), .y = size * (0.5 + y)};
  *pose = sim_fleet_to_map(&simulation->fleet.options, place);
  return FW_RET_OK;
}

static sim_fleet_options_t fleet_options(const sim_simulation_t * simulation)
{
  const sim_parameters_t * parameters = &simulation->parameters;
  const double turn_rate = parameters->max_turn_rate > 0.0 ? parameters->max_turn_rate : 1e3;
  return (sim_fleet_options_t){
    .robot_count = parameters->robots.count,
    .radius = parameters->robot_radius,
    .cell_size = parameters->cell_size,
    .origin = simulation->origin,
    .goal_tolerance = parameters->goal_tolerance,
    .driver_limits = {.speed = parameters->max_speed, .turn_rate = parameters->max_turn_rate},
    .mover = parameters->drive,
    .diff_drive =
      {
        .limits =
          {.speed = parameters->max_speed,
           .turn_rate = turn_rate,
           .acceleration = parameters->max_acceleration,
           .turn_acceleration = parameters->max_turn_acceleration},
        .error = parameters->drive_error,
        .command_timeout_ns = (int64_t)(1e9 * parameters->command_timeout),
        .is_holonomic = parameters->holonomic,
      },
  };
}

static fw_ret_t place_robots(sim_simulation_t * simulation, fw_error_t * error)
{
  const sim_parameters_t * parameters = &simulation->parameters;
  const sim_fleet_options_t options = fleet_options(simulation);
  sim_shape_t * shapes = calloc((size_t)options.robot_count, sizeof(*shapes));
  simulation->goal_cells = malloc((size_t)options.robot_count * sizeof(*simulation->goal_cells));
  fw_ret_t ret = shapes == NULL || simulation->goal_cells == NULL ? fw__error_memory(error) : FW_RET_OK;
  if (ret == FW_RET_OK) {
    ret = sim_fleet_init(&simulation->fleet, &options, error);
  }
  if (ret == FW_RET_OK) {
    ret = read_shapes(simulation, shapes, error);
  }
  if (ret == FW_RET_OK) {
    const sim_goals_options_t goals = {
      .grid = &simulation->grid,
      .shapes = shapes,
      .robot_count = options.robot_count,
      .seed = (uint64_t)parameters->seed,
    };
    ret = sim_goals_init(&simulation->goals, &goals, error);
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < options.robot_count; ++i) {
    fw_pose2d_t pose = {0};
    ret = start_of(simulation, i, &pose, error);
    if (ret == FW_RET_OK) {
      simulation->goal_cells[i] = FW_CELL_NONE;
      sim_fleet_robot_t * robot = &simulation->fleet.robots[i];
      robot->driver.pose = pose;
      robot->is_placed = options.mover != SIM_MOVER_EXTERNAL;
      robot->diff_drive.rng = fw__rng((uint64_t)parameters->seed * 1000003 + (uint64_t)i);
    }
  }
  free(shapes);
  return ret;
}

fw_ret_t sim_simulation_init(sim_simulation_t * simulation, int argc, char ** argv, fw_error_t * error)
{
  *simulation = (sim_simulation_t){0};
  sim_parameters_t * parameters = &simulation->parameters;
  fw_ret_t ret = sim_topics_init(&simulation->topics, argc, argv, error);
  if (ret == FW_RET_OK) {
    const ros_parameter_source_t source = ros_session_parameter_source(&simulation->topics.session);
    ret = sim_parameters_init(parameters, &source, error);
  }
  if (ret == FW_RET_OK) {
    ret = read_map(simulation, error);
  }
  if (ret == FW_RET_OK) {
    ret = place_robots(simulation, error);
  }
  if (ret == FW_RET_OK) {
    ret = sim_faults_init(&simulation->faults, parameters, error);
  }
  if (ret == FW_RET_OK) {
    const sim_record_options_t options = {
      .path = parameters->record, .grid = &simulation->grid, .cell_size = parameters->cell_size};
    ret = sim_record_open(&simulation->record, &options, &simulation->fleet, error);
  }
  if (ret == FW_RET_OK) {
    simulation->topics.on_goal = record_goal;
    simulation->topics.on_goal_state = simulation;
    simulation->topics.parameters = parameters;
    simulation->topics.fleet = &simulation->fleet;
    simulation->topics.faults = &simulation->faults;
    ret = sim_topics_connect(&simulation->topics, error);
  }
  return ret;
}

void sim_simulation_fini(sim_simulation_t * simulation)
{
  (void)!sim_record_close(&simulation->record, NULL);
  sim_topics_fini(&simulation->topics);
  sim_fleet_fini(&simulation->fleet);
  sim_faults_fini(&simulation->faults);
  fw__rotated_footprints_fini(&simulation->footprints);
  free(simulation->goal_cells);
  sim_goals_fini(&simulation->goals);
  fw_grid_fini(&simulation->grid);
  sim_parameters_fini(&simulation->parameters);
}

// ---- run

static void draw_goal(sim_simulation_t * simulation, int32_t robot)
{
  const fw_cell_t here = cell_at(simulation, &simulation->fleet.robots[robot].driver.pose);
  fw_cell_t * cell = &simulation->goal_cells[robot];
  *cell = sim_goals_draw(&simulation->goals, robot, here, *cell);
  const fw_pose2d_t goal = centre_of(simulation, *cell);
  sim_fleet_set_goal(&simulation->fleet, robot, goal.x, goal.y);
  simulation->topics.robots[robot].is_goal_unsent = true;
  record_goal(robot, simulation);
}

static bool draws_goals(const sim_simulation_t * simulation)
{
  return simulation->parameters.goals == SIM_GOALS_RANDOM;
}

static fw_ret_t begin(sim_simulation_t * simulation, fw_error_t * error)
{
  const sim_parameters_t * parameters = &simulation->parameters;
  simulation->clock = start_clock(parameters->publish_clock, parameters->rate_factor);
  RCUTILS_LOG_INFO_NAMED(
    simulation->topics.session.logger, "%d robot%s on %s, %d x %d cells of %g m", (int)parameters->robots.count,
    parameters->robots.count == 1 ? "" : "s", parameters->map, (int)simulation->grid.width,
    (int)simulation->grid.height, parameters->cell_size);
  sim_record_poses(&simulation->record, 0.0, &simulation->fleet);
  for (int32_t i = 0; draws_goals(simulation) && i < parameters->robots.count; ++i) {
    draw_goal(simulation, i);
  }
  return sim_topics_publish_map(&simulation->topics, &simulation->grid, simulation->clock.now_ns, error);
}

static void handle_events(sim_simulation_t * simulation)
{
  const double seconds = clock_seconds(&simulation->clock);
  for (int32_t i = 0; i < simulation->fleet.event_count; ++i) {
    const sim_event_t * event = &simulation->fleet.events[i];
    sim_record_event(&simulation->record, seconds, event);
    if (event->kind == SIM_EVENT_OVERLAP) {
      RCUTILS_LOG_ERROR_NAMED(
        simulation->topics.session.logger, "%s and %s overlap at %.2f s",
        sim_robot_name(&simulation->parameters, event->robot), sim_robot_name(&simulation->parameters, event->other),
        seconds);
    } else if (draws_goals(simulation)) {
      draw_goal(simulation, event->robot);
    }
  }
}

// True once per period of simulated time; never for a period of 0.
static bool is_due(const sim_clock_t * clock, double period)
{
  if (period <= 0.0) {
    return false;
  }
  const double seconds = clock_seconds(clock);
  const double before = 1e-9 * (double)(clock->elapsed_ns - STEP_NS);
  return floor(seconds / period + 1e-9) > floor(before / period + 1e-9);
}

static void log_progress(const sim_simulation_t * simulation, const char * what)
{
  const sim_fleet_t * fleet = &simulation->fleet;
  const double seconds = clock_seconds(&simulation->clock);
  RCUTILS_LOG_INFO_NAMED(
    simulation->topics.session.logger,
    "%s %.0f s: %lld goals reached, %.1f per minute, %lld overlaps, at most %.2f s late", what, seconds,
    (long long)fleet->arrivals, sim_goals_per_minute(fleet, seconds), (long long)fleet->overlaps,
    fleet->late_max_seconds);
}

static fw_ret_t step(sim_simulation_t * simulation, fw_error_t * error)
{
  sim_clock_t * clock = &simulation->clock;
  sim_topics_t * topics = &simulation->topics;
  clock_step(clock);
  sim_faults_step(&simulation->faults, clock_seconds(clock), 1e-9 * (double)STEP_NS, &simulation->fleet);
  fw_ret_t ret = sim_fleet_step(&simulation->fleet, clock->now_ns, 1e-9 * (double)STEP_NS, error);
  if (ret == FW_RET_OK && simulation->parameters.publish_clock) {
    ret = sim_topics_publish_clock(topics, clock->now_ns, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  handle_events(simulation);
  if (is_due(clock, 1.0 / simulation->parameters.odom_rate)) {
    sim_record_poses(&simulation->record, clock_seconds(clock), &simulation->fleet);
    if (simulation->fleet.options.mover != SIM_MOVER_EXTERNAL) {
      ret = sim_topics_publish_poses(topics, clock->now_ns, error);
    }
  }
  if (ret == FW_RET_OK && draws_goals(simulation)) {
    ret = sim_topics_publish_goals(topics, clock->now_ns, error);
  }
  if (ret == FW_RET_OK && is_due(clock, STATUS_PERIOD)) {
    ret = sim_topics_publish_status(topics, clock->now_ns, clock_seconds(clock), error);
  }
  if (is_due(clock, simulation->parameters.report_period)) {
    log_progress(simulation, "at");
  }
  return ret;
}

fw_ret_t sim_simulation_run(sim_simulation_t * simulation, const atomic_bool * is_stopped, fw_error_t * error)
{
  sim_clock_t * clock = &simulation->clock;
  const double duration = simulation->parameters.duration;
  fw_ret_t ret = begin(simulation, error);
  while (ret == FW_RET_OK && !atomic_load(is_stopped) && (duration <= 0.0 || clock_seconds(clock) < duration - 1e-9)) {
    bool has_jumped = false;
    const int64_t wait_ns = clock_wait_ns(clock, &has_jumped);
    if (has_jumped) {
      RCUTILS_LOG_WARN_NAMED(
        simulation->topics.session.logger, "the system's time has jumped: the simulation continues from there");
    }
    ret = ros_session_spin(&simulation->topics.executor, wait_ns, error);
    ros_log_flush(&simulation->topics.log);
    if (ret == FW_RET_OK && clock_wait_ns(clock, &has_jumped) == 0) {
      ret = step(simulation, error);
    }
  }
  if (ret == FW_RET_OK) {
    ret = sim_topics_publish_status(&simulation->topics, clock->now_ns, clock_seconds(clock), error);
    sim_topics_flush(&simulation->topics);
    log_progress(simulation, "ended after");
  }
  const fw_ret_t closed = sim_record_close(&simulation->record, ret == FW_RET_OK ? error : NULL);
  return ret == FW_RET_OK ? closed : ret;
}
