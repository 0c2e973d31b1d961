#include "node/markers.h"

#include <math.h>

#include <geometry_msgs/msg/point.h>
#include <visualization_msgs/msg/marker.h>

#include "node/path_message.h"

enum { KINDS = 3 };  // path, goal, robot: three markers of one id in three namespaces

static const int64_t CLOSURES_SHOWN_NS = 5000000000;  // ahead
static const double CLOSURE_HEIGHT = 0.05;            // metres

// Colours around the wheel, far apart for neighbours in the list.
static std_msgs__msg__ColorRGBA colour_of(int32_t index, float alpha)
{
  const double hue = fmod((double)index * 0.618034, 1.0) * 2.0 * 3.14159265358979;
  return (std_msgs__msg__ColorRGBA){
    .r = (float)(0.5 + 0.45 * cos(hue)),
    .g = (float)(0.5 + 0.45 * cos(hue - 2.094)),
    .b = (float)(0.5 + 0.45 * cos(hue + 2.094)),
    .a = alpha,
  };
}

static bool reserve_points(visualization_msgs__msg__Marker * marker, size_t count)
{
  if (count > marker->points.capacity) {
    geometry_msgs__msg__Point__Sequence__fini(&marker->points);
    if (!geometry_msgs__msg__Point__Sequence__init(&marker->points, count + count / 2)) {
      return false;
    }
  }
  marker->points.size = count;
  return true;
}

static bool set_points(visualization_msgs__msg__Marker * marker, const track_t * track)
{
  const size_t count = (size_t)track->count;
  if (!reserve_points(marker, count)) {
    return false;
  }
  for (size_t k = 0; k < count; ++k) {
    marker->points.data[k] = (geometry_msgs__msg__Point){track->waypoints[k].point.x, track->waypoints[k].point.y, 0.0};
  }
  return true;
}

static void place(visualization_msgs__msg__Marker * marker, point_t point, double yaw)
{
  marker->pose.position = (geometry_msgs__msg__Point){point.x, point.y, 0.0};
  marker->pose.orientation = (geometry_msgs__msg__Quaternion){0.0, 0.0, sin(yaw / 2.0), cos(yaw / 2.0)};
}

// A disc, or the cells of its footprint around its pose.
static bool fill_body(visualization_msgs__msg__Marker * body, const planning_t * planning, const robot_t * robot)
{
  const fw_outline_t * outline = robot->body.outline;
  const double size = fmax(2.0 * planning->settings.robot_radius, 0.05);
  const double cell = planning->map.frame.resolution;
  const bool is_disc = outline->counts[0] == 1;
  body->type = is_disc ? visualization_msgs__msg__Marker__CYLINDER : visualization_msgs__msg__Marker__CUBE_LIST;
  body->action = robot->has_pose ? visualization_msgs__msg__Marker__ADD : visualization_msgs__msg__Marker__DELETE;
  body->scale = (geometry_msgs__msg__Vector3){is_disc ? size : 0.9 * cell, is_disc ? size : 0.9 * cell, 0.1};
  place(body, robot->point, is_disc || robot->body.turn_ticks > 0 ? robot->yaw : planning->map.frame.yaw);
  if (!reserve_points(body, is_disc ? 0 : (size_t)outline->counts[0])) {
    return false;
  }
  for (size_t k = 0; k < body->points.size; ++k) {
    const fw_offset_t at = outline->cells[0][k];
    body->points.data[k] = (geometry_msgs__msg__Point){(double)at.dx * cell, (double)at.dy * cell, 0.0};
  }
  return true;
}

