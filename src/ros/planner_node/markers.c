#include "ros/planner_node/markers.h"

#include <stdlib.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>

#include "ros/planner_node/marker_layers.h"

static const int64_t ROBOTS_NS = 200000000;  // robots, trouble, who waits for whom: five times per second
static const int64_t CELLS_NS = 400000000;   // reservations, closures
static const int64_t WAYS_NS = 1000000000;   // paths, goals, waits
static const int64_t TUBES_NS = 1000000000;
static const int64_t ALL_NS = 10000000000;  // all of it once more: a marker may have been missed

bool markers_init(markers_t * markers, rcl_node_t * node)
{
  rmw_qos_profile_t latched = rmw_qos_profile_default;
  latched.depth = 1;
  latched.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
  const rosidl_message_type_support_t * type = ROSIDL_GET_MSG_TYPE_SUPPORT(visualization_msgs, msg, MarkerArray);
  markers->fleet = rcl_get_zero_initialized_publisher();
  markers->tubes = rcl_get_zero_initialized_publisher();
  markers->selected = -1;
  return visualization_msgs__msg__MarkerArray__init(&markers->fleet_array) &&
         visualization_msgs__msg__MarkerArray__init(&markers->tube_array) &&
         rclc_publisher_init(&markers->fleet, node, type, "fleet_markers", &latched) == RCL_RET_OK &&
         rclc_publisher_init(&markers->tubes, node, type, "fleet_tubes", &latched) == RCL_RET_OK;
}

void markers_fini(markers_t * markers, rcl_node_t * node)
{
  if (
    rcl_publisher_fini(&markers->fleet, node) != RCL_RET_OK ||
    rcl_publisher_fini(&markers->tubes, node) != RCL_RET_OK) {
    rcl_reset_error();
  }
  visualization_msgs__msg__MarkerArray__fini(&markers->fleet_array);
  visualization_msgs__msg__MarkerArray__fini(&markers->tube_array);
  free(markers->shown);
  *markers = (markers_t){0};
}

static void send(const rcl_publisher_t * publisher, marker_list_t * list, const char * logger)
{
  if (!marker_list_end(list)) {
    RCUTILS_LOG_ERROR_NAMED(logger, "out of memory for a message on %s", rcl_publisher_get_topic_name(publisher));
  } else if (list->count > 0 && rcl_publish(publisher, list->message, NULL) != RCL_RET_OK) {
    RCUTILS_LOG_ERROR_NAMED(
      logger, "cannot publish on %s: %s", rcl_publisher_get_topic_name(publisher), rcl_get_error_string().str);
    rcl_reset_error();
  }
}

static size_t count_listeners(const rcl_publisher_t * publisher)
{
  size_t count = 0;
  if (rcl_publisher_get_subscription_count(publisher, &count) != RCL_RET_OK) {
    rcl_reset_error();
  }
  return count;
}

static bool make_room(markers_t * markers, int32_t count)
{
  if (count <= markers->robot_count) {
    return true;
  }
  marker_shown_t * shown = realloc(markers->shown, (size_t)count * sizeof *shown);
  if (shown == NULL) {
    return false;
  }
  for (int32_t k = markers->robot_count; k < count; ++k) {
    shown[k] = (marker_shown_t){0};
  }
  markers->shown = shown;
  markers->robot_count = count;
  return true;
}

// ---- a marker of one robot: sent if there is anything new to see, deleted once if there is nothing any more

typedef bool (*layer_t)(marker_list_t * list, const planning_t * planning, int32_t robot);

static void write_one(
  marker_list_t * list, const planning_t * planning, int32_t robot, layer_t layer, const char * name, uint64_t * digest)
{
  const size_t before = list->count;
  const bool is_shown = layer(list, planning, robot);
  if (is_shown && list->count > before) {
    const uint64_t now = marker_digest(&list->message->markers.data[before]);
    list->count = now == *digest ? before : list->count;
    *digest = now;
    return;
  }
  list->count = before;
  if (*digest != 0) {
    marker_delete(list, name, robot);
    *digest = 0;
  }
}

// Of a layer that is one list: not sent if it is as it was.
static void drop_unchanged(marker_list_t * list, size_t before, uint64_t * digest)
{
  if (list->count > before) {
    const uint64_t now = marker_digest(&list->message->markers.data[before]);
    list->count = now == *digest ? before : list->count;
    *digest = now;
  }
}

static void write_robots(markers_t * markers, marker_list_t * list, const planning_t * planning)
{
  marker_robots(list, planning, markers->selected);
  marker_waits_for(list, planning);
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    write_one(list, planning, k, marker_body, "bodies", &markers->shown[k].body);
    write_one(list, planning, k, marker_trouble_text, "trouble_text", &markers->shown[k].text);
  }
}

static void write_ways(markers_t * markers, marker_list_t * list, const planning_t * planning)
{
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    write_one(list, planning, k, marker_path, "paths", &markers->shown[k].path);
  }
  size_t before = list->count;
  marker_goals(list, planning);
  drop_unchanged(list, before, &markers->goals);
  before = list->count;
  marker_waits(list, planning);
  drop_unchanged(list, before, &markers->waits);
}

static void forget(markers_t * markers)
{
  for (int32_t k = 0; k < markers->robot_count; ++k) {
    markers->shown[k].path = 0;
  }
  markers->goals = markers->waits = 0;
}

static void update_tubes(markers_t * markers, const planning_t * planning, int64_t now_ns, int64_t steady_ns)
{
  if (steady_ns < markers->next_tubes_ns || count_listeners(&markers->tubes) == 0) {
    return;
  }
  markers->next_tubes_ns = steady_ns + TUBES_NS;
  marker_list_t list = marker_list(&markers->tube_array, planning, now_ns);
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    write_one(&list, planning, k, marker_tube, "tubes", &markers->shown[k].tube);
  }
  send(&markers->tubes, &list, planning->logger);
}

void markers_update(markers_t * markers, const planning_t * planning, int64_t now_ns)
{
  const int64_t steady_ns = fw_clock_now_ns();
  if (steady_ns < markers->next_robots_ns || !make_room(markers, planning->fleet.count)) {
    return;
  }
  markers->next_robots_ns = steady_ns + ROBOTS_NS;
  const size_t listeners = count_listeners(&markers->fleet);
  const bool is_all = listeners > markers->listeners || steady_ns >= markers->next_all_ns;
  markers->listeners = listeners;
  if (is_all) {
    forget(markers);
    markers->next_all_ns = steady_ns + ALL_NS;
  }
  marker_list_t list = marker_list(&markers->fleet_array, planning, now_ns);
  write_robots(markers, &list, planning);
  if (is_all || steady_ns >= markers->next_ways_ns) {
    markers->next_ways_ns = steady_ns + WAYS_NS;
    write_ways(markers, &list, planning);
  }
  if (is_all || steady_ns >= markers->next_cells_ns) {
    markers->next_cells_ns = steady_ns + CELLS_NS;
    marker_reservations(&list, planning);
    marker_closures(&list, planning);
  }
  send(&markers->fleet, &list, planning->logger);
  update_tubes(markers, planning, now_ns, steady_ns);
}
