// One move of one robot in a joint search.

#include "planner/optimal/joint_move.h"

#include <string.h>

static bool was_there(const fw_joint_rules_t * rules, fw_joint_state_t * state, int32_t mover, int32_t node)
{
  const int32_t * past = fw__joint_past(rules->store, state);
  for (int32_t i = 0; i < rules->query->count * rules->store->past; ++i) {
    if (fw__joint_node(past[i]) == node && i % rules->query->count != mover) {
      return true;
    }
  }
  return false;
}

// Is the move free of robots that have been given theirs, of what they forbid, and of the past?
static bool is_free(const fw_joint_rules_t * rules, fw_joint_state_t * state, int32_t mover, const fw_hop_t * hop)
{
  for (int32_t i = 0; i < mover; ++i) {
    if (fw__joint_node(state->places[i]) == hop->to) {
      return false;
    }
  }
  if (hop->direction >= 0 && (fw__joint_forbidden(rules->store, state)[mover] >> hop->direction & 1) != 0) {
    return false;
  }
  return (rules->store->past == 0 || !was_there(rules, state, mover, hop->to)) &&
         !fw__scene_is_closed(rules->query->scene, hop->to, hop->depart + 1) &&
         (rules->query->illegal == NULL || fw__traffic_count(rules->query->illegal, hop) == 0);
}

// Those who move later may not swap with this robot, nor cross its diagonal.
static void forbid(const fw_joint_rules_t * rules, fw_joint_state_t * state, int32_t mover, const fw_hop_t * hop)
{
  uint8_t * forbidden = fw__joint_forbidden(rules->store, state);
  const int32_t * next = fw__moves_successors(rules->query->scene->moves, hop->from);
  const bool is_diagonal = hop->direction >= 4;
  const int32_t left = is_diagonal ? next[fw__direction_left(hop->direction)] : -1;
  const int32_t right = is_diagonal ? next[fw__direction_right(hop->direction)] : -1;
  for (int32_t i = mover + 1; i < rules->query->count; ++i) {
    const int32_t node = fw__joint_node(state->places[i]);
    if (node == hop->to) {
      forbidden[i] |= (uint8_t)(1 << fw__direction_back(hop->direction));
    } else if (node == left) {  // south-east is crossed by south-west from its east, and by north-east from its south
      forbidden[i] |= (uint8_t)(1 << (4 + (hop->direction + 1) % 4));
    } else if (node == right) {
      forbidden[i] |= (uint8_t)(1 << (4 + (hop->direction + 3) % 4));
    }
  }
}

// Everybody has moved: the next tick begins with nothing forbidden.
static void end_step(const fw_joint_rules_t * rules, fw_joint_state_t * state)
{
  state->mover = 0;
  state->tick += 1;
  const size_t count = (size_t)rules->query->count;
  memset(fw__joint_forbidden(rules->store, state), 0, count);
  if (rules->store->past > 0) {  // the oldest tick is of no interest any more: states that differ in it are the same
    int32_t * past = fw__joint_past(rules->store, state);
    memcpy(past + (size_t)(rules->store->past - 1) * count, state->places, count * sizeof(*past));
  }
}

// The places of this tick become the past when the first robot moves on.
static void begin_step(const fw_joint_rules_t * rules, fw_joint_state_t * state)
{
  const size_t count = (size_t)rules->query->count;
  int32_t * past = fw__joint_past(rules->store, state);
  if (rules->store->past > 0) {
    memmove(past + count, past, (size_t)(rules->store->past - 1) * count * sizeof(*past));
    memcpy(past, state->places, count * sizeof(*past));
  }
}

bool fw__joint_assign(
  const fw_joint_rules_t * rules, const fw_joint_state_t * from, int32_t move, fw_joint_state_t * to)
{
  const fw_scene_t * scene = rules->query->scene;
  const int32_t mover = from->mover;
  const int32_t robot = rules->query->robots[mover];
  const int32_t place = from->places[mover];
  fw_hop_t hop = {.from = fw__joint_node(place), .to = fw__joint_node(place), .direction = -1, .depart = from->tick};
  if (move == FW_JOINT_SETTLE) {
    const bool can_settle = place >= 0 && scene->rule == FW_COST_LAST_ARRIVAL && place == scene->goals[robot] &&
                            from->tick >= rules->held_until[mover];
    if (!can_settle && place >= 0) {
      return false;
    }
  } else if (place < 0) {
    return false;  // settled for good
  } else if (move >= FW_JOINT_FIRST_DIRECTION) {
    hop.direction = move - FW_JOINT_FIRST_DIRECTION;
    hop.to = fw__moves_successors(scene->moves, place)[hop.direction];
    if (hop.to < 0) {
      return false;
    }
  }
  memcpy(to, from, rules->store->size);
  if (mover == 0) {
    begin_step(rules, to);
  }
  if (!is_free(rules, to, mover, &hop)) {
    return false;
  }
  const int32_t ahead = fw__scene_distance(scene, robot, hop.to);
  if (ahead == FW_DISTANCE_NONE) {
    return false;  // the meter has stopped: a place next to one that has a way has one itself
  }
  to->h += ahead - fw__scene_distance(scene, robot, hop.from);
  to->g += move == FW_JOINT_SETTLE ? 0 : fw__scene_cost(scene, robot, hop.from, hop.to);
  if ((fw_cost_t)to->g + to->h > rules->query->cost_max) {
    return false;
  }
  to->violations += rules->query->avoided != NULL ? fw__traffic_count(rules->query->avoided, &hop) : 0;
  to->places[mover] = move == FW_JOINT_SETTLE ? ~hop.to : hop.to;
  to->mover = mover + 1;
  if (to->mover == rules->query->count) {
    end_step(rules, to);
  } else if (hop.direction >= 0) {
    forbid(rules, to, mover, &hop);
  }
  return true;
}
