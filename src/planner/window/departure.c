// Dijkstra's search over the poses that overlap the present one, for each robot alone on the map.

#include "planner/window/departure.h"

#include "base/assert.h"
#include "planner/window/transaction.h"

// For which robot, and where, departures have been computed.
struct fw_departure_key_t {
  const fw_body_t * body;
  fw_grid_pose_t pose;
  fw_cell_t goal;
};

// The search for one robot. Poses are numbered within a box around the present one that contains all poses that overlap
// it.
typedef struct departure_search_t {
  fw_window_t * window;
  int32_t robot;
  const fw_body_t * body;
  const fw_moves_t * moves;
  fw_grid_pose_t from;
  fw_footprint_t footprint;  // of `from`
  int32_t radius;            // of the box
  fw_tick_t * ticks;         // by cell of the footprint
} departure_search_t;

// The largest Chebyshev distance of a cell of the body from its own cell, over all headings.
static int32_t extent_of(const fw_body_t * body)
{
  int32_t extent = 0;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; ++heading) {
    for (int32_t i = 0; i < body->footprints[heading].count; ++i) {
      const fw_offset_t cell = body->footprints[heading].cells[i];
      const int32_t dx = cell.dx < 0 ? -cell.dx : cell.dx;
      const int32_t dy = cell.dy < 0 ? -cell.dy : cell.dy;
      extent = dx > extent ? dx : extent;
      extent = dy > extent ? dy : extent;
    }
  }
  return extent;
}

// The number of a pose in the box; -1 if it is outside.
static int32_t number_of(const departure_search_t * search, fw_grid_pose_t pose)
{
  const fw_grid_t * grid = search->moves->grid;
  const int32_t side = 2 * search->radius + 1;
  const int32_t dx = fw_grid_x(grid, pose.cell) - fw_grid_x(grid, search->from.cell) + search->radius;
  const int32_t dy = fw_grid_y(grid, pose.cell) - fw_grid_y(grid, search->from.cell) + search->radius;
  const bool is_inside = dx >= 0 && dy >= 0 && dx < side && dy < side;
  return is_inside ? (pose.heading * side + dy) * side + dx : -1;
}

// A cell of the footprint at `from`, as an offset from another pose.
static fw_offset_t offset_from(const departure_search_t * search, int32_t cell, fw_grid_pose_t pose)
{
  const fw_grid_t * grid = search->moves->grid;
  return (fw_offset_t){
    .dx = search->footprint.cells[cell].dx + fw_grid_x(grid, search->from.cell) - fw_grid_x(grid, pose.cell),
    .dy = search->footprint.cells[cell].dy + fw_grid_y(grid, search->from.cell) - fw_grid_y(grid, pose.cell),
  };
}

// Records which cells of the present footprint a motion vacates that begins on `pose` at `tick`. True if the robot
// still covers one of them afterwards.
static bool record_motion(departure_search_t * search, fw_grid_pose_t pose, fw_tick_t tick, const fw_motion_t * motion)
{
  const int32_t end_count = search->body->footprints[motion->heading].count;  // the first sweeps are those at the end
  bool still_covers = false;
  for (int32_t i = 0; i < search->footprint.count; ++i) {
    const fw_offset_t cell = offset_from(search, i, pose);
    int32_t at = 0;
    while (at < motion->sweep_count && (motion->sweeps[at].dx != cell.dx || motion->sweeps[at].dy != cell.dy)) {
      ++at;
    }
    if (at < end_count) {
      still_covers = true;
      continue;
    }
    const fw_tick_t last = at < motion->sweep_count ? tick + motion->sweeps[at].to : tick;
    search->ticks[i] = last < search->ticks[i] ? last : search->ticks[i];
  }
  return still_covers;
}

// The planner's searches never go where the goal cannot be reached from, so this one does not either.
static bool can_reach_goal(const departure_search_t * search, int32_t node)
{
  const fw_window_t * window = search->window;
  return window->options.estimate > 0 ||
         fw__distance_get(fw__fleet_distance(window->fleet, search->robot), node, window->meter) != FW_DISTANCE_NONE;
}

// False when there is no memory.
static bool expand(departure_search_t * search, int32_t node, fw_tick_t tick)
{
  fw_departures_t * departures = &search->window->departures;
  const fw_grid_pose_t pose = fw__moves_pose(search->moves, node);
  const int32_t * next = fw__moves_successors(search->moves, node);
  for (int32_t d = 0; d < search->moves->degree; ++d) {
    const fw_motion_t * motion = &search->body->motions[pose.heading][d];
    if (next[d] < 0 || !can_reach_goal(search, next[d]) || !record_motion(search, pose, tick, motion)) {
      continue;
    }
    const int32_t number = number_of(search, fw__moves_pose(search->moves, next[d]));
    if (number >= 0 && tick + motion->ticks < departures->best[number]) {
      departures->best[number] = tick + motion->ticks;
      if (!fw__bucket_queue_push(&departures->open, tick + motion->ticks, next[d], 0)) {
        return false;
      }
    }
  }
  return true;
}

