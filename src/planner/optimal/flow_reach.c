// Robots as clauses: what makes paths of states, and how far the states of a robot reach.

#include "planner/optimal/flow.h"

enum { MARGIN = 3 };

// ---- clauses --------------------------------------------------------------------------------------------------------

static bool say(fw_flow_t * flow, int32_t literal) { return fw__list_push_in(flow->arena, &flow->clause, literal); }

static bool end_clause(fw_flow_t * flow)
{
  const bool is_added = fw__sat_add_clause(&flow->sat, flow->clause.items, flow->clause.count);
  flow->clause.count = 0;
  return is_added;
}

// How far the robot's states go, before and now.
typedef struct reach_t {
  int32_t robot;
  int32_t extra;
  fw_tick_t end;
  int32_t extra_before;  // -1: none yet
  fw_tick_t end_before;
  int32_t state_first;  // states from this one on are new
  bool is_cut;          // something was left out for the horizon's sake
} reach_t;

typedef struct step_t {
  int32_t node;
  int32_t extra;
  bool is_in;
  bool is_new;  // or left out for other reasons than before
  bool is_cut;
} step_t;

// What may come after a state, in direction -1 for a wait; node -1 for nothing.
static step_t look(const fw_flow_t * flow, const reach_t * reach, const fw_flow_state_t * state, int32_t direction)
{
  const int32_t node = direction < 0 ? state->node : fw__moves_successors(flow->scene->moves, state->node)[direction];
  if (node < 0 || fw__scene_is_closed(flow->scene, node, state->tick + 1)) {
    return (step_t){.node = -1};
  }
  const int32_t extra = fw__flow_extra(flow, state, node);
  const int32_t ahead = extra < INT32_MAX ? fw__scene_distance(flow->scene, reach->robot, node) : FW_DISTANCE_NONE;
  if (ahead == FW_DISTANCE_NONE) {
    return (step_t){.node = -1};
  }
  const fw_tick_t end = state->tick + 1 + ahead;
  const bool is_in = extra <= reach->extra && end <= reach->end;
  return (step_t){
    .node = node,
    .extra = extra,
    .is_in = is_in,
    .is_new = extra > reach->extra_before || end > reach->end_before,
    .is_cut = extra <= reach->extra && end > reach->end,
  };
}

// The robot costs more than the reach has.
static int32_t beyond(const fw_flow_t * flow, const reach_t * reach)
{
  const fw_flow_robot_t * robot = &flow->robots[reach->robot];
  return fw__sat_not(robot->limits.items[reach->extra - robot->extra_first]);
}

// The robot goes on, or costs more than its limit, or takes longer than the horizon.
static bool tie_on(fw_flow_t * flow, const reach_t * reach, fw_flow_state_t * state)
{
  bool is_limited = false;
  bool is_cut = false;
  if (state->tick == reach->end) {
    return true;  // on its goal, for ever
  }
  bool is_fine = say(flow, fw__sat_not(state->literal));
  state->next = flow->nexts.count;
  for (int32_t direction = -1; direction < flow->scene->moves->degree && is_fine; ++direction) {
    const step_t step = look(flow, reach, state, direction);
    is_cut = is_cut || (step.node >= 0 && step.is_cut);
    is_limited = is_limited || (step.node >= 0 && step.extra > reach->extra);
    if (step.node >= 0 && step.is_in) {
      const int32_t next = fw__flow_find(flow, reach->robot, step.node, state->tick + 1, step.extra);
      is_fine = next >= 0 && say(flow, flow->states[next].literal) &&  // or the meter has stopped the distances
                fw__list_push_in(flow->arena, &flow->nexts, next);
    }
  }
  state->next_count = flow->nexts.count - state->next;
  is_fine = is_fine && (!is_limited || say(flow, beyond(flow, reach)));
  is_fine = is_fine && (!is_cut || say(flow, fw__sat_not(flow->horizon)));
  return is_fine && end_clause(flow);
}

// The robot is in one of its states at each tick.
static bool tie_across(fw_flow_t * flow, const reach_t * reach, fw_tick_t tick)
{
  const fw_flow_robot_t * robot = &flow->robots[reach->robot];
  bool is_fine = say(flow, beyond(flow, reach));
  is_fine = is_fine && (!reach->is_cut || say(flow, fw__sat_not(flow->horizon)));
  for (int32_t i = robot->layers.items[tick]; i >= 0 && is_fine; i = flow->states[i].besides) {
    is_fine = flow->states[i].extra > reach->extra || say(flow, flow->states[i].literal);
  }
  return is_fine && end_clause(flow);
}

// ---- reach ----------------------------------------------------------------------------------------------------------

