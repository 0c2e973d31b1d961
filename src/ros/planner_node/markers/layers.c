// What each layer of the markers shows. See layers.h.

#include "ros/planner_node/markers/layers.h"

#include <math.h>
#include <stdio.h>

#include "ros/planner_node/publishers.h"

// Metres, if nothing else is said.
static const double HEIGHT = 0.1;  // of robots
static const std_msgs__msg__ColorRGBA RED = {0.9F, 0.05F, 0.05F, 0.55F};
static const std_msgs__msg__ColorRGBA DARK = {0.05F, 0.05F, 0.05F, 1.0F};
enum { LEGS_MAX = 16 };  // of a path that a robot may have driven since its last report

static const double TUBE_SECONDS = 30.0;      // ahead
static const double METRES_PER_SECOND = 0.3;  // upwards
static const double PATH_Z = 0.03;            // metres, above the map
enum { RESERVED_MAX = 64 };                   // reserved cells of one robot that are shown

static const int64_t AHEAD_NS = 5000000000;  // how far ahead reservations by time and closures are shown
static const double CLOSURE_HEIGHT = 0.05;   // metres
static const double TILE_HEIGHT = 0.01;
static const double ARROW_Z = 0.25;

// ---- robots

static double size_of(const fw_controller_impl_t * controller)
{
  return fmax(2.0 * controller->settings.robot_radius, 0.05);
}

static bool is_seen(const fw_controlled_robot_t * robot)
{
  return fw__controlled_robot_is_listed(robot) && robot->has_pose;
}

// True if the robot does not do what it should; then `text` is why.
static bool is_in_trouble(const fw_controller_impl_t * controller, int32_t robot, const char ** text)
{
  const fw_controlled_robot_t * about = &controller->fleet.robots[robot];
  const fw_execution_state_t state = fw__fleet_execution_status(&controller->execution, robot).state;
  const fw_robot_fault_t * fault = fw__controlled_robot_fault(about);
  if (about->is_stale) {
    *text = "no odometry";
  } else if (state >= FW_EXECUTION_STOPPED && state != FW_EXECUTION_STALE) {
    *text = fw_execution_state_name(state);
  } else if (fault != NULL && fault->number != 0) {
    *text = fault->text;
  } else if (about->is_off_plan) {
    *text = "off its plan";
  } else {
    return false;
  }
  return true;
}

bool node_layer_trouble_text(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot)
{
  const fw_controlled_robot_t * about = &controller->fleet.robots[robot];
  const char * why = "";
  if (!is_seen(about) || !is_in_trouble(controller, robot, &why)) {
    return false;
  }
  node_marker_t * label =
    node_marker_next(writer, "trouble_text", robot, visualization_msgs__msg__Marker__TEXT_VIEW_FACING);
  if (label != NULL) {
    char text[FW_NAME_SIZE + FW_REASON_SIZE];
    const double size = size_of(controller);
    (void)snprintf(text, sizeof text, "%s: %s", about->name, why);
    node_marker_scale(label, 0.0, 0.0, 0.6 * size);
    // Above or below the robot, so that the texts of two neighbours do not cover each other.
    const double up = robot % 2 == 0 ? 1.2 * size : -1.2 * size;
    node_marker_place(label, (fw_point_t){about->point.x, about->point.y + up}, 0.0);
    label->pose.position.z = 0.5;
    label->color = (std_msgs__msg__ColorRGBA){RED.r, RED.g, RED.b, 1.0F};
    node_marker_set_text(writer, label, text);
  }
  return true;
}

