// Closures: cells that others reserve for a time. Doors, lifts, robots of other fleets.
//
// A source gives them in the form of our own timed paths; a new path replaces the one before:
// - from the stamp of a pose until the stamp of the next, every cell that the straight line between them touches is
//   closed; two equal poses close one place for that time;
// - on its last pose an object stays forever, unless the last two poses are equal: then it leaves at the last stamp;
// - before the first stamp nothing is closed, and an empty path closes nothing.
// So the timed path of another fleet's robot can be used as it is. `closure_radius` makes the line as wide as a robot.

#ifndef CONTROLLER__MAP__CLOSURES_H_
#define CONTROLLER__MAP__CLOSURES_H_

#include "controller/map/map.h"
#include "controller/round/schedule.h"

typedef struct fw_time_interval_t {
  int64_t from_ns;  // ROS time
  int64_t to_ns;    // FW_TIME_MAX_NS: forever
} fw_time_interval_t;

enum { FW_CLOSED_SPANS_MAX = 1 << 20 };  // of a source, before those of one cell are joined; and poses of its path

typedef struct fw_closed_span_t {
  fw_cell_t cell;
  int64_t from_ns;
  int64_t to_ns;
} fw_closed_span_t;

typedef struct fw_closure_source_t {
  char name[FW_NAME_SIZE];
  bool has_path;                    // a good path has arrived
  fw_timed_waypoint_t * waypoints;  // the last good path
  int32_t count;
  fw_closed_span_t * spans;  // that path on the map, sorted by cell and time; spans of one cell do not touch
  int32_t span_count;
  int32_t span_capacity;
  bool has_failed;   // an allocation for spans failed since the last rasterisation began
  bool is_too_long;  // or its path needs more than FW_CLOSED_SPANS_MAX
  bool has_lost;     // a part of the path is not on the map
  int64_t refused;   // messages
  fw_error_t fault;  // what is wrong with the last message; empty if nothing is
} fw_closure_source_t;

typedef struct fw_closure_sources_t {
  fw_closure_source_t * sources;
  int32_t count;
  int64_t revision;  // grows with every change
  fw_controller_site_t site;
} fw_closure_sources_t;

// Sources with these names, which close nothing yet. False if there is no memory.
bool fw__closure_sources_init(
  fw_closure_sources_t * closures, const char * const * names, int32_t count, fw_controller_site_t site);
void fw__closure_sources_fini(fw_closure_sources_t * closures);

// Takes a good path; a bad one changes nothing but the source's fault. Before there is a map, a path is kept. True if
// it differs from the path before.
bool fw__closure_sources_take(
  fw_closure_sources_t * closures, fw_closure_source_t * source, const fw_timed_waypoint_t * waypoints, int32_t count);
// Notes that a path was refused before it came here (another frame), as fw__closure_sources_take does.
void fw__closure_sources_note_refused(
  fw_closure_sources_t * closures, fw_closure_source_t * source, const fw_error_t * reason);
// Rasterises every path onto the present map. Parts outside the map are left out, with a fault.
void fw__closure_sources_rasterise(fw_closure_sources_t * closures);

// The source that closes this cell at some time within the interval, -1 if there is none.
int32_t fw__closure_sources_find(const fw_closure_sources_t * closures, fw_cell_t cell, fw_time_interval_t when);
// The same for any cell of a body; its place must be in the grid.
int32_t fw__closure_sources_find_body(
  const fw_closure_sources_t * closures, const fw_grid_t * grid, fw_placed_body_t placed, fw_time_interval_t when);
// How many cells a source closes at a time.
int32_t fw__closure_source_count_closed(const fw_closure_source_t * source, int64_t time_ns);

// Which closures are compared with a schedule: those that begin within `begin`, from `now_ns` on.
typedef struct fw_closure_query_t {
  fw_time_interval_t begin;
  int64_t now_ns;
} fw_closure_query_t;
// True if a robot of the schedule is on a cell of such a closure while it is closed.
bool fw__closure_sources_touch(
  const fw_closure_sources_t * closures, const fw_schedule_t * schedule, fw_closure_query_t query);
bool fw__closure_source_touches(
  const fw_closure_source_t * source, const fw_map_frame_t * frame, const fw_schedule_t * schedule,
  fw_closure_query_t query);

#endif  // CONTROLLER__MAP__CLOSURES_H_
