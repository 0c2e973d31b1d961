// Closures: cells that others reserve for a time. Doors, lifts, robots of other fleets.
//
// A source publishes them on <name>/closed_path in the form of our own timed paths; a new path replaces the one before:
// - from the stamp of a pose until the stamp of the next, every cell that the straight line between them touches is
//   closed; two equal poses close one place for that time;
// - on its last pose an object stays forever, unless the last two poses are equal: then it leaves at the last stamp;
// - before the first stamp nothing is closed, and an empty path closes nothing.
// So the timed path of another fleet's robot can be used as it is. `closure_radius` makes the line as wide as a robot.

#ifndef ROS__PLANNER_NODE__CONTROLLER__CLOSURES_H_
#define ROS__PLANNER_NODE__CONTROLLER__CLOSURES_H_

#include <nav_msgs/msg/path.h>

#include "ros/planner_node/controller/map.h"
#include "ros/planner_node/controller/schedule.h"

typedef struct node_interval_t {
  int64_t from_ns;  // ROS time
  int64_t to_ns;    // NODE_TIME_MAX: forever
} node_interval_t;

typedef struct node_closed_span_t {
  fw_cell_t cell;
  int64_t from_ns;
  int64_t to_ns;
} node_closed_span_t;

typedef struct node_closure_source_t {
  char name[NODE_NAME_SIZE];
  bool has_path;                // a good path has arrived
  node_waypoint_t * waypoints;  // the last good path
  int32_t count;
  node_closed_span_t * spans;  // that path on the map, sorted by cell and time; spans of one cell do not touch
  int32_t span_count;
  int32_t span_capacity;
  bool has_failed;   // an allocation for spans failed since the last rasterisation began
  bool has_lost;     // a part of the path is not on the map
  int64_t refused;   // messages
  fw_error_t fault;  // what is wrong with the last message; empty if nothing is
} node_closure_source_t;

typedef struct node_closures_t {
  node_closure_source_t * sources;
  int32_t count;
  int64_t revision;  // grows with every change
  node_site_t site;
} node_closures_t;

// Reads the names of the sources from the parameter `closures`. False if there is no memory.
bool node_closures_init(node_closures_t * closures, const ros_parameters_t * parameters, node_site_t site);
void node_closures_fini(node_closures_t * closures);

// Takes a good path; a bad one changes nothing but the source's fault. Before there is a map, a path is kept. True if
// it differs from the path before.
bool node_closures_take(
  node_closures_t * closures, node_closure_source_t * source, const nav_msgs__msg__Path * message);
// Rasterises every path onto the present map. Parts outside the map are left out, with a fault.
void node_closures_rasterise(node_closures_t * closures);

// The source that closes this cell at some time within the interval, -1 if there is none.
int32_t node_closures_find(const node_closures_t * closures, fw_cell_t cell, node_interval_t when);
// The same for any cell of a body; its place must be in the grid.
int32_t node_closures_find_body(
  const node_closures_t * closures, const fw_grid_t * grid, node_placed_t placed, node_interval_t when);
// How many cells a source closes at a time.
int32_t node_closure_source_count_closed(const node_closure_source_t * source, int64_t time_ns);

// Which closures are compared with a schedule: those that begin within `begin`, from `now_ns` on.
typedef struct node_closure_query_t {
  node_interval_t begin;
  int64_t now_ns;
} node_closure_query_t;
// True if a robot of the schedule is on a cell of such a closure while it is closed.
bool node_closures_touch(
  const node_closures_t * closures, const node_schedule_t * schedule, node_closure_query_t query);
bool node_closure_source_touches(
  const node_closure_source_t * source, const node_frame_t * frame, const node_schedule_t * schedule,
  node_closure_query_t query);

#endif  // ROS__PLANNER_NODE__CONTROLLER__CLOSURES_H_
