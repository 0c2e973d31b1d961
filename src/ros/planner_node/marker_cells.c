#include <math.h>

#include "ros/planner_node/marker_layers.h"

enum { HELD_MAX = 64 };  // cells of one robot that are shown

static const int64_t AHEAD_NS = 5000000000;  // reservations by their times, and closures
static const double CLOSURE_HEIGHT = 0.05;   // metres
static const double TILE_HEIGHT = 0.01;
static const double ARROW_Z = 0.25;

// ---- reservations

// A list of cubes has one orientation, so it is written along the grid's axes.
static void add_cell(marker_list_t * list, marker_t * tiles, const frame_t * frame, fw_cell_t cell, int32_t robot)
{
  const point_t at = {
    ((double)(cell % frame->width) + 0.5) * frame->resolution,
    ((double)(cell / frame->width) + 0.5) * frame->resolution};
  (void)marker_add_coloured(list, tiles, at, 0.0, marker_colour(robot, 0.3F));
}

// By its stamps: where it is to be within the next seconds, each cell once for each stay.
static void add_by_time(marker_list_t * list, marker_t * tiles, const planning_t * planning, int32_t robot)
{
  const track_t * track = &planning->schedule.tracks[robot];
  const frame_t * frame = &planning->map.frame;
  fw_cell_t last = FW_CELL_NONE;
  for (int32_t k = 0; k < track->count; ++k) {
    const int64_t ahead_ns = track->waypoints[k].stamp_ns - list->now_ns;
    const fw_cell_t cell = frame_cell(frame, track->waypoints[k].point);
    if (ahead_ns >= 0 && ahead_ns <= AHEAD_NS && cell != FW_CELL_NONE && cell != last) {
      add_cell(list, tiles, frame, cell, robot);
      last = cell;
    }
  }
}

void marker_reservations(marker_list_t * list, const planning_t * planning)
{
  const frame_t * frame = &planning->map.frame;
  marker_t * tiles = marker_next(list, "reservations", 0, visualization_msgs__msg__Marker__CUBE_LIST);
  if (tiles == NULL) {
    return;
  }
  marker_scale(tiles, 0.95 * frame->resolution, 0.95 * frame->resolution, TILE_HEIGHT);
  marker_place(tiles, frame->origin, frame->yaw);
  for (int32_t k = 0; planning->map.revision > 0 && k < planning->fleet.count; ++k) {
    if (!robot_is_there(&planning->fleet.robots[k])) {
      continue;
    }
    if (planning->driving.is_on) {
      fw_cell_t held[HELD_MAX];
      const int32_t count = fw_execution_held(&planning->driving.execution, k, held, HELD_MAX);
      for (int32_t c = 0; c < count && c < HELD_MAX; ++c) {
        add_cell(list, tiles, frame, held[c], k);
      }
    } else {
      add_by_time(list, tiles, planning, k);
    }
  }
  marker_close(tiles);
}

// ---- closures

void marker_closures(marker_list_t * list, const planning_t * planning)
{
  const frame_t * frame = &planning->map.frame;
  if (planning->closures.count == 0) {
    return;
  }
  marker_t * cells = marker_next(list, "closures", 0, visualization_msgs__msg__Marker__CUBE_LIST);
  if (cells == NULL) {
    return;
  }
  marker_scale(cells, frame->resolution, frame->resolution, CLOSURE_HEIGHT);
  marker_place(cells, frame->origin, frame->yaw);
  cells->color = (std_msgs__msg__ColorRGBA){.r = 0.9F, .g = 0.1F, .b = 0.1F, .a = 0.5F};
  for (int32_t s = 0; s < planning->closures.count; ++s) {
    const source_t * source = &planning->closures.sources[s];
    for (int32_t k = 0; k < source->span_count; ++k) {
      const span_t * span = &source->spans[k];
      if (span->to_ns >= list->now_ns && span->from_ns <= list->now_ns + AHEAD_NS) {
        const double x = (double)(span->cell % frame->width) + 0.5, y = (double)(span->cell / frame->width) + 0.5;
        (void)marker_add_point(list, cells, x * frame->resolution, y * frame->resolution, 0.0);
      }
    }
  }
  marker_close(cells);
}

// ---- who waits for whom

static void add_line(marker_list_t * list, marker_t * lines, point_t a, point_t b)
{
  (void)marker_add_point(list, lines, a.x, a.y, ARROW_Z);
  (void)marker_add_point(list, lines, b.x, b.y, ARROW_Z);
}

// From the one that waits to the other: a shaft and two strokes.
static void add_arrow(marker_list_t * list, marker_t * lines, point_t from, point_t to, double radius)
{
  const double length = point_distance(from, to);
  if (length < 1e-6) {
    return;
  }
  const double ux = (to.x - from.x) / length, uy = (to.y - from.y) / length;
  const double gap = fmin(0.4 * radius, 0.3 * length), head = 0.8 * radius;
  const point_t tail = {from.x + gap * ux, from.y + gap * uy}, tip = {to.x - gap * ux, to.y - gap * uy};
  add_line(list, lines, tail, tip);
  for (int32_t side = -1; side <= 1; side += 2) {
    const point_t back = {tip.x - head * (ux + 0.5 * (double)side * uy), tip.y - head * (uy - 0.5 * (double)side * ux)};
    add_line(list, lines, tip, back);
  }
}

void marker_waits_for(marker_list_t * list, const planning_t * planning)
{
  const double radius = fmax(planning->settings.robot_radius, 0.025);
  marker_t * lines = marker_next(list, "waits_for", 0, visualization_msgs__msg__Marker__LINE_LIST);
  if (lines == NULL) {
    return;
  }
  marker_scale(lines, 0.35 * radius, 0.0, 0.0);
  lines->color = (std_msgs__msg__ColorRGBA){.r = 1.0F, .g = 0.55F, .b = 0.0F, .a = 1.0F};
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const fw_execution_status_t status = driving_status(&planning->driving, k);
    if (status.state == FW_EXECUTION_WAITING && status.other >= 0 && status.other < planning->fleet.count) {
      const robot_t *robot = &planning->fleet.robots[k], *other = &planning->fleet.robots[status.other];
      if (robot->has_pose && other->has_pose && robot_is_there(robot) && robot_is_there(other)) {
        add_arrow(list, lines, robot->point, other->point, radius);
      }
    }
  }
  marker_close(lines);
}