bool node_layer_name(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot)
{
  const fw_controlled_robot_t * about = &controller->fleet.robots[robot];
  const char * why = "";
  if (!is_seen(about) || is_in_trouble(controller, robot, &why)) {  // trouble_text has its name too
    return false;
  }
  node_marker_t * label = node_marker_next(writer, "names", robot, visualization_msgs__msg__Marker__TEXT_VIEW_FACING);
  if (label != NULL) {
    node_marker_scale(label, 0.0, 0.0, 0.5 * size_of(controller));
    node_marker_place(label, (fw_point_t){about->point.x, about->point.y + 0.8 * size_of(controller)}, 0.0);
    label->pose.position.z = 0.4;
    label->color = DARK;
    node_marker_set_text(writer, label, about->name);
  }
  return true;
}

static void write_trouble(node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  const double size = 1.5 * size_of(controller);
  node_marker_t * rings = node_marker_next(writer, "trouble", 0, visualization_msgs__msg__Marker__SPHERE_LIST);
  if (rings == NULL) {
    return;
  }
  node_marker_scale(rings, size, size, HEIGHT);
  rings->color = RED;
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    const char * why = "";
    if (is_seen(robot) && is_in_trouble(controller, k, &why)) {
      node_marker_add_point(writer, rings, robot->point, HEIGHT);
    }
  }
  node_marker_close(rings);
}

// A line from the centre of each robot to its rim.
static void write_headings(node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  const double size = size_of(controller);
  node_marker_t * noses = node_marker_next(writer, "headings", 0, visualization_msgs__msg__Marker__LINE_LIST);
  if (noses == NULL) {
    return;
  }
  node_marker_scale(noses, 0.12 * size, 0.0, 0.0);
  noses->color = DARK;
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (is_seen(robot)) {
      const double x = 0.5 * size * cos(robot->yaw), y = 0.5 * size * sin(robot->yaw);
      node_marker_add_point(writer, noses, robot->point, 1.2 * HEIGHT);
      node_marker_add_point(writer, noses, (fw_point_t){robot->point.x + x, robot->point.y + y}, 1.2 * HEIGHT);
    }
  }
  node_marker_close(noses);
}

static void write_selected(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t selected)
{
  const bool is_shown =
    selected >= 0 && selected < controller->fleet.count && is_seen(&controller->fleet.robots[selected]);
  if (!is_shown) {
    node_marker_delete(writer, "selected", 0);
    return;
  }
  node_marker_t * ring = node_marker_next(writer, "selected", 0, visualization_msgs__msg__Marker__CYLINDER);
  if (ring != NULL) {
    const double size = 1.7 * size_of(controller);
    node_marker_scale(ring, size, size, 0.3 * HEIGHT);
    node_marker_place(ring, controller->fleet.robots[selected].point, 0.0);
    ring->color = (std_msgs__msg__ColorRGBA){0.1F, 0.1F, 0.1F, 0.6F};
  }
}

void node_layer_robots(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t selected)
{
  const double size = size_of(controller);
  node_marker_t * discs = node_marker_next(writer, "robots", 0, visualization_msgs__msg__Marker__SPHERE_LIST);
  if (discs == NULL) {
    return;
  }
  node_marker_scale(discs, size, size, HEIGHT);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (is_seen(robot) && robot->body.outline->counts[0] == 1) {
      node_marker_add_coloured(
        writer, discs, &(geometry_msgs__msg__Point){robot->point.x, robot->point.y, HEIGHT},
        node_marker_colour(k, robot->is_stale ? 0.35F : 1.0F));
    }
  }
  node_marker_close(discs);
  write_headings(writer, controller);
  write_selected(writer, controller, selected);
  write_trouble(writer, controller);
}

bool node_layer_body(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t index)
{
  const double cell = controller->map.frame.resolution;
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  if (!is_seen(robot) || robot->body.outline->counts[0] == 1) {
    return false;
  }
  node_marker_t * body = node_marker_next(writer, "bodies", index, visualization_msgs__msg__Marker__CUBE_LIST);
  for (int32_t c = 0; body != NULL && c < robot->body.outline->counts[0]; ++c) {
    const fw_offset_t at = robot->body.outline->cells[0][c];
    node_marker_add_point(writer, body, (fw_point_t){(double)at.dx * cell, (double)at.dy * cell}, 0.0);
  }
  if (body != NULL) {
    node_marker_scale(body, 0.9 * cell, 0.9 * cell, HEIGHT);
    node_marker_place(body, robot->point, robot->body.turn_ticks > 0 ? robot->yaw : controller->map.frame.yaw);
    body->color = node_marker_colour(index, robot->is_stale ? 0.35F : 1.0F);
  }
  return true;
}

