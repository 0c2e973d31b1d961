// Simulated robots that follow releases, much faster than real time.
//
// Each robot drives along its path like a good controller would: it knows how far it may drive and brakes so that it
// comes to a stop there, and wherever its path changes direction. Between waypoints it keeps to its path exactly. Its
// odometry has noise, its speed varies, and it stops at random. All random numbers come from the seed. The simulation
// knows where robots really are and counts overlaps; the execution knows only their reports.

#include <math.h>

#include "base/error.h"
#include "base/rng.h"
#include "execution/execution.h"

// A simulated robot as it really is; the execution knows only its reports.
typedef struct mover_t {
  bool is_present;
  bool is_silent;
  bool has_moved;      // in the last step
  int32_t generation;  // of its slot in the execution
  double x;
  double y;
  double yaw;
  int32_t passed;  // last waypoint, by the caller's numbers
  double along;    // cells, or radians of a turn, from there
  double speed;
  double speed_factor;  // of the present motion, 1 or less
  double stop_until;
  double next_stop;
  double next_report;
  double arrived_at;  // when it came to the end of its path; NAN before
  int32_t disc;       // the first of its discs
  int32_t disc_count;
  int32_t waits_for;  // -1: no robot
  double waits_since;
  // A random sequence for each purpose, so that delays are the same whatever else differs.
  fw_rng_t slowness;
  fw_rng_t stops;
  fw_rng_t noise;
} mover_t;

// A disc of a robot, in the doubly linked list of its cell.
typedef struct disc_t {
  double x;
  double y;
  int32_t robot;
  int32_t cell;  // -1: in no list
  int32_t next;
  int32_t previous;
} disc_t;

// A pair of robots, the smaller number first.
typedef struct overlap_t {
  int32_t robot;
  int32_t other;
} overlap_t;

// Discs by cell (a uniform grid as spatial index), and the pairs of robots that overlap.
typedef struct disc_index_t {
  disc_t * items;
  int32_t count;
  int32_t capacity;
  int32_t * first_disc;  // by cell of the grid with a margin of one cell; -1: none
  int32_t width;
  int32_t height;
  double radius;
  overlap_t * overlaps[2];  // pairs of robots: of the last step, and of the one before
  int32_t overlap_count[2];
  int32_t overlap_capacity[2];
} disc_index_t;

struct fw_simulated_fleet_impl_t {
  fw_simulated_fleet_options_t options;
  fw_execution_impl_t * execution;
  fw_execution_t handle;
  fw_memory_t memory;
  fw_arena_t arena;
  mover_t * movers;
  int32_t mover_count;
  int32_t mover_capacity;
  disc_index_t discs;
  fw_simulated_wait_t * waits;  // in the order in which they ended
  int32_t wait_count;
  int32_t wait_capacity;
  double begin;
  double now;
  double next_update;
  int64_t steps;
  int64_t splices;  // of the execution, when they were last applied
  fw_simulated_result_t result;
};
typedef struct fw_simulated_fleet_impl_t fw_simulated_fleet_impl_t;

// ---- options --------------------------------------------------------------------------------------------------------

fw_simulated_fleet_options_t fw_simulated_fleet_options_default(void)
{
  return (fw_simulated_fleet_options_t){
    .step_seconds = 0.05,
    .odometry_seconds = 0.1,
    .noise = 0.02,
    .speed = 1.25,
    .acceleration = 2.0,
    .turn_rate = 3.0,
    .slow_factor = 0.3,
    .stop_seconds_max = 10.0,
  };
}

double fw_simulated_fleet_radius(const fw_execution_t * execution, double noise)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution->impl);
  const fw_execution_options_t * options = &execution->impl->options;
  // Diagonals pass the centres of the cells beside them at half a diagonal. A cell counts as left while the robot is
  // still this much too near:
  const double still = options->tolerance + noise;
  const double apart = graph->problem.connectivity == 8 ? 0.7071 : 1.0;
  return fmax(0.5 * (apart - still) - 0.001, 0.01);
}

static fw_ret_t check_options(const fw_simulated_fleet_options_t * options, fw_error_t * error)
{
  const bool is_right = options->step_seconds >= 0.001 && options->step_seconds <= 1.0 &&
                        options->odometry_seconds >= options->step_seconds && options->noise >= 0.0 &&
                        options->noise <= 0.5 && options->radius >= 0.0 && options->radius <= 0.5 &&
                        options->speed > 0.0 && options->speed <= 100.0 && options->acceleration > 0.0 &&
                        options->turn_rate >= 0.0 && options->slow_chance >= 0.0 && options->slow_chance <= 1.0 &&
                        options->slow_factor > 0.0 && options->slow_factor <= 1.0 && options->stops_per_hour >= 0.0 &&
                        options->stop_seconds_max >= 0.0;
  return is_right ? FW_RET_OK
                  : fw__error(
                      error, FW_RET_INVALID_ARGUMENT,
                      "an option of the simulated fleet is out of its range, see fw_simulated_fleet_options_t");
}

// ---- one robot ------------------------------------------------------------------------------------------------------

static const double NEAR = 1e-9;  // cells or radians: rounding errors

