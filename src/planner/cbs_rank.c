// Which conflicts raise the cost whatever is done.
//
// E. Boyarski, A. Felner, R. Stern, G. Sharon, D. Tolpin, O. Betzalel, E. Shimony, ICBS: Improved Conflict-Based Search
// Algorithm for Multi-Agent Pathfinding, IJCAI 2015: a conflict is cardinal if neither robot can avoid it at its cost,
// that is if their diagrams have no other place at that tick.

#include "planner/cbs_diagram.h"

static bool is_only(const fw_cbs_diagram_t * diagram, int32_t cost, int32_t node, fw_tick_t tick)
{
  if (tick > diagram->ticks) {
    return diagram->stays;
  }
  for (int32_t i = diagram->layers[tick]; i < diagram->layers[tick + 1]; ++i) {
    if (diagram->entries[i].node != node && diagram->entries[i].total <= cost) {
      return false;
    }
  }
  return true;
}

typedef struct spot_t {
  int32_t member;
  fw_tick_t tick;
  bool is_between;
} spot_t;

static bool find_forced(fw_cbs_t * run, int32_t index, spot_t spot, bool * is_forced)
{
  const fw_cbs_member_t * who = &run->members[spot.member];
  const fw_cbs_diagram_t * diagram =
    fw_cbs_diagram(run, &(fw_cbs_diagram_ask_t){index, spot.member, who->path_cost, spot.tick, NULL});
  if (diagram == NULL) {
    return false;
  }
  *is_forced =
    is_only(diagram, who->path_cost, fw_path_at(&who->path, spot.tick), spot.tick) &&
    (!spot.is_between || is_only(diagram, who->path_cost, fw_path_at(&who->path, spot.tick - 1), spot.tick - 1));
  return true;
}

bool fw_cbs_rank_conflicts(fw_cbs_t * run, int32_t index)
{
  for (int32_t i = 0; i < run->conflict_count && run->options->has_cardinals; ++i) {
    fw_cbs_conflict_t * conflict = &run->conflicts[i];
    const spot_t one = {conflict->one, conflict->tick, conflict->is_between};
    const spot_t two = {conflict->two, conflict->two_tick, conflict->is_between};
    if (
      !find_forced(run, index, one, &conflict->is_forced[0]) ||
      !find_forced(run, index, two, &conflict->is_forced[1])) {
      return false;
    }
    conflict->rank = (conflict->is_forced[0] ? 1 : 0) + (conflict->is_forced[1] ? 1 : 0);
  }
  return true;
}
