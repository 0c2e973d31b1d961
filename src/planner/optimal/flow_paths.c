// Robots as clauses: paths out of states. The solver need not say of every state whether a robot is there: it is enough
// that each robot that keeps a limit has a path of states that are true.

#include "planner/optimal/flow.h"

// In the model, or at present.
static bool is_true(const fw_flow_t * flow, int32_t literal, bool is_in_model)
{
  return is_in_model ? fw__sat_model_is_true(&flow->sat, literal) : flow->sat.values[literal] > 0;
}

// The least limit that the robot keeps, beyond its distance; -1 for none: it need not arrive.
static int32_t find_limit(const fw_flow_t * flow, int32_t robot, bool is_in_model)
{
  const fw_flow_robot_t * r = &flow->robots[robot];
  for (int32_t i = 0; i < r->limits.count; ++i) {
    if (is_true(flow, r->limits.items[i], is_in_model)) {
      return r->extra_first + i;
    }
  }
  return -1;
}

// The state after one on a path: of those that are true the one of least extra; -1 if there is none up to a limit.
static int32_t find_next(const fw_flow_t * flow, int32_t at, int32_t limit, bool is_in_model)
{
  const fw_flow_state_t * state = &flow->states[at];
  int32_t best = -1;
  for (int32_t i = state->next; i < state->next + state->next_count; ++i) {
    const int32_t next = flow->nexts.items[i];
    const int32_t extra = flow->states[next].extra;
    if (extra <= limit && is_true(flow, flow->states[next].literal, is_in_model)) {
      best = best < 0 || extra < flow->states[best].extra ? next : best;
    }
  }
  return best;
}

// A state to go on to among those that are open: where the robot went last, or of least extra.
static int32_t choose_next(const fw_flow_t * flow, int32_t at, int32_t limit)
{
  const fw_flow_state_t * state = &flow->states[at];
  int32_t best = -1;
  bool is_best_known = false;
  for (int32_t i = state->next; i < state->next + state->next_count; ++i) {
    const fw_flow_state_t * next = &flow->states[flow->nexts.items[i]];
    const bool is_known = flow->sat.variables[next->literal >> 1].phase;
    if (
      flow->sat.values[next->literal] == 0 && next->extra <= limit &&
      (best < 0 || (is_known && !is_best_known) ||
       (is_known == is_best_known && next->extra < flow->states[best].extra))) {
      best = flow->nexts.items[i];
      is_best_known = is_known;
    }
  }
  return best;
}

// The first state that a robot's path lacks, as far as it is known; -1 for none.
static int32_t complete(const fw_flow_t * flow, int32_t robot)
{
  const int32_t limit = find_limit(flow, robot, false);
  int32_t at = flow->robots[robot].layers.items[0];
  for (fw_tick_t tick = 0; tick < flow->end && limit >= 0; ++tick) {
    const int32_t next = find_next(flow, at, limit, false);
    if (next < 0) {
      return choose_next(flow, at, limit);
    }
    at = next;
  }
  return -1;
}

// What is set for one robot can lead another on to a path that ends: until nothing was missing for all of them.
int32_t fw__flow_choose(void * state)
{
  fw_flow_t * flow = state;
  if (flow->turns != flow->sat.backjump_count) {
    flow->turns = flow->sat.backjump_count;
    flow->chosen = 0;
    flow->has_chosen = false;
  }
  while (flow->chosen < flow->scene->problem->robot_count) {
    const int32_t missing = complete(flow, flow->chosen);
    if (missing >= 0) {
      flow->has_chosen = true;
      return flow->states[missing].literal;
    }
    ++flow->chosen;
    if (flow->chosen == flow->scene->problem->robot_count && flow->has_chosen) {
      flow->chosen = 0;
      flow->has_chosen = false;
    }
  }
  flow->turns = -1;
  return -1;
}

bool fw__flow_read(fw_flow_t * flow)
{
  bool is_fine = true;
  for (int32_t r = 0; r < flow->scene->problem->robot_count && is_fine; ++r) {
    fw_list_t * path = &flow->robots[r].path;
    const int32_t limit = find_limit(flow, r, true);
    int32_t at = flow->robots[r].layers.items[0];
    flow->robots[r].has_path = limit >= 0;
    if (limit < 0) {
      continue;
    }
    path->count = 0;
    is_fine = fw__list_push_in(flow->arena, path, at);
    for (fw_tick_t tick = 0; tick < flow->end && is_fine; ++tick) {
      at = find_next(flow, at, limit, true);
      is_fine = fw__list_push_in(flow->arena, path, at);
    }
  }
  return is_fine;
}
