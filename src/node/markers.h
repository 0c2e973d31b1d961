// fleet_markers: for each robot its path, its goal, and where it is, and the cells that others close now or within the
// next seconds, for people who look at RViz.

#ifndef NODE__MARKERS_H_
#define NODE__MARKERS_H_

#include <visualization_msgs/msg/marker_array.h>

#include "node/planning.h"

// Reuses the memory of `message`. False if there is no memory.
bool markers_fill(visualization_msgs__msg__MarkerArray * message, const planning_t * planning, int64_t now_ns);

#endif  // NODE__MARKERS_H_
