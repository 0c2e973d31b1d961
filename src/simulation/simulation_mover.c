// One simulated robot: along its way with limited speed and acceleration, as a good controller does it.
//
// It knows how far it may drive and brakes so that it comes to stand there, and wherever its way turns. Between waypoints
// it keeps to its way exactly; what is not exact is its odometry, its speed, and when it feels like going.

#include <math.h>

#include "simulation/simulation.h"

static const double NEAR = 1e-9;  // cells; nearer is there

// 0 to 1.
static double draw(fw_rng_t * rng) { return (double)(fw__rng_next(rng) >> 11) * 0x1p-53; }

typedef struct leg_t {
  double x;  // where it begins
  double y;
  double dx;
  double dy;
  double length;  // cells, or radians of a turn
  double turn;    // 0 for a move; radians of the whole turn, right is positive
} leg_t;

// The motion to the node after `at` (in the graph in force).
static leg_t leg_of(const fw__graph_t * graph, int32_t robot, int32_t at)
{
  const fw__node_t * from = fw__way_node(graph, robot, at);
  const fw__node_t * to = from + 1;
  leg_t leg = {.x = fw_grid_x(&graph->grid, from->pose.cell), .y = fw_grid_y(&graph->grid, from->pose.cell)};
  if (from->pose.cell == to->pose.cell) {
    leg.turn = fw__turn_angle(from->pose.heading, to->pose.heading);
    leg.length = fabs(leg.turn);
  } else {
    leg.dx = fw_grid_x(&graph->grid, to->pose.cell) - leg.x;
    leg.dy = fw_grid_y(&graph->grid, to->pose.cell) - leg.y;
    leg.length = sqrt(leg.dx * leg.dx + leg.dy * leg.dy);
  }
  return leg;
}

static bool has_heading(const fw__graph_t * graph, int32_t robot) { return graph->shapes[robot]->body->turn_ticks > 0; }

// How far the robot may go by its orders: the node to stop at.
static int32_t last_node(const fw__simulated_fleet_t * fleet, int32_t robot)
{
  const fw__slot_t * slot = &fleet->execution->slots[robot];
  const int32_t end = fw__execution_end(fleet->execution, robot);
  if (!fleet->options.is_timed) {
    return slot->stop_at;
  }
  const fw__graph_t * graph = fw__execution_graph_const(fleet->execution);
  int32_t at = fleet->movers[robot].passed - slot->base;
  while (at < end && fleet->now >= fw__way_node(graph, robot, at + 1)->planned -
                                     fw__way_node(graph, robot, at + 1)->seconds - NEAR) {
    ++at;
  }
  // What it has begun it ends.
  return at < end && fleet->movers[robot].along > NEAR && at == fleet->movers[robot].passed - slot->base ? at + 1 : at;
}

bool fw__mover_can_go(const fw__simulated_fleet_t * fleet, int32_t robot)
{
  return last_node(fleet, robot) + fleet->execution->slots[robot].base > fleet->movers[robot].passed;
}

// Cells until it must stand: the end of its orders or the next turn, as far as it matters for braking.
static double room_ahead(const fw__simulated_fleet_t * fleet, int32_t robot, int32_t at, leg_t leg)
{
  const fw__graph_t * graph = fw__execution_graph_const(fleet->execution);
  const fw__mover_t * mover = &fleet->movers[robot];
  const double enough = mover->speed * mover->speed / (2.0 * fleet->options.acceleration) + 1.0;
  const int32_t last = last_node(fleet, robot);
  double room = leg.length - mover->along;
  for (int32_t i = at + 1; i < last && room < enough && leg.turn == 0.0; ++i) {
    const leg_t next = leg_of(graph, robot, i);
    if (next.turn != 0.0 || next.dx != leg.dx || next.dy != leg.dy) {
      break;
    }
    room += next.length;
  }
  return room;
}

static void draw_factor(fw__simulated_fleet_t * fleet, fw__mover_t * mover)
{
  const fw_simulated_fleet_options_t * options = &fleet->options;
  const bool is_slow = options->slow_chance > 0.0 && draw(&mover->slowness) < options->slow_chance;
  mover->factor = is_slow ? options->slow_factor + (1.0 - options->slow_factor) * draw(&mover->slowness) : 1.0;
}

static void draw_next_stop(fw__simulated_fleet_t * fleet, fw__mover_t * mover)
{
  const double rate = fleet->options.stops_per_hour / 3600.0;
  mover->next_stop = rate > 0.0 ? fleet->now - log(1.0 - draw(&mover->stops)) / rate : INFINITY;
}

static void set_position(const fw__graph_t * graph, fw__mover_t * mover, int32_t robot, int32_t at)
{
  const fw__node_t * node = fw__way_node(graph, robot, at);
  mover->x = fw_grid_x(&graph->grid, node->pose.cell);
  mover->y = fw_grid_y(&graph->grid, node->pose.cell);
  mover->yaw = has_heading(graph, robot) ? FW__EIGHTH * node->pose.heading : mover->yaw;
  if (mover->along <= NEAR) {
    return;
  }
  const leg_t leg = leg_of(graph, robot, at);
  if (leg.turn != 0.0) {
    mover->yaw += leg.turn * mover->along / leg.length;
  } else {
    mover->x += leg.dx * mover->along / leg.length;
    mover->y += leg.dy * mover->along / leg.length;
  }
}