// A uniform random number, 0 to 1.
static double draw(fw_rng_t * rng) { return (double)(fw__rng_next(rng) >> 11) * 0x1p-53; }

typedef struct simulated_motion_t {
  double x;  // where it begins
  double y;
  double dx;
  double dy;
  double length;  // cells, or radians of a turn
  double turn;    // 0 for a move; radians of the whole turn, right is positive
} simulated_motion_t;

// The motion from node `at` to the next, in the graph in force.
static simulated_motion_t motion_of(const fw_dependency_graph_t * graph, int32_t robot, int32_t at)
{
  const fw_dependency_node_t * from = fw__dependency_graph_node(graph, robot, at);
  const fw_dependency_node_t * to = from + 1;
  simulated_motion_t motion = {
    .x = fw_grid_x(&graph->grid, from->pose.cell), .y = fw_grid_y(&graph->grid, from->pose.cell)};
  if (from->pose.cell == to->pose.cell) {
    motion.turn = fw__turn_angle(from->pose.heading, to->pose.heading);
    motion.length = fabs(motion.turn);
  } else {
    motion.dx = fw_grid_x(&graph->grid, to->pose.cell) - motion.x;
    motion.dy = fw_grid_y(&graph->grid, to->pose.cell) - motion.y;
    motion.length = sqrt(motion.dx * motion.dx + motion.dy * motion.dy);
  }
  return motion;
}

static bool has_heading(const fw_dependency_graph_t * graph, int32_t robot)
{
  return graph->sweep_tables[robot]->body->turn_ticks > 0;
}

// The node at which the robot has to stop: the end of its release, or in timed mode what its plan has begun by now.
static int32_t last_node(const fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  const fw_robot_slot_t * slot = &fleet->execution->slots[robot];
  const int32_t end = fw__execution_end(fleet->execution, robot);
  if (!fleet->options.is_timed) {
    return slot->stop_at;
  }
  const fw_dependency_graph_t * graph = fw__execution_graph_const(fleet->execution);
  int32_t at = fleet->movers[robot].passed - slot->base;
  while (at < end && fleet->now >= fw__dependency_graph_node(graph, robot, at + 1)->planned -
                                     fw__dependency_graph_node(graph, robot, at + 1)->seconds - NEAR) {
    ++at;
  }
  // A motion that it has begun it also ends.
  return at < end && fleet->movers[robot].along > NEAR && at == fleet->movers[robot].passed - slot->base ? at + 1 : at;
}

// May it drive on now?
static bool can_go(const fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  return last_node(fleet, robot) + fleet->execution->slots[robot].base > fleet->movers[robot].passed;
}

// Cells to the place where it must stand (the end of its release, or the next change of direction), as far as it
// matters for braking.
static double room_ahead(const fw_simulated_fleet_impl_t * fleet, int32_t robot, int32_t at, simulated_motion_t motion)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(fleet->execution);
  const mover_t * mover = &fleet->movers[robot];
  const double enough = mover->speed * mover->speed / (2.0 * fleet->options.acceleration) + 1.0;
  const int32_t last = last_node(fleet, robot);
  double room = motion.length - mover->along;
  for (int32_t i = at + 1; i < last && room < enough && motion.turn == 0.0; ++i) {
    const simulated_motion_t next = motion_of(graph, robot, i);
    if (next.turn != 0.0 || next.dx != motion.dx || next.dy != motion.dy) {
      break;
    }
    room += next.length;
  }
  return room;
}

// A new motion: slow or not?
static void draw_speed_factor(fw_simulated_fleet_impl_t * fleet, mover_t * mover)
{
  const fw_simulated_fleet_options_t * options = &fleet->options;
  const bool is_slow = options->slow_chance > 0.0 && draw(&mover->slowness) < options->slow_chance;
  mover->speed_factor = is_slow ? options->slow_factor + (1.0 - options->slow_factor) * draw(&mover->slowness) : 1.0;
}

// Stops are a Poisson process.
static void draw_next_stop(fw_simulated_fleet_impl_t * fleet, mover_t * mover)
{
  const double rate = fleet->options.stops_per_hour / 3600.0;
  mover->next_stop = rate > 0.0 ? fleet->now - log(1.0 - draw(&mover->stops)) / rate : INFINITY;
}

// Position and yaw from the progress along the path.
static void set_position(const fw_dependency_graph_t * graph, mover_t * mover, int32_t robot, int32_t at)
{
  const fw_dependency_node_t * node = fw__dependency_graph_node(graph, robot, at);
  mover->x = fw_grid_x(&graph->grid, node->pose.cell);
  mover->y = fw_grid_y(&graph->grid, node->pose.cell);
  mover->yaw = has_heading(graph, robot) ? FW__EIGHTH_TURN * node->pose.heading : mover->yaw;
  if (mover->along <= NEAR) {
    return;
  }
  const simulated_motion_t motion = motion_of(graph, robot, at);
  if (motion.turn != 0.0) {
    mover->yaw += motion.turn * mover->along / motion.length;
  } else {
    mover->x += motion.dx * mover->along / motion.length;
    mover->y += motion.dy * mover->along / motion.length;
  }
}

