// Outlines: the footprints that a node's robots have, read from the text of a parameter and turned to each heading.
//
// Robots of one text share one outline. It is never changed, and stays until the node ends: whoever holds it, in any
// thread, may go on using it after the robot has got another or is gone.

#ifndef ROS__OUTLINE_H_
#define ROS__OUTLINE_H_

#include "fleetweave/fleetweave.h"

typedef struct ros_footprint_t {
  struct ros_footprint_t * next;
  fw_offset_t * cells[FW_HEADING_COUNT];  // by heading; the first is as given, and the single cell if nothing was
  int32_t counts[FW_HEADING_COUNT];
  int32_t reach;  // no cell at any heading is farther than this from the robot's own, along x or y
  char text[];
} ros_footprint_t;

typedef struct ros_footprints_t {
  ros_footprint_t * first;
} ros_footprints_t;

// As `footprint` in fleet files (<fleetweave/files.h>): "WxH" or "dx,dy;dx,dy;…"; "" is the single cell.
// FW_RET_INVALID_ARGUMENT says what is wrong with it.
FW_MUST_USE fw_ret_t ros_footprints_get(
  ros_footprints_t * outlines, const char * text, const ros_footprint_t ** outline, fw_error_t * error);
void ros_footprints_fini(ros_footprints_t * outlines);

#endif  // ROS__OUTLINE_H_