void fw__mover_place(fw__simulated_fleet_t * fleet, int32_t robot)
{
  fw__mover_t * mover = &fleet->movers[robot];
  *mover = (fw__mover_t){
    .is_there = true,
    .visit = fleet->execution->slots[robot].visit,
    .passed = fleet->execution->slots[robot].base + fleet->execution->slots[robot].reached,
    .stop_until = -INFINITY,
    .arrived_at = NAN,
    .waits_for = -1,
  };
  fw_rng_t rng = fw__rng(fleet->options.seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)robot + 1);
  mover->slowness = fw__rng(fw__rng_next(&rng));
  mover->stops = fw__rng(fw__rng_next(&rng));
  mover->noise = fw__rng(fw__rng_next(&rng));
  mover->next_report = fleet->now + draw(&mover->noise) * fleet->options.odometry_seconds;
  draw_next_stop(fleet, mover);
  draw_factor(fleet, mover);
  set_position(fw__execution_graph(fleet->execution), mover, robot, fleet->execution->slots[robot].reached);
}

void fw__mover_join(fw__simulated_fleet_t * fleet, int32_t robot)
{
  fw__mover_t * mover = &fleet->movers[robot];
  const fw__graph_t * graph = fw__execution_graph_const(fleet->execution);
  const fw__slot_t * slot = &fleet->execution->slots[robot];
  mover->arrived_at = mover->passed < slot->base + fw__execution_end(fleet->execution, robot) ? NAN : mover->arrived_at;
  if (mover->passed >= slot->base) {
    return;
  }
  // It had given its way back: the way begins with the motion that it had begun, backwards.
  mover->passed = slot->base;
  const bool is_back = slot->released > 0 && fw__way_node(graph, robot, 1)->is_back;
  mover->along = is_back ? leg_of(graph, robot, 0).length - mover->along : 0.0;
  if (is_back && mover->along >= leg_of(graph, robot, 0).length - NEAR) {
    ++mover->passed;
    mover->along = 0.0;
  }
}

// A robot of one cell looks where it goes before it goes there.
static bool looks_ahead(fw__simulated_fleet_t * fleet, int32_t robot, leg_t leg)
{
  fw__mover_t * mover = &fleet->movers[robot];
  const fw__graph_t * graph = fw__execution_graph_const(fleet->execution);
  const bool turns = leg.turn == 0.0 && fleet->options.turn_rate > 0.0 && mover->along <= NEAR &&
                     graph->problem.robots[robot].footprint_count == 1 && !has_heading(graph, robot);
  if (!turns) {
    return true;
  }
  const double yaw = atan2(leg.dy, leg.dx);
  const double angle = remainder(yaw - mover->yaw, 8.0 * FW__EIGHTH);
  const double most = fleet->options.turn_rate * fleet->options.step_seconds;
  mover->yaw = fabs(angle) <= most ? yaw : mover->yaw + copysign(most, angle);
  return fabs(angle) <= most;
}

static void drive(fw__simulated_fleet_t * fleet, int32_t robot, int32_t at, bool is_stopping)
{
  fw__mover_t * mover = &fleet->movers[robot];
  const fw__graph_t * graph = fw__execution_graph_const(fleet->execution);
  const leg_t leg = leg_of(graph, robot, at);
  const double step = fleet->options.step_seconds;
  const double usual = leg.length / fw__way_node(graph, robot, at + 1)->seconds * fleet->options.speed * mover->factor;
  double room = room_ahead(fleet, robot, at, leg);
  if (leg.turn != 0.0) {
    mover->speed = is_stopping ? 0.0 : usual;
  } else {
    const double gain = fleet->options.acceleration * step;
    const double wanted = is_stopping ? 0.0 : fmin(usual, sqrt(2.0 * fleet->options.acceleration * room));
    mover->speed = fmin(
      mover->speed + gain, fmax(wanted, fmin(mover->speed - gain, sqrt(2.0 * fleet->options.acceleration * room))));
    mover->speed = fmax(mover->speed, 0.0);
  }
  double more = fmin(mover->speed * step, room);
  mover->has_moved = more > 0.0;
  if (more >= room - NEAR) {
    mover->speed = 0.0;
  }
  while (more > 0.0) {
    const double left = leg_of(graph, robot, at).length - mover->along;
    if (more < left - NEAR) {
      mover->along += more;
      break;
    }
    more -= left;
    mover->along = 0.0;
    ++mover->passed;
    ++at;
    draw_factor(fleet, mover);
    if (more <= NEAR) {
      break;
    }
  }
  set_position(graph, mover, robot, at);
}

void fw__mover_step(fw__simulated_fleet_t * fleet, int32_t robot)
{
  fw__mover_t * mover = &fleet->movers[robot];
  const int32_t at = mover->passed - fleet->execution->slots[robot].base;
  mover->has_moved = false;
  if (fleet->now >= mover->next_stop) {
    mover->stop_until = fmax(mover->stop_until, fleet->now + draw(&mover->stops) * fleet->options.stop_seconds_max);
    draw_next_stop(fleet, mover);
  }
  const bool is_stopping = fleet->now < mover->stop_until;
  if (!fw__mover_can_go(fleet, robot)) {
    mover->speed = 0.0;
    return;
  }
  const leg_t leg = leg_of(fw__execution_graph_const(fleet->execution), robot, at);
  if ((is_stopping && mover->speed == 0.0) || !looks_ahead(fleet, robot, leg)) {
    return;
  }
  drive(fleet, robot, at, is_stopping);
}