// Puts a new robot on its first waypoint.
static void place_mover(fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  mover_t * mover = &fleet->movers[robot];
  *mover = (mover_t){
    .is_present = true,
    .generation = fleet->execution->slots[robot].generation,
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
  draw_speed_factor(fleet, mover);
  set_position(fw__execution_graph(fleet->execution), mover, robot, fleet->execution->slots[robot].reached);
}

// After a splice: finds the place of the robot on its new path.
static void rejoin_mover(fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  mover_t * mover = &fleet->movers[robot];
  const fw_dependency_graph_t * graph = fw__execution_graph_const(fleet->execution);
  const fw_robot_slot_t * slot = &fleet->execution->slots[robot];
  mover->arrived_at = mover->passed < slot->base + fw__execution_end(fleet->execution, robot) ? NAN : mover->arrived_at;
  if (mover->passed >= slot->base) {
    return;
  }
  // It was withdrawn: its path begins with the motion that it had begun, in reverse.
  mover->passed = slot->base;
  const bool is_reverse = slot->released > 0 && fw__dependency_graph_node(graph, robot, 1)->is_reverse;
  mover->along = is_reverse ? motion_of(graph, robot, 0).length - mover->along : 0.0;
  if (is_reverse && mover->along >= motion_of(graph, robot, 0).length - NEAR) {
    ++mover->passed;
    mover->along = 0.0;
  }
}

// A robot of one cell without a heading turns into the direction of its motion first. True when it faces there.
static bool turn_ahead(fw_simulated_fleet_impl_t * fleet, int32_t robot, simulated_motion_t motion)
{
  mover_t * mover = &fleet->movers[robot];
  const fw_dependency_graph_t * graph = fw__execution_graph_const(fleet->execution);
  const bool turns = motion.turn == 0.0 && fleet->options.turn_rate > 0.0 && mover->along <= NEAR &&
                     graph->problem.robots[robot].footprint_count == 1 && !has_heading(graph, robot);
  if (!turns) {
    return true;
  }
  const double yaw = atan2(motion.dy, motion.dx);
  const double angle = remainder(yaw - mover->yaw, 8.0 * FW__EIGHTH_TURN);
  const double most = fleet->options.turn_rate * fleet->options.step_seconds;
  mover->yaw = fabs(angle) <= most ? yaw : mover->yaw + copysign(most, angle);
  return fabs(angle) <= most;
}

// One step along the path with limited speed and acceleration.
static void drive(fw_simulated_fleet_impl_t * fleet, int32_t robot, int32_t at, bool is_stopping)
{
  mover_t * mover = &fleet->movers[robot];
  const fw_dependency_graph_t * graph = fw__execution_graph_const(fleet->execution);
  const simulated_motion_t motion = motion_of(graph, robot, at);
  const double step = fleet->options.step_seconds;
  FW_ASSERT(at >= 0 && at < fw__execution_end(fleet->execution, robot));
  const double usual = motion.length / fw__dependency_graph_node(graph, robot, at + 1)->seconds * fleet->options.speed *
                       mover->speed_factor;
  double room = room_ahead(fleet, robot, at, motion);
  if (motion.turn != 0.0) {
    mover->speed = is_stopping ? 0.0 : usual;
  } else {
    const double gain = fleet->options.acceleration * step;
    const double wanted = is_stopping ? 0.0 : fmin(usual, sqrt(2.0 * fleet->options.acceleration * room));
    mover->speed = fmin(
      mover->speed + gain, fmax(wanted, fmin(mover->speed - gain, sqrt(2.0 * fleet->options.acceleration * room))));
    mover->speed = fmax(mover->speed, 0.0);
  }
  double more = fmin(mover->speed * step, room);
  FW_ASSERT(more >= 0.0 && mover->speed >= 0.0);
  mover->has_moved = more > 0.0;
  if (more >= room - NEAR) {
    mover->speed = 0.0;
  }
  while (more > 0.0) {
    const double left = motion_of(graph, robot, at).length - mover->along;
    if (more < left - NEAR) {
      mover->along += more;
      break;
    }
    more -= left;
    mover->along = 0.0;
    ++mover->passed;
    ++at;
    draw_speed_factor(fleet, mover);
    if (more <= NEAR) {
      break;
    }
  }
  set_position(graph, mover, robot, at);
}

static void step_mover(fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  mover_t * mover = &fleet->movers[robot];
  const int32_t at = mover->passed - fleet->execution->slots[robot].base;
  FW_ASSERT(at >= 0 && at <= fw__execution_end(fleet->execution, robot));
  mover->has_moved = false;
  if (fleet->now >= mover->next_stop) {
    mover->stop_until = fmax(mover->stop_until, fleet->now + draw(&mover->stops) * fleet->options.stop_seconds_max);
    draw_next_stop(fleet, mover);
  }
  const bool is_stopping = fleet->now < mover->stop_until;
  if (!can_go(fleet, robot)) {
    mover->speed = 0.0;
    return;
  }
  const simulated_motion_t motion = motion_of(fw__execution_graph_const(fleet->execution), robot, at);
  if ((is_stopping && mover->speed == 0.0) || !turn_ahead(fleet, robot, motion)) {
    return;
  }
  drive(fleet, robot, at, is_stopping);
}

// At the end of its path.
static bool has_arrived(const fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  return fleet->movers[robot].passed >=
         fleet->execution->slots[robot].base + fw__execution_end(fleet->execution, robot);
}

// ---- overlaps -------------------------------------------------------------------------------------------------------

static void init_discs(fw_simulated_fleet_impl_t * fleet)
{
  disc_index_t * discs = &fleet->discs;
  const fw_grid_t * grid = &fw__execution_graph(fleet->execution)->grid;
  discs->width = grid->width + 2;
  discs->height = grid->height + 2;
  const size_t cells = (size_t)discs->width * (size_t)discs->height;
  discs->first_disc = fw__arena_allocate(&fleet->arena, cells, sizeof(*discs->first_disc));
  for (size_t i = 0; discs->first_disc != NULL && i < cells; ++i) {
    discs->first_disc[i] = -1;
  }
}

static int32_t cell_at(const disc_index_t * discs, double x, double y)
{
  const double column = fmin(fmax(floor(x + 1.5), 0.0), discs->width - 1);
  const double row = fmin(fmax(floor(y + 1.5), 0.0), discs->height - 1);
  return (int32_t)row * discs->width + (int32_t)column;
}

static void unlink_disc(disc_index_t * discs, int32_t index)
{
  FW_ASSERT(index >= 0 && index < discs->count);
  disc_t * disc = &discs->items[index];
  if (disc->cell < 0) {
    return;
  }
  if (disc->previous >= 0) {
    discs->items[disc->previous].next = disc->next;
  } else {
    discs->first_disc[disc->cell] = disc->next;
  }
  if (disc->next >= 0) {
    discs->items[disc->next].previous = disc->previous;
  }
  disc->cell = -1;
}

static void link_disc(disc_index_t * discs, int32_t index, int32_t cell)
{
  FW_ASSERT(cell >= 0 && cell < discs->width * discs->height);
  disc_t * disc = &discs->items[index];
  FW_ASSERT(disc->cell < 0);
  disc->cell = cell;
  disc->previous = -1;
  disc->next = discs->first_disc[cell];
  if (disc->next >= 0) {
    discs->items[disc->next].previous = index;
  }
  discs->first_disc[cell] = index;
}

// The largest number of cells that the body covers at one heading or sweeps in one turn.
static int32_t disc_capacity(const fw_sweep_table_t * shape)
{
  int32_t most = shape->body->footprints[0].count;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT && shape->body->turn_ticks > 0; ++heading) {
    for (int32_t motion = 1; motion < shape->body->motion_count; ++motion) {
      const int32_t count = shape->body->footprints[heading].count + shape->entered[heading][motion].count;
      most = count > most ? count : most;
    }
  }
  return most;
}

