// Simulation: everything together, step by step to its end. See simulation.h; simulation_init.c is its beginning.

#include "ros/fleet_sim/simulation.h"

#include <math.h>
#include <rcutils/logging_macros.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ros/fleet_sim/outbox.h"

static const int64_t STEP_NS = 20000000;  // a robot at 1 m/s moves 2 cm
static const double STATUS_PERIOD = 1.0;  // simulated seconds

fw_pose_t sim_simulation_centre(const sim_simulation_t * simulation, fw_cell_t cell)
{
  const double size = simulation->parameters.cell_size;
  return (fw_pose_t){
    .x = size * (0.5 + (double)fw_grid_x(&simulation->grid, cell)),
    .y = size * (0.5 + (double)fw_grid_y(&simulation->grid, cell)),
  };
}

static fw_cell_t cell_at(const sim_simulation_t * simulation, const fw_pose_t * pose)
{
  const double size = simulation->parameters.cell_size;
  const int32_t x = (int32_t)floor(pose->x / size);
  const int32_t y = (int32_t)floor(pose->y / size);
  return fw_grid_contains(&simulation->grid, x, y) ? fw_grid_cell(&simulation->grid, x, y) : FW_CELL_NONE;
}

void sim_simulation_record_goal(int32_t robot, void * state)
{
  sim_simulation_t * simulation = state;
  sim_record_goal(
    &simulation->record, sim_clock_seconds(&simulation->clock), robot, &simulation->fleet.robots[robot].goal);
}

static void draw_goal(sim_simulation_t * simulation, int32_t robot)
{
  const fw_cell_t here = cell_at(simulation, &simulation->fleet.robots[robot].driver.pose);
  fw_cell_t * cell = &simulation->goal_cells[robot];
  *cell = sim_goals_draw(&simulation->goals, robot, here, *cell);
  const fw_pose_t goal = sim_simulation_centre(simulation, *cell);
  sim_fleet_set_goal(&simulation->fleet, robot, goal.x, goal.y);
  simulation->graph.robots[robot].is_goal_unsent = true;
  sim_simulation_record_goal(robot, simulation);
}

static bool draws_goals(const sim_simulation_t * simulation)
{
  return strcmp(simulation->parameters.goals, "random") == 0;
}

static fw_ret_t begin(sim_simulation_t * simulation, fw_error_t * error)
{
  const sim_parameters_t * parameters = &simulation->parameters;
  simulation->clock = sim_clock(parameters->publish_clock, parameters->rate_factor, STEP_NS);
  RCUTILS_LOG_INFO_NAMED(
    simulation->graph.ros.logger, "%d robots on %s, %d x %d cells of %g m", (int)parameters->robot_count,
    parameters->map, (int)simulation->grid.width, (int)simulation->grid.height, parameters->cell_size);
  sim_record_poses(&simulation->record, 0.0, &simulation->fleet);
  for (int32_t i = 0; draws_goals(simulation) && i < parameters->robot_count; ++i) {
    draw_goal(simulation, i);
  }
  return sim_outbox_map(&simulation->graph, &simulation->grid, simulation->clock.now_ns, error);
}

static void handle_events(sim_simulation_t * simulation)
{
  const double seconds = sim_clock_seconds(&simulation->clock);
  for (int32_t i = 0; i < simulation->fleet.event_count; ++i) {
    const sim_event_t * event = &simulation->fleet.events[i];
    sim_record_event(&simulation->record, seconds, event);
    if (event->kind == FW_EVENT_OVERLAP) {
      RCUTILS_LOG_ERROR_NAMED(
        simulation->graph.ros.logger, "%s and %s overlap at %.2f s", simulation->parameters.robots[event->robot],
        simulation->parameters.robots[event->other], seconds);
    } else if (draws_goals(simulation)) {
      draw_goal(simulation, event->robot);
    }
  }
}

// True once per period of simulated time; a period of 0 never ends.
static bool is_due(const sim_clock_t * clock, double period)
{
  if (period <= 0.0) {
    return false;
  }
  const double seconds = sim_clock_seconds(clock);
  const double before = 1e-9 * (double)(clock->elapsed_ns - clock->step_ns);
  return floor(seconds / period + 1e-9) > floor(before / period + 1e-9);
}

