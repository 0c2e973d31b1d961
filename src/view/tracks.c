// Building tracks: keyframes from samples, events, and the layers of a plan. See tracks.h.

#include "view/tracks.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "view/view.h"
#include "view/reservations.h"
#include "view/trajectory.h"

fw_ret_t fw__tracks_init(
  fw_view_tracks_t * tracks, int32_t robot_count, const fw_allocator_t * allocator, fw_error_t * error)
{
  *tracks = (fw_view_tracks_t){.units_per_cell = 1, .seconds_per_unit = 1.0, .radius_cells = 0.4};
  tracks->allocator = *allocator;
  const size_t size_bytes = (size_t)robot_count * sizeof(fw_view_track_t);
  tracks->tracks = allocator->allocate(size_bytes > 0 ? size_bytes : 1, allocator->state);
  if (tracks->tracks == NULL) {
    *tracks = (fw_view_tracks_t){0};
    return fw__error_memory(error);
  }
  memset(tracks->tracks, 0, size_bytes);
  tracks->robot_count = robot_count;
  for (int32_t robot = 0; robot < robot_count; robot++) {
    fw__vlq_init(&tracks->tracks[robot].code, allocator);
    for (int32_t layer = 0; layer < FW_ROBOT_LAYER_COUNT; layer++) {
      fw__vlq_init(&tracks->tracks[robot].layers[layer], allocator);
    }
  }
  fw__vlq_init(&tracks->goals, allocator);
  fw__vlq_init(&tracks->arrivals, allocator);
  fw__vlq_init(&tracks->overlaps, allocator);
  fw__vlq_init(&tracks->closures, allocator);
  return FW_RET_OK;
}

void fw__tracks_fini(fw_view_tracks_t * tracks)
{
  if (tracks->tracks != NULL) {
    for (int32_t robot = 0; robot < tracks->robot_count; robot++) {
      fw__vlq_fini(&tracks->tracks[robot].code);
      for (int32_t layer = 0; layer < FW_ROBOT_LAYER_COUNT; layer++) {
        fw__vlq_fini(&tracks->tracks[robot].layers[layer]);
      }
    }
    tracks->allocator.deallocate(tracks->tracks, tracks->allocator.state);
  }
  fw__vlq_fini(&tracks->goals);
  fw__vlq_fini(&tracks->arrivals);
  fw__vlq_fini(&tracks->overlaps);
  fw__vlq_fini(&tracks->closures);
  *tracks = (fw_view_tracks_t){0};
}

static void write_keyframe(fw_view_tracks_t * tracks, fw_view_track_t * track, const fw_view_sample_t * sample)
{
  fw__vlq_put(&track->code, sample->time - track->anchor.time);
  fw__vlq_put(&track->code, sample->x - track->anchor.x);
  fw__vlq_put(&track->code, sample->y - track->anchor.y);
  if (tracks->has_yaw) {
    fw__vlq_put(&track->code, sample->yaw - track->anchor.yaw);
  }
  track->anchor = *sample;
}

typedef struct moment_t {
  int64_t elapsed;  // since the first sample
  int64_t total;    // from the first to the last sample
  int64_t tolerance;
} moment_t;

// Whether even motion to `last` passes `middle` at the moment, within the tolerance. Both values are relative to the
// first. Both sides of the comparison are multiplied by the total time, so that no division rounds.
static bool is_met(const moment_t * moment, int64_t middle, int64_t last)
{
  const int64_t off = middle * moment->total - last * moment->elapsed;
  return (off < 0 ? -off : off) <= moment->tolerance * moment->total;
}