// Puts the next discs of the robot, from disc `used` on, on cells around its position. Returns how many are used now.
static int32_t place_discs(fw_simulated_fleet_impl_t * fleet, int32_t robot, fw_footprint_t cells, int32_t used)
{
  disc_index_t * discs = &fleet->discs;
  const mover_t * mover = &fleet->movers[robot];
  FW_ASSERT(used + cells.count <= mover->disc_count);
  for (int32_t i = 0; i < cells.count; ++i) {
    disc_t * disc = &discs->items[mover->disc + used + i];
    disc->x = mover->x + cells.cells[i].dx;
    disc->y = mover->y + cells.cells[i].dy;
    const int32_t cell = cell_at(discs, disc->x, disc->y);
    if (cell != disc->cell) {
      unlink_disc(discs, mover->disc + used + i);
      link_disc(discs, mover->disc + used + i, cell);
    }
  }
  return used + cells.count;
}

// A body has one disc for each cell that it covers at its heading; while it turns, for each cell that it sweeps, until
// it is within the tolerance of the end of the turn. These are the cells that a plan keeps apart.
static void move_discs(fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  const fw_dependency_graph_t * graph = fw__execution_graph(fleet->execution);
  const mover_t * mover = &fleet->movers[robot];
  const int32_t at = mover->passed - fleet->execution->slots[robot].base;
  const fw_dependency_node_t * node = fw__dependency_graph_node(graph, robot, at);
  bool is_turning = mover->along > 0.0 && node[1].pose.cell == node->pose.cell;
  if (is_turning) {
    const double left = fabs(fw__turn_angle(node->pose.heading, node[1].pose.heading)) - mover->along;
    is_turning = left > fleet->execution->options.yaw_tolerance + fleet->options.noise;
    node += is_turning ? 0 : 1;
  }
  int32_t used = 0;
  if (is_turning) {
    const fw_swept_cells_t swept = fw__dependency_graph_swept(graph, (int32_t)(node + 1 - graph->nodes));
    used = place_discs(fleet, robot, swept.parts[0], used);
    used = place_discs(fleet, robot, swept.parts[1], used);
  } else {
    used = place_discs(fleet, robot, fw__sweep_table_standing(graph->sweep_tables[robot], node->pose.heading), used);
  }
  for (int32_t i = used; i < mover->disc_count; ++i) {
    unlink_disc(&fleet->discs, mover->disc + i);
  }
}

