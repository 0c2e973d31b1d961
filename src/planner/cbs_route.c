// One robot under constraints: A* over (place, tick), by cost, then by how many of the group are met, then by how many
// others.
//
// When nothing changes any more the tick does not matter, so that the search is finite.

#include <string.h>

#include "planner/cbs_tree.h"

typedef struct state_t {
  int32_t node;
  fw_tick_t tick;
  int32_t g;
  int32_t met;    // of the group
  int32_t outer;  // others, who are better not met
  int32_t parent;
  bool is_closed;
} state_t;

// By tick, by node: a state of this search if the stamp is its.
typedef struct row_t {
  uint32_t * stamps;
  int32_t * states;
} row_t;

typedef struct fw_cbs_route_t {
  state_t * states;
  int32_t state_count;
  int32_t state_capacity;
  row_t * rows;
  int32_t row_capacity;
  uint32_t stamp;
  fw_ranked_t open;
  fw_cell_t * nodes;  // the path found
  int32_t node_capacity;
} fw_cbs_route_t;

bool fw_cbs_route_init(fw_cbs_t * run)
{
  run->route = fw_arena_allocate_zeroed(run->arena, 1, sizeof(*run->route));
  if (run->route == NULL) {
    return false;
  }
  fw_ranked_init(&run->route->open, run->arena);
  return true;
}

static row_t * row_at(fw_cbs_t * run, fw_tick_t tick)
{
  fw_cbs_route_t * route = run->route;
  while (tick >= route->row_capacity) {
    const int32_t old = route->row_capacity;
    row_t * rows = fw_arena_grow(run->arena, route->rows, (size_t)old, sizeof(*rows), &route->row_capacity);
    if (rows == NULL) {
      return NULL;
    }
    memset(rows + old, 0, (size_t)(route->row_capacity - old) * sizeof(*rows));
    route->rows = rows;
  }
  row_t * row = &route->rows[tick];
  if (row->states == NULL) {
    const size_t nodes = (size_t)run->scene->moves->node_count;
    row->stamps = fw_arena_allocate_zeroed(run->arena, nodes, sizeof(*row->stamps));
    row->states = row->stamps != NULL ? fw_arena_allocate(run->arena, nodes, sizeof(*row->states)) : NULL;
  }
  return row->states != NULL ? row : NULL;
}

static void begin(fw_cbs_route_t * route)
{
  route->state_count = 0;
  route->open.count = 0;
  if (++route->stamp == 0) {
    route->stamp = 1;  // after four thousand million searches old stamps could be taken for new: they are then
  }
}

typedef struct aim_t {
  int32_t robot;
  int32_t least;  // no path costs less
  fw_cost_t cost_max;
  int32_t node;       // to be there, at any time: ticks are what it costs; -1 to end on the robot's goal
  int32_t barred[2];  // no move between these two
} aim_t;

// At least that much is left to go, FW_DISTANCE_NONE if the meter has stopped.
static int32_t left_to_go(const fw_cbs_t * run, const aim_t * aim, int32_t node)
{
  const fw_moves_t * moves = run->scene->moves;
  return aim->node < 0 ? fw_scene_distance(run->scene, aim->robot, node)
                       : fw_moves_estimate(moves->grid, moves->degree, moves->cell_of[node], moves->cell_of[aim->node]);
}

static bool offer(fw_cbs_t * run, const aim_t * aim, const state_t * state)
{
  fw_cbs_route_t * route = run->route;
  const int32_t ahead = left_to_go(run, aim, state->node);
  const int32_t sum = ahead == FW_DISTANCE_NONE ? FW_DISTANCE_NONE : state->g + ahead;
  const int32_t f = sum > aim->least ? sum : aim->least;
  if (ahead == FW_DISTANCE_NONE || f > aim->cost_max || (aim->node < 0 && sum > run->rules[0].most)) {
    return true;
  }
  row_t * row = row_at(run, state->tick < run->rules[0].still_from ? state->tick : run->rules[0].still_from);
  if (row == NULL) {
    return false;
  }
  int32_t index = -1;
  if (row->stamps[state->node] == route->stamp) {
    const state_t * known = &route->states[row->states[state->node]];
    const bool meets_fewer = state->met < known->met || (state->met == known->met && state->outer < known->outer);
    if (known->g < state->g || (known->g == state->g && (known->is_closed || !meets_fewer))) {
      return true;
    }
    // Where paths count more than they cost, the first way to a state need not be the cheapest: it is looked at again.
    index = known->is_closed ? -1 : row->states[state->node];
  }
  if (index < 0) {
    if (route->state_count == route->state_capacity) {
      state_t * states =
        fw_arena_grow(run->arena, route->states, (size_t)route->state_count, sizeof(*states), &route->state_capacity);
      if (states == NULL) {
        return false;
      }
      route->states = states;
    }
    index = route->state_count++;
    row->stamps[state->node] = route->stamp;
    row->states[state->node] = index;
  }
  route->states[index] = *state;
  const uint64_t met = state->met < 0x3ff ? (uint64_t)state->met : 0x3ff;
  const uint64_t outer = state->outer < 0x3ff ? (uint64_t)state->outer : 0x3ff;
  const uint64_t h = ahead < 0xffff ? (uint64_t)ahead : 0xffff;
  return fw_ranked_push(&route->open, ((uint64_t)f << 36) | (met << 26) | (outer << 16) | h, index);
}