// Whether all pending samples lie on the straight, even motion from the last keyframe to `last`.
static bool is_straight(const fw_view_tracks_t * tracks, const fw_view_track_t * track, const fw_view_sample_t * last)
{
  const fw_view_sample_t * first = &track->anchor;
  moment_t moment = {.total = last->time - first->time, .tolerance = tracks->tolerance};
  for (int32_t i = 0; i < track->pending_count; i++) {
    const fw_view_sample_t * middle = &track->pending[i];
    moment.elapsed = middle->time - first->time;
    if (
      !is_met(&moment, middle->x - first->x, last->x - first->x) ||
      !is_met(&moment, middle->y - first->y, last->y - first->y) ||
      (tracks->has_yaw && !is_met(&moment, middle->yaw - first->yaw, last->yaw - first->yaw))) {
      return false;
    }
  }
  return true;
}

void fw__tracks_add(fw_view_tracks_t * tracks, int32_t robot, fw_view_sample_t sample)
{
  FW_ASSERT(robot >= 0 && robot < tracks->robot_count);
  fw_view_track_t * track = &tracks->tracks[robot];
  FW_ASSERT(!track->has_anchor || sample.time >= track->anchor.time);
  if (sample.time > tracks->end) {
    tracks->end = sample.time;
  }
  if (!track->has_anchor) {
    write_keyframe(tracks, track, &sample);
    track->has_anchor = true;
    return;
  }
  if (track->pending_count > 0 && !is_straight(tracks, track, &sample)) {
    write_keyframe(tracks, track, &track->pending[track->pending_count - 1]);
    track->pending_count = 0;
  }
  if (track->pending_count == FW_TRACK_PENDING_MAX) {
    if (tracks->tolerance == 0) {
      track->pending_count--;  // all exactly on the line: the latest is enough to test the next one
    } else {
      write_keyframe(tracks, track, &track->pending[track->pending_count - 1]);
      track->pending_count = 0;
    }
  }
  track->pending[track->pending_count++] = sample;
}

void fw__tracks_add_goal(fw_view_tracks_t * tracks, int32_t robot, fw_view_sample_t goal)
{
  FW_ASSERT(robot >= 0 && robot < tracks->robot_count && goal.time >= tracks->goal_time);
  fw__vlq_put(&tracks->goals, goal.time - tracks->goal_time);
  fw__vlq_put(&tracks->goals, robot);
  fw__vlq_put(&tracks->goals, goal.x);
  fw__vlq_put(&tracks->goals, goal.y);
  tracks->goal_time = goal.time;
}

void fw__tracks_add_arrival(fw_view_tracks_t * tracks, int64_t time, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < tracks->robot_count && time >= tracks->arrival_time);
  fw__vlq_put(&tracks->arrivals, time - tracks->arrival_time);
  fw__vlq_put(&tracks->arrivals, robot);
  tracks->arrival_time = time;
}

void fw__tracks_add_overlap(fw_view_tracks_t * tracks, int64_t time, int32_t robot, int32_t other)
{
  FW_ASSERT(robot >= 0 && robot < tracks->robot_count && other >= 0 && other < tracks->robot_count);
  FW_ASSERT(time >= tracks->overlap_time);
  fw__vlq_put(&tracks->overlaps, time - tracks->overlap_time);
  fw__vlq_put(&tracks->overlaps, robot);
  fw__vlq_put(&tracks->overlaps, other);
  tracks->overlap_time = time;
}

fw_ret_t fw__tracks_finish(fw_view_tracks_t * tracks, fw_error_t * error)
{
  bool has_failed = tracks->goals.has_failed || tracks->arrivals.has_failed || tracks->overlaps.has_failed ||
                    tracks->closures.has_failed;
  for (int32_t robot = 0; robot < tracks->robot_count; robot++) {
    fw_view_track_t * track = &tracks->tracks[robot];
    if (track->pending_count > 0) {
      write_keyframe(tracks, track, &track->pending[track->pending_count - 1]);
      track->pending_count = 0;
    }
    has_failed = has_failed || track->code.has_failed;
    for (int32_t layer = 0; layer < FW_ROBOT_LAYER_COUNT; layer++) {
      has_failed = has_failed || track->layers[layer].has_failed;
    }
  }
  if (has_failed) {
    return fw__error(error, FW_RET_BAD_ALLOC, "out of memory, or a position or time is too large for the page");
  }
  return FW_RET_OK;
}

