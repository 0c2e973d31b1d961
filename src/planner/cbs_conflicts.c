// Finding who meets whom among the paths of the node that is looked at.

#include "planner/cbs_tree.h"

enum { MEETINGS_MAX = 64 };

static bool note(fw_cbs_t * run, fw_cbs_conflict_t conflict)
{
  if (run->conflict_count == run->conflict_capacity) {
    fw_cbs_conflict_t * conflicts = fw_arena_grow(
      run->arena, run->conflicts, (size_t)run->conflict_count, sizeof(*conflicts), &run->conflict_capacity);
    if (conflicts == NULL) {
      return false;
    }
    run->conflicts = conflicts;
  }
  run->conflicts[run->conflict_count++] = conflict;
  return true;
}

static fw_hop_t hop_at(const fw_cbs_t * run, const fw_path_t * path, fw_tick_t arrival)
{
  const int32_t from = fw_path_at(path, arrival > 0 ? arrival - 1 : 0);
  const int32_t to = fw_path_at(path, arrival);
  return (fw_hop_t){from, to, from == to ? -1 : fw_scene_direction(run->scene, from, to), arrival - 1};
}

// Both see a meeting under way: the smaller index tells it. One who has come to rest is met by the other alone.
static bool find_on_path(fw_cbs_t * run, int32_t one)
{
  const fw_path_t * path = &run->members[one].path;
  for (fw_tick_t tick = 0; tick < path->length; ++tick) {
    const fw_hop_t hop = hop_at(run, path, tick);
    fw_meeting_t meetings[MEETINGS_MAX];
    const int32_t met = fw_traffic_meet(&run->traffic, &hop, meetings, MEETINGS_MAX);
    for (int32_t i = 0; i < met && i < MEETINGS_MAX; ++i) {
      const int32_t two = run->member_of[meetings[i].other];
      const bool is_rest = meetings[i].other_tick >= run->members[two].path.length;
      if (two == one || (two < one && !is_rest)) {
        continue;
      }
      const fw_cbs_conflict_t conflict = {
        .one = one,
        .two = two,
        .tick = tick,
        .two_tick = meetings[i].other_tick,
        .is_between = meetings[i].is_between,
      };
      if (!note(run, conflict)) {
        return false;
      }
    }
  }
  return true;
}

bool fw_cbs_find_conflicts(fw_cbs_t * run)
{
  run->conflict_count = 0;
  for (int32_t i = 0; i < run->count; ++i) {
    if (!run->members[i].is_muted && !find_on_path(run, i)) {
      return false;
    }
  }
  return true;
}

// Conflicts of one member are found one after another.
int32_t fw_cbs_count_pairs(fw_cbs_t * run)
{
  int32_t count = 0;
  for (int32_t i = 0; i < run->conflict_count; ++i) {
    const fw_cbs_conflict_t * a = &run->conflicts[i];
    bool is_new = true;
    for (int32_t k = 0; k < i && is_new; ++k) {
      const fw_cbs_conflict_t * b = &run->conflicts[k];
      is_new = !(a->one == b->one && a->two == b->two) && !(a->one == b->two && a->two == b->one);
    }
    count += is_new ? 1 : 0;
  }
  return count;
}

// ---- how many a path meets ------------------------------------------------------------------------------------------

static int32_t mark(fw_cbs_t * run, int32_t robot)
{
  const int32_t member = run->member_of[robot];
  const bool is_new = run->met_stamps[member] != run->met_stamp;
  run->met_stamps[member] = run->met_stamp;
  return is_new ? 1 : 0;
}

int32_t fw_cbs_count_met(fw_cbs_t * run, const fw_path_t * path)
{
  int32_t count = 0;
  ++run->met_stamp;
  for (fw_tick_t tick = 0; tick < path->length || tick <= run->traffic.last_tick + run->scene->robust_ticks; ++tick) {
    const fw_hop_t hop = hop_at(run, path, tick);
    fw_meeting_t meetings[MEETINGS_MAX];
    const int32_t met = fw_traffic_meet(&run->traffic, &hop, meetings, MEETINGS_MAX);
    for (int32_t i = 0; i < met && i < MEETINGS_MAX; ++i) {
      count += mark(run, meetings[i].other);
    }
  }
  return count;
}
