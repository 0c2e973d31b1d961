// Areas with traffic rules: polygons of the map frame, on the planning grid.
//
// One-way and no-waiting areas become rules of the cells whose centres they contain (fw_grid_t), cost areas add to the
// costs of such cells, and keepouts are obstacles like those of the keepout mask (map_layers.h).

#ifndef CONTROLLER__MAP__AREAS_H_
#define CONTROLLER__MAP__AREAS_H_

#include "controller/map/raster.h"

// The areas of a site, with memory of their own; {0} is none.
typedef struct fw_area_list_t {
  fw_area_t * areas;
  int32_t count;
  void * memory;  // names and points
} fw_area_list_t;

// True if the area makes sense; otherwise `reason` names it and says what is wrong.
bool fw__area_check(const fw_area_t * area, fw_error_t * reason);
// A copy of areas that make sense. False if there is no memory.
bool fw__area_list_init(fw_area_list_t * list, const fw_area_t * areas, int32_t count);
void fw__area_list_fini(fw_area_list_t * list);
bool fw__area_lists_are_equal(const fw_area_list_t * a, const fw_area_list_t * b);

bool fw__area_list_has(const fw_area_list_t * list, fw_area_kind_t kind);

// Visits, in runs, the cells whose centres are in the polygon. A cell may be visited once only.
void fw__area_visit_centres(const fw_map_frame_t * frame, const fw_area_t * area, fw_raster_visitor_t visitor);
// Visits, in runs, all cells that the polygon overlaps, some of them more than once.
void fw__area_visit_overlaps(const fw_map_frame_t * frame, const fw_area_t * area, fw_raster_visitor_t visitor);

// Writes the rules of one-way and no-waiting areas onto a grid that has rules, all 0.
void fw__area_list_write_rules(const fw_area_list_t * list, const fw_map_frame_t * frame, fw_grid_t * grid);

// Gives a grid, with memory of its own, the rules of another one of the same size, or none. False if there is no
// memory.
bool fw__grid_copy_rules(fw_grid_t * to, const fw_grid_t * from);

#endif  // CONTROLLER__MAP__AREAS_H_