// ---- layers of a plan -----------------------------------------------------------------------------------------------

// Keys of the JSON, by fw_robot_layer_t. Per robot:
//   footprints    columns and rows of each cell of the footprint; nothing for a robot of one cell
//   reservations  see put_reservations
//   waits         time from the end of the wait before, length
static const char * const layer_names[FW_ROBOT_LAYER_COUNT] = {"footprints", "reservations", "waits"};

// From one reservation of a robot to the next.
typedef struct step_t {
  int64_t ticks;
  int64_t length;
  int64_t columns;
  int64_t rows;
} step_t;

static bool is_equal(const step_t * a, const step_t * b)
{
  return a->ticks == b->ticks && a->length == b->length && a->columns == b->columns && a->rows == b->rows;
}

static step_t step_to(
  const fw_grid_t * grid, const fw_view_reservation_t * before, const fw_view_reservation_t * reservation)
{
  const fw_view_reservation_t first = {0};
  const fw_view_reservation_t * from = before != NULL ? before : &first;
  return (step_t){
    .ticks = reservation->from - from->from,
    .length = reservation->to - reservation->from,
    .columns = fw_grid_x(grid, reservation->cell) - fw_grid_x(grid, from->cell),
    .rows = fw_grid_y(grid, reservation->cell) - fw_grid_y(grid, from->cell),
  };
}

static void add_offset(fw_view_tracks_t * tracks, int32_t robot, fw_offset_t offset)
{
  fw_vlq_t * code = &tracks->tracks[robot].layers[FW_ROBOT_LAYER_FOOTPRINT];
  fw__vlq_put(code, offset.dx);
  fw__vlq_put(code, offset.dy);
}

// The reservations of a robot, all at once and in the order in which they begin. They are written as steps from one to
// the next, and equal steps as one with their number: a robot that drives straight on enters a cell at every tick, so a
// long path takes a few characters.
//
//   number of steps, ticks from one beginning to the next, length, columns and rows from one cell to the next
static void put_reservations(
  fw_view_tracks_t * tracks, int32_t robot, const fw_view_reservation_t * reservations, int32_t stay_count)
{
  fw_vlq_t * code = &tracks->tracks[robot].layers[FW_ROBOT_LAYER_RESERVATIONS];
  for (int32_t i = 0; i < stay_count;) {
    const step_t step = step_to(tracks->grid, i > 0 ? &reservations[i - 1] : NULL, &reservations[i]);
    int32_t behind = i + 1;
    for (; behind < stay_count; behind++) {
      const step_t next = step_to(tracks->grid, &reservations[behind - 1], &reservations[behind]);
      if (!is_equal(&step, &next)) {
        break;
      }
    }
    fw__vlq_put(code, behind - i);
    fw__vlq_put(code, step.ticks);
    fw__vlq_put(code, step.length);
    fw__vlq_put(code, step.columns);
    fw__vlq_put(code, step.rows);
    i = behind;
  }
}

static void add_wait(fw_view_tracks_t * tracks, int32_t robot, int64_t from, int64_t to)
{
  fw_view_track_t * track = &tracks->tracks[robot];
  fw_vlq_t * code = &track->layers[FW_ROBOT_LAYER_WAITS];
  FW_ASSERT(from >= track->wait_end && to > from);
  fw__vlq_put(code, from - track->wait_end);
  fw__vlq_put(code, to - from);
  track->wait_end = to;
}

