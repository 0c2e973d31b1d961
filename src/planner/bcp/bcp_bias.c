// Who gives way: in each collision all robots but one get a virtual cost, unless another way would not help them.

#include "planner/bcp/bcp.h"

// Has the robot arrived for good? Another way leads there as well: it can only come later.
static bool has_arrived(const fw_bcp_t * run, const fw_bcp_entry_t * entry)
{
  const fw_path_t * path = &run->paths.paths[entry->robot];
  return fw__bcp_is_blind(run) && entry->at == run->problem->robots[entry->robot].goal &&
         entry->tick >= path->length - 1;
}

// Who stays as it is. Among equals one who has arrived does, since another way does not help it, and one who was there
// before.
static bool goes_before(const fw_bcp_t * run, const fw_bcp_entry_t * a, const fw_bcp_entry_t * b)
{
  const fw_robot_t * robots = run->problem->robots;
  if (fw__bcp_is_fixed(run, a->robot) != fw__bcp_is_fixed(run, b->robot)) {
    return fw__bcp_is_fixed(run, a->robot);
  }
  if (robots[a->robot].priority != robots[b->robot].priority) {
    return robots[a->robot].priority > robots[b->robot].priority;
  }
  if (has_arrived(run, a) != has_arrived(run, b)) {
    return has_arrived(run, a);
  }
  return a->is_trace != b->is_trace ? a->is_trace : a->robot < b->robot;
}

// Another way does not help who has arrived for good, and who cannot leave: the one has to come later, the other has to be
// avoided. Nor does it help who is under way at first or has just left its start: it could not leave earlier. And whoever comes too soon behind one
// that has just left needs no other way, but a short wait.
static bool has_use(const fw_bcp_t * run, const fw_bcp_entry_t * entry, const fw_bcp_entry_t * first)
{
  const fw_tick_t arrives = run->problem->robots[entry->robot].arrives;
  const bool is_at_start = entry->tick <= arrives + (entry->is_trace ? run->problem->robust_ticks : 0);
  return !first->is_trace && !is_at_start && !fw__bcp_is_fixed(run, entry->robot) && !has_arrived(run, entry);
}

static bool push_bump(fw_bcp_t * run, const fw_bcp_entry_t * entry, int32_t robots)
{
  const fw_bcp_bump_t bump = {.cell = entry->at, .tick = entry->tick, .robots = robots};
  if (!fw__bcp_bumps_push(&run->bumps[entry->robot], run->context->scratch, bump)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  run->is_due[entry->robot] = true;
  ++run->bump_count;
  return true;
}

// Virtual costs for all robots of a collision but the first. Robots that have met somebody before are not there any more;
// a collision that is left to waits is passed over, so that the next one counts as the first.
static void bias_collision(fw_bcp_t * run, const fw_bcp_collision_t * collision, bool * has_met)
{
  const fw_bcp_entry_t * entries = run->detector.entries;
  const fw_bcp_entry_t * first = NULL;
  int32_t count = 0;
  for (int32_t i = collision->first; i >= 0; i = entries[i].next) {
    if (!has_met[entries[i].robot]) {
      first = first == NULL || goes_before(run, &entries[i], first) ? &entries[i] : first;
      ++count;
    }
  }
  const int64_t before = run->bump_count;
  for (int32_t i = collision->first; i >= 0 && count > 1; i = entries[i].next) {
    const fw_bcp_entry_t * entry = &entries[i];
    const bool is_wanted = !has_met[entry->robot] && entry != first && has_use(run, entry, first);
    if (is_wanted && !push_bump(run, entry, count)) {
      return;
    }
  }
  const bool ends_paths = run->bump_count > before && run->options.is_first_only != 0;
  for (int32_t i = collision->first; i >= 0 && ends_paths; i = entries[i].next) {
    has_met[entries[i].robot] = true;
  }
}

int64_t fw__bcp_bias(fw_bcp_t * run, bool * has_met)
{
  const int64_t before = run->bump_count;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    has_met[r] = false;
  }
  for (int32_t i = 0; i < run->detector.collision_count && !fw__bcp_has_stopped(run); ++i) {
    bias_collision(run, fw__bcp_detector_at(&run->detector, i), has_met);
  }
  return run->bump_count - before;
}
