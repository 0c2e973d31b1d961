// How long robots hold the cells that they are on: a search over the poses that overlap the present one.

#include "planner/window/window_hold.h"

#include "planner/window/window_booking.h"

// The search for one robot. Poses are numbered within a box around the present one that has all poses that overlap it.
typedef struct look_t {
  fw_window_t * window;
  int32_t robot;
  const fw_body_t * body;
  const fw_moves_t * moves;
  fw_pose_t from;
  fw_footprint_t footprint;  // of `from`
  int32_t radius;            // of the box
  fw_tick_t * ticks;         // by cell of the footprint
} look_t;

// The farthest that a cell of the body is from its own, along an axis.
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

static int32_t number_of(const look_t * look, fw_pose_t pose)
{
  const fw_grid_t * grid = look->moves->grid;
  const int32_t side = 2 * look->radius + 1;
  const int32_t dx = fw_grid_x(grid, pose.cell) - fw_grid_x(grid, look->from.cell) + look->radius;
  const int32_t dy = fw_grid_y(grid, pose.cell) - fw_grid_y(grid, look->from.cell) + look->radius;
  const bool is_inside = dx >= 0 && dy >= 0 && dx < side && dy < side;
  return is_inside ? (pose.heading * side + dy) * side + dx : -1;
}

// Where a cell of the footprint at `from` is, as seen from another pose.
static fw_offset_t seen_from(const look_t * look, int32_t cell, fw_pose_t pose)
{
  const fw_grid_t * grid = look->moves->grid;
  return (fw_offset_t){
    .dx = look->footprint.cells[cell].dx + fw_grid_x(grid, look->from.cell) - fw_grid_x(grid, pose.cell),
    .dy = look->footprint.cells[cell].dy + fw_grid_y(grid, look->from.cell) - fw_grid_y(grid, pose.cell),
  };
}

// Notes which cells are free after a motion that begins on `pose` at `tick`. True if it has not left all of them.
static bool note_motion(look_t * look, fw_pose_t pose, fw_tick_t tick, const fw_motion_t * motion)
{
  const int32_t end_count = look->body->footprints[motion->heading].count;  // the first sweeps are those at the end
  bool is_on = false;
  for (int32_t i = 0; i < look->footprint.count; ++i) {
    const fw_offset_t cell = seen_from(look, i, pose);
    int32_t at = 0;
    while (at < motion->sweep_count && (motion->sweeps[at].dx != cell.dx || motion->sweeps[at].dy != cell.dy)) {
      ++at;
    }
    if (at < end_count) {
      is_on = true;
      continue;
    }
    const fw_tick_t last = at < motion->sweep_count ? tick + motion->sweeps[at].to : tick;
    look->ticks[i] = last < look->ticks[i] ? last : look->ticks[i];
  }
  return is_on;
}

// Searches never go where there is no way to the goal from.
static bool has_way(const look_t * look, int32_t node)
{
  const fw_window_t * window = look->window;
  return window->options.estimate > 0 ||
         fw__distance_get(fw__fleet_distance(window->fleet, look->robot), node, window->meter) != FW_DISTANCE_NONE;
}

static bool expand(look_t * look, int32_t node, fw_tick_t tick)
{
  fw_window_holds_t * holds = &look->window->holds;
  const fw_pose_t pose = fw__moves_pose(look->moves, node);
  const int32_t * next = fw__moves_of(look->moves, node);
  for (int32_t d = 0; d < look->moves->degree; ++d) {
    const fw_motion_t * motion = &look->body->motions[pose.heading][d];
    if (next[d] < 0 || !has_way(look, next[d]) || !note_motion(look, pose, tick, motion)) {
      continue;
    }
    const int32_t number = number_of(look, fw__moves_pose(look->moves, next[d]));
    if (number >= 0 && tick + motion->ticks < holds->best[number]) {
      holds->best[number] = tick + motion->ticks;
      if (!fw__buckets_push(&holds->open, tick + motion->ticks, next[d], 0)) {
        return false;
      }
    }
  }
  return true;
}

