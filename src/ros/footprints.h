// Footprints: the cells that a node's robots cover, read from the text of a parameter and rotated to each heading.
//
// Robots with the same text share one footprint. It is never changed, and stays until ros_footprints_fini: any thread
// that has a pointer to it may use it after the robot has got another footprint or was removed.

#ifndef ROS__FOOTPRINTS_H_
#define ROS__FOOTPRINTS_H_

#include "fleetweave/fleetweave.h"

typedef struct ros_footprint_t {
  struct ros_footprint_t * next;          // in the list of ros_footprints_t
  fw_offset_t * cells[FW_HEADING_COUNT];  // by heading; heading 0 is as given, a single cell if the text is empty
  int32_t counts[FW_HEADING_COUNT];
  int32_t reach;  // Chebyshev distance of the farthest cell, at any heading, from the robot's own cell
  char text[];    // as given
} ros_footprint_t;

// All footprints that were read. {0} is empty. Not thread-safe.
typedef struct ros_footprints_t {
  ros_footprint_t * first;
} ros_footprints_t;

// The text is that of `footprint` in fleet files (<fleetweave/files.h>): "WxH" or "dx,dy;dx,dy;…"; "": a single cell.
// FW_RET_INVALID_ARGUMENT says what is wrong with it.
FW_MUST_USE fw_ret_t ros_footprints_get(
  ros_footprints_t * footprints, const char * text, const ros_footprint_t ** footprint, fw_error_t * error);
void ros_footprints_fini(ros_footprints_t * footprints);

#endif  // ROS__FOOTPRINTS_H_
