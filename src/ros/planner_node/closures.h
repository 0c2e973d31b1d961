// What is reserved by others: doors, lifts, robots that are not ours.
//
// A source tells it as a path in the form of our own timed paths, and a new path replaces the one before:
// - from the stamp of a pose until that of the next, every cell that the straight line between them touches is closed;
//   two equal poses close one place for that time;
// - on its last pose a thing stays, for ever, unless the last two poses are equal: then it is gone at the last stamp;
// - before the first stamp nothing is closed, and an empty path closes nothing.
// So the timed path of somebody else's robot can be taken as it is. `closure_radius` makes the line as wide as a robot.

#ifndef ROS__PLANNER_NODE__CLOSURES_H_
#define ROS__PLANNER_NODE__CLOSURES_H_

#include <nav_msgs/msg/path.h>

#include "ros/planner_node/map.h"
#include "ros/planner_node/schedule.h"

// A cell is closed from the one time to the other.
typedef struct span_t {
  fw_cell_t cell;
  int64_t from_ns;  // ROS time
  int64_t to_ns;    // TIME_MAX: for ever
} span_t;

typedef struct source_t {
  char name[NAME_SIZE];
  bool is_heard;           // a good path has come
  waypoint_t * waypoints;  // the last good path
  int32_t count;
  span_t * spans;  // that path on the map, by cell and time; those of one cell do not meet
  int32_t span_count;
  int32_t span_capacity;
  bool has_lost;    // a part of it is not on the map
  int64_t refused;  // messages
  fw_error_t fault;   // what is wrong with the last message; empty if nothing is
} source_t;

typedef struct closures_t {
  source_t * sources;
  int32_t count;
  int64_t revision;  // grows with every change
  const char * logger;
} closures_t;

typedef struct interval_t {
  int64_t from_ns;
  int64_t to_ns;
} interval_t;

bool closures_init(closures_t * closures, const ros_parameters_t * parameters, const char * logger);
void closures_fini(closures_t * closures);

// Takes a path if it is a good one; otherwise nothing changes but the source's fault. Without a map (revision 0) a path
// is kept until there is one. True if it says something new.
bool closures_take(
  closures_t * closures, source_t * source, const nav_msgs__msg__Path * message, const node_settings_t * settings,
  const map_t * map);
// Puts every path on the map anew. What lies outside the map is left out and said.
void closures_lay(closures_t * closures, const node_settings_t * settings, const map_t * map);

// The first span of a source on a cell that ends after `time_ns`, NULL if there is none. More of the same cell follow.
const span_t * source_find(const source_t * source, fw_cell_t cell, int64_t time_ns);
// Which source closes this cell some time within the interval, -1 if none does.
int32_t closures_find(const closures_t * closures, fw_cell_t cell, interval_t when);
// How many cells it closes at a time.
int32_t source_count_closed(const source_t * source, int64_t time_ns);
// Is a robot of the schedule, from now on, on a cell of a span that begins within the interval while it is closed?
bool source_touches(
  const source_t * source, interval_t begin, const schedule_t * schedule, const frame_t * frame, int64_t now_ns);

#endif  // ROS__PLANNER_NODE__CLOSURES_H_