// ---- paths

static bool has_track(const fw_controller_impl_t * controller, int32_t robot)
{
  return fw__controlled_robot_is_listed(&controller->fleet.robots[robot]) &&
         controller->schedule.paths[robot].count > 1;
}

static bool are_one_place(fw_point_t a, fw_point_t b) { return fw__point_distance(a, b) < 1e-6; }

// True if a line looks the same without `at` between these two points.
static bool is_between(fw_point_t before, fw_point_t at, fw_point_t after)
{
  const double cross = (at.x - before.x) * (after.y - at.y) - (at.y - before.y) * (after.x - at.x);
  const double dot = (at.x - before.x) * (after.x - at.x) + (at.y - before.y) * (after.y - at.y);
  return fabs(cross) < 1e-9 && dot > 0.0;
}

// Adds the corners and the end of a path, from waypoint `first` on, without waits.
static void add_corners(
  node_marker_writer_t * writer, node_marker_t * line, const fw_timed_path_t * timed_path, int32_t first)
{
  for (int32_t k = first; k < timed_path->count; ++k) {
    const fw_point_t at = timed_path->waypoints[k].point;
    const size_t count = line->points.size;
    if (k + 1 < timed_path->count) {
      const fw_point_t after = timed_path->waypoints[k + 1].point;
      const geometry_msgs__msg__Point * last = count > 0 ? &line->points.data[count - 1] : NULL;
      if (are_one_place(at, after) || (last != NULL && is_between((fw_point_t){last->x, last->y}, at, after))) {
        continue;
      }
    }
    node_marker_add_point(writer, line, at, PATH_Z);
  }
}

// The next waypoint of a robot: the end of the first leg that it is on. The path begins at the last waypoint that the
// robot has reported to have reached, and the robot has driven on since. 0: it is on no leg.
static int32_t next_waypoint(const fw_timed_path_t * timed_path, const fw_controlled_robot_t * robot, double near)
{
  for (int32_t k = 1; robot->has_pose && k < timed_path->count && k <= LEGS_MAX; ++k) {
    const fw_point_t a = timed_path->waypoints[k - 1].point, b = timed_path->waypoints[k].point, p = robot->point;
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const double along = square > 0.0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : -1.0;
    if (along >= 0.0 && along < 1.0 && hypot(p.x - a.x - along * dx, p.y - a.y - along * dy) < near) {
      return k;
    }
  }
  return 0;
}

bool node_layer_path(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot)
{
  const fw_timed_path_t * timed_path = &controller->schedule.paths[robot];
  if (!has_track(controller, robot)) {
    return false;
  }
  node_marker_t * line = node_marker_next(writer, "paths", robot, visualization_msgs__msg__Marker__LINE_STRIP);
  if (line == NULL) {
    return false;
  }
  node_marker_scale(line, 0.15 * size_of(controller), 0.0, 0.0);
  line->color = node_marker_colour(robot, 0.9F);
  const fw_controlled_robot_t * about = &controller->fleet.robots[robot];
  const int32_t next = next_waypoint(timed_path, about, 0.5 * size_of(controller));
  if (next > 0) {
    node_marker_add_point(writer, line, about->point, PATH_Z);
  }
  add_corners(writer, line, timed_path, next);
  return line->points.size > 1;
}

