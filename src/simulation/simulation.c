// A simulated fleet: everybody's steps, reports to the execution, and the account of what happened.

#include "simulation/simulation.h"

#include <math.h>

#include "base/error.h"

fw_simulated_fleet_options_t fw_simulated_fleet_options_default(void)
{
  return (fw_simulated_fleet_options_t){
    .step_seconds = 0.05,
    .odometry_seconds = 0.1,
    .noise = 0.02,
    .speed = 1.25,
    .acceleration = 2.0,
    .turn_rate = 3.0,
    .slow_factor = 0.3,
    .stop_seconds_max = 10.0,
  };
}

double fw_simulated_fleet_radius(const fw_execution_t * execution, double noise)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution->impl);
  const fw_execution_options_t * options = &execution->impl->options;
  // Diagonals pass the cells beside them at half a diagonal. A cell counts as left while the robot is still this near:
  const double still = options->tolerance + noise;
  const double apart = graph->problem.connectivity == 8 ? 0.7071 : 1.0;
  return fmax(0.5 * (apart - still) - 0.001, 0.01);
}

static fw_ret_t check_options(const fw_simulated_fleet_options_t * options, fw_error_t * error)
{
  const bool is_right = options->step_seconds >= 0.001 && options->step_seconds <= 1.0 &&
                        options->odometry_seconds >= options->step_seconds && options->noise >= 0.0 &&
                        options->noise <= 0.5 && options->radius >= 0.0 && options->radius <= 0.5 &&
                        options->speed > 0.0 && options->speed <= 100.0 && options->acceleration > 0.0 &&
                        options->turn_rate >= 0.0 && options->slow_chance >= 0.0 && options->slow_chance <= 1.0 &&
                        options->slow_factor > 0.0 && options->slow_factor <= 1.0 && options->stops_per_hour >= 0.0 &&
                        options->stop_seconds_max >= 0.0;
  return is_right ? FW_RET_OK
                  : fw__error(error, FW_RET_INVALID_ARGUMENT, "an option of the simulated fleet is out of its range");
}

// ---- who is there ---------------------------------------------------------------------------------------------------

static bool make_room(fw__simulated_fleet_t * fleet, int32_t count)
{
  while (fleet->mover_capacity < count) {
    fw__mover_t * movers =
      fw__arena_grow(&fleet->arena, fleet->movers, (size_t)fleet->mover_count, sizeof(*movers), &fleet->mover_capacity);
    if (movers == NULL) {
      return false;
    }
    fleet->movers = movers;
  }
  for (; fleet->mover_count < count; ++fleet->mover_count) {
    fleet->movers[fleet->mover_count] = (fw__mover_t){.waits_for = -1};
  }
  return true;
}

// Robots come with splices, and go when they are removed.
static bool follow_splices(fw__simulated_fleet_t * fleet)
{
  const fw__execution_t * execution = fleet->execution;
  if (!make_room(fleet, execution->slot_count)) {
    return false;
  }
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    if (!execution->slots[robot].is_there) {
      continue;
    }
    if (fleet->movers[robot].is_there) {
      fw__mover_join(fleet, robot);
      continue;
    }
    fw__mover_place(fleet, robot);
    if (!fw__discs_add(fleet, robot)) {
      return false;
    }
    fleet->movers[robot].has_moved = true;  // to be looked at
  }
  fleet->splices = execution->splices;
  return true;
}

static void follow_removals(fw__simulated_fleet_t * fleet)
{
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    const fw__slot_t * slot = &fleet->execution->slots[robot];
    if (fleet->movers[robot].is_there && (!slot->is_there || slot->visit != fleet->movers[robot].visit)) {
      fw__discs_remove(fleet, robot);
      fleet->movers[robot].is_there = false;
      fleet->movers[robot].has_moved = false;
    }
  }
}

