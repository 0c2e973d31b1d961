#include "ros/planner_node/marker_list.h"

#include <math.h>
#include <stdio.h>

#include <geometry_msgs/msg/point.h>
#include <std_msgs/msg/color_rgba.h>

#include "ros/planner_node/path_message.h"
#include "view/palette.h"

marker_list_t marker_list(visualization_msgs__msg__MarkerArray * message, const planning_t * planning, int64_t now_ns)
{
  message->markers.size = 0;
  return (marker_list_t){
    .message = message, .frame_id = planning->settings.map_frame, .now_ns = now_ns, .is_fine = true};
}

bool marker_list_end(marker_list_t * list)
{
  list->message->markers.size = list->count;
  return list->is_fine;
}

// Markers that there are keep the memory of their points and texts.
static bool make_room(visualization_msgs__msg__Marker__Sequence * markers, size_t count)
{
  if (count <= markers->capacity) {
    return true;
  }
  visualization_msgs__msg__Marker__Sequence larger = {0};
  if (!visualization_msgs__msg__Marker__Sequence__init(&larger, count + count / 2 + 16)) {
    return false;
  }
  for (size_t k = 0; k < markers->capacity; ++k) {
    const marker_t swap = larger.data[k];
    larger.data[k] = markers->data[k];
    markers->data[k] = swap;
  }
  visualization_msgs__msg__Marker__Sequence__fini(markers);
  *markers = larger;
  return true;
}

marker_t * marker_next(marker_list_t * list, const char * layer, int32_t id, int32_t type)
{
  if (!list->is_fine || !make_room(&list->message->markers, list->count + 1)) {
    list->is_fine = false;
    return NULL;
  }
  marker_t * marker = &list->message->markers.data[list->count];
  marker->id = id;
  marker->type = type;
  marker->action = visualization_msgs__msg__Marker__ADD;
  marker->header.stamp = stamp_of(list->now_ns);
  marker->color = (std_msgs__msg__ColorRGBA){1.0F, 1.0F, 1.0F, 1.0F};
  marker->points.size = marker->colors.size = 0;
  marker_scale(marker, 0.0, 0.0, 0.0);
  marker_place(marker, (point_t){0.0, 0.0}, 0.0);
  list->is_fine = string_set(&marker->header.frame_id, list->frame_id) && string_set(&marker->ns, layer) &&
                  string_set(&marker->text, "");
  ++list->count;
  return list->is_fine ? marker : NULL;
}

void marker_delete(marker_list_t * list, const char * layer, int32_t id)
{
  marker_t * marker = marker_next(list, layer, id, visualization_msgs__msg__Marker__CUBE);
  if (marker != NULL) {
    marker->action = visualization_msgs__msg__Marker__DELETE;
  }
}

bool marker_add_point(marker_list_t * list, marker_t * marker, double x, double y, double z)
{
  geometry_msgs__msg__Point__Sequence * points = &marker->points;
  if (points->size == points->capacity) {
    geometry_msgs__msg__Point__Sequence larger = {0};
    if (!geometry_msgs__msg__Point__Sequence__init(&larger, 2 * points->capacity + 8)) {
      list->is_fine = false;
      return false;
    }
    for (size_t k = 0; k < points->size; ++k) {
      larger.data[k] = points->data[k];
    }
    larger.size = points->size;
    geometry_msgs__msg__Point__Sequence__fini(points);
    *points = larger;
  }
  points->data[points->size++] = (geometry_msgs__msg__Point){x, y, z};
  return true;
}

bool marker_add_coloured(marker_list_t * list, marker_t * marker, point_t at, double z, std_msgs__msg__ColorRGBA colour)
{
  std_msgs__msg__ColorRGBA__Sequence * colours = &marker->colors;
  if (!marker_add_point(list, marker, at.x, at.y, z)) {
    return false;
  }
  if (colours->capacity < marker->points.capacity) {
    std_msgs__msg__ColorRGBA__Sequence larger = {0};
    if (!std_msgs__msg__ColorRGBA__Sequence__init(&larger, marker->points.capacity)) {
      list->is_fine = false;
      --marker->points.size;
      return false;
    }
    for (size_t k = 0; k < colours->size; ++k) {
      larger.data[k] = colours->data[k];
    }
    larger.size = colours->size;
    std_msgs__msg__ColorRGBA__Sequence__fini(colours);
    *colours = larger;
  }
  colours->data[colours->size++] = colour;
  return true;
}

void marker_scale(marker_t * marker, double x, double y, double z)
{
  marker->scale = (geometry_msgs__msg__Vector3){x, y, z};
}

void marker_place(marker_t * marker, point_t at, double yaw)
{
  marker->pose.position = (geometry_msgs__msg__Point){at.x, at.y, 0.0};
  marker->pose.orientation = (geometry_msgs__msg__Quaternion){0.0, 0.0, sin(yaw / 2.0), cos(yaw / 2.0)};
}

void marker_close(marker_t * marker)
{
  if (marker->points.size == 0) {
    marker->action = visualization_msgs__msg__Marker__DELETE;
  }
}

std_msgs__msg__ColorRGBA marker_colour(int32_t robot, float alpha)
{
  unsigned red = 0, green = 0, blue = 0;
  (void)sscanf(fw__palette_colour(robot).text, "#%2x%2x%2x", &red, &green, &blue);
  return (std_msgs__msg__ColorRGBA){(float)red / 255.0F, (float)green / 255.0F, (float)blue / 255.0F, alpha};
}

// FNV-1a over whole numbers.
static uint64_t mix(uint64_t digest, double value)
{
  return (digest ^ (uint64_t)llround(1e3 * value)) * 0x100000001b3U;
}

uint64_t marker_digest(const marker_t * marker)
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
