// Robots as clauses: who must not be where others are. Clauses for a place, or for two moves, are added when two robots
// have met there, and hold for everybody who can come to the place.

#include "planner/optimal/flow.h"

static bool say_two(fw_flow_t * flow, int32_t one, int32_t two)
{
  const int32_t clause[2] = {fw__sat_not(flow->states[one].literal), fw__sat_not(flow->states[two].literal)};
  return fw__sat_add_clause(&flow->sat, clause, 2);
}

// One state and the others at a place.
static bool part_from(fw_flow_t * flow, int32_t state, const fw_flow_place_t * place)
{
  bool is_fine = true;
  for (int32_t i = place != NULL ? place->first : -1; i >= 0 && is_fine; i = flow->states[i].here) {
    is_fine = flow->states[i].robot == flow->states[state].robot || say_two(flow, state, i);
  }
  return is_fine;
}

static bool part(fw_flow_t * flow, int32_t node, fw_tick_t tick, int32_t later)
{
  fw_flow_place_t * place = (fw_flow_place_t *)fw__flow_place(flow, node, tick);
  const fw_flow_place_t * other = fw__flow_place(flow, node, tick + later);
  bool is_fine = true;
  if ((place->apart >> later & 1) != 0) {
    return true;
  }
  place->apart |= UINT32_C(1) << later;
  for (int32_t i = place->first; i >= 0 && is_fine; i = flow->states[i].here) {
    for (int32_t k = later == 0 ? flow->states[i].here : other->first; k >= 0 && is_fine; k = flow->states[k].here) {
      is_fine = flow->states[k].robot == flow->states[i].robot || say_two(flow, i, k);
    }
  }
  return is_fine;
}

// ---- moves ----------------------------------------------------------------------------------------------------------

// Whoever comes to a state by a move: the move is made.
static bool tell_move(fw_flow_t * flow, const fw_flow_move_t * move, const fw_flow_state_t * state)
{
  const fw_flow_place_t * place = fw__flow_place(flow, move->from, state->tick - 1);
  bool is_fine = true;
  for (int32_t i = place != NULL ? place->first : -1; i >= 0 && is_fine; i = flow->states[i].here) {
    const fw_flow_state_t * before = &flow->states[i];
    if (before->robot == state->robot && fw__flow_extra(flow, before, state->node) == state->extra) {
      const int32_t clause[3] = {fw__sat_not(before->literal), fw__sat_not(state->literal), move->literal};
      is_fine = fw__sat_add_clause(&flow->sat, clause, 3);
    }
  }
  return is_fine;
}

static bool tell_moves(fw_flow_t * flow, const fw_flow_state_t * state)
{
  bool is_fine = true;
  for (int32_t i = fw__flow_place(flow, state->node, state->tick)->moves; i >= 0 && is_fine; i = flow->moves[i].next) {
    is_fine = tell_move(flow, &flow->moves[i], state);
  }
  return is_fine;
}

// A literal for a move, -1 when there is no memory.
static int32_t name_move(fw_flow_t * flow, int32_t from, int32_t to, fw_tick_t tick)
{
  fw_flow_place_t * place = (fw_flow_place_t *)fw__flow_place(flow, to, tick + 1);
  for (int32_t i = place->moves; i >= 0; i = flow->moves[i].next) {
    if (flow->moves[i].from == from) {
      return flow->moves[i].literal;
    }
  }
  if (flow->move_count == flow->move_capacity) {
    fw_flow_move_t * moves =
      fw__arena_grow(flow->arena, flow->moves, (size_t)flow->move_count, sizeof(*moves), &flow->move_capacity);
    if (moves == NULL) {
      return -1;
    }
    flow->moves = moves;
  }
  const int32_t variable = fw__sat_add_optional_variable(&flow->sat);
  fw_flow_move_t * move = &flow->moves[flow->move_count];
  *move = (fw_flow_move_t){.from = from, .literal = 2 * variable, .next = place->moves};
  place->moves = flow->move_count++;
  bool is_fine = variable >= 0;
  for (int32_t i = place->first; i >= 0 && is_fine; i = flow->states[i].here) {
    is_fine = tell_move(flow, move, &flow->states[i]);
  }
  return is_fine ? 2 * variable : -1;
}

bool fw__flow_keep_apart(fw_flow_t * flow, int32_t index)
{
  const fw_flow_state_t * state = &flow->states[index];
  bool is_fine = true;
  for (int32_t later = -flow->scene->robust_ticks; later <= flow->scene->robust_ticks && is_fine; ++later) {
    const fw_flow_place_t * other = fw__flow_place(flow, state->node, state->tick + later);
    const fw_flow_place_t * first = later < 0 ? other : fw__flow_place(flow, state->node, state->tick);
    if (other != NULL && (first->apart >> (later < 0 ? -later : later) & 1) != 0) {
      is_fine = part_from(flow, index, other);
    }
  }
  return is_fine && (state->tick == 0 || tell_moves(flow, state));
}