fw_ret_t fw_simulated_fleet_init(
  fw_simulated_fleet_t * fleet, const fw_execution_t * execution, const fw_simulated_fleet_options_t * options,
  fw_error_t * error)
{
  *fleet = (fw_simulated_fleet_t){0};
  const fw_simulated_fleet_options_t used = options != NULL ? *options : fw_simulated_fleet_options_default();
  const fw_ret_t ret = check_options(&used, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_allocator_t allocator = execution->impl->options.allocator;
  fw__simulated_fleet_t * impl = fw__allocate_array(&allocator, 1, sizeof(*impl));
  if (impl == NULL) {
    return fw__error_memory(error);
  }
  impl->options = used;
  impl->execution = execution->impl;
  impl->handle = *execution;
  impl->memory = (fw_memory_t){.allocator = allocator, .max_bytes = execution->impl->options.memory_max_bytes};
  fw__arena_init(&impl->arena, &impl->memory);
  impl->begin = impl->now = isfinite(execution->impl->now) ? execution->impl->now : 0.0;
  impl->result = (fw_simulated_result_t){.overlap_first = {-1, -1}, .nearest = INFINITY};
  impl->discs.radius = used.radius > 0.0 ? used.radius : fw_simulated_fleet_radius(execution, used.noise);
  fleet->impl = impl;
  if (!fw__discs_init(impl) || !follow_splices(impl) || !fw__discs_count(impl)) {
    fw_simulated_fleet_fini(fleet);
    return fw__error_memory(error);
  }
  return FW_RET_OK;
}

void fw_simulated_fleet_fini(fw_simulated_fleet_t * fleet)
{
  if (fleet->impl != NULL) {
    const fw_allocator_t allocator = fleet->impl->memory.allocator;
    fw__arena_fini(&fleet->impl->arena);
    fw__deallocate(&allocator, fleet->impl);
  }
  *fleet = (fw_simulated_fleet_t){0};
}

// ---- steps ----------------------------------------------------------------------------------------------------------

static double noise(fw__simulated_fleet_t * fleet, fw_rng_t * rng)
{
  return fleet->options.noise * (2.0 * (double)(fw__rng_next(rng) >> 11) * 0x1p-53 - 1.0);
}

static fw_ret_t report(fw__simulated_fleet_t * fleet, int32_t robot, fw_error_t * error)
{
  fw__mover_t * mover = &fleet->movers[robot];
  mover->next_report += fleet->options.odometry_seconds;
  if (mover->is_silent || fleet->options.is_timed) {
    return FW_RET_OK;
  }
  const fw_execution_measure_t measure = {
    .time = fleet->now,
    .x = mover->x + noise(fleet, &mover->noise),
    .y = mover->y + noise(fleet, &mover->noise),
    .yaw = mover->yaw + 0.5 * noise(fleet, &mover->noise),
  };
  const fw_ret_t ret = fw_execution_report(&fleet->handle, robot, &measure, error);
  return ret == FW_RET_OK && !fw__waits_note(fleet, robot) ? fw__error_memory(error) : ret;
}

static void note_arrival(fw__simulated_fleet_t * fleet, int32_t robot)
{
  fw__mover_t * mover = &fleet->movers[robot];
  const int32_t end = fw__execution_end(fleet->execution, robot);
  if (isnan(mover->arrived_at) && mover->passed == fleet->execution->slots[robot].base + end) {
    mover->arrived_at = fleet->now;
  }
}

fw_ret_t fw_simulated_fleet_step(fw_simulated_fleet_t * fleet, fw_error_t * error)
{
  fw__simulated_fleet_t * impl = fleet->impl;
  fw__execution_t * execution = impl->execution;
  follow_removals(impl);
  if (impl->splices != execution->splices && !follow_splices(impl)) {
    return fw__error_memory(error);
  }
  ++impl->steps;
  impl->now = impl->begin + (double)impl->steps * impl->options.step_seconds;
  for (int32_t robot = 0; robot < impl->mover_count; ++robot) {
    if (impl->movers[robot].is_there) {
      fw__mover_step(impl, robot);
      if (impl->movers[robot].has_moved) {
        fw__discs_move(impl, robot);
        note_arrival(impl, robot);
      }
    }
  }
  if (!fw__discs_count(impl)) {
    return fw__error_memory(error);
  }
  for (int32_t robot = 0; robot < impl->mover_count; ++robot) {
    if (impl->movers[robot].is_there && impl->now >= impl->movers[robot].next_report) {
      const fw_ret_t ret = report(impl, robot, error);
      if (ret != FW_RET_OK) {
        return ret;
      }
    }
  }
  if (impl->now >= impl->next_update) {
    fw_execution_update(&impl->handle, impl->now);
    impl->next_update = impl->now + 1.0;
  }
  return FW_RET_OK;
}