static void add_closure(fw_view_tracks_t * tracks, const fw_view_reservation_t * closure)
{
  fw__vlq_put(&tracks->closures, fw_grid_x(tracks->grid, closure->cell));
  fw__vlq_put(&tracks->closures, fw_grid_y(tracks->grid, closure->cell));
  fw__vlq_put(&tracks->closures, closure->from);
  fw__vlq_put(&tracks->closures, closure->to >= FW_TICK_MAX ? 0 : closure->to - closure->from + 1);
}

// Thousandths of a radian.
static int64_t yaw_of(int32_t eighths) { return (int64_t)eighths * 785398 / 1000; }

static fw_view_sample_t sample(const fw_view_tracks_t * tracks, fw_tick_t tick, fw_cell_t cell, int32_t eighths)
{
  return (fw_view_sample_t){
    .time = tick,
    .x = fw_grid_x(tracks->grid, cell),
    .y = fw_grid_y(tracks->grid, cell),
    .yaw = yaw_of(eighths),
  };
}

// A path lists a robot in its old cell until it arrives; the track lets it leave earlier, by the ticks that the move
// takes. Turns are added up without wrapping, so that a robot that keeps turning right does not spin back at 360
// degrees.
static void add_path(fw_view_tracks_t * tracks, int32_t robot, const fw_trajectory_t * trajectory)
{
  const fw_tick_t end = (fw_tick_t)tracks->end;
  const fw_grid_pose_t start = fw__trajectory_pose(trajectory, 0);
  int32_t eighths = start.heading;
  fw_tick_t last = 0;  // tick of the last sample
  fw_trajectory_motion_t motion;
  fw__tracks_add(tracks, robot, sample(tracks, 0, start.cell, eighths));
  while (fw__trajectory_next_motion(trajectory, last, end, &motion)) {
    if (motion.departure > last) {
      fw__tracks_add(tracks, robot, sample(tracks, motion.departure, motion.from.cell, eighths));
    }
    eighths += fw__trajectory_turn(&motion);
    fw__tracks_add(tracks, robot, sample(tracks, motion.arrival, motion.to.cell, eighths));
    last = motion.arrival;
  }
  if (last < end) {
    fw__tracks_add(tracks, robot, sample(tracks, end, fw_path_at(trajectory->path, end), eighths));
  }
}

// Arrivals in time order: a linked list of robots per tick sorts them in one pass.
static fw_ret_t add_arrivals(
  fw_view_tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  const fw_tick_t end = (fw_tick_t)tracks->end;
  const fw_allocator_t * allocator = &tracks->allocator;
  const size_t count = (size_t)end + 1 + (size_t)problem->robot_count;
  int32_t * first = allocator->allocate(count * sizeof(int32_t), allocator->state);
  if (first == NULL) {
    return fw__error_memory(error);
  }
  int32_t * next = first + (size_t)end + 1;  // first[tick], next[robot]; -1 ends a list
  for (fw_tick_t tick = 0; tick <= end; tick++) {
    first[tick] = -1;
  }
  for (int32_t robot = problem->robot_count - 1; robot >= 0; robot--) {
    const fw_tick_t arrival = fw__view_arrival(&plan->paths[robot], problem->robots[robot].goal, end);
    if (arrival >= 0) {
      next[robot] = first[arrival];
      first[arrival] = robot;
    }
  }
  for (fw_tick_t tick = 0; tick <= end; tick++) {
    for (int32_t robot = first[tick]; robot >= 0; robot = next[robot]) {
      fw__tracks_add_arrival(tracks, tick, robot);
    }
  }
  allocator->deallocate(first, allocator->state);
  return FW_RET_OK;
}

static void add_waits(fw_view_tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, int32_t robot)
{
  const fw_trajectory_t trajectory = fw__trajectory(problem, plan, robot);
  fw_trajectory_wait_t wait = {0};
  while (fw__trajectory_next_wait(&trajectory, wait.to, (fw_tick_t)tracks->end, &wait)) {
    add_wait(tracks, robot, wait.from, wait.to);
  }
}