// From where the robot is now to each waypoint at its time. Vertical pieces are waits.
bool node_layer_tube(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot)
{
  const fw_timed_path_t * timed_path = &controller->schedule.paths[robot];
  const fw_controlled_robot_t * about = &controller->fleet.robots[robot];
  if (!has_track(controller, robot) || !about->has_pose) {
    return false;
  }
  node_marker_t * line = node_marker_next(writer, "tubes", robot, visualization_msgs__msg__Marker__LINE_STRIP);
  if (line == NULL) {
    return false;
  }
  node_marker_scale(line, 0.2 * size_of(controller), 0.0, 0.0);
  line->color = node_marker_colour(robot, 0.9F);
  node_marker_add_point(writer, line, about->point, 0.0);
  for (int32_t k = 0; k < timed_path->count; ++k) {
    const double ahead = 1e-9 * (double)(timed_path->waypoints[k].stamp_ns - writer->now_ns);
    // The middle of a long wait adds nothing visible.
    const bool is_wait = k > 0 && k + 1 < timed_path->count &&
                         are_one_place(timed_path->waypoints[k - 1].point, timed_path->waypoints[k].point) &&
                         are_one_place(timed_path->waypoints[k].point, timed_path->waypoints[k + 1].point);
    if (ahead >= 0.0 && ahead <= TUBE_SECONDS && !is_wait) {
      const fw_point_t at = timed_path->waypoints[k].point;
      node_marker_add_point(writer, line, at, METRES_PER_SECOND * ahead);
    }
  }
  return line->points.size > 1;
}

void node_layer_goals(node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  const double size = 0.6 * size_of(controller);
  node_marker_t * goals = node_marker_next(writer, "goals", 0, visualization_msgs__msg__Marker__CUBE_LIST);
  if (goals == NULL) {
    return;
  }
  node_marker_scale(goals, size, size, 0.02);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (fw__controlled_robot_is_listed(robot) && robot->has_goal) {
      node_marker_add_coloured(
        writer, goals, &(geometry_msgs__msg__Point){robot->goal.x, robot->goal.y, 0.02}, node_marker_colour(k, 0.9F));
    }
  }
  node_marker_close(goals);
}

// A ball where a robot is to stand for a while before it drives on: wider than the path, narrower than the robot.
void node_layer_waits(node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  const double size = 0.6 * size_of(controller);
  node_marker_t * dots = node_marker_next(writer, "waits", 0, visualization_msgs__msg__Marker__SPHERE_LIST);
  if (dots == NULL) {
    return;
  }
  node_marker_scale(dots, size, size, size);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_timed_path_t * timed_path = &controller->schedule.paths[k];
    for (int32_t w = 1; has_track(controller, k) && w < timed_path->count; ++w) {
      const fw_point_t at = timed_path->waypoints[w].point;
      const bool waits = are_one_place(timed_path->waypoints[w - 1].point, at);
      const bool has_waited = w >= 2 && are_one_place(timed_path->waypoints[w - 2].point, at);
      if (waits && !has_waited) {
        node_marker_add_coloured(
          writer, dots, &(geometry_msgs__msg__Point){at.x, at.y, 2.0 * PATH_Z}, node_marker_colour(k, 1.0F));
      }
    }
  }
  node_marker_close(dots);
}

// ---- reservations

// A list of cubes has one orientation, so its points are along the grid's axes.
static fw_point_t cell_centre(const fw_map_frame_t * frame, fw_cell_t cell)
{
  return (fw_point_t){
    ((double)(cell % frame->width) + 0.5) * frame->resolution,
    ((double)(cell / frame->width) + 0.5) * frame->resolution};
}

static void add_cell(node_marker_writer_t * writer, node_marker_t * tiles, fw_point_t at, int32_t robot)
{
  const geometry_msgs__msg__Point point = {at.x, at.y, 0.0};
  node_marker_add_coloured(writer, tiles, &point, node_marker_colour(robot, 0.3F));
}

