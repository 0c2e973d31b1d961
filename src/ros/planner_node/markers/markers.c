// What is published when, and what has changed since. See markers.h.

#include "ros/planner_node/markers/markers.h"

#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>

#include "ros/planner_node/markers/layers.h"

static const int64_t ROBOTS_NS = 200000000;  // robots, trouble, waits_for: five times per second
static const int64_t CELLS_NS = 400000000;   // reservations, closures
static const int64_t PATHS_NS = 1000000000;  // paths, goals, waits
enum { NAMES_FOLLOW_MAX = 50 };              // the names of more robots are sent with their paths, to save bandwidth
static const int64_t TUBES_NS = 1000000000;
static const int64_t ALL_NS = 10000000000;  // everything once more: a message may have been lost

bool node_markers_init(node_markers_t * markers, ros_session_t * session)
{
  const rmw_qos_profile_t latched = ros_qos(1, true, true);
  const rosidl_message_type_support_t * type = ROSIDL_GET_MSG_TYPE_SUPPORT(visualization_msgs, msg, MarkerArray);
  markers->fleet = rcl_get_zero_initialized_publisher();
  markers->tubes = rcl_get_zero_initialized_publisher();
  markers->selected = -1;
  markers->session = session;
  return visualization_msgs__msg__MarkerArray__init(&markers->fleet_array) &&
         visualization_msgs__msg__MarkerArray__init(&markers->tube_array) &&
         rclc_publisher_init(&markers->fleet, &session->node, type, "fleet_markers", &latched) == RCL_RET_OK &&
         rclc_publisher_init(&markers->tubes, &session->node, type, "fleet_tubes", &latched) == RCL_RET_OK;
}

void node_markers_fini(node_markers_t * markers)
{
  if (markers->session == NULL) {
    return;
  }
  ros_session_fini_publisher(markers->session, &markers->fleet);
  ros_session_fini_publisher(markers->session, &markers->tubes);
  visualization_msgs__msg__MarkerArray__fini(&markers->fleet_array);
  visualization_msgs__msg__MarkerArray__fini(&markers->tube_array);
  free(markers->digests);
  *markers = (node_markers_t){0};
}

static void send(const rcl_publisher_t * publisher, node_marker_writer_t * writer, const char * logger)
{
  const bool is_filled = node_marker_writer_end(writer);
  if (!is_filled || writer->count > 0) {
    ros_session_publish(publisher, writer->message, is_filled, logger);
  }
}

static bool reserve_robots(node_markers_t * markers, int32_t count)
{
  if (count <= markers->robot_count) {
    return true;
  }
  node_marker_digests_t * digests = realloc(markers->digests, (size_t)count * sizeof *digests);
  if (digests == NULL) {
    return false;
  }
  for (int32_t k = markers->robot_count; k < count; ++k) {
    digests[k] = (node_marker_digests_t){0};
  }
  markers->digests = digests;
  markers->robot_count = count;
  return true;
}

// ---- what has changed

// A layer with one marker per robot.
typedef struct robot_layer_t {
  const char * name;
  bool (*write)(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot);
} robot_layer_t;

static const robot_layer_t BODIES = {"bodies", node_layer_body};
static const robot_layer_t TROUBLE_TEXT = {"trouble_text", node_layer_trouble_text};
static const robot_layer_t NAMES = {"names", node_layer_name};
static const robot_layer_t PATHS = {"paths", node_layer_path};
static const robot_layer_t TUBES = {"tubes", node_layer_tube};

// A robot's marker in a layer: sent if it has changed, deleted once if there is nothing to show any more.
typedef struct robot_marker_t {
  const robot_layer_t * layer;
  int32_t robot;
  uint64_t * digest;
} robot_marker_t;

static void write_changed(
  node_marker_writer_t * writer, const fw_controller_impl_t * controller, const robot_marker_t * marker)
{
  const size_t before = writer->count;
  uint64_t * digest = marker->digest;
  const bool is_shown = marker->layer->write(writer, controller, marker->robot);
  if (is_shown && writer->count > before) {
    const uint64_t now = node_marker_digest(&writer->message->markers.data[before]);
    writer->count = now == *digest ? before : writer->count;
    *digest = now;
    return;
  }
  writer->count = before;
  if (*digest != 0) {
    node_marker_delete(writer, marker->layer->name, marker->robot);
    *digest = 0;
  }
}

