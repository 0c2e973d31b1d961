// Areas with traffic rules in a YAML file, as map editors and scripts write it.
//
//   areas:
//     - name: aisle_3                    # for messages
//       kind: one_way                    # one_way, no_waiting, keepout, cost
//       direction: 90                    # degrees counter-clockwise from the x axis of the map frame
//       polygon: [[1.0, 0.5], [2.0, 0.5], [2.0, 8.0], [1.0, 8.0]]
//     - {name: crossing, kind: no_waiting, rectangle: [0.0, 8.0, 4.0, 10.0]}   # x, y of two opposite corners
//     - {name: dock, kind: cost, cost: 10, polygon: [[5, 5], [6, 5], [6, 6]]}
//
// Coordinates are metres in the map frame; over a map without metres (.map), cells, with y downwards.

#ifndef MAP_FILES__AREA_FILE_H_
#define MAP_FILES__AREA_FILE_H_

#include "controller/map/areas.h"

// Reads and checks all areas; release them with fw__area_list_fini. FW_RET_NOT_FOUND without the file; FW_RET_FILE with
// a text that names the file, the line, the area and what is wrong.
FW_MUST_USE fw_ret_t fw__area_file_read(fw_area_list_t * list, const char * path, fw_error_t * error);

#endif  // MAP_FILES__AREA_FILE_H_
