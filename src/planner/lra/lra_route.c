// Routes of `lra`: A* for one robot, guided by true distances with noise on them, past those in contact at most.

#include "planner/lra/lra.h"

// ---- contact --------------------------------------------------------------------------------------------------------

typedef enum contact_t { CONTACT_NOTE, CONTACT_ASK } contact_t;

// Notes which cells of a place next to the robot are others', or asks whether one of them is noted.
static bool look_at(fw_lra_t * run, int32_t robot, int32_t node, contact_t contact)
{
  const fw_pose_t pose = fw__moves_pose(run->fleet->moves[robot], node);
  const fw_footprint_t footprint = fw__fleet_footprint(run->fleet, robot, pose.heading);
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_cell_t cell = pose.cell + footprint.cells[i].dy * run->problem->grid->width + footprint.cells[i].dx;
    if (contact == CONTACT_ASK) {
      if (run->touched[cell] == run->search) {
        return true;
      }
      continue;
    }
    const int32_t owner = fw__reservations_owner(&run->table, run->fleet->places->node_of[cell], run->now + 1);
    if (owner >= 0 && owner != robot) {
      run->touched[cell] = run->search;
    }
  }
  return false;
}

static bool is_touched(fw_lra_t * run, int32_t robot, int32_t node) { return look_at(run, robot, node, CONTACT_ASK); }

// ---- search ---------------------------------------------------------------------------------------------------------

static void offer(fw_lra_t * run, int32_t robot, int32_t at, int32_t parent, int32_t motion)
{
  fw_distance_t * distance = fw__fleet_distance(run->fleet, robot);
  const fw_moves_t * moves = distance->moves;
  const int32_t cost = moves->spans[motion] * (distance->is_weighted ? fw__moves_cost(moves, at) : 1);
  const int32_t g = (parent >= 0 ? run->nodes[parent].g : 0) + cost;
  fw_lra_node_t * node = &run->nodes[at];
  if (node->seen == run->search && (node->is_closed || node->g <= g)) {
    return;
  }
  *node = (fw_lra_node_t){.seen = run->search, .g = g, .parent = parent};
  const int32_t h = fw__distance_get(distance, at, run->context->meter);
  if (fw__lra_has_stopped(run) || h == FW_DISTANCE_NONE) {
    return;  // a robot that turns may get where it cannot get out
  }
  const int64_t noise = (int64_t)fw__rng_below(&run->rng, run->walkers[robot].agitation + 1) * moves->move_span;
  if (!fw__buckets_push(&run->open, g + h + noise, at, g)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

// The first steps there are. The place where the robot stands is not part of the search: it may come back to it.
static void begin_search(fw_lra_t * run, int32_t robot, fw_lra_view_t view)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  const int32_t * next = fw__moves_of(moves, fw__moves_node(moves, fw__lra_pose(run, robot)));
  // A robot with a heading has no step straight back.
  const int32_t wanted = view == FW_LRA_ASIDE && moves->heading_of == NULL ? fw__lra_next(run, robot) : -1;
  ++run->search;
  fw__buckets_clear(&run->open);
  for (int32_t d = 0; d < moves->degree; ++d) {
    if (next[d] < 0 || (wanted >= 0 && next[d ^ 2] == wanted)) {  // d ^ 2 is the opposite direction
      continue;
    }
    const fw_timed_motion_t step = fw__lra_step_to(run, robot, next[d]);
    if (view == FW_LRA_NOBODY || fw__reservations_allow(&run->table, &step)) {
      offer(run, robot, next[d], -1, d);
    }
    if (view == FW_LRA_CONTACT) {
      (void)look_at(run, robot, next[d], CONTACT_NOTE);
    }
  }
}

static bool take_route(fw_lra_t * run, int32_t robot, int32_t goal)
{
  fw_lra_list_t * route = &run->walkers[robot].route;
  route->count = 0;
  for (int32_t node = goal; node >= 0; node = run->nodes[node].parent) {
    if (route->count == route->capacity) {
      int32_t * items =
        fw__arena_grow(run->context->scratch, route->items, (size_t)route->count, sizeof(*items), &route->capacity);
      if (items == NULL) {
        fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
        return false;
      }
      route->items = items;
    }
    route->items[route->count++] = node;
  }
  return true;
}

// Is the goal out of reach, whatever the heading there?
static bool is_goal_touched(fw_lra_t * run, int32_t robot)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  for (int32_t heading = 0; heading < moves->plane_count * moves->body->turn_step; heading += moves->body->turn_step) {
    const int32_t node = fw__moves_node(moves, (fw_pose_t){run->problem->robots[robot].goal, heading});
    if (node >= 0 && !is_touched(run, robot, node)) {
      return false;
    }
  }
  return true;
}

bool fw__lra_find_route(fw_lra_t * run, int32_t robot, fw_lra_view_t view)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  const fw_cell_t goal = run->problem->robots[robot].goal;
  begin_search(run, robot, view);
  if (view == FW_LRA_CONTACT && is_goal_touched(run, robot)) {
    return false;
  }
  int32_t at, g;
  int64_t key;
  while (!fw__lra_has_stopped(run) && fw__buckets_pop(&run->open, &at, &g, &key)) {
    if (moves->cell_of[at] == goal) {
      return take_route(run, robot, at);
    }
    if (run->nodes[at].is_closed) {
      continue;  // with noise a place may be closed before its shortest way is known: that is what noise is for
    }
    run->nodes[at].is_closed = true;
    (void)fw__meter_add(run->context->meter, 1);
    const int32_t * next = fw__moves_of(moves, at);
    for (int32_t d = 0; d < moves->degree && !fw__lra_has_stopped(run); ++d) {
      if (next[d] >= 0 && (view != FW_LRA_CONTACT || !is_touched(run, robot, next[d]))) {
        offer(run, robot, next[d], at, d);
      }
    }
  }
  return false;
}