// ---- meetings -------------------------------------------------------------------------------------------------------

static bool is_on_path(const fw_flow_t * flow, int32_t state)
{
  const fw_flow_robot_t * robot = &flow->robots[flow->states[state].robot];
  return robot->has_path && robot->path.items[flow->states[state].tick] == state;
}

// Another robot on the same place, now or some ticks later.
static int32_t meet_here(fw_flow_t * flow, int32_t index, int32_t later)
{
  const fw_flow_state_t * state = &flow->states[index];
  const fw_flow_place_t * place = fw__flow_place(flow, state->node, state->tick + later);
  for (int32_t i = place != NULL ? place->first : -1; i >= 0; i = flow->states[i].here) {
    if (flow->states[i].robot != state->robot && is_on_path(flow, i)) {
      const bool is_fine =
        flow->options.has_places ? part(flow, state->node, state->tick, later) : say_two(flow, index, i);
      return is_fine ? 1 : -1;
    }
  }
  return 0;
}

// Two that meet while they go on from their states.
static bool part_moves(fw_flow_t * flow, int32_t one, int32_t two)
{
  const fw_flow_state_t ends[4] = {
    flow->states[one], flow->states[flow->robots[flow->states[one].robot].path.items[flow->states[one].tick + 1]],
    flow->states[two], flow->states[flow->robots[flow->states[two].robot].path.items[flow->states[two].tick + 1]]};
  if (flow->options.has_places) {
    const int32_t first = name_move(flow, ends[0].node, ends[1].node, ends[0].tick);
    const int32_t second = name_move(flow, ends[2].node, ends[3].node, ends[2].tick);
    const int32_t clause[2] = {fw__sat_not(first), fw__sat_not(second)};
    return first >= 0 && second >= 0 && fw__sat_add_clause(&flow->sat, clause, 2);
  }
  const int32_t clause[4] = {
    fw__sat_not(ends[0].literal), fw__sat_not(ends[1].literal), fw__sat_not(ends[2].literal),
    fw__sat_not(ends[3].literal)};
  return fw__sat_add_clause(&flow->sat, clause, 4);
}

// Another robot that goes from `from` to `to` while the state's goes to its next place.
static int32_t meet_between(fw_flow_t * flow, int32_t index, int32_t from, int32_t to)
{
  const fw_flow_state_t * state = &flow->states[index];
  const fw_flow_place_t * place = fw__flow_place(flow, from, state->tick);
  for (int32_t i = place != NULL ? place->first : -1; i >= 0; i = flow->states[i].here) {
    const fw_flow_state_t * other = &flow->states[i];
    if (
      other->robot <= state->robot || !is_on_path(flow, i) ||
      flow->states[flow->robots[other->robot].path.items[other->tick + 1]].node != to) {
      continue;
    }
    return part_moves(flow, index, i) ? 1 : -1;
  }
  return 0;
}

static int32_t meet_moving(fw_flow_t * flow, int32_t index)
{
  const fw_flow_state_t * state = &flow->states[index];
  const int32_t to = flow->states[flow->robots[state->robot].path.items[state->tick + 1]].node;
  const int32_t direction = to != state->node ? fw__scene_direction(flow->scene, state->node, to) : -1;
  if (direction < 0) {
    return 0;
  }
  int32_t met = flow->scene->robust_ticks > 0 ? 0 : meet_between(flow, index, to, state->node);
  if (direction >= 4 && met == 0) {
    const int32_t * next = fw__moves_successors(flow->scene->moves, state->node);
    const int32_t left = next[fw__direction_left(direction)];
    const int32_t right = next[fw__direction_right(direction)];
    met = meet_between(flow, index, left, right);
    met = met == 0 ? meet_between(flow, index, right, left) : met;
  }
  return met;
}

int32_t fw__flow_part(fw_flow_t * flow)
{
  const int32_t count = flow->scene->problem->robot_count;
  int32_t met = 0;
  for (int32_t r = 0; r < count; ++r) {
    const fw_list_t * path = &flow->robots[r].path;
    for (fw_tick_t tick = 0; tick < path->count && flow->robots[r].has_path; ++tick) {
      for (int32_t later = 0; later <= flow->scene->robust_ticks; ++later) {
        const int32_t here = meet_here(flow, path->items[tick], later);
        if (here < 0) {
          return -1;
        }
        met += here;
      }
      const int32_t moving = tick + 1 < path->count ? meet_moving(flow, path->items[tick]) : 0;
      if (moving < 0) {
        return -1;
      }
      met += moving;
    }
  }
  return met;
}