// Makes the discs of a new robot. Without memory it has none, and the arena remembers.
static void add_discs(fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  disc_index_t * discs = &fleet->discs;
  mover_t * mover = &fleet->movers[robot];
  const int32_t most = disc_capacity(fw__execution_graph(fleet->execution)->sweep_tables[robot]);
  while (discs->capacity < discs->count + most) {
    disc_t * larger = fw__arena_grow(&fleet->arena, discs->items, sizeof(*larger), &discs->capacity);
    if (larger == NULL) {
      return;
    }
    discs->items = larger;
  }
  mover->disc = discs->count;
  mover->disc_count = most;
  for (int32_t i = 0; i < most; ++i) {
    discs->items[discs->count++] = (disc_t){.robot = robot, .cell = -1};
  }
  move_discs(fleet, robot);
}

static void remove_discs(fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  for (int32_t i = 0; i < fleet->movers[robot].disc_count; ++i) {
    unlink_disc(&fleet->discs, fleet->movers[robot].disc + i);
  }
  fleet->movers[robot].disc_count = 0;
}

static bool has_overlap(const disc_index_t * discs, int32_t list, overlap_t overlap)
{
  for (int32_t i = 0; i < discs->overlap_count[list]; ++i) {
    if (discs->overlaps[list][i].robot == overlap.robot && discs->overlaps[list][i].other == overlap.other) {
      return true;
    }
  }
  return false;
}

// Without memory the pair is dropped, and the arena remembers.
static void add_overlap(fw_simulated_fleet_impl_t * fleet, overlap_t overlap)
{
  disc_index_t * discs = &fleet->discs;
  if (has_overlap(discs, 0, overlap)) {
    return;
  }
  if (discs->overlap_count[0] == discs->overlap_capacity[0]) {
    overlap_t * larger =
      fw__arena_grow(&fleet->arena, discs->overlaps[0], sizeof(*larger), &discs->overlap_capacity[0]);
    if (larger == NULL) {
      return;
    }
    discs->overlaps[0] = larger;
  }
  discs->overlaps[0][discs->overlap_count[0]++] = overlap;
}

// Finds overlaps of one disc in the cells around it.
static void find_overlaps(fw_simulated_fleet_impl_t * fleet, const disc_t * disc)
{
  disc_index_t * discs = &fleet->discs;
  FW_ASSERT(disc->cell >= 0);
  const int32_t column = disc->cell % discs->width;
  const int32_t row = disc->cell / discs->width;
  for (int32_t y = row > 0 ? row - 1 : 0; y <= row + 1 && y < discs->height; ++y) {
    for (int32_t x = column > 0 ? column - 1 : 0; x <= column + 1 && x < discs->width; ++x) {
      for (int32_t i = discs->first_disc[y * discs->width + x]; i >= 0; i = discs->items[i].next) {
        const disc_t * other = &discs->items[i];
        if (other->robot == disc->robot) {
          continue;
        }
        const double dx = other->x - disc->x;
        const double dy = other->y - disc->y;
        const double apart = sqrt(dx * dx + dy * dy) - 2.0 * discs->radius;
        fleet->result.nearest = fmin(fleet->result.nearest, apart);
        const overlap_t overlap =
          disc->robot < other->robot ? (overlap_t){disc->robot, other->robot} : (overlap_t){other->robot, disc->robot};
        if (apart < -1e-9) {
          add_overlap(fleet, overlap);
        }
      }
    }
  }
}

static void swap_overlaps(disc_index_t * discs)
{
  overlap_t * list = discs->overlaps[0];
  const int32_t count = discs->overlap_count[0];
  const int32_t capacity = discs->overlap_capacity[0];
  discs->overlaps[0] = discs->overlaps[1];
  discs->overlap_capacity[0] = discs->overlap_capacity[1];
  discs->overlap_count[0] = 0;
  discs->overlaps[1] = list;
  discs->overlap_count[1] = count;
  discs->overlap_capacity[1] = capacity;
}

// Overlaps of this step: looks at all robots that have moved, and keeps those of robots that stand.
static void count_overlaps(fw_simulated_fleet_impl_t * fleet)
{
  disc_index_t * discs = &fleet->discs;
  swap_overlaps(discs);
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    const mover_t * mover = &fleet->movers[robot];
    for (int32_t i = 0; mover->has_moved && i < mover->disc_count; ++i) {
      const disc_t * disc = &discs->items[mover->disc + i];
      if (disc->cell >= 0) {
        find_overlaps(fleet, disc);
      }
    }
  }
  // Two robots that overlap and stand still go on overlapping.
  for (int32_t i = 0; i < discs->overlap_count[1]; ++i) {
    const overlap_t overlap = discs->overlaps[1][i];
    const bool stand = !fleet->movers[overlap.robot].has_moved && !fleet->movers[overlap.other].has_moved;
    const bool are_present = fleet->movers[overlap.robot].is_present && fleet->movers[overlap.other].is_present;
    if (stand && are_present) {
      add_overlap(fleet, overlap);
    }
  }
  for (int32_t i = 0; i < discs->overlap_count[0]; ++i) {
    const overlap_t overlap = discs->overlaps[0][i];
    if (!has_overlap(discs, 1, overlap)) {
      if (fleet->result.overlaps == 0) {
        fleet->result.overlap_first[0] = overlap.robot;
        fleet->result.overlap_first[1] = overlap.other;
      }
      ++fleet->result.overlaps;
    }
  }
  fleet->result.overlap_steps += discs->overlap_count[0];
}

