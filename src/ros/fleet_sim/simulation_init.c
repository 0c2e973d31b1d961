// Simulation: its map, its robots and its place in the graph, from the parameters. See simulation.h.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fleetweave/files.h"
#include "ros/fleet_sim/simulation.h"

// A make line has a colon after its kind, as in "warehouse:41x21"; everything else is a file.
static fw_ret_t read_map(sim_simulation_t * simulation, fw_error_t * error)
{
  const char * map = simulation->parameters.map;
  const bool is_line = strchr(map, ':') != NULL && strchr(map, '/') == NULL;
  return is_line ? fw_grid_make(&simulation->grid, map, NULL, error)
                 : fw_grid_read(&simulation->grid, map, NULL, error);
}

// What each robot is like, into the fleet and, for where they find room, into `shapes`.
static fw_ret_t read_bodies(sim_simulation_t * simulation, sim_goals_shape_t * shapes, fw_error_t * error)
{
  const sim_parameters_t * parameters = &simulation->parameters;
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; ret == FW_RET_OK && i < parameters->robot_count; ++i) {
    sim_fleet_robot_t * robot = &simulation->fleet.robots[i];
    const char * text = parameters->footprints.count == 0 ? "" : parameters->footprints.items[i];
    ret = ros_footprints_get(&simulation->outlines, text, &robot->outline, error);
    robot->has_heading = parameters->turn_ticks.count > 0 && parameters->turn_ticks.items[i] > 0;
    robot->speed = parameters->ticks_per_move.count == 0 ? 1.0 : 1.0 / (double)parameters->ticks_per_move.items[i];
    robot->pace = 1.0;
    shapes[i] = (sim_goals_shape_t){robot->outline, robot->has_heading};
  }
  return ret;
}

static fw_ret_t start_of(const sim_simulation_t * simulation, int32_t robot, fw_cell_t * cell, fw_error_t * error)
{
  const sim_parameters_t * parameters = &simulation->parameters;
  int x = -1, y = -1;
  char rest;
  *cell = sim_goals_start(&simulation->goals, robot);
  if (parameters->starts.count == 0) {
    return FW_RET_OK;
  }
  const char * text = parameters->starts.items[robot];
  if (sscanf(text, "%d,%d%c", &x, &y, &rest) != 2 || !fw_grid_is_free(&simulation->grid, x, y)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter starts: '%s' must be x,y of a free cell", text);
  }
  *cell = fw_grid_cell(&simulation->grid, x, y);
  return FW_RET_OK;
}

static sim_fleet_options_t fleet_options(const sim_parameters_t * parameters)
{
  const double turn_rate = parameters->max_turn_rate > 0.0 ? parameters->max_turn_rate : 1e3;
  return (sim_fleet_options_t){
    .robot_count = parameters->robot_count,
    .radius = parameters->robot_radius,
    .cell_size = parameters->cell_size,
    .goal_tolerance = parameters->goal_tolerance,
    .limits = {.speed = parameters->max_speed, .turn_rate = parameters->max_turn_rate},
    .mover = strcmp(parameters->drive, "cmd_vel") == 0 ? FW_FLEET_WHEELS
             : strcmp(parameters->drive, "odom") == 0  ? FW_FLEET_ELSEWHERE
                                                       : FW_FLEET_DRIVERS,
    .wheels =
      {
        .limits =
          {.speed = parameters->max_speed,
           .turn_rate = turn_rate,
           .acceleration = parameters->max_acceleration,
           .turn_acceleration = parameters->max_turn_acceleration},
        .error = parameters->drive_error,
        .patience_ns = (int64_t)(1e9 * parameters->command_timeout),
      },
  };
}

static fw_ret_t place_robots(sim_simulation_t * simulation, fw_error_t * error)
{
  const sim_parameters_t * parameters = &simulation->parameters;
  const sim_fleet_options_t options = fleet_options(parameters);
  sim_goals_shape_t * shapes = calloc((size_t)options.robot_count, sizeof(*shapes));
  simulation->goal_cells = malloc((size_t)options.robot_count * sizeof(*simulation->goal_cells));
  fw_ret_t ret = shapes == NULL || simulation->goal_cells == NULL ? fw__error_memory(error) : FW_RET_OK;
  if (ret == FW_RET_OK) {
    ret = sim_fleet_init(&simulation->fleet, &options, error);
  }
  if (ret == FW_RET_OK) {
    ret = read_bodies(simulation, shapes, error);
  }
  if (ret == FW_RET_OK) {
    ret = sim_goals_init(
      &simulation->goals, &simulation->grid, shapes, options.robot_count, (uint64_t)parameters->seed, error);
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < options.robot_count; ++i) {
    fw_cell_t cell = FW_CELL_NONE;
    ret = start_of(simulation, i, &cell, error);
    if (ret == FW_RET_OK) {
      simulation->goal_cells[i] = FW_CELL_NONE;
      sim_fleet_robot_t * robot = &simulation->fleet.robots[i];
      robot->driver.pose = sim_simulation_centre(simulation, cell);
      robot->is_placed = options.mover != FW_FLEET_ELSEWHERE;
      robot->wheels.rng = fw__rng((uint64_t)parameters->seed * 1000003 + (uint64_t)i);
    }
  }
  free(shapes);
  return ret;
}

fw_ret_t sim_simulation_init(sim_simulation_t * simulation, int argc, char ** argv, fw_error_t * error)
{
  *simulation = (sim_simulation_t){0};
  sim_parameters_t * parameters = &simulation->parameters;
  fw_ret_t ret = sim_graph_init(&simulation->graph, argc, argv, error);
  if (ret == FW_RET_OK) {
    ret = sim_parameters_init(parameters, &simulation->graph.ros.node, error);
  }
  if (ret == FW_RET_OK) {
    ret = read_map(simulation, error);
  }
  if (ret == FW_RET_OK) {
    ret = place_robots(simulation, error);
  }
  if (ret == FW_RET_OK) {
    ret = sim_trouble_init(&simulation->trouble, parameters, error);
  }
  if (ret == FW_RET_OK) {
    const sim_record_options_t options = {
      .path = parameters->record, .grid = &simulation->grid, .cell_size = parameters->cell_size};
    ret = sim_record_open(&simulation->record, &options, &simulation->fleet, error);
  }
  if (ret == FW_RET_OK) {
    simulation->graph.on_goal = sim_simulation_record_goal;
    simulation->graph.on_goal_state = simulation;
    simulation->graph.trouble = &simulation->trouble;
    ret = sim_graph_connect(&simulation->graph, parameters, &simulation->fleet, error);
  }
  return ret;
}