// Adds what comes after a state; true if that has changed.
static bool go_on(fw_flow_t * flow, reach_t * reach, int32_t index, bool * is_fine)
{
  bool has_changed = index >= reach->state_first;
  for (int32_t direction = -1; direction < flow->scene->moves->degree && *is_fine; ++direction) {
    const fw_flow_state_t state = flow->states[index];
    const step_t step = look(flow, reach, &state, direction);
    if (step.node < 0) {
      continue;
    }
    reach->is_cut = reach->is_cut || step.is_cut;
    has_changed = has_changed || step.is_new;
    if (
      step.is_in && (step.is_new || index >= reach->state_first) &&
      fw__flow_find(flow, reach->robot, step.node, state.tick + 1, step.extra) < 0) {
      *is_fine = fw__flow_add(
        flow, (fw_flow_state_t){.robot = reach->robot, .node = step.node, .tick = state.tick + 1, .extra = step.extra});
    }
  }
  return has_changed;
}

static bool extend(fw_flow_t * flow, reach_t reach)
{
  fw_flow_robot_t * robot = &flow->robots[reach.robot];
  bool is_fine = true;
  for (fw_tick_t tick = 0; tick < robot->layers.count && is_fine; ++tick) {
    const bool is_cut_before = reach.is_cut;
    for (int32_t i = robot->layers.items[tick]; i >= 0 && is_fine; i = flow->states[i].besides) {
      const bool is_in = flow->states[i].extra <= reach.extra && tick < reach.end;
      if (is_in && go_on(flow, &reach, i, &is_fine)) {
        is_fine = is_fine && tie_on(flow, &reach, &flow->states[i]);
      }
    }
    reach_t across = reach;
    across.is_cut = is_cut_before;
    is_fine = is_fine && (!flow->options.has_layers || tie_across(flow, &across, tick)) &&
              !fw__meter_add(flow->scene->meter, 1);
  }
  robot->extra = reach.extra;
  robot->end = reach.end;
  return is_fine;
}

static reach_t reach_of(const fw_flow_t * flow, int32_t robot)
{
  return (reach_t){
    .robot = robot,
    .extra = flow->robots[robot].extra,
    .end = flow->end,
    .extra_before = flow->robots[robot].extra,
    .end_before = flow->robots[robot].end,
    .state_first = flow->state_count,
  };
}

// A literal for the next limit.
static bool add_limit(fw_flow_t * flow, int32_t robot)
{
  fw_list_t * limits = &flow->robots[robot].limits;
  const int32_t variable = fw__sat_add_variable(&flow->sat, true);
  if (variable < 0 || !fw__list_push_in(flow->arena, limits, 2 * variable)) {
    return false;
  }
  return limits->count == 1 ||
         (say(flow, fw__sat_not(limits->items[limits->count - 2])) && say(flow, 2 * variable) && end_clause(flow));
}

bool fw__flow_raise(fw_flow_t * flow, int32_t robot)
{
  reach_t reach = reach_of(flow, robot);
  ++reach.extra;
  return add_limit(flow, robot) && extend(flow, reach);
}

static bool add_horizon(fw_flow_t * flow)
{
  const int32_t variable = fw__sat_add_variable(&flow->sat, true);
  flow->horizon = 2 * variable;
  return variable >= 0;
}

bool fw__flow_prolong(fw_flow_t * flow, fw_tick_t ticks)
{
  flow->end += ticks;
  bool is_fine = add_horizon(flow);
  for (int32_t r = 0; r < flow->scene->problem->robot_count && is_fine; ++r) {
    reach_t reach = reach_of(flow, r);
    const int32_t last = reach.extra;
    reach.extra_before = INT32_MAX;
    for (reach.extra = flow->robots[r].extra_first; reach.extra <= last && is_fine; ++reach.extra) {
      reach.state_first = flow->state_count;
      is_fine = extend(flow, reach);
    }
  }
  return is_fine;
}

static bool begin_robot(fw_flow_t * flow, int32_t robot, int32_t extra)
{
  const fw_scene_t * scene = flow->scene;
  flow->robots[robot].extra_first = extra;
  reach_t reach = reach_of(flow, robot);
  reach.extra = extra;
  reach.extra_before = -1;
  return add_limit(flow, robot) &&
         fw__flow_add(flow, (fw_flow_state_t){.robot = robot, .node = scene->starts[robot]}) &&
         say(flow, flow->states[reach.state_first].literal) && end_clause(flow) && extend(flow, reach);
}

bool fw__flow_init(fw_flow_t * flow, fw_arena_t * arena, const fw_scene_t * scene, const fw_flow_options_t * options)
{
  const int32_t * extras = options->extras;
  const int32_t count = scene->problem->robot_count;
  *flow = (fw_flow_t){.scene = scene, .options = *options, .arena = arena, .end = scene->closed_last};
  fw__sat_init(&flow->sat, arena, scene->meter);
  flow->sat.decider = (fw_sat_decider_t){.choose = fw__flow_choose, .state = flow};
  flow->robots = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*flow->robots));
  if (flow->robots == NULL || !fw__flow_init_places(flow) || !add_horizon(flow)) {
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    const int32_t distance = fw__scene_distance(scene, r, scene->starts[r]);
    flow->robots[r].distance = distance;
    flow->end = distance + extras[r] > flow->end ? distance + extras[r] : flow->end;
  }
  flow->end += MARGIN;
  bool is_fine = true;
  for (int32_t r = 0; r < count && is_fine; ++r) {
    is_fine = begin_robot(flow, r, extras[r]);
  }
  return is_fine;
}
