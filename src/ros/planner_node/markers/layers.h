// The layers of the markers: each function writes one RViz namespace, or a few that belong together.
//
// Functions for a single robot use its index in the fleet as the marker's id, and return whether there is anything to
// show.

#ifndef ROS__PLANNER_NODE__MARKERS__LAYERS_H_
#define ROS__PLANNER_NODE__MARKERS__LAYERS_H_

#include "ros/planner_node/markers/writer.h"

// robots, headings, selected, trouble: where robots are, their yaw, the selected one (-1: none), and those with a
// fault.
void node_layer_robots(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t selected);
// bodies: a robot of several cells.
bool node_layer_body(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot);
// trouble_text: what is wrong with a robot.
bool node_layer_trouble_text(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot);

// names: that of a robot, above it.
bool node_layer_name(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot);

// paths: the rest of a robot's path. tubes: the same with time upwards.
bool node_layer_path(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot);
bool node_layer_tube(node_marker_writer_t * writer, const fw_controller_impl_t * controller, int32_t robot);
// goals, waits: of all robots.
void node_layer_goals(node_marker_writer_t * writer, const fw_controller_impl_t * controller);
void node_layer_waits(node_marker_writer_t * writer, const fw_controller_impl_t * controller);

// reservations: cells that robots have reserved, or will be on within the next seconds.
void node_layer_reservations(node_marker_writer_t * writer, const fw_controller_impl_t * controller);
// closures: cells that others close.
void node_layer_closures(node_marker_writer_t * writer, const fw_controller_impl_t * controller);
// waits_for: arrows from waiting robots to those they wait for.
void node_layer_waits_for(node_marker_writer_t * writer, const fw_controller_impl_t * controller);
// Areas of one kind.
void node_layer_areas(node_marker_writer_t * writer, const fw_controller_impl_t * controller, fw_area_kind_t kind);

#endif  // ROS__PLANNER_NODE__MARKERS__LAYERS_H_