// ---- waits ----------------------------------------------------------------------------------------------------------

// The robot does not wait any more, or waits for another: adds what has passed. Without
// memory the wait is left out, and the arena remembers.
static void end_wait(fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  mover_t * mover = &fleet->movers[robot];
  if (mover->waits_for < 0 || fleet->now <= mover->waits_since) {
    return;
  }
  if (fleet->wait_count == fleet->wait_capacity) {
    fw_simulated_wait_t * larger = fw__arena_grow(&fleet->arena, fleet->waits, sizeof(*larger), &fleet->wait_capacity);
    if (larger == NULL) {
      return;
    }
    fleet->waits = larger;
  }
  fleet->waits[fleet->wait_count++] =
    (fw_simulated_wait_t){.robot = robot, .other = mover->waits_for, .seconds = fleet->now - mover->waits_since};
  mover->waits_since = fleet->now;
}

// Which robot is it waiting for now? Ends the wait before if that has changed.
static void note_wait(fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  const fw_robot_slot_t * slot = &fleet->execution->slots[robot];
  mover_t * mover = &fleet->movers[robot];
  int32_t other = -1;
  if (
    !fleet->options.is_timed && slot->reached == slot->released &&
    slot->reached < fw__execution_end(fleet->execution, robot)) {
    other = fw__release_wait_reason(fleet->execution, robot, slot->released + 1).other;
  }
  if (other == mover->waits_for) {
    return;
  }
  end_wait(fleet, robot);
  mover->waits_for = other;
  mover->waits_since = fleet->now;
}

static bool is_before(const fw_simulated_wait_t * a, const fw_simulated_wait_t * b, bool by_length)
{
  if (by_length && a->seconds != b->seconds) {
    return a->seconds > b->seconds;
  }
  return a->robot != b->robot ? a->robot < b->robot : a->other < b->other;
}

// Heap sort: needs no memory and gives the same order on every machine. By length (longest first), or by robots.
static void sort_waits(fw_simulated_wait_t * items, int32_t count, bool by_length)
{
  for (int32_t pass = count / 2 - 1, size = count; size > 1 || pass >= 0;) {
    int32_t at = pass;
    if (pass >= 0) {
      --pass;
    } else {
      --size;
      const fw_simulated_wait_t last = items[size];
      items[size] = items[0];
      items[0] = last;
      at = 0;
    }
    const fw_simulated_wait_t item = items[at];
    for (int32_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      child += child + 1 < size && is_before(&items[child], &items[child + 1], by_length) ? 1 : 0;
      if (!is_before(&item, &items[child], by_length)) {
        break;
      }
      items[at] = items[child];
      at = child;
    }
    items[at] = item;
  }
}

// Ends all waits that go on, adds up by pairs of robots and puts the longest first.
static void close_waits(fw_simulated_fleet_impl_t * fleet)
{
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    end_wait(fleet, robot);
  }
  sort_waits(fleet->waits, fleet->wait_count, false);
  int32_t count = 0;
  for (int32_t i = 0; i < fleet->wait_count; ++i) {
    const fw_simulated_wait_t wait = fleet->waits[i];
    if (count > 0 && fleet->waits[count - 1].robot == wait.robot && fleet->waits[count - 1].other == wait.other) {
      fleet->waits[count - 1].seconds += wait.seconds;
    } else {
      fleet->waits[count++] = wait;
    }
  }
  fleet->wait_count = count;
  sort_waits(fleet->waits, fleet->wait_count, true);
}

// ---- the fleet: init and fini ---------------------------------------------------------------------------------------

static bool reserve_movers(fw_simulated_fleet_impl_t * fleet, int32_t count)
{
  while (fleet->mover_capacity < count) {
    mover_t * movers = fw__arena_grow(&fleet->arena, fleet->movers, sizeof(*movers), &fleet->mover_capacity);
    if (movers == NULL) {
      return false;
    }
    fleet->movers = movers;
  }
  for (; fleet->mover_count < count; ++fleet->mover_count) {
    fleet->movers[fleet->mover_count] = (mover_t){.waits_for = -1};
  }
  return true;
}

// A splice may have added robots and changed the paths of others.
static void add_spliced_robots(fw_simulated_fleet_impl_t * fleet)
{
  const fw_execution_impl_t * execution = fleet->execution;
  if (!reserve_movers(fleet, execution->slot_count)) {
    return;
  }
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    if (!execution->slots[robot].is_present) {
      continue;
    }
    if (fleet->movers[robot].is_present) {
      rejoin_mover(fleet, robot);
      continue;
    }
    place_mover(fleet, robot);
    add_discs(fleet, robot);
    fleet->movers[robot].has_moved = true;  // so that it is checked for overlaps
  }
  fleet->splices = execution->splices;
}

