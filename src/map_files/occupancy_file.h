// Occupancy grids in files, as Nav2's map_server reads them: a YAML file that names an image, PGM or PNG.
//
//   image: site.pgm            # beside the YAML file, or an absolute path
//   resolution: 0.05           # metres per pixel
//   origin: [-10.0, -5.0, 0]   # x, y and yaw of the lower left corner
//   negate: 0                  # 1: black is free
//   occupied_thresh: 0.65      # default, as for free_thresh and mode
//   free_thresh: 0.25
//   mode: trinary              # trinary, scale, raw
//
// The lowest row of the image is row 0 of the grid. PNG needs libpng at build time.

#ifndef MAP_FILES__OCCUPANCY_FILE_H_
#define MAP_FILES__OCCUPANCY_FILE_H_

#include <fleetweave/controller.h>

// True if the name ends with .yaml or .yml.
bool fw__occupancy_file_is(const char * path);
// Reads a map; release it with fw__occupancy_map_fini. FW_RET_FILE and FW_RET_NOT_FOUND with a text that names the
// file and what is wrong.
FW_MUST_USE fw_ret_t fw__occupancy_file_read(fw_occupancy_map_t * map, const char * path, fw_error_t * error);
void fw__occupancy_map_fini(fw_occupancy_map_t * map);

// A planning grid from files.
typedef struct fw_planning_files_t {
  const char * map;        // YAML; NULL: `grid` is the map, with cells of `cell` metres from (0, 0) on
  const char * keepout;    // YAML; NULL: none
  const char * cost_mask;  // YAML; NULL: none
  double cell;             // metres, of a planning cell; 0: a pixel of the map; without a map file 1
  double robot_radius;     // metres; 0: a cell is free if its whole square is
  int32_t map_cost_max;    // as in fw_controller_settings_t, like the others
  int32_t mask_cost_max;
  int32_t connectivity;
  fw_pose_t * origin;  // set to the lower left corner of the grid, where its axes begin; may be NULL
} fw_planning_files_t;

// Makes the grid that a controller with these settings plans on; values of the map between free and occupied are told
// apart by the mode of the file, so that only 100 is occupied if map_cost_max is above 1. With `files->map` NULL,
// `grid` is given and gets the masks; its costs stay, and masks add theirs. Otherwise release it with fw_grid_fini.
FW_MUST_USE fw_ret_t fw__planning_files_read(fw_grid_t * grid, const fw_planning_files_t * files, fw_error_t * error);

#endif  // MAP_FILES__OCCUPANCY_FILE_H_