// Reservations by time: cells on which the robot is to be within the next seconds, each once per stay.
static void add_by_time(
  node_marker_writer_t * writer, node_marker_t * tiles, const fw_controller_impl_t * controller, int32_t robot)
{
  const fw_timed_path_t * timed_path = &controller->schedule.paths[robot];
  const fw_map_frame_t * frame = &controller->map.frame;
  fw_cell_t last = FW_CELL_NONE;
  for (int32_t k = 0; k < timed_path->count; ++k) {
    const int64_t ahead_ns = timed_path->waypoints[k].stamp_ns - writer->now_ns;
    const fw_cell_t cell = fw__map_frame_cell(frame, timed_path->waypoints[k].point);
    if (ahead_ns >= 0 && ahead_ns <= AHEAD_NS && cell != FW_CELL_NONE && cell != last) {
      add_cell(writer, tiles, cell_centre(frame, cell), robot);
      last = cell;
    }
  }
}

void node_layer_reservations(node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  const fw_map_frame_t * frame = &controller->map.frame;
  node_marker_t * tiles = node_marker_next(writer, "reservations", 0, visualization_msgs__msg__Marker__CUBE_LIST);
  if (tiles == NULL) {
    return;
  }
  node_marker_scale(tiles, 0.95 * frame->resolution, 0.95 * frame->resolution, TILE_HEIGHT);
  node_marker_place(tiles, frame->origin, frame->yaw);
  for (int32_t k = 0; controller->map.revision > 0 && k < controller->fleet.count; ++k) {
    if (!fw__controlled_robot_is_listed(&controller->fleet.robots[k])) {
      continue;
    }
    if (controller->execution.is_on) {
      fw_cell_t reserved[RESERVED_MAX];
      const int32_t count = fw_execution_held(&controller->execution.graph, k, reserved, RESERVED_MAX);
      for (int32_t c = 0; c < count && c < RESERVED_MAX; ++c) {
        add_cell(writer, tiles, cell_centre(frame, reserved[c]), k);
      }
    } else {
      add_by_time(writer, tiles, controller, k);
    }
  }
  node_marker_close(tiles);
}

// ---- closures

void node_layer_closures(node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  const fw_map_frame_t * frame = &controller->map.frame;
  if (controller->closures.count == 0) {
    return;
  }
  node_marker_t * cells = node_marker_next(writer, "closures", 0, visualization_msgs__msg__Marker__CUBE_LIST);
  if (cells == NULL) {
    return;
  }
  node_marker_scale(cells, frame->resolution, frame->resolution, CLOSURE_HEIGHT);
  node_marker_place(cells, frame->origin, frame->yaw);
  cells->color = (std_msgs__msg__ColorRGBA){.r = 0.9F, .g = 0.1F, .b = 0.1F, .a = 0.5F};
  for (int32_t s = 0; s < controller->closures.count; ++s) {
    const fw_closure_source_t * source = &controller->closures.sources[s];
    for (int32_t k = 0; k < source->span_count; ++k) {
      const fw_closed_span_t * span = &source->spans[k];
      if (span->to_ns >= writer->now_ns && span->from_ns <= writer->now_ns + AHEAD_NS) {
        node_marker_add_point(writer, cells, cell_centre(frame, span->cell), 0.0);
      }
    }
  }
  node_marker_close(cells);
}

// ---- waits_for

static void add_line(node_marker_writer_t * writer, node_marker_t * lines, fw_point_t a, fw_point_t b)
{
  node_marker_add_point(writer, lines, a, ARROW_Z);
  node_marker_add_point(writer, lines, b, ARROW_Z);
}

// An arrow from the waiting robot to the other: a shaft and two strokes. Sizes follow from the radius of a robot.
typedef struct arrow_t {
  fw_point_t from;
  fw_point_t to;
  double radius;
} arrow_t;

