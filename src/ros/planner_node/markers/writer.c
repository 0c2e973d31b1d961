// Markers into a message. See writer.h.

#include "ros/planner_node/markers/writer.h"

#include <math.h>
#include <stdio.h>

#include <geometry_msgs/msg/point.h>
#include <std_msgs/msg/color_rgba.h>

#include "base/assert.h"
#include "ros/messages.h"
#include "ros/planner_node/publishers.h"
#include "view/palette.h"

node_marker_writer_t node_marker_writer(
  visualization_msgs__msg__MarkerArray * message, const node_site_t * site, int64_t now_ns)
{
  message->markers.size = 0;
  return (node_marker_writer_t){.message = message, .frame_id = site->settings->map_frame, .now_ns = now_ns};
}

bool node_marker_writer_end(node_marker_writer_t * writer)
{
  writer->message->markers.size = writer->count;
  return !writer->has_failed;
}

// Makes room for `count` markers; those that exist keep the memory of their points and texts.
static bool reserve_markers(visualization_msgs__msg__Marker__Sequence * markers, size_t count)
{
  if (count <= markers->capacity) {
    return true;
  }
  visualization_msgs__msg__Marker__Sequence larger = {0};
  if (!visualization_msgs__msg__Marker__Sequence__init(&larger, count + count / 2 + 16)) {
    return false;
  }
  for (size_t k = 0; k < markers->capacity; ++k) {
    const node_marker_t swap = larger.data[k];
    larger.data[k] = markers->data[k];
    markers->data[k] = swap;
  }
  visualization_msgs__msg__Marker__Sequence__fini(markers);
  *markers = larger;
  return true;
}

node_marker_t * node_marker_next(node_marker_writer_t * writer, const char * layer, int32_t id, int32_t type)
{
  if (writer->has_failed || !reserve_markers(&writer->message->markers, writer->count + 1)) {
    writer->has_failed = true;
    return NULL;
  }
  node_marker_t * marker = &writer->message->markers.data[writer->count];
  marker->id = id;
  marker->type = type;
  marker->action = visualization_msgs__msg__Marker__ADD;
  marker->header.stamp = ros_message_stamp(writer->now_ns);
  marker->color = (std_msgs__msg__ColorRGBA){1.0F, 1.0F, 1.0F, 1.0F};
  marker->points.size = marker->colors.size = 0;
  node_marker_scale(marker, 0.0, 0.0, 0.0);
  node_marker_place(marker, (fw_point_t){0.0, 0.0}, 0.0);
  ++writer->count;
  writer->has_failed = !node_string_set(&marker->header.frame_id, writer->frame_id) ||
                       !node_string_set(&marker->ns, layer) || !node_string_set(&marker->text, "");
  return writer->has_failed ? NULL : marker;
}

void node_marker_delete(node_marker_writer_t * writer, const char * layer, int32_t id)
{
  node_marker_t * marker = node_marker_next(writer, layer, id, visualization_msgs__msg__Marker__CUBE);
  if (marker != NULL) {
    marker->action = visualization_msgs__msg__Marker__DELETE;
  }
}

// Appends a point. False if there is no memory.
static bool append_point(node_marker_writer_t * writer, node_marker_t * marker, geometry_msgs__msg__Point point)
{
  geometry_msgs__msg__Point__Sequence * points = &marker->points;
  if (points->size == points->capacity) {
    geometry_msgs__msg__Point__Sequence larger = {0};
    if (!geometry_msgs__msg__Point__Sequence__init(&larger, 2 * points->capacity + 8)) {
      writer->has_failed = true;
      return false;
    }
    for (size_t k = 0; k < points->size; ++k) {
      larger.data[k] = points->data[k];
    }
    larger.size = points->size;
    geometry_msgs__msg__Point__Sequence__fini(points);
    *points = larger;
  }
  points->data[points->size++] = point;
  return true;
}

void node_marker_add_point(node_marker_writer_t * writer, node_marker_t * marker, fw_point_t at, double z)
{
  (void)append_point(writer, marker, (geometry_msgs__msg__Point){at.x, at.y, z});
}

void node_marker_add_coloured(
  node_marker_writer_t * writer, node_marker_t * marker, const geometry_msgs__msg__Point * at,
  std_msgs__msg__ColorRGBA colour)
{
  std_msgs__msg__ColorRGBA__Sequence * colours = &marker->colors;
  if (!append_point(writer, marker, *at)) {
    return;
  }
  if (colours->capacity < marker->points.capacity) {
    std_msgs__msg__ColorRGBA__Sequence larger = {0};
    if (!std_msgs__msg__ColorRGBA__Sequence__init(&larger, marker->points.capacity)) {
      writer->has_failed = true;
      --marker->points.size;
      return;
    }
    for (size_t k = 0; k < colours->size; ++k) {
      larger.data[k] = colours->data[k];
    }
    larger.size = colours->size;
    std_msgs__msg__ColorRGBA__Sequence__fini(colours);
    *colours = larger;
  }
  colours->data[colours->size++] = colour;
  FW_ASSERT(colours->size == marker->points.size);
}

void node_marker_scale(node_marker_t * marker, double x, double y, double z)
{
  marker->scale = (geometry_msgs__msg__Vector3){x, y, z};
}

void node_marker_place(node_marker_t * marker, fw_point_t at, double yaw)
{
  marker->pose.position = (geometry_msgs__msg__Point){at.x, at.y, 0.0};
  marker->pose.orientation = (geometry_msgs__msg__Quaternion){0.0, 0.0, sin(yaw / 2.0), cos(yaw / 2.0)};
}

void node_marker_set_text(node_marker_writer_t * writer, node_marker_t * marker, const char * text)
{
  writer->has_failed = !node_string_set(&marker->text, text) || writer->has_failed;
}

void node_marker_close(node_marker_t * marker)
{
  if (marker->points.size == 0) {
    marker->action = visualization_msgs__msg__Marker__DELETE;
  }
}

std_msgs__msg__ColorRGBA node_marker_colour(int32_t robot, float alpha)
{
  unsigned red = 0, green = 0, blue = 0;
  (void)sscanf(fw__palette_colour(robot).text, "#%2x%2x%2x", &red, &green, &blue);
  return (std_msgs__msg__ColorRGBA){(float)red / 255.0F, (float)green / 255.0F, (float)blue / 255.0F, alpha};
}

// One step of the FNV-1a hash, over thousandths.
static uint64_t mix(uint64_t digest, double value)
{
  return (digest ^ (uint64_t)llround(1e3 * value)) * 0x100000001b3U;
}

uint64_t node_marker_digest(const node_marker_t * marker)
{
  uint64_t digest = 0xcbf29ce484222325U;
  digest = mix(digest, (double)marker->action);
  digest = mix(mix(digest, marker->pose.position.x), marker->pose.position.y);
  digest = mix(mix(digest, marker->pose.orientation.z), marker->pose.orientation.w);
  for (size_t k = 0; k < marker->text.size; ++k) {
    digest = mix(digest, (double)marker->text.data[k]);
  }
  for (size_t k = 0; k < marker->points.size; ++k) {
    const geometry_msgs__msg__Point * point = &marker->points.data[k];
    digest = mix(mix(mix(digest, point->x), point->y), point->z);
  }
  for (size_t k = 0; k < marker->colors.size; ++k) {
    const std_msgs__msg__ColorRGBA * colour = &marker->colors.data[k];
    digest = mix(mix(mix(mix(digest, colour->r), colour->g), colour->b), colour->a);
  }
  return digest;
}