static void drop_removed_robots(fw_simulated_fleet_impl_t * fleet)
{
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    const fw_robot_slot_t * slot = &fleet->execution->slots[robot];
    if (fleet->movers[robot].is_present && (!slot->is_present || slot->generation != fleet->movers[robot].generation)) {
      remove_discs(fleet, robot);
      fleet->movers[robot].is_present = false;
      fleet->movers[robot].has_moved = false;
    }
  }
}

fw_ret_t fw_simulated_fleet_init(
  fw_simulated_fleet_t * fleet, const fw_execution_t * execution, const fw_simulated_fleet_options_t * options,
  fw_error_t * error)
{
  *fleet = (fw_simulated_fleet_t){0};
  const fw_simulated_fleet_options_t used = options != NULL ? *options : fw_simulated_fleet_options_default();
  const fw_ret_t ret = check_options(&used, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_allocator_t allocator = execution->impl->options.allocator;
  fw_simulated_fleet_impl_t * impl = fw__allocate_array(&allocator, 1, sizeof(*impl));
  if (impl == NULL) {
    return fw__error_memory(error);
  }
  impl->options = used;
  impl->execution = execution->impl;
  impl->handle = *execution;
  impl->memory = (fw_memory_t){.allocator = allocator, .max_bytes = execution->impl->options.memory_max_bytes};
  fw__arena_init(&impl->arena, &impl->memory);
  impl->begin = impl->now = isfinite(execution->impl->now) ? execution->impl->now : 0.0;
  impl->result = (fw_simulated_result_t){.overlap_first = {-1, -1}, .nearest = INFINITY};
  impl->discs.radius = used.radius > 0.0 ? used.radius : fw_simulated_fleet_radius(execution, used.noise);
  fleet->impl = impl;
  init_discs(impl);
  if (!fw__arena_has_failed(&impl->arena)) {
    add_spliced_robots(impl);
  }
  count_overlaps(impl);
  if (fw__arena_has_failed(&impl->arena)) {
    fw_simulated_fleet_fini(fleet);
    return fw__error_memory(error);
  }
  return FW_RET_OK;
}

void fw_simulated_fleet_fini(fw_simulated_fleet_t * fleet)
{
  if (fleet->impl != NULL) {
    const fw_allocator_t allocator = fleet->impl->memory.allocator;
    fw__arena_fini(&fleet->impl->arena);
    fw__deallocate(&allocator, fleet->impl);
  }
  *fleet = (fw_simulated_fleet_t){0};
}

// ---- steps ----------------------------------------------------------------------------------------------------------

// Uniform, -options.noise to options.noise.
static double noise(fw_simulated_fleet_impl_t * fleet, fw_rng_t * rng)
{
  return fleet->options.noise * (2.0 * (double)(fw__rng_next(rng) >> 11) * 0x1p-53 - 1.0);
}

// Odometry, with noise, to the execution.
static fw_ret_t report(fw_simulated_fleet_impl_t * fleet, int32_t robot, fw_error_t * error)
{
  mover_t * mover = &fleet->movers[robot];
  mover->next_report += fleet->options.odometry_seconds;
  if (mover->is_silent || fleet->options.is_timed) {
    return FW_RET_OK;
  }
  const fw_execution_measure_t measure = {
    .time = fleet->now,
    .x = mover->x + noise(fleet, &mover->noise),
    .y = mover->y + noise(fleet, &mover->noise),
    .yaw = mover->yaw + 0.5 * noise(fleet, &mover->noise),
  };
  const fw_ret_t ret = fw_execution_report(&fleet->handle, robot, &measure, error);
  if (ret == FW_RET_OK) {
    note_wait(fleet, robot);
  }
  return ret;
}

static void note_arrival(fw_simulated_fleet_impl_t * fleet, int32_t robot)
{
  mover_t * mover = &fleet->movers[robot];
  const int32_t end = fw__execution_end(fleet->execution, robot);
  if (isnan(mover->arrived_at) && mover->passed == fleet->execution->slots[robot].base + end) {
    mover->arrived_at = fleet->now;
  }
}

fw_ret_t fw_simulated_fleet_step(fw_simulated_fleet_t * fleet, fw_error_t * error)
{
  fw_simulated_fleet_impl_t * impl = fleet->impl;
  fw_execution_impl_t * execution = impl->execution;
  drop_removed_robots(impl);
  if (impl->splices != execution->splices) {
    add_spliced_robots(impl);
  }
  if (fw__arena_has_failed(&impl->arena)) {
    return fw__error_memory(error);  // robots may be without discs
  }
  ++impl->steps;
  impl->now = impl->begin + (double)impl->steps * impl->options.step_seconds;
  for (int32_t robot = 0; robot < impl->mover_count; ++robot) {
    if (impl->movers[robot].is_present) {
      step_mover(impl, robot);
      if (impl->movers[robot].has_moved) {
        move_discs(impl, robot);
        note_arrival(impl, robot);
      }
    }
  }
  count_overlaps(impl);
  for (int32_t robot = 0; robot < impl->mover_count; ++robot) {
    if (impl->movers[robot].is_present && impl->now >= impl->movers[robot].next_report) {
      const fw_ret_t ret = report(impl, robot, error);
      if (ret != FW_RET_OK) {
        return ret;
      }
    }
  }
  if (impl->now >= impl->next_update) {
    fw_execution_update(&impl->handle, impl->now);
    impl->next_update = impl->now + 1.0;
  }
  return fw__arena_has_failed(&impl->arena) ? fw__error_memory(error) : FW_RET_OK;
}

typedef enum activity_t {
  ALL_ARRIVED,
  SOME_CAN_GO,
  NOBODY_CAN_GO,
} activity_t;

// A robot at the end of its release may still have to report it, so what the execution knows counts as well.
static activity_t find_activity(const fw_simulated_fleet_impl_t * fleet)
{
  activity_t activity = ALL_ARRIVED;
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    const mover_t * mover = &fleet->movers[robot];
    const fw_robot_slot_t * slot = &fleet->execution->slots[robot];
    if (!mover->is_present || !slot->is_present) {
      continue;
    }
    const int32_t end = fw__execution_end(fleet->execution, robot);
    const bool waits_for_clock = fleet->options.is_timed || fleet->execution->has_closures;
    if (slot->reached < end || mover->passed < slot->base + end) {
      activity = activity == ALL_ARRIVED ? NOBODY_CAN_GO : activity;
      if (can_go(fleet, robot) || slot->reached < slot->stop_at || waits_for_clock) {
        return SOME_CAN_GO;
      }
    }
  }
  return activity;
}