// Memory for the box and for the cells of one robot. False when there is none.
static bool reserve(departure_search_t * search)
{
  fw_window_t * window = search->window;
  fw_departures_t * departures = &window->departures;
  fw_commitment_t * departure = &departures->of[search->robot];
  const int32_t side = 2 * search->radius + 1;
  FW_ASSERT(search->footprint.count >= 1 && side >= 1);
  while (departures->best_capacity < side * side * FW_HEADING_COUNT) {
    departures->best = fw__arena_grow(window->arena, NULL, sizeof(*departures->best), &departures->best_capacity);
    if (departures->best == NULL) {
      departures->best_capacity = 0;
      return false;
    }
  }
  while (departures->capacities[search->robot] < search->footprint.count) {
    int32_t capacity = departures->capacities[search->robot];
    departure->nodes = fw__arena_grow(window->arena, NULL, sizeof(*departure->nodes), &capacity);
    departure->ticks =
      fw__arena_grow(window->arena, NULL, sizeof(*departure->ticks), &departures->capacities[search->robot]);
    if (departure->nodes == NULL || departure->ticks == NULL) {
      departures->capacities[search->robot] = 0;
      return false;
    }
  }
  for (int32_t i = 0; i < side * side * FW_HEADING_COUNT; ++i) {
    departures->best[i] = FW_TICK_MAX;
  }
  search->ticks = departure->ticks;
  return true;
}

// Fills the departures of one robot. False when there is no memory.
static bool run_search(departure_search_t * search)
{
  if (!reserve(search)) {
    return false;
  }
  fw_departures_t * departures = &search->window->departures;
  fw_commitment_t * departure = &departures->of[search->robot];
  departure->count = search->footprint.count;
  for (int32_t i = 0; i < departure->count; ++i) {
    const fw_offset_t offset = search->footprint.cells[i];
    departure->nodes[i] =
      search->window->fleet->places->node_of[search->from.cell + offset.dy * search->moves->grid->width + offset.dx];
    FW_ASSERT(departure->nodes[i] >= 0);
    departure->ticks[i] = FW_TICK_MAX;
  }
  fw__bucket_queue_clear(&departures->open);
  FW_ASSERT(number_of(search, search->from) >= 0 && fw__moves_node(search->moves, search->from) >= 0);
  departures->best[number_of(search, search->from)] = 0;
  int32_t node, tag;
  int64_t tick;
  if (!fw__bucket_queue_push(&departures->open, 0, fw__moves_node(search->moves, search->from), 0)) {
    return false;
  }
  while (fw__bucket_queue_pop(&departures->open, &node, &tag, &tick)) {
    const bool is_latest = tick == departures->best[number_of(search, fw__moves_pose(search->moves, node))];
    if (is_latest && !expand(search, node, (fw_tick_t)tick)) {
      return false;
    }
  }
  return true;
}

// ---- all robots -----------------------------------------------------------------------------------------------------

bool fw__departures_init(fw_window_t * window)
{
  const size_t count = (size_t)window->fleet->problem->robot_count;
  fw_departures_t * departures = &window->departures;
  departures->of = fw__arena_allocate_zeroed(window->arena, count, sizeof(*departures->of));
  departures->capacities = fw__arena_allocate_zeroed(window->arena, count, sizeof(*departures->capacities));
  departures->known = fw__arena_allocate_zeroed(window->arena, count, sizeof(*departures->known));
  fw__bucket_queue_init(&departures->open, window->arena);
  window->table.commitments = departures->of;
  return !fw__arena_has_failed(window->arena);
}

// Computes the departures of one robot, unless they are those of its present pose and goal. False when there is no
// memory, or if the meter has stopped: distances are unknown then, and the robot would seem to be unable to leave.
static bool update_robot(fw_window_t * window, int32_t robot)
{
  const fw_body_t * body = window->fleet->bodies.of[robot];
  const fw_grid_pose_t pose = fw__window_pose(window, robot, window->table.ready[robot]);
  fw_departures_t * departures = &window->departures;
  if (body->is_plain) {
    departures->of[robot].count = 0;
    return true;
  }
  const struct fw_departure_key_t key = {
    .body = body, .pose = pose, .goal = window->fleet->problem->robots[robot].goal};
  const struct fw_departure_key_t * before = &departures->known[robot];
  if (before->body == body && before->goal == key.goal && fw__grid_pose_equals(before->pose, pose)) {
    return true;
  }
  departure_search_t search = {
    .window = window,
    .robot = robot,
    .body = body,
    .moves = window->fleet->moves[robot],
    .from = pose,
    .footprint = body->footprints[pose.heading],
    .radius = 2 * extent_of(body),
  };
  departures->known[robot] = (struct fw_departure_key_t){0};
  if (!run_search(&search) || fw__meter_has_stopped(window->meter)) {
    return false;
  }
  departures->known[robot] = key;
  return true;
}

bool fw__departures_update(fw_window_t * window)
{
  for (int32_t r = 0; r < window->fleet->problem->robot_count && !window->departures.are_current; ++r) {
    if (fw__fleet_has_robot(window->fleet, r) && !update_robot(window, r)) {
      fw__meter_stop(window->meter, FW_STOP_MEMORY);
      return false;
    }
  }
  window->departures.are_current = true;
  return true;
}