static void add_arrow(node_marker_writer_t * writer, node_marker_t * lines, const arrow_t * arrow)
{
  const fw_point_t from = arrow->from, to = arrow->to;
  const double radius = arrow->radius;
  const double length = fw__point_distance(from, to);
  if (length < 1e-6) {
    return;
  }
  const double ux = (to.x - from.x) / length, uy = (to.y - from.y) / length;
  const double gap = fmin(0.4 * radius, 0.3 * length), head = 0.8 * radius;
  const fw_point_t tail = {from.x + gap * ux, from.y + gap * uy}, tip = {to.x - gap * ux, to.y - gap * uy};
  add_line(writer, lines, tail, tip);
  for (int32_t side = -1; side <= 1; side += 2) {
    const fw_point_t back = {
      tip.x - head * (ux + 0.5 * (double)side * uy), tip.y - head * (uy - 0.5 * (double)side * ux)};
    add_line(writer, lines, tip, back);
  }
}

void node_layer_waits_for(node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  const double radius = fmax(controller->settings.robot_radius, 0.025);
  node_marker_t * lines = node_marker_next(writer, "waits_for", 0, visualization_msgs__msg__Marker__LINE_LIST);
  if (lines == NULL) {
    return;
  }
  node_marker_scale(lines, 0.35 * radius, 0.0, 0.0);
  lines->color = (std_msgs__msg__ColorRGBA){.r = 1.0F, .g = 0.55F, .b = 0.0F, .a = 1.0F};
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, k);
    if (status.state == FW_EXECUTION_WAITING && status.other >= 0 && status.other < controller->fleet.count) {
      const fw_controlled_robot_t *robot = &controller->fleet.robots[k],
                                  *other = &controller->fleet.robots[status.other];
      if (
        robot->has_pose && other->has_pose && fw__controlled_robot_is_listed(robot) &&
        fw__controlled_robot_is_listed(other)) {
        add_arrow(writer, lines, &(arrow_t){robot->point, other->point, radius});
      }
    }
  }
  node_marker_close(lines);
}

// ---- areas

static std_msgs__msg__ColorRGBA area_colour(fw_area_kind_t kind)
{
  static const float colours[][3] = {
    [FW_AREA_ONE_WAY] = {0.15F, 0.39F, 0.92F},
    [FW_AREA_NO_WAITING] = {0.85F, 0.47F, 0.02F},
    [FW_AREA_KEEPOUT] = {0.83F, 0.13F, 0.17F},
    [FW_AREA_COST] = {0.5F, 0.5F, 0.5F},
  };
  return (std_msgs__msg__ColorRGBA){.r = colours[kind][0], .g = colours[kind][1], .b = colours[kind][2], .a = 0.9F};
}

// The outlines of all areas of one kind; in the middle of a one-way area an arrow.
void node_layer_areas(node_marker_writer_t * writer, const fw_controller_impl_t * controller, fw_area_kind_t kind)
{
  const double cell = fmax(controller->map.frame.resolution, 0.05);
  node_marker_t * lines = node_marker_next(writer, "areas", (int32_t)kind, visualization_msgs__msg__Marker__LINE_LIST);
  if (lines == NULL) {
    return;
  }
  node_marker_scale(lines, 0.1 * cell, 0.0, 0.0);
  lines->color = area_colour(kind);
  for (int32_t k = 0; k < controller->areas.count; ++k) {
    const fw_area_t * area = &controller->areas.areas[k];
    fw_point_t middle = {0.0, 0.0};
    for (int32_t i = 0; i < area->point_count && area->kind == kind; ++i) {
      add_line(writer, lines, area->points[i], area->points[(i + 1) % area->point_count]);
      middle.x += area->points[i].x / (double)area->point_count;
      middle.y += area->points[i].y / (double)area->point_count;
    }
    if (area->kind == kind && kind == FW_AREA_ONE_WAY) {
      const fw_point_t tip = {
        middle.x + 2.0 * cell * cos(area->direction), middle.y + 2.0 * cell * sin(area->direction)};
      add_arrow(writer, lines, &(arrow_t){middle, tip, 0.5 * cell});
    }
  }
  node_marker_close(lines);
}