// Has the run come to its end?
static bool is_over(fw_simulated_fleet_impl_t * fleet)
{
  if (fleet->options.is_timed) {
    bool have_arrived = true;
    for (int32_t robot = 0; robot < fleet->mover_count && have_arrived; ++robot) {
      have_arrived = !fleet->movers[robot].is_present || has_arrived(fleet, robot);
    }
    return have_arrived;
  }
  const activity_t activity = find_activity(fleet);
  fleet->result.is_deadlock = activity == NOBODY_CAN_GO;
  return activity != SOME_CAN_GO;
}

fw_ret_t fw_simulated_fleet_run(fw_simulated_fleet_t * fleet, double seconds, fw_error_t * error)
{
  fw_simulated_fleet_impl_t * impl = fleet->impl;
  fw_ret_t ret = FW_RET_OK;
  while (ret == FW_RET_OK && impl->now - impl->begin < seconds && !is_over(impl)) {
    ret = fw_simulated_fleet_step(fleet, error);
  }
  return ret;
}

// ---- faults and queries ---------------------------------------------------------------------------------------------

void fw_simulated_fleet_stop(fw_simulated_fleet_t * fleet, int32_t robot, double seconds)
{
  if (robot >= 0 && robot < fleet->impl->mover_count) {
    fleet->impl->movers[robot].stop_until = fleet->impl->now + seconds;
  }
}

void fw_simulated_fleet_silence(fw_simulated_fleet_t * fleet, int32_t robot, bool is_silent)
{
  if (robot >= 0 && robot < fleet->impl->mover_count) {
    fleet->impl->movers[robot].is_silent = is_silent;
  }
}

void fw_simulated_fleet_position(
  const fw_simulated_fleet_t * fleet, int32_t robot, double * x, double * y, double * speed)
{
  const fw_simulated_fleet_impl_t * impl = fleet->impl;
  const bool is_present = robot >= 0 && robot < impl->mover_count && impl->movers[robot].is_present;
  *x = is_present ? impl->movers[robot].x : NAN;
  *y = is_present ? impl->movers[robot].y : NAN;
  *speed = is_present ? impl->movers[robot].speed : NAN;
}

fw_simulated_result_t fw_simulated_fleet_result(fw_simulated_fleet_t * fleet)
{
  fw_simulated_fleet_impl_t * impl = fleet->impl;
  fw_simulated_result_t result = impl->result;
  const fw_dependency_graph_t * graph = fw__execution_graph_const(impl->execution);
  result.seconds = impl->now - impl->begin;
  for (int32_t robot = 0; robot < impl->mover_count; ++robot) {
    const mover_t * mover = &impl->movers[robot];
    if (!mover->is_present || !impl->execution->slots[robot].is_present) {
      continue;
    }
    const double planned = fw__dependency_graph_node(graph, robot, fw__execution_end(impl->execution, robot))->planned;
    const double arrived = isnan(mover->arrived_at) ? planned : mover->arrived_at;
    ++result.robots;
    result.planned = fmax(result.planned, planned - impl->begin);
    if (has_arrived(impl, robot)) {
      ++result.arrived;
      result.last_arrival = fmax(result.last_arrival, isnan(mover->arrived_at) ? 0.0 : arrived - impl->begin);
      result.delay_sum += arrived - planned;
    }
  }
  close_waits(impl);
  result.waits = impl->waits;
  result.wait_count = impl->wait_count;
  return result;
}