static fw_ret_t add_layers(
  fw_view_tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  const fw_tick_span_t whole = {0, (fw_tick_t)tracks->end};
  fw_view_reservations_t reservations = {0};
  fw__view_reservations_init(&reservations, problem, plan, &tracks->allocator);
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    fw__view_reservations_clear(&reservations);
    fw__view_reservations_add_robot(&reservations, robot, whole);
    put_reservations(tracks, robot, reservations.items, reservations.count);
    add_waits(tracks, problem, plan, robot);
  }
  fw__view_reservations_clear(&reservations);
  fw__view_reservations_add_closures(&reservations, (fw_tick_span_t){0, FW_TICK_MAX});
  for (int32_t i = 0; i < reservations.count; i++) {
    add_closure(tracks, &reservations.items[i]);
  }
  const bool has_failed = reservations.has_failed;
  fw__view_reservations_fini(&reservations);
  return has_failed ? fw__error_memory(error) : FW_RET_OK;
}

fw_ret_t fw__tracks_add_plan(
  fw_view_tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  tracks->grid = problem->grid;
  tracks->cell_offset = 0.5;
  tracks->end = fw__view_last_tick(plan);
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    const fw_trajectory_t trajectory = fw__trajectory(problem, plan, robot);
    tracks->tracks[robot].has_heading = fw__trajectory_has_heading(&trajectory);
    tracks->has_yaw = tracks->has_yaw || tracks->tracks[robot].has_heading;
  }
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    const fw_trajectory_t trajectory = fw__trajectory(problem, plan, robot);
    const fw_cell_t goal = problem->robots[robot].goal;
    fw__tracks_add_goal(tracks, robot, sample(tracks, 0, goal, 0));
    add_path(tracks, robot, &trajectory);
    for (int32_t i = 0; i < problem->robots[robot].footprint_count; i++) {
      add_offset(tracks, robot, problem->robots[robot].footprint[i]);
    }
  }
  fw_ret_t ret = add_arrivals(tracks, problem, plan, error);
  if (ret == FW_RET_OK) {
    ret = add_layers(tracks, problem, plan, error);
  }
  return ret == FW_RET_OK ? fw__tracks_finish(tracks, error) : ret;
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

// The lists of all robots, found at `offset` in their tracks.
static void write_codes(const fw_view_tracks_t * tracks, const char * name, size_t offset, FILE * stream)
{
  fprintf(stream, ",\n\"%s\":[", name);
  for (int32_t robot = 0; robot < tracks->robot_count; robot++) {
    fputs(robot > 0 ? ",\n" : "\n", stream);
    fw__vlq_write_json((const fw_vlq_t *)(const void *)((const char *)&tracks->tracks[robot] + offset), stream);
  }
  fputs("\n]", stream);
}

void fw__tracks_write_json(const fw_view_tracks_t * tracks, bool has_layers, FILE * stream)
{
  fputs("\"goals\":", stream);
  fw__vlq_write_json(&tracks->goals, stream);
  fputs(",\n\"arrivals\":", stream);
  fw__vlq_write_json(&tracks->arrivals, stream);
  fputs(",\n\"overlaps\":", stream);
  fw__vlq_write_json(&tracks->overlaps, stream);
  write_codes(tracks, "tracks", offsetof(fw_view_track_t, code), stream);
  if (!has_layers) {
    return;
  }
  fputs(",\n\"turning\":\"", stream);
  for (int32_t robot = 0; robot < tracks->robot_count; robot++) {
    fputc(tracks->tracks[robot].has_heading ? '1' : '0', stream);
  }
  fputs("\",\n\"closures\":", stream);
  fw__vlq_write_json(&tracks->closures, stream);
  for (int32_t layer = 0; layer < FW_ROBOT_LAYER_COUNT; layer++) {
    write_codes(
      tracks, layer_names[layer], offsetof(fw_view_track_t, layers) + (size_t)layer * sizeof(fw_vlq_t), stream);
  }
}