static void log_progress(const sim_simulation_t * simulation, const char * what)
{
  const sim_fleet_t * fleet = &simulation->fleet;
  const double seconds = sim_clock_seconds(&simulation->clock);
  RCUTILS_LOG_INFO_NAMED(
    simulation->graph.ros.logger, "%s %.0f s: %lld goals reached, %.1f per minute, %lld overlaps, at most %.2f s late",
    what, seconds, (long long)fleet->arrivals, sim_outbox_goals_per_minute(fleet, seconds), (long long)fleet->overlaps,
    fleet->late_max_seconds);
}

static fw_ret_t step(sim_simulation_t * simulation, fw_error_t * error)
{
  sim_clock_t * clock = &simulation->clock;
  sim_graph_t * graph = &simulation->graph;
  sim_clock_step(clock);
  sim_trouble_step(&simulation->trouble, sim_clock_seconds(clock), 1e-9 * (double)STEP_NS, &simulation->fleet);
  fw_ret_t ret = sim_fleet_step(&simulation->fleet, clock->now_ns, 1e-9 * (double)STEP_NS, error);
  if (ret == FW_RET_OK && simulation->parameters.publish_clock) {
    ret = sim_outbox_clock(graph, clock->now_ns, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  handle_events(simulation);
  if (is_due(clock, 1.0 / simulation->parameters.odom_rate)) {
    sim_record_poses(&simulation->record, sim_clock_seconds(clock), &simulation->fleet);
    if (simulation->fleet.options.mover != FW_FLEET_ELSEWHERE) {
      ret = sim_outbox_odometry(graph, clock->now_ns, error);
    }
  }
  if (ret == FW_RET_OK && draws_goals(simulation)) {
    ret = sim_outbox_goals(graph, clock->now_ns, error);
  }
  if (ret == FW_RET_OK && is_due(clock, STATUS_PERIOD)) {
    ret = sim_outbox_status(graph, clock->now_ns, sim_clock_seconds(clock), error);
  }
  if (is_due(clock, simulation->parameters.report_period)) {
    log_progress(simulation, "at");
  }
  return ret;
}

fw_ret_t sim_simulation_run(sim_simulation_t * simulation, const volatile sig_atomic_t * is_stopped, fw_error_t * error)
{
  sim_clock_t * clock = &simulation->clock;
  const double duration = simulation->parameters.duration;
  fw_ret_t ret = begin(simulation, error);
  while (ret == FW_RET_OK && !*is_stopped && (duration <= 0.0 || sim_clock_seconds(clock) < duration - 1e-9)) {
    bool has_jumped = false;
    const int64_t wait_ns = sim_clock_wait_ns(clock, &has_jumped);
    if (has_jumped) {
      RCUTILS_LOG_WARN_NAMED(simulation->graph.ros.logger, "the system's time has jumped: going on from there");
    }
    ret = sim_graph_spin(&simulation->graph, wait_ns, error);
    if (ret == FW_RET_OK && sim_clock_wait_ns(clock, &has_jumped) == 0) {
      ret = step(simulation, error);
    }
  }
  if (ret == FW_RET_OK) {
    ret = sim_outbox_status(&simulation->graph, clock->now_ns, sim_clock_seconds(clock), error);
    sim_outbox_flush(&simulation->graph);
    log_progress(simulation, "ended after");
  }
  const fw_ret_t closed = sim_record_close(&simulation->record, ret == FW_RET_OK ? error : NULL);
  return ret == FW_RET_OK ? closed : ret;
}

void sim_simulation_fini(sim_simulation_t * simulation)
{
  (void)!sim_record_close(&simulation->record, NULL);
  sim_graph_fini(&simulation->graph);
  sim_fleet_fini(&simulation->fleet);
  sim_trouble_fini(&simulation->trouble);
  ros_footprints_fini(&simulation->outlines);
  free(simulation->goal_cells);
  sim_goals_fini(&simulation->goals);
  fw_grid_fini(&simulation->grid);
  sim_parameters_fini(&simulation->parameters);
}