// Memory for the box and the cells of one robot.
static bool reserve(look_t * look)
{
  fw_window_t * window = look->window;
  fw_window_holds_t * holds = &window->holds;
  fw_hold_t * hold = &holds->of[look->robot];
  const int32_t side = 2 * look->radius + 1;
  while (holds->best_capacity < side * side * FW_HEADING_COUNT) {
    holds->best = fw__arena_grow(window->arena, holds->best, 0, sizeof(*holds->best), &holds->best_capacity);
    if (holds->best == NULL) {
      holds->best_capacity = 0;
      return false;
    }
  }
  while (holds->capacities[look->robot] < look->footprint.count) {
    int32_t capacity = holds->capacities[look->robot];
    hold->nodes = fw__arena_grow(window->arena, hold->nodes, 0, sizeof(*hold->nodes), &capacity);
    hold->ticks = fw__arena_grow(window->arena, hold->ticks, 0, sizeof(*hold->ticks), &holds->capacities[look->robot]);
    if (hold->nodes == NULL || hold->ticks == NULL) {
      holds->capacities[look->robot] = 0;
      return false;
    }
  }
  for (int32_t i = 0; i < side * side * FW_HEADING_COUNT; ++i) {
    holds->best[i] = FW_TICK_MAX;
  }
  look->ticks = hold->ticks;
  return true;
}

static bool look_around(look_t * look)
{
  if (!reserve(look)) {
    return false;
  }
  fw_window_holds_t * holds = &look->window->holds;
  fw_hold_t * hold = &holds->of[look->robot];
  hold->count = look->footprint.count;
  for (int32_t i = 0; i < hold->count; ++i) {
    const fw_offset_t offset = look->footprint.cells[i];
    hold->nodes[i] =
      look->window->fleet->places->node_of[look->from.cell + offset.dy * look->moves->grid->width + offset.dx];
    hold->ticks[i] = FW_TICK_MAX;
  }
  fw__buckets_clear(&holds->open);
  holds->best[number_of(look, look->from)] = 0;
  int32_t node, tag;
  int64_t tick;
  if (!fw__buckets_push(&holds->open, 0, fw__moves_node(look->moves, look->from), 0)) {
    return false;
  }
  while (fw__buckets_pop(&holds->open, &node, &tag, &tick)) {
    const bool is_latest = tick == holds->best[number_of(look, fw__moves_pose(look->moves, node))];
    if (is_latest && !expand(look, node, (fw_tick_t)tick)) {
      return false;
    }
  }
  return true;
}

// ---- all robots -----------------------------------------------------------------------------------------------------

bool fw__window_holds_init(fw_window_t * window)
{
  const size_t count = (size_t)window->fleet->problem->robot_count;
  fw_window_holds_t * holds = &window->holds;
  holds->of = fw__arena_allocate_zeroed(window->arena, count, sizeof(*holds->of));
  holds->capacities = fw__arena_allocate_zeroed(window->arena, count, sizeof(*holds->capacities));
  holds->known = fw__arena_allocate_zeroed(window->arena, count, sizeof(*holds->known));
  fw__buckets_init(&holds->open, window->arena);
  window->table.holds = holds->of;
  return holds->of != NULL && holds->capacities != NULL && holds->known != NULL;
}

static bool know(fw_window_t * window, int32_t robot)
{
  const fw_body_t * body = window->fleet->bodies.of[robot];
  const fw_pose_t pose = fw__window_pose(window, robot, window->table.ready[robot]);
  fw_window_holds_t * holds = &window->holds;
  if (body->is_plain) {
    holds->of[robot].count = 0;
    return true;
  }
  const fw_window_held_t held = {.body = body, .pose = pose, .goal = window->fleet->problem->robots[robot].goal};
  const fw_window_held_t * before = &holds->known[robot];
  if (before->body == body && before->goal == held.goal && fw__pose_is_same(before->pose, pose)) {
    return true;
  }
  look_t look = {
    .window = window,
    .robot = robot,
    .body = body,
    .moves = window->fleet->moves[robot],
    .from = pose,
    .footprint = body->footprints[pose.heading],
    .radius = 2 * extent_of(body),
  };
  holds->known[robot] = held;
  return look_around(&look);
}

bool fw__window_holds_know(fw_window_t * window)
{
  for (int32_t r = 0; r < window->fleet->problem->robot_count && !window->holds.are_known; ++r) {
    if (fw__fleet_has_robot(window->fleet, r) && !know(window, r)) {
      fw__meter_stop(window->meter, FW_STOP_MEMORY);
      return false;
    }
  }
  window->holds.are_known = true;
  return true;
}
