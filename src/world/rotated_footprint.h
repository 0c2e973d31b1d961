// Footprints: the cells that a node's robots cover, read from the text of a parameter and rotated to each heading.
//
// Robots with the same text share one footprint. It is never changed, and stays until fw__rotated_footprints_fini: any
// thread that has a pointer to it may use it after the robot has got another footprint or was removed.

#ifndef WORLD__ROTATED_FOOTPRINT_H_
#define WORLD__ROTATED_FOOTPRINT_H_

#include "fleetweave/fleetweave.h"

typedef struct fw_rotated_footprint_t {
  struct fw_rotated_footprint_t * next;   // in the list of fw_rotated_footprints_t
  fw_offset_t * cells[FW_HEADING_COUNT];  // by heading; heading 0 is as given, a single cell if the text is empty
  int32_t counts[FW_HEADING_COUNT];
  int32_t reach;  // Chebyshev distance of the farthest cell, at any heading, from the robot's own cell
  char text[];    // as given
} fw_rotated_footprint_t;

// All footprints that were read. {0} is empty. Not thread-safe.
typedef struct fw_rotated_footprints_t {
  fw_rotated_footprint_t * first;
} fw_rotated_footprints_t;

// The text is that of `footprint` in fleet files (<fleetweave/files.h>): "WxH" or "dx,dy;dx,dy;…"; "": a single cell.
// FW_RET_INVALID_ARGUMENT says what is wrong with it.
FW_MUST_USE fw_ret_t fw__rotated_footprints_get(
  fw_rotated_footprints_t * footprints, const char * text, const fw_rotated_footprint_t ** footprint,
  fw_error_t * error);
void fw__rotated_footprints_fini(fw_rotated_footprints_t * footprints);

#endif  // WORLD__ROTATED_FOOTPRINT_H_