// Drops the list of a layer if it has not changed.
static void drop_unchanged(node_marker_writer_t * writer, size_t before, uint64_t * digest)
{
  if (writer->count > before) {
    const uint64_t now = node_marker_digest(&writer->message->markers.data[before]);
    writer->count = now == *digest ? before : writer->count;
    *digest = now;
  }
}

static void write_names(
  node_markers_t * markers, node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    write_changed(writer, controller, &(robot_marker_t){&NAMES, k, &markers->digests[k].name});
  }
}

static void write_robots(
  node_markers_t * markers, node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  node_layer_robots(writer, controller, markers->selected);
  node_layer_waits_for(writer, controller);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    write_changed(writer, controller, &(robot_marker_t){&BODIES, k, &markers->digests[k].body});
    write_changed(writer, controller, &(robot_marker_t){&TROUBLE_TEXT, k, &markers->digests[k].text});
  }
  if (controller->fleet.count <= NAMES_FOLLOW_MAX) {
    write_names(markers, writer, controller);
  }
}

static void write_paths(
  node_markers_t * markers, node_marker_writer_t * writer, const fw_controller_impl_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    write_changed(writer, controller, &(robot_marker_t){&PATHS, k, &markers->digests[k].path});
  }
  if (controller->fleet.count > NAMES_FOLLOW_MAX) {
    write_names(markers, writer, controller);
  }
  size_t before = writer->count;
  node_layer_goals(writer, controller);
  drop_unchanged(writer, before, &markers->goals_digest);
  before = writer->count;
  node_layer_waits(writer, controller);
  drop_unchanged(writer, before, &markers->waits_digest);
  for (fw_area_kind_t kind = FW_AREA_ONE_WAY; kind <= FW_AREA_COST; ++kind) {
    before = writer->count;
    node_layer_areas(writer, controller, kind);
    drop_unchanged(writer, before, &markers->areas_digests[kind]);
  }
}

// Forgets what was sent, so that it is sent again.
static void forget(node_markers_t * markers)
{
  for (int32_t k = 0; k < markers->robot_count; ++k) {
    markers->digests[k].path = 0;
    markers->digests[k].name = 0;
  }
  markers->goals_digest = markers->waits_digest = 0;
  memset(markers->areas_digests, 0, sizeof markers->areas_digests);
}

static void update_tubes(node_markers_t * markers, const node_site_t * site, int64_t now_ns, int64_t steady_ns)
{
  const fw_controller_impl_t * controller = node_site_impl(site);
  if (steady_ns < markers->next_tubes_ns || ros_session_count_subscribers(&markers->tubes) == 0) {
    return;
  }
  markers->next_tubes_ns = steady_ns + TUBES_NS;
  node_marker_writer_t writer = node_marker_writer(&markers->tube_array, site, now_ns);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    write_changed(&writer, controller, &(robot_marker_t){&TUBES, k, &markers->digests[k].tube});
  }
  send(&markers->tubes, &writer, site->logger);
}

void node_markers_update(node_markers_t * markers, const node_site_t * site, int64_t now_ns)
{
  const fw_controller_impl_t * controller = node_site_impl(site);
  const int64_t steady_ns = fw_clock_now_ns();
  if (steady_ns < markers->next_robots_ns || !reserve_robots(markers, controller->fleet.count)) {
    return;
  }
  markers->next_robots_ns = steady_ns + ROBOTS_NS;
  const size_t subscribers = ros_session_count_subscribers(&markers->fleet);
  const bool is_all = subscribers > markers->subscribers || steady_ns >= markers->next_all_ns;
  markers->subscribers = subscribers;
  if (is_all) {
    forget(markers);
    markers->next_all_ns = steady_ns + ALL_NS;
  }
  node_marker_writer_t writer = node_marker_writer(&markers->fleet_array, site, now_ns);
  write_robots(markers, &writer, controller);
  if (is_all || steady_ns >= markers->next_paths_ns) {
    markers->next_paths_ns = steady_ns + PATHS_NS;
    write_paths(markers, &writer, controller);
  }
  if (is_all || steady_ns >= markers->next_cells_ns) {
    markers->next_cells_ns = steady_ns + CELLS_NS;
    node_layer_reservations(&writer, controller);
    node_layer_closures(&writer, controller);
  }
  send(&markers->fleet, &writer, site->logger);
  update_tubes(markers, site, now_ns, steady_ns);
}