static bool fill_robot(visualization_msgs__msg__Marker * markers, const planning_t * planning, int32_t index)
{
  const robot_t * robot = &planning->fleet.robots[index];
  const track_t * track = &planning->schedule.tracks[index];
  const double size = fmax(2.0 * planning->settings.robot_radius, 0.05);
  visualization_msgs__msg__Marker * path = &markers[0];
  visualization_msgs__msg__Marker * goal = &markers[1];
  visualization_msgs__msg__Marker * body = &markers[2];

  path->type = visualization_msgs__msg__Marker__LINE_STRIP;
  path->action = track->count > 1 ? visualization_msgs__msg__Marker__ADD : visualization_msgs__msg__Marker__DELETE;
  path->scale.x = 0.2 * size;
  place(path, (point_t){0.0, 0.0}, 0.0);

  goal->type = visualization_msgs__msg__Marker__CUBE;
  goal->action = robot->has_goal ? visualization_msgs__msg__Marker__ADD : visualization_msgs__msg__Marker__DELETE;
  goal->scale = (geometry_msgs__msg__Vector3){0.6 * size, 0.6 * size, 0.02};
  place(goal, robot->goal, robot->goal_yaw);

  return fill_body(body, planning, robot) && set_points(path, track) && string_set(&path->ns, "paths") &&
         string_set(&goal->ns, "goals") && string_set(&body->ns, "robots");
}

static bool is_shown(const span_t * span, int64_t now_ns)
{
  return span->to_ns >= now_ns && span->from_ns <= now_ns + CLOSURES_SHOWN_NS;
}

// Cells that are closed now or soon. A list of cubes has one orientation, so it is written along the grid's axes.
static bool fill_closures(visualization_msgs__msg__Marker * marker, const planning_t * planning, int64_t now_ns)
{
  const frame_t * frame = &planning->map.frame;
  size_t count = 0;
  for (int32_t s = 0; s < planning->closures.count; ++s) {
    const source_t * source = &planning->closures.sources[s];
    for (int32_t k = 0; k < source->span_count; ++k) {
      count += is_shown(&source->spans[k], now_ns) ? 1 : 0;
    }
  }
  marker->type = visualization_msgs__msg__Marker__CUBE_LIST;
  marker->action = count > 0 ? visualization_msgs__msg__Marker__ADD : visualization_msgs__msg__Marker__DELETE;
  marker->scale = (geometry_msgs__msg__Vector3){frame->resolution, frame->resolution, CLOSURE_HEIGHT};
  marker->color = (std_msgs__msg__ColorRGBA){.r = 0.9F, .g = 0.1F, .b = 0.1F, .a = 0.5F};
  place(marker, frame->origin, frame->yaw);
  if (!reserve_points(marker, count) || !string_set(&marker->ns, "closures")) {
    return false;
  }
  size_t next = 0;
  for (int32_t s = 0; s < planning->closures.count; ++s) {
    const source_t * source = &planning->closures.sources[s];
    for (int32_t k = 0; k < source->span_count; ++k) {
      if (is_shown(&source->spans[k], now_ns)) {
        const double x = (double)(source->spans[k].cell % frame->width) + 0.5;
        const double y = (double)(source->spans[k].cell / frame->width) + 0.5;
        marker->points.data[next++] = (geometry_msgs__msg__Point){x * frame->resolution, y * frame->resolution, 0.0};
      }
    }
  }
  return true;
}

static bool begin(visualization_msgs__msg__Marker * marker, const planning_t * planning, int32_t id, int64_t now_ns)
{
  marker->id = id;
  marker->header.stamp = stamp_of(now_ns);
  return string_set(&marker->header.frame_id, planning->settings.map_frame);
}

bool markers_fill(visualization_msgs__msg__MarkerArray * message, const planning_t * planning, int64_t now_ns)
{
  const size_t of_robots = (size_t)planning->fleet.count * KINDS;
  const size_t count = of_robots + (planning->closures.count > 0 ? 1 : 0);
  if (message->markers.size != count) {
    visualization_msgs__msg__Marker__Sequence__fini(&message->markers);
    if (!visualization_msgs__msg__Marker__Sequence__init(&message->markers, count)) {
      return false;
    }
  }
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    visualization_msgs__msg__Marker * markers = &message->markers.data[k * KINDS];
    for (int32_t kind = 0; kind < KINDS; ++kind) {
      markers[kind].color = colour_of(k, planning->fleet.robots[k].is_stale ? 0.3F : 0.9F);
      if (!begin(&markers[kind], planning, k, now_ns)) {
        return false;
      }
    }
    if (!fill_robot(markers, planning, k)) {
      return false;
    }
  }
  visualization_msgs__msg__Marker * closures = &message->markers.data[of_robots];
  return count == of_robots || (begin(closures, planning, 0, now_ns) && fill_closures(closures, planning, now_ns));
}