static bool expand(fw_cbs_t * run, const aim_t * aim, int32_t index)
{
  const state_t from = run->route->states[index];
  const int32_t * next = fw_moves_of(run->scene->moves, from.node);
  for (int32_t direction = -1; direction < run->scene->moves->degree; ++direction) {
    const int32_t to = direction < 0 ? from.node : next[direction];
    const fw_hop_t hop = {from.node, to, direction, from.tick};
    const bool is_barred = aim->node >= 0 && ((from.node == aim->barred[0] && to == aim->barred[1]) ||
                                              (from.node == aim->barred[1] && to == aim->barred[0]));
    if (to < 0 || is_barred || !fw_cbs_allows(run, 0, &hop)) {
      continue;
    }
    const state_t state = {
      .node = to,
      .tick = from.tick + 1,
      .g = from.g + (aim->node < 0 ? fw_scene_cost(run->scene, aim->robot, from.node, to) : 1),
      .met = aim->node < 0 ? from.met + fw_traffic_count(&run->traffic, &hop) : 0,
      .outer =
        aim->node < 0 && run->group->avoided != NULL ? from.outer + fw_traffic_count(run->group->avoided, &hop) : 0,
      .parent = index,
    };
    if (!offer(run, aim, &state)) {
      return false;
    }
  }
  return true;
}

static bool tell(fw_cbs_t * run, int32_t end, fw_path_t * path)
{
  fw_cbs_route_t * route = run->route;
  const int32_t length = route->states[end].tick + 1;
  while (length > route->node_capacity) {
    fw_cell_t * nodes = fw_arena_grow(run->arena, NULL, 0, sizeof(*nodes), &route->node_capacity);
    if (nodes == NULL) {
      return false;
    }
    route->nodes = nodes;
  }
  for (int32_t at = end; at >= 0; at = route->states[at].parent) {
    route->nodes[route->states[at].tick] = route->states[at].node;
  }
  *path = (fw_path_t){.cells = route->nodes, .length = length};
  return true;
}

// The state that is aimed at is `end`.
static fw_found_t search(fw_cbs_t * run, const aim_t * aim, int32_t * end)
{
  const fw_scene_t * scene = run->scene;
  const int32_t start = scene->starts[aim->robot];
  begin(run->route);
  if (!fw_cbs_allows(run, 0, &(fw_hop_t){start, start, -1, -1})) {
    return FW_FOUND_NONE;
  }
  if (!offer(run, aim, &(state_t){.node = start, .parent = -1})) {
    return fw_cbs_out_of_memory(run);
  }
  fw_ranked_item_t item;
  while (fw_ranked_pop(&run->route->open, &item)) {
    state_t * state = &run->route->states[item.value];
    if (state->is_closed) {
      continue;
    }
    state->is_closed = true;
    const bool is_end = aim->node < 0 ? state->node == scene->goals[aim->robot] && state->tick >= run->rules[0].end_from
                                      : state->node == aim->node;
    if (is_end) {
      *end = item.value;
      return FW_FOUND_PATH;
    }
    if (!expand(run, aim, item.value)) {
      return fw_cbs_out_of_memory(run);
    }
    if (fw_meter_add(scene->meter, 1)) {
      return FW_FOUND_STOPPED;
    }
  }
  return FW_FOUND_NONE;
}

fw_found_t fw_cbs_route(fw_cbs_t * run, int32_t member, fw_cost_t cost_max, fw_path_t * path, int32_t * cost)
{
  const aim_t aim = {
    .robot = run->members[member].robot,
    .least = run->rules[0].least,
    .cost_max = cost_max,
    .node = -1,
  };
  int32_t end;
  if (run->rules[0].end_from == FW_TICK_MAX) {
    return FW_FOUND_NONE;
  }
  const fw_found_t found = search(run, &aim, &end);
  if (found != FW_FOUND_PATH) {
    return found;
  }
  *cost = run->route->states[end].g > aim.least ? run->route->states[end].g : aim.least;
  return tell(run, end, path) ? FW_FOUND_PATH : fw_cbs_out_of_memory(run);
}

fw_found_t fw_cbs_earliest(fw_cbs_t * run, int32_t member, int32_t node, const int32_t barred[2], fw_tick_t * tick)
{
  const aim_t aim = {
    .robot = run->members[member].robot,
    .cost_max = INT32_MAX / 2,
    .node = node,
    .barred = {barred != NULL ? barred[0] : -1, barred != NULL ? barred[1] : -1},
  };
  int32_t end;
  const fw_found_t found = search(run, &aim, &end);
  *tick = found == FW_FOUND_PATH ? run->route->states[end].tick : FW_TICK_MAX;
  return found;
}
